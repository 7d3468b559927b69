"""The rate at which a condition just holds, from how well it held at several rates.

A point is a rate, the margin by which the condition held there (in logits, positive where it held)
and the number of arrivals behind it. Margins fall as rates rise: a decreasing isotonic fit (pool
adjacent violators, weighted) takes out what is chance, and the rate is where the fit crosses zero,
interpolated in the logarithm of the rate.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

STEEPNESS = 25.0
"""Logits that the margin loses when the rate grows e-fold, where the points don't say: near its
limit a server goes from 99 % to 80 % in time within about a tenth of the rate."""
FARTHEST = 0.12  #: So far beyond the points, in the logarithm of the rate, is extrapolated.


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


def crossing(points: Sequence[Point]) -> Crossing:
    """Of at least one point, in any order."""
    fitted = _fitted(points)
    held = [one for one in fitted if one[1] >= 0]
    missed = [one for one in fitted if one[1] < 0]
    if not missed:
        rate, margin = held[-1]
        step = min(margin / STEEPNESS, FARTHEST)
        return Crossing(math.exp(rate + step), STEEPNESS, "above")
    if not held:
        rate, margin = missed[0]
        step = min(-margin / STEEPNESS, FARTHEST)
        return Crossing(math.exp(rate - step), STEEPNESS, "below")
    (low, above), (high, below) = held[-1], missed[0]
    drop = above - below
    rate = low + (high - low) * above / drop
    return Crossing(math.exp(rate), drop / (high - low))


def shifted(points: Sequence[Point], whole: Crossing) -> float:
    """Logarithm of the rate at which these points, of one start, cross zero, if margins fall as
    steeply as in `whole`; points near the crossing count most.
    """
    total = weights = 0.0
    for one in points:
        weight = _weight(one) / (1 + (one.margin / 2) ** 2)
        total += weight * (math.log(one.rate) + one.margin / whole.steepness)
        weights += weight
    return total / weights


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
    found = isotonic_regression(margins, weights=weights, increasing=False).x
    return [(math.log(rate), float(margin)) for rate, margin in zip(rates, found, strict=True)]


def _weight(point: Point) -> float:
    """By how many arrivals it rests on; starts differ more than arrivals do, so not by all."""
    return math.sqrt(max(1, point.arrivals))
