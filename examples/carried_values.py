"""What a loop carries, said out loud: `init_values`, and `pl.yield_` at the end of the body.

A geometric series 1 + x + x² + …: each step has a power and a sum, and hands on the next
ones. To rebind the names (as `online_softmax.py` does) is the same in fewer words.
"""

import numpy as np
import pypto.language as pl

SIDE, TERMS = 32, 8
Array = pl.Tensor[[SIDE, SIDE], pl.FP32]


@pl.jit.incore
def series(x: Array, out: pl.Out[Array]):
    t = pl.load(x, [0, 0], [SIDE, SIDE])
    one = pl.tile.full([SIDE, SIDE], pl.FP32, 1.0)
    for _, (power, total) in pl.range(TERMS - 1, init_values=(one, one)):
        next_power = pl.mul(power, t)
        next_total = pl.add(total, next_power)
        power_out, total_out = pl.yield_(next_power, next_total)
    pl.store(total_out, [0, 0], out)
    return out


@pl.jit
def geometric(x: pl.Tensor[[SIDE, SIDE], pl.FP32], out: pl.Out[pl.Tensor[[SIDE, SIDE], pl.FP32]]):
    out = series(x, out)
    return out


def main():
    x = np.random.default_rng(0).uniform(-1, 1, (SIDE, SIDE)).astype(np.float32)
    out = np.zeros_like(x)
    geometric(x, out)
    expected = sum(x.astype(np.float64) ** n for n in range(TERMS))
    np.testing.assert_allclose(out, expected, atol=1e-5)
    print(f"carried_values: {TERMS} terms, within 1e-5 of NumPy")


if __name__ == "__main__":
    main()
