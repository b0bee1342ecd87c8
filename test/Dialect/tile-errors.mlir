// RUN: pypto-opt %s -verify-diagnostics -split-input-file
// Every rule of the family, and text that is none.

// Forms: all values or all buffers.

func.func @both_forms(%b: !pto.buf<8x8xf32, vec, nd>) {
  // expected-error @+1 {{in buffer form has no result}}
  %0 = "pto.tile.exp"(%b, %b) : (!pto.buf<8x8xf32, vec, nd>, !pto.buf<8x8xf32, vec, nd>) -> !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @no_form(%b: !pto.buf<8x8xf32, vec, nd>) {
  // expected-error @+1 {{needs either a result (value form) or outs(...) (buffer form)}}
  "pto.tile.exp"(%b) : (!pto.buf<8x8xf32, vec, nd>) -> ()
  return
}

// -----

func.func @no_destination(%b: !pto.buf<8x8xf32, vec, nd>) {
  // expected-error @+1 {{needs either a result (value form) or outs(...) (buffer form)}}
  "pto.tile.add"(%b, %b) : (!pto.buf<8x8xf32, vec, nd>, !pto.buf<8x8xf32, vec, nd>) -> ()
  return
}

// -----

func.func @value_into_buffer(%a: !pto.tile<8x8xf32, vec>, %b: !pto.buf<8x8xf32, vec, nd>) {
  // expected-error @+1 {{mixes tile values and buffers}}
  pto.tile.exp ins(%a : !pto.tile<8x8xf32, vec>) outs(%b : !pto.buf<8x8xf32, vec, nd>)
  return
}

// -----

func.func @buffer_into_value(%a: !pto.tile<8x8xf32, vec>, %b: !pto.buf<8x8xf32, vec, nd>) {
  // expected-error @+1 {{mixes tile values and buffers}}
  %0 = pto.tile.add %a, %b : (!pto.tile<8x8xf32, vec>, !pto.buf<8x8xf32, vec, nd>) -> !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @no_operands() {
  // expected-error @+1 {{expected 2 or more operands, but found 0}}
  %0 = pto.tile.add : !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @many_operands(%a: !pto.tile<8x8xf32, vec>) {
  // expected-error @+1 {{operand group starting at #1 requires 0 or 1 element, but found 2}}
  %0 = pto.tile.exp %a, %a, %a : !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @two_destinations(%b: !pto.buf<8x8xf32, vec, nd>) {
  // expected-error @+1 {{operand group starting at #1 requires 0 or 1 element, but found 2}}
  pto.tile.exp ins(%b : !pto.buf<8x8xf32, vec, nd>) outs(%b, %b : !pto.buf<8x8xf32, vec, nd>, !pto.buf<8x8xf32, vec, nd>)
  return
}

// -----

func.func @empty_outs(%b: !pto.buf<8x8xf32, vec, nd>) {
  // expected-error @+1 {{expected ':'}}
  pto.tile.exp ins(%b : !pto.buf<8x8xf32, vec, nd>) outs()
  return
}

// -----

func.func @empty_ins(%b: !pto.buf<8x8xf32, vec, nd>) {
  // expected-error @+1 {{expected ':'}}
  pto.tile.exp ins() outs(%b : !pto.buf<8x8xf32, vec, nd>)
  return
}

// -----

func.func @no_outs(%b: !pto.buf<8x8xf32, vec, nd>) {
  // expected-error @+2 {{expected 'outs'}}
  pto.tile.exp ins(%b : !pto.buf<8x8xf32, vec, nd>)
  return
}

// -----

func.func @result_type(%a: !pto.tile<8x8xf32, vec>) {
  // expected-error @+1 {{result #0 must be tile value, but got 'i32'}}
  %0 = pto.tile.exp %a : !pto.tile<8x8xf32, vec> -> i32
  return
}

// -----

func.func @scalar_operand(%s: f32) {
  // expected-error @+1 {{operand #0 must be tile or buffer, but got 'f32'}}
  %0 = pto.tile.exp %s : f32 -> !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @slots_operand(%b: !pto.buf<8x8xf32, vec, nd, slots<2>>) {
  // expected-error @+1 {{operand #0 must be tile or buffer, but got '!pto.buf<8x8xf32, vec, nd, slots<2>>'}}
  pto.tile.exp ins(%b : !pto.buf<8x8xf32, vec, nd, slots<2>>) outs(%b : !pto.buf<8x8xf32, vec, nd, slots<2>>)
  return
}

// -----

// Spaces: a source in buffer form, a result in both.

func.func @source_space(%m: !pto.buf<8x8xf32, mat, nd>, %b: !pto.buf<8x8xf32, vec, nd>) {
  // expected-error @+1 {{pl.exp: operand 1, [8, 8] FP32 in Mat, must be in Vec}}
  pto.tile.exp ins(%m : !pto.buf<8x8xf32, mat, nd>) outs(%b : !pto.buf<8x8xf32, vec, nd>)
  return
}

// -----

func.func @result_space(%a: !pto.tile<8x8xf32, vec>) {
  // expected-error @+1 {{pl.exp: makes its result in Vec, not in Mat}}
  %0 = pto.tile.exp %a : !pto.tile<8x8xf32, vec> -> !pto.tile<8x8xf32, mat>
  return
}

// -----

func.func @destination_space(%b: !pto.buf<8x8xf32, vec, nd>, %m: !pto.buf<8x8xf32, acc, nz>) {
  // expected-error @+1 {{pl.exp: makes its result in Vec, not in Acc}}
  pto.tile.exp ins(%b : !pto.buf<8x8xf32, vec, nd>) outs(%m : !pto.buf<8x8xf32, acc, nz>)
  return
}

// -----

func.func @product_space(%l: !pto.tile<16x32xf16, left>, %r: !pto.tile<32x16xf16, right>) {
  // expected-error @+1 {{pl.matmul: makes its result in Acc, not in Vec}}
  %0 = pto.tile.matmul %l, %r : (!pto.tile<16x32xf16, left>, !pto.tile<32x16xf16, right>) -> !pto.tile<16x16xf32, vec>
  return
}

// -----

func.func @product_source_space(%r: !pto.buf<16x16xf16, right, zn>, %c: !pto.buf<16x16xf32, acc, nz>) {
  // expected-error @+1 {{pl.matmul: operand 1, [16, 16] FP16 in Right, must be in Left}}
  pto.tile.matmul ins(%r, %r : !pto.buf<16x16xf16, right, zn>, !pto.buf<16x16xf16, right, zn>) outs(%c : !pto.buf<16x16xf32, acc, nz>)
  return
}

// -----

// Element by element.

func.func @elements(%a: !pto.tile<8x8xf32, vec>, %h: !pto.tile<8x8xf16, vec>) {
  // expected-error @+1 {{pl.add: operands have different element types, [8, 8] FP32 in Vec and [8, 8] FP16 in Vec; convert one with pl.cast}}
  %0 = pto.tile.add %a, %h : (!pto.tile<8x8xf32, vec>, !pto.tile<8x8xf16, vec>) -> !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @scalar_element(%a: !pto.tile<8x8xf32, vec>, %s: i32) {
  // expected-error @+1 {{pl.mul: operands have different element types, [8, 8] FP32 in Vec and INT32; convert one with pl.cast}}
  %0 = pto.tile.mul %a, %s : (!pto.tile<8x8xf32, vec>, i32) -> !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @shapes(%a: !pto.tile<8x8xf32, vec>, %w: !pto.tile<8x16xf32, vec>) {
  // expected-error @+1 {{pl.sub: operands have different shapes, [8, 8] FP32 in Vec and [8, 16] FP32 in Vec}}
  %0 = pto.tile.sub %a, %w : (!pto.tile<8x8xf32, vec>, !pto.tile<8x16xf32, vec>) -> !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @part_types(%a: !pto.tile<8x8xf32, vec>, %h: !pto.tile<8x8xf16, vec>) {
  // expected-error @+1 {{pl.part_add: operands have different element types, [8, 8] FP32 in Vec and [8, 8] FP16 in Vec; convert one with pl.cast}}
  %0 = pto.tile.part_add %a, %h : (!pto.tile<8x8xf32, vec>, !pto.tile<8x8xf16, vec>) -> !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @part_shapes(%a: !pto.tile<8x8xf32, vec>, %b: !pto.tile<8x16xf32, vec>) {
  // expected-error @+1 {{pl.part_max: operands have different shapes, [8, 8] FP32 in Vec and [8, 16] FP32 in Vec}}
  %0 = pto.tile.part_max %a, %b : (!pto.tile<8x8xf32, vec>, !pto.tile<8x16xf32, vec>) -> !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @part_result(%a: !pto.tile<8x8xf32, vec>) {
  // expected-error @+1 {{pl.part_mul}}
  %0 = pto.tile.part_mul %a, %a : (!pto.tile<8x8xf32, vec>, !pto.tile<8x8xf32, vec>) -> !pto.tile<8x16xf32, vec>
  return
}

// -----

func.func @made_element(%a: !pto.tile<8x8xf32, vec>) {
  // expected-error @+1 {{pl.sqrt: makes what it is given, FP32, found FP16}}
  %0 = pto.tile.sqrt %a : !pto.tile<8x8xf32, vec> -> !pto.tile<8x8xf16, vec>
  return
}

// -----

func.func @made_shape(%a: !pto.tile<8x8xf32, vec>) {
  // expected-error @+1 {{pl.sqrt: makes a tile of [8, 8], found [8, 16]}}
  %0 = pto.tile.sqrt %a : !pto.tile<8x8xf32, vec> -> !pto.tile<8x16xf32, vec>
  return
}

// -----

func.func @made_rows(%a: !pto.buf<?x8xf32, vec, nd, of<8x8>>, %d: !pto.buf<?x4xf32, vec, nd, of<8x8>>) {
  // expected-error @+1 {{pl.sqrt: makes a tile of [?, 8], found [?, 4]}}
  pto.tile.sqrt ins(%a : !pto.buf<?x8xf32, vec, nd, of<8x8>>) outs(%d : !pto.buf<?x4xf32, vec, nd, of<8x8>>)
  return
}

// -----

func.func @cast_to_itself(%a: !pto.tile<8x8xf32, vec>) {
  // expected-error @+1 {{pl.cast: converts FP32 to itself}}
  %0 = pto.tile.cast %a {round = #pto.round<none>} : !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @cast_shape(%a: !pto.tile<8x8xf32, vec>) {
  // expected-error @+1 {{pl.cast: makes a tile of [8, 8], found [8, 16]}}
  %0 = pto.tile.cast %a {round = #pto.round<rint>} : !pto.tile<8x8xf32, vec> -> !pto.tile<8x16xf16, vec>
  return
}

// -----

func.func @cast_without_rounding(%a: !pto.tile<8x8xf32, vec>) {
  // expected-error @+1 {{requires attribute 'round'}}
  %0 = pto.tile.cast %a : !pto.tile<8x8xf32, vec> -> !pto.tile<8x8xf16, vec>
  return
}

// -----

// Loads.

func.func @load_both_forms(%x: !pto.gm<8x8xf32>, %b: !pto.buf<8x8xf32, vec, nd>) {
  // expected-error @+1 {{needs either a result (value form) or outs(...) (buffer form)}}
  %0 = "pto.tile.load"(%x, %b) <{static_offsets = array<i64: 0, 0>, static_valid = array<i64>, operandSegmentSizes = array<i32: 1, 0, 0, 1>}> : (!pto.gm<8x8xf32>, !pto.buf<8x8xf32, vec, nd>) -> !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @load_no_form(%x: !pto.gm<8x8xf32>) {
  // expected-error @+1 {{needs either a result (value form) or outs(...) (buffer form)}}
  "pto.tile.load"(%x) <{static_offsets = array<i64: 0, 0>, static_valid = array<i64>, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (!pto.gm<8x8xf32>) -> ()
  return
}

// -----

func.func @load_space(%x: !pto.gm<16x16xf16>) {
  // expected-error @+1 {{pl.load: a load from DDR reaches Vec or Mat only, not Left; load to Mat, then pl.move to Left}}
  %0 = pto.tile.load %x[0, 0] : !pto.gm<16x16xf16> -> !pto.tile<16x16xf16, left>
  return
}

// -----

func.func @load_element(%x: !pto.gm<8x8xf32>) {
  // expected-error @+1 {{pl.load: a load does not convert: the array is [8, 8] FP32, the tile [8, 16] FP16}}
  %0 = pto.tile.load %x[0, 0] : !pto.gm<8x8xf32> -> !pto.tile<8x16xf16>
  return
}

// -----

func.func @load_row_bytes(%x: !pto.gm<8x8xf32>) {
  // expected-error @+1 {{pl.load: a tile's rows are a multiple of 32 bytes; [8, 6] FP32 has rows of 24 bytes; use a multiple of 8 columns}}
  %0 = pto.tile.load %x[0, 0] : !pto.gm<8x8xf32> -> !pto.tile<8x6xf32>
  return
}

// -----

func.func @load_offsets(%x: !pto.gm<8x8xf32>) {
  // expected-error @+1 {{pl.load: needs 2 offsets for [8, 8] FP32, found 1}}
  %0 = pto.tile.load %x[0] : !pto.gm<8x8xf32> -> !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @load_array_rank(%x: !pto.gm<2x8x8xf32>) {
  // expected-error @+1 {{pl.load: a tile has two dimensions, the array [2, 8, 8] FP32 has 3}}
  %0 = pto.tile.load %x[0, 0, 0] : !pto.gm<2x8x8xf32> -> !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @load_negative(%x: !pto.gm<8x8xf32>) {
  // expected-error @+1 {{pl.load: offset -8 in dimension 0 is negative; the array is [8, 8] FP32}}
  %0 = pto.tile.load %x[-8, 0] : !pto.gm<8x8xf32> -> !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @load_beyond(%x: !pto.gm<8x8xf32>, %i: index) {
  // expected-error @+1 {{pl.load: the window reaches beyond the array [8, 8] FP32: in dimension 1 it covers 8 to 15 of 0 to 7}}
  %0 = pto.tile.load %x[%i, 8] : !pto.gm<8x8xf32> -> !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @load_far_beyond(%x: !pto.gm<8x8xf32>, %b: !pto.buf<8x8xf32, vec, nd>) {
  // expected-error @+1 {{in dimension 0 it covers 9223372036854775807 to 9223372036854775814 of 0 to 7}}
  pto.tile.load ins(%x[9223372036854775807, 0] : !pto.gm<8x8xf32>) outs(%b : !pto.buf<8x8xf32, vec, nd>)
  return
}

// -----

func.func @load_too_many_rows(%x: !pto.gm<8x8xf32>, %i: index) {
  // expected-error @+1 {{in dimension 0 it covers 0 to 15 of 0 to 7}}
  %0 = pto.tile.load %x[%i, 0] : !pto.gm<8x8xf32> -> !pto.tile<16x8xf32>
  return
}

// -----

func.func @load_nothing_there(%x: !pto.gm<0x8xf32>) {
  // expected-error @+1 {{in dimension 0 it covers 0 to 7 of none}}
  %0 = pto.tile.load %x[0, 0] : !pto.gm<0x8xf32> -> !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @load_valid_beyond(%x: !pto.gm<8x4xf32>) {
  // expected-error @+1 {{in dimension 1 it covers 0 to 4 of 0 to 3}}
  %0 = pto.tile.load %x[0, 0] valid [8, 5] : !pto.gm<8x4xf32> -> !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @load_valid_count(%x: !pto.gm<8x8xf32>) {
  // expected-error @+1 {{pl.load: needs 2 valid extents, found 1}}
  %0 = pto.tile.load %x[0, 0] valid [8] : !pto.gm<8x8xf32> -> !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @load_valid_none(%x: !pto.gm<8x8xf32>) {
  // expected-error @+1 {{valid extents are two, found none}}
  %0 = pto.tile.load %x[0, 0] valid [] : !pto.gm<8x8xf32> -> !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @load_valid_negative(%x: !pto.gm<8x8xf32>) {
  // expected-error @+1 {{pl.load: valid extent -1 in dimension 0 is not within 0 to 8}}
  %0 = pto.tile.load %x[0, 0] valid [-1, 8] : !pto.gm<8x8xf32> -> !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @load_valid_large(%x: !pto.gm<8x8xf32>) {
  // expected-error @+1 {{pl.load: valid extent 9 in dimension 1 is not within 0 to 8}}
  %0 = pto.tile.load %x[0, 0] valid [8, 9] : !pto.gm<8x8xf32> -> !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @load_valid_in_buffer(%x: !pto.gm<8x8xf32>, %b: !pto.buf<8x8xf32, vec, nd>) {
  // expected-error @+1 {{in buffer form has the extents of its destination, and no valid ones}}
  "pto.tile.load"(%x, %b) <{static_offsets = array<i64: 0, 0>, static_valid = array<i64: 4, 4>, operandSegmentSizes = array<i32: 1, 0, 0, 1>}> : (!pto.gm<8x8xf32>, !pto.buf<8x8xf32, vec, nd>) -> ()
  return
}

// -----

func.func @load_missing_offset(%x: !pto.gm<8x8xf32>) {
  // expected-error @+1 {{has 0 values for 1 offsets that are not static}}
  %0 = "pto.tile.load"(%x) <{static_offsets = array<i64: -9223372036854775808, 0>, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (!pto.gm<8x8xf32>) -> !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @load_surplus_offset(%x: !pto.gm<8x8xf32>, %i: index) {
  // expected-error @+1 {{has 1 values for 0 offsets that are not static}}
  %0 = "pto.tile.load"(%x, %i) <{static_offsets = array<i64: 0, 0>, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!pto.gm<8x8xf32>, index) -> !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @load_missing_valid(%x: !pto.gm<8x8xf32>) {
  // expected-error @+1 {{has 0 values for 1 valid extents that are not static}}
  %0 = "pto.tile.load"(%x) <{static_offsets = array<i64: 0, 0>, static_valid = array<i64: -9223372036854775808, 8>, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (!pto.gm<8x8xf32>) -> !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @load_no_array(%x: i32) {
  // expected-error @+1 {{operand #0 must be array in DDR (tensor or reference), but got 'i32'}}
  %0 = pto.tile.load %x[0, 0] : i32 -> !pto.tile<8x8xf32, vec>
  return
}

// -----

// Stores.

func.func @store_result_missing(%a: !pto.tile<8x8xf32, vec>, %x: tensor<8x8xf32>) {
  // expected-error @+1 {{has a result exactly if it stores to a tensor}}
  "pto.tile.store"(%a, %x) <{static_offsets = array<i64: 0, 0>}> : (!pto.tile<8x8xf32, vec>, tensor<8x8xf32>) -> ()
  return
}

// -----

func.func @store_result_surplus(%a: !pto.tile<8x8xf32, vec>, %x: !pto.gm<8x8xf32>) {
  // expected-error @+1 {{has a result exactly if it stores to a tensor}}
  %0 = "pto.tile.store"(%a, %x) <{static_offsets = array<i64: 0, 0>}> : (!pto.tile<8x8xf32, vec>, !pto.gm<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @store_result_type(%a: !pto.tile<8x8xf32, vec>, %x: tensor<8x8xf32>) {
  // expected-error @+1 {{result type differs from the array's}}
  %0 = "pto.tile.store"(%a, %x) <{static_offsets = array<i64: 0, 0>}> : (!pto.tile<8x8xf32, vec>, tensor<8x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @store_space(%m: !pto.tile<8x8xf32, mat>, %x: !pto.gm<8x8xf32>) {
  // expected-error @+1 {{pl.store: no path leads from Mat to DDR; [8, 8] FP32 in Mat must be in Vec or Acc}}
  pto.tile.store %m, %x[0, 0] : !pto.tile<8x8xf32, mat> -> !pto.gm<8x8xf32>
  return
}

// -----

func.func @store_element(%a: !pto.tile<8x8xf32, vec>, %x: !pto.gm<8x8xf16>) {
  // expected-error @+1 {{pl.store: a store does not convert: the tile is [8, 8] FP32 in Vec, the array [8, 8] FP16; convert it with pl.cast}}
  pto.tile.store %a, %x[0, 0] : !pto.tile<8x8xf32, vec> -> !pto.gm<8x8xf16>
  return
}

// -----

func.func @store_acc_element(%c: !pto.tile<16x16xf32, acc>, %x: !pto.gm<16x16xi32>) {
  // expected-error @+1 {{pl.store: a store does not convert: the tile is [16, 16] FP32 in Acc, the array [16, 16] INT32}}
  pto.tile.store %c, %x[0, 0] : !pto.tile<16x16xf32, acc> -> !pto.gm<16x16xi32>
  return
}

// -----

func.func @store_open_element(%c: !pto.tile<16x16xf32>, %x: !pto.gm<16x16xf16>) {
  // expected-error @+1 {{pl.store: a store does not convert: the tile is [16, 16] FP32, the array [16, 16] FP16}}
  pto.tile.store %c, %x[0, 0] : !pto.tile<16x16xf32> -> !pto.gm<16x16xf16>
  return
}

// -----

func.func @store_offsets(%a: !pto.tile<8x8xf32, vec>, %x: !pto.gm<8x8xf32>) {
  // expected-error @+1 {{pl.store: needs 2 offsets for [8, 8] FP32, found 3}}
  pto.tile.store %a, %x[0, 0, 0] : !pto.tile<8x8xf32, vec> -> !pto.gm<8x8xf32>
  return
}

// -----

func.func @store_array_rank(%a: !pto.tile<8x8xf32, vec>, %x: !pto.gm<8xf32>) {
  // expected-error @+1 {{pl.store: a tile has two dimensions, the array [8] FP32 has 1}}
  pto.tile.store %a, %x[0] : !pto.tile<8x8xf32, vec> -> !pto.gm<8xf32>
  return
}

// -----

func.func @store_negative(%a: !pto.tile<8x8xf32, vec>, %x: !pto.gm<8x8xf32>) {
  // expected-error @+1 {{pl.store: offset -1 in dimension 1 is negative}}
  pto.tile.store %a, %x[0, -1] : !pto.tile<8x8xf32, vec> -> !pto.gm<8x8xf32>
  return
}

// -----

func.func @store_beyond(%b: !pto.buf<8x8xf32, vec, nd>, %x: !pto.gm<8x8xf32>) {
  // expected-error @+1 {{pl.store: the window reaches beyond the array [8, 8] FP32: in dimension 0 it covers 1 to 8 of 0 to 7}}
  pto.tile.store ins(%b : !pto.buf<8x8xf32, vec, nd>) outs(%x[1, 0] : !pto.gm<8x8xf32>)
  return
}

// -----

func.func @store_missing_offset(%a: !pto.tile<8x8xf32, vec>, %x: !pto.gm<8x8xf32>) {
  // expected-error @+1 {{has 0 values for 2 offsets that are not static}}
  "pto.tile.store"(%a, %x) <{static_offsets = array<i64: -9223372036854775808, -9223372036854775808>}> : (!pto.tile<8x8xf32, vec>, !pto.gm<8x8xf32>) -> ()
  return
}

// -----

func.func @store_no_array(%a: !pto.tile<8x8xf32, vec>, %x: i32) {
  // expected-error @+1 {{operand #1 must be array in DDR (tensor or reference), but got 'i32'}}
  pto.tile.store %a, %x[0, 0] : !pto.tile<8x8xf32, vec> -> i32
  return
}

// -----

// Moves, fills, extents.

func.func @move_element(%a: !pto.tile<8x8xf32, vec>) {
  // expected-error @+1 {{pl.move: makes the same tile, FP32, found FP16}}
  %0 = pto.tile.move %a : !pto.tile<8x8xf32, vec> -> !pto.tile<8x8xf16, vec>
  return
}

// -----

func.func @move_shape(%a: !pto.tile<8x8xf32, vec>) {
  // expected-error @+1 {{pl.move: makes a tile of [8, 8], found [8, 16]}}
  %0 = pto.tile.move %a : !pto.tile<8x8xf32, vec> -> !pto.tile<8x16xf32, vec>
  return
}

// -----

func.func @full_element(%s: i32) {
  // expected-error @+1 {{pl.full: makes a tile of its value's type, INT32, found FP32}}
  %0 = pto.tile.full %s : i32 -> !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @full_row_bytes(%s: f32) {
  // expected-error @+1 {{pl.full: a tile's rows are a multiple of 32 bytes; [8, 4] FP32 has rows of 16 bytes; use a multiple of 8 columns}}
  %0 = pto.tile.full %s : f32 -> !pto.tile<8x4xf32, vec>
  return
}

// -----

func.func @full_two_values(%s: f32) {
  // expected-error @+1 {{operand #1 must be buffer with one slot, but got 'f32'}}
  %0 = pto.tile.full %s, %s : f32 -> !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @extents_count(%a: !pto.tile<8x8xf32, vec>) {
  // expected-error @+1 {{pl.set_validshape: needs 2 valid extents, found 1}}
  %0 = pto.tile.set_validshape %a [8] : !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @extents_large(%a: !pto.tile<8x8xf32, vec>) {
  // expected-error @+1 {{pl.set_validshape: valid extent 9 in dimension 0 is not within 0 to 8}}
  %0 = pto.tile.set_validshape %a [9, 8] : !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @extents_negative(%a: !pto.tile<8x8xf32, vec>, %i: index) {
  // expected-error @+1 {{pl.set_validshape: valid extent -1 in dimension 1 is not within 0 to 8}}
  %0 = pto.tile.set_validshape %a [%i, -1] : !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @extents_missing(%a: !pto.tile<8x8xf32, vec>) {
  // expected-error @+1 {{has 0 values for 1 valid extents that are not static}}
  %0 = "pto.tile.set_validshape"(%a) <{static_valid = array<i64: -9223372036854775808, 0>}> : (!pto.tile<8x8xf32, vec>) -> !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @extents_result(%a: !pto.tile<8x8xf32, vec>) {
  // expected-error @+1 {{failed to verify that all of {source, result} have same type}}
  %0 = "pto.tile.set_validshape"(%a) <{static_valid = array<i64: 8, 8>}> : (!pto.tile<8x8xf32, vec>) -> !pto.tile<8x1xf32, vec>
  return
}

// -----

// Rows.

func.func @reduce_element(%a: !pto.tile<8x8xf32, vec>) {
  // expected-error @+1 {{pl.row_max: makes values of its source's type, FP32, found FP16}}
  %0 = pto.tile.row_max %a : !pto.tile<8x8xf32, vec> -> !pto.tile<8x1xf16, vec>
  return
}

// -----

func.func @reduce_shape(%a: !pto.tile<8x8xf32, vec>) {
  // expected-error @+1 {{pl.row_sum: makes a tile of [8, 1], found [1, 8]}}
  %0 = pto.tile.row_sum %a : !pto.tile<8x8xf32, vec> -> !pto.tile<1x8xf32, vec>
  return
}

// -----

func.func @reduce_scalar(%s: f32) {
  // expected-error @+1 {{operand #0 must be tile or buffer, but got 'f32'}}
  %0 = pto.tile.row_max %s : f32 -> !pto.tile<8x1xf32, vec>
  return
}

// -----

func.func @expand_elements(%a: !pto.tile<8x8xf32, vec>, %v: !pto.tile<8x1xf16, vec>) {
  // expected-error @+1 {{pl.row_expand_sub: operands have different element types, [8, 8] FP32 in Vec and [8, 1] FP16 in Vec; convert one with pl.cast}}
  %0 = pto.tile.row_expand_sub %a, %v : (!pto.tile<8x8xf32, vec>, !pto.tile<8x1xf16, vec>) -> !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @expand_rows(%a: !pto.tile<8x8xf32, vec>, %v: !pto.tile<4x1xf32, vec>) {
  // expected-error @+1 {{pl.row_expand_mul: the second operand holds one value for each of the 8 rows, [M, 1]; found [4, 1] FP32 in Vec}}
  %0 = pto.tile.row_expand_mul %a, %v : (!pto.tile<8x8xf32, vec>, !pto.tile<4x1xf32, vec>) -> !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @expand_blocks_of_values(%a: !pto.tile<8x8xf32, vec>) {
  // expected-error @+1 {{pl.row_expand_mul: the second operand holds one value for each of the 8 rows, [M, 1]; found [8, 8] FP32 in Vec}}
  %0 = pto.tile.row_expand_mul %a, %a : !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @expand_unknown_rows(%a: !pto.buf<?x8xf32, vec, nd, of<8x8>>, %v: !pto.buf<?x2xf32, vec, nd, of<8x8>>) {
  // expected-error @+1 {{pl.row_expand_div: the second operand holds one value for each of the ? rows, [M, 1]; found [?, 2] FP32 in Vec}}
  pto.tile.row_expand_div ins(%a, %v : !pto.buf<?x8xf32, vec, nd, of<8x8>>, !pto.buf<?x2xf32, vec, nd, of<8x8>>) outs(%a : !pto.buf<?x8xf32, vec, nd, of<8x8>>)
  return
}

// -----

func.func @expand_element(%a: !pto.tile<8x8xf32, vec>, %v: !pto.tile<8x1xf32, vec>) {
  // expected-error @+1 {{pl.row_expand_sub: makes what it is given, FP32, found FP16}}
  %0 = pto.tile.row_expand_sub %a, %v : (!pto.tile<8x8xf32, vec>, !pto.tile<8x1xf32, vec>) -> !pto.tile<8x8xf16, vec>
  return
}

// -----

func.func @expand_shape(%a: !pto.tile<8x8xf32, vec>, %v: !pto.tile<8x1xf32, vec>) {
  // expected-error @+1 {{pl.row_expand_sub: makes a tile of [8, 8], found [8, 16]}}
  %0 = pto.tile.row_expand_sub %a, %v : (!pto.tile<8x8xf32, vec>, !pto.tile<8x1xf32, vec>) -> !pto.tile<8x16xf32, vec>
  return
}

// -----

func.func @expand_scalar(%a: !pto.tile<8x8xf32, vec>, %s: f32) {
  // expected-error @+1 {{operand #1 must be tile or buffer, but got 'f32'}}
  %0 = pto.tile.row_expand_sub %a, %s : (!pto.tile<8x8xf32, vec>, f32) -> !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @brcb_value(%v: !pto.tile<8x1xf32, vec>) {
  // expected-error @+1 {{is an instruction, which passes write in buffer form: ins(...) outs(...)}}
  %0 = pto.tile.brcb %v : !pto.tile<8x1xf32, vec> -> !pto.tile<8x8xf32, vec>
  return
}

// -----

func.func @brcb_vector(%b: !pto.buf<8x8xf32, vec, nd>) {
  // expected-error @+1 {{pto.tile.brcb: spreads a vector [M, 1], found [8, 8] FP32 in Vec}}
  pto.tile.brcb ins(%b : !pto.buf<8x8xf32, vec, nd>) outs(%b : !pto.buf<8x8xf32, vec, nd>)
  return
}

// -----

func.func @brcb_element(%v: !pto.buf<8x1xf32, vec, dn>, %d: !pto.buf<8x8xf16, vec, nd>) {
  // expected-error @+1 {{pto.tile.brcb: makes values of its source's type, FP32, found FP16}}
  pto.tile.brcb ins(%v : !pto.buf<8x1xf32, vec, dn>) outs(%d : !pto.buf<8x8xf16, vec, nd>)
  return
}

// -----

func.func @brcb_block(%v: !pto.buf<8x1xf32, vec, dn>, %d: !pto.buf<8x16xf32, vec, nd>) {
  // expected-error @+1 {{pto.tile.brcb: makes a tile of [8, 8], found [8, 16]}}
  pto.tile.brcb ins(%v : !pto.buf<8x1xf32, vec, dn>) outs(%d : !pto.buf<8x16xf32, vec, nd>)
  return
}

// -----

// Products.

func.func @product_elements(%l: !pto.tile<16x32xf16, left>, %r: !pto.tile<32x16xbf16, right>) {
  // expected-error @+1 {{pl.matmul: operands have different element types, [16, 32] FP16 in Left and [32, 16] BF16 in Right; convert one with pl.cast}}
  %0 = pto.tile.matmul %l, %r : (!pto.tile<16x32xf16, left>, !pto.tile<32x16xbf16, right>) -> !pto.tile<16x16xf32, acc>
  return
}

// -----

func.func @product_k(%l: !pto.tile<16x32xf16, left>, %r: !pto.tile<16x16xf16, right>) {
  // expected-error @+1 {{pl.matmul: the left operand has 32 columns and the right one 16 rows: [16, 32] FP16 in Left and [16, 16] FP16 in Right}}
  %0 = pto.tile.matmul %l, %r : (!pto.tile<16x32xf16, left>, !pto.tile<16x16xf16, right>) -> !pto.tile<16x16xf32, acc>
  return
}

// -----

func.func @product_type(%l: !pto.tile<16x16xi32, left>, %r: !pto.tile<16x16xi32, right>) {
  // expected-error @+1 {{pl.matmul: multiplies FP16, BF16, FP32 or INT8 operands, found [16, 16] INT32 in Left; convert both with pl.cast}}
  %0 = pto.tile.matmul %l, %r : (!pto.tile<16x16xi32, left>, !pto.tile<16x16xi32, right>) -> !pto.tile<16x16xf32, acc>
  return
}

// -----

func.func @product_made(%l: !pto.tile<16x32xf16, left>, %r: !pto.tile<32x16xf16, right>) {
  // expected-error @+1 {{pl.matmul: makes an accumulator, FP32, found FP16}}
  %0 = pto.tile.matmul %l, %r : (!pto.tile<16x32xf16, left>, !pto.tile<32x16xf16, right>) -> !pto.tile<16x16xf16, acc>
  return
}

// -----

func.func @product_shape(%l: !pto.tile<16x32xf16, left>, %r: !pto.tile<32x16xf16, right>) {
  // expected-error @+1 {{pl.matmul: makes a tile of [16, 16], found [16, 32]}}
  %0 = pto.tile.matmul %l, %r : (!pto.tile<16x32xf16, left>, !pto.tile<32x16xf16, right>) -> !pto.tile<16x32xf32, acc>
  return
}

// -----

func.func @accumulate_product(%c: !pto.tile<16x16xf32, acc>, %l: !pto.tile<16x32xf16, left>) {
  // expected-error @+1 {{pl.matmul_acc: the left operand has 32 columns and the right one 16 rows}}
  %0 = pto.tile.matmul_acc %c, %l, %l : (!pto.tile<16x16xf32, acc>, !pto.tile<16x32xf16, left>, !pto.tile<16x32xf16, left>) -> !pto.tile<16x16xf32, acc>
  return
}

// -----

func.func @accumulate_elsewhere(%c: !pto.buf<16x16xf32, acc, nz>, %d: !pto.buf<16x16xf32, acc, nz>, %l: !pto.buf<16x16xf16, left, zz>, %r: !pto.buf<16x16xf16, right, zn>) {
  // expected-error @+1 {{in buffer form writes the tile that it changes, its first operand}}
  pto.tile.matmul_acc ins(%c, %l, %r : !pto.buf<16x16xf32, acc, nz>, !pto.buf<16x16xf16, left, zz>, !pto.buf<16x16xf16, right, zn>) outs(%d : !pto.buf<16x16xf32, acc, nz>)
  return
}

// -----

func.func @accumulate_shape(%c: !pto.tile<32x16xf32, acc>, %l: !pto.tile<16x32xf16, left>, %r: !pto.tile<32x16xf16, right>) {
  // expected-error @+1 {{pl.matmul_acc: changes [32, 16] FP32 in Acc, but makes [16, 16] FP32}}
  %0 = pto.tile.matmul_acc %c, %l, %r : (!pto.tile<32x16xf32, acc>, !pto.tile<16x32xf16, left>, !pto.tile<32x16xf16, right>) -> !pto.tile<16x16xf32, acc>
  return
}

// -----

func.func @accumulate_element(%c: !pto.tile<16x16xi32, acc>, %l: !pto.tile<16x32xf16, left>, %r: !pto.tile<32x16xf16, right>) {
  // expected-error @+1 {{pl.matmul_acc: changes [16, 16] INT32 in Acc, but makes [16, 16] FP32}}
  %0 = pto.tile.matmul_acc %c, %l, %r : (!pto.tile<16x16xi32, acc>, !pto.tile<16x32xf16, left>, !pto.tile<32x16xf16, right>) -> !pto.tile<16x16xf32, acc>
  return
}

// -----

// Buffers.

func.func @alloc_window() {
  // expected-error @+1 {{makes a whole allocation, not a window}}
  %0 = pto.tile.alloc : !pto.buf<4x8xf32, vec, nd, of<8x8>>
  return
}

// -----

func.func @alloc_addresses() {
  // expected-error @+1 {{has 2 slots and 1 addresses}}
  %0 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<8x8xf32, vec, nd, slots<2>>
  return
}

// -----

func.func @alloc_no_addresses() {
  // expected-error @+1 {{has 1 slots and 0 addresses}}
  %0 = pto.tile.alloc {addrs = array<i64>} : !pto.buf<8x8xf32, vec, nd>
  return
}

// -----

func.func @alloc_negative() {
  // expected-error @+1 {{has a negative address, -32}}
  %0 = pto.tile.alloc {addrs = array<i64: -32>} : !pto.buf<8x8xf32, vec, nd>
  return
}

// -----

func.func @alloc_type() {
  // expected-error @+1 {{result #0 must be buffer, but got 'i32'}}
  %0 = pto.tile.alloc : i32
  return
}

// -----

func.func @slot_source(%b: i32, %i: index) {
  // expected-error @+1 {{'source' must be buffer, but got 'i32'}}
  %0 = pto.tile.slot %b[%i] : i32
  return
}

// -----

func.func @slot_result(%b: !pto.buf<8x8xf32, vec, nd, slots<2>>, %i: index) {
  // expected-error @+1 {{failed to verify that a slot of the source}}
  %0 = "pto.tile.slot"(%b, %i) : (!pto.buf<8x8xf32, vec, nd, slots<2>>, index) -> !pto.buf<8x4xf32, vec, nd>
  return
}

// -----

func.func @slot_constant(%b: !pto.buf<8x8xf32, vec, nd, slots<2>>) {
  %c2 = arith.constant 2 : index
  // expected-error @+1 {{picks slot 2 of 2}}
  %0 = pto.tile.slot %b[%c2] : !pto.buf<8x8xf32, vec, nd, slots<2>>
  return
}

// -----

func.func @slot_negative(%b: !pto.buf<8x8xf32, vec, nd, slots<2>>) {
  %c = arith.constant -1 : index
  // expected-error @+1 {{picks slot -1 of 2}}
  %0 = pto.tile.slot %b[%c] : !pto.buf<8x8xf32, vec, nd, slots<2>>
  return
}

// -----

func.func @view_layout(%b: !pto.buf<8x8xf32, vec, nd>) {
  // expected-error @+1 {{changes more than the shape of its source}}
  %0 = pto.tile.subview %b [0, 0] [8, 8] : !pto.buf<8x8xf32, vec, nd> -> !pto.buf<8x8xf32, vec, dn>
  return
}

// -----

func.func @view_root(%b: !pto.buf<8x8xf32, vec, nd>) {
  // expected-error @+1 {{changes more than the shape of its source}}
  %0 = pto.tile.subview %b [0, 0] [4, 8] : !pto.buf<8x8xf32, vec, nd> -> !pto.buf<4x8xf32, vec, nd>
  return
}

// -----

func.func @view_offsets(%b: !pto.buf<8x8xf32, vec, nd>) {
  // expected-error @+1 {{needs two offsets and the sizes of its result type}}
  %0 = pto.tile.subview %b [0] [8, 8] : !pto.buf<8x8xf32, vec, nd> -> !pto.buf<8x8xf32, vec, nd>
  return
}

// -----

func.func @view_sizes(%b: !pto.buf<8x8xf32, vec, nd>) {
  // expected-error @+1 {{needs two offsets and the sizes of its result type}}
  %0 = pto.tile.subview %b [0, 0] [8, 4] : !pto.buf<8x8xf32, vec, nd> -> !pto.buf<8x8xf32, vec, nd>
  return
}

// -----

func.func @view_negative(%b: !pto.buf<8x8xf32, vec, nd>) {
  // expected-error @+1 {{has a negative offset, -4}}
  %0 = pto.tile.subview %b [-4, 0] [8, 8] : !pto.buf<8x8xf32, vec, nd> -> !pto.buf<8x8xf32, vec, nd>
  return
}

// -----

func.func @view_fractal(%b: !pto.buf<64x64xf16, mat, nz>) {
  // expected-error @+1 {{offset 8 is not a multiple of the fractal's 16}}
  %0 = pto.tile.subview %b [8, 0] [16, 64] : !pto.buf<64x64xf16, mat, nz> -> !pto.buf<16x64xf16, mat, nz, of<64x64>>
  return
}

// -----

func.func @view_beyond(%b: !pto.buf<8x8xf32, vec, nd>) {
  // expected-error @+1 {{reaches beyond its source in dimension 0: 4 from 6 on, of 8}}
  %0 = pto.tile.subview %b [6, 0] [4, 8] : !pto.buf<8x8xf32, vec, nd> -> !pto.buf<4x8xf32, vec, nd, of<8x8>>
  return
}

// -----

func.func @view_far_beyond(%b: !pto.buf<8x8xf32, vec, nd>) {
  // expected-error @+1 {{reaches beyond its source in dimension 1: 4 from 9223372036854775807 on, of 8}}
  %0 = pto.tile.subview %b [0, 9223372036854775807] [8, 4] : !pto.buf<8x8xf32, vec, nd> -> !pto.buf<8x4xf32, vec, nd, of<8x8>>
  return
}

// -----

func.func @view_missing_offset(%b: !pto.buf<8x8xf32, vec, nd>) {
  // expected-error @+1 {{has 0 values for 1 offsets that are not static}}
  %0 = "pto.tile.subview"(%b) <{static_offsets = array<i64: -9223372036854775808, 0>, static_sizes = array<i64: 8, 8>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!pto.buf<8x8xf32, vec, nd>) -> !pto.buf<8x8xf32, vec, nd>
  return
}

// -----

func.func @view_missing_size(%b: !pto.buf<8x8xf32, vec, nd>) {
  // expected-error @+1 {{has 0 values for 1 sizes that are not static}}
  %0 = "pto.tile.subview"(%b) <{static_offsets = array<i64: 0, 0>, static_sizes = array<i64: -9223372036854775808, 8>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!pto.buf<8x8xf32, vec, nd>) -> !pto.buf<?x8xf32, vec, nd, of<8x8>>
  return
}

// -----

func.func @view_slots(%b: !pto.buf<8x8xf32, vec, nd, slots<2>>) {
  // expected-error @+1 {{operand #0 must be buffer with one slot}}
  %0 = pto.tile.subview %b [0, 0] [8, 8] : !pto.buf<8x8xf32, vec, nd, slots<2>> -> !pto.buf<8x8xf32, vec, nd>
  return
}

// -----

func.func @column_reduction(%a: !pto.tile<8x8xf32, vec>) {
  // expected-error @+1 {{pl.col_sum: makes a tile of [1, 8], found [8, 1]}}
  %0 = pto.tile.col_sum %a : !pto.tile<8x8xf32, vec> -> !pto.tile<8x1xf32, vec>
  return
}

// -----

func.func @column_values(%a: !pto.tile<8x16xf32, vec>, %b: !pto.tile<1x8xf32, vec>) {
  // expected-error @+1 {{pl.col_expand_mul: the second operand holds one value for each of the 16 columns, [1, N]; found [1, 8] FP32 in Vec}}
  %0 = pto.tile.col_expand_mul %a, %b : (!pto.tile<8x16xf32, vec>, !pto.tile<1x8xf32, vec>) -> !pto.tile<8x16xf32, vec>
  return
}

// -----

func.func @column_elements(%a: !pto.tile<8x16xf32, vec>, %b: !pto.tile<1x16xf16, vec>) {
  // expected-error @+1 {{pl.col_expand_max: operands have different element types, [8, 16] FP32 in Vec and [1, 16] FP16 in Vec; convert one with pl.cast}}
  %0 = pto.tile.col_expand_max %a, %b : (!pto.tile<8x16xf32, vec>, !pto.tile<1x16xf16, vec>) -> !pto.tile<8x16xf32, vec>
  return
}
