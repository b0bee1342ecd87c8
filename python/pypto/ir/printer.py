# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""A module in the language's own syntax, at every stage.

A value is assigned with its type: `t: pl.Tile[[64, 128], pl.FP32, pl.Mem.Vec] =
pl.load(...)`. Operations on buffers name their destination: `pl.exp(t, out=u)`.
Most operations need nothing here: their name and operands say it all.
"""

from __future__ import annotations

import ast
import keyword
from collections import ChainMap
from typing import NamedTuple

from ..diagnostics.mlir import text_of
from ..mlir import ir
from . import HEADER, data_printer, scalar_printer, task_printer
from .attributes import COMPARISONS, FAILURES
from .lines import Lines, Signature, written
from .lines import directions as directions_of
from .types import Array, annotation, name_of, parse_type
from .unsaid import MARK, Meaning, attributes_of, note_of, operand_of

_INDENT = "    "
_DYNAMIC = ir.ShapedType.get_dynamic_size()
_KINDS = {
    "opaque": "Opaque",
    "orchestration": "Orchestration",
    "in_core": "InCore",
    "aic": "AIC",
    "aiv": "AIV",
    "group": "Group",
    "spmd": "Spmd",
    "inline": "Inline",
}


def print_module(operation, name: str) -> str:
    lines = [HEADER + name]
    target = operation.operation.attributes
    if "pto.target" in target:
        lines.append(f"# target: {text_of(target['pto.target'])}")
    said = Meaning(operation.operation.name, [])
    if "pto.target" in target:
        said.attributes["pto.target"] = target["pto.target"]
    lines += [one for one in [note_of(operation.operation, said, str).strip()] if one]
    lines += ["import pypto.language as pl", "", "", "@pl.program", f"class {_identifier(name)}:"]
    functions = list(operation.regions[0].blocks[0].operations)
    signatures = _signatures(operation)
    for index, function in enumerate(functions):
        lines += [""] * (index > 0)
        lines += FunctionPrinter(signatures).function(function.operation)
    if not functions:
        lines.append(_INDENT + "pass")
    return "\n".join(lines) + "\n"


def _signatures(operation) -> dict[str, Signature]:
    """Of each function of a module, by the name that is printed."""
    found = {}
    for one in operation.regions[0].blocks[0].operations:
        if one.operation.name == "func.func":
            attributes = one.operation.attributes
            name = _identifier(text_of(attributes["sym_name"]))
            results = ir.FunctionType(ir.TypeAttr(attributes["function_type"]).value).results
            found[name] = Signature(list(results), written(attributes))
    return found


def _identifier(name: str) -> str:
    cleaned = "".join(char if char.isalnum() or char == "_" else "_" for char in name) or "_"
    if cleaned[0].isdigit() or keyword.iskeyword(cleaned):
        cleaned = "_" + cleaned
    return cleaned


def _loop_name(block, index: int) -> str | None:
    """The author's name of an argument of a loop; the rule of `pto::argumentName`."""
    attributes = block.owner.operation.attributes
    if "pto.names" not in attributes:
        return None
    names = [text_of(item) for item in attributes["pto.names"]]
    if index >= len(names) or (index > 0 and len(names) != len(block.arguments)):
        return None
    return names[index]


def _enum(attribute) -> str:
    """`vec` of `#pto.space<vec>`."""
    text = str(attribute)
    return text[text.index("<") + 1 : -1] if "<" in text else text


class FunctionPrinter:
    """The state while a function is printed: the names of its values."""

    def __init__(self, functions: dict):
        self.names: dict = {}
        # What each name stands for where the printer is; the reader has the same.
        self.reader = Lines(ChainMap(), functions)
        self.taken: set[str] = {"self", "pl"}
        self.lines: list[str] = []
        self.depth = 1

    # Text.

    def line(self, text: str) -> None:
        self.lines.append(_INDENT * self.depth + text)

    def name(self, value) -> str:
        found = self.names.get(value)
        return found if found is not None else self.define(value)

    def define(self, value, stem: str | None = None) -> str:
        if stem is None:
            owner = value.owner
            if isinstance(owner, ir.Block):
                stem = name_of(value.location) or _loop_name(owner, value.arg_number) or "v"
            else:
                stem = name_of(owner.location) or "v"
        chosen = self.fresh(stem)
        self.rename(value, chosen)
        return chosen

    def fresh(self, stem: str) -> str:
        """A name that nothing has."""
        stem = _identifier(stem)
        chosen, count = stem, 0
        while chosen in self.taken:
            chosen = f"{stem}_{count}"
            count += 1
        self.taken.add(chosen)
        return chosen

    def rename(self, value, name: str) -> None:
        """From here on the name is that of the value."""
        self.names[value] = name
        self.reader.values[name] = operand_of(value)

    def assign(self, operation, text: str) -> None:
        """`name: type = text`, or the bare text of what has no result, and behind it what that
        leaves unsaid."""
        results = list(operation.results)
        if not results:
            line = text
        elif len(results) == 1:
            kind = annotation(parse_type(results[0].type))
            line = f"{self.define(results[0])}: {kind} = {text}"
        else:
            line = f"{', '.join(self.define(result) for result in results)} = {text}"
        self.line(line + self.behind(operation, line))

    def behind(self, operation, line: str) -> str:
        """The comment behind a line: why the operation is there, and what the line does not
        say of it."""
        return self.reason(operation) + note_of(operation, self.meaning(line), self.name)

    def head(self, operation, line: str) -> None:
        """The line that begins an operation with regions."""
        self.line(line + self.head_note(operation, line + " "))

    def head_note(self, operation, lines: str) -> str:
        """What stands behind such a line. Its results, the regions say."""
        made = self.meaning(lines + "pass")
        if made is not None:
            made.results = [value.type for value in operation.results]
            if "resultSegmentSizes" in operation.attributes:
                made.attributes["resultSegmentSizes"] = operation.attributes["resultSegmentSizes"]
        return self.reason(operation) + note_of(operation, made, self.name)

    def meaning(self, line: str) -> Meaning | None:
        """What the reader makes of a line; nothing if it cannot read it."""
        try:
            return self.reader.statement(ast.parse(line).body[0])
        except FAILURES:
            return None

    @staticmethod
    def reason(operation) -> str:
        """The comment that says why an operation is there."""
        if "pto.reason" not in operation.attributes:
            return ""
        return f"  # {text_of(operation.attributes['pto.reason'])}"

    def mixed(self, operands, static) -> str:
        """An index list whose dynamic entries are operands."""
        rest = iter(operands)
        return (
            "["
            + ", ".join(
                self.name(next(rest)) if entry == _DYNAMIC else str(entry) for entry in static
            )
            + "]"
        )

    # Functions.

    def function(self, operation) -> list[str]:
        if operation.name != "func.func":
            self.operation(operation)
            return self.lines
        attributes = operation.attributes
        kind = _enum(attributes["pto.kind"]) if "pto.kind" in attributes else "opaque"
        if kind == "in_core" and "pto.core" in attributes:
            kind = text_of(attributes["pto.core"])
        modes = {
            mode: _enum(attributes[mode]) for mode in ("pto.sync", "pto.deps") if mode in attributes
        }
        for mode, value in modes.items():
            self.line(f"# {mode}: {value}")
        decorator = f"@pl.function(type=pl.FunctionType.{_KINDS[kind]})"
        self.line(decorator)
        symbol = _identifier(text_of(attributes["sym_name"]))
        kind = ir.FunctionType(ir.TypeAttr(attributes["function_type"]).value)
        arrow = [annotation(parse_type(one)) for one in kind.results]
        text = (
            ""
            if not arrow
            else f" -> {arrow[0] if len(arrow) == 1 else 'tuple[' + ', '.join(arrow) + ']'}"
        )
        blocks = operation.regions[0].blocks
        inner = self.parameters(operation, blocks[0].arguments if blocks else kind.inputs)
        line = f"def {symbol}({', '.join(['self', *inner])}){text}:"
        named = []
        if "pto.attributes" in attributes:
            items = attributes["pto.attributes"]
            named = [f"{item.name!r}: {_python(item.attr)}" for item in items]
            named = [f"pl.func_attr({{{', '.join(named)}}})"]
        node = ast.parse("\n ".join([decorator + "\n" + line, *named, "pass"])).body[0]
        note = note_of(operation, self.reader.function(node, modes), self.name)
        self.line(line + " ..." * (not blocks) + note)
        for one in named:
            self.line(_INDENT + one)
        if blocks:
            self.body(blocks[0])
        return self.lines

    def parameters(self, operation, arguments) -> list[str]:
        """Of the arguments of a body or, where there is none, of their types."""
        directions = directions_of(operation.attributes)
        found = []
        for index, one in enumerate(arguments):
            known = isinstance(one, ir.Value)
            text = annotation(parse_type(one.type if known else one))
            direction = directions[index] if index < len(directions) else "in"
            if direction != "in":
                text = f"pl.{'Out' if direction == 'out' else 'InOut'}[{text}]"
            found.append(f"{self.define(one) if known else f'v_{index}'}: {text}")
        return found

    def body(self, block) -> dict:
        """Gives what the names that the body binds stand for at its end."""
        self.depth += 1
        before = len(self.lines)
        outside = self.reader.manual
        self.reader.values = self.reader.values.new_child()
        for operation in block.operations:
            self.enter_scope(operation.operation, outside)
            self.operation(operation.operation)
        self.leave_scope(outside)
        if all(line.lstrip().startswith("#") for line in self.lines[before:]):
            self.line("pass")
        self.depth -= 1
        bound, self.reader.values = self.reader.values.maps[0], self.reader.values.parents
        return bound

    def gives(self, values, bound: dict) -> tuple[list[str], list[str]]:
        """The names under which a body hands on values, and how a note says it: a value that
        the body does not bind, or that has its name already, gets one, `v_1=x`."""
        names, said = [], []
        for value in values:
            name = self.name(value)
            if name in names or name not in bound or bound[name] != operand_of(value):
                fresh = self.fresh(name)
                names.append(fresh)
                said.append(f"{fresh}={name}")
            else:
                names.append(name)
                said.append(name)
        return names, said

    def drop_pass(self) -> None:
        """Where something follows in a body that was empty."""
        if self.lines[-1] == _INDENT * (self.depth + 1) + "pass":
            self.lines.pop()

    def enter_scope(self, operation, outside: bool) -> None:
        """Opens a manual scope around tasks that belong into one, or leaves it."""
        manual = task_printer.is_manual(operation)
        if manual and not self.reader.manual:
            self.line("with pl.manual_scope():")
            self.depth += 1
            self.reader.manual = True
        elif manual is False:
            self.leave_scope(outside)

    def leave_scope(self, outside: bool) -> None:
        if self.reader.manual and not outside:
            self.depth -= 1
        self.reader.manual = outside

    # Operations.

    def operation(self, operation) -> None:
        name = operation.name
        handler = _HANDLERS.get(name)
        if handler is not None:
            handler(self, operation)
        elif name == "arith.constant":
            self.names[operation.results[0]] = scalar_printer.constant(operation)
        elif scalar_printer.handles(name):
            self.assign(operation, scalar_printer.expression(operation, self.name))
        elif len(operation.regions) == 0:
            _call(self, operation)
        else:
            self.other(operation)

    def other(self, operation) -> None:
        """What has no syntax in the language, as MLIR in a comment."""
        for result in operation.results:
            self.define(result)
        for text in operation.get_asm(use_name_loc_as_prefix=True).splitlines():
            self.line("# " + text)


def _python(attribute) -> str:
    """A function's attribute in Python; members of enums are kept by their name."""
    if isinstance(attribute, ir.FlatSymbolRefAttr):
        return attribute.value
    return repr(text_of(attribute)) if isinstance(attribute, ir.StringAttr) else _value(attribute)


def _value(attribute) -> str:
    """An attribute's value in Python."""
    text = str(attribute)
    if text.startswith("#pto."):
        return repr(_enum(attribute))
    if text.startswith("array<"):
        return "[" + text.partition(":")[2].strip(" >") + "]" if ":" in text else "[]"
    if text in ("true", "false", "unit"):
        return "False" if text == "false" else "True"
    number = text.partition(" : ")[0]
    try:
        ast.literal_eval(number)
        return number
    except (ValueError, SyntaxError):
        return repr(text)


def _call(printer: FunctionPrinter, operation) -> None:
    """`pl.exp(t)`, `pl.exp(t, out=u)`, with attributes as keywords."""
    family, mnemonic = operation.name.removeprefix("pto.").split(".", 1)
    operands = [printer.name(operand) for operand in operation.operands]
    if family == "tile" and not list(operation.results) and operands:
        operands[-1] = f"out={operands[-1]}"
    keywords = [
        f"{named.name}={_value(named.attr)}"
        for named in _attributes(operation)
        if not named.name.startswith("pto.") and not named.name.endswith("SegmentSizes")
    ]
    # What is a word of Python has a line behind it in the language: `and_`.
    word = f"{mnemonic}_" if keyword.iskeyword(mnemonic) else mnemonic
    path = {"tile": "pl", "tensor": "pl", "block": "pl.system"}.get(family, f"pl.{family}")
    printer.assign(operation, f"{path}.{word}({', '.join(operands + keywords)})")


def _attributes(operation):
    attributes = operation.attributes
    for index in range(len(attributes)):
        yield attributes[index]


def _cast(printer: FunctionPrinter, operation) -> None:
    source, *rest = [printer.name(operand) for operand in operation.operands]
    made = operation.results[0] if list(operation.results) else operation.operands[1]
    dtype = parse_type(made.type).dtype
    out = f", out={rest[0]}" if rest else ""
    mode = _enum(operation.attributes["round"])
    printer.assign(operation, f"pl.cast({source}, pl.{dtype}, mode={mode!r}{out})")


def _compare(printer: FunctionPrinter, operation) -> None:
    names = [printer.name(operand) for operand in operation.operands]
    out = f", out={names[2]}" if len(names) > 2 else ""
    mode = COMPARISONS.index(_enum(operation.attributes["mode"]))
    printer.assign(operation, f"pl.cmp({names[0]}, {names[1]}, cmp_type={mode}{out})")


def _full(printer: FunctionPrinter, operation) -> None:
    value, *rest = [printer.name(operand) for operand in operation.operands]
    if rest:
        printer.assign(operation, f"pl.full({value}, out={rest[0]})")
        return
    made = parse_type(operation.results[0].type)
    path = "pl.tensor.full" if isinstance(made, Array) else "pl.full"
    printer.assign(operation, f"{path}({list(made.shape)}, pl.{made.dtype}, {value})")


def _move(printer: FunctionPrinter, operation) -> None:
    source, *rest = [printer.name(operand) for operand in operation.operands]
    if rest:
        printer.assign(operation, f"pl.move({source}, out={rest[0]})")
        return
    space = parse_type(operation.results[0].type).space
    target = f", target_memory=pl.Mem.{space.name}" if space is not None else ""
    printer.assign(operation, f"pl.move({source}{target})")


def _load(printer: FunctionPrinter, operation) -> None:
    operands = list(operation.operands)
    sizes = list(operation.attributes["operandSegmentSizes"])
    offsets, valid = operands[1 : 1 + sizes[1]], operands[1 + sizes[1] : 1 + sizes[1] + sizes[2]]
    where = printer.mixed(offsets, operation.attributes["static_offsets"])
    source = printer.name(operands[0])
    if sizes[3]:
        printer.assign(operation, f"pl.load({source}, {where}, out={printer.name(operands[-1])})")
        return
    made = parse_type(operation.results[0].type)
    text = f"pl.load({source}, {where}, {list(made.shape)}"
    static_valid = (
        list(operation.attributes["static_valid"]) if "static_valid" in operation.attributes else []
    )
    if static_valid:
        text += f", valid_shape={printer.mixed(valid, static_valid)}"
    if made.space is not None:
        text += f", target_memory=pl.Mem.{made.space.name}"
    printer.assign(operation, text + ")")


def _store(printer: FunctionPrinter, operation) -> None:
    tile, array, *offsets = list(operation.operands)
    where = printer.mixed(offsets, operation.attributes["static_offsets"])
    adds = ", atomic=pl.AtomicType.Add" if "atomic_add" in operation.attributes else ""
    text = f"pl.store({printer.name(tile)}, {where}, {printer.name(array)}{adds})"
    printer.assign(operation, text)


def _create(printer: FunctionPrinter, operation) -> None:
    made = parse_type(operation.results[0].type)
    printer.assign(operation, f"pl.create_tensor({list(made.shape)}, pl.{made.dtype})")


def _set_validshape(printer: FunctionPrinter, operation) -> None:
    tile, *dynamic = list(operation.operands)
    extents = printer.mixed(dynamic, operation.attributes["static_valid"])[1:-1]
    printer.assign(operation, f"pl.set_validshape({printer.name(tile)}, {extents})")


def _alloc(printer: FunctionPrinter, operation) -> None:
    made = parse_type(operation.results[0].type)
    parts = [
        f"pl.Mem.{made.space.name}",
        f"{made.root[0] * made.root[1] * made.dtype.get_byte() * made.slots}",
    ]
    if "addrs" in operation.attributes:
        addresses = ", ".join(f"{address:#x}" for address in operation.attributes["addrs"])
        parts.append(f"addrs=[{addresses}]")
    if "pinned" in operation.attributes:
        parts.append("pinned=True")
    printer.assign(operation, f"pl.tile.alloc({', '.join(parts)})")


def _subview(printer: FunctionPrinter, operation) -> None:
    source, *rest = list(operation.operands)
    count = list(operation.attributes["operandSegmentSizes"])[1]
    offsets = printer.mixed(rest[:count], operation.attributes["static_offsets"])
    sizes = printer.mixed(rest[count:], operation.attributes["static_sizes"])
    printer.assign(operation, f"pl.slice({printer.name(source)}, {sizes}, {offsets})")


def _slot(printer: FunctionPrinter, operation) -> None:
    source, index = [printer.name(operand) for operand in operation.operands]
    printer.assign(operation, f"{source}[{index}]")


def _pipe(attribute) -> str:
    return f"pl.PipeType.{_enum(attribute).upper()}"


def _flag(printer: FunctionPrinter, operation) -> None:
    word = "sync_src" if operation.name == "pto.block.set_flag" else "sync_dst"
    attributes = operation.attributes
    dynamic = list(operation.operands)
    event = printer.name(dynamic[0]) if dynamic else str(ir.IntegerAttr(attributes["id"]).value)
    printer.assign(
        operation,
        f"pl.system.{word}(set_pipe={_pipe(attributes['src'])}, "
        f"wait_pipe={_pipe(attributes['dst'])}, "
        f"event_id={event})",
    )


def _barrier(printer: FunctionPrinter, operation) -> None:
    pipe = _enum(operation.attributes["pipe"])
    if pipe in ("v", "m", "all"):
        printer.assign(operation, f"pl.system.bar_{pipe}()")
    else:
        printer.assign(operation, f"pl.system.bar(pipe={_pipe(operation.attributes['pipe'])})")


def _cross_core(printer: FunctionPrinter, operation) -> None:
    attributes = operation.attributes
    word = "sync_set" if operation.name == "pto.block.cross_core_set" else "sync_wait"
    event, mode = (ir.IntegerAttr(attributes[key]).value for key in ("id", "mode"))
    pipe = f"pipe={_pipe(attributes['pipe'])}, " if "pipe" in attributes else ""
    printer.assign(operation, f"pl.system.{word}({event}, {pipe}ffts_mode={mode})")


def _print(printer: FunctionPrinter, operation) -> None:
    text = text_of(operation.attributes["format"])
    args = "".join(f", {printer.name(operand)}" for operand in operation.operands)
    printer.assign(operation, f"pl.printf({text!r}{args})")


def _block_id(printer: FunctionPrinter, operation) -> None:
    printer.assign(operation, f"pl.tile.{operation.name.rpartition('.')[2]}()")


def _return(printer: FunctionPrinter, operation) -> None:
    values = ", ".join(printer.name(operand) for operand in operation.operands)
    printer.line(f"return {values}".rstrip())


def _yielded(printer: FunctionPrinter, block, results: list) -> None:
    """The end of a body that hands on values: `acc = pl.yield_(acc_0)`."""
    values = [printer.name(operand) for operand in list(block.operations)[-1].operation.operands]
    if results:
        names = ", ".join(results)
        printer.lines.append(
            _INDENT * (printer.depth + 1) + f"{names} = pl.yield_({', '.join(values)})"
        )


def _for(printer: FunctionPrinter, operation) -> None:
    block = operation.regions[0].blocks[0]
    first, last, step, *inits = [printer.name(operand) for operand in operation.operands]
    counter, *carried = list(block.arguments)
    bounds = [first, last] if step == "1" else [first, last, step]
    target = printer.define(counter)
    if carried:
        names = [printer.define(argument) for argument in carried]
        comma = "," * (len(names) == 1)
        target += f", ({', '.join(names)}{comma})"
        bounds.append(f"init_values=({', '.join(inits)}{comma})")
    word = "parallel" if "pto.parallel" in operation.attributes else "range"
    printer.head(operation, f"for {target} in pl.{word}({', '.join(bounds)}):")
    printer.body(block)
    stems = [_loop_name(block, index) for index in range(1, len(carried) + 1)]
    results = [printer.define(r, stem) for r, stem in zip(operation.results, stems, strict=False)]
    _replace_pass(printer, block, results)


def _while(printer: FunctionPrinter, operation) -> None:
    """`pl.while_` where the first region is a condition of what is carried; else a loop that is
    left in its middle."""
    head, body = (region.blocks[0] for region in operation.regions)
    condition, *passed = list(list(head.operations)[-1].operation.operands)
    stems = [_loop_name(head, index) for index in range(len(head.arguments))]
    names = [printer.define(a, stem) for a, stem in zip(head.arguments, stems, strict=True)]
    inits = [printer.name(operand) for operand in operation.operands]
    text = _condition_text(printer, head, condition) if passed == list(head.arguments) else None
    if text is None or not names:
        _open_while(printer, operation, names, inits)
        return
    for argument, name in zip(body.arguments, names, strict=True):
        printer.rename(argument, name)
    comma = "," * (len(names) == 1)
    target = ", ".join(names)
    line = f"for {target} in pl.while_(init_values=({', '.join(inits)}{comma})):"
    printer.head(operation, line)
    printer.depth += 1
    printer.line(f"pl.cond({text})")
    printer.depth -= 1
    printer.body(body)
    results = [printer.define(r, stem) for r, stem in zip(operation.results, stems, strict=True)]
    _replace_pass(printer, body, results)


def _condition_text(printer: FunctionPrinter, head, condition) -> str | None:
    """What the region computes, as one expression; None if it does more than that."""
    inside = [operation.operation for operation in list(head.operations)[:-1]]
    constants = [one for one in inside if one.name == "arith.constant"]
    inside = [one for one in inside if one.name != "arith.constant"]
    made = {one.results[0]: one for one in inside if scalar_printer.handles(one.name)}
    if len(made) != len(inside):
        return None
    for one in constants:
        printer.operation(one)

    def text(value) -> str:
        if value not in made:
            return printer.name(value)
        return f"({scalar_printer.expression(made[value], text)})"

    found = text(condition)
    found = found[1:-1] if condition in made else found
    return found if _reads_as(printer, found, inside) else None


class _Made(NamedTuple):
    """What an expression in an expression gives, while nothing is made of it."""

    index: int
    type: ir.Type


def _reads_as(printer: FunctionPrinter, text: str, operations: list) -> bool:
    """Whether the reader makes just these operations of an expression, in this order."""
    meanings: list[Meaning] = []

    def emit(meaning: Meaning) -> _Made:
        meanings.append(meaning)
        return _Made(len(meanings) - 1, meaning.results[0])

    numbers = {one.results[0]: index for index, one in enumerate(operations)}
    reader = printer.reader
    reader.emit = emit
    try:
        reader.operand(ast.parse(text).body[0].value)
    except FAILURES:
        return False
    finally:
        reader.emit = None
    if len(meanings) != len(operations):
        return False
    for meaning, one in zip(meanings, operations, strict=True):
        operands = [
            _Made(numbers[value], value.type) if value in numbers else operand_of(value)
            for value in one.operands
        ]
        results = [value.type for value in one.results]
        if (meaning.name, meaning.operands, meaning.results) != (one.name, operands, results):
            return False
        if meaning.attributes != attributes_of(one):
            return False
    return True


def _open_while(printer: FunctionPrinter, operation, names: list, inits: list) -> None:
    """A loop that is left in its middle. What it hands on there has the same names behind."""
    head, body = (region.blocks[0] for region in operation.regions)
    if names:
        printer.line(f"{', '.join(names)} = {', '.join(inits)}")
    printer.line("while True:")
    bound = {**dict(zip(names, head.arguments, strict=True)), **printer.body(head)}
    _replace_pass(printer, head, [])
    condition, *passed = list(list(head.operations)[-1].operation.operands)
    handed, gives = printer.gives(passed, bound)
    note = f"{MARK}gives {', '.join(gives)}" if gives else ""
    inner = _INDENT * (printer.depth + 1)
    printer.lines.append(inner + f"if not {printer.name(condition)}: break{note}")
    for argument, name in zip(body.arguments, handed, strict=True):
        printer.rename(argument, name)
    printer.body(body)
    yielded = [printer.name(v) for v in list(body.operations)[-1].operation.operands]
    if names:
        printer.drop_pass()
        printer.lines.append(inner + f"{', '.join(names)} = {', '.join(yielded)}")
    for result, name in zip(operation.results, handed, strict=True):
        printer.rename(result, name)


def _replace_pass(printer: FunctionPrinter, block, results: list) -> None:
    if results:
        printer.drop_pass()
    _yielded(printer, block, results)


def _if(printer: FunctionPrinter, operation) -> None:
    printer.head(operation, f"if {printer.name(operation.operands[0])}:")
    results: list = []
    for index, region in enumerate(operation.regions):
        if len(region.blocks) == 0:
            continue
        block = region.blocks[0]
        if index == 1:
            printer.line("else:")
        printer.body(block)
        if index == 0:
            results = [printer.define(result) for result in operation.results]
        _replace_pass(printer, block, results)


def _section(printer: FunctionPrinter, operation) -> None:
    level = _enum(operation.attributes["core"]).upper()
    printer.head(operation, f"with pl.at(level=pl.Level.{level}):")
    printer.body(operation.regions[0].blocks[0])


def _nothing(printer: FunctionPrinter, operation) -> None:
    """A yield: the operation around it prints it."""


_HANDLERS = {
    **task_printer.HANDLERS,
    **data_printer.HANDLERS,
    "func.return": _return,
    "scf.for": _for,
    "scf.if": _if,
    "scf.while": _while,
    "scf.yield": _nothing,
    "scf.condition": _nothing,
    "pto.block.yield": _nothing,
    "pto.block.section": _section,
    "pto.block.set_flag": _flag,
    "pto.block.wait_flag": _flag,
    "pto.block.barrier": _barrier,
    "pto.block.cross_core_set": _cross_core,
    "pto.block.cross_core_wait": _cross_core,
    "pto.block.print": _print,
    "pto.block.get_block_idx": _block_id,
    "pto.block.get_block_num": _block_id,
    "pto.block.get_subblock_idx": _block_id,
    "pto.tensor.cast": _cast,
    "pto.tensor.cmp": _compare,
    "pto.tile.cmp": _compare,
    "pto.tensor.full": _full,
    "pto.tensor.create": _create,
    "pto.tile.cast": _cast,
    "pto.tile.full": _full,
    "pto.tile.move": _move,
    "pto.tile.load": _load,
    "pto.tile.store": _store,
    "pto.tile.set_validshape": _set_validshape,
    "pto.tile.alloc": _alloc,
    "pto.tile.subview": _subview,
    "pto.tile.slot": _slot,
}
