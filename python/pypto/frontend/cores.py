# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Flags between cores, in a kernel."""

from __future__ import annotations

from ..diagnostics.errors import ParserTypeError, UnsupportedFeatureError
from ..language.enums import PipeType
from . import session
from .builder import FunctionBuilder
from .values import describe

MAX_FLAG = 10  # the rest are the hardware's own
SYNC_ALL = MAX_FLAG
_SETTING = tuple(pipe for pipe in PipeType if pipe not in (PipeType.S, PipeType.ALL))
# The pipe that writes arrays, by core_type=.
_STORES = {"aiv_only": PipeType.MTE3, "aic_only": PipeType.FIX}


def _flag(fb: FunctionBuilder, call) -> int:
    event = call.args[0]
    if type(event) is not int:
        raise fb.error(
            call.place(0),
            f"{call.path}: event_id is a number known when the kernel is compiled, found "
            f"{describe(event)}",
            ParserTypeError,
        )
    if not 0 <= event <= MAX_FLAG:
        raise fb.error(call.place(0), f"{call.path}: event_id is 0 to {MAX_FLAG}, found {event}")
    if fb.sync_all and event == SYNC_ALL:
        raise fb.error(
            call.place(0),
            f"{call.path}: flag {SYNC_ALL} is that of pl.system.syncall, which this kernel has",
            notes=[fb.note(fb.sync_all, "here")],
        )
    return event


def _pipe(fb: FunctionBuilder, call, known: tuple) -> PipeType:
    pipe = call.args[1]
    if pipe in known and isinstance(pipe, PipeType):
        return pipe
    words = ", ".join(member.name for member in known)
    raise fb.error(
        call.place(1),
        f"{call.path}: pipe is one of pl.PipeType.{{{words}}}, found {describe(pipe)}",
        ParserTypeError,
    )


def _mode(fb: FunctionBuilder, call) -> int | None:
    mode = call.args[2]
    if mode is not None and (type(mode) is not int or mode not in (0, 1, 2)):
        raise fb.error(
            call.place(2),
            f"{call.path}: ffts_mode is 0 (all cores of a kind), 1 (the AIVs of a cluster) or 2 "
            f"(an AIC and its AIVs), found {describe(mode)}",
            ParserTypeError,
        )
    if call.args[3] is not None:
        raise fb.error(
            call.place(3), f"{call.path}: core_type= is not supported yet", UnsupportedFeatureError
        )
    return mode


def _set(fb: FunctionBuilder, pipe: PipeType, event: int, mode: int, node) -> None:
    attributes = {
        "pipe": session.attribute(f"#pto.pipe<{pipe.name.lower()}>"),
        "id": session.attribute(f"{event} : i64"),
        "mode": session.attribute(f"{mode} : i64"),
    }
    fb.emit("pto.block.cross_core_set", [], [], attributes, node)


def _wait(fb: FunctionBuilder, event: int, mode: int, node) -> None:
    attributes = {
        "id": session.attribute(f"{event} : i64"),
        "mode": session.attribute(f"{mode} : i64"),
    }
    fb.emit("pto.block.cross_core_wait", [], [], attributes, node)


def sync_set(fb: FunctionBuilder, call) -> None:
    event, pipe, mode = _flag(fb, call), _pipe(fb, call, _SETTING), _mode(fb, call)
    mode = 2 if mode is None else mode
    fb.flag_modes[event] = mode
    _set(fb, pipe, event, mode, call.node)


def sync_wait(fb: FunctionBuilder, call) -> None:
    # On this chip the wait holds the whole core, whichever pipe is named.
    event, mode = _flag(fb, call), _mode(fb, call)
    _pipe(fb, call, tuple(PipeType))
    _wait(fb, event, fb.flag_modes.get(event, 2) if mode is None else mode, call.node)


def syncall(fb: FunctionBuilder, call) -> None:
    core_type, mode, workspace, cores = call.args
    refused = {0: core_type not in _STORES, 1: mode != "hard"}
    refused |= {2: workspace is not None, 3: cores is not None}
    names = ("core_type", "mode", "gm_workspace", "used_cores")
    for index, is_refused in refused.items():
        if is_refused:
            raise fb.error(
                call.place(index),
                f"{call.path}: {names[index]}={describe(call.args[index])} is not supported yet; "
                "core_type='aiv_only' and 'aic_only' in mode 'hard' are",
                UnsupportedFeatureError,
            )
    if SYNC_ALL in fb.flag_modes and fb.sync_all is None:
        raise fb.error(
            call.node,
            f"{call.path} takes flag {SYNC_ALL}, which this kernel sets itself; take another",
        )
    fb.sync_all = call.node
    _set(fb, _STORES[core_type], SYNC_ALL, 0, call.node)
    _wait(fb, SYNC_ALL, 0, call.node)
