"""What stands around each target view: it is closed outside a run, and bounded inside."""

import os
from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponseBase, JsonResponse

RUN_VARIABLE = "BENCHSUITE_RUN"  #: Holds the token of the run, in the environment.
CLOSED = "Target views answer only inside a server that a run started."
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Asgi = Callable[[dict[str, Any], Receive, Send], Coroutine[Any, Any, Any]]
"""It returns nothing; Any, because Channels routes it by Django's `path()`, typed for views."""


class Refusal(Exception):
    """The message is in the body of the answer."""

    status = 400


class BadGateway(Refusal):
    status = 502


def only_in_a_run(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Answers 404 unless a run started this process."""

    @login_not_required  # whatever middleware the project has
    @wraps(view)
    def gated(request: HttpRequest, /, **kwargs: Any) -> HttpResponseBase:
        if RUN_VARIABLE not in os.environ:
            raise Http404(CLOSED)
        try:
            return view(request, **kwargs)
        except Refusal as error:
            return JsonResponse({"error": str(error)}, status=error.status)

    return gated


def only_in_a_run_async(
    view: Callable[[HttpRequest], HttpResponseBase | Awaitable[HttpResponseBase]],
) -> Callable[[HttpRequest], Coroutine[Any, Any, HttpResponseBase]]:
    """The same as an async view, of an async one or of one that awaits nothing."""

    @login_not_required  # whatever middleware the project has
    @wraps(view)
    async def gated(request: HttpRequest) -> HttpResponseBase:
        if RUN_VARIABLE not in os.environ:
            raise Http404(CLOSED)
        try:
            response = view(request)
            return response if isinstance(response, HttpResponseBase) else await response
        except Refusal as error:
            return JsonResponse({"error": str(error)}, status=error.status)

    return gated


async def refused(scope: dict[str, Any], receive: Receive, send: Send) -> Any:
    """Closes a WebSocket before it is open, which clients see as 403."""
    await receive()
    await send({"type": "websocket.close"})


def socket_only_in_a_run(consumer: Asgi) -> Asgi:
    """The same for a WebSocket: the handshake is refused."""

    @wraps(consumer)
    async def gated(scope: dict[str, Any], receive: Receive, send: Send) -> Any:
        await (consumer if RUN_VARIABLE in os.environ else refused)(scope, receive, send)

    return gated
