# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Keys in the IR: one function before `pto-specialize-tiling-key`, a clone a key after it."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from pypto.ir.program import Passes
from test_pro_page import EXAMPLES, filled

MODE = """\
import pypto_pro.language as pl
from pypto_pro.runtime.tilingkey import TilingKeyField


class Key:
    HasAtten = TilingKeyField(bits=1, values=[1, 0])
    Rounds = TilingKeyField(bits=8, values=[2, 5, 900])


@pl.jit(tiling_key=Key)
def kernel(x: pl.Ptr[pl.DT_FP32]):
    t = pl.make_tile_group(type=pl.TileType([8, 64], pl.DT_FP32), addrs=0, mutex_ids=[0])
    array = pl.make_tensor(x, [8, 64])
    pl.load(t[0], array, [0, 0])
    for i in pl.range(Rounds):
        if HasAtten == 1:
            pl.add(t[0], t[0], 1.0)
        else:
            pl.mul(t[0], t[0], 2.0)
    pl.store(array, t[0], [0, 0])
"""
FIRST, SECOND = {"HasAtten": 1, "Rounds": 5}, {"HasAtten": 0, "Rounds": 2}


NAME = "flash_attention_score"


def functions(text):
    return re.findall(r"func\.func @(\w+)", text)


def opt(text, *flags):
    command = ["pypto-opt", "--mlir-print-debuginfo", "--mlir-use-nameloc-as-prefix", *flags, "-"]
    return subprocess.run(command, check=True, capture_output=True, text=True, input=text).stdout


def test_one_function_for_both_keys(load):
    kernel = load(MODE).kernel
    first, second = kernel.as_mlir(key=FIRST), kernel.as_mlir(key=SECOND)
    assert first == second
    assert functions(first) == ["kernel", "kernel_entry"]
    assert first.count('pto.block.read_key @Key, "HasAtten"') == 1
    assert first.count('pto.block.read_key @Key, "Rounds"') == 1
    assert "scf.if" in first and "pto.schema = @Key" in first


def test_a_clone_for_each_key(load):
    text = load(MODE).kernel.as_mlir(key=FIRST)
    made = opt(text, "--pto-specialize-tiling-key=keys=HasAtten=1,Rounds=5;HasAtten=0,Rounds=2")
    assert sorted(functions(made)) == sorted(
        ["kernel_0x2", "kernel_0x2_entry", "kernel_0x1", "kernel_0x1_entry"]
    )
    for word in ("read_key", "tiling_key @", "scf.if", "arith.select", "arith.cmpi", "pto.schema"):
        assert word not in made, word
    assert made.count("pto.tile.add") == 1 and made.count("pto.tile.mul") == 1


def test_opt_makes_the_module_of_the_jit(load, tmp_path):
    """From the first dump with one flag, and from it through all passes."""
    kernel = load(MODE).kernel
    compiled = kernel.compile(key=FIRST, dump_passes=True)
    dumps = sorted(Path(compiled.output_dir, "passes_dump").glob("*.mlir"))
    keys = "HasAtten=1,Rounds=5"
    flags = []
    for before, after in zip(dumps, dumps[1:], strict=False):
        flag = "--" + re.fullmatch(r"\d\d_after_(.*)\.mlir", after.name)[1]
        if flag == "--pto-specialize-tiling-key":
            flag += f"=keys={keys}"
        flags.append(flag)
        assert opt(before.read_text(), flag) == after.read_text(), after.name
    assert any("specialize" in flag for flag in flags)
    assert opt(dumps[0].read_text(), *flags) == dumps[-1].read_text()
    assert Passes.pipeline("950", keys) is not None


def test_both_keys_run(load):
    kernel = load(MODE).kernel
    x = np.ones((8, 64), np.float32)
    kernel[None, 1, FIRST](x)
    assert (x == 6).all()
    kernel[None, 1, SECOND](x)
    assert (x == 24).all()


def test_a_field_that_decides_a_shape_makes_templates(load):
    kernel = load(filled()).attention_kernel
    texts = [
        kernel.as_mlir(key={"HasAtten": atten, "BlockM": m})
        for atten, m in [(0, 64), (0, 128), (1, 128)]
    ]
    assert texts[1] == texts[2] != texts[0]
    for text, m in zip(texts, (64, 128, 128), strict=True):
        assert (
            f"pto.fixed = {{BlockM = {m}" in text and 'pto.template_of = "attention_kernel"' in text
        )
        assert (
            'read_key @AttentionKey, "HasAtten"' in text
            and '"BlockM"' not in text.split("func.func")[1]
        )


@pytest.fixture(scope="module")
def flash():
    path = EXAMPLES / "flash_attention_score.py"
    spec = importlib.util.spec_from_file_location("flash_attention_in_ir", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.flash_attention_score


@pytest.fixture(scope="module")
def flash_texts(flash):
    import pypto_pro.language as pl

    datatype = dict.fromkeys(("query", "key", "value", "out"), pl.DT_FP16)
    causal, full = (flash.schema.as_dict(key) for key in reversed(flash.schema.valid_keys()))
    return [flash.as_mlir(key=key, datatype=datatype) for key in (causal, full)], (causal, full)


def test_flash_attention_is_one_function(flash_texts):
    (causal, full), _ = flash_texts
    assert causal == full
    assert len(functions(causal)) == 2
    assert 'read_key @FaTilingKey, "HasAtten"' in causal


def test_flash_attention_becomes_two(flash_texts):
    (text, _), keys = flash_texts
    listed = ";".join(",".join(f"{k}={v}" for k, v in key.items()) for key in keys)
    made = opt(text, f"--pto-specialize-tiling-key=keys={listed}")
    assert len(functions(made)) == 4
    assert "read_key" not in made and "tiling_key @" not in made
    # The mask is a matter of the causal one only.
    causal, full = (
        next(body for body in made.split("func.func @") if body.startswith(f"{NAME}_{code}("))
        for code in ("0x2150070070100310", "0x2050070070100310")
    )
    for word in ("pto.tile.load", "pto.tile.add ", "scf.if"):
        assert causal.count(word) == full.count(word) + 1, word
