"""`runbench` as people use it: real servers, real load, and everything that can go wrong."""

import json
import os
import signal
import socket
import sqlite3
import time
from contextlib import closing
from datetime import datetime

import pytest

from benchsuite import conf
from benchsuite.servers import BUILTIN
from tests.integration.command import SHORT, Command, measured, wait_for
from tests.needs import audited, needs


def rows(command, columns="status, failure, goodput"):
    """Stored runs, oldest first."""
    with closing(sqlite3.connect(command.folder / "results.sqlite3")) as connection:
        query = f"SELECT {columns} FROM benchsuite_run ORDER BY started_at"
        return connection.execute(query).fetchall()


UNDER_CIRCUS = ("circus-daphne", "circus-chaussette-gevent")
"""A run knows no difference between the others of that family."""
MAKES_RUNS = [
    name
    for name in BUILTIN
    if name in UNDER_CIRCUS
    or (not name.startswith("circus-") and conf.server_class(name).available().ok)
]
PARTS = 5
"""Each is one command, which makes the databases once. All serve in test_servers each time."""


@pytest.mark.parametrize("part", audited(range(PARTS), 0))
def test_every_server_makes_a_run(command, part):
    """With a database: what patches threads for greenlets shows there whether it did it in time."""
    servers = MAKES_RUNS[part::PARTS]
    words = (f"--server={','.join(servers)}", "--workload=io_read", "--rows=100")
    ended = command.run("runbench", "--json=-", *SHORT, *words, limit_s=300, status=0)
    made = json.loads(ended.out)
    assert sorted(one["server"] for one in made) == sorted(servers)
    for one in made:
        told = one["server"], one["failures_by_kind"]
        assert one["workload"] == "io_read"
        assert one["failures"] == 0, told
        assert one["requests"] > 5, told
        assert one["goodput"] == one["throughput"] > 0, told
        times = one["response_time"]
        shown = [times[name] for name in ("p50_s", "p75_s", "p90_s", "max_s")]
        known = [value for value in shown if value is not None]  # few answers carry no p90
        assert known[0] > 0, told
        assert known == sorted(known), told
        assert len(known) >= 2, told
        assert one["server_version"] or one["server"] == "runserver"
        assert one["startup_s"] > 0
        assert one["memory_bytes"] > 5_000_000, told


def test_json_has_every_promised_field_and_null_for_what_is_missing(command):
    one = measured(command, "--server=gunicorn-sync --label=here --workload=bench_app")
    promised = (
        "id label workload server server_version argv python_version processes threads model users "
        "duration_s startup_s requests failures throughput goodput response_time service_time "
        "cpu_percent memory_bytes verdict findings environment url ended_at"
    )
    assert set(promised.split()) <= set(one)
    assert (one["label"], one["processes"], one["model"]) == ("here", 1, "closed")
    assert set(one["response_time"]) >= {
        f"{name}_s" for name in ["mean", "p50", "p75", "p90", "p95", "p99", "max"]
    }
    assert one["response_time"]["p99_s"] is None, "some twenty samples can't carry a p99"
    assert all({"code", "message", "hint"} <= set(finding) for finding in one["findings"])
    assert one["url"].endswith(f"{one['id']}/")
    begun, ended = (datetime.fromisoformat(one[name]) for name in ("started_at", "ended_at"))
    assert (ended - begun).total_seconds() > one["warmup_s"] + one["duration_s"] + one["startup_s"]


@pytest.mark.audit
def test_cpu_takes_as_long_as_it_should_in_all_repetitions(command, tmp_path, monkeypatch):
    monkeypatch.setitem(command.env, "BENCHSUITE_CACHE", str(tmp_path))
    words = ("--server=gunicorn-sync", "--workload=cpu", "--workload-option=seconds=0.02")
    ended = command.run("runbench", "--json=-", *SHORT, *words, "--repeat=2", status=0)
    runs = json.loads(ended.out)
    assert [one["failures"] for one in runs] == [0, 0]
    assert len({one["settings_changed"]["(option size)"] for one in runs}) == 1
    assert {str(one["spec"]["workload"]["options"]) for one in runs} == {"{'seconds': '0.02'}"}
    assert len(list((tmp_path / "calibrations").iterdir())) == 1
    assert min(one["response_time"]["min_s"] for one in runs) > 0.01


@needs("gunicorn", "gevent")
def test_an_application_without_django_is_served_in_place_of_the_project(command):
    """bench_app as in 2012, in the version whose threads must let gevent's greenlets run."""
    named = "benchsuite.target.bare:application"
    words = ("--workload=bench_app", "--workload-option=version=2")
    one = measured(command, f"--server=gunicorn-gevent --application={named}", *words)
    assert (one["requests"] > 5, one["failures"]) == (True, 0)
    assert one["response_time"]["min_s"] >= 0.075
    assert one["spec"]["server"]["application"] == named


@needs("uvicorn")
def test_the_pages_without_django_are_served_by_an_event_loop_too(command):
    named = "benchsuite.target.bare:asgi_application"
    words = ("--workload=echo", "--twin=async")
    one = measured(command, f"--server=uvicorn --application={named}", *words)
    assert (one["requests"] > 5, one["failures"]) == (True, 0)


def test_several_servers_are_interleaved_and_shown_in_a_table(command):
    words = ("--server=waitress,gunicorn-gthread", "--repeat=2")
    ended = command.run("runbench", *SHORT, *words, status=0)
    assert "2 servers × 2 repeats" in ended.out
    table = ended.out[ended.out.index("goodput") :]
    assert all(f" {server} " in table for server in ("waitress", "gunicorn-gthread"))
    assert "/results/compare/?batch=" in table
    assert "\x1b" not in ended.out, "not a terminal: no control characters"
    lines = ended.out.splitlines()
    assert [line for line in lines if line != line.rstrip()] == [], "nor padding"
    columns = "server runs goodput p50 p95 p99 failed CPU memory verdict"
    assert columns in [" ".join(line.split()) for line in lines], "all of them in a pipe"
    stored = rows(command, "server, repetition, status, batch")
    assert [repetition for _, repetition, *_ in stored] == [1, 1, 2, 2]
    assert {status for *_, status, _ in stored} == {"finished"}
    assert {server for server, *_ in stored[:2]} == {"waitress", "gunicorn-gthread"}
    assert len({batch for *_, batch in stored}) == 1


def test_again_repeats_a_stored_run(command):
    first = measured(command, "--server=waitress --threads=3 --no-keep-alive")
    ended = command.run("runbench", f"--again={first['id'][:8]}", "--json=-", status=0)
    (second,) = json.loads(ended.out)
    assert second["id"] != first["id"]
    assert (second["server"], second["threads"], second["users"]) == ("waitress", 3, 2)
    assert len({key for (key,) in rows(command, "key")}) == 1


def test_ctrl_c_keeps_what_was_measured(command):
    with command.start(
        "runbench", "--server=gunicorn-gthread", "--users=2", "--warmup=0", "--duration=60"
    ) as process:
        wait_for("a running server", lambda: says(process, "ready in"))
        time.sleep(2.5)
        process.send_signal(signal.SIGINT)
        ended = command.wait(process)
    assert ended.status == 130, ended.err
    assert "what was measured until then is stored" in ended.err
    ((status, failure, goodput),) = rows(command)
    assert (status, failure) == ("interrupted", "Interrupted.")
    assert goodput > 10


@pytest.mark.parametrize("wait_s", audited([0.0, 0.4, 0.8, 1.2, 1.6], 0.4, 1.2))
def test_ctrl_c_at_any_moment_ends_with_130_and_leaves_no_row_running(command, wait_s):
    with command.start("runbench", "--server=uvicorn", "--users=2", "--duration=30") as process:
        wait_for("the plan", lambda: says(process, "Plan"))
        time.sleep(wait_s)
        process.send_signal(signal.SIGINT)
        ended = command.wait(process)
    assert ended.status == 130, ended.err
    assert "Traceback" not in ended.err
    assert [status for status, *_ in rows(command) if status == "running"] == []


def test_a_killed_command_leaves_nothing_and_the_next_start_says_so(command):
    with command.start(
        "runbench", "--server=uvicorn", "--processes=2", "--users=2", "--duration=60"
    ) as process:
        wait_for("a running server", lambda: says(process, "ready in"))
        process.kill()
        command.wait(process)
    assert rows(command)[0][0] == "running"
    wait_for(
        "an empty temporary folder", lambda: command.left_in_temporary_folder() == [], limit_s=15
    )
    measured(command, "--server=waitress")
    assert [status for status, *_ in rows(command)] == ["interrupted", "finished"]


def test_what_was_measured_outlives_the_database_and_the_reader(command):
    """Of a real run: the database is gone at its end, and so is who read what it prints."""
    command.directory = command.folder
    results, aside = (command.folder / name for name in ("results.sqlite3", "aside.sqlite3"))
    with command.start("runbench", "--server=waitress", *SHORT, "--duration=3") as process:
        wait_for("a running server", lambda: says(process, "ready in"))
        results.rename(aside)
        process.stdout.close()
        said = process.stderr.read()
        assert process.wait(60) == 1
    results.unlink()  # SQLite makes an empty one of a name that is not there
    aside.rename(results)
    (file,) = command.folder.glob("benchsuite-*.json")
    assert "could not be stored (no such table: benchsuite_environment)" in said
    assert f"kept in {file}" in said
    assert "Traceback" not in said
    assert [status for status, *_ in rows(command)] == ["running"]
    assert command.run("loadbench", str(file)).out == f"{file}: 1 run loaded.\n"
    ((status, failure, goodput),) = rows(command)
    assert (status, failure) == ("finished", "")
    assert goodput > 10


def test_a_second_command_waits_for_the_first(command):
    words = ("runbench", "--server=waitress", "--users=1", "--warmup=0")
    with command.start(*words, "--duration=60") as first:
        wait_for("a running server", lambda: says(first, "ready in"))
        with command.start(*words, "--duration=0.5") as second:
            under_way = f"Another run is under way (process {first.pid}"
            wait_for("its turn", lambda: says(second, under_way))
            first.send_signal(signal.SIGINT)
            assert command.wait(first).status == 130
            assert command.wait(second).status == 0
    assert [status for status, *_ in rows(command)] == ["interrupted", "finished"]


VISITOR = """
from locust import HttpUser, task
class Visitor(HttpUser):
    @task
    def look(self):
        self.client.get('/bench/plain/', name='front')
"""


def test_a_locustfile_is_measured_by_our_clock(command, tmp_path):
    file = tmp_path / "locustfile.py"
    file.write_text(VISITOR)
    one = measured(command, f"--server=waitress --locustfile={file}")
    assert (one["workload"], one["failures"]) == ("locustfile", 0)
    assert one["requests"] > 10


def says(process, words):
    """Whether the next line of its output holds these words; lines are short and come at once."""
    line = process.stdout.readline()
    assert line, f"ended before it said {words!r}: {process.stderr and process.stderr.read()}"
    return words in line


def test_a_port_that_is_taken_is_named(command):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ended = command.run("runbench", "--server=waitress", f"--port={port}", *SHORT, status=1)
    assert f"Port {port} of 127.0.0.1 is taken" in ended.err
    assert f"process {os.getpid()}" in ended.err
    assert rows(command)[0][0] == "failed"


def test_an_application_that_is_not_there_is_told(command):
    words = ("--server=waitress", "--application=benchsuite.target:nothing", *SHORT)
    ended = command.run("runbench", *words, status=1)
    assert "nothing" in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("words", ["runbench --server=waitress", "checkbench --calibrate"])
def test_results_without_tables_ask_for_migrate(words, tmp_path):
    """Before anything is measured."""
    ended = Command(tmp_path).run(*words.split(), status=1)
    assert "python manage.py migrate" in ended.err
    assert "Traceback" not in ended.err
