"""The default grid: sizes, knobs, and what each candidate holds of a database."""

import pytest

from benchsuite.core.specs import DatabaseSpec
from benchsuite.servers.gunicorn import GunicornGevent, GunicornGthread
from benchsuite.servers.uvicorn import Uvicorn
from benchsuite.tuning.candidates import grid
from benchsuite.tuning.trial import Candidate, Probe

WAITS = Probe(response_s=0.040, cpu_s=0.010, goodput=90.0, memory_bytes=None)
"""Four requests under way keep one CPU busy."""


def of(server, cpus=1, **database) -> list[Candidate]:
    return grid({server.name: server}, WAITS, cpus, DatabaseSpec(**database))


@pytest.mark.parametrize(
    ("server", "database", "each"),
    [
        (GunicornGthread, {}, {one: one for one in (4, 8, 16)}),
        (GunicornGthread, {"conn_max_age_s": 60.0}, {one: one for one in (4, 8, 16)}),
        (GunicornGthread, {"pool": 5}, dict.fromkeys((4, 8, 16), 5)),
        (GunicornGevent, {}, {None: 4}),
        (Uvicorn, {}, {None: None}),
        (Uvicorn, {"pool": 5}, {None: 5}),
    ],
)
def test_a_candidate_says_how_many_connections_it_can_hold(server, database, each) -> None:
    first: dict[int | None, int | None] = {}
    for one in of(server, **database):
        if one.processes == 1:
            first.setdefault(one.threads, one.connections)
    assert first == each


def test_values(golden):
    golden.values()
