# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""How the registry's entries are written: the table, and the forms that many operations share."""

from __future__ import annotations

from .operation import Operation, Signature

OPERATIONS: dict[str, Operation] = {}
CONSTRUCTS: dict[str, Operation] = {}

NUMBER = "int | float | Scalar"


def add(name: str, doc: str, faces: dict[str, str], table=OPERATIONS, **properties) -> None:
    """`name`: unique; what stands in front of a dot is not the operation's own name."""
    signatures = {face: Signature(text) for face, text in faces.items()}
    table[name] = Operation(name.rpartition(".")[2], doc, signatures, **properties)


def unary(name: str, doc: str, extra: str = "", tile_extra: str | None = None) -> None:
    """Element by element. `extra` are more arguments with defaults; `tile_extra` those of
    `pl.tile.<name>` where the language has others there."""
    add(
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
    add(
        name,
        doc,
        {
            "": f"(lhs: T, rhs: T | {NUMBER}{extra}) -> T",
            "tensor": f"(lhs: Tensor, rhs: Tensor | {NUMBER}{extra}) -> Tensor",
            "tile": f"(lhs: Tile, rhs: Tile | {NUMBER}{extra}) -> Tile",
        },
        operands=2,
        symbol=symbol,
    )
    if scalar_name:
        add(
            scalar_name,
            f"`{name}` with a scalar.",
            {
                "": f"(lhs: T, rhs: {NUMBER}) -> T",
                "tensor": f"(lhs: Tensor, rhs: {NUMBER}) -> Tensor",
                "tile": f"(lhs: Tile, rhs: {NUMBER}) -> Tile",
            },
            ir=name,
            operands=2,
        )


def row_reduce(name: str, doc: str) -> None:
    add(
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


def col_reduce(name: str, doc: str, tmp: str = "") -> None:
    """`tmp`: scratch that the language takes, which is checked and not needed."""
    add(
        name,
        doc + " `[M, N]` gives `[1, N]`, one row after the other.",
        {
            "": f"(input: T{tmp}) -> T",
            "tensor": "(input: Tensor) -> Tensor",
            "tile": f"(tile: Tile{tmp}) -> Tile",
        },
        rule="col_reduce",
    )


def col_expand(name: str, doc: str) -> None:
    add(
        name,
        doc + " `[M, N]` with `[1, N]`.",
        {
            "": "(lhs: T, rhs: T) -> T",
            "tensor": "(tensor: Tensor, col_vec: Tensor) -> Tensor",
            "tile": "(tile: Tile, col_vec: Tile) -> Tile",
        },
        operands=2,
    )


def row_expand(name: str, doc: str, tmp: str = "") -> None:
    """`tmp`: scratch that the language takes, which is checked and not needed."""
    add(
        name,
        doc + " `[M, N]` with `[M, 1]`.",
        {
            "": f"(lhs: T, rhs: T{tmp}) -> T",
            "tensor": "(tensor: Tensor, row_vec: Tensor) -> Tensor",
            "tile": f"(tile: Tile, row_vec: Tile{tmp}) -> Tile",
        },
        operands=2,
    )
