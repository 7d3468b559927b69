"""The ASGI callable that runs serve: the project's own, with the run's header on every answer.

The WebSockets of the target and what `runworker` takes from its channels go to the target's own
routing, whether or not the project uses Channels. What is neither HTTP nor WebSocket (lifespan)
goes to the project as it is.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from django.conf import settings

from benchsuite.isolation.plan import Plan
from benchsuite.isolation.project import RUN_HEADER, project_asgi, run_token

Event = dict[str, Any]
Application = Callable[..., Awaitable[None]]

SOCKETS = "/bench/ws/"

_header = (RUN_HEADER.lower().encode(), run_token().encode())
_project = project_asgi()
_STARTS = ("http.response.start", "websocket.accept", "websocket.http.response.start")


async def application(
    scope: Event,
    receive: Callable[[], Awaitable[Event]],
    send: Callable[[Event], Awaitable[None]],
) -> None:
    async def send_with_header(event: Event) -> None:
        if event["type"] in _STARTS:
            event = {**event, "headers": [*event.get("headers", ()), _header]}
        await send(event)

    chosen = _target() if _is_targets(scope) else _project
    await chosen(scope, receive, send_with_header)


def _is_targets(scope: Event) -> bool:
    if scope["type"] == "websocket" and not scope.get("path", "").startswith(SOCKETS):
        return False
    if scope["type"] not in ("websocket", "channel"):
        return False
    plan: Plan = settings.BENCHSUITE_PLAN
    return plan.needs_target_app


def _target() -> Application:
    """Imported when it is first asked for, so that HTTP is measured without Channels in memory."""
    from benchsuite.target.routing import application as target

    found: Application = target
    return found
