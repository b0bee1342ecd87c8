# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Every Python block of the guides runs as it stands. A block that is followed by a
`text` block fails, and its error contains each line of that."""

import re
import runpy
from pathlib import Path

import pytest
from pypto.diagnostics.errors import PyptoError

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", re.S)


def blocks():
    for page in [
        "debugging.md",
        "profiling.md",
        "tasks.md",
        "pro.md",
        "tiling-keys.md",
        "guide.md",
        "guide.zh.md",
        "functions.md",
        "functions.zh.md",
        "../README.md",
        "../README.zh.md",
    ]:
        for number, found in enumerate(BLOCK.finditer((DOCS / page).read_text()), 1):
            yield pytest.param(found[1], found[2], id=f"{page.strip('./')}-{number}")


@pytest.mark.parametrize("source, error", list(blocks()))
def test_a_block_of_a_guide(source, error, tmp_path, monkeypatch):
    path = tmp_path / "block.py"
    path.write_text(source)
    monkeypatch.chdir(tmp_path)
    if error is None:
        runpy.run_path(str(path), run_name="__main__")
        return
    with pytest.raises((PyptoError, AssertionError)) as raised:
        runpy.run_path(str(path), run_name="__main__")
    for line in error.strip().split("\n"):
        assert line in str(raised.value)


@pytest.mark.parametrize("page", ["../README", "guide", "functions"])
def test_both_languages_show_the_same_programs(page):
    """But for their comments."""

    def programs(path):
        found = BLOCK.findall(path.read_text())
        return [(re.sub(r"  # .*", "", source), error) for source, error in found]

    english, chinese = DOCS / f"{page}.md", DOCS / f"{page}.zh.md"
    assert programs(english) == programs(chinese)
    assert english.read_text().count("\n## ") == chinese.read_text().count("\n## ")
