"""The interval of a figure, a ratio or a difference, as far as the starts of two cells carry one.

* It is around what the means give, as everywhere, with the error that Welch's has on logarithms.
  Few starts don't show their own spread, so each cell's variance is moderated by those of all cells
  of the study in that figure (Smyth 2004, "Linear models and empirical Bayes methods"): the more
  alike the cells scatter, the more it is theirs. A noisy cell then doesn't blind a quiet one, nor
  a quiet one flatter a noisy one. `benchmarks.claims` measures it; docs/studies.md has its table.
* 0 has no logarithm. Where a start has 0 of what is counted, the number in all starts together has
  the exact interval of Poisson's law (Garwood 1936), and a difference that of Zou and Donner
  (2008); both are widened by as much as starts lie further apart than that law has it, in the cell
  or in all cells of the study that don't count 20 times as many. Other figures with 0 have none.
* What has no limit in any start lies beyond the highest level that was tried.
* One start has none.
"""

import math
import operator
from bisect import bisect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import fmean, median, variance
from typing import NamedTuple

from benchsuite.stats.compare import CONFIDENCE
from benchsuite.stats.distributions import digamma, gamma_quantile, root, student_quantile, trigamma

FEWEST = 2  #: Starts of a side, for any interval at all.


class Kind(StrEnum):
    """What of two cells is looked at."""

    RATIO = "ratio"
    DIFFERENCE = "difference"
    VALUE = "value"  #: Of one cell alone.


@dataclass(frozen=True, slots=True)
class Interval:
    """What was measured, and its interval; `reason` says why there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None
    method: str = ""
    reason: str = ""

    def is_within(self, region: tuple[float, float]) -> bool:
        low, high = self.low, self.high
        return low is not None and high is not None and region[0] <= low and high <= region[1]

    def is_apart(self, region: tuple[float, float]) -> bool:
        low, high = self.low, self.high
        return low is not None and high is not None and (high < region[0] or low > region[1])


@dataclass(frozen=True, slots=True)
class Scatter:
    """How the starts of a study's cells scatter in a figure: variances on the logarithm."""

    cells: int = 0  #: With two starts or more.
    variance: float = 0.0  #: What is typical of a cell.
    weight: float = 0.0  #: Degrees of freedom; infinite where cells scatter as alike as chance.
    freedom: int = 0  #: Of all cells together.
    counts: Sequence["Counts"] = ()

    @property
    def words(self) -> str:
        of = f"{self.cells} configurations" if self.cells > 1 else "one configuration"
        return f"Welch on logarithms, variance moderated by {of}"

    def moderated(self, logarithms: Sequence[float], more: int = 0) -> tuple[float, float]:
        """Variance of a cell, and its degrees of freedom; at least two logarithms."""
        own, freedom = variance(logarithms), len(logarithms) - 1 + more
        if math.isinf(self.weight):
            return self.variance, max(self.freedom, freedom)
        together = self.weight + freedom
        moved = (self.weight * self.variance + freedom * own) / together
        return moved, min(together, max(self.freedom, freedom))


def scatter(cells: Iterable[Sequence[float]], amounts: Iterable[Sequence[float]] = ()) -> Scatter:
    """Of the figures of these cells and, of counts, the amounts that they are counted among."""
    cells = list(cells)
    counted = counts(zip(cells, amounts, strict=False))
    logarithms = [
        [math.log(value) for value in one]
        for one in cells
        if len(one) >= FEWEST and all(0 < value < math.inf for value in one)
    ]
    if not (variances := [(variance(one), len(one) - 1) for one in logarithms]):
        return Scatter(counts=counted)
    return Scatter(len(variances), *_prior(variances), sum(each for _, each in variances), counted)


LEAST = 0.01  #: As a share of the median, in place of less, which rounding makes of small figures.
CAUTION = 2.0  #: Standard errors by which cells are taken to scatter less alike than they look.


def _prior(variances: Sequence[tuple[float, int]]) -> tuple[float, float]:
    """The typical variance and its weight: Smyth's fit of logarithms, with their freedom."""
    middle = median(each for each, _ in variances) or fmean(each for each, _ in variances)
    if not middle:
        return 0.0, math.inf
    logarithms = [
        math.log(max(each, LEAST * middle)) - digamma(freedom / 2) + math.log(freedom / 2)
        for each, freedom in variances
    ]
    mean = fmean(logarithms)
    if len(variances) < FEWEST:
        return math.exp(mean), 0.0
    chance = fmean(trigamma(freedom / 2) for _, freedom in variances)
    unsure = 1 + CAUTION * math.sqrt(2 / (len(variances) - 1))
    beyond = variance(logarithms) * unsure - chance
    if beyond <= 0:
        own, freedoms = zip(*variances, strict=True)
        return fmean(own, weights=freedoms), math.inf
    ends = 1 / beyond, 1 / beyond + 1 / math.sqrt(beyond) + 1
    half = root(lambda place: trigamma(place) - beyond, *ends)
    return math.exp(mean + digamma(half) - math.log(half)), 2 * half


LIKE = 20
"""Counts of a start that are so many times as many, or so many at all, lie apart by another law:
chance makes most of the spread of few, and the machine that of many."""


class Counts(NamedTuple):
    """How the starts of a cell scatter that are counted."""

    events: float  #: Of a start.
    squares: float  #: Pearson's χ².
    freedom: int


def counts(cells: Iterable[tuple[Sequence[float], Sequence[float]]]) -> tuple[Counts, ...]:
    """Of the figures of cells and what they count among; without those that have nothing."""
    every: list[Counts] = []
    for figures, amounts in cells:
        events = sum(map(operator.mul, figures, amounts))
        if len(amounts) >= FEWEST and events:
            share, pairs = events / sum(amounts), zip(figures, amounts, strict=True)
            squares = sum((value - share) ** 2 * amount / share for value, amount in pairs)
            every.append(Counts(events / len(amounts), squares, len(amounts) - 1))
    return tuple(every)


def dispersion(cells: Sequence[Counts]) -> float:
    """How far counts of starts lie apart: Pearson's χ² by its freedom, 1 at least."""
    freedom = sum(one.freedom for one in cells)
    return max(1.0, sum(one.squares for one in cells) / freedom) if freedom else 1.0


@dataclass(frozen=True, slots=True)
class Side:
    """The starts of a cell in a figure, and how all cells scatter in it."""

    starts: Sequence[float]
    of_all: Scatter
    amounts: Sequence[float] = ()  #: Of a figure that counts: what each start counts among.
    at_least: Sequence[float] = ()  #: Of starts without limit: up to where each was tried.
    is_floor: bool = False  #: Whether it may be more than its starts show.
    step: float = 0.0  #: Of a rate: one answer more in its window.


def interval(
    kind: Kind, cell: Side, other: Side | None = None, confidence: float = CONFIDENCE, more: int = 0
) -> Interval:
    """Of the cell, divided by the other, or less it. A value has no other. It is as wide as with so
    many starts `more` of each that are like those there are.
    """
    sides = [cell] if other is None else [cell, other]
    starts = min(len(one.starts) for one in sides)
    figures = [value for one in sides for value in one.starts]
    if not starts:
        return Interval(None, reason="no run has the figure")
    if any(math.isinf(value) for value in figures):
        return _without_limit(kind, sides, confidence)
    value = _value(kind, *(fmean(one.starts) for one in sides))
    if value is None:
        return Interval(None, reason="it would be divided by 0")
    if starts < FEWEST:
        return Interval(value, reason="one run has no interval")
    if min(figures) > 0:
        known = _welch(kind, sides, confidence, more)
        # without the end that nobody knows of a side which may be more than was measured
        if cell.is_floor:
            known = replace(known, high=math.inf)
        if other and other.is_floor:
            known = replace(known, low=0.0 if kind is Kind.RATIO else -math.inf)
        return known
    if kind is not Kind.RATIO and all(one.amounts for one in sides):
        return _counted(kind, sides, confidence, more)
    return Interval(value, reason="a run has 0, which has no logarithm")


def _value(kind: Kind, cell: float, other: float = 0.0) -> float | None:
    if kind is Kind.RATIO:
        return cell / other if other else None
    return cell - other


def _without_limit(kind: Kind, sides: Sequence[Side], confidence: float) -> Interval:
    """Of a figure that no start of one side has a limit of: it lies beyond what was tried."""
    endless = [one for one in sides if all(map(math.isinf, one.starts))]
    mixed = any(any(map(math.isinf, one.starts)) for one in sides if one not in endless)
    if mixed or len(endless) != 1 or min(len(one.starts) for one in sides) < FEWEST:
        return Interval(None, reason="a run has no limit there")
    tried = min(endless[0].at_least, default=None)
    if tried is None:
        return Interval(None, reason="no run has a limit, and how far it was tried is not known")
    method = f"no limit up to {round(tried, 1):.10g}"
    if len(sides) == 1:
        return Interval(math.inf, tried, math.inf, method)
    is_first = endless[0] is sides[0]
    limited = interval(Kind.VALUE, sides[1 if is_first else 0], confidence=confidence)
    if limited.low is None or limited.high is None:
        return Interval(None, reason=limited.reason)
    if is_first:
        return Interval(math.inf, _value(kind, tried, limited.high), math.inf, method)
    high = _value(kind, limited.high, tried)
    return Interval(*((0.0, 0.0) if kind is Kind.RATIO else (-math.inf, -math.inf)), high, method)


def _counted(kind: Kind, sides: Sequence[Side], confidence: float, more: int) -> Interval:
    """Of counts, which are 0 in some start."""
    tail = (1 - confidence) / 2
    ends = []
    for side in sides:
        starts, events = len(side.starts), sum(map(operator.mul, side.starts, side.amounts))
        most = LIKE * max(LIKE, events / starts)
        like = [one for one in side.of_all.counts if one.events <= most]
        apart = max(dispersion(like), dispersion(counts([(side.starts, side.amounts)])))
        apart *= starts / (starts + more)
        amount, events = sum(side.amounts) / apart, events / apart
        low = gamma_quantile(events, tail) if events else 0.0
        high = gamma_quantile(events + 1, 1 - tail)
        ends.append((events / amount, low / amount, high / amount))
    method = "Poisson, of the counts of all runs together"
    if len(ends) == 1:
        return Interval(*ends[0], method)
    (mine, low, high), (other, least, most) = ends
    below, above = math.hypot(mine - low, most - other), math.hypot(high - mine, other - least)
    return Interval(mine - other, mine - other - below, mine - other + above, method)


def _welch(kind: Kind, sides: Sequence[Side], confidence: float, more: int) -> Interval:
    """Around the means; the error is of the logarithm, of a difference the means' own. Windows
    begin and end within an answer, in all starts alike where users go in step: none is nearer.
    """
    means, errors, freedoms, steps = [], [], [], []
    for side in sides:
        logarithms = [math.log(value) for value in side.starts]
        means.append(fmean(side.starts))
        events = sum(map(operator.mul, side.starts, side.amounts))
        chance = len(logarithms) / events if events else 0.0  # of small counts, Poisson's
        moderated, freedom = side.of_all.moderated(logarithms, more)
        error = max(moderated, chance) / (len(logarithms) + more)
        errors.append(error * (means[-1] ** 2 if kind is Kind.DIFFERENCE else 1.0))
        freedoms.append(freedom)
        steps.append(side.step / (1.0 if kind is Kind.DIFFERENCE else means[-1]))
    value, error = _value(kind, *means), sum(errors)
    # both know the same typical variance, so that their degrees of freedom don't add up
    half = student_quantile(min(freedoms), (1 + confidence) / 2) * math.sqrt(error)
    half = max(half, math.hypot(*steps))
    if value is None or not half:
        return Interval(value, value, value, "all runs alike")
    ends = value * math.exp(-half), value * math.exp(half)
    if kind is Kind.DIFFERENCE:
        ends = value - half, value + half
    return Interval(value, *ends, sides[0].of_all.words)


MOST_MORE = 20  #: Starts of each cell; what needs more is as good as never told.


def starts_more(
    tells: Callable[[Interval], bool],
    kind: Kind,
    sides: tuple[Side, Side | None],
    confidence: float,
) -> int | None:
    """How many starts more of each cell may tell it, if they are like those there are; one where
    these are too few, None for more than `MOST_MORE` and where a start leaves no interval.
    """
    if interval(kind, *sides, confidence).low is None:
        return None if all(one is None or len(one.starts) >= FEWEST for one in sides) else 1
    every = range(1, MOST_MORE + 1)
    place = bisect(every, 0, key=lambda more: tells(interval(kind, *sides, confidence, more)))
    return every[place] if place < len(every) else None
