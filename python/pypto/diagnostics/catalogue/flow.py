# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""PTO-11xx: loops and branches, and the names that they carry."""

from .entry import Entry, core, pro

ENTRIES = [
    Entry(
        1101,
        "What is no loop of the language",
        (
            "pl.pipeline overlaps what",
            "a loop is `for i in pl.range(...):`",
            "is not supported here; a kernel has",
            "takes a pl.range",
        ),
        "A loop goes over `pl.range`, `pl.parallel`, `pl.unroll` or another loop of the language.",
        "Write `for i in pl.range(n):`; elements of a list are reached by an index.",
        core("for row in x:  # error\n    out[:] = x"),
    ),
    Entry(
        1102,
        "The form of a loop",
        (
            "a loop has no else",
            "a loop has one variable",
            "the variable of a loop is a name",
            "cannot contain else behind",
        ),
        "A loop has one variable, and no `else`.",
        "Write what stands in `else` behind the loop; compute further indices from the variable.",
        core("for i, j in pl.range(4):  # error\n    out[:] = x"),
    ),
    Entry(
        1103,
        "The bounds of a loop",
        (
            "pl.unroll makes its body",
            "takes one to three bounds",
            "pl.range takes 1 to 3 arguments",
            "pl.range() does not support keyword arguments",
        ),
        "A range has a stop; a start and a stop; or a start, a stop and a step.",
        "Give one to three bounds, as Python's `range` takes them.",
        core("for i in pl.range(0, 64, 8, 2):  # error\n    out[:] = x"),
    ),
    Entry(
        1104,
        "A loop with a step of zero",
        (
            "the step of pl.… is zero",
            "the step of pl.… is not zero",
            "the step of pl.range is zero",
        ),
        "The loop would never end.",
        "Give a step that is not zero.",
        core("for i in pl.range(0, 4, 0):  # error\n    out[:] = x"),
    ),
    Entry(
        1105,
        "A value does not leave the loop that binds it",
        (
            "is bound inside the loop only",
            "is bound in a loop that may not run",
            "has no value here",
        ),
        "The name is bound in the loop only, and the loop may not run at all.",
        "Bind the name before the loop; then the loop carries it: `acc = pl.add(acc, t)`.",
        core(
            """
            for i in pl.range(0, 64, 32):
                t = pl.load(x, [i, 0], [32, 64])
            pl.store(t, [0, 0], out)  # error
            """
        ),
    ),
    Entry(
        1106,
        "A name is bound in one branch only",
        ("is bound in one branch only",),
        "After the `if` the name has a value on one way and none on the other.",
        "Bind it in both branches, or before the `if`.",
        core(
            """
            if pl.tile.get_block_idx() == 0:
                t = pl.load(x, [0, 0], [64, 64])
            pl.store(t, [0, 0], out)  # error
            """
        ),
    ),
    Entry(
        1107,
        "A name changes its type",
        ("cannot reassign '",),
        "What a loop carries, what two branches bind, and what is assigned to an Out array keeps "
        "its kind, shape and element type.",
        "Take another name for the other value, or convert it with `pl.cast`.",
        core(
            """
            acc = pl.load(x, [0, 0], [64, 64])
            for i in pl.range(0, 2):
                acc = pl.row_sum(acc)  # error
            pl.store(acc, [0, 0], out)
            """
        ),
    ),
    Entry(
        1108,
        "A loop variable behind its loop",
        ("has no value after its loop", "is the variable of a loop and has no value behind it"),
        "The variable of a loop counts within it; behind it, it has no value.",
        "Keep what you need in a name that is bound before the loop.",
        core("for i in pl.range(4):\n    out[:] = x\nn = i + 1  # error"),
    ),
    Entry(
        1109,
        "What a loop cannot carry",
        (
            "a loop carries",
            "before the loop and '…' after an iteration",
            "what this loop carries changes with every reading",
        ),
        "A loop carries tiles, computed arrays, scalars and task ids from one iteration to the "
        "next; what is known while the kernel is compiled is the same in every iteration.",
        "Decide before the loop, or unroll it.",
        core(
            """
            dtype = pl.FP32
            for i in pl.range(4):
                dtype = pl.FP16  # error
            out[:] = x
            """
        ),
    ),
    Entry(
        1110,
        "An array or tile that a branch chooses",
        ("in one branch and '…' in the other", "that is made in a branch; make it before the if"),
        "A name would mean one of two arrays on a core, which the compiler could not place.",
        "Write to each array in its own branch.",
        core(
            """
            z = out
            if pl.tile.get_block_idx() > 0:
                z = x  # error
            pl.store(pl.load(z, [0, 0], [64, 64]), [0, 0], out)
            """
        ),
    ),
    Entry(
        1111,
        "A return that does not end the function",
        ("a return in a loop, a branch or a placed region", "nothing follows a return"),
        "A kernel has one `return`, its last statement.",
        "Put what depends on a condition under an `if`, and return behind it.",
        core("if pl.tile.get_block_idx() == 0:\n    return out  # error\nout[:] = x"),
    ),
    Entry(
        1112,
        "A loop that never ends",
        ("this loop never ends",),
        "The condition holds for ever, and nothing in the loop leaves it.",
        "Add a `break`, or a condition that becomes false.",
        pro("while True:  # error\n    pass"),
    ),
    Entry(
        1113,
        "What stands in a statement of its own",
        (
            "is a statement of its own in the function's body",
            "pl.cond is the first statement",
            "pl.yield_ stands in",
            "stands in a statement of its own",
        ),
        "`pl.range`, `pl.at`, `pl.spmd`, `pl.section_vector` and the like head a `for` or a `with`.",
        "Write `for i in pl.range(n):`, `with pl.at(...):`.",
        core("r = pl.range(4)  # error\nout[:] = x"),
    ),
    Entry(
        1114,
        "A break or continue that cannot leave",
        (
            "would leave the `with` around it",
            "^break in pl.",
            "^continue in pl.",
            "^… in pl.…: …; use pl.range",
        ),
        "`break` and `continue` belong to a `pl.range` loop or a `while` of the same block: the "
        "iterations of `pl.parallel` are independent, and those of `pl.unroll` and `pl.pipeline` "
        "are laid out before the run.",
        "Use `pl.range`, or put what follows under an `if`.",
        core(
            """
            for i in pl.unroll(4):
                if i > pl.tile.get_block_idx():
                    break  # error
            out[:] = x
            """
        ),
    ),
    Entry(
        1115,
        "The form of init_values= and pl.yield_",
        (
            "init_values= goes with",
            "pl.unroll has no init_values=",
            "an assignment of pl.yield_: `a, b",
            "pl.while_() requires init_values",
            "pl.while_ takes init_values= and nothing else",
            "the first statement in pl.while_ is pl.cond",
            "pl.cond takes one condition",
            "^pl.…: … names for … init_values",
            "^pl.…: what is carried are names, found",
            "^pl.… carries … values, and …",
            "both arms of an if hand on the same with pl.yield_",
        ),
        "A loop with `init_values=` names what it carries behind its variable, and ends with an "
        "assignment of `pl.yield_` of as many values.",
        "Write `for i, (a, b) in pl.range(n, init_values=(p, q)):` and, as its last statement, "
        "`c, d = pl.yield_(a, b)`.",
        core(
            """
            for i in pl.range(4, init_values=(0,)):  # error
                pass
            out[:] = x
            """
        ),
    ),
]
