"""The parent's side of load hosts: their master is one process, which serves all runs of a command
and speaks as a load process does.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from benchsuite.core.exceptions import AnswerError, LoadError, UsageError
from benchsuite.core.observations import LoadHost
from benchsuite.core.plain import parsed, read
from benchsuite.load import job as messages
from benchsuite.load.job import FIGURES_FILE, MOST_SAMPLES, Tick
from benchsuite.load.parent.driver import LoadPool, LoadWorker, NameEntry, read_samples
from benchsuite.load.parent.figures import LoadFigures
from benchsuite.stats.summary import Samples
from benchsuite.system.process import any_program

MASTER = "benchsuite.load.hosts.master"
HOST = re.compile(r"[\w.-]+|\[[0-9a-fA-F:.]+\]", re.ASCII)  #: A name, or an address.
JOIN_S = 300.0  #: How long hosts are waited for, unless --start-timeout says it.
GO_S = 0.5  #: Time to tell all hosts when to begin.
LATER_S = 20.0  #: How much longer than a load process the master waits for its hosts.
COLLECT_S = 60.0  #: How long the master may say nothing while samples come.
DROP_S = 10.0


@dataclass(frozen=True, slots=True)
class Listening:
    """Where the master waits for load hosts, and the file with their key."""

    host: str
    port: int
    key_file: Path

    @classmethod
    def at(cls, address: str, key_file: str, *, flag: str) -> "Listening":
        """Of "10.0.0.1:5557"; raises UsageError, which names the option."""
        host, _, port = address.rpartition(":")
        if not HOST.fullmatch(host) or not port.isdecimal() or not 0 < int(port[:6]) < 65536:
            raise UsageError(
                f"{flag} {address!r} is no address: write HOST:PORT, such as 10.0.0.1:5557."
            )
        return cls(host, int(port), Path(key_file))


@contextmanager
def master(listening: Listening, *, log: Path) -> Iterator["Master"]:
    """The process that load hosts join; on exit it and they are told that the command is over."""
    words = (listening.host, str(listening.port), str(listening.key_file.resolve()))
    with Master.running(MASTER, *words, spool=log.parent, log=log, env=any_program()) as worker:
        LoadWorker.wait_until_ready(worker)  # raises LoadError where it can't listen
        yield worker


class Master(LoadWorker):
    """The master, which is a load process to those who have joined hosts for a run."""

    tell: Callable[[str], None] = staticmethod(lambda text: None)  #: Notes go there.

    @contextmanager
    def joined(
        self, count: int, *, spool: Path, tell: Callable[[str], None], limit_s: float | None
    ) -> Iterator["HostsPool"]:
        """So many hosts, for one run; raises LoadError where they don't come."""
        limit_s, self.tell = limit_s or JOIN_S, tell
        self.spool, self._done, self.tick = spool, None, {}
        self._send(messages.JOIN + str(count).encode())
        few = f"has not met {count} load hosts within {limit_s:g} s"
        try:
            event = self._next_event(monotonic() + limit_s, few)
            assert event["event"] == "joined", event
            yield HostsPool([self])
        finally:
            self._drop()

    def go(self, begin: float) -> None:
        super().go(begin)
        self._deadline += LATER_S

    def wait_until_ready(self) -> None:
        """Hosts have joined by now."""

    def collect(self, most: int) -> tuple[LoadHost, ...]:
        """Has the hosts' samples written to the spool, or their figures where these are more than
        so many; returns what is known of each.
        """
        self._send(messages.COLLECT + str(most).encode())
        silent = f"got no samples for {COLLECT_S:g} s"
        while (event := self._next_event(monotonic() + COLLECT_S, silent))["event"] != "collected":
            continue
        return read(tuple[LoadHost, ...], event["hosts"])

    def _drop(self) -> None:
        """The run is over, also for what it still says; the next one says what is wrong."""
        deadline, name = monotonic() + DROP_S, ""
        with suppress(LoadError):
            self._send(messages.DROP)
        while name != "dropped" and self._process.poll() is None and monotonic() < deadline:
            with suppress(AnswerError, LoadError):
                name = self._next_event(deadline, "did not leave a run")["event"]

    def _next_event(self, deadline: float, missed: str) -> dict[str, Any]:
        while (event := super()._next_event(deadline, missed))["event"] == "note":
            self.tell(str(event["text"]))
        return event

    def _died(self) -> LoadError:
        return LoadError(str(super()._died()))


class HostsPool(LoadPool):
    """The hosts of a run, to the runner a load like any other."""

    hosts: tuple[LoadHost, ...] = ()  #: Known when the samples are.
    most_samples = MOST_SAMPLES
    figures: tuple[LoadFigures, ...] = ()  #: Of each, where their samples are too many to be sent.

    @property
    def too_many(self) -> str:
        """What is told of a run whose figures came in place of samples."""
        return (
            f"{sum(host.samples for host in self.hosts):,} samples are too many to be sent: "
            "figures are added up from counts and histograms of each load host, of the whole "
            "window and of each second"
        )

    def run(self, on_tick: Callable[[Tick], None], begin: float | None = None) -> Any:
        return super().run(on_tick, monotonic() + GO_S)

    def tick(self) -> Tick:
        return read(Tick, self._workers[0].tick)

    def samples(self) -> tuple[Samples, list[NameEntry]]:
        (worker,) = self._workers
        assert isinstance(worker, Master)
        self.hosts = worker.collect(self.most_samples)
        self.figures = tuple(
            read(LoadFigures, parsed(file.read_text()))
            for file in worker.spool.glob(f"host-*/{FIGURES_FILE}")
        )
        return read_samples(*sorted(worker.spool.glob("host-*")))
