"""A graph of tasks: slices that let tasks run side by side, two arrays that a loop swaps,
and a manual scope in which task ids say all the order there is."""

import numpy as np
import pypto.language as pl

SIDE, PARTS = 64, 4
STEPS = 3
Part = pl.Tensor[[SIDE, SIDE], pl.FP32]


@pl.jit.incore
def square(x: Part, out: pl.Out[Part]):
    t = pl.load(x, [0, 0], [SIDE, SIDE])
    pl.store(pl.mul(t, t), [0, 0], out)
    return out


@pl.jit.incore
def add(x: Part, y: Part, out: pl.Out[Part]):
    a = pl.load(x, [0, 0], [SIDE, SIDE])
    b = pl.load(y, [0, 0], [SIDE, SIDE])
    pl.store(pl.add(a, b), [0, 0], out)
    return out


@pl.jit.incore
def halve(x: Part, out: pl.Out[Part]):
    t = pl.load(x, [0, 0], [SIDE, SIDE])
    pl.store(pl.mul(t, 0.5), [0, 0], out)
    return out


@pl.jit
def graph(
    x: pl.Tensor[[PARTS * SIDE, SIDE], pl.FP32],
    steps: pl.Tensor[[1, 8], pl.INT32],
    result: pl.Out[pl.Tensor[[SIDE, SIDE], pl.FP32]],
    out: pl.Out[pl.Tensor[[PARTS * SIDE, SIDE], pl.FP32]],
):
    squares = pl.create_tensor([PARTS * SIDE, SIDE], pl.FP32)
    total = pl.create_tensor([SIDE, SIDE], pl.FP32)
    spare = pl.create_tensor([SIDE, SIDE], pl.FP32)
    # Each task has its own rows, so nothing orders them; what order there is, is derived.
    squared = pl.array.create(PARTS, pl.TASK_ID)
    for i in pl.parallel(PARTS):
        mine = squares[i * SIDE : (i + 1) * SIDE, :]
        _, squared[i] = pl.submit(square, x[i * SIDE : (i + 1) * SIDE, :], mine)
    # `total` and `spare` change places in each step.
    add(squares[0:SIDE, :], squares[SIDE : 2 * SIDE, :], total)
    for i in pl.range(2, PARTS):
        add(total, squares[i * SIDE : (i + 1) * SIDE, :], spare)
        total, spare = spare, total
    # How often is in an array, which the control plane reads.
    for _ in pl.range(steps[0, 0]):
        halve(total, spare)
        total, spare = spare, total
    halve(total, result)
    # Here no order is derived: every task waits for its deps= only.
    with pl.manual_scope():
        tids = pl.array.create(PARTS, pl.TASK_ID)
        for i in pl.range(PARTS):
            _, tids[i] = pl.submit(
                square,
                squares[i * SIDE : (i + 1) * SIDE, :],
                out[i * SIDE : (i + 1) * SIDE, :],
                deps=[squared[i]],
            )
        both = pl.create_tensor([SIDE, SIDE], pl.FP32)
        first, second = out[0:SIDE, :], out[SIDE : 2 * SIDE, :]
        _, last = pl.submit(add, first, second, both, deps=[tids[0], tids[1]])
        with pl.at(level=pl.Level.CORE_GROUP, deps=[tids, last]):
            t = pl.load(both, [0, 0], [SIDE, SIDE])
            pl.store(t, [(PARTS - 1) * SIDE, 0], out)
    return result, out


def main():
    x = np.random.default_rng(0).uniform(-1, 1, (PARTS * SIDE, SIDE)).astype(np.float32)
    out = np.zeros_like(x)
    steps = np.full((1, 8), STEPS, np.int32)
    result = np.zeros((SIDE, SIDE), np.float32)
    graph(x, steps, result, out)
    parts = x.reshape(PARTS, SIDE, SIDE) ** 2
    expected = parts**2
    expected[-1] = expected[0] + expected[1]
    np.testing.assert_allclose(out.reshape(expected.shape), expected, rtol=1e-6)
    np.testing.assert_allclose(result, parts.sum(axis=0) / 2 ** (STEPS + 1), rtol=1e-6)
    print(f"task_graph: {PARTS} parts, {STEPS} swaps: right")


if __name__ == "__main__":
    main()
