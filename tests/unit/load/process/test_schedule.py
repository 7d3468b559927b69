"""The planned moments of an open model, against what their definition says."""

from benchsuite.core.specs import LoadProfile
from benchsuite.load.process.schedule import arrivals


def profile(rate, **changes):
    fields = {"warmup_s": 1.0, "duration_s": 9.0, **changes}
    return LoadProfile(model="open", arrival_rate=rate, **fields)


def poisson(seed, rate=200.0, duration_s=99.0):
    return list(arrivals(profile(rate, arrivals="poisson", duration_s=duration_s), seed=seed))


def test_values(golden):
    golden.values()
