// Host AscendC: LoadData, Mmad and Fixpipe (sections 2.4 to 2.6 of the fact sheet).
//
// Layouts, in fractals of 512 B with C0 = 32 / sizeof(T): L1 NZ and L0C NZ walk down a column of
// fractals first, L0A ZZ and L0B ZN along a row first. Inside, all are row-major except L0B, whose
// fractal holds C0 consecutive k of each of its 16 columns. L0C fractals are 16x16 of 4 B.
#pragma once
#include "data_copy.h"
#include <algorithm>

namespace ascendc_host {
Space loadTarget(Instr &i, const LocalBase &dst);
void loadFractals(Elem e, const LocalBase &dst, const LocalBase &src,
                  const AscendC::LoadData2DParams &p);
void loadSquares(Elem e, const LocalBase &dst, const LocalBase &src,
                 const AscendC::LoadData2dTransposeParams &p);

// m x k or k x n values out of L0A / L0B; only what the product uses must be defined. A row of A
// makes a row of C and no other, so rows of padding may be undefined: `definedRows` tells which are
// not, and C is undefined there. A product without one defined row is an error.
template <typename T, typename V>
std::vector<V> leftMatrix(Instr &i, Place a, int64_t m, int64_t k, bool alignK,
                          std::vector<bool> &definedRows) {
  constexpr int64_t c0 = 32 / int64_t(sizeof(T));
  const int64_t kc = alignK && c0 < 16 ? (k + 15) / 16 * 16 / c0 : (k + c0 - 1) / c0;
  std::vector<V> out(size_t(m * k));
  const bool gemv = m == 1; // A is then k consecutive elements
  const int64_t bytes = gemv ? k * int64_t(sizeof(T)) : (m + 15) / 16 * kc * 512;
  const uint8_t *p = i.read(a, uint64_t(bytes), "A", false);
  definedRows.assign(size_t(m), true);
  auto at = [&](int64_t r, int64_t c) {
    return gemv ? c * int64_t(sizeof(T)) : (r / 16 * kc + c / c0) * 512 + r % 16 * 32;
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
      i.needDefined({a.mem, a.off + uint64_t(at(0, c))},
                    uint64_t(std::min(c0, k - c)) * sizeof(T), "A");
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

// C starts from 0, from itself or from the bias, and adds k by k in C's type: for float inputs the
// product is rounded too, for 16-bit ones it is exact.
template <typename C, typename A, typename B>
void mmadCall(const LocalTensor<C> &dst, const LocalTensor<A> &a, const LocalTensor<B> &b,
              const LocalTensor<C> *bias, const AscendC::MmadParams &p) {
  constexpr bool ints = std::is_same_v<A, int8_t>;
  static_assert(
      (std::is_same_v<A, B> && oneOf<A, half, bfloat16_t, float> && std::is_same_v<C, float>) ||
          (ints && std::is_same_v<B, int8_t> && std::is_same_v<C, int32_t>),
      "Mmad on 910B: half, bfloat16_t or float to float, int8_t to int32_t");
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
    i.inside(a, a.addr, p.m == 1 ? p.k * int64_t(sizeof(A)) : m16 * ((p.k + c0 - 1) / c0) * 512,
             "A");
    i.inside(b, b.addr, (p.k + c0 - 1) / c0 * n16 * 512, "B");
    i.inside(dst, dst.addr, m16 * n16 * 1024, "C");
    std::vector<bool> rows;
    const std::vector<W> av = leftMatrix<A, W>(i, pa, p.m, p.k, p.kDirectionAlign, rows);
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

void fixpipeChecks(Instr &i, const AscendC::FixpipeParamsV220 &p, bool nz, bool toL1,
                   const char *dstType, int64_t dstSize, bool fromInt);

template <typename D, typename U> D requant(U v, const AscendC::FixpipeParamsV220 &p) {
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

template <typename D, typename U, bool nz, typename Store>
void fixpipeBody(Instr &i, const LocalTensor<U> &src, const AscendC::FixpipeParamsV220 &p,
                 bool toL1, Store storeRow) {
  fixpipeChecks(i, p, nz, toL1, typeName<D>(), sizeof(D), std::is_same_v<U, int32_t>);
  const Place s = i.local(src, Space::L0C, 64, "src");
  // Width of a destination row piece: a whole row, or one strip of NZ.
  const int64_t strip = !nz ? p.nSize : p.isChannelSplit ? 8 : sizeof(D) == 1 ? 32 : 16;
  for (int64_t c = 0; c < p.nSize; c += 16) {
    const int64_t off = c / 16 * p.srcStride * 64;
    i.inside(src, src.addr + off, p.mSize * 64, "src");
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
        if (!toL1)
          i.needDefined({s.mem, from}, 4, "src");
        def[size_t(x)] = s.mem->def[from] & s.mem->def[from + 3];
        row[size_t(x)] = requant<D, U>(load<U>(s.mem->bytes + from), p);
      }
      // NZ: strips are dstStride blocks of 32 B apart; ND: rows are dstStride elements apart.
      const int64_t to = nz ? c / strip * p.dstStride * 32 + r * strip * int64_t(sizeof(D))
                            : r * p.dstStride * int64_t(sizeof(D));
      storeRow(to, row, def);
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
void LoadDataWithTranspose(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                           const LoadData2dTransposeParams &p) {
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

template <typename D, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>
void Fixpipe(const GlobalTensor<D> &dst, const LocalTensor<U> &src, const FixpipeParamsV220 &p) {
  using namespace ascendc_host;
  constexpr bool nz = config.format == CO2Layout::NZ;
  static_assert((std::is_same_v<U, float> && oneOf<D, float, half, bfloat16_t, int8_t, uint8_t>) ||
                    (std::is_same_v<U, int32_t> && oneOf<D, int32_t, half, int8_t, uint8_t>),
                "Fixpipe on 910B has no conversion between these two types");
  static_assert(config.format != CO2Layout::COLUMN_MAJOR, "CFG_COLUMN_MAJOR exists on 950 only");
  issue("Fixpipe", PIPE_FIX, typeName<D>(), [&](Instr &i) {
    fixpipeBody<D, U, nz>(i, src, p, false,
                          [&](int64_t to, std::vector<D> &row, std::vector<uint8_t> &) {
                            const int64_t len = int64_t(row.size() * sizeof(D));
                            const Place o = i.global(dst, to, to || !nz ? 1 : 32, "dst", len);
                            i.storeGlobal(o, reinterpret_cast<uint8_t *>(row.data()), uint64_t(len),
                                          typeName<D>(), "dst");
                          });
  });
}
// To L1 the 910B writes NZ whatever the configuration says; FP32 and int32 cannot be kept.
template <typename D, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>
void Fixpipe(const LocalTensor<D> &dst, const LocalTensor<U> &src, const FixpipeParamsV220 &p) {
  using namespace ascendc_host;
  static_assert((std::is_same_v<U, float> && oneOf<D, half, bfloat16_t, int8_t, uint8_t>) ||
                    (std::is_same_v<U, int32_t> && oneOf<D, half, int8_t, uint8_t>),
                "Fixpipe to L1 on 910B writes half, bfloat16_t, int8_t or uint8_t only");
  issue("Fixpipe", PIPE_FIX, typeName<D>(), [&](Instr &i) {
    const Place d = i.local(dst, Space::L1, 32, "dst");
    fixpipeBody<D, U, true>(i, src, p, true,
                            [&](int64_t to, std::vector<D> &row, std::vector<uint8_t> &def) {
                              const uint64_t len = row.size() * sizeof(D);
                              i.inside(dst, dst.addr + to, int64_t(len), "dst");
                              const Place o{d.mem, d.off + uint64_t(to)};
                              std::memcpy(i.write(o, len, "dst"), row.data(), len);
                              for (size_t x = 0; x < def.size(); ++x)
                                i.setDefined({o.mem, o.off + x * sizeof(D)}, sizeof(D), def[x]);
                            });
  });
}
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
