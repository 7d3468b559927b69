"""A password that is given in any way comes to nobody's eyes: each is marked, and looked for."""

import json
import os
import secrets
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import quote

import psutil
import psycopg
import pytest
import redis

from benchsuite.services.base import HOST
from benchsuite.services.postgres import PostgreSQL
from benchsuite.services.redis import Redis
from tests.integration.command import SHORT, wait_for
from tests.integration.postgres import started

ROLE = "marked"
MARK = f"m4rk3d{secrets.token_hex(4)}"
"""In every password, and in nothing else: neither in a test of this module that runs beside it."""
DATABASE_SECRET = f"{MARK}@/{secrets.token_hex(4)}"
PAGES = """
from django.contrib.auth.models import User
from django.test import Client
from benchsuite.models import Run
client = Client(SERVER_NAME="127.0.0.1")
client.force_login(User.objects.create_superuser("ann"))
ids = [run.pk for run in Run.objects.all()]
base = "/results/"
pages = [base, *(f"{base}{one}/" for one in ids), f"{base}compare/?run={ids[0]}&run={ids[-1]}"]
pages += [f"{base}export/?format={name}" for name in ("json", "csv", "markdown")]
for page in pages:
    answer = client.get(page)
    print(page, answer.status_code, b"".join(answer).decode(errors="replace"))
"""


class Spy:
    """Looks at the processes and files of a run while it runs."""

    def __init__(self, folder, command):
        self.found: set[str] = set()
        self.looks = 0
        self._folder = folder
        self._command = command
        line = Path(f"/proc/{command}/cmdline")
        wait_for("its command line, empty while it becomes its program", line.read_bytes)
        self._own = line.read_bytes()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        self._thread.join()

    def _watch(self):
        while not self._ended.wait(0.1):
            self.looks += 1
            for pid in (name for name in os.listdir("/proc") if name.isdigit()):
                if int(pid) not in (self._command, os.getpid()):
                    self._look(Path(f"/proc/{pid}/cmdline"), "a command line")
            # Of what goes away meanwhile `os.walk` sees nothing, where `Path.rglob` would end.
            folders = os.walk(self._folder)
            for path in (Path(folder, name) for folder, _, names in folders for name in names):
                try:
                    mode = path.lstat().st_mode
                except OSError:
                    continue
                if stat.S_ISREG(mode) and mode & 0o077:
                    self._look(path, f"{path.name} with mode {stat.S_IMODE(mode):o}")

    def _look(self, path, what):
        try:
            content = path.read_bytes()
        except OSError:  # it has ended meanwhile
            return
        if content == self._own:  # of a child that has not become its program yet
            return
        if MARK.encode() in content:
            self.found.add(f"{what}: {content[:200]!r}")


@pytest.fixture
def urls():
    """A PostgreSQL that wants a password of the role, and a Redis that wants one of everybody."""
    with started(PostgreSQL, max_connections=20, fsync=False) as database, started(Redis) as layer:
        with psycopg.connect(database.admin_url, autocommit=True) as connection:
            connection.execute("SET ROLE NONE")
            made = f"CREATE ROLE {ROLE} LOGIN CREATEDB PASSWORD '{DATABASE_SECRET}'"
            connection.execute(made.encode())
        password = layer.url.partition(":")[2].removeprefix("//:").partition("@")[0]
        with redis.Redis.from_url(layer.url) as client:
            client.config_set("requirepass", f"{MARK}{password}")
        place = f"{HOST}:{database.port}/postgres"
        yield (
            f"postgres://{ROLE}:{quote(DATABASE_SECRET, safe='')}@{place}",
            layer.url.replace(password, f"{MARK}{password}"),
        )


def test_no_password_is_shown_or_stored_and_a_run_can_be_repeated(command, tmp_path, urls):
    database, layer = urls
    words = [
        *("runbench", "--server=uvicorn", "--layer=redis", f"--layer-url={layer}", *SHORT),
        f"--json={tmp_path}/first.json",
        f"--database={database}",
    ]
    process = command.start(*words)
    with Spy(command.temporary, process.pid) as spy:
        ended = command.wait(process)
    assert ended.status == 0, ended.err
    assert not spy.found
    assert spy.looks > 10
    said = [ended.out, ended.err, (tmp_path / "first.json").read_text()]
    said += _fails(command, *words[:-1], "--database=" + database.replace(MARK, f"{MARK}wrong"))

    (first,) = json.loads((tmp_path / "first.json").read_text())
    again = ["runbench", "--again", first["id"], f"--layer-url={layer}"]
    (why,) = _fails(command, *again)
    assert "wants a password for marked, and none was given" in why
    command.env["PGPASSWORD"] = DATABASE_SECRET
    ended = command.run(*again, status=0)
    said += [why, ended.out, ended.err]

    store = tmp_path / "results.sqlite3"
    with sqlite3.connect(store) as connection:
        keys = connection.execute(
            "SELECT DISTINCT key FROM benchsuite_run WHERE spec LIKE '%\"postgres://%'"
        ).fetchall()
        assert len(keys) == 1  # whichever password it was, and whether it was right
        said += connection.iterdump()
    connection.close()
    ended = command.run("shell", "-c", PAGES, status=0)
    assert ended.out.count(" 200 ") >= 4, ended.out[:2000]
    said += [ended.out, ended.err]
    assert [text[:300] for text in said if MARK in text] == []
    assert MARK.encode() not in store.read_bytes()


def test_secrets_of_a_project_reach_its_own_processes_alone(command, tmp_path):
    """Neither what loads it nor its database is told, and nothing is stored or shown of them."""
    command.env["SHOP_GATE"] = MARK
    process = command.start(
        *("runbench", "--server=waitress", "--workload=io_read", "--database=postgresql", *SHORT),
        *(f"--setting=SHOP.PASSWORD={MARK}", f"--variable=SHOP_TOKEN={MARK}"),
        f"--json={tmp_path}/run.json",
    )
    told: dict[str, set[bool]] = {"waitress": set(), "load.process": set(), "postgres": set()}
    while process.poll() is None:
        for name, marked in _environments(process.pid):
            for part in told:
                if part in name:
                    told[part].add(marked)
        time.sleep(0.1)
    ended = command.wait(process)
    assert ended.status == 0, ended.err
    assert told == {"waitress": {True}, "load.process": {False}, "postgres": {False}}
    pages = command.run("shell", "-c", PAGES)
    shown = ended.out + ended.err + (tmp_path / "run.json").read_text() + pages.out
    assert "SHOP.PASSWORD=" in shown
    assert MARK not in shown
    assert MARK.encode() not in (tmp_path / "results.sqlite3").read_bytes()


def _environments(command):
    """Of each process of a run: its command line, and whether it was told what is marked."""
    try:
        children = psutil.Process(command).children(recursive=True)  # neighbours have runs, too
    except psutil.NoSuchProcess:
        return
    for pid in (child.pid for child in children):
        try:
            variables = Path(f"/proc/{pid}/environ").read_bytes()
            name = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if b"BENCHSUITE_RUN=" in variables or b"benchsuite.load.process" in name.encode():
            yield name, MARK.encode() in variables


def _fails(command, *words):
    ended = command.run(*words)
    assert ended.status != 0
    assert "Traceback" not in ended.err
    return [ended.out + ended.err]


def test_the_spy_sees_command_lines_and_open_files(tmp_path):
    """The test above proves nothing with a spy that sees nothing."""
    (tmp_path / "open.txt").write_text(MARK)
    argv = [sys.executable, "-c", "input()", MARK]
    with (
        subprocess.Popen(argv, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL),
        Spy(tmp_path, os.getpid()) as spy,
    ):
        wait_for("two looks", lambda: spy.looks > 2)
    assert sorted(what.partition(":")[0] for what in spy.found) == [
        "a command line",
        "open.txt with mode 644",
    ]
