"""Figures from the telemetry of one part."""

from collections.abc import Iterable

from benchsuite.results import Reading

HALF_S = 0.5
"""Half of the second that a reading tells of, which ends with it."""


def mean_cpu_percent(
    readings: Iterable[Reading], part: str, window: tuple[float, float] | None
) -> float | None:
    """Mean CPU share of a part over the seconds that lie in the window, by their greater part; None
    when none was read there.
    """
    if window is None:
        return None
    begin, end = window
    shares = [
        one.cpu_percent
        for one in readings
        if one.part == part and one.cpu_percent is not None and begin <= one.second - HALF_S < end
    ]
    return sum(shares) / len(shares) if shares else None


def most_memory_bytes(readings: Iterable[Reading], part: str, until_s: float) -> int | None:
    """The most memory that a part had in any second until then; None when none was read."""
    return max(
        (
            one.memory_bytes
            for one in readings
            if one.part == part and one.memory_bytes and one.second <= until_s
        ),
        default=None,
    )
