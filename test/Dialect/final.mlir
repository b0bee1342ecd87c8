// The hand-written final kernels parse, verify and print to themselves.
// RUN: pypto-opt %S/../Final/softmax.mlir | pypto-opt | FileCheck %s --check-prefix=SOFTMAX
// RUN: pypto-opt %S/../Final/matmul.mlir | pypto-opt | FileCheck %s --check-prefix=MATMUL
// RUN: pypto-opt %S/../Final/flash_attention.mlir | pypto-opt | FileCheck %s --check-prefix=FLASH

// SOFTMAX: pto.tile.row_expand_div ins(%{{.*}}, %{{.*}} : !pto.buf<32x64xf32, vec, nd>, !pto.buf<32x8xf32, vec, nd>) outs(%{{.*}} : !pto.buf<32x64xf32, vec, nd>)
// MATMUL: pto.tile.slot %{{.*}}[%{{.*}}] : !pto.buf<64x64xf16, mat, nz, slots<2>>
// FLASH: pto.block.section aic {
// FLASH: pto.block.cross_core_set fix, 0 {mode = 2 : i64}
// FLASH: pto.block.section aiv {
