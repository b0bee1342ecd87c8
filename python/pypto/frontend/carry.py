# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What a loop carries.

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
from ..mlir import ir
from . import scalars, session, tasks
from .builder import FunctionBuilder, exposed, loads, number_dtype
from .control import meet_spaces
from .source import MISSING
from .values import Array, Cells, Unbound, Value, chosen, describe


class Carried:
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


def read(fb: FunctionBuilder, node: ast.For | ast.While, variable=None, last=None) -> Loop:
    """The body, read as often as it takes to know which names it makes mean others.
    `variable(fb, counter)`: what the author's variable is; `last(fb)`: what else is computed
    behind the body."""
    rebound: dict[str, list] = {}
    before = fb.module.repeated
    if getattr(node, "exit", None) is not None:
        fb.env[node.exit] = False
    try:
        while True:
            reported = len(fb.module.diagnostics)
            loop = Loop(fb, node, rebound)
            loop.read(variable, last, reported)
            if not loop.found:
                loop.take_back()
                return loop
            rebound |= loop.found
            fb.module.repeated += 1
    finally:
        fb.module.repeated = before


class Loop:
    """One reading of the body. `rebound`: the names that turned out to mean other arrays
    or tasks after an iteration, with the arrays that they may mean."""

    def __init__(self, fb: FunctionBuilder, node: ast.For | ast.While, rebound: dict[str, list]):
        self.fb, self.node, self.rebound = fb, node, rebound
        self.target = node.target.id if isinstance(node, ast.For) else None
        self.place = node.iter if isinstance(node, ast.For) else node.test
        # The flag that ends it early, if something does.
        self.exit = getattr(node, "exit", None)
        self.tested = loads(node.test) if isinstance(node, ast.While) else set()
        # What the author's init_values= and pl.yield_ carry, read or not.
        self.handed = getattr(node, "handed", ())
        self.before = fb.env
        self.outside = list(fb.arrays)
        self.candidates = self._candidates()
        self.block = self._open_block()
        self.carried: list[Carried] = []
        self.found: dict[str, list] = {}
        # Names whose value nobody reads after an iteration, and where they are bound.
        self.stale: dict[str, ast.AST] = {}
        # Names that have no value any more, by an error that was reported.
        self.wrong: list[str] = []
        self.env: dict = {}

    def _candidates(self) -> list[Carried]:
        fb, node = self.fb, self.node
        found = []
        for name in fb.names.bound_in(node):
            value = fb.env.get(name)
            if name in self.rebound:
                found.append(self._rebound_candidate(name, value))
            elif isinstance(value, Value):
                found.append(Carried(name, value))
            elif isinstance(value, (bool, int, float)):
                dtype = number_dtype(value)
                made = Value(fb.constant(value, dtype, self.place), session.scalar_type(dtype))
                found.append(Carried(name, made))
        seen = set()
        for name in fb.names.used_in(node):
            value = fb.env.get(name)
            for array in value if isinstance(value, (tuple, list)) else (value,):
                known = isinstance(array, (Array, Cells)) and name not in self.rebound
                if known and id(array) not in seen:
                    seen.add(id(array))
                    found.append(Carried(array.name, Value(array.ir, array.type), array))
        return found

    def _rebound_candidate(self, name: str, value) -> Carried:
        if self.rebound[name] is None:
            return Carried(name, Value(value.ir, value.type))
        if value is None:
            first = self.rebound[name] or [tasks.invalid(self.fb, self.place)]
            self.rebound[name] = first
            return Carried(name, first[0])
        proxy = chosen(None, value.type, name, self.rebound[name])
        return Carried(name, Value(value.ir, value.type), proxy=proxy)

    def _open_block(self) -> ir.Block:
        fb, node = self.fb, self.node
        types = [carried.type.ir for carried in self.candidates]
        # Text has no place for their locations; their names are an attribute of the loop.
        locations = [fb.location(node)] * len(types)
        if self.target is not None:
            types, locations = (
                [session.INDEX_TYPE, *types],
                [fb.location(node.target), *locations],
            )
        return fb.detached_block(types, locations)

    @property
    def counters(self) -> int:
        """How many arguments stand in front of what is carried."""
        return int(self.target is not None)

    def read(self, variable, last, reported: int) -> None:
        fb, node = self.fb, self.node
        outer = fb.ip
        contents = [(array, array.ir) for array in fb.arrays]
        try:
            self._enter()
            if variable is not None:
                fb.env[self.target] = variable(fb, self.block.arguments[0])
            run_body(fb, node)
            self._find_rebound()
            if len(fb.module.diagnostics) > reported:
                # What a wrong body makes of its names is no error of theirs.
                self.wrong, self.found = list(self.found), {}
            if not self.found:
                self._carry_out()
                self._refuse_others()
                self.last = last(fb) if last is not None else None
        finally:
            self.env, fb.ip, fb.env = fb.env, outer, self.before
            for array, content in contents:
                array.ir = content
            del fb.arrays[len(contents) :]

    def _enter(self) -> None:
        fb = self.fb
        fb.env = dict(fb.env)
        arguments = list(self.block.arguments)[self.counters :]
        for carried, argument in zip(self.candidates, arguments, strict=True):
            carried.argument = argument
            if carried.array is not None:
                carried.array.ir = argument
            elif carried.proxy is not None:
                carried.proxy.ir = argument
                fb.env[carried.name] = carried.proxy
                fb.arrays.append(carried.proxy)
            else:
                carried.value = fb.env[carried.name] = Value(argument, carried.type)
        for flag in (self.exit, getattr(self.node, "skip", None)):
            if flag is not None:
                fb.env[flag] = False  # an iteration that begins has left nothing
        fb.ip = ir.InsertionPoint(self.block)

    def _find_rebound(self) -> None:
        """Names that mean another array, or a task where there was none."""
        fb, node = self.fb, self.node
        inside = exposed(node.body)[0] | self.tested

        def is_read(name: str) -> bool:
            return name in inside or fb.is_read_after(name, node)

        proxies = {carried.name: carried.proxy for carried in self.candidates if carried.proxy}
        for name in fb.names.bound_in(node):
            old, new = self.before.get(name, MISSING), fb.env.get(name, MISSING)
            if name == self.target:
                continue
            if old is None and isinstance(new, Value) and new.type is session.TASK:
                if not is_read(name):
                    self.stale[name] = fb.names.binding(name, node)
                elif name not in self.rebound:
                    self.found[name] = []
            elif isinstance(old, Array) and _is_computed(new) and fb.plane != "control":
                # From an array on to what is computed of it: its elements are carried.
                if not is_read(name):
                    self.stale[name] = fb.names.binding(name, node)
                elif name not in self.rebound and new.type.same_value(old.type):
                    self.found[name] = None
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
                unchanged = final is carried.value or (carried.name == self.exit and final is False)
                carried.final = None if unchanged else final
        finals = [carried.final for carried in self.candidates]
        aliased = {id(final.ir) for final in finals if isinstance(final, Value)}
        for carried in self.candidates:
            if carried.final is None:
                continue
            if carried.array is None and carried.proxy is None:
                read = id(carried.argument) in aliased or next(iter(carried.argument.uses), None)
                read = read or carried.name in self.tested or carried.name in self.handed
                if (not read and not fb.is_read_after(carried.name, node)) or isinstance(
                    carried.final, Unbound
                ):
                    carried.final = None
                    continue
                carried.final = _same_type(fb, node, carried)
            self.carried.append(carried)

    def take_back(self) -> None:
        kept = {id(item) for item in self.carried}
        for index in range(len(self.candidates) - 1, -1, -1):
            candidate = self.candidates[index]
            if id(candidate) not in kept:
                candidate.argument.replace_all_uses_with(candidate.init.ir)
                self.block.erase_argument(index + self.counters)

    def _final_array(self, carried: Carried) -> Value | None:
        final = self.fb.env.get(carried.name)
        if isinstance(final, Unbound):
            return None
        carried.final = final
        if not isinstance(final, Array) or final.type is not carried.type:
            raise _changed_type(self.fb, self.node, carried)
        return Value(final.ir, carried.type)

    def finish(self, results: list) -> None:
        """What the names mean behind the loop, whose results are given."""
        fb, node = self.fb, self.node
        for item, result in zip(self.carried, results, strict=True):
            if item.array is not None:
                item.array.ir = result
            elif item.proxy is not None:
                fb.env[item.name] = chosen(result, item.type, item.name, item.proxy.sources)
                fb.track(fb.env[item.name])
            else:
                fb.env[item.name] = Value(result, item.type)
        for name, place in self.stale.items():
            note = f"'{name}' is bound here"
            fb.env[name] = Unbound(f"'{name}' has no value here", place, note)
        _forget(fb, node, self.env, "loop", self.target)
        for name in self.wrong:
            fb.env[name] = Unbound(None)
        fb.env.pop(self.exit, None)

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
            if new is old or isinstance(new, Unbound) or name == self.target:
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


def run_body(fb: FunctionBuilder, node: ast.For | ast.While) -> None:
    from .statements import run

    fb.depth += 1
    try:
        run(fb, node.body)
    finally:
        fb.depth -= 1


def _is_computed(value) -> bool:
    return isinstance(value, Value) and value.type.kind == "array"


def _same_type(fb: FunctionBuilder, node: ast.stmt, carried: Carried) -> Value:
    final = carried.final
    if isinstance(final, Array) and fb.plane != "control":
        final = carried.final = Value(final.ir, final.type)
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


def _changed_type(fb: FunctionBuilder, node: ast.stmt, carried: Carried):
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


def _forget(fb: FunctionBuilder, node: ast.stmt, inner: dict, where: str, target) -> None:
    """Names that only the body binds have no value after it."""
    for name in fb.names.bound_in(node):
        if name in fb.env and not isinstance(fb.env[name], Unbound):
            continue
        if name not in inner:
            continue
        if isinstance(inner[name], Unbound) and inner[name].reason is None:
            fb.env[name] = Unbound(None)
            continue
        if name == target:
            reason, note = f"the loop variable '{name}' has no value after its loop", "the loop"
        else:
            reason = (
                f"'{name}' is bound inside the {where} only, so no value of it leaves the {where}; "
                "bind it before, and rebind it in each iteration (acc = pl.add(acc, ...))"
            )
            note = f"'{name}' is bound here"
        fb.env[name] = Unbound(reason, fb.names.binding(name, node), note)
