# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The one rule by which two runs of a program agree (docs/design.md, "Numbers").

Bit for bit, -0 unlike +0, and any NaN like any other NaN. A program that makes matrix
products may add them up in another order: its float arrays may differ by K times epsilon
of FP32, relative to the largest value of the array, and one rounding of their own type.
"""

from __future__ import annotations

import numpy as np

_EPSILON = 2.0**-23
_ROUNDING = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": _EPSILON}


def _is_integer(array) -> bool:
    return array.dtype.kind in "iub"


def same_bits(got, want):
    """For each element, whether it is the same."""
    if _is_integer(want):
        return got == want
    bits = f"u{want.dtype.itemsize}"
    nan = np.isnan(got.astype(np.float64)) & np.isnan(want.astype(np.float64))
    return nan | (got.view(bits) == want.view(bits))


def within(got, want, terms: int):
    """For each element, whether it is the same, or as near as sums of `terms` products are."""
    same = same_bits(got, want)
    if not terms or _is_integer(want) or same.all():
        return same
    wide, wanted = got.astype(np.float64), want.astype(np.float64)
    finite = np.isfinite(wide) & np.isfinite(wanted)
    largest = np.abs(wanted[np.isfinite(wanted)]).max(initial=0.0)
    allowed = terms * _EPSILON * largest + _ROUNDING[want.dtype.name] * np.abs(wanted)
    with np.errstate(invalid="ignore"):
        return same | (finite & (np.abs(wide - wanted) <= allowed))


def product_terms(operation, largest: int) -> int:
    """How many products the longest sum of a module's matrix products has; 0 without any.
    A product that adds to an accumulator counts for each trip of the loops around it; a
    loop whose trips are known at run time only counts as `largest`."""
    from ..mlir import ir

    found = 0

    def take(inner):
        nonlocal found
        if inner.name.rpartition(".")[2] in ("matmul", "matmul_acc"):
            terms = _contracted(inner)
            parent = inner.parent
            while terms and parent is not None and parent.name != "func.func":
                if parent.name in ("scf.for", "scf.while"):
                    terms *= _trips(parent) or largest
                parent = parent.parent
            found = max(found, terms)
        return ir.WalkResult.ADVANCE

    operation.walk(take)
    return found


def _contracted(product) -> int:
    """What its sums run over is an extent of its left operand, which stands behind the
    accumulator if there is one; the larger extent is never too few."""
    from ..ir.types import Other, Scalar, parse_type

    kinds = [parse_type(operand.type) for operand in product.operands]
    shaped = [kind for kind in kinds if not isinstance(kind, (Other, Scalar))]
    left = shaped[1 if product.name.endswith("_acc") else 0]
    return max(extent or 1 for extent in left.shape)


def _trips(loop) -> int | None:
    from ..mlir import ir

    if loop.name != "scf.for":
        return None
    bounds = []
    for value in list(loop.operands)[:3]:
        owner = value.owner
        if isinstance(owner, ir.Block) or owner.name != "arith.constant":
            return None
        bounds.append(ir.IntegerAttr(owner.attributes["value"]).value)
    begin, end, step = bounds
    return max(0, -(-(end - begin) // step)) if step > 0 else None
