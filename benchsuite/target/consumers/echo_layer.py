"""Sends messages through the channel layer to itself, and from there back.

A full channel closes the connection with 4013, so that losses are visible.
"""

from typing import Any

from asgiref.sync import async_to_sync
from channels.exceptions import ChannelFull
from channels.generic.websocket import AsyncWebsocketConsumer, WebsocketConsumer

from benchsuite.target.consumers.accepting import CHANNEL_FULL, chosen, require_layer


class EchoLayer(AsyncWebsocketConsumer):
    full = False

    async def connect(self) -> None:
        require_layer(self)
        await self.accept(chosen(self.scope))

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        event = {"type": "bench.echo", "text": text_data, "bytes": bytes_data}
        try:
            await self.channel_layer.send(self.channel_name, event)
        except ChannelFull:
            self.full = True
            await self.close(CHANNEL_FULL)

    async def bench_echo(self, event: dict[str, Any]) -> None:
        if not self.full:
            await self.send(event["text"], event["bytes"])


class EchoLayerSync(WebsocketConsumer):
    full = False

    def connect(self) -> None:
        require_layer(self)
        self.accept(chosen(self.scope))

    def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        event = {"type": "bench.echo", "text": text_data, "bytes": bytes_data}
        try:
            async_to_sync(self.channel_layer.send)(self.channel_name, event)
        except ChannelFull:
            self.full = True
            self.close(CHANNEL_FULL)

    def bench_echo(self, event: dict[str, Any]) -> None:
        if not self.full:
            self.send(event["text"], event["bytes"])
