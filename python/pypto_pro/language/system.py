# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""`pl.system`: order between the pipes of a core, and between cores."""

from . import registry as _registry

globals().update(_registry.faces("system"))


def __getattr__(name: str):
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(_registry.why_missing("pl.system", name, _registry.faces("system")))
