# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What the front end makes of right programs."""

import re

import numpy as np
import pypto
import pypto.language as pl
import pytest
from pypto.jit import driver

FP32 = pl.Tensor[[128, 128], pl.FP32]


def frontend(function, *args):
    """The module before all passes, as text."""
    return str(driver.specialise(function, args, {}).program)


def count(text, word):
    return len(re.findall(rf"\b{re.escape(word)}\b", text))


def entry_of(kernel):
    """An entry that dispatches a kernel of (x, out)."""

    @pl.jit
    def entry(x: FP32, out: pl.Out[FP32]):
        out = kernel(x, out)
        return out

    return entry


# Loops.


def test_a_loop_carries_what_it_rebinds():
    @pl.jit.incore
    def kernel(x: FP32, out: pl.Out[FP32]):
        acc = pl.load(x, [0, 0], [32, 128])
        unused = pl.load(x, [0, 0], [32, 128])
        for i in pl.range(32, 128, 32):
            unused = pl.load(x, [i, 0], [32, 128])
            acc = pl.add(acc, unused)
        pl.store(acc, [0, 0], out)
        return out

    text = frontend(entry_of(kernel))
    # acc alone: unused is made anew in each iteration and nobody reads it after.
    assert re.search(r"iter_args\(%acc_\d = %acc\) -> \(!pto.tile<32x128xf32>\)", text)
    # The load that begins the carry takes the space of what the loop makes.
    assert "%acc = pto.tile.load %x[0, 0] : tensor<128x128xf32> -> !pto.tile<32x128xf32>" in text
    assert count(text, "scf.yield") == 1


def test_a_loop_that_may_not_run_carries_what_is_read_after():
    @pl.jit.incore
    def kernel(x: FP32, out: pl.Out[FP32]):
        t = pl.load(x, [0, 0], [32, 128])
        for i in pl.range(0, pl.tile.get_block_idx()):
            t = pl.load(x, [i, 0], [32, 128])
        pl.store(t, [0, 0], out)
        return out

    text = frontend(entry_of(kernel))
    assert re.search(r"iter_args\(%t_\d = %t\) -> \(!pto.tile<32x128xf32>\)", text)


def test_swapped_values_are_carried():
    @pl.jit.incore
    def kernel(x: FP32, out: pl.Out[FP32]):
        a = pl.load(x, [0, 0], [32, 128])
        b = pl.load(x, [32, 0], [32, 128])
        for _ in pl.range(3):
            a, b = b, a
        pl.store(a, [0, 0], out)
        return out

    text = frontend(entry_of(kernel))
    match = re.search(r"iter_args\((%\w+) = %a, (%\w+) = %b\)", text)
    assert match and f"scf.yield {match[2]}, {match[1]}" in text


def test_nested_loops_carry_the_array_they_write():
    @pl.jit.incore
    def kernel(x: FP32, out: pl.Out[FP32]):
        for i in pl.range(0, 128, 64):
            for j in pl.range(0, 128, 64):
                pl.store(pl.load(x, [i, j], [64, 64]), [i, j], out)
        return out

    text = frontend(entry_of(kernel))
    assert count(text, "scf.for") == 2 and count(text, "iter_args") == 2
    # x is mentioned, and only read: it is not carried.
    assert "= %x" not in text


@pytest.mark.parametrize(
    "bounds, indices",
    [
        ((10, 0, -1), range(10, 0, -1)),
        ((7, -3, -4), range(7, -3, -4)),
        ((0, 5, -1), range(0, 5, -1)),
    ],
)
def test_a_negative_step_counts_up(bounds, indices):
    start, stop, step = bounds

    @pl.jit.incore
    def kernel(x: FP32, out: pl.Out[FP32]):
        for i in pl.range(start, stop, step):
            pl.printf("%d\n", i)
        out[:] = x
        return out

    text = frontend(entry_of(kernel))
    trips = len(indices)
    assert f"arith.constant {trips} : index" in text or trips in (0, 1)
    assert "scf.for %i = %c0 to" in text and "step %c1 " in text
    assert count(text, "arith.muli") == 1 and count(text, "arith.addi") == 1


def test_a_step_known_at_run_time():
    @pl.jit.incore
    def kernel(x: FP32, out: pl.Out[FP32], step: pl.Scalar[pl.INDEX]):
        for i in pl.range(0, 128, step):
            pl.printf("%d\n", i)
        out[:] = x
        return out

    @pl.jit
    def entry(x: FP32, out: pl.Out[FP32], step: pl.Scalar[pl.INDEX]):
        out = kernel(x, out, step)
        return out

    x = np.zeros((128, 128), np.float32)
    text = frontend(entry, x, x.copy(), pl.RUNTIME)
    assert "arith.ceildivsi" in text and "arith.maxsi" in text and "%step: index" in text


def test_python_numbers_become_carried_scalars():
    @pl.jit.incore
    def kernel(x: FP32, out: pl.Out[FP32]):
        n = 0
        for i in pl.range(4):
            n = n + i
        pl.store(pl.load(x, [n, 0], [64, 128]), [0, 0], out)
        return out

    text = frontend(entry_of(kernel))
    assert "iter_args(%n_0 = %c0) -> (index)" in text.replace("%n_1", "%n_0")


# Branches.


def test_a_branch_selects_what_it_rebinds():
    @pl.jit.incore
    def kernel(x: FP32, out: pl.Out[FP32]):
        t = pl.load(x, [0, 0], [64, 128])
        if pl.tile.get_block_idx() == 0:
            t = pl.exp(t)
        elif pl.tile.get_block_idx() == 1:
            t = pl.neg(t)
        pl.store(t, [0, 0], out)
        return out

    text = frontend(entry_of(kernel))
    assert count(text, "scf.if") == 2 and text.count("!pto.tile<64x128xf32>)") == 2


def test_a_known_condition_leaves_one_arm():
    flag = True

    @pl.jit.incore
    def kernel(x: FP32, out: pl.Out[FP32]):
        if flag:
            out[:] = pl.exp(x)
        else:
            out[:] = pl.neg(x)
        return out

    text = frontend(entry_of(kernel))
    assert "scf.if" not in text and "pto.tensor.exp" in text and "pto.tensor.neg" not in text


def test_a_branch_that_writes_an_array():
    @pl.jit.incore
    def kernel(x: FP32, out: pl.Out[FP32]):
        if pl.tile.get_block_idx() == 0:
            out[:] = x
        return out

    text = frontend(entry_of(kernel))
    assert re.search(r"%out_\d+ = scf.if .* -> \(tensor<128x128xf32>\)", text)


# Placed regions.


def test_at_yields_what_it_writes():
    @pl.jit
    def entry(x: FP32, out: pl.Out[FP32]):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="doubled"):
            y = pl.add(x, x)
        with pl.at(level=pl.Level.CORE_GROUP):
            out = pl.mul(y, 0.5)
        return out

    text = frontend(entry)
    assert count(text, "pto.block.at") == 2 and 'name_hint = "doubled"' in text
    assert "pto.tensor.assemble" in text and "return %out" in text
    # A constant stands in the region that uses it.
    assert text.index("arith.constant") > text.index("pto.block.at")


def test_a_tile_does_not_leave_a_region(load):
    module = load(
        "import pypto.language as pl\n"
        "@pl.jit\n"
        "def entry(x: pl.Tensor[[8, 8], pl.FP32], out: pl.Out[pl.Tensor[[8, 8], pl.FP32]]):\n"
        "    with pl.at(level=pl.Level.CORE_GROUP):\n"
        "        t = pl.load(x, [0, 0], [8, 8])\n"
        "    with pl.at(level=pl.Level.CORE_GROUP):\n"
        "        pl.store(t, [0, 0], out)\n"
        "    return out\n"
    )
    with pytest.raises(pypto.CompileError, match="only arrays leave it"):
        module.entry.lower()


# Writing arrays.


def test_the_ways_to_write_an_array_are_one():
    @pl.jit.incore
    def assigned(x: FP32, out: pl.Out[FP32]):
        out = pl.exp(x)
        return out

    @pl.jit.incore
    def elements(x: FP32, out: pl.Out[FP32]):
        out[:] = pl.exp(x)
        return out

    @pl.jit.incore
    def everything(x: FP32, out: pl.Out[FP32]):
        out[0:128, :] = pl.exp(x)
        return out

    texts = {frontend(entry_of(kernel)) for kernel in (assigned, elements, everything)}
    assert len({re.sub(r"[@%]\w+", "", text) for text in texts}) == 1


def test_a_store_is_a_statement_or_a_value():
    @pl.jit.incore
    def kernel(x: FP32, out: pl.Out[FP32]):
        t = pl.load(x, [0, 0], [64, 128])
        pl.store(t, [0, 0], out)
        out = pl.store(t, [64, 0], out)
        other = pl.store(t, [0, 0], out)
        return other

    text = frontend(entry_of(kernel))
    assert count(text, "pto.tile.store") == 3
    assert "pto.tensor.assemble" not in text
    assert "pto.tile.store %t, %out_0[64, 0]" in text and "return %out_2" in text


def test_a_window_is_written():
    @pl.jit.incore
    def kernel(x: FP32, y: pl.Tensor[[64, 128], pl.FP32], out: pl.Out[FP32]):
        for i in pl.range(0, 128, 64):
            out[i : i + 64, :] = y
        out[0:1] = 0
        return out

    @pl.jit
    def entry(x: FP32, y: pl.Tensor[[64, 128], pl.FP32], out: pl.Out[FP32]):
        out = kernel(x, y, out)
        return out

    text = frontend(entry)
    assert "into %out_1[%i, 0]" in text.replace("%out_2", "%out_1")
    assert "pto.tensor.full" in text and "tensor<1x128xf32>" in text


# Functions.


def test_bare_tensors_make_specialisations():
    @pl.jit.incore
    def kernel(x: pl.Tensor, out: pl.Out[pl.Tensor]):
        out[:] = pl.exp(x)
        return out

    @pl.jit
    def entry(a: pl.Tensor, b: pl.Tensor, c: pl.Out[pl.Tensor], d: pl.Out[pl.Tensor]):
        c = kernel(a, c)
        d = kernel(b, d)
        c = kernel(a, c)
        return c, d

    a, b = np.zeros((8, 8), np.float32), np.zeros((16, 8), np.float16)
    text = frontend(entry, a, b, a.copy(), b.copy())
    assert "func.func @kernel(" in text and "func.func @kernel_1(" in text
    assert count(text, "func.func") == 3 and text.count("dispatch @kernel(") == 2


def test_shape_arithmetic_and_closures_are_folded():
    block, names = 32, [pl.FP32, pl.FP16]

    @pl.jit.incore
    def kernel(x: pl.Tensor, out: pl.Out[pl.Tensor]):
        rows, columns = x.shape
        half = rows // 2
        t = pl.load(
            x, [half, x.shape[1] - block], [block, columns], target_memory=pl.MemorySpace.Vec
        )
        t = pl.cast(pl.cast(t, names[1]), names[0], mode="rint")
        pl.store(t, [min(half, 3), 0], out)
        return out

    @pl.jit
    def entry(x: pl.Tensor, out: pl.Out[pl.Tensor]):
        out = kernel(x, out)
        return out

    x = np.zeros((64, 32), np.float32)
    text = frontend(entry, x, x.copy())
    assert "pto.tile.load %x[32, 0]" in text
    assert "arith" not in text and "#pto.round<rint>" in text and "%out[3, 0]" in text


def test_operators():
    @pl.jit.incore
    def kernel(x: FP32, out: pl.Out[FP32]):
        t = pl.load(x, [0, 0], [64, 128])
        u = 1.0 - t * 2 + t / t
        u = -u - 0.5
        u += 1 / t
        pl.store(abs(u), [0, 0], out)
        return out

    text = frontend(entry_of(kernel))
    for name, times in {
        "mul": 1,
        "neg": 2,
        "add": 3,
        "div": 2,
        "sub": 1,
        "full": 1,
        "abs": 1,
    }.items():
        assert count(text, f"pto.tile.{name}") == times, name


def test_scalars():
    @pl.jit.incore
    def kernel(x: FP32, out: pl.Out[FP32]):
        i = pl.tile.get_block_idx()
        j = pl.min(i * 32, 96) % 128
        k = pl.max(-i, j - 200) // 3
        if i > 0 and not j == 3 or k < -5:
            pl.printf("%d %f\n", k, pl.cast(j, pl.FP32))
        pl.store(pl.load(x, [j, 0], [32, 128]), [j, 0], out)
        return out

    text = frontend(entry_of(kernel))
    # i * 32 is not negative, so its remainder is the machine's; k may be negative.
    assert count(text, "arith.remsi") == 1 and count(text, "arith.floordivsi") == 1
    assert "arith.sitofp" in text and "arith.cmpi sgt" in text


def test_a_loop_from_a_known_sign_on_has_that_sign():
    def remainders(loop):
        text = frontend(entry_of(loop))
        return count(text, "arith.remsi"), count(text, "arith.floordivsi")

    @pl.jit.incore
    def up(x: FP32, out: pl.Out[FP32]):
        for i in pl.range(2):
            for j in pl.range(i, 4):
                for k in pl.range(j, 20, i + 1):
                    pl.store(pl.load(x, [k % 8, 0], [8, 128]), [k % 8, 0], out)
        return out

    @pl.jit.incore
    def down(x: FP32, out: pl.Out[FP32]):
        for i in pl.range(2):
            for j in pl.range(i - 1, 4):
                pl.store(pl.load(x, [j % 8, 0], [8, 128]), [0, 0], out)
            for j in pl.range(i, -3, -1):
                pl.store(pl.load(x, [j % 8, 0], [8, 128]), [0, 0], out)
        return out

    assert remainders(up) == (2, 0)
    assert remainders(down) == (0, 2)


def test_valid_extents():
    @pl.jit.incore
    def kernel(x: FP32, out: pl.Out[FP32], n: pl.Scalar[pl.INT32]):
        t = pl.load(x, [0, 0], [64, 128], valid_shape=[n, 100])
        pl.store(pl.set_validshape(t, 3, n), [0, 0], out)
        return out

    @pl.jit
    def entry(x: FP32, out: pl.Out[FP32], n: pl.Scalar[pl.INT32] = 5):
        out = kernel(x, out, n)
        return out

    text = frontend(entry)
    assert "valid [%" in text and ", 100]" in text and "pto.tile.set_validshape" in text
    assert "arith.constant 5 : i32" in text and "%n: i32" in text


def test_scratch_is_checked_and_not_needed():
    @pl.jit.incore
    def kernel(x: FP32, out: pl.Out[FP32]):
        t = pl.load(x, [0, 0], [64, 128])
        scratch = pl.full([64, 128], pl.FP32, 0)
        total = pl.tile.row_sum(pl.tile.rsqrt(t, scratch), tmp_tile=scratch)
        pl.store(pl.row_expand_sub(t, total), [0, 0], out)
        return out

    text = frontend(entry_of(kernel))
    assert "pto.tile.rsqrt %t : " in text and text.count("%scratch") == 1


def test_an_inline_function_is_spliced():
    @pl.jit.inline
    def twice(t: pl.Tensor):
        u = pl.add(t, t)
        return u

    @pl.inline
    def put(t: pl.Tensor, target: pl.Out[pl.Tensor]):
        target = twice(t)  # noqa: F841

    @pl.jit.incore
    def kernel(x: FP32, out: pl.Out[FP32]):
        put(x, out)
        return out

    text = frontend(entry_of(kernel))
    assert "pto.tensor.add %x, %x" in text and count(text, "func.func") == 2


def test_create_tensor_is_handed_on():
    @pl.jit.incore
    def exp(x: FP32, out: pl.Out[FP32]):
        out[:] = pl.exp(x)
        return out

    @pl.jit
    def entry(x: FP32, out: pl.Out[FP32]):
        t = pl.create_tensor([128, 128], dtype=pl.FP32)
        t = exp(x, t)
        out = exp(t, out)
        return out

    text = frontend(entry)
    assert "%t = pto.tensor.create : tensor<128x128xf32>" in text
    assert re.search(r"%out_\d = pto.block.dispatch @exp\(%t_\d, %out\)", text)


def test_a_program_class():
    @pl.program
    class Squares:
        @pl.function(type=pl.FunctionType.InCore)
        def kernel(self, x: FP32, out: pl.Out[FP32]) -> FP32:
            y: pl.Tensor[[128, 128], pl.FP32] = pl.mul(x, x)
            out[:] = y
            return out

        @pl.function(type=pl.FunctionType.Orchestration)
        def main(self, x: FP32, out: pl.Out[FP32]) -> FP32:
            out = self.kernel(x, out)
            return out

    text = Squares.as_python()
    assert "def kernel(self, x: pl.Tensor[[128, 128], pl.FP32]" in text
    assert "self.kernel(x, out)" in text
    assert "@main" in str(Squares.lower())


def test_locations_and_names():
    @pl.jit.incore
    def kernel(x: FP32, out: pl.Out[FP32]):
        t = pl.load(x, [0, 0], [64, 128])
        pl.store(pl.exp(t), [0, 0], out)
        return out

    program = driver.specialise(entry_of(kernel), (), {}).program
    text = program.as_mlir()
    line = kernel.source.line + 2
    assert 'loc("t"(#loc' in text and f'test_front_end.py":{line}:13)' in text
    assert "unknown" not in text


def test_every_operation_has_a_builder_and_a_rule():
    from pypto.frontend import calls, rules
    from pypto.language import registry

    for operation in registry.OPERATIONS.values():
        assert callable(calls.maker(operation))
        assert callable(getattr(rules, operation.rule))
        for signature in operation.faces.values():
            assert signature.parameters is not None
    unary = [
        op for op in registry.OPERATIONS.values() if op.build == "compute" and op.operands == 1
    ]
    assert {"exp", "sqrt", "neg", "abs", "relu"} <= {op.name for op in unary}


def test_stubs_are_current():
    from pypto.tools import stubs

    for path, text in stubs.stubs().items():
        assert path.read_text() == text, f"run python -m pypto.tools.stubs ({path.name})"
        compile(text, path, "exec")


def test_the_control_plane_loops_and_branches():
    @pl.jit.incore
    def step(x: FP32, out: pl.InOut[FP32], i: pl.Scalar[pl.INDEX]):
        t = pl.load(x, [i * 8, 0], [8, 128])
        pl.store(pl.add(t, pl.load(out, [0, 0], [8, 128])), [0, 0], out)
        return out

    @pl.jit
    def entry(x: FP32, out: pl.InOut[FP32], n: pl.Scalar[pl.INT32]):
        for i in pl.range(n):
            if i > 2:
                out = step(x, out, i)
            with pl.at(level=pl.Level.CORE_GROUP):
                t = pl.load(x, [i, 0], [8, 128])
                pl.store(t, [0, 0], out)
        return out

    x = np.zeros((128, 128), np.float32)
    text = frontend(entry, x, x.copy(), pl.RUNTIME)
    assert count(text, "scf.for") == 1 and count(text, "scf.if") == 1
    assert count(text, "pto.block.at") == 1 and count(text, "pto.block.dispatch") == 1
    assert "pto.dir = #pto.dir<inout>" in text


def test_a_notebook_cell():
    """A cell is no file: its text is in linecache only, as IPython puts it there."""
    import linecache

    text = (
        "import pypto.language as pl\n"
        "@pl.jit\n"
        "def entry(x: pl.Tensor[[8, 8], pl.FP32], out: pl.Out[pl.Tensor[[8, 8], pl.FP32]]):\n"
        "    with pl.at(level=pl.Level.CORE_GROUP):\n"
        "        out = pl.exp(y)\n"
        "    return out\n"
    )
    name = "<ipython-input-1-abc>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace = {}
    exec(compile(text, name, "exec"), namespace)
    with pytest.raises(pypto.UndefinedNameError) as caught:
        namespace["entry"].lower()
    assert "<ipython-input-1-abc>:5:22: error" in str(caught.value)
    assert "        out = pl.exp(y)\n" in str(caught.value)


def test_a_long_expression_is_an_error(load):
    module = load(
        "import pypto.language as pl\n"
        "@pl.jit.incore\n"
        "def kernel(x: pl.Tensor, out: pl.Out[pl.Tensor]):\n"
        f"    out[:] = {'+'.join(['x'] * 900)}\n"
        "    return out\n"
        "@pl.jit\n"
        "def entry(x: pl.Tensor, out: pl.Out[pl.Tensor]):\n"
        "    return kernel(x, out)\n"
    )
    x = np.zeros((8, 8), np.float32)
    with pytest.raises(pypto.CompileError, match="nested too deeply"):
        module.entry.lower(x, x.copy())


def test_failed_loops_leave_nothing_behind(load):
    """Blocks of failed statements are dropped before what they use: no abort."""
    body = "".join(
        f"    a = pl.load(x, [0, 0], [8, 8])\n"
        f"    for i{n} in pl.range(3):\n"
        f"        b = pl.exp(a)\n"
        f"        a = pl.row_sum(pl.add(a, b))\n"
        for n in range(20)
    )
    module = load(
        "import pypto.language as pl\n"
        "@pl.jit.incore\n"
        "def kernel(x: pl.Tensor, out: pl.Out[pl.Tensor]):\n"
        f"{body}"
        "    return out\n"
        "@pl.jit\n"
        "def entry(x: pl.Tensor, out: pl.Out[pl.Tensor]):\n"
        "    return kernel(x, out)\n"
    )
    x = np.zeros((8, 8), np.float32)
    for _ in range(3):
        with pytest.raises(pypto.CompileError) as caught:
            module.entry.lower(x, x.copy())
        assert len(caught.value.diagnostics) == 20


def test_types_that_are_none():
    """An error, where an assertion would end the interpreter."""
    from pypto.mlir import ir
    from pypto.mlir._mlir_libs import _pto

    with ir.Context() as context, ir.Location.unknown():
        context.allow_unregistered_dialects = True
        found = []
        context.attach_diagnostic_handler(lambda d: found.append(str(d)) or True)
        f32, i4 = ir.F32Type.get(), ir.IntegerType.get_signless(4)
        for make in (
            lambda: _pto.tile_type(f32, 0, 8),
            lambda: _pto.tile_type(f32, 1 << 40, 1 << 40),
            lambda: _pto.gm_type(i4, [8, 8]),
            lambda: _pto.gm_type(f32, [-2, 8]),
        ):
            with pytest.raises(ValueError, match="no such (tile|array) type"):
                make()
        assert [text.split(",")[0] for text in found] == [
            "a tile's dimensions are positive",
            "a tile of [1099511627776",
            "element type INT4 is not supported; use FP16",
            "an array's dimensions are not negative",
        ]
