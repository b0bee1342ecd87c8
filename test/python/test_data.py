# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Movement, parts, elements, other shapes and new tiles: every element type, tiles and whole
arrays, both chips, each stage, and the emitted C++ over the host header, against NumPy."""

# ruff: noqa: E501 (kernels in one line)

import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from ascendc_harness import Library  # noqa: E402
from pypto.runtime import RunConfig  # noqa: E402
from staging import run_stage, stages  # noqa: E402

NUMPY = {
    "FP32": np.float32,
    "FP16": np.float16,
    "BF16": ml_dtypes.bfloat16,
    "INT8": np.int8,
    "UINT8": np.uint8,
    "INT16": np.int16,
    "UINT16": np.uint16,
    "INT32": np.int32,
    "UINT32": np.uint32,
    "INT64": np.int64,
    "BOOL": np.bool_,
}
ALL = tuple(NUMPY)
SOME = ("FP32", "FP16", "INT8", "INT64")


def values(dtype, shape, seed=0):
    """Whatever the type holds: these operations move bits."""
    rng = np.random.default_rng(seed)
    if dtype == "BOOL":
        return rng.integers(0, 2, shape).astype(np.bool_)
    bits = rng.integers(
        0, 256, (*shape[:-1], shape[-1] * np.dtype(NUMPY[dtype]).itemsize), np.uint8
    )
    found = np.ascontiguousarray(bits).view(NUMPY[dtype]).reshape(shape)
    # A NaN may change its bits where a scalar of the program carries it.
    if dtype in ("FP32", "FP16", "BF16"):
        wide = found.astype(np.float32)
        found = np.where(np.isfinite(wide), found, np.array(1, NUMPY[dtype])).astype(NUMPY[dtype])
        found.flat[:4] = np.array([-0.0, np.inf, -np.inf, 0.0]).astype(NUMPY[dtype])
    return found


HEAD = """import pypto.language as pl

@pl.jit.incore
def kernel({parameters}):
{body}
    return out

@pl.jit
def entry({parameters}):
    out = kernel({names})
    return out
"""


class Case:
    """A kernel of arrays `x`, `y`, ... to `out`; `want` is what NumPy makes of them."""

    def __init__(
        self, shapes, out, body, want, dtypes=SOME, out_dtype=None, chips=None, kind="Out"
    ):
        self.shapes, self.out, self.body, self.want = shapes, out, body, want
        self.dtypes, self.out_dtype, self.kind = dtypes, out_dtype, kind
        self.chips = chips or ("a2a3sim", "a5sim")

    def text(self, dtype):
        names = "xyzw"[: len(self.shapes)]
        parameters = [
            f"{name}: pl.Tensor[{list(shape)}, pl.{dtype}]"
            for name, shape in zip(names, self.shapes, strict=True)
        ]
        made = self.out_dtype or dtype
        parameters.append(f"out: pl.{self.kind}[pl.Tensor[{list(self.out)}, pl.{made}]]")
        body = "".join(
            f"    {line}\n" for line in self.body.strip().replace("DT", f"pl.{dtype}").splitlines()
        )
        return HEAD.format(
            parameters=", ".join(parameters), body=body, names=", ".join([*names, "out"])
        )

    def arguments(self, dtype):
        given = [values(dtype, shape, seed) for seed, shape in enumerate(self.shapes)]
        made = self.out_dtype or dtype
        return [*given, values(made, self.out, 9)]


def assembled(x, y):
    made = x.copy()
    made[3:19, 5:37] = y
    return made


def put(x, part, row, col):
    made = x.copy()
    made[row : row + part.shape[0], col : col + part.shape[1]] = part
    return made


def gathered(x, y):
    made = x.copy()
    for i in range(4):
        made[i, 5:37] = y[15 - i * 2]
    return made


def written(x):
    made = x.copy()
    made[1, 2] = x[5, 7]
    for i in range(8):
        made[i, 0] = x[i, 3]
    return made


def padded(x, shape, rows, cols, value):
    made = np.full(shape, value, x.dtype)
    made[:rows, :cols] = x[:rows, :cols]
    return made


WIDE = 64  # columns that are whole blocks of every type
CASES = {
    # Tiles.
    "tile_slice": Case(
        [(24, 96)],
        (8, 32),
        "t = pl.load(x, [0, 0], [24, 96])\ns = pl.tile.slice(t, [8, 32], [16, 32])\npl.store(s, [0, 0], out)",
        lambda x: x[16:24, 32:64],
        ALL,
    ),
    "tile_slice_off_blocks": Case(
        [(24, 96)],
        (8, 32),
        "t = pl.load(x, [0, 0], [24, 96])\ns = pl.slice(t, [8, 32], [3, 5])\npl.store(s, [0, 0], out)",
        lambda x: x[3:11, 5:37],
    ),
    "tile_slice_in_a_loop": Case(
        [(32, 96)],
        (32, 32),
        "t = pl.load(x, [0, 0], [32, 96])\nfor i in pl.range(4):\n    s = t[i * 8:(i + 1) * 8, 64:96]\n"
        "    pl.store(s, [i * 8, 0], out)",
        lambda x: x[:, 64:96],
    ),
    "tile_slice_valid": Case(
        [(24, 96)],
        (24, 96),
        "t = pl.load(x, [0, 0], [24, 96], valid_shape=[20, 90])\n"
        "s = pl.slice(t, [16, 64], [8, 32])\nz = pl.load(x, [0, 0], [24, 96])\n"
        "pl.store(z, [0, 0], out)\npl.store(s, [0, 0], out)",
        lambda x: np.block([[x[8:20, 32:90], x[:12, 58:]], [x[12:]]]),
    ),
    "tile_slice_pad": Case(
        [(24, 96)],
        (16, 64),
        "t = pl.load(x, [0, 0], [24, 96])\n"
        "s = pl.slice(t, [16, 64], [2, 32], valid_shape=[9, 33], pad_value=pl.PadValue.zero)\n"
        "pl.store(s, [0, 0], out)",
        lambda x: padded(x[2:, 32:], (16, 64), 9, 33, 0),
    ),
    "tile_assemble": Case(
        [(24, 96), (16, 32)],
        (24, 96),
        "t = pl.load(x, [0, 0], [24, 96])\ns = pl.load(y, [0, 0], [16, 32])\n"
        "u = pl.tile.assemble(t, s, [3, 5])\npl.store(u, [0, 0], out)",
        assembled,
        ALL,
    ),
    "tile_assemble_keeps": Case(
        [(24, 96), (16, 32)],
        (48, 96),
        "t = pl.load(x, [0, 0], [24, 96])\ns = pl.load(y, [0, 0], [16, 32])\n"
        "u = pl.assemble(t, s, [8, 32])\npl.store(u, [0, 0], out)\npl.store(t, [24, 0], out)",
        lambda x, y: np.vstack([np.block([[x[:8]], [x[8:, :32], y, x[8:, 64:]]]), x]),
    ),
    # Rows from elsewhere.
    "tile_gather_row": Case(
        [(24, 96), (16, 32)],
        (24, 96),
        "t = pl.load(x, [0, 0], [24, 96])\nfor i in pl.range(4):\n"
        "    t = pl.tile.gather_row(t, y, [i, 5], [15 - i * 2, 0], [1, 32])\npl.store(t, [0, 0], out)",
        gathered,
        ALL,
    ),
    "tile_gather_row_at_an_element": Case(
        [(24, 64)],
        (8, 64),
        "t = pl.load(x, [0, 0], [8, 64])\nk = pl.load(x, [8, 0], [8, 64])\n"
        "for i in pl.range(8):\n    at = pl.read(t, [i, 0]) % 24\n"
        "    k = pl.gather_row(k, x, [i, 0], [at, 0], [1, 64])\npl.store(k, [0, 0], out)",
        lambda x: x[x[:8, 0] % 24],
        ("INT32", "INT64"),
    ),
    "tile_gather_row_valid": Case(
        [(24, 96), (16, 32)],
        (24, 96),
        "t = pl.load(x, [0, 0], [24, 96])\n"
        "u = pl.tile.gather_row(t, y, [3, 64], [1, 0], [8, 32], valid_shape=[5, 7])\n"
        "pl.store(u, [0, 0], out)",
        lambda x, y: put(x, y[1:6, :7], 3, 64),
    ),
    "tile_gather_row_transposed": Case(
        [(32, 96), (16, 32)],
        (32, 96),
        "t = pl.load(x, [0, 0], [32, 96])\n"
        "u = pl.gather_row(t, y, [0, 32], [0, 0], [16, 32], True)\npl.store(u, [0, 0], out)",
        lambda x, y: put(x, y.T, 0, 32),
        ("FP32", "FP16", "INT32"),
    ),
    "tensor_gather_row": Case(
        [(24, 96), (16, 32)],
        (24, 96),
        "out = pl.assemble(out, x, [0, 0])\n"
        "out = pl.tensor.gather_row(out, y, [3, 5], [2, 0], [4, 32], valid_shape=[3, 30])",
        lambda x, y: put(x, y[2:5, :30], 3, 5),
    ),
    "tensor_gather_row_transposed": Case(
        [(32, 96), (16, 32)],
        (32, 96),
        "out = pl.assemble(out, x, [0, 0])\n"
        "out = pl.gather_row(out, y, [0, 64], [0, 0], [16, 32], transpose=True)",
        lambda x, y: put(x, y.T, 0, 64),
        ("FP32", "FP16", "INT32"),
    ),
    "tile_create": Case(
        [(24, 32)],
        (24, 64),
        "t = pl.create_tile([24, 64], DT)\ns = pl.load(x, [0, 0], [24, 32])\n"
        "t = pl.assemble(t, s, [0, 32])\nt[:, 0:32] = s\npl.store(t, [0, 0], out)",
        lambda x: np.hstack([x, x]),
    ),
    "tile_concat": Case(
        [(24, 32), (24, 64)],
        (24, 96),
        "a = pl.load(x, [0, 0], [24, 32])\nb = pl.load(y, [0, 0], [24, 64])\n"
        "pl.store(pl.concat(a, b), [0, 0], out)",
        lambda x, y: np.hstack([x, y]),
        ALL,
    ),
    "tile_elements": Case(
        [(16, 32)],
        (16, 32),
        "t = pl.load(x, [0, 0], [16, 32])\nt2 = pl.load(x, [0, 0], [16, 32])\n"
        "pl.write(t, [1, 2], pl.read(t2, [5, 7]))\n"
        "for i in pl.range(8):\n    t[i, 0] = t2[i, 3]\npl.store(t, [0, 0], out)",
        written,
        ALL,
    ),
    "tile_reshape": Case(
        [(16, 96)],
        (48, 32),
        "t = pl.load(x, [0, 0], [16, 96])\npl.store(pl.reshape(t, [48, 32]), [0, 0], out)",
        lambda x: x.reshape(48, 32),
        ALL,
    ),
    "tile_transpose": Case(
        [(64, 32)],
        (32, 64),
        "t = pl.load(x, [0, 0], [64, 32])\npl.store(pl.transpose(t, 0, 1), [0, 0], out)",
        lambda x: x.T,
        ALL,
    ),
    "tile_transpose_valid": Case(
        [(64, 32)],
        (32, 64),
        "z = pl.load(x, [0, 0], [32, 32])\npl.store(z, [0, 0], out)\npl.store(z, [0, 32], out)\n"
        "t = pl.load(x, [0, 0], [64, 32], valid_shape=[33, 7])\npl.store(pl.transpose(t, 1, 0), [0, 0], out)",
        lambda x: np.vstack(
            [np.hstack([x[:33, :7].T, x[:7, 1:32]]), np.hstack([x[7:32], x[7:32]])]
        ),
        ("FP32", "INT8"),
    ),
    "tile_fillpad": Case(
        [(24, 64)],
        (24, 64),
        "t = pl.load(x, [0, 0], [24, 64], valid_shape=[11, 37])\npl.store(pl.fillpad(t), [0, 0], out)",
        lambda x: padded(x, (24, 64), 11, 37, 0),
        tuple(t for t in ALL if t != "BOOL"),
    ),
    "tile_fillpad_expand": Case(
        [(8, 32)],
        (24, 64),
        "t = pl.load(x, [0, 0], [8, 32])\n"
        "pl.store(pl.tile.fillpad_expand(t, [24, 64], pl.PadValue.max), [0, 0], out)",
        lambda x: padded(
            x, (24, 64), 8, 32, np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).max
        ),
        ("FP32", "FP16", "INT32", "INT8"),
    ),
    "tile_reinterpret": Case(
        [(16, 64)],
        (16, 64),
        "t = pl.load(x, [0, 0], [16, 64])\npl.store(pl.reinterpret_view(t, pl.INT32), [0, 0], out)",
        lambda x: x.view(np.int32),
        ("FP32", "UINT32"),
        "INT32",
    ),
    "tile_reinterpret_narrow": Case(
        [(16, 64)],
        (16, 128),
        "t = pl.load(x, [0, 0], [16, 64])\npl.store(pl.reinterpret_view(t, pl.INT16), [0, 0], out)",
        lambda x: x.view(np.int16),
        ("FP32", "INT32"),
        "INT16",
    ),
    "load_clamp": Case(
        [(20, 64)],
        (20, 64),
        "z = pl.load(x, [0, 0], [20, 64])\npl.store(z, [0, 0], out)\n"
        "for i in pl.range(2):\n    t = pl.load(x, [i * 16, 0], [16, 64], clamp=True)\n"
        "    pl.store(t, [i * 16, 0], out)",
        lambda x: x,
    ),
    "store_shapes": Case(
        [(16, 64), (16, 64)],
        (16, 64),
        "pl.store(pl.load(y, [0, 0], [16, 64]), [0, 0], out)\n"
        "t = pl.load(x, [0, 0], [16, 64])\npl.store(t, [2, 0], out, [5, 33])",
        lambda x, y: np.vstack([y[:2], np.hstack([x[:5, :33], y[2:7, 33:]]), y[7:]]),
    ),
    "rank_1": Case(
        [(96,)],
        (96,),
        "t = pl.load(x, [32], [64])\npl.store(t, [0], out)\npl.store(pl.load(x, [0], [32]), [64], out)",
        lambda x: np.hstack([x[32:], x[:32]]),
    ),
    "rank_3": Case(
        [(3, 8, 32)],
        (3, 8, 32),
        "for i in pl.range(3):\n    t = pl.load(x, [i, 0, 0], [1, 8, 32])\n    pl.store(t, [2 - i, 0, 0], out)",
        lambda x: x[::-1],
    ),
    "rank_4": Case(
        [(2, 3, 8, 32)],
        (2, 3, 8, 32),
        "t = pl.load(x, [1, 0, 0, 0], [1, 3, 8, 32])\npl.store(t, [0, 0, 0, 0], out)\n"
        "pl.store(pl.load(x, [0, 2, 0, 0], [1, 1, 8, 32]), [1, 0, 0, 0], out)\n"
        "pl.store(pl.load(x, [0, 0, 0, 0], [1, 2, 8, 32]), [1, 1, 0, 0], out)",
        lambda x: np.stack([x[1], x[0][[2, 0, 1]]]),
    ),
    # Whole arrays.
    "tensor_slice": Case(
        [(24, 100)],
        (9, 33),
        "out[:] = pl.slice(x, [9, 33], [5, 41])",
        lambda x: x[5:14, 41:74],
        ALL,
    ),
    "tensor_slice_of_a_value": Case(
        [(24, 100)],
        (9, 33),
        "a = pl.reshape(x, [25, 96])\nout[:] = a[3:12, 41:74]",
        lambda x: x.reshape(25, 96)[3:12, 41:74],
    ),
    "tensor_slice_rows": Case(
        [(5, 6, 32)],
        (2, 3, 32),
        "out[:] = pl.slice(x, [2, 3, 32], [2, 1, 0])",
        lambda x: x[2:4, 1:4],
    ),
    "tensor_slice_pad": Case(
        [(24, 64)],
        (16, 64),
        "out[:] = pl.tensor.slice(x, [16, 64], [20, 8], [4, 33], pad_value=0)",
        lambda x: padded(x[20:, 8:], (16, 64), 4, 33, 0),
    ),
    "tensor_drop": Case(
        [(4, 8, 32)],
        (8, 32),
        "for i in pl.range(4):\n    out[i * 2:i * 2 + 2, :] = pl.slice(x, [1, 2, 32], [i, 3, 0], drop_dims=[0])",
        lambda x: x[:, 3:5].reshape(8, 32),
    ),
    "tensor_assemble": Case(
        [(24, 96), (16, 32)],
        (24, 96),
        "out = pl.assemble(out, x, [0, 0])\nout = pl.assemble(out, y, [3, 5])",
        assembled,
    ),
    "tensor_assemble_value": Case(
        [(24, 96), (16, 32)],
        (24, 96),
        "a = pl.reshape(x, [12, 192])\nb = pl.reshape(a, [24, 96])\nout[:] = pl.assemble(b, y, [3, 5])",
        assembled,
    ),
    "tensor_row": Case(
        [(8, 32)],
        (8, 32),
        "for i in pl.range(8):\n    out[i, :] = x[7 - i, :]",
        lambda x: x[::-1],
    ),
    "tensor_elements": Case(
        [(8, 32)],
        (8, 16),
        "for i in pl.range(8):\n    for j in pl.range(16):\n        out[i, j] = x[i, j + 7]",
        lambda x: x[:, 7:23],
        ALL,
    ),
    "tensor_concat": Case(
        [(9, 20), (9, 13)],
        (9, 33),
        "out[:] = pl.concat(x, y)",
        lambda x, y: np.hstack([x, y]),
        ALL,
    ),
    "tensor_reshape": Case(
        [(9, 20)],
        (12, 15),
        "a = pl.concat(x, x)\nout[:] = pl.reshape(a[:, 0:20], [12, 15])",
        lambda x: x.reshape(12, 15),
    ),
    "tensor_transpose": Case(
        [(9, 20)], (20, 9), "out[:] = pl.transpose(x, 0, -1)", lambda x: x.T, ALL
    ),
    "tensor_fillpad_expand": Case(
        [(9, 20)],
        (11, 33),
        "out[:] = pl.tensor.fillpad_expand(x, [11, 33], 3)",
        lambda x: padded(x, (11, 33), 9, 20, 3),
    ),
    "tensor_add_into": Case(
        [(9, 20)],
        (9, 20),
        "out = pl.assemble(out, x, [0, 0], atomic=pl.AtomicType.Add)",
        None,
        ("FP32", "INT32", "INT16"),
        kind="InOut",
    ),
    "tile_add_into": Case(
        [(8, 64)],
        (8, 64),
        "pl.store(pl.load(x, [0, 0], [8, 64]), [0, 0], out, atomic=pl.AtomicType.Add)",
        None,
        ("FP32", "INT32", "INT16", "FP16"),
        kind="InOut",
    ),
    # New ones.
    "tile_ci": Case(
        [(1, 64)],
        (1, 64),
        "pl.store(pl.ci(5, [1, 64], DT), [0, 0], out)",
        lambda x: np.arange(5, 69)[None].astype(x.dtype),
        ("INT32", "INT16", "UINT16", "UINT32"),
    ),
    "tensor_ci": Case(
        [(1, 64)],
        (1, 37),
        "out[:] = pl.tensor.ci(5, [1, 37], DT, True)",
        lambda x: (5 - np.arange(37))[None].astype(x.dtype),
        ("INT32", "INT16"),
    ),
    "tile_tri": Case(
        [(16, 64)],
        (16, 64),
        "pl.store(pl.tile.tri(2, [16, 64], None, DT), [0, 0], out)",
        lambda x: np.tri(16, 64, 2).astype(x.dtype),
        ("INT32", "INT8", "FP16", "FP32", "BF16", "UINT16"),
    ),
    "tile_tri_upper": Case(
        [(16, 64)],
        (16, 64),
        "pl.store(pl.tri(-3, [16, 64], dtype=DT, upper=True), [0, 0], out)",
        lambda x: np.triu(np.ones((16, 64)), -3).astype(x.dtype),
        ("INT32", "FP32"),
    ),
    "tile_random": Case(
        [(16, 64)],
        (4, 8),
        "pl.store(pl.tile.random(1, 2, 3, 4, 5, 6, [4, 8]), [0, 0], out)",
        lambda x: philox(32, [1, 2], [3, 4, 5, 6], 10).reshape(4, 8),
        ("UINT32",),
        chips=("a5sim",),
    ),
    "tensor_random": Case(
        [(16, 64)],
        (3, 7),
        "out[:] = pl.tensor.random(0xffffffff, 2, 0xffffffff, 0xffffffff, 5, 6, [3, 7], rounds=7)",
        lambda x: philox(21, [2**32 - 1, 2], [2**32 - 1, 2**32 - 1, 5, 6], 7).reshape(3, 7),
        ("UINT32",),
        chips=("a5sim",),
    ),
}


def philox(count, key, counter, rounds):
    """As Salmon and others state it."""
    mask = 2**32 - 1
    found = []
    start = sum(word << (32 * n) for n, word in enumerate(counter))
    for block in range(-(-count // 4)):
        number, keys = start + block, list(key)
        c = [(number >> (32 * n)) & mask for n in range(4)]
        for _ in range(rounds):
            first, second = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
            c = [
                (second >> 32) ^ c[1] ^ keys[0],
                second & mask,
                (first >> 32) ^ c[3] ^ keys[1],
                first & mask,
            ]
            keys = [(keys[0] + 0x9E3779B9) & mask, (keys[1] + 0xBB67AE85) & mask]
        found += c
    return np.array(found[:count], np.uint32)


def same(got, want):
    return got.dtype == want.dtype and np.array_equal(
        np.ascontiguousarray(got).view(np.uint8), np.ascontiguousarray(want).view(np.uint8)
    )


def wanted(case, arguments):
    if case.want is None:
        with np.errstate(all="ignore"):
            return (arguments[0] + arguments[1]).astype(arguments[1].dtype)
    return np.ascontiguousarray(case.want(*arguments[:-1])).astype(arguments[-1].dtype)


def quiet(case, dtype):
    """Arguments whose sum is exact in any order, where sums are what is wanted."""
    given = case.arguments(dtype)
    if case.want is None and dtype.startswith(("FP", "BF")):
        given = [(np.arange(a.size).reshape(a.shape) % 13 - 6).astype(a.dtype) for a in given]
    return given


@pytest.mark.parametrize(
    "name, platform", [(name, chip) for name, case in CASES.items() for chip in case.chips]
)
def test_every_stage(name, platform, load):
    case = CASES[name]
    for dtype in case.dtypes:
        entry = load(case.text(dtype)).entry
        config = RunConfig(platform=platform)
        want = wanted(case, quiet(case, dtype))
        for stage, module in stages(entry, quiet(case, dtype), config):
            given = quiet(case, dtype)
            run_stage(module, given)
            assert same(given[-1], want), f"{name} {dtype} {stage}\n{given[-1]}\n{want}\n{module}"


@pytest.mark.parametrize("platform", ["a2a3sim", "a5sim"])
def test_as_cpp(platform, load, tmp_path):
    config = RunConfig(platform=platform)
    sources, cases = {}, {}
    for name, case in CASES.items():
        if platform not in case.chips:
            continue
        for dtype in case.dtypes[:3]:
            entry = load(case.text(dtype)).entry
            *_, (_, module) = stages(entry, quiet(case, dtype), config)
            sources[f"{name}_{dtype}"] = module.emit()
            cases[f"{name}_{dtype}"] = (case, dtype)
    library = Library(sources, tmp_path / "host")
    for name, (case, dtype) in cases.items():
        given = quiet(case, dtype)
        want = wanted(case, given)
        reports = library.run(name, "entry", *given)
        text = "\n".join(source for _, source in sources[name])
        assert not reports, f"{name}: {reports[:3]}\n{text}"
        assert same(given[-1], want), f"{name}\n{given[-1]}\n{want}\n{text}"
