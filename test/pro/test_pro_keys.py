# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Fields of the tiling key in kernels: read as values, or fixed where they must be known."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from pypto.diagnostics.errors import PyptoError

HEAD = """import pypto_pro.language as pl
from pypto_pro.runtime.tilingkey import TilingKeyField


class Key:
    Fast = TilingKeyField(bits=1, values=[0, 1])
    Rows = TilingKeyField(bits=2, values=[16, 32])
    Mode = TilingKeyField(bits=2, values=[-1, 5, 9])


def scaled(fast, value):
    if fast == 1:
        return value * 2
    return value + Rows


"""
TAIL = "x: pl.Tensor[[64, 64], pl.DT_FP32], y: pl.Tensor[[64, 64], pl.DT_FP32]"


def kernel_of(load, body: str, parameters: str = TAIL):
    text = "".join("    " + line + "\n" for line in body.strip().splitlines())
    return load(f"{HEAD}@pl.jit(tiling_key=Key)\ndef kernel({parameters}):\n{text}").kernel


def fronts(kernel) -> dict:
    """The program of each key before all passes, by what is fixed in it."""
    return {key: front for key, front in kernel.programs._fronts.items() if front is not None}


def fixed_of(kernel) -> list[dict]:
    from pypto_pro.jit.programs import Front

    return [
        front.built.fixed for front in kernel.programs._fronts.values() if isinstance(front, Front)
    ]


@pytest.mark.filterwarnings("ignore:kernel 'kernel' does not read")
def test_values_alone_make_one_program_for_all_keys(load):
    kernel = kernel_of(
        load,
        """
total = Mode
for i in pl.range(0, Rows):
    if Fast == 1 and Mode in (5, i):
        total = total + i * Rows
    total = scaled(Fast, total) if Mode > 0 else -total
    while total > Rows * 100:
        total = total // 2
""",
    )
    texts = {kernel.as_mlir(key=key) for key in kernel.keys()}
    assert len(texts) == 1
    (text,) = texts
    assert "func.func @kernel(" in text and "pto.fixed" not in text
    for field in ("Fast", "Rows", "Mode"):
        assert text.count(f'pto.block.read_key @Key, "{field}"') == 1
    assert fixed_of(kernel) == [{}]


TILES = """
t = pl.make_tile_group(type=pl.TileType([Rows, 64], pl.DT_FP32), addrs=[0], mutex_ids=[0])
for i in pl.range(0, 64, Rows):
    a = t.next()
    pl.load(a, x, [i, 0])
    if Fast == 1:
        pl.add(a, a, 1.0)
    elif Mode == 9:
        pl.mul(a, a, 3.0)
    pl.store(y, a, [i, 0])
"""


def test_a_shape_makes_its_field_structural(load):
    kernel = kernel_of(load, TILES)
    texts = {kernel.as_mlir(key=key) for key in kernel.keys()}
    assert len(texts) == 2
    assert fixed_of(kernel) == [{"Rows": 16}, {"Rows": 32}]
    text = kernel.as_mlir(key={"Fast": 1, "Rows": 32, "Mode": 5})
    assert "func.func @kernel__Rows_32(" in text
    assert "pto.fixed = {Rows = 32 : i64}" in text and 'pto.template_of = "kernel"' in text
    x = np.arange(64 * 64, dtype=np.float32).reshape(64, 64)
    for key in kernel.keys():
        y = np.zeros_like(x)
        kernel[None, 1, key](x, y)
        wanted = x + 1 if key["Fast"] else x * 3 if key["Mode"] == 9 else x
        np.testing.assert_array_equal(y, wanted)
    assert kernel.check_all_keys() == 12


DECIDED = [
    # An arithmetic expression of fields alone.
    ("t = pl.TileType([Rows // 2, 64 + Fast * 8], pl.DT_FP32)", {"Rows", "Fast"}),
    ("if pl.constexpr(Mode == 9):\n    pass", {"Mode"}),
    ("d = pl.DT_FP32\nif Mode == 5:\n    d = pl.DT_FP16\nt = pl.TileType([16, 64], d)", {"Mode"}),
    ("if Fast == 1:\n    pl.nonsense(x)", {"Fast"}),
    ("if Rows > 16:\n    if Fast == 1:\n        z = nothing", {"Fast"}),
    ("n = (1, 2)[Fast]", {"Fast"}),
]


@pytest.mark.filterwarnings("ignore:kernel 'kernel' does not read")
@pytest.mark.parametrize("body, fields", DECIDED, ids=[item[0][:30] for item in DECIDED])
def test_what_makes_a_field_structural(load, body, fields):
    kernel = kernel_of(load, body)
    key = {"Fast": 0, "Rows": 16, "Mode": -1}
    kernel.as_mlir(key=key)
    assert fixed_of(kernel) == [{name: key[name] for name in key if name in fields}]


def test_an_arm_that_no_key_can_build_is_an_error_of_those_keys(load):
    kernel = kernel_of(load, "r = Rows + Mode\nif Fast == 1:\n    pl.nonsense(x)")
    kernel.as_mlir(key={"Fast": 0, "Rows": 16, "Mode": 9})
    with pytest.raises(PyptoError, match="pl has no 'nonsense'"):
        kernel.as_mlir(key={"Fast": 1, "Rows": 16, "Mode": 9})
    with pytest.raises(PyptoError) as caught:
        kernel.check_all_keys()
    (found,) = caught.value.diagnostics
    assert found.notes[-1].message.startswith("for 6 of 12 keys, the first is {'Fast': 1")


def test_a_field_that_nothing_reads_is_a_warning_once(load):
    kernel = kernel_of(load, "r = Rows + Fast")
    with pytest.warns(UserWarning, match="does not read Mode of the tiling key Key") as found:
        for key in kernel.keys():
            kernel.as_mlir(key=key)
    assert len(found) == 1 and found[0].filename.endswith(".py")


def test_a_field_that_is_valid_fixes_is_no_warning(load):
    text = HEAD.replace(
        "\n\n\ndef scaled",
        "\n\n    def is_valid(self, key):\n        return key[2] == 9\n\n\ndef scaled",
    )
    text += f"@pl.jit(tiling_key=Key)\ndef kernel({TAIL}):\n    r = Rows + Fast\n"
    kernel = load(text).kernel
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel.as_mlir(key={"Fast": 0, "Rows": 16, "Mode": 9})


def test_a_changed_constant_of_the_module_is_seen(load):
    text = (
        "import pypto_pro.language as pl\n\nROWS = 16\n\n\n@pl.jit\ndef kernel(n: pl.DT_INT64):\n"
    )
    module = load(
        text + "    t = pl.make_tile(pl.TileType([ROWS, 64], pl.DT_FP32), addr=0)\n"
        "    pl.expands(t, 1.0)\n"
    )
    assert "!pto.buf<16x64xf32" in module.kernel.as_mlir()
    module.ROWS = 32
    assert "!pto.buf<32x64xf32" in module.kernel.as_mlir()


def test_decode_and_keys(load):
    kernel = kernel_of(load, "pass")
    keys = kernel.keys()
    assert len(keys) == 12 and keys[0] == {"Fast": 0, "Rows": 16, "Mode": -1}
    assert [kernel.decode(kernel.schema.pack(key)) for key in keys] == list(keys)


def test_many_programs_are_a_warning_once(load):
    text = HEAD.replace("values=[-1, 5, 9]", "values=range(70)").replace(
        "Mode = TilingKeyField(bits=2", "Mode = TilingKeyField(bits=7"
    )
    text += "@pl.jit(tiling_key=Key)\ndef kernel(n: pl.DT_INT64):\n    r = Rows + Fast + Mode\n"
    kernel = load(text).kernel
    with pytest.warns(UserWarning, match="has been compiled 65 times") as found:
        for key in kernel.keys()[:70]:
            kernel[None, 1, key](3)
    assert len(found) == 1


def test_the_keys_of_all_cores_and_of_one_agree(load, monkeypatch):
    from pypto_pro.jit import every_key

    kernel = kernel_of(load, TILES)
    errors = kernel_of(load, "r = Rows + Mode\nif Fast == 1:\n    pl.nonsense(x)")
    texts = []
    for forks in (True, False):
        monkeypatch.setattr(every_key, "_can_fork", lambda forks=forks: forks)
        assert kernel.check_all_keys() == 12
        with pytest.raises(PyptoError) as caught:
            errors.check_all_keys()
        texts.append(str(caught.value))
    assert texts[0] == texts[1]


# Python that gives 16 for Fast = 1, else 8, as `r`.
CHOSEN = {
    "if": "r = 8\nif Fast == 1:\n    r = 16",
    "else": "if Fast == 1:\n    r = 16\nelse:\n    r = 8",
    "ternary": "r = 16 if Fast == 1 else 8",
    "nested": "r = 8\nif Fast == 1:\n    r = 15\n    if Mode == 5:\n        r = r + Fast",
    "helper": "r = 16 * scaled(Fast, 1) // 32 if Fast == 0 else scaled(Fast, 8)",
}


@pytest.mark.parametrize("lines", CHOSEN.values(), ids=CHOSEN)
def test_what_a_condition_on_a_field_chooses_is_known(load, lines):
    tile = "t = pl.make_tile(pl.TileType([r, 64], pl.DT_FP32), addr=r * 64)\npl.expands(t, 0.0)"
    kernel = kernel_of(load, f"{lines}\n{tile}")
    for fast, rows in ((0, 8), (1, 16)):
        text = kernel.as_mlir(key={"Fast": fast, "Rows": 16, "Mode": 5})
        assert f"!pto.buf<{rows}x64xf32" in text and f"addrs = array<i64: {rows * 64}>" in text


def test_what_the_program_chooses_is_not_known(load):
    lines = "r = 8\nif pl.get_block_idx() == Fast:\n    r = 16"
    kernel = kernel_of(load, f"{lines}\nt = pl.make_tile(pl.TileType([r, 64], pl.DT_FP32), addr=0)")
    with pytest.raises(PyptoError, match="the shape of a tile must be known at compile time"):
        kernel.as_mlir(key={"Fast": 0, "Rows": 16, "Mode": 5})


def test_a_name_that_only_the_chosen_branch_binds(load):
    kernel = kernel_of(load, "if Fast == 1:\n    r = 3\nfor i in pl.range(r):\n    pass")
    assert "pto.fixed = {Fast = 1" in kernel.as_mlir(key={"Fast": 1, "Rows": 16, "Mode": 5})
    with pytest.raises(PyptoError, match="'r' has no value here for a tilingkey with Fast = 0"):
        kernel.as_mlir(key={"Fast": 0, "Rows": 16, "Mode": 5})


def test_the_threads_of_numpy_leave_all_cores_in_use(load, monkeypatch):
    import concurrent.futures
    import os
    import threading

    if threading.active_count() > 1 or len(os.sched_getaffinity(0)) == 1:
        pytest.skip("other threads, or one core")
    np.ones((600, 600)) @ np.ones((600, 600))
    pools = []

    class Pool(concurrent.futures.ProcessPoolExecutor):
        def __init__(self, *args, **kwargs):
            pools.append(args)
            super().__init__(*args, **kwargs)

    monkeypatch.setattr(concurrent.futures, "ProcessPoolExecutor", Pool)
    assert kernel_of(load, TILES).check_all_keys() == 12
    assert len(pools) == 1
