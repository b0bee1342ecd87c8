"""SwiGLU: silu(gate) · up, on arrays of FP16 that are computed in FP32.

One array holds gate and up side by side. A window of a load chooses its columns, so nothing
has to be copied apart first.
"""

import numpy as np
import pypto.language as pl

ROWS, COLS, BLOCK = 64, 80, 16


@pl.jit.incore
def swiglu_rows(
    both: pl.Tensor[[ROWS, 2 * COLS], pl.FP16],
    out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP16]],
):
    for row in pl.range(0, ROWS, BLOCK):
        gate = pl.cast(pl.load(both, [row, 0], [BLOCK, COLS]), pl.FP32)
        up = pl.cast(pl.load(both, [row, COLS], [BLOCK, COLS]), pl.FP32)
        silu = pl.div(gate, pl.add(pl.exp(pl.neg(gate)), 1.0))
        pl.store(pl.cast(pl.mul(silu, up), pl.FP16), [row, 0], out)
    return out


@pl.jit
def swiglu(
    both: pl.Tensor[[ROWS, 2 * COLS], pl.FP16],
    out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP16]],
):
    out = swiglu_rows(both, out)
    return out


def main():
    both = np.random.default_rng(0).standard_normal((ROWS, 2 * COLS)).astype(np.float16)
    out = np.zeros((ROWS, COLS), np.float16)
    swiglu(both, out)
    gate, up = np.split(both.astype(np.float64), 2, axis=1)
    np.testing.assert_allclose(out.astype(np.float64), gate / (1 + np.exp(-gate)) * up, rtol=2e-3)
    print("swiglu: within 2e-3 of NumPy")


if __name__ == "__main__":
    main()
