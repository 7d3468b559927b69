"""Starts built-in servers with the stub application, as a run would, for the tests of adapters."""

import http.client
import os
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
from django.utils.module_loading import import_string

from benchsuite.core.specs import ServerSpec
from benchsuite.fronts.base import FrontAdapter
from benchsuite.servers import BUILTIN
from benchsuite.servers.base import Application, Place, ServerAdapter
from benchsuite.system.network import free_port
from benchsuite.system.process import Process, running, wait_until_ready
from benchsuite.telemetry.prober.answer import Probe

HOST = "127.0.0.1"
HERE = Path(__file__).parent
STUB = Application(wsgi="stubs_app:wsgi", asgi="stubs_app:asgi")
START_S = 60.0


CLASSES: dict[str, type[ServerAdapter]] = {
    name: import_string(path) for name, path in BUILTIN.items()
}


@dataclass
class Served:
    """A server, or a front, that was started for a test."""

    adapter: ServerAdapter | FrontAdapter
    process: Process
    port: int
    token: str
    stack: ExitStack

    @property
    def folder(self) -> Path:
        return self.adapter.place.folder

    @property
    def log(self) -> str:
        return self.process.log.read_text()

    def connect(self, timeout_s: float = 20.0) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(HOST, self.port, timeout=timeout_s)

    def get(self, path: str = "/") -> bytes:
        with closing(self.connect()) as connection:
            return read(connection, path)

    def wait(self) -> float:
        url = f"{getattr(self.adapter, 'scheme', 'http')}://{HOST}:{self.port}/"
        return wait_until_ready(
            self.process, Probe(url, self.token, timeout_s=START_S), timeout_s=START_S
        )

    def stop(self) -> float:
        """Ends it as a run does; seconds it took. What `started()` does in the end if need be."""
        begun = time.monotonic()
        self.stack.close()
        return time.monotonic() - begun


def alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def read(connection: http.client.HTTPConnection, path: str = "/") -> bytes:
    connection.request("GET", path)
    answer = connection.getresponse()
    assert answer.status == 200
    return answer.read()


@contextmanager
def begun(server: str | ServerAdapter, folder: Path, **how: Any) -> Iterator[Served]:
    """As `started()`, once it answers."""
    with started(server, folder, **how) as served:
        served.wait()
        yield served


@contextmanager
def started(
    server, folder, *, application=STUB, environment=None, marker="", port=0, argv=(), **size
) -> Iterator[Served]:
    """The server of that name with the stub application, or by another command line; not waited
    for. `size` are fields of its spec.
    """
    if isinstance(server, str):
        available = CLASSES[server].available()
        if not available.ok:
            pytest.skip(f"{server}: {available.reason}; {available.command}")
        spec = ServerSpec(server=server, **size)
        server = CLASSES[server](spec, application, Place(folder=folder))
    port, token = port or free_port(HOST), marker or uuid.uuid4().hex
    for file, content in ({} if argv else server.config_files(HOST, port)).items():
        (folder / file).write_text(content)
    env = {
        **os.environ,
        **({} if argv else server.env()),
        "PYTHONPATH": str(HERE),
        "DJANGO_SETTINGS_MODULE": "stubs_app",
        "BENCHSUITE_RUN": token,
        "STUB_FOLDER": str(folder),
        "STUB_SLEEP_S": "1.5",
        **(environment or {}),
    }
    with ExitStack() as stack:
        process = stack.enter_context(
            running(
                argv or server.argv(HOST, port),
                name=server.name,
                log=folder / f"{port}.log",
                env=env,
                cwd=folder,
                stop_signal=server.stop_signal,
                grace_s=server.grace_s,
                marker=token,
            )
        )
        yield Served(server, process, port, token, stack)
