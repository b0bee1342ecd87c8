# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What a call of a kernel does: bind, specialise, compile, keep, run."""

from __future__ import annotations

import dataclasses
import functools
import math
import time

from .. import env
from ..diagnostics.errors import (
    ArgumentError,
    CompileError,
    Diagnostic,
    RunError,
    UnsupportedFeatureError,
)
from ..diagnostics.suggest import suggestion
from ..frontend import session
from ..frontend.build import DATA_DTYPES
from ..frontend.functions import open_type
from ..frontend.module import ModuleBuilder
from ..frontend.source import MISSING
from ..ir.options import PassDumpLevel
from ..ir.program import Passes, Program, pass_of
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
    # The types of arrays that the program makes and returns, parameters behind the others.
    results: list
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

    def get_model(self) -> ReferenceModel:
        if self.model is None:
            self.model = ReferenceModel(self.final._operation, self.final.name)
        return self.model


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


def locates(work):
    """For what takes a function and the arguments of a call: an error about an argument
    stands at the parameter's annotation, one about all of them at the function's name."""

    @functools.wraps(work)
    def wrapper(function: JITFunction, *rest):
        try:
            return work(function, *rest)
        except ArgumentError as error:
            locate(function, error)
            raise

    return wrapper


def locate(function: JITFunction, error: ArgumentError) -> None:
    found = error.diagnostics[0]
    if found.file is not None or function.source is None:
        return
    source = function.source
    arguments = source.tree.args
    nodes = {
        node.arg: node.annotation or node
        for node in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    }
    places = [nodes[name] for name in error.parameters]
    if not places:
        line, begin = source.tree.lineno, source.tree.col_offset + len("def ")
        _place(found, source, line, begin, begin + len(source.tree.name))
        return
    for diagnostic, node in zip([found, *found.notes], places, strict=False):
        end = node.end_col_offset if node.end_lineno == node.lineno else None
        _place(diagnostic, source, node.lineno, node.col_offset, end)


def _place(diagnostic: Diagnostic, source, line: int, begin: int, end: int | None) -> None:
    diagnostic.file, diagnostic.line = source.file, line
    diagnostic.column = source.column(line, begin)
    diagnostic.end_column = 0 if end is None else source.column(line, end)


def _about(name: str, work, *rest):
    """Does `work`; an error of it is one about argument `name`."""
    try:
        return work(*rest)
    except ArgumentError as error:
        error.parameters = error.parameters or (name,)
        raise


def bind(function: JITFunction, args: tuple, kwargs: dict) -> list:
    """An argument for each parameter: a Buffer, a number, RUNTIME, MISSING, or what it
    is if no parameter takes it, which is said where the parameter's kind is known."""
    names = parameter_names(function)
    arguments = function.source.tree.args if function.source is not None else None
    if arguments is not None and (arguments.vararg or arguments.kwarg):
        # The front end refuses them by name.
        return [MISSING] * len(names)
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
                + suggestion(name, names)
            )
        index = names.index(name)
        if values[index] is not MISSING:
            raise ArgumentError(f"argument '{name}' of {function.__name__} is given twice", (name,))
        values[index] = value
    return [
        value if value is MISSING or value is RUNTIME else _about(name, _argument, name, value)
        for name, value in zip(names, values, strict=False)
    ]


def _argument(name: str, value):
    if arrays.is_scalar(value):
        return arrays.scalar(value)
    return arrays.buffer(name, value) if arrays.is_array(value) else value


def require_all(function: JITFunction, values: list) -> None:
    """A call gives every argument that has no default."""
    defaults: list = [None] * len(values)
    if function.source is not None:
        arguments = function.source.tree.args
        count = len(arguments.posonlyargs) + len(arguments.args)
        plain = [None] * (count - len(arguments.defaults)) + list(arguments.defaults)
        defaults = (plain + list(arguments.kw_defaults))[-len(values) :]
    for name, value, default in zip(parameter_names(function), values, defaults, strict=False):
        if value is MISSING and default is None:
            raise _missing(function, name)
        if value is RUNTIME:
            raise ArgumentError(
                f"argument '{name}' is pl.RUNTIME, which compile() takes; a call takes the number",
                (name,),
            )


def _missing(function: JITFunction, name: str) -> ArgumentError:
    names = ", ".join(parameter_names(function))
    return ArgumentError(
        f"argument '{name}' is missing; {function.__name__} takes ({names})", (name,)
    )


def _keys(function: JITFunction, values: list) -> tuple:
    """What a program is kept by. An extent that the call says (pl.dynamic) is none of it."""
    dims = function._dims or [frozenset()] * len(values)
    return tuple(map(_key, values, dims))


def _key(value, dims=frozenset()):
    if isinstance(value, Buffer):
        extents = enumerate(value.shape)
        return tuple(None if axis in dims else extent for axis, extent in extents), value.dtype
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
            _about(
                parameter.name,
                _array_type if parameter.kind == "array" else _scalar_type,
                function,
                parameter,
                value,
            )
            for parameter, value in zip(parameters, values, strict=False)
        ]

    return choose


def _array_type(function: JITFunction, parameter, value):
    name = parameter.name
    if value is MISSING:
        if parameter.type is None:
            raise ArgumentError(
                f"argument '{name}' is missing, and its annotation says no shape; "
                f"{function.__name__} takes ({', '.join(parameter_names(function))})"
            )
        return parameter.type
    if value is RUNTIME:
        raise ArgumentError(f"argument '{name}' is an array, and pl.RUNTIME is for scalars")
    arrays.require(name, value)
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
    if any(axis >= len(value.shape) for axis in parameter.dims):
        raise ArgumentError(
            f"argument '{name}' has {len(value.shape)} dimensions, and {max(parameter.dims)} is "
            "declared pl.dynamic"
        )
    return open_type(session.tensor_type(value.shape, value.dtype), parameter.dims)


def _scalar_type(function: JITFunction, parameter, value):
    name, dtype = parameter.name, parameter.type.dtype
    if value is RUNTIME:
        return parameter.type
    if value is MISSING:
        if parameter.default is MISSING:
            raise _missing(function, name)
        value = parameter.default
    if arrays.is_scalar(value):
        value = arrays.scalar(value)
    if isinstance(value, Buffer):
        raise ArgumentError(f"argument '{name}' is a scalar ({dtype}), found an array {value}")
    return number(name, value, dtype)


# What rounds to infinity.
_OVERFLOW = {
    "FP16": (2 - 2.0**-11) * 2.0**15,
    "BF16": (2 - 2.0**-8) * 2.0**127,
    "FP32": (2 - 2.0**-24) * 2.0**127,
}


def number(name: str, value, dtype):
    """A caller's number as `dtype` holds it."""
    if not isinstance(value, (bool, int, float)):
        raise ArgumentError(f"argument '{name}' is a scalar ({dtype}), found {value!r}")
    if dtype.kind == "bool":
        return bool(value)
    if dtype.is_float:
        if math.isfinite(value) and abs(value) >= _OVERFLOW.get(dtype.name, math.inf):
            raise ArgumentError(f"argument '{name}' is {dtype}, and {value} overflows it")
        return float(value)
    if isinstance(value, float) and not value.is_integer():
        raise ArgumentError(f"argument '{name}' is {dtype}, found {value}")
    value = int(value)
    unsigned = bool(dtype.is_unsigned_int)
    limit = 1 << (dtype.bits if unsigned else dtype.bits - 1)
    if not (0 if unsigned else -limit) <= value < limit:
        raise ArgumentError(f"argument '{name}' is {dtype}, and {value} does not fit")
    return value


# Specialising.


@locates
def specialise(
    function: JITFunction, args: tuple, kwargs: dict, config: RunConfig | None = None
) -> Specialised:
    values = bind(function, args, kwargs)
    with session.LOCK:
        return _specialise(function, values, _config(config))


def _specialise(function: JITFunction, values: list, config: RunConfig) -> Specialised:
    builder = ModuleBuilder(function, is_function)
    chosen: list = []

    def types(parameters) -> list:
        chosen.extend(_choose_types(function, values)(parameters))
        return chosen

    built = builder.build(types)
    label = function.program.__name__ if function.program is not None else None
    program = Program(built.module.operation.clone(), built.entry, label).on(config.target)
    specialised = Specialised(
        program, built.parameters, chosen, built.returns, built.results, built.reads, function
    )
    program.specialised = specialised
    return specialised


def _current(specialised: Specialised) -> bool:
    """Whether what was read from around the functions is still the same."""
    from ..frontend.module import read_again, same_value

    return all(
        same_value(read_again(holder, name), value) for holder, name, value in specialised.reads
    )


def _cached(function: JITFunction, values: list, config: RunConfig, then=None):
    """The program for the arguments, or what `then` makes of it. A program is kept
    only when that went well: nothing is kept of one that is wrong."""
    key = (config.platform, env.key(), _keys(function, values))
    entries = function._cache.get(key, [])
    for entry in entries:
        if _current(entry.specialised):
            return entry if then is None else then(entry)
    specialised = _specialise(function, values, config)
    made = Compiled(specialised, specialised.program.after(Passes.pipeline(config.target)))
    result = made if then is None else then(made)
    # Only now it is known which extents the call says.
    function._dims = [frozenset(parameter.dims) for parameter in specialised.parameters]
    key = (config.platform, env.key(), _keys(function, values))
    function._cache[key] = [*entries, made]
    return result


# What a JITFunction offers.


@locates
def call(function: JITFunction, args: tuple, kwargs: dict, config):
    config = _config(config)
    config.require_simulator()
    values = bind(function, args, kwargs)
    require_all(function, values)
    with session.LOCK:
        return _cached(function, values, config, lambda made: run(made, values, config))


def given(specialised: Specialised, values: list) -> list[tuple[str, str, object]]:
    """Name, direction and value (a Buffer or a number) of each parameter that a run takes;
    last the arrays that the program makes and returns."""
    found = []
    for parameter, kind, value in zip(
        specialised.parameters, specialised.types, values, strict=False
    ):
        name, direction = parameter.name, parameter.direction
        if parameter.kind == "array":
            _about(name, arrays.check, name, value, kind.shape, kind.dtype, direction)
            found.append((name, direction, value))
        elif isinstance(kind, session.Type):
            if value is MISSING:
                value = parameter.default
            found.append((name, direction, _about(name, number, name, value, kind.dtype)))
    _check_dynamic(specialised, found)
    arrays.check_overlap(_buffers(found))
    like = [value for _, _, value in found]
    for place, kind in enumerate(specialised.results, 1):
        name = "result" if len(specialised.results) == 1 else f"result {place}"
        found.append((name, "out", arrays.empty(kind.shape, kind.dtype, like)))
    return found


def _check_dynamic(specialised: Specialised, found: list) -> None:
    """Where one pl.dynamic stands twice, the extents are equal."""
    given_ = {name: value for name, _, value in found}
    first: dict = {}
    for parameter in specialised.parameters:
        for axis, variable in parameter.dims.items():
            extent = given_[parameter.name].shape[axis]
            name, at, known = first.setdefault(variable, (parameter.name, axis, extent))
            if extent != known:
                raise ArgumentError(
                    f"argument '{parameter.name}' has extent {extent} in dimension {axis}, where "
                    f"'{name}' has {known} in dimension {at}; both are {variable!r}"
                )


def _buffers(found: list) -> list[tuple[str, Buffer, str]]:
    """The arrays among what a run is given."""
    return [(n, v, d) for n, d, v in found if isinstance(v, Buffer)]


def options(config: RunConfig) -> dict:
    """What a ReferenceModel's run takes of a configuration."""
    limit = env.step_limit() if config.step_limit is None else config.step_limit
    return {
        "step_limit": limit,
        "checks": config.checks,
        "schedules": config.schedules,
        "seed": config.schedule_seed,
    }


def run(compiled: Compiled, values: list, config: RunConfig):
    """Runs on the reference model; gives back what the kernel returns. A run that
    fails leaves the caller's arrays as they were."""
    specialised = compiled.specialised
    found = given(specialised, values)
    made = _made(specialised, found)
    arguments = [value for _, _, value in found]
    with arrays.unchanged_on_failure(_buffers(found)):
        if config.trace is None:
            compiled.get_model().run(arguments, **options(config))
        else:
            with config.trace.watcher() as watcher:
                model = stage_model(compiled, config.trace.stage, config)
                model.run(arguments, **options(config), watcher=watcher)
    return returned(specialised.returns, values + made)


def profile(compiled: Compiled, values: list, config: RunConfig) -> str:
    """Runs the final stage as `run` does; the times as JSON."""
    if config.trace is not None:
        raise UnsupportedFeatureError("a profile writes no trace; leave RunConfig(trace=) out")
    found = given(compiled.specialised, values)
    model = compiled.get_model()
    with arrays.unchanged_on_failure(_buffers(found)):
        model.run([value for _, _, value in found], **options(config), profile=True)
    return model.profile


def _made(specialised: Specialised, found: list) -> list:
    """The arrays that the program makes and returns."""
    return [value for _, _, value in found[len(found) - len(specialised.results) :]]


def debugged(compiled: Compiled, values: list, config: RunConfig, stage: str) -> dict:
    """What a Debugger takes."""
    specialised = compiled.specialised
    found = given(specialised, values)
    if config.trace is not None:
        raise UnsupportedFeatureError("a debugger writes no trace; leave RunConfig(trace=) out")
    if config.schedules > 1:
        raise UnsupportedFeatureError(
            f"a debugger goes through one order of the tasks, and RunConfig(schedules="
            f"{config.schedules}) tries several; schedule_seed chooses one"
        )
    return {
        "stage": stage,
        "model": stage_model(compiled, stage, config),
        "parameters": found,
        "options": options(config),
        "finish": lambda: returned(specialised.returns, values + _made(specialised, found)),
    }


@locates
def debug(function: JITFunction, args: tuple, kwargs: dict, config, stage: str):
    from ..runtime.debugger import Debugger

    config = _config(config)
    config.require_simulator()
    values = bind(function, args, kwargs)
    require_all(function, values)
    with session.LOCK:
        prepared = _cached(
            function, values, config, lambda made: debugged(made, values, config, stage)
        )
    # The model's thread takes the lock.
    return Debugger(function.__name__, **prepared)


def stage_model(compiled: Compiled, stage: str, config: RunConfig) -> ReferenceModel:
    """The model of a program at one of its stages: "final", "frontend", or the name of
    the pass behind which it is."""
    if stage == "final":
        return compiled.get_model()
    known = []
    steps = Passes.pipeline(config.target).single()
    if compiled.specialised.program is None:
        raise RunError(
            f"the stage '{stage}' is not there: the program was read from its folder, which has "
            "the final one; compile it again"
        )
    for file, program in compiled.specialised.program.stages(steps):
        name = pass_of(file)
        if name == stage:
            return ReferenceModel(program._operation, program.name)
        known.append(name)
    raise UnsupportedFeatureError(
        f"there is no stage '{stage}'; there are {', '.join(known)}, final"
    )


def returned(returns, values: list):
    if returns is None:
        return None
    if isinstance(returns, tuple):
        return tuple(values[index].owner for index in returns)
    return values[returns].owner


def lower(function: JITFunction, args: tuple, kwargs: dict, config) -> Program:
    config = _config(config)
    specialised = specialise(function, args, kwargs, config)
    return specialised.program.after(Passes.pipeline(config.target))


@locates
def compile(function: JITFunction, args: tuple, kwargs: dict, config, dump_passes):
    from .compiled import CompiledProgram, profile_of_passes, snapshots, timed

    config = _config(config)
    if dump_passes is None:
        dump_passes = config.dump_passes
    if not isinstance(dump_passes, (bool, PassDumpLevel)):
        raise TypeError(
            "compile(dump_passes=) is True, False or a member of pypto.ir.PassDumpLevel, found "
            f"{dump_passes!r}"
        )
    values = bind(function, args, kwargs)
    with session.LOCK:
        compiled = _cached(function, values, config)
        dumps = snapshots(compiled.specialised.program, config.target, dump_passes)
        sources = compiled.final.emit()
        if config.compile_profiling:
            times: dict[str, float] = {}
            for name, _, seconds in timed(compiled.specialised.program, config.target):
                times[name] = times.get(name, 0.0) + seconds
            sources.append(profile_of_passes(times))
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
