"""Whether a series stays as it is, steps to another level, or grows as memory that leaks does."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from benchsuite.core.units import format_duration, format_percent
from benchsuite.stats.compare import CONFIDENCE, Estimate, Floats
from benchsuite.stats.distributions import beta, student_quantile

LEVEL = 0.01  #: How often noise alone may look like a trend or any step.
LEVEL_OF_HALF = 0.1  #: And how often a half does, once the whole was told to change.
FEWEST_BESIDE = 3  #: A step with fewer values than that on one side of it is an outlier.
MOST_POINTS = 240  #: Longer series are averaged in groups first.
OUTLIER = 6.0  #: In median deviations: what lies farther off counts as if it lay there.


@dataclass(frozen=True, slots=True)
class Change:
    """A series that did not stay where it was."""

    percent: float  #: By how much it rose (or fell, negative) of what it was before.
    has_steady_half: bool
    at: int | None = None  #: Of a step: how many values came before it.

    @property
    def words(self) -> str:
        """What it did, each value being a second: "it fell by 12 % over the window"."""
        way = "rose" if self.percent > 0 else "fell"
        when = "over the window" if self.at is None else f"after {format_duration(float(self.at))}"
        return f"it {way} by {format_percent(abs(self.percent))} {when}"


def change(values: Sequence[float], *, least: int, percent: float) -> Change | None:
    """A trend or a step of more than so many percent; None without, or with too few values.

    A line and all steps are fitted; the surest of them counts, by Student's t of what it explains.
    Of chance alone, 1 % of series have any: a third each for the line, for a step in the middle,
    and for steps elsewhere, of which m = 3.1 √n - 4 are as good as independent (by simulation).
    Outliers are drawn in first. The size is by medians: Theil and Sen's slope (Sen 1968), the two
    sides of a step.
    """
    series: Floats = np.asarray(values, dtype=np.float64)
    size = math.ceil(len(values) / MOST_POINTS)
    if size > 1:
        series = series[: len(series) // size * size].reshape(-1, size).mean(axis=1)
    if len(series) < least or series.mean() <= 0:
        return None
    count = len(series)
    places = np.arange(count, dtype=np.float64)
    splits = np.arange(FEWEST_BESIDE, count - FEWEST_BESIDE + 1)
    chances = _chances(series, np.vstack([places, places >= splits[:, None]]))
    elsewhere = max(1.0, 3.1 * math.sqrt(count) - 4)
    chances[1:] *= np.where(splits == count // 2, 1.0, elsewhere)
    for surest in np.argsort(chances):
        if chances[surest] >= LEVEL / 3:
            break
        at = int(splits[surest - 1]) if surest else None
        if at is None:
            moved = _trend(series)
        else:
            before, after = float(np.median(series[:at])), float(np.median(series[at:]))
            moved = _relative(before, after, float(series.mean()))
        if abs(moved) > percent:
            steady = _has_steady_half(series, percent)
            return Change(moved, has_steady_half=steady, at=at and at * size)
    return None


def _chances(series: Floats, shapes: Floats) -> Floats:
    """How often noise alone fits each shape as well, by Student's t."""
    off = series - np.median(series)
    spread = np.median(np.abs(off)) or np.abs(off).mean()
    if not spread:
        return np.ones(len(shapes))
    drawn_in = np.clip(off, -OUTLIER * spread, OUTLIER * spread)
    squares = np.minimum(np.corrcoef(drawn_in, shapes)[0, 1:] ** 2, 1 - 1e-12)
    return np.array([beta((len(series) - 2) / 2, 0.5, 1 - square) for square in squares])


def _relative(before: float, after: float, level: float) -> float:
    """By how many percent of what it was; of the level, where it was nothing."""
    return (after - before) / (before if before > 0 else level) * 100


def _trend(series: Floats) -> float:
    """From the beginning to the end of the line through all points, in percent."""
    first, second = np.triu_indices(len(series), k=1)
    rise = float(np.median((series[second] - series[first]) / (second - first))) * (len(series) - 1)
    middle = float(np.median(series))
    before, after = max(0.0, middle - rise / 2), max(0.0, middle + rise / 2)
    return _relative(before, after, float(series.mean()))


def _has_steady_half(series: Floats, percent: float) -> bool:
    """Whether any half of the series, wherever it begins, is not sure to move by more than that."""
    half = math.ceil(len(series) / 2)
    parts = [series[at : at + half] for at in range(len(series) - half + 1)]
    return not all(
        abs(_trend(part)) > percent
        and _chances(part, np.arange(half, dtype=np.float64)[None])[0] < LEVEL_OF_HALF
        for part in parts
        if part.mean() > 0
    )


FEWEST_VALUES = 6  #: Values from which steps are looked for.
SHORTEST = 2  #: Values between two steps.


def steps(values: Sequence[float], *, ratio: float = 1.0, cost: float | None = None) -> list[int]:
    """How many values came before each step of at least that ratio; values are greater than 0.

    Each step of the mean logarithm costs 3 σ² ln n (1 + 4/n), about what the modified Bayesian
    criterion asks (Zhang & Siegmund 2007); the cheapest partition is found exactly. σ² is of the
    differences of neighbours (von Neumann). Of 6 to 60 normal values without a step 2 to 5 % of
    series have one; a step by four σ in the middle is found in 58 % of series of 6, in 97 % of 10.
    `cost` is that of a step where σ² is known from more than these values.
    """
    count = len(values)
    if count < FEWEST_VALUES or min(values) <= 0:
        return []
    logarithms = np.log(np.asarray(values, dtype=np.float64))
    variance = float(np.mean(np.diff(logarithms) ** 2)) / 2
    penalty = 3 * variance * math.log(count) * (1 + 4 / count) if cost is None else cost
    sums = np.concatenate([[0.0], np.cumsum(logarithms)])
    squares = np.concatenate([[0.0], np.cumsum(logarithms**2)])
    least = np.full(count + 1, np.inf)
    least[0] = -penalty
    before = np.zeros(count + 1, dtype=int)
    for end in range(SHORTEST, count + 1):
        begins = np.arange(end - SHORTEST + 1)
        scatter = squares[end] - squares[begins] - (sums[end] - sums[begins]) ** 2 / (end - begins)
        whole = least[begins] + scatter + penalty
        before[end] = int(np.argmin(whole))
        least[end] = whole[before[end]]
    edges = [count]
    while edges[0]:
        edges.insert(0, int(before[edges[0]]))
    means = [float(logarithms[begin:end].mean()) for begin, end in pairwise(edges)]
    moved = zip(edges[1:-1], pairwise(means), strict=True)
    return [at for at, (mean, after) in moved if abs(after - mean) > math.log(ratio)]


FEWEST_STEPS = 3  #: Two points are always on a line: nothing can be said of how well they are.
ARENA_BYTES = 2**20  #: CPython's arenas: each value may be off by as much.


def slope(steps: Sequence[tuple[float, float]]) -> Estimate | None:
    """The slope through (how many, bytes), with its 95 % interval; None for fewer than three steps,
    and where the last is as many as the first.

    A process keeps what it took: its errors add up from step to step. So the line is fitted to the
    differences between steps (least squares with integrated noise), and the interval is that of
    their scatter, by Student's t. Errors that don't add up make it too wide, never too narrow. Both
    ends may lie anywhere within an arena.
    """
    if len({many for many, _ in steps}) < FEWEST_STEPS:
        return None
    more, taken = np.diff(np.array(steps, dtype=float), axis=0).T
    if not more.sum():
        return None
    square = float((more**2).sum())
    value = float((more * taken).sum()) / square
    free = len(more) - 1
    scatter = math.sqrt(float(((taken - value * more) ** 2).sum()) / free / square)
    ends = ARENA_BYTES / math.sqrt(6) / abs(float(more.sum()))
    half = student_quantile(free, (1 + CONFIDENCE) / 2) * math.hypot(scatter, ends)
    return Estimate(value=value, low=value - half, high=value + half)


FEWEST_POINTS = 8  #: Of fewer points nothing is said.
STEADY = 0.7  #: The growth of the later half, as a share of the earlier's: less is levelling off.


def growth(points: Sequence[tuple[float, float]]) -> Estimate | None:
    """The slope through (second, bytes) with its interval; None where they don't grow: where its
    lower end is not above 0, for all points and for the later half of them; the lower of both is
    told. What levels off, such as a cache that fills, is no growth.
    """
    if len(points) < FEWEST_POINTS:
        return None
    half = len(points) // 2
    whole, earlier, later = slope(points), slope(points[: half + 1]), slope(points[half:])
    if whole is None or earlier is None or later is None or min(whole.low, later.low) <= 0:
        return None
    if later.value < STEADY * earlier.value:
        return None
    return replace(whole, low=min(whole.low, later.low))
