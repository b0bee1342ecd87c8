# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The enumeration of valid keys agrees with the plain product, whatever is_valid does."""

import itertools
import math
import time

import page_keys
import pytest
from is_valid_programs import HEAD, Program
from pypto_pro.runtime import valid_keys
from pypto_pro.runtime.tilingkey import TilingKeyField, TilingKeySchema
from pypto_pro.runtime.valid_keys import MOST_CALLS, MOST_KEYS, Search


def brute(schema):
    keys = itertools.product(*(field.values for field in schema.fields))
    return [key for key in keys if schema.is_valid(key)]


def search(cls, small=1, most_calls=MOST_CALLS):
    return Search(TilingKeySchema(cls), MOST_KEYS, most_calls, small)


# The page.


@pytest.mark.parametrize("is_valid", page_keys.IDIOMS)
def test_five_idioms(is_valid):
    begin = time.process_time()
    made = Search(TilingKeySchema(page_keys.fa_class(is_valid)), MOST_KEYS, MOST_CALLS)
    assert made.run() == page_keys.FA_KEYS
    assert time.process_time() - begin < 0.2
    assert made.total == 87_091_200
    assert made.decided == made.total
    assert made.calls + made.followed < 2000
    assert not made.distrusted and made.gave_up is None


def test_the_idioms_agree_on_a_part_of_the_page_with_the_product():
    """The candidates of four fields, as far as brute force can go."""
    kept = {"Layout", "S1TemplateType", "PseMode", "HasAtten"}
    fields = {
        name: TilingKeyField(bits=bits, values=values if name in kept else [fixed])
        for name, bits, values, fixed in page_keys.FA_FIELDS
    }
    for is_valid in page_keys.IDIOMS:
        cls = type("Part", (), {**fields, "is_valid": is_valid})
        made = search(cls)
        assert made.run() == brute(made.schema) == page_keys.FA_KEYS
        assert made.calls + made.followed < 60


# Random programs.


@pytest.mark.parametrize("batch", range(10))
def test_random_programs(load, batch):
    followed = 0
    for seed in range(batch * 40, batch * 40 + 40):
        text = Program(seed).text()
        made = search(load(text).Key, small=1 if seed % 4 else 6)
        expected = _outcome(lambda made=made: brute(made.schema))
        assert _outcome(made.run) == expected, text
        assert not made.distrusted, text
        followed += made.followed > 0
    assert followed > 20


def _outcome(function):
    try:
        return function()
    except (KeyError, IndexError, TypeError, ValueError) as error:
        return type(error)


# What tries to look without being seen. Each is a body of `is_valid`; the fields are a (0..3),
# b (0..3) and c (0..2).

SLY = {
    "type": "return type(a) is int and b == 1",
    "is": "return a is b",
    "is a constant": "x = 2\nreturn a is x",
    "id": "return id(a) == id(TWO)",
    "operator.index": "return operator.index(a) == 2",
    "operator.eq": "return operator.eq(key, (1, 2, 0)) or operator.contains(key, 7)",
    "itemgetter": "return operator.itemgetter(1)(key) == 2",
    "int": "return int(a) == 2 or int(str(b)) == 1",
    "bytes": "return bytes(a) == bytes(2)",
    "bytes of all": "return bytes(key)[1] == 2",
    "range": "return a in range(1, 3)",
    "f-string": "return f'{a}{b!r:>2}' == '1 2'",
    "percent": "return '%d' % a == '1'",
    "format": "return '{}-{}'.format(a, c) == '1-2'",
    "sorted": "return sorted(key)[0] == 1",
    "set of values": "return len({a, b, c}) == 2",
    "set of tuples": "return key in PAIRS or (a, b) in PAIRS",
    "frozenset": "return frozenset(key) == frozenset((1, 2))",
    "dict": "return {(1, 2): True}.get((a, b), False)",
    "keys view": "return key in DICT.keys()",
    "dict of zip": "return dict(zip('abc', key))['b'] == 2",
    "json": "return json.dumps(key) == '[1, 2, 0]'",
    "pickle": "return pickle.loads(pickle.dumps(key))[2] == 1",
    "lru_cache": "return cached(key)",
    "lru_cache of one": "return cached_one(b)",
    "numpy": "return bool((np.array(key) == np.array([1, 2, 0])).all())",
    "numpy index": "return bool(np.arange(4)[a] == 2)",
    "counter": "CALLS.append(key)\nreturn b == 2",
    "global": "global LAST\nLAST = key\nreturn LAST[1] == 2",
    "memory": "if key not in SEEN:\n    SEEN[key] = a == 2\nreturn SEEN[key]",
    "attribute": "self.kept = key\nreturn self.kept[1] == 2",
    "closure": "def inner():\n    return key[1]\nreturn inner() == 2",
    "lambda": "return (lambda: key[1])() == 2",
    "locals": "return locals()['b'] == 2",
    "locals that agree": "return len(str(locals())) % 2 == 0",
    "eval": "return eval('b == 2')",
    "frame": "import sys\nreturn sys._getframe().f_locals['b'] == 2",
    "frame of a helper": "return peek() == 2",
    "frame of an operator": "return PEEK == 2 or c == 1",
    "comparison of own": "return OWN == a",
    "try": "try:\n    return 1 // a == 1\nexcept ZeroDivisionError:\n    return b == 2",
    "match": "match key:\n    case (1, 2, _):\n        return True\nreturn False",
    "match of a class": "match a:\n    case int() if b:\n        return c\nreturn False",
    "with": "with contextlib.suppress(ZeroDivisionError):\n    return 1 // a == 1\nreturn c",
    "del": "x = b\ndel a\nreturn x == 2",
    "generator": "g = (v for v in key)\nnext(g)\nreturn next(g) == 2",
    "late generator": "x = 1\ng = (v == x for v in key)\nx = 2\nreturn any(g)",
    "iterator twice": "it = iter(key)\nreturn list(zip(it, it)) == [(1, 2)]",
    "zip strict": "return all(v == w for v, w in zip(key, (1, 2, 0), strict=True))",
    "zip strict that raises": "return all(v < 9 for v, w in zip(key, (1, 2), strict=True))",
    "zip strict that stops": "return all(v == w for v, w in zip(key, (1, 2), strict=True))",
    "rebound iterable": "k = key\ng = (v == 2 for v in k)\nk = ()\nreturn any(g)",
    "frame of a key function": "return max((1, 2), key=peeking) == 2",
    "enumerate": "return any(v == 2 for i, v in enumerate(key, 1) if i > 1)",
    "star": "head, *tail = key\nreturn tail[-1] == 1 and head",
    "namedtuple": "k = Named(*key)\nreturn k.b == 2 and k == (1, 2, 0)",
    "own tuple": "return Named(1, 2, 0) == key",
    "odd tuple": "return ODD == key or key != ODD",
    "reduce": "return functools.reduce(lambda x, y: x * 4 + y, key) == 9",
    "max by key": "return max(key, key=lambda v: -v) == 1",
    "map": "return list(map(str, key)) == ['1', '2', '0']",
    "slices": "return key[::-1] == (0, 2, 1) or key[1:][0] == 3",
    "empty slice": "return key[5:] == () and key[:0] == ()",
    "odd on the left": "return ODD == key",
    "not equal": "return key != (1, 2, 0) and key[:1] != [1] and (a, b) != (a, c)",
    "longer": "return key == (1, 2) or b == 3",
    "list is no tuple": "return key == [1, 2, 0] or c == 1",
    "True is 1": "return key == (True, 2, False) or (a, b) in {(True, True)}",
    "floats": "return key == (1.0, 2.0, 0.0) or key in {(2.0, 1, 1)}",
    "nan": "return key in {(float('nan'), 1, 1), (1, 1, 1)}",
    "nested": "return ((a, b), c) == ((1, 2), 0) or ((a, b), c) in [((2, 2), 1)]",
    "chained": "return a < b < c + 2 == 3",
    "walrus": "return (x := a) == 1 and x + b == 3",
    "default": "return helper(a) and helper(b, 2)",
    "recursion": "return count_down(a) == c",
    "string is true": "return 'invalid' if a == 1 else ''",
    "whole tuple": "return key and key",
    "negative": "return not a and not (b or c)",
    "none": "return None if a else b",
    "deleted builtin": "len = lambda x: x[1]\nreturn len(key) == 2",
    "shadowed": "return abs2(b) == 4",
    "hash": "return hash(key) % 2 == 0",
    "print": "print(key)\nreturn a",
    "assert": "assert a < 9\nreturn b == 1",
    "getattr": "return getattr(a, 'real') == 2",
    "dunder": "return key.__getitem__(1) == 2",
    "real": "return a.real == 2 or b.bit_length() == 2",
    "append": "l = []\nl.append(b)\nreturn l == [2]",
    "in place": "l = [0]\nl += [b]\nreturn l[1] == 2",
    "array of flags": "x = [0] * 4\nx[a] = 1\nreturn x[2] == 1",
    "all of a list": "return all([a == 1, b == 2])",
    "break": "for v in key:\n    if v == 2:\n        break\nelse:\n    return False\nreturn a == 1",
    "nested loops": "return any(v == w for v in key for w in (1, 2) if v)",
    "set comprehension": "return {v for v in key if v} == {1, 2}",
    "dict comprehension": "return {i: v for i, v in enumerate(key)} == {0: 1, 1: 2, 2: 0}",
}
SLY_HEAD = """
import contextlib, functools, json, operator, pickle, sys
import numpy as np
from collections import namedtuple

TWO = 2
PAIRS = {(1, 2, 0), (3, 1), (0, 0), 5, "x"}
DICT = {(1, 2, 0): 1}
CALLS, SEEN, LAST = [], {}, None
Named = namedtuple("Named", "a b c")


class Odd(tuple):
    def __eq__(self, other):
        return other[1] == 3

    __hash__ = None


class Own:
    def __eq__(self, other):
        return other == 2


class Peek:
    def __eq__(self, other):
        return False


OWN, PEEK, ODD = Own(), Peek(), Odd((1, 2, 0))


def peek():
    return sys._getframe(1).f_locals["b"]


def peeking(x):
    return x * sys._getframe(1).f_locals["b"]


@functools.lru_cache
def cached(key):
    return key[1] == 2


@functools.lru_cache
def cached_one(value):
    return value == 2


def helper(x, y=1, *, z=0):
    return x == y + z


def count_down(n):
    return 0 if n <= 0 else 1 + count_down(n - 2)


def abs2(x):
    return abs(x) * 2


class Key:
    A = TilingKeyField(bits=2, values=[0, 1, 2, 3])
    B = TilingKeyField(bits=2, values=[3, 2, 1, 0])
    C = TilingKeyField(bits=2, values=[0, 1, 2])

    def is_valid(self, key):
        a, b, c = key
"""


@pytest.mark.parametrize("body", SLY.values(), ids=SLY)
def test_what_looks_without_being_seen(load, body):
    text = HEAD + SLY_HEAD + "".join(f"        {line}\n" for line in body.splitlines())
    made = search(load(text).Key)
    assert _outcome(made.run) == _outcome(lambda: brute(made.schema))
    assert not made.distrusted
    # One that was not followed at all would agree as well.
    assert made.looking.impossible is None and made.followed > 0


def test_a_table_that_changed_between_two_searches(load):
    module = load(
        HEAD + "KEYS = {(1, 2)}\n\n\nclass Key:\n"
        "    A = TilingKeyField(bits=2, values=[0, 1, 2])\n"
        "    B = TilingKeyField(bits=2, values=[0, 1, 2])\n\n"
        "    def is_valid(self, key):\n        return key in KEYS\n"
    )
    assert search(module.Key).run() == [(1, 2)]
    module.KEYS.clear()
    module.KEYS.add((2, 0))
    made = search(module.Key)
    assert made.run() == [(2, 0)] and not made.distrusted


def test_what_is_not_looked_at_needs_no_call():
    class K:
        A = TilingKeyField(bits=8, values=list(range(100)))
        B = TilingKeyField(bits=8, values=list(range(100)))
        C = TilingKeyField(bits=8, values=list(range(100)))

        def is_valid(self, key):
            a, _, c = key
            return a == 7 and c % 50 == 3

    made = search(K)
    assert made.run() == [(7, b, c) for b in range(100) for c in (3, 53)]
    assert made.followed == 99 + 100


def test_order_is_that_of_the_product_whatever_is_looked_at_first():
    class K:
        A = TilingKeyField(bits=2, values=[3, 1, 2])
        B = TilingKeyField(bits=2, values=[2, 0])
        C = TilingKeyField(bits=2, values=[1, 0, 5])

        def is_valid(self, key):
            return key[2] != 0 and (key[2] == 5 or key[1] == 0)

    made = search(K)
    assert made.run() == brute(made.schema)
    assert TilingKeySchema(K).valid_keys() == brute(made.schema)


def test_no_is_valid():
    schema = TilingKeySchema(page_keys.ThreeKey)
    assert schema.valid_keys() == list(itertools.product([1, 0], [64, 128], [0, 1, 2, 3, 4, 9]))


def test_nothing_valid():
    class K:
        A = TilingKeyField(bits=1, values=[0, 1])

        def is_valid(self, key):
            return False

    assert TilingKeySchema(K).valid_keys() == []


def test_found_once():
    calls = []

    class K:
        A = TilingKeyField(bits=1, values=[0, 1])

        def is_valid(self, key):
            calls.append(key)
            return True

    schema = TilingKeySchema(K)
    first = schema.valid_keys()
    count = len(calls)
    assert schema.valid_keys() == first and len(calls) == count


def test_without_a_source(tmp_path):
    names = {"TilingKeyField": TilingKeyField}
    exec(
        "class K:\n"
        "    A = TilingKeyField(bits=4, values=list(range(16)))\n"
        "    B = TilingKeyField(bits=4, values=list(range(16)))\n"
        "    def is_valid(self, key):\n"
        "        return key[0] == key[1] == 3\n",
        names,
    )
    made = search(names["K"])
    assert made.looking.impossible == "the source of is_valid is not at hand"
    assert made.run() == [(3, 3)] and made.calls == 256


def test_a_source_that_is_not_what_runs(load):
    module = load(HEAD + "class K:\n    A = TilingKeyField(bits=2, values=[0, 1, 2])\n\n"
                  "    def is_valid(self, key):\n        return key[0] == 1\n")  # fmt: skip
    with open(module.__file__, "a+") as file:
        file.seek(0)
        text = file.read()
        file.truncate(0)
        file.write(text.replace("== 1", "== 2"))
    made = search(module.K)
    assert made.looking.impossible is not None
    assert made.run() == [(1,)]


def test_is_valid_that_raises_for_one_key():
    class K:
        A = TilingKeyField(bits=8, values=list(range(50)))
        B = TilingKeyField(bits=8, values=list(range(50)))

        def is_valid(self, key):
            a, b = key
            if a == 7 and b == 40:
                raise LookupError("no table")
            return a == b

    for small in (1, 10**6):
        with pytest.raises(LookupError, match="no table") as caught:
            search(K, small).run()
        (note,) = caught.value.__notes__
        assert note == "raised by K.is_valid for the tilingkey {'A': 7, 'B': 40}"
        assert caught.traceback[-1].frame.code.name == "is_valid"


# Limits.


def test_too_many_valid_keys(load):
    schema = TilingKeySchema(page_keys.fa_class(lambda self, key: True))
    with pytest.raises(ValueError) as caught:
        schema.valid_keys()
    text = str(caught.value)
    assert "tiling_key class 'FaTilingKey' has 87,091,200 valid keys or more" in text
    assert "above the limit of 1,000,000" in text and "most_keys=" in text


def test_the_limit_of_keys_can_be_set():
    schema = TilingKeySchema(page_keys.ThreeKey)
    with pytest.raises(ValueError, match="has 24 valid keys or more, above the limit of 23"):
        schema.valid_keys(most_keys=23)
    assert len(schema.valid_keys(most_keys=24)) == 24
    with pytest.raises(ValueError, match="above the limit of 23"):
        schema.valid_keys(most_keys=23)


def wide(is_valid, fields=8):
    members = {f"F{i}": TilingKeyField(bits=8, values=list(range(32))) for i in range(fields)}
    return type("Wide", (), {**members, "is_valid": is_valid})


def test_what_cannot_be_followed_has_a_limit_at_once():
    begin = time.process_time()
    with pytest.raises(ValueError) as caught:
        TilingKeySchema(wide(lambda self, key: id(key) == 0)).valid_keys()
    assert time.process_time() - begin < 1
    text = str(caught.value)
    assert f"tiling_key class 'Wide' has {32**8:,} combinations" in text
    assert "are not decided within the limit of 200,000,000 calls of is_valid" in text
    assert "cannot be followed everywhere (a call of id)" in text
    assert "most_calls=" in text and "tighten 'values'" in text


def test_what_looks_at_everything_has_a_limit():
    made = search(wide(lambda self, key: sum(key) < 0), most_calls=5000, small=64)
    with pytest.raises(ValueError, match="within the limit of 5,000 calls of is_valid"):
        made.run()
    assert made.calls <= 5000 + 64


def test_progress_is_shown_when_it_takes_long(capsys, monkeypatch):
    clock = itertools.count()
    monkeypatch.setattr("pypto_pro.runtime.progress.time.monotonic", lambda: next(clock))
    cls = wide(lambda self, key: id(key) < 0, fields=3)
    assert search(cls).run() == []
    out, err = capsys.readouterr()
    assert out == ""
    assert "valid keys of Wide" in err and "100.0 %" in err
    assert f"of {32**3:,} combinations" in err


def test_progress_is_silent_when_it_does_not(capsys):
    assert len(TilingKeySchema(page_keys.ThreeKey).valid_keys()) == 24
    made = search(page_keys.AttentionKey)
    assert len(made.run()) == 3
    assert capsys.readouterr() == ("", "")


def test_a_hundred_million_undecided_combinations_are_not_asked_twice():
    """Each combination is decided once: by the box of a run or by a call."""

    def is_valid(self, key):
        return hash(key[3:]) != 1 and key[0] == 3 and key[5] in (1, 4)

    made = Search(TilingKeySchema(wide(is_valid, 3 + 3)), 10**7, MOST_CALLS)
    small = made.schema
    made.values = [field.values[:6] for field in small.fields]
    made.total = math.prod(map(len, made.values))
    keys = made.run()
    assert made.decided == made.total == 6**6
    assert keys == [key for key in itertools.product(*made.values) if small.is_valid(key)]


def test_small_nodes_are_asked_plainly():
    assert valid_keys.SMALL > 1
    made = search(page_keys.AttentionKey, small=valid_keys.SMALL)
    made.run()
    assert (made.calls, made.followed) == (4, 0)
