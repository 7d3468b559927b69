"""The planned moments of an open model, against what their definition says."""

import math
from itertools import chain, pairwise
from statistics import mean, variance

import pytest

from benchsuite.core.specs import LoadProfile
from benchsuite.load.process.schedule import Tally, arrivals


def profile(rate: float, **changes: object) -> LoadProfile:
    fields = {"warmup_s": 1.0, "duration_s": 9.0, **changes}
    return LoadProfile(model="open", arrival_rate=rate, **fields)  # type: ignore[arg-type]


def poisson(seed: int, rate: float = 200.0, duration_s: float = 99.0) -> list[float]:
    return list(arrivals(profile(rate, arrivals="poisson", duration_s=duration_s), seed=seed))


@pytest.mark.parametrize("rate", [0.5, 1, 3, 7, 200, 333.3])
def test_a_constant_rate_makes_exactly_as_many_as_fit(rate: float) -> None:
    moments = list(arrivals(profile(rate), seed=0))
    assert len(moments) == math.ceil(10 * rate - 1e-6)
    assert moments[0] == 0
    assert moments[-1] < 10
    assert all(b - a == pytest.approx(1 / rate) for a, b in pairwise(moments))


def test_rounding_adds_no_arrival() -> None:
    assert len(list(arrivals(profile(10, warmup_s=0.1, duration_s=0.2), seed=0))) == 3


def test_no_error_adds_up_over_a_long_schedule() -> None:
    *_, last = arrivals(profile(300, warmup_s=0, duration_s=3600), seed=0)
    assert last == pytest.approx(3600 - 1 / 300, abs=1e-9)


def test_poisson_arrivals_keep_the_rate() -> None:
    counts = [len(poisson(seed)) for seed in range(40)]
    expected = 200 * 100
    assert abs(mean(counts) - expected) < 4 * math.sqrt(expected / 40)
    assert variance(counts) == pytest.approx(expected, rel=0.8), "as varied as they are many"


def test_the_gaps_of_poisson_arrivals_are_exponential() -> None:
    moments = poisson(seed=7)
    gaps = sorted(b - a for a, b in pairwise(moments))
    count = len(gaps)
    assert mean(gaps) == pytest.approx(1 / 200, rel=0.03)
    assert variance(gaps) == pytest.approx(1 / 200**2, rel=0.1)
    distance = max(
        max(abs((rank + 1) / count - known), abs(rank / count - known))
        for rank, known in enumerate(1 - math.exp(-200 * gap) for gap in gaps)
    )
    assert distance < 1.63 / math.sqrt(count), "Kolmogorov's limit at 1 %"


def test_poisson_arrivals_rise_and_stay_inside() -> None:
    moments = poisson(seed=1)
    assert moments == sorted(moments)
    assert moments[0] > 0
    assert moments[-1] < 100


def test_the_same_seed_gives_the_same_moments() -> None:
    assert poisson(seed=3) == poisson(seed=3) != poisson(seed=4)


@pytest.mark.parametrize("kind", ["constant", "poisson"])
def test_the_parts_make_up_the_whole(kind: str) -> None:
    load = profile(50, arrivals=kind)
    parts = [list(arrivals(load, seed=2, part=part, parts=3)) for part in range(3)]
    assert sorted(chain(*parts)) == list(arrivals(load, seed=2))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_each_stage_has_its_own_rate() -> None:
    load = profile(40, stages=(10.0, 40.0), warmup_s=1.0, duration_s=4.0)
    moments = list(arrivals(load, seed=0))
    assert len([moment for moment in moments if moment < 5]) == 50
    assert len([moment for moment in moments if moment >= 5]) == 200
    assert len(moments) == 250


def test_a_tally_counts_what_lies_in_each_window() -> None:
    load = profile(10, stages=(10.0, 20.0, 30.0), warmup_s=1.0, duration_s=2.0)
    tally = Tally(load, origin=100.0)
    for moment in (100.0, 100.99, 101.0, 102.99, 103.0, 104.5, 105.99, 106.0, 107.0, 109.0):
        tally.add(moment)
    assert tally.counts == [2, 2, 1]
