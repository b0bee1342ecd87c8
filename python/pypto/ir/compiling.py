# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""`pypto.ir.compile`: a whole program, without arguments, to a CompiledProgram."""

from __future__ import annotations

import pathlib
import re

from .. import env
from ..diagnostics.errors import (
    CompileError,
    UnsupportedFeatureError,
    at_caller,
    without_frames,
)
from ..diagnostics.suggest import suggestion
from ..jit.compiled import CompiledProgram, profile_of_passes, snapshots, timed
from ..runtime.config import PLATFORMS, RunConfig
from .options import (
    BackendType,
    DiagnosticPhase,
    MemoryPlanner,
    OptimizationStrategy,
    VerificationLevel,
)
from .program import Passes, Program

# A line of emitted C++ that says which line of Python follows.
_SOURCE_LINE = re.compile(r"^\s*// .+:\d+$\n", re.MULTILINE)


@without_frames
def compile(
    program,
    output_dir: str | pathlib.Path | None = None,
    strategy: OptimizationStrategy = OptimizationStrategy.Default,
    dump_passes=True,
    backend_type: BackendType | None = None,
    platform: str | None = None,
    skip_ptoas: bool = False,
    verification_level: VerificationLevel | None = None,
    memory_planner: MemoryPlanner = MemoryPlanner.PYPTO,
    diagnostic_phase: DiagnosticPhase | None = None,
    disabled_diagnostics=None,
    profiling: bool = False,
    distributed_config=None,
    analyze_auto_scopes_for_deps: bool = False,
    enable_pypto_l0c_double_buffer: bool = False,
    emit_source_loc: bool = True,
    runtime: str | None = None,
    **unknown,
) -> CompiledProgram:
    """Compiles a program whose annotations say all of its types: a class under `@pl.program`, a
    `@pl.jit` function, or an `ir.Program`. The result runs when it is called.

    `output_dir`: where the sources go (`build_output/<name>_<time>`). `dump_passes`: True, False
    or a PassDumpLevel. `platform` or `backend_type` say the chip; by themselves each is enough.
    `verification_level`: what is checked between passes (PYPTO_VERIFY_LEVEL, else BASIC).
    `profiling`: `report/pipeline_profile.json` says how long each pass took. `emit_source_loc`:
    whether the emitted C++ names the lines of Python. `analyze_auto_scopes_for_deps`: the order
    of tasks is derived from their regions in every program, so that True changes nothing, as
    `skip_ptoas` does, which belongs to a tool that is not used here. `strategy`,
    `memory_planner`, `diagnostic_phase`, `disabled_diagnostics`, `distributed_config`,
    `enable_pypto_l0c_double_buffer` and `runtime` take what this version has, and say so of what
    it has not."""
    for name in unknown:
        hint = suggestion(name, compile.__wrapped__.__code__.co_varnames[:17])
        raise TypeError(f"ir.compile has no option '{name}'{hint}")
    _require_enum("strategy", strategy, OptimizationStrategy)
    planner = _require_enum("memory_planner", memory_planner, MemoryPlanner)
    if planner is not MemoryPlanner.PYPTO:
        raise _not_here(
            f"memory_planner={planner}",
            "addresses come from pto-plan-memory, which is MemoryPlanner.PYPTO",
        )
    for name, value in (
        ("skip_ptoas", skip_ptoas),
        ("profiling", profiling),
        ("analyze_auto_scopes_for_deps", analyze_auto_scopes_for_deps),
        ("enable_pypto_l0c_double_buffer", enable_pypto_l0c_double_buffer),
        ("emit_source_loc", emit_source_loc),
    ):
        if type(value) is not bool:
            raise TypeError(f"ir.compile: {name}= is True or False, found {value!r}")
    _refuse_missing(
        diagnostic_phase,
        disabled_diagnostics,
        distributed_config,
        enable_pypto_l0c_double_buffer,
        runtime,
    )
    config = RunConfig(platform=_platform(platform, backend_type), dump_passes=dump_passes)
    level = _level(verification_level)
    specialised = _specialised(program, config)
    final, times = _after_all(specialised.program, config.target, level, profiling)
    dumps = snapshots(specialised.program, config.target, config.dump_passes)
    sources = final.emit()
    if not emit_source_loc:
        sources = [(path, _SOURCE_LINE.sub("", text)) for path, text in sources]
    if times is not None:
        sources.append(profile_of_passes(times))
    from ..jit.driver import Compiled

    return CompiledProgram(
        specialised.entry, Compiled(specialised, final), config, sources, dumps, output_dir
    )


def _require_enum(name: str, value, kind: type):
    if not isinstance(value, kind):
        raise TypeError(
            f"ir.compile: {name}= is a member of pypto.ir.{kind.__name__}, found {value!r}"
        )
    return value


def _not_here(what: str, why: str) -> UnsupportedFeatureError:
    message = f"ir.compile({what}) is not supported yet: {why}"
    return UnsupportedFeatureError([at_caller(message)])


def _refuse_missing(phase, disabled, distributed, double_buffer, runtime) -> None:
    if phase is not None:
        _require_enum("diagnostic_phase", phase, DiagnosticPhase)
    if phase not in (None, DiagnosticPhase.NONE):
        raise _not_here(
            f"diagnostic_phase={phase}", "what a pass finds is an error, and there are no hints"
        )
    if disabled:
        raise _not_here(
            f"disabled_diagnostics={disabled!r}",
            "what a pass finds is an error, which cannot be switched off; the checks of the "
            "reference model can, with RunConfig(checks=)",
        )
    if distributed is not None:
        raise _not_here("distributed_config=", "the distributed chapter comes later")
    if double_buffer:
        raise _not_here(
            "enable_pypto_l0c_double_buffer=True", "an accumulator has one place in Acc"
        )
    if runtime is not None:
        raise _not_here(
            f"runtime={runtime!r}",
            "the emitted entries bring the runtime that they need, pto_tasks.h",
        )


def _platform(platform: str | None, backend) -> str | None:
    if backend is None:
        return platform
    _require_enum("backend_type", backend, BackendType)
    if platform is None:
        return next(name for name, (chip, _) in PLATFORMS.items() if chip == backend.value)
    if platform in PLATFORMS and PLATFORMS[platform][0] != backend.value:
        message = (
            f"ir.compile: backend_type={backend} is the Ascend {backend.value}, and platform "
            f"'{platform}' the Ascend {PLATFORMS[platform][0]}; give one of them"
        )
        raise CompileError([at_caller(message)])
    return platform


def _level(level) -> VerificationLevel:
    if level is not None:
        return _require_enum("verification_level", level, VerificationLevel)
    return VerificationLevel[env.verify_level().upper()]


def _specialised(program, config: RunConfig):
    """The program for a chip, and its parameters."""
    from ..jit import driver
    from ..jit.function import JITFunction, JITProgram

    if isinstance(program, JITProgram):
        program = program.entry
    if isinstance(program, JITFunction):
        program._require_entry()
        return driver.specialise(program, (), {}, config)
    if not isinstance(program, Program):
        raise TypeError(
            "ir.compile takes a program: a class under @pl.program, a @pl.jit function or an "
            f"ir.Program, found {type(program).__name__}"
        )
    from .signature import specialised_of

    return specialised_of(program.on(config.target))


def _after_all(program: Program, target: str, level: VerificationLevel, profiling: bool):
    """The program after all passes, and the seconds that each took if they are wanted."""
    if level is VerificationLevel.BASIC and not profiling:
        return program.after(Passes.pipeline(target)), None
    times: dict[str, float] = {}

    def wanted(name: str) -> bool:
        return name != "pto-verify-level" or level is not VerificationLevel.NONE

    for name, made, seconds in timed(program, target, wanted):
        program = made
        times[name] = times.get(name, 0.0) + seconds
        if level is VerificationLevel.ROUNDTRIP and name != "pto-verify-level":
            _check_reads_back(program, name)
    return program, (times if profiling else None)


def _check_reads_back(program: Program, step: str) -> None:
    text = program.as_mlir()
    if Program.parse(text, program.name).as_mlir() != text:
        raise CompileError(
            f"the program '{program.name}' behind {step} is another one once its text is read "
            "back; this is a mistake of the compiler"
        )


__all__ = ["CompiledProgram", "compile"]
