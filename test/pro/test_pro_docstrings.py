# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The examples of the docstrings run."""

import doctest
import importlib

import pytest

MODULES = [
    "jit.words",
    *(
        f"runtime.{name}"
        for name in ("errors", "header", "key_table", "launch", "progress", "tilingkey")
    ),
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    result = doctest.testmod(importlib.import_module(f"pypto_pro.{name}"))
    assert result.attempted > 0 and result.failed == 0
