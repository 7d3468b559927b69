"""Starts load processes, talks to them, reads what they write; imports neither Locust nor gevent.

Every process knows the whole profile and takes every n-th user or arrival, all begin at the same
moment of a shared clock, and samples are merged, not figures.
"""

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, groupby
from math import inf
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import numpy as np

from benchsuite.core.exceptions import AnswerError, LoadError
from benchsuite.core.plain import parsed, plain, read
from benchsuite.core.printable import hidden
from benchsuite.core.samples import UNITS, Kind
from benchsuite.load import job as messages
from benchsuite.load.job import NAMES_FILE, SAMPLES_FILE, TINY_S, Done, Job, Rehearsal, Tick
from benchsuite.pythons.interpreter import whole_path
from benchsuite.stats.summary import DTYPE, Samples, added
from benchsuite.system import cpus, folders, logfile
from benchsuite.system.process import ending_in_words


@dataclass(frozen=True, slots=True, kw_only=True)
class NameEntry:
    """The name that a sample refers to by its index."""

    name: str
    scope: str  #: One of `benchsuite.core.samples`: request, journey, message …
    examples: Mapping[int, str]  #: The first message of each kind of failure.
    answers: Mapping[int, tuple[int, str]] = field(default_factory=dict)
    """Of those that were answers: their status, and what was asked ("GET /shop/")."""


Part = tuple[Samples, list[NameEntry]]  #: Samples, and the names they refer to.


def together(parts: Iterable[Part]) -> Part:
    """The samples of several as if they were one's."""
    whole: list[Samples] = [np.empty(0, DTYPE)]
    entries: dict[tuple[str, str], NameEntry] = {}
    for samples, names in parts:
        indexes = []
        for entry in names:
            key = (hidden(entry.name), entry.scope)  # as it is shown
            if key in entries:
                examples = {**entry.examples, **entries[key].examples}
                answers = {**entry.answers, **entries[key].answers}
                entry = replace(entry, examples=examples, answers=answers)
            entries[key] = entry
            indexes.append(list(entries).index(key))
        if len(samples):
            samples["name"] = np.array(indexes, samples["name"].dtype)[samples["name"]]
        whole.append(samples)
    return np.concatenate(whole), list(entries.values())


def read_samples(*folders: Path) -> Part:
    """Those of spool folders, without one that is written only in part yet."""
    return together((np.fromfile(one / SAMPLES_FILE, DTYPE), read_names(one)) for one in folders)


def read_names(folder: Path) -> list[NameEntry]:
    return names_of((folder / NAMES_FILE).read_text())


def names_of(text: str) -> list[NameEntry]:
    """Raises UsageError for what is none."""
    return list(read(tuple[NameEntry, ...], parsed(text)))


IMPORT_LIMIT_S = 30.0  #: How long the process may take to import once somebody waits for it.
MARGIN_S = 15.0  #: How much longer than planned anything may take before we give up on the process.
GRACE_S = 1.0  #: How long the process may take to end once its standard input is closed.

STEP_S = 0.002


class Child:
    """A process of ours, which takes lines on its standard input and writes events to a pipe."""

    def __init__(
        self,
        module: str,
        *arguments: str,
        spool: Path,
        log: Path,
        env: Mapping[str, str] | None,
        on_cpus: Collection[int] | None = None,
    ) -> None:
        """Starts this module, told where to write events and the arguments; `close()` ends it."""
        spool.mkdir(parents=True, exist_ok=True)
        given = os.environ if env is None else env
        self._events, child_events = os.pipe()
        try:
            with log.open("ab") as log_file, cpus.given(on_cpus):
                self._process = subprocess.Popen(
                    [sys.executable, "-m", module, str(child_events), *arguments],
                    stdin=subprocess.PIPE,
                    stdout=log_file,
                    stderr=log_file,
                    pass_fds=(child_events,),
                    env={**given, "PYTHONPATH": whole_path(given)},
                    start_new_session=True,
                )
        except BaseException:
            os.close(self._events)
            raise
        finally:
            os.close(child_events)
        assert self._process.stdin is not None
        self.pid, self._stdin = self._process.pid, self._process.stdin
        self.spool, self._log, self._buffer = spool, log, b""

    def close(self) -> None:
        """Ends the process and all it has started, and reaps it."""
        with suppress(BrokenPipeError):
            self._stdin.close()
        self._ended_with()
        # not reaped yet, so the number of its group still belongs to it
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
        self.let_go()

    def let_go(self) -> None:
        """Closes the pipe of a process that has ended."""
        os.close(self._events)

    def _ended_with(self) -> int | None:
        """Its status, or its signal below 0; None where it still runs. It is not reaped."""
        limit = monotonic() + GRACE_S
        how = os.WEXITED | os.WNOWAIT | os.WNOHANG
        try:
            while (ended := os.waitid(os.P_PID, self.pid, how)) is None and monotonic() < limit:
                sleep(STEP_S)
        except ChildProcessError:  # in a load host, where gevent reaps it
            return self._process.wait()
        if ended is None:
            return None
        return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status

    def send(self, line: bytes) -> None:
        try:
            self._stdin.write(line + b"\n")
            self._stdin.flush()
        except BrokenPipeError:
            raise self._died() from None

    def expect(self, name: str, limit_s: float) -> dict[str, Any]:
        event = self.next_event(monotonic() + limit_s, f"was not {name} within {limit_s:g} s")
        if (actual := event.pop("event")) != name:
            raise LoadError(f"The load process said {actual} where {name} was due.")
        return event

    def next_event(self, deadline: float = inf, missed: str = "") -> dict[str, Any]:
        """The next event that is no bad news, also after the deadline if it is there by now; bad
        news is raised. `missed`: what it did not do when it has said nothing.
        """
        while b"\n" not in self._buffer:
            left = None if deadline == inf else max(0.0, deadline - monotonic())
            if not select.select([self._events], [], [], left)[0]:
                raise LoadError(f"The load process {missed}; {self._log_tail()}")
            if not (block := os.read(self._events, 65_536)):
                raise self._died()
            self._buffer += block
        line, _, self._buffer = self._buffer.partition(b"\n")
        event: dict[str, Any] = json.loads(line)
        if event["event"] == "full":
            raise folders.disk_full(LoadError, self.spool)
        raise_bad_news(event)
        return event

    def _died(self) -> LoadError:
        status = self._ended_with()
        how = "said nothing more" if status is None else ending_in_words(status)
        return LoadError(f"The load process {how}; {self._log_tail()}")

    def _log_tail(self) -> str:
        return "its log ends with:\n" + (logfile.tail(self._log) or "(nothing)")


def raise_bad_news(event: dict[str, Any], whose: str = "") -> None:
    """Raises AnswerError or LoadError for what an event says went wrong."""
    if event.get("event") == "refused":
        refused = AnswerError(f"{whose}{event.pop('message', '')}")
        vars(refused).update(event)
        raise refused
    if event.get("event") == "failed":
        raise LoadError(f"{whose}{event.get('message')}")


class LoadWorker(Child):
    """The parent's side of one load process: `check()`, `go()`, `wait()`, perhaps `stop()`."""

    posts = False  #: Whether the checked journey sent forms.
    requests = 1  #: That it made.
    tick: Mapping[str, Any] = {}  #: The last one.
    untold = 0  #: Ticks that came since the pool told of them.
    deadline = _journey_limit_s = 0.0
    done: Done | None = None
    _read_bytes = 0  #: Of its samples.

    def check(self, job: Job) -> str:
        """Hands over the job; gives what its checked journey leaves open, or AnswerError."""
        self.expect("ready", IMPORT_LIMIT_S)
        self.send(json.dumps(plain(replace(job, spool=str(self.spool)))).encode())
        self._load = job.load
        self._journey_limit_s = job.load.timeout_s + messages.CHECK_LIMIT_S
        limit_s = messages.CHECKS * self._journey_limit_s + messages.REHEARSAL_LIMIT_S + MARGIN_S
        checked = self.expect("checked", limit_s)
        self.posts, self.requests = bool(checked["posts"]), int(checked["requests"])
        return str(checked["unchecked"])

    def rehearse(self, kind: str) -> Rehearsal:
        """Has another journey made, of one of the kinds in `benchsuite.load.job`."""
        self.send(messages.REHEARSE + kind.encode())
        return Rehearsal(**self.expect("rehearsed", self._journey_limit_s + MARGIN_S))

    def go(self, begin: float) -> None:
        self.deadline = monotonic() + self._load.longest_s + MARGIN_S
        self.send(b"%s %.9f" % (messages.GO, begin))

    def stop(self) -> None:
        """Asks to close the window now; what is in flight is still awaited."""
        with suppress(LoadError):  # wait() says why the process died
            self.send(messages.STOP)

    def fileno(self) -> int:
        """Of the pipe of its events."""
        return self._events

    def hear(self) -> None:
        """Waits for the next event, and takes those that came with it."""
        while self.done is None:
            event = self.next_event(self.deadline, f"was not done {MARGIN_S:g} s after its time")
            if event.pop("event") == "done":
                self.done = read(Done, event)
            else:
                self.tick = event
                self.untold += 1
            if b"\n" not in self._buffer:
                return

    def written(self, scopes: Sequence[str]) -> Samples:
        """The samples of these scopes that it has written since the last call."""
        new = np.fromfile(self.spool / SAMPLES_FILE, DTYPE, offset=self._read_bytes)
        self._read_bytes += new.nbytes
        known = np.array([name.scope for name in read_names(self.spool)], dtype=object)
        return new[np.isin(known, scopes)[new["name"]]] if len(new) else new


Counted = tuple[tuple[float, int], ...]  #: (moment, count), one a second.
FEWEST_DUE = 20  #: Before fewer were due, their share tells nothing.
LEAD_S = 0.02  #: Per process: time to tell all of them when to begin.


@contextmanager
def load_pool(
    count: int,
    *,
    spool: Path,
    log: Path,
    env: Mapping[str, str] | None = None,
    on_cpus: Collection[int] | None = None,
) -> Iterator["LoadPool"]:
    """`count` load processes, whose imports overlap with what the caller does next; on exit they
    are gone. `env` is their whole environment, by default ours.
    """
    with ExitStack() as stack:
        worker = "benchsuite.load.process.worker"
        start = partial(LoadWorker, worker, log=log, env=env, on_cpus=on_cpus)
        folders = (spool / f"load-{number}" for number in range(count))
        yield LoadPool([stack.enter_context(closing(start(spool=folder))) for folder in folders])


class LoadPool:
    """All load processes: `check()`, then `run()`, perhaps `stop()`."""

    is_whole = True  #: Else the part of a load host: when the load ends is for its master to say.

    def __init__(self, workers: Sequence[LoadWorker]) -> None:
        self.pids = [worker.pid for worker in workers]
        self.posts, self.requests = False, 1  #: Of the checked journey, as the process has them.
        self.ended_at: Tick | None = None  #: Where too few were in time for it to go on.
        self._workers = workers
        self._elapsed_s = 0.0
        self._requests = 0
        self._failures = 0
        self._begun = 0.0  #: When the window began whose answers are counted:
        self._answered = 0
        self._in_time = 0

    def check(self, job: Job) -> str:
        """Hands over the job; each process checks its journey. Returns what remains unchecked."""
        count = len(self._workers)
        self._job = job
        reports = [
            worker.check(replace(job, part=job.part * count + place, parts=job.parts * count))
            for place, worker in enumerate(self._workers)
        ]
        first = self._workers[0]
        self.posts, self.requests = first.posts, first.requests
        return reports[0]

    def rehearse(self, kind: str) -> Rehearsal:
        """Has one of the processes make another journey."""
        return self._workers[0].rehearse(kind)

    def run(self, on_tick: Callable[[Tick], None], begin: float | None = None) -> Done:
        """The load, begun at once or at that moment, to its end; ticks come about every second."""
        if begin is None:
            count = len(self._workers)
            begin = monotonic() + (LEAD_S * count if count > 1 else 0.0)
        for worker in self._workers:
            worker.go(begin)
        return self.wait(on_tick)

    def stop(self) -> None:
        for worker in self._workers:
            worker.stop()

    def wait(self, on_tick: Callable[[Tick], None]) -> Done:
        """Goes on waiting for the end of a load, after an exception has interrupted `run()`.

        What is told is of all processes at about the same time: it waits for a tick of each that
        still loads, or for the second of another.
        """
        while loading := [worker for worker in self._workers if worker.done is None]:
            left = max(0.0, min(worker.deadline for worker in loading) - monotonic())
            for worker in select.select(loading, [], [], left)[0] or loading:
                worker.hear()
            untold = [worker.untold for worker in self._workers]
            is_round = all(worker.untold or worker.done for worker in loading)
            if max(untold) > 1 or (any(untold) and is_round):
                self._tell(on_tick)
        return merged([worker.done for worker in self._workers if worker.done])

    def _tell(self, on_tick: Callable[[Tick], None]) -> None:
        """How far the load is; it is stopped where too few are in time."""
        tick = self.tick()
        for worker in self._workers:
            worker.untold = 0
        share = tick.in_time / tick.due if self.is_whole and tick.due >= FEWEST_DUE else 1.0
        if self.ended_at is None and share < (self._job.load.ends_below or 0.0):
            self.ended_at = tick
            self.stop()
        on_tick(tick)

    def tick(self) -> Tick:
        """How far the load is, by the last events and what has been written since."""
        new = np.concatenate([worker.written(UNITS[self._job.unit]) for worker in self._workers])
        right = new[new["kind"] == Kind.OK]
        loading = [worker for worker in self._workers if worker.untold or worker.done is None]
        events = [worker.tick for worker in loading if worker.tick]
        elapsed_s = max(event["elapsed_s"] for event in events)
        passed_s = elapsed_s - self._elapsed_s
        self._elapsed_s = elapsed_s
        self._requests += len(new)
        self._failures += len(new) - len(right)
        times = right["finish"] - right["intended_start"]
        begun = events[0].get("begun", inf)  # of the window that may end the load
        if begun != self._begun:
            self._begun, self._answered, self._in_time = begun, 0, 0
        within_s = self._job.load.ends_within_s or 0.0
        self._answered += int((new["intended_start"] >= begun).sum())
        self._in_time += int(((right["intended_start"] >= begun) & (times <= within_s)).sum())
        p50_s, p95_s = (
            np.quantile(times, (0.5, 0.95), method="inverted_cdf").tolist()
            if len(times)
            else (None, None)
        )
        awaited = [event["awaited"] for event in events if event["awaited"] is not None]
        return Tick(
            elapsed_s=elapsed_s,
            users=sum(event["users"] for event in events),
            requests=self._requests,
            failures=self._failures,
            rate=len(new) / passed_s if passed_s > 0 else 0.0,
            p50_s=p50_s,
            p95_s=p95_s,
            awaited=sum(awaited) if awaited else None,
            due=self._answered
            + sum(event["overdue"] for event in events if event.get("begun") == begun),
            in_time=self._in_time,
        )

    def samples(self) -> Part:
        return read_samples(*(worker.spool for worker in self._workers))


def merged(parts: Sequence[Done]) -> Done:
    """The end of the whole load; CPU and lag are those of the busiest process."""
    # those that were not stopped end together, or have made their journeys, which all count
    end = min(
        (part.window[1] for part in parts if part.stopped),
        default=max(part.window[1] for part in parts),
    )
    compressed = [part.traffic for part in parts if part.traffic is not None]
    origin = min(part.origin for part in parts)
    return Done(
        origin=origin,
        window=(min(end, *(part.window[0] for part in parts)), end),
        stopped=any(part.stopped for part in parts),
        users=_each_second(origin, [part.users for part in parts]),
        connections=_each_second(origin, [part.connections for part in parts]),
        cpu_percent=most(part.cpu_percent for part in parts),
        lag_p50_s=most(part.lag_p50_s for part in parts),
        lag_p99_s=most(part.lag_p99_s for part in parts),
        sent=added([part.sent for part in parts]),
        dropped=added([part.dropped for part in parts]),
        unmade=sum(part.unmade for part in parts),
        traffic=added(compressed) if compressed else None,
    )


def most(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def _each_second(origin: float, parts: Sequence[Counted]) -> Counted:
    """Sums what all counted in the same second; who has not begun or has ended counts none."""
    rows = sorted(chain.from_iterable(parts))
    seconds = groupby(rows, lambda row: (row[0] - origin + TINY_S) // 1)
    counted = ([*of_second] for _, of_second in seconds)
    return tuple((second[-1][0], sum(count for _, count in second)) for second in counted)
