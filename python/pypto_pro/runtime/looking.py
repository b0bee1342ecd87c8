# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Which fields of its key a run of `is_valid` looks at.

A run is followed through the syntax tree of the function. The key is a tuple whose elements
are *unseen*: they can be bound to names, unpacked, sliced, zipped and iterated over. Whatever
needs the value of one (a comparison, a condition, an operator, an index, an element of a list,
set or dict, an argument of any function that is not followed itself) makes it *seen*, and from
then on it is the value itself. So no code outside of this file ever gets to hold an unseen
value, or something that stands for a value: there are no proxies, and nothing can escape.

Only what is known to read no more than its operands is evaluated here: the syntax below, the
functions of `callables.py`, and functions that can be followed in turn. At anything else
the run gives up; the fields seen so far say for which keys it would.
"""

from __future__ import annotations

import ast
import itertools
import operator
import types

from pypto.language.parser import BINARY_OPERATORS

from .callables import CONSUMERS, Forbidden, check_arguments, is_plain
from .function_tree import tree_of
from .lazy import LAZY, GiveUp, Pack, Stream, Trie, Unseen, pack
from .lazy_calls import SPECIAL


class Run:
    """What a run did. `seen`: the fields in the order of their first look. `accepted` is
    None if it raised."""

    def __init__(self):
        self.seen: dict[int, None] = {}
        self.accepted: bool | None = None
        self.gave_up: str | None = None


class Looking:
    """Follows runs of one `is_valid`. `impossible`: why none can be, or None."""

    def __init__(self, is_valid, values: list[tuple]):
        self.impossible: str | None = None
        self.function, self.first = is_valid, ()
        self.tries: dict = {}
        # To ask `isinstance(value, int)` is no look if all are of one type.
        self.ints = [all(type(value) is int for value in field) for field in values]
        if type(is_valid) is types.MethodType:
            self.function, self.first = is_valid.__func__, (is_valid.__self__,)
        if type(self.function) is not types.FunctionType:
            self.impossible = f"is_valid is no Python function but {type(self.function).__name__}"
        elif tree_of(self.function) is None:
            self.impossible = "the source of is_valid is not at hand"

    def follow(self, key: tuple) -> Run:
        run = Run()
        follower = Follower(key, run, self.ints, self.tries)
        unseen = Pack(tuple(Unseen(field) for field in range(len(key))))
        try:
            result = follower.call_function(self.function, [*self.first, unseen], {})
            run.accepted = follower.truth(result)
        except GiveUp as reason:
            run.gave_up = str(reason)
        except (RecursionError, MemoryError) as error:
            run.gave_up = type(error).__name__
        except Exception:
            run.accepted = None  # Python will raise it again
        return run


class _Leave(BaseException):
    """`return`, `break` or `continue`."""


class _Return(_Leave):
    def __init__(self, value):
        self.value = value


class _Break(_Leave):
    pass


class _Continue(_Leave):
    pass


class Frame:
    """The names of a function call; of a comprehension, with `parent` around it."""

    def __init__(self, function: types.FunctionType, names: dict, parent: Frame | None = None):
        self.function, self.names, self.parent = function, names, parent

    def root(self) -> Frame:
        return self.parent.root() if self.parent is not None else self

    def lookup(self, name: str):
        frame = self
        while frame is not None:
            if name in frame.names:
                return frame.names[name]
            frame = frame.parent
        function, code = self.function, self.function.__code__
        if name in code.co_varnames or name in code.co_cellvars:
            raise GiveUp(f"'{name}' has no value")
        if name in code.co_freevars:
            try:
                return function.__closure__[code.co_freevars.index(name)].cell_contents
            except ValueError:
                raise GiveUp(f"'{name}' has no value") from None
        for names in (function.__globals__, function.__builtins__):
            if name in names:
                return names[name]
        raise GiveUp(f"'{name}' is not defined")


_BINARY = {**BINARY_OPERATORS, ast.MatMult: operator.matmul}
_UNARY = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}
_ORDER = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}
_SINGLETONS = (None, True, False, Ellipsis, NotImplemented)
# What no tuple is equal to.
_NO_TUPLES = (int, float, complex, bool, str, bytes, type(None), list, dict, set, frozenset, range)


def _compares_as_tuple(kind: type) -> bool:
    return kind.__eq__ is tuple.__eq__ and kind.__ne__ is tuple.__ne__


class Follower:
    """One run. `key` is read by `force` only."""

    def __init__(self, key: tuple, run: Run, ints: list[bool], tries: dict):
        self.key, self.run, self.ints, self.tries = key, run, ints, tries

    # Values.

    def force(self, value):
        """The value itself: looks at all that is unseen in it."""
        kind = type(value)
        if kind is Unseen:
            self.run.seen.setdefault(value.field)
            return self.key[value.field]
        if kind is Pack:
            return tuple(self.force(item) for item in value.items)
        if kind is Stream:
            raise GiveUp("an iterator is used as a value")
        return value

    def truth(self, value) -> bool:
        kind = type(value)
        if kind is Pack or kind is Stream:
            return True  # a pack has an element
        return bool(self.force(value))

    def iterate(self, value):
        if type(value) is Pack or type(value) is Stream:
            return iter(value.items)
        return iter(self.force(value))

    # Comparisons.

    def same(self, a, b) -> bool:
        """Equality of elements as containers compare them."""
        if type(a) is Pack or type(b) is Pack:
            return bool(self.equal(a, b))
        a, b = self.force(a), self.force(b)
        return bool(a is b or a == b)

    def equal(self, a, b, symbol=operator.eq):
        """`symbol`: or `operator.ne`."""
        known = self._equal_by_elements(a, b)
        if known is None:
            return symbol(self.force(a), self.force(b))
        return known is (symbol is operator.eq)

    def _equal_by_elements(self, a, b) -> bool | None:
        """Whether a pack is equal to something; looks at the elements up to the first that
        differs. None if Python has to compare."""
        if type(a) is not Pack:
            a, b = b, a
        if type(a) is not Pack:
            return None
        if type(b) in _NO_TUPLES or type(b) is Unseen:
            return False  # a candidate is an int
        if type(b) is Pack:
            other = b.items
        elif isinstance(b, tuple) and _compares_as_tuple(type(b)):
            other = tuple.__getitem__(b, slice(None))
        else:
            return None
        # Python compares the elements of tuples of different lengths all the same, which
        # plain elements cannot tell from this.
        if len(other) != len(a.items):
            return False
        return all(self.same(x, y) for x, y in zip(a.items, other, strict=True))

    def contains(self, container, item) -> bool:
        if type(container) is Pack or type(container) is Stream:
            return any(self.same(element, item) for element in container.items)
        container = self.force(container)
        if type(item) is Pack:
            tries = Trie.of(container, self.tries)
            if tries is not None:
                return tries.holds(self, item.items)
        return self.force(item) in container

    def compare(self, symbol, a, b):
        kind = type(symbol)
        if kind is ast.Eq:
            return self.equal(a, b)
        if kind is ast.NotEq:
            return self.equal(a, b, operator.ne)
        if kind is ast.In:
            return self.contains(b, a)
        if kind is ast.NotIn:
            return not self.contains(b, a)
        if kind in _ORDER:
            return _ORDER[kind](self.force(a), self.force(b))
        # Which other objects are one is up to the interpreter.
        if not any(value is single for value in (a, b) for single in _SINGLETONS):
            raise GiveUp("'is' of two objects")
        # A lazy value is an int, a tuple or an iterator.
        same = a is b and type(a) not in LAZY
        return same if kind is ast.Is else not same

    # Calls.

    def call(self, function, args: list, kwargs: dict):
        if type(function) is types.MethodType:
            function, args = function.__func__, [function.__self__, *args]
        if type(function) is types.FunctionType:
            return self.call_function(function, args, kwargs)
        special = SPECIAL.get(id(function))
        if special is not None:
            return special(self, function, args, kwargs)
        return self.call_plain(function, args, kwargs)

    def call_plain(self, function, args: list, kwargs: dict):
        """A function of Python that reads its arguments and nothing else."""
        if not is_plain(function):
            raise GiveUp(f"a call of {getattr(function, '__name__', type(function).__name__)}")
        if id(function) in CONSUMERS:
            args = [list(self.iterate(a)) if type(a) is Stream else a for a in args]
            args = [[self.force(item) for item in a] if type(a) is list else a for a in args]
        args = [self.force(argument) for argument in args]
        kwargs = {name: self.force(argument) for name, argument in kwargs.items()}
        try:
            check_arguments([*args, *kwargs.values()])
        except Forbidden as reason:
            raise GiveUp(str(reason)) from None
        return function(*args, **kwargs)

    def call_function(self, function: types.FunctionType, args: list, kwargs: dict):
        tree = tree_of(function)
        if tree is None:
            raise GiveUp(f"the source of {function.__name__} is not at hand")
        frame = Frame(function, _bound(function, args, kwargs))
        if isinstance(tree, ast.Lambda):
            return self.expression(tree.body, frame)
        try:
            self.block(tree.body, frame)
        except _Return as left:
            return left.value
        return None

    # Statements.

    def block(self, statements: list, frame: Frame) -> None:
        for statement in statements:
            visit = getattr(self, "do_" + type(statement).__name__, None)
            if visit is None:
                raise GiveUp(f"a statement of the kind {type(statement).__name__}")
            visit(statement, frame)

    def do_Return(self, node, frame) -> None:
        raise _Return(None if node.value is None else self.expression(node.value, frame))

    def do_Expr(self, node, frame) -> None:
        self.expression(node.value, frame)

    def do_Pass(self, node, frame) -> None:
        pass

    def do_Break(self, node, frame) -> None:
        raise _Break

    def do_Continue(self, node, frame) -> None:
        raise _Continue

    def do_If(self, node, frame) -> None:
        taken = node.body if self.truth(self.expression(node.test, frame)) else node.orelse
        self.block(taken, frame)

    def do_Assert(self, node, frame) -> None:
        if __debug__ and not self.truth(self.expression(node.test, frame)):
            raise AssertionError

    def do_Raise(self, node, frame) -> None:
        raise AssertionError  # Python will say which

    def do_Assign(self, node, frame) -> None:
        value = self.expression(node.value, frame)
        for target in node.targets:
            self.assign(target, value, frame)

    def do_AnnAssign(self, node, frame) -> None:
        if node.value is not None:
            self.assign(node.target, self.expression(node.value, frame), frame)

    def do_AugAssign(self, node, frame) -> None:
        if type(node.target) is not ast.Name:
            raise GiveUp("an assignment into an object")
        before = frame.lookup(node.target.id)
        if type(before) not in (*LAZY, int, float, bool, str, bytes, tuple, frozenset):
            raise GiveUp("an assignment that may change an object in place")
        value = self.binary(node.op, before, self.expression(node.value, frame))
        frame.names[node.target.id] = value

    def do_While(self, node, frame) -> None:
        while self.truth(self.expression(node.test, frame)):
            try:
                self.block(node.body, frame)
            except _Continue:
                continue
            except _Break:
                return
        self.block(node.orelse, frame)

    def do_For(self, node, frame) -> None:
        for item in self.iterate(self.expression(node.iter, frame)):
            self.assign(node.target, item, frame)
            try:
                self.block(node.body, frame)
            except _Continue:
                continue
            except _Break:
                return
        self.block(node.orelse, frame)

    def assign(self, target, value, frame: Frame) -> None:
        if type(target) is ast.Name:
            code = frame.function.__code__
            if frame.parent is None and target.id not in code.co_varnames + code.co_cellvars:
                raise GiveUp(f"'{target.id}' belongs to another scope")
            frame.names[target.id] = value
        elif type(target) in (ast.Tuple, ast.List):
            self._unpack(target.elts, value, frame)
        else:
            raise GiveUp("an assignment into an object")

    def _unpack(self, targets: list, value, frame: Frame) -> None:
        star = next((i for i, t in enumerate(targets) if type(t) is ast.Starred), None)
        if star is None:
            items = list(itertools.islice(self.iterate(value), len(targets) + 1))
            if len(items) != len(targets):
                raise ValueError("unpacking")
        else:
            items = list(self.iterate(value))
            after = len(targets) - star - 1
            if len(items) < star + after:
                raise ValueError("unpacking")
            end = len(items) - after
            middle = [self.force(item) for item in items[star:end]]
            items = [*items[:star], middle, *items[end:]]
        for target, item in zip(targets, items, strict=True):
            self.assign(target.value if type(target) is ast.Starred else target, item, frame)

    # Expressions.

    def expression(self, node, frame: Frame):
        visit = _VISITS.get(type(node))
        if visit is None:
            raise GiveUp(f"an expression of the kind {type(node).__name__}")
        return visit(self, node, frame)

    def forced(self, node, frame: Frame):
        return self.force(self.expression(node, frame))

    def constant(self, node, frame):
        return node.value

    def name(self, node, frame):
        if node.id.startswith("__") and not node.id.endswith("__"):
            raise GiveUp("a name that Python mangles")
        return frame.lookup(node.id)

    def named(self, node, frame):
        value = self.expression(node.value, frame)
        self.assign(node.target, value, frame.root())
        return value

    def logic(self, node, frame):
        stop = type(node.op) is ast.Or
        for operand in node.values[:-1]:
            value = self.expression(operand, frame)
            if self.truth(value) is stop:
                return value
        return self.expression(node.values[-1], frame)

    def unary(self, node, frame):
        value = self.expression(node.operand, frame)
        if type(node.op) is ast.Not:
            return not self.truth(value)
        return _UNARY[type(node.op)](self.force(value))

    def binary_node(self, node, frame):
        left = self.expression(node.left, frame)
        return self.binary(node.op, left, self.expression(node.right, frame))

    def binary(self, symbol, left, right):
        if type(symbol) is ast.Add and Pack in (type(left), type(right)):
            sides = [side.items if type(side) is Pack else side for side in (left, right)]
            if all(type(side) is tuple for side in sides):
                return pack(sides[0] + sides[1])
        return _BINARY[type(symbol)](self.force(left), self.force(right))

    def comparison(self, node, frame):
        left = self.expression(node.left, frame)
        for symbol, operand in zip(node.ops[:-1], node.comparators, strict=False):
            right = self.expression(operand, frame)
            result = self.compare(symbol, left, right)
            if not self.truth(result):
                return result
            left = right
        return self.compare(node.ops[-1], left, self.expression(node.comparators[-1], frame))

    def choice(self, node, frame):
        test = self.truth(self.expression(node.test, frame))
        return self.expression(node.body if test else node.orelse, frame)

    def elements(self, nodes: list, frame) -> list:
        items = []
        for node in nodes:
            if type(node) is ast.Starred:
                items += self.iterate(self.expression(node.value, frame))
            else:
                items.append(self.expression(node, frame))
        return items

    def tuple_display(self, node, frame):
        known = _constant_display(node)
        return known if known is not None else pack(self.elements(node.elts, frame))

    def list_display(self, node, frame):
        return [self.force(item) for item in self.elements(node.elts, frame)]

    def set_display(self, node, frame):
        known = _constant_display(node)
        return known if known is not None else set(self.list_display(node, frame))

    def dict_display(self, node, frame):
        known = _constant_display(node)
        if known is not None:
            return known
        made = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                made.update(self.forced(value, frame))
            else:
                name = self.forced(key, frame)
                made[name] = self.forced(value, frame)
        return made

    def index(self, node, frame):
        owner = self.expression(node.value, frame)
        where = self.forced(node.slice, frame)
        if type(owner) is Pack and type(where) in (int, bool, slice):
            found = owner.items[where]
            return pack(found) if type(where) is slice else found
        return self.force(owner)[where]

    def slicing(self, node, frame):
        parts = (node.lower, node.upper, node.step)
        return slice(*(None if part is None else self.forced(part, frame) for part in parts))

    def attribute(self, node, frame):
        if node.attr.startswith("__"):
            raise GiveUp(f"the attribute {node.attr}")
        return getattr(self.forced(node.value, frame), node.attr)

    def call_node(self, node, frame):
        function = self.forced(node.func, frame)
        args = self.elements(node.args, frame)
        kwargs = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                raise GiveUp("a call with ** arguments")
            kwargs[keyword.arg] = self.expression(keyword.value, frame)
        return self.call(function, args, kwargs)

    def text(self, node, frame) -> str:
        return "".join(str(self.forced(part, frame)) for part in node.values)

    def text_part(self, node, frame) -> str:
        value = self.forced(node.value, frame)
        if node.conversion != -1:
            value = {"s": str, "r": repr, "a": ascii}[chr(node.conversion)](value)
        return format(value, self.forced(node.format_spec, frame) if node.format_spec else "")

    # Comprehensions.

    def loops(self, generators: list, frame: Frame, first=None):
        """Runs the loops of a comprehension. `first`: what the outermost iterates over, which
        is evaluated before the rest runs."""
        loop, *rest = generators
        if loop.is_async:
            raise GiveUp("an async comprehension")
        items = first if first is not None else self.iterate(self.expression(loop.iter, frame))
        for item in items:
            self.assign(loop.target, item, frame)
            if not all(self.truth(self.expression(test, frame)) for test in loop.ifs):
                continue
            if rest:
                yield from self.loops(rest, frame)
            else:
                yield None

    def comprehension(self, node, frame: Frame):
        """The frame of a comprehension, and its rounds."""
        first = self.iterate(self.expression(node.generators[0].iter, frame))
        inner = Frame(frame.function, {}, frame)
        return inner, self.loops(node.generators, inner, first)

    def generator(self, node, frame):
        inner, rounds = self.comprehension(node, frame)
        return Stream(self.expression(node.elt, inner) for _ in rounds)

    def list_comprehension(self, node, frame):
        inner, rounds = self.comprehension(node, frame)
        return [self.forced(node.elt, inner) for _ in rounds]

    def set_comprehension(self, node, frame):
        return set(self.list_comprehension(node, frame))

    def dict_comprehension(self, node, frame):
        inner, rounds = self.comprehension(node, frame)
        return {self.forced(node.key, inner): self.forced(node.value, inner) for _ in rounds}


_VISITS = {
    ast.Constant: Follower.constant,
    ast.Name: Follower.name,
    ast.NamedExpr: Follower.named,
    ast.BoolOp: Follower.logic,
    ast.UnaryOp: Follower.unary,
    ast.BinOp: Follower.binary_node,
    ast.Compare: Follower.comparison,
    ast.IfExp: Follower.choice,
    ast.Tuple: Follower.tuple_display,
    ast.List: Follower.list_display,
    ast.Set: Follower.set_display,
    ast.Dict: Follower.dict_display,
    ast.Subscript: Follower.index,
    ast.Slice: Follower.slicing,
    ast.Attribute: Follower.attribute,
    ast.Call: Follower.call_node,
    ast.JoinedStr: Follower.text,
    ast.FormattedValue: Follower.text_part,
    ast.GeneratorExp: Follower.generator,
    ast.ListComp: Follower.list_comprehension,
    ast.SetComp: Follower.set_comprehension,
    ast.DictComp: Follower.dict_comprehension,
}


def _bound(function: types.FunctionType, args: list, kwargs: dict) -> dict:
    """The parameters of a call by name."""
    code = function.__code__
    if code.co_flags & 0x0C:
        raise GiveUp(f"{function.__name__} takes *args or **kwargs")
    names = code.co_varnames[: code.co_argcount]
    every = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if len(args) > len(names):
        raise TypeError("arguments")
    bound = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name in bound or name not in every[code.co_posonlyargcount :]:
            raise TypeError("arguments")
        bound[name] = value
    defaults = function.__defaults__ or ()
    known = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
    known.update(function.__kwdefaults__ or {})
    for name in every:
        if name not in bound:
            if name not in known:
                raise TypeError("arguments")
            bound[name] = known[name]
    return bound


_CONSTANTS: dict[ast.AST, object] = {}


def _constant_display(node):
    """The tuple, set or dict that a display of constants makes, made once; None for another."""
    if node not in _CONSTANTS:
        try:
            _CONSTANTS[node] = ast.literal_eval(node)
        except (ValueError, TypeError, SyntaxError, RecursionError):
            _CONSTANTS[node] = None
    return _CONSTANTS[node]
