# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Delivery for the operator build."""
