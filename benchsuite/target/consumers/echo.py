"""Sends back what it gets: text as text, binary as binary."""

from channels.generic.websocket import AsyncWebsocketConsumer, WebsocketConsumer

from benchsuite.target.consumers.accepting import chosen


class Echo(AsyncWebsocketConsumer):
    async def connect(self) -> None:
        await self.accept(chosen(self.scope))

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        await self.send(text_data, bytes_data)


class EchoSync(WebsocketConsumer):
    def connect(self) -> None:
        self.accept(chosen(self.scope))

    def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        self.send(text_data, bytes_data)
