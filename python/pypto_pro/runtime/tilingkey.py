# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Tiling keys: a few discrete fields that select one of many instances of a kernel.

A key class names its fields and, with `is_valid`, which combinations exist:

>>> class AttentionKey:
...     HasAtten = TilingKeyField(bits=1, values=[0, 1])
...     BlockM = TilingKeyField(bits=8, values=[64, 128])
...
...     def is_valid(self, key):
...         has_atten, block_m = key
...         return has_atten == 0 or block_m == 128
>>> schema = TilingKeySchema(AttentionKey)
>>> hex(schema.pack({"HasAtten": 1, "BlockM": 128}))
'0x3'
>>> schema.decode(0x2)
{'HasAtten': 0, 'BlockM': 128}
>>> list(schema.valid_keys())
[(0, 64), (0, 128), (1, 128)]

A field's bits hold the index of the value in `values`, and the first field has the
lowest bits: what the selector of AscendC's tiling templates does.
"""

from __future__ import annotations

import collections
import dataclasses
import difflib
import functools
import inspect
import numbers
import operator
import sys
from collections.abc import Iterable

from pypto.diagnostics.errors import Diagnostic, at_caller, at_code

from .errors import DeclarationError, Invalid, LaunchError, note
from .valid_keys import MOST_CALLS, MOST_KEYS, check_count, find_valid, name_key

MOST_BITS = 64


class TilingKeyField:
    """One field of a key class: `values` are the candidates, `bits` the room for their index.

    Nothing is checked here; `pl.jit(tiling_key=...)` checks the whole class.

    >>> field = TilingKeyField(bits=3, values=[16, 64, 128])
    >>> field.bits, field.values
    (3, (16, 64, 128))
    """

    def __init__(self, *, bits: int, values: Iterable[int]):
        try:
            self.values = tuple(values)
        except TypeError:
            raise TypeError(
                f"TilingKeyField: values is a list of ints, found {values!r}; write values=[...]"
            ) from None
        self.bits = bits
        self.name: str | None = None
        frame = sys._getframe(1)
        self._place = frame.f_code, frame.f_lasti

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"TilingKeyField(bits={self.bits!r}, values={list(self.values)!r})"

    def diagnostic(self, message: str, severity: str = "error") -> Diagnostic:
        """A diagnostic at the place where this field was made."""
        made = at_code(message, *self._place)
        made.severity = severity
        return made


@dataclasses.dataclass(frozen=True)
class SchemaField:
    """A checked field. `offset` is its lowest bit in the packed key."""

    name: str
    bits: int
    values: tuple[int, ...]
    offset: int
    declared: TilingKeyField = dataclasses.field(repr=False, compare=False)

    @functools.cached_property
    def index(self) -> dict[int, int]:
        """The index of each value."""
        return {value: index for index, value in enumerate(self.values)}


class TilingKeySchema:
    """The checked fields of a key class, in the order of their definition."""

    def __init__(self, cls: type):
        self.cls = cls
        self.fields = _checked_fields(cls)
        self.name: str = cls.__name__
        self.names = tuple(field.name for field in self.fields)
        self.bits = sum(field.bits for field in self.fields)
        self._is_valid = _bound_is_valid(cls)
        self._valid: list[tuple[int, ...]] | None = None

    def __repr__(self) -> str:
        fields = ", ".join(f"{field.name}: {field.bits} bits" for field in self.fields)
        return f"<tiling key {self.name} ({fields})>"

    # Keys.

    def validate_concrete(self, key: dict[str, int]) -> dict[str, int]:
        """Checks the key of a launch: every field, candidates only, accepted by `is_valid`.
        Gives it in field order, with plain ints."""
        values = tuple(self.candidates_of(key).values())
        actual = self.as_dict(values)
        reason = self.why_invalid(values)
        if reason is not None:
            found = at_caller(f"tilingkey {actual} did not pass {self.name}.is_valid")
            if reason:
                found.notes.append(note(f"it says: {reason}"))
            raise LaunchError([found])
        return actual

    def candidates_of(self, key: dict[str, int]) -> dict[str, int]:
        """The key in field order, if it has all fields and candidates only."""
        if not isinstance(key, dict):
            found = at_caller(f"tilingkey must be specified as a dict, got {type(key).__name__}")
            found.notes.append(note(f"write {{{', '.join(f'{n!r}: ...' for n in self.names)}}}"))
            raise LaunchError([found])
        if set(key) != set(self.names):
            raise LaunchError([self._wrong_names(key)])
        actual = {field.name: _candidate(field, key[field.name]) for field in self.fields}
        wrong = [
            _no_candidate(field, key[field.name])
            for field in self.fields
            if actual[field.name] is None
        ]
        if wrong:
            raise LaunchError(wrong)
        return actual

    def _wrong_names(self, key: dict) -> Diagnostic:
        given, names = sorted(key, key=str), sorted(self.names)
        found = at_caller(f"tilingkey keys {given} do not match schema fields {names}")
        missing = [name for name in self.names if name not in key]
        unknown = [name for name in key if name not in self.names]
        for name in unknown:
            close = _meant(name, missing)
            text = f"{name!r} is no field of {self.name}"
            found.notes.append(note(f"{text}; did you mean {close!r}?" if close else text))
            if close:
                missing.remove(close)
        for name in missing:
            values = list(self.field(name).values)
            found.notes.append(note(f"{name!r} is missing; its candidates are {values}"))
        return found

    def field(self, name: str) -> SchemaField:
        return self.fields[self.names.index(name)]

    def why_invalid(self, values: tuple[int, ...]) -> str | None:
        """None if `is_valid` accepts the values, which are in field order; else the reason
        that it returns, "" if it gives none. What it raises is raised, with the key noted."""
        if self._is_valid is None:
            return None
        try:
            answer = self._is_valid(values)
            if answer:
                return None
        except Exception as error:
            name_key(error, self, values)
            raise
        return answer.reason if isinstance(answer, Invalid) else ""

    @property
    def is_valid(self):
        """The bound `is_valid`, or None."""
        return self._is_valid

    def valid_keys(
        self, *, most_keys: int = MOST_KEYS, most_calls: int = MOST_CALLS
    ) -> list[tuple[int, ...]]:
        """All keys that `is_valid` accepts, as tuples in field order, the last field fastest.
        More keys than `most_keys`, or more calls of `is_valid` than `most_calls`, are an
        error; what `is_valid` does not look at needs no call."""
        if self._valid is None:
            self._valid = find_valid(self, most_keys, most_calls)
        check_count(self, len(self._valid), most_keys)
        return self._valid

    # The packed form.

    def pack(self, key: dict[str, int]) -> int:
        """The packed key: the index of each value at the bits of its field. `is_valid` is
        not asked."""
        return self.pack_values(tuple(self.candidates_of(key).values()))

    def pack_values(self, values: tuple[int, ...]) -> int:
        """`pack` for candidates in field order."""
        packed = 0
        for field, value in zip(self.fields, values, strict=True):
            packed |= field.index[value] << field.offset
        return packed

    def decode(self, packed: int) -> dict[str, int]:
        """The key that packs to this code; an error if a field's bits name no candidate."""
        if not isinstance(packed, numbers.Integral) or isinstance(packed, bool):
            raise LaunchError([at_caller(f"a packed tilingkey is an int, got {packed!r}")])
        packed = operator.index(packed)
        if packed < 0 or packed >> self.bits:
            message = f"packed tilingkey {packed:#x} does not fit the {self.bits} bits of"
            raise LaunchError([at_caller(f"{message} {self.name}")])
        key: dict[str, int] = {}
        for field in self.fields:
            index = packed >> field.offset & ((1 << field.bits) - 1)
            if index >= len(field.values):
                raise LaunchError([self._no_index(packed, field, index)])
            key[field.name] = int(field.values[index])
        return key

    def _no_index(self, packed: int, field: SchemaField, index: int) -> Diagnostic:
        high = field.offset + field.bits - 1
        found = at_caller(
            f"packed tilingkey {packed:#x} names no key of {self.name}: bits {high}-"
            f"{field.offset} hold index {index} of field {field.name!r}, which has "
            f"{len(field.values)} candidates"
        )
        found.notes.append(field.declared.diagnostic("the field is declared here", "note"))
        return found

    def as_dict(self, values: tuple[int, ...]) -> dict[str, int]:
        return dict(zip(self.names, map(int, values), strict=True))


# The class.


def _checked_fields(cls: type) -> tuple[SchemaField, ...]:
    if not isinstance(cls, type):
        raise DeclarationError([at_caller(f"tiling_key must be a class, got {type(cls).__name__}")])
    own = {name: item for name, item in vars(cls).items() if isinstance(item, TilingKeyField)}
    inherited = _inherited(cls)
    if not own:
        found = at_caller(f"tiling_key class '{cls.__name__}' has no TilingKeyField members")
        found.notes += inherited
        raise DeclarationError([found])
    _check_is_valid(cls)
    wrong = [found for name, item in own.items() if (found := _field_error(name, item))]
    if inherited:
        wrong.append(_inherited_error(cls, own, inherited))
    if wrong:
        raise DeclarationError(wrong)
    fields, offset = [], 0
    for name, item in own.items():
        bits = operator.index(item.bits)
        fields.append(SchemaField(name, bits, item.values, offset, item))
        offset += bits
    if offset > MOST_BITS:
        raise DeclarationError([_too_wide(cls, fields, offset)])
    return tuple(fields)


def _inherited(cls: type) -> list[Diagnostic]:
    """A note for each field that `cls` has from a base."""
    return [
        item.diagnostic(f"field '{name}' is inherited from class '{base.__name__}'", "note")
        for base in cls.__mro__[1:]
        for name, item in vars(base).items()
        if isinstance(item, TilingKeyField) and name not in vars(cls)
    ]


def _inherited_error(cls: type, own: dict, inherited: list[Diagnostic]) -> Diagnostic:
    found = next(iter(own.values())).diagnostic(
        f"tiling_key class '{cls.__name__}' inherits TilingKeyField members, whose order among "
        "its own would be ambiguous, and the order decides the encoding; declare all fields in "
        f"'{cls.__name__}'"
    )
    found.notes += inherited
    return found


def _field_error(name: str, item: TilingKeyField) -> Diagnostic | None:
    """The first rule that a field breaks."""
    field = f"tilingkey field '{name}'"
    bits, values = item.bits, item.values
    whole = isinstance(bits, numbers.Integral) and not isinstance(bits, bool)
    if not whole or bits <= 0:
        text = "" if whole else "; bits is an int"
        return item.diagnostic(f"{field} must have bits > 0, got {bits!r}{text}")
    if not values:
        return item.diagnostic(f"{field} must have a non-empty 'values' list")
    for value in values:
        if not isinstance(value, int) or isinstance(value, bool):
            return item.diagnostic(f"{field} values must be ints, got {value!r}")
        if not -(1 << 63) <= value < 1 << 63:
            return item.diagnostic(f"{field} values must be ints of 64 bits with sign, got {value}")
    if len(set(values)) != len(values):
        found = item.diagnostic(f"{field} values must be unique")
        twice = sorted(v for v, count in collections.Counter(values).items() if count > 1)
        found.notes.append(note(f"more than once: {', '.join(map(str, twice))}"))
        return found
    # More bits than a key has are refused as such.
    room = 1 << min(operator.index(bits), MOST_BITS)
    if len(values) > room:
        found = item.diagnostic(
            f"{field} has {len(values)} candidates, exceeding the {room} representable by "
            f"{bits} bits"
        )
        found.notes.append(note(f"write bits={(len(values) - 1).bit_length()}"))
        return found
    return None


def _too_wide(cls: type, fields: list[SchemaField], bits: int) -> Diagnostic:
    first = next(field for field in fields if field.offset + field.bits > MOST_BITS)
    found = first.declared.diagnostic(
        f"tiling_key class '{cls.__name__}' uses {bits} bits, exceeding the {MOST_BITS}-bit limit"
    )
    least = sum((len(field.values) - 1).bit_length() or 1 for field in fields)
    fits = f"; the candidates need {least} bits" if least <= MOST_BITS else ""
    found.notes.append(note(f"field '{first.name}' is the first that does not fit{fits}"))
    return found


def _check_is_valid(cls: type) -> None:
    member = getattr(cls, "is_valid", None)
    if hasattr(cls, "is_valid") and not callable(member):
        found = at_caller(f"tiling_key class '{cls.__name__}' has a non-callable 'is_valid' member")
        found.notes.append(note(f"it is {member!r}; write def is_valid(self, key)"))
        raise DeclarationError([found])
    for kind, test in (
        ("a coroutine", inspect.iscoroutinefunction),
        ("a generator", inspect.isgeneratorfunction),
        ("an async generator", inspect.isasyncgenfunction),
    ):
        if test(member):
            code = inspect.unwrap(member).__code__
            message = f"{cls.__name__}.is_valid is {kind} function: a call of it decides nothing"
            place = Diagnostic(message, code.co_filename, code.co_firstlineno, 1)
            raise DeclarationError([place])


def _bound_is_valid(cls: type):
    """`is_valid` of an instance that is made without `__init__`; None if there is none."""
    if not hasattr(cls, "is_valid"):
        return None
    try:
        instance = object.__new__(cls)
    except TypeError as error:
        message = f"tiling_key class '{cls.__name__}' has no plain instance for is_valid: {error}"
        raise DeclarationError([at_caller(message)]) from None
    return instance.is_valid


# The key of a launch.


def _candidate(field: SchemaField, value) -> int | None:
    """The candidate that a given value means; None if it is none."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        return None
    index = field.index.get(operator.index(value))
    return None if index is None else field.values[index]


def _no_candidate(field: SchemaField, value) -> Diagnostic:
    allowed = list(field.values)
    found = at_caller(
        f"tilingkey field '{field.name}' value {value!r} is not a candidate; allowed: {allowed}"
    )
    if isinstance(value, bool):
        found.notes.append(note(f"{value} is a bool; write {int(value)} if that is meant"))
    elif isinstance(value, numbers.Integral) and 0 <= value < len(allowed):
        found.notes.append(
            note(
                f"a key holds values, not their indices; index {value} is the value "
                f"{allowed[int(value)]}"
            )
        )
    found.notes.append(field.declared.diagnostic("the field is declared here", "note"))
    return found


def _meant(name, missing: list[str]) -> str | None:
    """The missing field that a name was meant to be."""
    if not isinstance(name, str):
        return None
    for field in missing:
        if field.casefold() == name.casefold():
            return field
    folded = {field.casefold(): field for field in missing}
    close = difflib.get_close_matches(name.casefold(), folded, 1)
    return folded[close[0]] if close else None
