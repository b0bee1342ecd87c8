# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Numbers: Python's are folded, the program's become arith operations."""

from __future__ import annotations

import ast
import operator

from ..diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ..language.dtypes import BOOL, FP32, INDEX, INT64, DataType
from . import session
from .builder import FunctionBuilder, number_dtype
from .values import Array, Value, describe

FOLD = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
INTEGER = {
    "+": "arith.addi",
    "-": "arith.subi",
    "*": "arith.muli",
    "&": "arith.andi",
    "|": "arith.ori",
    "^": "arith.xori",
    "<<": "arith.shli",
    ">>": "arith.shrsi",
}
# Of unsigned integers, which have no sign in the IR.
UNSIGNED = {**INTEGER, "//": "arith.divui", "%": "arith.remui", ">>": "arith.shrui"}
FLOAT = {"+": "arith.addf", "-": "arith.subf", "*": "arith.mulf", "/": "arith.divf"}
INTEGER_PREDICATE = {"==": 0, "!=": 1, "<": 2, "<=": 3, ">": 4, ">=": 5}
UNSIGNED_PREDICATE = {"==": 0, "!=": 1, "<": 6, "<=": 7, ">": 8, ">=": 9}
FLOAT_PREDICATE = {"==": 1, "!=": 13, "<": 4, "<=": 5, ">": 2, ">=": 3}


def is_number(value) -> bool:
    return isinstance(value, (int, float))


def is_scalar(value) -> bool:
    return is_number(value) or (isinstance(value, Value) and value.type.kind == "scalar")


def _require(fb: FunctionBuilder, symbol: str, value, node: ast.AST) -> None:
    if not is_scalar(value):
        raise fb.error(node, f"no operator '{symbol}' on {describe(value)}", ParserTypeError)


def convert(fb: FunctionBuilder, value: Value, dtype: DataType, node: ast.AST) -> Value:
    """A scalar as another type, where nothing is lost but precision."""
    source = value.type.dtype
    if source is dtype:
        return value
    kind = session.scalar_type(dtype)
    if source is BOOL or dtype is BOOL:
        if dtype is BOOL:
            raise fb.error(node, f"{source} is no condition; compare it with 0", ParserTypeError)
        if dtype is INDEX:
            return fb.value("arith.index_castui", kind, [value.ir], None, node)
        name = "arith.uitofp" if dtype.is_float else "arith.extui"
        return fb.value(name, kind, [value.ir], None, node)
    if dtype.is_float and source.is_int:
        if source is INDEX:
            value = fb.value("arith.index_cast", session.scalar_type(INT64), [value.ir], None, node)
        name = "arith.uitofp" if source.is_unsigned_int else "arith.sitofp"
        return fb.value(name, kind, [value.ir], None, node)
    if dtype.is_float:
        name = "arith.truncf" if dtype.bits < source.bits else "arith.extf"
        if dtype.bits == source.bits:  # FP16 and BF16, each of which FP32 holds
            value = fb.value(name, session.scalar_type(FP32), [value.ir], None, node)
            name = "arith.truncf"
        return fb.value(name, kind, [value.ir], None, node)
    if source.is_float:
        if dtype is INDEX:
            return convert(fb, convert(fb, value, INT64, node), INDEX, node)
        name = "arith.fptoui" if dtype.is_unsigned_int else "arith.fptosi"
        return fb.value(name, kind, [value.ir], None, node)
    return _convert_integer(fb, value, dtype, node)


def _convert_integer(fb: FunctionBuilder, value: Value, dtype: DataType, node: ast.AST) -> Value:
    source, kind = value.type.dtype, session.scalar_type(dtype)
    unsigned = bool(source.is_unsigned_int)
    if INDEX in (source, dtype):
        name = "arith.index_castui" if unsigned else "arith.index_cast"
        made = fb.value(name, kind, [value.ir], None, node)
        widened = unsigned and source.bits < 64
        made.nonnegative = dtype is INDEX and (value.nonnegative or widened)
        return made
    if dtype.bits == source.bits:
        return Value(value.ir, kind)  # the same bits, read another way
    widening = "arith.extui" if unsigned else "arith.extsi"
    name = widening if dtype.bits > source.bits else "arith.trunci"
    return fb.value(name, kind, [value.ir], None, node)


def common_dtype(fb: FunctionBuilder, symbol: str, lhs, rhs, node: ast.AST) -> DataType:
    """The type in which two scalars meet."""
    if not isinstance(lhs, Value) and not isinstance(rhs, Value):
        left, right = number_dtype(lhs), number_dtype(rhs)
        return FP32 if FP32 in (left, right) else left if left is right else INDEX
    if not isinstance(lhs, Value):
        lhs, rhs = rhs, lhs
    dtype = lhs.type.dtype
    if not isinstance(rhs, Value):
        if isinstance(rhs, float) and not dtype.is_float:
            return FP32
        return INDEX if dtype is BOOL and not isinstance(rhs, bool) else dtype
    other = rhs.type.dtype
    if dtype is other:
        return dtype
    if dtype.is_int and other.is_int and INDEX in (dtype, other):
        return INDEX
    if dtype.is_float != other.is_float and INDEX in (dtype, other):
        return dtype if dtype.is_float else other
    raise fb.error(
        node,
        f"'{symbol}' on {dtype} and {other}; convert one with pl.cast",
        ParserTypeError,
    )


def as_dtype(fb: FunctionBuilder, value, dtype: DataType, node: ast.AST):
    """A number or a scalar as an MLIR value of `dtype`."""
    if isinstance(value, Value):
        return convert(fb, value, dtype, node).ir
    return fb.constant(value, dtype, node)


def nonnegative(value) -> bool:
    """Whether it is known that the number or scalar is not negative."""
    return value.nonnegative if isinstance(value, Value) else value >= 0


def binary(fb: FunctionBuilder, symbol: str, lhs, rhs, node: ast.AST, name: str | None):
    if not isinstance(lhs, (Value, Array)) and not isinstance(rhs, (Value, Array)):
        return fold(fb, symbol, lhs, rhs, node)
    _require(fb, symbol, lhs, node)
    _require(fb, symbol, rhs, node)
    dtype = common_dtype(fb, symbol, lhs, rhs, node)
    if symbol == "**":
        return _power(fb, lhs, rhs, node, name)
    if symbol == "/" and not dtype.is_float:
        dtype = FP32
    if dtype is BOOL and symbol not in ("&", "|", "^"):
        dtype = INDEX  # True + True is 2
    if dtype.is_float:
        operation = FLOAT.get(symbol)
        if operation is None:
            raise fb.error(
                node,
                f"'{symbol}' on {dtype} scalars: the scalar unit of a core has + - * / on them; "
                "convert with int(...), or compute on a tile",
                UnsupportedFeatureError,
            )
        operands = [as_dtype(fb, lhs, dtype, node), as_dtype(fb, rhs, dtype, node)]
        return fb.value(operation, session.scalar_type(dtype), operands, None, node, name)
    return _integer(fb, symbol, lhs, rhs, dtype, node, name)


def fold(fb: FunctionBuilder, symbol: str, lhs, rhs, node: ast.AST):
    try:
        return FOLD[symbol](lhs, rhs)
    except (TypeError, KeyError):
        raise fb.error(
            node, f"no operator '{symbol}' on {describe(lhs)} and {describe(rhs)}", ParserTypeError
        ) from None
    except (ArithmeticError, ValueError) as error:
        raise fb.error(node, f"cannot compute {lhs!r} {symbol} {rhs!r}: {error}") from None


def _integer(fb: FunctionBuilder, symbol: str, lhs, rhs, dtype, node, name):
    kind = session.scalar_type(dtype)
    if not isinstance(rhs, Value) and rhs == 0 and symbol in ("//", "%"):
        raise fb.error(node, "division by zero")
    known = nonnegative(lhs) and nonnegative(rhs)
    if symbol in ("<<", ">>") and not isinstance(rhs, Value):
        if not 0 <= rhs < dtype.bits:
            raise fb.error(
                node, f"'{symbol}' moves {dtype} by 0 to {dtype.bits - 1} bits, found {rhs}"
            )
    operands = [as_dtype(fb, lhs, dtype, node), as_dtype(fb, rhs, dtype, node)]
    if dtype.is_unsigned_int:
        operation = UNSIGNED.get(symbol)
    elif symbol == "//":
        operation = "arith.divsi" if known else "arith.floordivsi"
    elif symbol == "%":
        if not known:
            return _floor_modulo(fb, operands, kind, node, name)
        operation = "arith.remsi"
    else:
        operation = INTEGER.get(symbol)
    if operation is None:
        raise fb.error(node, f"'{symbol}' on {dtype} scalars", UnsupportedFeatureError)
    made = fb.value(operation, kind, operands, None, node, name)
    made.nonnegative = known and symbol in ("+", "*", "//", "%", ">>", "&", "|")
    return made


# The largest exponent that is written out as products.
MOST_FACTORS = 64


def _power(fb: FunctionBuilder, base, exponent, node: ast.AST, name: str | None):
    """A power whose exponent is known: products, from the left."""
    if type(exponent) is not int or not abs(exponent) <= MOST_FACTORS:
        raise fb.error(
            node,
            f"'**' on scalars takes an exponent that is a number from {-MOST_FACTORS} to "
            f"{MOST_FACTORS}, known when the kernel is compiled, found {describe(exponent)}",
            UnsupportedFeatureError,
        )
    dtype = base.type.dtype
    if exponent < 0 and not dtype.is_float:
        raise fb.error(node, f"a negative power of {dtype} is no integer; write 1 / x ** n")
    if exponent == 0:
        one = fb.constant(1.0 if dtype.is_float else 1, dtype, node)
        return Value(one, session.scalar_type(dtype), True)
    made = base
    for _ in range(abs(exponent) - 1):
        made = binary(fb, "*", made, base, node, None)
    if exponent < 0:
        return binary(fb, "/", 1.0, made, node, name)
    return made


def _floor_modulo(fb: FunctionBuilder, operands, kind, node, name) -> Value:
    """Python's %: the sign is the divisor's. lhs - floor(lhs / rhs) * rhs."""
    quotient = fb.value("arith.floordivsi", kind, operands, None, node)
    product = fb.value("arith.muli", kind, [quotient.ir, operands[1]], None, node)
    return fb.value("arith.subi", kind, [operands[0], product.ir], None, node, name)


def compare(fb: FunctionBuilder, symbol: str, lhs, rhs, node: ast.AST, name: str | None):
    if not isinstance(lhs, (Value, Array)) and not isinstance(rhs, (Value, Array)):
        return fold(fb, symbol, lhs, rhs, node)
    _require(fb, symbol, lhs, node)
    _require(fb, symbol, rhs, node)
    dtype = common_dtype(fb, symbol, lhs, rhs, node)
    operands = [as_dtype(fb, lhs, dtype, node), as_dtype(fb, rhs, dtype, node)]
    table = FLOAT_PREDICATE if dtype.is_float else INTEGER_PREDICATE
    if dtype.is_unsigned_int or dtype is BOOL:
        table = UNSIGNED_PREDICATE
    predicate = session.attribute(f"{table[symbol]} : i64")
    operation = "arith.cmpf" if dtype.is_float else "arith.cmpi"
    return fb.value(
        operation, session.scalar_type(BOOL), operands, {"predicate": predicate}, node, name
    )


def truth(fb: FunctionBuilder, value, node: ast.AST):
    """A condition: a Python bool, or a BOOL scalar."""
    if isinstance(value, Value) and value.type.kind == "scalar":
        if value.type.dtype is BOOL:
            return value
        return compare(fb, "!=", value, 0, node, None)
    if isinstance(value, (Value, Array)):
        raise fb.error(node, f"a condition is a scalar, found {describe(value)}", ParserTypeError)
    return bool(value)


def logic(fb: FunctionBuilder, word: str, lhs, rhs, node: ast.AST, name: str | None):
    """`and`, `or`."""
    left, right = truth(fb, lhs, node), truth(fb, rhs, node)
    if isinstance(left, bool) and isinstance(right, bool):
        return (left and right) if word == "and" else (left or right)
    if isinstance(left, bool) or isinstance(right, bool):
        known, other = (left, right) if isinstance(left, bool) else (right, left)
        return other if known == (word == "and") else known
    operation = "arith.andi" if word == "and" else "arith.ori"
    return fb.value(operation, session.scalar_type(BOOL), [left.ir, right.ir], None, node, name)


def unary(fb: FunctionBuilder, operation: type, operand, node: ast.AST, name: str | None):
    if operation is ast.Not:
        condition = truth(fb, operand, node)
        if isinstance(condition, bool):
            return not condition
        one = fb.constant(True, BOOL, node)
        kind = session.scalar_type(BOOL)
        return fb.value("arith.xori", kind, [condition.ir, one], None, node, name)
    if not isinstance(operand, Value):
        fold_unary = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}
        try:
            return fold_unary[operation](operand)
        except TypeError:
            raise fb.error(
                node, f"no such operator on {describe(operand)}", ParserTypeError
            ) from None
    if operation is ast.UAdd:
        return operand
    _require(fb, {ast.USub: "-", ast.Invert: "~"}[operation], operand, node)
    if operation is ast.Invert and operand.type.dtype is BOOL:
        return unary(fb, ast.Not, operand, node, name)
    if operation is ast.Invert:
        if operand.type.dtype.is_unsigned_int:
            return binary(fb, "^", operand, (1 << operand.type.dtype.bits) - 1, node, name)
        return binary(fb, "^", operand, -1, node, name)
    if operand.type.dtype.is_float:
        return fb.value("arith.negf", operand.type, [operand.ir], None, node, name)
    return binary(fb, "-", 0, operand, node, name)


def extreme(fb: FunctionBuilder, which: str, lhs, rhs, node: ast.AST, name: str | None):
    """`max` or `min` of two scalars."""
    _require(fb, which, lhs, node)
    _require(fb, which, rhs, node)
    if not isinstance(lhs, Value) and not isinstance(rhs, Value):
        return max(lhs, rhs) if which == "max" else min(lhs, rhs)
    dtype = common_dtype(fb, which, lhs, rhs, node)
    operands = [as_dtype(fb, lhs, dtype, node), as_dtype(fb, rhs, dtype, node)]
    suffix = "imumf" if dtype.is_float else "ui" if dtype.is_unsigned_int else "si"
    made = fb.value(
        f"arith.{which}{suffix}", session.scalar_type(dtype), operands, None, node, name
    )
    both, either = nonnegative(lhs) and nonnegative(rhs), nonnegative(lhs) or nonnegative(rhs)
    made.nonnegative = not dtype.is_float and (either if which == "max" else both)
    return made


def absolute(fb: FunctionBuilder, value, node: ast.AST, name: str | None):
    _require(fb, "abs", value, node)
    if not isinstance(value, Value):
        return abs(value)
    if value.type.dtype.is_unsigned_int or value.type.dtype is BOOL:
        return value
    if value.type.dtype.is_float:
        # The larger one of x and -x: of two zeros, the positive one.
        negative = fb.value("arith.negf", value.type, [value.ir], None, node)
        operands = [value.ir, negative.ir]
        return fb.value("arith.maximumf", value.type, operands, None, node, name)
    negative = binary(fb, "-", 0, value, node, None)
    made = extreme(fb, "max", value, negative, node, name)
    made.nonnegative = True
    return made


def select(fb: FunctionBuilder, condition, chosen, other, node: ast.AST, name: str | None):
    _require(fb, "if", chosen, node)
    _require(fb, "if", other, node)
    condition = truth(fb, condition, node)
    dtype = common_dtype(fb, "if", chosen, other, node)
    operands = [condition.ir, as_dtype(fb, chosen, dtype, node), as_dtype(fb, other, dtype, node)]
    return fb.value("arith.select", session.scalar_type(dtype), operands, None, node, name)


def index(fb: FunctionBuilder, value, node: ast.AST, what: str):
    """A number as a static index, or a scalar as an MLIR index value."""
    if isinstance(value, bool) or not is_scalar(value) or isinstance(value, float):
        raise fb.error(node, f"{what} is an integer, found {describe(value)}", ParserTypeError)
    if not isinstance(value, Value):
        # The least number stands for an operand in the IR.
        if abs(value) >= 1 << 63:
            raise fb.error(node, f"{what} has 64 bits, found {value}", ParserTypeError)
        return value
    if not value.type.dtype.is_int:
        raise fb.error(node, f"{what} is an integer, found {describe(value)}", ParserTypeError)
    return convert(fb, value, INDEX, node).ir


def ceiling_division(fb: FunctionBuilder, distance, step, node: ast.AST):
    """How many steps cover a distance; at least none. Both MLIR index values."""
    kind = session.scalar_type(INDEX)
    made = fb.value("arith.ceildivsi", kind, [distance, step], None, node)
    return fb.value("arith.maxsi", kind, [made.ir, fb.constant(0, INDEX, node)], None, node).ir
