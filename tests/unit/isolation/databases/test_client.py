"""What the parent makes of the keeper's answers, or of their absence."""

import io
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any, cast

import pytest

from benchsuite.core.exceptions import DatabaseError
from benchsuite.core.specs import KEEP, THROWAWAY, DatabaseSpec, WorkloadSpec
from benchsuite.isolation.databases import client as databases
from benchsuite.isolation.databases.client import Keeper, throwaway
from benchsuite.isolation.facts import Order
from benchsuite.isolation.instructions import Instructions


class Child:
    """A keeper's process that has ended or never says anything."""

    def __init__(self):
        self.stdin = io.BytesIO()

    def wait(self, timeout):
        if timeout < 0:
            raise subprocess.TimeoutExpired("keeper", timeout)
        return 1


@pytest.fixture
def pipe():
    ends = os.pipe()
    yield ends
    for end in ends:
        try:
            os.close(end)
        except OSError:
            continue


def keeper(answers, log, *, start_timeout_s=None):
    return Keeper(cast(Any, Child()), answers, log, 0, start_timeout_s)


def test_what_prepare_found_out_is_known_after_the_wait(pipe, tmp_path):
    os.write(pipe[1], b'{"number": 0, "settings_changed": {"DEBUG": "False"}, ')
    os.write(pipe[1], b'"facts": {"revision": "4f2c1a9b", "cookies": {"a": "b"}, ')
    os.write(pipe[1], b'"options": {"rows": 7}}}\n')
    one = keeper(pipe[0], tmp_path / "log")
    one.wait()
    one.wait()
    assert one.facts.revision == "4f2c1a9b"
    assert one.facts.cookies == {"a": "b"}
    assert one.settings_changed == {"DEBUG": "False"}
    asked = WorkloadSpec(workload="io_read", options={"rows": -1})
    assert one.facts.workload(asked) == WorkloadSpec(workload="io_read", options={"rows": 7})


def test_every_run_is_told_why_there_are_no_databases(pipe, tmp_path):
    answers(pipe, '{"number": 0, "failed": "There is no space left."}')
    one = keeper(pipe[0], tmp_path / "log")
    os.close(pipe[1])
    for _ in range(3):
        with pytest.raises(DatabaseError, match=r"^There is no space left\.$"):
            one.wait()
    with pytest.raises(DatabaseError, match="no space left"), one.clone("token"):
        raise AssertionError("there is nothing to copy")


def test_a_keeper_that_breaks_is_told_by_its_tracebacks_last_line(pipe, tmp_path):
    log = tmp_path / "log"
    log.write_text("Traceback (most recent call last):\n  File ...\nKeyError: 'shop'\nmore\n")
    os.close(pipe[1])
    with pytest.raises(DatabaseError, match=r"could not be made: KeyError: 'shop'$"):
        keeper(pipe[0], log).wait()


def test_a_keeper_that_says_nothing_is_given_up_when_that_was_said(pipe, tmp_path, monkeypatch):
    monkeypatch.setattr("benchsuite.isolation.databases.client.READY_S", 0.05)
    os.write(pipe[1], b'{"number": ')
    began = time.monotonic()
    with pytest.raises(DatabaseError, match="were not made within 0 s"):
        keeper(pipe[0], tmp_path / "log").wait()
    assert time.monotonic() - began >= 0.05
    with pytest.raises(DatabaseError, match=r"not made within 0 s; .* more time with --start-time"):
        keeper(pipe[0], tmp_path / "log", start_timeout_s=0.01).wait()


def test_an_answer_that_is_there_is_read_however_late(pipe, tmp_path, monkeypatch):
    monkeypatch.setattr("benchsuite.isolation.databases.client.READY_S", -1.0)
    answers(pipe, '{"number": 0, "facts": {"revision": "4f2c1a9b"}}')
    assert keeper(pipe[0], tmp_path / "log").facts.revision == "4f2c1a9b"


def answers(pipe, *lines):
    os.write(pipe[1], "".join(f"{line}\n" for line in lines).encode())


CLONED = '{"number": %d, "instructions": "/%d/told.json", "settings_changed": {}}'


def test_answers_that_nobody_waits_for_any_more_are_passed_over(pipe, tmp_path, monkeypatch):
    """One run gave up waiting for its copy, and the next must not be served on it."""
    answers(pipe, '{"number": 0}')
    one = keeper(pipe[0], tmp_path / "log")
    one.wait()
    monkeypatch.setattr("benchsuite.isolation.databases.client.CLONE_S", 0.01)
    with pytest.raises(DatabaseError, match="were not copied within 0 s"), one.clone("first"):
        raise AssertionError("it was never copied")
    monkeypatch.undo()
    answers(pipe, CLONED % (1, 1), CLONED % (2, 2), '{"number": 3}')
    with one.clone("second") as instructions:
        assert instructions == Path("/2/told.json")


def test_what_went_wrong_first_is_told_when_dropping_fails_too(pipe, tmp_path):
    failed = '{"number": 2, "failed": "The server is gone."}'
    answers(pipe, '{"number": 0}', CLONED % (1, 1), failed)
    with pytest.raises(KeyboardInterrupt), keeper(pipe[0], tmp_path / "log").clone("first"):
        raise KeyboardInterrupt
    answers(pipe, '{"number": 0}', CLONED % (1, 1), failed)
    with (
        pytest.raises(DatabaseError, match=r"^The server is gone\.$"),
        keeper(pipe[0], tmp_path / "log").clone("first"),
    ):
        pass


class Hung:
    """A keeper's process that ends only when it is killed."""

    def __init__(self):
        self.stdin = io.BytesIO()
        self.status: int | None = None

    def poll(self):
        return self.status

    def terminate(self):
        pass

    def kill(self):
        self.status = -9

    def wait(self, timeout=0):
        if self.status is None:
            raise subprocess.TimeoutExpired("keeper", timeout)
        return self.status


class Prompt(Hung):
    """One that ends as soon as it is asked."""

    def wait(self, timeout=0):
        self.status = 0
        return 0


def begun(children, folder, monkeypatch, use=THROWAWAY):
    """Databases of a command whose keepers are these, one after the other."""

    def start(*given):
        answers, theirs = os.pipe()
        os.write(theirs, b'{"number": 0}\n')
        os.close(theirs)
        return children.pop(0), answers

    monkeypatch.setattr(databases, "_start", start)
    order = Order(
        workload_path="shop.bench.Shop",
        workload=WorkloadSpec(workload="shop"),
        database=DatabaseSpec(use=use),
    )
    told = Instructions(settings_module="shop.settings", token="feed", folder=str(folder))
    with throwaway(order, told, log=folder / "log", env={}):
        pass


def test_what_a_keeper_that_hung_had_made_another_one_drops(tmp_path, monkeypatch):
    children = [Hung(), Prompt()]
    begun(children, tmp_path, monkeypatch)
    assert not children
    assert '"left": []' in (tmp_path / "keeper-request.json").read_text()


class Pressed(Hung):
    """Ctrl-C comes while it hangs."""

    def terminate(self):
        signal.raise_signal(signal.SIGINT)


def test_what_a_keeper_that_hung_had_made_is_dropped_after_ctrl_c_too(tmp_path, monkeypatch):
    children = [Pressed(), Prompt()]
    with pytest.raises(KeyboardInterrupt):
        begun(children, tmp_path, monkeypatch)
    assert not children


def test_where_the_other_one_hangs_too_it_is_told_what_may_be_left(tmp_path, monkeypatch):
    with pytest.raises(DatabaseError, match=r"hung, or was killed too\).*bench_feed may be left"):
        begun([Hung(), Hung()], tmp_path, monkeypatch)


def test_a_project_that_keeps_its_database_has_nothing_to_drop(tmp_path, monkeypatch):
    children = [Hung(), Prompt()]
    begun(children, tmp_path, monkeypatch, KEEP)
    assert len(children) == 1


def test_what_takes_long_is_told_with_its_phase_its_time_its_limit_and_its_last_line(
    pipe, tmp_path, monkeypatch
):
    monkeypatch.setattr("benchsuite.system.process.SLOW_S", 0.01)
    log = tmp_path / "log"
    log.write_text("said before\n")
    one = keeper(pipe[0], log, start_timeout_s=30.0)
    told: list[str] = []

    def tell(words):
        told.append(words)
        if len(told) == 1:
            answers(pipe, '{"number": 0, "phase": "migrate"}')
        elif len(told) == 2:
            log.write_text("said before\nApplying shop.0001_initial...\n")
        else:
            answers(pipe, '{"number": 0}')

    one.tell = tell
    one.wait()
    assert told == [
        "databases: start for 0 s, 30 s at most",
        "databases: migrate for 0 s, 30 s at most",
        "databases: migrate for 0 s (Applying shop.0001_initial...), 30 s at most",
    ]
