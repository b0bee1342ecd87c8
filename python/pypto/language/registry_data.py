# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Movement, creation, scalars, and what is known when a kernel is compiled."""

from __future__ import annotations

from .registry_forms import add

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
    build="load",
)
_store = (
    "(tile: Tile, offsets: Sequence[int | Scalar], output_tensor: Tensor, "
    "shapes: Sequence[int] | None = None, *, atomic: AtomicType = AtomicType.None_) -> Tensor"
)
add(
    "store",
    "Copies a tile in Vec or Acc into a window of an array in DDR; gives the array.",
    {"": _store, "tile": _store},
    build="store",
)
_move = (
    "(tile: Tile, target_memory: MemorySpace, blayout: TileLayout | None = None, "
    "slayout: TileLayout | None = None) -> Tile"
)
add(
    "move",
    "Copies a tile to another space: Mat to Left, Right or Bias, Vec to Vec.",
    {"": _move, "tile": _move},
    build="move",
)
_valid = "(input: T, valid_rows: int | Scalar, valid_cols: int | Scalar) -> T"
add(
    "set_validshape",
    "Says how many rows and columns of a tile are valid.",
    {"": _valid, "tile": _valid.replace("input: T", "tile: Tile").replace("-> T", "-> Tile")},
    build="set_validshape",
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
    build="create_tensor",
    plane="control",
)
add(
    "create",
    "The same as `pl.create_tensor`.",
    {"tensor": _create},
    build="create_tensor",
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
    build="dim",
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
