# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The state while a Pro kernel is read: what the builders of operations work with."""

from __future__ import annotations

import ast

from ...diagnostics.errors import ParserTypeError, UndefinedNameError
from ...diagnostics.suggest import suggestion
from ...language.dtypes import BOOL, FP32, INDEX, INT64, DataType
from ...mlir import ir
from .. import scalars, session
from ..builder import Constants, Failure, FunctionBuilder
from ..source import MISSING, Source
from ..values import Unbound, Value
from .values import Cell, CellOf, Chosen, KeyField, Pointer, Tile, TileGroup, TileType, describe


class Structural(Exception):
    """Something known at compile time is asked of these fields of the tiling key: the kernel
    is read again with their values in place."""

    def __init__(self, fields):
        self.fields = frozenset(fields)


class Side:
    """One reading of a kernel: as AIC or as AIV. Shared by the builders of the kernel's
    function and of the helpers that are spliced into it."""

    def __init__(self, kernel, core: str, block: ir.Block):
        # `kernel`: the kernel.KernelReader.
        self.kernel, self.core, self.block = kernel, core, block
        self.ip = ir.InsertionPoint(block)
        self.constants = Constants(block)
        # What the cells hold.
        self.cells: dict[Cell, object] = {}
        # The fields of the tiling key that were read, and the errors of this side.
        self.keys: dict[str, Value] = {}
        self.reported: list = []
        # The fields in the conditions around the statement, outermost first.
        self.key_conditions: list[frozenset[str]] = []
        # Which sections the source has here: "aic", "aiv"; and the one that is being read.
        self.sections: set[str] = set()
        self.section: str | None = None
        # How many loops are being read, and the last cell that was made in front of them.
        self.loop_depth = 0
        self.stable = 0


class ProBuilder(FunctionBuilder):
    """Reads one function: the kernel, or a helper that is spliced into it.

    For builders of operations:
    `core` "aic" or "aiv", the side being read; `target` "950" or "910B";
    `emit`, `value`, `constant`, `error`, `note` as in FunctionBuilder;
    `static`, `static_int` (known at compile time), `scalar_of`, `index`, `indices`,
    `number` (values of the program); `read`, `write_cell` (cells); `buffer` (a tile as an
    operand); `make_alloc`, `make_tile` (declarations); `note_write` (stores).
    """

    def __init__(self, side: Side, source: Source):
        self.side = side
        super().__init__(side.kernel, source, "in_core")
        # The calls of helpers that lead here: a statement is read once for each.
        self.chain: tuple[ast.Call, ...] = ()
        # The loops of this function around the statement; whether it has returned.
        self.loops: list = []
        self.returned_cell = Cell("returned", False)

    # FunctionBuilder's own state that all frames share.

    @property
    def ip(self):
        return self.side.ip

    @ip.setter
    def ip(self, place):
        if place is not None:
            self.side.ip = place

    @property
    def constants(self):
        return self.side.constants

    @constants.setter
    def constants(self, made):
        if made is not None:
            self.side.constants = made

    def host(self) -> ir.Operation:
        return self.side.kernel.host

    @property
    def tree(self) -> ast.FunctionDef:
        # What leaves a loop in its middle is read by control.py.
        return self.source.tree

    @property
    def liveness(self):
        return self.module.liveness_of(self.source)

    @property
    def core(self) -> str:
        return self.side.core

    @property
    def target(self) -> str:
        return self.module.target

    # What is known at compile time.

    def static(self, value, node: ast.AST, what: str):
        """`value`, which must be known at compile time; a field of the tiling key (and what is
        computed of fields alone) becomes structural. `what`: "the shape of a tile"."""
        if isinstance(value, KeyField):
            raise Structural([value.name])
        if isinstance(value, Value):
            fields = self.only_fields(value.ir)
            if fields:
                raise Structural(fields)
            raise self.error(
                node,
                f"{what} must be known at compile time, found {describe(value)} that the program "
                "computes",
                ParserTypeError,
            )
        if isinstance(value, (list, tuple)):
            return type(value)(self.static(item, node, what) for item in value)
        return value

    def static_int(self, value, node: ast.AST, what: str) -> int:
        """The same, for a number."""
        found = self.static(value, node, what)
        if isinstance(found, bool) or not isinstance(found, int):
            raise self.error(
                node, f"{what} must be an integer, found {describe(found)}", ParserTypeError
            )
        return int(found)

    def static_ints(self, values, node: ast.AST, what: str) -> list[int]:
        if not isinstance(values, (list, tuple)):
            raise self.error(
                node,
                f"{what} must be a list of integers, found {describe(values)}",
                ParserTypeError,
            )
        return [self.static_int(value, node, what) for value in values]

    def only_fields(self, made: ir.Value) -> frozenset[str] | None:
        """The fields of the tiling key that a value is computed of; None if anything else
        of the program is in it."""
        return self._fields(made, True)

    def some_fields(self, made: ir.Value) -> frozenset[str]:
        """The fields of the tiling key that take part in a value."""
        return self._fields(made, False) or frozenset()

    def _fields(self, made: ir.Value, alone: bool) -> frozenset[str] | None:
        found, pending, seen = set(), [made], set()
        while pending:
            value = pending.pop()
            if value in seen:
                continue
            seen.add(value)
            owner = value.owner
            if isinstance(owner, ir.Block):
                if alone:
                    return None
                continue
            operation = owner.operation if hasattr(owner, "operation") else owner
            name = operation.name
            if name == "pto.block.read_key":
                found.add(ir.StringAttr(operation.attributes["field"]).value)
            elif name == "scf.if":
                # Beside the condition: what either arm gives for this result.
                place = ir.OpResult(value).result_number
                for region in operation.regions:
                    end = list(region.blocks[0].operations)[-1]
                    pending.append(end.operands[place])
            elif alone and not name.startswith("arith."):
                return None
            pending.extend(operation.operands)
        return frozenset(found)

    # Values of the program.

    def scalar_of(self, value, node: ast.AST):
        """A field of the tiling key as a scalar; everything else as it is."""
        if isinstance(value, KeyField):
            return self.read_key(value, node)
        return value

    def read_key(self, field: KeyField, node: ast.AST) -> Value:
        """The value of a field, read once at the beginning of the kernel."""
        return self.module.read_key(self, field.name, node)

    def index(self, value, node: ast.AST, what: str):
        """An integer as a static index (an int), or a scalar as an MLIR index value."""
        return scalars.index(self, self.scalar_of(value, node), node, what)

    def indices(self, values, node: ast.AST, what: str) -> tuple[list, ir.Attribute]:
        """For the index lists of operations: the operands, and the attribute with the static
        ones."""
        found = [self.index(value, node, what) for value in values]
        operands = [item for item in found if not isinstance(item, int)]
        static = [item if isinstance(item, int) else session.DYNAMIC for item in found]
        return operands, session.int64s(static)

    def number(self, value, dtype: DataType, node: ast.AST):
        """A number or a scalar as an MLIR value of `dtype` (UINT8 is `i8`, and so on)."""
        value = self.scalar_of(value, node)
        if not scalars.is_scalar(value):
            raise self.error(
                node, f"a scalar is expected, found {describe(value)}", ParserTypeError
            )
        if isinstance(value, float) and not dtype.is_float:
            raise self.error(
                node, f"{value} does not fit {dtype}, whose values are whole", ParserTypeError
            )
        return scalars.as_dtype(self, value, signless(dtype), node)

    def operation_result(self, operation, dtype: DataType) -> Value:
        """The result of an operation as a scalar of the language: INT64 and unsigned integers
        are INDEX here."""
        return self.widened(Value(operation.result, session.scalar_type(signless(dtype))), dtype)

    def widened(self, value: Value, dtype: DataType, node: ast.AST | None = None) -> Value:
        node = node or self.source.tree
        if dtype is INT64:
            return scalars.convert(self, value, INDEX, node)
        if dtype.kind == "uint":
            kind = session.scalar_type(INDEX)
            name = "arith.index_cast" if dtype.bits == 64 else "arith.index_castui"
            made = self.value(name, kind, [value.ir], None, node)
            made.nonnegative = dtype.bits < 64
            return made
        return value

    # Cells.

    def read(self, cell: Cell | CellOf):
        """What a cell holds now: a number or a scalar."""
        if isinstance(cell, CellOf):
            return self._read_one_of(cell)
        found = self.side.cells.get(cell, cell.initial)
        if cell.nonnegative and isinstance(found, Value):
            found.nonnegative = True
        return found

    def _read_one_of(self, cell: CellOf):
        held = [self.read(item) for item in cell.cells]
        if cell.index is None or all(same(item, held[0]) for item in held):
            return held[0]
        if isinstance(cell.index, int):
            return held[cell.index]
        return self.choose(held, cell.index, self.source.tree, cell.cells[0].name)

    def choose(self, items, index: Value, node: ast.AST, name: str | None):
        """The one of these scalars that an index of the run picks."""
        made = items[-1]
        for number, item in reversed(list(enumerate(items[:-1]))):
            here = scalars.compare(self, "==", index, number, node, None)
            made = scalars.select(self, here, item, made, node, name)
        return made

    def write_cell(self, cell: Cell | CellOf, value) -> None:
        if isinstance(cell, Cell):
            self.side.cells[cell] = value
            return
        for number, item in enumerate(cell.cells):
            if cell.index is None or cell.index == number:
                self.write_cell(item, value)
            elif not isinstance(cell.index, int):
                node, old = self.source.tree, self.read(item)
                if not same(old, value):
                    here = scalars.compare(self, "==", cell.index, number, node, None)
                    self.write_cell(item, scalars.select(self, here, value, old, node, item.name))

    # Tiles.

    def valid(self, tile: Tile | TileGroup) -> tuple:
        """How many rows and columns are valid: ints or scalars."""
        return self.read(tile.rows), self.read(tile.cols)

    def buffer(self, tile: Tile, node: ast.AST) -> ir.Value:
        """The buffer of a tile as an operation uses it: a window of the valid part, if that
        is not the whole."""
        from .tiles import buffer

        return buffer(self, tile, node)

    def window(self, tile: Tile, offsets, sizes, node: ast.AST, name: str | None = None):
        """The `pto.tile.subview` of the whole tile at `offsets`, ints or scalars."""
        from .tiles import window

        return window(self, tile, offsets, sizes, node, name)

    def tile_of(self, value, node: ast.AST, what: str) -> Tile:
        """`value` as a tile; a group that is used as a tile is an error that says how."""
        from .tiles import tile_of

        return tile_of(self, value, node, what)

    def make_tile(self, type_: TileType, addr: int, node: ast.AST, name: str | None) -> Tile:
        """A tile at a fixed address; the same declaration makes one allocation, however
        often it is read."""
        from .tiles import make_tile

        return make_tile(self, type_, addr, node, name)

    def slice_of(self, tile: Tile, offsets, sizes, type_: TileType, name: str) -> Tile:
        """`tile[r0:r1, c0:c1]` as a tile: offsets and sizes, ints or scalars."""
        from .tiles import slice_of

        return slice_of(self, tile, offsets, sizes, type_, name)

    def make_group(
        self, type_: TileType, addrs: list[int], mutex_ids: list[int], node: ast.AST, name
    ) -> TileGroup:
        """A group of tiles. `mutex_ids`: one a slot, or none."""
        from .tiles import make_group

        return make_group(self, type_, addrs, mutex_ids, node, name)

    # The kernel.

    def note_write(self, pointer: Pointer) -> None:
        """The kernel stores to this memory."""
        pointer.parameter.written = True

    def report(self, failure: Failure) -> None:
        """An error; under a condition on the tiling key the condition's fields become
        structural first."""
        if self.side.key_conditions:
            raise Structural(self.side.key_conditions[-1])
        self.module.report(failure)

    def is_null(self, pointer: Pointer, node: ast.AST, name: str | None) -> Value:
        """Whether the host gave nothing for a pointer."""
        kind = session.scalar_type(BOOL)
        return self.value("pto.tile.is_null", kind, [pointer.ir], None, node, name)

    # Names.

    def bind_name(self, target: ast.Name, value) -> None:
        self.module.check_shadow(self, target.id, target)
        self.env[target.id] = value

    def lookup(self, node: ast.Name):
        found = self.env.get(node.id, MISSING)
        if found is MISSING:
            found = self.module.free_name(self, node)
        if isinstance(found, Unbound):
            if found.fields:
                raise Structural(found.fields)
            raise self.unbound(node, found)
        return found

    def undefined(self, node: ast.Name) -> Failure:
        bound = (n for n in ast.walk(self.source.tree) if isinstance(n, ast.Name))
        if self.module.fixed and any(
            n.id == node.id and isinstance(n.ctx, ast.Store) for n in bound
        ):
            key = ", ".join(f"{name} = {value}" for name, value in self.module.fixed.items())
            message = f"'{node.id}' has no value here for a tilingkey with {key}: it is bound under"
            return self.error(node, f"{message} another condition", UndefinedNameError)
        hint = suggestion(node.id, [*self.env, *self.source.names()])
        hint = hint or self.module.undefined_hint()
        return self.error(node, f"Undefined variable '{node.id}'{hint}", UndefinedNameError)


def same(one, other) -> bool:
    """Whether both are the same number, or the same value of the program."""
    if one is other:
        return True
    if isinstance(one, Value) and isinstance(other, Value):
        return one.ir == other.ir
    if isinstance(one, Value) or isinstance(other, Value):
        return False
    return type(one) is type(other) and one == other


_SIGNLESS = {8: "INT8", 16: "INT16", 32: "INT32", 64: "INT64"}


def signless(dtype: DataType) -> DataType:
    """The type of the IR that holds a scalar of `dtype`: the IR's integers have no sign."""
    if dtype.kind == "uint":
        return DataType.all[_SIGNLESS[dtype.bits]]
    return dtype


def element_type(dtype: DataType) -> ir.Type:
    """The type of elements in the IR."""
    return session.element_type(dtype)


__all__ = [
    "FP32",
    "Chosen",
    "Failure",
    "ProBuilder",
    "Side",
    "Structural",
    "element_type",
    "signless",
]
