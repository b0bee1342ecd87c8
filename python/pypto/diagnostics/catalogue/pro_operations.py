# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""PTO-51xx: operations of PyPTO Pro."""

from .entry import Entry, pro, pro_tiles

H = "h: pl.Tensor[[64, 64], pl.DT_FP16], n: pl.DT_INT64"
CUBE = """\
MAT, ACC = pl.MemorySpace.Mat, pl.MemorySpace.Acc
LEFT, RIGHT = pl.MemorySpace.Left, pl.MemorySpace.Right
l = pl.make_tile(pl.TileType([64, 32], pl.DT_FP16, LEFT), addr=0)
r = pl.make_tile(pl.TileType([64, 64], pl.DT_FP16, RIGHT), addr=0)
c = pl.make_tile(pl.TileType([64, 64], pl.DT_FP32, ACC), addr=0)
"""
ENTRIES = [
    Entry(
        5101,
        "A tile in a space that the operation does not take",
        (
            "must be in …, got",
            "is for a tile in Acc, got",
            "is for tiles in Vec, which",
            "acc_to_vec_mode is for",
            "the scalar unit reaches tiles in Vec",
            "a tile in Vec in a vector section",
        ),
        "The operation works on tiles of certain spaces.",
        "Move the tile there first.",
        pro(
            """
            l = pl.make_tile(pl.TileType([64, 64], pl.DT_FP16, pl.MemorySpace.Left), addr=0)
            pl.load(l, h, [0, 0])  # error
            """,
            H,
        ),
    ),
    Entry(
        5102,
        "A pointer where a tensor is",
        (
            "must be a tensor, got pointer",
            "takes a pointer, found",
            "takes a tensor or a pointer",
            "takes a pointer or a tensor",
            "target must be a tensor or a pointer",
        ),
        "A pointer has no shape; an address has no tile.",
        "Give it a shape with `pl.make_tensor(pointer, shape, stride)`.",
        pro_tiles("pl.load(a, p, [0, 0])  # error", "p: pl.Ptr[pl.DT_FP32]"),
    ),
    Entry(
        5103,
        "The shape and strides of a tensor",
        (
            "a tensor has 1 to",
            "extent … is negative",
            "strides for … dimensions",
            "stride … is negative",
            "is not supported for a tensor from outside",
        ),
        "`pl.make_tensor` takes one extent and one stride for each dimension.",
        "Give as many strides as extents.",
        pro("t = pl.make_tensor(p, [4, 4], [1])  # error", "p: pl.Ptr[pl.DT_FP32]"),
    ),
    Entry(
        5104,
        "Offsets of a load or store",
        (
            "offsets for a",
            "tile_offsets for",
            "offset … in dimension",
            "offset … is negative",
            "offsets and shapes go together",
            "offsets and … shapes",
            "offset has two numbers",
            "the window is not within",
            "tile_offsets",
        ),
        "There is one offset for each dimension, within the tensor.",
        "Correct the offsets.",
        pro_tiles("pl.load(a, x, [0])  # error"),
    ),
    Entry(
        5105,
        "The order of axes",
        (
            "has no order",
            "order has two axes",
            "order axis",
            "order axes",
            "order must be ascending",
            "takes a transposing load",
            "a transposing load (order=",
        ),
        "`order=` names the two axes of the tensor that become rows and columns.",
        "Name two different axes; only a load into Mat transposes.",
        pro_tiles("pl.load(a, x, [0, 0], order=[1, 1])  # error"),
    ),
    Entry(
        5106,
        "An operand of another type than lhs or dst",
        (
            "has a bit for each element, UINT8",
            "is …, lhs is …; convert",
            "is …, out is …; convert",
            "dst must be",
            "out must be",
            "row_vec must be",
            "scalar_tile must be",
            "must be [M, 1] of layout DN",
            "must be [1, N] of layout ND",
            "must be another tile than",
            "tmp must not overlap the other tiles",
            "cmp_type is a member of pl.CompareMode",
            "target_type is the element type of out",
            "must have the valid part of out",
            "has more valid elements than out",
            "the type of out says what fills it",
            "must be of layout ND, got",
            "must have rows and columns of src exchanged",
            "elements of src, got",
            "must have one valid row",
            "mode requires an offset argument",
            "offset is for mode=",
            "takes … as …, found",
            "acc must be the tile dst",
            "bias must be",
            "dst_tile must be",
        ),
        "The destination of an operation has the type and shape that its operands make.",
        "Declare the destination tile as the error says.",
        pro_tiles(
            """
            pl.row_max(a, b)  # error
            """
        ),
    ),
    Entry(
        5107,
        "Operands with other valid rows or columns",
        (
            "valid …, lhs has",
            "valid …, out has",
            "valid …, dst_tile has",
            "dst has … valid",
            "out has … values for",
            "valid rows, out has",
            "valid columns, out has",
        ),
        "The operands' valid parts and the destination's are the same.",
        "Declare them alike, or say the valid part with `pl.set_validshape`.",
        pro_tiles(
            """
            c = pl.make_tile(pl.TileType([32, 64], pl.DT_FP32), addr=0x2000)
            pl.add(a, b, c)  # error
            """
        ),
    ),
    Entry(
        5108,
        "A path between two spaces",
        (
            "unsupported data path",
            "is filled by a transposing pl.load only",
            "offset= with",
            "neither of … and … is a part",
            "DualModeSplitN",
        ),
        "No move of the chip goes from the one space to the other.",
        "The error lists the paths that there are.",
        pro(
            """
            l = pl.make_tile(pl.TileType([64, 64], pl.DT_FP16, pl.MemorySpace.Left), addr=0)
            r = pl.make_tile(pl.TileType([64, 64], pl.DT_FP16, pl.MemorySpace.Right), addr=0)
            pl.move(r, l)  # error
            """,
            H,
        ),
    ),
    Entry(
        5109,
        "Elements of a tile or tensor",
        ("an element of a … has", "index … in dimension", "a kernel cannot assign to elements of"),
        "An element has one index for each dimension, within the extents.",
        "Correct the indices.",
        pro_tiles("v = a[0, 64]  # error"),
    ),
    Entry(
        5110,
        "A slice of a tile",
        ("a slice is of a tile", "a slice of a tile has", "the slice of …"),
        "A slice is two ranges of a tile in Vec, within it, of known extents.",
        "Write `t[0:8, 0:64]`.",
        pro_tiles("pl.add(a[0:17, 0:64], b, b)  # error"),
    ),
    Entry(
        5111,
        "The operands of a Pro product",
        ("lhs has … columns and rhs", "products of … are not supported"),
        "The left operand has as many columns as the right one has rows.",
        "Declare the tiles so.",
        pro(CUBE + "pl.matmul(c, l, r)  # error", H),
    ),
    Entry(
        5112,
        "An event between pipes",
        (
            "event_id must be in",
            "an event joins two pipes",
            "no event of the chip joins",
            "a single pipe, got ALL",
            "belongs to the chip, whose barriers",
        ),
        "An event joins two different pipes that the chip connects, with an id of the chip.",
        "Give the two pipes, and an id that the error names.",
        pro(
            "pl.system.sync_src(set_pipe=pl.PipeType.MTE2, wait_pipe=pl.PipeType.V, event_id=64)"
            "  # error"
        ),
    ),
    Entry(
        5113,
        "sync_all and its mode",
        ("mode sync_all", "SyncAllMode"),
        "The hardware's barrier takes no workspace; the soft one needs it.",
        "Leave the workspace out.",
        pro("pl.system.sync_all(mode=pl.SyncAllMode.HARD, workspaces=[x])  # error"),
    ),
    Entry(
        5114,
        "The format of pl.printf in Pro",
        (
            "%p is not",
            "shape has two numbers",
            "argument … must be a scalar, got",
            "the format is a string, found",
        ),
        "The values of a format are scalars.",
        "Print an element: `pl.getval(t, 0)`; a tile is `pl.print_tile`.",
        pro_tiles('pl.printf("%f", a)  # error'),
    ),
    Entry(
        5115,
        "What is dumped",
        ("needs workspace=, a tensor",),
        "A tile in Acc cannot be read directly; it passes through a tensor.",
        "Give `workspace=`.",
        pro(
            CUBE + "with pl.section_cube():\n    pl.dump_data(c)  # error",
            H,
        ),
    ),
    Entry(
        5116,
        "A reduction along an axis",
        ("dim is 0 or 1", "the 910B has no division by a scalar"),
        "The operation has the axes or operands that the error names.",
        "Correct the argument.",
        pro_tiles(
            """
            col = pl.make_tile(pl.TileType([16, 1], pl.DT_FP32, layout=pl.DN), addr=0x2000)
            pl.sum(col, a, b, dim=2)  # error
            """
        ),
    ),
]
