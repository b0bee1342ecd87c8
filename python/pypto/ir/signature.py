# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The parameters of a program and what it returns, read from the IR."""

from __future__ import annotations

from ..diagnostics.errors import CompileError
from ..diagnostics.mlir import text_of
from ..frontend import session
from ..frontend.functions import Parameter
from ..mlir import ir
from .program import Program
from .types import Array, Scalar, name_of, parse_type


class Entry:
    """What stands for the author's function where there is none."""

    kind, program, source = "orchestration", None, None

    def __init__(self, name: str, parameters: list[str]):
        self.__name__, self._names = name, parameters


def specialised_of(program: Program):
    """What a run of the program takes and gives."""
    from ..jit.driver import Specialised

    known = program.specialised
    if known is not None:
        return Specialised(**{**vars(known), "program": program})
    with session.LOCK:
        function = _entry(program)
        parameters = _parameters(function)
        returns = _returns(function)
    name = text_of(function.attributes["sym_name"])
    program = Program(program._operation, name, program._label)
    types = [parameter.type for parameter in parameters]
    entry = Entry(name, [parameter.name for parameter in parameters])
    return Specialised(program, parameters, types, returns, [], [], entry)


def _entry(program: Program):
    """The function called as the program is, else the only one of the control plane."""
    functions = [
        operation.operation
        for operation in program._operation.regions[0].blocks[0].operations
        if operation.operation.name == "func.func"
    ]
    entries = [one for one in functions if "orchestration" in str(one.attributes.get("pto.kind"))]
    named = [one for one in entries if text_of(one.attributes["sym_name"]) == program.name]
    if len(named or entries) != 1:
        found = ", ".join(text_of(one.attributes["sym_name"]) for one in entries) or "none"
        raise CompileError(
            f"a program in the IR has one function of kind orchestration, found {found}"
        )
    return (named or entries)[0]


def _parameters(function) -> list[Parameter]:
    attributes = function.attributes
    directions = list(attributes["arg_attrs"]) if "arg_attrs" in attributes else []
    found: list[Parameter] = []
    for index, argument in enumerate(function.regions[0].blocks[0].arguments):
        name = name_of(argument.location) or f"arg{index}"
        if any(parameter.name == name for parameter in found):
            name = f"{name}_{index}"
        direction = "in"
        if index < len(directions) and "pto.dir" in directions[index]:
            text = str(directions[index]["pto.dir"])
            direction = text[text.index("<") + 1 : -1]
        kind = parse_type(argument.type)
        if isinstance(kind, Array):
            shape = tuple(session.DYNAMIC if one is None else one for one in kind.shape)
            made = session.tensor_type(shape, kind.dtype, kind.pitch)
            found.append(Parameter(name, "array", direction, made, None))
        elif isinstance(kind, Scalar):
            made = session.scalar_type(kind.dtype)
            found.append(Parameter(name, "scalar", "in", made, None))
        else:
            raise CompileError(
                f"parameter '{name}' of '{text_of(attributes['sym_name'])}' is {argument.type}; "
                "a program takes arrays and scalars"
            )
    return found


def _returns(function):
    """Which parameters the function returns: an index, a tuple of them, or None."""
    block = function.regions[0].blocks[0]
    last = list(block.operations)[-1].operation
    places = []
    for value in last.operands:
        argument = _memory(value)
        if argument is None or argument.owner != block:
            raise CompileError(
                f"'{text_of(function.attributes['sym_name'])}' returns an array that is none of "
                "its parameters; a program in the IR writes what it returns to a parameter"
            )
        places.append(argument.arg_number)
    if not places:
        return None
    return places[0] if len(places) == 1 else tuple(places)


# Operations whose result names the memory of an operand, and which one.
_TARGET = {"pto.tensor.assemble": 1, "pto.tensor.write": 0, "pto.tile.store": 1}


def _memory(value) -> ir.BlockArgument | None:
    """The argument whose memory a value names."""
    while not isinstance(value.owner, ir.Block):
        operation, index = value.owner, value.result_number
        name = operation.name
        if name == "pto.block.dispatch":
            value = _written(operation)[index]
        elif name in _TARGET:
            value = operation.operands[_TARGET[name]]
        elif name == "scf.for":
            value = operation.operands[3 + index]
        elif name in ("pto.block.at", "pto.block.cluster", "scf.if"):
            end = list(operation.regions[0].blocks[0].operations)[-1].operation
            value = end.operands[index]
        else:
            return None
        value = _outer(value)
    return ir.BlockArgument(value)


def _outer(value):
    """A value that a loop carries is what it began with."""
    while isinstance(value.owner, ir.Block):
        holder = value.owner.owner
        if holder.name != "scf.for":
            return value
        value = holder.operands[2 + ir.BlockArgument(value).arg_number]
    return value


def _written(operation) -> list:
    """The operands of a dispatch that its callee writes."""
    callee = text_of(operation.attributes["callee"]).lstrip("@")
    module = operation
    while module.name != "builtin.module":
        module = module.parent.operation if hasattr(module.parent, "operation") else module.parent
    for one in module.regions[0].blocks[0].operations:
        function = one.operation
        if function.name == "func.func" and text_of(function.attributes["sym_name"]) == callee:
            directions = list(function.attributes["arg_attrs"])
            return [
                operation.operands[index]
                for index, direction in enumerate(directions)
                if "pto.dir" in direction and "<in>" not in str(direction["pto.dir"])
            ]
    raise CompileError(f"there is no function '{callee}'")
