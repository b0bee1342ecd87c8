# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""For the tests of kernels.

`assert_close` compares two arrays, and says of the first element that differs who wrote it:
which store, of which task and block, and from which element of which tile.
"""

from __future__ import annotations

import numpy as np

from .diagnostics.render import source_line
from .runtime import arrays
from .runtime.arrays import Buffer
from .runtime.config import RunConfig
from .runtime.observe import Place, Watcher, core_words

# (rtol, atol) by element type; integers are equal or not.
TOLERANCES = {"FP32": (1e-5, 1e-6), "FP16": (1e-3, 1e-5), "BF16": (1.6e-2, 1e-5)}


def _as_numpy(name: str, value) -> np.ndarray:
    """An array of NumPy, torch, or whatever speaks one of their protocols; bfloat16 is
    that of ml_dtypes."""
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, (bool, int, float, list, tuple, np.generic)):
        return np.asarray(value)
    if not arrays.is_array(value):
        raise TypeError(f"{name} is an array, found {type(value).__name__}")
    if hasattr(value, "detach"):
        value = value.detach().cpu().contiguous()
        if value.dtype.itemsize == 8:
            return value.numpy()
    buffer = arrays.buffer(name, value)
    return arrays.as_numpy(buffer) if buffer.is_contiguous() else np.asarray(value)


def _check_types(actual: np.ndarray, expected: np.ndarray) -> None:
    if actual.shape != expected.shape:
        raise AssertionError(
            f"actual has shape {list(actual.shape)}, expected has {list(expected.shape)}"
        )
    # bfloat16 of ml_dtypes is of kind "V".
    if actual.dtype.kind not in "biufV" or actual.dtype.names:
        raise TypeError(f"actual holds numbers as kernels have them, found {actual.dtype}")
    if actual.dtype == expected.dtype:
        return
    floats = ("float16", "bfloat16", "float32", "float64")
    names = actual.dtype.name, expected.dtype.name
    # What is expected may be known more exactly than the kernel's type holds it.
    exact = all(name in floats for name in names) and (
        expected.dtype.itemsize > actual.dtype.itemsize
    )
    if not exact:
        raise AssertionError(
            f"actual is {names[0]}, expected is {names[1]}; they are of one type, or what is "
            "expected is a wider float"
        )


def _tolerances(dtype: np.dtype, rtol, atol) -> tuple[float, float]:
    key = {"float32": "FP32", "float16": "FP16", "bfloat16": "BF16", "float64": "FP32"}
    default = TOLERANCES.get(key.get(dtype.name, ""), (0.0, 0.0))
    found = [
        float(given) if given is not None else standard
        for given, standard in zip((rtol, atol), default, strict=True)
    ]
    for word, value in zip(("rtol", "atol"), found, strict=True):
        if not value >= 0:
            raise ValueError(f"{word} is zero or positive, found {value}")
    return found[0], found[1]


def _close(actual: np.ndarray, expected: np.ndarray, rtol: float, atol: float) -> np.ndarray:
    """|actual - expected| <= atol + rtol * |expected|; NaN is like NaN and nothing else,
    and an infinity like itself."""
    if actual.dtype.kind in "iub" and expected.dtype.kind in "iub" and not rtol and not atol:
        return actual == expected
    a, e = actual.astype(np.float64), expected.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        near = np.abs(a - e) <= atol + rtol * np.abs(e)
    finite = np.isfinite(a) & np.isfinite(e)
    return (finite & near) | (~finite & (a == e)) | (np.isnan(a) & np.isnan(e))


def assert_close(
    actual,
    expected,
    rtol: float | None = None,
    atol: float | None = None,
    *,
    kernel=None,
    args: tuple = (),
    name: str | None = None,
) -> None:
    """Raises an AssertionError that names the first element of `actual` which is not close
    to that of `expected`: |actual - expected| <= atol + rtol * |expected|. NaN is like NaN
    and like nothing else, an infinity like itself. Both have one shape and one type, but
    for what is expected, which may be a wider float. `rtol` and `atol` are those of the
    type (TOLERANCES) unless given; integers are equal.

    With `kernel`, a kernel or a compiled program, and `args`, what it was called with, the
    error says who wrote the element: the kernel runs once more on copies. `actual` is one
    of `args`; else `name` says which parameter it is.
    """
    given = actual
    actual, expected = _as_numpy("actual", actual), _as_numpy("expected", expected)
    _check_types(actual, expected)
    rtol, atol = _tolerances(actual.dtype, rtol, atol)
    close = _close(actual, expected, rtol, atol)
    if close.all():
        return
    index = tuple(int(i) for i in np.argwhere(~close)[0])
    label = name or "actual"
    if kernel is not None:
        label, story = _story(kernel, args, given, name, index)
    lines = [_first(label, index, actual, expected, rtol, atol), _count(actual, expected, close)]
    if kernel is not None:
        lines.append(story)
    raise AssertionError("\n".join(line for line in lines if line))


def _first(label: str, index, actual, expected, rtol: float, atol: float) -> str:
    got, want = actual[index], expected[index]
    # Integers of 64 bits are more exact than a float.
    whole = actual.dtype.kind in "iub" and expected.dtype.kind in "iub"
    off = abs(int(got) - int(want)) if whole else abs(float(got) - float(want))
    allowed = atol + rtol * abs(float(want))
    more = f" (off by {off:.6g}, allowed {allowed:.6g})" if np.isfinite(off) else ""
    return f"{label} at {list(index)} is {got}, expected {want}{more}"


def _count(actual, expected, close) -> str:
    if close.size < 2:
        return ""
    with np.errstate(invalid="ignore", over="ignore"):
        off = np.abs(actual.astype(np.float64) - expected.astype(np.float64))
    off = np.where(close | ~np.isfinite(off), -1.0, off)
    text = f"{close.size - int(close.sum())} of {close.size} elements differ"
    if off.max() < 0:
        return text
    worst = [int(i) for i in np.unravel_index(int(off.argmax()), off.shape)]
    return f"{text}, most at {worst}, by {off.max():.6g}"


# Who wrote it.


class _Writes(Watcher):
    """Remembers the last write to the byte that it watches."""

    def __init__(self):
        super().__init__()
        self.last: tuple[Place, str, str, tuple] | None = None

    def notify(self, moment) -> None:
        self.last = (self.place(moment), core_words(moment), moment.source, moment.element)


def _prepare(kernel, args: tuple):
    """A model in which tiles are values, and what it is given."""
    from .frontend import session
    from .jit import driver
    from .jit.compiled import CompiledProgram
    from .jit.function import JITFunction, JITProgram

    if isinstance(kernel, CompiledProgram):
        compiled, values = kernel._compiled, kernel._bind(args, {})
        entry = compiled.specialised.entry
        driver.require_all(entry, values)
        config = RunConfig(platform=kernel.platform)
    elif isinstance(kernel, (JITFunction, JITProgram)):
        entry = kernel.entry if isinstance(kernel, JITProgram) else kernel
        entry._require_entry()
        config, values = RunConfig(), driver.bind(entry, args, {})
        driver.require_all(entry, values)
        with session.LOCK:
            compiled = driver._cached(entry, values, config)
    else:
        raise TypeError(
            f"kernel is a @pl.jit function or a compiled program, found {type(kernel).__name__}"
        )
    with session.LOCK:
        # Arrays are loaded, computed on and stored there, under the author's names.
        model = driver.stage_model(compiled, "pto-convert-tensor-to-tile-ops", config)
        return model, driver.given(compiled.specialised, values)


def _parameter(parameters, actual, name: str | None) -> str:
    """The parameter that is compared."""
    written = [p for p, direction, v in parameters if isinstance(v, Buffer) and direction != "in"]
    if name is not None:
        if name not in written:
            known = " or ".join(written)
            raise ValueError(f"name is a parameter that the kernel writes, {known}, found {name!r}")
        return name
    for parameter, _, value in parameters:
        if isinstance(value, Buffer) and value.owner is actual:
            return parameter
    if len(written) == 1:
        return written[0]
    raise ValueError(
        f"actual is none of args; name says which parameter it is: {' or '.join(written)}"
    )


def _story(kernel, args: tuple, actual, name: str | None, index: tuple) -> tuple[str, str]:
    """The parameter's name, and who wrote the element."""
    from .diagnostics.errors import RunError
    from .frontend import session

    model, parameters = _prepare(kernel, tuple(args))
    label = _parameter(parameters, actual, name)
    copies = {
        parameter: arrays.as_numpy(value).copy()
        for parameter, _, value in parameters
        if isinstance(value, Buffer)
    }
    watcher = _Writes()
    mine = copies[label]
    if len(index) != mine.ndim:
        raise ValueError(f"actual has {len(index)} dimensions, and '{label}' has {mine.ndim}")
    offset = sum(i * stride for i, stride in zip(index, mine.strides, strict=True))
    watcher.watched = mine.ctypes.data + offset
    given = [
        arrays.buffer(parameter, copies[parameter]) if parameter in copies else value
        for parameter, _, value in parameters
    ]
    try:
        with session.LOCK:
            model.run(given, 0, watcher=watcher)
    except RunError as error:
        return label, f"the run that looks for its store failed: {error.diagnostics[0].message}"
    if watcher.last is None:
        return label, f"nothing wrote this element of '{label}'"
    place, who, source, element = watcher.last
    where = f" at {place.file}:{place.line}" if place.file else ""
    tile = f"element {list(element)} of '{source}'" if source else "what has no name"
    if source and not element:
        tile = f"'{source}'"
    text = source_line(place.file, place.line).strip() if place.file else ""
    return label, (
        f"written by {place.word}{where}, in {who}, from {tile}" + (f"\n    {text}" if text else "")
    )
