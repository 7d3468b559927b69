"""The worker's side: runs Django for each request from the channel layer.

Requests are answered one after another, as by workers of Channels 1: more at once need more
workers.
"""

import asyncio
import logging
from collections.abc import Mapping
from functools import cache
from typing import Any

from channels.consumer import AsyncConsumer
from channels.exceptions import ChannelFull
from channels.routing import ChannelNameRouter
from django.core.handlers.asgi import ASGIHandler

from benchsuite.target.layer.messages import Message, answer, workers_channel

logger = logging.getLogger("benchsuite.target.layer")


class Answering(AsyncConsumer):
    async def bench_hello(self, message: Message) -> None:
        """Reports that it listens."""
        await self._reply(message, {})

    async def bench_request(self, message: Message) -> None:
        try:
            found = await answered(message)
        except Exception:  # later messages on this channel must still be answered
            logger.exception("A request could not be answered: %s", message["path"])
            found = answer(500, b"The worker failed.")
        await self._reply(message, found)

    async def _reply(self, message: Message, found: Message) -> None:
        said = {**found, "type": "bench.answer", "number": message["number"]}
        try:
            await self.channel_layer.send(message["reply_channel"], said)
        except ChannelFull:
            logger.error("An answer was lost: the server has not read the earlier ones.")


async def answered(message: Message) -> Message:
    """Django's response to the request in the message."""
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "http",
        "root_path": "",
        "method": message["method"],
        "path": message["path"],
        "raw_path": message["path"].encode(),
        "query_string": message["query_string"],
        "headers": [tuple(header) for header in message["headers"]],
        "client": message["client"] or None,
        "server": message["server"] or None,
    }
    events = iter([{"type": "http.request", "body": message["body"], "more_body": False}])
    sent: list[Mapping[str, Any]] = []

    async def receive() -> Message:
        for event in events:
            return event
        await asyncio.Event().wait()  # no client disconnects before the response
        raise AssertionError

    async def send(event: Mapping[str, Any]) -> None:
        sent.append(event)

    await _django()(scope, receive, send)
    start, *bodies = sent
    return {
        "status": start["status"],
        "headers": [list(header) for header in start["headers"]],
        "body": b"".join(event.get("body", b"") for event in bodies),
    }


def workers_application() -> Any:
    """The ASGI application for messages on the workers' channel."""
    return ChannelNameRouter({workers_channel(): Answering.as_asgi()})


@cache
def _django() -> ASGIHandler:
    return ASGIHandler()
