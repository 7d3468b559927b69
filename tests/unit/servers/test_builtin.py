"""All built-in adapters: exact command lines, what they refuse, and that the docs name them."""

import os
import re
import shlex
import signal
import sys
from importlib import import_module
from math import prod
from pathlib import Path

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import DatabaseSpec, ServerSpec
from benchsuite.pythons.interpreter import OWN
from benchsuite.servers import BUILTIN
from benchsuite.servers.base import BACKLOG, KEEP_ALIVE_S, THREADS
from benchsuite.servers.gunicorn import NEUTRAL_CONFIG
from benchsuite.servers.launchers import serving
from tests.unit.servers.test_base import APPLICATION, installed

DOCS = Path(__file__).parents[3] / "docs" / "servers.md"


def adapter_class(name):
    module, _, attribute = BUILTIN[name].rpartition(".")
    return getattr(import_module(module), attribute)


def make(name, processes=None, threads=None, **options):
    spec = ServerSpec(server=name, processes=processes, threads=threads, options=options)
    return adapter_class(name)(spec, APPLICATION)


CIRCUSES = [name for name in BUILTIN if name.startswith("circus-")]
PROGRAMS = {
    re.escape(str(path)): word
    for path, word in (
        (OWN.script("uwsgi"), "UWSGI"),
        (sys.executable, "PYTHON"),
        (NEUTRAL_CONFIG, "NEUTRAL"),
    )
}


@pytest.fixture(autouse=True)
def an_ordinary_user_with_apache(monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setattr("benchsuite.servers.apache.program", lambda: Path("/usr/sbin/apache2"))


def test_command_line(golden):
    golden.cases(
        lambda name, **sizes: shlex.join(make(name, **sizes).argv("127.0.0.1", 8123)),
        replace=PROGRAMS,
    )


@pytest.mark.parametrize("name", BUILTIN)
def test_command_line_is_the_same_twice_and_says_what_is_served_where(name):
    adapter = make(name)
    assert adapter.name == name
    line = adapter.argv("127.0.0.1", 8123)
    assert line == adapter.argv("127.0.0.1", 8123)
    told = "\n".join([*line, *adapter.config_files("127.0.0.1", 8123).values()])
    assert "8123" in told
    if name != "runserver":  # it has that from the settings
        assert re.search(r"shop\.[aw]sgi[:.]application|shop\.wsgi", told)


OF_THE_STUDY = {
    "apache-prefork": (9, 1),
    "apache-worker": (16, 25),
    "apache-event": (16, 25),
    "apache-daemon": (9, 25),
}


@pytest.mark.parametrize("name", BUILTIN)
def test_defaults_follow_one_rule(name):
    """What docs/servers.md promises: results differ by the server and not by its defaults."""
    adapter = make(name)
    threads = THREADS if adapter.threads_word else 1
    assert (adapter.processes, adapter.threads) == OF_THE_STUDY.get(name, (1, threads))
    assert adapter.settings.get("backlog", BACKLOG) == BACKLOG
    assert adapter.settings.get("keep_alive_s", KEEP_ALIVE_S) == KEEP_ALIVE_S


SINGLE = [name for name in BUILTIN if adapter_class(name).max_processes == 1]
UNTHREADED = [name for name in BUILTIN if adapter_class(name).threads_word is None]


@pytest.mark.parametrize(
    ("name", "size", "refusal"),
    [
        *((name, {"processes": 2}, "runs 1 process, not the 2 .*; take ") for name in SINGLE),
        *((name, {"threads": 4}, "can't set its number of threads to 4; ") for name in UNTHREADED),
    ],
)
def test_a_size_that_it_can_not_have_is_refused_with_others_to_take(name, size, refusal):
    with pytest.raises(UsageError, match=f"{name} {refusal}") as caught:
        make(name, **size)
    advice = str(caught.value).partition("take ")[2]
    named = [name for name in BUILTIN if re.search(rf"(?<![\w-]){name}(?![\w-])", advice)]
    able = {
        "processes": lambda server: server.max_processes is None,
        "threads": lambda server: server.threads_word is not None,
    }
    assert named
    assert all(able[option](adapter_class(name)) for option in size for name in named)


def test_says_what_is_missing_and_the_command_or_the_version(monkeypatch, golden):
    def available(name, **versions):
        installed(monkeypatch, **versions)
        usable = adapter_class(name).available()
        return adapter_class(name).version() if usable.ok else usable

    golden.cases(available)


def rows(heading):
    """The cells of the table under a heading of docs/servers.md."""
    section = DOCS.read_text().partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_docs_show_the_facts_of_every_server():
    table = {first.strip("`"): cells for first, *cells in rows("The servers")}
    assert list(table) == [name for name in BUILTIN if name not in CIRCUSES]
    for name, cells in table.items():
        one = adapter_class(name)
        assert cells == [
            one.interface.upper(),
            "one" if one.max_processes == 1 else "any number",
            threads_shown(one),
            "yes" if one.keeps_alive else "no",
            "finished" if one.finishes_in_flight else "dropped",
            "yes" if one.websocket else "—",
            cells[-1],
        ]
        assert_holds_so_many_connections(name, cells[-1])


def assert_holds_so_many_connections(name, shown):
    """Whatever the numbers are, it is the product of what the words name."""
    many, five = adapter_class(name).max_processes is None, DatabaseSpec(pool=5)
    factors = [] if shown == "—" else shown.split(" × ")
    one = make(
        name,
        processes=3 if many else None,
        threads=7 if "threads" in factors else None,
        **{word.strip("`"): 11 for word in factors if "`" in word},
    )
    numbers = {"processes": 3, "threads": 7}
    expected = prod(numbers.get(word, 11) for word in factors) if factors else None
    assert one.connections(DatabaseSpec()) == expected
    assert one.connections(five) == (15 if many else 5)


def threads_shown(one):
    if one.threads_word:
        return f"{one.default_threads} {one.threads_word}"
    return "— (one request at a time)" if one.one_at_a_time else "—"


def shown_as(default):
    return {True: "yes", False: "no"}[default] if isinstance(default, bool) else str(default) or "—"


@pytest.mark.parametrize(
    ("first", "status", "by"),
    [(signal.SIGKILL, 0, signal.SIGKILL), (signal.SIGTERM, 0, signal.SIGTERM), (3 << 8, 3, None)],
)
def test_a_launcher_ends_as_the_first_of_its_processes(monkeypatch, first, status, by):
    children, ends, sent = [11, 12], [(11, first), (12, signal.SIGTERM)], []
    for name, instead in {
        "fork": lambda: children.pop(0),
        "wait": lambda: ends.pop(0),
        "kill": lambda *asked: sent.append(asked),
    }.items():
        monkeypatch.setattr(os, name, instead)
    for name in ("signal", "pthread_sigmask"):
        monkeypatch.setattr(signal, name, lambda *_: None)
    with pytest.raises(SystemExit) as ended:
        serving.fork(2)
    assert ended.value.code == status
    assert sent == [(12, signal.SIGTERM), *([(os.getpid(), by)] if by else [])]


def test_values(golden):
    golden.values()
