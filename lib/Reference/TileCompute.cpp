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
#include "Reference/Compute.h"
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
// What the table of Compute.h has
//===----------------------------------------------------------------------===//

namespace {
/// An operation that the table has, resolved.
struct TableStep {
  Instruction instruction;
  Compute compute;
  Form form;
  SmallVector<Elem, 4> elems; // of the sources
  // Rows and columns: of each source, then of the result.
  SmallVector<std::pair<ExtentRule, ExtentRule>, 4> rules;
};

/// The windows of a step: one for each source (empty for a scalar), then the destination.
using Windows = SmallVector<Window, 4>;
} // namespace

static bool isScalar(const Operand &operand) { return operand.kind == SlotKind::Scalar; }

/// The windows of the sources, cut to what the operation reads of them; then the destination.
static FailureOr<Windows> getWindows(Core &core, const TableStep &step) {
  const Instruction &instruction = step.instruction;
  Windows windows;
  for (const Operand &source : instruction.sources)
    windows.push_back(isScalar(source) ? Window() : core.getWindow(source));
  SmallVector<std::pair<int64_t, int64_t>, 4> extents;
  auto get = [&](const ExtentRule &rule) {
    if (rule.source < 0)
      return rule.constant;
    auto extentOf = [&](int source) {
      return rule.dim == 0 ? windows[source].rows : windows[source].cols;
    };
    int64_t extent = llvm::divideCeilSigned(extentOf(rule.source), rule.divisor);
    return rule.also < 0 ? extent : std::max(extent, extentOf(rule.also));
  };
  for (const auto &[rows, cols] : step.rules)
    extents.push_back({get(rows), get(cols)});
  for (auto [index, source] : llvm::enumerate(instruction.sources))
    if (!isScalar(source) &&
        failed(fit(instruction, windows[index], extents[index].first, extents[index].second)))
      return failure();
  FailureOr<Window> dst =
      core.getDestination(instruction, extents.back().first, extents.back().second);
  if (failed(dst))
    return failure();
  windows.push_back(*dst);
  return windows;
}

/// What single instructions of this form must keep to.
static LogicalResult checkForm(const TableStep &step, ArrayRef<Window> tiles) {
  const Instruction &instruction = step.instruction;
  switch (step.form) {
  case Form::Elements:
    return checkVector(instruction, tiles);
  case Form::Columns:
    return checkColumns(instruction, tiles[0], tiles[1], tiles[2]);
  case Form::Rows:
    if (isa<TileBrcbOp>(instruction.op))
      return checkBrcb(instruction, tiles[0], tiles[1]);
    if (tiles.size() == 3)
      return checkRows(instruction, {tiles[0], tiles[2]}, &tiles[1]);
    return checkRows(instruction, {tiles[0], tiles[1]});
  case Form::OneRow:
    return checkOneRow(instruction, tiles);
  case Form::Blocks:
    return checkApart(instruction, tiles);
  case Form::Anything:
    break;
  }
  return checkExpanded(instruction);
}

static Flow runTable(Core &core, const TableStep &step) {
  const Instruction &instruction = step.instruction;
  FailureOr<Windows> windows = getWindows(core, step);
  if (failed(windows))
    return Flow::Fail;
  Windows tiles;
  for (auto [index, source] : llvm::enumerate(instruction.sources))
    if (!isScalar(source))
      tiles.push_back((*windows)[index]);
  tiles.push_back(windows->back());
  if (failed(checkForm(step, tiles)) ||
      failed(core.access(instruction, ArrayRef(tiles).drop_back(), tiles.back())))
    return Flow::Fail;
  SmallVector<Dense, 4> sources;
  char scalars[8][8];
  for (auto [index, source] : llvm::enumerate(instruction.sources)) {
    const Window &window = (*windows)[index];
    if (isScalar(source)) {
      char *value = scalars[index % 8];
      storeScalar(step.elems[index], core.frame().scalars[source.index], value);
      sources.push_back({step.elems[index], 1, 1, value});
    } else {
      auto *data = const_cast<void *>(core.dense(window, index));
      sources.push_back({window.elem, window.rows, window.cols, static_cast<char *>(data)});
    }
  }
  const Window &dst = windows->back();
  auto *out = static_cast<char *>(core.denseTarget(dst, kScratches - 1));
  if (ComputeResult wrong = step.compute(sources, {dst.elem, dst.rows, dst.cols, out})) {
    CheckError(wrong->check, instruction.op).about(tiles[0].name) << wrong->text;
    return Flow::Fail;
  }
  core.finish(dst, out);
  return Flow::Next;
}

LogicalResult Translator::addTableStep(TileComputeInterface op, const ComputeEntry &entry) {
  TableStep step;
  step.instruction = getInstruction(op);
  step.form = entry.form;
  step.elems = getElems(op.getSources(), op.getResultOrDstType());
  step.compute = entry.make(op, step.elems);
  if (!step.compute)
    return failure();
  bool scalar = llvm::any_of(step.instruction.sources, isScalar);
  if (auto cast = dyn_cast<TileCastOp>(op.getOperation())) {
    if (failed(checkCastOp(step.instruction, cast.getRound())))
      return failure();
  } else if (entry.form != Form::Anything && !op->hasTrait<MovesBits>() &&
             failed(checkVectorOp(step.instruction, scalar))) {
    return failure();
  }
  for (unsigned index = 0; index <= op.getSources().size(); ++index)
    step.rules.push_back({op.getExtentRule(index, 0), op.getExtentRule(index, 1)});
  add(op, [step = std::move(step)](Core &core) { return runTable(core, step); });
  return success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The elements in FP32.
static const float *wide(Core &core, Elem elem, const void *elements, int64_t count,
                         unsigned index) {
  if (elem == Elem::F32)
    return static_cast<const float *>(elements);
  auto *floats = static_cast<float *>(core.scratch(index, count * sizeof(float)));
  widen(elem, elements, floats, count);
  return floats;
}

void reference::multiply(Core &core, Elem elem, const void *lhs, const void *rhs, void *sum,
                         int64_t m, int64_t k, int64_t n) {
  if (elem == Elem::I8)
    return matmulBytes(static_cast<const int8_t *>(lhs), static_cast<const int8_t *>(rhs),
                       static_cast<uint32_t *>(sum), m, k, n);
  matmul(wide(core, elem, lhs, m * k, 0), wide(core, elem, rhs, k * n, 1),
         static_cast<float *>(sum), m, k, n);
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
    multiply(core, lhs.elem, core.dense(lhs, 3), core.dense(rhs, 4), sum, m, k, n);
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
  if (!compute || isa<TileMoveOp, TileFullOp>(op) || // see TileData.cpp
      op->hasTrait<ValueFormOnly>())
    return std::nullopt;
  if (std::optional<Pipe> pipe = compute.getPipe())
    if (failed(checkCore(op, *pipe)))
      return failure();
  if (const ComputeEntry *entry = findCompute(getMnemonic(op)))
    return addTableStep(compute, *entry);
  using Result = std::optional<LogicalResult>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<TileMatmulOp>(
          [&](auto op) { return addProduct(*this, op, Begin::Zero, op.getPhase()); })
      .Case<TileMatmulAccOp>(
          [&](auto op) { return addProduct(*this, op, Begin::Accumulator, op.getPhase()); })
      .Case<TileMatmulBiasOp>(
          [&](auto op) { return addProduct(*this, op, Begin::Bias, op.getPhase()); })
      .Default([](Operation *) { return std::nullopt; });
}
