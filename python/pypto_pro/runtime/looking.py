# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Which fields of its key a run of `is_valid` looks at."""


class Looking:
    def __init__(self, is_valid, values):
        self.impossible = "runs are not followed yet"
