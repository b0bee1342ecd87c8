# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What a statement's head says, and branches."""

from __future__ import annotations

import ast

from ..diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ..language.operation import Construct
from ..mlir import ir
from . import scalars, session, tasks
from .builder import FunctionBuilder
from .source import MISSING
from .values import Array, Unbound, Value, chosen, describe

_FORMS = {
    "for": (
        ("range", "parallel", "spmd"),
        "for i in pl.range(...):, pl.parallel(...): and pl.spmd(...):",
    ),
    "with": (
        ("at", "spmd", "cluster", "scope", "manual_scope"),
        "with pl.at(level=pl.Level.CORE_GROUP):, pl.spmd(...):, pl.cluster():, pl.scope(...): and "
        "pl.manual_scope():",
    ),
}


def construct(fb: FunctionBuilder, node: ast.expr, word: str):
    """The name and the arguments of `pl.<name>(...)` behind `for` or `with`."""
    from .calls import bind
    from .expressions import evaluate

    names, forms = _FORMS[word]
    if isinstance(node, ast.Call):
        function = evaluate(fb, node.func)
        if isinstance(function, Construct) and function.operation.name in names:
            return function.operation.name, *bind(fb, function, node)
        if function is range:
            raise fb.error(
                node,
                "Python's range does not run in a kernel; use pl.range",
                UnsupportedFeatureError,
            )
    raise fb.error(
        node,
        f"'{ast.unparse(node)}' is not supported here; a kernel has {forms}",
        UnsupportedFeatureError,
    )


# Branches.


def meet_spaces(fb: FunctionBuilder, name: str, one: Value, other: Value, node: ast.AST) -> None:
    """Two tiles that become one value lie in one space; one whose space is open
    takes the other's."""
    spaces = one.type.space, other.type.space
    if spaces[0] == spaces[1]:
        return
    if None not in spaces:
        raise fb.error(
            node,
            f"cannot reassign '{name}': it is in {spaces[0].name} on one way and in "
            f"{spaces[1].name} on the other",
            ParserTypeError,
        )
    loose, fixed = (one, other) if spaces[0] is None else (other, one)
    owner = loose.ir.owner
    if isinstance(owner, ir.Block) or not owner.name.startswith("pto.tile."):
        raise fb.error(
            node,
            f"'{name}' is in {fixed.type.space.name} on one way, and on the other its space is "
            "still open; say it with target_memory= where it is loaded",
            ParserTypeError,
        )
    loose.type = fixed.type
    loose.ir.set_type(fixed.type.ir)


class _Arm:
    """One side of a branch, after it was read."""

    def __init__(self, fb: FunctionBuilder, statements: list[ast.stmt]):
        from .statements import run

        outer, env = fb.ip, fb.env
        before = [(array, array.ir) for array in fb.arrays]
        self.block = fb.detached_block([], [])
        fb.env = dict(env)
        fb.ip = ir.InsertionPoint(self.block)
        fb.depth += 1
        try:
            run(fb, statements)
            self.contents = [array.ir for array, _ in before]
        finally:
            self.env, fb.env, fb.ip = fb.env, env, outer
            fb.depth -= 1
            for array, content in before:
                array.ir = content
            del fb.arrays[len(before) :]

    def yield_(self, fb: FunctionBuilder, node: ast.If, values: list) -> None:
        operation = ir.InsertionPoint(self.block)
        ir.Operation.create("scf.yield", [], values, loc=fb.location(node), ip=operation)


def branch(fb: FunctionBuilder, node: ast.If) -> None:
    from .expressions import evaluate
    from .statements import run

    condition = scalars.truth(fb, evaluate(fb, node.test), node.test)
    if isinstance(condition, bool):
        run(fb, node.body if condition else node.orelse)
        return
    then, other = _Arm(fb, node.body), _Arm(fb, node.orelse)
    names, types, pairs = [], [], []
    for name in fb.names.bound_in(node):
        pair = _merge(fb, node, name, then.env.get(name, MISSING), other.env.get(name, MISSING))
        if pair is not None:
            names.append(name)
            types.append(pair[0].type)
            pairs.append(pair)
    arrays = []
    for index, array in enumerate(fb.arrays):
        contents = then.contents[index], other.contents[index]
        if contents[0] is not array.ir or contents[1] is not array.ir:
            arrays.append(array)
            types.append(array.type)
            pairs.append(tuple(Value(content, array.type) for content in contents))
    _close_branch(fb, node, condition, (then, other), types, pairs, names, arrays)


def _is_task(value) -> bool:
    return isinstance(value, Value) and value.type is session.TASK


def _close_branch(fb, node: ast.If, condition, arms, types, pairs, names, arrays) -> None:
    single = (names + [array.name for array in arrays])[0] if len(types) == 1 else None
    made = ir.Operation.create(
        "scf.if",
        [kind.ir for kind in types],
        [condition.ir],
        regions=2,
        loc=fb.location(node, single or None),
        ip=fb.ip,
    )
    for index, arm in enumerate(arms):
        if index == 1 and not types and not node.orelse:
            break
        arm.yield_(fb, node, [pair[index].ir for pair in pairs])
        arm.block.append_to(made.regions[index])
    results = list(made.results)
    for name, kind, result, pair in zip(names, types, results, pairs, strict=False):
        if isinstance(pair[0], Array):
            fb.env[name] = _either(fb, name, kind, result, pair)
        else:
            fb.env[name] = Value(result, kind)
    for array, result in zip(arrays, results[len(names) :], strict=False):
        array.ir = result


def _either(fb: FunctionBuilder, name: str, kind, result, pair) -> Array:
    """What a name means that is one array in one branch and another in the other."""
    roots = {id(array) for array in (*pair[0].roots(), *pair[1].roots())}
    sources = [array for array in fb.arrays if id(array) in roots]
    found = chosen(result, kind, name, sources)
    fb.track(found)
    return found


def _merge(fb: FunctionBuilder, node: ast.If, name: str, one, other):
    """The two values that a name has after the arms, if it needs a result; else
    the name is bound, or left without a value, here."""
    if one is other:
        if one is not MISSING:
            fb.env[name] = one
        return None
    if any(isinstance(value, Unbound) and value.reason is None for value in (one, other)):
        fb.env[name] = Unbound(None)
        return None
    place = fb.names.binding(name, node)
    if MISSING in (one, other) or isinstance(one, Unbound) or isinstance(other, Unbound):
        fb.env[name] = Unbound(
            f"'{name}' is bound in one branch only; bind it in both, or before the if",
            place,
            f"'{name}' is bound here",
        )
        return None
    if not fb.is_read_after(name, node):
        fb.env[name] = Unbound(f"'{name}' has no value here", place, f"'{name}' is bound here")
        return None
    if (
        not isinstance(one, (Value, Array))
        and not isinstance(other, (Value, Array))
        and one == other
    ):
        fb.env[name] = one
        return None
    return _meet(fb, node, name, one, other, place)


def _meet(fb: FunctionBuilder, node: ast.If, name: str, one, other, place: ast.AST):
    one, other = (
        tasks.invalid(fb, place) if value is None and _is_task(against) else value
        for value, against in ((one, other), (other, one))
    )
    if scalars.is_scalar(one) and scalars.is_scalar(other):
        dtype = scalars.common_dtype(fb, "if", one, other, place)
        pair = []
        for value in (one, other):
            if isinstance(value, Value):
                if value.type.dtype is not dtype:
                    break
                pair.append(value)
            else:
                pair.append(Value(fb.constant(value, dtype, place), session.scalar_type(dtype)))
        if len(pair) == 2:
            return tuple(pair)
    elif isinstance(one, Value) and isinstance(other, Value) and one.type.same_value(other.type):
        meet_spaces(fb, name, one, other, place)
        return one, other
    if isinstance(one, Array) and isinstance(other, Array) and fb.plane != "control":
        raise fb.error(
            place,
            f"'{name}' names '{one.name}' in one branch and '{other.name}' in the other: choosing "
            "an array in a kernel is not supported yet; write to each in its own branch",
            UnsupportedFeatureError,
        )
    if isinstance(one, Array) and isinstance(other, Array) and one.type is other.type:
        return one, other
    raise fb.error(
        place,
        f"cannot reassign '{name}' with a different type: after one branch it is {describe(one)}, "
        f"after the other {describe(other)}",
        ParserTypeError,
    )
