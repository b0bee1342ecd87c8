"""From FP32 to INT32 in five ways: the rounding of a cast is a word.

`rint` takes the even neighbour of a tie and `round` the one away from zero. What INT32 does
not hold becomes its largest or smallest number, and NaN becomes 0.
"""

import numpy as np
import pypto.language as pl

MODES = ("rint", "round", "floor", "ceil", "trunc")
SIDE = 32
Numbers = pl.Tensor[[SIDE, SIDE], pl.FP32]
Whole = pl.Tensor[[5 * SIDE, SIDE], pl.INT32]


@pl.jit.incore
def round_all(x: Numbers, out: pl.Out[Whole]):
    t = pl.load(x, [0, 0], [SIDE, SIDE])
    pl.store(pl.cast(t, pl.INT32, mode="rint"), [0, 0], out)
    pl.store(pl.cast(t, pl.INT32, mode="round"), [SIDE, 0], out)
    pl.store(pl.cast(t, pl.INT32, mode="floor"), [2 * SIDE, 0], out)
    pl.store(pl.cast(t, pl.INT32, mode="ceil"), [3 * SIDE, 0], out)
    pl.store(pl.cast(t, pl.INT32, mode="trunc"), [4 * SIDE, 0], out)
    return out


@pl.jit
def rounding(
    x: pl.Tensor[[SIDE, SIDE], pl.FP32],
    out: pl.Out[pl.Tensor[[5 * SIDE, SIDE], pl.INT32]],
):
    out = round_all(x, out)
    return out


def expected(x, mode):
    away = np.copysign(np.floor(np.abs(x) + 0.5), x)
    made = {"rint": np.rint, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc}
    wide = away if mode == "round" else made[mode](x)
    return np.clip(np.nan_to_num(wide), -(2.0**31), 2.0**31 - 1).astype(np.int32)


def main():
    # Ties, and behind them what INT32 does not hold.
    x = (np.arange(SIDE * SIDE, dtype=np.float32).reshape(SIDE, SIDE) - 512) / 4
    x[0, :4] = np.nan, np.inf, -np.inf, 3e9
    out = np.zeros((5 * SIDE, SIDE), np.int32)
    rounding(x, out)
    for number, mode in enumerate(MODES):
        part = out[number * SIDE : (number + 1) * SIDE]
        np.testing.assert_array_equal(part, expected(x.astype(np.float64), mode))
    print("rounding: five modes equal to NumPy")


if __name__ == "__main__":
    main()
