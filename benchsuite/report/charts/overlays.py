"""The numbers behind the charts of a compare page: several runs over one axis."""

from collections.abc import Iterable, Sequence
from typing import Any

from benchsuite.comparing.cells import Cell
from benchsuite.comparing.comparison import Comparison
from benchsuite.comparing.titles import units_of
from benchsuite.core.results import Verdict
from benchsuite.core.units import format_bytes, format_count, format_duration, format_rate
from benchsuite.models import Run
from benchsuite.report.charts import overlay_figures, series
from benchsuite.report.charts import sockets as socket_charts
from benchsuite.report.charts.drawing import Chart, share_time
from benchsuite.report.charts.overlay_figures import Line
from benchsuite.report.charts.series import Column, Series
from benchsuite.report.charts.styles import Style
from benchsuite.report.charts.styles import styles as styles_of
from benchsuite.stats import histogram

SLUGS = (
    "goodput",
    "distribution",
    "goodput-memory",
    "connection-memory",
    "websockets",
    "losses",
)


def lines(comparison: Comparison) -> list[tuple[Run, Line]]:
    """Each measured run with its style, which is its cell's."""
    found = []
    looks = styles(comparison)
    for at, (title, cell) in enumerate(zip(comparison.titles, comparison.cells, strict=True)):
        for number, run in enumerate(cell.measured, start=1):
            own = f"{title} start {number}" if len(cell.measured) > 1 else title
            invalid = run.verdict == Verdict.INVALID.value
            group = f"{title} (invalid)" if invalid else title
            found.append((run, Line(own, looks[at], at + 1, group, number == 1, invalid)))
    return found


def styles(comparison: Comparison) -> list[Style]:
    """The style of each cell, in their order."""
    return styles_of([cell.first.server for cell in comparison.cells])


def charts(comparison: Comparison) -> list[Chart]:
    """The charts that have something to show."""
    drawn = lines(comparison)
    styled = [line for _, line in drawn]
    answered = any(run.requests for run, _ in drawn)
    answers = [
        (goodput(drawn), overlay_figures.goodput_of_runs),
        (distribution(drawn), overlay_figures.distributions),
        (goodput_and_memory(drawn), overlay_figures.goodput_and_memory),
    ]
    made = [
        *(answers if answered else ()),
        (socket_charts.memory_of_runs(drawn), overlay_figures.memory_of_connections),
        (socket_charts.connections_of_runs(drawn), overlay_figures.over_seconds),
        (socket_charts.losses_of_runs(drawn), overlay_figures.over_seconds),
    ]
    charts = [draw(numbers, styled) for numbers, draw in made if numbers]
    intervals = [list(run.intervals.all()) for run, _ in drawn]
    shades = dict.fromkeys(shade for some in intervals for shade in series.shades(some))
    share_time(charts, shades, max((len(some) for some in intervals), default=0))
    return charts


def data(comparison: Comparison, slug: str) -> Series:
    """The numbers of one chart alone."""
    makers = {
        "goodput": goodput,
        "distribution": distribution,
        "goodput-memory": goodput_and_memory,
        "connection-memory": socket_charts.memory_of_runs,
        "websockets": socket_charts.connections_of_runs,
        "losses": socket_charts.losses_of_runs,
    }
    return makers[slug](lines(comparison))


def goodput(drawn: Sequence[tuple[Run, Line]]) -> Series:
    by_run = [{one.second: one.successes for one in run.intervals.all()} for run, _ in drawn]
    seconds = range(max((max(one, default=-1) for one in by_run), default=-1) + 1)
    return Series(
        "goodput",
        "Goodput over time",
        (series.SECOND, *(_column(line, "goodput_per_s", format_rate) for _, line in drawn)),
        tuple((second, *(one.get(second) for one in by_run)) for second in seconds),
        "Correct answers by the second in which they finished, as far as journeys began.",
        facts={
            "units": _units(drawn),
            "until": {
                index: series.whole_seconds(run, run.intervals.all())
                for index, (run, _) in enumerate(drawn, start=1)
            },
        },
    )


def distribution(drawn: Sequence[tuple[Run, Line]]) -> Series:
    counted = [_histogram(run) for run, _ in drawn]
    grids = [series.grid(histogram.size(one)) for one in counted]
    percents = sorted({percent for grid in grids for percent in grid})
    curves = [_curve(one, grid, percents) for one, grid in zip(counted, grids, strict=True)]
    return Series(
        "distribution",
        "Distribution of response times",
        (
            Column("percentile", "percentile", series.percent_text),
            *(_column(line, "response_time_s", format_duration) for _, line in drawn),
        ),
        tuple((percent, *(curve.get(percent) for curve in curves)) for percent in percents),
        "All correct answers of each window, drawn as far as their number carries.",
        facts={"units": _units(drawn)},
    )


def goodput_and_memory(drawn: Sequence[tuple[Run, Line]]) -> Series:
    return Series(
        "goodput-memory",
        "Goodput against memory",
        (
            Column("run", "run", str),
            Column("memory_bytes", "memory", format_bytes),
            Column("goodput_per_s", "goodput", format_rate),
            Column("failures", "failed", format_count),
        ),
        tuple((line.title, run.memory_bytes, run.goodput, run.failures) for run, line in drawn),
        "One point a run: the target’s highest memory and its goodput.",
        facts={"units": _units(drawn)},
    )


def _units(drawn: Sequence[tuple[Run, Line]]) -> str:
    """What was answered: "requests", or "requests, messages" where runs of both are compared."""
    return ", ".join(dict.fromkeys(units_of(run) for run, _ in drawn)) or series.UNITS


def _histogram(run: Run) -> histogram.Histogram:
    text = next((one.response_histogram for one in run.measurements.all()), "")
    return histogram.decode(text) if text else histogram.empty()


def _curve(
    counted: histogram.Histogram, own: Sequence[float], percents: Sequence[float]
) -> dict[float, float]:
    """Seconds by percentile: at all of them that do not lie beyond its own last one."""
    within = [percent for percent in percents if own and percent <= own[-1]]
    return histogram.values_at(counted, within)


def _column(line: Line, unit: str, show: Any) -> Column:
    return Column(f"{line.title} {unit}", line.title, show)


def failed_cells(cells: Iterable[Cell]) -> list[Run]:
    """The runs of a comparison that have no figures."""
    return [run for cell in cells for run in cell.runs if run.goodput is None]
