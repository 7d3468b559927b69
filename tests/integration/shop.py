"""A small project `shop`, laid out as the samples of deploy/ want it, and what starts it."""

import os
import socket
import subprocess
import sys
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchsuite.system.network import free_port
from benchsuite.system.process import running, wait_until_ready
from benchsuite.telemetry.prober.answer import Probe
from tests.integration import stranger

HOST = "127.0.0.1"
READY_S = 30.0
CHECK_S = 60.0

SETTINGS = """
import os
from django.http import HttpResponse
from django.urls import path

SECRET_KEY = "for the test"
ALLOWED_HOSTS = ["*"]
ROOT_URLCONF = __name__


def front_page(request):
    headers = {"X-Benchsuite-Run": os.environ["BENCHSUITE_RUN"]}
    return HttpResponse(str(os.getpid()), headers=headers)


urlpatterns = [path("", front_page)]
"""

ECHOING = """
from django.core.asgi import get_asgi_application

pages = get_asgi_application()


async def application(scope, receive, send):
    if scope["type"] != "websocket":
        return await pages(scope, receive, send)
    await receive()
    await send({"type": "websocket.accept"})
    while (event := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "text": event["text"]})
"""
"""An ASGI application that echoes what comes by WebSocket, in a process that knows its settings."""

ASGI = f"""
import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")
{ECHOING}"""

ACTIVATED = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
os.execvp(sys.argv[2], sys.argv[2:])
"""
"""What systemd does with a socket before it starts the service."""


class Shop:
    """The project in a folder, and a token by which its answers are known."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.token = uuid.uuid4().hex
        package = folder / "shop"
        package.mkdir()
        modules = {"__init__": "", "settings": SETTINGS, "asgi": ASGI}
        modules["wsgi"] = stranger.CALLABLE.format(kind="wsgi")
        for name, content in modules.items():
            (package / f"{name}.py").write_text(content)
        static = folder / "staticfiles"
        static.mkdir()
        (static / "shop.css").write_text("body {}")

    @property
    def env(self) -> dict[str, str]:
        own = {"PYTHONPATH": str(self.folder), "DJANGO_SETTINGS_MODULE": "shop.settings"}
        return {**os.environ, **own}

    def moved(self, text: str, **others: str) -> str:
        """A sample with its places here; `others` are replaced as they stand, in that order."""
        for old, new in others.items():
            assert old in text, f"the sample has no {old}"
            text = text.replace(old, new)
        return text.replace("/opt/shop/.venv/bin", str(Path(sys.executable).parent)).replace(
            "/opt/shop", str(self.folder)
        )

    def words(self, words: Sequence[str]) -> list[str]:
        return [self.moved(word) for word in words]

    def answers(self, port: int) -> bool:
        return Probe(f"http://{HOST}:{port}/", self.token, timeout_s=2)()

    @contextmanager
    def started(self, argv, port, *, env=None):
        """A program, until it answers on that port as this shop."""
        name = f"{Path(argv[0]).name}-{port}"
        with running(
            argv,
            name=name,
            log=self.folder / f"{name}.log",
            env={**self.env, **(env or {})},
            cwd=self.folder,
            marker=self.token,
            grace_s=15.0,
        ) as process:
            wait_until_ready(process, lambda: self.answers(port), timeout_s=READY_S)
            yield process

    @contextmanager
    def activated(self, argv: Sequence[str], backlog: int = 2048) -> Iterator[int]:
        """A program that gets a listening socket as its number 3; the port of it."""
        with socket.create_server((HOST, 0), backlog=backlog) as listener:
            listener.set_inheritable(True)
            port: int = listener.getsockname()[1]
            handle = str(listener.fileno())
            with subprocess.Popen(
                [sys.executable, "-c", ACTIVATED, handle, *argv],
                pass_fds=[listener.fileno()],
                cwd=self.folder,
                env={**self.env, "BENCHSUITE_RUN": self.token},
            ) as popen:
                try:
                    yield port
                finally:
                    popen.terminate()
                    popen.wait(20)

    @contextmanager
    def served(self, count: int = 1) -> Iterator[list[int]]:
        """So many uvicorns of it; their ports."""
        with ExitStack() as stack:
            ports = [free_port() for _ in range(count)]
            for port in ports:
                argv = [sys.executable, "-m", "uvicorn", "shop.asgi:application"]
                argv += ["--host", HOST, "--port", str(port), "--log-level", "warning"]
                stack.enter_context(self.started(argv, port))
            yield ports


def get(port: int, path: str = "/") -> tuple[int, bytes]:
    status, body, _ = stranger.get(port, path)
    return status, body


def echoes(port: int) -> bool:
    from websockets.sync.client import connect  # comes with uvicorn[standard]

    with connect(f"ws://{HOST}:{port}/ws/", open_timeout=READY_S, proxy=None) as websocket:
        websocket.send("through")
        return websocket.recv(timeout=20) == "through"


def looked_through(*command: str, env: dict[str, str] | None = None) -> str:
    """What a program says that looks a file through; it must be content."""
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=CHECK_S,
        check=False,
        env={**os.environ, **(env or {})},
    )
    assert done.returncode == 0, done.stdout
    return done.stdout
