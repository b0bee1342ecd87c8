# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""A memory map as a page: for each space of a kernel, addresses over time."""

from __future__ import annotations

import os
from html import escape

from ..diagnostics.render import source_line
from .memory import Allocation, Kernel, Loop, MemoryMap, Space, size

# Told apart by eyes of all kinds, and dark enough for white letters.
_COLORS = (
    "#0072b2", "#b2560d", "#00785a", "#a04a80", "#5a6b00",
    "#3d5a98", "#a83232", "#4b7f8c", "#7a5230", "#6a4fa3",
)  # fmt: skip
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _LOOP, _BELOW = 1080, 300, 70, 12, 18, 40

_STYLE = """
body { font: 14px/1.45 system-ui, sans-serif; margin: 24px; color: #1b1f24; background: #fff; }
h1 { font-size: 20px; } h2 { font-size: 17px; margin: 28px 0 4px; }
h3 { font-size: 14px; margin: 18px 0 4px; font-weight: 600; }
.place { color: #57606a; font-weight: normal; }
table { border-collapse: collapse; margin: 8px 0 20px; font-size: 13px; }
th { text-align: left; border-bottom: 1px solid #8c959f; padding: 2px 12px 2px 0; }
td { border-bottom: 1px solid #e6e9ec; padding: 2px 12px 2px 0; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
code { font: 12px ui-monospace, monospace; white-space: pre; }
.swatch { display: inline-block; width: 11px; height: 11px; margin-right: 6px; border-radius: 2px; }
.meter { width: 300px; height: 10px; background: #e6e9ec; border-radius: 3px; margin: 4px 0 8px; }
.meter div { height: 10px; background: #0072b2; border-radius: 3px; }
svg { overflow-x: auto; display: block; } svg text { font: 11px system-ui, sans-serif; }
"""


def page(memory: MemoryMap) -> str:
    body = "".join(_kernel(kernel) for kernel in memory.kernels)
    empty = "<p>No kernel has a tile on chip.</p>" if not memory.kernels else ""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Memory map</title>'
        f"<style>{_STYLE}</style></head><body><h1>Memory map</h1>"
        "<p>Addresses over time. Time is the order of the instructions in a kernel's text; a loop "
        f"runs through its part again and again.</p>{empty}{body}</body></html>\n"
    )


def _place(file: str | None, line: int) -> str:
    return f"{os.path.basename(file)}:{line}" if file else ""


def _kernel(kernel: Kernel) -> str:
    place = f'<span class="place">{escape(_place(kernel.file, kernel.line))}</span>'
    colors = _colors(kernel)
    spaces = "".join(_space(kernel, space, colors) for space in kernel.spaces)
    return f"<h2>{escape(kernel.name)} {place}</h2>{spaces}"


def _owner(allocation: Allocation) -> tuple:
    return allocation.name.partition("[")[0], allocation.line, allocation.type


def _colors(kernel: Kernel) -> dict[tuple, str]:
    """A colour for each allocation; its slots share it."""
    owners = dict.fromkeys(_owner(a) for space in kernel.spaces for a in space.allocations)
    return {owner: _COLORS[number % len(_COLORS)] for number, owner in enumerate(owners)}


def _space(kernel: Kernel, space: Space, colors: dict[tuple, str]) -> str:
    share = min(100.0, 100 * space.peak / space.capacity)
    return (
        f"<h3>{escape(str(space))}</h3>"
        f'<div class="meter"><div style="width:{share:.1f}%"></div></div>'
        f"{_plot(kernel, space, colors)}{_table(space, colors)}"
    )


class _Axes:
    """Where columns and addresses are on the page."""

    def __init__(self, kernel: Kernel, space: Space):
        self.count = max(1, len(kernel.instructions))
        # A column is wide enough to be seen; a long kernel scrolls.
        self.step = max(6.0, (_WIDTH - _LEFT - _RIGHT) / self.count)
        self.rows = _loop_rows(kernel, self.step)
        self.top = _LOOP * (max(self.rows, default=-1) + 1) + 8
        self.reach = max(1, space.peak)
        self.width = _LEFT + self.step * self.count + _RIGHT
        self.bottom = self.top + _HEIGHT

    def x(self, column: float) -> float:
        return _LEFT + self.step * column

    def y(self, address: int) -> float:
        return self.bottom - _HEIGHT * address / self.reach


def _loop_label(loop: Loop) -> str:
    return f"for {loop.name}, line {loop.line}" if loop.name else f"loop, line {loop.line}"


def _loop_rows(kernel: Kernel, step: float) -> list[int]:
    """The row of each loop: inner ones below, and none over another one's words."""
    rows: list[int] = []
    ends: list[float] = []
    for loop in kernel.loops:
        begin, end = loop.first * step, (loop.last + 1) * step
        row = 0
        while row < len(ends) and ends[row] > begin:
            row += 1
        ends[row:] = [max(end, begin + 6.4 * len(_loop_label(loop)) + 16)]
        rows.append(row)
    return rows


def _plot(kernel: Kernel, space: Space, colors: dict[tuple, str]) -> str:
    axes = _Axes(kernel, space)
    parts = [_addresses(axes), *_loops(kernel, axes), *_lines(kernel, axes)]
    for allocation in space.allocations:
        parts += _boxes(allocation, colors[_owner(allocation)], axes)
    height = axes.bottom + _BELOW
    return (
        f'<div style="overflow-x:auto"><svg width="{axes.width:.0f}" height="{height:.0f}" '
        f'role="img" aria-label="{escape(space.space.name)} of {escape(kernel.name)}">'
        f"{''.join(parts)}</svg></div>"
    )


def _addresses(axes: _Axes) -> str:
    parts = []
    for quarter in range(5):
        address = axes.reach * quarter // 4
        y = axes.y(address)
        parts.append(
            f'<line x1="{_LEFT}" x2="{axes.width - _RIGHT:.1f}" y1="{y:.1f}" y2="{y:.1f}" '
            f'stroke="#d0d7de"/><text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end" '
            f'fill="#57606a">{size(address)}</text>'
        )
    return "".join(parts)


def _loops(kernel: Kernel, axes: _Axes) -> list[str]:
    parts = []
    for row, loop in zip(axes.rows, kernel.loops, strict=True):
        x, end = axes.x(loop.first), axes.x(loop.last + 1)
        y = 4 + _LOOP * row
        label = escape(_loop_label(loop))
        parts.append(
            f'<path d="M{x:.1f},{y + 10} V{y} H{end:.1f} V{y + 4}" fill="none" stroke="#57606a"/>'
            f'<text x="{x + 5:.1f}" y="{y + 13}" fill="#1b1f24">{label}</text>'
        )
    return parts


def _lines(kernel: Kernel, axes: _Axes) -> list[str]:
    """The source lines below, one band for each run of instructions of a line."""
    parts, begin, free = [], 0, 0.0
    instructions = kernel.instructions
    for index in range(1, len(instructions) + 1):
        if index < len(instructions) and instructions[index].line == instructions[begin].line:
            continue
        first = instructions[begin]
        words = ", ".join(dict.fromkeys(i.word for i in instructions[begin:index]))
        source = source_line(first.file, first.line).strip() if first.file else ""
        x, end = axes.x(begin), axes.x(index)
        hint = escape(f"line {first.line}: {source}\n{words}")
        label = f"{first.line}"
        parts.append(
            f'<g><title>{hint}</title><rect x="{x:.1f}" y="{axes.bottom + 4}" '
            f'width="{max(1.0, end - x - 1):.1f}" height="6" fill="#8c959f"/>'
        )
        if x >= free:
            parts.append(f'<text x="{x:.1f}" y="{axes.bottom + 24}" fill="#57606a">{label}</text>')
            free = x + 7 * len(label) + 6
        parts.append("</g>")
        begin = index
    parts.append(f'<text x="6" y="{axes.bottom + 24}" fill="#57606a">line</text>')
    return parts


def _boxes(allocation: Allocation, color: str, axes: _Axes) -> list[str]:
    parts = []
    y = axes.y(allocation.end)
    height = max(2.0, axes.y(allocation.begin) - y)
    hint = escape(_hint(allocation))
    for first, last in allocation.stretches:
        x, width = axes.x(first), axes.step * (last + 1 - first)
        parts.append(
            f'<g><title>{hint}</title><rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
            f'height="{height:.1f}" fill="{color}" fill-opacity="0.88" stroke="#fff"/>'
        )
        text = f"{allocation.name} {size(allocation.bytes)}"
        fits = [each for each in (text, allocation.name) if 6.6 * len(each) + 6 <= width]
        if fits and height >= 13:
            parts.append(
                f'<text x="{x + 4:.1f}" y="{y + height / 2 + 4:.1f}" fill="#fff">'
                f"{escape(fits[0])}</text>"
            )
        parts.append("</g>")
    return parts


def _hint(allocation: Allocation) -> str:
    lines = [
        f"{allocation.name}  {allocation.type}",
        f"0x{allocation.begin:x} to 0x{allocation.end:x}, {size(allocation.bytes)}",
        _place(allocation.file, allocation.line),
        allocation.reason,
    ]
    return "\n".join(line for line in lines if line)


def _table(space: Space, colors: dict[tuple, str]) -> str:
    rows = []
    for a in space.allocations:
        source = source_line(a.file, a.line).strip() if a.file else ""
        swatch = f'<span class="swatch" style="background:{colors[_owner(a)]}"></span>'
        why = f'<br><span class="place">{escape(a.reason)}</span>' if a.reason else ""
        rows.append(
            f"<tr><td>{swatch}{escape(a.name)}{why}</td><td>{escape(a.type)}</td>"
            f'<td class="number">{size(a.bytes)}</td>'
            f'<td class="number">0x{a.begin:05x}..0x{a.end:05x}</td>'
            f"<td>{escape(_place(a.file, a.line))}</td><td><code>{escape(source)}</code></td></tr>"
        )
    head = "".join(f"<th>{word}</th>" for word in ("tile", "type", "size", "bytes", "line", ""))
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>"
