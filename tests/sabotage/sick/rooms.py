"""Consumers of Channels by what is wrong with them, or with the layer that they send through."""

from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer


class Room(AsyncWebsocketConsumer):
    """What one says, all hear: those that share its layer."""

    groups = ("room",)

    async def receive(self, text_data: Any = None, bytes_data: Any = None) -> None:
        await self.channel_layer.group_send("room", {"type": "said", "text": text_data})

    async def said(self, event: Any) -> None:
        await self.send(event["text"])


class Crowded(AsyncWebsocketConsumer):
    """Echoes, and sends the same to a channel that nobody reads."""

    async def connect(self) -> None:
        await self.channel_layer.group_add("crowd", "nobody!here")
        await self.accept()

    async def receive(self, text_data: Any = None, bytes_data: Any = None) -> None:
        await self.channel_layer.group_send("crowd", {"type": "said", "text": text_data})
        await self.send(text_data)


class Members(AsyncWebsocketConsumer):
    """Lets nobody in."""

    async def connect(self) -> None:
        await self.close()


ROOMS = {"/room/": Room, "/crowded/": Crowded, "/members/": Members}
