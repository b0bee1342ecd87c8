# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""`@pl.program`, `@pl.function`, `@pl.inline` and what they say of functions, as programs that
run on both chips."""

import sys
import warnings
from pathlib import Path

import numpy as np
import pypto
import pypto.language as pl
import pytest
from pypto.jit import driver
from pypto.runtime import RunConfig

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ascendc_harness import Library  # noqa: E402
from staging import run_stage, stages  # noqa: E402

T = pl.Tensor[[16, 64], pl.FP32]


def data(seed=0):
    x = np.random.default_rng(seed).standard_normal((16, 64)).astype(np.float32)
    return x, np.zeros_like(x)


# Programs.


@pl.inline
def scaled(t, factor=2.0):
    return pl.mul(t, factor)


@pl.program
class Chain:
    """A kernel of each type, an opaque part, and what a kernel returns without Out."""

    @pl.function(type=pl.FunctionType.AIV)
    def shift(self, x: T, out: pl.Out[T]):
        pl.func_attr({"stage": "shift", "order": 1, "hot": True, "split": pl.SplitMode.NONE})
        t = pl.load(x, [0, 0], [16, 64])
        pl.store(scaled(pl.add(t, 1.0)), [0, 0], out)
        return out

    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CORE_GROUP, role=pl.Role.SubWorker)
    def square(self, x: T) -> T:
        return pl.mul(x, x)

    @pl.function(type=pl.FunctionType.Inline)
    def negate(self, x: T) -> T:
        return pl.neg(x)

    @pl.function(auto_scope=False)
    def finish(self, x: T, out: pl.Out[T]):
        with pl.at(level=pl.Level.CORE_GROUP):
            out[:] = pl.add(self.negate(x), 3.0)
        return out

    @pl.function(
        type=pl.FunctionType.Orchestration,
        level=pl.Level.CHIP,
        role=pl.Role.Orchestrator,
        strict_ssa=True,
    )
    def start(self, x: T, out: pl.Out[T]):
        y = pl.create_tensor([16, 64], dtype=pl.FP32)
        shifted = self.shift(x, y)
        squared = self.square(shifted)
        finished = self.finish(squared, out)
        return finished


def expected(x):
    return np.float32(3) - ((x + 1) * 2) * ((x + 1) * 2)


def test_a_program_runs(platform):
    x, out = data()
    assert Chain(x, out) is out
    np.testing.assert_array_equal(out, expected(x))


@pl.jit.incore
def parts(x: pl.Tensor, low: pl.Out[pl.Tensor]):
    low[:] = pl.minimum(x, 0.0)
    return pl.mul(x, x), low, pl.maximum(x, 0.0)


@pl.jit
def rejoined(x: pl.Tensor, out: pl.Out[pl.Tensor]):
    square, low, high = parts(x, pl.create_tensor(x.shape, x.dtype))
    again = scaled_up(high)
    out = joined(square, low, again, out)
    return out


@pl.jit.incore
def scaled_up(x: pl.Tensor):
    return pl.mul(x, 2.0)


@pl.jit.incore
def joined(a: pl.Tensor, b: pl.Tensor, c: pl.Tensor, out: pl.Out[pl.Tensor]):
    out[:] = pl.add(pl.add(a, b), c)
    return out


@pytest.mark.parametrize("name", ["a2a3sim", "a5sim"])
def test_one_answer_at_every_stage_and_in_the_emitted_code(name, tmp_path):
    x, _ = data()
    config = RunConfig(platform=name)
    square = x * x
    want = {
        "start": (Chain.entry, expected(x)),
        "rejoined": (rejoined, (square + np.minimum(x, 0)) + np.maximum(x, 0) * np.float32(2)),
    }
    sources = {}
    for entry, (function, answer) in want.items():
        for stage, program in stages(function, [x, np.zeros_like(x)], config):
            made = [x.copy(), np.zeros_like(x)]
            run_stage(program, made)
            np.testing.assert_array_equal(made[1], answer, err_msg=f"{entry} {stage}")
        sources[entry] = program.emit()
    library = Library(sources, tmp_path / "host")
    for entry, (_, answer) in want.items():
        made = [x.copy(), np.zeros_like(x)]
        assert not library.run(entry, entry, *made)
        np.testing.assert_array_equal(made[1], answer)


def test_what_a_program_offers():
    assert Chain.__doc__.startswith("A kernel of each type")
    assert Chain.entry is Chain.start and Chain.get_function("square") is Chain.square
    assert Chain.get_function("nothing") is None
    with pytest.raises(AttributeError, match="program 'Chain' has no function 'nothing'"):
        _ = Chain.nothing
    assert "func.func @start" in str(Chain) and "class Chain:" in Chain.as_python()
    with pytest.raises(pypto.UnsupportedFeatureError, match="is no program by itself"):
        Chain.square(*data())


def test_attributes_are_kept_and_printed():
    text = Chain.as_python()
    assert "@pl.function(type=pl.FunctionType.AIV)" in text
    final = Chain.lower(*data()).as_python()
    assert "@pl.function(type=pl.FunctionType.AIV)" in final and "pl.func_attr" in final
    assert (
        "pl.func_attr({'hot': True, 'order': 1, 'split': pl.SplitMode.NONE, 'stage': 'shift'})"
        in text
    )


def test_attributes_of_the_decorator_are_deprecated():
    with pytest.warns(DeprecationWarning, match="first statement"):
        decorate = pl.function(type=pl.FunctionType.Orchestration, attrs={"order": 2})

    @decorate
    def main(x: T, out: pl.Out[T]):
        with pl.at(level=pl.Level.CORE_GROUP):
            out[:] = pl.add(x, 1.0)
        return out

    assert "order = 2" in str(driver.specialise(main, (), {}).program)


def test_an_opaque_method_is_the_entry_of_a_program_without_another(platform):
    @pl.program
    class Whole:
        @pl.function
        def main(self, x: T, out: pl.Out[T]):
            with pl.at(level=pl.Level.CORE_GROUP):
                out[:] = pl.exp(x)
            return out

    x, out = data()
    Whole(x, out)
    np.testing.assert_allclose(out, np.exp(x), rtol=1e-6)


def test_methods_may_have_the_names_of_a_programs_own_attributes(platform):
    @pl.program
    class Names:
        @pl.function(type=pl.FunctionType.InCore)
        def compile(self, x: T, out: pl.Out[T]):
            out[:] = pl.add(x, x)
            return out

        @pl.function(type=pl.FunctionType.Orchestration)
        def entry(self, x: T, out: pl.Out[T]):
            out = self.compile(x, out)
            return out

    x, out = data()
    Names(x, out)
    np.testing.assert_array_equal(out, x + x)


# Opaque functions by themselves.


@pl.jit.opaque
def increment(x: T, out: pl.Out[T]):
    with pl.at(level=pl.Level.CORE_GROUP):
        out[:] = pl.add(x, 1.0)
    return out


@pl.jit
def twice_incremented(x: T, out: pl.Out[T]):
    middle = pl.create_tensor([16, 64], dtype=pl.FP32)
    middle = increment(x, middle)
    out = increment(middle, out)
    return out


def test_opaque_functions(platform):
    x, out = data()
    increment(x, out)
    np.testing.assert_array_equal(out, x + 1)
    twice_incremented(x, out)
    np.testing.assert_array_equal(out, x + 1 + 1)
    # Each call is a task of its own.
    assert str(twice_incremented.lower()).count("pto.block.dispatch") == 2


def test_no_warnings_without_attrs():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pl.function(type=pl.FunctionType.InCore)
