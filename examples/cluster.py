"""A cluster: the cube core multiplies while its two vector cores finish what it made before.

They meet in a workspace of two slots in DDR. Flag `READY` tells the vector cores that a
slot is full, flag `FREE` tells the cube core that both of them have read it.
"""

import numpy as np
import pypto.language as pl

M, K, N, STEP = 256, 64, 64, 32
STEPS = M // STEP
HALF = STEP // 2
READY, FREE = 0, 1
Work = pl.Tensor[[2 * STEP, N], pl.FP32]


@pl.jit.incore
def products(a: pl.Tensor[[M, K], pl.FP16], b: pl.Tensor[[K, N], pl.FP16], work: pl.InOut[Work]):
    right = pl.load(b, [0, 0], [K, N], target_memory=pl.Mem.Mat)
    for step in pl.range(STEPS):
        left = pl.load(a, [step * STEP, 0], [STEP, K], target_memory=pl.Mem.Mat)
        product = pl.matmul(left, right)
        if step >= 2:
            pl.system.sync_wait(FREE, pipe=pl.PipeType.FIX)
        pl.store(product, [step % 2 * STEP, 0], work)
        pl.system.sync_set(READY, pipe=pl.PipeType.FIX)
    return work


@pl.jit.incore
def finish(work: Work, bias: pl.Tensor[[M, N], pl.FP32], out: pl.Out[pl.Tensor[[M, N], pl.FP32]]):
    # Each of the two vector cores takes half of the rows.
    mine = pl.tile.get_subblock_idx() * HALF
    for step in pl.range(STEPS):
        row = step * STEP + mine
        added = pl.load(bias, [row, 0], [HALF, N])
        pl.system.sync_wait(READY, pipe=pl.PipeType.MTE2)
        t = pl.load(work, [step % 2 * STEP + mine, 0], [HALF, N])
        if step < STEPS - 2:
            pl.system.sync_set(FREE, pipe=pl.PipeType.MTE2)
        pl.store(pl.relu(pl.add(t, added)), [row, 0], out)
    return out


@pl.jit
def layer(
    a: pl.Tensor[[M, K], pl.FP16],
    b: pl.Tensor[[K, N], pl.FP16],
    bias: pl.Tensor[[M, N], pl.FP32],
    out: pl.Out[pl.Tensor[[M, N], pl.FP32]],
):
    work = pl.create_tensor([2 * STEP, N], pl.FP32)
    with pl.cluster(name_hint="layer"):
        products(a, b, work)
        finish(work, bias, out)
    return out


def main():
    rng = np.random.default_rng(0)
    a = rng.uniform(-1, 1, (M, K)).astype(np.float16)
    b = rng.uniform(-1, 1, (K, N)).astype(np.float16)
    bias = rng.uniform(-1, 1, (M, N)).astype(np.float32)
    out = np.zeros((M, N), np.float32)
    layer(a, b, bias, out)
    expected = np.maximum(a.astype(np.float64) @ b.astype(np.float64) + bias, 0)
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-4)
    print(f"cluster: {STEPS} products, finished by two vector cores: right")


if __name__ == "__main__":
    main()
