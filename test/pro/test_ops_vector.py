# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The operations of the vector unit against NumPy, on both chips, bit for bit."""

import numpy as np
import op_programs as programs
import pypto
import pytest
from op_programs import ARCHS, NUMPY, SHAPES, bits, numbers, wide

EVERYWHERE = [(arch, dtype) for arch, dtypes in ARCHS.items() for dtype in dtypes]
FLOATS = [(arch, dtype) for arch in ARCHS for dtype in ("FP16", "FP32")]


def run(load, arch, operation, dtypes, valid, shape, sources, out_dtype=None):
    """`operation` on tiles x, y (of `dtypes`) and out; gives what is in DDR afterwards."""
    names = ("x", "y")[: len(sources)]
    out_dtype = out_dtype or dtypes[0]
    arrays = [(n, valid, d) for n, d in zip(names, dtypes, strict=False)]
    arrays.append(("z", valid, out_dtype))
    tiles = [(f"{n}_t", shape, valid, d, "") for n, d in zip(names, dtypes, strict=False)]
    tiles.append(("out", shape, valid, out_dtype, ""))
    loads = "".join(f"pl.load({n}_t, {n}, [0, 0])\n" for n in names)
    text = programs.vector_kernel(
        arch, arrays, tiles, f"{loads}{operation}\npl.store(z, out, [0, 0])"
    )
    z = np.zeros(valid, NUMPY[out_dtype])
    load(text).kernel[None, 1](*sources, z)
    return z


def check(found, expected):
    expected = expected.astype(found.dtype)
    np.testing.assert_array_equal(bits(found), bits(expected))


BINARY = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "maximum": np.maximum,
    "minimum": np.minimum,
}


@pytest.mark.parametrize(("valid", "shape"), SHAPES)
@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize(("arch", "dtype"), EVERYWHERE)
def test_two_tiles(arch, dtype, name, valid, shape, load):
    rng = np.random.default_rng(0)
    x, y = (numbers(rng, valid, dtype) for _ in range(2))
    found = run(load, arch, f"pl.{name}(out, x_t, y_t)", [dtype] * 2, valid, shape, [x, y])
    with np.errstate(over="ignore"):
        check(found, BINARY[name](wide(x), wide(y)))


@pytest.mark.parametrize(("arch", "dtype"), FLOATS)
@pytest.mark.parametrize(("valid", "shape"), SHAPES)
def test_quotient(arch, dtype, valid, shape, load):
    rng = np.random.default_rng(1)
    x, y = numbers(rng, valid, dtype), numbers(rng, valid, dtype, 0.5, 3.0)
    found = run(load, arch, "pl.div(out, x_t, y_t)", [dtype] * 2, valid, shape, [x, y])
    check(found, wide(x) / wide(y))


@pytest.mark.parametrize(("arch", "dtype"), EVERYWHERE)
@pytest.mark.parametrize("operation", ["add", "adds", "mul", "muls", "maximum", "minimum"])
def test_a_tile_and_a_number(arch, dtype, operation, load):
    valid, shape = (37, 53), (40, 64)
    x = numbers(np.random.default_rng(2), valid, dtype)
    found = run(load, arch, f"pl.{operation}(out, x_t, 3)", [dtype], valid, shape, [x])
    with np.errstate(over="ignore"):
        check(found, BINARY[operation.removesuffix("s")](wide(x), wide(x).dtype.type(3)))


@pytest.mark.parametrize("dtype", ["FP16", "BF16", "FP32", "INT32"])
def test_a_number_is_subtracted_on_a5(dtype, load):
    valid, shape = (9, 40), (9, 48)
    x = numbers(np.random.default_rng(2), valid, dtype)
    found = run(load, "a5", "pl.subs(out, x_t, 3)", [dtype], valid, shape, [x])
    with np.errstate(over="ignore"):
        check(found, wide(x) - wide(x).dtype.type(3))


def test_a_number_is_the_nearest_of_the_element_type(load):
    x = np.ones((8, 64), np.float16)
    found = run(load, "a5", "pl.mul(out, x_t, 0.1)", ["FP16"], (8, 64), (8, 64), [x])
    check(found, np.full((8, 64), 0.1, np.float16))


UNARY = {
    "exp": np.exp,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "neg": np.negative,
    "abs": np.abs,
    "relu": lambda x: np.maximum(x, 0),
}


@pytest.mark.parametrize(("valid", "shape"), SHAPES)
@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize(("arch", "dtype"), FLOATS)
def test_one_tile(arch, dtype, name, valid, shape, load):
    positive = name in ("sqrt", "rsqrt")
    x = numbers(np.random.default_rng(3), valid, dtype, 0.25 if positive else -4.0)
    found = run(load, arch, f"pl.{name}(out, x_t)", [dtype], valid, shape, [x])
    check(found, UNARY[name](x.astype(np.float64)))


@pytest.mark.parametrize(
    ("arch", "name"), [("a5", "neg"), ("a5", "abs"), ("a5", "relu"), ("a3", "relu")]
)
def test_one_tile_of_integers(arch, name, load):
    valid, shape = (37, 53), (40, 64)
    x = numbers(np.random.default_rng(4), valid, "INT32")
    found = run(load, arch, f"pl.{name}(out, x_t)", ["INT32"], valid, shape, [x])
    check(found, UNARY[name](x))


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize(("name", "combine"), [("add_relu", np.add), ("sub_relu", np.subtract)])
def test_relu_of_a_sum(arch, name, combine, load):
    rng = np.random.default_rng(5)
    valid, shape = (37, 53), (40, 64)
    x, y = (numbers(rng, valid, "FP32") for _ in range(2))
    found = run(load, arch, f"pl.{name}(out, x_t, y_t)", ["FP32"] * 2, valid, shape, [x, y])
    check(found, np.maximum(combine(x, y), 0))


@pytest.mark.parametrize(("arch", "dtype"), EVERYWHERE)
@pytest.mark.parametrize("name", ["expands", "full"])
def test_one_value(arch, dtype, name, load):
    found = run(load, arch, f"pl.{name}(out, 7)", [], (37, 53), (40, 64), [], dtype)
    check(found, np.full((37, 53), 7))


ROUNDING = {"RINT": np.rint, "FLOOR": np.floor, "CEIL": np.ceil, "TRUNC": np.trunc}


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("mode", [*ROUNDING, "ROUND"])
def test_a_cast_to_integers(arch, mode, load):
    x = np.array([[-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.3, -3.7]] * 8, np.float32)
    operation = f"pl.cast(out, x_t, mode=pl.RoundMode.CAST_{mode})"
    found = run(load, arch, operation, ["FP32"], (8, 8), (8, 8), [x], "INT32")
    away = np.trunc(x + np.copysign(0.5, x))
    check(found, away if mode == "ROUND" else ROUNDING[mode](x))


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("narrow", ["FP16", "BF16"])
def test_a_cast_between_floats(arch, narrow, load):
    valid, shape = (37, 53), (40, 64)
    x = numbers(np.random.default_rng(6), valid, "FP32")
    operation = "pl.cast(out, x_t, mode=pl.RoundMode.CAST_RINT)"
    found = run(load, arch, operation, ["FP32"], valid, shape, [x], narrow)
    check(found, x)
    # The default mode is for every conversion; this one loses nothing.
    back = run(load, arch, "pl.cast(out, x_t)", [narrow], valid, shape, [found], "FP32")
    check(back, found.astype(np.float32))


# Rows.


def columns(load, arch, dtype, body, valid, shape, x):
    """`body` with a tile t, scratch, and a column c; gives t and c afterwards."""
    arrays = [("x", valid, dtype), ("z", valid, dtype), ("w", (valid[0], 1), dtype)]
    tiles = [
        ("t", shape, valid, dtype, ""),
        ("scratch", shape, valid, dtype, ""),
        ("c", (shape[0], 1), (valid[0], 1), dtype, "DN"),
    ]
    text = programs.vector_kernel(
        arch,
        arrays,
        tiles,
        f"pl.load(t, x, [0, 0])\n{body}\npl.store(z, t, [0, 0])\npl.store(w, c, [0, 0])",
    )
    z, w = np.zeros(valid, NUMPY[dtype]), np.zeros((valid[0], 1), NUMPY[dtype])
    load(text).kernel[None, 1](x, z, w)
    return z, w


@pytest.mark.parametrize(("valid", "shape"), SHAPES)
@pytest.mark.parametrize(("arch", "dtype"), FLOATS)
@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ("pl.row_max(c, t)", np.max),
        ("pl.row_sum(c, t, scratch)", np.sum),
        ("pl.sum(c, t, scratch)", np.sum),
        ("pl.sum(c, t, scratch, dim=0)", np.sum),
        ("pl.maximum(c, t, scratch, dim=0)", np.max),
    ],
)
def test_a_row_reduction(arch, dtype, operation, expected, valid, shape, load):
    # Small integers: their sums are exact in any order.
    x = np.random.default_rng(7).integers(-3, 4, valid).astype(NUMPY[dtype])
    _, w = columns(load, arch, dtype, operation, valid, shape, x)
    check(w, expected(x.astype(np.float64), axis=1, keepdims=True))


@pytest.mark.parametrize(("valid", "shape"), SHAPES)
@pytest.mark.parametrize(("arch", "dtype"), FLOATS)
@pytest.mark.parametrize("face", ["expand", "row_expand"])
@pytest.mark.parametrize(
    ("name", "expected"), [("sub", np.subtract), ("mul", np.multiply), ("div", np.divide)]
)
def test_each_row_with_its_own_value(arch, dtype, face, name, expected, valid, shape, load):
    x = numbers(np.random.default_rng(8), valid, dtype, 0.5, 4.0)
    body = f"pl.row_max(c, t)\npl.{face}_{name}(t, t, c)"
    z, w = columns(load, arch, dtype, body, valid, shape, x)
    check(w, x.max(axis=1, keepdims=True))
    check(z, expected(wide(x), wide(w)))


# What the chip lacks.


@pytest.mark.parametrize(
    ("arch", "dtype", "operation", "words"),
    [
        ("a3", "INT64", "pl.add(out, x_t, x_t)", ("add", "INT64", "910B")),
        ("a3", "INT32", "pl.div(out, x_t, x_t)", ("div", "INT32", "910B")),
        ("a3", "INT32", "pl.exp(out, x_t)", ("exp", "INT32", "910B")),
        ("a5", "INT16", "pl.exp(out, x_t)", ("exp", "INT16", "950")),
        ("a5", "INT32", "pl.rsqrt(out, x_t)", ("rsqrt", "INT32", "950")),
        ("a5", "FP32", "pl.and_(out, x_t, x_t)", ("and", "FP32", "950")),
    ],
)
def test_what_the_chip_lacks_is_an_error_that_names_both(arch, dtype, operation, words, load):
    x = np.ones((8, 64), NUMPY[dtype])
    with pytest.raises(pypto.CompileError) as error:
        run(load, arch, operation, [dtype], (8, 64), (8, 64), [x])
    found = error.value.diagnostics[0]
    assert all(word in found.message for word in words), found.message
    assert found.line > 1


@pytest.mark.parametrize("dtype", ["FP16", "FP32", "INT32"])
@pytest.mark.parametrize("operation", ["sub", "subs"])
@pytest.mark.parametrize("scalar", ["3", "-7", "pl.get_block_num() + 2"])
def test_the_910b_subtracts_a_scalar(operation, scalar, dtype, load):
    """It has an addition with a scalar only."""
    if "pl" in scalar and dtype != "INT32":
        scalar += " * 1.0"
    x = numbers(np.random.default_rng(10), (8, 64), dtype)
    x[0, 0] = 3  # zero, with its sign
    z = run(load, "a3", f"pl.{operation}(out, x_t, {scalar})", [dtype], (8, 64), (8, 64), [x])
    want = x - np.array(int(scalar) if "pl" not in scalar else 3, x.dtype)
    np.testing.assert_array_equal(bits(z), bits(want))


@pytest.mark.parametrize("name", ["div", "divs"])
@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("dtype", ["FP16", "BF16", "FP32"])
def test_a_division_by_a_scalar_rounds_once(dtype, arch, name, load):
    """The 910B has none: it divides by a tile of the scalar."""
    x = numbers(np.random.default_rng(11), (9, 53), dtype)
    z = run(load, arch, f"pl.{name}(out, x_t, 3.0)", [dtype], (9, 53), (9, 64), [x])
    check(z, wide(x) / np.float32(3))


@pytest.mark.parametrize(("dtype", "number"), [("FP16", "65520"), ("FP32", "1e39")])
def test_a_number_that_its_type_does_not_hold(dtype, number, load):
    x = np.ones((8, 64), NUMPY[dtype])
    with pytest.raises(pypto.CompileError, match=f"does not fit {dtype}"):
        run(load, "a5", f"pl.mul(out, x_t, {number})", [dtype], (8, 64), (8, 64), [x])
    z = run(load, "a5", "pl.mul(out, x_t, float('-inf'))", [dtype], (8, 64), (8, 64), [x])
    assert (z == -np.inf).all()


def test_valid_extents_of_the_run(load):
    text = """
import pypto_pro.language as pl

@pl.jit
def kernel(x: pl.Tensor[[pl.DYNAMIC, pl.DYNAMIC], pl.DT_FP32],
           z: pl.Tensor[[pl.DYNAMIC, pl.DYNAMIC], pl.DT_FP32]):
    kind = pl.TileType([32, 64], pl.DT_FP32, valid_shape=[-1, -1])
    a = pl.make_tile_group(type=kind, addrs=0, mutex_ids=[0])
    b = pl.make_tile_group(type=kind, addrs=8192, mutex_ids=[1])
    for row in pl.range(0, x.shape[0], 32):
        for col in pl.range(0, x.shape[1], 64):
            rows = pl.min(x.shape[0] - row, 32)
            cols = min(x.shape[1] - col, 64)
            pl.set_validshape(a, [rows, cols])
            pl.set_validshape(b, [rows, cols])
            pl.load(a[0], x, [row, col])
            pl.mul(b[0], a[0], 3.0)
            pl.store(z, b[0], [row, col])
"""
    kernel = load(text).kernel
    for shape in ((32, 64), (75, 130), (1, 1)):
        x = np.random.default_rng(9).standard_normal(shape).astype(np.float32)
        z = np.zeros_like(x)
        kernel[None, 1](x, z)
        np.testing.assert_array_equal(z, x * np.float32(3))


FULL_VEC = """
import pypto_pro.language as pl

KB = 1024

@pl.jit
def kernel(x: pl.Tensor[[64, 128], pl.DT_FP32], w: pl.Tensor[[64, 1], pl.DT_FP32]):
    kind = pl.TileType([64, 128], pl.DT_FP32)
    t = pl.make_tile_group(type=kind, addrs=0, mutex_ids=[0])
    scratch = pl.make_tile_group(type=kind, addrs=[32 * KB], mutex_ids=[1])
    column = pl.TileType([64, 1], pl.DT_FP32, layout=pl.DN)
    c = pl.make_tile_group(type=column, addrs=64 * KB, mutex_ids=[2])
    rest = pl.make_tile(pl.TileType([180, 256], pl.DT_FP32), addr=68 * KB)
    pl.expands(rest, 0.0)
    pl.expands(scratch[0], 0.0)
    pl.load(t[0], x, [0, 0])
    pl.row_max(c[0], t[0], {scratch})
    pl.store(w, c[0], [0, 0])
"""


def test_scratch_lies_where_the_author_says(load):
    x = numbers(np.random.default_rng(10), (64, 128), "FP32")
    w = np.zeros((64, 1), np.float32)
    load(FULL_VEC.format(scratch="scratch[0]")).kernel[None, 1](x, w)
    np.testing.assert_array_equal(w, x.max(axis=1, keepdims=True))
    # There is no room for it elsewhere.
    with pytest.raises(pypto.CompileError) as error:
        load(FULL_VEC.format(scratch="None")).kernel[None, 1](x, w)
    assert "folded to one repeat" in error.value.diagnostics[0].message
