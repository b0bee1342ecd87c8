//===- Parse.h - Modules of text, with the names of its values ---*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TOOLS_PARSE_H
#define PTO_TOOLS_PARSE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace mlir::pto {
/// The module of a text. A value that was written `%acc` and whose location has no
/// name is called `acc`, as the front end names what it makes.
OwningOpRef<ModuleOp> parseNamed(const std::shared_ptr<llvm::SourceMgr> &sources,
                                 MLIRContext *context);
} // namespace mlir::pto

#endif // PTO_TOOLS_PARSE_H
