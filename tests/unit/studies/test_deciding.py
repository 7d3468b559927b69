"""What is still in doubt, of which cells one start more tells most, and when nothing does."""

import math
from dataclasses import replace

import pytest

from benchsuite.studies import deciding, matrix
from benchsuite.studies.claims import answered, judge
from benchsuite.studies.deciding import LOOKS, Doubt
from benchsuite.studies.matrix import Need, key
from benchsuite.studies.measured import TOLD, Execution, State
from benchsuite.studies.study import Check, Study
from tests.unit.studies import worlds
from tests.unit.studies.samples import study

HALVES = Check(
    figure="plateau",
    cell={"setup": ("sync",), "delay": ("200",)},
    to={"delay": "100"},
    ratio=(0.4, 0.6),
)


def doubts(check: Check, execution: Execution, **needs: float) -> list[Doubt]:
    study = worlds.study(worlds.claim(check, **needs))
    return list(deciding.of_claims(judge(study, execution)))


def questions(study: Study, execution: Execution) -> list[Doubt]:
    return list(deciding.of_questions(answered(study, execution)))


def test_a_wide_interval_asks_for_both_of_its_cells() -> None:
    (doubt,) = doubts(replace(HALVES, ratio=(0.499, math.inf)), worlds.execution())
    assert [cell["delay"] for cell in doubt.cells] == ["200", "100"]
    assert doubt.is_known
    assert doubt.more is None, "it is too close"


@pytest.mark.parametrize(
    ("change", "needs"),
    [({"state": State.UNAVAILABLE, "reason": "no such server"}, {}), ({}, {"users": 300.0})],
)
def test_what_no_start_can_change_is_closed(change, needs):
    wide = worlds.execution(noise=0.5)
    cells = [
        replace(cell, **change) if cell.coordinates["delay"] == "200" else cell  # type: ignore[arg-type]
        for cell in wide.cells
    ]
    assert doubts(HALVES, Execution(cells=cells), **needs) == []
    assert doubts(HALVES, wide) != []


def test_a_cell_of_which_no_start_counts_is_worth_another() -> None:
    cells = [replace(cell, starts=[worlds.start(1.0, "B401")]) for cell in worlds.execution().cells]
    (doubt,) = doubts(HALVES, Execution(cells=cells))
    assert not doubt.is_known
    assert deciding.worth_more([doubt], 1) == list(doubt.cells)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_as_many_starts_more_of_the_same_decide_it(seed: int) -> None:
    check, noisy = replace(HALVES, ratio=(0.4, 0.6)), worlds.execution(noise=0.08, seed=seed)
    (doubt,) = doubts(check, noisy)
    assert doubt.more

    def after(more: int) -> list[Doubt]:
        """With further starts that scatter about as those did."""
        cells = []
        for cell in noisy.cells:
            first, second = (one.figures["plateau"] or 0.0 for one in cell.starts)
            middle, apart = (first + second) / 2, abs(first - second) / 2
            further = [middle + apart * (-1) ** number for number in range(2 + more)]
            cells.append(replace(cell, starts=[worlds.start(one) for one in further]))
        return doubts(check, replace(noisy, cells=cells))

    assert after(2 * doubt.more) == []
    assert doubt.more == 1 or after(0) != []


def test_looking_again_widens_the_intervals_of_every_look() -> None:
    once = worlds.execution(noise=0.05)
    assert once.confidence == TOLD
    assert replace(once, looks=LOOKS).confidence == pytest.approx(0.9795, abs=1e-4)


def test_claims_come_first_and_no_scale_thins_what_they_name() -> None:
    needs = matrix.needed(study(), matrix.cases(study()))
    of_claim = {"setup": "sync", "route": "read", "delay": "100"}
    of_question = {"setup": "pool", "route": "read", "delay": "100"}
    assert needs[key(of_claim)] is Need.CLAIM
    assert needs[key(of_question)] is Need.QUESTION
    assert needs[key({"setup": "async", "route": "cpu", "delay": "0"})] is Need.NOTHING
    small = [cell.coordinates for cell in matrix.cells(study(), 0.05)]
    assert of_claim in small
    assert of_question not in small
    claimed = matrix.cells(study(), claims=True)
    assert {needs[key(cell.coordinates)] for cell in claimed} == {Need.CLAIM}


def test_values(golden):
    golden.values()
