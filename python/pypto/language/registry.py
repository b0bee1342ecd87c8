# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Every operation of the language, each said once.

The front end, `as_python`, the stubs (`python -m pypto.tools.stubs`) and the
documentation read this table; each family of operations has a file `registry_<family>.py`.
An element-wise operation is one line of it:

    unary("sqrt", "The square root of each element.")
"""

from __future__ import annotations

from . import (  # noqa: F401  (each declares its operations)
    registry_data,
    registry_elementwise,
    registry_gather,
    registry_matrix,
    registry_rows,
    registry_tasks,
)
from .names import NAMES
from .operation import Construct, Face
from .registry_forms import CONSTRUCTS, OPERATIONS, add

# What statements are made of.
registry_tasks.declare(add, CONSTRUCTS)


def faces(level: str) -> dict[str, Face]:
    """The operations of `pl` ("") or of `pl.tensor` or `pl.tile`."""
    found = {op.name: Face(op, level) for op in OPERATIONS.values() if level in op.faces}
    if not level:
        found.update({name: Construct(op, level) for name, op in CONSTRUCTS.items()})
    return found


def why_missing(path: str, level: str, name: str, known) -> str:
    """What to say about `pl.<name>` that is not there."""
    if name in NAMES.get(level, ()) and name not in known:
        return f"{path}.{name} is not supported yet"
    from ..diagnostics.suggest import suggestion

    hint = suggestion(name, [*known, *NAMES.get(level, ())], f"{path}.{{}}")
    return f"{path} has no '{name}'{hint}"
