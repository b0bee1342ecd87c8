# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What a printed line leaves unsaid.

`as_python` prints a line for people; the reader (`ir/reader.py`) makes an operation of it
again. What the line alone does not tell stands behind it in a comment:

    q: pl.Scalar[pl.INDEX] = a // b  #: arith.divui
    pl.load(x, [0, 0], out=t)  #: {clamp}

A note has up to five parts: the operation's name, its operands in parentheses, attributes
in braces, the types of its results behind an arrow; or the names that a region gives. One
that begins with `=` says all.
"""

from __future__ import annotations

import dataclasses
import re

from ..mlir import ir

MARK = "  #: "
# Attributes that every operation of their kind has, and what they are unless something is said.
_USUAL = {"fastmath": "#arith.fastmath<none>", "overflowFlags": "#arith.overflow<none>"}
# What the line itself says in its own way: the author's names, and the comment of a reason.
_SAID = ("pto.names", "pto.reason")


@dataclasses.dataclass
class Meaning:
    """An operation, before there is one. An operand is a value, or the attribute of a
    constant."""

    name: str
    operands: list
    attributes: dict[str, ir.Attribute] = dataclasses.field(default_factory=dict)
    results: list[ir.Type] = dataclasses.field(default_factory=list)
    # The names that its results have behind the line, if the line has no target.
    rebinds: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Note:
    """What stands behind a line; None where it says nothing."""

    name: str | None = None
    operands: list[str] | None = None
    attributes: dict[str, ir.Attribute] = dataclasses.field(default_factory=dict)
    results: list[ir.Type] | None = None
    # (name behind the region, text of the value in it)
    gives: list[tuple[str, str]] | None = None
    whole: bool = False

    @staticmethod
    def read(text: str) -> Note:
        """The note of a text. Raises ValueError if it is none."""
        note, rest = Note(), text.strip()
        if rest.startswith("="):
            note.whole, rest = True, rest[1:].lstrip()
        rest, gives, names = rest.partition("gives ")
        if gives:
            pairs = [pair.strip().partition("=") for pair in split(names)]
            note.gives = [(name, text or name) for name, _, text in pairs]
        found = re.match(r"[A-Za-z_][\w.]*", rest)
        if found:
            note.name, rest = found[0], rest[found.end() :].lstrip()
        if rest.startswith("("):
            inner, rest = _closed(rest)
            note.operands = [item.strip() for item in split(inner)]
        if rest.startswith("{"):
            inner, rest = _closed(rest)
            found = ir.DictAttr(ir.Attribute.parse("{" + inner + "}"))
            note.attributes = {found[index].name: found[index].attr for index in range(len(found))}
        if rest.startswith("->"):
            kind = ir.FunctionType(ir.Type.parse(f"() -> ({rest[2:].strip()})"))
            note.results, rest = list(kind.results), ""
        if rest:
            raise ValueError(f"'{rest}' belongs to nothing")
        return note

    def onto(self, meaning: Meaning | None, operand) -> Meaning:
        """The meaning of a line with this note behind it. `operand`: the value of a text."""
        made = meaning if meaning is not None and not self.whole else Meaning("", [])
        if self.operands is not None:
            made.operands = [operand(text) for text in self.operands]
        if meaning is not None:
            made.rebinds = meaning.rebinds
        made.name = self.name or made.name
        made.attributes.update(self.attributes)
        made.results = made.results if self.results is None else self.results
        return made


def _closed(text: str) -> tuple[str, str]:
    """What stands in the bracket that the text begins with, and what stands behind it."""
    depth, quoted, index = 0, False, 0
    while index < len(text):
        char = text[index]
        if quoted:
            index += char == "\\"
            quoted = char != '"'
        elif char == '"':
            quoted = True
        elif char in "([{<":
            depth += 1
        elif char in ")]}" or (char == ">" and text[index - 1] != "-"):
            depth -= 1
            if depth == 0:
                return text[1:index], text[index + 1 :].lstrip()
        index += 1
    raise ValueError("a bracket is not closed")


def split(text: str) -> list[str]:
    """At the commas that stand in no bracket."""
    parts, depth, begin = [], 0, 0
    for index, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0:
            parts.append(text[begin:index])
            begin = index + 1
    return [part for part in [*parts, text[begin:]] if part.strip()]


def attributes_of(operation) -> dict[str, ir.Attribute]:
    """All that say something of an operation."""
    attributes = operation.attributes
    named = [attributes[index] for index in range(len(attributes))]
    return {
        one.name: one.attr
        for one in named
        if one.name not in _SAID and _USUAL.get(one.name) != str(one.attr)
    }


def operand_of(value):
    """A value; of a constant its attribute."""
    owner = value.owner
    if not isinstance(owner, ir.Block) and owner.name == "arith.constant":
        return owner.attributes["value"]
    return value


def note_of(operation, meaning: Meaning | None, name) -> str:
    """What the line whose meaning this is leaves unsaid of the operation: a comment, or
    nothing. `name` gives the text of an operand."""
    attributes = attributes_of(operation)
    operands = [operand_of(value) for value in operation.operands]
    results = [value.type for value in operation.results]
    whole = meaning is None or any(key not in attributes for key in meaning.attributes)
    if whole:
        meaning = Meaning("", [])
    parts = []
    if meaning.name != operation.name:
        parts.append(operation.name)
    if whole or meaning.operands != operands:
        parts.append(f"({', '.join(name(value) for value in operation.operands)})")
    said = meaning.attributes
    unsaid = {key: one for key, one in attributes.items() if key not in said or said[key] != one}
    if unsaid:
        words = [key if str(one) == "unit" else f"{key} = {one}" for key, one in unsaid.items()]
        parts.append("{" + ", ".join(words) + "}")
    if meaning.results != results:
        parts.append(f"-> {', '.join(map(str, results))}")
    return MARK + "= " * whole + " ".join(parts) if parts else ""
