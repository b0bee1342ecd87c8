# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What a kernel is compiled to: one program for each set of structural fields, static extents
and element types, and one final form for each key."""

from __future__ import annotations

import dataclasses
import warnings

from pypto.diagnostics.errors import PyptoError, RunError, UnsupportedFeatureError
from pypto.frontend import session
from pypto.frontend.module import read_again, same_value
from pypto.frontend.pro.arguments import Layout
from pypto.frontend.pro.builder import Structural
from pypto.frontend.pro.kernel import Built, KernelReader, Spec
from pypto.ir.program import Passes, Program
from pypto.jit.driver import options
from pypto.runtime import arrays
from pypto.runtime.arrays import Buffer
from pypto.runtime.config import RunConfig
from pypto.runtime.reference import ReferenceModel

from ..runtime.launch import Launch
from . import arguments

# Behind so many a kernel is probably specialised for what should be a run-time value.
MANY = 64


@dataclasses.dataclass(frozen=True)
class Shapes:
    """What the arrays of a launch decide at compile time."""

    statics: tuple = ()
    ranks: tuple = ()


class Front:
    """A program before all passes; keys that agree in its structural fields share it."""

    def __init__(self, kernel, spec: Spec, built: Built):
        self.built = built
        self.program = Program(built.operation, built.entry)
        self.layout = Layout(spec, built.parameters)


@dataclasses.dataclass
class Compiled:
    """A program for one key, after all passes."""

    front: Front
    final: Program
    keys: str
    shapes: Shapes
    model: ReferenceModel | None = None

    def get_model(self) -> ReferenceModel:
        if self.model is None:
            self.model = ReferenceModel(self.final._operation, self.final.name)
        return self.model


class Programs:
    """The programs of one kernel."""

    def __init__(self, kernel):
        self.kernel = kernel
        # (shapes, element types, structural values) -> Front, or the fields that are
        # structural too.
        self._fronts: dict = {}
        self._compiled: dict = {}
        self._warned = False
        self._unread: set[str] | None = None

    # Front end.

    def shapes_of(self, args: tuple) -> Shapes:
        """What the arguments of a launch decide; none where there are no arguments."""
        if not args:
            self._require_no_statics()
            return Shapes()
        return self._shapes(self._given(args))

    def _given(self, args: tuple) -> dict:
        kernel = self.kernel
        return arguments.given(kernel.name, kernel.parameters, kernel.source, args)

    def _shapes(self, found: dict) -> Shapes:
        extents, ranks = arguments.statics(self.kernel.parameters, found)
        return Shapes(tuple(extents.items()), tuple(ranks.items()))

    def _require_no_statics(self) -> None:
        from ..language.types import STATIC

        for parameter in self.kernel.parameters:
            if any(extent is STATIC or extent is Ellipsis for extent in parameter.shape):
                raise RunError(
                    f"'{parameter.name}' of '{self.kernel.name}' has pl.STATIC dimensions, which "
                    "the arguments of a launch decide; give them to compile()"
                )

    def front(self, shapes: Shapes, launch: Launch, failed: dict | None = None) -> Front:
        """The program of the front end for a launch. `failed` keeps the errors of programs
        that are wrong, for one who asks for many keys."""
        with session.LOCK:
            self._forget_old()
            fixed: dict[str, int] = {}
            while True:
                found = self._front(shapes, launch, fixed, failed)
                if isinstance(found, Front):
                    self._warn_unread(found.built)
                    return found
                # In the order of the schema, so that a template has one name.
                wanted = found | set(fixed)
                names = self.kernel.schema.names
                fixed = {name: launch.key[name] for name in names if name in wanted}

    def _front(self, shapes: Shapes, launch: Launch, fixed: dict, failed) -> Front | frozenset:
        dtypes = tuple((launch.dtypes or {}).items())
        key = (shapes, dtypes, tuple(fixed.items()))
        found = self._fronts.get(key)
        if failed is not None and key in failed:
            raise type(failed[key])(failed[key].diagnostics)
        if found is None:
            spec = self._spec(shapes, launch)
            try:
                found = Front(self.kernel, spec, KernelReader(spec, dict(fixed)).build())
            except Structural as structural:
                found = structural.fields
            except PyptoError as error:
                if failed is not None:
                    failed[key] = error
                raise
            self._fronts[key] = found
        return found

    def _spec(self, shapes: Shapes, launch: Launch) -> Spec:
        kernel = self.kernel
        return Spec(
            kernel.function,
            kernel.source,
            kernel.parameters,
            kernel.target,
            kernel.name,
            kernel.auto_mutex,
            kernel.schema,
            launch.dtypes or {},
            dict(shapes.statics),
            dict(shapes.ranks),
            kernel.captured,
        )

    def _forget_old(self) -> None:
        """Drops what was made of names around the kernel that have changed since."""
        for front in self._fronts.values():
            if isinstance(front, Front) and not all(
                same_value(read_again(holder, name), value)
                for holder, name, value in front.built.reads
            ):
                self._fronts.clear()
                self._compiled.clear()
                return

    def _warn_unread(self, built: Built) -> None:
        """Once, for each field that no reading of the kernel has asked for."""
        schema = self.kernel.schema
        if schema is None or self._unread is not None:
            return
        self._unread = set(schema.names) - built.fields
        if self._unread:
            self._unread &= self._chosen_fields()
        if not self._unread:
            return
        listed = ", ".join(name for name in schema.names if name in self._unread)
        self._warn(
            f"kernel '{self.kernel.name}' does not read {listed} of the tiling key {schema.name}: "
            "keys that differ in it alone are the same kernel"
        )

    def _chosen_fields(self) -> set[str]:
        """The fields that are not the same in all valid keys."""
        schema = self.kernel.schema
        try:
            valid = schema.valid_keys()
        except PyptoError:
            return set(schema.names)
        columns = zip(schema.names, zip(*valid, strict=True), strict=True) if valid else ()
        return {name for name, values in columns if len(set(values)) > 1}

    def _warn(self, message: str) -> None:
        """A warning at the kernel's line."""
        source = self.kernel.source
        warnings.warn_explicit(message, UserWarning, source.file, source.tree.lineno)

    # The whole.

    def compiled(self, shapes: Shapes, launch: Launch) -> Compiled:
        """The program after all passes."""
        with session.LOCK:
            front = self.front(shapes, launch)
            key = (shapes, tuple((launch.dtypes or {}).items()), launch.packed)
            found = self._compiled.get(key)
            if found is None:
                found = self._compiled[key] = self.finish(front, launch, shapes)
                self._warn_many()
            return found

    def finish(self, front: Front, launch: Launch, shapes: Shapes = Shapes()) -> Compiled:
        keys, entry = "", front.built.entry
        if launch.key is not None:
            keys = ",".join(f"{name}={value}" for name, value in launch.key.items())
            entry = f"{self.kernel.name}_{launch.packed:#x}_entry"
        after = front.program.after(Passes.pipeline(self.kernel.target, keys))
        return Compiled(front, Program(after._operation, entry), keys, shapes)

    def _warn_many(self) -> None:
        if len(self._compiled) <= MANY or self._warned:
            return
        self._warned = True
        self._warn(
            f"kernel '{self.kernel.name}' has been compiled {len(self._compiled)} times, for "
            "different keys, element types or pl.STATIC extents; what changes with each launch is "
            "better a scalar argument or pl.DYNAMIC"
        )

    # Runs.

    def launch(self, launch: Launch, args: tuple, config: RunConfig | None) -> None:
        config = self.config(config)
        found = self._given(args)
        with session.LOCK:
            compiled = self.compiled(self._shapes(found), launch)
            self.run(compiled, found, launch.block_dim, config)

    def config(self, config: RunConfig | None) -> RunConfig:
        config = RunConfig() if config is None else config
        if not isinstance(config, RunConfig):
            raise TypeError(f"config is a pypto.runtime.RunConfig, found {type(config).__name__}")
        config.require_simulator()
        if config.says_platform and config.target != self.kernel.target:
            raise UnsupportedFeatureError(
                f"RunConfig(platform='{config.platform}') is the Ascend {config.target}, and "
                f"kernel '{self.kernel.__name__}' is for the {self.kernel.target}: "
                "@pl.jit(arch=) says which chip a Pro kernel is for"
            )
        return config

    def taken(self, compiled: Compiled, found: dict, block_dim: int) -> list:
        """(name, direction, value) of what the entry takes."""
        return arguments.flatten(compiled.front.layout, found, block_dim, self.kernel.source)

    def run(self, compiled: Compiled, found: dict, block_dim: int, config: RunConfig) -> None:
        taken = self.taken(compiled, found, block_dim)
        values = [value for _, _, value in taken]
        with self.unchanged_on_failure(taken):
            if config.trace is None:
                compiled.get_model().run(values, **options(config))
            else:
                with config.trace.watcher() as watcher:
                    model = self.stage_model(compiled, config.trace.stage)
                    model.run(values, **options(config), watcher=watcher)

    def unchanged_on_failure(self, taken: list):
        """Gives arrays that the kernel writes their content back if the run fails."""
        return arrays.unchanged_on_failure(
            [(n, value, direction) for n, direction, value in taken if isinstance(value, Buffer)]
        )

    def require_shapes(self, compiled: Compiled, shapes: Shapes) -> None:
        """A compiled kernel runs on the extents that it was compiled for."""
        if compiled.shapes != shapes:
            raise RunError(
                f"'{self.kernel.name}' was compiled for other extents of its pl.STATIC dimensions; "
                "compile it again"
            )

    def stages(self, compiled: Compiled):
        """The program before the first pass and after each, with the names of the dumps."""
        passes = Passes.pipeline(self.kernel.target, compiled.keys).single()
        yield from compiled.front.program.stages(passes)

    def running_stages(self, compiled: Compiled):
        """Those of them that the model can run: of a kernel with a tiling key from where the
        key is chosen."""
        for name, program in self.stages(compiled):
            entry = self.entry_at(compiled, program)
            if entry is not None:
                yield name, Program(program._operation, entry)

    def stage_model(self, compiled: Compiled, stage: str) -> ReferenceModel:
        from pypto.diagnostics.errors import UnsupportedFeatureError
        from pypto.ir.program import pass_of

        if stage == "final":
            return compiled.get_model()
        known = []
        for file, program in self.running_stages(compiled):
            known.append(pass_of(file))
            if stage == known[-1] or (stage == "frontend" and len(known) == 1):
                return ReferenceModel(program._operation, program.name)
        raise UnsupportedFeatureError(
            f"'{self.kernel.name}' has no stage '{stage}' that runs; there are {', '.join(known)}, "
            "final"
        )

    def entry_at(self, compiled: Compiled, program: Program) -> str | None:
        """The entry's symbol at a stage; None where the key is not chosen yet, which the
        model cannot run."""
        if not compiled.keys:
            return compiled.front.built.entry
        return compiled.final.name if f'"{compiled.final.name}"' in _symbols(program) else None


def _symbols(program: Program) -> str:
    """The names of a module's functions, each in quotes."""
    return " ".join(
        str(operation.attributes["sym_name"])
        for operation in program._operation.regions[0].blocks[0].operations
        if "sym_name" in operation.attributes
    )


__all__ = ["Compiled", "Front", "Programs", "Shapes"]
