"""Every built-in adapter with its real server: does it start, serve, count and stop as declared?

Tests that do a server no harm share one start: `alone` is a server of one process, `twins` one of
two processes with all its options changed. Pytest orders the tests by server for it; within one
server they run as they stand here, and the last of each ends it.
"""

import http.client
import shutil
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest
import websocket

from benchsuite.core.exceptions import StartError
from benchsuite.core.specs import Option
from benchsuite.servers.base import Application
from benchsuite.system.network import ensure_port_free
from tests.integration.left_behind import Traces, eventually
from tests.integration.serving import CLASSES, HOST, alive, begun, read
from tests.integration.stubs_app import LEGAL
from tests.needs import audited

SLEEP_S = 1.0
CLIENTS = 5

OTHER_VALUES: dict[str, Option] = {
    "backlog": 333,
    "backpressure": 64,
    "blocking_threads_idle_timeout_s": 60,
    "buffer_bytes": 65_536,
    "connections": 50,
    "http": "h11",
    "keep_alive_s": 2,
    "limit_concurrency": 100,
    "loop": "asyncio",
    "max_requests": 100_000,
    "request_bytes": 16_384,
    "runtime_mode": "mt",
    "start_processes": 4,
    "timeout_s": 20,
    "ws": "wsproto",
}
IN_UTF8 = ("granian-wsgi", "X-Latin")
"""What a server writes in another encoding than WSGI says."""
CONFIGURATIONS = {"gunicorn": "proc_name = 'own'\n", "mod_wsgi": "LimitRequestLine 9000\n"}
"""What a file may say that is given as the option `config`."""


def usable():
    """All but what this interpreter can't have: such a row says why, and a test of its own."""
    return [name for name, one in CLASSES.items() if one.available().ok or not _never(name)]


def once():
    """Each server, and two of those that run under circus as they run by themselves."""
    under_circus = ("circus-gunicorn-gthread", "circus-daphne")
    return [name for name in usable() if name in under_circus or not name.startswith("circus-")]


def _never(name):
    return "meinheld" in name and sys.version_info >= (3, 13)


def having(option):
    """Servers with this option; those that only pass it on to another program of the list aside."""
    passing_on = ("circus-", "uwsgi-")
    return [
        name
        for name in usable()
        if option in CLASSES[name].options and not name.startswith(passing_on)
    ]


@pytest.fixture(scope="module", params=audited(usable(), *once()))
def alone(request, tmp_path_factory):
    """A server of one process, of two threads where it has threads to set."""
    name = request.param
    threads = 2 if CLASSES[name].threads_word else None
    folder, env = tmp_path_factory.mktemp("alone"), {"STUB_SLEEP_S": str(SLEEP_S)}
    with begun(name, folder, processes=1, threads=threads, environment=env) as served:
        yield served


def other_options(name, folder):
    """All options of a server, each with another value than its default."""
    one = CLASSES[name]
    config = folder / "own.conf"
    config.write_text(CONFIGURATIONS.get(one.distribution, ""))
    given = {**OTHER_VALUES, "config": str(config)}
    return {
        option: not default if isinstance(default, bool) else given[option]
        for option, default in one.options.items()
        if option != "freeze"  # excludes `config`
    }


@pytest.fixture(scope="module", params=usable())
def twins(request, tmp_path_factory):
    """A server of two processes, where it can run two, with all its options changed."""
    name = request.param
    folder = tmp_path_factory.mktemp("twins")
    processes = 2 if CLASSES[name].max_processes is None else 1
    with begun(name, folder, processes=processes, options=other_options(name, folder)) as served:
        yield served


class TestAlone:
    """What holds for one process."""

    def test_it_has_a_version_and_the_processes_that_it_says_one_of_which_answers(self, alone):
        assert_processes(alone)
        assert alone.get() == b"ok"
        assert int(alone.get("/pid/")) in alone.process.living()
        assert type(alone.adapter).version()

    def test_it_passes_on_every_legal_header(self, alone):
        with closing(alone.connect()) as connection:
            connection.request("GET", "/headers/")
            answer = connection.getresponse()
            assert (answer.status, answer.read()) == (200, b"ok")
        for name in dict(LEGAL):
            wanted = [value for one, value in LEGAL if one == name]
            found = answer.headers.get_all(name)
            if (alone.adapter.name, name) == IN_UTF8:
                found = [value.encode("latin-1").decode() for value in found]
            # Apache joins them, which means the same; cookies it must not join.
            assert found in (wanted, [",".join(wanted)] if name == "Vary" else wanted), name

    def test_it_keeps_connections_as_declared(self, alone):
        with closing(alone.connect()) as connection:
            read(connection)
            first = connection.sock
            assert stays_open(first) == alone.adapter.keeps_alive
            if alone.adapter.keeps_alive:
                for _ in range(5):
                    assert read(connection) == b"ok"
                    assert connection.sock is first

    def test_it_answers_as_many_requests_at_once_as_it_says(self, alone):
        one = type(alone.adapter)
        limit = 2 if one.threads_word else 1 if one.one_at_a_time else CLIENTS
        with ThreadPoolExecutor(CLIENTS) as pool:
            list(pool.map(alone.get, ["/nap/"] * CLIENTS))
        assert int(alone.get("/most/")) == limit

    def test_it_echoes_what_a_websocket_sends(self, alone):
        if not alone.adapter.websocket:
            return
        url = f"ws://{HOST}:{alone.port}/"
        with closing(websocket.create_connection(url, timeout=20)) as connection:
            for text in ("hello", "é" * 100_000):
                connection.send(text)
                assert connection.recv() == text
            connection.send_binary(b"\x00\xff" * 100)
            assert connection.recv() == b"\x00\xff" * 100

    def test_it_says_nothing_about_requests_that_went_well(self, alone):
        for _ in range(5):
            assert alone.get("/unmistakable/") == b"ok"
        assert "unmistakable" not in alone.log

    def test_it_stops_in_time_and_treats_a_request_in_flight_as_declared(self, alone):
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(alone.get, "/sleep/")
            assert eventually((alone.folder / "sleeping").exists)
            assert_stops_without_trace(alone)
            failure = answer.exception(timeout=30)
        if alone.adapter.finishes_in_flight:
            assert answer.result() == b"slept"
        else:
            assert isinstance(failure, OSError | http.client.HTTPException)


@pytest.mark.audit
class TestTwins:
    """What holds for two processes and for other options than the defaults."""

    def test_all_its_processes_answer(self, twins):
        assert_processes(twins)
        wanted = twins.adapter.processes
        seen: set[int] = set()

        def all_answered():
            with ExitStack() as stack:
                connections = [stack.enter_context(closing(twins.connect())) for _ in range(8)]
                for connection in connections:
                    connection.request("GET", "/pid/")
                seen.update(int(one.getresponse().read()) for one in connections)
            return len(seen) == wanted

        assert eventually(all_answered), f"only {seen} answered"
        assert seen <= set(twins.process.living())

    def test_it_listens_with_the_backlog_asked_for(self, twins):
        if "backlog" not in twins.adapter.options:
            return  # it can't be told
        if shutil.which("ss") is None:
            pytest.skip("ss is not installed; apt install iproute2")
        command = ["ss", "-Hltn", f"sport = :{twins.port}"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert {line.split()[2] for line in done.stdout.splitlines()} == {"333"}

    def test_it_keeps_connections_as_its_options_declare(self, twins):
        with closing(twins.connect()) as connection:
            read(connection)
            assert stays_open(connection.sock) == twins.adapter.keeps_alive

    def test_it_closes_idle_connections_after_the_time_asked_for(self, twins):
        if "keep_alive_s" not in twins.adapter.options:
            return  # it can't be told
        with closing(twins.connect()) as connection:
            read(connection)
            assert connection.sock.recv(1) == b""

    def test_it_stops_in_time_under_load(self, twins):
        """Where several clients ask as fast as they can, all the time."""
        answered = [0] * CLIENTS
        ended = threading.Event()

        def ask_again_and_again(client):
            while not ended.is_set():
                with suppress(OSError, http.client.HTTPException, AssertionError):
                    twins.get("/pid/")
                    answered[client] += 1

        with ThreadPoolExecutor(CLIENTS) as pool:
            clients = [pool.submit(ask_again_and_again, client) for client in range(CLIENTS)]
            try:
                assert eventually(lambda: min(answered) >= 3), f"only {answered} were answered"
                assert_stops_without_trace(twins)
            finally:
                ended.set()
        assert not [client.exception() for client in clients if client.exception()]


def assert_processes(served):
    wanted = served.adapter.expected_processes()
    assert eventually(lambda: len(served.process.living()) == wanted), served.process.living()


def stays_open(connection):
    """Whether the server keeps an idle connection for a moment; http.client drops its socket when
    the answer says that it won't."""
    if connection is None:
        return False
    connection.settimeout(0.4)
    try:
        return connection.recv(1, socket.MSG_PEEK) != b""
    except TimeoutError:
        return True
    finally:
        connection.settimeout(20)


def assert_stops_without_trace(served):
    pids = served.process.living()
    traces = Traces(pids, served.folder)
    assert served.stop() < served.adapter.grace_s
    assert not [pid for pid in pids if alive(pid)]
    ensure_port_free(HOST, served.port)
    assert traces.left() == []


@pytest.mark.parametrize("name", audited(usable(), "gunicorn-sync", "uvicorn", "uwsgi"))
def test_ends_and_says_why_when_the_application_does_not_import(name, tmp_path):
    broken = tmp_path / "broken_app.py"
    broken.write_text("raise RuntimeError('this application is broken')\n")
    application = Application(wsgi="broken_app:wsgi", asgi="broken_app:asgi")
    environment = {"DJANGO_SETTINGS_MODULE": "broken_app", "PYTHONPATH": str(tmp_path)}
    with (
        pytest.raises(StartError, match="RuntimeError: this application is broken") as caught,
        begun(name, tmp_path, application=application, environment=environment),
    ):
        pass
    assert "did not answer within" not in str(caught.value)


@pytest.mark.parametrize("name", audited(having("max_requests"), "gunicorn-sync"))
def test_replaces_a_process_after_what_is_asked_for(name, tmp_path):
    seen: set[bytes] = set()

    def replaced():
        # A process that is about to go may refuse; what matters is that another one comes.
        with suppress(OSError, http.client.HTTPException):
            seen.add(served.get("/pid/"))
        return len(seen) > 1

    with begun(name, tmp_path, processes=1, options={"max_requests": 5}) as served:
        assert eventually(replaced, within_s=60.0), f"only {seen} answered"


def test_gunicorn_reads_nothing_that_lies_about(tmp_path, monkeypatch):
    (tmp_path / "gunicorn.conf.py").write_text("raise RuntimeError('read')\n")
    monkeypatch.setenv("GUNICORN_CMD_ARGS", "--no-such-flag")
    monkeypatch.setenv("HOME", str(tmp_path))
    with begun("gunicorn-sync", tmp_path) as served:
        assert served.get() == b"ok"
        assert not (tmp_path / ".gunicorn").exists()


def test_gunicorn_freezes_what_is_loaded_before_the_fork(tmp_path):
    for freeze in ("no", "yes"):
        options = {"preload": "yes", "freeze": freeze}
        with begun("gunicorn-sync", tmp_path, options=options) as served:
            assert (int(served.get("/frozen/")) > 10_000) == (freeze == "yes")


def test_a_server_gets_the_variables_of_its_option(tmp_path):
    options = {"env": "MALLOC_ARENA_MAX=2 'TZ=Europe/Rome'"}
    with begun("circus-waitress", tmp_path, processes=1, options=options) as served:
        told = Path(f"/proc/{int(served.get('/pid/'))}/environ").read_bytes().split(b"\0")
        assert {b"MALLOC_ARENA_MAX=2", b"TZ=Europe/Rome"} <= set(told)


def test_no_server_is_imported_by_its_adapter():
    code = (
        "import sys\n"
        "from importlib import import_module\n"
        "from benchsuite.servers import BUILTIN\n"
        "for path in BUILTIN.values():\n"
        "    module, _, name = path.rpartition('.')\n"
        "    getattr(import_module(module), name).available()\n"
        "print(*sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    servers = "bjoern chaussette cheroot circus daphne django gevent granian gunicorn hypercorn "
    servers += "meinheld mod_wsgi pyuwsgi tornado twisted uvicorn uvicorn_worker waitress"
    assert not {*servers.split()} & {*done.stdout.split()}
