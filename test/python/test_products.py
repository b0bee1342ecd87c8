# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Matrix products of every element type and form, everywhere: see everywhere.py."""
# ruff: noqa: E501 (kernels and messages)

import numpy as np
import pypto
import pytest
from everywhere import BF16, Case, run_everywhere

SIZES = ((16, 32, 32), (48, 80, 112), (33, 70, 45), (1, 64, 32))


def _matrix(rng, shape, dtype):
    if dtype == np.int8:
        return rng.integers(-128, 128, shape, dtype=np.int8)
    return rng.standard_normal(shape).astype(dtype)


def _product(a, b):
    if a.dtype == np.int8:
        return a.astype(np.int32) @ b.astype(np.int32)
    return (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)


def _forms(dtype):
    """(a_trans, b_trans): no chip turns other fractals than those of 2 bytes to Left."""
    return [
        (a, b)
        for a in (False, True)
        for b in (False, True)
        if np.dtype(dtype).itemsize == 2 or not a
    ]


@pytest.mark.parametrize(
    "dtype", [np.float16, BF16, np.float32, np.int8], ids=["fp16", "bf16", "fp32", "int8"]
)
def test_matmul(dtype, platform, load, tmp_path):
    rng, cases = np.random.default_rng(7), []
    for number, (m, k, n) in enumerate(SIZES):
        for a_trans, b_trans in _forms(dtype):
            a, b = _matrix(rng, (m, k), dtype), _matrix(rng, (k, n), dtype)
            want = _product(a, b)
            given = {"a": a.T.copy() if a_trans else a, "b": b.T.copy() if b_trans else b}
            body = f"o[:] = pl.matmul(a, b, a_trans={a_trans}, b_trans={b_trans})"
            name = f"m{number}_{int(a_trans)}{int(b_trans)}"
            cases.append(Case(name, body, given, {"o": want}, 0 if dtype == np.int8 else 1e-4))
    run_everywhere(cases, platform, load, tmp_path)


def _tiles(a: str, b: str, *shapes) -> str:
    """Loads into Mat."""
    return "\n".join(
        f"{name} = pl.load({name[0]}, [0, 0], {list(shape)}, target_memory=pl.Mem.Mat)"
        for name, shape in zip((a, b), shapes, strict=True)
    )


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8], ids=["fp16", "fp32", "int8"])
def test_tile_products(dtype, platform, load, tmp_path):
    rng = np.random.default_rng(8)
    a, b = _matrix(rng, (32, 64), dtype), _matrix(rng, (64, 32), dtype)
    row, want = a[:1].copy(), _product(a, b)
    bias = np.arange(32, dtype=want.dtype).reshape(1, 32)
    tolerance = 0 if dtype == np.int8 else 1e-4
    load_bias = "ct = pl.load(c, [0, 0], [1, 32], target_memory=pl.Mem.Mat)\n"
    both = _tiles("at", "bt", (32, 64), (64, 32)) + "\n"
    one = _tiles("at", "bt", (1, 64), (64, 32)) + "\n"
    cases = [
        Case(
            "with_bias",
            both + load_bias + "pl.store(pl.matmul_bias(at, bt, ct), [0, 0], o)",
            {"a": a, "b": b, "c": bias},
            {"o": want + bias},
            tolerance,
        ),
        Case(
            "row",
            one + "pl.store(pl.gemv(at, bt), [0, 0], o)",
            {"a": row, "b": b},
            {"o": want[:1]},
            tolerance,
        ),
        Case(
            "row_twice",
            one + "pl.store(pl.gemv_acc(pl.gemv(at, bt), at, bt), [0, 0], o)",
            {"a": row, "b": b},
            {"o": want[:1] * 2},
            tolerance,
        ),
        Case(
            "row_with_bias",
            one + load_bias + "pl.store(pl.tile.gemv_bias(at, bt, ct), [0, 0], o)",
            {"a": row, "b": b, "c": bias},
            {"o": want[:1] + bias},
            tolerance,
        ),
        Case(
            "begins_in_loop",
            both
            + """
acc = pl.matmul(at, bt)
for i in pl.range(3):
    acc = pl.matmul_acc(acc, at, bt, init_cond=(i == 0))
pl.store(acc, [0, 0], o)
""",
            {"a": a, "b": b},
            {"o": want * 3},
            tolerance,
        ),
    ]
    run_everywhere(cases, platform, load, tmp_path)


WRONG = {
    "transposed words": (
        "o[:] = pl.matmul(a, b, a_trans=True)",
        "FP32",
        "turns 'a_tile'.*on its way to Left, which no chip does but for FP16 and BF16",
    ),
    "a flag of the run": (
        "o[:] = pl.matmul(a, b, a_trans=pl.get_block_idx())",
        "FP16",
        "a_trans= is True or False when the kernel is compiled",
    ),
    "a layout": (
        "o[:] = pl.matmul(a, b, c_matrix_nz=True)",
        "FP16",
        "c_matrix_nz= is not supported yet",
    ),
    "a number as condition": (
        "o[:] = pl.matmul_acc(pl.matmul(a, b), a, b, init_cond=o)",
        "FP16",
        "init_cond= is True, False or a condition",
    ),
    "more rows than one": (
        _tiles("at", "bt", (32, 32), (32, 32)) + "\npl.store(pl.gemv(at, bt), [0, 0], o)",
        "FP16",
        r"the left operand is one row, \[1, K\]",
    ),
    "a phase": (
        _tiles("at", "bt", (1, 32), (32, 32))
        + "\npl.store(pl.gemv(at, bt, acc_phase='final'), [0, 0], o)",
        "FP16",
        "acc_phase= other than 'unspecified'",
    ),
    "a wide bias": (
        _tiles("at", "bt", (32, 32), (32, 32))
        + "\npl.store(pl.matmul_bias(at, bt, bt), [0, 0], o)",
        "FP16",
        r"the bias is one row of FP32, \[1, 32\]",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_refused(name, load):
    body, dtype, words = WRONG[name]
    lines = "\n    ".join(body.splitlines())
    module = load(f"""import pypto.language as pl

@pl.jit.incore
def kernel(a: pl.Tensor[[32, 32], pl.{dtype}], b: pl.Tensor[[32, 32], pl.{dtype}], o: pl.Out[pl.Tensor[[32, 32], pl.FP32]]):
    {lines}
    return o

@pl.jit
def entry(a: pl.Tensor[[32, 32], pl.{dtype}], b: pl.Tensor[[32, 32], pl.{dtype}], o: pl.Out[pl.Tensor[[32, 32], pl.FP32]]):
    o = kernel(a, b, o)
    return o
""")
    with pytest.raises(pypto.CompileError, match=words) as caught:
        module.entry.compile()
    assert ".py:" in str(caught.value)
