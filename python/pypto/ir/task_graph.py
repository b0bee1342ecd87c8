# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The tasks of a program's entries and what each waits for, as text and as DOT.
`task_graph_svg` draws them."""

from __future__ import annotations

import dataclasses
import re
import shutil

from ..diagnostics.mlir import place, text_of
from ..frontend import session
from ..mlir import ir
from .types import name_of

_COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


@dataclasses.dataclass
class Task:
    number: int
    kernel: str
    words: list[str]  # what else was said: blocks, condition, marks
    inside: list[str]  # the loops and branches around it, outermost first
    place: str  # the author's file and line, or ""
    waits: dict[int, str]  # the number of an earlier task: the array that is the reason, or ""
    open: bool = False  # it also waits for tasks that only a run can name

    @property
    def title(self) -> str:
        return f"{self.number} {self.kernel}"

    @property
    def details(self) -> list[str]:
        return [
            *self.inside,
            *self.words,
            *(["after tasks of a loop or branch"] if self.open else []),
        ]


@dataclasses.dataclass
class Entry:
    """The tasks of one entry. `order` is its `pto.deps`."""

    name: str
    order: str
    tasks: list[Task]

    @property
    def remark(self) -> str:
        if self.order == "explicit":
            return "the edges say all of their order"
        if self.order == "run_time":
            return (
                "more edges are derived when it runs, from the regions that tasks are given; "
                "shown is what is known before"
            )
        return "nobody has derived their order: they run one after the other"

    @property
    def layers(self) -> list[list[Task]]:
        """Tasks by the length of the longest path that leads to them."""
        depth: dict[int, int] = {}
        layers: list[list[Task]] = []
        for task in self.tasks:
            depth[task.number] = max((depth[other] + 1 for other in task.waits), default=0)
            while len(layers) <= depth[task.number]:
                layers.append([])
            layers[depth[task.number]].append(task)
        return layers


class TaskGraph:
    """The entries of a program with tasks; `str()` is a picture in characters."""

    def __init__(self, entries: list[Entry]):
        self.entries = entries

    @classmethod
    def of(cls, program) -> TaskGraph:
        with session.LOCK:
            functions = [
                op.operation
                for op in program._operation.regions[0].blocks[0].operations
                if op.operation.name == "func.func" and _kind(op.operation) == "orchestration"
            ]
            entries = [_Reader(function).read() for function in functions]
        return cls(entries)

    def __str__(self) -> str:
        return self.as_text()

    def as_text(self, width: int | None = None) -> str:
        width = width or min(shutil.get_terminal_size().columns, 120)
        return "\n\n".join(_entry_text(entry, width) for entry in self.entries)

    def as_dot(self) -> str:
        lines = ["digraph tasks {", "  rankdir=TB;", '  node [shape=box, fontname="Helvetica"];']
        lines += ['  edge [fontname="Helvetica", fontsize=10];']
        for index, entry in enumerate(self.entries):
            lines.append(f"  subgraph cluster_{index} {{")
            lines.append(f"    label={_quote(f'{entry.name}: {entry.remark}')};")
            for task in entry.tasks:
                label = "\\n".join([task.title, *task.details]).replace('"', '\\"')
                lines.append(f'    e{index}_{task.number} [label="{label}"];')
            lines += [
                f"    e{index}_{other} -> e{index}_{task.number} [label={_quote(reason)}];"
                for task in entry.tasks
                for other, reason in task.waits.items()
            ]
            lines.append("  }")
        return "\n".join([*lines, "}", ""])

    def as_svg(self) -> str:
        from .task_graph_svg import draw

        return draw(self.entries)


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


# -- Reading -----------------------------------------------------------------------


def _kind(function) -> str:
    return _word(function, "pto.kind")


def _word(operation, attribute: str) -> str:
    """`explicit` of `#pto.deps<explicit>`."""
    if attribute not in operation.attributes:
        return ""
    return re.fullmatch(r"#\w+\.\w+<(\w+)>", str(operation.attributes[attribute]))[1]


def _place(location) -> str:
    file, line, _ = place(location)
    return "" if file is None else f"{file.rpartition('/')[2]}:{line}"


def _constant(value) -> int | None:
    owner = value.owner
    if not isinstance(owner, ir.Block) and owner.name == "arith.constant":
        return ir.IntegerAttr(owner.attributes["value"]).value
    return None


def _value_word(value) -> str:
    number = _constant(value)
    if number is not None:
        return str(number)
    owner = value.owner
    location = value.location if isinstance(owner, ir.Block) else owner.location
    return name_of(location) or "?"


class _Reader:
    """Reads one entry. A token stands for the tasks that are done when it is; one that
    comes out of a loop or branch stands for what only a run can name."""

    def __init__(self, function):
        self.function = function
        self.tasks: list[Task] = []
        self.tokens: dict = {}  # value: set of numbers, or None where a run decides
        self.arrays: dict = {}  # value: {place: set of numbers or None}, or None

    def read(self) -> Entry:
        name = text_of(self.function.attributes["sym_name"])
        for block in self.function.regions[0].blocks:
            self._block(block, [])
        order = _word(self.function, "pto.deps") or "program_order"
        return Entry(name, order, self.tasks)

    def _block(self, block, inside: list[str]) -> None:
        for each in block.operations:
            operation = each.operation
            name = operation.name
            if name in ("pto.block.dispatch", "pto.block.at", "pto.block.cluster"):
                self._task(operation, inside)
            elif name == "pto.block.task_invalid":
                self.tokens[operation.results[0]] = set()
            elif name == "pto.block.task_dummy":
                self.tokens[operation.results[0]] = self._join(operation.operands)
            elif name.startswith("pto.block.array_"):
                self._array(operation)
            elif name == "scf.for":
                word = self._loop_word(operation)
                self._block(operation.regions[0].blocks[0], [*inside, word])
            elif name == "scf.while":
                self._block(operation.regions[1].blocks[0], [*inside, "in a while loop"])
            elif name == "scf.if":
                for region, word in zip(operation.regions, ("if", "else"), strict=False):
                    for inner in region.blocks:
                        self._block(inner, [*inside, f"in {word}"])

    @staticmethod
    def _loop_word(operation) -> str:
        if "pto.names" in operation.attributes:
            names = list(ir.ArrayAttr(operation.attributes["pto.names"]))
            if names and text_of(names[0]):
                return f"in loop over {text_of(names[0])}"
        name = name_of(operation.regions[0].blocks[0].arguments[0].location)
        return f"in loop over {name}" if name else "in a loop"

    def _join(self, tokens) -> set | None:
        found: set = set()
        for token in tokens:
            done = self.tokens.get(token)
            if done is None:
                return None
            found |= done
        return found

    def _array(self, operation) -> None:
        operands = list(operation.operands)
        if operation.name == "pto.block.array_create":
            self.arrays[operation.results[0]] = {}
            return
        place = _constant(operands[-1])
        known = self.arrays.get(operands[-2])
        if operation.name == "pto.block.array_get":
            exact = known is not None and place is not None
            self.tokens[operation.results[0]] = known.get(place, set()) if exact else None
        elif known is None or place is None:
            self.arrays[operation.results[0]] = None
        else:
            self.arrays[operation.results[0]] = {**known, place: self.tokens.get(operands[0])}

    def _task(self, operation, inside: list[str]) -> None:
        sizes = list(operation.attributes["operandSegmentSizes"])
        operands = list(operation.operands)
        if operation.name != "pto.block.dispatch":
            sizes = [0, *sizes]  # a region takes no arguments
        parts, begin = [], 0
        for size in sizes:
            parts.append(operands[begin : begin + size])
            begin += size
        _, blocks, deps, condition, indices, *_ = parts
        number = len(self.tasks)
        task = Task(number, self._name(operation), [], inside, _place(operation.location), {})
        task.words = self._words(operation, blocks, condition, indices)
        self._wait(task, operation, deps)
        self.tasks.append(task)
        results = list(operation.results)
        if list(operation.attributes["resultSegmentSizes"])[1]:
            self.tokens[results[-1]] = {number}

    @staticmethod
    def _name(operation) -> str:
        if operation.name == "pto.block.dispatch":
            return text_of(operation.attributes["callee"])
        if "name_hint" in operation.attributes:
            return text_of(operation.attributes["name_hint"])
        return "pl." + operation.name.rpartition(".")[2]

    @staticmethod
    def _words(operation, blocks, condition, indices) -> list[str]:
        words = [f"{_value_word(blocks[0])} blocks"] if blocks else []
        if condition:
            compare = _COMPARE[_word(operation, "compare")]
            places = ", ".join(map(_value_word, indices))
            number = ir.IntegerAttr(operation.attributes["compare_to"]).value
            words.append(f"when {_value_word(condition[0])}[{places}] {compare} {number}")
        marks = ("manual", "sync_start", "early_resolve")
        return words + [mark for mark in marks if mark in operation.attributes]

    def _wait(self, task: Task, operation, deps) -> None:
        reasons = [""] * len(deps)
        if "pto.edges" in operation.attributes:
            reasons = [text_of(each) for each in ir.ArrayAttr(operation.attributes["pto.edges"])]
        for token, reason in zip(deps, reasons, strict=True):
            done = self.tokens.get(token)
            if done is None:
                task.open = True
                continue
            for other in sorted(done):
                task.waits[other] = task.waits.get(other) or reason


# -- Text --------------------------------------------------------------------------


def _box(task: Task, tasks: list[Task]) -> list[str]:
    lines = [
        f"after {tasks[other].title}{reason and ': ' + reason}"
        for other, reason in task.waits.items()
    ]
    lines = [*task.details, *lines]
    title = f" {task.title} "
    width = max([len(title) + 1, *(len(line) + 2 for line in lines)])
    top = "┌" + title + "─" * (width - len(title)) + "┐"
    return [top, *(f"│ {line:<{width - 2}} │" for line in lines), "└" + "─" * width + "┘"]


def _rows(boxes: list[list[str]], width: int) -> list[str]:
    """Boxes beside each other, as many as fit."""
    lines: list[str] = []
    while boxes:
        count, used = 1, len(boxes[0][0])
        while count < len(boxes) and used + 2 + len(boxes[count][0]) <= width:
            used += 2 + len(boxes[count][0])
            count += 1
        row, boxes = boxes[:count], boxes[count:]
        height = max(map(len, row))
        for box in row:
            box += [" " * len(box[0])] * (height - len(box))
        lines += ["  ".join(parts).rstrip() for parts in zip(*row, strict=True)]
    return lines


def _entry_text(entry: Entry, width: int) -> str:
    count = len(entry.tasks)
    head = f"{entry.name}: {count} task{'' if count == 1 else 's'}, {entry.order}: {entry.remark}"
    lines = [head]
    for index, layer in enumerate(entry.layers):
        if index:
            lines.append("   ▼")
        lines += _rows([_box(task, entry.tasks) for task in layer], width)
    return "\n".join(lines)
