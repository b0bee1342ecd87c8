"""Cross entropy of rows: log Σ eˣ - x[target], with the largest element taken out first.

The target comes as a row of zeros and a one, so it is picked by a product and a sum.
"""

import numpy as np
import pypto.language as pl

ROWS, CLASSES = 32, 64


@pl.jit
def cross_entropy(
    logits: pl.Tensor[[ROWS, CLASSES], pl.FP32],
    target: pl.Tensor[[ROWS, CLASSES], pl.FP32],
    out: pl.Out[pl.Tensor[[ROWS, 1], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP):
        largest = pl.row_max(logits)
        total = pl.row_sum(pl.exp(pl.row_expand_sub(logits, largest)))
        picked = pl.row_sum(logits * target)
        out = pl.log(total) + largest - picked
    return out


def main():
    rng = np.random.default_rng(0)
    logits = rng.standard_normal((ROWS, CLASSES)).astype(np.float32)
    classes = rng.integers(0, CLASSES, ROWS)
    target = np.eye(CLASSES, dtype=np.float32)[classes]
    out = np.zeros((ROWS, 1), np.float32)
    cross_entropy(logits, target, out)
    wide = logits.astype(np.float64)
    expected = np.log(np.exp(wide).sum(axis=1)) - wide[np.arange(ROWS), classes]
    np.testing.assert_allclose(out[:, 0], expected, atol=1e-5)
    print("log_sum_exp: within 1e-5 of NumPy")


if __name__ == "__main__":
    main()
