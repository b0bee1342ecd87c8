# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Scalar operations of `arith` and `math` as Python expressions."""

from __future__ import annotations

from ..mlir import ir
from .types import parse_type

_BINARY = {
    "arith.addi": "+",
    "arith.addf": "+",
    "arith.subi": "-",
    "arith.subf": "-",
    "arith.muli": "*",
    "arith.mulf": "*",
    "arith.divf": "/",
    "arith.floordivsi": "//",
    "arith.divsi": "//",
    "arith.divui": "//",
    "arith.remsi": "%",
    "arith.remui": "%",
    "arith.andi": "&",
    "arith.ori": "|",
    "arith.xori": "^",
    "arith.shli": "<<",
    "arith.shrsi": ">>",
    "arith.shrui": ">>",
}
_EXTREME = {
    "arith.maxsi": "max",
    "arith.maxui": "max",
    "arith.maximumf": "max",
    "arith.maxnumf": "max",
    "arith.minsi": "min",
    "arith.minui": "min",
    "arith.minimumf": "min",
    "arith.minnumf": "min",
}
_CAST = {
    "arith.index_cast",
    "arith.index_castui",
    "arith.sitofp",
    "arith.uitofp",
    "arith.fptosi",
    "arith.fptoui",
    "arith.extf",
    "arith.truncf",
    "arith.extsi",
    "arith.extui",
    "arith.trunci",
}
_INTEGER = ("==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">=")
_FLOAT = {
    1: "==",
    2: ">",
    3: ">=",
    4: "<",
    5: "<=",
    6: "!=",
    8: "==",
    9: ">",
    10: ">=",
    11: "<",
    12: "<=",
    13: "!=",
}


# Of the comparisons with one sign, the one that is meant unless a note says otherwise.
_USUAL_FLOAT = {sign: predicate for predicate, sign in _FLOAT.items() if predicate not in (6, 8)}
_USUAL_FLOAT = {**_USUAL_FLOAT, "==": 1, ">": 2, ">=": 3, "<": 4, "<=": 5}


def _is_float(kind: str) -> bool:
    """Of a type's text."""
    return kind.startswith(("f", "bf"))


def _first(table: dict[str, str], sign: str, floating: bool) -> str | None:
    fits = (n for n, s in table.items() if s == sign and n.endswith("f") == floating)
    return next(fits, None)


def binary(sign: str, kind: str) -> str | None:
    """The operation that a sign means between operands of this type; `expression` backwards."""
    return _first(_BINARY, sign, _is_float(kind))


def extreme(word: str, kind: str) -> str | None:
    return _first(_EXTREME, word, _is_float(kind))


def comparison(sign: str, kind: str) -> tuple[str, int]:
    """The operation and its predicate."""
    if _is_float(kind):
        return "arith.cmpf", _USUAL_FLOAT[sign]
    return "arith.cmpi", _INTEGER.index(sign)


def cast(source: str, made: str) -> str:
    """The operation between two types."""
    if "index" in (source, made):
        return "arith.index_cast"
    if _is_float(source) != _is_float(made):
        return "arith.fptosi" if _is_float(source) else "arith.sitofp"
    widens = _bits(made) > _bits(source)
    if _is_float(source):
        return "arith.extf" if widens else "arith.truncf"
    return "arith.extsi" if widens else "arith.trunci"


def _bits(kind: str) -> int:
    return int(kind.lstrip("bfiu"))


def handles(name: str) -> bool:
    return name.startswith(("arith.", "math."))


def constant(operation) -> str:
    attribute = operation.attributes["value"]
    dtype = parse_type(operation.results[0].type).dtype
    if dtype.name == "BOOL":
        return str(bool(ir.IntegerAttr(attribute).value))
    if dtype.name == "INDEX":
        return str(ir.IntegerAttr(attribute).value)
    if dtype.name == "FP32":
        return _number(ir.FloatAttr(attribute).value)
    if dtype.is_float:
        return f"pl.const({_number(ir.FloatAttr(attribute).value)}, pl.{dtype})"
    return f"pl.const({ir.IntegerAttr(attribute).value}, pl.{dtype})"


def _number(value: float) -> str:
    text = repr(value)
    return f"float('{text}')" if text in ("inf", "-inf", "nan") else text


def expression(operation, name) -> str:
    """`name` gives the text of an operand."""
    kind = operation.name
    operands = [name(operand) for operand in operation.operands]
    if kind in _BINARY:
        return f"{operands[0]} {_BINARY[kind]} {operands[1]}"
    if kind in _EXTREME:
        return f"pl.{_EXTREME[kind]}({operands[0]}, {operands[1]})"
    if kind in _CAST:
        return f"pl.cast({operands[0]}, pl.{parse_type(operation.results[0].type).dtype})"
    if kind in ("arith.cmpi", "arith.cmpf"):
        predicate = ir.IntegerAttr(operation.attributes["predicate"]).value
        table = _INTEGER if kind == "arith.cmpi" else _FLOAT
        symbol = table[predicate] if kind == "arith.cmpi" else table.get(predicate)
        if symbol is not None:
            return f"{operands[0]} {symbol} {operands[1]}"
    if kind == "arith.select":
        return f"{operands[1]} if {operands[0]} else {operands[2]}"
    if kind == "arith.negf":
        return f"-{operands[0]}"
    if kind in ("math.absf", "math.absi"):
        return f"abs({operands[0]})"
    if kind == "arith.ceildivsi":
        return f"-(-{operands[0]} // {operands[1]})"
    family, _, mnemonic = kind.partition(".")
    return f"pl.{family}.{mnemonic}({', '.join(operands)})"
