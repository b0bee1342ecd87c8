# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What stands for values that have not been looked at, while a run is followed."""

from __future__ import annotations


class GiveUp(BaseException):
    """The rest of a run cannot be followed."""


class Unseen:
    """The value of one field, not looked at."""

    __slots__ = ("field",)

    def __init__(self, field: int):
        self.field = field


class Pack:
    """A tuple with an unseen element."""

    __slots__ = ("items",)

    def __init__(self, items: tuple):
        self.items = items


class Stream:
    """An iterator whose items may be unseen."""

    __slots__ = ("items",)

    def __init__(self, items):
        self.items = iter(items)


LAZY = (Unseen, Pack, Stream)


def pack(items) -> tuple | Pack:
    items = tuple(items)
    return Pack(items) if any(type(item) in LAZY for item in items) else items


class Trie:
    """The tuples in a container, for a membership test that looks at no more elements than
    it takes to know."""

    _CONTAINERS = (set, frozenset, dict, tuple, list)
    _ELEMENTS = (int, bool, str, bytes, float, type(None))

    def __init__(self, container):
        self.roots: dict[int, dict] = {}
        for item in container:
            if type(item) is tuple:
                node = self.roots.setdefault(len(item), {})
                for element in item:
                    node = node.setdefault(element, {})

    @staticmethod
    def of(container, known: dict) -> Trie | None:
        """None if the elements are such that Python has to compare them. `known`: those of
        one search, by the identity of the container, which is kept with its size then."""
        if type(container) not in Trie._CONTAINERS:
            return None
        found = known.get(id(container))
        if found is None or found[1] != len(container):
            made = Trie(container) if Trie._holds_plain(container) else None
            found = known[id(container)] = (container, len(container), made)
            if len(known) > 64:
                known.pop(next(iter(known)))
        return found[2]

    @staticmethod
    def _holds_plain(container) -> bool:
        plain = Trie._ELEMENTS
        return all(
            type(item) in plain
            or (type(item) is tuple and all(type(element) in plain for element in item))
            for item in container
        )

    def holds(self, follower, items: tuple) -> bool:
        node = self.roots.get(len(items))
        for item in items:
            if not node:
                return False
            if type(item) is Pack:
                return False  # no element of these tuples is a tuple
            node = node.get(follower.force(item))
        return node is not None
