# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Programs as text: MLIR that reads back, and Python that a person reads."""

import ast
import pathlib

import pytest
from generate import Program as Generated
from pypto.diagnostics import CompileError
from pypto.ir import Program
from pypto.jit import driver

# Those whose flags are there already; pto-insert-sync has still to see the other ones.
FINAL = sorted(
    path
    for path in (pathlib.Path(__file__).parents[1] / "Final").glob("*.mlir")
    if "#pto.sync<author>" not in path.read_text()
)


@pytest.mark.parametrize("path", FINAL, ids=lambda path: path.stem)
def test_final_kernels_as_python(path):
    text = Program.parse(path.read_text()).as_python()
    ast.parse(text)
    assert "# pl." not in text  # everything has a syntax
    for word in ("addrs=[0x", "pl.system.sync_src(set_pipe=", "pl.system.bar_all()", "out="):
        assert word in text


def test_addresses_spaces_and_flags_are_printed():
    text = Program.parse(next(p for p in FINAL if p.stem == "softmax").read_text()).as_python()
    for line in (
        "pl.Tile[[32, 64], pl.FP32, pl.Mem.Vec, 'nd'] = ",
        "pl.tile.alloc(pl.Mem.Vec, 8192, addrs=[0x0])",
        "pl.system.sync_src(set_pipe=pl.PipeType.MTE3, wait_pipe=pl.PipeType.MTE2, event_id=0)",
        "@pl.function(type=pl.FunctionType.AIV)",
        "# pto.sync: manual",
    ):
        assert line in text


@pytest.mark.parametrize("seed", range(40))
def test_generated_programs_read_back(seed, load):
    generated = Generated(seed)
    entry = getattr(load(generated.text), generated.entry)
    program = driver.specialise(entry, (), {}).program
    ast.parse(program.as_python())
    text = program.as_mlir()
    again = Program.parse(text, program.name)
    assert again.as_mlir() == text
    assert again.as_python() == program.as_python()


def test_text_that_is_no_module():
    with pytest.raises(CompileError) as caught:
        Program.parse("module { nonsense }")
    assert caught.value.diagnostics[0].line == 1
