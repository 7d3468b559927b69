"""What a part used of the CPUs over a window."""

import pytest

from benchsuite.core.readings import mean_cpu_percent, most_sessions
from benchsuite.core.results import Reading

READINGS = [
    *(
        Reading(second=second, part="target", cpu_percent=percent)
        for second, percent in ((1.2, 10.0), (2.2, 40.0), (3.2, None), (4.2, 60.0), (5.2, 90.0))
    ),
    Reading(second=2.2, part="load", cpu_percent=7.0),
]


@pytest.mark.parametrize(
    ("window", "mean"),
    [
        ((1.0, 4.0), 50.0),  # of the second before 4.2 most lies inside, of that before 1.2 little
        ((1.8, 4.8), 75.0),
        ((0.0, 9.0), 50.0),
        ((2.8, 3.0), None),
        (None, None),
    ],
)
def test_a_second_counts_where_most_of_it_lies(
    window: tuple[float, float] | None, mean: float | None
) -> None:
    assert mean_cpu_percent(READINGS, "target", window) == mean


def test_sessions_are_counted_in_all_states_at_a_time() -> None:
    counts = [
        {"active": 3, "idle": 2, "limit": 97, "waits for Lock:tuple": 3},
        {"active": 1, "idle": 1, "idle in transaction": 2, "limit": 97},
    ]
    readings = [
        Reading(second=second, part="database", counts=one)
        for second, one in enumerate(counts, start=1)
    ]
    redis = Reading(second=1.0, part="redis", counts={"clients": 50})
    assert most_sessions([*READINGS, redis, *readings]) == 5
    assert most_sessions([*READINGS, redis]) is None
