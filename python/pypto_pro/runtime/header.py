# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The C++ headers that the operator build reads: the tiling key's and the tiling class's."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable

from pypto.diagnostics.errors import at_caller

from .errors import DeclarationError
from .tilingkey import TilingKeySchema

MOST_ELEMENTS = 2048
_TYPES = {"int": "int64_t", "float": "float", "bool": "bool"}
_ANNOTATION = re.compile(r"(int|float|bool)\s*(?:\[\s*(\d+)\s*\])?")
_CPP_WORDS = frozenset(
    "alignas alignof asm auto bool case catch char const constexpr const_cast decltype default "
    "delete do double dynamic_cast enum explicit export extern false float friend goto inline int "
    "long mutable namespace new noexcept nullptr operator private protected public register "
    "reinterpret_cast short signed sizeof static static_assert static_cast struct switch template "
    "this thread_local throw true typedef typeid typename union unsigned using virtual void "
    "volatile wchar_t".split()
)


def tilingkey_header(
    schema: TilingKeySchema, kernel: str, keys: Iterable[tuple[int, ...]] | None = None
) -> str:
    """The text of `<KeyClass>_tilingkey.h`. `keys`: the valid ones, in field order.

    >>> from pypto_pro.runtime.tilingkey import TilingKeyField, TilingKeySchema
    >>> class DemoKey:
    ...     Mode = TilingKeyField(bits=2, values=[5, 9, 7])
    ...
    ...     def is_valid(self, key):
    ...         return key[0] == 9
    >>> print(tilingkey_header(TilingKeySchema(DemoKey), "axpb"), end="")
    #include "ascendc/host_api/tiling/template_argument.h"
    <BLANKLINE>
    #define ASCENDC_TPL_2_BW 2
    <BLANKLINE>
    ASCENDC_TPL_ARGS_DECL(axpb,
        // bit:1-0
        ASCENDC_TPL_UINT_DECL(Mode, ASCENDC_TPL_2_BW, ASCENDC_TPL_UI_LIST, 5, 9, 7),
    );
    <BLANKLINE>
    ASCENDC_TPL_SEL(
        ASCENDC_TPL_ARGS_SEL(
            ASCENDC_TPL_UINT_SEL(Mode, ASCENDC_TPL_UI_LIST, 9)
        )
    );
    """
    if keys is None:
        keys = schema.valid_keys()
    widths = sorted({field.bits for field in schema.fields})
    lines = ['#include "ascendc/host_api/tiling/template_argument.h"', ""]
    lines += [f"#define ASCENDC_TPL_{width}_BW {width}" for width in widths]
    lines += ["", f"ASCENDC_TPL_ARGS_DECL({kernel},"]
    for field in schema.fields:
        values = ", ".join(str(int(value)) for value in field.values)
        lines += [
            f"    // bit:{field.offset + field.bits - 1}-{field.offset}",
            f"    ASCENDC_TPL_UINT_DECL({field.name}, ASCENDC_TPL_{field.bits}_BW, "
            f"ASCENDC_TPL_UI_LIST, {values}),",
        ]
    lines += [");", "", "ASCENDC_TPL_SEL("]
    return "\n".join(lines) + "\n" + _selectors(schema, keys) + "\n);\n"


def _selectors(schema: TilingKeySchema, keys: Iterable[tuple[int, ...]]) -> str:
    lines = [
        {
            int(value): f"        ASCENDC_TPL_UINT_SEL({field.name}, ASCENDC_TPL_UI_LIST, "
            f"{int(value)})"
            for value in field.values
        }
        for field in schema.fields
    ]
    groups = (
        ",\n".join([texts[value] for texts, value in zip(lines, key, strict=True)]) for key in keys
    )
    return ",\n".join(f"    ASCENDC_TPL_ARGS_SEL(\n{group}\n    )" for group in groups)


@dataclasses.dataclass(frozen=True)
class TilingField:
    """A field of a tiling class. `count` is None for one that is no array."""

    name: str
    kind: str  # "int", "float" or "bool"
    count: int | None

    @property
    def declaration(self) -> str:
        size = "" if self.count is None else f"[{self.count}]"
        return f"{_TYPES[self.kind]} {self.name}{size};"


def tiling_fields(cls: type) -> list[TilingField]:
    """The fields of a tiling class, which is a dataclass, in their order."""
    if not isinstance(cls, type) or not dataclasses.is_dataclass(cls):
        raise DeclarationError([at_caller(f"a tiling class is a @dataclass, found {cls!r}")])
    fields = [_tiling_field(cls, field) for field in dataclasses.fields(cls)]
    if not fields:
        raise DeclarationError([at_caller(f"Tiling class '{cls.__name__}' has no field")])
    return fields


def _tiling_field(cls: type, field: dataclasses.Field) -> TilingField:
    whole = f"field '{field.name}' of tiling class '{cls.__name__}'"
    text = field.type if isinstance(field.type, str) else getattr(field.type, "__name__", "")
    found = _ANNOTATION.fullmatch(text.strip().strip("'\""))
    if found is None:
        shown = field.type if isinstance(field.type, str) else repr(field.type)
        raise _wrong(
            f"{whole} is an int, float, bool or an array of them, such as int[4], found {shown}"
        )
    if field.name in _CPP_WORDS:
        raise _wrong(f"{whole} has the name of a C++ keyword; rename it")
    count = None if found[2] is None else int(found[2])
    if count == 0:
        raise _wrong(f"{whole}: Array size must be at least 1, got 0")
    if count is not None and count > MOST_ELEMENTS:
        raise _wrong(f"{whole}: Array size must not exceed {MOST_ELEMENTS}, got {count}")
    return TilingField(field.name, found[1], count)


def _wrong(message: str) -> DeclarationError:
    return DeclarationError([at_caller(message)])


def tiling_header(cls: type) -> str:
    """The text of `<TilingClass>_tiling.h`.

    >>> import dataclasses
    >>> @dataclasses.dataclass
    ... class OpTiling:
    ...     rows: int
    ...     scale: float
    ...     sizes: "int[4]"
    >>> print(tiling_header(OpTiling), end="")
    #pragma once
    <BLANKLINE>
    class OpTiling {
    public:
        int64_t rows;
        float scale;
        int64_t sizes[4];
    };
    """
    fields = [f"    {field.declaration}" for field in tiling_fields(cls)]
    head = ["#pragma once", "", f"class {cls.__name__} {{", "public:"]
    return "\n".join([*head, *fields, "};", ""])
