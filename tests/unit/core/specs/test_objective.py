"""How far a level is from its goals."""

from benchsuite.core.specs.objective import Objective, margin, parse

TIME = parse("p95 < 200ms").goals
BOTH = parse("p95 < 200ms, failures < 0.1%").goals


def test_a_share_that_is_just_the_goal_has_no_margin() -> None:
    assert abs(margin(TIME, 1000, [950])) < 0.02
    assert margin(TIME, 1000, [980]) > 0.5
    assert margin(TIME, 1000, [900]) < -0.5


def test_a_goal_that_so_few_arrivals_cannot_show_says_nothing_unless_it_is_missed() -> None:
    assert margin(BOTH, 300, [290, 300]) == margin(TIME, 300, [290])
    assert margin(BOTH, 300, [290, 297]) < 0
    assert 0 < margin(parse("p99.9 < 1s").goals, 300, [300]) < 1


def test_an_objective_goes_to_json_and_back() -> None:
    objective = parse("p95 < 200ms, failures < 0.1%, memory <= 1GiB, connections <= 80")
    assert Objective.from_json(objective.to_json()) == objective
