# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The control plane's views of arrays: slices and element reads."""

from __future__ import annotations

import ast

from ..diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ..mlir import ir
from . import scalars, session
from .builder import FunctionBuilder
from .values import Array, Value, Window, describe


def content(fb: FunctionBuilder, array: Array):
    """The array as code in front of an open cluster names it: nothing but kernels
    stands in one."""
    return array.ir if fb.cluster is None else fb.cluster.of(array)


def _require_control(fb: FunctionBuilder, what: str, value, node: ast.AST) -> None:
    if fb.plane == "control" and isinstance(value, Array):
        return
    if fb.plane != "control":
        where, fix = "a placed region" if fb.region else "a kernel", ""
        if isinstance(value, Array):
            if fb.region:
                part = ast.unparse(node) if isinstance(node, ast.Subscript) else f"{what}(...)"
                fix = f"; write `part = {part}` in front of the region and use part in it, or"
            fix = f"{fix or ';'} pl.load copies a window into a tile"
        raise fb.error(
            node,
            f"reading a part of {describe(value)} with {what} is not supported yet in {where}{fix}",
            UnsupportedFeatureError,
        )
    raise fb.error(
        node, f"{what} takes a part of an array, found {describe(value)}", ParserTypeError
    )


# Subscripts.


def subscript(fb: FunctionBuilder, node: ast.Subscript, base, name: str | None):
    """`x[i, j]` reads an element; anything shorter is a slice."""
    items = subscripts(node)
    sliced = any(isinstance(item, ast.Slice) for item in items)
    if fb.plane != "control" and is_data(base):
        return _part(fb, node, base, items, name)
    if isinstance(base, Array) and not sliced and len(items) == len(base.type.shape):
        _require_control(fb, "[...] (pl.read)", base, node)
        return _read(fb, base, _indices(fb, items), items, node, name)
    _require_control(fb, "[...] (pl.slice)", base, node)
    offsets, extents = bounds(fb, node, base)
    _require_known(items, extents, fb)
    scalar = [not isinstance(item, ast.Slice) for item in items]
    dropped = scalar.index(False) if False in scalar else len(scalar)
    if any(scalar[dropped:]):
        place = items[dropped + scalar[dropped:].index(True)]
        raise fb.error(
            place,
            f"an index behind a slice takes a column, whose elements lie apart; keep the "
            f"dimension: {ast.unparse(place)}:{ast.unparse(place)} + 1",
            UnsupportedFeatureError,
        )
    return make_slice(fb, base, offsets, tuple(extents), dropped, node, name)


def is_data(value) -> bool:
    return isinstance(value, Array) or (
        isinstance(value, Value) and value.type.kind in ("tile", "array")
    )


def _part(fb: FunctionBuilder, node: ast.Subscript, base, items: list, name: str | None):
    """In a kernel: an element, or a window of an array or a tile as a value."""
    from . import data

    sliced = any(isinstance(item, ast.Slice) for item in items)
    row = data.is_tile(base) and base.type.shape[0] == 1 and len(items) == 1
    if items and not sliced and (len(items) == len(base.type.shape) or row):
        return data.element(fb, base, _indices(fb, items), items, node, name)
    offsets, extents = bounds(fb, node, base)
    _require_known(items, extents, fb)
    if not items or (tuple(extents) == tuple(base.type.shape) and not any(offsets)):
        return base
    scalar = [dim for dim, item in enumerate(items) if not isinstance(item, ast.Slice)]
    dropped = () if data.is_tile(base) else tuple(scalar)
    return data.window(fb, base, offsets, tuple(extents), dropped, node, name)


def _require_known(items: list, extents: list, fb: FunctionBuilder) -> None:
    for item, extent in zip(items, extents, strict=False):
        if extent is None:
            raise fb.error(
                item,
                "how many elements a window has is known when the kernel is compiled, found "
                f"'{ast.unparse(item)}'; write x[i:i + 64]",
                ParserTypeError,
            )


def subscripts(node: ast.Subscript) -> list:
    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if len(items) == 1 and isinstance(items[0], ast.Constant) and items[0].value is Ellipsis:
        return []
    return list(items)


def bounds(fb: FunctionBuilder, node: ast.Subscript, array) -> tuple[list, list]:
    """Offsets, and extents (None: known at run time only), of a subscript's window."""
    from .expressions import evaluate

    shape = array.type.shape
    items = subscripts(node)
    if len(items) > len(shape):
        raise fb.error(node, f"{len(items)} subscripts for {describe(array)}", ParserTypeError)
    offsets, extents = [], []
    for item, size in zip(items, shape, strict=False):
        if not isinstance(item, ast.Slice):
            offsets.append(scalars.index(fb, evaluate(fb, item), item, "an index"))
            _refuse_negative(fb, item, offsets[-1], size)
            extents.append(1)
            continue
        if item.step is not None:
            raise fb.error(item.step, "a window has no step", UnsupportedFeatureError)
        lower = 0 if item.lower is None else evaluate(fb, item.lower)
        _refuse_negative(fb, item.lower, lower, size)
        offsets.append(scalars.index(fb, lower, item, "an offset"))
        extents.append(_extent(fb, item, offsets[-1], size))
    offsets += [0] * (len(shape) - len(items))
    extents += list(shape[len(items) :])
    return offsets, extents


def _refuse_negative(fb: FunctionBuilder, node: ast.expr | None, bound, size: int) -> None:
    if isinstance(bound, int) and bound < 0:
        counted = f"; write {size + bound}" if size + bound >= 0 else ""
        raise fb.error(
            node,
            f"a bound of a window counts from the beginning, and this one is negative, {bound}"
            f"{counted}",
            UnsupportedFeatureError,
        )


def _extent(fb: FunctionBuilder, item: ast.Slice, lower, size: int):
    """The extent of `lower:upper`: known as well where only the offset is not, as in
    `i * 64:(i + 1) * 64`."""
    from .expressions import evaluate

    if item.upper is None:
        return size - lower if isinstance(lower, int) else None
    found = evaluate(fb, item.upper)
    _refuse_negative(fb, item.upper, found, size)
    upper = scalars.index(fb, found, item.upper, "a bound of a window")
    distance = difference(upper, lower)
    if not isinstance(upper, int):
        _drop_unused(fb, upper)
    if distance is not None and distance <= 0:
        raise fb.error(item, f"the window '{ast.unparse(item)}' has no elements")
    return distance


def _drop_unused(fb: FunctionBuilder, value) -> None:
    """A bound that was read for its distance to the other one only."""
    named = {hash(known.ir) for known in fb.env.values() if isinstance(known, Value)}
    pending = [value]
    while pending:
        value = pending.pop()
        owner = value.owner
        if isinstance(owner, ir.Block) or not owner.name.startswith(("arith.", "pto.block.array_")):
            continue
        # Lists of the author's may hold it too; they are rare, so all keep everything.
        listed = any(isinstance(known, (list, tuple)) for known in fb.env.values())
        if owner.name == "arith.constant" or listed or hash(value) in named:
            continue
        if next(iter(value.uses), None) is None and owner.operation.block == fb.ip.block:
            pending += list(owner.operands)
            owner.operation.erase()


# Arithmetic on offsets, as far as it tells windows apart.


def linear(value) -> tuple[dict, int]:
    """An offset as numbers times values plus a number."""
    if isinstance(value, int):
        return {}, value
    owner = value.owner
    if isinstance(owner, ir.Block):
        return {_key(value): 1}, 0
    name, operands = owner.name, list(owner.operands)
    if name in ("arith.index_cast", "arith.extsi"):
        # A sum of fewer bits that wraps around is no place in any array, which the run says.
        return linear(operands[0])
    if name == "arith.constant":
        return {}, ir.IntegerAttr(owner.attributes["value"]).value
    if name in ("arith.addi", "arith.subi"):
        sign = 1 if name == "arith.addi" else -1
        (terms, constant), (others, added) = map(linear, operands)
        terms = dict(terms)
        for key, factor in others.items():
            terms[key] = terms.get(key, 0) + sign * factor
        return {k: f for k, f in terms.items() if f}, constant + sign * added
    if name == "arith.muli":
        for one, other in (operands, operands[::-1]):
            terms, constant = linear(one)
            if not terms:
                terms, added = linear(other)
                scaled = {key: factor * constant for key, factor in terms.items()}
                return {k: f for k, f in scaled.items() if f}, added * constant
    return {_key(value): 1}, 0


# Operations whose operands say all of their result.
_FUNCTIONS = {
    *("arith.index_cast", "arith.divsi", "arith.floordivsi", "arith.ceildivsi", "arith.remsi"),
    *("arith.minsi", "arith.maxsi", "arith.muli", "pto.block.array_get", "arith.extsi"),
}


def _key(value):
    """Values with one key are equal."""
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.name not in _FUNCTIONS:
        return hash(value)
    return owner.name, str(value.type), *map(_key, owner.operands)


def difference(one, other) -> int | None:
    """one - other, if it is known."""
    (terms, constant), (others, subtracted) = linear(one), linear(other)
    return constant - subtracted if terms == others else None


def overlap(one: Array, other: Array) -> bool | None:
    """Whether two arrays share elements; None: it is known at run time only."""
    if one is other:
        return True
    if one.sources or other.sources:
        both = {id(array) for array in one.owners()} & {id(array) for array in other.owners()}
        return None if both else False
    (root, offsets, sizes), (base, others, extents) = _place(one), _place(other)
    if root is not base:
        if root.sources or base.sources:
            return overlap(root, base)
        return False
    known = True
    for offset, size, begin, extent in zip(offsets, sizes, others, extents, strict=True):
        distance = _distance(begin, offset)
        if distance is None:
            known = False
        elif distance >= size or -distance >= extent:
            return False
    return True if known else None


def _place(array: Array) -> tuple[Array, list, list]:
    """(array that is no window, offsets as lists of what is added up, sizes) of it."""
    if array.window is None:
        return array, [[] for _ in array.type.shape], list(array.type.shape)
    window = array.window
    root, offsets, sizes = _place(window.base)
    # Dimensions that a window of a window has lost are its leading ones, of one element.
    skipped = len(offsets) - len(window.offsets)
    for index, (offset, size) in enumerate(zip(window.offsets, window.sizes, strict=True)):
        offsets[skipped + index] = [*offsets[skipped + index], offset]
        sizes[skipped + index] = size
    return root, offsets, sizes


def _distance(one: list, other: list) -> int | None:
    """The sum of one minus the sum of the other."""
    total, terms = 0, {}
    for sign, parts in ((1, one), (-1, other)):
        for part in parts:
            factors, constant = linear(part)
            total += sign * constant
            for key, factor in factors.items():
                terms[key] = terms.get(key, 0) + sign * factor
    return None if any(terms.values()) else total


# Slices.


def slice_(fb: FunctionBuilder, call) -> Array:
    array, _, _, _, drop, _, _ = call.args
    _require_control(fb, call.path, array, call.place(0))
    from .build import indices, not_yet, static_shape

    not_yet(fb, call, 3, "valid_shape", None)
    not_yet(fb, call, 5, "pad_value", None)
    not_yet(fb, call, 6, "clamp", False)
    shape = static_shape(fb, call, 1, "the shape of a slice")
    dynamic, static = indices(fb, call, 2, "offsets")
    rest = iter(dynamic)
    offsets = [next(rest) if offset == session.DYNAMIC else offset for offset in static]
    rank = len(array.type.shape)
    for index, found in ((1, shape), (2, offsets)):
        if len(found) != rank:
            raise fb.error(
                call.place(index),
                f"{call.path}: {describe(array)} has {rank} dimensions, found {len(found)}",
                ParserTypeError,
            )
    return make_slice(
        fb, array, offsets, shape, _dropped(fb, call, drop, shape), call.node, call.name
    )


def _dropped(fb: FunctionBuilder, call, drop, shape: tuple) -> int:
    """How many leading dimensions `drop_dims=` leaves out."""
    from . import data

    axes = data.dropped_axes(fb, call, drop, shape)
    if axes != tuple(range(len(axes))) or axes and len(axes) == len(shape):
        raise fb.error(
            call.place(4),
            f"{call.path}: drop_dims= leaves out leading dimensions, found {list(drop)}",
            UnsupportedFeatureError,
        )
    return len(axes)


def make_slice(fb, array: Array, offsets, sizes: tuple, dropped: int, node, name) -> Array:
    if not dropped and sizes == array.type.shape:
        return array
    kind = _slice_type(array.type, sizes, len(sizes) - dropped)
    if kind is None:
        raise fb.error(
            node,
            f"a window of {list(sizes)} of {describe(array)} is not rows at equal distance; take "
            "whole rows, or one matrix of it at a time",
            UnsupportedFeatureError,
        )
    for index, (offset, size, extent) in enumerate(
        zip(offsets, sizes, array.type.shape, strict=True)
    ):
        if isinstance(offset, int) and offset + size > extent:
            raise fb.error(
                node,
                f"the window reaches from {offset} to {offset + size} in dimension {index}, and "
                f"'{array.name}', {describe(array)}, ends at {extent}",
            )
    static = [offset if isinstance(offset, int) else session.DYNAMIC for offset in offsets]
    dynamic = [offset for offset in offsets if not isinstance(offset, int)]
    attributes = {"static_offsets": session.int64s(static), "sizes": session.int64s(sizes)}
    made = fb.value(
        "pto.tensor.slice", kind, [content(fb, array), *dynamic], attributes, node, name
    )
    found = Array(made.ir, kind, array.name, array.direction, node=array.node)
    found.window = Window(array, list(offsets), tuple(sizes))
    fb.track(found)
    return found


def _slice_type(source, sizes: tuple, rank: int):
    """The type of a window, by the rules of TensorSliceOp::inferType; None if its rows
    are not at equal distance."""
    shape, left = source.shape, sizes[len(sizes) - rank :]
    pitch = source.pitch or shape[-1]
    if left[-1] != shape[-1] or pitch != shape[-1]:
        if any(extent != 1 for extent in left[:-2]):
            return None
        if len(left) > 2 and left[-2] != 1:
            return None
        apart = len(left) == 2 and left[0] != 1
        return session.tensor_type(left, source.dtype, pitch if apart else 0)
    whole = True
    for size, extent in zip(reversed(sizes), reversed(shape), strict=True):
        if size != 1 and not whole:
            return None
        whole = whole and size == extent
    return session.tensor_type(left, source.dtype)


# Elements.


def _indices(fb: FunctionBuilder, items: list) -> list:
    from .expressions import evaluate

    return [evaluate(fb, item) for item in items]


def read(fb: FunctionBuilder, call) -> Value:
    array, index = call.args
    _require_control(fb, call.path, array, call.place(0))
    items = list(index) if isinstance(index, (list, tuple)) else [index]
    if len(items) != len(array.type.shape):
        raise fb.error(
            call.place(1),
            f"{call.path}: {describe(array)} has {len(array.type.shape)} indices, found "
            f"{len(items)}",
            ParserTypeError,
        )
    place = call.place(1)
    nodes = place.elts if isinstance(place, (ast.List, ast.Tuple)) else [place] * len(items)
    return _read(fb, array, items, nodes, call.node, call.name)


def _read(fb: FunctionBuilder, array: Array, items: list, nodes, node, name) -> Value:
    static, dynamic = [], []
    for value, place, extent in zip(items, nodes, array.type.shape, strict=True):
        found = scalars.index(fb, value, place, "an index")
        if isinstance(found, int):
            _refuse_negative(fb, place, found, extent)
            if found >= extent:
                raise fb.error(place, f"index {found} is not within 0 to {extent - 1}")
            static.append(found)
        else:
            static.append(session.DYNAMIC)
            dynamic.append(found)
    return fb.value(
        "pto.tensor.read",
        session.scalar_type(array.type.dtype),
        [content(fb, array), *dynamic],
        {"static_offsets": session.int64s(static)},
        node,
        name,
    )
