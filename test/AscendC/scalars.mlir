// RUN: pypto-translate --pto-to-ascendc %s | FileCheck %s

// Scalars as C++: constants in place, once used in place, else a name.

module attributes {pto.target = "910B"} {
  // CHECK-LABEL: void integers(int64_t a, int64_t b, int32_t n, bool c,
  func.func @integers(%a: index, %b: index, %n: i32, %c: i1, %small: i16)
      attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %c64 = arith.constant 64 : index
    %c2 = arith.constant 2 : index
    %big = arith.constant 100000 : index
    // CHECK: AscendC::printf("%ld", (int64_t)((a - (b - 64)) * 2));
    %d = arith.subi %b, %c64 : index
    %e = arith.subi %a, %d : index
    %f = arith.muli %e, %c2 : index
    pto.block.print "%d"(%f) : index
    // What is known is computed here, so that C++ does not do it in `int`.
    // CHECK: AscendC::printf("%ld", (int64_t)10000000000);
    %g = arith.muli %big, %big : index
    pto.block.print "%d"(%g) : index
    // Unsigned only where it makes a difference.
    // CHECK: AscendC::printf("%ld", (int64_t)(int64_t)((uint64_t)a % (uint64_t)2));
    %h = arith.remui %a, %c2 : index
    pto.block.print "%d"(%h) : index
    // CHECK: const int64_t twice = a + b;
    // CHECK-NEXT: AscendC::printf("%ld %ld", (int64_t)twice, (int64_t)twice);
    %twice = arith.addi %a, %b : index
    pto.block.print "%d %d"(%twice, %twice) : index, index
    // CHECK: AscendC::printf("%ld", (int64_t)(a < b ? a : b));
    %min = arith.minsi %a, %b : index
    pto.block.print "%d"(%min) : index
    // CHECK: const int64_t v0 = a + 64;
    // CHECK-NEXT: AscendC::printf("%ld", (int64_t)(v0 > b ? v0 : b));
    %0 = arith.addi %a, %c64 : index
    %max = arith.maxsi %0, %b : index
    pto.block.print "%d"(%max) : index
    // CHECK: AscendC::printf("%ld", (int64_t)(a / 64 + (a % 64 != 0 && (a < 0) == (64 < 0))));
    %up = arith.ceildivsi %a, %c64 : index
    pto.block.print "%d"(%up) : index
    // CHECK: AscendC::printf("%ld", (int64_t)(a / b - (a % b != 0 && (a < 0) != (b < 0))));
    %down = arith.floordivsi %a, %b : index
    pto.block.print "%d"(%down) : index
    // CHECK: AscendC::printf("%d", (int32_t)((int32_t)a + n));
    %i = arith.index_cast %a : index to i32
    %j = arith.addi %i, %n : i32
    pto.block.print "%d"(%j) : i32
    // CHECK: AscendC::printf("%d", (int32_t)(int16_t)(small + small));
    %s = arith.addi %small, %small : i16
    pto.block.print "%d"(%s) : i16
    // CHECK: AscendC::printf("%ld", (int64_t)((c && a == b) || a != 64 ? a : b));
    %eq = arith.cmpi eq, %a, %b : index
    %and = arith.andi %c, %eq : i1
    %ne = arith.cmpi ne, %a, %c64 : index
    %or = arith.ori %and, %ne : i1
    %sel = arith.select %or, %a, %b : index
    pto.block.print "%d"(%sel) : index
    return
  }

  // CHECK-LABEL: void floats(float x, float h, float b, int32_t n)
  func.func @floats(%x: f32, %h: f16, %b: bf16, %n: i32)
      attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %half = arith.constant 0.5 : f32
    // CHECK: AscendC::printf("%f", x * 0.5f - (float)n);
    %y = arith.mulf %x, %half : f32
    %m = arith.sitofp %n : i32 to f32
    %z = arith.subf %y, %m : f32
    pto.block.print "%f"(%z) : f32
    // FP16 and BF16 compute in float and round once.
    // CHECK: AscendC::printf("%f", (float)(half)((float)(half)h / 3.0f));
    %three = arith.constant 3.0 : f16
    %q = arith.divf %h, %three : f16
    pto.block.print "%f"(%q) : f16
    // CHECK: AscendC::printf("%f", ToFloat(ToBfloat16(ToFloat(ToBfloat16(b)) + ToFloat(ToBfloat16(b)))));
    %r = arith.addf %b, %b : bf16
    pto.block.print "%f"(%r) : bf16
    // CHECK: AscendC::printf("%d", (int32_t)(int32_t)-x);
    %neg = arith.negf %x : f32
    %int = arith.fptosi %neg : f32 to i32
    pto.block.print "%d"(%int) : i32
    // CHECK: AscendC::printf("%f", x < 0.5f ? x : 0.5f);
    %lt = arith.cmpf olt, %x, %half : f32
    %sel = arith.select %lt, %x, %half : f32
    pto.block.print "%f"(%sel) : f32
    // CHECK: AscendC::printf("%d", (int32_t)!(x >= 0.5f));
    %ult = arith.cmpf ult, %x, %half : f32
    pto.block.print "%d"(%ult) : i1
    // CHECK: AscendC::printf("%f", x != x || x > 0.5f ? x : 0.5f);
    %max = arith.maximumf %x, %half : f32
    pto.block.print "%f"(%max) : f32
    return
  }

  // CHECK-LABEL: void control(
  func.func @control(%n: index, %x: f32)
      attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0.0 : f32
    // A counter is not negative: `%` is the same signed and unsigned.
    // CHECK: for (int64_t i = 0; i < 8; i += 1) {
    // CHECK-NEXT:   SetFlag<HardEvent::V_MTE3>(i % 2);
    scf.for %i = %c0 to %c8 step %c1 {
      %c2 = arith.constant 2 : index
      %slot = arith.remui %i, %c2 : index
      pto.block.set_flag v -> mte3, %slot
    }
    // CHECK: float part = 0.0f;
    // CHECK-NEXT: for (int64_t i = 0; i < n; i += 1) {
    // CHECK-NEXT:   part = part + x;
    // CHECK-NEXT: }
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%part = %zero) -> f32 {
      %next = arith.addf %part, %x : f32
      scf.yield %next : f32
    }
    // Carried values change all at once.
    // CHECK: int64_t a = 0;
    // CHECK-NEXT: int64_t b = 1;
    // CHECK-NEXT: for (int64_t i_2 = 0; i_2 < 8; i_2 += 1) {
    // CHECK-NEXT:   const int64_t next_b = a + b;
    // CHECK-NEXT:   a = b;
    // CHECK-NEXT:   b = next_b;
    // CHECK-NEXT: }
    %1 = arith.addi %n, %c1 : index loc("i"(unknown))
    pto.block.print "%d %d"(%1, %1) : index, index
    %fib:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %c0, %b = %c1) -> (index, index) {
      %both = arith.addi %a, %b : index
      scf.yield %b, %both : index, index
    }
    // CHECK: float scale;
    // CHECK-NEXT: if (part > 0.0f) {
    // CHECK-NEXT:   scale = x;
    // CHECK-NEXT: } else {
    // CHECK-NEXT:   scale = 0.0f;
    // CHECK-NEXT: }
    %gt = arith.cmpf ogt, %sum, %zero : f32
    %scale = scf.if %gt -> f32 {
      scf.yield %x : f32
    } else {
      scf.yield %zero : f32
    }
    // CHECK-NEXT: AscendC::printf("%f %ld", scale, (int64_t)b);
    pto.block.print "%f %d"(%scale, %fib#1) : f32, index
    return
  }
}
