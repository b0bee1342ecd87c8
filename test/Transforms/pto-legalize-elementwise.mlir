// RUN: pypto-opt %s --pto-legalize --split-input-file | FileCheck %s

// What the 910B writes with other element types.
module attributes {pto.target = "910B"} {
// 8 bits by 16, which drop their upper half; signed and unsigned differ in the way back.
// CHECK-LABEL: func.func @bytes(
// CHECK:         pto.tile.cast %arg0 {round = #pto.round<none>} : !pto.tile<8x32xi8> -> !pto.tile<8x32xf16>
// CHECK-NEXT:    pto.tile.cast {{.*}} : !pto.tile<8x32xf16> -> !pto.tile<8x32xi16>
// CHECK:         %[[S:.*]] = pto.tile.add {{.*}} : !pto.tile<8x32xi16>
// CHECK:         pto.tile.bitcast %[[S]] : !pto.tile<8x32xi16> -> !pto.tile<8x32xui16>
// CHECK:         pto.tile.shl {{.*}} : (!pto.tile<8x32xui16>, i16)
// CHECK:         pto.tile.shr {{.*}} : (!pto.tile<8x32xi16>, i16)
// CHECK:         pto.tile.cast {{.*}} : !pto.tile<8x32xf16> -> !pto.tile<8x32xi8>
func.func @bytes(%a: !pto.tile<8x32xi8>, %b: !pto.tile<8x32xi8>) -> !pto.tile<8x32xi8> {
  %r = pto.tile.add %a, %b : !pto.tile<8x32xi8>
  return %r : !pto.tile<8x32xi8>
}
// INT32 compares as equal only.
// CHECK-LABEL: func.func @less(
// CHECK:         %[[M:.*]] = pto.tile.maximum %arg0, %arg1 : !pto.tile<8x32xi32>
// CHECK-NEXT:    %[[E:.*]] = pto.tile.cmp %[[M]], %arg0 {mode = #pto.compare<eq>}
// CHECK-NEXT:    pto.tile.not %[[E]] : !pto.tile<8x32xui8>
func.func @less(%a: !pto.tile<8x32xi32>, %b: !pto.tile<8x32xi32>) -> !pto.tile<8x32xui8> {
  %r = pto.tile.cmp %a, %b {mode = #pto.compare<lt>} : (!pto.tile<8x32xi32>, !pto.tile<8x32xi32>) -> !pto.tile<8x32xui8>
  return %r : !pto.tile<8x32xui8>
}
// CHECK-LABEL: func.func @xor(
// CHECK-NEXT:    %[[A:.*]] = pto.tile.and %arg0, %arg1
// CHECK-NEXT:    %[[O:.*]] = pto.tile.or %arg0, %arg1
// CHECK-NEXT:    %[[N:.*]] = pto.tile.not %[[A]]
// CHECK-NEXT:    pto.tile.and %[[O]], %[[N]]
func.func @xor(%a: !pto.tile<8x32xi32>, %b: !pto.tile<8x32xi32>) -> !pto.tile<8x32xi32> {
  %r = pto.tile.xor %a, %b : !pto.tile<8x32xi32>
  return %r : !pto.tile<8x32xi32>
}
// CHECK-LABEL: func.func @rest(
// CHECK-NEXT:    %[[Q:.*]] = pto.tile.div %arg0, %arg1
// CHECK-NEXT:    %[[W:.*]] = pto.tile.cast %[[Q]] {pto.whole, round = #pto.round<trunc>} : !pto.tile<8x32xf32>
// CHECK-NEXT:    %[[P:.*]] = pto.tile.mul %[[W]], %arg1
// CHECK-NEXT:    pto.tile.sub %arg0, %[[P]]
func.func @rest(%a: !pto.tile<8x32xf32>, %b: !pto.tile<8x32xf32>) -> !pto.tile<8x32xf32> {
  %r = pto.tile.fmod %a, %b : !pto.tile<8x32xf32>
  return %r : !pto.tile<8x32xf32>
}
// Rounded once, then cut: FP16 alone would round twice.
// CHECK-LABEL: func.func @narrow(
// CHECK-NEXT:    %[[I:.*]] = pto.tile.cast %arg0 {round = #pto.round<round>} : !pto.tile<8x32xf32> -> !pto.tile<8x32xi16>
// CHECK-NEXT:    %[[H:.*]] = pto.tile.cast %[[I]] {{.*}} : !pto.tile<8x32xi16> -> !pto.tile<8x32xf16>
// CHECK-NEXT:    pto.tile.cast %[[H]] {{.*}} : !pto.tile<8x32xf16> -> !pto.tile<8x32xi8>
func.func @narrow(%a: !pto.tile<8x32xf32>) -> !pto.tile<8x32xi8> {
  %r = pto.tile.cast %a {round = #pto.round<round>} : !pto.tile<8x32xf32> -> !pto.tile<8x32xi8>
  return %r : !pto.tile<8x32xi8>
}
}

// -----

// The 950 has most of them; comparisons of bytes go through FP32 there too.
module attributes {pto.target = "950"} {
// CHECK-LABEL: func.func @native(
// CHECK-NEXT:    pto.tile.add %arg0, %arg0 : !pto.tile<8x32xi8>
// CHECK-NEXT:    pto.tile.and
// CHECK-NEXT:    pto.tile.cmp %arg1, %arg1 {mode = #pto.compare<lt>} : !pto.tile<8x32xi16>
// CHECK-NEXT:    %[[HALF:.+]] = pto.tile.cast %arg0 {round = #pto.round<none>} : {{.+}} -> !pto.tile<8x32xf16>
// CHECK-NEXT:    %[[WIDE:.+]] = pto.tile.cast %[[HALF]] {round = #pto.round<none>} : {{.+}} -> !pto.tile<8x32xf32>
// CHECK-NEXT:    pto.tile.cmp %[[WIDE]], %[[WIDE]] {mode = #pto.compare<lt>}
// CHECK-NEXT:    return
func.func @native(%a: !pto.tile<8x32xi8>, %b: !pto.tile<8x32xi16>) {
  %r = pto.tile.add %a, %a : !pto.tile<8x32xi8>
  %s = pto.tile.and %r, %a : !pto.tile<8x32xi8>
  %n = pto.tile.cmp %b, %b {mode = #pto.compare<lt>} : (!pto.tile<8x32xi16>, !pto.tile<8x32xi16>) -> !pto.tile<8x32xui8>
  %m = pto.tile.cmp %a, %a {mode = #pto.compare<lt>} : (!pto.tile<8x32xi8>, !pto.tile<8x32xi8>) -> !pto.tile<8x32xui8>
  return
}
}
