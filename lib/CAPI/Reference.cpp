//===- Reference.cpp - The reference model, for Python --------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CAPI/Pypto.h"
#include "Reference/Program.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::pto;

namespace {
struct ProgramWithErrors {
  ModuleOp module;
  reference::Program program;
  std::vector<Diagnostic> errors;
};
} // namespace

static ProgramWithErrors *unwrap(PyptoProgram program) {
  return static_cast<ProgramWithErrors *>(program.ptr);
}

PyptoProgram pyptoProgramCreate(MlirModule module) {
  ModuleOp op = unwrap(module);
  return {new ProgramWithErrors{op, reference::Program(op), {}}};
}

void pyptoProgramDestroy(PyptoProgram program) { delete unwrap(program); }

MlirLogicalResult pyptoProgramRun(PyptoProgram handle, MlirStringRef entry, intptr_t count,
                                  const PyptoArgument *arguments, PyptoRunOptions options) {
  ProgramWithErrors &self = *unwrap(handle);
  self.errors.clear();
  ScopedDiagnosticHandler collect(self.module.getContext(), [&](Diagnostic &diagnostic) {
    self.errors.push_back(std::move(diagnostic));
    return success();
  });
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
    given.push_back(made);
  }
  reference::RunOptions runOptions;
  runOptions.stepLimit = options.stepLimit;
  runOptions.profile = options.profile;
  if (options.goOn)
    runOptions.goOn = [options] { return options.goOn(options.userData); };
  if (options.print)
    runOptions.print = [options](StringRef text) { options.print(wrap(text), options.userData); };
  FailureOr<FunctionOpInterface> func = self.program.getEntry(unwrap(entry));
  if (failed(func))
    return wrap(LogicalResult(failure()));
  return wrap(self.program.run(*func, given, runOptions));
}

void pyptoProgramEmitErrors(PyptoProgram program) {
  ProgramWithErrors &self = *unwrap(program);
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
