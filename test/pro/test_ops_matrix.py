# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The AIC's operations against NumPy: moves, products, what leaves an accumulator."""

import numpy as np
import pytest
from op_programs import ARCHS, NUMPY

HEAD = """
import pypto_pro.language as pl

KB = 1024
MAT, LEFT, RIGHT = pl.MemorySpace.Mat, pl.MemorySpace.Left, pl.MemorySpace.Right
ACC, BIAS = pl.MemorySpace.Acc, pl.MemorySpace.Bias


def tile(kind, addr, mutex):
    return pl.make_tile_group(type=kind, addrs=addr, mutex_ids=[mutex])

"""


SUMS = {"FP16": "FP32", "BF16": "FP32", "FP32": "FP32", "INT8": "INT32"}


def product(arch, m, n, k, dtype="FP16", valid=None, out="FP32", body="", more="", right=None):
    """c = a @ b with one tile of each; `valid`: m, n, k of what there is. `body` stands behind
    the moves; `right`: what moves to Right instead of b."""
    vm, vn, vk = valid or (m, n, k)
    body = body or "pl.matmul(acc, left, right)\npl.store(c, acc, [0, 0])"
    lines = "\n".join("        " + line for line in body.strip("\n").splitlines())
    return (
        HEAD
        + f"""
@pl.jit(arch="{arch}")
def kernel(a: pl.Tensor[[{vm}, {vk}], pl.DT_{dtype}], b: pl.Tensor[[{vk}, {vn}], pl.DT_{dtype}],
           c: pl.Tensor[[{vm}, {vn}], pl.DT_{out}]{more}):
    with pl.section_cube():
        D = pl.DT_{dtype}
        a_mat = tile(pl.TileType([{m}, {k}], D, MAT, valid_shape=[{vm}, {vk}]), 0, 0)[0]
        b_mat = tile(pl.TileType([{k}, {n}], D, MAT, valid_shape=[{vk}, {vn}]), 128 * KB, 1)[0]
        left = tile(pl.TileType([{m}, {k}], D, LEFT, valid_shape=[{vm}, {vk}]), 0, 2)[0]
        right = tile(pl.TileType([{k}, {n}], D, RIGHT, valid_shape=[{vk}, {vn}]), 0, 3)[0]
        sums = pl.TileType([{m}, {n}], pl.DT_{SUMS[dtype]}, ACC, valid_shape=[{vm}, {vn}])
        acc = tile(sums, 0, 4)[0]
        pl.load(a_mat, a, [0, 0])
        pl.load(b_mat, b, [0, 0])
        pl.move(left, a_mat)
        {right or "pl.move(right, b_mat)"}
{lines}
"""
    )


def values(shape, dtype="FP16", seed=0):
    """Small integers: their products and sums are exact."""
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(NUMPY[dtype])


def run(load, text, a, b, c, *more):
    load(text).kernel[None, 1](a, b, c, *more)
    return c


def exact(a, b):
    return a.astype(np.float32) @ b.astype(np.float32)


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("dtype", ["FP16", "BF16"])
@pytest.mark.parametrize("extents", [(16, 16, 16), (64, 32, 128), (128, 128, 64)])
def test_a_product(arch, dtype, extents, load):
    m, n, k = extents
    a, b = values((m, k), dtype), values((k, n), dtype, 1)
    c = run(load, product(arch, m, n, k, dtype), a, b, np.zeros((m, n), np.float32))
    np.testing.assert_array_equal(c, exact(a, b))


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("dtype", ["FP32", "INT8"])
@pytest.mark.parametrize("valid", [(64, 32, 128), (37, 21, 53), (16, 16, 32)])
def test_a_product_of_other_types(arch, dtype, valid, load):
    m, n, k = valid
    a, b = values((m, k), dtype), values((k, n), dtype, 1)
    text = product(arch, 64, 32, 128, dtype, valid=valid, out=SUMS[dtype])
    c = run(load, text, a, b, np.zeros((m, n), NUMPY[SUMS[dtype]]))
    np.testing.assert_array_equal(c, exact(a, b))


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("dtype", SUMS)
@pytest.mark.parametrize("rows", [1, 16])
@pytest.mark.parametrize("extents", [(32, 64), (21, 53)])
def test_products_of_one_row(arch, dtype, rows, extents, load):
    """In a tile of one row, or of one valid row; twice the product and a bias."""
    n, k = extents
    a, b = values((1, k), dtype), values((k, n), dtype, 1)
    out, to = SUMS[dtype], NUMPY[SUMS[dtype]]
    bias = np.arange(n).astype(to)[None]
    body = f"""
kind = pl.TileType([1, 32], pl.DT_{out}, MAT, valid_shape=[1, {n}], layout=pl.ND)
bias_mat = tile(kind, 256 * KB, 5)[0]
bias = tile(pl.TileType([1, 32], pl.DT_{out}, BIAS, valid_shape=[1, {n}]), 0, 6)[0]
pl.load(bias_mat, d, [0, 0])
pl.move(bias, bias_mat)
pl.gemv(acc, left, right)
pl.gemv_acc(acc, acc, left, right)
pl.store(c, acc, [0, 0])
pl.gemv_bias(acc, left, right, bias)
pl.store(e, acc, [0, 0])
"""
    more = f", d: pl.Tensor[[1, {n}], pl.DT_{out}], e: pl.Tensor[[1, {n}], pl.DT_{out}]"
    text = product(arch, rows, 32, 64, dtype, valid=(1, n, k), out=out, body=body, more=more)
    c, e = np.zeros((1, n), to), np.zeros((1, n), to)
    run(load, text, a, b, c, bias, e)
    np.testing.assert_array_equal(c, 2 * exact(a, b))
    np.testing.assert_array_equal(e, exact(a, b) + bias)


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("valid", [(37, 21, 53), (1, 5, 3), (48, 17, 64)])
def test_a_product_of_what_is_valid(arch, valid, load):
    m, n, k = valid
    a, b = values((m, k)), values((k, n), seed=1)
    text = product(arch, 48, 32, 64, valid=valid)
    c = run(load, text, a, b, np.zeros((m, n), np.float32))
    np.testing.assert_array_equal(c, exact(a, b))


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("out", ["FP16", "BF16"])
def test_an_accumulator_narrows_and_passes_relu(arch, out, load):
    a, b = values((32, 64)), values((64, 32), seed=1)
    body = (
        "pl.matmul(acc, left, right)\n"
        "pl.store(c, acc, [0, 0], relu_pre_mode=pl.ReluPreMode.NormalRelu)"
    )
    text = product(arch, 32, 32, 64, out=out, body=body)
    c = run(load, text, a, b, np.zeros((32, 32), NUMPY[out]))
    np.testing.assert_array_equal(c, np.maximum(exact(a, b), 0).astype(NUMPY[out]))


@pytest.mark.parametrize("arch", ARCHS)
def test_adding_to_an_accumulator_and_in_memory(arch, load):
    a, b = values((32, 64)), values((64, 32), seed=1)
    body = """
pl.matmul(acc, left, right)
for i in pl.range(2):
    pl.matmul_acc(acc, acc, left, right)
pl.store(c, acc, [0, 0], atomic=pl.AtomicType.AtomicAdd)
"""
    c = run(load, product(arch, 32, 32, 64, body=body), a, b, np.ones((32, 32), np.float32))
    np.testing.assert_array_equal(c, 3 * exact(a, b) + 1)


@pytest.mark.parametrize("arch", ARCHS)
def test_a_part_of_a_tile(arch, load):
    a, b = values((64, 128)), values((128, 32), seed=1)
    body = """
short = tile(pl.TileType([64, 32], D, LEFT), 32 * KB, 5)[0]
low = tile(pl.TileType([32, 32], D, RIGHT), 32 * KB, 6)[0]
pl.matmul(acc, left, right)
for i in pl.range(4):
    pl.move(short, a_mat, [0, i * 32])
    pl.move(low, b_mat, [i * 32, 0])
    pl.matmul_acc(acc, acc, short, low)
pl.store(c, acc, [0, 0])
"""
    c = run(load, product(arch, 64, 32, 128, body=body), a, b, np.zeros((64, 32), np.float32))
    np.testing.assert_array_equal(c, 2 * exact(a, b))


@pytest.mark.parametrize("arch", ARCHS)
def test_a_transposing_move(arch, load):
    # b is loaded as [n, k] and transposed on its way to Right.
    a, b, t = values((32, 64)), values((64, 16), seed=1), values((16, 64), seed=2)
    body = """
t_mat = tile(pl.TileType([16, 64], D, MAT), 256 * KB, 5)[0]
pl.load(t_mat, t, [0, 0])
pl.system.bar_mte1()  # two writes of right
pl.move(right, t_mat)
pl.matmul(acc, left, right)
pl.store(c, acc, [0, 0])
"""
    more = ", t: pl.Tensor[[16, 64], pl.DT_FP16]"
    text = product(arch, 32, 16, 64, body=body, more=more, right="pass")
    c = run(load, text, a, b, np.zeros((32, 16), np.float32), t)
    np.testing.assert_array_equal(c, exact(a, t.T))


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("valid", [(32, 32), (20, 32)])
def test_a_transposing_load(arch, valid, load):
    keys, d = valid
    a, b = values((32, 32)), values((32, keys), seed=1)
    t = values((2, keys, 3, d), seed=2)
    body = f"""
t_mat = tile(pl.TileType([32, 32], D, MAT, layout=pl.ZN, valid_shape=[{d}, {keys}]), 256 * KB, 5)[0]
pl.load(t_mat, t, [1, 0, 2, 0], order=[3, 1])
pl.system.bar_mte1()  # two writes of right
pl.move(right, t_mat)
pl.matmul(acc, left, right)
pl.store(c, acc, [0, 0])
"""
    more = f", t: pl.Tensor[[2, {keys}, 3, {d}], pl.DT_FP16]"
    text = product(arch, 32, 32, 32, valid=(32, keys, 32), body=body, more=more, right="pass")
    c = run(load, text, a, b, np.zeros((32, keys), np.float32), t)
    np.testing.assert_array_equal(c, exact(a, t[1, :, 2, :].T))


@pytest.mark.parametrize("arch", ARCHS)
def test_a_bias(arch, load):
    a, b = values((32, 64)), values((64, 32), seed=1)
    bias = np.arange(32, dtype=np.float32).reshape(1, 32)
    body = """
bias_mat = tile(pl.TileType([1, 32], pl.DT_FP32, MAT, layout=pl.ND), 256 * KB, 5)[0]
bias_table = tile(pl.TileType([1, 32], pl.DT_FP32, BIAS), 0, 6)[0]
pl.load(bias_mat, bias, [0, 0])
pl.move(bias_table, bias_mat)
pl.matmul(acc, left, right, bias_table)
pl.store(c, acc, [0, 0])
"""
    text = product(arch, 32, 32, 64, body=body, more=", bias: pl.Tensor[[1, 32], pl.DT_FP32]")
    c = run(load, text, a, b, np.zeros((32, 32), np.float32), bias)
    np.testing.assert_array_equal(c, exact(a, b) + bias)


@pytest.mark.parametrize("arch", ARCHS)
def test_the_unit_flag(arch, load):
    a, b = values((32, 64)), values((64, 32), seed=1)
    body = """
pl.matmul(acc, left, right, phase=pl.AccPhase.Partial)
pl.matmul_acc(acc, acc, left, right, phase=pl.AccPhase.Final)
pl.store(c, acc, [0, 0], phase=pl.STPhase.Final)
"""
    c = run(load, product(arch, 32, 32, 64, body=body), a, b, np.zeros((32, 32), np.float32))
    np.testing.assert_array_equal(c, 2 * exact(a, b))


# Between the cores of a cluster, on the 950.

MIXED = """
@pl.jit
def kernel(a: pl.Tensor[[32, 64], pl.DT_FP16], b: pl.Tensor[[64, 64], pl.DT_FP16],
           c: pl.Tensor[[2, 32, 64], pl.DT_{out}]):
    vec = pl.TileType({shape}, pl.DT_{out})
    part = tile(vec, 0, 7)[0]
    with pl.section_cube():
        a_mat = tile(pl.TileType([32, 64], pl.DT_FP16, MAT), 0, 0)[0]
        b_mat = tile(pl.TileType([64, 64], pl.DT_FP16, MAT), 128 * KB, 1)[0]
        left = tile(pl.TileType([32, 64], pl.DT_FP16, LEFT), 0, 2)[0]
        right = tile(pl.TileType([64, 64], pl.DT_FP16, RIGHT), 0, 3)[0]
        acc = tile(pl.TileType([32, 64], pl.DT_FP32, ACC), 0, 4)[0]
        pl.load(a_mat, a, [0, 0])
        pl.load(b_mat, b, [0, 0])
        pl.move(left, a_mat)
        pl.move(right, b_mat)
        pl.matmul(acc, left, right)
        pl.move(part, acc, acc_to_vec_mode=pl.AccToVecMode.{mode})
        pl.system.set_cross_core(pipe=pl.PipeType.FIX, event_id=0)
    with pl.section_vector():
        pl.system.wait_cross_core(pipe=pl.PipeType.MTE3, event_id=0)
        if {condition}:
            pl.store(c, part, [pl.get_subblock_idx(), 0, 0])
"""


FIRST, SECOND = "pl.get_subblock_idx() == 0", "pl.get_subblock_idx() == 1"
PLACES = {
    "SingleModeVec0": ((32, 64), FIRST, lambda x: [x, None]),
    "SingleModeVec1": ((32, 64), SECOND, lambda x: [None, x]),
    "DualModeSplitM": ((16, 64), "True", lambda x: [x[:16], x[16:]]),
    "DualModeSplitN": ((32, 32), "True", lambda x: [x[:, :32], x[:, 32:]]),
}


@pytest.mark.parametrize("mode", PLACES)
@pytest.mark.parametrize("out", ["FP32", "FP16", "BF16"])
def test_an_accumulator_to_the_vector_cores(mode, out, load):
    shape, condition, parts = PLACES[mode]
    text = HEAD + MIXED.format(out=out, mode=mode, shape=list(shape), condition=condition)
    a, b = values((32, 64)), values((64, 64), seed=1)
    c = np.zeros((2, 32, 64), NUMPY[out])
    run(load, text, a, b, c)
    for core, part in enumerate(parts(exact(a, b).astype(NUMPY[out]))):
        found = c[core]
        if part is not None:
            np.testing.assert_array_equal(found[: shape[0], : shape[1]], part)
            found = found[shape[0] :]
        assert not found.any()


INSERT = """
@pl.jit
def kernel(a: pl.Tensor[[32, 64], pl.DT_FP16], b: pl.Tensor[[64, 32], pl.DT_FP16],
           c: pl.Tensor[[32, 32], pl.DT_FP32]):
    a_mat = tile(pl.TileType([32, 64], pl.DT_FP16, MAT), 0, 0)[0]
    with pl.section_vector():
        half = tile(pl.TileType([16, 64], pl.DT_FP16), 0, 5)[0]
        first = pl.get_subblock_idx() * 16
        pl.load(half, a, [first, 0])
        pl.{word}(a_mat, half, [first, 0])
        pl.system.set_cross_core(pipe=pl.PipeType.MTE3, event_id=0)
    with pl.section_cube():
        b_mat = tile(pl.TileType([64, 32], pl.DT_FP16, MAT), 128 * KB, 1)[0]
        left = tile(pl.TileType([32, 64], pl.DT_FP16, LEFT), 0, 2)[0]
        right = tile(pl.TileType([64, 32], pl.DT_FP16, RIGHT), 0, 3)[0]
        acc = tile(pl.TileType([32, 32], pl.DT_FP32, ACC), 0, 4)[0]
        pl.load(b_mat, b, [0, 0])
        pl.move(right, b_mat)
        pl.system.wait_cross_core(pipe=pl.PipeType.MTE1, event_id=0)
        pl.move(left, a_mat)
        pl.matmul(acc, left, right)
        pl.store(c, acc, [0, 0])
"""


@pytest.mark.parametrize("word", ["insert", "move"])
def test_the_vector_cores_write_into_mat(word, load):
    a, b = values((32, 64)), values((64, 32), seed=1)
    c = run(load, HEAD + INSERT.format(word=word), a, b, np.zeros((32, 32), np.float32))
    np.testing.assert_array_equal(c, exact(a, b))


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("dtype", ["BF16", "FP32", "INT8"])
@pytest.mark.parametrize("move", [True, False])
def test_what_is_transposed_in_other_types(arch, dtype, move, load):
    """By a move to Right, or by a load."""
    a, b = values((32, 64), dtype), values((64, 32), dtype, 1)
    t = values((32, 64), dtype, 2)
    kind, order = ("[32, 64], D, MAT", "") if move else ("[64, 32], D, MAT, layout=pl.ZN", "1, 0")
    body = f"""
t_mat = tile(pl.TileType({kind}), 256 * KB, 5)[0]
pl.load(t_mat, t, [0, 0]{f", order=[{order}]" if order else ""})
pl.system.bar_mte1()
pl.move(right, t_mat)
pl.matmul(acc, left, right)
pl.store(c, acc, [0, 0])
"""
    more = f", t: pl.Tensor[[32, 64], pl.DT_{dtype}]"
    out = SUMS[dtype]
    text = product(arch, 32, 32, 64, dtype, out=out, body=body, more=more, right="pass")
    c = run(load, text, a, b, np.zeros((32, 32), NUMPY[out]), t)
    np.testing.assert_array_equal(c, exact(a, t.T))
