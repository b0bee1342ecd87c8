//===- TileCompute.cpp - Tiles: arithmetic -----------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Each operation: its windows, what it reads and writes, its loop. Both forms
// are one; a tile value is a window of its valid region.
//
//===----------------------------------------------------------------------===//

#include "Pto/Words.h"
#include "Reference/Instructions.h"
#include "Reference/Translator.h"
#include "Tile/TileOps.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cstring>

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

/// Cuts a further source to the extents of the first one; it is an error if it
/// has less (or, among buffers, other extents).
static LogicalResult fit(const Instruction &instruction, Window &window, int64_t rows,
                         int64_t cols) {
  bool buffers = instruction.destination.kind == SlotKind::Buffer;
  bool same = window.rows == rows && window.cols == cols;
  if (buffers ? !same : window.rows < rows || window.cols < cols)
    return CheckError(Check::ValidRegion, instruction.op).about(window.name)
           << (buffers ? "works on " : "reads ") << shapeWord({rows, cols}) << " elements, but "
           << valueWord(window.name) << " has only " << shapeWord({window.rows, window.cols})
           << " valid ones";
  window.rows = rows;
  window.cols = cols;
  return success();
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

static Flow runBinary(Core &core, const Instruction &instruction, BinaryKind kind) {
  Window lhs = core.getWindow(instruction.sources[0]);
  Window rhs = core.getWindow(instruction.sources[1]);
  if (failed(fit(instruction, rhs, lhs.rows, lhs.cols)))
    return Flow::Fail;
  FailureOr<Window> dst = core.getDestination(instruction, lhs.rows, lhs.cols);
  if (failed(dst) || failed(checkVector(instruction, {lhs, rhs, *dst})) ||
      failed(core.access(instruction, {lhs, rhs}, *dst)))
    return Flow::Fail;
  void *out = core.denseTarget(*dst, 2);
  if (!binary(kind, instruction.elem, core.dense(lhs, 0), core.dense(rhs, 1), out,
              lhs.rows * lhs.cols)) {
    CheckError(Check::Division, instruction.op) << "divides by zero";
    return Flow::Fail;
  }
  core.finish(*dst, out);
  return Flow::Next;
}

static Flow runBinaryScalar(Core &core, const Instruction &instruction, BinaryKind kind) {
  Window lhs = core.getWindow(instruction.sources[0]);
  FailureOr<Window> dst = core.getDestination(instruction, lhs.rows, lhs.cols);
  if (failed(dst) || failed(checkVector(instruction, {lhs, *dst})) ||
      failed(core.access(instruction, lhs, *dst)))
    return Flow::Fail;
  char value[4];
  storeScalar(instruction.elem, core.frame().scalars[instruction.sources[1].index], value);
  void *out = core.denseTarget(*dst, 2);
  if (!binaryScalar(kind, instruction.elem, core.dense(lhs, 0), value, out, lhs.rows * lhs.cols)) {
    CheckError(Check::Division, instruction.op) << "divides by zero";
    return Flow::Fail;
  }
  core.finish(*dst, out);
  return Flow::Next;
}

static LogicalResult addBinary(Translator &to, Operation *op, BinaryKind kind) {
  Instruction instruction = to.getInstruction(op);
  bool scalar = instruction.sources[1].kind == SlotKind::Scalar;
  if (failed(checkVectorOp(instruction, scalar)))
    return failure();
  auto run = scalar ? runBinaryScalar : runBinary;
  to.add(op, [=](Core &core) { return run(core, instruction, kind); });
  return success();
}

static LogicalResult addUnary(Translator &to, Operation *op, UnaryKind kind) {
  Instruction instruction = to.getInstruction(op);
  if (!hasUnary(kind, instruction.elem))
    return emitUserError(op) << "takes FP16, BF16 or FP32, found "
                             << valueWord(instruction.sources[0].value)
                             << "; convert it with pl.cast";
  if (failed(checkVectorOp(instruction, false)))
    return failure();
  to.add(op, [=](Core &core) {
    Window src = core.getWindow(instruction.sources[0]);
    FailureOr<Window> dst = core.getDestination(instruction, src.rows, src.cols);
    if (failed(dst) || failed(checkVector(instruction, {src, *dst})) ||
        failed(core.access(instruction, src, *dst)))
      return Flow::Fail;
    void *out = core.denseTarget(*dst, 2);
    unary(kind, instruction.elem, core.dense(src, 0), out, src.rows * src.cols);
    core.finish(*dst, out);
    return Flow::Next;
  });
  return success();
}

static LogicalResult addCast(Translator &to, TileCastOp op) {
  Instruction instruction = to.getInstruction(op);
  Elem from = *getElem(getElementTypeOf(op.getSource().getType()));
  FailureOr<Rounding> rounding = getRounding(op, from, instruction.elem, op.getRound());
  if (failed(rounding) || failed(checkCastOp(instruction, op.getRound())))
    return failure();
  to.add(op, [=, rounding = *rounding](Core &core) {
    Window src = core.getWindow(instruction.sources[0]);
    FailureOr<Window> dst = core.getDestination(instruction, src.rows, src.cols);
    if (failed(dst) || failed(checkVector(instruction, {src, *dst})) ||
        failed(core.access(instruction, src, *dst)))
      return Flow::Fail;
    void *out = core.denseTarget(*dst, 2);
    convert(from, instruction.elem, rounding, core.dense(src, 0), out, src.rows * src.cols);
    core.finish(*dst, out);
    return Flow::Next;
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static LogicalResult addRowReduce(Translator &to, Operation *op, ReduceKind kind) {
  Instruction instruction = to.getInstruction(op);
  if (failed(checkVectorOp(instruction, false)))
    return failure();
  to.add(op, [=](Core &core) {
    Window src = core.getWindow(instruction.sources[0]);
    if (src.cols == 0) {
      CheckError(Check::ValidRegion, instruction.op).about(src.name)
          << "reduces rows without a valid column: " << valueWord(src.name);
      return Flow::Fail;
    }
    FailureOr<Window> dst = core.getDestination(instruction, src.rows, 1);
    if (failed(dst) || failed(checkRows(instruction, {src, *dst})) ||
        failed(core.access(instruction, src, *dst)))
      return Flow::Fail;
    auto *row = static_cast<const char *>(core.dense(src, 0));
    auto *out = static_cast<char *>(core.denseTarget(*dst, 2));
    int64_t size = elemBytes(instruction.elem);
    for (int64_t r = 0; r < src.rows; ++r)
      reduceRow(kind, instruction.elem, row + r * src.cols * size, out + r * size, src.cols);
    core.finish(*dst, out);
    return Flow::Next;
  });
  return success();
}

static LogicalResult addRowExpand(Translator &to, Operation *op, BinaryKind kind) {
  Instruction instruction = to.getInstruction(op);
  if (failed(checkVectorOp(instruction, false)))
    return failure();
  to.add(op, [=](Core &core) {
    Window lhs = core.getWindow(instruction.sources[0]);
    Window rhs = core.getWindow(instruction.sources[1]);
    FailureOr<Window> dst = core.getDestination(instruction, lhs.rows, lhs.cols);
    if (failed(dst) || failed(fit(instruction, rhs, lhs.rows, rhs.cols)) ||
        failed(checkRows(instruction, {lhs, *dst}, &rhs)) ||
        failed(core.access(instruction, {lhs, rhs}, *dst)))
      return Flow::Fail;
    auto *row = static_cast<const char *>(core.dense(lhs, 0));
    auto *value = static_cast<const char *>(core.dense(rhs, 1));
    auto *out = static_cast<char *>(core.denseTarget(*dst, 2));
    int64_t size = elemBytes(instruction.elem), pitch = lhs.cols * size;
    for (int64_t r = 0; r < lhs.rows; ++r)
      if (!binaryScalar(kind, instruction.elem, row + r * pitch, value + r * rhs.cols * size,
                        out + r * pitch, lhs.cols)) {
        CheckError(Check::Division, instruction.op) << "divides by zero";
        return Flow::Fail;
      }
    core.finish(*dst, out);
    return Flow::Next;
  });
  return success();
}

static LogicalResult addBrcb(Translator &to, TileBrcbOp op) {
  Instruction instruction = to.getInstruction(op);
  int64_t lanes = getShapeOf(instruction.destinationType)[1];
  to.add(op, [=](Core &core) {
    Window src = core.getWindow(instruction.sources[0]);
    FailureOr<Window> dst = core.getDestination(instruction, src.rows, lanes);
    if (failed(dst) || failed(checkBrcb(instruction, src, *dst)) ||
        failed(core.access(instruction, src, *dst)))
      return Flow::Fail;
    auto *value = static_cast<const char *>(core.dense(src, 0));
    auto *out = static_cast<char *>(core.denseTarget(*dst, 2));
    int64_t size = elemBytes(instruction.elem);
    for (int64_t r = 0; r < src.rows; ++r)
      fill(instruction.elem, value + r * size, out + r * lanes * size, lanes);
    core.finish(*dst, out);
    return Flow::Next;
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The window's elements in FP32, row by row.
static const float *wide(Core &core, const Window &window, unsigned index) {
  auto *floats = static_cast<float *>(core.scratch(index, window.rows * window.cols * 4));
  widen(window.elem, core.dense(window, 4), floats, window.rows * window.cols);
  return floats;
}

/// What a product begins with.
enum class Begin { Zero, Accumulator, Bias };

static void fillBegin(Begin begin, const Window &source, float *sum, int64_t m, int64_t n) {
  if (begin == Begin::Zero)
    std::memset(sum, 0, m * n * sizeof(float));
  else
    source.gather(sum);
  // One row of biases for all.
  for (int64_t row = 1; begin == Begin::Bias && row < m; ++row)
    std::memcpy(sum + row * n, sum, n * sizeof(float));
}

/// The windows of a product: its operands, then what it begins with.
static FailureOr<SmallVector<Window, 3>> getProduct(Core &core, const Instruction &instruction,
                                                    Begin begin) {
  bool accumulates = begin == Begin::Accumulator;
  Window lhs = core.getWindow(instruction.sources[accumulates]);
  Window rhs = core.getWindow(instruction.sources[accumulates + 1]);
  if (rhs.rows != lhs.cols)
    return CheckError(Check::ValidRegion, instruction.op)
           << "the left operand has " << lhs.cols << " valid columns, the right one " << rhs.rows
           << " valid rows";
  SmallVector<Window, 3> sources = {lhs, rhs};
  if (begin == Begin::Zero)
    return sources;
  sources.push_back(core.getWindow(instruction.sources[accumulates ? 0 : 2]));
  if (failed(fit(instruction, sources[2], accumulates ? lhs.rows : 1, rhs.cols)))
    return failure();
  return sources;
}

static LogicalResult addProduct(Translator &to, Operation *op, Begin begin,
                                std::optional<Phase> phase) {
  Instruction instruction = to.getInstruction(op);
  UnitPhase unit = {phase, /*reads=*/false};
  to.add(op, [=](Core &core) {
    FailureOr<SmallVector<Window, 3>> sources = getProduct(core, instruction, begin);
    if (failed(sources))
      return Flow::Fail;
    const Window &lhs = (*sources)[0], &rhs = (*sources)[1];
    int64_t m = lhs.rows, k = lhs.cols, n = rhs.cols;
    FailureOr<Window> dst = core.getDestination(instruction, m, n);
    if (failed(dst) || failed(checkProduct(instruction, m, k, n)) ||
        failed(unit.wait(core, instruction, *dst)) ||
        failed(core.access(instruction, *sources, *dst)))
      return Flow::Fail;
    unit.change(core, instruction, *dst);
    auto *sum = static_cast<float *>(core.scratch(2, m * n * sizeof(float)));
    fillBegin(begin, sources->back(), sum, m, n);
    matmul(wide(core, lhs, 0), wide(core, rhs, 1), sum, m, k, n);
    dst->scatter(sum);
    return Flow::Next;
  });
  return success();
}

//===----------------------------------------------------------------------===//
// The family
//===----------------------------------------------------------------------===//

std::optional<LogicalResult> Translator::addTileCompute(Operation *op) {
  auto compute = dyn_cast<TileComputeInterface>(op);
  if (!compute || isa<TileMoveOp, TileFullOp>(op)) // see TileData.cpp
    return std::nullopt;
  if (std::optional<Pipe> pipe = compute.getPipe())
    if (failed(checkCore(op, *pipe)))
      return failure();
  using Result = std::optional<LogicalResult>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<TileAddOp>([&](auto op) { return addBinary(*this, op, BinaryKind::Add); })
      .Case<TileSubOp>([&](auto op) { return addBinary(*this, op, BinaryKind::Sub); })
      .Case<TileMulOp>([&](auto op) { return addBinary(*this, op, BinaryKind::Mul); })
      .Case<TileDivOp>([&](auto op) { return addBinary(*this, op, BinaryKind::Div); })
      .Case<TileMinimumOp>([&](auto op) { return addBinary(*this, op, BinaryKind::Minimum); })
      .Case<TileMaximumOp>([&](auto op) { return addBinary(*this, op, BinaryKind::Maximum); })
      .Case<TileExpOp>([&](auto op) { return addUnary(*this, op, UnaryKind::Exp); })
      .Case<TileSqrtOp>([&](auto op) { return addUnary(*this, op, UnaryKind::Sqrt); })
      .Case<TileRsqrtOp>([&](auto op) { return addUnary(*this, op, UnaryKind::Rsqrt); })
      .Case<TileNegOp>([&](auto op) { return addUnary(*this, op, UnaryKind::Neg); })
      .Case<TileAbsOp>([&](auto op) { return addUnary(*this, op, UnaryKind::Abs); })
      .Case<TileReluOp>([&](auto op) { return addUnary(*this, op, UnaryKind::Relu); })
      .Case<TileCastOp>([&](auto op) { return addCast(*this, op); })
      .Case<TileRowMaxOp>([&](auto op) { return addRowReduce(*this, op, ReduceKind::Max); })
      .Case<TileRowSumOp>([&](auto op) { return addRowReduce(*this, op, ReduceKind::Sum); })
      .Case<TileRowExpandSubOp>([&](auto op) { return addRowExpand(*this, op, BinaryKind::Sub); })
      .Case<TileRowExpandMulOp>([&](auto op) { return addRowExpand(*this, op, BinaryKind::Mul); })
      .Case<TileRowExpandDivOp>([&](auto op) { return addRowExpand(*this, op, BinaryKind::Div); })
      .Case<TileBrcbOp>([&](auto op) { return addBrcb(*this, op); })
      .Case<TileMatmulOp>(
          [&](auto op) { return addProduct(*this, op, Begin::Zero, op.getPhase()); })
      .Case<TileMatmulAccOp>(
          [&](auto op) { return addProduct(*this, op, Begin::Accumulator, op.getPhase()); })
      .Case<TileMatmulBiasOp>(
          [&](auto op) { return addProduct(*this, op, Begin::Bias, op.getPhase()); })
      .Default([](Operation *) { return std::nullopt; });
}
