"""The master of load hosts: a process of its own, as `import locust` patches the interpreter.

    python -m benchsuite.load.hosts.master EVENTS HOST PORT KEY-FILE

To its parent it speaks as a load process does (`benchsuite.load.job`), for several runs; with the
hosts it speaks through Locust's MasterRunner (`benchsuite.load.hosts.wire`).
"""

import locust  # noqa: F401  # isort: skip - patches the interpreter, so it comes before everything else

import ctypes
import hashlib
import json
import logging
import os
import platform
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, count, islice
from pathlib import Path
from time import monotonic
from typing import Any, NoReturn

import gevent
import zmq
from gevent.lock import BoundedSemaphore
from gevent.queue import Empty, Queue
from locust.env import Environment

from benchsuite import __version__
from benchsuite.core.exceptions import AnswerError, BenchsuiteError, LoadError
from benchsuite.core.observations import LoadHost
from benchsuite.core.plain import parsed, plain, read
from benchsuite.core.samples import MESSAGE
from benchsuite.core.specs import LoadProfile
from benchsuite.load import job as messages
from benchsuite.load.hosts import keys, sockets
from benchsuite.load.hosts.wire import (
    CHUNK,
    FROM_HOST,
    MOST_OF_FIGURES,
    OURS,
    Ended,
    Exchange,
    Offset,
    checked,
    converted,
    inflated,
    module_digest,
    offset,
    unpack,
)
from benchsuite.load.job import (
    FIGURES_FILE,
    NAMES_FILE,
    SAMPLES_FILE,
    Done,
    Job,
    Tick,
)
from benchsuite.load.parent.driver import MARGIN_S, merged, most, names_of
from benchsuite.load.parent.figures import LoadFigures
from benchsuite.load.process.users import users_of
from benchsuite.load.process.worker import PR_SET_PDEATHSIG, Parent
from benchsuite.stats.summary import added

LOOK_S = 0.02  #: How often events and silences are looked for.
SILENT_S = 3.0  #: Each host says something every second; longer than that is silence.
LOST_S = 10.0  #: After that a host is lost.
EXCHANGES, EXCHANGES_AFTER = 64, 16  #: To compare clocks, before and after the load.
EXCHANGE_S = 1.0  #: How long one may take.
ERROR_S = 0.001
"""How inexact the comparison of clocks may be: times of two hosts are subtracted from each other
in broadcasts, and else only the edges of windows compare them."""
ERROR_SHARE, MOST_ERROR_S = 0.001, 0.05  #: Then so much of the window, and no more than that.
TAKE_S = 30.0  #: How long a message of samples may take.
ADD_UP_S = 3600.0  #: The same of figures, which the host makes of all its samples.
TAKING = 4  #: Hosts that send samples at a time.
BYE_S = 0.8  #: Less than the parent waits for its end.
TICK_S = 1.0


class Lost(LoadError):
    """A host that can't be counted on any more."""


class Host:
    """A load host, as the master knows it."""

    def __init__(self, name: str, client_id: str, cpus: int) -> None:
        self.name, self.id, self.cpus = name, client_id, cpus
        self.idle = True
        self.left = ""  #: Why it said that it leaves.
        self.clocks: Queue[tuple[int, float, float]] = Queue()
        self.begin(0)

    def begin(self, run: int) -> None:
        self.run = run
        self.events: Queue[dict[str, Any]] = Queue()
        self.chunks: Queue[dict[str, Any]] = Queue()
        self.offset = Offset(0.0, 0.0)
        self.origin = 0.0  #: When the load begins, by its clock.
        self.tick: Tick | None = None
        self.done: Done | None = None
        self.facts = LoadHost(name=self.name, share=0.0, cpus=self.cpus)
        self.samples = self.packed_bytes = self.messages = 0

    @property
    def silence_s(self) -> float:
        """How long nothing has come from it."""
        return monotonic() - sockets.heard_at.get(self.id, 0.0)

    def look(self) -> None:
        """Raises Lost when it has left, or said nothing for too long."""
        if self.left:
            raise Lost(f"Load host {self.name} left: {self.left}")
        if self.silence_s > LOST_S:
            raise Lost(f"Nothing was heard from load host {self.name} for {LOST_S:g} s.")

    def lose(self, why: str) -> None:
        self.facts = replace(self.facts, lost=why)

    @property
    def is_lost(self) -> bool:
        return bool(self.facts.lost) and self.done is None


class Orders(Parent):
    """The parent's orders to a master; the end of standard input is the end of the command."""

    def take(self, line: bytes) -> None:
        if line == messages.STOP:
            self.stop.set()
        else:
            self.orders.put(line)

    def closed(self) -> NoReturn:
        with suppress(LoadError):
            self.on_close()
        os._exit(0)

    def on_close(self) -> None:
        """Set by the master."""


class Master:
    """Every host that came, and the run that some of them make."""

    def __init__(self, parent: Orders, host: str, port: int) -> None:
        self._parent = parent
        self._all: dict[str, Host] = {}
        self._hosts: list[Host] = []  #: Those of the run.
        self._run = 0
        self._numbers = count(1)
        self._refusal = ""
        self._strangers = 0
        environment = Environment(user_classes=[])
        self._runner = environment.create_master_runner(host, port)
        self._runner.register_message(OURS, self._on_message)

    def on_connection(self, event: zmq.Event) -> None:
        """Somebody without the key is told of once."""
        if event in keys.REFUSED:
            self._strangers += 1
            if self._strangers == 1:
                self._note(
                    "something without this key tried to join and was refused; if it was a load "
                    "host of yours, copy the key file to it"
                )

    def obey(self, order: bytes) -> None:
        """An order of the parent's, to its end."""
        if order.startswith(messages.JOIN):
            self._join(int(order.removeprefix(messages.JOIN)))
        elif order.startswith(messages.REHEARSE):
            self._order(self._hosts[0], order)
            self._parent.say(self._expect(self._hosts[0], "rehearsed"))
        elif order.startswith(messages.GO):
            self._load(float(order.removeprefix(messages.GO)))
        elif order.startswith(messages.COLLECT):
            self._collect(int(order.removeprefix(messages.COLLECT)))
        else:
            self._check(read(Job, json.loads(order)))

    def drop(self) -> None:
        """The run is over: what hosts still do for it, they stop."""
        for host in self._hosts:
            host.idle = False
            self._send(host, "drop", run=self._run)
        self._hosts = []
        self._parent.stop.clear()
        self._parent.say({"event": "dropped"})

    def goodbye(self) -> None:
        """The command has ended: each host answers that it leaves."""
        for host in self._all.values():
            self._send(host, "bye")
        deadline = monotonic() + BYE_S
        while not all(host.left for host in self._all.values()) and monotonic() < deadline:
            gevent.sleep(LOOK_S)

    def _note(self, text: str) -> None:
        self._parent.say({"event": "note", "text": text})

    def _send(self, host: Host, kind: str, **fields: Any) -> None:
        self._runner.send_message(OURS, {"kind": kind, **fields}, host.id)

    def _order(self, host: Host, line: bytes) -> None:
        self._send(host, "order", run=self._run, line=line.decode())

    def _on_message(self, environment: Environment, msg: Any, **_: Any) -> None:
        """A message of a host, which Locust's listener hands over one by one."""
        received = monotonic()
        try:
            data = checked(msg.data, FROM_HOST)
            self._take(msg.node_id, data, received)
        except BenchsuiteError as error:
            host = self._all.get(msg.node_id)
            if host is not None:
                host.left = f"it sent what can't be understood ({error})"

    def _take(self, client_id: str, data: dict[str, Any], received: float) -> None:
        kind = data["kind"]
        if kind == "join":
            self._meet(client_id, data)
            return
        host = self._all.get(client_id)
        if host is None:
            return
        host.messages += 1
        if kind == "clock":
            host.clocks.put((data["number"], data["at"], received))
        elif kind == "leave":
            host.left = data["why"]
        elif data["run"] != host.run:
            return  # of a run that is over
        elif kind == "idle":
            host.idle = True
        elif kind == "measured":
            host.chunks.put(data)
        else:
            event = parsed(data["line"])
            if not isinstance(event, dict) or not isinstance(event.get("event"), str):
                raise LoadError("An event without a name came.")
            host.events.put(event)

    def _meet(self, client_id: str, data: dict[str, Any]) -> None:
        """A host wants to join."""
        name = data["name"]
        ours = (__version__, _minor(platform.python_version()))
        for what, its, own in (
            ("benchsuite", data["version"], ours[0]),
            ("Python", _minor(data["python"]), ours[1]),
        ):
            if its != own:
                why = f"Load host {name} has {what} {its}, and the master {own}: install the same."
                self._runner.send_message(OURS, {"kind": "refused", "why": why}, client_id)
                self._refusal = why
                return
        names = {host.name for host in self._all.values() if host.id != client_id}
        name = next(one for one in chain([name], _numbered(name)) if one not in names)
        self._all[client_id] = host = Host(name, client_id, data["cpus"])
        self._note(f"load host {host.name} joined ({host.cpus} CPUs)")

    def _join(self, wanted: int) -> None:
        """Waits for so many hosts that have nothing else to do."""
        while True:
            for host in [*self._all.values()]:
                if host.left or host.silence_s > LOST_S:
                    self._note(f"load host {host.name} is gone")
                    del self._all[host.id]
            ready = [host for host in self._all.values() if host.idle]
            refusal, self._refusal = self._refusal, ""
            if len(ready) >= wanted:
                break
            if refusal:
                raise LoadError(refusal)
            gevent.sleep(LOOK_S)
        self._hosts = ready[:wanted]
        self._run = next(self._numbers)
        for host in self._hosts:
            host.begin(self._run)
        self._parent.say({"event": "joined"})

    def _check(self, job: Job) -> None:
        """Compares clocks, hands over the job, and waits for the checked journey of each host."""
        self._job = job
        self._spool = Path(job.spool)
        limit_s = ERROR_S
        if job.unit != MESSAGE:
            limit_s = min(MOST_ERROR_S, max(ERROR_S, ERROR_SHARE * job.load.duration_s))
        for host in self._hosts:
            host.offset = offset(self._exchanged(host, EXCHANGES))
            if host.offset.error_s > limit_s:
                raise LoadError(
                    f"The clock of load host {host.name} can't be compared: ±"
                    f"{1e3 * host.offset.error_s:.1f} ms by the shortest round trip, and ±"
                    f"{1e3 * limit_s:.1f} ms is allowed; use a host that is nearer, or less busy."
                )
        parts, file = len(self._hosts), Path(job.locustfile)
        source = file.read_text() if job.locustfile else ""
        digest = module_digest(job.workload_class)
        if source:
            digest = hashlib.sha256(source.encode()).hexdigest()
        for part, host in enumerate(self._hosts):
            host.facts = replace(
                host.facts,
                share=_share(job.load, part, parts),
                clock_ahead=host.offset.ahead,
                clock_error_s=host.offset.error_s,
            )
            # its own CPUs, and nothing of this machine's project
            own = replace(
                job,
                part=part,
                parts=parts,
                load=replace(job.load, cpus=None),
                environment={},
                locustfile=file.name if source else "",
            )
            self._send(
                host,
                "job",
                run=self._run,
                job=json.dumps(plain(own)),
                file=own.locustfile,
                source=source,
                sha256=digest,
            )
        reports = [self._expect(host, "checked") for host in self._hosts]
        self._parent.say({"event": "checked", **reports[0]})

    def _exchanged(self, host: Host, times: int) -> Sequence[Exchange]:
        """Asks a host for its clock, so many times."""
        exchanges: list[Exchange] = []
        for number in islice(self._numbers, times):
            sent = monotonic()
            self._send(host, "clock", number=number)
            with suppress(Empty):
                while (answer := host.clocks.get(timeout=EXCHANGE_S))[0] != number:
                    continue
                exchanges.append((sent, *answer[1:]))
            host.look()
        if not exchanges:
            raise Lost(f"Load host {host.name} did not tell its clock.")
        return exchanges

    def _expect(self, host: Host, name: str) -> dict[str, Any]:
        """The next event of a host, without its name; what it says went wrong is raised."""
        while True:
            try:
                event = host.events.get(timeout=LOOK_S)
            except Empty:
                host.look()
                continue
            kind = event.pop("event")
            if kind == name:
                return event
            if kind == "refused" and isinstance(event.get("message"), str):
                refused = AnswerError(f"Load host {host.name}: {event.pop('message')}")
                vars(refused).update(event)
                raise refused
            message = event.get("message") if kind == "failed" else f"{kind} instead of {name}"
            raise LoadError(f"Load host {host.name}: {message}")

    def _load(self, begin: float) -> None:
        """The load from "go" to its end."""
        for host in self._hosts:
            host.origin = begin + host.offset.ahead
            self._order(host, b"%s %.9f" % (messages.GO, host.origin))
        deadline = begin + self._job.load.longest_s + MARGIN_S
        next_tick, stopping = begin + TICK_S, False
        while pending := [one for one in self._hosts if one.done is None and not one.is_lost]:
            now = monotonic()
            for host in pending:
                self._hear(host, late=now > deadline)
            if self._parent.stop.is_set() and not stopping:
                stopping = True
                for host in pending:
                    self._order(host, messages.STOP)
            if now >= next_tick:
                next_tick += TICK_S
                self._say_tick()
            gevent.sleep(LOOK_S)
        ends = [
            converted(host.done, host.origin, begin)
            for host in self._hosts
            if host.done is not None
        ]
        if not ends:
            raise LoadError(" ".join(host.facts.lost for host in self._hosts))
        self._begin, end = begin, merged(ends)
        self._window = end.window
        self._parent.say({"event": "done", **plain(end)})

    def _hear(self, host: Host, *, late: bool) -> None:
        """Takes what a host said meanwhile, and how long it says nothing."""
        if host.silence_s > max(SILENT_S, host.facts.silent_s):
            host.facts = replace(host.facts, silent_s=host.silence_s)
        try:
            while not host.events.empty():
                event = host.events.get()
                kind = event.pop("event")
                if kind == "tick":
                    host.tick = read(Tick, event)
                elif kind == "done":
                    end = read(Ended, event)
                    host.done, host.samples = end.done, end.samples
                    host.facts = replace(
                        host.facts,
                        late_s=end.late_s,
                        busy_percent=end.busy_percent,
                        cpu_percent=end.done.cpu_percent,
                        lost=f"Load host {host.name}: {end.broke}" if end.broke else "",
                    )
                    return
                else:
                    raise Lost(f"Load host {host.name}: {event.get('message', kind)}")
            if late:
                raise Lost(f"Load host {host.name} was not done {MARGIN_S:g} s after its time.")
            host.look()
        except BenchsuiteError as error:
            host.lose(str(error))

    def _say_tick(self) -> None:
        """All hosts together, for people's eyes; times are those of the slowest."""
        ticks = [host.tick for host in self._hosts if host.tick is not None and not host.is_lost]
        if not ticks:
            return
        awaited = [tick.awaited for tick in ticks if tick.awaited is not None]
        together = replace(
            added(ticks),
            elapsed_s=max(tick.elapsed_s for tick in ticks),
            p50_s=most(tick.p50_s for tick in ticks),
            p95_s=most(tick.p95_s for tick in ticks),
            awaited=sum(awaited) if awaited else None,
        )
        self._parent.say({"event": "tick", **plain(together)})

    def _collect(self, most: int) -> None:
        """Fetches what each host has measured, a few of them at a time: up to so many samples."""
        total = sum(host.samples for host in self._hosts)
        fetch, at_a_time = self._samples, TAKING
        if total > most:
            if not self._job.adds_up:
                raise LoadError(
                    f"{total:,} samples are more than load hosts may send ({most:,}), and figures "
                    "of parts of this load don't add up: use a shorter --duration, or less load."
                )
            fetch, at_a_time = self._figures, len(self._hosts)  # which are small
        turns = BoundedSemaphore(at_a_time)
        waiting = [host for host in self._hosts if host.done is not None]
        taking = [gevent.spawn(self._fetch, fetch, host, turns) for host in waiting]
        while not all(one.dead for one in taking):
            gevent.joinall(taking, timeout=TICK_S)
            self._parent.say({"event": "collecting"})
        hosts = [
            replace(
                host.facts,
                samples=host.samples,
                packed_bytes=host.packed_bytes,
                messages=host.messages,
            )
            for host in self._hosts
        ]
        self._parent.say({"event": "collected", "hosts": plain(hosts)})

    def _fetch(
        self, fetch: Callable[[Host, Path], None], host: Host, turns: BoundedSemaphore
    ) -> None:
        folder = self._spool / f"host-{self._hosts.index(host)}"
        try:
            with turns:
                drifted = offset(self._exchanged(host, EXCHANGES_AFTER)).ahead
                drift_s = abs(drifted - host.offset.ahead)
                host.facts = replace(host.facts, clock_drift_s=drift_s)
                folder.mkdir(exist_ok=True)
                fetch(host, folder)
        except (BenchsuiteError, OSError, UnicodeDecodeError) as error:
            # a part of it would be neither the schedule's share nor none of it
            shutil.rmtree(folder, ignore_errors=True)
            host.samples = 0
            host.lose(f"What load host {host.name} measured is missing: {error}")

    def _samples(self, host: Host, folder: Path) -> None:
        """Writes the names and the samples of a host: the next are sent when these are written."""
        known = taken = 0
        with (folder / SAMPLES_FILE).open("wb") as file:
            while True:
                chunk = self._ask(host, "take", taken, TAKE_S)
                if taken == 0:
                    known = len(names_of(chunk["names"]))
                    (folder / NAMES_FILE).write_text(chunk["names"])
                size = min(CHUNK, host.samples - taken)
                file.write(unpack(chunk["packed"], size, known, self._begin).tobytes())
                taken += size
                if taken >= host.samples:
                    return

    def _figures(self, host: Host, folder: Path) -> None:
        """Writes what a host makes of its samples."""
        # since the begin, so that what was meant for an edge stays on its side of it
        begin, end = (round(moment - self._begin, 9) for moment in self._window)
        packed = b""
        while True:
            chunk = self._ask(host, "add up", len(packed), ADD_UP_S, begin=begin, end=end)
            packed += chunk["packed"]
            if not chunk["packed"] or len(packed) >= min(chunk["total"], MOST_OF_FIGURES):
                break
        text = inflated(packed, MOST_OF_FIGURES).decode()
        read(LoadFigures, parsed(text))
        (folder / FIGURES_FILE).write_text(text)

    def _ask(
        self, host: Host, order: str, start: int, limit_s: float, **fields: float
    ) -> dict[str, Any]:
        """The next message of what a host has measured."""
        self._send(host, order, run=self._run, start=start, **fields)
        deadline = monotonic() + limit_s
        while monotonic() < deadline:
            host.look()
            with suppress(Empty):
                chunk: dict[str, Any] = host.chunks.get(timeout=LOOK_S)
                if chunk["start"] == start:
                    host.packed_bytes += len(chunk["packed"])
                    return chunk
        raise Lost(f"nothing came within {limit_s:g} s.")


def _share(load: LoadProfile, part: int, parts: int) -> float:
    """Of the load that is this part's."""
    return 1 / parts if load.is_open else users_of(load.users, part, parts) / load.users


def _numbered(name: str) -> Iterator[str]:
    return (f"{name}-{number}" for number in count(2))


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


def main(events: int, host: str, port: int, key_file: str) -> NoReturn:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.basicConfig(level=logging.WARNING)
    parent = Orders(events)
    try:
        # nobody can connect before it listens, and then there is a master
        sockets.use(keys.read(Path(key_file)), lambda event: master.on_connection(event))
        master = Master(parent, host, port)
    except (BenchsuiteError, zmq.ZMQError) as error:
        why = f"The master of load hosts can't listen on {host}:{port}: {error}."
        parent.say({"event": "failed", "message": why})
        os._exit(1)
    parent.on_close = master.goodbye  # type: ignore[method-assign]
    parent.say({"event": "ready"})
    at_work: Any = gevent.spawn(lambda: None)
    while True:
        order = parent.orders.get()
        if order == messages.DROP:
            at_work.kill()
            master.drop()
        else:
            at_work.join()
            at_work = gevent.spawn(_obey, master, parent, order)


def _obey(master: Master, parent: Orders, order: bytes) -> None:
    try:
        master.obey(order)
    except AnswerError as error:
        parent.say({"event": "refused", "message": str(error), **vars(error)})
    except (BenchsuiteError, OSError, UnicodeDecodeError) as error:
        parent.say({"event": "failed", "message": str(error)})


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4])
