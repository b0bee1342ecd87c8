"""How long a kernel takes from Python text to AscendC text, stage by stage.

    python benchmarks/compile_time.py

Kernels of 10 to 2000 tile operations in a straight line. Everything is warm: the
first compilation of the process is not counted, each figure is the best of five.
The last column is the time an operation costs, which is flat when compile time
grows linearly.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

COUNTS = (10, 100, 1000, 2000)
OPERATIONS = ("pl.add(t, u)", "pl.mul(t, 0.5)", "pl.exp(u)", "pl.sub(u, t)")


def kernel_text(count):
    lines = [
        "import pypto.language as pl",
        "@pl.jit.incore",
        "def kernel(x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):",
        "    t = pl.load(x, [0, 0], [64, 64])",
        "    u = pl.load(x, [0, 0], [64, 64])",
    ]
    for i in range(count - 3):
        lines.append(f"    {'tu'[i % 2]} = {OPERATIONS[i % len(OPERATIONS)]}")
    lines += [
        "    pl.store(t, [0, 0], out)",
        "    return out",
        "@pl.jit",
        "def entry(x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):",
        "    out = kernel(x, out)",
        "    return out",
    ]
    return "\n".join(lines) + "\n"


def load(text, folder, name):
    import importlib.util

    path = Path(folder, f"{name}.py")
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.entry


def best(function, repeat=5):
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        function()
        times.append(time.perf_counter() - begin)
    return min(times) * 1e3


def import_ratio():
    def seconds(statement):
        command = [sys.executable, "-c", statement]
        return best(lambda: subprocess.run(command, check=True))

    nothing = seconds("pass")
    numpy = seconds("import numpy") - nothing
    ours = seconds("import pypto, pypto.language") - nothing
    print(
        f"import numpy {numpy:6.1f} ms   import pypto.language {ours:6.1f} ms   "
        f"ratio {ours / numpy:.2f}"
    )


def main():
    import_ratio()
    x = np.zeros((64, 64), np.float32)
    with tempfile.TemporaryDirectory() as folder:
        load(kernel_text(10), folder, "warm").lower(x, x.copy())
        print(
            f"{'operations':>10} "
            + " ".join(f"{s:>10}" for s in ("front end", "passes", "emit", "total"))
            + "   us/op"
        )
        for count in COUNTS:
            entry = load(kernel_text(count), folder, f"kernel{count}")
            stages = entry.stage_times(x, x.copy(), repeat=5)
            total = sum(stages.values())
            row = " ".join(f"{stages[s] * 1e3:10.2f}" for s in ("frontend", "passes", "emit"))
            print(f"{count:>10} {row} {total * 1e3:10.2f} {total / count * 1e6:7.1f}")


if __name__ == "__main__":
    main()
