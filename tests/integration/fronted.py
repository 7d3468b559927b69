"""Fronts with instances behind them, started for a test."""

import http.client
import os
import tempfile
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from django.utils.module_loading import import_string
from websockets.sync.client import ClientConnection, connect

from benchsuite.fronts import BUILTIN
from benchsuite.fronts.base import FrontAdapter, FrontPlace
from benchsuite.fronts.program import ProgramFront, front
from benchsuite.system.network import free_port
from tests.integration.serving import HOST, START_S, Served, started
from tests.integration.stub import stub


def front_class(name: str) -> type[FrontAdapter]:
    return import_string(BUILTIN[name])


PROGRAMS = [name for name in BUILTIN if issubclass(front_class(name), ProgramFront)]
"""What can stand before stubs; the others run their instances themselves."""


@dataclass(kw_only=True)
class Fronted(Served):
    """A front that was started, and what stands behind it."""

    instances: Sequence[Any]

    def open_websocket(self) -> ClientConnection:
        """To a server behind it, which says first who it is."""
        url = f"ws://{HOST}:{self.port}/who/"
        return connect(url, open_timeout=START_S, proxy=None, compression=None)

    def get(self, path: str = "/") -> tuple[http.client.HTTPResponse, bytes]:
        with closing(self.connect()) as connection:
            return exchange(connection, path)

    def ask(self, requests: int, *, clients: int = 20) -> "Asked":
        """Requests shared by clients, each with a connection that it keeps if it can."""

        def some(_: int) -> list[http.client.HTTPResponse]:
            with closing(self.connect()) as connection:
                return [exchange(connection)[0] for _ in range(requests // clients)]

        with ThreadPoolExecutor(clients) as pool:
            answers = [one for answers in pool.map(some, range(clients)) for one in answers]
        return Asked(answers)


class Asked:
    """What came back."""

    def __init__(self, answers: list[http.client.HTTPResponse]) -> None:
        self.statuses = Counter(one.status for one in answers)
        good = [one for one in answers if one.status == 200]
        self.instances = Counter(int(one.headers["X-Instance"]) for one in good)
        accepted: Counter[str] = Counter()
        for one in good:
            accepted |= Counter({one.headers["X-Instance"]: int(one.headers["X-Accepted"])})
        self.connections = accepted.total()
        """How many connections all instances had accepted by the last answer."""


def exchange(connection, path="/", body=None):
    connection.request("POST" if body else "GET", path, body)
    answer = connection.getresponse()
    return answer, answer.read()


@contextmanager
def temporary() -> Iterator[Path]:
    """Not pytest's folder: that is closed to the user that a front runs as, and is to stay so."""
    with tempfile.TemporaryDirectory(prefix="fronted-") as folder:
        yield Path(folder)


@contextmanager
def fronted(name, count=1, *, options=None, marker="", folder=None, server=""):
    """The front of that name before so many stubs, or of a real server; all are ready."""
    marker = marker or uuid.uuid4().hex
    with ExitStack() as stack:
        folder = folder or stack.enter_context(temporary())
        instances = [
            stack.enter_context(_instance(server, folder / str(number), marker))
            for number in range(count)
        ]
        for one in instances:
            one.wait()
        port = free_port()
        place = FrontPlace(folder=folder / "front", token=marker)
        adapter = front_class(name)(options or {}, place)
        process = stack.enter_context(
            front(
                adapter,
                (HOST, port),
                [(HOST, one.port) for one in instances],
                log=folder / "front.log",
                env=dict(os.environ),
                marker=marker,
            )
        )
        served = Fronted(adapter, process, port, marker, stack, instances=instances)
        served.wait()
        yield served


def _instance(server: str, folder: Path, marker: str) -> AbstractContextManager[Any]:
    folder.mkdir()
    start = partial(started, server) if server else partial(stub, "counting")
    return start(folder, marker=marker)
