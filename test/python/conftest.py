# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""What the tests of the Python side share."""

import importlib.util
import itertools

import pytest

pytest.register_assert_rewrite("checking")

_COUNT = itertools.count()


@pytest.fixture
def load(tmp_path):
    """Makes a module of a text, in a file of its own as a user has it."""

    def make(text):
        path = tmp_path / f"kernel_{next(_COUNT)}.py"
        path.write_text(text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return make


@pytest.fixture(params=["a2a3sim", "a5sim"])
def platform(request, monkeypatch):
    """Each chip in turn, for what names no platform."""
    monkeypatch.setenv("PYPTO_PLATFORM", request.param)
    return request.param


@pytest.fixture(autouse=True)
def _no_files_here(tmp_path, monkeypatch):
    """Whatever a test compiles is written to its own folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYPTO_PROG_BUILD_DIR", raising=False)
    monkeypatch.delenv("PYPTO_PLATFORM", raising=False)
