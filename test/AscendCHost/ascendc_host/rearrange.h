// Host AscendC: gathers, sorting and transposes (section 3.7 of the fact sheet).
#pragma once
#include "reduce.h"

namespace AscendC {
template <typename T>
void gatherHost(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                const LocalTensor<uint32_t> &offsets, uint32_t base, ascendc_host::MaskArg mask,
                int64_t repeat, int64_t dstRep) {
  using namespace ascendc_host;
  ASCENDC_HOST_ONLY("Gather", T, ASCENDC_HOST_B16_B32);
  issue("Gather", PIPE_V, typeName<T>(), [&](Instr &i) {
    constexpr int64_t kLanes = 256 / int64_t(sizeof(T));
    if (!kIs950 && mask.kind == MaskArg::Count && mask.lo / kLanes >= 256)
      i.stop("count is %llu: from %lld elements on the 910B wraps its repeats silently",
             (unsigned long long)mask.lo, (long long)kLanes * 256);
    VecCall v(i, mask, repeat, sizeof(T));
    const VecOperand d = v.destination(dst, sizeof(T), 1, dstRep, 255, 65535);
    const Place s = i.local(src, Space::UB, 32, "src");
    const Place o = i.local(offsets, Space::UB, 32, "srcOffset");
    while (v.next()) {
      T values[128];
      bool def[128];
      const int64_t first = v.repeat() * v.lanes(); // offsets are consumed contiguously
      const int64_t dLo = v.address(d, 0), dHi = v.address(d, v.lanes() - 1) + int64_t(sizeof(T));
      for (int l = 0; l < v.lanes(); ++l) {
        if (!v.active(l))
          continue;
        const int64_t at = int64_t(o.off) + (first + l) * 4;
        i.inside(offsets, at, 4, "srcOffset");
        const uint32_t off = load<uint32_t>(i.read({o.mem, uint64_t(at)}, 4, "srcOffset"));
        if (off % sizeof(T))
          i.stop("offset %u of element %lld is not a multiple of sizeof(T)", off,
                 (long long)(first + l));
        if (sizeof(T) == 2 && off > (1u << 17) - 1)
          i.stop("offset %u of element %lld, allowed [0, 131071]", off, (long long)(first + l));
        const int64_t from = int64_t(s.off) + base + off;
        i.inside(src, from, sizeof(T), "src");
        if (from >= dLo && from < dHi)
          i.stop("src 0x%llx is inside dst", (long long)from);
        values[l] = load<T>(i.read({s.mem, uint64_t(from)}, sizeof(T), "src", false));
        def[l] = i.isDefined({s.mem, uint64_t(from)}, sizeof(T));
      }
      v.dest(d);
      for (int l = 0; l < v.lanes(); ++l)
        if (v.active(l)) {
          store<T>(v.at(d, l), values[l]);
          i.setDefined({d.mem, uint64_t(v.address(d, l))}, sizeof(T), def[l]);
        }
    }
  });
}
template <typename T>
void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src,
            const LocalTensor<uint32_t> &offsets, uint32_t baseBytes, uint32_t count) {
  gatherHost(dst, src, offsets, baseBytes, ascendc_host::MaskArg::count(count), 0, 8);
}
template <typename T>
void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src,
            const LocalTensor<uint32_t> &offsets, uint32_t baseBytes, uint64_t mask, int64_t repeat,
            int64_t dstRepStride) {
  gatherHost(dst, src, offsets, baseBytes, ascendc_host::MaskArg::prefix(mask), repeat,
             dstRepStride);
}

template <typename T>
void Gatherb(const LocalTensor<T> &dst, const LocalTensor<T> &src,
             const LocalTensor<uint32_t> &offsets, int64_t repeat, const GatherRepeatParams &p) {
  using namespace ascendc_host;
  ASCENDC_HOST_ONLY("Gatherb", T,
                    ASCENDC_HOST_BY_CHIP((uint16_t, uint32_t), (ASCENDC_HOST_B16_B32)));
  issue("Gatherb", PIPE_V, typeName<T>(), [&](Instr &i) {
    i.range("repeat", repeat, 0, 255);
    i.range("dst block stride", p.dstBlkStride, 1, 255);
    i.range("dst repeat stride", p.dstRepStride, 0, 255);
    const Place d = i.local(dst, Space::UB, 32, "dst"), s = i.local(src, Space::UB, 32, "src");
    const Place o = i.local(offsets, Space::UB, 32, "offset");
    for (int64_t r = 0; r < repeat; ++r) {
      uint8_t blocks[8][32];
      bool def[8];
      for (int64_t b = 0; b < 8; ++b) {
        const Place at{o.mem, o.off + uint64_t(r * 8 + b) * 4};
        i.inside(offsets, int64_t(at.off), 4, "offset");
        const uint32_t off = load<uint32_t>(i.read(at, 4, "offset"));
        if (off % 32)
          i.stop("offset %u of block %lld is not a multiple of 32", off, (long long)(r * 8 + b));
        i.inside(src, int64_t(s.off + off), 32, "src");
        std::memcpy(blocks[b], i.read({s.mem, s.off + off}, 32, "src", false), 32);
        def[b] = i.isDefined({s.mem, s.off + off}, 32);
      }
      for (int64_t b = 0; b < 8; ++b) {
        const Place to{d.mem, d.off + uint64_t(r * p.dstRepStride + b * p.dstBlkStride) * 32};
        i.inside(dst, int64_t(to.off), 32, "dst");
        if (i.wasRead(to, 32))
          i.stop("dst overlaps src or offset");
        std::memcpy(i.write(to, 32, "dst"), blocks[b], 32);
        i.setDefined(to, 32, def[b]);
      }
    }
  });
}

// keep(l, r): whether lane l of repeat r stays. The output is packed over all repeats.
template <typename T, typename Keep>
void gatherMaskHost(const LocalTensor<T> &dst, const LocalTensor<T> &src, bool reduceMode,
                    uint32_t mask, const GatherMaskParams &p, uint64_t &kept,
                    const ascendc_host::LocalBase *pattern, int code, Keep keep) {
  using namespace ascendc_host;
  ASCENDC_HOST_ONLY("GatherMask", T, ASCENDC_HOST_B16_B32);
  issue("GatherMask", PIPE_V, typeName<T>(), [&](Instr &i) {
    registers().counter = false; // always leaves Normal mode and a changed mask
    registers().maskKnown = false;
    kept = 0;
    i.range("src block stride", p.src0BlockStride, 0, 255);
    i.range("repeatTimes", p.repeatTimes, 0, 65535);
    i.range("src repeat stride", p.src0RepeatStride, 0, 65535);
    i.range("mask repeat stride", p.src1RepeatStride, 0, 255);
    if (!pattern)
      i.range("pattern", code, 1, 7);
    const int64_t lanes = reduceMode ? int64_t(mask) : 256 / int64_t(sizeof(T));
    const Place d = i.local(dst, Space::UB, 32, "dst"), s = i.local(src, Space::UB, 32, "src");
    Place m{};
    if (pattern)
      m = i.local(*pattern, Space::UB, 32, "pattern");
    constexpr int64_t kBlock = 32 / int64_t(sizeof(T));
    std::vector<T> packed;
    std::vector<bool> def;
    for (int64_t r = 0; r < p.repeatTimes; ++r) {
      const uint8_t *bits = nullptr;
      if (pattern) {
        const Place at{m.mem, m.off + uint64_t(r * p.src1RepeatStride) * 32};
        i.inside(*pattern, int64_t(at.off), (lanes + 7) / 8, "pattern");
        bits = i.read(at, uint64_t(lanes + 7) / 8, "pattern");
      }
      for (int64_t l = 0; l < lanes; l += kBlock) {
        const int64_t n = std::min(kBlock, lanes - l);
        const Place at{
            s.mem, s.off + uint64_t(r * p.src0RepeatStride + l / kBlock * p.src0BlockStride) * 32};
        i.inside(src, int64_t(at.off), n * int64_t(sizeof(T)), "src");
        const uint8_t *b = i.read(at, uint64_t(n) * sizeof(T), "src", false);
        for (int64_t x = 0; x < n; ++x)
          if (keep(l + x, bits)) {
            packed.push_back(load<T>(b + x * int64_t(sizeof(T))));
            def.push_back(i.isDefined({at.mem, at.off + uint64_t(x) * sizeof(T)}, sizeof(T)));
          }
      }
    }
    kept = packed.size();
    if (packed.empty())
      return;
    const uint64_t bytes = packed.size() * sizeof(T);
    i.inside(dst, dst.addr, int64_t(bytes), "dst");
    if (i.wasRead(d, bytes))
      i.stop("dst overlaps src");
    std::memcpy(i.write(d, bytes, "dst"), packed.data(), bytes);
    for (size_t k = 0; k < def.size(); ++k)
      i.setDefined({d.mem, d.off + k * sizeof(T)}, sizeof(T), def[k]);
  });
}
template <typename T>
void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint8_t pattern,
                bool reduceMode, uint32_t mask, const GatherMaskParams &p, uint64_t &kept) {
  gatherMaskHost(
      dst, src, reduceMode, mask, p, kept, nullptr, pattern, [=](int64_t l, const uint8_t *) {
        return pattern == 7 || (pattern < 3 ? l % 2 == pattern - 1 : l % 4 == pattern - 3);
      });
}
template <typename T, typename M>
void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<M> &pattern,
                bool reduceMode, uint32_t mask, const GatherMaskParams &p, uint64_t &kept) {
  static_assert(ascendc_host::oneOf<M, uint16_t, uint32_t> && sizeof(M) == sizeof(T),
                "GatherMask: the pattern is uint16_t for 16-bit and uint32_t for 32-bit types");
  gatherMaskHost(dst, src, reduceMode, mask, p, kept, &pattern, 0,
                 [](int64_t l, const uint8_t *bits) { return (bits[l / 8] >> (l % 8) & 1) != 0; });
}

// 32 values and their indices to 32 records of 8 B, descending; ties keep their order.
template <typename T>
void Sort32(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &idx,
            int64_t repeat) {
  using namespace ascendc_host;
  ASCENDC_HOST_ONLY("Sort32", T, half, float);
  issue("Sort32", PIPE_V, typeName<T>(), [&](Instr &i) {
    i.range("repeat", repeat, 0, 255);
    const Place d = i.local(dst, Space::UB, 256, "dst");
    const Place s = i.local(src, Space::UB, 32 * sizeof(T), "src");
    const Place x = i.local(idx, Space::UB, 32, "idx");
    for (int64_t r = 0; r < repeat; ++r) {
      const Place ps{s.mem, s.off + uint64_t(r) * 32 * sizeof(T)};
      const Place px{x.mem, x.off + uint64_t(r) * 128}, pd{d.mem, d.off + uint64_t(r) * 256};
      i.inside(src, int64_t(ps.off), 32 * sizeof(T), "src");
      i.inside(idx, int64_t(px.off), 128, "idx");
      i.inside(dst, int64_t(pd.off), 256, "dst");
      const uint8_t *v = i.read(ps, 32 * sizeof(T), "src"), *id = i.read(px, 128, "idx");
      int order[32];
      for (int k = 0; k < 32; ++k) {
        const T value = load<T>(v + size_t(k) * sizeof(T));
        if (isNan(value))
          i.stop("a NaN: its place in the order is not stated");
        int at = k;
        while (at > 0 &&
               toDouble(load<T>(v + size_t(order[at - 1]) * sizeof(T))) < toDouble(value)) {
          order[at] = order[at - 1];
          --at;
        }
        order[at] = k;
      }
      uint8_t out[256] = {};
      for (int k = 0; k < 32; ++k) {
        std::memcpy(out + k * 8, v + size_t(order[k]) * sizeof(T), sizeof(T));
        std::memcpy(out + k * 8 + 4, id + order[k] * 4, 4);
      }
      if (i.wasRead(pd, 256))
        i.stop("dst overlaps src or idx");
      std::memcpy(i.write(pd, 256, "dst"), out, 256);
    }
  });
}

template <typename T> struct MrgSortSrcList {
  LocalTensor<T> src1, src2, src3, src4;
  MrgSortSrcList(const LocalTensor<T> &a, const LocalTensor<T> &b, const LocalTensor<T> &c,
                 const LocalTensor<T> &d)
      : src1(a), src2(b), src3(c), src4(d) {}
};

// Merges up to four descending queues of 8 B records; of equal values the earlier queue goes first.
template <typename T>
void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &list, const MrgSort4Info &p) {
  using namespace ascendc_host;
  ASCENDC_HOST_ONLY("MrgSort", T, half, float);
  issue("MrgSort", PIPE_V, typeName<T>(), [&](Instr &i) {
    if (p.validBit != 3 && p.validBit != 7 && p.validBit != 15)
      i.stop("validBit is %lld, allowed 3, 7, 15", (long long)p.validBit);
    const int queues = p.validBit == 3 ? 2 : p.validBit == 7 ? 3 : 4;
    i.range("repeatTimes", p.repeatTimes, 0, 255);
    const LocalTensor<T> *src[] = {&list.src1, &list.src2, &list.src3, &list.src4};
    for (int q = 0; q < queues; ++q)
      i.range("elementLengths", p.elementLengths[q], 0, 4095);
    if (p.repeatTimes > 1) {
      bool same = queues == 4 && !p.ifExhaustedSuspension;
      for (int q = 1; q < 4 && same; ++q)
        same = p.elementLengths[q] == p.elementLengths[0] &&
               src[q]->addr == src[q - 1]->addr + p.elementLengths[0] * 8;
      if (!same)
        i.stop("repeatTimes > 1 needs four equal adjacent queues, validBit 15 and no suspension");
    }
    const Place d = i.local(dst, Space::UB, 32, "dst");
    uint64_t written = 0;
    for (int64_t r = 0; r < p.repeatTimes; ++r) {
      const uint8_t *at[4];
      int64_t left[4] = {0, 0, 0, 0}, done[4] = {0, 0, 0, 0};
      for (int q = 0; q < queues; ++q) {
        left[q] = p.elementLengths[q];
        Place s = i.local(*src[q], Space::UB, 32, "src");
        s.off += uint64_t(r) * 4 * uint64_t(p.elementLengths[0]) * 8;
        i.inside(*src[q], src[q]->addr, left[q] * 8, "src");
        at[q] = i.read(s, uint64_t(left[q]) * 8, "src");
        for (int64_t k = 0; k < left[q]; ++k) {
          const T v = load<T>(at[q] + k * 8);
          if (isNan(v) || (k && toDouble(load<T>(at[q] + (k - 1) * 8)) < toDouble(v)))
            i.stop("queue %d is not in descending order at record %lld", q, (long long)k);
        }
      }
      std::vector<uint8_t> out;
      for (bool stop = false; !stop;) {
        int best = -1;
        for (int q = 0; q < queues; ++q)
          if (done[q] < left[q] && (best < 0 || toDouble(load<T>(at[q] + done[q] * 8)) >
                                                    toDouble(load<T>(at[best] + done[best] * 8))))
            best = q;
        if (best < 0)
          break;
        out.insert(out.end(), at[best] + done[best] * 8, at[best] + done[best] * 8 + 8);
        ++done[best];
        stop = p.ifExhaustedSuspension && done[best] == left[best];
      }
      for (int q = 0; q < 4; ++q)
        registers().mrgCounts[q] = uint16_t(done[q]);
      const Place to{d.mem, d.off + written};
      i.inside(dst, int64_t(to.off), int64_t(out.size()), "dst");
      if (i.wasRead(to, out.size()))
        i.stop("dst overlaps src");
      if (!out.empty())
        std::memcpy(i.write(to, out.size(), "dst"), out.data(), out.size());
      written += out.size();
    }
  });
}
inline void GetMrgSortResult(uint16_t &a, uint16_t &b, uint16_t &c, uint16_t &d) {
  const uint16_t *n = ascendc_host::registers().mrgCounts;
  a = n[0], b = n[1], c = n[2], d = n[3];
}

// One 16x16 block of 16 bits; in place is allowed.
template <typename T> void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src) {
  using namespace ascendc_host;
  ASCENDC_HOST_ONLY("Transpose", T, int16_t, uint16_t, half);
  issue("Transpose", PIPE_V, typeName<T>(), [&](Instr &i) {
    const Place d = i.local(dst, Space::UB, 32, "dst"), s = i.local(src, Space::UB, 32, "src");
    i.inside(src, src.addr, 512, "src");
    i.inside(dst, dst.addr, 512, "dst");
    if (d.off != s.off && d.off < s.off + 512 && s.off < d.off + 512)
      i.stop("dst 0x%llx and src 0x%llx overlap partly", (unsigned long long)d.off,
             (unsigned long long)s.off);
    T v[256];
    bool def[256];
    std::memcpy(v, i.read(s, 512, "src", false), 512);
    for (uint64_t k = 0; k < 256; ++k)
      def[k] = i.isDefined({s.mem, s.off + k * 2}, 2);
    uint8_t *o = i.write(d, 512, "dst");
    for (uint64_t r = 0; r < 16; ++r)
      for (uint64_t c = 0; c < 16; ++c) {
        store<T>(o + (c * 16 + r) * 2, v[r * 16 + c]);
        i.setDefined({d.mem, d.off + (c * 16 + r) * 2}, 2, def[r * 16 + c]);
      }
  });
}

// Entries are GetPhyAddr() values. 16 blocks a repeat; 32-bit results take two blocks each, 8-bit
// ones half a block. The strides are added even when repeatTimes is 1, so both must be 0 then.
template <typename T>
void TransDataTo5HD(const uint64_t dstList[16], const uint64_t srcList[16],
                    const TransDataTo5HDParams &p) {
  using namespace ascendc_host;
  static_assert(!kIs950 || sizeof(T) == 0,
                "TransDataTo5HD is not in the 950's list of static-tensor calls");
  ASCENDC_HOST_ONLY("TransDataTo5HD", T, int8_t, uint8_t, int16_t, uint16_t, half, int32_t,
                    uint32_t, float);
  issue("TransDataTo5HD", PIPE_V, typeName<T>(), [&](Instr &i) {
    i.range("repeatTimes", p.repeatTimes, 0, 255);
    i.range("dstRepStride", p.dstRepStride, 0, 65535);
    i.range("srcRepStride", p.srcRepStride, 0, 65535);
    if (p.repeatTimes == 1 && (p.dstRepStride || p.srcRepStride))
      i.stop("repeatTimes is 1 and a repeat stride is not 0: the chip adds it all the same");
    auto place = [&](uint64_t a, const char *what) {
      LocalBase t;
      const uint64_t pos = a >> 48;
      t.pos = pos ? TPosition(pos - 1) : TPosition::MAX;
      t.addr = int64_t(a & 0xffffffffull);
      t.valid = true;
      return i.local(t, Space::UB, 32, what);
    };
    constexpr size_t size = sizeof(T), in = size == 4 ? 8 : 16; // lanes used of a source block
    for (int64_t r = 0; r < p.repeatTimes; ++r) {
      T v[16][16];
      bool def[16][16];
      for (int b = 0; b < 16; ++b) {
        Place s = place(srcList[b], "src");
        s.off += uint64_t(r * p.srcRepStride) * 32 + (size == 1 && p.srcHighHalf ? 16 : 0);
        std::memcpy(v[b], i.read(s, in * size, "src", false), in * size);
        for (size_t k = 0; k < in; ++k)
          def[b][k] = i.isDefined({s.mem, s.off + k * size}, size);
      }
      for (size_t b = 0; b < 16; ++b) {
        Place d = place(dstList[b], "dst");
        d.off += uint64_t(r * p.dstRepStride) * 32 + (size == 1 && p.dstHighHalf ? 16 : 0);
        uint8_t *o = i.write(d, in * size, "dst");
        for (size_t k = 0; k < in; ++k) {
          const size_t row = size == 4 ? (b % 2) * 8 + k : k, col = size == 4 ? b / 2 : b;
          store<T>(o + k * size, v[row][col]);
          i.setDefined({d.mem, d.off + k * size}, size, def[row][col]);
        }
      }
    }
  });
}
} // namespace AscendC
