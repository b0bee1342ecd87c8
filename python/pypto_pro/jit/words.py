# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Errors of passes and model in the words of PyPTO Pro: `pl.system.sync_dst`, where the IR
says `pto.block.wait_flag`."""

from __future__ import annotations

import functools
import re

from pypto.diagnostics.errors import Diagnostic, PyptoError, without_frames

from ..language import registry

_BARRIER = re.compile(r"pto\.block\.barrier (m|mte1|mte2|mte3|fix|all)\b")
_OPERATION = re.compile(r"pto\.block\.(\w+)")
_OTHER_FACE = re.compile(r"pl\.tile\.(?=get_(?:sub)?block_)")
# What the IR, or the other face, calls something that has another name here.
_PHRASES = {
    "pl.system.syncall (pl.system.set_cross_core and cross_core_wait in mode 0)": (
        "pl.system.sync_all"
    ),
    "pl.get_value": "pl.getval",
    "pl.set_value": "pl.setval",
    "pto.block.trap": "pl.trap",
    "pto.tile.slot: picks slot": "a tile group: picks slot",
    "pto.tile.subview: reaches": "a slice, or pl.set_validshape: reaches",
    " after pto-legalize": "",
}


@functools.cache
def _names() -> dict[str, str]:
    """What the operations of the IR that an author writes are called; a barrier is one of
    several, by its pipe."""
    return {
        operation.ir or operation.name: f"pl.system.{operation.name}"
        for operation in registry.OPERATIONS.values()
        if "system" in operation.faces and operation.ir != "barrier"
    }


def spoken(message: str) -> str:
    """A message in the words of the language.

    >>> spoken("pto.block.wait_flag: waits; put pto.block.barrier fix between them")
    'pl.system.sync_dst: waits; put pl.system.bar_fix() between them'
    """
    message = _BARRIER.sub(r"pl.system.bar_\1()", message)
    message = _OPERATION.sub(lambda found: _names().get(found[1], found[0]), message)
    message = _OTHER_FACE.sub("pl.", message)
    for found, here in _PHRASES.items():
        message = message.replace(found, here)
    return message


def _speak(diagnostic: Diagnostic) -> None:
    diagnostic.message = spoken(diagnostic.message)
    for note in diagnostic.notes:
        _speak(note)


def called(method):
    """For what a user calls: errors are in the user's words, without our frames."""

    @without_frames
    @functools.wraps(method)
    def wrapper(*args, **kwargs):
        try:
            return method(*args, **kwargs)
        except PyptoError as error:
            for diagnostic in error.diagnostics:
                _speak(diagnostic)
            raise

    return wrapper
