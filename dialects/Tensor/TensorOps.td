//===- TensorOps.td - The tensor family --------------------------*- tablegen -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Whole arrays in DDR. Everything but `create`, `slice` and `read`, which the control
// plane has, stands in in-core code, where
// pto-convert-tensor-to-tile-ops turns it into loads, tile operations and
// stores. An operation has the name, sources and attributes of its tile
// counterpart; `pto.tensor.add` becomes `pto.tile.add`.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TENSOR_OPS_TD
#define PTO_TENSOR_OPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "Pto/PtoTypes.td"

class Pto_TensorOp<string mnemonic, list<Trait> traits = []>
    : Pto_Op<"tensor." # mnemonic, !listconcat([TensorLevel], traits)> {
  let cppNamespace = "::mlir::pto";
}

// The rules of the classes below.
def Broadcasting : NativeOpTrait<"Broadcasting"> { let cppNamespace = "::mlir::pto"; }
def SameTensors : NativeOpTrait<"SameTensors"> { let cppNamespace = "::mlir::pto"; }
def TensorRowReduce : NativeOpTrait<"TensorRowReduce"> { let cppNamespace = "::mlir::pto"; }
def TensorRowExpand : NativeOpTrait<"TensorRowExpand"> { let cppNamespace = "::mlir::pto"; }
def TensorColReduce : NativeOpTrait<"TensorColReduce"> { let cppNamespace = "::mlir::pto"; }
def TensorColExpand : NativeOpTrait<"TensorColExpand"> { let cppNamespace = "::mlir::pto"; }

// Sources (tensors or scalars) and one result; the same assembly for all.
class Pto_TensorComputeOp<string mnemonic, list<Trait> traits = []>
    : Pto_TensorOp<mnemonic, !listconcat([Pure], traits)> {
  let results = (outs AnyRankedTensor:$result);
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = [{
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser,
                                         ::mlir::OperationState &result) {
      return ::mlir::pto::parseValueCompute(parser, result);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) {
      ::mlir::pto::printValueCompute(*this, printer);
    }
  }];
}

include "Tensor/TensorElementwise.td"
include "Tensor/TensorRows.td"
include "Tensor/TensorMatmul.td"
include "Tensor/TensorData.td"

#endif // PTO_TENSOR_OPS_TD
