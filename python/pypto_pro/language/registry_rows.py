# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Rows and columns: what reduces them, and what meets them with a value each. Read by
registry.py."""

from __future__ import annotations

from .registry_masks import example

REDUCE = {"max": "The largest value", "min": "The smallest value", "sum": "The sum"}
MEET = {
    "add": "plus",
    "sub": "minus",
    "mul": "times",
    "div": "divided by",
    "max": "or the larger one of it and",
    "min": "or the smaller one of it and",
}
_ROW = "[M, 1] in layout DN, a value for each valid row"
_COL = "[1, N], a value for each valid column"
_ROW_TYPES = "FP16, BF16, FP32; of sums on the 950 INT32 and UINT32 too, of the others INT16, "
_ROW_TYPES += "UINT16, INT32, UINT32"
_TYPES = "FP16, BF16, FP32, INT16, UINT16, INT32, UINT32, as far as the chip has them or "
_TYPES += "instructions that make them"
_VALUES = """\
    column = pl.make_tile(pl.TileType([16, 1], pl.DT_FP32, layout=pl.DN), addr=0x4000)
    row = pl.make_tile(pl.TileType([1, 64], pl.DT_FP32), addr=0x5000)
    scratch = pl.make_tile(kind, addr=0x6000)
"""


def declare(add) -> None:
    def vector(name, signature, doc, build, body, ir=""):
        shown = example(body, "FP32", _VALUES)
        add(name, f"{signature} -> None", doc, build, pipe="V", ir=ir, example=shown)

    meet = "\n        pl.{0}_expand_sub(x, x, {1})"
    scratch = "`tmp` is scratch of the type of `src`; without it the compiler looks for free bytes"
    vector(
        "sum",
        "(out: Tile, src: Tile, tmp: Tile, *, dim: int = 0)",
        f"With `dim=0` the sum of each row: `out` is {_ROW}. With `dim=1` that of each column: "
        f"`out` is {_COL}. {scratch}. Element types: {_ROW_TYPES}.",
        "rows.total",
        "pl.sum(row, x, scratch, dim=1)" + meet.format("col", "row"),
        "row_sum",
    )
    for word, doc in REDUCE.items():
        vector(
            f"row_{word}",
            "(out: Tile, src: Tile, tmp: Tile | None = None)",
            f"{doc} of each row: `out` is {_ROW}. {scratch}. The order of the steps is stated in "
            f"docs/design.md, Numbers. Element types: {_ROW_TYPES}.",
            "rows.reduce",
            f"pl.row_{word}(column, x, scratch)" + meet.format("row", "column"),
        )
    for word, doc in {**REDUCE, "prod": "The product"}.items():
        vector(
            f"col_{word}",
            "(out: Tile, src: Tile, tmp: Tile | None = None)",
            f"{doc} of each column, one row after the other: `out` is {_COL}. {scratch}. Element "
            f"types: {_TYPES}.",
            "rows.reduce",
            f"pl.col_{word}(row, x)" + meet.format("col", "row"),
        )
    _broadcasts(vector)


def _broadcasts(vector) -> None:
    for word, doc in MEET.items():
        for which, key, shape, tile in (
            ("row", "row_vec", _ROW, "column"),
            ("col", "col_vec", _COL, "row"),
        ):
            line = "row" if which == "row" else "column"
            vector(
                f"{which}_expand_{word}",
                f"(out: Tile, src: Tile, {key}: Tile)",
                f"Each element {doc} the value of its {line}: `{key}` is {shape}. Element types: "
                f"{_TYPES}.",
                "rows.expand",
                f"pl.{which}_max({tile}, x)\n        pl.{which}_expand_{word}(x, x, {tile})",
            )
        if word == "add":
            continue
        vector(
            f"expand_{word}",
            "(out: Tile, src: Tile, scalar_tile: Tile, *, dim: int = 0)",
            f"Each element {doc} a value: with `dim=0` that of its row, `scalar_tile` is {_ROW}; "
            f"with `dim=1` that of its column, `scalar_tile` is {_COL}. Element types: {_TYPES}.",
            "rows.expand",
            f"pl.col_max(row, x)\n        pl.expand_{word}(x, x, row, dim=1)",
        )
    for which, key, shape, tile in (
        ("row", "row_vec", _ROW, "column"),
        ("col", "col_vec", _COL, "row"),
    ):
        line = "row" if which == "row" else "column"
        vector(
            f"{which}_expand",
            f"(out: Tile, {key}: Tile)",
            f"Every element is the value of its {line}: `{key}` is {shape}. Two instructions: "
            f"ones, and their product with the values. Element types: {_TYPES}.",
            "rows.spread",
            f"pl.{which}_max({tile}, x)\n        pl.{which}_expand(x, {tile})",
            f"{which}_expand_mul",
        )
        vector(
            f"{which}_expand_expdif",
            f"(out: Tile, src: Tile, {key}: Tile)",
            f"e to the power of each element minus the value of its {line}: `{key}` is {shape}. "
            "The difference is rounded. Element types: FP16, BF16, FP32.",
            "rows.expand",
            f"pl.{which}_max({tile}, x)\n        pl.{which}_expand_expdif(x, x, {tile})",
        )
