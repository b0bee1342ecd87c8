# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Matrix products."""

from __future__ import annotations

from ..diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ..language.dtypes import FP32, INT8, INT32, DataType
from ..language.enums import MemorySpace
from ..mlir import ir
from . import scalars, session
from .build import Call, check_size, data_dtype, not_yet, operands, result_type
from .builder import FunctionBuilder
from .values import Value, describe


def product_dtype(lhs: DataType) -> DataType:
    """What a product of such elements adds up in."""
    return INT32 if lhs is INT8 else FP32


def _flag(fb: FunctionBuilder, call: Call, index: int, keyword: str) -> bool:
    value = call.args[index]
    if not isinstance(value, bool):
        raise fb.error(
            call.place(index),
            f"{call.path}: {keyword}= is True or False when the kernel is compiled, found "
            f"{describe(value)}",
            ParserTypeError,
        )
    return value


def _keywords(fb: FunctionBuilder, call: Call) -> dict:
    """What stands behind the operands, by name, where the call has it."""
    found = {}
    parameters = call.operation.faces[call.level].parameters
    for index in range(call.operation.operands, len(call.args)):
        name = parameters[index].name
        if name in ("a_trans", "b_trans"):
            found[name] = _flag(fb, call, index, name)
        elif name == "c_matrix_nz":
            not_yet(fb, call, index, name, False)
        else:
            found[name] = call.args[index]
    return found


def _check_matrices(fb: FunctionBuilder, call: Call, types: list) -> None:
    for index, found in enumerate(types):
        if found is None or len(found.shape) != 2:
            raise fb.error(
                call.place(index),
                f"{call.path} multiplies [M, K] by [K, N], found {describe(call.args[index])}",
                ParserTypeError,
            )


def matmul(fb: FunctionBuilder, call: Call) -> Value:
    values, types, level = operands(fb, call)
    keywords = _keywords(fb, call)
    _check_matrices(fb, call, types)
    adds = call.operation.mnemonic == "matmul_acc"
    lhs, rhs = types[adds], types[adds + 1]
    turned = [name for name in ("a_trans", "b_trans") if keywords.get(name)]
    if turned and level == "tile":
        raise fb.error(
            call.node,
            f"{call.path}: {turned[0]}= is for arrays; load the tile as it is multiplied",
            ParserTypeError,
        )
    shape = lhs.shape["a_trans" in turned], rhs.shape["b_trans" not in turned]
    dtype = product_dtype(lhs.dtype)
    if keywords.get("out_dtype") is not None:
        if level == "tile":
            raise fb.error(
                call.node, f"{call.path}: out_dtype= is for arrays; a tile product is {dtype}"
            )
        dtype = data_dtype(fb, keywords["out_dtype"], call.node)
    check_size(fb, shape, call.node, level == "tile")
    made = result_type(level, shape, dtype, MemorySpace.Acc)
    attributes = {name: ir.UnitAttr.get(session.CONTEXT) for name in turned} or None
    name = f"pto.{level}.{call.operation.mnemonic}"
    begins = keywords.get("init_cond")
    if begins is None or begins is False:
        return fb.value(name, made, values, attributes, call.node, call.name)
    fresh = f"pto.{level}.matmul"
    if begins is True:
        return fb.value(fresh, made, values[1:], attributes, call.node, call.name)
    return _either(fb, call, begins, made, [(fresh, values[1:]), (name, values)], attributes)


def _either(fb: FunctionBuilder, call: Call, condition, made, ways: list, attributes) -> Value:
    """A new product if the condition holds, else one that adds to the accumulator."""
    if not scalars.is_scalar(condition):
        raise fb.error(
            call.node,
            f"{call.path}: init_cond= is True, False or a condition, found {describe(condition)}",
            ParserTypeError,
        )
    condition = scalars.truth(fb, condition, call.node)
    if isinstance(condition, bool):
        name, values = ways[0 if condition else 1]
        return fb.value(name, made, values, attributes, call.node, call.name)
    branch = ir.Operation.create(
        "scf.if",
        [made.ir],
        [condition.ir],
        regions=2,
        loc=fb.location(call.node, call.name),
        ip=fb.ip,
    )
    for region, (name, values) in zip(branch.regions, ways, strict=True):
        block = region.blocks.append()
        at = ir.InsertionPoint(block)
        product = fb.emit(name, [made.ir], values, attributes, call.node, call.name, ip=at)
        ir.Operation.create("scf.yield", [], [product.result], loc=fb.location(call.node), ip=at)
    return Value(branch.result, made)


def matmul_bias(fb: FunctionBuilder, call: Call) -> Value:
    values, types, level = operands(fb, call)
    _check_matrices(fb, call, types)
    lhs, rhs, bias = types
    dtype = product_dtype(lhs.dtype)
    if bias.shape != (1, rhs.shape[1]) or bias.dtype is not dtype:
        raise fb.error(
            call.place(2),
            f"{call.path}: the bias is one row of {dtype}, [1, {rhs.shape[1]}], found "
            f"{describe(call.args[2])}",
            ParserTypeError,
        )
    made = result_type(level, (lhs.shape[0], rhs.shape[1]), dtype, MemorySpace.Acc)
    return fb.value("pto.tile.matmul_bias", made, values, None, call.node, call.name)


def gemv(fb: FunctionBuilder, call: Call) -> Value:
    """A product of one row."""
    phase = call.args[-1]
    if phase != "unspecified":
        raise fb.error(
            call.place(len(call.args) - 1),
            f"{call.path}: acc_phase= other than 'unspecified' is not supported yet",
            UnsupportedFeatureError,
        )
    first = call.operation.mnemonic == "matmul_acc"
    lhs = call.args[first]
    if isinstance(lhs, Value) and lhs.type.kind == "tile" and lhs.type.shape[0] != 1:
        raise fb.error(
            call.place(int(first)),
            f"{call.path}: the left operand is one row, [1, K], found {describe(lhs)}; "
            "pl.matmul multiplies matrices",
            ParserTypeError,
        )
    count = call.operation.operands
    short = Call(
        call.operation, call.level, call.path, call.args[:count], call.node, call.places, call.name
    )
    return (matmul_bias if call.operation.mnemonic == "matmul_bias" else matmul)(fb, short)
