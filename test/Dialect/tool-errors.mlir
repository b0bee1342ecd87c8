// What the tools say at errors: where, also at an operation that only has a name, and
// no copy of the module below it.
// RUN: split-file %s %t
// RUN: not pypto-opt --pto-pipeline="target=910C" %t/chip.mlir 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not pypto-opt --pto-infer-tile-memory-space %t/none.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not pypto-opt --pto-infer-tile-memory-space --mlir-print-op-on-diagnostic=true %t/none.mlir 2>&1 | FileCheck %s --check-prefix=ASKED
// RUN: not pypto-opt --pto-infer-tile-memory-space %t/named.mlir 2>&1 | FileCheck %s --check-prefix=NAMED
// RUN: not pypto-translate --pto-to-ascendc %t/final.mlir 2>&1 | FileCheck %s --check-prefix=FINAL

// CHIP: error: unknown chip '910C'; known: 910B
// CHIP-NOT: see current operation
// NONE: none.mlir:1:1: error: the module names no chip
// NONE-NOT: see current operation
// ASKED: see current operation
// NAMED: named.mlir:2:1: error: pl.move: {{.*}} is needed in Vec
// FINAL: final.mlir:3:{{[0-9]+}}: error: pto.tile.alloc: has no address

//--- chip.mlir
module {
}
//--- none.mlir
module {
}
//--- named.mlir
module attributes {pto.target = "910B"} {
func.func @f(%a: !pto.gm<16x16xf16>) {
  %b = pto.tile.load %a[0, 0] : !pto.gm<16x16xf16> -> !pto.tile<16x16xf16, mat>
  %c = pto.tile.move %b : !pto.tile<16x16xf16, mat> -> !pto.tile<16x16xf16, vec> loc("acc")
  return
}
}
//--- final.mlir
module attributes {pto.target = "910B"} {
func.func @f() attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
  %c = pto.tile.alloc : !pto.buf<16x16xf16, vec, nd> loc("acc")
  return
}
}
