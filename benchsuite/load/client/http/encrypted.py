"""A connection that speaks TLS, read in the hub like a plain one (`client.tls`)."""

from contextlib import suppress

from gevent.socket import socket as GreenSocket

from benchsuite.core.samples import Kind
from benchsuite.load.client.http.connection import BLOCK_BYTES, Connection, ConnectionFailed
from benchsuite.load.client.target import Target
from benchsuite.load.client.tls import Tls


class EncryptedConnection(Connection):
    """Like a plain one, with a handshake as a part of connecting."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._tls: Tls | None = None
        self._early = b""  #: What the server said with the end of the handshake.

    def close(self) -> None:
        tls, self._tls = self._tls, None
        if tls is not None:
            tls.good_bye()
            with suppress(OSError):  # a server that is gone need not hear it
                self._plain.send(tls.due())
        super().close()

    def _connect(self) -> GreenSocket:
        connected = super()._connect()
        self.connecting = True
        assert self._target.context is not None
        self._tls = tls = Tls(self._target.context, self._target.name)
        self._early = b""
        while not tls.shaken:
            self._send_due(tls, connected)
            try:
                block = super()._next_block()
            except OSError:
                raise _cut_off("reset") from None
            self._early += tls.take(block)
            if tls.failure is not None:
                raise ConnectionFailed(*tls.failure)
            if not block or tls.over:
                raise _cut_off("closed")
        self._send_due(tls, connected)
        self.connecting = False
        return connected

    def _send(self, connected: GreenSocket, request: bytes) -> None:
        assert self._tls is not None
        self._tls.put(request)
        self._send_due(self._tls, connected)

    def _send_due(self, tls: Tls, connected: GreenSocket) -> None:
        if due := tls.due():
            super()._send(connected, due)

    def _next_block(self) -> bytes:
        """The next bytes, decrypted; none at the end."""
        tls = self._tls
        assert tls is not None
        assert self._socket is not None
        plain, self._early = self._early, b""
        while not plain and not tls.over and (block := super()._next_block()):
            plain = tls.take(block)
            self._send_due(tls, self._socket)  # a change of keys wants an answer
            if tls.failure is not None:
                raise ConnectionFailed(*tls.failure)
        return plain

    def _look(self) -> bytes | None:
        """Nothing too where the server only said what TLS says by itself: tickets for sessions."""
        assert self._tls is not None
        try:
            block = self._plain.recv(BLOCK_BYTES)
        except BlockingIOError:
            return None
        except OSError:
            return b""
        plain = self._tls.take(block)
        return plain or (None if block and not (self._tls.over or self._tls.failure) else b"")


def connection(target: Target) -> Connection:
    """A new one, for one user; it connects when it is asked for something."""
    return Connection(target) if target.context is None else EncryptedConnection(target)


def _cut_off(how: str) -> ConnectionFailed:
    return ConnectionFailed(Kind.RESET, f"the connection was {how} in the TLS handshake")
