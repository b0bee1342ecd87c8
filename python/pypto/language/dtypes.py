# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Element types. `mlir` names the type in the IR of arrays and tiles (of a scalar, without its
sign); None: not supported yet."""

from __future__ import annotations

from typing import ClassVar


class _Answer(int):
    """A number or a truth that PyPTO Pro asks for with a call, `dtype.is_float()`, and this
    face without, `dtype.is_float`: one element type serves both."""

    __slots__ = ()

    def __call__(self) -> int:
        return int(self)


class _Truth(_Answer):
    __slots__ = ()

    def __call__(self) -> bool:
        return bool(self)

    def __repr__(self) -> str:
        return repr(bool(self))

    __str__ = __repr__


class DataType:
    """An element type of arrays, tiles and scalars."""

    __slots__ = ("name", "bits", "kind", "mlir")
    all: ClassVar[dict[str, DataType]] = {}

    def __init__(self, name: str, bits: int, kind: str, mlir: str | None = None):
        self.name, self.bits, self.kind, self.mlir = name, _Answer(bits), kind, mlir
        DataType.all[name] = self
        setattr(DataType, name, self)  # `DataType.FP16`

    def get_bit(self) -> int:
        return int(self.bits)

    def get_byte(self) -> int:
        return (self.bits + 7) // 8

    @property
    def is_float(self) -> _Truth:
        return _Truth(self.kind == "float")

    @property
    def is_int(self) -> _Truth:
        return _Truth(self.kind in ("int", "uint", "index"))

    @property
    def is_signed_int(self) -> _Truth:
        return _Truth(self.kind in ("int", "index"))

    @property
    def is_unsigned_int(self) -> _Truth:
        return _Truth(self.kind == "uint")

    def to_string(self) -> str:
        return self.name.lower()

    def to_c_type_string(self) -> str:
        """Its name in AscendC."""
        if self.kind == "float":
            return {"FP16": "half", "BF16": "bfloat16_t", "FP32": "float"}.get(
                self.name, f"{self.name.lower()}_t"
            )
        names = {"bool": "bool", "index": "int64_t"}
        return names.get(self.kind, f"{self.name.lower()}_t")

    def __repr__(self) -> str:
        return f"pl.{self.name}"

    def __str__(self) -> str:
        return self.name

    # One object for each type, also after pickling and copying.
    def __reduce__(self):
        return (_get, (self.name,))


def _get(name: str) -> DataType:
    return DataType.all[name]


FP16 = DataType("FP16", 16, "float", "f16")
BF16 = DataType("BF16", 16, "float", "bf16")
FP32 = DataType("FP32", 32, "float", "f32")
INT8 = DataType("INT8", 8, "int", "i8")
INT16 = DataType("INT16", 16, "int", "i16")
INT32 = DataType("INT32", 32, "int", "i32")
INT64 = DataType("INT64", 64, "int", "i64")
BOOL = DataType("BOOL", 8, "bool", "i1")
INDEX = DataType("INDEX", 64, "index", "index")
FP4 = DataType("FP4", 4, "float")
FP8E4M3FN = DataType("FP8E4M3FN", 8, "float")
FP8E5M2 = DataType("FP8E5M2", 8, "float")
FP8E8M0 = DataType("FP8E8M0", 8, "float")
HF4 = DataType("HF4", 4, "float")
HF8 = DataType("HF8", 8, "float")
INT4 = DataType("INT4", 4, "int")
UINT4 = DataType("UINT4", 4, "uint")
UINT8 = DataType("UINT8", 8, "uint", "ui8")
UINT16 = DataType("UINT16", 16, "uint", "ui16")
UINT32 = DataType("UINT32", 32, "uint", "ui32")
UINT64 = DataType("UINT64", 64, "uint", "ui64")
# Of PyPTO Pro only.
FP4E2M1 = DataType("FP4E2M1", 4, "float")
FP4E1M2 = DataType("FP4E1M2", 4, "float")
TASK_ID = DataType("TASK_ID", 64, "task")
