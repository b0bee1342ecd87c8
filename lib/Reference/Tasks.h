//===- Tasks.h - Tasks, their order, and who runs next --------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// The orchestration submits tasks; they run in any order that the edges allow.
// Edges are tokens, and, where the entry says so, what follows from the regions
// that tasks are given (docs/design.md, "The control plane").
//
//===----------------------------------------------------------------------===//

#ifndef PTO_REFERENCE_TASKS_H
#define PTO_REFERENCE_TASKS_H

#include "Reference/Core.h"
#include "Reference/Program.h"

#include "llvm/ADT/SparseBitVector.h"

#include <random>
#include <set>

namespace mlir::pto::reference {

class Profile;

/// A kernel of a task and what it is given.
struct Part {
  const Code *code = nullptr;
  Operation *op = nullptr; // that gives it
  Frame frame;             // holds the arguments
  SmallVector<Slot> arguments;
  SmallVector<Value> names;    // of the arguments, in the orchestration
  SmallVector<unsigned> noDep; // arguments that take no part in the derived order
  /// The core of a cluster that runs it.
  std::optional<CoreKind> core;
};

/// A task runs only if an element says so.
struct Condition {
  ArrayView view;
  ByteRange bytes;
  Compare compare;
  int64_t value;
  Value name;
};

struct Task {
  uint32_t number = 0; // 0: the orchestration
  Operation *op = nullptr;
  std::string name;
  SmallVector<Part, 1> parts;
  int64_t blocks = 1;
  SmallVector<uint32_t, 4> after;
  std::optional<Condition> condition;
  bool manual = false;
  /// Where the values that a region makes go; it is then run at once.
  Frame *resultFrame = nullptr;
  SmallVector<Slot> results;

  bool isOrchestration() const { return number == 0; }
  /// Whether a block is a cluster of an AIC and AIVs.
  bool isCluster() const {
    return parts[0].code->kind == FunctionKind::Group || parts[0].core.has_value();
  }
};

class Tasks {
public:
  Tasks(Run &run, DepsMode mode, Schedule schedule, uint64_t seed)
      : run(run), mode(mode), schedule(schedule), random(seed) {}

  /// Gives the task a number and runs it when its turn comes. An error of any task
  /// that ran is emitted.
  FailureOr<uint32_t> submit(std::unique_ptr<Task> task);
  /// A task that does nothing.
  uint32_t submitDummy(Operation *op, ArrayRef<uint32_t> after);
  /// Runs the tasks that write the array, and what they wait for.
  LogicalResult runWriters(const Memory &memory);
  LogicalResult runAll();

  /// Whether a path of edges leads from one task to the other.
  bool isBefore(uint32_t first, uint32_t second) const;
  /// Whether conflicts of tasks are reported: somebody has looked at their order.
  bool isOrderKnown() const { return mode != DepsMode::ProgramOrder; }
  /// "task 3 'scale'"
  std::string taskWord(uint32_t number) const;
  StringRef getName(uint32_t number) const { return node(number).name; }
  Operation *getOperation(uint32_t number) const { return node(number).op; }
  size_t size() const { return nodes.size(); }
  /// The times of all tasks, placed on the chip, as JSON.
  std::string writeProfile(Profile &profile) const;

private:
  /// All tasks that a task follows: those before `all`, and `others`.
  struct Ancestors {
    uint32_t all = 1;
    llvm::SparseBitVector<> others;
    bool contains(uint32_t task) const { return task < all || others.test(task); }
    void add(uint32_t task, const Ancestors &ancestors);
    void compress();
  };
  struct Node {
    std::unique_ptr<Task> task; // until it is done
    Operation *op = nullptr;
    std::string name;
    SmallVector<uint32_t, 2> after, next;
    unsigned waitsFor = 0;
    bool done = false;
    Ancestors ancestors;
  };

  Node &node(uint32_t number) { return nodes[number - 1]; }
  const Node &node(uint32_t number) const { return nodes[number - 1]; }
  uint32_t add(Operation *op, std::string name, SmallVector<uint32_t, 4> after);
  LogicalResult execute(uint32_t number);
  void finish(uint32_t number);
  uint32_t choose(const std::set<uint32_t> &among);
  LogicalResult runSome(size_t left);
  /// Runs the tasks and all that they wait for.
  LogicalResult runWith(ArrayRef<uint32_t> wanted);
  /// Adds the tasks whose regions overlap those of this one, and notes its own.
  void derive(Task &task);

  /// A window that a task was given, until another one covers it.
  struct Region {
    ByteWindow window;
    uint32_t task;
    bool writes;
  };
  Run &run;
  const DepsMode mode;
  const Schedule schedule;
  std::mt19937_64 random;
  std::deque<Node> nodes;
  std::set<uint32_t> ready;
  size_t pending = 0;
  uint32_t last = 0; // that ran
  llvm::DenseMap<uint64_t, std::vector<Region>> regions;
};

} // namespace mlir::pto::reference

#endif // PTO_REFERENCE_TASKS_H
