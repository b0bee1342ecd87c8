# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""PyPTO Pro: the manual level of the language, where the author names buffers and flags."""

from __future__ import annotations


def __getattr__(name: str):
    """`pypto_pro.DataType`, when somebody asks for it: `import pypto_pro` stays light."""
    if name == "DataType":
        from pypto.language.dtypes import DataType

        return DataType
    raise AttributeError(f"module 'pypto_pro' has no attribute {name!r}")
