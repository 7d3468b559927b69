"""Runs with something around the server, and runs whose programs or terminal end meanwhile."""

import json
import os
import signal
import sqlite3
import subprocess
import time
import uuid
from contextlib import closing
from operator import attrgetter
from pydoc import locate

import pytest
from django.test import Client

from benchsuite.core.exceptions import StatusError
from benchsuite.core.results import Status
from benchsuite.services.api import Api
from benchsuite.workloads.pages import Upstream, UpstreamAsync
from tests.integration.command import SHORT, measured, wait_for
from tests.integration.left_behind import below
from tests.integration.runs import made, page
from tests.needs import audited, needs


def parts(one):
    return [program["part"] for program in one["programs"]]


def watched(command):
    """The parts of which telemetry has CPU or memory."""
    query = "SELECT DISTINCT part FROM benchsuite_reading WHERE memory_bytes > 0"
    return {part for (part,) in stored(command, query)}


def stored(command, query):
    with closing(sqlite3.connect(command.folder / "results.sqlite3")) as connection:
        return connection.execute(query).fetchall()


@needs("nginx", "haproxy")
@pytest.mark.parametrize("front", audited(["nginx", "haproxy"], "nginx"))
def test_instances_behind_a_front(command, front):
    one = measured(command, f"--server=gunicorn-sync --front={front} --instances=2 --duration=1")
    assert one["failures"] == 0
    assert one["requests"] > 10
    assert parts(one) == ["target", "target", "front"]
    first, second, proxy = one["programs"]
    assert proxy["version"]
    bound = {*first["argv"]} ^ {*second["argv"]}
    assert len(bound) == 2, "each instance has an address of its own"
    assert {"target", "front", "load"} <= watched(command)


@pytest.mark.parametrize(
    "database",
    [
        pytest.param("postgresql", marks=needs("postgresql", "psycopg")),
        pytest.param("mariadb", marks=[needs("mariadb", "mysqlclient"), pytest.mark.audit]),
    ],
)
def test_a_database_of_the_run_s_own_with_a_delay_before_it(command, database):
    """A sync view on a fresh connection makes several round trips, each late by 20 ms."""
    one = measured(
        command,
        f"--server=gunicorn-sync --database={database} --max-connections=20 "
        "--workload=io_read --rows=100 --conn-max-age=0 --delay-to-database=20ms",
    )
    assert one["failures"] == 0
    assert one["response_time"]["mean_s"] > 0.06, "two queries and the connection before them"
    assert set(parts(one)) == {"database", "target", "delay"}
    (proxy,) = one["delay"]["proxies"].values()
    assert proxy["delay_s"] == 0.02
    assert "reached through 127.0.0.1:" in one["settings_changed"]["DATABASES"]
    assert {"database", "delay"} <= watched(command)


@needs("postgresql", "psycopg", "granian")
def test_each_change_of_a_locked_row_is_stored(command):
    one = measured(
        command,
        "--server=granian-asgi --workload=io_lock_async --workload-option=among=1 "
        "--database=postgresql --rows=20",
    )
    assert (one["requests"] > 5, one["failures"]) == (True, 0)
    assert not [one for one in one["findings"] if one["code"].startswith(("B208", "B214"))]


def test_a_file_can_not_be_reached_late(command):
    words = ("--workload=io_read", "--rows=20", "--delay-to-database=20ms")
    ended = command.run("runbench", *SHORT, "--json=-", *words)
    (one,) = json.loads(ended.out)
    assert one["status"] == "failed"
    assert "add --database=postgresql" in one["failure"]


LOAD = ("--users=2", "--warmup=0", "--duration=60", "--timeout=5")
KILLED = {
    "benchsuite.load.process.worker": "The load process was ended by SIGKILL (out of memory?)",
    "postgres": "PostgreSQL was ended by SIGKILL (out of memory?) while it was being measured",
}


@needs("postgresql", "psycopg")
@pytest.mark.parametrize("word", audited(KILLED, "postgres"))
def test_when_a_program_is_killed_the_run_says_so(word, command):
    with command.start(
        "runbench", "--server=uvicorn", "--database=postgresql", "--no-fsync", *LOAD
    ) as process:
        wait_for("the load", lambda: spooled(command.temporary) > 100_000, 60)
        victim_of(process.pid, word).send_signal(signal.SIGKILL)
        ended = command.wait(process)
    assert ended.status == 1
    assert KILLED[word] in ended.err
    assert "Traceback" not in ended.err.partition("its log ends with")[0]
    query = "SELECT status, failure, requests, goodput FROM benchsuite_run"
    ((status, failure, requests, goodput),) = stored(command, query)
    assert status == "failed"
    assert failure.startswith(KILLED[word])
    if word == "postgres":  # what was measured up to then is kept
        assert "goodput" in ended.out, "the table"
        assert requests > 1000
        assert goodput > 0
    else:
        assert (requests, goodput) == (None, None)


def spooled(folder):
    """Bytes of samples; 40 each."""
    return sum(path.stat().st_size for path in folder.glob("benchsuite-*/*/load-0/samples*"))


def victim_of(parent, word):
    """The first of a process's children that has this word in its command line."""
    children = below(parent, word)
    assert children, f"no child of {parent} has {word} in its command line"
    return children[0]


@pytest.mark.parametrize(
    ("nohup", "status", "state"), [(False, 130, "interrupted"), (True, 0, "finished")]
)
def test_a_closed_terminal_ends_a_run_in_order_and_with_nohup_it_goes_on(
    command, *, nohup, status, state
):
    command.env["PYTHONIOENCODING"] = "ascii"
    states, reader = "SELECT status FROM benchsuite_run", os.pipe()
    words = ["nohup"] * nohup + [*command.program, "runbench"]
    words += ["--server=uvicorn", "--users=2", "--warmup=0", "--duration=3", "--timeout=5"]
    pipes = {"stdout": reader[1], "stderr": subprocess.DEVNULL}
    with subprocess.Popen(words, cwd=command.directory, env=command.env, **pipes) as process:
        os.close(reader[1])
        wait_for("a run under way", lambda: stored(command, states) == [("running",)])
        wait_for("its load", lambda: b"ready in" in os.read(reader[0], 65536))
        os.close(reader[0])  # nobody reads any more, as of a terminal that is gone
        process.send_signal(signal.SIGHUP)
        assert process.wait(60) == status
    assert stored(command, states) == [(state,)]


STALL_S = 1.0


@pytest.fixture
def api(tmp_path, monkeypatch):
    from benchsuite.target import upstream

    folder = tmp_path / "api"
    folder.mkdir()
    options = {"failures": 0.25, "stall_at_s": 0.3, "stall_s": STALL_S}
    with Api(folder=folder, marker=uuid.uuid4().hex, env=dict(os.environ), options=options) as one:
        monkeypatch.setattr(upstream, "URL", one.url)
        monkeypatch.setenv("BENCHSUITE_RUN", "a-run")
        yield one


@pytest.mark.alone
@needs("httpx")
@pytest.mark.urls("testproject.urls_target")
@pytest.mark.parametrize("workload", [Upstream, UpstreamAsync])
def test_the_views_ask_at_once_or_one_after_another(workload, api):
    """Of each four calls the last one fails, and the page with it."""
    begin = time.monotonic()
    workload(calls="0.4,0.2,0.3").journey(Client())
    at_once_s = time.monotonic() - begin
    with pytest.raises(StatusError, match="502"):
        workload(calls="0.01").journey(Client())
    begin = time.monotonic()
    workload(calls="0.4,0.2,0.3", at_once=False).journey(Client())
    assert at_once_s < 0.9 <= time.monotonic() - begin


@pytest.mark.alone
@needs("httpx")
@pytest.mark.urls("testproject.urls_target")
def test_a_stall_begins_when_the_load_has_gone_on_for_so_long(api):
    work = Upstream(calls="0")
    work.journey(Client())
    begin = time.monotonic()
    api.begun(begin)
    work.journey(Client())
    assert time.monotonic() - begin < STALL_S
    time.sleep(max(0.0, begin + 0.35 - time.monotonic()))
    work.journey(Client())
    assert 0.3 + STALL_S <= time.monotonic() - begin < 2 * STALL_S + 1


@needs("gunicorn", "httpx")
def test_a_run_brings_its_api(command):
    """On a server of threads, three of which wait for each request."""
    one = measured(
        command,
        "--server=gunicorn-gthread --workload=upstream --workload-option=calls=0.05,0.1,0.2",
    )
    assert one["failures"] == 0
    assert one["response_time"]["min_s"] >= 0.2
    assert (one["programs"][0]["part"], one["programs"][0]["name"]) == ("api", "The API")
    assert not [it for it in one["findings"] if it["code"].startswith(("B201", "B214"))]


@pytest.mark.alone
@needs("uvicorn", "httpx")
def test_pages_that_do_not_ask_a_stalling_api_are_answered_all_the_time(command):
    shares = "1 upstream_async calls=0.05,0.1 stall_at_s=1 stall_s=1 + 1 plain_async"
    one = measured(
        command,
        "--server=uvicorn --workload=mixed",
        f"--workload-option=shares={shares}",
        "--think-time=0.02",
        "--duration=3",
    )
    longest = {part["name"]: part["response_time"]["max_s"] for part in one["populations"]}
    assert longest["1 user of upstream_async"] >= 0.9
    assert longest["1 user of plain_async"] < 0.5
    assert one["failures"] == 0


@pytest.mark.parametrize(
    "place",
    [
        "benchsuite.runner.record.RunRecord.load_ended",
        "benchsuite.load.parent.driver.LoadPool.samples",
        "benchsuite.system.fingerprint.fingerprint",
    ],
)
def test_ctrl_c_when_the_load_is_over_keeps_what_it_measured(monkeypatch, place):
    owner, _, name = place.rpartition(".")
    act = attrgetter(name)(locate(owner))

    def pressed(*given):
        signal.raise_signal(signal.SIGINT)
        return act(*given)

    monkeypatch.setattr(place, pressed)
    (result,) = made("testproject.settings.target", page("/bench/plain/", duration_s=0.5))
    assert result.status is Status.INTERRUPTED
    assert result.total is not None
    assert result.total.requests > 0
