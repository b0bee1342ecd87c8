# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The folder that the operator build gets. The kernels of these tests make cheap sources."""

import dataclasses
import json
import pathlib
import time

import page_keys
import pytest
from pypto.language.dtypes import BF16
from pypto_pro.runtime.header import tiling_header, tilingkey_header
from pypto_pro.runtime.launch import DatatypeSchema
from pypto_pro.runtime.opc.pypto_compile import EmittedKey, generate_binary_headers
from pypto_pro.runtime.tilingkey import TilingKeySchema
from test_key_headers import ManyKey


@dataclasses.dataclass
class OpTiling:
    rows: int
    scale: float


class Kernel:
    """What a kernel has to have for a delivery."""

    def __init__(self, cls, tiling_class=None, datatypes=None):
        self.name, self.arch = "attention", "a5"
        self.schema = None if cls is None else TilingKeySchema(cls)
        self.tiling_class, self.datatypes = tiling_class, datatypes
        self.got = None

    def emit_keys(self, keys, dtypes=None):
        self.got = dtypes
        for key in reversed(keys):  # in any order
            packed = self.schema.pack_values(tuple(key.values()))
            symbol = f"attention_{packed:x}"
            yield EmittedKey(key, packed, symbol, f"{symbol}.cpp", f"// {key}\n")


def delivered(kernel, **arguments):
    folder = pathlib.Path(generate_binary_headers(kernel, **arguments))
    manifest = json.loads((folder / "attention_manifest.json").read_text())
    return folder, manifest


def test_what_is_delivered():
    kernel = Kernel(page_keys.AttentionKey, OpTiling)
    folder, manifest = delivered(kernel)
    assert generate_binary_headers(kernel) == "./build/attention__a5/binary"
    codes = ["0x0", "0x2", "0x3"]
    files = [f"attention_{code[2:]}.cpp" for code in codes]
    headers = ["AttentionKey_tilingkey.h", "OpTiling_tiling.h"]
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        [*files, *headers, "attention_manifest.json"]
    )
    assert (folder / headers[0]).read_text() == tilingkey_header(kernel.schema, "attention")
    assert (folder / headers[1]).read_text() == tiling_header(OpTiling)
    assert (folder / files[1]).read_text() == "// {'HasAtten': 0, 'BlockM': 128}\n"
    assert manifest == {
        "kernel": "attention",
        "arch": "a5",
        "headers": headers,
        "tiling_key": {
            "class": "AttentionKey",
            "bits": 9,
            "fields": [
                {"name": "HasAtten", "bits": 1, "offset": 0, "values": [0, 1]},
                {"name": "BlockM", "bits": 8, "offset": 1, "values": [64, 128]},
            ],
        },
        "tiling_class": "OpTiling",
        "dtypes": {},
        "keys": [
            {"key": key, "packed": code, "symbol": file[:-4], "file": file}
            for key, code, file in zip(
                [
                    {"HasAtten": 0, "BlockM": 64},
                    {"HasAtten": 0, "BlockM": 128},
                    {"HasAtten": 1, "BlockM": 128},
                ],
                codes,
                files,
                strict=True,
            )
        ],
    }


def test_no_tiling_class_is_needed():
    folder, manifest = delivered(Kernel(page_keys.MaskKey))
    assert manifest["tiling_class"] is None and manifest["headers"] == ["MaskKey_tilingkey.h"]
    assert len(manifest["keys"]) == 2


def test_dtypes():
    types = DatatypeSchema({"q": "T", "out": "U"})
    kernel = Kernel(page_keys.MaskKey, datatypes=types)
    assert delivered(kernel)[1]["dtypes"] == {"T": "FP16", "U": "FP16"}
    _, manifest = delivered(kernel, dtypes={"q": BF16, "out": BF16})
    assert manifest["dtypes"] == {"T": "BF16", "U": "BF16"}
    assert kernel.got == {"T": BF16, "U": BF16}
    with pytest.raises(ValueError, match="do not match schema params"):
        delivered(kernel, dtypes={"q": BF16})
    with pytest.raises(ValueError, match="this kernel has no datatype schema"):
        delivered(Kernel(page_keys.MaskKey), dtypes={"q": BF16})


def test_the_build_folder_of_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("PYPTO_PROG_BUILD_DIR", str(tmp_path / "there"))
    folder, _ = delivered(Kernel(page_keys.MaskKey))
    assert folder == tmp_path / "there" / "attention__a5" / "binary"


@pytest.mark.parametrize("thing", [3, None, lambda x: x, Kernel, page_keys.MaskKey])
def test_no_kernel(thing):
    with pytest.raises(TypeError) as caught:
        generate_binary_headers(thing)
    assert "generate_binary_headers() expects a @pl.jit kernel" in str(caught.value)


def test_no_tiling_key():
    with pytest.raises(ValueError) as caught:
        generate_binary_headers(Kernel(None))
    assert (
        "generate_binary_headers() requires a tiling_key schema, but kernel 'attention' has none; "
        "binary delivery needs a tilingkey header"
    ) in str(caught.value)


def test_nothing_valid():
    cls = page_keys.fa_class(lambda self, key: False)
    with pytest.raises(ValueError) as caught:
        generate_binary_headers(Kernel(cls))
    words = "tiling_key schema 'FaTilingKey' has no valid tilingkey combination"
    assert words in str(caught.value)


def test_limits():
    with pytest.raises(ValueError, match="has 2 valid keys or more, above the limit of 1"):
        generate_binary_headers(Kernel(page_keys.MaskKey), most_keys=1)


def test_a_second_delivery_leaves_nothing_of_the_first():
    folder, _ = delivered(Kernel(page_keys.AttentionKey, OpTiling))
    (folder / "mine.txt").write_text("kept")

    class AttentionKey(page_keys.AttentionKey):
        HasAtten = page_keys.AttentionKey.HasAtten
        BlockM = page_keys.AttentionKey.BlockM

        def is_valid(self, key):
            return key == (1, 128)

    delivered(Kernel(AttentionKey))
    assert sorted(path.name for path in folder.iterdir()) == [
        "AttentionKey_tilingkey.h",
        "attention_3.cpp",
        "attention_manifest.json",
        "mine.txt",
    ]


class Broken(Kernel):
    def __init__(self, change):
        super().__init__(page_keys.AttentionKey)
        self.change = change

    def emit_keys(self, keys, dtypes=None):
        return self.change(list(super().emit_keys(keys)))


WRONG = {
    "one missing": (lambda made: made[1:], "1 of 3 keys have no source"),
    "none": (lambda made: [], "3 of 3 keys have no source, the first is {'HasAtten': 0, 'Bl"),
    "one twice": (lambda made: [*made, made[0]], "made twice or not asked for"),
    "another": (lambda made: [made[0]._replace(packed=1)], "made twice or not asked for"),
    "mixed up": (lambda made: [made[0]._replace(packed=0)], "made twice or not asked for"),
    "one file": (lambda made: [m._replace(file="a.cpp") for m in made], "is no file name of its"),
    "a path": (lambda made: [made[0]._replace(file="../a.cpp")], "'../a.cpp' is no file name"),
    "a header": (
        lambda made: [made[0]._replace(file="AttentionKey_tilingkey.h")],
        "is no file name of its own",
    ),
}


@pytest.mark.parametrize("change, words", WRONG.values(), ids=WRONG)
def test_a_delivery_that_fails_changes_nothing(change, words):
    folder, before = delivered(Kernel(page_keys.AttentionKey, OpTiling))
    files = sorted(path.name for path in folder.iterdir())
    with pytest.raises(RuntimeError) as caught:
        generate_binary_headers(Broken(change))
    assert "Failed to generate code for kernel 'attention'" in str(caught.value)
    assert words in str(caught.value)
    assert sorted(path.name for path in folder.iterdir()) == files
    assert json.loads((folder / "attention_manifest.json").read_text()) == before
    assert [path.name for path in folder.parent.iterdir()] == ["binary"]


def test_ten_thousand_keys(tmp_path):
    """Under two seconds of processor time besides what so many files cost on this machine."""
    (tmp_path / "plain").mkdir()
    begin = time.process_time()
    for number in range(10_000):
        (tmp_path / "plain" / f"{number}.cpp").write_bytes(b"// a source\n")
    middle = time.process_time()
    folder, manifest = delivered(Kernel(ManyKey))
    assert time.process_time() - middle < 2 + (middle - begin)
    assert len(manifest["keys"]) == 10_000
    assert len(list(folder.glob("*.cpp"))) == 10_000
