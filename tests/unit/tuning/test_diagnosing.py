"""The diagnostic start of the pick: after all others, and never counted."""

from dataclasses import replace
from itertools import count

import pytest

from benchmarks.tuning.simulated import candidate
from benchsuite.tuning.answer import Outcome
from benchsuite.tuning.notebook import End, Notebook
from benchsuite.tuning.planning import DIAGNOSING_S
from benchsuite.tuning.trial import Observation, Phase, Trial
from tests.tuning_factories import ideal, notebook_of

SIZES = [candidate("gthread", 1, 4), candidate("granian", 1, 4)]
LOG = "It ended with status 1.\nTraceback (most recent call last):\n  boom"


def searched(spoil=None, of=(Phase.DIAGNOSE,), **more) -> Notebook:
    """With these two, of which starts in some phases are spoiled."""

    def seen(trial: Trial, found: Observation) -> Observation:
        return spoil(found) if spoil and trial.phase in of else found

    return notebook_of(ideal(90.0, spoil=seen), SIZES, **more)


def starts(notebook: Notebook) -> list[Trial]:
    return [one.trial for one in notebook.entries if one.trial.phase is Phase.DIAGNOSE]


def ends(**seen):
    """Instead of what such a start would show."""
    return lambda found: Observation(took_s=found.took_s, **seen)


@pytest.mark.parametrize("mode", [{}, {"only": SIZES[1]}, {"rate": 40.0}])
def test_it_is_the_last_at_the_rate_that_is_said(mode) -> None:
    notebook = searched(**mode)
    told = Outcome(notebook)
    (trial,) = starts(notebook)
    assert trial is notebook.entries[-1].trial
    assert trial.candidate == told.pick
    assert trial.load.rates == (mode.get("rate") or told.rate,)
    assert trial.load.window_s == DIAGNOSING_S
    assert told.end is End.CONFIRMED


def test_nothing_of_it_counts() -> None:
    def more_of_all(found: Observation) -> Observation:
        levels = [replace(one, met=(one.planned,), rate=9 * one.rate) for one in found.levels]
        return replace(found, levels=levels, memory_bytes=1e12, connections=9999, cpu_s=9.0)

    assert Outcome(searched(more_of_all)).figures == Outcome(searched()).figures


@pytest.mark.parametrize(
    ("named", "profiles", "made"),
    [("L01 cpu", True, 1), ("L01 cpu", False, 0), ("L04d connecting", True, 0)],
)
def test_a_profiler_looks_where_the_cpu_is_the_limit(named, profiles, made) -> None:
    notebook = searched(lambda found: replace(found, named=(named,)), profiles=profiles)
    looked = [one.trial for one in notebook.entries if one.trial.phase is Phase.FLAME]
    assert len(looked) == made
    assert all(one.load.rates == starts(notebook)[0].load.rates for one in looked)
    assert Outcome(notebook).figures == Outcome(searched()).figures
    assert notebook.spent_s <= notebook.question.budget_s


def test_where_starts_took_longer_than_planned_it_is_left_out() -> None:
    usual = searched(budget_s=300.0)
    last = sum(entry.trial.phase is Phase.CONFIRM for entry in usual.entries)
    confirming = count(1)

    def slow(found: Observation) -> Observation:
        return replace(found, took_s=found.took_s + 200.0 * (next(confirming) == last))

    notebook = searched(slow, of=(Phase.CONFIRM,), budget_s=300.0)
    assert notebook.end is End.CONFIRMED
    assert not starts(notebook)
    assert ("a diagnostic run", "the budget left no time for it") in Outcome(notebook).not_tried


def test_values(golden) -> None:
    golden.values()
