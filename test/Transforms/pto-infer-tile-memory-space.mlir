// RUN: pypto-opt %s --pto-infer-tile-memory-space --split-input-file | FileCheck %s
// RUN: pypto-opt %s --pto-infer-tile-memory-space --split-input-file --mlir-print-debuginfo --mlir-use-nameloc-as-prefix | FileCheck %s --check-prefix=NAMES

// The product with its hand-written moves, without them, and from tensor level
// is one chain.

module attributes {pto.target = "910B"} {
// CHECK-LABEL: func.func @by_hand(
// CHECK-NEXT:    %[[A:.*]] = pto.tile.load %arg0[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16, mat>
// CHECK-NEXT:    %[[B:.*]] = pto.tile.load %arg1[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16, mat>
// CHECK-NEXT:    %[[L:.*]] = pto.tile.move %[[A]] : !pto.tile<32x32xf16, mat> -> !pto.tile<32x32xf16, left>
// CHECK-NEXT:    %[[R:.*]] = pto.tile.move %[[B]] : !pto.tile<32x32xf16, mat> -> !pto.tile<32x32xf16, right>
// CHECK-NEXT:    %[[C:.*]] = pto.tile.matmul %[[L]], %[[R]] : (!pto.tile<32x32xf16, left>, !pto.tile<32x32xf16, right>) -> !pto.tile<32x32xf32, acc>
// CHECK-NEXT:    pto.tile.store %[[C]], %arg2[0, 0] : !pto.tile<32x32xf32, acc> -> !pto.gm<32x32xf32>
func.func @by_hand(%a: !pto.gm<32x32xf16>, %b: !pto.gm<32x32xf16>, %out: !pto.gm<32x32xf32>) attributes {pto.kind = #pto.kind<in_core>} {
  %a1 = pto.tile.load %a[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16, mat>
  %b1 = pto.tile.load %b[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16, mat>
  %l = pto.tile.move %a1 : !pto.tile<32x32xf16, mat> -> !pto.tile<32x32xf16, left>
  %r = pto.tile.move %b1 : !pto.tile<32x32xf16, mat> -> !pto.tile<32x32xf16, right>
  %c = pto.tile.matmul %l, %r : (!pto.tile<32x32xf16, left>, !pto.tile<32x32xf16, right>) -> !pto.tile<32x32xf32>
  pto.tile.store %c, %out[0, 0] : !pto.tile<32x32xf32> -> !pto.gm<32x32xf32>
  return
}
// CHECK-LABEL: func.func @without_moves(
// CHECK-NEXT:    %[[A:.*]] = pto.tile.load %arg0[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16, mat>
// CHECK-NEXT:    %[[B:.*]] = pto.tile.load %arg1[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16, mat>
// CHECK-NEXT:    %[[L:.*]] = pto.tile.move %[[A]] {pto.reason = "operand 1 of pl.matmul is read from Left"} : !pto.tile<32x32xf16, mat> -> !pto.tile<32x32xf16, left>
// CHECK-NEXT:    %[[R:.*]] = pto.tile.move %[[B]] {pto.reason = "operand 2 of pl.matmul is read from Right"} : !pto.tile<32x32xf16, mat> -> !pto.tile<32x32xf16, right>
// CHECK-NEXT:    %[[C:.*]] = pto.tile.matmul %[[L]], %[[R]] : (!pto.tile<32x32xf16, left>, !pto.tile<32x32xf16, right>) -> !pto.tile<32x32xf32, acc>
// CHECK-NEXT:    pto.tile.store %[[C]], %arg2[0, 0] : !pto.tile<32x32xf32, acc> -> !pto.gm<32x32xf32>
// NAMES-LABEL: func.func @without_moves(
// NAMES:         %a1_Left = pto.tile.move %a1
func.func @without_moves(%a: !pto.gm<32x32xf16>, %b: !pto.gm<32x32xf16>, %out: !pto.gm<32x32xf32>) attributes {pto.kind = #pto.kind<in_core>} {
  %a1 = pto.tile.load %a[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16> loc("a1")
  %b1 = pto.tile.load %b[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16, mat>
  %c = pto.tile.matmul %a1, %b1 : (!pto.tile<32x32xf16>, !pto.tile<32x32xf16, mat>) -> !pto.tile<32x32xf32>
  pto.tile.store %c, %out[0, 0] : !pto.tile<32x32xf32> -> !pto.gm<32x32xf32>
  return
}

// One move for a block, a new one in another block.
// CHECK-LABEL: func.func @reuse(
// CHECK:         pto.tile.move {{.*}} left>
// CHECK-NEXT:    pto.tile.move {{.*}} right>
// CHECK-NEXT:    %[[C:.*]] = pto.tile.matmul
// CHECK-NEXT:    %[[D:.*]] = pto.tile.matmul_acc %[[C]]
// CHECK-NEXT:    scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[D]]) -> (!pto.tile<32x32xf32, acc>)
// CHECK-NEXT:      pto.tile.move {{.*}} left>
// CHECK-NEXT:      pto.tile.move {{.*}} right>
// CHECK-NEXT:      pto.tile.matmul_acc %[[ACC]]
func.func @reuse(%a: !pto.gm<32x32xf16>, %out: !pto.gm<32x32xf32>, %n: index) attributes {pto.kind = #pto.kind<in_core>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = pto.tile.load %a[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16>
  %c = pto.tile.matmul %t, %t : !pto.tile<32x32xf16> -> !pto.tile<32x32xf32>
  %d = pto.tile.matmul_acc %c, %t, %t : (!pto.tile<32x32xf32>, !pto.tile<32x32xf16>, !pto.tile<32x32xf16>) -> !pto.tile<32x32xf32>
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %d) -> (!pto.tile<32x32xf32>) {
    %e = pto.tile.matmul_acc %acc, %t, %t : (!pto.tile<32x32xf32>, !pto.tile<32x32xf16>, !pto.tile<32x32xf16>) -> !pto.tile<32x32xf32>
    scf.yield %e : !pto.tile<32x32xf32>
  }
  pto.tile.store %l, %out[0, 0] : !pto.tile<32x32xf32> -> !pto.gm<32x32xf32>
  return
}
}

// -----

// A load that both kinds of core ask for becomes two, through valid extents.

module attributes {pto.target = "910B"} {
// CHECK-LABEL: func.func @both(
// CHECK-NEXT:    %[[V:.*]] = pto.tile.load {{.*}}vec>
// CHECK-NEXT:    %[[M:.*]] = pto.tile.load {{.*}}mat>
// CHECK-NEXT:    %[[W:.*]] = pto.tile.set_validshape %[[V]]
// CHECK-NEXT:    %[[X:.*]] = pto.tile.set_validshape %[[M]]
// CHECK-NEXT:    pto.tile.exp %[[W]] : !pto.tile<32x32xf16, vec>
// CHECK-NEXT:    %[[L:.*]] = pto.tile.move %[[X]] {{.*}} left>
// CHECK-NEXT:    %[[R:.*]] = pto.tile.move %[[M]] {{.*}} right>
// CHECK-NEXT:    pto.tile.matmul %[[L]], %[[R]]
func.func @both(%a: !pto.gm<32x32xf16>) attributes {pto.kind = #pto.kind<in_core>} {
  %t = pto.tile.load %a[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16>
  %u = pto.tile.set_validshape %t [20, 20] : !pto.tile<32x32xf16>
  %e = pto.tile.exp %u : !pto.tile<32x32xf16>
  %c = pto.tile.matmul %u, %t : !pto.tile<32x32xf16> -> !pto.tile<32x32xf32>
  return
}
}

// -----

module attributes {pto.target = "910B"} {
// Carried, selected and unused tiles; init, argument, yield and result refine together.
// CHECK-LABEL: func.func @control(
// CHECK:         %[[T:.*]] = pto.tile.load {{.*}} -> !pto.tile<32x32xf32, vec>
// CHECK:         %[[Z:.*]] = pto.tile.full {{.*}} -> !pto.tile<32x32xf32, vec>
// CHECK:         %[[L:.*]]:2 = scf.for {{.*}} iter_args(%[[A:.*]] = %[[Z]], %[[B:.*]] = %[[T]]) -> (!pto.tile<32x32xf32, vec>, !pto.tile<32x32xf32, vec>) {
// CHECK:           %[[I:.*]] = scf.if %{{.*}} -> (!pto.tile<32x32xf32, vec>) {
// CHECK:             scf.yield %[[A]] : !pto.tile<32x32xf32, vec>
// CHECK:           scf.yield %[[B]], %[[I]] : !pto.tile<32x32xf32, vec>, !pto.tile<32x32xf32, vec>
// CHECK:         pto.tile.store %[[L]]#0
func.func @control(%a: !pto.gm<32x32xf32>, %out: !pto.gm<32x32xf32>, %n: index, %s: f32, %cond: i1) attributes {pto.kind = #pto.kind<in_core>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = pto.tile.load %a[0, 0] : !pto.gm<32x32xf32> -> !pto.tile<32x32xf32>
  %z = pto.tile.full %s : f32 -> !pto.tile<32x32xf32>
  %l:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z, %y = %t) -> (!pto.tile<32x32xf32>, !pto.tile<32x32xf32>) {
    %r = scf.if %cond -> !pto.tile<32x32xf32> {
      scf.yield %x : !pto.tile<32x32xf32>
    } else {
      %q = pto.tile.load %a[0, 0] : !pto.gm<32x32xf32> -> !pto.tile<32x32xf32>
      scf.yield %q : !pto.tile<32x32xf32>
    }
    scf.yield %y, %r : !pto.tile<32x32xf32>, !pto.tile<32x32xf32>
  }
  pto.tile.store %l#0, %out[0, 0] : !pto.tile<32x32xf32> -> !pto.gm<32x32xf32>
  return
}

// A load that a loop carries to a product goes to Mat.
// CHECK-LABEL: func.func @carried_operand(
// CHECK:         %[[T:.*]] = pto.tile.load {{.*}} -> !pto.tile<32x32xf16, mat>
// CHECK:         scf.for {{.*}} iter_args(%[[X:.*]] = %[[T]]) -> (!pto.tile<32x32xf16, mat>) {
// CHECK-NEXT:      pto.tile.move %[[X]] {{.*}} left>
// CHECK:           %[[N:.*]] = pto.tile.load {{.*}} -> !pto.tile<32x32xf16, mat>
// CHECK-NEXT:      scf.yield %[[N]]
func.func @carried_operand(%a: !pto.gm<32x32xf16>, %n: index) attributes {pto.kind = #pto.kind<in_core>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = pto.tile.load %a[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16>
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %t) -> (!pto.tile<32x32xf16>) {
    %c = pto.tile.matmul %x, %x : !pto.tile<32x32xf16> -> !pto.tile<32x32xf32>
    %u = pto.tile.load %a[0, 0] : !pto.gm<32x32xf16> -> !pto.tile<32x32xf16>
    scf.yield %u : !pto.tile<32x32xf16>
  }
  return
}
}
