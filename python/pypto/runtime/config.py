# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""How a kernel is compiled and run."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from .. import env
from ..diagnostics.errors import RunError, UnsupportedFeatureError
from ..diagnostics.suggest import suggestion
from ..ir.options import BackendType, MemoryPlanner, OptimizationStrategy, PassDumpLevel

if TYPE_CHECKING:
    from .trace import Trace

# Platform: (chip, whether it runs on the reference model).
PLATFORMS = {
    "a2a3sim": ("910B", True),
    "a2a3": ("910B", False),
    "a5sim": ("950", True),
    "a5": ("950", False),
}
# Fields that the language has and this version has not, with the value that changes nothing.
_LATER = {
    "save_kernels": False,
    "save_kernels_dir": None,
    "codegen_only": False,
    "enable_chip_swimlane": False,
    "enable_dump_args": False,
    "enable_pmu": False,
    "enable_dep_gen": False,
    "enable_scope_stats": False,
    "aicpu_thread_num": None,
    "distributed_config": None,
}


_CHOICES = ("strategy", "memory_planner", "backend_type")


def _check_choices(target: str, choices: dict) -> None:
    """The fields that a program may give and that leave one choice."""
    for name, kind in (("strategy", OptimizationStrategy), ("memory_planner", MemoryPlanner)):
        value = choices.pop(name, None)
        if value is not None and not isinstance(value, kind):
            raise TypeError(
                f"RunConfig({name}=) is a member of pypto.ir.{kind.__name__}, found {value!r}"
            )
        if value in (MemoryPlanner.DSA_RP, MemoryPlanner.PTOAS):
            raise UnsupportedFeatureError(
                f"RunConfig(memory_planner={value}) is not supported yet: addresses come from "
                "pto-plan-memory, which is MemoryPlanner.PYPTO"
            )
    chip = choices.pop("backend_type", None)
    if chip is not None and not isinstance(chip, BackendType):
        raise TypeError(
            f"RunConfig(backend_type=) is a member of pypto.ir.BackendType, found {chip!r}"
        )
    if chip is not None and chip.value != target:
        raise ValueError(
            f"RunConfig(backend_type={chip}) is the Ascend {chip.value}, and the platform is the "
            f"Ascend {target}"
        )


def _trace(trace) -> Trace | None:
    if trace is None or trace is False:
        return None
    from .trace import Trace

    return trace if isinstance(trace, Trace) else Trace(trace)


def checks() -> dict[str, str]:
    """The checks of the reference model: what each finds, by its name."""
    return {name: what for name, what, _ in _known_checks()}


def _known_checks() -> list[tuple[str, str, bool]]:
    from ..mlir._mlir_libs import _pto

    return _pto.reference_checks()


def _checks_word(value) -> str:
    """RunConfig(checks=) as the model takes it: "all", "none", "all,-name", "none,+name"."""
    if value in ("all", "none"):
        return value
    if isinstance(value, dict):
        bad = [item for item in value.items() if type(item[1]) is not bool]
        if bad:
            raise TypeError(f"RunConfig(checks=) maps names to True or False, found {bad[0]!r}")
        words = ["all"] + [("+" if on else "-") + str(name) for name, on in value.items()]
    elif isinstance(value, (list, tuple, set, frozenset)):
        words = ["none"] + ["+" + str(name) for name in sorted(value, key=str)]
    else:
        raise TypeError(
            'RunConfig(checks=) is "all", "none", a list of names or {"name": False}, found '
            f"{value!r}"
        )
    known = {name: can_be_off for name, _, can_be_off in _known_checks()}
    for word in words[1:]:
        if word[1:] not in known:
            raise ValueError(
                f"there is no check '{word[1:]}'; there are {', '.join(known)}"
                + suggestion(word[1:], known)
            )
        if word[0] == "-" and not known[word[1:]]:
            raise ValueError(
                f"the check '{word[1:]}' cannot be off: the model cannot go on without it"
            )
    return ",".join(words)


def _require_number(name: str, value, least: int) -> None:
    if type(value) is not int:
        raise TypeError(f"RunConfig({name}=) is a number, found {value!r}")
    if value < least:
        raise ValueError(f"RunConfig({name}=) is at least {least}, found {value}")
    if value >= 1 << 63:
        raise ValueError(f"RunConfig({name}=) is less than 2**63, found {value}")


@dataclasses.dataclass(frozen=True)
class RunConfig:
    """`platform`: "a2a3sim" or "a5sim", Ascend 910B or Ascend 950 on the reference model,
    or "a2a3" or "a5", which compile for a device; None is what the environment variable
    PYPTO_PLATFORM says, else "a2a3sim". `dump_passes`: whether `compile()` writes the module
    after each pass (a `PassDumpLevel` says after which). `step_limit`: steps after which a run
    ends with an error; 0: none. `trace`: what a run does, an operation a line: True prints, a
    path gets JSON lines, a function each as a dict; a `Trace` says more.

    `checks`: what the reference model checks: "all", "none", a list of names, or
    {"name": False} for all but some; `pypto.runtime.checks()` lists them.
    `schedules`: how many orders of the tasks are tried, all of which their edges
    allow: program order, reversed, the most distant first, then random ones from
    `schedule_seed` on. Their answers must be the same to the bit; the caller gets
    that of the first. With one schedule and a seed, that one is random.

    `compile_profiling`: whether `compile()` writes how long each pass took. `rtol` and `atol`
    are kept for whoever compares results, as `compiled.validate_ir` does; a run compares
    nothing. `device_id`: which device of a card; the reference model has one, which every
    number names."""

    platform: str = "a2a3sim"
    dump_passes: bool | PassDumpLevel = False
    step_limit: int | None = None
    checks: str = "all"
    schedule_seed: int | None = None
    schedules: int = 1
    trace: Trace | None = None
    compile_profiling: bool = False
    rtol: float = 1e-5
    atol: float = 1e-5
    device_id: int = 0

    def __init__(
        self,
        platform=None,
        dump_passes=False,
        step_limit=None,
        checks="all",
        schedule_seed=None,
        schedules=1,
        trace=None,
        compile_profiling=False,
        rtol=1e-5,
        atol=1e-5,
        device_id=0,
        **later,
    ):
        choices = {name: later.pop(name) for name in _CHOICES if name in later}
        for name, value in later.items():
            if name not in _LATER:
                names = [field.name for field in dataclasses.fields(self)]
                hint = suggestion(name, [*names, *_CHOICES, *_LATER])
                raise TypeError(f"RunConfig has no field '{name}'{hint}")
            if value != _LATER[name]:
                raise UnsupportedFeatureError(f"RunConfig({name}={value!r}) is not supported yet")
        object.__setattr__(self, "says_platform", platform is not None)
        if platform is None:
            platform = env.platform()
        if not isinstance(platform, str):
            raise TypeError(f"RunConfig(platform=) is a string, found {platform!r}")
        if platform not in PLATFORMS:
            known = ", ".join(f"'{name}'" for name in PLATFORMS)
            raise UnsupportedFeatureError(f"no platform '{platform}'; there are {known}")
        _check_choices(PLATFORMS[platform][0], choices)
        if not isinstance(dump_passes, (bool, PassDumpLevel)):
            raise TypeError(
                "RunConfig(dump_passes=) is True, False or a member of pypto.ir.PassDumpLevel, "
                f"found {dump_passes!r}"
            )
        if step_limit is not None and type(step_limit) is not int:
            raise TypeError(
                f"RunConfig(step_limit=) is a number of steps or None, found {step_limit!r}"
            )
        if step_limit is not None and step_limit < 0:
            raise ValueError(
                f"RunConfig(step_limit=) is positive, 0 for no limit, or None, found {step_limit}"
            )
        if step_limit is not None and step_limit >= 1 << 63:
            raise ValueError(f"RunConfig(step_limit=) is less than 2**63, found {step_limit}")
        _require_number("schedules", schedules, 1)
        _require_number("device_id", device_id, 0)
        for name, value in (("rtol", rtol), ("atol", atol)):
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise TypeError(f"RunConfig({name}=) is a number, found {value!r}")
            if not value >= 0:
                raise ValueError(f"RunConfig({name}=) is zero or positive, found {value}")
            object.__setattr__(self, name, float(value))
        if not isinstance(compile_profiling, bool):
            raise TypeError(
                f"RunConfig(compile_profiling=) is True or False, found {compile_profiling!r}"
            )
        object.__setattr__(self, "compile_profiling", compile_profiling)
        object.__setattr__(self, "device_id", device_id)
        if schedule_seed is not None:
            _require_number("schedule_seed", schedule_seed, 0)
        if trace and schedules > 1:
            raise ValueError(
                f"RunConfig(trace=) is of one run, and schedules={schedules} makes several; "
                "schedule_seed chooses one"
            )
        object.__setattr__(self, "checks", _checks_word(checks))
        object.__setattr__(self, "schedules", schedules)
        object.__setattr__(self, "schedule_seed", schedule_seed)
        object.__setattr__(self, "platform", platform)
        object.__setattr__(self, "dump_passes", dump_passes)
        object.__setattr__(self, "step_limit", step_limit)
        object.__setattr__(self, "trace", _trace(trace))

    @property
    def target(self) -> str:
        return PLATFORMS[self.platform][0]

    def require_simulator(self) -> None:
        if not PLATFORMS[self.platform][1]:
            raise RunError(
                f"platform '{self.platform}' runs on an Ascend device with the CANN toolchain, and "
                "neither is here; compile() writes the AscendC sources for it, and platform "
                f"'{self.platform}sim' runs on the reference model"
            )
