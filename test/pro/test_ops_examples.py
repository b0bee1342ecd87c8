# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The examples that the docstrings of PyPTO Pro's operations show: they run."""

import pytest
from pypto_pro.language import registry

EXAMPLES = {name: op.example for name, op in registry.OPERATIONS.items() if op.example}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_of(name, load):
    text = EXAMPLES[name]
    face = next(face for face in registry.faces("").values() if face.operation.name == name)
    assert text in face.__doc__ and f"pl.{name}(" in text
    module = load(text)
    assert module.a.shape == (16, 64)
