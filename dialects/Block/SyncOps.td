//===- SyncOps.td - Order between pipes and cores ----------------*- tablegen -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_SYNC_OPS_TD
#define PTO_SYNC_OPS_TD

include "Block/BlockBase.td"

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

//===----------------------------------------------------------------------===//
// Mutexes: order between the pipes of a core, by the buffer
//===----------------------------------------------------------------------===//

class Pto_BlockMutexOp<string mnemonic> : Pto_BlockSyncOp<mnemonic> {
  let arguments = (ins Pto_PipeAttr:$pipe, OptionalAttr<Pto_NumberAttr>:$id,
    Optional<Index>:$dynamic_id);
  let assemblyFormat = "custom<BarePipe>($pipe) `,` custom<Id>($id, $dynamic_id) attr-dict";
  let hasVerifier = 1;
}

def BlockMutexLockOp : Pto_BlockMutexOp<"mutex_lock"> {
  let summary = "hold a pipe until the mutex is free, and take it";
  let description = [{
    What `pipe` is given from here on starts when every earlier holder (in program
    order) of mutex `id` has released it. A pipe holds a mutex once at a time. Only
    the Ascend 950 has mutexes.

    ```mlir
    pto.block.mutex_lock v, 3
    pto.block.mutex_lock mte2, %id
    ```
  }];
}

def BlockMutexUnlockOp : Pto_BlockMutexOp<"mutex_unlock"> {
  let summary = "release a mutex when a pipe's earlier instructions are done";
  let description = [{
    ```mlir
    pto.block.mutex_unlock v, 3
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Order between cores
//===----------------------------------------------------------------------===//

def BlockCrossCoreSetOp : Pto_BlockSyncOp<"cross_core_set"> {
  let summary = "signal another core";
  let description = [{
    When all earlier instructions of `pipe` are done, the counter `id` of the other
    cores goes up by one. Mode 0: all cores of this kind; 1: the two AIVs of a
    cluster; 2: the AIC and its AIVs.

    ```mlir
    pto.block.cross_core_set fix, 3 {mode = 2 : i64}
    pto.block.cross_core_set mte3, %id {mode = 2 : i64}
    ```
  }];
  let arguments = (ins Pto_PipeAttr:$pipe, OptionalAttr<Pto_NumberAttr>:$id,
    Optional<Index>:$dynamic_id, Pto_NumberAttr:$mode);
  let assemblyFormat = "custom<BarePipe>($pipe) `,` custom<Id>($id, $dynamic_id) attr-dict";
  let hasVerifier = 1;
}

def BlockCrossCoreWaitOp : Pto_BlockSyncOp<"cross_core_wait"> {
  let summary = "wait for another core";
  let description = [{
    What this core is given after this starts when counter `id` is not zero; it goes
    down by one. On chips whose waits hold one pipe (the Ascend 950), that is what
    `pipe` is given; without `pipe`, and on the others, what any pipe is.

    ```mlir
    pto.block.cross_core_wait 3 {mode = 2 : i64}
    pto.block.cross_core_wait %id {mode = 2 : i64, pipe = #pto.pipe<v>}
    ```
  }];
  let arguments = (ins OptionalAttr<Pto_NumberAttr>:$id, Optional<Index>:$dynamic_id,
    Pto_NumberAttr:$mode, OptionalAttr<Pto_PipeAttr>:$pipe);
  let assemblyFormat = "custom<Id>($id, $dynamic_id) attr-dict";
  let hasVerifier = 1;
}

def BlockSyncAllOp : Pto_BlockSyncOp<"sync_all"> {
  let summary = "hold every core until all have come here";
  let description = [{
    All cores of the launch of kind `cores`; without it, of both kinds. What a core
    did before is seen by all after it.

    ```mlir
    pto.block.sync_all
    pto.block.sync_all {cores = #pto.core<aiv>}
    ```
  }];
  let arguments = (ins OptionalAttr<Pto_CoreKindAttr>:$cores);
  let assemblyFormat = "attr-dict";
}

def BlockDcciOp : Pto_BlockSyncOp<"dcci"> {
  let summary = "clean and invalidate the scalar unit's data cache";
  let description = [{
    Writes out the cache line of the element (with `entire`, all lines) and forgets
    it: what `pto.tile.set_value` wrote is in DDR, and what others wrote there is read.

    ```mlir
    pto.block.dcci %flags[%i] : !pto.gm<?xi32>
    pto.block.dcci %flags[0] {entire} : !pto.gm<?xi32>
    ```
  }];
  let arguments = (ins Pto_Gm:$source, Variadic<Index>:$offsets, DenseI64ArrayAttr:$static_offsets,
    UnitAttr:$entire);
  let assemblyFormat = [{
    $source custom<DynamicIndexList>($offsets, $static_offsets) attr-dict
    `:` qualified(type($source))
  }];
  let hasVerifier = 1;
}

#endif // PTO_SYNC_OPS_TD
