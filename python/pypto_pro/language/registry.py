# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Every operation of PyPTO Pro, each said once.

The front end, the docstrings and the stubs read this table. An element-wise operation is
one line of it:

    unary("sqrt", "The square root of each element.", "FP16, FP32")

`build` names the function that makes it, in `pypto.frontend.pro.operations`. What this
version does not have is in registry_later.py.
"""

from __future__ import annotations

from pypto.language.operation import Face

from . import registry_fused, registry_later, registry_masks, registry_rows
from .operation import Construct, Declaration, Operation, Signature, TileTypeDeclaration

OPERATIONS: dict[str, Operation] = {}
CONSTRUCTS: dict[str, Operation] = {}


def add(name: str, signature: str, doc: str, build: str, levels=("",), table=OPERATIONS, **more):
    """`levels`: "" is `pl.<name>`, "system" is `pl.system.<name>`. `name` is unique; what
    stands in front of a dot in it is not the operation's own name."""
    text = Signature(signature)
    table[name] = Operation(
        name.rpartition(".")[2], doc, {level: text for level in levels}, build=build, **more
    )


# On the chip: what a kernel declares.
add(
    "TileType",
    "(shape: Sequence[int], dtype: DataType, target_memory: MemorySpace = MemorySpace.Vec, "
    "valid_shape: Sequence[int] | None = None, layout: TensorLayout | None = None, "
    "fractal: int | None = None, pad: TilePad | None = None, compact: int | None = None)"
    " -> TileType",
    "What a tile is: its shape (two numbers known at compile time), element type and memory space. "
    "`valid_shape` is the part of it that holds data, -1 where pl.set_validshape says that at run "
    "time. Without `layout` it has that of its space on this chip.",
    "declarations.tile_type",
)
add(
    "make_tile",
    "(tile_type: TileType, *, addr: int, size: int | None = None) -> Tile",
    "A tile at byte `addr` of its space, which is a multiple of the space's alignment. `size` are "
    "the bytes that it may take, at least those of its type. Tiles may overlap: bytes that another "
    "tile has overwritten are reported where they are read.",
    "declarations.make_tile",
)
add(
    "make_tile_group",
    "(*, type: TileType, addrs: int | Sequence[int], mutex_ids: Sequence[int] | None = None, "
    "depth: int | None = None, fwd_ids: Sequence[int] | None = None, "
    "bwd_ids: Sequence[int] | None = None) -> TileGroup",
    "Tiles of one type, used in turn: `g.next()` is the next one (the first at first), "
    "`g.current()` the same again, `g.previous()` the one before, `g[i]` any. `addrs` holds an "
    "address for each, or is that of the first of `depth`, which then follow one another. "
    "`mutex_ids` (one a tile) are the tokens that order the pipes on it, 0 to 27 on the 950.",
    "declarations.make_tile_group",
)
add(
    "make_tensor",
    "(ptr_or_tensor: Ptr | Tensor, shape: Sequence[int | Scalar], "
    "stride: Sequence[int | Scalar] | None = None, dtype: DataType | None = None) -> Tensor",
    "An array of any shape at an address. `stride` are elements between neighbours in each "
    "dimension; without it rows follow one another. `dtype` reads the memory as other elements.",
    "arrays.make_tensor",
)
add(
    "make_ptr",
    "(tensor_or_ptr: Tensor | Ptr, dtype: DataType | None = None) -> Ptr",
    "The address of an array, or an address as one of other elements.",
    "arrays.make_ptr",
)
add(
    "addptr",
    "(ptr: Ptr, offset: int | Scalar) -> Ptr",
    "The address `offset` elements further; `ptr + n` is the same.",
    "arrays.addptr",
)
add(
    "struct",
    "(name: str, **fields: Any) -> Any",
    "Scalars, or lists of scalars, under one name: `s.field` reads and `s.field = x` writes.",
    "structs.struct",
)
add(
    "struct_array",
    "(count: int, name: str, **fields: Any) -> Any",
    "`count` equal structs; `a[i]` is one of them, by an index that the run may know.",
    "structs.struct_array",
)
add(
    "make_tuple",
    "(**fields: Any) -> Any",
    "Values of any kind, tiles too, under one name. Nothing in it can be changed.",
    "structs.make_tuple",
)
add(
    "const",
    "(value: int | float, dtype: DataType) -> Scalar",
    "A number of the given type.",
    "structs.const",
)

# Movement.
_offsets = "Offsets are elements of the tensor, one for each of its dimensions"
_tile_offsets = "Offsets count tiles: each is multiplied by the tile's extent there"
_load = "(dst_tile: Tile, src_tensor: Tensor, {0}: Sequence[int | Scalar], *, "
_load += "order: Sequence[int] | None = None) -> None"
_store = "(dst_tensor: Tensor, src_tile: Tile, {0}: Sequence[int | Scalar], *, "
_store += "relu_pre_mode: ReluPreMode | None = None, scale: Any = None, "
_store += "order: Sequence[int] | None = None, atomic: AtomicType = AtomicType.AtomicNone, "
_store += "phase: STPhase | None = None) -> None"
for _suffix, _word, _doc in (("", "offsets", _offsets), ("_tile", "tile_offsets", _tile_offsets)):
    add(
        "load" + _suffix,
        _load.format(_word),
        f"Copies a window of an array in DDR into the valid part of a tile in Vec or Mat. {_doc}. "
        "`order` names the two axes that become rows and columns, the last two unless said; the "
        "larger one first transposes.",
        "movement.load",
        pipe="MTE2",
    )
    add(
        "store" + _suffix,
        _store.format(_word),
        f"Copies the valid part of a tile in Vec or Acc to an array in DDR. {_doc}. An FP32 "
        "accumulator may go to FP16 or BF16; `relu_pre_mode` and `phase` are for accumulators. "
        "`atomic` adds to what is there.",
        "movement.store",
        pipe="MTE3 from Vec, FIX from Acc",
    )
add(
    "move",
    "(dst_tile: Tile, src_tile: Tile, offset: Sequence[int | Scalar] | None = None, *, "
    "acc_to_vec_mode: AccToVecMode | None = None, relu_pre_mode: ReluPreMode | None = None, "
    "scale: Any = None) -> None",
    "Copies a tile to another: Mat to Left, Right and Bias, Vec to Vec, on the 950 Acc to Vec and "
    "Vec to Mat too. To Left and Right a destination of swapped extents transposes. `offset` is "
    "where the destination begins in a larger source, or the source in a larger destination. "
    "`acc_to_vec_mode` says which AIV gets an accumulator, or how both share it.",
    "moves.move",
    pipe="MTE1 from Mat, FIX from Acc, V from Vec to Vec, MTE3 from Vec to Mat",
)
add(
    "insert",
    "(dst_tile: Tile, src_tile: Tile, offset: Sequence[int | Scalar]) -> None",
    "Copies a tile in Vec into a part of one in Mat.",
    "moves.insert",
    pipe="MTE3",
)
add(
    "set_validshape",
    "(tile: Tile | TileGroup, shape: Sequence[int | Scalar]) -> None",
    "How many rows and columns of a tile hold data, from here on.",
    "movement.set_validshape",
)
add(
    "set_stride",
    "(tensor: Tensor, stride: Sequence[int | Scalar]) -> None",
    "Changes how many elements lie between neighbours in each dimension of a tensor.",
    "arrays.set_stride",
)
add(
    "getval",
    "(container: Tile | Tensor | Ptr, offset: int | Scalar | Sequence[int | Scalar]) -> Scalar",
    "One element, read by the scalar unit; `t[i, j]` is the same. One number counts elements in "
    "row-major order.",
    "elements.getval",
    pipe="S",
)
add(
    "setval",
    "(container: Tile | Tensor | Ptr, offset: int | Scalar | Sequence[int | Scalar], "
    "value: int | float | Scalar) -> None",
    "Writes one element by the scalar unit; `t[i, j] = v` is the same. In DDR it reaches the "
    "core's data cache only: pl.system.dcci writes that out.",
    "elements.setval",
    pipe="S",
)


# Element by element. The destination is first, and may be a source.
def unary(name: str, doc: str, types: str, **more) -> None:
    add(
        name,
        "(out: Tile, src: Tile) -> None",
        f"{doc} Element types: {types}.",
        "vector.compute",
        pipe="V",
        **more,
    )


def binary(name: str, doc: str, types: str, scalar_name: str = "", dim: str = "") -> None:
    """`scalar_name` is the form that takes a scalar only; `dim` says what `dim=` makes of it."""
    more = ", *, dim: int | None = None" if dim else ""
    add(
        name,
        f"(out: Tile, lhs: Tile, rhs: Tile | int | float | Scalar{more}) -> None",
        f"{doc} Element types: {types}.{dim}",
        "rows.extreme" if dim else "vector.compute",
        pipe="V",
    )
    if scalar_name:
        add(
            scalar_name,
            "(out: Tile, lhs: Tile, rhs: int | float | Scalar) -> None",
            f"`pl.{name}` with a scalar.",
            "vector.compute",
            pipe="V",
            ir=name,
        )


_numbers = (
    "FP16, BF16, FP32, INT8 to INT64, UINT8 to UINT64, as far as the chip computes with them or "
    "instructions make them"
)
binary("add", "The sum, element by element.", _numbers, "adds")
binary("sub", "The difference, element by element.", _numbers, "subs")
binary("mul", "The product, element by element.", _numbers, "muls")
binary("div", "The quotient, element by element.", "FP16, FP32", "divs")
for _name, _word in (("maximum", "larger"), ("minimum", "smaller")):
    binary(
        _name,
        f"The {_word} value, element by element; NaN if either is.",
        _numbers,
        "",
        f" With `dim=0` the {_word[:-1]}st value of each row, with `dim=1` of each column, as "
        "pl.row_max and pl.col_max; rhs is scratch then.",
    )
for _name, _doc in (
    ("exp", "e to the power of each element."),
    ("sqrt", "The square root of each element."),
    ("rsqrt", "One divided by the square root of each element."),
):
    unary(_name, _doc, "FP16, FP32")
unary("log", "The natural logarithm of each element.", "FP16, FP32")
unary("recip", "One divided by each element.", "FP16, FP32")
_integers = "integers, as far as the chip has them"
unary("not_", "The bits turned.", _integers, ir="not")
for _name, _doc in (("shl", "up"), ("shr", "down, signed types with their sign")):
    for _path, _by in ((_name, "Tile | int | Scalar"), (f"{_name}s", "int | Scalar")):
        add(
            _path,
            f"(out: Tile, lhs: Tile, rhs: {_by}) -> None",
            f"The bits moved {_doc}; a distance of the width or more leaves 0, or the sign. By a "
            f"tile it is several instructions. Element types: {_integers}.",
            "vector.compute",
            pipe="V",
            ir=_name,
        )
for _name in ("maximum", "minimum"):
    add(
        f"{_name}s",
        "(out: Tile, lhs: Tile, rhs: int | float | Scalar) -> None",
        f"`pl.{_name}` with a scalar.",
        "vector.compute",
        pipe="V",
        ir=_name,
    )
unary("neg", "The negative of each element.", "FP16, FP32, INT32")
unary("abs", "The absolute value of each element.", "FP16, FP32, INT32 where the chip has it")
unary("relu", "max(x, 0) of each element.", "FP16, FP32, INT32")
for _name in ("add", "sub"):
    add(
        f"{_name}_relu",
        "(out: Tile, lhs: Tile, rhs: Tile) -> None",
        f"`pl.{_name}`, then `pl.relu`: two instructions. lhs holds the result before relu "
        "afterwards.",
        "vector.compute_relu",
        pipe="V",
        ir=_name,
    )
for _name in ("expands", "full"):
    add(
        _name,
        "(out: Tile, scalar: int | float | Scalar) -> None",
        "One value in every element of a tile in Vec.",
        "vector.full",
        pipe="V",
        ir="full",
    )
add(
    "cast",
    "(out: Tile, src: Tile, *, mode: RoundMode = RoundMode.CAST_ROUND) -> None",
    "The element type of `out`. A conversion to an integer saturates and NaN becomes 0. CAST_ODD "
    "is from FP32 to FP16 only.",
    "vector.cast",
    pipe="V",
)

# Products.
_sums = "FP16, BF16 and FP32 are accumulated in FP32, INT8 in INT32"
_phase = "`phase` puts the accumulator under its unit flag: `Partial` waits until it is clear, "
_phase += "`Final` sets it too; a store waits until it is set, and one of phase `Final` clears it."
for _name, _rows, _word in (("matmul", "M", ""), ("gemv", "1", " of one row")):
    _bias = ", bias: Tile | None = None" if _name == "matmul" else ""
    _shape = f"[{_rows}, K] in Left times [K, N] in Right gives [{_rows}, N] in Acc: {_sums}."
    _with = "`bias` is [1, N] in Bias, of the type of `dst`"
    add(
        _name,
        f"(dst: Tile, lhs: Tile, rhs: Tile{_bias}, *, phase: AccPhase | None = None) -> None",
        f"A product{_word}. {_shape} {_with + '. ' if _bias else ''}{_phase}",
        "matrix.matmul",
        pipe="M",
    )
    add(
        f"{_name}_acc",
        "(dst: Tile, acc: Tile, lhs: Tile, rhs: Tile, *, phase: AccPhase | None = None) -> None",
        f"`pl.{_name}`, added to an accumulator: `dst` and `acc` are one tile.",
        "matrix.matmul_acc",
        pipe="M",
    )
add(
    "gemv_bias",
    "(dst: Tile, lhs: Tile, rhs: Tile, bias: Tile, *, phase: AccPhase | None = None) -> None",
    f"`pl.gemv` plus a bias: {_with}.",
    "matrix.matmul",
    pipe="M",
)

# Order between the pipes of a core, and between cores.
_flag = "(*, set_pipe: PipeType, wait_pipe: PipeType, event_id: int | Scalar) -> None"
add(
    "sync_src",
    _flag,
    "Sets an event when `set_pipe` is done with what it was given before this. An event is set "
    "and waited for in turn. Ids are 0 to 5 for each pair of pipes.",
    "sync.sync_src",
    ("system",),
    ir="set_flag",
)
add(
    "sync_dst",
    _flag,
    "Holds `wait_pipe` until the event is set, and clears it.",
    "sync.sync_dst",
    ("system",),
    ir="wait_flag",
)
for _pipe in ("m", "mte1", "mte2", "mte3", "fix", "all"):
    add(
        f"bar_{_pipe}",
        "() -> None",
        "Holds every pipe until all are done."
        if _pipe == "all"
        else f"Holds pipe {_pipe.upper()} until it is done with what it was given before this.",
        "sync.barrier",
        ("system",),
        ir="barrier",
    )
_cross = "(*, pipe: PipeType, event_id: int | Scalar, "
_cross += "sync_mode: CrossCoreSyncMode = CrossCoreSyncMode.INTRA_BLOCK) -> None"
add(
    "set_cross_core",
    _cross,
    "Signals other cores when `pipe` is done with what it was given before this: their counter "
    "`event_id` (0 to 15; 11 to 14 belong to the chip) goes up by one.",
    "sync.set_cross_core",
    ("system",),
    ir="cross_core_set",
)
add(
    "wait_cross_core",
    _cross,
    "Waits until counter `event_id` is not zero, and takes one from it. It holds `pipe` on the "
    "950, every pipe on the 910B.",
    "sync.wait_cross_core",
    ("system",),
    ir="cross_core_wait",
)
add(
    "sync_all",
    "(workspaces: Sequence[Any] | None = None, *, core_type: SyncCoreType = SyncCoreType.MIX, "
    "mode: SyncAllMode = SyncAllMode.HARD) -> None",
    "Holds every core of the launch until all have come here.",
    "sync.sync_all",
    ("system",),
)
add(
    "dcci",
    "(target: Tensor | Ptr, offset: int | Scalar | Sequence[int | Scalar] | None = None, *, "
    "cache_line: CacheLine = CacheLine.SINGLE_CACHE_LINE, dst: DcciDst = DcciDst.AUTO) -> None",
    "Writes out the scalar unit's cache line of an element (the first unless said), or all lines, "
    "and forgets them.",
    "sync.dcci",
    ("system",),
)
_mutex = "(*, pipe: PipeType, mutex_id: int | Scalar, mode: int = 0, max_mutex_id: int = 2, "
_mutex += "mutex_ids: Sequence[int] | None = None) -> None"
for _name, _doc in (
    ("mutex_lock", "Holds `pipe` until every earlier holder has released token `mutex_id`."),
    ("mutex_unlock", "Releases the token when `pipe` is done with what it was given before this."),
):
    add(
        _name, _mutex, f"{_doc} Only the 950 has them.", f"sync.{_name}",
        ("system", "mutex"),
    )  # fmt: skip

# Which core this is.
for _name, _doc in (
    ("get_block_idx", "The number of this block; on the AIVs of a mixed kernel block * 2 + AIV."),
    ("get_block_num", "How many blocks were launched."),
    ("get_subblock_idx", "Which AIV of its cluster this is, 0 or 1."),
    ("get_subblock_num", "2 on the AIVs of a mixed kernel, else 1."),
):
    add(_name, "() -> Scalar", _doc, f"index.{_name}")
for _name, _doc in (("max", "The larger of two scalars."), ("min", "The smaller of two scalars.")):
    add(_name, "(lhs: int | Scalar, rhs: int | Scalar) -> Scalar", _doc, "index.extreme")

# Seen from outside.
add(
    "printf",
    "(fmt: str, *args: int | float | Scalar, loc: bool = False) -> None",
    "Prints scalars from a core: %d, %i, %u and %x of integers, %f of FP32, and %%. `loc` prints "
    "the place in the source first.",
    "debug.printf",
    ir="print",
)
add(
    "pto_assert",
    "(cond: bool | Scalar, fmt: str | None = None, *args: int | float | Scalar, loc: bool = False)"
    " -> None",
    "Prints if the condition does not hold. It does not stop.",
    "debug.pto_assert",
)
add(
    "dump_data",
    "(data: Tensor | Tile, offsets: Sequence[int] | None = None, "
    "shapes: Sequence[int] | None = None, *, workspace: Any = None, loc: bool = False, "
    "flag: Any = None) -> None",
    "Prints the elements of a tile in Vec or Acc, or of a tensor.",
    "debug.dump_data",
    ir="dump",
)
add("trap", "() -> None", "Stops the kernel with an error.", "debug.trap")

# What statements are made of.
add(
    "range",
    "(*bounds: int | Scalar) -> Iterator[int]",
    "`for i in pl.range(start, stop, step):` a loop; pl.range(stop) begins at 0.",
    "",
    table=CONSTRUCTS,
)
for _core, _kind in (("cube", "AIC"), ("vector", "AIV")):
    add(
        f"section_{_core}",
        "() -> ContextManager[None]",
        f"`with pl.section_{_core}():` what the {_kind} runs.",
        "",
        table=CONSTRUCTS,
    )
add(
    "constexpr",
    "(condition: bool) -> bool",
    "`if pl.constexpr(c):` an error unless the condition is known at compile time.",
    "",
    table=CONSTRUCTS,
)

registry_masks.declare(add)
registry_rows.declare(add)
registry_fused.declare(add)
registry_later.declare(add)


def faces(level: str) -> dict[str, Face]:
    """The operations of `pl` ("") or of `pl.system` or `pl.mutex`."""
    found: dict[str, Face] = {
        op.name: Declaration(op, level) for op in OPERATIONS.values() if level in op.faces
    }
    if not level:
        found["TileType"] = TileTypeDeclaration(OPERATIONS["TileType"], level)
        found.update({name: Construct(op, level) for name, op in CONSTRUCTS.items()})
    return found


def why_missing(path: str, name: str, known) -> str:
    """What to say about `pl.<name>` that is not there."""
    from pypto.diagnostics.suggest import suggestion

    if name in ("set_flag", "wait_flag"):
        other = "sync_src" if name == "set_flag" else "sync_dst"
        return f"{path} has no '{name}'; the language says it as pl.system.{other}"
    if name == "bar_v":
        return (
            f"{path} has no 'bar_v': the compiler writes the barriers that instructions of the "
            "vector unit need between them"
        )
    return f"{path} has no '{name}'" + suggestion(name, known, f"{path}.{{}}")
