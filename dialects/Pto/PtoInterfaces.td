//===- PtoInterfaces.td - What passes ask of an operation --------*- tablegen -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_INTERFACES_TD
#define PTO_INTERFACES_TD

include "mlir/IR/OpBase.td"

// Every operation that a pipe executes: it reads and writes tiles or arrays.
def Pto_InstructionInterface : OpInterface<"InstructionInterface"> {
  let cppNamespace = "::mlir::pto";
  let description = [{
    An operation that one pipe of a core executes, in either of its two forms:
    with a tile result (value form) or with a destination buffer (buffer form).
  }];
  let methods = [
    InterfaceMethod<"The tiles, buffers and arrays that it reads.",
      "::llvm::SmallVector<::mlir::OpOperand *>", "getReadOperands">,
    InterfaceMethod<"The buffers and arrays that it writes (none in value form, but for a store).",
      "::llvm::SmallVector<::mlir::OpOperand *>", "getWrittenOperands">,
    InterfaceMethod<"The pipe that executes it; nothing while a memory space is still open.",
      "::std::optional<::mlir::pto::Pipe>", "getPipe">,
    InterfaceMethod<"Whether it is in buffer form.", "bool", "isBufferForm", (ins), [{}], [{
      for (::mlir::OpOperand &operand : $_op->getOpOperands())
        if (::llvm::isa<::mlir::pto::BufType>(operand.get().getType()))
          return true;
      return false;
    }]>,
  ];
}

// Operations in destination-passing style: `outs` holds the destination.
def Pto_TileComputeInterface : OpInterface<"TileComputeInterface", [Pto_InstructionInterface]> {
  let cppNamespace = "::mlir::pto";
  let description = [{
    An operation whose operands are sources (tiles or scalars), then, in buffer
    form, one destination `dst`; in value form it has one tile result instead.
  }];
  let methods = [
    InterfaceMethod<"The sources.", "::mlir::OperandRange", "getSources", (ins), [{}], [{
      return $_op->getOperands().drop_back($_op.getDst() ? 1 : 0);
    }]>,
    InterfaceMethod<"The destination; null in value form.", "::mlir::Value", "getDestination",
      (ins), [{}], [{ return $_op.getDst(); }]>,
    InterfaceMethod<"The type of what it makes: its result's or its destination's.",
      "::mlir::Type", "getResultOrDstType", (ins), [{}], [{
      return $_op.getDst() ? $_op.getDst().getType() : $_op->getResult(0).getType();
    }]>,
    InterfaceMethod<"The space that source `index` must be in; nothing for a scalar or an open choice.",
      "::std::optional<::mlir::pto::MemorySpace>", "getSourceSpace", (ins "unsigned":$index)>,
    InterfaceMethod<"The space that the result is made in; nothing for an open choice.",
      "::std::optional<::mlir::pto::MemorySpace>", "getResultSpace">,
    InterfaceMethod<[{The extent that it reads of source `index` in `dim`, or makes, where `index`
      is the number of sources. Value form, buffers and the model read it.}],
      "::mlir::pto::ExtentRule", "getExtentRule", (ins "unsigned":$index, "unsigned":$dim)>,
  ];
}

#endif // PTO_INTERFACES_TD
