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
from .values import Array, Value, describe


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


class KernelResults:
    """What a kernel returns: parameters that it writes, and arrays that it computes. Each of
    these becomes an Out parameter behind the author's, for which its caller makes an array."""

    def __init__(self, fb: FunctionBuilder, block: ir.Block, parameters: int):
        self.fb, self.block, self.parameters = fb, block, parameters
        self.made: list[Array] = []
        self._values: list[Value] = []

    def read(self):
        """Which parameters the call gives back: an index, a tuple of them, or None."""
        returned = self.fb.returned
        if returned is MISSING or returned is None:
            return None
        if isinstance(returned, (tuple, list)):
            return tuple(self._place(value) for value in returned)
        return self._place(returned)

    def _place(self, value) -> int:
        fb, node = self.fb, self.fb.return_node
        for name, array in fb.outputs.items():
            if array is value:
                return fb.parameter_order.index(name)
        if isinstance(value, Value) and value.type.kind == "array":
            return self.parameters + self._make(value)
        what = (
            f"'{value.name}', which is no Out parameter"
            if isinstance(value, Array)
            else describe(value)
        )
        raise fb.error(
            node,
            "a kernel returns its pl.Out or pl.InOut parameters and arrays that it computes, "
            f"found {what}",
            ParserTypeError,
        )

    def _make(self, value: Value) -> int:
        """The number of the array that holds what was computed."""
        for index, known in enumerate(self._values):
            if known is value:
                return index
        fb, node = self.fb, self.fb.return_node
        if session.DYNAMIC in value.type.shape:
            raise fb.error(
                node,
                f"a kernel returns {describe(value)}, whose extents only its call knows; take a "
                "parameter out: pl.Out[pl.Tensor[...]] and write out[:] = ...",
                UnsupportedFeatureError,
            )
        from ..ir.types import name_of
        from .statements import assemble

        kind = session.tensor_type(value.type.shape, value.type.dtype)
        name = name_of(value.ir.location) or "result"
        location = fb.location(node, name)
        array = Array(self.block.add_argument(kind.ir, location), kind, name, "out")
        assemble(fb, value, array, [0] * len(kind.shape), node)
        self._values.append(value)
        self.made.append(array)
        return len(self.made) - 1
