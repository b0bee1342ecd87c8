//===- Words.h - The user's words for types and operations -------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Errors speak the author's language: FP16, [64, 128], Vec, 184 KiB, pl.add.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_WORDS_H
#define PTO_WORDS_H

#include "Pto/Pto.h"

#include <string>

namespace mlir::pto {

/// "FP16", "INT32", "INDEX".
std::string dtypeWord(Type elementType);
/// "[64, 128]"; a dynamic dimension is "?".
std::string shapeWord(ArrayRef<int64_t> shape);
/// "[64, 128] FP32" of a tile, buffer, tensor or array reference; "FP32" of a scalar.
std::string typeWord(Type type);
/// "Vec", "Mat", "DDR".
StringRef spaceWord(MemorySpace space);
/// "60 to 75" for 16 elements from 60 on; "none" for no elements.
std::string rangeWord(int64_t begin, int64_t extent);
/// "184 KiB", "100 B".
std::string bytesWord(int64_t bytes);
/// "pl.add" for pto.tile.add and pto.tensor.add; the operation's own name for
/// what the author does not write.
std::string operationWord(Operation *op);
/// The name that the author gave the value, or an empty string.
StringRef nameOf(Value value);
/// The author's name of argument `index` of a loop's body, from `pto.names` of the
/// loop: text has no locations for these. Empty if there is none. A pass that
/// changes what a loop carries and not this attribute leaves only the first name,
/// the loop variable's, to be trusted.
StringRef argumentName(Operation *loop, unsigned index);
/// "'acc' ([32, 32] FP32)" or only the type when the value has no name.
std::string valueWord(Value value);

/// An error at `op` that begins with the operation in the author's words.
InFlightDiagnostic emitUserError(Operation *op);

} // namespace mlir::pto

#endif // PTO_WORDS_H
