# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Operations of PyPTO Pro as C++, over the host header of their chip: the bits of the model."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import op_programs as programs
import pytest
from op_programs import NUMPY, bits, numbers

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ascendc_harness import Library, pipeline, translate  # noqa: E402

VALID, SHAPE = (9, 53), (9, 64)
FLOATS = "FP16 BF16 FP32"
SHORT = "INT16 INT32"
# What stands between loads of x and y and stores of everything, and the element types.
BODIES = {
    "masks": (
        "pl.lt(mask, x, y)\npl.select(out, mask, x, y, tmp)\npl.cmps(mask, out, 1, cmp_type=4)\n"
        "pl.sels(y, mask, out, tmp, 3)",
        f"{FLOATS} {SHORT} INT8 UINT16",
    ),
    "bits": (
        "pl.xor(out, x, y, tmp)\npl.ands(x, out, 7)\npl.ors(y, x, 8)\npl.xors(out, y, 5, tmp)\n"
        "pl.shls(out, out, 2)\npl.shr(y, out, x)",
        "INT16 UINT16 INT32 UINT32",
    ),
    "remainders": ("pl.rem(out, x, y, tmp)\npl.rems(x, x, 3)", FLOATS + " INT8 INT16"),
    "three": (
        "pl.addc(out, x, y, x)\npl.subsc(x, out, 2, y)\npl.subc(y, x, out, x)",
        f"{FLOATS} {SHORT} UINT8",
    ),
    "rows": (
        "pl.row_min(c, x)\npl.row_expand_add(out, y, c)\npl.row_sum(c, out)\n"
        "pl.row_expand(y, c)\npl.sum(c, x, tmp, dim=0)\npl.row_expand_expdif(x, x, c)\n"
        "pl.expand_max(out, out, c)",
        FLOATS,
    ),
    "columns": (
        "pl.col_min(r, x)\npl.col_expand_mul(out, y, r)\npl.col_sum(r, out)\npl.col_prod(r, x)\n"
        "pl.col_expand(y, r)\npl.maximum(r, x, tmp, dim=1)\npl.expand_sub(x, x, r, dim=1)",
        f"{FLOATS} {SHORT}",
    ),
    "products": (
        "pl.fused_mul_add(out, x, y)\npl.fused_mul_add_relu(x, y, out)\npl.mul_add_dst(y, x, out)",
        f"{FLOATS} {SHORT}",
    ),
    "axpy": ("pl.axpy(out, x, 0.3)\npl.axpy(x, y, -2.0)", "FP16 FP32"),
    "parts": (
        "pl.set_validshape(x_tiles, [5, 17])\npl.partadd(out, x, y)\npl.partmax(y, x, y)\n"
        "pl.set_validshape(x_tiles, [9, 53])\npl.partmin(out, out, x)\npl.partmul(x, y, x)",
        f"{FLOATS} {SHORT}",
    ),
    "shapes": (
        "pl.ub_copy(tmp, y)\npl.transpose(turned, x)\npl.transpose(out, turned)\n"
        "pl.reshape(y, tmp)",
        f"{FLOATS} {SHORT} UINT8",
    ),
    # What stands behind a window of an odd number of bytes stays.
    "windows": (
        "pl.not_(out[0:9, 0:33], x[0:9, 0:33])\npl.ub_copy(y[2:5, 0:7], x[2:5, 0:7])\n"
        "pl.xor(x[0:1, 0:51], out[0:1, 0:51], y[0:1, 0:51], tmp[0:1, 0:51])\n"
        "pl.ands(x[3:4, 0:3], x[3:4, 0:3], 5)",
        "INT8 UINT8 INT16",
    ),
    "converted": (
        "pl.expands(h, 0)\npl.mul_cast(h, x, y, target_type=pl.DT_FP16)\npl.cast(out, h)\n"
        "pl.sub_relu_cast(h, x, y, target_type=pl.DT_FP16)\npl.cast(y, h)",
        "FP32",
    ),
}
CASES = [(name, dtype) for name, (_, dtypes) in BODIES.items() for dtype in dtypes.split()]


def lines_of(dtype):
    """The type of values of rows and columns: bytes have none."""
    return "FP32" if NUMPY[dtype](0).itemsize == 1 else dtype


def program(arch, name, dtype):
    line = lines_of(dtype)
    tiles = [(n, SHAPE, VALID, dtype, "") for n in ("x", "y", "out", "tmp")]
    tiles.append(("mask", (9, 32), (9, 7), "UINT8", ""))
    tiles.append(("turned", (64, 32), (53, 9), dtype, ""))
    tiles.append(("h", SHAPE, VALID, "FP16", ""))
    tiles.append(("c", (9, 1), (9, 1), line, "DN"))
    tiles.append(("r", (1, 64), (1, 53), line, ""))
    arrays = [(f"{n}_ddr", VALID, dtype) for n in ("x", "y", "out")]
    arrays += [("c_ddr", (9, 1), line), ("r_ddr", (1, 53), line), ("mask_ddr", (9, 7), "UINT8")]
    first = "\n".join(f"pl.load({n}, {n}_ddr, [0, 0])" for n in ("x", "y", "out"))
    fill = "pl.expands(c, 1)\npl.expands(r, 1)\npl.expands(mask, 0)\npl.expands(tmp, 0)"
    stores = "\n".join(f"pl.store({n}, {n.removesuffix('_ddr')}, [0, 0])" for n, *_ in arrays)
    body = "\n".join((first, fill, BODIES[name][0], stores))
    return programs.vector_kernel(arch, arrays, tiles, body)


def load_text(text, folder, name):
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


@pytest.fixture(scope="module", params=["a3", "a5"])
def compiled(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pro_cpp")
    kernels = {
        (name, dtype): load_text(program(request.param, name, dtype), folder, f"{name}_{dtype}")
        for name, dtype in CASES
    }
    sources = {
        f"{name}_{dtype}": translate(pipeline(kernel.as_mlir()))
        for (name, dtype), kernel in kernels.items()
    }
    return Library(sources, folder / "library"), kernels


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_the_cpp_has_the_bits_of_the_model(compiled, name, dtype):
    library, kernels = compiled
    rng = np.random.default_rng(1)
    x, y, out = (numbers(rng, VALID, dtype, 0.5, 3.0) for _ in range(3))
    y[y == 0] = 1
    if "INT" in dtype:
        y[:] = np.abs(y.astype(np.int64)) % 11 + 1
    rest = [np.zeros(shape, NUMPY[lines_of(dtype)]) for shape in ((9, 1), (1, 53))]
    rest.append(np.zeros((9, 7), np.uint8))
    here = [a.copy() for a in (x, y, out, *rest)]
    there = [a.copy() for a in here]
    kernels[name, dtype][None, 1](*here)
    assert library.run(f"{name}_{dtype}", "kernel", *there) == []
    for arrays in (here, there):
        arrays[-1][:, -1] &= 0x1F  # the mask's last byte has bits of five elements
    changed = 0
    for one, other, before in zip(here, there, (x, y, out, *rest), strict=True):
        np.testing.assert_array_equal(bits(other), bits(one))
        changed += not np.array_equal(bits(one), bits(before))
    assert changed
