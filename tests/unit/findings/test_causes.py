"""A hint names a cause only where the run has shown it; otherwise it says how to look."""

from dataclasses import replace
from typing import Any

import pytest

from benchsuite.core.observations import ClockCheck, Cluster, HostShares, Turn, UnderWay
from benchsuite.core.results import Asked
from benchsuite.core.samples import Round, Stall
from tests.unit.findings.clean import CLEAN, found, planned, summary

Changes = dict[str, Any]


def longest(max_s, **changes):
    return summary(response_time=replace(summary().response_time, max_s=max_s), **changes)


REFUSED = {"failures": 10, "failures_by_kind": {"http status": 10}}
EDGES = {"throughput": 80.0}
LATE: Changes = {"load_lag_p99_s": 0.05}
MISSED: Changes = {
    "arrivals": planned(100.0, 80.0),
    "under_way": UnderWay(arrived_per_s=100.0, mean=10.0),
}
FOREIGN: Changes = {"total": summary(failures=3, failures_by_kind={"wrong responder": 3})}
LOCKED: Changes = {"log": "OperationalError: database is locked"}
UNEVEN: Changes = {"answers_by_user": (100,) * 9 + (0,)}
CLUSTERED: Changes = {"cluster": Cluster(at_s=0.04, percent=20.0, fastest_s=0.09)}
ADDRESSES = {"connect refused": "Cannot assign requested address"}

CAUSES: dict[str, list[tuple[Changes, Changes, str]]] = {
    "B102": [
        (LATE, {"load_cpu_percent": 75.0}, "It is busy itself"),
        (LATE, {"host": HostShares(others_percent=30.0)}, "Others held it up"),
    ],
    "B104": [
        (MISSED, {"busy_percent": 99.0}, "The target is at its capacity"),
        (MISSED, LATE, "The generator was late"),
    ],
    "B105": [
        ({"total": summary(**EDGES)}, {"total": longest(2.1, **EDGES)}, "window is too short"),
    ],
    "B201": [
        (
            {"total": summary(**REFUSED)},
            {"total": summary(**{**REFUSED, "failures_by_kind": {"throttled": 10}})},
            "Status 429",
        ),
        (
            {"total": summary(**REFUSED)},
            {"turn": Turn(right=60, at_s=1.0)},
            "used up by so many requests",
        ),
    ],
    "B202": [
        (FOREIGN, {"asked": Asked(sent=1000, answered=1000, seen=997)}, "The target never saw 3"),
        (FOREIGN, {"asked": Asked(sent=1000, answered=1000, seen=None)}, ""),
        (FOREIGN, {"asked": Asked(sent=1000, answered=1000, seen=1000)}, ""),
    ],
    "B204": [(LOCKED, {"total": summary(failure_examples=ADDRESSES)}, "Ports last longer")],
    "B205": [
        (
            CLUSTERED,
            {"stall": Stall((Round(fresh_s=0.01, kept_s=0.05, prompt_s=0.01),) * 12)},
            "waits for an acknowledgement",
        )
    ],
    "B206": [
        (UNEVEN, {"probes": replace(CLEAN.probes, answered=10)}, "slots to connections, not"),
    ],
    "B401": [
        (
            {"host": HostShares(steal_percent=6.0)},
            {"host": HostShares(others_percent=6.0)},
            "Stop other programs",
        )
    ],
    "B402": [
        (
            {"clock": ClockCheck(gap_s=2.0)},
            {"clock": ClockCheck(wall_step_s=2.0)},
            "sets the clock",
        ),
        ({"clock": ClockCheck(wall_step_s=2.0)}, {"clock": ClockCheck(gap_s=2.0)}, "suspended"),
    ],
}
"""Finding → what trips it, the evidence that shows a cause, and how its hint then names it."""


@pytest.mark.parametrize(
    ("number", "trips", "evidence", "cause"),
    [(number, *case) for number, cases in CAUSES.items() for case in cases],
)
def test_a_cause_is_named_with_its_evidence_only(number, trips, evidence, cause):
    without = found(**trips)[number].hint
    with_it = found(**{**trips, **evidence})[number].hint
    assert without
    if cause:
        assert cause not in without
        assert cause in with_it
    else:
        assert with_it == without, "this shows nothing"
