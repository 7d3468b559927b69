"""The pages without Django: both interfaces answer what the views do."""

import asyncio
import io

from benchsuite.target.bare import application, asgi_application


def by_wsgi(path, query="", body=b""):
    """Status, body, and whether the length that it says is right."""
    said = []
    environ = {
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "CONTENT_LENGTH": str(len(body)) if body else "",
        "wsgi.input": io.BytesIO(body),
    }
    answer = b"".join(application(environ, lambda *start: said.extend(start)))
    status, headers = said
    return int(status.split()[0]), answer, dict(headers)["Content-Length"] == str(len(answer))


def events(scope, received):
    sent = []

    async def receive():
        return received.pop(0)

    async def send(event):
        sent.append(event)

    asyncio.run(asgi_application(scope, receive, send))
    return sent


def by_asgi(path, query="", body=b""):
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


def test_values(golden):
    golden.values()
