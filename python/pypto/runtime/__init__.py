# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Running compiled kernels."""

from .config import RunConfig, checks
from .profile import Profile

__all__ = ["Profile", "RunConfig", "checks"]
