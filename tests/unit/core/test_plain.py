"""Frozen values come back from JSON as they were."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.core.plain import parsed, plain, read
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


def book() -> Notebook:
    made = Notebook(
        Question(
            objective=parse("p95 < 200ms, failures < 0.1%, memory <= 1GiB"),
            cpus=2,
            current=OTHER,
        )
    )
    load = Load(rates=(12.5,), warmup_s=1.0, window_s=5.0)
    trial = Trial(candidate=SMALL, phase=Phase.LADDER, load=load, seed=3, reason="why not")
    made.entries.append(Entry(trial, SEEN))
    made.decide(SMALL, State.RECOMMENDED)
    made.decide(OTHER, State.BEHIND, "40 % behind")
    made.end = End.NOT_CONFIRMED
    return made


def test_a_whole_notebook_comes_back_through_json() -> None:
    before = book()
    after = read(Notebook, json.loads(json.dumps(plain(before))))
    assert after == before
    assert after.states == before.states
    assert type(after.end) is End
    assert after.entries[0].seen.levels[0].met == (58, 60)


@dataclass(frozen=True)
class Point:
    x: int
    names: tuple[str, ...] = ()
    labels: dict[str, float | None] = field(default_factory=dict)


def test_what_was_stored_before_a_field_existed_has_its_default() -> None:
    assert read(Point, {"x": 1}) == Point(1)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"x": 1, "y": 2}, "there are unknown fields: 'y'"),
        ({}, "fields are missing: x"),
        ({"x": True}, "x: a whole number was wanted, and is True"),
        ({"x": 16**6000}, "x: a whole number was wanted, and is a number far too large"),
        ({"x": 1, "names": 3}, "names: a list was wanted, and is 3"),
        ({"x": 1, "names": ["a", 3]}, r"names[1]: a text was wanted, and is 3"),
        ({"x": 1, "labels": 3}, "labels: an object was wanted, and is 3"),
        ({"x": 1, "labels": {"a": math.nan}}, "labels.a: a number was wanted, and is nan"),
        ({"x": 1, "labels": {"a_s": -1.0}}, "labels.a_s: a number from 0 to 1e+09 was wanted"),
        (None, "an object was wanted, and is null"),
        ([1], "an object was wanted, and is [1]"),
    ],
)
def test_anything_else_is_refused_with_its_place(data: object, said: str) -> None:
    with pytest.raises(UsageError, match=f"^{re.escape(said)}"):
        read(Point, data)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "it is not JSON: .* at line 1, column 2; it may be truncated"),
        ("[" * 20_000, "nested too deep"),
        ("9" * 5000, "a number of more digits"),
    ],
)
def test_no_text_is_a_traceback(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parsed(text)


def test_what_has_no_type_is_bounded_in_depth() -> None:
    deep: list[object] = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(UsageError, match="at most 100 levels"):
        read(Mapping[str, Any], {"x": deep})  # type: ignore[type-abstract]


def test_an_unknown_word_is_refused() -> None:
    stored = plain(book())
    stored["end"] = "in tears"
    with pytest.raises(UsageError, match=r"end: one of confirmed, .* and is 'in tears'"):
        read(Notebook, stored)
