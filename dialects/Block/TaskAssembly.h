//===- TaskAssembly.h - Assembly of placement and tasks ----------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Directives of TaskOps.td, defined in TaskOps.cpp; for the generated parsers.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TASK_ASSEMBLY_H
#define PTO_TASK_ASSEMBLY_H

#include "Block/BlockOps.h"

namespace mlir::pto {
using UnresolvedOperand = OpAsmParser::UnresolvedOperand;

ParseResult parseBareLevel(OpAsmParser &parser, LevelAttr &level);
void printBareLevel(OpAsmPrinter &printer, Operation *, LevelAttr level);
ParseResult parseBareRole(OpAsmParser &parser, RoleAttr &role);
void printBareRole(OpAsmPrinter &printer, Operation *, RoleAttr role);

/// `blocks(%n) after(%t) when(%flags[%i] gt 5 : tensor<8xi32>)`, each of them optional.
ParseResult parseTaskWords(OpAsmParser &parser, std::optional<UnresolvedOperand> &blocks,
                           SmallVectorImpl<UnresolvedOperand> &deps,
                           std::optional<UnresolvedOperand> &condition, Type &conditionType,
                           SmallVectorImpl<UnresolvedOperand> &indices, CompareAttr &compare,
                           IntegerAttr &compareTo);
void printTaskWords(OpAsmPrinter &printer, Operation *, Value blocks, ValueRange deps,
                    Value condition, Type conditionType, ValueRange indices, CompareAttr compare,
                    IntegerAttr compareTo);

/// `-> (tensor<...>), !pto.task`, or one of them, or nothing.
ParseResult parseTaskResults(OpAsmParser &parser, SmallVectorImpl<Type> &results, Type &task);
void printTaskResults(OpAsmPrinter &printer, Operation *, TypeRange results, Type task);
} // namespace mlir::pto

#endif // PTO_TASK_ASSEMBLY_H
