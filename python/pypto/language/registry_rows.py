# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Reductions and broadcasts."""

from __future__ import annotations

from .registry_forms import add, col_expand, col_reduce, row_expand, row_reduce

row_reduce("row_max", "The maximum of each row.")
row_reduce("row_sum", "The sum of each row.")
row_expand("row_expand_sub", "Each row minus its own value.")
row_expand("row_expand_mul", "Each row times its own value.")
row_expand("row_expand_div", "Each row divided by its own value.")
row_reduce("row_min", "The minimum of each row.")
row_expand("row_expand_add", "Each row plus its own value.", ", tmp: Tile | None = None")
row_expand("row_expand_max", "The larger of each element and its row's own value.")
row_expand("row_expand_min", "The smaller of each element and its row's own value.")
row_expand("row_expand_expdif", "e to the power of each row minus its own value.")
col_reduce("col_sum", "The sum of each column.", ", tmp_tile: Tile | None = None")
col_reduce("col_max", "The maximum of each column.")
col_reduce("col_min", "The minimum of each column.")
col_reduce("col_prod", "The product of each column.")
col_expand("col_expand_add", "Each column plus its own value.")
col_expand("col_expand_sub", "Each column minus its own value.")
col_expand("col_expand_mul", "Each column times its own value.")
col_expand("col_expand_div", "Each column divided by its own value.")
col_expand("col_expand_max", "The larger of each element and its column's own value.")
col_expand("col_expand_min", "The smaller of each element and its column's own value.")
col_expand("col_expand_expdif", "e to the power of each column minus its own value.")
for _name, _first, _vector, _shape in (
    ("row_expand", "target", "row_vec", "[M, 1]"),
    ("col_expand", "tensor", "col_vec", "[1, N]"),
):
    add(
        _name,
        f"The values of a vector, {_shape}, repeated to the first operand's shape; its content "
        "does not matter.",
        {
            "": "(lhs: T, rhs: T) -> T",
            "tensor": f"({_first}: Tensor, {_vector}: Tensor) -> Tensor",
            "tile": f"(target: Tile, {_vector}: Tile) -> Tile",
        },
        build="rows.expand",
        operands=2,
    )
_signature = "(src: Tensor, target: Tensor) -> Tensor"
add(
    "expand_clone",
    "`src` with its extents of 1 repeated to those of `target`.",
    {"": _signature, "tensor": _signature},
    build="rows.expand_clone",
    operands=2,
)
