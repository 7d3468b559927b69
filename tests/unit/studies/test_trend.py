"""Figures over many executions."""

from dataclasses import replace

import pytest

from benchsuite.studies.measured import Execution
from benchsuite.studies.trend import trends
from tests.unit.studies import worlds


def executions(count: int, risen: float = 1.0, first_seed: int = 0) -> list[Execution]:
    """The async cells rise in the middle."""
    after = {
        key: value * (risen if key[0] == "async" else 1) for key, value in worlds.TRUTH.items()
    }
    return [
        worlds.execution(after if at >= count // 2 else worlds.TRUTH, seed=first_seed + at)
        for at in range(count)
    ]


def test_a_step_is_found_where_it_is():
    found = trends(executions(10, risen=1.2), "plateau")
    assert len(found) == 6
    for one in found:
        if one.coordinates["setup"] == "async":
            (step,) = one.steps
            assert step.at == 5
            assert step.ratio == pytest.approx(1.2, rel=0.05)
        else:
            assert one.steps == []


def test_steps_are_seldom_found_where_there_are_none():
    found = [
        any(one.steps for one in trends(executions(8, first_seed=100 * case), "plateau"))
        for case in range(30)
    ]
    assert sum(found) <= 4


def test_in_fewer_than_six_none_are_looked_for():
    found = trends(executions(5, risen=2.0), "plateau")
    assert not any(one.steps for one in found)
    assert len(found[0].means) == 5


def test_executions_without_the_cell_leave_a_gap():
    every = executions(9, risen=1.3)
    every[1] = replace(every[1], cells=every[1].cells[:3])
    last = trends(every, "plateau")[-1]
    assert last.means[1] is None
    assert [one.at for one in last.steps] == [4]
