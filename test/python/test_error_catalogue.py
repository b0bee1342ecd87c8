# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The catalogue of errors: each entry's example makes its error where it says, and each
message of the sources has an entry."""

import importlib.util
import itertools
import pathlib
import re
import shlex
import subprocess
import sys

import pytest
from message_sources import HOLE, ROOT, cpp_messages, python_messages
from pypto.diagnostics.catalogue import TOPICS, by_code, entries, find
from pypto.diagnostics.catalogue.entry import KERNEL_HEAD, PRO_HEAD
from pypto.diagnostics.errors import PyptoError
from pypto.tools import explain

_COUNT = itertools.count()
MARK = re.compile(r"(#|//) error$")


def marked_line(text: str) -> int:
    """The number of the line that ends in `# error`; 0 if none does."""
    lines = [number for number, line in enumerate(text.splitlines(), 1) if MARK.search(line)]
    assert len(lines) <= 1, "an example marks one line"
    return lines[0] if lines else 0


def errors_of_python(text: str, head: str, folder: pathlib.Path):
    """The errors of an example in Python, with the line that is marked."""
    path = folder / f"example_{next(_COUNT)}.py"
    path.write_text(head + text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses look there
    try:
        spec.loader.exec_module(module)
        kernels = [
            value
            for value in vars(module).values()
            if hasattr(value, "compile") and hasattr(value, "__name__")
        ]
        scalars = re.findall(r"(\w+): pl\.Scalar", text)
        kernels[-1].compile(**{name: module.pl.RUNTIME for name in scalars})
    except PyptoError as error:
        return [(item.code, item.line, item.message) for item in error.diagnostics]
    except (TypeError, ValueError, AttributeError, RuntimeError) as error:
        place = error.__traceback__
        line = 0
        while place is not None:
            if place.tb_frame.f_code.co_filename == str(path):
                line = place.tb_lineno
            place = place.tb_next
        entry = find(str(error))
        return [(entry.code if entry else None, line, str(error))]
    finally:
        del sys.modules[path.stem]
    return []


def errors_of_mlir(example, folder: pathlib.Path):
    """The same of a module."""
    from pypto.ir.program import Passes, Program

    path = folder / "kernel.mlir"
    path.write_text(example.text, encoding="utf-8")
    if example.passes.startswith("run"):
        return errors_of_shell(f"pypto-run kernel.mlir {example.passes[4:]}", folder)
    try:
        program = Program.read(path)
        if example.passes == "emit":
            program.emit()
        elif example.passes:
            program.after(Passes(example.passes))
    except PyptoError as error:
        return [(item.code, item.line, item.message) for item in error.diagnostics]
    return []


def errors_of_shell(command: str, folder: pathlib.Path):
    """What a tool prints, line by line."""
    words = shlex.split(command)
    if words[0] == "python":
        words[0] = sys.executable
    ran = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert ran.returncode != 0, ran.stdout
    assert "Traceback" not in ran.stderr, ran.stderr
    found = []
    for line in ran.stderr.splitlines():
        place = re.match(r".*?:(\d+):\d+: error: (.*)$", line)
        entry = find(place[2] if place else line)
        found.append((entry.code if entry else None, int(place[1]) if place else 0, line))
    return found


def run(entry, folder: pathlib.Path):
    example = entry.example
    if example.how in ("kernel", "pro"):
        head = KERNEL_HEAD if example.how == "kernel" else PRO_HEAD
        line = marked_line(example.text)
        found = errors_of_python(example.text, head, folder)
        return found, line + head.count("\n") if line else 0
    if example.how == "mlir":
        return errors_of_mlir(example, folder), marked_line(example.text)
    if example.file:
        (folder / "kernel.mlir").write_text(example.file, encoding="utf-8")
    return errors_of_shell(example.text, folder), 0


@pytest.mark.parametrize("entry", [e for e in entries() if e.example], ids=lambda entry: entry.code)
def test_example(entry, tmp_path):
    found, line = run(entry, tmp_path)
    shown = "\n".join(f"{code} at line {at}: {message}" for code, at, message in found)
    assert any(code == entry.code and (not line or at == line) for code, at, _ in found), (
        f"wanted {entry.code} at line {line}, found\n{shown or 'no error'}"
    )


def test_numbers():
    numbers = [entry.number for entry in entries()]
    assert len(set(numbers)) == len(numbers)
    assert all(number // 100 in TOPICS for number in numbers)
    assert 100 <= len(numbers) <= 250
    # All others are run.
    assert [entry.code for entry in entries() if entry.example is None] == ["PTO-7019"]


@pytest.mark.parametrize("collect", [python_messages, cpp_messages])
def test_each_message_has_an_entry(collect):
    """A message of the sources without an entry: add its fixed words to one, or write one
    (docs/adding-an-operation.md, "An error")."""
    missing = [
        str(message)
        for message in collect()
        if re.search(r"\w", message.text.replace(HOLE, "")) and find(message.text) is None
    ]
    assert not missing, f"{len(missing)} messages without an entry:\n" + "\n".join(missing)


def test_the_page_is_that_of_the_catalogue():
    """`python -m pypto.tools.explain --page docs/errors.md` writes it."""
    assert (ROOT / "docs/errors.md").read_text(encoding="utf-8") == explain.page()


def test_explain(capsys):
    assert explain.main(["PTO-1001"]) == 0
    assert "### PTO-1001 A name that is not defined" in capsys.readouterr().out
    assert explain.main(["pl.load: reaches beyond the array 'x'"]) == 0
    assert explain.main(["PTO-1"]) == 1
    assert by_code("PTO-1001") is by_code("1001")


def test_an_error_shows_its_code(load):
    module = load("import pypto.language as pl\n@pl.jit\ndef f(x):\n    return x\n")
    with pytest.raises(PyptoError) as caught:
        module.f.compile()
    assert caught.value.diagnostics[0].code == "PTO-1201"
    assert "[PTO-1201]\n" in str(caught.value)


def test_the_catalogue_is_not_loaded_with_the_language():
    code = "import sys, pypto.language; print('pypto.diagnostics.catalogue' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
