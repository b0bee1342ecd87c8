# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Expressions: one function a kind of node, in the table at the end."""

from __future__ import annotations

import ast
import enum
import types

from ...diagnostics.errors import ParserTypeError, UndefinedNameError, UnsupportedFeatureError
from ...diagnostics.suggest import suggestion
from ...language.dtypes import DataType
from ...language.operation import Face
from .. import scalars
from ..expressions import BINARY, COMPARE, fold, no_elements
from ..expressions import UNSUPPORTED as _UNSUPPORTED
from ..source import MISSING
from ..values import Value
from . import control, tiles
from .builder import ProBuilder
from .calls import Call, call_operation, maker_at, perform
from .operations import structs
from .values import (
    Chosen,
    KeyField,
    NamedTuple,
    Pointer,
    Struct,
    StructArray,
    StructItem,
    TensorView,
    Tile,
    TileGroup,
    describe,
)

UNSUPPORTED = {**_UNSUPPORTED, ast.Lambda: "a lambda; write a helper function"}


def evaluate(fb: ProBuilder, node: ast.expr):
    handler = EXPRESSIONS.get(type(node))
    if handler is None:
        what = UNSUPPORTED.get(type(node), type(node).__name__)
        raise fb.error(node, f"a kernel cannot contain {what}", UnsupportedFeatureError)
    return handler(fb, node)


def evaluate_test(fb: ProBuilder, node: ast.expr):
    """The condition of an `if`, which may be `pl.constexpr(...)`."""
    if isinstance(node, ast.Call) and not node.keywords and len(node.args) == 1:
        function = evaluate(fb, node.func)
        if isinstance(function, Face) and function.operation.name == "constexpr":
            return _constexpr(fb, node.args[0])
    return evaluate(fb, node)


def _constexpr(fb: ProBuilder, node: ast.expr):
    value = evaluate(fb, node)
    if isinstance(value, Value) and not fb.only_fields(value.ir):
        raise fb.error(
            node,
            "pl.constexpr() can only accept compile-time constants, but got a runtime expression: "
            f"{ast.unparse(node)}",
            ParserTypeError,
        )
    return fb.static(value, node, "what pl.constexpr() takes")


def _constant(fb: ProBuilder, node: ast.Constant):
    fb.name = None
    if isinstance(node.value, (complex, bytes)):
        raise fb.error(node, f"a kernel has no values like {node.value!r}", UnsupportedFeatureError)
    return node.value


def _name(fb: ProBuilder, node: ast.Name):
    fb.name = None
    found = fb.lookup(node)
    return found if isinstance(found, KeyField) else fold(found)


# Attributes.


def _attribute(fb: ProBuilder, node: ast.Attribute):
    fb.name = None
    base = evaluate(fb, node.value)
    return attribute(fb, base, node)


def attribute(fb: ProBuilder, base, node: ast.Attribute):
    if isinstance(base, Chosen):
        return control.either(
            fb,
            base.condition,
            lambda: attribute(fb, base.one, node),
            lambda: attribute(fb, base.other, node),
            node,
        )
    if isinstance(base, (Struct, StructItem, NamedTuple)):
        return structs.field(fb, base, node)
    known = _data_attributes(fb, base)
    if known is not None:
        if node.attr not in known:
            raise fb.error(
                node,
                f"{describe(base)} has no attribute '{node.attr}'; it has {', '.join(known)}"
                + suggestion(node.attr, known),
                UndefinedNameError,
            )
        return known[node.attr]()
    if isinstance(base, (Value, KeyField)):
        raise fb.error(node, f"{describe(base)} has no attributes", UndefinedNameError)
    if isinstance(base, types.ModuleType):
        return _module_attribute(fb, node, base)
    return _object_attribute(fb, node, base)


def _data_attributes(fb: ProBuilder, base) -> dict | None:
    """What tiles, tensors and pointers have."""
    if isinstance(base, (Tile, TileGroup)):
        return {
            "shape": lambda: tuple(base.type.shape),
            "valid_shape": lambda: fb.valid(base),
            "dtype": lambda: base.type.dtype,
        }
    if isinstance(base, TensorView):
        return {"shape": lambda: tuple(base.shape), "dtype": lambda: base.dtype}
    if isinstance(base, Pointer):
        return {"dtype": lambda: base.dtype}
    return None


def _module_attribute(fb: ProBuilder, node: ast.Attribute, module: types.ModuleType):
    found = module.__dict__.get(node.attr, MISSING)
    if found is not MISSING:
        if not module.__name__.startswith(("pypto.", "pypto_pro.")):
            fb.module.note_attribute(module, node.attr, found)
        return fold(found)
    try:
        return fold(getattr(module, node.attr))
    except AttributeError as error:
        raise fb.error(node, str(error), UndefinedNameError) from None


def _object_attribute(fb: ProBuilder, node: ast.Attribute, base):
    from ..expressions import _object_attribute as of_object

    if isinstance(base, type) and issubclass(base, enum.Enum):
        found = base.__members__.get(node.attr)
        if found is None:
            members = ", ".join(base.__members__)
            raise fb.error(
                node,
                f"pl.{base.__name__} has no member '{node.attr}'; it has {members}"
                + suggestion(node.attr, base.__members__, f"pl.{base.__name__}.{{}}"),
                UndefinedNameError,
            )
        return found
    if isinstance(base, DataType) or type(base).__name__ == "Later":
        return _plain_attribute(fb, node, base)
    return of_object(fb, node, base)


def _plain_attribute(fb: ProBuilder, node: ast.Attribute, base):
    found = getattr(base, node.attr, MISSING)
    if found is MISSING:
        hint = suggestion(node.attr, dir(base))
        raise fb.error(
            node, f"{describe(base)} has no attribute '{node.attr}'{hint}", UndefinedNameError
        )
    return found


# Subscripts.


def _subscript(fb: ProBuilder, node: ast.Subscript):
    name = fb.take_name()
    base = evaluate(fb, node.value)
    return subscript(fb, base, node, name)


def subscript(fb: ProBuilder, base, node: ast.Subscript, name: str | None):
    if isinstance(base, Chosen):
        return control.either(
            fb,
            base.condition,
            lambda: subscript(fb, base.one, node, None),
            lambda: subscript(fb, base.other, node, None),
            node,
            name,
        )
    if isinstance(base, TileGroup):
        return _slot(fb, base, node)
    if isinstance(base, (structs.FieldList, StructArray)):
        return structs.element(fb, base, evaluate(fb, node.slice), node)
    if isinstance(base, (Tile, TensorView, Pointer)):
        return subscript_call(fb, "elements.getitem", base, node, name)
    if isinstance(base, NamedTuple):
        base = tuple(base.fields.values())
    if isinstance(base, (tuple, list, str)):
        return _element(fb, node, base)
    raise no_elements(fb, node, base)


def _slot(fb: ProBuilder, group: TileGroup, node: ast.Subscript):
    index = fb.scalar_of(evaluate(fb, node.slice), node.slice)
    found = fb.index(index, node.slice, "the index of a tile group")
    return tiles.slot(fb, group, found if isinstance(found, int) else index, node)


def subscript_call(fb: ProBuilder, path: str, base, node: ast.Subscript, name=None, **more):
    """`x[...]` and `x[...] = value` on tiles and tensors."""
    if not isinstance(base, (Tile, TensorView, Pointer, Chosen)):
        hint = ""
        if isinstance(base, TileGroup):
            hint = f"; write to a tile of it, such as {base.name}.current()"
        raise fb.error(
            node, f"a kernel cannot assign to elements of {describe(base)}{hint}", ParserTypeError
        )
    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    index = [_index_item(fb, item) for item in items]
    nodes = {"base": node.value, "index": node.slice}
    made = Call(None, ast.unparse(node.value), {"base": base, "index": index, **more}, nodes, node)
    made.name = name
    return perform(fb, made, maker_at(fb, path, node))


def _index_item(fb: ProBuilder, item: ast.expr):
    if not isinstance(item, ast.Slice):
        return evaluate(fb, item)
    bounds = [
        None if bound is None else evaluate(fb, bound)
        for bound in (item.lower, item.upper, item.step)
    ]
    return slice(*bounds)


def _element(fb: ProBuilder, node: ast.Subscript, base):
    if isinstance(node.slice, ast.Slice):
        bounds = [
            None if bound is None else fb.static_int(evaluate(fb, bound), bound, "a bound")
            for bound in (node.slice.lower, node.slice.upper, node.slice.step)
        ]
        return base[slice(*bounds)]
    found = evaluate(fb, node.slice)
    if isinstance(found, Value) and base and all(map(scalars.is_scalar, base)):
        found = fb.scalar_of(found, node.slice)
        control.check_index(fb, found, len(base), node.slice)
        return fb.choose(base, found, node, None)
    index = fb.static_int(found, node.slice, "the index of a list or tuple")
    if not -len(base) <= index < len(base):
        raise fb.error(node.slice, f"index {index} is beyond the {len(base)} elements")
    return fold(base[index])


def _slice(fb: ProBuilder, node: ast.Slice):
    raise fb.error(node, "a slice stands in [...] only", UnsupportedFeatureError)


def _tuple(fb: ProBuilder, node: ast.Tuple) -> tuple:
    fb.name = None
    return tuple([evaluate(fb, item) for item in node.elts])


def _list(fb: ProBuilder, node: ast.List) -> list:
    fb.name = None
    return [evaluate(fb, item) for item in node.elts]


# Operators.


def _binary(fb: ProBuilder, node: ast.BinOp):
    name = fb.take_name()
    symbol = BINARY[type(node.op)]
    lhs, rhs = evaluate(fb, node.left), evaluate(fb, node.right)
    return binary(fb, symbol, lhs, rhs, node, name)


def binary(fb: ProBuilder, symbol: str, lhs, rhs, node: ast.AST, name: str | None):
    """`lhs symbol rhs` on numbers and scalars; `pointer + n`."""
    if symbol == "+" and isinstance(lhs, (Pointer, Chosen)):
        arguments, path = {"ptr": lhs, "offset": rhs}, "arrays.addptr"
        made = Call(None, "pl.addptr", arguments, {}, node, name)
        return perform(fb, made, maker_at(fb, path, node))
    if symbol in ("@", "**") and not (_is_known(lhs) and _is_known(rhs)):
        raise fb.error(
            node, f"'{symbol}' of a kernel's values is not supported", UnsupportedFeatureError
        )
    for value in (lhs, rhs):
        if not _is_known(value) and not isinstance(value, (Value, KeyField)):
            hint = "; operations on tiles are calls, such as pl.add(out, a, b)"
            more = hint if isinstance(value, (Tile, Chosen)) else ""
            raise fb.error(
                node, f"no operator '{symbol}' on {describe(value)}{more}", ParserTypeError
            )
    lhs, rhs = fb.scalar_of(lhs, node), fb.scalar_of(rhs, node)
    return scalars.binary(fb, symbol, lhs, rhs, node, name)


def _is_known(value) -> bool:
    return isinstance(value, (bool, int, float, str, list, tuple))


def _unary(fb: ProBuilder, node: ast.UnaryOp):
    name = fb.take_name()
    operand = fb.scalar_of(evaluate(fb, node.operand), node.operand)
    if isinstance(node.op, ast.Not):
        condition = control.truth(fb, operand, node.operand)
        return scalars.unary(fb, ast.Not, condition, node, name)
    if not scalars.is_scalar(operand):
        symbol = ast.unparse(node)[0]
        raise fb.error(node, f"no operator '{symbol}' on {describe(operand)}", ParserTypeError)
    return scalars.unary(fb, type(node.op), operand, node, name)


def _compare(fb: ProBuilder, node: ast.Compare):
    name = fb.take_name()
    if len(node.ops) > 1:
        raise fb.error(
            node,
            "Only simple comparisons supported: write `a < b and b < c` for a chain",
            UnsupportedFeatureError,
        )
    operation = node.ops[0]
    if isinstance(operation, (ast.In, ast.NotIn)):
        return _contains(fb, node, name)
    left, right = evaluate(fb, node.left), evaluate(fb, node.comparators[0])
    if isinstance(operation, (ast.Is, ast.IsNot)):
        return _is_none(fb, node, left, right, name)
    return compare(fb, COMPARE[type(operation)], left, right, node, name)


def compare(fb: ProBuilder, symbol: str, left, right, node: ast.AST, name: str | None):
    """Numbers and scalars; dtypes, enum members, strings and lists are equal or not."""
    scalar = (Value, KeyField)
    if not isinstance(left, scalar) and not isinstance(right, scalar):
        if symbol in ("==", "!=") and not isinstance(left, (Tile, TensorView, Pointer)):
            return (left == right) == (symbol == "==")
    left, right = fb.scalar_of(left, node), fb.scalar_of(right, node)
    for value in (left, right):
        if not scalars.is_scalar(value):
            raise fb.error(
                node, f"'{symbol}' compares scalars, found {describe(value)}", ParserTypeError
            )
    return scalars.compare(fb, symbol, left, right, node, name)


def _is_none(fb: ProBuilder, node: ast.Compare, left, right, name: str | None):
    negated = isinstance(node.ops[0], ast.IsNot)
    if left is None and right is None:
        return not negated
    value = left if right is None else right
    if None not in (left, right):
        raise fb.error(node, "'is' compares with None only", UnsupportedFeatureError)
    if not isinstance(value, Pointer):
        if isinstance(value, (Value, KeyField, Tile, TileGroup, TensorView)):
            raise fb.error(
                node,
                f"'is None' asks whether the host gave a pl.Ptr, found {describe(value)}",
                ParserTypeError,
            )
        return negated
    made = fb.is_null(value, node, None if negated else name)
    return control.negation(fb, made, node) if negated else made


def _contains(fb: ProBuilder, node: ast.Compare, name: str | None):
    """`x in (a, b)`, `x in pl.range(a, b)`."""
    negated = isinstance(node.ops[0], ast.NotIn)
    value = evaluate(fb, node.left)
    found = _in_range(fb, node, value)
    if found is None:
        among = evaluate(fb, node.comparators[0])
        if not isinstance(among, (list, tuple, range)):
            raise fb.error(
                node.comparators[0],
                f"'in' looks in a list, a tuple or pl.range(...), found {describe(among)}",
                ParserTypeError,
            )
        found = False
        for item in among:
            part = compare(fb, "==", value, item, node, None)
            found = scalars.logic(fb, "or", found, part, node, None)
    return control.negation(fb, found, node) if negated else found


def _in_range(fb: ProBuilder, node: ast.Compare, value):
    """Whether `value` is in `pl.range(...)`; None: there is no range."""
    among = node.comparators[0]
    function = evaluate(fb, among.func) if isinstance(among, ast.Call) else None
    if not isinstance(function, Face) or function.operation.name != "range":
        return None
    bounds = [evaluate(fb, argument) for argument in among.args]
    if among.keywords or len(bounds) not in (1, 2, 3):
        raise fb.error(among, "pl.range takes 1 to 3 arguments, by position", ParserTypeError)
    start, stop, step = (0, *bounds, 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    step = fb.static_int(step, among, "the step of pl.range behind 'in'")
    if step == 0:
        raise fb.error(among, "the step of pl.range is zero")
    low, high = (">=", "<") if step > 0 else ("<=", ">")
    parts = [compare(fb, low, value, start, node, None), compare(fb, high, value, stop, node, None)]
    if abs(step) != 1:
        distance = binary(fb, "-", value, start, node, None)
        parts.append(
            compare(fb, "==", binary(fb, "%", distance, abs(step), node, None), 0, node, None)
        )
    found = True
    for part in parts:
        found = scalars.logic(fb, "and", found, part, node, None)
    return found


def _bool(fb: ProBuilder, node: ast.BoolOp):
    """`and`, `or`: what a known left side decides is not read further. What may be computed
    for nothing is; only what has an effect is not."""
    fb.name = None
    word = "and" if isinstance(node.op, ast.And) else "or"
    result = evaluate(fb, node.values[0])
    for item in node.values[1:]:
        if not isinstance(result, (Value, KeyField)):
            if bool(result) == (word == "or"):
                return result
            result = evaluate(fb, item)
            continue
        left = control.truth(fb, result, node)
        result = _second(fb, word, left, item, node)
    return result


def _second(fb: ProBuilder, word: str, left: Value, item: ast.expr, node: ast.AST):
    """The right side of `and` or `or`, read only where the left does not decide, if reading
    it does more than arithmetic."""

    def right():
        return control.truth(fb, evaluate(fb, item), item)

    if not any(isinstance(part, (ast.Call, ast.Subscript)) for part in ast.walk(item)):
        return scalars.logic(fb, word, left, right(), node, None)
    if word == "and":
        return control.either(fb, left, right, lambda: False, node)
    return control.either(fb, left, lambda: True, right, node)


def _conditional(fb: ProBuilder, node: ast.IfExp):
    name = fb.take_name()
    condition = control.truth(fb, evaluate_test(fb, node.test), node.test)
    if isinstance(condition, bool):
        return evaluate(fb, node.body if condition else node.orelse)
    return control.either(
        fb,
        condition,
        lambda: evaluate(fb, node.body),
        lambda: evaluate(fb, node.orelse),
        node,
        name,
    )


# Calls.


def _call(fb: ProBuilder, node: ast.Call):
    from . import functions

    name = fb.take_name()
    if isinstance(node.func, ast.Attribute):
        base = evaluate(fb, node.func.value)
        if isinstance(base, (TileGroup, Chosen)):
            return _method(fb, base, node, name)
        function = attribute(fb, base, node.func)
    else:
        function = evaluate(fb, node.func)
    if isinstance(function, Face):
        return _operation(fb, function, node, name)
    return functions.call(fb, function, node, name)


def _method(fb: ProBuilder, base, node: ast.Call, name: str | None):
    if isinstance(base, Chosen):
        return control.either(
            fb,
            base.condition,
            lambda: _method(fb, base.one, node, None),
            lambda: _method(fb, base.other, node, None),
            node,
            name,
        )
    if not isinstance(base, TileGroup):
        raise fb.error(
            node, f"{describe(base)} has no method '{node.func.attr}'", UndefinedNameError
        )
    return tiles.group_method(fb, base, node.func.attr, node)


def _operation(fb: ProBuilder, face: Face, node: ast.Call, name: str | None):
    word = face.operation.name
    forms = {
        "range": "for i in pl.range(...):",
        "section_cube": "with pl.section_cube():",
        "section_vector": "with pl.section_vector():",
        "constexpr": "if pl.constexpr(...):",
    }
    if word in forms:
        raise fb.error(
            node,
            f"pl.{word} stands in a statement of its own: `{forms[word]}`",
            UnsupportedFeatureError,
        )
    if word in ("min", "max") and len(node.args) == 2 and not node.keywords:
        from .functions import extreme

        return extreme(fb, word, [evaluate(fb, item) for item in node.args], node, name)
    return call_operation(fb, face, node, name)


EXPRESSIONS = {
    ast.Call: _call,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Constant: _constant,
    ast.List: _list,
    ast.Tuple: _tuple,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _bool,
    ast.IfExp: _conditional,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
}
