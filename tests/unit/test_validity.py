"""Each finding: the run that trips it, and the one just below that doesn't."""

from dataclasses import replace

import pytest

from benchsuite.results import Distribution, Finding, Level, LoadHealth, Summary, Verdict
from benchsuite.stats import validity

QUIET = LoadHealth(cpu_percent=30.0, lag_p99_s=0.0004)


def summary(**changes: object) -> Summary:
    """1 000 requests in 10 s at 100 ms each, as 10 users make them."""
    times = Distribution(
        count=1000, mean_s=0.1, min_s=0.09, max_s=0.2, percentiles={50: 0.1, 95: 0.15, 99: 0.18}
    )
    clean = Summary(
        name="all requests",
        scope="all",
        requests=1000,
        failures=0,
        throughput=100.0,
        goodput=100.0,
        response_time=times,
        service_time=times,
        concurrency=10.0,
    )
    return replace(clean, **changes)  # type: ignore[arg-type]


def assess(
    total: Summary | None = None,
    health: LoadHealth = QUIET,
    *,
    waiting_users: float | None = 10.0,
    died: bool = False,
) -> dict[str, Finding]:
    found = validity.assess(
        total or summary(), health, waiting_users=waiting_users, died=died
    )
    return {finding.code.split()[0]: finding for finding in found}


def test_a_clean_run_has_no_finding_and_is_valid() -> None:
    assert assess() == {}
    assert validity.verdict(()) is Verdict.VALID


@pytest.mark.parametrize(
    ("cpu_percent", "level"),
    [(None, None), (70.0, None), (70.1, Level.WEAK), (90.0, Level.WEAK), (90.1, Level.INVALID)],
)
def test_generator_cpu(cpu_percent: float | None, level: Level | None) -> None:
    found = assess(health=LoadHealth(cpu_percent=cpu_percent, lag_p99_s=0.0))
    assert (found["B101"].level if found else None) == level


@pytest.mark.parametrize(
    ("lag_s", "level"),
    [(None, None), (0.01, None), (0.0101, Level.WEAK), (0.1, Level.WEAK), (0.101, Level.INVALID)],
)
def test_generator_lag_is_held_against_the_median(lag_s: float | None, level: Level | None) -> None:
    found = assess(health=LoadHealth(cpu_percent=10.0, lag_p99_s=lag_s))
    assert (found["B102"].level if found else None) == level


def test_a_millisecond_of_lag_is_never_a_finding() -> None:
    fast = Distribution(count=1000, mean_s=0.1, percentiles={50: 0.0002})
    assert assess(summary(response_time=fast), LoadHealth(cpu_percent=1.0, lag_p99_s=0.001)) == {}


@pytest.mark.parametrize(
    ("waiting_users", "level"),
    [(10.5, None), (10.6, Level.WEAK), (11.7, Level.WEAK), (11.8, Level.INVALID), (None, None)],
)
def test_littles_law_finds_time_lost_in_the_generator(
    waiting_users: float | None, level: Level | None
) -> None:
    found = assess(waiting_users=waiting_users)
    assert (found["B105"].level if found else None) == level


def test_littles_law_says_nothing_when_requests_failed() -> None:
    failed = summary(failures=1, failures_by_kind={"reset": 1})
    assert "B105" not in assess(failed, waiting_users=100.0)


@pytest.mark.parametrize(
    ("failures", "level"), [(1, None), (2, Level.WEAK), (50, Level.WEAK), (51, Level.INVALID)]
)
def test_failures_by_share(failures: int, level: Level | None) -> None:
    found = assess(summary(failures=failures, failures_by_kind={"http status": failures}))
    assert (found["B201"].level if found else None) == level


def test_failures_are_told_by_kind_most_first() -> None:
    kinds = {"reset": 3, "http status": 40}
    message = assess(summary(failures=43, failures_by_kind=kinds))["B201"].message
    assert "(40 × http status, 3 × reset)" in message


def test_one_answer_of_another_process_makes_a_run_invalid() -> None:
    found = assess(summary(failures=1, failures_by_kind={"wrong responder": 1}))
    assert found["B202"].level is Level.INVALID


def test_a_dead_target_makes_a_run_invalid() -> None:
    assert assess(died=True)["B203"].level is Level.INVALID


@pytest.mark.parametrize(
    ("count", "level"),
    [
        (19, Level.INVALID),
        (20, Level.WEAK),
        (71, Level.WEAK),
        (72, Level.INFO),
        (367, Level.INFO),
        (368, None),
    ],
)
def test_few_samples(count: int, level: Level | None) -> None:
    few = Distribution(count=count, mean_s=0.1, percentiles={50: 0.1})
    found = assess(summary(response_time=few))
    assert (found["B302"].level if found else None) == level


def test_the_worst_finding_makes_the_verdict() -> None:
    info = Finding(code="B302", level=Level.INFO, message="")
    weak = Finding(code="B101", level=Level.WEAK, message="")
    wrong = Finding(code="B202", level=Level.INVALID, message="")
    assert validity.verdict([info]) is Verdict.VALID
    assert validity.verdict([info, weak]) is Verdict.WEAK
    assert validity.verdict([weak, wrong, info]) is Verdict.INVALID
