//===- Observer.h - Who watches a run -------------------------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// An observer is told what a run does, on the thread that runs it, and may keep it
// waiting: this is what a trace and a debugger are made of. A run with an observer
// uses one thread. Without one it costs a test of a pointer each step.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_REFERENCE_OBSERVER_H
#define PTO_REFERENCE_OBSERVER_H

#include "mlir/IR/Value.h"

namespace mlir::pto::reference {

class Core;
class Launch;

enum class Event : uint8_t {
  TaskBegins, // no core
  TaskEnds,
  CoreBegins, // a core of a block
  CoreEnds,
  Before, // an operation, and each trip of a loop; what waits for another core is told once
  After,  // a step of an operation
  Fails,  // the step, whose error has been emitted
  Wrote,  // a byte that the observer watches
};

/// What happens now.
struct Moment {
  Event event;
  Launch &launch;
  Core *core = nullptr;
  Operation *op = nullptr;
  /// Of a write: where the value comes from, and the element of it. No name if it
  /// is not known.
  Value source{};
  SmallVector<int64_t, 2> element{};
};

class Observer {
public:
  virtual ~Observer() = default;
  /// Whether the run goes on; if not it ends without an error of its own.
  virtual bool notify(const Moment &moment) = 0;

  bool wants(Event event) const { return events >> static_cast<unsigned>(event) & 1; }
  /// The events to be told, a bit each.
  uint32_t events = ~0u;
  /// The byte, of an array that the caller gave, whose writes are told.
  const char *watched = nullptr;
};

} // namespace mlir::pto::reference

#endif // PTO_REFERENCE_OBSERVER_H
