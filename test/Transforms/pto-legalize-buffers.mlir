// RUN: pypto-opt %s --pto-legalize --split-input-file | FileCheck %s

// The steps of what the chip lacks are in scratch, the last one in the destination.
module attributes {pto.target = "910B"} {
// CHECK-LABEL: func.func @either
func.func @either(%n: index) attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<8x64xi16, vec, nd>
  %b = pto.tile.alloc {addrs = array<i64: 1024>, pinned} : !pto.buf<8x64xi16, vec, nd>
  %x = pto.tile.subview %a[0, 0] [%n, 40] : !pto.buf<8x64xi16, vec, nd> -> !pto.buf<?x40xi16, vec, nd, of<8x64>>
  %y = pto.tile.subview %b[0, 0] [%n, 40] : !pto.buf<8x64xi16, vec, nd> -> !pto.buf<?x40xi16, vec, nd, of<8x64>>
  pto.tile.xor ins(%x, %y : !pto.buf<?x40xi16, vec, nd, of<8x64>>, !pto.buf<?x40xi16, vec, nd, of<8x64>>) outs(%x : !pto.buf<?x40xi16, vec, nd, of<8x64>>)
  return
}
}
// CHECK-COUNT-3: pto.tile.alloc {pto.reason = "holds a step of {{.*}}xor{{.*}}, for which the 910B has no single instruction"} : !pto.buf<8x48xi16, vec, nd>
// CHECK: %[[X:.*]] = pto.tile.subview
// CHECK: %[[Y:.*]] = pto.tile.subview
// CHECK: pto.tile.and ins(%[[X]], %[[Y]] :{{.*}}outs(%[[BOTH:[^ ]*]] : !pto.buf<?x40xi16, vec, nd, of<8x48>>)
// CHECK-NOT: outs(%[[X]]
// CHECK: pto.tile.and ins({{.*}}outs(%[[X]] :
// CHECK-NOT: unrealized
// CHECK: return

// -----

// A column is converted in a column, a mask has a byte for eight elements, and what the chip
// has stays.
module attributes {pto.target = "910B"} {
// CHECK-LABEL: func.func @others
func.func @others() attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<8x64xbf16, vec, nd>
  %v = pto.tile.alloc {addrs = array<i64: 1024>, pinned} : !pto.buf<8x1xbf16, vec, dn>
  %f = pto.tile.alloc {addrs = array<i64: 2048>, pinned} : !pto.buf<8x64xf32, vec, nd>
  %i = pto.tile.alloc {addrs = array<i64: 4096>, pinned} : !pto.buf<8x64xi32, vec, nd>
  %m = pto.tile.alloc {addrs = array<i64: 8192>, pinned} : !pto.buf<8x32xui8, vec, nd>
  %bits = pto.tile.subview %m[0, 0] [8, 8] : !pto.buf<8x32xui8, vec, nd> -> !pto.buf<8x8xui8, vec, nd, of<8x32>>
  // CHECK: pto.tile.cast ins(%{{.*}} : !pto.buf<8x64xbf16, vec, nd>) outs(%{{.*}} : !pto.buf<8x64xf32, vec, nd>)
  // CHECK: pto.tile.row_max ins(%{{.*}}) outs(%[[WIDE:.*]] : !pto.buf<8x1xf32, vec, dn>)
  // CHECK: pto.tile.cast ins(%[[WIDE]] :{{.*}}outs(%{{.*}} : !pto.buf<8x1xbf16, vec, dn>)
  pto.tile.row_max ins(%a : !pto.buf<8x64xbf16, vec, nd>) outs(%v : !pto.buf<8x1xbf16, vec, dn>)
  // CHECK: pto.tile.cmp ins({{.*}}mode = #pto.compare<eq>{{.*}}
  // CHECK: pto.tile.not ins(%{{.*}} : !pto.buf<8x8xui8, vec, nd, of<8x32>>) outs(%{{.*}} : !pto.buf<8x8xui8, vec, nd, of<8x32>>)
  pto.tile.cmp ins(%i, %i : !pto.buf<8x64xi32, vec, nd>, !pto.buf<8x64xi32, vec, nd>) outs(%bits : !pto.buf<8x8xui8, vec, nd, of<8x32>>) {mode = #pto.compare<ne>}
  // CHECK: pto.tile.add ins(%[[F:.*]], %[[F]] :{{.*}}outs(%[[F]] : !pto.buf<8x64xf32, vec, nd>)
  pto.tile.add ins(%f, %f : !pto.buf<8x64xf32, vec, nd>, !pto.buf<8x64xf32, vec, nd>) outs(%f : !pto.buf<8x64xf32, vec, nd>)
  return
}
}

// -----

// Bits of bytes are those of pairs of them, unless a window ends within a pair.
module attributes {pto.target = "910B"} {
// CHECK-LABEL: func.func @odd
func.func @odd() attributes {pto.kind = #pto.kind<aiv>} {
  %a = pto.tile.alloc {addrs = array<i64: 0>, pinned} : !pto.buf<8x64xi8, vec, nd>
  %x = pto.tile.subview %a[0, 0] [8, 40] : !pto.buf<8x64xi8, vec, nd> -> !pto.buf<8x40xi8, vec, nd, of<8x64>>
  %y = pto.tile.subview %a[0, 0] [8, 41] : !pto.buf<8x64xi8, vec, nd> -> !pto.buf<8x41xi8, vec, nd, of<8x64>>
  // CHECK: pto.tile.not ins(%[[X:.*]] : !pto.buf<8x40xi8, vec, nd, of<8x64>>) outs(%[[X]] :
  pto.tile.not ins(%x : !pto.buf<8x40xi8, vec, nd, of<8x64>>) outs(%x : !pto.buf<8x40xi8, vec, nd, of<8x64>>)
  // CHECK: pto.tile.not ins(%{{.*}} : !pto.buf<8x41xi16, vec, nd, of<8x48>>)
  pto.tile.not ins(%y : !pto.buf<8x41xi8, vec, nd, of<8x64>>) outs(%y : !pto.buf<8x41xi8, vec, nd, of<8x64>>)
  return
}
}
