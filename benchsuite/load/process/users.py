"""Locust users that repeat the workload's journey, with think time in between, and their client."""

import itertools
from collections.abc import Callable, Mapping
from random import getrandbits
from time import monotonic
from typing import Any

import gevent
from gevent.event import Event
from locust import User
from locust.env import Environment
from locust.exception import StopUser
from locust.runners import LocalRunner

from benchsuite.core.exceptions import AnswerError, last_line, own_words
from benchsuite.core.results import Traffic
from benchsuite.core.samples import JOURNEY, PAUSE, Kind
from benchsuite.load.client.http.client import HttpClient
from benchsuite.load.client.http.streams import EventStream
from benchsuite.load.client.target import Gate, LoadEnded, Recorder, RequestFailed, Target
from benchsuite.load.client.websocket.accounts import REHEARSING_USER, connection_number
from benchsuite.load.client.websocket.socket import WebSocket
from benchsuite.load.client.websocket.sockets import Sockets
from benchsuite.load.job import TINY_S
from benchsuite.workloads.base import Workload


class UserClient(HttpClient):
    """What journeys are given: HTTP, and connections that stay open from journey to journey."""

    _connections = 0  #: WebSockets that were begun.
    _websockets: Mapping[str, WebSocket] = {}  #: Those that are kept, by path.
    _streams: Mapping[str, EventStream] = {}

    def begin(self, intended: float | None = None) -> None:
        for kept in self._websockets.values():
            kept.settle()
        super().begin(intended)

    def close(self) -> None:
        super().close()
        for kept in self._websockets.values():
            kept.leave()
        for stream in self._streams.values():
            stream.leave()

    def websocket(self, path: str, *, keep: bool = False, **options: Any) -> WebSocket:
        """An open WebSocket, with `keep` that of an earlier journey if it is still open. Raises
        RequestFailed when the server does not take it. The options are those of `WebSocket`.
        """
        known = self._websockets.get(path) if keep else None
        if known is not None and known.is_open:
            return known
        self._connections += 1
        number = connection_number(self.user, self._connections)
        if self.rehearsal:  # the load's own users may be listening already to what is rehearsed
            number = connection_number(REHEARSING_USER, getrandbits(32))
        made = WebSocket(self, path, number=number, keep=keep, **options)
        made.open()
        if keep:
            self._websockets = {**self._websockets, path: made}
        return made

    def events(
        self, path: str, *, after: str = "", numbered: bool = False, endless: bool = False
    ) -> EventStream:
        """The user's stream of events of that path, after that id; journeys keep it open."""
        if path not in self._streams:
            made = EventStream(self, path, after=after, numbered=numbered, endless=endless)
            self._streams = {**self._streams, path: made}
        return self._streams[path]


class UserPool:
    """The users, from a workload or from a locustfile: what neither need have."""

    standing_by: int = 0  #: Users to start before the load begins.
    unmade: int = 0  #: Journeys of a fixed amount of work that are not made yet.
    finished_at: float | None = None  #: When the last of them had ended, if they have.
    on_finish: Callable[[], object]  #: Called at that moment.
    journey_s = 0.0  #: How long a journey takes, about.
    _origin: float = 0.0
    _sockets = Sockets()  #: None that a locustfile opens, of which nobody can tell.

    def wait_for_standing_by(self, limit_s: float) -> bool:
        """Whether the users to start before the load all stand by within that time."""
        return True

    def begin(self, origin: float) -> None:
        """The load begins, at that moment."""
        self._origin = self._sockets.origin = origin

    def connections(self) -> int | None:
        """The most WebSockets open at once since the last call; None where there never were any."""
        most, self._sockets.most = self._sockets.most, len(self._sockets.open)
        return most if self._sockets.used else None

    def traffic(self) -> Traffic | None:
        """What came of offers to compress; None where there were none."""
        return self._sockets.traffic if self._sockets.traffic.negotiated else None

    def overdue(self, since: float, before: float) -> int:
        """Open model: what was due between these moments and has no answer yet."""
        return 0

    def work_ended_at(self, end: float) -> float:
        """When a fixed amount of work that ends then had its last answer."""
        return end

    def tallies(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Open model: arrivals that were sent and that never were, of each stage's window."""
        return (), ()


GOOD_BYE_S = 1.0  #: How long closing all WebSockets may take at the end.
GOLDEN = 0.6180339887498949  #: Its multiples spread evenly over [0, 1), modulo 1.
PAUSE_S = 0.1
"""Least time between the starts of two journeys of a user when the first got no answer: a refused
connection costs nothing, and thousands of them a second would take CPU from the target, and make
one second of outage outweigh all others."""


class Journeys(UserPool):
    """All users of a workload, in the closed model."""

    def __init__(self, target: Target, workload: Workload, recorder: Recorder) -> None:
        self._target = target
        self._job = job = target.job
        self._workload = workload
        self._recorder = recorder
        if job.load.iterations is not None:
            self.standing_by = job.share(job.load.users)
            self.unmade = self.standing_by * job.load.iterations
        self._finished = 0  #: Users who have made all their journeys.
        self._answered_at = 0.0  #: When the last journey had ended that got an answer.
        self._in_vain = 0  #: Journeys that have ended without one since.
        self._all_ready = Event()  #: Whether the users to start before the load all stand by.
        self._under_way: dict[UserClient, tuple[float, float]] = {}  #: Intended and real starts.
        self._completes = workload.whole_journeys  #: Whether journeys in flight may still end.
        self._pausing: dict[UserClient, float] = {}  #: Start of each pause.
        self._over = False
        self._users: list[tuple[UserClient, User]] = []
        self._waited_for: list[UserClient] = []
        self._gate = Gate()
        self._level = 0.0
        self._most = 0
        self._raised = Event()
        self._sockets = Sockets(alone=job.parts == 1)
        self._numbers = itertools.count(job.part, job.parts)

    def _new_client(self) -> UserClient:
        user, due = next(self._numbers), self._workload.due
        return UserClient(
            self._target, self._recorder, self._gate, user=user, sockets=self._sockets, due=due
        )

    def runner(self, first_start: Callable[[], None]) -> LocalRunner:
        """Locust's, whose users call `first_start` as they start."""

        def endless(user: User) -> None:
            first_start()
            self._live(user)

        class JourneyUser(User):
            tasks = [endless]

        return Environment(user_classes=[JourneyUser]).create_local_runner()

    def wait_for_standing_by(self, limit_s: float) -> bool:
        return bool(self._all_ready.wait(limit_s))

    def rise(self, level: float) -> int:
        """How many users Locust must have started for this level. Surplus ones rest after the
        journey under way: Locust would end it in a request.
        """
        self._level = level
        raised, self._raised = self._raised, Event()
        raised.set()
        self._most = max(self._most, self._job.share(int(level)))
        return 0 if self.standing_by else self._most

    def count(self) -> int:
        """Users at work, or journeys in flight in the open model."""
        return sum(client.user < self._level for client, _ in self._users) - self._finished

    def work_ended_at(self, end: float) -> float:
        """Time in which most users are done, and the others wait for what is lost, is no work."""
        waiting = [client.in_flight for client in self._under_way]
        if not all(waiting) or 2 * (len(waiting) + self._in_vain) >= self.standing_by:
            return end
        asked = [start for in_flight in waiting for _, _, start in in_flight]
        return min(end, max([self._answered_at, *asked]) + TINY_S)

    def end(self) -> None:
        """Who is not waiting for an answer ends at once; whole journeys may still be completed."""
        self._over = True
        for client, since in self._pausing.items():
            self._recorder.until_now(PAUSE, client.user, since, since)
        self._gate.closed = not self._completes
        for client, user in self._users:
            if self._is_awaited(client):
                self._waited_for.append(client)
            elif user.greenlet is not None:
                user.greenlet.kill(block=False)

    def awaited(self) -> int:
        """How many answers are still waited for."""
        self._waited_for = [client for client in self._waited_for if self._is_awaited(client)]
        return len(self._waited_for) or int(self._sockets.busy)

    def _is_awaited(self, client: UserClient) -> bool:
        return bool(client.in_flight) or (self._completes and client in self._under_way)

    def give_up(self, moment: float) -> None:
        """Writes what is in flight down as unfinished."""
        self._gate.closed = True
        for client, _ in self._users:
            client.give_up(moment)
        if not self._completes:
            return
        for client, (meant, begin) in self._under_way.items():
            index = self._index_of(client)
            self._recorder.add(index, Kind.UNFINISHED, client.user, 0, meant, begin, moment)
            self._recorder.example(index, Kind.UNFINISHED, "not at its end")

    def quit(self) -> None:
        """Closes the WebSockets that were kept open."""
        self._sockets.quit(GOOD_BYE_S)

    def _live(self, user: User) -> None:
        """A user's life: journeys until the load ends, or until all of its own are made."""
        client, think_time_s = self._new_client(), self._job.load.think_time_s
        self._users.append((client, user))
        if len(self._users) == self.standing_by:
            self._all_ready.set()
        try:
            # journeys after nothing are spread over a cycle of journey and think time
            cycle_s = think_time_s + min(self.journey_s, think_time_s)
            spread_s = cycle_s * (client.user * GOLDEN % 1.0)
            if self._job.load.spawn_rate is None and think_time_s:
                self._pause(client, spread_s)
            for made in itertools.count(1):
                while client.user >= self._level:
                    self._raised.wait()
                    if think_time_s:
                        self._pause(client, spread_s)
                begin = monotonic()
                answered = self._journey(client, begin)
                if self._over:
                    return
                self.unmade -= 1
                if answered:
                    self._answered_at, self._in_vain = monotonic(), 0
                else:
                    self._in_vain += 1
                if made == self._job.load.iterations:
                    self._finished += 1
                    if self._finished == self.standing_by:
                        self.finished_at = monotonic()
                        self.on_finish()
                    self._pausing[client] = monotonic()  # until the load ends
                    Event().wait()
                if not answered:
                    self._pause(client, max(0.0, begin + PAUSE_S - monotonic()))
                if think_time_s:
                    self._pause(client, think_time_s)
        except LoadEnded:
            raise StopUser from None

    def _pause(self, client: UserClient, length_s: float) -> None:
        self._pausing[client] = since = monotonic()
        gevent.sleep(length_s)
        del self._pausing[client]
        self._recorder.until_now(PAUSE, client.user, since, since)

    def _journey(self, client: UserClient, begin: float, intended: float | None = None) -> bool:
        """Makes one journey and records it; returns whether it ended with an answer. One that the
        end of the window cuts off between two requests is not recorded.
        """
        meant = begin if intended is None else intended
        self._under_way[client] = (meant, begin)
        client.begin(intended)
        answered = True
        kind, message = Kind.OK, ""
        try:
            self._workload.journey(client)
        except RequestFailed:
            answered = False
        except (AnswerError, AssertionError) as error:
            kind, message = Kind.JOURNEY_ERROR, own_words(error)
            client.reject(error, message)
        except Exception as error:  # noqa: BLE001 - a journey is foreign code, and its users go on
            kind, message = Kind.JOURNEY_ERROR, last_line(error)
            answered = False
        finally:
            client.settle()
        index, cause = self._index_of(client), client.failed
        if cause is not None:
            kind = cause.kind
            if not client.journey_name:
                message = cause.message
            elif not message:  # it says on which page
                message = f"{cause.method} {cause.path}: {cause.message}"
        if kind is not Kind.OK:
            answer = (cause.status, f"{cause.method} {cause.path}") if cause else ()
            client.recorder.example(index, kind, message, *answer)
        client.recorder.add(index, kind, client.user, 0, meant, begin, monotonic())
        del self._under_way[client]
        return answered and client.requests > 0

    def _index_of(self, client: UserClient) -> int:
        """The number of the journey's own name, or of the workload's."""
        return self._recorder.index(client.journey_name or self._workload.name, JOURNEY)
