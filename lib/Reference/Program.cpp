//===- Program.cpp - The reference model ------------------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Reference/Program.h"
#include "Pto/Words.h"
#include "Reference/Core.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

Program::Program(ModuleOp module) : state(std::make_unique<ProgramState>(module)) {}
Program::~Program() = default;

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

static FailureOr<ArrayView> makeArgument(FunctionOpInterface func, unsigned index,
                                         const Argument &argument) {
  Type type = func.getArgumentTypes()[index];
  ArrayRef<int64_t> shape = getShapeOf(type);
  bool fits = argument.data && shape.size() == argument.shape.size() &&
              argument.elementType == getElementTypeOf(type);
  for (auto [wanted, given] : llvm::zip(shape, argument.shape))
    fits &= ShapedType::isDynamic(wanted) || wanted == given;
  if (!fits) {
    InFlightDiagnostic error = emitError(func->getLoc())
                               << argumentWord(func, index) << " of '" << func.getName() << "' is "
                               << typeWord(type) << ", found ";
    if (!argument.elementType) // an empty array has no data either
      return error << "a scalar";
    return error << shapeWord(argument.shape) << " " << dtypeWord(argument.elementType);
  }
  auto array = std::make_shared<Array>();
  array->shape.assign(argument.shape.begin(), argument.shape.end());
  array->elem = *getElem(argument.elementType);
  array->memory = std::make_shared<Memory>();
  array->memory->data = static_cast<char *>(argument.data);
  array->memory->size = array->getCount() * elemBytes(array->elem);
  Direction direction = getDirection(func, index);
  array->readOnly = direction == Direction::In;
  // What is only read is defined and never changes: nothing to keep about it.
  if (!array->readOnly)
    array->memory->addShadow(/*written=*/direction == Direction::InOut);
  return ArrayView{array, direction};
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
      bool apart = !before(a.memory->data, b.memory->data + b.memory->size) ||
                   !before(b.memory->data, a.memory->data + a.memory->size);
      if (apart || (a.readOnly && b.readOnly))
        continue;
      return emitError(func->getLoc())
             << argumentWord(func, j) << " and " << argumentWord(func, i) << " of '"
             << func.getName() << "' overlap in memory, and one of them is written";
    }
  return success();
}

/// The frame that "calls" the entry.
static FailureOr<Frame> makeFrame(FunctionOpInterface func, ArrayRef<Argument> arguments,
                                  SmallVectorImpl<Slot> &slots) {
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
      FailureOr<ArrayView> array = makeArgument(func, index, argument);
      if (failed(array))
        return failure();
      slots.push_back({SlotKind::Array, static_cast<int32_t>(frame.arrays.size())});
      frame.arrays.push_back(*array);
      continue;
    }
    if (argument.data)
      return emitError(func->getLoc()) << argumentWord(func, index) << " of '" << func.getName()
                                       << "' is " << typeWord(type) << ", found an array";
    Scalar scalar;
    if (isa<FloatType>(type))
      scalar.f = argument.real;
    else
      scalar.i = argument.integer;
    slots.push_back({SlotKind::Scalar, static_cast<int32_t>(frame.scalars.size())});
    frame.scalars.push_back(scalar);
  }
  if (failed(checkOverlap(func, frame, slots)))
    return failure();
  return frame;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

LogicalResult Program::run(FunctionOpInterface entry, ArrayRef<Argument> arguments,
                           const RunOptions &options) {
  // What the front end makes is for no chip yet; pto-set-target names it.
  if (!state->target &&
      !(state->target =
            state->module->hasAttr(attr::kTarget) ? getTarget(state->module) : getDefaultTarget()))
    return failure();
  SmallVector<Slot> slots;
  FailureOr<Frame> frame = makeFrame(entry, arguments, slots);
  if (failed(frame))
    return failure();
  const Code *code = state->getCode(entry);
  if (!code)
    return failure();
  state->uncheckedOrder = false;
  Run run = {*state, options};
  state->profile.clear();
  std::optional<Profile> profile;
  if (options.profile)
    run.profile = &profile.emplace(*state->target);
  if (failed(state->dispatch(run, *code, *frame, slots, entry)))
    return failure();
  if (profile)
    state->profile = profile->finish();
  return success();
}

/// Gives a launch the place where its times go.
static LogicalResult addTask(Run &run, Launch &launch, Operation *op) {
  const Code &code = launch.code;
  FunctionOpInterface kernel = code.func;
  if (!code.isFinal)
    return emitError(kernel->getLoc())
           << "nothing has ordered the pipes of '" << kernel.getName()
           << "' yet, so that its instructions have no times; a profile needs the final stage, "
              "after pto-insert-sync";
  // Tasks run in program order, each behind the one before.
  SmallVector<int32_t> after;
  if (int32_t count = run.profile->getTaskCount())
    after.push_back(count - 1);
  int32_t task = run.profile->addTask(op, kernel, launch.blockNum, after);
  launch.order.timeline = &run.profile->getTimeline(task, launch.blockIdx);
  launch.coresAtOnce = Profile::getCoresAtOnce(*run.program.target, kernel, launch.blockNum);
  return success();
}

LogicalResult ProgramState::dispatch(Run &run, const Code &code, const Frame &caller,
                                     ArrayRef<Slot> arguments, Operation *op) {
  if (isKernel(code.kind)) {
    uncheckedOrder |= !code.isFinal;
    lastWasGroup = code.kind == FunctionKind::Group;
  }
  Launch launch(run, code, ++epoch);
  if (run.profile && isKernel(code.kind) && failed(addTask(run, launch, op)))
    return failure();
  return launch.execute(caller, arguments, {}, op);
}

ArrayRef<char> Program::getSpaceBytes(StringRef name, unsigned number) const {
  std::optional<MemorySpace> space = symbolizeMemorySpace(name);
  if (!space || *space == MemorySpace::DDR)
    return {};
  // In a cluster the AIC is core 0, the AIVs are 1 and 2.
  if (state->lastWasGroup && *space == MemorySpace::Vec)
    ++number;
  if (number >= state->cores.size())
    return {};
  const Memory *memory = state->cores[number]->lookup(*space);
  return memory ? ArrayRef<char>(memory->data, memory->size) : ArrayRef<char>();
}

StringRef Program::getProfile() const { return state->profile; }

bool Program::hasUncheckedOrder() const { return state->uncheckedOrder; }
