"""`pypto.language` as plain NumPy: what a kernel means, in the simplest words.

A generated kernel runs with this module as its `pl`, executed by Python itself,
and its answer is compared bit for bit with the compiler's at every stage. It
follows the section "Numbers" of docs/design.md and shares no code with the
reference model.
"""

import builtins
import itertools
import math

import ml_dtypes
import numpy as np

FP32, FP16, INT32 = np.dtype(np.float32), np.dtype(np.float16), np.dtype(np.int32)
BF16 = np.dtype(ml_dtypes.bfloat16)


class Mem:
    DDR, Vec, Mat, Left, Right, Acc = range(6)


class Annotation:
    """Accepts every annotation form; means nothing here."""

    def __class_getitem__(cls, item):
        return cls


class Tensor(Annotation):
    pass


class Out(Annotation):
    pass


class Scalar(Annotation):
    pass


class jit:  # noqa: N801
    def __new__(cls, function):
        return function

    @staticmethod
    def incore(function):
        return function


_HANDED: list = []  # what the open loops with init_values hand on, innermost last


def _handing(steps, init_values):
    """The steps with what is handed on; None for a loop with a condition."""
    _HANDED.append(tuple(init_values))
    try:
        for step in steps:
            handed = _HANDED[-1]
            yield (step, handed) if step is not None else handed
    finally:
        _HANDED.pop()


def yield_(*values):
    if _HANDED:
        _HANDED[-1] = values
    return values if len(values) > 1 else values[0]


def range(*bounds, init_values=None):  # noqa: A001
    steps = builtins.range(*bounds)
    return steps if init_values is None else _handing(steps, init_values)


def pipeline(*bounds, stage=1, init_values=None):
    return range(*bounds, init_values=init_values)


def while_(*, init_values):
    """`pl.cond(c)` in its body stands here as `if not (c): break`."""
    return _handing(itertools.repeat(None), init_values)


parallel = unroll = range


def is_float(dtype):
    return dtype != INT32


def wide(x):
    """FP16 and BF16 compute in FP32 and round once."""
    return x.astype(np.float32) if is_float(x.dtype) else x


def elementwise(function, x, *others):
    operands = [wide(x)]
    for other in others:
        if isinstance(other, np.ndarray):
            operands.append(wide(other))
        else:
            operands.append(wide(np.asarray(other, x.dtype)))
    with np.errstate(all="ignore"):
        return function(*operands).astype(x.dtype)


def in_double(function, x):
    """Computed in double, rounded once."""
    with np.errstate(all="ignore"):
        return function(x.astype(np.float64)).astype(x.dtype)


# Which of two zeros is larger NumPy leaves open: here +0 is.
def smaller(a, b):
    return np.where((a == 0) & (b == 0), -(-a - b), np.minimum(a, b))


def larger(a, b):
    return np.where((a == 0) & (b == 0), a + b, np.maximum(a, b))


def load(array, offsets, shape, valid_shape=None, target_memory=None):
    rows, cols = valid_shape or shape
    window = array[offsets[0] : offsets[0] + rows, offsets[1] : offsets[1] + cols]
    assert window.shape == (rows, cols)
    return window.copy()


def store(tile, offsets, array):
    window = array[offsets[0] : offsets[0] + tile.shape[0], offsets[1] : offsets[1] + tile.shape[1]]
    assert window.shape == tile.shape
    window[:] = tile.astype(array.dtype)
    return array


def move(tile, target_memory):
    return tile


def add(x, y):
    return elementwise(np.add, x, y)


def sub(x, y):
    return elementwise(np.subtract, x, y)


def mul(x, y):
    return elementwise(np.multiply, x, y)


def div(x, y):
    return elementwise(np.divide, x, y)


def minimum(x, y):
    return elementwise(smaller, x, y)


def maximum(x, y):
    return elementwise(larger, x, y)


def exp(x):
    return in_double(np.exp, x)


def sqrt(x):
    return in_double(np.sqrt, x)


def rsqrt(x):
    return in_double(lambda v: 1 / np.sqrt(v), x)


def neg(x):
    return elementwise(np.negative, x)


def abs(x):  # noqa: A001
    return elementwise(np.abs, x)


def relu(x):
    return elementwise(lambda v: larger(v, v.dtype.type(0)), x)


def log(x):
    return in_double(np.log, x)


def recip(x):
    return in_double(lambda v: 1 / v, x)


def fmod(x, y):
    """a - trunc(a / b) * b, each step rounded to FP32."""
    return elementwise(lambda a, b: a - np.trunc(a / b) * b, x, y)


def and_(x, y):
    return x & y


def or_(x, y):
    return x | y


def xor(x, y):
    return x ^ y


def not_(x):
    return ~x


def shls(x, by):
    return x << x.dtype.type(by)


def shrs(x, by):
    return x >> x.dtype.type(by)


def round_away(x):
    return np.trunc(x + np.copysign(0.5, x))


ROUND = {
    "none": lambda x: x,
    "rint": np.rint,
    "round": round_away,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
}


def cast(x, dtype, mode="round"):
    """To an integer: rounded as the mode says, saturated, NaN becomes 0."""
    with np.errstate(all="ignore"):
        if dtype == INT32:
            rounded = ROUND[mode](x.astype(np.float64))
            clipped = np.clip(
                np.nan_to_num(rounded, nan=0.0, posinf=2.0**31, neginf=-(2.0**31)),
                -(2.0**31),
                2.0**31 - 1,
            )
            return clipped.astype(np.int32)
        return x.astype(np.float32).astype(dtype) if dtype != FP32 else x.astype(np.float32)


def full(shape, dtype, value):
    return np.full(shape, value, dtype)


def reduce_rows(function, x):
    """Repeats of 256 bytes folded one after the other into lanes; then adjacent pairs.
    BF16 is reduced as FP32 and rounded once."""
    if x.dtype == BF16:
        return reduce_rows(function, x.astype(np.float32)).astype(BF16)
    lanes = 256 // x.dtype.itemsize
    folded = wide(x[:, :lanes]).astype(x.dtype)
    for begin in np.arange(lanes, x.shape[1], lanes):
        piece = x[:, begin : begin + lanes]
        folded[:, : piece.shape[1]] = elementwise(function, folded[:, : piece.shape[1]], piece)
    while folded.shape[1] > 1:
        count = folded.shape[1] // 2
        pairs = elementwise(function, folded[:, 0 : 2 * count : 2], folded[:, 1 : 2 * count : 2])
        rest = folded[:, 2 * count :]
        folded = np.concatenate([pairs, rest], axis=1)
    return folded


def row_sum(x):
    return reduce_rows(np.add, x)


def row_max(x):
    return reduce_rows(larger, x)


def row_expand_sub(x, v):
    return elementwise(np.subtract, x, v)


def row_expand_mul(x, v):
    return elementwise(np.multiply, x, v)


def row_expand_div(x, v):
    return elementwise(np.divide, x, v)


def matmul_acc(acc, a, b):
    result = acc.copy()
    for k in np.arange(a.shape[1]):
        result += a[:, k : k + 1].astype(np.float32) * b[k : k + 1, :].astype(np.float32)
    return result


def matmul(a, b):
    return matmul_acc(np.zeros((a.shape[0], b.shape[1]), np.float32), a, b)


assert math.isclose(float(reduce_rows(np.add, np.ones((1, 100), np.float32))[0, 0]), 100.0)
