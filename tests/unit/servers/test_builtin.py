"""All built-in adapters: exact command lines, what they refuse, and that the docs name them."""

import os
import re
import shlex
import signal
import sys
from importlib import import_module, metadata
from math import prod
from pathlib import Path

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import DatabaseSpec, ServerSpec
from benchsuite.pythons.interpreter import OWN
from benchsuite.servers import BUILTIN
from benchsuite.servers.base import BACKLOG, KEEP_ALIVE_S, THREADS, Application
from benchsuite.servers.gunicorn import NEUTRAL_CONFIG
from benchsuite.servers.launchers import serving

APPLICATION = Application(wsgi="shop.wsgi:application", asgi="shop.asgi:application")
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


@pytest.mark.parametrize("name", BUILTIN)
def test_is_importable_under_its_name(name):
    assert adapter_class(name).name == name


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
    line = adapter.argv("127.0.0.1", 8123)
    assert line == adapter.argv("127.0.0.1", 8123)
    told = "\n".join([*line, *adapter.config_files("127.0.0.1", 8123).values()])
    assert "8123" in told
    if name != "runserver":  # it has that from the settings
        assert re.search(r"shop\.[aw]sgi[:.]application|shop\.wsgi", told)


@pytest.mark.parametrize("name", ["gunicorn-sync", "circus-gunicorn-sync"])
def test_what_is_frozen_is_said_in_a_file(name):
    made = make(name, preload="yes", freeze="yes")
    assert "gc.freeze()" in made.config_files("127.0.0.1", 1)["gunicorn.conf.py"]
    assert "gunicorn.conf.py" not in make(name).config_files("127.0.0.1", 1)


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


@pytest.mark.parametrize("name", SINGLE)
def test_two_processes_of_a_server_of_one_are_refused_with_others_to_take(name):
    with pytest.raises(UsageError, match=f"{name} runs 1 process, not the 2 .*; take ") as caught:
        make(name, processes=2)
    assert_named_servers(str(caught.value), lambda one: one.max_processes is None)


@pytest.mark.parametrize("name", UNTHREADED)
def test_threads_of_a_server_without_are_refused_with_others_to_take(name):
    with pytest.raises(
        UsageError, match=f"{name} can't set its number of threads to 4; "
    ) as caught:
        make(name, threads=4)
    assert_named_servers(str(caught.value), lambda one: one.threads_word is not None)


def assert_named_servers(message, can):
    advice = message.partition("take ")[2]
    named = [name for name in BUILTIN if re.search(rf"(?<![\w-]){name}(?![\w-])", advice)]
    assert named
    assert all(can(adapter_class(name)) for name in named)


def only_installed(monkeypatch, versions):
    def version(name):
        if name not in versions:
            raise metadata.PackageNotFoundError(name)
        return versions[name]

    monkeypatch.setattr(metadata, "version", version)


def test_says_what_is_missing_and_the_command_or_the_version(monkeypatch, golden):
    def available(name, **versions):
        only_installed(monkeypatch, versions)
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


def test_docs_show_what_circus_starts():
    shown = [cells[0].strip("`") for cells in rows("Circus")]
    assert shown == CIRCUSES


def test_docs_say_of_every_server_how_it_is_installed():
    shown = [name for cells in rows("Sizes") for name in re.findall(r"`([\w-]+)`", cells[0])]
    assert shown == [name for name in BUILTIN if name not in CIRCUSES]


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
