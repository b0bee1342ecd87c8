# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Operations that work element by element."""

from __future__ import annotations

from .registry_forms import add, binary, unary

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
    build="full",
    operands=0,
)
