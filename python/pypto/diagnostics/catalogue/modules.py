# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""PTO-70xx: modules in MLIR that are written or changed by hand, what passes demand of each
other, and AscendC."""

from .entry import Entry, kernel, mlir


def function(
    body: str,
    passes: str = "",
    kind: str = "aiv",
    arguments: str = "%x: !pto.gm<16x64xf32>",
    target="910B",
):
    lines = "\n".join("    " + line for line in body.strip().splitlines())
    return mlir(
        f'module attributes {{pto.target = "{target}"}} {{\n'
        f"  func.func @k({arguments}) attributes {{pto.kind = #pto.kind<{kind}>}} {{\n{lines}\n"
        "    return\n  }\n}",
        passes,
    )


T = "!pto.buf<16x64xf32, vec, nd>"
ENTRIES = [
    Entry(
        7001,
        "The text is no module",
        (
            "the text is no MLIR module",
            "^expected '",
            "expected SSA",
            "expected operation",
            "custom op '",
            "use of undeclared",
            "unknown … '",
            "error: expected",
        ),
        "The text does not follow MLIR's grammar, or names operations, types or attributes that "
        "there are not.",
        "Correct the text at the place of the error.",
        mlir("func.func @k() {\n  return 3  // error\n}"),
    ),
    Entry(
        7002,
        "The module names no chip, or another",
        ("the module names no chip", "unknown chip '", "the module is for chip"),
        "What follows depends on the chip, which the attribute `pto.target` says.",
        'Write `module attributes {pto.target = "910B"}`, or run `pto-set-target`.',
        mlir("module {  // error\n}", "pto-plan-memory"),
    ),
    Entry(
        7003,
        "An attribute of PyPTO in the wrong place",
        ("^attribute '", "can be Out or InOut"),
        "`pto.kind`, `pto.sync`, `pto.dir` and the like have each its form and its place.",
        "Correct the attribute.",
        mlir("func.func @k() attributes {pto.kind = 3} {  // error\n  return\n}"),
    ),
    Entry(
        7004,
        "A type of PyPTO that does not exist",
        (
            "is of an array whose rows follow",
            "a tile has two dimensions, found",
            "a tile is on chip; DDR",
            "a tile has a layout only in",
            "a buffer is on chip",
            "an allocation has",
            "an allocation of …",
            "a window of … does not fit",
            "the distance between rows",
            "an array's dimensions are",
        ),
        "The numbers of the type contradict each other.",
        "Correct the type.",
        mlir("func.func @k(%t: !pto.tile<16x64xf32, ddr>) {  // error\n  return\n}"),
    ),
    Entry(
        7005,
        "An operation with the wrong operands or results",
        (
            "is a value; on buffers it is",
            "has values for",
            "in buffer form",
            "mixes tile values and buffers",
            "needs either a result",
            "has a result exactly if",
            "result type differs",
            "is an instruction, which passes write",
            "makes a whole allocation",
            "slots and … addresses",
            "has a negative",
            "slots and … mutex",
            "picks slot",
            "changes more than the shape",
            "needs two offsets",
            "is not a multiple of the fractal's",
            "has one offset",
            "makes a pointer",
            "makes an array",
            "is of an array with pitch",
            "has two axes",
            "needs … places",
            "is made of a pointer",
            "keeps the element type",
            "extents and … strides",
            "an element of … is",
            "valid extents are two",
            "must be in",
            "makes its result in",
            "makes a tile of",
            "transposes on the way",
            "from Acc to Vec says",
            "acc_to_vec says where",
            "relu and phase are for",
            "the scalar unit reaches Vec",
            "has … values for",
            "has … arguments; ",
            "is a number of",
        ),
        "The operation's operands, results or attributes do not fit each other.",
        "docs/reference says what the operation takes.",
        function(f"%a = pto.tile.alloc {{addrs = array<i64: 0, 64>}} : {T}  // error"),
    ),
    Entry(
        7006,
        "An operation of flags and queues",
        (
            "stands in a function of kind group",
            "stands in no other section",
            "joins two single pipes",
            "joins two different pipes",
            "needs one event id",
            "needs one id",
            "is of a single pipe",
            "has mode …",
            "has id …; ids",
            "waits for one of",
            "the ring is an array",
            "a slot holds a tile",
            "does not hold slots of",
            "pushes tiles of",
            "pushes … into",
            "pops into",
            "pops …",
            "a queue joins",
            "takes tiles of FP16",
            "there is no barrier for it",
        ),
        "Pipes, ids, modes or the ring are none that the operation takes.",
        "Take an id, a mode or a pipe that the error names.",
        function("pto.block.set_flag v -> v, 0  // error"),
    ),
    Entry(
        7007,
        "An operation of the control plane",
        ("ends with pto.block.yield", "has a region without arguments", "yields other types"),
        "A region hands back by `pto.block.yield` what the operation makes.",
        "Correct the region.",
        mlir(
            """
            func.func @e(%x: tensor<64x64xf32>) attributes {pto.kind = #pto.kind<orchestration>} {
              %0 = pto.block.at core_group -> (tensor<64x64xf32>) {
                pto.block.yield  // error
              }
              return
            }
            """
        ),
    ),
    Entry(
        7008,
        "A pass meets a module of another stage",
        (
            "run pto-",
            "Run --pto-pipeline",
            "runs first",
            "has no buffer form",
            "is still a region",
            "pto-expand-instructions cuts it",
            "pto-expand-instructions makes",
            "works on tile values",
            "must come from pto.tile.alloc",
            "whose size no pto.tile.subview says",
            "has no address",
            "has no operation on tiles",
            "is left",
            "has no layout yet",
            "pto-legalize turns it",
            "pto-legalize makes",
            "have no place on chip",
            "which has no place on chip",
            "must be an array argument of the kernel",
            "only pl.load and pl.store reach DDR",
            "needs …, which does not exist",
            "states a valid region",
        ),
        "Passes run in the order of the pipeline; this one needs what an earlier one makes.",
        "Run `--pto-pipeline`, or the passes in front of this one.",
        function(
            "%t = pto.tile.load %x[0, 0] : !pto.gm<16x64xf32> -> !pto.tile<16x64xf32, vec>  // error",
            "pto-insert-sync",
        ),
    ),
    Entry(
        7009,
        "Control flow that a pass does not take",
        (
            "which pto-insert-sync does not order",
            "a while loop that carries",
            "branches between blocks",
            "orders instructions in scf.for",
            " kernels of one block with",
            "cannot carry or select tiles",
            "passes through '",
            "does not hand the array on",
            "cannot use arrays in code",
            "is carried is a product",
            "the loop's step is",
            "a loop's step is",
            "AscendC code carries scalars",
            "counts in",
        ),
        "Kernels are made of `scf.for`, `scf.if` and, where the author's order stands, `scf.while`; "
        "their steps are positive.",
        "Write loops and branches with these.",
        mlir(
            """
            module attributes {pto.target = "910B"} {
              func.func @k() attributes {pto.kind = #pto.kind<aiv>} {  // error
                cf.br ^next
              ^next:
                return
              }
            }
            """,
            "pto-insert-sync",
        ),
    ),
    Entry(
        7010,
        "Order by hand where the compiler orders",
        (
            "an author's flag in a function",
            "orders pipes by hand",
            "only you set flags",
            "leave one, and write the ids",
            "found no order for this instruction",
            "which a mutex orders",
        ),
        "A function's flags are all the compiler's, or all the author's.",
        "Mark the function `pto.sync = #pto.sync<manual>`, or leave flags out.",
        function(
            "pto.block.set_flag mte2 -> v, 0  // error\npto.block.wait_flag mte2 -> v, 0",
            "pto-insert-sync",
        ),
    ),
    Entry(
        7011,
        "What a function of a stage may take and return",
        (
            "returns each of them",
            "as it is at the end",
            "kernel returns its Out",
            "returns … for an argument",
            "; … takes arrays and scalars",
            "; … returns arrays",
            "inline function '",
            "takes …, as …, which",
            "as it was before it was written",
            "a value on chip; write",
            "has results that cannot be dropped",
            "returns values; a kernel writes",
        ),
        "A function returns what it writes, in the order of its parameters; arrays have one content "
        "at a time.",
        "Correct the function's results.",
        mlir(
            """
            module attributes {pto.target = "910B"} {
              func.func @k(%x: tensor<64x64xf32>, %y: tensor<64x64xf32> {pto.dir = #pto.dir<out>})
                  attributes {pto.kind = #pto.kind<in_core>} {
                return  // error
              }
            }
            """,
            "pto-convert-tensor-to-tile-ops",
        ),
    ),
    Entry(
        7012,
        "What the model does not run",
        (
            "which a run cannot be given",
            "the reference model does not run",
            "does not run on the reference model",
            "cannot be given to the reference model",
            "has no body to run",
            "calls '",
            "which the model does not run",
            "takes … arguments, found",
            "only a pointer may be nothing",
            "found nothing",
            "found an array",
            "more than a profile holds",
            "a profile needs the final stage",
            "so that its instructions have no times",
            "a kernel runs on",
        ),
        "The module holds an operation, type or function that the reference model has not.",
        "Use the operations of docs/reference, and `func.func` with a body.",
        mlir(
            """
            module attributes {pto.target = "910B"} {
              func.func @g() attributes {pto.kind = #pto.kind<aiv>} {
                return
              }
              func.func @k() attributes {pto.kind = #pto.kind<orchestration>} {
                func.call @g() : () -> ()  // error
                return
              }
            }
            """,
            "run --entry k",
        ),
    ),
    Entry(
        7013,
        "What has no AscendC form: functions",
        (
            "which is one of several arrays; give",
            "names no file and no C++",
            "has no body to print",
            "AscendC has kernels of kind",
            "is no parameter of a kernel",
            "has no C++ form",
            "is no function; AscendC",
            "is no kernel",
            "makes an array of unknown extents",
            "needs the extents of",
            "gives … to a kernel",
            "order the tasks with tokens",
            "returns …, which is not one known",
        ),
        "AscendC has kernels and entries with arrays, pointers and scalars, named as C++ names are.",
        "Correct the function as the error says.",
        mlir(
            """
            module attributes {pto.target = "910B"} {
              func.func @"../f"() attributes {pto.kind = #pto.kind<aiv>} { return }  // error
            }
            """,
            "emit",
        ),
    ),
    Entry(
        7014,
        "What has no AscendC form: an instruction",
        (
            "works on rows, and the values of",
            "copies one run of bytes",
            "an extent of which is no multiple",
            "is not one instruction",
            "is too much for one instruction",
            "is one instruction for",
            "one instruction copies",
            "one instruction skips",
            "one instruction spreads",
            "copies rows",
            "copies … rows",
            "copies a Vec buffer",
            "copies from a space that no instruction",
            "skips …",
            "writes values … elements apart",
            "reads values that lie",
            "works on eight values",
            "works in Vec on layout",
            "reads or writes Vec at 32-byte",
            "takes one block of 32 bytes",
            "turns fractals",
            "to Mat copies",
            "to Mat in layout",
            "to Bias copies",
            "to Vec copies",
            "takes rows that begin",
            "copies … bytes in Vec",
            "adds in DDR",
            "splits",
            "prints arrays of",
            "prints buffers",
            "copies an array of the tensor level",
            "works on the array",
            "works on the buffer",
            "needs an array of two",
            "copies rows whose elements",
            "reaches an element of layout",
            "begins at byte",
            "reaches byte",
            "is in …, which",
            "mixes …, whose",
            "one value after the other",
            "takes values by eight",
            "no element-wise operation to fold",
            "multiplies …, and one product",
            "copies rows into fractals",
            "halves the rows",
            "halves the columns",
            "one block of 32 bytes a row",
            "copies … of layout",
            "takes one value",
            "is no instruction from",
            "has no conversion from … on the way",
        ),
        "The operation is more, or less, than one instruction of the chip.",
        "Run `pto-expand-instructions`, which cuts operations into instructions.",
        function(
            f"""
%a = pto.tile.alloc {{addrs = array<i64: 16>}} : {T}  // error
""",
            "emit",
        ),
    ),
    Entry(
        7015,
        "What has no AscendC form: order",
        (
            "for which … has no event",
            "has event id",
            "holds pipe s",
            "has no mutexes",
            "has mode …, which joins",
            "which no kernel may use",
            "is made of signals",
            "joins cores of kind",
            "works on pipe",
            "which not every core",
            "event id …; a kernel",
            "has no flag from",
            "has no pipe",
            "no flag from",
            "works on …, which",
        ),
        "The pipe, event or signal is none that this core of the chip has.",
        "Take one that it has.",
        function("pto.block.set_flag mte2 -> v, 6  // error", "emit"),
    ),
    Entry(
        7016,
        "What has no AscendC form: scalars",
        (
            "has no C++ comparison",
            "selects …",
            "divides unsigned numbers",
            "would round twice",
            "reads an element of type",
            "a constant of type",
        ),
        "C++ on the core has no such computation.",
        "Compute it in another type, as the error says.",
        function("%d = arith.ceildivui %s, %s : index  // error", "emit", arguments="%s: index"),
    ),
    Entry(
        7017,
        "What stage rules demand",
        ("pto-verify-level: after", "names no pass of the pipeline"),
        "Behind each pass the module is of a known form; this one is not.",
        "If a pass made it so, report it; else correct the module.",
        mlir(
            'module attributes {pto.target = "910B"} {  // error\n}',
            "pto-verify-level{after=pto-no-such-pass}",
        ),
    ),
    Entry(
        7018,
        "An operation of MLIR is wrong",
        (
            "^'…' op ",
            "redefinition of",
            "operand #",
            "op operand",
            "operation defined here",
            "region #",
            "does not dominate",
            "failed to verify",
        ),
        "An operation of MLIR's own dialects does not hold its rules.",
        "MLIR's documentation says what the operation takes.",
        mlir("func.func @k() -> f32 {\n  return  // error\n}"),
    ),
    Entry(
        7019,
        "A mistake of PyPTO",
        (
            "without saying why",
            "and report this",
            "changes an answer of",
            "fail, which … did not",
            "which nobody should see",
        ),
        "A pass failed in silence, found no order, or changed an answer.",
        "Report it, with the program and the command that the error shows.",
        None,
    ),
    Entry(
        7020,
        "A text that as_python did not print",
        (
            "a printed program",
            "a printed function",
            "a printed `while True`",
            "that as_python prints",
            "that a program prints",
            "what stands behind this line is no note",
            "belongs to nothing",
            "a bracket is not closed",
            "has no value here",
            "here stands",
            "no operation has this sign",
            "this is no operation's name",
            "no operation is called",
            "there is no operation '",
            "no operation can be made of this line",
            "the program has no function '",
            "a loop is over pl.range, pl.parallel or pl.while_",
            "a region is one of",
        ),
        "`Program.from_python` reads what `Program.as_python` prints, line by line; this line is "
        "none of that kind.",
        "Write kernels in the language (`@pl.jit`, `pl.parse`); change a printed program only in "
        "ways in which it could have been printed.",
        kernel(
            """
            from pypto.ir import Program

            Program.from_python("class p:\\n    x = 1\\n")
            """
        ),
    ),
]
