"""How one request is recorded while it is measured: 40 bytes, no formatting.

The load process packs samples with `RECORD`; the parent reads them as an array of `FIELDS`. All
three times are CLOCK_MONOTONIC seconds, so processes of one machine can compare them.

A sample's name has a scope, which says what it is a sample of: a request, a journey or, for
WebSockets, one of the others here."""

import struct
from dataclasses import dataclass
from enum import IntEnum
from math import comb
from statistics import median
from typing import Final, NamedTuple

RECORD = struct.Struct("<HHIQddd")
"""name index, kind and process, user number, body bytes, intended_start, start, finish."""
FIELDS = (
    ("name", "<u2"),
    ("kind", "u1"),
    ("process", "u1"),
    ("user", "<u4"),
    ("body_bytes", "<u8"),
    ("intended_start", "<f8"),
    ("start", "<f8"),
    ("finish", "<f8"),
)
PROCESS_SHIFT: Final = 8  #: Bits of the kind, above which the process is packed.
PROCESSES: Final = 255  #: Processes are told apart by pid modulo that, plus 1; 0: unknown.
REQUEST: Final = "request"
JOURNEY: Final = "journey"
HANDSHAKE: Final = "handshake"  #: To "101 Switching Protocols", or to a stream's first event.
MESSAGE: Final = "message"  #: Round trip; in a broadcast, from publisher to one subscriber.
EVENT: Final = "event"  #: A server-sent event, from the one before it on the same connection.
CLOSING: Final = "closing"  #: From the close frame that is sent to the one that is received.
STRAY: Final = "stray"
"""Something unexpected: a message that came twice, late, damaged or to the wrong connection, or the
end of a connection that the load had not ended (then the body's length is the close code)."""
UNSOLICITED: Final = "unsolicited"
"""A message that the server sent by itself and that answers none of ours; it has no time."""
SENT: Final = "sent"  #: A message that needs no answer, from its intended start until it was sent.
MOMENTS = (STRAY, UNSOLICITED)  #: Scopes whose samples have no duration.
ABNORMAL: Final = 1006  #: What stands for a close code where no close frame came (RFC 6455).
CONNECTION: Final = "connection"
"""A WebSocket from its handshake to its end: OK when the load ended it, UNFINISHED when its closing
handshake failed, else how it ended early (then the body's length is the close code)."""
RESENT: Final = "resent"  #: A request that was sent again, from its start to that moment.
PAUSE: Final = "pause"  #: In which a user sent nothing: at first, thinking, after a failure.
ASIDE = (RESENT, PAUSE, CONNECTION)  #: Scopes without figures of their own.
PUBLICATION: Final = "publication"  #: A message to all, from its intended start until sent.
FANOUT: Final = "fan-out"  #: The same until its last subscriber had it.
POPULATION: Final = "population"  #: The scope of figures of a group of users who all do the same.
UNITS = {
    REQUEST: (REQUEST, MESSAGE),
    MESSAGE: (MESSAGE,),
    HANDSHAKE: (HANDSHAKE,),
    EVENT: (EVENT,),
}
"""Unit of a workload's figures → the scopes of their samples."""


class Kind(IntEnum):
    """The result of a request: the right answer, or the kind of failure."""

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
    THROTTLED = 23  #: Status 429: more is asked than is let through.

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
    *(Kind.OK, Kind.HTTP_STATUS, Kind.WRONG_BODY, Kind.WRONG_RESPONDER, Kind.LOG_IN),
    *(Kind.REDIRECTED, Kind.CSRF, Kind.THROTTLED),
)
"""Kinds of requests that got an answer, right or wrong."""
ENDS = (Kind.WEBSOCKET_CLOSED, Kind.RESET, Kind.PROTOCOL)
"""Kinds of strays that are connections which ended before the load ended them."""
TIMERS_S = (0.04, 0.2)  #: Of an acknowledgement's delay on Linux (TCP_DELACK_MIN, _MAX).
LATER_S = 0.75 * TIMERS_S[0]  #: A difference that may be a wait for one; pages vary, too.
CHANCE = 0.001  #: The largest probability that a page was slow by chance alone.


class Round(NamedTuple):
    """Times of one page, one after another on one connection, in seconds."""

    fresh_s: float  #: The first answer: a new connection acknowledges at once.
    kept_s: float  #: A later one, whose acknowledgements the kernel delays.
    prompt_s: float  #: One after that, acknowledged at once again (TCP_QUICKACK).


@dataclass(frozen=True, slots=True)
class Stall:
    rounds: tuple[Round, ...] = ()

    @property
    def later(self) -> int:
        """Rounds in which only the answer with delayed acknowledgements was late."""
        return sum(one.kept_s - max(one.fresh_s, one.prompt_s) >= LATER_S for one in self.rounds)

    @property
    def opposite(self) -> int:
        """Rounds in which only the promptly acknowledged answer was late: because of the page."""
        return sum(one.prompt_s - max(one.fresh_s, one.kept_s) >= LATER_S for one in self.rounds)

    @property
    def is_shown(self) -> bool:
        """A page that is slow by itself is so in all three ways, with equal counts (sign test)."""
        count = self.later + self.opposite
        tail = sum(comb(count, more) for more in range(self.later, count + 1))
        return bool(tail / 2**count <= CHANCE)

    @property
    def medians(self) -> Round:
        return Round(*(median(times) for times in zip(*self.rounds, strict=True)))
