//===- Passes.td - Every pass, in the order of the pipeline ------*- tablegen -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// One pass, one `.cpp` named as its flag, one test and one `-errors` test.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_PASSES_TD
#define PTO_PASSES_TD

include "mlir/Pass/PassBase.td"

class Pto_Pass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  let dependentDialects = [
    "::mlir::pto::PtoDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::scf::SCFDialect",
  ];
}

def SetTargetPass : Pto_Pass<"pto-set-target"> {
  let summary = "say which chip the module is for";
  let description = [{
    Sets `pto.target` of the module to a chip, which may be asked for by an alias
    (`a5`). Without the option a module keeps the chip that it names, and one that
    names none is for the 910B. A module that names another chip than the option is
    an error.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"\"", "the chip: 910B or 950">,
  ];
}

def InlinePass : Pto_Pass<"pto-inline"> {
  let summary = "splice inline functions into their callers";
  let description = [{
    Functions of kind `inline` are called by `func.call`; afterwards none is left.
    The inliner is upstream's, without the simplification that it runs by default.
    An inline function that calls itself is an error.
  }];
}

def SpecializeTilingKeyPass : Pto_Pass<"pto-specialize-tiling-key"> {
  let summary = "one clone of a kernel for each requested tiling key";
  let description = [{
    `keys=HasAtten=1,BlockM=128;HasAtten=0,BlockM=64` asks for two clones of each kernel
    that reads the module's tiling key (`pto.schema`). A key names every field once, each
    with one of its candidates. The clone `@kernel_0x<packed key>` is made of the template
    (`pto.template_of`) whose `pto.fixed` agrees with the key, its entry likewise of the
    entry that dispatches this template; both say their `pto.key` and `pto.packed_key`.

    Reads of the key become constants. What follows from constants is computed, branches
    on constants become the arm that is taken, and scalars that nothing uses go; all else
    stays as the author wrote it. The keyed kernels, their entries and the schema are
    removed. Without `keys` nothing happens.
  }];
  let options = [
    Option<"keys", "keys", "std::string", /*default=*/"\"\"",
           "the keys, separated by ';', each <field>=<value>,...">,
  ];
}

def OutlineScopesPass : Pto_Pass<"pto-outline-scopes"> {
  let summary = "make functions of placed regions";
  let description = [{
    Each `pto.block.at core_group` becomes a function of kind `in_core`, named
    `<function>_incore_<n>` or by its `name_hint`, and a dispatch of it. Values from
    outside become parameters in the order of their first use; constants go inside.
    An array that the region writes is Out, or InOut if it reads what was there
    before it wrote the whole. A value that no array holds becomes an Out parameter
    that the caller creates. Blocks, order, condition and marks of the region become
    those of the dispatch. Computing on the control plane is an error. What is placed
    on another level stays as it is, with all that is in it.
  }];
}

def ConvertTensorToTileOpsPass : Pto_Pass<"pto-convert-tensor-to-tile-ops"> {
  let summary = "arrays in in-core code become tiles";
  let description = [{
    In functions of kind `in_core`: each tensor operation becomes the tile operation
    of its name, between loads of what it reads (one for each state of an array and
    block) and a store of what is assembled into an Out array. Parameters become
    `!pto.gm` references and the results go, so that a function that the author wrote
    at tensor level and one at tile level have one form. Rows of any length are padded
    to 32 bytes (of the smallest element type in the function), matrix dimensions to
    the fractal, with valid extents. `[M, N]` with `[M, 1]` becomes `row_expand_*`. A
    product in FP16 or BF16 is narrowed by its store. Loops and branches carry
    temporaries as tiles, and arrays not at all. Using an array as it was before a
    write is an error.
  }];
}

def LegalizePass : Pto_Pass<"pto-legalize"> {
  let summary = "what the chip lacks becomes what it has";
  let description = [{
    Conversions become chains of the chip's own: a step that loses nothing has
    rounding `none`, every other one the author's. Operations on BF16 go through FP32
    and back with `rint`; `neg`, integer `abs`, and scalars that no instruction takes
    become others with the same bits. What has no such chain is an error that names
    the chip.

    A reduction of BF16 means one of FP32, rounded once: it keeps its bits.
  }];
}

def InferTileMemorySpacePass : Pto_Pass<"pto-infer-tile-memory-space"> {
  let summary = "every tile gets a memory space";
  let description = [{
    Backward from what each operation demands, then forward. Where a tile is in
    another space than its consumer wants, moves along the chip's paths are
    inserted, with their reason; one for each tile, space and block. A load without a
    space is Vec unless its consumers want it in Mat, and is cloned where both kinds
    do. What a loop carries or a branch selects is where its first value is made.
  }];
}

def AssignLayoutPass : Pto_Pass<"pto-assign-layout"> {
  let summary = "every tile gets the layout of its space";
  let description = [{
    From the target description. A fractal space takes tiles that are multiples of
    its fractal; rows in Vec are multiples of 32 bytes.
  }];
}

def SplitMixedPass : Pto_Pass<"pto-split-mixed"> {
  let summary = "in-core functions go to the cube or the vector core";
  let description = [{
    A function whose tiles all belong to one kind of core becomes `aic` or `aiv`. A
    mixed one is an error for now; its parts and queues come later.
  }];
}

def MaterializeValidExtentsPass : Pto_Pass<"pto-materialize-valid-extents"> {
  let summary = "extents of carried and selected tiles are explicit";
  let description = [{
    A loop that carries a tile with a partial extent, or a branch that selects one:
    where all that flows in has one extent, static or the same value,
    `pto.tile.set_validshape` states it at the beginning of the body and behind the
    loop or branch; where extents differ, they are carried as index values beside the
    tile, each dimension by itself. Afterwards the extent of every tile is found by
    walking up its definitions. `arith.select` of tiles becomes `scf.if`; tiles in
    other control flow than `scf.for` and `scf.if` are an error.
  }];
}

def MaterializeCopiesPass : Pto_Pass<"pto-materialize-copies"> {
  let summary = "one buffer for each carried tile: out of SSA";
  let description = [{
    A loop carries values; a buffer is one place. Where init, carried value, yield
    and result of a loop, or the arms of a branch, cannot share a buffer because one
    of them is made while another is still needed, a copy (`pto.tile.move`, Vec to
    Vec) is inserted right before the hand-over, with its reason and the location of
    the loop; hand-overs in the innermost loops are kept free of copies first. A swap
    takes one more. In a space without a copy path a load from an unchanged array or a
    move is made again, or it is an error that names both uses. A `matmul_acc` writes
    its accumulator in place: one that is needed afterwards is an error.
  }];
}

def BufferizeTilesPass : Pto_Pass<"pto-bufferize-tiles"> {
  let summary = "tiles become windows of allocations";
  let description = [{
    Each class of values that hand over to each other becomes one `pto.tile.alloc`
    (still without address, at the beginning of the function or section, named after
    the carried variable or else its first value) and every operation takes the
    buffer form. Partial extents become `pto.tile.subview`; moves of fractals take all
    of the tile. A vector [M, 1] in Vec gets room for a multiple of eight values, as
    `pto.tile.brcb` needs. Loops and branches carry no tile any more.
  }];
}

def ExpandInstructionsPass : Pto_Pass<"pto-expand-instructions"> {
  let summary = "each operation becomes one instruction";
  let description = [{
    Afterwards every operation in buffer form is exactly one AscendC call: repeats
    and rows within the chip's limits, windows no wider than a repeat where they are
    not contiguous, moves to Left and Right row of fractals by row, reductions folded
    and then reduced, vectors spread with `pto.tile.brcb`, scratch as allocations.
  }];
}

def PlanMemoryPass : Pto_Pass<"pto-plan-memory"> {
  let summary = "every allocation gets its addresses";
  let description = [{
    By liveness: allocations that are never live at once may share bytes, and so may
    source and destination of an element-wise instruction that reads the one last. In
    a loop an allocation lives for the whole loop if an iteration may read what was
    not written in it. An allocation that has addresses already keeps them. First fit
    in several orders, until the peak is the most that lives at once. What does not
    fit is an error at the allocation that comes last, with a map of the space and its
    owners. Beyond the chip's number of buffers, those of one type at one address
    become one.
  }];
}

def InsertSyncPass : Pto_Pass<"pto-insert-sync"> {
  let summary = "flags and barriers order the pipes";
  let description = [{
    In functions of kind `aic` and `aiv` in buffer form with addresses. Between two
    accesses to overlapping bytes (of a space, or of one array in DDR) on different
    pipes, one of them a write, a flag; on one pipe, a barrier. Only where no other
    flag or barrier orders the two already.

    Loops: what one iteration hands to the next gets a flag back, waited for before
    its use and set behind its source; it is primed before the outermost loop around
    it and drained behind that. Both ways of a branch set and wait alike: flags
    stand around it. A flag that is set again has its wait ordered before that.

    Event ids are those of the chip, reused where a set surely comes behind the wait
    before it. When they do not suffice, two flags become one, a flag back makes
    waits sure, or `barrier all` replaces a flag, each with its reason.

    Every inserted operation carries `pto.reason`, which two operations it orders,
    and the location of the one that waits. Two array arguments are taken as
    different memory: callers refuse overlapping ones. Windows are compared by
    offsets that are sums of loop counters and invariants; others may be anywhere.

    Flags between cores stay where the author set them. The kernel ends with
    `barrier all`, and its `pto.sync` becomes `auto`; functions marked `auto` or
    `manual` are left alone. Of a function of kind `group` each section is ordered by
    itself.

    Where `pto.sync` is `author`, flags are the author's, and become `manual`. Barriers
    between dependent instructions of V, and of M, are written here, in `scf.while` too.
    On a chip with mutexes an instruction locks the `mutex_ids` of the tiles that it
    touches; instructions of one pipe that follow each other share the locks of the same
    ids. The id of a slot that is chosen at run time is computed from the slot. Ids that V
    alone uses, accumulators under a `phase` and tiles of the other core have no locks. On
    a chip without mutexes a function with `mutex_ids` is ordered as one of `none`.
  }];
}

def MergeClustersPass : Pto_Pass<"pto-merge-clusters"> {
  let summary = "two kernels of a cluster become one mixed kernel";
  let description = [{
    Each `pto.block.cluster` becomes a function of kind `group`, named
    `<function>_cluster_<n>` or by its `name_hint`, and one dispatch of it. The
    function has the finished kernels as its `aic` and `aiv` sections. An array that
    both take is one parameter, whose direction is that of both together: In and Out
    is InOut. Blocks, order, condition and marks of the cluster become those of the
    dispatch; an array takes no part in the derived order if the cluster leaves it
    out, or both kernels do. Kernels that nothing else runs are removed.

    Two kernels for one kind of core, none, or a mixed one are errors. Kernels of a
    cluster have a little less memory each: `pto-plan-memory` knows that.
  }];
}

def DeriveTaskDepsPass : Pto_Pass<"pto-derive-task-deps"> {
  let summary = "tasks wait for the tasks they depend on";
  let description = [{
    In entries (kind `orchestration`) each dispatch gets a token, and the tokens of
    the earlier ones that write what it reads or writes, or read what it writes. What
    counts is the window of an array that each of them is given, with the direction of
    the callee: disjoint rows or columns of one array have no edge. A condition reads
    its element. `manual` tasks and `no_dep` arguments take no part. The author's own
    tokens stay; an edge that follows from others is left out. `pto.edges` says for
    each of `after` which array asks for it, empty for the author's own. The entry's
    `pto.deps` becomes `explicit`.

    Where a task that takes part stands in a loop or branch, or is given a window
    that is known at run time only, nothing is changed and `pto.deps` becomes
    `run_time`: whoever runs the entry applies the same rule then. An entry that
    places something on another level stays `program_order`.
  }];
}

def VerifyLevelPass : Pto_Pass<"pto-verify-level"> {
  let summary = "what is allowed at this stage, and on the chip";
  let description = [{
    Runs behind every pass. `after` names that pass; what it and those before it
    should have removed must be gone, and what is there must be possible on the chip.
    Without `after`, only what holds always (when the module names its chip): flags
    that the chip has, event ids, pipes and spaces of the core, addresses aligned and
    within the space, paths of moves. Reports everything that it finds.
  }];
  let options = [
    Option<"after", "after", "std::string", /*default=*/"\"\"", "the flag of the pass that ran last">,
  ];
}

#endif // PTO_PASSES_TD
