# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""How many bytes of each space a final module needs at least, from its text alone.

Loops are unrolled and each element of each allocation is followed backwards: it
is live from the write that makes it to the last read. An allocation counts in
full while any element of it is live. Addresses do not change, so an instruction
in a loop needs what is live beside it in any iteration. Both arms of a branch
count, and a loop that runs never counts as one that may run, as the compiler
keeps room for them.
Shares no code and no method with lib/Transforms/BufferLiveness.cpp.
"""

import dataclasses
import re

import numpy as np

BYTES = {"f32": 4, "i32": 4, "f16": 2, "bf16": 2, "i16": 2, "i8": 1}
BLOCK = 32  # bytes; what every address is a multiple of

FUNC = re.compile(r"func\.func @(\w+)\(")
ALLOC = re.compile(r"(%\w+) = pto\.tile\.alloc.*: !pto\.buf<(\d+)x(\d+)x(\w+), (\w+)(.*)>$")
VIEW = re.compile(r"(%\w+) = pto\.tile\.subview (%\w+) ?\[([^\]]*)\] \[([^\]]*)\]")
SLOT = re.compile(r"(%\w+) = pto\.tile\.slot (%\w+)")
INSTRUCTION = re.compile(r"pto\.tile\.(\w+) ins\((.*)\) outs\((.*?) :")
FOR = re.compile(r"scf\.for (%\w+) = (%\w+) to (%\w+) step (%\w+)(.*)\{")
CONSTANT = re.compile(r"(%\w+) = arith\.constant (-?\d+) : ")
ARITH = re.compile(r"(%\w+) = arith\.(\w+) (%\w+), (%\w+)")
FUNCTIONS = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "minsi": min,
    "maxsi": max,
}
# May write over what they read: they work element by element.
IN_PLACE = {
    "add", "sub", "mul", "div", "maximum", "minimum", "max", "min", "exp", "sqrt", "rsqrt", "neg",
    "abs", "relu", "cast", "row_expand_sub", "row_expand_mul", "row_expand_div",
    "row_expand_add", "row_expand_max", "row_expand_min", "col_expand_add", "col_expand_sub",
    "col_expand_mul", "col_expand_div", "col_expand_max", "col_expand_min", "log", "recip",
    "lrelu", "not", "and", "or", "shl", "shr", "move",
}  # fmt: skip


@dataclasses.dataclass(eq=False)
class Allocation:
    space: str
    shape: tuple
    element: int
    slots: int

    @property
    def bytes(self):
        size = self.shape[0] * self.shape[1] * self.element
        return -(-size // BLOCK) * BLOCK * self.slots


@dataclasses.dataclass(frozen=True)
class Window:
    allocation: Allocation
    place: tuple | None  # slices; None: somewhere in it, as a slot is chosen at run time


@dataclasses.dataclass
class Step:
    line: int
    name: str
    reads: list
    writes: list


@dataclasses.dataclass
class Either:
    """One of two stretches of code; the second may be empty."""

    arms: tuple


def lower_bounds(text, by_time=True):
    """{(function, space): bytes} of each kernel of a module.

    by_time: the most that is needed at one time. Else what fixed addresses need:
    three allocations of which each two are needed at once, though never all three,
    still lie beside one another.
    """
    found = {}
    lines = [line.strip() for line in text.split("\n")]
    for number, line in enumerate(lines):
        if (head := FUNC.match(line)) and "!pto.gm" in line:
            reader = Reader(lines, number + 1)
            bound = Bound()
            bound.walk(reader.block({}, {}), {})
            for space, size in (bound.peaks() if by_time else bound.cliques()).items():
                found[head[1], space] = size
    return found


class Reader:
    """Makes a list of steps of a function, with its loops unrolled."""

    def __init__(self, lines, position):
        self.lines, self.position = lines, position

    def block(self, buffers, numbers):
        """Reads up to the closing brace."""
        steps = []
        while not self.lines[self.position].startswith("}"):
            line = self.lines[self.position]
            self.position += 1
            if loop := FOR.search(line):
                self.loop(loop, steps, buffers, numbers)
            elif line.startswith("scf.if"):
                first = self.block(dict(buffers), dict(numbers))
                second = []
                if self.lines[self.position].startswith("} else {"):
                    self.position += 1
                    second = self.block(dict(buffers), dict(numbers))
                self.position += 1
                steps.append(Either((first, second)))
            elif not self.define(line, buffers, numbers) and (found := INSTRUCTION.search(line)):
                steps.append(self.step(self.position, found, buffers))
        return steps

    def loop(self, loop, steps, buffers, numbers):
        assert "iter_args" not in loop[5], "a loop that carries numbers"
        begin, end, step = (numbers[name] for name in loop.group(2, 3, 4))
        start = self.position
        # One that never runs is read once: the compiler keeps room for it.
        bodies = []
        for value in range(begin, end, step) or [begin]:
            self.position = start
            bodies.append(self.block(dict(buffers), {**numbers, loop[1]: value}))
        self.position += 1
        unrolled = [step for body in bodies for step in body]
        steps += unrolled if begin < end else [Either((unrolled, []))]

    def define(self, line, buffers, numbers):
        """Whether the line makes a buffer or a number; remembers it."""
        if found := ALLOC.match(line):
            rows, cols, element, space, rest = found.group(2, 3, 4, 5, 6)
            slots = re.search(r"slots<(\d+)>", rest)
            allocation = Allocation(
                space, (int(rows), int(cols)), BYTES[element], int(slots[1]) if slots else 1
            )
            whole = (slice(0, int(rows)), slice(0, int(cols)))
            buffers[found[1]] = Window(allocation, None if slots else whole)
        elif found := VIEW.match(line):
            buffers[found[1]] = self.view(buffers[found[2]], *found.group(3, 4), numbers)
        elif found := SLOT.match(line):
            buffers[found[1]] = buffers[found[2]]
        elif found := CONSTANT.match(line):
            numbers[found[1]] = int(found[2])
        elif (found := ARITH.match(line)) and found[2] in FUNCTIONS:
            operands = [numbers.get(name) for name in found.group(3, 4)]
            if None not in operands:
                numbers[found[1]] = FUNCTIONS[found[2]](*operands)
        else:
            return False
        return True

    @staticmethod
    def view(source, offsets, sizes, numbers):
        if source.place is None:
            return source

        def value(word):
            return numbers[word] if word.startswith("%") else int(word)

        place = []
        for old, offset, size in zip(
            source.place, offsets.split(", "), sizes.split(", "), strict=True
        ):
            begin = old.start + value(offset)
            place.append(slice(begin, begin + value(size)))
        return Window(source.allocation, tuple(place))

    @staticmethod
    def step(line, found, buffers):
        name, sources, destination = found.groups()
        names = re.findall(r"%\w+", sources.rpartition(" : ")[0])
        reads = [buffers[n] for n in names if n in buffers]
        writes = [buffers[n] for n in re.findall(r"%\w+", destination) if n in buffers]
        if name in ("load", "store"):
            names = [re.match(r"%\w+", part)[0] for part in (sources, destination)]
            reads, writes = ([buffers[n]] if n in buffers else [] for n in names)
        assert reads or writes, found[0]
        return Step(line, name, reads, writes)


class Bound:
    """Walks steps backwards with the elements that are live: {allocation: mask}."""

    def __init__(self):
        self.needed = {}  # line -> allocations
        self.shared = {}  # line -> (made, source): made may lie over the source

    def walk(self, steps, live):
        for step in reversed(steps):
            if isinstance(step, Either):
                arms = [self.walk(arm, {a: m.copy() for a, m in live.items()}) for arm in step.arms]
                live = arms[0]
                for allocation, mask in arms[1].items():
                    live[allocation] = live[allocation] | mask if allocation in live else mask
            else:
                self.step(step, live)
        return live

    def step(self, step, live):
        after = set(live)
        for window in step.writes:
            mask = live.get(window.allocation)
            if mask is not None and window.place is not None:
                mask[window.place] = False
                if not mask.any():
                    del live[window.allocation]
        for window in step.reads:
            mask = live.setdefault(window.allocation, np.zeros(window.allocation.shape, bool))
            mask[window.place if window.place is not None else ...] = True
        born = {w.allocation for w in step.writes} - set(live)
        dying = {w.allocation for w in step.reads} - after
        self.needed.setdefault(step.line, set()).update(after, live, born)
        shared = self.get_shared(step, born, dying)
        self.shared[step.line] = self.shared.get(step.line, shared) & shared

    @staticmethod
    def get_shared(step, born, dying):
        """What an instruction makes in the place of what dies there, if it may."""
        if step.name not in IN_PLACE or not born:
            return set()
        (made,) = born
        sources = (
            step.reads[:1] if step.name.startswith(("row_expand", "col_expand")) else step.reads
        )
        return {
            (made, window.allocation)
            for window in sources
            if window.allocation in dying
            and (window.allocation.shape, window.allocation.element) == (made.shape, made.element)
        }

    def may_share(self, pair):
        """Two allocations that are needed at once elsewhere never share their bytes."""
        return all(
            pair in self.shared[line] or pair[::-1] in self.shared[line]
            for line, allocations in self.needed.items()
            if allocations.issuperset(pair)
        )

    def peaks(self):
        """{space: bytes} of the lines that need most."""
        peaks = {}
        for line, allocations in self.needed.items():
            sums = {}
            over_others = {pair[0] for pair in self.shared[line] if self.may_share(pair)}
            for allocation in allocations - over_others:
                sums[allocation.space] = sums.get(allocation.space, 0) + allocation.bytes
            for space, size in sums.items():
                peaks[space] = max(peaks.get(space, 0), size)
        return peaks

    def cliques(self):
        """{space: bytes} of the largest sets of which each two are needed at once."""
        beside = {}
        for line, allocations in self.needed.items():
            free = {frozenset(pair) for pair in self.shared[line] if self.may_share(pair)}
            for a in allocations:
                others = {b for b in allocations if b.space == a.space and b is not a}
                beside.setdefault(a, set()).update(
                    b for b in others if frozenset((a, b)) not in free
                )
        sizes = {}
        for allocation in beside:
            space = allocation.space
            rest = {a for a in beside if a.space == space}
            if space not in sizes:
                sizes[space] = largest_clique(beside, rest, 0, 0)
        return sizes


def largest_clique(beside, rest, size, best):
    """The bytes of the largest clique in `rest`, each of it beside what `size` stands for."""
    rest = sorted(rest, key=lambda a: a.bytes)
    left = sum(a.bytes for a in rest)
    best = max(best, size)
    while rest and size + left > best:
        chosen = rest.pop()
        inside = [a for a in rest if a in beside[chosen]]
        best = largest_clique(beside, inside, size + chosen.bytes, best)
        left -= chosen.bytes
    return best
