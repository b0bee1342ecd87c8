# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Which names of a function may still be read: what loops carry and branches give."""

from __future__ import annotations

import ast
import dataclasses

from ..builder import loads, stores


@dataclasses.dataclass
class _Targets:
    """What is live where break and continue go to."""

    after: set[str] | None = None
    head: set[str] | None = None


class Liveness:
    """`after[statement]`: the names that may be read after it; `head[loop]`: those that may
    be read from the beginning of its next iteration on, or after it."""

    def __init__(self, tree: ast.FunctionDef):
        self.after: dict[ast.stmt, set[str]] = {}
        self.head: dict[ast.stmt, set[str]] = {}
        self._block(tree.body, set(), _Targets())

    def _block(self, statements: list[ast.stmt], live: set[str], targets: _Targets) -> set[str]:
        """What is live in front of the statements, of what is live behind them."""
        for node in reversed(statements):
            self.after[node] = live
            live = self._before(node, live, targets)
        return live

    def _before(self, node: ast.stmt, live: set[str], targets: _Targets) -> set[str]:
        if isinstance(node, ast.If):
            arms = (self._block(arm, live, targets) for arm in (node.body, node.orelse))
            return loads(node.test).union(*arms)
        if isinstance(node, (ast.For, ast.While)):
            return self._loop(node, live)
        if isinstance(node, ast.With):
            inner = self._block(node.body, live, targets)
            return inner.union(*(loads(item.context_expr) for item in node.items))
        if isinstance(node, ast.Break):
            return targets.after or set()
        if isinstance(node, ast.Continue):
            return targets.head or set()
        if isinstance(node, ast.Return):
            return loads(node)
        return loads(node) | (live - stores(node))

    def _loop(self, node, live: set[str]) -> set[str]:
        is_for = isinstance(node, ast.For)
        head = live if is_for else live | loads(node.test)
        while True:
            body = self._block(node.body, head, _Targets(live, head))
            if is_for:
                body = body - stores(node.target)
            if body <= head:
                break
            head = head | body
        self.head[node] = head
        return head | (loads(node.iter) if is_for else set())


def stored(statements: list[ast.stmt]) -> dict[str, None]:
    """The names that the statements bind, in the order of the text."""
    found: dict[str, None] = {}
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found[node.id] = None
    return found
