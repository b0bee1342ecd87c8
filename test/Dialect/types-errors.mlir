// RUN: pypto-opt %s -verify-diagnostics -split-input-file
// Types and attributes: every constraint of their verifiers, and text that is none.

// expected-error @+1 {{a tile has two dimensions, found [64]}}
func.func private @tile_rank(!pto.tile<64xf32>)

// -----

// expected-error @+1 {{a tile's dimensions are positive, found [0, 64]}}
func.func private @tile_empty(!pto.tile<0x64xf32>)

// -----

// expected-error @+1 {{expected static shape}}
func.func private @tile_dynamic(!pto.tile<?x64xf32>)

// -----

// expected-error @+1 {{a tile of [9223372036854775807, 9223372036854775807] is larger than any chip's memory}}
func.func private @tile_huge(!pto.tile<9223372036854775807x9223372036854775807xf32>)

// -----

// expected-error @+1 {{element type f64 is not supported; use FP16, BF16, FP32, BOOL, or a signed or unsigned integer of 8 to 64 bits}}
func.func private @tile_element(!pto.tile<64x64xf64>)

// -----

// expected-error @+1 {{element type !pto.task is not supported}}
func.func private @tile_of_tasks(!pto.tile<64x64x!pto.task>)

// -----

// expected-error @+1 {{a tile is on chip; DDR holds arrays}}
func.func private @tile_ddr(!pto.tile<64x64xf32, ddr>)

// -----

// expected-error @+1 {{unknown memory space 'nd'}}
func.func private @tile_layout_only(!pto.tile<64x64xf32, nd>)

// -----

// expected-error @+1 {{unknown layout 'zigzag'}}
func.func private @tile_unknown_layout(!pto.tile<64x64xf32, vec, zigzag>)

// -----

// expected-error @+1 {{a tile has two dimensions, found [1, 1, 1]}}
func.func private @buf_rank(!pto.buf<1x1x1xf32, vec, nd>)

// -----

// expected-error @+1 {{a tile has two dimensions, found [8]}}
func.func private @root_rank(!pto.buf<8x8xf32, vec, nd, of<8>>)

// -----

// expected-error @+1 {{a tile has two dimensions, found []}}
func.func private @root_none(!pto.buf<8x8xf32, vec, nd, of<>>)

// -----

// expected-error @+1 {{a tile's dimensions are positive, found [0, 8]}}
func.func private @buf_empty(!pto.buf<0x8xf32, vec, nd>)

// -----

// expected-error @+1 {{a tile's dimensions are positive, found [8, 0]}}
func.func private @root_empty(!pto.buf<?x?xf32, vec, nd, of<8x0>>)

// -----

// expected-error @+1 {{element type INDEX is not supported}}
func.func private @buf_element(!pto.buf<8x8xindex, vec, nd>)

// -----

// expected-error @+1 {{a buffer is on chip; DDR holds arrays}}
func.func private @buf_ddr(!pto.buf<8x8xf32, ddr, nd>)

// -----

// expected-error @+1 {{an allocation has static dimensions, found [?, 8]}}
func.func private @root_dynamic(!pto.buf<?x8xf32, vec, nd>)

// -----

// expected-error @+1 {{expected static shape}}
func.func private @root_dynamic_text(!pto.buf<8x8xf32, vec, nd, of<8x?>>)

// -----

// expected-error @+1 {{a window of [?, 16] does not fit an allocation of [8, 8]}}
func.func private @window(!pto.buf<?x16xf32, vec, nd, of<8x8>>)

// -----

// expected-error @+1 {{an allocation has at least one slot, found 0}}
func.func private @no_slots(!pto.buf<8x8xf32, vec, nd, slots<0>>)

// -----

// expected-error @+1 {{an allocation has at least one slot, found -3}}
func.func private @negative_slots(!pto.buf<8x8xf32, vec, nd, slots<-3>>)

// -----

// expected-error @+1 {{an allocation of [8, 8] with 9223372036854775807 slots is larger than any chip's memory}}
func.func private @many_slots(!pto.buf<8x8xf32, vec, nd, slots<9223372036854775807>>)

// -----

// expected-error @+1 {{an allocation of [9223372036854775807, 2] with 1 slots is larger than any chip's memory}}
func.func private @buf_huge(!pto.buf<9223372036854775807x2xf32, vec, nd>)

// -----

// expected-error @+1 {{integer value too large}}
func.func private @slots_number(!pto.buf<8x8xf32, vec, nd, slots<99999999999999999999>>)

// -----

// expected-error @+1 {{invalid dimension}}
func.func private @dimension_number(!pto.buf<99999999999999999999x8xf32, vec, nd>)

// -----

// expected-error @+1 {{expected ','}}
func.func private @buf_needs_layout(!pto.buf<8x8xf32, vec>)

// -----

// expected-error @+1 {{unknown memory space 'l1'}}
func.func private @buf_unknown_space(!pto.buf<8x8xf32, l1, nd>)

// -----

// expected-error @+1 {{element type INT7 is not supported}}
func.func private @gm_element(!pto.gm<8x8xi7>)

// -----

// expected-error @+1 {{unknown  type `matrix` in dialect `pto`}}
func.func private @no_type(!pto.matrix<8x8>)

// -----

// expected-error @+2 {{expected ::mlir::pto::FunctionKind to be one of: opaque, orchestration, in_core}}
// expected-error @+1 {{failed to parse Pto_FunctionKindAttr parameter 'value'}}
func.func private @unknown_word() attributes {pto.kind = #pto.kind<cube>}

// -----

// expected-error @+1 {{attribute 'pto.kind' must be #pto.kind<...>, found "aiv"}}
func.func private @kind() attributes {pto.kind = "aiv"}

// -----

// expected-error @+1 {{attribute 'pto.sync' must be #pto.sync<...>, found unit}}
func.func private @sync() attributes {pto.sync}

// -----

// expected-error @+1 {{attribute 'pto.deps' must be #pto.deps<...>, found #pto.sync<auto>}}
func.func private @deps() attributes {pto.deps = #pto.sync<auto>}

// -----

// expected-error @+1 {{attribute 'pto.kind' belongs on a function}}
module attributes {pto.kind = #pto.kind<aiv>} {}

// -----

// expected-error @+1 {{attribute 'pto.sync' belongs on a function}}
module attributes {pto.sync = #pto.sync<auto>} {}

// -----

// expected-error @+1 {{attribute 'pto.deps' belongs on a function}}
module attributes {pto.deps = #pto.deps<explicit>} {}

// -----

// expected-error @+1 {{attribute 'pto.target' must be a chip name such as "910B", found 910 : i64}}
module attributes {pto.target = 910} {}

// -----

func.func @reason() {
  // expected-error @+1 {{attribute 'pto.reason' must be a string, found 3 : i64}}
  pto.block.barrier v {pto.reason = 3}
  return
}

// -----

func.func @names(%n: index) {
  // expected-error @+1 {{attribute 'pto.names' must be an array of strings, found ["i", 3]}}
  scf.for %i = %n to %n step %n {
  } {pto.names = ["i", 3]}
  return
}

// -----

func.func @names_alone(%n: index) {
  // expected-error @+1 {{attribute 'pto.names' must be an array of strings, found 3 : i64}}
  scf.for %i = %n to %n step %n {
  } {pto.names = 3}
  return
}

// -----

// expected-error @+1 {{attribute 'pto.dir' must be #pto.dir<...>, found "out"}}
func.func private @direction(!pto.gm<8x8xf32> {pto.dir = "out"})

// -----

// expected-error @+1 {{argument 1 is FP32; only an array in DDR can be Out or InOut}}
func.func private @scalar_out(!pto.gm<8x8xf32> {pto.dir = #pto.dir<in>}, f32 {pto.dir = #pto.dir<inout>})
