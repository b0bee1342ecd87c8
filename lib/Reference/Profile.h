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

#include "llvm/Support/JSON.h"

#include <deque>
#include <memory>

namespace mlir::pto::reference {

/// What a block of a task runs on.
enum class CoresOfBlock : uint8_t { Vector, Cube, Cluster };

class Profile {
public:
  explicit Profile(const TargetInfo &target) : target(target) {}

  /// Makes room for the times of a task, by its number from 1; how many cores it keeps
  /// busy at a time.
  int64_t start(uint32_t task, CoresOfBlock cores, int64_t blocks);
  /// Where the times of a block go; each may be filled by a thread of its own. Null for a
  /// task that was not started.
  Timeline *getTimeline(uint32_t task, int64_t block);
  /// The next task, in the order of their numbers: the operation that submits it, and the
  /// tasks in front of it. One that was not started takes no time.
  void addTask(Operation *op, StringRef name, ArrayRef<uint32_t> after);

  /// Places all blocks and writes everything as JSON.
  std::string finish();

private:
  struct Block {
    std::unique_ptr<Timeline> times;
    int64_t start = 0;
    int32_t core = 0;   // number among those of its kind; of a cluster, the cluster's
    int32_t cause = -1; // the block, counted over all tasks, whose end it waited for
    int32_t number = 0; // counted over all tasks
    size_t firstSpan = 0;
  };
  struct Task {
    Operation *op = nullptr;
    std::string name;
    SmallVector<uint32_t> after;
    CoresOfBlock cores = CoresOfBlock::Vector;
    std::vector<Block> blocks;
    int64_t ready = 0, end = 0;
    int32_t last = -1;  // the block that ended last
    int32_t cause = -1; // the block whose end made it ready
  };
  struct Core {
    int64_t free = 0;
    int32_t user = -1;  // the block that ran on it last
    bool taken = false; // by a block that starts together with others
  };

  void place();
  void placeTask(Task &task);
  void placeTogether(Task &task, int64_t earliest);
  bool startsTogether(const Task &task) const;
  SmallVector<Core *, 3> chooseCores(const Task &task, Block &block);
  static void wait(Block &block, ArrayRef<Core *> cores);
  static void run(Task &task, Block &block, ArrayRef<Core *> cores);
  void number();

  int32_t getOperation(Operation *op);
  std::string coreWord(const Task &task, const Block &block, unsigned thread) const;
  void writeOperations(llvm::json::OStream &out);
  void writeTasks(llvm::json::OStream &out);
  void writeSpans(llvm::json::OStream &out);

  const TargetInfo &target;
  std::deque<Task> tasks;
  size_t added = 0;
  std::vector<Core> cubeCores, vectorCores;
  std::vector<Operation *> operations;
  llvm::DenseMap<Operation *, int32_t> operationNumbers;
};

} // namespace mlir::pto::reference

#endif // PTO_REFERENCE_PROFILE_H
