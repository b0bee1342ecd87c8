# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Matrix products."""

from __future__ import annotations

from .registry_forms import add

add(
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
add(
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
