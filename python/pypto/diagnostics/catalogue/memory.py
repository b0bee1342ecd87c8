# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""PTO-30xx: where tiles lie, and what the chips have."""

from .entry import Entry, core, kernel, mlir

H = "pl.Tensor[[64, 64], pl.FP16]"
ENTRIES = [
    Entry(
        3001,
        "The tiles do not fit the memory of the core",
        (
            ", does not fit: ",
            "reach beyond the … of",
            "is the compiler's: ",
            "is larger than any core's memory",
        ),
        "The tiles that are alive at one time are more than the space holds. The error shows "
        "what is alive there.",
        "Use smaller tiles and more iterations, or fewer names that live long.",
        core(
            """
            t = pl.load(x, [0, 0], [256, 256])  # error
            pl.store(t, [0, 0], out)
            """,
            "x: pl.Tensor[[256, 256], pl.FP32], out: pl.Out[pl.Tensor[[256, 256], pl.FP32]]",
        ),
    ),
    Entry(
        3002,
        "Rows that are no multiple of 32 bytes",
        ("a tile's rows are a multiple of 32 bytes",),
        "Every row of a tile in Vec begins on a multiple of 32 bytes.",
        "Make the tile as many columns wide as the error says, and say how many are valid: "
        "`valid_shape=[rows, columns]`.",
        core("t = pl.load(x, [0, 0], [64, 10])  # error\npl.store(t, [0, 0], out)"),
    ),
    Entry(
        3003,
        "No path leads from one memory space to another",
        ("no path leads from",),
        "The chip has no instruction that copies between these spaces.",
        "Store the tile to an array, and load that in a second kernel.",
        core(
            """
            a = pl.load(x, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
            c = pl.matmul(a, a)
            d = pl.matmul(c, a)  # error
            pl.store(d, [0, 0], out)
            """,
            f"x: {H}, out: pl.Out[A]",
        ),
    ),
    Entry(
        3004,
        "A function works for both kinds of core",
        (
            "also works on",
            "core, but '…' is declared for the",
            "needs a mixed kernel",
            "combines values of the cube core",
            "is wanted in two spaces",
            "stands in front of the sections",
        ),
        "Products are the cube core's, all other computation is the vector cores', and a function "
        "runs on one of them.",
        "Make two functions, with an array between them.",
        core(
            """
            a = pl.load(x, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
            pl.store(pl.matmul(a, a), [0, 0], out)
            t = pl.load(out, [0, 0], [64, 64])
            pl.store(pl.exp(t), [0, 0], out)  # error
            """,
            f"x: {H}, out: pl.InOut[A]",
        ),
    ),
    Entry(
        3005,
        "A tile is in two spaces, or in one that is not said",
        (
            "a tile read with rows and columns exchanged",
            "its space is still open",
            "has a space of its own, which is still open",
            "says no memory space",
            "whose memory space is not known",
            "has no memory space;",
        ),
        "The compiler cannot tell in which memory a tile lies.",
        "Say it where the tile is loaded: `target_memory=pl.Mem.Vec`.",
        kernel(
            """
            @pl.jit
            def f(x: A, out: pl.Out[A]):
                with pl.at(level=pl.Level.CORE_GROUP):
                    t = pl.load(x, [0, 0], [64, 64])
                    u: pl.Tile[[64, 64], pl.FP32, pl.Mem.Left] = pl.tile.set_validshape(t, 8, 8)  # error
                    pl.store(u, [0, 0], out)
                return out
            """
        ),
    ),
    Entry(
        3006,
        "The chip has no instruction for these elements",
        (
            "has no random numbers on",
            "which no chip does but",
            "no instruction of",
            "has no conversion from",
            "has no … for",
            "does not know how to write it",
            "has no instruction",
            "is no instruction from",
            "has no AscendC instruction",
        ),
        "The chip lacks the operation for this element type, and other instructions cannot stand "
        "for it with the same result.",
        "Convert with `pl.cast` to a type that the error names, and back.",
        core(
            """
            t = pl.cast(pl.load(x, [0, 0], [64, 64]), pl.INT32, mode="rint")
            pl.store(pl.cast(pl.exp(t), pl.FP32), [0, 0], out)  # error
            """
        ),
    ),
    Entry(
        3007,
        "The shape of a tile on the cube core",
        (
            "a window begins at a multiple of the fractal",
            "matmul tiles are multiples of",
            "tiles are multiples of",
        ),
        "Products work on fractals: rows and columns of their tiles are multiples of theirs.",
        "Use a tile of the next multiple, with fewer valid rows and columns.",
        core(
            """
            a = pl.load(x, [0, 0], [40, 64], target_memory=pl.Mem.Mat)  # error
            b = pl.load(x, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
            pl.store(pl.matmul(a, b), [0, 0], out)
            """,
            f"x: {H}, out: pl.Out[A]",
        ),
    ),
    Entry(
        3008,
        "An accumulator that is still needed",
        ("adds to its accumulator in place", "is still needed after", "cannot be kept apart"),
        "The accumulator is added to in place, so its old value is gone.",
        "Use the result only.",
        core(
            """
            a = pl.load(x, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
            c = pl.matmul(a, a)
            d = pl.matmul_acc(c, a, a)  # error
            pl.store(c, [0, 0], out)
            pl.store(d, [0, 0], out)
            """,
            f"x: {H}, out: pl.Out[A]",
        ),
    ),
    Entry(
        3009,
        "A layout that the space does not have",
        ("has layout", "layouts are", "wants layout"),
        "Each space holds tiles in its own layouts.",
        "Leave layouts to `pto-assign-layout`.",
        mlir(
            """
            module attributes {pto.target = "910B"} {
              func.func @k(%x: !pto.gm<16x64xf32>) attributes {pto.kind = #pto.kind<aiv>} {
                %t = pto.tile.load %x[0, 0] : !pto.gm<16x64xf32> -> !pto.tile<16x64xf32, vec, nz>  // error
                return
              }
            }
            """,
            "pto-assign-layout",
        ),
    ),
    Entry(
        3010,
        "A column of an array as a vector",
        ("as a vector, which … does not do", "a column of wider rows", "copies a vector"),
        "A column's elements lie apart in the array, and the chip does not gather them for this "
        "type.",
        "Load whole rows.",
        mlir(
            """
            module attributes {pto.target = "910B"} {
              func.func @k(%x: !pto.gm<64x8xi32>) attributes {pto.kind = #pto.kind<aiv>} {
                %a = pto.tile.alloc : !pto.buf<64x1xi32, vec, dn>
                pto.tile.load ins(%x[0, 0] : !pto.gm<64x8xi32>) outs(%a : !pto.buf<64x1xi32, vec, dn>)  // error
                return
              }
            }
            """,
            "pto-expand-instructions",
        ),
    ),
    Entry(
        3011,
        "An address or scratch that the author gives",
        (": address … is not a multiple of", "is an address and a number of bytes"),
        "A pinned tile's address is a multiple of what its space demands, and lies in the space.",
        "Give another address.",
        mlir(
            """
            module attributes {pto.target = "910B"} {
              func.func @k() attributes {pto.kind = #pto.kind<aiv>} {
                %a = pto.tile.alloc {addrs = array<i64: 48>, pinned} : !pto.buf<16x64xf32, vec, nd>  // error
                %one = arith.constant 1.0 : f32
                pto.tile.full ins(%one : f32) outs(%a : !pto.buf<16x64xf32, vec, nd>)
                return
              }
            }
            """,
            "pto-plan-memory",
        ),
    ),
]
