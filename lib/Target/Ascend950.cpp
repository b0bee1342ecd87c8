//===- Ascend950.cpp - The Ascend 950 (A5), arch 3510 ---------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Target/Chips.h"

using namespace mlir;
using namespace mlir::pto;

using S = MemorySpace;
using P = Pipe;

static constexpr StringRef aliases[] = {"a5"};

static constexpr SpaceInfo spaces[] = {
    {S::DDR, std::numeric_limits<int64_t>::max(), 1, TileLayout::ND},
    {S::Vec, 248 * 1024, 32, TileLayout::ND}, // of 256 KiB; compiler and kit keep the top 8
    {S::Mat, 512 * 1024, 32, TileLayout::NZ},
    {S::Left, 64 * 1024, 512, TileLayout::NZ},
    {S::Right, 64 * 1024, 512, TileLayout::ZN},
    {S::Acc, 256 * 1024, 1024, TileLayout::NZ}, // a product's result begins on a whole fractal
    {S::Bias, 4096, 64, TileLayout::ND},
};

static constexpr PathInfo paths[] = {
    {S::DDR, S::Vec},  {S::DDR, S::Mat}, {S::Mat, S::Left}, {S::Mat, S::Right},
    {S::Mat, S::Bias}, {S::Vec, S::DDR}, {S::Acc, S::DDR},  {S::Acc, S::Mat},
    {S::Vec, S::Vec},  {S::Acc, S::Vec}, {S::Vec, S::Mat},  {S::Mat, S::Vec},
};

static constexpr FlagInfo emptyFlagsAIC[] = {
    {P::MTE2, P::V}, {P::V, P::MTE2}, {P::MTE3, P::V},    {P::V, P::MTE3},    {P::S, P::V},
    {P::V, P::S},    {P::MTE3, P::S}, {P::MTE2, P::MTE3}, {P::MTE3, P::MTE2}, {P::S, P::MTE3},
};
static constexpr FlagInfo emptyFlagsAIV[] = {
    {P::MTE2, P::MTE1}, {P::MTE1, P::MTE2}, {P::MTE1, P::M},
    {P::M, P::MTE1},    {P::M, P::FIX},     {P::FIX, P::M},
};

static constexpr DtypeSet kFloats = F16 | F32;
static constexpr VectorOpInfo vectorOps[] = {
    {"add", kAnyType, kAnyType & ~(U16 | U32)},
    {"sub", kAnyType, I16 | F16 | BF16 | I32 | F32 | kBits64},
    {"mul", kAnyType & ~kBits8, I16 | F16 | BF16 | I32 | F32 | kBits64},
    {"minimum", kAnyType, kAnyType & ~(U16 | U32)},
    {"maximum", kAnyType, kAnyType & ~(U16 | U32)},
    {"div", kAnyType & ~(kBits8 | BF16), kFloats | kBits64},
    {"exp", kFloats, 0},
    {"log", kFloats, 0},
    {"sqrt", kFloats, 0},
    {"rsqrt", kFloats, 0},
    {"recip", kFloats | kBits64, 0},
    {"abs", kFloats | I8 | I16 | I32 | I64, 0},
    {"neg", kFloats | I8 | I16 | I32 | I64, 0},
    {"relu", kFloats | I32 | I64, 0},
    {"lrelu", 0, kFloats},
    {"cmp", kAnyType & ~kBits8, kAnyType & ~kBits8},
    {"sel", kAnyType, 0},
    {"not", kIntegers, 0},
    {"and", kIntegers, 0},
    {"or", kIntegers, 0},
    {"shl", 0, kIntegers},
    {"shr", 0, kIntegers},
    {"row_max", kFloats | I16 | U16 | I32 | U32, 0},
    {"row_min", kFloats | I16 | U16 | I32 | U32, 0},
    {"row_sum", kFloats | I32 | U32, 0},
    // Through repeats, which 16 and 32 bits have.
    {"row_expand_max", kBits16 | kBits32, 0},
    {"row_expand_min", kBits16 | kBits32, 0},
    {"row_expand_add", kBits16 | kBits32, 0},
    {"row_expand_sub", kBits16 | kBits32, 0},
    {"row_expand_mul", kBits16 | kBits32, 0},
    {"row_expand_div", (kBits16 | kBits32) & ~BF16, 0},
    {"col_expand_add", kBits16 | kBits32, 0},
    {"col_expand_sub", kBits16 | kBits32, 0},
    {"col_expand_mul", kBits16 | kBits32, 0},
    {"col_expand_div", (kBits16 | kBits32) & ~BF16, 0},
    {"col_expand_max", kBits16 | kBits32, 0},
    {"col_expand_min", kBits16 | kBits32, 0},
    // One row after the other; BF16 as FP32.
    {"col_sum", (kBits16 | kBits32) & ~BF16, 0},
    {"col_max", (kBits16 | kBits32) & ~BF16, 0},
    {"col_min", (kBits16 | kBits32) & ~BF16, 0},
    {"col_prod", (kBits16 | kBits32) & ~BF16, 0},
    // They move bits.
    {"full", kAnyType, kAnyType},
    {"move", kAnyType, 0},
    {"bitcast", kAnyType, 0},
    {"reshape", kAnyType, 0},
    {"random", kBits32, kBits32},
    {"brcb", kAnyType, 0},
};
static constexpr ViewInfo views[] = {{"bitcast", kAnyType, U16}};

// INT32 to FP16 is not here: it multiplies by a register that the kit does not set.
static constexpr CastInfo casts[] = {
    {F16 | BF16, F32, kExact},
    {F16, BF16, kRounds},
    {BF16, F16, kRounds},
    {F16, I8 | U8 | I16 | I32, kRounds},
    {BF16, I32, kRounds},
    {F32, F16, kRounds | kOdd},
    {F32, F32 | BF16 | I16 | I32 | I64, kRounds},
    {I8 | U8, F16, kExact},
    {I8, I16 | I32, kExact},
    {U8, U16 | U32, kExact},
    {I16, F16, kRounds},
    {I16, F32 | U8 | I32 | U32, kExact},
    {U16, U8 | U32, kExact},
    {I32, F32, kRounds},
    {I32, I16 | I64 | U8 | U16, kExact},
    {U32, U8 | I16 | U16, kExact},
    {I64, I32, kExact},
    {I64, F32, kRounds},
};

const TargetInfo pto::ascend950 = {
    /*name=*/"950",
    /*aliases=*/aliases,
    /*npuArch=*/3510,
    /*cubeCores=*/32,   // assumed: published nowhere that we know
    /*vectorCores=*/64, // two for each cube core
    /*eventIds=*/6,     // as on 910B: 6 and 7 belong to the kit in static-tensor style
    /*mutexIds=*/28,    // 28 to 31 belong to the kit
    /*crossCore=*/
    {/*ids=*/16, /*firstReserved=*/11, /*lastReserved=*/14, /*unicastIds=*/11,
     /*waitHoldsOnePipe=*/true},
    /*maxBuffers=*/64,
    /*maxRepeats=*/255,
    /*maxRepeatStride=*/255,
    /*maxBlockCount=*/4095,
    /*maxArrayGap=*/(int64_t(1) << 40) - 1,
    /*maxFractalPitch=*/std::numeric_limits<int64_t>::max(),
    /*maxFractalRows=*/255,
    /*maxMatmulDim=*/4095,
    /*emptyIsNothing=*/false,
    /*mixedReserve=*/0,
    /*scalingBytes=*/4096,
    spaces,
    paths,
    emptyFlagsAIC,
    emptyFlagsAIV,
    vectorOps,
    views,
    casts,
    // [hc]: what was announced at Huawei Connect 2025 for the Ascend 950PR. All that is
    // marked assumed is the 910B's number, in want of a published one.
    /*cost=*/
    {
        /*clockMHz=*/1800,   // assumed
        /*ddrRead=*/32,      // assumed
        /*ddrWrite=*/32,     // assumed
        /*ddrChip=*/888,     // [hc] 1.6 TB/s, at 1.8 GHz
        /*matToLeft=*/512,   // assumed
        /*matToRight=*/256,  // assumed
        /*accOut=*/256,      // assumed
        /*ddrLine=*/128,     // [hc] memory is accessed by 128 bytes, where it was by 512
        /*repeatBytes=*/256, // assumed
        /*repeatSimple=*/1,  // assumed
        /*repeatRoot=*/4,    // assumed
        /*repeatReduce=*/2,  // assumed
        /*cubeM=*/16,        // assumed
        /*cubeN=*/16,        // assumed
        /*cubeK=*/16,        // assumed
        /*ddrStart=*/100,    // assumed
        /*moveStart=*/16,    // assumed
        /*vectorStart=*/8,   // assumed
        /*cubeStart=*/16,    // assumed
        /*issue=*/2,         // assumed
        /*flag=*/16,         // assumed
        /*barrier=*/16,      // assumed
        /*crossCore=*/400,   // assumed
        /*launch=*/1800,     // assumed
        /*launchCore=*/18,   // assumed
    },
};
