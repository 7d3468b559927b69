"""TLS of one WebSocket: takes and gives bytes, and waits for nothing.

As for HTTP (`benchsuite.load.encrypted`) the hub reads and times the encrypted bytes, so that times
mean the same; but what was read is decrypted in the hub, too, because a WebSocket may speak when
nobody listens.
"""

import ssl

BLOCK_BYTES = 65_536


class Secrecy:
    """Between the socket and the protocol."""

    def __init__(self, context: ssl.SSLContext, server_name: str) -> None:
        self.shaken = False
        """Whether both sides have agreed on their keys."""
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._session = context.wrap_bio(
            self._incoming, self._outgoing, server_hostname=server_name
        )

    def take(self, block: bytes) -> bytes:
        """What a block says, decrypted; nothing while keys are agreed on. Raises SSLError."""
        self._incoming.write(block)
        if not self.shaken and not self.shake():
            return b""
        parts = []
        while True:
            try:
                part = self._session.read(BLOCK_BYTES)
            except (ssl.SSLWantReadError, ssl.SSLEOFError, ssl.SSLZeroReturnError):
                break
            if not part:
                break
            parts.append(part)
        return b"".join(parts)

    def shake(self) -> bool:
        """Goes on with the handshake; whether it is done. Raises SSLError."""
        try:
            self._session.do_handshake()
        except ssl.SSLWantReadError:
            return False
        self.shaken = True
        return True

    def put(self, data: bytes) -> None:
        """Encrypts what is to be sent."""
        self._session.write(data)

    def due(self) -> bytes:
        """The encrypted bytes that wait to be sent."""
        return self._outgoing.read()
