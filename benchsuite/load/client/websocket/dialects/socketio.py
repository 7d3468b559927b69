"""Socket.IO 5 over Engine.IO 4, by WebSocket alone; see socket.io/docs/v4/socket-io-protocol.

A message is an event named after what the server is to do with it: `42["echo","text"]`. Text only:
bytes would be a message of their own behind one that announces them.
"""

import json
from collections.abc import Sequence

from benchsuite.load.client.websocket.dialect import Heard
from benchsuite.load.client.websocket.dialects import wanted

OPEN, PING, PONG = b"0", b"2", b"3"
CONNECT, EVENT = b"40", b"42"


class SocketIo:
    subprotocols: Sequence[str] = ()
    address = "/socket.io/?EIO=4&transport=websocket"

    def __init__(self, path: str) -> None:
        self._start = EVENT + b'["%s",' % wanted(path).encode()
        self._awaited = OPEN  #: How the next packet of the opening begins; empty once it is over.

    def hear(self, frame: bytes) -> Heard:
        if frame == PING:
            return Heard(answer=PONG)
        if self._awaited:
            return self._opening(frame)
        if not (frame.startswith(self._start) and frame.endswith(b"]")):
            raise ValueError(f"expected a Socket.IO event, and got {frame[:60]!r}")
        payload = json.loads(frame[len(self._start) : -1])
        if not isinstance(payload, str):
            raise ValueError(f"expected an event with a text, and got {frame[:60]!r}")
        return Heard(payload=payload.encode())

    def say(self, payload: bytes) -> bytes:
        return b"%s%s]" % (self._start, json.dumps(payload.decode()).encode())

    def _opening(self, frame: bytes) -> Heard:
        if not frame.startswith(self._awaited):
            raise ValueError(f"expected the packet {self._awaited!r}, and got {frame[:60]!r}")
        if self._awaited == OPEN:
            self._awaited = CONNECT
            return Heard(answer=CONNECT)
        self._awaited = b""
        return Heard(ready=True)
