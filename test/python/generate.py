"""A seeded generator of valid kernels: loops, branches, swaps, windows, tails, dtypes.

`Program(seed)` holds the text of one in-core function and of an entry that
dispatches it, and its arguments. The text runs twice: compiled by PyPTO, and
executed by Python with `numpy_language` as its `pl`.
"""

import dataclasses
import random
import re

import numpy as np
from numpy_language import BF16

DTYPES = {
    "FP32": np.dtype(np.float32),
    "FP16": np.dtype(np.float16),
    "BF16": BF16,
    "INT32": np.dtype(np.int32),
}


@dataclasses.dataclass
class Parameter:
    name: str
    direction: str  # "In" or "Out"
    shape: tuple[int, int]
    dtype: str

    def annotation(self):
        text = f"pl.Tensor[[{self.shape[0]}, {self.shape[1]}], pl.{self.dtype}]"
        return f"pl.Out[{text}]" if self.direction == "Out" else text


class Program:
    """One generated kernel: `.text`, `.parameters`, `.arguments()`, `.entry`."""

    entry = "entry"

    def __init__(self, seed):
        self.seed = seed
        self.random = random.Random(seed)
        self.lines = []
        self.counter = 0
        kind = self.random.choice(["tile", "tile", "tile", "tensor", "matmul"])
        self.parameters = getattr(self, f"plan_{kind}")()
        body = self.lines
        self.lines = []
        getattr(self, f"body_{kind}")()
        self.text = self.assemble(body + self.lines)

    # Text

    def emit(self, depth, text):
        self.lines.append("    " * (depth + 1) + text)

    def fresh(self, stem="t"):
        self.counter += 1
        return f"{stem}{self.counter}"

    def assemble(self, body):
        params = [f"    {p.name}: {p.annotation()}," for p in self.parameters]
        names = ", ".join(p.name for p in self.parameters)
        outs = ", ".join(p.name for p in self.parameters if p.direction == "Out")
        head = ["import pypto.language as pl", ""]
        kernel = ["@pl.jit.incore", "def kernel(", *params, "):", *body, f"    return {outs}", ""]
        entry = ["@pl.jit", "def entry(", *params, "):", f"    {outs} = kernel({names})"]
        return "\n".join(head + kernel + [""] + entry + [f"    return {outs}", ""])

    def arguments(self):
        """Fresh arrays in parameter order; Out arrays hold a pattern that must not survive."""
        rng = np.random.default_rng(self.seed)
        arrays = []
        for p in self.parameters:
            if p.dtype == "INT32":
                array = rng.integers(-1000, 1000, p.shape).astype(np.int32)
            else:
                array = (rng.standard_normal(p.shape) * 2).astype(DTYPES[p.dtype])
            arrays.append(
                np.full(p.shape, 77).astype(DTYPES[p.dtype]) if p.direction == "Out" else array
            )
        return arrays

    # Tile level: blocks of rows in a loop, values carried, swapped, selected

    def plan_tile(self):
        r = self.random
        self.dtype = r.choice(list(DTYPES))
        lanes = 32 // DTYPES[self.dtype].itemsize
        self.rows = r.choice([1, 2, 5, 8, 16, 33])
        self.cols = lanes * r.choice([1, 2, 3, 8, 9, 13])
        self.blocks = r.choice([1, 2, 3, 5])
        # A tail: the arrays have fewer columns than the tile.
        self.valid_cols = self.cols - r.choice([0, 0, 1, lanes - 1])
        self.valid_rows = max(1, self.rows - r.choice([0, 0, 0, 1]))
        shape = (self.valid_rows * self.blocks, self.valid_cols)
        ins = [Parameter(f"x{i}", "In", shape, self.dtype) for i in range(r.randint(1, 3))]
        return [*ins, Parameter("out", "Out", shape, self.dtype)]

    def load(self, depth, row, stem="t"):
        source = self.random.choice([p for p in self.parameters if p.direction == "In"])
        name = self.fresh(stem)
        valid = ""
        if (self.valid_rows, self.valid_cols) != (self.rows, self.cols):
            valid = f", valid_shape=[{self.valid_rows}, {self.valid_cols}]"
        self.emit(
            depth, f"{name} = pl.load({source.name}, [{row}, 0], [{self.rows}, {self.cols}]{valid})"
        )
        return name

    def expression(self, names, vectors):
        """One operation on live tiles; the result has the tiles' shape."""
        r = self.random
        a, b = r.choice(names), r.choice(names)
        integer = self.dtype == "INT32"
        scalar = str(r.randint(-3, 3)) if integer else repr(r.choice([0.5, -1.25, 2.0, 3.0]))
        choices = [
            f"pl.add({a}, {b})", f"pl.sub({a}, {b})", f"pl.minimum({a}, {b})",
            f"pl.maximum({a}, {b})", f"pl.maximum({a}, {scalar})",
            f"pl.add({a}, {scalar})", f"pl.sub({a}, {scalar})", f"pl.mul({a}, {scalar})",
            f"pl.minimum({a}, {scalar})", f"pl.neg({a})", f"pl.abs({a})", f"pl.relu({a})",
        ]  # fmt: skip
        if integer:
            choices += [
                f"pl.mul({a}, {b})", f"pl.and_({a}, {b})", f"pl.or_({a}, {b})",
                f"pl.xor({a}, {b})", f"pl.not_({a})", f"pl.shls({a}, {r.randint(0, 31)})",
                f"pl.shrs({a}, {r.randint(0, 31)})",
            ]  # fmt: skip
        else:
            choices += [
                f"pl.mul({a}, {b})", f"pl.div({a}, pl.add(pl.abs({b}), 1.0))", f"pl.div({a}, 4.0)",
                f"pl.exp(pl.minimum({a}, 1.0))", f"pl.sqrt(pl.abs({a}))",
                f"pl.rsqrt(pl.add(pl.abs({a}), 0.5))", f"pl.recip(pl.add(pl.abs({a}), 0.5))",
                f"pl.log(pl.add(pl.abs({a}), 0.5))", f"pl.fmod({a}, pl.add(pl.abs({b}), 1.0))",
            ]  # fmt: skip
            # A tile's rows are whole 32-byte blocks in both types; an array's need not be.
            narrow = ["FP16", "BF16"] if getattr(self, "cols", 16) % 16 == 0 else []
            other = "FP32" if self.dtype != "FP32" else r.choice([*narrow, "INT32"])
            mode = "none" if other == "FP32" else "rint"
            back = "none" if self.dtype == "FP32" and other != "INT32" else "rint"
            choices.append(
                f'pl.cast(pl.cast({a}, pl.{other}, mode="{mode}"), pl.{self.dtype}, mode="{back}")'
            )
            if vectors:
                op = r.choice(["sub", "mul"])
                choices += [f"pl.row_expand_{op}({a}, {r.choice(vectors)})"] * 2
        return r.choice(choices)

    def vector(self, depth, names):
        name = self.fresh("v")
        op = self.random.choice(["row_max", "row_sum"])
        self.emit(depth, f"{name} = pl.{op}({self.random.choice(names)})")
        return name

    def statements(self, depth, names, vectors, count, index=None):
        """Statements on `names`, which all keep their types; local names die with the block."""
        r = self.random
        names, vectors = list(names), list(vectors)
        carried = list(names)
        for _ in range(count):
            kind = r.choices(
                ["new", "rebind", "vector", "swap", "loop", "branch"], [4, 5, 2, 1, 1, 1]
            )[0]
            if kind == "new" and len(names) < 8:
                name = self.fresh()
                self.emit(depth, f"{name} = {self.expression(names, vectors)}")
                names.append(name)
            elif kind == "vector" and self.dtype != "INT32" and len(vectors) < 3:
                vectors.append(self.vector(depth, names))
            elif kind == "swap" and len(carried) > 1:
                a, b = r.sample(carried, 2)
                self.emit(depth, f"{a}, {b} = {b}, {a}")
            elif kind == "loop" and depth < 3:
                trips = r.choice([0, 1, 2, 3, 4])
                name = self.fresh("i")
                self.emit(depth, f"for {name} in pl.range({trips}):")
                self.statements(depth + 1, names, vectors, r.randint(1, 4), name)
            elif kind == "branch" and index and depth < 3:
                self.emit(depth, f"if {index} < {r.choice([0, 1, 2])}:")
                self.statements(depth + 1, names, vectors, r.randint(1, 2), index)
                if r.random() < 0.6:
                    self.emit(depth, "else:")
                    self.statements(depth + 1, names, vectors, r.randint(1, 2), index)
            else:
                self.emit(depth, f"{r.choice(carried)} = {self.expression(names, vectors)}")
        return names

    def body_tile(self):
        r = self.random
        depth, row, index = 0, "0", None
        if self.blocks > 1:
            self.emit(0, f"for block in pl.range({self.blocks}):")
            depth, row, index = 1, f"block * {self.valid_rows}", "block"
        names = [self.load(depth, row) for _ in range(r.randint(1, 3))]
        if r.random() < 0.3:
            names.append(self.crossed(depth, row))
        names = self.statements(depth, names, [], r.randint(2, 10), index)
        self.emit(depth, f"pl.store({r.choice(names)}, [{row}, 0], out)")

    def crossed(self, depth, row):
        """A loop with a branch whose arms rebind different names and read each other's:
        only the next iteration reads what an arm has bound. Gives the one to go on with."""
        r = self.random
        a, b = self.load(depth, row), self.load(depth, row)
        index, trips = self.fresh("i"), r.randint(2, 6)
        chosen = r.choice([f"{index} < {r.randint(1, trips)}", f"{index} % 2 == 0"])
        self.emit(depth, f"for {index} in pl.range({trips}):")
        self.emit(depth + 1, f"if {chosen}:")
        self.emit(depth + 2, f"{a} = {r.choice(self.sums(a, a))}")
        if r.random() < 0.5:
            self.emit(depth + 2, f"{a} = {r.choice(self.sums(a, b))}")
        self.emit(depth + 1, "else:")
        self.emit(depth + 2, f"{b} = {r.choice(self.sums(b, a))}")
        return b

    def sums(self, a, b):
        """Expressions of two tiles that stay small when they are repeated."""
        return [
            f"pl.add({a}, 1)",
            f"pl.sub({b}, {a})",
            f"pl.add({a}, {b})",
            f"pl.minimum({a}, {b})",
        ]

    # Tensor level: arrays of any shape, no tile in sight

    def plan_tensor(self):
        r = self.random
        self.dtype = r.choice(["FP32", "FP16", "BF16", "INT32"])
        shape = (r.choice([1, 3, 16, 37]), r.choice([1, 7, 16, 33, 100, 129]))
        ins = [Parameter(f"x{i}", "In", shape, self.dtype) for i in range(r.randint(1, 3))]
        return [*ins, Parameter("out", "Out", shape, self.dtype)]

    def body_tensor(self):
        r = self.random
        names = [p.name for p in self.parameters if p.direction == "In"]
        vectors = []
        for _ in range(r.randint(1, 8)):
            if self.dtype != "INT32" and r.random() < 0.2 and len(vectors) < 2:
                vectors.append(self.vector(0, names))
                continue
            name = self.fresh()
            self.emit(0, f"{name} = {self.expression(names, vectors)}")
            names.append(name)
        self.emit(0, f"out[:] = {names[-1]}")

    # Products: a K loop whose accumulator stays in Acc

    def plan_matmul(self):
        r = self.random
        self.dtype = r.choice(["FP16", "BF16"])
        m, k, n = (16 * r.randint(1, 4) for _ in range(3))
        self.k_blocks = r.choice([1, 2, 3, 5])
        self.mkn = m, k, n
        out = r.choice(["FP32", self.dtype])
        return [
            Parameter("a", "In", (m, k * self.k_blocks), self.dtype),
            Parameter("b", "In", (k * self.k_blocks, n), self.dtype),
            Parameter("out", "Out", (m, n), out),
        ]

    def body_matmul(self):
        r = self.random
        m, k, n = self.mkn
        explicit = r.random() < 0.5

        def operands(depth, at):
            self.emit(depth, f"am = pl.load(a, [0, {at}], [{m}, {k}], target_memory=pl.Mem.Mat)")
            self.emit(depth, f"bm = pl.load(b, [{at}, 0], [{k}, {n}], target_memory=pl.Mem.Mat)")
            if not explicit:
                return "am", "bm"
            self.emit(depth, "al = pl.move(am, target_memory=pl.Mem.Left)")
            self.emit(depth, "br = pl.move(bm, target_memory=pl.Mem.Right)")
            return "al", "br"

        left, right = operands(0, "0")
        self.emit(0, f"acc = pl.matmul({left}, {right})")
        if self.k_blocks > 1:
            self.emit(0, f"for step in pl.range({k}, {k * self.k_blocks}, {k}):")
            left, right = operands(1, "step")
            self.emit(1, f"acc = pl.matmul_acc(acc, {left}, {right})")
        self.emit(0, "pl.store(acc, [0, 0], out)")


def run_with_numpy(program):
    """The arrays after Python itself ran the kernel, with NumPy as its language."""
    import numpy_language

    text = program.text.replace("import pypto.language as pl", "")
    text = re.sub(r"^( *)pl\.cond\((.*)\)$", r"\1if not (\2): break", text, flags=re.MULTILINE)
    scope = {"pl": numpy_language}
    exec(compile(text, f"<generated {program.seed}>", "exec"), scope)  # noqa: S102
    arrays = program.arguments()
    scope[program.entry](*arrays)
    return arrays
