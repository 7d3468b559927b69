"""Claims against executions whose truth is known."""

import math
from dataclasses import replace

import pytest

from benchsuite.studies import intervals, measured
from benchsuite.studies.claims import Judgement, Outcome, judge
from benchsuite.studies.measured import Execution, Start, State
from benchsuite.studies.study import Check, Claim
from tests.unit.studies import worlds

HALVES = Check(
    figure="plateau",
    cell={"setup": ("sync",), "delay": ("200",)},
    to={"delay": "100"},
    ratio=(0.4, 0.6),
)
FLAT = Check(
    figure="plateau",
    cell={"setup": ("async",), "delay": ("100", "200")},
    to={"delay": "0"},
    ratio=(0.8, 1.2),
)


def judged(claim: Claim, execution: Execution) -> Judgement:
    (found,) = judge(worlds.study(claim), execution)
    return found


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


def test_a_list_expands_and_one_cell_that_fails_is_enough() -> None:
    truth = worlds.TRUTH | {("async", "200"): 90.0}
    found = judged(worlds.claim(FLAT), worlds.execution(truth))
    assert found.outcome is Outcome.FAILS
    assert [one.outcome for one in found.checks] == [Outcome.HOLDS, Outcome.FAILS]
    assert "plateau of delay 200 / delay 0 is " in found.reason
    assert "async, 100" not in found.reason


def test_an_interval_across_the_edge_of_the_region_tells_nothing() -> None:
    truth = worlds.TRUTH | {("sync", "200"): 0.84}
    found = judged(worlds.claim(HALVES), worlds.execution(truth, noise=0.05))
    assert found.outcome is Outcome.UNTOLD
    assert "plateau of delay 200 / delay 100 is 0." in found.reason


def test_one_start_proves_nothing() -> None:
    found = judged(worlds.claim(HALVES), worlds.execution(starts=1))
    assert found.outcome is Outcome.UNTOLD
    assert "one run has no interval" in found.reason
    assert found.checks[0].found.value == pytest.approx(0.5, rel=0.2)


def with_cell(**given: object) -> Execution:
    """The execution with another cell "sync, 200"."""
    whole = worlds.execution()
    cells = [
        replace(one, **given) if one.coordinates == {"setup": "sync", "delay": "200"} else one  # type: ignore[arg-type]
        for one in whole.cells
    ]
    return replace(whole, cells=cells)


@pytest.mark.parametrize(
    ("execution", "reason"),
    [
        (
            with_cell(state=State.UNAVAILABLE, reason="There is no Docker engine.", starts=()),
            "setup sync · delay 200: There is no Docker engine.",
        ),
        (with_cell(state=State.PLANNED, starts=()), "setup sync · delay 200: planned"),
        (
            with_cell(starts=[worlds.start(0.7, excluded="B401")] * 2),
            "setup sync · delay 200: no run counts (B401)",
        ),
        (
            with_cell(starts=[worlds.start(0.7), worlds.start(None, failed="B203")]),
            "setup sync · delay 200: 1 of 2 runs without plateau (B203)",
        ),
        (
            with_cell(starts=[worlds.start(0.7), worlds.start(0.7, excluded="B101")]),
            "one run has no interval",
        ),
        (with_cell(starts=[worlds.start(0.0)] * 2), "has no logarithm"),
        (
            with_cell(starts=[worlds.start(math.inf), worlds.start(1.0)]),
            "a run has no limit there",
        ),
        (
            Execution(cells=worlds.execution().cells[:2]),
            "setup sync · delay 200 is no part of this execution",
        ),
    ],
)
def test_what_is_missing_or_unsound_is_the_reason(execution: Execution, reason: str) -> None:
    found = judged(worlds.claim(HALVES), execution)
    assert found.outcome is Outcome.UNTOLD
    assert reason in found.reason


def test_needs_that_are_not_met_or_not_known() -> None:
    claim = worlds.claim(HALVES, FLAT, **{"cpus-target": 2})
    enough = worlds.execution(**{"cpus-target": 2})
    assert judged(claim, enough).outcome is Outcome.HOLDS
    few = judged(claim, worlds.execution(**{"cpus-target": 1}))
    assert (few.outcome, few.reason) == (
        Outcome.UNTOLD,
        "cpus-target must be at least 2.00, and is 1.00",
    )
    assert "and is not known" in judged(claim, worlds.execution()).reason


def test_needs_of_a_cell_win_over_those_of_all() -> None:
    execution = worlds.execution(users=500)
    cells = [replace(one, conditions={"users": 20.0}) for one in execution.cells]
    found = judged(worlds.claim(HALVES, users=300), replace(execution, cells=cells))
    assert "setup sync · delay 100: users must be at least 300, and is 20.0" in found.reason


def test_a_value_and_a_difference() -> None:
    value = Check(figure="plateau", cell={"setup": ("sync",), "delay": ("200",)}, value=(0.5, 1.0))
    less = Check(
        figure="plateau",
        cell={"setup": ("async",), "delay": ("0",)},
        to={"setup": "sync"},
        difference=(20, math.inf),
    )
    for starts in (2, 5):
        assert (
            judged(worlds.claim(value, less), worlds.execution(starts=starts)).outcome
            is Outcome.HOLDS
        )
        wrong = replace(value, value=(-math.inf, 0.5))
        found = judged(worlds.claim(wrong), worlds.execution(starts=starts))
        assert found.outcome is Outcome.FAILS
        assert "wanted at most 0.5" in found.reason


def test_what_never_happened_lies_beyond_any_end() -> None:
    check = Check(figure="plateau", cell={"setup": ("sync",), "delay": ("0",)}, value=(150, 250))
    tried = replace(worlds.start(math.inf), at_least={"plateau": 500.0})
    found = judged(worlds.claim(check), Execution(cells=[worlds.cell("sync", "0", [tried] * 2)]))
    assert found.outcome is Outcome.FAILS
    assert "is without limit" in found.reason


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
    found = [
        each.outcome
        for seed in range(60)
        for each in judge(
            study, worlds.execution(starts=starts, noise=0.05, seed=seed, unlike=unlike)
        )
    ]
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


@pytest.mark.parametrize(
    ("requests", "outcome"), [(6000.0, Outcome.HOLDS), (300.0, Outcome.UNTOLD)]
)
def test_that_nothing_fails_is_told_by_how_much_was_tried(requests, outcome):
    check = Check(
        figure="failed", cell={"setup": ("sync",), "delay": ("0",)}, value=(-math.inf, 0.001)
    )
    starts = [Start(figures={"failed": 0.0}, amounts={"failed": requests})] * 2
    found = judged(worlds.claim(check), Execution(cells=[worlds.cell("sync", "0", starts)]))
    assert found.outcome is outcome
    assert "failed of setup sync · delay 0 is 0 [0, 0.0" in found.reason


def test_values(golden):
    golden.values()


def beyond(value: float) -> Start:
    """One whose load generator could ask for no more."""
    return Start(figures={"plateau": value}, floors={"plateau": value}, excluded=("B101",))


@pytest.mark.parametrize(
    ("measured_at", "ratio", "outcome"),
    [
        ("200", (0.4, math.inf), Outcome.HOLDS),  # of 0.7 to 1.4, and it may be more
        ("200", (0.6, math.inf), Outcome.UNTOLD),
        ("200", (0.0, 0.4), Outcome.FAILS),
        ("200", (0.0, 0.6), Outcome.UNTOLD),
        ("100", (0.0, 0.6), Outcome.HOLDS),  # what it is divided by may be more
        ("100", (0.4, 0.6), Outcome.UNTOLD),
        ("100", (0.6, math.inf), Outcome.FAILS),
    ],
)
def test_what_the_load_generator_limited_is_the_least_that_a_server_answers(
    measured_at, ratio, outcome
) -> None:
    cells = [
        replace(one, starts=[beyond(start.figures["plateau"]) for start in one.starts])
        if one.coordinates == {"setup": "sync", "delay": measured_at}
        else one
        for one in worlds.execution().cells
    ]
    claim = worlds.claim(replace(HALVES, ratio=ratio))
    assert judged(claim, Execution(cells=cells)).outcome is outcome
