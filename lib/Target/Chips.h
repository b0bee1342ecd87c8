//===- Chips.h - The descriptions of the chips --------------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TARGET_CHIPS_H
#define PTO_TARGET_CHIPS_H

#include "Target/Target.h"

namespace mlir::pto {

extern const TargetInfo ascend910B; // A2, A3
extern const TargetInfo ascend950;  // A5

/// Element types of instructions.
enum Dtype : DtypeSet {
  I8 = 1 << 0,
  U8 = 1 << 1,
  I16 = 1 << 2,
  U16 = 1 << 3,
  F16 = 1 << 4,
  BF16 = 1 << 5,
  I32 = 1 << 6,
  U32 = 1 << 7,
  F32 = 1 << 8,
  I64 = 1 << 9,
  U64 = 1 << 10,
};
inline constexpr DtypeSet kBits8 = I8 | U8, kBits16 = I16 | U16 | F16 | BF16,
                          kBits32 = I32 | U32 | F32, kBits64 = I64 | U64;
inline constexpr DtypeSet kIntegers = kBits8 | I16 | U16 | I32 | U32 | kBits64;
inline constexpr DtypeSet kAnyType = kBits8 | kBits16 | kBits32 | kBits64;

/// What authors call each of them, in the order in which pages name them.
inline constexpr std::pair<Dtype, const char *> kDtypeNames[] = {
    {I8, "INT8"},  {U8, "UINT8"},  {I16, "INT16"}, {U16, "UINT16"},
    {F16, "FP16"}, {BF16, "BF16"}, {I32, "INT32"}, {U32, "UINT32"},
    {F32, "FP32"}, {I64, "INT64"}, {U64, "UINT64"}};

constexpr RoundSet roundBit(RoundMode mode) { return 1u << static_cast<uint32_t>(mode); }
inline constexpr RoundSet kExact = roundBit(RoundMode::None), kOdd = roundBit(RoundMode::Odd);
/// The five that every conversion with a loss has.
inline constexpr RoundSet kRounds = roundBit(RoundMode::Rint) | roundBit(RoundMode::Round) |
                                    roundBit(RoundMode::Floor) | roundBit(RoundMode::Ceil) |
                                    roundBit(RoundMode::Trunc);

} // namespace mlir::pto

#endif // PTO_TARGET_CHIPS_H
