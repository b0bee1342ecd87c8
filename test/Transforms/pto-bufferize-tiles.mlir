// RUN: pypto-opt %s --pto-bufferize-tiles | FileCheck %s
// RUN: pypto-opt %s --pto-bufferize-tiles --mlir-print-debuginfo --mlir-use-nameloc-as-prefix | FileCheck %s --check-prefix=NAME

!t = !pto.tile<64x104xf32, vec, nd>
!v = !pto.tile<30x1xf32, vec, dn>
module attributes {pto.target = "910B"} {
// Init, carried, yielded and given tile are one allocation; windows are valid extents.
// CHECK-LABEL: func.func @loop
// CHECK-SAME: (%[[X:.*]]: !pto.gm<64x104xf32>, %[[N:[a-z0-9]+]]: index
// CHECK-NEXT: %[[A:.*]] = pto.tile.alloc : !pto.buf<64x104xf32, vec, nd>
// CHECK-NEXT: %[[B:.*]] = pto.tile.alloc : !pto.buf<64x104xf32, vec, nd>
// CHECK-NOT: pto.tile.alloc
// CHECK: %[[W:.*]] = pto.tile.subview %[[A]] [0, 0] [64, 100] : !pto.buf<64x104xf32, vec, nd> -> !pto.buf<64x100xf32, vec, nd, of<64x104>>
// CHECK: pto.tile.load ins(%[[X]][0, 0] : !pto.gm<64x104xf32>) outs(%[[W]] : !pto.buf<64x100xf32, vec, nd, of<64x104>>)
// CHECK: %[[ROWS:.*]] = scf.for {{.*}} iter_args(%[[R:.*]] = %{{.*}}) -> (index) {
// CHECK: %[[T:.*]] = pto.tile.subview %[[A]] [0, 0] [%[[R]], 100] : !pto.buf<64x104xf32, vec, nd> -> !pto.buf<?x100xf32, vec, nd, of<64x104>>
// CHECK: %[[E:.*]] = pto.tile.subview %[[B]] [0, 0] [%[[R]], 100]
// CHECK: pto.tile.exp ins(%[[T]] : {{.*}}) outs(%[[E]] : {{.*}})
// CHECK: scf.if %{{.*}} {
// CHECK-NOT: else
// CHECK: }
// CHECK: scf.yield %[[N]] : index
// CHECK: %[[S:.*]] = pto.tile.subview %[[A]] [0, 0] [%[[ROWS]], 100]
// CHECK: pto.tile.store ins(%[[S]] : {{.*}}) outs(%[[X]][0, 0] : !pto.gm<64x104xf32>)
// CHECK-NOT: set_validshape
// NAME-LABEL: func.func @loop
// NAME: %acc = pto.tile.alloc
func.func @loop(%x: !pto.gm<64x104xf32>, %n: index, %c: i1) attributes {pto.kind = #pto.kind<aiv>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %a = pto.tile.load %x[0, 0] valid [64, 100] : !pto.gm<64x104xf32> -> !t loc("acc")
  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %a, %rows = %c64) -> (!t, index) {
    %u = pto.tile.set_validshape %t [%rows, 100] : !t
    %e = pto.tile.exp %u : !t
    pto.tile.store %e, %x[0, 0] : !t -> !pto.gm<64x104xf32>
    %q = scf.if %c -> !t {
      %l = pto.tile.load %x[0, 0] valid [%n, 100] : !pto.gm<64x104xf32> -> !t
      scf.yield %l : !t
    } else {
      scf.yield %t : !t
    }
    scf.yield %q, %n : !t, index
  }
  %s = pto.tile.set_validshape %r#0 [%r#1, 100] : !t
  pto.tile.store %s, %x[0, 0] : !t -> !pto.gm<64x104xf32>
  return
}

// Vectors have room for a multiple of eight; an operation's windows are those of
// its first source.
// CHECK-LABEL: func.func @vector
// CHECK: %[[A:.*]] = pto.tile.alloc : !pto.buf<30x64xf32, vec, nd>
// CHECK: %[[M:.*]] = pto.tile.alloc : !pto.buf<32x1xf32, vec, dn>
// CHECK: %[[D:.*]] = pto.tile.alloc : !pto.buf<30x64xf32, vec, nd>
// CHECK: %[[W:.*]] = pto.tile.subview %[[M]] [0, 0] [30, 1] : !pto.buf<32x1xf32, vec, dn> -> !pto.buf<30x1xf32, vec, dn, of<32x1>>
// CHECK: pto.tile.row_max ins(%[[A]] : !pto.buf<30x64xf32, vec, nd>) outs(%[[W]] : !pto.buf<30x1xf32, vec, dn, of<32x1>>)
// CHECK: %[[V:.*]] = pto.tile.subview %[[M]] [0, 0] [30, 1]
// CHECK: pto.tile.row_expand_sub ins(%[[A]], %[[V]] : !pto.buf<30x64xf32, vec, nd>, !pto.buf<30x1xf32, vec, dn, of<32x1>>) outs(%[[D]] : !pto.buf<30x64xf32, vec, nd>)
func.func @vector(%x: !pto.gm<30x64xf32>) attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.load %x[0, 0] : !pto.gm<30x64xf32> -> !pto.tile<30x64xf32, vec, nd>
  %m = pto.tile.row_max %a : !pto.tile<30x64xf32, vec, nd> -> !v
  %d = pto.tile.row_expand_sub %a, %m : (!pto.tile<30x64xf32, vec, nd>, !v) -> !pto.tile<30x64xf32, vec, nd>
  pto.tile.store %d, %x[0, 0] : !pto.tile<30x64xf32, vec, nd> -> !pto.gm<30x64xf32>
  return
}

// A product has the rows of its left and the columns of its right operand; moves
// of fractals are whole; the accumulator is written in place; attributes stay.
// CHECK-LABEL: func.func @product
// CHECK: %[[ACC:.*]] = pto.tile.alloc : !pto.buf<48x112xf32, acc, nz>
// CHECK-NOT: acc, nz>{{$}}
// CHECK: pto.tile.move ins(%{{.*}} : !pto.buf<48x80xf16, mat, nz>) outs(%[[L:.*]] : !pto.buf<48x80xf16, left, zz>) {pto.reason = "for pl.matmul"}
// CHECK: %[[LW:.*]] = pto.tile.subview %{{.*}} [0, 0] [40, 70] : !pto.buf<48x80xf16, left, zz> -> !pto.buf<40x70xf16, left, zz, of<48x80>>
// CHECK: %[[RW:.*]] = pto.tile.subview %{{.*}} [0, 0] [70, 100] : !pto.buf<80x112xf16, right, zn>
// CHECK: %[[AW:.*]] = pto.tile.subview %[[ACC]] [0, 0] [40, 100]
// CHECK: pto.tile.matmul ins(%[[LW]], %[[RW]] : {{.*}}) outs(%[[AW]] :
// CHECK: %[[AW2:.*]] = pto.tile.subview %[[ACC]] [0, 0] [40, 100]
// CHECK: pto.tile.matmul_acc ins(%[[AW2]], %{{.*}}, %{{.*}} : {{.*}}) outs(%[[AW2]] :
func.func @product(%a: !pto.gm<40x70xf16>, %b: !pto.gm<70x100xf16>, %c: !pto.gm<40x100xf32>) attributes {pto.kind = #pto.kind<aic>} {
  %am = pto.tile.load %a[0, 0] valid [40, 70] : !pto.gm<40x70xf16> -> !pto.tile<48x80xf16, mat, nz>
  %bm = pto.tile.load %b[0, 0] valid [70, 100] : !pto.gm<70x100xf16> -> !pto.tile<80x112xf16, mat, nz>
  %l = pto.tile.move %am {pto.reason = "for pl.matmul"} : !pto.tile<48x80xf16, mat, nz> -> !pto.tile<48x80xf16, left, zz>
  %r = pto.tile.move %bm : !pto.tile<80x112xf16, mat, nz> -> !pto.tile<80x112xf16, right, zn>
  %p = pto.tile.matmul %l, %r : (!pto.tile<48x80xf16, left, zz>, !pto.tile<80x112xf16, right, zn>) -> !pto.tile<48x112xf32, acc, nz>
  %q = pto.tile.matmul_acc %p, %l, %r : (!pto.tile<48x112xf32, acc, nz>, !pto.tile<48x80xf16, left, zz>, !pto.tile<80x112xf16, right, zn>) -> !pto.tile<48x112xf32, acc, nz>
  pto.tile.store %q, %c[0, 0] : !pto.tile<48x112xf32, acc, nz> -> !pto.gm<40x100xf32>
  return
}

// Attributes of an operation go with it.
// CHECK-LABEL: func.func @cast
// CHECK: pto.tile.cast ins(%{{.*}} : !pto.buf<16x64xf32, vec, nd>) outs(%{{.*}} : !pto.buf<16x64xf16, vec, nd>) {round = #pto.round<floor>}
func.func @cast(%x: !pto.gm<16x64xf32>, %y: !pto.gm<16x64xf16>) attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.load %x[0, 0] : !pto.gm<16x64xf32> -> !pto.tile<16x64xf32, vec, nd>
  %b = pto.tile.cast %a {round = #pto.round<floor>} : !pto.tile<16x64xf32, vec, nd> -> !pto.tile<16x64xf16, vec, nd>
  pto.tile.store %b, %y[0, 0] : !pto.tile<16x64xf16, vec, nd> -> !pto.gm<16x64xf16>
  return
}

// What is not known to be valid is a window of what is; what is known is not.
// CHECK-LABEL: func.func @differ
// CHECK-SAME: %[[N:[a-z0-9]+]]: index, %[[M:[a-z0-9]+]]: index
// CHECK: %[[A:.*]] = pto.tile.alloc
// CHECK: %[[B:.*]] = pto.tile.alloc
// CHECK: %[[V:.*]] = pto.tile.subview %[[B]] [0, 0] [%[[M]], 64]
// CHECK-NEXT: pto.tile.load {{.*}} outs(%[[V]] :
// CHECK: %[[AW:.*]] = pto.tile.subview %[[A]] [0, 0] [%[[N]], 64]
// CHECK-NEXT: %[[BV:.*]] = pto.tile.subview %[[B]] [0, 0] [%[[M]], 64]
// CHECK-NEXT: %[[BW:.*]] = pto.tile.subview %[[BV]] [0, 0] [%[[N]], 64] : !pto.buf<?x64xf32, vec, nd, of<16x64>> -> !pto.buf<?x64xf32, vec, nd, of<16x64>>
// CHECK: pto.tile.add ins(%[[AW]], %[[BW]] :
// CHECK: %[[SW:.*]] = pto.tile.subview %{{.*}} [0, 0] [%[[N]], 64]
// CHECK-NEXT: %[[AW2:.*]] = pto.tile.subview %[[A]] [0, 0] [%[[N]], 64]
// CHECK-NOT: pto.tile.subview %[[AW2]]
// CHECK: pto.tile.mul ins(%[[SW]], %[[AW2]] :
// CHECK: %[[V2:.*]] = pto.tile.subview %[[B]] [0, 0] [%[[M]], 64]
// CHECK-NEXT: %[[G:.*]] = pto.tile.subview %[[V2]] [0, 0] [%[[N]], 64]
// CHECK-NEXT: pto.tile.store ins(%[[G]] :
func.func @differ(%x: !pto.gm<16x64xf32>, %n: index, %m: index) attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.load %x[0, 0] valid [%n, 64] : !pto.gm<16x64xf32> -> !pto.tile<16x64xf32, vec, nd>
  %b = pto.tile.load %x[0, 0] valid [%m, 64] : !pto.gm<16x64xf32> -> !pto.tile<16x64xf32, vec, nd>
  %s = pto.tile.add %a, %b : !pto.tile<16x64xf32, vec, nd>
  %p = pto.tile.mul %s, %a : !pto.tile<16x64xf32, vec, nd>
  pto.tile.store %p, %x[0, 0] : !pto.tile<16x64xf32, vec, nd> -> !pto.gm<16x64xf32>
  %g = pto.tile.set_validshape %b [%n, 64] : !pto.tile<16x64xf32, vec, nd>
  pto.tile.store %g, %x[0, 0] : !pto.tile<16x64xf32, vec, nd> -> !pto.gm<16x64xf32>
  return
}

// Allocations of a section stand in it.
// CHECK-LABEL: func.func @section
// CHECK: pto.block.section aiv {
// CHECK-NEXT: pto.tile.alloc
func.func @section(%x: !pto.gm<16x64xf32>) attributes {pto.kind = #pto.kind<group>} {
  pto.block.section aiv {
    %a = pto.tile.load %x[0, 0] : !pto.gm<16x64xf32> -> !pto.tile<16x64xf32, vec, nd>
    pto.tile.store %a, %x[0, 0] : !pto.tile<16x64xf32, vec, nd> -> !pto.gm<16x64xf32>
  }
  return
}
}
