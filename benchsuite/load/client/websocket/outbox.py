"""Sends what the kernel accepts at once, and the rest when it accepts more."""

from typing import Any

WRITABLE = 2  #: The event of libev.


class Outbox:
    """The outgoing side of one socket; it never blocks."""

    def __init__(self, plain: Any, loop: Any) -> None:
        """`plain` is a non-blocking socket, `loop` that of the hub."""
        self._plain = plain
        self._rest = bytearray()  #: What the kernel has not accepted yet.
        self._writable = loop.io(plain.fileno(), WRITABLE)

    def send(self, data: bytes) -> None:
        """Sends in order; errors are ignored, because reading reports them."""
        if self._rest:
            self._rest += data
            return
        try:
            sent = self._plain.send(data)
        except BlockingIOError:
            sent = 0
        except OSError:
            return
        if sent < len(data):
            self._rest += memoryview(data)[sent:]
            self._writable.start(self._go_on)

    def close(self) -> None:
        """Stops sending; to be called before the socket is closed."""
        self._writable.stop()
        self._writable.close()

    def _go_on(self) -> None:
        """In the hub: the kernel accepts more."""
        try:
            sent = self._plain.send(self._rest)
        except BlockingIOError:
            return
        except OSError:
            sent = len(self._rest)
        del self._rest[:sent]
        if not self._rest:
            self._writable.stop()
