"""Sends each subscriber's messages to all subscribers of its group, including itself.

`?room=NAME` selects a group; by default all subscribers share one. An accepted connection is
already subscribed.
"""

import re
from typing import Any
from urllib.parse import parse_qs

from asgiref.sync import async_to_sync
from channels.exceptions import DenyConnection
from channels.generic.websocket import AsyncWebsocketConsumer, WebsocketConsumer

from benchsuite.target.consumers.accepting import chosen, require_layer


def group(scope: dict[str, Any]) -> str:
    """The name of the group that the handshake requests."""
    room = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("room", ["0"])[0]
    if not re.fullmatch(r"[A-Za-z0-9]{1,40}", room):
        raise DenyConnection(f"room must be 1 to 40 letters and digits, and is {room!r}")
    return f"bench_broadcast_{room}"


class Broadcast(AsyncWebsocketConsumer):
    async def connect(self) -> None:
        require_layer(self)
        self.groups = [group(self.scope)]
        await self.channel_layer.group_add(self.groups[0], self.channel_name)
        await self.accept(chosen(self.scope))

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        event = {"type": "bench.broadcast", "text": text_data, "bytes": bytes_data}
        await self.channel_layer.group_send(self.groups[0], event)

    async def bench_broadcast(self, event: dict[str, Any]) -> None:
        await self.send(event["text"], event["bytes"])


class BroadcastSync(WebsocketConsumer):
    def connect(self) -> None:
        require_layer(self)
        self.groups = [group(self.scope)]
        async_to_sync(self.channel_layer.group_add)(self.groups[0], self.channel_name)
        self.accept(chosen(self.scope))

    def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        event = {"type": "bench.broadcast", "text": text_data, "bytes": bytes_data}
        async_to_sync(self.channel_layer.group_send)(self.groups[0], event)

    def bench_broadcast(self, event: dict[str, Any]) -> None:
        self.send(event["text"], event["bytes"])
