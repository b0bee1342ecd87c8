//===- Describe.h - What a chip is, as JSON -----------------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TARGET_DESCRIBE_H
#define PTO_TARGET_DESCRIBE_H

#include "Target/Target.h"

#include "llvm/Support/JSON.h"

namespace mlir::pto {

/// What a front end has to know of a chip: spaces, paths, flags and ids.
llvm::json::Value describeTarget(const TargetInfo &target);

} // namespace mlir::pto

#endif // PTO_TARGET_DESCRIBE_H
