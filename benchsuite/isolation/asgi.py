"""The ASGI callable that runs serve: the project's own, with the run's header on every answer.

What is neither HTTP nor WebSocket (lifespan) goes to the project as it is.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from benchsuite.isolation.project import RUN_HEADER, project_asgi, run_token

Event = dict[str, Any]

_header = (RUN_HEADER.lower().encode(), run_token().encode())
_project = project_asgi()
_STARTS = ("http.response.start", "websocket.accept")


async def application(
    scope: Event,
    receive: Callable[[], Awaitable[Event]],
    send: Callable[[Event], Awaitable[None]],
) -> None:
    async def send_with_header(event: Event) -> None:
        if event["type"] in _STARTS:
            event = {**event, "headers": [*event.get("headers", ()), _header]}
        await send(event)

    await _project(scope, receive, send_with_header)
