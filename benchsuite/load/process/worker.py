"""The load process: `python -m benchsuite.load.process.worker EVENTS_FD`.

It reads its job from standard input, whose end means that the parent is gone, and writes events to
the pipe it inherited and samples to the spool folder (`benchsuite.load.job`).
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
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import gevent
from gevent.event import AsyncResult, Event
from gevent.os import make_nonblocking, nb_read, nb_write
from gevent.queue import SimpleQueue

from benchsuite.core.exceptions import BenchsuiteError, last_line
from benchsuite.core.plain import plain, read
from benchsuite.load import job as messages
from benchsuite.load.client.target import SpoolRecorder, Target, imported
from benchsuite.load.job import Job
from benchsuite.load.process.arrivals import OpenModel
from benchsuite.load.process.check import Visitor, refused
from benchsuite.load.process.locustfile import LocustfileUsers
from benchsuite.load.process.phases import Phases, Pool
from benchsuite.load.process.users import Journeys
from benchsuite.system import folders
from benchsuite.workloads.base import Workload
from benchsuite.workloads.locustfile import Locustfile

PR_SET_PDEATHSIG = 1
LOG_RECORDS = 100  #: Of Locust: a failing task of a locustfile writes one each time.


class Parent:
    """The parent's orders, and the pipe to answer it."""

    def __init__(self, events: int) -> None:
        self.job: AsyncResult[Job] = AsyncResult()
        self.orders: SimpleQueue[bytes] = SimpleQueue()  #: What to do next, once it is checked.
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
            block = nb_read(0, 65_536)
            if not block:
                self.closed()
            *lines, buffered = (buffered + block).split(b"\n")
            for line in lines:
                self.take(line)

    def closed(self) -> NoReturn:
        """The parent is gone."""
        os._exit(1)

    def take(self, line: bytes) -> None:
        """An order, or the job."""
        if line.startswith((messages.GO, messages.REHEARSE)):
            self.orders.put(line)
        elif line == messages.STOP:
            self.stop.set()
        else:
            self.job.set(read(Job, json.loads(line)))


def bound_to_parent() -> None:
    """Ctrl-C is the parent's; with it this process dies, even when a journey never yields to who
    reads standard input.
    """
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
    job = parent.job.get()
    assert job is not None
    random.seed(f"{job.seed} {job.part}")
    os.environ.update(job.environment)
    recorder = SpoolRecorder(Path(job.spool))
    pool: Pool
    unchecked, posts, requests = Locustfile.unchecked, False, 1
    if job.locustfile:
        pool = LocustfileUsers(job, recorder)
    else:
        workload = imported("workload", job.workload_class)(**job.workload.options)
        assert isinstance(workload, Workload)
        workload.visitor = job.visitor.user
        workload.fit(job.load)
        target = Target.of(job)
        limit_s = job.load.timeout_s + messages.CHECK_LIMIT_S
        refusal, journey_s, posts, requests = refused(workload, target, limit_s)
        if refusal is not None:
            return {"event": "refused", **refusal}
        visitor = Visitor(target)
        model = OpenModel if job.load.is_open else Journeys
        pool = model(target, workload, recorder)
        pool.journey_s = journey_s
        unchecked = workload.unchecked
    phases = Phases(job, pool, recorder, parent.stop, parent.say)
    gc.freeze()  # what is there now stays: the collector need not look at it again while we measure
    parent.say({"event": "checked", "unchecked": unchecked, "posts": posts, "requests": requests})
    while (order := parent.orders.get()).startswith(messages.REHEARSE):
        kind = order.removeprefix(messages.REHEARSE).decode()
        rehearsal = visitor.rehearse(workload, kind, limit_s)
        parent.say({"event": "rehearsed", **plain(rehearsal)})
    done = phases.run(float(order.removeprefix(messages.GO)))
    recorder.close()
    return {"event": "done", **plain(done)}


if __name__ == "__main__":
    main(int(sys.argv[1]))
