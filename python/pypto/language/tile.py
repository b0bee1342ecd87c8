# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""`pl.tile`: operations on on-chip tiles. Their declarations are in registry.py."""

from . import registry as _registry

globals().update(_registry.faces("tile"))


def __getattr__(name: str):
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(_registry.why_missing("pl.tile", "tile", name, _registry.faces("tile")))
