# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Parts, elements, other shapes and new tiles in the language's syntax."""

from __future__ import annotations

from .types import annotation, parse_type

_ADDS = ", atomic=pl.AtomicType.Add"


def _level(operation) -> str:
    return "tile" if operation.name.startswith("pto.tile.") else "tensor"


def _names(printer, operation) -> list[str]:
    return [printer.name(operand) for operand in operation.operands]


def _made(operation):
    return parse_type(operation.results[0].type)


def _place(printer, operation, offsets) -> str:
    return printer.mixed(list(offsets), operation.attributes["static_offsets"])


def _slice(printer, operation) -> None:
    tile, row, col, rows, cols = _names(printer, operation)
    made = _made(operation)
    text = f"{tile}, {list(made.shape)}, [{row}, {col}]"
    # pl.slice computes in Vec; what goes elsewhere is cut on the way.
    if made.space is not None and made.space.name != "Vec":
        text = f"{tile}, {row}, {col}, {list(made.shape)}, target_memory=pl.Mem.{made.space.name}"
        printer.assign(operation, f"pl.extract({text})")
        return
    if [rows, cols] != [str(extent) for extent in made.shape]:
        text += f", [{rows}, {cols}]"
    printer.assign(operation, f"pl.slice({text})")


def _window(printer, operation) -> None:
    array, *offsets = list(operation.operands)
    sizes, shape = list(operation.attributes["sizes"]), list(_made(operation).shape)
    text = f"{printer.name(array)}, {sizes}, {_place(printer, operation, offsets)}"
    if len(shape) < len(sizes):
        dropped, left = [], list(shape)
        for axis, size in enumerate(sizes):
            if left and left[0] == size:
                left.pop(0)
            else:
                dropped.append(axis)
        text += f", drop_dims={dropped}"
    printer.assign(operation, f"pl.slice({text})")


def _element(printer, operation) -> None:
    source, *offsets = list(operation.operands)
    printer.assign(
        operation, f"pl.read({printer.name(source)}, {_place(printer, operation, offsets)})"
    )


def _set_value(printer, operation) -> None:
    value, target, *offsets = list(operation.operands)
    where = _place(printer, operation, offsets)
    line = f"pl.write({printer.name(target)}, {where}, {printer.name(value)})"
    printer.line(line + printer.behind(operation, line))


def _tensor_write(printer, operation) -> None:
    _set_value(printer, operation)
    # The result is the same array.
    printer.rename(operation.results[0], printer.name(operation.operands[1]))


def _tile_write(printer, operation) -> None:
    tile, value, row, col = _names(printer, operation)
    made = operation.results[0]
    kind = annotation(parse_type(made.type))
    printer.line(f"{printer.define(made)}: {kind} = {tile}")
    printer.rename(operation.operands[0], printer.name(made))
    line = f"pl.write({printer.name(made)}, [{row}, {col}], {value})"
    printer.line(line + printer.behind(operation, line))
    printer.names[operation.operands[0]] = tile
    printer.rename(made, printer.name(made))


def _tile_assemble(printer, operation) -> None:
    target, source, row, col = _names(printer, operation)
    printer.assign(operation, f"pl.assemble({target}, {source}, [{row}, {col}])")


def _tensor_assemble(printer, operation) -> None:
    source, target, *offsets = list(operation.operands)
    where = _place(printer, operation, offsets)
    adds = _ADDS if "atomic_add" in operation.attributes else ""
    text = f"pl.assemble({printer.name(target)}, {printer.name(source)}, {where}{adds})"
    printer.assign(operation, text)


def _reshape(printer, operation) -> None:
    operands = _names(printer, operation)
    if not list(operation.results):
        printer.assign(operation, f"pl.reshape({operands[0]}, out={operands[1]})")
        return
    made, source = _made(operation), parse_type(operation.operands[0].type)
    shape = list(made.shape)
    if made.dtype is source.dtype:
        printer.assign(operation, f"pl.reshape({operands[0]}, {shape})")
    else:
        text = f"{operands[0]}, pl.{made.dtype}, shape={shape}"
        printer.assign(operation, f"pl.reinterpret_view({text})")


def _transpose(printer, operation) -> None:
    operands = _names(printer, operation)
    axes = [0, 1]
    if _level(operation) == "tensor":
        axes = [int(str(operation.attributes[f"axis{n}"]).split()[0]) for n in (1, 2)]
    out = f", out={operands[1]}" if len(operands) > 1 else ""
    printer.assign(operation, f"pl.transpose({operands[0]}, {axes[0]}, {axes[1]}{out})")


def _fillpad(printer, operation) -> None:
    operands = _names(printer, operation)
    if not list(operation.results):
        source, value, out = operands
        printer.assign(operation, f"pl.fillpad({source}, {value}, out={out})")
        return
    shape, before = _made(operation).shape, parse_type(operation.operands[0].type).shape
    name = "fillpad" if shape == before else "fillpad_expand"
    extents = "" if shape == before else f"{list(shape)}, "
    printer.assign(operation, f"pl.{name}({operands[0]}, {extents}{operands[1]})")


def _new(call: str):
    """`call(operands, shape, dtype)`, with what the attributes say."""

    def handler(printer, operation) -> None:
        operands = _names(printer, operation)
        words = [f"{word}=True" for word in ("descending", "upper") if word in operation.attributes]
        if "rounds" in operation.attributes:
            words.append(f"rounds={str(operation.attributes['rounds']).split()[0]}")
        if not list(operation.results):
            printer.assign(
                operation,
                f"pl.{call}({', '.join([*operands[:-1], f'out={operands[-1]}', *words])})",
            )
            return
        made = _made(operation)
        parts = [*operands, str(list(made.shape)), f"dtype=pl.{made.dtype}", *words]
        printer.assign(operation, f"pl.{_level(operation)}.{call}({', '.join(parts)})")

    return handler


def _create(printer, operation) -> None:
    made = _made(operation)
    space = f", pl.Mem.{made.space.name}" if made.space is not None else ""
    printer.assign(operation, f"pl.create_tile({list(made.shape)}, pl.{made.dtype}{space})")


def _view(printer, operation) -> None:
    made = _made(operation)
    source = printer.name(operation.operands[0])
    shape = ["-1" if extent < 0 else str(extent) for extent in made.shape]
    printer.assign(operation, f"pl.tensor.view({source}, [{', '.join(shape)}])")


def _dim(printer, operation) -> None:
    axis = str(operation.attributes["dim"]).split()[0]
    printer.assign(operation, f"pl.tensor.dim({printer.name(operation.operands[0])}, {axis})")


HANDLERS = {
    "pto.tile.slice": _slice,
    "pto.tile.assemble": _tile_assemble,
    "pto.tile.write": _tile_write,
    "pto.tile.get_value": _element,
    "pto.tile.set_value": _set_value,
    "pto.tile.create": _create,
    "pto.tile.view": _view,
    "pto.tile.dim": _dim,
    "pto.tensor.window": _window,
    "pto.tensor.element": _element,
    "pto.tensor.write": _tensor_write,
    "pto.tensor.assemble": _tensor_assemble,
    "pto.tensor.view": _view,
    "pto.tensor.dim": _dim,
    **{f"pto.{level}.reshape": _reshape for level in ("tile", "tensor")},
    **{f"pto.{level}.transpose": _transpose for level in ("tile", "tensor")},
    **{f"pto.{level}.fillpad": _fillpad for level in ("tile", "tensor")},
    **{
        f"pto.{level}.{name}": _new(name)
        for level in ("tile", "tensor")
        for name in ("ci", "tri", "random")
    },
}
