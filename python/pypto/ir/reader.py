# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The program of a text that `as_python` printed.

What a line means is in `ir/lines.py`, what stands behind it in `ir/unsaid.py`; here the
operations are made, one behind another, and their regions entered.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
import tokenize
from collections import ChainMap

from ..diagnostics.errors import Diagnostic, raise_all
from ..diagnostics.mlir import collect, text_of, verify
from ..diagnostics.render import remember_source
from ..diagnostics.suggest import suggestion
from ..frontend import session
from ..mlir import ir
from . import HEADER
from .attributes import FAILURES, Unreadable, path_of, segments
from .lines import Lines, Signature, named_attributes, written
from .program import Program
from .task_printer import given
from .unsaid import MARK, Meaning, Note, attributes_of, operand_of


def read(text: str, file: str = "<string>") -> Program:
    """The program of a text of `Program.as_python`, at any stage.

    file: what errors call the text
    Raises CompileError: the text is none that `as_python` prints, or its program is wrong.
    """
    remember_source(file, text.splitlines(keepends=True))
    with session.LOCK, session.CONTEXT, collect(session.CONTEXT) as found:
        module, name = None, ""
        try:
            reading = _Module(text, file)
            module, name = reading.module(), reading.name
            if not verify(module):
                module = None
        except (Unreadable, SyntaxError) as error:
            found.append(_diagnostic(error, file))
        except ir.MLIRError as error:
            if not found:
                found.append(Diagnostic(str(error), file, 1, 1))
        made = module.operation.clone() if module is not None and not found else None
    if made is None:
        raise_all(found)
    return Program(made, _entry(made, name), name)


def _entry(module, name: str) -> str:
    """The function that a program is run by: the one of its name, else the only one of the
    control plane, or the only one."""
    functions = {}
    for one in module.regions[0].blocks[0].operations:
        if one.operation.name == "func.func":
            attributes = one.operation.attributes
            kind = str(attributes["pto.kind"]) if "pto.kind" in attributes else ""
            functions[text_of(attributes["sym_name"])] = kind
    if name in functions:
        return name
    for wanted in ("orchestration", "opaque", ""):
        found = [function for function, kind in functions.items() if wanted in kind]
        if len(found) == 1:
            return found[0]
    return name


def _diagnostic(error, file: str) -> Diagnostic:
    if isinstance(error, SyntaxError):
        return Diagnostic(error.msg, file, error.lineno or 1, error.offset or 1)
    node = error.node
    line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1
    end = getattr(node, "end_col_offset", None) or 0
    same = getattr(node, "end_lineno", line) == line
    return Diagnostic(str(error), file, line, column, end + 1 if same and end else 0)


@contextlib.contextmanager
def printed(node: ast.stmt):
    """What goes wrong in here is wrong with this statement."""
    try:
        yield
    except Unreadable:
        raise
    except FAILURES:
        raise Unreadable(node, "this is none of the lines that as_python prints") from None


class _Module:
    """A text with its tree and its comments."""

    def __init__(self, text: str, file: str):
        self.file = file
        self.tree = ast.parse(text, file)
        # Of each line, what stands behind `#`.
        self.comments: dict[int, str] = {}
        # A text that Python's parser takes can still be one that its tokenizer does not.
        with contextlib.suppress(tokenize.TokenError):
            for token in tokenize.generate_tokens(io.StringIO(text).readline):
                if token.type == tokenize.COMMENT:
                    self.comments[token.start[0]] = token.string
        found = re.match(re.escape(HEADER) + r"(.*)", text)
        self.name = found[1].strip() if found else "program"

    def module(self) -> ir.Module:
        made = ir.Module.create(ir.Location.file(self.file, 1, 1))
        attributes = made.operation.attributes
        classes = [node for node in self.tree.body if isinstance(node, ast.ClassDef)]
        if len(classes) != 1:
            raise Unreadable(self.tree, "a printed program is one class under @pl.program")
        for line, comment in self.comments.items():
            if line < classes[0].lineno and comment.startswith("# target: "):
                attributes["pto.target"] = ir.StringAttr.get(comment.partition(": ")[2])
            elif line < classes[0].lineno and comment.startswith(MARK.strip()):
                for key, one in self.note(line, classes[0]).attributes.items():
                    attributes[key] = one
        heads, known = {}, {}
        for node in classes[0].body:
            if isinstance(node, ast.FunctionDef):
                head = heads[node] = self.head(node)
                kind = ir.FunctionType(ir.TypeAttr(head.attributes["function_type"]).value)
                known[node.name] = Signature(list(kind.results), written(head.attributes))
            elif not isinstance(node, ast.Expr | ast.Pass):
                raise Unreadable(node, "a printed program holds functions")
        for node in classes[0].body:
            _Function(self, known, made.body).make(node, heads.get(node))
        return made

    def head(self, node: ast.FunctionDef) -> Meaning:
        """What a function's line says, with what stands above and behind it."""
        if not node.decorator_list or not isinstance(node.decorator_list[0], ast.Call):
            raise Unreadable(node, "a printed function stands under @pl.function(type=...)")
        modes, line = {}, node.decorator_list[0].lineno - 1
        while (
            found := re.fullmatch(r"# (pto\.\w+): (\w+)", self.comments.get(line, ""))
        ) is not None:
            modes[found[1]] = found[2]
            line -= 1
        with printed(node):
            return self.note(node.lineno, node).onto(Lines.function(node, modes), str)

    def note(self, line: int, node: ast.AST) -> Note:
        """What stands behind a line: of it, and why its operation is there."""
        comment = self.comments.get(line)
        if comment is None:
            return Note()
        reason, mark, said = f"  {comment}".partition(MARK)
        try:
            note = Note.read(said) if mark else Note()
        except (ValueError, ir.MLIRError) as error:
            raise Unreadable(node, f"what stands behind this line is no note: {error}") from None
        if reason.strip():
            note.attributes["pto.reason"] = ir.StringAttr.get(reason.strip().removeprefix("# "))
        return note


class _Function:
    """Makes the operations of one function."""

    def __init__(self, module: _Module, known: dict[str, Signature], body: ir.Block):
        self.text = module
        self.lines = Lines(ChainMap(), known)
        # Where the next operation goes.
        self.block = body
        # The last line in which each name is used.
        self.used: dict[str, int] = {}
        # What the line before a `while True` says of it: the names that it carries, and their
        # first values.
        self.start: tuple = ([], [])
        # What bodies lie in until their operations are made.
        self.holders: list[ir.Operation] = []

    # Making.

    def location(self, node: ast.AST, name: str | None = None) -> ir.Location:
        place = ir.Location.file(self.text.file, node.lineno, node.col_offset + 1)
        return place if name is None else ir.Location.name(name, place)

    def create(self, meaning: Meaning, node: ast.AST, name: str | None = None, regions: int = 0):
        if not session.CONTEXT.is_registered_operation(meaning.name):
            raise Unreadable(node, f"there is no operation '{meaning.name}'" + _near(node))
        operands = [self.value(operand, node) for operand in meaning.operands]
        where = {"loc": self.location(node, name), "ip": ir.InsertionPoint(self.block)}
        said = {"operands": operands, "attributes": meaning.attributes, "regions": regions}
        try:
            return ir.Operation.create(meaning.name, results=meaning.results, **said, **where)
        except (ValueError, ir.MLIRError) as error:
            known = str(error).partition("\n")[0]
            raise Unreadable(node, f"no operation can be made of this line: {known}") from None

    def value(self, operand, node: ast.AST) -> ir.Value:
        if isinstance(operand, ir.Value):
            return operand
        constant = Meaning("arith.constant", [], {"value": operand}, [operand.type])
        return self.create(constant, node).results[0]

    def bind(self, name: str, value) -> None:
        self.lines.values[name] = value

    def operand(self, text: str):
        return self.lines.operand(ast.parse(text, mode="eval").body)

    def meaning(self, node: ast.stmt, line: int | None = None) -> tuple[Meaning, Note]:
        """What a line says, with what stands behind it."""
        note, said = self.text.note(line or node.lineno, node), None
        try:
            said = self.lines.statement(node)
        except FAILURES:
            if not note.whole:
                raise
        return note.onto(said, self.operand), note

    # Functions and bodies.

    def make(self, node: ast.stmt, head: Meaning | None) -> None:
        """What stands in the class: a function with this head, or a line."""
        if head is None:
            self.statement(node)
            return
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
                self.used[inner.id] = max(self.used.get(inner.id, 0), inner.lineno)
        made = self.create(head, node, regions=1)
        if len(node.body) == 1 and ast.unparse(node.body[0]) == "...":
            return
        kind = ir.FunctionType(ir.TypeAttr(head.attributes["function_type"]).value)
        self.enter(made.regions[0], kind.inputs, node.args.args[1:])
        self.statements(node.body[1:] if named_attributes(node) is not None else node.body)

    def enter(self, region, types, nodes) -> ir.Block:
        """Goes into a new block, whose arguments are called as these nodes say."""
        names = [node.id if isinstance(node, ast.Name) else node.arg for node in nodes]
        places = [self.location(node, name) for node, name in zip(nodes, names, strict=True)]
        self.block = ir.Block.create_at_start(region, list(types), places)
        for name, argument in zip(names, self.block.arguments, strict=True):
            self.bind(name, argument)
        return self.block

    @contextlib.contextmanager
    def body(self, types=(), nodes=()):
        """A body that the operation which it becomes a region of does not exist for yet: what
        is in it tells the types of its results. Behind it, what it bound is gone."""
        outer, values, manual = self.block, self.lines.values, self.lines.manual
        self.lines.values = values.new_child()
        holder = ir.Operation.create("scf.execute_region", regions=1, loc=session.UNKNOWN)
        self.holders.append(holder)
        yield self.enter(holder.regions[0], types, nodes)
        self.block, self.lines.values, self.lines.manual = outer, values, manual

    def around(self, blocks, meaning: Meaning, node: ast.stmt, names, regions: int = 0) -> None:
        """The operation of these bodies, and its results by their names. `regions`: how many
        it has, if some may be empty."""
        made = self.create(meaning, node, regions=regions or len(blocks))
        for block, region in zip(blocks, made.regions, strict=False):
            block.append_to(region)
        for name, result in zip(names, made.results, strict=False):
            self.bind(name, result)

    def ending(self, nodes, terminator: str) -> tuple[list[str], list[ir.Type]]:
        """The statements of a body that ends in `a, b = pl.yield_(c, d)`, or in nothing: the
        names, and the types of the values."""
        names, values, last = [], [], nodes[-1]
        call = getattr(last, "value", None)
        if isinstance(call, ast.Call) and path_of(call.func) == "pl.yield_":
            self.statements(nodes[:-1])
            names, values = _targets(last), self.lines.operands(call.args)
        else:
            self.statements(nodes)
        self.create(Meaning(terminator, values), last)
        return names, [value.type for value in values]

    def statements(self, nodes) -> None:
        for node, behind in zip(nodes, [*nodes[1:], None], strict=False):
            if isinstance(node, ast.While):
                start, self.start = self.start, ([], [])
                with printed(node):
                    self.open_while(node, *start)
            elif isinstance(behind, ast.While) and _is_start(node):
                inits = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
                self.start = (_names(node.targets[0]), inits)
            else:
                self.statement(node)

    def statement(self, node: ast.stmt) -> None:
        with printed(node):
            self.read(node)

    def read(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Pass):
            return
        if isinstance(node, ast.Return):
            values = [] if node.value is None else [node.value]
            values = node.value.elts if isinstance(node.value, ast.Tuple) else values
            self.create(Meaning("func.return", self.lines.operands(values)), node)
        elif isinstance(node, ast.With):
            self.with_(node)
        elif isinstance(node, ast.For):
            self.for_(node)
        elif isinstance(node, ast.If):
            self.if_(node)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Name):
            self.bind(node.target.id, self.lines.operand(node.value))
        else:
            self.line(node)

    def line(self, node: ast.stmt, whole: ast.stmt | None = None) -> None:
        """An operation without regions. `whole`: the line with a `pl.spmd` around it."""
        meaning, _ = self.meaning(whole or node, node.lineno)
        names = _targets(node) or meaning.rebinds
        made = self.create(meaning, node, names[0] if names else None)
        for name, result in zip([n for n in names if n != "_"], made.results, strict=False):
            self.bind(name, result)

    # What has regions.

    def for_(self, node: ast.For) -> None:
        meaning, _ = self.meaning(node)
        if meaning.name == "scf.while":
            self.while_(node, meaning)
            return
        nodes = [node.target]
        if isinstance(node.target, ast.Tuple):
            counter, carried = node.target.elts
            nodes = [counter, *carried.elts]
        types = [meaning.operands[0].type, *meaning.results]
        meaning.attributes["pto.names"] = session.strings([one.id for one in nodes])
        with self.body(types, nodes) as block:
            names, _ = self.ending(node.body, "scf.yield")
        self.around([block], meaning, node, names)

    def while_(self, node: ast.For, meaning: Meaning) -> None:
        """`for a, b in pl.while_(init_values=(x, y)):`, then `pl.cond(...)`."""
        nodes = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
        meaning.attributes["pto.names"] = session.strings([one.id for one in nodes])
        test = node.body[0].value.args[0]
        with self.body(meaning.results, nodes) as head:
            self.lines.emit = lambda inner: self.create(inner, test).results[0]
            condition = self.lines.operand(test)
            self.lines.emit = None
            self.create(Meaning("scf.condition", [condition, *head.arguments]), test)
        with self.body(meaning.results, nodes) as block:
            names, _ = self.ending(node.body[1:], "scf.yield")
        self.around([head, block], meaning, node, names)

    def open_while(self, node: ast.While, names: list[ast.Name], inits: list[ast.expr]) -> None:
        """`a, b = x, y`, then `while True:` with `if not c: break` in its body, and at its end
        `a, b = v, w`."""
        middle = next((i for i, one in enumerate(node.body) if _is_break(one)), None)
        if middle is None:
            raise Unreadable(node, "a printed `while True` has an `if not c: break` in its body")
        leaves, behind = node.body[middle], node.body[middle + 1 :]
        gives = self.text.note(leaves.body[0].lineno, leaves).gives or []
        values = self.lines.operands(inits)
        with self.body([value.type for value in values], names) as head:
            self.statements(node.body[:middle])
            condition = self.lines.operand(leaves.test.operand)
            passed = [self.operand(text) for _, text in gives]
            self.create(Meaning("scf.condition", [condition, *passed]), leaves)
        types = [value.type for value in passed]
        gives = [name for name, _ in gives]
        handed = [ast.copy_location(ast.Name(name), leaves) for name in gives]
        with self.body(types, handed) as block:
            yielded = []
            if names:
                last = behind.pop().value
                self.statements(behind)
                yielded = last.elts if isinstance(last, ast.Tuple) else [last]
            else:
                self.statements(behind)
            self.create(Meaning("scf.yield", self.lines.operands(yielded)), leaves)
        meaning = Meaning("scf.while", values, {}, types)
        meaning = self.text.note(node.lineno, node).onto(meaning, self.operand)
        meaning.attributes["pto.names"] = session.strings([one.id for one in names])
        self.around([head, block], meaning, node, gives)

    def if_(self, node: ast.If) -> None:
        meaning, _ = self.meaning(node)
        blocks, names = [], []
        for arm in (node.body, node.orelse):
            if arm:
                with self.body() as block:
                    names, meaning.results = self.ending(arm, "scf.yield")
                blocks.append(block)
        self.around(blocks, meaning, node, names, 2)

    def with_(self, node: ast.With) -> None:
        call = node.items[0].context_expr
        if isinstance(call, ast.Call) and path_of(call.func) == "pl.manual_scope":
            manual, self.lines.manual = self.lines.manual, True
            self.statements(node.body)
            self.lines.manual = manual
            return
        meaning, note = self.meaning(node)
        if meaning.name == "pto.block.dispatch":
            self.line(node.body[0], node)
            return
        if meaning.name == "pto.block.section":
            with self.body() as block:
                self.statements(node.body)
            self.around([block], meaning, node, [])
            return
        tokens = [item.optional_vars.id for item in node.items if item.optional_vars is not None]
        inner = node.body
        if meaning.name == "pto.block.cluster" and path_of(call.func) == "pl.spmd":
            inner = node.body[0].body
        with self.body() as block:
            self.statements(inner)
            bound = self.lines.values.maps[0]
            gives = note.gives
            if gives is None:
                used = [name for name in bound if self.used.get(name, 0) > node.end_lineno]
                gives = [(name, name) for name in given(meaning.name, bound, used)]
            names = [name for name, _ in gives]
            values = [self.operand(text) for _, text in gives]
            self.create(Meaning("pto.block.yield", values), node)
        meaning.results = [value.type for value in values] + [
            ir.Type.parse("!pto.task") for _ in tokens
        ]
        meaning.attributes["resultSegmentSizes"] = segments(names, tokens)
        self.around([block], meaning, node, [*names, *tokens])


def _near(node: ast.stmt) -> str:
    """What the word of a line may have been meant for."""
    import pypto.language as pl

    word = getattr(getattr(getattr(node, "value", None), "func", None), "attr", "")
    return suggestion(word, dir(pl), "pl.{}")


def _names(target: ast.expr) -> list[ast.Name]:
    """The names of a target, in their order."""
    if isinstance(target, ast.Tuple):
        return [name for one in target.elts for name in _names(one)]
    return [target] if isinstance(target, ast.Name) else []


def _targets(node: ast.stmt) -> list[str]:
    """The names that a line binds."""
    targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
    return [name.id for target in targets for name in _names(target)]


def _is_start(node: ast.stmt) -> bool:
    """Whether a line may give what a `while True` carries its first values."""
    values = getattr(node, "value", None)
    values = values.elts if isinstance(values, ast.Tuple) else [values]
    return isinstance(node, ast.Assign) and not any(
        isinstance(value, ast.Call) and path_of(value.func) not in ("pl.const", "float")
        for value in values
    )


def _is_break(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and isinstance(node.body[0], ast.Break)


def structural_equal(one: Program, other: Program) -> bool:
    """Whether two programs are the same but for their names, locations and where constants
    stand."""
    with session.LOCK, session.CONTEXT:
        return _shape(one._operation, {}) == _shape(other._operation, {})


def _shape(operation, numbers: dict) -> tuple:
    """An operation by what it is; a value is the number of its definition, a constant what
    it is."""

    def operand(value):
        known = operand_of(value)
        return str(known) if isinstance(known, ir.Attribute) else numbers.get(value)

    inside = []
    operands = [operand(value) for value in operation.operands]
    for region in operation.regions:
        for block in region.blocks:
            inside.append([str(argument.type) for argument in block.arguments])
            for argument in block.arguments:
                numbers[argument] = len(numbers)
            inside += [
                _shape(one.operation, numbers)
                for one in block.operations
                if one.operation.name != "arith.constant"
            ]
        inside.append("end of a region")
    for result in operation.results:
        numbers[result] = len(numbers)
    attributes = sorted((key, str(one)) for key, one in attributes_of(operation).items())
    reason = operation.attributes["pto.reason"] if "pto.reason" in operation.attributes else ""
    results = [str(result.type) for result in operation.results]
    return operation.name, operands, attributes, str(reason), results, inside
