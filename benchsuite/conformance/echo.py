"""The smallest ASGI application that echoes: what a server does by itself, without Channels."""

import os
from collections.abc import Awaitable, Callable
from typing import Any

Event = dict[str, Any]

PATH = "/echo/"
SUBPROTOCOL = "benchsuite"


async def application(
    scope: Event,
    receive: Callable[[], Awaitable[Event]],
    send: Callable[[Event], Awaitable[None]],
) -> None:
    headers = [(b"x-benchsuite-run", os.environ.get("BENCHSUITE_RUN", "").encode())]
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 404, "headers": headers})
        await send({"type": "http.response.body", "body": b"WebSockets only"})
    elif scope["type"] == "websocket":
        await receive()
        if scope["path"] != PATH:
            await send({"type": "websocket.close"})
            return
        chosen = SUBPROTOCOL if SUBPROTOCOL in scope["subprotocols"] else None
        await send({"type": "websocket.accept", "subprotocol": chosen, "headers": headers})
        while (event := await receive())["type"] == "websocket.receive":
            text = event.get("text")
            said = {"text": text} if text is not None else {"bytes": event["bytes"]}
            await send({"type": "websocket.send", **said})
    else:
        raise ValueError(f"{scope['type']} is not served")
