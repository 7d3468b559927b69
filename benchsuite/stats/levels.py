"""What a climb over levels of load found, and the rate at which a condition just holds.

The figures of all stages taken together would depend on which levels were chosen. Those of one
level, the *headline*, stand for a run with stages.

A point is a rate, the margin by which the condition held there (in logits, positive where it held)
and the number of arrivals behind it. Margins fall as rates rise: a decreasing isotonic fit (pool
adjacent violators, weighted) takes out chance, and the rate, in logarithms, is where it is 0.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchsuite.core.results import Ceiling
from benchsuite.core.specs import LoadProfile

RESPONDER_BUSY_PERCENT = 90.0  #: A responder that used more of a CPU was the limit itself.
MACHINE_BUSY_PERCENT = 10.0  #: With more of all CPUs used by others, the machine was the limit.


def ceiling_doubt(ceiling: Ceiling) -> str:
    """Why the generator itself may be faster than that, in words; empty when it is not."""
    if (ceiling.responder_cpu_percent or 0.0) > RESPONDER_BUSY_PERCENT:
        return "the responder was the limit"
    if (ceiling.others_percent or 0.0) > MACHINE_BUSY_PERCENT:
        return "the machine was busy"
    return ""


def ceiling_rate(ceilings: Sequence[Ceiling], load: LoadProfile, in_flight: float) -> float | None:
    """Requests per second of a generator with the nearest number of requests in flight, by their
    ratio; None when none was measured for such a load: its model, its connections, its number of
    load processes. A ceiling that may be too low is not used.
    """
    of_load = (load.model, load.processes, load.keep_alive)
    fitting = [
        ceiling
        for ceiling in ceilings
        if (ceiling.model, ceiling.processes, ceiling.keep_alive) == of_load
        and not ceiling_doubt(ceiling)
    ]
    if not fitting or load.hosts or in_flight <= 0:
        return None
    return min(fitting, key=lambda ceiling: abs(math.log(ceiling.users / in_flight))).throughput


HELD = 0.98
"""Open model: the share of planned arrivals that must begin, and of requests that must be answered,
within the window of a level that is held; B104 and B304 have the same limit."""
LEVELS_OFF = 0.95
"""Closed model: from the lowest level with that share of most goodput on, more users don't help."""
BREAKS = 0.9  #: Closed model: beyond that level, less than this share is a break.
FAILED = 0.05  #: More failures than this break a level, and make a run invalid (B201).


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One level of a run, as far as it tells what the target can take."""

    name: str  #: Such as "50 users" or "200 /s".
    value: float  #: Users, or arrivals per second.
    requests: int
    failures: int
    throughput: float  #: Completions per second of its window, right or wrong.
    goodput: float
    requested_rate: float  #: Requests that were meant to start, per second of its window.
    offered_rate: float | None = None  #: Open model, as the next two: journeys planned per second.
    achieved_rate: float | None = None
    dropped: int | None = None

    @property
    def fails(self) -> bool:
        return not self.goodput or self.failures > FAILED * self.requests

    @property
    def is_held(self) -> bool:
        """Whether the target kept up with what arrived; of the open model."""
        offered, achieved = self.offered_rate or 0.0, self.achieved_rate or 0.0
        keeps_up = achieved >= HELD * offered and self.throughput >= HELD * self.requested_rate
        return keeps_up and not self.dropped and not self.fails


def level_of(stage: Any, requested_rate: float) -> Level:
    """The level that a stage, a summary or as it is stored, measured where so many were due."""
    planned = getattr(stage, "arrivals", stage)  # stored, these are columns of its own
    arrivals = ("offered_rate", "achieved_rate", "dropped")
    return Level(
        name=stage.name,
        value=stage.level or 0.0,
        requests=stage.requests,
        failures=stage.failures,
        throughput=stage.throughput,
        goodput=stage.goodput,
        requested_rate=requested_rate,
        **{name: getattr(planned, name, None) for name in arrivals},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Climb:
    """What the levels of one run say together, by their places from 0."""

    headline: int
    """The level whose figures stand for the run: in the open model the highest that was held, in
    the closed model the lowest from which on more users don't help, or simply the lowest."""
    is_shown: bool  #: Whether one was held, or goodput no longer rises at the highest.
    breaks: int | None = None  #: The lowest from the headline on that the target did not take.


def climb(levels: Sequence[Level]) -> Climb:
    """Of at least one level, in any order."""
    places = sorted(range(len(levels)), key=lambda place: levels[place].value)
    ranked = [(place, levels[place]) for place in places]
    if any(level.offered_rate is not None for level in levels):
        taken = [place for place, level in ranked if level.is_held]
        headline = taken[-1] if taken else places[0]
        is_shown, value = bool(taken), levels[headline].value
        broken = [place for place, level in ranked if not level.is_held and level.value >= value]
    else:
        able = [(place, level) for place, level in ranked if not level.fails]
        most = max((level.goodput for _, level in able), default=0.0)
        taken = [place for place, level in able if level.goodput >= LEVELS_OFF * most]
        headline = (taken or places)[0]
        above = [(place, level) for place, level in ranked if level.value > levels[headline].value]
        is_shown = bool(taken and above)
        broken = [place for place, level in above if level.fails or level.goodput < BREAKS * most]
    return Climb(headline=headline, is_shown=is_shown, breaks=broken[0] if broken else None)


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
    if not held or not missed:
        rate, margin = held[-1] if held else missed[0]
        step = max(-FARTHEST, min(FARTHEST, margin / STEEPNESS))
        side = "above" if held else "below"
        return Crossing(math.exp(rate + step), STEEPNESS, side, abs(step) >= FAR)
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
    """Slope of a line through the margins near the crossing, drawn towards `STEEPNESS`. The
    isotonic fit is a staircase: where it crosses zero it falls at once.
    """
    near = [
        (_weight(point), math.log(point.rate), point.margin)
        for point in points
        if abs(math.log(point.rate) - crossing) <= NEAR and abs(point.margin) <= SURE
    ]
    if not near:
        return STEEPNESS
    weights, rates, margins = np.array(near).T
    from_mean = rates - np.average(rates, weights=weights)
    spread = float(np.average(from_mean**2, weights=weights))
    fall = -float(np.average(from_mean * margins, weights=weights))
    doubt = DOUBT / len(near)
    return max(FLATTEST, min(STEEPEST, (fall + doubt * STEEPNESS) / (spread + doubt)))


def _fitted(points: Sequence[Point]) -> list[tuple[float, float]]:
    """Logarithm of each rate, rising, and the fitted margin there."""
    rates = sorted({one.rate for one in points})
    fitted: list[list[float]] = []  # weight, mean and how many rates, each below the one before
    for rate in rates:
        here = [one for one in points if one.rate == rate]
        weight = sum(_weight(one) for one in here)
        fitted.append([weight, sum(_weight(one) * one.margin for one in here) / weight, 1])
        while len(fitted) > 1 and fitted[-2][1] < fitted[-1][1]:
            weight, mean, rest = fitted.pop()
            fitted[-1][1] += (mean - fitted[-1][1]) * weight / (fitted[-1][0] + weight)
            fitted[-1][0] += weight
            fitted[-1][2] += rest
    margins = [mean for _, mean, many in fitted for _ in range(int(many))]
    return [(math.log(rate), margin) for rate, margin in zip(rates, margins, strict=True)]


def _weight(point: Point) -> float:
    """By how many arrivals it rests on; starts differ more than arrivals do, so not by all."""
    return math.sqrt(max(1, point.arrivals))
