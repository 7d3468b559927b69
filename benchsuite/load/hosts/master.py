"""Load hosts as a command sees them: who has joined, and the load that some of them make.

To each host it says what it says to a load process (`benchsuite.load.job`), by messages of
`benchsuite.load.hosts.wire`, which another process passes on (`benchsuite.load.hosts.relay`).
"""

import base64
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from time import monotonic, sleep
from typing import Any

import numpy as np

from benchsuite.core.exceptions import BenchsuiteError, LoadError
from benchsuite.core.observations import LoadHost
from benchsuite.core.plain import parsed, plain, read
from benchsuite.core.samples import MESSAGE
from benchsuite.load import job as messages
from benchsuite.load.hosts import wire
from benchsuite.load.hosts.keys import Listening
from benchsuite.load.job import MOST_SAMPLES, Done, Job, Rehearsal, Tick
from benchsuite.load.parent import driver
from benchsuite.load.parent.figures import LoadFigures
from benchsuite.stats.summary import Samples, added
from benchsuite.system.process import any_program

RELAY = "benchsuite.load.hosts.relay"
JOIN_S = 300.0  #: How long hosts are waited for, unless --start-timeout says it.
GO_S = 0.5  #: Time to tell all hosts when to begin.
LOOK_S = 0.02  #: How often events and silences are looked for.
TICK_S = 1.0
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
STRANGER = (
    "something without this key tried to join and was refused; if it was a load host of yours, "
    "copy the key file to it"
)


class Host:
    """A load host, and its part of the run."""

    def __init__(self, master: "Master", client_id: str, name: str, cpus: int) -> None:
        self.name, self.cpus = name, cpus
        self._master, self._id = master, client_id
        self.left = ""  #: Why it said that it leaves.
        self.heard_at = monotonic()  #: When something came from it.
        self._clocks: Queue[wire.Exchange] = Queue()
        self._numbers = count(1)
        self.begin(0)

    def begin(self, run: int) -> None:
        self.run = run
        self.messages = 0  #: That came of it.
        self._events: Queue[dict[str, Any]] = Queue()
        self._chunks: Queue[dict[str, Any]] = Queue()
        self.offset = wire.Offset(0.0, 0.0)
        self.tick: Tick | None = None
        self.done: Done | None = None  #: By our clock.
        self.facts = LoadHost(name=self.name, share=0.0, cpus=self.cpus)

    def take(self, data: dict[str, Any]) -> None:
        """A message from it, in the thread that listens."""
        self.messages += 1
        kind = data["kind"]
        if kind == "clock":
            self._clocks.put((data["sent"], data["at"], data["received"]))
        elif kind == "leave":
            self.left = data["why"]
        elif data["run"] != self.run:
            return  # of a run that is over
        elif kind == "measured":
            self._chunks.put(data)
        else:
            self._events.put(read(dict[str, Any], parsed(data["line"])))

    @property
    def silence_s(self) -> float:
        """How long nothing has come from it."""
        return monotonic() - self.heard_at

    def look(self) -> None:
        """Raises LoadError when it has left, or said nothing for too long."""
        self._master.look()
        if self.left:
            raise LoadError(f"Load host {self.name} left: {self.left}")
        if self.silence_s > LOST_S:
            raise LoadError(f"Nothing was heard from load host {self.name} for {LOST_S:g} s.")

    def lose(self, why: str) -> None:
        self.facts = replace(self.facts, lost=why)

    @property
    def is_loading(self) -> bool:
        return self.done is None and not self.facts.lost

    def compared(self, times: int) -> wire.Offset:
        """Its clock against ours, by so many exchanges."""
        exchanges: list[wire.Exchange] = []
        for number in islice(self._numbers, times):
            self.send("clock", number=number)
            with suppress(Empty):
                exchanges.append(self._clocks.get(timeout=EXCHANGE_S))
            self.look()
        if not exchanges:
            raise LoadError(f"Load host {self.name} did not tell its clock.")
        return wire.offset(exchanges)

    def send(self, kind: str, **fields: Any) -> None:
        with suppress(LoadError):  # `look()` says why the relay has died
            self._master.send(json.dumps({"to": self._id, "kind": kind, **fields}).encode())

    def say(self, kind: str, **fields: Any) -> None:
        """Something of its run."""
        self.send(kind, run=self.run, **fields)

    def order(self, line: bytes) -> None:
        """What a load process is told after its job."""
        self.say("order", line=line.decode())

    def expect(self, name: str) -> dict[str, Any]:
        """Its next event of that name; what it says went wrong is raised."""
        while (event := self._event(LOOK_S)) is None or event.pop("event", "") != name:
            continue
        return event

    def _event(self, limit_s: float = 0.0) -> dict[str, Any] | None:
        try:
            event = self._events.get(timeout=limit_s)
        except Empty:
            self.look()
            return None
        driver.raise_bad_news(event, f"Load host {self.name}: ")
        return event

    def hear(self, begin: float, *, late: bool) -> None:
        """Takes what it said meanwhile, and how long it says nothing."""
        if self.silence_s > max(SILENT_S, self.facts.silent_s):
            self.facts = replace(self.facts, silent_s=self.silence_s)
        try:
            while (event := self._event()) is not None:
                if event.pop("event", "") == "tick":
                    self.tick = read(Tick, event)
                    continue
                end = read(wire.Ended, event)
                self.done = wire.converted(end.done, begin + self.offset.ahead, begin)
                self.facts = replace(
                    self.facts,
                    samples=end.samples,
                    late_s=end.late_s,
                    busy_percent=end.busy_percent,
                    cpu_percent=end.done.cpu_percent,
                )
                return
            if late:
                raise LoadError(
                    f"Load host {self.name} was not done {driver.MARGIN_S:g} s after its time."
                )
        except BenchsuiteError as error:
            self.lose(str(error))

    def part(self, start: int, limit_s: float) -> tuple[bytes, dict[str, Any]]:
        """What was asked for, packed, and what is told of it."""
        deadline = monotonic() + limit_s
        while monotonic() < deadline:
            self.look()
            with suppress(Empty):
                chunk = self._chunks.get(timeout=LOOK_S)
                if chunk["start"] == start:
                    packed = base64.b64decode(chunk["packed"])
                    sent = self.facts.packed_bytes + len(packed)
                    self.facts = replace(self.facts, packed_bytes=sent)
                    return packed, chunk
        raise LoadError(f"nothing came within {limit_s:g} s.")


class Master(driver.Child):
    """The relay, and every host that has come by it."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._hosts: dict[str, Host] = {}
        self._runs = count(1)
        self._notes: Queue[str] = Queue()
        self._refusal = ""
        self._broke = ""  #: Why nothing comes any more.
        self._listening = Thread(target=self._listen, daemon=True)

    def start(self) -> None:
        """Raises LoadError where it can't listen."""
        self.expect("ready", driver.IMPORT_LIMIT_S)
        self._listening.start()

    def let_go(self) -> None:
        if self._listening.is_alive():
            self._listening.join()
        super().let_go()

    @contextmanager
    def joined(
        self, count: int, *, tell: Callable[[str], None], limit_s: float | None
    ) -> Iterator["HostsPool"]:
        """So many hosts, for one run; raises LoadError where they don't come."""
        hosts, run = self._waited_for(count, limit_s or JOIN_S, tell), next(self._runs)
        for host in hosts:
            host.begin(run)
        try:
            yield HostsPool(self, hosts)
        finally:
            for host in hosts:  # what they still do for it, they stop
                host.say("drop")

    def look(self) -> None:
        """Raises LoadError when nothing comes any more."""
        if self._broke:
            raise LoadError(self._broke)

    def _waited_for(
        self, count: int, limit_s: float, tell: Callable[[str], None]
    ) -> Sequence[Host]:
        """So many hosts that are there."""
        deadline = monotonic() + limit_s
        while True:
            self.look()
            for client_id, host in [*self._hosts.items()]:
                if host.left or host.silence_s > LOST_S:
                    self._notes.put(f"load host {host.name} is gone")
                    del self._hosts[client_id]
            while not self._notes.empty():
                tell(self._notes.get())
            refusal, self._refusal = self._refusal, ""
            if len(self._hosts) >= count:
                return [*self._hosts.values()][:count]
            if refusal:
                raise LoadError(refusal)
            if monotonic() > deadline:
                raise LoadError(f"The command has not met {count} load hosts within {limit_s:g} s.")
            sleep(LOOK_S)

    def _listen(self) -> None:
        """In a thread of its own: takes what the relay tells, to its end."""
        try:
            while True:
                self._take(self.next_event())
        except LoadError as error:
            self._broke = str(error)

    def _take(self, event: dict[str, Any]) -> None:
        if event["event"] == "stranger":
            self._notes.put(STRANGER)
        elif event["event"] == "heard":
            for client_id, moment in event["at"].items():
                if client_id in self._hosts:
                    self._hosts[client_id].heard_at = moment
        elif event["kind"] == "join":
            self._meet(event["host"], event)
        elif (host := self._hosts.get(event["host"])) is not None:
            try:
                host.take(event)
            except BenchsuiteError as error:
                host.left = f"it sent what can't be understood ({error})"

    def _meet(self, client_id: str, data: dict[str, Any]) -> None:
        """A host wants to join."""
        name = data["name"]
        if any(host.name == name for host in self._hosts.values()):
            name += f"-{client_id[-4:]}"
        host = Host(self, client_id, name, data["cpus"])
        for what, own in wire.versions().items():
            if data[what] != own:
                its = f"{what} {data[what]}"
                why = f"Load host {name} has {its}, and the master {own}: install the same."
                host.send("refused", why=why)
                self._refusal = why
                return
        self._hosts[client_id] = host
        self._notes.put(f"load host {name} joined ({data['cpus']} CPUs)")


@contextmanager
def master(listening: Listening, *, log: Path) -> Iterator[Master]:
    """The master that load hosts join; on exit they are told that the command is over."""
    words = (listening.host, str(listening.port), str(listening.key_file.resolve()))
    with closing(Master(RELAY, *words, spool=log.parent, log=log, env=any_program())) as made:
        made.start()
        yield made


class HostsPool(driver.LoadPool):
    """The hosts of a run, to the runner a load like any other."""

    def __init__(self, master: Master, hosts: Sequence[Host]) -> None:
        super().__init__(())
        self.pids = [master.pid]
        self.hosts: tuple[LoadHost, ...] = ()  #: Known when the samples are.
        self.most_samples = MOST_SAMPLES
        self.figures: tuple[LoadFigures, ...] = ()
        """Of each host, where their samples are too many to be sent."""
        self._master, self._hosts = master, hosts

    @property
    def too_many(self) -> str:
        """What is told of a run whose figures came in place of samples."""
        return (
            f"{sum(host.samples for host in self.hosts):,} samples are too many to be sent: "
            "figures are added up from counts and histograms of each load host, of the whole "
            "window and of each second"
        )

    def check(self, job: Job) -> str:
        """Compares clocks, hands over the job, and waits for the checked journey of each host."""
        self._job = job
        limit_s = ERROR_S
        if job.unit != MESSAGE:
            limit_s = min(MOST_ERROR_S, max(ERROR_S, ERROR_SHARE * job.load.duration_s))
        for host in self._hosts:
            host.offset = host.compared(EXCHANGES)
            if host.offset.error_s > limit_s:
                raise LoadError(
                    f"The clock of load host {host.name} can't be compared: ±"
                    f"{1e3 * host.offset.error_s:.1f} ms by the shortest round trip, and ±"
                    f"{1e3 * limit_s:.1f} ms is allowed; use a host that is nearer, or less busy."
                )
        # its own CPUs, and nothing of this machine's project
        own = replace(job, load=replace(job.load, cpus=None), environment={})
        try:
            source = Path(job.locustfile).read_text("utf-8") if job.locustfile else ""
        except UnicodeDecodeError as error:
            raise LoadError(f"{job.locustfile} can't be sent: write it in UTF-8.") from error
        sha256, parts = wire.module_digest(job.workload_class), len(self._hosts)
        processes = job.load.processes
        whole = parts * processes if job.load.is_open else job.load.users
        for part, host in enumerate(self._hosts):
            # of six users, two hosts with two processes each have four and two
            share = sum(number // processes % parts == part for number in range(whole)) / whole
            ahead, error_s = host.offset.ahead, host.offset.error_s
            host.facts = replace(host.facts, share=share, clock_ahead=ahead, clock_error_s=error_s)
            own = replace(own, part=part, parts=parts)
            host.say("job", job=json.dumps(plain(own)), source=source, sha256=sha256)
        checked, *_ = [host.expect("checked") for host in self._hosts]
        self.posts = read(bool, checked.get("posts"))
        self.requests = read(int, checked.get("requests"))
        return read(str, checked.get("unchecked"))

    def rehearse(self, kind: str) -> Rehearsal:
        first = self._hosts[0]
        first.order(messages.REHEARSE + kind.encode())
        return read(Rehearsal, first.expect("rehearsed"))

    def run(self, on_tick: Callable[[Tick], None], begin: float | None = None) -> Done:
        self._begin = monotonic() + GO_S if begin is None else begin
        for host in self._hosts:
            host.order(b"%s %.9f" % (messages.GO, self._begin + host.offset.ahead))
        return self.wait(on_tick)

    def stop(self) -> None:
        for host in self._hosts:
            if host.is_loading:
                host.order(messages.STOP)

    def wait(self, on_tick: Callable[[Tick], None]) -> Done:
        """Raises LoadError where all are lost."""
        deadline, next_tick = self._begin + self._job.load.longest_s + driver.MARGIN_S, monotonic()
        while loading := [host for host in self._hosts if host.is_loading]:
            self._master.look()
            now = monotonic()
            for host in loading:
                host.hear(self._begin, late=now > deadline)
            if now >= next_tick and any(host.tick for host in self._hosts if host.is_loading):
                next_tick = now + TICK_S
                self._tell(on_tick)
            sleep(LOOK_S)
        if not (ends := [host.done for host in self._hosts if host.done is not None]):
            raise LoadError(" ".join(host.facts.lost for host in self._hosts))
        end = driver.merged(ends)
        self._window = end.window
        return end

    def tick(self) -> Tick:
        """All hosts together, for people's eyes; times are those of the slowest."""
        ticks = [host.tick for host in self._hosts if host.tick and not host.facts.lost]
        awaited = [tick.awaited for tick in ticks if tick.awaited is not None]
        together: Tick = replace(
            added(ticks),
            elapsed_s=max(tick.elapsed_s for tick in ticks),
            p50_s=driver.most(tick.p50_s for tick in ticks),
            p95_s=driver.most(tick.p95_s for tick in ticks),
            awaited=sum(awaited) if awaited else None,
        )
        return together

    def samples(self) -> driver.Part:
        """Of all hosts; of more than `most_samples` there are `figures` in their place."""
        total = sum(host.facts.samples for host in self._hosts)
        fits = total <= self.most_samples
        if not fits and not self._job.adds_up:
            raise LoadError(
                f"{total:,} samples are more than load hosts may send ({self.most_samples:,}), and "
                "figures of parts of this load don't add up: use a shorter --duration, or less "
                "load."
            )
        self.figures = ()
        parts: list[driver.Part] = []
        finished = [host for host in self._hosts if host.done is not None]
        for host in finished:  # all begin to pack at once
            self._ask(host, 0, fits=fits)
        for host in finished:
            try:
                drift_s = abs(host.compared(EXCHANGES_AFTER).ahead - host.offset.ahead)
                host.facts = replace(host.facts, clock_drift_s=drift_s)
                if fits:
                    parts.append(self._fetched(host))
                else:
                    self.figures = (*self.figures, self._figures(host))
            except (BenchsuiteError, UnicodeDecodeError) as error:
                # a part of it would be neither the schedule's share nor none of it
                host.facts = replace(host.facts, samples=0)
                host.lose(f"What load host {host.name} measured is missing: {error}")
        self._master.look()
        self.hosts = tuple(replace(host.facts, messages=host.messages) for host in self._hosts)
        return driver.together(parts)

    def _ask(self, host: Host, start: int, *, fits: bool) -> None:
        if fits:
            host.say("take", start=start)
        else:
            # since the begin, so that what was meant for an edge stays on its side of it
            begin, end = (round(moment - self._begin, 9) for moment in self._window)
            host.say("add up", start=start, begin=begin, end=end)

    def _fetched(self, host: Host) -> driver.Part:
        """What a host measured: the next samples are sent when these have come."""
        total, taken = host.facts.samples, 0
        samples: list[Samples] = []
        names: list[driver.NameEntry] = []
        while True:
            packed, chunk = host.part(taken, TAKE_S)
            names = names or driver.names_of(chunk["names"])
            size = min(wire.CHUNK, total - taken)
            samples.append(wire.unpack(packed, size, len(names), self._begin))
            taken += size
            if taken >= total:
                return np.concatenate(samples), names
            self._ask(host, taken, fits=True)

    def _figures(self, host: Host) -> LoadFigures:
        """What a host makes of its samples."""
        packed, chunk = host.part(0, ADD_UP_S)
        while len(packed) < min(chunk["total"], wire.MOST_OF_FIGURES):
            self._ask(host, len(packed), fits=False)
            more, _ = host.part(len(packed), TAKE_S)
            packed += more
        return read(LoadFigures, parsed(wire.inflated(packed, wire.MOST_OF_FIGURES).decode()))
