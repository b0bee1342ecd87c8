# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""A function's tree without what leaves a loop in its middle, and without values that are
handed on by position.

`break` and `continue` become flags: what follows them stands in the other arm of their
branch, or behind the question whether a flag is set; a loop that may end early says the
flag that ends it. `for i, (a, b) in pl.range(n, init_values=(p, q))` with
`x, y = pl.yield_(...)` become assignments. What breaks a rule becomes a statement that says
so when it is read. A function without any of this keeps its tree.
"""

from __future__ import annotations

import ast
import types

from ..diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ..language.operation import Construct
from .source import MISSING, Source

LOOPS = ("range", "parallel", "unroll", "pipeline", "while_")


class Leave(ast.stmt):
    """A break or continue: `target` is its flag."""

    _fields = ("target",)


class Wrong(ast.stmt):
    """A statement that breaks a rule: `message`, `kind`, and `place`."""

    _fields = ()


EXITS = (ast.Break, ast.Continue)


def leaves(statements: list[ast.stmt], exits: tuple = EXITS) -> bool:
    """Whether the statements surely end in one of the exits."""
    for node in statements:
        if isinstance(node, exits):
            return True
        if isinstance(node, ast.If) and leaves(node.body, exits) and leaves(node.orelse, exits):
            return True
    return False


def _may_leave(statements: list[ast.stmt]) -> bool:
    return any(
        isinstance(node, EXITS)
        or (isinstance(node, ast.If) and (_may_leave(node.body) or _may_leave(node.orelse)))
        for node in statements
    )


def structured(source: Source) -> ast.FunctionDef:
    """The tree of the function as it is read."""
    tree = source.tree
    known = source.structured
    if known is None:
        needed = any(
            isinstance(node, EXITS)
            or (isinstance(node, ast.Call) and _name(source, node) in ("yield_", "while_", "cond"))
            or (isinstance(node, ast.For) and _carries(node))
            for node in ast.walk(tree)
        )
        known = source.structured = _Structure(source).function(tree) if needed else tree
    return known


def _carries(node: ast.For) -> bool:
    call = node.iter
    named = isinstance(call, ast.Call) and _init_values(call) is not None
    return named or isinstance(node.target, (ast.Tuple, ast.List))


def _name(source: Source, node: ast.expr) -> str | None:
    """The construct of `pl` that is called."""
    function = node.func if isinstance(node, ast.Call) else None
    found = MISSING
    if isinstance(function, ast.Name):
        found = source.lookup(function.id)
    elif isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        module = source.lookup(function.value.id)
        if isinstance(module, types.ModuleType):
            found = module.__dict__.get(function.attr, MISSING)
    return found.operation.name if isinstance(found, Construct) else None


def _at(made, first: ast.AST, last: ast.AST | None = None):
    """The node where `first` begins and `last` ends."""
    last = last or first
    made.lineno, made.col_offset = first.lineno, first.col_offset
    made.end_lineno, made.end_col_offset = last.end_lineno, last.end_col_offset
    return made


def _behind(made: ast.AST, node: ast.AST):
    """The node and its parts, right behind another one, in the text of neither."""
    for part in ast.walk(made):
        if hasattr(part, "lineno"):
            part.lineno = part.end_lineno = node.end_lineno
            part.col_offset = part.end_col_offset = node.end_col_offset
    return made


def _wrong(node: ast.AST, message: str, kind=ParserTypeError, place=None) -> Wrong:
    made = _at(Wrong(), node)
    made.message, made.kind, made.place = message, kind, place or node
    return made


class _Flags:
    """The flags of one loop."""

    def __init__(self, node: ast.stmt, kind: str):
        self.kind = kind
        where = f"@{node.lineno}:{node.col_offset}"
        self.broken, self.continued = f"left{where}", f"skipped{where}"
        self.breaks = False


class _Structure:
    """Rewrites one function. Nodes that stay as they are are shared with its tree."""

    def __init__(self, source: Source):
        self.source = source

    def function(self, tree: ast.FunctionDef) -> ast.FunctionDef:
        made = _copied(tree)
        made.body = self._block(tree.body, None)[0]
        return made

    # What leaves a loop.

    def _block(self, statements: list[ast.stmt], loop: _Flags | None):
        """The statements anew; whether they end in the middle ("no", "perhaps", "surely");
        and the flags that they may set then."""
        out: list[ast.stmt] = []
        for index, node in enumerate(statements):
            if isinstance(node, (ast.Break, ast.Continue)):
                out.append(self._leave(node, loop))
                flags = {out[-1].target.id} if isinstance(out[-1], Leave) else set()
                return out, "surely", flags
            if isinstance(node, ast.If):
                made, ends, flags, rest = self._if(node, statements[index + 1 :], loop)
                out.append(made)
                if ends == "no":
                    continue
                if rest and ends == "perhaps":
                    guard, inner = self._guarded(flags, rest, loop)
                    out.append(guard)
                    flags = flags | inner
                return out, ends, flags
            out += self._statement(node)
        return out, "no", set()

    def _leave(self, node: ast.stmt, loop: _Flags | None) -> ast.stmt:
        word = "break" if isinstance(node, ast.Break) else "continue"
        if loop is None:
            return _wrong(
                node,
                f"{word} would leave the `with` around it; its loop and it stand in one block",
                UnsupportedFeatureError,
            )
        if loop.kind not in ("range", "while"):
            why = {
                "parallel": "its iterations are independent of each other",
                "unroll": "its iterations are made when the kernel is compiled",
                "pipeline": "its iterations overlap",
                "spmd": "its iterations run on different cores",
            }[loop.kind]
            return _wrong(
                node, f"{word} in pl.{loop.kind}: {why}; use pl.range", UnsupportedFeatureError
            )
        made = _at(Leave(), node)
        loop.breaks |= word == "break"
        flag = loop.broken if word == "break" else loop.continued
        made.target, made.word = _at(ast.Name(flag, ast.Store()), node), word
        return made

    def _if(self, node: ast.If, rest: list[ast.stmt], loop: _Flags | None):
        """The branch, how it ends, its flags, and what of the rest is not in it."""
        wrong = self._check_yields(node)
        if wrong is not None:
            return wrong, "no", set(), rest
        bodies, end = [node.body, node.orelse], node
        if not any(map(_may_leave, bodies)):
            arms = [self._block(body, loop) for body in bodies]
            return self._new_if(node, arms, node), "no", set(), rest
        sure = [leaves(body) for body in bodies]
        if any(sure):
            # What follows is in the other arm; behind two that leave nothing follows.
            if sure == [True, False] or sure == [False, True]:
                bodies[sure.index(False)] = [*bodies[sure.index(False)], *rest]
                end = rest[-1] if rest else node
            rest = []
        arms = [self._block(body, loop) for body in bodies]
        how = "surely" if [arm[1] for arm in arms] == ["surely", "surely"] else "perhaps"
        return self._new_if(node, arms, end), how, arms[0][2] | arms[1][2], rest

    @staticmethod
    def _new_if(node: ast.If, arms: list, end: ast.stmt) -> ast.If:
        made = _at(ast.If(node.test, arms[0][0], arms[1][0]), node, end)
        made.left = tuple(arm[1] == "surely" for arm in arms)
        return made

    def _guarded(self, flags: set[str], rest: list[ast.stmt], loop: _Flags | None):
        first = rest[0]
        names = [_at(ast.Name(flag, ast.Load()), first) for flag in sorted(flags)]
        found = names[0] if len(names) == 1 else _at(ast.BoolOp(ast.Or(), names), first)
        test = _at(ast.UnaryOp(ast.Not(), found), first)
        body, _, inner = self._block(rest, loop)
        made = _at(ast.If(test, body, []), first, rest[-1])
        made.left = (False, False)
        return made, inner

    # Statements that hold others, and what is handed on.

    def _statement(self, node: ast.stmt) -> list[ast.stmt]:
        if isinstance(node, ast.With):
            made = _copied(node)
            made.body = self._block(node.body, None)[0]
            return [made]
        if isinstance(node, ast.While) and not node.orelse:
            return [self._while(node, node.test, node.body)]
        if isinstance(node, ast.For) and not node.orelse:
            return self._for(node)
        if self._is_yield(node):
            if isinstance(node, ast.Expr):
                return [_wrong(node, _FORM)]
            return [_plain(node)]
        return [node]

    def _while(self, node: ast.stmt, test: ast.expr, body: list[ast.stmt]) -> ast.While:
        flags = _Flags(node, "while")
        made = _at(ast.While(test, self._block(body, flags)[0], []), node)
        made.exit = flags.broken if flags.breaks else None
        made.skip = flags.continued
        return made

    def _for(self, node: ast.For) -> list[ast.stmt]:
        kind = _name(self.source, node.iter)
        if kind == "while_":
            return self._structured_while(node)
        if kind not in LOOPS and kind != "spmd":
            return [node]
        carried = self._carried(node, kind)
        if isinstance(carried, Wrong):
            return [carried]
        names, first, body, results = carried
        flags = _Flags(node, kind)
        made = _at(ast.For(node.target, node.iter, self._block(body, flags)[0], []), node)
        if names:
            made.target = node.target.elts[0]
            made.iter = _without_init_values(node.iter)
        made.exit = flags.broken if flags.breaks else None
        made.skip = flags.continued
        made.handed = {name.id for name in names}
        return [*first, made, *results]

    def _carried(self, node: ast.For, kind: str):
        """The names of `(a, b)`, the statement in front of the loop, its body, and the
        statement behind it."""
        init = _init_values(node.iter)
        target = node.target
        if init is None or _is_empty(init):
            if isinstance(target, ast.Tuple) and init is None:
                return _wrong(
                    node,
                    f"a loop has one variable; `for i, (a, b) in pl.{kind}(..., init_values=(...))`"
                    " carries more",
                    UnsupportedFeatureError,
                    target,
                )
            return [], [], node.body, []
        if kind == "unroll":
            return _wrong(
                node,
                "pl.unroll has no init_values=: its iterations are made one after the other; "
                "rebind a name in the body",
                place=init,
            )
        forms = isinstance(target, ast.Tuple) and len(target.elts) == 2
        if not forms or not isinstance(target.elts[1], (ast.Tuple, ast.List)):
            count = len(init.elts) if isinstance(init, (ast.Tuple, ast.List)) else 2
            names = ", ".join("abcdefgh"[: max(1, min(count, 8))]) + ("," if count == 1 else "")
            return _wrong(
                node,
                f"init_values= goes with `for i, ({names}) in pl.{kind}(...)`, which names what is "
                "carried",
                place=target,
            )
        return self._handed_on(node, f"pl.{kind}", target.elts[1].elts, init, node.body)

    def _structured_while(self, node: ast.For) -> list[ast.stmt]:
        init = _init_values(node.iter)
        if init is None or _is_empty(init):
            message = "pl.while_() requires init_values to be specified"
            return [_wrong(node, message, place=node.iter)]
        if node.iter.args or len(node.iter.keywords) > 1:
            return [_wrong(node, "pl.while_ takes init_values= and nothing else", place=node.iter)]
        first = node.body[0]
        call = first.value if isinstance(first, ast.Expr) else None
        if call is None or _name(self.source, call) != "cond":
            return [_wrong(node, "the first statement in pl.while_ is pl.cond(...)", place=first)]
        if len(call.args) != 1 or call.keywords:
            return [_wrong(node, "pl.cond takes one condition", place=call)]
        target = node.target
        names = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
        carried = self._handed_on(node, "pl.while_", names, init, node.body[1:])
        if isinstance(carried, Wrong):
            return [carried]
        names, before, body, results = carried
        made = self._while(node, call.args[0], body)
        made.handed = {name.id for name in names}
        return [*before, made, *results]

    def _handed_on(self, node: ast.For, path: str, names: list, init: ast.expr, body: list):
        for name in names:
            if not isinstance(name, ast.Name):
                message = f"{path}: what is carried are names, found '{ast.unparse(name)}'"
                return _wrong(node, message, place=name)
        if isinstance(init, (ast.Tuple, ast.List)) and len(init.elts) != len(names):
            message = f"{path}: {len(names)} names for {len(init.elts)} init_values"
            return _wrong(node, message, place=init)
        last = body[-1] if body else node
        if not self._is_yield(last) or isinstance(last, ast.Expr):
            message = f"{path} with init_values= ends with " + _FORM
            return _wrong(node, message, place=last)
        given = last.value.args
        targets = last.targets[0] if isinstance(last, ast.Assign) else last.target
        results = targets.elts if isinstance(targets, (ast.Tuple, ast.List)) else [targets]
        for what, found in (("pl.yield_ hands on", given), ("it is assigned to", results)):
            if len(found) != len(names):
                message = f"{path} carries {len(names)} values, and {what} {len(found)}"
                return _wrong(node, message, place=last)
        stored = [_at(ast.Name(name.id, ast.Store()), name) for name in names]
        before = _at(ast.Assign([_tuple(stored, ast.Store(), init)], init), init)
        if len(names) == 1 and not isinstance(init, (ast.Tuple, ast.List)):
            before = _at(ast.Assign([stored[0]], init), init)
        body = [*body[:-1], _plain(last)]
        pairs = [
            (name.id, result.id)
            for name, result in zip(names, results, strict=True)
            if isinstance(result, ast.Name) and result.id != name.id
        ]
        after = []
        if pairs:
            body.append(_moved([(b, a) for a, b in pairs], last))
            after.append(_behind(_moved(pairs, node), node))
        return names, [before], body, after

    # pl.yield_.

    def _is_yield(self, node: ast.stmt) -> bool:
        value = getattr(node, "value", None)
        kinds = (ast.Assign, ast.AnnAssign, ast.Expr)
        return isinstance(node, kinds) and _name(self.source, value) == "yield_"

    def _check_yields(self, node: ast.If) -> Wrong | None:
        """Both arms of a branch hand on the same number of values."""
        counts = []
        for arm in (node.body, node.orelse):
            last = arm[-1] if arm else None
            if last is None or not self._is_yield(last):
                counts.append((None, last or node))
            else:
                counts.append((len(last.value.args), last))
        if counts[0][0] == counts[1][0]:
            return None
        nested = len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)
        if counts[0][0] is not None and nested and counts[1][0] is None:
            return None  # an elif has arms of its own, which are looked at by themselves
        words = ["nothing" if count is None else str(count) for count, _ in counts]
        place = counts[0][1] if counts[0][0] is not None else counts[1][1]
        return _wrong(
            node,
            f"both arms of an if hand on the same with pl.yield_: one hands on {words[0]}, the "
            f"other {words[1]}",
            place=place,
        )


_FORM = "an assignment of pl.yield_: `a, b = pl.yield_(...)`"


def _copied(node):
    made = type(node)(**{field: getattr(node, field) for field in node._fields})
    return ast.copy_location(made, node)


def _tuple(items: list, context, node: ast.AST) -> ast.Tuple:
    return _at(ast.Tuple(items, context), node)


def _plain(node: ast.stmt) -> ast.stmt:
    """`x, y = pl.yield_(a, b)` as `x, y = a, b`."""
    made = _copied(node)
    args = node.value.args
    if isinstance(node, ast.AnnAssign):
        target = node.target
    else:
        target = node.targets[0]
    single = len(args) == 1 and not isinstance(target, (ast.Tuple, ast.List))
    made.value = args[0] if single else _tuple(list(args), ast.Load(), node.value)
    return made


def _moved(pairs: list[tuple[str, str]], node: ast.AST) -> ast.Assign:
    """`b, d = a, c` for pairs (a, b), (c, d)."""
    loads = [_at(ast.Name(a, ast.Load()), node) for a, _ in pairs]
    stores = [_at(ast.Name(b, ast.Store()), node) for _, b in pairs]
    if len(pairs) == 1:
        return _at(ast.Assign([stores[0]], loads[0]), node)
    sides = [_tuple(stores, ast.Store(), node)], _tuple(loads, ast.Load(), node)
    return _at(ast.Assign(*sides), node)


def _init_values(call: ast.expr) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg == "init_values":
            return keyword.value
    return None


def _is_empty(init: ast.expr) -> bool:
    empty = isinstance(init, (ast.Tuple, ast.List)) and not init.elts
    return empty or (isinstance(init, ast.Constant) and init.value is None)


def _without_init_values(call: ast.Call) -> ast.Call:
    rest = [keyword for keyword in call.keywords if keyword.arg != "init_values"]
    return _at(ast.Call(call.func, call.args, rest), call)


def ends_loop(name: str) -> bool:
    """Whether the name is a flag that a loop asks."""
    return name.startswith("left@")


def spoken(name: str) -> str:
    """A name as it is printed: a flag's without its place."""
    return name.partition("@")[0]
