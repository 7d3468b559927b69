"""An ASGI application that sends WebSocket messages back; the first one says from which process."""

import os
from collections.abc import Awaitable, Callable
from typing import Any

Event = dict[str, Any]


async def asgi(
    scope: Event, receive: Callable[[], Awaitable[Event]], send: Callable[[Event], Awaitable[None]]
) -> None:
    if scope["type"] == "http":
        header = (b"x-benchsuite-run", os.environ["BENCHSUITE_RUN"].encode())
        await send({"type": "http.response.start", "status": 200, "headers": [header]})
        await send({"type": "http.response.body", "body": b"ok"})
    elif scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        await send({"type": "websocket.send", "text": str(os.getpid())})
        while (event := await receive())["type"] == "websocket.receive":
            kind = "bytes" if event.get("bytes") is not None else "text"
            await send({"type": "websocket.send", kind: event[kind]})
    else:
        raise ValueError(f"{scope['type']} is not served")
