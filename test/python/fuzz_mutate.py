# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Mutations of programs: of Python source (its syntax tree, and now and then its text) and of
the IR's text. Each is drawn from a random.Random, so a mutant is made again by its seed."""

from __future__ import annotations

import ast
import copy
import random
import re

NUMBERS = (-1, 0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 100, 256, 1000, 65536, 2**31, 2**63, 2**80)
DTYPES = ("FP32", "FP16", "BF16", "INT8", "INT32", "INT64", "UINT8", "UINT32", "BOOL", "INDEX")
SPACES = ("Vec", "Mat", "Left", "Right", "Acc", "Bias", "DDR")
CONSTANTS = (None, True, "é", "", 1.5, float("inf"), float("nan"), b"x", ...)
OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult)


def _is_kernel(node: ast.AST) -> bool:
    decorated = isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.decorator_list
    return bool(decorated) and "pl." in " ".join(map(ast.unparse, node.decorator_list))


def _bodies(node: ast.AST) -> list[list]:
    return [
        value
        for child in ast.walk(node)
        for name in ("body", "orelse")
        if isinstance(value := getattr(child, name, None), list) and value
    ]


def _change_number(rng: random.Random, nodes: list) -> bool:
    found = [n for n in nodes if isinstance(n, ast.Constant) and type(n.value) in (int, float)]
    if not found:
        return False
    node = rng.choice(found)
    near = (node.value + 1, node.value - 1, node.value * 2, -node.value)
    node.value = rng.choice(near + NUMBERS)
    return True


def _change_constant(rng: random.Random, nodes: list) -> bool:
    found = [n for n in nodes if isinstance(n, ast.Constant)]
    if not found:
        return False
    rng.choice(found).value = rng.choice(CONSTANTS)
    return True


def _change_name(rng: random.Random, nodes: list) -> bool:
    names = [n for n in nodes if isinstance(n, ast.Name)]
    if not names:
        return False
    others = [n.id for n in names] + ["missing", "größe", "print", "int", "np"]
    rng.choice(names).id = rng.choice(others)
    return True


def _change_attribute(rng: random.Random, nodes: list) -> bool:
    found = [n for n in nodes if isinstance(n, ast.Attribute)]
    if not found:
        return False
    node = rng.choice(found)
    for group in (DTYPES, tuple("DT_" + word for word in DTYPES), SPACES):
        if node.attr in group:
            node.attr = rng.choice(group)
            return True
    node.attr = rng.choice([n.attr for n in found])
    return True


def _change_arguments(rng: random.Random, nodes: list) -> bool:
    calls = [n for n in nodes if isinstance(n, ast.Call) and n.args + n.keywords]
    if not calls:
        return False
    call = rng.choice(calls)
    what = rng.randrange(5)
    if what == 0 and call.args:
        del call.args[rng.randrange(len(call.args))]
    elif what == 1 and call.args:
        call.args.append(copy.deepcopy(rng.choice(call.args)))
    elif what == 2:
        rng.shuffle(call.args)
    elif what == 3 and call.keywords:
        del call.keywords[rng.randrange(len(call.keywords))]
    else:
        call.keywords.append(ast.keyword(rng.choice(("axis", "odd", "mode")), ast.Constant(1)))
    return True


def _change_expression(rng: random.Random, nodes: list) -> bool:
    found = [n for n in nodes if isinstance(n, ast.BinOp)]
    if found and rng.random() < 0.5:
        rng.choice(found).op = rng.choice(OPERATORS)()
        return True
    lists = [n for n in nodes if isinstance(n, (ast.List, ast.Tuple)) and n.elts]
    calls = [n for n in nodes if isinstance(n, ast.Call) and n.args]
    if lists and rng.random() < 0.5:
        elements = rng.choice(lists).elts
        if rng.random() < 0.5:
            del elements[rng.randrange(len(elements))]
        else:
            elements.append(copy.deepcopy(rng.choice(elements)))
        return True
    if not calls:
        return False
    to, other = rng.choice(calls), rng.choice(calls)
    to.args[rng.randrange(len(to.args))] = copy.deepcopy(rng.choice([other, *other.args]))
    return True


def _change_statements(rng: random.Random, kernels: list) -> bool:
    bodies = [body for kernel in kernels for body in _bodies(kernel)]
    body, other = rng.choice(bodies), rng.choice(bodies)
    place, what = rng.randrange(len(body)), rng.randrange(5)
    if what == 0 and len(body) > 1:
        del body[place]
    elif what == 1:
        body.insert(place, copy.deepcopy(body[place]))
    elif what == 2:
        rng.shuffle(body)
    elif what == 3:
        statement = copy.deepcopy(rng.choice(other))
        body.insert(place, statement)
    else:
        text = rng.choice(("break", "continue", "return", "pass", "del x", "global x", "x = 1"))
        body[place] = ast.parse(text).body[0]
    return True


def _mutate_bytes(rng: random.Random, text: str) -> str:
    tokens = re.findall(r"\w+|\s+|[^\w\s]", text)
    place, what = rng.randrange(len(tokens)), rng.randrange(6)
    if what == 0:
        return "".join(tokens[:place])
    if what == 1:
        del tokens[place]
    elif what == 2:
        tokens.insert(place, rng.choice(tokens))
    elif what == 3:
        tokens[place] = rng.choice(("\0", "é", "\u202e", "𝟙", "\ufeff", "\udcff", "\t"))
    elif what == 4:
        other = rng.randrange(len(tokens))
        tokens[place], tokens[other] = tokens[other], tokens[place]
    else:
        tokens[place] = str(rng.choice(NUMBERS))
    return "".join(tokens)


def mutate_python(text: str, seed: int) -> str:
    """A program with one to three changes in its kernels."""
    rng = random.Random(seed)
    if rng.random() < 0.04:
        return _mutate_bytes(rng, text)
    tree = ast.parse(text)
    kernels = [node for node in ast.walk(tree) if _is_kernel(node)]
    if not kernels:
        return _mutate_bytes(rng, text)
    changes = (
        _change_number,
        _change_constant,
        _change_name,
        _change_attribute,
        _change_arguments,
        _change_expression,
    )
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        kernel = rng.choice(kernels)
        if rng.random() < 0.25:
            _change_statements(rng, kernels)
        else:
            rng.choice(changes)(rng, list(ast.walk(kernel)))
    return ast.unparse(ast.fix_missing_locations(tree))


_WORDS = (
    ("f32", "f16", "bf16", "i8", "i32", "i64", "i1", "index", "f64", "i0", "i4096", "none"),
    ("vec", "mat", "left", "right", "acc", "bias", "ddr", "none"),
    ("in_core", "aic", "aiv", "group", "orchestration", "inline"),
    ("v", "mte1", "mte2", "mte3", "m", "fix", "s"),
)


def _mutate_line(rng: random.Random, line: str) -> str:
    tokens = re.findall(r"[%@#!]?[\w.$-]+|\s+|[^\w\s]", line)
    places = [i for i, token in enumerate(tokens) if not token.isspace()]
    if not places:
        return line
    place = rng.choice(places)
    token = tokens[place]
    what = rng.random()
    if re.fullmatch(r"-?\d+", token) and what < 0.8:
        tokens[place] = str(rng.choice((*NUMBERS, int(token) + 1, int(token) - 1)))
        return "".join(tokens)
    for group in _WORDS:
        if token in group and what < 0.8:
            tokens[place] = rng.choice(group)
            return "".join(tokens)
    if what < 0.25:
        del tokens[place]
    elif what < 0.4:
        tokens.insert(place, token)
    elif what < 0.6:
        other = rng.choice(places)
        tokens[place], tokens[other] = tokens[other], token
    elif what < 0.8:
        sign = token[0]
        same = [t for t in tokens if t[0] == sign and not t.isspace()]
        tokens[place] = rng.choice(same)
    else:
        tokens[place] = rng.choice(("é", "\0", "?", "-1", "unit", "{}", "[]", '"x"', "dense<0>"))
    return "".join(tokens)


def mutate_ir(text: str, seed: int) -> str:
    """A module with one to three changes."""
    rng = random.Random(seed)
    lines = text.splitlines(keepends=True)
    if rng.random() < 0.03:
        return _mutate_bytes(rng, text)
    for _ in range(rng.choice((1, 1, 2, 3))):
        places = [i for i, line in enumerate(lines) if line.strip() and line.strip()[:2] != "//"]
        if not places:
            break
        place, what = rng.choice(places), rng.random()
        if what < 0.08:
            del lines[place]
        elif what < 0.16:
            lines.insert(place, lines[place])
        elif what < 0.28:
            lines.insert(place, lines.pop(rng.choice(places)))
        elif what < 0.36:
            used = re.findall(r"%[\w#]+", text)
            names = re.findall(r"%[\w#]+", lines[place])
            if names:
                lines[place] = lines[place].replace(rng.choice(names), rng.choice(used), 1)
        else:
            lines[place] = _mutate_line(rng, lines[place])
    return "".join(lines)
