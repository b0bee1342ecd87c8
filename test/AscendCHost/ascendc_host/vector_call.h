// Host AscendC: one vector instruction - its mask, its repeats, its strided operands.
#pragma once
#include "tensor.h"
#include <tuple>

namespace ascendc_host {
// How a call says which lanes work: a count, the first n lanes, a bit mask, or the mask register.
struct MaskArg {
  enum Kind : uint8_t { Count, Prefix, Bits, Register } kind;
  uint64_t lo = 0, hi = 0;
  static MaskArg count(int64_t n) { return {Count, uint64_t(n), 0}; }
  template <bool isSetMask = true> static MaskArg prefix(uint64_t n) {
    return {isSetMask ? Prefix : Register, n, 0};
  }
  // mask[2], {low, high}; a 32-bit type has no high lanes and VecCall wants 0 there.
  template <bool isSetMask = true> static MaskArg bits(const uint64_t *mask) {
    return isSetMask ? MaskArg{Bits, mask[0], mask[1]} : MaskArg{Register, 0, 0};
  }
};

struct VecOperand {
  Memory *mem = nullptr;
  LocalBase tensor;
  int size = 0; // bytes of an element
  int64_t blk = 1, rep = 8;
  const char *what = "";
};

// Walks the repeats of one instruction. An operand narrower than the widest one has fewer blocks a
// repeat: lane l of any operand is byte l*size of its blocks.
class VecCall {
public:
  VecCall(Instr &i, const MaskArg &mask, int64_t repeat, int laneBytes);
  // Reduce-like calls place their results themselves: packed operands are checked by hand.
  VecOperand operand(const LocalBase &t, int size, int64_t blk, int64_t rep, const char *what,
                     int64_t maxBlk = 255, int64_t maxRep = 255);
  VecOperand destination(const LocalBase &t, int size, int64_t blk, int64_t rep,
                         int64_t maxBlk = 255, int64_t maxRep = 255);
  bool next(); // to the next repeat with at least one active lane
  void source(const VecOperand &o, bool compute = true, bool ownOk = false);
  void dest(const VecOperand &o, bool ownOk = false);
  void overlap(const VecOperand &d, const VecOperand &s); // the rule inside one repeat
  // dst bytes that are placed by hand share nothing with this repeat of a source.
  void apart(Place dst, uint64_t len, const VecOperand &s);
  int lanes() const { return laneCount; }
  bool active(int l) const { return (l < 64 ? lo >> l : hi >> (l - 64)) & 1; }
  int64_t repeat() const { return r; }
  int64_t address(const VecOperand &o, int l) const {
    const int64_t byte = int64_t(l) * o.size;
    return o.tensor.addr + (r * o.rep + (byte >> 5) * o.blk) * 32 + (byte & 31);
  }
  uint8_t *at(const VecOperand &o, int l) const { return o.mem->bytes + address(o, l); }

private:
  struct Run {
    int64_t off, len;
  };
  void runs(const VecOperand &o, std::vector<Run> &out) const;
  Instr &i;
  int laneCount;
  int64_t r = -1, repeats = 0;
  bool counted = false;
  uint64_t total = 0, maskLo = 0, maskHi = 0, lo = 0, hi = 0;
  std::vector<Run> a, b;
};

// An element-wise operand: tensor, its strides, its name in reports.
template <typename T> struct Arg {
  using Type = T;
  const AscendC::LocalTensor<T> &t;
  int64_t blk = 1, rep = 8;
  const char *what = "src";
  int64_t maxBlk = 255;
};

// dst lane = f(source lanes), single-rounded by f. accumulate: dst may be the last source, folded
// repeat by repeat (the sheet allows it for a few operations when a repeat stride is 0).
template <typename D, typename F, typename... S>
void elementwise(const char *name, MaskArg mask, int64_t repeat, bool accumulate, F f, Arg<D> d,
                 Arg<S>... s) {
  constexpr size_t n = sizeof...(S);
  constexpr int sizes[] = {int(sizeof(D)), int(sizeof(S))...};
  int wide = 1;
  for (int z : sizes)
    wide = z > wide ? z : wide;
  issue(name, PIPE_V, typeName<D>(), [&](Instr &i) {
    if (mask.kind == MaskArg::Count) // contiguous, each operand at its own width
      d.rep = 8 * int64_t(sizeof(D)) / wide, ((s.rep = 8 * int64_t(sizeof(S)) / wide), ...);
    VecCall v(i, mask, repeat, wide);
    const VecOperand out = v.destination(d.t, sizeof(D), d.blk, d.rep, d.maxBlk);
    const VecOperand in[n] = {v.operand(s.t, sizeof(S), s.blk, s.rep, s.what, s.maxBlk)...};
    const VecOperand &last = in[n - 1];
    const bool own =
        accumulate && last.tensor.addr == out.tensor.addr && (out.rep == 0 || last.rep == 0);
    while (v.next()) {
      for (size_t k = 0; k < n; ++k)
        v.source(in[k], true, own && k == n - 1);
      for (size_t k = 0; k < n; ++k)
        v.overlap(out, in[k]);
      v.dest(out, own);
      for (int l = 0; l < v.lanes(); ++l)
        if (v.active(l)) {
          size_t k = 0;
          auto lane = [&](auto *type) {
            return load<std::remove_pointer_t<decltype(type)>>(v.at(in[k++], l));
          };
          // Braces order the loads left to right.
          std::tuple<S...> args{lane(static_cast<S *>(nullptr))...};
          store<D>(v.at(out, l), std::apply(f, args));
        }
    }
  });
}
} // namespace ascendc_host
