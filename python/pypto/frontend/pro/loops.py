# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Loops: `for i in pl.range(...)` and `while`.

What a loop carries is found by reading its body: what is another scalar behind it than in
front of it. The body is read again until nothing new is found; what the names that it binds
hold is tried first, so that once is the rule.
"""

from __future__ import annotations

import ast
import dataclasses

from ...diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ...language.dtypes import BOOL, INDEX, DataType
from ...mlir import ir
from .. import ranges, scalars, session
from ..builder import Failure
from ..ranges import Range
from ..source import MISSING
from ..values import Unbound, Value
from . import merge
from .builder import ProBuilder
from .control import RETURN, either, negation, stop_if, truth
from .liveness import stored
from .values import Cell, KeyField, describe

# Each reading finds something new to carry, or is the last; programs take a few.
MOST_READINGS = 64


@dataclasses.dataclass
class Loop:
    """A loop around the statement that is being read. `live`: the names that may be read in
    its next iteration or behind it."""

    live: set[str]
    broken: Cell
    continued: Cell


@dataclasses.dataclass
class Plan:
    """What a loop carries: for each name the types of its scalars, and the cells. `dropped`:
    names that turned out not to change."""

    names: dict[str, list[DataType]] = dataclasses.field(default_factory=dict)
    cells: dict[Cell, DataType] = dataclasses.field(default_factory=dict)
    dropped: set[str] = dataclasses.field(default_factory=set)

    def types(self) -> list[DataType]:
        return [dtype for found in self.names.values() for dtype in found] + [*self.cells.values()]


class Reader:
    """One loop while it is read."""

    def __init__(self, fb: ProBuilder, node: ast.For | ast.While):
        self.fb, self.node, self.side = fb, node, fb.side
        self.live = fb.liveness.head[node]
        self.broken = Cell("left", False)
        if not self.side.loop_depth:
            self.side.stable = Cell.last
        self.serial = Cell.last
        self.env, self.cells, self.place = fb.env, self.side.cells, self.side.ip
        self.plan = self._first_plan()

    # What is carried.

    def _first_plan(self) -> Plan:
        known = self.fb.module.plans.get((self.fb.chain, self.node))
        if known is not None:
            cells = {c: t for c, t in known.cells.items() if c.serial <= self.side.stable}
            names = {n: t for n, t in known.names.items() if n in self.env}
            return Plan(names, cells, known.dropped)
        plan = Plan()
        target = self.node.target if isinstance(self.node, ast.For) else None
        for name in stored(self.node.body):
            value = self.env.get(name, MISSING)
            if name not in self.live or value is MISSING or isinstance(value, Unbound):
                continue
            if target is not None and name == target.id:
                continue
            _, leaves = merge.take_apart(value)
            if leaves:
                plan.names[name] = [merge.leaf_dtype(leaf) for leaf in leaves]
        return plan

    def initial(self, name_or_cell) -> list:
        if isinstance(name_or_cell, Cell):
            return [self.cells.get(name_or_cell, name_or_cell.initial)]
        value = self.env[name_or_cell]
        return merge.take_apart(value)[1]

    def inits(self) -> list[ir.Value]:
        """The MLIR values that the loop begins with."""
        fb, found = self.fb, []
        for key, dtypes in (*self.plan.names.items(), *self.plan.cells.items()):
            dtypes = [dtypes] if isinstance(key, Cell) else dtypes
            for leaf, dtype in zip(self.initial(key), dtypes, strict=True):
                found.append(fb.number(leaf, dtype, self.node))
        return found

    def locations(self) -> list[ir.Location]:
        """Named after what is carried, one for each scalar."""
        found = []
        for name, dtypes in self.plan.names.items():
            place = self.fb.names.binding(name, self.node) if name != RETURN else self.node
            found += [self.fb.location(place, name)] * len(dtypes)
        return found + [self.fb.location(self.node, cell.name) for cell in self.plan.cells]

    def carried_names(self) -> list[str]:
        names = [name for name, dtypes in self.plan.names.items() for _ in dtypes]
        return names + [cell.name for cell in self.plan.cells]

    def bind(self, values: list[ir.Value]) -> None:
        """Sets names and cells to what the loop carries."""
        fb, plan = self.fb, self.plan
        pending = iter(
            [
                Value(value, session.scalar_type(dtype))
                for value, dtype in zip(values, plan.types(), strict=True)
            ]
        )
        for name in plan.names:
            fb.env[name] = merge.put_together(fb, self.env[name], pending, self.node)
        for cell in plan.cells:
            self.side.cells[cell] = next(pending)
        # What the names hold in front of the body.
        self.begin = {name: fb.env[name] for name in plan.names}

    def finals(self) -> list:
        """The scalars that names and cells hold now, in the order of the plan."""
        found = []
        for name in self.plan.names:
            value = self.fb.env[name]
            if isinstance(value, Unbound):
                value = self.begin[name]
            found += merge.take_apart(value)[1]
        return found + [self.fb.read(cell) for cell in self.plan.cells]

    def yielded(self) -> list[ir.Value]:
        types = self.plan.types()
        return [
            self.fb.number(leaf, dtype, self.node)
            for leaf, dtype in zip(self.finals(), types, strict=True)
        ]

    # Attempts.

    def read(self, attempt):
        """Calls `attempt()`, which reads the loop, until it finds nothing new to carry."""
        fb, side = self.fb, self.side
        reported = len(fb.module.diagnostics)
        side.loop_depth += 1
        try:
            for _ in range(MOST_READINGS):
                fb.env, side.cells = dict(self.env), dict(self.cells)
                loop = Loop(self.live, self.broken, Cell("skipped", False))
                fb.loops.append(loop)
                try:
                    made = attempt()
                finally:
                    fb.loops.pop()
                    side.ip = self.place
                if not self._learn():
                    break
                del fb.module.diagnostics[reported:]
            else:
                raise fb.error(
                    self.node,
                    "what this loop carries changes with every reading; give what it binds a value "
                    "of one type before it",
                )
        except BaseException:
            # What names and cells hold now are values of a block that goes.
            fb.env, side.cells = self.env, self.cells
            raise
        finally:
            side.loop_depth -= 1
        fb.module.plans[(fb.chain, self.node)] = self.plan
        return made

    def _learn(self) -> bool:
        """Compares what names and cells held in front of the body and behind it. Whether the
        plan has changed."""
        changed = False
        for name, value in list(self.fb.env.items()):
            changed |= self._learn_name(name, value)
        for cell in list(self.side.cells):
            if cell.serial <= self.serial and not cell.name == "skipped":
                changed |= self._learn_cell(cell)
        return changed

    def _learn_name(self, name: str, after) -> bool:
        before = self.env.get(name, MISSING)
        if name == RETURN and before is MISSING:
            _, leaves = merge.take_apart(after)
            zeros = iter([_zero_like(leaf) for leaf in leaves])
            self.env[name] = merge.put_together(self.fb, after, zeros, self.node)
            if not leaves:
                return False
            self.plan.names[name] = [merge.leaf_dtype(leaf) for leaf in leaves]
            return True
        if before is MISSING or isinstance(before, Unbound):
            return False
        if name in self.plan.names:
            return self._check_carried(name, before, after)
        if merge.unchanged(before, after):
            return False
        if name != RETURN and name not in self.live:
            return False
        if isinstance(after, Unbound):
            return False
        forms, leaves = zip(merge.take_apart(before), merge.take_apart(after), strict=True)
        if forms[0] != forms[1]:
            raise self._different(name, before, after)
        self.plan.names[name] = self._joined(name, before, after, leaves)
        return True

    def _check_carried(self, name: str, before, after) -> bool:
        plan = self.plan
        if isinstance(after, Unbound):
            if after.reason is not None:
                raise self.fb.unbound(self.fb.names.binding(name, self.node), after)
            # An error of the body has been reported: the loop is read no further for it.
            return False
        forms, leaves = zip(merge.take_apart(before), merge.take_apart(after), strict=True)
        if forms[0] != forms[1]:
            raise self._different(name, before, after)
        if name not in plan.dropped and name != RETURN and self._is_same(name, *leaves):
            plan.dropped.add(name)
            del plan.names[name]
            return True
        joined = self._joined(name, before, after, leaves)
        if joined != plan.names[name]:
            plan.names[name] = joined
            return True
        return False

    def _is_same(self, name: str, before: list, after: list) -> bool:
        """Whether the body leaves a carried name alone."""
        held = merge.take_apart(self.begin[name])[1]
        return all(
            merge.same(now, then) or merge.same(now, first)
            for now, then, first in zip(after, held, before, strict=True)
        )

    def _joined(self, name: str, before, after, leaves) -> list[DataType]:
        place = self.fb.names.binding(name, self.node) if name != RETURN else self.node
        try:
            return [
                merge.join_dtype(self.fb, one, other, place)
                for one, other in zip(*leaves, strict=True)
            ]
        except Failure:
            raise self._different(name, before, after) from None

    def _different(self, name: str, before, after) -> Failure:
        when = ("before the loop", "after an iteration")
        message = merge.different(name, before, after, when)
        place = self.fb.names.binding(name, self.node) if name != RETURN else self.node
        return self.fb.error(place, message, ParserTypeError)

    def _learn_cell(self, cell: Cell) -> bool:
        before = self.cells.get(cell, cell.initial)
        after = self.fb.read(cell)
        if cell in self.plan.cells or not merge.same(before, after):
            dtype = merge.join_dtype(self.fb, before, after, self.node)
            if self.plan.cells.get(cell) is not dtype:
                self.plan.cells[cell] = dtype
                return True
        return False

    # Behind the loop.

    def finish(self, results: list[ir.Value]) -> None:
        """Names and cells behind the loop."""
        fb, after = self.fb, self.fb.env
        fb.env, self.side.cells = dict(self.env), dict(self.cells)
        self.bind(results)
        self.side.cells.pop(self.broken, None)
        for name, value in after.items():
            if name in self.plan.names or name == RETURN:
                continue
            before = self.env.get(name, MISSING)
            if before is MISSING or not merge.unchanged(before, value):
                fb.env[name] = self._lost(name, value)

    def _lost(self, name: str, value) -> Unbound:
        if isinstance(value, Unbound) and value.reason is None:
            return value
        kind = Unbound if name in self.live else merge.Dead
        return kind(
            f"'{name}' is bound in a loop that may not run; bind it before the loop too",
            self.fb.names.binding(name, self.node),
            f"'{name}' is bound here",
        )

    @property
    def exits(self) -> list[Cell]:
        """The flags that end the loop early."""
        return [c for c in (self.broken, self.fb.returned_cell) if c in self.plan.cells]

    def flag(self, values: list[ir.Value], cell: Cell) -> Value:
        """A carried flag among the carried values."""
        place = len(self.plan.types()) - len(self.plan.cells) + list(self.plan.cells).index(cell)
        return Value(values[place], session.scalar_type(BOOL))

    def begin_body(self, values: list[ir.Value]) -> None:
        """The state in which the body is read: nothing has left the loop yet."""
        self.bind(values)
        for cell in self.exits:
            self.side.cells[cell] = False


def _zero_like(leaf):
    if not isinstance(leaf, Value):
        return leaf
    if leaf.type.dtype is BOOL:
        return False
    return 0.0 if leaf.type.dtype.is_float else 0


# for


def for_(fb: ProBuilder, node: ast.For) -> None:
    from .statements import run

    if node.orelse:
        raise fb.error(
            node.orelse[0], "a kernel cannot contain else behind a for", UnsupportedFeatureError
        )
    if not isinstance(node.target, ast.Name):
        raise fb.error(
            node.target,
            f"the variable of a loop is a name, found '{ast.unparse(node.target)}'",
            UnsupportedFeatureError,
        )
    counted = _range(fb, node)
    reader = Reader(fb, node)

    def attempt() -> ir.Block:
        types = [session.scalar_type(dtype).ir for dtype in (INDEX, *reader.plan.types())]
        places = [fb.location(node.target, node.target.id), *reader.locations()]
        block = fb.detached_block(types, places)
        fb.side.ip = ir.InsertionPoint(block)
        arguments = list(block.arguments)
        reader.begin_body(arguments[1:])
        fb.bind_name(node.target, counted.variable(fb, arguments[0], node.target))
        run(fb, node.body)
        return block

    block = reader.read(attempt)
    if reader.exits:
        results = _as_while(fb, node, reader, counted, block)
    else:
        results = _as_for(fb, node, reader, counted, block)
    reader.finish(results)
    name = node.target.id
    fb.env[name] = Unbound(
        f"'{name}' is the variable of a loop and has no value behind it; keep it in a name that is "
        "bound before the loop",
        node.target,
        f"'{name}' is bound here",
    )


def _range(fb: ProBuilder, node: ast.For) -> Range:
    from ...language.operation import Face
    from .expressions import evaluate

    call = node.iter
    function = evaluate(fb, call.func) if isinstance(call, ast.Call) else None
    if not isinstance(function, Face) or function.operation.name != "range":
        raise fb.error(
            call,
            f"a loop is `for i in pl.range(...):`, found '{ast.unparse(call)}'",
            UnsupportedFeatureError,
        )
    if call.keywords:
        raise fb.error(
            call.keywords[0].value,
            "pl.range() does not support keyword arguments",
            ParserTypeError,
        )
    if not 1 <= len(call.args) <= 3:
        raise fb.error(
            call, f"pl.range takes 1 to 3 arguments, found {len(call.args)}", ParserTypeError
        )
    values = [_bound(fb, argument) for argument in call.args]
    if len(values) == 1:
        values.insert(0, 0)
    start, stop, step = values if len(values) == 3 else (*values, 1)
    if step == 0:
        raise fb.error(call.args[2], "the step of pl.range is zero")
    return ranges.counted(
        fb, call, start, stop, step, lambda zero, reason: stop_if(fb, zero, reason, call)
    )


def _bound(fb: ProBuilder, argument: ast.expr):
    from .expressions import evaluate

    value = fb.scalar_of(evaluate(fb, argument), argument)
    found = scalars.index(fb, value, argument, "what pl.range takes")
    if isinstance(found, int):
        return found
    return Value(found, session.scalar_type(INDEX), value.nonnegative)


def _as_for(fb: ProBuilder, node: ast.For, reader: Reader, counted: Range, block: ir.Block):
    place = ir.InsertionPoint(block)
    fb.side.ip, before = place, fb.side.ip
    found = reader.yielded()
    ir.Operation.create("scf.yield", [], found, loc=fb.location(node), ip=place)
    fb.side.ip = before
    operands = [counted.begin, counted.end, counted.step, *reader.inits()]
    names = session.strings([node.target.id, *reader.carried_names()])
    operation = ir.Operation.create(
        "scf.for",
        [session.scalar_type(dtype).ir for dtype in reader.plan.types()],
        operands,
        {"pto.names": names},
        regions=1,
        loc=fb.location(node),
        ip=fb.side.ip,
    )
    block.append_to(operation.regions[0])
    return list(operation.results)


def _as_while(fb: ProBuilder, node: ast.For, reader: Reader, counted: Range, block: ir.Block):
    """A loop that may end early."""
    before = fb.side.ip
    fb.side.ip = ir.InsertionPoint(block)
    counter = block.arguments[0]
    kind = session.scalar_type(INDEX)
    further = fb.value("arith.addi", kind, [counter, counted.step], None, node)
    found = [further.ir, *reader.yielded()]
    ir.Operation.create("scf.yield", [], found, loc=fb.location(node), ip=fb.side.ip)

    types = [argument.type for argument in block.arguments]
    head = fb.detached_block(types, [argument.location for argument in block.arguments])
    fb.side.ip = ir.InsertionPoint(head)
    arguments = list(head.arguments)
    end = Value(counted.end, kind)
    going = scalars.compare(fb, "<", Value(arguments[0], kind), end, node, None)
    for cell in reader.exits:
        going = scalars.logic(
            fb, "and", going, negation(fb, reader.flag(arguments[1:], cell), node), node, None
        )
    condition = [going.ir, *arguments]
    ir.Operation.create("scf.condition", [], condition, loc=fb.location(node), ip=fb.side.ip)
    fb.side.ip = before
    inits = [counted.begin, *reader.inits()]
    return _while(fb, node, types, inits, head, block)[1:]


def _while(fb: ProBuilder, node, types: list, inits: list, head: ir.Block, body: ir.Block) -> list:
    operation = ir.Operation.create(
        "scf.while", types, inits, regions=2, loc=fb.location(node), ip=fb.side.ip
    )
    head.append_to(operation.regions[0])
    body.append_to(operation.regions[1])
    return list(operation.results)


# while


def while_(fb: ProBuilder, node: ast.While) -> None:
    from .expressions import evaluate
    from .statements import run

    if node.orelse:
        raise fb.error(
            node.orelse[0], "a kernel cannot contain else behind a while", UnsupportedFeatureError
        )
    reader = Reader(fb, node)
    tested: list = []

    def attempt():
        types = [session.scalar_type(dtype).ir for dtype in reader.plan.types()]
        head = fb.detached_block(types, reader.locations())
        fb.side.ip = ir.InsertionPoint(head)
        arguments = list(head.arguments)
        reader.bind(arguments)
        going = True
        for cell in reader.exits:
            left = negation(fb, reader.flag(arguments, cell), node)
            going = scalars.logic(fb, "and", going, left, node, None)

        def test():
            return truth(fb, evaluate(fb, node.test), node.test)

        going = either(fb, going, test, lambda: False, node.test)
        tested[:] = [going]
        if going is False:
            return None
        place = fb.side.ip
        passed = [fb.number(going, BOOL, node), *reader.yielded()]
        ir.Operation.create("scf.condition", [], passed, loc=fb.location(node), ip=place)
        body = fb.detached_block(types, reader.locations())
        fb.side.ip = ir.InsertionPoint(body)
        reader.begin_body(list(body.arguments))
        run(fb, node.body)
        return head, body, types

    made = reader.read(attempt)
    if made is None:
        fb.env, fb.side.cells = reader.env, reader.cells
        return
    if tested[0] is True:
        raise fb.error(
            node, "this loop never ends: nothing in it leaves it, and its condition holds"
        )
    head, body, types = made
    fb.side.ip, before = ir.InsertionPoint(body), fb.side.ip
    ir.Operation.create("scf.yield", [], reader.yielded(), loc=fb.location(node), ip=fb.side.ip)
    fb.side.ip = before
    reader.finish(_while(fb, node, types, reader.inits(), head, body))


__all__ = ["KeyField", "describe", "for_", "while_"]
