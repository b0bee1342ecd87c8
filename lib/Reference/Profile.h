//===- Profile.h - The times of a run --------------------------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Collects the timelines of all blocks of all tasks of a run, and places them on the
// cores of the chip: a task starts when those in front of it are done and cores are
// free. docs/profiling.md describes the JSON text.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_REFERENCE_PROFILE_H
#define PTO_REFERENCE_PROFILE_H

#include "Reference/Timeline.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/JSON.h"

#include <deque>
#include <memory>

namespace mlir::pto::reference {

class Profile {
public:
  explicit Profile(const TargetInfo &target) : target(target) {}

  /// A task of `blocks` blocks of `kernel`, behind the tasks `after` (by number); `op`
  /// dispatches it. Its number.
  int32_t addTask(Operation *op, FunctionOpInterface kernel, int64_t blocks,
                  ArrayRef<int32_t> after);
  /// Where the times of a block go; each may be filled by a thread of its own.
  Timeline &getTimeline(int32_t task, int64_t block) { return *tasks[task].blocks[block].times; }
  int32_t getTaskCount() const { return static_cast<int32_t>(tasks.size()); }
  /// How many cores a task keeps busy at a time: they share the bandwidth of DDR.
  static int64_t getCoresAtOnce(const TargetInfo &target, FunctionOpInterface kernel,
                                int64_t blocks);

  /// Places all blocks and writes everything as JSON.
  std::string finish();

private:
  struct Block {
    std::unique_ptr<Timeline> times;
    int64_t start = 0;
    int32_t core = 0;   // number among those of its kind; of a cluster, the cluster's
    int32_t cause = -1; // the block, counted over all tasks, whose end it waited for
    int32_t number = 0; // counted over all tasks
    size_t firstEvent = 0;
  };
  struct Task {
    Operation *op;
    FunctionOpInterface kernel;
    SmallVector<int32_t> after;
    std::vector<Block> blocks;
    int64_t ready = 0, end = 0;
    int32_t last = -1;  // the block that ended last
    int32_t cause = -1; // the block whose end made it ready
  };
  struct Core {
    int64_t free = 0;
    int32_t user = -1; // the block that ran on it last
  };

  void place();
  void placeTask(Task &task);
  void placeBlock(Task &task, Block &block, int64_t earliest);
  std::vector<Core *> chooseCores(const Task &task, Block &block);
  void number();

  int32_t getOperation(Operation *op, FunctionOpInterface kernel);
  std::string coreWord(const Task &task, const Block &block, unsigned thread) const;
  void writeOperations(llvm::json::OStream &out);
  void writeTasks(llvm::json::OStream &out);
  void writeEvents(llvm::json::OStream &out);

  const TargetInfo &target;
  std::deque<Task> tasks;
  std::vector<Core> cubeCores, vectorCores;
  std::vector<std::pair<Operation *, FunctionOpInterface>> operations;
  llvm::DenseMap<Operation *, int32_t> operationNumbers;
};

} // namespace mlir::pto::reference

#endif // PTO_REFERENCE_PROFILE_H
