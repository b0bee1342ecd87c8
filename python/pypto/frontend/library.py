# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Kernels that the front end uses itself, in the language.

They are made when they are first needed: the language imports the front end.
"""

from __future__ import annotations

import functools

# What a copied tile may take: little enough for two of them on every chip.
COPY_BYTES = 32768


@functools.cache
def copy_rows():
    """A kernel that copies a matrix whose rows are whole blocks of 32 bytes."""
    import pypto.language as pl

    @pl.jit.incore
    def copy_array(source: pl.Tensor, result: pl.Out[pl.Tensor]):
        rows, cols = source.shape
        width = min(cols, COPY_BYTES // 4)
        block = min(rows, max(1, COPY_BYTES // 4 // width))
        for row in pl.range(0, rows, block):
            for col in pl.range(0, cols, width):
                valid = [pl.min(rows - row, block), pl.min(cols - col, width)]
                t = pl.load(source, [row, col], [block, width], valid_shape=valid)
                pl.store(t, [row, col], result)

    return copy_array


@functools.cache
def copy_whole():
    """A kernel that copies an array of any shape that fits on the chip."""
    import pypto.language as pl

    @pl.jit.incore
    def copy_array(source: pl.Tensor, result: pl.Out[pl.Tensor]):
        result[:] = source

    return copy_array


def copy(type_):
    """The kernel that copies an array of this type."""
    rows = len(type_.shape) == 2 and type_.shape[1] * type_.dtype.get_byte() % 32 == 0
    return copy_rows() if rows else copy_whole()
