// RUN: pypto-opt %s --pto-derive-task-deps -verify-diagnostics -split-input-file

func.func private @copy(%x: !pto.gm<4x8xf32> {pto.dir = #pto.dir<in>}, %y: !pto.gm<4x8xf32> {pto.dir = #pto.dir<out>}) attributes {pto.kind = #pto.kind<aiv>}

func.func @half(%x: tensor<4x8xf32>, %y: tensor<4x8xf32> {pto.dir = #pto.dir<out>}) attributes {pto.kind = #pto.kind<orchestration>} {
  // expected-error @below {{the dispatch of 'copy' has a token already, but its entry 'half' is not marked #pto.deps<explicit>; mark it, or leave all tokens to the compiler}}
  %a, %t = pto.block.dispatch @copy(%x, %y) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>, !pto.task
  return
}

// -----

func.func private @copy(%x: !pto.gm<4x8xf32> {pto.dir = #pto.dir<in>}, %y: !pto.gm<4x8xf32> {pto.dir = #pto.dir<out>}) attributes {pto.kind = #pto.kind<aiv>}

func.func @waits(%x: tensor<4x8xf32>, %y: tensor<4x8xf32> {pto.dir = #pto.dir<out>}, %t: !pto.task) attributes {pto.kind = #pto.kind<orchestration>, pto.deps = #pto.deps<program_order>} {
  // expected-error @below {{the dispatch of 'copy' has a token already}}
  %a = pto.block.dispatch @copy(%x, %y) after(%t) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
