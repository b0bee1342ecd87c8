# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The texts of the C++ headers, and the table of keys."""

import dataclasses
import time

import page_keys
import pytest
from pypto_pro.runtime.header import TilingField, tiling_fields, tiling_header, tilingkey_header
from pypto_pro.runtime.key_table import KeyTable
from pypto_pro.runtime.tilingkey import TilingKeyField, TilingKeySchema


class DemoKey:
    Mode = TilingKeyField(bits=2, values=[5, 9, 7])
    Fast = TilingKeyField(bits=1, values=[0, 1])

    def is_valid(self, key):
        return key in ((5, 0), (9, 1))


DEMO = """\
#include "ascendc/host_api/tiling/template_argument.h"

#define ASCENDC_TPL_1_BW 1
#define ASCENDC_TPL_2_BW 2

ASCENDC_TPL_ARGS_DECL(axpb,
    // bit:1-0
    ASCENDC_TPL_UINT_DECL(Mode, ASCENDC_TPL_2_BW, ASCENDC_TPL_UI_LIST, 5, 9, 7),
    // bit:2-2
    ASCENDC_TPL_UINT_DECL(Fast, ASCENDC_TPL_1_BW, ASCENDC_TPL_UI_LIST, 0, 1),
);

ASCENDC_TPL_SEL(
    ASCENDC_TPL_ARGS_SEL(
        ASCENDC_TPL_UINT_SEL(Mode, ASCENDC_TPL_UI_LIST, 5),
        ASCENDC_TPL_UINT_SEL(Fast, ASCENDC_TPL_UI_LIST, 0)
    ),
    ASCENDC_TPL_ARGS_SEL(
        ASCENDC_TPL_UINT_SEL(Mode, ASCENDC_TPL_UI_LIST, 9),
        ASCENDC_TPL_UINT_SEL(Fast, ASCENDC_TPL_UI_LIST, 1)
    )
);
"""


def test_the_documented_header():
    assert tilingkey_header(TilingKeySchema(DemoKey), "axpb") == DEMO


def test_the_page_header():
    schema = TilingKeySchema(page_keys.fa_class(page_keys.by_set))
    text = tilingkey_header(schema, "flash_attention_score")
    lines = text.splitlines()
    widths = [line for line in lines if line.startswith("#define")]
    assert widths == [f"#define ASCENDC_TPL_{w}_BW {w}" for w in (1, 2, 4, 10, 12)]
    comments = [line.strip() for line in lines if "// bit:" in line]
    assert comments[:4] == ["// bit:1-0", "// bit:3-2", "// bit:7-4", "// bit:17-8"]
    assert comments[-1] == "// bit:62-62"
    assert text.count("ASCENDC_TPL_ARGS_SEL(") == 2
    assert text.count("UINT_SEL(HasAtten, ASCENDC_TPL_UI_LIST, 1)") == 1
    assert "ASCENDC_TPL_UI_LIST, 0, 16, 32, 48, 64, 80, 96, 128, 160, 192, 256, 768)," in text


class ManyKey:
    A = TilingKeyField(bits=4, values=list(range(10)))
    B = TilingKeyField(bits=4, values=list(range(10)))
    C = TilingKeyField(bits=4, values=list(range(10)))
    D = TilingKeyField(bits=4, values=list(range(10)))
    E = TilingKeyField(bits=4, values=list(range(8)))
    F = TilingKeyField(bits=4, values=list(range(4)))

    def is_valid(self, key):
        a, b, c, d, e, f = key
        return (e + f) % 8 == a % 8 and f == b % 4


def test_ten_thousand_keys_of_six_fields():
    schema = TilingKeySchema(ManyKey)
    begin = time.process_time()
    assert len(schema.valid_keys()) == 10_000
    text = tilingkey_header(schema, "many")
    assert time.process_time() - begin < 1
    assert text.count("ASCENDC_TPL_ARGS_SEL(") == 10_000


# Tiling classes.


def test_a_tiling_class():
    @dataclasses.dataclass
    class OpTiling:
        rows: int
        scale: "float"
        causal: bool
        sizes: "int[4]"
        scales: "float [ 2048 ]"
        count: int = 3

    assert tiling_header(OpTiling) == (
        "#pragma once\n\nclass OpTiling {\npublic:\n"
        "    int64_t rows;\n    float scale;\n    bool causal;\n    int64_t sizes[4];\n"
        "    float scales[2048];\n    int64_t count;\n};\n"
    )


def test_a_field_named_as_a_word_of_cpp():
    cls = dataclasses.make_dataclass("T", [("default", int)])
    with pytest.raises(ValueError, match="field 'default' .* has the name of a C.. keyword"):
        tiling_header(cls)


def test_fields_of_a_tiling_class(load):
    module = load(
        "from __future__ import annotations\nfrom dataclasses import dataclass\n\n\n"
        "@dataclass\nclass T:\n    rows: int\n    sizes: int[4]\n    flag: bool\n"
    )
    assert tiling_fields(module.T) == [
        TilingField("rows", "int", None),
        TilingField("sizes", "int", 4),
        TilingField("flag", "bool", None),
    ]


@pytest.mark.parametrize(
    "annotation, words",
    [
        ("int[2049]", "Array size must not exceed 2048, got 2049"),
        ("int[0]", "Array size must be at least 1, got 0"),
        ("str", "found str"),
        ("int[2][3]", "found int[2][3]"),
        ("list[int]", "found list[int]"),
        ("int[n]", "found int[n]"),
        (str, "found <class 'str'>"),
        (None, "found None"),
    ],
)
def test_a_wrong_field_of_a_tiling_class(annotation, words):
    cls = dataclasses.make_dataclass("T", [("rows", annotation)])
    with pytest.raises(ValueError) as caught:
        tiling_header(cls)
    assert words in str(caught.value) and "field 'rows' of tiling class 'T'" in str(caught.value)


def test_what_is_no_tiling_class():
    for thing in (3, int, DemoKey):
        with pytest.raises(ValueError, match="a tiling class is a @dataclass"):
            tiling_header(thing)
    with pytest.raises(ValueError, match="Tiling class 'T' has no field"):
        tiling_header(dataclasses.make_dataclass("T", []))


# The table.


def test_the_table():
    keys = KeyTable(TilingKeySchema(page_keys.AttentionKey))
    rows = [line.split() for line in str(keys).splitlines() if line.strip()]
    assert rows[1] == ["code", "HasAtten", "BlockM"]
    assert rows[3:] == [["0x0", "0", "64"], ["0x2", "0", "128"], ["0x3", "1", "128"]]
    assert "AttentionKey: 3 valid keys" in str(keys).splitlines()[0]
    assert repr(keys) == "<AttentionKey: 3 valid keys>"


def test_the_table_as_a_sequence():
    keys = KeyTable(TilingKeySchema(page_keys.AttentionKey))
    assert len(keys) == 3
    assert list(keys) == [
        {"HasAtten": 0, "BlockM": 64},
        {"HasAtten": 0, "BlockM": 128},
        {"HasAtten": 1, "BlockM": 128},
    ]
    assert keys[-1] == {"HasAtten": 1, "BlockM": 128}
    assert list(keys[1:]) == list(keys)[1:] and len(keys[5:]) == 0
    assert keys.codes == [0, 2, 3]
    assert [keys.decode(code) for code in keys.codes] == list(keys)
    assert {"HasAtten": 1, "BlockM": 64} not in keys
    with pytest.raises(IndexError):
        keys[3]


def test_the_table_of_the_page():
    keys = KeyTable(TilingKeySchema(page_keys.fa_class(page_keys.by_zip)))
    lines = str(keys).splitlines()
    assert lines[0] == "FaTilingKey: 2 valid keys"
    codes = [line.split()[0] for line in lines if line.strip().startswith("0x")]
    assert codes == [hex(code) for code in page_keys.FA_CODES]


def test_the_title_of_a_narrow_table_is_one_line():
    class NarrowKey:
        A = TilingKeyField(bits=1, values=[0, 1])

    lines = str(KeyTable(TilingKeySchema(NarrowKey))).splitlines()
    assert lines[0] == "NarrowKey: 2 valid keys"
    assert [line.split() for line in lines[-2:]] == [["0x0", "0"], ["0x1", "1"]]


def test_a_long_table_is_cut():
    keys = KeyTable(TilingKeySchema(ManyKey))
    text = str(keys)
    assert "ManyKey: 10,000 valid keys" in text and "9,940 more" in text
    assert len(text.splitlines()) < 70


def test_limits_of_a_table():
    schema = TilingKeySchema(page_keys.AttentionKey)
    with pytest.raises(ValueError, match="above the limit of 2"):
        KeyTable(schema, most_keys=2)
