"""`checkbench` as people use it, the null responder and what the load generator makes of it."""

import http.client
import os
import socket
from contextlib import closing, suppress
from functools import partial

import pytest
from django.core.management import CommandError, call_command

from benchsuite.load.parent import ceiling
from benchsuite.load.parent.ceiling import ceilings, responder
from benchsuite.management.commands import checkbench
from benchsuite.models import Calibration
from benchsuite.system import lock
from tests.integration.command import wait_for
from tests.integration.left_behind import below, eventually


def test_the_machine_is_shown_with_what_to_do(command):
    ended = command.run("checkbench", "-v2")
    lines = [line.split() for line in ended.out.splitlines() if line.strip()]
    shapes = {line[0]: line[1] for line in lines if line[0] in "●◐○"}
    assert shapes.items() <= {"●": "ok", "◐": "doubtful", "○": "bad"}.items()
    names = ("other programs", "steal", "lost time", "CPUs", "open files", "ports", "clock source")
    assert [name for name in names if name not in ended.out] == []
    bad = "○" in shapes
    assert ended.status == (1 if bad else 0)
    assert ("doubtful as it is" in ended.err) == bad

    ended = command.run("checkbench", "--strict")
    assert ended.status == (1 if "◐" in ended.out or "○" in ended.out else 0)


@pytest.fixture(autouse=True)
def one_try(monkeypatch):
    monkeypatch.setattr(ceiling, "TRIES", 1)


@pytest.mark.django_db
@pytest.mark.audit
def test_calibrating_keeps_a_ceiling_for_each_load(monkeypatch, capsys):
    """Of fewer users and in shorter loads than a command by itself has."""
    monkeypatch.setattr(lock, "NAME", f"benchsuite-test-{os.getpid()}")
    monkeypatch.setattr(ceiling, "WARMUP_S", 0.2)
    monkeypatch.setattr(checkbench, "ceilings", partial(ceiling.ceilings, users=(1, 3)))
    with suppress(CommandError):  # the machine may be doubtful
        call_command("checkbench", "--calibrate", "--duration=500ms")
    assert "one connection each" in capsys.readouterr().out
    fields = ("keep_alive", "users", "model", "processes", "throughput")
    kept = list(Calibration.objects.order_by("id").values_list(*fields))
    assert [row[:4] for row in kept] == [
        (kept, users, model, 1)
        for kept in (True, False)
        for users in (1, 3)
        for model in ("closed", "open")
    ]
    assert all(row[4] > 50 for row in kept)


def test_a_killed_calibration_leaves_nothing(command):
    with command.start("checkbench", "--calibrate", "--load-processes=2", "--duration=5") as bench:
        wait_for("both responders", lambda: len(below(bench.pid, "null.py")) == 2)
        both = below(bench.pid, "null.py")
        bench.kill()
        bench.communicate()
    assert eventually(lambda: not any(process.is_running() for process in both))
    assert eventually(lambda: command.left_in_temporary_folder() == [])


def test_it_answers_whatever_it_is_asked(tmp_path):
    with responder(tmp_path) as null:
        port = int(null.base_url.rpartition(":")[2])
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
            for path in ("/", "/anything/?at=all"):
                connection.request("GET", path)
                answer = connection.getresponse()
                assert (answer.status, answer.read()) == (200, b"OK")
                assert answer.getheader("X-Benchsuite-Run") == null.token
            connection.request("GET", "/", headers={"Connection": "close"})
            answer = connection.getresponse()
            assert (answer.read(), answer.getheader("Connection")) == (b"OK", "close")


def test_it_waits_for_a_whole_head_and_outlives_whoever_goes_away(tmp_path):
    with responder(tmp_path) as null:
        port = int(null.base_url.rpartition(":")[2])
        for _ in range(3):
            socket.create_connection(("127.0.0.1", port)).close()
        with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost")
            connection.settimeout(0.2)
            with pytest.raises(TimeoutError):
                connection.recv(1)
            connection.settimeout(5)
            connection.sendall(b": here\r\n\r\n")
            assert connection.recv(1000).endswith(b"\r\n\r\nOK")


def test_each_process_of_the_responder_answers(tmp_path):
    with responder(tmp_path, processes=2) as null:
        port = int(null.base_url.rpartition(":")[2])
        assert len(null.process.living()) == 2
        for _ in range(20):
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
                connection.request("GET", "/")
                assert connection.getresponse().read() == b"OK"


@pytest.mark.alone
def test_ceilings_of_both_models_with_kept_and_closed_connections():
    kept, kept_open, closed, closed_open = ceilings(seconds=0.5, users=(3,))
    made = [(one.model, one.keep_alive) for one in (kept, kept_open, closed, closed_open)]
    assert made == [(model, keep) for keep in (True, False) for model in ("closed", "open")]
    for one in (kept, kept_open, closed, closed_open):
        assert (one.users, one.processes) == (3, 1)
        assert one.throughput > 50
        for percent in (one.load_cpu_percent, one.responder_cpu_percent):
            assert 0 < percent < 130
    assert kept.throughput > closed.throughput


@pytest.mark.audit
def test_several_load_processes_share_the_users():
    """One user can't be shared by two processes, so there is no ceiling for it."""
    kept, kept_open, *_ = found = list(ceilings(seconds=0.5, users=(1, 4), processes=2))
    assert [one.users for one in found] == [4] * 4
    assert {one.processes for one in found} == {2}
    assert min(kept.throughput, kept_open.throughput) > 50
