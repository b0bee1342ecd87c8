# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Order between the pipes of a core and between cores: `pl.system`, `pl.mutex`."""

from __future__ import annotations

import ast

from pypto_pro.language.enums import (
    CacheLine,
    CrossCoreSyncMode,
    DcciDst,
    PipeType,
    SyncAllMode,
    SyncCoreType,
)

from ....diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ... import session
from ..builder import ProBuilder
from ..calls import Call
from ..values import Pointer, TensorView, describe
from .arguments import (
    CORES,
    UNIT,
    chip_of,
    emit,
    list_of,
    member,
    mixed,
    not_here,
    not_yet,
    number_attribute,
    one_index,
    op_name,
)
from .declarations import check_mutex_id


def _pipe(fb: ProBuilder, call: Call, key: str) -> PipeType:
    found = member(fb, call, key, PipeType)
    if found is None:
        raise fb.error(
            call.node_of(key), f"'{key}' expects an enum value, not None", ParserTypeError
        )
    return found


def _attribute(pipe: PipeType):
    return session.attribute(f"#pto.pipe<{pipe.name.lower()}>")


def _check_pipe(fb: ProBuilder, call: Call, key: str, pipe: PipeType) -> None:
    """Whether this core has the pipe."""
    if pipe.name in chip_of(fb).cores[fb.core].pipes:
        return
    message = not_here(
        fb, f"{op_name(call)}: the {CORES[fb.core]} has no pipe {pipe.name}", _other(fb)
    )
    raise fb.error(call.node_of(key), message, ParserTypeError)


def _other(fb: ProBuilder) -> str:
    return "aiv" if fb.core == "aic" else "aic"


def _id(fb: ProBuilder, call: Call, key: str, limit: int):
    """A number in [0, limit), or a scalar."""
    node = call.node_of(key)
    value = fb.scalar_of(call[key], node)
    found = fb.index(value, node, f"{op_name(call)}: {key}")
    if isinstance(found, int) and not 0 <= found < limit:
        raise fb.error(node, f"{key} must be in [0, {limit}), got {found}", ParserTypeError)
    return value


# Events between the pipes of a core.


def sync_src(fb: ProBuilder, call: Call) -> None:
    _flag(fb, call, "block.set_flag")


def sync_dst(fb: ProBuilder, call: Call) -> None:
    _flag(fb, call, "block.wait_flag")


def _flag(fb: ProBuilder, call: Call, name: str) -> None:
    src, dst = _pipe(fb, call, "set_pipe"), _pipe(fb, call, "wait_pipe")
    _check_pair(fb, call, src, dst)
    event = _id(fb, call, "event_id", chip_of(fb).event_ids)
    operands, attributes = one_index(fb, event, call.node_of("event_id"), "event_id")
    attributes |= {"src": _attribute(src), "dst": _attribute(dst)}
    emit(fb, name, operands, attributes, call.node)


def _check_pair(fb: ProBuilder, call: Call, src: PipeType, dst: PipeType) -> None:
    if src is dst:
        fix = (
            "the compiler orders the instructions of pipe V"
            if src is PipeType.V
            else f"pl.system.bar_{src.name.lower()}() orders one pipe"
        )
        raise fb.error(
            call.node_of("wait_pipe"),
            f"{op_name(call)}: an event joins two pipes, got {src.name} twice; {fix}",
            ParserTypeError,
        )
    cores = chip_of(fb).cores
    pair = src.name, dst.name
    if pair in cores[fb.core].flags:
        return
    if not any(pair in core.flags for core in cores.values()):
        raise fb.error(
            call.node,
            f"{op_name(call)}: no event of the chip joins {src.name} and {dst.name}",
            ParserTypeError,
        )
    what = f"{op_name(call)}: no event of an {CORES[fb.core]} joins {src.name} and {dst.name}"
    raise fb.error(call.node, not_here(fb, what, _other(fb)), ParserTypeError)


def barrier(fb: ProBuilder, call: Call) -> None:
    pipe = PipeType[call.operation.name.removeprefix("bar_").upper()]
    _check_pipe(fb, call, "", pipe)
    emit(fb, "block.barrier", [], {"pipe": _attribute(pipe)}, call.node)


# Tokens.


def mutex_lock(fb: ProBuilder, call: Call) -> None:
    _mutex(fb, call, "block.mutex_lock")


def mutex_unlock(fb: ProBuilder, call: Call) -> None:
    _mutex(fb, call, "block.mutex_unlock")


def _mutex(fb: ProBuilder, call: Call, name: str) -> None:
    chip = chip_of(fb)
    if not chip.mutex_ids:
        raise fb.error(
            call.node,
            f"{call.path} is only supported on A5, not on '{chip.arch}'; use pl.system.sync_src "
            "and sync_dst",
            ParserTypeError,
        )
    pipe = _pipe(fb, call, "pipe")
    if pipe is PipeType.ALL:
        raise fb.error(
            call.node_of("pipe"), f"{op_name(call)}: a single pipe, got ALL", ParserTypeError
        )
    if fb.static_int(call["mode"], call.node_of("mode"), "mode") != 0:
        not_yet(fb, call, "mode")
    _check_id_hints(fb, call)
    node = call.node_of("mutex_id")
    operands, attributes = one_index(fb, call["mutex_id"], node, f"{op_name(call)}: mutex_id")
    if not operands:
        check_mutex_id(fb, fb.static_int(call["mutex_id"], node, "mutex_id"), node)
    _check_pipe(fb, call, "pipe", pipe)
    emit(fb, name, operands, {**attributes, "pipe": _attribute(pipe)}, call.node)


def _check_id_hints(fb: ProBuilder, call: Call) -> None:
    """Which ids one that the run knows may be: no code depends on it here."""
    node = call.node_of("max_mutex_id")
    check_mutex_id(fb, fb.static_int(call["max_mutex_id"], node, "max_mutex_id"), node)
    if call["mutex_ids"] is None:
        return
    node = call.node_of("mutex_ids")
    for number in fb.static_ints(call["mutex_ids"], node, "mutex_ids"):
        check_mutex_id(fb, number, node)


# Between cores.


def _cross_core(fb: ProBuilder, call: Call) -> tuple[PipeType, list, dict]:
    pipe = _pipe(fb, call, "pipe")
    mode = member(fb, call, "sync_mode", CrossCoreSyncMode)
    if mode is CrossCoreSyncMode.UNICAST_BLOCK:
        raise fb.error(
            call.node_of("sync_mode"),
            f"{call.path}: UNICAST_BLOCK, between the AIC and one of its AIVs, is not supported "
            "yet",
            UnsupportedFeatureError,
        )
    if mode is CrossCoreSyncMode.INTER_SUBBLOCK and fb.core == "aic":
        what = f"{op_name(call)}: INTER_SUBBLOCK is between the two AIVs of a cluster"
        raise fb.error(call.node_of("sync_mode"), not_here(fb, what, "aiv"), ParserTypeError)
    chip = chip_of(fb)
    event = _id(fb, call, "event_id", chip.cross_core_ids)
    node = call.node_of("event_id")
    operands, attributes = one_index(fb, event, node, "event_id")
    if not operands and int(event) in chip.reserved_ids:
        raise fb.error(
            node,
            f"{op_name(call)}: event_id {event} belongs to the chip, whose barriers of all cores "
            f"use {chip.reserved_ids[0]} to {chip.reserved_ids[-1]}",
            ParserTypeError,
        )
    attributes["mode"] = number_attribute(mode.value)
    return pipe, operands, attributes


def set_cross_core(fb: ProBuilder, call: Call) -> None:
    pipe, operands, attributes = _cross_core(fb, call)
    if pipe in (PipeType.S, PipeType.ALL):
        raise fb.error(
            call.node_of("pipe"),
            f"{op_name(call)}: pipe is one of V, M, MTE1, MTE2, MTE3 and FIX, got {pipe.name}",
            ParserTypeError,
        )
    _check_pipe(fb, call, "pipe", pipe)
    attributes["pipe"] = _attribute(pipe)
    emit(fb, "block.cross_core_set", operands, attributes, call.node)


def wait_cross_core(fb: ProBuilder, call: Call) -> None:
    pipe, operands, attributes = _cross_core(fb, call)
    _check_pipe(fb, call, "pipe", pipe)
    if pipe is not PipeType.ALL:
        attributes["pipe"] = _attribute(pipe)
    emit(fb, "block.cross_core_wait", operands, attributes, call.node)


def sync_all(fb: ProBuilder, call: Call) -> None:
    cores = member(fb, call, "core_type", SyncCoreType)
    mode = member(fb, call, "mode", SyncAllMode)
    if mode is SyncAllMode.SOFT:
        if call["workspaces"] is None:
            raise fb.error(
                call.node, "Soft mode sync_all requires workspaces list of tensors", ParserTypeError
            )
        raise fb.error(
            call.node_of("mode"),
            f"{call.path}: SyncAllMode.SOFT is not supported yet; HARD is",
            UnsupportedFeatureError,
        )
    if call["workspaces"] is not None:
        raise fb.error(
            call.node_of("workspaces"),
            "Hard mode sync_all does not accept workspace arguments",
            ParserTypeError,
        )
    words = {SyncCoreType.AIC_ONLY: "aic", SyncCoreType.AIV_ONLY: "aiv"}
    word = words.get(cores)
    if word is not None and word != fb.core:
        what = f"{op_name(call)}: {cores} never comes to an end on an {CORES[fb.core]}"
        raise fb.error(call.node_of("core_type"), not_here(fb, what, word), ParserTypeError)
    attributes = {} if word is None else {"cores": session.attribute(f"#pto.core<{word}>")}
    emit(fb, "block.sync_all", [], attributes, call.node)


def dcci(fb: ProBuilder, call: Call) -> None:
    target, node = call["target"], call.node_of("target")
    if not isinstance(target, (TensorView, Pointer)):
        raise fb.error(
            node,
            f"{op_name(call)}: target must be a tensor or a pointer, got {describe(target)}; only "
            "what lies in DDR is cached",
            ParserTypeError,
        )
    destination = member(fb, call, "dst", DcciDst)
    if destination not in (None, DcciDst.AUTO, DcciDst.CACHELINE_OUT):
        not_yet(fb, call, "dst", "AUTO and CACHELINE_OUT, to DDR, are")
    line = member(fb, call, "cache_line", CacheLine)
    made, offsets = _element(fb, call, target)
    operands, static = mixed(offsets)
    attributes = {"static_offsets": static}
    if line is CacheLine.ENTIRE_DATA_CACHE:
        attributes["entire"] = UNIT
    emit(fb, "block.dcci", [made, *operands], attributes, call.node)


def _element(fb: ProBuilder, call: Call, target) -> tuple:
    """The array and the offsets of the element whose line it is: the first, unless said."""
    node: ast.AST = call.node_of("offset")
    given = call["offset"]
    if isinstance(target, TensorView) and isinstance(given, (list, tuple)):
        if len(given) != len(target.shape):
            raise fb.error(
                node,
                f"{op_name(call)}: {len(given)} offsets for a {describe(target)}",
                ParserTypeError,
            )
        places = list_of(fb, call, "offset", "integers")
        return target.ir, [fb.index(place, node, "an offset") for place in places]
    pointer = target.pointer if isinstance(target, TensorView) else target
    place = fb.index(0 if given is None else given, node, f"{op_name(call)}: offset")
    if isinstance(place, int) and place < 0:
        raise fb.error(node, f"{op_name(call)}: offset {place} is negative", ParserTypeError)
    return pointer.ir, [place]
