# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The examples of the docstrings run."""

import doctest
import importlib

import pytest

MODULES = [
    "jit.words",
    "runtime.errors",
    "runtime.header",
    "runtime.key_table",
    "runtime.launch",
    "runtime.progress",
    "runtime.tilingkey",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    result = doctest.testmod(importlib.import_module(f"pypto_pro.{name}"))
    assert result.attempted > 0 and result.failed == 0
