# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What `@pl.jit` makes: a kernel that is launched with brackets."""

from __future__ import annotations

import functools

from pypto.diagnostics.errors import at_caller
from pypto.frontend.pro.parameters import Reader
from pypto.frontend.source import Source
from pypto.runtime.config import RunConfig

from ..runtime.errors import LaunchError
from ..runtime.key_table import KeyTable
from ..runtime.launch import Launch, parse_launch, refuse_direct_call
from .arguments import by_position
from .words import called

# Names of a chip in `arch=`; what None and "auto" mean.
ARCHS = {None: "a5", "auto": "a5", "a2": "a2", "a3": "a3", "a5": "a5"}
TARGETS = {"a2": "910B", "a3": "910B", "a5": "950"}


class ProKernel:
    """A kernel: `kernel[stream, block_dim, key, datatype](...)` launches it.

    `compile(key=, datatype=)`, `keys()`, `decode(packed)`, `check_all_keys()` look at what
    it is for one key, or for all.
    """

    is_pro_kernel = True

    def __init__(self, function, *, captured, arch, auto_mutex, name, schema, datatypes, config):
        functools.update_wrapper(self, function)
        self.function, self.captured = function, captured
        self.arch, self.auto_mutex = arch, auto_mutex
        self.name = name or function.__name__
        self.schema, self.datatypes = schema, datatypes
        self.config = config
        self.source = getattr(function, "pypto_source", None) or Source(function)
        self._cache = None

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"

    @property
    def target(self) -> str:
        """The chip that it is for."""
        return TARGETS[self.arch]

    @functools.cached_property
    def parameters(self) -> list:
        return Reader(self.source, self.captured).read()

    @property
    def tiling_class(self) -> type | None:
        return next((p.tiling for p in self.parameters if p.kind == "tiling"), None)

    @property
    def programs(self):
        """What it was compiled to."""
        from .programs import Programs

        if self._cache is None:
            self._cache = Programs(self)
        return self._cache

    # Launches.

    def __getitem__(self, item):
        return Launched(self, parse_launch(item, self.schema, self.datatypes, self.name))

    @called
    def __call__(self, *args, config: RunConfig | None = None, **named):
        refuse_direct_call(self.name, self.schema, self.datatypes)
        return Launched(self, Launch())(*args, config=config, **named)

    # What it is.

    @called
    def compile(
        self,
        *args,
        key: dict[str, int] | None = None,
        datatype: dict | None = None,
        dump_passes: bool = False,
        config: RunConfig | None = None,
    ):
        """The kernel for a key and element types: a `CompiledKernel`. `args` are those of a
        launch; they are needed where a tensor has pl.STATIC dimensions, and may be left out
        else. Sources are written to its `output_dir`, with `dump_passes` also the program
        after each pass."""
        from .compiled import compile_kernel

        launch = self._launch(key, datatype)
        return compile_kernel(self, launch, args, dump_passes, config)

    def _launch(self, key, datatype) -> Launch:
        """The brackets of a launch for a key and element types."""
        parts: list = [None, 1]
        for given, wanted, what in (
            (key, self.schema, "key"),
            (datatype, self.datatypes, "datatype"),
        ):
            if wanted is None and given is not None:
                raise LaunchError(
                    [at_caller(f"{what}= is given, and '{self.name}' has no {_SCHEMAS[what]}")]
                )
            if wanted is not None:
                parts.append(given)
        return parse_launch(tuple(parts), self.schema, self.datatypes, self.name)

    @called
    def as_mlir(self, *args, key=None, datatype=None) -> str:
        """The program as the front end makes it, before all passes."""
        launch = self._launch(key, datatype)
        return str(self.programs.front(self.programs.shapes_of(args), launch).program)

    def _require_schema(self) -> None:
        if self.schema is None:
            raise LaunchError([at_caller(f"'{self.name}' has no tiling key")])

    @called
    def keys(self) -> KeyTable:
        """All valid keys: a sequence that prints as a table, with the packed codes."""
        self._require_schema()
        return KeyTable(self.schema)

    @called
    def decode(self, packed: int) -> dict[str, int]:
        """The key of a packed number."""
        self._require_schema()
        return self.schema.decode(packed)

    @called
    def check_all_keys(self, *args, datatype: dict | None = None, progress: bool = True) -> int:
        """Compiles the kernel for every valid key, on all cores, and raises all errors at
        once, each with the keys that it is of. Gives the number of keys. `args`: as for
        `compile`; element types are FP16 unless `datatype` says them."""
        from .every_key import check_all_keys

        self._require_schema()
        return check_all_keys(self, args, datatype, progress)

    @called
    def emit_keys(self, keys: list[dict[str, int]], dtypes: dict | None = None):
        """The AscendC of each key, as `generate_binary_headers` takes it: EmittedKeys, one
        after the other. `dtypes`: element types by variable."""
        from .every_key import emit_keys

        self._require_schema()
        return emit_keys(self, keys, dtypes)


_SCHEMAS = {"key": "tiling key", "datatype": "datatype schema"}


class Launched:
    """`kernel[stream, block_dim, ...]`: a call runs it; the methods do more with the same
    arguments."""

    def __init__(self, kernel: ProKernel, launch: Launch):
        self.kernel, self.launch = kernel, launch

    def __repr__(self) -> str:
        return f"<launch of {self.kernel.name} on {self.launch.block_dim} blocks>"

    @called
    def __call__(self, *args, config: RunConfig | None = None, **named) -> None:
        """Runs on the reference model. An error during a run leaves the arrays untouched."""
        args = by_position(self.kernel, args, named)
        self.kernel.programs.launch(self.launch, args, config or self.kernel.config)

    @called
    def lower(self, *args):
        """The program after all passes, for this key. No code is emitted."""
        programs = self.kernel.programs
        return programs.compiled(programs.shapes_of(args), self.launch).final

    @called
    def compile(self, *args, dump_passes: bool = False, config: RunConfig | None = None):
        """A `CompiledKernel`, whose sources are written; see `ProKernel.compile`."""
        from .compiled import compile_kernel

        return compile_kernel(self.kernel, self.launch, args, dump_passes, config)

    @called
    def debug(self, *args, stage: str = "frontend", config: RunConfig | None = None):
        """A Debugger that stands at the first line of a run with these arguments."""
        return self.compile(*args).debug(*args, stage=stage, config=config)

    @called
    def check_passes(self, *args, config: RunConfig | None = None):
        """Runs the program after each pass and compares; see `CompiledKernel`."""
        return self.compile(*args).check_passes(*args, config=config)

    @called
    def profile(self, *args, config: RunConfig | None = None):
        """Runs, and tells when each instruction was at work by the chip's cost model."""
        return self.compile(*args).profile(*args, config=config)
