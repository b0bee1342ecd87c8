# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""`pl.tensor`: operations on whole arrays. Their declarations are in registry.py."""

from . import registry as _registry

globals().update(_registry.faces("tensor"))


def __getattr__(name: str):
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(
        _registry.why_missing("pl.tensor", "tensor", name, _registry.faces("tensor"))
    )
