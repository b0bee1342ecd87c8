# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Which element types an operation takes on a chip, found by compiling: a program of one line
for each operation, with operands of one type.

A line of `_PROBES` is what one would write: `call | operands | result`. An operand is
`name:ROWSxCOLS`, behind it `*TYPE` if it is not of the type that is asked for, `@SPACE` if it
does not come to Vec; `+` in front of a name makes a tile without content. In a call, `S` is a
number of the type, `{o}` the namespace.
"""

from __future__ import annotations

import functools
import importlib.util
import pathlib
import re
import tempfile

from ..diagnostics.errors import PyptoError

TYPES = ("FP16", "BF16", "FP32", "INT8", "INT16", "INT32", "INT64")
TYPES += ("UINT8", "UINT16", "UINT32", "UINT64", "BOOL")
_FLOATS = ("FP16", "BF16", "FP32")
_PLATFORMS = {"910B": "a2a3sim", "950": "a5sim"}

_X, _Y, _Z = "x:16x64", "y:16x64", "z:16x64"
_COLUMN, _ROW = "v:16x1", "v:1x64"
_TMP, _BITS = "+tmp:16x64", "+tmp:1x32*UINT8"


def _each(names: str, line: str) -> dict[str, str]:
    return {name: line.replace("NAME", name) for name in names.split()}


_PROBES = {
    # Element by element.
    **_each("exp log sqrt rsqrt recip neg abs relu sin cos not_", f"{{o}}.NAME(x) | {_X} | 16x64"),
    **_each(
        "add sub mul div fmod maximum minimum part_add part_mul part_max part_min and_ or_ shl shr",
        f"{{o}}.NAME(x, y) | {_X} {_Y} | 16x64",
    ),
    **_each("rem xor prelu", f"{{o}}.NAME(x, y, tmp) | {_X} {_Y} {_TMP} | 16x64"),
    **_each(
        "adds subs muls divs fmods maximums minimums ands ors shls shrs lrelu",
        f"{{o}}.NAME(x, S) | {_X} | 16x64",
    ),
    **_each("rems xors", f"{{o}}.NAME(x, S, tmp) | {_X} {_TMP} | 16x64"),
    **_each("addc subc", f"{{o}}.NAME(x, y, z) | {_X} {_Y} {_Z} | 16x64"),
    **_each("addsc subsc", f"{{o}}.NAME(x, S, y) | {_X} {_Y} | 16x64"),
    "cmp": f"pl.tile.sel(pl.tile.cmp(x, y), x, y, tmp) | {_X} {_Y} {_BITS} | 16x64",
    "cmps": f"pl.tile.sel(pl.tile.cmps(x, S), x, x, tmp) | {_X} {_BITS} | 16x64",
    "sel": f"pl.tile.sel(m, x, y, tmp) | m:16x32*UINT8 {_X} {_Y} {_BITS} | 16x64",
    "sels": f"pl.tile.sels(m, x, tmp, S) | m:16x32*UINT8 {_X} {_BITS} | 16x64",
    # Rows and columns.
    **_each("row_max row_sum row_min row_prod", f"{{o}}.NAME(x, tmp) | {_X} {_TMP} | 16x1"),
    **_each("row_argmax row_argmin", f"{{o}}.NAME(x, tmp) | {_X} {_TMP} | 16x1*INT32"),
    **_each("col_max col_sum col_min col_prod", f"{{o}}.NAME(x) | {_X} | 1x64"),
    **_each("col_argmax col_argmin", f"{{o}}.NAME(x, tmp) | {_X} {_TMP} | 1x64*INT32"),
    **_each(
        "row_expand row_expand_add row_expand_sub row_expand_mul row_expand_div row_expand_max "
        "row_expand_min row_expand_expdif",
        f"{{o}}.NAME(x, v) | {_X} {_COLUMN} | 16x64",
    ),
    **_each(
        "col_expand col_expand_add col_expand_sub col_expand_mul col_expand_div col_expand_max "
        "col_expand_min col_expand_expdif",
        f"{{o}}.NAME(x, v) | {_X} {_ROW} | 16x64",
    ),
    "expands": f"{{o}}.expands(x, S) | {_X} | 16x64",
    "expand_clone": f"pl.tensor.expand_clone(v, x) | ={_ROW} ={_X} | 16x64",
    # Data.
    "full": "{o}.full([16, 64], T, S) | | 16x64",
    "ci": "{o}.ci(0, [1, 64], dtype=T) | | 1x64",
    "arange": "{o}.arange(0, [1, 64], dtype=T) | | 1x64",
    "tri": "{o}.tri(0, [16, 64], dtype=T) | | 16x64",
    "random": "{o}.random(1, 2, 3, 4, 5, 6, [16, 64], dtype=T) | | 16x64",
    "load": f"x | {_X} | 16x64",
    "store": f"x | {_X} | 16x64",
    "move": f"pl.move(x, target_memory=pl.Mem.Vec) | {_X} | 16x64",
    "set_validshape": f"{{o}}.fillpad(pl.tile.set_validshape(x, 8, 32)) | {_X} | 16x64",
    "fillpad": f"{{o}}.fillpad(pl.tile.set_validshape(x, 8, 32)) | {_X} | 16x64",
    "fillpad_inplace": f"{{o}}.fillpad_inplace(pl.tile.set_validshape(x, 8, 32)) | {_X} | 16x64",
    "fillpad_expand": f"{{o}}.fillpad_expand(x, [32, 128]) | {_X} | 32x128",
    "cast": f"{{o}}.cast(x, WIDE) | {_X} | 16x64*WIDE",
    "reinterpret_view": f"{{o}}.reinterpret_view(x, TWIN) | {_X} | 16x64*TWIN",
    "extract": "pl.tile.matmul(pl.tile.extract(a, 0, 0, [16, 32], target_memory=pl.Mem.Left), b) "
    "| a:32x32@Mat b:32x32@Mat | 16x32*ACC",
    "reshape": f"{{o}}.reshape(x, [8, 128]) | {_X} | 8x128",
    "transpose": "{o}.transpose(x, 0, 1) | x:32x64 | 64x32",
    "concat": f"{{o}}.concat(x, y) | {_X} {_Y} | 16x128",
    "slice": f"{{o}}.slice(x, [8, 32], [8, 32]) | {_X} | 8x32",
    "assemble": f"{{o}}.assemble(x, y, [8, 32]) | {_X} y:8x32 | 16x64",
    "read": f"{{o}}.expands(x, {{o}}.read(x, [1, 2])) | {_X} | 16x64",
    # Matrix products.
    "matmul": "{o}.matmul(a, b) | a:32x32@Mat b:32x32@Mat | 32x32*ACC",
    "matmul_acc": "{o}.matmul_acc(pl.tile.matmul(a, b), a, b) | a:32x32@Mat b:32x32@Mat "
    "| 32x32*ACC",
    "matmul_bias": "{o}.matmul_bias(a, b, pl.move(c, target_memory=pl.Mem.Bias)) | a:32x32@Mat "
    "b:32x32@Mat c:1x32*ACC@Mat | 32x32*ACC",
    "gemv": "{o}.gemv(a, b) | a:1x32@Mat b:32x32@Mat | 1x32*ACC",
    "gemv_acc": "{o}.gemv_acc(pl.tile.gemv(a, b), a, b) | a:1x32@Mat b:32x32@Mat | 1x32*ACC",
    "gemv_bias": "{o}.gemv_bias(a, b, pl.move(c, target_memory=pl.Mem.Bias)) | a:1x32@Mat "
    "b:32x32@Mat c:1x32*ACC@Mat | 1x32*ACC",
    # Gather, scatter, sort.
    "gather": "pl.tensor.gather(x, dim=-1, index=i) | =x:16x64 =i:16x32*INT32 | 16x32",
    "scatter": "pl.tensor.scatter(x, dim=-1, index=i, src=y) | =x:16x64 =i:16x32*INT32 =y:16x32 "
    "| 16x64",
    "gather_mask": "{o}.gather_mask(x, 1) | x:16x64 | 16x32",
    "gatherb": "{o}.gatherb(x, i) | x:16x64 i:1x16*UINT32 | 1x128",
    "scatter_mask": "{o}.scatter_mask(x, y, 1) | x:16x64 y:16x32 | 16x64",
    "mgather": "{o}.mgather(x, i) | =x:16x64 i:1x16*INT32 | 16x64",
    "sort32": "{o}.sort32(x, i) | x:1x64 i:1x64*UINT32 | 1x128",
    "mrgsort": "{o}.mrgsort(x, block_len=64) | x:1x256 | 1x256",
}
_OPERAND = re.compile(r"([+=]?)(\w+):(\d+)x(\d+)(?:\*(\w+))?(?:@(\w+))?")
_RESULT = re.compile(r"(\d+)x(\d+)(?:\*(\w+))?")


# Another type of the same width.
_TWINS = {"FP16": "INT16", "BF16": "INT16", "FP32": "INT32", "BOOL": "UINT8"}


def _type(word: str | None, dtype: str) -> str:
    """The type that a word stands for: of products, of a conversion, of the same bytes."""
    if word == "ACC":
        return "INT32" if dtype in ("INT8", "UINT8") else "FP32"
    if word == "WIDE":
        return "INT32" if dtype == "FP32" else "FP32"
    if word == "TWIN":
        return _TWINS.get(dtype) or (dtype[1:] if dtype[0] == "U" else "U" + dtype)
    return word or dtype


def _kernel(name: str, line: str, dtype: str, tile: bool) -> str:
    """The program of one line, as a user writes it."""
    call, operands, result = (part.strip() for part in line.split("|"))
    parameters, loads = [], []
    for mark, operand, rows, cols, word, space in _OPERAND.findall(operands):
        kind = f"[{rows}, {cols}], pl.{_type(word, dtype)}"
        if mark == "+":
            loads.append(f"{operand} = pl.tile.create({kind})")
            continue
        parameters.append(f"{operand}: pl.Tensor[{kind.replace('[', '[[', 1)[1:]}]")
        if mark != "=":
            target = f", target_memory=pl.Mem.{space}" if space else ""
            loads.append(f"{operand} = pl.load({operand}, [0, 0], [{rows}, {cols}]{target})")
    rows, cols, word = _RESULT.fullmatch(result).groups()
    kind = f"pl.Tensor[[{rows}, {cols}], pl.{_type(word, dtype)}]"
    number = "2.0" if dtype in _FLOATS else "True" if dtype == "BOOL" else "2"
    call = call.replace("{o}", "pl.tile" if tile else "pl.tensor")
    for word in ("WIDE", "TWIN"):
        call = call.replace(word, f"pl.{_type(word, dtype)}")
    call = re.sub(r"\bS\b", number, re.sub(r"\bT\b", f"pl.{dtype}", call))
    whole = call.startswith("pl.tensor.")
    last = f"out[:] = {call}" if whole else f"pl.store({call}, [0, 0], out)"
    lines = [f"        {text}" for text in (*loads, last)]
    head = ", ".join([*parameters, f"out: pl.Out[{kind}]"])
    return "\n".join(
        [
            "@pl.jit",
            f"def probe_{name}({head}):",
            "    with pl.at(level=pl.Level.CORE_GROUP):",
            *lines,
            "    return out\n\n",
        ]
    )


def has_probe(name: str) -> bool:
    return name in _PROBES


@functools.cache
def _module(dtype: str, names: tuple[str, ...], folder: str):
    """A module of all programs of one type."""
    path = pathlib.Path(folder, f"probes_{dtype.lower()}.py")
    texts = [_kernel(name, _PROBES[name], dtype, tile=True) for name in names]
    path.write_text("import pypto.language as pl\n\n\n" + "".join(texts))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def probe(names) -> dict[str, dict[str, dict[str, str]]]:
    """For each operation and each chip the element types, with "" for those that it takes and
    the first line of the error for others."""
    from ..runtime.config import RunConfig

    known = tuple(name for name in names if name in _PROBES)
    found = {name: {chip: {} for chip in _PLATFORMS} for name in known}
    with tempfile.TemporaryDirectory() as folder:
        for dtype in TYPES:
            module = _module(dtype, known, folder)
            for name in known:
                for chip, platform in _PLATFORMS.items():
                    config = RunConfig(platform=platform)
                    try:
                        getattr(module, f"probe_{name}").lower(config=config)
                        found[name][chip][dtype] = ""
                    except PyptoError as error:
                        found[name][chip][dtype] = error.diagnostics[0].message
    _module.cache_clear()
    return found
