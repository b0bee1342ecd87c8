//===- Launch.h - The blocks of a task ------------------------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// A task is launched on blocks; each block is one core or a cluster of an AIC and
// two AIVs. The blocks run on the host's cores, each over the arrays as the tasks
// before left them and over a shadow of its own, so that the answer and the errors
// are the same whatever the timing; what they touched is compared in block order.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_REFERENCE_LAUNCH_H
#define PTO_REFERENCE_LAUNCH_H

#include "Reference/Core.h"
#include "Reference/Profile.h"
#include "Reference/Tasks.h"

#include "mlir/IR/Diagnostics.h"

#include <atomic>
#include <mutex>

namespace mlir::pto::reference {

/// One run of a program.
struct Run {
  Run(ProgramState &program, const RunOptions &options, DepsMode mode)
      : program(program), options(options), tasks(*this, mode) {}

  ProgramState &program;
  const RunOptions &options;
  Tasks tasks;
  /// Where times go, if they are wanted.
  std::optional<Profile> profile;
  /// Of all blocks that have ended.
  int64_t steps = 0;
  /// Asked to end, by the caller or by an error.
  std::atomic<bool> stopped{false};

  void print(StringRef text);
};

/// One block: one core, or a cluster.
class Cluster {
public:
  Cluster(Launch &launch, uint32_t number, uint32_t epoch);
  ~Cluster();
  LogicalResult start();
  /// Runs the cores in turn until all have ended, all wait, or one fails.
  Flow run();
  /// Counts a step; an error at `op` when the run must end.
  LogicalResult count(Operation *op) { return ++steps < nextCheck ? success() : check(op); }
  void print(StringRef text);
  /// What this block did with an array.
  Shadow &getShadow(Memory &memory);
  /// "AIV 1", "the core".
  std::string coreWord(unsigned core) const;
  /// Whether the cores may go on: a signal came, or they have not run yet.
  bool isDone() const;
  LogicalResult reportDeadlock();

  Launch &launch;
  const uint32_t number, epoch;
  Order order;
  std::vector<std::unique_ptr<Core>> cores;
  int64_t steps = 0;
  bool failed = false;
  /// What it printed and the errors that it found, for the main thread.
  std::string printed;
  std::vector<Diagnostic> errors;
  /// What it did with arrays, in the order in which it touched them first.
  std::vector<std::pair<Memory *, std::unique_ptr<Shadow>>> shadows;

private:
  LogicalResult check(Operation *op);
  void add(const Part &part, unsigned core, CoreKind kind, int64_t subblock);

  int64_t nextCheck = 1;
  SmallVector<const Part *, 3> parts; // of each core
  llvm::DenseMap<Memory *, Shadow *> shadowOf;
  ClusterMemory *memory = nullptr;
};

/// One task at work; or the orchestration.
class Launch {
public:
  Launch(Run &run, Task &task);
  LogicalResult execute();

  Run &run;
  Task &task;
  std::vector<std::unique_ptr<Cluster>> clusters;
  /// Blocks signal one another (cross-core flags of mode 0).
  bool joinsBlocks = false;
  /// How many cores share the bandwidth of DDR, for a profile.
  int64_t coresAtOnce = 1;

private:
  LogicalResult startProfile();
  Flow runAll();
  void runBlocks();
  LogicalResult runRounds();
  LogicalResult merge();
  LogicalResult merge(Cluster &cluster);
};

} // namespace mlir::pto::reference

#endif // PTO_REFERENCE_LAUNCH_H
