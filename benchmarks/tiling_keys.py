# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""How long it takes to find the two valid keys of the page's FaTilingKey among 87,091,200.

    python benchmarks/tiling_keys.py

A row is one of the five idioms in which `is_valid` is written. `found` is the time of
`TilingKeySchema.valid_keys()` with all that it needs, the reading of the source included;
`product` what the plain product would take, from a rate that is measured in the same run on
its first million combinations. The last line delivers 10,000 keys of six fields.
"""

import itertools
import math
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "test" / "pro"))

import page_keys
from pypto_pro.runtime import function_tree, header
from pypto_pro.runtime.opc.pypto_compile import generate_binary_headers
from pypto_pro.runtime.tilingkey import TilingKeyField, TilingKeySchema
from pypto_pro.runtime.valid_keys import MOST_CALLS, MOST_KEYS, Search

SAMPLE = 1_000_000


def found(is_valid):
    """The best of three, each from a cold start."""
    times = []
    for _ in range(3):
        function_tree.forget()
        begin = time.perf_counter()
        search = Search(TilingKeySchema(page_keys.fa_class(is_valid)), MOST_KEYS, MOST_CALLS)
        keys = search.run()
        times.append(time.perf_counter() - begin)
        assert keys == page_keys.FA_KEYS
    return min(times), search


def product(search):
    """Seconds for all combinations, at the rate of the first ones."""
    keys = itertools.islice(itertools.product(*search.values), SAMPLE)
    is_valid = search.is_valid
    begin = time.perf_counter()
    for key in keys:
        is_valid(key)
    return (time.perf_counter() - begin) / SAMPLE * search.total


class Kernel:
    """A kernel whose sources come cheap."""

    name, arch, tiling_class, datatypes = "many", "a5", None, None

    def __init__(self):
        values = {"A": 10, "B": 10, "C": 10, "D": 10, "E": 8, "F": 4}
        members = {n: TilingKeyField(bits=4, values=list(range(c))) for n, c in values.items()}
        self.schema = TilingKeySchema(type("ManyKey", (), {**members, "is_valid": self.is_valid}))

    @staticmethod
    def is_valid(cls, key):
        a, b, c, d, e, f = key
        return (e + f) % 8 == a % 8 and f == b % 4

    def emit_keys(self, keys):
        for key in keys:
            packed = self.schema.pack_values(tuple(key.values()))
            yield key, packed, f"many_{packed:x}", f"many_{packed:x}.cpp", "// a source\n"


def delivery():
    kernel = Kernel()
    begin = time.perf_counter()
    keys = kernel.schema.valid_keys()
    found = time.perf_counter()
    text = header.tilingkey_header(kernel.schema, "many", keys)
    written = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        begun = time.perf_counter()
        generate_binary_headers(kernel)
        delivered = time.perf_counter()
        for number in range(len(keys)):
            Path(f"{number}.cpp").write_bytes(b"// a source\n")
        plain = time.perf_counter()
        os.chdir("/")
    print(
        f"\n{len(keys):,} keys of six fields among {math.prod(map(len, values(kernel))):,}: found "
        f"in {found - begin:.3f} s, header of {len(text) / 1e6:.1f} MB in {written - found:.3f} s,"
        f"\nall delivered in {delivered - begun:.3f} s; as many plain files take "
        f"{plain - delivered:.3f} s here"
    )


def values(kernel):
    return [field.values for field in kernel.schema.fields]


def main():
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}\n")
    print(f"{'idiom':14}{'found':>10}{'product':>12}{'times':>9}{'calls':>8}{'followed':>10}")
    for is_valid in page_keys.IDIOMS:
        seconds, search = found(is_valid)
        plain = product(search)
        print(
            f"{is_valid.__name__:14}{seconds * 1e3:8.2f} ms{plain:10.1f} s{plain / seconds:9,.0f}"
            f"{search.calls:8,}{search.followed:10,}"
        )
    delivery()


if __name__ == "__main__":
    main()
