"""Matrix products: a K loop with the accumulator resident in Acc, and the short forms.

`mm_blocks` names every step: blocks through Mat, the products added up in Acc,
one store for each block of the result. `mm_tensor` leaves all of it to the
compiler, and takes any shape that fits.
"""

import numpy as np
import pypto.language as pl

M, K, N = 128, 512, 128
BM, BK, BN = 64, 64, 64


@pl.jit.incore
def mm_blocks(
    a: pl.Tensor[[M, K], pl.FP16],
    b: pl.Tensor[[K, N], pl.FP16],
    out: pl.Out[pl.Tensor[[M, N], pl.FP32]],
):
    for i in pl.range(0, M, BM):
        for j in pl.range(0, N, BN):
            a0 = pl.load(a, [i, 0], [BM, BK], target_memory=pl.Mem.Mat)
            b0 = pl.load(b, [0, j], [BK, BN], target_memory=pl.Mem.Mat)
            acc = pl.matmul(a0, b0)
            for k in pl.range(BK, K, BK):
                ak = pl.load(a, [i, k], [BM, BK], target_memory=pl.Mem.Mat)
                bk = pl.load(b, [k, j], [BK, BN], target_memory=pl.Mem.Mat)
                acc = pl.matmul_acc(acc, ak, bk)
            pl.store(acc, [i, j], out)
    return out


@pl.jit
def matmul(
    a: pl.Tensor[[M, K], pl.FP16],
    b: pl.Tensor[[K, N], pl.FP16],
    out: pl.Out[pl.Tensor[[M, N], pl.FP32]],
):
    out = mm_blocks(a, b, out)
    return out


@pl.jit
def mm_tensor(a: pl.Tensor, b: pl.Tensor, out: pl.Out[pl.Tensor]):
    with pl.at(level=pl.Level.CORE_GROUP):
        out = pl.matmul(a, b)
    return out


def check(kernel, a, b):
    out = np.zeros((a.shape[0], b.shape[1]), np.float32)
    kernel(a, b, out)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    scale = np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64)
    bound = a.shape[1] * np.finfo(np.float32).eps * scale
    assert (np.abs(out - exact) <= bound).all()
    print(f"{a.shape} x {b.shape} {a.dtype}: within K·eps of NumPy")


def main():
    rng = np.random.default_rng(0)
    check(
        matmul,
        rng.standard_normal((M, K)).astype(np.float16),
        rng.standard_normal((K, N)).astype(np.float16),
    )
    check(
        mm_tensor,
        rng.standard_normal((48, 80)).astype(np.float16),
        rng.standard_normal((80, 112)).astype(np.float16),
    )


if __name__ == "__main__":
    main()
