"""What passes through the channel layer: plain values, which every layer can carry."""

import os
from collections.abc import Awaitable, Callable
from typing import Any

from benchsuite.target.gate import RUN_VARIABLE

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]

PATH = "/bench/layer/"
"""Below it a request goes through the layer; a worker gets it with the rest of its path below
/bench/."""

TOKEN = 8


def workers_channel() -> str:
    """The channel that the workers of this run listen to.

    The run is in its name, because not every layer puts its prefix before names of channels.
    """
    return f"bench.layer.{os.environ.get(RUN_VARIABLE, 'none')[:TOKEN]}"


async def request(scope: Message, receive: Receive) -> Message:
    """The whole request, body included."""
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
    """An answer that Django did not make."""
    return {"status": status, "headers": [[b"content-type", b"text/plain"]], "body": body}
