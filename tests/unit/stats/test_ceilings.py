"""Which calibrated ceiling holds for a load."""

from dataclasses import replace

import pytest

from benchsuite.core.results import Ceiling
from benchsuite.core.specs import LoadProfile
from benchsuite.stats.levels import ceiling_doubt, ceiling_rate

SEEN = tuple(
    Ceiling(users=users, keep_alive=keep_alive, throughput=users * (10.0 if keep_alive else 1.0))
    for users in (1, 10, 100)
    for keep_alive in (True, False)
)


@pytest.mark.parametrize(
    ("users", "throughput"), [(1, 10), (3, 10), (4, 100), (31, 100), (32, 1000), (5000, 1000)]
)
def test_the_nearest_number_of_users_by_ratio(users: int, throughput: float) -> None:
    assert ceiling_rate(SEEN, LoadProfile(), users) == throughput
    assert ceiling_rate(SEEN, LoadProfile(keep_alive=False), users) == throughput / 10


def test_without_a_calibration_nothing_is_known() -> None:
    assert ceiling_rate((), LoadProfile(), 10) is None
    kept = [one for one in SEEN if one.keep_alive]
    assert ceiling_rate(kept, LoadProfile(keep_alive=False), 10) is None
    assert ceiling_rate(SEEN, LoadProfile(), 0.0) is None


def test_each_model_and_number_of_load_processes_has_ceilings_of_its_own() -> None:
    others = (
        Ceiling(model="open", users=10, keep_alive=True, throughput=7.0),
        Ceiling(processes=2, users=10, keep_alive=True, throughput=8.0),
        Ceiling(model="open", processes=2, users=10, keep_alive=True, throughput=9.0),
    )
    known = (*SEEN, *others)
    arriving = {"model": "open", "arrival_rate": 50.0}
    assert ceiling_rate(known, LoadProfile(), 10) == 100
    assert ceiling_rate(known, LoadProfile(**arriving), 3.7) == 7
    assert ceiling_rate(known, LoadProfile(processes=2), 10) == 8
    assert ceiling_rate(known, LoadProfile(**arriving, processes=2), 10) == 9
    assert ceiling_rate(known, LoadProfile(processes=3), 10) is None
    assert ceiling_rate(SEEN, LoadProfile(**arriving), 10) is None


@pytest.mark.parametrize("what", ["responder_cpu_percent", "others_percent"])
def test_a_ceiling_that_may_be_too_low_is_not_used(what: str) -> None:
    limits = {"responder_cpu_percent": 90.0, "others_percent": 10.0}
    good = replace(SEEN[0], **{what: limits[what]})
    bad = replace(SEEN[0], **{what: limits[what] + 0.1})
    assert not ceiling_doubt(good)
    assert ceiling_doubt(bad)
    assert ceiling_rate([good], LoadProfile(), 1) == 10
    assert ceiling_rate([bad], LoadProfile(), 1) is None
