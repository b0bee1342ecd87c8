# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""PTO-60xx: calling, compiling and watching programs."""

import textwrap

from .entry import Entry, kernel, shell
from .tools import K

PROGRAM = """\
@pl.jit
def f(x: A, out: pl.Out[A]):
    with pl.at(level=pl.Level.CORE_GROUP):
        out[:] = x
    return out

x, out = np.ones((64, 64), np.float32), np.zeros((64, 64), np.float32)
"""


def call(text: str):
    return kernel(PROGRAM + textwrap.dedent(text).strip())


ENTRIES = [
    Entry(
        6001,
        "What a call gives for an array",
        (
            "^argument '…' is an array, found",
            "^argument '…' is an array (NumPy",
            "^argument '…' is an array (a torch",
            "cannot be read through DLPack",
            "actual is an array",
            "expected is an array",
        ),
        "An array parameter takes a NumPy array, a torch tensor on the CPU, or whatever DLPack "
        "hands over.",
        "Pass one of these.",
        call("f(3, out)"),
    ),
    Entry(
        6002,
        "The element type of an argument",
        ("has elements of", "has big-endian elements", "holds numbers as kernels have them"),
        "Kernels take elements of the types that the error lists, and no array is converted "
        "silently.",
        "Convert it: `x.astype(np.float32)`.",
        call("f(x.astype(np.float64), out)"),
    ),
    Entry(
        6003,
        "The shape of an argument",
        (
            "is declared pl.dynamic",
            "has shape",
            "has … dimensions, …, found",
            "has at least … dimensions",
            "has extent …",
            "it has no elements to work on",
            "dimensions, and '",
        ),
        "The argument's shape is not that of the parameter.",
        "Pass an array of that shape, or leave the annotation's shape open.",
        call("f(x[:32], out)"),
    ),
    Entry(
        6004,
        "Where an argument's elements lie",
        (
            "is not contiguous",
            "is pl.Out and read-only",
            "is pl.InOut and read-only",
            "has layout",
            "is on device",
            "is written by the kernel, and is read-only",
        ),
        "An argument is one dense piece of writable memory of the host.",
        "Pass a contiguous copy.",
        call("f(np.asfortranarray(x), out)"),
    ),
    Entry(
        6005,
        "What a call gives for a scalar",
        (
            "is a scalar (",
            "overflows it",
            "^argument '…' is …, and … does not fit",
            "No ctypes mapping",
        ),
        "The argument is no number, or one that the scalar's type does not hold.",
        "Pass a number of that type.",
        kernel(
            """
            @pl.jit
            def f(x: A, n: pl.Scalar[pl.INT32], out: pl.Out[A]):
                with pl.at(level=pl.Level.CORE_GROUP):
                    out[:] = x
                return out

            f(np.ones((64, 64), np.float32), 1 << 40, np.zeros((64, 64), np.float32))
            """
        ),
    ),
    Entry(
        6006,
        "An argument of another type than was compiled",
        ("was compiled for", "^argument '…' is …, found"),
        "The compiled program is for other shapes or values.",
        "Compile it again; a scalar that changes is `pl.RUNTIME`.",
        kernel(
            """
            @pl.jit
            def f(x: A, n: pl.Scalar[pl.INT32], out: pl.Out[A]):
                with pl.at(level=pl.Level.CORE_GROUP):
                    out[:] = pl.mul(x, 2.0)
                return out

            f.compile(n=3)(np.ones((64, 64), np.float32), 4, np.zeros((64, 64), np.float32))
            """
        ),
    ),
    Entry(
        6007,
        "pl.RUNTIME",
        ("is pl.RUNTIME, which compile() takes", "pl.RUNTIME is for scalars"),
        "`pl.RUNTIME` stands for a scalar in `compile()`.",
        "A call gives the number.",
        call("f.compile(x=pl.RUNTIME)"),
    ),
    Entry(
        6008,
        "RunConfig",
        ("RunConfig(", "RunConfig has no field", "config is a pypto.runtime.RunConfig"),
        "A field of the configuration has a value that it does not take.",
        "The error says what it takes.",
        call("from pypto.runtime import RunConfig\nf(x, out, config=RunConfig(schedules=0))"),
    ),
    Entry(
        6009,
        "A platform that there is not, or not here",
        ("no platform '", "runs on an Ascend device", "was compiled for platform", "is the Ascend"),
        "The simulated platforms run on this computer; the others need a device and its tools.",
        "Take a platform that the error lists, such as `a2a3sim`.",
        call('from pypto.runtime import RunConfig\nf(x, out, config=RunConfig(platform="a7"))'),
    ),
    Entry(
        6010,
        "A check of the model that there is not",
        ("there is no check '", "cannot be off"),
        "No check has this name, or the model cannot go on without it.",
        "The error lists the checks.",
        call(
            'from pypto.runtime import RunConfig\nf(x, out, config=RunConfig(checks={"races": False}))'
        ),
    ),
    Entry(
        6011,
        "A stage or dump that there is not",
        ("there is no stage '", "has no stage '", "dump_passes="),
        "The program has no stage of this name.",
        "The error lists the stages; `dump_passes=True` writes all.",
        call('f.compile().debug(x, out, stage="unrolled")'),
    ),
    Entry(
        6012,
        "A trace",
        ("Trace(", "a trace goes to", "writes no trace", "traces none of them"),
        "What is traced, or where it goes, is none that a trace has.",
        "Give `True`, a path, or a function.",
        call("from pypto.runtime import RunConfig\nf(x, out, config=RunConfig(trace=3))"),
    ),
    Entry(
        6013,
        "The debugger",
        (
            "a debugger goes through one order",
            "cannot be debugged by what watches",
            "has ended; debug it again",
            "break_at",
            "there is no breakpoint",
            "print takes the name",
            "not an array",
        ),
        "The debugger stops one run at lines, functions and blocks that the program has.",
        "The error says what the command takes.",
        call("f.compile().debug(x, out).break_at(None)"),
    ),
    Entry(
        6014,
        "pypto.testing.assert_close",
        (
            "actual is none of args",
            "is zero or positive, found",
            "kernel is a @pl.jit function or",
            "name is a parameter that the kernel writes",
        ),
        "The arguments of `assert_close` do not fit each other.",
        "Give `kernel=` and `args=` as the kernel was called.",
        call("from pypto.testing import assert_close\nassert_close(out, x, rtol=-1)"),
    ),
    Entry(
        6016,
        "A memory map without addresses",
        ("a memory map is of a module", "with tiles on chip", "has no allocation on chip"),
        "The module is one before `pto-plan-memory`, or has no tiles.",
        "Compile the program; `compiled.memory` shows its map.",
        shell("python -m pypto.tools.memory_map kernel.mlir", K),
    ),
    Entry(
        6017,
        "PYPTO_STEP_LIMIT",
        ("PYPTO_STEP_LIMIT",),
        "The variable of the environment holds no number.",
        "Set it to a number of steps.",
        call(
            'import os\nos.environ["PYPTO_STEP_LIMIT"] = "many"\ntry:\n    f(x, out)\nfinally:\n    del os.environ["PYPTO_STEP_LIMIT"]'
        ),
    ),
    Entry(
        6018,
        "What ir.compile is told",
        (
            "^ir.compile: …= is a member of",
            "^ir.compile: …= is True or False",
            "^ir.compile: backend_type=… is the Ascend",
            "^RunConfig(…=) is a member of pypto.ir.",
            "^RunConfig(backend_type=…) is the Ascend",
            "is True, False or a member of pypto.ir.PassDumpLevel",
            "^PYPTO_VERIFY_LEVEL is",
        ),
        "The option takes another kind of value, or two options name different chips.",
        "The error says what it takes; the enumerations are in `pypto.ir`.",
        call(
            """
            from pypto import ir

            ir.compile(f, platform="a5sim", backend_type=ir.BackendType.Ascend910B)
            """
        ),
    ),
    Entry(
        6019,
        "A program in the IR that cannot be called",
        (
            "returns an array that is none of its parameters",
            "; a program takes arrays and scalars",
            "^there is no function '",
            "is another one once its text is read back",
        ),
        "`ir.compile` of a program that was read as MLIR finds its parameters and results in the "
        "entry: arrays and scalars that it takes, and which of the arrays it returns.",
        "Let the entry write what it returns to a parameter.",
        kernel(
            '''
            from pypto import ir

            text = """
            module attributes {pto.target = "910B"} {
            func.func @main() -> tensor<8x8xf32> attributes {pto.kind = #pto.kind<orchestration>} {
              %0 = pto.tensor.create : tensor<8x8xf32>
              return %0 : tensor<8x8xf32>
            }
            }
            """
            ir.compile(ir.Program.parse(text))
            '''
        ),
    ),
    Entry(
        6020,
        "A compiled program from its folder",
        (
            "holds no compiled program",
            "needs the program before all passes",
            "where it is not; compile it again",
            "is not there: the program was read from its folder",
            "was compiled by PyPTO",
        ),
        "`CompiledProgram.from_dir` reads what `compile()` wrote: the program after all passes and "
        "its parameters. What came before is not there, and what another version wrote is not "
        "read.",
        "Compile the program again.",
        kernel(
            """
            from pypto.ir import CompiledProgram

            CompiledProgram.from_dir("nothing_here")
            """
        ),
    ),
    Entry(
        6021,
        "What validate_ir expects",
        ("^'…' writes … arrays (…), and expected has", "^'…' writes …, and expected has '"),
        "`expected` holds an array for each parameter that the program writes, in their order, or "
        "some of them by name.",
        "The error lists the parameters that the program writes.",
        call("f.compile(x, out).validate_ir([x, out], [x, out])"),
    ),
]
