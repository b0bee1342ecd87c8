# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""PTO-13xx: operations of `pl` and their arguments."""

from .entry import Entry, core, kernel

ENTRIES = [
    Entry(
        1301,
        "An operation gets too many arguments",
        (
            "takes … argument…, found …; it is",
            "positional argument, found",
            "positional arguments, found",
            "is called wrongly: ",
        ),
        "The call gives more arguments by position than the operation has.",
        "The error shows the operation's signature; most options are keywords.",
        core("out[:] = pl.exp(x, x)  # error"),
    ),
    Entry(
        1302,
        "An argument is missing",
        ("argument '…' is missing",),
        "The operation, kernel or program needs this argument.",
        "The error shows the signature; give what is missing.",
        core("t = pl.load(x, [0, 0])  # error\nout[:] = x"),
    ),
    Entry(
        1303,
        "An operation has no such argument",
        ("has no argument '", "unexpected keyword argument"),
        "A keyword names no argument of the operation.",
        "The error suggests the nearest name and shows the signature.",
        core("t = pl.load(x, [0, 0], [64, 64], target_mem=pl.Mem.Vec)  # error\nout[:] = x"),
    ),
    Entry(
        1304,
        "An argument is given twice",
        ("argument '…' is given twice",),
        "The argument is given by position and by its name.",
        "Leave one of them out.",
        core("out[:] = pl.exp(x, input=x)  # error"),
    ),
    Entry(
        1305,
        "A tile and an array together",
        ("takes two tiles or two arrays",),
        "An operation works on tiles on chip or on whole arrays, never on both.",
        "`pl.load` the array first, or leave tiles to the compiler and use arrays throughout.",
        core("t = pl.load(x, [0, 0], [64, 64])\nout[:] = pl.add(t, x)  # error"),
    ),
    Entry(
        1306,
        "An argument of the wrong kind",
        (
            "cmp_type is one of",
            "has 7 or 10 rounds",
            "takes …, found",
            "must be a list of … integers",
            ": operand … is …, found",
            "is a number known when",
            " is a number, found",
            " is an integer, found",
            "must be an integer, found",
            "must be a list of integers",
            " is a string, found",
            " is a list of integers, found",
            "takes a known number",
            "a scalar is expected",
            "a scalar of … is expected",
            "has … indices, found",
            " is a tile, found",
            "pl.cast: found",
            "is a list of",
            "are a list of integers, found",
            "is True or False, found",
            "must be a tile, found",
            "must be a scalar, got",
            "must be a tile, got",
            "must be a tensor, got",
        ),
        "The operation takes a tile, an array, a scalar, a number or an option there, and gets "
        "something else.",
        "The error says what it takes and what it found.",
        core("out[:] = pl.exp(3)  # error"),
    ),
    Entry(
        1307,
        "Operands of different element types",
        (
            "the values have the target's element type",
            "have different element types",
        ),
        "Element types are never converted silently.",
        "Convert one operand with `pl.cast`.",
        core("out[:] = pl.mul(pl.cast(x, pl.FP16), x)  # error"),
    ),
    Entry(
        1308,
        "Operands of different shapes",
        (
            "chooses between tiles of one shape",
            "of … elements is … UINT8, a bit for each",
            "have different shapes",
            "that follow each other, with a window",
            "makes …, found …",
            "changes …, but makes",
            "the second operand holds one value for each",
        ),
        "Operands have the same shape, or the second one is a scalar or one value a row, `[M, 1]`.",
        "Load windows of one shape.",
        core(
            """
            t = pl.load(x, [0, 0], [64, 64])
            u = pl.load(x, [0, 0], [32, 64])
            pl.store(pl.add(t, u), [0, 0], out)  # error
            """
        ),
    ),
    Entry(
        1309,
        "A number meets elements that cannot hold it",
        ("meets elements of",),
        "A fraction, or a scalar of another type, stands beside elements of integers or of "
        "another type.",
        "Convert the scalar with `pl.cast`, or the tile.",
        core(
            """
            t = pl.cast(pl.load(x, [0, 0], [64, 64]), pl.INT32, mode="rint")
            u = pl.mul(t, 0.5)  # error
            out[:] = x
            """
        ),
    ),
    Entry(
        1310,
        "The shape of a tile or array",
        (
            "a shape is positive",
            "shapes= are rows and columns",
            "in … a tile has …",
            "has more dimensions than",
            "the new shape is at least as large",
            "computes on arrays with one to four",
            "a tile's shape is",
            "an array's shape is",
            "the shape of a slice is",
            "no memory holds",
            "a tile has two dimensions",
            "the shape of a tile is positive",
            "a tile's dimensions are positive",
            "is larger than any",
            "computes on arrays that have elements",
            "an array has known",
            "a new array has a static shape",
        ),
        "A tile has two positive dimensions that fit a memory of the chip.",
        "Give `[rows, columns]`; loop over a large array tile by tile.",
        core("t = pl.load(x, [0, 0], [1 << 40, 64])  # error\nout[:] = x"),
    ),
    Entry(
        1311,
        "What is no element type",
        ("an element type such as", "a type such as pl.FP16"),
        "The operation takes a type such as `pl.FP32` there.",
        "Give a type of `pl`, not one of Python, NumPy or torch.",
        core("out[:] = pl.cast(x, float)  # error"),
    ),
    Entry(
        1312,
        "An element type that is not supported",
        (
            "the model has no tiles of",
            "reads arrays of numbers",
            "arrays and tiles of … are not supported yet",
            "element type … is not supported",
            "scalars of … are not supported yet",
            "arrays of … are not supported yet",
            "tiles of … are not supported yet",
            "takes arrays of FP16",
            "makes arrays of",
            "takes FP16, BF16 or FP32",
            "does not take …; convert it with pl.cast",
            "the model has no arrays of",
            "reads arrays of FP16",
            "takes tiles of FP16",
            "computes in … on the control plane",
            "is no scalar that AscendC has",
            "computes with BOOL",
        ),
        "The operation, or this version of PyPTO, has no elements of this type.",
        "Convert with `pl.cast` to a type that the error names.",
        kernel(
            """
            @pl.jit
            def f(x: pl.Tensor[[64, 64], pl.FP4], out: pl.Out[A]):  # error
                return out
            """
        ),
    ),
    Entry(
        1313,
        "A cast that converts nothing",
        ("to itself; drop the cast", "converts … to itself"),
        "The value has that element type already.",
        "Drop the cast.",
        core("out[:] = pl.cast(x, pl.FP32)  # error"),
    ),
    Entry(
        1314,
        "The rounding of a cast",
        (
            "mode is one of",
            "pl.cast of a scalar has the default mode only",
            "mode 'none' is for conversions",
            "rounding 'none' is for conversions",
            "CAST_NONE is for conversions",
            "CAST_ODD is from FP32",
        ),
        "The mode is none of the language's, or not one that this conversion has.",
        'Leave `mode=` out, or give a mode that the error lists, such as `"rint"`.',
        core('out[:] = pl.cast(pl.cast(x, pl.FP16, mode="near"), pl.FP32)  # error'),
    ),
    Entry(
        1315,
        "The operands of a product",
        (
            "multiplies FP16",
            "is for arrays; load the tile",
            "init_cond= is True",
            "the left operand is one row",
            "multiplies [M, K] by [K, N]",
            "columns and the right one",
            "multiplies FP16 or BF16",
            "the accumulator is",
            "out_dtype= is for arrays",
            "columns and rhs … rows",
            "the bias is one row",
            "multiplies … by …, which do not fit",
            "makes FP32 or",
            "the left operand has",
        ),
        "A product takes `[M, K]` and `[K, N]` of FP16 or BF16, and makes `[M, N]` of FP32.",
        "Convert both operands with `pl.cast`, and give the right one as many rows as the left one "
        "has columns.",
        core(
            """
            a = pl.cast(x, pl.FP16)
            b = pl.cast(pl.row_sum(x), pl.FP16)
            out[:] = pl.matmul(b, a)  # error
            """
        ),
    ),
    Entry(
        1316,
        "A memory space as an argument",
        (
            "cuts on the way to",
            "target_memory is a member",
            "reaches Vec or Mat only",
            "a tile goes to DDR with pl.store",
            "a load from DDR reaches",
        ),
        "A load from DDR reaches Vec or Mat; the other spaces are reached from there.",
        "Load to `pl.Mem.Mat` and `pl.move` the tile on.",
        core("t = pl.load(x, [0, 0], [64, 64], target_memory=pl.Mem.Left)  # error\nout[:] = x"),
    ),
    Entry(
        1317,
        "Loads, stores and moves of the wrong thing",
        (
            "reads an array in DDR",
            "copies a tile, found",
            "writes an array in DDR",
            "moves a tile, found",
            "loads from …, which is no array",
            "stores to …, which is no array",
            "a load does not convert",
            "a store does not convert",
            "does not convert: ",
        ),
        "A load copies from an array in DDR to a tile, a store from a tile to an array, a move "
        "from tile to tile; none of them converts.",
        "`pl.load` an array before a move; write a computed array with `out[:] = expr`; convert "
        "with `pl.cast`.",
        core("pl.store(x, [0, 0], out)  # error"),
    ),
    Entry(
        1318,
        "A window reaches beyond its array",
        (
            "the window reaches beyond",
            "reaches beyond the array",
            "the window reaches from",
            "reaches beyond its source",
            "is not within 0 to",
            "is negative; the array is",
            "it takes at least one",
        ),
        "Offset and extent of a window together are more than the array has, or the offset is "
        "negative.",
        "Correct the offset or the extent; the last tile of an array that is no multiple of it "
        "has fewer valid rows: `valid_shape=`.",
        core("t = pl.load(x, [32, 0], [64, 64])  # error\nout[:] = x"),
    ),
    Entry(
        1319,
        "How a window is written",
        (
            "offsets count from the beginning",
            "indices count from the beginning",
            "subscripts for",
            "a window has no step",
            "a bound of a window counts from the beginning",
            "the window '…' has no elements",
            "an index behind a slice takes a column",
            "how many elements a window has",
            "takes a part of an array, found",
        ),
        "A window is `x[begin:end, ...]` with bounds counted from the beginning and an extent that "
        "the compiler can tell.",
        "Write `x[i:i + 64, :]`.",
        core("out[-3:, :] = x  # error"),
    ),
    Entry(
        1320,
        "What a window is assigned",
        (
            "an element is",
            "puts … into …; a tile is written",
            "puts … into …; both are",
            "is a window of",
            "' takes an array, found",
            "the window's extents are known",
        ),
        "The value has another shape or element type than the window of the array.",
        "Assign an array of that shape; a tile is written with `pl.store`.",
        core("out[:] = pl.row_sum(x)  # error"),
    ),
    Entry(
        1321,
        "Scratch of an operation",
        ("has the element type of the tile and at least its extents", "an array takes no"),
        "The scratch tile is smaller than the operation needs, or of another type.",
        "Leave it out: the compiler makes scratch where it is needed.",
        core("t = pl.full([64, 64], pl.FP32, 0)\nout[:] = pl.row_max(x, t)  # error"),
    ),
    Entry(
        1322,
        "Scalars and tiles of one name",
        (
            "a padding is pl.PadValue",
            "marks an array, found",
            "is for scalars; of tiles",
            "fills with a number",
            "pl.const takes a number",
        ),
        "This form of the operation takes a scalar, or a number.",
        "The error names the form for tiles and arrays.",
        core("t = pl.full([64, 64], pl.FP32, x)  # error\nout[:] = x"),
    ),
    Entry(
        1323,
        "The format of pl.printf",
        (
            "pl.printf prints",
            "pl.printf takes",
            "pl.printf: ",
            "the format has '%",
            "the format has a '%'",
            "the format wants",
            "the format ends with",
            ": the format is",
            "prints FP32, argument",
            "does not print argument",
        ),
        "The format and its values do not fit each other.",
        "It takes `%d`, `%i`, `%u`, `%x`, `%f` and `%%`, with a scalar for each.",
        core('pl.printf("%s", 1)  # error\nout[:] = x'),
    ),
    Entry(
        1324,
        "An axis that the array does not have",
        (
            "' has no dimension",
            "there is no dimension",
            "is not one of the … of",
            "axis … of an array with",
            "axis … is not one of",
            "drop_dims= l",
        ),
        "Axes count from 0 to one less than the number of dimensions.",
        "Correct the axis.",
        core("n = pl.dim(x, 2)  # error\nout[:] = x"),
    ),
    Entry(
        1325,
        "Rows and columns of a reduction or its opposite",
        (
            "reduces the columns of an [M, N]",
            "takes [M, N] and one value a column",
            "with extents of 1",
            "reduces the rows of an [M, N]",
            "takes [M, N] and one value a row",
            "spreads a vector",
            "reduces rows of layout",
            "reduces rows without",
            "makes a tile of",
        ),
        "A reduction takes `[M, N]` and makes `[M, 1]`; `row_expand_*` takes both.",
        "Give the second operand as `[M, 1]`, such as `pl.row_max` makes.",
        core("out[:] = pl.row_expand_sub(x, x)  # error"),
    ),
    Entry(
        1326,
        "Valid rows and columns",
        (
            "valid_shape is",
            "valid extent … in dimension",
            "valid_shape=",
            "valid extent",
            "set_validshape",
            "needs … valid extents",
            "of which only",
        ),
        "The valid part of a tile lies in it, and operands of one operation have the same.",
        "Give `valid_shape=[rows, columns]` within the tile, the same for both operands.",
        core(
            """
            t = pl.load(x, [0, 0], [64, 64], valid_shape=[65, 64])  # error
            pl.store(t, [0, 0], out)
            """
        ),
    ),
    Entry(
        1327,
        "Flags of a kernel",
        (
            "event_id is",
            "pipe is one of",
            "ffts_mode is",
            "is that of pl.system.syncall",
            "which this kernel sets itself",
            "event_id is a number",
        ),
        "The flag's id, pipe or mode is none that the chip has, or it is in use.",
        "Take another id, or leave order to the compiler.",
        core("pl.system.sync_set(99, pipe=pl.PipeType.FIX)  # error\nout[:] = x"),
    ),
    Entry(
        1328,
        "Offsets of another number than dimensions",
        (
            "offsets for",
            "needs … offsets for",
            "offsets; it has",
            "at … offsets",
            "has … dimensions, found",
            "computes on arrays with two dimensions",
            "computes on arrays of known shape",
            "a tile has two dimensions, the array",
        ),
        "A window has one offset for each dimension of its array.",
        "Give as many offsets as the array has dimensions.",
        core("t = pl.load(x, [0], [64, 64])  # error\nout[:] = x"),
    ),
    Entry(
        1330,
        "Rows that do not follow one another",
        (
            "not rows that follow one another",
            "do not follow one another",
            "take one at a time",
            "pad one at a time",
        ),
        "A tile is a matrix in memory, so that an operation on a core takes an array of more "
        "dimensions, or a part of a wider one, matrix by matrix.",
        "Load one matrix at a time, in a loop over the dimensions in front.",
        core(
            """
            t = pl.load(x, [0, 0, 0], [2, 16, 64])  # error
            pl.store(t, [0, 0, 0], out)
            """,
            "x: pl.Tensor[[4, 64, 64], pl.FP32], out: pl.Out[pl.Tensor[[4, 64, 64], pl.FP32]]",
        ),
    ),
    Entry(
        1331,
        "A view of other bytes",
        (
            "keeps the number of bytes, and",
            "are not as many bytes as",
            "are no whole number of",
            "another shape is pl.reshape",
            "whose extents are known; use .shape",
        ),
        "`pl.reshape` and `pl.reinterpret_view` read the same bytes in another shape or as another "
        "type, so that both have as many.",
        "Give a shape with as many elements, or convert values with `pl.cast`.",
        core(
            """
            t = pl.load(x, [0, 0], [64, 64])
            u = pl.reshape(t, [32, 64])  # error
            pl.store(u, [0, 0], out)
            """
        ),
    ),
    Entry(
        1332,
        "Exchanging dimensions, and side by side",
        ("exchanges two", "exchanges dimensions", "side by side"),
        "`pl.transpose` exchanges two different dimensions; `pl.concat` puts columns of as many "
        "rows side by side.",
        "Name two dimensions; cut both operands to the same rows.",
        core(
            """
            t = pl.load(x, [0, 0], [64, 64])
            u = pl.transpose(t, 1, 1)  # error
            pl.store(u, [0, 0], out)
            """
        ),
    ),
    Entry(
        1333,
        "An atomic store",
        ("DDR adds FP32", "atomic= is for"),
        "DDR adds elements of the types that the error names, and only where a tile is stored to "
        "an array.",
        "Convert the tile with `pl.cast`, or add in a tile.",
        kernel(
            """
            @pl.jit
            def f(x: pl.Tensor[[64, 64], pl.INT32], out: pl.InOut[pl.Tensor[[64, 64], pl.INT64]]):
                with pl.at(level=pl.Level.CORE_GROUP):
                    t = pl.cast(pl.load(x, [0, 0], [64, 64]), pl.INT64)
                    pl.store(t, [0, 0], out, atomic=pl.AtomicType.Add)  # error
                return out
            """
        ),
    ),
    Entry(
        1334,
        "One array by copies and by single elements",
        ("which this kernel also reaches by",),
        "Single elements go through the scalar unit's cache, which copies do not see.",
        "Use one way for one array in a kernel, or two kernels.",
        core(
            """
            pl.write(out, [0, 0], pl.read(x, [0, 0]))
            t = pl.load(x, [0, 0], [64, 64])
            pl.store(t, [0, 0], out)  # error
            """
        ),
    ),
]
