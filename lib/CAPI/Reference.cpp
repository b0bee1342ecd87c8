//===- Reference.cpp - The reference model, for Python --------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CAPI/Observer.h"
#include "Reference/Program.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::pto;

namespace {
struct ProgramWithErrors {
  ModuleOp module;
  reference::Program program;
  std::vector<Diagnostic> errors;
  std::string reports;
  bool emits = false;

  LogicalResult take(Diagnostic &diagnostic);
};
} // namespace

/// The program that this thread runs or emits the errors of; threads that a run starts have
/// none.
static thread_local ProgramWithErrors *running = nullptr;

/// Keeps an error of a run. A run that is watched may stand still while another thread runs a
/// program, whose errors come here first if this run began last: handlers are a stack.
LogicalResult ProgramWithErrors::take(Diagnostic &diagnostic) {
  if (!running || running == this) {
    errors.push_back(std::move(diagnostic));
    return success();
  }
  if (running->emits)
    return failure();
  reference::ReportContext *context = reference::ReportContext::current();
  std::vector<Diagnostic> *kept = context ? context->errors : nullptr;
  (kept ? *kept : running->errors).push_back(std::move(diagnostic));
  return success();
}

static ProgramWithErrors *unwrap(PyptoProgram program) {
  return static_cast<ProgramWithErrors *>(program.ptr);
}

PyptoProgram pyptoProgramCreate(MlirModule module) {
  ModuleOp op = unwrap(module);
  return {new ProgramWithErrors{op, reference::Program(op), {}, "[]", false}};
}

void pyptoProgramDestroy(PyptoProgram program) { delete unwrap(program); }

MlirLogicalResult pyptoProgramRun(PyptoProgram handle, MlirStringRef entry, intptr_t count,
                                  const PyptoArgument *arguments, PyptoRunOptions options) {
  ProgramWithErrors &self = *unwrap(handle);
  self.errors.clear();
  self.reports = "[]";
  llvm::SaveAndRestore<ProgramWithErrors *> runs(running, &self);
  ScopedDiagnosticHandler collect(self.module.getContext(),
                                  [&](Diagnostic &diagnostic) { return self.take(diagnostic); });
  SmallVector<reference::Argument> given;
  for (const PyptoArgument &argument : ArrayRef(arguments, count)) {
    reference::Argument made;
    made.data = argument.data;
    if (argument.data) {
      made.shape.assign(argument.shape, argument.shape + argument.rank);
      made.elementType = unwrap(argument.elementType);
    }
    made.integer = argument.integer;
    made.real = argument.real;
    made.absent = argument.absent;
    given.push_back(made);
  }
  reference::RunOptions runOptions;
  runOptions.stepLimit = options.stepLimit;
  runOptions.profile = options.profile;
  runOptions.schedules = options.schedules;
  if (options.hasSeed)
    runOptions.seed = options.seed;
  llvm::Expected<reference::CheckSet> checks = reference::CheckSet::parse(unwrap(options.checks));
  if (!checks)
    return wrap(
        LogicalResult(emitError(self.module.getLoc()) << llvm::toString(checks.takeError())));
  runOptions.checks = *checks;
  if (options.goOn)
    runOptions.goOn = [options] { return options.goOn(options.userData); };
  if (options.print)
    runOptions.print = [options](StringRef text) { options.print(wrap(text), options.userData); };
  CallbackObserver observer(options);
  if (options.observe)
    runOptions.observer = &observer;
  FailureOr<FunctionOpInterface> func = self.program.getEntry(unwrap(entry));
  if (failed(func))
    return wrap(LogicalResult(failure()));
  LogicalResult result = self.program.run(*func, given, runOptions);
  self.reports.clear();
  llvm::raw_string_ostream(self.reports)
      << llvm::json::Value(reference::toJson(self.program.getReports()));
  return wrap(result);
}

MlirStringRef pyptoProgramReports(PyptoProgram program) {
  return wrap(StringRef(unwrap(program)->reports));
}

void pyptoChecks(PyptoCheckCallback callback, void *userData) {
  for (const reference::CheckInfo &info : reference::getChecks())
    callback(wrap(info.name), wrap(info.what), info.canBeOff, userData);
}

void pyptoProgramEmitErrors(PyptoProgram program) {
  ProgramWithErrors &self = *unwrap(program);
  llvm::SaveAndRestore<ProgramWithErrors *> runs(running, &self);
  llvm::SaveAndRestore<bool> emits(self.emits, true);
  for (Diagnostic &error : self.errors)
    self.module.getContext()->getDiagEngine().emit(std::move(error));
  self.errors.clear();
}

MlirStringRef pyptoProgramSpaceBytes(PyptoProgram program, MlirStringRef space, intptr_t number) {
  ArrayRef<char> bytes = unwrap(program)->program.getSpaceBytes(unwrap(space), number);
  return wrap(StringRef(bytes.data(), bytes.size()));
}

bool pyptoProgramHasUncheckedOrder(PyptoProgram program) {
  return unwrap(program)->program.hasUncheckedOrder();
}

MlirStringRef pyptoProgramProfile(PyptoProgram program) {
  return wrap(unwrap(program)->program.getProfile());
}
