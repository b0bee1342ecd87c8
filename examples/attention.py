"""Attention of several heads as a task graph: scores on the cube core, softmax on a vector
core, and a second product.

Heads lie side by side in the columns of one array. A slice of columns is an array too, whose
rows are further apart; the kernels do not notice.
"""

import math

import numpy as np
import pypto.language as pl

LENGTH, HEADS, WIDTH = 64, 2, 32
SCALE = 1 / math.sqrt(WIDTH)
ALL = HEADS * WIDTH


@pl.jit.incore
def scores_of(q: pl.Tensor, k: pl.Tensor, out: pl.Out[pl.Tensor]):
    out[:] = pl.matmul(q, k, b_trans=True)
    return out


@pl.jit.incore
def softmax(
    x: pl.Tensor[[LENGTH, LENGTH], pl.FP32],
    out: pl.Out[pl.Tensor[[LENGTH, LENGTH], pl.FP16]],
):
    t = pl.mul(pl.load(x, [0, 0], [LENGTH, LENGTH]), SCALE)
    e = pl.exp(pl.row_expand_sub(t, pl.row_max(t)))
    pl.store(pl.cast(pl.row_expand_div(e, pl.row_sum(e)), pl.FP16), [0, 0], out)
    return out


@pl.jit.incore
def weighted(p: pl.Tensor, v: pl.Tensor, out: pl.Out[pl.Tensor]):
    out[:] = pl.matmul(p, v)
    return out


@pl.jit
def attention(
    q: pl.Tensor[[LENGTH, ALL], pl.FP16],
    k: pl.Tensor[[LENGTH, ALL], pl.FP16],
    v: pl.Tensor[[LENGTH, ALL], pl.FP16],
    out: pl.Out[pl.Tensor[[LENGTH, ALL], pl.FP32]],
):
    scores = pl.create_tensor([HEADS * LENGTH, LENGTH], pl.FP32)
    weights = pl.create_tensor([HEADS * LENGTH, LENGTH], pl.FP16)
    for head in pl.parallel(HEADS):
        mine = head * WIDTH
        first = head * LENGTH
        s = scores[first : first + LENGTH, :]
        p = weights[first : first + LENGTH, :]
        scores_of(q[:, mine : mine + WIDTH], k[:, mine : mine + WIDTH], s)
        softmax(s, p)
        weighted(p, v[:, mine : mine + WIDTH], out[:, mine : mine + WIDTH])
    return out


def main():
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((LENGTH, ALL)).astype(np.float16) for _ in range(3))
    out = np.zeros((LENGTH, ALL), np.float32)
    attention(q, k, v, out)
    heads = [np.split(a.astype(np.float64), HEADS, axis=1) for a in (q, k, v)]
    expected = []
    for one, two, three in zip(*heads, strict=True):
        e = np.exp(one @ two.T / math.sqrt(WIDTH))
        expected.append(e / e.sum(axis=1, keepdims=True) @ three)
    np.testing.assert_allclose(out, np.hstack(expected), atol=2e-3)
    print(f"attention: {HEADS} heads, within 2e-3 of NumPy")


if __name__ == "__main__":
    main()
