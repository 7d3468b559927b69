"""Sends back what it gets: text as text, binary as binary."""

from channels.generic.websocket import AsyncWebsocketConsumer, WebsocketConsumer

from benchsuite.target.consumers.accepting import chosen


class Echo(AsyncWebsocketConsumer):
    async def connect(self):
        await self.accept(chosen(self.scope))

    async def receive(self, text_data=None, bytes_data=None):
        await self.send(text_data, bytes_data)


class EchoSync(WebsocketConsumer):
    def connect(self):
        self.accept(chosen(self.scope))

    def receive(self, text_data=None, bytes_data=None):
        self.send(text_data, bytes_data)
