"""The default grid: sizes, knobs, and what each candidate holds of a database."""

from benchsuite.core.specs import DatabaseSpec
from benchsuite.servers.gunicorn import GunicornGthread, GunicornSync
from benchsuite.servers.launched import Waitress
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


def test_a_page_that_waits_for_long_has_as_many_threads_as_a_server_can_have() -> None:
    """What needed more was left out without a word: Waitress on many CPUs, here all of them."""
    slow = Probe(response_s=30.0, cpu_s=0.010, goodput=4.0, memory_bytes=None)
    sizes = grid({"waitress": Waitress, "gunicorn-gthread": GunicornGthread}, slow, cpus=2)
    assert {(one.processes, one.threads) for one in sizes} == {(p, 1024) for p in (1, 2, 3, 4)}
    assert [one.processes for one in of(GunicornSync, cpus=64)] == [64, 65, 129, 256]
