//===- TensorConverter.h - Arrays in a core become tiles ----------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// What pto-convert-tensor-to-tile-ops does with a function: ConvertTensorToTileOps.cpp has
// functions, control flow and what computes, ConvertTensorData.cpp what moves.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TRANSFORMS_TENSORCONVERTER_H
#define PTO_TRANSFORMS_TENSORCONVERTER_H

#include "Block/BlockOps.h"
#include "Pto/Words.h"
#include "Tensor/TensorOps.h"
#include "Tile/TileOps.h"
#include "Transforms/ArrayStates.h"
#include "Transforms/Locations.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::pto {

using Extents = std::pair<int64_t, int64_t>; // rows and columns

inline bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }
/// Of an array with other than two dimensions: its rows are all dimensions but the last.
Extents extentsOf(Value value);
/// An error where a value is used: by an operation of the author, or where a
/// loop, a branch or the function hands it on.
InFlightDiagnostic emitUseError(Operation *user);
/// Whether it is an array of which a core can hold a tile.
LogicalResult checkType(Operation *user, Value value);

/// Rewrites one function in place, in program order. What is replaced stays
/// until the end, because later operations still refer to it.
class Converter {
public:
  explicit Converter(func::FuncOp func)
      : func(func), states(func.getBody()), builder(func.getContext()) {}
  LogicalResult run();

private:
  // Functions, blocks, control flow.
  LogicalResult convertSignature();
  LogicalResult convertBlock(Block &block, function_ref<LogicalResult()> atEnd = {});
  LogicalResult convertOperation(Operation *op);
  LogicalResult convertReturn(func::ReturnOp op);
  LogicalResult convertLoop(Operation *op);
  LogicalResult convertInits(ValueLoop loop, SmallVectorImpl<Value> &inits,
                             SmallVectorImpl<int64_t> &from);
  LogicalResult convertLoopBody(ValueLoop old, ValueLoop loop, ArrayRef<int64_t> from);
  LogicalResult convertLoopYield(ValueLoop old, ValueLoop loop, ArrayRef<int64_t> from);
  LogicalResult convertIf(scf::IfOp branch);
  LogicalResult convertArm(Region &arm, scf::IfOp branch, SmallVectorImpl<Value> &yielded);
  LogicalResult convertArmYield(Region &arm, scf::IfOp branch, SmallVectorImpl<Value> &yielded);
  LogicalResult checkWrittenAreCarried(Operation *op, const llvm::MapVector<Value, Value> &before);

  // Operations.
  LogicalResult convertCompute(Operation *op);
  LogicalResult convertProduct(Operation *op);
  LogicalResult convertAssemble(TensorAssembleOp op);
  LogicalResult convertData(Operation *op, bool &known);
  LogicalResult storeWindow(TensorAssembleOp op, Value tile, Value array);
  LogicalResult convertWindow(TensorWindowOp op);
  LogicalResult convertElement(TensorElementOp op);
  LogicalResult convertWrite(TensorWriteOp op);
  LogicalResult convertReshape(TensorReshapeOp op);
  LogicalResult convertTranspose(TensorTransposeOp op);
  LogicalResult convertConcat(TensorConcatOp op);
  LogicalResult convertFillpad(TensorFillpadOp op);
  LogicalResult convertRandom(TensorRandomOp op);
  LogicalResult convertLoad(TileLoadOp op);
  LogicalResult convertStore(TileStoreOp op);
  LogicalResult checkTypes(Operation *op);
  Value compare(Operation *op, ValueRange sources, Extents extents);
  StringRef broadcast(Operation *op, StringRef name, MutableArrayRef<Value> sources);
  Value spread(Operation *op, Value vector, Extents shape);

  // Tiles of tensor values.
  Value getComputed(Value tensor) { return tiles.lookup(tensor); }
  Extents getPadded(Value tensor);
  FailureOr<Value> getTile(Operation *user, Value tensor, Extents extents);
  FailureOr<Value> getTile(Operation *user, Value tensor);
  FailureOr<Value> readArray(Operation *user, Value tensor, Value array, Extents extents);
  FailureOr<Value> loadWindow(Operation *op, Value array, ArrayRef<OpFoldResult> offsets,
                              ArrayRef<int64_t> sizes);
  Value getRows(Value array);
  FailureOr<std::array<OpFoldResult, 2>> getRowPlace(Operation *op, Value array,
                                                     ArrayRef<OpFoldResult> offsets);
  LogicalResult noteAccess(Operation *op, Value array, bool element, bool write);
  Extents getPaddedExtents(Value tensor);
  void finishTile(Operation *op, Value tile);
  LogicalResult checkCurrent(Operation *user, Value tensor, Value array);
  LogicalResult checkWritten(Operation *user, Value array);
  TileType tileType(Extents extents, Type element) {
    return TileType::get(builder.getContext(), {extents.first, extents.second}, element,
                         std::nullopt, std::nullopt);
  }

  func::FuncOp func;
  ArrayStates states;
  OpBuilder builder;
  /// The newest state of each array, in the order of first use.
  llvm::MapVector<Value, Value> current;
  /// The tile of each temporary.
  DenseMap<Value, Value> tiles;
  /// What was loaded of which state, for each open block.
  SmallVector<DenseMap<std::pair<Value, Extents>, Value>> loads;
  SmallVector<Operation *> replaced;
  /// Arrays of other than two dimensions, seen as rows.
  DenseMap<Value, Value> rows;
  /// What the scalar unit and what copies do first with each array: reads, writes.
  struct Accesses {
    Operation *first[2][2] = {}; // by element?, write?
  };
  DenseMap<Value, Accesses> accesses;
  SmallVector<scf::IfOp> branches; // new ones
  /// Rows of tiles are a multiple of so many elements: 32 bytes of the smallest
  /// element type in the function, because a conversion keeps the extents.
  int64_t columnUnit = 8;
};

} // namespace mlir::pto

#endif // PTO_TRANSFORMS_TENSORCONVERTER_H
