# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Programs of the control plane run on the reference model and agree with NumPy."""

import time

import generate_tasks
import numpy as np
import pypto
import pypto.language as pl
import pytest
from pypto.runtime import RunConfig

ROWS = pl.Tensor[[128, 64], pl.FP32]
TILE = pl.Tensor[[64, 64], pl.FP32]
FLAGS = pl.Tensor[[8, 8], pl.INT32]


@pl.jit.incore
def square(x: TILE, out: pl.Out[TILE]):
    t = pl.load(x, [0, 0], [64, 64])
    pl.store(pl.mul(t, t), [0, 0], out)
    return out


@pl.jit.incore
def add(x: TILE, by: pl.Scalar[pl.FP32], out: pl.Out[TILE]):
    t = pl.load(x, [0, 0], [64, 64])
    pl.store(pl.add(t, by), [0, 0], out)
    return out


def tile(seed=0, rows=64, cols=64):
    return np.random.default_rng(seed).uniform(0.5, 1.5, (rows, cols)).astype(np.float32)


def flags(**at):
    made = np.zeros((8, 8), np.int32)
    for name, value in at.items():
        made[int(name[1]), int(name[2])] = value
    return made


def test_slices_of_rows_and_columns_are_written_in_place():
    @pl.jit
    def entry(x: pl.Tensor[[64, 256], pl.FP32], out: pl.Out[pl.Tensor[[256, 64], pl.FP32]]):
        for i in pl.parallel(4):
            square(x[:, i * 64 : (i + 1) * 64], out[i * 64 : (i + 1) * 64, :])
        square(out[0:64, :], out[192:, :])
        return out

    x, out = tile(cols=256), np.zeros((256, 64), np.float32)
    entry(x, out)
    expected = np.concatenate([x[:, i : i + 64] ** 2 for i in range(0, 256, 64)])
    expected[192:] = expected[:64] ** 2
    np.testing.assert_array_equal(out, expected)


def test_a_column_of_an_out_array_is_written():
    @pl.jit
    def entry(x: TILE, out: pl.InOut[pl.Tensor[[64, 192], pl.FP32]]):
        square(x, out[:, 64:128])
        square(out[:, 64:128], out[:, 128:])
        return out

    x, out = tile(), np.full((64, 192), 7, np.float32)
    entry(x, out)
    np.testing.assert_array_equal(out[:, :64], 7)
    np.testing.assert_array_equal(out[:, 64:128], x**2)
    np.testing.assert_array_equal(out[:, 128:], (x**2) ** 2)


def test_matrices_of_a_batch():
    @pl.jit
    def entry(x: pl.Tensor[[3, 64, 64], pl.FP32], out: pl.Out[pl.Tensor[[3, 64, 64], pl.FP32]]):
        for b in pl.range(3):
            square(x[b], out[2 - b])
        return out

    x = np.stack([tile(seed) for seed in range(3)])
    out = np.zeros_like(x)
    entry(x, out)
    np.testing.assert_array_equal(out, x[::-1] ** 2)


@pytest.mark.parametrize("steps", [0, 1, 2, 5])
def test_arrays_change_places(steps):
    @pl.jit
    def entry(x: TILE, f: FLAGS, out: pl.Out[TILE]):
        a = pl.create_tensor([64, 64], pl.FP32)
        b = pl.create_tensor([64, 64], pl.FP32)
        add(x, 0.0, a)
        add(x, -1.0, b)
        for _ in pl.range(f[0, 0]):
            add(a, 1.0, b)
            a, b = b, a
        add(a, 0.0, out)
        return a, b, out[0:32, :]

    x, out = tile(), np.zeros((64, 64), np.float32)
    a, b, half = entry(x, flags(f00=steps), out)
    expected = x.copy()
    for _ in range(steps):
        expected = expected + np.float32(1)
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(a, expected)
    np.testing.assert_array_equal(half, expected[:32])
    if steps:
        np.testing.assert_allclose(b, expected - 1, rtol=1e-6)


@pytest.mark.parametrize("steps", [0, 1, 2, 5])
def test_parameters_change_places(steps):
    @pl.jit
    def entry(x: pl.InOut[TILE], y: pl.InOut[TILE], n: pl.Scalar[pl.INDEX], out: pl.Out[TILE]):
        for _ in pl.range(n):
            y = add(x, 1.0, y)
            x, y = y, x
        x = add(y, 10.0, x)
        square(x, out)
        return out

    a, b, out = tile(1), tile(2), np.zeros((64, 64), np.float32)
    wanted = [a.copy(), b.copy()]
    for _ in range(steps):
        wanted[1][:] = wanted[0] + np.float32(1)
        wanted.reverse()
    wanted[0][:] = wanted[1] + np.float32(10)
    square_of = wanted[0] ** 2
    if steps % 2:
        wanted.reverse()
    entry(a, b, steps, out)
    np.testing.assert_array_equal(a, wanted[0])
    np.testing.assert_array_equal(b, wanted[1])
    np.testing.assert_array_equal(out, square_of)


@pytest.mark.parametrize("steps", [0, 1, 2, 5])
def test_a_region_writes_what_an_exchanged_parameter_means(steps):
    @pl.jit
    def entry(x: pl.InOut[TILE], y: pl.InOut[TILE], n: pl.Scalar[pl.INDEX]):
        for i in pl.range(n):
            with pl.at(level=pl.Level.CORE_GROUP):
                y = pl.add(x, 1.0)
            if i != 1:
                x, y = y, x

    a, b = tile(1), tile(2)
    wanted = [a.copy(), b.copy()]
    one, other = wanted
    for i in range(steps):
        other[:] = one + np.float32(1)
        if i != 1:
            one, other = other, one
    entry(a, b, steps)
    np.testing.assert_array_equal([a, b], wanted)


@pytest.mark.parametrize("chosen", [0, 1])
def test_a_branch_chooses_arrays_and_tasks(chosen):
    @pl.jit
    def entry(x: TILE, y: TILE, f: FLAGS, out: pl.Out[TILE]):
        tid = None
        z = x
        if f[0, 0] > 0:
            tmp = pl.create_tensor([64, 64], pl.FP32)
            _, tid = pl.submit(square, y, tmp)
            z = tmp
        _, _ = pl.submit(square, z, out, deps=[tid])
        return out

    x, y, out = tile(0), tile(1), np.zeros((64, 64), np.float32)
    entry(x, y, flags(f00=chosen), out)
    np.testing.assert_array_equal(out, (y**2 if chosen else x) ** 2)


@pytest.mark.parametrize(("value", "runs"), [(5, False), (6, True), (-6, False)])
def test_a_predicate_is_read_when_the_task_is_due(value, runs):
    @pl.jit.incore
    def decide(given: FLAGS, f: pl.Out[FLAGS]):
        t = pl.load(given, [0, 0], [8, 8])
        pl.store(t, [0, 0], f)

    @pl.jit
    def entry(x: TILE, given: FLAGS, out: pl.InOut[TILE]):
        f = pl.create_tensor([8, 8], pl.INT32)
        _, decided = pl.submit(decide, given, f)
        _, _ = pl.submit(square, x, out, deps=[decided], predicate=f[1, 2] > 5)
        return out

    x, out = tile(), np.full((64, 64), 3, np.float32)
    entry(x, flags(f12=value), out)
    np.testing.assert_array_equal(out, x**2 if runs else 3)


def test_reports_name_the_arrays_where_tasks_are_submitted():
    @pl.jit.incore
    def clear(f: pl.InOut[FLAGS]):
        t = pl.load(f, [0, 0], [8, 8])
        pl.store(pl.sub(t, t), [0, 0], f)
        return f

    @pl.jit
    def unordered(x: TILE, given: pl.InOut[FLAGS], out: pl.Out[TILE]):
        with pl.manual_scope():
            pl.submit(clear, given)
            pl.submit(square, x, out, predicate=given[1, 2] > 5)
        return out

    @pl.jit
    def skipped(x: TILE, given: FLAGS, out: pl.Out[TILE]):
        work = pl.create_tensor([64, 64], pl.FP32)
        pl.submit(square, x, work, predicate=given[1, 2] > 5)
        square(work, out)
        return out

    x, out = tile(), np.zeros((64, 64), np.float32)
    with pytest.raises(pypto.RunError) as caught:
        unordered(x, flags(), out)
    text = str(caught.value)
    assert "the call of 'square': reads 'given' ([8, 8] INT32), bytes 40 to 43 of 'given'" in text
    assert "which task 1 'clear' writes, and nothing orders the two" in text
    with pytest.raises(pypto.RunError, match="which nothing has written") as caught:
        skipped(x, flags(), out)
    (note,) = caught.value.diagnostics[0].notes
    assert note.message == ("task 2 'square' is submitted here, with 'work' ([64, 64] FP32) as 'x'")
    assert note.line == skipped.source.line + 4


def test_elements_are_bounds_conditions_and_arguments():
    @pl.jit
    def entry(x: ROWS, f: FLAGS, out: pl.Out[ROWS]):
        for i in pl.range(f[0, 0], f[0, 1]):
            if f[1, i] == 1:
                add(x[i * 64 : (i + 1) * 64, :], x[0, i], out[i * 64 : (i + 1) * 64, :])
            else:
                square(x[i * 64 : (i + 1) * 64, :], out[i * 64 : (i + 1) * 64, :])
        return out

    x, out = tile(rows=128), np.zeros((128, 64), np.float32)
    entry(x, flags(f01=2, f11=1), out)
    np.testing.assert_array_equal(out[:64], x[:64] ** 2)
    np.testing.assert_array_equal(out[64:], x[64:] + x[0, 1])


def test_windows_begin_at_integers_of_fewer_bits():
    """Where a window begins is read from an array of INT32, or from a pl.array of it."""

    @pl.jit
    def entry(x: ROWS, f: FLAGS, out: pl.Out[ROWS]):
        where = pl.array.create(2, pl.INT32)
        for i in pl.range(2):
            where[i] = f[0, i]
        for i in pl.range(2):
            row = f[1, i] * 64
            square(x[row : row + 64, :], out[where[i] * 32 : where[i] * 32 + 64, :])
        return out

    x, out = tile(rows=128), np.zeros((128, 64), np.float32)
    entry(x, flags(f00=2, f10=1), out)
    np.testing.assert_array_equal(out, np.concatenate([x[:64] ** 2, x[64:] ** 2]))
    with pytest.raises(pypto.RunError, match="covers 96 to 159 of 0 to 127"):
        entry(x, flags(f00=3), out)
    with pytest.raises(pypto.RunError, match="covers -64 to -1 of 0 to 127"):
        entry(x, flags(f10=-1), out)


def test_small_arrays_hold_numbers():
    @pl.jit
    def entry(x: TILE, out: pl.Out[pl.Tensor[[192, 64], pl.FP32]]):
        where = pl.array.create(3, pl.INDEX)
        wanted = pl.array.create(3, pl.BOOL)
        for i in pl.range(3):
            where[i] = (2 - i) * 64
            wanted[i] = i != 1
        add(x, 0.0, out[64:128, :])
        for i in pl.range(3):
            if wanted[i]:
                square(x, out[where[i] : where[i] + 64, :])
        return out

    x, out = tile(), np.zeros((192, 64), np.float32)
    entry(x, out)
    np.testing.assert_array_equal(out, np.concatenate([x**2, x, x**2]))


@pytest.mark.parametrize("blocks", [1, 2, 4])
def test_the_forms_of_spmd(blocks):
    @pl.jit.incore
    def copies(x: pl.Tensor[[256, 64], pl.FP32], out: pl.Out[pl.Tensor[[256, 64], pl.FP32]]):
        for row in pl.range(pl.tile.get_block_idx() * 64, 256, pl.tile.get_block_num() * 64):
            pl.store(pl.load(x, [row, 0], [64, 64]), [row, 0], out)
        return out

    @pl.jit
    def entry(
        x: pl.Tensor[[256, 64], pl.FP32],
        n: pl.Scalar[pl.INDEX],
        out: pl.Out[pl.Tensor[[256, 64], pl.FP32]],
    ):
        a = pl.create_tensor([256, 64], pl.FP32)
        b = pl.create_tensor([256, 64], pl.FP32)
        for i in pl.spmd(4):
            t = pl.load(x, [i * 64, 0], [64, 64])
            pl.store(pl.mul(t, 2.0), [i * 64, 0], a)
        with pl.spmd(n):
            copies(a, b)
        a, first = pl.spmd_submit(copies, b, a, core_num=n)
        with pl.spmd(4, deps=[first]) as second:
            row = pl.get_block_idx() * 64
            t = pl.load(a, [row, 0], [64, 64])
            pl.store(pl.add(t, 1.0), [row, 0], b)
        _, _ = pl.submit(copies, b, out, deps=[second])
        return out

    x, out = tile(rows=256), np.zeros((256, 64), np.float32)
    entry.compile(x, pl.RUNTIME, out)(x, blocks, out)
    np.testing.assert_array_equal(out, x * 2 + 1)


def test_a_manual_scope_keeps_the_order_that_it_is_given():
    @pl.jit
    def entry(x: TILE, out: pl.Out[TILE]):
        a = pl.create_tensor([64, 64], pl.FP32)
        with pl.manual_scope():
            tids = pl.array.create(3, pl.TASK_ID)
            _, tids[0] = pl.submit(square, x, a)
            _, tids[1] = pl.submit(square, a, out, deps=[tids[0]])
            _, tids[2] = pl.submit(add, x, 1.0, a, deps=[tids[1]])
            _, _ = pl.submit(square, a, out, deps=[tids])
        return out

    x, out = tile(), np.zeros((64, 64), np.float32)
    entry(x, out)
    np.testing.assert_array_equal(out, (x + np.float32(1)) ** 2)


def test_all_blocks_meet():
    """Each block writes its rows, and reads those of the next when all have."""

    @pl.jit.incore
    def rotate(
        x: pl.Tensor[[256, 64], pl.FP32],
        work: pl.InOut[pl.Tensor[[256, 64], pl.FP32]],
        out: pl.Out[pl.Tensor[[256, 64], pl.FP32]],
    ):
        block = pl.tile.get_block_idx()
        t = pl.load(x, [block * 64, 0], [64, 64])
        pl.store(pl.mul(t, t), [block * 64, 0], work)
        pl.system.syncall(core_type="aiv_only")
        t = pl.load(work, [(block + 1) % 4 * 64, 0], [64, 64])
        pl.store(t, [block * 64, 0], out)

    @pl.jit
    def entry(x: pl.Tensor[[256, 64], pl.FP32], out: pl.Out[pl.Tensor[[256, 64], pl.FP32]]):
        work = pl.create_tensor([256, 64], pl.FP32)
        with pl.spmd(4, sync_start=True):
            rotate(x, work, out)
        return out

    x, out = tile(rows=256), np.zeros((256, 64), np.float32)
    entry(x, out)
    np.testing.assert_array_equal(out, np.roll(x**2, -64, axis=0))


def test_returned_arrays_of_the_program():
    @pl.jit
    def entry(x: TILE, out: pl.Out[TILE]):
        made = pl.create_tensor([64, 64], pl.FP32)
        made = square(x, made)
        add(x, 2.0, out)
        with pl.at(level=pl.Level.CORE_GROUP):
            computed = pl.mul(made, 0.5)
        return made, out, computed, made

    x, out = tile(), np.zeros((64, 64), np.float32)
    made, same, computed, again = entry(x, out)
    assert same is out and again is made
    np.testing.assert_array_equal(made, x**2)
    np.testing.assert_array_equal(computed, x**2 * np.float32(0.5))
    np.testing.assert_array_equal(out, x + 2)


def test_other_levels_are_refused_by_name():
    @pl.jit
    def entry(x: TILE, out: pl.Out[TILE]):
        with pl.at(level=pl.Level.HOST, role=pl.Role.Orchestrator):
            square(x, out)
        return out

    with pytest.raises((pypto.CompileError, pypto.RunError), match="level HOST") as caught:
        entry(tile(), np.zeros((64, 64), np.float32))
    assert caught.value.diagnostics[0].line == entry.source.line + 2


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_do_what_python_does(seed, load):
    generator = generate_tasks.Generator(seed)
    text = generator.program()
    given = generator.arguments(seed)
    expected = [array.copy() for array in given]
    wanted = generate_tasks.by_python(text, expected)
    returned = load(text).entry(*given, config=RunConfig(schedules=4))
    for found, right in zip([*given, *returned], [*expected, *wanted], strict=True):
        np.testing.assert_array_equal(found, right, err_msg=text)


def test_swaps_in_many_loops_are_read_in_time(load):
    loops = "".join(
        f"    for i{n} in pl.range(3):\n        copy(a, b)\n        a, b = b, a\n"
        for n in range(40)
    )
    module = load(f"""import pypto.language as pl

@pl.jit.incore
def copy(x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
    t = pl.load(x, [0, 0], [64, 64])
    pl.store(pl.add(t, 1.0), [0, 0], out)

@pl.jit
def entry(x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
    a, b = pl.create_tensor([64, 64], pl.FP32), pl.create_tensor([64, 64], pl.FP32)
    copy(x, a)
{loops}    copy(a, out)
    return out
""")
    x, out = np.zeros((64, 64), np.float32), np.zeros((64, 64), np.float32)
    begin = time.process_time()
    module.entry(x, out)
    assert time.process_time() - begin < 4  # a tenth of that
    np.testing.assert_array_equal(out, 122)


def test_a_thousand_regions_are_read_in_no_time(load):
    region = """
    with pl.at(level=pl.Level.CORE_GROUP{deps}) as tid{n}:
        t = pl.load(x, [0, 0], [64, 64])
        pl.store(pl.add(t, {n}.0), [0, 0], out)
"""
    regions = [region.format(n=n, deps=f", deps=[tid{n - 1}]" if n else "") for n in range(1000)]
    head = """import pypto.language as pl

@pl.jit
def entry(x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
"""
    module = load(f"{head}{''.join(regions)}    return out\n")
    begin = time.process_time()
    module.entry.lower()
    # Less than one; with a look at the rest of the text for each, it was minutes.
    assert time.process_time() - begin < 6
