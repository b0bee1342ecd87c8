# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Several errors of one program at once, the calls that lead to one, and names that are nearly
right."""

import copy
import json
import subprocess
import sys

import pypto.language as pl
import pytest
from pypto.diagnostics.errors import CompileError, PyptoError
from pypto.diagnostics.suggest import suggestion
from pypto.runtime.profile import Profile

HEAD = """\
import pypto.language as pl

A = pl.Tensor[[64, 64], pl.FP32]
SIZES = {"rows": 64}

"""


def errors(load, text):
    with pytest.raises(CompileError) as caught:
        load(HEAD + text).f.compile()
    return caught.value


def messages(error):
    return [item.message for item in error.diagnostics]


def test_all_functions_at_once(load):
    """A statement with an error binds a name without a value, which is silent; a kernel that
    nothing can call any more is read all the same."""
    error = errors(
        load,
        """\
@pl.jit.incore
def called(x: A, out: pl.Out[A]):
    t = pl.lod(x, [0, 0], [64, 64])
    u = pl.exp(t)
    out[:] = pl.mul(x, factr)
    return out

@pl.jit.incore
def not_called(x: A, out: pl.Out[A]):
    out[:] = pl.mull(x, x)
    return out

@pl.jit
def f(x: A, out: pl.Out[A]):
    y = missing
    not_called(y, out)
    called(x, out)
    rows = SIZES["rows"]
    def inner():
        pass
    return out
""",
    )
    found = messages(error)
    assert [text.split(";")[0] for text in found] == [
        "name 'missing' is not defined",
        "pl has no 'lod'",
        "name 'factr' is not defined",
        "'SIZES' is a dict, and dicts are not read in a kernel",
        "the control plane cannot contain a function in a function",
        "pl has no 'mull'",
    ]
    assert len({(item.line, item.message) for item in error.diagnostics}) == len(found)
    assert [item.code for item in error.diagnostics] == [
        *("PTO-1001", "PTO-1002", "PTO-1001", "PTO-1008", "PTO-1006", "PTO-1002"),
    ]


def test_not_more_than_a_reader_reads(load):
    lines = "".join(f"    a{i} = missing_{i}\n" for i in range(25))
    error = errors(load, f"@pl.jit\ndef f(x: A, out: pl.Out[A]):\n{lines}    return out\n")
    assert len(error.diagnostics) == 25
    assert str(error).count("error: ") == 20
    assert str(error).endswith("\nand 5 more errors")


INNER = """\
@pl.jit.inline
def inner(x: A, out: pl.Out[A]):
    {body}

@pl.jit.inline
def outer(x: A, out: pl.Out[A]):
    inner(x, out)

@pl.jit
def f(x: A, out: pl.Out[A]):
    with pl.at(level=pl.Level.CORE_GROUP):
        outer(x, out)
    return out
"""


@pytest.mark.parametrize(
    "body, words",
    [
        ("out[:] = pl.mul(x, missing)", "name 'missing' is not defined"),
        ("pl.store(pl.load(x, [0, 0], [64, 10]), [0, 0], out)", "a multiple of 32 bytes"),
        (
            "t = pl.cast(pl.load(x, [0, 0], [64, 64]), pl.INT32, mode='rint')\n"
            "    pl.store(pl.cast(pl.exp(t), pl.FP32), [0, 0], out)",
            "910B has no pl.exp for INT32",
        ),
    ],
    ids=["front end", "verifier", "legalize"],
)
def test_the_calls_that_lead_to_an_error(load, body, words):
    error = errors(load, INNER.format(body=body))
    (found,) = error.diagnostics
    assert words in found.message and found.line and found.file
    assert [note.message for note in found.notes] == [
        "in 'inner', called here",
        "in 'outer', called here",
    ]
    assert "inner(x, out)" in str(error) and "outer(x, out)" in str(error)


@pytest.mark.parametrize(
    "line, hint",
    [
        ("out[:] = pl.mull(x, x)", "did you mean pl.mul?"),
        ("t = pl.tile.lod(x, [0, 0], [64, 64])", "did you mean pl.tile.load?"),
        ("out[:] = pl.mul(x, otu)", "did you mean 'out'?"),
        ("t = pl.load(x, [0, 0], [64, 64], target_mem=pl.Mem.Vec)", "did you mean 'target_memory'"),
        ("t = pl.load(x, [0, 0], [64, 64], target_memory=pl.Mem.vec)", "pl.MemorySpace.Vec?"),
        ("t = pl.full([64, 64], pl.FP33, 0)", "did you mean pl.FP32?"),
        ("n = x.shap", "did you mean 'shape'?"),
    ],
)
def test_did_you_mean(load, line, hint):
    body = f"    with pl.at(level=pl.Level.CORE_GROUP):\n        {line}\n        out[:] = x\n"
    error = errors(load, f"@pl.jit\ndef f(x: A, out: pl.Out[A]):\n{body}    return out\n")
    assert len(error.diagnostics) == 1 and hint in error.diagnostics[0].message


def test_did_you_mean_in_python():
    with pytest.raises(AttributeError, match=r"did you mean pl\.MemorySpace\.Vec\?"):
        _ = pl.Mem.vec
    with pytest.raises(AttributeError, match=r"did you mean pl\.FP32\?"):
        _ = pl.FP33
    assert suggestion("nothing_like_it", ["exp", "mul"]) == ""
    assert not hasattr(pl.Mem, "_nothing")


def test_arguments_of_a_parameter_by_name(load):
    text = """\
@pl.jit.incore
def k(x: A, out: pl.Out[A]):
    out[:] = x
    return out

@pl.jit
def f(x: A, out: pl.Out[A]):
    out = k(x, outt=out)
    return out
"""
    assert "did you mean 'out'?" in str(errors(load, text))


PROFILE = {
    "target": "910B",
    "clock_mhz": 1800,
    "launch": 1800,
    "launch_core": 18,
    "cycles": 3058,
    "tasks": [
        {
            "kernel": "k",
            "operation": 0,
            "after": [],
            "end": 3058,
            "blocks": [
                {
                    "core": "AIV 0",
                    "start": 1800,
                    "end": 3058,
                    "cause": -1,
                    "last": 0,
                    "last_sync": 16,
                }
            ],
        }
    ],
    "events": [[0, 0, "AIV 0", "MTE2", 1802, 2414, -1, "start", 0]],
    "flows": [],
    "operations": [
        {"name": "pl.load", "variable": "", "kernel": "k", "file": "", "line": 4, "column": 5}
    ],
}


def places(data, path=()):
    yield path
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in items:
        if isinstance(value, (dict, list)):
            yield from places(value, (*path, key))
        else:
            yield (*path, key)


def test_a_damaged_profile(tmp_path):
    """Whatever is changed in the file: a profile that can be shown, or a ValueError."""
    assert "3,058" in str(Profile.from_json(json.dumps(PROFILE)))
    refused = 0
    for path in list(places(PROFILE))[1:]:
        for value in (None, -7, 1 << 70, 1e300, True, "x", [], {}):
            damaged = copy.deepcopy(PROFILE)
            inner = damaged
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = value
            try:
                str(Profile.from_json(json.dumps(damaged)))
            except ValueError:
                refused += 1
    assert refused > 100


def test_errors_keep_their_kind(load):
    module = load(HEAD + "@pl.jit\ndef f(x, out: pl.Out[A]):\n    return out\n")
    with pytest.raises(PyptoError) as caught:
        module.f.compile()
    assert "[PTO-1201]" in str(caught.value)


ODD = r"""
module attributes {pto.target = "910B"} {
  func.func @k(%x: tensor<8x8xf32> {pto.dir = #pto.dir<in>} loc("x\FFy"),
                    %y: tensor<8x8xf32> {pto.dir = #pto.dir<out>} loc("out\FE")) -> tensor<8x8xf32>
      attributes {pto.kind = #pto.kind<in_core>} {
    %r = pto.tensor.add %x, %x : tensor<8x8xf32> loc("a\FF")
    %s = pto.tensor.assemble %r into %y[0, 0] : tensor<8x8xf32> into tensor<8x8xf32>
    return %s : tensor<8x8xf32>
  }
}
"""


@pytest.mark.parametrize("tool", ["check_passes", "debug"])
def test_names_that_are_no_utf8(tool, tmp_path):
    """Their bytes cannot be a Python string, for which the bindings would end the process."""
    (tmp_path / "odd.mlir").write_text(ODD)
    command = [sys.executable, "-m", f"pypto.tools.{tool}", "odd.mlir", "--args", "out", "out"]
    ran = subprocess.run(
        command, cwd=tmp_path, input="q\n", capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert "Traceback" not in ran.stderr and "terminate" not in ran.stderr
