"""Keeps connections open and ignores all messages."""

from channels.generic.websocket import AsyncWebsocketConsumer, WebsocketConsumer

from benchsuite.target.consumers.accepting import chosen


class Idle(AsyncWebsocketConsumer):
    async def connect(self) -> None:
        await self.accept(chosen(self.scope))


class IdleSync(WebsocketConsumer):
    def connect(self) -> None:
        self.accept(chosen(self.scope))
