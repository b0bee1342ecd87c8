// Host AscendC: flags, barriers, cross-core flags, registers, ids and debugging calls.
#pragma once
#include "tensor.h"
#include <cstdio>

namespace AscendC {
template <HardEvent event> void SetFlag(int32_t id) { ascendc_host::setFlag(event, id); }
template <HardEvent event> void WaitFlag(int32_t id) { ascendc_host::waitFlag(event, id); }

template <pipe_t pipe> void PipeBarrier() {
  static_assert(pipe == PIPE_V || pipe == PIPE_M || pipe == PIPE_MTE1 || pipe == PIPE_MTE2 ||
                    pipe == PIPE_MTE3 || pipe == PIPE_FIX || pipe == PIPE_ALL,
                "PipeBarrier takes V, M, MTE1, MTE2, MTE3, FIX or ALL");
  ascendc_host::pipeBarrier(pipe);
}

#define ASCENDC_HOST_MODE(CALL)                                                                    \
  static_assert(modeId <= 2 || (ascendc_host::kIs950 && modeId == 4),                              \
                CALL " on " ASCENDC_HOST_BY_CHIP(("910B has modes 0, 1 and 2"),                    \
                                                 ("950 has modes 0, 1, 2 and 4")))
template <uint8_t modeId, pipe_t pipe> void CrossCoreSetFlag(uint16_t id) {
  ASCENDC_HOST_MODE("CrossCoreSetFlag");
  static_assert(pipe == PIPE_V || pipe == PIPE_M || pipe == PIPE_MTE1 || pipe == PIPE_MTE2 ||
                    pipe == PIPE_MTE3 || pipe == PIPE_FIX ||
                    (ascendc_host::kIs950 && modeId == 4 && pipe == PIPE_S),
                "CrossCoreSetFlag takes the pipes V, M, MTE1, MTE2, MTE3, FIX");
  ascendc_host::crossSet(modeId, pipe, id);
}
// The 910B ignores the wait's template arguments and stalls every pipe of the core. On the 950 it
// holds its pipe; S, the default, gives all others what they do, so that it holds all of them.
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S> void CrossCoreWaitFlag(uint16_t id) {
  ASCENDC_HOST_MODE("CrossCoreWaitFlag");
  static_assert(pipe == PIPE_S || pipe == PIPE_V || pipe == PIPE_M || pipe == PIPE_MTE1 ||
                    pipe == PIPE_MTE2 || pipe == PIPE_MTE3 || pipe == PIPE_FIX,
                "CrossCoreWaitFlag takes the pipes S, V, M, MTE1, MTE2, MTE3, FIX");
  ascendc_host::crossWait(modeId, ascendc_host::kIs950 && pipe != PIPE_S ? pipe : PIPE_ALL, id);
}

#if __NPU_ARCH__ == 3510
// A token that the pipes of a core hand on in program order.
class Mutex {
public:
  template <pipe_t pipe> static void Lock(uint8_t id) {
    static_assert(pipe != PIPE_ALL && pipe <= PIPE_FIX, "Mutex::Lock takes one pipe");
    ascendc_host::mutexLock(pipe, id);
  }
  template <pipe_t pipe> static void Unlock(uint8_t id) {
    static_assert(pipe != PIPE_ALL && pipe <= PIPE_FIX, "Mutex::Unlock takes one pipe");
    ascendc_host::mutexUnlock(pipe, id);
  }
};
#else
class Mutex {
public:
  template <pipe_t pipe, typename T> static void Lock(T) {
    static_assert(sizeof(T) == 0, "Mutex exists on 950 only");
  }
  template <pipe_t pipe, typename T> static void Unlock(T) {
    static_assert(sizeof(T) == 0, "Mutex exists on 950 only");
  }
};
#endif

#if __NPU_ARCH__ == 3510
// Of the hardware; the soft form is left out.
template <bool isAIVOnly = true> void SyncAll() { ascendc_host::syncAll(isAIVOnly); }
#endif

inline void InitSocState() { ascendc_host::initSocState(); }
inline int64_t GetBlockIdx() { return ascendc_host::blockIdx(); }
inline int64_t GetBlockNum() { return ascendc_host::blockNum(); }
inline int64_t GetSubBlockIdx() { return ascendc_host::subBlockIdx(); }
inline int64_t GetSubBlockNum() { return ascendc_host::subBlockNum(); }
#if __NPU_ARCH__ == 2201
inline int64_t GetTaskRatio() { return ascendc_host::taskRatio(); }
#endif

template <typename T> void SetAtomicAdd() {
  ASCENDC_HOST_ONLY("SetAtomicAdd", T, int8_t, int16_t, half, bfloat16_t, int32_t, float);
  ascendc_host::setAtomic("SetAtomicAdd", ascendc_host::Atomic::Add, ascendc_host::typeName<T>());
}
template <typename T> void SetAtomicMax() {
  ASCENDC_HOST_ONLY("SetAtomicMax", T, int8_t, int16_t, half, bfloat16_t, int32_t, float);
  ascendc_host::setAtomic("SetAtomicMax", ascendc_host::Atomic::Max, ascendc_host::typeName<T>());
}
template <typename T> void SetAtomicMin() {
  ASCENDC_HOST_ONLY("SetAtomicMin", T, int8_t, int16_t, half, bfloat16_t, int32_t, float);
  ascendc_host::setAtomic("SetAtomicMin", ascendc_host::Atomic::Min, ascendc_host::typeName<T>());
}
inline void SetAtomicNone() {
  ascendc_host::setAtomic("SetAtomicNone", ascendc_host::Atomic::None, "");
}
inline void DisableDmaAtomic() {
  ascendc_host::setAtomic("DisableDmaAtomic", ascendc_host::Atomic::None, "");
}

// The vector mask. high comes first here, while mask[] arrays are {low, high}.
template <typename T, MaskMode mode = MaskMode::NORMAL>
void SetVectorMask(uint64_t high, uint64_t low) {
  using namespace ascendc_host;
  scalarCall("SetVectorMask", [&](Instr &i) {
    if (mode == MaskMode::NORMAL && sizeof(T) == 4 && high)
      i.fail("the high mask is 0x%llx, a 32-bit type has 64 lanes", (unsigned long long)high);
    Registers &r = registers();
    r.maskLo = low;
    r.maskHi = high;
    r.maskKnown = true;
  });
}
template <typename T, MaskMode mode = MaskMode::NORMAL> void SetVectorMask(int32_t len) {
  using namespace ascendc_host;
  scalarCall("SetVectorMask", [&](Instr &i) {
    Registers &r = registers();
    if (mode == MaskMode::COUNTER) {
      i.range("len", len, 0, INT32_MAX);
      r.maskLo = uint64_t(len);
      r.maskHi = 0;
    } else {
      i.range("len", len, 0, int64_t(256 / sizeof(T)));
      r.maskLo = len >= 64 ? ~0ull : (1ull << len) - 1;
      r.maskHi = len >= 128 ? ~0ull : len > 64 ? (1ull << (len - 64)) - 1 : 0;
    }
    r.maskKnown = true;
  });
}
inline void SetMaskCount() {
  ascendc_host::scalarCall("SetMaskCount",
                           [](ascendc_host::Instr &) { ascendc_host::registers().counter = true; });
}
inline void SetMaskNorm() {
  ascendc_host::scalarCall(
      "SetMaskNorm", [](ascendc_host::Instr &) { ascendc_host::registers().counter = false; });
}
inline void ResetMask() {
  ascendc_host::scalarCall("ResetMask", [](ascendc_host::Instr &) {
    ascendc_host::Registers &r = ascendc_host::registers();
    r.maskLo = r.maskHi = ~0ull;
    r.maskKnown = true;
  });
}

#if __NPU_ARCH__ == 2201
// Which way Fixpipe will read what products write under the unit flag.
inline void SetMMRowMajor() {
  ascendc_host::scalarCall("SetMMRowMajor",
                           [](ascendc_host::Instr &) { ascendc_host::registers().readByRows = 1; });
}
inline void SetMMColumnMajor() {
  ascendc_host::scalarCall("SetMMColumnMajor",
                           [](ascendc_host::Instr &) { ascendc_host::registers().readByRows = 0; });
}
#endif
inline void SetHF32Mode(bool on) {
  ascendc_host::scalarCall("SetHF32Mode",
                           [&](ascendc_host::Instr &) { ascendc_host::registers().hf32 = on; });
}
inline void SetDeqScale(half scale) {
  ascendc_host::scalarCall("SetDeqScale", [&](ascendc_host::Instr &) {
    ascendc_host::registers().deqScale = scale;
    ascendc_host::registers().deqSet = true;
  });
}
template <typename T> void SetPadValue(T value) {
  ascendc_host::scalarCall("SetPadValue", [&](ascendc_host::Instr &) {
    ascendc_host::registers().padValue = 0;
    std::memcpy(&ascendc_host::registers().padValue, &value, sizeof(T));
    ascendc_host::registers().padSet = true;
  });
}

// Cleans and drops the cache line of gt (or all of the core's cache); needed after SetValue on GM
// and before GetValue of what a DMA wrote.
template <typename T, CacheLine entire, DcciDst dst>
void DataCacheCleanAndInvalid(const GlobalTensor<T> &gt) {
  using namespace ascendc_host;
  static_assert(dst == DcciDst::CACHELINE_OUT || dst == DcciDst::CACHELINE_ALL,
                "DataCacheCleanAndInvalid of GM needs CACHELINE_OUT or CACHELINE_ALL");
  issueOn("DataCacheCleanAndInvalid", PIPE_S, typeName<T>(), true, true, [&](Instr &i) {
    cacheClean(i, i.global(gt, 0, 1, "tensor"), entire == CacheLine::ENTIRE_DATA_CACHE);
  });
}

// Scalar conversions: Cast<float, half | int32_t, RoundMode::X>(v), and float <-> bfloat16_t.
template <typename T, typename U, RoundMode mode> U Cast(const T &v) {
  ASCENDC_HOST_ONLY("scalar Cast: the source", T, float);
  ASCENDC_HOST_ONLY("scalar Cast: the result", U, half, int32_t);
  return ascendc_host::fromDouble<U>(double(v), mode);
}
inline float Cast(const bfloat16_t &v) { return ToFloat(v); }
inline bfloat16_t Cast(const float &v) { return ToBfloat16(v); }

inline void Trap() { ascendc_host::trap(); }
} // namespace AscendC

namespace ascendc_host {
// What may go through snprintf's "...": 16-bit floats as double, t(i) as its value.
inline double printable(half v) { return float(v); }
inline double printable(bfloat16_t v) { return AscendC::ToFloat(v); }
template <typename T, typename = std::enable_if_t<std::is_scalar_v<T>>> T printable(T v) {
  return v;
}
template <typename E, typename T = typename E::ElementOf> auto printable(const E &e) {
  return printable(T(e));
}
} // namespace ascendc_host

namespace AscendC {
template <typename... Args> void printf(const char *format, Args... args) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"
  auto print = [&](auto... values) { // values: each t(i) is read once
    const int n = std::snprintf(nullptr, 0, format, values...);
    std::string text(size_t(n < 0 ? 0 : n), '\0');
    std::snprintf(&text[0], text.size() + 1, format, values...);
    return text;
  };
  const std::string text = print(ascendc_host::printable(args)...);
#pragma GCC diagnostic pop
  ascendc_host::printText(text.c_str());
}
} // namespace AscendC
#define PRINTF(...) ::AscendC::printf(__VA_ARGS__)

namespace AscendC {
// The scalar unit reads the elements: what wrote them must be done, as for GetValue. L1 and the
// cube's buffers are left out.
template <typename Tensor> void DumpTensor(const Tensor &tensor, uint32_t desc, uint32_t count) {
  using T = typename Tensor::PrimType;
  std::string text = "DumpTensor: desc=" + std::to_string(desc) + ", " +
                     ascendc_host::typeName<T>() + "[" + std::to_string(count) + "]";
  for (uint32_t k = 0; k < count; ++k) {
    char value[64];
    std::snprintf(value, sizeof value, " %.9g",
                  double(ascendc_host::printable(T(tensor.GetValue(k)))));
    text += value;
  }
  ascendc_host::printText((text + "\n").c_str());
}
} // namespace AscendC

#define ASCEND_IS_AIC (::ascendc_host::isAIC())
#define ASCEND_IS_AIV (!::ascendc_host::isAIC())
#define ASCEND_NOT_AIC (!::ascendc_host::isAIC())
#define ASCEND_NOT_AIV (::ascendc_host::isAIC())
#define KERNEL_TASK_TYPE_DEFAULT(type) ::ascendc_host::declareKernelType(::AscendC::type)
