//===- CastAttributes.h - What passes say of conversions ----------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TILE_CASTATTRIBUTES_H
#define PTO_TILE_CASTATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace mlir::pto::attr {
/// On a conversion of FP32 to FP32, which rounds to whole numbers: unit.
inline constexpr llvm::StringLiteral kWhole = "pto.whole";
} // namespace mlir::pto::attr

#endif // PTO_TILE_CASTATTRIBUTES_H
