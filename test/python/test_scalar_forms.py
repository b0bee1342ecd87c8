# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Forms of operations that are only another way to say one, everywhere: see everywhere.py."""
# ruff: noqa: E501 (kernels)

import numpy as np
import pytest
from everywhere import Case, run_everywhere

LOAD = "t = pl.load(a, [0, 0], [5, 32])\nu = pl.load(b, [0, 0], [5, 32])\n"
# The call, and what NumPy says of a, b.
FLOATS = {
    "subc": ("pl.tile.subc(t, u, u)", lambda a, b: a - b - b),
    "addsc": ("pl.tile.addsc(t, 2.0, u)", lambda a, b: a + 2 + b),
    "subsc": ("pl.tile.subsc(t, 2.0, u)", lambda a, b: a - 2 - b),
    "maximums": ("pl.tile.maximums(t, 1.0)", lambda a, b: np.maximum(a, np.float32(1))),
    "minimums": ("pl.tile.minimums(t, 1.0)", lambda a, b: np.minimum(a, np.float32(1))),
    "fmods": ("pl.tile.fmods(t, 4.0)", lambda a, b: a - np.trunc(a / 4) * 4),
    "rems": ("pl.tile.rems(t, 4.0, u)", lambda a, b: a - np.floor(a / 4) * 4),
    "fillpad_inplace": ("pl.tile.fillpad_inplace(t, pl.PadValue.zero)", lambda a, b: a),
}
INTEGERS = {
    "ors": ("pl.tile.ors(t, 6)", lambda a, b: a | 6),
    "xors": ("pl.tile.xors(t, 6, u)", lambda a, b: a ^ 6),
    "shr": ("pl.tile.shrs(t, 2)", lambda a, b: a >> 2),
}


@pytest.mark.parametrize("name", [*FLOATS, *INTEGERS])
def test_form(name, platform, load, tmp_path):
    rng = np.random.default_rng(1)
    dtype = np.float32 if name in FLOATS else np.int16
    a, b = (rng.integers(-40, 40, (5, 32)).astype(dtype) for _ in range(2))
    call, function = {**FLOATS, **INTEGERS}[name]
    case = Case(
        name,
        f"{LOAD}pl.store({call}, [0, 0], o)",
        {"a": a, "b": b},
        {"o": function(a, b).astype(dtype)},
    )
    run_everywhere([case], platform, load, tmp_path)
