# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What a statement's head says, and branches."""

from __future__ import annotations

import ast
import functools

from ..diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ..language.dtypes import BOOL
from ..language.operation import Construct
from ..mlir import ir
from . import scalars, session, tasks
from .builder import FunctionBuilder
from .exits import spoken
from .source import MISSING
from .values import Array, Unbound, Value, chosen, describe

_FORMS = {
    "for": (
        ("range", "parallel", "unroll", "pipeline", "spmd"),
        "for i in pl.range(...):, pl.parallel(...):, pl.unroll(...):, pl.pipeline(...): and "
        "pl.spmd(...):",
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

    def __init__(self, fb: FunctionBuilder, work):
        outer, env = fb.ip, fb.env
        before = [(array, array.ir) for array in fb.arrays]
        self.block = fb.detached_block([], [])
        fb.env = dict(env)
        fb.ip = ir.InsertionPoint(self.block)
        fb.depth += 1
        try:
            self.result = work()
            self.contents = [array.ir for array, _ in before]
        finally:
            self.env, fb.env, fb.ip = fb.env, env, outer
            fb.depth -= 1
            for array, content in before:
                array.ir = content
            del fb.arrays[len(before) :]

    def yield_(self, fb: FunctionBuilder, node: ast.AST, values: list) -> None:
        operation = ir.InsertionPoint(self.block)
        ir.Operation.create("scf.yield", [], values, loc=fb.location(node), ip=operation)


def branch(fb: FunctionBuilder, node: ast.If) -> None:
    from .statements import run

    condition = test(fb, node.test)
    if isinstance(condition, bool):
        before = fb.return_node
        run(fb, node.body if condition else node.orelse)
        # What follows is for the other value of the condition.
        fb.returned_early |= fb.return_node is not before
        return
    arms = [_Arm(fb, functools.partial(run, fb, arm)) for arm in (node.body, node.orelse)]
    _stand_in(fb, node, arms)
    names, pairs = [], []
    for name in fb.names.bound_in(node):
        pair = [arm.env.get(name, MISSING) for arm in arms]
        flag = _flag(fb, condition, pair, node)
        if flag is not None:
            fb.env[name] = flag
            continue
        pair = _merge(fb, node, name, *pair)
        if pair is not None:
            names.append(name)
            pairs.append(pair)
    results = _close_branch(fb, node, condition, arms, pairs, names, bool(node.orelse))
    for name, result, pair in zip(names, results, pairs, strict=False):
        if isinstance(pair[0], Array):
            fb.env[name] = _either_array(fb, name, pair[0].type, result, pair)
        else:
            fb.env[name] = Value(result, pair[0].type)


def _flag(fb: FunctionBuilder, condition: Value, pair: list, node: ast.AST):
    """What is True in one arm and False in the other is the condition, or its negation."""
    if not all(isinstance(value, bool) for value in pair) or pair[0] is pair[1]:
        return None
    return condition if pair[0] else scalars.unary(fb, ast.Not, condition, node, None)


def _stand_in(fb: FunctionBuilder, node: ast.If, arms: list[_Arm]) -> None:
    """Behind an arm that leaves its loop nobody reads what it did not bind: any value does."""
    left = getattr(node, "left", (False, False))
    if left[0] == left[1]:
        return
    gone, there = arms if left[0] else reversed(arms)
    for name in fb.names.bound_in(node):
        value = there.env.get(name, MISSING)
        old = gone.env.get(name, MISSING)
        if not isinstance(value, Value) or not (old is MISSING or isinstance(old, Unbound)):
            continue
        if not fb.is_read_after(name, node):
            continue
        ip, fb.ip = fb.ip, ir.InsertionPoint(gone.block)
        made = _anything(fb, value.type, node)
        fb.ip = ip
        if made is not None:
            gone.env[name] = made


def _anything(fb: FunctionBuilder, kind, node: ast.AST) -> Value | None:
    """Some value of a type."""
    if kind is session.TASK:
        return tasks.invalid(fb, node)
    zero = False if kind.dtype is BOOL else 0.0 if kind.dtype.is_float else 0
    number = fb.constant(zero, kind.dtype, node)
    if kind.kind == "scalar":
        return Value(number, kind)
    level = {"tile": "tile", "array": "tensor"}.get(kind.kind)
    return None if level is None else fb.value(f"pto.{level}.full", kind, [number], None, node)


# What the run chooses in an expression.


def test(fb: FunctionBuilder, node: ast.expr):
    """A condition: a Python bool, or a BOOL scalar."""
    from .expressions import evaluate

    return scalars.truth(fb, evaluate(fb, node), node)


# Integer divisions stop at a divisor of zero.
_STOPPING = ("div", "rem")


def is_plain(fb: FunctionBuilder, work, stops: bool = False) -> bool:
    """Whether `work()` computes with scalars only, and may be done where its value is not
    wanted; `stops`: also divisions."""
    return attempt(fb, work, stops)[1]


def attempt(fb: FunctionBuilder, work, stops: bool = False) -> tuple:
    """What `work()` gives, and whether it is plain. Nothing is left of the attempt."""
    fb.module.repeated += 1
    try:
        arm = _Arm(fb, work)
    finally:
        fb.module.repeated -= 1
    operations = list(arm.block.operations)
    plain = isinstance(arm.result, bool) or scalars.is_scalar(arm.result)
    for operation in reversed(operations):
        name = operation.operation.name
        plain &= name.startswith(("arith.", "math."))
        plain &= stops or not (name.endswith("i") and any(word in name for word in _STOPPING))
        operation.operation.erase()
    return arm.result, plain


def either(fb: FunctionBuilder, condition, one, other, node: ast.AST, name: str | None = None):
    """`one()` where the condition holds, else `other()`."""
    condition = scalars.truth(fb, condition, node)
    if isinstance(condition, bool):
        return one() if condition else other()
    arms = [_Arm(fb, one), _Arm(fb, other)]
    values = [arm.result for arm in arms]
    pairs = []
    if values != [None, None]:
        flag = _flag(fb, condition, values, node)
        if flag is not None:
            return flag
        pairs = [_meet(fb, name or ast.unparse(node), *values, node)]
    results = _close_branch(fb, node, condition, arms, pairs, [name or ""] * len(pairs), False)
    return Value(results[0], pairs[0][0].type) if pairs else None


def stop_if(fb: FunctionBuilder, condition, reason: str, node: ast.AST) -> None:
    """Stops the kernel where the condition holds."""

    def stop() -> None:
        why = {"pto.reason": ir.StringAttr.get(reason, session.CONTEXT)}
        fb.emit("pto.block.trap", [], [], why, node)

    either(fb, condition, stop, lambda: None, node)


def _is_task(value) -> bool:
    return isinstance(value, Value) and value.type is session.TASK


def _close_branch(fb, node: ast.AST, condition, arms, pairs, names, two_arms: bool) -> list:
    """The operation around two arms, with a result for each pair of values and for each array
    that an arm writes. Its results."""
    arrays = []
    for index, array in enumerate(fb.arrays):
        contents = arms[0].contents[index], arms[1].contents[index]
        if contents[0] is not array.ir or contents[1] is not array.ir:
            arrays.append(array)
            pairs = [*pairs, tuple(Value(content, array.type) for content in contents)]
    names = [*names, *(array.name for array in arrays)]
    made = ir.Operation.create(
        "scf.if",
        [pair[0].type.ir for pair in pairs],
        [condition.ir],
        regions=2,
        loc=fb.location(node, spoken(names[0]) or None if len(names) == 1 else None),
        ip=fb.ip,
    )
    for index, arm in enumerate(arms):
        if index == 1 and not pairs and not two_arms and not list(arm.block.operations):
            break
        arm.yield_(fb, node, [pair[index].ir for pair in pairs])
        arm.block.append_to(made.regions[index])
    results = list(made.results)
    for array, result in zip(reversed(arrays), reversed(results), strict=False):
        array.ir = result
    return results


def _either_array(fb: FunctionBuilder, name: str, kind, result, pair) -> Array:
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
    return _meet(fb, name, one, other, place)


def _meet(fb: FunctionBuilder, name: str, one, other, place: ast.AST):
    one, other = (
        tasks.invalid(fb, place) if value is None and _is_task(against) else value
        for value, against in ((one, other), (other, one))
    )
    if fb.plane != "control" and isinstance(one, Array) != isinstance(other, Array):
        # An array or what is computed: its elements are chosen.
        one, other = (
            Value(value.ir, value.type) if isinstance(value, Array) else value
            for value in (one, other)
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
