"""Executions of one study: two of them, and figures over many."""

from benchsuite.studies.trend import difference, trends
from tests.unit.studies import worlds

STUDY = worlds.study(worlds.claim(worlds.FLAT))


def test_the_same_twice_seldom_shows_anything():
    shown = 0
    for seed in range(0, 120, 2):
        changes, _ = difference(STUDY, worlds.execution(seed=seed), worlds.execution(seed=seed + 1))
        shown += any(one.is_shown for one in changes)
    assert shown <= 6


def executions(count, risen=1.0, first_seed=0):
    """The async cells rise in the middle."""
    after = {
        key: value * (risen if key[0] == "async" else 1) for key, value in worlds.TRUTH.items()
    }
    return [
        worlds.execution(after if at >= count // 2 else worlds.TRUTH, seed=first_seed + at)
        for at in range(count)
    ]


def test_steps_are_seldom_found_where_there_are_none():
    found = [
        any(one.steps for one in trends(executions(8, first_seed=100 * case), "plateau"))
        for case in range(30)
    ]
    assert sum(found) <= 4


def test_values(golden):
    golden.values()
