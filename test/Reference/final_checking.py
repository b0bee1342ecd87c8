# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Final modules written by hand, their pieces, and what `pypto-run --json` says of them.
A line that a report names ends in `//: label`."""
# ruff: noqa: E501 (lines of IR)

from __future__ import annotations

import dataclasses
import re

# Those that nothing can go on without.
ALWAYS = {"hang", "in_write"}
T = "!pto.buf<16x64xf32, vec, nd>"
X = "!pto.gm<64x64xf32>"


def kernel(body: str, kind: str = "aiv", x: str = "in") -> str:
    return f"""module attributes {{pto.target = "910B"}} {{
  func.func @k(%x: {X} {{pto.dir = #pto.dir<{x}>}}, %y: {X} {{pto.dir = #pto.dir<out>}}, %n: index) //: kernel
      attributes {{pto.kind = #pto.kind<{kind}>, pto.sync = #pto.sync<manual>}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1.0 : f32
{body}
    return //: return
  }}
}}"""


def alloc(name: str, address: int, type: str = T, label: str = "") -> str:
    mark = f" //: {label}" if label else ""
    return f"    %{name} = pto.tile.alloc {{addrs = array<i64: {address}>}} : {type}{mark}\n"


def load(tile="a", row="0", label="load", array="x", type=T) -> str:
    return f"    pto.tile.load ins(%{array}[{row}, 0] : {X}) outs(%{tile} : {type}) //: {label}\n"


def store(tile="a", row="0", label="store", array="y", type=T) -> str:
    return f"    pto.tile.store ins(%{tile} : {type}) outs(%{array}[{row}, 0] : {X}) //: {label}\n"


def unary(name, source="a", to=None, label="compute", type=T) -> str:
    return (
        f"    pto.tile.{name} ins(%{source} : {type}) outs(%{to or source} : {type}) //: {label}\n"
    )


def full(tile="a", label="full", type=T) -> str:
    return f"    pto.tile.full ins(%one : f32) outs(%{tile} : {type}) //: {label}\n"


def set_(pair, number="0", label="set") -> str:
    return f"    pto.block.set_flag {pair}, {number} //: {label}\n"


def wait(pair, number="0", label="wait") -> str:
    return f"    pto.block.wait_flag {pair}, {number} //: {label}\n"


def flag(pair, number="0", label="") -> str:
    return set_(pair, number, label + "set") + wait(pair, number, label + "wait")


def barrier(pipe="all") -> str:
    return f"    pto.block.barrier {pipe}\n"


A, B = alloc("a", 0), alloc("b", 4096)
END = barrier()
IN, VOUT = "mte2 -> v", "v -> mte3"
# load, add one instruction, store: the right program near many of the wrong ones.
RIGHT = kernel(A + B + load() + flag(IN) + unary("exp", "a", "b") + flag(VOUT) + store("b") + END)


@dataclasses.dataclass(frozen=True)
class Case:
    """`now` and `other`: label, and what the report says of the access; `off`: what is
    found without the check."""

    check: str
    text: str
    now: tuple
    other: tuple | None = None
    fix: str | None = None
    message: str = ""
    off: tuple = ()
    number: int = 4


def at(label, **words):
    return label, words


def line_of(text, label):
    found = [
        n for n, line in enumerate(text.splitlines(), 1) if line.rstrip().endswith(f"//: {label}")
    ]
    assert len(found) == 1, (label, found)
    return found[0]


def check_access(found, wanted, text):
    label, words = wanted
    assert found["line"] == line_of(text, label), found
    assert found["file"].endswith("k.mlir")
    assert {name: found[name] for name in words} == words


def refuse(case: Case, run_json):
    """The module is refused with the check, and without it what it says is found."""
    made = run_json(case.text, number=case.number)
    assert [report["check"] for report in made["reports"]] == [case.check], made
    report = made["reports"][0]
    check_access(report["accesses"][0], case.now, case.text)
    if case.other:
        check_access(report["accesses"][1], case.other, case.text)
    if case.fix:
        assert case.fix in report["fix"]
    assert re.search(case.message, report["message"]), report["message"]
    assert f"[{case.check}" in made["diagnostics"][0]["message"]
    if case.check in ALWAYS:
        return
    rest = run_json(case.text, "--checks", f"all,-{case.check}", number=case.number)
    assert [report["check"] for report in rest["reports"]] == list(case.off), rest
