# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""How fast the reference model runs, with all of its checks, against NumPy on
the same mathematics in the same process. Final kernels: buffers at addresses,
flags and barriers.

    python benchmarks/reference_model.py

add     1 M elements FP32 in tiles of 64 x 128; aim: 5 x NumPy at most
matmul  512 x 512 x 512, FP16 to FP32, in tiles of 128; aim: 4 x NumPy (which
        multiplies in FP32) at most
flash   attention of one head, 1024 x 1024, d = 128, FP16, on eight clusters of a
        cube core and two vector cores (test/Final/flash_attention_1024.mlir); aim:
        2 s at most
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
from pypto.mlir import ir
from pypto.mlir._mlir_libs import _pto

sys.path.append(str(Path(__file__).parent.parent / "test" / "Reference"))
from final_kernels import flash_attention_1024, text  # noqa: E402

ADD = """
module attributes {pto.target = "910B"} {
  func.func @add(%a: !pto.gm<8192x128xf32> {pto.dir = #pto.dir<in>},
                 %b: !pto.gm<8192x128xf32> {pto.dir = #pto.dir<in>},
                 %c: !pto.gm<8192x128xf32> {pto.dir = #pto.dir<out>})
      attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %rows = arith.constant 8192 : index
    %x = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<64x128xf32, vec, nd>
    %y = pto.tile.alloc {addrs = array<i64: 32768>} : !pto.buf<64x128xf32, vec, nd>
    pto.block.set_flag mte3 -> mte2, 0
    scf.for %i = %c0 to %rows step %c64 {
      pto.block.wait_flag mte3 -> mte2, 0
      pto.tile.load ins(%a[%i, 0] : !pto.gm<8192x128xf32>) outs(%x : !pto.buf<64x128xf32, vec, nd>)
      pto.tile.load ins(%b[%i, 0] : !pto.gm<8192x128xf32>) outs(%y : !pto.buf<64x128xf32, vec, nd>)
      pto.block.set_flag mte2 -> v, 0
      pto.block.wait_flag mte2 -> v, 0
      pto.tile.add ins(%x, %y : !pto.buf<64x128xf32, vec, nd>, !pto.buf<64x128xf32, vec, nd>) outs(%x : !pto.buf<64x128xf32, vec, nd>)
      pto.block.set_flag v -> mte3, 0
      pto.block.wait_flag v -> mte3, 0
      pto.tile.store ins(%x : !pto.buf<64x128xf32, vec, nd>) outs(%c[%i, 0] : !pto.gm<8192x128xf32>)
      pto.block.set_flag mte3 -> mte2, 0
    }
    pto.block.wait_flag mte3 -> mte2, 0
    pto.block.barrier all
    return
  }
}
"""

MATMUL = """
module attributes {pto.target = "910B"} {
  func.func @matmul(%a: !pto.gm<512x512xf16> {pto.dir = #pto.dir<in>},
                    %b: !pto.gm<512x512xf16> {pto.dir = #pto.dir<in>},
                    %c: !pto.gm<512x512xf32> {pto.dir = #pto.dir<out>})
      attributes {pto.kind = #pto.kind<aic>, pto.sync = #pto.sync<manual>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c128 = arith.constant 128 : index
    %c512 = arith.constant 512 : index
    %a1 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<128x128xf16, mat, nz>
    %b1 = pto.tile.alloc {addrs = array<i64: 32768>} : !pto.buf<128x128xf16, mat, nz>
    %a0 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<128x128xf16, left, zz>
    %b0 = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<128x128xf16, right, zn>
    %acc = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<128x128xf32, acc, nz>
    pto.block.set_flag mte1 -> mte2, 0
    pto.block.set_flag m -> mte1, 0
    pto.block.set_flag fix -> m, 0
    scf.for %i = %c0 to %c512 step %c128 {
      scf.for %j = %c0 to %c512 step %c128 {
        pto.block.wait_flag fix -> m, 0
        scf.for %k = %c0 to %c512 step %c128 {
          pto.block.wait_flag mte1 -> mte2, 0
          pto.tile.load ins(%a[%i, %k] : !pto.gm<512x512xf16>) outs(%a1 : !pto.buf<128x128xf16, mat, nz>)
          pto.tile.load ins(%b[%k, %j] : !pto.gm<512x512xf16>) outs(%b1 : !pto.buf<128x128xf16, mat, nz>)
          pto.block.set_flag mte2 -> mte1, 0
          pto.block.wait_flag mte2 -> mte1, 0
          pto.block.wait_flag m -> mte1, 0
          scf.for %r = %c0 to %c128 step %c16 {
            %from = pto.tile.subview %a1[%r, 0] [16, 128] : !pto.buf<128x128xf16, mat, nz> -> !pto.buf<16x128xf16, mat, nz, of<128x128>>
            %to = pto.tile.subview %a0[%r, 0] [16, 128] : !pto.buf<128x128xf16, left, zz> -> !pto.buf<16x128xf16, left, zz, of<128x128>>
            pto.tile.move ins(%from : !pto.buf<16x128xf16, mat, nz, of<128x128>>) outs(%to : !pto.buf<16x128xf16, left, zz, of<128x128>>)
          }
          scf.for %r = %c0 to %c128 step %c16 {
            %from = pto.tile.subview %b1[%r, 0] [16, 128] : !pto.buf<128x128xf16, mat, nz> -> !pto.buf<16x128xf16, mat, nz, of<128x128>>
            %to = pto.tile.subview %b0[%r, 0] [16, 128] : !pto.buf<128x128xf16, right, zn> -> !pto.buf<16x128xf16, right, zn, of<128x128>>
            pto.tile.move ins(%from : !pto.buf<16x128xf16, mat, nz, of<128x128>>) outs(%to : !pto.buf<16x128xf16, right, zn, of<128x128>>)
          }
          pto.block.set_flag mte1 -> mte2, 0
          pto.block.set_flag mte1 -> m, 0
          pto.block.wait_flag mte1 -> m, 0
          %first = arith.cmpi eq, %k, %c0 : index
          scf.if %first {
            pto.tile.matmul ins(%a0, %b0 : !pto.buf<128x128xf16, left, zz>, !pto.buf<128x128xf16, right, zn>) outs(%acc : !pto.buf<128x128xf32, acc, nz>)
          } else {
            pto.tile.matmul_acc ins(%acc, %a0, %b0 : !pto.buf<128x128xf32, acc, nz>, !pto.buf<128x128xf16, left, zz>, !pto.buf<128x128xf16, right, zn>) outs(%acc : !pto.buf<128x128xf32, acc, nz>)
          }
          pto.block.barrier m
          pto.block.set_flag m -> mte1, 0
        }
        pto.block.set_flag m -> fix, 0
        pto.block.wait_flag m -> fix, 0
        pto.tile.store ins(%acc : !pto.buf<128x128xf32, acc, nz>) outs(%c[%i, %j] : !pto.gm<512x512xf32>)
        pto.block.set_flag fix -> m, 0
      }
    }
    pto.block.wait_flag mte1 -> mte2, 0
    pto.block.wait_flag m -> mte1, 0
    pto.block.wait_flag fix -> m, 0
    pto.block.barrier all
    return
  }
}
"""


def best(function, repeats: int = 15) -> float:
    """The shortest of some runs, in seconds: what the machine can do."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def program(text: str):
    with ir.Context():
        return _pto.ReferenceProgram(ir.Module.parse(text))


def measure(run) -> tuple[float, float]:
    """With all checks, and with none: in turn, so that what else the machine does hits
    both alike."""
    times = {"all": [], "none": []}
    for _ in range(3):
        for checks, taken in times.items():
            run(checks)  # forgets what the other one left
            taken.append(best(lambda checks=checks: run(checks), 7))
    return min(times["all"]), min(times["none"])


def report(name: str, model: tuple[float, float], numpy: float, aim: float | None) -> None:
    on, off = model
    print(
        f"{name:7} model {on * 1e3:7.2f} ms   NumPy {numpy * 1e3:7.2f} ms   "
        f"ratio {on / numpy:5.2f}"
        + (f" (aim: {aim:g})" if aim else " " * 9)
        + f"   checks off {off * 1e3:7.2f} ms   ratio {on / off:4.2f} (aim: 1.5)"
    )


def main() -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((8192, 128), np.float32) for _ in range(2))
    c = np.zeros_like(a)
    add = program(ADD)
    model = measure(lambda checks: add.run(None, [a, b, c], checks=checks))
    assert np.array_equal(c, a + b)
    report("add", model, best(lambda: a + b), 5)

    a, b = (rng.standard_normal((512, 512)).astype(np.float16) for _ in range(2))
    c = np.zeros((512, 512), np.float32)
    matmul = program(MATMUL)
    model = measure(lambda checks: matmul.run(None, [a, b, c], checks=checks))
    want = a.astype(np.float32) @ b.astype(np.float32)
    assert np.allclose(c, want, rtol=0, atol=512 * 2.0**-23 * 16)
    a32, b32 = a.astype(np.float32), b.astype(np.float32)
    report("matmul", model, best(lambda: a32 @ b32), 4)

    arguments, want = flash_attention_1024()
    flash = program(text("flash_attention_1024"))
    model = measure(lambda checks: flash.run("entry", arguments, checks=checks))
    assert np.allclose(arguments[-1].astype(np.float32), want, rtol=0, atol=2e-3)
    report("flash", model, best(lambda: attention(*arguments[:3])), None)


def attention(q, kt, v):
    """The same mathematics in NumPy, in FP32."""
    scores = q.astype(np.float32) @ kt.astype(np.float32)
    p = np.exp(scores - scores.max(1, keepdims=True))
    return p / p.sum(1, keepdims=True) @ v.astype(np.float32)


if __name__ == "__main__":
    main()
