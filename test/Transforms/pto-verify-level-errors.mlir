// Each rule with what breaks it, behind the first pass that it applies after.
// RUN: split-file %s %t
// RUN: pypto-opt %t/always.mlir --pto-verify-level -verify-diagnostics -split-input-file -o /dev/null
// RUN: pypto-opt %t/pto-no-such-pass.mlir --pto-verify-level="after=pto-no-such-pass" -verify-diagnostics -split-input-file -o /dev/null
// RUN: pypto-opt %t/pto-set-target.mlir --pto-verify-level="after=pto-set-target" -verify-diagnostics -split-input-file -o /dev/null
// RUN: pypto-opt %t/pto-outline-scopes.mlir --pto-verify-level="after=pto-outline-scopes" -verify-diagnostics -split-input-file -o /dev/null
// RUN: pypto-opt %t/pto-convert-tensor-to-tile-ops.mlir --pto-verify-level="after=pto-convert-tensor-to-tile-ops" -verify-diagnostics -split-input-file -o /dev/null
// RUN: pypto-opt %t/pto-legalize.mlir --pto-verify-level="after=pto-legalize" -verify-diagnostics -split-input-file -o /dev/null
// RUN: pypto-opt %t/pto-infer-tile-memory-space.mlir --pto-verify-level="after=pto-infer-tile-memory-space" -verify-diagnostics -split-input-file -o /dev/null
// RUN: pypto-opt %t/pto-assign-layout.mlir --pto-verify-level="after=pto-assign-layout" -verify-diagnostics -split-input-file -o /dev/null
// RUN: pypto-opt %t/pto-split-mixed.mlir --pto-verify-level="after=pto-split-mixed" -verify-diagnostics -split-input-file -o /dev/null
// RUN: pypto-opt %t/pto-bufferize-tiles.mlir --pto-verify-level="after=pto-bufferize-tiles" -verify-diagnostics -split-input-file -o /dev/null
// RUN: pypto-opt %t/pto-expand-instructions.mlir --pto-verify-level="after=pto-expand-instructions" -verify-diagnostics -split-input-file -o /dev/null
// RUN: pypto-opt %t/pto-plan-memory.mlir --pto-verify-level="after=pto-plan-memory" -verify-diagnostics -split-input-file -o /dev/null
// RUN: pypto-opt %t/pto-insert-sync.mlir --pto-verify-level="after=pto-insert-sync" -verify-diagnostics -split-input-file -o /dev/null
// RUN: pypto-opt %t/pto-merge-clusters.mlir --pto-verify-level="after=pto-merge-clusters" -verify-diagnostics -split-input-file -o /dev/null
// RUN: pypto-opt %t/pto-derive-task-deps.mlir --pto-verify-level="after=pto-derive-task-deps" -verify-diagnostics -split-input-file -o /dev/null

//--- always.mlir
// expected-error @below {{unknown chip '910Z'; known: 910B}}
module attributes {pto.target = "910Z"} {
}

// -----

module attributes {pto.target = "910B"} {
  func.func @k() attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    // expected-error @below {{pto.block.set_flag: event id 6; a kernel on 910B uses 0 to 5}}
    pto.block.set_flag mte2 -> v, 6
    // expected-error @below {{pto.block.wait_flag: event id 7; a kernel on 910B uses 0 to 5}}
    pto.block.wait_flag mte2 -> v, 7
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @k() attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    // expected-error @below {{pto.block.set_flag: 910B has no flag from mte3 to fix}}
    // expected-error @below {{pto.block.set_flag: an aiv has no pipe fix}}
    pto.block.set_flag mte3 -> fix, 0
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @k() attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    // expected-error @below {{pto.block.barrier: an aiv has no pipe m}}
    pto.block.barrier m
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @k() attributes {pto.kind = #pto.kind<aic>, pto.sync = #pto.sync<manual>} {
    // expected-error @below {{pto.block.cross_core_set: an aic has no pipe mte3}}
    pto.block.cross_core_set mte3, 0 {mode = 2 : i64}
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @k() attributes {pto.kind = #pto.kind<group>, pto.sync = #pto.sync<manual>} {
    pto.block.section aic {
      // expected-error @below {{pto.block.barrier: an aic has no pipe v}}
      pto.block.barrier v
    }
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @k() attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    // expected-error @below {{pto.tile.alloc: [16, 64] FP32 in Vec begins at byte 16; an address in Vec is a multiple of 32 B}}
    %a = pto.tile.alloc {addrs = array<i64: 16>} : !pto.buf<16x64xf32, vec, nd>
    // expected-error @below {{pto.tile.alloc: [16, 64] FP32 in Vec lies at bytes 184352 to 188448; Vec has 184 KiB (188416 B)}}
    %b = pto.tile.alloc {addrs = array<i64: 184352>} : !pto.buf<16x64xf32, vec, nd>
    // expected-error @below {{pto.tile.alloc: an aiv has no Mat; [16, 16] FP16 in Mat is in it}}
    %d = pto.tile.alloc : !pto.buf<16x16xf16, mat, nz>
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @k(%t: !pto.tile<16x16xf16, vec>) attributes {pto.kind = #pto.kind<in_core>} {
    // expected-error @below {{pl.move: no path leads from Vec to Mat on 910B}}
    %m = pto.tile.move %t : !pto.tile<16x16xf16, vec> -> !pto.tile<16x16xf16, mat>
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  // expected-error @below {{'k' takes argument 0, which is a task; a kernel takes arrays and scalars}}
  // expected-note @below {{the function is here}}
  func.func @k(%t: !pto.task) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c1 = arith.constant 1 : index
    // expected-error @below {{pl.system.task_invalid: makes a task in 'k', which runs on a core; tasks and small arrays are of the control plane}}
    %none = pto.block.task_invalid
    // expected-error @below {{pl.system.task_dummy: makes a task in 'k'}}
    %all = pto.block.task_dummy after(%none)
    // expected-error @below {{pl.array.create: makes a small array in 'k'}}
    %a = pto.block.array_create : !pto.array<4 x i32>
    // expected-error @below {{pl.array: reads a small array in 'k'}}
    %v = pto.block.array_get %a[%c0] : !pto.array<4 x i32>
    // expected-error @below {{pl.array: makes a small array in 'k'}}
    %b = pto.block.array_set %v into %a[%c0] : !pto.array<4 x i32>
    // expected-error @below {{scf.for: makes a task in 'k'}}
    %l = scf.for %i = %c0 to %c4 step %c1 iter_args(%u = %none) -> !pto.task {
      scf.yield %u : !pto.task
    }
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  // expected-note @below {{the function is here}}
  func.func @k() attributes {pto.kind = #pto.kind<in_core>} {
    // expected-error @below {{pl.cluster: stands in 'k', which runs on a core; only the control plane dispatches tasks}}
    pto.block.cluster {
      pto.block.yield
    }
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  // expected-error @below {{'entry' takes argument 0, which is a task; an entry takes arrays and scalars}}
  // expected-error @below {{'entry' returns a small array as result 0; an entry returns arrays}}
  func.func @entry(%t: !pto.task, %n: index) -> !pto.array<4 x i32> attributes {pto.kind = #pto.kind<orchestration>} {
    %c1 = arith.constant 1 : index
    %a = pto.block.array_create : !pto.array<4 x i32>
    // expected-error @below {{arith.constant: computes on arrays on the control plane, which only dispatches}}
    %x = arith.constant dense<1.0> : tensor<8x8xf32>
    // expected-error @below {{arith.addf: computes on arrays on the control plane, which only dispatches}}
    %y = arith.addf %x, %x : tensor<8x8xf32>
    // expected-error @below {{scf.parallel: is no control flow of an entry; use scf.for and scf.if (pl.range and 'if')}}
    scf.parallel (%i) = (%n) to (%n) step (%c1) {
      scf.reduce
    }
    // expected-error @below {{scf.execute_region: is no control flow of an entry}}
    scf.execute_region {
      scf.yield
    }
    // expected-error @below {{scf.index_switch: is no control flow of an entry}}
    scf.index_switch %n
    default {
      scf.yield
    }
    return %a : !pto.array<4 x i32>
  }
}

//--- pto-no-such-pass.mlir
// expected-error @below {{pto-verify-level: after="pto-no-such-pass" names no pass of the pipeline; they are: pto-set-target, pto-inline}}
module {
}

//--- pto-set-target.mlir
// expected-error @below {{the module names no chip; set attribute pto.target, one of: 910B}}
module {
}

//--- pto-outline-scopes.mlir
module attributes {pto.target = "910B"} {
  // expected-error @below {{'h' is an inline function; none is left after pto-inline}}
  func.func @h() attributes {pto.kind = #pto.kind<inline>} {
    return
  }
  func.func @entry() attributes {pto.kind = #pto.kind<orchestration>} {
    // expected-error @below {{pl.at: a placed region; none is left after pto-outline-scopes}}
    pto.block.at core_group {
      pto.block.yield
    }
    return
  }
}

//--- pto-convert-tensor-to-tile-ops.mlir
module attributes {pto.target = "910B"} {
  // expected-error @below {{'k' takes argument 0, [16, 64] FP32, as a tensor; it must be !pto.gm after pto-convert-tensor-to-tile-ops}}
  // expected-error @below {{'k' returns 1 values; a kernel returns none after pto-convert-tensor-to-tile-ops}}
  func.func @k(%x: tensor<16x64xf32>, %o: !pto.gm<16x64xf32>) -> tensor<16x64xf32> attributes {pto.kind = #pto.kind<in_core>} {
    // expected-error @below {{pl.exp: an operation on whole arrays; in-core code works on tiles after pto-convert-tensor-to-tile-ops}}
    %y = pto.tensor.exp %x : tensor<16x64xf32>
    %t = pto.tile.load %x[0, 0] : tensor<16x64xf32> -> !pto.tile<16x64xf32>
    // expected-error @below {{pl.store: makes [16, 64] FP32, a whole array; in-core code works on tiles after pto-convert-tensor-to-tile-ops}}
    %s = pto.tile.store %t, %x[0, 0] : !pto.tile<16x64xf32> -> tensor<16x64xf32>
    return %s : tensor<16x64xf32>
  }
}

//--- pto-legalize.mlir
module attributes {pto.target = "910B"} {
  func.func @k(%x: !pto.gm<16x64xbf16>) attributes {pto.kind = #pto.kind<in_core>} {
    %t = pto.tile.load %x[0, 0] : !pto.gm<16x64xbf16> -> !pto.tile<16x64xbf16>
    %c = arith.constant 1.0 : f32
    // expected-error @below {{pl.add: no instruction of 910B does it on BF16 after pto-legalize}}
    %a = pto.tile.add %t, %t : !pto.tile<16x64xbf16>
    // expected-error @below {{pl.cast: no instruction of 910B converts BF16 to FP16 with rounding rint after pto-legalize}}
    %b = pto.tile.cast %t {round = #pto.round<rint>} : !pto.tile<16x64xbf16> -> !pto.tile<16x64xf16>
    %f = pto.tile.cast %t {round = #pto.round<none>} : !pto.tile<16x64xbf16> -> !pto.tile<16x64xf32>
    // expected-error @below {{pl.sub: no instruction of 910B does it on FP32 with a scalar after pto-legalize}}
    %s = pto.tile.sub %f, %c : (!pto.tile<16x64xf32>, f32) -> !pto.tile<16x64xf32>
    // expected-error @below {{pl.neg: no instruction of 910B does it on FP32 after pto-legalize}}
    %n = pto.tile.neg %f : !pto.tile<16x64xf32>
    return
  }
}

//--- pto-infer-tile-memory-space.mlir
module attributes {pto.target = "910B"} {
  func.func @k(%x: !pto.gm<16x64xf32>, %c: i1) attributes {pto.kind = #pto.kind<in_core>} {
    // expected-error @below {{pl.load: [16, 64] FP32 has no memory space after pto-infer-tile-memory-space}}
    %t = pto.tile.load %x[0, 0] : !pto.gm<16x64xf32> -> !pto.tile<16x64xf32>
    %u = pto.tile.load %x[0, 0] : !pto.gm<16x64xf32> -> !pto.tile<16x64xf32, vec>
    %v = pto.tile.load %x[0, 0] : !pto.gm<16x64xf32> -> !pto.tile<16x64xf32, vec>
    // expected-error @below {{arith.select: chooses one of two tiles, [16, 64] FP32 in Vec; a tile is chosen by scf.if after pto-infer-tile-memory-space}}
    %w = arith.select %c, %u, %v : !pto.tile<16x64xf32, vec>
    %c0 = arith.constant 0 : index
    // expected-error @below {{scf.for: [16, 64] FP32 has no memory space after pto-infer-tile-memory-space}}
    %r = scf.for %i = %c0 to %c0 step %c0 iter_args(%a = %t) -> (!pto.tile<16x64xf32>) {
      scf.yield %a : !pto.tile<16x64xf32>
    }
    return
  }
}

//--- pto-assign-layout.mlir
module attributes {pto.target = "910B"} {
  func.func @k(%x: !pto.gm<16x64xf32>) attributes {pto.kind = #pto.kind<in_core>} {
    // expected-error @below {{pl.load: [16, 64] FP32 in Vec has no layout after pto-assign-layout}}
    %t = pto.tile.load %x[0, 0] : !pto.gm<16x64xf32> -> !pto.tile<16x64xf32, vec>
    // expected-error @below {{pl.load: [16, 64] FP32 in Vec has layout dn; such a tile has layout nd on 910B}}
    %u = pto.tile.load %x[0, 0] : !pto.gm<16x64xf32> -> !pto.tile<16x64xf32, vec, dn>
    // expected-error @below {{pl.load: [8, 64] FP32 in Mat is not made of whole fractals of [16, 8]; pad it}}
    %v = pto.tile.load %x[0, 0] : !pto.gm<16x64xf32> -> !pto.tile<8x64xf32, mat, nz>
    return
  }
}

//--- pto-split-mixed.mlir
module attributes {pto.target = "910B"} {
  // expected-error @below {{'k' has no core yet; it must be aic, aiv or group after pto-split-mixed}}
  func.func @k() attributes {pto.kind = #pto.kind<in_core>} {
    return
  }
  func.func @v(%x: !pto.gm<16x64xf32>) attributes {pto.kind = #pto.kind<aic>} {
    %t = pto.tile.load %x[0, 0] : !pto.gm<16x64xf32> -> !pto.tile<16x64xf32, vec, nd>
    // expected-error @below {{pl.exp: an aic has no pipe v}}
    %e = pto.tile.exp %t : !pto.tile<16x64xf32, vec, nd>
    return
  }
}

//--- pto-bufferize-tiles.mlir
module attributes {pto.target = "910B"} {
  func.func @k(%x: !pto.gm<16x64xf32>) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    // expected-error @below {{pl.load: [16, 64] FP32 in Vec is a tile value; every tile is a buffer after pto-bufferize-tiles}}
    // expected-error @below {{pl.load: works on tile values; every instruction works on buffers after pto-bufferize-tiles}}
    %t = pto.tile.load %x[0, 0] : !pto.gm<16x64xf32> -> !pto.tile<16x64xf32, vec, nd>
    // expected-error @below {{pl.set_validshape: [16, 64] FP32 in Vec is a tile value; every tile is a buffer after pto-bufferize-tiles}}
    %u = pto.tile.set_validshape %t [8, 64] : !pto.tile<16x64xf32, vec, nd>
    // expected-error @below {{pl.store: works on tile values; every instruction works on buffers after pto-bufferize-tiles}}
    pto.tile.store %u, %x[0, 0] : !pto.tile<16x64xf32, vec, nd> -> !pto.gm<16x64xf32>
    return
  }
}

//--- pto-expand-instructions.mlir
module attributes {pto.target = "910B"} {
  func.func @k(%x: !pto.gm<8192x8xf32>) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %a = pto.tile.alloc : !pto.buf<32x256xf32, vec, nd>
    %w = pto.tile.subview %a[0, 0] [32, 128] : !pto.buf<32x256xf32, vec, nd> -> !pto.buf<32x128xf32, vec, nd, of<32x256>>
    // expected-error @below {{pl.exp: [32, 128] FP32 in Vec is too much for one instruction: 128 columns; a repeat has 64; pto-expand-instructions cuts it}}
    pto.tile.exp ins(%w : !pto.buf<32x128xf32, vec, nd, of<32x256>>) outs(%w : !pto.buf<32x128xf32, vec, nd, of<32x256>>)
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @k(%x: !pto.gm<8192x8xf32>) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %a = pto.tile.alloc : !pto.buf<300x16xf32, vec, nd>
    %w = pto.tile.subview %a[0, 0] [300, 8] : !pto.buf<300x16xf32, vec, nd> -> !pto.buf<300x8xf32, vec, nd, of<300x16>>
    // expected-error @below {{pl.exp: [300, 8] FP32 in Vec is too much for one instruction: 300 rows; an instruction has 255 repeats}}
    pto.tile.exp ins(%w : !pto.buf<300x8xf32, vec, nd, of<300x16>>) outs(%w : !pto.buf<300x8xf32, vec, nd, of<300x16>>)
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @k(%x: !pto.gm<8192x8xf32>) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %a = pto.tile.alloc : !pto.buf<4x2056xf32, vec, nd>
    %w = pto.tile.subview %a[0, 0] [4, 8] : !pto.buf<4x2056xf32, vec, nd> -> !pto.buf<4x8xf32, vec, nd, of<4x2056>>
    // expected-error @below {{pl.exp: [4, 8] FP32 in Vec is too much for one instruction: its rows lie 257 blocks of 32 bytes apart; repeats lie at most 255 apart}}
    pto.tile.exp ins(%w : !pto.buf<4x8xf32, vec, nd, of<4x2056>>) outs(%w : !pto.buf<4x8xf32, vec, nd, of<4x2056>>)
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @k(%x: !pto.gm<8192x8xf32>) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %a = pto.tile.alloc : !pto.buf<32x128xf32, vec, nd>
    %v = pto.tile.alloc : !pto.buf<32x1xf32, vec, dn>
    // expected-error @below {{pl.row_max: [32, 128] FP32 in Vec is too much for one instruction: 128 columns; a repeat has 64}}
    pto.tile.row_max ins(%a : !pto.buf<32x128xf32, vec, nd>) outs(%v : !pto.buf<32x1xf32, vec, dn>)
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @k(%x: !pto.gm<8192x8xf32>) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %a = pto.tile.alloc : !pto.buf<32x64xf32, vec, nd>
    %v = pto.tile.alloc : !pto.buf<32x1xf32, vec, dn>
    // expected-error @below {{pl.row_expand_sub: its second operand, [32, 1] FP32 in Vec, has one block of 32 bytes a row, [M, 8], in an instruction}}
    pto.tile.row_expand_sub ins(%a, %v : !pto.buf<32x64xf32, vec, nd>, !pto.buf<32x1xf32, vec, dn>) outs(%a : !pto.buf<32x64xf32, vec, nd>)
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @k(%x: !pto.gm<8192x8xf32>) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %a = pto.tile.alloc : !pto.buf<32x128xf32, vec, nd>
    %v = pto.tile.alloc : !pto.buf<32x8xf32, vec, nd>
    // expected-error @below {{pl.row_expand_mul: [32, 128] FP32 in Vec is too much for one instruction: 128 columns; a repeat has 64}}
    pto.tile.row_expand_mul ins(%a, %v : !pto.buf<32x128xf32, vec, nd>, !pto.buf<32x8xf32, vec, nd>) outs(%a : !pto.buf<32x128xf32, vec, nd>)
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @k(%x: !pto.gm<8192x8xf32>) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %v = pto.tile.alloc : !pto.buf<2048x1xf32, vec, dn>
    %b = pto.tile.alloc : !pto.buf<2048x8xf32, vec, nd>
    // expected-error @below {{pto.tile.brcb: [2048, 1] FP32 in Vec is too much for one instruction: 2048 values; one instruction spreads 2040}}
    pto.tile.brcb ins(%v : !pto.buf<2048x1xf32, vec, dn>) outs(%b : !pto.buf<2048x8xf32, vec, nd>)
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @k(%x: !pto.gm<5000x16xf32>) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %a = pto.tile.alloc : !pto.buf<4096x8xf32, vec, nd>
    // expected-error @below {{pl.load: [4096, 8] FP32 in Vec is too much for one instruction: 4096 rows; a copy has 4095}}
    pto.tile.load ins(%x[0, 0] : !pto.gm<5000x16xf32>) outs(%a : !pto.buf<4096x8xf32, vec, nd>)
    // expected-error @below {{pl.store: [4096, 8] FP32 in Vec is too much for one instruction: 4096 rows; a copy has 4095}}
    pto.tile.store ins(%a : !pto.buf<4096x8xf32, vec, nd>) outs(%x[0, 0] : !pto.gm<5000x16xf32>)
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @k() attributes {pto.kind = #pto.kind<aic>, pto.sync = #pto.sync<manual>} {
    %m = pto.tile.alloc : !pto.buf<32x16xf16, mat, nz>
    %l = pto.tile.alloc : !pto.buf<32x16xf16, left, zz>
    // expected-error @below {{pl.move: [32, 16] FP16 in Mat is too much for one instruction: it has 32 rows; a move to Left takes one row of fractals, 16}}
    pto.tile.move ins(%m : !pto.buf<32x16xf16, mat, nz>) outs(%l : !pto.buf<32x16xf16, left, zz>)
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @k() attributes {pto.kind = #pto.kind<aic>, pto.sync = #pto.sync<manual>} {
    %m = pto.tile.alloc : !pto.buf<16x4096xf16, mat, nz>
    %r = pto.tile.alloc : !pto.buf<16x4096xf16, right, zn>
    // expected-error @below {{pl.move: [16, 4096] FP16 in Mat is too much for one instruction: it has 4096 columns; a move to Right takes 255 fractals, 4080 columns}}
    pto.tile.move ins(%m : !pto.buf<16x4096xf16, mat, nz>) outs(%r : !pto.buf<16x4096xf16, right, zn>)
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @k() attributes {pto.kind = #pto.kind<aic>, pto.sync = #pto.sync<manual>} {
    %l = pto.tile.alloc : !pto.buf<16x16xf16, left, zz>
    %r = pto.tile.alloc : !pto.buf<16x4112xf16, right, zn>
    %c = pto.tile.alloc : !pto.buf<16x4112xf32, acc, nz>
    // expected-error @below {{pl.matmul: [16, 4112] FP16 in Right is too much for one instruction: 4112 rows or columns; a product has 4095}}
    pto.tile.matmul ins(%l, %r : !pto.buf<16x16xf16, left, zz>, !pto.buf<16x4112xf16, right, zn>) outs(%c : !pto.buf<16x4112xf32, acc, nz>)
    return
  }
}

//--- pto-plan-memory.mlir
module attributes {pto.target = "910B"} {
  // expected-error @below {{'k' has 65 allocations; a kernel on 910B has at most 64}}
  func.func @k() attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %b0 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<1x8xf32, vec, nd>
    %b1 = pto.tile.alloc {addrs = array<i64: 32>} : !pto.buf<1x8xf32, vec, nd>
    %b2 = pto.tile.alloc {addrs = array<i64: 64>} : !pto.buf<1x8xf32, vec, nd>
    %b3 = pto.tile.alloc {addrs = array<i64: 96>} : !pto.buf<1x8xf32, vec, nd>
    %b4 = pto.tile.alloc {addrs = array<i64: 128>} : !pto.buf<1x8xf32, vec, nd>
    %b5 = pto.tile.alloc {addrs = array<i64: 160>} : !pto.buf<1x8xf32, vec, nd>
    %b6 = pto.tile.alloc {addrs = array<i64: 192>} : !pto.buf<1x8xf32, vec, nd>
    %b7 = pto.tile.alloc {addrs = array<i64: 224>} : !pto.buf<1x8xf32, vec, nd>
    %b8 = pto.tile.alloc {addrs = array<i64: 256>} : !pto.buf<1x8xf32, vec, nd>
    %b9 = pto.tile.alloc {addrs = array<i64: 288>} : !pto.buf<1x8xf32, vec, nd>
    %b10 = pto.tile.alloc {addrs = array<i64: 320>} : !pto.buf<1x8xf32, vec, nd>
    %b11 = pto.tile.alloc {addrs = array<i64: 352>} : !pto.buf<1x8xf32, vec, nd>
    %b12 = pto.tile.alloc {addrs = array<i64: 384>} : !pto.buf<1x8xf32, vec, nd>
    %b13 = pto.tile.alloc {addrs = array<i64: 416>} : !pto.buf<1x8xf32, vec, nd>
    %b14 = pto.tile.alloc {addrs = array<i64: 448>} : !pto.buf<1x8xf32, vec, nd>
    %b15 = pto.tile.alloc {addrs = array<i64: 480>} : !pto.buf<1x8xf32, vec, nd>
    %b16 = pto.tile.alloc {addrs = array<i64: 512>} : !pto.buf<1x8xf32, vec, nd>
    %b17 = pto.tile.alloc {addrs = array<i64: 544>} : !pto.buf<1x8xf32, vec, nd>
    %b18 = pto.tile.alloc {addrs = array<i64: 576>} : !pto.buf<1x8xf32, vec, nd>
    %b19 = pto.tile.alloc {addrs = array<i64: 608>} : !pto.buf<1x8xf32, vec, nd>
    %b20 = pto.tile.alloc {addrs = array<i64: 640>} : !pto.buf<1x8xf32, vec, nd>
    %b21 = pto.tile.alloc {addrs = array<i64: 672>} : !pto.buf<1x8xf32, vec, nd>
    %b22 = pto.tile.alloc {addrs = array<i64: 704>} : !pto.buf<1x8xf32, vec, nd>
    %b23 = pto.tile.alloc {addrs = array<i64: 736>} : !pto.buf<1x8xf32, vec, nd>
    %b24 = pto.tile.alloc {addrs = array<i64: 768>} : !pto.buf<1x8xf32, vec, nd>
    %b25 = pto.tile.alloc {addrs = array<i64: 800>} : !pto.buf<1x8xf32, vec, nd>
    %b26 = pto.tile.alloc {addrs = array<i64: 832>} : !pto.buf<1x8xf32, vec, nd>
    %b27 = pto.tile.alloc {addrs = array<i64: 864>} : !pto.buf<1x8xf32, vec, nd>
    %b28 = pto.tile.alloc {addrs = array<i64: 896>} : !pto.buf<1x8xf32, vec, nd>
    %b29 = pto.tile.alloc {addrs = array<i64: 928>} : !pto.buf<1x8xf32, vec, nd>
    %b30 = pto.tile.alloc {addrs = array<i64: 960>} : !pto.buf<1x8xf32, vec, nd>
    %b31 = pto.tile.alloc {addrs = array<i64: 992>} : !pto.buf<1x8xf32, vec, nd>
    %b32 = pto.tile.alloc {addrs = array<i64: 1024>} : !pto.buf<1x8xf32, vec, nd>
    %b33 = pto.tile.alloc {addrs = array<i64: 1056>} : !pto.buf<1x8xf32, vec, nd>
    %b34 = pto.tile.alloc {addrs = array<i64: 1088>} : !pto.buf<1x8xf32, vec, nd>
    %b35 = pto.tile.alloc {addrs = array<i64: 1120>} : !pto.buf<1x8xf32, vec, nd>
    %b36 = pto.tile.alloc {addrs = array<i64: 1152>} : !pto.buf<1x8xf32, vec, nd>
    %b37 = pto.tile.alloc {addrs = array<i64: 1184>} : !pto.buf<1x8xf32, vec, nd>
    %b38 = pto.tile.alloc {addrs = array<i64: 1216>} : !pto.buf<1x8xf32, vec, nd>
    %b39 = pto.tile.alloc {addrs = array<i64: 1248>} : !pto.buf<1x8xf32, vec, nd>
    %b40 = pto.tile.alloc {addrs = array<i64: 1280>} : !pto.buf<1x8xf32, vec, nd>
    %b41 = pto.tile.alloc {addrs = array<i64: 1312>} : !pto.buf<1x8xf32, vec, nd>
    %b42 = pto.tile.alloc {addrs = array<i64: 1344>} : !pto.buf<1x8xf32, vec, nd>
    %b43 = pto.tile.alloc {addrs = array<i64: 1376>} : !pto.buf<1x8xf32, vec, nd>
    %b44 = pto.tile.alloc {addrs = array<i64: 1408>} : !pto.buf<1x8xf32, vec, nd>
    %b45 = pto.tile.alloc {addrs = array<i64: 1440>} : !pto.buf<1x8xf32, vec, nd>
    %b46 = pto.tile.alloc {addrs = array<i64: 1472>} : !pto.buf<1x8xf32, vec, nd>
    %b47 = pto.tile.alloc {addrs = array<i64: 1504>} : !pto.buf<1x8xf32, vec, nd>
    %b48 = pto.tile.alloc {addrs = array<i64: 1536>} : !pto.buf<1x8xf32, vec, nd>
    %b49 = pto.tile.alloc {addrs = array<i64: 1568>} : !pto.buf<1x8xf32, vec, nd>
    %b50 = pto.tile.alloc {addrs = array<i64: 1600>} : !pto.buf<1x8xf32, vec, nd>
    %b51 = pto.tile.alloc {addrs = array<i64: 1632>} : !pto.buf<1x8xf32, vec, nd>
    %b52 = pto.tile.alloc {addrs = array<i64: 1664>} : !pto.buf<1x8xf32, vec, nd>
    %b53 = pto.tile.alloc {addrs = array<i64: 1696>} : !pto.buf<1x8xf32, vec, nd>
    %b54 = pto.tile.alloc {addrs = array<i64: 1728>} : !pto.buf<1x8xf32, vec, nd>
    %b55 = pto.tile.alloc {addrs = array<i64: 1760>} : !pto.buf<1x8xf32, vec, nd>
    %b56 = pto.tile.alloc {addrs = array<i64: 1792>} : !pto.buf<1x8xf32, vec, nd>
    %b57 = pto.tile.alloc {addrs = array<i64: 1824>} : !pto.buf<1x8xf32, vec, nd>
    %b58 = pto.tile.alloc {addrs = array<i64: 1856>} : !pto.buf<1x8xf32, vec, nd>
    %b59 = pto.tile.alloc {addrs = array<i64: 1888>} : !pto.buf<1x8xf32, vec, nd>
    %b60 = pto.tile.alloc {addrs = array<i64: 1920>} : !pto.buf<1x8xf32, vec, nd>
    %b61 = pto.tile.alloc {addrs = array<i64: 1952>} : !pto.buf<1x8xf32, vec, nd>
    %b62 = pto.tile.alloc {addrs = array<i64: 1984>} : !pto.buf<1x8xf32, vec, nd>
    %b63 = pto.tile.alloc {addrs = array<i64: 2016>} : !pto.buf<1x8xf32, vec, nd>
    %b64 = pto.tile.alloc {addrs = array<i64: 2048>} : !pto.buf<1x8xf32, vec, nd>
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @k() attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    // expected-error @below {{pto.tile.alloc: [16, 64] FP32 in Vec has no address after pto-plan-memory}}
    %a = pto.tile.alloc : !pto.buf<16x64xf32, vec, nd>
    return
  }
}

//--- pto-insert-sync.mlir
module attributes {pto.target = "910B"} {
  // expected-error @below {{'k' does not say who orders its pipes; it must be #pto.sync<auto> or #pto.sync<manual> after pto-insert-sync}}
  func.func @k() attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<none>} {

    return
  }
}

//--- pto-merge-clusters.mlir
module attributes {pto.target = "910B"} {
  func.func @entry() attributes {pto.kind = #pto.kind<orchestration>} {
    // expected-error @below {{pl.cluster: a cluster; it is one dispatch after pto-merge-clusters}}
    pto.block.cluster {
      pto.block.yield
    }
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @mixed() attributes {pto.kind = #pto.kind<group>, pto.sync = #pto.sync<manual>} {
    // expected-error @below {{pto.tile.alloc: [8, 8] FP32 in Vec lies at bytes 188000 to 188256; Vec has 188160 B (188160 B) in a mixed kernel}}
    %a = pto.tile.alloc {addrs = array<i64: 188000>} : !pto.buf<8x8xf32, vec, nd>
    return
  }
}

//--- pto-derive-task-deps.mlir
module attributes {pto.target = "910B"} {
  // expected-error @below {{'entry' does not say what orders its tasks; it must be #pto.deps<explicit>, #pto.deps<run_time> or #pto.deps<program_order> after pto-derive-task-deps}}
  func.func @entry() attributes {pto.kind = #pto.kind<orchestration>} {
    return
  }
}
