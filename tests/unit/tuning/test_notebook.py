"""What a search makes of its starts."""

import pytest

from benchsuite.core.specs.objective import parse
from benchsuite.tuning.notebook import Notebook, State
from benchsuite.tuning.trial import Candidate, Level, Load, Observation, Phase, Question, Trial

ONE = Candidate(server="waitress", processes=1, threads=8)
OTHER = Candidate(server="granian-wsgi", processes=1, threads=4)
WINDOW_S = 6.0


def test_a_start_that_ended_early_moves_no_other_rate():
    """Its window was shorter than planned, and so were its arrivals."""
    notebook = Notebook(Question(objective=parse("p95 < 200ms"), cpus=1))
    for candidate, rate, planned, met in ((ONE, 404.0, 2472, 2402), (OTHER, 433.0, 423, 3)):
        notebook.decide(candidate, State.RACING)
        load = Load(rates=(rate,), warmup_s=1.0, window_s=WINDOW_S)
        trial = Trial(candidate=candidate, phase=Phase.BISECT, load=load, seed=1, reason="")
        levels = [Level(rate=rate, offered=rate, planned=planned, met=(met,))]
        notebook.note(trial, Observation(levels=levels, took_s=9.0))
    assert notebook.estimate(ONE) == pytest.approx(404, rel=0.15)
    assert notebook.estimate(OTHER) == pytest.approx(433, rel=0.15)


def test_a_mean_that_is_just_missed_at_half_the_rate_is_no_sign_of_overload() -> None:
    notebook = Notebook(Question(objective=parse("mean < 50ms"), cpus=1))
    load = Load(rates=(150.0, 50.0, 50.0), warmup_s=1.0, window_s=4.0)
    trial = Trial(candidate=ONE, phase=Phase.STRAIN, load=load, seed=1, reason="")
    levels = [Level(rate=50.0, planned=200, met=(met,)) for met in (2, 40, 98)]
    notebook.note(trial, Observation(levels=levels, took_s=20.0))
    assert notebook.recovers(ONE) is True
