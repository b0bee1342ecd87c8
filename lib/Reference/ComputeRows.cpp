//===- ComputeRows.cpp - Reductions and broadcasts ----------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Pto/Words.h"
#include "Reference/Compute.h"

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

template <ReduceKind kind> static Compute makeRowReduce(Operation *op, ArrayRef<Elem> elems) {
  return [](ArrayRef<Dense> sources, Dense result) -> ComputeResult {
    const Dense &source = sources[0];
    if (source.cols == 0)
      return ComputeError{Check::ValidRegion, "reduces rows without a valid column"};
    for (int64_t r = 0; r < source.rows; ++r)
      reduceRow(kind, source.elem, source.row(r), result.row(r), source.cols);
    return std::nullopt;
  };
}

/// Every row with its own value, which is the first of its row (a 32-byte block has it in
/// every element).
template <BinaryKind kind> static Compute makeRowExpand(Operation *op, ArrayRef<Elem> elems) {
  return [](ArrayRef<Dense> sources, Dense result) -> ComputeResult {
    for (int64_t r = 0; r < result.rows; ++r)
      if (!binaryScalar(kind, result.elem, sources[0].row(r), sources[1].row(r), result.row(r),
                        result.cols))
        return ComputeError{Check::Division, "divides by zero"};
    return std::nullopt;
  };
}

/// One 32-byte block for each value.
static Compute makeBrcb(Operation *op, ArrayRef<Elem> elems) {
  return [](ArrayRef<Dense> sources, Dense result) -> ComputeResult {
    for (int64_t r = 0; r < result.rows; ++r)
      fill(result.elem, sources[0].row(r), result.row(r), result.cols);
    return std::nullopt;
  };
}

void reference::addRows(ComputeTable &table) {
  table["row_max"] = {makeRowReduce<ReduceKind::Max>, Form::Rows};
  table["row_sum"] = {makeRowReduce<ReduceKind::Sum>, Form::Rows};
  table["row_expand_sub"] = {makeRowExpand<BinaryKind::Sub>, Form::Rows};
  table["row_expand_mul"] = {makeRowExpand<BinaryKind::Mul>, Form::Rows};
  table["row_expand_div"] = {makeRowExpand<BinaryKind::Div>, Form::Rows};
  table["brcb"] = {makeBrcb, Form::Rows};
}
