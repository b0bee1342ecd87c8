// Host AscendC: fills, broadcasts and reductions (sections 3.5 and 3.6 of the fact sheet).
#pragma once
#include "vector.h"

namespace ascendc_host {
using AscendC::ReduceOrder;
using AscendC::ReduceType;

// Sum over lanes [first, first+n): a binary tree over adjacent lanes; inactive ones pass through.
template <typename T> struct TreeLane {
  bool on;
  T value;
};
template <typename T, typename F> bool tree(TreeLane<T> *x, int n, F f, T &result) {
  for (; n > 1; n /= 2)
    for (int k = 0; k < n / 2; ++k) {
      const TreeLane<T> a = x[2 * k], b = x[2 * k + 1];
      x[k] = a.on && b.on ? TreeLane<T>{true, f(a.value, b.value)} : a.on ? a : b;
    }
  result = x[0].value;
  return x[0].on;
}

template <typename T> T combineLanes(ReduceType kind, T a, T b) {
  return kind == ReduceType::SUM   ? AddFn()(a, b)
         : kind == ReduceType::MAX ? MaxFn()(a, b)
                                   : MinFn()(a, b);
}

// What the 950 writes where no lane is active.
template <typename T> T emptyValue(ReduceType kind) {
  if constexpr (std::is_integral_v<T>)
    return kind == ReduceType::SUM   ? T(0)
           : kind == ReduceType::MAX ? std::numeric_limits<T>::min()
                                     : std::numeric_limits<T>::max();
  else
    return kind == ReduceType::SUM ? T(0) : T(kind == ReduceType::MAX ? -INFINITY : INFINITY);
}
template <typename T> bool above(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return a > b;
  else
    return float(a) > float(b);
}

inline MaskArg reduceMask(int64_t mask) { return MaskArg::prefix(uint64_t(mask)); }

// group: lanes a result is made of (a repeat, a block, a pair). unit: bytes of one dst step of 1.
// With a ReduceOrder an index within the repeat goes along, raw in the value's slot.
template <typename T>
void reduceCall(const char *name, ReduceType kind, int group, int64_t unit, bool indexed,
                ReduceOrder order, const AscendC::LocalTensor<T> &dst,
                const AscendC::LocalTensor<T> &src, MaskArg mask, int64_t repeat, int64_t dstRep,
                int64_t srcBlk, int64_t srcRep) {
  issue(name, PIPE_V, typeName<T>(), [&](Instr &i) {
    i.range("dstRepStride", dstRep, 0, 65535);
    VecCall v(i, mask, repeat, sizeof(T));
    const VecOperand s = v.operand(src, sizeof(T), srcBlk, srcRep, "src", 65535, 65535);
    const Place out = i.local(dst, Space::UB, unit > 32 ? 32 : unit, "dst");
    while (v.next()) {
      v.source(s);
      const uint64_t base = out.off + uint64_t(v.repeat() * dstRep * unit);
      for (int g = 0; g * group < v.lanes(); ++g) {
        TreeLane<T> x[128];
        int best = -1;
        for (int k = 0; k < group; ++k) {
          const int l = g * group + k;
          x[k] = {v.active(l), v.active(l) ? load<T>(v.at(s, l)) : T()};
          // The first of equal values, or the first NaN, gives the index.
          if (x[k].on &&
              (best < 0 || (!isNan(x[best].value) &&
                            (isNan(x[k].value) ||
                             (kind == ReduceType::MAX ? above(x[k].value, x[best].value)
                                                      : above(x[best].value, x[k].value))))))
            best = k;
        }
        T value;
        const bool any =
            tree<T>(x, group, [&](T p, T q) { return combineLanes(kind, p, q); }, value);
        if (!any && !kIs950)
          continue; // a block or pair without an active lane leaves dst untouched
        if (!any)
          value = emptyValue<T>(kind);
        uint8_t bytes[8];
        uint64_t n = sizeof(T);
        auto index = [&](uint8_t *to, size_t size) {
          const uint32_t raw = uint32_t(best);
          std::memcpy(to, &raw, size);
        };
        if (!indexed || order == ReduceOrder::ORDER_ONLY_VALUE) {
          store<T>(bytes, value);
        } else if (order == ReduceOrder::ORDER_ONLY_INDEX) {
          index(bytes, n = 4);
        } else {
          const bool valueFirst = order == ReduceOrder::ORDER_VALUE_INDEX;
          store<T>(bytes + (valueFirst ? 0 : sizeof(T)), value);
          index(bytes + (valueFirst ? sizeof(T) : 0), sizeof(T));
          n = 2 * sizeof(T);
        }
        const Place to{out.mem, base + uint64_t(g) * sizeof(T)};
        i.inside(dst, int64_t(to.off), int64_t(n), "dst");
        v.apart(to, n, s);
        std::memcpy(i.write(to, n, "dst"), bytes, n);
      }
    }
  });
}

template <typename T>
void repeatReduce(const char *name, ReduceType kind, const AscendC::LocalTensor<T> &dst,
                  const AscendC::LocalTensor<T> &src, MaskArg mask, int64_t repeat, int64_t dstRep,
                  int64_t srcBlk, int64_t srcRep, ReduceOrder order) {
  ASCENDC_HOST_ONLY(
      "ReduceRepeat", T,
      ASCENDC_HOST_BY_CHIP((half, float), (int16_t, uint16_t, half, int32_t, uint32_t, float)));
  if (kind == ReduceType::SUM && std::is_integral_v<T> && sizeof(T) == 2)
    return scalarCall(name, [](Instr &i) {
      i.stop("a sum of 16-bit integers has 32 bits, which is left out of the host header");
    });
  const bool indexed = kind != ReduceType::SUM;
  int64_t unit = sizeof(T);
  if (indexed && order == ReduceOrder::ORDER_ONLY_INDEX)
    unit = 4;
  else if (indexed && order != ReduceOrder::ORDER_ONLY_VALUE)
    unit = 2 * sizeof(T);
  reduceCall(name, kind, int(256 / sizeof(T)), unit, indexed, order, dst, src, mask, repeat, dstRep,
             srcBlk, srcRep);
}
template <typename T>
void blockReduce(const char *name, ReduceType kind, const AscendC::LocalTensor<T> &dst,
                 const AscendC::LocalTensor<T> &src, MaskArg mask, int64_t repeat, int64_t dstRep,
                 int64_t srcBlk, int64_t srcRep) {
  ASCENDC_HOST_ONLY("ReduceDataBlock", T, half, float);
  reduceCall(name, kind, int(32 / sizeof(T)), int64_t(8 * sizeof(T)), false,
             ReduceOrder::ORDER_ONLY_VALUE, dst, src, mask, repeat, dstRep, srcBlk, srcRep);
}
template <typename T>
void pairReduce(const char *name, const AscendC::LocalTensor<T> &dst,
                const AscendC::LocalTensor<T> &src, MaskArg mask, int64_t repeat, int64_t dstRep,
                int64_t srcBlk, int64_t srcRep) {
  ASCENDC_HOST_ONLY("ReducePairElem", T, half, float);
  reduceCall(name, ReduceType::SUM, 2, 128, false, ReduceOrder::ORDER_ONLY_VALUE, dst, src, mask,
             repeat, dstRep, srcBlk, srcRep);
}
} // namespace ascendc_host

namespace AscendC {
// mask is int32 or uint64[]; the order of mask and repeat differs between old and new names.
#define ASCENDC_HOST_MASKS(BODY)                                                                   \
  BODY(int32_t mask, ascendc_host::reduceMask(mask))                                               \
  BODY(const uint64_t *mask, ascendc_host::MaskArg::bits(mask))

#define ASCENDC_HOST_R1(MASK, ARG)                                                                 \
  template <ReduceType kind, typename T, bool isSetMask = true>                                    \
  void ReduceRepeat(const LocalTensor<T> &dst, const LocalTensor<T> &src, MASK, int32_t repeat,    \
                    int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride,              \
                    ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX) {                          \
    static_assert(isSetMask, "ReduceRepeat with the mask register is left out");                   \
    static_assert(kind != ReduceType::NONE, "ReduceRepeat needs SUM, MAX or MIN");                 \
    ascendc_host::repeatReduce("ReduceRepeat", kind, dst, src, ARG, repeat, dstRepStride,          \
                               srcBlkStride, srcRepStride, order);                                 \
  }                                                                                                \
  template <ReduceType kind, typename T, bool isSetMask = true>                                    \
  void ReduceDataBlock(const LocalTensor<T> &dst, const LocalTensor<T> &src, MASK, int32_t repeat, \
                       int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride) {         \
    static_assert(isSetMask, "ReduceDataBlock with the mask register is left out");                \
    static_assert(kind != ReduceType::NONE, "ReduceDataBlock needs SUM, MAX or MIN");              \
    ascendc_host::blockReduce("ReduceDataBlock", kind, dst, src, ARG, repeat, dstRepStride,        \
                              srcBlkStride, srcRepStride);                                         \
  }                                                                                                \
  template <ReduceType kind, typename T, bool isSetMask = true>                                    \
  void ReducePairElem(const LocalTensor<T> &dst, const LocalTensor<T> &src, MASK, int32_t repeat,  \
                      int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride) {          \
    static_assert(isSetMask, "ReducePairElem with the mask register is left out");                 \
    static_assert(kind == ReduceType::SUM, "ReducePairElem exists for SUM only");                  \
    ascendc_host::pairReduce("ReducePairElem", dst, src, ARG, repeat, dstRepStride, srcBlkStride,  \
                             srcRepStride);                                                        \
  }                                                                                                \
  template <typename T>                                                                            \
  void WholeReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, MASK, int32_t repeat,  \
                      int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride) {          \
    ascendc_host::repeatReduce("WholeReduceSum", ReduceType::SUM, dst, src, ARG, repeat,           \
                               dstRepStride, srcBlkStride, srcRepStride,                           \
                               ReduceOrder::ORDER_ONLY_VALUE);                                     \
  }                                                                                                \
  template <typename T>                                                                            \
  void WholeReduceMax(const LocalTensor<T> &dst, const LocalTensor<T> &src, MASK, int32_t repeat,  \
                      int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride,            \
                      ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX) {                        \
    ascendc_host::repeatReduce("WholeReduceMax", ReduceType::MAX, dst, src, ARG, repeat,           \
                               dstRepStride, srcBlkStride, srcRepStride, order);                   \
  }                                                                                                \
  template <typename T>                                                                            \
  void WholeReduceMin(const LocalTensor<T> &dst, const LocalTensor<T> &src, MASK, int32_t repeat,  \
                      int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride,            \
                      ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX) {                        \
    ascendc_host::repeatReduce("WholeReduceMin", ReduceType::MIN, dst, src, ARG, repeat,           \
                               dstRepStride, srcBlkStride, srcRepStride, order);                   \
  }                                                                                                \
  template <typename T>                                                                            \
  void BlockReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, int32_t repeat, MASK,  \
                      int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride) {          \
    ascendc_host::blockReduce("BlockReduceSum", ReduceType::SUM, dst, src, ARG, repeat,            \
                              dstRepStride, srcBlkStride, srcRepStride);                           \
  }                                                                                                \
  template <typename T>                                                                            \
  void BlockReduceMax(const LocalTensor<T> &dst, const LocalTensor<T> &src, int32_t repeat, MASK,  \
                      int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride) {          \
    ascendc_host::blockReduce("BlockReduceMax", ReduceType::MAX, dst, src, ARG, repeat,            \
                              dstRepStride, srcBlkStride, srcRepStride);                           \
  }                                                                                                \
  template <typename T>                                                                            \
  void BlockReduceMin(const LocalTensor<T> &dst, const LocalTensor<T> &src, int32_t repeat, MASK,  \
                      int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride) {          \
    ascendc_host::blockReduce("BlockReduceMin", ReduceType::MIN, dst, src, ARG, repeat,            \
                              dstRepStride, srcBlkStride, srcRepStride);                           \
  }                                                                                                \
  template <typename T>                                                                            \
  void PairReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, int32_t repeat, MASK,   \
                     int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride) {           \
    ascendc_host::pairReduce("PairReduceSum", dst, src, ARG, repeat, dstRepStride, srcBlkStride,   \
                             srcRepStride);                                                        \
  }
ASCENDC_HOST_MASKS(ASCENDC_HOST_R1)

// ---- fills and broadcasts ----------------------------------------------------------------------
#define ASCENDC_HOST_B16_B32 int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float
#define ASCENDC_HOST_FILLS                                                                         \
  ASCENDC_HOST_BY_CHIP((ASCENDC_HOST_B16_B32),                                                     \
                       (int8_t, uint8_t, ASCENDC_HOST_B16_B32, int64_t, uint64_t))
template <typename T>
void duplicateHost(const LocalTensor<T> &dst, T value, ascendc_host::MaskArg mask, int64_t repeat,
                   int64_t dstBlk, int64_t dstRep) {
  using namespace ascendc_host;
  ASCENDC_HOST_ONLY("Duplicate", T, ASCENDC_HOST_FILLS);
  if (mask.kind != MaskArg::Count && sizeof(T) != 2 && sizeof(T) != 4)
    return scalarCall("Duplicate", [](Instr &i) {
      i.stop("a Duplicate with repeats is for 16 and 32 bits only");
    });
  issue("Duplicate", PIPE_V, typeName<T>(), [&](Instr &i) {
    VecCall v(i, mask, repeat, sizeof(T));
    const VecOperand d = v.destination(dst, sizeof(T), dstBlk, dstRep, 65535, 255);
    while (v.next()) {
      v.dest(d);
      for (int l = 0; l < v.lanes(); ++l)
        if (v.active(l))
          store<T>(v.at(d, l), value);
    }
  });
}
template <typename T> void Duplicate(const LocalTensor<T> &dst, const T &value, int64_t count) {
  // Of bytes a repeat here has 128 lanes.
  duplicateHost(dst, value, ascendc_host::MaskArg::count(count), 0, 1, sizeof(T) == 1 ? 4 : 8);
}
template <typename T, bool isSetMask = true>
void Duplicate(const LocalTensor<T> &dst, const T &value, uint64_t mask, int64_t repeat,
               int64_t dstBlkStride, int64_t dstRepStride) {
  duplicateHost(dst, value, ascendc_host::MaskArg::prefix<isSetMask>(mask), repeat, dstBlkStride,
                dstRepStride);
}
template <typename T, bool isSetMask = true>
void Duplicate(const LocalTensor<T> &dst, const T &value, const uint64_t *mask, int64_t repeat,
               int64_t dstBlkStride, int64_t dstRepStride) {
  duplicateHost(dst, value, ascendc_host::MaskArg::bits<isSetMask>(mask), repeat, dstBlkStride,
                dstRepStride);
}

// Per repeat 8 source elements, each over one 32 B block.
template <typename T>
void Brcb(const LocalTensor<T> &dst, const LocalTensor<T> &src, int64_t repeat,
          const BrcbRepeatParams &p) {
  using namespace ascendc_host;
  ASCENDC_HOST_ONLY("Brcb", T, ASCENDC_HOST_FILLS);
  issue("Brcb", PIPE_V, typeName<T>(), [&](Instr &i) {
    i.range("repeat", repeat, kIs950 ? 1 : 0, 255); // none at all is not defined on the 950
    i.range("dst block stride", p.dstBlkStride, 1, 65535);
    i.range("dst repeat stride", p.dstRepStride, 0, 65535);
    const Place d = i.local(dst, Space::UB, 32, "dst"), s = i.local(src, Space::UB, 32, "src");
    for (int64_t r = 0; r < repeat; ++r) {
      const Place from{s.mem, s.off + uint64_t(r) * 8 * sizeof(T)};
      i.inside(src, int64_t(from.off), 8 * sizeof(T), "src");
      T v[8];
      bool def[8]; // a broadcast moves: undefined elements give undefined blocks
      std::memcpy(v, i.read(from, sizeof v, "src", false), sizeof v);
      for (size_t b = 0; b < 8; ++b)
        def[b] = i.isDefined({s.mem, from.off + b * sizeof(T)}, sizeof(T));
      for (int b = 0; b < 8; ++b) {
        const Place to{d.mem, d.off + uint64_t(r * p.dstRepStride + b * p.dstBlkStride) * 32};
        i.inside(dst, int64_t(to.off), 32, "dst");
        if (i.wasRead(to, 32))
          i.stop("dst 0x%llx is src memory", (unsigned long long)to.off);
        uint8_t *o = i.write(to, 32, "dst");
        i.setDefined(to, 32, def[b]);
        for (size_t k = 0; k < 32 / sizeof(T); ++k)
          store<T>(o + k * sizeof(T), v[b]);
      }
    }
    if (!kIs950) { // Brcb resets the mask register
      registers().maskLo = registers().maskHi = ~0ull;
      registers().maskKnown = true;
    }
  });
}

template <typename T>
void copyHost(const LocalTensor<T> &dst, const LocalTensor<T> &src, ascendc_host::MaskArg mask,
              int64_t repeat, const CopyRepeatParams &p) {
  using namespace ascendc_host;
  ASCENDC_HOST_ONLY("Copy", T, ASCENDC_HOST_B16_B32);
  issue("Copy", PIPE_V, typeName<T>(), [&](Instr &i) {
    VecCall v(i, mask, repeat, sizeof(T));
    const VecOperand d = v.destination(dst, sizeof(T), p.dstStride, p.dstRepeatSize, 65535, 4095);
    const VecOperand s =
        v.operand(src, sizeof(T), p.srcStride, p.srcRepeatSize, "src", 65535, 4095);
    while (v.next()) {
      v.source(s, false);
      v.overlap(d, s);
      v.dest(d);
      for (int l = 0; l < v.lanes(); ++l)
        if (v.active(l)) {
          store<T>(v.at(d, l), load<T>(v.at(s, l)));
          std::memcpy(d.mem->def + v.address(d, l), s.mem->def + v.address(s, l), sizeof(T));
        }
    }
  });
}
#if __NPU_ARCH__ == 3510
template <typename T>
void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count) {
  copyHost(dst, src, ascendc_host::MaskArg::count(count), 0, CopyRepeatParams(1, 1, 8, 8));
}
#endif
template <typename T, bool isSetMask = true>
void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask, int64_t repeat,
          const CopyRepeatParams &p) {
  copyHost(dst, src, ascendc_host::MaskArg::prefix<isSetMask>(mask), repeat, p);
}
template <typename T, bool isSetMask = true>
void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint64_t *mask,
          int64_t repeat, const CopyRepeatParams &p) {
  copyHost(dst, src, ascendc_host::MaskArg::bits<isSetMask>(mask), repeat, p);
}
} // namespace AscendC
