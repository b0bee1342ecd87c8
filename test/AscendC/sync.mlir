// RUN: pypto-translate --pto-to-ascendc %s | FileCheck %s

// Flags, barriers, signals between cores, block numbers, print.

module attributes {pto.target = "910B"} {
  // CHECK-LABEL: void flags(
  // CHECK: KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  // CHECK-NEXT: InitSocState();
  func.func @flags(%slot: index) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    // CHECK: SetFlag<HardEvent::MTE2_V>(EVENT_ID5);
    pto.block.set_flag mte2 -> v, 5
    // CHECK: WaitFlag<HardEvent::MTE2_V>(EVENT_ID5);
    pto.block.wait_flag mte2 -> v, 5
    // CHECK: SetFlag<HardEvent::V_MTE3>(slot);
    pto.block.set_flag v -> mte3, %slot
    // CHECK: WaitFlag<HardEvent::V_MTE3>(slot);
    pto.block.wait_flag v -> mte3, %slot
    // CHECK: PipeBarrier<PIPE_V>();
    pto.block.barrier v
    // CHECK: PipeBarrier<PIPE_MTE2>();
    pto.block.barrier mte2
    // CHECK: PipeBarrier<PIPE_ALL>();
    pto.block.barrier all
    return
  }

  // Cores of one kind signal each other only in a kernel type that allows it.
  // CHECK-LABEL: void vectors(
  // CHECK: KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  func.func @vectors() attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    // CHECK: CrossCoreSetFlag<0, PIPE_MTE3>(7);
    pto.block.cross_core_set mte3, 7 {mode = 0 : i64}
    // CHECK: CrossCoreWaitFlag(7);
    pto.block.cross_core_wait 7 {mode = 0 : i64}
    return
  }

  // CHECK-LABEL: void cubes(
  // CHECK: KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_0);
  func.func @cubes() attributes {pto.kind = #pto.kind<aic>, pto.sync = #pto.sync<manual>} {
    // CHECK: CrossCoreSetFlag<0, PIPE_FIX>(0);
    pto.block.cross_core_set fix, 0 {mode = 0 : i64}
    return
  }

  // CHECK-LABEL: void numbers(
  func.func @numbers(%x: f32, %h: f16, %n: i32) attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    // CHECK: const int64_t block = GetBlockIdx();
    %block = pto.block.get_block_idx
    %blocks = pto.block.get_block_num
    %sub = pto.block.get_subblock_idx
    // CHECK: AscendC::printf("block %ld of %ld, %ld: 100%%\n", (int64_t)block, (int64_t)GetBlockNum(),
    // CHECK-NEXT: (int64_t)GetSubBlockIdx());
    pto.block.print "block %d of %i, %d: 100%%\0A"(%block, %blocks, %sub) : index, index, index
    // CHECK: AscendC::printf("%f \"%f\" %x of %lu", x, (float)(half)h, (int32_t)n, (int64_t)block);
    pto.block.print "%f \22%f\22 %x of %u"(%x, %h, %n, %block) : f32, f16, i32, index
    return
  }

  // A mixed kernel: what stands outside the sections runs on every core, and the
  // two AIVs of a block share its number.
  // CHECK-LABEL: void mixed(
  // CHECK: KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  func.func @mixed() attributes {pto.kind = #pto.kind<group>, pto.sync = #pto.sync<manual>} {
    // CHECK: int64_t block = GetBlockIdx();
    // CHECK-NEXT: if ASCEND_IS_AIV {
    // CHECK-NEXT:   block /= 2; // two AIVs a block
    // CHECK-NEXT: }
    %block = pto.block.get_block_idx
    // CHECK-NEXT: const int64_t next = block + 1;
    %c1 = arith.constant 1 : index
    %next = arith.addi %block, %c1 : index
    // CHECK-NEXT: if ASCEND_IS_AIC {
    pto.block.section aic {
      // CHECK-NEXT: AscendC::printf("%ld", (int64_t)next);
      pto.block.print "%d"(%next) : index
      // CHECK-NEXT: AscendC::printf("%ld", (int64_t)GetBlockIdx());
      %mine = pto.block.get_block_idx
      pto.block.print "%d"(%mine) : index
      // CHECK-NEXT: CrossCoreSetFlag<2, PIPE_FIX>(3);
      pto.block.cross_core_set fix, 3 {mode = 2 : i64}
    }
    // CHECK-NEXT: }
    // CHECK-NEXT: if ASCEND_IS_AIV {
    pto.block.section aiv {
      // CHECK-NEXT: CrossCoreWaitFlag(3);
      pto.block.cross_core_wait 3 {mode = 2 : i64}
      // CHECK-NEXT: AscendC::printf("%ld", (int64_t)next);
      pto.block.print "%d"(%next) : index
      // CHECK-NEXT: AscendC::printf("%ld", (int64_t)(GetBlockIdx() / 2));
      %mine = pto.block.get_block_idx
      pto.block.print "%d"(%mine) : index
    }
    // CHECK-NEXT: }
    return
  }
}
