"""The charts of a compare page: a line or a point for each run, in its cell's colour."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from benchsuite.comparing.answer import Climbed, level
from benchsuite.comparing.differences import Comparison
from benchsuite.comparing.titles import units_of
from benchsuite.core.metrics.every import Metric, figure
from benchsuite.core.results import Verdict
from benchsuite.core.specs import OPEN
from benchsuite.core.units import format_bytes, format_count, format_duration, format_rate
from benchsuite.models import Run
from benchsuite.report.charts import of_run
from benchsuite.report.charts.drawing import Chart, draw, share_time
from benchsuite.report.charts.series import (
    MEMORY,
    RESPONSE_TIME,
    SECOND,
    SECONDS,
    Axis,
    Column,
    Mark,
    Scale,
    Series,
    Trace,
    dotted_line,
)
from benchsuite.report.charts.styles import Style
from benchsuite.report.charts.styles import styles as styles_of

FAINT = 0.45
MOST_DRAWN = 8  #: Cells of one chart, the first in their order; more can't be told apart.
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
        made = [goodput(drawn), distribution(drawn), *made]
    charts = [chart for chart in made if chart.series]
    intervals = [list(one.run.intervals.all()) for one in drawn]
    shades = dict.fromkeys(
        shade
        for one, some in zip(drawn, intervals, strict=True)
        for shade in of_run.shades(one.run, some)
    )
    share_time(charts, shades, max((len(some) for some in intervals), default=0))
    return charts


def drawn_of(comparison: Comparison) -> list[Run]:
    """The runs whose seconds are drawn."""
    return [run for cell in comparison.cells[:MOST_DRAWN] for run in cell.measured]


def level_charts(lines: Sequence[Climbed]) -> list[Chart]:
    """Goodput and p95 of each configuration over users or arrivals, with where it levels off."""
    return [_over_levels(lines, figure("goodput")), _over_levels(lines, figure("p95_s"))]


def _over_levels(lines: Sequence[Climbed], metric: Metric) -> Chart:
    styles = styles_of([line.cells[0].first.server for line in lines])
    values = [{level(cell.first): cell.value(metric) for cell in line.cells} for line in lines]
    places = sorted({place for one in values for place in one})
    is_open = lines[0].cells[0].first.model == OPEN
    across = Axis("arrivals per second" if is_open else "users", scale=Scale.LEVEL)
    up = RESPONSE_TIME if metric.of_times else Axis("goodput (per second)", "/s")
    columns = [
        Column(line.title, line.title, metric.show, mark=_with_knee(line, style, places))
        for line, style in zip(lines, styles, strict=True)
    ]
    series = Series(
        f"{metric.heading}-by-load",
        f"{metric.heading[:1].upper()}{metric.heading[1:]} by load",
        across,
        up,
        (Column(across.title, across.title), *columns),
        tuple((place, *(one.get(place) for one in values)) for place in places),
        "Means over runs. The ring is where a configuration levels off.",
    )
    return draw(series)


def _with_knee(line: Climbed, style: Style, places: Sequence[float]) -> Mark:
    """A line with a dot at each level, and a ring where it levels off."""
    mark = dotted_line(style.colour, style.dash)
    knees = [place == level(line.knee.first) for place in places]
    look = {
        "symbol": ["circle-open" if one else "circle" for one in knees],
        "size": [16 if one else 7 for one in knees],
        "line": {"width": 2},
    }
    return Mark({**mark.look, "connectgaps": True, "marker": look})


def runs_of(comparison: Comparison) -> list[Drawn]:
    """Each measured run with its style, which is its cell's."""
    runs: list[Drawn] = []
    cells = zip(comparison.titles, comparison.cells, styles(comparison), strict=True)
    for number, (title, cell, style) in enumerate(islice(cells, MOST_DRAWN), start=1):
        for start, run in enumerate(cell.measured, start=1):
            own = f"{title} run {start}" if len(cell.measured) > 1 else title
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
