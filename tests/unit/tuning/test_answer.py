"""What a tuning answers, whoever writes it; what trials were, and what they found, in words."""

from dataclasses import replace

from benchsuite.core.answer import Shown
from benchsuite.core.specs.objective import Goal
from benchsuite.tuning.answer import Outcome, Row, answer, figures
from benchsuite.tuning.notebook import Entry, State
from benchsuite.tuning.trial import Candidate, Level, Observation
from tests.tuning_factories import searched

PICK = Candidate(server="uwsgi", processes=3, threads=8, connections=24)
RATES = {"estimate": 181.4, "low": 176.2, "high": 186.0, "rate": 164.0, "percentile_s": 0.1684}
TOOK = {"memory_bytes": 181 * 2**20, "cpu_s": 0.0121, "starts": 14}
ROW = Row(candidate=PICK, state=State.RECOMMENDED, why="", **RATES, **TOOK)
UNCONFIRMED = {"rate": None, "percentile_s": None}
P95 = Goal(0.95, 0.2)


def shown(row: Row, goal: Goal = P95) -> dict[str, Shown]:
    return figures(row, goal)


def test_the_best_lead_and_what_never_started_is_left_out(monkeypatch) -> None:
    given = {
        "refused": (State.REFUSED, None),
        "behind": (State.BEHIND, None),
        "bounded": (State.BOUNDED_OUT, None),
        "dropped": (State.DROPPED, 120),
        "other": (State.NOT_TOLD_APART, 179),
        "close": (State.NOT_TOLD_APART, 183),
        "pick": (State.RECOMMENDED, 181),
        "spoiled": (State.NO_STATEMENT, None),
        "late": (State.NOT_TRIED, None),
    }
    rows = tuple(
        replace(ROW, candidate=Candidate(server=name, processes=1), state=known, estimate=rate)
        for name, (known, rate) in given.items()
    )
    monkeypatch.setattr(Outcome, "rows", rows)
    assert [one.candidate.server for one in Outcome(searched(0)).tried] == [
        *("pick", "close", "other", "dropped", "behind", "spoiled")
    ]


def test_runs_of_the_pick_that_failed_stand_in_the_answer_and_what_they_said_stands_once() -> None:
    """A server that died at every second start was recommended in silence."""
    notebook, log = (
        searched(),
        "It ended with status 1.\nTraceback (most recent call last):\n  boom",
    )
    pick = Outcome(notebook).pick
    trials = [entry.trial for entry in notebook.entries if entry.trial.candidate == pick][:2]
    fine = len([one for one in notebook.entries if one.trial.candidate == pick])
    failed = Observation(took_s=1.0, failure=log)
    notebook.entries += [Entry(trial, failed) for trial in trials]  # of a tuning made before
    told = answer(Outcome(notebook))
    assert told.headline.endswith(f" But 2 of its {fine + 2} runs failed.")
    (section,) = [one for one in told.sections if one.title == "2 runs that failed"]
    assert section.copies == {f"{pick.name}, 2 times": log}
    assert section.brief == [f"Failed: {pick.name}, 2 times: It ended with status 1."]
    notebook.decide(pick, State.NO_STATEMENT, f"its start failed: {log}")
    row = Outcome(notebook).row(pick)
    assert row.words.endswith("its start failed: It ended with status 1.")


def test_the_answer_has_its_configurations_and_below_how_sure_it_is_and_what_was_not_tried():
    notebook = searched()
    found = Outcome(notebook)
    told = answer(found)
    assert [told.headline, *told.reasons] == list(found.sentences)
    assert told.table.chosen == 0
    assert told.table.rows[0][0] == found.pick.name
    assert len(told.table.rows) + len(found.not_tried) == len(found.rows)
    sure, untried = told.sections
    assert sure.sentences == [*found.sure, *[found.missing] * bool(found.missing)]
    assert not told.next_steps, "what a longer search would add is no step to take"
    assert untried.tables[0].rows == found.not_tried
    assert all(line.startswith("Not tried: ") for line in untried.brief)
    assert answer(Outcome(searched(0))).table is None


HELD = Level(rate=150, planned=1000, met=(990,))
MISSED = Level(rate=163, planned=1000, met=(610,))


def test_values(golden):
    golden.values()
