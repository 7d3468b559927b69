"""Frozen values come back from JSON as they were."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.core.plain import read
from benchsuite.core.specs.objective import parse
from benchsuite.tuning.notebook import End, Entry, Notebook, State
from benchsuite.tuning.trial import Candidate, Level, Load, Observation, Phase, Question, Trial

SMALL = Candidate(server="uwsgi", processes=2, threads=3, options=(("buffer_bytes", 65536),))
OTHER = Candidate(server="daphne", processes=1)
SEEN = Observation(
    levels=(Level(rate=12.5, planned=60, met=(58, 60), failures=0, goodput=12.0),),
    took_s=8.25,
    response_s=None,
    codes=("B101",),
)


def book():
    made = Notebook(
        Question(
            objective=parse("p95 < 200ms, failures < 0.1%, memory <= 1GiB"), cpus=2, current=OTHER
        )
    )
    load = Load(rates=(12.5,), warmup_s=1.0, window_s=5.0)
    trial = Trial(candidate=SMALL, phase=Phase.LADDER, load=load, seed=3, reason="why not")
    made.entries.append(Entry(trial, SEEN))
    made.decide(SMALL, State.RECOMMENDED)
    made.decide(OTHER, State.BEHIND, "40 % behind")
    made.end = End.NOT_CONFIRMED
    return made


@dataclass(frozen=True)
class Point:
    x: int
    names: tuple[str, ...] = ()
    labels: dict[str, float | None] = field(default_factory=dict)


def test_what_has_no_type_is_bounded_in_depth():
    deep: list[object] = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(UsageError, match="at most 100 levels"):
        read(Mapping[str, Any], {"x": deep})


def test_values(golden):
    golden.values()
