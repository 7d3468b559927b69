"""All runs of one configuration over time: where its figures changed, and what had changed then."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import pairwise
from statistics import median
from typing import Any
from uuid import UUID

from django.contrib.humanize.templatetags.humanize import naturalday
from django.db.models import QuerySet
from django.utils import translation
from django.utils.formats import date_format
from django.utils.timezone import localtime

from benchsuite.comparing import titles
from benchsuite.comparing.differences import differences
from benchsuite.core.metrics import every
from benchsuite.core.metrics.every import Metric, was_asked
from benchsuite.core.results import Verdict
from benchsuite.core.specs import CLOSED
from benchsuite.core.units import counted, first_of, format_number, gathered
from benchsuite.models import Run
from benchsuite.report import queries
from benchsuite.report.sentences import state
from benchsuite.stats.steady import steps
from benchsuite.store import notes

MOST = 500  #: Runs of a history; of more, the newest.
IN_LINE = 40  #: Runs of the small line beside a run.
NAMED = 3  #: Differences of an environment in words.
LINES = ("goodput", "p95_s", "connection_bytes")
FIGURES = ("goodput", "p95_s", "memory_bytes", "cpu_percent")
WIDTH, HEIGHT = 600, 100  #: Of `_history.html` in its own units; the page stretches it.


def title(run: Run) -> str:
    """The configuration of a run: "uwsgi 2 × 4 · url /shop/ · 20 users"."""
    what = (titles.options_title(run), titles.workload_title(run), titles.load_title(run))
    return " · ".join(filter(None, [f"{run.server} {titles.size_title(run)}", *what]))


def main_figure(run: Run) -> Metric:
    """What its history is told by: with arrivals all answer as many, idle connections nothing."""
    answering = "goodput" if run.model == CLOSED else "p95_s"
    return every.figure(answering if run.connection_bytes is None else "connection_bytes")


def counts(run: Run) -> bool:
    return state(run) in (Verdict.VALID, Verdict.WEAK)


@dataclass(frozen=True)
class Series:
    """One figure of all runs that have it, in their order."""

    metric: Metric
    runs: Sequence[Run]

    @cached_property
    def levels(self) -> list[tuple[list[Run], float]]:
        """Runs between steps, and their median; a command's runs share their moment."""
        lots = list(gathered((run.batch, run) for run in self.runs if counts(run)).values())
        medians = [median(map(self.value, lot)) for lot in lots]
        edges = [0, *steps(medians, ratio=1 + self.metric.margin), len(lots)]
        parts = [[run for lot in lots[begin:end] for run in lot] for begin, end in pairwise(edges)]
        return [(part, median(map(self.value, part))) for part in parts if part]

    def value(self, run: Run) -> float:
        return self.metric.value(run) or 0.0

    def show(self, value: float) -> str:
        return self.metric.show(value, titles.units_beside(self.runs[0]))

    @property
    def range(self) -> str:
        values = [self.value(run) for run in list(filter(counts, self.runs)) or self.runs]
        return _span(self.show(min(values)), self.show(max(values)))

    @property
    def days(self) -> str:
        return _span(*(day(run.started_at, "j M Y") for run in (self.runs[0], self.runs[-1])))

    def small(self, marked: Run | None = None) -> dict[str, Any]:
        """A line through all runs, with room of 5 % above and below them, and a dot at one."""
        places = self._places(from_zero=False)
        dots = [(*places[marked.pk], None, "")] if marked else []
        return {"line": "L".join(f"{x} {y}" for x, y in places.values()), "dots": dots}

    def drawing(self, marked: Sequence[Run]) -> dict[str, Any]:
        """A dot a run, a line where something else changed, and the medians between steps."""
        places, levels = self._places(from_zero=True), []
        for part, _ in self.levels:
            height = median(places[run.pk][1] for run in part)
            levels.append((places[part[0].pk][0], height, places[part[-1].pk][0]))
        changes = [places[run.pk][0] for run in marked if run.pk in places]
        dots = [(*places[run.pk], run, self.show(self.value(run))) for run in self.runs]
        return {"changes": changes, "levels": levels, "dots": dots}

    def _places(self, *, from_zero: bool) -> dict[UUID, tuple[float, float]]:
        values = [self.value(run) for run in self.runs]
        room = 0.05 * max(*values, 1e-9)
        low, high = 0.0 if from_zero else min(values) - room, max(values) + room
        places = {}
        for at, (run, value) in enumerate(zip(self.runs, values, strict=True)):
            x, y = WIDTH * (at + 0.5) / len(values), HEIGHT * (high - value) / (high - low)
            places[run.pk] = round(x, 1), round(y, 1)
        return places


def _span(first: str, last: str) -> str:
    return first if first == last else f"{first} to {last}"


def of(key: str, matching: QuerySet[Run]) -> dict[str, Any] | None:
    """What the page shows of its newest runs, in the order of their starts; None without any."""
    every_run = matching.filter(key=key).order_by("-started_at")
    runs = list(every_run[:MOST])[::-1]
    if not runs:
        return None
    figures = []
    for metric in map(every.figure, dict.fromkeys([main_figure(runs[-1]).name, *FIGURES])):
        asked = [run for run in runs if was_asked(run) or not metric.of_answers]
        if having := [run for run in asked if metric.value(run) is not None]:
            figures.append(Series(metric, having))
    measured = [run for run in runs if run.environment_id is not None]
    changed: list[Run] = []
    marks: dict[UUID, list[tuple[str, bool]]] = {}  # words, and whether a figure changed
    for before, after in pairwise(measured):
        if words := _changed(before, after):
            changed.append(after)
            marks[after.pk] = [(words, False)]
    for series in figures:
        for (_, level_before), (part, level) in pairwise(series.levels):
            words = f"{series.metric.heading} {_moved(level_before, level)}"
            marks.setdefault(part[0].pk, []).append((words, True))
    levels = figures[0].levels if figures else []
    none = f"None of its {len(runs)} runs counts" if len(runs) > 1 else "Its only run doesn’t count"
    headline = f"{none}; the table says why."
    if levels:
        part, level = levels[-1]
        headline = f"{figures[0].metric.heading.capitalize()} is {figures[0].show(level)}"
        if len(levels) == 1:
            headline += f", the median of {counted(len(part), 'run')}; no change is seen."
        else:
            moved, when = _moved(levels[-2][1], level), day(part[0].started_at, "j M Y, H:i")
            headline += f"; it {moved} with the run of {when}."
    noted, rows = notes.of(runs), []
    for run in reversed(runs):
        mine = [note for note in noted if run.pk == note.run_id or run.label == note.label]
        rows.append((run, marks.get(run.pk, []), mine))
    return {
        "newest": runs[-1],
        "runs": runs,
        "known": len(runs) if len(runs) < MOST else every_run.count(),
        "headline": headline,
        "series": figures,
        "drawings": [(series, series.drawing(changed)) for series in figures],
        "rows": rows,
    }


def line(run: Run) -> tuple[Series, dict[str, Any], str] | None:
    """The small history beside a run, and what it says; None where none beside it counts."""
    metric = main_figure(run)
    own = metric.value(run)
    if own is None:
        return None
    same = Run.objects.filter(key=run.key, **{f"{metric.name}__isnull": False})
    same = same.only("started_at", "status", "verdict", "unit", metric.name)
    up_to = list(same.filter(started_at__lte=run.started_at).order_by("-started_at")[:IN_LINE])
    later = list(same.filter(started_at__gt=run.started_at).order_by("started_at")[:IN_LINE])
    series = Series(metric, [*up_to[::-1], *later])
    beside = [other for other in series.runs if other.pk != run.pk and counts(other)]
    if not beside:
        return None
    level = median(map(series.value, beside))
    percent = (own / level - 1) * 100 if level else 0.0
    apart = f"{format_number(abs(percent))} % {'above' if percent > 0 else 'below'}"
    place = "as" if abs(percent) < 1 else apart
    words = f"{metric.heading} {place} the median of {counted(len(beside), 'other run')}"
    return series, series.small(run), words


def lines(keys: Sequence[str]) -> dict[str, tuple[Run, Series | None]]:
    """Configuration → its newest run, and the newest ones if they make a line; in two queries."""
    newest = {run.key: run for run in queries.newest_of(Run.objects.all(), "key", keys, 1)}
    columns = Run.objects.only("key", "started_at", "status", "verdict", "unit", *LINES)
    by_key = gathered((run.key, run) for run in queries.newest_of(columns, "key", keys, IN_LINE))
    drawn = {}
    for key, run in newest.items():
        metric = main_figure(run)
        having = [other for other in by_key[key][::-1] if metric.value(other) is not None]
        drawn[key] = run, Series(metric, having) if len(having) > 1 else None
    return drawn


def moment(moment: datetime) -> str:
    """ "today, 09:26", "14 Mar, 09:26", with its year where that is another."""
    when = localtime(moment)
    form = "j M" if when.year == localtime(datetime.now(UTC)).year else "j M Y"
    with translation.override("en"):
        return f"{naturalday(when, form)}, {when:%H:%M}"


def day(moment: datetime, form: str) -> str:
    """In English, as the words of the pages are, whatever language the project speaks. Only what
    is written is switched: addresses may begin with the language (`i18n_patterns`).
    """
    with translation.override("en"):
        return date_format(localtime(moment), form)


def _changed(before: Run, after: Run) -> str:
    """What a run was measured with that the one before it was not."""
    columns = ("revision", "server_version", "environment_id", "software_id")
    if all(getattr(before, name) == getattr(after, name) for name in columns):
        return ""
    words = [
        f"{one.name} {' → '.join(value or one.absent for value in one.values)}"
        for one in differences([before, after])
        if one.matters
    ]
    if before.server_version != after.server_version:
        words.insert(0, f"{after.server} {before.server_version} → {after.server_version}")
    return "; ".join(first_of(words, NAMED))


def _moved(before: float, after: float) -> str:
    if not before:
        return "rose from 0"
    percent = (after / before - 1) * 100
    return f"{'rose' if percent > 0 else 'fell'} by {format_number(abs(percent))} %"
