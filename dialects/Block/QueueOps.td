//===- QueueOps.td - Rings between the cores of a cluster --------*- tablegen -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// A queue hands tiles from the AIC to its AIVs, or from the AIVs to their AIC,
// through a ring of slots. On 910B the ring lies in DDR, and an operation is a store
// or a load with cross-core flags of mode 2. Only the author writes these.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_QUEUE_OPS_TD
#define PTO_QUEUE_OPS_TD

include "Block/BlockBase.td"

def BlockQueuePushOp : Pto_BlockSyncOp<"queue_push"> {
  let summary = "put a tile into the next slot of a ring";
  let description = [{
    Waits until the slot is free, stores the tile there, and tells the other side. The
    array is the ring: as many slots as tiles of the AIC fit into it. An AIV pushes
    half of a tile, AIV 0 the upper one; the AIC gets it when both have.

    ```mlir
    pto.block.queue_push %acc into %ring, 0 : !pto.buf<64x128xf32, acc, nz> into !pto.gm<256x128xf32>
    ```
  }];
  let arguments = (ins Pto_Buf:$source, Pto_Gm:$ring, Pto_NumberAttr:$id);
  let assemblyFormat = [{
    $source `into` $ring `,` $id attr-dict `:` qualified(type($source)) `into` qualified(type($ring))
  }];
  let hasVerifier = 1;
}

def BlockQueuePopOp : Pto_BlockSyncOp<"queue_pop"> {
  let summary = "load the oldest tile of a ring that was not popped yet";
  let description = [{
    Waits until the other side has pushed it. The slot stays taken until
    `pto.block.queue_free`. Each AIV pops half of a tile, AIV 0 the upper one.

    ```mlir
    pto.block.queue_pop %ring to %t, 0 : !pto.gm<256x128xf32> to !pto.buf<32x128xf32, vec, nd>
    ```
  }];
  let arguments = (ins Pto_Gm:$ring, Pto_Buf:$dst, Pto_NumberAttr:$id);
  let assemblyFormat = [{
    $ring `to` $dst `,` $id attr-dict `:` qualified(type($ring)) `to` qualified(type($dst))
  }];
  let hasVerifier = 1;
}

def BlockQueueFreeOp : Pto_BlockSyncOp<"queue_free"> {
  let summary = "give back the oldest slot that was popped";
  let description = [{
    When the load of the tile is done, the other side may push into its slot again;
    from the AIVs, when both have freed it.

    ```mlir
    pto.block.queue_free 0
    ```
  }];
  let arguments = (ins Pto_NumberAttr:$id);
  let assemblyFormat = "$id attr-dict";
  let hasVerifier = 1;
}

#endif // PTO_QUEUE_OPS_TD
