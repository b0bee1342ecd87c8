# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The state while one function is read: names, place of insertion, errors."""

from __future__ import annotations

import ast
import functools
from bisect import bisect_left
from contextlib import contextmanager

from ..diagnostics.errors import CompileError, Diagnostic
from ..language.dtypes import BOOL, INDEX, DataType
from ..mlir import ir
from . import session
from .exits import ends_loop, structured
from .source import MISSING, Source
from .values import Array, Unbound, Value

_file, _named, _create = ir.Location.file, ir.Location.name, ir.Operation.create


class Failure(Exception):
    """Ends the statement that is being read; None if the error is reported already."""

    def __init__(self, diagnostic: Diagnostic | None):
        self.diagnostic = diagnostic


def _changed_by(node: ast.AST) -> ast.Name | None:
    """The name whose value `pl.write(name, ...)` or `name[...] = ...` changes: tiles are
    values, and the name has another one then."""
    if type(node) is ast.Call and type(node.func) is ast.Attribute and node.args:
        target = node.args[0] if node.func.attr == "write" else None
    elif type(node) is ast.Subscript and type(node.ctx) is ast.Store:
        target = node.value
    else:
        return None
    return target if type(target) is ast.Name else None


class NameIndex:
    """Where a function reads and binds each name, in the order of the text."""

    def __init__(self, tree: ast.FunctionDef):
        self._tree = tree
        uses = []
        stack: list[ast.AST] = list(tree.body)
        while stack:
            node = stack.pop()
            if type(node) is ast.Name:
                uses.append(
                    (node.lineno, node.col_offset, node.id, type(node.ctx) is ast.Store, node)
                )
                continue
            changed = _changed_by(node)
            if changed is not None:
                uses.append((changed.lineno, changed.col_offset, changed.id, True, changed))
            if type(node) is ast.AugAssign and type(node.target) is ast.Name:
                target = node.target
                uses.append((target.lineno, target.col_offset, target.id, False, target))
            for child in node.__dict__.values():
                if isinstance(child, ast.AST):
                    stack.append(child)
                elif type(child) is list:
                    stack.extend(item for item in child if isinstance(item, ast.AST))
        uses.sort(key=lambda use: use[:2])
        self._places = [use[:2] for use in uses]
        self._uses = uses
        self._block_uses: dict[int, dict[str, list[tuple[int, bool]]]] = {}

    def _within(self, node: ast.stmt):
        begin = bisect_left(self._places, (node.lineno, node.col_offset))
        end = bisect_left(self._places, (node.end_lineno, node.end_col_offset))
        return begin, end

    def bound_in(self, statement: ast.stmt) -> dict[str, None]:
        begin, end = self._within(statement)
        return dict.fromkeys(name for _, _, name, store, _ in self._uses[begin:end] if store)

    def binding(self, name: str, statement: ast.stmt) -> ast.AST:
        """Where the statement binds the name last."""
        begin, end = self._within(statement)
        for _, _, found, store, node in reversed(self._uses[begin:end]):
            if store and found == name:
                return node
        return statement

    def used_in(self, statement: ast.stmt) -> dict[str, None]:
        begin, end = self._within(statement)
        return dict.fromkeys(use[2] for use in self._uses[begin:end])

    def is_read_after(self, name: str, statement: ast.stmt) -> bool:
        """Whether the name may be read after the statement before it is bound again: by
        what follows it, or by a next iteration of the loops around it."""
        while statement is not None:
            block, index, parent = self._homes[statement]
            use = self._first_use(name, block, index + 1)
            if use is None and isinstance(parent, ast.While) and name in loads(parent.test):
                use = True
            bound = isinstance(parent, ast.For) and name in stores(parent.target)
            if use is None and isinstance(parent, (ast.For, ast.While)) and not bound:
                use = self._first_use(name, parent.body, 0) or None
            if use is not None:
                return use
            statement = parent
        return False

    def _first_use(self, name: str, block: list[ast.stmt], begin: int) -> bool | None:
        """Whether the first statement from `begin` on that surely reads or binds the name
        reads it; None: there is none."""
        uses = self._block_uses.get(id(block))
        if uses is None:
            uses = self._block_uses[id(block)] = {}
            for index, statement in enumerate(block):
                reads, binds = exposed([statement])
                for used in reads | binds:
                    uses.setdefault(used, []).append((index, used in reads))
        found = uses.get(name, ())
        place = bisect_left(found, (begin, False))
        return found[place][1] if place < len(found) else None

    @functools.cached_property
    def _homes(self) -> dict[ast.stmt, tuple[list, int, ast.stmt | None]]:
        """For each statement the block that it stands in, its place there, and the
        statement around that."""
        homes = {}
        pending: list[tuple[list, ast.stmt | None]] = [(self._tree.body, None)]
        while pending:
            block, parent = pending.pop()
            for index, statement in enumerate(block):
                homes[statement] = (block, index, parent)
                for field in ("body", "orelse"):
                    inner = getattr(statement, field, None)
                    if isinstance(inner, list) and inner:
                        pending.append((inner, statement))
        return homes


def exposed(statements: list[ast.stmt]) -> tuple[set[str], set[str]]:
    """The names that the statements may read before they bind them, and those
    that they bind on every way through."""
    reads: set[str] = set()
    bound: set[str] = set()

    def meet(found: set[str]) -> None:
        reads.update(found - bound)

    for node in statements:
        if isinstance(node, ast.If):
            meet(loads(node.test))
            arms = exposed(node.body), exposed(node.orelse)
            for arm in arms:
                meet(arm[0])
            bound |= arms[0][1] & arms[1][1]
        elif isinstance(node, ast.For):
            meet(loads(node.iter))
            # It may not run at all.
            meet(exposed(node.body)[0] - stores(node.target))
        elif isinstance(node, ast.While):
            meet(loads(node.test))
            meet(exposed(node.body)[0])
        elif isinstance(node, ast.With):
            for item in node.items:
                meet(loads(item))
            inner = exposed(node.body)
            meet(inner[0])
            bound |= inner[1]
        else:
            meet(loads(node))
            bound |= stores(node)
    return reads, bound


def loads(node: ast.AST) -> set[str]:
    found = set()
    for item in ast.walk(node):
        if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Load):
            found.add(item.id)
        elif isinstance(item, ast.AugAssign) and isinstance(item.target, ast.Name):
            found.add(item.target.id)
    return found


def stores(node: ast.AST) -> set[str]:
    return {
        item.id
        for item in ast.walk(node)
        if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store)
    }


class Constants:
    """The numbers of a function or a placed region: each one operation, in the
    order of first use, at the beginning of `block`."""

    def __init__(self, block: ir.Block):
        self._block = block
        self._made: dict = {}
        self._last = None

    def get(self, number, dtype: DataType, location):
        key = (repr(number), dtype)
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = self._make(number, dtype, location())
        return found

    def _make(self, number, dtype: DataType, location: ir.Location):
        element = session.scalar_type(dtype).ir
        if dtype.is_float:
            attribute = ir.FloatAttr.get(element, float(number), loc=session.UNKNOWN)
        else:
            # Scalars have no sign in the IR: the upper half of an unsigned type is below zero.
            number = int(number)
            if dtype is not INDEX and dtype.bits > 1 and number >= 1 << (dtype.bits - 1):
                number -= 1 << dtype.bits
            attribute = ir.IntegerAttr.get(element, number)
        if self._last is None:
            ip = ir.InsertionPoint.at_block_begin(self._block)
        else:
            ip = ir.InsertionPoint.after(self._last)
        self._last = _create(
            "arith.constant", [element], [], {"value": attribute}, loc=location, ip=ip
        )
        return self._last.result


class FunctionBuilder:
    """One function of the IR while its source is read.

    `plane` is "control" (an orchestration function), "in_core", or "annotation"
    while a signature is read, where there is nothing to insert into.
    """

    def __init__(self, module, source: Source, plane: str):
        self.module = module
        self.source = source
        self.plane = plane
        self.env: dict[str, object] = {}
        self.arrays: list[Array] = []
        # The parameters that the function writes: `out = expr` on such a name writes it.
        self.outputs: dict[str, Array] = {}
        # Those of them whose array `x, y = y, x` has changed.
        self.exchanged: set[str] = set()
        # Where each pl.dynamic stands: the parameters, and their dimensions.
        self.dynamic_dims: dict[object, list[tuple[str, int]]] = {}
        # The names of all parameters, and those of scalars that are arguments of the IR.
        self.parameter_order: list[str] = []
        self.runtime_scalars: set[str] = set()
        # How many loops, branches and placed regions are around the statement.
        self.depth = 0
        self.ip: ir.InsertionPoint | None = None
        # The name that the value being made is bound to; the first to ask takes it.
        self.name: str | None = None
        # Whether the statement stands in a placed region, which runs on a core.
        self.region = False
        # Whether the tasks are those of pl.manual_scope; the open pl.cluster; what pl.spmd
        # says of the kernel that it launches.
        self.manual = False
        self.cluster = None
        self.launch = None
        # The flags between cores that the kernel sets, with their modes; its last syncall.
        self.flag_modes: dict[int, int] = {}
        self.sync_all: ast.AST | None = None
        # Functions that are being spliced in, innermost last: (function, call location, call,
        # the caller's builder). `borrowed`: the caller's tiles that this one has names for.
        self.inlined: list = []
        self.borrowed: list[Value] = []
        self.returned: object = MISSING
        self.return_node: ast.stmt | None = None
        # Whether that stands in an arm that was chosen while the function is read.
        self.returned_early = False
        self._names: NameIndex | None = None
        self._host: ir.Operation | None = None
        self.constants: Constants | None = None

    # Places and errors.

    @property
    def tree(self) -> ast.FunctionDef:
        """The function as it is read."""
        return structured(self.source)

    @property
    def names(self) -> NameIndex:
        if self._names is None:
            self._names = NameIndex(self.tree)
        return self._names

    def is_read_after(self, name: str, statement: ast.stmt) -> bool:
        """The same, where `x = ...` may be a write to the array that the name means."""
        if name in self.exchanged or ends_loop(name):
            return True
        return self.names.is_read_after(name, statement)

    def location(self, node: ast.AST, name: str | None = None) -> ir.Location:
        source = self.source
        line = node.lineno
        made = _file(source.file, line, source.column(line, node.col_offset), session.CONTEXT)
        if name is not None:
            made = _named(name, made, session.CONTEXT)
        if self.inlined:
            made = ir.Location.callsite(made, [self.inlined[-1][1]], session.CONTEXT)
        return made

    def _diagnostic(self, node: ast.AST, message: str, severity: str) -> Diagnostic:
        source = self.source
        line = node.lineno
        end = 0
        if getattr(node, "end_lineno", None) == line:
            end = source.column(line, node.end_col_offset)
        column = source.column(line, node.col_offset)
        return Diagnostic(message, source.file, line, column, end, severity)

    def note(self, node: ast.AST, message: str) -> Diagnostic:
        return self._diagnostic(node, message, "note")

    def error(self, node: ast.AST, message: str, kind: type = CompileError, notes=()) -> Failure:
        diagnostic = self._diagnostic(node, message, "error")
        diagnostic.kind = kind
        diagnostic.notes = list(notes)
        for function, _, call, caller in reversed(self.inlined):
            diagnostic.notes.append(
                caller._diagnostic(call, f"in '{function.__name__}', called here", "note")
            )
        return Failure(diagnostic)

    def take_name(self) -> str | None:
        name, self.name = self.name, None
        return name

    # Operations.

    def emit(
        self, operation: str, types: list, operands: list, attributes, node, name=None, ip=None
    ):
        """An operation at the place of insertion; its results as MLIR values."""
        return _create(
            operation, types, operands, attributes, loc=self.location(node, name), ip=ip or self.ip
        )

    def value(self, operation: str, type_, operands, attributes, node, name=None) -> Value:
        made = _create(
            operation, [type_.ir], operands, attributes, loc=self.location(node, name), ip=self.ip
        )
        return Value(made.result, type_)

    def constant(self, number, dtype: DataType, node: ast.AST):
        """A number as an MLIR value."""
        if not dtype.is_float and dtype is not BOOL:
            unsigned = bool(dtype.is_unsigned_int)
            limit = 1 << (dtype.bits if unsigned else dtype.bits - 1)
            if not (0 if unsigned else -limit) <= number < limit:
                raise self.error(node, f"{number} does not fit {dtype}")
            if unsigned and number >= limit // 2:
                number -= limit  # the same bits in the IR, which has no sign
        return self.constants.get(number, dtype, lambda: self.location(node))

    @contextmanager
    def constants_in(self, block: ir.Block):
        """Puts constants into `block`: a function's entry, or a placed region's."""
        saved, self.constants = self.constants, Constants(block)
        try:
            yield
        finally:
            self.constants = saved

    def scalar(self, value, node: ast.AST, dtype: DataType | None = None):
        """A Python number or a scalar as an MLIR value."""
        if isinstance(value, Value):
            return value.ir
        if dtype is None:
            dtype = number_dtype(value)
        return self.constant(value, dtype, node)

    def detached_block(self, types: list, locations: list) -> ir.Block:
        """A block to fill before the operation that it belongs to can be made."""
        return ir.Block.create_at_start(self.host().regions[0], types, locations)

    def host(self) -> ir.Operation:
        """What holds the blocks that belong to no operation yet."""
        if self._host is None:
            self._host = _create("builtin.module", regions=1, loc=session.UNKNOWN, ip=False)
        return self._host

    def share_host(self, other: FunctionBuilder) -> None:
        self._host = other.host()

    def discard(self) -> None:
        """Drops the blocks of statements that failed, before the function that they
        use goes."""
        if self._host is not None:
            self._host.erase()
            self._host = None

    # Names.

    def note_dynamic(self, parameters) -> None:
        """Which dimensions each pl.dynamic of the signature names."""
        for parameter in parameters:
            for axis, variable in parameter.dims.items():
                self.dynamic_dims.setdefault(variable, []).append((parameter.name, axis))

    def lookup(self, node: ast.Name):
        found = self.env.get(node.id, MISSING)
        if found is MISSING:
            found = self.source.lookup(node.id)
            if found is MISSING:
                raise self.undefined(node)
            self.module.note_read(self.source, node.id, found)
        if type(found) is Unbound:
            raise self.unbound(node, found)
        return found

    def unbound(self, node: ast.Name, found: Unbound) -> Failure:
        if found.reason is None:
            return Failure(None)
        from ..diagnostics.errors import UndefinedNameError

        notes = [self.note(found.node, found.note)] if found.node is not None else []
        return self.error(node, found.reason, UndefinedNameError, notes)

    def undefined(self, node: ast.Name) -> Failure:
        from ..diagnostics.errors import UndefinedNameError
        from ..diagnostics.suggest import suggestion

        names = (name for name, value in self.env.items() if type(value) is not Unbound)
        hint = suggestion(node.id, [*names, *self.source.names()])
        return self.error(node, f"name '{node.id}' is not defined{hint}", UndefinedNameError)

    def track(self, array) -> None:
        """An array or a pl.array that loops, branches and regions from here on may change."""
        self.arrays.append(array)
        if self.cluster is not None:
            self.cluster.before[id(array)] = array.ir

    def name_of(self, value) -> str | None:
        """A name of the value, for what is made of it."""
        return next((name for name, known in self.env.items() if known is value), None)

    def bind_self(self) -> None:
        """The first parameter of a method is its program."""
        if self.module.is_method(self.source) and self.source.tree.args.args:
            self.env[self.source.tree.args.args[0].arg] = self.module.program

    def rebind(self, old, new) -> None:
        """All names of a value mean another one: it changed."""
        if any(old is tile for tile in self.borrowed):
            function, _, call, caller = self.inlined[-1]
            raise caller.error(
                call,
                f"'{function.__name__}' changes elements of a tile of its caller, which is a value "
                "that its caller keeps; return the changed tile and bind it",
            )
        for name, known in self.env.items():
            if known is old:
                self.env[name] = new

    def write(self, array: Array, made) -> None:
        """The array has new content, `made`."""
        array.ir = made
        for owner in array.owners() if isinstance(array, Array) else ():
            owner.written = True


def number_dtype(value) -> DataType:
    from ..language.dtypes import FP32

    if isinstance(value, bool):
        return BOOL
    return INDEX if isinstance(value, int) else FP32
