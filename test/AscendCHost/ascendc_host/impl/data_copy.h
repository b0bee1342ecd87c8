// Host AscendC, compiled once: the bodies of DataCopy, DataCopyPad, ND2NZ and the L1 fill.
#pragma once
#include "../data_copy.h"
#include "shadow.h"

namespace ascendc_host {
using AscendC::DataCopyParams;

static bool isUB(TPosition p) {
  return p == TPosition::VECIN || p == TPosition::VECOUT || p == TPosition::VECCALC;
}

// The blocks of a copy in bytes: count of them, their length, the step from start to start.
struct Blocks {
  int64_t count, len, srcStep, dstStep;
};
static Blocks blocksOf(Instr &i, Elem e, const DataCopyParams *p, int64_t count, int64_t unit,
                       int64_t srcGapUnit, int64_t dstGapUnit) {
  if (!p) {
    const int64_t bytes = count * e.size;
    if (bytes % unit)
      i.stop("count * sizeof(T) is %lld bytes, not a multiple of %lld: the chip would round down",
             (long long)bytes, (long long)unit);
    return {bytes ? 1 : 0, bytes, 0, 0};
  }
  i.range("blockCount", p->blockCount, 0, 4095);
  i.range("blockLen", p->blockLen, 0, 65535);
  i.range("srcGap", p->srcGap, 0, 65535);
  i.range("dstGap", p->dstGap, 0, 65535);
  const int64_t len = p->blockLen * unit;
  return {len ? p->blockCount : 0, len, len + p->srcGap * srcGapUnit, len + p->dstGap * dstGapUnit};
}

void copyIn(Elem e, const LocalBase &dst, const GlobalBase &src, const DataCopyParams *p,
            int64_t count) {
  const bool l1 = isL1(dst.pos);
  issueOn("DataCopy", PIPE_MTE2, e.name, l1, !l1, [&](Instr &i) {
    const Blocks b = blocksOf(i, e, p, count, 32, 32, 32);
    const Place to = i.local(dst, l1 ? Space::L1 : Space::UB, 32, "dst");
    for (int64_t k = 0; k < b.count; ++k) {
      i.inside(dst, dst.addr + k * b.dstStep, b.len, "dst");
      i.move({to.mem, to.off + uint64_t(k * b.dstStep)},
             i.global(src, k * b.srcStep, e.size, "src", b.len), uint64_t(b.len), "dst", "src");
    }
  });
}

static void storeBlocks(Instr &i, Elem e, const GlobalBase &dst, const LocalBase &src, Blocks b,
                        int64_t align) {
  const Place from = i.local(src, Space::UB, 32, "src");
  for (int64_t k = 0; k < b.count; ++k) {
    i.inside(src, src.addr + k * b.srcStep, b.len, "src");
    const uint8_t *data =
        i.read({from.mem, from.off + uint64_t(k * b.srcStep)}, uint64_t(b.len), "src");
    i.storeGlobal(i.global(dst, k * b.dstStep, align, "dst", b.len), data, uint64_t(b.len), e.name,
                  "dst");
  }
}

void copyOut(Elem e, const GlobalBase &dst, const LocalBase &src, const DataCopyParams *p,
             int64_t count) {
  issue("DataCopy", PIPE_MTE3, e.name, [&](Instr &i) {
    if (!isUB(src.pos) && src.valid)
      i.stop("src is not in UB: the path to GM from there is Fixpipe (L0C) or none (L1)");
    storeBlocks(i, e, dst, src, blocksOf(i, e, p, count, 32, 32, 32), e.size);
  });
}

void copyLocal(Elem e, const LocalBase &dst, const LocalBase &src, const DataCopyParams *p,
               int64_t count) {
  const bool bias = dst.pos == TPosition::C2;
  issue("DataCopy", bias ? PIPE_MTE1 : PIPE_V, e.name, [&](Instr &i) {
    if (isUB(src.pos) && isL1(dst.pos))
      i.stop("UB to L1 does not exist on 910B in static style: go through GM");
    if (isL1(src.pos) && isUB(dst.pos))
      i.stop(kIs950 ? "L1 to UB is DataCopyL1ToUB, of the AIC" : "L1 to UB exists on 950 only");
    // Into the bias table blockLen and dstGap count 64 B on 910B and, an even number of, 32 B on
    // 950.
    const int64_t unit = bias && !kIs950 ? 64 : 32, align = bias ? 64 : 32;
    if (bias && kIs950 && p && p->blockLen % 2)
      i.stop("blockLen is %lld, which is even for the bias table", (long long)p->blockLen);
    const Blocks b = blocksOf(i, e, p, count, p ? unit : align, 32, unit);
    const Place to = i.local(dst, bias ? Space::BT : Space::UB, align, "dst");
    const Place from = i.local(src, bias ? Space::L1 : Space::UB, 32, "src");
    for (int64_t k = 0; k < b.count; ++k) {
      const int64_t s = src.addr + k * b.srcStep, d = dst.addr + k * b.dstStep;
      i.inside(src, s, b.len, "src");
      i.inside(dst, d, b.len, "dst");
      if (!bias && s != d && s < d + b.len && d < s + b.len)
        i.fail("dst [0x%llx,0x%llx) and src [0x%llx,0x%llx) overlap partly", (long long)d,
               (long long)(d + b.len), (long long)s, (long long)(s + b.len));
      i.move({to.mem, uint64_t(d)}, {from.mem, uint64_t(s)}, uint64_t(b.len), "dst", "src");
    }
  });
}

static void moveBlocks(Instr &i, const LocalBase &dst, const LocalBase &src, Place to, Place from,
                       Blocks b) {
  for (int64_t k = 0; k < b.count; ++k) {
    i.inside(src, src.addr + k * b.srcStep, b.len, "src");
    i.inside(dst, dst.addr + k * b.dstStep, b.len, "dst");
    i.move({to.mem, to.off + uint64_t(k * b.dstStep)},
           {from.mem, from.off + uint64_t(k * b.srcStep)}, uint64_t(b.len), "dst", "src");
  }
}

void copyToL1(Elem e, const LocalBase &dst, const LocalBase &src, const DataCopyParams *p,
              int64_t count, bool enabled) {
  issueOn("DataCopy", PIPE_MTE3, e.name, false, true, [&](Instr &i) {
    if (!isUB(src.pos))
      i.stop("dst is in L1: src has to be in UB, or in GM");
    if (!isMixed())
      i.stop("UB to L1 writes the AIC of the cluster: the kernel has to be a mixed one");
    if (!enabled)
      i.stop("UB to L1 without -DENABLE_CV_COMM_VIA_SSBUF=true goes silently through GM");
    const Blocks b = blocksOf(i, e, p, count, 32, 32, 32);
    moveBlocks(i, dst, src, i.localOf(-1, dst, Space::L1, 32, "dst"),
               i.local(src, Space::UB, 32, "src"), b);
  });
}

void copyL1ToUB(Elem e, const LocalBase &dst, const LocalBase &src, const DataCopyParams *p,
                int64_t count, int sub) {
  issueOn("DataCopyL1ToUB", PIPE_MTE3, e.name, true, false, [&](Instr &i) {
    if (vectorCoreRatio() != 2)
      i.stop("exists in KERNEL_TYPE_MIX_AIC_1_2 only");
    const Blocks b = blocksOf(i, e, p, count, 32, 32, 32);
    moveBlocks(i, dst, src, i.localOf(sub, dst, Space::UB, 32, "dst"),
               i.local(src, Space::L1, 32, "src"), b);
  });
}

void copyNd2Nz(Elem e, const LocalBase &dst, const GlobalBase &src, const AscendC::Nd2NzParams &p) {
  issueOn("DataCopy(Nd2Nz)", PIPE_MTE2, e.name, true, false, [&](Instr &i) {
    i.range("ndNum", p.ndNum, 0, 4095);
    i.range("nValue", p.nValue, 0, 16384);
    i.range("dValue", p.dValue, 0, 65535);
    i.range("srcNdMatrixStride", p.srcNdMatrixStride, 0, kIs950 ? INT64_MAX : 65535);
    i.range("srcDValue", p.srcDValue, 1, kIs950 ? INT64_MAX : 65535);
    i.range("dstNzC0Stride", p.dstNzC0Stride, 1, 16384);
    i.range("dstNzNStride", p.dstNzNStride, 1, 16384);
    i.range("dstNzMatrixStride", p.dstNzMatrixStride, 0, kIs950 ? UINT32_MAX : 65535);
    const Place to = i.local(dst, Space::L1, 32, "dst");
    const int64_t rowBytes = p.dValue * e.size;
    if (p.dstNzMatrixStride * e.size % 32)
      i.stop("dstNzMatrixStride is %lld bytes, not a multiple of 32",
             (long long)(p.dstNzMatrixStride * e.size));
    for (int64_t nd = 0; nd < p.ndNum; ++nd)
      for (int64_t n = 0; n < p.nValue && rowBytes; ++n) {
        const Place row = i.global(src, (nd * p.srcNdMatrixStride + n * p.srcDValue) * e.size,
                                   e.size, "src", rowBytes);
        const uint8_t *data = i.read(row, uint64_t(rowBytes), "src");
        for (int64_t c = 0; c * 32 < rowBytes; ++c) {
          const int64_t off =
              nd * p.dstNzMatrixStride * e.size + (c * p.dstNzC0Stride + n * p.dstNzNStride) * 32;
          i.inside(dst, dst.addr + off, 32, "dst");
          uint8_t *o = i.write({to.mem, to.off + uint64_t(off)}, 32, "dst");
          const int64_t len = std::min<int64_t>(32, rowBytes - c * 32);
          std::memset(o, 0, 32); // tail columns are zero-filled
          std::memcpy(o, data + c * 32, size_t(len));
        }
      }
  });
}

static void extRanges(Instr &i, Elem e, const AscendC::DataCopyExtParams &p, bool in) {
  i.range("blockCount", p.blockCount, 0, 4095);
  i.range("blockLen", p.blockLen, 0, 2097151);
  // 32 bits without sign on the 910B; on the 950 a load may step back over what it has read.
  const int64_t most = kIs950 ? (int64_t(1) << 40) - 1 : UINT32_MAX,
                least = in && kIs950 ? -p.blockLen : 0;
  const int64_t blocks = kIs950 ? 65535 : UINT32_MAX;
  if (in) {
    i.range("srcStride (bytes)", p.srcStride, least, most);
    i.range("dstStride (32 B blocks)", p.dstStride, 0, blocks);
  } else {
    i.range("srcStride (32 B blocks)", p.srcStride, 0, blocks);
    i.range("dstStride (bytes)", p.dstStride, 0, most);
  }
  i.range("rsv", p.rsv, 0, 0);
  if (p.blockLen % e.size)
    i.stop("blockLen is %lld bytes, not a multiple of sizeof(T) = %lld", (long long)p.blockLen,
           (long long)e.size);
}

void padIn(Elem e, const LocalBase &dst, const GlobalBase &src, const AscendC::DataCopyExtParams &p,
           const PadSpec &pad) {
  issueOn("DataCopyPad", PIPE_MTE2, e.name, false, true, [&](Instr &i) {
    extRanges(i, e, p, true);
    const int64_t left = pad.left * e.size, right = pad.right * e.size;
    i.range("leftPadding in bytes", left, 0, 32);
    i.range("rightPadding in bytes", right, 0, 32);
    if (!pad.isPad && (left || right))
      i.stop("isPad is false and leftPadding or rightPadding is not 0");
    if (pad.isPad && e.size == 8 && pad.value)
      i.stop("paddingValue of a 64-bit type must be 0");
    const Place to = i.local(dst, Space::UB, 32, "dst");
    const Registers &reg = registers();
    for (int64_t k = 0; k < p.blockCount && p.blockLen; ++k) {
      const int64_t used = left + p.blockLen + right, whole = (used + 31) / 32 * 32;
      const int64_t off = k * (whole + p.dstStride * 32);
      i.inside(dst, dst.addr + off, whole, "dst");
      const Place from = i.global(src, k * (p.blockLen + p.srcStride), 1, "src", p.blockLen);
      const uint8_t *data = i.read(from, uint64_t(p.blockLen), "src");
      const Place at{to.mem, to.off + uint64_t(off)};
      uint8_t *o = i.write(at, uint64_t(whole), "dst");
      const bool filled = !pad.isPad && reg.padSet; // SetPadValue names the filler then
      const uint64_t value = filled ? reg.padValue : pad.value;
      for (int64_t x = 0; x + e.size <= whole; x += e.size)
        std::memcpy(o + x, &value, size_t(e.size));
      std::memcpy(o + left, data, size_t(p.blockLen));
      if (!filled) // what rounds the block up to 32 B holds no promised value
        i.setDefined({at.mem, at.off + uint64_t(used)}, uint64_t(whole - used), false);
    }
  });
}

void padOut(Elem e, const GlobalBase &dst, const LocalBase &src,
            const AscendC::DataCopyExtParams &p) {
  issue("DataCopyPad", PIPE_MTE3, e.name, [&](Instr &i) {
    extRanges(i, e, p, false);
    const int64_t whole = (p.blockLen + 31) / 32 * 32;
    storeBlocks(i, e, dst, src,
                {p.blockLen ? p.blockCount : 0, p.blockLen, whole + p.srcStride * 32,
                 p.blockLen + p.dstStride},
                1);
  });
}

// The sheet names no pipe for the L1 fill: it is taken as MTE2, the pipe that writes L1 from GM.
void fillL1(Elem e, const char *name, const LocalBase &dst, int64_t repeat, int64_t blocks,
            int64_t gap, uint64_t value) {
  issueOn(name, PIPE_MTE2, e.name, true, false, [&](Instr &i) {
    i.range("repeatTimes", repeat, 0, 65535);
    i.range("blockNum", blocks, 0, 65535);
    i.range("dstGap", gap, 0, 65535);
    const Place to = i.local(dst, Space::L1, 32, "dst");
    for (int64_t r = 0; r < repeat && blocks; ++r) {
      const int64_t off = r * (blocks + gap) * 32;
      i.inside(dst, dst.addr + off, blocks * 32, "dst");
      uint8_t *o = i.write({to.mem, to.off + uint64_t(off)}, uint64_t(blocks * 32), "dst");
      for (int64_t x = 0; x < blocks * 32; x += e.size)
        std::memcpy(o + x, &value, size_t(e.size));
    }
  });
}
} // namespace ascendc_host
