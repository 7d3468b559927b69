"""Every command says in one sentence which database refused, and what to do."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command, load_command_class

from benchsuite import runner, store
from benchsuite.core.specs import RunSpec, ServerSpec
from benchsuite.management import session
from benchsuite.management.commands import checkbench
from benchsuite.management.options import run as run_options
from benchsuite.models import Run
from benchsuite.report.exports import json_of
from benchsuite.runner import preflight
from benchsuite.system import fingerprint
from tests.broken_databases import BROKEN, asked_instead, sqlite
from tests.unit.results_file import results_in
from tests.unit.test_store import SPEC, result

ASKING = {
    "runbench": [],
    "comparebench": ["uvicorn", "daphne"],
    "checkbench": ["--calibrate"],
    "loadbench": ["runs.json"],
    "dumpbench": ["all.json"],
    "seedbench": [],
}
"""The commands that ask a database, with what each has to be told."""

OTHERS = ["buildheritage", "buildpeer", "completesurvey", "listbench"]

POSTGRES = {"ENGINE": "django.db.backends.postgresql", "NAME": "bench", "HOST": "db", "USER": "me"}


@pytest.fixture
def refused(tmp_path, monkeypatch, django_db_blocker, django_db_setup):
    """What a command says where the database is this one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(session, "PAUSE_S", 0.0)
    monkeypatch.setattr(preflight, "check", lambda plan: None)
    spec = RunSpec(server=ServerSpec(server="uvicorn"))
    monkeypatch.setattr(run_options, "specs", lambda options: [spec])
    monkeypatch.setattr(runner, "Session", _never)
    monkeypatch.setattr(checkbench, "examine", list)
    monkeypatch.setattr(checkbench, "ceilings", _never)
    monkeypatch.setattr(fingerprint, "fingerprint", dict)
    row = store.begun(SPEC, batch=uuid4(), started_at=datetime(2026, 3, 1, tzinfo=UTC))
    store.fill(row, result())
    with django_db_blocker.unblock():
        Path("runs.json").write_text("".join(json_of([row])), encoding="utf-8")

    def said(entry, command):
        with (
            django_db_blocker.unblock(),
            asked_instead(entry),
            pytest.raises(CommandError) as raised,
        ):
            call_command(command, *ASKING[command])
        # 1 of comparebench means that a condition is broken
        assert raised.value.returncode == (2 if command == "comparebench" else 1)
        return str(raised.value)

    return said


def _never(*given, **options):
    raise AssertionError("nothing may be measured")


@pytest.mark.parametrize("command", ASKING)
@pytest.mark.parametrize("broken", BROKEN, ids=lambda one: one.__name__)
def test_each_command_names_the_database_and_what_to_do(refused, tmp_path, broken, command):
    said = refused(broken(tmp_path), command)
    assert all(words in said for words in BROKEN[broken]), said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("command", ["runbench", "loadbench", "seedbench"])
def test_a_database_that_can_only_be_read(refused, tmp_path, django_db_blocker, command):
    file = tmp_path / "results.sqlite3"
    with django_db_blocker.unblock(), results_in(file, tmp_path / "template.sqlite3"):
        call_command("migrate", "benchsuite_target", verbosity=0)
    said = refused(sqlite(f"file:{file}?mode=ro"), command)
    assert "results.sqlite3?mode=ro is read-only" in said
    assert "make it writable for this user" in said


def test_a_database_that_another_program_holds(refused, tmp_path, django_db_blocker):
    file = tmp_path / "results.sqlite3"
    with django_db_blocker.unblock(), results_in(file, tmp_path / "template.sqlite3"):
        pass
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        for command in ("runbench", "comparebench", "checkbench", "loadbench"):
            assert f"{file} is locked" in refused(sqlite(file), command)


@pytest.mark.parametrize("command", [*ASKING, *OTHERS])
def test_a_query_that_nobody_thought_of_is_a_sentence_too(
    monkeypatch, tmp_path, django_db_blocker, command
):
    found = load_command_class("benchsuite", command)
    monkeypatch.setattr(found, "handle", lambda **options: Run.objects.count())
    monkeypatch.setattr(found, "requires_system_checks", [])
    broken = next(iter(BROKEN))
    with (
        django_db_blocker.unblock(),
        asked_instead(broken(tmp_path)),
        pytest.raises(CommandError, match="is damaged or no database"),
    ):
        found.execute(no_color=False, force_color=False, stdout=None, stderr=None)


class Answer(Exception):
    """What psycopg raises, as far as it matters here."""

    def __init__(self, sqlstate, text="no"):
        super().__init__(text)
        self.sqlstate = sqlstate


FAILED = 'connection failed: connection to server at "127.0.0.1", port 5432 failed: '


def test_values(golden):
    golden.values()
