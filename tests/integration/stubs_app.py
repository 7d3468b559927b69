"""A tiny application on both interfaces, and a Django settings module, for the tests of adapters.

`/pid/` answers the id of the process, `/sleep/` leaves a file named `sleeping` in the folder
STUB_FOLDER and answers "slept" STUB_SLEEP_S later, `/nap/` does so after a quarter of a second,
`/most/` answers how many of both the process had at once, `/frozen/` how many objects its collector
leaves alone, anything else answers "ok", `/headers/`
with LEGAL ones. A WebSocket gets back what it sends, at `/who/` after the id of the process.
"""

import asyncio
import gc
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


LEGAL = [
    ("Set-Cookie", "csrftoken=abc; Path=/; SameSite=Lax"),
    ("Set-Cookie", 'messages="a b"; HttpOnly'),
    ("Vary", "Cookie"),
    ("Vary", "Accept"),
    ("X-Empty", ""),
    ("X-Tab", "a\tb"),
    ("X-Latin", "caf\xe9"),
    ("X-Long", "x" * 6000),
    ("ETag", 'W/"1"'),
]
NAP_S = 0.25
SLEEPING = ("/nap/", "/sleep/")


@contextmanager
def _counted(path: str) -> Iterator[float]:
    """Counts one sleeper while it sleeps; gives the seconds to sleep."""
    global _asleep, _most
    with _lock:
        _asleep += 1
        _most = max(_most, _asleep)
    if path == "/sleep/":
        Path(os.environ["STUB_FOLDER"], "sleeping").touch()
    yield float(os.environ["STUB_SLEEP_S"]) if path == "/sleep/" else NAP_S
    with _lock:
        _asleep -= 1


def _body(path: str) -> bytes:
    if path == "/pid/":
        return str(os.getpid()).encode()
    if path == "/most/":
        return str(_most).encode()
    if path == "/frozen/":
        return str(gc.get_freeze_count()).encode()
    return b"slept" if path in SLEEPING else b"ok"


def _more(path: str) -> list[tuple[str, str]]:
    return LEGAL if path == "/headers/" else []


def _headers(body: bytes, more: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [
        ("Content-Type", "text/plain"),
        ("Content-Length", str(len(body))),
        ("X-Benchsuite-Run", os.environ["BENCHSUITE_RUN"]),
        *more,
    ]


def wsgi(environ, start_response):
    path = environ["PATH_INFO"]
    if path in SLEEPING:
        with _counted(path) as seconds:
            time.sleep(seconds)
    body = _body(path)
    # Django begins each cookie with a blank
    more = [(name, " " * (name == "Set-Cookie") + value) for name, value in _more(path)]
    start_response("200 OK", _headers(body, more))
    return [body]


async def _echo(path, receive, send):
    while (event := await receive())["type"] != "websocket.disconnect":
        if event["type"] == "websocket.connect":
            run = os.environ["BENCHSUITE_RUN"].encode()
            await send({"type": "websocket.accept", "headers": [(b"x-benchsuite-run", run)]})
            if path == "/who/":
                await send({"type": "websocket.send", "text": str(os.getpid())})
        else:
            kept = {name: event.get(name) for name in ("text", "bytes")}
            await send({"type": "websocket.send", **kept})


async def asgi(scope, receive, send):
    if scope["type"] == "websocket":
        await _echo(scope["path"], receive, send)
        return
    if scope["type"] != "http":
        raise ValueError(f"only HTTP and WebSockets are served, and this is {scope['type']}")
    if scope["path"] in SLEEPING:
        with _counted(scope["path"]) as seconds:
            await asyncio.sleep(seconds)
    body = _body(scope["path"])
    said = _headers(body, _more(scope["path"]))
    headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in said]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})
