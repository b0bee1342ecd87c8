"""A program as a class: a macro, a kernel that returns what it computes, an opaque part whose
tasks become those of the entry, and one kernel for the vector core."""

import numpy as np
import pypto.language as pl

ROWS, COLS = 64, 96
T = pl.Tensor[[ROWS, COLS], pl.FP32]


@pl.inline
def mix(a, b, weight=0.25):
    """What it is given decides what this is on: tiles, or whole arrays."""
    return pl.add(pl.mul(a, weight), pl.mul(b, 1.0 - weight))


@pl.program
class Blend:
    @pl.function(type=pl.FunctionType.AIV)
    def tiles(self, a: T, b: T, out: pl.Out[T]):
        for row in pl.range(0, ROWS, 16):
            x = pl.load(a, [row, 0], [16, COLS])
            y = pl.load(b, [row, 0], [16, COLS])
            pl.store(mix(x, y), [row, 0], out)
        return out

    @pl.function(type=pl.FunctionType.InCore)
    def arrays(self, a: T, b: T) -> T:
        return mix(a, b, 0.5)

    @pl.function
    def squared(self, a: T, out: pl.Out[T]):
        with pl.at(level=pl.Level.CORE_GROUP):
            out[:] = pl.mul(a, a)
        return out

    @pl.function(type=pl.FunctionType.Orchestration, strict_ssa=True)
    def start(self, a: T, b: T, out: pl.Out[T]):
        pl.func_attr({"purpose": "example"})
        square = self.squared(a, pl.create_tensor([ROWS, COLS], pl.FP32))
        mean = self.arrays(square, b)
        blended = self.tiles(mean, a, out)
        return blended


def main():
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((ROWS, COLS)).astype(np.float32) for _ in range(2))
    out = np.zeros_like(a)
    Blend(a, b, out)
    half, quarter, rest = np.float32(0.5), np.float32(0.25), np.float32(0.75)
    mean = a * a * half + b * half
    np.testing.assert_array_equal(out, mean * quarter + a * rest)
    print(f"program: {out.shape}, the bits of NumPy")


if __name__ == "__main__":
    main()
