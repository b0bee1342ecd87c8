// RUN: pypto-translate --pto-to-ascendc %s | FileCheck %s

// An entry is plain C++: launches in program order, loops and branches as such.

module attributes {pto.target = "910B"} {
  func.func @square(%x: !pto.gm<64x64xf32> {pto.dir = #pto.dir<in>},
                    %out: !pto.gm<64x64xf32> {pto.dir = #pto.dir<out>})
      attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    return
  }
  func.func @scale(%x: !pto.gm<64x64xf32> {pto.dir = #pto.dir<inout>}, %by: f32, %h: f16, %n: index)
      attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    return
  }

  // CHECK: // ==== orchestration/levels.cpp ====
  // CHECK-NEXT: // levels: an entry for 910B, made by PyPTO.
  // CHECK: #include "acl/acl.h"
  // CHECK: void square_do(uint32_t numBlocks, void *stream, uint8_t *x, uint8_t *out);
  // CHECK-NEXT: void scale_do(uint32_t numBlocks, void *stream, uint8_t *x, float by, float h, int64_t n);
  // CHECK: extern "C" int levels(void *stream, uint8_t *x, uint8_t *out, float by, float h, int64_t n) {
  // CHECK: aclError status = aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
  func.func @levels(%x: tensor<64x64xf32>, %out: tensor<64x64xf32>, %by: f32, %h: f16, %n: index) -> tensor<64x64xf32>
      attributes {pto.kind = #pto.kind<orchestration>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // CHECK: auto launch = [&]() -> aclError {
    // CHECK-NEXT:   // levels.py:20
    // CHECK-NEXT:   uint8_t *t = nullptr;
    // CHECK-NEXT:   if (aclError status = create(16384, &t); status != ACL_SUCCESS)
    // CHECK-NEXT:     return status;
    // CHECK-NEXT:   // levels.py:21
    // CHECK-NEXT:   square_do(1, stream, x, t);
    %t = pto.tensor.create : tensor<64x64xf32> loc("t"("levels.py":20:5))
    %t1, %first = pto.block.dispatch @square(%x, %t) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>, !pto.task loc("levels.py":21:5)
    // CHECK-NEXT:   // levels.py:22
    // CHECK-NEXT:   for (int64_t i = 0; i < n; i += 1) {
    // CHECK-NEXT:     // levels.py:23
    // CHECK-NEXT:     scale_do(1, stream, t, by, h, i * 2);
    %t2, %all = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t1, %after = %first) -> (tensor<64x64xf32>, !pto.task) {
      %c2 = arith.constant 2 : index
      %j = arith.muli %i, %c2 : index
      %b, %task = pto.block.dispatch @scale(%a, %by, %h, %j) after(%after) : (tensor<64x64xf32>, f32, f16, index) -> tensor<64x64xf32>, !pto.task loc("levels.py":23:9)
      scf.yield %b, %task : tensor<64x64xf32>, !pto.task
    } loc("levels.py":22:5)
    // An array that differs from branch to branch is an address of its own.
    // CHECK:   uint8_t *array0;
    // CHECK-NEXT:   if (n == 0) {
    // CHECK-NEXT:     array0 = x;
    // CHECK-NEXT:   } else {
    // CHECK-NEXT:     array0 = t;
    // CHECK-NEXT:   }
    %none = arith.cmpi eq, %n, %c0 : index
    %0 = scf.if %none -> tensor<64x64xf32> {
      scf.yield %x : tensor<64x64xf32>
    } else {
      scf.yield %t2 : tensor<64x64xf32>
    }
    // CHECK-NEXT:   square_do(1, stream, array0, out);
    // CHECK-NEXT:   return ACL_SUCCESS;
    // CHECK-NEXT: };
    // CHECK-NEXT: aclError status = launch();
    // CHECK-NEXT: aclError finished = aclrtSynchronizeStream(stream);
    // CHECK:      aclError freed = aclrtFree(array);
    // CHECK: return status;
    %o = pto.block.dispatch @square(%0, %out) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %o : tensor<64x64xf32>
  }

  // What the entry makes and returns is the caller's.
  // CHECK: extern "C" int makes(void *stream, uint8_t *x, uint8_t *y) {
  // CHECK-NEXT: auto launch = [&]() -> aclError {
  // CHECK-NEXT:   square_do(1, stream, x, y);
  // CHECK-NEXT:   return ACL_SUCCESS;
  func.func @makes(%x: tensor<64x64xf32>) -> tensor<64x64xf32>
      attributes {pto.kind = #pto.kind<orchestration>} {
    %y = pto.tensor.create : tensor<64x64xf32>
    %o = pto.block.dispatch @square(%x, %y) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %o : tensor<64x64xf32>
  }

  // Two arrays that change places.
  // CHECK: extern "C" int pingpong(void *stream, uint8_t *x, uint8_t *y) {
  // CHECK:   uint8_t *a = x;
  // CHECK-NEXT:   uint8_t *b = y;
  // CHECK-NEXT:   for (int64_t i = 0; i < 4; i += 1) {
  // CHECK-NEXT:     square_do(1, stream, a, b);
  // CHECK-NEXT:     uint8_t *const next_b = a;
  // CHECK-NEXT:     a = b;
  // CHECK-NEXT:     b = next_b;
  // CHECK-NEXT:   }
  func.func @pingpong(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>)
      attributes {pto.kind = #pto.kind<orchestration>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
      %n = pto.block.dispatch @square(%a, %b) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      scf.yield %n, %a : tensor<64x64xf32>, tensor<64x64xf32>
    }
    return
  }
}
