# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""A trace: one line for each operation that a run executes."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterable

import numpy as np

from .observe import Content, Event, Watcher, content, core_words

# What a pass needs and an author does not see.
_SILENT = ("pto.tile.alloc", "pto.tile.slot", "pto.tile.subview", "pto.block.section")
_SHOWN = 4


class Trace:
    """What `RunConfig(trace=…)` takes. `to`: True prints, a path gets JSON, an object a
    line, and a function is called with each as a dict. `functions` and `lines`: only
    operations of these functions, by name, and of these source lines. `stage`: which
    program runs: "final", "frontend", or the name of the pass behind which it is."""

    def __init__(
        self,
        to: bool | str | os.PathLike | Callable[[dict], None] = True,
        functions: str | Iterable[str] | None = None,
        lines: int | Iterable[int] | None = None,
        stage: str = "final",
    ):
        if to is not True and not isinstance(to, (str, os.PathLike)) and not callable(to):
            raise TypeError(f"a trace goes to True, a path or a function, found {to!r}")
        if not isinstance(stage, str):
            raise TypeError(f"Trace(stage=) is the name of a pass, found {stage!r}")
        self.to = to
        self.functions = _names(functions)
        self.lines = _numbers(lines)
        self.stage = stage

    def __repr__(self) -> str:
        return f"<trace to {self.to!r}>"

    @contextlib.contextmanager
    def watcher(self):
        """Watches one run."""
        if self.to is True:
            yield _Tracer(self, lambda event: print(text(event), file=sys.stdout))
        elif callable(self.to):
            yield _Tracer(self, self.to)
        else:
            with open(self.to, "w", encoding="utf-8") as file:
                yield _Tracer(self, lambda event: file.write(json.dumps(event) + "\n"))


def _names(functions) -> frozenset[str] | None:
    if functions is None:
        return None
    found = frozenset([functions] if isinstance(functions, str) else functions)
    if not all(isinstance(name, str) for name in found):
        raise TypeError(f"Trace(functions=) takes names of functions, found {functions!r}")
    return found


def _numbers(lines) -> frozenset[int] | None:
    if lines is None:
        return None
    found = frozenset([lines] if isinstance(lines, int) else lines)
    if not all(isinstance(line, int) for line in found):
        raise TypeError(f"Trace(lines=) takes numbers of source lines, found {lines!r}")
    return found


class _Tracer(Watcher):
    def __init__(self, trace: Trace, give: Callable[[dict], object]):
        super().__init__(Event.AFTER)
        self._trace, self._give = trace, give

    def notify(self, moment) -> None:
        place, trace = self.place(moment), self._trace
        if not place.operation.startswith("pto.") or place.operation in _SILENT:
            return
        if trace.functions is not None and place.function not in trace.functions:
            return
        if trace.lines is not None and place.line not in trace.lines:
            return
        self._give(
            {
                "task": moment.task,
                "task_name": moment.task_name,
                "block": moment.block,
                "blocks": moment.blocks,
                "core": moment.core,
                "where": core_words(moment),
                "function": place.function,
                "file": place.file,
                "line": place.line,
                "operation": place.word,
                "ir": place.operation,
                "values": [_describe(content(made)) for made in moment.made()],
            }
        )


def _plain(number):
    """A number that JSON has; what is not finite is a word."""
    if isinstance(number, (int, np.integer)):
        return int(number)
    number = float(number)
    return number if np.isfinite(number) else str(number)


def _describe(made: Content) -> dict:
    described: dict = {"name": made.name, "space": made.space}
    if not made.is_array:
        value = made.value
        described["value"] = [*map(_plain, value)] if isinstance(value, list) else _plain(value)
        return described
    flat = made.value.reshape(-1)
    if made.defined is not None:
        flat = flat[made.defined.reshape(-1)]
    # What has no exact place in float64 is not among the types of kernels.
    wide = flat if flat.dtype.kind == "i" else flat.astype(np.float64)
    described |= {
        "dtype": str(made.dtype),
        "shape": list(made.value.shape),
        "first": [_plain(value) for value in wide[:_SHOWN]],
        "undefined": made.value.size - flat.size,
    }
    if flat.size:
        known = wide[~np.isnan(wide)] if wide.dtype.kind == "f" else wide
        described["nan"] = int(wide.size - known.size)
        if known.size:
            described["min"], described["max"] = _plain(known.min()), _plain(known.max())
    return described


def _number_text(number) -> str:
    return f"{number:.6g}" if isinstance(number, float) else str(number)


def _value_text(value: dict) -> str:
    name = value["name"] or "(unnamed)"
    if "value" in value:
        return f"{name} = {value['value']}"
    space = f" in {value['space']}" if value["space"] else ""
    words = [_number_text(number) for number in value["first"]]
    size = int(np.prod(value["shape"])) - value["undefined"]
    more = ", …" if size > len(words) else ""
    line = f"{name} = {value['shape']} {value['dtype']}{space}: {', '.join(words)}{more}"
    if "min" in value:
        line += f"; {_number_text(value['min'])} to {_number_text(value['max'])}"
    if value.get("nan"):
        line += f"; {value['nan']} NaN"
    if value["undefined"]:
        line += f"; {value['undefined']} undefined"
    return line


def text(event: dict) -> str:
    """An event of a trace as a line."""
    place = f"{os.path.basename(event['file'])}:{event['line']}" if event["file"] else "-"
    values = "  ".join(_value_text(value) for value in event["values"])
    return f"{event['where']:<24} {place:<18} {event['operation']:<20} {values}".rstrip()
