"""Split-K with atomic stores: each block multiplies a part of K and adds it to the result.

A product with a long K and a small result leaves most cores idle. Here as many blocks as
there are parts work at once, and `atomic=pl.AtomicType.Add` lets their stores meet in one
array. In which order they do is open, so floats may differ in their last bits from run to
run; the integers of this example are exact.
"""

import numpy as np
import pypto.language as pl

M, K, N, PARTS = 32, 512, 32, 4
PART = K // PARTS


@pl.jit
def matmul(
    a: pl.Tensor[[M, K], pl.FP16],
    b: pl.Tensor[[K, N], pl.FP16],
    out: pl.InOut[pl.Tensor[[M, N], pl.FP32]],
):
    for part in pl.spmd(PARTS, name_hint="part"):
        k = part * PART
        left = pl.load(a, [0, k], [M, PART], target_memory=pl.Mem.Mat)
        right = pl.load(b, [k, 0], [PART, N], target_memory=pl.Mem.Mat)
        pl.store(pl.matmul(left, right), [0, 0], out, atomic=pl.AtomicType.Add)
    return out


def main():
    rng = np.random.default_rng(0)
    a = rng.integers(-4, 5, (M, K)).astype(np.float16)
    b = rng.integers(-4, 5, (K, N)).astype(np.float16)
    out = np.zeros((M, N), np.float32)
    matmul(a, b, out)
    np.testing.assert_array_equal(out, a.astype(np.float32) @ b.astype(np.float32))
    print(f"split_k_atomic: {PARTS} blocks, equal to NumPy")


if __name__ == "__main__":
    main()
