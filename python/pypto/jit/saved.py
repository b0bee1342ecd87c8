# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""A compiled program in its folder: what `CompiledProgram.from_dir` needs besides the sources.

`program.mlir` is the module after all passes, `program.json` what a call takes and gives.
"""

from __future__ import annotations

import json
import pathlib

from .. import __version__
from ..diagnostics.errors import RunError
from ..frontend import session
from ..frontend.functions import Parameter
from ..ir.program import Program
from ..ir.signature import Entry
from ..language.annotations import DynVar
from ..language.dtypes import DataType

MODULE, SIGNATURE = "program.mlir", "program.json"


def texts(compiled, name: str, platform: str) -> list[tuple[str, str]]:
    """(path, text) of the two files."""
    specialised = compiled.specialised
    returns = specialised.returns
    signature = {
        "pypto": __version__,
        "name": name,
        "entry": compiled.final.name,
        "platform": platform,
        "parameters": [
            _parameter(parameter, kind)
            for parameter, kind in zip(specialised.parameters, specialised.types, strict=True)
        ],
        "returns": list(returns) if isinstance(returns, tuple) else returns,
        "results": [_type(kind) for kind in specialised.results],
    }
    text = json.dumps(signature, indent=2) + "\n"
    return [(MODULE, compiled.final.as_mlir()), (SIGNATURE, text)]


def _type(kind: session.Type) -> dict:
    shape = (
        None if kind.shape is None else [None if e == session.DYNAMIC else e for e in kind.shape]
    )
    return {"shape": shape, "dtype": kind.dtype.name}


def _parameter(parameter: Parameter, kind) -> dict:
    found = {
        "name": parameter.name,
        "direction": parameter.direction,
        "dims": {str(axis): variable.name for axis, variable in parameter.dims.items()},
    }
    if isinstance(kind, session.Type):
        return found | _type(kind)
    return found | {"shape": None, "dtype": parameter.type.dtype.name, "folded": kind}


def read(folder) -> tuple:
    """(what the cache holds, name, platform) of a folder that `texts` were written to."""
    from .driver import Compiled, Specialised

    folder = pathlib.Path(folder)
    for name in (MODULE, SIGNATURE):
        if not (folder / name).is_file():
            raise RunError(
                f"'{folder}' holds no compiled program: {name} is not there, which compile() writes"
            )
    signature = json.loads((folder / SIGNATURE).read_text())
    if signature.get("pypto") != __version__:
        raise RunError(
            f"the program in '{folder}' was compiled by PyPTO {signature.get('pypto')}, and this "
            f"is {__version__}; compile it again"
        )
    final = Program.read(folder / MODULE, signature["entry"])
    variables: dict[str, DynVar] = {}
    parameters, types = [], []
    with session.LOCK:
        for saved in signature["parameters"]:
            kind = _read_type(saved)
            kind_word = "scalar" if saved["shape"] is None else "array"
            parameter = Parameter(saved["name"], kind_word, saved["direction"], kind, None)
            for axis, name in saved["dims"].items():
                parameter.dims[int(axis)] = variables.setdefault(name, DynVar(name))
            parameters.append(parameter)
            types.append(saved["folded"] if "folded" in saved else kind)
        results = [_read_type(saved) for saved in signature["results"]]
    returns = signature["returns"]
    if isinstance(returns, list):
        returns = tuple(returns)
    entry = Entry(signature["name"], [parameter.name for parameter in parameters])
    specialised = Specialised(None, parameters, types, returns, results, [], entry)
    return Compiled(specialised, final), signature["name"], signature["platform"]


def _read_type(saved: dict) -> session.Type:
    dtype = DataType.all[saved["dtype"]]
    if saved["shape"] is None:
        return session.scalar_type(dtype)
    shape = (session.DYNAMIC if extent is None else extent for extent in saved["shape"])
    return session.tensor_type(tuple(shape), dtype)
