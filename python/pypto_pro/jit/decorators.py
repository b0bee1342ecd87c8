# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The decorators: `@pl.jit`, `@pl.kernel`, `@pl.inline`."""

from __future__ import annotations

import functools
import sys

from pypto.diagnostics.errors import CompileError, Diagnostic, UnsupportedFeatureError, at_caller
from pypto.frontend.pro.parameters import is_parameter
from pypto.language.parser import Text
from pypto.runtime.config import RunConfig

from ..runtime.launch import DatatypeSchema, check_conflicts
from ..runtime.tilingkey import TilingKeySchema
from .kernel import ARCHS, ProKernel

_ARGUMENTS = (
    *("arch", "auto_mutex", "name", "pipeline", "tiling_key", "datatype", "compile_timeout"),
    "config",
)


def jit(target=None, **options):
    """`@pl.jit` or `@pl.jit(arch="a5", auto_mutex=True, name=None, tiling_key=KeyClass,
    datatype={"x": "T"}, config=RunConfig(...))` makes a kernel of a function.

    `arch`: "a5" (Ascend 950; also None and "auto"), "a2" or "a3" (Ascend 910B).
    `auto_mutex`: whether `mutex_ids` order the pipes. `tiling_key`: the class of the tiling
    key. `datatype`: for parameters, the variable that holds the element type of a launch.
    `config`: what a run does unless the launch says it. `compile_timeout` bounds the
    toolchain of a device, which does not run here.

    A function without an annotation of a kernel's parameter stays what it is.
    """
    unknown = sorted(set(options) - set(_ARGUMENTS))
    if unknown:
        listed = ", ".join(unknown)
        raise TypeError(f"jit() got unexpected keyword argument(s): {listed}")
    captured = locals_of_caller()
    prepared = prepared_options(options)
    if target is None:
        return lambda function: _decorated(function, prepared, captured)
    return _decorated(target, prepared, captured)


def locals_of_caller() -> dict[str, object]:
    """The locals of the function in which the decorator stands; none in a module."""
    frame = sys._getframe(2)
    if frame.f_globals.get("__name__") == Text.__module__:
        return {}  # a text has no function around it
    return {} if frame.f_locals is frame.f_globals else dict(frame.f_locals)


def prepared_options(options: dict) -> dict:
    """The checked options, with the schemas built."""
    arch = options.get("arch")
    if arch not in ARCHS:
        known = ", ".join(f'"{name}"' for name in ("a2", "a3", "a5", "auto"))
        raise refused(f"jit(arch={arch!r}): arch is {known} or None")
    if options.get("pipeline") is not None:
        raise _later("jit(pipeline=)")
    for word in ("auto_mutex",):
        if type(options.get(word, True)) is not bool:
            raise refused(f"jit({word}={options[word]!r}): {word} is True or False")
    name = options.get("name")
    if name is not None and not (isinstance(name, str) and name.isidentifier()):
        raise refused(f"jit(name={name!r}): name is a Python name")
    timeout = options.get("compile_timeout")
    if timeout is not None and (isinstance(timeout, bool) or not isinstance(timeout, (int, float))):
        raise refused(f"jit(compile_timeout={timeout!r}): compile_timeout is a number of seconds")
    config = options.get("config")
    if config is not None and not isinstance(config, RunConfig):
        raise TypeError(f"config is a pypto.runtime.RunConfig, found {type(config).__name__}")
    key, datatype = options.get("tiling_key"), options.get("datatype")
    return {
        "arch": ARCHS[arch],
        "auto_mutex": options.get("auto_mutex", True),
        "name": name,
        "schema": None if key is None else TilingKeySchema(key),
        "datatypes": None if datatype is None else DatatypeSchema(datatype),
        "config": config,
    }


def refused(message: str) -> CompileError:
    return CompileError([at_caller(message)])


def _later(what: str) -> UnsupportedFeatureError:
    return UnsupportedFeatureError(
        [at_caller(f"{what} is not supported yet; it comes with 4 of 4")]
    )


def _decorated(function, prepared: dict, captured: dict):
    if isinstance(function, ProKernel):
        raise refused(f"'{function.name}' is decorated twice")
    code = getattr(function, "__code__", None)
    if code is None:
        raise refused(f"a function is decorated, not {type(function).__name__}")
    annotations = getattr(function, "__annotations__", {})
    schema, datatypes = prepared["schema"], prepared["datatypes"]
    is_text = hasattr(function, "pypto_source")  # of which nothing was evaluated
    plain = schema is None and datatypes is None and not is_text
    if plain and not any(map(is_parameter, annotations.values())):
        return _passed_through(function)
    if code.co_flags & 0x2A0:  # async, a generator, or both
        message = f"'{function.__name__}' is async or a generator, which no kernel is; write def"
        raise UnsupportedFeatureError(
            [Diagnostic(message, code.co_filename, code.co_firstlineno, 1)]
        )
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if schema is not None:
        check_conflicts(schema, parameters, {**function.__globals__, **captured})
    if datatypes is not None:
        datatypes.check_function(function.__name__, parameters, schema)
    return ProKernel(function, captured=captured, **prepared)


def _passed_through(function):
    """A function that is no kernel: it has no annotation of a kernel's parameter."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


def kernel(target=None, **options):
    """`@pl.kernel`: a kernel that is read and compiled, and not launched: `compile()` and
    `as_mlir()` of what it makes. The options are those of `pl.jit` that concern reading:
    `name`, `auto_mutex`."""
    refused = {"func_type": None, "strict_ssa": False, "pipeline": None, "meta_data": None}
    for word, default in refused.items():
        if options.pop(word, default) is not default:
            raise _later(f"kernel({word}=)")
    unknown = sorted(set(options) - {"name", "auto_mutex", "arch"})
    if unknown:
        raise TypeError(f"kernel() got unexpected keyword argument(s): {', '.join(unknown)}")
    captured = locals_of_caller()
    prepared = prepared_options(options)
    if target is None:
        return lambda function: KernelDef(function, captured=captured, **prepared)
    return KernelDef(target, captured=captured, **prepared)


class KernelDef(ProKernel):
    """What `@pl.kernel` makes."""

    def __getitem__(self, item):
        raise refused(f"'{self.name}' is a @pl.kernel, which is not launched; write @pl.jit")

    def __call__(self, *args, **kwargs):
        raise refused(f"'{self.name}' is a @pl.kernel, which is not launched; write @pl.jit")


def inline(function):
    """Deprecated: every plain Python function that a kernel calls is spliced in."""
    import warnings

    warnings.warn(
        "pl.inline is deprecated: a plain Python function that a kernel calls is spliced in",
        DeprecationWarning,
        stacklevel=2,
    )
    return function
