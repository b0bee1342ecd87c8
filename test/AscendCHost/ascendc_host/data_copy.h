// Host AscendC: data movement between GM, UB and L1 (sections 2.1 to 2.3 of the fact sheet).
#pragma once
#include "tensor.h"

namespace ascendc_host {
using AscendC::GlobalTensor;
using AscendC::LocalTensor;

// The element-type-blind bodies, in impl/data_copy.h. size: bytes of an element.
struct Elem {
  const char *name;
  int64_t size;
};
void copyIn(Elem e, const LocalBase &dst, const GlobalBase &src,
            const AscendC::DataCopyParams *params, int64_t count);
void copyOut(Elem e, const GlobalBase &dst, const LocalBase &src,
             const AscendC::DataCopyParams *params, int64_t count);
void copyLocal(Elem e, const LocalBase &dst, const LocalBase &src,
               const AscendC::DataCopyParams *params, int64_t count);
// Between the cores of a cluster, on the 950.
void copyToL1(Elem e, const LocalBase &dst, const LocalBase &src,
              const AscendC::DataCopyParams *params, int64_t count, bool enabled);
void copyL1ToUB(Elem e, const LocalBase &dst, const LocalBase &src,
                const AscendC::DataCopyParams *params, int64_t count, int sub);
inline bool isL1(TPosition p) {
  return p == TPosition::A1 || p == TPosition::B1 || p == TPosition::C1 || p == TPosition::TSCM;
}
// Without this definition the kit takes UB -> L1 silently through GM and its Matmul framework.
#ifdef ENABLE_CV_COMM_VIA_SSBUF
constexpr bool kCopiesToL1 = ENABLE_CV_COMM_VIA_SSBUF;
#else
constexpr bool kCopiesToL1 = false;
#endif
void copyNd2Nz(Elem e, const LocalBase &dst, const GlobalBase &src, const AscendC::Nd2NzParams &p);
struct PadSpec {
  bool isPad;
  int64_t left, right;
  uint64_t value;
};
void padIn(Elem e, const LocalBase &dst, const GlobalBase &src, const AscendC::DataCopyExtParams &p,
           const PadSpec &pad);
void padOut(Elem e, const GlobalBase &dst, const LocalBase &src,
            const AscendC::DataCopyExtParams &p);
void fillL1(Elem e, const char *name, const LocalBase &dst, int64_t repeat, int64_t blocks,
            int64_t gap, uint64_t value);

template <typename T> constexpr Elem elem() { return {typeName<T>(), int64_t(sizeof(T))}; }
template <typename T> uint64_t rawBits(T v) {
  uint64_t bits = 0;
  std::memcpy(&bits, &v, sizeof(T));
  return bits;
}
} // namespace ascendc_host

namespace AscendC {
template <typename T>
void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, uint32_t count) {
  ascendc_host::copyIn(ascendc_host::elem<T>(), dst, src, nullptr, count);
}
template <typename T>
void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &p) {
  ascendc_host::copyIn(ascendc_host::elem<T>(), dst, src, &p, 0);
}
template <typename T>
void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const Nd2NzParams &p) {
  ascendc_host::copyNd2Nz(ascendc_host::elem<T>(), dst, src, p);
}
template <typename T>
void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count) {
  ascendc_host::copyOut(ascendc_host::elem<T>(), dst, src, nullptr, count);
}
template <typename T>
void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &p) {
  ascendc_host::copyOut(ascendc_host::elem<T>(), dst, src, &p, 0);
}
template <typename T>
void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count) {
  if (ascendc_host::kIs950 && ascendc_host::isL1(dst.pos))
    return ascendc_host::copyToL1(ascendc_host::elem<T>(), dst, src, nullptr, count,
                                  ascendc_host::kCopiesToL1);
  ascendc_host::copyLocal(ascendc_host::elem<T>(), dst, src, nullptr, count);
}
template <typename T>
void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &p) {
  if (ascendc_host::kIs950 && ascendc_host::isL1(dst.pos))
    return ascendc_host::copyToL1(ascendc_host::elem<T>(), dst, src, &p, 0,
                                  ascendc_host::kCopiesToL1);
  ascendc_host::copyLocal(ascendc_host::elem<T>(), dst, src, &p, 0);
}
#if __NPU_ARCH__ == 3510
template <typename T, uint8_t subBlockId>
void DataCopyL1ToUB(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count) {
  static_assert(subBlockId <= 1, "DataCopyL1ToUB writes the UB of AIV 0 or 1");
  ascendc_host::copyL1ToUB(ascendc_host::elem<T>(), dst, src, nullptr, count, subBlockId);
}
template <typename T, uint8_t subBlockId>
void DataCopyL1ToUB(const LocalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &p) {
  static_assert(subBlockId <= 1, "DataCopyL1ToUB writes the UB of AIV 0 or 1");
  ascendc_host::copyL1ToUB(ascendc_host::elem<T>(), dst, src, &p, 0, subBlockId);
}
#endif

template <typename T>
void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyExtParams &p,
                 const DataCopyPadExtParams<T> &pad) {
  ascendc_host::padIn(
      ascendc_host::elem<T>(), dst, src, p,
      {pad.isPad, pad.leftPadding, pad.rightPadding, ascendc_host::rawBits(pad.paddingValue)});
}
template <typename T>
void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                 const DataCopyExtParams &p) {
  ascendc_host::padOut(ascendc_host::elem<T>(), dst, src, p);
}

#define ASCENDC_HOST_FILL(NAME)                                                                    \
  template <typename T> void NAME(const LocalTensor<T> &dst, const InitConstValueParams<T> &p) {   \
    ASCENDC_HOST_ONLY(#NAME, T, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float);    \
    ascendc_host::fillL1(ascendc_host::elem<T>(), #NAME, dst, p.repeatTimes, p.blockNum, p.dstGap, \
                         ascendc_host::rawBits(p.initValue));                                      \
  }
ASCENDC_HOST_FILL(Fill)
ASCENDC_HOST_FILL(InitConstValue)
} // namespace AscendC
