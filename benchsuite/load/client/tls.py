"""TLS between a socket and what reads it: takes and gives bytes, and waits for nothing.

The hub reads and times the encrypted bytes, so that times mean the same as without TLS. HTTP
decrypts them in the user's greenlet when its turn comes: that time is the generator's (B101), not
the server's. A WebSocket may speak when nobody listens, so its bytes are decrypted in the hub, too.
Sessions are not resumed, as if each connection came from a new visitor.
"""

import ssl
from contextlib import suppress

from benchsuite.core.samples import Kind
from benchsuite.load.client.target import Failed
from benchsuite.system.network import tls_words

BLOCK_BYTES = 65_536


class Tls:
    """One connection's; it never raises, and says how TLS stands."""

    def __init__(self, context: ssl.SSLContext, server_name: str) -> None:
        """Begins the handshake: the first bytes are due."""
        self.shaken = False  #: Whether both sides have agreed on their keys.
        self.over = False  #: Whether the server has said that nothing more comes.
        self.failure: Failed | None = None  #: After it nothing comes or goes any more.
        self._may_speak = True
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._session = context.wrap_bio(
            self._incoming, self._outgoing, server_hostname=server_name
        )
        self._shake()

    def take(self, block: bytes) -> bytes:
        """What a block says, decrypted, also before a failure; nothing while keys are agreed on."""
        self._incoming.write(block)
        if not self.shaken:
            self._shake()
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
            if not self._incoming.pending:
                break  # to be told so by an exception would take longer
        return b"".join(parts)

    def good_bye(self) -> None:
        """Says that nothing more comes from us, as TLS asks for."""
        if self.shaken and self._may_speak:
            self._may_speak = False
            with suppress(OSError, ValueError):  # it would wait for the server's own good-bye
                self._session.unwrap()

    def due(self, data: bytes = b"") -> bytes:
        """The encrypted bytes to send, of this data, too; after a failure, what tells why."""
        if data and self._may_speak:
            self._session.write(data)
        return self._outgoing.read()

    def _shake(self) -> None:
        try:
            self._session.do_handshake()
            self.shaken = True
        except ssl.SSLWantReadError:
            return
        except ssl.SSLZeroReturnError:
            self.over = True
        except ssl.SSLError as error:
            self._fail(error)

    def _fail(self, error: ssl.SSLError) -> None:
        self.failure = (Kind.PROTOCOL if self.shaken else Kind.TLS, f"no TLS: {tls_words(error)}")
        self._may_speak = False
