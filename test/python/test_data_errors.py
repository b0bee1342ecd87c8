# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Movement and shapes that are wrong, among them what the existing implementation lets through
(top of language.md): each is an error with its line, what was found, and what to do."""

import pypto.language as pl
import pytest
from pypto.diagnostics.errors import CompileError

HEAD = """import pypto.language as pl

@pl.jit.incore
def kernel(x: pl.Tensor[[64, 128], pl.FP32], h: pl.Tensor[[64, 128], pl.FP16],
           out: pl.Out[pl.Tensor[[64, 128], pl.FP32]]):
{body}
    return out

@pl.jit
def entry(x: pl.Tensor[[64, 128], pl.FP32], h: pl.Tensor[[64, 128], pl.FP16],
          out: pl.Out[pl.Tensor[[64, 128], pl.FP32]]):
    out = kernel(x, h, out)
    return out
"""
T = "t = pl.load(x, [0, 0], [64, 128])\n"
STORE = "pl.store(t, [0, 0], out)"

CASES = {
    # What the existing implementation lets through.
    "mixed element types": (
        T + "u = pl.load(h, [0, 0], [64, 128])\nt = pl.add(t, u)\n" + STORE,
        ["different element types", "pl.cast"],
    ),
    "a row against a tile": (
        T + "u = pl.load(x, [0, 0], [1, 128])\nt = pl.add(t, u)\n" + STORE,
        ["different shapes", "[64, 128]", "[1, 128]"],
    ),
    "a path that does not exist": (
        T + "t = pl.move(t, pl.Mem.Left)\n" + STORE,
        ["Vec", "Left"],
    ),
    "an array made in a core": (
        "w = pl.create_tensor([64, 128], pl.FP32)\nout[:] = x",
        ["allocates an array, which in-core code cannot"],
    ),
    "a store into an input": (T + "pl.store(t, [0, 0], x)\nout[:] = x", ["'x'", "read-only"]),
    "rows gathered from a tile": (
        T + "t = pl.gather_row(t, t, [0, 0], [0, 0], [1, 128])\n" + STORE,
        ["pl.gather_row takes an array", "[64, 128] FP32 tile"],
    ),
    "rows gathered of another type": (
        T + "t = pl.gather_row(t, h, [0, 0], [0, 0], [1, 128])\n" + STORE,
        ["different element types", "pl.cast"],
    ),
    "rows gathered beyond the end": (
        T + "t = pl.gather_row(t, x, [60, 0], [0, 0], [8, 128])\n" + STORE,
        ["in dimension 0 it covers 60 to 67 of 0 to 63"],
    ),
    "rows gathered from beyond the end": (
        T + "t = pl.gather_row(t, x, [0, 0], [60, 0], [8, 128])\n" + STORE,
        ["64"],
    ),
    "rows gathered into Mat": (
        "t = pl.load(x, [0, 0], [64, 128], target_memory=pl.Mem.Mat)\n"
        "u = pl.gather_row(t, x, [0, 0], [0, 0], [1, 128])\nout[:] = x",
        ["pl.gather_row into", "Mat", "not supported yet", "Vec"],
    ),
    "rows gathered into an input": (
        "x = pl.gather_row(x, out, [0, 0], [0, 0], [1, 128])\nout[:] = x",
        ["'x'", "read-only"],
    ),
    "a window of three dimensions gathered": (
        T + "t = pl.gather_row(t, x, [0, 0], [0, 0], [1, 1, 128])\n" + STORE,
        ["has 2 dimensions, found 3"],
    ),
    "transpose= that is no bool": (
        T + "t = pl.gather_row(t, x, [0, 0], [0, 0], [1, 128], 3)\n" + STORE,
        ["transpose= is True or False"],
    ),
    "rows of 20 bytes": (
        "t = pl.load(x, [0, 0], [64, 5])\n" + STORE,
        ["multiple of 32 bytes", "20 bytes", "multiple of 8 columns"],
    ),
    "rows of 20 bytes, created": (
        "t = pl.create_tile([64, 5], pl.FP32)\nout[:] = x",
        ["multiple of 32 bytes", "20 bytes"],
    ),
    "rows of 20 bytes, sliced": (
        T + "u = pl.slice(t, [64, 5], [0, 0])\nout[:] = x",
        ["multiple of 32 bytes", "20 bytes"],
    ),
    "a product of no whole fractals": (
        "a = pl.load(h, [0, 0], [20, 32], target_memory=pl.Mem.Mat)\n"
        "b = pl.load(h, [0, 0], [32, 64], target_memory=pl.Mem.Mat)\n"
        "c = pl.matmul(a, b)\npl.store(c, [0, 0], out)",
        ["multiples of 16 rows"],
    ),
    # Windows and elements.
    "a slice beyond its tile": (
        T + "u = pl.slice(t, [64, 64], [0, 96])\nout[:] = x",
        ["reaches beyond the tile", "96 to 159 of 0 to 127"],
    ),
    "a slice beyond its array": (
        "out[0:8, :] = pl.slice(x, [8, 128], [60, 0])",
        ["reaches beyond the array 'x'", "60 to 67 of 0 to 63"],
    ),
    "an index beyond": (T + "v = t[64, 0]\nt[0, 0] = v\n" + STORE, ["index 64"]),
    "a negative index": (T + "t[-1, 0] = 1.0\n" + STORE, ["-1"]),
    "too few indices": (T + "v = pl.read(t, [3])\n" + STORE, ["2 dimensions", "found 1"]),
    "an element of another type": (
        T + "n = pl.read(x, [0, 0])\nu = pl.load(h, [0, 0], [64, 128])\nu[0, 0] = n\n" + STORE,
        ["an element is FP16, and this is FP32", "pl.cast"],
    ),
    "elements and copies": (
        "out[:] = x\nout[0, 0] = 1.0",
        ["also reaches by copies", "use one way"],
    ),
    "copies and elements": (
        "pl.write(out, [0, 0], 1.0)\n" + T + STORE,
        ["also reaches by single elements"],
    ),
    "an assembled tile of another type": (
        T + "u = pl.load(h, [0, 0], [16, 128])\nt = pl.assemble(t, u, [0, 0])\n" + STORE,
        ["different element types"],
    ),
    "a tile into an array": (T + "out = pl.assemble(out, t, [0, 0])", ["pl.store"]),
    "adding to a tile": (
        T + "t = pl.assemble(t, t, [0, 0], atomic=pl.AtomicType.Add)\n" + STORE,
        ["atomic= is for an array"],
    ),
    "too many valid rows": (
        "t = pl.load(x, [0, 0], [32, 128], valid_shape=[33, 128])\n" + STORE,
        ["valid extent 33", "0 to 32"],
    ),
    "shapes larger than the tile": (
        T + "pl.store(t, [0, 0], out, [65, 128])",
        ["shapes= 65"],
    ),
    # Other shapes.
    "a reshape of other bytes": (
        T + "t = pl.reshape(t, [64, 64])\n" + STORE,
        ["not as many bytes"],
    ),
    "an axis twice": (T + "t = pl.transpose(t, 1, -1)\n" + STORE, ["found 1 twice"]),
    "no such axis": (T + "t = pl.transpose(t, 0, 2)\n" + STORE, ["from -2 to 1"]),
    "the same type anew": (
        T + "t = pl.reinterpret_view(t, pl.FP32)\n" + STORE,
        ["are FP32 already", "pl.reshape"],
    ),
    "other rows side by side": (
        T + "u = pl.load(x, [0, 0], [32, 128])\nt = pl.concat(t, u)\nout[:] = x",
        ["as many rows"],
    ),
    "a smaller padded tile": (
        T + "t = pl.fillpad_expand(t, [32, 128])\n" + STORE,
        ["at least as large"],
    ),
    "a padding that is none": (
        T + "t = pl.fillpad(t, pl.PadValue.null)\n" + STORE,
        ["null fills nothing"],
    ),
    "floats in a row": ("t = pl.arange(0, [1, 64], pl.FP32)\nout[:] = x", ["INT16, INT32"]),
    "a column of numbers": ("t = pl.arange(0, [64, 1])\nout[:] = x", ["one row"]),
    "a layout of another space": (
        T + "t = pl.move(t, pl.Mem.Vec, pl.TileLayout.col_major)\n" + STORE,
        ["blayout row_major, not col_major"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_refused(name, load):
    body, words = CASES[name]
    text = HEAD.format(body="".join(f"    {line}\n" for line in body.splitlines()))
    module = load(text)
    with pytest.raises(CompileError) as caught:
        module.entry.compile()
    shown = str(caught.value)
    assert "kernel_" in shown and "^" in shown, shown
    for word in words:
        assert word in shown, shown


def test_random_is_of_the_950(load):
    text = HEAD.format(
        body="    r = pl.tile.random(1, 2, 3, 4, 5, 6, [4, 8])\n    out[:] = x\n"
        "    pl.write(out, [0, 0], pl.cast(pl.read(r, [0, 0]), pl.FP32))\n"
    ).replace("out[:] = x\n", "pl.static_print('')\n")
    with pytest.raises(CompileError, match="no random numbers on 910B.*Ascend 950"):
        load(text).entry.compile()


def test_dynamic_takes_a_name():
    with pytest.raises(TypeError, match="takes a name"):
        pl.dynamic(3)
