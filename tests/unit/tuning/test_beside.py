"""What the race shows of the pick beside others."""

from dataclasses import replace

import pytest

from benchsuite.core.specs.objective import parse
from benchsuite.tuning.diagnosing import others
from benchsuite.tuning.notebook import Notebook, State
from benchsuite.tuning.trial import Candidate, Level, Load, Observation, Phase, Question, Trial

PICK = Candidate(server="uvicorn", processes=2, threads=None, interface="asgi")
MORE = replace(PICK, processes=4)
WSGI = Candidate(server="uwsgi", processes=2, threads=4)
OTHER_ASGI = Candidate(server="daphne", processes=1, interface="asgi")
STARTS = 5


def raced(**more: int) -> Notebook:
    """Each with as many starts, and how much of a request's CPU time the others take."""
    notebook = Notebook(Question(objective=parse("p95 < 200ms"), cpus=2))
    for place, (one, cpu_s) in enumerate(
        [(PICK, 0.010), (MORE, 0.010), (WSGI, 0.008), (OTHER_ASGI, 0.012)]
    ):
        notebook.decide(one, State.RACING)
        for start in range(more.get(one.server, STARTS)):
            chance = 1 + 0.004 * start
            rates = [chance * rate for rate in (90.0, 100.0, 110.0)]
            levels = [Level(rate=rate, planned=500, met=(met,)) for rate, met in
                      zip(rates, (499, 480, 300), strict=True)]  # fmt: skip
            load = Load(rates=tuple(rates), warmup_s=1, window_s=5)
            trial = Trial(candidate=one, phase=Phase.RACE, load=load, seed=start, reason=f"{place}")
            notebook.note(trial, Observation(levels=levels, took_s=9, cpu_s=cpu_s * chance))
    return notebook


def test_sizes_of_its_server_and_the_other_interface_stand_beside_it():
    found = list(others(raced(), PICK))
    assert [(one.processes, one.interface) for one in found] == [(4, "asgi"), (2, "wsgi")]
    assert found[0].rate.value == pytest.approx(1, rel=0.02)
    assert found[1].cpu.value == pytest.approx(1.25, rel=0.02)
    # what changes from block to block is in neither
    assert found[1].cpu.low == pytest.approx(found[1].cpu.high, rel=1e-6)


def test_a_single_start_shows_no_ratio():
    assert [one.interface for one in others(raced(uwsgi=1), PICK)] == ["asgi"]
