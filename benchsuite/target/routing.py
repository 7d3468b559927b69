"""Each consumer at its name, its sync twin at the name with _sync; runs mount this at /bench/ws/.

Requests through the channel layer are at /bench/layer/. A project that wants the consumers in its
own routing includes `websocket_urlpatterns`; they answer only in a server that a run started.
"""

from typing import Any

from channels.routing import ProtocolTypeRouter, URLRouter
from django.urls import path, re_path

from benchsuite.target.consumers import (
    Broadcast,
    BroadcastSync,
    Echo,
    EchoLayer,
    EchoLayerSync,
    EchoSync,
    Idle,
    IdleSync,
)
from benchsuite.target.gate import refused, socket_only_in_a_run
from benchsuite.target.layer import Asking, workers_application

_consumers: dict[str, Any] = {
    "echo": Echo,
    "echo_sync": EchoSync,
    "echo_layer": EchoLayer,
    "echo_layer_sync": EchoLayerSync,
    "broadcast": Broadcast,
    "broadcast_sync": BroadcastSync,
    "idle": Idle,
    "idle_sync": IdleSync,
}

websocket_urlpatterns = [
    *(
        path(f"bench/ws/{name}/", socket_only_in_a_run(consumer.as_asgi()))
        for name, consumer in _consumers.items()
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
