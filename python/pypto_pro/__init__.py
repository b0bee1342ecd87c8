# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""PyPTO Pro: the manual level of the language, where the author names buffers and flags."""
