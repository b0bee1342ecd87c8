# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
# ruff: noqa: F401
"""The language of kernels: `import pypto.language as pl`.

The operations are declared in registry.py; the types that a checker sees are in
`__init__.pyi`, generated from it.
"""

from ..jit.decorators import RUNTIME, func_attr, function, inline, jit, program
from ..jit.function import InlineFunction, JITFunction
from . import array, distributed, parser, system, tensor, tile
from . import registry as _registry
from .annotations import Array, DynVar, InOut, Out, Scalar, Tensor, Tile, Tuple, dynamic
from .dtypes import (
    BF16,
    BOOL,
    FP4,
    FP8E4M3FN,
    FP8E5M2,
    FP8E8M0,
    FP16,
    FP32,
    HF4,
    HF8,
    INDEX,
    INT4,
    INT8,
    INT16,
    INT32,
    INT64,
    TASK_ID,
    UINT4,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    DataType,
)
from .enums import (
    AtomicType,
    CompactMode,
    ForKind,
    FunctionType,
    Level,
    Mem,
    MemorySpace,
    PadValue,
    PipeType,
    Role,
    ScopeMode,
    SplitMode,
    TensorLayout,
    TileLayout,
)
from .parser import loads, loads_program, parse, parse_program

# The type of what `as tid` and pl.submit name.
TaskId = Scalar[TASK_ID]

# An extent, an offset, an index: an int of Python, or a scalar of that type.
IntLike = Scalar[INDEX]

ND = TensorLayout.ND
DN = TensorLayout.DN
NZ = TensorLayout.NZ
MX_A_ZZ = TensorLayout.MX_A_ZZ
MX_B_NN = TensorLayout.MX_B_NN

globals().update(_registry.faces(""))


def __getattr__(name: str):
    if name.startswith("__"):
        raise AttributeError(name)
    known = [known for known in globals() if not known.startswith("_")]
    raise AttributeError(_registry.why_missing("pl", "", name, known))
