// RUN: pypto-translate --pto-to-ascendc %s | FileCheck %s

// The author's names, as C++ takes them; Python lines as comments.

module attributes {pto.target = "910B"} {
  // A kernel named like a C function gets another C++ name, its file does not.
  // CHECK: // ==== kernels/aiv/exp.cpp ====
  // CHECK: void exp_kernel(GM_ADDR float_, GM_ADDR stream_, GM_ADDR A,
  // CHECK-NEXT: int64_t Exp_) {
  func.func @exp(%float: !pto.gm<64x64xf32> {pto.dir = #pto.dir<in>},
                 %stream: !pto.gm<64x64xf32> {pto.dir = #pto.dir<in>},
                 %A: !pto.gm<64x64xf32> {pto.dir = #pto.dir<out>}, %Exp: index)
      attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    // CHECK: GlobalTensor<float> AGm_;
    // CHECK: LocalTensor<float> t(TPosition::VECCALC, 0x0, 4096);
    // CHECK: LocalTensor<float> t_2(TPosition::VECCALC, 0x4000, 4096);
    // CHECK: LocalTensor<float> new_(TPosition::VECCALC, 0x8000, 4096);
    // CHECK: LocalTensor<float> buf0(TPosition::VECCALC, 0xc000, 4096);
    // CHECK: LocalTensor<float> buf1(TPosition::VECCALC, 0x10000, 4096);
    %first = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<64x64xf32, vec, nd> loc("t"("names.py":10:5))
    %second = pto.tile.alloc {addrs = array<i64: 16384>} : !pto.buf<64x64xf32, vec, nd> loc("t"("names.py":10:5))
    %new = pto.tile.alloc {addrs = array<i64: 32768>} : !pto.buf<64x64xf32, vec, nd>
    %0 = pto.tile.alloc {addrs = array<i64: 49152>} : !pto.buf<64x64xf32, vec, nd>
    %1 = pto.tile.alloc {addrs = array<i64: 65536>} : !pto.buf<64x64xf32, vec, nd>
    // A line is named where it changes.
    // CHECK: // names.py:12
    // CHECK-NEXT: DataCopy(t, float_Gm, 4096);
    // CHECK-NEXT: PipeBarrier<PIPE_V>();
    // CHECK-NEXT: // names.py:13
    // CHECK-NEXT: Exp(t_2, t, 4096);
    pto.tile.load ins(%float[0, 0] : !pto.gm<64x64xf32>) outs(%first : !pto.buf<64x64xf32, vec, nd>) loc("t"("dir/names.py":12:9))
    pto.block.barrier v loc("dir/names.py":12:9)
    pto.tile.exp ins(%first : !pto.buf<64x64xf32, vec, nd>) outs(%second : !pto.buf<64x64xf32, vec, nd>) loc(callsite("dir/names.py":13:9 at "dir/names.py":40:1))
    // What the printer made up is no name.
    // CHECK: for (int64_t i = 0; i < 8; i += 1) {
    // CHECK-NEXT: for (int64_t j = 0; j < 8; j += 1) {
    // CHECK-NEXT: AscendC::printf("%ld", (int64_t)(i + j));
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    scf.for %arg0 = %c0 to %c8 step %c1 {
      scf.for %arg1 = %c0 to %c8 step %c1 {
        %2 = arith.addi %arg0, %arg1 : index
        pto.block.print "%d"(%2) : index
      }
    }
    return
  }
  // CHECK: void exp_kernel_do(uint32_t numBlocks, void *stream, uint8_t *float_, uint8_t *stream_, uint8_t *A,
  // CHECK-NEXT: int64_t Exp_) {
  // CHECK-NEXT:   exp_kernel<<<numBlocks, 0, stream>>>(float_, stream_, A, Exp_);
}
