# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Did you mean."""

from __future__ import annotations

from collections.abc import Iterable


def suggestion(name: str, known: Iterable[str], shown: str = "'{}'") -> str:
    """What an error about a name says at its end: "; did you mean 'exp'?", or nothing.

    >>> suggestion("vec", ["Vec", "Mat"], "pl.Mem.{}")
    '; did you mean pl.Mem.Vec?'
    """
    from difflib import get_close_matches

    folded: dict[str, str] = {}
    for other in known:
        if other != name and not other.startswith("__"):
            folded.setdefault(other.casefold(), other)
    close = get_close_matches(name.casefold(), folded, n=1)
    return f"; did you mean {shown.format(folded[close[0]])}?" if close else ""
