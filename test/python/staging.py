# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""A program before the first pass and after each one, and one of these run on the model."""

from pypto.ir.program import Passes
from pypto.jit import driver
from pypto.runtime import RunConfig, arrays
from pypto.runtime.reference import ReferenceModel

STEPS = 10_000_000


def stages(entry, arguments, config=None):
    """(name, program) of the program that these arguments ask for."""
    config = config or RunConfig()
    program = driver.specialise(entry, tuple(arguments), {}, config).program
    yield "00_frontend", program
    for number, step in enumerate(Passes.pipeline(config.target).single()):
        program = program.after(step)
        if str(step) != "pto-verify-level":
            yield f"{number // 2:02}_after_{step}", program


def run_stage(program, arguments) -> None:
    """Writes the arrays of `arguments` as the program says."""
    given = [arrays.buffer(f"a{index}", array) for index, array in enumerate(arguments)]
    ReferenceModel(program._operation, program.name).run(given, STEPS)
