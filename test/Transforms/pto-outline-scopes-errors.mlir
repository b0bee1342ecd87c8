// RUN: pypto-opt %s --pto-outline-scopes --verify-diagnostics --split-input-file

func.func @entry(%x: tensor<8x8xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
  // expected-note @+1 {{the other one begins here}}
  pto.block.at core_group {
    // expected-error @+1 {{pl.at: stands in another pl.at; a task places no tasks}}
    pto.block.at core_group {
      pto.block.yield
    }
    pto.block.yield
  }
  return
}

// -----

func.func private @k(%x: tensor<8x8xf32>) attributes {pto.kind = #pto.kind<in_core>} {
  return
}
func.func @entry(%x: tensor<8x8xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
  // expected-note @+1 {{the task begins here}}
  pto.block.at core_group {
    // expected-error @+1 {{a task dispatches no tasks: call 'k' outside of pl.at}}
    pto.block.dispatch @k(%x) : (tensor<8x8xf32>) -> ()
    pto.block.yield
  }
  return
}

// -----

func.func @entry() attributes {pto.kind = #pto.kind<orchestration>} {
  // expected-note @+1 {{the task begins here}}
  pto.block.at core_group {
    // expected-error @+1 {{pl.create_tensor: a task allocates no arrays; create it before pl.at}}
    %t = pto.tensor.create : tensor<8x8xf32>
    pto.block.yield
  }
  return
}

// -----

// expected-note @+1 {{the function is here}}
func.func @kernel(%x: tensor<8x8xf32>) attributes {pto.kind = #pto.kind<in_core>} {
  // expected-error @+1 {{pl.at: stands in 'kernel', which runs on a core; only the control plane places tasks}}
  pto.block.at core_group {
    pto.block.yield
  }
  return
}

// -----

func.func @entry(%x: tensor<8x8xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
  // expected-error @+1 {{pl.load: computes on the control plane, which only dispatches; put it under 'with pl.at(level=pl.Level.CORE_GROUP):' or into a @pl.jit.incore function}}
  %t = pto.tile.load %x[0, 0] : tensor<8x8xf32> -> !pto.tile<8x8xf32>
  return
}

// -----

func.func @entry(%x: tensor<8x8xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
  // expected-error @+1 {{pl.exp: computes on the control plane}}
  %t = pto.tensor.exp %x : tensor<8x8xf32>
  return
}

// -----

// expected-note @+1 {{declare it as pl.Out[...] or pl.InOut[...]}}
func.func @entry(%x: tensor<8x8xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
  pto.block.at core_group {
    %e = pto.tensor.exp %x : tensor<8x8xf32>
    // expected-error @+1 {{pl.assemble: writes [8, 8] FP32, an In parameter of 'entry'}}
    %o = pto.tensor.assemble %e into %x[0, 0] : tensor<8x8xf32> into tensor<8x8xf32>
    pto.block.yield
  }
  return
}

// -----

func.func @entry(%x: tensor<8x8xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
  // expected-error @+1 {{pl.at: name_hint 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...' has 129 letters; it names files too, and has at most 128}}
  pto.block.at core_group attributes {name_hint = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"} {
    pto.block.yield
  }
  return
}

// -----

func.func @entry(%x: tensor<8x8xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
  // expected-error @+1 {{pl.at: name_hint 'my kernel' is no name for a function; use letters, digits and _}}
  pto.block.at core_group attributes {name_hint = "my kernel"} {
    pto.block.yield
  }
  return
}

// -----

func.func @entry(%t: !pto.tile<8x8xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
  pto.block.at core_group {
    // expected-error @+1 {{pl.exp: uses [8, 8] FP32 from outside of pl.at; only arrays and scalars go into a task}}
    %e = pto.tile.exp %t : !pto.tile<8x8xf32>
    pto.block.yield
  }
  return
}

// -----

// What the control plane has, a task has not.

func.func @entry(%x: tensor<8x8xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
  // expected-note @+1 {{the task begins here}}
  pto.block.at core_group {
    // expected-error @+1 {{pl.slice: a window of an array is named on the control plane; take it before pl.at, or load a tile of the array with pl.load}}
    %w = pto.tensor.slice %x[0, 0] [4, 8] : tensor<8x8xf32> -> tensor<4x8xf32>
    pto.block.yield
  }
  return
}

// -----

func.func @entry(%x: tensor<8x8xi32>) attributes {pto.kind = #pto.kind<orchestration>} {
  // expected-note @+1 {{the task begins here}}
  pto.block.at core_group {
    // expected-error @+1 {{pl.read: an element of an array is read on the control plane; read it before pl.at and use the value here}}
    %e = pto.tensor.read %x[0, 0] : tensor<8x8xi32>
    pto.block.yield
  }
  return
}

// -----

func.func @entry(%x: tensor<8x8xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
  // expected-note @+1 {{the task begins here}}
  pto.block.at core_group {
    // expected-error @+1 {{pl.system.task_dummy: belongs to the control plane; do it outside of pl.at}}
    %t = pto.block.task_dummy
    pto.block.yield
  }
  return
}

// -----

// Tokens and small arrays do not go into a task.

func.func @entry(%x: tensor<8x8xf32>, %c: i1) attributes {pto.kind = #pto.kind<orchestration>} {
  %t0 = pto.block.task_invalid
  %t1 = pto.block.task_dummy
  pto.block.at core_group {
    // expected-error @+1 {{uses !pto.task from outside of pl.at; only arrays and scalars go into a task}}
    %t = arith.select %c, %t0, %t1 : !pto.task
    pto.block.yield
  }
  return
}

// -----

func.func @entry(%i: index, %c: i1) attributes {pto.kind = #pto.kind<orchestration>} {
  %a = pto.block.array_create : !pto.array<4 x i32>
  pto.block.at core_group {
    // expected-error @+1 {{uses !pto.array<4 x i32> from outside of pl.at; only arrays and scalars go into a task}}
    %t = arith.select %c, %a, %a : !pto.array<4 x i32>
    pto.block.yield
  }
  return
}

// -----

func.func @entry(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
  // expected-error @+1 {{pl.at: no_dep names [8, 8] FP32, which the region does not use; leave it out}}
  pto.block.at core_group no_dep(%y : tensor<8x8xf32>) {
    %t = pto.tile.load %x[0, 0] : tensor<8x8xf32> -> !pto.tile<8x8xf32>
    pto.block.yield
  }
  return
}

// -----

// A window of an In parameter is not written either.

// expected-note @+1 {{declare it as pl.Out[...] or pl.InOut[...]}}
func.func @entry(%x: tensor<16x8xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
  %w = pto.tensor.slice %x[8, 0] [8, 8] : tensor<16x8xf32> -> tensor<8x8xf32>
  pto.block.at core_group {
    %e = pto.tensor.exp %w : tensor<8x8xf32>
    // expected-error @+1 {{pl.assemble: writes [8, 8] FP32, a window of an In parameter of 'entry'}}
    %o = pto.tensor.assemble %e into %w[0, 0] : tensor<8x8xf32> into tensor<8x8xf32>
    pto.block.yield
  }
  return
}

// -----

// Block numbers are a core's.

func.func @entry(%x: tensor<8x8xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
  // expected-error @+1 {{computes on the control plane, which only dispatches}}
  %i = pto.block.get_block_idx
  return
}
