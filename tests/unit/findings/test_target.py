"""B201 to B206: the run that trips each, and the one just below that doesn't."""

from dataclasses import replace

from benchsuite.core.observations import Cluster, FrontShares, Turnover
from benchsuite.core.results import Level
from benchsuite.core.samples import Round, Stall
from tests.unit.findings.clean import CLEAN, found, intervals, summary, words

CLUSTER = Cluster(at_s=0.04, percent=90.0)
STALLS = Stall((Round(0.003, 0.044, 0.002),) * 10)
HONEST = Stall((Round(0.043, 0.044, 0.043),) * 4)


IDLE = FrontShares(
    name="nginx",
    front_percent=20.0,
    front_cpus=1,
    target_percent=60.0,
    target_cpus=1,
    answering_percent=80.0,
    cpus=4,
)


def told(**changes):
    return found(front=replace(IDLE, **changes)).get("B211")


def crowd(counts, users):
    return [replace(second, users=users) for second in intervals(counts)]


def test_values(golden):
    golden.values(words)


def test_what_a_front_answers_for_a_lost_process_is_lost_with_stages_too():
    total = summary(failures=10, failures_by_kind={"http status": 10})
    stage = replace(CLEAN, stage="10 users", front=IDLE, total=total)
    seen = found(turnover=Turnover(replaced=10), total=total, stages=[stage], headline=0)
    assert seen["B203"].level is Level.INVALID


def test_ports_that_handshakes_did_not_get_are_a_limit():
    failures = {"other": "no connection: Cannot assign requested address"}
    handshakes = summary(scope="handshake", failures=9, failure_examples=failures)
    seen = found(unit="message", total=summary(requests=0), handshakes=[handshakes])
    assert "no port left" in seen["B204"].message
