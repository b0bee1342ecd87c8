// RUN: pypto-opt %s --pto-convert-tensor-to-tile-ops --split-input-file | FileCheck %s

// The function at tensor level and the one at tile level have one form.

// CHECK-LABEL: func.func @square_tensor(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: !pto.gm<128x128xf32> {pto.dir = #pto.dir<in>}, %[[OUT:[a-z0-9]+]]: !pto.gm<128x128xf32> {pto.dir = #pto.dir<out>}) attributes
// CHECK-NEXT:    %[[T:.*]] = pto.tile.load %[[X]][0, 0] : !pto.gm<128x128xf32> -> !pto.tile<128x128xf32>
// CHECK-NEXT:    %[[Y:.*]] = pto.tile.mul %[[T]], %[[T]] : !pto.tile<128x128xf32>
// CHECK-NEXT:    pto.tile.store %[[Y]], %[[OUT]][0, 0] : !pto.tile<128x128xf32> -> !pto.gm<128x128xf32>
// CHECK-NEXT:    return
func.func @square_tensor(%x: tensor<128x128xf32> {pto.dir = #pto.dir<in>}, %out: tensor<128x128xf32> {pto.dir = #pto.dir<out>}) -> tensor<128x128xf32>
    attributes {pto.kind = #pto.kind<in_core>} {
  %y = pto.tensor.mul %x, %x : tensor<128x128xf32>
  %o = pto.tensor.assemble %y into %out[0, 0] : tensor<128x128xf32> into tensor<128x128xf32>
  return %o : tensor<128x128xf32>
}
// CHECK-LABEL: func.func @square_tile(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: !pto.gm<128x128xf32> {pto.dir = #pto.dir<in>}, %[[OUT:[a-z0-9]+]]: !pto.gm<128x128xf32> {pto.dir = #pto.dir<out>}) attributes
// CHECK-NEXT:    %[[T:.*]] = pto.tile.load %[[X]][0, 0] : !pto.gm<128x128xf32> -> !pto.tile<128x128xf32>
// CHECK-NEXT:    %[[Y:.*]] = pto.tile.mul %[[T]], %[[T]] : !pto.tile<128x128xf32>
// CHECK-NEXT:    pto.tile.store %[[Y]], %[[OUT]][0, 0] : !pto.tile<128x128xf32> -> !pto.gm<128x128xf32>
// CHECK-NEXT:    return
func.func @square_tile(%x: tensor<128x128xf32> {pto.dir = #pto.dir<in>}, %out: tensor<128x128xf32> {pto.dir = #pto.dir<out>}) -> tensor<128x128xf32>
    attributes {pto.kind = #pto.kind<in_core>} {
  %t = pto.tile.load %x[0, 0] : tensor<128x128xf32> -> !pto.tile<128x128xf32>
  %y = pto.tile.mul %t, %t : !pto.tile<128x128xf32>
  %o = pto.tile.store %y, %out[0, 0] : !pto.tile<128x128xf32> -> tensor<128x128xf32>
  return %o : tensor<128x128xf32>
}

// The control plane keeps its tensors.
// CHECK-LABEL: func.func @levels(
// CHECK:         pto.block.dispatch @square_tensor(%{{.*}}, %{{.*}}) : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
func.func @levels(%x: tensor<128x128xf32>, %a: tensor<128x128xf32>) -> tensor<128x128xf32>
    attributes {pto.kind = #pto.kind<orchestration>} {
  %r = pto.block.dispatch @square_tensor(%x, %a) : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  return %r : tensor<128x128xf32>
}

// -----

// Rows are padded to 32 bytes; with FP16 in the function, to 32 bytes of FP16,
// since a conversion keeps the extents. What makes a tile of nothing says its extent.

// CHECK-LABEL: func.func @padded(
// CHECK:         %[[T:.*]] = pto.tile.load %{{.*}}[0, 0] valid [5, 43] : !pto.gm<5x43xf32> -> !pto.tile<5x48xf32>
// CHECK:         pto.tile.exp %[[T]] : !pto.tile<5x48xf32>
// CHECK:         %[[F:.*]] = pto.tile.full %{{.*}} : f32 -> !pto.tile<5x48xf32>
// CHECK:         %[[G:.*]] = pto.tile.set_validshape %[[F]] [5, 43] : !pto.tile<5x48xf32>
// CHECK:         %[[S:.*]] = pto.tile.add %{{.*}}, %[[G]]
// CHECK:         pto.tile.cast %[[S]] {round = #pto.round<rint>} : !pto.tile<5x48xf32> -> !pto.tile<5x48xf16>
func.func @padded(%x: tensor<5x43xf32>, %out: tensor<5x43xf16> {pto.dir = #pto.dir<out>}) -> tensor<5x43xf16>
    attributes {pto.kind = #pto.kind<in_core>} {
  %c = arith.constant 2.0 : f32
  %e = pto.tensor.exp %x : tensor<5x43xf32>
  %f = pto.tensor.full %c : f32 -> tensor<5x43xf32>
  %s = pto.tensor.add %e, %f : tensor<5x43xf32>
  %h = pto.tensor.cast %s {round = #pto.round<rint>} : tensor<5x43xf32> -> tensor<5x43xf16>
  %o = pto.tensor.assemble %h into %out[0, 0] : tensor<5x43xf16> into tensor<5x43xf16>
  return %o : tensor<5x43xf16>
}
// CHECK-LABEL: func.func @only_float(
// CHECK:         pto.tile.load %{{.*}}[0, 0] valid [5, 33] : !pto.gm<5x33xf32> -> !pto.tile<5x40xf32>
// CHECK:         pto.tile.neg %{{.*}} : !pto.tile<5x40xf32>
func.func @only_float(%x: tensor<5x33xf32>, %out: tensor<5x33xf32> {pto.dir = #pto.dir<out>}) -> tensor<5x33xf32>
    attributes {pto.kind = #pto.kind<in_core>} {
  %e = pto.tensor.neg %x : tensor<5x33xf32>
  %o = pto.tensor.assemble %e into %out[0, 0] : tensor<5x33xf32> into tensor<5x33xf32>
  return %o : tensor<5x33xf32>
}

// -----

// One value a row, a column, or in all: the operation's own form for that.

// CHECK-LABEL: func.func @broadcast(
// CHECK-DAG:     %[[X:.*]] = pto.tile.load %{{.*}} : !pto.gm<64x128xf32> -> !pto.tile<64x128xf32>
// CHECK:         %[[V:.*]] = pto.tile.row_max %[[X]] : !pto.tile<64x128xf32> -> !pto.tile<64x1xf32>
// CHECK:         %[[A:.*]] = pto.tile.row_expand_sub %[[X]], %[[V]]
// CHECK:         %[[B:.*]] = pto.tile.row_expand_add %[[A]], %[[V]]
// CHECK:         %[[C:.*]] = pto.tile.row_expand_min %[[B]], %[[V]]
// CHECK:         pto.tile.row_expand_div %[[C]], %[[V]]
func.func @broadcast(%x: tensor<64x128xf32>, %out: tensor<64x128xf32> {pto.dir = #pto.dir<out>}) -> tensor<64x128xf32>
    attributes {pto.kind = #pto.kind<in_core>} {
  %v = pto.tensor.row_max %x : tensor<64x128xf32> -> tensor<64x1xf32>
  %a = pto.tensor.sub %x, %v : (tensor<64x128xf32>, tensor<64x1xf32>) -> tensor<64x128xf32>
  %b = pto.tensor.add %a, %v : (tensor<64x128xf32>, tensor<64x1xf32>) -> tensor<64x128xf32>
  %c = pto.tensor.minimum %b, %v : (tensor<64x128xf32>, tensor<64x1xf32>) -> tensor<64x128xf32>
  %d = pto.tensor.row_expand_div %c, %v : (tensor<64x128xf32>, tensor<64x1xf32>) -> tensor<64x128xf32>
  %o = pto.tensor.assemble %d into %out[0, 0] : tensor<64x128xf32> into tensor<64x128xf32>
  return %o : tensor<64x128xf32>
}

// -----

// Products: operands padded to fractals; a result in FP16 is narrowed by the store.

// CHECK-LABEL: func.func @matmul(
// CHECK:         %[[A:.*]] = pto.tile.load %{{.*}}[0, 0] valid [40, 72] : !pto.gm<40x72xf16> -> !pto.tile<48x80xf16>
// CHECK:         %[[B:.*]] = pto.tile.load %{{.*}}[0, 0] valid [72, 100] : !pto.gm<72x100xf16> -> !pto.tile<80x112xf16>
// CHECK:         %[[C:.*]] = pto.tile.matmul %[[A]], %[[B]] : (!pto.tile<48x80xf16>, !pto.tile<80x112xf16>) -> !pto.tile<48x112xf32>
// CHECK:         %[[D:.*]] = pto.tile.matmul_acc %[[C]], %[[A]], %[[B]]
// CHECK:         pto.tile.store %[[D]], %{{.*}}[0, 0] : !pto.tile<48x112xf32> -> !pto.gm<40x100xf32>
// CHECK:         %[[H:.*]] = pto.tile.matmul %[[A]], %[[B]] : (!pto.tile<48x80xf16>, !pto.tile<80x112xf16>) -> !pto.tile<48x112xf32, acc>
// CHECK:         pto.tile.store %[[H]], %{{.*}}[0, 0] : !pto.tile<48x112xf32, acc> -> !pto.gm<40x100xf16>
func.func @matmul(%a: tensor<40x72xf16>, %b: tensor<72x100xf16>, %c: tensor<40x100xf32> {pto.dir = #pto.dir<out>}, %d: tensor<40x100xf16> {pto.dir = #pto.dir<out>}) -> (tensor<40x100xf32>, tensor<40x100xf16>)
    attributes {pto.kind = #pto.kind<in_core>} {
  %p = pto.tensor.matmul %a, %b : (tensor<40x72xf16>, tensor<72x100xf16>) -> tensor<40x100xf32>
  %q = pto.tensor.matmul_acc %p, %a, %b : (tensor<40x100xf32>, tensor<40x72xf16>, tensor<72x100xf16>) -> tensor<40x100xf32>
  %r = pto.tensor.assemble %q into %c[0, 0] : tensor<40x100xf32> into tensor<40x100xf32>
  %h = pto.tensor.matmul %a, %b : (tensor<40x72xf16>, tensor<72x100xf16>) -> tensor<40x100xf16>
  %s = pto.tensor.assemble %h into %d[0, 0] : tensor<40x100xf16> into tensor<40x100xf16>
  return %r, %s : tensor<40x100xf32>, tensor<40x100xf16>
}

// -----

// An array that was written is read from DDR again, or from the tile that was
// stored when that is the whole of it. Tile level and tensor level mix.

// CHECK-LABEL: func.func @state(
// CHECK:         %[[T:.*]] = pto.tile.load %[[X:.*]][0, 0] : !pto.gm<16x8xf32> -> !pto.tile<8x8xf32>
// CHECK:         pto.tile.store %[[T]], %[[OUT:.*]][8, 0] : !pto.tile<8x8xf32> -> !pto.gm<16x8xf32>
// CHECK-NEXT:    %[[L:.*]] = pto.tile.load %[[OUT]][0, 0] : !pto.gm<16x8xf32> -> !pto.tile<16x8xf32>
// CHECK-NEXT:    %[[E:.*]] = pto.tile.exp %[[L]]
// CHECK-NEXT:    pto.tile.store %[[E]], %[[OUT]][0, 0]
// CHECK-NEXT:    %[[N:.*]] = pto.tile.neg %[[E]]
// CHECK-NEXT:    pto.tile.store %[[N]], %[[OUT]][0, 0]
// CHECK-NEXT:    return
func.func @state(%x: tensor<16x8xf32>, %out: tensor<16x8xf32> {pto.dir = #pto.dir<inout>}) -> tensor<16x8xf32>
    attributes {pto.kind = #pto.kind<in_core>} {
  %t = pto.tile.load %x[0, 0] : tensor<16x8xf32> -> !pto.tile<8x8xf32>
  %o = pto.tile.store %t, %out[8, 0] : !pto.tile<8x8xf32> -> tensor<16x8xf32>
  %e = pto.tensor.exp %o : tensor<16x8xf32>
  %p = pto.tensor.assemble %e into %o[0, 0] : tensor<16x8xf32> into tensor<16x8xf32>
  %n = pto.tensor.neg %p : tensor<16x8xf32>
  %q = pto.tensor.assemble %n into %p[0, 0] : tensor<16x8xf32> into tensor<16x8xf32>
  return %q : tensor<16x8xf32>
}

// -----

// A loop carries a temporary as a tile, an array not at all, and an index as it is.

// CHECK-LABEL: func.func @carried(
// CHECK:         %[[INIT:.*]] = pto.tile.load %[[X:.*]][0, 0] : !pto.gm<8x8xf32> -> !pto.tile<8x8xf32>
// CHECK-NEXT:    %[[L:.*]]:2 = scf.for %[[I:.*]] = {{.*}} iter_args(%[[ACC:.*]] = %[[INIT]], %[[K:.*]] = %{{.*}}) -> (!pto.tile<8x8xf32>, index) {
// CHECK-NEXT:      %[[S:.*]] = pto.tile.add %[[ACC]], %[[ACC]]
// CHECK-NEXT:      pto.tile.store %[[S]], %[[OUT:.*]][%[[K]], 0] : !pto.tile<8x8xf32> -> !pto.gm<64x8xf32>
// CHECK-NEXT:      %[[NEXT:.*]] = arith.addi
// CHECK-NEXT:      scf.yield %[[S]], %[[NEXT]] : !pto.tile<8x8xf32>, index
// CHECK-NEXT:    }
// CHECK-NEXT:    pto.tile.store %[[L]]#0, %[[OUT]][56, 0]
// CHECK-NEXT:    return
func.func @carried(%x: tensor<8x8xf32>, %out: tensor<64x8xf32> {pto.dir = #pto.dir<out>}, %n: index) -> tensor<64x8xf32>
    attributes {pto.kind = #pto.kind<in_core>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %l:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x, %o = %out, %k = %c0) -> (tensor<8x8xf32>, tensor<64x8xf32>, index) {
    %s = pto.tensor.add %acc, %acc : tensor<8x8xf32>
    %p = pto.tensor.assemble %s into %o[%k, 0] : tensor<8x8xf32> into tensor<64x8xf32>
    %next = arith.addi %k, %c1 : index
    scf.yield %s, %p, %next : tensor<8x8xf32>, tensor<64x8xf32>, index
  }
  %q = pto.tensor.assemble %l#0 into %l#1[56, 0] : tensor<8x8xf32> into tensor<64x8xf32>
  return %q : tensor<64x8xf32>
}

// -----

// Branches: an array that one arm writes is no result; a selection is a tile.

// CHECK-LABEL: func.func @branches(
// CHECK:         %[[R:.*]] = scf.if %{{.*}} -> (!pto.tile<8x8xf32>) {
// CHECK-NEXT:      %[[A:.*]] = pto.tile.load %[[X:.*]][0, 0]
// CHECK-NEXT:      %[[E:.*]] = pto.tile.exp %[[A]]
// CHECK-NEXT:      pto.tile.store %[[E]], %[[OUT:.*]][0, 0]
// CHECK-NEXT:      scf.yield %[[A]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[B:.*]] = pto.tile.load %[[Y:.*]][0, 0]
// CHECK-NEXT:      scf.yield %[[B]]
// CHECK-NEXT:    }
// CHECK-NEXT:    pto.tile.neg %[[R]]
func.func @branches(%c: i1, %x: tensor<8x8xf32>, %y: tensor<8x8xf32>, %out: tensor<8x8xf32> {pto.dir = #pto.dir<inout>}) -> tensor<8x8xf32>
    attributes {pto.kind = #pto.kind<in_core>} {
  %r:2 = scf.if %c -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %e = pto.tensor.exp %x : tensor<8x8xf32>
    %o = pto.tensor.assemble %e into %out[0, 0] : tensor<8x8xf32> into tensor<8x8xf32>
    scf.yield %o, %x : tensor<8x8xf32>, tensor<8x8xf32>
  } else {
    scf.yield %out, %y : tensor<8x8xf32>, tensor<8x8xf32>
  }
  %n = pto.tensor.neg %r#1 : tensor<8x8xf32>
  %p = pto.tensor.assemble %n into %r#0[0, 0] : tensor<8x8xf32> into tensor<8x8xf32>
  return %p : tensor<8x8xf32>
}

// -----

// Nested: an accumulator is carried as a tile, and an arm that only hands the
// array on goes.

// CHECK-LABEL: func.func @nested(
// CHECK:         %[[P:.*]] = pto.tile.matmul
// CHECK:         scf.for {{.*}} iter_args(%[[A:.*]] = %[[P]]) -> (!pto.tile<32x16xf32>) {
// CHECK-NEXT:      scf.if %{{.*}} {
// CHECK-NEXT:        pto.tile.store %[[A]], %[[OUT:.*]][0, 0] : !pto.tile<32x16xf32> -> !pto.gm<24x16xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[Q:.*]] = pto.tile.matmul_acc %[[A]], %{{.*}}, %{{.*}}
// CHECK-NEXT:      scf.yield %[[Q]] : !pto.tile<32x16xf32>
// CHECK:         pto.tile.store
// CHECK-NEXT:    return
func.func @nested(%a: tensor<24x16xf16>, %b: tensor<16x16xf16>, %out: tensor<24x16xf32> {pto.dir = #pto.dir<out>}, %n: index, %c: i1) -> tensor<24x16xf32>
    attributes {pto.kind = #pto.kind<in_core>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = pto.tensor.matmul %a, %b : (tensor<24x16xf16>, tensor<16x16xf16>) -> tensor<24x16xf32>
  %l:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %p, %o = %out) -> (tensor<24x16xf32>, tensor<24x16xf32>) {
    %r = scf.if %c -> tensor<24x16xf32> {
      %s = pto.tensor.assemble %acc into %o[0, 0] : tensor<24x16xf32> into tensor<24x16xf32>
      scf.yield %s : tensor<24x16xf32>
    } else {
      scf.yield %o : tensor<24x16xf32>
    }
    %q = pto.tensor.matmul_acc %acc, %a, %b : (tensor<24x16xf32>, tensor<24x16xf16>, tensor<16x16xf16>) -> tensor<24x16xf32>
    scf.yield %q, %r : tensor<24x16xf32>, tensor<24x16xf32>
  }
  %e = pto.tensor.assemble %l#0 into %l#1[0, 0] : tensor<24x16xf32> into tensor<24x16xf32>
  return %e : tensor<24x16xf32>
}

// -----

// A window of a wider array says how far its rows lie apart; shapes are what counts
// for the operations.

// CHECK-LABEL: func.func @pitched(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: !pto.gm<8x16xf32, pitch<64>>{{.*}} %[[OUT:[a-z0-9]+]]: !pto.gm<8x16xf32, pitch<32>>
// CHECK-NEXT:    %[[T:.*]] = pto.tile.load %[[X]][0, 0] : !pto.gm<8x16xf32, pitch<64>> -> !pto.tile<8x16xf32>
// CHECK-NEXT:    %[[E:.*]] = pto.tile.exp %[[T]]
// CHECK-NEXT:    pto.tile.store %[[E]], %[[OUT]][0, 0] : !pto.tile<8x16xf32> -> !pto.gm<8x16xf32, pitch<32>>
func.func @pitched(%x: tensor<8x16xf32, #pto.pitch<64>>, %out: tensor<8x16xf32, #pto.pitch<32>> {pto.dir = #pto.dir<out>}) -> tensor<8x16xf32, #pto.pitch<32>>
    attributes {pto.kind = #pto.kind<in_core>} {
  %e = pto.tensor.exp %x : tensor<8x16xf32, #pto.pitch<64>> -> tensor<8x16xf32>
  %o = pto.tensor.assemble %e into %out[0, 0] : tensor<8x16xf32> into tensor<8x16xf32, #pto.pitch<32>>
  return %o : tensor<8x16xf32, #pto.pitch<32>>
}
