# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What a `with` places: pl.at, pl.spmd, pl.cluster, and the scopes."""

from __future__ import annotations

import ast

from ..diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ..language.dtypes import INDEX
from ..language.enums import Level, Role, ScopeMode
from ..language.operation import Construct
from ..language.registry import CONSTRUCTS
from ..mlir import ir
from . import session, tasks
from .builder import Failure, FunctionBuilder
from .control import construct
from .source import MISSING
from .tasks import Words
from .values import Array, Cells, Unbound, Value, describe

CORES = (Level.CORE_GROUP, Level.AIC, Level.AIV)


def placed(fb: FunctionBuilder, node: ast.With) -> None:
    if len(node.items) != 1:
        raise fb.error(node, "one `with` places one region", UnsupportedFeatureError)
    item = node.items[0]
    found, args, places = construct(fb, item.context_expr, "with")
    names = [parameter.name for parameter in CONSTRUCTS[found].faces[""].parameters]
    given = dict(zip(names, args, strict=True))
    where = {
        name: item.context_expr if place is None else place
        for name, place in zip(names, places, strict=True)
    }
    if found in ("scope", "manual_scope"):
        _scope(fb, node, given, where)
        return
    _require_plane(fb, found, item.context_expr)
    if item.optional_vars is not None and not isinstance(item.optional_vars, ast.Name):
        raise fb.error(
            item.optional_vars, f"`with pl.{found}(...) as tid` names one task id", ParserTypeError
        )
    _PLACED[found](fb, node, given, where)


def _require_plane(fb: FunctionBuilder, name: str, node: ast.expr) -> None:
    if fb.plane != "control":
        raise fb.error(
            node,
            f"an in-core function cannot submit tasks; pl.{name} places code of the control plane "
            "on a core, and this code is on a core already: leave it out",
            UnsupportedFeatureError,
        )


def _token(node: ast.With) -> ast.Name | None:
    return node.items[0].optional_vars


# Scopes.


def _scope(fb: FunctionBuilder, node: ast.With, given: dict, where: dict) -> None:
    """`with pl.scope(mode=...)`: statements of the function around it."""
    from .statements import run

    mode = given.get("mode", ScopeMode.MANUAL)
    if not isinstance(mode, ScopeMode):
        raise fb.error(
            where["mode"],
            f"pl.scope: mode is a member of pl.ScopeMode, found {describe(mode)}",
            ParserTypeError,
        )
    tasks.require_control(fb, "a scope", node.items[0].context_expr)
    if _token(node) is not None:
        raise fb.error(
            _token(node), "a scope is no task, so it has no task id", UnsupportedFeatureError
        )
    saved, fb.manual = fb.manual, mode is ScopeMode.MANUAL
    try:
        run(fb, node.body)
    finally:
        fb.manual = saved


# pl.at.


def _at(fb: FunctionBuilder, node: ast.With, given: dict, where: dict) -> None:
    level, role = given["level"], given["role"]
    if not isinstance(level, Level):
        raise fb.error(
            where["level"],
            f"pl.at: level is a member of pl.Level, found {describe(level)}",
            ParserTypeError,
        )
    if role is not None and not isinstance(role, Role):
        raise fb.error(
            where["role"],
            f"pl.at: role is a member of pl.Role, found {describe(role)}",
            ParserTypeError,
        )
    words = tasks.read_words(fb, "pl.at", given, where)
    free = _no_dep_args(fb, given["no_dep_args"], where["no_dep_args"])
    attributes = {"level": session.attribute(f"#pto.level<{level.name.lower()}>")}
    if role is not None:
        word = {Role.Orchestrator: "orchestrator", Role.SubWorker: "sub_worker"}[role]
        attributes["role"] = session.attribute(f"#pto.role<{word}>")
    attributes |= tasks.name_hint(fb, "pl.at", given["name_hint"], where["name_hint"])
    on_core = level in CORES or role is Role.SubWorker
    reported = len(fb.module.diagnostics)
    body = Region(fb, node, node.body, "in_core" if on_core else "control")
    if len(fb.module.diagnostics) == reported:
        _require_used(fb, body, free, where["no_dep_args"])
    free = [array.ir for array in free]
    body.close(fb, node, "pto.block.at", words, attributes, free, _token(node))


def _require_used(fb: FunctionBuilder, body: Region, free: list[Array], node: ast.AST) -> None:
    """A region gives up the order of arrays that it uses. Of another one there is none, and
    that of the array which was meant would stay."""
    used = _operands(body.block) if free else set()
    items = node.elts if isinstance(node, (ast.List, ast.Tuple)) else []
    places = items if len(items) == len(free) else [node] * len(free)
    for array, place in zip(free, places, strict=True):
        if hash(array.ir) in used:
            continue
        fix = "leave it out"
        for part in fb.arrays:
            if isinstance(part, Array) and part is not array and hash(part.ir) in used:
                if any(owner is array for owner in part.owners()):
                    what = "an array that may be it" if part.window is None else "a slice of it"
                    fix = f"it uses {what}, which has an order of its own: name that"
        raise fb.error(
            place,
            f"pl.at: no_dep_args= names '{array.name}', which the region does not use; {fix}",
            ParserTypeError,
        )


def _operands(block: ir.Block) -> set[int]:
    found = set()
    for operation in block.operations:
        found.update(hash(operand) for operand in operation.operands)
        for region in operation.regions:
            for inner in region.blocks:
                found |= _operands(inner)
    return found


def _no_dep_args(fb: FunctionBuilder, value, node: ast.AST) -> list[Array]:
    if value is None:
        return []
    arrays = value if isinstance(value, (list, tuple)) else [value]
    for array in arrays:
        if not isinstance(array, Array):
            raise fb.error(
                node,
                f"pl.at: no_dep_args= lists arrays, found {describe(array)}",
                ParserTypeError,
            )
    return list(arrays)


class Region:
    """The body of a placed region, after it was read."""

    def __init__(self, fb: FunctionBuilder, node: ast.stmt, statements, plane: str, begin=None):
        from .statements import run

        outer, self.before = fb.ip, fb.env
        saved = [(array, array.ir) for array in fb.arrays]
        self.block = fb.detached_block([], [])
        fb.env = dict(self.before)
        fb.ip = ir.InsertionPoint(self.block)
        fb.plane, fb.region = plane, plane == "in_core"
        fb.depth += 1
        try:
            with fb.constants_in(self.block):
                if begin is not None:
                    begin(fb)
                run(fb, statements)
            self.contents = [(array, content, array.ir) for array, content in saved]
        finally:
            self.env, fb.env, fb.ip = fb.env, self.before, outer
            fb.plane, fb.region = "control", False
            fb.depth -= 1
            for array, content in saved:
                array.ir = content
            if plane == "control":
                del fb.arrays[len(saved) :]

    def written(self, fb: FunctionBuilder, node: ast.stmt) -> tuple[list, list]:
        """The arrays that the region wrote, and the computed arrays that it
        leaves to the code after it. Tiles and run-time scalars stay inside."""
        arrays = [(array, after) for array, before, after in self.contents if after is not before]
        for array, _ in arrays:
            if isinstance(array, Cells):
                raise fb.error(
                    node,
                    f"the placed region changes '{array.name}', a pl.array; only arrays in DDR "
                    "leave a task",
                    UnsupportedFeatureError,
                )
        values = []
        for name in fb.names.bound_in(node):
            value = self.env.get(name, MISSING)
            if value is MISSING or value is self.before.get(name, MISSING):
                continue
            place = fb.names.binding(name, node)
            if isinstance(value, Value) and value.type.kind == "array":
                if fb.names.is_read_after(name, node):
                    values.append((name, value))
            elif isinstance(value, (Value, Cells)) or self._is_inner(value):
                kind = "slice" if isinstance(value, Array) else value.type.kind
                fb.env[name] = Unbound(
                    f"'{name}' is a {kind} of the placed region, and only arrays leave "
                    "it; write it to an array",
                    place,
                    f"'{name}' is bound here",
                )
            else:
                fb.env[name] = value
        return arrays, values

    def _is_inner(self, value) -> bool:
        """Whether it is an array that the region itself made, or a slice of one."""
        return isinstance(value, Array) and all(array is not value for array, _, _ in self.contents)

    def close(self, fb, node: ast.stmt, operation: str, words: Words, attributes, free, token):
        """The operation around the body; `free` are arrays outside of the derived order."""
        arrays, values = self.written(fb, node)
        results = [Value(content, array.type) for array, content in arrays]
        results += [value for _, value in values]
        ir.Operation.create(
            "pto.block.yield",
            [],
            [value.ir for value in results],
            loc=fb.location(node),
            ip=ir.InsertionPoint(self.block),
        )
        names = [array.name for array, _ in arrays] + [name for name, _ in values]
        made = _emit(fb, node, operation, words, attributes, free, token, results, names)
        self.block.append_to(made.regions[0])
        outcome = list(made.results)
        for (array, _), result in zip(arrays, outcome, strict=False):
            fb.write(array, result)
        for (name, value), result in zip(values, outcome[len(arrays) :], strict=False):
            array = Array(result, value.type, name, node=fb.names.binding(name, node))
            array.written, array.origin = True, result
            fb.track(array)
            fb.env[name] = array
        if token is not None:
            fb.env[token.id] = Value(outcome[-1], session.TASK)


def _emit(fb, node, operation: str, words: Words, attributes, free, token, results, names):
    words.token = token is not None
    operands, sizes = words.operands()
    attributes = {
        **attributes,
        **words.attributes(fb),
        "operandSegmentSizes": session.int32s((*sizes, len(free))),
        "resultSegmentSizes": session.int32s((len(results), int(words.token))),
    }
    name = names[0] if len(names) == 1 else token.id if token is not None and not names else None
    return ir.Operation.create(
        operation,
        [value.type.ir for value in results] + words.results(),
        [*operands, *free],
        attributes,
        regions=1,
        loc=fb.location(node, name or None),
        ip=fb.ip,
    )


# pl.spmd.


def _spmd(fb: FunctionBuilder, node: ast.With, given: dict, where: dict) -> None:
    """`with pl.spmd(n):` around one kernel, one cluster, or a body that reads its block."""
    token = _token(node)
    if given["deps"] is not None and token is None:
        raise fb.error(
            where["deps"],
            "pl.spmd: deps= goes with the form that names its task: `with pl.spmd(...) as tid:`",
            ParserTypeError,
        )
    words = tasks.read_words(fb, "pl.spmd", given, where)
    hint = tasks.name_hint(fb, "pl.spmd", given["name_hint"], where["name_hint"])
    statements = [item for item in node.body if not _says_nothing(item)]
    inner = statements[0] if len(statements) == 1 else None
    if isinstance(inner, ast.With) and _is_construct(fb, inner.items[0].context_expr, "cluster"):
        _cluster_of(fb, inner, words, hint, token)
        return
    call = inner.value if isinstance(inner, (ast.Expr, ast.Assign, ast.AnnAssign)) else None
    if isinstance(call, ast.Call) and _is_kernel(fb, call.func):
        _launch(fb, inner, words, token)
        return
    body = Region(fb, node, node.body, "in_core")
    if not _reads_block(body.block):
        raise fb.error(
            node.items[0].context_expr,
            "the body of `with pl.spmd(...):` is one call of a kernel, or it reads "
            "pl.tile.get_block_idx(); this one does the same work in every block: write `for i in "
            "pl.spmd(...):`, where i is the block",
            ParserTypeError,
        )
    attributes = {"level": session.attribute("#pto.level<core_group>"), **hint}
    body.close(fb, node, "pto.block.at", words, attributes, [], token)


def _says_nothing(node: ast.stmt) -> bool:
    return isinstance(node, ast.Pass) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )


def _launch(fb: FunctionBuilder, inner: ast.stmt, words: Words, token) -> None:
    """One kernel on several blocks. Its name is the task's: a hint adds nothing."""
    from .statements import run

    words.token = token is not None
    fb.launch = words
    try:
        run(fb, [inner])
    finally:
        launched, fb.launch = fb.launch is None, None
    if token is not None:
        fb.env[token.id] = words.task if launched else Unbound(None)


def _is_construct(fb: FunctionBuilder, node: ast.expr, name: str) -> bool:
    from .expressions import evaluate

    if not isinstance(node, ast.Call) or not isinstance(node.func, (ast.Name, ast.Attribute)):
        return False
    function = evaluate(fb, node.func)
    return isinstance(function, Construct) and function.operation.name == name


def _is_kernel(fb: FunctionBuilder, node: ast.expr) -> bool:
    from .expressions import evaluate

    if not isinstance(node, (ast.Name, ast.Attribute)):
        return False
    function = evaluate(fb, node)
    return fb.module.is_function(function) and function.kind == "in_core"


def _reads_block(block: ir.Block) -> bool:
    for operation in block.operations:
        if operation.operation.name == "pto.block.get_block_idx":
            return True
        for region in operation.regions:
            if any(_reads_block(inner) for inner in region.blocks):
                return True
    return False


def spmd_loop(fb: FunctionBuilder, node: ast.For, args: list, places: list) -> None:
    """`for i in pl.spmd(n):`, where i is the number of the block."""
    names = [parameter.name for parameter in CONSTRUCTS["spmd"].faces[""].parameters]
    given = dict(zip(names, args, strict=True))
    where = {name: place or node.iter for name, place in zip(names, places, strict=True)}
    _require_plane(fb, "spmd", node.iter)
    if given["deps"] is not None:
        raise fb.error(
            where["deps"],
            "pl.spmd: deps= goes with the form that names its task: `with pl.spmd(...) as tid:`, "
            "and i = pl.tile.get_block_idx() in it",
            ParserTypeError,
        )
    words = tasks.read_words(fb, "pl.spmd", given, where)
    hint = tasks.name_hint(fb, "pl.spmd", given["name_hint"], where["name_hint"])

    def number(fb: FunctionBuilder) -> None:
        made = fb.value(
            "pto.block.get_block_idx",
            session.scalar_type(INDEX),
            [],
            None,
            node.target,
            node.target.id,
        )
        made.nonnegative = True
        fb.env[node.target.id] = made

    body = Region(fb, node, node.body, "in_core", number)
    attributes = {"level": session.attribute("#pto.level<core_group>"), **hint}
    body.close(fb, node, "pto.block.at", words, attributes, [], None)


# pl.cluster.


class Cluster:
    """A cluster that is being read: where its kernels go, and what its arrays held before."""

    __slots__ = ("before", "ip")

    def __init__(self, fb: FunctionBuilder, block: ir.Block):
        self.ip = ir.InsertionPoint(block)
        self.before = {id(array): array.ir for array in fb.arrays}

    def of(self, array):
        """What the array is called in front of the cluster, where its slices are made too."""
        return self.before[id(array)]


def _cluster(fb: FunctionBuilder, node: ast.With, given: dict, where: dict) -> None:
    hint = tasks.name_hint(fb, "pl.cluster", given["name_hint"], where["name_hint"])
    words = tasks.read_words(fb, "pl.cluster", given, where)
    _read_cluster(fb, node, words, hint, _token(node))


def _cluster_of(fb: FunctionBuilder, node: ast.With, words: Words, hint: dict, token) -> None:
    """`with pl.spmd(n): with pl.cluster():`, one cluster a block."""
    _, args, places = construct(fb, node.items[0].context_expr, "with")
    if _token(node) is not None or args[1] is not None:
        raise fb.error(
            _token(node) or places[1],
            "the task is that of the pl.spmd around it: `with pl.spmd(..., deps=[...]) as tid:`",
            UnsupportedFeatureError,
        )
    hint = {**hint, **tasks.name_hint(fb, "pl.cluster", args[0], places[0] or node)}
    _read_cluster(fb, node, words, hint, token)


def _read_cluster(fb: FunctionBuilder, node: ast.With, words: Words, hint: dict, token) -> None:
    from .statements import run

    tasks.require_control(fb, "pl.cluster", node.items[0].context_expr)
    for statement in node.body:
        if not isinstance(statement, (ast.Expr, ast.Assign, ast.AnnAssign, ast.Pass)):
            raise fb.error(
                statement,
                "a cluster holds calls of kernels, one for its cube core and one for its vector "
                "cores; they run at the same time",
                UnsupportedFeatureError,
            )
    block = fb.detached_block([], [])
    before = Cluster(fb, block)
    reported = len(fb.module.diagnostics)
    fb.cluster = before
    fb.depth += 1
    try:
        run(fb, node.body)
        changed = [(array, array.ir) for array in fb.arrays if array.ir is not before.of(array)]
    finally:
        fb.cluster = None
        fb.depth -= 1
        for array in fb.arrays:
            array.ir = before.of(array)
    if len(fb.module.diagnostics) > reported:
        raise Failure(None)
    if next(iter(block.operations), None) is None:
        raise fb.error(node.items[0].context_expr, "the cluster holds no kernel", ParserTypeError)
    results = [Value(content, array.type) for array, content in changed]
    ir.Operation.create(
        "pto.block.yield",
        [],
        [value.ir for value in results],
        loc=fb.location(node),
        ip=ir.InsertionPoint(block),
    )
    names = [array.name for array, _ in changed]
    made = _emit(fb, node, "pto.block.cluster", words, hint, [], token, results, names)
    block.append_to(made.regions[0])
    for (array, _), result in zip(changed, made.results, strict=False):
        fb.write(array, result)
    if token is not None:
        fb.env[token.id] = Value(made.results[len(results)], session.TASK)


_PLACED = {"at": _at, "spmd": _spmd, "cluster": _cluster}
