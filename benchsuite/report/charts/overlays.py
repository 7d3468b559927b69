"""The charts of a compare page: a line or a point for each run, in its cell's colour."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchsuite.comparing.differences import Comparison
from benchsuite.comparing.titles import units_of
from benchsuite.core.results import Verdict
from benchsuite.core.units import format_bytes, format_count, format_duration, format_rate
from benchsuite.models import Run
from benchsuite.report.charts import of_run
from benchsuite.report.charts.drawing import Chart, Spot, draw, scatter, share_time
from benchsuite.report.charts.series import (
    MEMORY,
    SECOND,
    SECONDS,
    Axis,
    Column,
    Mark,
    Series,
    Trace,
)
from benchsuite.report.charts.styles import Style
from benchsuite.report.charts.styles import styles as styles_of

FAINT = 0.45
MOST_MARKERS = 7  #: On one line; they tell lines apart and are no measured points of it.


@dataclass(frozen=True, slots=True)
class Drawn:
    """A measured run, and how it is drawn on a compare page."""

    run: Run
    title: str
    group: str  #: The cell's title, and that its run is invalid.
    style: Style
    place: int  #: Among the runs of that page, from 1.
    cell: int  #: Number of its cell on that page, from 1.
    first: bool  #: Whether it is the first of its cell, which carries the label.

    @property
    def identity(self) -> Trace:
        """By `uid` the page's script finds all that was drawn of a cell."""
        return {"uid": f"cell-{self.cell}-{self.place}"}

    @property
    def marker(self) -> Trace:
        """Hollow where the run is invalid."""
        symbol = f"{self.style.marker}-open" if self.is_invalid else self.style.marker
        return {"color": self.style.colour, "symbol": symbol}

    @property
    def is_invalid(self) -> bool:
        return self.run.verdict == Verdict.INVALID.value

    def column(self, unit: str, show: Callable[[Any], str], rows: int | None = None) -> Column:
        look = self.identity | {
            "mode": "lines",
            "opacity": FAINT if self.is_invalid else 1,
            "line": {
                "color": self.style.colour,
                "dash": self.style.dash,
                "width": 2 if self.first else 1,
            },
        }
        if self.first:
            marker = {**self.marker, "size": 8, "maxdisplayed": MOST_MARKERS}
            look |= {"mode": "lines+markers", "marker": marker}
        mark = Mark(look, self.group, rows=rows, number=self.cell if self.first else 0)
        return Column(f"{self.title} {unit}", self.title, show, mark=mark)


def styles(comparison: Comparison) -> list[Style]:
    """The style of each cell, in their order."""
    return styles_of([cell.first.server for cell in comparison.cells])


def charts(comparison: Comparison) -> list[Chart]:
    """The charts that have something to show."""
    drawn = runs_of(comparison)
    made = [memory_of_connections(drawn), connections(drawn), losses(drawn)]
    if any(one.run.requests for one in drawn):
        made = [goodput(drawn), distribution(drawn), goodput_and_memory(drawn), *made]
    charts = [chart for chart in made if chart.series]
    intervals = [list(one.run.intervals.all()) for one in drawn]
    shades = dict.fromkeys(
        shade
        for one, some in zip(drawn, intervals, strict=True)
        for shade in of_run.shades(one.run, some)
    )
    share_time(charts, shades, max((len(some) for some in intervals), default=0))
    return charts


def runs_of(comparison: Comparison) -> list[Drawn]:
    """Each measured run with its style, which is its cell's."""
    runs: list[Drawn] = []
    cells = zip(comparison.titles, comparison.cells, styles(comparison), strict=True)
    for number, (title, cell, style) in enumerate(cells, start=1):
        for start, run in enumerate(cell.measured, start=1):
            own = f"{title} start {start}" if len(cell.measured) > 1 else title
            invalid = run.verdict == Verdict.INVALID.value
            group = f"{title} (invalid)" if invalid else title
            runs.append(Drawn(run, own, group, style, len(runs) + 1, number, start == 1))
    return runs


def goodput(drawn: Sequence[Drawn]) -> Chart:
    until = [of_run.whole_seconds(one.run, one.run.intervals.all()) for one in drawn]
    return _overlaid(
        "goodput",
        "Goodput over time",
        Axis(f"goodput ({_units(drawn)} per second)", "/s"),
        [
            one.column("goodput_per_s", format_rate, rows)
            for one, rows in zip(drawn, until, strict=True)
        ],
        [{one.second: one.successes for one in each.run.intervals.all()} for each in drawn],
        "Correct answers by the second in which they finished, as far as journeys began.",
    )


def distribution(drawn: Sequence[Drawn]) -> Chart:
    columns = [one.column("response_time_s", format_duration) for one in drawn]
    totals = [next(iter(one.run.measurements.all()), None) for one in drawn]
    texts = [total.response_histogram if total else "" for total in totals]
    return draw(of_run.percentile_curves(columns, texts, _units(drawn)))


def goodput_and_memory(drawn: Sequence[Drawn]) -> Chart:
    """A point for each run, with the number of its cell at the highest."""
    series = Series(
        "goodput-memory",
        "Goodput against memory",
        MEMORY,
        Axis(f"goodput ({_units(drawn)} per second)", "/s"),
        (
            Column("run", "run", str),
            Column("memory_bytes", "memory", format_bytes),
            Column("goodput_per_s", "goodput", format_rate),
            Column("failures", "failed", format_count),
        ),
        tuple(
            (run.title, run.run.memory_bytes, run.run.goodput, run.run.failures) for run in drawn
        ),
        "One point a run: the target’s highest memory and its goodput.",
    )
    highest: dict[int, float] = {}
    for run in drawn:
        highest[run.cell] = max(highest.get(run.cell, 0.0), run.run.goodput or 0.0)
    spots = [
        Spot(
            title=run.title,
            x=run.run.memory_bytes,
            y=run.run.goodput,
            marker=run.marker,
            group=run.group,
            text=str(run.cell) if run.run.goodput == highest[run.cell] else "",
            identity=run.identity,
        )
        for run in drawn
    ]
    return scatter(series, spots)


def memory_of_connections(drawn: Sequence[Drawn]) -> Chart:
    """Each run's memory at each number of connections that one of them had."""
    return _overlaid(
        "connection-memory",
        "Memory against idle connections",
        MEMORY,
        [one.column("memory_bytes", format_bytes) for one in drawn],
        [dict(of_run.idle_steps(one.run)) for one in drawn],
        "Each target’s memory while so many connections were open; a steeper line is more each.",
        across=of_run.IDLE,
        first=Column("connections", "connections", format_count),
    )


def connections(drawn: Sequence[Drawn]) -> Chart:
    return _overlaid(
        "websockets",
        "Open connections",
        of_run.OPEN,
        [one.column("connections", format_count) for one in drawn],
        [{one.second: one.connections for one in each.run.intervals.all()} for each in drawn],
        "WebSockets or streams that were open at the end of each second.",
    )


def losses(drawn: Sequence[Drawn]) -> Chart:
    """Everything that went wrong in a second; nothing where nothing did."""
    lost = [{one.second: of_run.lost(one) for one in each.run.intervals.all()} for each in drawn]
    return _overlaid(
        "losses",
        "Losses over time",
        Axis("losses in each second"),
        [one.column("losses", format_count) for one in drawn],
        lost if any(many for one in lost for many in one.values()) else [{} for _ in lost],
        "Messages or events that failed or went astray, and connections that the server ended, "
        "by second.",
    )


def _overlaid(
    slug: str,
    title: str,
    up: Axis,
    columns: Sequence[Column],
    values: Sequence[Mapping[int, Any]],
    note: str,
    *,
    across: Axis = SECONDS,
    first: Column = SECOND,
) -> Chart:
    """The columns over all places that one of them has a value for."""
    places = sorted({place for one in values for place in one})
    rows = tuple((place, *(one.get(place) for one in values)) for place in places)
    return draw(Series(slug, title, across, up, (first, *columns), rows, note))


def _units(drawn: Sequence[Drawn]) -> str:
    """What was answered: "requests", or "requests, messages" where runs of both are compared."""
    return ", ".join(dict.fromkeys(units_of(one.run) for one in drawn))
