# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""How a kernel is compiled and run."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from ..diagnostics.errors import RunError, UnsupportedFeatureError

if TYPE_CHECKING:
    from .trace import Trace

# Platform: (chip, whether it runs on the reference model).
PLATFORMS = {"a2a3sim": ("910B", True), "a2a3": ("910B", False)}
LATER_PLATFORMS = ("a5sim", "a5")
# Fields that the language has and this version has not, with the value that changes nothing.
_LATER = {
    "device_id": 0,
    "rtol": 1e-5,
    "atol": 1e-5,
    "strategy": None,
    "backend_type": None,
    "save_kernels": False,
    "save_kernels_dir": None,
    "codegen_only": False,
    "enable_chip_swimlane": False,
    "enable_dump_args": False,
    "enable_pmu": False,
    "enable_dep_gen": False,
    "enable_scope_stats": False,
    "compile_profiling": False,
    "aicpu_thread_num": None,
    "distributed_config": None,
    "memory_planner": None,
}


def _trace(trace) -> Trace | None:
    if trace is None or trace is False:
        return None
    from .trace import Trace

    return trace if isinstance(trace, Trace) else Trace(trace)


@dataclasses.dataclass(frozen=True)
class RunConfig:
    """`platform`: "a2a3sim", Ascend 910B on the reference model, or "a2a3", which
    compiles for a device. `dump_passes`: whether `compile()` writes the module
    after each pass. `step_limit`: steps after which a run ends with an error; 0:
    none. `trace`: what a run does, an operation a line: True prints, a path gets JSON
    lines, a function each as a dict; a `Trace` says more."""

    platform: str = "a2a3sim"
    dump_passes: bool = False
    step_limit: int | None = None
    trace: Trace | None = None

    def __init__(self, platform="a2a3sim", dump_passes=False, step_limit=None, trace=None, **later):
        for name, value in later.items():
            if name not in _LATER:
                raise TypeError(f"RunConfig has no field '{name}'")
            if value != _LATER[name]:
                raise UnsupportedFeatureError(f"RunConfig({name}={value!r}) is not supported yet")
        if not isinstance(platform, str):
            raise TypeError(f"RunConfig(platform=) is a string, found {platform!r}")
        if platform in LATER_PLATFORMS:
            raise UnsupportedFeatureError(
                f"platform '{platform}' comes with Ascend 950 support, which is not there yet; "
                "'a2a3sim' runs on the reference model as Ascend 910B"
            )
        if platform not in PLATFORMS:
            known = ", ".join(f"'{name}'" for name in PLATFORMS)
            raise UnsupportedFeatureError(f"no platform '{platform}'; there are {known}")
        if not isinstance(dump_passes, bool):
            raise TypeError(f"RunConfig(dump_passes=) is True or False, found {dump_passes!r}")
        if step_limit is not None and type(step_limit) is not int:
            raise TypeError(
                f"RunConfig(step_limit=) is a number of steps or None, found {step_limit!r}"
            )
        if step_limit is not None and step_limit < 0:
            raise ValueError(
                f"RunConfig(step_limit=) is positive, 0 for no limit, or None, found {step_limit}"
            )
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
                "'a2a3sim' runs on the reference model"
            )
