"""Python's operators on arrays: smoothstep, 3t² - 2t³ of x cut to the range 0 to 1.

`+ - * /` are `pl.add`, `pl.sub`, `pl.mul`, `pl.div`; a number may stand on either side and
takes the element type of the array beside it.
"""

import numpy as np
import pypto.language as pl


@pl.jit
def smoothstep(x: pl.Tensor, out: pl.Out[pl.Tensor]):
    with pl.at(level=pl.Level.CORE_GROUP):
        t = pl.minimum(pl.maximum(x, 0.0), 1.0)
        out = t * t * (3.0 - 2.0 * t)
    return out


def main():
    x = np.linspace(-1, 2, 48 * 40, dtype=np.float32).reshape(48, 40)
    out = np.zeros_like(x)
    smoothstep(x, out)
    t = np.clip(x.astype(np.float64), 0, 1)
    np.testing.assert_allclose(out, t * t * (3 - 2 * t), atol=1e-6)
    print("smoothstep: within 1e-6 of NumPy")


if __name__ == "__main__":
    main()
