"""Connections and messages on the command line, and the sentences for nonsense."""

import argparse
import resource
from typing import Any

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.management.options import run as run_options
from benchsuite.management.options.table import add_to
from benchsuite.report.terminal.plan import line
from benchsuite.runner import planning, preflight
from tests.golden import Golden


def specs(*words: str) -> tuple[RunSpec, ...]:
    parser = argparse.ArgumentParser()
    add_to(parser, run_options.EVERY)
    options: dict[str, Any] = vars(parser.parse_args(words))
    return run_options.specs(options)


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


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["--connections=5"],
            "--connections counts WebSockets or streams, and the figures of plain are",
        ),
        (
            ["--workload=ws_echo", "--connections=5", "--users=6"],
            "--connections=5 and --users=6 mean the same here: leave one of them out.",
        ),
        (
            ["--workload=ws_echo", "--connections=5", "--rate=9", "--max-in-flight=5"],
            "--connections=5 and --max-in-flight=5 mean the same here",
        ),
        (
            ["--workload=ws_echo", "--connections=5", "--stages=1:2x3s"],
            "--stages names the levels, and --connections too",
        ),
        (
            ["--workload=ws_echo", "--workload-option=subprotocol=chat v2"],
            "must be names separated by commas, without blanks",
        ),
        (["--workload=plain", "--messages=5"], "--messages belongs to ws_echo"),
        (
            ["--workload=ws_echo", "--messages=5", "--workload-option=messages=6"],
            "are both given",
        ),
        (["--workload=ws_echo", "--messages=5", "--rate=9"], "remove one of them"),
        (["--workload=ws_idle", "--rate=9"], "Idle connections have no rate"),
        (["--workload=ws_idle", "--no-keep-alive"], "Idle connections are kept"),
        (["--workload=ws_broadcast", "--no-keep-alive"], "Subscribers keep their connection"),
        (["--workload=ws_echo", "--workload-option=size=23"], "must be from 24 (for numbers and"),
        (["--workload=ws_broadcast", "--workload-option=size=55"], "must be from 56"),
        (
            ["--workload=ws_broadcast", "--workload-option=publishers=0"],
            "publishers must be at least 1",
        ),
        (["--workload=ws_idle", "--workload-option=steps=0"], "steps must be at least 1"),
        (
            ["--workload=ws_idle", "--workload-option=ping_s=-1"],
            "ping_s must be at least 0",
        ),
        (
            ["--workload=ws_echo", "--path=/mine/", "--workload-option=layer=1"],
            "layer choose among benchsuite's consumers",
        ),
        (["--workload=ws_echo", "--path=mine"], "must begin with one slash"),
        (
            ["--workload=ws_echo", "--server=gunicorn-sync"],
            "The workload ws_echo speaks WebSocket, and gunicorn-sync does not; there are: ",
        ),
    ],
)
def test_nonsense_is_told_before_the_first_run(words: list[str], sentence: str) -> None:
    server = [] if any("--server" in word for word in words) else ["--server=uvicorn"]
    with pytest.raises(UsageError) as raised:
        checked(*server, *words)
    assert sentence in str(raised.value)


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


@pytest.mark.parametrize(
    ("options", "path"),
    [
        ({}, "/bench/ws/echo/"),
        ({"sync": "yes"}, "/bench/ws/echo_sync/"),
        ({"layer": "yes"}, "/bench/ws/echo_layer/"),
        ({"layer": "yes", "sync": "yes"}, "/bench/ws/echo_layer_sync/"),
    ],
)
def test_layer_and_sync_choose_the_consumer(options: dict[str, str], path: str) -> None:
    from benchsuite.workloads.websockets import WsEcho

    assert WsEcho(**options).path == path
    assert WsEcho(**options).needs_target_app


def test_values(golden: Golden) -> None:
    golden.values()
