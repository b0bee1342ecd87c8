# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Every operation of the language, each said once.

The front end, `as_python`, the stubs (`python -m pypto.tools.stubs`) and the
documentation read this table. An element-wise operation is one line of it:

    unary("sqrt", "The square root of each element.")
"""

from __future__ import annotations

from . import registry_tasks
from .operation import Construct, Face, Operation, Signature

OPERATIONS: dict[str, Operation] = {}
CONSTRUCTS: dict[str, Operation] = {}

_NUMBER = "int | float | Scalar"


def _add(name: str, doc: str, faces: dict[str, str], table=OPERATIONS, **properties) -> None:
    """`name`: unique; what stands in front of a dot is not the operation's own name."""
    signatures = {face: Signature(text) for face, text in faces.items()}
    table[name] = Operation(name.rpartition(".")[2], doc, signatures, **properties)


def unary(name: str, doc: str, extra: str = "", tile_extra: str | None = None) -> None:
    """Element by element. `extra` are more arguments with defaults; `tile_extra` those of
    `pl.tile.<name>` where the language has others there."""
    _add(
        name,
        doc,
        {
            "": f"(input: T{extra}) -> T",
            "tensor": f"(input: Tensor{extra}) -> Tensor",
            "tile": f"(tile: Tile{extra if tile_extra is None else tile_extra}) -> Tile",
        },
    )


def binary(name: str, doc: str, symbol: str = "", scalar_name: str = "", extra: str = "") -> None:
    """Element by element with another of the same shape, or with a scalar;
    `scalar_name` is the form that takes a scalar only."""
    _add(
        name,
        doc,
        {
            "": f"(lhs: T, rhs: T | {_NUMBER}{extra}) -> T",
            "tensor": f"(lhs: Tensor, rhs: Tensor | {_NUMBER}{extra}) -> Tensor",
            "tile": f"(lhs: Tile, rhs: Tile | {_NUMBER}{extra}) -> Tile",
        },
        operands=2,
        symbol=symbol,
    )
    if scalar_name:
        _add(
            scalar_name,
            f"`{name}` with a scalar.",
            {
                "tensor": f"(lhs: Tensor, rhs: {_NUMBER}) -> Tensor",
                "tile": f"(lhs: Tile, rhs: {_NUMBER}) -> Tile",
            },
            ir=name,
            operands=2,
        )


def row_reduce(name: str, doc: str) -> None:
    _add(
        name,
        doc + " `[M, N]` gives `[M, 1]`. The compiler finds scratch by itself; a `tmp_tile`, which "
        "the language takes at tile level, is checked and not needed.",
        {
            "": "(input: T, tmp_tile: Tile | None = None) -> T",
            "tensor": "(input: Tensor) -> Tensor",
            "tile": "(tile: Tile, tmp_tile: Tile | None = None) -> Tile",
        },
        rule="row_reduce",
    )


def row_expand(name: str, doc: str) -> None:
    _add(
        name,
        doc + " `[M, N]` with `[M, 1]`.",
        {
            "": "(lhs: T, rhs: T) -> T",
            "tensor": "(tensor: Tensor, row_vec: Tensor) -> Tensor",
            "tile": "(tile: Tile, row_vec: Tile) -> Tile",
        },
        operands=2,
    )


# Element by element.
binary("add", "The sum, element by element.", "+", "adds")
binary("sub", "The difference, element by element.", "-", "subs")
binary("mul", "The product, element by element.", "*", "muls")
binary("div", "The quotient, element by element.", "/", "divs", ", high_precision: bool = False")
binary("minimum", "The smaller value, element by element; NaN if either is.")
binary("maximum", "The larger value, element by element; NaN if either is.")
unary("exp", "e to the power of each element.")
unary("sqrt", "The square root of each element.")
unary(
    "rsqrt",
    "One divided by the square root of each element. `tmp`, scratch that the language takes at "
    "tile level, is checked and not needed.",
    extra=", high_precision: bool = False",
    tile_extra=", tmp: Tile | None = None",
)
unary("neg", "The negative of each element.")
unary("abs", "The absolute value of each element.")
unary("relu", "max(x, 0) of each element.")
_add(
    "cast",
    "Another element type. `mode` is the rounding: none, rint, round, floor, ceil, trunc or odd, "
    "or its number. A conversion to an integer saturates and NaN becomes 0.",
    {
        "": "(input: Tensor | Tile | Scalar, target_type: DataType, mode: str | int = 'round')"
        " -> Tensor | Tile | Scalar",
        "tensor": "(input: Tensor, target_type: DataType, mode: str | int = 'round') -> Tensor",
        "tile": "(tile: Tile, target_type: DataType, mode: str | int = 'round') -> Tile",
    },
    build="cast",
)
_add(
    "full",
    "One value in every element. `pl.full` makes a tile.",
    {
        "": "(shape: Sequence[int], dtype: DataType, value: int | float) -> Tile",
        "tensor": "(shape: Sequence[int], dtype: DataType, value: int | float) -> Tensor",
        "tile": "(shape: Sequence[int], dtype: DataType, value: int | float) -> Tile",
    },
    build="full",
    operands=0,
)

# Reductions and broadcasts.
row_reduce("row_max", "The maximum of each row.")
row_reduce("row_sum", "The sum of each row.")
row_expand("row_expand_sub", "Each row minus its own value.")
row_expand("row_expand_mul", "Each row times its own value.")
row_expand("row_expand_div", "Each row divided by its own value.")

# Matrix products.
_add(
    "matmul",
    "The matrix product, accumulated in FP32. A tile product takes Left and Right (moves from Mat "
    "are inserted) and makes its result in Acc.",
    {
        "": "(lhs: T, rhs: T, out_dtype: DataType | None = None, a_trans: bool = False, "
        "b_trans: bool = False, c_matrix_nz: bool = False) -> T",
        "tensor": "(lhs: Tensor, rhs: Tensor, out_dtype: DataType | None = None, "
        "a_trans: bool = False, b_trans: bool = False, c_matrix_nz: bool = False) -> Tensor",
        "tile": "(lhs: Tile, rhs: Tile) -> Tile",
    },
    build="matmul",
    operands=2,
    space="Acc",
)
_add(
    "matmul_acc",
    "The matrix product added to an accumulator.",
    {
        "": "(acc: T, lhs: T, rhs: T, a_trans: bool = False, b_trans: bool = False, "
        "init_cond: bool | Scalar | None = None) -> T",
        "tensor": "(acc: Tensor, lhs: Tensor, rhs: Tensor, a_trans: bool = False, "
        "b_trans: bool = False, init_cond: bool | Scalar | None = None) -> Tensor",
        "tile": "(acc: Tile, lhs: Tile, rhs: Tile, init_cond: bool | Scalar | None = None) -> Tile",
    },
    build="matmul",
    operands=3,
    space="Acc",
)

# Movement.
_load = (
    "(tensor: Tensor, offsets: Sequence[int | Scalar], shapes: Sequence[int], "
    "valid_shape: Sequence[int | Scalar] | None = None, target_memory: MemorySpace | None = None, "
    "clamp: bool = False) -> Tile"
)
_add(
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
_add(
    "store",
    "Copies a tile in Vec or Acc into a window of an array in DDR; gives the array.",
    {"": _store, "tile": _store},
    build="store",
)
_move = (
    "(tile: Tile, target_memory: MemorySpace, blayout: TileLayout | None = None, "
    "slayout: TileLayout | None = None) -> Tile"
)
_add(
    "move",
    "Copies a tile to another space: Mat to Left, Right or Bias, Vec to Vec.",
    {"": _move, "tile": _move},
    build="move",
)
_valid = "(input: T, valid_rows: int | Scalar, valid_cols: int | Scalar) -> T"
_add(
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
_add(
    "create_tensor",
    "A new array in DDR, on the control plane. Its content is undefined until a kernel writes it.",
    {"": _create},
    ir="create",
    build="create_tensor",
    plane="control",
)
_add(
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
    _add(
        _name,
        _doc,
        {"": "() -> Scalar", "tensor": "() -> Scalar", "tile": "() -> Scalar"},
        build="block_index",
        operands=0,
    )
_add(
    "dim",
    "The extent of an array's dimension.",
    {"": "(tensor: Tensor, axis: int) -> int", "tensor": "(tensor: Tensor, axis: int) -> int"},
    build="dim",
    plane="anywhere",
)
for _name, _doc in (("max", "The larger of two scalars."), ("min", "The smaller of two scalars.")):
    _signature = "(lhs: Scalar | int, rhs: Scalar | int) -> Scalar"
    _add(
        _name, _doc, {"": _signature, "tile": _signature}, build="scalar_extreme", plane="anywhere"
    )
_add(
    "const",
    "A number of the given type.",
    {"": "(value: int | float, dtype: DataType) -> Scalar"},
    build="const",
    plane="anywhere",
)
_add(
    "printf",
    "Prints scalars from a core. `format` is C's, with %d, %i, %u, %x, %f and %%.",
    {"": "(format: str, *args: int | float | Scalar) -> None"},
    ir="print",
    build="printf",
)
_add(
    "static_print",
    "Prints while compiling.",
    {"": "(*args: Any) -> None"},
    build="static_print",
    plane="anywhere",
)
_add(
    "static_assert",
    "An error while compiling, unless the condition holds.",
    {"": "(condition: bool, message: str = '') -> None"},
    build="static_assert",
    plane="anywhere",
)

# What statements are made of.
registry_tasks.declare(_add, CONSTRUCTS)

# What the language has and this version has not, by namespace. A program that
# uses one gets an error with its name.
UNSUPPORTED: dict[str, frozenset[str]] = {
    "": frozenset(
        """InlineFunction parse loads parser parse_program loads_program Tuple IntLike
        DynVar dynamic Ptr PtrType MemRef MemRefType TensorView TileView
        PrefetchAsyncContext AsyncEvent AsyncSession unroll pipeline while_ cond yield_
        func_attr split_aiv optimizations split cross_core_slot adir dump_tag prefetch
        create_tile arange ci tri random create_l1 extract assemble concat write reshape
        transpose reinterpret_view fillpad fillpad_inplace fillpad_expand expand_clone rem
        rems fmod fmods maximums minimums adds subs muls divs part_add part_mul part_max
        part_min addc subc addsc subsc log recip sin cos lrelu prelu cmp cmps sel sels and_
        ands or_ ors xor xors not_ shl shls shr shrs row_min row_prod row_argmax row_argmin
        col_sum col_max col_min col_prod col_argmax col_argmin row_expand row_expand_add
        row_expand_max row_expand_min row_expand_expdif col_expand col_expand_add
        col_expand_sub col_expand_mul col_expand_div col_expand_max col_expand_min
        col_expand_expdif expands matmul_bias batch_matmul batch_matmul_acc gemv gemv_acc
        gemv_bias matmul_mx matmul_mx_acc matmul_mx_bias gather gather_mask gather_compare
        gatherb mgather mscatter scatter scatter_mask scatter_update sort32 mrgsort
        gather_row paged_gather aiv_shard aic_gather tpush_to_aiv tpush_to_aic tpop_from_aic
        tpop_from_aiv tfree_to_aic tfree_to_aiv aic_initialize_pipe aiv_initialize_pipe
        reserve_buffer import_peer_buffer AUTO no_dep_args view""".split()
    ),
    "tensor": frozenset(
        """dump_tag write fillpad fillpad_expand set_validshape ci arange random part_add
        part_mul part_max part_min fmod fmods cmp cmps and_ ands or_ ors xor xors not_ shl
        shls shr shrs row_min row_prod col_sum col_max col_min col_prod row_argmax
        row_argmin col_argmax col_argmin row_expand row_expand_add row_expand_max
        row_expand_min row_expand_expdif col_expand col_expand_mul col_expand_sub
        col_expand_div col_expand_add col_expand_max col_expand_min col_expand_expdif
        expands expand_clone log sin cos recip assemble concat reshape reinterpret_view
        transpose view scatter_update sort32 mrgsort gather paged_gather create_l1
        gather_row scatter alloc""".split()
    ),
    "tile": frozenset(
        """alloc create read write assemble gather_row extract scatter_update concat
        aiv_shard aic_gather ci arange tri random fillpad fillpad_inplace fillpad_expand sin
        cos recip log batch_matmul batch_matmul_acc matmul_bias matmul_mx matmul_mx_acc
        matmul_mx_bias gemv gemv_acc gemv_bias row_min row_prod col_sum col_max col_min
        col_prod row_argmax row_argmin col_argmax col_argmin row_expand row_expand_add
        row_expand_max row_expand_min row_expand_expdif col_expand col_expand_mul
        col_expand_div col_expand_sub col_expand_add col_expand_max col_expand_min
        col_expand_expdif expands cmp cmps slice reshape reinterpret_view transpose
        transpose_view rem rems part_add part_mul part_max part_min fmod fmods and_ ands or_
        ors xor xors shl shls shr shrs maximums minimums prelu not_ addc subc addsc subsc
        lrelu sel sels sort32 gather gatherb gather_mask gather_compare scatter scatter_mask
        mscatter mgather mrgsort MaskPattern""".split()
    ),
    **{level: frozenset(names.split()) for level, names in registry_tasks.UNSUPPORTED.items()},
}


def faces(level: str) -> dict[str, Face]:
    """The operations of `pl` ("") or of `pl.tensor` or `pl.tile`."""
    found = {op.name: Face(op, level) for op in OPERATIONS.values() if level in op.faces}
    if not level:
        found.update({name: Construct(op, level) for name, op in CONSTRUCTS.items()})
    return found


def why_missing(path: str, level: str, name: str, known) -> str:
    """What to say about `pl.<name>` that is not there."""
    if name in UNSUPPORTED.get(level, ()) and name not in known:
        return f"{path}.{name} is not supported yet"
    from difflib import get_close_matches

    close = get_close_matches(name, [*known, *UNSUPPORTED.get(level, ())], n=1)
    hint = f"; did you mean {path}.{close[0]}?" if close else ""
    return f"{path} has no '{name}'{hint}"
