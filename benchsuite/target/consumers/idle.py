"""Keeps connections open and says nothing, whatever it is told."""

from channels.generic.websocket import AsyncWebsocketConsumer, WebsocketConsumer

from benchsuite.target.consumers.accepting import chosen


class Idle(AsyncWebsocketConsumer):
    async def connect(self):
        await self.accept(chosen(self.scope))


class IdleSync(WebsocketConsumer):
    def connect(self):
        self.accept(chosen(self.scope))
