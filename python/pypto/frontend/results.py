# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What an entry returns: arrays that its caller gave, and arrays of its own.

An array of its own that it returns becomes one more Out parameter, behind those of the
author, for which the caller's side makes the memory.
"""

from __future__ import annotations

from ..diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ..mlir import ir
from . import functions, session
from .builder import FunctionBuilder
from .source import MISSING
from .values import Array, describe


class Results:
    """The results of one entry. `made` are the arrays of its own among them."""

    def __init__(self, fb: FunctionBuilder, block: ir.Block, parameters: int):
        self.fb, self.block, self.parameters = fb, block, parameters
        self.made: list[Array] = []

    def read(self) -> tuple[list[Array], object]:
        """The arrays that the function returns, and which parameters those are."""
        returned = self.fb.returned
        if returned is MISSING or returned is None:
            return [], None
        several = isinstance(returned, (tuple, list))
        arrays = list(returned) if several else [returned]
        places = [self._place(array) for array in arrays]
        for index, array in enumerate(self.made):
            if array.window is None and not array.sources:
                self._take(array)
                continue
            self.made[index] = self._copy(array)
            arrays = [self.made[index] if known is array else known for known in arrays]
        return arrays, tuple(places) if several else places[0]

    def _place(self, array) -> int:
        fb = self.fb
        if not isinstance(array, Array):
            raise fb.error(
                fb.return_node,
                f"a @pl.jit function returns arrays, found {describe(array)}",
                ParserTypeError,
            )
        if array.is_parameter:
            return fb.parameter_order.index(array.name)
        for index, known in enumerate(self.made):
            if known is array:
                return self.parameters + index
        if array.window is not None or array.sources:
            self.made.append(array)
            return self.parameters + len(self.made) - 1
        if not array.written:
            raise fb.error(
                fb.return_node,
                f"nothing writes '{array.name}', which this returns",
                notes=[fb.note(array.node, f"'{array.name}' is made here")],
            )
        self.made.append(array)
        return self.parameters + len(self.made) - 1

    def _copy(self, array: Array) -> Array:
        """A copy of a slice, or of an array that the run chooses: only then it is known
        which memory that is."""
        fb = self.fb
        if fb.module.has_manual_tasks:
            what = f"a slice of '{array.name}'" if array.window is not None else "an array"
            raise fb.error(
                fb.return_node,
                f"this returns {what} that is known at run time only, which means a copy of it, "
                "and no order is derived between that and the tasks of a manual scope; let the "
                "last task write a pl.Out parameter",
                UnsupportedFeatureError,
            )
        kind = session.tensor_type(array.type.shape, array.type.dtype)
        location = fb.location(fb.return_node, array.name or None)
        made = Array(self.block.add_argument(kind.ir, location), kind, array.name, "out")
        functions.copy_array(fb, array, made, fb.return_node)
        return made

    def _take(self, array: Array) -> None:
        """Makes the memory of an array a parameter."""
        origin = array.origin
        owner = origin.owner
        location = self.fb.location(array.node, array.name or None)
        argument = self.block.add_argument(array.type.ir, location)
        if owner.name == "pto.tensor.create":
            origin.replace_all_uses_with(argument)
            if array.ir is origin or array.ir == origin:
                array.ir = argument
            owner.operation.erase()
            return
        # What a placed region computes is written there by the region.
        end = list(owner.regions[0].blocks[0].operations)[-1].operation
        index = origin.result_number
        made = ir.Operation.create(
            "pto.tensor.assemble",
            [array.type.ir],
            [end.operands[index], argument],
            {"static_offsets": session.int64s([0] * len(array.type.shape))},
            loc=location,
            ip=ir.InsertionPoint(end),
        )
        end.operands[index] = made.result
