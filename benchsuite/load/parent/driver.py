"""Starts a load process, talks to it, reads what it writes; imports neither Locust nor gevent."""

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from time import monotonic, sleep
from typing import IO, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from benchsuite.core.exceptions import AnswerError, LoadDiedError, LoadError
from benchsuite.core.samples import FIELDS, RECORD, REQUEST, UNITS, Kind
from benchsuite.load import job as messages
from benchsuite.load.job import NAMES_FILE, SAMPLES_FILE, Done, Job, Rehearsal, Tick, decode_done
from benchsuite.pythons.interpreter import whole_path
from benchsuite.system import cpus, scratch
from benchsuite.system.process import ending_in_words

DTYPE = np.dtype(list(FIELDS))
Samples = NDArray[np.void]


@dataclass(frozen=True, slots=True, kw_only=True)
class NameEntry:
    """The name that a sample refers to by its index."""

    name: str
    scope: str  #: One of `benchsuite.core.samples`: request, journey, message …
    examples: dict[Kind, str]  #: The first message of each kind of failure.
    answers: dict[Kind, tuple[int, str]] = field(default_factory=dict)
    """Of those that were answers: their status, and what was asked ("GET /shop/")."""


def read_samples(folder: Path) -> tuple[Samples, list[NameEntry]]:
    """All samples of a spool folder and the names they refer to; none when nothing was written."""
    path = folder / SAMPLES_FILE
    if not path.exists():
        return np.empty(0, DTYPE), []
    with path.open("rb") as file:
        samples = read_on(file)
    return samples, read_names(folder)


def read_all_samples(folders: Iterable[Path]) -> tuple[Samples, list[NameEntry]]:
    """The samples of several spools as if they were one: equal names become one name."""
    parts: list[Samples] = [np.empty(0, DTYPE)]
    entries: dict[tuple[str, str], NameEntry] = {}
    for folder in folders:
        samples, names = read_samples(folder)
        samples = samples.copy()
        indexes = []
        for entry in names:
            key = (entry.name, entry.scope)
            if key in entries:
                examples = {**entry.examples, **entries[key].examples}
                entry = replace(
                    entry, examples=examples, answers={**entry.answers, **entries[key].answers}
                )
            entries[key] = entry
            indexes.append(list(entries).index(key))
        if len(samples):
            samples["name"] = np.array(indexes, samples["name"].dtype)[samples["name"]]
        parts.append(samples)
    return np.concatenate(parts), list(entries.values())


def read_on(file: BinaryIO) -> Samples:
    """The complete samples from the file's position on, which moves behind them."""
    packed = file.read()
    rest = len(packed) % RECORD.size
    if rest:
        file.seek(-rest, 1)
        packed = packed[:-rest]
    return np.frombuffer(packed, DTYPE)


def read_names(folder: Path) -> list[NameEntry]:
    entries = json.loads((folder / NAMES_FILE).read_text())
    return [
        NameEntry(
            name=entry["name"],
            scope=entry["scope"],
            examples={Kind(int(kind)): text for kind, text in entry["examples"].items()},
            answers={Kind(int(kind)): (*answer,) for kind, answer in entry["answers"].items()},
        )
        for entry in entries
    ]


IMPORT_LIMIT_S = 30.0  #: How long the process may take to import once somebody waits for it.

MARGIN_S = 15.0  #: How much longer than planned anything may take before we give up on the process.

GRACE_S = 1.0  #: How long the process may take to end once its standard input is closed.

SLOW = {
    "ready": "had not finished its own imports (is the machine very busy?)",
    "checked": "had not imported the workload and gone through its journey",
    "rehearsed": "had not gone through another journey",
}
"""What took too long when an event is missing."""

LOG_LINES = 20
STEP_S = 0.002


@contextmanager
def load_worker(
    *,
    spool: Path,
    log: Path,
    env: Mapping[str, str] | None = None,
    on_cpus: Collection[int] | None = None,
) -> Iterator["LoadWorker"]:
    """A load process, started at once so that its imports overlap with what the caller does next.

    `env` is its whole environment, by default ours; `on_cpus` are the CPUs that it may use. On exit
    the process is gone, whatever happened.
    """
    spool.mkdir(parents=True, exist_ok=True)
    given = os.environ if env is None else env
    events, child_events = os.pipe()
    try:
        with log.open("ab") as log_file, cpus.given(on_cpus):
            process = subprocess.Popen(
                [sys.executable, "-m", "benchsuite.load.process.worker", str(child_events)],
                stdin=subprocess.PIPE,
                stdout=log_file,
                stderr=log_file,
                pass_fds=(child_events,),
                env={**given, "PYTHONPATH": whole_path(given)},
                start_new_session=True,
            )
    except BaseException:
        os.close(events)
        raise
    finally:
        os.close(child_events)
    worker = LoadWorker(process, events, spool=spool, log=log)
    try:
        yield worker
    finally:
        worker.close()


class LoadWorker:
    """The parent's side of one load process: `check()`, then `run()`, perhaps `stop()`."""

    def __init__(
        self, process: subprocess.Popen[bytes], events: int, *, spool: Path, log: Path
    ) -> None:
        self.pid = process.pid
        self._process = process
        self._events = events
        self._buffer = b""
        self._spool = spool
        self._log = log
        self._longest_s = self._longest_window_s = self._warmup_s = self._begin = 0.0
        self._deadline = self._journey_limit_s = 0.0
        self.posts = False  #: Whether the checked journey sent forms.
        self._progress = _Progress(spool)
        self._done: Done | None = None

    def check(self, job: Job) -> str:
        """Hands over the job and waits for its checked journey; returns what remains unchecked.

        Raises AnswerError when the target does not answer as the workload expects, and LoadError
        when the load process broke.
        """
        self._expect("ready", IMPORT_LIMIT_S)
        here = replace(job, spool=str(self._spool))
        self._send(json.dumps(messages.encode(here)).encode())
        self._journey_limit_s = job.load.timeout_s + messages.CHECK_LIMIT_S
        limit_s = messages.CHECKS * self._journey_limit_s + messages.REHEARSAL_LIMIT_S + MARGIN_S
        checked = self._expect("checked", limit_s)
        self.posts = bool(checked["posts"])
        self._longest_s = job.load.longest_s
        self._warmup_s = job.load.plan[0].window_start_s
        self._longest_window_s = job.load.window_end_s
        self._progress.scopes = UNITS[job.unit]
        self._progress.within_s = job.load.ends_within_s or 0.0
        return str(checked["unchecked"])

    def rehearse(self, kind: str) -> Rehearsal:
        """Has another journey made, of one of the kinds in `benchsuite.load.job`."""
        self._send(messages.REHEARSE + kind.encode())
        event = self._expect("rehearsed", self._journey_limit_s + MARGIN_S)
        del event["event"]
        return Rehearsal(**event)

    def run(self, on_tick: Callable[[Tick], None]) -> Done:
        """Starts the load and waits for its end; `on_tick` is called about once a second."""
        self.go(monotonic())
        return self.wait(on_tick)

    def go(self, begin: float) -> None:
        """Lets the load begin at a moment."""
        self._begin = begin
        self._deadline = monotonic() + self._longest_s + MARGIN_S
        self._send(b"%s %.9f" % (messages.GO, begin))

    def stop(self) -> None:
        """Asks to close the window now; what is in flight is still awaited."""
        with suppress(LoadError):  # wait() says why the process died
            self._send(messages.STOP)

    def wait(self, on_tick: Callable[[Tick], None]) -> Done:
        """Goes on waiting for the end of a load, after an exception has interrupted `run()`."""
        while self._done is None:
            self._hear_one(on_tick)
        return self._done

    def salvaged(self) -> Done:
        """The end of a load whose process died, from what it had written; nothing is awaited.

        Its CPU share and lag are unknown, and the last second may be missing.
        """
        samples, _ = read_samples(self._spool)
        begin = self._begin + self._warmup_s
        end = float(samples["finish"].max()) if len(samples) else begin
        return Done(
            origin=self._begin,
            window=(begin, max(begin, min(end, self._begin + self._longest_window_s))),
            stopped=True,
            users=(),
            cpu_percent=None,
            lag_p99_s=None,
        )

    def hear(self, on_tick: Callable[[Tick], None]) -> None:
        """Handles the events sent until now, without waiting."""
        while self._done is None and select.select([self._events], [], [], 0)[0]:
            self._hear_one(on_tick)

    def _hear_one(self, on_tick: Callable[[Tick], None]) -> None:
        event = self._next_event(self._deadline, f"was not done {MARGIN_S:g} s after its time")
        if event.pop("event") == "done":
            self._done = decode_done(event)
        else:
            on_tick(self._progress.tick(**event))

    def close(self) -> None:
        """Ends the process and all it has started, and reaps it."""
        with suppress(BrokenPipeError):
            self._stdin.close()
        limit = monotonic() + GRACE_S
        while self._living() and monotonic() < limit:
            sleep(STEP_S)
        # not reaped yet, so the number of its group still belongs to it
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._events)

    @property
    def _stdin(self) -> IO[bytes]:
        stdin = self._process.stdin
        assert stdin is not None
        return stdin

    def _living(self) -> bool:
        """Whether the process still runs; it is left unreaped when it doesn't."""
        return self._ended_with() is None

    def _ended_with(self) -> int | None:
        """Its status, or its signal below 0; None while it runs."""
        ended = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        if ended is None:
            return None
        return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status

    def _send(self, line: bytes) -> None:
        try:
            self._stdin.write(line + b"\n")
            self._stdin.flush()
        except BrokenPipeError:
            raise self._died() from None

    def _expect(self, name: str, limit_s: float) -> dict[str, Any]:
        event = self._next_event(monotonic() + limit_s, f"{SLOW[name]} within {limit_s:g} s")
        if event["event"] != name:
            raise LoadError(f"The load process said {event['event']} where {name} was due.")
        return event

    def _next_event(self, deadline: float, missed: str) -> dict[str, Any]:
        """The next event that is no bad news; bad news is raised.

        What it has said by now counts, however late somebody comes to read it; `missed` says what
        it did not do when it has said nothing.
        """
        while b"\n" not in self._buffer:
            left = max(0.0, deadline - monotonic())
            if not select.select([self._events], [], [], left)[0]:
                raise LoadError(
                    f"The load process {missed}; its log ends with:\n{self._log_tail()}"
                )
            block = os.read(self._events, 65_536)
            if not block:
                raise self._died()
            self._buffer += block
        line, _, self._buffer = self._buffer.partition(b"\n")
        event: dict[str, Any] = json.loads(line)
        if event["event"] == "refused":
            refused = AnswerError(event.pop("message"))
            vars(refused).update(event)
            raise refused
        if event["event"] == "full":
            raise scratch.disk_full(LoadDiedError, self._spool)
        if event["event"] == "failed":
            raise LoadError(event["message"])
        return event

    def _died(self) -> LoadError:
        limit = monotonic() + GRACE_S
        while self._living() and monotonic() < limit:
            sleep(STEP_S)
        status = self._ended_with()
        how = "said nothing more" if status is None else ending_in_words(status)
        return LoadDiedError(f"The load process {how}; its log ends with:\n{self._log_tail()}")

    def _log_tail(self) -> str:
        lines = self._log.read_text(errors="replace").splitlines()[-LOG_LINES:]
        return "\n".join(lines) or "(nothing)"


class _Progress:
    """Makes ticks from the samples that the load process has written since the last one."""

    scopes: tuple[str, ...] = UNITS[REQUEST]  #: Of the samples that are counted.
    within_s: float = 0.0  #: So long may take what is in time.

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._offset = 0
        self._elapsed_s = 0.0
        self._requests = 0
        self._failures = 0
        self._begun = 0.0  #: When the window began whose answers are counted:
        self._answered = 0
        self._in_time = 0

    def tick(
        self,
        *,
        elapsed_s: float,
        users: int,
        awaited: int | None,
        begun: float = inf,
        overdue: int = 0,
    ) -> Tick:
        """`begun` and `overdue` are those of the window that may end the load."""
        with (self._folder / SAMPLES_FILE).open("rb") as file:
            file.seek(self._offset)
            new = read_on(file)
            self._offset = file.tell()
        scopes = np.array([name.scope for name in read_names(self._folder)], dtype=object)
        new = new[np.isin(scopes, self.scopes)[new["name"]]] if len(new) else new
        right = new[new["kind"] == Kind.OK]
        passed_s = elapsed_s - self._elapsed_s
        self._elapsed_s = elapsed_s
        self._requests += len(new)
        self._failures += len(new) - len(right)
        times = right["finish"] - right["intended_start"]
        if begun != self._begun:
            self._begun, self._answered, self._in_time = begun, 0, 0
        self._answered += int((new["intended_start"] >= begun).sum())
        self._in_time += int(((right["intended_start"] >= begun) & (times <= self.within_s)).sum())
        p50_s, p95_s = (
            np.quantile(times, (0.5, 0.95), method="inverted_cdf").tolist()
            if len(times)
            else (None, None)
        )
        return Tick(
            elapsed_s=elapsed_s,
            users=users,
            requests=self._requests,
            failures=self._failures,
            rate=len(new) / passed_s if passed_s > 0 else 0.0,
            p50_s=p50_s,
            p95_s=p95_s,
            awaited=awaited,
            due=self._answered + overdue,
            in_time=self._in_time,
        )
