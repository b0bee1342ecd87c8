# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Calls of operations: which one it is, its arguments, its builder."""

from __future__ import annotations

import ast
import dataclasses

from ...diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ...diagnostics.suggest import suggestion
from ...language.operation import REQUIRED, Face
from .builder import ProBuilder
from .operations import builder
from .values import Chosen, describe


@dataclasses.dataclass
class Call:
    """A call of an operation with its arguments by name; defaults are filled in, a variadic
    argument is a list, `**fields` a dict.

        out = call["out"]                   # what was given, or the default
        if call.given("bias"): ...
        raise fb.error(call.node_of("out"), f"{call.path}: ...")
    """

    operation: object
    path: str
    arguments: dict[str, object]
    nodes: dict[str, ast.expr]
    node: ast.expr
    # The name that its result is bound to, for `fb.value(..., name=call.name)`.
    name: str | None = None

    def __getitem__(self, name: str):
        return self.arguments[name]

    def given(self, name: str) -> bool:
        return name in self.nodes

    def node_of(self, name: str) -> ast.expr:
        """Where an argument stands; the call itself if it was left out."""
        return self.nodes.get(name, self.node)


def call_operation(fb: ProBuilder, face: Face, node: ast.Call, name: str | None):
    arguments, nodes = bind(fb, face, node)
    made = Call(face.operation, face.path, arguments, nodes, node, name)
    return perform(fb, made, maker(fb, face, node))


def maker(fb: ProBuilder, face: Face, node: ast.AST):
    """The function that makes an operation."""
    later = getattr(face.operation, "later", "")
    found = None if later else builder(face.operation.build)
    if found is None:
        reason = f": {later}" if later else ""
        raise fb.error(node, f"{face.path} is not supported yet{reason}", UnsupportedFeatureError)
    return found


def maker_at(fb: ProBuilder, path: str, node: ast.AST):
    """The builder of something that is no call."""
    found = builder(path)
    if found is None:
        raise fb.error(node, f"'{ast.unparse(node)}' is not supported yet", UnsupportedFeatureError)
    return found


def perform(fb: ProBuilder, call: Call, make):
    """Builds a call. Where an argument is a tile chosen by a condition, the operation stands
    in both arms of an `scf.if`."""
    from .control import either

    chosen = next((a for a in call.arguments.values() if isinstance(a, Chosen)), None)
    if chosen is None:
        return make(fb, call)

    def with_tile(tile):
        arguments = {n: _resolve(a, chosen, tile) for n, a in call.arguments.items()}
        return perform(fb, dataclasses.replace(call, arguments=arguments, name=None), make)

    return either(
        fb,
        chosen.condition,
        lambda: with_tile(chosen.one),
        lambda: with_tile(chosen.other),
        call.node,
        call.name,
    )


def _resolve(argument, chosen: Chosen, tile):
    """An argument in the arm where `chosen` is `tile`; others under the same condition too."""
    if argument is chosen:
        return tile
    if isinstance(argument, Chosen) and argument.condition is chosen.condition:
        return argument.one if tile is chosen.one else argument.other
    return argument


# Arguments.


def bind(fb: ProBuilder, face: Face, node: ast.Call) -> tuple[dict, dict]:
    """The arguments by name, evaluated in the order of the text, and where each stands."""
    from .expressions import evaluate

    taken = _positions(fb, face, node)
    arguments, nodes = {}, {}
    for parameter in face.signature.parameters:
        place = taken.get(parameter.name)
        if parameter.variadic:
            arguments[parameter.name] = [evaluate(fb, item) for item in place or ()]
        elif getattr(parameter, "open", False):
            arguments[parameter.name] = {n: evaluate(fb, item) for n, item in (place or {}).items()}
        elif place is None:
            if parameter.default is REQUIRED:
                raise fb.error(
                    node,
                    f"{face.path}: argument '{parameter.name}' is missing; it is {_usage(face)}",
                    ParserTypeError,
                )
            arguments[parameter.name] = parameter.default
        else:
            nodes[parameter.name] = place
            arguments[parameter.name] = evaluate(fb, place)
    return arguments, nodes


def _usage(face: Face) -> str:
    return f"{face.path}{face.signature.text}"


def _positions(fb: ProBuilder, face: Face, node: ast.Call) -> dict:
    """Which parameter takes which part of the call."""
    parameters = face.signature.parameters
    plain = [
        p for p in parameters if not (p.keyword_only or p.variadic or getattr(p, "open", False))
    ]
    rest = next((p for p in parameters if p.variadic), None)
    taken: dict = {}
    for index, argument in enumerate(node.args):
        if isinstance(argument, ast.Starred):
            raise fb.error(
                argument, "a kernel cannot contain '*' in a call", UnsupportedFeatureError
            )
        if index < len(plain):
            taken[plain[index].name] = argument
        elif rest is not None:
            taken.setdefault(rest.name, []).append(argument)
        else:
            few = "" if len(plain) == 1 else "s"
            raise fb.error(
                argument,
                f"{face.path} takes {len(plain)} positional argument{few}, found "
                f"{len(node.args)}; it is {_usage(face)}",
                ParserTypeError,
            )
    for keyword in node.keywords:
        _take_keyword(fb, face, keyword, taken)
    return taken


def _take_keyword(fb: ProBuilder, face: Face, keyword: ast.keyword, taken: dict) -> None:
    if keyword.arg is None:
        raise fb.error(
            keyword.value, "a kernel cannot contain '**' in a call", UnsupportedFeatureError
        )
    parameters = face.signature.parameters
    fields = next((p for p in parameters if getattr(p, "open", False)), None)
    names = [p.name for p in parameters if not p.variadic and p is not fields]
    if keyword.arg in taken:
        raise fb.error(
            keyword.value, f"{face.path}: argument '{keyword.arg}' is given twice", ParserTypeError
        )
    if keyword.arg in names:
        taken[keyword.arg] = keyword.value
    elif fields is not None:
        taken.setdefault(fields.name, {})[keyword.arg] = keyword.value
    else:
        hint = suggestion(keyword.arg, names) or f"; it is {_usage(face)}"
        raise fb.error(
            keyword.value, f"{face.path} has no argument '{keyword.arg}'{hint}", ParserTypeError
        )


__all__ = ["Call", "bind", "call_operation", "describe", "perform"]
