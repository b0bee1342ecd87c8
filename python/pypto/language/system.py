# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""`pl.system`: flags between cores, and tasks. Their declarations are in registry.py."""

from . import registry as _registry

globals().update(_registry.faces("system"))


def __getattr__(name: str):
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(
        _registry.why_missing("pl.system", "system", name, _registry.faces("system"))
    )
