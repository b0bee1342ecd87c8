//===- PtoDialect.td - The pto dialect --------------------------*- tablegen -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// One namespace, three operation families (pto.tensor.*, pto.tile.*,
// pto.block.*). A family registers its operations through
// `addOperationsChecked`, so that no family's header is needed here.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DIALECT_TD
#define PTO_DIALECT_TD

include "mlir/IR/DialectBase.td"
include "mlir/IR/OpBase.td"

def Pto_Dialect : Dialect {
  let name = "pto";
  let cppNamespace = "::mlir::pto";
  let summary = "Ascend kernels: arrays in DDR, tiles on chip, cores and tasks";
  let description = [{
    The dialect describes Ascend kernels at three levels, each a family of
    operations:

    - `pto.tensor.*`: whole arrays in DDR, as builtin tensors;
    - `pto.tile.*`: on-chip tiles, first as values (`!pto.tile`), after planning
      as buffers with addresses (`!pto.buf`);
    - `pto.block.*`: functions on cores, tasks, flags and barriers.

    Control flow and scalars are `scf`, `arith`, `math` and `func`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Registers the operations of one family. A family calls it from its own
    /// library, as the Transform dialect's extensions do.
    template <typename... Ops> void addOperationsChecked() {
      (addOperationOnce<Ops>(), ...);
    }
    template <typename Op> void addOperationOnce() {
      if (!::mlir::RegisteredOperationName::lookup(Op::getOperationName(), getContext()))
        addOperations<Op>();
    }
    void registerTypes();
    void registerAttrs();
  }];
}

//===----------------------------------------------------------------------===//
// Levels and operation base classes
//===----------------------------------------------------------------------===//

// Which level an operation belongs to; conversion targets and
// pto-verify-level ask for the trait, never for a name.
def TensorLevel : NativeOpTrait<"TensorLevel"> { let cppNamespace = "::mlir::pto"; }
def TileLevel : NativeOpTrait<"TileLevel"> { let cppNamespace = "::mlir::pto"; }
def BlockLevel : NativeOpTrait<"BlockLevel"> { let cppNamespace = "::mlir::pto"; }

class Pto_Op<string mnemonic, list<Trait> traits = []>
    : Op<Pto_Dialect, mnemonic, traits>;

#endif // PTO_DIALECT_TD
