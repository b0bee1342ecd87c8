# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The caller's arrays: where their bytes are, and whether a kernel can take them.

NumPy arrays and whatever has the array interface, torch tensors on the CPU, and
whatever speaks DLPack. torch is never imported: what is given knows itself.
"""

from __future__ import annotations

import ctypes
import sys
from contextlib import contextmanager

from ..diagnostics.errors import ArgumentError, Diagnostic
from ..language.dtypes import DataType

_TYPESTR = {
    "f2": "FP16",
    "f4": "FP32",
    "i1": "INT8",
    "i2": "INT16",
    "i4": "INT32",
    "i8": "INT64",
    "u1": "UINT8",
    "u2": "UINT16",
    "u4": "UINT32",
    "u8": "UINT64",
    "b1": "BOOL",
}
_TORCH = {
    "float16": "FP16",
    "bfloat16": "BF16",
    "float32": "FP32",
    "int8": "INT8",
    "int16": "INT16",
    "int32": "INT32",
    "int64": "INT64",
    "uint8": "UINT8",
    "bool": "BOOL",
}


class Buffer:
    """An array of the caller."""

    __slots__ = ("address", "dtype", "nbytes", "owner", "readonly", "shape", "strides")

    def __init__(self, address, shape, strides, dtype, readonly, owner):
        self.address, self.shape, self.strides = address, shape, strides
        self.dtype, self.readonly, self.owner = dtype, readonly, owner
        count = dtype.get_byte()
        for extent in shape:
            count *= extent
        self.nbytes = count

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self.shape))}] {self.dtype}"

    def is_contiguous(self) -> bool:
        if self.strides is None:
            return True
        expected = self.dtype.get_byte()
        for extent, stride in zip(reversed(self.shape), reversed(self.strides), strict=False):
            if extent != 1 and stride != expected:
                return False
            expected *= extent
        return True


def is_scalar(value) -> bool:
    return isinstance(value, (bool, int, float)) or getattr(value, "shape", None) == ()


def scalar(value):
    """A Python number of what a caller gave as one."""
    return value if isinstance(value, (bool, int, float)) else value.item()


def _is_torch(value) -> bool:
    return type(value).__module__.partition(".")[0] == "torch" and hasattr(value, "data_ptr")


def is_array(value) -> bool:
    """Whether it is meant as an array."""
    return _is_torch(value) or hasattr(value, "__array_interface__") or hasattr(value, "__dlpack__")


def require(name: str, value) -> None:
    if isinstance(value, Buffer):
        return
    if isinstance(value, (bool, int, float)):
        raise ArgumentError(f"argument '{name}' is an array, found {value!r}")
    raise ArgumentError(
        f"argument '{name}' is an array (NumPy, a torch tensor on the CPU, or DLPack), found "
        f"{type(value).__name__}"
    )


def buffer(name: str, value) -> Buffer:
    """The bytes of argument `name`."""
    if _is_torch(value):
        return _from_torch(name, value)
    interface = getattr(value, "__array_interface__", None)
    if interface is not None:
        return _from_interface(name, value, interface)
    return _from_dlpack(name, value)


def _from_interface(name: str, value, interface: dict) -> Buffer:
    typestr = interface["typestr"]
    dtype = _TYPESTR.get(typestr[1:])
    if typestr[1:] == "V2" and getattr(value.dtype, "name", "") == "bfloat16":
        dtype = "BF16"
    if dtype is None:
        found = getattr(getattr(value, "dtype", None), "name", typestr)
        raise ArgumentError(
            f"argument '{name}' has elements of type {found}; kernels take float16, bfloat16, "
            "float32 and int32"
        )
    if typestr[0] == ">":
        raise ArgumentError(f"argument '{name}' has big-endian elements; convert it first")
    address, readonly = interface["data"]
    shape, strides = interface["shape"], interface.get("strides")
    return Buffer(address, tuple(shape), strides, DataType.all[dtype], readonly, value)


def _from_torch(name: str, value) -> Buffer:
    if value.device.type != "cpu":
        raise ArgumentError(
            f"argument '{name}' is on device '{value.device}'; the reference model takes tensors "
            "on the CPU"
        )
    if str(value.layout) != "torch.strided":
        raise ArgumentError(f"argument '{name}' has layout {value.layout}; make it dense first")
    found = str(value.dtype).partition(".")[2]
    dtype = _TORCH.get(found)
    if dtype is None:
        raise ArgumentError(
            f"argument '{name}' has elements of type {found}; kernels take float16, bfloat16, "
            "float32 and int32"
        )
    size = value.element_size()
    strides = tuple(stride * size for stride in value.stride())
    return Buffer(value.data_ptr(), tuple(value.shape), strides, DataType.all[dtype], False, value)


def _from_dlpack(name: str, value) -> Buffer:
    import numpy

    try:
        taken = numpy.from_dlpack(value)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        raise ArgumentError(f"argument '{name}' cannot be read through DLPack: {error}") from None
    return _from_interface(name, taken, taken.__array_interface__)


def empty(shape: tuple, dtype: DataType, like: list) -> Buffer:
    """A new array that the program returns: a torch tensor if it was given any, else NumPy's."""
    import numpy

    for given in like:
        if isinstance(given, Buffer) and _is_torch(given.owner):
            kinds = {name: kind for kind, name in _TORCH.items()}
            kind = getattr(sys.modules["torch"], kinds[dtype.name])
            return _from_torch("", given.owner.new_empty(shape, dtype=kind))
    return buffer("", numpy.empty(shape, numpy_type(dtype)))


def as_numpy(value: Buffer):
    """The bytes of a contiguous array as a NumPy array, not copied."""
    import numpy

    content = (ctypes.c_char * value.nbytes).from_address(value.address)
    content.owner = value.owner  # lives as long as the view
    return numpy.frombuffer(content, numpy_type(value.dtype)).reshape(value.shape)


def numpy_type(dtype: DataType):
    import ml_dtypes
    import numpy

    if dtype.name == "BF16":
        return numpy.dtype(ml_dtypes.bfloat16)
    codes = {name: code for code, name in _TYPESTR.items()}
    return numpy.dtype(codes[dtype.name])


def check(name: str, value: Buffer, shape, dtype: DataType, direction: str) -> None:
    """Whether a kernel compiled for `shape` and `dtype` can take the array."""
    require(name, value)
    where = f"argument '{name}'"
    if value.dtype is not dtype:
        raise ArgumentError(f"{where} is {dtype}, found {value.dtype}")
    if len(value.shape) != len(shape):
        raise ArgumentError(
            f"{where} has {len(shape)} dimensions, {list(shape)}, found {list(value.shape)}"
        )
    # A negative extent is one that the call says.
    same = all(want < 0 or have == want for have, want in zip(value.shape, shape, strict=True))
    if not same:
        known = [extent if extent >= 0 else "?" for extent in shape]
        wanted = f"[{', '.join(map(str, known))}]"
        raise ArgumentError(f"{where} has shape {wanted}, found {list(value.shape)}")
    check_layout(name, value, direction)


def check_layout(name: str, value: Buffer, direction: str) -> None:
    if not value.is_contiguous():
        raise ArgumentError(
            f"argument '{name}' is not contiguous: strides {list(value.strides)} bytes for shape "
            f"{list(value.shape)}; pass a contiguous copy (numpy.ascontiguousarray, .contiguous())"
        )
    if direction != "in" and value.readonly:
        raise ArgumentError(
            f"argument '{name}' is pl.{'Out' if direction == 'out' else 'InOut'} and read-only"
        )


def check_overlap(arrays: list[tuple[str, Buffer, str]]) -> None:
    """Arrays that a kernel writes share no byte with another."""
    ordered = sorted(arrays, key=lambda item: item[1].address)
    reach: tuple[int, tuple] | None = None
    written: tuple[int, tuple] | None = None
    for item in ordered:
        begin, end = item[1].address, item[1].address + item[1].nbytes
        # Against any earlier array if this one is written, else against the written ones.
        other = reach if item[2] != "in" else written
        if other is not None and other[0] > begin:
            first, second = other[1], item
            if second[2] == "in":
                first, second = second, first
            message = (
                f"arguments '{other[1][0]}' and '{item[0]}' overlap in memory, and "
                f"'{second[0]}' is written; pass a copy"
            )
            note = Diagnostic(f"'{first[0]}' is here", severity="note")
            raise ArgumentError([Diagnostic(message, notes=[note])], (second[0], first[0]))
        if reach is None or end > reach[0]:
            reach = (end, item)
        if item[2] != "in" and (written is None or end > written[0]):
            written = (end, item)


@contextmanager
def unchanged_on_failure(arrays: list[tuple[str, Buffer, str]]):
    """Gives the arrays that a kernel writes their content back if it fails."""
    written = [value for _, value, direction in arrays if direction != "in"]
    saved = [ctypes.string_at(value.address, value.nbytes) for value in written]
    try:
        yield
    except BaseException:
        for value, content in zip(written, saved, strict=True):
            ctypes.memmove(value.address, content, value.nbytes)
        raise
