//===- Target.cpp - What a chip is ----------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Target/Target.h"

#include "Target/Chips.h"
#include "Tile/TileOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <deque>

using namespace mlir;
using namespace mlir::pto;

static constexpr const TargetInfo *chips[] = {&ascend910B, &ascend950};

//===----------------------------------------------------------------------===//
// Spaces, pipes, signals
//===----------------------------------------------------------------------===//

const SpaceInfo &TargetInfo::getSpace(MemorySpace space) const {
  static constexpr SpaceInfo none{MemorySpace::DDR, 0, 1, TileLayout::ND};
  const SpaceInfo *info =
      llvm::find_if(spaces, [&](const SpaceInfo &entry) { return entry.space == space; });
  return info == spaces.end() ? none : *info;
}

bool TargetInfo::hasPath(MemorySpace from, MemorySpace to) const {
  return llvm::is_contained(paths, PathInfo(from, to));
}

std::optional<Pipe> TargetInfo::pipeOf(MemorySpace from, MemorySpace to) const {
  return hasPath(from, to) ? getPathPipe(from, to) : std::nullopt;
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
    return core == CoreKind::AIV;
  case Pipe::MTE3:
    // From Mat to an AIV's Vec it is the AIC that copies.
    return core == CoreKind::AIV || hasPath(MemorySpace::Mat, MemorySpace::Vec);
  case Pipe::M:
  case Pipe::MTE1:
  case Pipe::FIX:
    return core == CoreKind::AIC;
  }
  return false;
}

bool TargetInfo::hasFlag(Pipe src, Pipe dst) const {
  // The events that AscendC names, as source and destination; for each chip the same.
  using P = Pipe;
  static constexpr FlagInfo flags[] = {
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
  return llvm::is_contained(flags, FlagInfo(src, dst));
}

bool TargetInfo::isEmptyFlag(CoreKind core, Pipe src, Pipe dst) const {
  return llvm::is_contained(core == CoreKind::AIC ? emptyFlagsAIC : emptyFlagsAIV,
                            FlagInfo(src, dst));
}

bool TargetInfo::hasCrossCoreMode(int64_t mode) const {
  return (mode >= 0 && mode <= 2) || (mode == 4 && crossCore.unicastIds > 0);
}

bool TargetInfo::hasCrossCoreId(int64_t mode, int64_t id) const {
  if (mode == 4)
    return id >= 0 && id < crossCore.unicastIds;
  return id >= 0 && id < crossCore.ids &&
         (id < crossCore.firstReserved || id > crossCore.lastReserved);
}

//===----------------------------------------------------------------------===//
// What the vector unit computes
//===----------------------------------------------------------------------===//

/// The bit of an element type; none for one that no instruction knows.
static DtypeSet getDtype(Type type) {
  if (type.isF16())
    return F16;
  if (type.isBF16())
    return BF16;
  if (type.isF32())
    return F32;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return 0;
  bool isSigned = !integer.isUnsigned();
  switch (integer.getWidth()) {
  case 8:
    return isSigned ? I8 : U8;
  case 16:
    return isSigned ? I16 : U16;
  case 32:
    return isSigned ? I32 : U32;
  case 64:
    return isSigned ? I64 : U64;
  default:
    return 0;
  }
}

bool TargetInfo::hasVectorOp(StringRef mnemonic, Type type, bool scalarOperand) const {
  DtypeSet dtype = getDtype(type);
  // Of two valid regions: what it does where both are, and copies.
  if (mnemonic.consume_front("part_") && (mnemonic == "max" || mnemonic == "min"))
    mnemonic = mnemonic == "max" ? "maximum" : "minimum";
  for (const ViewInfo &view : views)
    if (view.mnemonic == mnemonic && (view.types & dtype))
      dtype = view.as;
  return llvm::any_of(vectorOps, [&](const VectorOpInfo &op) {
    return op.mnemonic == mnemonic && ((scalarOperand ? op.scalarTypes : op.types) & dtype);
  });
}

/// The element type that an operation has a line for in the chip's table.
static Type getTableType(TileComputeInterface op) {
  if (auto select = dyn_cast<TileSelOp>(op.getOperation()))
    return getElementTypeOf(select.getLhs().getType());
  if (auto compare = dyn_cast<TileCmpOp>(op.getOperation()))
    return getElementTypeOf(compare.getLhs().getType());
  return getElementTypeOf(op.getResultOrDstType());
}

bool TargetInfo::hasInstruction(TileComputeInterface op) const {
  if (auto convert = dyn_cast<TileCastOp>(op.getOperation()))
    return hasCast(getElementTypeOf(convert.getSource().getType()),
                   getElementTypeOf(op.getResultOrDstType()), convert.getRound());
  bool scalar =
      op.getSources().size() == 2 && !isa<TileType, BufType>(op.getSources()[1].getType());
  Type type = getTableType(op);
  if (hasVectorOp(getMnemonic(op), type, scalar))
    return true;
  auto compare = dyn_cast<TileCmpOp>(op.getOperation());
  return compare && compare.getMode() == Compare::EQ && hasVectorOp("cmp_eq", type, scalar);
}

static Type makeType(MLIRContext *context, DtypeSet dtype) {
  auto integer = [&](unsigned width, bool isUnsigned) {
    return IntegerType::get(context, width,
                            isUnsigned ? IntegerType::Unsigned : IntegerType::Signless);
  };
  switch (dtype) {
  case F16:
    return Float16Type::get(context);
  case F32:
    return Float32Type::get(context);
  case I16:
    return integer(16, false);
  case U16:
    return integer(16, true);
  case I32:
    return integer(32, false);
  default:
    return integer(32, true);
  }
}

Type TargetInfo::getCallType(StringRef mnemonic, Type type) const {
  DtypeSet dtype = getDtype(type);
  for (const ViewInfo &view : views)
    if (view.mnemonic == mnemonic && (view.types & dtype))
      return makeType(type.getContext(), view.as);
  return type;
}

bool TargetInfo::hasRepeats(Type type) const { return getDtype(type) & (kBits16 | kBits32); }

bool TargetInfo::hasCast(Type from, Type to, RoundMode mode) const {
  DtypeSet source = getDtype(from), result = getDtype(to);
  return llvm::any_of(casts, [&](const CastInfo &cast) {
    return (cast.from & source) && (cast.to & result) && (cast.rounds & roundBit(mode));
  });
}

/// Bits of the whole numbers that a type holds without a gap, and whether it has a sign.
static std::pair<int, bool> getPrecision(DtypeSet dtype) {
  if (dtype & (F16 | BF16 | F32))
    return {dtype == F16 ? 11 : dtype == BF16 ? 8 : 24, true};
  bool isSigned = dtype & (I8 | I16 | I32 | I64);
  int width = dtype & kBits8 ? 8 : dtype & kBits16 ? 16 : dtype & kBits32 ? 32 : 64;
  return {width - isSigned, isSigned};
}

/// Whether a conversion from `from` to `to` may go by way of `step` and gives what one step
/// would: nothing is lost, or it is rounded once and cut to a range that holds `to`'s.
static bool leadsTo(DtypeSet from, DtypeSet step, DtypeSet to) {
  constexpr DtypeSet kFloating = F16 | BF16 | F32;
  auto holds = [](DtypeSet large, DtypeSet small) {
    auto [bits, isSigned] = getPrecision(large);
    auto [smallBits, smallSigned] = getPrecision(small);
    return smallBits <= bits && (isSigned || !smallSigned);
  };
  bool fromFloat = from & kFloating, stepFloat = step & kFloating, toFloat = to & kFloating;
  if (step == to || (fromFloat && step == F32))
    return true;
  if (!fromFloat && holds(step, from))
    return true;
  if (toFloat)
    return !fromFloat && step == F32; // twice rounded, above 2^24 only
  return holds(step, to) && (!stepFloat || !fromFloat);
}

SmallVector<Type> TargetInfo::getCastChain(Type from, Type to) const {
  // The shortest way through the types that tiles have, in a fixed order of preference.
  MLIRContext *context = from.getContext();
  auto unsignedType = [&](unsigned width) {
    return IntegerType::get(context, width, IntegerType::Unsigned);
  };
  Type types[] = {Float32Type::get(context),
                  Float16Type::get(context),
                  IntegerType::get(context, 32),
                  BFloat16Type::get(context),
                  IntegerType::get(context, 16),
                  unsignedType(16),
                  unsignedType(32),
                  IntegerType::get(context, 8),
                  unsignedType(8),
                  to};
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
      if (!llvm::is_contained(path, next) && adjacent(path.back(), next) &&
          leadsTo(getDtype(path.back()), getDtype(next), getDtype(to))) {
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
  for (const TargetInfo *chip : chips)
    if (chip->name == name || llvm::is_contained(chip->aliases, name))
      return chip;
  return nullptr;
}

SmallVector<StringRef> pto::getTargetNames() {
  return llvm::map_to_vector(chips, [](const TargetInfo *chip) { return chip->name; });
}

const TargetInfo *pto::getDefaultTarget() { return chips[0]; }

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
