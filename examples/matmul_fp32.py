"""One kernel for three element types: its annotations are bare, so each call specialises it.

FP16 and BF16 are multiplied exactly and added in FP32; FP32 is what the cube unit takes
when 11 bits are too few.
"""

import ml_dtypes
import numpy as np
import pypto.language as pl


@pl.jit
def matmul(a: pl.Tensor, b: pl.Tensor, out: pl.Out[pl.Tensor]):
    with pl.at(level=pl.Level.CORE_GROUP):
        out = pl.matmul(a, b)
    return out


def main():
    rng = np.random.default_rng(0)
    exact = (rng.standard_normal((32, 48)), rng.standard_normal((48, 64)))
    for dtype, error in ((np.float16, 1e-2), (ml_dtypes.bfloat16, 1e-1), (np.float32, 1e-5)):
        a, b = (x.astype(dtype) for x in exact)
        out = np.zeros((32, 64), np.float32)
        matmul(a, b, out)
        np.testing.assert_allclose(out, a.astype(np.float64) @ b.astype(np.float64), atol=1e-4)
        assert np.abs(out - exact[0] @ exact[1]).max() < error
        print(f"matmul_fp32: {np.dtype(dtype).name} is within {error} of the exact product")


if __name__ == "__main__":
    main()
