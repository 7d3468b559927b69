"""Each tail and quantile against SciPy's, which has been used for longer."""

import math

import numpy as np
import pytest
from scipy import optimize, special, stats

from benchsuite.stats import distributions
from benchsuite.stats.compare import mann_whitney
from benchsuite.stats.levels import Point, _fitted
from benchsuite.stats.scalability import _solved

SIZES = [0.3, 0.5, 1.0, 2.5, 7.0, 60.0, 4_001.5, 90_000.0]
SHARES = [1e-6, 0.001, 0.025, 0.3, 0.5, 0.9, 0.975, 0.9999]
CLOSE = {"rel": 2e-9, "abs": 1e-13}


@pytest.mark.parametrize("a", SIZES)
@pytest.mark.parametrize("b", SIZES)
def test_beta(a, b):
    for share in SHARES:
        place = distributions.beta_quantile(a, b, share)
        assert place == pytest.approx(special.betaincinv(a, b, share), **CLOSE)
        assert distributions.beta(a, b, place) == pytest.approx(
            special.betainc(a, b, place), **CLOSE
        )
    for x in (1e-9, 0.02, 0.5, 0.97):
        assert distributions.beta(a, b, x) == pytest.approx(special.betainc(a, b, x), **CLOSE)
    assert [distributions.beta(a, b, x) for x in (-0.1, 0, 1, 1.1)] == [0, 0, 1, 1]
    assert [distributions.beta_quantile(a, b, share) for share in (0, 1)] == [0, 1]


@pytest.mark.parametrize("size", SIZES)
def test_student_and_gamma(size):
    for share in SHARES:
        t, place = (
            quantile(size, share)
            for quantile in (distributions.student_quantile, distributions.gamma_quantile)
        )
        assert t == pytest.approx(special.stdtrit(size, share), rel=1e-8, abs=1e-8)
        assert place == pytest.approx(special.gammaincinv(size, share), **CLOSE)
    assert distributions.digamma(size) == pytest.approx(special.digamma(size), **CLOSE)
    assert distributions.trigamma(size) == pytest.approx(special.polygamma(1, size), **CLOSE)


def test_what_is_beyond_all_bounds_ends():
    for share in SHARES:
        for freedom in (1e9, math.inf):
            t = distributions.student_quantile(freedom, share)
            assert t == pytest.approx(special.stdtrit(freedom, share), rel=1e-7, abs=1e-9)
    assert math.isnan(distributions.beta(math.nan, 2.0, 0.5))
    assert math.isnan(distributions.gamma(3.0, math.nan))


@pytest.mark.parametrize("trials", [1, 12, 800, 100_000])
@pytest.mark.parametrize("chance", [0.0, 0.001, 0.4, 0.99, 1.0])
def test_binomial(trials, chance):
    for events in {0, 1, trials // 3, round(trials * chance), trials}:
        expected = special.bdtrc(events - 1, trials, chance) if events else 1.0
        assert distributions.at_least(events, trials, chance) == pytest.approx(expected, **CLOSE)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x**3 - 2,
        lambda x: math.exp(-30 * x) - 1e-4,
        lambda x: x - 5,
        lambda x: min(x - 1, 9),
    ],
)
def test_root(function):
    for sign in (1, -1):
        place = distributions.root(lambda x, sign=sign: sign * function(x), 0.0, 5.0)
        assert place == pytest.approx(optimize.brentq(function, 0.0, 5.0), rel=1e-10)


UNTIED = [3.1, 4.7, 1.2, 9.9, 5.5], [6.4, 8.0, 2.2, 7.3, 11.0, 12.5]
TIED = [1, 1, 2, 5, 5, 5], [2, 3, 5, 7, 7]


@pytest.mark.parametrize("sides", [UNTIED, TIED, [side * 3 for side in UNTIED]])
def test_ranks_of_few(sides):
    method = stats.PermutationMethod(n_resamples=10_000)
    if len(sides[0]) > 10:  # more ways than can be tried one by one
        method = stats.PermutationMethod(n_resamples=200_000, rng=1)
    expected = stats.mannwhitneyu(*sides, method=method).pvalue
    near = {"rel": 0.02} if len(sides[0]) > 10 else {}
    assert mann_whitney(*sides) == (pytest.approx(expected, **near), "exact")
    assert mann_whitney(*sides[::-1])[0] == pytest.approx(mann_whitney(*sides)[0])


def test_ranks_of_many():
    sides = [[(7 * place) % 41 + shift for place in range(90)] for shift in (0, 5)]
    expected = stats.mannwhitneyu(*sides, method="asymptotic").pvalue
    assert mann_whitney(*sides) == (pytest.approx(expected), "asymptotic")
    assert mann_whitney([1] * 90, [1] * 90) == (1.0, "asymptotic")


def test_margins_that_fall_as_rates_rise():
    draw = np.random.default_rng(8)
    points = [Point(float(rate), draw.normal() - rate / 9, rate**2) for rate in range(1, 30)]
    expected = optimize.isotonic_regression(
        [point.margin for point in points],
        weights=[point.rate for point in points],
        increasing=False,
    ).x
    assert [margin for _, margin in _fitted(points)] == pytest.approx(expected)


def test_coefficients_none_of_which_is_negative():
    columns = [[1.0, 1, 1, 1], [0, 1, 3, 7], [0, 2, 12, 56]]
    for aim in ([1.0, 1.3, 2, 3.1], [3.0, 2, 1, 0.5], [1.0, 0.9, 3, 9], [-1.0, -2, -3, -4]):
        solution, error = _solved([np.array(one) for one in columns], aim)
        expected, distance = optimize.nnls(list(zip(*columns, strict=True)), aim)
        assert solution == pytest.approx(expected)
        assert error == pytest.approx(distance**2)
