# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Expressions: one function a kind of node, in the table at the end."""

from __future__ import annotations

import ast
import enum
import functools
import operator
import types

from ..diagnostics.errors import ParserTypeError, UndefinedNameError, UnsupportedFeatureError
from ..diagnostics.suggest import suggestion
from ..language.annotations import Annotation, DynVar, Out, Scalar, Tensor, Tile
from ..language.distributed import Namespace
from ..language.dtypes import DataType
from ..language.enums import NO_HOST
from . import build, calls, cells, control, scalars, session, windows
from .builder import FunctionBuilder
from .source import MISSING
from .values import Array, Cells, Value, describe

BINARY = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.MatMult: "@",
}
COMPARE = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}

# Constructs of Python that a kernel cannot have, by the name a reader knows.
UNSUPPORTED = {
    ast.ListComp: "a list comprehension; write the elements, or a loop with pl.range",
    ast.SetComp: "a set comprehension",
    ast.DictComp: "a dict comprehension",
    ast.GeneratorExp: "a generator expression; use a loop with pl.range",
    ast.Lambda: "a lambda; write a function with @pl.jit.inline",
    ast.Await: "await",
    ast.Yield: "yield",
    ast.YieldFrom: "yield from",
    ast.JoinedStr: "an f-string; pl.printf takes a format and its values",
    ast.Dict: "a dict",
    ast.Set: "a set",
    ast.NamedExpr: "the operator ':='; write an assignment of its own",
    ast.Starred: "'*' in a call or a list",
}


def evaluate(fb: FunctionBuilder, node: ast.expr):
    handler = EXPRESSIONS.get(type(node))
    if handler is None:
        what = UNSUPPORTED.get(type(node), type(node).__name__)
        raise fb.error(node, f"a kernel cannot contain {what}", UnsupportedFeatureError)
    return handler(fb, node)


def _constant(fb: FunctionBuilder, node: ast.Constant):
    fb.name = None
    if isinstance(node.value, (complex, bytes)):
        raise fb.error(node, f"a kernel has no values like {node.value!r}", UnsupportedFeatureError)
    return node.value


def _name(fb: FunctionBuilder, node: ast.Name):
    fb.name = None
    found = fold(fb.lookup(node))
    return _dynamic(fb, node, found) if isinstance(found, DynVar) else found


def _dynamic(fb: FunctionBuilder, node: ast.AST, variable: DynVar):
    """The extent that the call says: that of the first array whose annotation names it."""
    from . import data

    for name, axis in fb.dynamic_dims.get(variable, ()):
        array = fb.env.get(name)
        if isinstance(array, Array):
            return data.dimension(fb, array, axis, node, variable.name)
    return variable


def fold(found):
    """Integers of other libraries, such as NumPy's, as Python's own."""
    if type(found) in (int, float, bool, str) or isinstance(found, (enum.Enum, type)):
        return found
    if isinstance(found, (Value, Array, Cells, DataType, types.ModuleType)):
        return found
    if hasattr(found, "__index__") and not hasattr(found, "__len__"):
        return operator.index(found)
    return found


def _attribute(fb: FunctionBuilder, node: ast.Attribute):
    fb.name = None
    base = evaluate(fb, node.value)
    if isinstance(base, (Array, Value)):
        return _value_attribute(fb, node, base)
    if isinstance(base, types.ModuleType):
        return _module_attribute(fb, node, base)
    if isinstance(base, Namespace):
        return _asked(fb, node, base)
    if base is not None and base is fb.module.program:
        return _method(fb, node, base)
    return _object_attribute(fb, node, base)


def _value_attribute(fb: FunctionBuilder, node: ast.Attribute, base):
    if node.attr == "shape" and base.type.shape is not None:
        from . import data

        return tuple(
            data.dimension(fb, base, axis, node, None) if extent == session.DYNAMIC else extent
            for axis, extent in enumerate(base.type.shape)
        )
    if node.attr == "dtype":
        return base.type.dtype
    if node.attr == "bind_dynamic":
        raise fb.error(
            node,
            "x.bind_dynamic(axis, M) is a statement of its own in the function's body",
            ParserTypeError,
        )
    raise fb.error(
        node,
        f"{_indefinite(base.type.kind)} has no attribute '{node.attr}'; it has shape and dtype"
        + suggestion(node.attr, ("shape", "dtype")),
        UndefinedNameError,
    )


def _indefinite(word: str) -> str:
    return ("an " if word[0] in "aeiou" else "a ") + word


def _module_attribute(fb: FunctionBuilder, node: ast.Attribute, module: types.ModuleType):
    found = module.__dict__.get(node.attr, MISSING)
    if found is not MISSING:
        if not module.__name__.startswith("pypto."):
            fb.module.note_attribute(module, node.attr, found)
        return fold(found)
    return _asked(fb, node, module)


def _asked(fb: FunctionBuilder, node: ast.Attribute, base):
    """An attribute that is made when it is asked for: what it is, or why it is not there."""
    try:
        return fold(getattr(base, node.attr))
    except AttributeError as error:
        message = str(error)
        unsupported = message.endswith("is not supported yet")
        raise fb.error(
            node, message, UnsupportedFeatureError if unsupported else UndefinedNameError
        ) from None
    except UnsupportedFeatureError as error:
        raise fb.error(node, error.diagnostics[0].message, UnsupportedFeatureError) from None


def _method(fb: FunctionBuilder, node: ast.Attribute, program):
    found = program.get_function(node.attr)
    if found is None:
        names = [function.__name__ for function in program.functions]
        raise fb.error(
            node,
            f"program '{program.__name__}' has no function '{node.attr}'; it has "
            f"{', '.join(names)}{suggestion(node.attr, names, 'self.{}')}",
            UndefinedNameError,
        )
    return found


def _object_attribute(fb: FunctionBuilder, node: ast.Attribute, base):
    """Members of enums and plain objects; nothing that would run Python code."""
    import inspect

    found = inspect.getattr_static(base, node.attr, MISSING)
    if isinstance(base, type) and issubclass(base, enum.Enum):
        return _enum_member(fb, node, base)
    plain = isinstance(found, (int, float, str, bool, DataType, enum.Enum, list, tuple)) or (
        hasattr(type(found), "__index__") or fb.module.is_function(found)
    )
    if found is not MISSING and plain:
        fb.module.note_attribute(base, node.attr, found)
        return fold(found)
    if found is MISSING:
        hint = suggestion(node.attr, dir(base))
        raise fb.error(
            node, f"{describe(base)} has no attribute '{node.attr}'{hint}", UndefinedNameError
        )
    raise fb.error(
        node,
        f"'{ast.unparse(node)}' is {type(found).__name__}: Python code does not run in a kernel; "
        "numbers, strings, lists, dtypes and enum members can be used",
        UnsupportedFeatureError,
    )


def _enum_member(fb: FunctionBuilder, node: ast.Attribute, base):
    found = base.__members__.get(node.attr)
    if found is not None:
        return found
    name = getattr(base, "__name__", "")
    if name == "FunctionType" and node.attr == "Host":
        raise fb.error(node, NO_HOST, UndefinedNameError)
    members = ", ".join(base.__members__)
    hint = suggestion(node.attr, base.__members__, f"pl.{name}.{{}}")
    raise fb.error(
        node, f"pl.{name} has no member '{node.attr}'; it has {members}{hint}", UndefinedNameError
    )


def _subscript(fb: FunctionBuilder, node: ast.Subscript):
    name = fb.take_name()
    base = evaluate(fb, node.value)
    if isinstance(base, type) and base.__class__ is type(Tensor):
        items = evaluate(fb, node.slice)
        return base[items]
    if isinstance(base, Cells):
        index = evaluate(fb, node.slice)
        return cells.get_element(fb, base, index, node, name, node.slice)
    if isinstance(base, Array) or build.is_data(base):
        return windows.subscript(fb, node, base, name)
    if isinstance(base, (tuple, list, str)):
        return _element(fb, node, base)
    raise no_elements(fb, node, base)


def no_elements(fb: FunctionBuilder, node: ast.Subscript, base):
    """The error of a subscript of something else."""
    if isinstance(base, dict):
        return fb.error(
            node,
            f"'{ast.unparse(node.value)}' is a dict, and dicts are not read in a kernel; bind its "
            "element to a name of the module, and use that",
            UnsupportedFeatureError,
        )
    return fb.error(node, f"{describe(base)} has no elements", ParserTypeError)


def _element(fb: FunctionBuilder, node: ast.Subscript, base):
    if isinstance(node.slice, ast.Slice):
        bounds = [
            None if bound is None else evaluate(fb, bound)
            for bound in (node.slice.lower, node.slice.upper, node.slice.step)
        ]
        if all(bound is None or type(bound) is int for bound in bounds):
            return base[slice(*bounds)]
        raise fb.error(
            node.slice, "the bounds of a list's slice are known numbers", ParserTypeError
        )
    index = evaluate(fb, node.slice)
    if type(index) is not int:
        raise fb.error(
            node.slice,
            f"a list or tuple takes a known number as index, found {describe(index)}",
            ParserTypeError,
        )
    if not -len(base) <= index < len(base):
        raise fb.error(node.slice, f"index {index} is beyond the {len(base)} elements")
    return fold(base[index])


def _slice(fb: FunctionBuilder, node: ast.Slice):
    raise fb.error(node, "a slice stands in [...] only", UnsupportedFeatureError)


def _tuple(fb: FunctionBuilder, node: ast.Tuple) -> tuple:
    fb.name = None
    return tuple([evaluate(fb, item) for item in node.elts])


def _list(fb: FunctionBuilder, node: ast.List) -> list:
    fb.name = None
    return [evaluate(fb, item) for item in node.elts]


def _binary(fb: FunctionBuilder, node: ast.BinOp):
    name = fb.take_name()
    symbol = BINARY[type(node.op)]
    lhs, rhs = evaluate(fb, node.left), evaluate(fb, node.right)
    return binary(fb, symbol, lhs, rhs, node, name)


def binary(fb: FunctionBuilder, symbol: str, lhs, rhs, node: ast.expr, name: str | None):
    """`lhs symbol rhs` on numbers, scalars, tiles and arrays."""
    if build.is_data(lhs) or build.is_data(rhs):
        return build.operator_call(fb, symbol, lhs, rhs, node, name)
    return scalars.binary(fb, symbol, lhs, rhs, node, name)


def _unary(fb: FunctionBuilder, node: ast.UnaryOp):
    name = fb.take_name()
    operand = evaluate(fb, node.operand)
    if build.is_data(operand):
        if isinstance(node.op, ast.USub):
            return build.call_by_name(fb, "neg", [operand], node, name)
        if isinstance(node.op, ast.UAdd):
            return operand
        if isinstance(node.op, ast.Invert):
            return build.call_by_name(fb, "not_", [operand], node, name)
        raise fb.error(
            node,
            f"'{ast.unparse(node)}': a condition is a scalar, and this is {describe(operand)}; "
            "element by element it is '~'",
            ParserTypeError,
        )
    return scalars.unary(fb, type(node.op), operand, node, name)


def _compare(fb: FunctionBuilder, node: ast.Compare):
    name = fb.take_name()
    left = evaluate(fb, node.left)
    result = None
    for index, (operation, comparator) in enumerate(zip(node.ops, node.comparators, strict=False)):
        right = evaluate(fb, comparator)
        last = name if index == len(node.ops) - 1 and index == 0 else None
        part = _compare_one(fb, operation, left, right, node, last)
        if len(node.ops) > 1 and build.is_data(part):
            raise fb.error(
                node,
                "a chain of comparisons is a condition, and these compare element by element; "
                "write (a < b) & (b < c)",
                ParserTypeError,
            )
        result = part if result is None else scalars.logic(fb, "and", result, part, node, None)
        left = right
    return result


def _compare_one(fb: FunctionBuilder, operation, left, right, node, name):
    if isinstance(operation, (ast.Is, ast.IsNot)):
        if left is not None and right is not None:
            raise fb.error(node, "'is' compares with None only", UnsupportedFeatureError)
        same = left is None and right is None
        return same if isinstance(operation, ast.Is) else not same
    symbol = COMPARE.get(type(operation))
    if symbol is None:
        raise fb.error(node, "a kernel has no 'in'", UnsupportedFeatureError)
    if build.is_data(left) or build.is_data(right):
        return build.operator_call(fb, symbol, left, right, node, name)
    return scalars.compare(fb, symbol, left, right, node, name)


def _bool(fb: FunctionBuilder, node: ast.BoolOp):
    fb.name = None
    word = "and" if isinstance(node.op, ast.And) else "or"
    result = evaluate(fb, node.values[0])
    for item in node.values[1:]:
        # What a known left side decides is not read further, as in Python.
        if not isinstance(result, (Value, Array)) and bool(result) == (word == "or"):
            return result
        result = _and_or(fb, word, result, item, node)
    return result


def _and_or(fb: FunctionBuilder, word: str, left, item: ast.expr, node: ast.BoolOp):
    """Both sides are computed where no harm comes of it; else the right one only where the
    left one does not decide."""
    if build.is_data(left):
        raise fb.error(
            node,
            f"'{word}' on {describe(left)}: a condition is a scalar; element by element it is "
            f"'{'&' if word == 'and' else '|'}'",
            ParserTypeError,
        )
    known = not isinstance(left, Value)
    if known or control.is_plain(fb, lambda: evaluate(fb, item)):
        return scalars.logic(fb, word, left, evaluate(fb, item), node, None)

    def right():
        return control.test(fb, item)

    arms = (right, lambda: False) if word == "and" else (lambda: True, right)
    return control.either(fb, left, *arms, node)


def _conditional(fb: FunctionBuilder, node: ast.IfExp):
    name = fb.take_name()
    condition = evaluate(fb, node.test)
    if not isinstance(condition, (Value, Array)):
        return evaluate(fb, node.body if condition else node.orelse)
    arms = [functools.partial(evaluate, fb, arm) for arm in (node.body, node.orelse)]
    if all(control.is_plain(fb, arm) for arm in arms):
        chosen, other = arms[0](), arms[1]()
        return scalars.select(fb, condition, chosen, other, node, name)
    return control.either(fb, condition, *arms, node, name)


def _call(fb: FunctionBuilder, node: ast.Call):
    return calls.call(fb, node)


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

__all__ = ["Annotation", "Out", "Scalar", "Tile", "binary", "evaluate", "fold"]
