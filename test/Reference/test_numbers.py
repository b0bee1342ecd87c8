# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Numbers of every operation, element type and form, against NumPy and against
the orders that docs/design.md states."""

from __future__ import annotations

import numpy as np
import pytest
from model import from_bf16, run, to_bf16

INF, NAN = np.inf, np.nan
EDGES = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    INF,
    -INF,
    NAN,
    65504.0,
    -65504.0,
    6e-8,
    -6e-8,
    1e-40,
    3.4e38,
    0.5,
    1.5,
    2.5,
]
NUMPY = {"f32": np.float32, "f16": np.float16, "bf16": np.uint16, "i32": np.int32}
FLOATS = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "minimum": np.minimum,
    "maximum": np.maximum,
    "exp": np.exp,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "neg": np.negative,
    "abs": np.abs,
    "relu": lambda x: np.maximum(x, 0),
}
UNARY = ("exp", "sqrt", "rsqrt", "neg", "abs", "relu")
INTEGERS = ("add", "sub", "mul", "minimum", "maximum", "neg", "abs", "relu")
ZEROS = ("minimum", "maximum", "relu")  # NumPy leaves the sign of a zero open


def data(dtype, shape, seed):
    rng = np.random.default_rng(seed)
    if dtype == "i32":
        values = rng.integers(-(2**31), 2**31, shape, np.int64).astype(np.int32)
        values.flat[:4] = [0, -1, 2**31 - 1, -(2**31)]
        return values
    values = (rng.standard_normal(shape) * 4).astype(np.float32)
    values.flat[: len(EDGES)] = rng.permutation(EDGES)
    with np.errstate(over="ignore"):
        return to_bf16(values) if dtype == "bf16" else values.astype(NUMPY[dtype])


def wide(array, dtype):
    """Exact values: FP64, or INT64."""
    if dtype == "i32":
        return array.astype(np.int64)
    return (from_bf16(array) if dtype == "bf16" else array).astype(np.float64)


def rounded(values, dtype):
    """Rounded once."""
    with np.errstate(all="ignore"):
        if dtype == "i32":
            return values.astype(np.int64).astype(np.int32)
        if dtype != "bf16":
            return values.astype(NUMPY[dtype])
        # FP64 to BF16 once: by way of FP32 rounded to odd.
        single = values.astype(np.float32)
        bits = single.view(np.uint32).copy()
        inexact = (single.astype(np.float64) != values) & np.isfinite(values)
        bits[inexact & (np.abs(single.astype(np.float64)) > np.abs(values))] -= 1
        bits[inexact] |= 1
        return to_bf16(bits.view(np.float32))


def same(got, want, dtype):
    """Bit for bit, but for the bits of a NaN."""
    got_wide, want_wide = wide(got, dtype), wide(want, dtype)
    both_nan = (
        np.isnan(got_wide) & np.isnan(want_wide) if dtype != "i32" else np.zeros(got.shape, bool)
    )
    integer = {2: np.uint16, 4: np.uint32}[got.dtype.itemsize]
    wrong = (got.view(integer) != want.view(integer)) & ~both_nan
    assert not wrong.any(), (np.argwhere(wrong)[:4], got[wrong][:4], want[wrong][:4])


def program(form, op, dtype, rows, cols, sources, out_type=None, out_cols=None, attributes=""):
    """`op` over [rows, cols] in one of three forms; `sources` are array or "s" (a scalar 2)."""
    out_type, out_cols = out_type or dtype, out_cols or cols
    lanes = 32 // (2 if dtype in ("f16", "bf16") else 4)
    wide_lanes = 32 // (2 if out_type in ("f16", "bf16") else 4)
    step = max(lanes, wide_lanes)
    physical = -(-cols // step) * step
    out_physical = 1 if out_cols == 1 else physical
    scalar = "2" if dtype == "i32" else "2.0"
    arrays = [i for i, s in enumerate(sources) if s != "s"]
    array_type = {"tensor": f"tensor<{rows}x{{}}x{{}}>"}.get(form, f"!pto.gm<{rows}x{{}}x{{}}>")
    parameters = [f"%x{i}: {array_type.format(sources[i], dtype)}" for i in arrays]
    parameters.append(f"%y: {array_type.format(out_cols, out_type)} {{pto.dir = #pto.dir<out>}}")
    body = [f"    %s = arith.constant {scalar} : {dtype}"]
    if form == "tensor":
        types = [dtype if s == "s" else array_type.format(s, dtype) for s in sources]
        names = ", ".join("%s" if s == "s" else f"%x{i}" for i, s in enumerate(sources))
        result = array_type.format(out_cols, out_type)
        body.append(
            f"    %r = pto.tensor.{op} {names}{attributes} : ({', '.join(types)}) -> {result}"
        )
        body.append(f"    %o = pto.tensor.assemble %r into %y[0, 0] : {result} into {result}")
        return _module(parameters, body, f"%o : {result}", result)
    names, types = [], []
    for i, s in enumerate(sources):
        if s == "s":
            names.append("%s"), types.append(dtype)
            continue
        width = 1 if s == 1 else physical
        names.append(f"%t{i}")
        if form == "value":
            types.append(f"!pto.tile<{rows}x{width}x{dtype}, vec>")
            body.append(
                f"    %t{i} = pto.tile.load %x{i}[0, 0] valid [{rows}, {s}] : "
                f"{array_type.format(s, dtype)} -> {types[-1]}"
            )
        else:
            types.append(_buffer(body, f"t{i}", rows, s, width, dtype))
            body.append(
                f"    pto.tile.load ins(%x{i}[0, 0] : {array_type.format(s, dtype)}) outs(%t{i} : {types[-1]})"
            )
    out = array_type.format(out_cols, out_type)
    if form == "value":
        result = f"!pto.tile<{rows}x{out_physical}x{out_type}, vec>"
        body.append(
            f"    %r = pto.tile.{op} {', '.join(names)}{attributes} : ({', '.join(types)}) -> {result}"
        )
        body.append(f"    pto.tile.store %r, %y[0, 0] : {result} -> {out}")
    else:
        result = _buffer(body, "r", rows, out_cols, out_physical, out_type)
        body.append(
            f"    pto.tile.{op} ins({', '.join(names)} : {', '.join(types)}) outs(%r : {result}){attributes}"
        )
        body.append(f"    pto.tile.store ins(%r : {result}) outs(%y[0, 0] : {out})")
    return _module(parameters, body)


def _buffer(body, name, rows, cols, physical, dtype):
    layout = "dn" if physical == 1 and rows > 1 else "nd"
    whole = f"!pto.buf<{rows}x{physical}x{dtype}, vec, {layout}>"
    if cols == physical:
        body.append(f"    %{name} = pto.tile.alloc : {whole}")
        return whole
    window = f"!pto.buf<{rows}x{cols}x{dtype}, vec, {layout}, of<{rows}x{physical}>>"
    body.append(f"    %{name}w = pto.tile.alloc : {whole}")
    body.append(
        f"    %{name} = pto.tile.subview %{name}w[0, 0] [{rows}, {cols}] : {whole} -> {window}"
    )
    return window


def _module(parameters, body, returned="", result=""):
    lines = "\n".join(body)
    arrow = f" -> {result}" if result else ""
    return f"""module attributes {{pto.target = "910B"}} {{
  func.func @f({", ".join(parameters)}){arrow} attributes {{pto.kind = #pto.kind<in_core>}} {{
{lines}
    return {returned}
  }}
}}"""


FORMS = ("tensor", "value", "buffer")
SHAPES = [(8, 64), (3, 37), (1, 130), (17, 8)]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "dtype, op", [(d, op) for d in NUMPY for op in FLOATS if d != "i32" or op in INTEGERS]
)
def test_elementwise(form, dtype, op):
    for rows, cols in SHAPES:
        for kind in [cols] if op in UNARY else [cols, "s"]:
            a, b = data(dtype, (rows, cols), 1), data(dtype, (rows, cols), 2)
            got = np.zeros((rows, cols), NUMPY[dtype])
            sources = [cols] if op in UNARY else [cols, kind]
            arrays = [a] if len(sources) == 1 or kind == "s" else [a, b]
            run(program(form, op, dtype, rows, cols, sources), *arrays, got)
            exact = [wide(x, dtype) for x in arrays] + ([2] if kind == "s" else [])
            with np.errstate(all="ignore"):
                # FP32 arithmetic rounds once; so does FP64 arithmetic rounded to half of its precision.
                want = rounded(FLOATS[op](*exact), dtype)
            if op in ZEROS and dtype != "i32":
                zero = wide(want, dtype) == 0
                assert (wide(got, dtype)[zero] == 0).all()
                got[zero] = want[zero]
            same(got, want, dtype)


@pytest.mark.parametrize("op, negative", [("minimum", True), ("maximum", False)])
def test_signs_of_zero(op, negative):
    a, b = np.array([[0.0, -0.0] * 4], np.float32), np.array([[-0.0, 0.0] * 4], np.float32)
    got = np.zeros((1, 8), np.float32)
    run(program("value", op, "f32", 1, 8, [8, 8]), a, b, got)
    assert (np.signbit(got) == negative).all()


def ordered(values, lanes, combine):
    """The order of docs/design.md: repeats fold into lanes, lanes meet in pairs."""
    lane = list(values[:lanes])
    for begin in range(lanes, len(values), lanes):
        for i, value in enumerate(values[begin : begin + lanes]):
            lane[i] = combine(lane[i], value)
    while len(lane) > 1:
        pairs = [combine(lane[i], lane[i + 1]) for i in range(0, len(lane) - 1, 2)]
        lane = pairs + ([lane[-1]] if len(lane) % 2 else [])
    return lane[0]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("op", ["row_sum", "row_max"])
def test_row_reductions(form, dtype, op):
    for rows, cols in [(4, 64), (3, 37), (2, 300), (5, 1 if form == "tensor" else 8)]:
        a = np.random.default_rng(cols).standard_normal((rows, cols)).astype(np.float32)
        a = to_bf16(a) if dtype == "bf16" else a.astype(NUMPY[dtype])
        got = np.zeros((rows, 1), NUMPY[dtype])
        run(program(form, op, dtype, rows, cols, [cols], out_cols=1), a, got)
        # BF16 is reduced as FP32 and rounded once.
        lanes, step = (128, "f16") if dtype == "f16" else (64, "f32")

        def combine(x, y, step=step):
            total = max(x, y) if op == "row_max" else x + y
            return float(wide(rounded(np.array([total]), step), step)[0])

        want = [[ordered([float(v) for v in row], lanes, combine)] for row in wide(a, dtype)]
        same(got, rounded(np.array(want), dtype), dtype)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("op", ["row_expand_sub", "row_expand_mul", "row_expand_div"])
def test_row_broadcasts(form, dtype, op):
    function = FLOATS[op.removeprefix("row_expand_")]
    for rows, cols in [(8, 64), (3, 37)]:
        a, v = data(dtype, (rows, cols), 5), data(dtype, (rows, 16), 6)[:, 10:11].copy()
        got = np.zeros((rows, cols), NUMPY[dtype])
        run(program(form, op, dtype, rows, cols, [cols, 1]), a, v, got)
        with np.errstate(all="ignore"):
            same(got, rounded(function(wide(a, dtype), wide(v, dtype)), dtype), dtype)


ROUND = {
    "rint": np.rint,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "round": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("mode", ROUND)
@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
def test_casts_to_integers(form, mode, dtype):
    a = data(dtype, (4, 37), 7)
    got = np.zeros((4, 37), np.int32)
    attributes = f" {{round = #pto.round<{mode}>}}"
    run(program(form, "cast", dtype, 4, 37, [37], out_type="i32", attributes=attributes), a, got)
    exact = np.nan_to_num(ROUND[mode](wide(a, dtype)), nan=0.0, posinf=2.0**31, neginf=-(2.0**31))
    np.testing.assert_array_equal(got, np.clip(exact, -(2**31), 2**31 - 1).astype(np.int32))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "source, target, mode",
    [
        ("f32", "f16", "rint"),
        ("f32", "bf16", "rint"),
        ("f16", "f32", "none"),
        ("bf16", "f32", "none"),
        ("f16", "bf16", "rint"),
        ("bf16", "f16", "rint"),
        ("i32", "f32", "rint"),
    ],
)
def test_casts(form, source, target, mode):
    a = data(source, (4, 48), 8)
    got = np.zeros((4, 48), NUMPY[target])
    attributes = f" {{round = #pto.round<{mode}>}}"
    run(program(form, "cast", source, 4, 48, [48], out_type=target, attributes=attributes), a, got)
    same(got, rounded(wide(a, source), target), target)


@pytest.mark.parametrize("mode, direction", [("floor", -INF), ("ceil", INF), ("trunc", 0.0)])
def test_directed_casts_to_half(mode, direction):
    a = data("f32", (4, 48), 9)
    got = np.zeros((4, 48), np.float16)
    run(
        program(
            "value",
            "cast",
            "f32",
            4,
            48,
            [48],
            out_type="f16",
            attributes=f" {{round = #pto.round<{mode}>}}",
        ),
        a,
        got,
    )
    with np.errstate(over="ignore"):
        near = a.astype(np.float16)
    exact, value = a.astype(np.float64), near.astype(np.float64)
    towards = {
        "floor": value > exact,
        "ceil": value < exact,
        "trunc": np.abs(value) > np.abs(exact),
    }[mode]
    want = np.where(towards, np.nextafter(near, np.float16(direction)), near)
    same(got, want.astype(np.float16), "f16")


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
@pytest.mark.parametrize("m, k, n", [(1, 1, 1), (5, 37, 33), (16, 64, 48), (64, 100, 31)])
def test_products_add_k_in_order(dtype, m, k, n):
    rng = np.random.default_rng(m + k)
    a, b = (rng.standard_normal(s).astype(np.float32) for s in ((m, k), (k, n)))
    a, b = (to_bf16(x) if dtype == "bf16" else x.astype(np.float16) for x in (a, b))
    got = np.zeros((m, n), np.float32)
    tensor = "tensor<{}x{}x{}>".format
    types = f"({tensor(m, k, dtype)}, {tensor(k, n, dtype)}) -> {tensor(m, n, 'f32')}"
    out = tensor(m, n, "f32")
    run(
        _module(
            [
                f"%a: {tensor(m, k, dtype)}",
                f"%b: {tensor(k, n, dtype)}",
                f"%y: {out} {{pto.dir = #pto.dir<out>}}",
            ],
            [
                f"    %r = pto.tensor.matmul %a, %b : {types}",
                f"    %o = pto.tensor.assemble %r into %y[0, 0] : {out} into {out}",
            ],
            f"%o : {out}",
            out,
        ),
        a,
        b,
        got,
    )
    want = np.zeros((m, n), np.float32)
    left, right = wide(a, dtype).astype(np.float32), wide(b, dtype).astype(np.float32)
    for p in range(k):
        want += left[:, p : p + 1] * right[p : p + 1]
    same(got, want, "f32")
