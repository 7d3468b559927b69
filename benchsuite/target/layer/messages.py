"""Messages on the channel layer: plain values that every layer supports."""

import os
from collections.abc import Awaitable, Callable
from typing import Any

from benchsuite.target.gate import RUN_VARIABLE

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]

PATH = "/bench/layer/"
"""Requests below it go through the layer; a worker gets them with the rest of the path below
/bench/."""

TOKEN = 8


def workers_channel() -> str:
    """The channel of this run's workers.

    Its name contains the run's token, because not every layer adds its prefix to channels.
    """
    return f"bench.layer.{os.environ.get(RUN_VARIABLE, 'none')[:TOKEN]}"


async def request(scope: Message, receive: Receive) -> Message:
    """The whole request with its body."""
    body, more = b"", True
    while more:
        event = await receive()
        body += event.get("body", b"")
        more = event["type"] == "http.request" and event.get("more_body", False)
    return {
        "type": "bench.request",
        "method": scope["method"],
        "path": "/bench/" + scope["path"].removeprefix(PATH),
        "query_string": scope.get("query_string", b""),
        "headers": [[name, value] for name, value in scope["headers"]],
        "client": list(scope.get("client") or ()),
        "server": list(scope.get("server") or ()),
        "body": body,
    }


def answer(status: int, body: bytes) -> Message:
    """A response that is not from Django."""
    return {"status": status, "headers": [[b"content-type", b"text/plain"]], "body": body}
