# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What `compile()` gives back."""

from __future__ import annotations

import datetime
import functools
import json
import os
import pathlib
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .. import env
from ..diagnostics.errors import (
    ArgumentError,
    RunError,
    UnsupportedFeatureError,
    without_frames,
)
from ..ir.memory import MemoryMap
from ..ir.options import BackendType, PassDumpLevel
from ..ir.program import Passes, Program
from ..runtime.profile import Profile
from . import saved

if TYPE_CHECKING:
    from ..runtime.config import RunConfig


# What a runtime on a device asks a compiled program for.
_DEVICE = ("chip_callable", "build_orch_args", "build_call_config")


def snapshots(program: Program, target: str, level=True) -> dict[str, str]:
    """The module before the first pass and after each one, by file name; of those the ones
    that `level` (RunConfig.dump_passes) asks for."""
    if level in (False, PassDumpLevel.NONE):
        return {}
    stages = program.stages(Passes.pipeline(target).single())
    found = {name: stage.as_mlir() for name, stage in stages}
    if level is not PassDumpLevel.CONCISE:
        return found
    names = list(found)
    return {
        name: found[name]
        for index, name in enumerate(names)
        if index == 0 or found[name] != found[names[index - 1]]
    }


class CompiledProgram:
    """A compiled kernel and the files that were written for it.

    `output_dir` holds `kernels/<core>/<function>.cpp`, `orchestration/<entry>.cpp` with
    the header `pto_tasks.h` and, when asked for, `passes_dump/`: these are `files`. Beside them
    are `program.mlir` and `program.json`, of which `from_dir` makes the program again.
    """

    def __init__(self, function, compiled, config, sources, dumps, output_dir=None):
        self._compiled = compiled
        self._config = config
        self.name = function.__name__
        self.platform = config.platform
        self.output_dir = _output_dir(self.name) if output_dir is None else pathlib.Path(output_dir)
        self.files = _write(self.output_dir, sources, dumps)
        _write(self.output_dir, saved.texts(compiled, self.name, self.platform), {})

    @classmethod
    @without_frames
    def from_dir(cls, path) -> CompiledProgram:
        """The program that was compiled to this folder. Its `program`, what was compiled, is
        None: what is there is what came of it."""
        from ..runtime.config import RunConfig

        made = cls.__new__(cls)
        made._compiled, made.name, made.platform = saved.read(path)
        made._config = RunConfig(platform=made.platform)
        made.output_dir = pathlib.Path(path)
        made.files = sorted(
            file
            for folder in ("kernels", "orchestration", "passes_dump", "report")
            for file in (made.output_dir / folder).rglob("*")
            if file.is_file()
        )
        return made

    load = from_dir

    def __repr__(self) -> str:
        return f"<compiled program {self.name} in {self.output_dir}>"

    @property
    def program(self) -> Program | None:
        """The program as specialised, before all passes."""
        return self._compiled.specialised.program

    def _require_program(self, what: str) -> Program:
        if self.program is None:
            raise RunError(
                f"{what} needs the program before all passes, and '{self.name}' was read from "
                f"'{self.output_dir}', where it is not; compile it again"
            )
        return self.program

    @property
    def backend_type(self) -> BackendType:
        """The chip that it is compiled for."""
        return BackendType(self._config.target)

    @property
    def orchestration_names(self) -> list[str]:
        """The functions that a host calls: one for each entry."""
        return [self._compiled.final.name]

    @property
    def runtime_name(self) -> str:
        """What the emitted entries launch tasks with."""
        return "pto_tasks"

    @property
    def runtime_config(self) -> RunConfig:
        """How it was compiled; a call may run it with another configuration."""
        return self._config

    def __getattr__(self, name: str):
        if name in _DEVICE:
            raise UnsupportedFeatureError(
                f"CompiledProgram.{name} is not supported yet: a runtime on a device asks for it; "
                "a call runs the program on the reference model, and orchestration/*.cpp holds an "
                "entry for the host"
            )
        raise AttributeError(f"a compiled program has no attribute '{name}'")

    @without_frames
    def validate_ir(self, tensors, expected, rtol: float = 5e-2, atol: float | None = None) -> None:
        """Runs the program before all passes, and after them, on copies of `tensors` (a value
        for each parameter, in order or by name), and compares what it writes with `expected`
        (in the order of `output_indices`, or by name). The first element that differs is an
        AssertionError, which says of which of the two programs it is. `atol`: that of the
        configuration unless given."""
        from ..runtime import arrays
        from ..testing import assert_close
        from . import driver

        self._require_program("validate_ir")
        atol = self._config.atol if atol is None else atol
        names = [self.param_names[index] for index in self.output_indices]
        if not isinstance(expected, dict):
            if len(expected) != len(names):
                raise ArgumentError(
                    f"'{self.name}' writes {len(names)} arrays ({', '.join(names)}), and expected "
                    f"has {len(expected)}"
                )
            expected = dict(zip(names, expected, strict=True))
        unknown = [name for name in expected if name not in names]
        if unknown:
            raise ArgumentError(
                f"'{self.name}' writes {', '.join(names) or 'no parameter'}, and expected has "
                f"'{unknown[0]}'"
            )
        given = (
            dict(tensors)
            if isinstance(tensors, dict)
            else dict(zip(self.param_names, tensors, strict=False))
        )
        for stage in ("frontend", "final"):
            copies = {
                name: arrays.as_numpy(arrays.buffer(name, value)).copy()
                if arrays.is_array(value)
                else value
                for name, value in given.items()
            }

            def run(values, config, stage=stage):
                parameters = driver.given(self._compiled.specialised, values)
                model = driver.stage_model(self._compiled, stage, config)
                model.run([value for _, _, value in parameters], **driver.options(config))

            self._with((), copies, None, run)
            for name, want in expected.items():
                try:
                    assert_close(copies[name], want, rtol, atol, name=name)
                except AssertionError as error:
                    where = "before all passes" if stage == "frontend" else "after all passes"
                    raise AssertionError(f"{where}: {error}") from None

    @property
    def param_names(self) -> list[str]:
        return [parameter.name for parameter in self._compiled.specialised.parameters]

    @property
    def output_indices(self) -> list[int]:
        """Which parameters the kernel writes."""
        parameters = self._compiled.specialised.parameters
        return [index for index, parameter in enumerate(parameters) if parameter.written]

    @property
    def has_return(self) -> bool:
        return self._compiled.specialised.returns is not None

    @functools.cached_property
    def memory(self) -> MemoryMap:
        """Where each tile of each kernel lies, by its Python name."""
        return MemoryMap.of(self._compiled.final)

    def task_graph(self) -> str:
        """The tasks of the entry and what each waits for, as a picture in characters.
        `python -m pypto.tools.task_graph` draws the last dump as SVG."""
        from ..ir.task_graph import TaskGraph

        return str(TaskGraph.of(self._compiled.final))

    def memory_map(self, output=None) -> MemoryMap:
        """The same, which prints as a picture of spaces and time; a path as `output` gets
        it as a page."""
        if output is not None:
            self.memory.save(output)
        return self.memory

    @without_frames
    def __call__(self, *args, config=None, **kwargs):
        """Runs on the arguments, which are like those that it was compiled for. An error
        during a run leaves the arrays untouched."""
        from . import driver

        def run(values, config):
            return driver.run(self._compiled, values, config)

        return self._with(args, kwargs, config, run)

    @without_frames
    def profile(self, *args, config=None, **kwargs) -> Profile:
        """Runs as a call does, and tells by the cost model of the chip when each
        instruction was at work: a Profile."""
        from . import driver

        def run(values, config):
            return driver.profile(self._compiled, values, config)

        return Profile.from_json(self._with(args, kwargs, config, run), self.name)

    @without_frames
    def check_passes(self, *args, config=None, **kwargs):
        """Runs the program after each pass, on copies of the arguments, and compares all
        arrays that it writes. Gives a table; a pass that changes an answer, or behind which
        the program fails, is a PassCheckError that says which, where, and how to see it
        again from the files that it writes to `output_dir`."""
        from ..runtime.check_passes import check
        from . import driver

        def run(values, config):
            if config.trace is not None:
                raise UnsupportedFeatureError(
                    "check_passes runs the program many times and traces none of them; leave "
                    "RunConfig(trace=) out"
                )
            program = self._require_program("check_passes")
            parameters = driver.given(self._compiled.specialised, values)
            stages = program.stages(Passes.pipeline(config.target).single())
            folder = self.output_dir / "check_passes"
            return check(stages, parameters, folder, **driver.options(config))

        return self._with(args, kwargs, config, run)

    @without_frames
    def debug(self, *args, config=None, stage="frontend", **kwargs):
        """A Debugger that stands at the first line of a run with these arguments, which are
        written when it comes to its end. `stage`: which program runs; at "frontend" every
        variable is the author's, at "final" tiles are the chip's buffers."""
        from ..runtime.debugger import Debugger
        from . import driver

        def prepare(values, config):
            return driver.debugged(self._compiled, values, config, stage)

        # The model's thread takes the lock that the preparation has.
        return Debugger(self.name, **self._with(args, kwargs, config, prepare))

    def _with(self, args, kwargs, config, work):
        """Does `work` with the bound arguments and the configuration."""
        from ..frontend import session
        from . import driver

        if config is None:
            config = self._config
        if config.platform != self.platform:
            raise RunError(
                f"'{self.name}' was compiled for platform '{self.platform}', not for "
                f"'{config.platform}'; compile it again"
            )
        config.require_simulator()
        try:
            values = self._bind(args, kwargs)
            driver.require_all(self._compiled.specialised.entry, values)
            with session.LOCK:
                return work(values, config)
        except ArgumentError as error:
            driver.locate(self._compiled.specialised.entry, error)
            raise

    def _bind(self, args, kwargs) -> list:
        """Scalars that were folded in may be left out; given, they must be the same."""
        from ..frontend import session
        from ..frontend.source import MISSING
        from . import driver

        specialised = self._compiled.specialised
        values = driver.bind(specialised.entry, args, kwargs)
        for index, (parameter, kind) in enumerate(
            zip(specialised.parameters, specialised.types, strict=False)
        ):
            if parameter.kind == "array" or isinstance(kind, session.Type):
                continue
            if values[index] is MISSING:
                values[index] = kind
            elif driver.number(parameter.name, values[index], parameter.type.dtype) != kind:
                raise ArgumentError(
                    f"argument '{parameter.name}' is {values[index]!r}, and '{self.name}' was "
                    f"compiled for {kind!r}; compile it with pl.RUNTIME, or again",
                    (parameter.name,),
                )
        return values


def _output_dir(name: str) -> pathlib.Path:
    chosen = env.build_dir()
    if chosen is not None:
        return pathlib.Path(chosen)
    now = datetime.datetime.now().strftime("%Y%m%d_%H%M%S_%f")
    return pathlib.Path("build_output", f"{name}_{now}")


def profile_of_passes(times: dict[str, float]) -> tuple[str, str]:
    """(path, text) of the file that says how long each pass took."""
    text = json.dumps({"seconds": times}, indent=2) + "\n"
    return "report/pipeline_profile.json", text


def timed(program: Program, target: str, wanted=lambda step: True) -> Iterator[tuple]:
    """(pass, the program behind it, seconds) for each pass that is wanted, by its name."""
    for step in Passes.pipeline(target).single():
        if wanted(str(step)):
            begin = time.perf_counter()
            program = program.after(step)
            yield str(step), program, time.perf_counter() - begin


def _write(folder: pathlib.Path, sources, dumps: dict[str, str]) -> list[pathlib.Path]:
    """Writes each file whole, or not at all."""
    texts = {folder / path: text for path, text in sources}
    texts.update({folder / "passes_dump" / name: text for name, text in dumps.items()})
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        part.write_text(text)
        part.replace(path)
    return list(texts)
