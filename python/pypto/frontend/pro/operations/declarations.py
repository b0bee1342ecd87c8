# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What a kernel declares: types of tiles, tiles, groups of them."""

from __future__ import annotations

import ast
import dataclasses

from pypto_pro.language.enums import MemorySpace, TensorLayout, TilePad
from pypto_pro.language.types import TileSpec

from ....diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ....language.dtypes import BF16, FP16, FP32, DataType
from ....mlir import ir
from ... import session
from ..builder import ProBuilder, element_type
from ..calls import Call
from ..values import Tile, TileGroup, TileType, describe
from .arguments import chip_of, member, not_yet

# What a tile can hold.
TILE_DTYPES = (
    FP16,
    BF16,
    FP32,
    *(DataType.all[f"{kind}{bits}"] for kind in ("INT", "UINT") for bits in (8, 16, 32, 64)),
)
MAX_ELEMENTS = 1 << 32  # kMaxTileElements of the dialect
MUTEX_IDS = range(32)  # of the language


def tile_type(fb: ProBuilder, call: Call) -> TileType:
    shape = _shape(fb, call)
    dtype = _dtype(fb, call)
    space = _space(fb, call)
    layout = _layout(fb, call, space, shape)
    _check_fractal(fb, call, space, layout, dtype)
    pad = member(fb, call, "pad", TilePad)
    if call["compact"] not in (None, 0):
        not_yet(fb, call, "compact")
    if pad not in (None, TilePad.null) and space is not MemorySpace.Vec:
        raise fb.error(
            call.node_of("pad"),
            f"{call.path}: pad= is for tiles in Vec, which pl.fillpad fills; got {space.name}",
            ParserTypeError,
        )
    _check_rows(fb, call, space, layout, shape, dtype)
    return TileType(
        shape,
        dtype,
        space,
        _valid_shape(fb, call, shape),
        layout,
        _buffer(shape, dtype, space, layout),
        pad=pad,
    )


def from_spec(fb: ProBuilder, spec: TileSpec, node: ast.AST) -> TileType:
    """A `pl.TileType` that Python made in front of the kernel."""
    from pypto_pro.language.registry import OPERATIONS

    arguments = {name: getattr(spec, name) for name in TileSpec.__dataclass_fields__}
    given = {name: node for name, value in arguments.items() if value is not None}
    return tile_type(fb, Call(OPERATIONS["TileType"], "pl.TileType", arguments, given, node))


def _buffer(shape, dtype: DataType, space: MemorySpace, layout: TensorLayout) -> ir.Type:
    """The `!pto.buf` of a tile. One in Mat of layout ZN is the same bytes as its transpose in
    NZ, and is that: loads and moves of it transpose."""
    if space is MemorySpace.Mat and layout is TensorLayout.ZN:
        shape, layout = shape[::-1], TensorLayout.NZ
    return _parsed(
        f"!pto.buf<{shape[0]}x{shape[1]}x{element_type(dtype)}, {space.name.lower()}, "
        f"{layout.name.lower()}>"
    )


_types: dict[str, ir.Type] = {}


def _parsed(text: str) -> ir.Type:
    found = _types.get(text)
    if found is None:
        found = _types[text] = ir.Type.parse(text, session.CONTEXT)
    return found


def _shape(fb: ProBuilder, call: Call) -> tuple[int, int]:
    node = call.node_of("shape")
    shape = fb.static_ints(call["shape"], node, "the shape of a tile")
    if len(shape) == 1:
        shape = [1, *shape]
    if len(shape) != 2:
        raise fb.error(node, f"a tile has two dimensions, found {shape}", ParserTypeError)
    for extent in shape:
        if extent <= 0:
            raise fb.error(node, f"the shape of a tile is positive, found {shape}", ParserTypeError)
    if shape[0] * shape[1] > MAX_ELEMENTS:
        raise fb.error(node, f"no memory holds {shape} elements", ParserTypeError)
    return tuple(shape)


def _dtype(fb: ProBuilder, call: Call) -> DataType:
    node = call.node_of("dtype")
    dtype = fb.static(call["dtype"], node, "the element type of a tile")
    if not isinstance(dtype, DataType):
        raise fb.error(
            node, f"dtype is an element type such as pl.DT_FP16, found {describe(dtype)}"
        )
    if dtype not in TILE_DTYPES:
        raise fb.error(
            node,
            f"tiles of {dtype} are not supported yet; FP16, BF16, FP32 and integers of 8 to 64 "
            "bits are",
            UnsupportedFeatureError,
        )
    return dtype


def _space(fb: ProBuilder, call: Call) -> MemorySpace:
    space = member(fb, call, "target_memory", MemorySpace)
    node = call.node_of("target_memory")
    if space is None:
        return MemorySpace.Vec
    chip = chip_of(fb)
    if space is MemorySpace.DDR:
        raise fb.error(
            node, "a tile is on chip, and DDR is not; pl.make_tensor makes an array there"
        )
    if space.name.startswith("Scale") and chip.arch != "a5":
        raise fb.error(node, f"{space.name} is only supported on A5, not on '{chip.arch}'")
    if space.name not in chip.spaces:
        raise fb.error(
            node, f"tiles in {space.name} are not supported yet", UnsupportedFeatureError
        )
    return space


def _layout(fb: ProBuilder, call: Call, space: MemorySpace, shape) -> TensorLayout:
    layout = member(fb, call, "layout", TensorLayout)
    chip = chip_of(fb)
    info = chip.spaces[space.name]
    if layout is None:
        # A column of values lies in one piece.
        column = space is MemorySpace.Vec and shape[1] == 1
        return TensorLayout.DN if column else TensorLayout[info.layout]
    if layout.name in info.layouts(space.name):
        return layout
    allowed = ", ".join(info.layouts(space.name))
    raise fb.error(
        call.node_of("layout"),
        f"{space.name} tiles require layout in {{{allowed}}}, got {layout.name}. Default for "
        f"'{chip.arch}' is {info.layout}",
        ParserTypeError,
    )


def _check_fractal(fb: ProBuilder, call: Call, space: MemorySpace, layout, dtype) -> None:
    """The bytes of a fractal, which space and element type say."""
    if not call.given("fractal") or call["fractal"] is None:
        return
    node = call.node_of("fractal")
    found = fb.static_int(call["fractal"], node, "fractal")
    wanted = 1024 if space is MemorySpace.Acc and dtype.bits == 32 else 512
    if found != wanted:
        raise fb.error(
            node,
            f"fractals of {found} bytes are not supported; those of {dtype} in {space.name} have "
            f"{wanted}",
            UnsupportedFeatureError,
        )


def _check_rows(fb: ProBuilder, call: Call, space: MemorySpace, layout, shape, dtype) -> None:
    """What lies row by row begins each row on a block of 32 bytes."""
    if space is not MemorySpace.Vec or layout is not TensorLayout.ND:
        return
    found = shape[1] * dtype.get_byte()
    if found % 32 == 0:
        return
    lanes = 32 // dtype.get_byte()
    fix = (
        "; a column of values has layout=pl.DN"
        if shape[1] == 1
        else f"; make it {-(-shape[1] // lanes) * lanes} columns wide and say "
        f"valid_shape=[{shape[0]}, {shape[1]}]"
    )
    raise fb.error(
        call.node_of("shape"),
        f"a tile's rows are a multiple of 32 bytes; [{shape[0]}, {shape[1]}] {dtype} has rows of "
        f"{found} bytes{fix}",
        ParserTypeError,
    )


def _valid_shape(fb: ProBuilder, call: Call, shape) -> tuple[int, int]:
    if call["valid_shape"] is None:
        return shape
    node = call.node_of("valid_shape")
    valid = fb.static_ints(call["valid_shape"], node, "the valid shape of a tile's type")
    if len(valid) == 1:
        valid = [1, *valid]
    if len(valid) != 2:
        raise fb.error(node, f"a valid shape has two numbers, found {valid}", ParserTypeError)
    for extent, whole in zip(valid, shape, strict=True):
        if extent != -1 and not 0 < extent <= whole:
            raise fb.error(
                node,
                f"a valid extent is 1 to that of the tile, {whole}, or -1 where pl.set_validshape "
                f"says it at run time; found {extent}",
                ParserTypeError,
            )
    return tuple(valid)


# Tiles.


def bytes_of(type_: TileType) -> int:
    """Bytes of a tile: whole fractals, where its layout has them."""
    rows, cols = type_.shape
    size = type_.dtype.get_byte()
    if type_.layout in (TensorLayout.ND, TensorLayout.DN):
        return rows * cols * size
    lanes = 16 if type_.space is MemorySpace.Acc else 32 // size
    high, wide = (lanes, 16) if type_.layout is TensorLayout.ZN else (16, lanes)
    return -(-rows // high) * high * -(-cols // wide) * wide * size


def scratch_type(type_: TileType, dtype: DataType) -> TileType:
    """That of scratch in Vec for what a tile holds, as `dtype`: in whole blocks of 32 bytes."""
    lanes = 32 // dtype.get_byte()
    rows, cols = type_.shape
    if type_.layout is TensorLayout.DN:
        rows = -(-rows // lanes) * lanes
    else:
        cols = -(-cols // lanes) * lanes
    shape = rows, cols
    buffer = _buffer(shape, dtype, type_.space, type_.layout)
    return dataclasses.replace(
        type_, shape=shape, dtype=dtype, valid_shape=shape, buffer=buffer, pad=None
    )


def _type(fb: ProBuilder, call: Call, key: str) -> TileType:
    value = call[key]
    if isinstance(value, TileSpec):
        return from_spec(fb, value, call.node_of(key))
    if isinstance(value, TileType):
        return value
    raise fb.error(
        call.node_of(key),
        f"{call.path}: {key} is a pl.TileType(...), found {describe(value)}",
        ParserTypeError,
    )


def _check_address(fb: ProBuilder, type_: TileType, addr: int, size: int, node: ast.AST) -> None:
    chip = chip_of(fb)
    name = type_.space.name
    info = chip.spaces[name]
    if addr < 0:
        raise fb.error(node, f"Tile address {addr} is negative", ParserTypeError)
    if addr % info.alignment:
        raise fb.error(
            node,
            f"Tile address 0x{addr:x} is not {info.alignment}-byte aligned for memory space {name}",
            ParserTypeError,
        )
    if addr + size > info.capacity:
        raise fb.error(
            node,
            f"the tile does not fit {name}: {size} bytes at 0x{addr:x} reach 0x{addr + size:x}, "
            f"and a kernel on '{chip.arch}' has {info.capacity} bytes (0x{info.capacity:x}) there",
            ParserTypeError,
        )


def make_tile(fb: ProBuilder, call: Call) -> Tile:
    type_ = _type(fb, call, "tile_type")
    node = call.node_of("addr")
    addr = fb.static_int(call["addr"], node, "the address of a tile")
    size = bytes_of(type_)
    if call["size"] is not None:
        given = fb.static_int(call["size"], call.node_of("size"), "the size of a tile")
        if given < size:
            raise fb.error(
                call.node_of("size"),
                f"{call.path}: size={given} is less than the {size} bytes of a {type_}",
                ParserTypeError,
            )
        size = given
    _check_address(fb, type_, addr, size, node)
    return fb.make_tile(type_, addr, call.node, call.name)


def make_tile_group(fb: ProBuilder, call: Call) -> TileGroup:
    type_ = _type(fb, call, "type")
    for key in ("fwd_ids", "bwd_ids"):
        not_yet(fb, call, key, "pipelines across cores come later")
    mutex_ids = _mutex_ids(fb, call)
    depth = _depth(fb, call, mutex_ids)
    addrs = _addresses(fb, call, type_, depth)
    if mutex_ids and len(mutex_ids) != len(addrs):
        raise fb.error(
            call.node_of("mutex_ids"),
            f"{call.path}: {len(mutex_ids)} mutex_ids for {len(addrs)} tiles; there is one for "
            "each",
            ParserTypeError,
        )
    return fb.make_group(type_, addrs, mutex_ids, call.node, call.name)


def _depth(fb: ProBuilder, call: Call, mutex_ids: list[int]) -> int | None:
    """How many tiles there are, unless the addresses say it."""
    if call["depth"] is None:
        return len(mutex_ids) or None
    node = call.node_of("depth")
    depth = fb.static_int(call["depth"], node, "depth")
    if depth < 1:
        raise fb.error(node, f"{call.path}: depth is at least 1, found {depth}", ParserTypeError)
    if mutex_ids and depth != len(mutex_ids):
        raise fb.error(
            node,
            f"{call.path}: depth={depth}, and there are {len(mutex_ids)} mutex_ids",
            ParserTypeError,
        )
    return depth


def _addresses(fb: ProBuilder, call: Call, type_: TileType, depth: int | None) -> list[int]:
    node = call.node_of("addrs")
    size = bytes_of(type_)
    given = call["addrs"]
    if isinstance(given, (list, tuple)):
        addrs = fb.static_ints(given, node, "the addresses of tiles")
        if not addrs:
            raise fb.error(node, f"{call.path}: addrs is empty", ParserTypeError)
        if depth is not None and depth != len(addrs):
            raise fb.error(
                node, f"{call.path}: {len(addrs)} addrs for {depth} tiles", ParserTypeError
            )
    else:
        base = fb.static_int(given, node, "the address of the first tile")
        if depth is None:
            raise fb.error(
                call.node,
                f"{call.path}: how many tiles? Say depth=, mutex_ids=, or a list of addrs",
                ParserTypeError,
            )
        addrs = [base + slot * size for slot in range(depth)]
    _check_distinct(fb, call, "addrs", addrs, "0x{:x}")
    for addr in addrs:
        _check_address(fb, type_, addr, size, node)
    return addrs


def _check_distinct(fb: ProBuilder, call: Call, key: str, values: list, form: str) -> None:
    twice = next((value for value in values if values.count(value) > 1), None)
    if twice is not None:
        raise fb.error(
            call.node_of(key),
            f"{call.path}: {form.format(twice)} is twice in {key}",
            ParserTypeError,
        )


def _mutex_ids(fb: ProBuilder, call: Call) -> list[int]:
    given = call["mutex_ids"]
    if given is None:
        return []
    node = call.node_of("mutex_ids")
    if isinstance(given, (list, tuple)) and any(isinstance(i, (list, tuple)) for i in given):
        raise fb.error(
            node,
            f"{call.path}: several mutex ids for a tile are not supported yet; give one for each",
            UnsupportedFeatureError,
        )
    ids = fb.static_ints(given, node, "mutex_ids")
    for number in ids:
        check_mutex_id(fb, number, node)
    _check_distinct(fb, call, "mutex_ids", ids, "{}")
    return ids


def check_mutex_id(fb: ProBuilder, number: int, node: ast.AST) -> None:
    if number not in MUTEX_IDS:
        raise fb.error(
            node, f"mutex ids are in [0, {MUTEX_IDS.stop - 1}], got {number}", ParserTypeError
        )
    chip = chip_of(fb)
    # A chip without mutexes orders what they guard by flags.
    if chip.mutex_ids and number >= chip.mutex_ids:
        raise fb.error(
            node,
            f"mutex ids of a kernel on '{chip.arch}' are in [0, {chip.mutex_ids - 1}], got "
            f"{number}: the others belong to the chip's own code",
            ParserTypeError,
        )


__all__ = [
    "check_mutex_id",
    "from_spec",
    "make_tile",
    "make_tile_group",
    "scratch_type",
    "tile_type",
]
