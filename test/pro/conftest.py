# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What the tests of PyPTO Pro share."""

import importlib.util
import itertools
import sys

import pytest

_COUNT = itertools.count()


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Makes a module of a text, in a file of its own as a user has it."""

    def make(text):
        path = tmp_path / f"program_{next(_COUNT)}.py"
        path.write_text(text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, path.stem, module)  # dataclasses look there
        spec.loader.exec_module(module)
        return module

    return make


@pytest.fixture(autouse=True)
def _no_files_here(tmp_path, monkeypatch):
    """Whatever a test writes is in its own folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYPTO_PROG_BUILD_DIR", raising=False)
