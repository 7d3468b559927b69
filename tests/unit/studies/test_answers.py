"""What a study answers, of executions whose truth is known."""

import re
from dataclasses import replace
from typing import Any

import pytest

from benchsuite.report.studies.charts import charts
from benchsuite.studies import figures
from benchsuite.studies.claims import Lead, answered
from benchsuite.studies.measured import Execution, State
from benchsuite.studies.study import Answer, Axis, Chart, Objective, Value
from benchsuite.studies.tables import Question, questions, sentence
from tests.unit.studies import worlds

MOST = Objective("plateau", "most")
ALIKE = dict.fromkeys(worlds.TRUTH, 100.0)
SETUP = Answer(asks="Which?", choice=("setup",))
ANY = Answer(asks="Which?", choice=("setup", "delay"))


def found(answer, execution, objective=MOST):
    """The situations, by their delay."""
    (one,) = answered(worlds.study(answers=(answer,), objective=objective), execution)
    return {each.where.get("delay", ""): each for each in one.situations}


def one_cell(at: tuple[str, str], execution: Execution, **given: Any) -> Execution:
    """The execution with another cell there."""
    cells = [
        replace(one, **given) if tuple(one.coordinates.values()) == at else one
        for one in execution.cells
    ]
    return replace(execution, cells=cells)


def test_each_situation_has_its_best_and_those_behind_it():
    told = found(SETUP, worlds.execution())
    assert list(told) == ["0", "100", "200"]
    for one in told.values():
        assert (one.lead, [arm.name for arm in one.best]) == (Lead.ALONE, ["async"])
        assert one.best[0].found.value == pytest.approx(180, rel=0.1)
        assert [arm.name for arm in one.behind] == ["sync"]
    ratio = told["0"].behind[0].ratio
    assert ratio.value == pytest.approx(140 / 180, rel=0.1)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"starts": [worlds.start(9.0, excluded="B401")] * 2}, "no run counts (B401)"),
        ({"starts": [worlds.start(None)] * 2}, "2 of 2 runs without plateau"),
        ({"starts": [worlds.start(9.0)]}, "one run has no interval"),
        ({"state": State.PLANNED, "reason": "1 of 2 runs so far"}, "1 of 2 runs so far"),
    ],
)
def test_nobody_is_named_while_another_arm_might_be_better(given, reason):
    execution = one_cell(("sync", "0"), worlds.execution(), **given)
    (one,) = found(ANY, execution).values()
    assert one.lead is Lead.UNTOLD
    assert len(one.best) + len(one.behind) == 5
    (why,) = one.unknown
    assert why.startswith("sync · 0: ")
    assert reason in why


def test_what_failed_is_not_named_whatever_it_did():
    failed = [worlds.start(900.0, failed="B201"), worlds.start(905.0, failed="B201, B302")]
    truth = ALIKE | {("sync", "200"): 200.0}
    (one,) = found(ANY, one_cell(("sync", "0"), worlds.execution(truth), starts=failed)).values()
    assert (one.lead, one.best[0].name) == (Lead.ALONE, "sync · 200")
    assert [(arm.name, round(arm.found.value or 0)) for arm in one.failed] == [("sync · 0", 902)]
    assert len(one.behind) == 4
    gone = one_cell(
        ("sync", "0"), worlds.execution(truth), starts=[worlds.start(None, failed="B203")]
    )
    (one,) = found(ANY, gone).values()
    assert (one.lead, [arm.found.value for arm in one.failed]) == (Lead.ALONE, [None])
    seldom = [worlds.start(200.0)] * 4 + [worlds.start(200.0, failed="B201")]
    (one,) = found(ANY, one_cell(("sync", "0"), worlds.execution(truth), starts=seldom)).values()
    assert "sync · 0" in [arm.name for arm in one.best]


def test_an_arm_in_doubt_is_named_by_nobody_unless_it_is_behind():
    truth = ALIKE | {("sync", "200"): 200.0}
    for at, lead in ((("sync", "200"), Lead.UNTOLD), (("sync", "0"), Lead.ALONE)):
        rate = truth[at]
        doubtful = [worlds.start(rate), worlds.start(rate * 1.01, failed="B301")]
        (one,) = found(ANY, one_cell(at, worlds.execution(truth), starts=doubtful)).values()
        assert (one.lead, one.best[0].name) == (lead, "sync · 200")


def asked(execution: Execution, **given: Any) -> Question:
    """The only question, with a title for one of the arms and one of the cases."""
    axes = (
        Axis("setup", (Value("sync", {}), Value("async", {}, title="an event loop"))),
        Axis("delay", (Value("0", {}), Value("100", {}), Value("200", {}, title="far away"))),
    )
    study = worlds.study(answers=(SETUP,), objective=MOST, axes=axes, **given)
    (question,) = questions(study, execution, answered(study, execution))
    return question


def test_each_case_has_a_sentence_in_words_that_people_use():
    near, middle, far = asked(worlds.execution(noise=0.0)).cases
    assert near == (
        "delay 0: an event loop is best with 180\N{THIN SPACE}/s [180, 180]; "
        "sync has 0.778 × [0.778, 0.778] of that."
    )
    assert middle.startswith("delay 100: an event loop is best")
    assert far.startswith("far away: an event loop is best")


def test_arms_that_may_be_equally_good_are_named_together_and_may_be_told_apart():
    question = asked(worlds.execution(ALIKE, noise=0.03))
    equal = "an event loop and sync may be equally good; an event loop comes first with 1"
    assert equal in next(iter(question.cases))
    assert any("more runs of each may tell" in change for change in question.changes)


def test_where_nobody_can_be_named_the_sentence_says_why():
    nothing = one_cell(("sync", "0"), worlds.execution(), starts=[worlds.start(9.0)])
    question = asked(nothing)
    assert [*question.cases][-1] == (
        "delay 0: It can’t be told here (sync: one run has no interval)."
    )
    assert question.told == pytest.approx(2 / 3)
    gone = one_cell(
        ("sync", "0"), worlds.execution(), starts=[], state=State.UNAVAILABLE, reason="no such CPU"
    )
    assert asked(gone).changes == ["Not measured: sync: no such CPU."]


def test_the_bars_of_a_ranking_are_as_long_as_its_figures():
    table = asked(worlds.execution(noise=0.0)).rankings[0]
    (best, *_, longest), (behind, *_, shorter) = table.rows
    assert (best, behind) == ("an event loop", "sync")
    assert (len(str(longest)), len(str(shorter))) == (24, round(24 * 140 / 180))


@pytest.mark.parametrize(("starts", "unlike"), [(2, 0.0), (2, 0.7), (5, 0.7)])
def test_the_best_in_truth_is_seldom_left_out(starts, unlike):
    truth = ALIKE | {("sync", "0"): 101.0}
    told = [
        one
        for seed in range(60)
        for one in found(
            ANY, worlds.execution(truth, starts=starts, noise=0.03, seed=seed, unlike=unlike)
        ).values()
    ]
    missed = sum("sync · 0" not in [arm.name for arm in one.best] for one in told)
    assert missed <= 0.1 * len(told)


def test_values(golden):
    golden.values()


@pytest.mark.parametrize(("x", "line"), [("setup", "delay"), ("delay", "setup")])
def test_charts_call_values_by_their_titles(x: str, line: str) -> None:
    setup = Axis("setup", tuple(Value(one, {}, title=f"{one} today") for one in worlds.SETUPS))
    axes, asked = (setup, worlds.study().axis("delay")), Chart(x=x, y="plateau", line=line)
    (drawn,) = charts(worlds.study(axes=axes, charts=(asked,)), worlds.execution())
    lines = [column.title for column in drawn.series.columns[1:]]
    titles = lines if line == "setup" else drawn.layout["xaxis"]["tickvals"]
    assert titles == ["sync today", "async today"]


def test_the_best_may_be_beyond_what_could_be_asked_of_it():
    beyond = replace(worlds.start(180.0, excluded="B101, B102"), floors={"plateau": 180.0})
    execution = one_cell(("async", "0"), worlds.execution(), starts=[beyond] * 2)
    one = found(SETUP, execution)["0"]
    assert (one.lead, [arm.name for arm in one.best]) == (Lead.ALONE, ["async"])
    metric = figures.metric(worlds.study().figures[0])
    words = r"async is best with at least 17\d\s/s; sync has at most 0\.7\d* × of that\."
    assert re.fullmatch(words, sentence(one, metric))


def test_who_could_be_asked_no_more_may_be_the_best():
    beyond = replace(worlds.start(140.0, excluded="B103"), floors={"plateau": 140.0})
    execution = one_cell(("sync", "0"), worlds.execution(), starts=[beyond] * 2)
    one = found(SETUP, execution)["0"]
    assert (one.lead, [arm.name for arm in one.best]) == (Lead.SHARED, ["async", "sync"])
