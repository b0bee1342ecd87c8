//===- Ascend910B.cpp - The Ascend 910B (A2, A3), arch 2201 ---------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Target/Chips.h"

using namespace mlir;
using namespace mlir::pto;

using S = MemorySpace;
using P = Pipe;

static constexpr StringRef aliases[] = {"a2", "a3"};

static constexpr SpaceInfo spaces[] = {
    {S::DDR, std::numeric_limits<int64_t>::max(), 1, TileLayout::ND},
    {S::Vec, 184 * 1024, 32, TileLayout::ND}, // of 192 KiB; the kit keeps the top 8
    {S::Mat, 512 * 1024, 32, TileLayout::NZ},
    {S::Left, 64 * 1024, 512, TileLayout::ZZ},
    {S::Right, 64 * 1024, 512, TileLayout::ZN},
    {S::Acc, 128 * 1024, 1024, TileLayout::NZ}, // a product's result begins on a whole fractal
    {S::Bias, 1024, 64, TileLayout::ND},
};

// The chip could load Left and Right from DDR too; the language cannot say so. Vec and
// the cube's spaces meet in DDR only.
static constexpr PathInfo paths[] = {
    {S::DDR, S::Vec}, {S::DDR, S::Mat}, {S::Mat, S::Left}, {S::Mat, S::Right}, {S::Mat, S::Bias},
    {S::Vec, S::DDR}, {S::Acc, S::DDR}, {S::Acc, S::Mat},  {S::Vec, S::Vec},
};

static constexpr FlagInfo emptyFlagsAIC[] = {
    {P::MTE2, P::V}, {P::V, P::MTE2}, {P::MTE3, P::V}, {P::V, P::MTE3}, {P::S, P::V}, {P::V, P::S},
};
static constexpr FlagInfo emptyFlagsAIV[] = {
    {P::MTE2, P::MTE1}, {P::MTE1, P::MTE2}, {P::MTE1, P::M},
    {P::M, P::MTE1},    {P::M, P::FIX},     {P::FIX, P::M},
};

// The kit's headers take more types than the chip has: with others some instructions do
// nothing, some half of the data.
static constexpr DtypeSet kNumbers = I16 | F16 | I32 | F32, kFloats = F16 | F32;
static constexpr DtypeSet kWords = kBits16 | kBits32;
static constexpr VectorOpInfo vectorOps[] = {
    {"add", kNumbers, kNumbers},
    {"sub", kNumbers, 0},
    {"mul", kNumbers, kNumbers},
    {"minimum", kNumbers, kNumbers},
    {"maximum", kNumbers, kNumbers},
    {"div", kFloats, 0},
    {"exp", kFloats, 0},
    {"log", kFloats, 0},
    {"sqrt", kFloats, 0},
    {"rsqrt", kFloats, 0},
    {"recip", kFloats, 0},
    {"abs", kFloats, 0},
    {"relu", F16 | I32 | F32, 0},
    {"lrelu", 0, kFloats},
    {"cmp", kFloats, kFloats},
    {"cmp_eq", I32, 0}, // other comparisons of INT32 compile and are wrong
    {"sel", kFloats, 0},
    {"not", I16 | U16, 0},
    {"and", I16 | U16, 0},
    {"or", I16 | U16, 0},
    {"shl", 0, U16 | U32},
    {"shr", 0, I16 | U16 | I32 | U32},
    {"row_max", kFloats, 0},
    {"row_min", kFloats, 0},
    {"row_sum", kFloats, 0},
    {"row_expand_max", kNumbers, 0},
    {"row_expand_min", kNumbers, 0},
    {"row_expand_add", kNumbers, 0},
    {"row_expand_sub", kNumbers, 0},
    {"row_expand_mul", kNumbers, 0},
    {"row_expand_div", kFloats, 0},
    {"col_expand_add", kNumbers, 0},
    {"col_expand_sub", kNumbers, 0},
    {"col_expand_mul", kNumbers, 0},
    {"col_expand_div", kFloats, 0},
    {"col_expand_max", kNumbers, 0},
    {"col_expand_min", kNumbers, 0},
    // One row after the other.
    {"col_sum", kNumbers, 0},
    {"col_max", kNumbers, 0},
    {"col_min", kNumbers, 0},
    {"col_prod", kNumbers, 0},
    // They move bits.
    {"full", kWords, kWords},
    {"move", kAnyType, 0},
    {"bitcast", kAnyType, 0},
    {"reshape", kAnyType, 0},
    {"brcb", kWords, 0},
};
static constexpr DtypeSet kNot16 = kBits8 | I32 | U32 | kBits64;
static constexpr ViewInfo views[] = {
    {"add", U16, I16},
    {"add", U32, I32},
    {"sub", U16, I16},
    {"sub", U32, I32},
    {"mul", U16, I16},
    {"mul", U32, I32},
    {"not", kNot16, U16},
    {"and", kNot16, U16},
    {"or", kNot16, U16},
    // Of signed types the instruction keeps the sign bit.
    {"shl", I16, U16},
    {"shl", I32, U32},
    {"sel", I16 | U16 | BF16, F16},
    {"sel", I32 | U32, F32},
    {"cmp_eq", U32, I32},
    {"bitcast", kAnyType, U16},
};

// INT32 to FP16 is not here: it multiplies by a register that the kit does not set.
static constexpr CastInfo casts[] = {
    {F16 | BF16, F32, kExact},
    {F16, I8 | U8 | I16 | I32, kRounds},
    {BF16, I32, kRounds},
    {F32, F16, kRounds | kOdd},
    {F32, F32 | BF16 | I16 | I32 | I64, kRounds},
    {I8 | U8, F16, kExact},
    {I16, F16, kRounds},
    {I16, F32, kExact},
    {I32, F32, kRounds},
    {I32, I16 | I64, kExact},
    {I64, I32, kExact},
    {I64, F32, kRounds},
};

const TargetInfo pto::ascend910B = {
    /*name=*/"910B",
    /*aliases=*/aliases,
    /*npuArch=*/2201,
    /*cubeCores=*/24,
    /*vectorCores=*/48,
    /*eventIds=*/6, // 8 in hardware; 6 and 7 belong to the kit in static-tensor style
    /*mutexIds=*/0,
    /*crossCore=*/
    {/*ids=*/16, /*firstReserved=*/11, /*lastReserved=*/14, /*unicastIds=*/0,
     /*waitHoldsOnePipe=*/false},
    /*maxBuffers=*/64,
    /*maxRepeats=*/255,
    /*maxRepeatStride=*/255,
    /*maxBlockCount=*/4095,
    /*maxArrayGap=*/(int64_t(1) << 32) - 1,
    /*maxFractalPitch=*/65535,
    /*maxFractalRows=*/1,
    /*maxMatmulDim=*/4095,
    /*emptyIsNothing=*/true,
    /*mixedReserve=*/256,
    /*scalingBytes=*/2048,
    spaces,
    paths,
    emptyFlagsAIC,
    emptyFlagsAIV,
    vectorOps,
    views,
    casts,
    // Sources, in full in docs/cost-model.md. [ini]: Ascend910B2C.ini of CANN's runtime, 24
    // cube and 48 vector cores. [tik]: CANN 8.0, Tiling Principles. [copy], [align], [cores]:
    // Ascend C best practices. What is marked assumed is published nowhere: a round number.
    /*cost=*/
    {
        /*clockMHz=*/1800,   // [ini] cube_freq
        /*ddrRead=*/32,      // [ini] ddr_read_rate
        /*ddrWrite=*/32,     // [ini] ddr_write_rate
        /*ddrChip=*/888,     // 1.6 TB/s of HBM, the data sheets' number, at 1.8 GHz
        /*matToLeft=*/512,   // [ini] l1_to_l0_a_rate
        /*matToRight=*/256,  // [ini] l1_to_l0_b_rate; assumed for Mat to Bias too
        /*accOut=*/256,      // [ini] l0_c_to_ub_rate, of the path that 910B has instead
        /*ddrLine=*/512,     // [align] as the best alignment; that less wastes a line: assumed
        /*repeatBytes=*/256, // [tik]; [ini] vec_calc_size: 128 lanes of FP16
        /*repeatSimple=*/1,  // [tik] 256 bytes a cycle
        /*repeatRoot=*/4,    // assumed: exp, sqrt, rsqrt, div
        /*repeatReduce=*/2,  // assumed: a tree of one repeat
        /*cubeM=*/16,        // [ini] cube_m_size
        /*cubeN=*/16,        // [ini] cube_n_size
        /*cubeK=*/16,        // [ini] cube_k_size
        /*ddrStart=*/100,    // assumed, so that [copy]'s 16 KiB reach 84 % of the rate
        /*moveStart=*/16,    // assumed
        /*vectorStart=*/8,   // assumed
        /*cubeStart=*/16,    // assumed
        /*issue=*/2,         // assumed
        /*flag=*/16,         // assumed
        /*barrier=*/16,      // assumed
        /*crossCore=*/400,   // assumed: by way of the chip, about a DDR latency
        /*launch=*/1800,     // assumed: 1 us
        /*launchCore=*/18,   // assumed: 10 ns; [cores] that it grows with them
    },
};
