"""The interval of a figure, a ratio or a difference, as far as the starts of two cells carry one.

* From five starts a side it is that of `stats.compare`, bootstrapped over them.
* With two to four it is Welch's on the logarithms. So few starts don't show their own spread, so
  the variance is pooled over all cells of the study in that figure; a cell whose own is larger gets
  its own, because cells don't all scatter alike. `python -m benchmarks.claims` measures what that
  covers, and what the pooled variance would by itself; docs/studies.md has its table.
* 0 has no logarithm. Where a start has 0 of what is counted, the number in all starts together has
  the exact interval of Poisson's law (Garwood 1936), and a difference that of Zou and Donner
  (2008); both are widened by as much as starts lie further apart than that law has it, in the cell
  or in all cells of the study.
* One start has none.
"""

import math
import operator
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
    dispersion: float = 1.0  #: Of counts, by `dispersion()`.

    @property
    def words(self) -> str:
        of = f"{self.cells} cells" if self.cells > 1 else "one cell"
        return f"Welch on logarithms, variance pooled over {of}"


def pooled(cells: Iterable[Sequence[float]], amounts: Iterable[Sequence[float]] = ()) -> Pooled:
    """Of the figures of these cells: of those with two starts or more, and logarithms.

    `amounts` are what each start counts among, where these figures are counts.
    """
    cells = list(cells)
    apart = dispersion(zip(cells, amounts, strict=False))
    logarithms = [
        [math.log(value) for value in one]
        for one in cells
        if len(one) >= FEWEST and all(0 < value < math.inf for value in one)
    ]
    freedom = sum(len(one) - 1 for one in logarithms)
    if not freedom:
        return Pooled(dispersion=apart)
    squares = sum(variance(one) * (len(one) - 1) for one in logarithms)
    return Pooled(len(logarithms), squares / freedom, freedom, apart)


def dispersion(cells: Iterable[tuple[Sequence[float], Sequence[float]]]) -> float:
    """How far counts of starts lie apart, where 1 is what chance alone does: Pearson's χ² by
    its freedom, and never less. Cells are figures with their amounts.
    """
    squares, freedom = 0.0, 0
    for figures, amounts in cells:
        events = sum(map(operator.mul, figures, amounts))
        if len(amounts) < FEWEST or not events:
            continue
        share = events / sum(amounts)
        squares += sum(
            (one - share) ** 2 * amount / share
            for one, amount in zip(figures, amounts, strict=True)
        )
        freedom += len(amounts) - 1
    return max(1.0, squares / freedom) if freedom else 1.0


@dataclass(frozen=True, slots=True)
class Side:
    """The starts of a cell in a figure, and how all cells scatter in it."""

    starts: Sequence[float]
    of_all: Pooled
    amounts: Sequence[float] = ()  #: Of a figure that counts: what each start counts among.


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
    if kind is not Kind.RATIO and min(figures) <= 0 and all(one.amounts for one in sides):
        return _counted(kind, sides, confidence)
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
    comparison = compare(other, cell, scale=scale)
    if confidence == CONFIDENCE or not comparison.error or comparison.freedom is None:
        return Interval(value, comparison.low, comparison.high, "bootstrapped over starts")
    # resamples of five values have no tails
    half = float(t.ppf((1 + confidence) / 2, comparison.freedom)) * comparison.error
    low, high = (
        (value * math.exp(-half), value * math.exp(half))
        if kind is Kind.RATIO
        else (value - half, value + half)
    )
    return Interval(value, low, high, "Welch")


def _counted(kind: Kind, sides: Sequence[Side], confidence: float) -> Interval:
    """Of counts, which are 0 in some start."""
    from scipy.stats import chi2

    tail = (1 - confidence) / 2
    counts = []
    for side in sides:
        apart = max(side.of_all.dispersion, dispersion([(side.starts, side.amounts)]))
        amount = sum(side.amounts) / apart
        events = sum(map(operator.mul, side.starts, side.amounts)) / apart
        low = float(chi2.ppf(tail, 2 * events)) / 2 if events else 0.0
        high = float(chi2.ppf(1 - tail, 2 * events + 2)) / 2
        counts.append((events / amount, low / amount, high / amount))
    method = "Poisson, of the counts of all starts together"
    if len(counts) == 1:
        return Interval(*counts[0], method)
    (mine, low, high), (other, least, most) = counts
    return Interval(
        mine - other,
        mine - other - math.hypot(mine - low, most - other),
        mine - other + math.hypot(high - mine, other - least),
        method,
    )


def _welch(kind: Kind, sides: Sequence[Side], confidence: float) -> Interval:
    """Around what the means give, as everywhere. The error on the logarithm is that of the ratio,
    or of a value; of a difference it is the means' own.
    """
    from scipy.stats import t

    means, errors = [], []
    for side in sides:
        logarithms = [math.log(value) for value in side.starts]
        means.append(fmean(side.starts))
        events = sum(map(operator.mul, side.starts, side.amounts))
        chance = len(logarithms) / events if events else 0.0  # of small counts, Poisson's
        error = max(side.of_all.variance, variance(logarithms), chance) / len(logarithms)
        errors.append(error * (means[-1] ** 2 if kind is Kind.DIFFERENCE else 1.0))
    value = _value(kind, *means)
    if value is None or not any(errors):
        return Interval(value, value, value, "all starts alike")
    of_all = min((side.of_all for side in sides), key=lambda sample: sample.freedom)
    half = float(t.ppf((1 + confidence) / 2, of_all.freedom)) * math.sqrt(sum(errors))
    if kind is Kind.DIFFERENCE:
        return Interval(value, value - half, value + half, of_all.words)
    return Interval(value, value * math.exp(-half), value * math.exp(half), of_all.words)
