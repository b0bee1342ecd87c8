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
include "Block/KeyOps.td"
include "Block/QueueOps.td"
include "Block/SyncOps.td"
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
def BlockGetSubblockNumOp : Pto_BlockIdOp<"get_subblock_num",
    "how many AIVs of its cluster run this: 2 in a mixed kernel, else 1">;
def BlockGetSubblockIdxOp : Pto_BlockIdOp<"get_subblock_idx", "which AIV of its cluster this is">;

//===----------------------------------------------------------------------===//
// Seen from outside
//===----------------------------------------------------------------------===//

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

def BlockDumpOp : Pto_BlockSyncOp<"dump"> {
  let summary = "print the elements of a buffer or an array";
  let description = [{
    ```mlir
    pto.block.dump %b "scores" : !pto.buf<64x128xf32, vec, nd>
    ```
  }];
  let arguments = (ins AnyTypeOf<[Pto_Buf, Pto_Gm]>:$source, StrAttr:$label);
  let assemblyFormat = "$source $label attr-dict `:` qualified(type($source))";
}

def BlockTrapOp : Pto_BlockSyncOp<"trap"> {
  let summary = "stop the kernel with an error";
  let description = [{
    ```mlir
    pto.block.trap
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif // PTO_BLOCK_OPS_TD
