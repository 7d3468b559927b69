"""The planned moments of an open model, against what their definition says."""

import math
from itertools import chain, pairwise

import pytest

from benchsuite.core.specs import LoadProfile
from benchsuite.load.process.schedule import arrivals


def profile(rate: float, **changes: object) -> LoadProfile:
    fields = {"warmup_s": 1.0, "duration_s": 9.0, **changes}
    return LoadProfile(model="open", arrival_rate=rate, **fields)  # type: ignore[arg-type]


def poisson(seed: int, rate: float = 200.0, duration_s: float = 99.0) -> list[float]:
    return list(arrivals(profile(rate, arrivals="poisson", duration_s=duration_s), seed=seed))


@pytest.mark.parametrize("rate", [0.5, 1, 3, 7, 200, 333.3])
def test_a_constant_rate_makes_exactly_as_many_as_fit(rate):
    moments = list(arrivals(profile(rate), seed=0))
    assert len(moments) == math.ceil(10 * rate - 1e-6)
    assert moments[0] == 0
    assert moments[-1] < 10
    assert all(b - a == pytest.approx(1 / rate) for a, b in pairwise(moments))


def test_rounding_adds_no_arrival():
    assert len(list(arrivals(profile(10, warmup_s=0.1, duration_s=0.2), seed=0))) == 3


@pytest.mark.parametrize("kind", ["constant", "poisson"])
def test_the_parts_make_up_the_whole(kind):
    load = profile(50, arrivals=kind)
    parts = [list(arrivals(load, seed=2, part=part, parts=3)) for part in range(3)]
    assert sorted(chain(*parts)) == list(arrivals(load, seed=2))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_each_stage_has_its_own_rate():
    load = profile(40, stages=(10.0, 40.0), warmup_s=1.0, duration_s=4.0)
    moments = list(arrivals(load, seed=0))
    assert len([moment for moment in moments if moment < 5]) == 50
    assert len([moment for moment in moments if moment >= 5]) == 200
    assert len(moments) == 250


def test_values(golden):
    golden.values()
