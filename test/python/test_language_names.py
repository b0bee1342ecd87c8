# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Enumerations and element types: members and numbers, which printed programs hold, and what
those say that no kernel can use yet."""

import ml_dtypes
import numpy as np
import pypto
import pypto.language as pl
import pytest

ENUMS = {
    pl.MemorySpace: "DDR 0 Vec 1 Mat 2 Left 3 Right 4 Acc 5 Bias 6 ScalarLocal 7 LeftScale 8 "
    "RightScale 9",
    pl.Level: "AIV 0 AIC 1 CORE_GROUP 2 CHIP_DIE 3 L2CACHE 3 CHIP 4 PROCESSOR 4 UMA 4 HOST 5 "
    "NODE 5 CLUSTER_0 6 POD 6 CLUSTER_1 7 CLOS1 7 CLUSTER_2 8 CLOS2 8 GLOBAL 9",
    pl.FunctionType: "Opaque 0 Orchestration 1 InCore 2 AIC 3 AIV 4 Group 5 Spmd 6 "
    "Inline 7 Graph 8",
    pl.SplitMode: "NONE 0 UP_DOWN 1 LEFT_RIGHT 2",
    pl.Role: "Orchestrator SubWorker",
    pl.ForKind: "Sequential Parallel Unroll Pipeline",
    pl.PadValue: "null zero max min",
    pl.TileLayout: "none_box row_major col_major",
    pl.TensorLayout: "ND DN NZ MX_A_ZZ MX_B_NN",
    pl.AtomicType: "None_ Add",
    pl.CompactMode: "null normal",
    pl.PipeType: "MTE1 MTE2 MTE3 M V S FIX ALL",
    pl.ScopeMode: "AUTO MANUAL",
}


@pytest.mark.parametrize("enum", ENUMS, ids=lambda enum: enum.__name__)
def test_members_of(enum):
    words = ENUMS[enum].split()
    numbers = {name: int(n) for name, n in zip(words, words[1:], strict=False) if n.isdigit()}
    names = [word for word in words if not word.isdigit()]
    assert set(enum.__members__) == set(names)
    assert {name: int(enum[name]) for name in numbers} == numbers


def test_other_names_of_the_same():
    assert pl.Mem is pl.MemorySpace
    layouts = (pl.ND, pl.DN, pl.NZ, pl.MX_A_ZZ, pl.MX_B_NN)
    assert layouts == tuple(pl.TensorLayout)


BITS = {
    4: (pl.FP4, pl.HF4, pl.INT4, pl.UINT4),
    8: (pl.INT8, pl.UINT8, pl.FP8E4M3FN, pl.FP8E5M2, pl.FP8E8M0, pl.HF8),
    16: (pl.FP16, pl.BF16, pl.INT16, pl.UINT16),
    32: (pl.FP32, pl.INT32, pl.UINT32),
    64: (pl.INT64, pl.UINT64, pl.INDEX),
}


@pytest.mark.parametrize("bits", BITS)
def test_widths(bits):
    for dtype in BITS[bits]:
        assert isinstance(dtype, pl.DataType)
        assert dtype.get_bit() == bits and dtype.get_byte() == max(1, bits // 8)


OF_NUMPY = {
    pl.FP16: np.float16,
    pl.BF16: ml_dtypes.bfloat16,
    pl.FP32: np.float32,
    pl.BOOL: np.bool_,
    **{getattr(pl, f"INT{n}"): np.dtype(f"int{n}") for n in (8, 16, 32, 64)},
    **{getattr(pl, f"UINT{n}"): np.dtype(f"uint{n}") for n in (8, 16, 32, 64)},
}
COPY = """
import pypto.language as pl

@pl.jit
def copy(x: pl.Tensor[[4, 64], pl.{0}], out: pl.Out[pl.Tensor[[4, 64], pl.{0}]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        pl.store(pl.load(x, [0, 0], [4, 64]), [0, 0], out)
    return out
"""


@pytest.mark.parametrize("dtype", OF_NUMPY, ids=str)
def test_each_type_moves(dtype, load, platform):
    """Every bit of it, and it is an instance of what @pl.jit makes."""
    module = load(COPY.format(dtype.name))
    assert isinstance(module.copy, pl.JITFunction)
    rng = np.random.default_rng(0)
    kind = np.dtype(OF_NUMPY[dtype])
    x = rng.integers(0, 256, (4, 64 * kind.itemsize), np.uint8).view(kind)
    if dtype is pl.BOOL:
        x = rng.integers(0, 2, (4, 64)).astype(bool)
    out = np.zeros_like(x)
    module.copy(x, out)
    assert out.tobytes() == x.tobytes()


LATER = (pl.FP4, pl.HF4, pl.INT4, pl.UINT4, pl.FP8E4M3FN, pl.FP8E5M2, pl.FP8E8M0, pl.HF8)


@pytest.mark.parametrize("dtype", LATER, ids=str)
def test_types_that_come_later_say_so(dtype, load):
    with pytest.raises(pypto.CompileError, match=dtype.name) as caught:
        load(COPY.format(dtype.name)).copy.lower()
    assert caught.value.diagnostics[0].line == 5


SMALL = """
import pypto.language as pl

X = pl.Tensor[[16, 64], pl.{0}]

@pl.jit.incore
def scalars(x: X, out: pl.Out[X]):
    t = pl.load(x, [0, 0], [pl.dim(x, 0), 64])
    pl.store(pl.tile.{1}(t, {2}), [0, 0], out)
    return out

@pl.jit
def entry(x: X, out: pl.Out[X]):
    scalars(x, out)
    return out

@pl.jit
def chained(x: X, out: pl.Out[X]):
    middle = pl.create_tensor([pl.tensor.dim(x, 0), 64], pl.{0})
    tids = pl.array.create(2, pl.TASK_ID)
    with pl.manual_scope():
        _, tid = pl.submit(scalars, x, middle)
        tids = pl.array.update_element(tids, 0, tid)
        pl.submit(scalars, middle, out, deps=[pl.array.get_element(tids, 0)])
    return out
"""


@pytest.mark.parametrize(
    "name, operator", [("adds", np.add), ("subs", np.subtract), ("muls", np.multiply)]
)
@pytest.mark.parametrize("dtype", ["FP16", "FP32", "INT32"])
def test_the_names_of_operations_with_a_scalar(name, operator, dtype, load, platform):
    kind = np.dtype(OF_NUMPY[getattr(pl, dtype)])
    x = np.random.default_rng(0).integers(-9, 9, (16, 64)).astype(kind)
    out = np.zeros_like(x)
    module = load(SMALL.format(dtype, name, "3" if dtype == "INT32" else "1.5"))
    module.entry(x, out)
    once = operator(x, kind.type(3 if dtype == "INT32" else 1.5))
    np.testing.assert_array_equal(out, once)
    module.chained(x, out)
    np.testing.assert_array_equal(out, operator(once, kind.type(3 if dtype == "INT32" else 1.5)))


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_divs(dtype, load, platform):
    x = np.random.default_rng(0).standard_normal((16, 64)).astype(dtype)
    out = np.zeros_like(x)
    load(SMALL.format({2: "FP16", 4: "FP32"}[x.itemsize], "divs", "3.0")).entry(x, out)
    np.testing.assert_array_equal(out, (x.astype(np.float32) / np.float32(3)).astype(dtype))
