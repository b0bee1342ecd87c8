# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""PTO-40xx: what the reference model finds. A message of a check ends in the check's name."""

import textwrap

from .entry import Entry, Example, core, kernel, mlir

TILE = "!pto.buf<16x64xf32, vec, nd>"
ARRAY = "!pto.gm<64x64xf32>"
ALLOC = f"%a = pto.tile.alloc {{addrs = array<i64: 0>}} : {TILE}"
LOAD = f"pto.tile.load ins(%x[0, 0] : {ARRAY}) outs(%a : {TILE})"
STORE = f"pto.tile.store ins(%a : {TILE}) outs(%y[0, 0] : {ARRAY})"
FULL = f"pto.tile.full ins(%one : f32) outs(%a : {TILE})"
EXP = f"pto.tile.exp ins(%a : {TILE}) outs(%a : {TILE})"
END = "pto.block.barrier all"
RUN = "run --args out out 60"


def final(body: str, kind: str = "aiv", end: str = "") -> Example:
    """A kernel behind all passes, as `pypto-run` runs it."""
    body = textwrap.indent(textwrap.dedent(body).strip(), " " * 4)
    return mlir(
        f"""\
module attributes {{pto.target = "910B"}} {{
  func.func @k(%x: {ARRAY} {{pto.dir = #pto.dir<in>}}, %y: {ARRAY} {{pto.dir = #pto.dir<out>}}, %n: index)
      attributes {{pto.kind = #pto.kind<{kind}>, pto.sync = #pto.sync<manual>}} {{
    %c0 = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
{body}
    return{end}
  }}
}}
""",
        RUN,
    )


HALF = "!pto.buf<16x32xf16, vec, nd>"
RING = "!pto.gm<96x32xf16>"
PLAIN = f"pto.block.queue_push %h into %s, 1 : {HALF} into {RING}"


def ring(aic: str, aiv: str, times: int = 1) -> Example:
    """A kernel with a ring of three slots from the AIVs to the AIC."""
    first = "\n      ".join([PLAIN] * (times - 1))
    return mlir(
        f"""\
module attributes {{pto.target = "910B"}} {{
  func.func @k(%s: {RING} {{pto.dir = #pto.dir<out>}})
      attributes {{pto.kind = #pto.kind<group>, pto.sync = #pto.sync<manual>}} {{
    pto.block.section aic {{
      {aic}
      pto.block.barrier all
    }}
    pto.block.section aiv {{
      %h = pto.tile.alloc {{addrs = array<i64: 0>}} : {HALF}
      %zero = arith.constant 0.0 : f16
      pto.tile.full ins(%zero : f16) outs(%h : {HALF})
      pto.block.barrier all
      {first}
      {aiv}
      pto.block.barrier all
    }}
    return
  }}
}}
""",
        "run --args out",
    )


def run(text: str, call: str) -> Example:
    """A program in Python that is called."""
    return kernel(textwrap.dedent(text).strip() + "\n\n" + call)


ONES = "np.ones((64, 64), np.float32)"
ZEROS = "np.zeros((64, 64), np.float32)"
CALL = f"f({ONES}, {ZEROS})"

ENTRIES = [
    Entry(
        4001,
        "Two tasks touch the same bytes in no order",
        ("[task_conflict",),
        "One of the two writes, and no dependence orders them, so that either may come first on "
        "a card. The error names both accesses.",
        "Give the later task the token of the earlier one: `deps=[tid]`; or submit them outside of "
        "`pl.manual_scope`, which derives the order.",
        run(
            """
            @pl.jit.incore
            def copy(x: A, out: pl.Out[A]):
                t = pl.load(x, [0, 0], [64, 64])  # error
                pl.store(t, [0, 0], out)
                return out

            @pl.jit
            def f(x: A, out: pl.Out[A]):
                a = pl.create_tensor([64, 64], pl.FP32)
                with pl.manual_scope():
                    copy(x, a)
                    copy(a, out)
                return out
            """,
            CALL,
        ),
    ),
    Entry(
        4002,
        "Two blocks of a task touch the same bytes in no order",
        ("[block_conflict", "write elements of one line of"),
        "The blocks of a task run at the same time; one writes what another one reads or writes.",
        "Give each block a part of its own, by `pl.tile.get_block_idx()`, or let all blocks meet "
        "between the two: `pl.system.syncall`.",
        run(
            """
            @pl.jit
            def f(x: A, out: pl.Out[A]):
                for i in pl.spmd(4):
                    t = pl.load(x, [i * 16, 0], [16, 64])
                    pl.store(t, [i * 15, 0], out)  # error
                return out
            """,
            CALL,
        ),
    ),
    Entry(
        4003,
        "Two pipes of a core touch the same bytes in no order",
        ("[pipe_race", "writes … at …, which", "reads … at …, which"),
        "The pipes of a core run at the same time, and no flag makes one wait for the other.",
        "Leave order to the compiler; by hand, set a flag behind the first and wait for it in "
        "front of the second.",
        final(f"{ALLOC}\n{LOAD}\n{STORE}  // error\n{END}"),
    ),
    Entry(
        4004,
        "Two cores of a cluster touch the same bytes in no order",
        ("[core_race",),
        "The cube core and the two vector cores of a cluster run at the same time.",
        "Split the work by `pl.tile.get_subblock_idx()`, or order the cores with a cross-core flag.",
        final(
            f"""
            pto.block.section aiv {{
              {ALLOC}
              {FULL}
              pto.block.set_flag v -> mte3, 0
              pto.block.wait_flag v -> mte3, 0
              {STORE}  // error
              {END}
            }}
            """,
            "group",
        ),
    ),
    Entry(
        4005,
        "A flag is set twice",
        ("[flag_set_twice",),
        "A flag holds one signal: set again before its wait, the second one is lost, and the core "
        "hangs.",
        "Wait for it first, or take another id.",
        final("pto.block.set_flag v -> mte3, 0\npto.block.set_flag v -> mte3, 0  // error"),
    ),
    Entry(
        4006,
        "A flag is left set",
        ("[flag_left",),
        "The flag would still be set when the next kernel begins, which takes it for its own.",
        "Wait for every flag that is set.",
        final(f"pto.block.set_flag v -> mte3, 0  // error\n{END}"),
    ),
    Entry(
        4007,
        "Signals between cores that do not pair up",
        ("[cross_core",),
        "A cross-core flag counts to 15, is used in one mode, and is back at zero when the kernel "
        "ends.",
        "Let each signal have its wait.",
        final(
            f"""
            pto.block.section aic {{
              pto.block.cross_core_set fix, 3 {{mode = 2 : i64}}  // error
              {END}
            }}
            pto.block.section aiv {{
              {END}
            }}
            """,
            "group",
        ),
    ),
    Entry(
        4008,
        "A ring is full and nobody frees a slot",
        ("[queue_overrun",),
        "A core pushes a tile, all slots of the ring are taken, and the other core frees none.",
        "Free each popped slot with `pto.block.queue_free`, or make the ring larger.",
        ring("", f"{PLAIN}  // error", 4),
    ),
    Entry(
        4009,
        "A tile of a ring is popped that nobody pushes, or left",
        ("[queue_underrun",),
        "Pushes and pops of a ring do not pair up when the kernel ends.",
        "Pop each tile once.",
        ring("", f"{PLAIN}  // error"),
    ),
    Entry(
        4010,
        "A slot of a ring is not freed, or freed twice",
        ("[queue_free",),
        "Each popped slot is freed once.",
        "Free it behind its last use.",
        ring("pto.block.queue_free 1  // error", ""),
    ),
    Entry(
        4011,
        "A kernel ends before its pipes are done",
        ("[no_final_barrier",),
        "Instructions may still be running when the next task begins.",
        "End the kernel with `pto.block.barrier all`; the compiler does so by itself.",
        final(f"{ALLOC}\n{LOAD}", end="  // error"),
    ),
    Entry(
        4012,
        "A mutex is not locked and unlocked in turn",
        ("[mutex",),
        "A mutex is locked and unlocked by the same pipe, once each, and free at the end.",
        "Unlock what is locked: `pl.mutex` scopes do both.",
        mlir(
            """
            module attributes {pto.target = "950"} {
              func.func @k(%x: !pto.gm<64x64xf32> {pto.dir = #pto.dir<in>})
                  attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
                pto.block.mutex_lock v, 0
                pto.block.mutex_lock v, 0  // error
                return
              }
            }
            """,
            "run --args out",
        ),
    ),
    Entry(
        4013,
        "An accumulator's unit flag",
        ("[unit_flag",),
        "With `phase=`, a product hands its accumulator to the store by a flag of the unit; the "
        "last product sets it, the last store takes it.",
        "Give the last product `pl.AccPhase.Final` and the last store `pl.STPhase.Final`.",
        mlir(
            """
            module attributes {pto.target = "950"} {
              func.func @k(%y: !pto.gm<32x32xf32> {pto.dir = #pto.dir<out>})
                  attributes {pto.kind = #pto.kind<aic>, pto.sync = #pto.sync<manual>} {
                %c = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<32x32xf32, acc, nz>
                pto.tile.store ins(%c : !pto.buf<32x32xf32, acc, nz>) outs(%y[0, 0] : !pto.gm<32x32xf32>) {phase = #pto.phase<final>}  // error
                pto.block.barrier all
                return
              }
            }
            """,
            "run --args out",
        ),
    ),
    Entry(
        4014,
        "A value is in the scalar unit's cache only",
        ("[data_cache", "may be in a line of the data cache"),
        "The scalar unit reads and writes DDR through a data cache; other units and cores see the "
        "value when its line is written out.",
        "Write it out with `pl.system.dcci` behind the write, or in front of the read.",
        mlir(
            """
            module attributes {pto.target = "950"} {
              func.func @k(%x: !pto.gm<?xi32> {pto.dir = #pto.dir<inout>})
                  attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>} {
                %seven = arith.constant 7 : i32
                pto.tile.set_value %seven, %x[3] : i32, !pto.gm<?xi32>  // error
                pto.block.barrier all
                return
              }
            }
            """,
            "run --args out:16",
        ),
    ),
    Entry(
        4015,
        "A hang",
        ("[hang", "waits for a signal that no core"),
        "A core waits for what nobody sets.",
        "Set the flag that it waits for, and launch no more blocks that meet than there are cores.",
        final("pto.block.wait_flag v -> mte3, 0  // error"),
    ),
    Entry(
        4016,
        "Bytes are read that nothing has written",
        ("[uninitialized",),
        "On a card they would hold what an earlier program left there.",
        "Write the array or tile before it is read.",
        run(
            """
            @pl.jit
            def f(x: A, out: pl.Out[A]):
                a = pl.create_tensor([64, 64], pl.FP32)
                with pl.at(level=pl.Level.CORE_GROUP):
                    t = pl.load(a, [0, 0], [64, 64])  # error
                    pl.store(t, [0, 0], out)
                return out
            """,
            CALL,
        ),
    ),
    Entry(
        4017,
        "An Out array is read",
        ("[out_read",),
        "The content of an Out array is unknown until the task has written it.",
        "Annotate an array that is read and written `pl.InOut`.",
        run(
            """
            @pl.jit.incore
            def k(x: A, out: pl.Out[A]):
                t = pl.load(out, [0, 0], [64, 64])  # error
                pl.store(pl.add(t, 1.0), [0, 0], out)
                return out

            @pl.jit
            def f(x: A, out: pl.Out[A]):
                out = k(x, out)
                return out
            """,
            CALL,
        ),
    ),
    Entry(
        4018,
        "A tile is read whose bytes another tile took",
        ("[buffer_reuse", "are overwritten: they hold"),
        "Two tiles have addresses that overlap, and the first one is read after the second was "
        "written.",
        "Give the second tile another address.",
        final(
            f"""
            {ALLOC}
            %b = pto.tile.alloc {{addrs = array<i64: 0>}} : {TILE}
            {FULL}
            pto.block.barrier v
            pto.tile.full ins(%one : f32) outs(%b : {TILE})
            pto.block.barrier v
            {EXP}  // error
            {END}
            """
        ),
    ),
    Entry(
        4019,
        "The answer depends on the order of the tasks",
        ("[schedule_difference",),
        "Two orders that the dependences allow give different answers.",
        "Order the tasks; with the check `task_conflict` on, the error names the two accesses.",
        run(
            """
            from pypto.runtime import RunConfig

            @pl.jit.incore
            def add(x: pl.InOut[A], by: pl.Scalar[pl.FP32]):
                t = pl.load(x, [0, 0], [64, 64])
                pl.store(pl.add(pl.mul(t, by), by), [0, 0], x)
                return x

            @pl.jit
            def f(x: pl.InOut[A]):
                with pl.manual_scope():
                    add(x, 2.0)
                    add(x, 3.0)
                return x
            """,
            f'f({ONES}, config=RunConfig(checks={{"task_conflict": False}}, schedules=8))',
        ),
    ),
    Entry(
        4020,
        "A core is given what it does not have",
        ("[core_kind",),
        "Cube cores have no Vec and no pipe V; vector cores have no Mat, Left, Right and Acc.",
        "Put the code in a kernel, or a section, of the other core.",
        final("pto.block.barrier v  // error", "aic"),
    ),
    Entry(
        4021,
        "The chip has no such instruction",
        ("[instruction]", "[instruction;"),
        "No instruction of the chip does this operation on elements of this type.",
        "`pto-legalize` writes it with instructions that there are; run the pipeline.",
        final(
            f"{ALLOC}\n{FULL}\npto.block.barrier v\n"
            f"pto.tile.neg ins(%a : {TILE}) outs(%a : {TILE})  // error"
        ),
    ),
    Entry(
        4022,
        "An instruction's fields are too small",
        ("[instruction_limits",),
        "Repeats, strides and addresses of an instruction have limits.",
        "`pto-expand-instructions` cuts operations into instructions; run the pipeline.",
        final(
            f"""
            {ALLOC}
            %v = pto.tile.subview %a[0, 4] [16, 8] : {TILE} -> !pto.buf<16x8xf32, vec, nd, of<16x64>>
            {FULL}
            pto.block.barrier v
            pto.tile.exp ins(%v : !pto.buf<16x8xf32, vec, nd, of<16x64>>) outs(%v : !pto.buf<16x8xf32, vec, nd, of<16x64>>)  // error
            """
        ),
    ),
    Entry(
        4023,
        "Destination and source of an instruction overlap in part",
        ("[operand_overlap",),
        "An instruction reads and writes in pieces, so that it would read what it has written.",
        "Use the same bytes for both, or different ones.",
        final(
            f"""
            {ALLOC}
            %b = pto.tile.alloc {{addrs = array<i64: 32>}} : {TILE}
            {FULL}
            pto.block.barrier v
            pto.tile.exp ins(%a : {TILE}) outs(%b : {TILE})  // error
            """
        ),
    ),
    Entry(
        4024,
        "An allocation that its space does not take",
        ("[allocation",),
        "Addresses are multiples of what the space demands, and each space has its layouts.",
        "Leave addresses to `pto-plan-memory`, or give a multiple.",
        final(f"%a = pto.tile.alloc {{addrs = array<i64: 48>}} : {TILE}  // error"),
    ),
    Entry(
        4025,
        "Too many buffers in a kernel",
        ("[buffer_count", "buffers of different shapes or places"),
        "A kernel has only so many registers for addresses.",
        "Split the function, or use tiles of one shape.",
        final(
            "\n".join(
                f"%a{i} = pto.tile.alloc {{addrs = array<i64: {64 * i}>}} : "
                "!pto.buf<1x8xf32, vec, nd>"
                for i in range(65)
            )
        ),
    ),
    Entry(
        4026,
        "A window, index or id is out of bounds in this run",
        ("[bounds",),
        "An offset, extent, index or id that the run computes is beyond what there is.",
        "Correct the computation; the error says what it came to.",
        run(
            """
            @pl.jit
            def f(x: A, n: pl.Scalar[pl.INDEX], out: pl.Out[A]):
                with pl.at(level=pl.Level.CORE_GROUP):
                    t = pl.load(x, [n, 0], [32, 64])  # error
                    pl.store(t, [0, 0], out)
                return out
            """,
            f"f.compile(n=pl.RUNTIME)({ONES}, 33, {ZEROS})",
        ),
    ),
    Entry(
        4027,
        "More is read of a tile than is valid",
        ("[valid_region",),
        "An operation reads rows or columns of a tile that hold nothing.",
        "Give both operands the same valid shape.",
        run(
            """
            @pl.jit
            def f(x: A, n: pl.Scalar[pl.INDEX], out: pl.Out[A]):
                with pl.at(level=pl.Level.CORE_GROUP):
                    t = pl.load(x, [0, 0], [64, 64], valid_shape=[n, 64])
                    u = pl.load(x, [0, 0], [64, 64])
                    pl.store(pl.add(u, t), [0, 0], out)  # error
                return out
            """,
            f"f.compile(n=pl.RUNTIME)({ONES}, 33, {ZEROS})",
        ),
    ),
    Entry(
        4028,
        "An In array is written in this run",
        ("[in_write",),
        "A task writes an array that its function takes as In.",
        "Make the parameter Out or InOut.",
        final(
            f"{ALLOC}\n{FULL}\npto.block.set_flag v -> mte3, 0\npto.block.wait_flag v -> mte3, 0\n"
            f"pto.tile.store ins(%a : {TILE}) outs(%x[0, 0] : {ARRAY})  // error\n{END}"
        ),
    ),
    Entry(
        4029,
        "Two arguments share memory, and one is written",
        ("[argument_overlap", "overlap in memory, and"),
        "The program orders its tasks by arrays, and takes two arguments for two arrays.",
        "Pass a copy, or make it one InOut parameter.",
        run(
            """
            @pl.jit
            def f(x: A, out: pl.Out[A]):  # error
                with pl.at(level=pl.Level.CORE_GROUP):
                    out[:] = x
                return out

            a = np.ones((64, 64), np.float32)
            """,
            "f(a, a)",
        ),
    ),
    Entry(
        4030,
        "An integer is divided by zero",
        ("[division",),
        "The chip gives an undefined number for it.",
        "Test the divisor first.",
        run(
            """
            @pl.jit
            def f(x: A, n: pl.Scalar[pl.INDEX], out: pl.Out[A]):
                with pl.at(level=pl.Level.CORE_GROUP):
                    m = 64 // n  # error
                    pl.store(pl.load(x, [m, 0], [32, 64]), [0, 0], out)
                return out
            """,
            f"f.compile(n=pl.RUNTIME)({ONES}, 0, {ZEROS})",
        ),
    ),
    Entry(
        4031,
        "The run does not end, or was stopped",
        ("stopped after … steps", "^interrupted", "interrupted"),
        "The run took more steps than its limit, or Ctrl-C ended it.",
        "Look for a loop that does not end; `RunConfig(step_limit=)` sets the limit.",
        run(
            """
            from pypto.runtime import RunConfig

            @pl.jit
            def f(x: A, n: pl.Scalar[pl.INDEX], out: pl.Out[A]):
                with pl.at(level=pl.Level.CORE_GROUP):
                    for i in pl.range(n):
                        out[:] = x
                return out
            """,
            f"f.compile(n=pl.RUNTIME)({ONES}, 1 << 40, {ZEROS}, config=RunConfig(step_limit=1000))",
        ),
    ),
    Entry(
        4032,
        "The kernel stops itself",
        ("stops the kernel", "pl.pto_assert"),
        "`pl.trap`, or an assertion of the kernel that does not hold.",
        "The message and the values say what its author expects.",
        final("pto.block.trap  // error"),
    ),
]
__all__ = ["ENTRIES", "core"]
