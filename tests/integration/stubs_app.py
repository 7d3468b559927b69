"""A tiny application on both interfaces, and a Django settings module, for the tests of adapters.

`/pid/` answers the id of the process, `/sleep/` leaves a file named `sleeping` in the folder
STUB_FOLDER and answers "slept" STUB_SLEEP_S later, `/most/` answers how many of those the process
had at once, anything else answers "ok".
"""

import asyncio
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SECRET_KEY = "for tests only"
ALLOWED_HOSTS = ["127.0.0.1"]
ROOT_URLCONF = "stubs_app"
WSGI_APPLICATION = "stubs_app.wsgi"
urlpatterns: list[object] = []
# runserver's line for every request, which no flag of it turns off
LOGGING = {"version": 1, "loggers": {"django.server": {"level": "WARNING"}}}


_lock = threading.Lock()
_asleep = 0
_most = 0


@contextmanager
def _counted() -> Iterator[float]:
    """Counts one sleeper while it sleeps; gives the seconds to sleep."""
    global _asleep, _most
    with _lock:
        _asleep += 1
        _most = max(_most, _asleep)
    Path(os.environ["STUB_FOLDER"], "sleeping").touch()
    yield float(os.environ["STUB_SLEEP_S"])
    with _lock:
        _asleep -= 1


def _body(path: str) -> bytes:
    if path == "/pid/":
        return str(os.getpid()).encode()
    if path == "/most/":
        return str(_most).encode()
    return b"slept" if path == "/sleep/" else b"ok"


def _headers(body: bytes) -> list[tuple[str, str]]:
    return [
        ("Content-Type", "text/plain"),
        ("Content-Length", str(len(body))),
        ("X-Benchsuite-Run", os.environ["BENCHSUITE_RUN"]),
    ]


def wsgi(environ, start_response):
    path = environ["PATH_INFO"]
    if path == "/sleep/":
        with _counted() as seconds:
            time.sleep(seconds)
    body = _body(path)
    start_response("200 OK", _headers(body))
    return [body]


async def asgi(scope, receive, send):
    if scope["type"] != "http":
        raise ValueError(f"only HTTP is served, and this is {scope['type']}")
    if scope["path"] == "/sleep/":
        with _counted() as seconds:
            await asyncio.sleep(seconds)
    body = _body(scope["path"])
    headers = [(name.lower().encode(), value.encode()) for name, value in _headers(body)]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})
