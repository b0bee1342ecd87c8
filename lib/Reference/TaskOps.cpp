//===- TaskOps.cpp - The control plane ---------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// What the orchestration does: it submits tasks, and works with their tokens, small
// arrays of these, windows of arrays and single elements.
//
//===----------------------------------------------------------------------===//

#include "Block/BlockOps.h"
#include "Pto/Words.h"
#include "Reference/Translator.h"
#include "Tensor/TensorOps.h"
#include "Tile/TileOps.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cstring>

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

//===----------------------------------------------------------------------===//
// What every task has
//===----------------------------------------------------------------------===//

namespace {
/// The words at a task, resolved.
struct TaskPlan {
  Operation *op;
  std::string name;
  int32_t blocks = -1; // the scalar; none: one block
  SmallVector<int32_t, 2> after;
  Operand condition; // an array, if there is one
  SmallVector<Index, 2> indices;
  Compare compare = Compare::EQ;
  int64_t compareTo = 0;
  bool manual = false;
  Slot token;
};
} // namespace

template <typename Op> static TaskPlan getPlan(Translator &to, Op op, std::string name) {
  TaskPlan plan;
  plan.op = op;
  plan.name = std::move(name);
  if (op.getBlocks())
    plan.blocks = to.getScalar(op.getBlocks());
  for (Value token : op.getDeps())
    plan.after.push_back(to.getScalar(token));
  if (op.getCondition()) {
    plan.condition = to.getOperand(op.getCondition());
    for (Value index : op.getConditionIndices())
      plan.indices.push_back(to.getIndex(index));
    plan.compare = *op.getCompare();
    plan.compareTo = *op.getCompareTo();
  }
  plan.manual = op.getManual();
  if (op.getTask())
    plan.token = to.getSlot(op.getTask());
  return plan;
}

/// The byte of an element of an array, or an error at `op`.
static FailureOr<int64_t> locate(Operation *op, Value name, const ArrayView &view,
                                 ArrayRef<Index> offsets, ArrayRef<int64_t> sizes,
                                 const Frame &frame) {
  SmallVector<int64_t, 4> indices;
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    int64_t begin = offset.get(frame), size = sizes.empty() ? 1 : sizes[dim];
    int64_t whole = view.shape[dim];
    if (begin < 0 || size > whole || begin > whole - size)
      return CheckError(Check::Bounds, op).about(name)
             << "the window reaches beyond the array " << valueWord(name) << ": in dimension "
             << dim << " it covers " << rangeWord(begin, size) << " of " << rangeWord(0, whole);
    indices.push_back(begin);
  }
  return view.getElementOffset(indices);
}

/// The task, but for its kernels.
static FailureOr<std::unique_ptr<Task>> makeTask(const TaskPlan &plan, const Frame &frame) {
  auto task = std::make_unique<Task>();
  task->op = plan.op;
  task->name = plan.name;
  task->manual = plan.manual;
  constexpr int64_t kMost = 65535; // what a launch takes
  if (plan.blocks >= 0)
    task->blocks = frame.scalars[plan.blocks].i;
  if (task->blocks < 1 || task->blocks > kMost)
    return CheckError(Check::Bounds, plan.op)
           << "runs on " << task->blocks << " blocks; a task has 1 to " << kMost;
  for (int32_t token : plan.after)
    task->after.push_back(frame.scalars[token].i);
  if (plan.condition.kind != SlotKind::Array)
    return task;
  const ArrayView &view = frame.arrays[plan.condition.index];
  if (view.array->elem != Elem::I32)
    return emitUserError(plan.op) << "the condition reads INT32, found "
                                  << valueWord(plan.condition.value);
  FailureOr<int64_t> byte = locate(plan.op, plan.condition.value, view, plan.indices, {}, frame);
  if (failed(byte))
    return failure();
  task->condition = {view, {*byte, *byte + 4}, plan.compare, plan.compareTo, plan.condition.value};
  return task;
}

/// The kernel may write what it says it writes.
static LogicalResult checkDirections(const Part &part) {
  for (auto [index, slot] : llvm::enumerate(part.arguments)) {
    if (slot.kind != SlotKind::Array || !isWritten(part.code->directions[index]))
      continue;
    const ArrayView &view = part.frame.arrays[slot.index];
    if (!view.array->readOnly && view.direction != Direction::In)
      continue;
    return CheckError(Check::InWrite, part.op).about(part.names[index])
           << "gives " << valueWord(part.names[index]) << " to '"
           << FunctionOpInterface(part.code->func).getName()
           << "', which writes it, but it is an In argument; make it Out or InOut";
  }
  return success();
}

/// Submits the task; its token goes to the frame.
static LogicalResult submit(Core &core, const TaskPlan &plan, std::unique_ptr<Task> task) {
  FailureOr<uint32_t> number = core.launch.run.tasks.submit(std::move(task));
  if (failed(number))
    return failure();
  if (plan.token.kind == SlotKind::Scalar)
    core.frame().scalars[plan.token.index].i = *number;
  return success();
}

static LogicalResult checkPlace(Translator &to, Operation *op, StringRef what) {
  if (!to.code.isKernel())
    return success();
  return emitUserError(op) << what << " from within a kernel; only orchestration "
                           << what.split(' ').first;
}

//===----------------------------------------------------------------------===//
// Dispatches
//===----------------------------------------------------------------------===//

namespace {
/// A dispatch, resolved.
struct PartPlan {
  Operation *op;
  FunctionOpInterface callee;
  SmallVector<Slot> arguments;
  SmallVector<Value> names;
  SmallVector<unsigned> noDep;
  /// Results name arguments.
  SmallVector<std::pair<Slot, Slot>> results;
  std::optional<CoreKind> core;

  FailureOr<Part> make(Core &core) const;
};
} // namespace

static PartPlan getPartPlan(Translator &to, BlockDispatchOp op) {
  PartPlan plan;
  plan.op = op;
  plan.callee = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(op, op.getCalleeAttr());
  plan.arguments = to.getSlots(op.getArgs());
  plan.names.assign(op.getArgs().begin(), op.getArgs().end());
  if (std::optional<ArrayRef<int64_t>> free = op.getNoDep())
    plan.noDep.assign(free->begin(), free->end());
  unsigned result = 0;
  for (auto [index, slot] : llvm::enumerate(plan.arguments))
    if (isWritten(getDirection(plan.callee, index)))
      plan.results.push_back({slot, to.getSlot(op.getResults()[result++])});
  return plan;
}

FailureOr<Part> PartPlan::make(Core &core) const {
  Part part;
  part.code = core.launch.run.program.getCode(callee);
  if (!part.code)
    return failure();
  part.op = op;
  part.arguments = part.frame.capture(core.frame(), arguments);
  part.names = names;
  part.noDep = noDep;
  part.core = this->core;
  if (failed(checkDirections(part)))
    return failure();
  for (auto [array, name] : results)
    core.frame().copy(array, name);
  return part;
}

static LogicalResult addDispatch(Translator &to, BlockDispatchOp op) {
  if (failed(checkPlace(to, op, "dispatches a task")))
    return failure();
  TaskPlan plan = getPlan(to, op, op.getCallee().str());
  PartPlan part = getPartPlan(to, op);
  to.add(op, [=](Core &core) {
    FailureOr<std::unique_ptr<Task>> task = makeTask(plan, core.frame());
    if (failed(task))
      return Flow::Fail;
    FailureOr<Part> made = part.make(core);
    if (failed(made))
      return Flow::Fail;
    (*task)->parts.push_back(std::move(*made));
    return next(submit(core, plan, std::move(*task)));
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

/// The core that an operation needs; nothing for scalars, control flow and
/// movement that either side could make.
static std::optional<CoreKind> getCore(Operation *op, const TargetInfo &target) {
  if (op->getNumRegions() != 0 || op->hasTrait<OpTrait::IsTerminator>())
    return std::nullopt;
  if (std::optional<CoreKind> core = target.getCore(op))
    return core;
  // Spaces are open yet: products are the cube core's.
  if (getMnemonic(op).starts_with("matmul"))
    return CoreKind::AIC;
  bool computes = isa<TileComputeInterface>(op) && !isa<TileMoveOp>(op);
  bool computesArrays = op->hasTrait<TensorLevel>() &&
                        !isa<TensorAssembleOp, TensorCreateOp, TensorSliceOp, TensorReadOp>(op);
  return computes || computesArrays ? std::optional(CoreKind::AIV) : std::nullopt;
}

/// The core that runs a kernel of a cluster.
static FailureOr<CoreKind> classify(BlockDispatchOp op, FunctionOpInterface callee,
                                    const TargetInfo &target) {
  FunctionKind kind = getFunctionKind(callee);
  if (kind == FunctionKind::AIC || kind == FunctionKind::AIV)
    return kind == FunctionKind::AIC ? CoreKind::AIC : CoreKind::AIV;
  if (kind == FunctionKind::Group)
    return emitUserError(op) << "'" << callee.getName()
                             << "' is a mixed kernel, which is a cluster by itself";
  Operation *cube = nullptr, *vector = nullptr;
  callee.walk<WalkOrder::PreOrder>([&](Operation *inner) {
    std::optional<CoreKind> core = getCore(inner, target);
    Operation *&found = core == CoreKind::AIC ? cube : vector;
    if (core && !found)
      found = inner;
  });
  if (!cube || !vector)
    return cube ? CoreKind::AIC : CoreKind::AIV;
  InFlightDiagnostic error = emitUserError(op)
                             << "the cluster cannot run at this stage: '" << callee.getName()
                             << "' works for the cube core and for the vector cores";
  error.attachNote(cube->getLoc()) << operationWord(cube) << " is for the cube core";
  error.attachNote(vector->getLoc()) << operationWord(vector) << " is for the vector cores";
  return error;
}

static LogicalResult addCluster(Translator &to, BlockClusterOp op) {
  if (failed(checkPlace(to, op, "submits a cluster")))
    return failure();
  SmallVector<PartPlan, 2> parts;
  std::string name;
  llvm::SmallPtrSet<Value, 4> free(llvm::from_range, op.getNoDep());
  for (auto dispatch : op.getBody().front().getOps<BlockDispatchOp>()) {
    PartPlan part = getPartPlan(to, dispatch);
    FailureOr<CoreKind> core = classify(dispatch, part.callee, *to.program.target);
    if (failed(core))
      return failure();
    part.core = *core;
    for (auto [index, argument] : llvm::enumerate(dispatch.getArgs()))
      if (free.contains(argument))
        part.noDep.push_back(index);
    for (const PartPlan &other : parts)
      if (other.core == part.core) {
        InFlightDiagnostic error =
            emitUserError(dispatch)
            << "a cluster runs one kernel for its cube core and one for its vector cores; this is "
               "a second one for the "
            << (*core == CoreKind::AIC ? "cube core" : "vector cores");
        error.attachNote(other.op->getLoc()) << "the first one is here";
        return error;
      }
    name += (name.empty() ? "" : "+") + dispatch.getCallee().str();
    parts.push_back(std::move(part));
  }
  if (parts.empty())
    return emitUserError(op) << "the cluster has no kernel to run";
  TaskPlan plan = getPlan(to, op, op.getNameHint() ? op.getNameHint()->str() : name);
  to.add(op, [=](Core &core) {
    FailureOr<std::unique_ptr<Task>> task = makeTask(plan, core.frame());
    if (failed(task))
      return Flow::Fail;
    for (const PartPlan &part : parts) {
      FailureOr<Part> made = part.make(core);
      if (failed(made))
        return Flow::Fail;
      (*task)->parts.push_back(std::move(*made));
    }
    return next(submit(core, plan, std::move(*task)));
  });
  Operation *yield = op.getBody().front().getTerminator();
  to.addCopies(yield, to.getSlots(yield->getOperands()), to.getSlots(op.getResults()));
  return success();
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// The value from outside of the region whose memory an array of it names; null when
/// that is not static.
static Value findTarget(Value array, Region &region, llvm::DenseMap<Value, Value> &known) {
  if (!region.isAncestor(array.getParentRegion()))
    return array;
  auto [it, isNew] = known.try_emplace(array);
  if (!isNew)
    return it->second;
  auto find = [&](Value value) { return findTarget(value, region, known); };
  auto settle = [&](Value value) { return known[array] = value; };
  Operation *op = array.getDefiningOp();
  if (auto assemble = dyn_cast_or_null<TensorAssembleOp>(op))
    return settle(find(assemble.getTarget()));
  if (auto store = dyn_cast_or_null<TileStoreOp>(op))
    return settle(find(store.getDest()));
  if (auto branch = dyn_cast_or_null<scf::IfOp>(op)) {
    unsigned result = cast<OpResult>(array).getResultNumber();
    Value first = find(branch.thenYield().getOperand(result));
    return settle(first == find(branch.elseYield().getOperand(result)) ? first : Value());
  }
  // What a loop carries names one array if every iteration hands that on.
  auto ofLoop = [&](scf::ForOp loop, unsigned number) {
    Value init = find(loop.getInitArgs()[number]);
    known[loop.getRegionIterArg(number)] = init;
    return find(loop.getYieldedValues()[number]) == init ? init : Value();
  };
  if (auto loop = dyn_cast_or_null<scf::ForOp>(op))
    return settle(ofLoop(loop, cast<OpResult>(array).getResultNumber()));
  return Value();
}

LogicalResult Translator::translateRegion(Operation *at, ArrayRef<Value> used) {
  Region &region = at->getRegion(0);
  code.kind = FunctionKind::InCore;
  code.isRegion = true;
  if (failed(checkArguments(used)))
    return failure();
  Operation *yield = region.front().getTerminator();
  llvm::DenseMap<Value, Value> known;
  code.directions.assign(used.size(), Direction::In);
  for (Value result : yield->getOperands()) {
    Value target = findTarget(result, region, known);
    auto *place = llvm::find(used, target);
    std::optional<unsigned> index;
    if (target && place != used.end())
      code.directions[index.emplace(place - used.begin())] = Direction::InOut;
    code.resultOf.push_back(index);
  }
  for (Operation &inner : region.front().without_terminator())
    if (failed(addOperation(&inner)))
      return failure();
  SmallVector<Slot> results = getSlots(yield->getOperands());
  add(yield, [results](Core &core) {
    core.leave(results);
    return Flow::Return;
  });
  return success();
}

static LogicalResult addAt(Translator &to, BlockAtOp op) {
  if (failed(checkPlace(to, op, "places code on a core")))
    return failure();
  if (op.getLevel() != Level::CoreGroup)
    return emitUserError(op) << "level " << stringifyLevel(op.getLevel()).upper()
                             << " is carried and printed only; the reference model runs "
                                "CORE_GROUP";
  llvm::SetVector<Value> above;
  getUsedValuesDefinedAbove(op.getBody(), above);
  SmallVector<Value> used(above.begin(), above.end());
  for (Value result : op.getBody().front().getTerminator()->getOperands())
    if (!op.getBody().isAncestor(result.getParentRegion()) && !llvm::is_contained(used, result))
      used.push_back(result);
  SmallVector<unsigned> noDep;
  for (Value array : op.getNoDep())
    if (auto *place = llvm::find(used, array); place != used.end())
      noDep.push_back(place - used.begin());
  StringRef where = op->getParentOfType<FunctionOpInterface>().getName();
  TaskPlan plan =
      getPlan(to, op, op.getNameHint() ? op.getNameHint()->str() : (where + ".at").str());
  SmallVector<Slot> arguments = to.getSlots(used), results = to.getSlots(op.getResults());
  Operation *operation = op;
  to.add(op, [=](Core &core) {
    FailureOr<std::unique_ptr<Task>> task = makeTask(plan, core.frame());
    const Code *code = core.launch.run.program.getRegion(operation, used);
    if (failed(task) || !code)
      return Flow::Fail;
    Frame &frame = core.frame();
    Part &part = (*task)->parts.emplace_back();
    part.code = code;
    part.op = operation;
    part.arguments = part.frame.capture(frame, arguments);
    part.names = used;
    part.noDep = noDep;
    bool known = llvm::all_of(code->resultOf, [](auto index) { return index.has_value(); });
    if (!known) { // what it yields is there when it has run
      (*task)->resultFrame = &frame;
      (*task)->results = results;
    }
    for (auto [result, index] : llvm::zip(results, code->resultOf))
      if (known)
        frame.copy(arguments[*index], result);
    return next(submit(core, plan, std::move(*task)));
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Tokens and small arrays
//===----------------------------------------------------------------------===//

static LogicalResult addDummy(Translator &to, BlockTaskDummyOp op) {
  SmallVector<Slot> deps = to.getSlots(op.getDeps());
  int32_t result = to.getScalar(op.getResult());
  Operation *operation = op;
  to.add(op, [=](Core &core) {
    std::vector<Scalar> &scalars = core.frame().scalars;
    SmallVector<uint32_t> after;
    for (Slot dep : deps)
      after.push_back(scalars[dep.index].i);
    scalars[result].i = core.launch.run.tasks.submitDummy(operation, after);
    return Flow::Next;
  });
  return success();
}

/// Calls `function(frame, index)` with an index within the small array.
template <typename Function>
static LogicalResult addElement(Translator &to, Operation *op, Value array, Value index,
                                Function function) {
  int32_t position = to.getScalar(index);
  int64_t size = cast<ArrayType>(array.getType()).getSize();
  to.add(op, [=](Core &core) {
    int64_t at = core.frame().scalars[position].i;
    if (at < 0 || at >= size) {
      CheckError(Check::Bounds, op) << "index " << at << " is not within 0 to " << size - 1;
      return Flow::Fail;
    }
    function(core.frame(), at);
    return Flow::Next;
  });
  return success();
}

static LogicalResult addArrayCreate(Translator &to, BlockArrayCreateOp op) {
  auto type = cast<ArrayType>(op.getResult().getType());
  int32_t result = to.getSlot(op.getResult()).index;
  bool isFloat = isa<FloatType>(type.getElementType());
  to.add(op, [result, isFloat, size = type.getSize()](Core &core) {
    Scalar zero;
    zero.i = 0;
    if (isFloat)
      zero.f = 0;
    core.frame().lists[result].assign(size, zero);
    return Flow::Next;
  });
  return success();
}

static LogicalResult addArrayGet(Translator &to, BlockArrayGetOp op) {
  int32_t array = to.getSlot(op.getArray()).index, result = to.getScalar(op.getResult());
  return addElement(to, op, op.getArray(), op.getIndex(), [=](Frame &frame, int64_t at) {
    frame.scalars[result] = frame.lists[array][at];
  });
}

static LogicalResult addArraySet(Translator &to, BlockArraySetOp op) {
  int32_t array = to.getSlot(op.getArray()).index, result = to.getSlot(op.getResult()).index;
  int32_t value = to.getScalar(op.getValue());
  return addElement(to, op, op.getArray(), op.getIndex(), [=](Frame &frame, int64_t at) {
    frame.lists[result] = frame.lists[array];
    frame.lists[result][at] = frame.scalars[value];
  });
}

//===----------------------------------------------------------------------===//
// Windows and elements of arrays
//===----------------------------------------------------------------------===//

static LogicalResult addSlice(Translator &to, TensorSliceOp op) {
  Operand source = to.getOperand(op.getSource());
  SmallVector<Index, 2> offsets = to.getIndices(op.getMixedOffsets());
  int32_t result = to.getSlot(op.getResult()).index;
  ArrayRef<int64_t> shape = getShapeOf(op.getResult().getType());
  Operation *operation = op;
  ArrayRef<int64_t> sizes = op.getSizes(); // lives as long as the module
  to.add(op, [=](Core &core) {
    Frame &frame = core.frame();
    ArrayView view = frame.arrays[source.index];
    FailureOr<int64_t> byte = locate(operation, source.value, view, offsets, sizes, frame);
    if (failed(byte))
      return Flow::Fail;
    bool wholeRows = !shape.empty() && shape.back() == view.getWidth();
    view.offset = *byte;
    view.shape.assign(shape.begin(), shape.end());
    if (wholeRows && view.isDense())
      view.pitch = view.getWidth();
    frame.arrays[result] = std::move(view);
    return Flow::Next;
  });
  return success();
}

static LogicalResult addRead(Translator &to, TensorReadOp op) {
  Operand source = to.getOperand(op.getSource());
  SmallVector<Index, 2> offsets = to.getIndices(op.getMixedOffsets());
  int32_t result = to.getScalar(op.getResult());
  Operation *operation = op;
  if (!getElem(getElementTypeOf(op.getSource().getType())))
    return emitUserError(op) << "reads arrays of FP16, BF16, FP32 or INT32, found "
                             << valueWord(op.getSource());
  if (failed(checkPlace(to, op, "reads an element of an array")))
    return failure();
  to.add(op, [=](Core &core) {
    Frame &frame = core.frame();
    const ArrayView &view = frame.arrays[source.index];
    const Array &array = *view.array;
    FailureOr<int64_t> byte = locate(operation, source.value, view, offsets, {}, frame);
    if (failed(byte) || failed(core.launch.run.tasks.runWriters(*array.memory)))
      return Flow::Fail;
    ByteRange bytes = {*byte, *byte + elemBytes(array.elem)};
    if (core.launch.run.checks.has(Check::Uninitialized) && array.memory->history &&
        !array.memory->history->isDefined(bytes, 0)) {
      CheckError(Check::Uninitialized, operation).about(source.value, bytes.begin, bytes.end)
          << "reads " << valueWord(source.value) << ", whose element " << view.getElementAt(*byte)
          << " (counted row by row) nothing has written";
      return Flow::Fail;
    }
    const char *element = array.memory->data + *byte;
    if (array.elem != Elem::I32) {
      frame.scalars[result].f = loadElement(array.elem, element);
      return Flow::Next;
    }
    int32_t integer;
    std::memcpy(&integer, element, sizeof(integer));
    frame.scalars[result].i = integer;
    return Flow::Next;
  });
  return success();
}

std::optional<LogicalResult> Translator::addTaskOp(Operation *op) {
  using Result = std::optional<LogicalResult>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<BlockDispatchOp>([&](auto op) { return addDispatch(*this, op); })
      .Case<BlockAtOp>([&](auto op) { return addAt(*this, op); })
      .Case<BlockClusterOp>([&](auto op) { return addCluster(*this, op); })
      .Case<BlockTaskInvalidOp>([&](auto op) {
        return addScalar(op, [](Frame &) {
          Scalar none;
          none.i = 0;
          return none;
        });
      })
      .Case<BlockTaskDummyOp>([&](auto op) { return addDummy(*this, op); })
      .Case<BlockArrayCreateOp>([&](auto op) { return addArrayCreate(*this, op); })
      .Case<BlockArrayGetOp>([&](auto op) { return addArrayGet(*this, op); })
      .Case<BlockArraySetOp>([&](auto op) { return addArraySet(*this, op); })
      .Case<TensorSliceOp>([&](auto op) { return addSlice(*this, op); })
      .Case<TensorReadOp>([&](auto op) { return addRead(*this, op); })
      .Default([](Operation *) { return std::nullopt; });
}
