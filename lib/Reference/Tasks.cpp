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

void Tasks::derive(Task &task) {
  if (task.manual)
    return;
  uint32_t number = nodes.size() + 1;
  SmallVector<std::pair<uint64_t, Region>, 8> own;
  auto add = [&](const ArrayView &view, ByteWindow window, bool writes) {
    if (view.array->memory->history || !view.array->readOnly) // what nobody writes has no order
      own.push_back({view.array->memory->id, {window, number, writes}});
  };
  for (const Part &part : task.parts)
    for (auto [index, slot] : llvm::enumerate(part.arguments))
      if (slot.kind == SlotKind::Array && !llvm::is_contained(part.noDep, index)) {
        const ArrayView &view = part.frame.arrays[slot.index];
        add(view, view.getWindow(), isWritten(part.code->directions[index]));
      }
  if (task.condition) {
    int64_t size = task.condition->bytes.end - task.condition->bytes.begin;
    add(task.condition->view, {task.condition->bytes.begin, 1, size, size}, false);
  }
  for (auto &[memory, region] : own)
    for (const Region &earlier : regions[memory])
      if ((earlier.writes || region.writes) && earlier.window.overlaps(region.window))
        task.after.push_back(earlier.task);
  for (auto &[memory, region] : own) {
    std::vector<Region> &known = regions[memory];
    // Who follows a task that overwrites all of it follows the earlier one as well.
    if (region.writes)
      llvm::erase_if(known, [&](const Region &earlier) {
        return earlier.task != number && region.window.contains(earlier.window);
      });
    known.push_back(region);
  }
}

FailureOr<uint32_t> Tasks::submit(std::unique_ptr<Task> task) {
  // Tasks that are kept may be run in any order; not more than so many are.
  constexpr size_t kWindow = 1024;
  if (mode == DepsMode::ProgramOrder && !nodes.empty())
    task->after.push_back(nodes.size());
  if (mode == DepsMode::RunTime)
    derive(*task);
  bool now = task->resultFrame != nullptr;
  uint32_t number = add(task->op, task->name, task->after);
  task->number = number;
  node(number).task = std::move(task);
  ++pending;
  if (node(number).waitsFor == 0)
    ready.insert(number);
  if (failed(runSome(schedule == Schedule::Program ? 0 : kWindow)) ||
      (now && failed(runWith(number))))
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
  last = number;
  Launch launch(run, *node(number).task);
  if (failed(launch.execute()))
    return failure();
  finish(number);
  return success();
}

uint32_t Tasks::choose(const std::set<uint32_t> &among) {
  uint32_t first = *among.begin(), latest = *among.rbegin();
  switch (schedule) {
  case Schedule::Program:
    return first;
  case Schedule::Reversed:
    return latest;
  case Schedule::Distant: {
    auto distance = [&](uint32_t task) { return task > last ? task - last : last - task; };
    return distance(first) > distance(latest) ? first : latest;
  }
  case Schedule::Random:
    // The same on every host: the standard's distributions are not.
    return *std::next(among.begin(), random() % among.size());
  }
  return first;
}

LogicalResult Tasks::runSome(size_t left) {
  while (pending > left && !ready.empty())
    if (failed(execute(choose(ready))))
      return failure();
  return success();
}

LogicalResult Tasks::runAll() { return runSome(0); }

LogicalResult Tasks::runWith(ArrayRef<uint32_t> wanted) {
  std::set<uint32_t> needed;
  SmallVector<uint32_t> open(wanted);
  while (!open.empty()) {
    uint32_t number = open.pop_back_val();
    if (node(number).done || !needed.insert(number).second)
      continue;
    llvm::append_range(open, node(number).after);
  }
  while (true) {
    std::set<uint32_t> among;
    std::set_intersection(needed.begin(), needed.end(), ready.begin(), ready.end(),
                          std::inserter(among, among.end()));
    if (among.empty())
      return success();
    if (failed(execute(choose(among))))
      return failure();
  }
}

LogicalResult Tasks::runWriters(const Memory &memory) {
  SmallVector<uint32_t> writers;
  for (uint32_t number = 1; number <= nodes.size(); ++number) {
    const Task *task = node(number).task.get();
    if (!task)
      continue;
    bool writes = false;
    for (const Part &part : task->parts)
      for (auto [index, slot] : llvm::enumerate(part.arguments))
        writes |= slot.kind == SlotKind::Array && isWritten(part.code->directions[index]) &&
                  part.frame.arrays[slot.index].array->memory.get() == &memory;
    if (writes)
      writers.push_back(number);
  }
  return runWith(writers);
}
