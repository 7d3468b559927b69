"""A connection that speaks TLS: read in the hub like a plain one, so its times mean the same.

The hub takes the bytes from the socket and notes the time; the user's greenlet decrypts them when
its turn comes. So the time of an answer is when its last bytes came, as without TLS, and what
decrypting takes is the generator's (B101), not the server's. Each connection makes a whole
handshake: sessions are not resumed, as if each came from a new visitor.
"""

import ssl
from contextlib import suppress
from typing import Any

from gevent.socket import socket as GreenSocket

from benchsuite.core.samples import Kind
from benchsuite.load.client.http.connection import BLOCK_BYTES, Connection, ConnectionFailed
from benchsuite.system.tls import words

ENDED = (ssl.SSLEOFError, ssl.SSLZeroReturnError)
"""The connection is over, with or without a word of TLS about it."""


class EncryptedConnection(Connection):
    """Like a plain one, with a handshake as a part of connecting."""

    def __init__(
        self,
        family: int,
        address: Any,
        *,
        keep_alive: bool,
        timeout_s: float,
        context: ssl.SSLContext,
        server_name: str,
    ) -> None:
        super().__init__(family, address, keep_alive=keep_alive, timeout_s=timeout_s)
        self._context = context
        self._server_name = server_name
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._session: ssl.SSLObject | None = None
        self._at_end = False
        """Whether the server said that nothing more comes, or closed the connection."""

    def close(self) -> None:
        if self._session is not None:
            # as TLS asks for; a server that is gone need not hear it
            with suppress(OSError, ValueError):
                self._session.unwrap()
            with suppress(OSError):
                self._plain.send(self._outgoing.read())
            self._session = None
        super().close()

    def _connect(self) -> GreenSocket:
        connected = super()._connect()
        self.connecting = True
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._at_end = False
        session = self._context.wrap_bio(
            self._incoming, self._outgoing, server_hostname=self._server_name
        )
        while not self._shaken(session):
            self._send_out(connected)
            self._take_in(self._handshake_block())
        self._send_out(connected)
        self._session = session
        self.connecting = False
        return connected

    def _shaken(self, session: ssl.SSLObject) -> bool:
        """Whether the handshake is done; it wants to hear more if not."""
        try:
            session.do_handshake()
        except ssl.SSLWantReadError:
            return False
        except ENDED:
            raise _cut_off("closed") from None
        except ssl.SSLError as error:
            with suppress(OSError):  # an alert tells the server why
                self._plain.send(self._outgoing.read())
            raise ConnectionFailed(Kind.TLS, f"no TLS: {words(error)}") from None
        return True

    def _handshake_block(self) -> bytes:
        try:
            return super()._next_block()
        except (ConnectionResetError, BrokenPipeError):
            raise _cut_off("reset") from None

    def _send(self, connected: GreenSocket, request: bytes) -> None:
        assert self._session is not None
        self._session.write(request)
        self._send_out(connected)

    def _send_out(self, connected: GreenSocket) -> None:
        """Sends what was encrypted."""
        if self._outgoing.pending:
            super()._send(connected, self._outgoing.read())

    def _next_block(self) -> bytes:
        """The next bytes, decrypted; none at the end."""
        while not self._at_end:
            self._take_in(super()._next_block())
            try:
                block = self._decrypted()
            except ssl.SSLError as error:
                raise ConnectionFailed(
                    Kind.PROTOCOL, f"the answer is not TLS: {words(error)}"
                ) from None
            assert self._socket is not None
            self._send_out(self._socket)  # a change of keys wants an answer
            if block:
                return block
        return b""

    def _take_in(self, block: bytes) -> None:
        if block:
            self._incoming.write(block)
        else:
            self._incoming.write_eof()

    def _decrypted(self) -> bytes:
        """All whole records that have come; may be none, or none that hold anything."""
        assert self._session is not None
        parts = []
        while True:
            try:
                part = self._session.read(BLOCK_BYTES)
            except ssl.SSLWantReadError:
                break
            except ENDED:  # closed without a word: common, and what TCP alone would say
                self._at_end = True
                break
            if not part:
                self._at_end = True
                break
            parts.append(part)
        return b"".join(parts)

    def _is_quiet(self) -> bool:
        """Whether the server only said what TLS says by itself: tickets for later sessions."""
        try:
            block = self._plain.recv(BLOCK_BYTES)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self._take_in(block)
        try:
            return self._decrypted() == b"" and not self._at_end
        except ssl.SSLError:
            return False


def _cut_off(how: str) -> ConnectionFailed:
    return ConnectionFailed(Kind.RESET, f"the connection was {how} in the TLS handshake")
