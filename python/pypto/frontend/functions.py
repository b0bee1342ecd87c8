# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Signatures, and calls from one function of the program to another."""

from __future__ import annotations

import ast
import dataclasses

from ..diagnostics.errors import ParserTypeError, UndefinedNameError, UnsupportedFeatureError
from ..diagnostics.suggest import suggestion
from ..language.annotations import Annotation, DynVar, Scalar, Tensor, Tile
from ..language.annotations import Array as CellArray
from ..language.dtypes import TASK_ID, DataType
from ..language.enums import MemorySpace, TensorLayout
from ..mlir import ir
from . import build, cells, library, scalars, session, windows
from .builder import Failure, FunctionBuilder
from .source import MISSING
from .tasks import NoDep, Words
from .values import Array, Value, describe


@dataclasses.dataclass
class Parameter:
    """A parameter as its annotation says it; `type` is None for a bare pl.Tensor."""

    name: str
    kind: str  # "array" or "scalar"; "any" of a macro that says none
    direction: str
    type: session.Type | None
    node: ast.arg
    default: object = MISSING
    # The pl.dynamic of each dimension that has one.
    dims: dict = dataclasses.field(default_factory=dict)

    @property
    def written(self) -> bool:
        return self.direction in ("out", "inout")


# Annotations.


def read_parameters(fb: FunctionBuilder, macro: bool = False) -> list[Parameter]:
    """The parameters of the function; every wrong annotation is reported. Those of a macro
    need none."""
    arguments = fb.source.tree.args
    for extra in (arguments.vararg, arguments.kwarg):
        if extra is not None:
            stars = "*" if extra is arguments.vararg else "**"
            message = (
                f"'{stars}{extra.arg}': a kernel has a fixed list of parameters; name each of them"
            )
            fb.module.report(fb.error(extra, message, UnsupportedFeatureError))
    found = []
    nodes = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    defaults = [None] * (len(nodes) - len(arguments.kwonlyargs) - len(arguments.defaults))
    defaults += [*arguments.defaults, *arguments.kw_defaults]
    if fb.module.is_method(fb.source):
        nodes, defaults = nodes[1:], defaults[1:]
    for node, default in zip(nodes, defaults, strict=False):
        try:
            if macro and node.annotation is None:
                found.append(_any_parameter(fb, node, default))
                continue
            found.append(_parameter(fb, node, default))
        except Failure as failure:
            fb.module.report(failure)
    for statement in fb.source.tree.body:
        try:
            _bind_dynamic(fb, statement, found)
        except Failure as failure:
            fb.module.report(failure)
    return found


def dynamic_binding(statement: ast.stmt) -> tuple[ast.Name, list[ast.expr]] | None:
    """The array and the arguments of `x.bind_dynamic(axis, variable)`."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    if call.func.attr != "bind_dynamic" or not isinstance(call.func.value, ast.Name):
        return None
    return call.func.value, [*call.args, *(keyword.value for keyword in call.keywords)]


def _bind_dynamic(fb: FunctionBuilder, statement: ast.stmt, parameters: list[Parameter]) -> None:
    """A dimension that a statement of the body declares open, as an annotation would."""
    from .expressions import evaluate

    found = dynamic_binding(statement)
    if found is None:
        return
    name, arguments = found
    parameter = next((p for p in parameters if p.name == name.id and p.kind == "array"), None)
    values = [evaluate(fb, argument) for argument in arguments]
    if parameter is None or len(values) != 2 or not isinstance(values[1], DynVar):
        raise fb.error(
            statement,
            "x.bind_dynamic(axis, M) takes an axis of the parameter x and a pl.dynamic",
            ParserTypeError,
        )
    axis, rank = values[0], None if parameter.type is None else len(parameter.type.shape)
    if type(axis) is not int or axis < 0 or (rank is not None and axis >= rank):
        raise fb.error(arguments[0], f"'{name.id}' has no dimension {describe(axis)}")
    parameter.dims[axis] = values[1]
    if parameter.type is not None:
        parameter.type = open_type(parameter.type, parameter.dims)


def open_type(kind: session.Type, dims) -> session.Type:
    """The type with these dimensions open."""
    shape = (session.DYNAMIC if axis in dims else extent for axis, extent in enumerate(kind.shape))
    return session.tensor_type(tuple(shape), kind.dtype)


def _default(fb: FunctionBuilder, node: ast.arg, default: ast.expr | None):
    """The default of a parameter: what Python evaluated where the function was defined."""
    from .expressions import evaluate, fold

    if default is None:
        return MISSING
    function = fb.source.function
    if hasattr(function, "pypto_source"):
        return evaluate(fb, default)  # of a text, which Python has not evaluated
    for attribute in ("__defaults__", "__kwdefaults__"):
        fb.module.note_attribute(function, attribute, getattr(function, attribute))
    known = dict(function.__kwdefaults__ or {})
    positional = [*fb.source.tree.args.posonlyargs, *fb.source.tree.args.args]
    values = function.__defaults__ or ()
    names = [one.arg for one in positional[len(positional) - len(values) :]]
    known.update(zip(names, values, strict=True))
    return fold(known[node.arg])


def _any_parameter(fb: FunctionBuilder, node: ast.arg, default) -> Parameter:
    return Parameter(node.arg, "any", "in", None, node, _default(fb, node, default))


def _parameter(fb: FunctionBuilder, node: ast.arg, default) -> Parameter:
    if node.annotation is None:
        raise fb.error(
            node,
            f"parameter '{node.arg}' has no annotation; write {node.arg}: pl.Tensor[[rows, "
            "columns], dtype], pl.Out[pl.Tensor[...]] or pl.Scalar[dtype]",
            ParserTypeError,
        )
    annotation = _annotation(fb, node)
    direction = "in"
    if isinstance(annotation, Annotation) and annotation.kind in ("Out", "InOut"):
        direction = annotation.kind.lower()
        if len(annotation.items) != 1:
            raise fb.error(node.annotation, f"pl.{annotation.kind} takes one type", ParserTypeError)
        annotation = annotation.items[0]
    value = _default(fb, node, default)
    if annotation is Tensor or _is(annotation, "Tensor"):
        if value is not MISSING:
            raise fb.error(default, f"an array, '{node.arg}', has no default", ParserTypeError)
        kind = None if annotation is Tensor else _tensor(fb, annotation, node.annotation)
        found = Parameter(node.arg, "array", direction, kind, node, value)
        for axis, extent in enumerate(annotation.items[0] if kind is not None else ()):
            if isinstance(extent, DynVar):
                found.dims[axis] = extent
        return found
    if _is(annotation, "Scalar") and direction == "in":
        return Parameter(node.arg, "scalar", "in", _scalar(fb, annotation, node), node, value)
    raise _wrong_annotation(fb, node, annotation, direction)


def _annotation(fb: FunctionBuilder, node: ast.arg):
    """What the parameter is annotated with. In a function made by another one Python has
    evaluated it already, and only it knows the names that stand in annotations alone."""
    function = fb.source.function
    evaluated = function.__annotations__.get(node.arg)
    if "<locals>" in function.__qualname__ and not isinstance(evaluated, str):
        return evaluated
    try:
        return evaluate_annotation(fb, node.annotation)
    except Failure as failure:
        found = failure.diagnostic
        if found is not None and found.kind is UndefinedNameError and isinstance(evaluated, str):
            found.message += (
                "; Python does not evaluate a quoted annotation, or one in a file with `from "
                "__future__ import annotations`, and keeps no name of an enclosing function for "
                "it: take the quotes or the import away, or use the name in the body too"
            )
        raise


def evaluate_annotation(fb: FunctionBuilder, node: ast.expr):
    from .expressions import evaluate

    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        node = quoted(fb, node)
    return evaluate(fb, node)


def quoted(fb: FunctionBuilder, node: ast.Constant) -> ast.expr:
    """The expression of an annotation in quotes."""
    try:
        found = ast.parse(node.value.strip(), mode="eval").body
    except SyntaxError:
        raise fb.error(
            node, f"the annotation {node.value!r} is no expression", ParserTypeError
        ) from None
    for item in ast.walk(found):
        ast.copy_location(item, node)
    return found


def _is(annotation, kind: str) -> bool:
    return isinstance(annotation, Annotation) and annotation.kind == kind


def _wrong_annotation(fb: FunctionBuilder, node: ast.arg, annotation, direction: str) -> Failure:
    name = node.arg
    if direction != "in" and (annotation is Scalar or _is(annotation, "Scalar")):
        message = (
            f"parameter '{name}': a scalar cannot be {direction.capitalize()}; only arrays can"
        )
    elif annotation is Tile or _is(annotation, "Tile"):
        message = (
            f"parameter '{name}': a tile does not cross a function boundary; pass the array and "
            "pl.load it"
        )
    elif _is(annotation, "Array"):
        message = (
            f"parameter '{name}': a pl.array does not cross a function boundary; pass its elements"
        )
    elif annotation is Scalar:
        message = f"parameter '{name}': a scalar has a type, pl.Scalar[pl.INT32]"
    else:
        shown = "Out" if direction == "out" else "InOut"
        example = "pl.Tensor[[rows, columns], dtype]"
        if direction != "in":
            example = f"pl.{shown}[{example}]"
        message = (
            f"parameter '{name}' is annotated {annotation!r}; write {example} or pl.Scalar[dtype]"
        )
    return fb.error(node.annotation, message, ParserTypeError)


def _tensor(fb: FunctionBuilder, annotation: Annotation, node: ast.AST) -> session.Type:
    items = annotation.items
    if len(items) < 2 or not isinstance(items[0], (list, tuple)):
        raise fb.error(
            node,
            f"an array is pl.Tensor[[rows, columns], dtype], found {annotation!r}",
            ParserTypeError,
        )
    if len(items) > 2 and items[2] is not TensorLayout.ND:
        raise fb.error(
            node, f"{items[2]!r} in pl.Tensor is not supported yet", UnsupportedFeatureError
        )
    shape = _extents(fb, items[0], node)
    if not shape:
        raise fb.error(node, "an array has at least one dimension", ParserTypeError)
    return session.tensor_type(shape, build.data_dtype(fb, items[1], node))


def _extents(fb: FunctionBuilder, items, node: ast.AST, tile: bool = False) -> tuple:
    from .expressions import fold

    items = [fold(extent) for extent in items]
    if not tile:
        items = [session.DYNAMIC if isinstance(extent, DynVar) else extent for extent in items]
    for extent in items:
        if extent == session.DYNAMIC and not tile:
            continue
        if type(extent) is not int or extent <= 0:
            raise fb.error(
                node,
                f"a shape is a list of positive integers, found {describe(extent)}",
                ParserTypeError,
            )
    known = [extent for extent in items if extent != session.DYNAMIC]
    build.check_size(fb, known, node, tile)
    return tuple(items)


def _scalar(fb: FunctionBuilder, annotation: Annotation, node: ast.arg) -> session.Type:
    dtype = annotation.items[0]
    if len(annotation.items) != 1 or not isinstance(dtype, DataType):
        raise fb.error(
            node.annotation, f"a scalar is pl.Scalar[dtype], found {annotation!r}", ParserTypeError
        )
    if dtype is TASK_ID:
        raise fb.error(
            node.annotation,
            f"parameter '{node.arg}': a task id does not cross a function boundary; give it in "
            "deps= where the function is submitted",
            UnsupportedFeatureError,
        )
    build.supported_scalar(fb, dtype, node.annotation)
    return session.scalar_type(dtype)


def declared_type(fb: FunctionBuilder, node: ast.expr) -> session.Type | None:
    """The type that a variable's annotation declares; None for a bare one."""
    annotation = evaluate_annotation(fb, node)
    if annotation in (Tensor, Tile, Scalar, CellArray):
        return None
    return type_of(fb, annotation, node)


def type_of(fb: FunctionBuilder, annotation, node: ast.expr) -> session.Type:
    """The type that an annotation of a variable or of a result says."""
    if _is(annotation, "Tensor"):
        return _tensor(fb, annotation, node)
    if _is(annotation, "Scalar"):
        dtype = annotation.items[0]
        if dtype is TASK_ID:
            return session.TASK
        if isinstance(dtype, DataType) and dtype.mlir is not None:
            return session.scalar_type(dtype)
    if _is(annotation, "Array"):
        return _cells(fb, annotation, node)
    if _is(annotation, "Tile") and len(annotation.items) >= 2:
        return _tile(fb, annotation, node)
    raise fb.error(node, f"{annotation!r} is no type of a variable", ParserTypeError)


def _cells(fb: FunctionBuilder, annotation: Annotation, node: ast.AST) -> session.Type:
    items = annotation.items
    wrong = len(items) != 2 or type(items[0]) is not int or items[1] not in cells.CELL_DTYPES
    if wrong or not 1 <= items[0] <= cells.MAX_CELLS:
        raise fb.error(
            node,
            f"a small array is pl.Array[size, dtype] of integers, pl.BOOL or pl.TASK_ID, found "
            f"{annotation!r}",
            ParserTypeError,
        )
    return session.cells_type(*items)


def _tile(fb: FunctionBuilder, annotation: Annotation, node: ast.AST) -> session.Type:
    shape, dtype, *rest = annotation.items
    if not isinstance(shape, (list, tuple)) or len(shape) != 2:
        raise fb.error(
            node,
            f"a tile is pl.Tile[[rows, columns], dtype], found {annotation!r}",
            ParserTypeError,
        )
    space = None
    for item in rest:
        if not isinstance(item, MemorySpace):
            raise fb.error(
                node, f"{item!r} in pl.Tile is not supported yet", UnsupportedFeatureError
            )
        space = item
    if space is not None and space not in build.ON_CHIP:
        raise fb.error(node, f"a tile is on chip, not in {space.name}", ParserTypeError)
    return session.tile_type(
        _extents(fb, shape, node, tile=True), build.data_dtype(fb, dtype, node), space
    )


# Calls.

# Kinds of functions whose body is read where they are called, and what a message calls them.
SPLICED = {"inline": "inline function", "macro": "macro", "opaque": "opaque function"}


def call(fb: FunctionBuilder, function, node: ast.Call, name: str | None):
    if function.kind in SPLICED:
        return _splice(fb, function, node)
    words, fb.launch = fb.launch or Words(), None
    return submit(fb, function, node, words, name)[0]


def submit(
    fb: FunctionBuilder, function, node: ast.Call, words: Words, name: str | None = None
) -> tuple:
    """(what the kernel returns, its task id or None)."""
    if function.kind != "in_core":
        raise fb.error(
            node,
            f"'{function.__name__}' is a @pl.jit function, an entry; a program has one, which "
            "calls functions decorated with @pl.jit.incore, @pl.jit.inline or @pl.jit.opaque",
            UnsupportedFeatureError,
        )
    if fb.plane != "control":
        raise fb.error(
            node,
            f"an in-core function cannot submit tasks; '{function.__name__}' is a kernel, and only "
            "the control plane dispatches: make it @pl.jit.inline, or dispatch both from the "
            "@pl.jit function (`with pl.spmd(n):` around one call launches n blocks)",
            UnsupportedFeatureError,
        )
    parameters = fb.module.parameters(function)
    if parameters is None:
        raise Failure(None)
    args, places = _bind(fb, function, parameters, node)
    returned = _dispatch(fb, function, parameters, args, places, node, words, name)
    return returned, words.task


def _bind(fb: FunctionBuilder, function, parameters: list[Parameter], node: ast.Call):
    """Arguments in the order of the parameters, and where each stands."""
    from .expressions import evaluate

    names = [parameter.name for parameter in parameters]
    given: dict[str, ast.expr] = {}
    if len(node.args) > len(names):
        raise _wrong_count(fb, function, names, node)
    for argument, parameter in zip(node.args, names, strict=False):
        given[parameter] = argument
    for keyword in node.keywords:
        if keyword.arg == "device" and keyword.arg not in names:
            raise fb.error(
                keyword.value,
                f"'{function.__name__}(..., device=)' is not supported yet: the distributed "
                "chapter comes later",
                UnsupportedFeatureError,
            )
        if keyword.arg not in names:
            raise fb.error(
                keyword.value,
                f"'{function.__name__}' has no parameter '{keyword.arg}'; it has "
                f"{', '.join(names)}{suggestion(keyword.arg, names)}",
                ParserTypeError,
            )
        if keyword.arg in given:
            raise fb.error(
                keyword.value, f"parameter '{keyword.arg}' is given twice", ParserTypeError
            )
        given[keyword.arg] = keyword.value
    args, places = [], []
    for parameter in parameters:
        argument = given.get(parameter.name)
        if argument is None and parameter.default is MISSING:
            raise _wrong_count(fb, function, names, node, parameter)
        args.append(parameter.default if argument is None else evaluate(fb, argument))
        places.append(argument if argument is not None else node)
    return args, places


def _wrong_count(fb: FunctionBuilder, function, names, node: ast.Call, missing=None) -> Failure:
    given = len(node.args) + len(node.keywords)
    which = f"; '{missing.name}' is missing" if missing is not None else ""
    if missing is not None and missing.written:
        which += f" (an {missing.direction.capitalize()} array: create it with pl.create_tensor)"
    return fb.error(
        node,
        f"'{function.__name__}' takes {len(names)} arguments ({', '.join(names)}), found "
        f"{given}{which}",
        ParserTypeError,
    )


def _dispatch(fb, function, parameters, args, places, node: ast.Call, words: Words, result=None):
    free = [
        index
        for index, value in enumerate(args)
        if isinstance(value, NoDep)
        or (isinstance(value, Array) and any(array.manual for array in value.roots()))
    ]
    args = [value.array if isinstance(value, NoDep) else value for value in args]
    for parameter, value, place in zip(parameters, args, places, strict=False):
        _check_argument(fb, function, parameter, value, place)
    _check_aliases(fb, function, parameters, args, places)
    types = tuple(
        value.type if parameter.kind == "array" else parameter.type
        for parameter, value in zip(parameters, args, strict=False)
    )
    kernel = fb.module.kernel(function, types, fb, node)
    operands = []
    for parameter, value, place in zip(parameters, args, places, strict=False):
        if parameter.kind == "array":
            operands.append(value.ir)
        else:
            operands.append(scalars.as_dtype(fb, value, parameter.type.dtype, place))
    written = [arg for parameter, arg in zip(parameters, args, strict=False) if parameter.written]
    # What the kernel computes and returns lies in arrays that the caller makes.
    made_here = [_create(fb, kind, node, result) for kind in kernel.made]
    operands += [array.ir for array in made_here]
    written += made_here
    extra, sizes = words.operands()
    attributes = {
        "callee": ir.FlatSymbolRefAttr.get(kernel.symbol, session.CONTEXT),
        "operandSegmentSizes": session.int32s((len(operands), *sizes)),
        "resultSegmentSizes": session.int32s((len(written), int(words.token))),
        **words.attributes(fb),
    }
    if free:
        attributes["no_dep"] = session.int64s(free)
    name = written[0].name if len(written) == 1 and written[0].name else None
    made = fb.emit(
        "pto.block.dispatch",
        [array.type.ir for array in written] + words.results(),
        operands + extra,
        attributes,
        node,
        name,
        fb.cluster and fb.cluster.ip,
    )
    for array, result in zip(written, made.results, strict=False):
        fb.write(array, result)
    if words.token:
        words.task = Value(made.results[len(written)], session.TASK)
    if kernel.wrong:
        raise Failure(None)
    return _returned(kernel.returns, args + made_here)


def _create(fb: FunctionBuilder, kind: session.Type, node: ast.AST, name: str | None) -> Array:
    """An array of the control plane for what a kernel computes and returns."""
    made = fb.emit("pto.tensor.create", [kind.ir], [], None, node, name)
    array = Array(made.result, kind, name or "", node=node)
    array.origin = made.result
    fb.track(array)
    return array


def copy_array(fb: FunctionBuilder, source: Array, target: Array, node: ast.AST) -> None:
    """A task that copies an array."""
    function = library.copy(source.type)
    parameters = fb.module.parameters(function)
    _dispatch(fb, function, parameters, [source, target], [node, node], node, Words())


def _returned(returns, args):
    """What the caller gets: the arrays it passed as Out arguments."""
    if returns is None:
        return None
    if isinstance(returns, tuple):
        return tuple(args[index] for index in returns)
    return args[returns]


def _check_argument(fb: FunctionBuilder, function, parameter: Parameter, value, place) -> None:
    where = f"argument '{parameter.name}' of '{function.__name__}'"
    if parameter.kind == "scalar":
        if not scalars.is_scalar(value):
            raise fb.error(place, f"{where} is a scalar, found {describe(value)}", ParserTypeError)
        if isinstance(value, float) and not parameter.type.dtype.is_float:
            raise fb.error(
                place, f"{where} is {parameter.type.dtype}, found {value}", ParserTypeError
            )
        return
    if not isinstance(value, Array):
        raise fb.error(place, f"{where} is an array, found {describe(value)}", ParserTypeError)
    # A kernel is specialised by how far apart the rows are.
    taken = parameter.type
    if taken is not None and not takes(taken, value.type):
        raise fb.error(
            place, f"{where} is {parameter.type}, found {describe(value)}", ParserTypeError
        )
    if parameter.written:
        build.require_writable(fb, value, place, f"{where} (pl.{parameter.direction.capitalize()})")


def takes(wanted: session.Type, given: session.Type) -> bool:
    """Whether an array may be given for one of such a type, whose open extents any has."""
    if wanted.dtype is not given.dtype or len(wanted.shape) != len(given.shape):
        return False
    return all(
        extent in (session.DYNAMIC, found)
        for extent, found in zip(wanted.shape, given.shape, strict=True)
    )


def _check_aliases(fb: FunctionBuilder, function, parameters, args, places) -> None:
    """A kernel does not write what it has under another name too. Windows whose overlap
    is known at run time only are left to the run."""
    seen: list[tuple[Parameter, Array]] = []
    for parameter, value, place in zip(parameters, args, places, strict=False):
        if parameter.kind != "array":
            continue
        for other, array in seen:
            if (other.written or parameter.written) and windows.overlap(value, array):
                what = "one array" if array is value else "overlapping windows of one array"
                fix = "make it one pl.InOut parameter"
                if array is not value:
                    fix += ", or give windows that lie apart"
                raise fb.error(
                    place,
                    f"'{function.__name__}' gets {what} as '{other.name}' and as "
                    f"'{parameter.name}', and writes it; {fix}",
                    ParserTypeError,
                )
        seen.append((parameter, value))


def _splice(fb: FunctionBuilder, function, node: ast.Call):
    """An inline function: its body is read here, with the arguments as its names."""
    from . import returns
    from .statements import run

    what = SPLICED[function.kind]
    if fb.cluster is not None:
        article = "a" if what[0] == "m" else "an"
        raise fb.error(
            node,
            f"a cluster holds calls of kernels, and '{function.__name__}' is {article} {what}",
            UnsupportedFeatureError,
        )
    if function.kind == "opaque" and fb.plane != "control":
        raise fb.error(
            node,
            f"'{function.__name__}' is an opaque function, which places its work on cores with "
            "pl.at, and this code is on a core already; make it @pl.jit.inline",
            UnsupportedFeatureError,
        )
    if any(entry[0] is function for entry in fb.inlined):
        raise fb.error(
            node,
            f"{what} '{function.__name__}' calls itself; turn it into a loop",
            UnsupportedFeatureError,
        )
    parameters = fb.module.parameters(function)
    if parameters is None:
        raise Failure(None)
    args, places = _bind(fb, function, parameters, node)
    inner = FunctionBuilder(fb.module, function.source, fb.plane)
    inner.inlined = [*fb.inlined, (function, fb.location(node, function.__name__), node, fb)]
    inner.share_host(fb)
    inner.ip, inner.constants, inner.arrays, inner.depth = fb.ip, fb.constants, fb.arrays, 0
    inner.manual, inner.region = fb.manual, fb.region
    inner.bind_self()
    for parameter, value, place in zip(parameters, args, places, strict=False):
        if parameter.kind != "any":
            _check_inline_argument(fb, function, parameter, value, place)
        inner.env[parameter.name] = value
        # The name of an array that the caller may write means that array in a macro too.
        given = parameter.kind == "any" and any(value is one for one in fb.outputs.values())
        if parameter.written or given:
            inner.outputs[parameter.name] = value
        if isinstance(value, Value) and value.type.kind == "tile":
            inner.borrowed.append(value)
    inner.note_dynamic(parameters)
    reported = len(fb.module.diagnostics)
    fb.module.check_function(inner, function)
    run(inner, inner.tree.body)
    if len(fb.module.diagnostics) == reported:
        returns.check(inner)
    if len(fb.module.diagnostics) > reported:
        raise Failure(None)
    return None if inner.returned is MISSING else inner.returned


def _check_inline_argument(fb: FunctionBuilder, function, parameter, value, place) -> None:
    where = f"argument '{parameter.name}' of '{function.__name__}'"
    if parameter.kind == "scalar":
        if not scalars.is_scalar(value):
            raise fb.error(place, f"{where} is a scalar, found {describe(value)}", ParserTypeError)
    elif not isinstance(value, (Array, Value)) or not build.is_data(value):
        raise fb.error(place, f"{where} is an array, found {describe(value)}", ParserTypeError)
    elif parameter.written and not isinstance(value, Array):
        raise fb.error(place, f"{where} is written, found {describe(value)}", ParserTypeError)
    elif parameter.type is not None and not (
        value.type.same_value(parameter.type) or takes(parameter.type, value.type)
    ):
        raise fb.error(
            place, f"{where} is {parameter.type}, found {describe(value)}", ParserTypeError
        )
