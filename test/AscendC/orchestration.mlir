// RUN: pypto-translate --pto-to-ascendc %s | FileCheck %s

// An entry is plain C++: tasks are begun and ended, loops and branches are such.

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

  func.func @columns(%x: !pto.gm<64x16xf32, pitch<64>> {pto.dir = #pto.dir<in>}, %out: !pto.gm<64x16xf32, pitch<64>> {pto.dir = #pto.dir<inout>})
      attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    return
  }

  // CHECK: // ==== orchestration/levels.cpp ====
  // CHECK-NEXT: // levels: an entry for 910B, made by PyPTO.
  // CHECK: #include "pto_tasks.h"
  // CHECK: void square_do(uint32_t numBlocks, void *stream, uint8_t *x, uint8_t *out);
  // CHECK-NEXT: void scale_do(uint32_t numBlocks, void *stream, uint8_t *x, float by, float h, int64_t n);
  // CHECK: extern "C" int levels(void *stream, uint8_t *x, uint8_t *out, float by, float h, int64_t n) {
  // CHECK-NEXT: pto::Tasks tasks(stream, pto::Order::Tokens);
  func.func @levels(%x: tensor<64x64xf32>, %out: tensor<64x64xf32>, %by: f32, %h: f16, %n: index) -> tensor<64x64xf32>
      attributes {pto.kind = #pto.kind<orchestration>, pto.deps = #pto.deps<explicit>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // CHECK-NEXT: // levels.py:20
    // CHECK-NEXT: uint8_t *const t = tasks.create(16384);
    // CHECK-NEXT: // levels.py:21
    // CHECK-NEXT: if (tasks.begin({}))
    // CHECK-NEXT:   square_do(1, tasks.stream(), x, t);
    // CHECK-NEXT: const pto::Task square_task = tasks.end();
    %t = pto.tensor.create : tensor<64x64xf32> loc("t"("levels.py":20:5))
    %t1, %first = pto.block.dispatch @square(%x, %t) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>, !pto.task loc("levels.py":21:5)
    // CHECK-NEXT: // levels.py:22
    // CHECK-NEXT: pto::Task after = square_task;
    // CHECK-NEXT: for (int64_t i = 0; i < n; i += 1) {
    // CHECK-NEXT:   // levels.py:23
    // CHECK-NEXT:   if (tasks.begin({after}))
    // CHECK-NEXT:     scale_do(1, tasks.stream(), t, by, h, i * 2);
    // CHECK-NEXT:   const pto::Task scale_task = tasks.end();
    // CHECK-NEXT:   after = scale_task;
    // CHECK-NEXT: }
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
    // CHECK-NEXT:   const pto::Task both = tasks.join({after, square_task});
    // CHECK-NEXT:   if (tasks.begin({both, pto::kNoTask}))
    // CHECK-NEXT:     square_do(8, tasks.stream(), array0, out);
    // CHECK-NEXT:   tasks.end();
    // CHECK-NEXT:   return tasks.finish();
    %both = pto.block.task_dummy after(%all, %first)
    %nobody = pto.block.task_invalid
    %c8 = arith.constant 8 : index
    %o = pto.block.dispatch @square(%0, %out) blocks(%c8) after(%both, %nobody) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %o : tensor<64x64xf32>
  }

  // What the entry makes and returns is the caller's.
  // CHECK: extern "C" int makes(void *stream, uint8_t *x, uint8_t *y) {
  // CHECK-NEXT: pto::Tasks tasks(stream, pto::Order::Program);
  // CHECK-NEXT: if (tasks.begin({}))
  // CHECK-NEXT:   square_do(1, tasks.stream(), x, y);
  // CHECK-NEXT: tasks.end();
  // CHECK-NEXT: return tasks.finish();
  func.func @makes(%x: tensor<64x64xf32>) -> tensor<64x64xf32>
      attributes {pto.kind = #pto.kind<orchestration>} {
    %y = pto.tensor.create : tensor<64x64xf32>
    %o = pto.block.dispatch @square(%x, %y) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %o : tensor<64x64xf32>
  }

  // Two arrays that change places; what follows from regions is derived when it runs.
  // CHECK: extern "C" int pingpong(void *stream, uint8_t *x, uint8_t *y) {
  // CHECK-NEXT: pto::Tasks tasks(stream, pto::Order::Derived);
  // CHECK-NEXT:   uint8_t *a = x;
  // CHECK-NEXT:   uint8_t *b = y;
  // CHECK-NEXT:   for (int64_t i = 0; i < 4; i += 1) {
  // CHECK-NEXT:     if (tasks.begin({}, {pto::in(a, 16384), pto::unordered(pto::out(b, 16384))}))
  // CHECK-NEXT:       square_do(1, tasks.stream(), a, b);
  // CHECK-NEXT:     tasks.end();
  // CHECK-NEXT:     uint8_t *const next_b = a;
  // CHECK-NEXT:     a = b;
  // CHECK-NEXT:     b = next_b;
  // CHECK-NEXT:   }
  func.func @pingpong(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>)
      attributes {pto.kind = #pto.kind<orchestration>, pto.deps = #pto.deps<run_time>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
      %n = pto.block.dispatch @square(%a, %b) {no_dep = array<i64: 1>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      scf.yield %n, %a : tensor<64x64xf32>, tensor<64x64xf32>
    }
    return
  }

  // Windows, elements, conditions, small arrays, blocks.
  // CHECK: extern "C" int windows(void *stream, uint8_t *x, uint8_t *f, int64_t n) {
  // CHECK-NEXT: pto::Tasks tasks(stream, pto::Order::Derived);
  // CHECK-NEXT: uint8_t *const w = x + (n * 4 + 64);
  // CHECK-NEXT: uint8_t *const left = x;
  // CHECK-NEXT: const int32_t e = tasks.read<int32_t>(f + (n * 4 + 32));
  // CHECK-NEXT: const uint32_t blocks = tasks.blocks((int64_t)e, 48);
  // CHECK-NEXT: if (tasks.wait({}, {pto::in(w, 64, 64, 256), pto::inout(left, 64, 64, 256),
  // CHECK-NEXT:     pto::in(f + 4, 4)}) && tasks.peek<int32_t>(f + 4) >= -3 &&
  // CHECK-NEXT:     tasks.begin({}, {pto::in(w, 64, 64, 256), pto::inout(left, 64, 64, 256), pto::in(f + 4, 4)}))
  // CHECK-NEXT:   columns_do(blocks, tasks.stream(), w, left);
  // CHECK-NEXT: const pto::Task columns_task = tasks.end();
  // CHECK-NEXT: std::array<pto::Task, 2> list = {pto::kNoTask, pto::kNoTask};
  // CHECK-NEXT: std::array<pto::Task, 2> one = tasks.set(list, n, pto::Task(columns_task));
  // CHECK-NEXT: const pto::Task got = tasks.get(one, 1);
  // CHECK-NEXT: std::array<int32_t, 3> numbers{};
  // CHECK-NEXT: std::array<int32_t, 3> more = tasks.set(numbers, 2, int32_t(e));
  // CHECK-NEXT: if (tasks.begin({got}, {pto::unordered(pto::in(w, 64, 64, 256)),
  // CHECK:        columns_do(1, tasks.stream(), w, left);
  func.func @windows(%x: tensor<64x64xf32>, %f: tensor<2x8xi32>, %n: index)
      attributes {pto.kind = #pto.kind<orchestration>, pto.deps = #pto.deps<run_time>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %m = arith.addi %n, %c16 : index
    %w = pto.tensor.slice %x[0, %m] [64, 16] : tensor<64x64xf32> -> tensor<64x16xf32, #pto.pitch<64>> loc("w")
    %u = pto.tensor.slice %x[0, 0] [64, 16] : tensor<64x64xf32> -> tensor<64x16xf32, #pto.pitch<64>> loc("left")
    %e = pto.tensor.read %f[1, %n] : tensor<2x8xi32> loc("e")
    %k = arith.index_cast %e : i32 to index
    %r, %t = pto.block.dispatch @columns(%w, %u) blocks(%k) when(%f[%c0, %c1] ge -3 : tensor<2x8xi32>) {sync_start} : (tensor<64x16xf32, #pto.pitch<64>>, tensor<64x16xf32, #pto.pitch<64>>) -> tensor<64x16xf32, #pto.pitch<64>>, !pto.task
    %list = pto.block.array_create : !pto.array<2 x !pto.task> loc("list")
    %one = pto.block.array_set %t into %list[%n] : !pto.array<2 x !pto.task> loc("one")
    %got = pto.block.array_get %one[%c1] : !pto.array<2 x !pto.task> loc("got")
    %numbers = pto.block.array_create : !pto.array<3 x i32> loc("numbers")
    %more = pto.block.array_set %e into %numbers[%c2] : !pto.array<3 x i32> loc("more")
    %s = pto.block.dispatch @columns(%w, %u) after(%got) {manual} : (tensor<64x16xf32, #pto.pitch<64>>, tensor<64x16xf32, #pto.pitch<64>>) -> tensor<64x16xf32, #pto.pitch<64>>
    return
  }
  // CHECK: // ==== orchestration/pto_tasks.h ====
  // CHECK: class Tasks {
}
