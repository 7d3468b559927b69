"""Server-sent events out of the bytes of a stream, as the HTML standard (9.2.6) reads them."""

import re
from collections import deque
from collections.abc import Iterator
from time import monotonic
from typing import NamedTuple

from benchsuite.core.exceptions import AnswerError
from benchsuite.core.samples import EVENT, HANDSHAKE, PAUSE, Kind
from benchsuite.load.client.http.answer import KEPT_BYTES, codings_of
from benchsuite.load.client.http.client import HttpClient
from benchsuite.load.client.http.connection import Connection
from benchsuite.load.client.link import ConnectionFailed
from benchsuite.load.client.target import Failed
from benchsuite.load.client.websocket.records import Records
from benchsuite.workloads.base import expect_status

MEDIA_TYPE = "text/event-stream"
LINE_END = re.compile(rb"\r\n|\n|\r")


class Event(NamedTuple):
    id: str | None  #: None where it says none.
    type: str
    data: str


class Parser:
    """Takes a stream in pieces, cut anywhere."""

    def __init__(self) -> None:
        self._rest = b""  #: The begin of a line.
        self._id: str | None = None
        self._type = ""
        self._data: list[str] = []
        self._length = 0

    def feed(self, block: bytes) -> Iterator[Event]:
        """The events that end in this piece; raises ConnectionFailed for one without end."""
        text = self._rest + block
        # a CR may be one half of a line's end
        whole = text[:-1] if text.endswith(b"\r") else text
        *lines, rest = LINE_END.split(whole)
        self._rest = rest + text[len(whole) :]
        self._length += len(block)
        for line in lines:
            if line:
                self._take(line.decode(errors="replace"))
                continue
            if self._data:
                yield Event(self._id, self._type or "message", "\n".join(self._data))
                self._id = None
            self._type, self._data, self._length = "", [], len(rest)
        if self._length > KEPT_BYTES:
            raise ConnectionFailed(Kind.PROTOCOL, f"an event is longer than {KEPT_BYTES} bytes")

    def _take(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._type = value
        elif name == "id" and "\0" not in value:
            self._id = value


NUMBER = re.compile("[0-9]{1,18}")  #: More digits than that are read as a name.
RECENT = 100  #: How many ids are remembered where they are not consecutive numbers.
SHOWN = 60  #: Letters of an id that a message shows.
MOST_LOST = 10_000  #: Most events that one gap in the numbers counts as lost.


class EventStream:
    """Reads as a browser's EventSource does, but waits before no reconnection.

    From the request to the first event is a sample (of the scope of handshakes), and so is the time
    from each event to the next. An event that comes again is a stray; numbers that were left out
    are lost. A stream that is not `endless` is asked for again, and what was waited is a pause.
    """

    def __init__(
        self, owner: HttpClient, path: str, *, after: str, numbered: bool, endless: bool
    ) -> None:
        self._owner = owner
        self._asked = ("GET", path)
        self._records = Records(owner, path)
        self._last = after  #: The id of the last event that had one.
        self._numbered = numbered
        self._endless = endless
        self._recent: deque[str] = deque(maxlen=RECENT)
        self._connection: Connection | None = None
        self._opened = 0.0
        self._heard = 0.0  #: When the last event came.
        self._parser = Parser()
        self._come: deque[Event] = deque()  #: Events that were read together with an earlier one.
        self.came = 0  #: Events of this connection.

    @property
    def is_gone(self) -> bool:
        return self._connection is None

    def next(self) -> Event:
        """The next event; raises RequestFailed or AnswerError, or LoadEnded after the load."""
        event = None if self._connection is None else self._following(self._connection)
        if event is None:
            event = self._first()
        if self._numbered and not _is_number(event.id):
            last_id = "no id" if event.id is None else f"the id {event.id[:SHOWN]!r}"
            raise AnswerError(f"expected events numbered by their ids, and one came with {last_id}")
        return event

    def drop(self) -> None:
        """Ends the connection; the next event comes over another one."""
        self._over(Kind.OK)

    def leave(self) -> None:
        """The same where no event was due: the wait since the last one is a pause."""
        if self._connection is not None:
            self._owner.aside.until_now(PAUSE, self._owner.user, self._heard, self._heard)
            self._over(Kind.OK)

    def _first(self) -> Event:
        """The first event of a new connection."""
        owner = self._owner
        begun = owner.begin_sample(self._records.index("stream", HANDSHAKE))
        headers = {"Accept": MEDIA_TYPE, "Cache-Control": "no-cache"}
        if self._last:
            headers["Last-Event-ID"] = self._last.encode().decode("latin-1")  # UTF-8 on the wire
        connection = Connection(owner.target)
        self._parser, self._come = Parser(), deque()
        event: Event | None = None
        try:
            cookies = owner.cookies.header_line
            head = connection.begin(owner.wording.message(*self._asked, cookies, headers=headers))
            coded = ", ".join(codings_of(head.values("content-encoding")))
            if head.status == 200 and head.media_type == MEDIA_TYPE and not coded:
                event = self._fresh(connection, begun[2])
                if event is None:
                    raise ConnectionFailed(Kind.TRUNCATED, "the stream ended before an event")
        except ConnectionFailed as error:
            owner.fail(begun, self._failure(error, connection), self._asked)
        finally:
            owner.end_sample(begun)
            if event is None:
                connection.drop()
        index, intended, start = begun
        times = (intended, start, connection.arrived)
        answer = owner.answered(self._asked, index, head, b"", times)
        if event is None or owner.failed is not None:
            connection.drop()
            expect_status(answer)
            came = f"one with the Content-Encoding {coded!r}" if coded else repr(head.media_type)
            raise AnswerError(f"expected a stream of events, and got {came}")
        self._connection, self._opened, self.came = connection, start, 1
        self._heard = connection.arrived
        owner.sockets.add(self)
        return event

    def _following(self, connection: Connection) -> Event | None:
        """The next event of the connection; None at its end."""
        owner = self._owner
        begun = owner.begin_sample(self._records.index("event", EVENT), start=self._heard)
        if not self._endless:
            owner.end_sample(begun)  # whether an event is due nobody knows: the end won't wait
        try:
            event = self._fresh(connection, self._heard)
            if event is None and self._endless:
                raise ConnectionFailed(Kind.TRUNCATED, "the server ended the stream")
        except ConnectionFailed as error:
            kind, words = self._failure(error, connection)
            self._over(Kind.OK if kind is Kind.READ_TIMEOUT else Kind.RESET, words)
            owner.fail(begun, (kind, words), self._asked)
        finally:
            owner.end_sample(begun)
        if event is None:
            self.leave()
            return None
        index, intended, start = begun
        self._heard = connection.arrived
        self.came += 1
        owner.hold(index, len(event.data), (intended, start, self._heard), self._asked)
        return event

    def _fresh(self, connection: Connection, since: float) -> Event | None:
        """The next event that is no duplicate; None at the stream's end. Comments are no event."""
        limit = since + self._owner.target.job.load.timeout_s
        while True:
            while self._come:
                event = self._come.popleft()
                if not self._is_again(event, connection.arrived):
                    return event
            if not (block := connection.more()):
                return None
            self._come.extend(self._parser.feed(block))
            if not self._come and connection.arrived > limit:
                raise ConnectionFailed(Kind.READ_TIMEOUT, "")

    def _is_again(self, event: Event, moment: float) -> bool:
        """Whether its id shows a duplicate; records duplicates and events that were left out."""
        if not event.id:
            self._last = self._last if event.id is None else ""
            return False
        if self._numbered and _is_number(event.id) and _is_number(self._last):
            missing = int(event.id) - int(self._last) - 1
            again = missing < 0
            lost = min(missing, MOST_LOST)
            index, recorder = self._records.index("event", EVENT), self._owner.recorder
            for _ in range(lost):
                recorder.add(index, Kind.LOST, self._owner.user, 0, moment, moment, moment)
            if lost > 0:
                recorder.example(index, Kind.LOST, f"after event {self._last} {lost} were left out")
        else:
            again = event.id in self._recent
            self._recent.append(event.id)
        if again:
            words = f"event {event.id[:SHOWN]} came again"
            self._records.stray(Kind.DUPLICATED, words, len(event.data), moment)
        else:
            self._last = event.id
        return again

    def _failure(self, error: ConnectionFailed, connection: Connection) -> Failed:
        kind, words = error.failure
        if kind is Kind.READ_TIMEOUT and connection.received:
            words = f"no event came for {self._owner.target.job.load.timeout_s:g} s"
        return kind, words

    def _over(self, kind: Kind, words: str = "") -> None:
        if self._connection is None:
            return
        self._connection.drop()
        self._connection = None
        self._owner.sockets.discard(self)
        moment = monotonic()
        if kind is not Kind.OK and not self._owner.sockets.over:
            self._records.stray(kind, words, 0, moment)
        self._records.connection(kind, 0, self._opened, moment)


def _is_number(text: str | None) -> bool:
    return text is not None and NUMBER.fullmatch(text) is not None
