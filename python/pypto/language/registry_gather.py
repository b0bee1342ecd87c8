# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Elements and rows that are collected from somewhere else."""

from __future__ import annotations

from .registry_forms import add

_gather_row = (
    "({dst}: {T}, src: Tensor, dst_offset: Sequence[int | Scalar], "
    "src_offset: Sequence[int | Scalar], shapes: Sequence[int], transpose: bool = False, *, "
    "valid_shape: Sequence[int | Scalar] | None = None) -> {T}"
)
add(
    "gather_row",
    "Puts a window of an array, `shapes` from `src_offset` on, into a tile or an array at "
    "`dst_offset`; with `transpose` its columns become rows. Only `valid_shape` of it is written. "
    "Rows at places that are known at run time only are collected in a loop.",
    {
        "": _gather_row.format(dst="dst", T="T"),
        "tensor": _gather_row.format(dst="acc", T="Tensor"),
        "tile": _gather_row.format(dst="dst", T="Tile"),
    },
    build="gather.gather_row",
    operands=0,
)
