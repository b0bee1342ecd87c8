"""A transformer block as one task graph: norm, attention, norm, feed-forward, with residuals.

Seven small kernels, called as functions on arrays that the entry makes; which task waits for
which is derived from them, and the products of q, k and v wait for one another not at all.
"""

import numpy as np
import pypto.language as pl

LENGTH, WIDTH, HIDDEN, EPS = 32, 64, 128, 1e-6
Rows = pl.Tensor[[LENGTH, WIDTH], pl.FP32]


@pl.jit.incore
def norm(x: Rows, out: pl.Out[pl.Tensor]):
    t = pl.load(x, [0, 0], [LENGTH, WIDTH])
    y = pl.row_expand_mul(t, pl.rsqrt(pl.row_sum(t * t) * (1.0 / WIDTH) + EPS))
    pl.store(pl.cast(y, pl.FP16), [0, 0], out)
    return out


@pl.jit.incore
def linear(x: pl.Tensor, w: pl.Tensor, out: pl.Out[pl.Tensor]):
    out[:] = pl.matmul(x, w)
    return out


@pl.jit.incore
def to_half(x: pl.Tensor, out: pl.Out[pl.Tensor]):
    out[:] = pl.cast(x, pl.FP16)
    return out


@pl.jit.incore
def scores_of(q: pl.Tensor, k: pl.Tensor, out: pl.Out[pl.Tensor]):
    out[:] = pl.matmul(q, k, b_trans=True)
    return out


@pl.jit.incore
def softmax(x: pl.Tensor, out: pl.Out[pl.Tensor]):
    t = pl.mul(pl.load(x, [0, 0], [LENGTH, LENGTH]), WIDTH**-0.5)
    e = pl.exp(pl.row_expand_sub(t, pl.row_max(t)))
    pl.store(pl.cast(pl.row_expand_div(e, pl.row_sum(e)), pl.FP16), [0, 0], out)
    return out


@pl.jit.incore
def silu(x: pl.Tensor, out: pl.Out[pl.Tensor]):
    t = pl.load(x, [0, 0], [LENGTH, HIDDEN])
    pl.store(pl.cast(t / (pl.exp(-t) + 1.0), pl.FP16), [0, 0], out)
    return out


@pl.jit.incore
def add(x: Rows, y: Rows, out: pl.Out[Rows]):
    out[:] = x + y
    return out


@pl.jit
def block(
    x: pl.Tensor[[LENGTH, WIDTH], pl.FP32],
    attend: pl.Tensor[[4 * WIDTH, WIDTH], pl.FP16],
    up: pl.Tensor[[WIDTH, HIDDEN], pl.FP16],
    down: pl.Tensor[[HIDDEN, WIDTH], pl.FP16],
    out: pl.Out[pl.Tensor[[LENGTH, WIDTH], pl.FP32]],
):
    normed = pl.create_tensor([LENGTH, WIDTH], pl.FP16)
    projected = pl.create_tensor([3 * LENGTH, WIDTH], pl.FP32)
    qkv = pl.create_tensor([3 * LENGTH, WIDTH], pl.FP16)
    scores = pl.create_tensor([LENGTH, LENGTH], pl.FP32)
    weights = pl.create_tensor([LENGTH, LENGTH], pl.FP16)
    norm(x, normed)
    for i in pl.parallel(3):
        rows = projected[i * LENGTH : (i + 1) * LENGTH, :]
        linear(normed, attend[i * WIDTH : (i + 1) * WIDTH, :], rows)
    to_half(projected, qkv)
    scores_of(qkv[0:LENGTH, :], qkv[LENGTH : 2 * LENGTH, :], scores)
    softmax(scores, weights)
    mixed = pl.create_tensor([LENGTH, WIDTH], pl.FP32)
    linear(weights, qkv[2 * LENGTH : 3 * LENGTH, :], mixed)
    to_half(mixed, normed)
    linear(normed, attend[3 * WIDTH : 4 * WIDTH, :], mixed)
    middle = pl.create_tensor([LENGTH, WIDTH], pl.FP32)
    add(x, mixed, middle)
    norm(middle, normed)
    hidden = pl.create_tensor([LENGTH, HIDDEN], pl.FP32)
    active = pl.create_tensor([LENGTH, HIDDEN], pl.FP16)
    linear(normed, up, hidden)
    silu(hidden, active)
    linear(active, down, mixed)
    add(middle, mixed, out)
    return out


def expected(x, attend, up, down):
    x, attend, up, down = (a.astype(np.float64) for a in (x, attend, up, down))
    n = lambda t: t / np.sqrt((t**2).mean(axis=1, keepdims=True) + EPS)  # noqa: E731
    q, k, v = (n(x) @ w for w in np.split(attend[: 3 * WIDTH], 3))
    e = np.exp(q @ k.T * WIDTH**-0.5)
    middle = x + e / e.sum(axis=1, keepdims=True) @ v @ attend[3 * WIDTH :]
    hidden = n(middle) @ up
    return middle + hidden / (1 + np.exp(-hidden)) @ down


def main():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((LENGTH, WIDTH)).astype(np.float32)
    shapes = ((4 * WIDTH, WIDTH), (WIDTH, HIDDEN), (HIDDEN, WIDTH))
    weights = [(rng.standard_normal(shape) / 8).astype(np.float16) for shape in shapes]
    out = np.zeros_like(x)
    block(x, *weights, out)
    np.testing.assert_allclose(out, expected(x, *weights), atol=2e-2)
    print("transformer_block: within 2e-2 of NumPy")


if __name__ == "__main__":
    main()
