# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Random key classes, each with an `is_valid` made of what such functions are made of."""

import random

HEAD = """\
from pypto_pro.runtime.tilingkey import Invalid, TilingKeyField


def near(x, y, gap=1):
    return abs(x - y) <= gap


def first_of(values):
    for value in values:
        if value:
            return value
    return None


"""


class Program:
    """The text of one module with a class `Key` of up to five fields."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        count = self.random.randint(1, 5)
        self.fields = [
            self.random.sample(range(-2, 9), self.random.randint(1, 4)) for _ in range(count)
        ]
        self.used = 0

    def text(self):
        lines = self.constants() + ["class Key:"]
        for i, values in enumerate(self.fields):
            lines.append(f"    F{i} = TilingKeyField(bits=3, values={values})")
        names = ", ".join(f"f{i}" for i in range(len(self.fields)))
        lines += ["", "    def is_valid(self, key):", f"        {names}, = key"]
        for _ in range(self.random.randint(0, 3)):
            lines += self.statement()
        lines += [f"        return {self.condition(2)}", ""]
        return HEAD + "\n".join(lines)

    def one_of(self, *choices):
        return self.random.choice(choices)

    def key(self):
        return tuple(self.random.choice(values) for values in self.fields)

    def constants(self):
        keys = [self.key() for _ in range(self.random.randint(1, 6))]
        allowed = [
            tuple(self.random.sample(v, self.random.randint(1, len(v)))) for v in self.fields
        ]
        return [
            f"KEYS = {set(keys)!r}",
            f"LIST = {[*keys, 3, (1, 2), 'x']!r}",
            f"ALLOWED = {allowed!r}",
            f"TABLES = {[{x: x % 3 for x in values} for values in self.fields]!r}",
            f"FIXED = {self.key()!r}",
            f"FLAGS = {[self.random.randint(0, 1) for _ in range(12)]!r}",
            "",
            "",
        ]

    def field(self):
        i = self.random.randrange(len(self.fields))
        return i, self.one_of(f"f{i}", f"key[{i}]", f"key[{i - len(self.fields)}]")

    def number(self, depth):
        i, f = self.field()
        if depth <= 0:
            return self.one_of(f, f, str(self.random.choice(self.fields[i])))
        inner = self.number(depth - 1)
        return self.one_of(
            f,
            f"TABLES[{i}][{f}]",
            f"TABLES[{i}].get({inner}, 5)",
            f"FLAGS[{f}]",
            f"({inner} + {f})",
            f"({f} * 2 - {inner})",
            f"({inner} % 3)",
            f"max({f}, {inner})",
            f"-{f}",
            f"({f} if {self.condition(0)} else {inner})",
            f"len(key[{i}:])",
            f"sum(v for v in key[:{i}])",
            f"sum([v for v in key if v > {inner}])",
            f"key[{i}:].count({inner})",
            f"int(f'{{{f}:d}}')",
            f"sorted(key)[{i}]",
            f"({f}).bit_length()",
            f"(first_of(key[{i}:]) or 0)",
        )

    def condition(self, depth):
        i, f = self.field()
        value = self.random.choice(self.fields[i])
        compare = self.one_of("==", "!=", "<", "<=", ">", ">=")
        if depth <= 0:
            return self.one_of(f"{f} {compare} {value}", f"{f} in ALLOWED[{i}]", f, f"not {f}")
        a, b = self.condition(depth - 1), self.condition(depth - 1)
        n = self.number(depth - 1)
        part = ", ".join(map(repr, self.key()[:i]))
        return self.one_of(
            f"({a} and {b})",
            f"({a} or {b})",
            f"(not {a})",
            f"{f} {compare} {n}",
            f"({value} <= {f} <= {n})",
            "key in KEYS",
            "key not in LIST",
            f"key[{i}:] == FIXED[{i}:]",
            f"key[:{i}] != ({part}{',' if i else ''})",
            f"(f0, {f}) in {{(0, {value}), (1, 1), ({value}, 2)}}",
            f"({f}, *key[{i}:]) == ({value}, *FIXED[{i}:])",
            "all(v in a for v, a in zip(key, ALLOWED))",
            "any(v == a for v, a in zip(key, FIXED))",
            f"all(v != {value} or i == {i} for i, v in enumerate(key))",
            "all(TABLES[i][v] for i, v in enumerate(key))",
            f"near({f}, {n})",
            f"near({f}, y={n}, gap=2)",
            f"({a} if {b} else {self.condition(0)})",
            f"isinstance({f}, int) and {a}",
            f"{f} is not None and {a}",
            f"{n} in key",
            f"{f} in range({value}, 6)",
            f"str({f}) in '123'",
            f"hash({f}) == hash({value})",
            f"((w := {f}) == {value} and w < 6)",
            "all(map(lambda v: v, key))",
            "any(reversed(key))",
            f"{{v for v in key}} == {{v for v in FIXED}} or {a}",
            "(key + FIXED)[1] > 0",
            f"[*key][{i}] == {value}",
            f"({a} or Invalid('no'))",
            f"(f'{{{f}}}' == '{value}')",
            f"dict(zip('abcde', key))['a'] {compare} {value}",
            "key == FIXED",
            "key < FIXED",
            "next(iter(key)) > 1",
            f"tuple(v for v in key if v)[:1] == ({value},)",
        )

    def statement(self):
        self.used += 1
        x = f"x{self.used}"
        i, f = self.field()
        a, n = self.condition(1), self.number(1)
        return self.one_of(
            [f"        if {a}:", f"            return {self.condition(1)}"],
            [f"        {x} = {n}", f"        if {x} > {f} and {a}:", "            return False"],
            [
                "        for v, a in zip(key, ALLOWED):",
                f"            if v not in a and {self.condition(0)}:",
                self.one_of("                return False", "                break"),
                "        else:",
                f"            if {self.condition(0)}:",
                "                return True",
            ],
            [
                f"        {x} = 0",
                f"        while {x} < len(key) and key[{x}] in ALLOWED[{x}]:",
                f"            {x} += 1",
                f"        if {x} == {i}:",
                f"            return {a}",
            ],
            [
                f"        {x} = 0",
                f"        for v in key[{i}:]:",
                f"            if v == {self.random.randint(-1, 3)}:",
                "                continue",
                f"            {x} += v",
                f"        if {x} > {n}:",
                "            return Invalid('sum')",
            ],
            [f"        head, *rest = key, {f}", "        if head == FIXED: return bool(rest[0])"],
            [f"        match {f}:", "            case 1 | 2:", f"                return {a}"],
            [
                "        try:",
                f"            {x} = TABLES[{i}][{n}]",
                "        except KeyError:",
                f"            return {a}",
            ],
        )
