"""What is spoken inside the messages of a WebSocket, one file a protocol; plain Python."""

from benchsuite.exceptions import UsageError
from benchsuite.workloads.codecs.actioncable import ActionCable
from benchsuite.workloads.codecs.base import Codec
from benchsuite.workloads.codecs.plain import Plain
from benchsuite.workloads.codecs.socketio import SocketIo

CODECS: dict[str, type[Codec]] = {
    "plain": Plain,
    "socketio": SocketIo,
    "actioncable": ActionCable,
}
"""By the name that `ServerAdapter.websocket_codec` says."""


def codec_class(name: str) -> type[Codec]:
    """The codec of that name; raises UsageError with the valid names."""
    if name not in CODECS:
        raise UsageError(f"There is no codec {name!r}; there are: {', '.join(sorted(CODECS))}.")
    return CODECS[name]
