// Host AscendC, compiled once: the L1 -> L0 loads and the parameter checks of Mmad and Fixpipe.
#pragma once
#include "../cube.h"
#include "shadow.h"

namespace ascendc_host {
Space loadTarget(Instr &i, const LocalBase &dst) {
  if (dst.valid && dst.pos != TPosition::A2 && dst.pos != TPosition::B2)
    i.stop("dst has to be A2 or B2");
  return dst.pos == TPosition::A2 ? Space::L0A : Space::L0B;
}

// Moves one element with its definedness between two fractals already read and written.
static void moveElement(Place dst, Place src, int64_t d, int64_t s, int64_t size) {
  std::memcpy(dst.mem->bytes + dst.off + d, src.mem->bytes + src.off + s, size_t(size));
  std::memcpy(dst.mem->def + dst.off + d, src.mem->def + src.off + s, size_t(size));
}

void loadFractals(Elem e, const LocalBase &dst, const LocalBase &src,
                  const AscendC::LoadData2DParams &p) {
  issue("LoadData", PIPE_MTE1, e.name, [&](Instr &i) {
    i.range("startIndex", p.startIndex, 0, 65535);
    i.range("repeatTimes", p.repeatTimes, 0, 255);
    i.range("srcStride", p.srcStride, 0, 65535);
    i.range("dstGap", p.dstGap, 0, kIs950 ? 0 : 65535); // the 950 ignores it
    i.range("sid", p.sid, 0, 0);
    i.range("addrMode", p.addrMode, 0, 0);
    if (p.ifTranspose && e.size != 2)
      i.stop("ifTranspose exists for 16-bit types only, %s has %lld bytes", e.name,
             (long long)e.size);
    const Place to = i.local(dst, loadTarget(i, dst), 512, "dst");
    const Place from = i.local(src, Space::L1, 32, "src");
    for (int64_t r = 0; r < p.repeatTimes; ++r) {
      const int64_t s = (p.startIndex + r * p.srcStride) * 512, d = r * (1 + p.dstGap) * 512;
      i.inside(src, src.addr + s, 512, "src");
      i.inside(dst, dst.addr + d, 512, "dst");
      const Place ps{from.mem, from.off + uint64_t(s)}, pd{to.mem, to.off + uint64_t(d)};
      if (!p.ifTranspose) {
        i.move(pd, ps, 512, "dst", "src");
        continue;
      }
      i.read(ps, 512, "src", false);
      i.write(pd, 512, "dst");
      for (int64_t y = 0; y < 16; ++y)
        for (int64_t x = 0; x < 16; ++x)
          moveElement(pd, ps, (x * 16 + y) * 2, (y * 16 + x) * 2, 2);
    }
  });
}

// A matrix of fractals: source fractal (row y, column x) lies y + x * srcStride behind the start,
// and comes to y + x * dstStride, or turned round to x + y * dstStride.
// Squares of 32x32 bytes or 16x16 words, each of two fractals in L1 and in L0B.
static void turnSquares(Instr &i, Elem e, const LocalBase &dst, const LocalBase &src,
                        const AscendC::LoadData2DParamsV2 &p) {
  const Place to = i.local(dst, loadTarget(i, dst), 512, "dst");
  const Place from = i.local(src, Space::L1, 32, "src");
  const int64_t start = p.kStartPosition * p.srcStride + p.mStartPosition;
  const int64_t rows = p.mStep * 16, c0 = 32 / e.size, cols = p.kStep * c0;
  for (int64_t x = 0; x < p.kStep; ++x)
    for (int64_t y = 0; y < p.mStep; ++y) {
      const int64_t s = (start + x * p.srcStride + y) * 512;
      i.inside(src, src.addr + s, 512, "src");
      i.read({from.mem, from.off + uint64_t(s)}, 512, "src", false);
    }
  for (int64_t row = 0; row < rows; row += c0)
    for (int64_t col = 0; col < cols; col += 16) {
      const int64_t d = (row / c0 * p.dstStride + col / 16) * 512;
      i.inside(dst, dst.addr + d, 512, "dst");
      i.write({to.mem, to.off + uint64_t(d)}, 512, "dst");
    }
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t col = 0; col < cols; ++col) {
      const int64_t s =
          (start + col / c0 * p.srcStride + row / 16) * 512 + row % 16 * 32 + col % c0 * e.size;
      const int64_t d =
          (row / c0 * p.dstStride + col / 16) * 512 + col % 16 * 32 + row % c0 * e.size;
      moveElement(to, from, d, s, e.size);
    }
}

void loadMatrix(Elem e, const LocalBase &dst, const LocalBase &src,
                const AscendC::LoadData2DParamsV2 &p) {
  issue("LoadData", PIPE_MTE1, e.name, [&](Instr &i) {
    if (!kIs950)
      i.stop("LoadData2DParamsV2 is not supported on 910B");
    i.range("mStartPosition", p.mStartPosition, 0, UINT32_MAX);
    i.range("kStartPosition", p.kStartPosition, 0, UINT32_MAX);
    i.range("mStep", p.mStep, 0, 255);
    i.range("kStep", p.kStep, 0, 255);
    i.range("srcStride", p.srcStride, 0, INT32_MAX);
    i.range("dstStride", p.dstStride, 0, 65535);
    i.range("sid", p.sid, 0, 0);
    if (p.ifTranspose && e.size == 1 && p.mStep != 2)
      i.stop("ifTranspose of 8 bits takes squares of two fractals, mStep 2; found %lld",
             (long long)p.mStep);
    if (p.ifTranspose && e.size == 4 && p.kStep % 2)
      i.stop("ifTranspose of 32 bits takes squares of two fractals, kStep even; found %lld",
             (long long)p.kStep);
    if (p.ifTranspose && e.size != 2 && loadTarget(i, dst) == Space::L0A)
      i.stop("ifTranspose of %s into L0A is left out of the host header", e.name);
    if (p.ifTranspose && e.size != 2) {
      turnSquares(i, e, dst, src, p);
      return;
    }
    const int64_t across = p.ifTranspose ? p.mStep : p.kStep,
                  down = p.ifTranspose ? p.kStep : p.mStep;
    if (across > 1 && p.dstStride < down)
      i.stop("dstStride is %lld, less than the %lld fractals of a column: they would overlap",
             (long long)p.dstStride, (long long)down);
    const Place to = i.local(dst, loadTarget(i, dst), 512, "dst");
    const Place from = i.local(src, Space::L1, 32, "src");
    const int64_t start = p.kStartPosition * p.srcStride + p.mStartPosition;
    for (int64_t x = 0; x < p.kStep; ++x)
      for (int64_t y = 0; y < p.mStep; ++y) {
        const int64_t s = (start + x * p.srcStride + y) * 512;
        const int64_t d = (p.ifTranspose ? y * p.dstStride + x : x * p.dstStride + y) * 512;
        i.inside(src, src.addr + s, 512, "src");
        i.inside(dst, dst.addr + d, 512, "dst");
        const Place ps{from.mem, from.off + uint64_t(s)}, pd{to.mem, to.off + uint64_t(d)};
        if (!p.ifTranspose) {
          i.move(pd, ps, 512, "dst", "src");
          continue;
        }
        i.read(ps, 512, "src", false);
        i.write(pd, 512, "dst");
        for (int64_t r = 0; r < 16; ++r)
          for (int64_t c = 0; c < 16; ++c)
            moveElement(pd, ps, (c * 16 + r) * 2, (r * 16 + c) * 2, 2);
      }
  });
}

// A square is 32x32 of 8 bits or 16x16 of 16 or 32 bits, in one or two source fractals.
void loadSquares(Elem e, const LocalBase &dst, const LocalBase &src,
                 const AscendC::LoadData2dTransposeParamsV2 &p) {
  issue("LoadDataWithTranspose", PIPE_MTE1, e.name, [&](Instr &i) {
    i.range("startIndex", p.startIndex, 0, 65535);
    i.range("repeatTimes", p.repeatTimes, 0, 255);
    i.range("srcStride", p.srcStride, 0, 65535);
    i.range("dstGap", p.dstGap, 0, 65535);
    i.range("dstFracGap", p.dstFracGap, 0, 65535);
    i.range("srcFracGap", p.srcFracGap, 0, 65535);
    i.range("addrMode", p.addrMode, 0, 0);
    const Space target = loadTarget(i, dst);
    if (kIs950 && target == Space::L0A)
      i.stop("LoadDataWithTranspose on 950 loads L0B only");
    if (e.size == 1 && target == Space::L0A)
      i.stop("8-bit transposes into L0A are left out of the host header: L0B only");
    const Place to = i.local(dst, target, 512, "dst"), from = i.local(src, Space::L1, 32, "src");
    const int64_t fractals = e.size == 2 ? 1 : 2, side = e.size == 1 ? 32 : 16;
    const int64_t c0 = 32 / e.size;
    for (int64_t r = 0; r < p.repeatTimes; ++r) {
      const int64_t s = (p.startIndex + r * p.srcStride) * fractals * 512;
      const Place ps{from.mem, from.off + uint64_t(s)};
      for (int64_t f = 0; f < fractals; ++f) {
        const int64_t at = s + f * (1 + p.srcFracGap) * 512;
        i.inside(src, src.addr + at, 512, "src");
        i.read({from.mem, from.off + uint64_t(at)}, 512, "src", false);
        const int64_t d = (r * (1 + p.dstGap) + f * (1 + p.dstFracGap)) * 512;
        i.inside(dst, dst.addr + d, 512, "dst");
        i.write({to.mem, to.off + uint64_t(d)}, 512, "dst");
      }
      // Element (row, col) of the square becomes (col, row): 16 rows of C0 each fractal.
      for (int64_t row = 0; row < side; ++row)
        for (int64_t col = 0; col < side; ++col) {
          // Source: 8-bit squares stack their fractals in rows, 32-bit ones side by side.
          const int64_t sf = row / 16 + col / c0,
                        sAt =
                            sf * (1 + p.srcFracGap) * 512 + row % 16 * 32 + col % c0 * e.size;
          const int64_t df = col / 16 + row / c0;
          const int64_t dAt = (r * (1 + p.dstGap) + df * (1 + p.dstFracGap)) * 512 + col % 16 * 32 +
                              row % c0 * e.size;
          moveElement(to, ps, dAt, sAt, e.size);
        }
    }
  });
}

static void checkUnitFlag(Instr &i, int64_t unitFlag) {
  if (unitFlag != 0 && unitFlag != 2 && unitFlag != 3)
    i.stop("unitFlag is %lld, allowed 0, 2 and 3", (long long)unitFlag);
}

// A product waits until the flag is clear, and with 3 sets it; Fixpipe waits until it is set, and
// with 3 clears it.
void passUnitFlags(Instr &i, Place at, int64_t count, int64_t unitFlag, bool product) {
  if (!unitFlag)
    return;
  Core &c = *world().core;
  const int slot = slotOf(i.pipe);
  for (int64_t k = 0; k < count; ++k) {
    UnitFlag &flag = c.unitFlags[at.off / 1024 + uint64_t(k)];
    if (flag.set == product)
      i.stop(product ? "deadlock: the unit flag of C at 0x%llx is set, and no Fixpipe cleared it"
                     : "deadlock: the unit flag of C at 0x%llx is clear, and no Mmad set it",
             (unsigned long long)(at.off + uint64_t(k) * 1024));
    if (!flag.clock.empty())
      join(c.clock[slot], flag.clock);
  }
  if (unitFlag == 3)
    for (int64_t k = 0; k < count; ++k)
      c.unitFlags[at.off / 1024 + uint64_t(k)] = {product, doneClock(c, slot)};
}

void mmadChecks(Instr &i, const AscendC::MmadParams &p, bool isFloat, bool bias) {
  i.range("m", p.m, 0, 4095);
  i.range("n", p.n, 0, 4095);
  i.range("k", p.k, 0, 4095);
  checkUnitFlag(i, p.unitFlag);
  if (p.enSsparse || p.enWinogradA || p.enWinogradB || p.fmOffset || p.isBias)
    i.stop("isBias, fmOffset, enSsparse and enWinograd* are left out of the host header");
  if (p.cmatrixSource && !bias)
    i.stop("cmatrixSource without a bias operand is left out of the host header");
  if (isFloat && registers().hf32)
    i.stop("float Mmad under SetHF32Mode(true): its rounding is not modelled");
  const bool big = ((p.m + 15) / 16) * ((p.n + 15) / 16) >= 10;
  i.bigMmad = world().launch->issued[i.id].bigMmad = big;
}

void fixpipeChecks(Instr &i, const FixCall &p, const char *dstType, bool fromInt) {
  i.range("nSize", p.nSize, 0, 4095);
  i.range("mSize", p.mSize, 0, p.nz ? 65535 : 8192);
  i.range("srcStride", p.srcStride, 0, 65535);
  i.range("dstStride", p.dstStride, 0, UINT32_MAX);
  i.range("ndNum", p.matrices, 1, 1); // the units of the nd strides are not settled: one a call
  checkUnitFlag(i, p.unitFlag);
  if (p.unitFlag && !kIs950 && registers().readByRows != int(!p.nz))
    i.fail("unitFlag needs %s before the products: Fixpipe %s",
           p.nz ? "SetMMColumnMajor()" : "SetMMRowMajor()",
           p.nz ? "keeps the layout" : "makes rows");
  if (p.isChannelSplit && (!p.nz || p.toL1 || std::strcmp(dstType, "float")))
    i.stop("isChannelSplit is for float in NZ layout");
  if (p.nz && p.nSize % (p.isChannelSplit ? 8 : 16))
    i.stop("nSize is %lld, not a multiple of %d", (long long)p.nSize, p.isChannelSplit ? 8 : 16);
  if (p.srcStride < p.mSize && p.nSize > 16)
    i.stop("srcStride is %lld, less than mSize %lld: columns of fractals would overlap",
           (long long)p.srcStride, (long long)p.mSize);
  if (!p.nz && p.mSize > 1 && p.dstStride < p.rowColumns)
    i.stop("dstStride is %lld elements, less than %s %lld: rows would overlap",
           (long long)p.dstStride, p.rowColumns == p.nSize ? "nSize" : "half of nSize,",
           (long long)p.rowColumns);
  const std::string d = dstType;
  QuantMode_t want = NoQuant;
  if (fromInt)
    want = d == "half" ? DEQF16 : d == "int32_t" ? NoQuant : REQ8;
  else
    want = d == "half"         ? F322F16
           : d == "bfloat16_t" ? F322BF16
           : d == "float"      ? NoQuant
                               : QF322B8_PRE;
  if (p.quantPre != want)
    i.stop("quantPre is %d, %s -> %s needs %d (it is never inferred)", int(p.quantPre),
           fromInt ? "int32_t" : "float", dstType, int(want));
  if ((want == DEQF16 || want == REQ8 || want == QF322B8_PRE) &&
      p.deqScalar == AscendC::kNotAssigned)
    i.stop("deqScalar has no initial value: assign it");
}

#if __NPU_ARCH__ == 3510
void fixToUBChecks(Instr &i, const FixCall &p, int64_t dual, int64_t size) {
  i.range("dualDstCtl", dual, 0, 2);
  if (!isMixed())
    i.stop("to UB it writes the AIVs of the cluster: the kernel has to be a mixed one");
  if (dual && vectorCoreRatio() != 2)
    i.stop("dualDstCtl is %lld, which wants KERNEL_TYPE_MIX_AIC_1_2", (long long)dual);
  if (p.nz)
    i.stop("NZ into UB is left out of the host header");
  const bool converts = p.quantPre != NoQuant || p.reluEn;
  if (dual && converts)
    i.stop("dualDstCtl is %lld, with quantPre or reluEn: it splits FP32 and int32 as they are",
           (long long)dual);
  if (dual == 1 && p.mSize % 2)
    i.stop("mSize is %lld, which is even with dualDstCtl 1", (long long)p.mSize);
  if (dual == 2 && p.nSize % 32)
    i.stop("nSize is %lld, a multiple of 32 with dualDstCtl 2", (long long)p.nSize);
  if (p.nSize * size % 32 || p.dstStep % 32)
    i.stop(
        "rows in UB are multiples of 32 bytes: nSize %lld, dstStride %lld elements of %lld bytes",
        (long long)p.nSize, (long long)p.dstStride, (long long)size);
}
#endif
} // namespace ascendc_host
