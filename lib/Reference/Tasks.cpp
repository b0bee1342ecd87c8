//===- Tasks.cpp - Tasks, their order, and who runs next ----------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Reference/Tasks.h"
#include "Pto/Words.h"
#include "Reference/Launch.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

void Tasks::Ancestors::add(uint32_t task, const Ancestors &ancestors) {
  all = std::max(all, ancestors.all);
  others |= ancestors.others;
  others.set(task);
}

/// Long chains are all of their past: a number says it.
void Tasks::Ancestors::compress() {
  while (others.test(all))
    ++all;
  for (int first = others.find_first(); first >= 0 && static_cast<uint32_t>(first) < all;
       first = others.find_first())
    others.reset(first);
}

bool Tasks::isBefore(uint32_t first, uint32_t second) const {
  return first < second && node(second).ancestors.contains(first);
}

uint32_t Tasks::add(Operation *op, std::string name, SmallVector<uint32_t, 4> after) {
  uint32_t number = nodes.size() + 1;
  llvm::sort(after);
  after.erase(std::unique(after.begin(), after.end()), after.end());
  Node &made = nodes.emplace_back();
  made.op = op;
  made.name = std::move(name);
  for (uint32_t earlier : after) {
    if (earlier == 0) // an invalid task: nothing to wait for
      continue;
    made.after.push_back(earlier);
    made.ancestors.add(earlier, node(earlier).ancestors);
    if (node(earlier).done)
      continue;
    ++made.waitsFor;
    node(earlier).next.push_back(number);
  }
  made.ancestors.compress();
  return number;
}

std::string Tasks::taskWord(uint32_t number) const {
  return "task " + std::to_string(number) + " '" + node(number).name + "'";
}

std::string Tasks::writeProfile(Profile &profile) const {
  for (const Node &node : nodes)
    profile.addTask(node.op, node.name, node.after);
  return profile.finish();
}

//===----------------------------------------------------------------------===//
// Submission
//===----------------------------------------------------------------------===//

uint32_t Tasks::submitDummy(Operation *op, ArrayRef<uint32_t> after) {
  uint32_t number = add(op, "dummy", SmallVector<uint32_t, 4>(after));
  if (node(number).waitsFor == 0)
    finish(number);
  return number;
}

FailureOr<uint32_t> Tasks::submit(std::unique_ptr<Task> task) {
  if (mode == DepsMode::ProgramOrder && !nodes.empty())
    task->after.push_back(nodes.size());
  bool now = task->resultFrame != nullptr;
  uint32_t number = add(task->op, task->name, task->after);
  task->number = number;
  node(number).task = std::move(task);
  ++pending;
  if (node(number).waitsFor == 0)
    ready.insert(number);
  (void)now;
  if (failed(runSome(0)))
    return failure();
  return number;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// The task is done; those that waited for it alone are ready, and a dummy among
/// them is done as well.
void Tasks::finish(uint32_t number) {
  SmallVector<uint32_t> ended = {number};
  while (!ended.empty()) {
    Node &done = node(ended.pop_back_val());
    done.done = true;
    done.task.reset();
    for (uint32_t next : done.next)
      if (--node(next).waitsFor == 0) {
        if (node(next).task)
          ready.insert(next);
        else
          ended.push_back(next);
      }
    done.next.clear();
  }
}

LogicalResult Tasks::execute(uint32_t number) {
  ready.erase(number);
  --pending;
  Launch launch(run, *node(number).task);
  if (failed(launch.execute()))
    return failure();
  finish(number);
  return success();
}

uint32_t Tasks::choose(const std::set<uint32_t> &among) { return *among.begin(); }

LogicalResult Tasks::runSome(size_t left) {
  while (pending > left && !ready.empty())
    if (failed(execute(choose(ready))))
      return failure();
  return success();
}

LogicalResult Tasks::runAll() { return runSome(0); }

LogicalResult Tasks::runWriters(const Memory &) { return runSome(0); }
