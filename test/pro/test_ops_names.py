# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The public names of `pypto_pro.language`: that they are there, and what Python gets of them."""

import copy
import inspect
import pickle
import subprocess
import sys

import pypto
import pypto_pro.language as pl
import pytest
from pypto_pro.language import enums, registry

MEMBERS = {
    "MemorySpace": "DDR Vec Mat Left Right Acc Scaling Bias ScaleLeft ScaleRight",
    "PipeType": "MTE1 MTE2 MTE3 M V S FIX ALL",
    "TensorLayout": "ND DN NZ ZN NN ZZ",
    "TilePad": "null zero max min",
    "FillPadMode": "NORMAL EXPAND INPLACE",
    "RoundMode": "CAST_NONE CAST_RINT CAST_ROUND CAST_FLOOR CAST_CEIL CAST_TRUNC CAST_ODD",
    "QuantMode": "SYM ASYM",
    "AtomicType": "AtomicNone AtomicAdd",
    "ReluPreMode": "NormalRelu",
    "AccPhase": "Unspecified Partial Final",
    "STPhase": "Unspecified Partial Final",
    "AccToVecMode": "SingleModeVec0 SingleModeVec1 DualModeSplitM DualModeSplitN",
    "CrossCoreSyncMode": "INTER_BLOCK INTER_SUBBLOCK INTRA_BLOCK UNICAST_BLOCK",
    "SyncCoreType": "AIV_ONLY AIC_ONLY MIX",
    "SyncAllMode": "HARD SOFT",
    "CacheLine": "SINGLE_CACHE_LINE ENTIRE_DATA_CACHE",
    "DcciDst": "AUTO CACHELINE_OUT CACHELINE_UB CACHELINE_ALL CACHELINE_ATOMIC",
    "FunctionType": "Opaque Orchestration InCore Helper SimtVF SimtCallee",
    "SectionKind": "Vector Cube VF",
    "MaskPattern": "ALL ALLF VL1 VL2 VL3 VL4 VL8 VL16 VL32 VL64 VL128 M3 M4 H Q",
    "CompareMode": "EQ NE LT LE GT GE",
    "StoreDist": "NORM NORM_B16 FIRST_ELEMENT PACK PACK4 INTLV INTLV_B32",
}


@pytest.mark.parametrize("name", MEMBERS)
def test_the_members_of_an_enum(name):
    assert list(getattr(pl, name).__members__) == MEMBERS[name].split()


def test_layouts_have_short_names():
    assert [pl.ND, pl.DN, pl.NZ, pl.ZN, pl.NN, pl.ZZ] == list(pl.TensorLayout)


def test_members_are_no_numbers():
    assert pl.PipeType.MTE1 != 0 and pl.TilePad.zero != pl.FillPadMode.EXPAND
    assert repr(pl.PipeType.MTE1) == "pl.PipeType.MTE1"


def test_every_public_name_is_there():
    assert len(set(pl.__all__)) == len(pl.__all__)
    for name in pl.__all__:
        assert getattr(pl, name) is not None, name
    assert set(enums.ENUMS) <= set(pl.__all__)


@pytest.mark.parametrize(
    ("dtype", "bits", "kinds", "name", "c_name"),
    [
        (pl.DT_FP16, 16, "float", "fp16", "half"),
        (pl.DT_BF16, 16, "float", "bf16", "bfloat16_t"),
        (pl.DT_FP32, 32, "float", "fp32", "float"),
        (pl.DT_FP4E2M1, 4, "float", "fp4e2m1", "fp4e2m1_t"),
        (pl.DT_INT8, 8, "int signed_int", "int8", "int8_t"),
        (pl.DT_INT64, 64, "int signed_int", "int64", "int64_t"),
        (pl.DT_UINT16, 16, "int unsigned_int", "uint16", "uint16_t"),
        (pl.DT_BOOL, 8, "", "bool", "bool"),
    ],
)
def test_element_types(dtype, bits, kinds, name, c_name):
    assert (dtype.get_bit(), dtype.bits(), dtype.bits) == (bits, bits, bits)
    for kind in ("float", "int", "signed_int", "unsigned_int"):
        found = getattr(dtype, f"is_{kind}")
        assert found() is (kind in kinds.split()) and bool(found) is found()
    assert (dtype.to_string(), dtype.to_c_type_string()) == (name, c_name)
    assert pickle.loads(pickle.dumps(dtype)) is dtype is copy.deepcopy(dtype)


def test_both_faces_have_the_same_element_types():
    import pypto.language

    assert pl.DT_FP16 is pypto.language.FP16 and pl.DT_UINT8 is pypto.language.UINT8
    assert not hasattr(pypto.language, "FP4E2M1")  # which is of this face only


# Python gets a declaration.


@pytest.mark.parametrize(
    "face",
    [face for level in ("", "system", "mutex") for face in registry.faces(level).values()],
    ids=lambda face: face.path,
)
def test_python_cannot_run_an_operation(face):
    if face.path == "pl.TileType":
        return
    parameters = inspect.signature(face).parameters.values()
    needed = [p for p in parameters if p.default is p.empty]
    args = [None for p in needed if p.kind is p.POSITIONAL_OR_KEYWORD]
    kwargs = {p.name: None for p in needed if p.kind is p.KEYWORD_ONLY}
    words = "This function is a DSL API declaration and must be used inside a PyPTO kernel"
    with pytest.raises(RuntimeError, match=words):
        face(*args, **kwargs)
    if not any(p.kind is p.VAR_KEYWORD for p in parameters):
        with pytest.raises(TypeError, match="no_such_keyword"):
            face(*args, no_such_keyword=1, **kwargs)
    assert face.path in face.__doc__ and face.operation.doc in face.__doc__


def test_wrong_arity():
    with pytest.raises(TypeError, match=r"missing a required argument: 'rhs'; it is pl.add\(out"):
        pl.add(1, 2)


def test_a_tile_type_can_be_made_in_front_of_the_kernel():
    found = pl.TileType([16, 64], pl.DT_FP16, pl.MemorySpace.Mat, layout=pl.ZN)
    assert (found.shape, found.dtype, found.layout) == ([16, 64], pl.DT_FP16, pl.ZN)
    with pytest.raises(TypeError):
        pl.TileType([16, 64])


@pytest.mark.parametrize(
    ("use", "words"),
    [
        (lambda: pl.vector_function(print), "pl.vector_function is not supported yet: vector-"),
        (lambda: pl.simt.function(max_threads=32), "pl.simt.function is not supported yet: SIMT"),
        (lambda: pl.pipeline.PipelineConfig(preload=2), "pl.pipeline.PipelineConfig is not"),
        (lambda: pl.Vf.add(1, 2), "pl.Vf.add is not supported yet"),
    ],
)
def test_what_comes_later_says_so(use, words):
    with pytest.raises(pypto.diagnostics.UnsupportedFeatureError) as error:
        use()
    assert words in str(error.value) and error.value.diagnostics[0].file == __file__


@pytest.mark.parametrize(
    ("holder", "name", "words"),
    [
        (pl, "matmull", "did you mean pl.matmul?"),
        (pl, "set_flag", "pl.system.sync_src"),
        (pl.system, "wait_flag", "pl.system.sync_dst"),
        (pl.system, "bar_v", "the compiler writes the barriers"),
        (pl.mutex, "mutex_lok", "did you mean pl.mutex.mutex_lock?"),
    ],
)
def test_what_there_is_not(holder, name, words):
    with pytest.raises(AttributeError) as error:
        getattr(holder, name)
    assert words in str(error.value)


def test_the_import_reads_no_mlir():
    program = (
        "import sys, pypto_pro.language as pl\n"
        "pl.add, pl.DT_FP16, pl.system.sync_src\n"
        "print([name for name in sys.modules if 'mlir' in name or name == 'numpy'])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert found.stdout.strip() == "[]", found.stdout + found.stderr


def test_every_operation_has_a_builder_or_says_that_it_comes_later():
    from pypto.frontend.pro.operations import builder

    for operation in registry.OPERATIONS.values():
        assert bool(operation.later) == (builder(operation.build) is None), operation.name


def test_the_data_types_have_a_class():
    """`from pypto_pro import DataType`, as `pl.DT_FP16` is `DataType.FP16`."""
    import pypto_pro

    assert pypto_pro.DataType.FP16 is pl.DT_FP16
    assert isinstance(pl.DT_UINT8, pypto_pro.DataType)
    assert pypto_pro.DataType.INT4.get_bit() == pl.DT_INT4.bits == 4
    with pytest.raises(AttributeError, match="no attribute 'datatype'"):
        _ = pypto_pro.datatype
