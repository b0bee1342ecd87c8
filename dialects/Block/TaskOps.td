//===- TaskOps.td - Placement and tasks --------------------------*- tablegen -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//
//
// The control plane: what runs where, and after what. Where an operation stands in
// the text says nothing about order; tokens of type !pto.task do, and what tasks do
// with the regions of arrays that they are given.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_TASK_OPS_TD
#define PTO_TASK_OPS_TD

include "Block/BlockBase.td"

//===----------------------------------------------------------------------===//
// Placement
//===----------------------------------------------------------------------===//

// What may stand at everything that becomes a task:
//   blocks(%n)                how many blocks run it, each with its own number
//   after(%t0, %t1)           tasks that are done before it begins
//   when(%flags[%i] gt 5)     it does nothing unless the element says so, which is
//                             read when the tasks before it are done
defvar Pto_TaskArguments = (ins Optional<Index>:$blocks, Variadic<Pto_Task>:$deps,
  Optional<AnyRankedTensor>:$condition, Variadic<Index>:$condition_indices,
  OptionalAttr<Pto_CompareAttr>:$compare, OptionalAttr<Pto_NumberAttr>:$compare_to);
defvar Pto_TaskAttributes = (ins UnitAttr:$sync_start, UnitAttr:$manual, UnitAttr:$early_resolve);

class Pto_TaskRegionOp<string mnemonic, dag extra>
    : Pto_BlockOp<mnemonic, [SingleBlock, RecursiveMemoryEffects, AttrSizedOperandSegments,
                             AttrSizedResultSegments]> {
  let arguments = !con(extra, Pto_TaskArguments, Pto_TaskAttributes,
                       (ins Variadic<AnyRankedTensor>:$no_dep, OptionalAttr<StrAttr>:$name_hint));
  let results = (outs Variadic<AnyRankedTensor>:$results, Optional<Pto_Task>:$task);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
}

def BlockAtOp : Pto_TaskRegionOp<"at", (ins Pto_LevelAttr:$level, OptionalAttr<Pto_RoleAttr>:$role)> {
  let summary = "code placed on a level of the machine";
  let description = [{
    The region is one task. It uses values from outside and yields the arrays that
    it wrote; each result names the array after the task. `pto-outline-scopes` makes
    an in-core function and a dispatch of it. With `blocks(%n)` every block runs the
    region (`pl.spmd`). `no_dep` arrays take no part in the order that is derived,
    `manual` does so for the whole task: it waits for `after` only.

    Levels other than core_group are carried and printed; nothing here runs them.

    ```mlir
    %r = pto.block.at core_group -> (tensor<128x128xf32>) {
      %s = pto.tensor.add %a, %b : tensor<128x128xf32>
      %o = pto.tensor.assemble %s into %out[0, 0] : tensor<128x128xf32> into tensor<128x128xf32>
      pto.block.yield %o : tensor<128x128xf32>
    }
    %q, %t = pto.block.at core_group blocks(%n) after(%t0) -> (tensor<128x128xf32>), !pto.task {
      ...
    }
    ```
  }];
  let assemblyFormat = [{
    custom<BareLevel>($level) (`role` custom<BareRole>($role)^)?
    `` custom<TaskWords>($blocks, $deps, $condition, type($condition), $condition_indices, $compare,
                      $compare_to)
    (`no_dep` `(` $no_dep^ `:` type($no_dep) `)`)?
    `` custom<TaskResults>(type($results), type($task))
    attr-dict-with-keyword $body
  }];
}

def BlockClusterOp : Pto_TaskRegionOp<"cluster", (ins)> {
  let summary = "kernels of both kinds of core, run by one cluster at the same time";
  let description = [{
    The region holds dispatches of in-core functions, at most one for the cube core
    and at most one for the vector cores, and yields the arrays that they wrote. The
    AIC runs the one, each of its AIVs the other, concurrently; only cross-core flags
    order them. It is one task.

    ```mlir
    %r:2 = pto.block.cluster -> (tensor<64x64xf32>, tensor<64x64xf32>) {
      %w = pto.block.dispatch @product(%a, %b, %work) : (...) -> tensor<64x64xf32>
      %o = pto.block.dispatch @scale(%w, %out) : (...) -> tensor<64x64xf32>
      pto.block.yield %w, %o : tensor<64x64xf32>, tensor<64x64xf32>
    }
    ```
  }];
  let assemblyFormat = [{
    `` custom<TaskWords>($blocks, $deps, $condition, type($condition), $condition_indices, $compare,
                      $compare_to)
    (`no_dep` `(` $no_dep^ `:` type($no_dep) `)`)?
    `` custom<TaskResults>(type($results), type($task))
    attr-dict-with-keyword $body
  }];
}

def BlockYieldOp : Pto_BlockOp<"yield", [Pure, Terminator, ReturnLike,
                                         ParentOneOf<["BlockAtOp", "BlockClusterOp"]>]> {
  let summary = "the arrays that a placed region wrote";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

def BlockDispatchOp : Pto_BlockOp<"dispatch", [
    AttrSizedOperandSegments, AttrSizedResultSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "run an in-core function as a task";
  let description = [{
    Submits one task that runs `callee`, on `blocks` blocks if that is said. There is
    one result for each Out or InOut array of the callee, in parameter order; it names
    that array after the task. Only this operation calls kernels.

    A task waits for the tasks of its `after`. Where the entry is marked
    `#pto.deps<explicit>` that is all; where it is marked `#pto.deps<run_time>` it also
    waits for each earlier task that writes what it reads or writes, or reads what it
    writes, by the regions that both were given. `no_dep` names arguments that take no
    part in that, `manual` leaves the whole task out.

    ```mlir
    %o = pto.block.dispatch @square(%x, %out) : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
    %p, %t1 = pto.block.dispatch @square(%o, %out2) blocks(%n) after(%t0) : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>, !pto.task
    ```
  }];
  let arguments = !con((ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$args),
                       Pto_TaskArguments, Pto_TaskAttributes,
                       (ins OptionalAttr<DenseI64ArrayAttr>:$no_dep));
  let results = (outs Variadic<AnyRankedTensor>:$results, Optional<Pto_Task>:$task);
  let assemblyFormat = [{
    $callee `(` $args `)`
    `` custom<TaskWords>($blocks, $deps, $condition, type($condition), $condition_indices, $compare,
                      $compare_to)
    attr-dict `:` functional-type($args, $results) (`,` type($task)^)?
  }];
  let hasVerifier = 1;
  let builders = [
    // One block, no condition, no marks.
    OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::Type":$task, "::llvm::StringRef":$callee,
                   "::mlir::ValueRange":$args, "::mlir::ValueRange":$deps)>,
  ];
}

def BlockTaskInvalidOp : Pto_BlockOp<"task_invalid", [Pure]> {
  let summary = "no task: nothing to wait for";
  let description = [{
    ```mlir
    %none = pto.block.task_invalid
    ```
  }];
  let results = (outs Pto_Task:$result);
  let assemblyFormat = "attr-dict";
}

def BlockTaskDummyOp : Pto_BlockOp<"task_dummy", [Pure]> {
  let summary = "a task that does nothing, done when others are";
  let description = [{
    ```mlir
    %all = pto.block.task_dummy after(%t0, %t1)
    ```
  }];
  let arguments = (ins Variadic<Pto_Task>:$deps);
  let results = (outs Pto_Task:$result);
  let assemblyFormat = "(`after` `(` $deps^ `)`)? attr-dict";
}

//===----------------------------------------------------------------------===//
// Small arrays of scalars and tasks
//===----------------------------------------------------------------------===//

def BlockArrayCreateOp : Pto_BlockOp<"array_create", [Pure]> {
  let summary = "a small array of scalars or tasks";
  let description = [{
    `pl.array.create`: zeros, or invalid tasks. An array is a value: `array_set` makes
    another one.

    ```mlir
    %a = pto.block.array_create : !pto.array<4 x !pto.task>
    ```
  }];
  let results = (outs Pto_SmallArray:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
}

def BlockArrayGetOp : Pto_BlockOp<"array_get", [
    TypesMatchWith<"result has the array's element type", "array", "result",
                   "::llvm::cast<::mlir::pto::ArrayType>($_self).getElementType()">]> {
  let summary = "an element of a small array";
  let description = [{
    ```mlir
    %t = pto.block.array_get %a[%i] : !pto.array<4 x !pto.task>
    ```
  }];
  let arguments = (ins Pto_SmallArray:$array, Index:$index);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$array `[` $index `]` attr-dict `:` qualified(type($array))";
  let hasVerifier = 1;
}

def BlockArraySetOp : Pto_BlockOp<"array_set", [
    AllTypesMatch<["array", "result"]>,
    TypesMatchWith<"value has the array's element type", "array", "value",
                   "::llvm::cast<::mlir::pto::ArrayType>($_self).getElementType()">]> {
  let summary = "a small array with another element";
  let description = [{
    ```mlir
    %b = pto.block.array_set %t into %a[%i] : !pto.array<4 x !pto.task>
    ```
  }];
  let arguments = (ins AnyType:$value, Pto_SmallArray:$array, Index:$index);
  let results = (outs Pto_SmallArray:$result);
  let assemblyFormat = "$value `into` $array `[` $index `]` attr-dict `:` qualified(type($array))";
  let hasVerifier = 1;
}

#endif // PTO_TASK_OPS_TD
