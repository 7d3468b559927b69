"""What a part used of the CPUs over a window."""

from benchsuite.core.results import Reading

READINGS = [
    *(
        Reading(second=second, part="target", cpu_percent=percent)
        for second, percent in ((1.2, 10.0), (2.2, 40.0), (3.2, None), (4.2, 60.0), (5.2, 90.0))
    ),
    Reading(second=2.2, part="load", cpu_percent=7.0),
]


def test_values(golden):
    golden.values()
