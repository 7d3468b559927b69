"""All built-in adapters: exact command lines, what they refuse, and that the docs name them."""

import re
import sys
from importlib import import_module, metadata
from math import prod
from pathlib import Path

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import DatabaseSpec, Option, ServerSpec
from benchsuite.pythons.interpreter import OWN
from benchsuite.servers import BUILTIN
from benchsuite.servers.base import (
    BACKLOG,
    KEEP_ALIVE_S,
    THREADS,
    Application,
    ServerAdapter,
)
from benchsuite.servers.gunicorn import NEUTRAL_CONFIG
from tests.golden import Golden

APPLICATION = Application(wsgi="shop.wsgi:application", asgi="shop.asgi:application")
DOCS = Path(__file__).parents[3] / "docs" / "servers.md"


def adapter_class(name: str) -> type[ServerAdapter]:
    module, _, attribute = BUILTIN[name].rpartition(".")
    return getattr(import_module(module), attribute)


def make(name: str, processes=None, threads=None, **options) -> ServerAdapter:
    spec = ServerSpec(server=name, processes=processes, threads=threads, options=options)
    return adapter_class(name)(spec, APPLICATION)


CIRCUSES = [name for name in BUILTIN if name.startswith("circus-")]
COMMAND_LINES = dict(
    line.split(": ", 1)
    for line in Path(__file__).with_name("command_lines.txt").read_text().splitlines()
)


def words(line: str) -> list[str]:
    programs = {
        "APACHE": "/usr/sbin/apache2",
        "Connection:_close": "Connection: close",
        "NEUTRAL": str(NEUTRAL_CONFIG),
        "PYTHON": sys.executable,
        "UWSGI": OWN.script("uwsgi"),
    }
    return [programs.get(word, word) for word in line.split()]


@pytest.mark.parametrize("name", BUILTIN)
def test_is_importable_under_its_name(name):
    assert adapter_class(name).name == name


@pytest.fixture(autouse=True)
def an_ordinary_user_with_apache(monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setattr("benchsuite.servers.apache.program", lambda: Path("/usr/sbin/apache2"))


@pytest.mark.parametrize("name", COMMAND_LINES)
def test_command_line(name):
    assert make(name).argv("127.0.0.1", 8123) == words(COMMAND_LINES[name])


@pytest.mark.parametrize("name", BUILTIN)
def test_command_line_is_the_same_twice_and_says_what_is_served_where(name):
    adapter = make(name)
    line = adapter.argv("127.0.0.1", 8123)
    assert line == adapter.argv("127.0.0.1", 8123)
    told = "\n".join([*line, *adapter.config_files("127.0.0.1", 8123).values()])
    assert "8123" in told
    if name != "runserver":  # it has that from the settings
        assert re.search(r"shop\.[aw]sgi[:.]application|shop\.wsgi", told)


@pytest.mark.parametrize(
    ("adapter", "part"),
    [
        (make("gunicorn-gthread", processes=3), "--workers 3 --worker-class gthread --threads 4"),
        (make("gunicorn-gthread", threads=8), "--threads 8 --worker-connections 1000"),
        (make("gunicorn-sync", config="/srv/own.py"), "--config /srv/own.py"),
        (make("gunicorn-sync", preload="yes", timeout_s=90), "--timeout 90 --preload"),
        (make("gunicorn-gevent", connections="50"), "--worker-connections 50"),
        (make("gunicorn-asgi", loop="uvloop"), "--asgi-loop uvloop"),
        (make("uwsgi", processes=2, threads=1), "--processes 2 --threads 1"),
        (make("uwsgi", preload="no"), "--no-orphans --lazy-apps"),
        (make("uwsgi", max_requests=500), "--max-requests 500"),
        (make("uwsgi", buffer_bytes=65536), "--http-buffer-size 65536"),
        (make("uwsgi-http", request_bytes=16384), "Connection: close --buffer-size 16384"),
        (make("uwsgi-http11", log_requests="yes"), "--listen 2048 --die-on-term"),
        (make("uwsgi-gevent", connections=50), "--gevent 50 --gevent-early-monkey-patch"),
        (make("cheroot", threads=8), "--threads 8 --max-threads 8"),
        (make("tornado", processes=2, threads=1), "--processes 2 --threads 1"),
        (make("uvicorn", loop="asyncio", http="h11"), "--loop asyncio --http h11"),
        (make("uvicorn", processes=2), "--workers 2"),
        (make("uvicorn", ws="wsproto"), "--ws wsproto"),
        (make("uvicorn", limit_concurrency=9), "--ws auto --limit-concurrency 9"),
        (make("gunicorn-sync", reuse_port="yes"), "--timeout 30 --reuse-port"),
        (make("uwsgi", reuse_port="yes"), "--no-orphans --reuse-port"),
        (make("gunicorn-sync", preload="yes", freeze="yes"), "--config gunicorn.conf.py --workers"),
        (make("granian-asgi", http1_keep_alive="no"), "--no-http1-keep-alive --backlog 2048"),
        (make("granian-wsgi", runtime_mode="st"), "--runtime-mode st"),
        (make("daphne", backlog=50), "tcp:port=1:interface=127.0.0.1:backlog=50"),
        (make("hypercorn", max_requests=500, loop="uvloop"), "--max-requests 500"),
        (make("granian-wsgi", threads=16), "--blocking-threads 16"),
        (make("granian-asgi", backpressure=64), "--backlog 2048 --backpressure 64"),
        (make("waitress", keep_alive_s=60), "--channel-timeout=60 --cleanup-interval=60"),
    ],
)  # fmt: skip
def test_sizes_and_options_reach_the_command_line(adapter, part):
    assert f" {part} " in f" {' '.join(adapter.argv('127.0.0.1', 1))} "


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


def assert_named_servers(message, can) -> None:
    advice = message.partition("take ")[2]
    named = [name for name in BUILTIN if re.search(rf"(?<![\w-]){name}(?![\w-])", advice)]
    assert named
    assert all(can(adapter_class(name)) for name in named)


def only_installed(monkeypatch, versions: dict[str, str]) -> None:
    def version(name: str) -> str:
        if name not in versions:
            raise metadata.PackageNotFoundError(name)
        return versions[name]

    monkeypatch.setattr(metadata, "version", version)


@pytest.mark.parametrize(
    ("name", "versions", "reason", "command"),
    [
        ("gunicorn-sync", {}, "gunicorn is not installed", "pip install gunicorn"),
        (
            "gunicorn-gevent",
            {"gunicorn": "27.0.1"},
            "gevent is not installed",
            "pip install gevent",
        ),
        (
            "gunicorn-uvicorn",
            {"gunicorn": "27.0.1"},
            "uvicorn-worker is not installed",
            "pip install uvicorn-worker",
        ),
        (
            "gunicorn-asgi",
            {"gunicorn": "23.0.0"},
            "gunicorn 23.0.0 has no asgi worker, which came with 24",
            "pip install 'gunicorn>=24'",
        ),
        ("uwsgi", {}, "pyuwsgi is not installed", "pip install pyuwsgi"),
        ("uvicorn", {}, "uvicorn is not installed", "pip install 'uvicorn[standard]'"),
        ("daphne", {}, "daphne is not installed", "pip install daphne"),
        ("granian-asgi", {}, "granian is not installed", "pip install granian"),
        (
            "bjoern",
            {},
            "bjoern is not installed, and has no wheel",
            "apt install gcc libev-dev python3-dev && pip install bjoern",
        ),
        (
            "circus-daphne",
            {"daphne": "4.2.3"},
            "circus is not installed",
            "pip install circus",
        ),
        (
            "circus-daphne",
            {},
            "circus is not installed, and daphne is not installed",
            "pip install circus && pip install daphne",
        ),
    ],
)
def test_says_what_is_missing_and_the_command(monkeypatch, name, versions, reason, command):
    only_installed(monkeypatch, versions)
    available = adapter_class(name).available()
    assert (available.ok, available.reason, available.command) == (False, reason, command)


@pytest.mark.parametrize(
    ("name", "versions", "version"),
    [
        ("gunicorn-sync", {"gunicorn": "23.0.0"}, "23.0.0"),
        ("gunicorn-asgi", {"gunicorn": "24.0.0"}, "24.0.0"),
        ("uwsgi", {"pyuwsgi": "2.0.30.post1"}, "2.0.30.post1"),
        ("uwsgi", {"uWSGI": "2.0.31"}, "2.0.31"),
        ("runserver", {"django": "5.2.19"}, "5.2.19"),
        ("bjoern", {"bjoern": "3.2.2"}, "3.2.2"),
        ("circus-daphne", {"circus": "0.19.0", "daphne": "4.2.3"}, "0.19.0 with daphne 4.2.3"),
    ],
)
def test_is_available_in_the_version_installed(monkeypatch, name, versions, version):
    only_installed(monkeypatch, versions)
    assert adapter_class(name).available().ok
    assert adapter_class(name).version() == version


def rows(heading: str) -> list[list[str]]:
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


def assert_holds_so_many_connections(name: str, shown: str) -> None:
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


def threads_shown(one: type[ServerAdapter]) -> str:
    if one.threads_word:
        return f"{one.default_threads} {one.threads_word}"
    return "— (one request at a time)" if one.one_at_a_time else "—"


def shown_as(default: Option) -> str:
    if isinstance(default, bool):
        return "yes" if default else "no"
    return str(default) or "—"


def test_docs_show_what_circus_starts():
    shown = [cells[0].strip("`") for cells in rows("Circus")]
    assert shown == CIRCUSES


def test_docs_say_of_every_server_how_it_is_installed():
    shown = [name for cells in rows("Sizes") for name in re.findall(r"`([\w-]+)`", cells[0])]
    assert shown == [name for name in BUILTIN if name not in CIRCUSES]


def test_values(golden: Golden) -> None:
    golden.values()
