# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Every error message that the sources can make, as templates: the words that are always
there, and `□` for what differs.

Python is read by `ast`: what is given to a maker of errors is followed through names,
conditions, calls of our own functions and parameters. C++ is read by its tokens: the chain
of `<<` behind a maker of errors.
"""

from __future__ import annotations

import ast
import dataclasses
import itertools
import pathlib
import re

ROOT = pathlib.Path(__file__).parents[2]
HOLE = "□"


@dataclasses.dataclass(frozen=True)
class Message:
    text: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


# Python.

# Which argument is the message, counted without the receiver.
MAKERS = {
    "error": 1,
    "_wrong": 1,
    "Diagnostic": 0,
    "at_caller": 0,
    "at_code": 0,
    "CompileError": 0,
    "ParserTypeError": 0,
    "UndefinedNameError": 0,
    "UnsupportedFeatureError": 0,
    "ArgumentError": 0,
    "RunError": 0,
    "PassCheckError": 0,
    "DeclarationError": 0,
    "LaunchError": 0,
    "TypeError": 0,
    "ValueError": 0,
    "AttributeError": 0,
    "RuntimeError": 0,
    "Unbound": 0,
    "Unreadable": 1,
}
LIMIT = 64
# Files that hand on what others said, and those whose exceptions they catch themselves.
PASSED_ON = ("python/pypto/diagnostics/",)
CAUGHT = ("runtime/lazy_calls.py", "runtime/looking.py")


class Sources:
    """The functions and constants of all files, by their bare names."""

    def __init__(self, folders):
        self.trees: dict[str, ast.Module] = {}
        self.functions: dict[str, list[ast.FunctionDef]] = {}
        self.constants: dict[str, list[ast.expr]] = {}
        self.calls: dict[str, list[tuple[ast.Call, tuple]]] = {}
        for folder in folders:
            for path in sorted((ROOT / folder).rglob("*.py")):
                self._read(path)

    def _read(self, path: pathlib.Path) -> None:
        tree = ast.parse(path.read_text())
        self.trees[str(path.relative_to(ROOT))] = tree
        for node in tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self.constants.setdefault(node.targets[0].id, []).append(node.value)
        for node, scope in _walk(tree, ()):
            if isinstance(node, ast.FunctionDef):
                self.functions.setdefault(node.name, []).append(node)
            if isinstance(node, ast.Call):
                self.calls.setdefault(_callee(node), []).append((node, scope))


def _walk(node: ast.AST, scope: tuple):
    """Every node with the functions around it."""
    for child in ast.iter_child_nodes(node):
        yield child, scope
        inner = (*scope, child) if isinstance(child, (ast.FunctionDef, ast.Lambda)) else scope
        yield from _walk(child, inner)


def _callee(node: ast.Call) -> str:
    function = node.func
    if isinstance(function, ast.Name):
        return function.id
    return function.attr if isinstance(function, ast.Attribute) else ""


class Templates:
    """What an expression may be as text."""

    def __init__(self, sources: Sources):
        self.sources = sources
        self._open: set = set()
        self._known: dict = {}
        self._bound: dict = {}

    def of(self, node: ast.expr, scope: tuple) -> list[str]:
        key = (node, scope[-1] if scope else None)
        if key in self._known:
            return self._known[key]
        if key in self._open or len(self._open) > 24:
            return [HOLE]
        self._open.add(key)
        try:
            found = self._of(node, scope)
        finally:
            self._open.discard(key)
        found = list(dict.fromkeys(found))[:LIMIT] or [HOLE]
        self._known[key] = found
        return found

    def _of(self, node: ast.expr, scope: tuple) -> list[str]:
        if isinstance(node, ast.Constant):
            return [node.value] if isinstance(node.value, str) else [HOLE]
        if isinstance(node, ast.JoinedStr):
            return self._joined([self.of(part, scope) for part in node.values])
        if isinstance(node, ast.FormattedValue):
            return self._formatted(node, scope)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self._joined([self.of(node.left, scope), self.of(node.right, scope)])
        if isinstance(node, ast.IfExp):
            return self.of(node.body, scope) + self.of(node.orelse, scope)
        if isinstance(node, ast.BoolOp):
            return [text for part in node.values for text in self.of(part, scope)]
        if isinstance(node, ast.Name):
            return self._name(node.id, scope)
        if isinstance(node, ast.Call):
            return self._call(node, scope)
        if isinstance(node, ast.Subscript):
            return self._table(node.value)
        return [HOLE]

    def _formatted(self, node: ast.FormattedValue, scope: tuple) -> list[str]:
        """What stands in braces is followed only where it is all of the words."""
        if isinstance(node.value, (ast.IfExp, ast.Name)):
            found = self.of(node.value, scope)
            if len(found) <= 6:
                return found
        return [HOLE]

    @staticmethod
    def _joined(parts: list[list[str]]) -> list[str]:
        found = itertools.islice(itertools.product(*parts), LIMIT)
        return [re.sub(f"{HOLE}+", HOLE, "".join(choice)) for choice in found]

    def _name(self, name: str, scope: tuple) -> list[str]:
        for depth in range(len(scope) - 1, -1, -1):
            function = scope[depth]
            if isinstance(function, ast.Lambda):
                continue
            around = scope[: depth + 1]
            if function not in self._bound:
                self._bound[function] = self._bindings(function)
            bound = self._bound[function].get(name, [])
            found = [text for value in bound for text in self.of(value, around)]
            parameters = [*function.args.posonlyargs, *function.args.args]
            parameters += function.args.kwonlyargs
            if any(parameter.arg == name for parameter in parameters):
                found += self._given(name, function)
            elif not bound:
                continue
            return found or [HOLE]
        constants = self.sources.constants.get(name, [])
        return [text for value in constants for text in self.of(value, ())] or [HOLE]

    @staticmethod
    def _bindings(function: ast.FunctionDef) -> dict[str, list[ast.expr]]:
        """What each name of a function is bound to."""
        found: dict[str, list[ast.expr]] = {}
        for node in ast.walk(function):
            targets = node.targets if isinstance(node, ast.Assign) else []
            if isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
                targets = [node.target]
            for target in targets:
                if isinstance(target, ast.Name) and node.value is not None:
                    found.setdefault(target.id, []).append(node.value)
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    for item, value in zip(target.elts, node.value.elts, strict=False):
                        if isinstance(item, ast.Name):
                            found.setdefault(item.id, []).append(value)
        return found

    def _given(self, name: str, function: ast.FunctionDef) -> list[str]:
        """What the callers of a function give for a parameter."""
        names = [parameter.arg for parameter in (*function.args.posonlyargs, *function.args.args)]
        found = []
        for call, scope in self.sources.calls.get(function.name, []):
            value = next((word.value for word in call.keywords if word.arg == name), None)
            if value is None and name in names:
                place = names.index(name)
                if names[0] in ("self", "cls"):
                    place -= 1
                if 0 <= place < len(call.args):
                    value = call.args[place]
            if value is not None:
                found += self.of(value, scope)
        positional = [*function.args.posonlyargs, *function.args.args]
        for parameter, default in zip(
            reversed(positional), reversed(function.args.defaults), strict=False
        ):
            if parameter.arg == name and isinstance(default, ast.Constant):
                found += self.of(default, ())
        return found

    def _call(self, node: ast.Call, scope: tuple) -> list[str]:
        if _callee(node) in ("format", "strip") and isinstance(node.func, ast.Attribute):
            return [re.sub(r"\{[^}]*\}", HOLE, text) for text in self.of(node.func.value, scope)]
        found = []
        for function in self.sources.functions.get(_callee(node), []):
            for part in ast.walk(function):
                if isinstance(part, ast.Return) and part.value is not None:
                    found += self.of(part.value, (function,))
        return found or [HOLE]

    def _table(self, node: ast.expr) -> list[str]:
        if isinstance(node, ast.Name):
            found = []
            for table in self.sources.constants.get(node.id, []):
                if isinstance(table, ast.Dict):
                    found += [text for value in table.values for text in self.of(value, ())]
            return found or [HOLE]
        return [HOLE]


def python_messages(folders=("python/pypto", "python/pypto_pro")) -> list[Message]:
    sources = Sources(folders)
    templates = Templates(sources)
    found: dict[Message, None] = {}
    for file, tree in sources.trees.items():
        if file.startswith(PASSED_ON) or file.endswith(CAUGHT):
            continue
        for node, scope in _walk(tree, ()):
            value = _message_of(node)
            if value is None or isinstance(value, (ast.List, ast.ListComp)):
                continue
            for text in templates.of(value, scope):
                found[Message(text, file, node.lineno)] = None
    return list(found)


def _message_of(node: ast.AST) -> ast.expr | None:
    if not isinstance(node, ast.Call) or _callee(node) not in MAKERS:
        return None
    if any(word.arg == "severity" for word in node.keywords) or len(node.args) > 5:
        return None  # a note, or what makes one or the other
    place = MAKERS[_callee(node)]
    if len(node.args) > place:
        return node.args[place]
    return next((word.value for word in node.keywords if word.arg == "message"), None)


# C++.

_CPP_MAKER = re.compile(
    r"\b(?:emit\w*Error|createStringError|CheckError(?:\s+\w+)?|usageError|fileError)\("
)
_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
_STREAMED = re.compile(r"\b(?:InFlightDiagnostic|CheckError|auto)\s+&?&?(\w+)\s*(?:=|\()")


def cpp_messages(folders=("lib", "dialects", "tools")) -> list[Message]:
    found: dict[Message, None] = {}
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".cpp", ".h"):
                for line, text in _cpp_file(path.read_text()):
                    found[Message(text, str(path.relative_to(ROOT)), line)] = None
    return list(found)


def _cpp_file(text: str):
    text = _without_comments(text)
    for match in _CPP_MAKER.finditer(text):
        begin = text.rfind("\n", 0, match.start()) + 1
        before = text[begin : match.start()]
        end = _end_of_statement(text, match.start())
        if re.match(r"\s*(?:static |InFlightDiagnostic |LogicalResult |llvm::Error )", before) and (
            text[end - 1 : end] == "{" or "=" not in before and "<<" not in text[begin:end]
        ):
            declared = re.search(r"\bCheckError\s+\w+\($", match[0])
            if not declared:
                continue
        statement = text[match.start() : end]
        check = re.search(r"\bCheck::(\w+)", statement) if "CheckError" in match[0] else None
        name = _streamed_into(text, match, before)
        if name:
            statement += _later(text, end, name)
        for template in _chain(statement):
            if check:
                words = re.sub(r"(?<!^)([A-Z])", r"_\1", check[1]).lower()
                template += f" [{words}]"
            yield text.count("\n", 0, match.start()) + 1, template


def _streamed_into(text: str, match, before: str) -> str | None:
    """The variable that holds the error, if one does."""
    declared = re.search(r"CheckError\s+(\w+)\($", match[0])
    if declared:
        return declared[1]
    held = re.search(r"(?:InFlightDiagnostic|CheckError|auto)\s+(\w+)\s*=\s*$", before)
    return held[1] if held else None


def _later(text: str, begin: int, name: str) -> str:
    """The statements `name << ...;` up to the end of the function."""
    end = text.find("\n}\n", begin)
    found = ""
    for match in re.finditer(rf"\b{name}\s*<<", text[begin:end]):
        place = begin + match.start() + len(name)
        found += text[place : _end_of_statement(text, place)]
        break
    return found


def _without_comments(text: str) -> str:
    def blank(match) -> str:
        if match[0].startswith('"') or match[0].startswith("'"):
            return match[0]
        return re.sub(r"[^\n]", " ", match[0])

    return re.sub(
        r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)\'|//[^\n]*|/\*.*?\*/', blank, text, flags=re.S
    )


def _end_of_statement(text: str, begin: int) -> int:
    depth, place = 0, begin
    while place < len(text):
        char = text[place]
        if char == '"':
            place = _LITERAL.match(text, place).end()
            continue
        if char == "'":
            place += 4 if text[place + 1] == "\\" else 3
            continue
        if char in "([{":
            if char == "{" and depth == 0:
                return place + 1
            depth += 1
        elif char in ")]}":
            depth -= 1
            if depth < 0:
                return place
        elif char == ";" and depth <= 0:
            return place
        place += 1
    return place


def _parts(statement: str) -> list[str]:
    """The operands of a chain of `<<`, the call of the maker the first of them."""
    found, depth, begin, place = [], 0, 0, 0
    while place < len(statement):
        char = statement[place]
        if char == '"':
            place = _LITERAL.match(statement, place).end()
            continue
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif statement.startswith("<<", place) and depth == 0:
            found.append(statement[begin:place])
            place += 2
            begin = place
            continue
        place += 1
    found.append(statement[begin:])
    return found


def _alternatives(part: str, first: bool) -> list[str]:
    """What one operand may be."""
    literals = [_unescape(text) for text in _LITERAL.findall(part)]
    bare = _LITERAL.sub("", part).strip()
    if not literals:
        return ["" if first else HOLE]
    if first:
        # The arguments of the maker: a message, in pieces or by a condition.
        if "?" in bare and len(literals) > 1:
            return literals
        return ["".join(literals) if not re.search(r"\+", bare) else HOLE.join([*literals, ""])]
    if not bare:
        return ["".join(literals)]
    if "?" in bare and re.fullmatch(r"[(\s]*[^\"]*\?[^\"]*", bare, flags=re.S):
        return literals if len(literals) > 1 else [literals[0], HOLE]
    if "+" in bare:
        return [HOLE + HOLE.join(literals) + HOLE]
    return [HOLE]


def _chain(statement: str) -> list[str]:
    parts = _parts(statement)
    choices = [_alternatives(part, index == 0) for index, part in enumerate(parts)]
    found = itertools.islice(itertools.product(*choices), LIMIT)
    return list(dict.fromkeys(re.sub(f"{HOLE}+", HOLE, "".join(choice)) for choice in found))


def _unescape(text: str) -> str:
    return text.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")


if __name__ == "__main__":
    for message in [*python_messages(), *cpp_messages()]:
        print(message)
