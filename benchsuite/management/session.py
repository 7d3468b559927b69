"""What the runs of one command share: the lock, databases, and where their results stay."""

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from uuid import UUID, uuid4

from django.db import Error, OperationalError, close_old_connections

from benchsuite import conf, runner, store
from benchsuite.comparing.titles import units_of
from benchsuite.core.commands import command
from benchsuite.core.exceptions import BenchsuiteError
from benchsuite.core.results import Ceiling, RunResult, Status
from benchsuite.core.specs import LoadProfile
from benchsuite.core.units import counted, format_bytes, format_duration, format_rate
from benchsuite.delay.delayer import HOST
from benchsuite.load.job import Tick
from benchsuite.management import output
from benchsuite.management.options.place import Place
from benchsuite.models import Run, StudyCell
from benchsuite.report.exports import json_of
from benchsuite.report.terminal.progress import Progress, phase_words
from benchsuite.runner import preflight
from benchsuite.runner.planning import Estimate, Plan
from benchsuite.store.interchange import PARTS, attach
from benchsuite.system.interrupts import held_back, terminable
from benchsuite.system.journal import Journal
from benchsuite.system.lock import alone

TRIES = 3
PAUSE_S = 2.0  #: Between two tries; SQLite itself waits 5 s for a lock, if its options don't say.

REFUSALS = (Error, OSError, ValueError, OverflowError)
"""How databases and their drivers say that they don't take something."""


@dataclass(slots=True)
class Results:
    """The runs of one command; what was measured is never lost to a fault of the database."""

    say: Callable[[str], None]
    follow: str = ""  #: The page that shows them; that of one run by itself.
    batch: UUID = field(default_factory=uuid4)  #: To which they are added.
    rows: list[Run] = field(default_factory=list)
    refused: list[Run] = field(default_factory=list)  #: Those of the rows that are not stored.
    file: Path | None = None  #: Where those are.
    reason: str = ""  #: Of the last refusal, as the database has it.
    refusal: str = ""  #: The same as a sentence that names the database and says what to do.

    def check(self) -> None:
        """Raises BenchsuiteError when nothing could be stored."""
        if not self._tried(store.check):
            raise BenchsuiteError(self.refusal)

    @contextmanager
    def run(
        self, plan: Plan, cell: StudyCell | None = None
    ) -> Iterator[tuple[Run, Callable[[RunResult], None]]]:
        """A run that begins: its row, and what takes its result; without one the row says why."""
        row = store.begun(
            plan.spec,
            batch=self.batch,
            started_at=datetime.now(UTC),
            server_facts=plan.server_facts,
            unit=plan.workload.unit,
        )
        row.study_cell = cell
        self.rows.append(row)
        try:
            if self._tried(row.save) and row is self.rows[0]:
                self.say(f"Follow   {self.follow or conf.page(row.pk)}")
            yield row, lambda result: self._keep(row, result)
        except BaseException as error:  # if this process lives on, nobody sweeps its row
            is_ctrl_c = isinstance(error, KeyboardInterrupt)
            words = "it was interrupted." if is_ctrl_c else str(error) or type(error).__name__
            reason = f"The command ended before its run had: {words}"
            if row.status == Status.RUNNING.value:  # else it has ended, and is whole
                row.status, row.failure = Status.INTERRUPTED.value, reason
                attach(row, dict.fromkeys(PARTS, ()))  # told also where the database is gone
            with held_back(), suppress(Error):  # what can't be written now is swept later
                store.mark([row], reason)
            raise

    def ceilings(self, environment: Mapping[str, object]) -> Sequence[Ceiling]:
        """What the load generator makes at most; none, and a word, where they can't be read."""
        try:
            return store.ceilings(environment)
        except Error as error:
            self.say(
                f"The calibrated ceilings can't be read ({error}); nothing is held against them."
            )
            return ()

    @property
    def sentence(self) -> str:
        """What could not be stored, where it is, and what to do; empty when all is stored."""
        if not self.refused:
            return ""
        which = f"{len(self.refused)} of {counted(len(self.rows), 'run')}"
        words = f"{which} could not be stored ({self.reason})"
        if self.file is None:
            return (
                f"{words}, and no file could be written: the figures above are all there is. Free "
                "the database or a disk and repeat the command."
            )
        return (
            f"{words}; kept in {self.file}. When the database can be written again: "
            f"{command('loadbench', self.file)}"
        )

    def _keep(self, row: Run, result: RunResult) -> None:
        """Into the database or, when it doesn't take the run, into the file."""
        with held_back() as interrupted:
            store.fill(row, result)
            if self._tried(lambda: store.write(row), stop=interrupted):
                return
            self.refused.append(row)
            name = f"benchsuite-{self.refused[0].pk.hex[:8]}.json"  # a batch may have several
            self.file = _written(name, self.refused, self.file)
            self.say(self.sentence)

    def _tried(
        self, action: Callable[[], object], *, stop: Callable[[], bool] = lambda: False
    ) -> bool:
        """Whether it could be done; tried again where the database may only be busy."""
        for left in reversed(range(1 if self.refused else TRIES)):
            try:
                close_old_connections()  # that may have broken while the run was made
                action()
                return True
            except REFUSALS as error:
                self.reason = str(error).strip() or type(error).__name__
                self.refusal = store.refusal(error)
                if not left or stop() or not isinstance(error, OperationalError):
                    return False
                self.say(f"The results can't be stored ({self.reason}); trying again.")
                time.sleep(PAUSE_S)
        return False


def _written(name: str, runs: Sequence[Run], before: Path | None) -> Path | None:
    """The file that holds these runs, whole; None when none can be written anywhere."""
    first = [before.parent] if before else []
    for folder in [*first, Path(), Path(tempfile.gettempdir())]:
        with suppress(OSError):
            path = folder.absolute() / name
            output.write_whole(path, json_of(runs))
            return path
    return None


def estimated(plans: Sequence[Plan]) -> Estimate:
    """How long such runs will take, as far as past ones are known."""
    with suppress(Error):  # whoever needs the database says so; nobody needs it for an estimate
        return Estimate(store.overheads(plan.spec.server.server for plan in plans))
    return Estimate()


@contextmanager
def session(
    results: Results,
    watcher: Progress,
    screen: output.Screen,
    *,
    place: Place = Place(),  # noqa: B008 - it is frozen
    estimate: Estimate | None = None,
) -> Iterator["Session"]:
    """The machine for as many runs as are made in the block; raises BenchsuiteError."""
    results.check()
    with terminable(), alone(screen.waiting), closing(Journal(results.batch)) as opened:
        store.sweep()
        store.sweep_executions()
        settings = conf.config()["TARGET_SETTINGS"] or os.environ["DJANGO_SETTINGS_MODULE"]
        made = runner.Session(
            settings_module=settings,
            port=place.port,
            bind=place.bind or HOST,
            listening=place.listening,
            agent=place.watching,
            start_timeout_s=place.start_timeout_s,
            ceilings=results.ceilings,
        )
        with made.opened() as at_work:
            yield Session(at_work, results, watcher, screen, opened, estimate or Estimate())


@dataclass(frozen=True, slots=True)
class Session:
    """Makes one run after another; each is stored as soon as it has ended."""

    at_work: runner.Session
    results: Results
    watcher: Progress
    screen: output.Screen
    journal: Journal
    estimate: Estimate

    def make(
        self, plan: Plan, later: Sequence[Plan] | None = None, cell: StudyCell | None = None
    ) -> tuple[Run, RunResult]:
        """Makes one run: its stored row, and its result. Databases that none of the `later` runs
        will use are dropped first. Raises KeyboardInterrupt when one that Ctrl-C ended is stored.
        """
        (plan,) = preflight.prepared([plan], self.screen.building)
        if later is not None:
            self.at_work.keep_for([plan, *later])
        self.watcher.begin(plan.spec)
        begun = monotonic()
        with self.results.run(plan, cell) as (row, keep):
            recording = Recording(self.watcher, self.journal, row, plan.spec.load)
            result = self.at_work.run(plan, recording)
            keep(result)
        self.estimate.learn(plan, monotonic() - begun, result)
        recording.end(_line(result))
        if result.status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        return row, result


def _line(result: RunResult) -> str:
    if result.total is None:  # why is said once, at the end
        return result.status.value
    verdict = result.verdict.value if result.verdict else ""
    if heavy := [one.code for one in result.findings if one.level.value == verdict]:
        verdict = f"{verdict} ({', '.join(heavy)})"
    total, idle = result.total, result.websockets and result.websockets.idle
    if idle and not total.requests:
        return f"{format_bytes(idle.each_bytes)} per connection · {verdict}"
    parts = [
        f"{format_rate(total.goodput)}" + (f" at {total.name}" if total.level is not None else ""),
        f"p50 {format_duration(total.response_time.at(50))}",
        f"p95 {format_duration(total.response_time.at(95))}",
        f"{total.failures} failed",
        f"{total.resent} sent twice" if total.resent else "",
        verdict,
        result.status.value if result.failure else "",
    ]
    return " · ".join(filter(None, parts))


SHORT_S = 0.2  #: The first tick comes at once: it tells no rate.


class Recording:
    """A watcher of one run, which writes down what it passes on."""

    def __init__(self, watcher: Progress, journal: Journal, row: Run, load: LoadProfile) -> None:
        self._watcher, self._journal, self._load = watcher, journal, load
        self.note, self._run = watcher.note, str(row.pk)
        self._about = {"title": watcher.title, "place": watcher.place}
        self._before = 0.0, 0, 0  #: Seconds, requests and failures, by the last tick.
        self._write(run=self._run, **self._about, total=watcher.total, unit=units_of(row))

    def stage(self, text: str) -> None:
        self._write(stage=text)
        self._watcher.stage(text)

    def tick(self, tick: Tick) -> None:
        self._write(phase=phase_words(self._load, tick), second=self._second(tick))
        self._before = tick.elapsed_s, tick.requests, tick.failures
        self._watcher.tick(tick)

    def end(self, words: str) -> None:
        self._write(end=self._run, **self._about, words=words)
        self._watcher.end(words)

    def _write(self, **line: object) -> None:
        self._journal.write(**line, left_s=round(self._watcher.left_s, 1))

    def _second(self, tick: Tick) -> list[float | bool | None]:
        """In the order of `journal.SECOND`."""
        before_s, requests, failures = self._before
        passed_s, failed = tick.elapsed_s - before_s, tick.failures - failures
        right = tick.requests - requests - failed
        middle_s = tick.elapsed_s - passed_s / 2
        return [
            round(tick.elapsed_s, 2),
            round(right / passed_s, 2) if passed_s > SHORT_S else None,
            *(None if time is None else round(time, 6) for time in (tick.p50_s, tick.p95_s)),
            failed,
            None if tick.cpu_percent is None else round(tick.cpu_percent, 1),
            any(one.window_start_s < middle_s <= one.window_end_s for one in self._load.plan),
        ]
