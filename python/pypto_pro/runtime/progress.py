# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""A bar on stderr for what takes more than a second."""

from __future__ import annotations

import sys
import time


class Progress:
    """`tell` is cheap enough to be called often; nothing is shown before `after` seconds.

    >>> with Progress("keys") as progress:
    ...     progress.tell(0.5, "5 of 10")
    """

    def __init__(self, title: str, after: float = 1.0):
        self.title, self.after = title, after
        self.bar = None
        self._last = 0.0, ""
        self._shown = 0.0

    def __enter__(self) -> Progress:
        self.begin = time.monotonic()
        return self

    def __exit__(self, *_) -> None:
        if self.bar is not None:
            self._show()
            self.bar.stop()

    def tell(self, share: float, text: str) -> None:
        """`share`: how much is done, from 0 to 1."""
        self._last = share, text
        now = time.monotonic()
        if self.bar is None and now - self.begin >= self.after:
            self._start()
        if self.bar is not None and now - self._shown > 0.05:
            self._shown = now
            self._show()

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        self.bar = Bar(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.percentage:.1f} %  {task.fields[text]}", markup=False),
            TimeRemainingColumn(),
            console=Console(file=sys.stderr),
        )
        self.task = self.bar.add_task(self.title, total=1.0, text="")
        self.bar.start()

    def _show(self) -> None:
        share, text = self._last
        self.bar.update(self.task, completed=share, text=text)
