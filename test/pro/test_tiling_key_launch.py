# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The brackets of a launch, and the names that a decorator checks."""

import math

import numpy as np
import page_keys
import pytest
from pypto.language.dtypes import BF16, FP16
from pypto_pro.runtime.launch import (
    DatatypeSchema,
    check_conflicts,
    parse_launch,
    refuse_direct_call,
)
from pypto_pro.runtime.tilingkey import Invalid, TilingKeyField, TilingKeySchema

SCHEMA = TilingKeySchema(page_keys.AttentionKey)
TYPES = DatatypeSchema({"q": "T", "k": "T", "out": "U"})
KEY = {"HasAtten": 1, "BlockM": 128}
DTYPES = {"q": FP16, "k": FP16, "out": BF16}


def refused(item, schema=SCHEMA, types=None, kind=ValueError):
    with pytest.raises(kind) as caught:
        parse_launch(item, schema, types, "attention_kernel")
    assert caught.value.diagnostics[0].file == __file__
    return str(caught.value)


# The forms.


def test_a_kernel_without_either():
    for item, stream, blocks in ((3, None, 3), ((None, 4), None, 4), (("s", 5), "s", 5)):
        launch = parse_launch(item, None, None, "k")
        assert (launch.stream, launch.block_dim) == (stream, blocks)
        assert launch.key is launch.packed is launch.dtypes is None


def test_a_tiling_key():
    launch = parse_launch((None, 8, {"BlockM": 128, "HasAtten": 1}), SCHEMA, None, "k")
    assert list(launch.key.items()) == [("HasAtten", 1), ("BlockM", 128)]
    assert (launch.block_dim, launch.packed, launch.dtypes) == (8, 3, None)


def test_a_datatype():
    launch = parse_launch((None, 8, DTYPES), None, TYPES, "k")
    assert launch.dtypes == {"T": FP16, "U": BF16}
    assert launch.key is None


def test_both():
    launch = parse_launch((None, 8, KEY, DTYPES), SCHEMA, TYPES, "k")
    assert (launch.packed, launch.dtypes) == (3, {"T": FP16, "U": BF16})


@pytest.mark.parametrize("item", [(None, 1, KEY), (), (None, 1, KEY, DTYPES)])
def test_wrong_form_without_either(item):
    words = "Expected kernel[stream, block_dim] or kernel[block_dim]"
    assert words in refused(item, None)


@pytest.mark.parametrize("item", [1, (None, 1), (KEY,), (None, 1, KEY, 3), (1, KEY)])
def test_wrong_form_with_a_tiling_key(item):
    text = refused(item)
    assert "Expected kernel[stream, block_dim, tilingkey]" in text
    assert "'attention_kernel'" in text


@pytest.mark.parametrize("item", [1, (None, 1), (None, 1, KEY, DTYPES)])
def test_wrong_form_with_a_datatype(item):
    assert "Expected kernel[stream, block_dim, datatype]" in refused(item, None, TYPES)


@pytest.mark.parametrize("item", [1, (None, 1), (None, 1, KEY), (None, 1, KEY, DTYPES, 2)])
def test_wrong_form_with_both(item):
    words = "Expected kernel[stream, block_dim, tilingkey, datatype]"
    assert words in refused(item, SCHEMA, TYPES)


def test_a_datatype_too_many():
    words = "datatype dict was provided but this kernel has no datatype schema"
    assert words in refused((None, 1, KEY, DTYPES))


def test_a_key_too_many():
    assert "'attention_kernel' has no tiling key" in refused((None, 1, KEY), None)


def test_a_direct_call():
    refuse_direct_call("plain", None, None)
    for schema, types in ((SCHEMA, None), (None, TYPES), (SCHEMA, TYPES)):
        with pytest.raises(ValueError) as caught:
            refuse_direct_call("k", schema, types)
        assert (
            "Kernel 'k' has compile-time specialization and cannot be called directly; use "
            "bracket-launch syntax"
        ) in str(caught.value)


@pytest.mark.parametrize("blocks", [0, -1, True, 1.0, None, "4", KEY])
def test_a_wrong_block_dim(blocks):
    words = f"block_dim must be a positive integer, got {blocks!r}"
    assert words in refused((None, blocks), None)
    assert words in refused(blocks, None)
    assert words in refused((None, blocks, KEY))


def test_a_numpy_block_dim():
    launch = parse_launch(np.int64(24), None, None, "k")
    assert launch.block_dim == 24 and type(launch.block_dim) is int


# The key.


@pytest.mark.parametrize("key, kind", [([1, 128], "list"), ((1, 128), "tuple"), (3, "int")])
def test_a_key_that_is_no_dict(key, kind):
    assert f"tilingkey must be specified as a dict, got {kind}" in refused((None, 1, key))


def test_a_missing_field():
    text = refused((None, 1, {"BlockM": 128}))
    assert "tilingkey keys ['BlockM'] do not match schema fields ['BlockM', 'HasAtten']" in text
    assert "'HasAtten' is missing; its candidates are [0, 1]" in text


def test_an_unknown_field():
    text = refused((None, 1, {**KEY, "Extra": 1}))
    words = "keys ['BlockM', 'Extra', 'HasAtten'] do not match schema fields ['BlockM', 'HasAtten']"
    assert words in text
    assert "'Extra' is no field of AttentionKey" in text


def test_names_that_differ_in_case():
    text = refused((None, 1, {"hasatten": 1, "blockM": 128}))
    assert "'hasatten' is no field of AttentionKey; did you mean 'HasAtten'?" in text
    assert "'blockM' is no field of AttentionKey; did you mean 'BlockM'?" in text
    assert "missing" not in text


def test_keys_that_are_no_names():
    assert "tilingkey keys [1, 'BlockM'] do not match" in refused((None, 1, {1: 2, "BlockM": 64}))


def test_no_candidate():
    text = refused((None, 1, {"HasAtten": 1, "BlockM": 96}))
    assert "tilingkey field 'BlockM' value 96 is not a candidate; allowed: [64, 128]" in text
    assert "the field is declared here" in text and "ind" not in text.split("allowed")[1][:20]


def test_an_index_in_place_of_a_value():
    text = refused((None, 1, {"HasAtten": 1, "BlockM": 1}))
    assert "tilingkey field 'BlockM' value 1 is not a candidate; allowed: [64, 128]" in text
    assert "a key holds values, not their indices; index 1 is the value 128" in text


@pytest.mark.parametrize("value", [True, np.True_, 1.0, "1", None, np.float32(1), [1]])
def test_what_is_no_int(value):
    text = refused((None, 1, {"HasAtten": value, "BlockM": 128}))
    assert f"tilingkey field 'HasAtten' value {value!r} is not a candidate; allowed: [0, 1]" in text


def test_true_for_one_says_so():
    text = refused((None, 1, {"HasAtten": True, "BlockM": 128}))
    assert "True is a bool; write 1 if that is meant" in text


def test_all_wrong_values_are_told():
    text = refused((None, 1, {"HasAtten": 2, "BlockM": 3}))
    assert "'HasAtten' value 2" in text and "'BlockM' value 3" in text


@pytest.mark.parametrize("kind", [np.int8, np.int64, np.uint16])
def test_numpy_integers(kind):
    launch = parse_launch((None, 1, {"HasAtten": kind(0), "BlockM": kind(64)}), SCHEMA, None, "k")
    assert launch.key == {"HasAtten": 0, "BlockM": 64} and launch.packed == 0
    assert all(type(value) is int for value in launch.key.values())


def test_a_key_that_is_not_valid():
    text = refused((None, 1, {"HasAtten": 1, "BlockM": 64}))
    words = "tilingkey {'HasAtten': 1, 'BlockM': 64} did not pass AttentionKey.is_valid"
    assert words in text


def test_why_a_key_is_not_valid():
    class K:
        A = TilingKeyField(bits=1, values=[0, 1])

        def is_valid(self, key):
            return key[0] == 0 or Invalid("A = 1 needs a mask")

    text = refused((None, 1, {"A": 1}), TilingKeySchema(K))
    assert "tilingkey {'A': 1} did not pass K.is_valid" in text
    assert "it says: A = 1 needs a mask" in text


def test_is_valid_that_raises():
    class K:
        A = TilingKeyField(bits=2, values=[0, 4])

        def is_valid(self, key):
            return 1 // key[0]

    with pytest.raises(ZeroDivisionError) as caught:
        parse_launch((None, 1, {"A": 0}), TilingKeySchema(K), None, "k")
    assert caught.value.__notes__ == ["raised by K.is_valid for the tilingkey {'A': 0}"]


# Names.


def conflict(parameters=(), captured=None):
    with pytest.raises(ValueError) as caught:
        check_conflicts(SCHEMA, parameters, captured or {})
    assert caught.value.diagnostics[0].file == page_keys.__file__
    return str(caught.value)


def test_a_field_named_as_a_parameter():
    text = conflict(["q", "BlockM", "HasAtten"])
    words = "TilingKey field name(s) conflict with kernel parameter name(s): "
    assert words + "{'HasAtten', 'BlockM'}" in text


@pytest.mark.parametrize("value", [128, None, [1], np, "text"])
def test_a_field_named_as_a_variable(value):
    words = "TilingKey field name(s) conflict with module-level variable name(s): {'BlockM'}"
    assert words in conflict(["q"], {"BlockM": value, "x": 1})


def test_names_that_do_not_conflict():
    class K:
        __A = TilingKeyField(bits=1, values=[0])
        B = TilingKeyField(bits=1, values=[0])
        C = TilingKeyField(bits=1, values=[0])

    check_conflicts(TilingKeySchema(K), ["q"], {"B": math.sqrt, "C": int, "D": 3})
    dunder = TilingKeySchema(type("K", (), {"__x": TilingKeyField(bits=1, values=[0])}))
    check_conflicts(dunder, [], {"__x": 1})


# datatype=.


@pytest.mark.parametrize("mapping", [{}, None, [("q", "T")], "q"])
def test_a_datatype_that_is_no_dict(mapping):
    words = "datatype must be a non-empty dict mapping param name to dtype variable name"
    with pytest.raises(ValueError, match=words):
        DatatypeSchema(mapping)


@pytest.mark.parametrize("name", ["", 3, None])
def test_a_datatype_parameter_that_is_no_name(name):
    with pytest.raises(ValueError, match="datatype param names must be non-empty strings, got"):
        DatatypeSchema({name: "T"})


@pytest.mark.parametrize("name", ["", 3, "a b", "1x", "for"])
def test_a_datatype_variable_that_is_no_name(name):
    words = "datatype variable for param 'q' must be a valid Python identifier, got"
    with pytest.raises(ValueError, match=words):
        DatatypeSchema({"q": name})


def function_refused(parameters, schema=None):
    with pytest.raises(ValueError) as caught:
        TYPES.check_function("attention", parameters, schema)
    return str(caught.value)


def test_datatype_parameters_that_the_function_lacks():
    text = function_refused(["q", "out"])
    assert "datatype params ['k'] do not match kernel function 'attention' parameters" in text


def test_a_datatype_variable_named_as_a_parameter():
    text = function_refused(["q", "k", "out", "U"])
    assert "datatype variable names conflict with kernel params: ['U']" in text


def test_a_datatype_variable_named_as_a_field():
    schema = TilingKeySchema(type("K", (), {"T": TilingKeyField(bits=1, values=[0])}))
    text = function_refused(["q", "k", "out"], schema)
    assert "datatype variable names conflict with tiling_key fields: ['T']" in text


def test_a_datatype_schema_that_fits():
    TYPES.check_function("attention", ["q", "k", "out", "n"], SCHEMA)
    assert TYPES.variables == ("T", "U")


def test_a_launch_without_a_dtype_dict():
    words = "datatype kernel launch requires a dtype dict"
    assert words in refused((None, 1, FP16), None, TYPES)
    assert words in refused((None, 1, KEY, [FP16]), SCHEMA, TYPES)


def test_a_launch_with_other_datatype_parameters():
    text = refused((None, 1, {"q": FP16, "v": FP16}), None, TYPES)
    assert "datatype keys ['q', 'v'] do not match schema params ['k', 'out', 'q']" in text


@pytest.mark.parametrize("dtype, kind", [("FP16", "str"), (np.float16, "type"), (None, "NoneType")])
def test_a_launch_with_what_is_no_dtype(dtype, kind):
    text = refused((None, 1, {**DTYPES, "k": dtype}), None, TYPES, TypeError)
    assert f"datatype['k'] must be a pypto_pro.DataType, got {kind}" in text


def test_a_launch_with_dtypes_that_disagree():
    text = refused((None, 1, {**DTYPES, "k": BF16}), None, TYPES)
    assert "datatype params mapped to variable 'T' disagree: FP16 vs BF16" in text
