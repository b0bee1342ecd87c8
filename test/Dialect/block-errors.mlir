// RUN: pypto-opt %s -verify-diagnostics -split-input-file
// Every rule of the family, and text that is none.

func.func @at_without_yield() {
  // expected-error @+1 {{ends with pto.block.yield}}
  pto.block.at core_group {
    %0 = pto.block.get_block_idx
  }
  return
}

// -----

func.func @at_empty() {
  // expected-error @+1 {{expects a non-empty block}}
  pto.block.at core_group {
  }
  return
}

// -----

func.func @at_no_block() {
  // expected-error @+1 {{failed to verify constraint: region with 1 blocks}}
  "pto.block.at"() <{level = #pto.level<core_group>}> ({}) : () -> ()
  return
}

// -----

func.func @at_arguments() {
  // expected-error @+1 {{has a region without arguments}}
  pto.block.at core_group {
  ^bb0(%i: index):
    pto.block.yield
  }
  return
}

// -----

func.func @at_types(%a: tensor<8x8xf32>) {
  %0 = pto.block.at core_group -> (tensor<8x4xf32>) {
    // expected-error @+1 {{yields other types than the results}}
    pto.block.yield %a : tensor<8x8xf32>
  }
  return
}

// -----

func.func @at_unknown_level() {
  // expected-error @+1 {{unknown level 'galaxy'}}
  pto.block.at galaxy {
  }
  return
}

// -----

func.func @yield_alone() {
  // expected-error @+1 {{expects parent op to be one of 'pto.block.at, pto.block.cluster'}}
  pto.block.yield
}

// -----

func.func @section_elsewhere() attributes {pto.kind = #pto.kind<aiv>} {
  // expected-error @+1 {{stands in a function of kind group}}
  pto.block.section aiv {
  }
  return
}

// -----

// expected-error @+1 {{stands in a function of kind group}}
pto.block.section aiv {
}

// -----

func.func @section_in_section() attributes {pto.kind = #pto.kind<group>} {
  pto.block.section aiv {
    // expected-error @+1 {{stands in no other section}}
    pto.block.section aic {
    }
  }
  return
}

// -----

func.func @section_unknown_core() attributes {pto.kind = #pto.kind<group>} {
  // expected-error @+1 {{unknown core kind 'gpu'}}
  pto.block.section gpu {
  }
  return
}

// -----

func.func @dispatch_nothing() {
  // expected-error @+1 {{dispatches 'f', which is no function}}
  pto.block.dispatch @f() : () -> ()
  return
}

// -----

// expected-error @+1 {{dispatches 'f', which is no function}}
pto.block.dispatch @f() : () -> ()

// -----

func.func private @f() attributes {pto.kind = #pto.kind<inline>}
func.func @dispatch_kind() {
  // expected-error @+1 {{dispatches 'f', a function of kind inline; only in-core functions are tasks}}
  pto.block.dispatch @f() : () -> ()
  return
}

// -----

func.func private @f(f32) attributes {pto.kind = #pto.kind<aiv>}
func.func @dispatch_count() {
  // expected-error @+1 {{gives 0 arguments to 'f', which takes 1}}
  pto.block.dispatch @f() : () -> ()
  return
}

// -----

func.func private @f(!pto.gm<8x8xf32>) attributes {pto.kind = #pto.kind<aiv>}
func.func @dispatch_type(%a: tensor<8x4xf32>) {
  // expected-error @+1 {{gives [8, 4] FP32 as argument 0 of 'f', which takes [8, 8] FP32}}
  pto.block.dispatch @f(%a) : (tensor<8x4xf32>) -> ()
  return
}

// -----

func.func private @f(!pto.gm<8x8xf32>) attributes {pto.kind = #pto.kind<aiv>}
func.func @dispatch_element(%a: tensor<8x8xf16>) {
  // expected-error @+1 {{gives [8, 8] FP16 as argument 0 of 'f', which takes [8, 8] FP32}}
  pto.block.dispatch @f(%a) : (tensor<8x8xf16>) -> ()
  return
}

// -----

func.func private @f(!pto.gm<8x8xf32> {pto.dir = #pto.dir<out>}) attributes {pto.kind = #pto.kind<aiv>}
func.func @dispatch_results(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{has 0 results; 'f' writes 1 arrays}}
  pto.block.dispatch @f(%a) : (tensor<8x8xf32>) -> ()
  return
}

// -----

func.func private @f(!pto.gm<8x8xf32> {pto.dir = #pto.dir<out>}) attributes {pto.kind = #pto.kind<aiv>}
func.func @dispatch_result_types(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{result 0 is [8, 4] FP32; 'f' writes [8, 8] FP32 there}}
  %0 = pto.block.dispatch @f(%a) : (tensor<8x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func private @f() attributes {pto.kind = #pto.kind<aiv>}
func.func @dispatch_after(%a: index) {
  // expected-error @+2 {{use of value '%a' expects different type than prior uses: '!pto.task' vs 'index'}}
  // expected-note @-2 {{prior use here}}
  pto.block.dispatch @f() after(%a) : () -> ()
  return
}

// -----

func.func @flag_all() {
  // expected-error @+1 {{joins two single pipes}}
  pto.block.set_flag all -> v, 0
  return
}

// -----

func.func @flag_to_all() {
  // expected-error @+1 {{joins two single pipes}}
  pto.block.wait_flag v -> all, 0
  return
}

// -----

func.func @flag_within_a_pipe() {
  // expected-error @+1 {{joins two different pipes; within one, use pto.block.barrier}}
  pto.block.set_flag v -> v, 0
  return
}

// -----

func.func @flag_two_ids(%i: index) {
  // expected-error @+1 {{needs one event id}}
  pto.block.set_flag mte2 -> v, %i {id = 3 : i64}
  return
}

// -----

func.func @flag_no_id() {
  // expected-error @+1 {{needs one event id}}
  "pto.block.wait_flag"() <{src = #pto.pipe<v>, dst = #pto.pipe<mte2>}> : () -> ()
  return
}

// -----

func.func @flag_negative() {
  // expected-error @+1 {{has a negative event id, -1}}
  pto.block.wait_flag v -> mte3, -1
  return
}

// -----

func.func @flag_unknown_pipe() {
  // expected-error @+1 {{unknown pipe 'mte9'}}
  pto.block.set_flag mte9 -> v, 0
  return
}

// -----

func.func @flag_unfinished() {
  // expected-error @+1 {{expected ','}}
  pto.block.set_flag mte2 -> v
  return
}

// -----

func.func @flag_number() {
  // expected-error @+1 {{integer value too large}}
  pto.block.set_flag mte2 -> v, 99999999999999999999
  return
}

// -----

// expected-note @+1 {{prior use here}}
func.func @flag_id_type(%i: i32) {
  // expected-error @+1 {{expects different type than prior uses: 'index' vs 'i32'}}
  pto.block.set_flag mte2 -> v, %i
  return
}

// -----

func.func @flag_twice() {
  // expected-error @+1 {{attribute 'src' occurs more than once in the attribute list}}
  pto.block.set_flag mte2 -> v, 0 {src = #pto.pipe<v>}
  return
}

// -----

func.func @flag_without_pipes() {
  // expected-error @+1 {{requires attribute 'dst'}}
  "pto.block.set_flag"() : () -> ()
  return
}

// -----

func.func @barrier_unknown_pipe() {
  // expected-error @+1 {{unknown pipe 'cube'}}
  pto.block.barrier cube
  return
}

// -----

func.func @cross_core_pipe() {
  // expected-error @+1 {{waits for one of v, m, mte1, mte2, mte3 and fix}}
  pto.block.cross_core_set all, 0 {mode = 2 : i64}
  return
}

// -----

func.func @cross_core_scalar_pipe() {
  // expected-error @+1 {{waits for one of v, m, mte1, mte2, mte3 and fix}}
  pto.block.cross_core_set s, 0 {mode = 2 : i64}
  return
}

// -----

func.func @cross_core_mode() {
  // expected-error @+1 {{has mode 3; modes are 0 (all cores of a kind), 1 (the AIVs of a cluster) and 2 (an AIC and its AIVs)}}
  pto.block.cross_core_set fix, 0 {mode = 3 : i64}
  return
}

// -----

func.func @cross_core_no_mode() {
  // expected-error @+1 {{requires attribute 'mode'}}
  pto.block.cross_core_wait 0
  return
}

// -----

func.func @cross_core_negative_mode() {
  // expected-error @+1 {{has mode -1}}
  pto.block.cross_core_wait 0 {mode = -1 : i64}
  return
}

// -----

func.func @cross_core_id() {
  // expected-error @+1 {{has id 16; ids are 0 to 15}}
  pto.block.cross_core_wait 16 {mode = 2 : i64}
  return
}

// -----

func.func @cross_core_negative_id() {
  // expected-error @+1 {{has a negative id, -1}}
  pto.block.cross_core_set fix, -1 {mode = 2 : i64}
  return
}

// -----

func.func @print_conversion(%i: index) {
  // expected-error @+1 {{pl.printf: the format has '%s'; it takes %d, %i, %u, %x, %f and %%}}
  pto.block.print "%s"(%i) : index
  return
}

// -----

func.func @print_unfinished() {
  // expected-error @+1 {{pl.printf: the format ends with '%'; it takes %d, %i, %u, %x, %f and %%}}
  pto.block.print "100 %"
  return
}

// -----

func.func @print_type(%f: f32) {
  // expected-error @+1 {{pl.printf: argument 1 is FP32, the format wants %d}}
  pto.block.print "%d"(%f) : f32
  return
}

// -----

func.func @print_float(%i: i32, %j: i32) {
  // expected-error @+1 {{pl.printf: argument 2 is INT32, the format wants %f}}
  pto.block.print "%x %f"(%i, %j) : i32, i32
  return
}

// -----

func.func @print_few(%i: i32) {
  // expected-error @+1 {{pl.printf: the format wants 2 arguments, found 1}}
  pto.block.print "%d %d"(%i) : i32
  return
}

// -----

func.func @print_many(%i: i32) {
  // expected-error @+1 {{pl.printf: the format wants 0 arguments, found 1}}
  pto.block.print "%%"(%i) : i32
  return
}

// -----

func.func @print_array(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{operand #0 must be variadic of scalar, but got 'tensor<8x8xf32>'}}
  pto.block.print "%f"(%a) : tensor<8x8xf32>
  return
}
