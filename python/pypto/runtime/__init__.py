# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Running compiled kernels."""

from .config import RunConfig, checks
from .profile import Profile

__all__ = ["Profile", "RunConfig", "Trace", "checks"]


def __getattr__(name: str):
    # Loads NumPy.
    if name == "Trace":
        from .trace import Trace

        return Trace
    raise AttributeError(f"pypto.runtime has no '{name}'")
