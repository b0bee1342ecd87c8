# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""All valid keys of a key class, without asking `is_valid` about each combination.

A run of `is_valid` is followed (looking.py), which tells the fields whose values decided it.
Every other combination with the same values there has the same answer: a function that looks
at nothing else cannot tell them apart. So the runs form a tree: a node holds the values of the
fields looked at first, its children are the values of the field looked at next. A leaf is a box
of combinations, accepted or not as one. Small nodes, and what cannot be followed, are asked
combination by combination, as the plain product would be.
"""

from __future__ import annotations

import itertools
import math

from pypto.diagnostics.errors import Diagnostic

from .errors import DeclarationError, note
from .looking import Looking
from .progress import Progress

MOST_CALLS = 200_000_000
MOST_KEYS = 1_000_000
# To follow a run costs about as much as this many plain calls.
SMALL = 256
# How many plain calls are made between two looks at the clock.
CHUNK = 1 << 16


def name_key(error: BaseException, schema, values: tuple) -> None:
    """Notes on what `is_valid` raised which key it was asked about."""
    error.add_note(f"raised by {schema.name}.is_valid for the tilingkey {schema.as_dict(values)}")


def check_count(schema, count: int, most_keys: int) -> None:
    if count <= most_keys:
        return
    found = at_class(
        schema,
        f"tiling_key class '{schema.name}' has {count:,} valid keys or more, above the limit of "
        f"{most_keys:,}; every key is an instance of the kernel",
    )
    found.notes.append(
        note("tighten 'values', reject combinations in is_valid, or pass a larger most_keys=")
    )
    raise DeclarationError([found])


def at_class(schema, message: str) -> Diagnostic:
    """A diagnostic at `is_valid`, or at the first field."""
    function = getattr(schema.is_valid, "__func__", schema.is_valid)
    code = getattr(function, "__code__", None)
    if code is None:
        return schema.fields[0].declared.diagnostic(message)
    return Diagnostic(message, code.co_filename, code.co_firstlineno, 1)


def find_valid(schema, most_keys: int = MOST_KEYS, most_calls: int = MOST_CALLS) -> list[tuple]:
    """The valid keys in the order of the product, last field fastest, as plain ints."""
    if schema.is_valid is None:
        check_count(schema, math.prod(len(field.values) for field in schema.fields), most_keys)
        return list(itertools.product(*(map(int, field.values) for field in schema.fields)))
    return Search(schema, most_keys, most_calls).run()


class Search:
    """One search. `calls` counts plain calls, `followed` the runs that were followed."""

    def __init__(self, schema, most_keys: int, most_calls: int, small: int = SMALL):
        self.schema = schema
        self.is_valid = schema.is_valid
        self.values = [field.values for field in schema.fields]
        self.total = math.prod(map(len, self.values))
        self.most_keys, self.most_calls, self.small = most_keys, most_calls, small
        self.distrusted = False
        self.looking = Looking(self.is_valid, self.values)
        self._begin()

    def _begin(self) -> None:
        self.calls = self.followed = self.decided = self.count = 0
        self.gave_up: str | None = None
        # For each box of valid keys, the indices of each field's values in it.
        self.boxes: list[tuple[tuple[int, ...], ...]] = []

    def run(self) -> list[tuple]:
        with Progress(f"valid keys of {self.schema.name}") as self.progress:
            try:
                self._search()
            except _Untrue:
                # The follower and Python disagree about one run: nothing it said counts.
                self.distrusted = True
                self._begin()
                self._ask_all({})
        return self._ordered()

    def _tell(self) -> None:
        asked = self.calls + self.followed
        text = f"of {self.total:,} combinations, {asked:,} calls, {self.count:,} valid"
        self.progress.tell(self.decided / self.total, text)

    # The tree.

    def _search(self) -> None:
        nodes: list[dict[int, int]] = [{}]
        while nodes:
            node = nodes.pop()
            if self._volume(node) <= self.small or self.looking.impossible:
                self._ask_all(node)
            else:
                nodes += reversed(self._split(node))

    def _volume(self, node: dict[int, int]) -> int:
        return self.total // math.prod(len(self.values[field]) for field in node)

    def _split(self, node: dict[int, int]) -> list[dict[int, int]]:
        """Follows one run of a node: its leaf is decided, the others of the way are returned."""
        indices = [node.get(field, 0) for field in range(len(self.values))]
        key = tuple(values[index] for values, index in zip(self.values, indices, strict=True))
        self.followed += 1
        run = self.looking.follow(key)
        way = list(run.seen)
        if way[: len(node)] != list(node):
            raise _Untrue  # the same values led another way
        leaf = {field: indices[field] for field in way}
        if run.gave_up:
            self.gave_up = run.gave_up
            self._ask_all(leaf)
        else:
            self._decide(leaf, key, run)
        found, begin = [], dict(node)
        for field in way[len(node) :]:
            others = range(1, len(self.values[field]))
            found += [{**begin, field: index} for index in others]
            begin[field] = 0
        self._tell()
        return found

    def _decide(self, leaf: dict[int, int], key: tuple, run) -> None:
        if self._ask(key) != run.accepted:
            raise _Untrue
        volume = self._volume(leaf)
        self.decided += volume
        if run.accepted:
            box = tuple(
                (leaf[field],) if field in leaf else tuple(range(len(values)))
                for field, values in enumerate(self.values)
            )
            self._accept(box, volume)

    def _accept(self, box: tuple, volume: int) -> None:
        self.boxes.append(box)
        self.count += volume
        check_count(self.schema, self.count, self.most_keys)

    # Plain calls.

    def _ask(self, key: tuple) -> bool:
        self._spend(1)
        try:
            return bool(self.is_valid(key))
        except Exception as error:
            name_key(error, self.schema, key)
            raise

    def _ask_all(self, node: dict[int, int]) -> None:
        """Asks about every combination of a node."""
        rows = [
            (values[node[field]],) if field in node else values
            for field, values in enumerate(self.values)
        ]
        volume = self._volume(node)
        if volume > self.most_calls - self.calls:
            self._too_many()
        keys = itertools.product(*rows)
        for begin in range(0, volume, CHUNK):
            size = min(CHUNK, volume - begin)
            self._spend(size)
            self._ask_each(itertools.islice(keys, size))
            self.decided += size
            self._tell()

    def _ask_each(self, keys) -> None:
        is_valid, key, accepted = self.is_valid, None, []
        try:
            for key in keys:
                if is_valid(key):
                    accepted.append(key)
        except Exception as error:
            name_key(error, self.schema, key)
            raise
        fields = self.schema.fields
        for key in accepted:
            self.boxes.append(tuple((field.index[v],) for field, v in zip(fields, key)))  # noqa: B905
        self.count += len(accepted)
        check_count(self.schema, self.count, self.most_keys)

    def _spend(self, calls: int) -> None:
        self.calls += calls
        if self.calls > self.most_calls:
            self._too_many()

    def _too_many(self) -> None:
        left = self.total - self.decided
        found = at_class(
            self.schema,
            f"tiling_key class '{self.schema.name}' has {self.total:,} combinations, of which "
            f"{left:,} are not decided within the limit of {self.most_calls:,} calls of is_valid",
        )
        if reason := self.looking.impossible or self.gave_up:
            text = f"what it looks at cannot be followed everywhere ({reason})"
            found.notes.append(note(f"{text}, and there every combination is a call"))
        found.notes.append(
            note(
                "tighten 'values', write is_valid so that a few fields decide early, or pass a "
                "larger most_calls="
            )
        )
        raise DeclarationError([found])

    def _ordered(self) -> list[tuple]:
        found = [key for box in self.boxes for key in itertools.product(*box)]
        found.sort()
        numbers = [tuple(map(int, values)) for values in self.values]
        return [tuple(map(tuple.__getitem__, numbers, key)) for key in found]


class _Untrue(Exception):
    """What the follower said of a run is not what Python does."""
