# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Task graphs as SVG: layers from top to bottom, each task below those that it waits
for. An edge that passes layers has a point in each of them, so that it goes between
the boxes; points and boxes of a layer are sorted towards their neighbours."""

from __future__ import annotations

import collections
import dataclasses
from html import escape

_CHAR, _LINE, _PAD = 7.2, 16, 10
_GAP, _LAYER_GAP, _MARGIN = 26, 62, 24


@dataclasses.dataclass
class _Node:
    """A box, or a point of an edge."""

    task: object | None
    width: float
    height: float
    layer: int
    above: list[_Node] = dataclasses.field(default_factory=list)
    below: list[_Node] = dataclasses.field(default_factory=list)
    x: float = 0.0  # the middle
    y: float = 0.0  # the top


class _Layout:
    def __init__(self, entry):
        self.layers: list[list[_Node]] = []
        self.edges: list[tuple[list[_Node], str]] = []  # through its points; the reason
        boxes = {}
        for depth, tasks in enumerate(entry.layers):
            self.layers.append([])
            for task in tasks:
                lines = [task.title, *task.details]
                width = max(map(len, lines)) * _CHAR + 2 * _PAD
                node = _Node(task, width, len(lines) * _LINE + 2 * _PAD - 4, depth)
                boxes[task.number] = node
                self.layers[-1].append(node)
        for task in entry.tasks:
            for other, reason in task.waits.items():
                self._connect(boxes[other], boxes[task.number], reason)
        self._sort()
        self._place()

    def _connect(self, first: _Node, last: _Node, reason: str) -> None:
        path = [first]
        for layer in range(first.layer + 1, last.layer):
            path.append(_Node(None, 8, 0, layer))
            self.layers[layer].append(path[-1])
        path.append(last)
        for upper, lower in zip(path, path[1:], strict=False):
            upper.below.append(lower)
            lower.above.append(upper)
        self.edges.append((path, reason))

    def _sort(self) -> None:
        """The middle of the neighbours, down and up a few times."""
        for turn in range(8):
            down = turn % 2 == 0
            for layer in self.layers if down else reversed(self.layers):
                order = {id(n): i for each in self.layers for i, n in enumerate(each)}

                def middle(node, order=order, down=down):
                    near = node.above if down else node.below
                    if not near:
                        return order[id(node)]
                    return sum(order[id(other)] for other in near) / len(near)

                layer.sort(key=middle)

    def _place(self) -> None:
        named = collections.Counter(id(path[-1]) for path, reason in self.edges if reason)
        y = 0.0
        for depth, layer in enumerate(self.layers):
            x = 0.0
            for node in layer:
                node.x, node.y = x + node.width / 2, y
                x += node.width + _GAP
            height = max((node.height for node in layer), default=0)
            for node in layer:
                node.height = node.height if node.task else height
            # Room for the names at the edges into the next layer.
            following = self.layers[depth + 1 : depth + 2]
            names = max((named[id(node)] for each in following for node in each), default=0)
            y += height + _LAYER_GAP + 14 * max(0, names - 1)
        for turn in range(12):
            for layer in self.layers if turn % 2 == 0 else reversed(self.layers):
                self._pull(layer)
        left = min((n.x - n.width / 2 for layer in self.layers for n in layer), default=0)
        for layer in self.layers:
            for node in layer:
                node.x -= left
        self.width = max((n.x + n.width / 2 for layer in self.layers for n in layer), default=0)
        self.height = max(0.0, y - _LAYER_GAP)

    @staticmethod
    def _pull(layer: list[_Node]) -> None:
        """Each node towards its neighbours, without passing the ones beside it."""
        wanted = []
        for node in layer:
            near = node.above + node.below
            wanted.append(sum(other.x for other in near) / len(near) if near else node.x)
        for index, (node, x) in enumerate(zip(layer, wanted, strict=True)):
            if index:
                before = layer[index - 1]
                x = max(x, before.x + before.width / 2 + _GAP + node.width / 2)
            node.x = x
        for index in range(len(layer) - 2, -1, -1):
            node, after = layer[index], layer[index + 1]
            most = after.x - after.width / 2 - _GAP - node.width / 2
            node.x = min(max(node.x, wanted[index]), most)


def _port(node: _Node, edges: list, path: list[_Node], side: float) -> float:
    """Where an edge meets a box: they share its width, in the order of their far ends."""
    if node.task is None or len(edges) == 1:
        return node.x
    far = 1 if side else -2
    order = sorted(edges, key=lambda edge: edge[0][far].x)
    place = next(index for index, edge in enumerate(order) if edge[0] is path)
    room = min(node.width - 16, 46 * (len(edges) - 1))
    return node.x + room * (place / (len(edges) - 1) - 0.5)


def _curve(points: list[tuple[float, float]]) -> str:
    data = f"M {points[0][0]:.1f} {points[0][1]:.1f}"
    for (x0, y0), (x1, y1) in zip(points, points[1:], strict=False):
        half = (y1 - y0) / 2
        data += f" C {x0:.1f} {y0 + half:.1f} {x1:.1f} {y1 - half:.1f} {x1:.1f} {y1:.1f}"
    return data


def _edges(layout: _Layout) -> list[str]:
    """The edges, and on top of them the arrays that are their reasons: those of one
    box below each other."""
    parts, labels = [], []
    into: dict[int, list] = {}
    out: dict[int, list] = {}
    for edge in layout.edges:
        out.setdefault(id(edge[0][0]), []).append(edge)
        into.setdefault(id(edge[0][-1]), []).append(edge)
    for path, reason in layout.edges:
        first, last = path[0], path[-1]
        points = [(_port(first, out[id(first)], path, 1), first.y + first.height)]
        for node in path[1:-1]:
            points += [(node.x, node.y), (node.x, node.y + node.height)]
        points.append((_port(last, into[id(last)], path, 0), last.y - 3))
        parts.append(f'<path class="edge" d="{_curve(points)}"/>')
        if reason:
            named = [edge for edge in into[id(last)] if edge[1]]
            place = next(index for index, edge in enumerate(named) if edge[0] is path)
            share = (place + 1) / (len(named) + 1)
            labels.append(_label(points[-2:], share, reason))
    return parts + labels


def _label(points, share: float, reason: str) -> str:
    """At a share of the way down the curve."""
    (x0, y0), (x1, y1) = points
    bend = share * share * (3 - 2 * share)  # of a curve that begins and ends vertically
    x, y = x0 + (x1 - x0) * bend, y0 + (y1 - y0) * (1.5 * share * (1 - share) + share**3)
    return f'<text class="why" x="{x:.1f}" y="{y + 4:.1f}">{escape(reason)}</text>'


def _box(node: _Node) -> list[str]:
    x, y = node.x - node.width / 2, node.y
    task = node.task
    kind = "task open" if task.open else "task"
    parts = [f"<g><title>{escape(task.place or task.title)}</title>"]
    parts.append(
        f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{node.width:.1f}" '
        f'height="{node.height:.1f}" rx="4"/>'
    )
    for index, line in enumerate([task.title, *task.details]):
        shade = "name" if index == 0 else "detail"
        parts.append(
            f'<text class="{shade}" x="{node.x:.1f}" y="{y + _PAD + 9 + index * _LINE:.1f}">'
            f"{escape(line)}</text>"
        )
    return [*parts, "</g>"]


_STYLE = """
text { font: 12px Menlo, Consolas, monospace; text-anchor: middle; fill: #1b1f24; }
text.head { font-weight: bold; text-anchor: start; }
text.remark { text-anchor: start; fill: #57606a; }
text.name { font-weight: bold; }
text.detail { fill: #57606a; }
text.why { font-size: 11px; fill: #0550ae; stroke: #fff; stroke-width: 3px; paint-order: stroke; }
rect.back { fill: #fff; }
rect.task { fill: #f6f8fa; stroke: #57606a; }
rect.open { stroke-dasharray: 5 3; }
path.edge { fill: none; stroke: #57606a; stroke-width: 1.3; marker-end: url(#head); }
"""


def draw(entries) -> str:
    body: list[str] = []
    top, width = float(_MARGIN), 0.0
    for entry in entries:
        layout = _Layout(entry)
        count = len(entry.tasks)
        head = f"{entry.name}: {count} task{'' if count == 1 else 's'}, {entry.order}"
        body.append(f'<text class="head" x="{_MARGIN}" y="{top + 10:.1f}">{escape(head)}</text>')
        body.append(
            f'<text class="remark" x="{_MARGIN}" y="{top + 27:.1f}">{escape(entry.remark)}</text>'
        )
        body.append(f'<g transform="translate({_MARGIN} {top + 44:.1f})">')
        body += [part for layer in layout.layers for n in layer if n.task for part in _box(n)]
        body += [*_edges(layout), "</g>"]
        top += layout.height + 44 + 2 * _MARGIN
        words = max(len(head), len(entry.remark)) * _CHAR
        width = max(width, layout.width, words)
    width += 2 * _MARGIN
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{top:.0f}" '
            f'viewBox="0 0 {width:.0f} {top:.0f}">',
            f"<style>{_STYLE}</style>",
            '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" '
            'markerHeight="8" orient="auto"><path d="M 0 0 L 8 4 L 0 8 z" fill="#57606a"/>'
            "</marker></defs>",
            '<rect class="back" width="100%" height="100%"/>',
            *body,
            "</svg>",
            "",
        ]
    )
