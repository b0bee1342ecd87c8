//===- TileOps.td - The tile family ------------------------------*- tablegen -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Every operation of this family has two forms. In value form its sources are
// `!pto.tile` values and it has one tile result. In buffer form its sources are
// `!pto.buf` windows, the last operand is the destination, and it has no
// result.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TILE_OPS_TD
#define PTO_TILE_OPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "Pto/PtoInterfaces.td"
include "Pto/PtoTypes.td"

class Pto_TileOp<string mnemonic, list<Trait> traits = []>
    : Pto_Op<"tile." # mnemonic, !listconcat([TileLevel], traits)> {
  let cppNamespace = "::mlir::pto";
}

// Its first source, changed: the result has its type and lies where it lay, so that in
// buffer form the destination is that source.
def UpdatesFirst : NativeOpTrait<"UpdatesFirst"> { let cppNamespace = "::mlir::pto"; }

// The instruction may not write what it reads; of the others on pipe V every one may, in the
// same bytes.
def NotInPlace : NativeOpTrait<"NotInPlace"> { let cppNamespace = "::mlir::pto"; }

// It moves elements and computes nothing: every element type is good, and
// pto-expand-instructions makes of it what the chip has.
def MovesBits : NativeOpTrait<"MovesBits"> { let cppNamespace = "::mlir::pto"; }

// Sources and one destination. The assembly is the same for all of them:
//   %r = pto.tile.add %a, %b : !pto.tile<64x128xf32, vec>
//   pto.tile.add ins(%a, %b : A, B) outs(%d : D)
// All of it is in one form, and every tile in the space that the operation wants.
def TileCompute : NativeOpTrait<"TileCompute"> { let cppNamespace = "::mlir::pto"; }

class Pto_TileComputeOp<string mnemonic, list<Trait> traits = []>
    : Pto_TileOp<mnemonic, !listconcat([TileCompute], traits, [
        DeclareOpInterfaceMethods<Pto_TileComputeInterface>,
        DeclareOpInterfaceMethods<Pto_InstructionInterface>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>])> {
  let results = (outs Optional<Pto_Tile>:$result);
  let hasCustomAssemblyFormat = 1;
  // The pipe that executes it, as a C++ expression.
  code pipe = [{ ::mlir::pto::Pipe::V }];
  // The space of source `index` and of the result, as C++ expressions.
  code sourceSpace = [{ ::mlir::pto::MemorySpace::Vec }];
  code resultSpace = [{ ::mlir::pto::MemorySpace::Vec }];
  // The extent in `dim` of source `index`, or of what is made (`index` is then the number of
  // sources), as a C++ expression.
  code extentRule = [{ ::mlir::pto::getTraitExtentRule(*this, index, dim) }];
  let extraClassDefinition = [{
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser,
                                         ::mlir::OperationState &result) {
      return ::mlir::pto::parseTileCompute(parser, result);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) {
      ::mlir::pto::printTileCompute(*this, printer);
    }
    void $cppClass::getEffects(::llvm::SmallVectorImpl<
        ::mlir::SideEffects::EffectInstance<::mlir::MemoryEffects::Effect>> &effects) {
      ::mlir::pto::getInstructionEffects(*this, effects);
    }
    ::llvm::SmallVector<::mlir::OpOperand *> $cppClass::getReadOperands() {
      return ::mlir::pto::getTileSources(*this);
    }
    ::llvm::SmallVector<::mlir::OpOperand *> $cppClass::getWrittenOperands() {
      return ::mlir::pto::getTileDestination(*this);
    }
    ::std::optional<::mlir::pto::Pipe> $cppClass::getPipe() { return }] # pipe # [{; }
    ::std::optional<::mlir::pto::MemorySpace> $cppClass::getSourceSpace(unsigned index) {
      (void)index;
      return }] # sourceSpace # [{;
    }
    ::std::optional<::mlir::pto::MemorySpace> $cppClass::getResultSpace() { return }]
      # resultSpace # [{; }
    ::mlir::pto::ExtentRule $cppClass::getExtentRule(unsigned index, unsigned dim) {
      return }] # extentRule # [{;
    }
  }];
}

include "Tile/TileArrays.td"
include "Tile/TileData.td"
include "Tile/TileElementwise.td"
include "Tile/TileReduce.td"
include "Tile/TileMatmul.td"
include "Tile/TileBuffers.td"
include "Tile/TileParts.td"

#endif // PTO_TILE_OPS_TD
