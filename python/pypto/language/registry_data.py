# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Movement, creation, scalars, and what is known when a kernel is compiled."""

from __future__ import annotations

from .registry_forms import add
from .registry_tasks import example

# Movement.
_load = (
    "(tensor: Tensor, offsets: Sequence[int | Scalar], shapes: Sequence[int], "
    "valid_shape: Sequence[int | Scalar] | None = None, target_memory: MemorySpace | None = None, "
    "clamp: bool = False) -> Tile"
)
add(
    "load",
    "Copies a window of an array in DDR into a tile in Vec or Mat. Without `target_memory` the "
    "operations that use the tile decide: Vec, unless they want Mat.",
    {"": _load, "tile": _load},
    build="transfers.load",
)
_store = (
    "(tile: Tile, offsets: Sequence[int | Scalar], output_tensor: Tensor, "
    "shapes: Sequence[int] | None = None, *, atomic: AtomicType = AtomicType.None_) -> Tensor"
)
add(
    "store",
    "Copies a tile in Vec or Acc into a window of an array in DDR; gives the array.",
    {"": _store, "tile": _store},
    build="transfers.store",
)
_move = (
    "(tile: Tile, target_memory: MemorySpace, blayout: TileLayout | None = None, "
    "slayout: TileLayout | None = None) -> Tile"
)
add(
    "move",
    "Copies a tile to another space: Mat to Left, Right or Bias, Vec to Vec.",
    {"": _move, "tile": _move},
    build="transfers.move",
)
_valid = "(input: T, valid_rows: int | Scalar, valid_cols: int | Scalar) -> T"
add(
    "set_validshape",
    "Says how many rows and columns of a tile are valid.",
    {"": _valid, "tile": _valid.replace("input: T", "tile: Tile").replace("-> T", "-> Tile")},
    build="transfers.set_validshape",
)

# Parts of arrays and tiles, and their elements.
_slice = (
    "({x}: {T}, shape: Sequence[int], offset: Sequence[int | Scalar], "
    "valid_shape: Sequence[int | Scalar] | None = None, drop_dims: Sequence[int] | None = None, "
    "pad_value: PadValue | int | float | None = None{clamp}) -> {T}"
)
_clamp = ", clamp: bool = False"
add(
    "slice",
    "A window of an array or a tile: on the control plane the same memory, in a kernel a value. "
    "`valid_shape` says how much of it is valid, `pad_value` fills the rest, `clamp` ends it where "
    "the array ends.",
    {
        "": _slice.format(x="input", T="T", clamp=_clamp),
        "tensor": _slice.format(x="tensor", T="Tensor", clamp=_clamp),
        "tile": _slice.format(x="tile", T="Tile", clamp=""),
    },
    build="data.slice_",
    plane="anywhere",
    example=example("""
for i in pl.range(2):
    square(pl.slice(x, [64, 64], [i * 64, 0]), out[i * 64:(i + 1) * 64, :])
"""),
)
_read = "({x}: {T}, {i}: int | Scalar | Sequence[int | Scalar]) -> Scalar"
add(
    "read",
    "An element, as a scalar.",
    {
        "": _read.format(x="src", T="Tensor | Tile", i="offset"),
        "tensor": _read.format(x="tensor", T="Tensor", i="indices"),
        "tile": _read.format(x="tile", T="Tile", i="indices"),
    },
    ir="get_value",
    build="data.read",
    plane="anywhere",
    example=example(
        """
square(x, out)
if x[0, 0] > 1.0:
    square(x, out)
""",
        "64, 64",
    ),
)
_write = (
    "({x}: {T}, {i}: int | Scalar | Sequence[int | Scalar], value: int | float | Scalar) -> None"
)
add(
    "write",
    "Changes an element.",
    {
        "": _write.format(x="dst", T="Tensor | Tile", i="offset"),
        "tensor": _write.format(x="tensor", T="Tensor", i="indices"),
        "tile": _write.format(x="tile", T="Tile", i="indices"),
    },
    build="data.write",
    operands=0,
    plane="anywhere",
)
_assemble = "(target: {T}, source: {S}, offset: Sequence[int | Scalar]{atomic}) -> {T}"
_atomic = ", *, atomic: AtomicType = AtomicType.None_"
add(
    "assemble",
    "Writes an array or a tile into a window of another, from `offset` on.",
    {
        "": _assemble.format(T="T", S="T", atomic=_atomic),
        "tensor": _assemble.format(T="Tensor", S="Tensor", atomic=_atomic),
        "tile": _assemble.format(T="Tile", S="Tile", atomic=""),
    },
    build="data.assemble",
    operands=0,
)
_extract = (
    "(src: Tile, index_row: int | Scalar, index_col: int | Scalar, shape: Sequence[int], *, "
    "target_memory: MemorySpace) -> Tile"
)
add(
    "extract",
    "A window of a tile in Mat, on its way to Left, Right or Mat.",
    {"": _extract, "tile": _extract},
    ir="slice",
    build="data.extract",
    operands=0,
)

# Other shapes.
add(
    "concat",
    "The columns of one behind those of the other.",
    {
        "": "(src0: T, src1: T) -> T",
        "tensor": "(src0: Tensor, src1: Tensor) -> Tensor",
        "tile": "(src0: Tile, src1: Tile) -> Tile",
    },
    build="data.concat",
    operands=0,
)
add(
    "reshape",
    "The same elements in another shape.",
    {
        "": "(input: T, shape: Sequence[int]) -> T",
        "tensor": "(tensor: Tensor, shape: Sequence[int]) -> Tensor",
        "tile": "(tile: Tile, shape: Sequence[int]) -> Tile",
    },
    build="data.reshape",
    plane="anywhere",
)
_reinterpret = "(data: {T}, dtype: DataType, *, shape: Sequence[int] | None = None) -> {T}"
add(
    "reinterpret_view",
    "The same bytes as elements of another type.",
    {
        "": _reinterpret.format(T="T"),
        "tensor": _reinterpret.format(T="Tensor"),
        "tile": _reinterpret.format(T="Tile"),
    },
    ir="reshape",
    build="data.reinterpret_view",
    plane="anywhere",
)
add(
    "transpose",
    "Two dimensions exchanged. The compiler finds scratch by itself.",
    {
        "": "(input: T, axis1: int, axis2: int) -> T",
        "tensor": "(tensor: Tensor, axis1: int, axis2: int) -> Tensor",
        "tile": "(tile: Tile, axis1: int, axis2: int, tmp_tile: Tile | None = None) -> Tile",
    },
    build="data.transpose",
)
add(
    "transpose_view",
    "A tile in Mat, read with rows and columns exchanged on its way to Left or Right.",
    {"tile": "(tile: Tile) -> Tile"},
    build="data.transpose_view",
)
_view = (
    "(tensor: Tensor, shape: Sequence[int] | None = None, "
    "valid_shape: Sequence[int | Scalar] | None = None, *, layout: TensorLayout | None = None) "
    "-> Tensor"
)
add(
    "view",
    "An array in another shape, in the same memory.",
    {"": _view, "tensor": _view},
    ir="reshape",
    build="data.view",
    plane="anywhere",
)
_pad = "{x}: {T}, pad_value: PadValue | int | float = PadValue.zero) -> {T}"
add(
    "fillpad",
    "Fills what is not valid, so that all of it is.",
    {
        "": "(" + _pad.format(x="value", T="T"),
        "tensor": "(" + _pad.format(x="tensor", T="Tensor"),
        "tile": "(" + _pad.format(x="tile", T="Tile"),
    },
    build="data.fillpad",
)
add(
    "fillpad_inplace",
    "The same as `pl.fillpad`: a tile is a value.",
    {"": "(" + _pad.format(x="tile", T="Tile"), "tile": "(" + _pad.format(x="tile", T="Tile")},
    ir="fillpad",
    build="data.fillpad",
)
_expand = (
    "({x}: {T}, shape: Sequence[int], pad_value: PadValue | int | float = PadValue.zero) -> {T}"
)
add(
    "fillpad_expand",
    "A larger one, with the padding around what there is.",
    {
        "": _expand.format(x="value", T="T"),
        "tensor": _expand.format(x="tensor", T="Tensor"),
        "tile": _expand.format(x="tile", T="Tile"),
    },
    ir="fillpad",
    build="data.fillpad_expand",
)

# New tiles.
_create_tile = (
    "(shape: Sequence[int], dtype: DataType, target_memory: MemorySpace = MemorySpace.Vec, "
    "transpose: bool | None = None, *, flat_layout: bool | None = None) -> Tile"
)
add(
    "create_tile",
    "A tile that nobody has written yet.",
    {"": _create_tile},
    ir="create",
    build="creation.create_tile",
    operands=0,
)
add(
    "tile.create",
    "The same as `pl.create_tile`.",
    {"tile": _create_tile},
    build="creation.create_tile",
    operands=0,
)
_ci = "(start: int | Scalar, shape: Sequence[int], dtype: DataType = INT32, "
_ci += "descending: bool = False) -> {T}"
_ci_faces = {
    "": _ci.format(T="Tile"),
    "tensor": _ci.format(T="Tensor"),
    "tile": _ci.format(T="Tile"),
}
add(
    "ci",
    "A row of consecutive numbers, from `start` on.",
    _ci_faces,
    build="creation.ci",
    operands=0,
)
add(
    "arange",
    "The same as `pl.ci`.",
    _ci_faces,
    ir="ci",
    build="creation.ci",
    operands=0,
)
_tri = (
    "(diagonal: int | Scalar, shape: Sequence[int], valid_shape: Sequence[int] | None = None, "
    "dtype: DataType = INT32, upper: bool = False) -> Tile"
)
add(
    "tri",
    "Ones where the column is at most the row plus `diagonal` (at least, with `upper`), zeros "
    "elsewhere.",
    {"": _tri, "tile": _tri},
    build="creation.tri",
    operands=0,
)
_random = (
    "(key0: int | Scalar, key1: int | Scalar, counter0: int | Scalar, counter1: int | Scalar, "
    "counter2: int | Scalar, counter3: int | Scalar, shape: Sequence[int], {valid}"
    "dtype: DataType = UINT32, rounds: int = 10) -> {T}"
)
_random_tile = _random.format(T="Tile", valid="valid_shape: Sequence[int] | None = None, ")
add(
    "random",
    "Random numbers of Philox 4x32; on the Ascend 950.",
    {
        "": _random_tile,
        "tensor": _random.format(T="Tensor", valid=""),
        "tile": _random_tile,
    },
    build="creation.random",
    operands=0,
)
_tag = "(tensor: Tensor) -> Tensor"
add(
    "dump_tag",
    "Marks an array for the device's tools; it stays what it is.",
    {"": _tag, "tensor": _tag},
    build="data.dump_tag",
    plane="anywhere",
)

# Arrays, blocks, scalars.
_create = (
    "(shape: Sequence[int], dtype: DataType, layout: TensorLayout = TensorLayout.ND, "
    "manual_dep: bool = False, init_value: int | float | None = None) -> Tensor"
)
add(
    "create_tensor",
    "A new array in DDR, on the control plane. Its content is undefined until a kernel writes it.",
    {"": _create},
    ir="create",
    build="creation.create_tensor",
    plane="control",
)
add(
    "create",
    "The same as `pl.create_tensor`.",
    {"tensor": _create},
    build="creation.create_tensor",
    plane="control",
)
for _name, _doc in (
    ("get_block_idx", "The number of this block."),
    ("get_block_num", "How many blocks were launched."),
    ("get_subblock_idx", "Which AIV of its cluster this is."),
):
    add(
        _name,
        _doc,
        {"": "() -> Scalar", "tensor": "() -> Scalar", "tile": "() -> Scalar"},
        build="block_index",
        operands=0,
    )
add(
    "dim",
    "The extent of an array's dimension.",
    {"": "(tensor: Tensor, axis: int) -> int", "tensor": "(tensor: Tensor, axis: int) -> int"},
    build="data.dim",
    plane="anywhere",
)
for _name, _doc in (("max", "The larger of two scalars."), ("min", "The smaller of two scalars.")):
    _signature = "(lhs: Scalar | int, rhs: Scalar | int) -> Scalar"
    add(_name, _doc, {"": _signature, "tile": _signature}, build="scalar_extreme", plane="anywhere")
add(
    "const",
    "A number of the given type.",
    {"": "(value: int | float, dtype: DataType) -> Scalar"},
    build="const",
    plane="anywhere",
)
add(
    "printf",
    "Prints scalars from a core. `format` is C's, with %d, %i, %u, %x, %f and %%.",
    {"": "(format: str, *args: int | float | Scalar) -> None"},
    ir="print",
    build="printf",
)
add(
    "static_print",
    "Prints while compiling.",
    {"": "(*args: Any) -> None"},
    build="static_print",
    plane="anywhere",
)
add(
    "static_assert",
    "An error while compiling, unless the condition holds.",
    {"": "(condition: bool, message: str = '') -> None"},
    build="static_assert",
    plane="anywhere",
)
