# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""`pl.mutex`: tokens that order the pipes of a core (Ascend 950)."""

from . import registry as _registry

globals().update(_registry.faces("mutex"))


def __getattr__(name: str):
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(_registry.why_missing("pl.mutex", name, _registry.faces("mutex")))
