# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The brackets of a launch, `kernel[stream, block_dim, key, datatype]`, and what a decorator
checks for them: names of fields, parameters and dtype variables.

>>> from pypto_pro.runtime.tilingkey import TilingKeyField
>>> class MyKey:
...     UseFastPath = TilingKeyField(bits=1, values=[0, 1])
>>> schema = TilingKeySchema(MyKey)
>>> launch = parse_launch((None, 8, {"UseFastPath": 1}), schema, None, "kernel")
>>> launch.block_dim, launch.key, launch.packed
(8, {'UseFastPath': 1}, 1)
"""

from __future__ import annotations

import dataclasses
import keyword
import numbers
import operator
from collections.abc import Iterable, Mapping

from pypto.diagnostics.errors import ArgumentError, at_caller
from pypto.language.dtypes import DataType

from .errors import DeclarationError, LaunchError, note
from .tilingkey import TilingKeySchema


@dataclasses.dataclass(frozen=True)
class Launch:
    """What the brackets of a launch hold. `key`, in field order, and `packed` are None
    without a tiling key; `dtypes`, by variable name, is None without a datatype schema."""

    stream: object = None
    block_dim: int = 1
    key: dict[str, int] | None = None
    packed: int | None = None
    dtypes: dict[str, DataType] | None = None


def _declaration(message: str) -> DeclarationError:
    return DeclarationError([at_caller(message)])


def _launch(message: str, *notes: str) -> LaunchError:
    found = at_caller(message)
    found.notes += [note(text) for text in notes]
    return LaunchError([found])


# What a decorator checks.


def check_conflicts(
    schema: TilingKeySchema, parameters: Iterable[str], captured: Mapping[str, object]
) -> None:
    """A field's name must not be that of a parameter or of a plain variable of the module or
    of an enclosing function. `captured`: those variables by name; functions, classes and
    names that begin with two underscores are not looked at."""
    names = set(schema.names)
    _refuse(schema, names & set(parameters), "kernel parameter")
    plain = {
        name
        for name in names & set(captured)
        if not name.startswith("__") and not callable(captured[name])
    }
    _refuse(schema, plain, "module-level variable")


def _refuse(schema: TilingKeySchema, names: set[str], kind: str) -> None:
    if not names:
        return
    ordered = [name for name in schema.names if name in names]
    shown = "{" + ", ".join(map(repr, ordered)) + "}"
    found = schema.field(ordered[0]).declared.diagnostic(
        f"TilingKey field name(s) conflict with {kind} name(s): {shown}; the kernel would read "
        "one name for two values, so rename the field or the variable"
    )
    found.notes += [
        schema.field(name).declared.diagnostic("and this field", "note") for name in ordered[1:]
    ]
    raise DeclarationError([found])


class DatatypeSchema:
    """The `datatype=` of `pl.jit`: for parameters, the name of the variable that holds the
    element type of a launch.

    >>> schema = DatatypeSchema({"x": "T", "out": "T"})
    >>> schema.variables
    ('T',)
    """

    def __init__(self, mapping: dict[str, str]):
        if not isinstance(mapping, dict) or not mapping:
            raise _declaration(
                "datatype must be a non-empty dict mapping param name to dtype variable name, "
                f"got {mapping!r}"
            )
        for parameter, variable in mapping.items():
            if not isinstance(parameter, str) or not parameter:
                raise _declaration(
                    f"datatype param names must be non-empty strings, got {parameter!r}"
                )
            if not _is_name(variable):
                raise _declaration(
                    f"datatype variable for param '{parameter}' must be a valid Python "
                    f"identifier, got {variable!r}"
                )
        self.mapping = dict(mapping)
        self.variables = tuple(dict.fromkeys(mapping.values()))

    def check_function(
        self, name: str, parameters: Iterable[str], schema: TilingKeySchema | None = None
    ) -> None:
        """What can be checked when the kernel function is known."""
        parameters = set(parameters)
        unknown = [parameter for parameter in self.mapping if parameter not in parameters]
        if unknown:
            raise _declaration(
                f"datatype params {unknown} do not match kernel function '{name}' parameters "
                f"{sorted(parameters)}"
            )
        taken = [variable for variable in self.variables if variable in parameters]
        if taken:
            raise _declaration(f"datatype variable names conflict with kernel params: {taken}")
        taken = [name for name in self.variables if schema is not None and name in schema.names]
        if taken:
            raise _declaration(f"datatype variable names conflict with tiling_key fields: {taken}")

    def resolve(self, given: dict[str, DataType]) -> dict[str, DataType]:
        """The element type of each variable, from the dict of a launch."""
        if not isinstance(given, dict):
            raise _launch(
                f"datatype kernel launch requires a dtype dict, got {type(given).__name__}",
                f"write {{{', '.join(f'{name!r}: pl.DT_...' for name in self.mapping)}}}",
            )
        if set(given) != set(self.mapping):
            raise _launch(
                f"datatype keys {sorted(given, key=str)} do not match schema params "
                f"{sorted(self.mapping)}"
            )
        found: dict[str, DataType] = {}
        for parameter, variable in self.mapping.items():
            dtype = given[parameter]
            if not isinstance(dtype, DataType):
                message = f"datatype['{parameter}'] must be a pypto_pro.DataType, got "
                raise ArgumentError([at_caller(message + type(dtype).__name__)], (parameter,))
            if found.setdefault(variable, dtype) is not dtype:
                raise _launch(
                    f"datatype params mapped to variable '{variable}' disagree: "
                    f"{found[variable]} vs {dtype}"
                )
        return found


def _is_name(text) -> bool:
    return isinstance(text, str) and text.isidentifier() and not keyword.iskeyword(text)


# What a launch checks.


def parse_launch(
    item: object,
    schema: TilingKeySchema | None,
    datatypes: DatatypeSchema | None,
    name: str,
) -> Launch:
    """Checks the brackets of `kernel[item]`. `name`: of the kernel, for messages."""
    parts = item if isinstance(item, tuple) else (item,)
    form = _form(schema, datatypes)
    if len(parts) != len(form) and not (len(form) == 2 and len(parts) == 1):
        raise _wrong_form(parts, schema, datatypes, name)
    stream, block_dim = (None, *parts) if len(parts) == 1 else parts[:2]
    launch = Launch(stream, _block_dim(block_dim))
    rest = list(parts[2:])
    if schema is not None:
        key = schema.validate_concrete(rest.pop(0))
        launch = dataclasses.replace(launch, key=key, packed=schema.pack(key))
    if datatypes is not None:
        launch = dataclasses.replace(launch, dtypes=datatypes.resolve(rest.pop(0)))
    return launch


def _form(schema, datatypes) -> list[str]:
    form = ["stream", "block_dim"]
    form += ["tilingkey"] if schema is not None else []
    form += ["datatype"] if datatypes is not None else []
    return form


def _wrong_form(parts: tuple, schema, datatypes, name: str) -> LaunchError:
    expected = f"Expected kernel[{', '.join(_form(schema, datatypes))}]"
    if schema is None and datatypes is None:
        expected += " or kernel[block_dim]"
    few = "" if len(parts) == 1 else "s"
    message = f"{expected}, found {len(parts)} item{few} in the brackets of '{name}'"
    dicts = [part for part in parts[2:] if isinstance(part, dict)]
    dtypes = [d for d in dicts if d and all(isinstance(v, DataType) for v in d.values())]
    notes = []
    if datatypes is None and dtypes:
        notes.append("datatype dict was provided but this kernel has no datatype schema")
    if schema is None and len(dicts) > len(dtypes):
        notes.append(f"'{name}' has no tiling key; pl.jit(tiling_key=...) binds one")
    if schema is not None and len(dicts) == len(dtypes):
        fields = ", ".join(f"{field!r}: ..." for field in schema.names)
        notes.append(f"the tilingkey of '{name}' is a dict {{{fields}}}")
    return _launch(message, *notes)


def _block_dim(value) -> int:
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole or value <= 0:
        raise _launch(f"block_dim must be a positive integer, got {value!r}")
    return operator.index(value)


def refuse_direct_call(
    name: str, schema: TilingKeySchema | None, datatypes: DatatypeSchema | None
) -> None:
    """A kernel with a tiling key or a datatype schema cannot be called without brackets."""
    if schema is None and datatypes is None:
        return
    form = ", ".join(_form(schema, datatypes))
    raise _launch(
        f"Kernel '{name}' has compile-time specialization and cannot be called directly; use "
        f"bracket-launch syntax: {name}[{form}](...)"
    )
