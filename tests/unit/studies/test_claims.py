"""Claims against executions whose truth is known."""

import math
from dataclasses import replace
from functools import partial

import pytest

from benchsuite.studies import intervals, measured
from benchsuite.studies.claims import Judgement, Outcome, judge
from benchsuite.studies.measured import Execution, Start
from benchsuite.studies.study import Claim, Figure
from tests.unit.studies import worlds
from tests.unit.studies.worlds import FLAT, HALVES


def judged(claim: Claim, execution: Execution) -> Judgement:
    (found,) = judge(worlds.study(claim), execution)
    return found


def told(claim: Claim, execution: Execution) -> tuple[Outcome, str]:
    found = judged(claim, execution)
    return found.outcome, found.reason


def with_cell(**given: object) -> Execution:
    """The execution with another cell "sync, 200"."""
    return worlds.changed(("sync", "200"), worlds.execution(), **given)


def beyond(delay: str) -> Execution:
    """With a cell whose load generator could ask for no more."""
    starts = [
        Start(figures=start.figures, floors=dict(start.figures), excluded=("B101",))
        for cell in worlds.execution().cells
        if tuple(cell.coordinates.values()) == ("sync", delay)
        for start in cell.starts
    ]
    return worlds.changed(("sync", delay), worlds.execution(), starts=starts)


@pytest.mark.parametrize("starts", [2, 3, 5, 6])
def test_true_claims_hold_and_those_of_swapped_arms_do_not(starts: int) -> None:
    claim = worlds.claim(HALVES, FLAT)
    assert judged(claim, worlds.execution(starts=starts)).outcome is Outcome.HOLDS
    other = {"sync": "async", "async": "sync"}
    swapped = {(other[setup], delay): value for (setup, delay), value in worlds.TRUTH.items()}
    found = judged(claim, worlds.execution(swapped, starts=starts))
    assert found.outcome is Outcome.FAILS
    assert "plateau of setup sync · delay 200 / delay 100 is " in found.reason
    assert "wanted 0.4" in found.reason
    assert len(found.checks) == 3


def test_the_scatter_is_found_once_a_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    monkeypatch.setattr(
        measured, "scatter", lambda *cells: made.append(1) or intervals.scatter(*cells)
    )
    judge(worlds.study(worlds.claim(HALVES, FLAT), worlds.claim(FLAT)), worlds.execution())
    assert len(made) == 1


@pytest.mark.parametrize(("starts", "unlike"), [(2, 0.0), (2, 0.7), (3, 0.7), (5, 0.7)])
def test_true_claims_seldom_come_out_false(starts: int, unlike: float) -> None:
    """The truth lies on the edge of every region, where it is hardest."""
    edges = [
        replace(HALVES, ratio=(0.5, math.inf)),
        replace(HALVES, ratio=(-math.inf, 0.5)),
        replace(FLAT, ratio=(1.0, math.inf)),
        replace(FLAT, ratio=(-math.inf, 1.0)),
    ]
    study = worlds.study(*(worlds.claim(one) for one in edges))
    draw = partial(worlds.execution, starts=starts, noise=0.05, unlike=unlike)
    found = [each.outcome for seed in range(60) for each in judge(study, draw(seed=seed))]
    assert found.count(Outcome.FAILS) <= 0.05 * len(found)
    assert found.count(Outcome.UNTOLD) > 0.5 * len(found)


@pytest.mark.parametrize("starts", [2, 5])
def test_false_claims_are_found(starts: int) -> None:
    study = worlds.study(worlds.claim(replace(HALVES, ratio=(0.6, math.inf))))
    found = [
        judge(study, worlds.execution(starts=starts, noise=0.03, seed=seed))[0].outcome
        for seed in range(40)
    ]
    assert found.count(Outcome.FAILS) >= 0.5 * len(found)
    assert Outcome.HOLDS not in found


def test_a_condition_without_limit_is_told() -> None:
    claim = replace(worlds.claim(HALVES), given={"slow": (0.0, 2.0)})
    figures = (Figure(name="plateau", of="goodput"), Figure(name="slow", of="p95_s"))
    measured = worlds.execution()
    cells = [
        replace(
            cell,
            starts=[
                replace(start, figures={**start.figures, "slow": math.inf}) for start in cell.starts
            ],
        )
        for cell in measured.cells
    ]
    (judgement,) = judge(worlds.study(claim, figures=figures), replace(measured, cells=cells))
    assert "is without limit, and must be 0" in judgement.reason


def test_values(golden):
    golden.values()
