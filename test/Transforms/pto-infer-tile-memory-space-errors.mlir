// RUN: pypto-opt %s --pto-infer-tile-memory-space --verify-diagnostics --split-input-file

module attributes {pto.target = "910B"} {
func.func @vec_to_left(%a: !pto.gm<32x32xf16>) {
  %t = pto.tile.load %a[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16>
  // expected-note @+1 {{pl.exp makes it here, in Vec}}
  %e = pto.tile.exp %t : !pto.tile<32x32xf16>
  // expected-error @+1 {{pl.matmul: operand 1, [32, 32] FP16 in Vec is needed in Left, and no path leads from Vec to Left on 910B; that needs a mixed kernel, which comes later; use two kernels, with an array between them}}
  %c = pto.tile.matmul %e, %t : !pto.tile<32x32xf16> -> !pto.tile<32x32xf32>
  return
}
}

// -----

module attributes {pto.target = "910B"} {
func.func @loaded_to_vec(%a: !pto.gm<32x32xf16>) {
  // expected-note @+1 {{pl.load makes it here, in Vec}}
  %t = pto.tile.load %a[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16, vec>
  // expected-error @+1 {{no path leads from Vec to Left on 910B; from Vec it needs a mixed kernel, which comes later; load it to Mat: target_memory=pl.Mem.Mat, or none}}
  %c = pto.tile.matmul %t, %t : !pto.tile<32x32xf16, vec> -> !pto.tile<32x32xf32>
  return
}
}

// -----

module attributes {pto.target = "910B"} {
func.func @loaded_to_mat(%a: !pto.gm<32x32xf16>) {
  // expected-note @+1 {{pl.load makes it here, in Mat}}
  %t = pto.tile.load %a[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16, mat>
  // expected-error @+1 {{pl.neg: [32, 32] FP16 in Mat is needed in Vec, and no path leads from Mat to Vec on 910B; load it to Vec: target_memory=pl.Mem.Vec, or none}}
  %c = pto.tile.neg %t : !pto.tile<32x32xf16, mat> -> !pto.tile<32x32xf16>
  return
}
}

// -----

module attributes {pto.target = "910B"} {
func.func @acc_to_vec(%a: !pto.gm<32x32xf16>) {
  %t = pto.tile.load %a[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16>
  // expected-note @+1 {{pl.matmul makes it here, in Acc}}
  %c = pto.tile.matmul %t, %t : !pto.tile<32x32xf16> -> !pto.tile<32x32xf32>
  // expected-error @+1 {{pl.exp: [32, 32] FP32 in Acc is needed in Vec, and no path leads from Acc to Vec on 910B; that needs a mixed kernel, which comes later}}
  %e = pto.tile.exp %c : !pto.tile<32x32xf32>
  return
}
}

// -----

module attributes {pto.target = "910B"} {
func.func @not_an_accumulator(%a: !pto.gm<32x32xf16>, %b: !pto.gm<32x32xf32>) {
  %t = pto.tile.load %a[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16>
  // expected-note @+1 {{pl.load makes it here, in Mat}}
  %c = pto.tile.load %b[0, 0] : !pto.gm<32x32xf32> -> !pto.tile<32x32xf32>
  // expected-error @+1 {{pl.matmul_acc: operand 1, [32, 32] FP32 in Mat is needed in Acc, and no path leads from Mat to Acc on 910B; an accumulator begins with pl.matmul}}
  %d = pto.tile.matmul_acc %c, %t, %t : (!pto.tile<32x32xf32>, !pto.tile<32x32xf16>, !pto.tile<32x32xf16>) -> !pto.tile<32x32xf32>
  return
}
}

// -----

module attributes {pto.target = "910B"} {
func.func @moves(%a: !pto.gm<32x32xf16>, %n: index) {
  %t = pto.tile.load %a[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16, mat>
  // expected-note @+1 {{pl.move makes it here, in Left}}
  %l = pto.tile.move %t : !pto.tile<32x32xf16, mat> -> !pto.tile<32x32xf16, left>
  // expected-error @+1 {{pl.move: [32, 32] FP16 in Left is needed in Right, and no path leads from Left to Right on 910B; what goes there comes from Mat}}
  %r = pto.tile.move %l : !pto.tile<32x32xf16, left> -> !pto.tile<32x32xf16, right>
  return
}
}

// -----

module attributes {pto.target = "910B"} {
func.func @move_nowhere(%a: !pto.gm<32x32xf16>) {
  %t = pto.tile.load %a[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16, mat>
  // expected-error @+1 {{pl.move: says no memory space; give it target_memory=}}
  %l = pto.tile.move %t : !pto.tile<32x32xf16, mat> -> !pto.tile<32x32xf16>
  return
}
}

// -----

module attributes {pto.target = "910B"} {
func.func @accumulator_of_zeros(%a: !pto.gm<32x32xf16>, %s: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = pto.tile.load %a[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16>
  %z = pto.tile.full %s : f32 -> !pto.tile<32x32xf32>
  // expected-note @+1 {{it is carried here, in Vec}}
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!pto.tile<32x32xf32>) {
    // expected-error @+1 {{pl.matmul_acc: operand 1, [32, 32] FP32 in Vec is needed in Acc, and no path leads from Vec to Acc on 910B; that needs a mixed kernel, which comes later}}
    %d = pto.tile.matmul_acc %x, %t, %t : (!pto.tile<32x32xf32>, !pto.tile<32x32xf16>, !pto.tile<32x32xf16>) -> !pto.tile<32x32xf32>
    scf.yield %d : !pto.tile<32x32xf32>
  }
  return
}
}

// -----

module attributes {pto.target = "910B"} {
func.func @select(%c: i1, %a: !pto.gm<32x32xf16>) {
  %t = pto.tile.load %a[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16>
  // expected-error @+1 {{arith.select: cannot carry or select tiles; use for and if}}
  %s = arith.select %c, %t, %t : !pto.tile<32x32xf16>
  return
}
}

// -----

module attributes {pto.target = "910B"} {
func.func @parameter(%t: !pto.tile<32x32xf16>) {
  // expected-error @+1 {{pl.exp: uses [32, 32] FP16, whose memory space is not known}}
  %s = pto.tile.exp %t : !pto.tile<32x32xf16>
  return
}
}

// -----

module attributes {pto.target = "910B"} {
func.func @acc_as_operand(%a: !pto.gm<32x32xf16>) {
  %b = pto.tile.load %a[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16>
  // expected-note @+1 {{pl.matmul makes it here, in Acc}}
  %c = pto.tile.matmul %b, %b : !pto.tile<32x32xf16> -> !pto.tile<32x32xf32>
  // expected-error @+1 {{pl.matmul: operand 1, [32, 32] FP32 in Acc is needed in Left, and no path leads from Acc to Left on 910B; store it to an array, and load that in a second kernel}}
  %d = pto.tile.matmul %c, %b : (!pto.tile<32x32xf32>, !pto.tile<32x32xf16>) -> !pto.tile<32x32xf32>
  return
}
}

// -----

module attributes {pto.target = "910B"} {
func.func @two_accs(%a: !pto.gm<32x32xf16>) {
  %b = pto.tile.load %a[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16>
  // expected-note @+1 {{pl.matmul makes it here, in Acc}}
  %c = pto.tile.matmul %b, %b : !pto.tile<32x32xf16> -> !pto.tile<32x32xf32, acc>
  // expected-error @+1 {{pl.matmul: operand 2, [32, 32] FP32 in Acc is needed in Right, and no path leads from Acc to Right on 910B; store it to an array, and load that in a second kernel}}
  %d = pto.tile.matmul %b, %c : (!pto.tile<32x32xf16>, !pto.tile<32x32xf32, acc>) -> !pto.tile<32x32xf32>
  return
}
}

// -----

module attributes {pto.target = "910B"} {
func.func @acc_moved(%a: !pto.gm<32x32xf16>) {
  %b = pto.tile.load %a[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16>
  // expected-note @+1 {{pl.matmul makes it here, in Acc}}
  %c = pto.tile.matmul %b, %b : !pto.tile<32x32xf16> -> !pto.tile<32x32xf32, acc>
  // expected-error @+1 {{pl.move: [32, 32] FP32 in Acc is needed in Left, and no path leads from Acc to Left on 910B; store it to an array, and load that in a second kernel}}
  %l = pto.tile.move %c : !pto.tile<32x32xf32, acc> -> !pto.tile<32x32xf32, left>
  %d = pto.tile.matmul %l, %b : (!pto.tile<32x32xf32, left>, !pto.tile<32x32xf16>) -> !pto.tile<32x32xf32>
  return
}
}

// -----

module attributes {pto.target = "910B"} {
func.func @acc_through_mat(%a: !pto.gm<32x32xf16>) {
  %b = pto.tile.load %a[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16>
  // expected-note @+1 {{pl.matmul makes it here, in Acc}}
  %c = pto.tile.matmul %b, %b : !pto.tile<32x32xf16> -> !pto.tile<32x32xf32, acc>
  %m = pto.tile.move %c : !pto.tile<32x32xf32, acc> -> !pto.tile<32x32xf32, mat>
  // expected-error @+1 {{pl.matmul: operand 1, [32, 32] FP32 in Acc is needed in Left, and no path leads from Acc to Left on 910B; store it to an array, and load that in a second kernel}}
  %d = pto.tile.matmul %m, %b : (!pto.tile<32x32xf32, mat>, !pto.tile<32x32xf16>) -> !pto.tile<32x32xf32>
  return
}
}
