# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What PyPTO Pro has and this version has not: each name is there, and using it in a
kernel is an error that says so by name."""

from __future__ import annotations

_IR = "the compiler has no such operation yet"
_VF = "vector-register functions come later"
_MASK = (
    "the compiler sets the mask of each instruction, by what is valid: pl.set_validshape says that"
)
_SCALE = "scales of accumulators come later; pl.quant scales in Vec"
_MX = "MX products and their types come later"

_OPEN = "(*args: Any, **keywords: Any) -> None"
_ARG = "(out: Tile, src: Tile, tmp: Tile, *, dim: int = 0) -> None"
_MX_ACC = "(dst: Tile, acc: Tile, lhs: Tile, rhs: Tile, scale_a: Tile, scale_b: Tile, *, "
_MX_ACC += "phase: AccPhase | None = None) -> None"

# Names with one signature: (signature, reason, names).
_GROUPS = (
    (_ARG, _IR, "argmax argmin"),
    (
        _OPEN,
        _IR,
        "row_prod get_spr",
    ),
    (_OPEN, _SCALE, "move_fp store_fp"),
)
# One operation each: (name, signature, reason).
_SINGLE = (
    (
        "gather",
        "(out: Tile, src: Tile, idx: Tile, tmp: Tile, *, cmp_mode: int = 0, offset: int = 0)"
        " -> None",
        _IR,
    ),
    ("gatherb", "(out: Tile, src: Tile, offsets: Tile) -> None", _IR),
    ("gathermask", "(out: Tile, src: Tile, *, pattern_mode: int) -> None", _IR),
    ("scatter", "(out: Tile, src: Tile, idx: Tile) -> None", _IR),
    ("sort32", "(dst: Tile, src: Tile, idx: Tile, tmp: Tile | None = None) -> None", _IR),
    ("mrgsort", "(dst: Tile, src: Tile, *, block_len: int) -> None", _IR),
    (
        "mrgsort2",
        "(s0: Tile, s1: Tile, dst: Tile, tmp: Tile, *more: Tile, exhausted: bool = False) -> None",
        _IR,
    ),
    ("histogram", "(dst: Tile, src: Tile, idx: Tile, *, is_msb: bool) -> None", _IR),
    ("set_mask_count", "() -> None", _MASK),
    ("set_mask_norm", "() -> None", _MASK),
    ("set_vec_mask", "(hi: int | Scalar, lo: int | Scalar) -> None", _MASK),
    ("reset_mask", "() -> None", _MASK),
    ("ssbuf_store", "(struct: Any, byte_offset: int | Scalar) -> None", _IR),
    ("ssbuf_load", "(struct: Any, byte_offset: int | Scalar) -> None", _IR),
    ("matmul_mx", _MX_ACC.replace("acc: Tile, ", "", 1), _MX),
    ("matmul_mx_acc", _MX_ACC, _MX),
)
# Namespaces and decorators that are no operations: name to reason.
OBJECTS = {
    "Vf": _VF,
    "vector_function": _VF,
    "simt": "SIMT functions come later",
    "pipeline": "pipelines across cores come later",
}


def declare(add) -> None:
    """Declares all of them by `add`."""
    for signature, reason, names in _GROUPS:
        for name in names.split():
            _later(add, name, signature, reason)
    for name, signature, reason in _SINGLE:
        _later(add, name, signature, reason)
    _later(add, "set_mm_layout_transform", "(*, enabled: bool) -> None", _IR, ("system",))


def _later(add, name: str, signature: str, reason: str, levels=("",)) -> None:
    add(name, signature, "Not in this version.", "declarations.later", levels, later=reason)


class Later:
    """`pl.simt`, `pl.vector_function`, ...: whatever is done with it is an error that names it."""

    __slots__ = ("path", "reason")

    def __init__(self, path: str, reason: str):
        self.path, self.reason = path, reason

    def message(self) -> str:
        return f"{self.path} is not supported yet: {self.reason}"

    def _refuse(self, *args, **kwargs):
        from pypto.diagnostics.errors import UnsupportedFeatureError, at_caller

        raise UnsupportedFeatureError([at_caller(self.message())])

    __call__ = __getitem__ = _refuse

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        return Later(f"{self.path}.{name}", self.reason)

    def __repr__(self) -> str:
        return self.path
