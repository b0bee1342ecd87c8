// Host AscendC: qualifiers, enums, constants and parameter structs.
#pragma once
#include "chip.h"
#include "numbers.h"
#include <cstddef>

#ifndef ASCENDC_CPU_DEBUG
#error "compile host kernels with -DASCENDC_CPU_DEBUG"
#endif
#define __aicore__
#define __global__
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __ssbuf__
#define __vector__
#define __cube__
#define __mix__(...)
#define __schedmode__(...)
#define __inline__ inline
#define GM_ADDR __gm__ uint8_t *

// The enumerators skip nothing: their values are the device's.
enum pipe_t {
  PIPE_S = 0,
  PIPE_V,
  PIPE_M,
  PIPE_MTE1,
  PIPE_MTE2,
  PIPE_MTE3,
  PIPE_ALL,
  PIPE_MTE4,
  PIPE_MTE5,
  PIPE_V2,
  PIPE_FIX
};
enum event_t {
  EVENT_ID0 = 0,
  EVENT_ID1,
  EVENT_ID2,
  EVENT_ID3,
  EVENT_ID4,
  EVENT_ID5,
  EVENT_ID6,
  EVENT_ID7
};
enum QuantMode_t {
  NoQuant = 0,
  F322F16 = 1,
  VREQ8 = 8,
  REQ8 = 9,
  VDEQF16 = 10,
  DEQF16 = 11,
  F322BF16 = 16,
  VQF322B8_PRE = 23,
  QF322B8_PRE = 24
}; // those that only the 950 has are left out

namespace AscendC {
using TEventID = int32_t;

enum class TPosition : uint8_t {
  GM,
  A1,
  A2,
  B1,
  B2,
  C1,
  C2,
  CO1,
  CO2,
  VECIN,
  VECOUT,
  VECCALC,
  LCM = VECCALC,
  SPM,
  SHM = SPM,
  TSCM,
  C2PIPE2GM,
  C2PIPE2LOCAL,
  MAX
};

#define ASCENDC_HOST_EVENTS(X)                                                                     \
  X(MTE2, MTE1)                                                                                    \
  X(MTE1, MTE2)                                                                                    \
  X(MTE1, M)                                                                                       \
  X(M, MTE1)                                                                                       \
  X(MTE2, V)                                                                                       \
  X(V, MTE2)                                                                                       \
  X(MTE3, V)                                                                                       \
  X(V, MTE3)                                                                                       \
  X(M, V)                                                                                          \
  X(V, M)                                                                                          \
  X(V, V)                                                                                          \
  X(MTE3, MTE1)                                                                                    \
  X(MTE1, MTE3)                                                                                    \
  X(MTE1, V)                                                                                       \
  X(MTE2, M)                                                                                       \
  X(M, MTE2)                                                                                       \
  X(V, MTE1)                                                                                       \
  X(M, FIX)                                                                                        \
  X(FIX, M)                                                                                        \
  X(MTE3, MTE2)                                                                                    \
  X(MTE2, MTE3)                                                                                    \
  X(S, V)                                                                                          \
  X(V, S)                                                                                          \
  X(S, MTE2)                                                                                       \
  X(MTE2, S)                                                                                       \
  X(S, MTE3)                                                                                       \
  X(MTE3, S)                                                                                       \
  X(MTE2, FIX) X(FIX, MTE2) X(FIX, S) X(M, S) X(FIX, MTE3) X(MTE1, FIX) X(FIX, MTE1) X(FIX, FIX)
#define X(a, b) a##_##b,
enum class HardEvent : uint8_t { ASCENDC_HOST_EVENTS(X) MAX };
#undef X

enum class CMPMODE : uint8_t { LT = 0, GT, EQ, LE, GE, NE };
enum class SELMODE : uint8_t {
  VSEL_CMPMASK_SPR = 0,
  VSEL_TENSOR_SCALAR_MODE,
  VSEL_TENSOR_TENSOR_MODE
};
enum class ReduceType : int8_t { NONE = -1, SUM = 0, MAX, MIN };
enum class ReduceOrder : uint8_t {
  ORDER_VALUE_INDEX = 0,
  ORDER_INDEX_VALUE,
  ORDER_ONLY_VALUE,
  ORDER_ONLY_INDEX
};
enum class CO2Layout : uint8_t { NZ = 0, ROW_MAJOR, COLUMN_MAJOR };
enum class MaskMode : uint8_t { NORMAL = 0, COUNTER };
enum class CacheLine : uint64_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t { CACHELINE_ALL = 0, CACHELINE_UB, CACHELINE_OUT };
enum class MemDsbT : uint64_t { ALL = 0, DDR, UB, SEQ };
enum class CacheMode : uint8_t { CACHE_MODE_DISABLE = 0, CACHE_MODE_NORMAL = 1 };
enum KernelMetaType : uint8_t {
  KERNEL_TYPE_AIV_ONLY,
  KERNEL_TYPE_AIC_ONLY,
  KERNEL_TYPE_MIX_AIV_1_0,
  KERNEL_TYPE_MIX_AIC_1_0,
  KERNEL_TYPE_MIX_AIC_1_1,
  KERNEL_TYPE_MIX_AIC_1_2
};

constexpr uint16_t ONE_BLK_SIZE = 32;
constexpr uint16_t ONE_REPEAT_BYTE_SIZE = 256;
constexpr int32_t MAX_REPEAT_TIMES = 255;
constexpr uint8_t DEFAULT_BLK_STRIDE = 1;
constexpr uint8_t DEFAULT_REPEAT_STRIDE = 8;
constexpr uint64_t MASK_PLACEHOLDER = 0;
constexpr uint64_t FULL_MASK = ~uint64_t(0);
constexpr int32_t BLOCK_CUBE = 16;
constexpr int32_t BYTE_PER_FRACTAL = 512;
constexpr int32_t NCHW_CONV_ADDR_LIST_SIZE = 16;
constexpr uint32_t TOTAL_VEC_LOCAL_SIZE = (ascendc_host::kIs950 ? 248 : 184) * 1024;
constexpr uint32_t TMP_UB_OFFSET = TOTAL_VEC_LOCAL_SIZE;
constexpr uint32_t TOTAL_UB_SIZE = (ascendc_host::kIs950 ? 248 : 192) * 1024;
constexpr uint32_t ASC_UB_SIZE = ascendc_host::kIs950 ? 248 * 1024 : 192 * 1024 - 256;
constexpr uint32_t RESERVED_WORKSPACE = 16 * 1024 * 1024;

// Parameter structs. On the device the fields are 8, 16 or 32 bits wide and a larger value is cut
// silently; here every integer is an int64_t so that the call can refuse what would not fit.
using wide = int64_t;

struct BinaryRepeatParams {
  wide dstBlkStride = 1, src0BlkStride = 1, src1BlkStride = 1;
  wide dstRepStride = 8, src0RepStride = 8, src1RepStride = 8;
  BinaryRepeatParams() = default;
  BinaryRepeatParams(wide dstBlk, wide src0Blk, wide src1Blk, wide dstRep, wide src0Rep,
                     wide src1Rep)
      : dstBlkStride(dstBlk), src0BlkStride(src0Blk), src1BlkStride(src1Blk), dstRepStride(dstRep),
        src0RepStride(src0Rep), src1RepStride(src1Rep) {}
};

struct UnaryRepeatParams {
  wide dstBlkStride = 1, srcBlkStride = 1, dstRepStride = 8, srcRepStride = 8;
  UnaryRepeatParams() = default;
  UnaryRepeatParams(wide dstBlk, wide srcBlk, wide dstRep, wide srcRep)
      : dstBlkStride(dstBlk), srcBlkStride(srcBlk), dstRepStride(dstRep), srcRepStride(srcRep) {}
};

// The default block strides are 0 on the device too: give all four.
struct CopyRepeatParams {
  wide dstStride = 0, srcStride = 0, dstRepeatSize = 8, srcRepeatSize = 8;
  CopyRepeatParams() = default;
  CopyRepeatParams(wide dst, wide src, wide dstRep, wide srcRep)
      : dstStride(dst), srcStride(src), dstRepeatSize(dstRep), srcRepeatSize(srcRep) {}
};

struct BrcbRepeatParams {
  wide dstBlkStride = 1, dstRepStride = 8;
  BrcbRepeatParams() = default;
  BrcbRepeatParams(wide dstBlk, wide dstRep) : dstBlkStride(dstBlk), dstRepStride(dstRep) {}
};

struct GatherRepeatParams {
  wide dstBlkStride = 1, dstRepStride = 8;
  GatherRepeatParams() = default;
  GatherRepeatParams(wide dstBlk, wide dstRep) : dstBlkStride(dstBlk), dstRepStride(dstRep) {}
};

struct GatherMaskParams {
  wide src0BlockStride = 1, repeatTimes = 0, src0RepeatStride = 8, src1RepeatStride = 8;
  GatherMaskParams() = default;
  GatherMaskParams(wide srcBlk, wide repeat, wide srcRep, wide maskRep)
      : src0BlockStride(srcBlk), repeatTimes(repeat), src0RepeatStride(srcRep),
        src1RepeatStride(maskRep) {}
};

struct DataCopyParams {
  wide blockCount = 1, blockLen = 0;
  union {
    wide srcGap = 0;
    wide srcStride;
  };
  union {
    wide dstGap = 0;
    wide dstStride;
  };
  DataCopyParams() = default;
  DataCopyParams(wide count, wide len, wide srcGapIn, wide dstGapIn)
      : blockCount(count), blockLen(len), srcGap(srcGapIn), dstGap(dstGapIn) {}
};

struct DataCopyExtParams {
  wide blockCount = 1, blockLen = 0, srcStride = 0, dstStride = 0, rsv = 0;
  DataCopyExtParams() = default;
  DataCopyExtParams(wide count, wide len, wide src, wide dst, wide rsvIn)
      : blockCount(count), blockLen(len), srcStride(src), dstStride(dst), rsv(rsvIn) {}
};

template <typename T> struct DataCopyPadExtParams {
  bool isPad = false;
  wide leftPadding = 0, rightPadding = 0;
  T paddingValue{};
  DataCopyPadExtParams() = default;
  DataCopyPadExtParams(bool pad, wide left, wide right, T value)
      : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
};

struct Nd2NzParams {
  wide ndNum = 0, nValue = 0, dValue = 0, srcNdMatrixStride = 0, srcDValue = 0;
  wide dstNzC0Stride = 0, dstNzNStride = 0, dstNzMatrixStride = 0;
  Nd2NzParams() = default;
  Nd2NzParams(wide nd, wide n, wide d, wide ndStride, wide srcD, wide c0Stride, wide nStride,
              wide nzStride)
      : ndNum(nd), nValue(n), dValue(d), srcNdMatrixStride(ndStride), srcDValue(srcD),
        dstNzC0Stride(c0Stride), dstNzNStride(nStride), dstNzMatrixStride(nzStride) {}
};

// Member order and constructor order differ, as on the device.
struct LoadData2DParams {
  wide startIndex = 0, dstGap = 0, srcStride = 0;
  bool ifTranspose = false;
  wide repeatTimes = 0, sid = 0, addrMode = 0;
  LoadData2DParams() = default;
  LoadData2DParams(wide start, wide repeat, wide stride, wide sidIn, wide gap, bool transpose,
                   wide mode)
      : startIndex(start), dstGap(gap), srcStride(stride), ifTranspose(transpose),
        repeatTimes(repeat), sid(sidIn), addrMode(mode) {}
};

// Of the 950; on the 910B it compiles and reports an error at run time.
struct LoadData2DParamsV2 {
  wide mStartPosition = 0, kStartPosition = 0, mStep = 0, kStep = 0, srcStride = 0, dstStride = 0;
  bool ifTranspose = false;
  wide sid = 0;
  LoadData2DParamsV2() = default;
  LoadData2DParamsV2(wide mStart, wide kStart, wide m, wide k, wide src, wide dst, bool transpose,
                     wide sidIn)
      : mStartPosition(mStart), kStartPosition(kStart), mStep(m), kStep(k), srcStride(src),
        dstStride(dst), ifTranspose(transpose), sid(sidIn) {}
};

struct LoadData2dTransposeParams {
  wide startIndex = 0, repeatTimes = 0, srcStride = 0, dstGap = 0, dstFracGap = 0, addrMode = 0;
  LoadData2dTransposeParams() = default;
  LoadData2dTransposeParams(wide start, wide repeat, wide stride, wide gap, wide fracGap,
                            wide mode = 0)
      : startIndex(start), repeatTimes(repeat), srcStride(stride), dstGap(gap), dstFracGap(fracGap),
        addrMode(mode) {}
};

struct LoadData2dTransposeParamsV2 {
  wide startIndex = 0, repeatTimes = 0, srcStride = 0, dstGap = 0, dstFracGap = 0, srcFracGap = 0,
       addrMode = 0;
};

template <typename T> struct InitConstValueParams {
  wide repeatTimes = 0, blockNum = 0, dstGap = 0;
  T initValue{};
  InitConstValueParams() = default;
  InitConstValueParams(wide repeat, wide block, wide gap, T value)
      : repeatTimes(repeat), blockNum(block), dstGap(gap), initValue(value) {}
};

struct MmadParams {
  wide m = 0, n = 0, k = 0;
  bool isBias = false;
  wide fmOffset = 0;
  bool enSsparse = false, enWinogradA = false, enWinogradB = false;
  wide unitFlag = 0;
  bool kDirectionAlign = false, cmatrixSource = false, cmatrixInitVal = true;
#if __NPU_ARCH__ == 3510
  bool disableGemv = false;
#endif
  MmadParams() = default;
  MmadParams(wide mIn, wide nIn, wide kIn, bool bias, wide offset, bool sparse, bool winoA,
             bool winoB)
      : m(mIn), n(nIn), k(kIn), isBias(bias), fmOffset(offset), enSsparse(sparse),
        enWinogradA(winoA), enWinogradB(winoB) {}
  MmadParams(wide mIn, wide nIn, wide kIn, wide unit, bool source, bool initVal)
      : m(mIn), n(nIn), k(kIn), unitFlag(unit), cmatrixSource(source), cmatrixInitVal(initVal) {}
};

struct FixpipeConfig {
  CO2Layout format;
  bool isToUB = false;
};
inline constexpr FixpipeConfig CFG_NZ{CO2Layout::NZ};
inline constexpr FixpipeConfig CFG_ROW_MAJOR{CO2Layout::ROW_MAJOR};
#if __NPU_ARCH__ == 3510
inline constexpr FixpipeConfig CFG_COLUMN_MAJOR{CO2Layout::COLUMN_MAJOR};
#endif

// No initialiser on the device: what is not assigned is known by this value.
inline constexpr uint64_t kNotAssigned = 0xdeadbeefdeadbeefull;

struct FixpipeParamsV220 {
  wide nSize = 0, mSize = 0, srcStride = 0, dstStride = 0;
  QuantMode_t quantPre = QuantMode_t::NoQuant;
  uint64_t deqScalar = kNotAssigned;
  wide ndNum = 1, srcNdStride = 0, dstNdStride = 0;
  bool reluEn = false;
  wide unitFlag = 0;
  bool isChannelSplit = false;
  FixpipeParamsV220() = default;
  FixpipeParamsV220(wide nIn, wide mIn, wide src, wide dst, bool relu)
      : nSize(nIn), mSize(mIn), srcStride(src), dstStride(dst), reluEn(relu) {}
  FixpipeParamsV220(wide nIn, wide mIn, wide src, wide dst, bool relu, QuantMode_t quant,
                    uint64_t deq, wide nd, wide srcNd, wide dstNd, wide unit, bool split = false)
      : nSize(nIn), mSize(mIn), srcStride(src), dstStride(dst), quantPre(quant), deqScalar(deq),
        ndNum(nd), srcNdStride(srcNd), dstNdStride(dstNd), reluEn(relu), unitFlag(unit),
        isChannelSplit(split) {}
};

#if __NPU_ARCH__ == 3510
enum class ReluMode : uint8_t { NO_RELU = 0, NORMAL_RELU };
enum class ClipReluMode : uint8_t { NOCLIP_RELU = 0 };
template <CO2Layout layout> struct FixpipeLayoutParams {
  wide unused = 0;
};
template <> struct FixpipeLayoutParams<CO2Layout::ROW_MAJOR> {
  wide ndNum = 1, srcNdStride = 0, dstNdStride = 0;
};
template <> struct FixpipeLayoutParams<CO2Layout::COLUMN_MAJOR> {
  wide dnNum = 1, srcNzMatrixStride = 0, dstDnMatrixStride = 0, srcNzC0Stride = 0;
};
// dstStride is in elements, whatever the layout.
template <CO2Layout layout = CO2Layout::ROW_MAJOR> struct FixpipeParamsArch3510 {
  ReluMode preReluMode = ReluMode::NO_RELU;
  ClipReluMode preClipReluMode = ClipReluMode::NOCLIP_RELU;
  uint64_t reluScalar = kNotAssigned, vectorRelu = kNotAssigned;
  wide nSize = 0, mSize = 0, srcStride = 0, dstStride = 0;
  QuantMode_t quantPre = QuantMode_t::NoQuant;
  uint64_t deqScalar = kNotAssigned;
  bool reluEn = false;
  wide unitFlag = 0, dualDstCtl = 0;
  bool subBlockId = false;
  FixpipeLayoutParams<layout> params;
  bool isChannelSplit = false;
  FixpipeParamsArch3510() = default;
  FixpipeParamsArch3510(wide nIn, wide mIn, wide src, wide dst)
      : nSize(nIn), mSize(mIn), srcStride(src), dstStride(dst) {}
};
#endif

struct TransDataTo5HDParams {
  bool dstHighHalf = false, srcHighHalf = false;
  wide repeatTimes = 1, dstRepStride = 0, srcRepStride = 0;
  TransDataTo5HDParams() = default;
  TransDataTo5HDParams(bool dstHigh, bool srcHigh, wide repeat, wide dstRep, wide srcRep)
      : dstHighHalf(dstHigh), srcHighHalf(srcHigh), repeatTimes(repeat), dstRepStride(dstRep),
        srcRepStride(srcRep) {}
};

struct MrgSort4Info {
  wide elementLengths[4] = {0, 0, 0, 0};
  bool ifExhaustedSuspension = false;
  wide validBit = 0, repeatTimes = 1;
  MrgSort4Info() = default;
  MrgSort4Info(const uint16_t len[4], bool suspend, wide valid, wide repeat)
      : elementLengths{len[0], len[1], len[2], len[3]}, ifExhaustedSuspension(suspend),
        validBit(valid), repeatTimes(repeat) {}
};
} // namespace AscendC
