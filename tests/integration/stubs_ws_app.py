"""An ASGI application of a few lines that answers WebSockets as the target's consumers do.

It stands for the target where only the load is tested: served by a real server, without Django.
What follows the path's last part decides what goes wrong: /bench/ws/echo/?every=3&do=twice.
"""

import asyncio
import os
from typing import Any
from urllib.parse import parse_qsl

RUN_HEADER = (b"x-benchsuite-run", os.environ.get("BENCHSUITE_RUN", "").encode())

subscribers: set[Any] = set()


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        while (await receive())["type"] != "lifespan.shutdown":
            await send({"type": "lifespan.startup.complete"})
        await send({"type": "lifespan.shutdown.complete"})
    elif scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": [RUN_HEADER]})
        await send({"type": "http.response.body", "body": b"OK"})
    else:
        await _speak(scope, receive, send)


async def _speak(scope: dict[str, Any], receive: Any, send: Any) -> None:
    await receive()
    path, asked = scope["path"], dict(parse_qsl(scope["query_string"].decode()))
    if asked.get("do") == "refuse":
        await send({"type": "websocket.close"})
        return
    headers = [] if asked.get("do") == "hide" else [RUN_HEADER]
    is_broadcast = "/broadcast" in path
    if is_broadcast:
        subscribers.add(send)
    await send({"type": "websocket.accept", "headers": headers})
    count = 0
    try:
        while True:
            event = await receive()
            if event["type"] == "websocket.disconnect":
                return
            count += 1
            odd = count % int(asked.get("every", 1)) == 0
            do = asked.get("do", "") if odd else ""
            if do == "close":
                await send({"type": "websocket.close", "code": 1011})
                return
            if is_broadcast:
                await _broadcast(event, count, do)
            elif "/echo" in path:
                await _echo(event, do, send)
    finally:
        subscribers.discard(send)


async def _echo(event: dict[str, Any], do: str, send: Any) -> None:
    text, data = event.get("text"), event.get("bytes")
    if do == "nothing":
        return
    if do == "damage":
        text = text and f"{text[:-1]}!"
    if do == "binary":
        text, data = None, (text or "").encode()
    if do == "late":
        await asyncio.sleep(0.4)
    for _ in range(2 if do == "twice" else 1):
        await send({"type": "websocket.send", "text": text, "bytes": data})


_held: list[dict[str, Any]] = []


async def _broadcast(event: dict[str, Any], count: int, do: str) -> None:
    """To all; some never get it, get it twice, or after the next one."""
    if do == "swap":
        _held.append(event)
        return
    for one in (event, *_held):
        for number, send in enumerate(list(subscribers)):
            if do == "skip" and number == 0:
                continue
            for _ in range(2 if do == "twice" and number == 0 else 1):
                await send(
                    {
                        "type": "websocket.send",
                        "text": one.get("text"),
                        "bytes": one.get("bytes"),
                    }
                )
    _held.clear()
