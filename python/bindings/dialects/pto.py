"""The operations and enums of the pto dialect, generated from TableGen."""

from ._pto_enum_gen import *
from ._pto_ops_gen import *
