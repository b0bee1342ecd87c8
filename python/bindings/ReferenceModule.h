//===- ReferenceModule.h - The reference model, for Python -------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_BINDINGS_REFERENCEMODULE_H
#define PTO_BINDINGS_REFERENCEMODULE_H

#include <nanobind/nanobind.h>

namespace pypto {
/// Adds ReferenceProgram to the module.
void bindReference(nanobind::module_ &m);
} // namespace pypto

#endif // PTO_BINDINGS_REFERENCEMODULE_H
