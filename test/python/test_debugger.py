# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The debugger: lines, breakpoints, what variables hold."""

import io
import os
import signal
import threading

import ml_dtypes
import numpy as np
import pypto
import pypto.language as pl
import pytest
from pypto.ir.program import Program
from pypto.runtime import RunConfig, arrays
from pypto.runtime.debug_prompt import interact
from pypto.runtime.debugger import Debugger
from pypto.runtime.reference import ReferenceModel
from pypto.tools import debug as tool

ROWS = """\
import pypto.language as pl
X = pl.Tensor[[64, 32], pl.FP32]

@pl.jit.inline
def limited(row: pl.Scalar[pl.INDEX]):
    d = pl.min(row, 48)
    return d

@pl.jit.incore
def rows(x: X, out: pl.Out[X], bias: pl.Scalar[pl.FP32]):
    for row in pl.range(0, 64, 16):
        at = limited(row)
        t = pl.load(x, [at, 0], [16, 32])
        if row < 32:
            t = pl.add(t, bias)
        pl.store(t, [row, 0], out)
    return out

@pl.jit
def entry(x: X, mid: pl.Out[X], out: pl.Out[X], bias: pl.Scalar[pl.FP32]):
    mid = rows(x, mid, bias)
    out = rows(mid, out, bias)
    return out
"""


def given():
    x = np.random.default_rng(0).standard_normal((64, 32)).astype(np.float32)
    return x, np.full_like(x, 7), np.full_like(x, 8)


def wanted(x):
    y = x.copy()
    y[:32] += np.float32(1.5)
    return y


@pytest.fixture
def entry(load):
    return load(ROWS).entry


def walk(debugger, how="step", limit=500):
    lines = [debugger.where().line]
    while getattr(debugger, how)() is not None:
        lines.append(debugger.where().line)
        assert len(lines) < limit
    return lines


def test_steps_go_into_kernels_and_functions(entry):
    x, mid, out = given()
    debugger = entry.debug(x, mid, out, 1.5)
    trip = [11, 6, 13, 14]
    kernel = [*trip, 15, 16] * 2 + [*trip, 16] * 2 + [11, 17]
    assert walk(debugger) == [21, *kernel, 22, *kernel, 23]
    assert debugger.ended and debugger.where() is None and debugger.result is out
    np.testing.assert_array_equal(mid, wanted(x))
    np.testing.assert_array_equal(out, wanted(wanted(x)))


def test_next_stays_in_the_function(entry):
    x, mid, out = given()
    assert walk(entry.debug(x, mid, out, 1.5), "next_line") == [21, 22, 23]
    with entry.debug(x, mid, out, 1.5) as debugger:
        debugger.step()
        lines = []
        while debugger.where().task == 1:
            lines.append(debugger.where().line)
            debugger.next_line()
        assert lines == [11, 13, 14, 15, 16] * 2 + [11, 13, 14, 16] * 2 + [11, 17]
        assert debugger.where().line == 22 and debugger.where().task == 0
    # Ended before its end: nothing was written.
    assert debugger.ended and debugger.result is None


def test_quit_leaves_the_arrays(entry):
    x, mid, out = given()
    with entry.debug(x, mid, out, 1.5) as debugger:
        debugger.break_at(22)
        assert debugger.continue_().line == 22
        np.testing.assert_array_equal(debugger["mid"], wanted(x))
    assert (mid == 7).all() and (out == 8).all()
    with pytest.raises(pypto.RunError, match="has ended; debug it again"):
        debugger.step()
    with pytest.raises(pypto.RunError, match="has ended"):
        debugger["x"]
    debugger.quit()


def test_variables_hold_what_the_author_says(entry):
    x, mid, out = given()
    with entry.debug(x, mid, out, 1.5) as debugger:
        debugger.break_at(16)
        for row in (0, 16, 32):
            debugger.continue_()
            assert debugger["row"] == row
            block = slice(row, row + 16)
            np.testing.assert_array_equal(debugger["t"], wanted(x)[block])
            assert debugger["x"].shape == (64, 32) and debugger["bias"] == 1.5
            assert debugger.valid("out")[:row].all() and not debugger.valid("out")[row:].any()
            assert np.ma.is_masked(debugger["out"]) and debugger["out"][row:].mask.all()
        assert debugger.names()[:2] == ["t", "row"]
        assert {"x", "out", "bias", "mid"} <= set(debugger.names())
        with pytest.raises(KeyError, match="'z' has no value here; bound are t, row"):
            debugger["z"]
        with pytest.raises(TypeError, match="'row' is 32, not an array"):
            debugger.valid("row")


def test_a_name_is_the_value_that_was_bound_last(entry):
    x, mid, out = given()
    with entry.debug(x, mid, out, 1.5) as debugger:
        debugger.break_at(15)
        debugger.continue_()
        np.testing.assert_array_equal(debugger["t"], x[:16])
        debugger.next_line()
        np.testing.assert_array_equal(debugger["t"], x[:16] + np.float32(1.5))
        debugger.next_line()
        assert debugger.where().line == 11 and "t" not in debugger.names()


def test_callers(entry):
    x, mid, out = given()
    with entry.debug(x, mid, out, 1.5) as debugger:
        debugger.break_at(6)
        where = debugger.continue_()
        assert [frame.line for frame in where.frames] == [6, 12]
        assert [frame.function for frame in where.frames] == ["rows", "rows"]
        assert "called at" in str(where) and str(where).count("-> ") == 1
        assert debugger["row"] == 0


@pytest.mark.parametrize("stage", ["pto-convert-tensor-to-tile-ops", "pto-plan-memory", "final"])
def test_other_stages(entry, stage):
    x, mid, out = given()
    with entry.debug(x, mid, out, 1.5, stage=stage) as debugger:
        debugger.break_at(16)
        debugger.continue_()
        debugger.continue_()
        content = debugger.read("t")
        assert content.space == ("" if stage.endswith("ops") else "Vec")
        np.testing.assert_array_equal(debugger["t"], wanted(x)[16:32])
        debugger.clear(1)
        assert debugger.continue_() is None
    np.testing.assert_array_equal(out, wanted(wanted(x)))


def test_an_unknown_stage(entry):
    with pytest.raises(pypto.UnsupportedFeatureError, match="no stage 'pto-x'; there are frontend"):
        entry.debug(*given(), 1.5, stage="pto-x")


def test_whole_arrays():
    X = pl.Tensor[[5, 40], pl.BF16]

    @pl.jit
    def kernel(x: X, out: pl.Out[X]):
        with pl.at(level=pl.Level.CORE_GROUP):
            y = pl.mul(x, x)
            out[:] = pl.add(y, x)
        return out

    x = np.arange(200).reshape(5, 40).astype(ml_dtypes.bfloat16)
    for stage in ("frontend", "final"):
        with kernel.debug(x, np.zeros_like(x), stage=stage) as debugger:
            first = kernel.source.tree.lineno
            debugger.break_at(first + 3)
            debugger.continue_()
            assert debugger["y"].dtype == ml_dtypes.bfloat16
            held = debugger["y"]
            if stage == "final":
                # A tile's rows are whole blocks of 32 bytes; behind the array's they are
                # nobody's.
                assert held.shape[0] >= 5 and held.shape[1] == 48
                assert not debugger.valid("y")[:, 40:].any() and debugger.valid("y")[:5, :40].all()
                held = np.asarray(held.data)[:5, :40]
            np.testing.assert_array_equal(held, x * x)


def test_partial_tiles():
    X = pl.Tensor[[8, 32], pl.FP32]

    @pl.jit
    def kernel(x: X, out: pl.Out[X]):
        with pl.at(level=pl.Level.CORE_GROUP):
            t = pl.load(x, [0, 0], [8, 32], valid_shape=[3, 30])
            pl.store(t, [0, 0], out)
        return out

    x = np.ones((8, 32), np.float32)
    with kernel.debug(x, np.zeros_like(x)) as debugger:
        debugger.break_at(kernel.source.tree.lineno + 3)
        debugger.continue_()
        assert debugger.valid("t").sum() == 90 and debugger.valid("t")[:3, :30].all()
        assert debugger["t"].sum() == 90


# Breakpoints.


def test_breakpoints(entry):
    x, mid, out = given()
    with entry.debug(x, mid, out, 1.5) as debugger:
        file = debugger.where().file
        point = debugger.break_at(f"{file.rpartition('/')[2]}:15")
        assert str(point) == f"1: line 15 of {file.rpartition('/')[2]}"
        debugger.break_at("other.py:12")
        debugger.break_at(16, block=0)
        debugger.break_at(16, block=1)
        debugger.break_at(22, function="entry")
        stops = []
        while debugger.continue_() is not None:
            stops.append((debugger.where().task, debugger.where().line))
        kernel = [15, 16, 15, 16, 16, 16]
        assert stops == [
            *((1, line) for line in kernel), (0, 22), *((2, line) for line in kernel)
        ]  # fmt: skip


def test_wrong_breakpoints(entry):
    with entry.debug(*given(), 1.5) as debugger:
        for wrong in ("kernel.py", "12", ":3", "kernel.py:x"):
            with pytest.raises(ValueError, match="a line or 'file.py:line'"):
                debugger.break_at(wrong)
        with pytest.raises(ValueError, match="a line, a function or a block"):
            debugger.break_at()
        with pytest.raises(TypeError, match="is a number"):
            debugger.break_at(1.5)
        with pytest.raises(ValueError, match=r"break_at\(line=\) counts from 1, found 0"):
            debugger.break_at(0)
        with pytest.raises(ValueError, match=r"break_at\(block=\) counts from 0, found -1"):
            debugger.break_at(block=-1)
        with pytest.raises(TypeError, match=r"break_at\(function=\) is a name, found 3"):
            debugger.break_at(function=3)
        with pytest.raises(ValueError, match="no breakpoint 9"):
            debugger.clear(9)


BLOCKS = """
module attributes {pto.target = "910B"} {
func.func @k(%x: tensor<4x8xf32> {pto.dir = #pto.dir<in>} loc("x"),
             %out: tensor<4x8xf32> {pto.dir = #pto.dir<out>} loc("out")) -> tensor<4x8xf32>
    attributes {pto.kind = #pto.kind<in_core>, pto.sync = #pto.sync<none>} {
  %b = pto.block.get_block_idx loc("b"("k.py":1:1))
  %t = pto.tile.load %x[%b, 0] : tensor<4x8xf32> -> !pto.tile<1x8xf32> loc("t"("k.py":2:1))
  %o = pto.tile.store %t, %out[%b, 0] : !pto.tile<1x8xf32> -> tensor<4x8xf32> loc("o"("k.py":3:1))
  return %o : tensor<4x8xf32> loc("k.py":4:1)
}
func.func @entry(%x: tensor<4x8xf32> {pto.dir = #pto.dir<in>} loc("x"),
                 %out: tensor<4x8xf32> {pto.dir = #pto.dir<out>} loc("out"))
    attributes {pto.kind = #pto.kind<orchestration>, pto.deps = #pto.deps<program_order>} {
  %n = arith.constant 4 : index
  %o = pto.block.dispatch @k(%x, %out) blocks(%n)
      : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> loc("o"("k.py":6:1))
  return loc("k.py":7:1)
} }
"""


def debug_text(text, name, *parameters):
    program = Program.parse(text, name)
    return Debugger(
        name,
        "frontend",
        ReferenceModel(program._operation, name),
        list(parameters),
        {"step_limit": 0},
        lambda: 5,
    )


def test_blocks():
    x = np.arange(32, dtype=np.float32).reshape(4, 8)
    out = np.zeros_like(x)
    parameters = [("x", "in", arrays.buffer("x", x)), ("out", "out", arrays.buffer("out", out))]
    with debug_text(BLOCKS, "entry", *parameters) as debugger:
        debugger.break_at(3, block=2)
        where = debugger.continue_()
        assert (where.task, where.task_name, where.block, where.blocks) == (1, "k", 2, 4)
        assert "task 1 k, block 2 of 4" in str(where)
        assert debugger["b"] == 2
        np.testing.assert_array_equal(debugger["t"], x[2:3])
        # Its end leads to the next block, or back to who started it.
        debugger.next_line()
        after = debugger.next_line()
        assert (after.line, after.block) in ((1, 3), (7, 0))
        assert debugger.continue_() is None and debugger.result == 5
    np.testing.assert_array_equal(out, x)


def test_names_have_values(load):
    """A region has what it uses, not all that stands in front of it."""
    kernel = load("""
import pypto.language as pl
X = pl.Tensor[[64, 32], pl.FP32]

@pl.jit
def twice(x: X, out: pl.Out[X]):
    first = pl.create_tensor([64, 32], pl.FP32)
    other = pl.create_tensor([64, 32], pl.FP32)
    with pl.at(level=pl.Level.CORE_GROUP):
        t = pl.load(x, [0, 0], [64, 32])
        pl.store(t, [0, 0], first)
    with pl.at(level=pl.Level.CORE_GROUP):
        u = pl.load(first, [0, 0], [64, 32])
        pl.store(u, [0, 0], other)
        pl.store(u, [0, 0], out)
    return out
""").twice
    x = np.ones((64, 32), np.float32)
    with kernel.debug(x, np.zeros_like(x)) as debugger:
        debugger.break_at(11)
        where = debugger.continue_()
        assert where.line == 11 and debugger.names()[:2] == ["t", "first"]
        assert "other" not in debugger.names()
        with pytest.raises(KeyError, match="'other' has no value here; bound are t, first"):
            debugger["other"]
        while where is not None:
            for name in debugger.names():
                assert debugger.read(name).name == name
            where = debugger.step()


# What goes wrong.


def test_a_run_that_fails_stands_where_it_does():
    X = pl.Tensor[[8, 32], pl.FP32]

    @pl.jit
    def kernel(x: X, out: pl.Out[X], at: pl.Scalar[pl.INDEX]):
        with pl.at(level=pl.Level.CORE_GROUP):
            t = pl.load(x, [at, 0], [8, 32])
            pl.store(t, [0, 0], out)
        return out

    x, out = np.ones((8, 32), np.float32), np.zeros((8, 32), np.float32)
    with kernel.compile(x, out, pl.RUNTIME).debug(x, out, 5) as debugger:
        where = debugger.continue_()
        assert where.fails and where.line == kernel.source.tree.lineno + 2
        assert "which fails" in str(where) and debugger["at"] == 5
        with pytest.raises(pypto.RunError, match="reaches beyond the array 'x'"):
            debugger.step()
        assert debugger.ended and not out.any()


def test_arguments_are_checked(entry):
    with pytest.raises(pypto.ArgumentError, match="'mid' is missing"):
        entry.debug(given()[0])
    with pytest.raises(pypto.UnsupportedFeatureError, match="call it from a @pl.jit function"):
        _incore().debug(given()[0])


def _incore():
    @pl.jit.incore
    def kernel(x: pl.Tensor, out: pl.Out[pl.Tensor]):
        return out

    return kernel


def test_other_kernels_run_while_one_stands(entry):
    x, mid, out = given()
    with entry.debug(x, mid, out, 1.5) as debugger:
        debugger.step()
        again = [np.zeros_like(x), np.zeros_like(x)]
        entry(x, *again, 1.5)
        np.testing.assert_array_equal(again[0], wanted(x))
        with pytest.raises(pypto.ArgumentError):
            entry(x, x, x, 1.5)
        with entry.debug(x, mid, out, 1.5) as second:
            second.step()
            assert second.where() == debugger.where()
        debugger.continue_()
    np.testing.assert_array_equal(out, wanted(wanted(x)))
    assert not [t for t in threading.enumerate() if t.name.startswith("debug")]


def test_the_same_program_runs_while_it_stands(entry):
    x, mid, out = given()
    with entry.debug(x, mid, out, 1.5, stage="final") as debugger:
        debugger.break_at(16)
        debugger.continue_()
        tile = debugger["t"].copy()
        again = [np.zeros_like(x), np.zeros_like(x)]
        entry(2 * x, *again, 1.5)
        np.testing.assert_array_equal(again[0], wanted(2 * x))
        np.testing.assert_array_equal(debugger["t"], tile)
        with entry.debug(3 * x, mid, out, 1.5, stage="final") as second:
            second.break_at(16)
            second.continue_()
            assert (second["t"] != tile).any() and (debugger["t"] == tile).all()
        debugger.breakpoints.clear()
        assert debugger.continue_() is None
    np.testing.assert_array_equal(out, wanted(wanted(x)))


BEYOND = """\
import pypto.language as pl
X = pl.Tensor[[64, 32], pl.FP32]

@pl.jit
def beyond(x: X, out: pl.Out[X], at: pl.Scalar[pl.INDEX]):
    for block in pl.spmd(2):
        t = pl.load(x, [at + block * 32, 0], [32, 32])
        pl.store(t, [block * 32, 0], out)
    return out
"""


@pytest.mark.parametrize("stage", ["frontend", "final"])
def test_errors_go_to_their_own_run(load, entry, stage):
    x, mid, out = given()
    compiled = load(BEYOND).beyond.compile(x, out, pl.RUNTIME)
    first = compiled.debug(x, mid, 8, stage=stage)
    first.step()
    # Of the handlers of errors those of the second are the last.
    second = entry.debug(x, mid, out, 1.5, stage=stage)
    second.step()
    assert first.continue_().fails
    with pytest.raises(pypto.RunError, match=r"reaches beyond the array 'x'") as caught:
        first.continue_()
    assert [report.check for report in caught.value.reports] == ["bounds"]
    with pytest.raises(pypto.RunError, match=r"reaches beyond the array 'x'"):
        compiled(x, mid, 8)
    assert second.continue_() is None
    np.testing.assert_array_equal(out, wanted(wanted(x)))


def test_what_watches_a_run_cannot_debug(entry):
    x, mid, out = given()

    def watch(event):
        entry.debug(x, mid, out, 1.5)

    with pytest.raises(pypto.RunError, match="'entry' cannot be debugged by what watches a run"):
        entry(x, mid, out, 1.5, config=RunConfig(trace=watch))


# In a terminal.


def talk(debugger, *words):
    out = io.StringIO()
    interact(debugger, stdin=io.StringIO("\n".join(words) + "\n"), stdout=out)
    return out.getvalue()


def test_the_prompt(entry):
    x, mid, out = given()
    text = talk(
        entry.debug(x, mid, out, 1.5),
        "b 16", "b 6 block 0", "b", "clear 2", "c", "w", "v", "p t[0, :2]", "p t[99]", "p row", "t",
        "n", "s", "p", "p zz", "b x", "clear 7", "nonsense", "help", "", "q",
    )  # fmt: skip
    assert "1: line 16\n" in text and "2: line 6 in block 0\n" in text
    assert text.count("->   16") >= 2 and "t: [16, 32] FP32\n" in text and "row = 0\n" in text
    first = wanted(x)[0, :2]
    assert str(first) in text
    for words in (
        "print takes the name of a variable",
        "'zz' has no value here; bound are ",
        "a line or 'file.py:line', found 'x'",
        "there is no breakpoint 7",
        "index 99 is out of bounds",
        "there is no command 'nonsense'",
    ):
        assert words in text
    assert "Traceback" not in text and (out == 8).all()


def test_ctrl_c_at_the_prompt_gives_another_line(entry):
    class Typed(io.StringIO):
        def readline(self, *size):
            line = super().readline(*size)
            if line == "^C\n":
                raise KeyboardInterrupt
            return line

    x, mid, out = given()
    said = io.StringIO()
    interact(entry.debug(x, mid, out, 1.5), stdin=Typed("^C\nb 16\nc\n^C\np row\nq\n"), stdout=said)
    assert "->   16" in said.getvalue() and "(pypto) 0\n" in said.getvalue()


def test_the_prompt_at_the_end(entry):
    x, mid, out = given()
    assert "the run has ended" in talk(entry.debug(x, mid, out, 1.5), "c")
    np.testing.assert_array_equal(out, wanted(wanted(x)))
    # The end of the input ends the run.
    debugger = entry.debug(x, mid, out, 1.5)
    talk(debugger, "s")
    assert debugger.ended


# The control plane.

SPMD = """\
import pypto.language as pl
X = pl.Tensor[[64, 32], pl.FP32]

@pl.jit
def entry(x: X):
    tmp = pl.create_tensor([64, 32], pl.FP32)
    out = pl.create_tensor([64, 32], pl.FP32)
    for block in pl.spmd(4):
        t = pl.load(x, [block * 16, 0], [16, 32])
        pl.store(pl.add(t, 1.0), [block * 16, 0], tmp)
    for block in pl.spmd(2):
        u = pl.load(tmp, [block * 32, 0], [32, 32])
        pl.store(pl.mul(u, 2.0), [block * 32, 0], out)
    return out
"""


@pytest.mark.parametrize("stage", ["frontend", "final"])
def test_blocks_of_tasks(load, stage):
    entry, x = load(SPMD).entry, given()[0]
    with entry.debug(x, stage=stage) as debugger:
        debugger.break_at(10, block=3)
        where = debugger.continue_()
        assert (where.line, where.block, where.blocks) == (10, 3, 4)
        np.testing.assert_array_equal(debugger["t"], x[48:])
        debugger.break_at(13)
        seen = []
        while (where := debugger.continue_()) is not None:
            seen.append((where.line, where.block))
            rows = slice(32 * where.block, 32 * where.block + 32)
            np.testing.assert_array_equal(debugger["u"], x[rows] + 1)
        assert seen == [(13, 0), (13, 1)]
    # What the program makes and returns is there at its end.
    np.testing.assert_array_equal(debugger.result, (x + 1) * 2)


def test_one_order_at_a_time(load):
    entry, x = load(SPMD).entry, given()[0]
    config = RunConfig(schedules=3)
    with pytest.raises(pypto.UnsupportedFeatureError, match="one order of the tasks"):
        entry.debug(x, config=config)


# Interruption, and the command.


def test_ctrl_c_makes_a_run_stand_still():
    @pl.jit
    def slow(x: pl.Tensor[[8, 8], pl.FP32], out: pl.Out[pl.Tensor[[8, 8], pl.FP32]]):
        with pl.at(level=pl.Level.CORE_GROUP):
            t = pl.load(x, [0, 0], [8, 8])
            for _i in pl.range(100_000_000):
                t = pl.add(t, 1.0)
            pl.store(t, [0, 0], out)
        return out

    # A background process may ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        x = np.zeros((8, 8), np.float32)
        with slow.debug(x, np.zeros_like(x)) as debugger:
            timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            where = debugger.continue_()
            timer.join()
            assert where.line in (slow.source.tree.lineno + 3, slow.source.tree.lineno + 4)
            # At the loop's line too it is what the last trip made.
            made = debugger["t"][0, 0]
            assert made > 0 and (debugger["t"] == made).all()
            for _ in range(4):
                debugger.step()
            assert debugger["t"][0, 0] == made + 2
    finally:
        signal.signal(signal.SIGINT, before)


def test_the_command(tmp_path, monkeypatch, capsys, load):
    entry, (x, mid, out) = load(ROWS).entry, given()
    compiled = entry.compile(x, mid, out, 1.5, dump_passes=True)
    dumps = sorted((compiled.output_dir / "passes_dump").iterdir())
    np.save("x.npy", x)
    for dump in (dumps[0], dumps[-1]):
        monkeypatch.setattr("sys.stdin", io.StringIO("b 16\nc\np row\nt[0,:2]\nq\n"))
        assert tool.main([str(dump), "--args", "x.npy"]) == 0
        printed = capsys.readouterr().out
        assert "->   16" in printed and str(wanted(x)[0, :2]) in printed
    assert tool.main([str(dumps[0]), "--args", "x.npy", "y.npy"]) == 2
    assert "found 2" in capsys.readouterr().err
    assert tool.main(["none.mlir"]) == 2
    wrong = dumps[-1].read_text().replace("pto.block.set_flag mte2", "//")
    (tmp_path / "wrong.mlir").write_text(wrong)
    monkeypatch.setattr("sys.stdin", io.StringIO("c\nc\n"))
    assert tool.main([str(tmp_path / "wrong.mlir"), "--args", "x.npy"]) == 1
    assert "which fails" in capsys.readouterr().out


def test_a_module_that_is_no_utf8(tmp_path, monkeypatch, capsys):
    for file, shown in ((r"k\\FF.py", "k\ufffd.py"), (r"\\C3\\A9\\\\FF", "é\\FF")):
        (tmp_path / "odd.mlir").write_text(
            """module attributes {pto.target = "910B"} {
            func.func @entry(%n: index loc("n")) attributes {pto.kind = #pto.kind<orchestration>,
                pto.deps = #pto.deps<program_order>} {
              %c = arith.constant 0 : index loc("c"("k.py":1:1))
              %v = arith.divsi %n, %c : index loc("v"("FILE":2:1))
              return loc("k.py":3:1)
            } }""".replace("FILE", file.replace("\\\\", "\\"))
        )
        monkeypatch.setattr("sys.stdin", io.StringIO("c\nc\n"))
        assert tool.main([str(tmp_path / "odd.mlir"), "--args", "3"]) == 1
        assert f"{shown}:2:1: error: division of 3 by zero" in capsys.readouterr().out
