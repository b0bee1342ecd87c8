# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What an error means: `python -m pypto.tools.explain PTO-1001`.

python -m pypto.tools.explain PTO-1001          an entry of docs/errors.md
python -m pypto.tools.explain 'the message'     the entry of a message, such as one that
                                                pypto-opt or pypto-run printed
python -m pypto.tools.explain --page FILE.md    writes docs/errors.md
"""

from __future__ import annotations

import argparse
import os
import pathlib
import sys

from ..diagnostics.catalogue import TOPICS, Entry, by_code, entries, find
from ..diagnostics.catalogue.entry import KERNEL_HEAD, PRO_HEAD

INTRODUCTION = """\
# Errors

Made from `python/pypto/diagnostics/catalogue/` by `python -m pypto.tools.explain --page`; do not
edit. Every error ends in its code, `[PTO-1001]`, and `python -m pypto.tools.explain PTO-1001`
prints its entry; so does `python -m pypto.tools.explain 'the message'` for one that a tool
printed. In an example, `# error` is where the error is reported.

Examples in `pypto.language` begin with

```python
{kernel}
```

and those in `pypto_pro.language` with

```python
{pro}
```
"""
LANGUAGES = {"kernel": "python", "pro": "python", "mlir": "mlir", "shell": "sh"}


def _how(entry: Entry) -> str:
    """What is done with an example that is no Python."""
    example = entry.example
    if example.how != "mlir":
        return ""
    if example.passes.startswith("run"):
        return f", `pypto-run kernel.mlir {example.passes[4:]}`"
    if example.passes in ("emit", ""):
        words = {"emit": "`pypto-translate --pto-to-ascendc`", "": "`pypto-opt`"}
        return f", {words[example.passes]}"
    return f", `pypto-opt --{example.passes}`"


def markdown(entry: Entry) -> str:
    example = entry.example
    text = f"### {entry.code} {entry.title}\n\n{entry.cause}\n\n**Fix.** {entry.fix}\n"
    if example is None:
        return text
    code = f"```{LANGUAGES[example.how]}\n{example.text.rstrip()}\n```"
    return f"{text}\nExample{_how(entry)}:\n\n{code}\n"


def page() -> str:
    """docs/errors.md."""
    parts = [INTRODUCTION.format(kernel=KERNEL_HEAD.strip(), pro=PRO_HEAD.strip())]
    for thousand, (topic, _) in TOPICS.items():
        of_topic = [entry for entry in entries() if entry.number // 100 == thousand]
        codes = "\n".join(f"- {entry.code} {entry.title}" for entry in of_topic)
        parts.append(f"## {topic}\n\n{codes}\n")
        parts += [markdown(entry) for entry in of_topic]
    return "\n".join(parts)


def _entry_of(word: str) -> Entry | None:
    return by_code(word) if word.upper().startswith("PTO") or word.isdigit() else find(word)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m pypto.tools.explain",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", nargs="*", help="codes, or messages of errors")
    parser.add_argument("--page", metavar="FILE", help="writes all entries as a page")
    given = parser.parse_args(arguments)
    if given.page:
        pathlib.Path(given.page).write_text(page(), encoding="utf-8")
    elif not given.what:
        parser.error("give a code such as PTO-1001, or the message of an error")
    for word in given.what:
        entry = _entry_of(word)
        if entry is None:
            print(
                f"explain: there is no entry for '{word}'; docs/errors.md has all", file=sys.stderr
            )
            return 1
        try:
            print(markdown(entry), flush=True)
        except BrokenPipeError:  # the reader has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
