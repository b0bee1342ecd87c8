# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Mistakes that one makes in kernels for cube and vector cores: each is one edit of an
example, which then computes the same on this machine or hangs, and is an error at the line
to blame."""

import numpy as np
import pypto_pro.language as pl
import pytest
from pypto.diagnostics.errors import CompileError, RunError
from test_pro_examples import EXAMPLES

TEXTS = {
    name: (EXAMPLES / f"{name}.py").read_text() for name in ("cube_vector", "flash_attention_score")
}
PRIME = """\
        for _ in pl.range(2):
            pl.system.set_cross_core(pipe=pl.PipeType.V, event_id=FREE)
"""
DRAIN = """\
        for _ in pl.range(2):
            pl.system.wait_cross_core(pipe=pl.PipeType.FIX, event_id=FREE)
"""
LOAD = "            pl.load(score, passed, [slot * TILE + mine, 0])\n"
FREE = "            pl.system.set_cross_core(pipe=pl.PipeType.MTE2, event_id=FREE)\n"
FLAG = "pl.system.sync_src(set_pipe=pl.PipeType.MTE2, wait_pipe=pl.PipeType.V, event_id=0)\n"

# Example, what is replaced, by what, the line to blame, words of the message.
MISTAKES = {
    "not primed": (
        "cube_vector", PRIME, "", "pl.system.wait_cross_core(pipe=pl.PipeType.FIX",
        "a signal that no core sends: the kernel hangs",
    ),
    "not drained": (
        "cube_vector", DRAIN, "", "pl.system.set_cross_core(pipe=pl.PipeType.V",
        "is still set when the kernel ends (2 unmatched)",
    ),
    "freed early": (
        "cube_vector", LOAD + FREE, FREE + LOAD, "pl.store(passed, acc",
        "which MTE2 of AIV 0 may still be reading",
    ),
    "another slot": (
        "cube_vector", "[slot * TILE + mine, 0])", "[mine, 0])", "pl.store(passed, acc",
        "which MTE2 of AIV 0 may still be reading",
    ),
    "flags beside mutexes on the 910B": (
        "cube_vector", LOAD, f"{LOAD}            {FLAG}", "pl.system.sync_src",
        "leave out the mutex_ids, or this and all other flags",
    ),
    "a mutex on the 910B": (
        "cube_vector", LOAD,
        f"{LOAD}            pl.system.mutex_lock(pipe=pl.PipeType.V, mutex_id=3)\n",
        "pl.system.mutex_lock", "only supported on A5",
    ),
    "a path of the 950": (
        "cube_vector", "pl.store(passed, acc, [slot * TILE, 0])",
        "pl.move(scores.next(), acc, acc_to_vec_mode=pl.AccToVecMode.DualModeSplitM)",
        "pl.move(scores.next(), acc", "unsupported data path src(Acc)->dst(Vec)",
    ),
    "no signal": (
        "flash_attention_score",
        "                    pl.system.set_cross_core(pipe=pl.PipeType.FIX, event_id=PRODUCT)\n",
        "", "pl.system.wait_cross_core", "a signal that no core sends",
    ),
    "no wait": (
        "flash_attention_score",
        "                    pl.system.wait_cross_core(pipe=pl.PipeType.V, event_id=SCORES)\n",
        "", "pl.mul(s, s, tiling.scale)", "which FIX of AIC may still be writing",
    ),
    "another pipe waits": (
        "flash_attention_score", "pipe=pl.PipeType.MTE1, event_id=PROB",
        "pipe=pl.PipeType.MTE2, event_id=PROB", "pl.move(p_left[0], p_mat.next())",
        "no cross-core flag makes MTE1 of AIC wait for it",
    ),
    "another pipe signals": (
        "flash_attention_score", "pipe=pl.PipeType.MTE3, event_id=PROB",
        "pipe=pl.PipeType.V, event_id=PROB", "pl.move(p_left[0], p_mat.next())",
        "which MTE3 of AIV 0 may still be writing",
    ),
    "one slot for the product": (
        "flash_attention_score", "type=o_type, addrs=[64 * KB, 96 * KB], depth=2",
        "type=o_type, addrs=64 * KB, depth=1", "pl.move(product.next(), acc",
        "put pl.system.bar_fix() between them",
    ),
    "one slot for the probabilities": (
        "flash_attention_score", "type=p_type, addrs=[192 * KB, 224 * KB], depth=2",
        "type=p_type, addrs=192 * KB, depth=1", "pl.move(p_left[0], p_mat.next())",
        "which MTE3 of AIV 0 may still be writing",
    ),
    "no mutex of an accumulator": (
        "flash_attention_score", "addrs=[0, 64 * KB], mutex_ids=[10, 11]",
        "addrs=[0, 64 * KB], depth=2", "pl.move(s_vec.next(), acc",
        "no flag makes FIX of AIC wait for it",
    ),
    "no mutex of the mask": (
        "flash_attention_score", "addrs=176 * KB, mutex_ids=[15]", "addrs=176 * KB, depth=1",
        "pl.add(s, s, mask_vec[0])", "no flag makes V of AIV 0 wait for it",
    ),
    "tiles that overlap": (
        "flash_attention_score", "addrs=176 * KB, mutex_ids=[15]",
        "addrs=160 * KB, mutex_ids=[15]", "pl.expands(o_vec, 0.0)",
        "which MTE2 of AIV 0 may still be writing",
    ),
    "both AIVs write the same rows": (
        "flash_attention_score", "p_vec[0], [first, 0])", "p_vec[0], [0, 0])",
        "pl.insert(p_mat.next()", "split the work between them by pl.get_subblock_idx()",
    ),
    "a signal of the chip's own": (
        "flash_attention_score", "PRODUCT = 0, 1, 2", "PRODUCT = 0, 11, 2",
        "pl.system.", "event_id 11 belongs to the chip",
    ),
    "beyond the array": (
        "flash_attention_score", "[bi, ki * S2TemplateType,", "[bi, (ki + 1) * S2TemplateType,",
        "pl.load(k_tile", "in dimension 1 it covers 512 to 639 of 0 to 511",
    ),
}  # fmt: skip


def run(name, module):
    if name == "cube_vector":
        module.main()
    else:
        names = ("query", "key", "value", "out")
        module.run(np.float16, dict.fromkeys(names, pl.DT_FP16), True)


@pytest.mark.parametrize("example, old, new, line, words", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake(load, example, old, new, line, words):
    assert old in TEXTS[example]
    text = TEXTS[example].replace(old, new)
    with pytest.raises((CompileError, RunError)) as caught:
        run(example, load(text))
    first = caught.value.diagnostics[0]
    assert text.splitlines()[first.line - 1].strip().startswith(line), str(caught.value)
    assert words in first.message
    assert "pto.block" not in str(caught.value)


def test_a_launch_that_failed_leaves_the_arrays(load):
    module = load(TEXTS["cube_vector"].replace(DRAIN, ""))
    out = np.full((1024, module.N), 7, np.float32)
    a, b = np.ones((1024, module.K), np.float16), np.ones((module.K, module.N), np.float16)
    with pytest.raises(RunError):
        module.fused[None, 3](a, b, out)
    assert (out == 7).all()
