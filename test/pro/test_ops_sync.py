# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Order between pipes and cores, core numbers, and what a kernel prints. A missing or wrong
signal is what the model finds."""

import numpy as np
import pypto
import pytest

HEAD = """
import pypto_pro.language as pl

KB = 1024
V, S, MTE2, MTE3 = pl.PipeType.V, pl.PipeType.S, pl.PipeType.MTE2, pl.PipeType.MTE3
X = pl.Tensor[[64, 64], pl.DT_FP32]


def signal(one, other, number):
    pl.system.sync_src(set_pipe=one, wait_pipe=other, event_id=number)


def wait(one, other, number):
    pl.system.sync_dst(set_pipe=one, wait_pipe=other, event_id=number)

"""


def kernel(body, arch="a5", parameters="x: X, z: X"):
    lines = "\n".join("    " + line for line in body.strip("\n").splitlines())
    return HEAD + (
        f'@pl.jit(arch="{arch}", auto_mutex=False)\ndef kernel({parameters}):\n'
        "    a = pl.make_tile(pl.TileType([16, 64], pl.DT_FP32), addr=0)\n"
        "    b = pl.make_tile(pl.TileType([16, 64], pl.DT_FP32), addr=4 * KB)\n" + lines + "\n"
    )


def arrays():
    x = np.random.default_rng(0).standard_normal((64, 64)).astype(np.float32)
    return x, np.zeros_like(x)


LOOP = """
signal(V, MTE2, 0)
signal(MTE3, V, 1)
for i in pl.range(4):
    wait(V, MTE2, 0)
    pl.load(a, x, [i * 16, 0])
    signal(MTE2, V, 2)
    wait(MTE2, V, 2)
    wait(MTE3, V, 1)
    pl.mul(b, a, 2.0)
    signal(V, MTE2, 0)
    signal(V, MTE3, 3)
    wait(V, MTE3, 3)
    pl.store(z, b, [i * 16, 0])
    signal(MTE3, V, 1)
wait(V, MTE2, 0)
wait(MTE3, V, 1)
"""


@pytest.mark.parametrize("arch", ["a5", "a3"])
def test_flags_of_the_author(arch, load):
    x, z = arrays()
    load(kernel(LOOP, arch)).kernel[None, 1](x, z)
    np.testing.assert_array_equal(z, 2 * x)


def without(text, line):
    assert line in text
    return text.replace(line, "", 1)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        # Not primed: the first iteration waits for what nobody has set.
        (without(LOOP, "signal(V, MTE2, 0)\n"), ["flag", "V", "MTE2"]),
        # Set twice.
        (LOOP.replace("signal(MTE2, V, 2)", "signal(MTE2, V, 2)\n    signal(MTE2, V, 2)"), ["set"]),
        # Waited for twice.
        (LOOP.replace("wait(MTE2, V, 2)", "wait(MTE2, V, 2)\n    wait(MTE2, V, 2)"), ["wait"]),
        # The pair the other way round.
        (LOOP.replace("wait(MTE2, V, 2)", "wait(V, MTE2, 2)"), ["V", "MTE2"]),
        # Another id.
        (LOOP.replace("wait(V, MTE3, 3)", "wait(V, MTE3, 4)"), ["V", "MTE3"]),
        # No signal at all: a race.
        (LOOP.replace("signal(V, MTE3, 3)\n    wait(V, MTE3, 3)", "pass"), ["store", "mul"]),
    ],
    ids=["unprimed", "set twice", "waited twice", "pair", "id", "race"],
)
def test_a_wrong_signal_is_found(body, words, load):
    with pytest.raises(pypto.RunError) as error:
        load(kernel(body)).kernel[None, 1](*arrays())
    shown = str(error.value).lower()
    assert all(word.lower() in shown for word in words), shown
    assert error.value.diagnostics[0].line > 1


def test_barriers_of_pipes(load):
    body = """
pl.load(a, x, [0, 0])
pl.system.bar_mte2()
pl.load(a, x, [16, 0])
pl.system.bar_all()
pl.mul(b, a, 2.0)
pl.system.bar_all()
pl.store(z, b, [0, 0])
pl.system.bar_mte3()
"""
    x, z = arrays()
    load(kernel(body)).kernel[None, 1](x, z)
    np.testing.assert_array_equal(z[:16], 2 * x[16:32])


def test_locks_of_the_author(load):
    body = """
for i in pl.range(4):
    pl.mutex.mutex_lock(pipe=MTE2, mutex_id=5)
    pl.load(a, x, [i * 16, 0])
    pl.mutex.mutex_unlock(pipe=MTE2, mutex_id=5)
    pl.system.mutex_lock(pipe=MTE3, mutex_id=5)
    pl.store(z, a, [i * 16, 0])
    pl.system.mutex_unlock(pipe=MTE3, mutex_id=5)
"""
    x, z = arrays()
    load(kernel(body)).kernel[None, 1](x, z)
    np.testing.assert_array_equal(z, x)


# Between cores.


@pytest.mark.parametrize("arch", ["a5", "a3"])
@pytest.mark.parametrize(
    "barrier",
    [
        "pl.system.sync_all(core_type=pl.SyncCoreType.AIV_ONLY)",
        "MODE = pl.CrossCoreSyncMode.INTER_BLOCK\n"
        "pl.system.set_cross_core(pipe=MTE3, event_id=2, sync_mode=MODE)\n"
        "pl.system.wait_cross_core(pipe=MTE2, event_id=2, sync_mode=MODE)",
    ],
    ids=["sync_all", "inter_block"],
)
def test_blocks_wait_for_each_other(arch, barrier, load):
    # Each block reads what its neighbour wrote.
    body = (
        """
block = pl.get_block_idx()
pl.load(a, x, [block * 16, 0])
signal(MTE2, MTE3, 0)
wait(MTE2, MTE3, 0)
pl.store(work, a, [block * 16, 0])
"""
        + barrier
        + """
signal(MTE3, MTE2, 0)
wait(MTE3, MTE2, 0)
pl.load(b, work, [(block + 1) % pl.get_block_num() * 16, 0])
signal(MTE2, MTE3, 1)
wait(MTE2, MTE3, 1)
pl.store(z, b, [block * 16, 0])
"""
    )
    x, z = arrays()
    text = kernel(body, arch, "x: X, work: X, z: X")
    load(text).kernel[None, 4](x, np.zeros_like(x), z)
    np.testing.assert_array_equal(z, np.roll(x, -16, axis=0))


def test_the_numbers_of_cores(load):
    # Two AIVs a cluster in a mixed kernel, which count one by one. A cache line is 64 bytes.
    text = (
        HEAD
        + """
@pl.jit
def mixed(z: pl.Tensor[[8, 16], pl.DT_INT32], c: pl.Tensor[[4, 16], pl.DT_INT32]):
    with pl.section_vector():
        core = pl.get_block_idx()
        z[core, 0] = core
        z[core, 1] = pl.get_block_num()
        z[core, 2] = pl.get_subblock_idx()
        z[core, 3] = pl.get_subblock_num()
        pl.system.dcci(z, [core, 0])
    with pl.section_cube():
        core = pl.get_block_idx()
        c[core, 0] = core
        c[core, 1] = pl.get_block_num()
        c[core, 2] = pl.get_subblock_idx()
        c[core, 3] = pl.get_subblock_num()
        pl.system.dcci(c, [core, 0])


@pl.jit
def vector(z: pl.Tensor[[4, 16], pl.DT_INT32]):
    core = pl.get_block_idx()
    z[core, 0] = core
    z[core, 1] = pl.get_block_num()
    z[core, 2] = pl.get_subblock_idx()
    z[core, 3] = pl.get_subblock_num()
    pl.system.dcci(z, [core, 0])
"""
    )
    module = load(text)
    z, c = np.zeros((8, 16), np.int32), np.zeros((4, 16), np.int32)
    module.mixed[None, 4](z, c)
    np.testing.assert_array_equal(z[:, :4], [[core, 4, core % 2, 2] for core in range(8)])
    np.testing.assert_array_equal(c[:, :4], [[core, 4, 0, 1] for core in range(4)])
    z = np.zeros((4, 16), np.int32)
    module.vector[None, 4](z)
    np.testing.assert_array_equal(z[:, :4], [[core, 4, 0, 1] for core in range(4)])


# What is seen from outside.


def test_printing(load, capfd):
    body = """
for i in pl.range(2):
    pl.printf("row %d of %u: %f 100%%\\n", i, 4, f)
    pl.pto_assert(i < 1, "row %d is not first\\n", i)
pl.pto_assert(f > 100.0)
pl.pto_assert(True, "never\\n")
pl.printf("here\\n", loc=True)
"""
    module = load(kernel(body, parameters="f: pl.DT_FP32, x: X"))
    module.kernel[None, 1](1.5, arrays()[0])
    shown = capfd.readouterr().out
    lines = [line.split("] ")[-1] for line in shown.splitlines()]
    assert "row 0 of 4: 1.500000 100%" in shown and "row 1 of 4: 1.500000 100%" in shown
    assert "row 1 is not first" in shown and "row 0 is not first" not in shown
    assert "assertion failed: f > 100.0" in shown and "never" not in shown
    assert any(line.endswith("here") and ".py:" in line for line in lines), shown


def test_a_dump(load, capfd):
    body = """
pl.load(a, x, [0, 0])
pl.system.bar_all()
pl.dump_data(a, [0, 0], [1, 2])
pl.dump_data(x, [1, 2], [1, 3])
"""
    x, z = arrays()
    x[0, :2], x[1, 2:5] = (123, 456), (7, 8, 9)
    load(kernel(body)).kernel[None, 1](x, z)
    shown = capfd.readouterr().out
    for word in ("a", "123", "456", "x", "7", "8", "9"):
        assert word in shown, shown


def test_a_trap(load):
    with pytest.raises(pypto.RunError) as error:
        load(kernel("if x.shape[0] == 64:\n    pl.trap()")).kernel[None, 1](*arrays())
    assert "trap" in str(error.value)
