//===- TileOps.cpp - The tile family: effects, pipes, rules ---------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Tile/TileOps.h"
#include "Tile/TileSupport.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::pto;

//===----------------------------------------------------------------------===//
// What instructions touch
//===----------------------------------------------------------------------===//

static bool isMemory(Type type) { return isa<BufType, GmType, TileType>(type); }

/// The sources that hold data (scalars do not).
SmallVector<OpOperand *> pto::getTileSources(TileComputeInterface op) {
  SmallVector<OpOperand *> sources;
  unsigned count = op.getSources().size();
  for (OpOperand &operand : op->getOpOperands().take_front(count))
    if (isMemory(operand.get().getType()))
      sources.push_back(&operand);
  return sources;
}

SmallVector<OpOperand *> pto::getTileDestination(TileComputeInterface op) {
  if (!op.getDestination())
    return {};
  return {&op->getOpOperands().back()};
}

ExtentRule pto::getTraitExtentRule(TileComputeInterface op, unsigned index, unsigned dim) {
  OperandRange sources = op.getSources();
  bool makes = index == sources.size();
  // One value a row: what a reduction makes, and the second source of a broadcast.
  if (dim == 1 && makes && op->hasTrait<RowReduce>())
    return ExtentRule::exactly(1);
  if (dim == 1 && index == 1 && op->hasTrait<RowExpand>())
    return op.getDestination() ? ExtentRule::of(1, 1) : ExtentRule::exactly(1); // or a block
  // One row of values.
  bool row = makes ? op->hasTrait<ColReduce>() : index == 1 && op->hasTrait<ColExpand>();
  if (dim == 0 && row)
    return ExtentRule::exactly(1);
  for (auto [first, source] : llvm::enumerate(sources))
    if (isa<TileType, BufType>(source.getType()))
      return ExtentRule::of(first, dim);
  return ExtentRule::exactly(getShapeOf(op.getResultOrDstType())[dim]);
}

ExtentRule pto::getProductExtentRule(TileComputeInterface op, unsigned index, unsigned dim,
                                     unsigned lhs) {
  if (index == lhs)
    return ExtentRule::of(lhs, dim);
  if (index == lhs + 1)
    return dim == 0 ? ExtentRule::of(lhs, 1) : ExtentRule::of(lhs + 1, 1);
  bool biases = index == 2 && lhs == 0 && op.getSources().size() == 3;
  if (biases && dim == 0)
    return ExtentRule::exactly(1);
  return dim == 0 ? ExtentRule::of(lhs, 0) : ExtentRule::of(lhs + 1, 1);
}

/// Reads and writes of buffers and array references; values have no effects.
void pto::getInstructionEffects(
    InstructionInterface op,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand *operand : op.getReadOperands())
    if (isa<BufType, GmType>(operand->get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), operand);
  for (OpOperand *operand : op.getWrittenOperands())
    if (isa<BufType, GmType>(operand->get().getType()))
      effects.emplace_back(MemoryEffects::Write::get(), operand);
}

/// The pipe of a copy between two spaces of a core.
std::optional<Pipe> pto::getMovePipe(TileMoveOp op) {
  std::optional<MemorySpace> from = getTileSpace(op.getSource().getType());
  std::optional<MemorySpace> to = getTileSpace(op.getResultOrDstType());
  return from && to ? getPathPipe(*from, *to) : std::nullopt;
}

SmallVector<OpOperand *> TileLoadOp::getReadOperands() { return {&getSourceMutable()}; }
SmallVector<OpOperand *> TileLoadOp::getWrittenOperands() {
  if (!getDst())
    return {};
  return {&getDstMutable()[0]};
}
std::optional<Pipe> TileLoadOp::getPipe() { return Pipe::MTE2; }
void TileLoadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  getInstructionEffects(*this, effects);
}

SmallVector<OpOperand *> TileStoreOp::getReadOperands() { return {&getSourceMutable()}; }
SmallVector<OpOperand *> TileStoreOp::getWrittenOperands() { return {&getDestMutable()}; }
std::optional<Pipe> TileStoreOp::getPipe() {
  std::optional<MemorySpace> space = getTileSpace(getSource().getType());
  return space ? getPathPipe(*space, MemorySpace::DDR) : std::nullopt;
}
void TileStoreOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  getInstructionEffects(*this, effects);
}

void TileAllocOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(), (*this)->getOpResult(0));
}

//===----------------------------------------------------------------------===//
// Offsets and extents, static or not
//===----------------------------------------------------------------------===//

static SmallVector<OpFoldResult> mixed(ArrayRef<int64_t> statics, ValueRange values,
                                       MLIRContext *context) {
  return getMixedValues(statics, values, context);
}
SmallVector<OpFoldResult> TileLoadOp::getMixedOffsets() {
  return mixed(getStaticOffsets(), getOffsets(), getContext());
}
SmallVector<OpFoldResult> TileLoadOp::getMixedValid() {
  return mixed(getStaticValid(), getValid(), getContext());
}
SmallVector<OpFoldResult> TileStoreOp::getMixedOffsets() {
  return mixed(getStaticOffsets(), getOffsets(), getContext());
}
SmallVector<OpFoldResult> TileSetValidShapeOp::getMixedValid() {
  return mixed(getStaticValid(), getValid(), getContext());
}
SmallVector<OpFoldResult> TileSubviewOp::getMixedOffsets() {
  return mixed(getStaticOffsets(), getOffsets(), getContext());
}
SmallVector<OpFoldResult> TileSubviewOp::getMixedSizes() {
  return mixed(getStaticSizes(), getSizes(), getContext());
}

int64_t pto::getRepeatLanes(Type elementType) { return 256 / getElementBytes(elementType); }
int64_t pto::getBlockLanes(Type elementType) { return 32 / getElementBytes(elementType); }

//===----------------------------------------------------------------------===//
// Lists of numbers
//===----------------------------------------------------------------------===//

/// `[1, 3]`
static ParseResult parseBareNumbers(OpAsmParser &parser, DenseI64ArrayAttr &numbers) {
  SmallVector<int64_t> found;
  auto parseOne = [&] { return parser.parseInteger(found.emplace_back()); };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  numbers = parser.getBuilder().getDenseI64ArrayAttr(found);
  return success();
}
static void printBareNumbers(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr numbers) {
  printer << '[';
  llvm::interleaveComma(numbers.asArrayRef(), printer);
  printer << ']';
}

#define GET_OP_CLASSES
#include "Tile/TileOps.cpp.inc"

void pto::registerTileOps(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, PtoDialect *dialect) {
    dialect->addOperationsChecked<
#define GET_OP_LIST
#include "Tile/TileOps.cpp.inc"
        >();
  });
}
