"""The load process: `python -m benchsuite.load.process.worker EVENTS_FD`.

It reads its job from standard input, whose end means that the parent is gone, and writes events to
the pipe it inherited and samples to the spool folder (`benchsuite.load.job`).

Before the load it checks the journey, by one pass with the very client that makes the load. One
that sends a form or gets a cookie is made twice, because the load repeats it.
"""

from benchsuite.load.process import patching  # noqa: F401  # isort: skip - before everything else

import ctypes
import gc
import json
import logging
import os
import random
import signal
import sys
import traceback
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path
from time import monotonic
from typing import Any, NoReturn

import gevent
from gevent import Timeout
from gevent.event import Event
from gevent.os import make_nonblocking, nb_read, nb_write
from gevent.queue import SimpleQueue

from benchsuite.core.exceptions import AnswerError, BenchsuiteError, last_line, own_words
from benchsuite.core.plain import plain, read
from benchsuite.load import job as messages
from benchsuite.load.client.failures import refusal_sentence
from benchsuite.load.client.target import (
    Gate,
    Recorder,
    RequestFailed,
    SpoolRecorder,
    Target,
    imported,
)
from benchsuite.load.job import AGAIN, LOOK, REHEARSAL_LIMIT_S, Job, Rehearsal
from benchsuite.load.process.arrivals import OpenModel
from benchsuite.load.process.locustfile import LocustfileUsers
from benchsuite.load.process.phases import Phases, Pool
from benchsuite.load.process.users import Journeys, UserClient
from benchsuite.system import folders
from benchsuite.workloads.base import Workload
from benchsuite.workloads.project import Locustfile

PR_SET_PDEATHSIG = 1
LOG_RECORDS = 100  #: Of Locust: a failing task of a locustfile writes one each time.
SECOND = (
    "A user's first journey was answered correctly, the second was not: something that the first "
    "left behind (an object that may exist only once, a cookie) is in the way:"
)
VISITS = 2  #: Journeys of each visitor of a rehearsal.
FEWEST = 4  #: Journeys that are rehearsed even of a slow page.
REHEARSING_S = 1.0  #: How long further rehearsals go on.


class Visitor(UserClient):
    """Somebody whose answers nobody times; it is known which forms he has sent."""

    looks = False  #: Whether he leaves where a form is to be sent.

    def __init__(self, target: Target) -> None:
        super().__init__(target, Recorder(), Gate(), user=0, rehearsal=True)
        self.posts: Counter[str] = Counter()  #: Name of a request → how many forms it sent.
        self._drawn = random.getstate()  #: Before the last rehearsal.

    def rehearse(self, workload: Workload, kind: str, limit_s: float) -> Rehearsal:
        """Makes the journey once more: `LOOK`, `NEW` or `AGAIN`."""
        self.begin()
        self.posts, self.looks = Counter(), kind == LOOK
        going_on = random.getstate()
        if kind == AGAIN:
            random.setstate(self._drawn)
        self._drawn = random.getstate()
        refusal = _refused_once(workload, self, limit_s)
        self.settle()
        self.close()  # a kept connection would take a slot from the load
        if kind == AGAIN:
            random.setstate(going_on)
        return Rehearsal(kind=kind, right=refusal is None, posts=dict(self.posts))

    def post(self, path: str, *args: Any, name: str = "", **options: Any) -> Any:
        if self.looks:
            raise RequestFailed("only looked at")
        self.posts[name or f"POST {path.partition('?')[0]}"] += 1
        return super().post(path, *args, name=name, **options)


def checked(workload: Workload, target: Target, limit_s: float) -> tuple[dict[str, Any], float]:
    """The event "checked" or "refused", and how many seconds the last checked journey took."""
    with closing(Visitor(target)) as client:
        begin = monotonic()
        message = _refused_once(workload, client, limit_s)
        if message is None and client.left_traces:
            client.settle()
            client.begin()
            begin = monotonic()
            message = _refused_once(workload, client, limit_s)
            if message is not None:
                message = f"{SECOND} {message}"
        journey_s = monotonic() - begin
    if message is not None:
        refusal: dict[str, Any] = {"event": "refused", "message": message}
        if client.failed is not None:
            names = ("method", "path", "status", "why")
            refusal |= {name: getattr(client.failed, name) for name in names}
        return refusal, journey_s
    # rehearsed as often as the workload asks, two for each new visitor; a failure ends that, and is
    # left to the load to count
    begin = monotonic()
    for made in range(1, workload.rehearsals, VISITS):
        if made > FEWEST and monotonic() - begin > REHEARSING_S:
            break
        with closing(Visitor(target)) as visitor:
            for _ in range(VISITS):
                visitor.begin()
                left_s = begin + REHEARSAL_LIMIT_S - monotonic()
                if left_s <= 0 or _refused_once(workload, visitor, left_s) is not None:
                    break
    workload.rehearsed()
    event = {"event": "checked", "unchecked": workload.unchecked}
    return event | {"posts": bool(client.posts), "requests": client.requests}, journey_s


def _refused_once(workload: Workload, client: UserClient, limit_s: float) -> str | None:
    claim = ""
    timeout = Timeout.start_new(limit_s)
    try:
        workload.journey(client)
    except RequestFailed as error:
        claim = own_words(error)
    except (AnswerError, AssertionError) as error:
        claim = own_words(error)
        client.reject(error, claim)
    except Timeout as expired:
        if expired is not timeout:
            raise
        return f"One journey of {workload.name} took longer than {limit_s:g} s; make it shorter."
    except Exception as error:  # noqa: BLE001 - a journey is foreign code
        return f"The journey of {workload.name} broke off: {last_line(error)}."
    finally:
        timeout.close()
    if client.failed is not None:
        return refusal_sentence(client.failed, client.target)
    if claim:
        return f"The journey of {workload.name} says: {claim}."
    if client.unpaired:
        return (
            f"The journey of {workload.name} sends {client.unpaired} messages over a WebSocket and "
            "doesn't say which answers are theirs, so they can't be timed: take an answer with "
            "receive(matching=...), or send what needs none with answered=False."
        )
    if not client.requests:
        return f"The journey of {workload.name} makes no request, so there is nothing to measure."
    return None


class Parent:
    """The parent's orders, and the pipe to answer it."""

    def __init__(self, events: int) -> None:
        self.orders: SimpleQueue[bytes] = SimpleQueue()  #: The job, then what to do next.
        self.stop = Event()
        self._events = events
        make_nonblocking(events)
        make_nonblocking(0)
        gevent.spawn(self._listen)

    def say(self, event: dict[str, Any]) -> None:
        """Sends an event; a tick is dropped when the pipe is full: the load never waits."""
        line = json.dumps(event).encode() + b"\n"
        if event["event"] == "tick":
            with suppress(BlockingIOError):
                os.write(self._events, line)
        else:
            while line:
                line = line[nb_write(self._events, line) :]

    def _listen(self) -> None:
        buffered = b""
        while True:
            if not (block := nb_read(0, 65_536)):
                self.closed()
            *lines, buffered = (buffered + block).split(b"\n")
            for line in lines:
                self.take(line)

    def closed(self) -> NoReturn:
        """The parent is gone."""
        os._exit(1)

    def take(self, line: bytes) -> None:
        """An order, or the job."""
        if line == messages.STOP:
            self.stop.set()
        else:
            self.orders.put(line)


def bound_to_parent() -> None:
    """Ctrl-C is the parent's; this process dies with it, even when a journey never yields."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def main(events: int) -> NoReturn:
    bound_to_parent()
    # warnings and errors of Locust go to standard error, which is the log, up to a limit
    handler = logging.StreamHandler()
    left = iter(range(LOG_RECORDS))
    handler.addFilter(lambda record: next(left, None) is not None)
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("locust.runners").setLevel(logging.ERROR)
    parent = Parent(events)
    try:
        parent.say({"event": "ready"})
        parent.say(_work(parent))
    except BenchsuiteError as error:
        parent.say({"event": "failed", "message": str(error)})
    except OSError as error:
        full = error.errno in folders.FULL
        event = {"event": "failed", "message": f"The load process failed: {error}."}
        parent.say({"event": "full"} if full else event)
    except Exception as error:  # noqa: BLE001 - a workload's or locustfile's own code
        traceback.print_exc()
        parent.say({"event": "failed", "message": f"The load broke: {last_line(error)}."})
    # everything is written: ending greenlets, sockets and atexit hooks would only take time
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _work(parent: Parent) -> dict[str, Any]:
    """Checks, waits for "go" and loads; returns the last event."""
    job = read(Job, json.loads(parent.orders.get()))
    random.seed(f"{job.seed} {job.part}")
    os.environ.update(job.environment)
    recorder = SpoolRecorder(Path(job.spool))
    pool: Pool
    event = {"event": "checked", "unchecked": Locustfile.unchecked, "posts": False, "requests": 1}
    if job.locustfile:
        pool = LocustfileUsers(job, recorder)
    else:
        workload = imported("workload", job.workload_class)(**job.workload.options)
        assert isinstance(workload, Workload)
        workload.visitor = job.visitor.user
        workload.fit(job.load)
        target = Target.of(job)
        limit_s = job.load.timeout_s + messages.CHECK_LIMIT_S
        event, journey_s = checked(workload, target, limit_s)
        if event["event"] == "refused":
            return event
        visitor = Visitor(target)
        model = OpenModel if job.load.is_open else Journeys
        pool = model(target, workload, recorder)
        pool.journey_s = journey_s
    phases = Phases(job, pool, recorder, parent.stop, parent.say)
    gc.freeze()  # what is there now stays: the collector need not look at it again while we measure
    parent.say(event)
    while (order := parent.orders.get()).startswith(messages.REHEARSE):
        kind = order.removeprefix(messages.REHEARSE).decode()
        parent.say({"event": "rehearsed", **plain(visitor.rehearse(workload, kind, limit_s))})
    done = phases.run(float(order.removeprefix(messages.GO)))
    recorder.close()
    return {"event": "done", **plain(done)}


if __name__ == "__main__":
    main(int(sys.argv[1]))
