// Names and files that are no UTF-8 are shown with a mark in JSON, which has only that.
// RUN: not pypto-run %s --args 3 --json | FileCheck %s
// RUN: not pypto-run %s --args 3 2>&1 | FileCheck %s --check-prefix=TEXT

// CHECK: "diagnostics": [
// CHECK: "file": "k{{.*}}.py"
// CHECK: "reports": [
// CHECK: "check": "division"
// TEXT: error: division of 3 by zero [division]
module attributes {pto.target = "910B"} {
  func.func @entry(%n: index loc("n\FFm"))
      attributes {pto.kind = #pto.kind<orchestration>, pto.deps = #pto.deps<program_order>} {
    %zero = arith.constant 0 : index
    %v = arith.divsi %n, %zero : index loc("v\FF"("k\FF.py":1:1))
    return
  }
}
