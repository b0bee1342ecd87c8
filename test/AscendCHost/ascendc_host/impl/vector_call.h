// Host AscendC, compiled once: the mask, repeat, alignment and overlap rules of vector calls.
#pragma once
#include "../vector_call.h"
#include "shadow.h"

namespace ascendc_host {
static uint64_t lowBits(int64_t n) { return n <= 0 ? 0 : n >= 64 ? ~0ull : (1ull << n) - 1; }

VecCall::VecCall(Instr &i, const MaskArg &mask, int64_t repeat, int laneBytes)
    : i(i), laneCount(256 / (laneBytes < 2 ? 2 : laneBytes)) {
  Registers &reg = registers();
  // On the 910B nothing happens; the 950 does not promise it.
  if (kIs950 && mask.kind == MaskArg::Count && mask.lo == 0)
    i.stop("count is 0, which means nothing on the 910B only");
  if (kIs950 && mask.kind != MaskArg::Count && !reg.counter && repeat == 0)
    i.stop("repeat is 0, which means nothing on the 910B only");
  if (kIs950 && mask.kind == MaskArg::Prefix && mask.lo == 0)
    i.stop("mask is 0, which means nothing on the 910B only");
  if (mask.kind == MaskArg::Count) {
    i.range("count", int64_t(mask.lo), 0, INT32_MAX);
    counted = true;
    total = mask.lo;
    reg.counter = false; // the count form leaves Normal mode and a full mask behind
    reg.maskLo = reg.maskHi = ~0ull;
    reg.maskKnown = true;
  } else if (mask.kind == MaskArg::Register) {
    if (kIs950)
      i.stop("isSetMask = false: on the 950 the mask register is emulated with TPipe's events");
    if (!reg.maskKnown)
      i.stop("the mask register is used (isSetMask = false) after a call that changed it");
    counted = reg.counter;
    total = reg.maskLo;
    maskLo = reg.maskLo;
    maskHi = reg.maskHi;
    if (!counted) { // a register set for wide masks serves narrow types by its low lanes
      maskLo &= lowBits(laneCount);
      maskHi &= lowBits(laneCount - 64);
    }
  } else if (reg.counter) {
    if (kIs950)
      i.stop("Counter mode: on the 950 it is emulated with TPipe's events");
    if (mask.kind == MaskArg::Bits)
      i.stop("a bit mask in Counter mode");
    counted = true;
    total = mask.lo;
    reg.maskLo = total;
    reg.maskHi = 0;
    reg.maskKnown = true;
  } else {
    if (mask.kind == MaskArg::Prefix) {
      if (mask.lo > uint64_t(laneCount))
        i.stop("mask is %llu, allowed [0, %d] lanes", (unsigned long long)mask.lo, laneCount);
      maskLo = lowBits(int64_t(mask.lo));
      maskHi = lowBits(int64_t(mask.lo) - 64);
    } else {
      maskLo = mask.lo;
      maskHi = mask.hi;
      if ((maskLo & ~lowBits(laneCount)) || (maskHi & ~lowBits(laneCount - 64)))
        i.stop("the bit mask {0x%llx, 0x%llx} has lanes beyond the %d of this type",
               (unsigned long long)maskLo, (unsigned long long)maskHi, laneCount);
    }
    reg.maskLo = maskLo;
    reg.maskHi = maskHi;
    reg.maskKnown = true;
  }
  if (counted) {
    repeats = int64_t(ceilDiv(total, uint64_t(laneCount)));
  } else {
    i.range("repeat", repeat, 0, 255);
    repeats = repeat;
  }
}

VecOperand VecCall::operand(const LocalBase &t, int size, int64_t blk, int64_t rep,
                            const char *what, int64_t maxBlk, int64_t maxRep) {
  if (blk < 0 || blk > maxBlk)
    i.stop("%s block stride is %lld, allowed [0, %lld]", what, (long long)blk, (long long)maxBlk);
  if (rep < 0 || rep > maxRep)
    i.stop("%s repeat stride is %lld, allowed [0, %lld]", what, (long long)rep, (long long)maxRep);
  VecOperand o;
  o.mem = i.local(t, Space::UB, 32, what).mem;
  o.tensor = t;
  o.size = size;
  o.blk = blk;
  o.rep = rep;
  o.what = what;
  return o;
}

VecOperand VecCall::destination(const LocalBase &t, int size, int64_t blk, int64_t rep,
                                int64_t maxBlk, int64_t maxRep) {
  if (blk == 0)
    i.stop("dst block stride is 0, which is undefined");
  return operand(t, size, blk, rep, "dst", maxBlk, maxRep);
}

bool VecCall::next() {
  while (++r < repeats) {
    if (counted) {
      const int64_t left = int64_t(total) - r * laneCount;
      lo = lowBits(std::min<int64_t>(left, laneCount));
      hi = lowBits(std::min<int64_t>(left, laneCount) - 64);
    } else {
      lo = maskLo;
      hi = maskHi;
    }
    if (lo | hi)
      return true;
  }
  return false;
}

void VecCall::runs(const VecOperand &o, std::vector<Run> &out) const {
  out.clear();
  const bool full = lo == lowBits(laneCount) && hi == lowBits(laneCount - 64);
  if (full && o.blk == 1) {
    out.push_back({address(o, 0), int64_t(laneCount) * o.size});
    return;
  }
  for (int l = 0; l < laneCount; ++l) {
    if (!active(l))
      continue;
    const int64_t a = address(o, l);
    if (!out.empty() && out.back().off + out.back().len == a)
      out.back().len += o.size;
    else if (out.empty() || a != out.back().off + out.back().len - o.size || o.blk)
      out.push_back({a, o.size});
  }
}

void VecCall::source(const VecOperand &o, bool compute, bool ownOk) {
  runs(o, a);
  i.ownWriteOk = ownOk;
  for (const Run &x : a) {
    i.inside(o.tensor, x.off, x.len, o.what);
    i.read({o.mem, uint64_t(x.off)}, uint64_t(x.len), o.what, compute);
  }
  i.ownWriteOk = false;
}

void VecCall::dest(const VecOperand &o, bool ownOk) {
  runs(o, a);
  i.ownWriteOk = ownOk;
  for (const Run &x : a) {
    i.inside(o.tensor, x.off, x.len, o.what);
    i.write({o.mem, uint64_t(x.off)}, uint64_t(x.len), o.what);
  }
  i.ownWriteOk = false;
}

void VecCall::overlap(const VecOperand &d, const VecOperand &s) {
  const bool same = address(d, 0) == address(s, 0);
  // A narrowing cast in place reads ahead of what it writes; widening never may overlap.
  if (same && (d.size == s.size ? d.blk == s.blk : d.size < s.size && d.blk == 1 && s.blk == 1))
    return;
  runs(d, a);
  runs(s, b);
  if (a.empty() || b.empty() || i.ownReported)
    return;
  for (const Run &x : a)
    for (const Run &y : b)
      if (x.off < y.off + y.len && y.off < x.off + x.len) {
        i.ownReported = true;
        i.fail("dst [0x%llx,0x%llx) and %s [0x%llx,0x%llx) overlap partly inside one repeat",
               (long long)x.off, (long long)(x.off + x.len), s.what, (long long)y.off,
               (long long)(y.off + y.len));
        return;
      }
}

void VecCall::apart(Place dst, uint64_t len, const VecOperand &s) {
  runs(s, b);
  for (const Run &y : b)
    if (int64_t(dst.off) < y.off + y.len && y.off < int64_t(dst.off + len) && !i.ownReported) {
      i.ownReported = true;
      i.fail("dst [0x%llx,0x%llx) and %s [0x%llx,0x%llx) overlap partly inside one repeat",
             (unsigned long long)dst.off, (unsigned long long)(dst.off + len), s.what,
             (long long)y.off, (long long)(y.off + y.len));
    }
}
} // namespace ascendc_host
