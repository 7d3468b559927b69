"""A WebSocket as a journey sees it: every handshake, message and closing is a sample.

A message's time is from its intended start to the last byte of what came back. Failures never enter
the times of the successes; what nobody waited for is a sample of its own, a stray.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import inf
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Self

from gevent.event import Event
from websockets.http11 import Response

from benchsuite.load.connection import ConnectionFailed, Expired
from benchsuite.load.refusal import SOCKET
from benchsuite.load.websocket import accounts
from benchsuite.load.websocket.endings import Ending, Message
from benchsuite.load.websocket.records import Failed, Records
from benchsuite.load.websocket.subscription import Subscription
from benchsuite.load.websocket.wire import Wire
from benchsuite.stats.samples import CLOSING, HANDSHAKE, MESSAGE, PUBLICATION, Kind

if TYPE_CHECKING:
    from benchsuite.load.clients import HttpClient

RUN_HEADER = "X-Benchsuite-Run"

GLANCE_S = 0.05
"""How long a rest lasts when the journey is only being checked."""


class WebSocket:
    """One connection of a user. Use it in a `with` block, which closes it unless it is kept."""

    def __init__(
        self,
        owner: "HttpClient",
        path: str,
        *,
        number: int,
        keep: bool = False,
        name: str = "",
        headers: Mapping[str, str] | None = None,
        subprotocols: Sequence[str] = (),
    ) -> None:
        """`number` stands in every numbered message; it must be the load's only one."""
        self._path = path
        self._keep = keep
        self._owner = owner
        self._number = number
        self._sent = 0
        """Numbered messages."""
        self._sockets = owner.sockets
        self._records = Records(owner, path, name)
        self._messages = self._records.index("message", MESSAGE)
        self._asked: deque[tuple[float, float, int]] = deque()
        """Intended start, start and length of what was sent and not answered yet."""
        self._rest: Event | None = None
        self._subscription: Subscription | None = None
        self._dialect = None if owner.dialect is None else owner.dialect(path)
        self._ready = self._dialect is None
        self._offered = [*(self._dialect.subprotocols if self._dialect else subprotocols)]
        self._mark = ""
        if owner.target.run_header and not owner.target.handshake_headers:
            self._mark = f"{RUN_HEADER}.{owner.target.run_header}"
            self._offered.append(self._mark)
        self._wire = Wire(
            owner.target,
            path if self._dialect is None else self._dialect.address,
            headers={**owner.handshake_headers, **(headers or {})},
            subprotocols=self._offered,
            on_end=self._on_end,
        )
        if self._dialect is not None:
            self._wire.translate = self._translated

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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

    @property
    def subprotocol(self) -> str | None:
        """The one that the server chose."""
        return self._wire.subprotocol

    def open(self) -> None:
        """The handshake; raises RequestFailed when the server does not take it."""
        index = self._records.index("handshake", HANDSHAKE)
        intended, start = self._owner.begin_sample(index)
        failure: Failed | None = None
        status: int | None = None
        try:
            response = self._wire.open()
            status = response.status_code
            failure = self._judged(response)
            if failure is None and not self._ready:
                self._wire.wait_for(lambda: self._ready)
        except ConnectionFailed as error:
            failure = (error.kind, str(error))
        except Expired:
            failure = self._timed_out("whole handshake")
        finally:
            self._owner.open = None
        if failure is not None:
            finish = monotonic()
            self._wire.drop()
            self._records.fail(index, failure, (intended, start, finish), status=status)
        self._records.right(index, (intended, start, self._wire.arrived), 0)
        self._sockets.add(self)
        if self._wire.ending is not None:  # with the very bytes of the handshake
            self._on_end(self._wire.ending)

    def send(self, data: str | bytes) -> None:
        """Sends a message; text as text, bytes as binary."""
        payload = data.encode() if isinstance(data, str) else data
        intended, start = self._owner.begin_sample(self._messages)
        try:
            self._wire.send(self._said(payload), is_text=isinstance(data, str))
        except ConnectionFailed as error:
            self._owner.open = None
            times = (intended, start, monotonic())
            self._records.fail(self._messages, (error.kind, str(error)), times)
        self._asked.append((intended, start, len(payload)))

    def receive(self) -> str | bytes:
        """The next message, which answers the oldest one that has no answer yet.

        What comes when nothing was sent is taken, and is no sample: the server spoke by itself.
        """
        failure: Failed
        try:
            message = self._wire.receive()
            data = message.data.decode() if message.is_text else message.data
        except ConnectionFailed as error:
            failure = (error.kind, str(error))
        except Expired:
            failure = self._timed_out("answer")
        except UnicodeDecodeError:
            failure = (Kind.PROTOCOL, "text that is not UTF-8")
        else:
            if self._asked:
                intended, start, _ = self._asked.popleft()
                times = (intended, start, message.moment)
                self._owner.hold(self._messages, len(message.data), times, (SOCKET, self._path))
            if not self._asked:
                self._owner.open = None
            return data
        self._owner.open = None
        self.drop()
        asked, self._asked = self._asked, deque()
        for intended, start, length in asked:
            self._records.lost(self._messages, failure, (intended, start, monotonic()), length)
        self._records.blame(failure)

    def echo(self, size: int, *, binary: bool = False) -> None:
        """Sends a numbered message of so many bytes, and waits until it has come back as it was.

        What comes instead is counted: a copy, another connection's, a damaged one.
        """
        self._judge_inbox()
        wire = self._wire
        self._sent = number = self._sent + 1
        data = accounts.message(self._number, number, size)
        intended, start = self._owner.begin_sample(self._messages)
        sent_bytes, moment = 0, 0.0
        failure: Failed | None = None
        try:
            wire.send(self._said(data), is_text=not binary)
            sent_bytes = size
            while True:
                answer = wire.receive()
                moment = answer.moment
                if answer.data == data and answer.is_text is not binary:
                    break
                failure = self._judged_answer(answer, number)
                if failure is not None:
                    break
                if moment - start > self._owner.target.timeout_s:
                    raise Expired  # strays may come for ever
        except ConnectionFailed as error:
            failure = (error.kind, str(error))
        except Expired:
            failure = self._timed_out("answer")
            self.drop()
        finally:
            self._owner.open = None
        if failure is not None:
            self._records.fail(self._messages, failure, (intended, start, monotonic()), sent_bytes)
        self._records.right(self._messages, (intended, start, moment), size)

    def ping(self) -> None:
        """Sends a ping and waits for its pong: a message, too."""
        index = self._records.index("ping", MESSAGE)
        self._sent += 1
        data = accounts.message(self._number, self._sent, accounts.HEAD_BYTES)
        intended, start = self._owner.begin_sample(index)
        moment = 0.0
        failure: Failed | None = None
        try:
            moment = self._wire.ping(data)
        except ConnectionFailed as error:
            failure = (error.kind, str(error))
        except Expired:
            failure = self._timed_out("pong")
            self.drop()
        finally:
            self._owner.open = None
        if failure is not None:
            self._records.fail(index, failure, (intended, start, monotonic()), len(data))
        self._records.right(index, (intended, start, moment), len(data))

    def rest(self, seconds: float = inf) -> None:
        """Does nothing for that time; raises RequestFailed when the connection ends meanwhile."""
        self._rest = Event()
        if self.is_open:
            limit = min(seconds, GLANCE_S) if self._owner.rehearsal else seconds
            self._rest.wait(None if limit == inf else limit)
        ending = self._wire.ending
        if ending is not None:
            self._records.blame((ending.kind, ending.words))

    def subscribe(self, *, binary: bool = False) -> Subscription:
        """From now on everything that arrives is a publication of this load."""
        if self._subscription is None:
            self._subscription = Subscription(
                self._records, self._sockets, path=self._records.name, binary=binary
            )
            self._wire.on_message = self._subscription.take
            while self._wire.inbox:
                self._subscription.take(self._wire.inbox.popleft())
        return self._subscription

    def publish(self, size: int, *, binary: bool = False) -> None:
        """Sends a numbered message to all subscribers, and waits until those of this process have
        got it; raises RequestFailed when one of them has not in time.
        """
        group = self.subscribe(binary=binary).group
        index = self._records.index("publication", PUBLICATION)
        self._sent = number = self._sent + 1
        intended, start = self._owner.begin_sample(index)
        data = accounts.publication(self._number, number, size, intended, start)
        pending = group.expect(self._number, number)
        try:
            self._wire.send(self._said(data), is_text=not binary)
            sent = monotonic()
            pending.done.wait(self._owner.target.timeout_s)
            self._records.right(index, (intended, start, sent), size)
        except ConnectionFailed as error:
            times = (intended, start, monotonic())
            self._records.fail(index, (error.kind, str(error)), times)
        finally:
            self._owner.open = None
            group.forget(self._number, number)
        if pending.waiting:
            limit_s = self._owner.target.timeout_s
            words = f"{len(pending.waiting)} subscribers did not get it within {limit_s:g} s"
            self._records.blame((Kind.LOST, words))

    def close(self) -> None:
        """The closing handshake; raises RequestFailed when the server does not answer it."""
        self._judge_inbox()
        if not self.is_open or self._owner.gate.closed:
            self.leave()
            return
        index = self._records.index("closing", CLOSING)
        self._owner.settle()
        start = monotonic()
        self._owner.open = (index, start, start)
        failure: Failed | None = None
        try:
            self._wire.close()
        except ConnectionFailed as error:
            failure = (error.kind, str(error))
        except Expired:
            failure = self._timed_out("answer to the close frame")
        finally:
            self._owner.open = None
            self._gone()
        if failure is not None:
            self._records.fail(index, failure, (start, start, monotonic()))
        self._records.right(index, (start, start, self._wire.arrived), 0)

    def leave(self) -> None:
        """Says good-bye and waits for nothing."""
        self._wire.leave()
        self._gone()

    def drop(self) -> None:
        """Ends the connection at once."""
        self._wire.drop()
        self._gone()

    def _on_end(self, ending: Ending) -> None:
        """In the hub: the connection has ended, and not because we wanted it."""
        if self in self._sockets and not self._sockets.over:
            self._records.ended(ending, monotonic())
        self._gone()

    def _gone(self) -> None:
        self._sockets.discard(self)
        if self._subscription is not None:
            self._subscription.leave()
        if self._rest is not None:
            self._rest.set()

    def _said(self, payload: bytes) -> bytes:
        return payload if self._dialect is None else self._dialect.say(payload)

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

    def _judged(self, response: Response) -> Failed | None:
        """What is wrong with the handshake's answer."""
        status = response.status_code
        wanted = self._owner.target.run_header
        found = response.headers.get(RUN_HEADER)
        if wanted and found != wanted and (found is not None or not self._excused(status)):
            words = "answered by a process that does not belong to this run"
            return Kind.WRONG_RESPONDER, words
        if status != 101:
            return Kind.HTTP_STATUS, f"status {status}"
        ending = self._wire.ending
        if ending is not None and ending.kind is Kind.PROTOCOL:
            return ending.kind, ending.words
        cookies = response.headers.get_all("Set-Cookie")
        if cookies:
            self._owner.cookies.take(cookies)
        return None

    def _excused(self, status: int) -> bool:
        """Whether the run's header may be missing.

        As for HTTP, an error may come from before the application. A server that sends no headers
        when it accepts tells the run by a subprotocol, unless the application has chosen one.
        """
        return status >= 400 or (bool(self._mark) and self._wire.subprotocol in self._offered)

    def _judged_answer(self, answer: Message, awaited: int) -> Failed | None:
        """Whether the awaited message came back damaged; what else it is, is a stray."""
        said = accounts.numbered(answer.data)
        if said is None:
            return Kind.CORRUPT, f"came back as {answer.data[:60]!r}"
        if said.connection != self._number:
            self._records.stray(Kind.MISDIRECTED, answer, "a message of another connection")
        elif said.number < awaited:
            self._records.stray(Kind.DUPLICATED, answer, f"message {said.number} once more")
        else:
            form = "text" if answer.is_text else "binary"
            return Kind.CORRUPT, f"came back as {len(answer.data)} bytes of {form}"
        return None

    def _judge_inbox(self) -> None:
        """What has come since, and nobody waited for."""
        inbox = self._wire.inbox
        while inbox:
            message = inbox.popleft()
            failure = self._judged_answer(message, self._sent + 1)
            if failure is not None:
                self._records.stray(failure[0], message, failure[1])

    def _timed_out(self, what: str) -> Failed:
        limit_s = self._owner.target.timeout_s
        if self._wire.connecting:
            return Kind.CONNECT_TIMEOUT, f"no connection after {limit_s:g} s"
        return Kind.READ_TIMEOUT, f"no {what} after {limit_s:g} s"
