// Host AscendC: LoadData, Mmad and Fixpipe (sections 2.4 to 2.6 of the fact sheet).
//
// Layouts, in fractals of 512 B with C0 = 32 / sizeof(T): L1 NZ and L0C NZ walk down a column of
// fractals first, L0A ZZ (NZ on the 950) and L0B ZN along a row first. Inside, all are row-major
// except L0B, whose fractal holds C0 consecutive k of each of its 16 columns. L0C fractals are
// 16x16 of 4 B.
#pragma once
#include "data_copy.h"
#include <algorithm>

namespace ascendc_host {
Space loadTarget(Instr &i, const LocalBase &dst);
void loadFractals(Elem e, const LocalBase &dst, const LocalBase &src,
                  const AscendC::LoadData2DParams &p);
void loadMatrix(Elem e, const LocalBase &dst, const LocalBase &src,
                const AscendC::LoadData2DParamsV2 &p);
void loadSquares(Elem e, const LocalBase &dst, const LocalBase &src,
                 const AscendC::LoadData2dTransposeParamsV2 &p);

// m x k or k x n values out of L0A / L0B; only what the product uses must be defined. A row of A
// makes a row of C and no other, so rows of padding may be undefined: `definedRows` tells which are
// not, and C is undefined there. A product without one defined row is an error.
template <typename T, typename V>
std::vector<V> leftMatrix(Instr &i, Place a, int64_t m, int64_t k, bool alignK, bool gemv,
                          std::vector<bool> &definedRows) {
  constexpr int64_t c0 = 32 / int64_t(sizeof(T));
  const int64_t m16 = (m + 15) / 16;
  const int64_t kc = alignK && c0 < 16 ? (k + 15) / 16 * 16 / c0 : (k + c0 - 1) / c0;
  std::vector<V> out(size_t(m * k));
  // In a product of a vector A is k consecutive elements.
  const int64_t bytes = gemv ? k * int64_t(sizeof(T)) : m16 * kc * 512;
  const uint8_t *p = i.read(a, uint64_t(bytes), "A", false);
  definedRows.assign(size_t(m), true);
  auto at = [&](int64_t r, int64_t c) {
    const int64_t fractal = kIs950 ? c / c0 * m16 + r / 16 : r / 16 * kc + c / c0;
    return gemv ? c * int64_t(sizeof(T)) : fractal * 512 + r % 16 * 32;
  };
  for (int64_t r = 0; r < m; ++r)
    for (int64_t c = 0; c < k; c += c0) {
      const int64_t n = std::min(c0, k - c), off = at(r, c);
      if (!i.isDefined({a.mem, a.off + uint64_t(off)}, uint64_t(n) * sizeof(T)))
        definedRows[size_t(r)] = false;
      for (int64_t x = 0; x < n; ++x)
        out[size_t(r * k + c + x)] = V(toDouble(load<T>(p + off + x * int64_t(sizeof(T)))));
    }
  if (std::find(definedRows.begin(), definedRows.end(), true) == definedRows.end())
    for (int64_t c = 0; c < k; c += c0)
      i.needDefined({a.mem, a.off + uint64_t(at(0, c))}, uint64_t(std::min(c0, k - c)) * sizeof(T),
                    "A");
  return out;
}
template <typename T, typename V>
std::vector<V> rightMatrix(Instr &i, Place b, int64_t k, int64_t n) {
  constexpr int64_t c0 = 32 / int64_t(sizeof(T));
  const int64_t nc = (n + 15) / 16;
  std::vector<V> out(size_t(k * n));
  const uint8_t *p = i.read(b, uint64_t((k + c0 - 1) / c0 * nc * 512), "B", false);
  for (int64_t c = 0; c < n; ++c)
    for (int64_t r = 0; r < k; r += c0) {
      const int64_t len = std::min(c0, k - r);
      const int64_t off = (r / c0 * nc + c / 16) * 512 + c % 16 * 32;
      i.needDefined({b.mem, b.off + uint64_t(off)}, uint64_t(len) * sizeof(T), "B");
      for (int64_t x = 0; x < len; ++x)
        out[size_t((r + x) * n + c)] = V(toDouble(load<T>(p + off + x * int64_t(sizeof(T)))));
    }
  return out;
}

void mmadChecks(Instr &i, const AscendC::MmadParams &p, bool isFloat, bool bias);
// What a call with a unitFlag waits for and leaves, of `count` fractals of L0C from `at` on.
void passUnitFlags(Instr &i, Place at, int64_t count, int64_t unitFlag, bool product);

// C starts from 0, from itself or from the bias, and adds k by k in C's type: for float inputs the
// product is rounded too, for 16-bit ones it is exact.
template <typename C, typename A, typename B>
void mmadCall(const LocalTensor<C> &dst, const LocalTensor<A> &a, const LocalTensor<B> &b,
              const LocalTensor<C> *bias, const AscendC::MmadParams &p) {
  constexpr bool ints = std::is_same_v<A, int8_t>;
  static_assert(
      (std::is_same_v<A, B> && oneOf<A, half, bfloat16_t, float> && std::is_same_v<C, float>) ||
          (ints && std::is_same_v<B, int8_t> && std::is_same_v<C, int32_t>),
      "Mmad on " ASCENDC_HOST_CHIP ": half, bfloat16_t or float to float, int8_t to int32_t");
  using V = std::conditional_t<ints, uint32_t, float>; // uint32_t: int32 that wraps
  using W = std::conditional_t<ints, int32_t, float>;
  issue("Mmad", PIPE_M, typeName<A>(), [&](Instr &i) {
    mmadChecks(i, p, std::is_same_v<A, float>, bias != nullptr);
    const Place pa = i.local(a, Space::L0A, 512, "A"), pb = i.local(b, Space::L0B, 512, "B");
    const Place pc = i.local(dst, Space::L0C, 1024, "C");
    if (!p.m || !p.n || !p.k)
      return;
    const int64_t m16 = (p.m + 15) / 16, n16 = (p.n + 15) / 16;
    constexpr int64_t c0 = 32 / int64_t(sizeof(A));
    bool gemv = p.m == 1;
#if __NPU_ARCH__ == 3510
    gemv &= !p.disableGemv;
#endif
    i.inside(a, a.addr, gemv ? p.k * int64_t(sizeof(A)) : m16 * ((p.k + c0 - 1) / c0) * 512, "A");
    i.inside(b, b.addr, (p.k + c0 - 1) / c0 * n16 * 512, "B");
    i.inside(dst, dst.addr, m16 * n16 * 1024, "C");
    passUnitFlags(i, pc, m16 * n16, p.unitFlag, true);
    std::vector<bool> rows;
    const std::vector<W> av = leftMatrix<A, W>(i, pa, p.m, p.k, p.kDirectionAlign, gemv, rows);
    const std::vector<W> bv = rightMatrix<B, W>(i, pb, p.k, p.n);
    auto at = [&](int64_t r, int64_t c) {
      return uint64_t((c / 16 * m16 + r / 16) * 1024 + r % 16 * 64 + c % 16 * 4);
    };
    std::vector<V> acc(size_t(p.m * p.n));
    if (bias) {
      const Place bp = i.local(*bias, Space::BT, 64, "bias");
      i.inside(*bias, bias->addr, p.n * 4, "bias");
      const uint8_t *x = i.read(bp, uint64_t(p.n) * 4, "bias");
      for (int64_t k = 0; k < p.m * p.n; ++k)
        acc[size_t(k)] = load<V>(x + k % p.n * 4);
    } else if (!p.cmatrixInitVal) {
      const uint8_t *x = i.read(pc, uint64_t(m16 * n16) * 1024, "C", false);
      for (int64_t r = 0; r < p.m; ++r)
        for (int64_t c = 0; c < p.n; ++c) {
          if (c % 16 == 0 && rows[size_t(r)])
            i.needDefined({pc.mem, pc.off + at(r, c)}, uint64_t(std::min<int64_t>(16, p.n - c)) * 4,
                          "C (accumulated into)");
          acc[size_t(r * p.n + c)] = load<V>(x + at(r, c));
        }
    }
    for (int64_t r = 0; r < p.m; ++r) {
      V *row = &acc[size_t(r * p.n)];
      for (int64_t k = 0; k < p.k; ++k) {
        const V x = V(av[size_t(r * p.k + k)]);
        const W *y = &bv[size_t(k * p.n)];
        for (int64_t c = 0; c < p.n; ++c)
          row[c] += x * V(y[c]);
      }
    }
    uint8_t *o = i.write(pc, uint64_t(m16 * n16) * 1024, "C");
    i.setDefined(pc, uint64_t(m16 * n16) * 1024, false); // beyond m and n C is garbage
    for (int64_t r = 0; r < p.m; ++r)
      for (int64_t c = 0; c < p.n; ++c) {
        store<V>(o + at(r, c), acc[size_t(r * p.n + c)]);
        i.setDefined({pc.mem, pc.off + at(r, c)}, 4, rows[size_t(r)]);
      }
  });
}

// A call of Fixpipe, whichever struct it has. dstStep: bytes between rows, or between the strips of
// NZ; narrow: strips of NZ in L1.
struct FixCall {
  int64_t nSize, mSize, srcStride, dstStride, dstStep;
  QuantMode_t quantPre;
  uint64_t deqScalar;
  bool reluEn, isChannelSplit;
  int64_t unitFlag, matrices, rowColumns; // columns of a row of the destination
  bool nz, toL1;
};
template <typename D> FixCall fixCall(const AscendC::FixpipeParamsV220 &p, bool nz, bool toL1) {
  return {p.nSize,
          p.mSize,
          p.srcStride,
          p.dstStride,
          p.dstStride * (nz ? 32 : int64_t(sizeof(D))),
          p.quantPre,
          p.deqScalar,
          p.reluEn,
          p.isChannelSplit,
          p.unitFlag,
          p.ndNum,
          p.nSize,
          nz,
          toL1};
}
#if __NPU_ARCH__ == 3510
template <typename D, AscendC::CO2Layout layout>
FixCall fixCall(const AscendC::FixpipeParamsArch3510<layout> &p, bool toL1) {
  static_assert(layout != AscendC::CO2Layout::COLUMN_MAJOR,
                "Fixpipe in COLUMN_MAJOR is left out of the host header");
  int64_t matrices = 1;
  if constexpr (layout == AscendC::CO2Layout::ROW_MAJOR)
    matrices = p.params.ndNum;
  return {p.nSize,
          p.mSize,
          p.srcStride,
          p.dstStride,
          p.dstStride * int64_t(sizeof(D)),
          p.quantPre,
          p.deqScalar,
          p.reluEn,
          p.isChannelSplit,
          p.unitFlag,
          matrices,
          p.nSize,
          layout == AscendC::CO2Layout::NZ,
          toL1};
}
#endif
void fixpipeChecks(Instr &i, const FixCall &p, const char *dstType, bool fromInt);

template <typename D, typename U> D requant(U v, const FixCall &p) {
  double x = double(v);
  if (p.quantPre == DEQF16 || p.quantPre == QF322B8_PRE || p.quantPre == REQ8) {
    // The engine keeps 10 mantissa bits of the scale.
    const uint32_t bits = uint32_t(p.deqScalar) & ~0x1fffu;
    x = double(float(x * double(__builtin_bit_cast(float, bits))));
  }
  if (p.reluEn && x < 0)
    x = 0;
  if constexpr (std::is_same_v<D, U>)
    return p.reluEn && v < 0 ? U(0) : v;
  else
    return fromDouble<D>(x);
}

// storeRow(byte offset, column, row, elements, which of them are defined)
template <typename D, typename U, typename Store>
void fixpipeBody(Instr &i, const LocalTensor<U> &src, const FixCall &p, bool undefinedToo,
                 Store storeRow) {
  fixpipeChecks(i, p, typeName<D>(), std::is_same_v<U, int32_t>);
  const bool nz = p.nz;
  const Place s = i.local(src, Space::L0C, 64, "src");
  // Width of a destination row piece: a whole row, or one strip of NZ.
  const int64_t strip = !nz ? p.nSize : p.isChannelSplit ? 8 : sizeof(D) == 1 ? 32 : 16;
  for (int64_t c = 0; c < p.nSize; c += 16) {
    const int64_t off = c / 16 * p.srcStride * 64;
    i.inside(src, src.addr + off, p.mSize * 64, "src");
    passUnitFlags(i, {s.mem, s.off + uint64_t(off)}, (p.mSize + 15) / 16, p.unitFlag, false);
    i.read({s.mem, s.off + uint64_t(off)}, uint64_t(p.mSize) * 64, "src", false);
  }
  std::vector<D> row;
  std::vector<uint8_t> def;
  for (int64_t c = 0; c < p.nSize; c += strip)
    for (int64_t r = 0; r < p.mSize; ++r) {
      const int64_t n = std::min(strip, p.nSize - c);
      row.assign(size_t(n), D());
      def.assign(size_t(n), 1);
      for (int64_t x = 0; x < n; ++x) {
        const uint64_t from =
            s.off + uint64_t((c + x) / 16 * p.srcStride * 64 + r * 64 + (c + x) % 16 * 4);
        if (!undefinedToo)
          i.needDefined({s.mem, from}, 4, "src");
        def[size_t(x)] = s.mem->def[from] & s.mem->def[from + 3];
        row[size_t(x)] = requant<D, U>(load<U>(s.mem->bytes + from), p);
      }
      const int64_t to =
          nz ? c / strip * p.dstStep + r * strip * int64_t(sizeof(D)) : r * p.dstStep;
      storeRow(to, r, row, def);
    }
}
} // namespace ascendc_host

namespace AscendC {
template <typename T>
void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData2DParams &p) {
  ASCENDC_HOST_ONLY("LoadData", T, int8_t, uint8_t, half, bfloat16_t, int16_t, uint16_t, float,
                    int32_t, uint32_t);
  ascendc_host::loadFractals(ascendc_host::elem<T>(), dst, src, p);
}
template <typename T>
void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData2DParamsV2 &p) {
  ASCENDC_HOST_ONLY("LoadData", T, int8_t, uint8_t, half, bfloat16_t, int16_t, uint16_t, float,
                    int32_t, uint32_t);
  ascendc_host::loadMatrix(ascendc_host::elem<T>(), dst, src, p);
}
template <typename T>
void LoadDataWithTranspose(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                           const LoadData2dTransposeParams &p) {
  ASCENDC_HOST_ONLY("LoadDataWithTranspose", T, int8_t, uint8_t, half, bfloat16_t, float, int32_t,
                    uint32_t);
  ascendc_host::loadSquares(ascendc_host::elem<T>(), dst, src,
                            {p.startIndex, p.repeatTimes, p.srcStride, p.dstGap, p.dstFracGap, 0,
                             p.addrMode});
}
template <typename T>
void LoadDataWithTranspose(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                           const LoadData2dTransposeParamsV2 &p) {
  ASCENDC_HOST_ONLY("LoadDataWithTranspose", T, int8_t, uint8_t, half, bfloat16_t, float, int32_t,
                    uint32_t);
  ascendc_host::loadSquares(ascendc_host::elem<T>(), dst, src, p);
}

template <typename C, typename A, typename B>
void Mmad(const LocalTensor<C> &dst, const LocalTensor<A> &a, const LocalTensor<B> &b,
          const MmadParams &p) {
  ascendc_host::mmadCall<C, A, B>(dst, a, b, nullptr, p);
}
template <typename C, typename A, typename B>
void Mmad(const LocalTensor<C> &dst, const LocalTensor<A> &a, const LocalTensor<B> &b,
          const LocalTensor<C> &bias, const MmadParams &p) {
  ascendc_host::mmadCall<C, A, B>(dst, a, b, &bias, p);
}

} // namespace AscendC

namespace ascendc_host {
template <typename D, typename U>
constexpr bool fixes =
    (std::is_same_v<U, float> && oneOf<D, float, half, bfloat16_t, int8_t, uint8_t>) ||
    (std::is_same_v<U, int32_t> && oneOf<D, int32_t, half, int8_t, uint8_t>);
// The 910B cannot keep FP32 and int32 in L1.
template <typename D, typename U>
constexpr bool fixesToL1 = fixes<D, U> && (kIs950 || !std::is_same_v<D, U>);

template <typename D, typename U>
void fixToGlobal(const GlobalTensor<D> &dst, const LocalTensor<U> &src, const FixCall &p) {
  issue("Fixpipe", PIPE_FIX, typeName<D>(), [&](Instr &i) {
    fixpipeBody<D, U>(i, src, p, false,
                      [&](int64_t to, int64_t, std::vector<D> &row, std::vector<uint8_t> &) {
                        const int64_t len = int64_t(row.size() * sizeof(D));
                        const Place o = i.global(dst, to, to || !p.nz ? 1 : 32, "dst", len);
                        i.storeGlobal(o, reinterpret_cast<uint8_t *>(row.data()), uint64_t(len),
                                      typeName<D>(), "dst");
                      });
  });
}
// A row piece into L1 or UB, with what is undefined in it.
template <typename D>
void putRow(Instr &i, const LocalBase &dst, Place d, int64_t to, const D *row, const uint8_t *def,
            size_t n) {
  i.inside(dst, dst.addr + to, int64_t(n * sizeof(D)), "dst");
  const Place o{d.mem, d.off + uint64_t(to)};
  std::memcpy(i.write(o, n * sizeof(D), "dst"), row, n * sizeof(D));
  for (size_t x = 0; x < n; ++x)
    i.setDefined({o.mem, o.off + x * sizeof(D)}, sizeof(D), def[x]);
}
template <typename D, typename U>
void fixToL1(const LocalTensor<D> &dst, const LocalTensor<U> &src, const FixCall &p) {
  issue("Fixpipe", PIPE_FIX, typeName<D>(), [&](Instr &i) {
    const Place d = i.local(dst, Space::L1, 32, "dst");
    fixpipeBody<D, U>(i, src, p, true,
                      [&](int64_t to, int64_t, std::vector<D> &row, std::vector<uint8_t> &def) {
                        putRow(i, dst, d, to, row.data(), def.data(), row.size());
                      });
  });
}
#if __NPU_ARCH__ == 3510
// dualDstCtl: 0 the UB of one AIV, which subBlockId names; 1 its upper rows to AIV 0 and the lower
// to AIV 1; 2 the left and the right half of its columns.
void fixToUBChecks(Instr &i, const FixCall &p, int64_t dual, int64_t size);
template <typename D, typename U>
void fixToUB(const LocalTensor<D> &dst, const LocalTensor<U> &src, FixCall p, int64_t dual,
             bool subBlock) {
  if (dual == 2)
    p.rowColumns = p.nSize / 2;
  issue("Fixpipe", PIPE_FIX, typeName<D>(), [&](Instr &i) {
    fixToUBChecks(i, p, dual, sizeof(D));
    const Place one = i.localOf(dual ? 0 : subBlock, dst, Space::UB, 32, "dst");
    const Place other = dual ? i.localOf(1, dst, Space::UB, 32, "dst") : one;
    const int64_t half = dual == 1 ? p.mSize / 2 : p.nSize / 2;
    fixpipeBody<D, U>(i, src, p, true,
                      [&](int64_t to, int64_t r, std::vector<D> &row, std::vector<uint8_t> &def) {
                        if (dual == 2) {
                          putRow(i, dst, one, to, row.data(), def.data(), size_t(half));
                          putRow(i, dst, other, to, row.data() + half, def.data() + half,
                                 size_t(half));
                          return;
                        }
                        const bool lower = dual == 1 && r >= half;
                        putRow(i, dst, lower ? other : one, lower ? to - half * p.dstStep : to,
                               row.data(), def.data(), row.size());
                      });
  });
}
#endif
} // namespace ascendc_host

namespace AscendC {
#define ASCENDC_HOST_FIXES                                                                         \
  static_assert(ascendc_host::fixes<D, U>,                                                         \
                "Fixpipe on " ASCENDC_HOST_CHIP " has no conversion between these two types");     \
  static_assert(!config.isToUB, "Fixpipe to UB is of the 950: dst in UB, FixpipeParamsArch3510")
#define ASCENDC_HOST_FIXES_TO_L1                                                                   \
  static_assert(ascendc_host::fixesToL1<D, U>, "Fixpipe to L1 on " ASCENDC_HOST_CHIP               \
                                               " writes half, bfloat16_t, int8_t or uint8_t only")
template <typename D, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>
void Fixpipe(const GlobalTensor<D> &dst, const LocalTensor<U> &src, const FixpipeParamsV220 &p) {
  ASCENDC_HOST_FIXES;
  static_assert(config.format != CO2Layout::COLUMN_MAJOR, "CFG_COLUMN_MAJOR exists on 950 only");
  ascendc_host::fixToGlobal(dst, src,
                            ascendc_host::fixCall<D>(p, config.format == CO2Layout::NZ, false));
}
// To L1 the 910B writes NZ whatever the configuration says; the 950 takes its own struct for it.
template <typename D, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>
void Fixpipe(const LocalTensor<D> &dst, const LocalTensor<U> &src, const FixpipeParamsV220 &p) {
  ASCENDC_HOST_FIXES_TO_L1;
  static_assert(!ascendc_host::kIs950 || sizeof(D) == 0,
                "Fixpipe to L1 and UB on 950: use FixpipeParamsArch3510");
  ascendc_host::fixToL1(dst, src, ascendc_host::fixCall<D>(p, true, true));
}
#if __NPU_ARCH__ == 3510
template <typename D, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>
void Fixpipe(const GlobalTensor<D> &dst, const LocalTensor<U> &src,
             const FixpipeParamsArch3510<config.format> &p) {
  ASCENDC_HOST_FIXES;
  ascendc_host::fixToGlobal(dst, src, ascendc_host::fixCall<D, config.format>(p, false));
}
template <typename D, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>
void Fixpipe(const LocalTensor<D> &dst, const LocalTensor<U> &src,
             const FixpipeParamsArch3510<config.format> &p) {
  if constexpr (config.isToUB) {
    static_assert(ascendc_host::fixes<D, U>,
                  "Fixpipe on 950 has no conversion between these two types");
    ascendc_host::fixToUB(dst, src, ascendc_host::fixCall<D, config.format>(p, false), p.dualDstCtl,
                          p.subBlockId);
  } else {
    ASCENDC_HOST_FIXES_TO_L1;
    ascendc_host::fixToL1(dst, src, ascendc_host::fixCall<D, config.format>(p, true));
  }
}
#endif
// Per-column scales are left out; the names are here to say so.
template <typename D, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>
void Fixpipe(const GlobalTensor<D> &, const LocalTensor<U> &, const LocalTensor<uint64_t> &,
             const FixpipeParamsV220 &) {
  static_assert(sizeof(D) == 0, "Fixpipe with per-column scales is left out of the host header");
}
template <typename D, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>
void Fixpipe(const LocalTensor<D> &, const LocalTensor<U> &, const LocalTensor<uint64_t> &,
             const FixpipeParamsV220 &) {
  static_assert(sizeof(D) == 0, "Fixpipe with per-column scales is left out of the host header");
}
} // namespace AscendC
