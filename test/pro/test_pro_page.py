# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The tiling-key page: each of its code blocks, verbatim and with the `# ...` bodies filled.

page_blocks.txt holds the blocks byte for byte.
"""

import re
import textwrap
from pathlib import Path

import numpy as np
import page_keys
import pytest

HERE = Path(__file__).parent
SEED = Path("/work/shared/seeds/tilingkey.md")
EXAMPLES = HERE.parents[1] / "examples" / "pro"
_FOUND = re.findall(r"^=== (\w+)\n(.*?)\n(?==== |\Z)", (HERE / "page_blocks.txt").read_text(), re.M | re.S)  # fmt: skip  # noqa: E501
BLOCKS = dict(_FOUND)

# The page's `# ...`, as real work: row ki of k and row qi of q are added to row qi of out.
WORK = """\
            rows = pl.TileType([1, BlockM], pl.DT_FP16)
            kt = pl.make_tile_group(type=rows, addrs=0, mutex_ids=[0])
            qt = pl.make_tile_group(type=rows, addrs=256, mutex_ids=[1])
            pl.load(kt[0], pl.make_tensor(k, [32, BlockM]), [ki, 0])
            pl.load(qt[0], pl.make_tensor(q, [32, BlockM]), [qi, 0])
            pl.add(kt[0], kt[0], qt[0])
            pl.store(pl.make_tensor(out, [32, BlockM]), kt[0], [qi, 0],
                     atomic=pl.AtomicType.AtomicAdd)
"""


def page(*names):
    return "\n\n".join(BLOCKS[name] for name in names) + "\n"


def filled():
    """The page's kernel with work in its loop."""
    empty = "            # ...\n            pass"
    text = page("imports", "AttentionKey", "attention_kernel")
    assert empty in text
    return text.replace(empty, WORK.rstrip())


def small(rng, *shape):
    """Small whole numbers, whose sums FP16 holds exactly."""
    return rng.integers(0, 3, shape).astype(np.float16)


def test_the_fixture_is_the_page():
    if not SEED.exists():
        pytest.skip("the page is not on this machine")
    text = SEED.read_text(encoding="utf-8")
    assert len(BLOCKS) == 12
    missing = [name for name, block in BLOCKS.items() if block not in text]
    assert not missing
    # Nothing on the page that looks like code is left out.
    rest = text
    for block in sorted(BLOCKS.values(), key=len, reverse=True):
        rest = rest.replace(block, "")
    code = re.compile(r"^(\s*(import|from|class|def|for|if|return) |@pl|\w+ = |    pl\.|\w+\[)", re.M)  # fmt: skip  # noqa: E501
    assert not [line for line in rest.splitlines() if code.match(line)]


# Verbatim.


def test_imports_and_declarations(load):
    module = load(page("imports", "AttentionKey", "MaskKey"))
    from pypto_pro.runtime.tilingkey import TilingKeySchema

    schema = TilingKeySchema(module.MaskKey)
    # The page's table: actual value, index, field bits.
    assert schema.pack({"NeedAttnMask": 1}) == 0 and schema.pack({"NeedAttnMask": 0}) == 1
    assert schema.decode(1) == {"NeedAttnMask": 0}


def test_sparse_values_as_the_page_says():
    from pypto_pro.runtime.tilingkey import TilingKeyField, TilingKeySchema

    key = type("K", (), {"Template": TilingKeyField(bits=3, values=[16, 64, 128])})
    schema = TilingKeySchema(key)
    assert [schema.pack({"Template": value}) for value in (16, 64, 128)] == [0, 1, 2]


def test_the_minimal_example(load):
    """As it stands on the page; x is what the page leaves to the reader."""
    text = page("minimal")
    before, launch = text.rsplit("\n\n\n", 1)
    module = load(
        f"{before}\n\n\nimport numpy\nx = numpy.arange(8, dtype=numpy.float16)\n{launch}\n"
    )
    np.testing.assert_array_equal(module.x, np.arange(8))


def test_the_kernel_and_its_launch(load):
    module = load(
        page("imports", "AttentionKey", "attention_kernel")
        + "import numpy\nnum_cores = 2\n"
        + "q, k, out = (numpy.ones((32, 128), numpy.float16) for _ in range(3))\n"
        + page("launch")
    )
    np.testing.assert_array_equal(module.out, np.ones((32, 128)))


def test_a_launch_with_a_datatype(load):
    kernel = BLOCKS["attention_kernel"].replace(
        "tiling_key=AttentionKey", 'tiling_key=AttentionKey, datatype={"q": "dt", "k": "dt"}'
    )
    module = load(
        page("imports", "AttentionKey")
        + kernel
        + "\n\nimport numpy\nnum_cores = 2\n"
        + "q, k, out = (numpy.ones((32, 128), numpy.float16) for _ in range(3))\n"
        + 'key = {"HasAtten": 1, "BlockM": 128}\n'
        + 'datatype = {"q": pl.DT_FP16, "k": pl.DT_FP16}\n'
        + page("launch_datatype")
    )
    assert module.attention_kernel is not None


class Rest:
    """The page writes `...` where further arguments go: what it stands for."""

    def __init__(self, kernel, *rest):
        self.kernel, self.rest = kernel, rest

    def __getitem__(self, launch):
        def call(*args):
            assert args[-1] is Ellipsis
            return self.kernel[launch](*args[:-1], *self.rest)

        return call


@pytest.fixture(scope="module")
def example():
    """The module of the flash attention example."""
    import importlib.util

    path = EXAMPLES / "flash_attention_score.py"
    spec = importlib.util.spec_from_file_location("flash_attention_score", path)
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules[spec.name] = module  # dataclasses look there
    spec.loader.exec_module(module)
    return module


def test_the_fields_of_flash_attention(example):
    kernel = example.flash_attention_score
    assert [(f.name, f.bits, list(f.values)) for f in kernel.schema.fields] == [
        (name, bits, values) for name, bits, values, _ in page_keys.FA_FIELDS
    ]
    assert kernel.schema.bits == 63
    assert list(kernel.schema.valid_keys()) == page_keys.FA_KEYS


def test_packed_codes(example):
    schema = example.flash_attention_score.schema
    assert [schema.pack_values(key) for key in page_keys.FA_KEYS] == page_keys.FA_CODES


def test_both_loops_hold_the_lines_of_the_page():
    text = (EXAMPLES / "flash_attention_score.py").read_text()
    assert text.count(textwrap.indent(BLOCKS["causal_skv"], " " * 12)) == 2
    base_key = textwrap.indent(BLOCKS["base_key"], " " * 4).strip()
    assert base_key in text


@pytest.mark.parametrize("dtype", ["FP16", "BF16"])
def test_the_two_launches_of_flash_attention(example, dtype):
    import ml_dtypes
    import pypto_pro.language as pl

    numpy_type, limit = (np.float16, 2e-3) if dtype == "FP16" else (ml_dtypes.bfloat16, 2e-2)
    rng = np.random.default_rng(1)
    query, key, value = (rng.standard_normal((2, 512, 4, 128)).astype(numpy_type) for _ in range(3))
    mask = np.triu(np.full((128, 128), -1e30, np.float32), 1)
    tiling = example.OpTiling(batch=2, heads=4, s1=512, s2=512, scale=128**-0.5)
    for launch, causal in [("launch_causal", True), ("launch_full", False)]:
        out = np.zeros_like(query)
        names = {
            "flash_attention_score": Rest(example.flash_attention_score, mask, out, tiling),
            "datatype": dict.fromkeys(("query", "key", "value", "out"), getattr(pl, f"DT_{dtype}")),
            "actual_num_cores": 8,
            **{"query": query, "key": key, "value": value},
        }
        exec(page("base_key", launch), names)
        expected = example.attention(query, key, value, tiling.scale, causal)
        np.testing.assert_allclose(out.astype(np.float32), expected, rtol=0, atol=limit)


def test_binary_delivery(example):
    names = {"flash_attention_score": example.flash_attention_score}
    exec(page("headers"), names)
    folder = Path(names["binary_dir"])
    header = (folder / "FaTilingKey_tilingkey.h").read_text()
    assert header.count("ASCENDC_TPL_ARGS_DECL(flash_attention_score,") == 1
    assert header.count("ASCENDC_TPL_ARGS_SEL(") == 2  # the two valid combinations
    assert "ASCENDC_TPL_UINT_SEL(PseMode, ASCENDC_TPL_UI_LIST, 9)" in header
    assert (folder / "OpTiling_tiling.h").exists()
    for code in page_keys.FA_CODES:
        [source] = folder.glob(f"*{code:x}*.cpp")
        assert "__aicore__" in source.read_text()


# With the bodies filled.


@pytest.mark.parametrize("has_atten, block_m", [(0, 64), (0, 128), (1, 128)])
def test_the_kernel_with_work(load, has_atten, block_m):
    module = load(filled())
    rng = np.random.default_rng(0)
    q, k = small(rng, 32, block_m), small(rng, 32, block_m)
    out = np.zeros((32, block_m), np.float16)
    module.attention_kernel[None, 1, {"HasAtten": has_atten, "BlockM": block_m}](q, k, out)
    count = np.arange(1, 33) if has_atten else np.full(32, 32)
    expected = np.stack([k[:n].sum(axis=0) + n * row for n, row in zip(count, q, strict=True)])
    np.testing.assert_array_equal(out, expected)


def test_the_minimal_example_with_work(load):
    text = BLOCKS["minimal"].rsplit("\n\n\n", 1)[0]
    rows = (
        "    rows = pl.TileType([1, 64], pl.DT_FP16)\n"
        "    tile = pl.make_tile_group(type=rows, addrs=0, mutex_ids=[0])\n"
        "    t = pl.make_tensor(x, [8, 64])\n"
        "    factor = 3.0\n"
    )
    text = text.replace("    if UseFastPath", f"{rows}    if UseFastPath")
    fast, loop = "    # 编译期常量\n        pass", "(0, 8):\n        pass"
    assert fast in text and loop in text
    text = text.replace(fast, "    # 编译期常量\n        factor = 2.0").replace(
        loop,
        "(0, 8):\n        pl.load(tile[0], t, [i, 0])\n        pl.mul(tile[0], tile[0], factor)\n"
        "        pl.store(t, tile[0], [i, 0])",
    )
    module = load(text)
    for fast, factor in [(1, 2), (0, 3)]:
        x = np.arange(8 * 64, dtype=np.float16).reshape(8, 64) / 8
        want = x * np.float16(factor)
        module.kernel[None, 1, {"UseFastPath": fast}](x)
        np.testing.assert_array_equal(x, want)


def test_a_kernel_without_a_section_is_a_vector_kernel(load):
    module = load(filled())
    key = {"HasAtten": 0, "BlockM": 64}
    text = module.attention_kernel.as_mlir(key=key)
    assert "pto.kind = #pto.kind<aiv>" in text and "pto.block.section" not in text


# What the page forbids at the launch.


@pytest.fixture
def attention(load):
    module = load(filled())
    arrays = [np.zeros((32, 128), np.float16) for _ in range(3)]
    return lambda *launch: module.attention_kernel[launch](*arrays), module, arrays


KEY = {"HasAtten": 1, "BlockM": 128}


@pytest.mark.parametrize(
    "key, words",
    [
        ({"HasAtten": 1}, "do not match schema fields ['BlockM', 'HasAtten']"),
        ({**KEY, "Extra": 0}, "do not match schema fields"),
        ({"hasAtten": 1, "BlockM": 128}, "do not match schema fields"),
        ({"HasAtten": 1, "BlockM": 1}, "'BlockM' value 1 is not a candidate; allowed: [64, 128]"),
        ({"HasAtten": 1, "BlockM": 32}, "'BlockM' value 32 is not a candidate"),
        ({"HasAtten": 1, "BlockM": 64}, "did not pass AttentionKey.is_valid"),
        ([1, 128], "tilingkey must be specified as a dict, got list"),
        ((1, 128), "tilingkey must be specified as a dict, got tuple"),
        ({"HasAtten": True, "BlockM": 128}, "'HasAtten' value True is not a candidate"),
    ],
    ids=["missing", "extra", "case", "index", "value", "invalid", "list", "tuple", "True"],
)
def test_a_key_that_does_not_fit(attention, key, words):
    launch, module, arrays = attention
    with pytest.raises(ValueError) as caught:
        launch(None, 1, key)
    assert words in str(caught.value)


def test_numpy_integers_are_accepted(attention):
    launch, module, arrays = attention
    launch(None, 1, {"HasAtten": np.int64(1), "BlockM": np.uint8(128)})


def test_a_direct_call(attention):
    _, module, arrays = attention
    with pytest.raises(ValueError, match="cannot be called directly; use bracket-launch syntax"):
        module.attention_kernel(*arrays)


@pytest.mark.parametrize("launch", [(1,), (None, 1), (None, 1, KEY, {}, {})])
def test_a_launch_without_its_key(attention, launch):
    call, *_ = attention
    words = r"Expected kernel\[stream, block_dim, tilingkey\]"
    with pytest.raises(ValueError, match=words):
        call(*launch)


def test_is_valid_that_raises(load):
    text = filled().replace(
        "        return has_atten == 0 or block_m == 128",
        "        raise LookupError('no such template')",
    )
    module = load(text)
    arrays = [np.zeros((32, 128), np.float16) for _ in range(3)]
    with pytest.raises((LookupError, ValueError), match="no such template"):
        module.attention_kernel[None, 1, KEY](*arrays)
