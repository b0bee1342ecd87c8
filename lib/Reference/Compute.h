//===- Compute.h - What operations compute, on tiles and arrays -----*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// An operation of the tile family and the one of the tensor family with its name
// compute the same, by one function on elements that lie row by row. The table that
// finds it by name is in Compute.cpp; each family of operations has a file
// Compute<Family>.cpp. Who calls it has found the elements, checked that they may be
// read, and brings the result where it belongs.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_REFERENCE_COMPUTE_H
#define PTO_REFERENCE_COMPUTE_H

#include "Reference/Core.h"
#include "Reference/Kernels.h"

#include "llvm/ADT/StringMap.h"

namespace mlir::pto::reference {

/// Elements row by row: of a tile's valid region, of an array (all dimensions but the
/// last are its rows), or one that a scalar of the program is.
struct Dense {
  Elem elem = Elem::F32;
  int64_t rows = 1, cols = 1;
  char *data = nullptr;

  int64_t getCount() const { return rows * cols; }
  char *row(int64_t index) const { return data + index * cols * elemBytes(elem); }
  template <typename T> T *as() const { return reinterpret_cast<T *>(data); }
};

/// An error of the run, such as a division by zero.
struct ComputeError {
  Check check;
  std::string text;
};
using ComputeResult = std::optional<ComputeError>; // nothing if all is well

/// Computes all elements of `result`, which has its extents.
using Compute = std::function<ComputeResult(ArrayRef<Dense> sources, Dense result)>;

/// What single instructions of an operation must keep to, and whether they may write what
/// they read; see Instructions.h.
enum class Form : uint8_t {
  Elements, // element by element
  Rows,     // one value from each row, or one for each row
  Columns,  // one value for each column
  OneRow,   // a row of elements, or of bits, each
  Blocks,   // whole blocks of 32 bytes, no byte in common
  Anything, // expansion leaves none of it: no instruction has this name
};

struct ComputeEntry {
  /// Makes the function for an operation, whose sources and result have these types; null
  /// after an error. `elems` has the element types of the sources, then that of the result;
  /// a scalar counts as the element type of the first source that is none.
  Compute (*make)(Operation *op, ArrayRef<Elem> elems);
  Form form = Form::Elements;
};

/// The entry of a mnemonic; null if it has none.
const ComputeEntry *findCompute(StringRef mnemonic);

/// The element types of the sources, then of the result. A scalar counts as that of the first
/// source that is none.
SmallVector<Elem, 4> getElems(ValueRange sources, Type result);

using ComputeTable = llvm::StringMap<ComputeEntry>;
// One for each family.
void addElementwise(ComputeTable &table);
void addRows(ComputeTable &table);
void addData(ComputeTable &table);

/// Whether a comparison of two numbers holds.
template <typename T> bool holds(Compare compare, T a, T b) {
  switch (compare) {
  case Compare::EQ:
    return a == b;
  case Compare::NE:
    return a != b;
  case Compare::LT:
    return a < b;
  case Compare::LE:
    return a <= b;
  case Compare::GT:
    return a > b;
  case Compare::GE:
    return a >= b;
  }
  return false;
}

} // namespace mlir::pto::reference

#endif // PTO_REFERENCE_COMPUTE_H
