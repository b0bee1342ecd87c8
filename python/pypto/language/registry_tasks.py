# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The part of the registry that says what runs where, and after what."""

from __future__ import annotations

from . import registry_loops

# A kernel that the examples share; each of them is a whole program.
_SQUARE = """\
@pl.jit.incore
def square(x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
    t = pl.load(x, [0, 0], [64, 64])
    pl.store(pl.mul(t, t), [0, 0], out)
    return out

"""
_ENTRY = "def entry(x: pl.Tensor[[{0}], pl.FP32], out: pl.Out[pl.Tensor[[{0}], pl.FP32]]):\n"


def example(body: str, shape: str = "128, 64", kernel: str = _SQUARE) -> str:
    lines = "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    return f"{kernel}@pl.jit\n{_ENTRY.format(shape)}{lines}    return out\n"


# A cube core and its two vector cores.
_CLUSTER = """\
@pl.jit.incore
def product(x: pl.Tensor[[64, 64], pl.FP16], work: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
    t = pl.load(x, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
    pl.store(pl.matmul(t, t), [0, 0], work)
    pl.system.sync_set(3, pipe=pl.PipeType.FIX)
    return work

@pl.jit.incore
def halves(work: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
    row = pl.tile.get_subblock_idx() * 32
    pl.system.sync_wait(3, pipe=pl.PipeType.MTE2)
    t = pl.load(work, [row, 0], [32, 64])
    pl.store(pl.relu(t), [row, 0], out)
    return out

@pl.jit
def entry(x: pl.Tensor[[64, 64], pl.FP16], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
    work = pl.create_tensor([64, 64], pl.FP32)
    with pl.cluster():
        product(x, work)
        halves(work, out)
    return out
"""

_TASK_WORDS = "deps: Sequence[Any] | None = None, "


def declare(add, constructs: dict) -> None:
    """Declares the constructs and operations of the control plane by `add`."""
    registry_loops.declare(add, constructs, example)
    _regions(add, constructs)
    _submitting(add)
    _task_ids(add)
    _between_cores(add)


def _regions(add, constructs: dict) -> None:
    add(
        "at",
        "`with pl.at(level=pl.Level.CORE_GROUP) as tid:` the body is one task on a core group. "
        "`deps=` are tasks that are done before: task ids, pl.array of them, lists of both; None "
        "is no task. `no_dep_args=` are arrays that the body uses, and which take no part in the "
        "order that is derived; a slice that it uses is named itself. "
        "Other levels are built and printed; running them is an error.",
        {
            "": "(level: Level, role: Role | None = None, *, "
            "optimizations: Sequence[Any] | None = None, "
            + _TASK_WORDS
            + "no_dep_args: Sequence[Any] | None = None, "
            "dumps: Sequence[Any] | None = None, allow_early_resolve: bool = False, "
            "name_hint: str | None = None, windowize: bool = False) -> ContextManager[Any]"
        },
        table=constructs,
        example=example(
            """
with pl.at(level=pl.Level.CORE_GROUP, name_hint="first") as tid:
    t = pl.load(x, [0, 0], [64, 64])
    pl.store(t, [0, 0], out)
with pl.at(level=pl.Level.CORE_GROUP, deps=[tid]):
    t = pl.load(x, [64, 0], [64, 64])
    pl.store(t, [64, 0], out)
""",
            kernel="",
        ),
    )
    add(
        "spmd",
        "One task on several blocks. `for i in pl.spmd(n):` runs its body in each, i being the "
        "number of the block; `with pl.spmd(n):` around one call launches that kernel, and "
        "around other code it is a body that reads pl.tile.get_block_idx(). `with pl.spmd(n) as "
        "tid:` names the task, and takes `deps=`. n is a positive integer or a scalar. "
        "`predicate=` is `array[index] OP number`, read when the tasks in front are done.",
        {
            "": "(core_num: int | Scalar, *, sync_start: bool = False, "
            "name_hint: str | None = None, optimizations: Sequence[Any] | None = None, "
            + _TASK_WORDS
            + "allow_early_resolve: bool = False, predicate: bool | None = None)"
            " -> Any"
        },
        table=constructs,
        example=example(
            """
for i in pl.spmd(2):
    t = pl.load(x, [i * 64, 0], [64, 64])
    pl.store(pl.mul(t, t), [i * 64, 0], out)
""",
            kernel="",
        ),
    )
    add(
        "cluster",
        "`with pl.cluster():` around a call of a kernel of the cube core and one of a kernel of "
        "the vector cores: one task, in which the AIC of a cluster runs the one and each of its "
        "AIVs the other, at the same time. Only flags between cores (pl.system.sync_set, "
        "sync_wait) order them. `deps=` and `as tid` are those of pl.at; `with pl.spmd(n):` around "
        "one pl.cluster runs n of them.",
        {
            "": "(*, name_hint: str | None = None, deps: Sequence[Any] | None = None)"
            " -> ContextManager[Any]"
        },
        table=constructs,
        example=_CLUSTER,
    )
    add(
        "scope",
        "`with pl.scope(mode=pl.ScopeMode.MANUAL):` no order is derived from or to the tasks "
        "inside; they wait for their deps= only. AUTO derives it, as outside of every scope.",
        {"": "(*, mode: ScopeMode) -> ContextManager[None]"},
        table=constructs,
        example=example(
            """
with pl.scope(mode=pl.ScopeMode.AUTO):
    square(x, out)
""",
            "64, 64",
        ),
    )
    add(
        "manual_scope",
        "The same as `pl.scope(mode=pl.ScopeMode.MANUAL)`.",
        {"": "() -> ContextManager[None]"},
        table=constructs,
        example=example(
            """
tmp = pl.create_tensor([64, 64], pl.FP32)
with pl.manual_scope():
    _, first = pl.submit(square, x, tmp)
    _, second = pl.submit(square, tmp, out, deps=[first])
""",
            "64, 64",
        ),
    )


def _submitting(add) -> None:
    words = (
        _TASK_WORDS + "dumps: Sequence[Any] | None = None, allow_early_resolve: bool = False, "
        "predicate: bool | None = None) -> tuple[Any, Any]"
    )
    add(
        "submit",
        "`ret, tid = pl.submit(self.kernel, *args, deps=[...])` runs a kernel as a task; `ret` is "
        "what the kernel returns, `tid` its task id. The kernel's own keywords may be among the "
        "arguments.",
        {"": "(kernel: Any, *args: Any, " + words},
        build="tasks.submit",
        plane="control",
        reads_itself=True,
        example=example(
            """
tmp = pl.create_tensor([64, 64], pl.FP32)
tmp, first = pl.submit(square, x, tmp)
out, second = pl.submit(square, tmp, out, deps=[first])
""",
            "64, 64",
        ),
    )
    add(
        "spmd_submit",
        "`ret, tid = pl.spmd_submit(self.kernel, *args, core_num=n)` runs a kernel on n blocks.",
        {
            "": "(kernel: Any, *args: Any, core_num: int | Scalar, sync_start: bool = False, "
            + words
        },
        build="tasks.submit",
        plane="control",
        reads_itself=True,
        example=example(
            """
_, tid = pl.spmd_submit(square, x, out, core_num=2)
""",
            kernel=_SQUARE.replace("[64, 64], pl.FP32]", "[128, 64], pl.FP32]").replace(
                "[0, 0]", "[pl.tile.get_block_idx() * 64, 0]"
            ),
        ),
    )
    add(
        "no_dep",
        "`square(pl.no_dep(x), out)`: an array that takes no part in the order that is derived "
        "for this task. It stands as an argument of a kernel only.",
        {"": "(tensor: Tensor) -> Tensor", "tensor": "(tensor: Tensor) -> Tensor"},
        build="tasks.no_dep",
        plane="control",
        example=example("square(pl.no_dep(x), out)", "64, 64"),
    )


def _task_ids(add) -> None:
    add(
        "task_invalid",
        "The task id of no task; waiting for it is waiting for nothing.",
        {"system": "() -> Scalar"},
        build="tasks.task_invalid",
        plane="control",
        example=example(
            """
tid = pl.system.task_invalid()
_, tid = pl.submit(square, x, out, deps=[tid])
""",
            "64, 64",
        ),
    )
    add(
        "task_dummy",
        "A task that does nothing and is done when those of deps= are.",
        {"system": "(*, deps: Sequence[Any] | None) -> Scalar"},
        build="tasks.task_dummy",
        plane="control",
        example=example("""
_, a = pl.submit(square, x[0:64, :], out[0:64, :])
_, b = pl.submit(square, x[64:128, :], out[64:128, :])
both = pl.system.task_dummy(deps=[a, b])
"""),
    )
    add(
        "array.create",
        "A small array of n integers (zeros), booleans (False) or task ids (of no task) on the "
        "control plane. `a[i]` is an element, `a[i] = v` changes it, in loops and branches too; "
        "in deps= the whole array means all its tasks. n is a known number; an index may be a "
        "scalar. It does not cross the boundary of a function.",
        {"array": "(size: int, dtype: DataType) -> Any"},
        build="cells.create",
        plane="control",
        example=example("""
tids = pl.array.create(2, pl.TASK_ID)
for i in pl.range(2):
    _, tids[i] = pl.submit(square, x[i * 64:(i + 1) * 64, :], out[i * 64:(i + 1) * 64, :])
done = pl.system.task_dummy(deps=[tids])
"""),
    )
    add(
        "array.get_element",
        "The same as `array[index]`.",
        {"array": "(array: Any, index: int | Scalar) -> Scalar"},
        build="cells.get",
        plane="control",
    )
    add(
        "array.update_element",
        "The same as `array[index] = value`; gives the array.",
        {"array": "(array: Any, index: int | Scalar, value: Any) -> Any"},
        build="cells.set_",
        plane="control",
    )


def _between_cores(add) -> None:
    wait = ", core_type: str | None = None) -> None"
    add(
        "sync_set",
        "Tells other cores that all earlier instructions of `pipe`, and all earlier writes of "
        "arrays, are done: counter `event_id` (0 to 10) of theirs goes up by one. `ffts_mode` 2, "
        "the default, is an AIC and its AIVs, 1 the two AIVs of a cluster, 0 all cores of this "
        "kind (and tells of earlier reads too). In a kernel.",
        {"system": "(event_id: int, *, pipe: PipeType, ffts_mode: int | None = None" + wait},
        build="cores.sync_set",
        example=_CLUSTER,
    )
    add(
        "sync_wait",
        "Waits until counter `event_id` is not zero, and takes one from it; everything after this "
        "begins then. `ffts_mode` is that of the set; a set of the same function says it.",
        {"system": "(event_id: int, *, pipe: PipeType, ffts_mode: int | None = None" + wait},
        build="cores.sync_wait",
        example=_CLUSTER,
    )
    add(
        "syncall",
        "All blocks of a kernel wait for each other, and see what all of them have written. "
        "`core_type` is 'aiv_only' or 'aic_only', as the kernel is; a kernel of both kinds and the "
        "'soft' mode are not supported yet. Takes flag 10.",
        {
            "system": "(*, core_type: str = 'mix', mode: str = 'hard', "
            "gm_workspace: Tensor | None = None, used_cores: int | Scalar | None = None) -> None"
        },
        build="cores.syncall",
        example=example(
            """
work = pl.create_tensor([128, 64], pl.FP32)
with pl.spmd(2, sync_start=True):
    swap(x, work, out)
""",
            kernel="""\
@pl.jit.incore
def swap(
    x: pl.Tensor[[128, 64], pl.FP32],
    work: pl.InOut[pl.Tensor[[128, 64], pl.FP32]],
    out: pl.Out[pl.Tensor[[128, 64], pl.FP32]],
):
    row = pl.tile.get_block_idx() * 64
    pl.store(pl.load(x, [row, 0], [64, 64]), [row, 0], work)
    pl.system.syncall(core_type="aiv_only")
    pl.store(pl.load(work, [64 - row, 0], [64, 64]), [row, 0], out)

""",
        ),
    )


NAMES = {
    "system": """set_ffts sync_src sync_dst bar_v bar_m bar_all fence cacheinvalid tpush_to_aiv
        tpush_to_aic tfree_to_aic tfree_to_aiv tpop_from_aic tpop_from_aiv reserve_buffer
        import_peer_buffer available_cluster_count available_aiv_count""",
    "array": "",
}
