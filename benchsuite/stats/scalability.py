"""How capacity grows with CPUs: the Universal Scalability Law (Gunther 2007).

    X(n) = n X(1) / (1 + contention (n - 1) + coherency n (n - 1))

Contention is the share of the work that only one CPU at a time can do, coherency what each pair of
CPUs costs. n / X(n) is linear in 1, n - 1 and n (n - 1), and no coefficient may be negative: so
non-negative least squares, weighted to relative errors, have one solution and need no first guess.

An interval holds all values with which the best of such fits is not significantly worse (profile
likelihood, by Student's t of the spread of starts, pooled over all numbers of CPUs). A bootstrap
was tried: where a coefficient is truly 0, as it often is, its intervals held the truth in 82 to
88 % of cases instead of 95 %.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from benchsuite.core.units import format_number
from benchsuite.stats.compare import CONFIDENCE, Estimate, Floats
from benchsuite.stats.distributions import beta, root, student_quantile

FEWEST_COUNTS = 4  #: Numbers of CPUs: three parameters, and one to see whether the law holds.
FEWEST_STARTS = 3  #: At each.
REACH = 2  #: So many times the largest number of CPUs is extrapolated to, at most.
MISFIT = 0.01  #: Chance with which a system that follows the law is said not to.
WIDEST = 2.0  #: Upper over lower end of the rate at the farthest: beyond, the fit says nothing.
LEAST_SPREAD = 0.005  #: Of the logarithms of starts: a few agree by chance.


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """What was fitted."""

    contention: Estimate
    coherency: Estimate
    measured: tuple[int, ...]  #: Numbers of CPUs, rising.
    rates: tuple[Estimate, ...]  #: On 1, 2, … CPUs, up to `REACH` times the largest measured.


def fitted(starts: Mapping[int, Sequence[float]]) -> Law | str:
    """The law through logarithms of what starts held, by number of CPUs; or why there is none."""
    known = {cpus: starts[cpus] for cpus in sorted(starts) if len(starts[cpus]) >= FEWEST_STARTS}
    if len(known) < FEWEST_COUNTS:
        return (
            f"it takes {FEWEST_COUNTS} numbers of CPUs with {FEWEST_STARTS} runs or more at "
            f"each, and there {'is' if len(known) == 1 else 'are'} {len(known)}"
        )
    fit = _Fit(known)
    if not fit.costs[0]:
        return "what a single CPU holds can't be told from them"
    if (p := fit.misfit()) < MISFIT:
        return (
            "they don't follow the Universal Scalability Law (p "
            f"{'< 0.0001' if p < 1e-4 else f'= {p:.1g}'}), so something else limits some of them"
        )
    rates = tuple(fit.rate(cpus) for cpus in range(1, REACH * max(known) + 1))
    if rates[-1].high > WIDEST * rates[-1].low:
        ends = f"{format_number(rates[-1].low)} to {format_number(rates[-1].high)}/s"
        cpus = f"on {len(rates)} CPUs"
        return f"runs differ too much: {cpus} anything from {ends} would agree with them"
    return Law(contention=fit.share(1), coherency=fit.share(2), measured=tuple(known), rates=rates)


class _Fit:
    """Coefficients of 1, n - 1 and n (n - 1) in n / X(n), by relative errors."""

    def __init__(self, starts: Mapping[int, Sequence[float]]) -> None:
        counts = np.array(list(starts), dtype=float)
        sizes = np.array([len(logs) for logs in starts.values()])
        means = {cpus: sum(logs) / len(logs) for cpus, logs in starts.items()}
        apart = sum((log - means[cpus]) ** 2 for cpus, logs in starts.items() for log in logs)
        self.freedom = int(sizes.sum()) - len(sizes)
        self.spread = max(LEAST_SPREAD, math.sqrt(apart / self.freedom))
        per_cpu = np.exp(list(means.values())) / counts
        weights = np.sqrt(sizes) / self.spread
        terms = np.array([_terms(cpus) for cpus in counts])
        self.columns = [column * per_cpu * weights for column in terms.T]
        self.aim = weights
        self.costs, self.error = _solved(self.columns, self.aim)
        self.limit = self.error + student_quantile(self.freedom, (1 + CONFIDENCE) / 2) ** 2

    def misfit(self) -> float:
        """How likely means lie so far from the law where they follow it (F test)."""
        spare = len(self.aim) - sum(one > 0 for one in self.costs)
        return beta(self.freedom / 2, spare / 2, self.freedom / (self.freedom + self.error))

    def rate(self, cpus: int) -> Estimate:
        """On so many CPUs."""
        _, *terms = _terms(cpus)
        first, *more = self.columns

        def error(cost: float) -> float:
            left = [column - term * first for column, term in zip(more, terms, strict=True)]
            return _solved(left, self.aim - cost * first)[1]

        best = sum(term * first for term, first in zip(_terms(cpus), self.costs, strict=True))
        low, high = self._ends(error, best, 10 * best)
        return Estimate(value=cpus / best, low=cpus / high, high=cpus / max(low, best / 10))

    def share(self, place: int) -> Estimate:
        """A coefficient over the first one."""
        first, other = self.columns[0], self.columns[3 - place]

        def error(share: float) -> float:
            return _solved([first + share * self.columns[place], other], self.aim)[1]

        best = self.costs[place] / self.costs[0]
        low, high = self._ends(error, best, max(1.0, 2 * best))
        return Estimate(value=best, low=low, high=high)

    def _ends(
        self, error: Callable[[float], float], best: float, most: float
    ) -> tuple[float, float]:
        """Between these the error stays within its limit."""

        def excess(value: float) -> float:
            return error(value) - self.limit

        low = 0.0 if excess(0.0) <= 0 else root(excess, 0.0, best)
        high = most if excess(most) <= 0 else root(excess, best, most)
        return low, high


def _terms(cpus: float) -> tuple[float, float, float]:
    return 1.0, cpus - 1, cpus * (cpus - 1)


def _solved(columns: Sequence[Floats], aim: Floats) -> tuple[list[float], float]:
    """Coefficients, none negative, and the sum of squared errors."""
    solutions = []
    terms = np.stack(columns, axis=-1)
    for wanted in product((True, False), repeat=len(columns)):
        chosen = terms * wanted
        solution = np.linalg.lstsq(chosen, aim)[0]
        if (solution >= 0).all():
            solutions.append((float(((aim - chosen @ solution) ** 2).sum()), solution.tolist()))
            if all(wanted):
                break
    error, least = min(solutions)
    return least, error
