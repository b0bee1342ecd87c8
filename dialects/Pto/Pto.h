//===- Pto.h - The pto dialect: types, attributes, enums ---------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_PTO_H
#define PTO_PTO_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/OperationSupport.h"

#include <optional>

#include "Pto/PtoEnums.h.inc"

#include "Pto/PtoDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Pto/PtoAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "Pto/PtoTypes.h.inc"

namespace mlir::pto {

/// Traits that say which level an operation belongs to.
template <typename Op> struct TensorLevel : OpTrait::TraitBase<Op, TensorLevel> {};
template <typename Op> struct TileLevel : OpTrait::TraitBase<Op, TileLevel> {};
template <typename Op> struct BlockLevel : OpTrait::TraitBase<Op, BlockLevel> {};

/// Names of the discardable attributes that functions and arguments carry.
namespace attr {
inline constexpr llvm::StringLiteral kTarget = "pto.target"; // module: string, "910B"
inline constexpr llvm::StringLiteral kKind = "pto.kind";     // function: FunctionKind
inline constexpr llvm::StringLiteral kDirection = "pto.dir"; // argument: Direction
inline constexpr llvm::StringLiteral kSync = "pto.sync";     // function: SyncMode
inline constexpr llvm::StringLiteral kDeps = "pto.deps";     // entry: DepsMode
inline constexpr llvm::StringLiteral kNames = "pto.names";   // loop: array of strings
inline constexpr llvm::StringLiteral kReason = "pto.reason"; // inserted operation: string
// Kernel that reads a tiling key: the schema's symbol.
inline constexpr llvm::StringLiteral kSchema = "pto.schema";
// Template of a kernel, for some values of its structural fields: the kernel's name, and
// the fields' values (a dictionary of numbers).
inline constexpr llvm::StringLiteral kTemplateOf = "pto.template_of";
inline constexpr llvm::StringLiteral kFixed = "pto.fixed";
// Clone for one key: the packed key (i64), and what its fields are (a dictionary).
inline constexpr llvm::StringLiteral kPackedKey = "pto.packed_key";
inline constexpr llvm::StringLiteral kKey = "pto.key";
} // namespace attr

/// Bytes of one element.
int64_t getElementBytes(Type elementType);
/// Whether arrays and tiles may hold it.
bool isElementType(Type type);
/// A scalar that stands beside elements of this type: integers of the program have no
/// sign in the IR, those of arrays and tiles do.
Type getScalarType(Type elementType);

/// What a product of such elements is accumulated in: FP32, or INT32 of INT8; null where the
/// cube takes none of them.
Type getAccumulatorType(Type elementType);

/// Where a tile operation's extent in one dimension comes from: what it reads of a source,
/// or what it makes.
struct ExtentRule {
  int source;       // the valid extent of this source in `dim`; -1: `constant`
  unsigned dim = 0; // 0: rows, 1: columns
  int64_t constant = 0;
  int64_t divisor = 1; // of the source's extent; what is left counts as one
  int operand = -1;    // the value of this source, an index, if there is one
  int also = -1;       // another source, whose extent it is if that is larger

  static ExtentRule of(unsigned source, unsigned dim) { return {static_cast<int>(source), dim}; }
  static ExtentRule part(unsigned source, unsigned dim, int64_t divisor) {
    return {static_cast<int>(source), dim, 0, divisor};
  }
  static ExtentRule larger(unsigned source, unsigned other, unsigned dim) {
    return {static_cast<int>(source), dim, 0, 1, -1, static_cast<int>(other)};
  }
  static ExtentRule exactly(int64_t extent) { return {-1, 0, extent}; }
  static ExtentRule byOperand(unsigned source) { return {-1, 0, 0, 1, static_cast<int>(source)}; }
};

/// What is true of a view of an array with other extents, at every level.
LogicalResult verifyView(Operation *op);

/// The product of known dimensions; the largest number where that does not fit.
int64_t getElementCount(ArrayRef<int64_t> shape);
/// Tiles and allocations have no more elements: far beyond every chip, and little
/// enough for sums and products of bytes.
inline constexpr int64_t kMaxTileElements = int64_t(1) << 32;
inline constexpr int64_t kMaxRootElements = int64_t(1) << 40;

/// Rows and columns of a 512-byte fractal (1024 bytes in Acc) of `elementType`
/// as its elements lie in `layout`; {1, 1} for nd and dn.
struct FractalShape {
  int64_t rows, cols;
};
FractalShape getFractalShape(TileLayout layout, MemorySpace space, Type elementType);
inline bool isFractal(TileLayout layout) {
  return layout != TileLayout::ND && layout != TileLayout::DN;
}

/// Byte offset of element (row, col) in an allocation of `rootRows` x `rootCols`.
/// This is the one definition of what a layout means.
int64_t getElementOffset(TileLayout layout, MemorySpace space, Type elementType, int64_t rootRows,
                         int64_t rootCols, int64_t row, int64_t col);

/// The pipe that copies from one space to the other, on every chip that has the path;
/// nothing for two spaces that none copies between.
std::optional<Pipe> getPathPipe(MemorySpace from, MemorySpace to);

/// Space of a tile or buffer type; nothing when it is open or no tile at all.
std::optional<MemorySpace> getTileSpace(Type type);
/// Shape and element type of a tile, buffer, tensor or array reference.
ArrayRef<int64_t> getShapeOf(Type type);
Type getElementTypeOf(Type type);

/// The name of an operation within its family: "add" for pto.tile.add and
/// pto.tensor.add; the whole name for an operation of another dialect.
StringRef getMnemonic(Operation *op);

/// What a function is; Opaque without the attribute.
FunctionKind getFunctionKind(Operation *func);
/// Elements between the beginnings of two rows of an array, tensor or reference.
int64_t getRowPitch(Type array);
/// What function `func` does with its argument `index`; In without the attribute.
Direction getDirection(Operation *func, unsigned index);
inline bool isWritten(Direction direction) { return direction != Direction::In; }

} // namespace mlir::pto

#endif // PTO_PTO_H
