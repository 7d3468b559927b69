"""How far a level is from its goals."""

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs.objective import margin, parse

TIME = parse("p95 < 200ms").goals
BOTH = parse("p95 < 200ms, failures < 0.1%").goals


def test_a_share_that_is_just_the_goal_has_no_margin():
    assert abs(margin(TIME, 1000, [950])) < 0.02
    assert margin(TIME, 1000, [980]) > 0.5
    assert margin(TIME, 1000, [900]) < -0.5


def test_a_goal_that_so_few_arrivals_cannot_show_says_nothing_unless_it_is_missed():
    assert margin(BOTH, 300, [290, 300]) == margin(TIME, 300, [290])
    assert margin(BOTH, 300, [290, 297]) < 0
    assert 0 < margin(parse("p99.9 < 1s").goals, 300, [300]) < 1


def test_what_is_no_objective_gets_one_sentence(golden):
    golden.cases(parse, refuses=UsageError)


def test_a_mean_is_a_goal_like_a_percentile():
    (goal,) = parse("mean < 50ms").goals
    assert goal.reached(0.5) == "a mean of 50.0\u2009ms"
    assert goal.reached(0.0) == "0 % in time"
    for mean_s, holds in ((0.030, True), (0.049, True), (0.051, False), (0.300, False)):
        met = round(1000 * goal.within_s / (goal.within_s + mean_s))
        assert (margin([goal], 1000, [met]) > 0) is holds
        assert goal.reached(met / 1000).startswith("a mean of")


def test_values(golden):
    golden.values()
