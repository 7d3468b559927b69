"""Clean runs are found clean, and real faults are found, on real servers."""

import pytest

from benchsuite.core.results import Level, RunResult
from tests.integration.findings import NOISE, a_run, doubts
from tests.needs import needs


def numbers(result: RunResult) -> set[str]:
    return {one.code[:4] for one in result.findings}


@pytest.mark.alone
@pytest.mark.parametrize("server", ["gunicorn-gthread", "waitress", "uvicorn", "granian-wsgi"])
def test_a_clean_run_has_no_finding(server: str) -> None:
    """Of a page that takes a tenth of a second: nothing is near to a limit."""
    result = a_run(server)
    assert doubts(result) == {}
    assert numbers(result) >= {"B403"} or "B401" in numbers(result)


@pytest.mark.parametrize("server", ["gunicorn-sync", "hypercorn", "granian-asgi"])
def test_a_clean_run_of_a_fast_page_has_no_finding_about_the_target(server: str) -> None:
    """Two CPUs may well be too few for target and generator, and a run may say so."""
    found = doubts(a_run(server, "plain", users=2))
    assert set(found) <= NOISE, found


@needs("gunicorn")
def test_processes_that_are_recycled_in_the_window_are_told() -> None:
    """One process makes ten answers a second: it ends two or three seconds after the start."""
    result = a_run("gunicorn-sync", options={"max_requests": "25"})
    (finding,) = (one for one in result.findings if one.code == "B203 target-died")
    assert finding.level is Level.INFO, "no request was lost"
    assert "recycles" in finding.hint


@pytest.mark.alone
@needs("pyuwsgi")
def test_the_stall_of_two_pieces_of_an_answer_is_told() -> None:
    result = a_run(
        "uwsgi", "plain", users=2, settings_module="tests.integration.settings_without_length"
    )
    found = {one.code: one for one in result.findings}
    assert found["B205 stall"].level is Level.WEAK
    assert "B106 prober-disagrees" not in found, "the stall explains it"
