//===- Program.cpp - The reference model ------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Reference/Program.h"
#include "Pto/Words.h"
#include "Reference/State.h"

#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

Program::Program(ModuleOp module) : state(std::make_unique<ProgramState>(module)) {}
Program::~Program() = default;

/// Who has looked at the order of the entry's tasks.
static DepsMode getDepsMode(FunctionOpInterface entry) {
  auto mode = entry->getAttrOfType<DepsModeAttr>(attr::kDeps);
  return mode ? mode.getValue() : DepsMode::ProgramOrder;
}

static bool isKernel(FunctionKind kind) {
  return kind == FunctionKind::InCore || kind == FunctionKind::AIC || kind == FunctionKind::AIV ||
         kind == FunctionKind::Group;
}

FailureOr<FunctionOpInterface> Program::getEntry(StringRef name) {
  ModuleOp module = state->module;
  if (!name.empty()) {
    if (auto func = module.lookupSymbol<FunctionOpInterface>(name))
      return func;
    return emitError(module.getLoc()) << "the module has no function '" << name << "'";
  }
  SmallVector<FunctionOpInterface> entries, kernels;
  for (auto func : module.getOps<FunctionOpInterface>()) {
    FunctionKind kind = getFunctionKind(func);
    if (kind == FunctionKind::Orchestration)
      entries.push_back(func);
    else if (isKernel(kind))
      kernels.push_back(func);
  }
  const auto &candidates = entries.empty() ? kernels : entries;
  if (candidates.size() == 1)
    return candidates.front();
  InFlightDiagnostic error = emitError(module.getLoc());
  if (candidates.empty())
    return error << "the module has no function to run";
  error << "the module has several functions to run; name one of: ";
  llvm::interleaveComma(candidates, error,
                        [&](FunctionOpInterface func) { error << func.getName(); });
  return error;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// "argument 1, 'x',"
static std::string argumentWord(FunctionOpInterface func, unsigned index) {
  std::string word = "argument " + std::to_string(index + 1);
  StringRef name = nameOf(func.getArgument(index));
  return name.empty() ? word : word + ", '" + name.str() + "',";
}

/// An array of one unknown dimension: what the host gives is memory of any extent.
static bool isPointer(Type type) {
  return getShapeOf(type) == ArrayRef<int64_t>(ShapedType::kDynamic);
}

/// Whether memory of elements `given` holds elements `wanted`: integers of one size are the
/// same bits, whatever sign they are read with.
static bool isSameMemory(Type wanted, Type given) {
  return wanted == given || (isa<IntegerType>(wanted) && isa_and_nonnull<IntegerType>(given) &&
                             getElementBytes(wanted) == getElementBytes(given));
}

/// How many elements of a pointer's type the array has; nothing where it is of another.
static std::optional<int64_t> getCount(Type pointer, const Argument &argument) {
  if (argument.absent)
    return 0;
  if (!argument.data || !argument.elementType)
    return std::nullopt;
  Type wanted = getElementTypeOf(pointer), given = argument.elementType;
  int64_t bytes = getElementBytes(given), count = ShapedType::getNumElements(argument.shape);
  if (isSameMemory(wanted, given))
    return count;
  // Bytes are bytes, whatever they hold.
  return wanted.isInteger(8) ? std::optional(count * bytes) : std::nullopt;
}

static FailureOr<ArrayView> makeArgument(FunctionOpInterface func, unsigned index,
                                         const Argument &argument, const CheckSet &checks) {
  Type type = func.getArgumentTypes()[index];
  SmallVector<int64_t> shape(getShapeOf(type)), extents(argument.shape);
  bool fits = argument.data && shape.size() == argument.shape.size() &&
              isSameMemory(getElementTypeOf(type), argument.elementType);
  for (auto [wanted, given] : llvm::zip(shape, argument.shape))
    fits &= ShapedType::isDynamic(wanted) || wanted == given;
  if (isPointer(type)) {
    std::optional<int64_t> count = getCount(type, argument);
    fits = count.has_value();
    extents.assign(1, count.value_or(0));
  }
  if (!fits) {
    InFlightDiagnostic error = emitError(func->getLoc())
                               << argumentWord(func, index) << " of '" << func.getName() << "' is "
                               << typeWord(type) << ", found ";
    if (argument.absent)
      return error << "nothing; only a pointer may be nothing";
    if (!argument.elementType) // an empty array has no data either
      return error << "a scalar";
    return error << shapeWord(argument.shape) << " " << dtypeWord(argument.elementType);
  }
  auto array = std::make_shared<Array>();
  array->elem = *getElem(getElementTypeOf(type));
  array->memory = std::make_shared<Memory>();
  static char nothing; // an array of no elements has an address as well
  array->memory->data = argument.data ? static_cast<char *>(argument.data) : &nothing;
  array->memory->size = ShapedType::getNumElements(extents) * elemBytes(array->elem);
  Direction direction = getDirection(func, index);
  array->readOnly = direction == Direction::In;
  // What is only read is defined and never changes: nothing to keep about it.
  if (!array->readOnly && checks.keepsArrays())
    array->memory->addHistory(
        /*written=*/direction == Direction::InOut || !checks.has(Check::OutRead));
  return ArrayView::all(array, direction, extents);
}

/// An array that is written shares no byte with another argument.
static LogicalResult checkOverlap(FunctionOpInterface func, const Frame &frame,
                                  ArrayRef<Slot> slots) {
  for (unsigned i = 0; i < slots.size(); ++i)
    for (unsigned j = 0; j < i; ++j) {
      if (slots[i].kind != SlotKind::Array || slots[j].kind != SlotKind::Array)
        continue;
      const Array &a = *frame.arrays[slots[i].index].array,
                  &b = *frame.arrays[slots[j].index].array;
      std::less<const char *> before;
      if (a.memory->size == 0 || b.memory->size == 0)
        continue;
      bool apart = !before(a.memory->data, b.memory->data + b.memory->size) ||
                   !before(b.memory->data, a.memory->data + a.memory->size);
      if (apart || (a.readOnly && b.readOnly))
        continue;
      return CheckError(Check::ArgumentOverlap, func, /*bare=*/true)
             << argumentWord(func, j) << " and " << argumentWord(func, i) << " of '"
             << func.getName() << "' overlap in memory, and one of them is written";
    }
  return success();
}

/// The frame that "calls" the entry.
static FailureOr<Frame> makeFrame(FunctionOpInterface func, ArrayRef<Argument> arguments,
                                  const CheckSet &checks, SmallVectorImpl<Slot> &slots) {
  if (arguments.size() != func.getNumArguments())
    return emitError(func->getLoc())
           << "'" << func.getName() << "' takes " << func.getNumArguments() << " arguments, found "
           << arguments.size();
  Frame frame;
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    Type type = func.getArgumentTypes()[index];
    if (isa<GmType, RankedTensorType>(type)) {
      if (!getElem(getElementTypeOf(type)))
        return emitError(func->getLoc()) << argumentWord(func, index) << " is " << typeWord(type)
                                         << ", which the model does not run";
      FailureOr<ArrayView> array = makeArgument(func, index, argument, checks);
      if (failed(array))
        return failure();
      slots.push_back({SlotKind::Array, static_cast<int32_t>(frame.arrays.size())});
      frame.arrays.push_back(*array);
      continue;
    }
    if (!type.isIntOrIndexOrFloat())
      return emitError(func->getLoc())
             << argumentWord(func, index) << " of '" << func.getName() << "' is "
             << (isa<TileType>(type) ? "a tile of " : "") << typeWord(type)
             << ", which a run cannot be given; run a function of arrays and numbers";
    if (argument.data || argument.absent)
      return emitError(func->getLoc())
             << argumentWord(func, index) << " of '" << func.getName() << "' is " << typeWord(type)
             << ", found " << (argument.data ? "an array" : "nothing");
    Scalar scalar;
    if (isa<FloatType>(type))
      scalar.f = argument.real;
    else
      scalar.i = argument.integer;
    slots.push_back({SlotKind::Scalar, static_cast<int32_t>(frame.scalars.size())});
    frame.scalars.push_back(scalar);
  }
  if (checks.has(Check::ArgumentOverlap) && failed(checkOverlap(func, frame, slots)))
    return failure();
  return frame;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {
/// One order of the tasks.
struct TaskOrder {
  Schedule schedule;
  uint64_t seed;
  std::string name;
};

/// An array that the entry writes: as it was given, and as the first order left it.
struct Written {
  unsigned argument;
  int64_t bytes;
  std::vector<char> given, first;
};
} // namespace

static TaskOrder getOrder(int64_t number, const RunOptions &options) {
  uint64_t seed = options.seed.value_or(0) + number;
  bool random = number > 2 || (options.schedules == 1 && options.seed);
  if (random)
    return {Schedule::Random, seed, "random order, seed " + std::to_string(seed)};
  if (number == 0)
    return {Schedule::Program, 0, "program order"};
  return number == 1 ? TaskOrder{Schedule::Reversed, 0, "reversed order"}
                     : TaskOrder{Schedule::Distant, 0, "most distant first"};
}

/// Runs the entry once, in one order; whether there are others.
static FailureOr<bool> runOnce(ProgramState &state, FunctionOpInterface entry,
                               ArrayRef<Argument> arguments, const RunOptions &options,
                               std::vector<Report> &reports, const TaskOrder &order, bool isFirst) {
  SmallVector<Slot> slots;
  FailureOr<Frame> frame = makeFrame(entry, arguments, options.checks, slots);
  if (failed(frame))
    return failure();
  const Code *code = state.getCode(entry);
  if (!code)
    return failure();
  Run run(state, options, reports, getDepsMode(entry), order.schedule, order.seed);
  run.hasTasks = !code->isKernel();
  if (!isFirst)
    run.scheduleName = order.name;
  // Where tasks run does not depend on the order in which the model runs them.
  if (options.profile && isFirst)
    run.profile.emplace(*state.target);
  auto task = std::make_unique<Task>();
  task->op = entry;
  task->name = entry.getName().str();
  Part &part = task->parts.emplace_back();
  part.code = code;
  part.op = entry;
  part.arguments = part.frame.capture(*frame, slots);
  // A kernel is a task by itself.
  bool isKernel = code->isKernel();
  if (isKernel && failed(run.tasks.submit(std::move(task))))
    return failure();
  if (!isKernel && failed(Launch(run, *task).execute()))
    return failure();
  if (failed(run.tasks.runAll()))
    return failure();
  if (run.profile)
    state.profile = run.tasks.writeProfile(*run.profile);
  if (isKernel)
    return false;
  state.uncheckedTasks |= !run.tasks.isOrderKnown() && run.tasks.size() > 1;
  return run.tasks.isOrderKnown() && run.tasks.size() > 1;
}

/// The first element in which two answers differ, if there is one.
static LogicalResult compare(FunctionOpInterface entry, ArrayRef<Argument> arguments,
                             const Written &array, const char *other, const TaskOrder &order) {
  const char *first = array.first.data();
  const char *end = first + array.bytes;
  const char *found = std::mismatch(first, end, other).first;
  if (found == end)
    return success();
  const Argument &argument = arguments[array.argument];
  Elem elem = *getElem(argument.elementType);
  int64_t element = (found - first) / elemBytes(elem), rest = element;
  SmallVector<int64_t> index(argument.shape.size());
  for (size_t dim = index.size(); dim-- > 0; rest /= argument.shape[dim])
    index[dim] = rest % argument.shape[dim];
  auto value = [&](const char *bytes) {
    std::string text;
    llvm::raw_string_ostream(text)
        << llvm::format("%.9g", loadElement(elem, bytes + element * elemBytes(elem)));
    return text;
  };
  CheckError error(Check::ScheduleDifference, entry, /*bare=*/true);
  error << argumentWord(entry, array.argument) << " of '" << entry.getName()
        << "' depends on the order of the tasks: at " << shapeWord(index) << " it is "
        << value(first) << " in program order and " << value(other) << " in " << order.name;
  error.site().variable = entry.getArgument(array.argument);
  error.site().space = "DDR";
  error.site().begin = element * elemBytes(elem);
  error.site().end = error.site().begin + elemBytes(elem);
  error.fix("deps= between the tasks that touch the array");
  return error;
}

/// Runs the entry in another order, on copies of what it writes.
static LogicalResult runAgain(ProgramState &state, FunctionOpInterface entry,
                              ArrayRef<Argument> arguments, const RunOptions &options,
                              std::vector<Report> &reports, ArrayRef<Written> written,
                              const TaskOrder &order) {
  SmallVector<Argument> copies(arguments);
  std::vector<std::vector<char>> data;
  for (const Written &array : written) {
    data.push_back(array.given);
    // An empty array has an address as well.
    data.back().reserve(1);
    copies[array.argument].data = data.back().data();
  }
  if (failed(runOnce(state, entry, copies, options, reports, order, /*isFirst=*/false)))
    return failure();
  if (!options.checks.has(Check::ScheduleDifference))
    return success();
  for (auto [array, bytes] : llvm::zip(written, data))
    if (failed(compare(entry, arguments, array, bytes.data(), order)))
      return failure();
  return success();
}

LogicalResult Program::run(FunctionOpInterface entry, ArrayRef<Argument> arguments,
                           const RunOptions &options) {
  reports.clear();
  ReportContext context = {&reports, nullptr, {}};
  ReportContext::Scope scope(context);
  // What the front end makes is for no chip yet; pto-set-target names it.
  if (!state->target &&
      !(state->target =
            state->module->hasAttr(attr::kTarget) ? getTarget(state->module) : getDefaultTarget()))
    return failure();
  state->setChecks(options.checks);
  state->uncheckedOrder = state->uncheckedTasks = false;
  state->profile.clear();
  std::vector<Written> written;
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    if (options.schedules == 1 || !argument.data || index >= entry.getNumArguments() ||
        !isWritten(getDirection(entry, index)) || !getElem(argument.elementType))
      continue;
    int64_t bytes =
        ShapedType::getNumElements(argument.shape) * elemBytes(*getElem(argument.elementType));
    const char *data = static_cast<char *>(argument.data);
    written.push_back({static_cast<unsigned>(index), bytes, {data, data + bytes}, {}});
  }
  FailureOr<bool> others =
      runOnce(*state, entry, arguments, options, reports, getOrder(0, options), /*isFirst=*/true);
  if (failed(others))
    return failure();
  for (Written &array : written) {
    const char *data = static_cast<char *>(arguments[array.argument].data);
    array.first.assign(data, data + array.bytes);
  }
  for (int64_t number = 1; number < options.schedules && *others; ++number)
    if (failed(runAgain(*state, entry, arguments, options, reports, written,
                        getOrder(number, options))))
      return failure();
  return success();
}

ArrayRef<char> Program::getSpaceBytes(StringRef name, unsigned number) const {
  std::optional<MemorySpace> space = symbolizeMemorySpace(name);
  if (!space || *space == MemorySpace::DDR)
    return {};
  // Of the cores that have the space, where there are two kinds.
  std::optional<CoreKind> owner =
      state->target ? state->target->getCore(*space) : std::optional<CoreKind>();
  const auto &cores = state->lastCores;
  bool mixed = llvm::any_of(cores, [&](auto &core) { return core.first != cores[0].first; });
  for (auto [kind, core] : cores) {
    if ((mixed && owner && kind != *owner) || number-- > 0)
      continue;
    const Memory *memory = core->lookup(*space);
    return memory ? ArrayRef<char>(memory->data, memory->size) : ArrayRef<char>();
  }
  return {};
}

StringRef Program::getProfile() const { return state->profile; }

ArrayRef<Report> Program::getReports() const { return reports; }

bool Program::hasUncheckedOrder() const { return state->uncheckedOrder || state->uncheckedTasks; }
