"""Rotary embedding: each pair (x₁, x₂) of a row is turned by an angle of its position.

The first half of a row is x₁ and the second half x₂. Two loads bring them, two stores put
the turned halves where they belong; the tables of cosines and sines are given.
"""

import numpy as np
import pypto.language as pl

LENGTH, HALF, BLOCK = 64, 32, 32


@pl.jit.incore
def turn(
    x: pl.Tensor[[LENGTH, 2 * HALF], pl.FP32],
    cos: pl.Tensor[[LENGTH, HALF], pl.FP32],
    sin: pl.Tensor[[LENGTH, HALF], pl.FP32],
    out: pl.Out[pl.Tensor[[LENGTH, 2 * HALF], pl.FP32]],
):
    for row in pl.range(0, LENGTH, BLOCK):
        x1 = pl.load(x, [row, 0], [BLOCK, HALF])
        x2 = pl.load(x, [row, HALF], [BLOCK, HALF])
        c = pl.load(cos, [row, 0], [BLOCK, HALF])
        s = pl.load(sin, [row, 0], [BLOCK, HALF])
        pl.store(x1 * c - x2 * s, [row, 0], out)
        pl.store(x2 * c + x1 * s, [row, HALF], out)
    return out


@pl.jit
def rotary(
    x: pl.Tensor[[LENGTH, 2 * HALF], pl.FP32],
    cos: pl.Tensor[[LENGTH, HALF], pl.FP32],
    sin: pl.Tensor[[LENGTH, HALF], pl.FP32],
    out: pl.Out[pl.Tensor[[LENGTH, 2 * HALF], pl.FP32]],
):
    out = turn(x, cos, sin, out)
    return out


def main():
    x = np.random.default_rng(0).standard_normal((LENGTH, 2 * HALF)).astype(np.float32)
    angles = np.arange(LENGTH)[:, None] * 10000.0 ** (-np.arange(HALF) / HALF)
    cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    out = np.zeros_like(x)
    rotary(x, cos, sin, out)
    turned = (x[:, :HALF] + 1j * x[:, HALF:]) * np.exp(1j * angles)
    np.testing.assert_allclose(out, np.hstack([turned.real, turned.imag]), atol=1e-5)
    print("rotary: within 1e-5 of NumPy")


if __name__ == "__main__":
    main()
