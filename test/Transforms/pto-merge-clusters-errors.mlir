// RUN: pypto-opt %s --pto-merge-clusters --verify-diagnostics --split-input-file

module attributes {pto.target = "910B"} {
  func.func @k(%a: !pto.gm<16x16xf32> {pto.dir = #pto.dir<in>}) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<auto>} {
    return
  }
  func.func @l(%a: !pto.gm<16x16xf32> {pto.dir = #pto.dir<in>}) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<auto>} {
    return
  }
  func.func @entry(%x: tensor<16x16xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
    pto.block.cluster {
      // expected-note @+1 {{the other one is called here}}
      pto.block.dispatch @k(%x) : (tensor<16x16xf32>) -> ()
      // expected-error @+1 {{pl.cluster: 'l' runs on the vector cores, as 'k' does; a cluster has one kernel for the cube core and one for the vector cores}}
      pto.block.dispatch @l(%x) : (tensor<16x16xf32>) -> ()
      pto.block.yield
    }
    return
  }
}

// -----

module attributes {pto.target = "910B"} {
  func.func @k(%a: !pto.gm<16x16xf32> {pto.dir = #pto.dir<in>}) attributes {pto.kind = #pto.kind<aic>, pto.sync = #pto.sync<auto>} {
    return
  }
  func.func @entry(%x: tensor<16x16xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
    pto.block.cluster {
      // expected-note @+1 {{the other one is called here}}
      pto.block.dispatch @k(%x) : (tensor<16x16xf32>) -> ()
      // expected-error @+1 {{pl.cluster: 'k' runs on the cube core, as 'k' does; a cluster has one}}
      pto.block.dispatch @k(%x) : (tensor<16x16xf32>) -> ()
      pto.block.yield
    }
    return
  }
}

// -----

func.func @entry(%x: tensor<16x16xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
  // expected-error @+1 {{pl.cluster: runs no kernel; call one for the cube core, one for the vector cores, or both}}
  pto.block.cluster {
    pto.block.yield
  }
  return
}

// -----

func.func @k(%a: !pto.gm<16x16xf32> {pto.dir = #pto.dir<in>}) attributes {pto.kind = #pto.kind<group>, pto.sync = #pto.sync<manual>} {
  return
}
func.func @entry(%x: tensor<16x16xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
  pto.block.cluster {
    // expected-error @+1 {{pl.cluster: 'k' is a mixed kernel, which fills a cluster by itself; call it outside of pl.cluster}}
    pto.block.dispatch @k(%x) : (tensor<16x16xf32>) -> ()
    pto.block.yield
  }
  return
}

// -----

func.func @k(%a: tensor<16x16xf32> {pto.dir = #pto.dir<in>}) attributes {pto.kind = #pto.kind<in_core>} {
  return
}
func.func @entry(%x: tensor<16x16xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
  pto.block.cluster {
    // expected-error @+1 {{pl.cluster: 'k' has no core yet; run pto-split-mixed first}}
    pto.block.dispatch @k(%x) : (tensor<16x16xf32>) -> ()
    pto.block.yield
  }
  return
}

// -----

func.func private @k(!pto.gm<16x16xf32> {pto.dir = #pto.dir<in>}) attributes {pto.kind = #pto.kind<aiv>}
func.func @entry(%x: tensor<16x16xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
  pto.block.cluster {
    // expected-error @+1 {{pl.cluster: 'k' has no body to run}}
    pto.block.dispatch @k(%x) : (tensor<16x16xf32>) -> ()
    pto.block.yield
  }
  return
}

// -----

func.func @k(%a: !pto.gm<16x16xf32> {pto.dir = #pto.dir<in>}) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<auto>} {
  return
}
func.func @entry(%x: tensor<16x16xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
  pto.block.cluster {
    // expected-error @+1 {{pl.cluster: 'k' is a part of the cluster's task; manual, sync_start and early_resolve are said of the cluster}}
    pto.block.dispatch @k(%x) {manual} : (tensor<16x16xf32>) -> ()
    pto.block.yield
  }
  return
}

// -----

func.func @k(%a: !pto.gm<16x16xf32> {pto.dir = #pto.dir<in>}) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<auto>} {
  return
}
func.func @entry(%x: tensor<16x16xf32>, %y: tensor<16x16xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
  // expected-error @+1 {{pl.cluster: no_dep names [16, 16] FP32, which none of its kernels takes; leave it out}}
  pto.block.cluster no_dep(%y : tensor<16x16xf32>) {
    pto.block.dispatch @k(%x) : (tensor<16x16xf32>) -> ()
    pto.block.yield
  }
  return
}

// -----

func.func @k(%a: !pto.gm<16x16xf32> {pto.dir = #pto.dir<in>}) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<auto>} {
  return
}
func.func @entry(%x: tensor<16x16xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
  // expected-error @+1 {{pl.cluster: name_hint '2nd' is no name for a function; use letters, digits and _}}
  pto.block.cluster attributes {name_hint = "2nd"} {
    pto.block.dispatch @k(%x) : (tensor<16x16xf32>) -> ()
    pto.block.yield
  }
  return
}
