# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What a printed line means: the inverse of the printers, for one line.

A word that has no rule in `ir/words.py` is an operation of that name, its arguments the
operands.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from ..frontend.expressions import BINARY, COMPARE
from ..language.dtypes import DataType
from ..mlir import ir
from . import scalar_printer
from .attributes import (
    COMPARISONS,
    Unreadable,
    attribute_of,
    dtype_of,
    element_of,
    number,
    numbers,
    path_of,
    segments,
    unit,
    word,
)
from .types import Array, Buffer, Cells, Tile, mlir_of, parse_annotation, parse_type
from .unsaid import Meaning
from .words import WORDS

_DYNAMIC = ir.ShapedType.get_dynamic_size()
_SIGNS = ("==", "!=", "<", "<=", ">", ">=")


class Lines:
    """Reads lines where these names have these values."""

    def __init__(self, values: dict, functions: dict):
        """`functions`: the Signature of each function of the module, by its name."""
        self.values = values
        self.functions = functions
        # Whether a line stands in a manual scope.
        self.manual = False
        # Makes an operation of an expression in an expression, and gives its value.
        self.emit = None

    # Operands.

    def operand(self, node: ast.AST):
        """A value, or the attribute of a constant."""
        if isinstance(node, ast.Name):
            if node.id not in self.values:
                raise Unreadable(node, f"'{node.id}' has no value here")
            return self.values[node.id]
        literal = self.literal(node)
        if literal is not None:
            return literal
        if self.emit is None:
            raise Unreadable(node, "here stands a name or a number")
        return self.emit(self.expression(node))

    @staticmethod
    def literal(node: ast.AST, dtype: DataType | None = None) -> ir.Attribute | None:
        """The attribute of a constant, of this type or the one that it has by itself."""
        if isinstance(node, ast.Call):
            if path_of(node.func) == "pl.const" and len(node.args) == 2:
                return Lines.literal(node.args[0], dtype_of(node.args[1]))
            if path_of(node.func) != "float":
                return None
            value = float(ast.literal_eval(node.args[0]))
        else:
            try:
                value = ast.literal_eval(node)
            except ValueError:
                return None
        if isinstance(value, bool):
            return ir.IntegerAttr.get(ir.IntegerType.get_signless(1), value)
        if isinstance(value, int) and (dtype is None or not dtype.is_float):
            element = ir.IndexType.get() if dtype is None else element_of(dtype)
            return ir.IntegerAttr.get(element, value)
        if isinstance(value, int | float):
            element = element_of(dtype or DataType.all["FP32"])
            return ir.FloatAttr.get(element, float(value), loc=ir.Location.unknown())
        return None

    def operands(self, nodes) -> list:
        return [self.operand(node) for node in nodes]

    def mixed(self, node: ast.AST) -> tuple[list, ir.Attribute]:
        """The dynamic entries of an index list, and all of it with those left out."""
        if not isinstance(node, ast.List):
            raise Unreadable(node, "here stands a list of indices")
        dynamic, static = [], []
        for item in node.elts:
            if isinstance(item, ast.Constant):
                static.append(item.value)
            else:
                dynamic.append(self.operand(item))
                static.append(_DYNAMIC)
        return dynamic, numbers(static)

    @staticmethod
    def results(kind, meaning: Meaning) -> list[ir.Type]:
        """The types that a line of this annotation makes: among buffers and what lies in DDR,
        what is written like a tile or a tensor is a buffer or lies in DDR."""
        texts = [str(operand.type) for operand in meaning.operands]
        among_buffers = any(text.startswith("!pto.buf") for text in texts)
        if isinstance(kind, Tile) and (among_buffers or meaning.name == "pto.tile.alloc"):
            kind = Buffer(kind.shape, kind.dtype, kind.space, kind.layout, kind.shape, 1)
        return [mlir_of(kind, any(text.startswith("!pto.gm") for text in texts))]

    # Lines.

    def statement(self, node: ast.stmt, spmd=None) -> Meaning:
        """`spmd`: the number of blocks and the keywords of a `pl.spmd` around a call."""
        kind = None
        if isinstance(node, ast.AnnAssign):
            kind = parse_annotation(node.annotation)
        elif isinstance(node, ast.With):
            return self.region(node)
        elif isinstance(node, ast.For):
            return self.loop(node)
        elif isinstance(node, ast.If):
            return Meaning("scf.if", [self.operand(node.test)])
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            return self.array_set(node)
        elif is_submit(node):
            return self.submit(node)
        elif not isinstance(node, ast.Expr | ast.Assign):
            raise Unreadable(node, "this statement is none that a program prints")
        if calls_self(node):
            return self.dispatch(node, kind, *(spmd or (None, {})))
        return self.expression(node.value, kind)

    def expression(self, node: ast.expr, kind=None) -> Meaning:
        reader = getattr(self, "read_" + type(node).__name__, None)
        if reader is None:
            raise Unreadable(node, "this expression is none that a program prints")
        meaning = reader(node, kind)
        if kind is not None and not meaning.results:
            meaning.results = self.results(kind, meaning)
        return meaning

    # Scalars.

    def read_BinOp(self, node, kind) -> Meaning:
        operands = self.operands([node.left, node.right])
        name = scalar_printer.binary(BINARY.get(type(node.op)), str(operands[0].type))
        if name is None:
            raise Unreadable(node, "no operation has this sign")
        return Meaning(name, operands, results=[operands[0].type])

    def read_Compare(self, node, kind) -> Meaning:
        operands = self.operands([node.left, node.comparators[0]])
        sign = COMPARE.get(type(node.ops[0]))
        name, predicate = scalar_printer.comparison(sign, str(operands[0].type))
        made = {"predicate": number(predicate)}
        return Meaning(name, operands, made, [ir.IntegerType.get_signless(1)])

    def read_IfExp(self, node, kind) -> Meaning:
        operands = self.operands([node.test, node.body, node.orelse])
        return Meaning("arith.select", operands, results=[operands[1].type])

    def read_UnaryOp(self, node, kind) -> Meaning:
        inner = node.operand
        if isinstance(inner, ast.BinOp) and isinstance(inner.left, ast.UnaryOp):
            operands = self.operands([inner.left.operand, inner.right])
            return Meaning("arith.ceildivsi", operands, results=[operands[0].type])
        operands = [self.operand(inner)]
        return Meaning("arith.negf", operands, results=[operands[0].type])

    # Elements and windows.

    def read_Subscript(self, node, kind) -> Meaning:
        source = self.operand(node.value)
        known = parse_type(source.type)
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if isinstance(known, Cells):
            return Meaning("pto.block.array_get", [source, self.operand(items[0])])
        if isinstance(known, Buffer):
            return Meaning("pto.tile.slot", [source, self.operand(items[0])])
        if any(isinstance(item, ast.Slice) for item in items):
            return self.window(source, known.shape, items)
        dynamic, static = self.mixed(ast.List(elts=items))
        return Meaning("pto.tensor.read", [source, *dynamic], {"static_offsets": static})

    def window(self, source, shape, items) -> Meaning:
        """`x[i, 8:16, :]`."""
        offsets, sizes = [], []
        for item, extent in zip(items, shape, strict=True):
            if not isinstance(item, ast.Slice):
                offsets.append(item)
                sizes.append(1)
                continue
            offsets.append(item.lower or ast.Constant(0))
            upper = item.upper
            if isinstance(upper, ast.BinOp):
                sizes.append(ast.literal_eval(upper.right))
            else:
                sizes.append(extent if upper is None else upper.value - item.lower.value)
        dynamic, static = self.mixed(ast.List(elts=offsets))
        made = {"static_offsets": static, "sizes": numbers(sizes)}
        return Meaning("pto.tensor.slice", [source, *dynamic], made)

    def array_set(self, node) -> Meaning:
        target = node.targets[0]
        array = self.operand(target.value)
        operands = [self.operand(node.value), array, self.operand(target.slice)]
        rebinds = [target.value.id]
        return Meaning("pto.block.array_set", operands, {}, [array.type], rebinds)

    # Calls.

    def read_Call(self, node, kind) -> Meaning:
        path = path_of(node.func)
        if path is None:
            raise Unreadable(node.func, "this is no operation's name")
        keywords = {one.arg: one.value for one in node.keywords}
        reader = WORDS.get(path.removeprefix("pl.").rpartition(".")[2])
        if path == "abs" or (path.startswith("pl.") and reader is not None):
            return WORDS["abs" if path == "abs" else path.rpartition(".")[2]](
                self, path, node, keywords, kind
            )
        return self.plain(path, node, keywords, kind)

    def plain(self, path, node, keywords, kind) -> Meaning:
        """`pl.exp(t)`, `pl.exp(t, out=u)`: the rule of most operations."""
        operands = self.operands(node.args)
        if "out" in keywords:
            operands.append(self.operand(keywords.pop("out")))
        attributes = {}
        for key, value in keywords.items():
            made = attribute_of(key, value)
            if made is not None:
                attributes[key] = made
        parts = path.split(".")
        if parts[0] != "pl" or len(parts) > 3:
            raise Unreadable(node.func, f"no operation is called '{path}'")
        mnemonic = parts[-1].rstrip("_")
        if len(parts) == 3 and parts[1] in ("arith", "math"):
            return Meaning(f"{parts[1]}.{mnemonic}", operands, attributes)
        family = {"system": "block"}.get(parts[1], parts[1]) if len(parts) == 3 else None
        family = family or self.level(operands, kind)
        return Meaning(f"pto.{family}.{mnemonic}", operands, attributes)

    @staticmethod
    def level(operands, kind) -> str:
        """Whether an operation of both levels is one of tiles."""
        known = [parse_type(operand.type) for operand in operands] + [kind]
        return "tile" if any(isinstance(one, Tile | Buffer) for one in known) else "tensor"

    # Functions, loops and regions: their heads.

    @staticmethod
    def function(node: ast.FunctionDef, modes: dict[str, str]) -> Meaning:
        """`def f(self, x: pl.Tensor[...], out: pl.Out[...]):` under its decorator. `modes`:
        what the comments above it say."""
        (said,) = node.decorator_list[0].keywords
        kind = _snake(path_of(said.value).rpartition(".")[2])
        returns = [] if node.returns is None else [node.returns]
        if returns and ast.unparse(node.returns).startswith("tuple["):
            returns = node.returns.slice.elts
        # Behind pto-convert-tensor-to-tile-ops, kernels return nothing and have arrays by
        # reference; before it, one for a kind of core is an in-core function that says so.
        by_reference = kind in ("aic", "aiv", "group", "in_core") and not returns
        parameters, directions = [], []
        for argument in node.args.args[1:]:
            said, direction = argument.annotation, "in"
            if isinstance(said, ast.Subscript) and path_of(said.value) in ("pl.Out", "pl.InOut"):
                direction = path_of(said.value)[3:].lower()
                said = said.slice
            known = parse_annotation(said)
            parameters.append(mlir_of(known, by_reference))
            says = {"pto.dir": word("dir", direction)} if isinstance(known, Array) else {}
            directions.append(ir.DictAttr.get(says))
        results = [mlir_of(parse_annotation(one)) for one in returns]
        core = kind if kind in ("aic", "aiv") and returns else None
        made = {
            "sym_name": ir.StringAttr.get(node.name),
            "function_type": ir.TypeAttr.get(ir.FunctionType.get(parameters, results)),
            "pto.kind": word("kind", "in_core" if core else kind),
            **{mode: word(mode[4:], value) for mode, value in modes.items()},
        }
        if core:
            made["pto.core"] = ir.StringAttr.get(core)
        named = named_attributes(node)
        if named is not None:
            made["pto.attributes"] = named
        if directions:
            made["arg_attrs"] = ir.ArrayAttr.get(directions)
        return Meaning("func.func", [], made)

    def loop(self, node: ast.For) -> Meaning:
        """`for i, (acc,) in pl.range(0, n, init_values=(x,)):`"""
        call = node.iter
        path = path_of(call.func)
        inits = next((self.operands(one.value.elts) for one in call.keywords), [])
        types = [one.type for one in inits]
        if path == "pl.while_":
            return Meaning("scf.while", inits, {}, types)
        if path not in ("pl.range", "pl.parallel"):
            raise Unreadable(call, "a loop is over pl.range, pl.parallel or pl.while_")
        bounds = self.operands(call.args)
        if len(bounds) == 2:
            bounds.append(ir.IntegerAttr.get(bounds[0].type, 1))
        made = {"pto.parallel": unit()} if path == "pl.parallel" else {}
        return Meaning("scf.for", [*bounds, *inits], made, types)

    def region(self, node: ast.With) -> Meaning:
        """A task, by the `with` around its body; its results are not the head's to say."""
        call = node.items[0].context_expr
        path = path_of(call.func)
        keywords = {one.arg: one.value for one in call.keywords}
        inner = node.body[0]
        alone = len(node.body) == 1
        if path == "pl.spmd" and alone and isinstance(inner, ast.With):
            return self.cluster(inner.items[0].context_expr, call.args[0], keywords)
        if path == "pl.spmd" and alone and calls_self(inner):
            return self.statement(inner, (call.args[0], keywords))
        if path == "pl.cluster":
            return self.cluster(call, None, keywords)
        if path not in ("pl.at", "pl.spmd"):
            raise Unreadable(call, "a region is one of pl.at, pl.spmd or pl.cluster")
        level = path_of(keywords["level"]).rpartition(".")[2].lower() if "level" in keywords else ""
        if level in ("aic", "aiv") and len(keywords) == 1:
            return Meaning("pto.block.section", [], {"core": word("core", level)})
        blocks = call.args[0] if path == "pl.spmd" else keywords.pop("core_num", None)
        made = {"level": word("level", level or "core_group")}
        if "role" in keywords:
            role = path_of(keywords["role"]).rpartition(".")[2]
            made["role"] = word("role", {"SubWorker": "sub_worker"}.get(role, role.lower()))
        groups = self.task_words(blocks, keywords, made)
        free = keywords.get("no_dep_args")
        groups.append(self.operands(free.elts) if free is not None else [])
        made["operandSegmentSizes"] = segments(*groups)
        return Meaning("pto.block.at", [one for group in groups for one in group], made)

    def cluster(self, call, blocks, keywords) -> Meaning:
        made = {}
        keywords = {**keywords, **{one.arg: one.value for one in call.keywords}}
        groups = [*self.task_words(blocks, keywords, made), []]
        made["operandSegmentSizes"] = segments(*groups)
        return Meaning("pto.block.cluster", [one for group in groups for one in group], made)

    def task_words(self, blocks, keywords, made: dict) -> list[list]:
        """The groups of operands that a task is told of: blocks, deps, condition, indices.
        What else it is told goes into `made`."""
        groups = [[self.operand(blocks)] if blocks is not None else [], [], [], []]
        if "deps" in keywords:
            groups[1] = self.operands(keywords["deps"].elts)
        if "predicate" in keywords:
            test = keywords["predicate"]
            where = test.left.slice
            groups[2] = [self.operand(test.left.value)]
            groups[3] = self.operands(where.elts if isinstance(where, ast.Tuple) else [where])
            sign = COMPARISONS[_SIGNS.index(COMPARE[type(test.ops[0])])]
            made["compare"] = word("compare", sign)
            made["compare_to"] = number(ast.literal_eval(test.comparators[0]))
        if "name_hint" in keywords:
            made["name_hint"] = ir.StringAttr.get(ast.literal_eval(keywords["name_hint"]))
        for key, attribute in (
            ("sync_start", "sync_start"),
            ("allow_early_resolve", "early_resolve"),
        ):
            if key in keywords:
                made[attribute] = unit()
        if self.manual:
            made["manual"] = unit()
        return groups

    def dispatch(self, node: ast.stmt, kind, blocks, keywords) -> Meaning:
        """`out = self.kernel(x, out)`."""
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        count = len(target.elts) if isinstance(target, ast.Tuple) else int(kind is not None)
        call = node.value
        meaning = self.task(call.func, call.args, blocks, keywords, count, False)
        if kind is not None:
            meaning.results = self.results(kind, Meaning("", []))
        return meaning

    def submit(self, node: ast.Assign) -> Meaning:
        """`out, tid = pl.submit(self.kernel, x, out, deps=[t])`."""
        call = node.value
        keywords = {one.arg: one.value for one in call.keywords}
        blocks = keywords.pop("core_num", None)
        kernel, *arguments = call.args
        arrays, token = node.targets[0].elts
        count = len(arrays.elts) if isinstance(arrays, ast.Tuple) else int(arrays.id != "_")
        return self.task(kernel, arguments, blocks, keywords, count, token.id != "_")

    def task(self, kernel, arguments, blocks, keywords, count: int, token: bool) -> Meaning:
        """`count`: how many arrays the line names. They are what the function returns, or
        else what it writes."""
        operands, free = [], []
        for index, item in enumerate(arguments):
            if isinstance(item, ast.Call) and path_of(item.func) == "pl.no_dep":
                free.append(index)
                item = item.args[0]
            operands.append(self.operand(item))
        callee = (path_of(kernel) or "").removeprefix("self.")
        if callee not in self.functions:
            raise Unreadable(kernel, f"the program has no function '{callee}'")
        signature = self.functions[callee]
        results = list(signature.results)
        if len(results) != count:
            results = [operands[index].type for index in signature.written[:count]]
        made = {"callee": ir.FlatSymbolRefAttr.get(callee)}
        if free:
            made["no_dep"] = numbers(free)
        groups = [operands, *self.task_words(blocks, keywords, made)]
        made["operandSegmentSizes"] = segments(*groups)
        made["resultSegmentSizes"] = segments(results, [1] * token)
        if token:
            results.append(ir.Type.parse("!pto.task"))
        return Meaning("pto.block.dispatch", [one for g in groups for one in g], made, results)


class Signature(NamedTuple):
    """Of a function of the program. `written`: the parameters that it writes."""

    results: list[ir.Type]
    written: list[int]


def directions(attributes) -> list[str]:
    """What a function does with each of its parameters, as far as it says."""
    given = list(attributes["arg_attrs"]) if "arg_attrs" in attributes else []
    found = [str(one["pto.dir"]) if "pto.dir" in one else "<in>" for one in given]
    return [text[text.index("<") + 1 : -1] for text in found]


def written(attributes) -> list[int]:
    """The parameters that a function writes."""
    return [i for i, direction in enumerate(directions(attributes)) if direction != "in"]


def _snake(word: str) -> str:
    """`in_core` of InCore, `aic` of AIC."""
    return {"InCore": "in_core"}.get(word, word.lower())


def named_attributes(node: ast.FunctionDef) -> ir.DictAttr | None:
    """Those of the `pl.func_attr({...})` that a function begins with, if it does."""
    call = getattr(node.body[0], "value", None)
    if not isinstance(call, ast.Call) or path_of(call.func) != "pl.func_attr":
        return None
    items = zip(call.args[0].keys, call.args[0].values, strict=True)
    return ir.DictAttr.get({key.value: _named(value) for key, value in items})


def _named(node: ast.expr) -> ir.Attribute:
    path = path_of(node)
    if path is not None:
        return ir.FlatSymbolRefAttr.get(path)
    value = ast.literal_eval(node)
    if isinstance(value, bool):
        return ir.BoolAttr.get(value)
    if isinstance(value, float):
        return ir.FloatAttr.get(ir.F64Type.get(), value, loc=ir.Location.unknown())
    return number(value) if isinstance(value, int) else ir.StringAttr.get(value)


def is_submit(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and path_of(node.value.func) in ("pl.submit", "pl.spmd_submit")
    )


def calls_self(node: ast.AST) -> bool:
    """Whether a statement is a call of a function of the program."""
    value = getattr(node, "value", None)
    return isinstance(value, ast.Call) and (path_of(value.func) or "").startswith("self.")
