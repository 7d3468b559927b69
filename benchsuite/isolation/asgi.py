"""The project's ASGI callable with the run's header, and the target's WebSockets and layer."""

from collections.abc import Awaitable, Callable
from typing import Any

from django.conf import settings

from benchsuite.isolation.instructions import beside
from benchsuite.isolation.served import counting
from benchsuite.isolation.served.errors import SOCKET
from benchsuite.isolation.served.project import RUN_HEADER, loaded, own_headers, run_token

Event = dict[str, Any]
PLACES = {"http": "/bench/layer/", "websocket": "/bench/ws/"}
"""Paths of the target's routing, by type; everything of the type "channel" goes there too."""
_mark = f"{RUN_HEADER}.{run_token()}"  #: Offered to servers that accept without headers.
_for_autobahn = {RUN_HEADER: run_token()}
_overflow = counting.Overflow(counting.Counter(beside(counting.OVERFLOW_PREFIX)).add)
_project, _counter, _listener = loaded("asgi")
_STARTS = ("http.response.start", "websocket.accept", "websocket.http.response.start")


async def application(
    scope: Event, receive: Callable[[], Awaitable[Event]], send: Callable[[Event], Awaitable[None]]
) -> None:
    if scope["type"] == "http":
        _counter.add()
    marked = _mark in scope.get("subprotocols", ())
    if marked:
        scope = {**scope, "subprotocols": [name for name in scope["subprotocols"] if name != _mark]}

    accepted = False

    async def send_with_header(event: Event) -> None:
        nonlocal accepted
        if event["type"] == "websocket.accept":
            accepted = True
            _overflow.watch()  # by now, its layer has been imported
        elif event["type"] == "websocket.close" and not accepted:
            _listener.denied(scope)
        if event["type"] == "websocket.accept" and _is_daphne(send):
            event = {**event, "subprotocol": (event.get("subprotocol"), _for_autobahn)}
        elif event["type"] == "websocket.accept" and marked:
            event = {**event, "subprotocol": event.get("subprotocol") or _mark}
        elif event["type"] in _STARTS:
            own = [(name.lower().encode(), value.encode()) for name, value in own_headers()]
            event = {**event, "headers": [*event.get("headers", ()), *own]}
        await send(event)

    chosen = _project
    path, place = scope.get("path", ""), PLACES.get(scope["type"])
    to_target = scope["type"] == "channel" or (place is not None and path.startswith(place))
    if to_target and settings.BENCHSUITE_INSTRUCTIONS.needs_target_app:
        # Imported on first use, so that HTTP is measured without Channels in memory.
        from benchsuite.target.routing import application as chosen
    try:
        await chosen(scope, receive, send_with_header)
    except Exception as error:
        if scope["type"] in PLACES:  # Django raises for lifespan, and no page fails of it
            _listener.escaped(scope.get("method") or SOCKET, path, error)
        raise


def _is_daphne(send: Any) -> bool:
    """Daphne drops headers of an accepted WebSocket; autobahn takes them with the subprotocol."""
    server = getattr(getattr(send, "func", None), "__self__", None)
    return type(server).__module__.partition(".")[0] == "daphne"
