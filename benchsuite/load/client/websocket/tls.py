"""TLS of one WebSocket: takes and gives bytes, and waits for nothing.

As for HTTP (`client.http.encrypted`) the hub reads and times the encrypted bytes, so that times
mean the same; but what was read is decrypted in the hub, too, because a WebSocket may speak when
nobody listens.
"""

import ssl
from contextlib import suppress

BLOCK_BYTES = 65_536


class Secrecy:
    """Between the socket and the protocol; it never raises, and says how TLS stands."""

    def __init__(self, context: ssl.SSLContext, server_name: str) -> None:
        self.shaken = False  #: Whether both sides have agreed on their keys.
        self.over = False  #: Whether the server has said that nothing more comes.
        self.failure: ssl.SSLError | None = None
        """What was no TLS, or not to be believed; nothing comes or goes any more."""
        self._may_speak = True
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._session = context.wrap_bio(
            self._incoming, self._outgoing, server_hostname=server_name
        )

    def take(self, block: bytes) -> bytes:
        """What a block says, decrypted; nothing while keys are agreed on.

        What came before a failure is still given: it came, and was right.
        """
        self._incoming.write(block)
        if not self.shaken:
            self.shake()
        parts = []
        while self.shaken and not self.over and self.failure is None:
            try:
                part = self._session.read(BLOCK_BYTES)
            except ssl.SSLWantReadError:
                break
            except ssl.SSLZeroReturnError:
                part = b""
            except ssl.SSLError as error:
                self._fail(error)
                break
            self.over = not part
            parts.append(part)
        return b"".join(parts)

    def shake(self) -> None:
        """Goes on with the handshake."""
        try:
            self._session.do_handshake()
        except ssl.SSLWantReadError:
            return
        except ssl.SSLError as error:
            self._fail(error)
            return
        self.shaken = True

    def put(self, data: bytes) -> None:
        """Encrypts what is to be sent, if anything still may be."""
        if self._may_speak:
            self._session.write(data)

    def good_bye(self) -> None:
        """Says that nothing more comes from us, as TLS asks for."""
        if self.shaken and self._may_speak:
            self._may_speak = False
            with suppress(OSError, ValueError):  # it would wait for the server's own good-bye
                self._session.unwrap()

    def due(self) -> bytes:
        """The encrypted bytes that wait to be sent."""
        return self._outgoing.read()

    def _fail(self, error: ssl.SSLError) -> None:
        self.failure = error
        self._may_speak = False
