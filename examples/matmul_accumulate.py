"""A loop over K with one accumulator, and `init_cond` to say when it begins anew.

With `init_cond` true, `matmul_acc` forgets what the accumulator held, so that the first
step needs no code of its own.
"""

import numpy as np
import pypto.language as pl

M, K, N, STEP = 32, 256, 64, 64


@pl.jit.incore
def accumulate(
    a: pl.Tensor[[M, K], pl.BF16],
    b: pl.Tensor[[K, N], pl.BF16],
    out: pl.Out[pl.Tensor[[M, N], pl.FP32]],
):
    acc = pl.create_tile([M, N], pl.FP32, target_memory=pl.Mem.Acc)
    for k in pl.range(0, K, STEP):
        left = pl.load(a, [0, k], [M, STEP], target_memory=pl.Mem.Mat)
        right = pl.load(b, [k, 0], [STEP, N], target_memory=pl.Mem.Mat)
        acc = pl.matmul_acc(acc, left, right, init_cond=(k == 0))
    pl.store(acc, [0, 0], out)
    return out


@pl.jit
def matmul(
    a: pl.Tensor[[M, K], pl.BF16],
    b: pl.Tensor[[K, N], pl.BF16],
    out: pl.Out[pl.Tensor[[M, N], pl.FP32]],
):
    out = accumulate(a, b, out)
    return out


def main():
    import ml_dtypes

    rng = np.random.default_rng(0)
    a = rng.standard_normal((M, K)).astype(ml_dtypes.bfloat16)
    b = rng.standard_normal((K, N)).astype(ml_dtypes.bfloat16)
    out = np.zeros((M, N), np.float32)
    matmul(a, b, out)
    np.testing.assert_allclose(out, a.astype(np.float64) @ b.astype(np.float64), atol=1e-3)
    print("matmul_accumulate: BF16, within 1e-3 of NumPy")


if __name__ == "__main__":
    main()
