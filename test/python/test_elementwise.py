# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Element-wise operations for every element type, against NumPy: the model at every stage and
the emitted C++, on both chips. A chip that lacks a type says so by name."""

import textwrap

import ml_dtypes
import numpy as np
import pypto
import pypto.language as pl
import pytest
from everywhere import Case, run_everywhere
from pypto.runtime import RunConfig

PLATFORMS = {"a2a3sim": "910B", "a5sim": "950"}
SHAPE = (5, 37)
FLOATS = ("float16", "bfloat16", "float32")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
EDGES = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 65504.0, 1e-7, 300.0]
COMPARE = (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal)


def dtype_of(name: str) -> np.dtype:
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def numbers(name: str, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    dtype = dtype_of(name)
    if name in FLOATS:
        values = (rng.standard_normal(SHAPE) * 8).astype(np.float32)
        values.flat[: len(EDGES)] = rng.permutation(EDGES)
        return values.astype(dtype)
    info = np.iinfo(dtype)
    values = rng.integers(info.min, info.max, SHAPE, dtype, endpoint=True)
    values.flat[:4] = [info.min, info.max, 0, 1]
    values.flat[7:40] = rng.integers(0, 4, 33)
    return rng.permutation(values.ravel()).reshape(SHAPE)


def rounded(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """FP32 results rounded once more, as FP16 and BF16 are defined."""
    with np.errstate(all="ignore"):
        return values.astype(dtype)


def kernel(name: str, lines: dict[str, str], inputs: dict, expected: dict, **more) -> Case:
    """One output for each line of the kernel."""
    body = "\n".join(f"{out}[:] = {text}" for out, text in lines.items())
    return Case(name, body, inputs, expected, **more)


def arithmetic(name: str) -> Case:
    a, b = numbers(name, 1), numbers(name, 2)
    dtype = a.dtype
    wide = np.float32 if name in FLOATS else dtype.type
    x, y = a.astype(wide), b.astype(wide)
    with np.errstate(all="ignore"):
        expected = {
            "add": x + y,
            "sub": x - y,
            "mul": x * y,
            "adds": x + wide(3),
            "subs": x - wide(3),
            "muls": x * wide(3),
            "top": np.maximum(x, y),
            "low": np.minimum(x, y),
            "tops": np.maximum(x, wide(2)),
            "absolute": np.abs(x),
            "relu": np.where(x > 0, x, np.where(x != x, x, wide(0))),
        }
    lines = {
        "add": "a + b",
        "sub": "a - b",
        "mul": "a * b",
        "adds": "pl.adds(a, 3)",
        "subs": "a - 3",
        "muls": "a * 3",
        "top": "pl.maximum(a, b)",
        "low": "pl.minimum(a, b)",
        "tops": "pl.maximum(a, 2)",
        "absolute": "pl.abs(a)",
        "relu": "pl.relu(a)",
    }
    if name not in UNSIGNED:
        expected["minus"], lines["minus"] = -x, "-a"
    if name in FLOATS:  # NumPy leaves open which zero is larger
        for key in ("top", "low"):
            zeros = (x == 0) & (y == 0)
            sign = np.logical_and if key == "top" else np.logical_or
            negative = sign(np.signbit(x), np.signbit(y))
            expected[key] = np.where(zeros, np.where(negative, -0.0, 0.0), expected[key])
    return kernel(
        f"arithmetic_{name}",
        lines,
        {"a": a, "b": b},
        {key: rounded(value, dtype) for key, value in expected.items()},
    )


def bits(name: str) -> Case:
    a, b = numbers(name, 3), numbers(name, 4)
    width = 8 * a.dtype.itemsize
    if width == 8:
        # The 910B works on pairs of bytes, and half of the last pair of an odd row is nobody's:
        # the host header, which knows bytes only, reports that it is read.
        a, b = a[:, :36].copy(), b[:, :36].copy()
    by = np.random.default_rng(5).integers(0, width + 3, a.shape).astype(a.dtype)
    few = np.minimum(by, width - 1).astype(a.dtype)
    gone = np.where(a < 0, -1, 0).astype(a.dtype) if name in SIGNED else np.zeros_like(a)
    expected = {
        "both": a & b,
        "either": a | b,
        "one": a ^ b,
        "turned": ~a,
        "low": a & np.array(5, a.dtype),
        "up": a << np.array(3, a.dtype),
        "down": a >> np.array(3, a.dtype),
        "ups": np.where(by < width, a << few, 0).astype(a.dtype),
        "downs": np.where(by < width, a >> few, gone).astype(a.dtype),
    }
    lines = {
        "both": "a & b",
        "either": "pl.or_(a, b)",
        "one": "a ^ b",
        "turned": "pl.not_(a)",
        "low": "pl.ands(a, 5)",
        "up": "a << 3",
        "down": "pl.shrs(a, 3)",
        "ups": "pl.shl(a, by)",
        "downs": "a >> by",
    }
    return kernel(f"bits_{name}", lines, {"a": a, "b": b, "by": by}, expected)


def comparison(name: str) -> Case:
    a, b = numbers(name, 6), numbers(name, 7)
    with np.errstate(all="ignore"):
        expected = {f"c{mode}": fn(a, b).astype(a.dtype) for mode, fn in enumerate(COMPARE)}
        expected |= {
            f"s{mode}": fn(a, a.dtype.type(1)).astype(a.dtype) for mode, fn in enumerate(COMPARE)
        }
    lines = {f"c{mode}": f"pl.cmp(a, b, cmp_type={mode})" for mode in range(6)}
    lines |= {f"s{mode}": f"pl.cmps(a, 1, cmp_type={mode})" for mode in range(6)}
    return kernel(f"comparison_{name}", lines, {"a": a, "b": b}, expected)


def rests(name: str) -> Case:
    a, b = numbers(name, 8), numbers(name, 9)
    b = np.where(b == 0, a.dtype.type(3), b).astype(a.dtype)
    if name in FLOATS:
        with np.errstate(all="ignore"):
            x, y = a.astype(np.float32), b.astype(np.float32)
            quotient = x / y
            expected = {
                "div": quotient,
                "divs": x / np.float32(3),
                "fmod": x - np.trunc(quotient) * y,
                "rem": x - np.floor(quotient) * y,
            }
    else:
        wide = [[int(v) for v in array.ravel()] for array in (a, b)]

        def each(function) -> np.ndarray:
            values = [function(x, y) for x, y in zip(*wide, strict=True)]
            return np.array([v % 2**64 for v in values], np.uint64).astype(a.dtype).reshape(SHAPE)

        def cut(x: int, y: int) -> int:
            return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)

        expected = {
            "div": each(cut),
            "divs": each(lambda x, _: cut(x, 3)),
            "fmod": each(lambda x, y: x - cut(x, y) * y),
            "rem": each(lambda x, y: x % y),
        }
    lines = {"div": "a / b", "divs": "a / 3", "fmod": "pl.fmod(a, b)", "rem": "a % b"}
    return kernel(
        f"rests_{name}",
        lines,
        {"a": a, "b": b},
        {key: rounded(value, a.dtype) for key, value in expected.items()},
    )


def functions(name: str) -> Case:
    a = numbers(name, 10)
    with np.errstate(all="ignore"):
        x = a.astype(np.float64)
        expected = {"log": np.log(x), "recip": 1 / x, "exp": np.exp(x), "sqrt": np.sqrt(x)}
    lines = {key: f"pl.{key}(a)" for key in expected}
    # Rounded once from double; NumPy's BF16 rounds twice.
    made = {key: rounded(value, a.dtype) for key, value in expected.items()}
    tolerance = 2.0**-7 if name == "bfloat16" else 0.0
    return kernel(f"functions_{name}", lines, {"a": a}, made, tolerance=tolerance)


def waves() -> Case:
    a = np.random.default_rng(11).uniform(-10000, 10000, SHAPE).astype(np.float32)
    a.flat[:6] = [0, 1e-6, np.pi, -np.pi / 2, 3.0, 100.5]
    x = a.astype(np.float64)
    made = {"sin": np.sin(x).astype(np.float32), "cos": np.cos(x).astype(np.float32)}
    return kernel("waves", {key: f"pl.{key}(a)" for key in made}, {"a": a}, made, tolerance=3e-7)


def tiles(name: str) -> Case:
    """Masks, choices and leaky units on tiles of which a part is valid."""
    a, b = numbers(name, 12), numbers(name, 13)
    wide = np.float32 if name in FLOATS else a.dtype.type
    cols = -(-SHAPE[1] // 32) * 32
    body = f"""
    t = pl.load(a, [0, 0], [{SHAPE[0]}, {cols}], valid_shape=[{SHAPE[0]}, {SHAPE[1]}])
    u = pl.load(b, [0, 0], [{SHAPE[0]}, {cols}], valid_shape=[{SHAPE[0]}, {SHAPE[1]}])
    m = pl.cmp(t, u, cmp_type=2)
    pl.store(pl.sel(m, t, u), [0, 0], low)
    pl.store(pl.sels(m, t, None, 7), [0, 0], some)
    v = pl.load(a, [0, 0], [{SHAPE[0]}, {cols}], valid_shape=[{SHAPE[0]}, 32])
    w = pl.load(b, [0, 0], [{SHAPE[0]}, {cols}], valid_shape=[{SHAPE[0]}, 32])
    pl.store(pl.cmp(v, w, cmp_type=2), [0, 0], mask)
    pl.store(pl.set_validshape(pl.expands(t, 3), {SHAPE[0]}, {SHAPE[1]}), [0, 0], three)
    pl.store(pl.addc(t, u, t), [0, 0], sum3)
    """
    with np.errstate(all="ignore"):
        less = a < b
        once = rounded(a.astype(wide) + b.astype(wide), a.dtype)
        total = rounded(once.astype(wide) + a.astype(wide), a.dtype)
    expected = {
        "low": np.where(less, a, b),
        "some": np.where(less, a, a.dtype.type(7)),
        "mask": np.packbits(less[:, :32], axis=1, bitorder="little"),
        "three": np.full(SHAPE, 3, a.dtype),
        "sum3": total,
    }
    return Case(f"tiles_{name}", body, {"a": a, "b": b}, expected)


def leaks(name: str) -> Case:
    a, b = numbers(name, 14), numbers(name, 15)
    body = f"""
    t = pl.load(a, [0, 0], [{SHAPE[0]}, 64], valid_shape=[{SHAPE[0]}, {SHAPE[1]}])
    u = pl.load(b, [0, 0], [{SHAPE[0]}, 64], valid_shape=[{SHAPE[0]}, {SHAPE[1]}])
    pl.store(pl.lrelu(t, 0.25), [0, 0], leaky)
    pl.store(pl.prelu(t, u), [0, 0], each)
    """
    with np.errstate(all="ignore"):
        x, y = a.astype(np.float32), b.astype(np.float32)
        keep = (x >= 0) | np.isnan(x)
        expected = {
            "leaky": rounded(np.where(keep, x, x * np.float32(0.25)), a.dtype),
            "each": rounded(np.where(keep, x, x * y), a.dtype),
        }
    return Case(f"leaks_{name}", body, {"a": a, "b": b}, expected)


PARTS = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


def parts(name: str) -> Case:
    """The second source ends earlier, or later."""
    a, b = numbers(name, 16), numbers(name, 17)
    rows, cols = SHAPE
    wide = np.float32 if name in FLOATS else a.dtype.type
    lines, expected = [], {}
    for number, (ar, ac, br, bc) in enumerate(
        [(rows, cols, 3, 20), (2, 9, rows, cols), (rows, cols, rows, cols)]
    ):
        lines.append(f"t{number} = pl.load(a, [0, 0], [{rows}, 64], valid_shape=[{ar}, {ac}])")
        lines.append(f"u{number} = pl.load(b, [0, 0], [{rows}, 64], valid_shape=[{br}, {bc}])")
        for key, function in PARTS.items():
            out = f"{key}{number}"
            lines.append(f"pl.store(pl.part_{key}(t{number}, u{number}), [0, 0], {out})")
            made = (b if br * bc > ar * ac else a).copy()
            r, c = min(ar, br), min(ac, bc)
            with np.errstate(all="ignore"):
                both = function(a[:r, :c].astype(wide), b[:r, :c].astype(wide))
                made[:r, :c] = rounded(both, a.dtype)
            expected[out] = made
    return Case(f"parts_{name}", "\n".join(lines), {"a": a, "b": b}, expected)


ROUND = {
    "rint": np.rint,
    "round": lambda x: np.trunc(x + np.copysign(0.5, x)),
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
}


def converted(a: np.ndarray, to: str, mode: str) -> np.ndarray:
    """Rounded once, saturated, NaN is 0; integers are cut to the range."""
    dtype = dtype_of(to)
    with np.errstate(all="ignore"):
        if to in FLOATS:
            return a.astype(np.float64).astype(np.float32).astype(dtype)
        info = np.iinfo(dtype)
        values = a.astype(object) if a.dtype.kind in "iu" else ROUND[mode](a.astype(np.float64))
        cut = [
            info.max if v > info.max else info.min if v < info.min else 0 if v != v else int(v)
            for v in values.ravel()
        ]
        return np.array(cut, dtype).reshape(a.shape)


# What both chips reach from a type; of the others only the 950 has conversions.
REACH = {
    "float32": ("float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64"),
    "float16": ("float32", "bfloat16", "int8", "uint8", "int16", "int32", "int64"),
    "bfloat16": ("float32", "float16", "int8", "uint8", "int16", "int32", "int64"),
    "int8": ("float32", "float16", "bfloat16", "uint8", "int16", "int32", "int64"),
    "uint8": ("float32", "float16", "bfloat16", "int8", "int16", "int32", "int64"),
    "int16": ("float32", "float16", "int8", "uint8", "int32", "int64"),
    "int32": ("float32", "float16", "int8", "uint8", "int16", "int64"),
    "int64": ("float32", "int8", "uint8", "int16", "int32"),
}


def casts(name: str) -> Case:
    a = numbers(name, 18)
    lines, expected = {}, {}
    for to in REACH[name]:
        for mode in ROUND if name in FLOATS and to not in FLOATS else ("rint",):
            out = f"{to}_{mode}"
            lines[out] = f"pl.cast(a, pl.{pl_name(to)}, mode='{mode}')"
            expected[out] = converted(a, to, mode)
    return kernel(f"casts_{name}", lines, {"a": a}, expected)


def pl_name(name: str) -> str:
    return "BF16" if name == "bfloat16" else name.upper().replace("FLOAT", "FP")


# What the 910B computes of integers, through other types where it has no instruction.
WORDS = ("int8", "uint8", "int16", "uint16", "int32", "uint32")
SUPPORTED = {
    ("910B", arithmetic): (*FLOATS, *WORDS),
    ("910B", bits): WORDS,
    ("910B", comparison): (*FLOATS, *WORDS),
    ("910B", rests): (*FLOATS, "int8", "uint8", "int16"),
    ("910B", functions): FLOATS,
    ("910B", tiles): (*FLOATS, *WORDS),
    ("910B", leaks): FLOATS,
    # Of unsigned words the 910B has only sums and products.
    ("910B", parts): (*FLOATS, "int8", "int16", "int32", "uint8"),
    ("950", parts): (*FLOATS, *SIGNED, *UNSIGNED),
    ("910B", casts): tuple(REACH),
    ("950", casts): tuple(REACH),
    ("950", arithmetic): (*FLOATS, *SIGNED, *UNSIGNED),
    ("950", bits): (*SIGNED, *UNSIGNED),
    ("950", comparison): (*FLOATS, *SIGNED, *UNSIGNED),
    ("950", rests): (*FLOATS, *SIGNED, *UNSIGNED),
    ("950", functions): FLOATS,
    ("950", tiles): (*FLOATS, *SIGNED, *UNSIGNED),
    ("950", leaks): FLOATS,
}
GROUPS = (arithmetic, bits, comparison, rests, functions, tiles, leaks, parts, casts)


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.__name__)
def test_every_type(group, platform, load, tmp_path):
    cases = [group(name) for name in SUPPORTED[PLATFORMS[platform], group]]
    run_everywhere(cases, platform, load, tmp_path)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_waves(platform, load, tmp_path):
    run_everywhere([waves()], platform, load, tmp_path)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_parts_of_arrays_are_wholes(platform):
    """All of an array is valid."""

    @pl.jit
    def entry(a: pl.Tensor, b: pl.Tensor, out: pl.Out[pl.Tensor]):
        with pl.at(level=pl.Level.CORE_GROUP):
            out[:] = pl.tensor.part_max(pl.part_add(a, b), pl.part_min(a, b))
        return out

    a, b = numbers("int32", 3), numbers("int32", 4)
    out = np.zeros_like(a)
    entry(a, b, out, config=RunConfig(platform=platform))
    np.testing.assert_array_equal(out, np.maximum(a + b, np.minimum(a, b)))


@pytest.mark.parametrize("rows, cols", [(16, 64), (3, 20), (1, 1), (16, 7)])
def test_parts_whose_extents_the_call_says(rows, cols, platform):
    @pl.jit
    def entry(a: pl.Tensor, b: pl.Tensor, n: pl.Scalar[pl.INDEX], m: pl.Scalar[pl.INDEX],
              out: pl.Out[pl.Tensor]):  # fmt: skip
        with pl.at(level=pl.Level.CORE_GROUP):
            t = pl.load(a, [0, 0], [16, 64])
            u = pl.load(b, [0, 0], [16, 64], valid_shape=[n, m])
            pl.store(pl.part_mul(u, t), [0, 0], out)
        return out

    a, b = (np.random.default_rng(s).standard_normal((16, 64)).astype("f4") for s in (1, 2))
    out, expected = np.zeros_like(a), a.copy()
    expected[:rows, :cols] *= b[:rows, :cols]
    entry(a, b, rows, cols, out)
    np.testing.assert_array_equal(out, expected)


def test_parts_of_which_neither_holds_the_other(platform):
    """What neither has is undefined, and a store of it is found."""

    @pl.jit
    def entry(a: pl.Tensor[[16, 64], pl.FP32], out: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        with pl.at(level=pl.Level.CORE_GROUP):
            t = pl.load(a, [0, 0], [16, 64], valid_shape=[4, 64])
            u = pl.load(a, [0, 0], [16, 64], valid_shape=[16, 32])
            made = pl.part_add(t, u)
            pl.store(made, [0, 0], out)
        return out

    a = np.ones((16, 64), np.float32)
    with pytest.raises(pypto.RunError) as caught:
        entry(a, np.zeros_like(a))
    first = caught.value.diagnostics[0]
    assert first.line - entry.source.line in (5, 6), caught.value
    assert "made" in str(caught.value)


REFUSED = {
    "a2a3sim": [("a + b", "INT64", "add"), ("a / b", "INT32", "div"), ("a & b", "FP32", "and_")],
    "a5sim": [
        ("pl.sin(a)", "FP16", "sin"),
        ("a | b", "FP16", "or_"),
        ("pl.log(a)", "INT32", "log"),
    ],
}


@pytest.mark.parametrize(
    ("platform", "text", "dtype", "word"),
    [(platform, *case) for platform, cases in REFUSED.items() for case in cases],
)
def test_what_a_chip_lacks_is_named(platform, text, dtype, word, load):
    source = f"""
    import pypto.language as pl

    @pl.jit.incore
    def kernel(a: pl.Tensor[[4, 32], pl.{dtype}], b: pl.Tensor[[4, 32], pl.{dtype}],
               c: pl.Out[pl.Tensor[[4, 32], pl.{dtype}]]):
        c[:] = {text}
        return c

    @pl.jit
    def entry(a: pl.Tensor[[4, 32], pl.{dtype}], b: pl.Tensor[[4, 32], pl.{dtype}],
              c: pl.Out[pl.Tensor[[4, 32], pl.{dtype}]]):
        c = kernel(a, b, c)
        return c
    """
    with pytest.raises(pypto.CompileError) as error:
        load(textwrap.dedent(source)).entry.lower(config=RunConfig(platform=platform))
    told = str(error.value)
    assert f"{PLATFORMS[platform]} has no pl.{word} for {dtype}" in told, told
