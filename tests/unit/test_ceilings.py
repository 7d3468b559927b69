"""Which calibrated ceiling holds for a load."""

from dataclasses import replace

import pytest

from benchsuite.results import Ceiling
from benchsuite.specs import LoadProfile
from benchsuite.stats.ceilings import ceiling_rate, doubt

SEEN = tuple(
    Ceiling(users=users, keep_alive=keep_alive, throughput=users * (10.0 if keep_alive else 1.0))
    for users in (1, 10, 100)
    for keep_alive in (True, False)
)


@pytest.mark.parametrize(
    ("users", "throughput"), [(1, 10), (3, 10), (4, 100), (31, 100), (32, 1000), (5000, 1000)]
)
def test_the_nearest_number_of_users_by_ratio(users: int, throughput: float) -> None:
    assert ceiling_rate(SEEN, LoadProfile(users=users)) == throughput
    assert ceiling_rate(SEEN, LoadProfile(users=users, keep_alive=False)) == throughput / 10


def test_without_a_calibration_nothing_is_known() -> None:
    assert ceiling_rate((), LoadProfile()) is None
    kept = [one for one in SEEN if one.keep_alive]
    assert ceiling_rate(kept, LoadProfile(keep_alive=False)) is None


@pytest.mark.parametrize("what", ["responder_cpu_percent", "others_percent"])
def test_a_ceiling_that_may_be_too_low_is_not_used(what: str) -> None:
    limits = {"responder_cpu_percent": 90.0, "others_percent": 10.0}
    good = replace(SEEN[0], **{what: limits[what]})
    bad = replace(SEEN[0], **{what: limits[what] + 0.1})
    assert not doubt(good)
    assert doubt(bad)
    assert ceiling_rate([good], LoadProfile(users=1)) == 10
    assert ceiling_rate([bad], LoadProfile(users=1)) is None
