"""How one request is written down while it is being measured: 40 bytes, no formatting.

The load process packs samples with `RECORD`; the parent reads them back as an array of `FIELDS`.
All three times are CLOCK_MONOTONIC seconds, so they compare across processes of one machine.

A sample's name has a scope, which says what it is a sample of: a request or a journey or, of
WebSockets, one of the others here.
"""

import struct
from enum import IntEnum
from typing import Final

RECORD = struct.Struct("<HHIQddd")
"""name index, kind, user number, body bytes, intended_start, start, finish."""

FIELDS = (
    ("name", "<u2"),
    ("kind", "<u2"),
    ("user", "<u4"),
    ("body_bytes", "<u8"),
    ("intended_start", "<f8"),
    ("start", "<f8"),
    ("finish", "<f8"),
)


REQUEST: Final = "request"
JOURNEY: Final = "journey"
HANDSHAKE: Final = "handshake"
"""From the begin of a connection to its "101 Switching Protocols"; of a stream of events, to the
first of them."""
MESSAGE: Final = "message"
"""One WebSocket frame there and back; in a broadcast, from its publisher to one subscriber."""
EVENT: Final = "event"  #: A server-sent event, from the one before it on the same connection.
CLOSING: Final = "closing"  #: From the close frame that is sent to the one that comes back.
STRAY: Final = "stray"
"""What nobody waited for: a message that came twice, late, damaged or to the wrong connection, and
the end of a connection that we had not ended (then the body's length is the close code)."""
UNSOLICITED: Final = "unsolicited"
"""A message that the server sent by itself, and that answers none of ours; it has no time."""
SENT: Final = "sent"
"""A message that asks for no answer, from its intended start until it was sent."""
MOMENTS = (STRAY, UNSOLICITED)  #: Scopes whose samples took no time: they only came.
CONNECTION: Final = "connection"
"""A WebSocket from its handshake to its end: OK when we ended it, UNFINISHED when its closing
handshake failed, else how it ended early (then the body's length is the close code)."""
RESENT: Final = "resent"
"""A request that was sent a second time, from its begin to that moment; it is a sample itself."""
PAUSE: Final = "pause"
"""Time in which a user of the closed model asked for nothing: before the first journey, in thought,
or after a failure."""
RESTARTED = {scope: f"{scope} in a restart" for scope in (HANDSHAKE, JOURNEY, CONNECTION)}
"""What failed because the run was restarting the server, by what it was."""
ASIDE = (RESENT, PAUSE, CONNECTION, *RESTARTED.values())
"""Scopes that have no figures of their own."""
PUBLICATION: Final = "publication"
"""A message to all subscribers, from its intended start until it was sent."""
FANOUT: Final = "fan-out"  #: The same until its last subscriber had it.

POPULATION: Final = "population"
"""The scope of the figures of users who all do the same, where others do something else."""

UNITS = {
    REQUEST: (REQUEST, MESSAGE),
    MESSAGE: (MESSAGE,),
    HANDSHAKE: (HANDSHAKE,),
    EVENT: (EVENT,),
}
"""What the figures of a workload may be of → the scopes whose samples they are made of."""


class Kind(IntEnum):
    """What became of a request: the right answer, or the kind of its failure."""

    OK = 0
    CONNECT_REFUSED = 1
    CONNECT_TIMEOUT = 2
    RESET = 3
    READ_TIMEOUT = 4
    HTTP_STATUS = 5
    WRONG_BODY = 6
    WRONG_RESPONDER = 7
    PROTOCOL = 8
    UNFINISHED = 9
    JOURNEY_ERROR = 10
    OTHER = 11
    TLS = 12
    WEBSOCKET_CLOSED = 13  #: The server closed the connection, with a close frame.
    LOST = 14  #: A broadcast that a subscriber never got.
    CORRUPT = 15
    DUPLICATED = 16
    REORDERED = 17
    MISDIRECTED = 18  #: A message that another connection had sent.
    LOG_IN = 19  #: A redirect to a log-in page, where the journey wanted something else.
    REDIRECTED = 20  #: A redirect to somewhere else.
    CSRF = 21
    TRUNCATED = 22  #: The connection ended in the middle of an answer.

    @property
    def words(self) -> str:
        """As people read it: "read timeout"."""
        return _WORDS.get(self, self.name.replace("_", " ").lower())


_WORDS = {
    Kind.TLS: "TLS",
    Kind.LOG_IN: "redirected to log-in",
    Kind.CSRF: "refused by the CSRF check",
}

ANSWERED = (
    Kind.OK,
    Kind.HTTP_STATUS,
    Kind.WRONG_BODY,
    Kind.WRONG_RESPONDER,
    Kind.LOG_IN,
    Kind.REDIRECTED,
    Kind.CSRF,
)
"""Requests of these kinds got an answer, right or wrong."""

ENDS = (Kind.WEBSOCKET_CLOSED, Kind.RESET, Kind.PROTOCOL)
"""Strays of these kinds are connections that ended before we had ended them."""
