"""The measured consumers of Channels, each at its name, its sync twin at the name with _sync; runs
mount this at /bench/ws/. A project that wants them in its own routing includes
`websocket_urlpatterns`; they answer only in a server that a run started. An accepted connection is
already subscribed. A full channel closes the connection with 4013, so that losses are visible.
"""

from typing import Any

from asgiref.sync import async_to_sync
from channels.exceptions import ChannelFull
from channels.generic.websocket import AsyncWebsocketConsumer, WebsocketConsumer
from channels.routing import ProtocolTypeRouter, URLRouter
from django.urls import path, re_path

from benchsuite.target.gate import refused, socket_only_in_a_run
from benchsuite.target.layer import Asking, needed, workers_application

SUBPROTOCOL = "benchsuite"  #: The subprotocol they speak; it only shows that the server negotiates.
GROUP = "bench_broadcast"  #: The one that all subscribers share.
CHANNEL_FULL = 4013  #: Daphne's autobahn can't send the registered code, 1013.


def chosen(scope: dict[str, Any]) -> str | None:
    """The subprotocol to accept: ours if it was offered."""
    return SUBPROTOCOL if SUBPROTOCOL in scope.get("subprotocols", ()) else None


class OnLayer:
    """A consumer that can't connect without a channel layer; the error, for the log, says so."""

    channel_layer: Any

    def websocket_connect(self, message: dict[str, Any]) -> Any:
        needed(self.channel_layer, type(self).__name__)
        return super().websocket_connect(message)  # type: ignore[misc]


class Idle(AsyncWebsocketConsumer):
    async def connect(self) -> None:
        await self.accept(chosen(self.scope))


class IdleSync(WebsocketConsumer):
    def connect(self) -> None:
        self.accept(chosen(self.scope))


class Broadcast(OnLayer, Idle):
    groups = [GROUP]  # which it joins before it accepts

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        event = {"type": "bench.broadcast", "text": text_data, "bytes": bytes_data}
        await self.channel_layer.group_send(GROUP, event)

    async def bench_broadcast(self, event: dict[str, Any]) -> None:
        await self.send(event["text"], event["bytes"])


class BroadcastSync(OnLayer, IdleSync):
    groups = [GROUP]

    def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        event = {"type": "bench.broadcast", "text": text_data, "bytes": bytes_data}
        async_to_sync(self.channel_layer.group_send)(GROUP, event)

    def bench_broadcast(self, event: dict[str, Any]) -> None:
        self.send(event["text"], event["bytes"])


class Echo(Idle):
    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        await self.send(text_data, bytes_data)


class EchoSync(IdleSync):
    def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        self.send(text_data, bytes_data)


class EchoLayer(OnLayer, Idle):
    full = False

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


class EchoLayerSync(OnLayer, IdleSync):
    full = False

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


_twins: dict[str, tuple[Any, Any]] = {
    "echo": (Echo, EchoSync),
    "echo_layer": (EchoLayer, EchoLayerSync),
    "broadcast": (Broadcast, BroadcastSync),
    "idle": (Idle, IdleSync),
}

websocket_urlpatterns = [
    *(
        path(f"bench/ws/{name}{kind}/", socket_only_in_a_run(consumer.as_asgi()))
        for name, twins in _twins.items()
        for kind, consumer in zip(("", "_sync"), twins, strict=True)
    ),
    re_path(r"^bench/ws/", refused),
]

application = ProtocolTypeRouter(
    {
        "http": Asking(),
        "websocket": URLRouter(websocket_urlpatterns),
        "channel": workers_application(),
    }
)
