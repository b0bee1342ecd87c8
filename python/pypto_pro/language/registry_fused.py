# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Operations that are several instructions, and those that change the shape of what a tile
holds. Read by registry.py."""

from __future__ import annotations

from .registry_masks import example

_NUMBERS = "FP16, BF16, FP32, INT8 to INT64, UINT8 to UINT64, as far as the chip has them or "
_NUMBERS += "instructions that make them"
_MORE = """\
    values = pl.make_tile(pl.TileType([16, 1], pl.DT_FP32, layout=pl.DN), addr=0xd000)
    bytes = pl.make_tile(pl.TileType([16, 64], pl.DT_INT8), addr=0xe000)
    half = pl.make_tile(pl.TileType([16, 64], pl.DT_FP16), addr=0x4000)
    turned = pl.make_tile(pl.TileType([64, 16], pl.DT_FP32), addr=0x5000)
    padded = pl.make_tile(pl.TileType([32, 64], pl.DT_FP32, pad=pl.TilePad.zero), addr=0x8000)
    index = pl.make_tile(pl.TileType([1, 64], pl.DT_INT32), addr=0xc000)
"""


def declare(add) -> None:
    def vector(name, signature, doc, build, body, ir="", pipe="V"):
        shown = example(body, "FP32", _MORE)
        add(name, f"{signature} -> None", doc, build, pipe=pipe, ir=ir, example=shown)

    _sums(vector)
    _quantised(vector)
    shape = "by the scalar unit, element by element, between two barriers of all pipes"
    vector(
        "fillpad",
        "(out: Tile, src: Tile, *, mode: FillPadMode = FillPadMode.NORMAL)",
        "The valid part of `src`, and what the type of `out` says in `pad` (zero; the largest or "
        "smallest value, of floats an infinity) in all other elements of `out`. NORMAL: two tiles "
        "of one shape; EXPAND: `out` may be larger; INPLACE: both at one address. Element types: "
        "all.",
        "shapes.fillpad",
        "pl.fillpad(padded, x, mode=pl.FillPadMode.EXPAND)",
    )
    vector(
        "transpose",
        "(out: Tile, src: Tile)",
        f"Rows and columns exchanged, {shape}. Element types: those of 8, 16 and 32 bits.",
        "shapes.transpose",
        "pl.transpose(turned, x)",
        pipe="S",
    )
    vector(
        "reshape",
        "(out: Tile, src: Tile)",
        "The valid elements of `src`, row by row, in rows of another length: `out` has as many. "
        f"Where both follow row on row it is one copy, else it is done {shape}. Element types: "
        "all.",
        "shapes.reshape",
        "pl.reshape(turned, x)",
        pipe="V or S",
    )
    vector(
        "ub_copy",
        "(dst_tile: Tile, src_tile: Tile)",
        "Copies the valid part of a tile in Vec to another there. Element types: all.",
        "moves.ub_copy",
        "pl.ub_copy(y, x)",
        "move",
    )
    vector(
        "fill_index",
        "(out: Tile, start: int | Scalar)",
        f"start, start + 1, ... in the only valid row of `out`, {shape}. Element type: INT32.",
        "shapes.fill_index",
        "pl.fill_index(index, 7)",
        "ci",
        pipe="S",
    )


def _quantised(vector) -> None:
    rows = "[M, 1] of FP32 in layout DN, a value for each row"
    vector(
        "quant",
        "(out: Tile, src: Tile, scale: Tile, *, mode: QuantMode = QuantMode.SYM, "
        "offset: Tile | None = None)",
        f"FP32 to INT8 or UINT8: x * scale, with ASYM plus `offset`, each step rounded to FP32; "
        "then the nearest integer (of two the even one), the largest or smallest one where it does "
        f"not fit, and 0 for NaN. `scale` and `offset` are {rows}. Several instructions; what lies "
        "between them is where Vec is free.",
        "quantised.quant",
        "pl.row_max(values, x)\n        pl.quant(bytes, x, values)",
        "cast",
    )
    vector(
        "dequant",
        "(out: Tile, src: Tile, scale: Tile, offset: Tile)",
        f"INT8 or INT16 to FP32: (x - offset) * scale, each step rounded. `scale` and `offset` are "
        f"{rows}. Several instructions.",
        "quantised.dequant",
        "pl.row_max(values, x)\n        pl.expands(bytes, 3)\n"
        "        pl.dequant(x, bytes, values, values)",
        "cast",
    )


def _sums(vector) -> None:
    step = "Each step is rounded."
    for name, words in (
        ("fused_mul_add", "out = lhs * out + rhs"),
        ("fused_mul_add_relu", "out = max(lhs * out + rhs, 0)"),
    ):
        vector(
            name,
            "(out: Tile, lhs: Tile, rhs: Tile)",
            f"{words}. {step} `rhs` is another tile than `out`. Element types: {_NUMBERS}.",
            "fused.multiply_add",
            f"pl.{name}(x, y, y)",
            "mul",
        )
    vector(
        "mul_add_dst",
        "(out: Tile, lhs: Tile, rhs: Tile)",
        f"out = out + lhs * rhs. {step} The product is where Vec is free. Element types: "
        f"{_NUMBERS}.",
        "fused.multiply_to",
        "pl.mul_add_dst(x, x, y)",
        "mul",
    )
    vector(
        "axpy",
        "(out: Tile, src: Tile, alpha: float | Scalar)",
        f"out = out + alpha * src. {step} The product is where Vec is free. `alpha` has the type "
        "of `src`: FP16 or FP32, that of `out`, or FP16 where `out` is FP32.",
        "fused.axpy",
        "pl.axpy(x, y, 0.5)",
        "mul",
    )
    for name, words, ir in (
        ("add_relu_cast", "max(lhs + rhs, 0)", "add"),
        ("sub_relu_cast", "max(lhs - rhs, 0)", "sub"),
        ("mul_cast", "lhs * rhs", "mul"),
    ):
        vector(
            name,
            "(out: Tile, lhs: Tile, rhs: Tile, *, target_type: DataType, "
            "mode: RoundMode = RoundMode.CAST_ROUND)",
            f"{words}, converted to `target_type`, which is that of `out`. Each step rounds; "
            "`lhs` holds what is converted afterwards. Element types: those of pl.add and of "
            "pl.cast.",
            "fused.then_cast",
            f"pl.{name}(half, x, y, target_type=pl.DT_FP16)",
            ir,
        )
    for name, words, ir in (
        ("partadd", "their sum", "add"),
        ("partmul", "their product", "mul"),
        ("partmax", "the larger one", "maximum"),
        ("partmin", "the smaller one", "minimum"),
    ):
        vector(
            name,
            "(out: Tile, s0: Tile, s1: Tile)",
            f"Where both sources are valid {words}, elsewhere the source that is valid. One source "
            "has the valid part of `out`, the other no more, and it is another tile than `out` if "
            f"it has less. Valid parts are known at compile time. Element types: {_NUMBERS}.",
            "fused.partly",
            f"pl.{name}(x, x, y)",
            ir,
        )
