"""Runs whose window carries no figure: B301, B302 and B304."""

import pytest

from benchsuite.core.results import Level
from tests.sabotage.runs import Laboratory, findings, found, told

pytestmark = pytest.mark.alone


def test_b301_a_page_gets_slower_all_the_time(lab: Laboratory) -> None:
    finding = found("B301", lambda: lab.run(path="/drifting/", warmup_s=1.0, duration_s=8.0))
    assert finding.level is Level.INVALID, "no half is steady"


def test_b301_a_page_gets_slower_and_fast_again_in_turn(lab: Laboratory) -> None:
    finding = found("B301", lambda: lab.run(path="/sawing/", warmup_s=1.0, duration_s=12.0))
    assert finding.level is Level.WEAK
    assert "went up and down" in finding.message


def test_b304_as_much_arrives_as_can_be_answered(lab: Laboratory) -> None:
    """19.8 answers a second of a page of 50 ms, at the most; the open model asks for nearly all."""
    result = lab.run(
        path="/slow/",
        model="open",
        users=1,
        arrival_rate=19.6,
        processes=1,
        threads=1,
        duration_s=4.0,
    )
    (finding,) = findings(result, "B304")
    assert "capacity" in finding.message.lower(), told(result)


def test_b302_too_few_answers_for_p95(lab: Laboratory) -> None:
    result = lab.run(path="/slow/", users=2, duration_s=1.5)
    assert [one.level for one in findings(result, "B302")] == [Level.WEAK], told(result)


def test_b302_too_few_answers_for_anything(lab: Laboratory) -> None:
    result = lab.run(path="/slow/", users=1, duration_s=0.5)
    assert [one.level for one in findings(result, "B302")] == [Level.INVALID], told(result)
