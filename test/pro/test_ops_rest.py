# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Bits, remainders and sums of three in PyPTO Pro, of every element type, against NumPy."""

import numpy as np
import pypto
import pytest
from op_programs import NUMPY, bits, numbers, wide
from test_ops_vector import check, run

INTEGERS = [name for name in NUMPY if "INT" in name]
FLOATS = ["FP16", "BF16", "FP32"]
ARCHS = ("a3", "a5")
VALID, SHAPE = (9, 53), (9, 64)


def with_tmp(load, arch, text, dtype, sources):
    """`text` on x_t, y_t and out, with scratch behind the others."""
    body = f"tmp = pl.make_tile(out_type, addr=0x8000)\n{text}"
    return run(load, arch, body, [dtype] * len(sources), VALID, SHAPE, sources, dtype)


BITS = {
    "pl.and_(out, x_t, y_t)": lambda a, b: a & b,
    "pl.and_(out, x_t, 6)": lambda a, b: a & a.dtype.type(6),
    "pl.ands(x_t, x_t, 6)\npl.ors(out, x_t, 0)": lambda a, b: a & a.dtype.type(6),
    "pl.or_(out, x_t, y_t)": lambda a, b: a | b,
    "pl.ors(out, x_t, 6)": lambda a, b: a | a.dtype.type(6),
    "pl.xor(out, x_t, y_t, tmp)": lambda a, b: a ^ b,
    "pl.xor(x_t, x_t, y_t, tmp)\npl.ors(out, x_t, 0)": lambda a, b: a ^ b,
    "pl.xors(out, x_t, 6, tmp)": lambda a, b: a ^ a.dtype.type(6),
    "pl.not_(out, x_t)": lambda a, b: ~a,
    "pl.shl(out, x_t, 3)": lambda a, b: a << a.dtype.type(3),
    "pl.shrs(out, x_t, 2)": lambda a, b: a >> a.dtype.type(2),
}


@pytest.mark.parametrize("text", BITS)
@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("arch", ARCHS)
def test_bits(arch, dtype, text, load):
    rng = np.random.default_rng(4)
    x, y = (numbers(rng, VALID, dtype) for _ in range(2))

    def go():
        return with_tmp(load, arch, text, dtype, [x, y])

    if arch == "a3" and "64" in dtype and "pl.sh" in text:
        with pytest.raises(pypto.CompileError) as error:
            go()
        assert "910B has no" in error.value.diagnostics[0].message
        return
    check(go(), BITS[text](x, y))


@pytest.mark.parametrize("name", ["shl", "shr"])
@pytest.mark.parametrize(
    ("arch", "dtype"), [("a3", "INT16"), ("a3", "UINT32"), ("a5", "INT32"), ("a5", "UINT8")]
)
def test_shifts_by_a_tile(arch, dtype, name, load):
    rng = np.random.default_rng(5)
    x = numbers(rng, VALID, dtype)
    width = x.dtype.itemsize * 8
    y = rng.integers(0, width + 3, VALID).astype(x.dtype)
    z = with_tmp(load, arch, f"pl.{name}(out, x_t, y_t)", dtype, [x, y])
    far = y >= width
    near = np.where(far, 0, y)
    moved = x << near if name == "shl" else x >> near
    check(z, np.where(far, 0 if name == "shl" else np.where(x < 0, -1, 0), moved))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("scalar", [False, True])
def test_the_rest_of_floats(arch, dtype, scalar, load):
    rng = np.random.default_rng(6)
    x, y = numbers(rng, VALID, dtype, -90, 90), numbers(rng, VALID, dtype, 0.5, 7)
    y[::2] *= -1
    name, other, right = ("rems", "2.5", NUMPY[dtype](2.5)) if scalar else ("rem", "y_t", y)
    z = with_tmp(load, arch, f"pl.{name}(out, x_t, {other}, tmp)", dtype, [x, y])
    a, b = wide(x), np.asarray(right, np.float32)
    check(z, a - np.floor(a / b) * b)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("arch", ARCHS)
def test_the_rest_of_integers(arch, dtype, load):
    rng = np.random.default_rng(7)
    x, y = numbers(rng, VALID, dtype), numbers(rng, VALID, dtype)
    y[y == 0] = 3

    def go():
        return with_tmp(load, arch, "pl.rem(out, x_t, y_t, tmp)", dtype, [x, y])

    if arch == "a3" and ("32" in dtype or "64" in dtype or dtype == "UINT16"):
        with pytest.raises(pypto.CompileError, match=f"910B has no.*rem.* for {dtype}"):
            go()
        return
    with np.errstate(over="ignore"):
        check(go(), np.remainder(x, y))


THREE = {
    "addc(out, x_t, y_t, x_t)": lambda a, b, r: r(r(a + b) + a),
    "subc(out, x_t, y_t, x_t)": lambda a, b, r: r(r(a - b) + a),
    "addsc(out, x_t, 3, y_t)": lambda a, b, r: r(r(a + a.dtype.type(3)) + b),
    "subsc(out, x_t, 3, y_t)": lambda a, b, r: r(r(a - a.dtype.type(3)) + b),
    "addc(x_t, x_t, y_t, y_t)\npl.adds(out, x_t, 0)": lambda a, b, r: r(r(a + b) + b),
}


@pytest.mark.parametrize("text", THREE)
@pytest.mark.parametrize("dtype", NUMPY)
@pytest.mark.parametrize("arch", ARCHS)
def test_sums_of_three(arch, dtype, text, load):
    rng = np.random.default_rng(8)
    x, y = (numbers(rng, VALID, dtype) for _ in range(2))
    if arch == "a3" and "64" in dtype:
        with pytest.raises(pypto.CompileError, match=f"910B has no .* for {dtype}"):
            with_tmp(load, arch, f"pl.{text}", dtype, [x, y])
        return
    z = with_tmp(load, arch, f"pl.{text}", dtype, [x, y])

    def rounded(value):
        return wide(value.astype(NUMPY[dtype]))

    with np.errstate(over="ignore"):
        want = THREE[text](wide(x), wide(y), rounded).astype(NUMPY[dtype])
    np.testing.assert_array_equal(bits(z), bits(want))


@pytest.mark.parametrize("dtype", NUMPY)
@pytest.mark.parametrize("arch", ARCHS)
def test_a_copy_and_one_value_of_every_type(arch, dtype, load):
    x = numbers(np.random.default_rng(9), VALID, dtype)
    check(with_tmp(load, arch, "pl.move(out, x_t)", dtype, [x]), x)
    check(with_tmp(load, arch, "pl.expands(out, 7)", dtype, [x]), np.full(VALID, 7).astype(x.dtype))
