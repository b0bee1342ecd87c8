//===- Program.h - The reference model ------------------------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Runs a module of any stage. Functions are translated into flat programs when
// they are first called; what goes wrong is an error at the operation.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_REFERENCE_PROGRAM_H
#define PTO_REFERENCE_PROGRAM_H

#include "Reference/Checks.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <functional>
#include <memory>

namespace mlir::pto::reference {

class Observer;

/// What the caller gives for one parameter of the entry.
struct Argument {
  /// An array: its bytes, row by row, are read and written in place.
  void *data = nullptr;
  /// Nothing, where the parameter is a pointer.
  bool absent = false;
  SmallVector<int64_t> shape;
  Type elementType;
  /// A scalar, where the parameter is one.
  int64_t integer = 0;
  double real = 0;
};

/// Which of the tasks that may run goes first.
enum class Schedule : uint8_t {
  Program,  // the one that was submitted first
  Reversed, // the one that was submitted last
  Distant,  // the one whose submission is farthest from that of the last one that ran
  Random,
};

struct RunOptions {
  CheckSet checks;
  /// How many orders of the tasks are tried, on copies of the arrays: program order,
  /// reversed, most distant first, then random ones. Their answers must be the same.
  int64_t schedules = 1;
  /// Of the random orders; with a single schedule, that one is random.
  std::optional<uint64_t> seed;
  /// Steps after which the run ends with an error; 0: no limit.
  int64_t stepLimit = 0;
  /// Asked now and then whether to go on; the run ends with an error if not.
  std::function<bool()> goOn;
  /// Whether times are computed, for getProfile.
  bool profile = false;
  /// Where pto.block.print writes; standard output if there is none.
  std::function<void(StringRef)> print;
  /// Told what the run does; null: nobody is. With one the run uses one thread.
  Observer *observer = nullptr;
};

class ProgramState;

class Program {
public:
  /// The module must outlive the program and not change.
  explicit Program(ModuleOp module);
  ~Program();

  /// The function to run: `name`, or the only orchestration function, or the
  /// only kernel, if `name` is empty. Emits an error.
  FailureOr<FunctionOpInterface> getEntry(StringRef name);
  LogicalResult run(FunctionOpInterface entry, ArrayRef<Argument> arguments,
                    const RunOptions &options);

  /// What the checks of the last run found.
  ArrayRef<Report> getReports() const;
  /// The bytes of an on-chip space as the last kernel left them, of core
  /// `number` of its kind; empty if no kernel has used the space.
  ArrayRef<char> getSpaceBytes(StringRef space, unsigned number) const;
  /// Whether the last run left a kernel's order between pipes unchecked,
  /// because nobody had ordered it yet (pto.sync = none), or that of tasks.
  bool hasUncheckedOrder() const;
  /// The times of the last run as JSON (docs/profiling.md); empty if none were wanted.
  StringRef getProfile() const;

private:
  std::unique_ptr<ProgramState> state;
  std::vector<Report> reports;
};

} // namespace mlir::pto::reference

#endif // PTO_REFERENCE_PROGRAM_H
