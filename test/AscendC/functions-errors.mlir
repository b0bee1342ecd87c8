// RUN: pypto-translate --pto-to-ascendc %s -verify-diagnostics -split-input-file

// Functions, scalars, flags and entries without an AscendC form.

// expected-error @+1 {{the module names no chip; set attribute pto.target, one of: 910B}}
module {
  func.func @f() attributes {pto.kind = #pto.kind<aiv>} { return }
}

// -----

module attributes {pto.target = "910B"} {
  // expected-error @+1 {{function 'f' is of kind in_core; AscendC has kernels of kind aiv, aic and group, and orchestration}}
  func.func @f() attributes {pto.kind = #pto.kind<in_core>} { return }
  // expected-error @+1 {{'../f' names no file and no C++ function}}
  func.func @"../f"() attributes {pto.kind = #pto.kind<aiv>} { return }
  // expected-error @+1 {{function 'g' has no body to print}}
  func.func private @g() attributes {pto.kind = #pto.kind<aiv>}
  // expected-error @+1 {{kernel 'h' returns values; a kernel writes its Out arrays}}
  func.func @h(%x: f32) -> f32 attributes {pto.kind = #pto.kind<aiv>} { return %x : f32 }
  // expected-error @+1 {{function 'k': parameter 1, 'x' ([?, 4] FP32), is no parameter of a kernel}}
  func.func @k(%x: !pto.gm<?x4xf32, pitch<?>>) attributes {pto.kind = #pto.kind<aiv>} { return }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @scalars(%x: f32, %c: i1) attributes {pto.kind = #pto.kind<aiv>} {
    // expected-error @+1 {{math.exp: has no AscendC instruction on 910B}}
    %e = math.exp %x : f32
    // expected-error @+1 {{arith.addi: computes with BOOL; convert it to INT32 first}}
    %d = arith.addi %c, %c : i1
    // expected-error @+1 {{arith.constant: is no scalar that AscendC has: [2] FP32}}
    %t = arith.constant dense<0.0> : tensor<2xf32>
    %a = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<16x64xf32, vec, nd>
    %b = pto.tile.alloc {addrs = array<i64: 4096>} : !pto.buf<16x64xf32, vec, nd>
    // expected-error @+1 {{arith.select: selects 'a' ([16, 64] FP32 in Vec); a buffer is chosen by pto.tile.slot}}
    %s = arith.select %c, %a, %b : !pto.buf<16x64xf32, vec, nd>
    // expected-error @+1 {{scf.if: carries 'r' ([16, 64] FP32 in Vec); AscendC code carries scalars only}}
    %r = scf.if %c -> !pto.buf<16x64xf32, vec, nd> {
      scf.yield %a : !pto.buf<16x64xf32, vec, nd>
    } else {
      scf.yield %b : !pto.buf<16x64xf32, vec, nd>
    }
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @sync() attributes {pto.kind = #pto.kind<aiv>} {
    %c7 = arith.constant 7 : index
    // expected-error @+1 {{pto.block.set_flag: has event id 6; ids are 0 to 5}}
    pto.block.set_flag mte2 -> v, 6
    // expected-error @+1 {{pto.block.wait_flag: has event id 7; ids are 0 to 5}}
    pto.block.wait_flag mte2 -> v, %c7
    // expected-error @+1 {{pto.block.set_flag: works on pipe m, which a vector core (AIV) of 910B does not have}}
    pto.block.set_flag m -> v, 0
    // expected-error @+1 {{pto.block.barrier: holds pipe s, which has no barrier}}
    pto.block.barrier s
    // expected-error @+1 {{pto.block.cross_core_set: has mode 2, which joins the cores of a cluster; it stands in a mixed kernel}}
    pto.block.cross_core_set mte3, 0 {mode = 2 : i64}
    // expected-error @+1 {{pto.block.cross_core_wait: has mode 1, which joins the cores of a cluster}}
    pto.block.cross_core_wait 0 {mode = 1 : i64}
    return
  }
  func.func @no_event() attributes {pto.kind = #pto.kind<aic>} {
    // expected-error @+1 {{pto.block.set_flag: joins pipe s to pipe m, for which 910B has no event}}
    pto.block.set_flag s -> m, 0
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @entry(%x: tensor<4x4xf32>, %h: f16, %c: i1) -> tensor<4x4xf32>
      attributes {pto.kind = #pto.kind<orchestration>} {
    // expected-error @+1 {{arith.addf: computes in FP16 on the control plane, which has FP32 only}}
    %s = arith.addf %h, %h : f16
    // expected-error @+1 {{pto.block.barrier: has no form in an orchestration function}}
    pto.block.barrier all
    return %x : tensor<4x4xf32>
  }
  func.func @returns(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>, %c: i1) -> tensor<4x4xf32>
      attributes {pto.kind = #pto.kind<orchestration>} {
    %z = scf.if %c -> tensor<4x4xf32> {
      scf.yield %x : tensor<4x4xf32>
    } else {
      scf.yield %y : tensor<4x4xf32>
    }
    // expected-error @+1 {{function 'returns' returns 'z' ([4, 4] FP32), which is not one known array}}
    return %z : tensor<4x4xf32>
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @k(%x: !pto.gm<4x4xf32> {pto.dir = #pto.dir<in>}) attributes {pto.kind = #pto.kind<aic>, pto.sync = #pto.sync<manual>} { return }
  func.func @placed(%x: tensor<4x4xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
    // expected-error @+1 {{pl.at: level HOST is carried and printed, but no code is made for it; use pl.Level.CORE_GROUP}}
    pto.block.at host role orchestrator {
      pto.block.yield
    }
    // expected-error @+1 {{pl.at: is still a region; run pto-outline-scopes first}}
    pto.block.at core_group {
      pto.block.yield
    }
    // expected-error @+1 {{pl.cluster: is still a region; run pto-merge-clusters first}}
    pto.block.cluster {
      pto.block.yield
    }
    %c25 = arith.constant 25 : index
    %many = arith.constant 65536 : index
    // expected-error @+1 {{starts 25 blocks together; 910B has 24 cores for them}}
    pto.block.dispatch @k(%x) blocks(%c25) {sync_start} : (tensor<4x4xf32>) -> ()
    pto.block.dispatch @k(%x) blocks(%c25) : (tensor<4x4xf32>) -> ()
    // expected-error @+1 {{runs on 65536 blocks; a launch has at most 65535}}
    pto.block.dispatch @k(%x) blocks(%many) : (tensor<4x4xf32>) -> ()
    return
  }
  // expected-error @+1 {{function 'token': parameter 1, 't' (!pto.task), has no C++ form; an entry takes arrays and scalars}}
  func.func @token(%t: !pto.task) attributes {pto.kind = #pto.kind<orchestration>} { return }
  // expected-error @+1 {{function 'list': parameter 1, 't' (!pto.array<2 x i32>), has no C++ form}}
  func.func @list(%t: !pto.array<2 x i32>) attributes {pto.kind = #pto.kind<orchestration>} { return }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @placed(%x: tensor<4x4xf32> {pto.dir = #pto.dir<out>}) -> tensor<4x4xf32> attributes {pto.kind = #pto.kind<orchestration>} {
    // expected-error @+1 {{pl.at: level HOST is carried and printed, but no code is made for it; use pl.Level.CORE_GROUP}}
    %r = pto.block.at host -> (tensor<4x4xf32>) {
      pto.block.yield %x : tensor<4x4xf32>
    }
    return %r : tensor<4x4xf32>
  }
}
