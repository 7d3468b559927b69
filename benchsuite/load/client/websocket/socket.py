"""A WebSocket as a journey sees it: every handshake, message and closing is a sample.

A message's time is from its intended start to the last byte of what answers it. Failures never
enter the times of the successes; what answers nothing is a sample of its own: unsolicited, or a
stray. Nothing is paired by chance: the journey says which message is an answer, and an answer
arrives after its message was sent. So no time can be negative.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from time import monotonic
from typing import Self

from gevent.event import Event
from websockets.http11 import Response

from benchsuite.core.exceptions import UsageError
from benchsuite.core.samples import CLOSING, HANDSHAKE, MESSAGE, PUBLICATION, SENT, Kind
from benchsuite.core.specs.visitor import over
from benchsuite.load.client import failures
from benchsuite.load.client.failures import SOCKET
from benchsuite.load.client.http.client import HttpClient
from benchsuite.load.client.link import ConnectionFailed
from benchsuite.load.client.target import Begun, Failed, Headers
from benchsuite.load.client.websocket import accounts, records
from benchsuite.load.client.websocket.records import Content, Message
from benchsuite.load.client.websocket.sockets import Pending
from benchsuite.load.client.websocket.wire import Wire
from benchsuite.telemetry.prober.program import RUN_HEADER

GLANCE_S = 0.05  #: How long `rest()` lasts when the journey is only being checked.
Matching = str | bytes | Callable[[Content], object]


def predicate(matching: Matching) -> Callable[[Content], object]:
    """Whether a message is meant by `matching`; raises UsageError for what says nothing."""
    if callable(matching):
        return matching
    if not isinstance(matching, str | bytes) or not matching:
        raise UsageError(
            "matching says which message is the answer: by a text that stands in it, or by a "
            f"function; {matching!r} is none."
        )
    text = matching.encode() if isinstance(matching, str) else matching
    return lambda content: text in (content.encode() if isinstance(content, str) else content)


@dataclass(frozen=True, slots=True, eq=False)
class Exchange:
    """A message that was sent and awaits its answer."""

    begun: Begun
    length: int  #: In bytes, as sent.
    sent: float  #: When it had been handed to the kernel or our queue.


def answered_by(awaited: Sequence[Exchange], to: Exchange | None = None) -> Exchange | None:
    """Which awaits the next answer, if any does; UsageError when nobody says which of several."""
    if to is None and len(awaited) > 1:
        raise UsageError(
            f"{len(awaited)} messages wait for an answer: say which, with to= and what send() "
            "returned."
        )
    if to is not None and to not in awaited:
        raise UsageError("The message that is to be answered has its answer already.")
    return to or next(iter(awaited), None)


class WebSocket:
    """One connection of a user. Use it in a `with` block, which closes it unless it is kept."""

    def __init__(
        self,
        owner: HttpClient,
        path: str,
        *,
        number: int,
        keep: bool = False,
        name: str = "",
        headers: Headers | None = None,
        subprotocols: Sequence[str] = (),
        deflate: bool = False,
    ) -> None:
        """`number` is part of every numbered message; it must be unique in the load."""
        self._path = path
        self._keep = keep
        self._owner = owner
        self._number = number
        self._sockets = owner.sockets
        self._records = records.Records(owner, path, name)
        self._messages = self._records.index("message", MESSAGE)
        self._awaited: list[Exchange] = []  #: In the order of sending.
        self._echoes = records.Echoes(number, self._records, owner.sockets.meant)
        self._opened = 0.0  #: When the handshake was over.
        self._rest: Event | None = None
        self._subscription: records.Subscription | None = None
        self._dialect = owner.target.dialect(path) if owner.target.dialect else None
        self._ready = self._dialect is None
        # the server must choose one of them, as browsers demand
        self._subprotocols = self._dialect.subprotocols if self._dialect else subprotocols
        self._offered = [*self._subprotocols]
        target = owner.target
        if target.job.run_header and not target.job.handshake_headers:
            # only the run's server knows that one
            self._offered.append(f"{RUN_HEADER}.{target.job.run_header}")
        self._deflate = deflate
        self._wire = Wire(
            target,
            path if self._dialect is None else self._dialect.address,
            headers=over(owner.wording.handshake_headers(owner.cookies.header_line), headers or {}),
            subprotocols=self._offered,
            deflate=deflate,
            on_end=self._on_end,
            on_gone=self._on_gone,
            on_overflow=self._echoes.judge,
        )
        if self._dialect is not None:
            self._wire.translate = self._translated

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self.settle()
        if self._keep:
            return
        if kind is None:
            self.close()
        else:
            self.leave()

    @property
    def is_open(self) -> bool:
        return self._wire.ending is None

    @property
    def is_gone(self) -> bool:
        return self._wire.is_gone

    def open(self) -> None:
        """The handshake; raises RequestFailed when the server refuses it."""
        index = self._records.index("handshake", HANDSHAKE)
        begun = self._owner.begin_sample(index, due=self._owner.due == HANDSHAKE)
        failure: Failed | None = None
        status: int | None = None
        try:
            response = self._wire.open()
            status = response.status_code
            if (failure := self._judged(response)) is None:
                self._owner.cookies.take(response.headers.get_all("Set-Cookie"))
                self._wire.wait_for(lambda: self._ready, "whole handshake")
        except ConnectionFailed as error:
            failure = error.failure
        finally:
            self._owner.end_sample(begun)
        if failure is not None:
            self._records.lost(begun, failure, status=status)
            self._wire.drop()
            # what was to be sent over the connection was due, too
            if (meant := self._owner.take_due()) is not None:
                due = self._records.index(self._owner.due, self._owner.due)
                self._records.lost((due, meant, begun[2]), failure)
            self._records.blame(failure, status)
        self._records.right(begun, self._wire.arrived, 0)
        self._opened = self._wire.arrived
        self._sockets.add(self)
        if self._wire.ending is not None:  # with the very bytes of the handshake
            self._on_end(self._wire.ending)

    def _judged(self, response: Response) -> Failed | None:
        """What is wrong with the answer to the handshake."""
        status, wanted = response.status_code, self._subprotocols
        chosen = self._wire.protocol.subprotocol
        # without headers a subprotocol identifies the run, unless the application has chosen one
        is_marked = len(self._offered) > len(wanted) and chosen in self._offered
        foreign = failures.kind_of_responder(
            self._owner.target.job.run_header,
            response.headers.get(RUN_HEADER),
            may_lack=status >= 400 or is_marked,
        )
        if foreign is not None:
            return foreign
        if status != 101:
            return Kind.HTTP_STATUS, f"status {status}"
        ending = self._wire.ending
        if ending is not None and ending.kind is Kind.PROTOCOL:
            return ending.kind, ending.words
        if wanted and chosen not in wanted:
            return Kind.PROTOCOL, f"the server chose no subprotocol of {', '.join(wanted)}"
        if self._deflate:
            answer = response.headers.get("Sec-WebSocket-Extensions", "")
            negotiated = self._sockets.traffic.negotiated
            negotiated[answer] = negotiated.get(answer, 0) + 1
        return None

    def send(self, data: Content, *, answered: bool = True) -> Exchange:
        """Sends a message; `receive()` must say what answers it, unless it is only counted."""
        payload = data.encode() if isinstance(data, str) else data
        index = self._messages if answered else self._records.index("sent", SENT)
        begun = self._owner.begin_sample(index)
        try:
            self._send(payload, is_text=isinstance(data, str))
        except ConnectionFailed as error:
            self._lose_all(error.failure)
            self._owner.end_sample(begun)
            self._records.fail(begun, error.failure)
        exchange = Exchange(begun, len(payload), monotonic())
        if answered:
            self._awaited.append(exchange)
        else:
            self._only_sent(exchange)
        return exchange

    def receive(self, matching: Matching | None = None, *, to: Exchange | None = None) -> Content:
        """The next message, which is unsolicited; or the next that matches, which answers `to`."""
        wanted = None if matching is None else predicate(matching)
        asked = None if matching is None else answered_by(self._awaited, to)
        failure: Failed
        try:
            if wanted is None:
                message = self._wire.receive()
            else:
                since = -inf if asked is None else asked.begun[2]
                message = self._wire.receive(lambda candidate: wanted(candidate.content), since)
            content = message.content
        except ConnectionFailed as error:
            failure = error.failure
        except UnicodeDecodeError:
            failure = (Kind.PROTOCOL, "text that is not UTF-8")
        else:
            if asked is None:
                self._records.unsolicited(message)
            else:
                self._awaited.remove(asked)
                self._owner.end_sample(asked.begun)
                times = (*asked.begun[1:], message.moment)
                self._owner.hold(self._messages, len(message.data), times, (SOCKET, self._path))
            return content
        self.drop()
        self._lose_all(failure)
        self._records.blame(failure)

    def numbered(self, size: int = accounts.HEAD_BYTES) -> str:
        """A text of `size` bytes that is unique in the load."""
        return self._echoes.message(size).decode()

    def echo(self, size: int, *, binary: bool = False) -> None:
        """Sends a numbered message of `size` bytes, and waits until it comes back unchanged."""
        if self._awaited:
            raise UsageError(
                f"echo() takes all that comes, and {len(self._awaited)} messages wait for their "
                "answers: receive() those first."
            )
        self._heard()
        data = self._echoes.message(size)
        begun = self._owner.begin_sample(self._messages)
        self._echoes.expect(data, is_text=not binary, begun=begun)
        sent_bytes = 0
        failure: Failed | None
        try:
            self._send(data, is_text=not binary)
            sent_bytes = size
            self._wire.wait_for(self._heard)
            failure = self._echoes.failure
        except ConnectionFailed as error:
            failure = self._given_up(error)
        finally:
            self._echoes.is_over = True
            self._owner.end_sample(begun)
        if failure is not None:
            self._records.fail(begun, failure, sent_bytes)
        self._records.right(begun, self._echoes.moment, size)

    def ping(self) -> None:
        """Sends a ping and waits for its pong, which counts as a message."""
        data = self._echoes.message(accounts.HEAD_BYTES)
        begun = self._owner.begin_sample(self._records.index("ping", MESSAGE))
        try:
            moment = self._wire.ping(data)
        except ConnectionFailed as error:
            self._records.fail(begun, self._given_up(error), len(data))
        finally:
            self._owner.end_sample(begun)
        self._records.right(begun, moment, len(data))

    def rest(self, seconds: float = inf) -> None:
        """Does nothing for that time; raises RequestFailed when the connection ends meanwhile."""
        self._rest = Event()
        if self.is_open:
            limit = min(seconds, GLANCE_S) if self._owner.rehearsal else seconds
            self._rest.wait(None if limit == inf else limit)
        ending = self._wire.ending
        if ending is not None:
            self._records.blame((ending.kind, ending.words))

    def subscribe(self, *, binary: bool = False) -> records.Subscription:
        """From now on everything that arrives is a publication of this load, or unsolicited."""
        if self._subscription is None:
            self._subscription = records.Subscription(self._records, self._sockets, binary=binary)
            self._wire.on_message = self._subscription.take
            while self._wire.inbox:
                self._subscription.take(self._wire.inbox.take())
            if not self.is_open:  # it ended with the very bytes of the handshake
                self._gone()
        return self._subscription

    def publish(self, size: int, *, binary: bool = False, wait: bool = True) -> None:
        """Sends a numbered message to all subscribers. With `wait` the journey goes on when those
        of this process have it; raises RequestFailed when one of them doesn't in time.
        """
        wait = wait or self._owner.rehearsal
        group = self.subscribe(binary=binary).group
        publication = self._number, self._echoes.count()
        begun = self._owner.begin_sample(self._records.index("publication", PUBLICATION))
        data = accounts.publication(*publication, size, begun[1], begun[2])
        limit_s = self._owner.target.job.load.timeout_s
        pending = Pending(set(group.members), begun[2] + limit_s)
        group.pending[publication] = pending
        try:
            self._send(data, is_text=not binary)
            sent = monotonic()
            if wait:
                pending.done.wait(limit_s)
            self._records.right(begun, sent, size)
        except ConnectionFailed as error:
            group.pending.pop(publication, None)
            self._records.fail(begun, error.failure)
        finally:
            self._owner.end_sample(begun)
        if self._owner.rehearsal and not self.is_open:
            self.rest()  # which says how it ended
        if wait and pending.waiting:
            group.pending.pop(publication, None)
            words = f"{len(pending.waiting)} of the subscribers did not get it within {limit_s:g} s"
            self._records.blame((Kind.LOST, words))

    def close(self) -> None:
        """The closing handshake; raises RequestFailed when the server does not answer it."""
        self._heard()
        if not self.is_open or self._owner.gate.closed:
            self.leave()
            return
        start = monotonic()
        begun = (self._records.index("closing", CLOSING), start, start)
        self._owner.settle()
        self._owner.in_flight.append(begun)
        how = Kind.OK
        try:
            self._wire.close()
        except ConnectionFailed as error:
            how = Kind.UNFINISHED
            self._records.fail(begun, error.failure)
        finally:
            self._owner.end_sample(begun)
            self._gone(how)
        self._records.right(begun, self._wire.arrived, 0)

    def leave(self) -> None:
        """Sends a close frame and waits for nothing."""
        self._wire.leave()
        self._gone()

    def drop(self) -> None:
        """Closes the TCP connection at once."""
        self._wire.drop()
        self._gone()

    def settle(self) -> None:
        """What the journey sent and took no answer of is only sent."""
        awaited, self._awaited = self._awaited, []
        for exchange in awaited:
            self._owner.unpaired += 1
            self._only_sent(exchange)

    def _only_sent(self, exchange: Exchange) -> None:
        self._owner.end_sample(exchange.begun)
        index = self._records.index("sent", SENT)
        self._records.right((index, *exchange.begun[1:]), exchange.sent, exchange.length)

    def _lose_all(self, failure: Failed) -> None:
        """Nothing that was sent will be answered any more."""
        awaited, self._awaited = self._awaited, []
        for exchange in awaited:
            self._owner.end_sample(exchange.begun)
            self._records.lost(exchange.begun, failure, exchange.length)

    def _send(self, payload: bytes, *, is_text: bool) -> None:
        if self._dialect is not None:
            payload = self._dialect.say(payload)
        self._wire.send(payload, is_text=is_text)

    def _heard(self) -> bool:
        """Takes all that has come; whether the awaited echo is among it."""
        inbox = self._wire.inbox
        while inbox:
            self._echoes.judge(inbox.take())
        return self._echoes.is_over

    def _on_end(self, ending: records.Ending) -> None:
        """In the hub: the connection has ended, and not because we wanted it."""
        if self in self._sockets.open and not self._sockets.over:
            self._records.stray(ending.kind, ending.words, ending.code, monotonic())
            self._gone(ending.kind, ending.code)
        self._gone()

    def _on_gone(self) -> None:
        """There is no connection any more: what has come by now is all."""
        self._heard()
        self._sockets.leaving.discard(self)

    def _gone(self, kind: Kind = Kind.OK, code: int = 0) -> None:
        """The connection is over, and how; its TCP connection may go on for a while."""
        if self in self._sockets.open:
            self._records.connection(kind, code, self._opened, monotonic())
        self._sockets.discard(self)
        if self._subscription is not None:
            self._subscription.group.leave(self._subscription)
        if self._rest is not None:
            self._rest.set()

    def _translated(self, message: Message) -> Message | None:
        """In the hub: the message in a frame of the server's own protocol."""
        assert self._dialect is not None
        heard = self._dialect.hear(message.data)
        if heard.answer is not None:
            with suppress(ConnectionFailed):  # it may say good-bye with the very same bytes
                self._wire.send(heard.answer, is_text=True)
        self._ready = self._ready or heard.ready
        if heard.payload is None:
            return None
        return Message(heard.payload, message.is_text, message.moment)

    def _given_up(self, error: ConnectionFailed) -> Failed:
        if error.failure[0] is Kind.READ_TIMEOUT:
            self.drop()
        return error.failure
