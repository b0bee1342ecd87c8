// RUN: pypto-opt %s -split-input-file -verify-diagnostics

func.func @kernel(%x: tensor<8x8xf32>) attributes {pto.kind = #pto.kind<in_core>} {
  return
}
func.func @no_blocks(%x: tensor<8x8xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{runs on 0 blocks; it takes at least one}}
  pto.block.dispatch @kernel(%x) blocks(%c0) : (tensor<8x8xf32>) -> ()
  return
}

// -----

func.func @kernel(%x: tensor<8x8xf32>) attributes {pto.kind = #pto.kind<in_core>} {
  return
}
func.func @condition_rank(%x: tensor<8x8xf32>, %f: tensor<8x8xi32>, %i: index) {
  // expected-error @+1 {{the condition reads [8, 8] INT32 at 1 indices; it has 2 dimensions}}
  pto.block.dispatch @kernel(%x) when(%f[%i] eq 1 : tensor<8x8xi32>) : (tensor<8x8xf32>) -> ()
  return
}

// -----

func.func @kernel(%x: tensor<8x8xf32>) attributes {pto.kind = #pto.kind<in_core>} {
  return
}
func.func @condition_type(%x: tensor<8x8xf32>, %i: index) {
  // expected-error @+1 {{the condition compares integers, found [8, 8] FP32}}
  pto.block.dispatch @kernel(%x) when(%x[%i, %i] eq 1 : tensor<8x8xf32>) : (tensor<8x8xf32>) -> ()
  return
}

// -----

func.func @kernel(%x: tensor<8x8xf32>) attributes {pto.kind = #pto.kind<in_core>} {
  return
}
func.func @half_condition(%x: tensor<8x8xf32>) {
  // expected-error @+1 {{has a condition of an array, a comparison and a number, or none}}
  "pto.block.dispatch"(%x) {callee = @kernel, compare = #pto.compare<eq>, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 0, 0>} : (tensor<8x8xf32>) -> ()
  return
}

// -----

func.func @kernel(%x: tensor<8x8xf32>, %n: index) attributes {pto.kind = #pto.kind<in_core>} {
  return
}
func.func @no_dep(%x: tensor<8x8xf32>, %n: index) {
  // expected-error @+1 {{leaves argument 1 out of the derived order, which is no array of its}}
  pto.block.dispatch @kernel(%x, %n) {no_dep = array<i64: 1>} : (tensor<8x8xf32>, index) -> ()
  return
}

// -----

func.func @kernel(%x: tensor<8x8xf32>) attributes {pto.kind = #pto.kind<in_core>} {
  return
}
func.func @pitch(%x: tensor<8x8xf32, #pto.pitch<16>>) {
  // expected-error @+1 {{gives [8, 8] FP32 as argument 0 of 'kernel', which takes [8, 8] FP32}}
  pto.block.dispatch @kernel(%x) : (tensor<8x8xf32, #pto.pitch<16>>) -> ()
  return
}

// -----

func.func @cluster_of_others(%n: index) {
  pto.block.cluster {
    // expected-error @+1 {{stands in a cluster, which holds nothing but kernels}}
    %0 = pto.block.task_invalid
    pto.block.yield
  }
  return
}

// -----

func.func @kernel(%x: tensor<8x8xf32>) attributes {pto.kind = #pto.kind<in_core>} {
  return
}
func.func @cluster_blocks(%x: tensor<8x8xf32>, %n: index) {
  pto.block.cluster {
    // expected-error @+1 {{is a part of its cluster's task; blocks, order and condition are said of the cluster}}
    pto.block.dispatch @kernel(%x) blocks(%n) : (tensor<8x8xf32>) -> ()
    pto.block.yield
  }
  return
}

// -----

func.func @array_index() {
  %c4 = arith.constant 4 : index
  %a = pto.block.array_create : !pto.array<4 x i32>
  // expected-error @+1 {{index 4 is not within 0 to 3}}
  %b = pto.block.array_get %a[%c4] : !pto.array<4 x i32>
  return
}

// -----

// expected-error @+1 {{a small array has 1 to 65536 elements, found 0}}
func.func private @array_size(!pto.array<0 x i32>)

// -----

// expected-error @+1 {{a small array holds integers, booleans or tasks, found 'f32'}}
func.func private @array_of(!pto.array<4 x f32>)

// -----

// expected-error @+1 {{rows of 8 elements that begin 8 apart overlap, or need no pitch}}
func.func private @pitch(!pto.gm<8x8xf32, pitch<8>>)

// -----

// expected-error @+1 {{only an array of two known dimensions is a window of a wider one, found [8]}}
func.func private @pitch_rank(!pto.gm<8xf32, pitch<16>>)

// -----

// expected-error @+1 {{the distance between rows is positive, found 0}}
func.func private @tensor_pitch(tensor<8x8xf32, #pto.pitch<0>>)

// -----

func.func @slice_beyond(%x: tensor<8x8xf32>) {
  // expected-error @+1 {{the window reaches beyond the array [8, 8] FP32: in dimension 0 it covers 5 to 8 of 0 to 7}}
  %0 = pto.tensor.slice %x[5, 0] [4, 8] : tensor<8x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @slice_rank(%x: tensor<8x8xf32>) {
  // expected-error @+1 {{takes [8, 8] FP32 at 1 offsets; it has 2 dimensions}}
  %0 = pto.tensor.slice %x[5] [1] : tensor<8x8xf32> -> tensor<1xf32>
  return
}

// -----

func.func @slice_scattered(%x: tensor<8x8x8xf32>) {
  // expected-error @+1 {{is not rows at equal distance}}
  %0 = pto.tensor.slice %x[0, 0, 0] [2, 4, 4] : tensor<8x8x8xf32> -> tensor<2x4x4xf32>
  return
}

// -----

func.func @slice_gap(%x: tensor<8x8x8xf32>) {
  // expected-error @+1 {{is not rows at equal distance}}
  %0 = pto.tensor.slice %x[0, 0, 0] [2, 4, 8] : tensor<8x8x8xf32> -> tensor<2x4x8xf32>
  return
}

// -----

func.func @slice_type(%x: tensor<8x8xf32>) {
  // expected-error @+1 {{makes 'tensor<8x4xf32, #pto.pitch<8>>', found 'tensor<8x4xf32>'}}
  %0 = pto.tensor.slice %x[0, 4] [8, 4] : tensor<8x8xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @slice_empty(%x: tensor<8x8xf32>) {
  // expected-error @+1 {{takes 0 elements in dimension 0; it takes at least one}}
  %0 = pto.tensor.slice %x[0, 0] [0, 8] : tensor<8x8xf32> -> tensor<0x8xf32>
  return
}

// -----

func.func @read_beyond(%x: tensor<8x8xf32>) {
  // expected-error @+1 {{in dimension 1 it covers 8 to 8 of 0 to 7}}
  %0 = pto.tensor.read %x[0, 8] : tensor<8x8xf32>
  return
}

// -----

func.func @huge(%x: tensor<8x64xf32>) {
  // expected-error @+1 {{pl.slice: the window reaches beyond the array [8, 64] FP32: in dimension 0 it covers 9223372036854775807 to 9223372036854775814 of 0 to 7}}
  %s = pto.tensor.slice %x[9223372036854775807, 0] [8, 64] : tensor<8x64xf32> -> tensor<8x64xf32>
  return
}
