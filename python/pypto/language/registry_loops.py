# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The part of the registry that says what runs again: loops, and what they hand on."""

from __future__ import annotations

# A whole program around the body of a kernel, which each of the examples is.
_KERNEL = """\
@pl.jit.incore
def kernel(x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
"""
_ENTRY = """
@pl.jit
def entry(x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
    out = kernel(x, out)
    return out
"""


def _example(body: str) -> str:
    lines = "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    return f"{_KERNEL}{lines}    return out\n{_ENTRY}"


_BOUNDS = "(*bounds: int | Scalar, init_values: tuple | None = None) -> Iterator[int]"


def declare(add, constructs: dict, tasks_example) -> None:
    """Declares loops by `add`; `tasks_example(body, shape)` is a program whose body stands on
    the control plane."""
    _counted(add, constructs, tasks_example)
    _made_at_compile_time(add, constructs)
    _conditional(add, constructs)


def _counted(add, constructs: dict, tasks_example) -> None:
    add(
        "range",
        "`for i in pl.range(start, stop, step):` a loop. A name that the body rebinds carries its "
        "value into the next iteration and out of the loop: a scalar, a tile, a computed array, a "
        "task id (None before the loop is no task), and on the control plane an array, so that "
        "`a, b = b, a` swaps two. Bounds are integers or integer scalars; a step may be negative "
        "and is not zero. `for i, (a, b) in pl.range(n, init_values=(p, q)):` names what is "
        "carried; such a body ends with `c, d = pl.yield_(...)`, and c and d are the results. In a "
        "kernel `break` and `continue` do what they do in Python.",
        {"": _BOUNDS},
        table=constructs,
        example=tasks_example(
            """
tmp = pl.create_tensor([64, 64], pl.FP32)
a, b = tmp, out
square(x, a)
for i in pl.range(3):
    square(a, b)
    a, b = b, a
""",
            "64, 64",
        ),
    )
    add(
        "parallel",
        "`for i in pl.parallel(start, stop, step):` a loop whose iterations are independent of "
        "each other. On the control plane their tasks may run at the same time: as everywhere, a "
        "task follows the earlier ones whose arrays it shares; the word says that the author "
        "expects none. In a kernel it runs as pl.range does. `break` and `continue` are errors.",
        {"": _BOUNDS},
        table=constructs,
        example=tasks_example(
            """
for i in pl.parallel(2):
    square(x[i * 64:(i + 1) * 64, :], out[i * 64:(i + 1) * 64, :])
""",
            "128, 64",
        ),
    )
    add(
        "pipeline",
        "`for i in pl.pipeline(start, stop, step, stage=1):` a loop of a kernel whose iterations "
        "overlap. With one stage it runs as pl.range does; more stages come later. `break` and "
        "`continue` are errors.",
        {
            "": "(*bounds: int | Scalar, stage: int = 1, init_values: tuple | None = None) -> "
            "Iterator[int]"
        },
        table=constructs,
        example=_example("""
for row in pl.pipeline(0, 64, 16, stage=1):
    t = pl.load(x, [row, 0], [16, 64])
    pl.store(pl.mul(t, t), [row, 0], out)
"""),
    )


def _made_at_compile_time(add, constructs: dict) -> None:
    add(
        "unroll",
        "`for i in pl.unroll(start, stop, step):` makes its body once for each iteration, with i "
        "a number that is known: it may stand in shapes, and choose from lists. Its bounds are "
        "known when the kernel is compiled; it has no init_values. `break` and `continue` are "
        "errors.",
        {"": "(*bounds: int) -> Iterator[int]"},
        table=constructs,
        example=_example("""
weights = [1.0, 0.5, 0.25]
t = pl.load(x, [0, 0], [64, 64])
acc = pl.mul(t, weights[0])
for i in pl.unroll(1, 3):
    acc = pl.add(acc, pl.mul(t, weights[i]))
pl.store(acc, [0, 0], out)
"""),
    )


def _conditional(add, constructs: dict) -> None:
    carried = _example("""
t = pl.load(x, [0, 0], [64, 64])
for n, acc in pl.while_(init_values=(0, t)):
    pl.cond(n < 3)
    n, acc = pl.yield_(n + 1, pl.add(acc, t))
pl.store(acc, [0, 0], out)
""")
    add(
        "while_",
        "`for a, b in pl.while_(init_values=(p, q)):` a loop with a condition, which its first "
        "statement says: `pl.cond(...)`. It ends with `c, d = pl.yield_(...)`, and c and d are the "
        "results. A plain `while` does the same.",
        {"": "(*, init_values: tuple) -> Iterator[Any]"},
        table=constructs,
        example=carried,
    )
    add(
        "cond",
        "The condition of `pl.while_`.",
        {"": "(condition: bool | Scalar) -> None"},
        table=constructs,
        example=carried,
    )
    add(
        "yield_",
        "`a, b = pl.yield_(c, d)` at the end of a loop with init_values= hands c and d to the next "
        "iteration, and out of the loop as a and b; at the end of both arms of an `if` it hands "
        "them out of the branch.",
        {"": "(*values: Any) -> Any"},
        table=constructs,
        example=_example("""
t = pl.load(x, [0, 0], [64, 64])
for i, (acc,) in pl.range(3, init_values=(t,)):
    acc = pl.yield_(pl.add(acc, t))
pl.store(acc, [0, 0], out)
"""),
    )
