"""The cost model at work: a kernel with one buffer and with two, and what each waits for."""

import numpy as np
import pypto.language as pl

ROWS, COLS, BLOCK = 1024, 128, 64


@pl.jit.incore
def one_at_a_time(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    for row in pl.range(0, ROWS, BLOCK):
        a = pl.load(x, [row, 0], [BLOCK, COLS])
        b = pl.exp(a)
        pl.store(b, [row, 0], out)
    return out


@pl.jit.incore
def two_at_a_time(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    for row in pl.range(0, ROWS, 2 * BLOCK):
        a = pl.load(x, [row, 0], [BLOCK, COLS])
        c = pl.load(x, [row + BLOCK, 0], [BLOCK, COLS])
        b = pl.exp(a)
        pl.store(b, [row, 0], out)
        d = pl.exp(c)
        pl.store(d, [row + BLOCK, 0], out)
    return out


@pl.jit
def one_buffer(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    out = one_at_a_time(x, out)
    return out


@pl.jit
def two_buffers(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    out = two_at_a_time(x, out)
    return out


def at_once(profile):
    """Cycles for which at least two pipes are at work."""
    changes = sorted(
        [(event.start, 1) for event in profile.events]
        + [(event.end, -1) for event in profile.events]
    )
    total = active = before = 0
    for time, change in changes:
        total += time - before if active > 1 else 0
        active, before = active + change, time
    return total


def main():
    x = np.random.default_rng(0).standard_normal((ROWS, COLS)).astype(np.float32)
    profiles = {}
    for kernel in (one_buffer, two_buffers):
        out = np.zeros_like(x)
        profile = kernel.compile(x, out).profile(x, out)
        np.testing.assert_allclose(out, np.exp(x), rtol=1e-6)
        assert sum(step.cycles for step in profile.critical_path) == profile.cycles
        print(profile)
        profiles[kernel] = profile
    one, two = profiles[one_buffer], profiles[two_buffers]
    assert at_once(one) == 0 and at_once(two) > 0
    assert two.cycles < one.cycles
    print(f"two buffers take {two.cycles / one.cycles:.2f} of the time of one")


if __name__ == "__main__":
    main()
