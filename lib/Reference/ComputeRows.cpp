//===- ComputeRows.cpp - Reductions and broadcasts ----------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Pto/Words.h"
#include "Reference/Compute.h"

#include <cstring>
#include <vector>

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

/// Every row with the row of values.
template <BinaryKind kind> static Compute makeColExpand(Operation *op, ArrayRef<Elem> elems) {
  return [](ArrayRef<Dense> sources, Dense result) -> ComputeResult {
    for (int64_t r = 0; r < result.rows; ++r)
      if (!binary(kind, result.elem, sources[0].row(r), sources[1].data, result.row(r),
                  result.cols))
        return ComputeError{Check::Division, "divides by zero"};
    return std::nullopt;
  };
}

/// e to the power of the difference, which is rounded.
template <Compute (*difference)(Operation *, ArrayRef<Elem>)>
static Compute makeExpdif(Operation *op, ArrayRef<Elem> elems) {
  if (!hasUnary(UnaryKind::Exp, elems[0])) {
    emitUserError(op) << "takes FP16, BF16 or FP32, found " << valueWord(op->getOperand(0))
                      << "; convert it with pl.cast";
    return {};
  }
  return
      [subtract = difference(op, elems)](ArrayRef<Dense> sources, Dense result) -> ComputeResult {
        if (ComputeResult wrong = subtract(sources, result))
          return wrong;
        unary(UnaryKind::Exp, result.elem, result.data, result.data, result.getCount());
        return std::nullopt;
      };
}

/// One row after the other; BF16 as FP32, rounded once.
template <BinaryKind kind> static Compute makeColReduce(Operation *op, ArrayRef<Elem> elems) {
  return [](ArrayRef<Dense> sources, Dense result) -> ComputeResult {
    const Dense &source = sources[0];
    if (source.rows == 0)
      return ComputeError{Check::ValidRegion, "reduces columns without a valid row"};
    if (source.elem == Elem::BF16) {
      std::vector<float> sum(source.cols), row(source.cols);
      widen(source.elem, source.row(0), sum.data(), source.cols);
      for (int64_t r = 1; r < source.rows; ++r) {
        widen(source.elem, source.row(r), row.data(), source.cols);
        binary(kind, Elem::F32, sum.data(), row.data(), sum.data(), source.cols);
      }
      narrow(source.elem, sum.data(), result.data, source.cols);
      return std::nullopt;
    }
    std::memcpy(result.data, source.data, source.cols * elemBytes(source.elem));
    for (int64_t r = 1; r < source.rows; ++r)
      binary(kind, source.elem, result.data, source.row(r), result.data, source.cols);
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
  table["row_min"] = {makeRowReduce<ReduceKind::Min>, Form::Rows};
  table["row_expand_add"] = {makeRowExpand<BinaryKind::Add>, Form::Rows};
  table["row_expand_max"] = {makeRowExpand<BinaryKind::Maximum>, Form::Rows};
  table["row_expand_min"] = {makeRowExpand<BinaryKind::Minimum>, Form::Rows};
  table["row_expand_expdif"] = {makeExpdif<makeRowExpand<BinaryKind::Sub>>, Form::Anything};
  table["col_expand_add"] = {makeColExpand<BinaryKind::Add>, Form::Columns};
  table["col_expand_sub"] = {makeColExpand<BinaryKind::Sub>, Form::Columns};
  table["col_expand_mul"] = {makeColExpand<BinaryKind::Mul>, Form::Columns};
  table["col_expand_div"] = {makeColExpand<BinaryKind::Div>, Form::Columns};
  table["col_expand_max"] = {makeColExpand<BinaryKind::Maximum>, Form::Columns};
  table["col_expand_min"] = {makeColExpand<BinaryKind::Minimum>, Form::Columns};
  table["col_expand_expdif"] = {makeExpdif<makeColExpand<BinaryKind::Sub>>, Form::Anything};
  table["col_sum"] = {makeColReduce<BinaryKind::Add>, Form::Anything};
  table["col_max"] = {makeColReduce<BinaryKind::Maximum>, Form::Anything};
  table["col_min"] = {makeColReduce<BinaryKind::Minimum>, Form::Anything};
  table["col_prod"] = {makeColReduce<BinaryKind::Mul>, Form::Anything};
  table["row_expand_sub"] = {makeRowExpand<BinaryKind::Sub>, Form::Rows};
  table["row_expand_mul"] = {makeRowExpand<BinaryKind::Mul>, Form::Rows};
  table["row_expand_div"] = {makeRowExpand<BinaryKind::Div>, Form::Rows};
  table["brcb"] = {makeBrcb, Form::Rows};
}
