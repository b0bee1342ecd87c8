# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""How `pl.range` counts, for both faces: an operation of the IR only counts up."""

from __future__ import annotations

import ast
import dataclasses

from ..language.dtypes import INDEX
from ..mlir import ir
from . import scalars, session
from .values import Value


@dataclasses.dataclass
class Range:
    """How a counter runs: MLIR values, from `begin` to `end` by `step`; then the loop's
    variable is `start + counter * stride`, or (stride None) the counter itself."""

    begin: ir.Value
    end: ir.Value
    step: ir.Value
    start: object = None
    stride: object = None
    nonnegative: bool = False

    def variable(self, fb, counter: ir.Value, target: ast.Name) -> Value:
        """The author's variable, of the counter."""
        made = Value(counter, session.scalar_type(INDEX), self.nonnegative)
        if self.stride is None:
            return made
        moved = scalars.binary(fb, "*", made, self.stride, target, None)
        return scalars.binary(fb, "+", self.start, moved, target, target.id)


def counted(fb, node: ast.AST, start, stop, step, stop_if) -> Range:
    """`start`, `stop`, `step`: numbers, or INDEX scalars. `stop_if(condition, reason)` stops the
    kernel at run time; None where nothing can, and a step of zero divides by zero."""

    def operand(value):
        return scalars.as_dtype(fb, value, INDEX, node)

    if isinstance(step, int) and step > 0:
        known = scalars.nonnegative(start)
        return Range(operand(start), operand(stop), operand(step), nonnegative=known)
    if all(isinstance(bound, int) for bound in (start, stop, step)):
        trips = operand(len(range(start, stop, step)))
    else:
        trips = _trips(fb, node, start, stop, step, stop_if)
    return Range(operand(0), trips, operand(1), start, step, nonnegative=True)


def _trips(fb, node: ast.AST, start, stop, step, stop_if):
    """How often a loop runs whose step is negative or known at run time only."""
    down = scalars.binary(fb, "-", start, stop, node, None)
    if isinstance(step, int):
        distance, size = down, -step
    else:
        if stop_if is not None:
            zero = scalars.compare(fb, "==", step, 0, node, None)
            stop_if(zero, "the step of pl.range is 0")
        up = scalars.binary(fb, "-", stop, start, node, None)
        forward = scalars.compare(fb, ">", step, 0, node, None)
        distance = scalars.select(fb, forward, up, down, node, None)
        size = scalars.absolute(fb, step, node, None)
        if stop_if is not None:
            size = scalars.extreme(fb, "max", size, 1, node, None)
    operands = [scalars.as_dtype(fb, item, INDEX, node) for item in (distance, size)]
    return fb.value("arith.ceildivsi", session.scalar_type(INDEX), operands, None, node).ir
