// RUN: pypto-opt %s --pto-outline-scopes --verify-diagnostics --split-input-file

func.func @entry(%x: tensor<8x8xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
  // expected-error @+1 {{pl.at: level HOST is not supported; use pl.Level.CORE_GROUP}}
  pto.block.at host {
    pto.block.yield
  }
  return
}

// -----

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
