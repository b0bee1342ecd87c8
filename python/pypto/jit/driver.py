# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What a call of a kernel does: bind, specialise, compile, keep, run."""

from __future__ import annotations

import dataclasses
import time

from .. import env
from ..diagnostics.errors import ArgumentError, CompileError, RunError, UnsupportedFeatureError
from ..frontend import session
from ..frontend.build import DATA_DTYPES
from ..frontend.module import ModuleBuilder
from ..frontend.source import MISSING
from ..ir.program import Passes, Program
from ..runtime import arrays
from ..runtime.arrays import Buffer
from ..runtime.config import RunConfig
from ..runtime.reference import ReferenceModel
from .function import RUNTIME, JITFunction


@dataclasses.dataclass
class Specialised:
    """A program for given shapes, element types and scalars, before all passes."""

    program: Program
    parameters: list
    # For each parameter: the type of an array or a run-time scalar, or the value folded in.
    types: list
    returns: object
    # What was read from around the functions: (holder, name, value). A function's
    # source is taken once, so a function that is still the same has the same text.
    reads: list
    entry: JITFunction

    @property
    def directions(self) -> list[str]:
        return [parameter.direction for parameter in self.parameters]


@dataclasses.dataclass
class Compiled:
    """What the cache holds."""

    specialised: Specialised
    final: Program
    model: ReferenceModel | None = None


def is_function(value) -> bool:
    return isinstance(value, JITFunction)


# Binding.


def parameter_names(function: JITFunction) -> list[str]:
    found = getattr(function, "_names", None)
    if found is None:
        arguments = function.source.tree.args
        nodes = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        found = [node.arg for node in nodes][1 if function.program is not None else 0 :]
        function._names = found
    return found


def bind(function: JITFunction, args: tuple, kwargs: dict) -> list:
    """An argument for each parameter: a Buffer, a number, RUNTIME, or MISSING."""
    names = parameter_names(function)
    if len(args) > len(names):
        raise ArgumentError(
            f"{function.__name__} takes {len(names)} arguments ({', '.join(names)}), found "
            f"{len(args) + len(kwargs)}"
        )
    values = list(args) + [MISSING] * (len(names) - len(args))
    for name, value in kwargs.items():
        if name not in names:
            raise ArgumentError(
                f"{function.__name__} has no parameter '{name}'; it has {', '.join(names)}"
            )
        index = names.index(name)
        if values[index] is not MISSING:
            raise ArgumentError(f"argument '{name}' of {function.__name__} is given twice")
        values[index] = value
    return [
        value if value is MISSING or value is RUNTIME else _argument(name, value)
        for name, value in zip(names, values, strict=False)
    ]


def _argument(name: str, value):
    return arrays.scalar(value) if arrays.is_scalar(value) else arrays.buffer(name, value)


def _key(value):
    if isinstance(value, Buffer):
        return value.shape, value.dtype
    # True, 1 and 1.0 are equal and mean different programs; so are 0.0 and -0.0.
    return value if value in (MISSING, RUNTIME) else (type(value), repr(value))


def _config(config) -> RunConfig:
    if config is None:
        return RunConfig()
    if not isinstance(config, RunConfig):
        raise TypeError(f"config is a pypto.runtime.RunConfig, found {type(config).__name__}")
    return config


def _choose_types(function: JITFunction, values: list):
    """For the module builder: what each parameter is in this specialisation."""

    def choose(parameters) -> list:
        return [
            _array_type(function, parameter, value)
            if parameter.kind == "array"
            else _scalar_type(function, parameter, value)
            for parameter, value in zip(parameters, values, strict=False)
        ]

    return choose


def _array_type(function: JITFunction, parameter, value):
    name = parameter.name
    if value is MISSING:
        if parameter.type is None:
            raise ArgumentError(
                f"{function.__name__}: argument '{name}' is missing, and its annotation says no "
                "shape"
            )
        return parameter.type
    if not isinstance(value, Buffer):
        raise ArgumentError(f"argument '{name}' is an array, found {value!r}")
    if parameter.type is not None:
        arrays.check(name, value, parameter.type.shape, parameter.type.dtype, parameter.direction)
        return parameter.type
    if value.dtype not in DATA_DTYPES:
        known = ", ".join(map(str, DATA_DTYPES))
        raise ArgumentError(
            f"argument '{name}' has elements of {value.dtype}; kernels take {known}"
        )
    if not value.shape or 0 in value.shape:
        raise ArgumentError(
            f"argument '{name}' has shape {list(value.shape)}; it has no elements to work on"
            if 0 in value.shape
            else f"argument '{name}' is an array, found a number"
        )
    arrays.check_layout(name, value, parameter.direction)
    return session.tensor_type(value.shape, value.dtype)


def _scalar_type(function: JITFunction, parameter, value):
    name, dtype = parameter.name, parameter.type.dtype
    if value is RUNTIME:
        return parameter.type
    if value is MISSING:
        if parameter.default is MISSING:
            raise ArgumentError(f"{function.__name__}: argument '{name}' is missing")
        value = parameter.default
    if isinstance(value, Buffer):
        raise ArgumentError(f"argument '{name}' is a scalar ({dtype}), found an array {value}")
    return number(name, value, dtype)


def number(name: str, value, dtype):
    """A caller's number as `dtype` holds it."""
    if dtype.kind == "bool":
        return bool(value)
    if dtype.is_float:
        return float(value)
    if isinstance(value, float) and not value.is_integer():
        raise ArgumentError(f"argument '{name}' is {dtype}, found {value}")
    value = int(value)
    limit = 1 << (dtype.bits - 1)
    if not -limit <= value < limit:
        raise ArgumentError(f"argument '{name}' is {dtype}, and {value} does not fit")
    return value


# Specialising.


def specialise(function: JITFunction, args: tuple, kwargs: dict) -> Specialised:
    values = bind(function, args, kwargs)
    with session.LOCK:
        return _specialise(function, values)


def _specialise(function: JITFunction, values: list) -> Specialised:
    builder = ModuleBuilder(function, is_function)
    chosen: list = []

    def types(parameters) -> list:
        chosen.extend(_choose_types(function, values)(parameters))
        return chosen

    built = builder.build(types)
    program = Program(built.module.operation.clone(), built.entry)
    return Specialised(program, built.parameters, chosen, built.returns, built.reads, function)


def _current(specialised: Specialised) -> bool:
    """Whether what was read from around the functions is still the same."""
    from ..frontend.module import read_again, same_value

    return all(
        same_value(read_again(holder, name), value) for holder, name, value in specialised.reads
    )


def _cached(function: JITFunction, values: list, config: RunConfig) -> Compiled:
    key = (config.platform, env.key(), tuple(map(_key, values)))
    entries = function._cache.get(key, [])
    for entry in entries:
        if _current(entry.specialised):
            return entry
    specialised = _specialise(function, values)
    made = Compiled(specialised, specialised.program.after(Passes.pipeline(config.target)))
    # Only now: nothing is kept of a program that is wrong.
    function._cache[key] = [*entries, made]
    return made


# What a JITFunction offers.


def call(function: JITFunction, args: tuple, kwargs: dict, config):
    config = _config(config)
    config.require_simulator()
    values = bind(function, args, kwargs)
    for name, value in zip(parameter_names(function), values, strict=False):
        if value is RUNTIME:
            raise ArgumentError(
                f"argument '{name}' is pl.RUNTIME, which compile() takes; a call takes the number"
            )
    with session.LOCK:
        return run(_cached(function, values, config), values, config)


def run(compiled: Compiled, values: list, config: RunConfig):
    """Runs on the reference model; gives back what the kernel returns."""
    specialised = compiled.specialised
    given, buffers = [], []
    for parameter, kind, value in zip(
        specialised.parameters, specialised.types, values, strict=False
    ):
        if parameter.kind == "array":
            arrays.check(parameter.name, value, kind.shape, kind.dtype, parameter.direction)
            buffers.append((parameter.name, value, parameter.direction))
            given.append(value)
        elif isinstance(kind, session.Type):
            given.append(number(parameter.name, value, kind.dtype))
    arrays.check_overlap(buffers)
    if compiled.model is None:
        compiled.model = ReferenceModel(compiled.final._operation, compiled.final.name)
    limit = env.step_limit() if config.step_limit is None else config.step_limit
    compiled.model.run(given, limit)
    return _returned(specialised.returns, values)


def _returned(returns, values: list):
    if returns is None:
        return None
    if isinstance(returns, tuple):
        return tuple(values[index].owner for index in returns)
    return values[returns].owner


def lower(function: JITFunction, args: tuple, kwargs: dict, config) -> Program:
    config = _config(config)
    specialised = specialise(function, args, kwargs)
    return specialised.program.after(Passes.pipeline(config.target))


def compile(function: JITFunction, args: tuple, kwargs: dict, config, dump_passes):
    from .compiled import CompiledProgram, snapshots

    config = _config(config)
    if dump_passes is None:
        dump_passes = config.dump_passes
    if not isinstance(dump_passes, bool):
        raise UnsupportedFeatureError(
            f"dump_passes={dump_passes!r} is not supported yet; True or False is"
        )
    values = bind(function, args, kwargs)
    dumps: dict[str, str] = {}
    with session.LOCK:
        compiled = _cached(function, values, config)
        if dump_passes:
            dumps = snapshots(compiled.specialised.program, config.target)
        sources = compiled.final.emit()
    return CompiledProgram(function, compiled, config, sources, dumps)


def stage_times(function: JITFunction, args: tuple, kwargs: dict, repeat: int) -> dict[str, float]:
    """Seconds that the front end, the passes and the emission take; the best of `repeat`."""
    best = {"frontend": float("inf"), "passes": float("inf"), "emit": float("inf")}
    passes = Passes.pipeline(RunConfig().target)
    for _ in range(repeat):
        begin = time.perf_counter()
        program = specialise(function, args, kwargs).program
        built = time.perf_counter()
        final = program.after(passes)
        lowered = time.perf_counter()
        final.emit()
        end = time.perf_counter()
        taken = {"frontend": built - begin, "passes": lowered - built, "emit": end - lowered}
        best = {stage: min(best[stage], taken[stage]) for stage in best}
    return best


__all__ = ["CompileError", "RunError", "call", "compile", "lower", "specialise", "stage_times"]
