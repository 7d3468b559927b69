"""The server's side: sends each request through the channel layer and awaits its answer."""

import asyncio
import itertools
from contextlib import suppress
from typing import Any

from channels.exceptions import ChannelFull, InvalidChannelLayerError
from channels.layers import InMemoryChannelLayer, get_channel_layer
from channels.worker import Worker

from benchsuite.target.layer.answering import workers_application
from benchsuite.target.layer.messages import Message, answer, request, workers_channel

REPLY_S = 20.0  #: How long an answer may take before the client gets a 504.
HELLO_S = 0.05  #: Pause between two attempts to reach the first worker.

HELLO = 0  #: The number of messages sent until a worker answers; requests count from 1.


class Asking:
    """The ASGI application of /bench/layer/: one a process, in one event loop.

    All answers arrive on one channel of this process, each with its request's number.
    """

    def __init__(self, reply_s: float = REPLY_S) -> None:
        self._reply_s = reply_s
        self._numbers = itertools.count(HELLO + 1)
        self._waiting: dict[int, asyncio.Future[Message]] = {}
        self._met: asyncio.Task[None] | None = None
        self._running: list[asyncio.Task[None]] = []
        self._reply_channel = ""

    async def __call__(self, scope: Message, receive: Any, send: Any) -> None:
        message = await request(scope, receive)
        try:
            async with asyncio.timeout(self._reply_s):
                found = await self._asked(message)
        except TimeoutError:
            found = answer(504, b"No worker has answered in time.")
        except ChannelFull:
            found = answer(503, b"The channel of the workers is full.")
        start = {"type": "http.response.start", "status": found["status"]}
        await send({**start, "headers": [tuple(header) for header in found["headers"]]})
        await send({"type": "http.response.body", "body": found["body"]})

    async def _asked(self, message: Message) -> Message:
        await self._meet()
        return await self._answered(next(self._numbers), message)

    async def _answered(self, number: int, message: Message) -> Message:
        future: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        try:
            await self._send(number, message)
            return await future
        finally:
            del self._waiting[number]

    async def _send(self, number: int, message: Message) -> None:
        said = {**message, "number": number, "reply_channel": self._reply_channel}
        await _layer().send(workers_channel(), said)

    async def _meet(self) -> None:
        """Returns once a worker listens; earlier requests all wait for this."""
        if self._met is None or self._is_broken(self._met):
            for task in self._running:
                task.cancel()
            self._met = asyncio.ensure_future(self._open())
        await asyncio.shield(self._met)  # a cancelled request must not cancel it for others

    def _is_broken(self, met: asyncio.Task[None]) -> bool:
        """Whether the layer has failed since: reading answers or reaching workers has ended."""
        failed = met.done() and (met.cancelled() or met.exception() is not None)
        return failed or any(task.done() for task in self._running)

    async def _open(self) -> None:
        layer = _layer()
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
            found = await layer.receive(self._reply_channel)
            future = self._waiting.get(found["number"])
            if future is not None and not future.done():
                future.set_result(found)


def _layer() -> Any:
    layer = get_channel_layer()
    if layer is None:
        raise InvalidChannelLayerError(
            "/bench/layer/ needs a channel layer, and CHANNEL_LAYERS has no 'default'; add "
            "--layer=redis to the run."
        )
    return layer
