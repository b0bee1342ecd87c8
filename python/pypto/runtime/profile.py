# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What a run costs by the chip's cost model: `compiled.profile(...)` makes a Profile.

docs/profiling.md says how to read one, docs/cost-model.md what is counted.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import io
import json

from ..diagnostics.render import source_line

#: What each pipe is busy with.
KINDS = {
    "MTE1": "memory",
    "MTE2": "memory",
    "MTE3": "memory",
    "FIX": "memory",
    "M": "cube",
    "V": "vector",
    "S": "scalar",
}
PIPES = ("MTE2", "MTE1", "M", "V", "FIX", "MTE3", "S")


@dataclasses.dataclass(frozen=True, slots=True)
class Operation:
    """An operation of a kernel and where its author wrote it."""

    name: str
    variable: str
    kernel: str
    file: str
    line: int
    column: int

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}" if self.file else self.kernel

    def __str__(self) -> str:
        return f"{self.name} '{self.variable}'" if self.variable else self.name


@dataclasses.dataclass(frozen=True, slots=True)
class Event:
    """One instruction: cycles `start` to `end` on a pipe of a core. `cause` is the event
    that ended last before it (-1: none in its block), `wait` what kept it until then, and
    `sync` how much of the time between the two flags and barriers took."""

    operation: Operation
    task: int
    block: int
    core: str
    pipe: str
    start: int
    end: int
    cause: int
    wait: str
    sync: int

    @property
    def cycles(self) -> int:
        return self.end - self.start

    @property
    def kind(self) -> str:
        return KINDS[self.pipe]


@dataclasses.dataclass(frozen=True, slots=True)
class Block:
    """A block of a task on its core (of a mixed kernel, on the cluster of this cube core)."""

    task: int
    number: int
    core: str
    start: int
    end: int
    cause: int
    last: int
    last_sync: int


@dataclasses.dataclass(frozen=True, slots=True)
class Task:
    """A task: its kernel, the tasks in front of it, and when it ran."""

    kernel: str
    operation: Operation
    after: tuple[int, ...]
    blocks: tuple[Block, ...]
    end: int

    @property
    def start(self) -> int:
        return min((block.start for block in self.blocks), default=self.end)


@dataclasses.dataclass(frozen=True, slots=True)
class Step:
    """A piece of the critical path. `event` is None for what no instruction does:
    kind "sync" (flags, barriers), "scalar" (issue) and "launch"."""

    kind: str
    start: int
    cycles: int
    event: Event | None = None


class Profile:
    """When each instruction of a run was at work; `str()` is a summary."""

    def __init__(self, data: dict, name: str):
        self.name = name
        self.target: str = data["target"]
        self.clock_mhz: int = data["clock_mhz"]
        self.cycles: int = data["cycles"]
        operations = [Operation(**item) for item in data["operations"]]
        self.tasks: list[Task] = []
        self._blocks: list[Block] = []
        for number, item in enumerate(data["tasks"]):
            blocks = [Block(number, index, **block) for index, block in enumerate(item["blocks"])]
            self._blocks += blocks
            operation = operations[item["operation"]]
            self.tasks.append(
                Task(item["kernel"], operation, tuple(item["after"]), tuple(blocks), item["end"])
            )
        self.events: list[Event] = []
        self._event_blocks: list[int] = []
        for operation, block, *rest in data["events"]:
            where = self._blocks[block]
            self._event_blocks.append(block)
            self.events.append(Event(operations[operation], where.task, where.number, *rest))
        #: (from, to): a flag set behind one event made the other wait.
        self.flows: list[tuple[int, int]] = [tuple(pair) for pair in data["flows"]]
        # As it was when the kernel ran.
        self.sources = _sources(operations)

    @classmethod
    def from_json(cls, text: str, name: str = "run") -> Profile:
        """Of what `pypto-run --profile` writes; a ValueError if the text is something else."""
        from .profile_form import is_profile

        data = json.loads(text)
        if not is_profile(data):
            raise ValueError("the text is not what 'pypto-run --profile' writes")
        return cls(data, name)

    def __repr__(self) -> str:
        return f"<profile of {self.name}: {self.cycles} cycles, {len(self.events)} events>"

    def __str__(self) -> str:
        return _table(self)

    @property
    def microseconds(self) -> float:
        return self.cycles / self.clock_mhz

    @functools.cached_property
    def busy(self) -> dict[tuple[str, str], int]:
        """Cycles for which each pipe of each core was at work: {("AIV 0", "V"): 1234}."""
        found: dict[tuple[str, str], int] = collections.Counter()
        for event in self.events:
            found[event.core, event.pipe] += event.cycles
        return dict(found)

    @functools.cached_property
    def busy_pipes(self) -> dict[str, int]:
        """The same, summed over the cores."""
        found = {pipe: 0 for pipe in PIPES}
        for (_, pipe), cycles in self.busy.items():
            found[pipe] += cycles
        return {pipe: cycles for pipe, cycles in found.items() if cycles}

    @functools.cached_property
    def utilisation(self) -> dict[str, float]:
        """Of each pipe, the share of the whole time for which it was at work: the mean
        over the cores that used it."""
        users = collections.Counter(pipe for _, pipe in self.busy)
        return {
            pipe: cycles / (users[pipe] * self.cycles) if self.cycles else 0.0
            for pipe, cycles in self.busy_pipes.items()
        }

    @functools.cached_property
    def critical_path(self) -> list[Step]:
        """What the run took its time for, from cycle 0 to the end without a gap."""
        steps: list[Step] = []
        block = max(range(len(self._blocks)), key=lambda index: self._blocks[index].end, default=-1)
        while block >= 0:
            at = self._blocks[block]
            event = self._gap(steps, at.last, block, at.end, at.last_sync)
            while event >= 0:
                found = self.events[event]
                steps.append(Step(found.kind, found.start, found.cycles, found))
                block = self._event_blocks[event]
                event = self._gap(steps, found.cause, block, found.start, found.sync)
            at = self._blocks[block]
            begin = self._blocks[at.cause].end if at.cause >= 0 else 0
            _add(steps, "launch", begin, at.start)
            block = at.cause
        return steps[::-1]

    def _gap(self, steps: list[Step], cause: int, block: int, end: int, sync: int) -> int:
        """The time before `end` in which nothing on the path was at work."""
        begin = self.events[cause].end if cause >= 0 else self._blocks[block].start
        middle = max(begin, end - sync)
        _add(steps, "sync", middle, end)
        _add(steps, "scalar", begin, middle)
        return cause

    @functools.cached_property
    def binding(self) -> dict[str, float]:
        """The share of each kind on the critical path, largest first."""
        total: dict[str, int] = collections.Counter()
        for step in self.critical_path:
            total[step.kind] += step.cycles
        ordered = sorted(total.items(), key=lambda item: -item[1])
        return {kind: cycles / self.cycles for kind, cycles in ordered if cycles}

    @property
    def bound_by(self) -> str:
        """What the run took most of its time for: "memory", "cube", "vector", "sync",
        "scalar" or "launch"."""
        return next(iter(self.binding), "launch")

    @functools.cached_property
    def line_cycles(self) -> dict[tuple[str, int], int]:
        """Cycles for which pipes were at work for each source line."""
        found: dict[tuple[str, int], int] = collections.Counter()
        for event in self.events:
            found[event.operation.file, event.operation.line] += event.cycles
        return dict(found)

    def to_chrome_trace(self, path) -> None:
        """Writes JSON that Perfetto (ui.perfetto.dev) and chrome://tracing open."""
        from .profile_files import chrome_trace

        with open(path, "w", encoding="utf-8") as file:
            json.dump(chrome_trace(self), file)

    def to_html(self, path, max_events: int = 200_000) -> None:
        """Writes one page with the timeline beside the source. Of a run with more than
        `max_events` events it shows the first blocks, and says so."""
        from .profile_files import html_page

        with open(path, "w", encoding="utf-8") as file:
            file.write(html_page(self, max_events))


def _add(steps: list[Step], kind: str, begin: int, end: int) -> None:
    if end > begin:
        steps.append(Step(kind, begin, end - begin))


#: A file with more lines is shown around those that matter only.
_WHOLE_FILE, _AROUND = 600, 20


def _sources(operations: list[Operation]) -> dict[str, dict[int, str]]:
    """The text of each file that the operations come from, by line number."""
    used: dict[str, set[int]] = {}
    for operation in operations:
        if operation.file and operation.line:
            used.setdefault(operation.file, set()).add(operation.line)
    return {file: _lines(file, numbers) for file, numbers in used.items()}


def _lines(file: str, used: set[int]) -> dict[int, str]:
    from ..diagnostics.render import source_lines

    texts = source_lines(file)
    if len(texts) > _WHOLE_FILE:
        near = {number + offset for number in used for offset in range(-_AROUND, _AROUND + 1)}
        return {number: texts[number - 1] for number in sorted(near) if 0 < number <= len(texts)}
    # A line of a text that is not there any more has its number still.
    known = dict.fromkeys(sorted(used), "") | dict(enumerate(texts, 1))
    return dict(sorted(known.items()))


# The summary.


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _table(profile: Profile) -> str:
    from rich.console import Console

    out = io.StringIO()
    console = Console(
        file=out, width=100, color_system=None, highlight=False, markup=False, soft_wrap=True
    )
    console.print(
        f"{profile.name} on {profile.target}: {profile.cycles:,} cycles, "
        f"{profile.microseconds:,.2f} us at {profile.clock_mhz} MHz"
    )
    shares = ", ".join(f"{kind} {_percent(share)}" for kind, share in profile.binding.items())
    console.print(f"bound by {profile.bound_by}; on the critical path: {shares}")
    console.print(_pipe_table(profile))
    if len(profile.tasks) > 1:
        console.print(_task_table(profile))
    console.print(_path_table(profile))
    return out.getvalue()


def _new_table(title: str, *columns: str):
    from rich import box
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=box.SIMPLE, pad_edge=False)
    for column in columns:
        left = column.endswith("<")
        table.add_column(column.rstrip("<"), justify="left" if left else "right", no_wrap=not left)
    return table


def _pipe_table(profile: Profile):
    table = _new_table(
        "Pipes", "pipe<", "kind<", "cores", "instructions", "busy cycles", "utilisation"
    )
    users = collections.Counter(pipe for _, pipe in profile.busy)
    counts = collections.Counter(event.pipe for event in profile.events)
    for pipe, cycles in profile.busy_pipes.items():
        table.add_row(
            pipe,
            KINDS[pipe],
            str(users[pipe]),
            f"{counts[pipe]:,}",
            f"{cycles:,}",
            _percent(profile.utilisation[pipe]),
        )
    return table


def _task_table(profile: Profile, most: int = 20):
    table = _new_table("Tasks", "task", "kernel<", "blocks", "after<", "start", "end")
    for number, task in enumerate(profile.tasks[:most]):
        after = ", ".join(map(str, task.after))
        table.add_row(
            str(number),
            task.kernel,
            str(len(task.blocks)),
            after,
            f"{task.start:,}",
            f"{task.end:,}",
        )
    if len(profile.tasks) > most:
        table.caption = f"{len(profile.tasks) - most} more"
    return table


def _path_table(profile: Profile, most: int = 12):
    """The critical path by source line: who it passes through, for how long."""
    from rich.text import Text

    found: dict[tuple, int] = collections.Counter()
    for step in profile.critical_path:
        event = step.event
        key = (event.operation, event.pipe) if event else (None, step.kind)
        found[key] += step.cycles
    table = _new_table(
        "Critical path by operation", "cycles", "share", "pipe<", "operation<", "source<"
    )
    ordered = sorted(found.items(), key=lambda item: -item[1])
    for (operation, pipe), cycles in ordered[:most]:
        share = _percent(cycles / profile.cycles)
        if operation is None:
            table.add_row(f"{cycles:,}", share, "", pipe, "")
            continue
        short = operation.file.rpartition("/")[2]
        text = source_line(operation.file, operation.line).strip() if operation.file else ""
        place = Text(f"{short}:{operation.line}  {text}", overflow="ellipsis", no_wrap=True)
        table.add_row(f"{cycles:,}", share, pipe, Text(str(operation)), place)
    if len(ordered) > most:
        rest = sum(cycles for _, cycles in ordered[most:])
        table.add_row(f"{rest:,}", _percent(rest / profile.cycles), "", "other", "")
    return table
