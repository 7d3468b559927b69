"""Which calibrated ceiling holds for a load."""

from benchsuite.core.results import Ceiling

SEEN = tuple(
    Ceiling(users=users, keep_alive=keep_alive, throughput=users * (10.0 if keep_alive else 1.0))
    for users in (1, 10, 100)
    for keep_alive in (True, False)
)


def test_values(golden):
    golden.values()
