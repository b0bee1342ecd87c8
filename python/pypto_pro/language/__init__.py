# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""PyPTO Pro, the manual level of the language: `import pypto_pro.language as pl`.

The author names buffers, their addresses and what orders them, and operations write their
first argument: `pl.add(dst, a, b)`. The operations are declared in registry.py.
"""
# ruff: noqa: F401

from pypto.language.dtypes import DataType

from . import enums as _enums
from . import mutex, system
from . import registry as _registry
from .registry_later import OBJECTS as _OBJECTS
from .registry_later import Later as _Later
from .types import DYNAMIC, STATIC, Ptr, Scalar, Tensor, Tile

_DTYPES = {
    f"DT_{name}": DataType.all[name]
    for name in (
        *("BOOL", "INT4", "INT8", "INT16", "INT32", "INT64", "UINT4", "UINT8", "UINT16"),
        *("UINT32", "UINT64", "FP4", "FP4E2M1", "FP4E1M2", "FP8E4M3FN", "FP8E5M2", "FP8E8M0"),
        *("FP16", "BF16", "FP32", "HF4", "HF8"),
    )
}
_FACES = _registry.faces("")
# From pypto_pro.jit, when they are first asked for: it reads sources, which a table of names
# need not.
_HOST = (
    "jit",
    "kernel",
    "KernelDef",
    "function",
    "inline",
    "program",
    "parse",
    "loads",
    "parse_program",
    "loads_program",
)

globals().update(_DTYPES)
globals().update(_enums.ENUMS)
globals().update({member.name: member for member in _enums.TensorLayout})
globals().update(_FACES)
globals().update({name: _Later(f"pl.{name}", reason) for name, reason in _OBJECTS.items()})

__all__ = [
    *("DYNAMIC", "STATIC", "DataType", "Ptr", "Scalar", "Tensor", "Tile", "mutex", "system"),
    *_HOST,
    *_DTYPES,
    *_enums.ENUMS,
    *(member.name for member in _enums.TensorLayout),
    *(name for name in _FACES if name not in ("constexpr", "get_spr")),
    *_OBJECTS,
]


def __getattr__(name: str):
    if name in _HOST:
        from .. import jit as host

        found = getattr(host, name, None)
        if found is None:
            found = _Later(f"pl.{name}", "kernels are written with @pl.jit")
        globals()[name] = found
        return found
    if name.startswith("__"):
        raise AttributeError(name)
    known = [known for known in globals() if not known.startswith("_")]
    raise AttributeError(_registry.why_missing("pl", name, known))
