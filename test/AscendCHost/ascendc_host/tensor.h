// Host AscendC: LocalTensor and GlobalTensor.
#pragma once
#include "machine.h"

namespace AscendC {
template <typename T> class LocalTensor : public ascendc_host::LocalBase {
public:
  using PrimType = T;
  LocalTensor() = default; // random members on the device: any use is reported
  LocalTensor(TPosition position, uint32_t addrBytes, uint32_t elems) {
    pos = position;
    addr = lo = addrBytes;
    hi = lo + int64_t(elems) * int64_t(sizeof(T));
    valid = true;
    ascendc_host::reportTensor(*this);
  }

  LocalTensor operator[](uint32_t elemOffset) const {
    LocalTensor t = *this;
    t.addr += int64_t(elemOffset) * int64_t(sizeof(T));
    return t;
  }
  template <typename U> LocalTensor<U> ReinterpretCast() const {
    LocalTensor<U> t;
    static_cast<LocalBase &>(t) = *this;
    return t;
  }
  uint32_t GetSize() const { return hi > addr ? uint32_t((hi - addr) / int64_t(sizeof(T))) : 0; }
  void SetSize(uint32_t elems) { hi = addr + int64_t(elems) * int64_t(sizeof(T)); }
  TPosition GetPosition() const { return pos; }
  // The address inside the space, as on the device; the bits above say which position it is of.
  uint64_t GetPhyAddr() const { return GetPhyAddr(0); }
  uint64_t GetPhyAddr(uint32_t elemOffset) const {
    return (uint64_t(pos) + 1) << 48 | uint64_t(addr + int64_t(elemOffset) * int64_t(sizeof(T)));
  }

  T GetValue(uint32_t i) const {
    using namespace ascendc_host;
    T v{};
    issueOn("GetValue", PIPE_S, typeName<T>(), false, true, [&](Instr &in) {
      const LocalTensor t = (*this)[i];
      Place p = in.local(t, Space::UB, sizeof(T), "tensor");
      in.inside(t, t.addr, sizeof(T), "tensor");
      v = load<T>(in.read(p, sizeof(T), "tensor"));
    });
    return v;
  }
  void SetValue(uint32_t i, T v) const {
    using namespace ascendc_host;
    issueOn("SetValue", PIPE_S, typeName<T>(), false, true, [&](Instr &in) {
      const LocalTensor t = (*this)[i];
      Place p = in.local(t, Space::UB, sizeof(T), "tensor");
      in.inside(t, t.addr, sizeof(T), "tensor");
      store<T>(in.write(p, sizeof(T), "tensor"), v);
    });
  }

  class Element { // t(i) as an lvalue
  public:
    using ElementOf = T;
    Element(const LocalTensor &t, uint32_t i) : t(t), i(i) {}
    Element(const Element &) = default;
    operator T() const { return t.GetValue(i); }
    Element &operator=(T v) {
      t.SetValue(i, v);
      return *this;
    }
    Element &operator=(const Element &e) { return *this = T(e); }

  private:
    LocalTensor t; // by value: t[k](i) outlives its temporary
    uint32_t i;
  };
  Element operator()(uint32_t i) const { return Element(*this, i); }
};

template <typename T> class GlobalTensor : public ascendc_host::GlobalBase {
public:
  using PrimType = T;
  void SetGlobalBuffer(__gm__ T *p) {
    ptr = lo = reinterpret_cast<uint8_t *>(p);
    hi = nullptr;
    valid = true;
  }
  void SetGlobalBuffer(__gm__ T *p, uint64_t elems) {
    SetGlobalBuffer(p);
    hi = lo + elems * sizeof(T);
  }
  GlobalTensor operator[](uint64_t offset) const {
    GlobalTensor t = *this;
    t.ptr += offset * sizeof(T);
    return t;
  }
  __gm__ T *GetPhyAddr() const { return reinterpret_cast<T *>(ptr); }
  __gm__ T *GetPhyAddr(uint64_t offset) const { return reinterpret_cast<T *>(ptr) + offset; }
  uint64_t GetSize() const { return hi > ptr ? uint64_t(hi - ptr) / sizeof(T) : 0; }
  void SetL2CacheHint(CacheMode) {} // speed only

  T GetValue(uint64_t i) const {
    using namespace ascendc_host;
    T v{};
    issueOn("GlobalTensor::GetValue", PIPE_S, typeName<T>(), true, true, [&](Instr &in) {
      Place p = in.global(*this, int64_t(i * sizeof(T)), sizeof(T), "tensor", sizeof(T));
      const uint8_t *b = in.read(p, sizeof(T), "tensor");
      cacheRead(in, p, sizeof(T));
      v = load<T>(b);
    });
    return v;
  }
  void SetValue(uint64_t i, T v) const {
    using namespace ascendc_host;
    issueOn("GlobalTensor::SetValue", PIPE_S, typeName<T>(), true, true, [&](Instr &in) {
      Place p = in.global(*this, int64_t(i * sizeof(T)), sizeof(T), "tensor", sizeof(T));
      uint8_t *b = in.write(p, sizeof(T), "tensor");
      cacheWrite(in, p, sizeof(T));
      store<T>(b, v);
    });
  }
  class Element {
  public:
    using ElementOf = T;
    Element(const GlobalTensor &t, uint64_t i) : t(t), i(i) {}
    Element(const Element &) = default;
    operator T() const { return t.GetValue(i); }
    Element &operator=(T v) {
      t.SetValue(i, v);
      return *this;
    }
    Element &operator=(const Element &e) { return *this = T(e); }

  private:
    GlobalTensor t; // by value: t[k](i) outlives its temporary
    uint64_t i;
  };
  Element operator()(uint64_t i) const { return Element(*this, i); }
};
} // namespace AscendC
