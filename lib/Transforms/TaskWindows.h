//===- TaskWindows.h - Where in an array a task works ------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TRANSFORMS_TASKWINDOWS_H
#define PTO_TRANSFORMS_TASKWINDOWS_H

#include "ControlPlane.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::pto {

/// Elements of an array: `rows` runs of `cols`, each `pitch` behind the one before.
/// What follows without a gap is one row.
struct TaskWindow {
  Value root; // the parameter or created array
  int64_t offset = 0, rows = 1, cols = 0, pitch = 0;
  int64_t end() const { return offset + (rows - 1) * pitch + cols; }
};

/// Whether the two have an element in common.
bool overlap(const TaskWindow &a, const TaskWindow &b);
/// Whether `a` surely has all elements of `b`.
bool covers(const TaskWindow &a, const TaskWindow &b);

/// The windows that values of one entry name.
class TaskWindows {
public:
  TaskWindows(func::FuncOp func, SymbolTable &symbols) : func(func), symbols(symbols) {}
  /// Nothing when it is known at run time only.
  std::optional<TaskWindow> get(Value array);
  /// One element of an array, or all of it where the indices are not constant.
  std::optional<TaskWindow> getElement(Value array, OperandRange indices);

private:
  std::optional<TaskWindow> find(Value array);

  func::FuncOp func;
  SymbolTable &symbols;
  DenseMap<Value, std::optional<TaskWindow>> known;
};

} // namespace mlir::pto

#endif // PTO_TRANSFORMS_TASKWINDOWS_H
