// RUN: pypto-opt %s --pto-convert-tensor-to-tile-ops --verify-diagnostics --split-input-file

func.func @rank(%x: tensor<1x1x1x1x128xf32> loc("x"), %out: tensor<1x1x1x1x128xf32> {pto.dir = #pto.dir<out>}) -> tensor<1x1x1x1x128xf32>
    attributes {pto.kind = #pto.kind<in_core>} {
  // expected-error @+1 {{pl.exp: computes on arrays with one to four dimensions, found 'x' ([1, 1, 1, 1, 128] FP32)}}
  %e = pto.tensor.exp %x : tensor<1x1x1x1x128xf32>
  %o = pto.tensor.assemble %e into %out[0, 0, 0, 0, 0] : tensor<1x1x1x1x128xf32> into tensor<1x1x1x1x128xf32>
  return %o : tensor<1x1x1x1x128xf32>
}

// -----

func.func @dynamic(%x: tensor<?x8xf32> loc("x")) attributes {pto.kind = #pto.kind<in_core>} {
  // expected-error @+1 {{pl.exp: computes on arrays of known shape, found 'x' ([?, 8] FP32); load a tile of it with pl.load}}
  %e = pto.tensor.exp %x : tensor<?x8xf32>
  return
}

// -----

func.func @dtype(%x: tensor<8x32xi7>) attributes {pto.kind = #pto.kind<in_core>} {
  // expected-error @+1 {{pl.abs: element type INT7 is not supported on a core}}
  %e = pto.tensor.abs %x : tensor<8x32xi7>
  return
}

// -----

// expected-error @+1 {{element type f64 is not supported; use FP16, BF16, FP32, BOOL, or a signed or unsigned integer of 8 to 64 bits}}
func.func @parameter(%x: tensor<8x32xf64>) attributes {pto.kind = #pto.kind<in_core>} {
  return
}

// -----

func.func @create() attributes {pto.kind = #pto.kind<in_core>} {
  // expected-error @+1 {{pl.create_tensor: stands in 'create', which runs on a core and allocates no arrays; create it on the control plane, or take it as a pl.Out parameter}}
  %t = pto.tensor.create : tensor<8x8xf32>
  return
}

// -----

func.func private @k() attributes {pto.kind = #pto.kind<in_core>} { return }
func.func @dispatch() attributes {pto.kind = #pto.kind<in_core>} {
  // expected-error @+1 {{stands in 'dispatch', which runs on a core; only the control plane dispatches tasks}}
  pto.block.dispatch @k() : () -> ()
  return
}

// -----

// expected-note @+1 {{declare it as pl.Out[...] or pl.InOut[...]}}
func.func @writes_in(%x: tensor<8x8xf32>) attributes {pto.kind = #pto.kind<in_core>} {
  %e = pto.tensor.exp %x : tensor<8x8xf32>
  // expected-error @+1 {{pl.assemble: writes [8, 8] FP32, an In parameter of 'writes_in'}}
  %o = pto.tensor.assemble %e into %x[0, 0] : tensor<8x8xf32> into tensor<8x8xf32>
  return
}

// -----

func.func @stale(%x: tensor<8x8xf32>, %out: tensor<8x8xf32> {pto.dir = #pto.dir<inout>} loc("out")) -> tensor<8x8xf32>
    attributes {pto.kind = #pto.kind<in_core>} {
  %e = pto.tensor.exp %x : tensor<8x8xf32>
  // expected-note @+1 {{the array is written here; use the result of that}}
  %o = pto.tensor.assemble %e into %out[0, 0] : tensor<8x8xf32> into tensor<8x8xf32>
  // expected-error @+1 {{pl.exp: uses 'out' ([8, 8] FP32) as it was before it was written}}
  %f = pto.tensor.exp %out : tensor<8x8xf32>
  return %o : tensor<8x8xf32>
}

// -----

func.func @not_carried(%x: tensor<8x8xf32>, %out: tensor<8x8xf32> {pto.dir = #pto.dir<out>} loc("out"), %n: index) -> tensor<8x8xf32>
    attributes {pto.kind = #pto.kind<in_core>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{it begins here}}
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+1 {{'out' ([8, 8] FP32) is written here, but the loop does not hand the array on}}
    %o = pto.tensor.assemble %x into %out[0, 0] : tensor<8x8xf32> into tensor<8x8xf32>
  }
  return %out : tensor<8x8xf32>
}

// -----

func.func @returns(%x: tensor<8x8xf32> loc("x"), %out: tensor<8x8xf32> {pto.dir = #pto.dir<out>} loc("out")) -> tensor<8x8xf32>
    attributes {pto.kind = #pto.kind<in_core>} {
  // expected-error @+1 {{'returns' returns 'x' ([8, 8] FP32) where it returns 'out' ([8, 8] FP32) as it is at the end}}
  return %x : tensor<8x8xf32>
}

// -----

func.func @count(%x: tensor<8x8xf32>, %out: tensor<8x8xf32> {pto.dir = #pto.dir<out>})
    attributes {pto.kind = #pto.kind<in_core>} {
  // expected-error @+1 {{'count' has 1 Out and InOut arrays and returns 0; it returns each of them, in the order of the parameters}}
  return
}

// -----

func.func @mixed(%a: tensor<24x16xf16>, %b: tensor<16x16xf16>, %v: tensor<24x16xf32>, %out: tensor<24x16xf32> {pto.dir = #pto.dir<out>}) -> tensor<24x16xf32>
    attributes {pto.kind = #pto.kind<in_core>} {
  // expected-note @+1 {{is computed here}}
  %c = pto.tensor.matmul %a, %b : (tensor<24x16xf16>, tensor<16x16xf16>) -> tensor<24x16xf32>
  %e = pto.tensor.exp %v : tensor<24x16xf32>
  // expected-error @+1 {{pl.add: combines values of the cube core and of the vector core; that needs a mixed kernel, which comes later; use two kernels with an array between them}}
  %s = pto.tensor.add %e, %c : tensor<24x16xf32>
  %o = pto.tensor.assemble %s into %out[0, 0] : tensor<24x16xf32> into tensor<24x16xf32>
  return %o : tensor<24x16xf32>
}

// -----

func.func @mixed_carry(%a: tensor<24x16xf16>, %b: tensor<16x16xf16>, %v: tensor<24x16xf32>, %out: tensor<24x16xf32> {pto.dir = #pto.dir<out>}, %n: index) -> tensor<24x16xf32>
    attributes {pto.kind = #pto.kind<in_core>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %v) -> tensor<24x16xf32> {
    %c = pto.tensor.matmul %a, %b : (tensor<24x16xf16>, tensor<16x16xf16>) -> tensor<24x16xf32>
    // expected-error @+1 {{a value that is carried is a product of the cube core in one place and a value of the vector core in another, [24, 16] FP32 and [32, 16] FP32; that needs a mixed kernel, which comes later}}
    scf.yield %c : tensor<24x16xf32>
  }
  %o = pto.tensor.assemble %l into %out[0, 0] : tensor<24x16xf32> into tensor<24x16xf32>
  return %o : tensor<24x16xf32>
}

// -----

func.func @adds_to_temporary(%x: tensor<8x8xf32>, %y: tensor<4x8xf32>) attributes {pto.kind = #pto.kind<in_core>} {
  %e = pto.tensor.exp %x : tensor<8x8xf32> loc("e")
  // expected-error @+1 {{pl.assemble: adds to 'e' ([8, 8] FP32), a value on chip; atomic= is for arrays in DDR}}
  %o = pto.tensor.assemble %y into %e[0, 0] {atomic_add} : tensor<4x8xf32> into tensor<8x8xf32>
  return
}

// -----

func.func @load_of_temporary(%x: tensor<8x8xf32>) attributes {pto.kind = #pto.kind<in_core>} {
  %e = pto.tensor.exp %x : tensor<8x8xf32> loc("e")
  // expected-error @+1 {{pl.load: loads from 'e' ([8, 8] FP32), which is no array in DDR but a value on chip}}
  %t = pto.tile.load %e[0, 0] : tensor<8x8xf32> -> !pto.tile<8x8xf32>
  return
}

// -----

func.func @store_to_temporary(%x: tensor<8x8xf32>, %t: !pto.tile<8x8xf32>) attributes {pto.kind = #pto.kind<in_core>} {
  %e = pto.tensor.exp %x : tensor<8x8xf32> loc("e")
  // expected-error @+1 {{pl.store: stores to 'e' ([8, 8] FP32), which is no array in DDR but a value on chip}}
  %o = pto.tile.store %t, %e[0, 0] : !pto.tile<8x8xf32> -> tensor<8x8xf32>
  return
}

// -----

func.func @select(%c: i1, %x: tensor<8x8xf32>, %y: tensor<8x8xf32>) attributes {pto.kind = #pto.kind<in_core>} {
  // expected-error @+1 {{cannot use arrays in code that runs on a core}}
  %s = arith.select %c, %x, %y : tensor<8x8xf32>
  return
}

// -----

// expected-error @+1 {{'blocks' has branches between blocks; use for and if}}
func.func @blocks(%x: tensor<8x8xf32>) attributes {pto.kind = #pto.kind<in_core>} {
  return
^next:
  return
}

// -----

func.func @while_other(%x: tensor<8x8xf32>, %c: i1) attributes {pto.kind = #pto.kind<in_core>} {
  %r = scf.while (%a = %x) : (tensor<8x8xf32>) -> tensor<8x8xf32> {
    // expected-error @+1 {{a while loop that carries tiles or arrays hands on what its first region gets, in that order}}
    scf.condition(%c) %x : tensor<8x8xf32>
  } do {
  ^bb0(%b: tensor<8x8xf32>):
    scf.yield %b : tensor<8x8xf32>
  }
  return
}

// -----

func.func @while_computes(%x: tensor<8x8xf32>, %c: i1) attributes {pto.kind = #pto.kind<in_core>} {
  %r = scf.while (%a = %x) : (tensor<8x8xf32>) -> tensor<8x8xf32> {
    // expected-error @+1 {{pl.mul: uses a tile or an array in the condition of a while loop that carries some; compute the condition before the loop}}
    %b = pto.tensor.mul %a, %a : tensor<8x8xf32>
    scf.condition(%c) %a : tensor<8x8xf32>
  } do {
  ^bb0(%b: tensor<8x8xf32>):
    scf.yield %b : tensor<8x8xf32>
  }
  return
}

// -----

func.func @branch_not_carried(%x: tensor<8x8xf32>, %out: tensor<8x8xf32> {pto.dir = #pto.dir<out>} loc("out"), %c: i1) -> tensor<8x8xf32>
    attributes {pto.kind = #pto.kind<in_core>} {
  // expected-note @+1 {{it begins here}}
  scf.if %c {
    // expected-error @+1 {{'out' ([8, 8] FP32) is written here, but the branch does not hand the array on}}
    %o = pto.tensor.assemble %x into %out[0, 0] : tensor<8x8xf32> into tensor<8x8xf32>
  }
  return %out : tensor<8x8xf32>
}

// -----

func.func @empty(%x: tensor<0x8xf32> loc("x")) attributes {pto.kind = #pto.kind<in_core>} {
  // expected-error @+1 {{pl.exp: computes on arrays that have elements, found 'x' ([0, 8] FP32)}}
  %e = pto.tensor.exp %x : tensor<0x8xf32>
  return
}

// -----

func.func @carried_rank(%x: tensor<1x1x1x1x8xf32> loc("x"), %n: index, %c: i1) attributes {pto.kind = #pto.kind<in_core>} {
  // expected-error @+2 {{computes on arrays with one to four dimensions, found 'x' ([1, 1, 1, 1, 8] FP32)}}
  %r = scf.if %c -> tensor<1x1x1x1x8xf32> {
    scf.yield %x : tensor<1x1x1x1x8xf32>
  } else {
    %e = pto.tensor.exp %x : tensor<1x1x1x1x8xf32>
    scf.yield %e : tensor<1x1x1x1x8xf32>
  }
  return
}
