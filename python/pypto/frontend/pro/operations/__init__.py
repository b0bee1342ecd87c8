# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Builders of the operations of `pypto_pro.language`, one module a family: functions
`(fb, call)`, with a `builder.ProBuilder` and a `calls.Call`, that emit and give the value of
the call (None where there is none). `build` of a registry entry names one: "movement.load".

Four builders are no calls of the source, and are found by their names here:
`elements.getitem` and `elements.setitem` are `x[...]` and `x[...] = value` on tiles, groups
(a slot is picked before), tensors; their arguments are `base`, `index` (a list of evaluated
indices; a slice is a Python slice of evaluated bounds) and `value`. `arrays.addptr` is also
`pointer + n`, and `arrays.make_tensor` is also what makes the `pl.Tensor` parameters.
"""

from __future__ import annotations

import importlib


def builder(path: str):
    """The function that a registry entry names; None: there is none yet."""
    module, _, function = path.rpartition(".")
    try:
        found = importlib.import_module(f"{__name__}.{module}")
    except ModuleNotFoundError as error:
        if error.name != f"{__name__}.{module}":
            raise
        return None
    return getattr(found, function, None)
