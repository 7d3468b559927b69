"""What is still in doubt, of which cells one start more tells most, and when nothing does."""

import math
from dataclasses import replace

import pytest

from benchsuite.studies import deciding, matrix
from benchsuite.studies.deciding import LOOKS, Doubt
from benchsuite.studies.matrix import Need, key
from benchsuite.studies.measured import Execution, State
from benchsuite.studies.study import Check
from tests.unit.studies import worlds
from tests.unit.studies.samples import study

HALVES = Check(
    figure="plateau",
    cell={"setup": ("sync",), "delay": ("200",)},
    to={"delay": "100"},
    ratio=(0.4, 0.6),
)


def doubts(check: Check, execution: Execution, **needs: float) -> list[Doubt]:
    return deciding.doubts(worlds.study(worlds.claim(check, **needs)), execution)


def test_a_wide_interval_asks_for_both_of_its_cells() -> None:
    (doubt,) = doubts(replace(HALVES, ratio=(0.499, None)), worlds.execution())
    assert [cell["delay"] for cell in doubt.cells] == ["200", "100"]
    assert doubt.width > 1


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
    assert math.isinf(doubt.width)
    assert deciding.worth_more([doubt], 2, 1) == list(doubt.cells)


def test_looking_again_widens_the_intervals_of_every_look() -> None:
    once = worlds.execution(noise=0.05)
    assert once.confidence == 0.95
    assert 0.98 < replace(once, looks=LOOKS).confidence < 0.99


def test_claims_come_first_and_no_scale_thins_what_they_name() -> None:
    needs = matrix.needed(study())
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
