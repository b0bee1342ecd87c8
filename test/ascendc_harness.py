# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Runs emitted AscendC C++ on this machine, over the host header of test/AscendCHost.

Many programs become one shared library, since a compilation costs a second or
more whatever it holds:

    library = Library({"softmax": translate(path), ...}, tmp_path)
    reports = library.run("softmax", "softmax", x, out)   # writes out in place

What the header is asked for stands in `GLUE`, `LAUNCH` and `KERNEL_TYPES`, and
nowhere else.
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

HOST = Path(__file__).resolve().parent / "AscendCHost"
Source = tuple[str, str]  # path, text

# -- What the host header offers ---------------------------------------------------

# Launches of kernels, and the surface that ctypes calls.
GLUE = r"""
#include <string>

extern "C" void harness_register(void *data, size_t bytes, const char *name) {
  ascendc_host::registerGlobal(data, bytes, name);
}
// The frame of an entry: what a program around it does once.
extern "C" void *harness_open() {
  aclrtStream stream = nullptr;
  bool opened = aclInit(nullptr) == ACL_SUCCESS && aclrtSetDevice(0) == ACL_SUCCESS &&
                aclrtCreateStream(&stream) == ACL_SUCCESS;
  return opened ? stream : nullptr;
}
extern "C" void harness_close(void *stream) {
  aclrtDestroyStream(stream);
  aclrtResetDevice(0);
  aclFinalize();
}
extern "C" void harness_reset() {
  ascendc_host::unregisterAll();
  ascendc_host::takeReports();
}
extern "C" const char *harness_reports() {
  static std::string text;
  text.clear();
  for (const auto &report : ascendc_host::takeReports()) {
    text += report;
    text += '\0';
  }
  text += '\0';
  return text.data();
}
"""

LAUNCH = """
void {name}_do(uint32_t numBlocks, void *stream{parameters}) {{
  ascendc_host::launch("{name}", {type}, numBlocks, [=] {{ {name}({arguments}); }}, stream);
}}
"""

KERNEL_TYPES = "ascendc_host::KernelType::KERNEL_TYPE_{}"

# -- What the emitter prints -------------------------------------------------------

KERNEL = re.compile(
    r'extern "C" __global__ __aicore__ void (?P<name>\w+)\((?P<parameters>[^)]*)\) \{\s*'
    r"KERNEL_TASK_TYPE_DEFAULT\(KERNEL_TYPE_(?P<type>\w+)\);"
)
ARCH = re.compile(r"__NPU_ARCH__ != (\d+)")
# What a kernel that copies from Vec to Mat is compiled with.
TO_MAT = "#define ENABLE_CV_COMM_VIA_SSBUF true"
ENTRY = re.compile(r'extern "C" int (?P<name>\w+)\((?P<parameters>[^)]*)\) \{')

SCALARS = {
    "float": ctypes.c_float,
    "bool": ctypes.c_bool,
    "int8_t": ctypes.c_int8,
    "int16_t": ctypes.c_int16,
    "int32_t": ctypes.c_int32,
    "int64_t": ctypes.c_int64,
}


@dataclass(frozen=True)
class Parameter:
    type: str  # "uint8_t *" of an array
    name: str

    @property
    def is_array(self) -> bool:
        return self.type == "uint8_t *"

    def __str__(self) -> str:
        return self.type + ("" if self.is_array else " ") + self.name


def _parameters(text: str) -> list[Parameter]:
    parameters = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        kind, name = re.fullmatch(r"(.*?)(\w+)", part, re.DOTALL).groups()
        kind = kind.strip()
        parameters.append(
            Parameter("uint8_t *" if kind in ("GM_ADDR", "uint8_t *") else kind, name)
        )
    return parameters


@dataclass(frozen=True)
class Function:
    name: str
    symbol: str  # its name in the library
    parameters: tuple[Parameter, ...]
    is_entry: bool


def _tool(name: str, option: str, text: str) -> str:
    """What a tool of PyPTO makes of the text of a module."""
    tool = shutil.which(name, path=os.environ.get("PYPTO_BIN") or None)
    if not tool:
        raise FileNotFoundError(f"{name} is neither in PYPTO_BIN nor on PATH")
    done = subprocess.run(
        [tool, option, "-"], input=text, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise ValueError(done.stderr)
    return done.stdout


def pipeline(text: str) -> str:
    """The module after all passes, for the chip that it names."""
    return _tool("pypto-opt", "--pto-pipeline", text)


def translate(module: str | Path) -> list[Source]:
    """The sources of a final module: a path, or the module's text."""
    text = module.read_text() if isinstance(module, Path) else module
    sources = _tool("pypto-translate", "--pto-to-ascendc", text)
    parts = re.split(r"^// ==== (.*) ====\n", sources, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


# -- The library -------------------------------------------------------------------


class Library:
    """The C++ of several programs, compiled together. Names of kernels and entries
    are made the program's own, so that two programs may use the same."""

    def __init__(
        self, programs: Mapping[str, Sequence[Source]], folder: Path, *, host: Path = HOST
    ):
        self._functions: dict[tuple[str, str], Function] = {}
        folder.mkdir(parents=True, exist_ok=True)
        texts = [text for sources in programs.values() for _, text in sources]
        archs = {found[1] for text in texts if (found := ARCH.search(text))} or {"2201"}
        if len(archs) > 1:
            raise ValueError("a library holds the kernels of one chip")
        unit = [TO_MAT] if any("ENABLE_CV_COMM_VIA_SSBUF" in text for text in texts) else []
        unit += ['#include "kernel_operator.h"', '#include "acl/acl.h"', "#include <vector>", GLUE]
        for number, (program, sources) in enumerate(programs.items()):
            # Kernels first: an entry declares the launches that they define.
            for path, text in sorted(
                sources, key=lambda source: source[0].startswith("orchestration/")
            ):
                place = folder / f"p{number}" / path
                if place.suffix == ".h":
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_text(text)
                else:
                    unit.append(self._add(program, f"p{number}_", place, text))
        (folder / "all.cpp").write_text("\n".join(unit))
        library = folder / "all.so"
        self._compile(folder, library, host, archs.pop())
        self._library = ctypes.CDLL(str(library))
        self._library.harness_register.argtypes = [
            ctypes.c_void_p,
            ctypes.c_size_t,
            ctypes.c_char_p,
        ]
        self._library.harness_reports.restype = ctypes.c_void_p
        self._library.harness_open.restype = ctypes.c_void_p

    @staticmethod
    def _compile(folder: Path, library: Path, host: Path, arch: str) -> None:
        sources = [folder / "all.cpp", *sorted(host.glob("*.cpp"))]
        command = ["g++", "-std=c++17", "-O1", "-shared", "-fPIC", "-pthread"]
        # Libraries of two chips in one process share nothing.
        command += ["-fno-gnu-unique", "-DASCENDC_CPU_DEBUG", f"-D__NPU_ARCH__={arch}"]
        command += ["-I", str(host), "-I", str(folder)]
        command += [*map(str, sources), "-o", str(library)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ValueError(f"{' '.join(command)}\n{done.stderr[:8000]}")

    def _add(self, program: str, prefix: str, path: Path, text: str) -> str:
        """Writes one source with its names made unique; what includes it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        is_entry = "/orchestration/" in path.as_posix()
        found = (ENTRY if is_entry else KERNEL).search(text)
        if not found:
            raise ValueError(f"{path} defines no {'entry' if is_entry else 'kernel'}")
        name, parameters = found["name"], _parameters(found["parameters"])
        # The definition, and the launches that an entry declares and calls.
        text = text[: found.start("name")] + prefix + text[found.start("name") :]
        text = re.sub(r"\b(\w+_do)(?=\()", prefix + r"\1", text)
        # The kernel's own configuration of Fixpipe.
        text = re.sub(rf"\b{name}_to_vec\b", prefix + name + "_to_vec", text)
        path.write_text(text)
        include = f'#include "{path}"'
        symbol = prefix + name
        if is_entry:
            self._functions[program, name] = Function(name, symbol, tuple(parameters[1:]), True)
            return include
        self._functions[program, name] = Function(name, f"run_{symbol}", tuple(parameters), False)
        launch = LAUNCH.format(
            name=symbol,
            type=KERNEL_TYPES.format(found["type"]),
            parameters="".join(f", {parameter}" for parameter in parameters),
            arguments=", ".join(parameter.name for parameter in parameters),
        )
        run = f'extern "C" int run_{symbol}(void *stream, uint32_t numBlocks' + "".join(
            f", {parameter}" for parameter in parameters
        )
        call = ", ".join(["numBlocks", "stream", *(parameter.name for parameter in parameters)])
        done = "return aclrtSynchronizeStream(stream);"
        return f"{include}\n{launch}{run}) {{\n  {symbol}_do({call});\n  {done}\n}}\n"

    def parameters(self, program: str, name: str) -> tuple[Parameter, ...]:
        """What a kernel or an entry is given."""
        return self._functions[program, name].parameters

    def run(self, program: str, name: str, *args, blocks: int = 1, seed: int = 0) -> list[str]:
        """Runs a kernel (in `blocks` blocks) or an entry on NumPy arrays, in place;
        what the header reports, in order. `seed` chooses among the orders that streams
        and events leave to the tasks; 0 is the order of submission."""
        function = self._functions[program, name]
        if len(args) != len(function.parameters):
            raise TypeError(f"{name} takes {len(function.parameters)} arguments, found {len(args)}")
        self._library.harness_reset()
        self._library.ascendc_host_stream_seed(ctypes.c_uint64(seed))
        stream = ctypes.c_void_p(self._library.harness_open())
        values = [stream]
        if not function.is_entry:
            values.append(ctypes.c_uint32(blocks))
        for parameter, value in zip(function.parameters, args, strict=True):
            values.append(self._argument(parameter, value))
        status = getattr(self._library, function.symbol)(*values)
        self._library.harness_close(stream)
        reports = self._reports()
        self._library.harness_reset()
        if status:
            reports.append(f"{name} returned {status}")
        return reports

    def _argument(self, parameter: Parameter, value):
        if not parameter.is_array:
            return SCALARS[parameter.type](value)
        if value is None or (isinstance(value, np.ndarray) and value.size == 0):
            return ctypes.c_void_p(None)  # a pointer that nothing was given for
        if not isinstance(value, np.ndarray) or not value.flags.c_contiguous:
            raise TypeError(f"{parameter.name} takes a contiguous NumPy array")
        self._library.harness_register(value.ctypes.data, value.nbytes, parameter.name.encode())
        return ctypes.c_void_p(value.ctypes.data)

    def _reports(self) -> list[str]:
        at, reports = self._library.harness_reports(), []
        while text := ctypes.string_at(at):
            reports.append(text.decode(errors="replace"))
            at += len(text) + 1
        return reports
