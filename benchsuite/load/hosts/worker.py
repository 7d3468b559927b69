"""A load host: a process that joins a master and makes its part of each load.

    python -m benchsuite.load.hosts.worker HOST PORT KEY-FILE

What the load is made with are the usual load processes, started here; this process passes on
orders, events and samples through Locust's WorkerRunner (`benchsuite.load.hosts.wire`).
"""

from benchsuite.load.process import patching  # noqa: F401  # isort: skip - before everything else

import json
import logging
import os
import secrets
import shutil
import signal
import socket
import sys
import zlib
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

import gevent
import numpy as np
import psutil
import zmq
from gevent.queue import Queue
from locust.env import Environment
from locust.runners import WorkerRunner

from benchsuite.core.exceptions import AnswerError, BenchsuiteError, LoadError, own_words
from benchsuite.core.plain import parsed, plain, read
from benchsuite.load import job as messages
from benchsuite.load.hosts import keys, sockets, wire
from benchsuite.load.job import Job
from benchsuite.load.parent.driver import LoadPool, load_pool
from benchsuite.load.parent.figures import Figures, LoadFigures, added
from benchsuite.system import cpus, folders, network
from benchsuite.system.guard import guarded

GONE_S = 2.0  #: How long the master may be away after its connection has ended.
LOST_S = 10.0  #: How long it may say nothing.
LOOK_S = 0.2
AT_ONCE, YIELD_S = 200_000, 0.001  #: Samples that are added up before others have their turn.
REFUSALS = 3  #: After so many it is not the network.
PROJECT = ("DJANGO_SETTINGS_MODULE", "BENCHSUITE_INSTRUCTIONS")
"""Variables that a load must not have here: a journey would reach this host's own databases."""

log = logging.getLogger("benchworker")
Ending = tuple[int, str]  #: Exit status, and why.


class Worker:
    """From the first attempt to join to the master's end."""

    def __init__(self, host: str, port: int, folder: Path) -> None:
        self.ending: Queue[Ending] = Queue()  #: The first counts.
        self._address, self._host, self._port = f"{host}:{port}", host, port
        self._folder = folder
        self._runner: WorkerRunner | None = None
        self._refusals = 0
        self._away_since: float | None = None
        self._run: Run | None = None

    def start(self) -> None:
        gevent.spawn(self._join)
        gevent.spawn(self._watch)

    def on_connection(self, event: zmq.Event) -> None:
        if event in keys.REFUSED:
            self._refusals += 1
        elif event == zmq.Event.HANDSHAKE_SUCCEEDED:
            self._refusals, self._away_since = 0, None
        elif event == zmq.Event.DISCONNECTED and self._away_since is None:
            self._away_since = monotonic()

    def close(self) -> None:
        """Ends what is under way, and tells the master."""
        if self._run is not None:
            self._run.end()
        if self._runner is not None:
            self.send("leave", why="it was stopped.")
            gevent.sleep(wire.SENT_S)

    def _join(self) -> None:
        try:
            runner = Environment(user_classes=[]).create_worker_runner(self._host, self._port)
        except ConnectionError:
            self._end("did not answer in five minutes.")
            return
        self._runner = runner
        runner.register_message(wire.OURS, self._on_message)
        own = {"name": socket.gethostname(), "cpus": len(cpus.available())}
        self.send("join", **wire.versions(), **own)
        log.warning("Joined the master at %s; waiting for loads.", self._address)

    def _watch(self) -> None:
        """Ends this process when the master refuses the key, or is no more."""
        while True:
            gevent.sleep(LOOK_S)
            heard = sockets.heard_at.get("")
            if self._refusals >= REFUSALS:
                self._end("refused to talk: it has another key: copy its key file to this host.")
            elif heard is None:
                continue  # it may not be there yet
            elif self._away_since is not None and monotonic() - self._away_since > GONE_S:
                self._end("is gone.")
            elif monotonic() - heard > LOST_S:
                self._end(f"has said nothing for {LOST_S:g} s.")

    def _end(self, why: str) -> None:
        self.ending.put((1, f"The master at {self._address} {why}"))

    def send(self, kind: str, **fields: Any) -> None:
        assert self._runner is not None
        self._runner.send_message(wire.OURS, {"kind": kind, **fields})

    def _on_message(self, environment: Environment, msg: Any, **_: Any) -> None:
        at = monotonic()
        try:
            self._take(wire.checked(msg.data, wire.FROM_MASTER), at)
        except BenchsuiteError as error:
            self._end(f"can't be understood: {error}")

    def _take(self, data: dict[str, Any], at: float) -> None:
        kind, run = data["kind"], self._run
        if kind == "clock":
            self.send("clock", number=data["number"], at=at)
        elif kind == "refused":
            self.ending.put((1, data["why"]))
        elif kind == "bye":
            self.ending.put((0, "The command has ended."))
        elif kind in ("job", "drop"):
            if run is not None:
                run.end()
            self._run = Run(self, data, self._folder) if kind == "job" else None
        elif run is None or data["run"] != run.number:
            return
        elif kind == "order":
            run.obey(data["line"].encode(), at)
        else:
            run.asked.put(data)


class Run:
    """One load, from its job until its samples are sent."""

    def __init__(self, worker: Worker, data: dict[str, Any], folder: Path) -> None:
        self.number: int = data["run"]
        self.asked: Queue[dict[str, Any]] = Queue()  #: What of samples or figures is sent next.
        self._worker, self._data = worker, data
        self._folder = folder / str(self.number)
        self._orders: Queue[tuple[bytes, float]] = Queue()
        self._pool: LoadPool | None = None
        self._making = gevent.spawn(self._make)

    def obey(self, line: bytes, at: float) -> None:
        if line == messages.STOP:
            if self._pool is not None:
                self._pool.stop()
        else:
            self._orders.put((line, at))

    def end(self) -> None:
        self._making.kill()

    def _say(self, name: str, **fields: Any) -> None:
        self._worker.send("event", run=self.number, line=json.dumps({"event": name, **fields}))

    def _make(self) -> None:
        try:
            self._folder.mkdir()
            job = self._job()
            env = {name: value for name, value in os.environ.items() if name not in PROJECT}
            count, log_file = job.load.processes, self._folder / "load.log"
            connections = job.load.in_flight_limit if job.load.is_open else job.load.users
            with (
                network.descriptors_raised(network.descriptors_needed(connections)),
                load_pool(count, spool=self._folder, log=log_file, env=env) as pool,
            ):
                self._pool, pool.is_whole = pool, False
                self._load(pool, job)
        except AnswerError as error:
            self._say("refused", message=str(error), **vars(error))
        except Exception as error:
            log.warning("%s", error, exc_info=not isinstance(error, BenchsuiteError | OSError))
            words = own_words(error).partition("\n")[0]
            self._say("failed", message=words.replace("; its log ends with:", "."))
        finally:
            # the samples of a hundred runs would fill a disk, or memory where /tmp is in it
            shutil.rmtree(self._folder, ignore_errors=True)

    def _job(self) -> Job:
        """The job, with files of its own; raises LoadError for what is not the master's."""
        job, data = read(Job, parsed(self._data["job"])), self._data
        log.warning("Run %d: %s at %s.", self.number, job.load.words_of(), job.base_url)
        if data["source"]:
            path = self._folder / Path(job.locustfile).name
            path.write_text(data["source"], "utf-8")
            return replace(job, locustfile=str(path))
        if data["sha256"] != wire.module_digest(job.workload_class):
            raise LoadError(
                f"The module of {job.workload_class} differs from the master's; install the same "
                "here."
            )
        return job

    def _load(self, pool: LoadPool, job: Job) -> None:
        unchecked = pool.check(job)
        self._say("checked", unchecked=unchecked, posts=pool.posts, requests=pool.requests)
        while (order := self._orders.get())[0].startswith(messages.REHEARSE):
            kind = order[0].removeprefix(messages.REHEARSE).decode()
            self._say("rehearsed", **plain(pool.rehearse(kind)))
        begin = float(order[0].removeprefix(messages.GO))
        psutil.cpu_percent()  # the next one is since then
        done = pool.run(lambda tick: self._say("tick", **plain(tick)), begin)
        late_s, busy_percent = max(0.0, order[1] - begin), psutil.cpu_percent()
        samples, names = pool.samples()
        end = wire.Ended(done=done, samples=len(samples), late_s=late_s, busy_percent=busy_percent)
        self._say("done", **plain(end))
        listed, figures = json.dumps(plain(names)), b""
        while True:
            asked = self.asked.get()
            start: int = asked["start"]
            if asked["kind"] == "take":
                total, packed = len(samples), wire.pack(samples[start : start + wire.CHUNK], begin)
            else:
                if start == 0:
                    own = replace(done, window=(begin + asked["begin"], begin + asked["end"]))
                    part = Figures(samples, names, own, job.load, job.unit, alike=True, whole=False)
                    figures = zlib.compress(json.dumps(plain(_added_up(part))).encode())
                total, packed = len(figures), figures[start : start + wire.PIECE]
            legend = listed if start == 0 else ""
            self._worker.send(
                "measured", run=self.number, start=start, total=total, names=legend, packed=packed
            )


def _added_up(whole: Figures) -> LoadFigures:
    """Piece by piece, so that the master goes on hearing of this host."""
    parts, done = [], whole.done
    for samples in np.array_split(whole.samples, 1 + len(whole.samples) // AT_ONCE):
        parts.append(replace(whole, samples=samples, done=done).together())
        done = replace(done, sent=(0,) * len(done.sent), dropped=(0,) * len(done.dropped))
        gevent.sleep(YIELD_S)
    return added(parts, done=whole.done, load=whole.load, alike=True)


def main(host: str, port: int, key_file: str) -> int:
    """The exit status."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stdout)
    for name in ("locust", "locust.runners"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        key = keys.read(Path(key_file))
        with folders.scratch() as folder, guarded(secrets.token_hex(8), folder):
            worker = Worker(host, port, folder)
            numbers = [signal.SIGINT, signal.SIGTERM]
            if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as under nohup
                numbers.append(signal.SIGHUP)
            for number in numbers:
                signal.signal(number, lambda *_: worker.ending.put((130, "Stopped.")))
            sockets.use(key, worker.on_connection)
            worker.start()
            status, why = worker.ending.get()
            worker.close()
    except BenchsuiteError as error:
        status, why = 1, str(error)
    log.warning("%s", why)
    return status


if __name__ == "__main__":
    result = main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
    sys.stdout.flush()
    os._exit(result)  # greenlets and sockets would only take time
