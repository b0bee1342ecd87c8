# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
