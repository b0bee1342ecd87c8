# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What `compile()` of a Pro kernel gives back."""

from __future__ import annotations

import functools
import pathlib

from pypto.diagnostics.errors import UnsupportedFeatureError
from pypto.frontend import session
from pypto.ir.memory import MemoryMap
from pypto.ir.program import Program
from pypto.jit.compiled import _output_dir, _write
from pypto.jit.driver import options
from pypto.runtime.config import RunConfig
from pypto.runtime.profile import Profile

from ..runtime.launch import Launch
from .programs import Compiled, Programs
from .words import called


def compile_kernel(kernel, launch: Launch, args: tuple, dump_passes: bool, config):
    """Compiles for a launch and writes the sources."""
    if not isinstance(dump_passes, bool):
        raise UnsupportedFeatureError(
            f"dump_passes={dump_passes!r} is not supported; True or False is"
        )
    programs = kernel.programs
    with session.LOCK:
        compiled = programs.compiled(programs.shapes_of(args), launch)
        dumps = {}
        if dump_passes:
            dumps = {name: program.as_mlir() for name, program in programs.stages(compiled)}
        sources = compiled.final.emit()
    return CompiledKernel(programs, compiled, launch, config, sources, dumps)


class CompiledKernel:
    """A kernel for one key and the files that were written for it.

    `output_dir` holds `kernels/<core>/<kernel>.cpp`, `orchestration/<entry>.cpp` and, when
    asked for, `passes_dump/`. Calling it launches `block_dim` blocks.
    """

    def __init__(self, programs: Programs, compiled: Compiled, launch: Launch, config, *texts):
        self._programs, self._compiled = programs, compiled
        self._launch, self._config = launch, config or programs.kernel.config
        self.name, self.key = programs.kernel.name, launch.key
        self.block_dim = launch.block_dim
        self.output_dir: pathlib.Path = _output_dir(self.name)
        self.files = _write(self.output_dir, *texts)

    def __repr__(self) -> str:
        return f"<compiled kernel {self.name} in {self.output_dir}>"

    @property
    def program(self) -> Program:
        """The program before all passes, which keys that differ only in values share."""
        return self._compiled.front.program

    @property
    def final(self) -> Program:
        """The program after all passes, for this key."""
        return self._compiled.final

    @property
    def param_names(self) -> list[str]:
        return [parameter.name for parameter in self._programs.kernel.parameters]

    @property
    def output_indices(self) -> list[int]:
        """Which parameters the kernel writes."""
        parameters = self._compiled.front.built.parameters
        return [index for index, parameter in enumerate(parameters) if parameter.written]

    @functools.cached_property
    def memory(self) -> MemoryMap:
        """Where each tile lies, by its Python name."""
        return MemoryMap.of(self._compiled.final)

    def memory_map(self, output=None) -> MemoryMap:
        """The same, which prints as a picture of spaces and time; a path as `output` gets
        it as a page."""
        if output is not None:
            self.memory.save(output)
        return self.memory

    def _taken(self, args: tuple, config: RunConfig | None):
        """The configuration, and what the entry takes of the arguments."""
        programs = self._programs
        config = programs.config(config or self._config)
        return config, programs.taken(self._compiled, programs._given(args), self.block_dim)

    def _require_same(self, args: tuple) -> None:
        """The arguments are like those that it was compiled for."""
        programs = self._programs
        programs.require_shapes(self._compiled, programs._shapes(programs._given(args)))

    @called
    def __call__(self, *args, config: RunConfig | None = None) -> None:
        """Runs on the arguments. An error during a run leaves the arrays untouched."""
        programs = self._programs
        self._require_same(args)
        config = programs.config(config or self._config)
        with session.LOCK:
            programs.run(self._compiled, programs._given(args), self.block_dim, config)

    @called
    def profile(self, *args, config: RunConfig | None = None) -> Profile:
        """Runs as a call does, and tells by the cost model of the chip when each instruction
        was at work: a Profile."""
        self._require_same(args)
        config, taken = self._taken(args, config)
        with session.LOCK:
            model = self._compiled.get_model()
            with self._programs.unchanged_on_failure(taken):
                values = [value for _, _, value in taken]
                model.run(values, **options(config), profile=True)
            return Profile.from_json(model.profile, self.name)

    @called
    def check_passes(self, *args, config: RunConfig | None = None):
        """Runs the program after each pass, on copies of the arguments, and compares all
        arrays that it writes; see `CompiledProgram.check_passes`. Before a key is chosen
        nothing can run: the first stage is the one behind pto-specialize-tiling-key."""
        from pypto.runtime.check_passes import check

        self._require_same(args)
        config, taken = self._taken(args, config)
        if config.trace is not None:
            raise UnsupportedFeatureError(
                "check_passes runs the program many times and traces none of them; leave "
                "RunConfig(trace=) out"
            )
        folder = self.output_dir / "check_passes"
        with session.LOCK:
            stages = self._programs.running_stages(self._compiled)
            return check(stages, taken, folder, **options(config))

    @called
    def debug(self, *args, config: RunConfig | None = None, stage: str = "frontend"):
        """A Debugger that stands at the first line of a run with these arguments. `stage`:
        which program runs; of a kernel with a tiling key "frontend" is the first one with
        the key chosen."""
        from pypto.runtime.debugger import Debugger

        self._require_same(args)
        config, taken = self._taken(args, config)
        if config.trace is not None:
            raise UnsupportedFeatureError("a debugger writes no trace; leave RunConfig(trace=) out")
        if config.schedules > 1:
            raise UnsupportedFeatureError(
                "a debugger goes through one order, and RunConfig(schedules="
                f"{config.schedules}) tries several; schedule_seed chooses one"
            )
        with session.LOCK:
            model = self._programs.stage_model(self._compiled, stage)
        # The model's thread takes the lock.
        return Debugger(
            self.name,
            stage=stage,
            model=model,
            parameters=taken,
            options=options(config),
            finish=lambda: None,
        )
