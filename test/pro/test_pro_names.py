# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Enumerations and element types of PyPTO Pro: which members there are."""

import runpy

import numpy as np
import pypto_pro.language as pl
import pytest

ENUMS = {
    pl.MemorySpace: "DDR Vec Mat Left Right Acc Scaling Bias ScaleLeft ScaleRight",
    pl.PipeType: "MTE1 MTE2 MTE3 M V S FIX ALL",
    pl.TensorLayout: "ND DN NZ ZN NN ZZ",
    pl.TilePad: "null zero max min",
    pl.FillPadMode: "NORMAL EXPAND INPLACE",
    pl.RoundMode: "CAST_NONE CAST_RINT CAST_ROUND CAST_FLOOR CAST_CEIL CAST_TRUNC CAST_ODD",
    pl.QuantMode: "SYM ASYM",
    pl.AtomicType: "AtomicNone AtomicAdd",
    pl.ReluPreMode: "NormalRelu",
    pl.AccPhase: "Unspecified Partial Final",
    pl.STPhase: "Unspecified Partial Final",
    pl.AccToVecMode: "SingleModeVec0 SingleModeVec1 DualModeSplitM DualModeSplitN",
    pl.CrossCoreSyncMode: "INTER_BLOCK INTER_SUBBLOCK INTRA_BLOCK UNICAST_BLOCK",
    pl.SyncCoreType: "AIV_ONLY AIC_ONLY MIX",
    pl.SyncAllMode: "HARD SOFT",
    pl.CacheLine: "SINGLE_CACHE_LINE ENTIRE_DATA_CACHE",
    pl.DcciDst: "AUTO CACHELINE_OUT CACHELINE_UB CACHELINE_ALL CACHELINE_ATOMIC",
    pl.FunctionType: "Opaque Orchestration InCore Helper SimtVF SimtCallee",
    pl.SectionKind: "Vector Cube VF",
    pl.MaskPattern: "ALL ALLF VL1 VL2 VL3 VL4 VL8 VL16 VL32 VL64 VL128 M3 M4 H Q",
    pl.MergeMode: "ZEROING MERGING",
    pl.ReduceMode: "SUM MAX MIN",
    pl.CompareMode: "EQ NE LT LE GT GE",
    pl.DuplicatePos: "LOWEST HIGHEST",
    pl.CastLayout: "ZERO ONE TWO THREE",
    pl.VFRoundMode: "CAST_ROUND CAST_RINT CAST_FLOOR CAST_CEIL CAST_TRUNC CAST_ODD CAST_HYBRID",
    pl.SaturateMode: "OFF ON",
    pl.BinType: "BIN0 BIN1",
    pl.HistType: "ACCUMULATE FREQUENCY",
    pl.SqueezeMode: "STORE_REG NO_STORE_REG",
    pl.PackPart: "LOWER UPPER",
    pl.MaskWidth: "B32 B16",
    pl.IndexOrder: "INCREASE_ORDER DECREASE_ORDER",
    pl.DataCopyMode: "NORM DATA_BLOCK_LOAD DATA_BLOCK_COPY",
    pl.LoadDist: "NORM BRC BRC_B8 BRC_B16 BRC_B32 US US_B8 US_B16 DS DS_B8 DS_B16 UNPK UNPK_B8 "
    "UNPK_B16 UNPK_B32 UNPK4 BLK E2B E2B_B16 E2B_B32 DINTLV_B8 DINTLV_B16 DINTLV_B32",
    pl.StoreDist: "NORM NORM_B16 FIRST_ELEMENT PACK PACK4 INTLV INTLV_B32",
    pl.MemBarMode: "VST_VLD VLD_VST VST_VST VST_LD VST_ST VLD_ST ST_VLD ST_VST LD_VST VV_ALL "
    "VS_ALL SV_ALL",
}


@pytest.mark.parametrize("enum", ENUMS, ids=lambda enum: enum.__name__)
def test_members_of(enum):
    assert set(enum.__members__) == set(ENUMS[enum].split())


BITS = {
    4: (pl.DT_INT4, pl.DT_UINT4, pl.DT_FP4, pl.DT_FP4E2M1, pl.DT_FP4E1M2, pl.DT_HF4),
    8: (pl.DT_INT8, pl.DT_UINT8, pl.DT_FP8E4M3FN, pl.DT_FP8E5M2, pl.DT_FP8E8M0, pl.DT_HF8),
    16: (pl.DT_INT16, pl.DT_UINT16, pl.DT_FP16, pl.DT_BF16),
    32: (pl.DT_INT32, pl.DT_UINT32, pl.DT_FP32),
    64: (pl.DT_INT64, pl.DT_UINT64),
}


@pytest.mark.parametrize("bits", BITS)
def test_widths(bits):
    for dtype in BITS[bits]:
        assert isinstance(dtype, pl.DataType) and dtype.get_bit() == bits
    assert isinstance(pl.DT_BOOL, pl.DataType)


def test_other_names_of_one_operation():
    """A short name of its own is the long one's operation, which other tests run."""
    for name in ("sub", "mul", "div"):
        short, long = getattr(pl, f"expand_{name}"), getattr(pl, f"row_expand_{name}")
        assert short.operation.build == long.operation.build
    for alias, name in {
        pl.row_expand_sub: "row_expand_sub",
        pl.row_expand_mul: "row_expand_mul",
        pl.row_expand_div: "row_expand_div",
        pl.divs: "div",
    }.items():
        assert alias.operation.mnemonic == name


def test_a_kernel_definition_is_what_the_decorator_makes():
    @pl.kernel()
    def nothing(x: pl.Tensor[[16, 64], pl.DT_FP16]):
        pass

    assert isinstance(nothing, pl.KernelDef)


def test_an_inline_function_is_the_function():
    """The decorator is deprecated: every plain function is inlined."""

    def double(x):
        return x + x

    with pytest.warns(DeprecationWarning):
        assert pl.inline(double)(3) == 6


@pytest.mark.parametrize("kind", [pl.Tile, pl.Tensor, pl.Scalar, pl.Ptr], ids=str)
def test_a_type_is_written_with_its_parts(kind):
    assert kind[[16, 64], pl.DT_FP16] is not None


SHIFTS = {
    "shls(t, t, 2)": lambda x, y: x << 2,
    "shrs(t, t, 2)": lambda x, y: x >> 2,
    "shl(t, t, 3)": lambda x, y: x << 3,
    "shr(t, t, 3)": lambda x, y: x >> 3,
}
SHIFT = """
import pypto_pro.language as pl

@pl.jit(arch="{arch}")
def kernel(x: pl.Tensor[[8, 64], pl.DT_INT32], y: pl.Tensor[[8, 64], pl.DT_INT32]):
    block = pl.TileType([8, 64], pl.DT_INT32)
    first = pl.make_tile_group(type=block, addrs=[0], mutex_ids=[0])
    second = pl.make_tile_group(type=block, addrs=[0x1000], mutex_ids=[1])
    t, u = first.next(), second.next()
    pl.load(t, x, [0, 0])
    pl.load(u, y, [0, 0])
    pl.{call}
    pl.store(x, t, [0, 0])
"""


@pytest.mark.parametrize("call", SHIFTS)
@pytest.mark.parametrize("arch", ["a3", "a5"])
def test_shifts(call, arch, tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text(SHIFT.format(arch=arch, call=call))
    kernel = runpy.run_path(str(path))["kernel"]
    rng = np.random.default_rng(0)
    x = rng.integers(-1000, 1000, (8, 64)).astype(np.int32)
    y = rng.integers(0, 8, (8, 64)).astype(np.int32)
    wanted = SHIFTS[call](x, y)
    kernel[None, 1](x, y)
    np.testing.assert_array_equal(x, wanted)
