"""Every built-in adapter with its real server: does it start, serve, count and stop as declared?"""

import http.client
import os
import shutil
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from importlib import import_module
from pathlib import Path

import psutil
import pytest

from benchsuite.exceptions import StartError
from benchsuite.probe import answers_as
from benchsuite.proc import Process, ensure_port_free, free_port, running, wait_until_ready
from benchsuite.servers import BUILTIN
from benchsuite.servers.base import Application, ServerAdapter
from benchsuite.specs import Option, ServerSpec

HOST = "127.0.0.1"
HERE = Path(__file__).parent
STUB = Application(wsgi="stubs_app:wsgi", asgi="stubs_app:asgi")
START_S = 30.0
SLEEP_S = 1.5


def adapter_class(name: str) -> type[ServerAdapter]:
    module, _, attribute = BUILTIN[name].rpartition(".")
    return getattr(import_module(module), attribute)


CLASSES = {name: adapter_class(name) for name in BUILTIN}


class Served:
    """A server that was started for a test."""

    def __init__(self, adapter: ServerAdapter, process: Process, port: int, token: str) -> None:
        self.adapter = adapter
        self.process = process
        self.port = port
        self.token = token
        self.ended_in_s = 0.0

    def connect(self, timeout_s: float = 20.0) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(HOST, self.port, timeout=timeout_s)

    def get(self, path: str = "/") -> bytes:
        with closing(self.connect()) as connection:
            return read(connection, path)

    def wait_ready(self) -> float:
        url = f"http://{HOST}:{self.port}/"
        return wait_until_ready(
            self.process, lambda: answers_as(url, self.token), timeout_s=START_S
        )


def read(connection: http.client.HTTPConnection, path: str = "/") -> bytes:
    connection.request("GET", path)
    answer = connection.getresponse()
    assert answer.status == 200
    return answer.read()


@contextmanager
def started(
    name: str,
    folder: Path,
    *,
    processes: int | None = None,
    threads: int | None = None,
    options: dict[str, Option] | None = None,
    application: Application = STUB,
    environment: dict[str, str] | None = None,
) -> Iterator[Served]:
    """The server of that name with the stub application; not waited for."""
    available = CLASSES[name].available()
    if not available.ok:
        pytest.skip(f"{name}: {available.reason}; {available.command}")
    spec = ServerSpec(server=name, processes=processes, threads=threads, options=options or {})
    adapter = CLASSES[name](spec, application)
    port, token = free_port(HOST), uuid.uuid4().hex
    env = {
        **os.environ,
        **adapter.env(),
        "PYTHONPATH": str(HERE),
        "DJANGO_SETTINGS_MODULE": "stubs_app",
        "BENCHSUITE_RUN": token,
        "STUB_FOLDER": str(folder),
        "STUB_SLEEP_S": str(SLEEP_S),
        **(environment or {}),
    }
    with running(
        adapter.argv(HOST, port),
        name=name,
        log=folder / "server.log",
        env=env,
        cwd=folder,
        stop_signal=adapter.stop_signal,
        grace_s=adapter.grace_s,
        marker=token,
    ) as process:
        served = Served(adapter, process, port, token)
        yield served
        stopping = time.monotonic()
    served.ended_in_s = time.monotonic() - stopping


def eventually(is_so: Callable[[], bool], within_s: float = 20.0) -> bool:
    deadline = time.monotonic() + within_s
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.parametrize("name", BUILTIN)
def test_serves_as_one_process_and_keeps_connections_as_declared(name, tmp_path):
    with started(name, tmp_path) as served:
        assert 0 < served.wait_ready() < START_S
        assert served.get() == b"ok"
        assert int(served.get("/pid/")) in served.process.living()

        wanted = served.adapter.expected_processes()
        assert eventually(lambda: len(served.process.living()) == wanted), (
            f"{wanted} processes were expected, and there are {served.process.living()}"
        )

        with closing(served.connect()) as connection:
            read(connection)
            # http.client drops its socket when the server closes or says that it will.
            first = connection.sock
            assert (first is not None) == served.adapter.keeps_alive
            if first is not None:
                for _ in range(5):
                    assert read(connection) == b"ok"
                    assert connection.sock is first


@pytest.mark.parametrize(
    "name", [name for name, one in CLASSES.items() if one.max_processes is None]
)
def test_runs_two_processes_that_both_answer(name, tmp_path):
    with started(name, tmp_path, processes=2) as served:
        served.wait_ready()
        wanted = served.adapter.expected_processes()
        assert eventually(lambda: len(served.process.living()) == wanted), (
            f"{wanted} processes were expected, and there are {served.process.living()}"
        )

        seen: set[int] = set()

        def both_answered() -> bool:
            connections = [served.connect() for _ in range(8)]
            for connection in connections:
                connection.request("GET", "/pid/")
            for connection in connections:
                with closing(connection):
                    seen.add(int(connection.getresponse().read()))
            return len(seen) == 2

        assert eventually(both_answered), f"only {seen} answered"
        assert seen <= set(served.process.living())


@pytest.mark.parametrize("name", BUILTIN)
def test_stops_in_time_with_a_request_in_flight(name, tmp_path):
    bodies: list[bytes | None] = []

    def ask(served: Served) -> None:
        try:
            bodies.append(served.get("/sleep/"))
        except (OSError, http.client.HTTPException):
            bodies.append(None)

    with started(name, tmp_path) as served:
        served.wait_ready()
        before = served.process.living()
        client = threading.Thread(target=ask, args=(served,))
        client.start()
        assert eventually((tmp_path / "sleeping").exists)
    client.join(timeout=30)

    assert not client.is_alive()
    assert (bodies == [b"slept"]) == served.adapter.finishes_in_flight
    assert served.ended_in_s < served.adapter.grace_s
    assert not [pid for pid in before if alive(pid)]
    ensure_port_free(HOST, served.port)


def alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.parametrize("name", BUILTIN)
def test_says_nothing_about_requests_that_went_well(name, tmp_path):
    with started(name, tmp_path) as served:
        served.wait_ready()
        for _ in range(5):
            assert served.get("/unmistakable/") == b"ok"
    assert "unmistakable" not in (tmp_path / "server.log").read_text()


@pytest.mark.parametrize("name", BUILTIN)
def test_ends_and_says_why_when_the_application_does_not_import(name, tmp_path):
    broken = tmp_path / "broken_app.py"
    broken.write_text("raise RuntimeError('this application is broken')\n")
    application = Application(wsgi="broken_app:wsgi", asgi="broken_app:asgi")
    environment = {"DJANGO_SETTINGS_MODULE": "broken_app", "PYTHONPATH": str(tmp_path)}
    with (
        started(name, tmp_path, application=application, environment=environment) as served,
        pytest.raises(StartError, match="broken") as caught,
    ):
        served.wait_ready()
    assert "did not answer within" not in str(caught.value)


@pytest.mark.parametrize(
    "name", [name for name, one in CLASSES.items() if "keep_alive_s" in one.options]
)
def test_closes_idle_connections_after_the_time_asked_for(name, tmp_path):
    with started(name, tmp_path, options={"keep_alive_s": 2}) as served:
        served.wait_ready()
        with closing(served.connect(timeout_s=20.0)) as connection:
            read(connection)
            assert connection.sock is not None
            assert connection.sock.recv(1) == b""


@pytest.mark.parametrize(
    "name", [name for name, one in CLASSES.items() if "backlog" in one.options]
)
def test_listens_with_the_backlog_asked_for(name, tmp_path):
    if shutil.which("ss") is None:
        pytest.skip("ss is not installed; apt install iproute2")
    with started(name, tmp_path, options={"backlog": 333}) as served:
        served.wait_ready()
        lines = subprocess.run(
            ["ss", "-Hltn", f"sport = :{served.port}"], capture_output=True, text=True, check=True
        ).stdout.splitlines()
    assert [line.split()[2] for line in lines] == ["333"]


OTHER_VALUES: dict[str, Option] = {
    "backlog": 256,
    "backpressure": 64,
    "buffer_bytes": 65_536,
    "connections": 50,
    "http": "h11",
    "keep_alive_s": 3,
    "loop": "asyncio",
    "max_requests": 100_000,
    "runtime_threads": 2,
    "timeout_s": 20,
}


@pytest.mark.parametrize("name", BUILTIN)
def test_takes_every_option_that_it_names(name, tmp_path):
    config = tmp_path / "own.conf.py"
    config.write_text("proc_name = 'own'\n")
    options = {
        option: not default if isinstance(default, bool) else OTHER_VALUES.get(option, str(config))
        for option, default in CLASSES[name].options.items()
    }
    with started(name, tmp_path, options=options) as served:
        served.wait_ready()
        assert served.get() == b"ok"


@pytest.mark.parametrize("name", BUILTIN)
def test_answers_as_many_requests_at_once_as_it_has_threads(name, tmp_path):
    """With neither threads to set nor one request at a time there is no limit to be seen."""
    has_threads = CLASSES[name].threads_word is not None
    limit = {"gunicorn-sync": 1}.get(name, 2 if has_threads else 6)
    with started(
        name, tmp_path, threads=2 if has_threads else None, environment={"STUB_SLEEP_S": "0.4"}
    ) as served:
        served.wait_ready()
        clients = [threading.Thread(target=served.get, args=("/sleep/",)) for _ in range(6)]
        for client in clients:
            client.start()
        for client in clients:
            client.join(timeout=30)
        assert int(served.get("/most/")) == limit


@pytest.mark.parametrize(
    "name", [name for name, one in CLASSES.items() if "max_requests" in one.options]
)
def test_replaces_a_process_after_the_requests_asked_for(name, tmp_path):
    with started(name, tmp_path, options={"max_requests": 5}) as served:
        served.wait_ready()
        seen: set[bytes] = set()

        def replaced() -> bool:
            # A process that is about to go may refuse; what matters is that another one comes.
            with suppress(OSError, http.client.HTTPException):
                seen.add(served.get("/pid/"))
            return len(seen) > 1

        assert eventually(replaced, within_s=60.0), f"only {seen} answered"


def test_gunicorn_reads_nothing_that_lies_about(tmp_path, monkeypatch):
    (tmp_path / "gunicorn.conf.py").write_text("raise RuntimeError('read')\n")
    monkeypatch.setenv("GUNICORN_CMD_ARGS", "--no-such-flag")
    monkeypatch.setenv("HOME", str(tmp_path))
    with started("gunicorn-sync", tmp_path) as served:
        served.wait_ready()
        assert served.get() == b"ok"
        assert not (tmp_path / ".gunicorn").exists()


def test_no_server_is_imported_by_its_adapter():
    code = (
        "import sys\n"
        "from importlib import import_module\n"
        "from benchsuite.servers import BUILTIN\n"
        "for path in BUILTIN.values():\n"
        "    module, _, name = path.rpartition('.')\n"
        "    getattr(import_module(module), name).available()\n"
        "servers = {'daphne', 'django', 'gevent', 'granian', 'gunicorn', 'hypercorn', 'pyuwsgi',\n"
        "           'twisted', 'uvicorn', 'uvicorn_worker', 'waitress'}\n"
        "print(*sorted(servers & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
