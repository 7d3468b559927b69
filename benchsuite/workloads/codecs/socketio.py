"""Socket.IO 5 over Engine.IO 4, by WebSocket alone; see socket.io/docs/v4/socket-io-protocol.

Text only: Socket.IO sends bytes in a message of their own, after one that announces them.
"""

import json
from contextlib import suppress

from benchsuite.exceptions import AnswerError
from benchsuite.workloads.codecs.base import DOES, Codec, Exchange, Message

OPEN, PING, PONG = "0", "2", "3"
CONNECT, DISCONNECT, EVENT, REFUSED = "40", "41", "42", "44"


class SocketIo(Codec):
    name = "socketio"
    does_all = DOES

    def __init__(self, does: str) -> None:
        super().__init__(does)
        self._start = f'{EVENT}["{does}",'

    def opening(self, exchange: Exchange) -> None:
        self._expect(OPEN, exchange)
        exchange.send(CONNECT)
        self._expect(CONNECT, exchange)

    def wrap(self, payload: Message) -> Message:
        return f"{self._start}{json.dumps(payload)}]"

    def unwrap(self, message: Message) -> Message | None:
        if message == PING:
            return None
        payload = None
        if isinstance(message, str) and message.startswith(self._start):
            with suppress(ValueError):
                payload = json.loads(message[len(self._start) : -1])
        if not isinstance(payload, str):
            raise AnswerError(f"expected the event {self.does!r}, and got {message[:60]!r}")
        return payload

    def answer(self, message: Message) -> Message | None:
        return PONG if message == PING else None

    def _expect(self, start: str, exchange: Exchange) -> None:
        while (message := exchange.receive()) == PING:
            exchange.send(PONG)
        if not (isinstance(message, str) and message.startswith(start)):
            raise AnswerError(
                f"expected Socket.IO's packet {start!r} at the opening, and got {message[:60]!r}"
            )
