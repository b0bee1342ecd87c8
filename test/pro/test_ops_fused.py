# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Operations of several instructions, and other shapes, in PyPTO Pro, against NumPy."""

import numpy as np
import op_programs as programs
import pypto
import pytest
from op_programs import NUMPY, bits, numbers, wide
from test_ops_masks import edges
from test_ops_vector import check

ARCHS = ("a3", "a5")
FLOATS = ["FP16", "BF16", "FP32"]
# The types whose sums and products each chip computes.
TYPES = [(arch, d) for arch in ARCHS for d in NUMPY if arch == "a5" or "64" not in d]


def run(load, arch, tiles, body, sources, results):
    """`tiles`: name to (shape, valid, dtype, more), what TileType takes too. Each of `sources`
    (by the tile's name) is loaded in front of `body`; gives the tiles in `results` afterwards,
    of which the valid part is stored (all of it for a shape in place of None)."""
    arrays, loads, stores, given, made = [], [], [], [], []
    for name, x in sources.items():
        arrays.append((f"{name}_in", x.shape, tiles[name][2]))
        loads.append(f"pl.load({name}, {name}_in, [0, 0])")
        given.append(x)
    for name, shape in results.items():
        dtype = tiles[name][2]
        shape = shape or tiles[name][1]
        arrays.append((f"{name}_out", shape, dtype))
        stores.append(f"pl.set_validshape({name}_tiles, {list(shape)})")
        stores.append(f"pl.store({name}_out, {name}, [0, 0])")
        made.append(np.zeros(shape, NUMPY[dtype]))
    listed = [(n, shape, valid, d, layout) for n, (shape, valid, d, layout) in tiles.items()]
    text = programs.vector_kernel(arch, arrays, listed, "\n".join([*loads, body, *stores]))
    load(text).kernel[None, 1](*given, *made)
    return made


VALID, SHAPE = (9, 53), (9, 64)


def three(load, arch, dtype, text, sources, result="out"):
    tiles = {name: (SHAPE, VALID, dtype, "") for name in ("x", "y", "out")}
    found = run(load, arch, tiles, text, dict(zip(tiles, sources, strict=False)), {result: None})
    return found[0]


def in_steps(dtype):
    """A step's result, rounded."""
    return lambda value: wide(np.asarray(value).astype(NUMPY[dtype]))


MULTIPLY = {
    "pl.fused_mul_add(out, x, y)": lambda x, y, o, r: r(r(x * o) + y),
    "pl.fused_mul_add(out, out, y)": lambda x, y, o, r: r(r(o * o) + y),
    "pl.fused_mul_add_relu(out, x, y)": lambda x, y, o, r: np.maximum(r(r(x * o) + y), 0),
    "pl.mul_add_dst(out, x, y)": lambda x, y, o, r: r(o + r(x * y)),
    "pl.mul_add_dst(out, out, out)": lambda x, y, o, r: r(o + r(o * o)),
}


@pytest.mark.parametrize("text", MULTIPLY)
@pytest.mark.parametrize(("arch", "dtype"), TYPES)
def test_products_and_sums(arch, dtype, text, load):
    rng = np.random.default_rng(1)
    x, y, out = (numbers(rng, VALID, dtype) for _ in range(3))
    found = three(load, arch, dtype, text, [x, y, out])
    with np.errstate(over="ignore"):
        check(found, MULTIPLY[text](wide(x), wide(y), wide(out), in_steps(dtype)))


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("kinds", [("FP16", "FP16"), ("FP32", "FP32"), ("FP32", "FP16")])
@pytest.mark.parametrize("alpha", ["0.1", "pl.get_block_num() * 0.5"])
def test_axpy(arch, kinds, alpha, load):
    to, of = kinds
    rng = np.random.default_rng(2)
    x, out = numbers(rng, VALID, of), numbers(rng, VALID, to)
    tiles = {"x": (SHAPE, VALID, of, ""), "out": (SHAPE, VALID, to, "")}
    found = run(
        load, arch, tiles, f"pl.axpy(out, x, {alpha})", {"x": x, "out": out}, {"out": None}
    )[0]
    number = np.float32(NUMPY[of](0.1 if alpha == "0.1" else 0.5))
    r = in_steps(to)
    check(found, r(wide(out) + r(wide(x) * number)))


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize(
    ("name", "combine", "relu"),
    [
        ("add_relu_cast", np.add, True),
        ("sub_relu_cast", np.subtract, True),
        ("mul_cast", np.multiply, False),
    ],
)
@pytest.mark.parametrize(
    ("of", "to", "mode"),
    [("FP32", "FP16", "RINT"), ("FP32", "BF16", "RINT"), ("FP32", "INT32", "FLOOR")],
)
def test_a_conversion_at_the_end(arch, name, combine, relu, of, to, mode, load):
    rng = np.random.default_rng(3)
    x, y = (numbers(rng, VALID, of, -90, 90) for _ in range(2))
    tiles = {n: (SHAPE, VALID, d, "") for n, d in (("x", of), ("y", of), ("out", to))}
    text = f"pl.{name}(out, x, y, target_type=pl.DT_{to}, mode=pl.RoundMode.CAST_{mode})"
    found, left = run(load, arch, tiles, text, {"x": x, "y": y}, {"out": None, "x": None})
    made = combine(x, y)
    if relu:
        made = np.maximum(made, 0)
    check(left, made)
    check(found, np.floor(made) if mode == "FLOOR" else made)


PART = {
    "partadd": np.add,
    "partmul": np.multiply,
    "partmax": np.maximum,
    "partmin": np.minimum,
}


@pytest.mark.parametrize("name", PART)
@pytest.mark.parametrize("small", ["x", "y"])
@pytest.mark.parametrize("into", ["out", "large"])
@pytest.mark.parametrize(
    ("arch", "dtype"),
    [("a3", "FP16"), ("a3", "INT32"), ("a3", "BF16"), ("a5", "FP32"), ("a5", "INT64")],
)
def test_where_both_are_valid(arch, dtype, name, small, into, load):
    rng = np.random.default_rng(4)
    for part in ((5, 17), (9, 21), (3, 53), (9, 53)):
        tiles = {n: (SHAPE, part if n == small else VALID, dtype, "") for n in ("x", "y", "out")}
        large = "y" if small == "x" else "x"
        out = large if into == "large" else "out"
        x, y = (numbers(rng, tiles[n][1], dtype) for n in ("x", "y"))
        found = run(load, arch, tiles, f"pl.{name}({out}, x, y)", {"x": x, "y": y}, {out: None})[0]
        want = {"x": x, "y": y}[large].copy()
        inner = tuple(slice(extent) for extent in part)
        with np.errstate(over="ignore"):
            want[inner] = PART[name](wide(x[inner]), wide(y[inner])).astype(want.dtype)
        np.testing.assert_array_equal(bits(found), bits(want))


# Other shapes.


def filled(dtype, pad):
    if pad == "zero":
        return NUMPY[dtype](0)
    if "INT" in dtype:
        info = np.iinfo(NUMPY[dtype])
        return info.max if pad == "max" else info.min
    return NUMPY[dtype](np.inf if pad == "max" else -np.inf)


FILL = """\
import pypto_pro.language as pl

@pl.jit(arch="{arch}")
def kernel(a: pl.Tensor[{part}, pl.DT_{dtype}], b: pl.Tensor[{shape}, pl.DT_{dtype}]):
    from_type = pl.TileType([8, 64], pl.DT_{dtype}, valid_shape={part})
    to_type = pl.TileType({shape}, pl.DT_{dtype}, pad=pl.TilePad.{pad})
    x = pl.make_tile_group(type=from_type, addrs=0, mutex_ids=[0])[0]
    out = pl.make_tile_group(type=to_type, addrs={address}, mutex_ids=[1])[0]
    with pl.section_vector():
        pl.load(x, a, [0, 0])
        {wait}pl.fillpad(out, x{mode})
        {again}pl.store(b, out, [0, 0])
"""


@pytest.mark.parametrize("dtype", NUMPY)
@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("pad", ["zero", "max", "min"])
@pytest.mark.parametrize("mode", ["", "NORMAL", "EXPAND", "INPLACE"])
def test_what_is_not_valid_is_filled(arch, dtype, pad, mode, load):
    if arch == "a3" and NUMPY[dtype](0).itemsize in (1, 8):
        # The scalar unit writes these, in the loop that the compiler makes.
        mode = "NORMAL"
    shape = [12, 128] if mode == "EXPAND" else [8, 64]
    part = [5, 53]
    x = edges(np.random.default_rng(5), part, dtype)
    z = np.zeros(shape, x.dtype)
    text = FILL.format(
        arch=arch,
        dtype=dtype,
        pad=pad,
        part=part,
        shape=shape,
        address=0 if mode == "INPLACE" else 0x4000,
        mode=f", mode=pl.FillPadMode.{mode}" if mode else "",
        wait="pl.system.bar_all()\n        " if mode == "INPLACE" else "",
        again="pl.system.bar_all()\n        " if mode == "INPLACE" else "",
    )
    load(text).kernel[None, 1](x, z)
    want = np.full(shape, filled(dtype, pad), x.dtype)
    want[:5, :53] = x
    np.testing.assert_array_equal(bits(z), bits(want))


@pytest.mark.parametrize("dtype", NUMPY)
@pytest.mark.parametrize("arch", ARCHS)
def test_rows_and_columns_exchanged(arch, dtype, load):
    x = edges(np.random.default_rng(6), (9, 53), dtype)
    tiles = {"x": ((9, 64), (9, 53), dtype, ""), "out": ((64, 32), (53, 9), dtype, "")}

    def go():
        return run(load, arch, tiles, "pl.transpose(out, x)", {"x": x}, {"out": None})[0]

    if "64" in dtype:
        with pytest.raises(pypto.UnsupportedFeatureError, match=f"of {dtype} is not supported"):
            go()
        return
    np.testing.assert_array_equal(bits(go()), bits(x.T))


@pytest.mark.parametrize("dtype", NUMPY)
@pytest.mark.parametrize("arch", ARCHS)
def test_rows_of_another_length(arch, dtype, load):
    rng = np.random.default_rng(7)
    for have, want in (((8, 64), (16, 32)), ((6, 40), (8, 30)), ((1, 33), (3, 11))):
        x = edges(rng, have, dtype)
        tiles = {
            "x": ((have[0], 64), have, dtype, ""),
            "out": ((want[0], 32), want, dtype, ""),
        }
        found = run(load, arch, tiles, "pl.reshape(out, x)", {"x": x}, {"out": None})[0]
        np.testing.assert_array_equal(bits(found), bits(x.reshape(want)))


@pytest.mark.parametrize("dtype", NUMPY)
@pytest.mark.parametrize("arch", ARCHS)
def test_a_copy_in_vec(arch, dtype, load):
    x = edges(np.random.default_rng(8), VALID, dtype)
    tiles = {"x": (SHAPE, VALID, dtype, ""), "out": ((12, 96), VALID, dtype, "")}
    found = run(load, arch, tiles, "pl.ub_copy(out, x)", {"x": x}, {"out": None})[0]
    np.testing.assert_array_equal(bits(found), bits(x))


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("start", ["-5", "pl.get_block_num() + 2147483640"])
def test_numbers_in_a_row(arch, start, load):
    tiles = {"out": ((1, 64), (1, 53), "INT32", "")}
    found = run(load, arch, tiles, f"pl.fill_index(out, {start})", {}, {"out": None})[0]
    first = -5 if start == "-5" else 2147483641
    want = (np.arange(53, dtype=np.int64) + first).astype(np.int32)
    np.testing.assert_array_equal(found[0], want)
