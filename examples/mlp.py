"""Two fused linear layers as a task graph: products on the cube core, bias and ReLU on a
vector core, and arrays between them that say the order.

The entry computes nothing. That `rectify` waits for `product` is derived from `hidden`,
which one writes and the other reads.
"""

import numpy as np
import pypto.language as pl

ROWS, IN, HIDDEN, OUT = 32, 64, 96, 32


@pl.jit.incore
def product(x: pl.Tensor, weight: pl.Tensor, out: pl.Out[pl.Tensor]):
    out[:] = pl.matmul(x, weight)
    return out


@pl.jit.incore
def rectify(x: pl.Tensor, bias: pl.Tensor, out: pl.Out[pl.Tensor]):
    rows, cols = x.shape
    t = pl.add(pl.load(x, [0, 0], [rows, cols]), pl.load(bias, [0, 0], [rows, cols]))
    pl.store(pl.cast(pl.relu(t), pl.FP16), [0, 0], out)
    return out


@pl.jit
def mlp(
    x: pl.Tensor[[ROWS, IN], pl.FP16],
    w1: pl.Tensor[[IN, HIDDEN], pl.FP16],
    b1: pl.Tensor[[ROWS, HIDDEN], pl.FP32],
    w2: pl.Tensor[[HIDDEN, OUT], pl.FP16],
    out: pl.Out[pl.Tensor[[ROWS, OUT], pl.FP32]],
):
    hidden = pl.create_tensor([ROWS, HIDDEN], pl.FP32)
    active = pl.create_tensor([ROWS, HIDDEN], pl.FP16)
    product(x, w1, hidden)
    rectify(hidden, b1, active)
    product(active, w2, out)
    return out


def main():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((ROWS, IN)).astype(np.float16)
    w1 = (rng.standard_normal((IN, HIDDEN)) / 8).astype(np.float16)
    b1 = np.tile(rng.standard_normal((1, HIDDEN)).astype(np.float32), (ROWS, 1))
    w2 = (rng.standard_normal((HIDDEN, OUT)) / 8).astype(np.float16)
    out = np.zeros((ROWS, OUT), np.float32)
    mlp(x, w1, b1, w2, out)
    wide = [a.astype(np.float64) for a in (x, w1, w2)]
    expected = np.maximum(wide[0] @ wide[1] + b1, 0) @ wide[2]
    np.testing.assert_allclose(out, expected, atol=5e-3)
    print("mlp: within 5e-3 of NumPy")


if __name__ == "__main__":
    main()
