# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The two programs of the programming-model page, word for word, and what the page says of them."""

import pathlib
import re

import numpy as np
import pypto
import pypto.language as pl  # noqa: F401  (the page's programs import it themselves)
import pytest

pytestmark = pytest.mark.usefixtures("platform")

LEVELS = """\
import pypto.language as pl

@pl.jit.incore
def square_tensor(
    x: pl.Tensor[[128, 128], pl.FP32],
    out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
):
    # 张量级：命名整个数组。放置与搬运是编译器的事。
    out[:] = pl.mul(x, x)
    return out

@pl.jit.incore
def square_tile(
    x: pl.Tensor[[128, 128], pl.FP32],
    out: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
):
    # Tile 级：命名片上缓冲区，数据由你自己搬。
    t = pl.load(x, [0, 0], [128, 128])
    y = pl.mul(t, t)
    pl.store(y, [0, 0], out)
    return out

@pl.jit
def levels(
    x: pl.Tensor[[128, 128], pl.FP32],
    out_t: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    out_k: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
):
    # 控制面：不做计算，只派发。
    out_t = square_tensor(x, out_t)
    out_k = square_tile(x, out_k)
    return out_t, out_k
"""

MM = """\
import pypto.language as pl

@pl.jit.incore
def mm(
    a: pl.Tensor[[32, 32], pl.FP16],
    b: pl.Tensor[[32, 32], pl.FP16],
    out: pl.Out[pl.Tensor[[32, 32], pl.FP32]],
):
    a_l1 = pl.load(a, [0, 0], [32, 32], target_memory=pl.Mem.Mat)
    b_l1 = pl.load(b, [0, 0], [32, 32], target_memory=pl.Mem.Mat)
    a_l0a = pl.move(a_l1, target_memory=pl.Mem.Left)
    b_l0b = pl.move(b_l1, target_memory=pl.Mem.Right)
    c_acc = pl.matmul(a_l0a, b_l0b)      # 落在 Acc
    pl.store(c_acc, [0, 0], out)         # Acc -> DDR
    return out

@pl.jit
def entry(a: pl.Tensor, b: pl.Tensor, out: pl.Out[pl.Tensor]):
    out = mm(a, b, out)
    return out
"""


def f32(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def test_levels_equals_numpy(load):
    levels = load(LEVELS).levels
    x = f32(128, 128)
    out_t, out_k = np.zeros_like(x), np.zeros_like(x)
    returned = levels(x, out_t, out_k)
    assert returned[0] is out_t and returned[1] is out_k
    np.testing.assert_array_equal(out_t, x * x)
    np.testing.assert_array_equal(out_k, x * x)


def test_levels_with_torch(load):
    torch = pytest.importorskip("torch")
    levels = load(LEVELS).levels
    x = torch.randn(128, 128)
    out_t, out_k = torch.zeros_like(x), torch.zeros_like(x)
    assert levels(x, out_t, out_k)[1] is out_k
    assert torch.equal(out_t, x * x) and torch.equal(out_k, x * x)


def test_levels_writes_two_kernels(load):
    levels = load(LEVELS).levels
    x = f32(128, 128)
    compiled = levels.compile(x, x.copy(), x.copy())
    written = {str(p.relative_to(compiled.output_dir)) for p in compiled.files}
    assert written == {
        "kernels/aiv/square_tensor.cpp",
        "kernels/aiv/square_tile.cpp",
        "orchestration/levels.cpp",
        "orchestration/pto_tasks.h",
    }
    for path in compiled.files:
        assert path.read_text()
    assert "square_tile" in str(compiled.memory)


def bodies(text):
    """The functions of a module by name, each without its names."""
    found = {}
    for part in re.split(r"(?m)^  func\.func ", text)[1:]:
        name = re.match(r"@(\w+)", part)[1]
        part = re.sub(r' \{pto\.reason = "[^"]*"\}', "", part)  # reasons speak of names
        found[name] = re.sub(r"[@%]\w+", "", part)
    return found


def test_both_levels_become_one_kernel(load):
    final = bodies(str(load(LEVELS).levels.lower()))
    assert final["square_tensor"] == final["square_tile"]


def test_dumps(load):
    levels = load(LEVELS).levels
    compiled = levels.compile(dump_passes=True)
    dumps = sorted(p.name for p in pathlib.Path(compiled.output_dir, "passes_dump").iterdir())
    assert dumps[0] == "00_frontend.mlir" and dumps[2] == "02_after_pto-inline.mlir"
    assert len(dumps) > 10 and not any("verify-level" in name for name in dumps)


def product(kernel, shape=(32, 32, 32), dtype=np.float16):
    m, k, n = shape
    a, b = f32(m, k).astype(dtype), f32(k, n).astype(dtype)
    out = np.zeros((m, n), np.float32)
    kernel(a, b, out)
    wide = [array.astype(np.float64) for array in (a, b)]
    bound = k * np.finfo(np.float32).eps * (np.abs(wide[0]) @ np.abs(wide[1]))
    assert (np.abs(out - wide[0] @ wide[1]) <= bound).all()


WITHOUT_MOVES = re.sub(r"(?m)^.*pl\.move.*\n", "", MM).replace("_l0a, b_l0b", "_l1, b_l1")
TENSOR = re.sub(r"(?s)    a_l1 = .*?(?=    return out\n\n)", "    out[:] = pl.matmul(a, b)\n", MM)


def resized(text, shape):
    m, k, n = shape
    for old, new in (
        ("a: pl.Tensor[[32, 32]", f"a: pl.Tensor[[{m}, {k}]"),
        ("b: pl.Tensor[[32, 32]", f"b: pl.Tensor[[{k}, {n}]"),
        ("out: pl.Out[pl.Tensor[[32, 32]", f"out: pl.Out[pl.Tensor[[{m}, {n}]"),
        ("pl.load(a, [0, 0], [32, 32]", f"pl.load(a, [0, 0], [{m}, {k}]"),
        ("pl.load(b, [0, 0], [32, 32]", f"pl.load(b, [0, 0], [{k}, {n}]"),
    ):
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize("text", [MM, WITHOUT_MOVES, TENSOR], ids=["moves", "no moves", "tensor"])
@pytest.mark.parametrize("shape", [(32, 32, 32), (48, 80, 112)], ids=str)
def test_mm_equals_numpy(load, text, shape):
    product(load(resized(text, shape)).entry, shape)


def test_mm_in_bf16(load):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    product(load(MM.replace("FP16", "BF16")).entry, dtype=ml_dtypes.bfloat16)


def test_the_three_give_one_chain(load):
    finals = []
    for text in (MM, WITHOUT_MOVES, TENSOR):
        x = np.zeros((32, 32), np.float16)
        text = str(load(text).entry.lower(x, x.copy(), np.zeros((32, 32), np.float32)))
        finals.append(re.sub(r' \{pto\.reason = "[^"]*"\}', "", bodies(text)["mm"]))
    assert finals[0] == finals[1] == finals[2]


def test_a_vec_operand_needs_a_mixed_kernel(load):
    text = MM.replace("target_memory=pl.Mem.Mat", "target_memory=pl.Mem.Vec")
    text = re.sub(r"(?m)^.*pl\.move.*\n", "", text).replace("_l0a, b_l0b", "_l1, b_l1")
    x = np.zeros((32, 32), np.float16)
    with pytest.raises(pypto.CompileError, match="mixed kernel"):
        load(text).entry(x, x.copy(), np.zeros((32, 32), np.float32))
