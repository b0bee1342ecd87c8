# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Random kernels of scalars: what they compute is what Python computes from the same text."""

from __future__ import annotations

import random
import types

SIZE = 64
NAMES = ("a", "b", "c", "d")
HEAD = """import pypto_pro.language as pl


{helpers}


@pl.jit
def kernel(out: pl.Tensor[[64], pl.DT_INT64], n: pl.DT_INT64, m: pl.DT_INT64):
"""


class Writer:
    """Writes one program. Every loop is bounded, and every name has a value first."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.loops = 0
        self.counters = 0
        self.helpers = [self._helper(number) for number in range(2)]

    def text(self) -> str:
        body = ["s = pl.struct('S', x=1, y=n)", "at = 0"]
        body += [f"{name} = {self.random.randint(-3, 9)}" for name in NAMES]
        body += self.block(3, NAMES, False)
        body += [f"out[{SIZE - 1 - place}] = {name}" for place, name in enumerate(NAMES)]
        body += ["out[59] = s.x", "out[58] = s.y"]
        head = HEAD.format(helpers="\n\n\n".join(self.helpers))
        return head + "\n".join("    " + line for line in body) + "\n"

    def _helper(self, number: int) -> str:
        lines = [f"def helper{number}(p, q, r=2):", "    t = p"]
        lines += ["    " + line for line in self._helper_body()]
        return "\n".join([*lines, "    return t + q"])

    def _helper_body(self) -> list[str]:
        names = ("p", "q", "r", "t")
        limit = self.random.randint(1, 4)
        lines = [f"if {self.condition(names)}:", f"    return {self.value(1, names)}"]
        lines += [f"for z in pl.range({limit}):"]
        lines += [f"    t = t + {self.value(1, ('p', 'q', 'z'))} % 7"]
        if self.random.random() < 0.6:
            lines += [f"    if t > {self.random.randint(0, 12)}:", "        return t - z"]
        return lines

    # Expressions.

    def value(self, depth: int, names) -> str:
        choice = self.random.random()
        if depth == 0 or choice < 0.3:
            return self.random.choice([*names, str(self.random.randint(-4, 9))])
        left, right = self.value(depth - 1, names), self.value(depth - 1, names)
        if choice < 0.7:
            return f"({left} {self.random.choice('+-')} {right})"
        if choice < 0.78:
            return f"({left} % 11 * ({right} % 5))"
        if choice < 0.84:
            return f"({left} // {self.random.choice([-3, 2, 5])})"
        if choice < 0.92:
            return f"{self.random.choice(['min', 'max'])}({left}, {right})"
        return f"({left} if {self.condition(names)} else {right})"

    def condition(self, names) -> str:
        left, right = self.value(1, names), self.value(1, names)
        found = f"{left} {self.random.choice(['<', '<=', '>', '>=', '==', '!='])} {right}"
        choice = self.random.random()
        if choice < 0.15:
            return f"not {found}"
        if choice < 0.3:
            word = self.random.choice(["and", "or"])
            return f"{found} {word} {self.value(1, names)} > {self.random.randint(-2, 6)}"
        if choice < 0.4:
            return f"{left} in (1, 3, {right})"
        if choice < 0.45:
            return f"{left} not in pl.range(-1, 5, 2)"
        return found

    # Statements.

    def block(self, depth: int, names, in_loop: bool) -> list[str]:
        lines: list[str] = []
        for _ in range(self.random.randint(1, 4)):
            lines += self.statement(depth, names, in_loop)
        return lines or ["pass"]

    def statement(self, depth: int, names, in_loop: bool) -> list[str]:
        choice = self.random.random()
        own = self.random.choice(NAMES)
        if depth == 0 or choice < 0.3:
            return [f"{own} = {self.value(2, names)} % 1000"]
        if choice < 0.36:
            return [f"{own} += {self.value(1, names)} % 50"]
        if choice < 0.42:
            field = self.random.choice("xy")
            return [f"s.{field} = s.{field} % 100 + {self.value(1, names)} % 9"]
        if choice < 0.5:
            return [f"out[at % 50] = {self.value(1, names)}", "at += 1"]
        if choice < 0.56:
            other = self.random.choice(NAMES)
            return [f"{own}, {other} = {other}, {self.value(1, names)}"] if own != other else []
        if choice < 0.62:
            call = f"helper{self.random.randint(0, 1)}({self.value(1, names)}, {own})"
            return [f"{own} = {call} % 500"]
        if choice < 0.76:
            return self._if(depth, names, in_loop)
        if choice < 0.88:
            return self._for(depth, names)
        return self._while(depth, names)

    def _indented(self, lines: list[str]) -> list[str]:
        return ["    " + line for line in lines]

    def _arm(self, depth: int, names, in_loop: bool) -> list[str]:
        lines = self.block(depth - 1, names, in_loop)
        choice = self.random.random()
        if in_loop and choice < 0.06:
            lines.append("return")
        elif in_loop and choice < 0.3:
            lines.append(self.random.choice(["break", "continue"]))
        elif choice < 0.04:
            lines.append("return")
        return self._indented(lines)

    def _if(self, depth: int, names, in_loop: bool) -> list[str]:
        lines = [f"if {self.condition(names)}:", *self._arm(depth, names, in_loop)]
        if self.random.random() < 0.3:
            lines += [f"elif {self.condition(names)}:", *self._arm(depth, names, in_loop)]
        if self.random.random() < 0.5:
            lines += ["else:", *self._arm(depth, names, in_loop)]
        return lines

    def _for(self, depth: int, names) -> list[str]:
        self.loops += 1
        variable = f"i{self.loops}"
        choice = self.random.random()
        if choice < 0.5:
            bounds = str(self.random.randint(0, 4))
        elif choice < 0.75:
            start = self.random.randint(-2, 3)
            bounds = f"{start}, {start} + n % 5, {self.random.randint(1, 3)}"
        elif choice < 0.9:
            bounds = f"{self.random.randint(2, 7)}, n % 3, {-self.random.randint(1, 3)}"
        else:
            bounds = "m % 5, m % 5 + 4 * n, n"
        body = self.block(depth - 1, (*names, variable), True)
        return [f"for {variable} in pl.range({bounds}):", *self._indented(body)]

    def _while(self, depth: int, names) -> list[str]:
        self.counters += 1
        counter = f"w{self.counters}"
        body = [f"{counter} += 1", *self.block(depth - 1, (*names, counter), True)]
        bound = f"{counter} < {self.random.randint(1, 5)}"
        if self.random.random() < 0.3:
            body.insert(1, f"if not {bound}:")
            body.insert(2, "    break")
            return [f"{counter} = 0", "while True:", *self._indented(body)]
        condition = f"{bound} and ({self.condition(names)})"
        return [f"{counter} = 0", f"while {condition}:", *self._indented(body)]


def expected(text: str, n: int, m: int) -> list[int]:
    """What Python makes of the program."""
    language = types.SimpleNamespace(
        jit=lambda function: function,
        range=range,
        struct=lambda _, **fields: types.SimpleNamespace(**fields),
        Tensor={},
        DT_INT64=0,
    )
    language.Tensor = type("T", (), {"__class_getitem__": lambda item: None})
    scope: dict = {"pl": language}
    exec(text.replace("import pypto_pro.language as pl\n", ""), scope)
    out = [0] * SIZE
    scope["kernel"](out, n, m)
    return out


__all__ = ["SIZE", "Writer", "expected"]
