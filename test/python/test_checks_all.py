# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""No check is without wrong programs, and there are enough right ones near them."""

import sys
from collections import Counter
from pathlib import Path

import pytest
from pypto.runtime import checks

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "Reference")]

import test_checks_chip  # noqa: E402
import test_checks_content  # noqa: E402
import test_checks_cores  # noqa: E402
import test_checks_final  # noqa: E402
import test_checks_order  # noqa: E402
import test_checks_right  # noqa: E402
import test_pro_elements  # noqa: E402
import test_pro_order  # noqa: E402
import test_queues  # noqa: E402

CONTENT = test_checks_content
GROUPS = [
    *(test_checks_order.TASKS, test_checks_order.BLOCKS, test_checks_cores.CASES),
    *(CONTENT.UNINITIALIZED, CONTENT.OUT_READ, CONTENT.BOUNDS, CONTENT.VALID, CONTENT.DIVISION),
    *(test_checks_final.CASES, test_checks_chip.CASES),
]
COUNT = Counter(case.check for group in GROUPS for case in group.values())
# Those whose cases have a form of their own.
COUNT["schedule_difference"] += len(CONTENT.DIFFERENCE)
COUNT["in_write"] += len(CONTENT.IN_WRITE)
COUNT.update(check for _, _, check, _ in test_queues.WRONG.values())
COUNT["argument_overlap"] += len(CONTENT.OVERLAP)
COUNT["mutex"] += len(test_pro_order.MUTEX)
COUNT["unit_flag"] += sum(
    "unit flag" in (message or "") for _, message in test_pro_order.UNIT.values()
)
COUNT["data_cache"] += sum(
    "data cache" in (message or "") for _, message in test_pro_elements.CACHE.values()
)


@pytest.mark.parametrize("check", checks())
def test_each_check_has_three_wrong_programs(check):
    assert COUNT[check] >= 3


def test_every_program_is_of_a_check_that_there_is():
    assert set(COUNT) <= set(checks())


def test_right_programs_near_them():
    assert len(test_checks_right.CASES) + len(test_checks_final.NEAR) >= 30
