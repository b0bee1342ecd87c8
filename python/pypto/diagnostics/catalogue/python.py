# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""PTO-10xx: the source, names, and what of Python a kernel cannot have."""

from .entry import Entry, core, kernel

ENTRIES = [
    Entry(
        1001,
        "A name that is not defined",
        ("name '…' is not defined", "Undefined variable '"),
        "The function, the functions around it and its file do not bind the name. The error "
        "suggests a name that looks like it.",
        "Correct the name, or bind it before it is read.",
        core("out[:] = pl.mul(x, factr)  # error"),
    ),
    Entry(
        1002,
        "`pl` has no such name",
        (
            "pl has no '",
            " has no 'kernel'",
            "^pl.jit has no '",
            "pypto.runtime has no '",
            "pypto.ir has no '",
            "^pld has no '",
            "^pld.… has no '",
            "module 'pypto_pro' has no attribute",
            "pl.… has no '…'",
        ),
        "No operation, type or constant of the language has this name.",
        "The error suggests the nearest name; `docs/reference` and your editor's completion list "
        "all of them.",
        core("out[:] = pl.mull(x, x)  # error"),
    ),
    Entry(
        1003,
        "An enum has no such member",
        ("has no member '", "there is no pl.FunctionType.Host"),
        "The member is none of this enum's.",
        "Take one of the members that the error lists.",
        core("t = pl.load(x, [0, 0], [64, 64], target_memory=pl.Mem.Vector)  # error"),
    ),
    Entry(
        1004,
        "A value has no such attribute or method",
        ("has no attribute '", "has no attributes", "has no method '"),
        "Tiles, arrays and scalars have only the attributes of the language, and modules and "
        "objects of yours only their own.",
        "Use `x.shape` and `x.dtype`; an operation on a value is a function, `pl.exp(x)`.",
        core("n = x.shap  # error\nout[:] = x"),
    ),
    Entry(
        1005,
        "Not supported yet",
        ("not supported yet", "it comes with 4 of 4", "comes later", "come later"),
        "The language has this name, and this version of PyPTO does not have what it does. It is "
        "never left out silently.",
        "Write it with other operations; the error says which where there is a way.",
        core("out[:] = pl.matmul_mx(x, x, x, x)  # error"),
    ),
    Entry(
        1006,
        "A construct of Python that a kernel cannot have",
        ("a kernel cannot contain", "the control plane cannot contain"),
        "A kernel is compiled from its source. Constructs that would need Python while it runs "
        "have no meaning there.",
        "Write it with assignments, `pl.range` loops, `if` and calls; do what needs Python "
        "outside of the kernel, and use its result there.",
        core("f = lambda a: a  # error\nout[:] = x"),
    ),
    Entry(
        1007,
        "A Python function is called in a kernel",
        (
            "does not run in a kernel; use",
            "does not run in a kernel; of Python's",
            "does not run in a kernel; a helper",
            "which cannot be called",
            "is an exception, which no kernel raises",
            "'…' is a Python function",
        ),
        "Python's own functions, and yours without a decorator, run in Python; a kernel calls "
        "operations and functions of the language.",
        "Use the operation of the language (`pl.range`, `pl.printf`), or decorate your function "
        "with `@pl.jit.inline`.",
        core("for i in range(4):  # error\n    out[:] = x"),
    ),
    Entry(
        1008,
        "A Python object in a kernel",
        (
            "Python code does not run in a kernel; numbers",
            "a kernel has no values like",
            "dicts are not read in a kernel",
        ),
        "Of the world around a kernel, numbers, strings, lists, tuples, dtypes and enum members "
        "can be used; other objects only have a meaning in Python.",
        "Bind the number that you need to a name outside of the kernel, and use that name.",
        kernel(
            """
            SIZES = {"rows": 64}

            @pl.jit
            def f(x: A, out: pl.Out[A]):
                with pl.at(level=pl.Level.CORE_GROUP):
                    t = pl.load(x, [0, 0], [SIZES["rows"], 64])  # error
                    pl.store(t, [0, 0], out)
                return out
            """
        ),
    ),
    Entry(
        1009,
        "What cannot be assigned to",
        (
            "a kernel cannot assign to",
            "a kernel changes names, not elements, in place",
            "elements of … cannot be assigned",
            "can be changed; keep it in a variable",
            "a slice cannot be assigned",
        ),
        "An assignment binds a name, writes a window of an Out array, or sets an element of a "
        "`pl.array`. Tiles are values and never change.",
        "Bind a new name: `t = pl.add(t, 1.0)`.",
        core(
            """
            x.shape = 3  # error
            out[:] = x
            """
        ),
    ),
    Entry(
        1010,
        "Names and values of an assignment do not pair up",
        (
            "cannot be unpacked",
            "names for … values",
            "names need a tuple",
            "names, and … values for them",
        ),
        "The left side has more or fewer names than the right side has values, or the right side "
        "is one value.",
        "Give each value one name.",
        core("a, b = x.shape, x.dtype, 3  # error\nout[:] = x"),
    ),
    Entry(
        1011,
        "A statement that binds or does nothing",
        (
            "' returns nothing",
            "' gives no value",
            "by itself does nothing",
            "a declaration without a value",
            "is annotated and gets no value",
        ),
        "The value that is bound does not exist, or the statement has no effect.",
        "Call what writes something by itself, without a name in front of it; give a declared "
        "name a value.",
        core('t = pl.printf("%d", 1)  # error\nout[:] = x'),
    ),
    Entry(
        1012,
        "Nested too deeply",
        ("the expression is nested too deeply",),
        "The expression has more levels than Python's reader takes.",
        "Bind parts of it to names.",
        core("n = pl.tile.get_block_idx()\nm = " + "-" * 900 + "n" + "  # error\nout[:] = x"),
    ),
    Entry(
        1013,
        "The source of a kernel cannot be read",
        ("the source of '…' cannot be read", "changed since it was imported"),
        "A kernel is compiled from the text of its file. Code that was typed at a prompt or made "
        "by `exec` has none, and the text of a file that was edited after its import is not that "
        "of the function.",
        "Write the kernel in a file or a notebook cell; import the file again after an edit.",
        kernel(
            """
            exec("@pl.jit\\ndef made(x: A, out: pl.Out[A]):\\n    return out\\n")
            made.compile()
            """
        ),
    ),
    Entry(
        1014,
        "An operator that these values do not have",
        (
            "' on … scalars",
            "bits, found",
            "a negative power of",
            "no such operator on",
            "no operator '",
            "' on tiles and arrays is not supported",
            "operations on tiles are calls",
            "of a kernel's values is not supported",
        ),
        "The operator has no meaning for values of these kinds.",
        "Use the operation by its name, or convert an operand with `pl.cast` first.",
        core('n = pl.tile.get_block_idx() + "1"  # error\nout[:] = x'),
    ),
    Entry(
        1015,
        "What is no condition",
        (
            "a chain of comparisons is a condition",
            "is no condition; compare it with 0",
            "a condition is a scalar",
            "Only simple comparisons supported",
            "' compares scalars, found",
            "comparing tiles or arrays is",
        ),
        "`if`, `while`, `and`, `or` and `not` take scalars that are true or false.",
        "Compare the value: `if n > 0:`.",
        core(
            """
            t = pl.load(x, [0, 0], [64, 64])
            if t:  # error
                pl.store(t, [0, 0], out)
            out[:] = x
            """
        ),
    ),
    Entry(
        1016,
        "`is` and `in`",
        (
            "'is' compares with None only",
            "a kernel has no 'in'",
            "'is None' asks whether",
            "'in' looks in a list",
        ),
        "Values of a kernel have no identity that Python could compare; `is None` asks whether "
        "something was given.",
        "Compare with `==`.",
        core("n = pl.tile.get_block_idx()\nif n is 3:  # error\n    out[:] = x\nout[:] = x"),
    ),
    Entry(
        1018,
        "An index or slice of a list",
        (
            "a list or tuple takes a known number as index",
            "is beyond the … elements",
            "the bounds of a list's slice are known numbers",
            "has no elements",
            "a slice stands in [...] only",
        ),
        "Lists and tuples are known while the kernel is compiled, so an index must be, and it "
        "must be one of their elements.",
        "Use a number, or a `pl.array` where the run chooses.",
        core("n = x.shape[2]  # error\nout[:] = x"),
    ),
    Entry(
        1019,
        "A number does not fit its type",
        (
            "does not fit FP",
            "does not fit INT",
            "does not fit UINT",
            "does not fit INDEX",
            "does not fit …",
            "has 64 bits, found",
        ),
        "The number is beyond what the element type holds, or a fraction for integers.",
        "Take a smaller number or a wider type.",
        core(
            """
            t = pl.cast(pl.load(x, [0, 0], [64, 64]), pl.INT32, mode="rint")
            u = pl.add(t, 5000000000)  # error
            out[:] = x
            """
        ),
    ),
    Entry(
        1020,
        "A division by zero while compiling",
        (
            "^division by zero",
            "cannot compute …: integer division",
            "cannot compute …: division by",
            "cannot compute …",
        ),
        "Both numbers are known when the kernel is compiled, and the second one is zero.",
        "Correct the number.",
        core("n = 64 // 0  # error\nout[:] = x"),
    ),
    Entry(
        1021,
        "Something must be known when the kernel is compiled",
        (
            "must be known at compile time",
            "known when the kernel is compiled",
            "can only accept compile-time constants",
            "are known numbers",
            "is known at compile time",
            "pl.static_assert takes what is known",
        ),
        "Shapes of tiles, extents of windows and options decide what is compiled, so a value "
        "that the run computes cannot stand there.",
        "Use a number, a name bound outside of the kernel, or a shape; fewer valid rows or "
        "columns are `valid_shape=`.",
        core(
            """
            for i in pl.range(1, 4):
                t = pl.load(x, [0, 0], [i, 64])  # error
                pl.store(t, [0, 0], out)
            """
        ),
    ),
    Entry(
        1022,
        "A static assertion failed",
        ("static assertion failed",),
        "`pl.static_assert` found its condition false while the kernel was compiled.",
        "Its message says what the kernel's author expects of shapes and options.",
        core('pl.static_assert(x.shape[0] == 32, "32 rows")  # error\nout[:] = x'),
    ),
    Entry(
        1023,
        "What cannot be a kernel",
        (
            "is an async function, which no kernel is",
            "is async or a generator",
            "is decorated twice",
            "a function is decorated, not",
        ),
        "A kernel is a plain function, decorated once.",
        "Write `def`, and one decorator.",
        kernel(
            """
            @pl.jit
            async def f(x: A, out: pl.Out[A]):  # error
                return out
            """
        ),
    ),
    Entry(
        1024,
        "An annotation as a value",
        ("is an annotation, not a value", "is an annotation, as in"),
        "`pl.Tensor[...]`, `pl.Tile[...]` and the like say what a parameter or variable is; they "
        "make nothing.",
        "Make an array with `pl.create_tensor` and a tile with `pl.full` or `pl.load`.",
        core("t = pl.Tile([64, 64], pl.FP32)  # error\nout[:] = x"),
    ),
    Entry(
        1025,
        "An operation is called in Python",
        (
            "is an operation of a kernel: it is compiled where",
            "This function is a DSL API declaration",
        ),
        "Operations are compiled in functions decorated with `@pl.jit` and its family; Python "
        "cannot run them.",
        "Call them in a kernel, and call the kernel with arrays.",
        kernel("pl.exp(np.zeros((4, 4), np.float32))"),
    ),
    Entry(
        1026,
        "A function of numbers gets something else",
        (
            "takes two or more scalars",
            "takes scalars, found",
            "takes a scalar, found",
            "takes one argument, found",
            "of a scalar that the program computes is not supported",
            "len takes an array",
            "pl.dim takes an array",
            "cannot compute '",
        ),
        "`min`, `max`, `abs`, `len`, `int`, `float` and `bool` take numbers and scalars.",
        "For tiles and arrays use the operations: `pl.maximum`, `pl.abs`, `pl.cast`.",
        core("t = pl.load(x, [0, 0], [64, 64])\nn = min(t)  # error\nout[:] = x"),
    ),
    Entry(
        1027,
        "Scalars of different types",
        ("convert one with pl.cast",),
        "The two scalars have different types, and neither is converted silently.",
        "Convert one of them: `pl.cast(n, pl.INT32)`.",
        core(
            """
            m = pl.const(1, pl.INT32) + n  # error
            out[:] = pl.mul(x, 1.0)
            """,
            "x: A, n: pl.Scalar[pl.FP32], out: pl.Out[A]",
        ),
    ),
]
