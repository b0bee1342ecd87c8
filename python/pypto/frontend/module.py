# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""A module from an entry function and the kernels that it calls."""

from __future__ import annotations

import ast
import dataclasses

from ..diagnostics.errors import CompileError, Diagnostic, raise_all
from ..diagnostics.mlir import collect, verify
from ..mlir import ir
from . import function_attributes, functions, returns, session, ssa
from .builder import Constants, Failure, FunctionBuilder
from .results import KernelResults, Results
from .source import MISSING, Source
from .statements import run
from .values import Array, Value

RUNTIME = object()


@dataclasses.dataclass
class Kernel:
    """An in-core function of the module. `returns`: which parameters its call gives back."""

    symbol: str
    returns: object = None
    # The types of arrays that it computes and returns: parameters behind the author's.
    made: list = dataclasses.field(default_factory=list)
    # Whether what it returns is unknown, by an error that was reported.
    wrong: bool = False


@dataclasses.dataclass
class Built:
    """What the front end hands on."""

    module: ir.Module
    entry: str
    parameters: list
    # Which parameter the entry returns: its index, a tuple of them, or None. Behind the
    # author's parameters come the arrays that the program makes and returns.
    returns: object
    # The types of those arrays.
    results: list
    # (holder, name, value): what was read from around the functions.
    reads: list


class Readings:
    """What the functions of a module report while they are read: errors, and what they
    read from around them."""

    # The class under @pl.program that the functions are methods of.
    program = None

    def __init__(self):
        self.diagnostics: list[Diagnostic] = []
        self.reads: dict = {}

    def report(self, failure: Failure) -> None:
        if failure.diagnostic is not None and failure.diagnostic not in self.diagnostics:
            self.diagnostics.append(failure.diagnostic)

    def note_read(self, source: Source, name: str, value) -> None:
        self.reads[(id(source), name)] = (source, name, _frozen(value))

    def note_attribute(self, holder, name: str, value) -> None:
        self.reads[(id(holder), name)] = (holder, name, _frozen(value))


class ModuleBuilder(Readings):
    def __init__(self, entry, is_function):
        super().__init__()
        self.entry = entry
        self.is_function = is_function
        # How many bodies of loops are being read once more.
        self.repeated = 0
        self.has_manual_tasks = False
        self._builders: list[FunctionBuilder] = []
        self._kernels: dict = {}
        self._checked: set = set()
        self._symbols: dict[str, int] = {entry.__name__: 1}
        self._parameters: dict = {}
        self.module = ir.Module.create(loc=self._module_location())
        self._ip = ir.InsertionPoint(self.module.body)

    def _module_location(self) -> ir.Location:
        source = self.entry.source
        return ir.Location.file(source.file, source.line, 1, session.CONTEXT)

    @property
    def program(self):
        """The class under @pl.program, if the entry is a method of one."""
        return self.entry.program

    def is_method(self, source: Source) -> bool:
        return self.program is not None and any(
            function.source is source for function in self.program.functions
        )

    def check_function(self, fb: FunctionBuilder, function) -> None:
        """What a function says of itself besides its signature, once for each."""
        if function in self._checked:
            return
        self._checked.add(function)
        if function.strict_ssa:
            for failure in ssa.violations(fb):
                self.report(failure)

    def parameters(self, function) -> list | None:
        """The parameters of a function; None if its signature is wrong (reported)."""
        if function not in self._parameters:
            before = len(self.diagnostics)
            fb = FunctionBuilder(self, function.source, "annotation")
            found = functions.read_parameters(fb, function.kind == "macro")
            self._parameters[function] = found if len(self.diagnostics) == before else None
        return self._parameters[function]

    # Functions.

    def kernel(self, function, types: tuple, caller: FunctionBuilder, node) -> Kernel:
        key = (function, types)
        found = self._kernels.get(key)
        if found is None:
            found = self._kernels[key] = Kernel(self._symbol(function.__name__))
            self._in_core(function, types, found)
        return found

    def _symbol(self, name: str) -> str:
        count = self._symbols.get(name, 0)
        self._symbols[name] = count + 1
        return name if count == 0 else self._symbol(f"{name}_{count}")

    def _in_core(self, function, types: tuple, kernel: Kernel) -> None:
        fb = FunctionBuilder(self, function.source, "in_core")
        parameters = self.parameters(function)
        reported = len(self.diagnostics)
        self.check_function(fb, function)
        operation = self._open(fb, function, kernel.symbol, parameters, types)
        run(fb, fb.tree.body)
        outputs = [
            fb.arrays[i] for i, p in enumerate(self._array_parameters(parameters)) if p.written
        ]
        if len(self.diagnostics) == reported:
            returns.check(fb)
        try:
            returned = KernelResults(fb, operation.regions[0].blocks[0], len(parameters))
            kernel.returns = returned.read()
            kernel.made = [array.type for array in returned.made]
            outputs += returned.made
        except Failure as failure:
            self.report(failure)
        kernel.wrong = len(self.diagnostics) > reported and kernel.returns is None
        self._check_written(fb, reported)
        self._close(fb, operation, parameters, outputs, "in_core", "pto.sync", "#pto.sync<none>")

    def _array_parameters(self, parameters):
        return [parameter for parameter in parameters if parameter.kind == "array"]

    def _open(self, fb: FunctionBuilder, function, symbol: str, parameters, types) -> ir.Operation:
        """The function with its entry block; its results are known at its end."""
        self._builders.append(fb)
        tree = fb.source.tree
        attributes = {
            "sym_name": ir.StringAttr.get(symbol, session.CONTEXT),
            "function_type": ir.TypeAttr.get(
                ir.FunctionType.get([], [], context=session.CONTEXT), session.CONTEXT
            ),
        }
        operation = ir.Operation.create(
            "func.func",
            attributes=attributes,
            regions=1,
            loc=fb.location(tree, None),
            ip=False,
        )
        if function.options.core:
            operation.attributes["pto.core"] = ir.StringAttr.get(
                function.options.core, session.CONTEXT
            )
        try:
            attributes_of = function_attributes.read(fb, function)
        except Failure as failure:
            self.report(failure)
            attributes_of = None
        if attributes_of:
            operation.attributes["pto.attributes"] = attributes_of
        held = [
            (p, t) for p, t in zip(parameters, types, strict=False) if isinstance(t, session.Type)
        ]
        locations = [fb.location(p.node, p.name) for p, _ in held]
        block = ir.Block.create_at_start(operation.regions[0], [t.ir for _, t in held], locations)
        for index, ((parameter, kind), argument) in enumerate(
            zip(held, block.arguments, strict=False)
        ):
            if parameter.kind == "array":
                array = Array(
                    argument, kind, parameter.name, parameter.direction, index, parameter.node
                )
                fb.arrays.append(array)
                fb.env[parameter.name] = array
                if parameter.written:
                    fb.outputs[parameter.name] = array
            else:
                fb.env[parameter.name] = Value(argument, kind)
                fb.runtime_scalars.add(parameter.name)
        fb.bind_self()
        fb.parameter_order = [parameter.name for parameter in parameters]
        fb.note_dynamic(parameters)
        for parameter, known in zip(parameters, types, strict=False):
            if not isinstance(known, session.Type):
                fb.env[parameter.name] = known
        fb.ip = ir.InsertionPoint(block)
        fb.constants = Constants(block)
        return operation

    def _check_written(self, fb: FunctionBuilder, reported: int) -> None:
        """Every Out has a writer. A function with other errors may have lost it by them."""
        if len(self.diagnostics) > reported:
            return
        for array in fb.outputs.values():
            if not array.written:
                word = "InOut" if array.direction == "inout" else "Out"
                self.report(
                    fb.error(
                        array.node,
                        f"nothing writes '{array.name}', which is pl.{word}; write it with "
                        f"{array.name}[:] = ..., pl.store(..., {array.name}) or a kernel, or take "
                        f"pl.{word} away",
                    )
                )

    def _close(
        self, fb, operation, parameters, returned, kind: str, mode: str, setting: str
    ) -> None:
        place = fb.return_node or fb.source.tree.body[-1]
        fb.emit("func.return", [], [array.ir for array in returned], None, place)
        block = operation.regions[0].blocks[0]
        arguments = [argument.type for argument in block.arguments]
        results = [array.type.ir for array in returned]
        operation.attributes["function_type"] = ir.TypeAttr.get(
            ir.FunctionType.get(arguments, results, context=session.CONTEXT), session.CONTEXT
        )
        operation.attributes["pto.kind"] = session.attribute(f"#pto.kind<{kind}>")
        operation.attributes[mode] = session.attribute(setting)
        directions = []
        for parameter in parameters:
            if parameter.kind == "array":
                directions.append(
                    session.attribute(f"{{pto.dir = #pto.dir<{parameter.direction}>}}")
                )
            elif parameter.name in fb.runtime_scalars:
                directions.append(session.attribute("{}"))
        made = len(arguments) - len(directions)
        directions += [session.attribute("{pto.dir = #pto.dir<out>}")] * made
        if directions:
            operation.attributes["arg_attrs"] = ir.ArrayAttr.get(directions, session.CONTEXT)
        self._ip.insert(operation)

    # The whole.

    def build(self, arguments) -> Built:
        """`arguments(parameters)` gives for each parameter of the entry its type
        (an array, or a scalar known at run time only) or its value."""
        with collect(session.CONTEXT) as found:
            parameters = self.parameters(self.entry)
            if parameters is None:
                raise_all(self.diagnostics)
            types = arguments(parameters)
            try:
                places, results = self._orchestration(parameters, types)
                if self.diagnostics:
                    self._read_others()
            finally:
                for fb in self._builders:
                    fb.discard()
            if not self.diagnostics:
                verify(self.module)
        diagnostics = self.diagnostics + found
        if diagnostics:
            raise_all(diagnostics)
        reads = list(self.reads.values())
        name = self.entry.__name__
        return Built(self.module, name, parameters, places, results, reads)

    def _read_others(self) -> None:
        """The kernels that nothing could call, because of an error in front of it: theirs are
        reported too, where their annotations say all of their types."""
        for fb in self._builders:
            for found in self._named_in(fb.source):
                if not self.is_function(found) or found.kind != "in_core":
                    continue
                parameters = self.parameters(found)
                if parameters is None or any(made[0] is found for made in self._kernels):
                    continue
                types = tuple(parameter.type for parameter in parameters)
                if None not in types:
                    self.kernel(found, types, fb, fb.source.tree)

    def _named_in(self, source: Source) -> list:
        """What the function's names mean, and the methods that it names."""
        nodes = list(ast.walk(source.tree))
        names = dict.fromkeys(node.id for node in nodes if isinstance(node, ast.Name))
        found = [source.lookup(name) for name in names]
        if self.program is not None:
            methods = dict.fromkeys(node.attr for node in nodes if isinstance(node, ast.Attribute))
            found += [self.program.get_function(name) for name in methods]
        return found

    def _orchestration(self, parameters, types):
        fb = FunctionBuilder(self, self.entry.source, "control")
        reported = len(self.diagnostics)
        self.check_function(fb, self.entry)
        operation = self._open(fb, self.entry, self.entry.__name__, parameters, types)
        run(fb, fb.tree.body)
        if len(self.diagnostics) == reported:
            returns.check(fb)
        returned, places = [], None
        results = Results(fb, operation.regions[0].blocks[0], len(parameters))
        try:
            returned, places = results.read()
        except Failure as failure:
            self.report(failure)
        self._check_written(fb, reported)
        self._close(
            fb,
            operation,
            parameters,
            returned,
            "orchestration",
            "pto.deps",
            "#pto.deps<program_order>",
        )
        return places, [array.type for array in results.made]


@dataclasses.dataclass(frozen=True)
class _Items:
    """The elements that a list or tuple had, however deep: it may change later."""

    kind: type
    items: tuple


def _frozen(value):
    """A value that can be compared later."""
    if isinstance(value, (list, tuple)):
        return _Items(type(value), tuple(map(_frozen, value)))
    if isinstance(value, dict):
        return _Items(dict, tuple(map(_frozen, value.items())))
    return value


def read_again(holder, name: str):
    """What was read by `note_read` or `note_attribute`, as it is now."""
    if isinstance(holder, Source):
        return _frozen(holder.lookup(name))
    return _frozen(getattr(holder, name, MISSING))


def same_value(one, other) -> bool:
    """Whether a program made with one value is right for the other. True, 1 and 1.0 are
    equal and mean different programs; so are 0.0 and -0.0."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, _Items):
        return (
            one.kind is other.kind
            and len(one.items) == len(other.items)
            and all(map(same_value, one.items, other.items))
        )
    if isinstance(one, float):
        return repr(one) == repr(other)
    return isinstance(one, (int, str)) and one == other


__all__ = ["RUNTIME", "Built", "CompileError", "ModuleBuilder"]
