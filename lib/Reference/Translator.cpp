//===- Translator.cpp - From a function to a flat program --------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Reference/Translator.h"
#include "Pto/Words.h"
#include "Tile/TileOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static SlotKind getKind(Type type) {
  if (isa<TileType>(type))
    return SlotKind::Tile;
  if (isa<BufType>(type))
    return SlotKind::Buffer;
  if (isa<GmType, RankedTensorType>(type))
    return SlotKind::Array;
  if (isa<FloatType, IntegerType, IndexType, TaskType>(type))
    return SlotKind::Scalar;
  if (isa<ArrayType>(type))
    return SlotKind::List;
  return SlotKind::None;
}

Slot Translator::newSlot(SlotKind kind) {
  switch (kind) {
  case SlotKind::None:
    return {};
  case SlotKind::Scalar:
    return {kind, code.scalars++};
  case SlotKind::Tile:
    return {kind, code.tiles++};
  case SlotKind::Buffer:
    return {kind, code.buffers++};
  case SlotKind::Array:
    return {kind, code.arrays++};
  case SlotKind::List:
    return {kind, code.lists++};
  }
  return {};
}

Slot Translator::getSlot(Value value) {
  auto [it, isNew] = code.values.try_emplace(value);
  if (isNew)
    it->second = newSlot(getKind(value.getType()));
  return it->second;
}

SmallVector<Slot> Translator::getSlots(ValueRange values) {
  return llvm::map_to_vector(values, [&](Value value) { return getSlot(value); });
}

Operand Translator::getOperand(Value value) {
  Slot slot = getSlot(value);
  return {slot.kind, slot.index, value};
}

Index Translator::getIndex(OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    if (isa<Attribute>(value))
      return {*constant, -1};
  return {0, getScalar(cast<Value>(value))};
}

SmallVector<Index, 2> Translator::getIndices(ArrayRef<OpFoldResult> values) {
  SmallVector<Index, 2> indices;
  for (OpFoldResult value : values)
    indices.push_back(getIndex(value));
  return indices;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

int32_t Translator::add(Operation *op, std::function<Flow(Core &)> run) {
  // A loop or a branch has steps behind what is in it as well.
  bool begins = begun.insert(op).second;
  code.steps.push_back({op, std::move(run), -1, begins});
  return code.steps.size() - 1;
}

void Translator::addCopies(Operation *op, ArrayRef<Slot> from, ArrayRef<Slot> to) {
  auto same = [](Slot a, Slot b) { return a.kind == b.kind && a.index == b.index; };
  SmallVector<std::pair<Slot, Slot>> copies, late;
  for (auto [source, target] : llvm::zip(from, to)) {
    if (source.kind == SlotKind::None || same(source, target))
      continue;
    // A target that another copy still reads is filled by way of a new place.
    Slot given = target;
    bool read = llvm::any_of(from, [&](Slot other) { return same(other, given); });
    if (!read) {
      copies.push_back({source, target});
      continue;
    }
    Slot between = newSlot(source.kind);
    copies.push_back({source, between});
    late.push_back({between, target});
  }
  llvm::append_range(copies, late);
  if (copies.empty())
    return;
  add(op, [copies](Core &core) {
    Frame &frame = core.frame();
    for (auto [source, target] : copies)
      frame.copy(source, target);
    return Flow::Next;
  });
}

LogicalResult Translator::addBlock(Block &block) {
  for (Operation &op : block)
    if (failed(addOperation(&op)))
      return failure();
  return success();
}

LogicalResult Translator::addOperation(Operation *op) {
  using Family = std::optional<LogicalResult> (Translator::*)(Operation *);
  static constexpr Family families[] = {
      &Translator::addControl,     &Translator::addArithmetic, &Translator::addMath,
      &Translator::addTileCompute, &Translator::addTileData,   &Translator::addTileParts,
      &Translator::addTileBuffers, &Translator::addTileArrays, &Translator::addBlockOp,
      &Translator::addSignal,      &Translator::addTaskOp,     &Translator::addQueueOp,
      &Translator::addTensor};
  for (Family family : families)
    if (std::optional<LogicalResult> result = (this->*family)(op))
      return *result;
  return op->emitError() << "the reference model does not run '" << op->getName() << "'";
}

/// The pipes that a core of its kind has, and its spaces.
LogicalResult Translator::checkCore(Operation *op, Pipe pipe) {
  if (!core || !program.checks.has(Check::CoreKind))
    return success();
  if (!program.target->hasPipe(*core, pipe))
    return CheckError(Check::CoreKind, op)
           << "runs on pipe " << pipeWord(pipe) << ", which a core of kind "
           << stringifyCoreKind(*core).upper() << " does not have";
  // A cluster's cores share the allocations in front of their sections.
  std::optional<CoreKind> owner = program.target->getCore(op);
  if (!owner || *owner == *core)
    return success();
  Value tile = *llvm::find_if(
      op->getOperands(), [](Value operand) { return getTileSpace(operand.getType()).has_value(); });
  return CheckError(Check::CoreKind, op)
         << "works on " << valueWord(tile) << ", which a core of kind "
         << stringifyCoreKind(*core).upper() << " does not reach";
}

LogicalResult Translator::checkNamedPipe(Operation *op, Pipe pipe) {
  if (!core || program.target->hasPipe(*core, pipe) || !program.checks.has(Check::CoreKind))
    return success();
  return CheckError(Check::CoreKind, op)
         << "names pipe " << pipeWord(pipe) << ", which a core of kind "
         << stringifyCoreKind(*core).upper() << " does not have";
}

Instruction Translator::getElementInstruction(Operation *op) {
  Instruction instruction;
  instruction.op = op;
  instruction.isFinal = code.isFinal;
  instruction.target = program.target;
  instruction.set = &program.checks;
  return instruction;
}

Instruction Translator::getInstruction(Operation *op) {
  Instruction instruction = getElementInstruction(op);
  auto interface = cast<InstructionInterface>(op);
  // Without a space there is no pipe yet, and no order to check.
  instruction.pipe = interface.getPipe().value_or(Pipe::S);
  Value destination;
  if (auto compute = dyn_cast<TileComputeInterface>(op)) {
    for (Value source : compute.getSources())
      instruction.sources.push_back(getOperand(source));
    destination = compute.getDestination() ? compute.getDestination() : Value(op->getResult(0));
  } else if (auto load = dyn_cast<TileLoadOp>(op)) {
    destination = load.getDst() ? Value(load.getDst()) : Value(load.getResult());
  } else if (auto store = dyn_cast<TileStoreOp>(op)) {
    instruction.sources.push_back(getOperand(store.getSource()));
    return instruction;
  }
  instruction.destination = getOperand(destination);
  instruction.destinationType = destination.getType();
  instruction.elem = *getElem(getElementTypeOf(destination.getType()));
  return instruction;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Whether the code orders its pipes itself.
static bool ordersPipes(FunctionOpInterface func) {
  auto sync = func->getAttrOfType<SyncModeAttr>(attr::kSync);
  // What the author says with flags is checked for itself; locks and barriers, without
  // which pipes are in no order, pto-insert-sync has still to write.
  return sync && sync.getValue() != SyncMode::None && sync.getValue() != SyncMode::Author;
}

LogicalResult Translator::translate() {
  FunctionOpInterface func = code.func;
  code.kind = getFunctionKind(func);
  code.isFinal = ordersPipes(func);
  if (func.isExternal())
    return func->emitError() << "'" << func.getName() << "' has no body to run";
  Region &body = func.getFunctionBody();
  if (!body.hasOneBlock())
    return func->emitError() << "'" << func.getName()
                             << "' has branches between blocks; the reference model runs scf only";
  if (code.kind == FunctionKind::AIC)
    core = CoreKind::AIC;
  if (code.kind == FunctionKind::AIV)
    core = CoreKind::AIV;
  if (failed(checkArguments(SmallVector<Value>(body.getArguments()))))
    return failure();
  for (unsigned index = 0; index < body.getNumArguments(); ++index)
    code.directions.push_back(getDirection(func, index));
  if (failed(addBlock(body.front())))
    return failure();
  int32_t placed = std::max(code.placed[0], code.placed[1]);
  if (!code.isFinal || placed <= program.target->maxBuffers ||
      !program.checks.has(Check::BufferCount))
    return success();
  return CheckError(Check::BufferCount, func, /*bare=*/true)
         << "'" << func.getName() << "' has " << placed << " buffers; a kernel on "
         << program.target->name << " has at most " << program.target->maxBuffers;
}

/// Gives each argument its place.
LogicalResult Translator::checkArguments(ArrayRef<Value> arguments) {
  for (Value argument : arguments) {
    code.arguments.push_back(getSlot(argument));
    if (code.arguments.back().kind == SlotKind::None)
      return emitError(argument.getLoc()) << "an argument of type " << argument.getType()
                                          << " cannot be given to the reference model";
    if (code.arguments.back().kind == SlotKind::Array &&
        !getElem(getElementTypeOf(argument.getType())))
      return emitError(argument.getLoc())
             << "an array of " << dtypeWord(getElementTypeOf(argument.getType()))
             << " cannot be given to the reference model";
  }
  return success();
}

const Code *ProgramState::getCode(FunctionOpInterface func) {
  std::lock_guard<std::recursive_mutex> lock(translating);
  std::unique_ptr<Code> &code = codes[func];
  if (code)
    return code.get();
  auto made = std::make_unique<Code>();
  made->func = func;
  // A function that calls itself finds the unfinished code; entering it fails
  // by depth. Translation of callees happens when they are entered.
  if (failed(Translator(*this, *made).translate()))
    return nullptr;
  codes[func] = std::move(made);
  return codes[func].get();
}

const Code *ProgramState::getRegion(Operation *at, ArrayRef<Value> used) {
  std::lock_guard<std::recursive_mutex> lock(translating);
  std::unique_ptr<Code> &code = codes[at];
  if (code)
    return code.get();
  auto made = std::make_unique<Code>();
  made->func = at->getParentOfType<FunctionOpInterface>();
  if (failed(Translator(*this, *made).translateRegion(at, used)))
    return nullptr;
  codes[at] = std::move(made);
  return codes[at].get();
}

void ProgramState::setChecks(const CheckSet &set) {
  if (set == checks)
    return;
  checks = set;
  codes.clear();
  lastCores.clear();
  kept.clear();
  others.clear();
  free.clear();
}

const LayoutMap *ProgramState::getMap(BufType type) {
  BufType root =
      BufType::get(type.getRoot(), type.getElementType(), type.getSpace(), type.getLayout());
  std::unique_ptr<LayoutMap> &map = maps[root];
  if (!map)
    map = std::make_unique<LayoutMap>(type.getLayout(), type.getSpace(), type.getElementType(),
                                      type.getRootRows(), type.getRootCols());
  return map.get();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

std::optional<LogicalResult> Translator::addControl(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return addFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return addIf(branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return addWhile(loop);
  if (isa<func::CallOp>(op))
    return addCall(op);
  if (isa<func::ReturnOp>(op))
    return addReturn(op);
  return std::nullopt;
}

LogicalResult Translator::addFor(scf::ForOp op) {
  int32_t iv = getScalar(op.getInductionVar()), begin = getScalar(op.getLowerBound());
  int32_t end = getScalar(op.getUpperBound()), step = getScalar(op.getStep());
  addCopies(op, getSlots(op.getInitArgs()), getSlots(op.getRegionIterArgs()));
  Location loc = op.getLoc();
  add(op, [=](Core &core) {
    std::vector<Scalar> &scalars = core.frame().scalars;
    scalars[iv].i = scalars[begin].i;
    if (scalars[step].i > 0)
      return Flow::Next;
    emitError(loc) << "the loop's step is " << scalars[step].i << "; it must be positive";
    return Flow::Fail;
  });
  int32_t head = add(op, [=](Core &core) {
    std::vector<Scalar> &scalars = core.frame().scalars;
    return scalars[iv].i < scalars[end].i ? Flow::Next : Flow::Jump;
  });
  code.steps[head].begins = code.steps[head].isTrip = true;
  for (Operation &inner : op.getBody()->without_terminator())
    if (failed(addOperation(&inner)))
      return failure();
  Operation *yield = op.getBody()->getTerminator();
  addCopies(yield, getSlots(yield->getOperands()), getSlots(op.getRegionIterArgs()));
  int32_t back = add(op, [=](Core &core) {
    std::vector<Scalar> &scalars = core.frame().scalars;
    if (__builtin_add_overflow(scalars[iv].i, scalars[step].i, &scalars[iv].i))
      scalars[iv].i = scalars[end].i;
    return Flow::Jump;
  });
  setTarget(back, head);
  setTarget(head, getNext());
  addCopies(op, getSlots(op.getRegionIterArgs()), getSlots(op.getResults()));
  return success();
}

LogicalResult Translator::addIf(scf::IfOp op) {
  int32_t condition = getScalar(op.getCondition());
  int32_t branch = add(op, [condition](Core &core) {
    return core.frame().scalars[condition].i ? Flow::Next : Flow::Jump;
  });
  auto addArm = [&](Region &region) -> LogicalResult {
    for (Operation &inner : region.front().without_terminator())
      if (failed(addOperation(&inner)))
        return failure();
    Operation *yield = region.front().getTerminator();
    addCopies(yield, getSlots(yield->getOperands()), getSlots(op.getResults()));
    return success();
  };
  if (failed(addArm(op.getThenRegion())))
    return failure();
  if (op.getElseRegion().empty()) {
    setTarget(branch, getNext());
    return success();
  }
  int32_t skip = add(op, [](Core &) { return Flow::Jump; });
  setTarget(branch, getNext());
  if (failed(addArm(op.getElseRegion())))
    return failure();
  setTarget(skip, getNext());
  return success();
}

LogicalResult Translator::addWhile(scf::WhileOp op) {
  addCopies(op, getSlots(op.getInits()), getSlots(op.getBeforeArguments()));
  int32_t head = getNext();
  for (Operation &inner : op.getBeforeBody()->without_terminator())
    if (failed(addOperation(&inner)))
      return failure();
  scf::ConditionOp end = op.getConditionOp();
  int32_t condition = getScalar(end.getCondition());
  addCopies(end, getSlots(end.getArgs()), getSlots(op.getAfterArguments()));
  int32_t leave = add(end, [condition](Core &core) {
    return core.frame().scalars[condition].i ? Flow::Next : Flow::Jump;
  });
  for (Operation &inner : op.getAfterBody()->without_terminator())
    if (failed(addOperation(&inner)))
      return failure();
  Operation *yield = op.getAfterBody()->getTerminator();
  addCopies(yield, getSlots(yield->getOperands()), getSlots(op.getBeforeArguments()));
  int32_t back = add(yield, [](Core &) { return Flow::Jump; });
  setTarget(back, head);
  setTarget(leave, getNext());
  addCopies(op, getSlots(op.getAfterArguments()), getSlots(op.getResults()));
  return success();
}

LogicalResult Translator::addCall(Operation *op) {
  auto call = cast<func::CallOp>(op);
  auto callee = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(op, call.getCalleeAttr());
  if (!callee)
    return op->emitError() << "calls '" << call.getCallee() << "', which is no function";
  FunctionKind kind = getFunctionKind(callee);
  if (kind != FunctionKind::Inline && kind != FunctionKind::Opaque)
    return op->emitError() << "calls '" << call.getCallee() << "', a function of kind "
                           << stringifyFunctionKind(kind)
                           << "; only inline functions are called, kernels are dispatched";
  SmallVector<Slot> arguments = getSlots(op->getOperands()), results = getSlots(op->getResults());
  ProgramState *program = &this->program;
  add(op, [=](Core &core) {
    const Code *code = program->getCode(callee);
    if (!code || failed(core.enter(*code, &core.frame(), arguments, results, op)))
      return Flow::Fail;
    return Flow::Enter;
  });
  return success();
}

/// Brings the values that a function returns for its Out and InOut arrays to
/// where these are, if they are elsewhere.
static LogicalResult writeBack(Core &core, Operation *op, ArrayRef<std::pair<Slot, Slot>> arrays) {
  for (auto [returned, argument] : arrays) {
    const ArrayView &from = core.frame().arrays[returned.index];
    const ArrayView &to = core.frame().arrays[argument.index];
    if (from.array == to.array && from.offset == to.offset && from.pitch == to.pitch)
      continue;
    if (from.shape != to.shape || from.array->elem != to.array->elem)
      return emitError(op->getLoc()) << "returns " << shapeWord(from.shape)
                                     << " for an argument of " << shapeWord(to.shape);
    std::vector<char> bytes(from.getBytes());
    from.gather(bytes.data());
    to.scatter(bytes.data());
    SmallVector<ByteRange, 16> ranges;
    to.getRanges(ranges);
    if (failed(core.accessArray(op, Value(), to, ranges, /*writes=*/true)))
      return failure();
  }
  return success();
}

LogicalResult Translator::addReturn(Operation *op) {
  SmallVector<Slot> results = getSlots(op->getOperands());
  SmallVector<std::pair<Slot, Slot>> arrays;
  if (code.isKernel() && !results.empty()) {
    SmallVector<Slot> written;
    for (auto [index, slot] : llvm::enumerate(code.arguments))
      if (isWritten(getDirection(code.func, index)))
        written.push_back(slot);
    if (written.size() != results.size())
      return op->emitError() << "a kernel returns its Out and InOut arrays, " << written.size()
                             << " here, found " << results.size();
    for (auto [returned, argument] : llvm::zip(results, written))
      arrays.push_back({returned, argument});
  }
  bool ends = code.kind != FunctionKind::Inline && code.kind != FunctionKind::Opaque;
  add(op, [=](Core &core) {
    if (failed(writeBack(core, op, arrays)))
      return Flow::Fail;
    if (ends &&
        (failed(core.cluster.order.finish(core.number, op)) || failed(core.checkCacheAtEnd())))
      return Flow::Fail;
    core.leave(results);
    return Flow::Return;
  });
  return success();
}
