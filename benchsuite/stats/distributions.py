"""Tails and quantiles of the distributions that tests and intervals ask for.

SciPy has them, and would be a third of an installation's weight. Tests hold each against SciPy's.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist

PRECISION = 1e-13
LEAST = 1e-300  #: In place of a 0 that something is divided by.
NORMAL = 1e8  #: Degrees of freedom from which on Student's t is the normal distribution.


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where it is 0, between two ends at which its signs differ (Ridders 1979)."""
    at_low, at_high = function(low), function(high)
    place, before = (high, math.inf) if at_low else (low, low)
    while at_high and abs(place - before) > PRECISION * abs(place):
        before, middle = place, (low + high) / 2
        at_middle = function(middle)
        scale = math.sqrt(at_middle**2 - at_low * at_high)
        place = middle + (middle - low) * math.copysign(at_middle / scale, at_low * at_middle)
        for end, at_end in ((middle, at_middle), (place, function(place))):
            if not at_end:
                return end
            if low < end < high and (at_end > 0) == (at_low > 0):
                low, at_low = end, at_end
            elif low < end < high:
                high, at_high = end, at_end
    return place


def beta(a: float, b: float, x: float) -> float:
    """The regularized incomplete beta function, by its continued fraction (DLMF 8.17.22)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - beta(b, a, 1 - x)
    value, above, below = 1.0, 1.0, 0.0  # Lentz's way from its front to its end
    place, factor = 0, 0.0
    while abs(factor - 1) > PRECISION:
        place += 1
        m = place // 2
        term = m * (b - m) if place % 2 == 0 else -(a + m) * (a + b + m)
        term *= x / ((a + place - 1) * (a + place))
        below = 1 / (1 + term * below or LEAST)
        above = 1 + term / above or LEAST
        factor = above * below
        value *= factor
    whole = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return math.exp(whole + a * math.log(x) + b * math.log1p(-x)) / a / value


@lru_cache(maxsize=4096)
def beta_quantile(a: float, b: float, share: float) -> float:
    """Below which the beta distribution has that share."""
    if not 0 < share < 1:
        return share
    return root(lambda x: beta(a, b, x) - share, 0.0, 1.0)


def student_quantile(freedom: float, share: float) -> float:
    """Below which Student's t has that share."""
    if freedom >= NORMAL:
        return NormalDist().inv_cdf(share)
    if share < 0.5:
        return -student_quantile(freedom, 1 - share)
    beyond = beta_quantile(freedom / 2, 0.5, 2 * (1 - share))
    return math.sqrt(freedom * (1 - beyond) / beyond)


def at_least(events: float, trials: float, chance: float) -> float:
    """How likely so many trials or more succeed, each by that chance (binomial)."""
    return beta(events, trials - events + 1, chance) if events > 0 else 1.0


def gamma(a: float, x: float) -> float:
    """The regularized lower incomplete gamma function, by its series (DLMF 8.11.4)."""
    term = total = 1 / a
    place = 0
    while term > total * PRECISION:
        place += 1
        term *= x / (a + place)
        total += term
    return total * math.exp(a * (math.log(x) if x else -math.inf) - x - math.lgamma(a))


@lru_cache(maxsize=4096)
def gamma_quantile(a: float, share: float) -> float:
    """Below which the gamma distribution has that share, first guessed (Wilson & Hilferty 1931)."""
    guess = a * max(0.1, 1 - 1 / (9 * a) + NormalDist().inv_cdf(share) / (3 * math.sqrt(a))) ** 3
    low = high = guess
    while gamma(a, low) > share:
        low /= 1 + 1 / math.sqrt(a)
    while gamma(a, high) < share:
        high *= 1 + 1 / math.sqrt(a)
    return root(lambda x: gamma(a, x) - share, low, high)


def digamma(x: float) -> float:
    """The slope of the logarithm of Γ (DLMF 5.11.2, from 10 on)."""
    if x < 10:
        return digamma(x + 1) - 1 / x
    inverse = 1 / x**2
    series = inverse * (1 / 12 - inverse * (1 / 120 - inverse * (1 / 252 - inverse / 240)))
    return math.log(x) - 1 / (2 * x) - series


def trigamma(x: float) -> float:
    """The slope of `digamma`."""
    if x < 10:
        return trigamma(x + 1) + 1 / x**2
    inverse = 1 / x**2
    series = inverse * (1 / 6 - inverse * (1 / 30 - inverse * (1 / 42 - inverse / 30)))
    return (1 + series) / x + inverse / 2
