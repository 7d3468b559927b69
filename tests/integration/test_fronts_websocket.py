"""WebSockets through every front, to real servers: shared, echoed, kept while silent."""

import os
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from benchsuite.core.specs import Option, ServerSpec
from benchsuite.fronts.base import FrontPlace
from benchsuite.fronts.starting import front
from benchsuite.servers.base import Application, ServerAdapter
from benchsuite.servers.daphne import Daphne
from benchsuite.servers.uvicorn import Uvicorn
from benchsuite.system.network import free_port
from benchsuite.system.process import running, wait_until_ready
from benchsuite.telemetry.prober.answer import answers_as
from tests.integration.fronted import HOST, PROGRAMS, READY_S, front_class, temporary
from tests.needs import audited, needs

HERE = Path(__file__).parent
ECHO = Application(asgi="stubs_echo:asgi")
SERVERS: dict[str, type[ServerAdapter]] = {"daphne": Daphne, "uvicorn": Uvicorn}
NAMES = [pytest.param(name, marks=needs(name)) for name in PROGRAMS]


@contextmanager
def echoing(
    name: str, server: str, count: int, options: dict[str, Option] | None = None
) -> Iterator[str]:
    """The front of that name before so many servers that echo; the URL of its WebSocket."""
    marker = uuid.uuid4().hex
    with temporary() as folder, ExitStack() as stack:
        env = {**os.environ, "PYTHONPATH": str(HERE)}
        adapter = SERVERS[server](ServerSpec(server=server), ECHO)
        ports = [free_port() for _ in range(count)]
        processes = [
            stack.enter_context(
                running(
                    adapter.argv(HOST, port),
                    name=server,
                    log=folder / f"{port}.log",
                    env=env,
                    marker=marker,
                )
            )
            for port in ports
        ]
        place = FrontPlace(folder=folder / "front", token=marker)
        port = free_port()
        for process, one in zip(processes, ports, strict=True):
            url = f"http://{HOST}:{one}/"
            wait_until_ready(process, lambda url=url: answers_as(url, marker), timeout_s=READY_S)
        process = stack.enter_context(
            front(
                front_class(name)(options or {}, place),
                [(HOST, one) for one in ports],
                port=port,
                log=folder / "front.log",
                env=env,
                marker=marker,
            )
        )
        url = f"http://{HOST}:{port}/"
        wait_until_ready(process, lambda: answers_as(url, marker), timeout_s=READY_S)
        yield f"ws://{HOST}:{port}/"


def opened(url: str) -> ClientConnection:
    return connect(url, open_timeout=READY_S, proxy=None, compression=None)


@needs(*SERVERS)
@pytest.mark.parametrize("count", audited([1, 3], 3))
@pytest.mark.parametrize("server", audited(SERVERS, "uvicorn"))
@pytest.mark.parametrize("name", NAMES)
def test_shares_connections_and_echoes_every_message(name: str, server: str, count: int) -> None:
    with echoing(name, server, count) as url, ExitStack() as stack:
        sockets = [stack.enter_context(opened(url)) for _ in range(6)]
        processes = Counter(socket.recv() for socket in sockets)
        assert list(processes.values()) == [6 // count] * count
        for socket in sockets:
            for message in ("text", b"binary", "ü" * 100_000, os.urandom(200_000)):
                socket.send(message)
                assert socket.recv(timeout=20) == message


@pytest.mark.audit
@needs("uvicorn")
@pytest.mark.parametrize("name", NAMES)
def test_silence_is_cut_after_the_timeout_and_not_before(name: str) -> None:
    with echoing(name, "uvicorn", 1, {"timeout_s": 2}) as url, opened(url) as socket:
        socket.recv()
        time.sleep(1.0)
        socket.send("still here")
        assert socket.recv(timeout=20) == "still here"
        began = time.monotonic()
        with pytest.raises(ConnectionClosed):
            socket.recv(timeout=20)
        assert time.monotonic() - began > 1.5


@pytest.mark.audit
@needs("uvicorn")
@pytest.mark.parametrize("name", NAMES)
def test_four_hundred_connections_at_once(name: str) -> None:
    with echoing(name, "uvicorn", 2) as url, ExitStack() as stack:
        sockets = [stack.enter_context(opened(url)) for _ in range(400)]
        for number, socket in enumerate(sockets):
            socket.send(str(number))
        for number, socket in enumerate(sockets):
            socket.recv(timeout=20)
            assert socket.recv(timeout=20) == str(number)
