"""How a server's own protocol wraps messages in WebSocket frames: Action Cable, Socket.IO.

A WebSocket server says what it wants to; ours echo what they get. Others (socket.io, Action Cable)
greet, want to be subscribed to, put messages into envelopes and send pings of their own. A dialect
does that for one connection and one path: it is pure, and sees text only. `hear()` takes a frame
and raises ValueError for one that makes no sense; `say()` gives the frame that carries a message.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What a frame from the server means."""

    payload: bytes | None = None  #: The message in it; None when it is about the connection itself.
    answer: bytes | None = None  #: A frame to send at once.
    ready: bool = False  #: Whether the handshake is over, and messages may be sent.


class ActionCable:
    """A message goes to the action `say` of the channel that is named after what the server is to
    do with it (EchoChannel). Text only: everything is JSON.
    """

    subprotocols: Sequence[str] = ("actioncable-v1-json",)
    address = "/cable"

    def __init__(self, path: str) -> None:
        self._identifier = json.dumps({"channel": f"{wanted(path).title()}Channel"})
        self._opening = [("welcome", self._command("subscribe")), ("confirm_subscription", None)]
        """What is still to come in it, and what is answered."""

    def hear(self, frame: bytes) -> Heard:
        fields = json.loads(frame)
        if not isinstance(fields, dict):
            raise ValueError(f"expected an object of Action Cable, and got {frame[:60]!r}")
        if fields.get("type") == "ping":
            return Heard()
        if self._opening:
            awaited, answer = self._opening[0]
            if fields.get("type") != awaited:
                raise ValueError(f"expected {awaited!r} of Action Cable, and got {fields}")
            del self._opening[0]
            return Heard(answer=answer, ready=not self._opening)
        inner = fields.get("message")
        text = inner.get("text") if isinstance(inner, dict) else None
        if fields.get("identifier") != self._identifier or not isinstance(text, str):
            raise ValueError(f"expected a message of Action Cable, and got {frame[:60]!r}")
        return Heard(payload=text.encode())

    def say(self, payload: bytes) -> bytes:
        data = json.dumps({"action": "say", "text": payload.decode()})
        return self._command("message", data=data)

    def _command(self, name: str, **more: str) -> bytes:
        return json.dumps({"command": name, "identifier": self._identifier, **more}).encode()


OPEN, PING, PONG = b"0", b"2", b"3"
CONNECT, EVENT = b"40", b"42"


class SocketIo:
    """A message is an event named after what the server is to do with it: `42["echo","text"]`. Text
    only: bytes would be a message of their own behind one that announces them.
    """

    subprotocols: Sequence[str] = ()
    address = "/socket.io/?EIO=4&transport=websocket"

    def __init__(self, path: str) -> None:
        self._start = EVENT + b'["%s",' % wanted(path).encode()
        self._opening = [(OPEN, CONNECT), (CONNECT, None)]
        """How what is still to come in it begins, and what is answered."""

    def hear(self, frame: bytes) -> Heard:
        if frame == PING:
            return Heard(answer=PONG)
        if self._opening:
            awaited, answer = self._opening[0]
            if not frame.startswith(awaited):
                raise ValueError(f"expected the packet {awaited!r}, and got {frame[:60]!r}")
            del self._opening[0]
            return Heard(answer=answer, ready=not self._opening)
        if not (frame.startswith(self._start) and frame.endswith(b"]")):
            raise ValueError(f"expected a Socket.IO event, and got {frame[:60]!r}")
        payload = json.loads(frame[len(self._start) : -1])
        if not isinstance(payload, str):
            raise ValueError(f"expected an event with a text, and got {frame[:60]!r}")
        return Heard(payload=payload.encode())

    def say(self, payload: bytes) -> bytes:
        return b"%s%s]" % (self._start, json.dumps(payload.decode()).encode())


Dialect = ActionCable | SocketIo


def wanted(path: str) -> str:
    """What the server is asked to do: the last word of a workload's path."""
    return urlsplit(path).path.rstrip("/").rpartition("/")[2]
