# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""A key class: every rule of the page's table, and the encoding."""

import enum

import numpy as np
import page_keys
import pytest
from pypto.diagnostics import CompileError
from pypto_pro.runtime.tilingkey import Invalid, TilingKeyField, TilingKeySchema

IMPORT = "from pypto_pro.runtime.tilingkey import TilingKeyField\n\n\n"


def refused(cls):
    with pytest.raises(ValueError) as caught:
        TilingKeySchema(cls)
    assert isinstance(caught.value, CompileError)
    return caught.value


def one_field(**arguments):
    return type("K", (), {"Field": TilingKeyField(**arguments)})


WRONG_FIELDS = {
    "bits of 0": ({"bits": 0, "values": [0]}, "must have bits > 0, got 0"),
    "negative bits": ({"bits": -3, "values": [0]}, "must have bits > 0, got -3"),
    "bits no int": ({"bits": "2", "values": [0]}, "must have bits > 0, got '2'"),
    "bits a float": ({"bits": 2.0, "values": [0]}, "must have bits > 0, got 2.0"),
    "bits a bool": ({"bits": True, "values": [0]}, "must have bits > 0, got True"),
    "bits None": ({"bits": None, "values": [0]}, "must have bits > 0, got None"),
    "no value": ({"bits": 1, "values": []}, "must have a non-empty 'values' list"),
    "a string": ({"bits": 1, "values": [0, "a"]}, "values must be ints, got 'a'"),
    "a float value": ({"bits": 1, "values": [1.0]}, "values must be ints, got 1.0"),
    "a bool": ({"bits": 1, "values": [True, False]}, "values must be ints, got True"),
    "twice the same": ({"bits": 2, "values": [1, 2, 1]}, "values must be unique"),
    "too many": (
        {"bits": 1, "values": [0, 1, 2]},
        "has 3 candidates, exceeding the 2 representable by 1 bits",
    ),
}


@pytest.mark.parametrize("arguments, words", WRONG_FIELDS.values(), ids=WRONG_FIELDS)
def test_a_wrong_field(arguments, words):
    error = refused(one_field(**arguments))
    assert f"tilingkey field 'Field' {words}" in str(error)
    (found,) = error.diagnostics
    assert found.file == __file__ and found.line > 0


@pytest.mark.parametrize("thing, kind", [(3, "int"), ({"A": 1}, "dict"), (None, "NoneType")])
def test_no_class(thing, kind):
    assert f"tiling_key must be a class, got {kind}" in str(refused(thing))


def test_an_instance_is_no_class():
    words = "tiling_key must be a class, got AttentionKey"
    assert words in str(refused(page_keys.AttentionKey()))


def test_no_field():
    words = "tiling_key class 'K' has no TilingKeyField members"
    assert words in str(refused(type("K", (), {"A": 1})))


@pytest.mark.parametrize("member", [3, None, "yes", [1]])
def test_is_valid_that_is_no_function(member):
    members = {"A": TilingKeyField(bits=1, values=[0]), "is_valid": member}
    error = refused(type("K", (), members))
    assert "tiling_key class 'K' has a non-callable 'is_valid' member" in str(error)
    assert repr(member) in str(error)


def test_is_valid_that_never_decides():
    def is_valid(self, key):
        yield True

    members = {"A": TilingKeyField(bits=1, values=[0]), "is_valid": is_valid}
    assert "a generator function" in str(refused(type("K", (), members)))


def test_more_than_64_bits():
    members = {name: TilingKeyField(bits=20, values=[0, 1]) for name in "ABCD"}
    error = refused(type("K", (), members))
    assert "tiling_key class 'K' uses 80 bits, exceeding the 64-bit limit" in str(error)
    assert "field 'D' is the first that does not fit; the candidates need 4 bits" in str(error)


def test_bits_without_end_are_no_work():
    assert "uses 1000000000000 bits" in str(refused(one_field(bits=10**12, values=[0])))


def test_64_bits_fit():
    members = {name: TilingKeyField(bits=32, values=[0, 1]) for name in "AB"}
    schema = TilingKeySchema(type("K", (), members))
    assert schema.bits == 64
    assert schema.pack({"A": 0, "B": 1}) == 1 << 32


def test_all_wrong_fields_are_told_with_their_places(load):
    module = load(
        IMPORT + "class K:\n"
        "    A = TilingKeyField(bits=0, values=[0])\n"
        "    B = TilingKeyField(bits=1, values=[0, 1])\n"
        "    C = TilingKeyField(bits=1, values=[])\n"
    )
    error = refused(module.K)
    assert [(d.line, d.column) for d in error.diagnostics] == [(5, 9), (7, 9)]
    assert all(d.file == module.__file__ for d in error.diagnostics)
    assert "A = TilingKeyField(bits=0, values=[0])\n" in str(error)


def test_an_inherited_field(load):
    module = load(
        IMPORT + "class Base:\n"
        "    A = TilingKeyField(bits=1, values=[0, 1])\n\n\n"
        "class K(Base):\n"
        "    B = TilingKeyField(bits=1, values=[0, 1])\n"
    )
    (found,) = refused(module.K).diagnostics
    assert "order" in found.message and "ambiguous" in found.message
    assert (found.line, found.column) == (9, 9)
    assert [(note.line, note.message) for note in found.notes] == [
        (5, "field 'A' is inherited from class 'Base'")
    ]


def test_inherited_fields_only(load):
    class K(page_keys.MaskKey):
        pass

    error = refused(K)
    assert "tiling_key class 'K' has no TilingKeyField members" in str(error)
    assert "field 'NeedAttnMask' is inherited from class 'MaskKey'" in str(error)


def test_a_field_that_is_declared_again_is_not_inherited():
    class K(page_keys.MaskKey):
        NeedAttnMask = TilingKeyField(bits=1, values=[0, 1])

    assert TilingKeySchema(K).pack({"NeedAttnMask": 1}) == 1


def test_values_that_are_no_list():
    with pytest.raises(TypeError, match="values is a list of ints, found 5"):
        TilingKeyField(bits=1, values=5)


def test_fields_are_by_keyword():
    with pytest.raises(TypeError):
        TilingKeyField(1, [0])


def test_a_field_knows_its_name_and_nothing_is_checked_early():
    class K:
        A = TilingKeyField(bits=0, values=(v for v in ("x",)))

    assert K.A.name == "A" and K.A.values == ("x",) and K.A.bits == 0


def test_order_offsets_and_widths():
    schema = TilingKeySchema(page_keys.fa_class(page_keys.by_set))
    assert schema.names == tuple(name for name, *_ in page_keys.FA_FIELDS)
    assert [field.offset for field in schema.fields] == [
        *(0, 2, 4, 8, 18, 28, 40, 52, 56, 57, 58, 59, 61, 62)
    ]
    assert schema.bits == 63


# The encoding.


def test_the_index_is_packed():
    schema = TilingKeySchema(page_keys.MaskKey)
    assert schema.pack({"NeedAttnMask": 1}) == 0
    assert schema.pack({"NeedAttnMask": 0}) == 1


@pytest.mark.parametrize("values, code", [((0, 64, 0), 0x1), ((0, 128, 9), 0xA03)])
def test_codes_of_the_real_encoder(values, code):
    schema = TilingKeySchema(page_keys.ThreeKey)
    key = dict(zip(schema.names, values, strict=True))
    assert schema.pack(key) == code
    assert schema.decode(code) == key


def test_the_third_code_of_the_real_encoder():
    key = {"Mode": 9, "NeedAttnMask": 1, "BlockM": 128}  # the order of a dict is free
    assert TilingKeySchema(page_keys.ThreeKey).pack(key) == 0xA02


def test_codes_of_the_page():
    schema = TilingKeySchema(page_keys.fa_class(page_keys.by_unpacking))
    keys = [dict(zip(schema.names, key, strict=True)) for key in page_keys.FA_KEYS]
    assert [schema.pack(key) for key in keys] == page_keys.FA_CODES
    assert [schema.decode(code) for code in page_keys.FA_CODES] == keys


def test_sparse_and_negative_values_and_wide_ones():
    class K:
        A = TilingKeyField(bits=3, values=[16, 64, 128])
        B = TilingKeyField(bits=2, values=[-1, 1 << 62])

    schema = TilingKeySchema(K)
    assert [schema.pack({"A": a, "B": -1}) for a in (16, 64, 128)] == [0, 1, 2]
    assert schema.decode(schema.pack({"A": 64, "B": 1 << 62})) == {"A": 64, "B": 1 << 62}


def test_every_key_is_decoded_as_it_was_packed():
    schema = TilingKeySchema(page_keys.ThreeKey)
    keys = schema.valid_keys()
    assert len(keys) == 24
    codes = [schema.pack_values(key) for key in keys]
    assert len(set(codes)) == 24
    assert [tuple(schema.decode(code).values()) for code in codes] == keys


def test_bits_that_name_no_candidate():
    schema = TilingKeySchema(page_keys.ThreeKey)
    with pytest.raises(ValueError) as caught:
        schema.decode(0x4)
    text = str(caught.value)
    assert "bits 8-1 hold index 2 of field 'BlockM', which has 2 candidates" in text


@pytest.mark.parametrize("code", [-1, 1 << 13, True, "0x1", None])
def test_no_code(code):
    with pytest.raises(ValueError, match="packed tilingkey"):
        TilingKeySchema(page_keys.ThreeKey).decode(code)


def test_a_numpy_code():
    assert TilingKeySchema(page_keys.MaskKey).decode(np.uint64(1)) == {"NeedAttnMask": 0}


# What is_valid may be.


def test_method_classmethod_staticmethod():
    class Method(page_keys.MaskKey):
        NeedAttnMask = TilingKeyField(bits=1, values=[1, 0])

        def __init__(self):
            raise AssertionError("a key class is not constructed")

        def is_valid(self, key):
            return isinstance(self, Method) and key == (0,)

    class Class(Method):
        NeedAttnMask = TilingKeyField(bits=1, values=[1, 0])

        @classmethod
        def is_valid(cls, key):
            return cls is Class and key == (0,)

    class Static(Method):
        NeedAttnMask = TilingKeyField(bits=1, values=[1, 0])

        @staticmethod
        def is_valid(key):
            return key == (0,)

    for cls in (Method, Class, Static):
        assert TilingKeySchema(cls).valid_keys() == [(0,)]


def test_it_gets_one_plain_tuple():
    seen = []

    class K(page_keys.ThreeKey):
        NeedAttnMask = TilingKeyField(bits=1, values=[1, 0])
        BlockM = TilingKeyField(bits=8, values=[64, 128])
        Mode = TilingKeyField(bits=4, values=[0, 1])

        def is_valid(self, key):
            seen.append((type(key), [type(value) for value in key], key))
            return True

    TilingKeySchema(K).validate_concrete({"Mode": np.int8(1), "BlockM": 64, "NeedAttnMask": 0})
    assert seen == [(tuple, [int, int, int], (0, 64, 1))]


def test_truth_decides_and_a_string_is_true():
    def answer(value):
        members = {"A": TilingKeyField(bits=1, values=[7])}
        members["is_valid"] = lambda self, key: value
        return TilingKeySchema(type("K", (), members)).why_invalid((7,))

    assert answer("why not") is None and answer(3) is None and answer([0]) is None
    assert answer("") == "" and answer(0) == "" and answer(None) == "" and answer([]) == ""
    assert answer(Invalid("no room")) == "no room"


def test_values_of_an_enum():
    class Mode(enum.IntEnum):
        FAST = 5
        SLOW = 9

    class K:
        M = TilingKeyField(bits=1, values=list(Mode))

        def is_valid(self, key):
            return key[0].name == "SLOW"

    schema = TilingKeySchema(K)
    assert schema.valid_keys() == [(9,)]
    assert type(schema.validate_concrete({"M": 9})["M"]) is int
