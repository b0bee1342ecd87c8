# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Rows that are collected from an array."""

from __future__ import annotations

from ..diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ..language.enums import MemorySpace
from . import data
from .build import Call, call_by_name, is_data, require_writable, static_shape
from .builder import FunctionBuilder
from .values import Array, Value, describe


def gather_row(fb: FunctionBuilder, call: Call):
    """A window that is read and written into another: a load or a slice, then an assemble."""
    target, source, _, _, _, transpose, valid = call.args
    data.require_data(fb, call)
    _check_ends(fb, call, target, source)
    shape = static_shape(fb, call, 4, "the shape of a slice")
    for base in (source, target):
        rank = len(base.type.shape)
        if len(shape) != rank:
            raise fb.error(
                call.place(4),
                f"{call.path}: {describe(base)} has {rank} dimensions, found {len(shape)}",
                ParserTypeError,
            )
    begin = data.argument_places(fb, call, 2, target, "offsets")
    offsets = data.argument_places(fb, call, 3, source, "offsets")
    extents = None if valid is None else data.checked_extents(fb, call, 6, valid, shape)
    read = _tile if data.is_tile(target) else _array
    part = read(fb, call, source, offsets, shape, extents)
    if transpose:
        part = call_by_name(fb, "transpose", [part, -2, -1], call.node, None)
    if extents is None or not data.is_tile(target):
        data.check_inside(fb, target, begin, part.type.shape, call.node)
    return data.assemble_into(fb, target, part, begin, call.node, call.name)


def _check_ends(fb: FunctionBuilder, call: Call, target, source) -> None:
    if not is_data(source) or data.is_tile(source):
        raise fb.error(
            call.place(1),
            f"{call.path} takes an array, found {describe(source)}",
            ParserTypeError,
        )
    data.require_same_dtype(fb, call, target, source)
    if type(call.args[5]) is not bool:
        raise fb.error(call.place(5), "transpose= is True or False", ParserTypeError)
    if data.is_tile(target) and target.type.space not in (None, MemorySpace.Vec):
        raise fb.error(
            call.place(0),
            f"{call.path} into {target.type.space} is not supported yet; collect the rows in Vec, "
            "pl.store the tile and pl.load it from there",
            UnsupportedFeatureError,
        )
    if isinstance(target, Array):
        require_writable(fb, target, call.place(0), call.path)


def _tile(fb: FunctionBuilder, call: Call, source, offsets, shape, extents) -> Value:
    if not isinstance(source, Array):
        raise fb.error(
            call.place(1),
            f"{call.path} reads an array in DDR; this one is computed, not stored",
            ParserTypeError,
        )
    return call_by_name(
        fb,
        "load",
        [source, call.args[3], list(shape), call.args[6], None, False],
        call.node,
        None,
        [call.place(1), call.place(3), call.place(4), call.place(6), call.node, call.node],
    )


def _array(fb: FunctionBuilder, call: Call, source, offsets, shape, extents) -> Value:
    known = extents is None or all(isinstance(extent, int) for extent in extents)
    if not known or (extents and 0 in extents):
        raise fb.error(
            call.place(6),
            f"{call.path}: a computed array has one element or more, as many as are known when "
            "the kernel is compiled; gather into a tile",
            UnsupportedFeatureError,
        )
    return data.window(fb, source, offsets, tuple(extents or shape), (), call.node, None)
