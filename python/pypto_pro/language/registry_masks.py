# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Operations of the vector unit that meet masks, bits and remainders, and those that take
three sources. Read by registry.py."""

from __future__ import annotations

COMPARE = {
    "eq": "equal",
    "ne": "different",
    "lt": "less",
    "le": "less or equal",
    "gt": "greater",
    "ge": "greater or equal",
}
_MASK = "UINT8, at least [M, N / 8] in rows of whole 32 bytes: a bit for each element, row by row, "
_MASK += "the first in the lowest bit of a byte; what is left of a row's last byte is anything"
_NUMBERS = "FP16, BF16, FP32, INT8 to INT64, UINT8 to UINT64, as far as the chip has them or "
_NUMBERS += "instructions that make them"
_INTEGERS = "INT8 to INT64, UINT8 to UINT64, as far as the chip has them"
_SCALAR = "int | float | Scalar"
_STEPS = "Several instructions; what lies between them is where Vec is free."


def example(body: str, dtype: str = "INT32", masks: str = "") -> str:
    """A program around the operation: tiles `x`, `y`, `z` and what `masks` makes."""
    return f"""\
import numpy as np
import pypto_pro.language as pl

@pl.jit(arch="a5")
def kernel(a: pl.Tensor[[16, 64], pl.DT_{dtype}], b: pl.Tensor[[16, 64], pl.DT_{dtype}]):
    kind = pl.TileType([16, 64], pl.DT_{dtype})
    x_group = pl.make_tile_group(type=kind, addrs=0, mutex_ids=[0])
    y_group = pl.make_tile_group(type=kind, addrs=0x2000, mutex_ids=[1])
    x, y = x_group[0], y_group[0]
{masks}    with pl.section_vector():
        pl.load(x, a, [0, 0])
        pl.load(y, b, [0, 0])
        {body}
        pl.store(a, x, [0, 0])

a = np.ones([16, 64], np.{_NUMPY[dtype]})
kernel[None, 1](a, a + 1)
"""


_NUMPY = {"INT32": "int32", "FP32": "float32", "FP16": "float16"}
_MASK_TILE = """\
    mask_kind = pl.TileType([16, 32], pl.DT_UINT8)
    mask = pl.make_tile_group(type=mask_kind, addrs=0x4000, mutex_ids=[2])[0]
    scratch = pl.make_tile(kind, addr=0x6000)
"""


def declare(add) -> None:
    def vector(name, signature, doc, build, body, ir="", dtype="INT32", masks=""):
        add(
            name,
            f"{signature} -> None",
            doc,
            build,
            pipe="V",
            ir=ir,
            example=example(body, dtype, masks),
        )

    select = "\n        pl.select(x, mask, x, y, scratch)"
    for name, words in COMPARE.items():
        vector(
            name,
            "(out: Tile, lhs: Tile, rhs: Tile)",
            f"A mask for `pl.select`: a bit for each element, set where lhs is {words}; NaN is "
            f"equal to nothing. `out` is {_MASK}. Element types: {_NUMBERS}.",
            "masks.compare",
            f"pl.{name}(mask, x, y){select}",
            "cmp",
            masks=_MASK_TILE,
        )
    for name, other in (("cmp", "Tile"), ("cmps", _SCALAR)):
        vector(
            name,
            f"(out: Tile, lhs: Tile, rhs: {other}, *, cmp_type: int | CompareMode = 0)",
            "A mask of those elements that compare so: `cmp_type` is a pl.CompareMode or its place "
            f"there, 0 (EQ), 1 (NE), 2 (LT), 3 (LE), 4 (GT), 5 (GE). `out` is {_MASK}. Element "
            f"types: {_NUMBERS}.",
            "masks.compare",
            f"pl.{name}(mask, x, {'y' if other == 'Tile' else '0'}, "
            f"cmp_type=pl.CompareMode.LT){select}",
            "cmp",
            masks=_MASK_TILE,
        )
    mask = "`mask` is of a comparison, or any bits that lie as there do"
    for name, end in (("select", "tmp: Tile)"), ("sel", "tmp: Tile | None = None)")):
        vector(
            name,
            f"(out: Tile, mask: Tile, lhs: Tile, rhs: Tile, {end}",
            f"The element of `lhs` where the mask has a bit, else that of `rhs`. {mask}. `tmp` is "
            f"checked and not needed. Element types: {_NUMBERS}.",
            "masks.select",
            f"pl.gt(mask, x, y)\n        pl.{name}(x, mask, x, y, scratch)",
            "sel",
            masks=_MASK_TILE,
        )
    vector(
        "sels",
        f"(out: Tile, mask: Tile, src: Tile, tmp: Tile | None, scalar: {_SCALAR})",
        f"The element of `src` where the mask has a bit, else the scalar. {mask}. The scalar is "
        "written to `tmp`, which has the type and the valid part of `out`, or without it to `out`, "
        f"which then is another tile than `src`. Element types: {_NUMBERS}.",
        "masks.select_scalar",
        "pl.gt(mask, x, y)\n        pl.sels(x, mask, x, scratch, 7)",
        "sel",
        masks=_MASK_TILE,
    )
    _bits(vector)
    _three(vector)


def _bits(vector) -> None:
    for name, doc, ir in (
        ("and_", "The bits that both have.", "and"),
        ("or_", "The bits that either has.", "or"),
    ):
        vector(
            name,
            "(out: Tile, lhs: Tile, rhs: Tile | int | Scalar)",
            f"{doc} With a scalar: {_STEPS[0].lower()}{_STEPS[1:]} Element types: {_INTEGERS}.",
            "vector.compute",
            f"pl.{name}(x, x, y)",
            ir,
        )
        vector(
            f"{ir}s",
            "(out: Tile, lhs: Tile, rhs: int | Scalar)",
            f"`pl.{name}` with a scalar. {_STEPS} Element types: {_INTEGERS}.",
            "vector.compute",
            f"pl.{ir}s(x, x, 6)",
            ir,
        )
    scratch = f"`tmp` is checked: of the type of `out`, and another tile. {_STEPS}"
    for name, other in (("xor", "Tile"), ("xors", "int | Scalar")):
        vector(
            name,
            f"(out: Tile, lhs: Tile, rhs: {other}, tmp: Tile)",
            f"The bits that one has. {scratch} Element types: {_INTEGERS}.",
            "masks.with_scratch",
            f"pl.{name}(x, x, {'y' if other == 'Tile' else '6'}, scratch)",
            "xor",
            masks=_MASK_TILE,
        )
    for name, other in (("rem", "Tile"), ("rems", _SCALAR)):
        vector(
            name,
            f"(out: Tile, lhs: Tile, rhs: {other}, tmp: Tile | None = None)",
            f"The rest of the division, with the sign of the divisor. {scratch} FP32 is "
            "x - floor(x / y) * y, each step rounded; a division by zero gives anything. Element "
            "types: FP16, BF16, FP32, INT8, INT16, UINT8, on the 950 all other integers too.",
            "masks.with_scratch",
            f"pl.{name}(x, x, {'y' if other == 'Tile' else '3'}, scratch)",
            "rem",
            masks=_MASK_TILE,
        )


def _three(vector) -> None:
    for name, words, signs in (
        ("addc", "a + b + c", ("add", "add")),
        ("subc", "a - b + c", ("sub", "add")),
    ):
        for path, key in ((name, "b: Tile"), (f"{name[:3]}sc", f"b: {_SCALAR}")):
            vector(
                path,
                f"(out: Tile, a: Tile, {key}, c: Tile)",
                f"{words}, from left to right, each step rounded. `out` may be any of the tiles "
                f"but `c`. Element types: {_NUMBERS}.",
                "fused.in_turn",
                f"pl.{path}(x, x, {'y' if 'Tile' in key else '3'}, y)",
                signs[0],
            )
