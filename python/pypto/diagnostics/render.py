# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Diagnostics as text: place, message, the source line, a caret."""

from __future__ import annotations

import linecache
import os
import unicodedata

_LINES: dict[str, list[str]] = {}


def remember_source(file: str, lines: list[str]) -> None:
    """Keeps the text that a kernel was parsed from, so that an error shows it
    even if the file has changed since."""
    _LINES[file] = lines


def source_line(file: str, line: int) -> str:
    lines = _LINES.get(file)
    if lines is None:
        return linecache.getline(file, line).rstrip("\n")
    return lines[line - 1].rstrip("\n") if 0 < line <= len(lines) else ""


def source_lines(file: str) -> list[str]:
    """All lines of a file, as `source_line` knows them."""
    lines = _LINES.get(file)
    return [line.rstrip("\n") for line in (linecache.getlines(file) if lines is None else lines)]


def _width(text: str) -> int:
    """Columns of a terminal; Chinese characters take two."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _excerpt(diagnostic) -> list[str]:
    text = source_line(diagnostic.file, diagnostic.line)
    if not text.strip():
        return []
    before = text[: max(diagnostic.column - 1, 0)]
    # Tabs stay tabs, so that the caret stands where the terminal puts the text.
    pad = "".join("\t" if char == "\t" else " " * _width(char) for char in before)
    marked = text[len(before) : diagnostic.end_column - 1] if diagnostic.end_column else ""
    return ["  " + text, "  " + pad + "^" + "~" * max(_width(marked) - 1, 0)]


def _short(file: str) -> str:
    """A path below the working directory without it."""
    here = os.getcwd() + os.sep
    return file[len(here) :] if file.startswith(here) else file


def _render_one(diagnostic, lines: list[str]) -> None:
    place = ""
    if diagnostic.file:
        place = f"{_short(diagnostic.file)}:{diagnostic.line}:{diagnostic.column}: "
    code = f" [{diagnostic.code}]" if diagnostic.code else ""
    lines.append(f"{place}{diagnostic.severity}: {diagnostic.message}{code}")
    # A message of several lines is a picture of its own.
    if diagnostic.file and "\n" not in diagnostic.message:
        lines.extend(_excerpt(diagnostic))
    for note in diagnostic.notes:
        _render_one(note, lines)


def render(diagnostics) -> str:
    lines: list[str] = []
    for diagnostic in diagnostics:
        _render_one(diagnostic, lines)
    return "\n".join(lines)
