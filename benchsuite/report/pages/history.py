"""All runs of one configuration over time: where its figures changed, and what had changed then."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from statistics import median
from uuid import UUID

from django.db.models import QuerySet
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timezone import localtime

from benchsuite.comparing.differences import differences
from benchsuite.comparing.titles import (
    load_title,
    options_title,
    size_title,
    units_beside,
    workload_title,
)
from benchsuite.core.metrics import every
from benchsuite.core.metrics.every import Metric
from benchsuite.core.results import Verdict
from benchsuite.core.specs import CLOSED
from benchsuite.models import Note, Run
from benchsuite.report import queries
from benchsuite.report.pages.html import state
from benchsuite.stats.steady import steps
from benchsuite.store import notes

MOST = 500  #: Runs of a history; of more, the newest.
IN_LINE = 40  #: Runs of the small line beside a run.
NAMED = 3  #: Differences of an environment in words.
LINES = [every.figure(name) for name in ("goodput", "p95_s", "connection_bytes")]
FIGURES = ("goodput", "p95_s", "memory_bytes", "cpu_percent")
WIDTH, HEIGHT = 600, 100  #: Of a drawing in its own units; the page stretches it.


def title(run: Run) -> str:
    """The configuration of a run: "uwsgi 2 × 4 · url /shop/ · 20 users"."""
    named = f"{run.server} {size_title(run)}"
    return " · ".join(
        filter(None, [named, options_title(run), workload_title(run), load_title(run)])
    )


def main_figure(run: Run) -> Metric:
    """What its history is told by: with arrivals all answer as many, idle connections nothing."""
    if run.connection_bytes is not None:
        return every.figure("connection_bytes")
    return every.figure("goodput" if run.model == CLOSED else "p95_s")


def counts(run: Run) -> bool:
    return state(run) in (Verdict.VALID, Verdict.WEAK)


@dataclass(frozen=True, slots=True)
class Mark:
    """What changed between a run and the one before it."""

    run: Run
    words: str
    is_step: bool = False  #: A figure changed; else what it was measured with.


@dataclass(frozen=True)
class Series:
    """One figure of all runs that have it, in their order."""

    metric: Metric
    runs: Sequence[Run]

    @cached_property
    def sound(self) -> list[Run]:
        return [run for run in self.runs if counts(run)]

    @cached_property
    def levels(self) -> list[tuple[list[Run], float]]:
        """The runs between two steps and their median. Steps are looked for among the medians of
        commands: runs of one command share their moment.
        """
        commands: dict[UUID, list[Run]] = {}
        for run in self.sound:
            commands.setdefault(run.batch, []).append(run)
        lots = list(commands.values())
        medians = [median(map(self.value, lot)) for lot in lots]
        edges = [0, *steps(medians, ratio=1 + self.metric.margin), len(lots)]
        parts = [[run for lot in lots[begin:end] for run in lot] for begin, end in pairwise(edges)]
        return [(part, median(map(self.value, part))) for part in parts if part]

    @property
    def marks(self) -> list[Mark]:
        return [
            Mark(after[0], f"{self.metric.heading} {_moved(before_level, level)}", is_step=True)
            for (_, before_level), (after, level) in pairwise(self.levels)
        ]

    def value(self, run: Run) -> float:
        return self.metric.value(run) or 0.0

    def show(self, value: float) -> str:
        return self.metric.show(value, units_beside(self.runs[0]))

    @property
    def range(self) -> str:
        values = [self.value(run) for run in self.sound or self.runs]
        return f"{self.show(min(values))} to {self.show(max(values))}"

    def small(self, marked: Run | None = None) -> SafeString:
        """A line through all runs, with room of 5 % above and below them, and a dot at one."""
        places = self._places(from_zero=False)
        x, y = places[marked.pk] if marked else (0.0, 0.0)
        line = "L".join(f"{x} {y}" for x, y in places.values())
        dot = format_html('<path class="dot" d="M{} {}h0"/>', x, y) if marked else ""
        return self._svg(format_html('<path class="level" d="M{}"/>{}', line, dot))

    def drawing(self, marked: Sequence[Run] = ()) -> SafeString:
        """A dot a run, the medians between steps, a line where something else changed."""
        places = self._places(from_zero=True)
        changes = format_html_join(
            "",
            '<path class="change" d="M{} 0V{}"/>',
            ((places[run.pk][0], HEIGHT) for run in marked if run.pk in places),
        )
        levels = ((one,) for one in self._levels(places))
        dots = format_html_join(
            "",
            '<path class="dot {}" d="M{} {}h0"><title>{}: {}</title></path>',
            (
                (state(run), *places[run.pk], moment(run), self.show(self.value(run)))
                for run in self.runs
            ),
        )
        return self._svg(
            changes + format_html_join("", '<path class="level" d="{}"/>', levels) + dots
        )

    def _svg(self, paths: SafeString) -> SafeString:
        return format_html(
            '<svg class="history" viewBox="0 0 {} {}" preserveAspectRatio="none" role="img" '
            'aria-label="{} of {}, {}">{}</svg>',
            *(WIDTH, HEIGHT, self.metric.heading, _many(len(self.runs)), self.range, paths),
        )

    def _places(self, *, from_zero: bool) -> dict[UUID, tuple[float, float]]:
        """Where each run is drawn."""
        values = [self.value(run) for run in self.runs]
        room = 0.05 * max(*values, 1e-9)
        low, high = 0.0 if from_zero else min(values) - room, max(values) + room
        return {
            run.pk: (
                round(WIDTH * (at + 0.5) / len(values), 1),
                round(HEIGHT * (high - value) / (high - low), 1),
            )
            for at, (run, value) in enumerate(zip(self.runs, values, strict=True))
        }

    def _levels(self, places: dict[UUID, tuple[float, float]]) -> Iterator[str]:
        """From the first dot of each level to its last, through the middle one by height."""
        for part, _ in self.levels:
            heights = median(places[run.pk][1] for run in part)
            first, last = places[part[0].pk][0], places[part[-1].pk][0]
            yield f"M{first} {heights}H{last}"


@dataclass(frozen=True)
class History:
    """Runs of one configuration in the order of their starts; never empty."""

    runs: Sequence[Run]
    known: int  #: How many there are, the older ones too.

    @property
    def newest(self) -> Run:
        return self.runs[-1]

    @property
    def title(self) -> str:
        return title(self.newest)

    @cached_property
    def series(self) -> list[Series]:
        """The main figure first; only those that a run has."""
        main = main_figure(self.newest)
        metrics = [main, *(every.figure(name) for name in FIGURES if name != main.name)]
        having = [
            (one, [run for run in self.runs if one.value(run) is not None]) for one in metrics
        ]
        return [Series(metric, runs) for metric, runs in having if runs]

    @cached_property
    def changes(self) -> list[Mark]:
        """What a run was measured with that the one before it was not."""
        measured = [run for run in self.runs if run.environment_id is not None]
        return [
            Mark(after, words)
            for before, after in pairwise(measured)
            if (words := _changed(before, after))
        ]

    @cached_property
    def marks(self) -> dict[object, list[Mark]]:
        """Run → what stands above it in the table."""
        by_run: dict[object, list[Mark]] = {}
        for mark in [*self.changes, *(one for series in self.series for one in series.marks)]:
            by_run.setdefault(mark.run.pk, []).append(mark)
        return by_run

    @cached_property
    def notes(self) -> dict[object, list[Note]]:
        """Run → its notes and those of its label."""
        kept = notes.of(self.runs)
        return {
            run.pk: [note for note in kept if run.pk == note.run_id or run.label == note.label]
            for run in self.runs
        }

    @property
    def rows(self) -> list[tuple[Run, list[Mark], list[Note]]]:
        """The newest first."""
        return [(run, self.marks.get(run.pk, []), self.notes[run.pk]) for run in self.runs[::-1]]

    @property
    def drawings(self) -> list[tuple[Series, SafeString]]:
        changed = [mark.run for mark in self.changes]
        return [(one, one.drawing(changed)) for one in self.series]

    @property
    def headline(self) -> str:
        if not self.series or not (levels := self.series[0].levels):
            return f"None of its {_many(len(self.runs))} counts; the table says why."
        main, (part, level) = self.series[0], levels[-1]
        now = f"{main.metric.heading.capitalize()} is {main.show(level)}"
        if len(levels) == 1:
            return f"{now}, the median of {_many(len(part))}; no change is seen."
        moved = _moved(levels[-2][1], level)
        return f"{now}; it {moved} with the run of {moment(part[0])}."


@dataclass(frozen=True, slots=True)
class Line:
    """The small history beside one of its runs."""

    drawing: SafeString
    words: str


def of(key: str, runs: QuerySet[Run]) -> History | None:
    """The newest of these that are of that configuration; None without any."""
    mine = runs.filter(key=key).order_by("-started_at")
    newest = list(mine[:MOST])
    known = len(newest) if len(newest) < MOST else mine.count()
    return History(newest[::-1], known) if newest else None


def line(run: Run) -> Line | None:
    """Of the runs around this one; None where none beside it counts, or it has no figure."""
    metric = main_figure(run)
    if metric.value(run) is None:
        return None
    same = Run.objects.filter(key=run.key, **{f"{metric.name}__isnull": False})
    same = same.only("started_at", "status", "verdict", "unit", metric.name)
    up_to = list(same.filter(started_at__lte=run.started_at).order_by("-started_at")[:IN_LINE])
    later = list(same.filter(started_at__gt=run.started_at).order_by("started_at")[:IN_LINE])
    shown = [*up_to[::-1], *later]
    beside = [one for one in shown if one.pk != run.pk and counts(one)]
    if not beside:
        return None
    series = Series(metric, shown)
    level, own = median(map(series.value, beside)), metric.value(run) or 0.0
    words = (
        f"{metric.heading} {_beside(level, own)} the median of {_many(len(beside), 'other run')}"
    )
    return Line(series.small(run), words)


def lines(keys: Sequence[str]) -> dict[str, tuple[Run, SafeString]]:
    """Configuration → its newest run, and its newest runs as a small line; in two queries."""
    newest = {run.key: run for run in queries.newest_of(Run.objects.all(), "key", keys, 1)}
    columns = Run.objects.only(
        "key", "started_at", "status", "verdict", "unit", *(one.name for one in LINES)
    )
    by_key: dict[str, list[Run]] = {}
    for run in queries.newest_of(columns, "key", keys, IN_LINE):
        by_key.setdefault(run.key, []).insert(0, run)
    drawn = {}
    for key, run in newest.items():
        metric = main_figure(run)
        having = [one for one in by_key[key] if metric.value(one) is not None]
        drawn[key] = run, Series(metric, having).small() if len(having) > 1 else SafeString()
    return drawn


def moment(run: Run) -> str:
    return moment_words(run.started_at)


def moment_words(moment: datetime) -> str:
    """ "today, 09:26", "14 Mar, 09:26", with its year where that is another."""
    when, now = localtime(moment), localtime()
    days = (now.date() - when.date()).days
    if days in (0, 1):
        return f"{('today', 'yesterday')[days]}, {when:%H:%M}"
    return date_format(when, "j M, H:i" if when.year == now.year else "j M Y, H:i")


def _changed(before: Run, after: Run) -> str:
    if _measured_with(before) == _measured_with(after):
        return ""
    changed = [one for one in differences([before, after]) if one.matters]
    words = [
        f"{one.name} {' → '.join(value or one.absent for value in one.values)}" for one in changed
    ]
    if before.server_version != after.server_version:
        words.insert(0, f"{after.server} {before.server_version} → {after.server_version}")
    further = [f"{len(words) - NAMED} more"] if len(words) > NAMED else []
    return "; ".join([*words[:NAMED], *further])


def _measured_with(run: Run) -> tuple[object, ...]:
    return run.revision, run.server_version, run.environment_id, run.software_id


def _moved(before: float, after: float) -> str:
    if not before:
        return "rose from 0"
    percent = (after / before - 1) * 100
    return f"{'rose' if percent > 0 else 'fell'} by {abs(percent):.3g} %"


def _beside(level: float, own: float) -> str:
    percent = (own / level - 1) * 100 if level else 0.0
    if abs(percent) < 1:
        return "as"
    return f"{abs(percent):.2g} % {'above' if percent > 0 else 'below'}"


def _many(count: int, what: str = "run") -> str:
    return f"{count} {what}{'s' * (count != 1)}"
