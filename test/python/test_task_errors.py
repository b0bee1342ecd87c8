# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Each wrong program of the control plane is refused where it is wrong.

In a case's text `§` stands right before the place that the error names.
"""

import textwrap

import pypto
import pypto.language as pl
import pytest

X = "x: pl.Tensor[[64, 64], pl.FP32]"
OUT = "out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]"
ROWS = "r: pl.InOut[pl.Tensor[[256, 64], pl.FP32]]"
FLAGS = "flags: pl.Tensor[[8, 4], pl.INT32]"
HEAD = f"""\
import pypto.language as pl

@pl.jit.incore
def copy({X}, {OUT}):
    t = pl.load(x, [0, 0], [64, 64])
    pl.store(t, [0, 0], out)
    return out

@pl.jit.inline
def spliced({X}, {OUT}):
    copy(x, out)

"""


def entry(body, parameters=f"{X}, {OUT}, {ROWS}, {FLAGS}, n: pl.Scalar[pl.INDEX]"):
    body = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    ends = "" if "return" in body else "    copy(x, out)\n    copy(x, r[0:64, :])\n    return out\n"
    return f"@pl.jit\ndef entry({parameters}):\n{body}\n{ends}"


def kernel(body):
    body = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    return (
        f"@pl.jit.incore\ndef kernel({X}, {OUT}):\n{body}\n    out[:] = x\n\n"
        f"@pl.jit\ndef entry({X}, {OUT}):\n    kernel(x, out)\n    return out\n"
    )


AT = "with pl.at(level=pl.Level.CORE_GROUP{}):\n    out[:] = x"

CASES = {
    # deps=, predicate= and the other words.
    "a dep that is no task": (
        entry(AT.format(", deps=[§3]")),
        ["pl.at: deps= names tasks", "found 3"],
    ),
    "deps of an array of numbers": (
        entry("a = pl.array.create(2, pl.INT32)\n" + AT.format(", deps=§a")),
        ["deps= names tasks", "pl.array of 2 INT32"],
    ),
    "both results of submit as a dep": (
        entry("t = pl.submit(copy, x, out)\n" + AT.format(", deps=[§t]")),
        ["deps= names tasks", "`ret, tid = pl.submit(...)`"],
    ),
    "optimizations": (
        entry(AT.format(", optimizations=§[1]")),
        ["pl.at: optimizations= is not supported yet"],
    ),
    "dumps": (entry(AT.format(", dumps=§[x]")), ["pl.at: dumps= is not supported yet"]),
    "windowize": (entry(AT.format(", windowize=§True")), ["windowize= is not supported yet"]),
    "early resolve by a number": (
        entry(AT.format(", allow_early_resolve=§1")),
        ["allow_early_resolve= is True or False, found 1"],
    ),
    "no_dep_args of a number": (
        entry(AT.format(", no_dep_args=§[4]")),
        ["no_dep_args= lists arrays, found 4"],
    ),
    "no_dep_args that the region does not use": (
        entry(AT.format(", no_dep_args=[x, §r]")),
        ["no_dep_args= names 'r', which the region does not use; leave it out"],
    ),
    "no_dep_args of which the region uses a slice": (
        entry(
            "part = r[0:64, :]\n" + AT.format(", no_dep_args=[§r]").replace("= x", "= part"),
        ),
        ["'r', which the region does not use; it uses a slice of it", "name that"],
    ),
    "no_dep_args of which the region uses a choice": (
        entry(
            "z = out\nif n > 0:\n    z = x\n"
            + AT.format(", no_dep_args=[§x]").replace("= x", "= pl.add(z, 1.0)"),
        ),
        ["'x', which the region does not use; it uses an array that may be it", "name that"],
    ),
    "a name hint that is no string": (
        entry(AT.format(", name_hint=§4")),
        ["name_hint is a string, found 4"],
    ),
    "a level that is none": (
        entry("with pl.at(level=§2):\n    out[:] = x"),
        ["level is a member of pl.Level, found 2"],
    ),
    "a role that is none": (
        entry(AT.format(", role=§2")),
        ["role is a member of pl.Role, found 2"],
    ),
    "two task ids": (
        entry("with pl.at(level=pl.Level.CORE_GROUP) as §(a, b):\n    out[:] = x"),
        ["names one task id"],
    ),
    "a predicate that is no comparison": (
        entry("_, _ = pl.submit(copy, x, out, predicate=§flags[0, 0])"),
        ["predicate= compares an element of an array with a number", "found 'flags[0, 0]'"],
    ),
    "a predicate with a run-time number": (
        entry("_, _ = pl.submit(copy, x, out, predicate=§flags[0, 0] > n)"),
        ["predicate= compares an element of an array with a number"],
    ),
    "a predicate the wrong way round": (
        entry("_, _ = pl.submit(copy, x, out, predicate=§5 < flags[0, 0])"),
        ["predicate= compares an element of an array with a number"],
    ),
    "a predicate on a window": (
        entry("_, _ = pl.submit(copy, x, out, predicate=§flags[0:1, 0] > 3)"),
        ["predicate= compares an element"],
    ),
    "a predicate with too few indices": (
        entry("_, _ = pl.submit(copy, x, out, predicate=§flags[0] > 3)"),
        ["predicate= reads one element", "2 indices, found 1"],
    ),
    "a predicate beyond the array": (
        entry("_, _ = pl.submit(copy, x, out, predicate=flags[§8, 0] > 3)"),
        ["index 8 is not within 0 to 7"],
    ),
    "a predicate on floats": (
        entry("_, _ = pl.submit(copy, x, out, predicate=§x[0, 0] > 3)"),
        ["predicate= compares integers", "FP32"],
    ),
    # Submitting.
    "submit of nothing": (entry("§pl.submit()"), ["pl.submit takes a kernel and its arguments"]),
    "submit of no kernel": (
        entry("pl.submit(§x, out)"),
        ["pl.submit submits a kernel", "found [64, 64] FP32 array"],
    ),
    "submit of an inline function": (
        entry("pl.submit(§spliced, x, out)"),
        ["pl.submit submits a kernel", "inline function"],
    ),
    "spmd_submit without core_num": (
        entry("§pl.spmd_submit(copy, x, out)"),
        ["argument 'core_num' is missing", "core_num: int"],
    ),
    "an unknown keyword of submit": (
        entry("pl.submit(copy, x, out, depends=§[1])"),
        ["'copy' has no parameter 'depends'"],
    ),
    "no_dep by itself": (
        entry("y = pl.no_dep(§4)"),
        ["pl.no_dep takes an array, found 4"],
    ),
    "no_dep of a scalar parameter": (
        entry("copy(pl.no_dep(x), §pl.system.task_invalid())"),
        ["argument 'out' of 'copy' is an array, found a task id"],
    ),
    "a task id as a number": (
        entry("t = pl.system.task_invalid()\ncopy(x, r[§t:64, :])"),
        ["an offset is an integer, found a task id"],
    ),
    "a task id as a condition": (
        entry("t = pl.system.task_invalid()\nif §t:\n    copy(x, out)"),
        ["a condition is a scalar, found a task id"],
    ),
    "a task id crosses a function": (
        "@pl.jit.inline\ndef waits(t: §pl.TaskId):\n    pass\n\n"
        + entry("waits(pl.system.task_invalid())"),
        ["parameter 't': a task id does not cross a function boundary"],
    ),
    "an array of task ids crosses a function": (
        "@pl.jit.inline\ndef waits(t: §pl.Array[2, pl.TASK_ID]):\n    pass\n\n"
        + entry("waits(pl.array.create(2, pl.TASK_ID))"),
        ["parameter 't': a pl.array does not cross a function boundary"],
    ),
    # pl.spmd.
    "deps of spmd without its task": (
        entry("with pl.spmd(2, deps=§[]):\n    copy(x, out)"),
        ["deps= goes with the form that names its task", "as tid"],
    ),
    "deps of an spmd loop": (
        entry("for i in pl.spmd(2, deps=§[None]):\n    out[:] = x"),
        ["deps= goes with the form that names its task"],
    ),
    "no blocks": (entry("with pl.spmd(§0):\n    copy(x, out)"), ["at least one block, found 0"]),
    "blocks that are no integer": (
        entry("with pl.spmd(§2.5):\n    copy(x, out)"),
        ["the number of blocks of pl.spmd is an integer, found 2.5"],
    ),
    "blocks that do the same": (
        entry("with §pl.spmd(2):\n    out[:] = x"),
        ["one call of a kernel, or it reads pl.tile.get_block_idx()"],
    ),
    "a kernel in an spmd loop": (
        entry("for i in pl.spmd(2):\n    §copy(x, out)"),
        ["an in-core function cannot submit tasks", "`with pl.spmd(n):` around one call"],
    ),
    "optimizations of spmd": (
        entry("with pl.spmd(2, optimizations=§[1]):\n    copy(x, out)"),
        ["pl.spmd: optimizations= is not supported yet"],
    ),
    "spmd in a kernel": (
        kernel("for i in §pl.spmd(2):\n    pass"),
        ["an in-core function cannot submit tasks", "pl.spmd"],
    ),
    # pl.cluster and scopes.
    "an empty cluster": (entry("with §pl.cluster():\n    pass"), ["the cluster holds no kernel"]),
    "a loop in a cluster": (
        entry("with pl.cluster():\n    §for i in pl.range(2):\n        copy(x, out)"),
        ["a cluster holds calls of kernels"],
    ),
    "an inline function in a cluster": (
        entry("with pl.cluster():\n    §spliced(x, out)"),
        ["a cluster holds calls of kernels, and 'spliced' is an inline function"],
    ),
    "submit in a cluster": (
        entry("with pl.cluster():\n    §pl.submit(copy, x, out)"),
        ["pl.submit stands in a pl.cluster, which is one task"],
    ),
    "the task of a cluster in spmd": (
        entry("with pl.spmd(2):\n    with pl.cluster() as §t:\n        copy(x, out)"),
        ["the task is that of the pl.spmd around it"],
    ),
    "a scope with a mode that is none": (
        entry("with pl.scope(mode=§1):\n    copy(x, out)"),
        ["mode is a member of pl.ScopeMode, found 1"],
    ),
    "a scope as a task": (
        entry("with pl.manual_scope() as §t:\n    copy(x, out)"),
        ["a scope is no task"],
    ),
    "a scope in a kernel": (
        kernel("with §pl.manual_scope():\n    pass"),
        ["an in-core function cannot submit tasks"],
    ),
    "an unknown statement with": (
        entry("with §pl.range(2):\n    pass"),
        ["a kernel has with pl.at", "pl.manual_scope"],
    ),
    # pl.array.
    "an array of floats": (
        entry("a = pl.array.create(2, §pl.FP32)"),
        ["integers, pl.BOOL or pl.TASK_ID, found pl.FP32"],
    ),
    "an array of no known size": (
        entry("a = pl.array.create(§n, pl.INT32)"),
        ["a number known when the kernel is compiled"],
    ),
    "an index beyond a pl.array": (
        entry("a = pl.array.create(2, pl.INT32)\nb = a[§2]"),
        ["index 2 is not within 0 to 1"],
    ),
    "a task in an array of numbers": (
        entry("a = pl.array.create(2, pl.INT32)\n§a[0] = pl.system.task_invalid()"),
        ["'a' is a pl.array of 2 INT32", "puts a task id into it"],
    ),
    "a number in an array of tasks": (
        entry("a = pl.array.create(2, pl.TASK_ID)\n§a[0] = 4"),
        ["'a' is a pl.array of 2 TASK_ID", "puts 4 into it"],
    ),
    "an element of a pl.array in a region": (
        entry(
            """
            a = pl.array.create(2, pl.INDEX)
            with pl.at(level=pl.Level.CORE_GROUP):
                t = pl.load(x, [§a[0], 0], [64, 64])
                pl.store(t, [0, 0], out)
            """
        ),
        ["'a' is a pl.array of the control plane"],
    ),
    "a list of tasks that grows in a loop": (
        entry(
            """
            tids = []
            for i in pl.range(2):
                _, tid = pl.submit(copy, x, out)
                §tids = tids + [tid]
            with pl.at(level=pl.Level.CORE_GROUP, deps=tids):
                out[:] = x
            """
        ),
        ["rebinds 'tids'", "pl.array.create(n, pl.TASK_ID)"],
    ),
    "a small array annotated wrongly": (
        entry("a: §pl.Array[0, pl.INT32] = pl.array.create(1, pl.INT32)"),
        ["pl.Array[size, dtype]"],
    ),
    # Slices and elements.
    "overlapping windows": (
        entry("copy(r[0:64, :], §r[32:96, :])"),
        ["overlapping windows of one array as 'x' and as 'out'"],
    ),
    "overlapping windows in a loop": (
        entry("for i in pl.range(2):\n    copy(r[i:i + 64, :], §r[i + 32:i + 96, :])"),
        ["overlapping windows of one array"],
    ),
    "a window and its array": (
        "@pl.jit.incore\ndef both(r: pl.Tensor[[256, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64]"
        ", pl.FP32]]):\n    t = pl.load(r, [0, 0], [64, 64])\n    pl.store(t, [0, 0], out)\n\n"
        + entry("both(r, §r[0:64, :])"),
        ["overlapping windows of one array as 'r' and as 'out'"],
    ),
    "a window beyond the array": (
        entry("copy(§r[224:288, :], out)"),
        ["reaches from 224 to 288 in dimension 0", "ends at 256"],
    ),
    "an empty window": (entry("copy(r[§64:64, :], out)"), ["has no elements"]),
    "a window of unknown extent": (
        entry("copy(r[§0:n, :], out)"),
        ["how many elements a window has is known when the kernel is compiled"],
    ),
    "a window with a step": (entry("copy(r[0:128:§2, :], out)"), ["a window has no step"]),
    "a negative bound": (
        entry("copy(r[§-64:, :], out)"),
        ["a bound of a window counts from the beginning", "write 192"],
    ),
    "a column": (
        entry("copy(r[0:64, §3], out)"),
        ["an index behind a slice takes a column", "3:3 + 1"],
    ),
    "a window of another shape": (
        entry("copy(§r[0:32, :], out)"),
        ["argument 'x' of 'copy' is [64, 64] FP32 array, found [32, 64] FP32 array"],
    ),
    "too many subscripts": (
        entry("copy(§r[0:64, :, :], out)"),
        ["3 subscripts for [256, 64] FP32 array"],
    ),
    "a write to a read-only window": (
        entry("copy(out, §x[0:64, :])"),
        ["writes 'x', which is read-only here"],
    ),
    "a slice with an offset missing": (
        entry("copy(pl.slice(r, [64, 64], §[0]), out)"),
        ["has 2 dimensions, found 1"],
    ),
    "a slice with a valid shape": (
        entry("copy(pl.slice(r, [64, 64], [0, 0], §[32, 64]), out)"),
        ["pl.slice: valid_shape= is not supported yet"],
    ),
    "a slice that drops a long dimension": (
        entry("copy(pl.slice(r, [64, 64], [0, 0], drop_dims=§[0]), out)"),
        ["leaves out dimension 0, which has 64 elements"],
    ),
    "a window that is not rows at equal distance": (
        "@pl.jit.incore\ndef cube(x: pl.Tensor[[2, 32, 64], pl.FP32], " + OUT + "):\n    "
        "out[0:32, :] = x[0, 0:32, :]\n\n"
        + entry(
            "cube(§y[0:2, 0:32, :], out)",
            f"y: pl.Tensor[[4, 64, 64], pl.FP32], {X}, {OUT}, {ROWS}",
        ),
        ["is not rows at equal distance"],
    ),
    "an element beyond the array": (
        entry("for i in pl.range(flags[0, §4]):\n    copy(x, out)"),
        ["index 4 is not within 0 to 3"],
    ),
    "read with too few indices": (
        entry("for i in pl.range(pl.read(flags, §[0])):\n    copy(x, out)"),
        ["has 2 indices, found 1"],
    ),
    # Arrays that the run chooses.
    "a read-only array among those that are written": (
        entry(
            """
            a, b = x, pl.create_tensor([64, 64], pl.FP32)
            for i in pl.range(2):
                copy(a, §b)
                a, b = b, a
            """
        ),
        ["writes 'x', which is read-only here"],
    ),
    "a choice of a choice among which is a read-only array": (
        entry(
            """
            a, b = x, pl.create_tensor([64, 64], pl.FP32)
            for i in pl.range(2):
                copy(a, out)
                a, b = b, a
            if n > 0:
                z = a
            else:
                z = out
            copy(out, §z)
            """
        ),
        ["writes 'x', which is read-only here"],
    ),
    "a loop that swaps small arrays": (
        entry(
            """
            a, b = pl.array.create(2, pl.INT32), pl.array.create(2, pl.INT32)
            for i in pl.range(2):
                §a, b = b, a
                copy(x, r[a[0]:a[0] + 64, :])
            """
        ),
        ["'a' names 'a' before the loop and 'b' after an iteration", "copy element by element"],
    ),
    "a loop that swaps a parameter": (
        entry(
            """
            t = r[0:64, :]
            for i in pl.range(2):
                §r, t = t, r
            copy(x, out)
            """
        ),
        ["cannot reassign 'r' with a different type", "before the loop it is [256, 64] FP32"],
    ),
    "a parameter bound to another array": (
        entry("t = pl.create_tensor([256, 64], pl.FP32)\n§r, t = t, x"),
        ["'r' is an InOut parameter and this binds it to another array", "a name of its own"],
    ),
    "a wrong body of a loop that swaps": (
        entry(
            """
            a, b = pl.create_tensor([64, 64], pl.FP32), pl.create_tensor([64, 64], pl.FP32)
            tid = None
            for i in pl.range(2):
                copy(a, §c)
                a, b = b, a
                _, tid = pl.submit(copy, x, a, deps=[tid])
            copy(a, out)
            """
        ),
        ["name 'c' is not defined"],
    ),
    "a wrong body of a loop that names another slice": (
        entry(
            """
            a = r[0:64, :]
            for i in pl.range(1, 4):
                a = r[i * 64:(i + 1) * 64, :]
                copy(a, §c)
            copy(a, out)
            copy(x, r[0:64, :])
            """
        ),
        ["name 'c' is not defined"],
    ),
    "arrays of two shapes": (
        entry(
            """
            a = x
            for i in pl.range(2):
                copy(x, out)
                §a = r
            copy(a, out)
            """
        ),
        ["cannot reassign 'a' with a different type"],
    ),
    "arrays of two shapes in a branch": (
        entry("if n > 3:\n    a = x\nelse:\n    §a = r\ncopy(a, out)"),
        ["cannot reassign 'a' with a different type"],
    ),
    "a return of a chosen array beside manual tasks": (
        entry(
            """
            a, b = pl.create_tensor([64, 64], pl.FP32), pl.create_tensor([64, 64], pl.FP32)
            copy(x, r[0:64, :])
            copy(x, out)
            with pl.manual_scope():
                copy(x, a)
                for i in pl.range(3):
                    copy(a, b)
                    a, b = b, a
            §return a
            """
        ),
        ["known at run time only", "manual scope", "pl.Out parameter"],
    ),
    "a return of a number": (
        entry("copy(x, out)\ncopy(x, r[0:64, :])\n§return n"),
        ["a @pl.jit function returns arrays, found INDEX scalar"],
    ),
    "a return of an array that nothing writes": (
        entry(
            "copy(x, out)\ncopy(x, r[0:64, :])\na = pl.create_tensor([4, 64], pl.FP32)\n§return a"
        ),
        ["nothing writes 'a', which this returns", "'a' is made here"],
    ),
    # Flags between cores.
    "a flag on the control plane": (
        entry("§pl.system.sync_set(1, pipe=pl.PipeType.V)"),
        ["pl.system.sync_set is an operation of a core"],
    ),
    "a flag that there is not": (
        kernel("pl.system.sync_set(§11, pipe=pl.PipeType.V)"),
        ["event_id is 0 to 10, found 11"],
    ),
    "a flag known at run time only": (
        kernel("pl.system.sync_wait(§pl.tile.get_block_idx(), pipe=pl.PipeType.V)"),
        ["event_id is a number known when the kernel is compiled"],
    ),
    "a set on all pipes": (
        kernel("pl.system.sync_set(1, pipe=§pl.PipeType.ALL)"),
        ["pipe is one of pl.PipeType.{V, M, MTE1, MTE2, MTE3, FIX}", "pl.PipeType.ALL"],
    ),
    "a mode that there is not": (
        kernel("pl.system.sync_set(1, pipe=pl.PipeType.V, ffts_mode=§3)"),
        ["ffts_mode is 0 (all cores of a kind)", "found 3"],
    ),
    "a core type of a flag": (
        kernel("pl.system.sync_set(1, pipe=pl.PipeType.V, core_type=§'aiv')"),
        ["core_type= is not supported yet"],
    ),
    "all cores of both kinds": (
        kernel("pl.system.syncall(core_type=§'mix')"),
        ["core_type='mix' is not supported yet", "'aiv_only'"],
    ),
    "all cores by software": (
        kernel("pl.system.syncall(core_type='aiv_only', mode=§'soft')"),
        ["mode='soft' is not supported yet"],
    ),
    "the flag of syncall": (
        kernel(
            "pl.system.syncall(core_type='aiv_only')\npl.system.sync_wait(§10, pipe=pl.PipeType.V)"
        ),
        ["flag 10 is that of pl.system.syncall"],
    ),
    "a syncall after its flag": (
        kernel(
            "pl.system.sync_set(10, pipe=pl.PipeType.V)\n§pl.system.syncall(core_type='aiv_only')"
        ),
        ["pl.system.syncall takes flag 10, which this kernel sets itself"],
    ),
    "the rest of pl.system": (
        kernel("§pl.system.fence()"),
        ["pl.system.fence is not supported yet"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_refused(name, load):
    marked, words = CASES[name]
    module = load(HEAD + marked.replace("§", ""))
    line, column = place(marked)
    given = {"n": pl.RUNTIME} if "n: pl.Scalar" in marked else {}
    with pytest.raises(pypto.CompileError) as caught:
        module.entry.lower(**given)
    found = caught.value.diagnostics[0]
    shown = str(caught.value)
    assert (found.line, found.column) == (line, column), shown
    assert len(caught.value.diagnostics) == 1, shown
    for word in words:
        assert word in shown


def place(marked):
    before = (HEAD + marked).partition("§")[0]
    return before.count("\n") + 1, len(before) - before.rindex("\n")
