# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Each wrong use of an operation is refused where it is wrong, in the author's words.

In a case's text `§` stands right before the place that the error names. The file is longer
than 800 lines because it is one table, of a few lines a case.
"""

import textwrap

import pypto
import pytest

HEAD = """\
import pypto_pro.language as pl

KB = 1024
MTE1, MTE2, MTE3 = pl.PipeType.MTE1, pl.PipeType.MTE2, pl.PipeType.MTE3
M, V, S, FIX, ALL = pl.PipeType.M, pl.PipeType.V, pl.PipeType.S, pl.PipeType.FIX, pl.PipeType.ALL
VEC, MAT = pl.MemorySpace.Vec, pl.MemorySpace.Mat
LEFT, RIGHT, ACC = pl.MemorySpace.Left, pl.MemorySpace.Right, pl.MemorySpace.Acc


@pl.jit(arch="{arch}")
def kernel(
    x: pl.Tensor[[64, 128], pl.DT_FP32],
    h: pl.Tensor[[64, 128], pl.DT_FP16],
    batch: pl.Tensor[[2, 64, 4, 128], pl.DT_FP16],
    line: pl.Tensor[[128], pl.DT_FP32],
    p: pl.Ptr[pl.DT_FP16],
    n: pl.DT_INT64,
    f: pl.DT_FP32,
):
    F32 = pl.TileType([16, 64], pl.DT_FP32)
    F16 = pl.TileType([16, 64], pl.DT_FP16)
    I32 = pl.TileType([16, 64], pl.DT_INT32)
    a = pl.make_tile(F32, addr=0)
    b = pl.make_tile(F32, addr=4 * KB)
    c = pl.make_tile(F16, addr=8 * KB)
    d = pl.make_tile(I32, addr=12 * KB)
    big = pl.make_tile(pl.TileType([32, 64], pl.DT_FP32), addr=16 * KB)
    col = pl.make_tile(pl.TileType([16, 1], pl.DT_FP32, layout=pl.DN), addr=32 * KB)
    short = pl.make_tile(pl.TileType([16, 64], pl.DT_FP32, valid_shape=[10, 64]), addr=40 * KB)
    group = pl.make_tile_group(type=F32, addrs=48 * KB, depth=2)
    mat = pl.make_tile(pl.TileType([64, 128], pl.DT_FP16, MAT), addr=0)
    turned = pl.make_tile(pl.TileType([128, 64], pl.DT_FP16, MAT, layout=pl.ZN), addr=16 * KB)
    left = pl.make_tile(pl.TileType([64, 128], pl.DT_FP16, LEFT), addr=0)
    right = pl.make_tile(pl.TileType([128, 64], pl.DT_FP16, RIGHT), addr=0)
    acc = pl.make_tile(pl.TileType([64, 64], pl.DT_FP32, ACC), addr=0)
    other = pl.make_tile(pl.TileType([64, 64], pl.DT_FP32, ACC), addr=16 * KB)
"""

# What stands in a vector section, and what in a cube section.
VECTOR = {
    # Masks.
    "a mask of another type": (
        "pl.eq(§d, a, b)",
        ["eq: out has a bit for each element, UINT8 in rows of whole 32 bytes", "[16, 32]"],
    ),
    "a mask of too few rows": (
        "m = pl.make_tile(pl.TileType([8, 32], pl.DT_UINT8), addr=44 * KB)\npl.lt(§m, a, b)",
        ["at least [16, 32]", "got [8, 32] UINT8"],
    ),
    "a comparison of two types": ("pl.lt(a, a, §c)", ["lt: rhs is FP16, lhs is FP32"]),
    "a comparison by name": (
        "m = pl.make_tile(pl.TileType([16, 32], pl.DT_UINT8), addr=44 * KB)\n"
        'pl.cmp(m, a, b, cmp_type=§"lt")',
        ["cmp: cmp_type is a member of pl.CompareMode, or 0 to 5, got"],
    ),
    "a comparison that there is not": (
        "m = pl.make_tile(pl.TileType([16, 32], pl.DT_UINT8), addr=44 * KB)\n"
        "pl.cmp(m, a, b, cmp_type=§6)",
        ["or 0 to 5, got 6"],
    ),
    "cmps of two tiles": (
        "m = pl.make_tile(pl.TileType([16, 32], pl.DT_UINT8), addr=44 * KB)\npl.cmps(m, a, §b)",
        ["cmps: rhs must be a scalar"],
    ),
    "a choice by numbers": (
        "pl.select(a, §b, a, b, b)",
        ["select: mask has a bit for each element"],
    ),
    "a scalar over its source": (
        "m = pl.make_tile(pl.TileType([16, 32], pl.DT_UINT8), addr=44 * KB)\n"
        "pl.sels(§a, m, a, None, 1.0)",
        ["sels: the scalar is written to out, which must be another tile than src; give a tmp"],
    ),
    "scratch that overlaps": (
        "e = pl.make_tile(I32, addr=44 * KB)\npl.xor(d, d, e, §e)",
        ["xor: tmp must not overlap the other tiles, got 'e' again"],
    ),
    "scratch of another type": (
        "e = pl.make_tile(I32, addr=44 * KB)\npl.xor(d, d, e, §a)",
        ["xor: tmp is FP32, out is INT32"],
    ),
    "a rest of two types": ("pl.rem(a, a, §c)", ["rem: rhs is FP16, out is FP32"]),
    "a fraction among bits": ("pl.ands(d, d, §0.5)", ["0.5 meets elements of INT32"]),
    "the third overwritten": (
        "pl.addc(a, b, b, §a)",
        ["addc: c must be another tile than out, which holds the first sum when it is read"],
    ),
    "a third of another type": ("pl.subsc(a, a, 1.0, §c)", ["subsc: c is FP16, out is FP32"]),
    # Of several instructions.
    "a sum over its product": (
        "pl.fused_mul_add(a, b, §a)",
        ["rhs must be another tile than out, which holds the product when it is read"],
    ),
    "a product of two types": ("pl.mul_add_dst(a, b, §c)", ["mul_add_dst: rhs is FP16, out is"]),
    "axpy of integers": ("pl.axpy(§d, d, 2)", ["axpy: takes FP16 or FP32 as out, found INT32"]),
    "axpy that narrows": ("pl.axpy(c, §a, 2.0)", ["axpy: takes FP16 as src, found FP32"]),
    "another target": (
        "pl.add_relu_cast(c, a, b, target_type=§pl.DT_BF16)",
        ["target_type is the element type of out, FP16, got"],
    ),
    "no target": ("§pl.mul_cast(c, a, b)", ["argument 'target_type' is missing"]),
    "both parts smaller": (
        "pl.partadd(a, §short, short)",
        ["s0 or s1 must have the valid part of out, [16, 64], got [10, 64] and [10, 64]"],
    ),
    "a part in place": (
        "pl.set_validshape(b, [10, 64])\nf = pl.make_tile(F32, addr=44 * KB)\n"
        "pl.partmax(short, short, §f)",
        ["partmax: s1 has more valid elements than out: [16, 64] and [10, 64]"],
    ),
    "a part that the run knows": (
        "pl.set_validshape(b, [n, 64])\npl.partmin(a, a, §b)",
        ["which source is smaller must be known at compile time"],
    ),
    # Quantised.
    "an offset that is missing": (
        "i = pl.make_tile(pl.TileType([16, 64], pl.DT_INT8), addr=64 * KB)\n"
        "pl.quant(i, a, col, mode=§pl.QuantMode.ASYM)",
        ["quant in 'asym' mode requires an offset argument"],
    ),
    "an offset too many": (
        "i = pl.make_tile(pl.TileType([16, 64], pl.DT_INT8), addr=64 * KB)\n"
        "pl.quant(i, a, col, offset=§col)",
        ["quant: offset is for mode=pl.QuantMode.ASYM"],
    ),
    "quantised to words": ("pl.quant(§d, a, col)", ["quant: takes INT8 or UINT8 as out, found"]),
    "quantised from halves": (
        "i = pl.make_tile(pl.TileType([16, 64], pl.DT_INT8), addr=64 * KB)\npl.quant(i, §c, col)",
        ["quant: takes FP32 as src, found FP16"],
    ),
    "a scale of rows": (
        "i = pl.make_tile(pl.TileType([16, 64], pl.DT_INT8), addr=64 * KB)\npl.quant(i, a, §b)",
        ["quant: scale must be [M, 1] of layout DN, got [16, 64]"],
    ),
    "from words": ("pl.dequant(a, §d, col, col)", ["dequant: takes INT8 or INT16 as src, found"]),
    "a number for an offset": (
        "i = pl.make_tile(pl.TileType([16, 64], pl.DT_INT8), addr=64 * KB)\n"
        "pl.dequant(a, i, col, §3)",
        ["dequant: offset must be a tile, found"],
    ),
    # Other shapes.
    "no value to fill with": (
        "pl.fillpad(§a, short)",
        ["fillpad: the type of out says what fills it: pl.TileType(..., pad=pl.TilePad.zero)"],
    ),
    "a larger tile to fill": (
        "pl.fillpad(§big, short)",
        ["with mode NORMAL out must be of the shape of src, [16, 64], got [32, 64]"],
    ),
    "a smaller tile to fill": (
        "pl.fillpad(§a, big, mode=pl.FillPadMode.EXPAND)",
        ["with mode EXPAND out must be at least as large as src, [32, 64], got [16, 64]"],
    ),
    "elsewhere in place": (
        "pl.fillpad(a, §short, mode=pl.FillPadMode.INPLACE)",
        ["with mode INPLACE out must be at the address of src"],
    ),
    "itself not in place": (
        "pl.fillpad(a, §a)",
        ["src must be another tile than out, unless mode is FillPadMode.INPLACE"],
    ),
    "a mode by name": (
        'pl.fillpad(a, short, mode=§"EXPAND")',
        ["'mode' expects an enum value, not 'EXPAND'"],
    ),
    "a transpose in place": (
        "pl.transpose(a, §a)",
        ["src must be another tile than out, as it is read while out is written"],
    ),
    "a transpose of other extents": (
        "pl.transpose(§a, b)",
        ["out must have rows and columns of src exchanged: [16, 64] of [16, 64]"],
    ),
    "a transpose of 64 bits": (
        "l = pl.make_tile(pl.TileType([16, 16], pl.DT_INT64), addr=64 * KB)\n"
        "m = pl.make_tile(pl.TileType([16, 16], pl.DT_INT64), addr=68 * KB)\n"
        "pl.transpose(l, §m)",
        ["pl.transpose of INT64 is not supported yet; elements of 8, 16 and 32 bits are"],
    ),
    "a transpose of a column": (
        "r = pl.make_tile(pl.TileType([1, 16], pl.DT_FP32), addr=44 * KB)\npl.transpose(r, §col)",
        ["transpose: src must be of layout ND, got DN"],
    ),
    "other elements than there are": (
        "pl.reshape(§big, a)",
        ["out must have the 1024 elements of src, got 2048: [32, 64] of [16, 64]"],
    ),
    "a shape that the run knows": (
        "pl.set_validshape(b, [n, 64])\n§pl.reshape(a, b)",
        ["pl.reshape of tiles whose valid part is known at run time only is not supported yet"],
    ),
    "a copy of another type": ("§pl.ub_copy(c, a)", ["does not convert: src_tile is FP32"]),
    "numbers of another type": ("pl.fill_index(§a, 0)", ["fill_index: out must be INT32, got"]),
    "numbers in rows": (
        "pl.fill_index(§d, 0)",
        ["fill_index: out must have one valid row, got [16, 64]"],
    ),
    # Types of tiles.
    "ints are no enum": (
        "t = pl.TileType([16, 64], pl.DT_FP32, §1)",
        ["'target_memory' expects an enum value, not 1", "pl.MemorySpace: DDR, Vec"],
    ),
    "strings are no enum": (
        'pl.cast(c, a, mode=§"rint")',
        ["'mode' expects an enum value, not 'rint'", "CAST_RINT"],
    ),
    "another enum": (
        "t = pl.TileType([16, 64], pl.DT_FP32, layout=§pl.TilePad.zero)",
        ["'layout' expects an enum value, not pl.TilePad.zero"],
    ),
    "a tile in DDR": (
        "t = pl.TileType([16, 64], pl.DT_FP32, §pl.MemorySpace.DDR)",
        ["a tile is on chip, and DDR is not"],
    ),
    "a tile in Scaling": (
        "t = pl.TileType([16, 64], pl.DT_FP32, §pl.MemorySpace.Scaling)",
        ["tiles in Scaling are not supported yet"],
    ),
    "a layout that the space has not": (
        "t = pl.TileType([16, 64], pl.DT_FP16, LEFT, layout=§pl.ZZ)",
        ["Left tiles require layout in {NZ}, got ZZ. Default for 'a5' is NZ"],
    ),
    "a shape of three": (
        "t = pl.TileType(§[2, 16, 64], pl.DT_FP32)",
        ["a tile has two dimensions, found [2, 16, 64]"],
    ),
    "an empty shape": (
        "t = pl.TileType(§[0, 64], pl.DT_FP32)",
        ["the shape of a tile is positive, found [0, 64]"],
    ),
    "a shape of the run's": (
        "t = pl.TileType(§[n, 64], pl.DT_FP32)",
        ["the shape of a tile must be known at compile time"],
    ),
    "rows of 40 bytes": (
        "t = pl.TileType(§[16, 10], pl.DT_FP32)",
        ["multiple of 32 bytes", "make it 16 columns wide", "valid_shape=[16, 10]"],
    ),
    "a column of layout ND": (
        "t = pl.TileType(§[16, 1], pl.DT_FP32, layout=pl.ND)",
        ["a column of values has layout=pl.DN"],
    ),
    "INT4": (
        "t = pl.TileType([16, 64], §pl.DT_INT4)",
        ["tiles of INT4 are not supported yet; FP16, BF16, FP32 and integers of 8 to 64 bits are"],
    ),
    "FP8": (
        "t = pl.TileType([16, 64], §pl.DT_FP8E4M3FN)",
        ["tiles of FP8E4M3FN are not supported yet"],
    ),
    "no element type": (
        "t = pl.TileType([16, 64], §3)",
        ["dtype is an element type such as pl.DT_FP16, found 3"],
    ),
    "more valid than there is": (
        "t = pl.TileType([16, 64], pl.DT_FP32, valid_shape=§[17, 64])",
        ["a valid extent is 1 to that of the tile, 16", "found 17"],
    ),
    "padding of Mat": (
        "t = pl.TileType([16, 64], pl.DT_FP16, MAT, pad=§pl.TilePad.zero)",
        ["pad= is for tiles in Vec, which pl.fillpad fills; got Mat"],
    ),
    "fractals of 1024 bytes": (
        "t = pl.TileType([16, 64], pl.DT_FP16, MAT, fractal=§1024)",
        ["fractals of 1024 bytes are not supported", "have 512"],
    ),
    # Tiles.
    "an address that is not aligned": (
        "t = pl.make_tile(F32, addr=§0x28)",
        ["Tile address 0x28 is not 32-byte aligned for memory space Vec"],
    ),
    "an address in Left": (
        "t = pl.make_tile(pl.TileType([16, 16], pl.DT_FP16, LEFT), addr=§0x100)",
        ["Tile address 0x100 is not 512-byte aligned for memory space Left"],
    ),
    "beyond the space": (
        "t = pl.make_tile(F32, addr=§246 * KB)",
        ["does not fit Vec", "4096 bytes at 0x3d800 reach 0x3e800", "253952 bytes"],
    ),
    "a size that is too small": (
        "t = pl.make_tile(F32, addr=0, size=§64)",
        ["size=64 is less than the 4096 bytes of a [16, 64] FP32 tile in Vec"],
    ),
    "an address of the run's": (
        "t = pl.make_tile(F32, addr=§n)",
        ["the address of a tile must be known at compile time"],
    ),
    "no type of a tile": (
        "t = pl.make_tile(§3, addr=0)",
        ["tile_type is a pl.TileType(...), found 3"],
    ),
    # Groups.
    "how many tiles": (
        "g = §pl.make_tile_group(type=F32, addrs=0)",
        ["how many tiles? Say depth=, mutex_ids=, or a list of addrs"],
    ),
    "a mutex id beyond the language's": (
        "g = pl.make_tile_group(type=F32, addrs=0, mutex_ids=§[32])",
        ["mutex ids are in [0, 31], got 32"],
    ),
    "a mutex id of the chip's own": (
        "g = pl.make_tile_group(type=F32, addrs=0, mutex_ids=§[28])",
        ["mutex ids of a kernel on 'a5' are in [0, 27], got 28"],
    ),
    "a mutex id twice": (
        "g = pl.make_tile_group(type=F32, addrs=0, mutex_ids=§[1, 1])",
        ["1 is twice in mutex_ids"],
    ),
    "an address twice": (
        "g = pl.make_tile_group(type=F32, addrs=§[0, 0])",
        ["0x0 is twice in addrs"],
    ),
    "ids for other tiles": (
        "g = pl.make_tile_group(type=F32, addrs=§[0, 8192], mutex_ids=[1])",
        ["2 addrs for 1 tiles"],
    ),
    "depth and ids": (
        "g = pl.make_tile_group(type=F32, addrs=0, mutex_ids=[1], depth=§2)",
        ["depth=2, and there are 1 mutex_ids"],
    ),
    "ids of a pipeline": (
        "g = pl.make_tile_group(type=F32, addrs=0, depth=2, fwd_ids=§[1, 2])",
        ["fwd_ids= is not supported yet"],
    ),
    "a group beyond the space": (
        "g = pl.make_tile_group(type=F32, addrs=§240 * KB, depth=4)",
        ["does not fit Vec"],
    ),
    "a group as a tile": (
        "pl.add(§group, a, b)",
        ["out must be a tile, found a group of 2 tiles", "group.next()"],
    ),
    # Arrays.
    "strides for other dimensions": (
        "t = pl.make_tensor(p, [4, 4], §[1])",
        ["1 strides for 2 dimensions"],
    ),
    "a negative extent": ("t = pl.make_tensor(p, §[-4, 4])", ["extent -4 is negative"]),
    "no pointer": ("t = pl.make_tensor(§3, [4])", ["takes a pointer or a tensor, found 3"]),
    "sub-byte elements": (
        "t = pl.make_ptr(p, §pl.DT_INT4)",
        ["arrays of INT4 are not supported yet"],
    ),
    "an address of nothing": ("t = pl.addptr(§3, 4)", ["takes a pointer, found 3"]),
    # Loads and stores.
    "a load into Left": (
        "pl.load(§left, h, [0, 0])",
        ["load: dst_tile must be in Vec or Mat, got Left"],
    ),
    "a load of a pointer": (
        "pl.load(c, §p, [0, 0])",
        ["src_tensor must be a tensor, got pointer to FP16; pl.make_tensor"],
    ),
    "a load that converts": (
        "§pl.load(c, x, [0, 0])",
        ["load: does not convert: the tile is FP16, the tensor FP32"],
    ),
    "offsets for other dimensions": (
        "pl.load(a, x, §[0])",
        ["1 offsets for a tensor of 2 dimensions"],
    ),
    "a negative offset": (
        "pl.load(a, x, [0, §-1])",
        ["offset -1 in dimension 1 is negative"],
    ),
    "an offset beyond": (
        "pl.load(a, x, [§64, 0])",
        ["offset 64 in dimension 0 is beyond the tensor's 64"],
    ),
    "tile offsets beyond": (
        "pl.load_tile(a, x, [§4, 0])",
        ["offset 64 in dimension 0 is beyond the tensor's 64"],
    ),
    "an offset that is no integer": ("pl.load(a, x, [§f, 0])", ["is an integer, found FP32"]),
    "order axes twice": (
        "pl.load(c, batch, [0, 0, 0, 0], order=§[1, 1])",
        ["order axes must be unique, got [1, 1]"],
    ),
    "an order axis beyond": (
        "pl.load(c, batch, [0, 0, 0, 0], order=§[1, 4])",
        ["order axis 4 is out of range"],
    ),
    "order of a line": (
        "pl.load(a, line, [0], order=§[0, 0])",
        ["a tensor of one dimension has no order"],
    ),
    "a transposing load into Vec": (
        "pl.load(a, x, [0, 0], order=§[1, 0])",
        ["a transposing load", "layout ND in Vec is not supported"],
    ),
    "a transposing store": (
        "pl.store(x, a, [0, 0], order=§[1, 0])",
        ["order must be ascending, got [1, 0]"],
    ),
    "a store that converts": (
        "§pl.store(h, a, [0, 0])",
        ["store: does not convert: the tile is FP32, the tensor FP16", "pl.cast"],
    ),
    "relu of a tile in Vec": (
        "pl.store(x, a, [0, 0], relu_pre_mode=§pl.ReluPreMode.NormalRelu)",
        ["relu_pre_mode is for a tile in Acc, got Vec"],
    ),
    "a phase of a tile in Vec": (
        "pl.store(x, a, [0, 0], phase=§pl.STPhase.Final)",
        ["phase is for a tile in Acc, got Vec"],
    ),
    "a scale": ("pl.store(x, a, [0, 0], scale=§2.0)", ["scale= is not supported yet"]),
    "an atomic that is an int": (
        "pl.store(x, a, [0, 0], atomic=§1)",
        ["'atomic' expects an enum value, not 1"],
    ),
    # Valid extents.
    "nothing is valid": (
        "pl.set_validshape(a, §[0, 4])",
        ["set_validshape rows=0 must be positive"],
    ),
    "more valid than the tile": (
        "pl.set_validshape(a, §[4, 65])",
        ["set_validshape cols=65 exceeds tile cols 64"],
    ),
    "valid rows only": ("pl.set_validshape(a, §[4])", ["shape has two numbers, got 1"]),
    # Element by element.
    "other element types": (
        "pl.add(a, §c, b)",
        ["add: lhs is FP16, out is FP32; convert one with pl.cast"],
    ),
    "other extents": ("pl.add(a, b, §big)", ["rhs has 32 valid rows, out has 16"]),
    "other valid extents": (
        "pl.add(a, §short, b)",
        ["lhs has 10 valid rows, out has 16", "pl.set_validshape"],
    ),
    "a tensor as an operand": ("pl.add(a, §x, b)", ["lhs must be a tile, found [64, 128] FP32"]),
    "a destination in Acc": ("pl.add(§acc, a, b)", ["add: out must be in Vec, got Acc"]),
    "a number as the first source": ("pl.add(a, §1.0, b)", ["lhs must be a tile, got 1.0"]),
    "a tile where a scalar is": (
        "pl.adds(a, b, §a)",
        ["rhs must be a scalar, got [16, 64] FP32 tile in Vec"],
    ),
    "a fraction among integers": (
        "pl.add(d, d, §1.5)",
        ["1.5 meets elements of INT32"],
    ),
    "an integer of the run's among floats": (
        "pl.mul(a, b, §n)",
        ["a scalar of INDEX meets elements of FP32", "multiply it by 1.0"],
    ),
    "a float of the run's among integers": (
        "pl.mul(d, d, §f)",
        ["a scalar of FP32 meets elements of INT32"],
    ),
    "a number that does not fit": ("pl.add(d, d, §1 << 40)", ["does not fit INT32"]),
    "a cast to itself": ("§pl.cast(a, b)", ["cast: converts FP32 to itself"]),
    "CAST_ODD": (
        "pl.cast(a, d, mode=§pl.RoundMode.CAST_ODD)",
        ["CAST_ODD is from FP32 to FP16 only, got INT32 to FP32"],
    ),
    "CAST_NONE that rounds": (
        "pl.cast(c, a, mode=§pl.RoundMode.CAST_NONE)",
        ["CAST_NONE is for conversions that lose nothing; FP32 to FP16 rounds"],
    ),
    # Rows.
    "a reduction into a row": (
        "pl.row_max(§a, b)",
        ["row_max: out must be [M, 1] of layout DN, got [16, 64] of layout ND"],
    ),
    "a reduction of other rows": (
        "pl.row_sum(§col, big)",
        ["out has 16 values for 32 rows"],
    ),
    "a sum of columns into a column": (
        "pl.sum(§col, a, b, dim=1)",
        ["sum: out must be [1, N] of layout ND, got [16, 1] of layout DN"],
    ),
    "a reduction of other columns": (
        "r = pl.make_tile(pl.TileType([1, 32], pl.DT_FP32), addr=44 * KB)\npl.col_max(§r, a)",
        ["col_max: out has 32 values for 64 columns; there is one for each"],
    ),
    "a value for each column that is none": (
        "pl.col_expand_mul(a, a, §b)",
        ["col_expand_mul: col_vec must be [1, N] of layout ND, got [16, 64]"],
    ),
    "values of another type": (
        "r = pl.make_tile(pl.TileType([1, 64], pl.DT_FP16), addr=44 * KB)\n"
        "pl.expand_max(a, a, §r, dim=1)",
        ["expand_max: scalar_tile is FP16, out is FP32"],
    ),
    "a spread of a tile": (
        "pl.row_expand(a, §b)",
        ["row_expand: row_vec must be [M, 1] of layout DN"],
    ),
    "dim beyond": ("pl.sum(col, a, b, dim=§2)", ["dim is 0 or 1, got 2"]),
    "the smallest of a row of another type": (
        "pl.minimum(col, §c, b, dim=0)",
        ["minimum: lhs is FP16, out is FP32"],
    ),
    "a broadcast of a tile": (
        "pl.expand_sub(a, b, §a)",
        ["scalar_tile must be [M, 1] of layout DN"],
    ),
    # Single elements and slices.
    "an element of Mat": (
        "v = §mat[0, 0]",
        ["the scalar unit reaches tiles in Vec and arrays in DDR only"],
    ),
    "one index of two": ("v = a[§3]", ["has 2 indices, found 1"]),
    "an index beyond": ("v = a[§16, 0]", ["index 16 in dimension 0 is not within the 16 of"]),
    "an index beyond what is valid": ("v = short[§12, 0]", ["not within the 10 of"]),
    "an element of another kind": (
        "§a[0, 0] = n",
        ["a scalar of INDEX meets elements of FP32"],
    ),
    "a slice beyond": (
        "pl.add(§a[8:24, :], b, b)",
        ["the slice of 8 to 24 in dimension 0 is not within the 16 of 'a'"],
    ),
    "a slice of unknown length": (
        "pl.add(§a[0:n, :], b, b)",
        ["how many elements a slice of a tile has is known at compile time"],
    ),
    "a slice with a step": ("pl.add(§a[0:16:2, :], b, b)", ["has no step"]),
    "a slice of Mat": (
        "pl.move(left, §mat[0:64, 0:128])",
        ["a slice is of a tile in Vec of layout ND or DN", "offset="],
    ),
    "a slice of a tensor": ("pl.load(a, §x[0:16, 0:64], [0, 0])", ["a slice is of a tile"]),
    # Order.
    "an event id beyond": (
        "pl.system.sync_src(set_pipe=V, wait_pipe=MTE2, event_id=§6)",
        ["event_id must be in [0, 6), got 6"],
    ),
    "a pipe with itself": (
        "pl.system.sync_src(set_pipe=MTE2, wait_pipe=§MTE2, event_id=0)",
        ["an event joins two pipes, got MTE2 twice", "pl.system.bar_mte2()"],
    ),
    "V with itself": (
        "pl.system.sync_dst(set_pipe=V, wait_pipe=§V, event_id=0)",
        ["the compiler orders the instructions of pipe V"],
    ),
    "pipes that no event joins": (
        "§pl.system.sync_src(set_pipe=MTE1, wait_pipe=S, event_id=0)",
        ["no event of the chip joins MTE1 and S"],
    ),
    "pipes of the other core": (
        "§pl.system.sync_src(set_pipe=MTE1, wait_pipe=M, event_id=0)",
        ["no event of an AIV joins MTE1 and M, and this is in `with pl.section_vector():`"],
    ),
    "a barrier of the other core": (
        "§pl.system.bar_m()",
        ["the AIV has no pipe M, and this is in `with pl.section_vector():`"],
    ),
    "an event id that is a float": (
        "pl.system.sync_src(set_pipe=V, wait_pipe=MTE2, event_id=§1.5)",
        ["is an integer, found 1.5"],
    ),
    "a pipe by its number": (
        "pl.system.sync_src(set_pipe=§4, wait_pipe=MTE2, event_id=0)",
        ["'set_pipe' expects an enum value, not 4"],
    ),
    "a signal beyond": (
        "pl.system.set_cross_core(pipe=V, event_id=§16)",
        ["event_id must be in [0, 16), got 16"],
    ),
    "a signal of the chip's own": (
        "pl.system.wait_cross_core(pipe=V, event_id=§12)",
        ["event_id 12 belongs to the chip"],
    ),
    "a signal of pipe S": (
        "pl.system.set_cross_core(pipe=§S, event_id=0)",
        ["pipe is one of V, M, MTE1, MTE2, MTE3 and FIX, got S"],
    ),
    "a signal to one AIV": (
        "pl.system.set_cross_core(pipe=V, event_id=0,"
        " sync_mode=§pl.CrossCoreSyncMode.UNICAST_BLOCK)",
        ["UNICAST_BLOCK", "is not supported yet"],
    ),
    "workspaces of a hard barrier": (
        "pl.system.sync_all(§[x])",
        ["Hard mode sync_all does not accept workspace arguments"],
    ),
    "a soft barrier without workspaces": (
        "§pl.system.sync_all(mode=pl.SyncAllMode.SOFT)",
        ["Soft mode sync_all requires workspaces list"],
    ),
    "a soft barrier": (
        "pl.system.sync_all([x], mode=§pl.SyncAllMode.SOFT)",
        ["SyncAllMode.SOFT is not supported yet"],
    ),
    "a barrier of the other cores": (
        "pl.system.sync_all(core_type=§pl.SyncCoreType.AIC_ONLY)",
        ["never comes to an end"],
    ),
    "the cache of a tile": (
        "pl.system.dcci(§a)",
        ["target must be a tensor or a pointer", "only what lies in DDR is cached"],
    ),
    "a cache line to elsewhere": (
        "pl.system.dcci(x, dst=§pl.DcciDst.CACHELINE_ALL)",
        ["dst= is not supported yet"],
    ),
    "a lock beyond": (
        "pl.mutex.mutex_lock(pipe=V, mutex_id=§28)",
        ["mutex ids of a kernel on 'a5' are in [0, 27], got 28"],
    ),
    "a lock of no number": (
        "pl.mutex.mutex_lock(pipe=V, mutex_id=§1 << 70)",
        ["mutex_id has 64 bits, found 1180591620717411303424"],
    ),
    "an extent of no number": (
        "t = pl.make_tensor(p, §[1 << 70, 4])",
        ["each extent has 64 bits"],
    ),
    "a lock of all pipes": (
        "pl.mutex.mutex_lock(pipe=§ALL, mutex_id=2)",
        ["a single pipe, got ALL"],
    ),
    "a lock of another mode": (
        "pl.system.mutex_unlock(pipe=V, mutex_id=2, mode=§1)",
        ["mode= is not supported yet"],
    ),
    "a product": ("§pl.matmul(acc, left, right)", ["matmul: the AIC does it"]),
    "a load into Mat": ("§pl.load(mat, h, [0, 0])", ["load: the AIC does it"]),
    "a move to Left": ("§pl.move(left, mat)", ["move: the AIC does it"]),
    # Printing.
    "an unknown format": (
        'pl.printf(§"%s", n)',
        ["the format has '%s'; it takes %d, %i, %u, %x, %f and %%"],
    ),
    "a pointer's format": ('pl.printf(§"%p", n)', ["%p is not supported yet"]),
    "too few arguments": (
        '§pl.printf("%d %d", n)',
        ["the format wants 2 arguments, found 1"],
    ),
    "a float as %d": ('§pl.printf("%d", f)', ["%d does not print argument 1, FP32; write %f"]),
    "an integer as %f": ('§pl.printf("%f", n)', ["%f prints FP32, argument 1 is INDEX"]),
    "a format that is no string": ("pl.printf(§n)", ["the format is a string"]),
    "a dump of half a window": (
        "§pl.dump_data(a, [0, 0])",
        ["offsets and shapes go together"],
    ),
    "a dump beyond the tile": (
        "pl.dump_data(a, §[0, 32], [16, 64])",
        ["the window is not within the 64 of 'a' in dimension 1"],
    ),
    "a dump of nothing": ("pl.dump_data(a, [0, 0], §[0, 64])", ["is not within the 16 of 'a'"]),
    "a dump of the other core's tile": (
        "pl.dump_data(§acc)",
        ["a tile in Vec in a vector section, or one in Acc in a cube section"],
    ),
    # What comes later, and what there never was.
    "an operation that comes later": (
        "§pl.gatherb(a, b, col)",
        ["pl.gatherb is not supported yet"],
    ),
    "MX products": (
        "§pl.matmul_mx(acc, left, right, a, b)",
        ["pl.matmul_mx is not supported yet: MX products and their types come later"],
    ),
    "set_flag": (
        "§pl.system.set_flag(V, MTE2, 0)",
        ["pl.system has no 'set_flag'; the language says it as pl.system.sync_src"],
    ),
    "bar_v": ("§pl.system.bar_v()", ["pl.system has no 'bar_v': the compiler writes"]),
    "a misspelt name": ("§pl.matmull(acc, left, right)", ["did you mean pl.matmul?"]),
    "a missing argument": ("§pl.add(a, b)", ["argument 'rhs' is missing; it is pl.add(out: Tile"]),
    "an unknown keyword": (
        "pl.load(a, x, [0, 0], orders=§[0, 1])",
        ["pl.load has no argument 'orders'; did you mean 'order'?"],
    ),
}

CUBE = {
    "a store from Mat": (
        "pl.store(h, §mat, [0, 0])",
        ["store: src_tile must be in Vec or Acc, got Mat"],
    ),
    "a store of FP32 as INT32": (
        "i = pl.make_tensor(line, [64, 64], dtype=pl.DT_INT32)\n§pl.store(i, acc, [0, 0])",
        ["does not convert", "an FP32 accumulator goes to FP32, FP16 or BF16"],
    ),
    "a sum": ("§pl.add(a, a, b)", ["add: the AIV does it, and this is in `with pl.section_cube"]),
    "a load into Vec": ("§pl.load(a, x, [0, 0])", ["load: the AIV does it"]),
    "an insert": ("§pl.insert(mat, c, [0, 0])", ["insert: the AIV does it"]),
    "an element of the AIV's": ("v = §a[0, 0]", ["'a' is a tile of the AIV, and this is in"]),
    "a path that the chip has not": (
        "§pl.move(left, acc)",
        ["unsupported data path src(Acc)->dst(Left), supported paths: Mat->Left, Mat->Right"],
    ),
    "other extents": (
        "half = pl.make_tile(pl.TileType([64, 64], pl.DT_FP16, LEFT), addr=32 * KB)\n"
        "§pl.move(half, mat)",
        ["dst_tile must be [64, 128] or of swapped extents, got [64, 64]", "offset="],
    ),
    "an accumulator to other extents": (
        "§pl.move(a, acc)",
        ["dst_tile must be [64, 64], got [16, 64]"],
    ),
    "a mode of what is no accumulator": (
        "pl.move(left, mat, acc_to_vec_mode=§pl.AccToVecMode.SingleModeVec0)",
        ["acc_to_vec_mode is for a tile in Acc, got Mat"],
    ),
    "halves of other extents": (
        "o = pl.make_tile(pl.TileType([64, 64], pl.DT_FP16), addr=0)\n"
        "§pl.move(o, acc, acc_to_vec_mode=pl.AccToVecMode.DualModeSplitM)",
        ["dst_tile must be [32, 64], got [64, 64]"],
    ),
    "columns that halve into no fractals": (
        "o = pl.make_tile(pl.TileType([16, 48], pl.DT_FP32, ACC), addr=0)\n"
        "v = pl.make_tile(pl.TileType([16, 24], pl.DT_FP32), addr=0)\n"
        "§pl.move(v, o, acc_to_vec_mode=pl.AccToVecMode.DualModeSplitN)",
        ["DualModeSplitN of 48 columns is not supported; use a multiple of 32"],
    ),
    "an offset beyond": (
        "half = pl.make_tile(pl.TileType([64, 64], pl.DT_FP16, LEFT), addr=32 * KB)\n"
        "pl.move(half, mat, §[0, 128])",
        ["offset 128 in dimension 1 must be less than the 128 of src_tile"],
    ),
    "an offset that is not a fractal's": (
        "half = pl.make_tile(pl.TileType([64, 64], pl.DT_FP16, LEFT), addr=32 * KB)\n"
        "pl.move(half, mat, §[0, 8])",
        ["offset 8 in dimension 1 is not a multiple of 16, the fractal"],
    ),
    "a window beyond": (
        "half = pl.make_tile(pl.TileType([64, 64], pl.DT_FP16, LEFT), addr=32 * KB)\n"
        "pl.move(half, mat, §[0, 80])",
        ["64 from offset 80 on in dimension 1 reach beyond the 128 of src_tile"],
    ),
    "a plain load into ZN": (
        "§pl.load(turned, h, [0, 0])",
        ["a tile of layout ZN in Mat takes a transposing load"],
    ),
    "a transposing load into NZ": (
        "pl.load(mat, h, [0, 0], order=§[1, 0])",
        ["use layout=pl.ZN for the tile"],
    ),
    "a product into Vec": (
        "pl.matmul(§a, left, right)",
        ["matmul: dst must be in Acc, got Vec"],
    ),
    "a product of Mat": (
        "pl.matmul(acc, §mat, right)",
        ["matmul: lhs must be in Left, got Mat"],
    ),
    "sides exchanged": (
        "pl.matmul(acc, left, §left)",
        ["matmul: rhs must be in Right, got Left"],
    ),
    "a product of rows by gemv": (
        "pl.gemv(acc, §left, right)",
        ["gemv: lhs must have one valid row, got [64, 128]"],
    ),
    "INT16 operands": (
        "l = pl.make_tile(pl.TileType([64, 64], pl.DT_INT16, LEFT), addr=0)\n"
        "pl.matmul(acc, §l, right)",
        ["products of INT16 are not supported yet; FP16, BF16, FP32, INT8 are"],
    ),
    "other element types": (
        "r = pl.make_tile(pl.TileType([128, 64], pl.DT_BF16, RIGHT), addr=0)\n"
        "pl.matmul(acc, left, §r)",
        ["matmul: rhs is BF16, lhs is FP16"],
    ),
    "K that differs": (
        "r = pl.make_tile(pl.TileType([64, 64], pl.DT_FP16, RIGHT), addr=0)\n"
        "§pl.matmul(acc, left, r)",
        ["lhs has 128 columns and rhs 64 rows: [64, 128] x [64, 64]"],
    ),
    "a result of other extents": (
        "r = pl.make_tile(pl.TileType([128, 32], pl.DT_FP16, RIGHT), addr=0)\n"
        "pl.matmul(§acc, left, r)",
        ["dst must be [64, 32], the rows of lhs and the columns of rhs; got [64, 64]"],
    ),
    "an accumulator of FP16": (
        "o = pl.make_tile(pl.TileType([64, 64], pl.DT_FP16, ACC), addr=0)\n"
        "pl.matmul(§o, left, right)",
        ["dst must be FP32"],
    ),
    "another accumulator": (
        "pl.matmul_acc(acc, §other, left, right)",
        ["acc must be the tile dst", "'acc' and 'other'"],
    ),
    "a bias in Vec": (
        "pl.matmul(acc, left, right, §a)",
        ["matmul: bias must be in Bias, got Vec"],
    ),
    "a bias of other columns": (
        "o = pl.make_tile(pl.TileType([1, 32], pl.DT_FP32, pl.MemorySpace.Bias), addr=0)\n"
        "pl.matmul(acc, left, right, §o)",
        ["bias must be [1, 64] of FP32", "got [1, 32] FP32"],
    ),
    "a phase of a store": (
        "pl.matmul(acc, left, right, phase=§pl.STPhase.Final)",
        ["'phase' expects an enum value, not pl.STPhase.Final"],
    ),
    "a signal between AIVs": (
        "pl.system.set_cross_core(pipe=FIX, event_id=0,"
        " sync_mode=§pl.CrossCoreSyncMode.INTER_SUBBLOCK)",
        ["INTER_SUBBLOCK is between the two AIVs of a cluster"],
    ),
    "a dump without workspace": (
        "§pl.dump_data(acc)",
        ["a tile in Acc needs workspace="],
    ),
}

# What the 910B has not.
OLD = {
    "a layout of the other chip": (
        "t = pl.TileType([16, 64], pl.DT_FP16, LEFT, layout=§pl.NZ)",
        ["Left tiles require layout in {ZZ}, got NZ. Default for 'a3' is ZZ"],
    ),
    "ScaleLeft": (
        "t = pl.TileType([16, 64], pl.DT_FP16, §pl.MemorySpace.ScaleLeft)",
        ["ScaleLeft is only supported on A5"],
    ),
    "a lock": (
        "§pl.mutex.mutex_lock(pipe=MTE2, mutex_id=2)",
        ["pl.mutex.mutex_lock is only supported on A5, not on 'a3'"],
    ),
    "Acc to Vec": (
        "§pl.move(big, other)",
        ["unsupported data path src(Acc)->dst(Vec)", "(on 'a3')"],
    ),
    "Vec to Mat": (
        "§pl.insert(mat, c, [0, 0])",
        ["unsupported data path src(Vec)->dst(Mat)"],
    ),
}

CASES = {
    **{f"vector: {name}": ("section_vector", "a5", *case) for name, case in VECTOR.items()},
    **{f"cube: {name}": ("section_cube", "a5", *case) for name, case in CUBE.items()},
    **{f"910B: {name}": ("section_cube", "a3", *case) for name, case in OLD.items()},
}


def program(section, arch, body):
    inner = textwrap.indent(body, " " * 8)
    return HEAD.replace("{arch}", arch) + f"    with pl.{section}():\n{inner}\n"


def test_what_stands_in_no_section_is_for_both_cores(load):
    body = "    pl.add(a, a, b)\n    with pl.section_cube():\n        pl.load(mat, h, [0, 0])\n"
    with pytest.raises(pypto.CompileError) as error:
        load(HEAD.replace("{arch}", "a5") + body).kernel.as_mlir()
    words = "what stands in no section is for the AIC too; put it in `with pl.section_vector():`"
    assert words in error.value.diagnostics[0].message


@pytest.mark.parametrize("name", CASES)
def test_it_is_refused_where_it_is_wrong(name, load):
    section, arch, body, words = CASES[name]
    text = program(section, arch, body)
    line = next(n for n, row in enumerate(text.splitlines(), 1) if "§" in row)
    column = text.splitlines()[line - 1].index("§") + 1
    with pytest.raises(pypto.CompileError) as error:
        load(text.replace("§", "")).kernel.as_mlir()
    found = error.value.diagnostics[0]
    for word in words:
        assert word in found.message, found.message
    assert (found.line, found.column) == (line, column), str(error.value)
    assert found.end_column > column, str(error.value)
