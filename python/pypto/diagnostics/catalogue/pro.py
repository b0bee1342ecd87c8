# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""PTO-50xx: kernels of PyPTO Pro and their declarations."""

from .entry import Entry, pro, pro_text, pro_tiles

MAT = "pl.TileType([64, 64], pl.DT_FP16, pl.MemorySpace.Mat)"
ENTRIES = [
    Entry(
        5001,
        "An argument is a member of an enum",
        ("expects an enum value, not",),
        "The argument takes a member of an enum, not a number or a string.",
        "Give a member that the error lists.",
        pro("t = pl.TileType([16, 64], pl.DT_FP32, 1)  # error"),
    ),
    Entry(
        5002,
        "Sections",
        (
            "a section stands in a section",
            "a with has exactly one section",
            "a kernel has `with pl.section_cube():`",
            "takes no arguments and gives no value",
        ),
        "`with pl.section_cube():` and `with pl.section_vector():` say which core runs the code in "
        "them; they do not nest.",
        "Close one section before the next.",
        pro("with pl.section_cube():\n    with pl.section_vector():  # error\n        pass"),
    ),
    Entry(
        5003,
        "An operation in the section of the other core",
        (
            " does it, and ",
            "is a tile of the AIV, and",
            "INTER_SUBBLOCK is between",
            "no event of an",
            "never comes to an end on an",
        ),
        "The cube core multiplies, the vector cores do the rest.",
        "Move the statement to the other section.",
        pro_tiles("with pl.section_cube():\n    pl.add(a, a, b)  # error"),
    ),
    Entry(
        5004,
        "The type of a tile",
        (
            "a tile is on chip, and DDR is not",
            "tiles in … are not supported yet",
            "fractals of … bytes are not supported",
            "tile_type is a pl.TileType",
            "is only supported on A5",
        ),
        "The space, the fractal or the type is none that this chip's tiles have.",
        "Take `pl.MemorySpace.Vec`, Mat, Left, Right or Acc.",
        pro("t = pl.TileType([16, 64], pl.DT_FP32, pl.MemorySpace.DDR)  # error"),
    ),
    Entry(
        5005,
        "The layout of a tile",
        ("tiles require layout in",),
        "Each space has its layouts.",
        "Leave `layout=` out for the space's default.",
        pro("t = pl.TileType([16, 64], pl.DT_FP16, pl.MemorySpace.Left, layout=pl.ZZ)  # error"),
    ),
    Entry(
        5006,
        "The valid shape of a tile type",
        (
            "a valid shape has two numbers",
            "a valid extent is 1 to that of the tile",
            "nothing of the slice is valid",
        ),
        "Valid rows and columns are at least 1 and at most the tile's.",
        "Give extents within the tile; -1 is one that `pl.set_validshape` says at run time.",
        pro("t = pl.TileType([16, 64], pl.DT_FP32, valid_shape=[17, 64])  # error"),
    ),
    Entry(
        5007,
        "The address of a tile",
        ("Tile address",),
        "A tile begins on a multiple of what its space demands.",
        "Round the address up.",
        pro("t = pl.make_tile(pl.TileType([16, 64], pl.DT_FP32), addr=0x28)  # error"),
    ),
    Entry(
        5008,
        "A tile beyond its space",
        ("the tile does not fit", "is less than the … bytes of a"),
        "Address and size of the tile reach beyond the space, or the size is less than the tile.",
        "Take a smaller tile or a lower address.",
        pro("t = pl.make_tile(pl.TileType([16, 64], pl.DT_FP32), addr=246 * 1024)  # error"),
    ),
    Entry(
        5009,
        "A group of tiles",
        (
            "how many tiles?",
            "mutex_ids for",
            "depth is at least",
            "depth=…, and there are",
            "addrs is empty",
            "addrs for … tiles",
            "is twice in",
            "a tile group has no '",
            "of a tile group takes no arguments",
            "slot … is beyond the",
        ),
        "Addresses, mutex ids and depth of a group do not say the same number of different tiles.",
        "Give one address and one id for each tile.",
        pro(
            "f = pl.TileType([16, 64], pl.DT_FP32)\n"
            "g = pl.make_tile_group(type=f, addrs=[0, 0])  # error"
        ),
    ),
    Entry(
        5010,
        "A mutex id",
        (
            "mutex ids are in",
            "mutex ids of a kernel on",
            "several mutex ids for a tile",
            "has mutex id",
            "is not one of 0 to",
        ),
        "The id is none of those that a kernel may use on this chip.",
        "Take an id that the error names.",
        pro(
            "f = pl.TileType([16, 64], pl.DT_FP32)\n"
            "g = pl.make_tile_group(type=f, addrs=0, mutex_ids=[28])  # error",
            options='(arch="a5")',
        ),
    ),
    Entry(
        5011,
        "A struct or tuple of a kernel",
        (
            "a struct array has at least",
            "the name of a struct",
            "has no field",
            "of a struct is a scalar",
            "a field of a struct holds scalars",
            "is a list of … scalars, found",
            "struct … has no field",
        ),
        "Structs hold scalars and lists of scalars, tuples tiles; both have the fields that they "
        "were made with.",
        "Name the field when the struct is made.",
        pro('s = pl.struct("S", a=1)\nm = s.b  # error'),
    ),
    Entry(
        5012,
        "What a launch refuses to decorate",
        (
            "jit() got unexpected keyword",
            "kernel() got unexpected keyword",
            "arch is ",
            "jit(",
            "block_dim must be",
            "Expected kernel[",
            "cannot be called directly",
            "which is not launched; write @pl.jit",
            "type is a member of pl.FunctionType",
            "): strict_ssa is True or False",
            "is a helper of kernels, which Python cannot run",
            "stands above a class, not",
            "is not under @pl.function",
            "has no kernel: a method under @pl.function",
        ),
        "`@pl.jit` has no such option, or not this value of it.",
        "The error says which options there are.",
        pro("pass", options='(arch="a9")'),
    ),
    Entry(
        5013,
        "A tiling dataclass",
        (
            "a tiling class is a @dataclass",
            "Tiling class '",
            "of tiling class",
            "holds … elements, found",
            "is a …, found",
        ),
        "A tiling parameter is a dataclass of ints, floats, bools and arrays of them.",
        "Annotate each field with one of these.",
        pro_text(
            """
            @dataclasses.dataclass
            class Tiling:
                rows: str

            @pl.jit
            def kernel(x: pl.Ptr[pl.DT_FP32], t: Tiling):  # error
                pass
            """
        ),
    ),
    Entry(
        5014,
        "A variable of a datatype",
        (
            "is the variable of a datatype",
            "datatype must be",
            "datatype variable names",
            "datatype['",
            "datatype dict was provided",
            "datatype param",
            "datatype variable for param",
            "datatype kernel launch",
            "datatype keys",
        ),
        "`datatype=` binds names to element types, which a kernel cannot bind to anything else.",
        "Rename the variable.",
        pro_text(
            """
            @pl.jit(datatype=["T"])
            def kernel(x: pl.Ptr[pl.DT_FP32]):
                pass
            """
        ),
    ),
    Entry(
        5015,
        "A kernel has no source for its header",
        ("generate_binary_headers()", "Failed to generate code for kernel", "have no source"),
        "`generate_binary_headers` takes a kernel and makes a file for each key.",
        "Give a function decorated with `@pl.jit`.",
        pro_text(
            """
            from pypto_pro.runtime.opc.pypto_compile import generate_binary_headers

            generate_binary_headers(3, "out")
            """
        ),
    ),
    Entry(
        5016,
        "Extents that a launch decides",
        ("has pl.STATIC dimensions", "was compiled for other extents"),
        "The extents of STATIC dimensions are those of the launch's arguments, so that a kernel "
        "cannot be compiled without them.",
        "Give arguments to `compile()`.",
        pro(
            "pass",
            "x: pl.Tensor[[pl.STATIC, 64], pl.DT_FP32]",
        ),
    ),
]
