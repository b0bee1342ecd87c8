# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Generated kernels whose loops do all that loops do: while, break, continue, negative steps,
init_values with pl.yield_, pl.while_, pl.unroll, pl.parallel, conditional expressions; tiles
and numbers are rebound and swapped in them."""

from generate import Program


class LoopProgram(Program):
    """A generated kernel at tile level. Its numbers are small, so that loops end soon."""

    entry = "entry"

    def __init__(self, seed):
        self.numbers = []
        super().__init__(seed)

    def plan_tensor(self):
        return self.plan_tile()

    def body_tensor(self):
        self.body_tile()

    plan_matmul, body_matmul = plan_tensor, body_tensor

    def body_tile(self):
        r = self.random
        # What an iteration that is left does not write.
        row = f"block * {self.valid_rows}"
        self.emit(0, f"for block in pl.range({self.blocks}):")
        self.emit(1, f"pl.store({self.load_text(row)}, [{row}, 0], out)")
        names = [self.load(0, "0") for _ in range(r.randint(1, 3))]
        self.numbers = [self.fresh("n") for _ in range(r.randint(1, 2))]
        for name in self.numbers:
            self.emit(0, f"{name} = {r.randint(0, 4)}")
        self.emit(0, f"for block in pl.range({self.blocks}):")
        self.emit(1, f"{names[0]} = {self.load_text(row)}")
        self.block(1, names, r.randint(3, 6), ["block", *self.numbers], leaving=True)
        self.emit(1, f"pl.store({r.choice(names)}, [{row}, 0], out)")
        self.emit(0, f"for block in pl.range({self.blocks - 1}, -1, -3):")
        self.emit(1, f"pl.store({r.choice(names)}, [{row}, 0], out)")

    def load_text(self, row):
        source = self.random.choice([p for p in self.parameters if p.direction == "In"])
        valid = ""
        if (self.valid_rows, self.valid_cols) != (self.rows, self.cols):
            valid = f", valid_shape=[{self.valid_rows}, {self.valid_cols}]"
        return f"pl.load({source.name}, [{row}, 0], [{self.rows}, {self.cols}]{valid})"

    # Statements. `scalars`: names of integers; `leaving`: whether break and continue may stand.

    def condition(self, scalars):
        r = self.random
        a, b = r.choice(scalars), r.choice([*scalars, str(r.randint(0, 4))])
        simple = f"{a} {r.choice(['<', '<=', '>', '==', '!='])} {b}"
        again = f"{r.choice(scalars)} % {r.randint(2, 3)} == {r.randint(0, 1)}"
        return r.choice([simple, simple, again, f"{simple} {r.choice(['and', 'or'])} {again}"])

    def number(self, scalars):
        """A small integer."""
        r = self.random
        a, b = r.choice(scalars), r.choice([*scalars, str(r.randint(0, 5))])
        return f"({r.choice([f'{a} + {b}', f'{a} - {b}', f'{a} * {b}', f'{a} // 2'])}) % 7"

    def block(self, depth, names, count, scalars, leaving):
        r = self.random
        for _ in range(count):
            kind = r.choices(
                ["rebind", "count", "swap", "choose", "branch", "leave", "loop"],
                [5, 2, 1, 1, 2, 2 if leaving else 0, 2 if depth < 4 else 0],
            )[0]
            getattr(self, f"make_{kind}")(depth, names, scalars, leaving)

    def tile(self, names):
        r = self.random
        return r.choice([*self.sums(r.choice(names), r.choice(names))])

    def make_rebind(self, depth, names, scalars, leaving):
        self.emit(depth, f"{self.random.choice(names)} = {self.tile(names)}")

    def make_count(self, depth, names, scalars, leaving):
        self.emit(depth, f"{self.random.choice(self.numbers)} = {self.number(scalars)}")

    def make_swap(self, depth, names, scalars, leaving):
        kind = names if len(names) > 1 else self.numbers
        if len(kind) < 2:
            return self.make_rebind(depth, names, scalars, leaving)
        a, b = self.random.sample(kind, 2)
        self.emit(depth, f"{a}, {b} = {b}, {a}")

    def make_choose(self, depth, names, scalars, leaving):
        chosen = f"{self.tile(names)} if {self.condition(scalars)} else {self.tile(names)}"
        self.emit(depth, f"{self.random.choice(names)} = {chosen}")

    def make_branch(self, depth, names, scalars, leaving):
        r = self.random
        self.emit(depth, f"if {self.condition(scalars)}:")
        self.block(depth + 1, names, r.randint(1, 2), scalars, leaving)
        if r.random() < 0.3:
            self.emit(depth, f"elif {self.condition(scalars)}:")
            self.block(depth + 1, names, r.randint(1, 2), scalars, leaving)
        if r.random() < 0.5:
            self.emit(depth, "else:")
            self.block(depth + 1, names, r.randint(1, 2), scalars, leaving)

    def make_leave(self, depth, names, scalars, leaving):
        r = self.random
        self.emit(depth, f"if {self.condition(scalars)}:")
        if r.random() < 0.5:
            self.make_rebind(depth + 1, names, scalars, leaving)
        self.emit(depth + 1, r.choice(["break", "continue"]))

    def make_loop(self, depth, names, scalars, leaving):
        kind = self.random.choice(
            ["range", "range", "while", "handed", "handed_while", "unroll", "parallel"]
        )
        getattr(self, f"loop_{kind}")(depth, names, scalars)

    def loop_range(self, depth, names, scalars, word="range", leaving=True):
        r = self.random
        i = self.fresh("i")
        bound = r.choice([str(r.randint(0, 4)), r.choice(scalars)])
        bounds = r.choice([bound, f"{bound}, -1, -{r.randint(1, 3)}", f"-1, {bound}, 2"])
        if word == "range" and r.random() < 0.3:
            step = self.fresh("s")
            self.emit(depth, f"{step} = {r.choice(scalars)} - 2")
            self.emit(depth, f"if {step} == 0:")
            self.emit(depth + 1, f"{step} = -1")
            bounds = f"0, {step} * 2 + 1, {step}"
        self.emit(depth, f"for {i} in pl.{word}({bounds}):")
        self.block(depth + 1, names, r.randint(1, 4), [*scalars, i], leaving)

    def loop_parallel(self, depth, names, scalars):
        self.loop_range(depth, names, scalars, "parallel", leaving=False)

    def loop_unroll(self, depth, names, scalars):
        r = self.random
        i = self.fresh("i")
        self.emit(depth, f"for {i} in pl.unroll({r.choice(['3', '2, -1, -1', '1, 4, 2'])}):")
        self.block(depth + 1, names, r.randint(1, 2), [*scalars, i], leaving=False)

    def loop_while(self, depth, names, scalars):
        """The count that ends it goes up before anything can leave the iteration."""
        r = self.random
        i, most = self.fresh("w"), r.randint(0, 5)
        self.emit(depth, f"{i} = 0")
        also = f" and ({self.condition([*scalars, i])})" if r.random() < 0.4 else ""
        endless = r.random() < 0.3
        self.emit(depth, "while True:" if endless else f"while {i} < {most}{also}:")
        self.emit(depth + 1, f"{i} += 1")
        if endless:
            self.emit(depth + 1, f"if {i} > {most}:")
            self.emit(depth + 2, "break")
        self.block(depth + 1, names, r.randint(1, 3), [*scalars, i], leaving=True)

    def handed(self, depth, names, scalars, i=None):
        """The names of what is handed on; each is known before the loop."""
        tile, number = self.fresh("h"), self.fresh("k")
        self.emit(depth, f"{tile}, {number} = {self.random.choice(names)}, 0")
        return tile, number

    def end_handed(self, depth, names, scalars, tile, number):
        r = self.random
        self.block(depth + 1, [*names, tile], r.randint(0, 2), scalars, leaving=False)
        given = f"{self.tile([*names, tile])}, {number} + {r.randint(1, 2)}"
        self.emit(depth + 1, f"{tile}, {number} = pl.yield_({given})")
        self.emit(depth, f"{r.choice(names)} = {self.tile([*names, tile])}")

    def loop_handed(self, depth, names, scalars):
        r = self.random
        tile, number = self.handed(depth, names, scalars)
        i = self.fresh("i")
        self.emit(
            depth,
            f"for {i}, ({tile}, {number}) in pl.range({r.choice([r.randint(0, 3), *scalars])}, "
            f"init_values=({tile}, {number})):",
        )
        self.end_handed(depth, names, [*scalars, i, number], tile, number)

    def loop_handed_while(self, depth, names, scalars):
        tile, number = self.handed(depth, names, scalars)
        self.emit(depth, f"for {tile}, {number} in pl.while_(init_values=({tile}, {number})):")
        self.emit(depth + 1, f"pl.cond({number} < {self.random.randint(0, 3)})")
        self.end_handed(depth, names, [*scalars, number], tile, number)
