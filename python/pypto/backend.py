# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The chips that programs are compiled for."""

from .ir.options import BackendType

__all__ = ["BackendType"]
