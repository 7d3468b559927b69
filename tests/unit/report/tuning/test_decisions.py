"""The log of a tuning: what each trial was, and what it found."""

from typing import Any

import pytest

from benchsuite.report.tuning.decisions import decisions
from benchsuite.tuning.notebook import Entry
from benchsuite.tuning.trial import Candidate, Level, Load, Observation, Phase, Trial

HELD = Level(rate=150, planned=1000, met=(990,))
MISSED = Level(rate=163, planned=1000, met=(610,))


def entry(load: Load, **seen: Any) -> Entry:
    trial = Trial(
        candidate=Candidate(server="uwsgi", processes=3, threads=8),
        phase=Phase.LADDER,
        load=load,
        seed=1,
        reason="rising rates",
    )
    return Entry(trial, Observation(took_s=9.0, **seen))


RATES = Load(rates=(150.0, 163.0, 176.0), warmup_s=1, window_s=5)
USERS = Load(users=1, warmup_s=1, window_s=3)


@pytest.mark.parametrize(
    ("load", "words"),
    [(RATES, "150, 163, 176 /s, 5 s each"), (USERS, "1 user, 3 s")],
)
def test_a_load_is_told_in_words(load: Load, words: str) -> None:
    (one,) = decisions([entry(load)], [("a1", "valid", "finished")])
    assert one.load == words


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        ({"levels": (HELD, MISSED)}, "99.0\u2009% at 150/s, 61.0\u2009% at 163/s"),
        ({"levels": (Level(rate=0, planned=80, met=(80,), goodput=26.7),)}, "26.7\u2009/s"),
        ({"codes": ("B401",)}, "says nothing of the server: B401"),
        ({"failure": "It did not start:\nthe log\n"}, "It did not start:"),
        ({"levels": (HELD,), "limit": ("B101",)},
         "99.0\u2009% at 150/s; the load generator was the limit: B101"),
        ({"levels": (MISSED,), "fails": ("B201",)},
         "61.0\u2009% at 163/s; the server failed: B201"),
        ({}, "nothing"),
    ],
)  # fmt: skip
def test_what_a_trial_found_is_told_level_by_level(seen: dict[str, Any], words: str) -> None:
    (one,) = decisions([entry(RATES, **seen)], [(None, None, None)])
    assert one.found == words
    assert (one.run, one.verdict) == ("", "")


def test_a_run_is_known_by_its_verdict_else_by_what_became_of_it() -> None:
    runs = [("a1", "weak", "finished"), ("a2", "", "failed")]
    found = decisions([entry(RATES), entry(RATES)], runs)
    assert [(one.number, one.run, one.verdict) for one in found] == [
        *((1, "a1", "weak"), (2, "a2", "failed"))
    ]
