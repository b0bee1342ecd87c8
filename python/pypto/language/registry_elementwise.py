# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Operations that work element by element."""

from __future__ import annotations

from .registry_forms import NUMBER, add, binary, unary


def _tiles(name: str, doc: str, signature: str, build: str = "compute", **more) -> None:
    """An operation on tiles only."""
    add(name, doc, {"": signature, "tile": signature}, build=build, **more)


def _scalar_form(name: str, of: str, ir: str, tile_extra: str = "", levels=("", "tensor", "tile")):
    """`name` is `of` with a scalar only."""
    kinds = {"": "T", "tensor": "Tensor", "tile": "Tile"}
    faces = {
        level: f"(lhs: {kinds[level]}, rhs: {NUMBER}"
        f"{'' if level == 'tensor' else tile_extra}) -> {kinds[level]}"
        for level in levels
    }
    add(name, f"`{of}` with a scalar.", faces, ir=ir, operands=2)


def _bits(name: str, doc: str, symbol: str, scalar_name: str, tile_extra: str = "") -> None:
    number = "int | Scalar"
    ir = name.rstrip("_")
    add(
        name,
        f"{doc} Of integers.",
        {
            "": f"(lhs: T, rhs: T | {number}{tile_extra}) -> T",
            "tensor": f"(lhs: Tensor, rhs: Tensor | {number}) -> Tensor",
            "tile": f"(lhs: Tile, rhs: Tile | {number}{tile_extra}) -> Tile",
        },
        ir=ir,
        operands=2,
        symbol=symbol,
    )
    _scalar_form(scalar_name, name, ir, tile_extra)


binary("add", "The sum, element by element.", "+", "adds")
binary("sub", "The difference, element by element.", "-", "subs")
binary("mul", "The product, element by element.", "*", "muls")
binary("div", "The quotient, element by element.", "/", "divs", ", high_precision: bool = False")
binary("minimum", "The smaller value, element by element; NaN if either is.")
binary("maximum", "The larger value, element by element; NaN if either is.")
for _name in ("maximum", "minimum"):
    _scalar_form(f"{_name}s", _name, _name, levels=("", "tile"))
_SCRATCH = ", tmp: Tile | None = None"
_tiles(
    "rem",
    "The rest of the division, with the sign of the divisor: `a - floor(a / b) * b`, in FP32 for "
    "floating-point numbers. `tmp` is checked and not needed.",
    f"(lhs: T, rhs: T | {NUMBER}{_SCRATCH}) -> T",
    operands=2,
    symbol="%",
)
_scalar_form("rems", "rem", "rem", _SCRATCH, levels=("", "tile"))
binary(
    "fmod",
    "The rest of the division, with the sign of the dividend: `a - trunc(a / b) * b`, in FP32 for "
    "floating-point numbers.",
)
_scalar_form("fmods", "fmod", "fmod")
for _name, _ir in (("addc", "+"), ("subc", "-")):
    _tiles(
        _name,
        f"a {_ir} b {_ir} c: two operations, which round twice.",
        "(lhs: Tile, rhs: Tile, rhs2: Tile) -> Tile",
        "elementwise.chain",
        operands=3,
    )
    _tiles(
        _name.replace("c", "sc"),
        f"`{_name}` with a scalar between two tiles.",
        f"(lhs: Tile, rhs: {NUMBER}, rhs2: Tile) -> Tile",
        "elementwise.chain",
        operands=3,
    )
for _name, _plain, _doc in (
    ("part_add", "add", "The sum"),
    ("part_mul", "mul", "The product"),
    ("part_max", "maximum", "The larger value"),
    ("part_min", "minimum", "The smaller value"),
):
    add(
        _name,
        f"{_doc} where both are valid, else the one that is. The valid region of one tile holds "
        f"that of the other. All of an array is valid, so that it is `{_plain}` there.",
        {
            "": "(lhs: T, rhs: T) -> T",
            "tensor": "(lhs: Tensor, rhs: Tensor) -> Tensor",
            "tile": "(src0: Tile, src1: Tile) -> Tile",
        },
        build="elementwise.part",
        operands=2,
    )
unary("log", "The natural logarithm of each element.", ", high_precision: bool = False")
unary("recip", "One divided by each element.", ", high_precision: bool = False")
unary(
    "sin",
    "The sine of each element, FP32. On the chip a polynomial, within 3e-7 up to |x| = 10000.",
)
unary(
    "cos",
    "The cosine of each element, FP32. On the chip a polynomial, within 3e-7 up to |x| = 10000.",
)
_tiles(
    "lrelu",
    "x where it is positive, else x times the slope.",
    f"(tile: Tile, slope: {NUMBER}) -> Tile",
    operands=2,
)
_tiles(
    "prelu",
    "x where it is positive, else x times the slope of its place. `tmp` is not needed.",
    f"(tile: Tile, slope: Tile{_SCRATCH}) -> Tile",
    "elementwise.prelu",
    operands=2,
)
add(
    "cmp",
    "Which elements compare so; `cmp_type` is 0 (equal), 1 (not equal), 2 (less), 3 (less or "
    "equal), 4 (greater) or 5 (greater or equal). Of arrays 1 and 0 in their element type; of "
    "tiles a mask, UINT8: a bit for each element, in rows of whole blocks of 32 bytes; what is "
    "left of a row's last byte is anything.",
    {
        "": f"(lhs: T, rhs: T | {NUMBER}, cmp_type: int = 0) -> T",
        "tensor": f"(lhs: Tensor, rhs: Tensor | {NUMBER}, cmp_type: int = 0) -> Tensor",
        "tile": f"(lhs: Tile, rhs: Tile | {NUMBER}, cmp_type: int = 0) -> Tile",
    },
    build="elementwise.compare",
    operands=2,
)
add(
    "cmps",
    "`cmp` with a scalar.",
    {
        "": f"(lhs: T, rhs: {NUMBER}, cmp_type: int = 0) -> T",
        "tensor": f"(lhs: Tensor, rhs: {NUMBER}, cmp_type: int = 0) -> Tensor",
        "tile": f"(lhs: Tile, rhs: {NUMBER}, cmp_type: int = 0) -> Tile",
    },
    build="elementwise.compare",
    ir="cmp",
    operands=2,
)
_tiles(
    "sel",
    "The element of `lhs` where the mask has a bit, else that of `rhs`. `tmp` is checked and not "
    "needed.",
    f"(mask: Tile, lhs: Tile, rhs: Tile{_SCRATCH}) -> Tile",
    "elementwise.select",
    operands=3,
)
_tiles(
    "sels",
    "The element of `src` where the mask has a bit, else the scalar. `tmp` is checked and not "
    "needed.",
    f"(mask: Tile, src: Tile, tmp: Tile | None, scalar: {NUMBER}) -> Tile",
    "elementwise.select_scalar",
    operands=2,
)
_bits("and_", "The bits that both have.", "&", "ands")
_bits("or_", "The bits that either has.", "|", "ors")
_bits("xor", "The bits that one has.", "^", "xors", _SCRATCH)
_bits("shl", "Moved up by so many bits; a distance of the width or more leaves 0.", "<<", "shls")
_bits(
    "shr",
    "Moved down by so many bits, signed types with their sign; a distance of the width or more "
    "leaves 0, of negative numbers -1.",
    ">>",
    "shrs",
)
add(
    "not_",
    "The bits turned. Of integers.",
    {"": "(input: T) -> T", "tensor": "(input: Tensor) -> Tensor", "tile": "(tile: Tile) -> Tile"},
    ir="not",
)
add(
    "expands",
    "A number in every element of the target's shape and type; all of it is valid.",
    {
        "": f"(target: T, scalar: {NUMBER}) -> T",
        "tensor": f"(target: Tensor, scalar: {NUMBER}) -> Tensor",
        "tile": f"(target: Tile, scalar: {NUMBER}) -> Tile",
    },
    build="elementwise.spread",
    ir="full",
)
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
add(
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
add(
    "full",
    "One value in every element. `pl.full` makes a tile.",
    {
        "": "(shape: Sequence[int], dtype: DataType, value: int | float) -> Tile",
        "tensor": "(shape: Sequence[int], dtype: DataType, value: int | float) -> Tensor",
        "tile": "(shape: Sequence[int], dtype: DataType, value: int | float) -> Tile",
    },
    build="creation.full",
    operands=0,
)
