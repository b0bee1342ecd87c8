# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Which cores a kernel has code for."""

from __future__ import annotations

import ast
import types

from ...mlir import ir
from .. import session
from ..source import MISSING

_SECTIONS = {"section_cube": "aic", "section_vector": "aiv"}


def wanted(reader, tree: ast.FunctionDef) -> list[str]:
    """The cores that sections of the source are for, by its text: the kernel's and that of
    the helpers that it names. No section: the AIV."""
    found: set[str] = set()
    pending, seen = [(reader.spec.source, tree)], {reader.function}
    while pending:
        source, function = pending.pop()
        for node in ast.walk(function):
            if isinstance(node, ast.Attribute) and node.attr in _SECTIONS:
                found.add(_SECTIONS[node.attr])
            elif isinstance(node, ast.Name):
                found |= {_SECTIONS[node.id]} if node.id in _SECTIONS else set()
                helper = source.lookup(node.id)
                if type(helper) is types.FunctionType and helper not in seen:
                    seen.add(helper)
                    pending.extend(_tree(reader, helper))
            elif isinstance(node, ast.Call):
                pending.extend(_of_module(reader, source, node, seen))
    return [core for core in ("aic", "aiv") if core in found] or ["aiv"]


def _tree(reader, helper) -> list:
    try:
        source = reader.source_of(helper)
        return [(source, source.tree)]
    except Exception:
        # It is read, and its error raised, where it is called.
        return []


def _of_module(reader, source, node: ast.Call, seen: set) -> list:
    """The helper of a call `module.helper(...)`."""
    function = node.func
    if not (isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)):
        return []
    module = source.lookup(function.value.id)
    if module is MISSING or not isinstance(module, types.ModuleType):
        return []
    helper = vars(module).get(function.attr)
    if type(helper) is not types.FunctionType or helper in seen:
        return []
    seen.add(helper)
    return _tree(reader, helper)


def kept(read: list) -> list:
    """Of the sides that were read, those that have code of their own: a kernel without any
    section that is reached is the AIV's."""
    own = [side for side in read if side.core in side.sections]
    if own:
        return own
    aiv = [side for side in read if side.core == "aiv"]
    return aiv or read[:1]


def close(reader, entry: ir.Block, read: list) -> str:
    """Puts what was read of each side into the kernel; its kind."""
    for side in read:
        _drop_unused(side.block)
    if len(read) == 1:
        for operation in list(read[0].block.operations):
            entry.append(operation)
        return read[0].core
    for side in read:
        made = ir.Operation.create(
            "pto.block.section",
            attributes={"core": session.attribute(f"#pto.core<{side.core}>")},
            regions=1,
            loc=reader._place(),
            ip=ir.InsertionPoint(entry),
        )
        side.block.append_to(made.regions[0])
    return "group"


def _drop_unused(block: ir.Block) -> None:
    """Constants and key reads that only discarded readings of a loop used."""
    for operation in list(block.operations):
        if operation.operation.name in ("arith.constant", "pto.block.read_key"):
            if not list(operation.results[0].uses):
                operation.operation.erase()
