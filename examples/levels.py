"""One computation at two levels: x * x on a whole array, and on a tile.

The two kernels are interchangeable for their caller. `compile` writes both, and
with `dump_passes=True` what each pass made of them.
"""

import sys

import numpy as np
import pypto.language as pl


@pl.jit.incore
def square_tensor(
    x: pl.Tensor[[128, 128], pl.FP32],
    out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
):
    # Tensor level: names the whole array. Placement and movement are the compiler's.
    out[:] = pl.mul(x, x)
    return out


@pl.jit.incore
def square_tile(
    x: pl.Tensor[[128, 128], pl.FP32],
    out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
):
    # Tile level: names a buffer on the chip and moves the data itself.
    t = pl.load(x, [0, 0], [128, 128])
    y = pl.mul(t, t)
    pl.store(y, [0, 0], out)
    return out


@pl.jit
def levels(
    x: pl.Tensor[[128, 128], pl.FP32],
    out_t: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    out_k: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
):
    # Control plane: computes nothing, dispatches.
    out_t = square_tensor(x, out_t)
    out_k = square_tile(x, out_k)
    return out_t, out_k


def main(dump_passes=False):
    x = np.random.default_rng(0).standard_normal((128, 128)).astype(np.float32)
    out_t, out_k = np.zeros_like(x), np.zeros_like(x)
    levels(x, out_t, out_k)
    np.testing.assert_array_equal(out_t, x * x)
    np.testing.assert_array_equal(out_k, x * x)
    print("levels: both kernels equal NumPy")
    compiled = levels.compile(x, out_t, out_k, dump_passes=dump_passes)
    print(f"AscendC and dumps are in {compiled.output_dir}")


if __name__ == "__main__":
    main(dump_passes="--dump-passes" in sys.argv)
