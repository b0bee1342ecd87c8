# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
pytest.register_assert_rewrite("final_checking")


@pytest.fixture(scope="module")
def run_json(tmp_path_factory):
    folder = tmp_path_factory.mktemp("final")
    np.save(folder / "x.npy", np.ones((64, 64), np.float32))
    tool = os.path.join(os.environ.get("PYPTO_BIN", ""), "pypto-run")

    def run(text, *options, number=4):
        (folder / "k.mlir").write_text(text)
        command = [tool, "k.mlir", "--entry", "k", "--json", *options]
        command += ["--args", "x.npy", "out", str(number)]
        made = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert made.returncode in (0, 1) and not made.stderr, made.stderr
        return json.loads(made.stdout)

    return run
