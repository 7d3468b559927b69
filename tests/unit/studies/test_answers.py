"""What a study answers, of executions whose truth is known."""

from dataclasses import replace
from functools import partial

import pytest

from benchsuite.report.studies.charts import charts
from benchsuite.studies.claims import answered
from benchsuite.studies.study import Answer, Axis, Chart, Objective, Value
from benchsuite.studies.tables import questions
from tests.unit.studies import worlds

MOST = Objective("plateau", "most")
ALIKE = dict.fromkeys(worlds.TRUTH, 100.0)
SETUP = Answer(asks="Which?", choice=("setup",))
ANY = Answer(asks="Which?", choice=("setup", "delay"))


def found(answer, execution, objective=MOST):
    """The situations, by their delay."""
    (one,) = answered(worlds.study(answers=(answer,), objective=objective), execution)
    return {each.where.get("delay", ""): each for each in one.situations}


def arms(answer, execution):
    """By delay whether a situation has a best arm, and its arms by what became of them."""
    told = {}
    for delay, one in found(answer, execution).items():
        named = ([arm.name for arm in arms] for arms in (one.best, one.behind, one.failed))
        told[delay] = (one.lead.value, *named, *one.unknown)
    return told


def asked(execution):
    """The only question, with a title for one of the arms and one of the cases."""
    axes = (
        Axis("setup", (Value("sync", {}), Value("async", {}, title="an event loop"))),
        Axis("delay", (Value("0", {}), Value("100", {}), Value("200", {}, title="far away"))),
    )
    study = worlds.study(answers=(SETUP,), objective=MOST, axes=axes)
    (question,) = questions(study, execution, answered(study, execution))
    return question


@pytest.mark.parametrize(("starts", "unlike"), [(2, 0.0), (2, 0.7), (5, 0.7)])
def test_the_best_in_truth_is_seldom_left_out(starts, unlike):
    truth = ALIKE | {("sync", "0"): 101.0}
    draw = partial(worlds.execution, truth, starts=starts, noise=0.03, unlike=unlike)
    told = [one for seed in range(60) for one in found(ANY, draw(seed=seed)).values()]
    missed = sum("sync · 0" not in [arm.name for arm in one.best] for one in told)
    assert missed <= 0.1 * len(told)


def test_values(golden):
    golden.values()


@pytest.mark.parametrize(("x", "line"), [("setup", "delay"), ("delay", "setup")])
def test_charts_call_values_by_their_titles(x, line):
    setup = Axis("setup", tuple(Value(one, {}, title=f"{one} today") for one in worlds.SETUPS))
    axes, asked = (setup, worlds.study().axis("delay")), Chart(x=x, y="plateau", line=line)
    (drawn,) = charts(worlds.study(axes=axes, charts=(asked,)), worlds.execution())
    lines = [column.title for column in drawn.series.columns[1:]]
    titles = lines if line == "setup" else drawn.layout["xaxis"]["tickvals"]
    assert titles == ["sync today", "async today"]


def test_an_axis_with_a_value_without_end_is_one_of_words() -> None:
    ends = ("1", "10", "inf")
    axes = (worlds.study().axis("setup"), Axis("delay", tuple(Value(one, {}) for one in ends)))
    asked = Chart(x="delay", y="plateau", line="setup")
    measured = worlds.execution({(setup, end): 9.0 for setup in worlds.SETUPS for end in ends})
    (drawn,) = charts(worlds.study(axes=axes, charts=(asked,)), measured)
    assert drawn.layout["xaxis"]["tickvals"] == [*ends]


def test_no_chart_draws_a_mean_of_runs_that_do_not_count():
    beyond = replace(worlds.start(180.0, excluded="B101"), floors={"plateau": 180.0})
    execution = worlds.changed(("async", "0"), worlds.execution(), starts=[beyond] * 2)
    asked = Chart(x="delay", y="plateau", line="setup")
    (drawn,) = charts(worlds.study(charts=(asked,)), execution)
    assert drawn.series.rows[0][2] is None
