"""The default grid: sizes, knobs, and what each candidate holds of a database."""

import pytest

from benchsuite.core.specs import DatabaseSpec
from benchsuite.servers.granian import GranianWsgi
from benchsuite.servers.gunicorn import GunicornGevent, GunicornGthread, GunicornSync
from benchsuite.servers.launched import Waitress
from benchsuite.servers.uvicorn import Uvicorn
from benchsuite.servers.uwsgi import Uwsgi
from benchsuite.tuning.candidates import grid
from benchsuite.tuning.trial import Candidate, Probe

WAITS = Probe(response_s=0.040, cpu_s=0.010, goodput=90.0, memory_bytes=None)
"""Four requests under way keep one CPU busy."""


def of(server, cpus=1, **database) -> list[Candidate]:
    return grid({server.name: server}, WAITS, cpus, DatabaseSpec(**database))


def test_threads_are_what_keeps_all_cpus_busy_and_multiples_of_it() -> None:
    sizes = {(one.processes, one.threads) for one in of(GunicornGthread)}
    assert sizes == {(1, 4), (1, 8), (1, 16), (2, 2), (2, 4), (2, 8)}


def test_a_server_without_threads_gets_more_processes() -> None:
    assert [one.processes for one in of(GunicornSync, cpus=2)] == [2, 3, 5, 8, 16]


def test_a_server_of_one_process_has_one() -> None:
    assert {one.processes for one in of(Waitress, cpus=4)} == {1}


def test_knobs_are_set_to_what_the_page_and_the_size_ask_for() -> None:
    gthread = {one.options for one in of(GunicornGthread) if (one.processes, one.threads) == (2, 8)}
    assert gthread == {(), (("connections", 8),)}
    assert {(one.processes, one.options) for one in of(GunicornGevent)} == {
        (1, (("connections", 4),)),
        (1, (("connections", 100),)),
        (2, (("connections", 2),)),
        (2, (("connections", 100),)),
    }
    assert {one.options for one in of(Uwsgi)} == {(("buffer_bytes", 65_536),)}
    assert {one.options for one in of(GranianWsgi)} == {(("backpressure", 1000),)}


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
