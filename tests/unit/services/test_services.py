"""Services of a run's own: what they are told, and what to do when they do not start."""

from pathlib import Path

from benchsuite.core.exceptions import StartError
from benchsuite.services.api_program import Api
from benchsuite.services.postgres import PostgreSQL
from benchsuite.services.redis import CONFIGURATION, Redis


def test_without_a_stall_each_call_takes_its_own_time():
    assert Api(0.0, 0.0, 0.0).due(5.0, 0.2) == 5.2
    assert Api(0.0, 10.0, 2.0).due(11.0, 0.2) == 11.2, "the load has not begun yet"


def test_a_stall_holds_back_what_is_due_in_it_and_what_comes_in_it():
    api = Api(0.0, 10.0, 2.0, begun_at=100.0)
    moments = {(109.0, 0.5): 109.5, (109.8, 0.5): 112.0, (111.0, 0.5): 112.5, (112.0, 0.5): 112.5}
    assert {call: api.due(*call) for call in moments} == moments
    assert api.due(109.0, 5.0) == 114.0, "a call that is under way throughout is not held back"


def test_the_share_of_failures_is_exact():
    for share, failed in ((0.0, 0), (0.05, 50), (1 / 3, 333), (1.0, 1000)):
        api = Api(share, 0.0, 0.0)
        assert sum(api.fails() for _ in range(1000)) in (failed, failed + 1)


INITDB = "initdb: creating directory pg ... ok\n"
CHOOSING = "selecting dynamic shared memory implementation ... posix\n"


def test_the_cause_is_told_from_what_is_only_named(golden):
    def case(log):
        service = PostgreSQL(folder=Path("pg"), marker="m", env={})
        return service.advised(StartError("initdb failed", INITDB + log)).what

    golden.cases(case)


def configured(port: int, by: str) -> list[str]:
    service = Redis(folder=Path("here"), marker="m", env={}, port=port, by=by)
    return service.config_files()[CONFIGURATION].splitlines()


def test_it_listens_on_a_port_and_on_a_socket_where_it_runs():
    by_port, by_socket = configured(6400, "tcp"), configured(6401, "unix")
    assert by_port[:2] == ["port 6400", "bind 127.0.0.1"]
    assert not [line for line in by_port if "socket" in line]
    assert by_socket[:2] == ["port 6401", "bind 127.0.0.1"]
    assert by_socket[2:4] == ["unixsocket redis.sock", "unixsocketperm 777"]
    assert not [line for line in by_port + by_socket if "/" in line]
