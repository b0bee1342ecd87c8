//===- Target.h - What a chip is ----------------------------------*- C++ -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// The one description of a chip. Verifiers, planner, reference model and
// emitter read it; no other file holds a fact about hardware.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TARGET_TARGET_H
#define PTO_TARGET_TARGET_H

#include "Pto/Pto.h"
#include "Pto/PtoInterfaces.h"

namespace mlir::pto {

/// A memory space of one core.
struct SpaceInfo {
  MemorySpace space;
  int64_t capacity;  // bytes that a kernel for one kind of core may use
  int64_t alignment; // bytes, of an allocation's address
  TileLayout layout; // how tiles lie in it
};

/// Two spaces that one instruction copies between; `getPathPipe` says on which pipe.
using PathInfo = std::pair<MemorySpace, MemorySpace>;
/// An event of the chip: the second pipe waits for the first.
using FlagInfo = std::pair<Pipe, Pipe>;

/// A set of element types, and one of roundings; each is a bit.
using DtypeSet = uint32_t;
using RoundSet = uint32_t;

/// What one instruction of the vector unit computes.
struct VectorOpInfo {
  StringRef mnemonic; // of pto.tile
  DtypeSet types;
  DtypeSet scalarTypes; // with a scalar as second source, which is another instruction
};

/// Elements that an instruction gets as others of the same bytes, as its call takes no such
/// elements; the bits of the result are the same.
struct ViewInfo {
  StringRef mnemonic;
  DtypeSet types;
  DtypeSet as; // one
};

/// What one instruction converts. Rounding `none` stands where the instruction takes no
/// other; where it is one of several it is `rint`, and is left out.
struct CastInfo {
  DtypeSet from, to;
  RoundSet rounds;
};

/// Signals between cores.
struct CrossCoreInfo {
  /// Counters 0 to `ids` - 1 of modes 0 to 2; those from `firstReserved` to
  /// `lastReserved` are the hardware's own, for barriers of all cores.
  int64_t ids, firstReserved, lastReserved;
  /// Counters 0 to `unicastIds` - 1 of mode 4, the AIC and one of its AIVs; 0: the chip
  /// has no such mode. The AIC names those of its second AIV 16 higher.
  int64_t unicastIds;
  /// A wait holds one pipe; else all of the core, whichever is named.
  bool waitHoldsOnePipe;
};

/// What things cost, in cycles of a core; the model that the numbers are for is in
/// docs/cost-model.md.
struct CostInfo {
  int64_t clockMHz;

  // Bytes a cycle: of one core from and to DDR, of all cores together, and between
  // the spaces of a core.
  int64_t ddrRead, ddrWrite, ddrChip;
  int64_t matToLeft, matToRight, accOut;
  /// DDR is read and written in whole lines of so many bytes.
  int64_t ddrLine;

  // The vector unit: bytes of a repeat, and cycles of one by what it computes.
  int64_t repeatBytes;
  int64_t repeatSimple, repeatRoot, repeatReduce;
  // The cube: elements of each dimension in one cycle.
  int64_t cubeM, cubeN, cubeK;

  // What each instruction costs before its first byte or repeat.
  int64_t ddrStart, moveStart, vectorStart, cubeStart;
  /// Between two instructions of the scalar unit, which issues all others.
  int64_t issue;
  // Order: from the set of a flag to the end of its wait, an empty pipe, a signal
  // to another core.
  int64_t flag, barrier, crossCore;
  // A task: from the end of those in front of it to the start of its first core, and
  // of each further one.
  int64_t launch, launchCore;
};

struct TargetInfo {
  StringRef name;              // "910B"
  ArrayRef<StringRef> aliases; // other names that it is asked for by: "a2", "a3"
  int64_t npuArch;             // the kit's __NPU_ARCH__
  int64_t cubeCores, vectorCores;

  /// The event ids that a kernel may use for each pair of pipes.
  int64_t eventIds;
  /// The tokens that a kernel may lock for a pipe; 0: the chip has none.
  int64_t mutexIds;
  CrossCoreInfo crossCore;

  /// The most allocations of a kernel (each is a LocalTensor).
  int64_t maxBuffers;
  /// Limits of single instructions.
  int64_t maxRepeats;      // vector repeats
  int64_t maxRepeatStride; // 32-byte blocks between the repeats of a vector instruction
  int64_t maxBlockCount;   // rows of a DDR copy
  int64_t maxArrayGap;     // bytes between two rows of an array, from end to start
  int64_t maxFractalPitch; // elements from row to row of an array that Mat is loaded from
  int64_t maxFractalRows;  // rows of fractals of a copy from Mat
  int64_t maxMatmulDim;    // m, n, k of one product
  /// A vector instruction of no elements does nothing; else it is undefined.
  bool emptyIsNothing;

  /// Bytes of Vec and of Mat that the kit keeps for itself in a mixed kernel.
  int64_t mixedReserve;
  /// Bytes of the buffer for scales of what leaves Acc, which is no memory space yet.
  int64_t scalingBytes;

  ArrayRef<SpaceInfo> spaces;
  ArrayRef<PathInfo> paths;
  /// Events that an AIC takes for nothing; those that an AIV does.
  ArrayRef<FlagInfo> emptyFlagsAIC, emptyFlagsAIV;
  ArrayRef<VectorOpInfo> vectorOps;
  ArrayRef<ViewInfo> views;
  ArrayRef<CastInfo> casts;

  CostInfo cost;

  const SpaceInfo &getSpace(MemorySpace space) const;
  /// Bytes that a kernel may use; `mixed` if it runs beside one on the cluster's other
  /// kind of core.
  int64_t getCapacity(MemorySpace space, bool mixed) const {
    bool less = mixed && (space == MemorySpace::Vec || space == MemorySpace::Mat);
    return getSpace(space).capacity - (less ? mixedReserve : 0);
  }
  /// Whether a copy leads from one space to the other in one instruction, and its pipe.
  bool hasPath(MemorySpace from, MemorySpace to) const;
  std::optional<Pipe> pipeOf(MemorySpace from, MemorySpace to) const;
  /// The kind of core that a space belongs to; nothing for DDR.
  std::optional<CoreKind> getCore(MemorySpace space) const;
  /// The core that an operation needs, by the spaces of its tiles; nothing for scalars,
  /// control flow, and tiles that have no space yet.
  std::optional<CoreKind> getCore(Operation *op) const;
  /// The layout of a tile of `shape` in `space`.
  TileLayout getLayout(MemorySpace space, ArrayRef<int64_t> shape) const;
  /// The rows of what one copy from Mat to Left or Right makes, of fractals `from` and `to`;
  /// `turns`: it turns each fractal round, in squares of both.
  int64_t getFractalRows(FractalShape from, FractalShape to, bool turns, Type elementType) const {
    int64_t rows = turns ? std::max(from.rows, to.rows) : to.rows;
    return rows * (turns && getElementBytes(elementType) == 1 ? 1 : maxFractalRows);
  }
  /// Whether the pipe exists on this kind of core.
  bool hasPipe(CoreKind core, Pipe pipe) const;
  /// Whether a flag can join the two pipes (the chip names only some pairs).
  bool hasFlag(Pipe src, Pipe dst) const;
  /// Whether a set or wait of that flag does nothing on this kind of core.
  bool isEmptyFlag(CoreKind core, Pipe src, Pipe dst) const;
  bool hasMutex() const { return mutexIds > 0; }
  /// Whether the chip signals in this mode, and whether a kernel may use that counter.
  bool hasCrossCoreMode(int64_t mode) const;
  bool hasCrossCoreId(int64_t mode, int64_t id) const;
  /// Whether one instruction of the vector unit does `mnemonic` (of pto.tile)
  /// on elements of this type.
  bool hasVectorOp(StringRef mnemonic, Type elementType, bool scalarOperand) const;
  /// Whether one instruction of the vector unit is `op`, by its element types and operands.
  bool hasInstruction(TileComputeInterface op) const;
  /// The element type by which the AscendC call of `mnemonic` gets elements of this type.
  Type getCallType(StringRef mnemonic, Type elementType) const;
  /// Whether its instructions take windows whose rows do not follow each other; what is
  /// of other widths is contiguous.
  bool hasRepeats(Type elementType) const;
  /// Whether one instruction converts between the two types with this rounding.
  bool hasCast(Type from, Type to, RoundMode mode) const;
  /// The rounding that the instruction takes for a conversion that the author
  /// left at the default, and a chain of types for one that needs several.
  SmallVector<Type> getCastChain(Type from, Type to) const;
};

/// The description of a chip by its name or one of its other names; null when there is
/// none.
const TargetInfo *lookupTarget(StringRef name);
/// The names of all chips, for error messages.
SmallVector<StringRef> getTargetNames();
/// The chip of a module that does not name one yet.
const TargetInfo *getDefaultTarget();
/// The chip that a module is compiled for; emits an error at the module if it
/// names none that we know.
const TargetInfo *getTarget(Operation *op);

} // namespace mlir::pto

#endif // PTO_TARGET_TARGET_H
