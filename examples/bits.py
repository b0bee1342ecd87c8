"""Bit operations: how many ones each 16-bit number has, without a loop.

Pairs of bits are added up to fields of two bits, those to fields of four, and so on.
"""

import numpy as np
import pypto.language as pl

Array = pl.Tensor[[32, 64], pl.INT16]


@pl.jit.incore
def count_ones(x: Array, out: pl.Out[Array]):
    t = pl.load(x, [0, 0], [32, 64])
    t = pl.sub(t, pl.ands(pl.shrs(t, 1), 0x5555))
    t = pl.add(pl.ands(t, 0x3333), pl.ands(pl.shrs(t, 2), 0x3333))
    t = pl.ands(pl.add(t, pl.shrs(t, 4)), 0x0F0F)
    t = pl.ands(pl.add(t, pl.shrs(t, 8)), 0x001F)
    pl.store(t, [0, 0], out)
    return out


@pl.jit
def popcount(
    x: pl.Tensor[[32, 64], pl.INT16],
    out: pl.Out[pl.Tensor[[32, 64], pl.INT16]],
):
    out = count_ones(x, out)
    return out


def main():
    x = np.random.default_rng(0).integers(0, 2**15, (32, 64), np.int16)
    out = np.zeros_like(x)
    popcount(x, out)
    np.testing.assert_array_equal(out, np.bitwise_count(x))
    print("bits: equal to NumPy")


if __name__ == "__main__":
    main()
