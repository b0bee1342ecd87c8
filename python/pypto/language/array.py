# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""`pl.array`: small arrays of the control plane. Their declarations are in registry.py."""

from . import registry as _registry

globals().update(_registry.faces("array"))


def __getattr__(name: str):
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(_registry.why_missing("pl.array", "array", name, _registry.faces("array")))
