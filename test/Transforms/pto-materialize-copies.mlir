// RUN: pypto-opt %s --pto-materialize-copies | FileCheck %s

!t = !pto.tile<64x64xf32, vec, nd>
!acc = !pto.tile<32x32xf32, acc, nz>
!l = !pto.tile<32x32xf16, left, zz>
!r = !pto.tile<32x32xf16, right, zn>
!m = !pto.tile<32x32xf16, mat, nz>
module attributes {pto.target = "910B"} {
// One buffer from init to result: nothing to copy.
// CHECK-LABEL: func.func @none
// CHECK-NOT: pto.tile.move
func.func @none(%x: !pto.gm<64x64xf32>, %c: i1) attributes {pto.kind = #pto.kind<aiv>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = pto.tile.load %x[0, 0] : !pto.gm<64x64xf32> -> !t
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %a) -> (!t) {
    %q = scf.if %c -> !t {
      %b = pto.tile.exp %t : !t
      scf.yield %b : !t
    } else {
      scf.yield %t : !t
    }
    scf.yield %q : !t
  }
  pto.tile.store %r, %x[0, 0] : !t -> !pto.gm<64x64xf32>
  return
}

// The init is needed after the loop: a copy of it, before the loop, not in it.
// CHECK-LABEL: func.func @init_used_later
// CHECK: %[[A:.*]] = pto.tile.load
// CHECK-NEXT: %[[COPY:.*]] = pto.tile.move %[[A]] {pto.reason = "the loop carries 'acc', and 'a' is still needed when its buffer would be written over"}
// CHECK-NEXT: scf.for {{.*}} iter_args(%{{.*}} = %[[COPY]])
// CHECK-NOT: pto.tile.move
func.func @init_used_later(%x: !pto.gm<64x64xf32>) attributes {pto.kind = #pto.kind<aiv>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = pto.tile.load %x[0, 0] : !pto.gm<64x64xf32> -> !t loc("a")
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %a) -> (!t) {
    %b = pto.tile.exp %t : !t loc("acc")
    scf.yield %b : !t
  }
  %s = pto.tile.add %r, %a : !t
  pto.tile.store %s, %x[0, 0] : !t -> !pto.gm<64x64xf32>
  return
}

// One init for two carried tiles.
// CHECK-LABEL: func.func @one_init_two_carries
// CHECK: %[[Z:.*]] = pto.tile.full
// CHECK-NEXT: %[[COPY:.*]] = pto.tile.move %[[Z]]
// CHECK-NEXT: scf.for {{.*}} iter_args(%{{.*}} = %[[Z]], %{{.*}} = %[[COPY]])
// CHECK-NOT: pto.tile.move
func.func @one_init_two_carries(%x: !pto.gm<64x64xf32>) attributes {pto.kind = #pto.kind<aiv>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %z = pto.tile.full %zero : f32 -> !t
  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%p = %z, %q = %z) -> (!t, !t) {
    %e = pto.tile.exp %p : !t
    %f = pto.tile.add %q, %e : !t
    scf.yield %e, %f : !t, !t
  }
  pto.tile.store %r#0, %x[0, 0] : !t -> !pto.gm<64x64xf32>
  pto.tile.store %r#1, %x[0, 0] : !t -> !pto.gm<64x64xf32>
  return
}

// A swap needs a third place.
// CHECK-LABEL: func.func @swap
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}})
// CHECK-NEXT: %[[T:.*]] = pto.tile.move %[[Q]]
// CHECK-NEXT: %[[NEWQ:.*]] = pto.tile.move %[[P]]
// CHECK-NEXT: %[[NEWP:.*]] = pto.tile.move %[[T]]
// CHECK-NEXT: scf.yield %[[NEWP]], %[[NEWQ]]
func.func @swap(%x: !pto.gm<64x64xf32>) attributes {pto.kind = #pto.kind<aiv>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = pto.tile.load %x[0, 0] : !pto.gm<64x64xf32> -> !t
  %b = pto.tile.load %x[0, 0] : !pto.gm<64x64xf32> -> !t
  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%p = %a, %q = %b) -> (!t, !t) {
    scf.yield %q, %p : !t, !t
  }
  pto.tile.store %r#0, %x[0, 0] : !t -> !pto.gm<64x64xf32>
  pto.tile.store %r#1, %x[0, 0] : !t -> !pto.gm<64x64xf32>
  return
}

// The carried tile is read after its next value is made.
// CHECK-LABEL: func.func @read_after_next
// CHECK: %[[NEXT:.*]] = pto.tile.exp
// CHECK: %[[D:.*]] = pto.tile.sub
// CHECK: pto.tile.store %[[D]]
// CHECK-NEXT: %[[COPY:.*]] = pto.tile.move %[[NEXT]]
// CHECK-NEXT: scf.yield %[[COPY]]
func.func @read_after_next(%x: !pto.gm<64x64xf32>) attributes {pto.kind = #pto.kind<aiv>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = pto.tile.load %x[0, 0] : !pto.gm<64x64xf32> -> !t
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %a) -> (!t) {
    %b = pto.tile.exp %t : !t
    %d = pto.tile.sub %b, %t : !t
    pto.tile.store %d, %x[0, 0] : !t -> !pto.gm<64x64xf32>
    scf.yield %b : !t
  }
  pto.tile.store %r, %x[0, 0] : !t -> !pto.gm<64x64xf32>
  return
}

// The value yielded comes from outside and lives on; zero iterations give the init.
// CHECK-LABEL: func.func @yield_from_outside
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[A:.*]])
// CHECK: %[[COPY:.*]] = pto.tile.move %[[B:.*]] {
// CHECK-NEXT: scf.yield %[[COPY]]
func.func @yield_from_outside(%x: !pto.gm<64x64xf32>, %n: index) attributes {pto.kind = #pto.kind<aiv>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = pto.tile.load %x[0, 0] : !pto.gm<64x64xf32> -> !t
  %b = pto.tile.load %x[0, 0] : !pto.gm<64x64xf32> -> !t
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %a) -> (!t) {
    pto.tile.store %t, %x[0, 0] : !t -> !pto.gm<64x64xf32>
    scf.yield %b : !t
  }
  pto.tile.store %r, %x[0, 0] : !t -> !pto.gm<64x64xf32>
  return
}

// One value yielded twice; a select becomes a branch, whose arm lives on.
// CHECK-LABEL: func.func @twice
// CHECK: scf.if
// CHECK-NEXT: scf.yield
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[ARM:.*]] = pto.tile.move
// CHECK-NEXT: scf.yield %[[ARM]]
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}})
// CHECK-NEXT: %[[E:.*]] = pto.tile.exp %[[P]]
// CHECK-NEXT: %[[COPY:.*]] = pto.tile.move %[[E]]
// CHECK-NEXT: scf.yield %[[E]], %[[COPY]]
func.func @twice(%x: !pto.gm<64x64xf32>, %c: i1) attributes {pto.kind = #pto.kind<aiv>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = pto.tile.load %x[0, 0] : !pto.gm<64x64xf32> -> !t
  %b = pto.tile.load %x[0, 0] : !pto.gm<64x64xf32> -> !t
  %s = arith.select %c, %a, %b : !t
  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%p = %s, %q = %b) -> (!t, !t) {
    %e = pto.tile.exp %p : !t
    scf.yield %e, %e : !t, !t
  }
  pto.tile.store %r#0, %x[0, 0] : !t -> !pto.gm<64x64xf32>
  pto.tile.store %r#1, %x[0, 0] : !t -> !pto.gm<64x64xf32>
  return
}

// A product in one arm, an addition to the accumulator in the other: one buffer.
// CHECK-LABEL: func.func @accumulate
// CHECK-NOT: pto.tile.move
func.func @accumulate(%l: !pto.gm<32x32xf16>, %c: !pto.gm<32x32xf32>) attributes {pto.kind = #pto.kind<aic>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %m = pto.tile.load %l[0, 0] : !pto.gm<32x32xf16> -> !m
  // CHECK: pto.tile.move
  %a = pto.tile.move %m : !m -> !l
  // CHECK: pto.tile.move
  %b = pto.tile.move %m : !m -> !r
  // CHECK-NOT: pto.tile.move
  %s = pto.tile.matmul %a, %b : (!l, !r) -> !acc
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %s) -> (!acc) {
    %first = arith.cmpi eq, %i, %c0 : index
    %q = scf.if %first -> !acc {
      %p = pto.tile.matmul %a, %b : (!l, !r) -> !acc
      scf.yield %p : !acc
    } else {
      %p = pto.tile.matmul_acc %t, %a, %b : (!acc, !l, !r) -> !acc
      scf.yield %p : !acc
    }
    scf.yield %q : !acc
  }
  pto.tile.store %r, %c[0, 0] : !acc -> !pto.gm<32x32xf32>
  return
}

// Mat has no copy path: what is loaded from an unchanged array is loaded again.
// CHECK-LABEL: func.func @load_again
// CHECK: %[[M:.*]] = pto.tile.load %[[X:.*]][0, 0]
// CHECK-NEXT: %[[AGAIN:.*]] = pto.tile.load %[[X]][0, 0] {pto.reason = "the loop carries
// CHECK-NEXT: scf.for {{.*}} iter_args(%{{.*}} = %[[AGAIN]])
func.func @load_again(%x: !pto.gm<32x32xf16>, %c: !pto.gm<32x32xf32>) attributes {pto.kind = #pto.kind<aic>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %m = pto.tile.load %x[0, 0] : !pto.gm<32x32xf16> -> !m
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %m) -> (!m) {
    %a = pto.tile.move %t : !m -> !l
    %b = pto.tile.move %m : !m -> !r
    %s = pto.tile.matmul %a, %b : (!l, !r) -> !acc
    pto.tile.store %s, %c[0, 0] : !acc -> !pto.gm<32x32xf32>
    %n = pto.tile.load %x[0, 0] : !pto.gm<32x32xf16> -> !m
    scf.yield %n : !m
  }
  return
}
}
