// The final kernels hold every rule; a rule does not apply before its pass.
// RUN: pypto-opt %S/../Final/softmax.mlir --pto-verify-level="after=pto-derive-task-deps" -o /dev/null
// RUN: pypto-opt %S/../Final/matmul.mlir --pto-verify-level="after=pto-derive-task-deps" -o /dev/null
// RUN: pypto-opt %S/../Final/flash_attention.mlir --pto-verify-level="after=pto-derive-task-deps" -o /dev/null
// RUN: pypto-opt %s --pto-verify-level="after=pto-set-target" | FileCheck %s
// RUN: pypto-opt %s --pto-verify-level | FileCheck %s
// RUN: not pypto-opt %s --pto-verify-level="after=pto-inline" 2>&1 | FileCheck %s --check-prefix=INLINE

// CHECK: func.func @helper
// INLINE: error: 'helper' is an inline function; none is left after pto-inline
module attributes {pto.target = "910B"} {
  func.func @helper(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {pto.kind = #pto.kind<inline>} {
    %y = pto.tensor.neg %x : tensor<4x8xf32>
    return %y : tensor<4x8xf32>
  }
  func.func @entry(%x: tensor<4x8xf32>, %o: tensor<4x8xf32> {pto.dir = #pto.dir<out>}) attributes {pto.kind = #pto.kind<orchestration>} {
    %r = pto.block.at core_group -> (tensor<4x8xf32>) {
      %e = pto.tensor.exp %x : tensor<4x8xf32>
      %w = pto.tensor.assemble %e into %o[0, 0] : tensor<4x8xf32> into tensor<4x8xf32>
      pto.block.yield %w : tensor<4x8xf32>
    }
    return
  }
}
