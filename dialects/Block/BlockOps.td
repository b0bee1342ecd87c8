//===- BlockOps.td - The block family ----------------------------*- tablegen -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// Cores and their cooperation: block numbers, flags. Tasks are in TaskOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_BLOCK_OPS_TD
#define PTO_BLOCK_OPS_TD

include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "Block/QueueOps.td"
include "Block/TaskOps.td"

//===----------------------------------------------------------------------===//
// Mixed kernels
//===----------------------------------------------------------------------===//

def BlockSectionOp : Pto_BlockOp<"section", [SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "the part of a mixed kernel that one kind of core runs";
  let description = [{
    In a function of kind `group`: the AIC runs the `aic` sections, each of its
    AIVs the `aiv` sections, concurrently.

    ```mlir
    pto.block.section aic {
      pto.block.cross_core_set fix, 0 {mode = 2 : i64}
    }
    ```
  }];
  let arguments = (ins Pto_CoreKindAttr:$core);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "custom<BareCore>($core) attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Identity
//===----------------------------------------------------------------------===//

class Pto_BlockIdOp<string mnemonic, string words> : Pto_BlockOp<mnemonic, [Pure]> {
  let summary = words;
  let arguments = (ins);
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}
def BlockGetBlockIdxOp : Pto_BlockIdOp<"get_block_idx", "the number of this block">;
def BlockGetBlockNumOp : Pto_BlockIdOp<"get_block_num", "how many blocks were launched">;
def BlockGetSubblockIdxOp : Pto_BlockIdOp<"get_subblock_idx", "which AIV of its cluster this is">;

//===----------------------------------------------------------------------===//
// Order between pipes and cores
//===----------------------------------------------------------------------===//

class Pto_BlockFlagOp<string mnemonic> : Pto_BlockSyncOp<mnemonic> {
  let arguments = (ins Pto_PipeAttr:$src, Pto_PipeAttr:$dst, OptionalAttr<Pto_NumberAttr>:$id,
    Optional<Index>:$dynamic_id);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser,
                                         ::mlir::OperationState &result) {
      return parseFlag(parser, result);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) {
      printFlag(*this, printer);
    }
  }];
}

def BlockSetFlagOp : Pto_BlockFlagOp<"set_flag"> {
  let summary = "signal that what `src` was given before this is done";
  let description = [{
    Pipe `src` sets the flag when all its earlier instructions are done. A flag is
    set and waited for in turn: a second set before the wait is an error.

    ```mlir
    pto.block.set_flag mte2 -> v, 0
    pto.block.set_flag v -> mte2, %slot
    ```
  }];
}

def BlockWaitFlagOp : Pto_BlockFlagOp<"wait_flag"> {
  let summary = "hold pipe `dst` until the flag is set";
  let description = [{
    What `dst` is given after this starts when the flag is set; the flag is then
    clear again.

    ```mlir
    pto.block.wait_flag mte2 -> v, 0
    ```
  }];
}

def BlockBarrierOp : Pto_BlockSyncOp<"barrier"> {
  let summary = "hold a pipe until its earlier instructions are done";
  let description = [{
    ```mlir
    pto.block.barrier v
    pto.block.barrier all
    ```
  }];
  let arguments = (ins Pto_PipeAttr:$pipe);
  let assemblyFormat = "custom<BarePipe>($pipe) attr-dict";
}

def BlockCrossCoreSetOp : Pto_BlockSyncOp<"cross_core_set"> {
  let summary = "signal another core";
  let description = [{
    When all earlier instructions of `pipe` are done, the counter `id` of the other
    cores goes up by one. Mode 0: all cores of this kind; 1: the two AIVs of a
    cluster; 2: the AIC and its AIVs.

    ```mlir
    pto.block.cross_core_set fix, 3 {mode = 2 : i64}
    ```
  }];
  let arguments = (ins Pto_PipeAttr:$pipe, Pto_NumberAttr:$id, Pto_NumberAttr:$mode);
  let assemblyFormat = "custom<BarePipe>($pipe) `,` $id attr-dict";
  let hasVerifier = 1;
}

def BlockCrossCoreWaitOp : Pto_BlockSyncOp<"cross_core_wait"> {
  let summary = "wait for another core";
  let description = [{
    Everything that this core is given after this starts when counter `id` is not
    zero; it goes down by one.

    ```mlir
    pto.block.cross_core_wait 3 {mode = 2 : i64}
    ```
  }];
  let arguments = (ins Pto_NumberAttr:$id, Pto_NumberAttr:$mode);
  let assemblyFormat = "$id attr-dict";
  let hasVerifier = 1;
}

def BlockPrintOp : Pto_BlockSyncOp<"print"> {
  let summary = "print scalars from a core";
  let description = [{
    `format` is that of C's printf with `%d`, `%i`, `%u`, `%x`, `%f` and `%%`.

    ```mlir
    pto.block.print "row %d\0A"(%i) : index
    ```
  }];
  let arguments = (ins StrAttr:$format, Variadic<Pto_Scalar>:$args);
  let assemblyFormat = "$format (`(` $args^ `)` `:` type($args))? attr-dict";
  let hasVerifier = 1;
}

#endif // PTO_BLOCK_OPS_TD
