"""Figures from the telemetry of one part."""

from collections.abc import Iterable
from statistics import median

from benchsuite.core.results import Reading

TARGET, LOAD = "target", "load"  #: Parts whose CPUs are timed.
DATABASE = "database"
ACTIVE, LIMIT = "active", "limit"  #: Counts of a database: sessions at work, connections it gives.
WAITS_FOR = "waits for "  #: How counts of sessions at work begin that wait for something.
BUSIEST, RUN_DELAY = "busiest_process_percent", "run_delay_percent"
IDLE, MAJOR_FAULTS, MEMORY_WAIT = "idle_percent", "major_faults", "memory_wait_percent"
"""Counts of the target (`telemetry/devices.py`)."""
DATABASE_BESIDE = "database_beside_percent"  #: Of databases that the run has not started.
OTHERS, STOLEN = "others_percent", "stolen_percent"
"""Counts of the target, of the second before: what other programs had of all CPUs, and what was
stolen of them (`telemetry/host.py`)."""
HALF_S = 0.5  #: Half of the second that ends with a reading.
Window = tuple[float, float] | None


def mean_cpu_percent(readings: Iterable[Reading], part: str, window: Window) -> float | None:
    """Mean CPU share of a part over the seconds that lie mostly in the window; None without any."""
    inside = in_window(readings, part, window)
    shares = [one.cpu_percent for one in inside if one.cpu_percent is not None]
    return sum(shares) / len(shares) if shares else None


def work_s(readings: Iterable[Reading], part: str, window: Window) -> list[float]:
    """Time of the fixed piece of work in each of these seconds."""
    return [one.work_s for one in in_window(readings, part, window) if one.work_s is not None]


def median_work_s(readings: Iterable[Reading], part: str, window: Window) -> float | None:
    """Their median, which a second in which something else used the CPU does not move."""
    seconds = work_s(readings, part, window)
    return median(seconds) if seconds else None


def memory(readings: Iterable[Reading], part: str, window: Window) -> list[tuple[float, int]]:
    """(second, bytes) of each reading in the window that has the part's memory."""
    inside = in_window(readings, part, window)
    return [(one.second, one.memory_bytes) for one in inside if one.memory_bytes]


def most_sessions(readings: Iterable[Reading]) -> int | None:
    """Most that the database had at a time, in any state; None where none could be asked."""
    counts = [one.counts.items() for one in readings if one.part == DATABASE and one.counts]
    sessions = (
        sum(n for name, n in one if name != LIMIT and not name.startswith(WAITS_FOR))
        for one in counts
    )
    return max(sessions, default=None)


def in_window(readings: Iterable[Reading], part: str, window: Window) -> list[Reading]:
    """The readings of a part over the seconds that lie mostly in the window."""
    if window is None:
        return []
    begin, end = window
    return [one for one in readings if one.part == part and begin <= one.second - HALF_S < end]
