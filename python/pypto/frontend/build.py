# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""From a bound call to operations of the IR: the `build` of a registry entry."""

from __future__ import annotations

import ast
import math
import re

from ..diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ..language.dtypes import INDEX, DataType
from ..language.enums import MemorySpace, RoundMode
from ..language.operation import Operation
from ..language.registry import OPERATIONS
from . import rules, scalars, session
from .builder import FunctionBuilder, number_dtype
from .values import Array, Value, describe

# What arrays and tiles can hold; the other types come later.
DATA_DTYPES = tuple(t for t in DataType.all.values() if t.mlir and t is not INDEX)
MAX_TILE_ELEMENTS = 1 << 32  # kMaxTileElements of the dialect
MAX_ARRAY_ELEMENTS = 1 << 48
ON_CHIP = tuple(MemorySpace)[1:7]


class Call:
    """A call of an operation, with its arguments in the order of the signature."""

    __slots__ = ("args", "level", "name", "node", "operation", "path", "places")

    def __init__(self, operation: Operation, level: str, path: str, args: list, node, places, name):
        self.operation, self.level, self.path = operation, level, path
        self.args, self.node, self.places, self.name = args, node, places, name

    def place(self, index: int) -> ast.AST:
        """Where argument `index` stands; the call itself if it was left out."""
        return self.places[index] or self.node


def is_data(value) -> bool:
    """Whether it is a tile or an array, not a scalar."""
    return isinstance(value, Array) or (
        isinstance(value, Value) and value.type.kind in ("tile", "array")
    )


# Arguments.


def static_shape(fb: FunctionBuilder, call: Call, index: int, what: str) -> tuple:
    shape = call.args[index]
    node = call.place(index)
    if not isinstance(shape, (list, tuple)):
        raise fb.error(
            node, f"{what} is a list of integers, found {describe(shape)}", ParserTypeError
        )
    for extent in shape:
        if type(extent) is not int:
            found = (
                "a value known at run time only" if isinstance(extent, Value) else describe(extent)
            )
            raise fb.error(
                node,
                f"{what} is known when the kernel is compiled, found {found}"
                + (
                    "; say fewer valid rows or columns with valid_shape="
                    if what == "a tile's shape"
                    else ""
                ),
                ParserTypeError,
            )
        if extent <= 0:
            raise fb.error(node, f"{what} is positive, found {describe(list(shape))}")
    check_size(fb, shape, node, what == "a tile's shape")
    return tuple(shape)


def check_size(fb: FunctionBuilder, shape, node: ast.AST, tile: bool) -> None:
    """Far beyond every memory, but little enough for sizes in bytes to be numbers."""
    if math.prod(shape) > (MAX_TILE_ELEMENTS if tile else MAX_ARRAY_ELEMENTS):
        raise fb.error(node, f"no memory holds {list(shape)} elements", ParserTypeError)


def data_dtype(fb: FunctionBuilder, dtype, node: ast.AST) -> DataType:
    if not isinstance(dtype, DataType):
        raise fb.error(
            node, f"an element type such as pl.FP32, found {describe(dtype)}", ParserTypeError
        )
    if dtype not in DATA_DTYPES:
        raise fb.error(
            node,
            f"arrays and tiles of {dtype} are not supported yet; "
            f"{', '.join(map(str, DATA_DTYPES))} are",
            UnsupportedFeatureError,
        )
    return dtype


def indices(fb: FunctionBuilder, call: Call, index: int, what: str) -> tuple[list, object]:
    """(operands, static part) of a list of offsets or extents."""
    items = call.args[index]
    node = call.place(index)
    if not isinstance(items, (list, tuple)):
        raise fb.error(
            node, f"{what} are a list of integers, found {describe(items)}", ParserTypeError
        )
    operands, static = [], []
    for item in items:
        if type(item) is int:
            static.append(item)
            continue
        found = scalars.index(fb, item, node, "each of " + what)
        if isinstance(found, int):
            static.append(found)
        else:
            static.append(session.DYNAMIC)
            operands.append(found)
    return operands, session.int64s(static)


def not_yet(fb: FunctionBuilder, call: Call, index: int, keyword: str, default) -> None:
    """A keyword that the language has: its default is accepted, another value is an error."""
    value = call.args[index]
    if value is not default and value != default:
        raise fb.error(
            call.place(index),
            f"{call.path}: {keyword}= is not supported yet",
            UnsupportedFeatureError,
        )


def operands(fb: FunctionBuilder, call: Call) -> tuple[list, list, str]:
    """(MLIR values, types, level) of the leading operands. A number adopts the
    element type of the first operand."""
    first = call.args[0]
    if not is_data(first):
        raise fb.error(
            call.place(0),
            f"{call.path} takes {_taken(call.level)}, found {describe(first)}",
            ParserTypeError,
        )
    level = "tile" if first.type.kind == "tile" else "tensor"
    if call.level and call.level != level:
        raise fb.error(
            call.place(0),
            f"{call.path} takes {_taken(call.level)}, found {describe(first)}",
            ParserTypeError,
        )
    values, types = [first.ir], [first.type]
    for index in range(1, call.operation.operands):
        value = call.args[index]
        if is_data(value):
            if value.type.kind != first.type.kind:
                raise _mixed(fb, call, index, first, value)
            values.append(value.ir)
            types.append(value.type)
            continue
        values.append(_scalar_operand(fb, call, index, value, first.type.dtype))
        types.append(None)
    return values, types, level


def _taken(level: str) -> str:
    return {"tile": "a tile", "tensor": "an array"}.get(level, "a tile or an array")


def _mixed(fb: FunctionBuilder, call: Call, index: int, first, value):
    array = first if first.type.kind == "array" else value
    fix = "pl.load the array first" if isinstance(array, Array) else "make both with pl.tensor.*"
    return fb.error(
        call.place(index),
        f"{call.path} takes two tiles or two arrays, found {describe(first)} and "
        f"{describe(value)}; {fix}",
        ParserTypeError,
    )


def _scalar_operand(fb: FunctionBuilder, call: Call, index: int, value, dtype: DataType):
    node = call.place(index)
    if not scalars.is_scalar(value) or _scalar_refused(call, index):
        raise fb.error(
            node,
            f"{call.path}: operand {index + 1} is {_taken(call.level)}, found {describe(value)}",
            ParserTypeError,
        )
    if isinstance(value, Value):
        return value.ir
    return number(fb, value, dtype, node)


def _scalar_refused(call: Call, index: int) -> bool:
    signature = call.operation.faces[call.level]
    return "Scalar" not in signature.parameters[index].annotation


def number(fb: FunctionBuilder, value, dtype: DataType, node: ast.AST):
    """A Python number in the element type of what it meets."""
    if isinstance(value, float) and not dtype.is_float:
        if not value.is_integer():
            raise fb.error(
                node,
                f"{value} meets elements of {dtype}; convert them with pl.cast",
                ParserTypeError,
            )
        value = int(value)
    return fb.constant(float(value) if dtype.is_float else value, dtype, node)


def result_type(level: str, shape: tuple, dtype: DataType, space: MemorySpace | None):
    if level == "tile":
        return session.tile_type(shape, dtype, space)
    return session.tensor_type(shape, dtype)


def _space(operation: Operation) -> MemorySpace | None:
    return None if operation.space is None else MemorySpace[operation.space]


# Builders.


def compute(fb: FunctionBuilder, call: Call) -> Value:
    values, types, level = operands(fb, call)
    operation = call.operation
    # The other arguments of such operations: scratch, and high_precision.
    for index in range(operation.operands, len(call.args)):
        argument = operation.faces[call.level].parameters[index].name
        if argument in ("tmp", "tmp_tile"):
            _check_scratch(fb, call, index, argument)
        else:
            not_yet(fb, call, index, argument, False)
    _same_dtypes(fb, call, types)
    shape, dtype = getattr(rules, operation.rule)(types)
    made = result_type(level, shape, dtype, _space(operation))
    return fb.value(f"pto.{level}.{operation.mnemonic}", made, values, None, call.node, call.name)


def _same_dtypes(fb: FunctionBuilder, call: Call, types: list) -> None:
    """The rule of the verifier, here because an assignment of the result, which has the
    first operand's type, would be the error that is seen."""
    for index, found in enumerate(types):
        if found is None or found.dtype is types[0].dtype:
            continue
        words = [_named(value) for value in (call.args[0], call.args[index])]
        raise fb.error(
            call.node,
            f"{call.path}: operands have different element types, {words[0]} and {words[1]}; "
            "convert one with pl.cast",
            ParserTypeError,
        )


def _named(value) -> str:
    """An operand with the author's name of it, if it has one."""
    from ..ir.types import name_of

    name = value.name if isinstance(value, Array) else name_of(value.ir.location)
    return f"'{name}' ({value.type})" if name else describe(value)


def call_by_name(
    fb: FunctionBuilder, operation: str, args: list, node: ast.AST, name, places=None, **keywords
):
    """An operation that an operator or a subscript stands for."""
    from . import calls

    entry = OPERATIONS.get(operation)
    if entry is None or "" not in entry.faces:
        raise fb.error(
            node,
            f"'{ast.unparse(node)}' is pl.{operation}, which is not supported yet",
            UnsupportedFeatureError,
        )
    parameters = entry.faces[""].parameters
    full = [*args, *(parameter.default for parameter in parameters[len(args) :])]
    where = {parameter.name: index for index, parameter in enumerate(parameters)}
    for keyword, value in keywords.items():
        full[where[keyword]] = value
    given = list(places) if places is not None else _sides(node)[: len(args)]
    given += [None] * (len(full) - len(given))
    call = Call(entry, "", f"pl.{operation}", full, node, given, name)
    calls.check_plane(fb, call)
    return calls.maker(entry)(fb, call)


def _sides(node: ast.AST) -> list:
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.Compare) and len(node.comparators) == 1:
        return [node.left, node.comparators[0]]
    return []


_OPERATORS = {entry.symbol: entry.name for entry in OPERATIONS.values() if entry.symbol}
# The codes of pl.cmp, and what is the same with the sides exchanged.
_COMPARISONS = {"==": 0, "!=": 1, "<": 2, "<=": 3, ">": 4, ">=": 5}
_MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_COMMUTES = ("+", "*", "&", "|", "^")


def operator_call(fb: FunctionBuilder, symbol: str, lhs, rhs, node: ast.AST, name):
    """`lhs symbol rhs` where one is a tile or an array."""
    if not is_data(lhs) and not scalars.is_scalar(lhs):
        raise fb.error(
            node, f"no operator '{symbol}' on {describe(lhs)} and {describe(rhs)}", ParserTypeError
        )
    if symbol in _COMPARISONS:
        if not is_data(lhs):
            lhs, rhs, symbol = rhs, lhs, _MIRRORED[symbol]
        return call_by_name(fb, "cmp", [lhs, rhs], node, name, cmp_type=_COMPARISONS[symbol])
    operation = _OPERATORS.get(symbol)
    if operation is None:
        raise fb.error(
            node,
            f"'{symbol}' on tiles and arrays is not supported yet; "
            + ", ".join(_OPERATORS)
            + " are",
            UnsupportedFeatureError,
        )
    if is_data(lhs):
        return call_by_name(fb, operation, [lhs, rhs], node, name)
    if symbol in _COMMUTES:
        return call_by_name(fb, operation, [rhs, lhs], node, name)
    if symbol == "-":
        # c - x is (-x) + c: negation is exact, so it rounds once, like the subtraction.
        negative = call_by_name(fb, "neg", [rhs], node, None)
        return call_by_name(fb, "add", [negative, lhs], node, name)
    return call_by_name(fb, operation, [_spread(fb, lhs, rhs, node), rhs], node, name)


def _spread(fb: FunctionBuilder, scalar, like, node: ast.AST) -> Value:
    """A tile or array of one number, with the type of `like`."""
    level = "tile" if like.type.kind == "tile" else "tensor"
    value = scalar.ir if isinstance(scalar, Value) else number(fb, scalar, like.type.dtype, node)
    made = result_type(level, like.type.shape, like.type.dtype, None)
    return fb.value(f"pto.{level}.full", made, [value], None, node)


def _check_scratch(fb: FunctionBuilder, call: Call, index: int, argument: str) -> None:
    """The rule of the language for scratch; the compiler finds its own."""
    source, scratch, node = call.args[0], call.args[index], call.place(index)
    if scratch is None:
        return
    if not isinstance(scratch, Value) or scratch.type.kind != "tile":
        raise fb.error(node, f"{argument} is a tile, found {describe(scratch)}", ParserTypeError)
    if source.type.kind != "tile":
        raise fb.error(node, f"{call.path}: an array takes no {argument}", ParserTypeError)
    small = any(
        have < need for have, need in zip(scratch.type.shape, source.type.shape, strict=False)
    )
    if scratch.type.dtype is not source.type.dtype or small:
        raise fb.error(
            node,
            f"{argument} has the element type of the tile and at least its extents, found "
            f"{describe(scratch)} for {describe(source)}",
            ParserTypeError,
        )


def cast(fb: FunctionBuilder, call: Call) -> Value:
    value, dtype, mode = call.args
    if not isinstance(dtype, DataType):
        raise fb.error(
            call.place(1),
            f"pl.cast: a type such as pl.FP16, found {describe(dtype)}",
            ParserTypeError,
        )
    if not is_data(value):
        return _scalar_cast(fb, call, value, dtype, mode)
    data_dtype(fb, dtype, call.place(1))
    values, types, level = operands(fb, call)
    if types[0].dtype is dtype:
        raise fb.error(
            call.node, f"pl.cast: converts {dtype} to itself; drop the cast", ParserTypeError
        )
    made = result_type(level, types[0].shape, dtype, None)
    attributes = {"round": session.attribute(f"#pto.round<{_round_mode(fb, call, mode).name}>")}
    return fb.value(f"pto.{level}.cast", made, values, attributes, call.node, call.name)


def _round_mode(fb: FunctionBuilder, call: Call, mode) -> RoundMode:
    try:
        return RoundMode[mode] if isinstance(mode, str) else RoundMode(mode)
    except (KeyError, ValueError):
        known = ", ".join(f"'{member.name}'" for member in RoundMode)
        raise fb.error(
            call.place(2), f"pl.cast: mode is one of {known} or its number, found {mode!r}"
        ) from None


def _scalar_cast(fb: FunctionBuilder, call: Call, value, dtype: DataType, mode):
    if not scalars.is_scalar(value):
        raise fb.error(call.place(0), f"pl.cast: found {describe(value)}", ParserTypeError)
    if _round_mode(fb, call, mode) is not RoundMode.round:
        raise fb.error(
            call.place(2), "pl.cast of a scalar has the default mode only", UnsupportedFeatureError
        )
    supported_scalar(fb, dtype, call.place(1))
    if not isinstance(value, Value):
        return const_value(fb, value, dtype, call)
    return scalars.convert(fb, value, dtype, call.node)


def supported_scalar(fb: FunctionBuilder, dtype: DataType, node: ast.AST) -> None:
    if dtype.mlir is None:
        raise fb.error(node, f"scalars of {dtype} are not supported yet", UnsupportedFeatureError)


def const_value(fb: FunctionBuilder, value, dtype: DataType, call: Call) -> Value:
    kind = session.scalar_type(dtype)
    number_ = float(value) if dtype.is_float else int(value)
    return Value(fb.constant(number_, dtype, call.node), kind, number_ >= 0)


def const(fb: FunctionBuilder, call: Call) -> Value:
    value, dtype = call.args
    if not scalars.is_number(value) or not isinstance(dtype, DataType):
        raise fb.error(
            call.node,
            f"pl.const takes a number and a type, found {describe(value)} and {describe(dtype)}",
            ParserTypeError,
        )
    supported_scalar(fb, dtype, call.place(1))
    return const_value(fb, value, dtype, call)


def require_writable(fb: FunctionBuilder, target, node: ast.AST, path: str) -> None:
    if not isinstance(target, Array):
        raise fb.error(
            node, f"{path} writes an array in DDR, found {describe(target)}", ParserTypeError
        )
    if target.direction != "in":
        return
    notes = [fb.note(target.node, f"'{target.name}' is a parameter without pl.Out")]
    raise fb.error(
        node,
        f"{path} writes '{target.name}', which is read-only here; annotate it "
        "pl.Out[pl.Tensor[...]], or pl.InOut[...] if it is read too",
        ParserTypeError,
        notes if fb.source.tree.lineno <= target.node.lineno <= fb.source.tree.end_lineno else (),
    )


def block_index(fb: FunctionBuilder, call: Call) -> Value:
    made = fb.value(
        f"pto.block.{call.operation.name}",
        session.scalar_type(INDEX),
        [],
        None,
        call.node,
        call.name,
    )
    made.nonnegative = True
    return made


def scalar_extreme(fb: FunctionBuilder, call: Call):
    lhs, rhs = call.args
    if is_data(lhs) or is_data(rhs):
        other = {"max": "pl.maximum", "min": "pl.minimum"}[call.operation.name]
        raise fb.error(
            call.node,
            f"{call.path} is for scalars; of tiles and arrays it is {other}",
            ParserTypeError,
        )
    return scalars.extreme(fb, call.operation.name, lhs, rhs, call.node, call.name)


def printf(fb: FunctionBuilder, call: Call) -> None:
    text, values = call.args[0], call.args[1]
    if not isinstance(text, str):
        raise fb.error(
            call.place(0), f"pl.printf takes a format, found {describe(text)}", ParserTypeError
        )
    operands_ = []
    for value in values:
        if not scalars.is_scalar(value):
            raise fb.error(
                call.node, f"pl.printf prints scalars, found {describe(value)}", ParserTypeError
            )
        operands_.append(
            fb.scalar(value, call.node, None if isinstance(value, Value) else number_dtype(value))
        )
    _check_format(fb, call, text, values)
    from ..mlir import ir

    attributes = {"format": ir.StringAttr.get(text, session.CONTEXT)}
    fb.emit("pto.block.print", [], operands_, attributes, call.node)


def _check_format(fb: FunctionBuilder, call: Call, text: str, values: list) -> None:
    kinds = [kind for kind in re.findall(r"%(.?)", text, re.DOTALL) if kind != "%"]
    for kind in kinds:
        if kind not in tuple("diuxf"):
            raise fb.error(
                call.place(0),
                f"pl.printf: the format has '%{kind}'; it takes %d, %i, %u, %x, %f and %%",
            )
    if len(kinds) != len(values):
        raise fb.error(
            call.node,
            f"pl.printf: the format wants {len(kinds)} arguments, found {len(values)}",
        )
    for index, (kind, value) in enumerate(zip(kinds, values, strict=True)):
        dtype = value.type.dtype if isinstance(value, Value) else number_dtype(value)
        if dtype.is_float != (kind == "f"):
            fix = "write %f" if dtype.is_float else "write %d, or convert it with pl.cast"
            raise fb.error(
                call.node.args[index + 1],
                f"pl.printf: argument {index + 1} is {dtype}, the format wants %{kind}; {fix}",
            )


def static_print(fb: FunctionBuilder, call: Call) -> None:
    if not fb.module.repeated:  # the body of a loop is read again for what it carries
        print(*map(_shown, call.args[0]))


def _shown(value) -> str:
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(map(_shown, value))}]"
    return value if isinstance(value, str) else describe(value)


def static_assert(fb: FunctionBuilder, call: Call) -> None:
    condition, message = call.args
    if isinstance(condition, (Value, Array)):
        raise fb.error(
            call.place(0),
            "pl.static_assert takes what is known when the kernel is compiled",
            ParserTypeError,
        )
    if not condition:
        raise fb.error(
            call.node, f"static assertion failed: {message or ast.unparse(call.node.args[0])}"
        )
