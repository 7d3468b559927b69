"""The interval of a figure, a ratio or a difference, as far as the starts of two cells carry one.

* From five starts a side it is that of `stats.compare`, bootstrapped over them.
* With two to four it is Welch's on the logarithms. So few starts don't show their own spread, so
  the variance is pooled over all cells of the study in that figure; a cell whose own is larger gets
  its own, because cells don't all scatter alike. `python -m benchmarks.claims` measures what that
  covers, and what the pooled variance would by itself; docs/studies.md has its table.
* One start has none.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean, variance

from benchsuite.core.metrics.metric import Scale
from benchsuite.stats.compare import CONFIDENCE, compare
from benchsuite.stats.ranks import FEWEST_STARTS

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


@dataclass(frozen=True, slots=True)
class Pooled:
    """The variance of starts on the logarithm, from all cells of a study in a figure."""

    cells: int = 0
    variance: float = 0.0
    freedom: int = 0

    @property
    def words(self) -> str:
        of = f"{self.cells} cells" if self.cells > 1 else "one cell"
        return f"Welch on logarithms, variance pooled over {of}"


def pooled(cells: Iterable[Sequence[float]]) -> Pooled:
    """Of the figures of these cells: of those with two starts or more, and logarithms."""
    logarithms = [
        [math.log(value) for value in one]
        for one in cells
        if len(one) >= FEWEST and all(0 < value < math.inf for value in one)
    ]
    freedom = sum(len(one) - 1 for one in logarithms)
    if not freedom:
        return Pooled()
    squares = sum(variance(one) * (len(one) - 1) for one in logarithms)
    return Pooled(len(logarithms), squares / freedom, freedom)


@dataclass(frozen=True, slots=True)
class Side:
    """The starts of a cell in a figure, and how all cells scatter in it."""

    starts: Sequence[float]
    of_all: Pooled


def interval(
    kind: Kind, cell: Side, other: Side | None = None, confidence: float = CONFIDENCE
) -> Interval:
    """Of the cell, divided by the other, or less it. A value has no other."""
    sides = [cell] if other is None else [cell, other]
    starts = min(len(one.starts) for one in sides)
    figures = [value for one in sides for value in one.starts]
    if not starts:
        return Interval(None, reason="no start has the figure")
    if any(math.isinf(value) for value in figures):
        return _without_limit(kind, cell.starts, other.starts if other else ())
    value = _value(kind, *(fmean(one.starts) for one in sides))
    if value is None:
        return Interval(None, reason="it would be divided by 0")
    if starts < FEWEST:
        return Interval(value, reason="one start has no interval")
    if starts >= FEWEST_STARTS:
        nothing = [0.0] * FEWEST_STARTS  # a value is its difference from starts that have nothing
        return _bootstrapped(
            kind, cell.starts, other.starts if other else nothing, value, confidence
        )
    if min(figures) <= 0:
        return Interval(
            value,
            reason=f"a start has 0, which has no logarithm; with {FEWEST_STARTS} starts a side "
            "none is needed",
        )
    return _welch(kind, sides, confidence)


def _value(kind: Kind, cell: float, other: float = 0.0) -> float | None:
    if kind is Kind.RATIO:
        return cell / other if other else None
    return cell - other


def _without_limit(kind: Kind, cell: Sequence[float], other: Sequence[float]) -> Interval:
    """Of a figure that some starts have no limit of: it lies beyond every other if none has."""
    if min(len(cell), len(other) or len(cell)) >= FEWEST:
        if _endless(cell) and not any(map(math.isinf, other)):
            return Interval(math.inf, math.inf, math.inf, "no start has a limit")
        if _endless(other) and not any(map(math.isinf, cell)):
            least = 0.0 if kind is Kind.RATIO else -math.inf
            return Interval(least, least, least, "no start of the other has a limit")
    return Interval(None, reason="a start has no limit there")


def _endless(starts: Sequence[float]) -> bool:
    return bool(starts) and all(map(math.isinf, starts))


def _bootstrapped(
    kind: Kind, cell: Sequence[float], other: Sequence[float], value: float, confidence: float
) -> Interval:
    from scipy.stats import t

    if kind is Kind.RATIO and not any(cell):
        return Interval(0.0, 0.0, 0.0, "every start has 0")
    if kind is Kind.RATIO and not all([*cell, *other]):
        return Interval(value, reason="a start has 0, of which there is no ratio")
    scale = Scale.RATIO if kind is Kind.RATIO else Scale.DIFFERENCE
    found = compare(other, cell, scale=scale)
    if confidence == CONFIDENCE or not found.error or found.freedom is None:
        return Interval(value, found.low, found.high, "bootstrapped over starts")
    # resamples of five values have no tails
    half = float(t.ppf((1 + confidence) / 2, found.freedom)) * found.error
    low, high = (
        (value * math.exp(-half), value * math.exp(half))
        if kind is Kind.RATIO
        else (value - half, value + half)
    )
    return Interval(value, low, high, "Welch")


def _welch(kind: Kind, sides: Sequence[Side], confidence: float) -> Interval:
    """Of geometric means. The error on the logarithm is that of the ratio, or of a value; of a
    difference it is the means' own.
    """
    from scipy.stats import t

    means, errors = [], []
    for side in sides:
        logarithms = [math.log(value) for value in side.starts]
        means.append(math.exp(fmean(logarithms)))
        error = max(side.of_all.variance, variance(logarithms)) / len(logarithms)
        errors.append(error * (means[-1] ** 2 if kind is Kind.DIFFERENCE else 1.0))
    value = _value(kind, *means)
    if value is None or not any(errors):
        return Interval(value, value, value, "all starts alike")
    of_all = min((side.of_all for side in sides), key=lambda one: one.freedom)
    half = float(t.ppf((1 + confidence) / 2, of_all.freedom)) * math.sqrt(sum(errors))
    if kind is Kind.DIFFERENCE:
        return Interval(value, value - half, value + half, of_all.words)
    return Interval(value, value * math.exp(-half), value * math.exp(half), of_all.words)
