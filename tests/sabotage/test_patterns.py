"""Runs that are slow for some: what their slow answers have in common is named (L16)."""

import pytest

from benchsuite.core.results import Common
from tests.sabotage.runs import told

LOAD = {"warmup_s": 2.0, "duration_s": 10.0}
SYNC = {"server": "gunicorn-sync", "processes": 4, "keep_alive": False, "users": 3}


@pytest.mark.alone
@pytest.mark.parametrize(
    ("common", "run"),
    [
        (Common.PERIOD, {"path": "/pausing/?period=2&held=0.15"}),
        (Common.PROCESS, {"path": "/one-of-four/", **SYNC}),
        (
            Common.CONNECTION,
            {"path": "/unfair/?each=4&late_s=0.1&ms=5", "processes": 1, "threads": 8},
        ),
    ],
)
def test_what_slow_answers_have_in_common_is_named(lab, common, run):
    result = lab.run(**LOAD, **run)
    found = result.total.patterns
    assert common in [one.common for one in found], f"{found} {told(result)}"
