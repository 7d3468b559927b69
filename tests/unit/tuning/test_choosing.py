"""Who is behind, and who is only not told apart: a claim needs the starts that show it."""

import math
import random

import pytest

from benchsuite.core.specs.objective import parse
from benchsuite.tuning.choosing import choose
from benchsuite.tuning.notebook import Notebook, State
from benchsuite.tuning.trial import Candidate, Level, Load, Observation, Phase, Question, Trial

BEST, OTHER = (Candidate(server=name, processes=2, threads=4) for name in ("granian", "uwsgi"))


def raced(less: float, spread: float, blocks: int, seed: int = 0) -> Notebook:
    """Both in so many blocks, the other holding so much less, their starts so different."""
    notebook, chance = (
        Notebook(Question(objective=parse("p95 < 200ms"), cpus=2)),
        random.Random(seed),
    )
    for one, holds in ((BEST, 100.0), (OTHER, 100.0 * (1 - less))):
        notebook.decide(one, State.RACING)
        for block in range(blocks):
            limit = holds * math.exp(chance.gauss(0.0, spread))
            rates = (93.0, 100.0, 106.0)
            shares = [1 / (1 + math.exp(-2.94 - 25 * math.log(limit / rate))) for rate in rates]
            load = Load(rates=rates, warmup_s=1, window_s=5)
            levels = [
                Level(rate=rate, planned=500, met=(round(500 * share),))
                for rate, share in zip(rates, shares, strict=True)
            ]
            trial = Trial(candidate=one, phase=Phase.RACE, load=load, seed=block, reason="block")
            notebook.note(trial, Observation(levels=levels, took_s=20))
    return notebook


def test_one_whose_starts_are_all_slower_is_behind_with_its_interval():
    notebook = raced(less=0.10, spread=0.01, blocks=6)
    assert choose(notebook) == BEST
    state, why = notebook.states[OTHER]
    assert state is State.BEHIND
    assert why.endswith("]")
    assert 7 <= int(why.split(" % less [")[0]) <= 12


@pytest.mark.parametrize("spread", [0.03, 0.10, 0.20])
def test_one_that_is_as_good_is_called_behind_in_at_most_one_of_twenty(spread):
    behind = 0
    for seed in range(200):
        notebook = raced(0.0, spread, 6, seed)
        choose(notebook)
        behind += any(state is State.BEHIND for state, _ in notebook.states.values())
    assert behind <= 10 + 5  # a chance of 5 %, and what 200 draws of it vary by


def test_one_far_below_that_started_once_was_dropped_and_is_not_called_behind():
    notebook = raced(0.3, 0.01, 1)
    assert choose(notebook) == BEST
    assert notebook.states[OTHER] == (State.DROPPED, "dropped after 1 run")
