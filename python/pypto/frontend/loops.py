# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Loops.

A body is read into a block of its own before the operation around it is made:
only then it is known which names it rebinds and which arrays it writes. A loop
first offers every name that its text binds, and every array that it mentions,
as a carried value, and takes back what turns out not to need one. Which array or
task a name means is the compiler's knowledge until a body turns out to change it;
then the body is read once more, with that name carried too.
"""

from __future__ import annotations

import ast

from ..diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ..language.dtypes import INDEX
from ..mlir import ir
from . import scalars, session, tasks
from .builder import FunctionBuilder, exposed, number_dtype
from .control import construct, meet_spaces
from .source import MISSING
from .values import Array, Cells, Unbound, Value, chosen, describe


class _Carried:
    """A name or an array that a loop may change."""

    __slots__ = ("argument", "array", "final", "init", "name", "proxy", "value")

    def __init__(self, name: str, init: Value, array=None, proxy: Array | None = None):
        """`array`: what changes in place. `proxy`: the array that the name means in the
        body, where that may be another one in each iteration."""
        self.name, self.init, self.array, self.proxy = name, init, array, proxy
        self.argument = self.value = self.final = None

    @property
    def type(self):
        return self.init.type


def for_loop(fb: FunctionBuilder, node: ast.For) -> None:
    if node.orelse:
        raise fb.error(node.orelse[0], "a loop has no else", UnsupportedFeatureError)
    if not isinstance(node.target, ast.Name):
        raise fb.error(node.target, "a loop has one variable", UnsupportedFeatureError)
    kind, args, places = construct(fb, node.iter, "for")
    if kind == "spmd":
        from .regions import spmd_loop

        spmd_loop(fb, node, args, places)
        return
    bounds, init_values = args
    if init_values is not None:
        raise fb.error(
            node.iter,
            f"pl.{kind}(init_values=) is not supported yet; rebind the name in the loop instead",
            UnsupportedFeatureError,
        )
    if kind == "parallel" and fb.plane != "control":
        raise fb.error(
            node.iter,
            "pl.parallel in a kernel is not supported yet; use pl.range, or pl.parallel on the "
            "control plane",
            UnsupportedFeatureError,
        )
    bounds, variable = _normalise(fb, node, f"pl.{kind}", bounds)
    loop = _read(fb, node, variable)
    _take_back(loop.candidates, loop.carried, loop.block)
    _close_loop(fb, node, bounds, loop.carried, loop.block, kind)
    for name, place in loop.stale.items():
        note = f"'{name}' is bound here"
        fb.env[name] = Unbound(f"'{name}' has no value here", place, note)
    _forget(fb, node, loop.env, "loop")
    for name in loop.wrong:
        fb.env[name] = Unbound(None)


def _read(fb: FunctionBuilder, node: ast.For, variable) -> _Loop:
    """The body, read as often as it takes to know which names it makes mean others."""
    rebound: dict[str, list] = {}
    before = fb.module.repeated
    try:
        while True:
            reported = len(fb.module.diagnostics)
            loop = _Loop(fb, node, rebound)
            loop.read(variable, reported)
            if not loop.found:
                return loop
            rebound |= loop.found
            fb.module.repeated += 1
    finally:
        fb.module.repeated = before


class _Loop:
    """One reading of the body. `rebound`: the names that turned out to mean other arrays
    or tasks after an iteration, with the arrays that they may mean."""

    def __init__(self, fb: FunctionBuilder, node: ast.For, rebound: dict[str, list]):
        self.fb, self.node, self.rebound = fb, node, rebound
        self.before = fb.env
        self.outside = list(fb.arrays)
        self.candidates = self._candidates()
        self.block = self._open_block()
        self.carried: list[_Carried] = []
        self.found: dict[str, list] = {}
        # Names whose value nobody reads after an iteration, and where they are bound.
        self.stale: dict[str, ast.AST] = {}
        # Names that have no value any more, by an error that was reported.
        self.wrong: list[str] = []
        self.env: dict = {}

    def _candidates(self) -> list[_Carried]:
        fb, node = self.fb, self.node
        found = []
        for name in fb.names.bound_in(node):
            value = fb.env.get(name)
            if name in self.rebound:
                found.append(self._rebound_candidate(name, value))
            elif isinstance(value, Value):
                found.append(_Carried(name, value))
            elif isinstance(value, (bool, int, float)):
                dtype = number_dtype(value)
                made = Value(fb.constant(value, dtype, node.iter), session.scalar_type(dtype))
                found.append(_Carried(name, made))
        seen = set()
        for name in fb.names.used_in(node):
            value = fb.env.get(name)
            for array in value if isinstance(value, (tuple, list)) else (value,):
                known = isinstance(array, (Array, Cells)) and name not in self.rebound
                if known and id(array) not in seen:
                    seen.add(id(array))
                    found.append(_Carried(array.name, Value(array.ir, array.type), array))
        return found

    def _rebound_candidate(self, name: str, value) -> _Carried:
        if value is None:
            first = self.rebound[name] or [tasks.invalid(self.fb, self.node.iter)]
            self.rebound[name] = first
            return _Carried(name, first[0])
        proxy = chosen(None, value.type, name, self.rebound[name])
        return _Carried(name, Value(value.ir, value.type), proxy=proxy)

    def _open_block(self) -> ir.Block:
        fb, node = self.fb, self.node
        types = [session.INDEX_TYPE, *(carried.type.ir for carried in self.candidates)]
        # Text has no place for their locations; their names are an attribute of the loop.
        locations = [fb.location(node.target), *([fb.location(node)] * len(self.candidates))]
        return fb.detached_block(types, locations)

    def read(self, variable, reported: int) -> None:
        fb, node = self.fb, self.node
        outer = fb.ip
        contents = [(array, array.ir) for array in fb.arrays]
        try:
            self._enter()
            fb.env[node.target.id] = variable(fb, self.block.arguments[0])
            _run_body(fb, node)
            self._find_rebound()
            if len(fb.module.diagnostics) > reported:
                # What a wrong body makes of its names is no error of theirs.
                self.wrong, self.found = list(self.found), {}
            if not self.found:
                self._carry_out()
                self._refuse_others()
                _yield(fb, node, self.carried)
        finally:
            self.env, fb.ip, fb.env = fb.env, outer, self.before
            for array, content in contents:
                array.ir = content
            del fb.arrays[len(contents) :]

    def _enter(self) -> None:
        fb = self.fb
        fb.env = dict(fb.env)
        for carried, argument in zip(self.candidates, list(self.block.arguments)[1:], strict=False):
            carried.argument = argument
            if carried.array is not None:
                carried.array.ir = argument
            elif carried.proxy is not None:
                carried.proxy.ir = argument
                fb.env[carried.name] = carried.proxy
                fb.arrays.append(carried.proxy)
            else:
                carried.value = fb.env[carried.name] = Value(argument, carried.type)
        fb.ip = ir.InsertionPoint(self.block)

    def _find_rebound(self) -> None:
        """Names that mean another array, or a task where there was none."""
        fb, node = self.fb, self.node
        inside = exposed(node.body)[0]

        def is_read(name: str) -> bool:
            return name in inside or fb.is_read_after(name, node)

        proxies = {carried.name: carried.proxy for carried in self.candidates if carried.proxy}
        for name in fb.names.bound_in(node):
            old, new = self.before.get(name, MISSING), fb.env.get(name, MISSING)
            if name == node.target.id:
                continue
            if old is None and isinstance(new, Value) and new.type is session.TASK:
                if not is_read(name):
                    self.stale[name] = fb.names.binding(name, node)
                elif name not in self.rebound:
                    self.found[name] = []
            elif isinstance(old, Array) and isinstance(new, Array):
                if new is old or new is proxies.get(name):
                    continue
                if not is_read(name):
                    self.stale[name] = fb.names.binding(name, node)
                elif fb.plane == "control":
                    self._add_sources(name, old, new)

    def _add_sources(self, name: str, old: Array, new: Array) -> None:
        roots = {id(array) for array in (*old.roots(), *new.roots())}
        known = self.rebound.get(name, [])
        roots -= {id(array) for array in known}
        added = [array for array in self.outside if id(array) in roots]
        if added:
            self.found[name] = [*known, *added]

    def _carry_out(self) -> None:
        """Those of the candidates that the body has changed and somebody reads."""
        fb, node = self.fb, self.node
        for carried in self.candidates:
            if carried.array is not None:
                changed = carried.array.ir is not carried.argument
                carried.final = Value(carried.array.ir, carried.type) if changed else None
            elif carried.proxy is not None:
                carried.final = self._final_array(carried)
            else:
                final = fb.env.get(carried.name)
                if final is None and carried.type is session.TASK:
                    final = tasks.invalid(fb, node)
                carried.final = None if final is carried.value else final
        finals = [carried.final for carried in self.candidates]
        aliased = {id(final.ir) for final in finals if isinstance(final, Value)}
        for carried in self.candidates:
            if carried.final is None:
                continue
            if carried.array is None and carried.proxy is None:
                read = id(carried.argument) in aliased or next(iter(carried.argument.uses), None)
                if (not read and not fb.names.is_read_after(carried.name, node)) or isinstance(
                    carried.final, Unbound
                ):
                    carried.final = None
                    continue
                carried.final = _same_type(fb, node, carried)
            self.carried.append(carried)

    def _final_array(self, carried: _Carried) -> Value | None:
        final = self.fb.env.get(carried.name)
        if isinstance(final, Unbound):
            return None
        carried.final = final
        if not isinstance(final, Array) or final.type is not carried.type:
            raise _changed_type(self.fb, self.node, carried)
        return Value(final.ir, carried.type)

    def _refuse_others(self) -> None:
        """A loop carries values of the program. What only the compiler knows, such as
        a dtype, is the same in every iteration."""
        fb, node = self.fb, self.node
        carried = {candidate.name for candidate in self.candidates if candidate.array is None}
        for name in fb.names.bound_in(node):
            old, new = self.before.get(name, MISSING), fb.env.get(name, MISSING)
            if old is MISSING or isinstance(old, Unbound) or name in carried:
                continue
            if name in self.stale or name in self.wrong:
                continue
            if new is old or isinstance(new, Unbound) or name == node.target.id:
                continue
            if not isinstance(new, (Value, Array)) and type(new) is type(old) and new == old:
                continue
            raise self._refused(name, old, new)

    def _refused(self, name: str, old, new):
        place = self.fb.names.binding(name, self.node)
        if isinstance(old, Array) and isinstance(new, Array):
            return self.fb.error(
                place,
                f"'{name}' names '{old.name}' before the loop and '{new.name}' after an iteration: "
                "array ping-pong in a kernel is not supported yet; write two steps in each "
                "iteration, one into each array, and leave the names as they are",
                UnsupportedFeatureError,
            )
        hint = ""
        if isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)):
            hint = "; tasks of several iterations are kept in pl.array.create(n, pl.TASK_ID)"
        if isinstance(old, Cells) and isinstance(new, Cells):
            return self.fb.error(
                place,
                f"'{name}' names '{old.name}' before the loop and '{new.name}' after an iteration; "
                "a loop carries what a pl.array holds, and its name means the same one in all "
                "iterations: copy element by element",
                UnsupportedFeatureError,
            )
        return self.fb.error(
            place,
            f"a loop carries tiles, computed arrays, scalars and task ids, and this rebinds "
            f"'{name}' from {describe(old)} to {describe(new)}{hint}",
            ParserTypeError,
        )


def _normalise(fb: FunctionBuilder, node: ast.For, path: str, bounds: list):
    """(first, end, step) for an operation that only counts up, and a function
    that makes the author's variable of its counter."""
    if not 1 <= len(bounds) <= 3:
        raise fb.error(
            node.iter, f"{path} takes one to three bounds, found {len(bounds)}", ParserTypeError
        )
    start, stop, step = {1: (0, *bounds, 1), 2: (*bounds, 1), 3: tuple(bounds)}[len(bounds)]
    from_zero, upward = (
        scalars.is_scalar(bound) and scalars.nonnegative(bound) for bound in (start, step)
    )
    start, stop, step = (
        scalars.index(fb, bound, node.iter, f"a bound of {path}") for bound in (start, stop, step)
    )
    if step == 0:
        raise fb.error(node.iter, f"the step of {path} is not zero")
    name = node.target.id

    def plain(fb: FunctionBuilder, counter) -> Value:
        return _wrap(counter, from_zero)

    if isinstance(step, int) and step > 0:
        return [_materialise(fb, bound, node) for bound in (start, stop, step)], plain

    def scaled(fb: FunctionBuilder, counter) -> Value:
        counted = scalars.binary(
            fb, "*", _wrap(counter, True), _wrap(step, upward), node.target, None
        )
        return scalars.binary(fb, "+", _wrap(start, from_zero), counted, node.target, name)

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


def _run_body(fb: FunctionBuilder, node: ast.For) -> None:
    from .statements import run

    fb.depth += 1
    try:
        run(fb, node.body)
    finally:
        fb.depth -= 1


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


def _yield(fb: FunctionBuilder, node: ast.AST, carried) -> None:
    fb.emit("scf.yield", [], [item.final.ir for item in carried], None, node)


def _take_back(candidates, carried, block: ir.Block) -> None:
    kept = {id(item) for item in carried}
    for index in range(len(candidates) - 1, -1, -1):
        candidate = candidates[index]
        if id(candidate) not in kept:
            candidate.argument.replace_all_uses_with(candidate.init.ir)
            block.erase_argument(index + 1)


def _close_loop(fb, node: ast.For, bounds, carried, block: ir.Block, kind: str) -> None:
    name = carried[0].name if len(carried) == 1 and carried[0].name else None
    attributes = {"pto.names": session.strings([node.target.id, *(item.name for item in carried)])}
    if kind == "parallel":
        attributes["pto.parallel"] = session.attribute("unit")
    made = ir.Operation.create(
        "scf.for",
        [item.type.ir for item in carried],
        [*bounds, *(item.init.ir for item in carried)],
        attributes,
        regions=1,
        loc=fb.location(node, name),
        ip=fb.ip,
    )
    block.append_to(made.regions[0])
    for item, result in zip(carried, made.results, strict=False):
        if item.array is not None:
            item.array.ir = result
        elif item.proxy is not None:
            fb.env[item.name] = chosen(result, item.type, item.name, item.proxy.sources)
            fb.track(fb.env[item.name])
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
