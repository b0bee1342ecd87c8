# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""`import pypto.language.distributed as pld`: programs for several devices.

The chapter comes later. Every name of it is known, and using one is an error that says so.
"""

from __future__ import annotations

from ..diagnostics.errors import UnsupportedFeatureError, at_caller
from ..diagnostics.suggest import suggestion

_WHY = "the distributed chapter comes later"
_NAMESPACES = {
    "tile": "remote_load remote_store get put".split(),
    "tensor": (
        "put get allreduce allgather reduce_scatter broadcast barrier all_to_all all_to_all_v "
        "alloc_window_buffer window"
    ).split(),
    "system": "notify wait rank nranks get_comm_ctx world_size".split(),
}
NAMES = (
    "AtomicType CommCtx CommCtxType DistributedTensor NotifyOp ReduceOp WaitCmp "
    "alloc_window_buffer get_comm_ctx nranks rank remote_load remote_store system tensor tile "
    "window world_size"
).split()


def _why_missing(path: str, name: str, known) -> Exception:
    """The error of a name that is not here; of a special name it is Python's own."""
    if name in known:
        return UnsupportedFeatureError([at_caller(f"{path}.{name} is not supported yet: {_WHY}")])
    return AttributeError(f"{path} has no '{name}'{suggestion(name, known, path + '.{}')}")


class Namespace:
    def __init__(self, name: str):
        self._name = name

    def __repr__(self) -> str:
        return f"pld.{self._name}"

    def __dir__(self):
        return _NAMESPACES[self._name]

    def __getattr__(self, name: str):
        raise _why_missing(f"pld.{self._name}", name, _NAMESPACES[self._name])


tile, tensor, system = map(Namespace, _NAMESPACES)


def __getattr__(name: str):
    if name.startswith("__"):
        raise AttributeError(name)
    raise _why_missing("pld", name, NAMES)


def __dir__():
    return NAMES
