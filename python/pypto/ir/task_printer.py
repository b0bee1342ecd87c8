# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The control plane in the language's own syntax: tasks, regions, slices, small arrays."""

from __future__ import annotations

from ..diagnostics.mlir import text_of
from ..mlir import ir
from .types import annotation, parse_type
from .unsaid import MARK

_DYNAMIC = ir.ShapedType.get_dynamic_size()
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_ROLES = {"orchestrator": "Orchestrator", "sub_worker": "SubWorker"}
TASKS = ("pto.block.dispatch", "pto.block.at", "pto.block.cluster")


def _enum(attribute) -> str:
    text = str(attribute)
    return text[text.index("<") + 1 : -1]


def is_manual(operation) -> bool | None:
    """Whether the tasks in an operation are those of a manual scope; None: it has none."""
    if operation.name in TASKS:
        return "manual" in operation.attributes
    found = None
    for region in operation.regions:
        for block in region.blocks:
            for inner in block.operations:
                manual = is_manual(inner.operation)
                if manual is not None:
                    found = manual if found is None else found and manual
    return found


class _Words:
    """What is said of a task besides its arguments. `leading`: how many groups of operands
    stand in front of these words; `trailing` ones stand behind."""

    def __init__(self, printer, operation, leading: int):
        sizes = list(operation.attributes["operandSegmentSizes"])
        operands, groups = [printer.name(operand) for operand in operation.operands], []
        for size in sizes:
            groups.append(operands[:size])
            operands = operands[size:]
        self.leading = groups[:leading]
        blocks, self.deps, condition, indices, *self.trailing = groups[leading:]
        self.blocks = blocks[0] if blocks else None
        self.attributes = operation.attributes
        self.predicate = ""
        if condition:
            comparison = _COMPARISONS[_enum(self.attributes["compare"])]
            number = ir.IntegerAttr(self.attributes["compare_to"]).value
            self.predicate = f"{condition[0]}[{', '.join(indices)}] {comparison} {number}"
        arrays, tokens = list(operation.attributes["resultSegmentSizes"])
        results = list(operation.results)
        self.results, self.token = results[:arrays], results[arrays] if tokens else None

    def keywords(self, *names: str) -> list[str]:
        """`deps=[t]` and so on, of those names, in this order."""
        found = {
            "deps": f"[{', '.join(self.deps)}]" if self.deps else "",
            "sync_start": "True" if "sync_start" in self.attributes else "",
            "allow_early_resolve": "True" if "early_resolve" in self.attributes else "",
            "predicate": self.predicate,
            "core_num": self.blocks or "",
            "name_hint": "",
        }
        if "name_hint" in self.attributes:
            found["name_hint"] = repr(text_of(self.attributes["name_hint"]))
        return [f"{name}={found[name]}" for name in names if found[name]]


_SPMD = ("sync_start", "deps", "allow_early_resolve", "predicate")


def dispatch(printer, operation) -> None:
    from .printer import _identifier

    words = _Words(printer, operation, 1)
    args = words.leading[0]
    if "no_dep" in operation.attributes:
        free = set(operation.attributes["no_dep"])
        args = [f"pl.no_dep({arg})" if i in free else arg for i, arg in enumerate(args)]
    callee = _identifier(text_of(operation.attributes["callee"]))
    plain = f"self.{callee}({', '.join(args)})"
    said = words.keywords("deps", "allow_early_resolve", "predicate")
    if words.token is None and not words.deps and words.blocks is not None:
        outer = f"with pl.spmd({', '.join([words.blocks, *words.keywords(*_SPMD)])}):"
        inner = plain
        if len(words.results) == 1:
            kind = annotation(parse_type(words.results[0].type))
            inner = f"{printer.define(words.results[0])}: {kind} = {plain}"
        elif words.results:
            inner = f"{', '.join(printer.define(one) for one in words.results)} = {plain}"
        printer.line(outer)
        note = printer.behind(operation, f"{outer} {inner}")
        printer.depth += 1
        printer.line(inner + note)
        printer.depth -= 1
        return
    if words.token is None and not said:
        printer.assign(operation, plain)
        return
    path, keywords = "pl.submit", words.keywords("deps", "allow_early_resolve", "predicate")
    if words.blocks is not None:
        path, keywords = "pl.spmd_submit", words.keywords("core_num", *_SPMD)
    names = [printer.define(result) for result in words.results]
    returned = ", ".join(names) if len(names) < 2 else f"({', '.join(names)})"
    token = "_" if words.token is None else printer.define(words.token, "tid")
    text = ", ".join([f"self.{callee}", *args, *keywords])
    line = f"{returned or '_'}, {token} = {path}({text})"
    printer.line(line + printer.behind(operation, line))


def _region(printer, operation, words: _Words, heads: list[str]) -> None:
    """A `with` for each head, the last of them around the body."""
    if words.token is not None:
        heads[0] += f" as {printer.define(words.token, 'tid')}"
    whole = "".join(f"{' ' * depth}with {head}:\n" for depth, head in enumerate(heads))
    note = printer.head_note(operation, whole + " " * len(heads))
    if not note and heads[0].startswith("pl.spmd") and _holds_one_task(operation):
        note = f"{MARK}{operation.name}"  # `pl.spmd` around one task is that task's
    printer.line(f"with {heads[0]}:")
    first = len(printer.lines) - 1
    for head in heads[1:]:
        printer.depth += 1
        printer.line(f"with {head}:")
    block = operation.regions[0].blocks[0]
    bound = printer.body(block)
    # In the language a region has no results: what it binds is there after it.
    yielded = list(list(block.operations)[-1].operation.operands)
    names, gives = printer.gives(yielded, bound)
    # What has a name outside as well may be used there.
    used = [name for name in bound if name in printer.reader.values]
    used += [name for name, one in zip(names, words.results, strict=True) if list(one.uses)]
    if gives != given(operation.name, bound, used):
        note = f"{note or MARK}{' ' * bool(note)}gives {', '.join(gives)}"
    printer.lines[first] += note
    for result, name in zip(words.results, names, strict=True):
        printer.rename(result, name)
    printer.depth -= len(heads) - 1


def given(operation: str, bound: dict, used) -> list[str]:
    """The names, of those that a region binds, which are its results unless a note says
    otherwise: of a cluster all arrays that it writes, else what is used behind it."""
    if operation == "pto.block.cluster":
        return [name for name, one in bound.items() if str(one.type).startswith("tensor")]
    return [name for name in bound if name in used]


def _holds_one_task(operation) -> bool:
    """Whether a region that is not a cluster would be read as the one task in it."""
    if operation.name != "pto.block.at":
        return False
    inside = [one.operation.name for one in operation.regions[0].blocks[0].operations]
    inside = [name for name in inside if name not in ("arith.constant", "pto.block.yield")]
    return len(inside) == 1 and inside[0] in TASKS


def at(printer, operation) -> None:
    words = _Words(printer, operation, 0)
    level = _enum(operation.attributes["level"]).upper()
    if words.blocks is not None and level == "CORE_GROUP":
        path, parts = "pl.spmd", [words.blocks, *words.keywords(*_SPMD, "name_hint")]
    else:
        path, parts = "pl.at", [f"level=pl.Level.{level}"]
        if "role" in operation.attributes:
            parts.append(f"role=pl.Role.{_ROLES[_enum(operation.attributes['role'])]}")
        parts += words.keywords("core_num", *_SPMD, "name_hint")
    if words.trailing[0]:
        parts.append(f"no_dep_args=[{', '.join(words.trailing[0])}]")
    _region(printer, operation, words, [f"{path}({', '.join(parts)})"])


def cluster(printer, operation) -> None:
    words = _Words(printer, operation, 0)
    if words.blocks is None:
        parts = words.keywords(*_SPMD, "name_hint")
        _region(printer, operation, words, [f"pl.cluster({', '.join(parts)})"])
        return
    outer = f"pl.spmd({', '.join([words.blocks, *words.keywords(*_SPMD)])})"
    inner = f"pl.cluster({', '.join(words.keywords('name_hint'))})"
    _region(printer, operation, words, [outer, inner])


def task_invalid(printer, operation) -> None:
    printer.assign(operation, "pl.system.task_invalid()")


def task_dummy(printer, operation) -> None:
    deps = ", ".join(printer.name(operand) for operand in operation.operands)
    printer.assign(operation, f"pl.system.task_dummy(deps=[{deps}])")


# Slices and elements.


def _offsets(printer, operation) -> list[str]:
    dynamic = iter(list(operation.operands)[1:])
    return [
        printer.name(next(dynamic)) if offset == _DYNAMIC else str(offset)
        for offset in operation.attributes["static_offsets"]
    ]


def slice_(printer, operation) -> None:
    source = operation.operands[0]
    shape = parse_type(source.type).shape
    offsets, sizes = _offsets(printer, operation), list(operation.attributes["sizes"])
    dropped = len(shape) - len(parse_type(operation.results[0].type).shape)
    items = []
    for index, (offset, size) in enumerate(zip(offsets, sizes, strict=True)):
        if index < dropped:
            items.append(offset)
        elif size == shape[index]:
            items.append(":")
        elif offset.isdecimal():
            items.append(f"{offset}:{int(offset) + size}")
        else:
            items.append(f"{offset}:{offset} + {size}")
    printer.assign(operation, f"{printer.name(source)}[{', '.join(items)}]")


def read(printer, operation) -> None:
    where = ", ".join(_offsets(printer, operation))
    printer.assign(operation, f"{printer.name(operation.operands[0])}[{where}]")


def array_create(printer, operation) -> None:
    made = parse_type(operation.results[0].type)
    printer.assign(operation, f"pl.array.create({made.size}, pl.{made.dtype})")


def array_get(printer, operation) -> None:
    array, index = [printer.name(operand) for operand in operation.operands]
    printer.assign(operation, f"{array}[{index}]")


def _is_last_use(operation, value) -> bool:
    """Whether nothing behind the operation, which is in the value's block, uses the value."""
    owners = [use.owner for use in value.uses]
    block = value.owner if isinstance(value.owner, ir.Block) else value.owner.operation.block
    if any(owner.operation.block != block for owner in owners):
        return False
    behind = False
    for other in block.operations:
        if behind and any(other.operation == owner.operation for owner in owners):
            return False
        behind |= other.operation == operation.operation
    return behind


def array_set(printer, operation) -> None:
    value, array, index = [printer.name(operand) for operand in operation.operands]
    if _is_last_use(operation, operation.operands[1]):
        # In the language an array changes in place; nobody has the old one any more.
        line = f"{array}[{index}] = {value}"
        printer.line(line + printer.behind(operation, line))
        printer.rename(operation.results[0], array)
    else:
        printer.assign(operation, f"pl.array.update_element({array}, {index}, {value})")


HANDLERS = {
    "pto.block.at": at,
    "pto.block.cluster": cluster,
    "pto.block.dispatch": dispatch,
    "pto.block.task_invalid": task_invalid,
    "pto.block.task_dummy": task_dummy,
    "pto.block.array_create": array_create,
    "pto.block.array_get": array_get,
    "pto.block.array_set": array_set,
    "pto.tensor.slice": slice_,
    "pto.tensor.read": read,
}
