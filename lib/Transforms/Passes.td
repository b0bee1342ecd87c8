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
    Sets `pto.target` of the module. A module that names another chip is an error.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"910B\"", "the chip">,
  ];
}

def InlinePass : Pto_Pass<"pto-inline"> {
  let summary = "splice inline functions into their callers";
  let description = [{
    Functions of kind `inline` are called by `func.call`; afterwards none is left.
    The inliner is upstream's; an inline function that calls itself is an error.
  }];
}

def OutlineScopesPass : Pto_Pass<"pto-outline-scopes"> {
  let summary = "make functions of placed regions";
  let description = [{
    Each `pto.block.at core_group` becomes a function of kind `in_core` and a
    dispatch of it. Values from outside become parameters; an array that the region
    writes is Out, or InOut if it is read too. An array that the region makes and
    that is used after it becomes an Out parameter that the caller creates.
  }];
}

def ConvertTensorToTileOpsPass : Pto_Pass<"pto-convert-tensor-to-tile-ops"> {
  let summary = "arrays in in-core code become tiles";
  let description = [{
    In functions of kind `in_core`: each tensor operation becomes a tile operation
    between loads of what it reads and a store of what is assembled into an Out
    array. Parameters become `!pto.gm` references and the results go, so that a
    function that the author wrote at tensor level and one at tile level have one
    form. Rows of any length are padded to 32 bytes, matrix dimensions to the
    fractal, with valid extents.
  }];
}

def LegalizePass : Pto_Pass<"pto-legalize"> {
  let summary = "what the chip lacks becomes what it has";
  let description = [{
    Conversions become chains of the chip's own; operations on BF16 go through
    FP32; `neg`, integer `abs`, and scalars that no instruction takes become others
    with the same answer. What has no such chain is an error that names the chip.
  }];
}

def InferTileMemorySpacePass : Pto_Pass<"pto-infer-tile-memory-space"> {
  let summary = "every tile gets a memory space";
  let description = [{
    Backward from what each operation demands, then forward. Where a tile is in
    another space than its consumer wants, moves along the chip's paths are
    inserted, with their reason. A load without a space is Vec unless its consumers
    want it in Mat, and is cloned where both kinds do.
  }];
}

def AssignLayoutPass : Pto_Pass<"pto-assign-layout"> {
  let summary = "every tile gets the layout of its space";
  let description = [{
    From the target description. A fractal space takes tiles that are multiples of
    its fractal.
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
    Between two accesses to overlapping bytes on different pipes, one of them a
    write, a flag; on one pipe, a barrier where the pipe does not order them itself.
    Aware of loops: what one iteration hands to the next gets a backward flag, primed
    before the loop and drained after it. Functions marked `manual` are left alone.
  }];
}

def DeriveTaskDepsPass : Pto_Pass<"pto-derive-task-deps"> {
  let summary = "tasks wait for the tasks they depend on";
  let description = [{
    Each dispatch gets a token and the tokens of those earlier dispatches whose
    arrays overlap with its own, one of them writing.
  }];
}

def VerifyLevelPass : Pto_Pass<"pto-verify-level"> {
  let summary = "what is allowed at this stage, and on the chip";
  let description = [{
    Runs after every pass. `after` names that pass; what it should have removed must
    be gone, and what is there must be possible on the chip: capacities, alignments,
    paths, element types, event ids, limits of an instruction.
  }];
  let options = [
    Option<"after", "after", "std::string", /*default=*/"\"\"", "the flag of the pass that ran last">,
  ];
}

#endif // PTO_PASSES_TD
