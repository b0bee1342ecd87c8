# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""From Python source to a module of the IR."""
