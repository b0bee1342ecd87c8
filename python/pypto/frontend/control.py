# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Loops, branches and placed regions.

A body is read into a block of its own before the operation around it is made:
only then it is known which names it rebinds and which arrays it writes. A loop
first offers every name that its text binds, and every array that it mentions,
as a carried value, and takes back what turns out not to need one.
"""

from __future__ import annotations

import ast

from ..diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ..language.dtypes import INDEX
from ..language.enums import Level
from ..language.operation import Construct
from ..mlir import ir
from . import scalars, session
from .builder import FunctionBuilder, number_dtype
from .source import MISSING
from .values import Array, Unbound, Value, describe


def _construct(fb: FunctionBuilder, node: ast.expr, name: str, form: str):
    """The arguments of `pl.<name>(...)` in a statement."""
    from .calls import bind
    from .expressions import evaluate

    if isinstance(node, ast.Call):
        function = evaluate(fb, node.func)
        if isinstance(function, Construct) and function.operation.name == name:
            return bind(fb, function, node)
        if function is range:
            raise fb.error(
                node,
                "Python's range does not run in a kernel; use pl.range",
                UnsupportedFeatureError,
            )
    raise fb.error(
        node,
        f"'{ast.unparse(node)}' is not supported here; a kernel has `{form}`",
        UnsupportedFeatureError,
    )


# Loops.


class _Carried:
    """A name or an array that a loop may change."""

    __slots__ = ("argument", "array", "final", "init", "name", "value")

    def __init__(self, name: str, init: Value, array: Array | None = None):
        self.name, self.init, self.array = name, init, array
        self.argument = self.value = self.final = None

    @property
    def type(self):
        return self.init.type


def for_loop(fb: FunctionBuilder, node: ast.For) -> None:
    if node.orelse:
        raise fb.error(node.orelse[0], "a loop has no else", UnsupportedFeatureError)
    if not isinstance(node.target, ast.Name):
        raise fb.error(node.target, "a loop has one variable", UnsupportedFeatureError)
    (bounds, init_values), _ = _construct(fb, node.iter, "range", "for i in pl.range(...):")
    if init_values is not None:
        raise fb.error(
            node.iter,
            "pl.range(init_values=) is not supported yet; rebind the name in the loop instead",
            UnsupportedFeatureError,
        )
    bounds, variable = _normalise(fb, node, bounds)
    candidates = _candidates(fb, node)
    block = _open_block(fb, node, candidates)
    outer, saved_env = fb.ip, fb.env
    saved_arrays = [(array, array.ir) for array in fb.arrays]
    try:
        _enter(fb, candidates, block)
        fb.env[node.target.id] = variable(fb, block.arguments[0])
        _run_body(fb, node)
        carried = _carried_out(fb, node, candidates)
        _refuse_others(fb, node, saved_env, candidates)
        _yield(fb, node, carried)
    finally:
        inner_env, fb.ip, fb.env = fb.env, outer, saved_env
        for array, content in saved_arrays:
            array.ir = content
        del fb.arrays[len(saved_arrays) :]
    _take_back(candidates, carried, block)
    _close_loop(fb, node, bounds, carried, block)
    _forget(fb, node, inner_env, "loop")


def _normalise(fb: FunctionBuilder, node: ast.For, bounds: list):
    """(first, end, step) for an operation that only counts up, and a function
    that makes the author's variable of its counter."""
    if not 1 <= len(bounds) <= 3:
        raise fb.error(
            node.iter, f"pl.range takes one to three bounds, found {len(bounds)}", ParserTypeError
        )
    start, stop, step = {1: (0, *bounds, 1), 2: (*bounds, 1), 3: tuple(bounds)}[len(bounds)]
    start, stop, step = (
        scalars.index(fb, bound, node.iter, "a bound of pl.range") for bound in (start, stop, step)
    )
    if step == 0:
        raise fb.error(node.iter, "the step of pl.range is not zero")
    name = node.target.id

    def plain(fb: FunctionBuilder, counter) -> Value:
        nonnegative = isinstance(start, int) and start >= 0
        return Value(counter, session.scalar_type(INDEX), nonnegative)

    if isinstance(step, int) and step > 0:
        return [_materialise(fb, bound, node) for bound in (start, stop, step)], plain

    def scaled(fb: FunctionBuilder, counter) -> Value:
        counted = scalars.binary(fb, "*", _wrap(counter, True), _wrap(step), node.target, None)
        return scalars.binary(fb, "+", _wrap(start), counted, node.target, name)

    trips = _trips(fb, node, start, stop, step)
    return [_materialise(fb, bound, node) for bound in (0, trips, 1)], scaled


def _wrap(bound, nonnegative: bool = False):
    if isinstance(bound, int):
        return bound
    return Value(bound, session.scalar_type(INDEX), nonnegative)


def _materialise(fb: FunctionBuilder, bound, node: ast.For):
    return fb.constant(bound, INDEX, node.iter) if isinstance(bound, int) else bound


def _trips(fb: FunctionBuilder, node: ast.For, start, stop, step):
    """How often a loop runs whose step is negative or known at run time only."""
    if all(isinstance(bound, int) for bound in (start, stop, step)):
        return len(range(start, stop, step))
    at = node.iter

    def count(distance, stride):
        return scalars.ceiling_division(
            fb, _materialise(fb, distance, node), _materialise(fb, stride, node), at
        )

    def minus(lhs, rhs):
        made = scalars.binary(fb, "-", _wrap(lhs), _wrap(rhs), at, None)
        return made.ir if isinstance(made, Value) else made

    if isinstance(step, int):
        return count(minus(start, stop), -step)
    # A step of zero divides by zero, which the model reports here.
    forward = scalars.compare(fb, ">", _wrap(step), 0, at, None)
    distance = scalars.select(
        fb, forward, _wrap(minus(stop, start)), _wrap(minus(start, stop)), at, None
    )
    size = scalars.select(fb, forward, _wrap(step), _wrap(minus(0, step)), at, None)
    return count(distance.ir, size.ir)


def _candidates(fb: FunctionBuilder, node: ast.For) -> list[_Carried]:
    found = []
    for name in fb.names.bound_in(node):
        value = fb.env.get(name)
        if isinstance(value, Value):
            found.append(_Carried(name, value))
        elif isinstance(value, (bool, int, float)):
            dtype = number_dtype(value)
            made = Value(fb.constant(value, dtype, node.iter), session.scalar_type(dtype))
            found.append(_Carried(name, made))
    seen = set()
    for name in fb.names.used_in(node):
        value = fb.env.get(name)
        for array in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(array, Array) and id(array) not in seen:
                seen.add(id(array))
                found.append(_Carried(array.name, Value(array.ir, array.type), array))
    return found


def _open_block(fb: FunctionBuilder, node: ast.For, candidates: list[_Carried]) -> ir.Block:
    types = [session.INDEX_TYPE, *(carried.type.ir for carried in candidates)]
    # Text has no place for their locations; their names are an attribute of the loop.
    locations = [fb.location(node.target), *([fb.location(node)] * len(candidates))]
    return fb.detached_block(types, locations)


def _enter(fb: FunctionBuilder, candidates: list[_Carried], block: ir.Block) -> None:
    fb.env = dict(fb.env)
    for carried, argument in zip(candidates, list(block.arguments)[1:], strict=False):
        carried.argument = argument
        if carried.array is not None:
            carried.array.ir = argument
        else:
            carried.value = fb.env[carried.name] = Value(argument, carried.type)
    fb.ip = ir.InsertionPoint(block)


def _run_body(fb: FunctionBuilder, node: ast.For) -> None:
    from .statements import run

    fb.loops.append(node)
    fb.depth += 1
    try:
        run(fb, node.body)
    finally:
        fb.depth -= 1
        fb.loops.pop()


def _carried_out(fb: FunctionBuilder, node: ast.For, candidates) -> list[_Carried]:
    """Those of the candidates that the body has changed and somebody reads."""
    finals = []
    for carried in candidates:
        if carried.array is not None:
            changed = carried.array.ir is not carried.argument
            carried.final = Value(carried.array.ir, carried.type) if changed else None
        else:
            final = fb.env.get(carried.name)
            carried.final = None if final is carried.value else final
        finals.append(carried.final)
    aliased = {id(final.ir) for final in finals if isinstance(final, Value)}
    after = fb.names.read_after(node, fb.loops)
    kept = []
    for carried in candidates:
        if carried.final is None:
            continue
        if carried.array is None:
            read = id(carried.argument) in aliased or next(iter(carried.argument.uses), None)
            if not read and carried.name not in after:
                carried.final = None
                continue
            if isinstance(carried.final, Unbound):
                carried.final = None
                continue
            carried.final = _same_type(fb, node, carried)
        kept.append(carried)
    return kept


def _refuse_others(fb: FunctionBuilder, node: ast.For, before: dict, candidates) -> None:
    """A loop carries values of the program. What only the compiler knows, such as
    a dtype or which array a name means, is the same in every iteration."""
    carried = {candidate.name for candidate in candidates if candidate.array is None}
    for name in fb.names.bound_in(node):
        old, new = before.get(name, MISSING), fb.env.get(name, MISSING)
        if old is MISSING or isinstance(old, Unbound) or name in carried:
            continue
        if new is old or isinstance(new, Unbound) or name == node.target.id:
            continue
        if not isinstance(new, (Value, Array)) and type(new) is type(old) and new == old:
            continue
        place = fb.names.binding(name, node)
        if isinstance(old, Array) and isinstance(new, Array):
            raise fb.error(
                place,
                f"'{name}' names '{old.name}' before the loop and '{new.name}' after an iteration: "
                "array ping-pong is not supported yet; write two steps in each iteration, one into "
                "each array, and leave the names as they are",
                UnsupportedFeatureError,
            )
        raise fb.error(
            place,
            f"a loop carries tiles, computed arrays and scalars, and this rebinds '{name}' from "
            f"{describe(old)} to {describe(new)}",
            ParserTypeError,
        )


def _same_type(fb: FunctionBuilder, node: ast.For, carried: _Carried) -> Value:
    final = carried.final
    if scalars.is_scalar(final) and carried.type.kind == "scalar":
        if not isinstance(final, Value):
            dtype = carried.type.dtype
            if isinstance(final, float) and not dtype.is_float:
                raise _changed_type(fb, node, carried)
            return Value(fb.constant(final, dtype, node), carried.type)
        if final.type is carried.type:
            return final
    if not isinstance(final, Value) or not final.type.same_value(carried.type):
        raise _changed_type(fb, node, carried)
    if final.type is not carried.type:
        binding = fb.names.binding(carried.name, node)
        meet_spaces(fb, carried.name, carried.init, final, binding)
        carried.argument.set_type(carried.init.type.ir)
    return final


def _changed_type(fb: FunctionBuilder, node: ast.For, carried: _Carried):
    return fb.error(
        fb.names.binding(carried.name, node),
        f"cannot reassign '{carried.name}' with a different type: before the loop it is "
        f"{describe(carried.init)}, after an iteration {describe(carried.final)}"
        + _conversion(carried.name, carried.init, carried.final),
        ParserTypeError,
    )


def _conversion(name: str, old, new) -> str:
    """How two scalar types become one."""
    if not scalars.is_scalar(old) or not scalars.is_scalar(new):
        return ""
    before, after = (
        value.type.dtype if isinstance(value, Value) else number_dtype(value)
        for value in (old, new)
    )
    if isinstance(new, Value) or not after.is_float:
        return (
            f"; write pl.cast(..., pl.{before}) in the loop, or begin with {name} = "
            f"pl.const(..., pl.{after})"
        )
    return f"; begin with {name} = pl.const(..., pl.{after})"


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


def _yield(fb: FunctionBuilder, node: ast.AST, carried) -> None:
    fb.emit("scf.yield", [], [item.final.ir for item in carried], None, node)


def _take_back(candidates, carried, block: ir.Block) -> None:
    kept = {id(item) for item in carried}
    for index in range(len(candidates) - 1, -1, -1):
        candidate = candidates[index]
        if id(candidate) not in kept:
            candidate.argument.replace_all_uses_with(candidate.init.ir)
            block.erase_argument(index + 1)


def _close_loop(fb: FunctionBuilder, node: ast.For, bounds, carried, block: ir.Block) -> None:
    name = carried[0].name if len(carried) == 1 and carried[0].name else None
    made = ir.Operation.create(
        "scf.for",
        [item.type.ir for item in carried],
        [*bounds, *(item.init.ir for item in carried)],
        {"pto.names": session.strings([node.target.id, *(item.name for item in carried)])},
        regions=1,
        loc=fb.location(node, name),
        ip=fb.ip,
    )
    block.append_to(made.regions[0])
    for item, result in zip(carried, made.results, strict=False):
        if item.array is not None:
            item.array.ir = result
        else:
            fb.env[item.name] = Value(result, item.type)


def _forget(fb: FunctionBuilder, node: ast.stmt, inner: dict, where: str) -> None:
    """Names that only the body binds have no value after it."""
    for name in fb.names.bound_in(node):
        if name in fb.env and not isinstance(fb.env[name], Unbound):
            continue
        if name not in inner:
            continue
        if isinstance(inner[name], Unbound) and inner[name].reason is None:
            fb.env[name] = Unbound(None)
            continue
        if isinstance(node, ast.For) and name == node.target.id:
            reason, note = f"the loop variable '{name}' has no value after its loop", "the loop"
        else:
            reason = (
                f"'{name}' is bound inside the {where} only, so no value of it leaves the {where}; "
                "bind it before, and rebind it in each iteration (acc = pl.add(acc, ...))"
            )
            note = f"'{name}' is bound here"
        fb.env[name] = Unbound(reason, fb.names.binding(name, node), note)


# Branches.


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
    for name, kind, result in zip(names, types, results, strict=False):
        fb.env[name] = Value(result, kind)
    for array, result in zip(arrays, results[len(names) :], strict=False):
        array.ir = result


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
    if name not in fb.names.read_after(node, fb.loops):
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
    if isinstance(one, Array) and isinstance(other, Array):
        raise fb.error(
            place,
            f"'{name}' names '{one.name}' in one branch and '{other.name}' in the other: choosing "
            "an array at run time is not supported yet; dispatch to each in its own branch",
            UnsupportedFeatureError,
        )
    raise fb.error(
        place,
        f"cannot reassign '{name}' with a different type: after one branch it is {describe(one)}, "
        f"after the other {describe(other)}",
        ParserTypeError,
    )


# Placed regions.


_AT_DEFAULTS = {
    "role": None,
    "optimizations": None,
    "deps": None,
    "no_dep_args": None,
    "dumps": None,
    "allow_early_resolve": False,
    "windowize": False,
}


def placed(fb: FunctionBuilder, node: ast.With) -> None:
    """`with pl.at(level=pl.Level.CORE_GROUP):`"""
    hint = _read_at(fb, node)
    body = _Region(fb, node)
    arrays, values = body.written(fb, node)
    results = [Value(content, array.type) for array, content in arrays]
    results += [value for _, value in values]
    end = ir.InsertionPoint(body.block)
    ir.Operation.create(
        "pto.block.yield", [], [value.ir for value in results], loc=fb.location(node), ip=end
    )
    attributes = {
        "level": session.attribute("#pto.level<core_group>"),
        "operandSegmentSizes": session.int32s((0, 0, 0, 0, 0)),
        "resultSegmentSizes": session.int32s((len(results), 0)),
    }
    if hint is not None:
        attributes["name_hint"] = ir.StringAttr.get(hint, session.CONTEXT)
    names = [array.name for array, _ in arrays] + [name for name, _ in values]
    made = ir.Operation.create(
        "pto.block.at",
        [value.type.ir for value in results],
        [],
        attributes,
        regions=1,
        loc=fb.location(node, names[0] if len(names) == 1 and names[0] else None),
        ip=fb.ip,
    )
    body.block.append_to(made.regions[0])
    outcome = list(made.results)
    for (array, _), result in zip(arrays, outcome, strict=False):
        array.ir = result
    for (name, value), result in zip(values, outcome[len(arrays) :], strict=False):
        array = Array(result, value.type, name, node=fb.names.binding(name, node))
        array.written = True
        fb.arrays.append(array)
        fb.env[name] = array


def _read_at(fb: FunctionBuilder, node: ast.With) -> str | None:
    """Checks `pl.at(...)`; its name hint."""
    if len(node.items) != 1:
        raise fb.error(node, "one `with` places one region", UnsupportedFeatureError)
    item = node.items[0]
    form = "with pl.at(level=pl.Level.CORE_GROUP):"
    args, places = _construct(fb, item.context_expr, "at", form)
    if fb.plane != "control":
        raise fb.error(
            item.context_expr,
            "an in-core function cannot submit tasks; pl.at places code of the control plane on a "
            "core, and this code is on a core already: leave it out",
            UnsupportedFeatureError,
        )
    if item.optional_vars is not None:
        raise fb.error(
            item.optional_vars,
            "`with pl.at(...) as tid` is not supported yet",
            UnsupportedFeatureError,
        )
    from ..language.registry import CONSTRUCTS

    level = args[0]
    if level is not Level.CORE_GROUP:
        raise fb.error(
            places[0],
            f"pl.at places on level=pl.Level.CORE_GROUP; {describe(level)} is not supported yet",
            UnsupportedFeatureError,
        )
    hint = None
    for parameter, value, place in zip(
        CONSTRUCTS["at"].faces[""].parameters, args, places, strict=False
    ):
        if parameter.name == "name_hint":
            hint = value
        elif parameter.name in _AT_DEFAULTS and value != _AT_DEFAULTS[parameter.name]:
            raise fb.error(
                place, f"pl.at({parameter.name}=) is not supported yet", UnsupportedFeatureError
            )
    if hint is not None and not isinstance(hint, str):
        raise fb.error(node, f"name_hint is a string, found {describe(hint)}", ParserTypeError)
    return hint


class _Region:
    """The body of a `with pl.at(...)`, after it was read."""

    def __init__(self, fb: FunctionBuilder, node: ast.With):
        from .statements import run

        outer, self.before = fb.ip, fb.env
        saved = [(array, array.ir) for array in fb.arrays]
        self.block = fb.detached_block([], [])
        fb.env = dict(self.before)
        fb.ip = ir.InsertionPoint(self.block)
        fb.plane = "in_core"
        fb.depth += 1
        try:
            with fb.constants_in(self.block):
                run(fb, node.body)
            self.contents = [(array, content, array.ir) for array, content in saved]
        finally:
            self.env, fb.env, fb.ip = fb.env, self.before, outer
            fb.plane = "control"
            fb.depth -= 1
            for array, content in saved:
                array.ir = content

    def written(self, fb: FunctionBuilder, node: ast.With) -> tuple[list, list]:
        """The arrays that the region wrote, and the computed arrays that it
        leaves to the code after it. Tiles and run-time scalars stay inside."""
        arrays = [(array, after) for array, before, after in self.contents if after is not before]
        values = []
        after = fb.names.read_after(node, fb.loops)
        for name in fb.names.bound_in(node):
            value = self.env.get(name, MISSING)
            if value is MISSING or value is self.before.get(name, MISSING):
                continue
            place = fb.names.binding(name, node)
            if not isinstance(value, Value):
                fb.env[name] = value
            elif value.type.kind == "array":
                if name in after:
                    values.append((name, value))
            else:
                fb.env[name] = Unbound(
                    f"'{name}' is a {value.type.kind} of the placed region, and only arrays leave "
                    "it; write it to an array",
                    place,
                    f"'{name}' is bound here",
                )
        return arrays, values
