# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""docs/operations.md: every public name is on it, with a test; a name that comes later says so."""

import functools
import re
from pathlib import Path

import language_names
import pypto
import pypto.language as pl
import pypto_pro.language as pro
import pytest
from pypto.tools import operation_probes, operations

ROOT = Path(__file__).parents[2]
KERNEL = """\
import pypto.language as pl

@pl.jit
def entry(x: pl.Tensor[[16, 64], pl.FP32], out: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y = {call}
        out[:] = x
    return out
"""


@pytest.fixture(scope="module")
def rows():
    return {row.name: row for row in operations.language_rows()}


@pytest.fixture(scope="module")
def page():
    return operations.page(ROOT)


def test_every_export_is_a_row(rows):
    assert not [name for name in language_names.EXPORTS if name not in rows]


def test_every_operator_is_a_row(rows):
    """In the namespaces that have it, or as one that comes later."""
    for level, name in sorted(language_names.operators()):
        row = rows.get(f"{level}.{name}" if level in ("system", "array") else name)
        assert row is not None, (level, name)
        here = (f"pl.{level}" if level else "pl") in row.faces
        assert here or name in operations.names.NAMES.get(level, ()), (level, name)


def test_every_name_of_pro_is_a_row():
    rows = {row.name for row in operations.pro_rows()}
    assert not [name for name in language_names.PRO if name not in rows and not hasattr(pro, name)]


def test_every_row_has_a_test(page):
    assert not re.findall(r".*\*\*none\*\*.*", page)


def test_operations_take_some_type(rows):
    """A probe that compiles nowhere is wrong, or its operation is."""
    names = [row.name for row in rows.values() if row.kind == "operation" and not row.later]
    for name, chips in operation_probes.probe(names).items():
        errors = [error for types in chips.values() for error in types.values()]
        # One operation may need another to be asked about.
        assert "" in errors or "not supported yet" in errors[0], (name, errors[0])


def test_signatures_are_those_that_programs_expect():
    """In order; what is more than these stands behind them."""
    for level, name, parameters in language_names.signatures():
        module = getattr(pl, level) if level else pl
        operation = getattr(module, name, None)
        if operation is None:
            continue
        found = []
        for parameter in operation.signature.parameters:
            star = "*" if parameter.variadic else "**" if parameter.open else ""
            if parameter.keyword_only and not star and not {"*"} & {p[0] for p in found}:
                found.append("*")
            found.append(star + parameter.name)
        assert [p for p in found if p in parameters] == parameters, (level, name, found)


LATER = [
    f"{path}.{row.own_name}"
    for row in operations.language_rows()
    if not row.name.startswith("jit.")
    for path in row.wanted
]


@pytest.mark.parametrize("path", LATER)
def test_a_name_that_comes_later_says_so(path, load):
    """In Python, and with its place in a kernel."""
    with pytest.raises((AttributeError, pypto.CompileError), match=re.escape(path)):
        functools.reduce(getattr, path.split(".")[1:], pl)()
    module = load(KERNEL.format(call=f"{path}(x)"))
    words = re.escape(path) + r"\b.*(not supported yet|comes? later)"
    with pytest.raises(pypto.CompileError, match=words) as caught:
        module.entry.lower()
    assert caught.value.diagnostics[0].line == 6


@pytest.mark.parametrize("name", ["host", "extern"])
def test_decorators_that_come_later_say_so(name):
    with pytest.raises(pypto.CompileError, match=f"pl.jit.{name}"):
        getattr(pl.jit, name)
