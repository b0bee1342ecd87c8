//===- PtoInterfaces.h - What passes ask of an operation ---------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_INTERFACES_H
#define PTO_INTERFACES_H

#include "Pto/Pto.h"

#include "Pto/PtoInterfaces.h.inc"

#endif // PTO_INTERFACES_H
