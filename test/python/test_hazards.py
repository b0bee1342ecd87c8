# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The compiler's flags are what a kernel needs, no fewer and no more.

Each small error in the synchronisation of a compiled kernel is refused by the
model, so none of its flags is idle; and a kernel whose trip counts are known at
run time only needs each of them at one of the trip counts 0, 1, 2 and 7.
"""

import itertools
import re
import sys
from pathlib import Path

import numpy as np
import pypto.language as pl
import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "Reference")]

import mutations  # noqa: E402
from generate import Program  # noqa: E402
from model import Failed, run  # noqa: E402
from test_end_to_end import EXAMPLES, compiled_examples  # noqa: E402

FEWER = (mutations.deletions, mutations.pair_deletions, mutations.whole_deletions)
# Not there for an order between two instructions.
EXEMPT = re.compile(r"event ids .* are used up")

MESSAGES = {
    "race": "may still be (writing|reading)",
    "early": "may be set again before",
    "unbalanced": "which nothing has set|is set again before anything waits|is still set when",
    "end": "the kernel ends without pto.block.barrier all",
}
# What may be reported; a wait that is missing shows as the race that it prevented
# when the run gets there before it gets to the flag's next set or the end.
EXPECTED = {
    "set": {"unbalanced"},
    "wait": {"unbalanced", "race"},
    "barrier": {"race"},
    "end": {"end"},
    "whole": {"race", "early"},
}


def model_arguments(arrays):
    return [a.view(np.uint16) if a.dtype.name == "bfloat16" else a for a in arrays]


def filled(arrays):
    rng = np.random.default_rng(0)
    return [rng.standard_normal(a.shape).astype(a.dtype) for a in arrays]


def kind_of(failure):
    message = failure.errors[0][1]
    found = [kind for kind, words in MESSAGES.items() if re.search(words, message)]
    assert len(found) == 1, failure.errors
    return found[0]


def check_report(mutant, failure):
    """The error is of a kind that fits, and names each line that it is about."""
    line, message, notes = failure.errors[0]
    kind = kind_of(failure)
    assert kind in EXPECTED.get(mutant.kind, MESSAGES), (mutant.what, message)
    lines = mutant.text.split("\n")
    assert 0 < line <= len(lines), (mutant.what, message)
    if kind != "unbalanced":
        assert notes and 0 < notes[0][0] <= len(lines), (mutant.what, message)
    if kind == "race":
        for number in (line, notes[0][0]):
            assert mutations.INSTRUCTION.search(lines[number - 1]), (mutant.what, message)


def survives(mutant, *arguments, **options):
    try:
        run(mutant.text, *arguments, **options)
    except Failed as failure:
        check_report(mutant, failure)
        return False
    return True


@pytest.mark.parametrize(
    "kernel, arguments", [pytest.param(*case, id=name) for name, *case in compiled_examples()]
)
def test_every_error_in_an_example_is_caught(kernel, arguments):
    final = kernel.lower(*arguments)
    arguments = filled(arguments)
    run(str(final), *arguments, entry=final.name)
    wanted = arguments[-1].copy()
    count, harmless = 0, 0
    for mutant in mutations.mutate(str(final)):
        count += 1
        if survives(mutant, *arguments, entry=final.name):
            assert mutant.harmless, mutant.what
            harmless += 1
            np.testing.assert_array_equal(arguments[-1], wanted)
    assert count > 10
    print(f"{kernel.__name__}: {count} mutants, {harmless} harmless")


# Trip counts known at run time


def looped(name, function, entry, bounds, **constants):
    """The text of an example whose loops end at numbers known at run time.

    bounds: a new parameter -> the loop as it is, and as it ends at the parameter.
    constants: a line of the example -> the same line with smaller numbers.
    """
    text = (EXAMPLES / f"{name}.py").read_text()
    for constant, value in constants.items():
        text, count = re.subn(rf"^{constant}$", value, text, flags=re.M)
        assert count == 1, constant
    for parameter, (old, new) in bounds.items():
        assert text.count(old) == 1, (parameter, old)
        text = text.replace(old, new)
    added = "".join(f"    {p}: pl.Scalar[pl.INT32],\n" for p in bounds)
    for kernel in (function, entry):
        text, count = re.subn(rf"(def {kernel}\((?:\n    .*)+?\n)\):", rf"\1{added}):", text)
        assert count == 1, kernel
    call = re.compile(rf"( = {function}\([^)]*)\)")
    assert len(call.findall(text)) == 1
    return call.sub(rf"\1, {', '.join(bounds)})", text)


NESTED = """
import pypto.language as pl

@pl.jit.incore
def kernel(
    x: pl.Tensor[[7, 7 * 64], pl.FP32],
    out: pl.Out[pl.Tensor[[7, 64], pl.FP32]],
    rows: pl.Scalar[pl.INT32],
    blocks: pl.Scalar[pl.INT32],
):
    for row in pl.range(0, rows, 1):
        total = pl.load(x, [row, 0], [1, 64])
        for block in pl.range(0, blocks, 1):
            t = pl.load(x, [row, block * 64], [1, 64])
            total = pl.add(pl.exp(total), t)
        pl.store(total, [row, 0], out)
    return out

@pl.jit
def entry(
    x: pl.Tensor[[7, 7 * 64], pl.FP32],
    out: pl.Out[pl.Tensor[[7, 64], pl.FP32]],
    rows: pl.Scalar[pl.INT32],
    blocks: pl.Scalar[pl.INT32],
):
    out = kernel(x, out, rows, blocks)
    return out
"""

TWO_LOOPS = """
import pypto.language as pl

@pl.jit.incore
def kernel(
    x: pl.Tensor[[8, 256], pl.FP16],
    out: pl.Out[pl.Tensor[[8, 256], pl.FP16]],
    first: pl.Scalar[pl.INT32],
    second: pl.Scalar[pl.INT32],
):
    a = pl.load(x, [7, 0], [1, 256])
    for i in pl.range(first):
        b = pl.load(x, [i, 0], [1, 256])
        a, b = pl.minimum(a, b), a
    for i in pl.range(second):
        if i < 3:
            pl.store(pl.relu(a), [i, 0], out)
        else:
            a = pl.sub(a, 1.0)
            pl.store(a, [i, 0], out)
    pl.store(a, [0, 0], out)
    return out

@pl.jit
def entry(
    x: pl.Tensor[[8, 256], pl.FP16],
    out: pl.Out[pl.Tensor[[8, 256], pl.FP16]],
    first: pl.Scalar[pl.INT32],
    second: pl.Scalar[pl.INT32],
):
    out = kernel(x, out, first, second)
    return out
"""

SOFTMAX = looped(
    "softmax", "softmax_rows", "softmax",
    {"rows": ("pl.range(0, ROWS, BLOCK)", "pl.range(0, rows, BLOCK)")},
    **{"ROWS, COLS, BLOCK = 1024, 192, 64": "ROWS, COLS, BLOCK = 56, 192, 8"},
)  # fmt: skip
LAYER_NORM = looped(
    "layer_norm", "layer_norm_rows", "layer_norm",
    {"rows": ("pl.range(0, ROWS, BLOCK)", "pl.range(0, rows, BLOCK)")},
    **{"ROWS, COLS, BLOCK, EPS = 512, 256, 32, 1e-5": "ROWS, COLS, BLOCK, EPS = 56, 256, 8, 1e-5"},
)  # fmt: skip
MATMUL = looped(
    "matmul", "mm_blocks", "matmul",
    {"rows": ("pl.range(0, M, BM)", "pl.range(0, rows, BM)"),
     "depth": ("pl.range(BK, K, BK)", "pl.range(BK, depth, BK)")},
    **{"M, K, N = 128, 512, 128": "M, K, N = 112, 128, 32",
       "BM, BK, BN = 64, 64, 64": "BM, BK, BN = 16, 16, 32"},
)  # fmt: skip

F32, F16 = np.float32, np.float16
# The text, its entry, its arrays, and for each number what no and one more iteration make of it.
TRIPS = {
    "softmax": (SOFTMAX, "softmax", [((56, 192), F32)] * 2, [(0, 8)]),
    "layer_norm": (LAYER_NORM, "layer_norm", [((56, 256), F16)] * 2, [(0, 8)]),
    "matmul": (
        MATMUL,
        "matmul",
        [((112, 128), F16), ((128, 32), F16), ((112, 32), F32)],
        [(0, 16), (16, 16)],
    ),
    "nested": (NESTED, "entry", [((7, 448), F32), ((7, 64), F32)], [(0, 1), (0, 1)]),
    "two_loops": (TWO_LOOPS, "entry", [((8, 256), F16)] * 2, [(0, 1), (0, 1)]),
}


@pytest.mark.parametrize("name", TRIPS)
def test_no_flag_that_all_trip_counts_do_without(name, load):
    text, entry, arrays, bounds = TRIPS[name]
    arrays = filled([np.zeros(shape, dtype) for shape, dtype in arrays])
    final = getattr(load(text), entry).lower(*arrays, *[pl.RUNTIME] * len(bounds))
    # The largest first, as it shows most of the errors.
    counts = [
        [zero + trips * step for (zero, step), trips in zip(bounds, chosen, strict=True)]
        for chosen in itertools.product((7, 2, 1, 0), repeat=len(bounds))
    ]
    for numbers in counts:
        run(str(final), *arrays, *numbers, entry=final.name)
    mutants = [m for m in mutations.mutate(str(final), FEWER) if not EXEMPT.search(m.what)]
    idle = [
        mutant.what
        for mutant in mutants
        if all(survives(mutant, *arrays, *numbers, entry=final.name) for numbers in counts)
    ]
    assert len(mutants) > 20 and not idle, "\n".join(idle)


# Generated kernels


def check_generated(seed, load):
    program = Program(seed)
    final = getattr(load(program.text), program.entry).lower(*program.arguments())
    text, arguments = str(final), model_arguments(program.arguments())

    def variants(text):
        """First as it is, then with other conditions, if it has any."""
        yield text
        if "scf.if" in text:
            yield from (mutations.other_branches(text, n) for n in range(16))

    for variant in variants(text):
        run(variant, *arguments, entry=final.name)
    mutants = [m for m in mutations.mutate(text, FEWER) if not EXEMPT.search(m.what)]
    for mutant in mutants:
        assert not all(
            survives(mutant._replace(text=variant), *arguments, entry=final.name)
            for variant in variants(mutant.text)
        ), f"seed {seed}: {mutant.what}\n{program.text}\n{text}"
    return len(mutants)


@pytest.mark.parametrize("first", range(0, 100, 20))
def test_every_deletion_in_a_generated_kernel_is_caught(first, load):
    assert sum(check_generated(seed, load) for seed in range(first, first + 20)) > 300
