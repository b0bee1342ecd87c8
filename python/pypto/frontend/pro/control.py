# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Branches: `if`, `a if c else b`, and whatever else the run decides."""

from __future__ import annotations

import ast

from ...diagnostics.errors import ParserTypeError
from ...language.dtypes import BOOL
from ...mlir import ir
from .. import scalars, session
from ..builder import Failure
from ..exits import EXITS, leaves
from ..source import MISSING
from ..values import Unbound, Value
from . import merge
from .builder import ProBuilder, Structural, same
from .values import Cell, Chosen, describe

# What a helper returns stands among its names as this, which no name is.
RETURN = "return"


def truth(fb: ProBuilder, value, node: ast.AST):
    """A condition: a Python bool, or a BOOL scalar."""
    value = fb.scalar_of(value, node)
    if value is None or isinstance(value, (str, tuple, list)):
        return bool(value)
    if not scalars.is_scalar(value):
        raise fb.error(node, f"a condition is a scalar, found {describe(value)}", ParserTypeError)
    return scalars.truth(fb, value, node)


def negation(fb: ProBuilder, condition, node: ast.AST):
    return scalars.unary(fb, ast.Not, condition, node, None)


class _Arm:
    """One side of a branch, after it was read."""

    def __init__(self, fb: ProBuilder, work, fields: frozenset[str]):
        side = fb.side
        place, env, cells = side.ip, fb.env, side.cells
        self.block = fb.detached_block([], [])
        side.ip = ir.InsertionPoint(self.block)
        fb.env, side.cells = dict(env), dict(cells)
        conditions = side.key_conditions
        if fields:
            side.key_conditions = [*conditions, fields]
        try:
            self.result = work()
            self.env, self.cells = fb.env, side.cells
        except Failure:
            if fields:
                raise Structural(fields) from None
            raise
        finally:
            fb.env, side.cells, side.ip = env, cells, place
            side.key_conditions = conditions


class _Meeting:
    """The results of an `scf.if` while they are collected."""

    def __init__(self, fb: ProBuilder, condition: Value, arms, fields, node: ast.AST):
        self.fb, self.condition, self.arms, self.node = fb, condition, arms, node
        self.fields = fields
        # A flag that is set in the second arm.
        self.known: Value | None = None
        # (value of either arm, the value that it becomes, its name)
        self.pairs: list[tuple] = []

    def scalar(self, one, other, name: str, node: ast.AST):
        """What a scalar is behind the branch."""
        if same(one, other):
            return one
        if self.known is not None and same(other, self.known) and type(one) is bool:
            return True if one else self.known
        if (one, other) == (True, False) and type(one) is type(other) is bool:
            return self.condition
        if (one, other) == (False, True) and type(one) is type(other) is bool:
            return negation(self.fb, self.condition, self.node)
        for pair, made, _ in self.pairs:
            if same(pair[0], one) and same(pair[1], other):
                return made
        dtype = merge.join_dtype(self.fb, one, other, node)
        made = Value(None, session.scalar_type(dtype))
        known = (leaf for leaf in (one, other) if not isinstance(leaf, merge.KeyField))
        made.nonnegative = all(scalars.nonnegative(leaf) for leaf in known)
        self.pairs.append(((one, other), made, name))
        return made

    def value(self, one, other, name: str, node: ast.AST):
        """What a name holds behind the branch; `node`: where it is bound."""
        if one is other:
            return one
        forms, parts = zip(merge.take_apart(one), merge.take_apart(other), strict=True)
        if forms[0] == forms[1]:
            try:
                made = [self.scalar(a, b, name, node) for a, b in zip(*parts, strict=True)]
            except Failure:
                return self._different(one, other, name, node)
            return merge.put_together(self.fb, one, iter(made), node)
        if merge.may_be_chosen(one) and merge.may_be_chosen(other):
            return self._choice(one, other, name, node)
        return self._different(one, other, name, node)

    def _different(self, one, other, name: str, node: ast.AST):
        if self.fields:
            raise Structural(self.fields)
        when = ("after one branch", "after the other")
        message = merge.different(name, one, other, when)
        self.fb.report(self.fb.error(node, message, ParserTypeError))
        return Unbound(None)

    def _choice(self, one, other, name: str, node: ast.AST):
        if self.fields:
            raise Structural(self.fields)
        for value, arm in zip((one, other), self.arms, strict=True):
            made = getattr(value, "ir", None)
            if made is not None and _is_within(made, arm.block):
                return Unbound(
                    f"'{name}' is {describe(value)} that is made in a branch; make it before the "
                    "if, and choose in the branch",
                    node,
                    f"'{name}' is bound here",
                )
        return Chosen(self.condition, self._outside(one, 0), self._outside(other, 1))

    def _outside(self, value, which: int):
        """A value of one arm with its scalars as results of the branch."""
        _, parts = merge.take_apart(value)
        made = []
        for leaf in parts:
            pair = (leaf, 0) if which == 0 else (0, leaf)
            made.append(leaf if isinstance(leaf, int) else self.scalar(*pair, "slot", self.node))
        return merge.put_together(self.fb, value, iter(made), self.node)

    def close(self) -> None:
        """Makes the `scf.if`."""
        fb, node, pairs = self.fb, self.node, self.pairs
        order = [0, 1]
        condition, blocks = self.condition, [arm.block for arm in self.arms]
        empty = [len(block.operations) == 0 for block in blocks]
        if not pairs and all(empty):
            return
        if empty[0] and not empty[1]:
            condition, order = negation(fb, condition, node), [1, 0]
        name = pairs[0][2] if len(pairs) == 1 else None
        types = [made.type.ir for _, made, _ in pairs]
        place = fb.side.ip
        for which in order:
            fb.side.ip = ir.InsertionPoint(blocks[which])
            found = [fb.number(pair[which], made.type.dtype, node) for pair, made, _ in pairs]
            ir.Operation.create("scf.yield", [], found, loc=fb.location(node), ip=fb.side.ip)
        fb.side.ip = place
        operation = ir.Operation.create(
            "scf.if",
            types,
            [condition.ir],
            regions=2,
            loc=fb.location(node, name),
            ip=place,
        )
        blocks[order[0]].append_to(operation.regions[0])
        if pairs or not empty[order[1]]:
            blocks[order[1]].append_to(operation.regions[1])
        for (_, made, _), result in zip(pairs, operation.results, strict=True):
            made.ir = result


def _is_within(made: ir.Value, block: ir.Block) -> bool:
    owner = made.owner
    while not isinstance(owner, ir.Block):
        inner = owner.operation.block
        if inner == block:
            return True
        owner = inner.owner
        if owner is None or owner.name == "builtin.module":
            return False
    return owner == block


def stop_if(fb: ProBuilder, condition, reason: str, node: ast.AST) -> None:
    """Stops the kernel where the condition, which the run knows, holds."""

    def stop() -> None:
        why = {"pto.reason": ir.StringAttr.get(reason, session.CONTEXT)}
        fb.emit("pto.block.trap", [], [], why, node)

    either(fb, condition, stop, lambda: None, node)


def check_index(fb: ProBuilder, index, size: int, node: ast.AST) -> None:
    """An index of the run is within the elements, as one known here is."""
    below = scalars.compare(fb, "<", index, 0, node, None)
    beyond = scalars.compare(fb, ">=", index, size, node, None)
    outside = Value(
        fb.emit("arith.ori", [below.type.ir], [below.ir, beyond.ir], None, node).result, below.type
    )
    stop_if(fb, outside, f"the index is beyond the {size} elements", node)


def either(fb: ProBuilder, condition, one, other, node: ast.AST, name=None, live=None, known=None):
    """Does `one()` where the condition holds, else `other()`; gives what they give. `live`:
    the names that may be read afterwards; None: all. `known`: a flag that is set where the
    condition does not hold."""
    condition = truth(fb, condition, node)
    if isinstance(condition, bool):
        return one() if condition else other()
    fields = fb.some_fields(condition.ir)
    serial = Cell.last
    arms = _Arm(fb, one, fields), _Arm(fb, other, fields)
    meeting = _Meeting(fb, condition, arms, fields, node)
    meeting.known = known
    env = {}
    for key in dict.fromkeys((*arms[0].env, *arms[1].env)):
        pair = [arm.env.get(key, MISSING) for arm in arms]
        if pair[0] is pair[1]:
            env[key] = pair[0]
        else:
            found = _meet_name(fb, meeting, key, pair, node, live)
            if found is not MISSING:
                env[key] = found
    cells = {}
    for cell in dict.fromkeys((*arms[0].cells, *arms[1].cells)):
        if cell.serial <= serial:
            pair = [arm.cells.get(cell, cell.initial) for arm in arms]
            cells[cell] = meeting.value(*pair, cell.name, node)
    results = [arm.result for arm in arms]
    result = None
    if results != [None, None]:
        result = meeting.value(*results, name or "the value", node)
    meeting.close()
    fb.env, fb.side.cells = env, cells
    if isinstance(result, Unbound):
        raise fb.unbound(node, result)
    return result


def _meet_name(fb: ProBuilder, meeting: _Meeting, name: str, pair: list, node: ast.AST, live):
    if name == RETURN:
        return _meet_returned(fb, meeting, pair, node)
    if any(type(value) is Unbound and value.reason is None for value in pair):
        return Unbound(None)
    place = fb.names.binding(name, node) if isinstance(node, ast.stmt) else node
    if live is not None and name not in live:
        return merge.Dead(f"'{name}' has no value here", place, f"'{name}' is bound here")
    dead = [isinstance(value, merge.Dead) for value in pair]
    if all(dead):
        return pair[0]
    if MISSING in pair or any(type(value) is Unbound for value in pair):
        fields = [value.fields for value in pair if type(value) is Unbound]
        return merge.bound_in_one(name, place, meeting.fields.union(*fields))
    if any(dead):
        pair = _anything(fb, pair, dead, node)
    return meeting.value(*pair, name, place)


def _meet_returned(fb: ProBuilder, meeting: _Meeting, pair: list, node: ast.AST):
    """Where one way through a helper has returned and the other has not, any value does on
    the other."""
    if any(isinstance(value, Unbound) for value in pair):
        return Unbound(None)
    missing = [value is MISSING for value in pair]
    if any(missing):
        pair = _anything(fb, pair, missing, node)
    return meeting.value(*pair, "what is returned", node)


def _anything(fb: ProBuilder, pair: list, missing: list[bool], node: ast.AST) -> list:
    """The pair with some value of the other's form where nobody reads one."""
    there = pair[missing.index(False)]
    _, parts = merge.take_apart(there)
    zeros = iter([_nothing(leaf) for leaf in parts])
    other = merge.put_together(fb, there, zeros, node)
    return [other if gone else value for value, gone in zip(pair, missing, strict=True)]


def _nothing(leaf):
    """A number of the leaf's type."""
    return leaf if not isinstance(leaf, Value) else _zero(leaf)


def _zero(leaf: Value):
    dtype = leaf.type.dtype
    if dtype is BOOL:
        return False
    return 0.0 if dtype.is_float else 0


# Statements.


def branch(fb: ProBuilder, node: ast.If, rest: list[ast.stmt]) -> bool:
    """An `if`. `rest`: the statements behind it in its block; where an arm leaves the block,
    they are read in the other one. Whether that was done."""
    from .expressions import evaluate_test
    from .statements import run

    condition = truth(fb, evaluate_test(fb, node.test), node.test)
    if isinstance(condition, bool):
        run(fb, node.body if condition else node.orelse)
        return False
    left = tuple(leaves(arm, (*EXITS, ast.Return)) for arm in (node.body, node.orelse))
    one, other = node.body, node.orelse
    live = set(fb.liveness.after[node])
    if any(left):
        if rest:
            live |= fb.liveness.after[rest[-1]]
        if left == (True, False):
            other = [*other, *rest]
        elif left == (False, True):
            one = [*one, *rest]
    if fb.loops:
        live |= fb.loops[-1].live
    either(fb, condition, lambda: run(fb, one), lambda: run(fb, other), node, live=live)
    return any(left)


def _flags(fb: ProBuilder) -> list[Cell]:
    """What break, continue and return set."""
    if not fb.loops:
        return [fb.returned_cell]
    return [fb.returned_cell, fb.loops[-1].broken, fb.loops[-1].continued]


def exited(fb: ProBuilder, node: ast.AST):
    """Whether a break, continue or return was met: a bool, or a scalar."""
    found = False
    for cell in _flags(fb):
        found = scalars.logic(fb, "or", found, fb.read(cell), node, None)
    return found


def guarded(fb: ProBuilder, state: Value, statements: list[ast.stmt]) -> None:
    """The statements, where nothing was left (`state`) before them."""
    from .statements import run

    node = statements[0]
    live = set(fb.liveness.after[statements[-1]])
    if fb.loops:
        live |= fb.loops[-1].live
    flags = _flags(fb)
    met = [value for cell in flags if (value := fb.read(cell)) is not False]

    def rest() -> None:
        for cell in flags:
            fb.write_cell(cell, False)
        run(fb, statements)

    known = met[0] if len(met) == 1 else None
    either(fb, negation(fb, state, node), rest, lambda: None, node, live=live, known=known)
