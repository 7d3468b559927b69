"""Intervals of few starts: where they come from, and what has none."""

import math

import numpy as np
import pytest

from benchsuite.studies.intervals import Counts, Kind, Scatter, Side, interval, scatter

CALM = [[10.0, 10.1], [20.0, 20.3], [5.0, 5.02]]


def side(*figures: float, cells: list[list[float]] = CALM) -> Side:
    return Side(figures, scatter(cells))


def test_the_fit_finds_the_law_that_variances_were_drawn_from():
    """Smyth's: scaled inverse χ² with 6 degrees of freedom around 0.04."""
    drawn = np.random.default_rng(5)
    variances = 0.04 * 6 / drawn.chisquare(6, 4000)
    cells = np.exp(np.sqrt(variances)[:, None] * drawn.standard_normal((4000, 3)))
    of_all = scatter(cells.tolist())
    assert of_all.variance == pytest.approx(0.04, rel=0.1)
    assert of_all.weight == pytest.approx(6, rel=0.25)


def test_cells_that_scatter_alike_share_one_variance():
    drawn = np.random.default_rng(1)
    of_all = scatter(np.exp(0.1 * drawn.standard_normal((300, 4))).tolist())
    moderated, freedom = of_all.moderated([0.0, 1.0])
    assert moderated < 0.1  # by itself 0.5
    assert freedom > 8


def endless(*at_least: float) -> Side:
    return Side([math.inf] * len(at_least), scatter(CALM), at_least=at_least)


def failures(*counts: float, of: float = 1.0, apart: float = 1.0) -> Side:
    """Starts with so many failures, each of that many requests."""
    of_all = Scatter(counts=(Counts(0.0, apart, 1),))
    return Side([one / of for one in counts], of_all, [of] * len(counts))


def test_values(golden):
    golden.values()


def test_runs_that_are_alike_may_differ_by_an_answer_of_their_window():
    """5 answers in 2 s each, of a page that takes 300 ms and one that takes 350 ms."""
    of_all = scatter([[2.5, 2.5], [2.5, 2.5]])
    alike = Side([2.5, 2.5], of_all, step=0.5)
    assert interval(Kind.RATIO, alike, alike).high > 7 / 6
