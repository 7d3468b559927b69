"""Whether `benchsuite.stats.compare` keeps its word: simulated server starts, known truth.

    python -m benchmarks.comparisons [--quick] [--cases 400]

Prints how often the 95 % interval holds the true ratio, how often two equal sides come out
"different" (A/A), how often a 5 % slowdown is found, and whether what `detectable` promises is
found as often as it says. Each case calls the function that command and pages call. Takes two to
three minutes; `--quick` a quarter of that.
"""

import argparse
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy import stats

from benchmarks.table import show
from benchsuite.stats.compare import Comparison, Outcome, compare, together

Draw = Callable[[Generator, float, int], NDArray[np.float64]]
Sampler = Callable[[Generator], NDArray[np.float64]]


def lognormal(generator: Generator, noise: float, starts: int) -> NDArray[np.float64]:
    """Symmetric on the logarithm: memory layout, hash seeds."""
    return np.exp(noise * generator.standard_normal(starts) - noise**2 / 2)


def skewed(generator: Generator, noise: float, starts: int) -> NDArray[np.float64]:
    """Most starts near the best, a long tail of slower ones: exponential."""
    return (1 + noise * generator.exponential(size=starts)) / (1 + noise)


def disturbed(generator: Generator, noise: float, starts: int) -> NDArray[np.float64]:
    """Every tenth start has five times the noise on top: a neighbour woke up."""
    hit = np.where(generator.random(starts) < 0.1, 1 + 5 * noise, 1.0)
    return lognormal(generator, noise, starts) * hit / (1 + 0.5 * noise)


def rounded(generator: Generator, noise: float, starts: int) -> NDArray[np.float64]:
    """So coarse that there are ties, as percentiles of three digits have at little noise."""
    return np.round(lognormal(generator, noise, starts) / noise) * noise


def mirrored(generator: Generator, noise: float, starts: int) -> NDArray[np.float64]:
    """`skewed` the other way round."""
    return 2 - skewed(generator, noise, starts)


SHAPES: tuple[tuple[str, Draw, Draw, float, float], ...] = (
    ("log-normal", lognormal, lognormal, 0.02, 0.02),
    ("log-normal, 10 % noise", lognormal, lognormal, 0.10, 0.10),
    ("log-normal, 3 × the noise", lognormal, lognormal, 0.02, 0.06),
    ("skewed", skewed, skewed, 0.03, 0.03),
    ("disturbed", disturbed, disturbed, 0.02, 0.02),
    ("rounded, with ties", rounded, rounded, 0.01, 0.01),
    ("skewed against mirrored", skewed, mirrored, 0.03, 0.03),
    ("very skewed against log-normal", skewed, lognormal, 0.10, 0.02),
)
SIDES = ((5, 5), (10, 10), (20, 20), (5, 10), (5, 20))
SLOWDOWN = 1.05
NOISES = ((0.01, lognormal), (0.02, lognormal), (0.03, lognormal), (0.02, disturbed))
MARGIN = 0.01
METHODS: Any = ((np.mean, "percentile"), (np.mean, "BCa"), (np.median, "percentile"))
RESAMPLES = 2000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a quarter of the cases")
    parser.add_argument("--cases", type=int, default=400, help="of each cell of the first tables")
    options = parser.parse_args()
    cases = options.cases // 4 if options.quick else options.cases
    began = time.monotonic()
    generator = np.random.default_rng(20130620)
    equal_means(generator, cases)
    for part in (alternatives, several, power, promised):
        part(generator, cases // 2)
    margins(cases // 2)
    print(f"\n{cases} cases, {time.monotonic() - began:.0f} s")


def compared(generator: Generator, cases: int, first: Sampler, second: Sampler) -> list[Comparison]:
    """So many comparisons of two sides, drawn one after the other."""
    return [compare(first(generator), second(generator), seed=case) for case in range(cases)]


def side(draw: Draw, noise: float, starts: int, factor: float = 1.0) -> Sampler:
    return lambda generator: factor * draw(generator, noise, starts)


def shown(comparisons: Iterable[Comparison]) -> int:
    return sum(one.outcome is Outcome.SHOWN for one in comparisons)


def equal_means(generator: Generator, cases: int) -> None:
    """Both sides have the same mean: the true ratio is 1, and "different" is false."""
    covered, false = [], []
    for name, first, second, noise, other_noise in SHAPES:
        by_sides = [
            compared(generator, cases, side(first, noise, n), side(second, other_noise, m))
            for n, m in SIDES
        ]
        covered.append([name, *(share(sum(map(_holds, each)), cases) for each in by_sides)])
        if first is second and noise == other_noise:
            by_ranks = [sum((one.p or 0) <= 0.05 for one in each) for each in by_sides]
            false.append([name, *(share(shown(each), cases) for each in by_sides)])
            false.append([f"{name}, by ranks alone", *(share(one, cases) for one in by_ranks)])
    heads = [f"{n} / {m}" for n, m in SIDES]
    show(
        "The 95 % interval holds the true ratio of the means, in % of the cases",
        ["noise of the starts (n / m a side)", *heads],
        covered,
    )
    show(
        'A/A: the same cell twice comes out "different", in % of the cases',
        ["noise of the starts", *heads],
        false,
    )


def alternatives(generator: Generator, cases: int) -> None:
    """Why this interval: what others give on the same draws."""
    names = (
        "ours",
        "percentile",
        "BCa",
        "medians, percentile",
        "Welch on logarithms",
        "studentized",
    )
    rows = []
    for name, first, second, noise, other_noise in (SHAPES[0], SHAPES[3], SHAPES[4], SHAPES[7]):
        drawn = []
        for case in range(cases):
            a, b = first(generator, noise, 5), second(generator, other_noise, 5)
            drawn.append([_ends(compare(a, b, seed=case)), *_alternatives(a, b, case)])
        ends = np.array(drawn)
        held = ((ends[..., 0] <= 1) & (ends[..., 1] >= 1)).sum(axis=0)
        width = np.median(ends[..., 1] - ends[..., 0], axis=0)
        cells = zip(held, width / width[0], strict=True)
        rows.append([name, *(f"{share(int(count), cases)} ({wide:.2f})" for count, wide in cells)])
    show(
        "Other intervals, 5 starts a side: coverage in % (median width, ours = 1)",
        ["noise of the starts", *names],
        rows,
    )


def several(generator: Generator, cases: int) -> None:
    """One baseline and several candidates, all equal."""

    def wrong(candidates: int, starts: int) -> int:
        count = 0
        for case in range(cases):
            base = lognormal(generator, 0.02, starts)
            each = (
                compare(base, lognormal(generator, 0.02, starts), seed=case)
                for _ in range(candidates)
            )
            count += shown(together(each)) > 0
        return count

    show(
        'A/A of several: any of k equal candidates comes out "different", in % of the cases',
        ["candidates", "5 / 5", "6 / 6", "10 / 10"],
        [[str(k), *(share(wrong(k, n), cases) for n in (5, 6, 10))] for k in (1, 3, 6)],
    )


def power(generator: Generator, cases: int) -> None:
    numbers = (5, 6, 8, 10, 15, 20)
    rows = []
    for noise, draw in NOISES:
        cells = []
        for n in numbers:
            slower = compared(
                generator, cases, side(draw, noise, n), side(draw, noise, n, SLOWDOWN)
            )
            cells.append(share(shown(one for one in slower if (one.value or 0) > 1), cases))
        rows.append([f"{noise * 100:.0f} %, {draw.__name__}", *cells])
    show(
        f"A response time {SLOWDOWN:.2f} times as long is found to be longer, in % of the cases",
        ["noise between starts", *(f"{n} / {n}" for n in numbers)],
        rows,
    )


def promised(generator: Generator, cases: int) -> None:
    """`detectable` is asked with the true spread, then that difference is made."""
    rows = []
    for draw in (lognormal, skewed, disturbed):
        cells = []
        for n in (5, 10, 20):
            spread = float(np.std(draw(generator, 0.02, 200_000)))
            known = replace(
                compare(range(100, 100 + n), range(100, 100 + n)),
                error=spread * (2 / n) ** 0.5,
                freedom=2.0 * n - 2,
            )
            effect = known.detectable or 1.0
            made = compared(generator, cases, side(draw, 0.02, n), side(draw, 0.02, n, effect))
            cells.append(f"{share(shown(made), cases)} (of {(effect - 1) * 100:.1f} %)")
        rows.append([draw.__name__, *cells])
    show(
        'What "would have been" shown at this noise (2 %) is shown, in % of the cases',
        ["noise of the starts", "5 / 5", "10 / 10", "20 / 20"],
        rows,
    )


def margins(cases: int) -> None:
    """What the margin changes with six starts a side; of draws of its own."""
    generator = np.random.default_rng(20130620)
    rows = []
    for noise, draw in NOISES:
        cells = []
        for factor in (1.0, SLOWDOWN):
            pairs = compared(generator, cases, side(draw, noise, 6), side(draw, noise, 6, factor))
            for margin in (0.0, MARGIN):
                cells.append(share(shown(replace(one, margin=margin) for one in pairs), cases))
        rows.append([f"{noise * 100:.0f} %, {draw.__name__}", *cells])
    show(
        "Six starts a side, without and with a margin of 1 %: shown, in % of the cases",
        ["noise", "A/A", "A/A, margin", "5 % slower", "5 % slower, margin"],
        rows,
    )
    rows = []
    for noise in (0.01, 0.02, 0.03):
        three = [
            [compare(*sides, seed=case) for sides in _figures(generator, noise)]
            for case in range(cases // 2)
        ]
        cells = []
        for margin in (0.0, MARGIN):
            any_shown = (shown(replace(one, margin=margin) for one in case) > 0 for case in three)
            cells.append(share(sum(any_shown), cases // 2))
        rows.append([f"{noise * 100:.0f} %, lognormal", *cells])
    show(
        "A/A of goodput, p95 and memory: any is better or worse, in % of the cases",
        ["noise", "without a margin", "margin of 1 %"],
        rows,
    )


def _figures(
    generator: Generator, noise: float
) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Goodput, p95 and memory of two sides that are the same but for 0.15 % of memory."""
    goodput = [lognormal(generator, noise, 6) for _ in range(2)]
    p95 = [lognormal(generator, noise, 6) / one for one in goodput]
    memory = [lognormal(generator, 0.001, 6) for _ in range(2)]
    return [(goodput[0], goodput[1]), (p95[0], p95[1]), (memory[0], 1.0015 * memory[1])]


def _alternatives(
    a: NDArray[np.float64], b: NDArray[np.float64], seed: int
) -> list[tuple[float, float]]:
    intervals = []
    for middle, method in METHODS:

        def ratio(x: Any, y: Any, axis: int = -1, middle: Any = middle) -> Any:
            return middle(y, axis=axis) / middle(x, axis=axis)

        samples: Any = (a, b)
        interval = stats.bootstrap(
            samples,
            ratio,
            n_resamples=RESAMPLES,
            method=method,
            vectorized=True,
            paired=False,
            rng=np.random.default_rng(seed),
        ).confidence_interval
        intervals.append((float(interval.low), float(interval.high)))
    welch = stats.ttest_ind(np.log(b), np.log(a), equal_var=False).confidence_interval(0.95)
    intervals.append((float(np.exp(welch.low)), float(np.exp(welch.high))))
    return [*intervals, studentized(a, b, seed)]


def studentized(a: NDArray[np.float64], b: NDArray[np.float64], seed: int) -> tuple[float, float]:
    """The bootstrap-t of the logarithm of the ratio of means, each resample by its own error
    (Hesterberg 2015). A resample in which nothing varies has none, and its t is without bound.
    """
    generator = np.random.default_rng(seed)
    seen, error = _log_ratio(a, b)
    drawn = [side[generator.integers(len(side), size=(RESAMPLES, len(side)))] for side in (a, b)]
    values, errors = _log_ratio(*drawn)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.nan_to_num((values - seen) / errors, posinf=np.inf, neginf=-np.inf)
    low, high = np.quantile(t, (0.025, 0.975), method="inverted_cdf")
    return float(np.exp(seen - high * error)), float(np.exp(seen - low * error))


def _log_ratio(a: NDArray[np.float64], b: NDArray[np.float64]) -> tuple[Any, Any]:
    """Logarithm of the ratio of means on the last axis, and its standard error (delta method)."""
    variance = sum(
        side.var(axis=-1, ddof=1) / side.mean(axis=-1) ** 2 / side.shape[-1] for side in (a, b)
    )
    return np.log(b.mean(axis=-1) / a.mean(axis=-1)), np.sqrt(variance)


def _ends(comparison: Comparison) -> tuple[float, float]:
    return comparison.low or 0.0, comparison.high or 0.0


def _holds(comparison: Comparison) -> bool:
    low, high = _ends(comparison)
    return low <= 1 <= high


def share(count: int, cases: int) -> str:
    return f"{count / cases * 100:.1f}"


if __name__ == "__main__":
    main()
