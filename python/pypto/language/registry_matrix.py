# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Matrix products."""

from __future__ import annotations

from .registry_forms import add

add(
    "matmul",
    "The matrix product of FP16, BF16 or FP32, accumulated in FP32, or of INT8 in INT32. "
    "`a_trans`: lhs is stored as [K, M], `b_trans`: rhs as [N, K]. A tile product takes Left and "
    "Right (moves from Mat are inserted) and makes its result in Acc.",
    {
        "": "(lhs: T, rhs: T, out_dtype: DataType | None = None, a_trans: bool = False, "
        "b_trans: bool = False, c_matrix_nz: bool = False) -> T",
        "tensor": "(lhs: Tensor, rhs: Tensor, out_dtype: DataType | None = None, "
        "a_trans: bool = False, b_trans: bool = False, c_matrix_nz: bool = False) -> Tensor",
        "tile": "(lhs: Tile, rhs: Tile) -> Tile",
    },
    build="matmul.matmul",
    operands=2,
    space="Acc",
)
add(
    "matmul_acc",
    "The matrix product added to an accumulator; where `init_cond` holds, a new one instead.",
    {
        "": "(acc: T, lhs: T, rhs: T, a_trans: bool = False, b_trans: bool = False, "
        "init_cond: bool | Scalar | None = None) -> T",
        "tensor": "(acc: Tensor, lhs: Tensor, rhs: Tensor, a_trans: bool = False, "
        "b_trans: bool = False, init_cond: bool | Scalar | None = None) -> Tensor",
        "tile": "(acc: Tile, lhs: Tile, rhs: Tile, init_cond: bool | Scalar | None = None) -> Tile",
    },
    build="matmul.matmul",
    operands=3,
    space="Acc",
)
add(
    "matmul_bias",
    "The matrix product that begins with a row of biases, [1, N] of the accumulator's type, one "
    "for each column.",
    {
        "": "(lhs: Tile, rhs: Tile, bias: Tile) -> Tile",
        "tile": "(lhs: Tile, rhs: Tile, bias: Tile) -> Tile",
    },
    build="matmul.matmul_bias",
    operands=3,
    space="Acc",
)
for _name, _extra, _ir in (("gemv", "", "matmul"), ("gemv_bias", ", bias: Tile", "matmul_bias")):
    _signature = f"(lhs: Tile, rhs: Tile{_extra}, acc_phase: str = 'unspecified') -> Tile"
    add(
        _name,
        f"`{_ir}` of one row, [1, K] by [K, N].",
        {"": _signature, "tile": _signature},
        ir=_ir,
        build="matmul.gemv",
        operands=3 if _extra else 2,
        space="Acc",
    )
_signature = "(acc: Tile, lhs: Tile, rhs: Tile, acc_phase: str = 'unspecified') -> Tile"
add(
    "gemv_acc",
    "`matmul_acc` of one row, [1, K] by [K, N].",
    {"": _signature, "tile": _signature},
    ir="matmul_acc",
    build="matmul.gemv",
    operands=3,
    space="Acc",
)
