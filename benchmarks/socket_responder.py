"""The responder of known service times, for WebSockets: it echoes each message after its time.

    python -P benchmarks/socket_responder.py --port 8123 --times uniform:1ms,10ms --log times.bin

One process and one epoll loop, as `benchmarks/responder.py`, whose log it writes, too. It takes
what clients send on trust: whole frames, masked, not fragmented, of less than 64 KiB.
"""

import heapq
import sys
from base64 import b64encode
from hashlib import sha1
from pathlib import Path
from time import monotonic

if __package__ in (None, ""):  # run with -P, which leaves the repository out of the path
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import responder
from benchmarks.responder import END_OF_HEAD, RUN_HEADER, Peer, Responder

MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
"""RFC 6455, 1.3."""

CLOSE_OPCODE = 8
PONG = 0x8A
PING_OPCODE = 9


class SocketResponder(Responder):
    """Shakes hands with whoever asks, and then echoes."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        run_header = str(arguments[2])
        self._named = f"{RUN_HEADER}: {run_header}\r\n" if run_header else ""
        self._open: set[Peer] = set()
        self._answers: dict[int, bytes] = {}
        """Frames that are due, by the number of their message."""

    def _begin(self, peer: Peer, read: float) -> None:
        if peer in self._open:
            self._take_frames(peer, read)
            return
        head, end, rest = peer.received.partition(END_OF_HEAD)
        if not end:
            return
        fields = dict(line.split(b": ", 1) for line in head.split(b"\r\n")[1:])
        key = {name.lower(): value for name, value in fields.items()}.get(b"sec-websocket-key")
        if key is None:
            self._close(peer)
            return
        accept = b64encode(sha1(key + MAGIC).digest()).decode()
        peer.socket.send(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Accept: {accept}\r\n{self._named}\r\n".encode()
        )
        peer.received = rest
        self._open.add(peer)

    def _take_frames(self, peer: Peer, read: float) -> None:
        """Plans the answer to each frame that is there as a whole."""
        block = peer.received
        while len(block) >= 6:
            length, at = block[1] & 0x7F, 2
            if length == 126:
                length, at = int.from_bytes(block[2:4], "big"), 4
            end = at + 4 + length
            if len(block) < end:
                break
            mask, payload = block[at : at + 4], block[at + 4 : end]
            payload = _unmasked(payload, mask)
            opcode = block[0] & 0x0F
            first = PONG if opcode == PING_OPCODE else block[0]
            frame = _frame(first, payload)
            block = block[end:]
            if opcode == CLOSE_OPCODE:
                peer.socket.send(frame)
                self._close(peer)
                return
            programmed = self._draw()
            self._number += 1
            self._answers[self._number] = frame
            heapq.heappush(self._due, (read + programmed, self._number, read, programmed, peer))
        peer.received = block

    def _answer_due(self) -> None:
        due = self._due
        while due and due[0][0] <= monotonic():
            _, number, read, programmed, peer = heapq.heappop(due)
            frame = self._answers.pop(number)
            try:
                peer.socket.send(frame)
            except OSError:
                self._close(peer)
                continue
            self.log.extend((read, monotonic(), programmed))
        if due and due[0][0] != self._alarm:
            self._alarm = due[0][0]
            self._timer.arm(self._alarm)

    def _close(self, peer: Peer) -> None:
        self._open.discard(peer)
        super()._close(peer)


def _unmasked(payload: bytes, mask: bytes) -> bytes:
    key = int.from_bytes((mask * (len(payload) // 4 + 1))[: len(payload)], "big")
    return (int.from_bytes(payload, "big") ^ key).to_bytes(len(payload), "big")


def _frame(first: int, payload: bytes) -> bytes:
    length = len(payload)
    if length < 126:
        return bytes((first, length)) + payload
    return bytes((first, 126)) + length.to_bytes(2, "big") + payload


if __name__ == "__main__":
    responder.main(SocketResponder)
