# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""A wrong call of a kernel: what is said, where, and what stays as it was."""

import numpy as np
import pypto
import pytest
from pypto.runtime import RunConfig

TEXT = """\
import pypto.language as pl

@pl.jit.incore
def double(x: pl.Tensor, out: pl.Out[pl.Tensor]):
    t = pl.load(x, [0, 0], [x.shape[0], x.shape[1]])
    pl.store(pl.add(t, t), [0, 0], out)
    return out

@pl.jit
def k(
    x: pl.Tensor[[16, 16], pl.FP32],
    out: pl.Out[pl.Tensor[[16, 16], pl.FP32]],
    n: pl.Scalar[pl.INT32] = 1,
    f: pl.Scalar[pl.FP32] = 1.0,
):
    out = double(x, out)
    return out

@pl.jit
def late(x: pl.Tensor, out: pl.Out[pl.Tensor], n: pl.Scalar[pl.INDEX]):
    out = double(x, out)
    for i in pl.range(n):
        with pl.at(level=pl.Level.CORE_GROUP):
            t = pl.load(x, [i, 0], [16, 16])
            pl.store(t, [0, 0], out)
    return out
"""
X, OUT, N, F = (11, "pl.Tensor[["), (12, "pl.Out["), (13, "pl.Scalar["), (14, "pl.Scalar[")
NAME = (10, "k(")


@pytest.fixture
def module(load):
    return load(TEXT)


def zeros(*shape, dtype=np.float32):
    return np.zeros(shape or (16, 16), dtype)


def readonly():
    made = zeros()
    made.flags.writeable = False
    return made


ONE = zeros()
WRONG = {
    "one missing": ((zeros(),), {}, OUT, "argument 'out' is missing; k takes (x, out, n, f)"),
    "all missing": ((), {}, X, "argument 'x' is missing"),
    "missing, by keyword": ((), {"out": zeros()}, X, "argument 'x' is missing"),
    "unknown keyword": ((zeros(),), {"y": zeros()}, NAME, "no parameter 'y'"),
    "twice": ((zeros(), zeros()), {"x": zeros()}, X, "given twice"),
    "too many": ((zeros(),) * 5, {}, NAME, "takes 4 arguments"),
    "dtype": ((zeros(dtype=np.float16), zeros()), {}, X, "'x' is FP32, found FP16"),
    "rank": ((zeros(), zeros(16)), {}, OUT, "'out' has 2 dimensions"),
    "shape": ((zeros(), zeros(8, 16)), {}, OUT, "'out' has shape [16, 16], found [8, 16]"),
    "not contiguous": ((zeros().T, zeros()), {}, X, "'x' is not contiguous"),
    "read-only": ((zeros(), readonly()), {}, OUT, "read-only"),
    "float64": ((zeros(dtype=np.float64), zeros()), {}, X, "float64"),
    "None": ((None, zeros()), {}, X, "'x' is an array (NumPy"),
    "overlap": ((ONE, ONE), {}, OUT, "'x' and 'out' overlap"),
    "scalar None": ((zeros(), zeros(), None), {}, N, "'n' is a scalar (INT32), found None"),
    "scalar text": ((zeros(), zeros(), "3"), {}, N, "'n' is a scalar (INT32), found '3'"),
    "scalar array": ((zeros(), zeros(), zeros()), {}, N, "'n' is a scalar (INT32), found an array"),
    "fraction": ((zeros(), zeros(), 0.5), {}, N, "'n' is INT32, found 0.5"),
    "overflow": ((zeros(), zeros(), 1, 1e300), {}, F, "'f' is FP32, and 1e+300 overflows it"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_argument_is_shown_at_its_parameter(name, module):
    args, keywords, (line, text), words = WRONG[name]
    with pytest.raises(pypto.ArgumentError) as caught:
        module.k(*args, **keywords)
    assert words in str(caught.value)
    found = caught.value.diagnostics[0]
    source = TEXT.splitlines()[line - 1]
    assert (found.file, found.line) == (module.__file__, line)
    assert source[found.column - 1 :].startswith(text)
    assert f"{source}\n  {' ' * (found.column - 1)}^" in str(caught.value)
    assert not module.k._cache


def test_the_other_array_of_an_overlap_is_a_note(module):
    with pytest.raises(pypto.ArgumentError) as caught:
        module.k(ONE, ONE)
    note = caught.value.diagnostics[0].notes[0]
    assert note.line == X[0] and "'x' is here" in note.message


def test_a_compiled_program_says_it_too(module):
    compiled = module.k.compile(zeros(), zeros())
    for args, line in (((zeros(),), OUT[0]), ((1, zeros()), X[0]), ((zeros(), zeros(), 2), N[0])):
        with pytest.raises(pypto.ArgumentError) as caught:
            compiled(*args)
        assert caught.value.diagnostics[0].line == line


def test_a_call_after_compile_without_arguments(module):
    module.k.compile()
    with pytest.raises(pypto.ArgumentError, match="argument 'x' is missing"):
        module.k()


def test_a_default_of_a_scalar_known_at_run_time(module):
    out = zeros()
    module.k.compile(zeros(), zeros(), module.pl.RUNTIME)(np.ones((16, 16), np.float32), out)
    assert (out == 2).all()
    with pytest.raises(pypto.ArgumentError, match="pl.RUNTIME is for scalars"):
        module.k.compile(module.pl.RUNTIME, out)


def test_infinity_and_the_largest_number_fit(module):
    for value in (float("inf"), 3.4028234663852886e38):
        module.k(zeros(), zeros(), 1, value)


def test_a_failed_run_leaves_the_arrays_and_keeps_nothing(module):
    x, out = np.ones((32, 16), np.float32), np.full((32, 16), 7, np.float32)
    with pytest.raises(pypto.RunError):
        module.late(x, out, 40)
    assert (out == 7).all() and not module.late._cache
    compiled = module.late.compile(x, out, module.pl.RUNTIME)
    with pytest.raises(pypto.RunError):
        compiled(x, out, 40)
    assert (out == 7).all()
    compiled(x, out, 2)
    assert (out[:16] == 1).all() and (out[16:] == 2).all()


def test_an_array_has_no_default(load):
    text = TEXT.replace("out: pl.Out[pl.Tensor[[16, 16], pl.FP32]],", "out: pl.Out[pl.Tensor] = 1,")
    with pytest.raises(pypto.CompileError, match="an array, 'out', has no default"):
        load(text).k(zeros(), zeros())


def test_the_configuration_is_checked_where_it_is_made():
    for value, kind in (("3", TypeError), (True, TypeError), (1.5, TypeError), (-1, ValueError)):
        with pytest.raises(kind, match="step_limit"):
            RunConfig(step_limit=value)
    with pytest.raises(TypeError, match="platform"):
        RunConfig(platform=["a2a3sim"])
    assert RunConfig(step_limit=0).step_limit == 0
