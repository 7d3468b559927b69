"""How the measured consumers accept a connection, and what they require."""

from typing import Any

from channels.exceptions import InvalidChannelLayerError

SUBPROTOCOL = "benchsuite"  #: The subprotocol they speak; it only shows that the server negotiates.

CHANNEL_FULL = 4013
"""The close code of such a connection; autobahn, and so Daphne, can't send the registered 1013."""


def chosen(scope: dict[str, Any]) -> str | None:
    """The subprotocol to accept: ours if it was offered."""
    return SUBPROTOCOL if SUBPROTOCOL in scope.get("subprotocols", ()) else None


def require_layer(consumer: Any) -> None:
    """Refuses the handshake, with a message in the log, if the project has no channel layer."""
    if consumer.channel_layer is None:
        raise InvalidChannelLayerError(
            f"{type(consumer).__name__} needs a channel layer, and CHANNEL_LAYERS has no "
            f"{consumer.channel_layer_alias!r}; add --layer=redis to the run."
        )
