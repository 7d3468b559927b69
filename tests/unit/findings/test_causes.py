"""A hint names a cause only where the run has shown it; otherwise it says how to look."""

from dataclasses import replace
from typing import Any

from benchsuite.core.observations import Cluster, UnderWay
from tests.unit.findings.clean import found, planned, summary

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


def test_a_cause_is_named_with_its_evidence_only(golden):
    """The hint of a finding without what shows a cause, and with it."""

    def hints(number, trips, evidence):
        return [found(**one)[number].hint for one in (trips, {**trips, **evidence})]

    golden.cases(hints)
