"""The host AscendC header: right kernels give right numbers, wrong ones their own report."""

import ctypes
import json
import re
import subprocess
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent
FLAGS = ["-std=c++17", "-O0", "-fPIC", "-Wall", "-Wextra", "-Werror", "-DASCENDC_CPU_DEBUG"]
# Libraries of two chips in one process share nothing.
FLAGS.append("-fno-gnu-unique")
BF16 = ml_dtypes.bfloat16


def compile_many(jobs):
    """Runs compiler command lines, two at a time."""
    for pair in (jobs[i : i + 2] for i in range(0, len(jobs), 2)):
        running = [subprocess.Popen(j, stderr=subprocess.PIPE, text=True) for j in pair]
        for job, process in zip(pair, running, strict=True):
            _, err = process.communicate()
            assert process.returncode == 0, " ".join(job) + "\n" + err


class Host:
    """A shared library of kernels with its machine, and the arrays it may touch."""

    def __init__(self, path):
        self.lib = ctypes.CDLL(str(path))
        self.lib.ascendc_host_take_reports.restype = ctypes.c_char_p
        self.lib.ascendc_host_take_printed.restype = ctypes.c_char_p
        self.lib.ascendc_host_register.argtypes = [
            ctypes.c_void_p,
            ctypes.c_uint64,
            ctypes.c_char_p,
            ctypes.c_int,
            ctypes.c_int,
        ]

    def reports(self):
        return self.lib.ascendc_host_take_reports().decode().splitlines()

    def printed(self):
        return self.lib.ascendc_host_take_printed().decode()

    def run(self, name, *args, uninit=()):
        """Numpy arrays become GM regions; uninit: positions of those no one has written."""
        self.lib.ascendc_host_reset()
        values = []
        for i, a in enumerate(args):
            if isinstance(a, np.ndarray):
                self.lib.ascendc_host_register(
                    a.ctypes.data, a.nbytes, f"arg{i}".encode(), 1, int(i not in uninit)
                )
                values.append(ctypes.c_void_p(a.ctypes.data))
            else:
                values.append(a)
        return getattr(self.lib, name)(*values)

    def run_clean(self, name, *args, **kw):
        self.run(name, *args, **kw)
        assert self.reports() == []


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    out = tmp_path_factory.mktemp("host")
    host = [ROOT / "ascendc_host.cpp"]
    jobs, objects = [], {}
    for chip, arch, names in (("910b", "2201", ("right_*", "wrong_*")), ("950", "3510", ("a5_*",))):
        sources = host + [s for name in names for s in sorted(HERE.glob(name + ".cpp"))]
        for s in sources:
            if s.stem == "a5_not_compiled":
                continue
            o = objects[chip, s.stem] = out / f"{chip}_{s.stem}.o"
            command = ["g++", *FLAGS, f"-D__NPU_ARCH__={arch}", f"-I{ROOT}"]
            jobs.append([*command, "-c", str(s), "-o", str(o)])
    compile_many(jobs)
    link = lambda name, chip, stem: [
        *("g++", "-shared", "-o", str(out / name)),
        *(str(o) for (c, s), o in objects.items() if c == chip and s.startswith(("ascendc", stem))),
    ]
    compile_many([link("right.so", "910b", "right_"), link("wrong.so", "910b", "wrong_")])
    compile_many([link("a5_right.so", "950", "a5_right"), link("a5_wrong.so", "950", "a5_wrong")])
    return out


@pytest.fixture
def host(built):
    return Host(built / "right.so")


def rng():
    return np.random.default_rng(7)


def aligned(n, dtype):
    """Zeros on a 64 B boundary, as device memory is; NumPy promises 16."""
    raw = np.zeros(n * np.dtype(dtype).itemsize + 64, np.uint8)
    at = -raw.ctypes.data % 64
    return raw[at : at + n * np.dtype(dtype).itemsize].view(dtype)


def same(a, b):
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    assert a.dtype == b.dtype and a.shape == b.shape
    bits = f"u{a.itemsize}"
    bad = np.flatnonzero(a.view(bits).ravel() != b.view(bits).ravel())
    assert bad.size == 0, (bad[:5], a.ravel()[bad[:5]], b.ravel()[bad[:5]])


def tree_sum(x):
    """Adjacent pairs, then pairs of pairs, in x's type; the last axis is a power of two."""
    while x.shape[-1] > 1:
        x = x[..., 0::2] + x[..., 1::2]
    return x[..., 0]


# ---- right kernels -----------------------------------------------------------------------------
@pytest.mark.parametrize("n", [1, 7, 64, 333, 1001])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_elementwise(host, n, dtype):
    x = rng().normal(size=3 * n).astype(dtype)
    y = rng().normal(size=3 * n).astype(dtype)
    z = np.zeros_like(x)
    host.run_clean(
        "run_elementwise_f32" if dtype == np.float32 else "run_elementwise_f16",
        x,
        y,
        z,
        n,
        uninit=(2,),
    )
    same(z, np.maximum(x * y + x, y) * dtype(0.5))


def test_softmax(host):
    x = rng().normal(size=(16, 64)).astype(np.float32)
    y = np.zeros_like(x)
    host.run_clean("run_softmax", x, y, 16, uninit=(1,))
    e = np.exp((x - x.max(axis=1, keepdims=True)).astype(np.float64)).astype(np.float32)
    same(y, e / tree_sum(e)[:, None])


def test_double_buffer(host):
    x = rng().normal(size=9 * 256).astype(np.float32)
    y = np.zeros_like(x)
    host.run_clean("run_double_buffer", x, y, 9, uninit=(1,))
    same(y, x * np.float32(3))


MODES = {1: np.rint, 2: np.floor, 3: np.ceil, 4: None, 5: np.trunc}


def rounded(x, mode):
    x = x.astype(np.float64)
    if mode == 4:
        return np.copysign(np.floor(np.abs(x) + 0.5), x)
    return (MODES.get(mode) or np.rint)(x)


INTERESTING = [
    0.0,
    -0.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    0.49999997,
    127.5,
    128.5,
    -128.5,
    255.5,
    32767.5,
    -32769.0,
    3e9,
    -3e9,
    1e20,
    -1e20,
    np.inf,
    -np.inf,
    np.nan,
    65519.0,
    65520.0,
    1e-8,
    6e-8,
    -6e-8,
    1 + 2**-11,
    1 + 3 * 2**-11,
    2048.5,
    1.00390625,
    3.0e38,
]


@pytest.mark.parametrize("mode", [1, 2, 3, 4, 5])
@pytest.mark.parametrize(
    "src,dst",
    [
        ("float", "int16_t"),
        ("float", "int32_t"),
        ("float", "int64_t"),
        ("half", "int8_t"),
        ("half", "uint8_t"),
        ("half", "int32_t"),
        ("bfloat16_t", "int32_t"),
        ("float", "float"),
    ],
)
def test_cast_to_integers(host, src, dst, mode):
    types = {"float": np.float32, "half": np.float16, "bfloat16_t": BF16}
    with np.errstate(all="ignore"):
        x = np.array(INTERESTING + list(rng().normal(size=200) * 100)).astype(types[src])
    if dst == "float":
        want = rounded(x, mode).astype(np.float32)
        y = np.zeros_like(want)
    else:
        t = np.dtype(dst[:-2])
        info = np.iinfo(t)
        want = [
            0 if np.isnan(v) else info.max if v > info.max else info.min if v < info.min else int(v)
            for v in rounded(x, mode)
        ]
        want = np.array([min(max(w, info.min), info.max) for w in want], dtype=t)
        y = np.zeros(len(x), t)
    host.run_clean(f"run_cast_{src}_{dst}", x, y, len(x), mode)
    if dst == "float":
        assert np.array_equal(y, want, equal_nan=True)
    else:
        same(y, want)


def test_cast_float_to_16_bits(host):
    with np.errstate(all="ignore"):
        x = np.concatenate(
            [np.array(INTERESTING), rng().normal(size=500) * 1e-6, rng().normal(size=500) * 1e3]
        ).astype(np.float32)
    for name, t in (("half", np.float16), ("bfloat16_t", BF16)):
        y = np.zeros(len(x), t)
        host.run_clean(f"run_cast_float_{name}", x, y, len(x), 1)
        with np.errstate(all="ignore"):
            want = x.astype(t)
        keep = ~np.isnan(x)
        same(y[keep], want[keep])
        assert np.isnan(y[~keep].astype(np.float32)).all()
        finite = np.abs(x.astype(np.float64)) < 60000
        exact, near = x.astype(np.float64)[finite], want[finite]
        up, down = np.nextafter(near, t(np.inf)), np.nextafter(near, t(-np.inf))
        floor = np.where(near.astype(np.float64) <= exact, near, down).astype(np.float64)
        ceil = np.where(near.astype(np.float64) >= exact, near, up).astype(np.float64)
        for mode, oracle in ((2, floor), (3, ceil), (5, np.where(exact < 0, ceil, floor))):
            host.run_clean(f"run_cast_float_{name}", x, y, len(x), mode)
            assert np.array_equal(y.astype(np.float64)[finite], oracle)


def test_other_casts(host):
    i = np.array([0, 1, -1, 2**24 + 1, 2**31 - 1, -(2**31), 70000, -70000, 65520], np.int32)
    y = np.zeros(len(i), np.float32)
    host.run_clean("run_cast_int32_t_float", i, y, len(i), 1)
    same(y, i.astype(np.float32))
    s = np.zeros(len(i), np.int16)
    host.run_clean("run_cast_int32_t_int16_t", i, s, len(i), 0)
    same(s, np.clip(i, -32768, 32767).astype(np.int16))
    h = np.zeros(len(i), np.float16)
    host.run_clean("run_cast_int32_t_half", i, h, len(i), 0)
    with np.errstate(all="ignore"):
        same(h, i.astype(np.float64).astype(np.float16))
    q = np.array([2**53 + 1, 2**62 + 2**38 + 1, -(2**62 + 2**38 + 1), 5, 2**40], np.int64)
    f = np.zeros(len(q), np.float32)
    host.run_clean("run_cast_int64_t_float", q, f, len(q), 1)
    same(f, q.astype(np.float32))
    n = np.zeros(len(q), np.int32)
    host.run_clean("run_cast_int64_t_int32_t", q, n, len(q), 0)
    same(n, np.clip(q, -(2**31), 2**31 - 1).astype(np.int32))


def test_cast_mode_is_checked(host):
    x, y = np.zeros(64, np.float16), np.zeros(64, np.float32)
    host.run("run_cast_half_float", x, y, 64, 1)
    assert "round mode CAST_RINT does not exist for half -> float" in host.reports()[0]


def test_rearrange(host):
    x = rng().permutation(256).astype(np.float32) / 256
    idx = (rng().permutation(256) * 4).astype(np.uint32)
    y, kept = np.zeros(1536, np.float32), np.zeros(1, np.uint64)
    host.run_clean("run_rearrange", x, y, idx, kept, uninit=(1,))
    same(y[:256], np.where(x > 0.5, x, -x))
    same(y[256:512], x[idx // 4])
    same(y[512:640], x[0::2])
    same(y[640:768], np.full(128, 7, np.float32))
    order = np.argsort(-x, kind="stable")
    same(y[768:1024], x[order])
    same(y[1024:1280].view(np.uint32), idx[order])
    same(y[1280:1408].view(np.uint16).reshape(16, 16), x[:128].view(np.uint16).reshape(16, 16).T)
    same(y[1408:1536].reshape(8, 16), x[:128].reshape(16, 8).T)
    assert kept[0] == 256


def test_reductions(host):
    x = rng().normal(size=(20, 64)).astype(np.float32)
    y = np.zeros(256, np.float32)
    host.run_clean("run_reductions", x, y, 20, uninit=(1,))
    acc = np.zeros(64, np.float32)
    for row in x:
        acc = row + acc
    same(y[:64], acc)
    assert y[64] == x[0, :40].max() and y[128] == x[0, :40].argmax() and y[129] == acc[0] + 1
    masked = x[0].copy()
    masked[61:] = 0  # an absent lane and +0 add the same here
    same(y[72:80], tree_sum(masked.reshape(8, 8)))
    same(y[80:112], x[0, 0::2] + x[0, 1::2])
    assert host.printed() == f"row max at {x[0, :40].argmax()}\n"


def test_scalars_and_printing(host):
    x = np.arange(3, 19, dtype=np.int32)
    host.run_clean("run_scalars", x)
    first = f"9.000000 1.000000 2 {float(BF16(1.01)):f}\n"
    assert host.printed() == "".join(first + f"8 7 on {b} of 2\n" for b in range(2))


def test_reports_do_not_drown(host):
    x, y = np.zeros(256 * 200, np.float32), np.zeros(256 * 200 - 1, np.float32)
    host.run("run_double_buffer", x, y, 200)
    assert len(host.reports()) == 1
    host.run("run_atomics", np.zeros(64 * 300, np.int32), y, 300, uninit=(0,))
    reports = host.reports()
    assert len(reports) == 101 and reports[-1].endswith("further report(s) are left out")


@pytest.mark.parametrize("reverse", [0, 1])
def test_across_cores(host, reverse):
    x = rng().integers(-1000, 1000, (6, 64)).astype(np.int32)
    y = np.arange(64, dtype=np.int32)
    want = y + x.sum(axis=0, dtype=np.int32)
    host.run_clean("run_atomics", x, y, 6)
    same(y, want)
    ws, z = np.zeros_like(x), np.zeros_like(x)
    flags = aligned(6 * 16, np.int32)  # a cache line a core
    host.lib.ascendc_host_reset()
    host.lib.ascendc_host_reverse_cores(reverse)
    for a, init in ((x, 1), (ws, 0), (z, 0), (flags, 0)):
        host.lib.ascendc_host_register(a.ctypes.data, a.nbytes, b"g", 1, init)
    p = lambda a: ctypes.c_void_p(a.ctypes.data)
    host.lib.run_neighbours(p(x), p(ws), p(z), p(flags), 6)
    assert host.reports() == []
    same(z, np.roll(x, -1, axis=0))
    same(flags.reshape(6, 16)[:, 0], np.arange(1, 7, dtype=np.int32))


def products(a, b):
    """k in increasing order, in FP32."""
    acc = np.zeros((a.shape[0], b.shape[1]), np.float32)
    for k in range(a.shape[1]):
        acc = acc + a[:, k : k + 1].astype(np.float32) * b[k : k + 1].astype(np.float32)
    return acc


@pytest.mark.parametrize("k_step", [16, 48])
def test_matmul_16_bits(host, k_step):
    a, b = rng().normal(size=(32, 96)), rng().normal(size=(96, 64))
    x, y, c = a.astype(np.float16), b.astype(np.float16), np.zeros((32, 64), np.float16)
    host.run_clean("run_matmul_f16", x, y, c, 32, 64, 96, k_step, uninit=(2,))
    same(c, products(x, y).astype(np.float16))
    x, y, c = a.astype(BF16), b.astype(BF16), np.zeros((32, 64), np.float32)
    host.run_clean("run_matmul_bf16", x, y, c, 32, 64, 96, k_step, uninit=(2,))
    same(c, products(x, y))


def test_matmul_int8_with_bias_and_odd_sizes(host):
    m, n, k = 21, 61, 75
    a = rng().integers(-128, 128, (m, k)).astype(np.int8)
    b = rng().integers(-128, 128, (k, n)).astype(np.int8)
    bias = rng().integers(-1000, 1000, 64).astype(np.int32)
    c = np.zeros((m, n), np.int32)
    host.run_clean("run_matmul_int8", a, b, bias, c, m, n, k, uninit=(3,))
    same(c, a.astype(np.int32) @ b.astype(np.int32) + bias[:n])


def test_matmul_float(host):
    a, b = rng().normal(size=(16, 16)).astype(np.float32), rng().normal(size=(16, 32)).astype("f4")
    c = np.zeros((16, 32), np.float32)
    host.run_clean("run_matmul_f32", a, b, c, uninit=(2,))
    same(c, products(a, b))


def test_layout_bytes(host):
    m, n, k = 32, 48, 64
    a, b = rng().normal(size=(m, k)).astype(np.float16), rng().normal(size=(k, n)).astype("f2")
    c, out = np.zeros((m, n), np.float32), np.zeros(26624, np.uint8)
    host.run_clean("run_layouts", a, b, c, out)
    part = lambda at, count, t: out[at : at + count * np.dtype(t).itemsize].view(t)
    # NZ: [col block][row][col in block]; ZZ and ZN: blocks row by row.
    nz = lambda x: x.reshape(x.shape[0], -1, 16).transpose(1, 0, 2).ravel()
    same(part(0, m * k, "f2"), nz(a))
    same(part(4096, k * n, "f2"), nz(b))
    same(
        part(10240, m * k, "f2"), a.reshape(m // 16, 16, k // 16, 16).transpose(0, 2, 1, 3).ravel()
    )
    same(
        part(14336, k * n, "f2"), b.reshape(k // 16, 16, n // 16, 16).transpose(0, 2, 3, 1).ravel()
    )
    same(part(20480, m * n, "f4"), nz(products(a, b)))


def test_result_in_l1_is_used_again(host):
    a, b = rng().normal(size=(16, 16)).astype("f2"), rng().normal(size=(16, 16)).astype("f2")
    c = np.zeros((16, 16), np.float32)
    host.run_clean("run_chained", a, b, c, uninit=(2,))
    same(c, products(np.maximum(products(a, b), 0).astype(np.float16), b))


@pytest.mark.parametrize("reverse", [0, 1])
def test_mixed_cores(host, reverse):
    blocks, tiles = 3, 4
    a = rng().normal(size=(blocks * tiles, 32, 32)).astype(np.float16)
    b = rng().normal(size=(32, 32)).astype(np.float16)
    ws, c = np.zeros((blocks, 32, 32), np.float32), np.zeros((blocks * tiles, 32, 32), np.float32)
    host.lib.ascendc_host_reset()
    host.lib.ascendc_host_reverse_cores(reverse)
    for x, init in ((a, 1), (b, 1), (ws, 0), (c, 0)):
        host.lib.ascendc_host_register(x.ctypes.data, x.nbytes, b"g", 1, init)
    host.lib.run_mixed(*[ctypes.c_void_p(x.ctypes.data) for x in (a, b, ws, c)], tiles, blocks)
    assert host.reports() == []
    for t in range(blocks * tiles):
        same(c[t], products(a[t], b) + np.float32(1))


def once(fn):
    """A function of doubles, rounded once into the inputs' type."""
    return lambda x, *_: fn(x.astype(np.float64)).astype(x.dtype)


def fma(a, b, c):
    """Half: exact in double's 53 bits for these inputs, to float, then to half."""
    if a.dtype == np.float16:
        wide = a.astype(np.float64) * b.astype(np.float64) + c.astype(np.float64)
        return wide.astype(np.float32).astype(np.float16)
    wide = a.astype(np.longdouble) * b.astype(np.longdouble) + c.astype(np.longdouble)
    return wide.astype(np.float32)


def relu(x):
    return np.where((x > 0) | np.isnan(x), x, x.dtype.type(0))  # a NaN goes through


THREE = lambda x: x.dtype.type(3)
ZOO = [
    lambda x, y, z: x + y,
    lambda x, y, z: x - y,
    lambda x, y, z: x * y,
    lambda x, y, z: np.maximum(x, y),
    lambda x, y, z: np.minimum(x, y),
    lambda x, y, z: x + THREE(x),
    lambda x, y, z: x * THREE(x),
    lambda x, y, z: np.maximum(x, THREE(x)),
    lambda x, y, z: np.minimum(x, THREE(x)),
    lambda x, y, z: x / y,
    once(np.exp),
    once(np.log),
    once(np.sqrt),
    once(lambda x: 1 / np.sqrt(x)),
    once(lambda x: 1 / x),
    once(np.abs),
    lambda x, y, z: relu(x),
    lambda x, y, z: np.where(x >= 0, x, x * x.dtype.type(0.25)),
    lambda x, y, z: fma(x, np.full_like(x, 3), z),
    lambda x, y, z: fma(x, y, z),
    lambda x, y, z: fma(x, z, y),
    lambda x, y, z: relu(x + y),
    lambda x, y, z: relu(x - y),
    lambda x, y, z: relu(fma(x, z, y)),
    lambda x, y, z: ~x,
    lambda x, y, z: x & y,
    lambda x, y, z: x | y,
    lambda x, y, z: (x << THREE(x)) & np.iinfo(x.dtype).max | x & np.iinfo(x.dtype).min,
    lambda x, y, z: x >> THREE(x),
]


@pytest.mark.parametrize("form", [0, 1, 2])
@pytest.mark.parametrize(
    "dtype,ops",
    [
        (np.float32, [*range(24)]),
        (np.float16, [*range(24)]),
        (np.int32, [*range(9), 27, 28]),
        (np.int16, [*range(9), 24, 25, 26, 27, 28]),
    ],
)
def test_every_elementwise_call(host, dtype, ops, form):
    if dtype in (np.float32, np.float16):
        x, y, z0 = (rng().normal(size=(3, 256)) * 2).astype(dtype)
        x[:4] = [0.0, -0.0, np.inf, np.nan]
    else:
        info = np.iinfo(dtype)
        x, y, z0 = rng().integers(info.min, info.max, (3, 256), endpoint=True).astype(dtype)
    lanes = 256 // np.dtype(dtype).itemsize
    at = np.arange(256)
    active = [at < 200, at % lanes < lanes - 3, at % 2 == 0][form]
    for op in ops:
        z = z0.copy()
        host.run_clean(f"run_zoo_{np.dtype(dtype).name}", op, form, x, y, z)
        with np.errstate(all="ignore"):
            want = np.where(active, ZOO[op](x, y, z0), z0)
        nan = np.isnan(want.astype(np.float64))
        assert np.array_equal(np.isnan(z.astype(np.float64)), nan), op
        same(z[~nan], want[~nan])


def test_mask_register(host):
    x, z = rng().normal(size=256).astype(np.float32), np.zeros(256, np.float32)
    host.run_clean("run_mask_register", x, z, uninit=(1,))
    want = np.zeros(256, np.float32)
    want[:100] = x[:100] + np.float32(1)
    for lane in (1, 3, 65, 67):
        want[128 + lane] = x[lane] * 2
    same(z, want)


def test_pads(host):
    x = np.arange(27).astype(np.float16)
    y, z = np.zeros((3, 8), np.float16), np.full(21, -5, np.float16)
    host.run_clean("run_pads", x, y, z, uninit=(1,))
    rows = x.reshape(3, 9)[:, :5]
    same(y, np.concatenate([np.full((3, 1), -1), rows, np.full((3, 2), -1)], 1).astype(np.float16))
    want = np.full((3, 7), -5, np.float16)
    want[:, :5] = rows
    want.ravel()[5:7] = rows[1, :2]
    same(z, want.ravel())


def test_blocks(host):
    x, y = rng().normal(size=128).astype(np.float32), np.zeros(256, np.float32)
    idx = (rng().integers(0, 16, 16) * 32).astype(np.uint32)
    host.run_clean("run_blocks", x, idx, y, uninit=(2,))
    b = x.reshape(16, 8)
    want = np.zeros((32, 8), np.float32)
    want[:8] = b[[0, 1, 4, 5, 8, 9, 12, 13]]
    want[8:16:2] = b[1::4]
    want[16:] = b[idx // 32]
    same(y, want.ravel())


def test_cube_variants(host):
    a, b = rng().normal(size=(16, 16)).astype("f2"), rng().normal(size=(16, 32)).astype("f2")
    gemv, nz, split = np.zeros(32, "f4"), aligned(512, "f4"), aligned(512, "f4")
    q8, deq = np.zeros((16, 32), np.uint8), np.zeros((8, 8), np.float16)
    bias = np.arange(-8, 8).astype(np.int32) * 3
    host.run_clean(
        "run_cube_variants", a, b, gemv, nz, split, q8, bias, deq, uninit=(2, 3, 4, 5, 7)
    )
    c = products(a, b)
    same(gemv, c[0])
    same(nz, c.reshape(16, 2, 16).transpose(1, 0, 2).ravel())
    same(split, c.reshape(16, 4, 8).transpose(1, 0, 2).ravel())
    same(q8, np.clip(np.rint(c * np.float32(4)), 0, 255).astype(np.uint8))
    same(deq, np.tile((bias[:8] * 0.5).astype(np.float16), (8, 1)))


def test_orchestration(host):
    a, b = rng().normal(size=(32, 32)).astype("f2"), rng().normal(size=(32, 32)).astype("f2")
    c = np.zeros((32, 32), np.float16)
    p = lambda x: ctypes.c_void_p(x.ctypes.data)
    host.lib.ascendc_host_reset()
    assert host.lib.run_orchestrated(p(a), p(b), p(c), 32, 32, 32) == 0
    assert host.reports() == []
    same(c, products(a, b).astype(np.float16))
    host.lib.run_orchestrated_wrong(p(c))
    text = "\n".join(host.reports())
    for want in (
        "device bytes to the host that were never written",
        "64 bytes into a destination of 32",
        "an event is given where the stream belongs",
        "the event was never recorded",
        "the event is recorded by a stream that has not come so far",
        "aclrtDestroyStream: the stream has 2 thing(s) to do",
        "1 device allocation(s) were not freed",
        "1 stream(s) were not destroyed",
        "1 event(s) were not destroyed",
    ):
        assert want in text
    host.lib.ascendc_host_reset()


@pytest.mark.parametrize("ordered", [0, 1])
def test_streams_run_in_any_order_that_events_allow(host, ordered):
    first, second, c = (np.full(16, value, np.float32) for value in (1, 2, 0))
    p = lambda x: ctypes.c_void_p(x.ctypes.data)
    found = set()
    for seed in range(12):
        host.lib.ascendc_host_reset()
        assert not host.lib.run_two_streams(
            p(first), p(second), p(c), ctypes.c_uint64(seed), ordered
        )
        assert host.reports() == []
        found.add(c[0])
    assert found == ({2} if ordered else {1, 2})


# ---- wrong kernels -----------------------------------------------------------------------------
WRONG = [
    m
    for f in [*sorted(HERE.glob("wrong_*.cpp")), HERE / "a5_wrong.cpp"]
    for m in re.findall(r"^WRONG(?:_BARE)?\((\w+),", f.read_text(), re.MULTILINE)
]


@pytest.fixture(scope="session")
def verdicts(built):
    found = {}
    for name in ("wrong.so", "a5_wrong.so"):
        lib = ctypes.CDLL(str(built / name))
        lib.run_wrong_kernels.restype = ctypes.c_char_p
        found |= json.loads(lib.run_wrong_kernels().decode())
    return found


@pytest.mark.parametrize("name", WRONG)
def test_wrong_kernel_is_refused(verdicts, name):
    v = verdicts[name]
    assert v["reports"], f"nothing was reported, expected: {v['expected']}"
    assert v["expected"] in v["reports"][0], v["reports"]
    # one fault, one reason: everything reported is about it
    assert all(v["expected"] in r for r in v["reports"]), v["reports"]


def test_enough_wrong_kernels():
    assert len(WRONG) >= 30 and len(set(WRONG)) == len(WRONG)


# ---- what must not compile ---------------------------------------------------------------------
NOT_COMPILED = {"2201": HERE / "not_compiled.cpp", "3510": HERE / "a5_not_compiled.cpp"}
CASES = [
    (arch, *case)
    for arch, file in NOT_COMPILED.items()
    for case in re.findall(r"^CASE\((\w+),.*?// expect: (.*?)$", file.read_text(), re.MULTILINE)
]


def diagnostics_of(arch):
    file = str(NOT_COMPILED[arch])
    command = ["g++", "-fsyntax-only", "-fno-diagnostics-show-caret", *FLAGS, f"-I{ROOT}"]
    command.append(f"-D__NPU_ARCH__={arch}")
    clean = subprocess.run(
        [*command, "-DNO_CASES", file], capture_output=True, text=True, check=False
    )
    assert clean.returncode == 0, clean.stderr
    r = subprocess.run(
        [*command, "-fmax-errors=0", file], capture_output=True, text=True, check=False
    )
    assert r.returncode != 0
    return r.stderr.splitlines()


@pytest.fixture(scope="session")
def diagnostics():
    return {arch: diagnostics_of(arch) for arch in NOT_COMPILED}


@pytest.mark.parametrize("arch,name,expected", CASES)
def test_refused_by_the_compiler(diagnostics, arch, name, expected):
    file = NOT_COMPILED[arch]
    lines = file.read_text().splitlines()
    at = next(i for i, s in enumerate(lines, 1) if s.startswith(f"CASE({name},"))
    found = diagnostics[arch]
    here = [i for i, d in enumerate(found) if f"{file.name}:{at}:" in d]
    assert here, f"no diagnostic for {name}"
    # a static_assert's message follows its "required from here", an overload's names the line
    assert any(expected in d for i in here for d in found[i : i + 6]), [
        found[i : i + 6] for i in here
    ]


def test_another_arch_is_refused():
    command = ["g++", "-fsyntax-only", "-DASCENDC_CPU_DEBUG", "-D__NPU_ARCH__=1001", f"-I{ROOT}"]
    command += ["-x", "c++", str(ROOT / "kernel_operator.h")]
    r = subprocess.run(command, capture_output=True, text=True, check=False)
    assert r.returncode != 0 and "2201 (Ascend 910B) and 3510 (Ascend 950)" in r.stderr


# ---- right kernels of the 950 ------------------------------------------------------------------
@pytest.fixture
def a5(built):
    return Host(built / "a5_right.so")


def small(*shape):
    """Numbers whose sums of products are exact."""
    return rng().integers(-4, 5, shape).astype(np.float16)


@pytest.mark.parametrize("m,n,k", [(16, 16, 16), (48, 80, 112), (40, 24, 72), (1, 32, 48)])
@pytest.mark.parametrize("narrow", [0, 1])
def test_a5_matmul(a5, m, n, k, narrow):
    a, b = small(m, k), small(k, n)
    c = np.zeros((m, n), np.float16 if narrow else np.float32)
    a5.run_clean("run_a5_matmul", a, b, c, m, n, k, narrow, uninit=(2,))
    same(c, (a.astype(np.float32) @ b.astype(np.float32)).astype(c.dtype))


def test_a5_vector(a5):
    n = 256
    x, y = aligned(n, BF16), aligned(n, BF16)
    x[:], y[:] = rng().normal(size=n).astype(BF16), rng().normal(size=n).astype(BF16)
    i, j = aligned(n, np.int32), aligned(n, np.int32)
    i[:], j[:] = rng().integers(-1000, 1000, n), rng().integers(1, 9, n)
    z, w, r = aligned(n, BF16), aligned(n, np.int32), aligned(16, np.int32)
    a5.run_clean("run_a5_vector", x, y, z, i, j, w, r, n, uninit=(2, 5, 6))
    same(z, (((x + y) * x).astype(BF16) - BF16(3)).astype(BF16))
    want = -np.trunc(i / j).astype(np.int32)
    same(w, want)
    assert (r[0], r[8]) == (want[:64].sum(), want[:64].max())


@pytest.mark.parametrize("dual", [0, 1, 2])
def test_a5_from_l0c_to_ub(a5, dual):
    a, b = small(32, 16), small(16, 64)
    c = aligned(32 * 64, np.float32).reshape(32, 64)
    a5.run_clean("run_a5_to_ub", a, b, c, dual, uninit=(2,))
    same(c, 2 * (a.astype(np.float32) @ b.astype(np.float32)))


def test_a5_from_ub_to_l1(a5):
    a, b = small(32, 16), small(16, 32)
    c = np.zeros((32, 32), np.float32)
    a5.run_clean("run_a5_to_l1", a, b, c, uninit=(2,))
    same(c, 2 * (a.astype(np.float32) @ b.astype(np.float32)))


def test_a5_from_l1_to_ub(a5):
    x, y = aligned(256, np.float32), aligned(256, np.float32)
    x[:] = np.arange(256)
    a5.run_clean("run_a5_l1_to_ub", x, y, uninit=(1,))
    same(x, y)


def test_a5_mutexes_order_pipes(a5):
    x, y = aligned(2048, np.float32), aligned(2048, np.float32)
    x[:] = np.arange(2048)
    a5.run_clean("run_a5_mutex", x, y, uninit=(1,))
    same(y, x + np.float32(1))
