"""Connections and messages on the command line, and the sentences for nonsense."""

import resource

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.report.terminal.plan import line
from benchsuite.runner import planning, preflight
from tests.golden import Golden
from tests.unit.management.options.test_run import specs


def checked(*words: str) -> RunSpec:
    (run,) = specs(*words)
    preflight.check(planning.resolve(run))
    return run


def test_connections_are_the_users_of_a_websocket_workload() -> None:
    run = checked("--server=daphne", "--workload=ws_echo", "--connections=100", "--messages=100")
    assert (run.load.users, run.load.model) == (100, "closed")
    assert run.workload.options == {"messages": 100}
    assert "ws_echo, 100 connections, " in line([planning.resolve(run)], 60)


def test_connections_are_streams_of_events_too() -> None:
    run = checked("--server=gunicorn-gthread", "--workload=sse", "--connections=7")
    assert run.load.users == 7
    assert "sse, 7 connections, " in line([planning.resolve(run)], 60)
    assert checked("--workload=sse", "--path=/e/").workload.options == {"path": "/e/"}


def test_at_a_rate_connections_are_what_it_goes_over() -> None:
    run = checked("--server=daphne", "--workload=ws_echo", "--connections=50", "--rate=200")
    assert (run.load.max_in_flight, run.load.arrival_rate) == (50, 200.0)
    assert "200 /s over 50 connections" in line([planning.resolve(run)], 60)


def test_more_connections_than_open_files_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda which: (1024, 2048))
    checked("--server=daphne", "--workload=ws_echo", "--connections=1700")
    checked("--server=uvicorn", "--users=1700")
    for words in (["--users=2000"], ["--rate=100", "--max-in-flight=2000"]):
        with pytest.raises(UsageError, match=r"need up to 2256 open files .*ulimit -n 2256 "):
            checked("--server=uvicorn", *words)
    with pytest.raises(UsageError, match="is limited to 2048; raise its hard limit"):
        checked("--server=daphne", "--workload=ws_echo", "--connections=2000")
    with pytest.raises(UsageError, match="1700 connections need up to 3656 open files"):
        preflight.check(
            planning.resolve(
                RunSpec(
                    server=ServerSpec(server="daphne", front="nginx", instances=2),
                    workload=WorkloadSpec(workload="ws_echo"),
                    load=LoadProfile(users=1700),
                )
            )
        )


def test_values(golden: Golden) -> None:
    golden.values()
