"""Existing locustfiles: Locust runs their users, our clock times them.

geventhttpclient silently sends an unanswered request up to eleven times. `limited` lets it do so
once, where the connection had rested (`connection.REST_S`), and reports it.
"""

import os
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

import gevent
import greenlet
from geventhttpclient.client import HTTPClient
from geventhttpclient.connectionpool import ConnectionPool
from geventhttpclient.response import HTTPConnectionClosed
from locust import User, argument_parser, events
from locust.clients import HttpSession
from locust.contrib.fasthttp import FastHttpSession
from locust.env import Environment
from locust.exception import StopUser
from locust.runners import LocalRunner
from locust.user.task import LOCUST_STATE_RUNNING
from locust.util.load_locustfile import load_locustfile

from benchsuite.core.exceptions import LoadError, last_line, own_words
from benchsuite.core.samples import REQUEST, RESENT, Kind
from benchsuite.load.client import failures
from benchsuite.load.client.http.connection import REST_S
from benchsuite.load.client.target import Failed, Recorder
from benchsuite.load.job import Job
from benchsuite.load.process.users import PAUSE_S, UserPool
from benchsuite.telemetry.prober.program import RUN_HEADER


def limited(on_resend: Callable[[], None]) -> None:
    """Applies to this process from now on; `on_resend` is called in the requesting greenlet."""
    request, get_socket = HTTPClient.request, ConnectionPool.get_socket
    attempts: dict[Any, list[float]] = {}
    """Of each requesting greenlet: when its client's last request ended, then its attempts."""
    ended: dict[ConnectionPool, float] = {}

    def noted_request(client: HTTPClient, *args: Any, **options: Any) -> Any:
        pool, current = client._connection_pool, gevent.getcurrent()
        attempts[current] = [ended.get(pool, monotonic())]
        try:
            return request(client, *args, **options)
        finally:
            del attempts[current]
            ended[pool] = monotonic()

    def noted_get_socket(pool: ConnectionPool) -> Any:
        made = attempts.get(gevent.getcurrent())
        if made is not None:
            if len(made) > 2 or (len(made) == 2 and made[1] - made[0] < REST_S):
                raise HTTPConnectionClosed("the connection was closed before the answer")
            if len(made) == 2:
                on_resend()
            made.append(monotonic())
        return get_socket(pool)

    HTTPClient.request = noted_request  # type: ignore[method-assign, assignment]
    ConnectionPool.get_socket = noted_get_socket  # type: ignore[method-assign, assignment]


QUIT_S = 1.0  #: How long `on_stop` and the hooks of the end may take together.


class LocustfileUsers(UserPool):
    """The users of a locustfile and what they have in flight."""

    def __init__(self, job: Job, recorder: Recorder) -> None:
        self._job = job
        self._recorder = recorder
        self._classes = load(Path(job.locustfile))
        self._closed = False
        self._ended: set[User] = set()
        self._numbers: dict[User, int] = {}
        self._in_flight: dict[object, tuple[User | None, str, float]] = {}
        self._starts: dict[greenlet.greenlet, float] = {}
        self._tasks: list[gevent.Greenlet[..., Any]] = []

    def runner(self, first_start: Callable[[], None]) -> LocalRunner:
        """Locust's, with our clock in place of its statistics."""
        environment = Environment(
            user_classes=list(self._classes),
            events=events,
            host=self._job.base_url,
            locustfile=self._job.locustfile,
            parsed_options=self._options(),
            stop_timeout=0.0,
        )
        run: Callable[[User], None] = User.run
        numbers = self._numbers

        def noted_run(user: User) -> None:
            numbers[user] = len(numbers)
            first_start()
            while not self._closed:
                try:
                    run(user)
                    return
                except Exception as error:  # noqa: BLE001 - of on_start: Locust would lose the user
                    if self._closed:  # of on_stop
                        return
                    self._on_user_error(user, error)
                    gevent.sleep(PAUSE_S)

        User.run = noted_run  # type: ignore[method-assign, misc]
        for session in (HttpSession, FastHttpSession):
            self._watch_requests(session)
        limited(self._note_resend)
        own_listeners = list(events.request._handlers), list(events.user_error._handlers)
        self._runner = environment.create_local_runner()
        # without the listeners that the runner has just added for its own statistics
        events.request._handlers[:], events.user_error._handlers[:] = own_listeners
        events.request._handlers.append(self._on_request)
        events.user_error._handlers.append(self._on_user_error)
        init: Any = events.init
        init.fire(environment=environment, runner=self._runner, web_ui=None)
        return self._runner

    def rise(self, level: float) -> int:
        return self._job.share(int(level))

    def count(self) -> int:
        return self._at_end if self._closed else self._runner.user_count

    def end(self) -> None:
        """Users that wait for an answer get it; those of other protocols finish their task."""
        self._at_end, self._closed = self._runner.user_count, True
        waiting = {user for user, _, _ in self._in_flight.values()}
        for user in self._numbers:
            running = user.greenlet
            if running is None or running.dead or user in waiting:
                continue
            is_http = isinstance(getattr(user, "client", None), HttpSession | FastHttpSession)
            if user._state == LOCUST_STATE_RUNNING and not is_http:
                user.stop(force=False)
                self._tasks.append(running)
            else:
                self._ended.add(user)
                running.kill(block=False)

    def awaited(self) -> int:
        return len(self._in_flight) or sum(not task.dead for task in self._tasks)

    def give_up(self, moment: float) -> None:
        for user, name, start in self._in_flight.values():
            begun = (self._recorder.index(name, REQUEST), start, start)
            self._recorder.unfinished(begun, self._number(user), moment)
        self._in_flight.clear()

    def quit(self) -> None:
        """Ends all users and fires the events of the end, as Locust does."""
        users = {user: user.greenlet for user in self._numbers if user.greenlet is not None}
        for user in users.keys() - self._ended:
            self._ended.add(user)
            users[user].kill(block=False)
        with suppress(gevent.Timeout), gevent.Timeout(QUIT_S):
            gevent.joinall(list(users.values()))
            self._runner.quit()
            quitting: Any = events.quitting
            quitting.fire(environment=self._runner.environment, reverse=True)

    def _options(self) -> Any:
        """The defaults of options that the locustfile adds to Locust's command line."""
        parser = argument_parser.get_parser(default_config_files=[])
        try:
            options, _ = parser.parse_known_args(args=[])
        except SystemExit:
            raise LoadError(
                f"{self._job.locustfile} demands options of its own; give them defaults, because "
                "runbench can't pass them on."
            ) from None
        options.host = self._job.base_url
        options.num_users = self._job.load.users
        return options

    def _watch_requests(self, session_class: Any) -> None:
        """Wraps `request()` of a session class, through which all its requests go."""
        request = session_class.request

        def timed_request(session: Any, method: str, url: str, *args: Any, **options: Any) -> Any:
            user = session.user
            if self._closed and user not in self._ended:
                self._ended.add(user)  # what on_stop asks for is let through
                raise StopUser
            token = object()
            current = gevent.getcurrent()
            name = options.get("name") or session.request_name or str(url)
            start = monotonic()
            self._starts[current] = start
            self._in_flight[token] = (user, f"{method} {name}", start)
            try:
                answer = request(session, method, url, *args, **options)
            finally:
                self._in_flight.pop(token, None)
                self._starts.pop(current, None)
            # with catch_response the event comes later, when the with-block has judged the answer
            meta = getattr(answer, "request_meta", None)
            if meta is not None:
                meta["response"].benchsuite_start = start
            return answer

        session_class.request = timed_request

    def _note_resend(self) -> None:
        start = self._starts.get(gevent.getcurrent(), monotonic())
        self._recorder.until_now(RESENT, 0, start, start)

    def _on_request(
        self,
        request_type: str,
        name: str,
        response_time: float | None,
        response_length: int | None,
        response: Any = None,
        exception: BaseException | None = None,
        **_: Any,
    ) -> None:
        """Locust's event of a finished request, also from clients unknown to us."""
        duration_s = (response_time or 0.0) / 1000
        current = gevent.getcurrent()
        start = getattr(response, "benchsuite_start", None) or self._starts.get(current)
        if start is None:
            start = monotonic() - duration_s
        index = self._recorder.index(f"{request_type} {name}", REQUEST)
        kind, message = self._judge(response, exception)
        user = next((arg for arg in getattr(current, "args", ()) if isinstance(arg, User)), None)
        self._recorder.add(
            index, kind, self._number(user), response_length or 0, start, start, start + duration_s
        )
        if kind is not Kind.OK:
            status = getattr(response, "status_code", None) or None
            self._recorder.example(index, kind, message, status, f"{request_type} {name}")

    def _judge(self, response: Any, exception: BaseException | None) -> Failed:
        status = getattr(response, "status_code", None)
        headers = getattr(response, "headers", None)
        if status and headers is not None:
            wanted, actual = self._job.run_header, headers.get(RUN_HEADER)
            foreign = failures.kind_of_responder(wanted, actual, may_lack=status >= 400)
            if foreign is not None:
                return foreign
        if exception is None:
            return Kind.OK, ""
        kind = failures.kind_of(exception, status=status)
        if kind is Kind.HTTP_STATUS and status:
            return failures.kind_of_status(status, getattr(response, "content", None) or b"")
        if kind is Kind.WRONG_BODY:
            kind = failures.kind_of_rejected(response, exception)
        return kind, own_words(exception)

    def _on_user_error(self, user_instance: Any, exception: BaseException, **_: Any) -> None:
        """A task that raised: a failure among the requests, named after its user class."""
        user = user_instance if isinstance(user_instance, User) else user_instance.user
        index = self._recorder.index(type(user).__name__, REQUEST)
        now = monotonic()
        self._recorder.add(index, Kind.JOURNEY_ERROR, self._number(user), 0, now, now, now)
        self._recorder.example(index, Kind.JOURNEY_ERROR, last_line(exception))

    def _number(self, user: User | None) -> int:
        return 0 if user is None else self._numbers.get(user, 0)


def load(path: Path) -> list[type[User]]:
    """The user classes of a locustfile; raises LoadError with what is wrong in it."""
    if not path.is_file():
        raise LoadError(f"There is no locustfile {path}.")
    try:
        classes, shapes = load_locustfile(os.path.abspath(path))
    except SyntaxError as error:
        raise LoadError(f"{error.filename}:{error.lineno}: {error.msg}.") from error
    except SystemExit as error:
        raise LoadError(f"{path} ended the process while it was imported.") from error
    except Exception as error:  # the locustfile's own code
        traceback.print_exc()
        raise LoadError(f"{path} does not import: {last_line(error)}.") from error
    if shapes:
        raise LoadError(
            f"{path} uses a LoadTestShape, which runbench does not run; give --users and "
            "--duration, and leave the shape out."
        )
    if not classes:
        raise LoadError(
            f"{path} has no users; define a class of HttpUser, FastHttpUser or User with tasks."
        )
    return list(classes.values())
