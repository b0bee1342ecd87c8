# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The arguments of a launch, as the entry of a kernel takes them."""

from __future__ import annotations

from pypto.diagnostics.errors import ArgumentError, Diagnostic, at_caller
from pypto.diagnostics.suggest import suggestion
from pypto.frontend.pro.arguments import Argument, Layout, tiling_places
from pypto.frontend.pro.builder import signless
from pypto.frontend.pro.values import Parameter
from pypto.frontend.source import Source
from pypto.jit.driver import number
from pypto.language.dtypes import BF16, FP16, DataType
from pypto.runtime import arrays
from pypto.runtime.arrays import Buffer


def given(name: str, parameters: list[Parameter], source: Source, args: tuple) -> dict:
    """The arguments by name: a Buffer or None, a number, or a tiling object."""
    if len(args) != len(parameters):
        names = ", ".join(parameter.name for parameter in parameters)
        raise _located(
            source,
            None,
            f"{name} takes {len(parameters)} arguments ({names}), found {len(args)}",
        )
    found = {}
    for parameter, value in zip(parameters, args, strict=True):
        try:
            found[parameter.name] = _checked(parameter, value)
        except ArgumentError as error:
            raise _located(source, parameter, error.diagnostics[0].message) from None
    return found


def _located(source: Source, parameter: Parameter | None, message: str) -> ArgumentError:
    """An error at a parameter's annotation, or at the kernel's name."""
    tree = source.tree
    if parameter is None:
        line, begin = tree.lineno, tree.col_offset + len("def ")
        end = begin + len(tree.name)
    else:
        node = parameter.node.annotation or parameter.node
        line, begin, end = node.lineno, node.col_offset, node.end_col_offset
    column, end_column = source.column(line, begin), source.column(line, end)
    names = () if parameter is None else (parameter.name,)
    return ArgumentError([Diagnostic(message, source.file, line, column, end_column)], names)


def by_position(kernel, args: tuple, named: dict) -> tuple:
    """The arguments of a launch in the order of the parameters, those by name among them."""
    if not named:
        return args
    names = [parameter.name for parameter in kernel.parameters]
    listed = ", ".join(names)
    for name in named:
        if name not in names:
            message = f"'{kernel.name}' has no parameter '{name}'; it has {listed}"
            message += suggestion(name, names)
            raise ArgumentError([at_caller(message)])
        if names.index(name) < len(args):
            raise ArgumentError([at_caller(f"parameter '{name}' is given twice")])
    rest = names[len(args) :]
    while rest and rest[-1] not in named:
        rest.pop()
    for name in rest:
        if name not in named:
            message = f"argument '{name}' is missing; '{kernel.name}' takes ({listed})"
            raise ArgumentError([at_caller(message)])
    return (*args, *(named[name] for name in rest))


def _checked(parameter: Parameter, value):
    name = parameter.name
    if parameter.kind == "scalar":
        return _scalar(name, parameter.dtype, value)
    if parameter.kind == "tiling":
        return _tiling(parameter, value)
    if value is None and parameter.kind == "pointer":
        return None
    if isinstance(value, (bool, int, float)) or not arrays.is_array(value):
        shown = "None" if value is None else type(value).__name__
        raise ArgumentError(
            f"argument '{name}' is an array (a torch tensor on the CPU, NumPy, or DLPack), found "
            f"{shown}"
        )
    buffer = arrays.buffer(name, value)
    arrays.check_layout(name, buffer, "in")
    if parameter.kind == "tensor":
        _check_tensor(parameter, buffer)
    elif buffer.dtype is not parameter.dtype and parameter.dtype.name not in ("UINT8", "INT8"):
        raise ArgumentError(
            f"argument '{name}' is pl.Ptr[{parameter.dtype}], found elements of {buffer.dtype}; "
            "pl.Ptr[pl.DT_UINT8] takes the bytes of any array"
        )
    return buffer


def _check_tensor(parameter: Parameter, buffer: Buffer) -> None:
    name, shape = parameter.name, list(parameter.shape)
    if buffer.dtype is not parameter.dtype:
        raise ArgumentError(f"argument '{name}' is {parameter.dtype}, found {buffer.dtype}")
    tail = shape[-1] is Ellipsis
    if tail:
        shape.pop()
    rank = len(buffer.shape)
    if rank < len(shape) or (rank > len(shape) and not tail):
        least = "at least " if tail else ""
        raise ArgumentError(
            f"argument '{name}' has {least}{len(shape)} dimensions, found {list(buffer.shape)}"
        )
    for axis, (extent, found) in enumerate(zip(shape, buffer.shape, strict=False)):
        if isinstance(extent, int) and extent != found:
            raise ArgumentError(
                f"argument '{name}' has extent {extent} in dimension {axis}, found "
                f"{list(buffer.shape)}"
            )


def _scalar(name: str, dtype: DataType, value):
    if dtype in (FP16, BF16):
        raise ArgumentError(
            f"No ctypes mapping for scalar dtype {dtype}: argument '{name}' cannot be passed; take "
            "pl.DT_FP32"
        )
    if not arrays.is_scalar(value):
        raise ArgumentError(f"argument '{name}' is a scalar ({dtype}), found {_shown(value)}")
    value = arrays.scalar(value)
    if dtype.kind == "uint":
        whole = isinstance(value, int) or float(value).is_integer()
        if not whole or not 0 <= value < 1 << dtype.bits:
            raise ArgumentError(f"argument '{name}' is {dtype}, and {value} does not fit")
        value = int(value)
        return value - (1 << dtype.bits) if value >> (dtype.bits - 1) else value
    return number(name, value, dtype)


def _shown(value) -> str:
    return "an array" if arrays.is_array(value) else repr(value)


def _tiling(parameter: Parameter, value) -> dict:
    """The scalars of a tiling object, by field and index."""
    cls, name = parameter.tiling, parameter.name
    if not isinstance(value, cls):
        raise ArgumentError(f"argument '{name}' is a {cls.__name__}, found {_shown(value)}")
    found: dict = {}
    counts: dict[str, int] = {}
    for field, index, _ in tiling_places(cls):
        counts[field] = 0 if index is None else index + 1
    for field, index, dtype in tiling_places(cls):
        held = getattr(value, field)
        label = f"{name}.{field}"
        if index is not None:
            size = len(held) if hasattr(held, "__len__") else None
            if size != counts[field]:
                raise ArgumentError(
                    f"field '{label}' holds {counts[field]} elements, found {_elements(held, size)}"
                )
            held, label = held[index], f"{label}[{index}]"
        found[(field, index)] = _scalar(label, dtype, held)
    return found


def _elements(held, size: int | None) -> str:
    return repr(held) if size is None else str(size)


# What the entry takes.


def statics(parameters: list[Parameter], found: dict) -> tuple[dict, dict]:
    """The extents of STATIC dimensions, and the ranks of tensors."""
    from pypto_pro.language.types import STATIC

    extents, ranks = {}, {}
    for parameter in parameters:
        buffer = found.get(parameter.name)
        if parameter.kind != "tensor" or buffer is None:
            continue
        shape = list(parameter.shape)
        ranks[parameter.name] = len(buffer.shape)
        if shape[-1] is Ellipsis:
            shape[-1:] = [STATIC] * (len(buffer.shape) - len(shape) + 1)
        for axis, extent in enumerate(shape):
            if extent is STATIC:
                extents[(parameter.name, axis)] = buffer.shape[axis]
    return extents, ranks


def flatten(layout: Layout, found: dict, block_dim: int, source: Source) -> list:
    """(name, direction, value) of each argument of the entry, in its order."""
    taken = []
    for argument in layout.arguments:
        parameter = argument.parameter
        value = found[parameter.name]
        direction = "in"
        if argument.what == "array":
            direction = "inout" if parameter.written else "in"
            value = _memory(argument, value)
            if parameter.written and value is not None and value.readonly:
                message = f"argument '{parameter.name}' is written by the kernel, and is read-only"
                raise _located(source, parameter, message)
        elif argument.what == "extent":
            value = value.shape[argument.axis]
        elif argument.what == "field":
            value = value[argument.place]
        taken.append((argument.name, direction, value))
    taken.append(("block_dim", "in", block_dim))
    return taken


def _memory(argument: Argument, buffer: Buffer | None) -> Buffer | None:
    """The bytes of an array as elements of the parameter, in one dimension."""
    if buffer is None:
        return None
    dtype = signless(argument.dtype)
    count = buffer.nbytes // dtype.get_byte()
    return Buffer(buffer.address, (count,), None, dtype, buffer.readonly, buffer.owner)
