# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Reductions and broadcasts of rows and columns, everywhere: see everywhere.py."""
# ruff: noqa: E501 (kernels)

import numpy as np
import pytest
from everywhere import BF16, Case, run_everywhere

DTYPES = {
    "fp16": np.float16,
    "bf16": BF16,
    "fp32": np.float32,
    "int32": np.int32,
    "int16": np.int16,
}
EXPANDS = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "max": np.maximum,
    "min": np.minimum,
}
SHAPES = ((3, 40), (17, 100), (64, 130), (5, 8))


def _array(rng, shape, dtype):
    if np.dtype(dtype).kind == "i":
        return rng.integers(-99, 99, shape).astype(dtype)
    return (rng.integers(-64, 64, shape) / 8).astype(dtype)


def _exact(function, *arrays):
    """FP16 and BF16 compute in FP32 and round once."""
    dtype = arrays[0].dtype
    if dtype.kind == "i":
        return function(*arrays).astype(dtype)
    with np.errstate(all="ignore"):
        return function(*(array.astype(np.float32) for array in arrays)).astype(dtype)


def _tile(lines: str, m: int, n: int, vector: str) -> str:
    return f"""
at = pl.load(a, [0, 0], [{m}, {n}])
vt = pl.load(v, [0, 0], {vector})
{lines}
"""


@pytest.mark.parametrize("name", DTYPES)
def test_broadcasts(name, platform, load, tmp_path):
    dtype, rng, cases = DTYPES[name], np.random.default_rng(3), []
    names = [e for e in EXPANDS if e != "div" or np.dtype(dtype).kind != "i"]
    for number, (m, n) in enumerate(SHAPES):
        a = _array(rng, (m, n), dtype)
        for which, shape in (("row", (m, 1)), ("col", (1, n))):
            v = _array(rng, shape, dtype)
            v[v == 0] = 1
            for expand in names:
                want = _exact(EXPANDS[expand], a, v)
                case = f"{which}_{expand}{number}"
                cases.append(
                    Case(
                        case,
                        f"o[:] = pl.{which}_expand_{expand}(a, v)",
                        {"a": a, "v": v},
                        {"o": want},
                    )
                )
        one = _array(rng, (1, 1), dtype)
        one[one == 0] = 1
        cases.append(
            Case(
                f"in_all{number}",
                "o[:] = pl.add(a, v)",
                {"a": a, "v": one},
                {"o": _exact(np.add, a, one)},
            )
        )
        cases.append(
            Case(
                f"by_columns{number}",
                "o[:] = pl.maximum(a, v)",
                {"a": a, "v": v},
                {"o": _exact(np.maximum, a, v)},
            )
        )
    run_everywhere(cases, platform, load, tmp_path)


@pytest.mark.parametrize("name", ["fp16", "fp32"])
def test_e_to_the_difference(name, platform, load, tmp_path):
    dtype, rng, cases = DTYPES[name], np.random.default_rng(4), []
    for number, (m, n) in enumerate(SHAPES):
        a = _array(rng, (m, n), dtype)
        for which, axis in (("row", 1), ("col", 0)):
            v = a.max(axis=axis, keepdims=True)
            difference = _exact(np.subtract, a, v)
            want = np.exp(difference.astype(np.float64)).astype(dtype)
            cases.append(
                Case(
                    f"{which}{number}",
                    f"o[:] = pl.{which}_expand_expdif(a, v)",
                    {"a": a, "v": v},
                    {"o": want},
                    2e-3 if name == "fp16" else 1e-6,
                )
            )
    run_everywhere(cases, platform, load, tmp_path)


def _one_after_the_other(function, a):
    wide = a.astype(np.float32) if a.dtype == BF16 else a
    made = wide[:1].copy()
    for row in wide[1:]:
        made = _exact(function, made, row[None])
    return made.astype(a.dtype)


@pytest.mark.parametrize("name", DTYPES)
def test_columns(name, platform, load, tmp_path):
    dtype, rng, cases = DTYPES[name], np.random.default_rng(5), []
    functions = {"sum": np.add, "max": np.maximum, "min": np.minimum, "prod": np.multiply}
    for number, (m, n) in enumerate(SHAPES):
        a = _array(rng, (m, n), dtype)
        for reduce, function in functions.items():
            given = a if reduce != "prod" or a.dtype.kind == "i" else (a / 4).astype(dtype)
            want = _one_after_the_other(function, given)
            cases.append(
                Case(f"{reduce}{number}", f"o[:] = pl.col_{reduce}(a)", {"a": given}, {"o": want})
            )
    run_everywhere(cases, platform, load, tmp_path)


@pytest.mark.parametrize("name", ["fp16", "bf16", "fp32"])
def test_rows_and_clones(name, platform, load, tmp_path):
    dtype, rng, cases = DTYPES[name], np.random.default_rng(6), []
    for number, (m, n) in enumerate(SHAPES):
        a, row, column = (_array(rng, shape, dtype) for shape in ((m, n), (1, n), (m, 1)))
        a[0, :3] = -0.0, np.inf, -np.inf
        cases += [
            Case(
                f"min{number}",
                "o[:] = pl.row_min(a)",
                {"a": a},
                {"o": a.min(axis=1, keepdims=True)},
            ),
            Case(
                f"rows{number}",
                "o[:] = pl.col_expand(a, v)",
                {"a": a, "v": row},
                {"o": np.broadcast_to(row, (m, n)).copy()},
            ),
            Case(
                f"columns{number}",
                "o[:] = pl.row_expand(a, v)",
                {"a": a, "v": column},
                {"o": np.broadcast_to(column, (m, n)).copy()},
            ),
            Case(
                f"clone{number}",
                "o[:] = pl.expand_clone(v, a)",
                {"a": a, "v": row},
                {"o": np.broadcast_to(row, (m, n)).copy()},
            ),
        ]
    run_everywhere(cases, platform, load, tmp_path)


def test_valid_region_only(platform, load, tmp_path):
    """Rows and columns beyond the valid ones are not looked at."""
    rng = np.random.default_rng(9)
    a = rng.integers(-9, 9, (10, 24)).astype(np.float32)
    body = """
t = pl.load(a, [0, 0], [16, 32], valid_shape=[7, 20])
pl.store(pl.tile.{}, [0, 0], o)
"""
    cases = [
        Case(
            "sum", body.format("col_sum(t)"), {"a": a}, {"o": a[:7, :20].sum(axis=0, keepdims=True)}
        ),
        Case(
            "top", body.format("col_max(t)"), {"a": a}, {"o": a[:7, :20].max(axis=0, keepdims=True)}
        ),
    ]
    run_everywhere(cases, platform, load, tmp_path)
