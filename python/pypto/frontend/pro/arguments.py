# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The arguments of a kernel and of its entry."""

from __future__ import annotations

import dataclasses

from ...language.dtypes import BOOL, FP32, INDEX, INT64, DataType
from ...mlir import ir
from .. import session
from ..values import Value
from .arrays import gm_type, make_view
from .builder import ProBuilder, element_type, signless
from .values import NamedTuple, Parameter, Pointer

_FIELDS = {"int": INDEX, "float": FP32, "bool": BOOL}


@dataclasses.dataclass
class Argument:
    """One argument of the IR. `what`: "array", "scalar", "field" or "extent" (of dimension
    `axis`); `place`: the name of a tiling class's field and its index in an array field."""

    name: str
    what: str
    dtype: DataType
    parameter: Parameter
    axis: int = 0
    place: tuple[str, int | None] = ("", None)

    def type(self, kernel: bool) -> ir.Type:
        if self.what != "array":
            return session.element_type(scalar_dtype(self.dtype))
        if kernel:
            return gm_type(["?"], self.dtype)
        dynamic = ir.ShapedType.get_dynamic_size()
        return ir.RankedTensorType.get([dynamic], element_type(self.dtype), loc=session.UNKNOWN)


def scalar_dtype(dtype: DataType) -> DataType:
    """How a scalar parameter travels: DT_INT64 is an index."""
    return INDEX if dtype is INT64 else signless(dtype)


class Layout:
    """The order of the arguments: the author's parameters (a tiling class is its fields),
    then the DYNAMIC extents."""

    def __init__(self, spec, parameters: list[Parameter]):
        self.spec, self.parameters = spec, parameters
        self.arguments: list[Argument] = []
        for parameter in parameters:
            self.arguments += self._of(parameter)
        for parameter in parameters:
            if parameter.kind == "tensor":
                self.arguments += [
                    Argument(f"{parameter.name}_dim{axis}", "extent", INDEX, parameter, axis)
                    for axis, extent in enumerate(spec.shape(parameter))
                    if not isinstance(extent, int)
                ]

    def _of(self, parameter: Parameter) -> list[Argument]:
        name = parameter.name
        if parameter.kind in ("tensor", "pointer"):
            return [Argument(name, "array", parameter.dtype, parameter)]
        if parameter.kind == "scalar":
            return [Argument(name, "scalar", parameter.dtype, parameter)]
        return [
            Argument(
                f"{name}_{field}" + ("" if index is None else f"_{index}"),
                "field",
                dtype,
                parameter,
                place=(field, index),
            )
            for field, index, dtype in tiling_places(parameter.tiling)
        ]

    def entry_block(self, function: ir.Operation, kernel: bool) -> ir.Block:
        types = [argument.type(kernel) for argument in self.arguments]
        places = [self._location(argument) for argument in self.arguments]
        if not kernel:
            types.append(session.INDEX_TYPE)
            place = ir.Location.name("block_dim", function.location, session.CONTEXT)
            places.append(place)
        return ir.Block.create_at_start(function.regions[0], types, places)

    def _location(self, argument: Argument) -> ir.Location:
        source, node = self.spec.source, argument.parameter.node
        column = source.column(node.lineno, node.col_offset)
        place = ir.Location.file(source.file, node.lineno, column, session.CONTEXT)
        return ir.Location.name(argument.name, place, session.CONTEXT)

    # In the kernel.

    def bind(self, fb: ProBuilder, entry: ir.Block) -> dict[str, object]:
        """What the parameters' names hold."""
        found: dict[str, object] = {}
        extents: dict[tuple[str, int], Value] = {}
        fields: dict[str, dict] = {}
        for argument, made in zip(self.arguments, entry.arguments, strict=True):
            name = argument.parameter.name
            if argument.what == "array":
                found[name] = Pointer(made, argument.dtype, argument.parameter)
            elif argument.what == "extent":
                kind = session.scalar_type(INDEX)
                extents[(name, argument.axis)] = Value(made, kind, nonnegative=True)
            else:
                kind = session.scalar_type(scalar_dtype(argument.dtype))
                value = Value(made, kind)
                if argument.dtype is not INT64:
                    value = fb.widened(value, argument.dtype, argument.parameter.node)
                if argument.what == "scalar":
                    found[name] = value
                else:
                    found[name] = fields.setdefault(name, {})
                    _add_field(fields[name], argument.place, value)
        for parameter in self.parameters:
            name, node = parameter.name, parameter.node
            if parameter.kind == "tensor":
                shape = [
                    extent if isinstance(extent, int) else extents[(name, axis)]
                    for axis, extent in enumerate(self.spec.shape(parameter))
                ]
                found[name] = make_view(
                    fb, found[name], shape, None, parameter.dtype, parameter.layout, node, name
                )
            elif parameter.kind == "tiling":
                found[name] = NamedTuple(
                    {
                        field: tuple(value) if isinstance(value, list) else value
                        for field, value in fields[name].items()
                    },
                    name,
                )
        return found

    def set_directions(self, function: ir.Operation) -> None:
        """Which arrays the kernel writes, when it has been read."""
        function.attributes["arg_attrs"] = self._directions()

    def _directions(self, more: int = 0) -> ir.Attribute:
        found = []
        for argument in self.arguments:
            word = "inout" if argument.parameter.written else "in"
            text = f"{{pto.dir = #pto.dir<{word}>}}" if argument.what == "array" else "{}"
            found.append(session.attribute(text))
        found += [session.attribute("{}")] * more
        return ir.ArrayAttr.get(found, session.CONTEXT)

    # The entry.

    def entry(self, kernel: str, location: ir.Location) -> ir.Operation:
        """The function that a host calls: it dispatches the kernel."""
        function = make_function(f"{kernel}_entry", location)
        block = self.entry_block(function, kernel=False)
        types = [argument.type for argument in block.arguments]
        signature = ir.FunctionType.get(types, [], context=session.CONTEXT)
        function.attributes["function_type"] = ir.TypeAttr.get(signature, session.CONTEXT)
        function.attributes["pto.kind"] = session.attribute("#pto.kind<orchestration>")
        function.attributes["pto.deps"] = session.attribute("#pto.deps<explicit>")
        function.attributes["arg_attrs"] = self._directions(more=1)
        self._dispatch(kernel, block, location)
        ir.Operation.create("func.return", loc=location, ip=ir.InsertionPoint(block))
        return function

    def _dispatch(self, kernel: str, block: ir.Block, location: ir.Location) -> None:
        arguments = list(block.arguments)
        results = [
            made.type
            for argument, made in zip(self.arguments, arguments, strict=False)
            if argument.what == "array" and argument.parameter.written
        ]
        given = len(self.arguments)
        ir.Operation.create(
            "pto.block.dispatch",
            results,
            [*arguments[:given], arguments[given]],
            {
                "callee": ir.FlatSymbolRefAttr.get(kernel, session.CONTEXT),
                "operandSegmentSizes": session.int32s([given, 1, 0, 0, 0]),
                "resultSegmentSizes": session.int32s([len(results), 0]),
            },
            loc=location,
            ip=ir.InsertionPoint(block),
        )


def make_function(name: str, location: ir.Location) -> ir.Operation:
    empty = ir.FunctionType.get([], [], context=session.CONTEXT)
    attributes = {
        "sym_name": ir.StringAttr.get(name, session.CONTEXT),
        "function_type": ir.TypeAttr.get(empty, session.CONTEXT),
    }
    return ir.Operation.create(
        "func.func", attributes=attributes, regions=1, loc=location, ip=False
    )


def _add_field(fields: dict, place: tuple[str, int | None], value) -> None:
    name, index = place
    if index is None:
        fields[name] = value
    else:
        fields.setdefault(name, []).append(value)


def tiling_places(cls: type) -> list[tuple[str, int | None, DataType]]:
    """Each scalar of a tiling class: its field, its index in an array field, its type."""
    from pypto_pro.runtime.header import tiling_fields

    found = []
    for field in tiling_fields(cls):
        dtype = _FIELDS[field.kind]
        if field.count is None:
            found.append((field.name, None, dtype))
        else:
            found += [(field.name, index, dtype) for index in range(field.count)]
    return found


__all__ = ["Argument", "Layout", "make_function"]
