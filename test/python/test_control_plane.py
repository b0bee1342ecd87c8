# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The control plane: what the front end makes of tasks, regions, slices and arrays that
loops and branches choose."""

import cProfile
import pstats
import re
import runpy

import numpy as np
import pypto.language as pl
import pytest
from pypto.ir.program import Program
from pypto.jit import driver

ROWS = pl.Tensor[[128, 64], pl.FP32]
TILE = pl.Tensor[[64, 64], pl.FP32]
FLAGS = pl.Tensor[[8, 4], pl.INT32]


@pl.jit.incore
def square(x: TILE, out: pl.Out[TILE]):
    t = pl.load(x, [0, 0], [64, 64])
    pl.store(pl.mul(t, t), [0, 0], out)
    return out


@pl.jit.incore
def blocks(x: ROWS, out: pl.Out[ROWS]):
    row = pl.tile.get_block_idx() * 64
    t = pl.load(x, [row, 0], [64, 64])
    pl.store(t, [row, 0], out)
    return out


def program(function, *args):
    return driver.specialise(function, args, {}).program


def body(function, *args):
    """The entry as text, from its first line; the program parses as it is printed."""
    built = program(function, *args)
    text = str(built)
    assert str(Program.parse(built.as_mlir())) == text
    return text[text.index("#pto.deps<program_order>") :]


def lines(function, *args):
    """The entry in the language's own syntax, without its head and with short types."""
    text = program(function, *args).as_python()
    text = text[text.index("pto.deps: program_order") :]
    return [re.sub(r": pl\.[A-Z]\w+(\[.*?\])? =", " =", line.strip()) for line in text.splitlines()]


# Order.


def test_a_region_has_a_task_id_and_waits_for_others():
    @pl.jit
    def entry(x: TILE, out: pl.Out[TILE]):
        tmp = pl.create_tensor([64, 64], pl.FP32)
        nothing = None
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="first") as first:
            t = pl.load(x, [0, 0], [64, 64])
            pl.store(t, [0, 0], tmp)
        with pl.at(
            level=pl.Level.CORE_GROUP,
            deps=[first, None, nothing],
            no_dep_args=[tmp],
            allow_early_resolve=True,
        ):
            t = pl.load(tmp, [0, 0], [64, 64])
            pl.store(t, [0, 0], out)
        return out

    text = body(entry)
    assert re.search(
        r"%tmp_0, %(tmp_\d) = pto.block.at core_group -> \(tensor<64x64xf32>\), !pto.task "
        r'attributes \{name_hint = "first"\}',
        text,
    )
    assert "after(%tmp_1) no_dep(%tmp_0 : tensor<64x64xf32>)" in text
    assert "attributes {early_resolve}" in text
    shown = lines(entry)
    assert "with pl.at(level=pl.Level.CORE_GROUP, name_hint='first') as tid:" in shown
    assert any(
        "deps=[tid], allow_early_resolve=True, no_dep_args=[tmp_0]" in line for line in shown
    )


def test_submit_gives_what_the_kernel_returns_and_a_task():
    @pl.jit
    def entry(x: TILE, flags: FLAGS, out: pl.Out[TILE]):
        tmp = pl.create_tensor([64, 64], pl.FP32)
        tmp, first = pl.submit(square, x, out=tmp)
        all_ = pl.system.task_dummy(deps=[first, [pl.system.task_invalid()]])
        out, _ = pl.submit(square, tmp, out, deps=[all_], predicate=flags[3, 1] != -5)
        return out

    text = body(entry)
    assert "dispatch @square(%x, %tmp) :" in text and "-> tensor<64x64xf32>, !pto.task" in text
    assert re.search(r"task_dummy after\(%tmp_1, %\d\)", text)
    assert re.search(r"after\(%all_\) when\(%flags\[%c3, %c1\] ne -5 : tensor<8x4xi32>\)", text)
    shown = lines(entry)
    assert "tmp_0, tid = pl.submit(self.square, x, tmp)" in shown
    assert "all_ = pl.system.task_dummy(deps=[tid, v])" in shown
    assert any(line.endswith("deps=[all_], predicate=flags[3, 1] != -5)") for line in shown)


def test_a_kernel_with_two_outputs_is_submitted():
    @pl.jit.incore
    def two(x: TILE, a: pl.Out[TILE], b: pl.Out[TILE]):
        t = pl.load(x, [0, 0], [64, 64])
        pl.store(t, [0, 0], a)
        pl.store(t, [0, 0], b)
        return a, b

    @pl.jit
    def entry(x: TILE, a: pl.Out[TILE], b: pl.Out[TILE]):
        a, b, one = pl.submit(two, x, a, b)
        (a, b), _ = pl.submit(two, x, a, b, deps=[one])
        return a, b

    assert body(entry).count("!pto.task") == 2
    assert "(v, v_0), tid = pl.submit(self.two, x, a, b)" in lines(entry)


def test_methods_of_a_program_are_submitted():
    @pl.program
    class Two:
        @pl.function(type=pl.FunctionType.InCore)
        def kernel(self, x: ROWS, out: pl.Out[ROWS]):
            row = pl.tile.get_block_idx() * 64
            t = pl.load(x, [row, 0], [64, 64])
            pl.store(t, [row, 0], out)
            return out

        @pl.function(type=pl.FunctionType.Orchestration)
        def main(self, x: ROWS, out: pl.Out[ROWS]):
            tmp = pl.create_tensor([128, 64], pl.FP32)
            tmp, first = pl.spmd_submit(self.kernel, x, tmp, core_num=2, sync_start=True)
            with pl.spmd(2, deps=[first]) as second:
                out = self.kernel(tmp, out)
            out, _ = pl.submit(self.kernel, tmp, out, deps=[second])
            return out

    text = str(driver.specialise(Two.entry, (), {}).program)
    assert "blocks(%c2) {sync_start}" in text
    assert re.search(r"@kernel\(%tmp_0, %out\) blocks\(%c2\) after\(%tmp_1\)", text)
    assert "core_num=2, sync_start=True)" in Two.as_python()


def test_a_manual_scope_marks_its_tasks():
    @pl.jit
    def entry(x: TILE, out: pl.Out[TILE]):
        tmp = pl.create_tensor([64, 64], pl.FP32)
        square(x, tmp)
        with pl.manual_scope():
            square(pl.no_dep(x), tmp)
            for _ in pl.range(3):
                square(tmp, out)
            with pl.scope(mode=pl.ScopeMode.AUTO):
                square(x, tmp)
        with pl.scope(mode=pl.ScopeMode.MANUAL):
            with pl.at(level=pl.Level.CORE_GROUP):
                t = pl.load(x, [0, 0], [64, 64])
                pl.store(t, [0, 0], out)
        return out

    text = body(entry)
    dispatches = re.findall(r"dispatch @square\([^)]*\)( \{.*?\})?", text)
    assert dispatches == ["", " {manual, no_dep = array<i64: 0>}", " {manual}", ""]
    assert "attributes {manual}" in text
    shown = lines(entry)
    assert shown.count("with pl.manual_scope():") == 2
    begin = shown.index("with pl.manual_scope():")
    assert "pl.no_dep(x)" in shown[begin + 1] and "in pl.range(0, 3" in shown[begin + 2]


def test_a_parallel_loop_is_a_loop():
    @pl.jit
    def entry(x: ROWS, out: pl.Out[ROWS]):
        for i in pl.parallel(2):
            square(x[i * 64 : (i + 1) * 64, :], out[i * 64 : i * 64 + 64, :])
        return out

    assert 'pto.names = ["i"], pto.parallel' in body(entry)
    assert "for i in pl.parallel(0, 2):" in lines(entry)


# Task ids as values.


def test_task_ids_are_carried_from_no_task():
    @pl.jit
    def entry(x: ROWS, out: pl.Out[ROWS]):
        last = None
        for i in pl.range(2):
            if last is not None:
                _, last = pl.submit(square, x[i * 64 : (i + 1) * 64, :], out[0:64, :], deps=[last])
            else:
                _, last = pl.submit(square, x[0:64, :], out[0:64, :])
        with pl.at(level=pl.Level.CORE_GROUP, deps=[last]):
            t = pl.load(x, [64, 0], [64, 64])
            pl.store(t, [64, 0], out)
        return out

    text = body(entry)
    assert "task_invalid" in text
    # `last` is a task from the second reading of the body on, so it is not None in any.
    assert re.search(r"iter_args\(%last_1 = %0\) -> \(!pto.task\)", text)
    assert "after(%last_1) :" in text and "scf.if" not in text


def test_a_branch_chooses_a_task():
    @pl.jit
    def entry(x: TILE, n: pl.Scalar[pl.INDEX], out: pl.Out[TILE]):
        first = None
        tmp = pl.create_tensor([64, 64], pl.FP32)
        if n > 3:
            _, first = pl.submit(square, x, tmp)
        square_after, _ = pl.submit(square, x, out, deps=[first])
        return square_after

    text = str(driver.specialise(entry, (), {"n": pl.RUNTIME}).program)
    assert re.search(r"%first(:2)? = scf.if %\d+ -> \((tensor<64x64xf32>, )?!pto.task", text) or (
        "!pto.task" in text and "scf.if" in text
    )
    assert "task_invalid" in text


def test_arrays_of_task_ids_and_numbers():
    @pl.jit
    def entry(x: ROWS, out: pl.Out[ROWS]):
        tids: pl.Array[2, pl.TASK_ID] = pl.array.create(2, pl.TASK_ID)
        counts = pl.array.create(4, pl.INT32)
        done = pl.array.create(2, pl.BOOL)
        for i in pl.range(2):
            _, tids[i] = pl.submit(square, x[i * 64 : (i + 1) * 64, :], out[0:64, :], deps=tids)
            counts[i] = i + 7
            done[i] = counts[i] > 7
        tids[0] = None
        if done[1]:
            one: pl.TaskId = tids[1]
            _, _ = pl.submit(square, x[0:64, :], out[64:128, :], deps=[[tids, one], None])
        assert_two = len(tids)
        pl.static_assert(assert_two == 2)
        return out

    text = body(entry)
    assert "array_create : !pto.array<2 x !pto.task>" in text
    assert "array_create : !pto.array<4 x i32>" in text
    assert "array_create : !pto.array<2 x i1>" in text
    assert re.search(r"-> \((!pto.array<.*?>(, )?){3}\)", text)
    shown = lines(entry)
    assert "tids = pl.array.create(2, pl.TASK_ID)" in shown
    assert any(re.fullmatch(r"tids_\d\[i\] = tid", line) for line in shown)


# Blocks, clusters, levels.


def test_the_forms_of_spmd():
    @pl.jit
    def entry(x: ROWS, n: pl.Scalar[pl.INT32], out: pl.Out[ROWS]):
        for i in pl.spmd(n, name_hint="each", sync_start=True):
            t = pl.load(x, [i * 64, 0], [64, 64])
            pl.store(t, [i * 64, 0], out)
        with pl.spmd(2):
            blocks(x, out)
        with pl.spmd(n + 1, allow_early_resolve=True) as tid:
            row = pl.get_block_idx() * 64
            t = pl.load(x, [row, 0], [64, 64])
            pl.store(t, [row, 0], out)
        with pl.spmd(2, deps=[tid]) as second:
            out = blocks(x, out)
        out, _ = pl.submit(blocks, x, out, deps=[second])
        return out

    built = driver.specialise(entry, (), {"n": pl.RUNTIME}).program
    text = str(built)
    assert 'attributes {name_hint = "each", sync_start}' in text
    assert "%i = pto.block.get_block_idx" in text
    assert "dispatch @blocks(%x, %out_0) blocks(%c2) :" in text
    assert "attributes {early_resolve}" in text
    assert re.search(r"blocks\(%c2\) after\(%out_\d+\) : .*, !pto.task", text)
    shown = built.as_python()
    assert "with pl.spmd(v, sync_start=True, name_hint='each'):" in shown
    assert "with pl.spmd(2):" in shown
    assert "allow_early_resolve=True) as tid:" in shown
    assert "pl.spmd_submit(self.blocks, x, " in shown


def test_a_predicate_of_spmd():
    @pl.jit
    def entry(x: ROWS, flags: FLAGS, out: pl.Out[ROWS]):
        with pl.spmd(2, predicate=flags[0, 0] <= 2):
            blocks(x, out)
        return out

    assert "blocks(%c2) when(%flags[%c0, %c0] le 2 : tensor<8x4xi32>)" in body(entry)
    assert "with pl.spmd(2, predicate=flags[0, 0] <= 2):" in lines(entry)


def test_a_cluster_holds_kernels_and_nothing_else():
    @pl.jit
    def entry(x: ROWS, out: pl.Out[ROWS]):
        work = pl.create_tensor([64, 64], pl.FP32)
        for i in pl.range(2):
            with pl.cluster(name_hint="both"):
                square(x[i * 64 : (i + 1) * 64, :], work)
                square(work, out[i * 64 : (i + 1) * 64, :])
        with pl.spmd(2) as tid:
            with pl.cluster():
                square(x[0:64, :], work)
        with pl.cluster(deps=[tid]):
            square(work, out[0:64, :])
        return out

    text = body(entry)
    inside = re.search(r"pto.block.cluster -> .*?\{\n(.*?)\n +\}", text, re.DOTALL)[1]
    assert [line.split(" = ")[1].split("(")[0] for line in inside.splitlines()[:2]] == [
        "pto.block.dispatch @square"
    ] * 2
    assert "pto.block.yield" in inside.splitlines()[2]
    assert "pto.block.cluster blocks(%c2) -> (tensor<64x64xf32>), !pto.task {" in text
    assert re.search(r"pto.block.cluster after\(%work_\d+\)", text)
    shown = lines(entry)
    assert "with pl.cluster(name_hint='both'):" in shown
    at = shown.index("with pl.spmd(2) as tid:")
    assert shown[at + 1] == "with pl.cluster():"


@pytest.mark.parametrize(
    ("level", "role", "word"),
    [
        (pl.Level.HOST, pl.Role.Orchestrator, "host role orchestrator"),
        (pl.Level.CHIP, pl.Role.SubWorker, "chip role sub_worker"),
        (pl.Level.CLUSTER_0, None, "cluster_0"),
        (pl.Level.POD, None, "cluster_0"),
        (pl.Level.GLOBAL, None, "global"),
        (pl.Level.L2CACHE, None, "chip_die"),
    ],
)
def test_levels_are_carried_and_printed(level, role, word):
    @pl.jit
    def orchestrated(x: TILE, out: pl.Out[TILE]):
        with pl.at(level=level, role=role):
            square(x, out)
        return out

    @pl.jit
    def worked(x: TILE, out: pl.Out[TILE]):
        with pl.at(level=level, role=role):
            out[:] = pl.mul(x, x)
        return out

    entry = worked if role is pl.Role.SubWorker else orchestrated
    assert f"pto.block.at {word} -> (tensor<64x64xf32>)" in body(entry)
    said = f", role={role!r}" if role is not None else ""
    assert f"with pl.at(level={level!r}{said}):" in lines(entry)


# Slices, elements, and arrays that loops and branches choose.


def test_slices_by_their_types():
    @pl.jit
    def entry(
        x: ROWS,
        y: pl.Tensor[[4, 64, 64], pl.FP32],
        wide: pl.Tensor[[64, 256], pl.FP32],
        out: pl.Out[TILE],
    ):
        square(y[2], out)
        square(y[3, :, :], out)
        square(x[64:, :], out)
        square(wide[:, 64:128], out)
        square(pl.slice(x, [64, 64], [0, 0]), out)
        square(pl.tensor.slice(y, [1, 64, 64], [1, 0, 0], drop_dims=[0]), out)
        square(x[0:128][64:128], out)
        return out

    text = body(entry)
    assert "%y[2, 0, 0] [1, 64, 64] : tensor<4x64x64xf32> -> tensor<64x64xf32>" in text
    assert "-> tensor<64x64xf32, #pto.pitch<256>>" in text
    # Rows at a distance make another kernel of it.
    whole = str(program(entry))
    assert "@square_1(%x: tensor<64x64xf32, #pto.pitch<256>>" in whole
    shown = lines(entry)
    assert any(line.endswith("= y[2, :, :]") for line in shown)
    assert any(line.endswith("= wide[:, 64:128]") for line in shown)
    assert "pl.TensorView(stride=[256, 1])" in program(entry).as_python()


def test_windows_that_lie_apart_may_be_read_and_written():
    @pl.jit
    def entry(x: pl.InOut[ROWS], n: pl.Scalar[pl.INDEX]):
        square(x[0:64, :], x[64:128, :])
        for i in pl.range(1):
            square(x[i * 64 : (i + 1) * 64, :], x[(i + 1) * 64 : (i + 2) * 64, :])
            # Known at run time only.
            square(x[i * 64 : (i + 1) * 64, :], x[n : n + 64, :])

    text = str(driver.specialise(entry, (), {"n": pl.RUNTIME}).program)
    assert text.count("block.dispatch") == 3
    # The upper bounds are for the distance only, and leave no arithmetic behind.
    assert text.count("arith.addi") == 1


def test_a_write_to_a_slice_writes_the_array():
    @pl.jit
    def entry(x: ROWS, out: pl.Out[ROWS]):
        for i in pl.range(2):
            out[i * 64 : (i + 1) * 64, :] = square(
                x[i * 64 : (i + 1) * 64, :], out[i * 64 : (i + 1) * 64, :]
            )
        return out

    assert "return %out : " in body(entry)


def test_elements_are_bounds_conditions_and_arguments():
    @pl.jit.incore
    def scaled(x: TILE, by: pl.Scalar[pl.FP32], out: pl.Out[TILE]):
        t = pl.load(x, [0, 0], [64, 64])
        pl.store(pl.mul(t, by), [0, 0], out)

    @pl.jit
    def entry(x: TILE, flags: FLAGS, out: pl.Out[TILE]):
        for i in pl.range(flags[0, 0]):
            if flags[i, 1] > 0:
                scaled(x, x[i, 3], out)
        if pl.read(flags, [1, 2]) == pl.tensor.read(flags, [0, 0]):
            scaled(x, 1.0, out)
        return out

    text = body(entry)
    assert "pto.tensor.read %flags[0, 0] : tensor<8x4xi32>" in text
    assert "pto.tensor.read %x[%i, 3] : tensor<64x64xf32>" in text
    assert any(line.endswith("= flags[1, 2]") for line in lines(entry))


def test_a_loop_swaps_arrays():
    @pl.jit
    def entry(x: TILE, out: pl.Out[TILE]):
        a = pl.create_tensor([64, 64], pl.FP32)
        b = pl.create_tensor([64, 64], pl.FP32)
        square(x, a)
        for _ in pl.range(5):
            square(a, b)
            a, b = b, a
        square(a, out)
        return out

    text = body(entry)
    loop = re.search(
        r"iter_args\(%(\w+) = %a_0, %(\w+) = %b\) -> \(tensor<64x64xf32>, tensor<64x64xf32>\)", text
    )
    assert loop
    assert re.search(rf"%(\w+) = pto.block.dispatch @square\(%{loop[1]}, %{loop[2]}\)", text)
    assert re.search(rf"scf.yield %\w+, %{loop[1]} : ", text)
    assert text.count("dispatch") == 3


def test_reading_many_swapping_loops_takes_time_in_proportion(tmp_path):
    head = """\
import pypto.language as pl
TILE = pl.Tensor[[64, 64], pl.FP32]
@pl.jit.incore
def copy(x: TILE, out: pl.Out[TILE]):
    out[:] = x
@pl.jit
def entry(x: TILE, out: pl.Out[TILE]):
    a = pl.create_tensor([64, 64], pl.FP32)
    b = pl.create_tensor([64, 64], pl.FP32)
    copy(x, a)
"""

    def calls(loops: int) -> int:
        path = tmp_path / f"swaps_{loops}.py"
        loop = "    for _ in pl.range(4):\n        copy(a, b)\n        a, b = b, a\n"
        path.write_text(head + loop * loops + "    copy(a, out)\n    return out\n")
        profile = cProfile.Profile()
        profile.runcall(program, runpy.run_path(str(path))["entry"])
        return pstats.Stats(profile).total_calls

    few, more, many = calls(10), calls(20), calls(40)
    assert many - more < 2.2 * (more - few)


def test_a_loop_carries_a_slice_and_a_new_array():
    @pl.jit
    def entry(x: ROWS, out: pl.Out[TILE]):
        last = x[0:64, :]
        for _i in pl.range(2):
            new = pl.create_tensor([64, 64], pl.FP32)
            square(last, new)
            last = new
        square(last, out)
        return out

    assert re.search(r"iter_args\(%last_\d = %last\) -> \(tensor<64x64xf32>\)", body(entry))


def test_a_name_that_is_bound_before_each_use_may_mean_anything():
    @pl.jit
    def entry(x: TILE, wide: pl.Tensor[[64, 256], pl.FP32], out: pl.Out[TILE]):
        for i in pl.range(2):
            v = x
            square(v, out)
            if i > 0:
                v = wide[:, 0:64]
                square(v, out)
            v = wide[:, 64:128]
            square(v, out)
        return out

    assert 'pto.names = ["i", "out"]' in body(entry)


def test_a_branch_chooses_an_array():
    @pl.jit
    def entry(x: TILE, y: TILE, flags: FLAGS, out: pl.Out[TILE]):
        if flags[0, 0] > 0:
            z = x
        else:
            z = y
        square(z, out)
        return out

    assert "%z = scf.if" in body(entry)


def test_static_print_prints_once_where_a_body_is_read_twice(capsys):
    @pl.jit
    def entry(x: TILE, out: pl.Out[TILE]):
        tid = None
        for _ in pl.range(2):
            pl.static_print("once")
            _, tid = pl.submit(square, x, out, deps=[tid])
        return out

    program(entry)
    assert capsys.readouterr().out == "once\n"


def test_as_python_has_no_yield_of_a_region():
    @pl.jit
    def entry(x: TILE, y: TILE, out: pl.Out[TILE], other: pl.Out[TILE]):
        with pl.cluster():
            square(x, out)
            square(y, other)
        with pl.at(level=pl.Level.CORE_GROUP):
            z = pl.mul(out, 2.0)
        square(z, out)
        return out, other

    assert lines(entry)[3:] == [
        "with pl.cluster():",
        "out_0 = self.square(x, out)",
        "other_0 = self.square(y, other)",
        "with pl.at(level=pl.Level.CORE_GROUP):",
        "z = pl.mul(out_0, 2.0)",
        "out_1 = self.square(z, out_0)",
        "return out_1, other_0",
    ]


# Cores.


def test_flags_between_cores():
    @pl.jit.incore
    def cube(a: pl.Tensor[[64, 64], pl.FP16], work: pl.Out[TILE]):
        t = pl.load(a, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
        pl.store(pl.matmul(t, t), [0, 0], work)
        pl.system.sync_set(3, pipe=pl.PipeType.FIX)
        return work

    @pl.jit.incore
    def vector(work: TILE, out: pl.Out[TILE]):
        pl.system.sync_wait(3, pipe=pl.PipeType.MTE2)
        t = pl.load(work, [0, 0], [64, 64])
        pl.store(t, [0, 0], out)
        pl.system.sync_set(4, pipe=pl.PipeType.MTE3, ffts_mode=1)
        pl.system.sync_wait(4, pipe=pl.PipeType.MTE3)
        pl.system.syncall(core_type="aiv_only", mode="hard")
        return out

    @pl.jit
    def entry(a: pl.Tensor[[64, 64], pl.FP16], out: pl.Out[TILE]):
        work = pl.create_tensor([64, 64], pl.FP32)
        with pl.cluster():
            cube(a, work)
            vector(work, out)
        return out

    text = str(program(entry))
    assert "pto.block.cross_core_set fix, 3 {mode = 2 : i64}" in text
    assert "pto.block.cross_core_wait 3 {mode = 2 : i64}" in text
    # The mode of a wait is that of the kernel's own set.
    assert "pto.block.cross_core_set mte3, 4 {mode = 1 : i64}" in text
    assert "pto.block.cross_core_wait 4 {mode = 1 : i64}" in text
    assert "pto.block.cross_core_set mte3, 10 {mode = 0 : i64}" in text
    assert "pto.block.cross_core_wait 10 {mode = 0 : i64}" in text


# What the registry says.


def examples():
    from pypto.language import registry

    entries = {**registry.OPERATIONS, **registry.CONSTRUCTS}
    return {name: entry.example for name, entry in entries.items() if entry.example}


@pytest.mark.parametrize("name", examples())
def test_the_examples_of_the_registry(name, load):
    """They are whole programs, and run."""
    module = load("import pypto.language as pl\n\n" + examples()[name])
    parameters = driver.specialise(module.entry, (), {})
    arrays = [
        np.ones(kind.shape, {"FP16": np.float16, "FP32": np.float32}[kind.dtype.name])
        for kind in parameters.types
    ]
    arrays[-1][:] = np.nan
    module.entry(*arrays)
    assert not np.isnan(arrays[-1]).any()
