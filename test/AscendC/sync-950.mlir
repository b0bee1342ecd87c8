// RUN: pypto-translate --pto-to-ascendc %s | FileCheck %s

// Mutexes, signals between cores and barriers of all cores on the Ascend 950.

module attributes {pto.target = "950"} {
  // CHECK-LABEL: void signals(int64_t id) {
  // CHECK: KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  func.func @signals(%id: index) attributes {pto.kind = #pto.kind<group>, pto.sync = #pto.sync<manual>} {
    %num = pto.block.get_subblock_num
    // CHECK: if ASCEND_IS_AIC {
    // CHECK-NEXT: PipeBarrier<PIPE_ALL>();
    // CHECK-NEXT: SyncAll<false>();
    // CHECK-NEXT: }
    // CHECK-NEXT: if ASCEND_IS_AIV {
    // CHECK-NEXT: PipeBarrier<PIPE_ALL>();
    // CHECK-NEXT: SyncAll<false>();
    pto.block.sync_all
    pto.block.section aic {
      // CHECK: if ASCEND_IS_AIC {
      // CHECK-NEXT: CrossCoreSetFlag<2, PIPE_FIX>(id);
      pto.block.cross_core_set fix, %id {mode = 2 : i64}
      // CHECK-NEXT: CrossCoreWaitFlag<2, PIPE_MTE1>(id + 1);
      %c1 = arith.constant 1 : index
      %next = arith.addi %id, %c1 : index
      pto.block.cross_core_wait %next {mode = 2 : i64, pipe = #pto.pipe<mte1>}
      // Without a pipe: what every pipe is given.
      // CHECK-NEXT: CrossCoreWaitFlag<2, PIPE_S>(3);
      pto.block.cross_core_wait 3 {mode = 2 : i64}
    }
    pto.block.section aiv {
      // CHECK: Mutex::Lock<PIPE_V>(3);
      pto.block.mutex_lock v, 3
      // CHECK-NEXT: Mutex::Unlock<PIPE_V>(3);
      pto.block.mutex_unlock v, 3
      // CHECK-NEXT: Mutex::Lock<PIPE_MTE2>(id);
      pto.block.mutex_lock mte2, %id
      // CHECK-NEXT: Mutex::Unlock<PIPE_MTE2>(id);
      pto.block.mutex_unlock mte2, %id
      // CHECK-NEXT: AscendC::printf("%ld", (int64_t)2);
      pto.block.print "%d"(%num) : index
    }
    return
  }

  // CHECK-LABEL: void vectors() {
  // CHECK: KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  // CHECK: PipeBarrier<PIPE_ALL>();
  // CHECK-NEXT: SyncAll<true>();
  func.func @vectors() attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    pto.block.sync_all
    return
  }

  // One kind of core only, beside the other: the instruction would hang. The id is one
  // that the kernel uses nowhere.
  // CHECK-LABEL: void some() {
  // CHECK: PipeBarrier<PIPE_ALL>();
  // CHECK-NEXT: CrossCoreSetFlag<0, PIPE_MTE3>(9);
  // CHECK-NEXT: CrossCoreWaitFlag<0, PIPE_S>(9);
  func.func @some() attributes {pto.kind = #pto.kind<group>, pto.sync = #pto.sync<manual>} {
    pto.block.section aiv {
      pto.block.sync_all {cores = #pto.core<aiv>}
      pto.block.cross_core_set v, 10 {mode = 2 : i64}
    }
    pto.block.section aic {
      pto.block.cross_core_wait 10 {mode = 2 : i64, pipe = #pto.pipe<m>}
    }
    return
  }
}
