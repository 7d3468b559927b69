"""The pages without Django: both interfaces answer what the views do."""

import asyncio
import io
from typing import Any

import pytest

from benchsuite.target.bare import application, asgi_application

Answer = tuple[int, bytes, bool]  #: Status, body, and whether the length that it says is right.


def by_wsgi(path: str, query: str = "", body: bytes = b"") -> Answer:
    said: list[Any] = []
    environ = {
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "CONTENT_LENGTH": str(len(body)) if body else "",
        "wsgi.input": io.BytesIO(body),
    }
    answer = b"".join(application(environ, lambda *start: said.extend(start)))
    status, headers = said
    return int(status.split()[0]), answer, dict(headers)["Content-Length"] == str(len(answer))


def events(scope: dict[str, Any], received: list[dict[str, Any]]) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return received.pop(0)

    async def send(event: dict[str, Any]) -> None:
        sent.append(event)

    asyncio.run(asgi_application(scope, receive, send))
    return sent


def by_asgi(path: str, query: str = "", body: bytes = b"") -> Answer:
    """The body comes in two parts."""
    parts = [
        {"type": "http.request", "body": body[:3], "more_body": True},
        {"type": "http.request", "body": body[3:]},
    ]
    asyncs = path.removesuffix("/") + "_async/"
    scope = {"type": "http", "path": asyncs, "query_string": query.encode()}
    start, end = events(scope, parts)
    length = dict(start["headers"])[b"content-length"]
    return start["status"], end["body"], length == str(len(end["body"])).encode()


@pytest.mark.parametrize("ask", [by_wsgi, by_asgi])
def test_pages_answer_what_the_views_do(ask: Any) -> None:
    assert ask("/bench/plain/") == (200, b"OK", True)
    assert ask("/bench/get/", "size=7") == (200, b"x" * 7, True)
    assert ask("/bench/echo/", body=b"0 1 2 3") == (200, b"0 1 2 3", True)
    assert ask("/bench/cpu/") == (404, b"", True)
    status, took, _ = ask("/bench/sleep/", "seconds=0.02")
    assert status == 200
    assert 0.019 <= float(took) < 5


def test_what_blocks_an_event_loop_is_no_page_of_one() -> None:
    assert by_wsgi("/bench/bench_app/", "version=2")[0] == 200
    assert by_asgi("/bench/bench_app/", "version=2")[0] == 404


def test_a_server_may_ask_whether_it_has_started_and_may_end() -> None:
    sent = events(
        {"type": "lifespan"}, [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}]
    )
    assert [event["type"] for event in sent] == [
        "lifespan.startup.complete",
        "lifespan.shutdown.complete",
    ]
