"""The rate at which margins cross zero, and what one start says of it."""

import math
import random

import pytest

from benchsuite.stats.levels import STEEPNESS, Point, crossing, shifted


def line(rates, at=100.0, steepness=25.0, noise=0.0, seed=0) -> list[Point]:
    chance = random.Random(seed)
    return [
        Point(rate, steepness * math.log(at / rate) + chance.gauss(0, noise), 400) for rate in rates
    ]


@pytest.mark.parametrize("at", [50.0, 97.0, 130.0])
def test_a_line_is_crossed_where_it_is_zero(at) -> None:
    found = crossing(line([at * share for share in (0.8, 0.9, 0.97, 1.03, 1.1)], at))
    assert found.rate == pytest.approx(at, rel=0.005)
    assert found.beyond == ""
    assert found.steepness == pytest.approx(25, rel=0.2)


def test_points_on_one_side_say_so_and_are_left_a_little() -> None:
    held, missed = crossing(line([70, 80, 90])), crossing(line([110, 120]))
    assert (held.beyond, missed.beyond) == ("above", "below")
    assert 90 < held.rate <= 90 * math.exp(0.12) + 1e-9
    assert 110 * math.exp(-0.12) - 1e-9 <= missed.rate < 110


@pytest.mark.parametrize(("margin", "beyond"), [(0.0, "above"), (-0.01, "")])
def test_a_rate_with_no_margin_left_is_held(margin: float, beyond: str) -> None:
    found = crossing([Point(90, 1.0, 400), Point(100, margin, 400)])
    assert (found.rate, found.beyond) == (pytest.approx(100, rel=0.01), beyond)


def test_margins_that_rise_by_chance_do_not_make_it_infinitely_steep() -> None:
    """The isotonic fit of these falls from above zero to below it within a thousandth."""
    points = [Point(99.99, 1.5, 400), Point(100.01, -1.5, 400), *line([93, 106])]
    found = crossing(points)
    assert found.rate == pytest.approx(100, rel=0.01)
    assert found.steepness <= 60


def test_a_start_that_is_slower_crosses_lower_by_as_much() -> None:
    rates = [93.0, 100.0, 106.0]
    usual, slow = line(rates), line(rates, at=95.0)
    whole = crossing([*usual, *slow])
    apart = shifted(usual, whole) - shifted(slow, whole)
    assert apart == pytest.approx(math.log(100 / 95), rel=0.25)


def test_where_points_are_few_steepness_is_the_usual_one() -> None:
    assert crossing([Point(99.0, 0.1, 400), Point(101.0, -0.1, 400)]).steepness == pytest.approx(
        STEEPNESS, rel=0.4
    )
