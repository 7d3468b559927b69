"""Whole searches on servers whose capacities are given: each trial, what became of each candidate,
and the answer. A change of any step shows.
"""

import json
from dataclasses import replace

import pytest

from benchmarks.tuning.simulated import candidate
from benchsuite.core.exceptions import UsageError
from benchsuite.core.plain import plain
from benchsuite.core.specs import RunSpec, ServerSpec
from benchsuite.core.specs.objective import parse
from benchsuite.tuning.answer import Outcome, answer, untried_lines
from benchsuite.tuning.candidates import configured
from benchsuite.tuning.notebook import Notebook
from benchsuite.tuning.search import Search
from benchsuite.tuning.trial import Candidate, Phase, Question
from tests.tuning_factories import ideal, notebook_of

SIZES = [
    candidate(name, p, t) for name in ("gthread", "granian") for p in (1, 2) for t in (2, 4, 8)
]
NOW = candidate("uwsgi", 2, 2)


def capacity(size):
    faster = 1.1 if size.server == "granian" else 1.0
    return faster * min(90.0 * size.processes, 40.0 * size.slots) - size.slots


def failing(trial, seen):
    """Every start of granian fails, and every second one of two processes."""
    fails = trial.candidate.server == "granian" or (
        trial.candidate.processes == 2 and trial.seed % 2
    )
    return replace(seen, levels=[], failure="OSError: no") if fails else seen


def disturbed(trial, seen):
    """The machine was noisy in the first start of each size."""
    noisy = trial.phase is Phase.SCREEN and not trial.wait_s
    return replace(seen, codes=("B401",), levels=[]) if noisy else seen


def fresh_are_worse(trial, seen):
    """In the second fresh start a tenth of what was in time is late."""
    if trial.phase is not Phase.CONFIRM or trial.seed % 4 != 1:
        return seen
    levels = [
        replace(level, met=tuple(round(0.9 * met) for met in level.met)) for level in seen.levels
    ]
    return replace(seen, levels=levels)


def of_two_kinds(trial, seen):
    """6 % of the answers are late, whatever the rate."""
    levels = [replace(level, met=(round(0.94 * level.planned),)) for level in seen.levels]
    return replace(seen, levels=levels) if trial.load.rates else seen


def failing_at_first(trial, seen):
    fails = trial.phase is Phase.PROBE and "once more" not in trial.reason
    return replace(seen, levels=[], failure="OSError: not yet") if fails else seen


def collapsing(trial, seen):
    """Above 60/s nothing is in time."""
    levels = [replace(level, met=(0,)) if level.rate > 60 else level for level in seen.levels]
    return replace(seen, levels=levels)


def connecting(trial, seen):
    """The pick's profile shows a fifth of the time in connecting; a pool saves half of it."""
    if trial.phase is Phase.DIAGNOSE:
        return replace(seen, named=("L04d",))
    if not trial.candidate.changes:
        return seen
    levels = [replace(level, met=(level.planned,)) for level in seen.levels]
    return replace(seen, levels=levels, memory_bytes=0.9 * seen.memory_bytes)


def pooled(pick, against):
    return [replace(pick, changes=(("database.pool", 4),))]


CASES = {
    "highest": {},
    "what runs now": {"current": NOW},
    "a rate": {"rate": 60.0, "current": NOW},
    "a rate that nothing holds": {"rate": 150.0},
    "little time": {"budget_s": 180.0},
    "time for one rate alone": {"budget_s": 110.0},
    "few connections": {"objective": "p95 < 200ms, connections <= 4"},
    "a mean": {"objective": "mean < 100ms, memory <= 150MiB"},
    "failing": {"spoil": failing},
    "disturbed": {"spoil": disturbed},
    "fresh are worse": {"spoil": fresh_are_worse, "current": NOW},
    "nothing runs": {"spoil": lambda trial, seen: replace(seen, levels=[], failure="OSError: no")},
    "too slow": {"response_s": 0.5},
    "two goals": {"objective": "p95 < 200ms, failures < 0.1%"},
    "of two kinds": {"spoil": of_two_kinds},
    "failing at first": {"spoil": failing_at_first},
    "collapsing": {"spoil": collapsing},
    "connecting": {"spoil": connecting, "variants": pooled},
    "a rate, fresh are worse": {"rate": 100.0, "spoil": fresh_are_worse},
    "a rate, little time": {"rate": 60.0, "budget_s": 200.0, "current": NOW},
    "after twelve trials": {"most": 12, "current": NOW},
    "after thirty trials": {"most": 30},
    "before the last trial": {"most": 44},
}


@pytest.mark.parametrize("case", CASES)
def test_a_search(golden, case):
    given = {"objective": "p95 < 200ms", "spoil": None, "response_s": 0.04, **CASES[case]}
    own = {name: given.pop(name) for name in ("objective", "spoil", "response_s")}
    notebook = notebook_of(ideal(capacity, **own), SIZES, cpus=2, **given)
    lines = []
    for entry in notebook.entries:
        trial, load = entry.trial, entry.trial.load
        asked = [f"{rate:.4g}/s" for rate in load.rates] or [f"{load.users} users"]
        times = f"{load.warmup_s:g} + {load.window_s:.4g} s after {trial.wait_s:g} s"
        early = " ends early" if trial.ends_early else ""
        lines.append(
            f"{trial.phase.value} {trial.candidate.name} {' '.join(asked)} {times} "
            f"seed {trial.seed}{early}: {trial.reason}"
        )
    lines += [
        f"{size.name}: {state.value}; {why}" for size, (state, why) in notebook.states.items()
    ]
    lines += [f"{notebook.end}: {notebook.said}", f"spent {notebook.spent_s:.0f} s"]
    outcome = Outcome(notebook)
    said = json.dumps(plain(answer(outcome)), indent=1, ensure_ascii=False)
    golden("\n".join([*lines, *untried_lines(outcome), said]), case)


def test_one_that_would_go_on_in_another_way_says_so():
    seen = notebook_of(ideal(capacity), SIZES, cpus=2, most=2).entries
    search = Search(
        Notebook(Question(objective=parse("p95 < 200ms"), cpus=2)), lambda _: SIZES[1:2]
    )
    with pytest.raises(UsageError, match=r"^Trial 1 would be another one today: leave"):
        search.after(seen)


def test_a_run_has_the_size_of_its_candidate_and_its_changes():
    base = RunSpec(server=ServerSpec(server="uwsgi", processes=1, threads=1))
    size = replace(SIZES[3], options=(("preload", True),), changes=(("database.pool", 4),))
    run = configured(base, size)
    server = run.server
    assert (server.server, server.processes, server.threads) == ("gthread", 2, 2)
    assert (server.options, run.database.pool) == ({"preload": True}, 4)
    there = Candidate(server="http://127.0.0.1:8000", processes=1)
    assert configured(base, there).server.processes is None
