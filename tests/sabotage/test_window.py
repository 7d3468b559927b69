"""Runs whose window carries no figure: B301, B302, B304 and B305."""

import pytest

from benchsuite.core.results import Level
from tests.sabotage.runs import findings, found, told

pytestmark = pytest.mark.alone


def test_b301_a_page_gets_slower_all_the_time(lab):
    load = {"path": "/drifting/", "warmup_s": 1.0, "duration_s": 8.0}
    found("B301", lambda: lab.run(**load), Level.INVALID, "no half of it was steady")


def test_b304_as_much_arrives_as_can_be_answered(lab):
    """19.8 answers a second of a page of 50 ms, at the most; the open model asks for nearly all."""
    load = {"model": "open", "users": 1, "arrival_rate": 19.6, "duration_s": 4.0}
    result = lab.run(path="/slow/", processes=1, threads=1, **load)
    (finding,) = findings(result, "B304")
    assert "capacity" in finding.message.lower(), told(result)


@pytest.mark.parametrize(("load", "level"), [((2, 1.5), Level.WEAK), ((1, 0.5), Level.INVALID)])
def test_b302_too_few_answers_for_p95_or_for_anything(lab, load, level):
    users, duration_s = load
    result = lab.run(path="/slow/", users=users, duration_s=duration_s)
    assert [one.level for one in findings(result, "B302")] == [level], told(result)


def test_b305_a_fixed_amount_of_work_that_takes_too_long(lab):
    result = lab.run(path="/slow/", users=2, iterations=100, warmup_s=0.0, duration_s=1.0)
    (finding,) = findings(result, "B305")
    assert finding.level is Level.WEAK
    assert finding.message.split()[0].isdigit(), told(result)


def test_a_fixed_amount_of_work_that_is_done(lab):
    """Its window is as long as it takes, and users who have finished are no lost time."""
    result = lab.run(path="/slow/", users=8, iterations=10, warmup_s=0.0, duration_s=60.0)
    assert not [one for number in ("B105", "B301", "B305") for one in findings(result, number)], (
        told(result)
    )
    assert (result.total.requests, result.total.failures) == (80, 0)
    assert 0.5 < result.window[1] < 30
    assert result.total.goodput == pytest.approx(80 / result.window[1], rel=0.01)
