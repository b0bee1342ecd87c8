# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Reductions and broadcasts."""

from __future__ import annotations

from .registry_forms import row_expand, row_reduce

row_reduce("row_max", "The maximum of each row.")
row_reduce("row_sum", "The sum of each row.")
row_expand("row_expand_sub", "Each row minus its own value.")
row_expand("row_expand_mul", "Each row times its own value.")
row_expand("row_expand_div", "Each row divided by its own value.")
