# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""PTO-20xx: the control plane."""

from .entry import COPY, Entry, control, core, kernel, mlir

AT = "with pl.at(level=pl.Level.CORE_GROUP{}):{}\n    out[:] = x"


def at(words: str, mark: str = "  # error"):
    return control(AT.format(words, mark))


ENTRIES = [
    Entry(
        2001,
        "Computation on the control plane",
        (
            "writes an element, and the control plane only reads them",
            "is computation, and the body of a @pl.jit function",
            "is a tile operation, and",
            "and the body of a @pl.jit function is the control plane",
            "computes, and this is the control plane",
            "computes on the control plane",
            "has no form in an orchestration function",
        ),
        "The body of a `@pl.jit` function creates arrays and submits tasks; it runs on no core.",
        "Put the computation in `with pl.at(level=pl.Level.CORE_GROUP):`, or in a "
        "`@pl.jit.incore` function.",
        control("out[:] = pl.mul(x, x)  # error"),
    ),
    Entry(
        2002,
        "Tasks are submitted on a core",
        (
            "an in-core function cannot submit tasks",
            "only the control plane",
            "runs on a core; only",
            "stands in another pl.at",
            "from within a kernel; only orchestration",
        ),
        "Only the control plane submits tasks; this code runs on a core already.",
        "Call an inline function, or submit both kernels from the `@pl.jit` function.",
        kernel(
            """
            @pl.jit.incore
            def k(x: A, out: pl.Out[A]):
                with pl.at(level=pl.Level.CORE_GROUP):  # error
                    out[:] = x
                return out

            @pl.jit
            def f(x: A, out: pl.Out[A]):
                out = k(x, out)
                return out
            """
        ),
    ),
    Entry(
        2003,
        "An array is made on a core",
        ("allocates an array, which in-core code cannot", "runs on a core and allocates no arrays"),
        "Arrays in DDR are made by the control plane.",
        "Create it in the `@pl.jit` function and pass it.",
        core("t = pl.create_tensor([64, 64], pl.FP32)  # error\nout[:] = x"),
    ),
    Entry(
        2004,
        "The words of pl.at",
        (
            "pl.at: level is",
            "pl.at: role is",
            "pl.scope: mode is",
            "= is True or False",
            "name_hint is a string",
            "name_hint '",
            "pl.at: no_dep_args= l",
        ),
        "A word of `pl.at`, `pl.submit`, `pl.spmd` or `pl.scope` has a value that it does not "
        "take.",
        "The error says what it takes.",
        at(', name_hint="a b"'),
    ),
    Entry(
        2005,
        "How many blocks",
        ("runs on at least one block", "runs on … blocks", "starts … blocks together"),
        "A task runs on at least one block, and on no more than the chip has cores for where they "
        "start together.",
        "Give a positive number of blocks.",
        control("with pl.spmd(0):  # error\n    copy(x, out)"),
    ),
    Entry(
        2006,
        "What is no task id",
        ("deps= names tasks",),
        "`deps=` takes what `as tid` or `pl.submit` names, arrays of them, or None.",
        "`ret, tid = pl.submit(...)` names both results; give `tid`.",
        at(", deps=[3]"),
    ),
    Entry(
        2007,
        "The condition of a task",
        (
            "predicate= compares",
            "predicate= reads one element",
            "the condition reads",
            "the condition compares",
            "has a condition of an array",
        ),
        "A condition compares one element of an array of integers with a number.",
        "Write `predicate=flags[i] > 5`.",
        kernel(
            """
            @pl.jit
            def f(x: A, flags: pl.Tensor[[8], pl.INT32], out: pl.Out[A]):
                r, tid = pl.submit(copy, x, out, predicate=flags[0])  # error
                return out
            """,
            COPY + "\n",
        ),
    ),
    Entry(
        2008,
        "no_dep_args names what the task does not use",
        ("no_dep_args= names", "no_dep names", "out of the derived order"),
        "An array that takes no part in the derived order must be one that the task uses.",
        "Leave it out, or name the slice that is used.",
        kernel(
            """
            @pl.jit
            def f(x: A, y: A, out: pl.Out[A]):
                with pl.at(level=pl.Level.CORE_GROUP, no_dep_args=[y]):  # error
                    out[:] = x
                return out
            """
        ),
    ),
    Entry(
        2009,
        "The form of a region",
        (
            "one `with` places one region",
            "as tid` names one task id",
            "a scope is no task",
            "the task is that of the pl.spmd around it",
        ),
        "A `with` places one region, and names one task id where the region is a task.",
        "Write one `with` a region.",
        control("with pl.at(level=pl.Level.CORE_GROUP) as (a, b):  # error\n    out[:] = x"),
    ),
    Entry(
        2010,
        "What pl.spmd launches",
        ("pl.spmd: deps= goes with", "the body of `with pl.spmd(...):`"),
        "`with pl.spmd(n):` launches the one call of a kernel in it on n blocks.",
        "Write one call, or a loop `for i in pl.spmd(n):` whose body is the kernel's.",
        control("with pl.spmd(4):  # error\n    copy(x, out)\n    copy(x, out)"),
    ),
    Entry(
        2011,
        "What pl.submit takes",
        ("submits a kernel, a function decorated", "takes a kernel and its arguments"),
        "`pl.submit` takes a kernel and its arguments.",
        "Give a function decorated with `@pl.jit.incore`.",
        control("r, tid = pl.submit(3, x, out)  # error"),
    ),
    Entry(
        2012,
        "What stands in a cluster",
        (
            "a cluster holds calls of kernels",
            "the cluster holds no kernel",
            "a scope stands in a",
            "stands in a cluster, which holds nothing but kernels",
            "stands in a pl.cluster",
            "pl.cluster: runs no kernel",
            "the cluster has no kernel to run",
        ),
        "A cluster is one task: a kernel for its cube core and one for its vector cores.",
        "Call the kernels in the cluster, and put the rest in front of it.",
        control("with pl.cluster():  # error\n    pass\ncopy(x, out)"),
    ),
    Entry(
        2013,
        "Kernels of a cluster that do not pair up",
        (
            "is a mixed kernel, which fills a cluster",
            "as '…' does; a cluster has one",
            "is a part of the cluster's task",
            "is a part of its cluster's task",
            "this is a second one for",
            "is a mixed kernel, which is a cluster",
            "the cluster cannot run at this stage",
            "has no core yet",
        ),
        "One kernel of a cluster runs on the cube core, the other one on the vector cores.",
        "Leave one out, or call it outside of the cluster.",
        control("with pl.cluster():\n    copy(x, out)\n    copy(x, out)  # error"),
    ),
    Entry(
        2014,
        "A region changes what only the control plane has",
        (
            "the placed region changes",
            "of the placed region, and only arrays leave it",
            "only arrays and scalars go into a task",
            "from outside of pl.at",
        ),
        "A task hands back the arrays in DDR that it writes, nothing else.",
        "Write the value to an array.",
        mlir(
            """
            func.func @entry(%t: !pto.tile<8x8xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
              pto.block.at core_group {
                %e = pto.tile.exp %t : !pto.tile<8x8xf32>  // error
                pto.block.yield
              }
              return
            }
            """,
            "pto-outline-scopes",
        ),
    ),
    Entry(
        2015,
        "A pl.array and its elements",
        (
            "makes 1 to … elements",
            "holds integers, pl.BOOL or pl.TASK_ID",
            "is a pl.array of the control plane",
            "puts … into it",
            "takes a pl.array, found",
            "and this puts",
            "a small array has",
            "a small array holds",
        ),
        "A `pl.array` holds a known number of integers, booleans or task ids, on the control "
        "plane.",
        "Give its elements the type of the array.",
        control("c = pl.array.create(2, pl.INT32)\nc[0] = 1.5  # error\ncopy(x, out)"),
    ),
    Entry(
        2016,
        "A window of an array whose rows lie apart",
        (
            "is not rows at equal distance",
            "is a window of … of",
            "rows of … elements that begin",
            "only an array of two known dimensions is a window",
        ),
        "A kernel takes a matrix of a larger array as rows at equal distance.",
        "Take whole rows, or one matrix at a time.",
        kernel(
            """
            B = pl.Tensor[[4, 64, 64], pl.FP32]

            @pl.jit.incore
            def k(x: pl.Tensor, out: pl.Out[A]):
                out[:] = out
                return out

            @pl.jit
            def f(x: B, out: pl.InOut[A]):
                y = x[0:2, 0:32, :]  # error
                out = k(y, out)
                return out
            """
        ),
    ),
    Entry(
        2017,
        "A task of a module that calls no kernel",
        (
            "dispatches '",
            "gives … as argument",
            "gives … arguments to",
            "results; '… writes",
            "result … is …; '",
            "has … results; '",
            "gives … to '…', which writes it",
            "launches '",
            "returns …, which is not one known array",
        ),
        "A dispatch names an in-core function and gives it arrays of its parameters' types.",
        "Correct the module; programs in Python cannot make this.",
        mlir(
            """
            func.func @entry(%x: tensor<64x64xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
              pto.block.dispatch @nothing(%x) : (tensor<64x64xf32>) -> ()  // error
              return
            }
            """
        ),
    ),
    Entry(
        2018,
        "A level of the machine that nothing runs",
        ("is carried and printed",),
        "Levels other than the core group are kept and printed, and nothing runs them yet.",
        "Use `pl.Level.CORE_GROUP`.",
        mlir(
            """
            module attributes {pto.target = "910B"} {
              func.func @e(%x: tensor<64x64xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
                pto.block.at host {  // error
                  pto.block.yield
                }
                return
              }
            }
            """,
            "run --args out",
        ),
    ),
    Entry(
        2019,
        "A run decides which tasks there are",
        ("which tasks are submitted does not depend on what they compute",),
        "The control plane submits tasks without waiting for their results, so that a condition of "
        "the run cannot end a loop of tasks or the function.",
        "Put what follows into an `if`, or give the tasks a `predicate=`.",
        control(
            """
            for i in pl.range(n):
                copy(x, out)
                if i > 2:
                    break  # error
            """,
            "x: A, n: pl.Scalar[pl.INDEX], out: pl.Out[A]",
        ),
    ),
]
