"""Locust users that make the workload's journey again and again, with the think time between."""

import itertools
import traceback
from collections.abc import Callable
from time import monotonic

import gevent
from locust import User
from locust.env import Environment
from locust.exception import StopUser

from benchsuite.exceptions import AnswerError
from benchsuite.load.clients import Gate, HttpClient, LoadEnded, RequestFailed, Target
from benchsuite.load.job import Job
from benchsuite.load.recorder import JOURNEY, Recorder
from benchsuite.stats.samples import Kind
from benchsuite.workloads.base import Workload

PAUSE_S = 0.1
"""Least time between the begins of two journeys of a user when the first ended without an answer.

A refused connection costs nothing: without a pause a user would fail thousands of times a second,
take the CPU that the target needs, and make one second of outage outweigh all others. Journeys that
got answers, also wrong ones, are never slowed down.
"""


class Journeys:
    """All users of a workload: makes them, and ends them."""

    def __init__(
        self, job: Job, workload: Workload, target: Target, recorder: Recorder, gate: Gate
    ) -> None:
        self._workload = workload
        self._recorder = recorder
        self._think_time_s = job.load.think_time_s
        self._index = recorder.index(workload.name, JOURNEY)
        self._users: list[tuple[HttpClient, User]] = []
        self._waited_for: list[HttpClient] = []
        self._gate = gate
        numbers = itertools.count()

        def new_client() -> HttpClient:
            return HttpClient(target, recorder, gate, user=next(numbers), cookies=job.cookies)

        self._new_client: Callable[[], HttpClient] = new_client

    def environment(self, first_start: Callable[[], None]) -> Environment:
        """Locust's environment with one user class; its users call `first_start` as they start."""
        journeys = self

        class JourneyUser(User):
            def on_start(self) -> None:
                first_start()

        def endless(user: User) -> None:
            journeys._live(user)

        JourneyUser.tasks = [endless]
        return Environment(user_classes=[JourneyUser])

    def end(self) -> None:
        """Lets nobody start anything; who is not waiting for an answer ends at once."""
        self._gate.closed = True
        for client, user in self._users:
            if client.open is not None:
                self._waited_for.append(client)
            elif user.greenlet is not None:
                user.greenlet.kill(block=False)

    def busy(self) -> bool:
        """Whether an answer is still waited for."""
        self._waited_for = [client for client in self._waited_for if client.open is not None]
        return bool(self._waited_for)

    def give_up(self, moment: float) -> None:
        """Writes down what is still in flight."""
        for client, _ in self._users:
            client.give_up(moment)

    def quit(self) -> None:
        """Nothing to undo: the process ends."""

    def _live(self, user: User) -> None:
        """A user's life: journeys until the load ends."""
        client = self._new_client()
        self._users.append((client, user))
        try:
            while True:
                begin = monotonic()
                answered = self._journey(client, begin)
                if not answered:
                    gevent.sleep(max(0.0, begin + PAUSE_S - monotonic()))
                if self._think_time_s:
                    gevent.sleep(self._think_time_s)
        except LoadEnded:
            raise StopUser from None

    def _journey(self, client: HttpClient, begin: float) -> bool:
        """Makes one journey and writes it down; whether it ended with an answer.

        A journey that the end of the window cuts off between two requests is not written down: it
        neither failed nor came to its end.
        """
        client.begin()
        answered = True
        failed: tuple[Kind, str] | None = None
        try:
            self._workload.journey(client)
        except RequestFailed:
            answered = False
        except (AnswerError, AssertionError) as error:
            client.reject(told(error))
            failed = (Kind.JOURNEY_ERROR, told(error))
            answered = client.requests > 0
        except Exception as error:  # noqa: BLE001 - a journey is foreign code, and its users go on
            failed = (Kind.JOURNEY_ERROR, last_line(error))
            answered = False
        finally:
            client.settle()
        if client.failed is not None:
            failed = (client.failed.kind, client.failed.message)
        kind = Kind.OK
        if failed is not None:
            kind, message = failed
            self._recorder.example(self._index, kind, message)
        self._recorder.add(self._index, kind, client.user, 0, begin, monotonic())
        return answered and client.requests > 0


def told(error: BaseException) -> str:
    """An error's own words, or its type when it has none."""
    return str(error) or type(error).__name__


def last_line(error: BaseException) -> str:
    """The last line of a traceback with the place in the code: KeyError: 'x' (shop/bench.py:12)."""
    words = traceback.format_exception_only(error)[-1].strip()
    frames = traceback.extract_tb(error.__traceback__)
    return f"{words} ({frames[-1].filename}:{frames[-1].lineno})" if frames else words
