"""How far a level is from its goals."""

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs.objective import margin, parse

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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("p95 < 200", "'p95 < 200' has no unit where ms or s is needed."),
        ("p95 < 200 kb", "'p95 < 200 kb' has kb where ms or s is needed."),
        ("p95 < 2h", "'p95 < 2h' has h where ms or s is needed."),
        ("p95 < 2000s", "the limit must be above 0 and at most 60s."),
        ("p50 < 0ms", "the limit must be above 0 and at most 60s."),
        ("average < 5ms", "can't limit 'average'; there are: p95, mean, failures, memory, conn"),
        ("menory < 1G", "'menory < 1G': an objective can't limit 'menory'; did you mean memory?"),
        ("p95 < -5ms", "'p95 < -5ms' is no condition of an objective; for example: p95"),
        ("p95 > 200ms", "is no condition of an objective"),
        ("p95.5.5 < 200ms", "is no condition of an objective"),
        ("p. < 200ms", "is no condition of an objective"),
        ("p < 200ms", "an objective can't limit 'p'; did you mean p95?"),
        ("p0 < 200ms", "'p0 < 200ms': 0 must lie between 0 and 100."),
        ("p100 < 200ms", "100 must lie between 0 and 100."),
        (" , and", "An objective needs a response time"),
        ("p95 < 200ms, p95 < 1s", "The objective limits p95 twice"),
        ("p95 < 200ms, memory <= 1GiB, memory <= 2GiB", "The objective limits memory twice"),
        ("p95 < 200ms, memory <= 512", "has no unit where M or G is needed."),
        ("p95 < 200ms, memory <= 0GiB", "'memory <= 0GiB': the limit must be above 0."),
        ("p95 < 200ms, failures < 0.1", "has no unit where % is needed."),
        ("p95 < 200ms, failures < 0%", "the limit must be above 0."),
        ("p95 < 200ms, failures < 100%", "100 must lie between 0 and 100."),
        ("p95 < 200ms, connections <= 8%", "has % where none is needed."),
        ("p95 < 200ms, connections <= 2.5", "2.5 connections can't be had: write a whole number."),
        ("failures < 1%", "An objective needs a response time, such as p95 < 200ms"),
    ],
)
def test_what_is_no_objective_gets_one_sentence(text: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse(text)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_mean_is_a_goal_like_a_percentile() -> None:
    (goal,) = parse("mean < 50ms").goals
    assert goal.reached(0.5) == "a mean of 50.0\u2009ms"
    for mean_s, holds in ((0.030, True), (0.049, True), (0.051, False), (0.300, False)):
        met = round(1000 * goal.within_s / (goal.within_s + mean_s))
        assert (margin([goal], 1000, [met]) > 0) is holds
        assert goal.reached(met / 1000).startswith("a mean of")


def test_values(golden):
    golden.values()
