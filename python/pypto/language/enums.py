# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Enumerations of the language. The numbers are those of the IR."""

from enum import IntEnum


class _Members(type(IntEnum)):
    """Says of a member that is not there which ones there are."""

    def __getattr__(cls, name: str):
        raise cls._missing_member(name)

    def _missing_member(cls, name: str) -> AttributeError:
        if name.startswith("_"):
            return AttributeError(name)
        from ..diagnostics.suggest import suggestion

        return AttributeError(
            f"pl.{cls.__name__} has no member '{name}'; it has {', '.join(cls.__members__)}"
            + suggestion(name, cls.__members__, f"pl.{cls.__name__}.{{}}")
        )


class _Enum(IntEnum, metaclass=_Members):
    def __repr__(self) -> str:
        return f"pl.{type(self).__name__}.{self.name}"

    __str__ = __repr__


class MemorySpace(_Enum):
    """Where data lives. `pl.Mem` is another name of it."""

    DDR = 0
    Vec = 1
    Mat = 2
    Left = 3
    Right = 4
    Acc = 5
    Bias = 6
    ScalarLocal = 7
    LeftScale = 8
    RightScale = 9

    def __repr__(self) -> str:
        return f"pl.Mem.{self.name}"

    __str__ = __repr__


Mem = MemorySpace


class Level(_Enum):
    """A level of the machine."""

    AIV = 0
    AIC = 1
    CORE_GROUP = 2
    CHIP_DIE = 3
    L2CACHE = 3
    CHIP = 4
    PROCESSOR = 4
    UMA = 4
    HOST = 5
    NODE = 5
    CLUSTER_0 = 6
    POD = 6
    CLUSTER_1 = 7
    CLOS1 = 7
    CLUSTER_2 = 8
    CLOS2 = 8
    GLOBAL = 9


class Role(_Enum):
    """What a function does at its level."""

    Orchestrator = 0
    SubWorker = 1


NO_HOST = (
    "there is no pl.FunctionType.Host; a host function is pl.FunctionType.Orchestration with "
    "level=pl.Level.HOST, role=pl.Role.Orchestrator"
)


class _NoHost(_Members):
    def __getattr__(cls, name: str):
        if name != "Host":
            raise cls._missing_member(name)
        from ..diagnostics.errors import UndefinedNameError, at_caller

        # An AttributeError too, so that hasattr says no.
        kind = type("UndefinedNameError", (UndefinedNameError, AttributeError), {})
        raise kind([at_caller(NO_HOST)])


class FunctionType(_Enum, metaclass=_NoHost):
    """The plane and core of a function. There is no `Host`: a host function is
    one with `level=pl.Level.HOST, role=pl.Role.Orchestrator`."""

    Opaque = 0
    Orchestration = 1
    InCore = 2
    AIC = 3
    AIV = 4
    Group = 5
    Spmd = 6
    Inline = 7
    Graph = 8


class ForKind(_Enum):
    Sequential = 0
    Parallel = 1
    Unroll = 2
    Pipeline = 3


class SplitMode(_Enum):
    NONE = 0
    UP_DOWN = 1
    LEFT_RIGHT = 2


class PadValue(_Enum):
    null = 0
    zero = 1
    max = 2
    min = 3


class TileLayout(_Enum):
    none_box = 0
    row_major = 1
    col_major = 2


class TensorLayout(_Enum):
    ND = 0
    DN = 1
    NZ = 2
    MX_A_ZZ = 3
    MX_B_NN = 4


class AtomicType(_Enum):
    None_ = 0
    Add = 1


class CompactMode(_Enum):
    null = 0
    normal = 1


class PipeType(_Enum):
    """An instruction queue of a core."""

    S = 0
    V = 1
    M = 2
    MTE1 = 3
    MTE2 = 4
    MTE3 = 5
    FIX = 6
    ALL = 7


class ScopeMode(_Enum):
    AUTO = 0
    MANUAL = 1


class RoundMode(_Enum):
    """Rounding of `pl.cast`; the language writes it as a string or its number."""

    none = 0
    rint = 1
    round = 2
    floor = 3
    ceil = 4
    trunc = 5
    odd = 6
