# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Enumerations of PyPTO Pro. A keyword that takes one takes its members only: no
numbers, no strings."""

from enum import Enum

from pypto.language.enums import _Members


class _Enum(Enum, metaclass=_Members):
    def __repr__(self) -> str:
        return f"pl.{type(self).__name__}.{self.name}"

    __str__ = __repr__


class MemorySpace(_Enum):
    """Where data lives."""

    DDR = 0
    Vec = 1  # UB
    Mat = 2  # L1
    Left = 3  # L0A
    Right = 4  # L0B
    Acc = 5  # L0C
    Scaling = 6  # FBuffer
    Bias = 7
    ScaleLeft = 8
    ScaleRight = 9


class PipeType(_Enum):
    """An instruction queue of a core."""

    MTE1 = 0  # Mat to Left, Right, Bias
    MTE2 = 1  # DDR to Vec, Mat
    MTE3 = 2  # Vec to DDR, Mat
    M = 3  # products
    V = 4  # vectors
    S = 5  # scalars
    FIX = 6  # Acc to DDR, Vec
    ALL = 7


class TensorLayout(_Enum):
    """How elements lie: `pl.ND`, ... are other names of the members."""

    ND = 0
    DN = 1
    NZ = 2
    ZN = 3
    NN = 4
    ZZ = 5


class TilePad(_Enum):
    """What stands beside the valid region."""

    null = 0
    zero = 1
    max = 2
    min = 3


class FillPadMode(_Enum):
    NORMAL = 0
    EXPAND = 1
    INPLACE = 2


class RoundMode(_Enum):
    """Rounding of `pl.cast`."""

    CAST_NONE = 0
    CAST_RINT = 1  # to nearest, ties to even
    CAST_ROUND = 2  # to nearest, ties away from zero
    CAST_FLOOR = 3
    CAST_CEIL = 4
    CAST_TRUNC = 5
    CAST_ODD = 6


class QuantMode(_Enum):
    SYM = 0
    ASYM = 1


class AtomicType(_Enum):
    """What a store does with what is in DDR already."""

    AtomicNone = 0
    AtomicAdd = 1


class ReluPreMode(_Enum):
    NormalRelu = 1


class AccPhase(_Enum):
    """A product's step under the unit flag of its accumulator."""

    Unspecified = 0
    Partial = 1
    Final = 2


class STPhase(_Enum):
    """A store's step under the unit flag of its accumulator."""

    Unspecified = 0
    Partial = 1
    Final = 2


class AccToVecMode(_Enum):
    """Which AIV gets an accumulator."""

    SingleModeVec0 = 0
    SingleModeVec1 = 1
    DualModeSplitM = 2
    DualModeSplitN = 3


class CrossCoreSyncMode(_Enum):
    """Which cores a signal between cores is for."""

    INTER_BLOCK = 0
    INTER_SUBBLOCK = 1
    INTRA_BLOCK = 2
    UNICAST_BLOCK = 3


class SyncCoreType(_Enum):
    AIV_ONLY = 0
    AIC_ONLY = 1
    MIX = 2


class SyncAllMode(_Enum):
    HARD = 0
    SOFT = 1


class CacheLine(_Enum):
    SINGLE_CACHE_LINE = 0
    ENTIRE_DATA_CACHE = 1


class DcciDst(_Enum):
    AUTO = 0
    CACHELINE_OUT = 1
    CACHELINE_UB = 2
    CACHELINE_ALL = 3
    CACHELINE_ATOMIC = 4


class FunctionType(_Enum):
    Opaque = 0
    Orchestration = 1
    InCore = 2
    Helper = 3
    SimtVF = 4
    SimtCallee = 5


class SectionKind(_Enum):
    Vector = 0
    Cube = 1
    VF = 2


def _members(name: str, words: str) -> type[_Enum]:
    return _Enum(name, {word: number for number, word in enumerate(words.split())})


# Of the vector-register functions, which come later.
MaskPattern = _members("MaskPattern", "ALL ALLF VL1 VL2 VL3 VL4 VL8 VL16 VL32 VL64 VL128 M3 M4 H Q")
MergeMode = _members("MergeMode", "ZEROING MERGING")
ReduceMode = _members("ReduceMode", "SUM MAX MIN")
CompareMode = _members("CompareMode", "EQ NE LT LE GT GE")
DuplicatePos = _members("DuplicatePos", "LOWEST HIGHEST")
CastLayout = _members("CastLayout", "ZERO ONE TWO THREE")
VFRoundMode = _members(
    "VFRoundMode", "CAST_ROUND CAST_RINT CAST_FLOOR CAST_CEIL CAST_TRUNC CAST_ODD CAST_HYBRID"
)
SaturateMode = _members("SaturateMode", "OFF ON")
BinType = _members("BinType", "BIN0 BIN1")
HistType = _members("HistType", "ACCUMULATE FREQUENCY")
SqueezeMode = _members("SqueezeMode", "STORE_REG NO_STORE_REG")
PackPart = _members("PackPart", "LOWER UPPER")
MaskWidth = _members("MaskWidth", "B32 B16")
IndexOrder = _members("IndexOrder", "INCREASE_ORDER DECREASE_ORDER")
DataCopyMode = _members("DataCopyMode", "NORM DATA_BLOCK_LOAD DATA_BLOCK_COPY")
LoadDist = _members(
    "LoadDist",
    "NORM BRC BRC_B8 BRC_B16 BRC_B32 US US_B8 US_B16 DS DS_B8 DS_B16 UNPK UNPK_B8 UNPK_B16 "
    "UNPK_B32 UNPK4 BLK E2B E2B_B16 E2B_B32 DINTLV_B8 DINTLV_B16 DINTLV_B32",
)
StoreDist = _members("StoreDist", "NORM NORM_B16 FIRST_ELEMENT PACK PACK4 INTLV INTLV_B32")
MemBarMode = _members(
    "MemBarMode",
    "VST_VLD VLD_VST VST_VST VST_LD VST_ST VLD_ST ST_VLD ST_VST LD_VST VV_ALL VS_ALL SV_ALL",
)

ENUMS = {
    name: item
    for name, item in list(globals().items())
    if isinstance(item, type) and issubclass(item, _Enum) and item is not _Enum
}
