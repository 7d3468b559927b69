"""Shows how runs are getting on: on the terminal, and in the journal that pages read."""

from benchsuite.comparing.titles import units_of
from benchsuite.core.specs import LoadProfile
from benchsuite.load.job import Tick
from benchsuite.models import Run
from benchsuite.report.terminal.progress import Progress, phase_words
from benchsuite.system.journal import Journal

SHORT_S = 0.2  #: The first tick comes at once: it tells no rate.


class Recording:
    """A watcher of one run, which writes down what it passes on."""

    def __init__(self, watcher: Progress, journal: Journal, row: Run, load: LoadProfile) -> None:
        self._watcher, self._journal, self._load = watcher, journal, load
        self._run = str(row.pk)
        self._before: Tick | None = None
        self._write(
            run=self._run,
            title=watcher.title,
            place=watcher.place,
            total=watcher.total,
            unit=units_of(row),
        )

    def stage(self, text: str) -> None:
        self._write(stage=text)
        self._watcher.stage(text)

    def note(self, text: str) -> None:
        self._watcher.note(text)

    def tick(self, tick: Tick) -> None:
        self._write(phase=phase_words(self._load, tick), second=self._second(tick))
        self._before = tick
        self._watcher.tick(tick)

    def end(self, words: str) -> None:
        """It is stored."""
        self._write(
            end=self._run, title=self._watcher.title, place=self._watcher.place, words=words
        )
        self._watcher.end(words)

    def _write(self, **line: object) -> None:
        self._journal.write(**line, left_s=round(self._watcher.left_s, 1))

    def _second(self, tick: Tick) -> list[float | bool | None]:
        """In the order of `journal.SECOND`."""
        before = self._before
        passed_s = tick.elapsed_s - (before.elapsed_s if before else 0.0)
        failed = tick.failures - (before.failures if before else 0)
        right = tick.requests - (before.requests if before else 0) - failed
        middle_s = tick.elapsed_s - passed_s / 2
        return [
            round(tick.elapsed_s, 2),
            round(right / passed_s, 2) if passed_s > SHORT_S else None,
            *(None if time is None else round(time, 6) for time in (tick.p50_s, tick.p95_s)),
            failed,
            None if tick.cpu_percent is None else round(tick.cpu_percent, 1),
            any(one.window_start_s < middle_s <= one.window_end_s for one in self._load.plan),
        ]
