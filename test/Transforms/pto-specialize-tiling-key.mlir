// RUN: pypto-opt %s --pto-specialize-tiling-key="keys=HasAtten=1,BlockM=128;HasAtten=0,BlockM=64" --split-input-file | FileCheck %s
// RUN: pypto-opt %s --pto-specialize-tiling-key --split-input-file | FileCheck %s --check-prefix=NONE

// A field read as a value: one function, two clones. What the key decides is computed;
// what it does not decide stays.

// CHECK-NOT:     tiling_key
// CHECK-LABEL: func.func @scores_0x3(
// CHECK-SAME:    attributes {pto.key = {BlockM = 128 : i64, HasAtten = 1 : i64}, pto.kind = #pto.kind<aiv>, pto.packed_key = 3 : i64, pto.sync = #pto.sync<manual>}
// CHECK-DAG:     %[[ROWS:.*]] = arith.constant 256 : index
// CHECK-DAG:     %[[TWO:.*]] = arith.constant 2 : index
// CHECK:         %[[ODD:.*]] = arith.muli %[[TWO]], %{{.*}} : index
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[ROWS]]
// CHECK-NOT:     scf.if
// CHECK:           pto.block.print "with attention %d\0A"(%{{.*}}) : index
// CHECK-NOT:       pto.block.print "without
// CHECK:           %[[LATE:.*]] = arith.cmpi slt, %{{.*}}, %[[ODD]]
// CHECK:           scf.if %[[LATE]] {
// CHECK-NEXT:        pto.block.print "late
// CHECK-LABEL: func.func @scores_0x0(
// CHECK-SAME:    pto.key = {BlockM = 64 : i64, HasAtten = 0 : i64}
// CHECK:         arith.constant 128 : index
// CHECK-NOT:     scf.if
// CHECK-NOT:     "with attention
// CHECK:         pto.block.print "without\0A"
// CHECK-NOT:     scf.if
// CHECK-NOT:     "late
// CHECK-LABEL: func.func @scores_0x3_entry(
// CHECK-SAME:    pto.packed_key = 3 : i64
// CHECK:         pto.block.dispatch @scores_0x3(
// CHECK-LABEL: func.func @scores_0x0_entry(
// CHECK:         pto.block.dispatch @scores_0x0(

// NONE: pto.block.tiling_key @Key
// NONE: func.func @scores(
// NONE: pto.block.read_key
// NONE: func.func @scores_entry(
module {
  pto.block.tiling_key @Key [#pto.key_field<"HasAtten", bits = 1, values = [0, 1]>,
                             #pto.key_field<"BlockM", bits = 8, values = [64, 128]>]
  func.func @scores(%n: index) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>, pto.schema = @Key} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %HasAtten = pto.block.read_key @Key, "HasAtten"
    %BlockM = pto.block.read_key @Key, "BlockM"
    %rows = arith.muli %BlockM, %c2 : index
    %odd = arith.muli %c2, %n : index
    %on = arith.cmpi ne, %HasAtten, %c0 : index
    %which = arith.select %on, %rows, %c1 : index
    scf.for %i = %c0 to %rows step %c1 {
      scf.if %on {
        pto.block.print "with attention %d\0A"(%which) : index
      } else {
        pto.block.print "without\0A"
      }
      %late = arith.cmpi slt, %i, %odd : index
      %both = arith.andi %on, %late : i1
      scf.if %both {
        pto.block.print "late\0A"
      }
    }
    return
  }
  func.func @scores_entry(%n: index, %block_dim: index) attributes {pto.kind = #pto.kind<orchestration>, pto.deps = #pto.deps<explicit>} {
    pto.block.dispatch @scores(%n) blocks(%block_dim) : (index) -> ()
    return
  }
}

// -----

// Templates: the one whose values agree with the key, and its entry. What reads no key
// stays.

// CHECK-NOT:   @product__
// CHECK-LABEL: func.func @product_0x3(
// CHECK-SAME:    pto.kind
// CHECK-NOT:     pto.fixed
// CHECK:         pto.block.print "128
// CHECK:         %[[V:.*]] = arith.constant 1 : index
// CHECK:         pto.block.print "%d\0A"(%[[V]])
// CHECK-LABEL: func.func @product_0x0(
// CHECK:         pto.block.print "64
// CHECK-LABEL: func.func @product_0x3_entry(
// CHECK:         pto.block.dispatch @product_0x3(
// CHECK-LABEL: func.func @product_0x0_entry(
// CHECK:         pto.block.dispatch @product_0x0(
// CHECK-LABEL: func.func @other(
// CHECK-NOT:   func.func

// NONE:        @product__BlockM_64(
// NONE:        @product__BlockM_128(
module {
  pto.block.tiling_key @Key [#pto.key_field<"HasAtten", bits = 1, values = [0, 1]>,
                             #pto.key_field<"BlockM", bits = 8, values = [64, 128]>]
  func.func @product__BlockM_64() attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>, pto.schema = @Key, pto.template_of = "product", pto.fixed = {BlockM = 64 : i64}} {
    pto.block.print "64\0A"
    return
  }
  func.func @product__BlockM_64_entry(%block_dim: index) attributes {pto.kind = #pto.kind<orchestration>, pto.deps = #pto.deps<explicit>} {
    pto.block.dispatch @product__BlockM_64() blocks(%block_dim) : () -> ()
    return
  }
  func.func @product__BlockM_128() attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>, pto.schema = @Key, pto.template_of = "product", pto.fixed = {BlockM = 128 : i64}} {
    pto.block.print "128\0A"
    %HasAtten = pto.block.read_key @Key, "HasAtten"
    pto.block.print "%d\0A"(%HasAtten) : index
    return
  }
  func.func @product__BlockM_128_entry(%block_dim: index) attributes {pto.kind = #pto.kind<orchestration>, pto.deps = #pto.deps<explicit>} {
    pto.block.dispatch @product__BlockM_128() blocks(%block_dim) : () -> ()
    return
  }
  func.func @other() attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    return
  }
}
