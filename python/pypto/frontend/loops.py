# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Loops: `for i in pl.range(...)` and its kin, and `while`.

A loop that only counts is `scf.for`. One with a condition, or that `break` ends, is
`scf.while`, whose first region only tests what is carried: where a condition reads an
array or a tile, it is computed in front of the loop and behind its body, and carried.
"""

from __future__ import annotations

import ast

from ..diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ..language.dtypes import BOOL, INDEX
from ..mlir import ir
from . import carry, control, scalars, session
from .builder import FunctionBuilder
from .control import construct
from .exits import spoken
from .ranges import Range, counted
from .values import Unbound, Value, describe

# Bodies that pl.unroll makes: far more than a core has code for.
MOST_UNROLLED = 4096


def for_loop(fb: FunctionBuilder, node: ast.For) -> None:
    if node.orelse:
        raise fb.error(node.orelse[0], "a loop has no else", UnsupportedFeatureError)
    if not isinstance(node.target, ast.Name):
        raise fb.error(node.target, "a loop has one variable", UnsupportedFeatureError)
    kind, args, places = construct(fb, node.iter, "for")
    if kind == "spmd":
        from .regions import spmd_loop

        spmd_loop(fb, node, args, places)
        return
    if kind == "pipeline":
        _check_pipeline(fb, node, args[1], places[1])
    bounds = _bounds(fb, node, f"pl.{kind}", args[0])
    if kind == "unroll":
        _unroll(fb, node, bounds)
        return
    made = _range(fb, node, bounds)
    loop = carry.read(fb, node, lambda fb, counter: made.variable(fb, counter, node.target))
    if any(item.name == loop.exit for item in loop.carried):
        _close_counted_while(fb, node, made, loop)
    else:
        _close_for(fb, node, made, loop, kind)


# Bounds.


def _bounds(fb: FunctionBuilder, node: ast.For, path: str, bounds: list) -> tuple:
    """Start, stop and step: numbers, or INDEX scalars."""
    if not 1 <= len(bounds) <= 3:
        raise fb.error(
            node.iter, f"{path} takes one to three bounds, found {len(bounds)}", ParserTypeError
        )
    places = list(node.iter.args)
    found = []
    for bound, place in zip(bounds, places, strict=True):
        made = scalars.index(fb, bound, place, f"a bound of {path}")
        if not isinstance(made, int):
            made = Value(made, session.scalar_type(INDEX), scalars.nonnegative(bound))
        found.append(made)
    start, stop, step = {1: (0, *found, 1), 2: (*found, 1), 3: tuple(found)}[len(found)]
    if step == 0:
        raise fb.error(places[2], f"the step of {path} is zero")
    return start, stop, step


def _range(fb: FunctionBuilder, node: ast.For, bounds: tuple) -> Range:
    def stop_if(condition, reason: str) -> None:
        control.stop_if(fb, condition, reason, node.iter)

    return counted(fb, node.iter, *bounds, None if fb.plane == "control" else stop_if)


def _check_pipeline(fb: FunctionBuilder, node: ast.For, stage, place) -> None:
    if fb.plane == "control":
        raise fb.error(
            node.iter,
            "pl.pipeline overlaps what the pipes of one core do, so it stands in a kernel; on the "
            "control plane use pl.parallel",
            ParserTypeError,
        )
    if type(stage) is not int or stage < 1:
        raise fb.error(
            place or node.iter,
            f"pl.pipeline: stage= is a number from 1 on, known when the kernel is compiled, found "
            f"{describe(stage)}",
            ParserTypeError,
        )
    if stage > 1:
        raise fb.error(
            place or node.iter,
            f"pl.pipeline(stage={stage}): more than one stage comes later; with stage=1 the loop "
            "runs as pl.range does",
            UnsupportedFeatureError,
        )


# pl.unroll.


def _unroll(fb: FunctionBuilder, node: ast.For, bounds: tuple) -> None:
    stop_only = len(node.iter.args) == 1
    for bound, place in zip(bounds[1:] if stop_only else bounds, node.iter.args, strict=False):
        if not isinstance(bound, int):
            raise fb.error(
                place,
                "pl.unroll makes its body once for each iteration, so its bounds are numbers known "
                "when the kernel is compiled; use pl.range",
                ParserTypeError,
            )
    steps = range(*bounds)
    if len(steps) > MOST_UNROLLED:
        raise fb.error(
            node.iter,
            f"pl.unroll makes its body {len(steps)} times, and at most {MOST_UNROLLED} are useful; "
            "use pl.range",
        )
    reported = len(fb.module.diagnostics)
    for number in steps:
        fb.env[node.target.id] = number
        carry.run_body(fb, node)
        if len(fb.module.diagnostics) > reported:
            break  # the other iterations have the same errors
    name = node.target.id
    reason = f"the loop variable '{name}' has no value after its loop"
    fb.env[name] = Unbound(reason, node.target, "the loop")


# The operation around a body.


def _names(node: ast.stmt, loop: carry.Loop) -> dict:
    names = [spoken(item.name) for item in loop.carried]
    if isinstance(node, ast.For):
        names.insert(0, node.target.id)
    return {"pto.names": session.strings(names)}


def _location(fb: FunctionBuilder, node: ast.stmt, loop: carry.Loop):
    name = spoken(loop.carried[0].name) if len(loop.carried) == 1 else None
    return fb.location(node, name or None)


def _yield(fb: FunctionBuilder, node: ast.stmt, block: ir.Block, values: list) -> None:
    ir.Operation.create("scf.yield", [], values, loc=fb.location(node), ip=ir.InsertionPoint(block))


def _close_for(fb: FunctionBuilder, node: ast.For, made: Range, loop: carry.Loop, kind) -> None:
    _yield(fb, node, loop.block, [item.final.ir for item in loop.carried])
    attributes = _names(node, loop)
    if kind == "parallel":
        attributes["pto.parallel"] = session.attribute("unit")
    operation = ir.Operation.create(
        "scf.for",
        [item.type.ir for item in loop.carried],
        [made.begin, made.end, made.step, *(item.init.ir for item in loop.carried)],
        attributes,
        regions=1,
        loc=_location(fb, node, loop),
        ip=fb.ip,
    )
    loop.block.append_to(operation.regions[0])
    loop.finish(list(operation.results))


def _close_counted_while(fb: FunctionBuilder, node: ast.For, made: Range, loop) -> None:
    """A loop over a range that may end early."""
    outer, kind = fb.ip, session.scalar_type(INDEX)
    counter = loop.block.arguments[0]
    fb.ip = ir.InsertionPoint(loop.block)
    further = fb.value("arith.addi", kind, [counter, made.step], None, node)
    _yield(fb, node, loop.block, [further.ir, *(item.final.ir for item in loop.carried)])
    head = _head(fb, loop)
    fb.ip = ir.InsertionPoint(head)
    arguments = list(head.arguments)
    going = scalars.compare(fb, "<", Value(arguments[0], kind), Value(made.end, kind), node, None)
    going = scalars.logic(fb, "and", going, _not_left(fb, node, loop, arguments[1:]), node, None)
    _condition(fb, node, going, arguments)
    fb.ip = outer
    inits = [made.begin, *(item.init.ir for item in loop.carried)]
    loop.finish(_while(fb, node, loop, inits, head)[1:])


def _head(fb: FunctionBuilder, loop: carry.Loop) -> ir.Block:
    """The first region of a while loop, with the arguments of its body."""
    arguments = list(loop.block.arguments)
    return fb.detached_block([a.type for a in arguments], [a.location for a in arguments])


def _not_left(fb: FunctionBuilder, node: ast.stmt, loop: carry.Loop, values: list):
    """That no break has ended the loop, of the values that it carries."""
    for item, value in zip(loop.carried, values, strict=False):
        if item.name == loop.exit:
            left = Value(value, session.scalar_type(BOOL))
            return scalars.unary(fb, ast.Not, left, node, None)
    return True


def _condition(fb: FunctionBuilder, node: ast.stmt, going, arguments: list) -> None:
    fb.emit("scf.condition", [], [scalars.as_dtype(fb, going, BOOL, node), *arguments], None, node)


def _while(fb: FunctionBuilder, node: ast.stmt, loop: carry.Loop, inits: list, head) -> list:
    operation = ir.Operation.create(
        "scf.while",
        [argument.type for argument in loop.block.arguments],
        inits,
        _names(node, loop),
        regions=2,
        loc=_location(fb, node, loop),
        ip=fb.ip,
    )
    head.append_to(operation.regions[0])
    loop.block.append_to(operation.regions[1])
    return list(operation.results)


# while.


def while_loop(fb: FunctionBuilder, node: ast.While) -> None:
    if node.orelse:
        raise fb.error(node.orelse[0], "a loop has no else", UnsupportedFeatureError)
    if control.attempt(fb, lambda: control.test(fb, node.test))[0] is False:
        return
    plain: list[bool] = []

    def again(fb: FunctionBuilder):
        """Whether there is another iteration, where that is computed behind the body."""
        plain[:] = [control.is_plain(fb, lambda: control.test(fb, node.test))]
        if plain[0]:
            return None
        left = fb.env[loop_exit] if loop_exit is not None else False
        going = scalars.unary(fb, ast.Not, left, node, None)
        return control.either(
            fb, going, lambda: control.test(fb, node.test), lambda: False, node.test
        )

    loop_exit = getattr(node, "exit", None)
    loop = carry.read(fb, node, last=again)
    if plain[0]:
        _close_while(fb, node, loop)
    else:
        _close_computed_while(fb, node, loop)


def _close_while(fb: FunctionBuilder, node: ast.While, loop: carry.Loop) -> None:
    """The condition is one of scalars: it stands in the first region."""
    _yield(fb, node, loop.block, [item.final.ir for item in loop.carried])
    head = _head(fb, loop)
    outer, env = fb.ip, fb.env
    arguments = list(head.arguments)
    fb.ip, fb.env = ir.InsertionPoint(head), dict(env)
    try:
        for item, argument in zip(loop.carried, arguments, strict=True):
            if item.array is None and item.proxy is None:
                fb.env[item.name] = Value(argument, item.type)
        going = scalars.logic(
            fb,
            "and",
            _not_left(fb, node, loop, arguments),
            control.test(fb, node.test),
            node,
            None,
        )
        if going is True:
            raise fb.error(
                node, "this loop never ends: nothing in it leaves it, and its condition holds"
            )
        _condition(fb, node, going, arguments)
    finally:
        fb.ip, fb.env = outer, env
    inits = [item.init.ir for item in loop.carried]
    loop.finish(_while(fb, node, loop, inits, head))


def _close_computed_while(fb: FunctionBuilder, node: ast.While, loop: carry.Loop) -> None:
    """Whether there is another iteration is carried, behind all else."""
    loop.block.add_argument(session.scalar_type(BOOL).ir, fb.location(node.test))
    going = scalars.as_dtype(fb, loop.last, BOOL, node.test)
    _yield(fb, node, loop.block, [*(item.final.ir for item in loop.carried), going])
    head = _head(fb, loop)
    arguments = list(head.arguments)
    outer, fb.ip = fb.ip, ir.InsertionPoint(head)
    _condition(fb, node, Value(arguments[-1], session.scalar_type(BOOL)), arguments)
    fb.ip = outer
    inits = [item.init.ir for item in loop.carried]
    inits.append(scalars.as_dtype(fb, control.test(fb, node.test), BOOL, node.test))
    loop.finish(_while(fb, node, loop, inits, head)[:-1])
