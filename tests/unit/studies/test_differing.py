"""Two executions of one study."""

from dataclasses import replace

from benchsuite.studies.claims import Outcome
from benchsuite.studies.study import Check
from benchsuite.studies.trend import difference
from tests.unit.studies import worlds

FLAT = Check(
    figure="plateau",
    cell={"setup": ("async",), "delay": ("200",)},
    to={"delay": "0"},
    ratio=(0.8, 1.2),
)
STUDY = worlds.study(worlds.claim(FLAT))


def test_what_changed_is_shown_with_the_claims_that_turned():
    after = worlds.execution(worlds.TRUTH | {("async", "200"): 90.0}, seed=2)
    found = difference(STUDY, worlds.execution(seed=1), after)
    (changed,) = [one for one in found.changes if one.is_shown]
    assert changed.coordinates == {"setup": "async", "delay": "200"}
    assert changed.found.low < 0.5 < changed.found.high
    ((earlier, later),) = found.turned
    assert (earlier.outcome, later.outcome) == (Outcome.HOLDS, Outcome.FAILS)


def test_the_same_twice_seldom_shows_anything():
    shown = 0
    for seed in range(0, 120, 2):
        found = difference(STUDY, worlds.execution(seed=seed), worlds.execution(seed=seed + 1))
        shown += any(one.is_shown for one in found.changes)
    assert shown <= 6


def test_cells_are_matched_by_their_coordinates():
    whole = worlds.execution()
    few = replace(whole, cells=list(reversed(whole.cells[:4])))
    found = difference(STUDY, few, whole)
    assert [one.found.value for one in found.changes] == [1.0] * 4


def test_cells_without_a_start_that_counts_are_of_one_side():
    whole = worlds.execution()
    left_out = [replace(one, excluded=("B401",)) for one in whole.cells[0].starts]
    other = replace(whole, cells=[replace(whole.cells[0], starts=left_out), *whole.cells[1:]])
    shown = [one.coordinates for one in difference(STUDY, whole, other).changes]
    assert whole.cells[0].coordinates not in shown
