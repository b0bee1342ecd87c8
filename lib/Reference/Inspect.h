//===- Inspect.h - What the author's names hold ---------------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_REFERENCE_INSPECT_H
#define PTO_REFERENCE_INSPECT_H

#include "Reference/Core.h"

namespace mlir::pto::reference {

/// The content of a value, copied.
struct Content {
  std::string name;
  enum Kind { Integer, Real, Elements, List } kind = Integer;
  Scalar scalar{};
  std::vector<int64_t> list; // task ids, small numbers
  /// Elements, row by row, and for each whether something has written it; none: all.
  Elem elem = Elem::F32;
  SmallVector<int64_t, 4> shape;
  std::vector<char> bytes;
  std::vector<char> defined;
  StringRef space; // "Vec"; empty where that is open
};

/// "pl.load"; of a flag which one it is: "pto.block.set_flag V -> MTE3, 0".
std::string describe(Operation *op);
/// The operation that an activation of the core, 0 the innermost, is at.
Operation *getOperationAt(const Core &core, unsigned depth);
/// The names that are bound where the activation is, the last bound first.
SmallVector<StringRef> getVisibleNames(const Core &core, unsigned depth);
/// What the name holds there; nothing if it is not bound.
std::optional<Content> read(Core &core, StringRef name, unsigned depth);
/// What a value of the innermost activation holds, which lives in `slot`.
std::optional<Content> readSlot(Core &core, Value value, Slot slot);
/// What an operation that the innermost activation has just run made: its results,
/// or the tile it was told to write; what a store or an assembly has stored. Tasks make
/// nothing here, they name arrays.
std::vector<Content> readMade(Core &core, Operation *op);

} // namespace mlir::pto::reference

#endif // PTO_REFERENCE_INSPECT_H
