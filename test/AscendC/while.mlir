// RUN: pypto-translate --pto-to-ascendc %s | FileCheck %s

// Loops that are left in their middle.

module attributes {pto.target = "950"} {
  // CHECK-LABEL: void whiles(int64_t n, int32_t k) {
  func.func @whiles(%n: index, %k: i32) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : i32
    // The first region is a condition.
    // CHECK: int64_t i = 0;
    // CHECK-NEXT: int32_t last = k;
    // CHECK-NEXT: while (i < n) {
    %r:2 = scf.while (%i = %c0, %last = %k) : (index, i32) -> (index, i32) {
      %go = arith.cmpi slt, %i, %n : index
      scf.condition(%go) %i, %last : index, i32
    } do {
    ^bb0(%i: index, %last: i32):
      // CHECK-NEXT: AscendC::printf("%ld", (int64_t)i);
      pto.block.print "%d"(%i) : index
      %next = arith.addi %i, %c1 : index
      // CHECK-NEXT: i = i + 1;
      // CHECK-NEXT: last = 7;
      // CHECK-NEXT: }
      scf.yield %next, %c7 : index, i32
    } attributes {pto.names = ["i", "last"]}
    // CHECK-NEXT: AscendC::printf("%ld %d", (int64_t)i, (int32_t)last);
    pto.block.print "%d %d"(%r#0, %r#1) : index, i32
    // The first region does things, and hands on a value of its own.
    // CHECK-NEXT: int64_t j = i;
    // CHECK-NEXT: int64_t s;
    // CHECK-NEXT: while (true) {
    %s = scf.while (%j = %r#0) : (index) -> index {
      // CHECK-NEXT: AscendC::printf("%ld", (int64_t)j);
      pto.block.print "%d"(%j) : index
      %less = arith.subi %j, %c1 : index
      %go = arith.cmpi ne, %less, %c0 : index
      // CHECK-NEXT: const int64_t less = j - 1;
      // CHECK-NEXT: s = less;
      // CHECK-NEXT: if (!(less != 0))
      // CHECK-NEXT:   break;
      // CHECK-NEXT: j = s;
      // CHECK-NEXT: }
      scf.condition(%go) %less : index
    } do {
    ^bb0(%less: index):
      scf.yield %less : index
    } attributes {pto.names = ["j"]}
    // CHECK-NEXT: AscendC::printf("%ld", (int64_t)s);
    pto.block.print "%d"(%s) : index
    return
  }
}
