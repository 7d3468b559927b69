"""The default grid: sizes, knobs, and what each candidate holds of a database."""

from benchsuite.core.specs import DatabaseSpec
from benchsuite.tuning.candidates import grid
from benchsuite.tuning.trial import Candidate, Probe

WAITS = Probe(response_s=0.040, cpu_s=0.010, goodput=90.0, memory_bytes=None)
"""Four requests under way keep one CPU busy."""


def of(server, cpus=1, **database) -> list[Candidate]:
    return grid({server.name: server}, WAITS, cpus, DatabaseSpec(**database))


def connections(server, **database) -> dict[int | None, int | None]:
    """Of one process, by its threads: how many it can hold."""
    return {one.threads: one.connections for one in of(server, **database) if one.processes == 1}


def test_values(golden):
    golden.values()
