# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""A Profile as files: a Chrome trace, an HTML page."""

from __future__ import annotations

import html
import importlib.resources
import json
import re

from .profile import PIPES, Profile

# The Chrome trace.


def _cores(profile: Profile) -> list[str]:
    """Cluster by cluster: a cube core, then its two vector cores."""

    def order(core: str):
        kind, _, number = core.partition(" ")
        cluster = int(number) if kind == "AIC" else int(number) // 2
        return cluster, kind, int(number)

    return sorted({core for core, _ in profile.busy}, key=order)


class _Tracks:
    """Processes and threads of the viewer. No two threads have one number, and none
    has 0, which the viewers give a meaning of its own."""

    def __init__(self):
        self.names: list[dict] = []
        self._processes = self._threads = 0

    def process(self, name: str) -> int:
        self._processes += 1
        self._name("process", {"pid": self._processes}, name, self._processes)
        return self._processes

    def thread(self, process: int, name: str) -> dict:
        self._threads += 1
        track = {"pid": process, "tid": self._threads}
        self._name("thread", track, name, self._threads)
        return track

    def _name(self, kind: str, track: dict, name: str, order: int) -> None:
        for key, value in (("name", {"name": name}), ("sort_index", {"sort_index": order})):
            self.names.append({"ph": "M", "name": f"{kind}_{key}", **track, "args": value})


def chrome_trace(profile: Profile) -> dict:
    """Cores as processes, pipes as threads, instructions as slices, flags as arrows;
    tasks are a process of their own. Times are microseconds."""
    tracks = _Tracks()
    made = _task_slices(profile, tracks)
    pipes = {}
    for core in _cores(profile):
        process = tracks.process(core)
        for pipe in PIPES:
            if (core, pipe) in profile.busy:
                pipes[core, pipe] = tracks.thread(process, pipe)
    for event in profile.events:
        made.append(_slice(event, pipes[event.core, event.pipe], profile.clock_mhz))
    for number, flow in enumerate(profile.flows):
        made += _arrow(number, [profile.events[index] for index in flow], pipes, profile.clock_mhz)
    return {
        "traceEvents": tracks.names + made,
        "displayTimeUnit": "ns",
        "otherData": {
            "name": profile.name,
            "target": profile.target,
            "clock_mhz": profile.clock_mhz,
            "cycles": profile.cycles,
        },
    }


def _task_slices(profile: Profile, tracks: _Tracks) -> list[dict]:
    """Tasks; those that overlap are on different threads."""
    process = tracks.process("tasks")
    made, lanes = [], []  # a lane: (end of its last task, thread)
    for number, task in sorted(enumerate(profile.tasks), key=lambda item: item[1].start):
        lane = next((i for i, (end, _) in enumerate(lanes) if end <= task.start), len(lanes))
        if lane == len(lanes):
            lanes.append((0, tracks.thread(process, f"lane {lane}")))
        lanes[lane] = (task.end, lanes[lane][1])
        made.append(
            {
                "ph": "X",
                **lanes[lane][1],
                "cat": "task",
                "name": f"{number}: {task.kernel}",
                "ts": task.start / profile.clock_mhz,
                "dur": (task.end - task.start) / profile.clock_mhz,
                "args": {"task": number, "blocks": len(task.blocks), "after": list(task.after)},
            }
        )
    return made


def _slice(event, track: dict, clock: int) -> dict:
    operation = event.operation
    return {
        "ph": "X",
        **track,
        "cat": event.kind,
        "name": str(operation),
        "ts": event.start / clock,
        "dur": event.cycles / clock,
        "args": {
            "source": operation.place,
            "kernel": operation.kernel,
            "cycles": event.cycles,
            "start_cycle": event.start,
            "task": event.task,
            "block": event.block,
            "waited_for": event.wait,
        },
    }


def _arrow(number: int, events, pipes: dict, clock: int) -> list[dict]:
    source, target = events
    common = {"id": number, "cat": "flag", "name": "flag"}
    # An arrow belongs to the slice around its time: half a cycle before the end.
    begin = {"ph": "s", **pipes[source.core, source.pipe], "ts": (source.end - 0.5) / clock}
    end = {"ph": "f", "bp": "e", **pipes[target.core, target.pipe], "ts": target.start / clock}
    return [begin | common, end | common]


# The page.


def html_page(profile: Profile, max_events: int) -> str:
    page = importlib.resources.files(__package__).joinpath("profile.html").read_text("utf-8")
    shown = _shown(profile, max_events)
    note = ""
    if shown < len(profile.events):
        note = (
            f"The timeline shows the first {shown:,} of {len(profile.events):,} instructions, "
            "whole blocks; the numbers count all."
        )
    parts = {
        "TITLE": html.escape(f"{profile.name} on {profile.target}"),
        "SUMMARY": (
            f"{profile.cycles:,} cycles = {profile.microseconds:,.2f} µs at "
            f"{profile.clock_mhz:,} MHz, bound by <b>{profile.bound_by}</b> ({_shares(profile)})"
        ),
        "NOTE": html.escape(note),
        "BINDING": _binding(profile),
        "PIPES": _pipes(profile),
        "SOURCE": _source(profile),
        # `</` would end the element that holds it, and `<!--` keep it from ending.
        "DATA": json.dumps(_data(profile, shown), separators=(",", ":")).replace("<", "\\u003c"),
    }
    return re.sub("@([A-Z]+)@", lambda found: parts[found[1]], page)


def _shown(profile: Profile, most: int) -> int:
    """How many events of whole blocks fit; all of the first block in any case."""
    shown = 0
    for index in range(1, len(profile.events) + 1):
        ends = index == len(profile.events) or (
            (profile.events[index].task, profile.events[index].block)
            != (profile.events[index - 1].task, profile.events[index - 1].block)
        )
        if not ends:
            continue
        if index > most and shown:
            break
        shown = index
    return shown


#: The least share of the critical path whose part of the bar has room for its name.
_LABELLED = 0.09


def _binding(profile: Profile) -> str:
    return "".join(
        f'<span class="share k-{kind}" style="flex-grow:{share:.5f}" '
        f'title="{kind}: {100 * share:.1f} % of the critical path">'
        f"{f'{kind} {100 * share:.1f}&#8239;%' if share >= _LABELLED else ''}</span>"
        for kind, share in profile.binding.items()
    )


def _shares(profile: Profile) -> str:
    return ", ".join(f"{kind} {100 * share:.1f}&#8239;%" for kind, share in profile.binding.items())


def _pipes(profile: Profile) -> str:
    return "".join(
        f'<span class="pipe"><i class="p-{pipe}"></i>{pipe} '
        f"<b>{100 * share:.1f}&#8239;%</b> busy</span>"
        for pipe, share in profile.utilisation.items()
    )


def _source(profile: Profile) -> str:
    """Each file as a table: line, cycles, a bar, the text."""
    most = max(profile.line_cycles.values(), default=1)
    parts = []
    for number, (file, lines) in enumerate(profile.sources.items()):
        parts.append(f"<h2>{html.escape(file)}: busy cycles of each line</h2><table>")
        before = None
        for line, text in lines.items():
            if before is not None and line != before + 1:
                parts.append('<tr class="gap"><td colspan="4">…</td></tr>')
            before = line
            cycles = profile.line_cycles.get((file, line), 0)
            width = max(1, round(100 * cycles / most)) if cycles else 0
            parts.append(
                f'<tr id="f{number}l{line}"{" class=used" if cycles else ""}>'
                f"<td>{line}</td><td>{f'{cycles:,}' if cycles else ''}</td>"
                f'<td><i style="width:{width}%"></i></td>'
                f"<td>{html.escape(text) or ' '}</td></tr>"
            )
        parts.append("</table>")
    return "\n".join(parts)


def _data(profile: Profile, shown: int) -> dict:
    files = {file: number for number, file in enumerate(profile.sources)}
    operations = list(dict.fromkeys(event.operation for event in profile.events[:shown]))
    numbers = {operation: number for number, operation in enumerate(operations)}
    rows = {}
    for core in _cores(profile):
        for pipe in PIPES:
            if (core, pipe) in profile.busy:
                rows[core, pipe] = len(rows)
    critical = {id(step.event) for step in profile.critical_path if step.event is not None}
    return {
        "cycles": profile.cycles,
        "clock": profile.clock_mhz,
        "rows": list(rows),
        "operations": [
            [str(o), o.place, f"f{files[o.file]}l{o.line}" if o.file in files else ""]
            for o in operations
        ],
        "tasks": [task.kernel for task in profile.tasks],
        "events": [
            [
                numbers[e.operation],
                rows[e.core, e.pipe],
                e.start,
                e.end,
                int(id(e) in critical),
                e.task,
                e.block,
                e.wait,
            ]
            for e in profile.events[:shown]
        ],
        "flows": [flow for flow in profile.flows if max(flow) < shown],
    }
