"""Live figures over WebSockets, beside the project's own ASGI application. Needs Channels.

application = benchsuite.asgi.live(get_asgi_application())
"""

import asyncio
import io
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer
from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.core.handlers.asgi import ASGIHandler, ASGIRequest
from django.db import Error
from django.urls import Resolver404, ResolverMatch, resolve, set_script_prefix
from django.utils.translation import get_language_from_path, override

from benchsuite.views.live import OVER, SOCKET, watch_of

Scope = dict[str, Any]
Application = Callable[[Scope, Any, Any], Awaitable[None]]

EVERY_S = 1.0
ASKED_AGAIN = 30  #: After so many messages it is asked again who may see them.


def live(application: Application) -> Application:
    """Serves the WebSockets of our pages; all else is the application's."""
    consumer = Live.as_asgi()

    async def serve(scope: Scope, receive: Any, send: Any) -> None:
        is_ours = scope["type"] == "websocket" and _match(_request(scope)) is not None
        if scope["type"] == "http":
            scope = {**scope, SOCKET: True}
        await (consumer if is_ours else application)(scope, receive, send)

    return serve


class Live(AsyncJsonWebsocketConsumer):
    """Sends what the page's URL answers to GET, whenever it has changed."""

    channel_layer_alias = ""  #: None, also where the project has some.
    handler = ASGIHandler()

    async def connect(self) -> None:
        if not (_is_same_origin(self.scope) and await self._may_see()):
            await self.close()
            return
        await self.accept()
        self._telling = asyncio.create_task(self._tell())

    async def disconnect(self, code: int) -> None:
        if telling := getattr(self, "_telling", None):
            telling.cancel()
            with suppress(asyncio.CancelledError):
                await telling

    async def _may_see(self) -> bool:
        """By the same rule and through the same middleware as the page."""
        response = await self.handler.get_response_async(_request(self.scope))
        return bool(response.status_code == 200)

    async def _tell(self) -> None:
        request = _request(self.scope)
        set_script_prefix(request.script_name or "")  # of links; a handler sets it for pages alone
        match = _match(request)
        watch = match and await database_sync_to_async(watch_of)(request, **match.kwargs)
        looks = 0
        with suppress(Error):  # the page then asks, and is told why
            while watch and (looks % ASKED_AGAIN or await self._may_see()):
                looks += 1
                message = await database_sync_to_async(watch.look)()
                await self.send_json(message or OVER)
                if message is None:
                    break
                await asyncio.sleep(EVERY_S)
        await self.close()


def _request(scope: Scope) -> ASGIRequest:
    """The GET of a WebSocket's address, with its headers and cookies."""
    scheme = {"wss": "https"}.get(scope.get("scheme", ""), "http")
    return ASGIRequest({**scope, "method": "GET", "scheme": scheme}, io.BytesIO())


def _match(request: ASGIRequest) -> ResolverMatch | None:
    try:
        with override(get_language_from_path(request.path_info)):  # it may begin with one
            match = resolve(request.path_info)
    except Resolver404:
        return None
    is_ours = match.url_name == "live" and match.app_names[-1:] == ["benchsuite"]
    return match if is_ours else None


def _is_same_origin(scope: Scope) -> bool:
    """Browsers send cookies along from the pages of any site: those of others get nothing."""
    request = _request(scope)
    origin = request.headers.get("Origin", "")
    try:
        own = request.get_host()
    except DisallowedHost:
        return False
    return urlsplit(origin).netloc == own or origin in settings.CSRF_TRUSTED_ORIGINS
