"""Where starts differ more, lower rates are confirmed."""

import math
import random

import pytest

from benchsuite.core.specs.objective import parse
from benchsuite.tuning.notebook import Notebook, State
from benchsuite.tuning.spread import USUAL, below, spread
from benchsuite.tuning.trial import Candidate, Level, Load, Observation, Phase, Question, Trial


def screened(apart: float, sizes: int = 10, slower: float = 1.0) -> Notebook:
    """Each size twice under a full load, the second time on a machine that is so much slower."""
    notebook, chance = Notebook(Question(objective=parse("p95 < 200ms"), cpus=2)), random.Random(1)
    load = Load(users=12, warmup_s=1, window_s=3)
    for place in range(sizes):
        one = Candidate(server="uwsgi", processes=1 + place)
        notebook.decide(one, State.RACING)
        for time in range(2):
            goodput = 100 * math.exp(chance.gauss(0.0, apart)) / slower**time
            level = Level(rate=0.0, planned=300, met=(300,), goodput=goodput)
            trial = Trial(candidate=one, phase=Phase.SCREEN, load=load, seed=1, reason="")
            notebook.note(trial, Observation(levels=[level], took_s=6))
    return notebook


def test_where_nothing_is_known_it_is_the_usual_one() -> None:
    assert spread(screened(0.2, sizes=0)) == pytest.approx(USUAL)


@pytest.mark.parametrize("apart", [0.10, 0.20])
def test_it_is_that_of_starts_of_one_size(apart) -> None:
    assert spread(screened(apart, sizes=40)) == pytest.approx(apart, rel=0.3)


@pytest.mark.parametrize("apart", [0.05, 0.20])
def test_a_machine_that_slows_down_for_all_makes_no_starts_differ(apart) -> None:
    found = spread(screened(apart, sizes=40, slower=1.4))
    assert found == pytest.approx(apart, rel=0.3)


def test_rates_rise_and_lie_lower_where_starts_differ_more() -> None:
    calm, noisy = (below(screened(apart), (2, 1, 0)) for apart in (0.03, 0.2))
    assert list(calm) == sorted(calm)
    assert all(one > other for one, other in zip(calm, noisy, strict=True))
    assert 0.9 < calm[-1] < 1
