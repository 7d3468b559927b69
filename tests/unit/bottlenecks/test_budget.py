"""Where the time of a request goes."""

from dataclasses import replace

import pytest

from benchsuite.bottlenecks.evidence import (
    CPU,
    DATABASE_TIME,
    QUEUE,
    REST,
    RUN_DELAY,
    SENDING,
    Diagnosis,
    budget,
)
from tests.unit.bottlenecks.healthy import HEALTHY


def test_the_parts_add_up() -> None:
    found = budget(HEALTHY)
    assert found is not None
    assert found.parts == pytest.approx(
        {SENDING: 0.0005, QUEUE: 0.0005, CPU: 0.02, RUN_DELAY: 0.002, DATABASE_TIME: 0.025}
    )
    assert found.rest_s == pytest.approx(0.002)
    assert "something else" not in found.sentence


def test_what_is_left_is_said() -> None:
    found = budget(replace(HEALTHY, response_s=0.1))
    assert found is not None
    assert found.sentence.endswith("52.0\u2009ms are something else.")
    assert found.share(REST) == pytest.approx(0.52)


def test_what_nobody_measured_is_said_with_it() -> None:
    found = budget(replace(HEALTHY, active=None, run_delay_percent=None))
    assert found is not None
    assert found.sentence.endswith("(not measured: waiting for a CPU and database).")


@pytest.mark.parametrize("loaded", [False, True])
def test_queries_that_others_held_up_are_no_part_of_the_time(loaded) -> None:
    timed = Diagnosis(requests=9, loaded=loaded, request_s=0.04, query_s=0.02)
    found = budget(replace(HEALTHY, active=None, diagnosis=timed))
    assert found is not None
    assert (found.parts.get(DATABASE_TIME) == 0.02) is not loaded
    assert (DATABASE_TIME in found.unknown) is loaded


def test_requests_wait_for_a_process_that_is_busy() -> None:
    found = budget(replace(HEALTHY, response_s=0.1, busiest_percent=97.0))
    assert found is not None
    assert found.sentence.endswith(
        "for 52.0\u2009ms it waited for a process that was busy with others."
    )


def test_parts_that_overlap_are_said_to() -> None:
    found = budget(replace(HEALTHY, active=3.0))
    assert found is not None
    assert "These overlap: together they are 196\u2009% of it." in found.sentence


@pytest.mark.parametrize("change", [{"response_s": None}, {"cpu_percent": {}}, {"rate": None}])
def test_without_mean_or_cpu_there_is_none(change: dict[str, object]) -> None:
    assert budget(replace(HEALTHY, **change)) is None


def test_means_of_few_successes_are_no_budget() -> None:
    assert budget(replace(HEALTHY, failed_share=0.2)) is None
