"""HTTP through the channel layer, as Channels 1 served it: a worker answers for the server.

    server  `Asking`     /bench/layer/plain/ → a message on the workers' channel; its answer back
    worker  `Answering`  that message → Django at /bench/plain/ → a message on the reply channel

Importing this imports Channels, so only `benchsuite.target.routing` does. Requests are answered one
after another, as by workers of Channels 1: more at once need more workers.
"""

import asyncio
import itertools
import logging
import os
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from typing import Any

from channels.consumer import AsyncConsumer
from channels.exceptions import ChannelFull, InvalidChannelLayerError
from channels.layers import InMemoryChannelLayer, get_channel_layer
from channels.routing import ChannelNameRouter
from channels.worker import Worker
from django.core.handlers.asgi import ASGIHandler

from benchsuite.target.gate import RUN_VARIABLE, Receive

Message = dict[str, Any]
PATH = "/bench/layer/"  #: Below it is, by the layer, what is below /bench/.
TOKEN = 8


def workers_channel() -> str:
    """The channel of this run's workers, by its token: not every layer adds a prefix."""
    return f"bench.layer.{os.environ.get(RUN_VARIABLE, 'none')[:TOKEN]}"


async def _request(scope: Message, receive: Receive) -> Message:
    """The whole request with its body."""
    body, more = b"", True
    while more:
        event = await receive()
        body += event.get("body", b"")
        more = event["type"] == "http.request" and event.get("more_body", False)
    return {
        "type": "bench.request",
        "method": scope["method"],
        "path": "/bench/" + scope["path"].removeprefix(PATH),
        "query_string": scope.get("query_string", b""),
        "headers": [[name, value] for name, value in scope["headers"]],
        "client": list(scope.get("client") or ()),
        "server": list(scope.get("server") or ()),
        "body": body,
    }


def _answer(status: int, body: bytes) -> Message:
    """A response that is not from Django."""
    return {"status": status, "headers": [[b"content-type", b"text/plain"]], "body": body}


logger = logging.getLogger("benchsuite.target.layer")


class Answering(AsyncConsumer):
    async def bench_hello(self, message: Message) -> None:
        """Reports that it listens."""
        await self._reply(message, {})

    async def bench_request(self, message: Message) -> None:
        try:
            reply = await _answered(message)
        except Exception:  # later messages on this channel must still be answered
            logger.exception("A request could not be answered: %s", message["path"])
            reply = _answer(500, b"The worker failed.")
        await self._reply(message, reply)

    async def _reply(self, message: Message, reply: Message) -> None:
        sent = {**reply, "type": "bench.answer", "number": message["number"]}
        try:
            await self.channel_layer.send(message["reply_channel"], sent)
        except ChannelFull:
            logger.error("An answer was lost: the server has not read the earlier ones.")


_django = cache(ASGIHandler)


async def _answered(message: Message) -> Message:
    """Django's response to the request in the message."""
    scope = {
        **message,
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "http",
        "root_path": "",
        "raw_path": message["path"].encode(),
    }
    events: asyncio.Queue[Message] = asyncio.Queue()  # no client disconnects before the response
    events.put_nowait({"type": "http.request", "body": message["body"], "more_body": False})
    sent: list[Mapping[str, Any]] = []

    async def send(event: Mapping[str, Any]) -> None:
        sent.append(event)

    await _django()(scope, events.get, send)
    start, *bodies = sent
    return {
        "status": start["status"],
        "headers": [list(header) for header in start["headers"]],
        "body": b"".join(event.get("body", b"") for event in bodies),
    }


def workers_application() -> Any:
    """The ASGI application for messages on the workers' channel."""
    return ChannelNameRouter({workers_channel(): Answering.as_asgi()})


REPLY_S = 20.0  #: How long an answer may take before the client gets a 504.
HELLO_S = 0.05  #: Pause between two attempts to reach the first worker.
HELLO = 0  #: The number of messages sent until a worker answers; requests count from 1.


class Asking:
    """The ASGI application of /bench/layer/, in one event loop. Answers arrive on one channel."""

    def __init__(self) -> None:
        self._numbers = itertools.count(HELLO + 1)
        self._waiting: dict[int, asyncio.Future[Message]] = {}
        self._meeting: asyncio.Task[None] | None = None
        self._running: list[asyncio.Task[None]] = []
        self._reply_channel = ""

    async def __call__(self, scope: Message, receive: Any, send: Any) -> None:
        message = await _request(scope, receive)
        try:
            async with asyncio.timeout(REPLY_S):
                reply = await self._asked(message)
        except TimeoutError:
            reply = _answer(504, b"No worker has answered in time.")
        except ChannelFull:
            reply = _answer(503, b"The channel of the workers is full.")
        start = {"type": "http.response.start", "status": reply["status"]}
        await send({**start, "headers": [tuple(header) for header in reply["headers"]]})
        await send({"type": "http.response.body", "body": reply["body"]})

    async def _asked(self, message: Message) -> Message:
        await self._meet()
        number, answered = next(self._numbers), asyncio.get_running_loop().create_future()
        self._waiting[number] = answered
        try:
            await self._send(number, message)
            reply: Message = await answered
            return reply
        finally:
            del self._waiting[number]

    async def _send(self, number: int, message: Message) -> None:
        sent = {**message, "number": number, "reply_channel": self._reply_channel}
        await needed(get_channel_layer(), PATH).send(workers_channel(), sent)

    async def _meet(self) -> None:
        """Returns once a worker listens; begins anew where answers or workers are lost."""
        met = self._meeting
        failed = met is None or (met.done() and (met.cancelled() or met.exception() is not None))
        if failed or any(task.done() for task in self._running):
            for task in self._running:
                task.cancel()
            self._meeting = asyncio.ensure_future(self._open())
        assert self._meeting is not None
        await asyncio.shield(self._meeting)  # a cancelled request must not cancel it for others

    async def _open(self) -> None:
        layer = needed(get_channel_layer(), PATH)
        self._reply_channel = await layer.new_channel()
        self._running = [asyncio.ensure_future(self._read(layer))]
        if isinstance(layer, InMemoryChannelLayer):
            # Messages don't leave this process, so the worker must be in it.
            worker = Worker(workers_application(), [workers_channel()], layer)
            self._running.append(asyncio.ensure_future(worker.handle()))
        # Messages without a listener are kept by some layers and lost by others.
        met = self._waiting[HELLO] = asyncio.get_running_loop().create_future()
        while not met.done():
            with suppress(ChannelFull):  # of earlier ones, which the first worker will read
                await self._send(HELLO, {"type": "bench.hello"})
            await asyncio.wait([met], timeout=HELLO_S)

    async def _read(self, layer: Any) -> None:
        while True:
            reply = await layer.receive(self._reply_channel)
            future = self._waiting.get(reply["number"])
            if future is not None and not future.done():
                future.set_result(reply)


def needed(layer: Any, whose: str) -> Any:
    """The same layer; raises InvalidChannelLayerError, for the log, where there is none."""
    if layer is None:
        raise InvalidChannelLayerError(
            f"{whose} needs a channel layer, and CHANNEL_LAYERS has no 'default'; add "
            "--layer=redis to the run."
        )
    return layer
