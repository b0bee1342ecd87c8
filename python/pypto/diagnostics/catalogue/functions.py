# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""PTO-12xx: signatures, and calls of functions."""

from .entry import Entry, control, core, kernel, pro, pro_text

ENTRIES = [
    Entry(
        1201,
        "A parameter without annotation",
        ("has no annotation; write", "missing type annotation", "is annotated with"),
        "The annotation says whether a parameter is an array or a scalar, of which type, and who "
        "writes it.",
        "Annotate every parameter: `x: pl.Tensor[[64, 64], pl.FP32]`, `out: pl.Out[...]`, "
        "`n: pl.Scalar[pl.INDEX]`.",
        kernel(
            """
            @pl.jit
            def f(x, out: pl.Out[A]):  # error
                return out
            """
        ),
    ),
    Entry(
        1202,
        "An annotation that says no type",
        (
            "x.bind_dynamic(axis, M) takes",
            "bind_dynamic",
            "is no expression",
            "an array is pl.Tensor[[",
            "a scalar is pl.Scalar[",
            "a tile is pl.Tile[[",
            "a small array is pl.Array[",
            "is no type of a variable",
            "an array has at least one dimension",
            "is annotated …; write",
            "a shape is a list of positive integers",
            "takes one type",
            "in pl.Tensor is not supported yet",
            "in pl.Tile is not supported yet",
            "a tile is on chip, not in",
        ),
        "The annotation is not of the form that the language has.",
        "Write `pl.Tensor[[rows, columns], dtype]`, `pl.Scalar[dtype]`, or one of them in "
        "`pl.Out[...]` or `pl.InOut[...]`.",
        kernel(
            """
            @pl.jit
            def f(x: pl.Tensor[[0, 64], pl.FP32], out: pl.Out[A]):  # error
                return out
            """
        ),
    ),
    Entry(
        1203,
        "`*args`, `**kwargs` and keyword-only parameters",
        (
            "a kernel has a fixed list of parameters",
            "a kernel has no '",
            "no keyword-only parameter",
        ),
        "A kernel is compiled for a fixed list of parameters.",
        "Name each parameter.",
        kernel(
            """
            @pl.jit
            def f(out: pl.Out[A], *xs):  # error
                return out
            """
        ),
    ),
    Entry(
        1204,
        "A parameter has no default",
        ("has no default",),
        "An array is given by every call.",
        "Leave the default out.",
        kernel(
            """
            @pl.jit
            def f(x: A, out: pl.Out[A] = None):  # error
                return out
            """
        ),
    ),
    Entry(
        1205,
        "A scalar that is Out",
        (
            "a scalar cannot be",
            "a scalar has a type, pl.Scalar",
        ),
        "A scalar is handed over by value, so that a function cannot write the caller's.",
        "Write the result to an array of one element.",
        kernel(
            """
            @pl.jit
            def f(x: A, n: pl.Out[pl.Scalar[pl.INT32]]):  # error
                return x
            """
        ),
    ),
    Entry(
        1206,
        "What does not cross a function's border",
        ("does not cross a function boundary", "does not cross the border of a function"),
        "A tile is in the memory of one core, and a task id belongs to the function that submits.",
        "Pass the array and load the tile inside; use `@pl.jit.inline` for a function of tiles.",
        kernel(
            """
            @pl.jit.incore
            def g(t: pl.Tile[[64, 64], pl.FP32], out: pl.Out[A]):  # error
                pl.store(t, [0, 0], out)
                return out

            @pl.jit
            def f(x: A, out: pl.Out[A]):
                out = g(x, out)
                return out
            """
        ),
    ),
    Entry(
        1207,
        "The wrong number of arguments of a function",
        ("takes … arguments (…), found", "takes … arguments (", "' takes … arguments, found"),
        "The call gives more or fewer arguments than the function has parameters.",
        "The error lists the parameters, and names the one that is missing.",
        control("out = copy(x)  # error"),
    ),
    Entry(
        1208,
        "A parameter that the function does not have, or twice",
        ("has no parameter '", "is given twice"),
        "A keyword names no parameter of the function, or one that a positional argument gives "
        "already.",
        "Take a name that the error lists.",
        control("out = copy(x, output=out)  # error"),
    ),
    Entry(
        1209,
        "An argument of another type than the parameter",
        ("argument '…' of '…' is …, found", "argument '…' of '…' is "),
        "The parameter's annotation says a shape and an element type, and the argument has "
        "another one.",
        "Pass an array of that type, or leave shape and type of the annotation open: "
        "`x: pl.Tensor`.",
        control("out = copy(x, out)  # error", "x: pl.Tensor[[32, 64], pl.FP32], out: pl.Out[A]"),
    ),
    Entry(
        1210,
        "One array as two parameters, one of which is written",
        ("gets one array as", "gets overlapping windows of one array"),
        "The function would read what it is writing.",
        "Make it one `pl.InOut` parameter.",
        control("copy(out, out)  # error"),
    ),
    Entry(
        1211,
        "A function calls itself",
        (
            "… '…' calls itself; turn it into a loop",
            "calls itself; ",
            "calls itself, so",
            "calls nest more than",
        ),
        "Inline functions and helpers are spliced into their callers, which recursion would make "
        "endless; a core has no stack of calls.",
        "Turn the recursion into a loop.",
        kernel(
            """
            @pl.jit.inline
            def again(x: A, out: pl.Out[A]):
                again(x, out)  # error

            @pl.jit
            def f(x: A, out: pl.Out[A]):
                again(x, out)
                return out
            """
        ),
    ),
    Entry(
        1212,
        "A function of another kind is called",
        (
            "is an opaque function, which places its work on cores",
            "is a @pl.jit function, an entry",
            "is a kernel; a kernel calls operations",
            "is a kernel, and a kernel calls",
        ),
        "An entry starts a program; kernels call inline functions, and entries call kernels.",
        "Decorate the callee with `@pl.jit.incore` or `@pl.jit.inline`.",
        kernel(
            """
            @pl.jit
            def g(x: A, out: pl.Out[A]):
                return out

            @pl.jit.incore
            def k(x: A, out: pl.Out[A]):
                g(x, out)  # error
                return out

            @pl.jit
            def f(x: A, out: pl.Out[A]):
                out = k(x, out)
                return out
            """
        ),
    ),
    Entry(
        1213,
        "Nothing writes an Out parameter",
        ("nothing writes '",),
        "The annotation promises that the function writes the array, and no statement does.",
        "Write it with `out[:] = ...`, `pl.store(..., out)` or a kernel, or take `pl.Out` away.",
        kernel(
            """
            @pl.jit
            def f(x: A, out: pl.Out[A]):  # error
                return out
            """
        ),
    ),
    Entry(
        1214,
        "What a function cannot return",
        (
            "a kernel returns its pl.Out",
            "whose extents only its call knows; take a parameter out",
            "a @pl.jit function returns arrays",
            "a kernel returns nothing",
            "which this returns",
            "returns a value on one way and nothing on another",
            "this returns a slice of",
            "is declared to return",
            "which means a copy of it, and",
        ),
        "A kernel gives back the arrays that it writes, which its caller passed.",
        "Return Out or InOut parameters; of a tile, `pl.store` it first.",
        control("return x.shape  # error"),
    ),
    Entry(
        1215,
        "An Out parameter is bound to something else",
        ("parameter and this binds it to", "is an array and this is"),
        "An assignment to the name of an Out parameter writes the array, and this value cannot be "
        "written to it.",
        "Store a tile with `pl.store(t, [0, 0], out)`; on the control plane pass the array as the "
        "kernel's Out argument.",
        core("t = pl.load(x, [0, 0], [64, 64])\nout = t  # error"),
    ),
    Entry(
        1216,
        "A value is not of its declared type",
        ("declared …, found", "declared in"),
        "The annotation of a variable says another kind, shape, element type or memory space than "
        "its value has.",
        "Correct the annotation, or leave it out.",
        core("t: pl.Tile[[32, 64], pl.FP32] = pl.load(x, [0, 0], [64, 64])  # error\nout[:] = x"),
    ),
    Entry(
        1217,
        "No program to compile",
        (
            "is no program by itself",
            "has one method of type",
            "^ir.compile takes a program",
            "has one function of kind orchestration",
        ),
        "A program begins with a `@pl.jit` function, or with the one Orchestration method of a "
        "`@pl.program` class.",
        "Call the kernel from a `@pl.jit` function, and compile that.",
        kernel(
            """
            @pl.jit.incore
            def k(x: A, out: pl.Out[A]):
                out[:] = x
                return out

            k.compile()
            """
        ),
    ),
    Entry(
        1218,
        "A read-only array is written",
        ("which is read-only here; annotate it", "an In parameter of", "parameter without pl.Out"),
        "Only parameters annotated `pl.Out` or `pl.InOut` can be written.",
        "Annotate the parameter `pl.Out[...]`, or `pl.InOut[...]` if it is read too.",
        core("t = pl.load(x, [0, 0], [64, 64])\npl.store(t, [0, 0], x)  # error\nout[:] = x"),
    ),
    Entry(
        1219,
        "A helper of a Pro kernel is called wrongly",
        ("helper '", "takes positional arguments only here"),
        "Helpers are plain Python functions with positional parameters, spliced into the kernel.",
        "Give them their arguments by position.",
        pro_text(
            """
            def twice(v):
                return v + v

            @pl.jit
            def kernel(x: pl.Ptr[pl.DT_FP32], n: pl.DT_INT64):
                m = twice(v=n)  # error
            """
        ),
    ),
    Entry(
        1220,
        "A parameter of a Pro kernel",
        (
            "a parameter of a kernel has no",
            "must be the last parameter",
            "tiling parameters (",
            "is a positive number",
            "'...' stands once",
            "tensors are pl.ND in this version",
            "Scalar type does not support dtype",
            "a kernel takes",
        ),
        "A parameter is a `pl.Ptr`, a `pl.Tensor`, a scalar type, or a tiling dataclass at the "
        "end.",
        "Write the annotation in one of these forms.",
        pro("pass", "x: pl.Tensor[[4, 0], pl.DT_FP32]  # error\n"),
    ),
    Entry(
        1221,
        "An option of a decorator",
        (
            "^@… has no option '",
            "^@…: level= is a member of",
            "^@…: role= is a member of",
            "^@…: type= is a member of",
            "^@…: attrs= is a dict",
            "^@…= is True or False, found",
            "runs on a core, whose levels are",
            "so its role is pl.Role.",
            "an inline function runs where its caller does",
            "^ir.compile has no option '",
            "is not what an author writes",
        ),
        "The decorator has no such option, or the option does not take this value for a function "
        "of this type.",
        "The error lists what the decorator takes.",
        kernel(
            """
            @pl.function(typ=pl.FunctionType.InCore)  # error
            def f(x: A, out: pl.Out[A]):
                return out
            """
        ),
    ),
    Entry(
        1222,
        "A name that is bound twice under strict_ssa=True",
        ("is bound again, and this function says strict_ssa=True",),
        "A function or program that says `strict_ssa=True` binds each name once, so that a name is "
        "one value wherever it stands.",
        "Give the new value a name of its own; carry it through a loop with `init_values=` and "
        "`pl.yield_`.",
        kernel(
            """
            @pl.function(type=pl.FunctionType.Orchestration, strict_ssa=True)
            def f(x: A, out: pl.Out[A]):
                with pl.at(level=pl.Level.CORE_GROUP):
                    y = pl.add(x, 1.0)
                    y = pl.mul(y, 2.0)  # error
                    out[:] = y
                return out
            """
        ),
    ),
    Entry(
        1223,
        "pl.func_attr at another place, or with what is no attribute",
        (
            "^pl.func_attr",
            "so that nothing is left to have attributes",
        ),
        "Attributes belong to a function of the IR: they are said in its first statement, as a "
        "dict of numbers, strings, truth values and members of enums.",
        "Write `pl.func_attr({'name': value})` as the first statement of an entry or a kernel.",
        core("out[:] = x\npl.func_attr({'a': 1})  # error"),
    ),
    Entry(
        1224,
        "A method of a program",
        (
            "^program '…' has no function '",
            "has no decorator; write @pl.function",
            "^@pl.program decorates a class",
            "is a method of program '",
        ),
        "The methods of a class under `@pl.program` are functions of the language, each with a "
        "decorator, and `self` has no others.",
        "Decorate the method, or call one that the error lists.",
        kernel(
            """
            @pl.program
            class P:
                @pl.function(type=pl.FunctionType.InCore)
                def copy(self, x: A, out: pl.Out[A]):
                    out[:] = x
                    return out

                @pl.function(type=pl.FunctionType.Orchestration)
                def main(self, x: A, out: pl.Out[A]):
                    out = self.cpoy(x, out)  # error
                    return out
            """
        ),
    ),
    Entry(
        1225,
        "An inline function changes a tile of its caller",
        ("changes elements of a tile of its caller",),
        "A tile is a value: an element that a function writes makes another tile, which the "
        "function has a name for and its caller has not.",
        "Return the changed tile: `t = set_first(t)`.",
        kernel(
            """
            @pl.inline
            def set_first(t):
                t[0, 0] = 1.0

            @pl.jit
            def f(x: A, out: pl.Out[A]):
                with pl.at(level=pl.Level.CORE_GROUP):
                    t = pl.load(x, [0, 0], [64, 64])
                    set_first(t)  # error
                    pl.store(t, [0, 0], out)
                return out
            """
        ),
    ),
    Entry(
        1226,
        "A text that is no program",
        (
            "^the text is no Python",
            "^the text of '…' is no Python",
            "^the text of a program",
            "^a text has one class under @pl.program",
            "has no decorator, and Python does not run in the text",
            "of the text of a program stands under @pl.program",
            "^a program holds functions, found",
            "is no decorator of the language",
            "^a constant has a name, found",
            "is no constant; constants are",
            "^a constant of … bits",
            "': its options have names",
        ),
        "`pl.parse` and `pl.loads` run nothing of a text. Besides functions of the language it "
        "holds imports of `pypto.language` and of `math`, and constants.",
        "Take what the error names out of the text; hand values of Python over as arguments, or "
        "write them as constants.",
        kernel(
            '''
            text = """
            import os
            """
            pl.parse(text)
            '''
        ),
    ),
]
__all__ = ["ENTRIES", "pro"]
