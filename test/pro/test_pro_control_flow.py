# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Control flow of Pro kernels against Python itself."""

from __future__ import annotations

import numpy as np
import pytest
from pypto.runtime.config import RunConfig
from random_programs import SIZE, Writer, expected

# Elements of DDR are written by the scalar unit, whose cache nobody writes out here.
CONFIG = RunConfig(checks={"data_cache": False})


@pytest.mark.parametrize("seed", range(60))
def test_random_program(load, seed):
    text = Writer(seed).text()
    kernel = load(text).kernel
    for n, m in ((1, 3), (2, 10), (4, 7)):
        out = np.zeros(SIZE, np.int64)
        kernel(out, n, m, config=CONFIG)
        assert out.tolist() == expected(text, n, m), text
