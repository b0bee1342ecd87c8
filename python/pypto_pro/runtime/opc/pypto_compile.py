# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Delivery of a kernel with a tiling key to the operator build, without CANN.

`generate_binary_headers(kernel)` fills the folder `build/<kernel>__<arch>/binary`
(`PYPTO_PROG_BUILD_DIR` in place of `build` if that is set):

| file | what |
|---|---|
| `<KeyClass>_tilingkey.h` | the fields and the valid keys, for AscendC's tiling templates |
| `<TilingClass>_tiling.h` | the tiling class, if the kernel has one |
| one source a valid key | AscendC, named by the kernel |
| `<kernel>_manifest.json` | which key is which code, symbol and file |
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil
from collections.abc import Iterable
from typing import NamedTuple, Protocol, runtime_checkable

from pypto import env
from pypto.diagnostics.errors import ArgumentError, RunError, at_caller
from pypto.language.dtypes import FP16, DataType

from ..errors import DeclarationError
from ..header import tiling_header, tilingkey_header
from ..launch import DatatypeSchema
from ..progress import Progress
from ..tilingkey import TilingKeySchema
from ..valid_keys import MOST_CALLS, MOST_KEYS, at_class


class EmittedKey(NamedTuple):
    """The source of one key."""

    key: dict[str, int]
    packed: int
    symbol: str  # of the entry in the text
    file: str  # a name, without a folder
    text: str


@runtime_checkable
class DeliverableKernel(Protocol):
    """What a kernel has to have.

    `name`: of its function. `arch`: "a2", "a3" or "a5". `schema`: its tiling key, or None.
    `datatypes`: its datatype schema, or None. `tiling_class`: the dataclass of its tiling
    parameter, or None.

    `emit_keys(keys)` gives an `EmittedKey`, or such a tuple, for each key of the list, in any
    order, one after the other as they are made; all errors of all keys are raised at once.
    With a datatype schema it is `emit_keys(keys, dtypes)`, `dtypes` by variable.
    """

    name: str
    arch: str
    schema: TilingKeySchema | None
    datatypes: DatatypeSchema | None
    tiling_class: type | None

    def emit_keys(
        self, keys: list[dict[str, int]], dtypes: dict[str, DataType] | None = None
    ) -> Iterable[EmittedKey]: ...


def generate_binary_headers(
    kernel: DeliverableKernel,
    *,
    dtypes: dict[str, DataType] | None = None,
    most_keys: int = MOST_KEYS,
    most_calls: int = MOST_CALLS,
) -> str:
    """Writes the folder and gives its path. `dtypes`: the datatype dict, by parameter, as in
    a launch; FP16 for all by default. For the limits see `TilingKeySchema.valid_keys`."""
    if isinstance(kernel, type) or not isinstance(kernel, DeliverableKernel):
        message = "generate_binary_headers() expects a @pl.jit kernel, got "
        raise ArgumentError([at_caller(message + type(kernel).__name__)])
    schema = kernel.schema
    if schema is None:
        message = (
            f"generate_binary_headers() requires a tiling_key schema, but kernel '{kernel.name}' "
            "has none; binary delivery needs a tilingkey header"
        )
        raise DeclarationError([at_caller(message)])
    values = schema.valid_keys(most_keys=most_keys, most_calls=most_calls)
    if not values:
        message = f"tiling_key schema '{schema.name}' has no valid tilingkey combination"
        raise DeclarationError([at_class(schema, message)])
    chosen = _dtypes(kernel, dtypes)
    headers = {f"{schema.name}_tilingkey.h": tilingkey_header(schema, kernel.name, values)}
    if kernel.tiling_class is not None:
        name = f"{kernel.tiling_class.__name__}_tiling.h"
        headers[name] = tiling_header(kernel.tiling_class)
    folder = pathlib.Path(env.build_dir() or "build", f"{kernel.name}__{kernel.arch}", "binary")
    _Delivery(kernel, folder, chosen).write(headers, values)
    return os.path.join(".", folder) if not folder.is_absolute() else str(folder)


def _dtypes(kernel, given: dict | None) -> dict[str, DataType]:
    """The element type of each variable."""
    if kernel.datatypes is None:
        if given is not None:
            message = "datatype dict was provided but this kernel has no datatype schema"
            raise DeclarationError([at_caller(message)])
        return {}
    if given is None:
        return dict.fromkeys(kernel.datatypes.variables, FP16)
    return kernel.datatypes.resolve(given)


class _Delivery:
    """One writing of a folder. All is written beside it and moved at the end, so one that
    fails leaves an earlier delivery as it was."""

    def __init__(self, kernel, folder: pathlib.Path, dtypes: dict[str, DataType]):
        self.kernel, self.folder, self.dtypes = kernel, folder, dtypes
        self.beside = folder.with_name(folder.name + ".partial")
        self._beside = str(self.beside)
        self.manifest = f"{kernel.name}_manifest.json"
        self.files: set[str] = set()

    def write(self, headers: dict[str, str], values: list[tuple[int, ...]]) -> None:
        shutil.rmtree(self.beside, ignore_errors=True)
        self.beside.mkdir(parents=True)
        try:
            for name, text in headers.items():
                self._write(name, text)
            entries = self._sources(values)
            self._write(self.manifest, self._manifest_text(list(headers), entries))
            self._move()
        finally:
            shutil.rmtree(self.beside, ignore_errors=True)

    def _move(self) -> None:
        if not self.folder.exists():
            os.rename(self.beside, self.folder)
            return
        for name in self._files_before() - self.files:
            (self.folder / name).unlink(missing_ok=True)
        # Plain strings: there may be ten thousand.
        folder = str(self.folder)
        for name in self.files:
            os.replace(f"{self._beside}/{name}", f"{folder}/{name}")

    def _files_before(self) -> set[str]:
        """What an earlier delivery wrote here: a key that is not valid any more leaves none."""
        try:
            known = json.loads((self.folder / self.manifest).read_text(encoding="utf-8"))
            names = {*known["headers"], *(entry["file"] for entry in known["keys"])}
        except (OSError, ValueError, KeyError, TypeError):
            return set()
        return {name for name in names if os.path.basename(name) == name}

    def _write(self, name: str, text: str) -> None:
        with open(f"{self._beside}/{name}", "wb", buffering=0) as out:
            out.write(text.encode())
        self.files.add(name)

    def _sources(self, values: list[tuple[int, ...]]) -> list[dict]:
        """Writes the source of each key, and gives its entries of the manifest in key order."""
        kernel, schema = self.kernel, self.kernel.schema
        keys = [schema.as_dict(key) for key in values]
        packed = {schema.pack_values(key): index for index, key in enumerate(values)}
        entries: list[dict | None] = [None] * len(keys)
        arguments = (keys,) if kernel.datatypes is None else (keys, self.dtypes)
        with Progress(f"sources of {kernel.name}") as progress:
            for done, made in enumerate(kernel.emit_keys(*arguments), 1):
                emitted = EmittedKey(*made)
                index = packed.pop(emitted.packed, None)
                self._check(emitted, None if index is None else keys[index])
                self._write(emitted.file, emitted.text)
                entries[index] = {
                    "key": emitted.key,
                    "packed": hex(emitted.packed),
                    "symbol": emitted.symbol,
                    "file": emitted.file,
                }
                progress.tell(done / len(keys), f"{done:,} of {len(keys):,} keys")
        if packed:
            missing = keys[next(iter(packed.values()))]
            raise RunError(
                f"Failed to generate code for kernel '{kernel.name}': {len(packed):,} of "
                f"{len(keys):,} keys have no source, the first is {missing}"
            )
        return entries

    def _check(self, emitted: EmittedKey, key: dict[str, int] | None) -> None:
        start = f"Failed to generate code for kernel '{self.kernel.name}': "
        if key is None or dict(emitted.key) != key:
            code = f"{emitted.packed:#x}"
            raise RunError(f"{start}{emitted.key} with code {code} was made twice or not asked for")
        if os.path.basename(emitted.file) != emitted.file or emitted.file in self.files:
            raise RunError(f"{start}'{emitted.file}' is no file name of its own for {key}")

    def _manifest_text(self, headers: list[str], entries: list[dict]) -> str:
        """One line a key."""
        kernel, schema = self.kernel, self.kernel.schema
        head = {
            "kernel": kernel.name,
            "arch": kernel.arch,
            "headers": headers,
            "tiling_key": {
                "class": schema.name,
                "bits": schema.bits,
                "fields": [
                    {
                        "name": field.name,
                        "bits": field.bits,
                        "offset": field.offset,
                        "values": [int(value) for value in field.values],
                    }
                    for field in schema.fields
                ],
            },
            "tiling_class": getattr(kernel.tiling_class, "__name__", None),
            "dtypes": {variable: dtype.name for variable, dtype in self.dtypes.items()},
        }
        lines = [f"  {json.dumps(name)}: {json.dumps(item)}," for name, item in head.items()]
        keys = ",\n".join("    " + json.dumps(entry) for entry in entries)
        return "\n".join(["{", *lines, '  "keys": [', keys, "  ]", "}", ""])
