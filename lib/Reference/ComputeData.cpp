//===- ComputeData.cpp - Other shapes and new tiles ---------------------------===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Pto/Words.h"
#include "Reference/Compute.h"
#include "Tensor/TensorOps.h"
#include "Tile/TileOps.h"

#include <cstring>

using namespace mlir;
using namespace mlir::pto;
using namespace mlir::pto::reference;

/// The same bytes, row by row.
static Compute makeReshape(Operation *op, ArrayRef<Elem> elems) {
  return [](ArrayRef<Dense> sources, Dense result) -> ComputeResult {
    int64_t have = sources[0].getCount() * elemBytes(sources[0].elem);
    int64_t want = result.getCount() * elemBytes(result.elem);
    if (have != want)
      return ComputeError{Check::ValidRegion, "keeps the number of bytes, and " +
                                                  std::to_string(have) + " valid ones become " +
                                                  std::to_string(want)};
    std::memcpy(result.data, sources[0].data, have);
    return std::nullopt;
  };
}

/// Dimensions of an array, or rows and columns.
static Compute makeTranspose(Operation *op, ArrayRef<Elem> elems) {
  SmallVector<int64_t, 4> shape;
  unsigned first = 0, second = 1;
  if (auto tensor = dyn_cast<TensorTransposeOp>(op)) {
    shape.assign(getShapeOf(tensor.getSource().getType()).begin(),
                 getShapeOf(tensor.getSource().getType()).end());
    first = tensor.getAxis1(), second = tensor.getAxis2();
  }
  return [=](ArrayRef<Dense> sources, Dense result) -> ComputeResult {
    const Dense &source = sources[0];
    SmallVector<int64_t, 4> extents = shape;
    if (extents.empty())
      extents = {source.rows, source.cols};
    SmallVector<int64_t, 4> made = extents;
    std::swap(made[first], made[second]);
    int64_t size = elemBytes(source.elem), count = source.getCount();
    SmallVector<int64_t, 4> place(extents.size(), 0);
    for (int64_t number = 0; number < count; ++number) {
      SmallVector<int64_t, 4> there = place;
      std::swap(there[first], there[second]);
      int64_t at = 0;
      for (auto [index, extent] : llvm::zip(there, made))
        at = at * extent + index;
      std::memcpy(result.data + at * size, source.data + number * size, size);
      for (size_t dim = extents.size(); dim-- > 0;) {
        if (++place[dim] < extents[dim])
          break;
        place[dim] = 0;
      }
    }
    return std::nullopt;
  };
}

static Compute makeConcat(Operation *op, ArrayRef<Elem> elems) {
  return [](ArrayRef<Dense> sources, Dense result) -> ComputeResult {
    int64_t size = elemBytes(result.elem);
    for (int64_t r = 0; r < result.rows; ++r) {
      std::memcpy(result.row(r), sources[0].row(r), sources[0].cols * size);
      std::memcpy(result.row(r) + sources[0].cols * size, sources[1].row(r),
                  sources[1].cols * size);
    }
    return std::nullopt;
  };
}

/// The value everywhere, and the source in the first corner.
static Compute makeFillpad(Operation *op, ArrayRef<Elem> elems) {
  SmallVector<int64_t, 4> from, to; // of arrays; tiles know theirs when they run
  if (auto tensor = dyn_cast<TensorFillpadOp>(op)) {
    llvm::append_range(from, getShapeOf(tensor.getSource().getType()));
    llvm::append_range(to, getShapeOf(tensor.getResult().getType()));
  }
  return [=](ArrayRef<Dense> sources, Dense result) -> ComputeResult {
    const Dense &source = sources[0];
    SmallVector<int64_t, 4> have = from, want = to;
    if (have.empty()) {
      have = {source.rows, source.cols};
      want = {result.rows, result.cols};
    }
    fill(result.elem, sources[1].data, result.data, result.getCount());
    int64_t size = elemBytes(result.elem), width = have.back();
    for (int64_t row = 0, rows = width ? source.getCount() / width : 0; row < rows; ++row) {
      int64_t at = 0, rest = row, step = 1;
      for (size_t dim = have.size() - 1; dim-- > 0;) {
        at += rest % have[dim] * step;
        rest /= have[dim];
        step *= want[dim];
      }
      std::memcpy(result.data + at * want.back() * size, source.data + row * width * size,
                  width * size);
    }
    return std::nullopt;
  };
}

template <typename T> static void fillConsecutive(T first, bool descending, Dense result) {
  for (int64_t number = 0; number < result.getCount(); ++number)
    result.as<T>()[number] = static_cast<T>(descending ? first - number : first + number);
}

static Compute makeCi(Operation *op, ArrayRef<Elem> elems) {
  bool descending = op->hasAttr("descending");
  return [=](ArrayRef<Dense> sources, Dense result) -> ComputeResult {
    if (elemBytes(result.elem) == 2)
      fillConsecutive(*sources[0].as<uint16_t>(), descending, result);
    else
      fillConsecutive(*sources[0].as<uint32_t>(), descending, result);
    return std::nullopt;
  };
}

static Compute makeTri(Operation *op, ArrayRef<Elem> elems) {
  bool upper = op->hasAttr("upper");
  Elem elem = elems.back();
  return [=](ArrayRef<Dense> sources, Dense result) -> ComputeResult {
    int64_t diagonal = *sources[0].as<int64_t>(), size = elemBytes(result.elem);
    char one[8] = {}, zero[8] = {};
    Scalar scalar;
    if (isInteger(elem))
      scalar.i = 1;
    else
      scalar.f = 1;
    storeScalar(elem, scalar, one);
    for (int64_t r = 0; r < result.rows; ++r)
      for (int64_t c = 0; c < result.cols; ++c) {
        bool inside = upper ? c >= r + diagonal : c <= r + diagonal;
        std::memcpy(result.row(r) + c * size, inside ? one : zero, size);
      }
    return std::nullopt;
  };
}

/// One block of four numbers of Philox 4x32.
static void philox(uint32_t counter[4], uint32_t key0, uint32_t key1, int64_t rounds) {
  for (int64_t round = 0; round < rounds; ++round) {
    uint64_t first = uint64_t(0xD2511F53) * counter[0], second = uint64_t(0xCD9E8D57) * counter[2];
    uint32_t made[4] = {uint32_t(second >> 32) ^ counter[1] ^ key0, uint32_t(second),
                        uint32_t(first >> 32) ^ counter[3] ^ key1, uint32_t(first)};
    std::memcpy(counter, made, sizeof(made));
    key0 += 0x9E3779B9, key1 += 0xBB67AE85;
  }
}

static Compute makeRandom(Operation *op, ArrayRef<Elem> elems) {
  int64_t rounds = op->getAttrOfType<IntegerAttr>("rounds").getInt();
  return [=](ArrayRef<Dense> sources, Dense result) -> ComputeResult {
    uint32_t words[6];
    for (unsigned word = 0; word < 6; ++word)
      std::memcpy(&words[word], sources[word].data, 4);
    int64_t count = result.getCount();
    for (int64_t number = 0; number < count; number += 4) {
      uint32_t counter[4];
      uint64_t carry = number / 4;
      for (unsigned word = 0; word < 4; ++word) {
        carry += words[2 + word];
        counter[word] = static_cast<uint32_t>(carry);
        carry >>= 32;
      }
      philox(counter, words[0], words[1], rounds);
      std::memcpy(result.as<uint32_t>() + number, counter,
                  std::min<int64_t>(4, count - number) * 4);
    }
    return std::nullopt;
  };
}

void reference::addData(ComputeTable &table) {
  table["reshape"] = {makeReshape, Form::Blocks};
  table["transpose"] = {makeTranspose, Form::Anything};
  table["concat"] = {makeConcat, Form::Anything};
  table["fillpad"] = {makeFillpad, Form::Anything};
  table["ci"] = {makeCi, Form::Anything};
  table["tri"] = {makeTri, Form::Anything};
  table["random"] = {makeRandom, Form::Anything};
}
