# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""A module from a kernel: the schema of its tiling key, the kernel, its entry."""

from __future__ import annotations

import ast
import dataclasses

from ...diagnostics.errors import CompileError, ParserTypeError, raise_all
from ...diagnostics.mlir import collect, verify
from ...language.dtypes import INDEX, DataType
from ...mlir import ir
from .. import session
from ..builder import Failure
from ..module import Readings
from ..source import MISSING, Source
from ..values import Value
from . import arguments, sides
from .builder import ProBuilder, Side, Structural, element_type
from .liveness import Liveness
from .statements import run
from .values import KeyField, Parameter


@dataclasses.dataclass
class Spec:
    """What a kernel is read for."""

    function: object
    source: Source
    parameters: list[Parameter]
    target: str
    name: str
    auto_mutex: bool = True
    schema: object = None
    # The element types of a launch, by the name of their variable.
    dtypes: dict[str, DataType] = dataclasses.field(default_factory=dict)
    # The extents that a launch gives STATIC dimensions: (parameter, axis) -> extent; how many
    # dimensions a tensor with a tail has.
    statics: dict[tuple[str, int], int] = dataclasses.field(default_factory=dict)
    ranks: dict[str, int] = dataclasses.field(default_factory=dict)
    # The locals around the decorated function, as they were then.
    captured: dict[str, object] = dataclasses.field(default_factory=dict)

    def shape(self, parameter: Parameter) -> list:
        """The dimensions of a tensor: ints, and DYNAMIC."""
        dims = list(parameter.shape)
        if dims[-1] is Ellipsis:
            dims[-1:] = [_static()] * (self.ranks[parameter.name] - len(dims) + 1)
        for axis, extent in enumerate(dims):
            if extent is _static():
                dims[axis] = self.statics[(parameter.name, axis)]
        return dims


def _static():
    from pypto_pro.language.types import STATIC

    return STATIC


@dataclasses.dataclass
class Built:
    """What the front end hands on. `entry`: its symbol; `fields`: of the tiling key, those
    that the kernel asks for; `fixed`: the structural ones with their values."""

    operation: ir.Operation
    entry: str
    parameters: list[Parameter]
    reads: list
    fields: set[str]
    fixed: dict[str, int]
    kind: str


class KernelReader(Readings):
    """Reads a kernel with the fields in `fixed` in their values' place."""

    def __init__(self, spec: Spec, fixed: dict[str, int]):
        super().__init__()
        self.spec, self.fixed = spec, fixed
        self.function, self.target = spec.function, spec.target
        self.auto_mutex = spec.auto_mutex
        # What loops carry, as it was found: (helper calls, loop) -> Plan.
        self.plans: dict = {}
        self.fields: set[str] = set()
        self._sources: dict = {spec.function: spec.source}
        self._liveness: dict[Source, Liveness] = {}
        self._allocations: dict = {}
        self.host = ir.Operation.create("builtin.module", regions=1, loc=session.UNKNOWN, ip=False)
        self.parameters = [dataclasses.replace(parameter) for parameter in spec.parameters]

    # What builders ask.

    def is_function(self, value) -> bool:
        return callable(value)

    def source_of(self, function) -> Source:
        found = self._sources.get(function)
        if found is None:
            made = getattr(function, "pypto_source", None) or Source(function)
            found = self._sources[function] = made
        return found

    def liveness_of(self, source: Source) -> Liveness:
        found = self._liveness.get(source)
        if found is None:
            found = self._liveness[source] = Liveness(source.tree)
        return found

    def free_name(self, fb: ProBuilder, node: ast.Name):
        """A name that the function does not bind."""
        name = node.id
        if name in self.fixed:
            self.fields.add(name)
            return self.fixed[name]
        if self._is_field(name):
            self.fields.add(name)
            return KeyField(name)
        if name in self.spec.dtypes:
            return self.spec.dtypes[name]
        found = fb.source.lookup(name)
        if found is MISSING:
            found = self.spec.captured.get(name, MISSING)
            if found is MISSING:
                raise fb.undefined(node)
            return found
        self.note_read(fb.source, name, found)
        return found

    def _is_field(self, name: str) -> bool:
        return self.spec.schema is not None and name in self.spec.schema.names

    def undefined_hint(self) -> str:
        if self.spec.schema is None:
            return "; if it is a field of a tiling key, bind its class with @pl.jit(tiling_key=...)"
        return f"; it is no field of {self.spec.schema.name} either"

    def check_shadow(self, fb: ProBuilder, name: str, node: ast.AST) -> None:
        """Fields and dtype variables are the same everywhere in a kernel."""
        if self._is_field(name):
            raise fb.error(
                node,
                f"'{name}' is a field of the tiling key {self.spec.schema.name}, which a kernel "
                "cannot bind; rename the variable or the field",
                ParserTypeError,
            )
        if name in self.spec.dtypes:
            raise fb.error(
                node,
                f"'{name}' is the variable of a datatype, which a kernel cannot bind; rename one",
                ParserTypeError,
            )

    def read_key(self, fb: ProBuilder, field: str, node: ast.AST) -> Value:
        """One read a side, at its beginning."""
        side = fb.side
        found = side.keys.get(field)
        if found is None:
            attributes = {
                "schema": ir.FlatSymbolRefAttr.get(self.spec.schema.name, session.CONTEXT),
                "field": ir.StringAttr.get(field, session.CONTEXT),
            }
            kind = session.scalar_type(INDEX)
            place = ir.InsertionPoint.at_block_begin(side.block)
            made = ir.Operation.create(
                "pto.block.read_key",
                [kind.ir],
                [],
                attributes,
                loc=fb.location(node, field),
                ip=place,
            )
            values = self.spec.schema.field(field).values
            found = side.keys[field] = Value(made.result, kind, min(values) >= 0)
        return found

    def allocate(
        self, fb: ProBuilder, buffer, addrs: list[int], mutex_ids: list[int], node, name: str
    ) -> ir.Value:
        """`pto.tile.alloc` at the kernel's beginning; one for each declaration."""
        key = (fb.chain, node, str(buffer), tuple(addrs), tuple(mutex_ids))
        found = self._allocations.get(key)
        if found is None:
            attributes = {
                "addrs": session.int64s(addrs),
                "pinned": ir.UnitAttr.get(session.CONTEXT),
            }
            if mutex_ids and self.auto_mutex:
                attributes["mutex_ids"] = session.int64s(mutex_ids)
            found = self._allocations[key] = fb.emit(
                "pto.tile.alloc",
                [buffer],
                [],
                attributes,
                node,
                name,
                ip=ir.InsertionPoint(self.allocations),
            ).result
        return found

    def scratch(self, fb: ProBuilder, buffer: ir.Type, node, name: str, reason: str) -> ir.Value:
        """The same where Vec is free; `reason` says what for."""
        return fb.emit(
            "pto.tile.alloc",
            [buffer],
            [],
            {"pto.reason": ir.StringAttr.get(reason, session.CONTEXT)},
            node,
            name,
            ip=ir.InsertionPoint(self.allocations),
        ).result

    # The module.

    def build(self) -> Built:
        """Raises Structural where a field of the key must be fixed."""
        with collect(session.CONTEXT) as found:
            module = ir.Module.create(loc=self._place())
            self._ip = ir.InsertionPoint(module.body)
            try:
                kind = self._read(module)
            finally:
                self.host.erase()
            if not self.diagnostics:
                module.operation.attributes["pto.target"] = ir.StringAttr.get(
                    self.target, session.CONTEXT
                )
                if not verify(module):
                    self._blame_fields(module)
        diagnostics = self.diagnostics + found
        if diagnostics:
            raise_all(diagnostics)
        return Built(
            module.operation.clone(),
            self.symbol + "_entry",
            self.parameters,
            list(self.reads.values()),
            self.fields,
            self.fixed,
            kind,
        )

    def _place(self) -> ir.Location:
        source = self.spec.source
        return ir.Location.file(source.file, source.line, 1, session.CONTEXT)

    @property
    def symbol(self) -> str:
        """`kernel`, or `kernel__BlockM_128` of a template."""
        parts = [f"__{name}_{value}".replace("-", "m") for name, value in self.fixed.items()]
        return self.spec.name + "".join(parts)

    def _read(self, module: ir.Module) -> str:
        self._schema()
        source = self.spec.source
        tree = source.tree
        column = source.column(tree.lineno, tree.col_offset)
        place = ir.Location.file(source.file, tree.lineno, column, session.CONTEXT)
        # Kept until the blocks that use its arguments are gone.
        function = self._operation = arguments.make_function(self.symbol, place)
        layout = arguments.Layout(self.spec, self.parameters)
        entry = layout.entry_block(function, kernel=True)
        self.allocations, prologue = self._detached(), self._detached()
        front = self._builder(Side(self, "aiv", prologue))
        try:
            env = layout.bind(front, entry)
        except Failure as failure:
            self.report(failure)
            return ""
        read = self._sides(env, prologue)
        if self.diagnostics:
            return ""
        for block in (self.allocations, prologue):
            _move(block, entry)
        kind = sides.close(self, entry, read)
        for made in self._allocations.values():
            # A tile that no operation uses may be in a space that this kind of core has not.
            if not list(made.uses):
                made.owner.erase()
        self._finish(function, layout, kind)
        return kind

    def _detached(self) -> ir.Block:
        return ir.Block.create_at_start(self.host.regions[0], [], [])

    def _builder(self, side: Side) -> ProBuilder:
        return ProBuilder(side, self.spec.source)

    def _sides(self, env: dict, prologue: ir.Block) -> list[Side]:
        """The kernel as each core that it has code for."""
        tree = self.spec.source.tree
        found = []
        before = len(self.diagnostics)
        for core in sides.wanted(self, tree):
            side = Side(self, core, self._detached())
            fb = self._builder(side)
            fb.env = dict(env)
            for name, parameter in zip(env, tree.args.args, strict=False):
                try:
                    self.check_shadow(fb, name, parameter)
                except Failure as failure:
                    self.report(failure)
            run(fb, tree.body)
            side.reported = self.diagnostics[before:]
            del self.diagnostics[before:]
            found.append(side)
        kept = sides.kept(found)
        for side in kept:
            for diagnostic in side.reported:
                if diagnostic not in self.diagnostics:
                    self.diagnostics.append(diagnostic)
        return kept

    def _schema(self) -> None:
        schema = self.spec.schema
        if schema is None:
            return
        fields = [
            session.attribute(
                f'#pto.key_field<"{field.name}", bits = {field.bits}, values = '
                f"[{', '.join(str(int(value)) for value in field.values)}]>"
            )
            for field in schema.fields
        ]
        ir.Operation.create(
            "pto.block.tiling_key",
            attributes={
                "sym_name": ir.StringAttr.get(schema.name, session.CONTEXT),
                "fields": ir.ArrayAttr.get(fields, session.CONTEXT),
            },
            loc=self._place(),
            ip=self._ip,
        )

    def _finish(self, function: ir.Operation, layout: arguments.Layout, kind: str) -> None:
        """Type and attributes of the kernel, and its entry."""
        entry = function.regions[0].blocks[0]
        end = ir.InsertionPoint(entry)
        ir.Operation.create("func.return", loc=function.location, ip=end)
        types = [argument.type for argument in entry.arguments]
        attributes = function.attributes
        attributes["function_type"] = _function_type(types, [])
        attributes["pto.kind"] = session.attribute(f"#pto.kind<{kind}>")
        attributes["pto.sync"] = session.attribute("#pto.sync<author>")
        if self.spec.schema is not None:
            name = self.spec.schema.name
            attributes["pto.schema"] = ir.FlatSymbolRefAttr.get(name, session.CONTEXT)
        if self.fixed:
            number = ir.IntegerType.get_signless(64, session.CONTEXT)
            attributes["pto.template_of"] = ir.StringAttr.get(self.spec.name, session.CONTEXT)
            attributes["pto.fixed"] = ir.DictAttr.get(
                {name: ir.IntegerAttr.get(number, value) for name, value in self.fixed.items()},
                session.CONTEXT,
            )
        layout.set_directions(function)
        self._ip.insert(function)
        self._ip.insert(layout.entry(self.symbol, function.location))

    def _blame_fields(self, module: ir.Module) -> None:
        """An operation that is wrong under a condition on the tiling key makes the
        condition's fields structural."""
        if self.spec.schema is None:
            return
        fb = self._builder(Side(self, "aiv", module.body))
        wanted: set[str] = set()

        def look(operation: ir.Operation) -> ir.WalkResult:
            if operation.name == "scf.if" and fb.some_fields(operation.operands[0]):
                if not _verifies(operation):
                    wanted.update(fb.some_fields(operation.operands[0]))
            return ir.WalkResult.ADVANCE

        module.operation.walk(look)
        if wanted:
            raise Structural(wanted)


def _verifies(operation: ir.Operation) -> bool:
    try:
        return operation.verify()
    except ir.MLIRError:
        return False


def _function_type(inputs: list, results: list) -> ir.Attribute:
    made = ir.FunctionType.get(inputs, results, context=session.CONTEXT)
    return ir.TypeAttr.get(made, session.CONTEXT)


def _move(source: ir.Block, target: ir.Block) -> None:
    for operation in list(source.operations):
        target.append(operation)


__all__ = ["Built", "CompileError", "KernelReader", "Spec", "element_type"]
