# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The valid keys of a kernel as a table."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence

from .tilingkey import TilingKeySchema

MOST_ROWS = 60


class KeyTable(Sequence):
    """What `kernel.keys()` gives: it prints as a table, and is a sequence of keys.

    >>> from pypto_pro.runtime.tilingkey import TilingKeyField, TilingKeySchema
    >>> class MaskKey:
    ...     NeedAttnMask = TilingKeyField(bits=1, values=[1, 0])
    >>> keys = KeyTable(TilingKeySchema(MaskKey))
    >>> len(keys), keys[1], keys.codes[1]
    (2, {'NeedAttnMask': 0}, 1)
    >>> keys.decode(0x1)
    {'NeedAttnMask': 0}
    >>> {"NeedAttnMask": 0} in keys
    True
    """

    def __init__(
        self, schema: TilingKeySchema, values: list[tuple[int, ...]] | None = None, **limits: int
    ):
        """`values`: some of the keys, in field order; all valid ones by default, for which
        `limits` are those of `TilingKeySchema.valid_keys`."""
        self.schema = schema
        self.values = schema.valid_keys(**limits) if values is None else values

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return KeyTable(self.schema, self.values[index])
        return self.schema.as_dict(self.values[index])

    def __iter__(self) -> Iterator[dict[str, int]]:
        return map(self.schema.as_dict, self.values)

    @property
    def codes(self) -> list[int]:
        """The packed form of each key."""
        return [self.schema.pack_values(values) for values in self.values]

    def decode(self, packed: int) -> dict[str, int]:
        """The key of a packed form."""
        return self.schema.decode(packed)

    def __repr__(self) -> str:
        return f"<{self._title()}>"

    def __str__(self) -> str:
        from rich.console import Console

        out = io.StringIO()
        # As wide as the table: a narrower one would cut codes.
        Console(file=out, width=10_000, color_system=None, highlight=False, markup=False).print(
            self._table()
        )
        return "\n".join(line.rstrip() for line in out.getvalue().splitlines())

    def _title(self) -> str:
        count = len(self)
        return f"{self.schema.name}: {count:,} valid key{'' if count == 1 else 's'}"

    def _table(self):
        from rich import box
        from rich.table import Table

        # As wide as the title, which would be broken across lines over a narrow table.
        table = Table(
            title=self._title(),
            title_justify="left",
            box=box.SIMPLE,
            pad_edge=False,
            min_width=len(self._title()),
        )
        table.add_column("code", no_wrap=True)
        for name in self.schema.names:
            table.add_column(name, justify="right", no_wrap=True)
        for values in self.values[:MOST_ROWS]:
            table.add_row(hex(self.schema.pack_values(values)), *map(str, values))
        if len(self) > MOST_ROWS:
            table.caption = f"{len(self) - MOST_ROWS:,} more"
            table.caption_justify = "left"
        return table
