//===- Target.cpp - What a chip is ----------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Target/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <deque>

using namespace mlir;
using namespace mlir::pto;

//===----------------------------------------------------------------------===//
// Ascend 910B (A2, A3)
//===----------------------------------------------------------------------===//

static const TargetInfo ascend910B = {
    /*name=*/"910B",
    /*cubeCores=*/24,
    /*vectorCores=*/48,
    /*eventIds=*/6, // 8 in hardware; 6 and 7 belong to the kit in static-tensor style
    /*maxBuffers=*/64,
    /*maxRepeats=*/255,
    /*maxRepeatStride=*/255,
    /*maxBlockCount=*/4095,
    /*maxMatmulDim=*/4095,
    /*mixedReserve=*/256,
    // Sources, in full in docs/cost-model.md. [ini]: Ascend910B2C.ini of CANN's runtime, 24
    // cube and 48 vector cores. [tik]: CANN 8.0, Tiling Principles. [copy], [align], [cores]:
    // Ascend C best practices. What is marked assumed is published nowhere: a round number.
    /*cost=*/
    {
        /*clockMHz=*/1800,   // [ini] cube_freq
        /*ddrRead=*/32,      // [ini] ddr_read_rate
        /*ddrWrite=*/32,     // [ini] ddr_write_rate
        /*ddrChip=*/888,     // 1.6 TB/s of HBM, the data sheets' number, at 1.8 GHz
        /*matToLeft=*/512,   // [ini] l1_to_l0_a_rate
        /*matToRight=*/256,  // [ini] l1_to_l0_b_rate; assumed for Mat to Bias too
        /*accOut=*/256,      // [ini] l0_c_to_ub_rate, of the path that 910B has instead
        /*ddrLine=*/512,     // [align] as the best alignment; that less wastes a line: assumed
        /*repeatBytes=*/256, // [tik]; [ini] vec_calc_size: 128 lanes of FP16
        /*repeatSimple=*/1,  // [tik] 256 bytes a cycle
        /*repeatRoot=*/4,    // assumed: exp, sqrt, rsqrt, div
        /*repeatReduce=*/2,  // assumed: a tree of one repeat
        /*cubeM=*/16,        // [ini] cube_m_size
        /*cubeN=*/16,        // [ini] cube_n_size
        /*cubeK=*/16,        // [ini] cube_k_size
        /*ddrStart=*/100,    // assumed, so that [copy]'s 16 KiB reach 84 % of the rate
        /*moveStart=*/16,    // assumed
        /*vectorStart=*/8,   // assumed
        /*cubeStart=*/16,    // assumed
        /*issue=*/2,         // assumed
        /*flag=*/16,         // assumed
        /*barrier=*/16,      // assumed
        /*crossCore=*/400,   // assumed: by way of the chip, about a DDR latency
        /*launch=*/1800,     // assumed: 1 us
        /*launchCore=*/18,   // assumed: 10 ns; [cores] that it grows with them
    },
};

const SpaceInfo &TargetInfo::getSpace(MemorySpace space) const {
  // Vec is 192 KiB; the kit keeps the top 8 KiB.
  static const SpaceInfo vec{184 * 1024, 32, TileLayout::ND};
  static const SpaceInfo mat{512 * 1024, 32, TileLayout::NZ};
  static const SpaceInfo left{64 * 1024, 512, TileLayout::ZZ};
  static const SpaceInfo right{64 * 1024, 512, TileLayout::ZN};
  // A cube destination begins on a whole fractal.
  static const SpaceInfo acc{128 * 1024, 1024, TileLayout::NZ};
  static const SpaceInfo bias{1024, 64, TileLayout::ND};
  static const SpaceInfo ddr{std::numeric_limits<int64_t>::max(), 1, TileLayout::ND};
  switch (space) {
  case MemorySpace::Vec:
    return vec;
  case MemorySpace::Mat:
    return mat;
  case MemorySpace::Left:
    return left;
  case MemorySpace::Right:
    return right;
  case MemorySpace::Acc:
    return acc;
  case MemorySpace::Bias:
    return bias;
  case MemorySpace::DDR:
    return ddr;
  }
  return ddr;
}

bool TargetInfo::hasPath(MemorySpace from, MemorySpace to) const {
  using S = MemorySpace;
  static constexpr std::pair<S, S> paths[] = {
      {S::DDR, S::Vec}, {S::DDR, S::Mat}, {S::Mat, S::Left}, {S::Mat, S::Right}, {S::Mat, S::Bias},
      {S::Vec, S::DDR}, {S::Acc, S::DDR}, {S::Acc, S::Mat},  {S::Vec, S::Vec},
  };
  return llvm::is_contained(paths, std::pair(from, to));
}

std::optional<CoreKind> TargetInfo::getCore(MemorySpace space) const {
  if (space == MemorySpace::DDR)
    return std::nullopt;
  return space == MemorySpace::Vec ? CoreKind::AIV : CoreKind::AIC;
}

std::optional<CoreKind> TargetInfo::getCore(Operation *op) const {
  if (op->getNumRegions() != 0 || op->hasTrait<OpTrait::IsTerminator>())
    return std::nullopt; // what it carries is made elsewhere
  auto find = [&](TypeRange types) -> std::optional<CoreKind> {
    for (Type type : types)
      if (std::optional<MemorySpace> space = getTileSpace(type))
        return getCore(*space);
    return std::nullopt;
  };
  std::optional<CoreKind> core = find(op->getOperandTypes());
  return core ? core : find(op->getResultTypes());
}

TileLayout TargetInfo::getLayout(MemorySpace space, ArrayRef<int64_t> shape) const {
  // A column vector in Vec is contiguous.
  if (space == MemorySpace::Vec && shape[1] == 1)
    return TileLayout::DN;
  return getSpace(space).layout;
}

bool TargetInfo::hasPipe(CoreKind core, Pipe pipe) const {
  switch (pipe) {
  case Pipe::S:
  case Pipe::MTE2:
  case Pipe::ALL:
    return true;
  case Pipe::V:
  case Pipe::MTE3:
    return core == CoreKind::AIV;
  case Pipe::M:
  case Pipe::MTE1:
  case Pipe::FIX:
    return core == CoreKind::AIC;
  }
  return false;
}

bool TargetInfo::hasFlag(Pipe src, Pipe dst) const {
  // The events that AscendC names, as source and destination.
  using P = Pipe;
  static constexpr std::pair<P, P> flags[] = {
      {P::MTE2, P::MTE1}, {P::MTE1, P::MTE2}, {P::MTE1, P::M},    {P::M, P::MTE1},
      {P::MTE2, P::V},    {P::V, P::MTE2},    {P::MTE3, P::V},    {P::V, P::MTE3},
      {P::M, P::V},       {P::V, P::M},       {P::MTE3, P::MTE1}, {P::MTE1, P::MTE3},
      {P::MTE1, P::V},    {P::MTE2, P::M},    {P::M, P::MTE2},    {P::V, P::MTE1},
      {P::M, P::FIX},     {P::FIX, P::M},     {P::MTE3, P::MTE2}, {P::MTE2, P::MTE3},
      {P::S, P::V},       {P::V, P::S},       {P::S, P::MTE2},    {P::MTE2, P::S},
      {P::S, P::MTE3},    {P::MTE3, P::S},    {P::MTE2, P::FIX},  {P::FIX, P::MTE2},
      {P::FIX, P::S},     {P::M, P::S},       {P::FIX, P::MTE3},  {P::MTE1, P::FIX},
      {P::FIX, P::MTE1},
  };
  return llvm::is_contained(flags, std::pair(src, dst));
}

//===----------------------------------------------------------------------===//
// What the vector unit computes
//===----------------------------------------------------------------------===//

bool TargetInfo::hasVectorOp(StringRef mnemonic, Type type, bool scalarOperand) const {
  bool f16 = type.isF16(), f32 = type.isF32(), i32 = type.isInteger(32);
  // With a scalar operand the instruction is another one: Adds, Muls, Maxs, Mins.
  if (scalarOperand && (mnemonic == "sub" || mnemonic == "div"))
    return false;
  if (mnemonic == "add" || mnemonic == "sub" || mnemonic == "mul" || mnemonic == "minimum" ||
      mnemonic == "maximum" || mnemonic == "relu" || mnemonic == "row_expand_sub" ||
      mnemonic == "row_expand_mul")
    return f16 || f32 || i32;
  if (mnemonic == "div" || mnemonic == "exp" || mnemonic == "sqrt" || mnemonic == "rsqrt" ||
      mnemonic == "abs" || mnemonic == "row_max" || mnemonic == "row_sum" ||
      mnemonic == "row_expand_div")
    return f16 || f32;
  if (mnemonic == "full" || mnemonic == "move" || mnemonic == "brcb")
    return true; // they move bits
  return false;  // among them neg: a product with -1
}

bool TargetInfo::hasCast(Type from, Type to, RoundMode mode) const {
  bool rounds = mode == RoundMode::Rint || mode == RoundMode::Round || mode == RoundMode::Floor ||
                mode == RoundMode::Ceil || mode == RoundMode::Trunc;
  bool exact = mode == RoundMode::None;
  if ((from.isF16() || from.isBF16()) && to.isF32())
    return exact;
  if (from.isF16() && to.isInteger(32))
    return rounds;
  if (from.isBF16() && to.isInteger(32))
    return rounds;
  if (from.isF32() && to.isF16())
    return rounds || mode == RoundMode::Odd;
  if (from.isF32() && (to.isBF16() || to.isInteger(32)))
    return rounds;
  if (from.isInteger(32) && to.isF32())
    return rounds;
  // INT32 to FP16 multiplies by a register that the kit does not set: go through FP32.
  return false;
}

SmallVector<Type> TargetInfo::getCastChain(Type from, Type to) const {
  // The shortest way through the types, in a fixed order of preference.
  MLIRContext *context = from.getContext();
  Type types[] = {Float32Type::get(context), Float16Type::get(context),
                  IntegerType::get(context, 32), BFloat16Type::get(context)};
  auto adjacent = [&](Type a, Type b) {
    return hasCast(a, b, RoundMode::None) || hasCast(a, b, RoundMode::Rint);
  };
  std::deque<SmallVector<Type>> open = {{from}};
  while (!open.empty()) {
    SmallVector<Type> path = open.front();
    open.pop_front();
    if (path.back() == to)
      return path;
    for (Type next : types)
      if (!llvm::is_contained(path, next) && adjacent(path.back(), next)) {
        open.push_back(path);
        open.back().push_back(next);
      }
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Look-up
//===----------------------------------------------------------------------===//

const TargetInfo *pto::lookupTarget(StringRef name) {
  return name == ascend910B.name ? &ascend910B : nullptr;
}

SmallVector<StringRef> pto::getTargetNames() { return {ascend910B.name}; }

const TargetInfo *pto::getDefaultTarget() { return &ascend910B; }

const TargetInfo *pto::getTarget(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  auto name = module ? module->getAttrOfType<StringAttr>(attr::kTarget) : nullptr;
  if (!name) {
    op->emitError() << "the module names no chip; set attribute pto.target, one of: "
                    << llvm::join(getTargetNames(), ", ");
    return nullptr;
  }
  const TargetInfo *target = lookupTarget(name.getValue());
  if (!target)
    op->emitError() << "unknown chip '" << name.getValue()
                    << "'; known: " << llvm::join(getTargetNames(), ", ");
  return target;
}
