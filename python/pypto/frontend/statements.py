# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Statements: one function a kind of node, in the table at the end.

A statement that fails is reported and left behind: the names that it would have
bound then have no value, silently, so that one mistake makes one error and the
next statement can have its own.
"""

from __future__ import annotations

import ast
from functools import partial

from ..diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ..language.enums import MemorySpace
from ..mlir import ir
from . import (
    build,
    cells,
    control,
    data,
    exits,
    function_attributes,
    loops,
    regions,
    scalars,
    session,
    windows,
)
from .builder import Failure, FunctionBuilder
from .expressions import BINARY, binary, evaluate
from .values import Array, Cells, Submitted, Unbound, Value, describe

UNSUPPORTED = {
    ast.Try: "try",
    ast.Raise: "raise",
    ast.Assert: "assert; use pl.static_assert",
    ast.FunctionDef: "a function in a function; write it outside, with @pl.jit.inline",
    ast.AsyncFunctionDef: "an async function",
    ast.ClassDef: "a class",
    ast.Import: "import; import at the top of the file",
    ast.ImportFrom: "import; import at the top of the file",
    ast.Global: "global",
    ast.Nonlocal: "nonlocal",
    ast.Delete: "del",
    ast.AsyncFor: "async for",
    ast.AsyncWith: "async with",
    ast.Match: "match",
}


def run(fb: FunctionBuilder, statements: list[ast.stmt]) -> None:
    for node in statements:
        if fb.returned_early:
            return
        try:
            if fb.return_node is not None:
                raise fb.error(
                    node,
                    "nothing follows a return",
                    notes=[fb.note(fb.return_node, "the function returns here")],
                )
            handler = STATEMENTS.get(type(node))
            if handler is None:
                what = UNSUPPORTED.get(type(node), type(node).__name__)
                where = "the control plane" if fb.plane == "control" else "a kernel"
                raise fb.error(node, f"{where} cannot contain {what}", UnsupportedFeatureError)
            handler(fb, node)
        except Failure as failure:
            _give_up(fb, node, failure)
        except RecursionError:
            _give_up(
                fb, node, fb.error(node, "the expression is nested too deeply; bind its parts")
            )


def _give_up(fb: FunctionBuilder, node: ast.stmt, failure: Failure) -> None:
    fb.name = None
    fb.module.report(failure)
    for name in fb.names.bound_in(node):
        if name not in fb.outputs:
            fb.env[name] = Unbound(None)


def _assign(fb: FunctionBuilder, node: ast.Assign) -> None:
    targets = node.targets
    if len(targets) == 1:
        fb.name = _name_of(targets[0])
    if len(targets) == 1 and _pairs_up(targets[0], node.value):
        value = tuple(map(partial(_named, fb), targets[0].elts, node.value.elts))
        _note_exchange(fb, targets[0], node.value, value)
    else:
        value = evaluate(fb, node.value)
    fb.name = None
    for target in targets:
        bind(fb, target, value, node)


def _pairs_up(target: ast.expr, value: ast.expr) -> bool:
    """Whether it is `a, b = c, d`."""
    kinds = (ast.Tuple, ast.List)
    return (
        isinstance(target, kinds)
        and isinstance(value, kinds)
        and len(target.elts) == len(value.elts)
    )


def _note_exchange(fb: FunctionBuilder, target: ast.expr, value: ast.expr, arrays: tuple) -> None:
    """`x, y = y, x` on the control plane cannot mean a write: from there on the names of
    parameters mean the arrays that Python says."""
    if fb.plane != "control" or not all(isinstance(array, Array) for array in arrays):
        return
    names = [[item.id for item in side.elts if type(item) is ast.Name] for side in (target, value)]
    if len(names[0]) == len(arrays) and sorted(names[0]) == sorted(names[1]):
        fb.exchanged.update(names[0])


def _named(fb: FunctionBuilder, target: ast.expr, value: ast.expr):
    fb.name = _name_of(target)
    return evaluate(fb, value)


def _name_of(target: ast.expr) -> str | None:
    """The name that a value gets: of `out[:] = expr`, the array's."""
    if type(target) is ast.Subscript:
        target = target.value
    return target.id if type(target) is ast.Name else None


def bind(fb: FunctionBuilder, target: ast.expr, value, node: ast.stmt) -> None:
    kind = type(target)
    if kind is ast.Name:
        _bind_name(fb, target, value, node)
    elif kind in (ast.Tuple, ast.List):
        _bind_tuple(fb, target, value, node)
    elif kind is ast.Subscript:
        _bind_elements(fb, target, value)
    else:
        raise fb.error(
            target, f"a kernel cannot assign to '{ast.unparse(target)}'", UnsupportedFeatureError
        )


def _bind_name(fb: FunctionBuilder, target: ast.Name, value, node: ast.stmt) -> None:
    output = fb.outputs.get(target.id)
    if target.id in fb.exchanged:
        # On a core the name still writes the array that it means now.
        meant = fb.env.get(target.id)
        output = meant if fb.plane != "control" and isinstance(meant, Array) else None
    if output is not None and value is not output:
        _write_output(fb, output, target, value, node)
        return
    if value is None and isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
        raise fb.error(
            node.value, f"'{ast.unparse(node.value.func)}' returns nothing", ParserTypeError
        )
    fb.env[target.id] = value


def _write_output(fb: FunctionBuilder, output: Array, target: ast.Name, value, node) -> None:
    """`out = expr`, where `out` is a parameter that the function writes."""
    name = target.id
    if fb.plane == "control":
        what, hint = describe(value), ""
        if isinstance(value, Array):
            what, hint = "another array", "; give an array that changes a name of its own"
        kind = "InOut" if output.direction == "inout" else "Out"
        raise fb.error(
            target,
            f"'{name}' is an {kind} parameter and this binds it to {what}; on the control plane "
            f"a kernel writes it: pass '{name}' as the kernel's {kind} argument{hint}",
            ParserTypeError,
        )
    if isinstance(value, Value) and value.type.kind == "tile":
        raise fb.error(
            target,
            f"'{name}' is an array and this is {describe(value)}; write it with "
            f"pl.store(..., [0, 0], {name})",
            ParserTypeError,
        )
    if not build.is_data(value) or not value.type.same_value(output.type):
        raise fb.error(
            target,
            f"cannot reassign '{name}' with a different type: it is {describe(output)}, this is "
            f"{describe(value)}",
            ParserTypeError,
        )
    assemble(fb, value, output, [0] * len(output.type.shape), node)


def assemble(fb: FunctionBuilder, value, target: Array, offsets: list, node: ast.AST) -> None:
    operands, static = [], []
    for offset in offsets:
        static.append(offset if isinstance(offset, int) else session.DYNAMIC)
        if not isinstance(offset, int):
            operands.append(offset)
    made = fb.emit(
        "pto.tensor.assemble",
        [target.type.ir],
        [value.ir, target.ir, *operands],
        {"static_offsets": session.int64s(static)},
        node,
        target.name,
    )
    fb.write(target, made.result)


def _bind_tuple(fb: FunctionBuilder, target, value, node: ast.stmt) -> None:
    if not isinstance(value, (tuple, list)):
        raise fb.error(node, f"{describe(value)} cannot be unpacked", ParserTypeError)
    if isinstance(value, Submitted) and len(target.elts) != 2 and isinstance(value[0], tuple):
        value = (*value[0], value[1])  # `a, b, tid = ...` for a kernel that returns two arrays
    for item in target.elts:
        if isinstance(item, ast.Starred):
            raise fb.error(
                item, "a kernel cannot contain '*' in an assignment", UnsupportedFeatureError
            )
    if len(target.elts) != len(value):
        raise fb.error(node, f"{len(target.elts)} names for {len(value)} values", ParserTypeError)
    for item, part in zip(target.elts, value, strict=False):
        if part is None and isinstance(value, tuple) and isinstance(item, ast.Name):
            fb.env[item.id] = None  # what pl.submit of a kernel gives that returns nothing
        else:
            bind(fb, item, part, node)


def _bind_elements(fb: FunctionBuilder, target: ast.Subscript, value) -> None:
    """`out[:] = expr` and `out[i:i + 64, :] = expr`."""
    array = evaluate(fb, target.value)
    if isinstance(array, Cells):
        index = evaluate(fb, target.slice)
        cells.set_element(fb, array, index, value, target)
        return
    if not build.is_data(array):
        what = describe(array)
        raise fb.error(target, f"elements of {what} cannot be assigned", ParserTypeError)
    text = ast.unparse(target)
    if fb.plane == "control":
        if value is array or _is_window(fb, target, array, value):
            return
        raise fb.error(
            target,
            f"'{text} = ...' computes, and this is the control plane; put it in `with "
            "pl.at(level=pl.Level.CORE_GROUP):`, or move it into a @pl.jit.incore function",
            UnsupportedFeatureError,
        )
    if isinstance(array, Array):
        build.require_writable(fb, array, target, f"'{text} = ...'")
    items = windows.subscripts(target)
    sliced = any(isinstance(item, ast.Slice) for item in items)
    row = data.is_tile(array) and array.type.shape[0] == 1 and len(items) == 1
    if items and not sliced and (len(items) == len(array.type.shape) or row):
        indices = [evaluate(fb, item) for item in items]
        data.write_element(fb, array, indices, items, value, target, f"'{text} = ...'", target)
        return
    offsets, extents = windows.bounds(fb, target, array)
    if value is array and all(offset == 0 for offset in offsets if isinstance(offset, int)):
        return
    value = _assignable(fb, target, value, array, extents)
    made = data.assemble_into(fb, array, value, offsets, target, _name_of(target))
    if not isinstance(array, Array):
        fb.rebind(array, made)


def _is_window(fb: FunctionBuilder, target: ast.Subscript, array: Array, value) -> bool:
    """Whether the value is that window: `out[0:64, :] = kernel(x, out[0:64, :])`."""
    window = value.window if isinstance(value, Array) else None
    if window is None or window.base is not array:
        return False
    offsets, extents = windows.bounds(fb, target, array)
    return tuple(extents) == window.sizes and all(
        windows.difference(one, other) == 0
        for one, other in zip(offsets, window.offsets, strict=True)
    )


def _assignable(fb: FunctionBuilder, target: ast.Subscript, value, array, extents):
    text = ast.unparse(target)
    tile = data.is_tile(array)
    if scalars.is_scalar(value):
        if None in extents:
            raise fb.error(target, f"'{text}': the window's extents are known numbers")
        number = data.scalar_for(fb, value, array.type.dtype, target)
        kind = build.result_type(
            "tile" if tile else "tensor", tuple(extents), array.type.dtype, None
        )
        return fb.value(f"pto.{'tile' if tile else 'tensor'}.full", kind, [number], None, target)
    if data.is_tile(value) and not tile:
        raise fb.error(
            target,
            f"'{text}' takes an array, found {describe(value)}; a tile is written with pl.store",
            ParserTypeError,
        )
    if not build.is_data(value) or data.is_tile(value) is not tile:
        kind = "a tile" if tile else "an array"
        raise fb.error(target, f"'{text}' takes {kind}, found {describe(value)}", ParserTypeError)
    if not _fits(target, extents, value.type.shape) or value.type.dtype is not array.type.dtype:
        known = ["?" if extent is None else str(extent) for extent in extents]
        raise fb.error(
            target,
            f"'{text}' is a window of [{', '.join(known)}] {array.type.dtype}, the value is "
            f"{describe(value)}",
            ParserTypeError,
        )
    return value


def _fits(target: ast.Subscript, extents: list, shape: tuple) -> bool:
    """Whether a value of this shape is the window; it may leave out the first dimensions of
    one element, which an index is."""
    missing = len(extents) - len(shape)
    if missing < 0 or any(extent != 1 for extent in extents[:missing]):
        return False
    return all(
        extent is None or extent == found
        for extent, found in zip(extents[missing:], shape, strict=True)
    )


def _annotated(fb: FunctionBuilder, node: ast.AnnAssign) -> None:
    from .functions import declared_type

    if node.value is None:
        raise fb.error(node, "a declaration without a value", UnsupportedFeatureError)
    declared = declared_type(fb, node.annotation)
    if type(node.target) is ast.Name:
        fb.name = node.target.id
    value = evaluate(fb, node.value)
    fb.name = None
    if declared is not None:
        value = _check_declared(fb, node, declared, value)
    bind(fb, node.target, value, node)


def _check_declared(fb: FunctionBuilder, node: ast.AnnAssign, declared, value):
    if declared.kind == "scalar" and scalars.is_number(value):
        return Value(fb.constant(value, declared.dtype, node.value), declared, value >= 0)
    if declared is session.TASK and value is None:
        return None
    found = value.type if isinstance(value, (Value, Array, Cells)) else None
    agrees = found is not None and found.same_value(declared)
    spaces = declared.space, found.space if agrees else None
    if agrees and None not in spaces and spaces[0] != spaces[1]:
        agrees = False
    if not agrees:
        raise fb.error(
            node.annotation, f"declared {declared}, found {describe(value)}", ParserTypeError
        )
    if spaces[0] is not None and spaces[1] is None:
        return _in_declared_space(fb, node, declared, value)
    return value


def _in_declared_space(fb: FunctionBuilder, node: ast.AnnAssign, declared, value: Value):
    """A load without target_memory goes where the annotation says; whatever the vector
    unit computes is in Vec."""
    owner = value.ir.owner
    made_by = "" if isinstance(owner, ir.Block) else owner.name
    if made_by == "pto.tile.load" and declared.space in (MemorySpace.Vec, MemorySpace.Mat):
        value.type = declared
        value.ir.set_type(declared.ir)
        return value
    if made_by in ("", "pto.tile.set_validshape") or made_by.startswith("scf."):
        raise fb.error(
            node.annotation,
            f"declared in {declared.space.name}, and the value has a space of its own, which is "
            "still open; say it with target_memory= where it is loaded",
            ParserTypeError,
        )
    if declared.space is not MemorySpace.Vec:
        fix = "load to pl.Mem.Mat, then pl.move" if made_by == "pto.tile.load" else "pl.move it"
        place = "reaches Vec or Mat only" if made_by == "pto.tile.load" else "is made in Vec"
        raise fb.error(
            node.annotation,
            f"declared in {declared.space.name}, and the value {place}; {fix}",
            ParserTypeError,
        )
    return value


def _augmented(fb: FunctionBuilder, node: ast.AugAssign) -> None:
    target = node.target
    array = evaluate(fb, target.value) if isinstance(target, ast.Subscript) else None
    if isinstance(array, Cells):
        index = evaluate(fb, target.slice)
        current = cells.get_element(fb, array, index, target, None, target.slice)
        value = binary(fb, BINARY[type(node.op)], current, evaluate(fb, node.value), node, None)
        cells.set_element(fb, array, index, value, target)
        return
    if isinstance(target, ast.Subscript):
        value = binary(
            fb, BINARY[type(node.op)], evaluate(fb, target), evaluate(fb, node.value), node, None
        )
        _bind_elements(fb, target, value)
        return
    if not isinstance(target, ast.Name):
        raise fb.error(
            node, f"a kernel cannot assign to '{ast.unparse(target)}'", UnsupportedFeatureError
        )
    current = fb.lookup(node.target)
    added = evaluate(fb, node.value)
    value = binary(fb, BINARY[type(node.op)], current, added, node, node.target.id)
    bind(fb, node.target, value, node)


def _expression(fb: FunctionBuilder, node: ast.Expr) -> None:
    from .functions import dynamic_binding

    if function_attributes.is_call(fb, node):
        function_attributes.check_place(fb, node)
        return
    # A dimension that is declared open has been read with the parameters.
    if not isinstance(node.value, ast.Constant) and dynamic_binding(node) is None:
        evaluate(fb, node.value)


def _return(fb: FunctionBuilder, node: ast.Return) -> None:
    if fb.depth > 0:
        raise fb.error(
            node,
            "a return in a loop, a branch or a placed region; a kernel has one, at its end",
            UnsupportedFeatureError,
        )
    fb.returned = None if node.value is None else evaluate(fb, node.value)
    fb.return_node = node


def _pass(fb: FunctionBuilder, node: ast.Pass) -> None:
    pass


def _leave(fb: FunctionBuilder, node: exits.Leave) -> None:
    if fb.plane == "control":
        raise fb.error(
            node,
            f"{node.word} on the control plane: which tasks are submitted does not depend on what "
            "they compute; put what follows into an `if`",
            UnsupportedFeatureError,
        )
    fb.env[node.target.id] = True


def _wrong(fb: FunctionBuilder, node: exits.Wrong) -> None:
    raise fb.error(node.place, node.message, node.kind)


STATEMENTS = {
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Expr: _expression,
    ast.For: loops.for_loop,
    ast.While: loops.while_loop,
    exits.Leave: _leave,
    exits.Wrong: _wrong,
    ast.If: control.branch,
    ast.With: regions.placed,
    ast.Return: _return,
    ast.Pass: _pass,
}
