# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The words of a printed program that have a rule of their own: what their call means.

Each is (lines, path, node, keywords, kind) -> Meaning: the names where it stands, `pl.tile.load`,
the call, its keywords, and the annotation in front of it.
"""

from __future__ import annotations

import ast

from ..mlir import ir
from . import scalar_printer
from .attributes import (
    COMPARISONS,
    attribute_of,
    dtype_of,
    element_of,
    literals,
    number,
    numbers,
    path_of,
    segments,
    unit,
    word,
)
from .types import Array, Buffer, Scalar, Tile, parse_type
from .unsaid import Meaning


def _abs(lines, path, node, keywords, kind) -> Meaning:
    operands = lines.operands(node.args)
    if isinstance(parse_type(operands[0].type), Scalar):
        whole = parse_type(operands[0].type).dtype.is_float
        return Meaning("math.absf" if whole else "math.absi", operands)
    return lines.plain(path, node, keywords, kind)


def _extreme(lines, path, node, keywords, kind) -> Meaning:
    operands = lines.operands(node.args)
    name = scalar_printer.extreme(path.rpartition(".")[2], str(operands[0].type))
    return Meaning(name, operands, results=[operands[0].type])


def _cast(lines, path, node, keywords, kind) -> Meaning:
    source = lines.operand(node.args[0])
    if isinstance(parse_type(source.type), Scalar):
        made = element_of(dtype_of(node.args[1]))
        return Meaning(scalar_printer.cast(str(source.type), str(made)), [source], {}, [made])
    operands = [source, *([lines.operand(keywords["out"])] if "out" in keywords else [])]
    made = {"round": word("round", ast.literal_eval(keywords["mode"]))}
    return Meaning(f"pto.{lines.level(operands, kind)}.cast", operands, made)


def _cmp(lines, path, node, keywords, kind) -> Meaning:
    operands = lines.operands([*node.args, *([keywords["out"]] if "out" in keywords else [])])
    made = {"mode": word("compare", COMPARISONS[ast.literal_eval(keywords["cmp_type"])])}
    return Meaning(f"pto.{lines.level(operands, kind)}.cmp", operands, made)


def _full(lines, path, node, keywords, kind) -> Meaning:
    if "out" in keywords:
        return Meaning("pto.tile.full", lines.operands([node.args[0], keywords["out"]]))
    level = "tensor" if isinstance(kind, Array) else "tile"
    return Meaning(f"pto.{level}.full", [lines.operand(node.args[2])])


def _move(lines, path, node, keywords, kind) -> Meaning:
    operands = lines.operands(node.args)
    if "out" in keywords:
        operands.append(lines.operand(keywords["out"]))
    return Meaning("pto.tile.move", operands)


def _load(lines, path, node, keywords, kind) -> Meaning:
    source = lines.operand(node.args[0])
    offsets, static = lines.mixed(node.args[1])
    made, valid, out = {"static_offsets": static, "static_valid": numbers([])}, [], []
    if "valid_shape" in keywords:
        valid, made["static_valid"] = lines.mixed(keywords["valid_shape"])
    if "out" in keywords:
        out = [lines.operand(keywords["out"])]
    made["operandSegmentSizes"] = segments([source], offsets, valid, out)
    return Meaning("pto.tile.load", [source, *offsets, *valid, *out], made)


def _store(lines, path, node, keywords, kind) -> Meaning:
    offsets, static = lines.mixed(node.args[1])
    operands = [*lines.operands([node.args[0], node.args[2]]), *offsets]
    made = {"static_offsets": static}
    if "atomic" in keywords:
        made["atomic_add"] = unit()
    return Meaning("pto.tile.store", operands, made)


def _set_validshape(lines, path, node, keywords, kind) -> Meaning:
    dynamic, static = lines.mixed(ast.List(elts=node.args[1:]))
    operands = [lines.operand(node.args[0]), *dynamic]
    return Meaning("pto.tile.set_validshape", operands, {"static_valid": static})


def _alloc(lines, path, node, keywords, kind) -> Meaning:
    made = {}
    if "addrs" in keywords:
        made["addrs"] = numbers(literals(keywords["addrs"]))
    if "pinned" in keywords:
        made["pinned"] = unit()
    return Meaning("pto.tile.alloc", [], made)


def _slice(lines, path, node, keywords, kind) -> Meaning:
    source = lines.operand(node.args[0])
    known = parse_type(source.type)
    if isinstance(known, Buffer):
        offsets, at = lines.mixed(node.args[2])
        sizes, extents = lines.mixed(node.args[1])
        made = {"static_offsets": at, "static_sizes": extents}
        made["operandSegmentSizes"] = segments([source], offsets, sizes)
        return Meaning("pto.tile.subview", [source, *offsets, *sizes], made)
    if isinstance(known, Tile):
        where = lines.operands(node.args[2].elts)
        extents = lines.operands(node.args[3 if len(node.args) > 3 else 1].elts)
        return Meaning("pto.tile.slice", [source, *where, *extents])
    offsets, at = lines.mixed(node.args[2])
    made = {"static_offsets": at, "sizes": numbers(literals(node.args[1]))}
    return Meaning("pto.tensor.window", [source, *offsets], made)


def _extract(lines, path, node, keywords, kind) -> Meaning:
    source, row, col = lines.operands(node.args[:3])
    return Meaning("pto.tile.slice", [source, row, col, *lines.operands(node.args[3].elts)])


def _read(lines, path, node, keywords, kind) -> Meaning:
    source = lines.operand(node.args[0])
    offsets, static = lines.mixed(node.args[1])
    tile = str(source.type).startswith("!pto")
    name = "pto.tile.get_value" if tile else "pto.tensor.element"
    return Meaning(name, [source, *offsets], {"static_offsets": static})


def _write(lines, path, node, keywords, kind) -> Meaning:
    target, value = lines.operands([node.args[0], node.args[2]])
    rebinds = [node.args[0].id]
    if isinstance(parse_type(target.type), Tile):
        where = lines.operands(node.args[1].elts)
        return Meaning("pto.tile.write", [target, value, *where], {}, [target.type], rebinds)
    offsets, static = lines.mixed(node.args[1])
    operands, made = [value, target, *offsets], {"static_offsets": static}
    if str(target.type).startswith("tensor"):
        return Meaning("pto.tensor.write", operands, made, [target.type], rebinds)
    return Meaning("pto.tile.set_value", operands, made)


def _assemble(lines, path, node, keywords, kind) -> Meaning:
    target, source = lines.operands(node.args[:2])
    if isinstance(parse_type(target.type), Tile):
        return Meaning("pto.tile.assemble", [target, source, *lines.operands(node.args[2].elts)])
    offsets, static = lines.mixed(node.args[2])
    made = {"static_offsets": static}
    if "atomic" in keywords:
        made["atomic_add"] = unit()
    return Meaning("pto.tensor.assemble", [source, target, *offsets], made)


def _reshape(lines, path, node, keywords, kind) -> Meaning:
    operands = [lines.operand(node.args[0])]
    if "out" in keywords:
        operands.append(lines.operand(keywords["out"]))
    return Meaning(f"pto.{lines.level(operands, kind)}.reshape", operands)


def _transpose(lines, path, node, keywords, kind) -> Meaning:
    operands = [lines.operand(node.args[0])]
    if "out" in keywords:
        operands.append(lines.operand(keywords["out"]))
    level, made = lines.level(operands, kind), {}
    if level == "tensor":
        made = {f"axis{n}": number(ast.literal_eval(node.args[n])) for n in (1, 2)}
    return Meaning(f"pto.{level}.transpose", operands, made)


def _fillpad(lines, path, node, keywords, kind) -> Meaning:
    nodes = [node.args[0], node.args[-1], *([keywords["out"]] if "out" in keywords else [])]
    operands = lines.operands(nodes)
    return Meaning(f"pto.{lines.level(operands, kind)}.fillpad", operands)


def _new(lines, path, node, keywords, kind) -> Meaning:
    """ci, tri and random: the shape and the element type are those of what is made."""
    nodes = [one for one in node.args if not isinstance(one, ast.List)]
    operands = lines.operands([*nodes, *([keywords["out"]] if "out" in keywords else [])])
    said = {key: one for key, one in keywords.items() if key not in ("out", "dtype")}
    made = {key: attribute_of(key, one) for key, one in said.items()}
    return Meaning(f"pto.{lines.level(operands, kind)}.{path.rpartition('.')[2]}", operands, made)


def _create(lines, path, node, keywords, kind) -> Meaning:
    return Meaning("pto.tensor.create" if isinstance(kind, Array) else "pto.tile.create", [])


def _view(lines, path, node, keywords, kind) -> Meaning:
    source = lines.operand(node.args[0])
    level = "tile" if str(source.type).startswith("!pto") else "tensor"
    return Meaning(f"pto.{level}.view", [source])


def _dim(lines, path, node, keywords, kind) -> Meaning:
    source = lines.operand(node.args[0])
    level = "tile" if str(source.type).startswith("!pto") else "tensor"
    return Meaning(f"pto.{level}.dim", [source], {"dim": number(ast.literal_eval(node.args[1]))})


def _pipe(node: ast.AST) -> ir.Attribute:
    return word("pipe", (path_of(node) or "").removeprefix("pl.PipeType.").lower())


def _flag(lines, path, node, keywords, kind) -> Meaning:
    name = "set_flag" if path.endswith("src") else "wait_flag"
    made = {"src": _pipe(keywords["set_pipe"]), "dst": _pipe(keywords["wait_pipe"])}
    operands = []
    if isinstance(keywords["event_id"], ast.Constant):
        made["id"] = number(keywords["event_id"].value)
    else:
        operands.append(lines.operand(keywords["event_id"]))
    return Meaning(f"pto.block.{name}", operands, made)


def _barrier(lines, path, node, keywords, kind) -> Meaning:
    pipe = _pipe(keywords["pipe"]) if "pipe" in keywords else word("pipe", path.rpartition("_")[2])
    return Meaning("pto.block.barrier", [], {"pipe": pipe})


def _cross_core(lines, path, node, keywords, kind) -> Meaning:
    made = {
        "id": number(ast.literal_eval(node.args[0])),
        "mode": number(ast.literal_eval(keywords["ffts_mode"])),
    }
    if "pipe" in keywords:
        made["pipe"] = _pipe(keywords["pipe"])
    name = "set" if path.endswith("set") else "wait"
    return Meaning(f"pto.block.cross_core_{name}", [], made)


def _printf(lines, path, node, keywords, kind) -> Meaning:
    text = ir.StringAttr.get(ast.literal_eval(node.args[0]))
    return Meaning("pto.block.print", lines.operands(node.args[1:]), {"format": text})


def _block_number(lines, path, node, keywords, kind) -> Meaning:
    return Meaning(f"pto.block.{path.rpartition('.')[2]}", [])


def _task(lines, path, node, keywords, kind) -> Meaning:
    deps = lines.operands(keywords["deps"].elts) if "deps" in keywords else []
    return Meaning(f"pto.block.{path.rpartition('.')[2]}", deps)


def _array(lines, path, node, keywords, kind) -> Meaning:
    if path.endswith("create"):
        return Meaning("pto.block.array_create", [])
    array, index, value = lines.operands(node.args)
    return Meaning("pto.block.array_set", [value, array, index])


def _create_word(lines, path, node, keywords, kind) -> Meaning:
    return (_array if path == "pl.array.create" else _create)(lines, path, node, keywords, kind)


WORDS = {
    "abs": _abs,
    "max": _extreme,
    "min": _extreme,
    "cast": _cast,
    "cmp": _cmp,
    "full": _full,
    "move": _move,
    "load": _load,
    "store": _store,
    "set_validshape": _set_validshape,
    "alloc": _alloc,
    "slice": _slice,
    "extract": _extract,
    "read": _read,
    "write": _write,
    "assemble": _assemble,
    "reshape": _reshape,
    "reinterpret_view": _reshape,
    "transpose": _transpose,
    "fillpad": _fillpad,
    "fillpad_expand": _fillpad,
    "ci": _new,
    "tri": _new,
    "random": _new,
    "create": _create_word,
    "create_tensor": _create,
    "create_tile": _create,
    "update_element": _array,
    "view": _view,
    "dim": _dim,
    "sync_src": _flag,
    "sync_dst": _flag,
    "bar": _barrier,
    "bar_v": _barrier,
    "bar_m": _barrier,
    "bar_all": _barrier,
    "sync_set": _cross_core,
    "sync_wait": _cross_core,
    "printf": _printf,
    "get_block_idx": _block_number,
    "get_block_num": _block_number,
    "get_subblock_idx": _block_number,
    "task_invalid": _task,
    "task_dummy": _task,
}
