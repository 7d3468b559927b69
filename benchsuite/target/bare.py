"""Pages of the target without Django, as a WSGI and as an ASGI callable: for `--application`."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from functools import lru_cache
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs

from benchsuite.target import bench_app

Start = Callable[[str, list[tuple[str, str]]], Any]
Event = dict[str, Any]
Page = Callable[[str, bytes], bytes]  #: From query and body of the request.


def application(environ: dict[str, Any], start_response: Start) -> Iterable[bytes]:
    """Each page at the URL of the view that does the same; 404 for any other."""
    page = PAGES.get(_name(environ["PATH_INFO"]))
    length = int(environ.get("CONTENT_LENGTH") or 0)
    sent = environ["wsgi.input"].read(length) if length else b""
    body = b"" if page is None else page(environ.get("QUERY_STRING", ""), sent)
    status = HTTPStatus.NOT_FOUND if page is None else HTTPStatus.OK
    headers = [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))]
    start_response(f"{status.value} {status.phrase}", headers)
    return [body]


async def asgi_application(
    scope: dict[str, Any],
    receive: Callable[[], Awaitable[Event]],
    send: Callable[[Event], Awaitable[None]],
) -> None:
    """The same of all pages that wait for nothing, or that an event loop can wait for."""
    if scope["type"] == "lifespan":
        for step in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{step}.complete"})
        return
    name, query = _name(scope["path"]), scope["query_string"].decode()
    parts, goes_on = [], True
    while goes_on:
        event = await receive()
        parts.append(event.get("body", b""))
        goes_on = event.get("more_body", False)
    page = PAGES.get(name) if name != "bench_app" else None
    if name == "sleep":
        start = time.perf_counter()
        await asyncio.sleep(float(_option(query, "seconds")))
        body = _took(start)
    else:
        body = b"" if page is None else page(query, b"".join(parts))
    status = HTTPStatus.NOT_FOUND if page is None else HTTPStatus.OK
    headers = [(b"content-type", b"text/plain"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status.value, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@lru_cache
def _name(path: str) -> str:
    """ "get" of /bench/get/ and of its async twin."""
    return path.removeprefix("/bench/").removesuffix("/").removesuffix("_async")


@lru_cache
def _option(query: str, name: str) -> str:
    return parse_qs(query)[name][0]


def _took(start: float) -> bytes:
    return f"{time.perf_counter() - start:.4f}".encode()


def _sleep(query: str, body: bytes) -> bytes:
    start = time.perf_counter()
    time.sleep(float(_option(query, "seconds")))
    return _took(start)


PAGES: dict[str, Page] = {
    "plain": lambda query, body: b"OK",
    "get": lambda query, body: b"x" * int(_option(query, "size")),
    "echo": lambda query, body: body,
    "sleep": _sleep,
    "bench_app": lambda query, body: bench_app.page("2" if "version=2" in query else ""),
}
