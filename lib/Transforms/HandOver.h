//===- HandOver.h - Steps of one instruction on two pipes --------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Where flags are the author's, they order an operation by the pipe that the author
// knows of. If it becomes instructions on that pipe and on V, with scratch between
// them, the order among these is nobody's but ours: a mutex that no tile has is handed
// from one pipe to the other.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TRANSFORMS_HANDOVER_H
#define PTO_TRANSFORMS_HANDOVER_H

#include "Target/Target.h"

namespace mlir::pto {

class HandOver {
public:
  /// For the steps of `op`, which the author takes for one on pipe `own`. `id` is the mutex
  /// of the function, chosen when it is first needed. Does nothing where flags are not
  /// the author's; an error where no mutex can be had.
  static FailureOr<HandOver> begin(Operation *op, const TargetInfo &target, Pipe own,
                                   std::optional<int64_t> &id);

  /// Other pipes wait for what `own` waits for here: before `op`.
  void lend(Operation *op);
  /// `own` has done what other pipes have done: before `op`.
  void takeBack(Operation *op) { lend(op); }
  /// The steps from `first` to `last` are one holder.
  void lock(Operation *first, Operation *last, Pipe pipe);
  void lock(Operation *op, Pipe pipe) { lock(op, op, pipe); }

private:
  void write(OpBuilder &builder, Location loc, Pipe pipe, bool locks);

  std::optional<int64_t> id; // nothing: not needed
  Pipe own = Pipe::S;
};

} // namespace mlir::pto

#endif // PTO_TRANSFORMS_HANDOVER_H
