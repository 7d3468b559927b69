"""Which rate fresh starts show, what is said of it, and what a notebook makes of its starts."""

from dataclasses import replace

import pytest

from benchsuite.core.specs.objective import parse
from benchsuite.tuning.answer import Outcome, answer
from benchsuite.tuning.confirming import Held, held_by
from benchsuite.tuning.notebook import Notebook, State
from benchsuite.tuning.trial import Candidate, Phase, Question
from tests.tuning_factories import falling, ideal, note, notebook_of

ONE = Candidate(server="uwsgi", processes=2, threads=4)
OTHER = Candidate(server="granian-wsgi", processes=1, threads=4)
CONFIRM = Phase.CONFIRM


def notebook(objective: str = "p95 < 200ms") -> Notebook:
    return Notebook(Question(objective=parse(objective), cpus=2))


def confirmed(*shares: tuple[float, ...], window_s: float = 10.0) -> Notebook:
    """Start by start the share in time at 80/s, 90/s and so on."""
    made = notebook()
    for start in shares:
        rates = [80.0 + 10 * place for place in range(len(start))]
        note(made, ONE, CONFIRM, rates, [round(1000 * one) for one in start], window_s=window_s)
    return made


def held(*shares: tuple[float, ...], window_s: float = 10.0) -> Held | None:
    return held_by(confirmed(*shares, window_s=window_s), ONE)


def shown(*shares: tuple[float, ...]) -> float | None:
    rate = held(*shares)
    return rate and rate.shown


def fresh(*starts: tuple[float, int], objective: str = "p95 < 200ms") -> Notebook:
    """At each of these rates one start, of which so many of a thousand are in time."""
    made = notebook(objective)
    for rate, met in starts:
        note(made, ONE, CONFIRM, (rate,), (met,))
    return made


def bisected(*starts: tuple[float, int]) -> Notebook:
    made = notebook()
    for rate, met in starts:
        note(made, ONE, Phase.BISECT, (rate,), (met,), window_s=6.0)
    return made


def strained(met: tuple[int, ...], objective: str = "mean < 50ms") -> Notebook:
    """Half as much again as it holds, and half of that twice."""
    made = notebook(objective)
    note(made, ONE, Phase.STRAIN, (150.0, 50.0, 50.0)[: len(met)], met, planned=200, window_s=4.0)
    return made


def test_a_start_that_ended_early_moves_no_other_rate():
    """Its window was shorter than planned, and so were its arrivals."""
    made = notebook()
    for size, rate, planned, met in ((ONE, 404.0, 2472, 2402), (OTHER, 433.0, 423, 3)):
        made.decide(size, State.RACING)
        note(made, size, Phase.BISECT, (rate,), (met,), planned=planned, window_s=6.0)
    assert made.estimate(ONE) == pytest.approx(404, rel=0.15)
    assert made.estimate(OTHER) == pytest.approx(433, rel=0.15)


@pytest.mark.parametrize("share", [1.0, 0.9, 0.7])
def test_the_rate_that_is_told_is_what_fresh_starts_hold_however_much_less_that_is(share) -> None:
    told = Outcome(notebook_of(falling(share), [ONE], cpus=2, only=ONE))
    assert 0.85 * 90 * share <= told.held.rate < told.held.shown <= 90 * share
    assert told.held.starts >= 3


def test_the_answer_has_its_cautions_and_what_runs_now() -> None:
    now = replace(ONE, connections=8)
    made = notebook_of(
        ideal(90.0), [now], cpus=2, current=now, connections_limit={"postgresql": 10}
    )
    shown = answer(Outcome(made))
    assert shown.reasons[0] == "You run it now."
    assert shown.cautions == [
        "It opens at most 8 of the 10 connections that postgresql has; while a restart overlaps, "
        "16, too many."
    ]
    assert shown.table.title == "Configurations"


def test_values(golden):
    golden.values()
