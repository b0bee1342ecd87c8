# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What surrounds a kernel of PyPTO Pro: its tiling keys, its launch, its delivery."""
