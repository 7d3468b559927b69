"""WebSockets by what is wrong with them; pages are those of `urls`. `?each=50` as there.

Those of `rooms` are consumers of Channels.
"""

import itertools
from typing import Any
from urllib.parse import parse_qs

from channels.security.websocket import OriginValidator
from django.core.asgi import get_asgi_application

from tests.sabotage.sick.rooms import ROOMS

EACH = 20
"""Every twentieth message is treated as the path says, unless the query tells another number."""

HOARD_AT, HOARD_BYTES = 20, 48 * 2**20
"""The connection with which `hoarding` takes so much at once."""

_pages = get_asgi_application()
ADMITTED = 6
"""How many connections `closed-shop` takes in all: two of the check, and four users."""
KEPT_BYTES = 8192
"""What `keeping` keeps of each connection."""

_connections, _messages = itertools.count(1), itertools.count(1)
_hoard: list[bytearray] = []


async def application(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] != "websocket":
        await _pages(scope, receive, send)
        return
    room = ROOMS.get(scope["path"])
    if room is not None:
        await room.as_asgi()(scope, receive, send)
        return
    if scope["path"] == "/elsewhere/":
        await OriginValidator(None, ["https://elsewhere.example"])(scope, receive, send)
        return
    await receive()
    if scope["path"] == "/closed-shop/" and next(_connections) > ADMITTED:
        await send({"type": "websocket.close"})
        return
    if scope["path"] == "/keeping/":
        _hoard.append(bytearray(b"x") * KEPT_BYTES)
    await send({"type": "websocket.accept"})
    if "hoarding" in scope["path"] and next(_connections) == HOARD_AT:
        _hoard.append(bytearray(b"x") * HOARD_BYTES)
    each = int(parse_qs(scope["query_string"].decode()).get("each", [EACH])[0])
    while (event := await receive())["type"] != "websocket.disconnect":
        is_odd = next(_messages) % each == 0
        if is_odd and "closing" in scope["path"]:
            await send({"type": "websocket.close", "code": 1011})
            return
        if is_odd and "raising" in scope["path"]:
            raise ValueError("too many connections in this room")
        for _ in range(2 if is_odd and "copying" in scope["path"] else 1):
            await send({"type": "websocket.send", "text": event["text"]})
