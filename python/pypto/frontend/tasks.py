# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Tasks: what orders them, on how many blocks they run, and how they are submitted."""

from __future__ import annotations

import ast
import dataclasses

from ..diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ..language.dtypes import INDEX, TASK_ID
from ..language.operation import Face
from ..mlir import ir
from . import scalars, session
from .builder import FunctionBuilder
from .values import Array, Cells, Submitted, Value, describe

_COMPARISONS = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
}


class NoDep:
    """What `pl.no_dep(x)` gives: an argument that takes no part in the derived order."""

    __slots__ = ("array",)

    def __init__(self, array: Array):
        self.array = array

    def __repr__(self) -> str:
        return "pl.no_dep(...)"


@dataclasses.dataclass
class Words:
    """What is said of a task besides its arguments."""

    blocks: object = None
    deps: list = dataclasses.field(default_factory=list)
    # (array, indices, comparison, number)
    condition: tuple | None = None
    sync_start: bool = False
    early_resolve: bool = False
    # Whether it has a task id, and that.
    token: bool = False
    task: Value | None = None

    def operands(self) -> tuple[list, list[int]]:
        """The operands of these words, and how many each word has."""
        blocks = [] if self.blocks is None else [self.blocks]
        array, indices = ([], []) if self.condition is None else self.condition[:2]
        groups = [blocks, self.deps, array, indices]
        return [value for group in groups for value in group], [len(group) for group in groups]

    def attributes(self, fb: FunctionBuilder) -> dict:
        found = {}
        unit = session.attribute("unit")
        if self.condition is not None:
            found["compare"] = session.attribute(f"#pto.compare<{self.condition[2]}>")
            found["compare_to"] = session.attribute(f"{self.condition[3]} : i64")
        if self.sync_start:
            found["sync_start"] = unit
        if self.early_resolve:
            found["early_resolve"] = unit
        if fb.manual and fb.cluster is None:
            found["manual"] = unit
            fb.module.has_manual_tasks = True
        return found

    def results(self) -> list:
        return [session.TASK.ir] if self.token else []


def read_words(fb: FunctionBuilder, path: str, given: dict, places: dict) -> Words:
    """The words of `path(...)`; `given` by their names in the language, of which each
    construct has some."""
    words = Words()
    for name in ("optimizations", "dumps", "windowize"):
        if given.get(name) not in (None, False):
            raise fb.error(
                places[name], f"{path}: {name}= is not supported yet", UnsupportedFeatureError
            )
    if "core_num" in given:
        words.blocks = read_blocks(fb, path, given["core_num"], places["core_num"])
    if given.get("deps") is not None:
        words.deps = read_deps(fb, path, given["deps"], places["deps"])
    for name, field in (("sync_start", "sync_start"), ("allow_early_resolve", "early_resolve")):
        value = given.get(name, False)
        if type(value) is not bool:
            raise fb.error(
                places[name],
                f"{path}: {name}= is True or False, found {describe(value)}",
                ParserTypeError,
            )
        setattr(words, field, value)
    if given.get("predicate") is not None:
        words.condition = read_predicate(fb, path, given["predicate"])
    return words


def read_blocks(fb: FunctionBuilder, path: str, value, node: ast.AST):
    """How many blocks, as an MLIR index value."""
    if type(value) is int and value < 1:
        raise fb.error(node, f"{path} runs on at least one block, found {value}")
    found = scalars.index(fb, value, node, f"the number of blocks of {path}")
    return fb.constant(found, INDEX, node) if isinstance(found, int) else found


def read_deps(fb: FunctionBuilder, path: str, value, node: ast.AST) -> list:
    """The tasks of `deps=[...]`: task ids, whole arrays of them, lists of both; None is
    no task."""
    if value is None:
        return []
    if isinstance(value, Value) and value.type is session.TASK:
        return [value.ir]
    if isinstance(value, Cells) and value.type.dtype is TASK_ID:
        from .cells import get_element

        return [get_element(fb, value, i, node).ir for i in range(value.type.shape[0])]
    if isinstance(value, (list, tuple)) and not isinstance(value, Submitted):
        items = node.elts if isinstance(node, (ast.List, ast.Tuple)) else []
        places = items if len(items) == len(value) else [node] * len(value)
        return [
            task
            for item, place in zip(value, places, strict=True)
            for task in read_deps(fb, path, item, place)
        ]
    hint = "; `ret, tid = pl.submit(...)` names both" if isinstance(value, Submitted) else ""
    raise fb.error(
        node,
        f"{path}: deps= names tasks: task ids, pl.array of them, or None, found "
        f"{describe(value)}{hint}",
        ParserTypeError,
    )


def read_predicate(fb: FunctionBuilder, path: str, node: ast.expr) -> tuple | None:
    """`flags[i] > 5`, which is read when the tasks in front of this one are done."""
    from .expressions import evaluate
    from .windows import content

    if isinstance(node, ast.Constant) and node.value is None:
        return None
    wrong = fb.error(
        node,
        f"{path}: predicate= compares an element of an array with a number, such as "
        f"flags[i] > 5, found '{ast.unparse(node)}'",
        ParserTypeError,
    )
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        raise wrong
    comparison = _COMPARISONS.get(type(node.ops[0]))
    if comparison is None or not isinstance(node.left, ast.Subscript):
        raise wrong
    array = evaluate(fb, node.left.value)
    number = evaluate(fb, node.comparators[0])
    if not isinstance(array, Array) or type(number) is not int:
        raise wrong
    items = node.left.slice.elts if isinstance(node.left.slice, ast.Tuple) else [node.left.slice]
    if any(isinstance(item, ast.Slice) for item in items):
        raise wrong
    if array.type.dtype.is_float:
        raise fb.error(node.left, f"{path}: predicate= compares integers, found {describe(array)}")
    if len(items) != len(array.type.shape):
        raise fb.error(
            node.left,
            f"{path}: predicate= reads one element, and {describe(array)} has "
            f"{len(array.type.shape)} indices, found {len(items)}",
            ParserTypeError,
        )
    indices = []
    for item, extent in zip(items, array.type.shape, strict=True):
        found = scalars.index(fb, evaluate(fb, item), item, "an index of predicate=")
        if isinstance(found, int):
            if not 0 <= found < extent:
                raise fb.error(item, f"index {found} is not within 0 to {extent - 1}")
            found = fb.constant(found, INDEX, item)
        indices.append(found)
    return [content(fb, array)], indices, comparison, number


# Submitting.


def submit(fb: FunctionBuilder, face: Face, node: ast.Call, name: str | None) -> Submitted:
    """`ret, tid = pl.submit(self.kernel, *args, deps=[...])`, and `pl.spmd_submit`."""
    from . import functions
    from .expressions import evaluate

    require_control(fb, face.path, node)
    if not node.args:
        raise fb.error(node, f"{face.path} takes a kernel and its arguments; it is {_usage(face)}")
    function = evaluate(fb, node.args[0])
    if not fb.module.is_function(function) or function.kind != "in_core":
        raise fb.error(
            node.args[0],
            f"{face.path} submits a kernel, a function decorated with @pl.jit.incore or "
            f"@pl.function(type=pl.FunctionType.InCore), found {describe(function)}",
            ParserTypeError,
        )
    own = {p.name for p in face.signature.parameters if p.keyword_only}
    given, places = {}, {}
    for keyword in node.keywords:
        if keyword.arg in own:
            given[keyword.arg] = (
                keyword.value if keyword.arg == "predicate" else evaluate(fb, keyword.value)
            )
            places[keyword.arg] = keyword.value
    if "core_num" in own and "core_num" not in given:
        raise fb.error(node, f"{face.path}: argument 'core_num' is missing; it is {_usage(face)}")
    words = read_words(fb, face.path, given, places)
    words.token = True
    call = ast.Call(
        func=node.args[0],
        args=node.args[1:],
        keywords=[keyword for keyword in node.keywords if keyword.arg not in own],
    )
    ast.copy_location(call, node)
    returned, task = functions.submit(fb, function, call, words)
    return Submitted((returned, task))


def _usage(face: Face) -> str:
    return f"{face.path}{face.signature.text}"


def require_control(fb: FunctionBuilder, path: str, node: ast.AST) -> None:
    if fb.cluster is not None:
        raise fb.error(
            node,
            f"{path} stands in a pl.cluster, which is one task; it holds calls of kernels",
            UnsupportedFeatureError,
        )
    if fb.plane != "control":
        raise fb.error(
            node,
            f"an in-core function cannot submit tasks; {path} belongs into the @pl.jit function",
            UnsupportedFeatureError,
        )


def no_dep(fb: FunctionBuilder, call) -> NoDep:
    """An argument that takes no part in the derived order."""
    array = call.args[0]
    if not isinstance(array, Array):
        raise fb.error(
            call.place(0), f"{call.path} takes an array, found {describe(array)}", ParserTypeError
        )
    return NoDep(array)


def task_invalid(fb: FunctionBuilder, call) -> Value:
    return invalid(fb, call.node, call.name)


def invalid(fb: FunctionBuilder, node: ast.AST, name: str | None = None) -> Value:
    return fb.value("pto.block.task_invalid", session.TASK, [], None, node, name)


def task_dummy(fb: FunctionBuilder, call) -> Value:
    deps = read_deps(fb, call.path, call.args[0], call.place(0))
    return fb.value("pto.block.task_dummy", session.TASK, deps, None, call.node, call.name)


def name_hint(fb: FunctionBuilder, path: str, hint, node: ast.AST) -> dict:
    if hint is None:
        return {}
    if not isinstance(hint, str):
        raise fb.error(
            node, f"{path}: name_hint is a string, found {describe(hint)}", ParserTypeError
        )
    return {"name_hint": ir.StringAttr.get(hint, session.CONTEXT)}
