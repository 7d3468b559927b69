"""The rate at which a condition just holds, from how well it held at several rates.

A point is a rate, the margin by which the condition held there (in logits, positive where it held)
and the number of arrivals behind it. Margins fall as rates rise: a decreasing isotonic fit (pool
adjacent violators, weighted) takes out what is chance, and the rate is where the fit crosses zero,
interpolated in the logarithm of the rate.
"""

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass

STEEPNESS = 25.0
"""Logits that the margin loses when the rate grows e-fold, where the points don't say: near its
limit a server goes from 99 % to 80 % in time within about a tenth of the rate."""
STEEPEST, FLATTEST = 60.0, 8.0  #: Of steepness.
FARTHEST = 0.12  #: So far beyond the points, in the logarithm of the rate, is extrapolated.
FAR = 0.05  #: The same from which that is a guess.
NEAR = 0.25  #: So far from the crossing, in the same, points say how steep it is.
SURE = 3.0  #: Margins beyond say no more than that it was held, or missed, by far.
DOUBT = 0.006  #: Spread of rates, squared, from which the points say more than `STEEPNESS`.


@dataclass(frozen=True, slots=True)
class Point:
    rate: float
    margin: float
    arrivals: int


@dataclass(frozen=True, slots=True)
class Crossing:
    """Where the margin is zero."""

    rate: float
    steepness: float  #: Logits lost there when the rate grows e-fold.
    beyond: str = ""  #: "above" or "below", where all points lie on one side.
    is_far: bool = False  #: Whether it lies so far beyond them that it is a guess.


def crossing(points: Sequence[Point]) -> Crossing:
    """Of at least one point, in any order."""
    fitted = _fitted(points)
    held = [one for one in fitted if one[1] >= 0]
    missed = [one for one in fitted if one[1] < 0]
    if not missed:
        rate, margin = held[-1]
        step = min(margin / STEEPNESS, FARTHEST)
        return Crossing(math.exp(rate + step), STEEPNESS, "above", step >= FAR)
    if not held:
        rate, margin = missed[0]
        step = min(-margin / STEEPNESS, FARTHEST)
        return Crossing(math.exp(rate - step), STEEPNESS, "below", step >= FAR)
    (low, above), (high, below) = held[-1], missed[0]
    rate = low + (high - low) * above / (above - below)
    return Crossing(math.exp(rate), _steepness(points, rate))


def shifted(points: Sequence[Point], whole: Crossing) -> float:
    """Logarithm of the rate at which these points, of one start, cross zero, if margins fall as
    steeply as in `whole`; points near the crossing count most.
    """
    total = weights = 0.0
    for point in points:
        margin = max(-SURE, min(SURE, point.margin))
        weight = _weight(point) / (1 + (margin / 2) ** 2)
        total += weight * (math.log(point.rate) + margin / whole.steepness)
        weights += weight
    return total / weights


def _steepness(points: Sequence[Point], crossing: float) -> float:
    """Slope of a line through the margins near the crossing, drawn towards `STEEPNESS`.

    Not that of the isotonic fit, which is a staircase: where it crosses zero it falls at once.
    """
    near = [
        one
        for one in points
        if abs(math.log(one.rate) - crossing) <= NEAR and abs(one.margin) <= SURE
    ]
    if not near:
        return STEEPNESS
    weights = [_weight(one) for one in near]
    total = sum(weights)
    rates = [math.log(one.rate) for one in near]
    margins = [one.margin for one in near]
    rate = sum(map(operator.mul, weights, rates)) / total
    margin = sum(map(operator.mul, weights, margins)) / total
    spread = fall = 0.0
    for weight, x, y in zip(weights, rates, margins, strict=True):
        spread += weight * (x - rate) ** 2 / total
        fall -= weight * (x - rate) * (y - margin) / total
    doubt = DOUBT / len(near)
    return max(FLATTEST, min(STEEPEST, (fall + doubt * STEEPNESS) / (spread + doubt)))


def _fitted(points: Sequence[Point]) -> list[tuple[float, float]]:
    """Logarithm of each rate, rising, and the fitted margin there."""
    from scipy.optimize import isotonic_regression

    rates = sorted({one.rate for one in points})
    margins, weights = [], []
    for rate in rates:
        here = [one for one in points if one.rate == rate]
        weight = sum(_weight(one) for one in here)
        margins.append(sum(_weight(one) * one.margin for one in here) / weight)
        weights.append(weight)
    fitted = isotonic_regression(margins, weights=weights, increasing=False).x
    return [(math.log(rate), float(margin)) for rate, margin in zip(rates, fitted, strict=True)]


def _weight(point: Point) -> float:
    """By how many arrivals it rests on; starts differ more than arrivals do, so not by all."""
    return math.sqrt(max(1, point.arrivals))
