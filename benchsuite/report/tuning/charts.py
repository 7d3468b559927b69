"""The charts of a tuning: capacity against memory or CPUs, and shares in time against rates."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from benchsuite.core.units import (
    format_bytes,
    format_count,
    format_number,
    format_percent,
    format_rate,
)
from benchsuite.report.charts.drawing import Chart, Spot, draw, rounded, scatter
from benchsuite.report.charts.series import MEMORY, Axis, Column, Series, band, first, line, points
from benchsuite.report.charts.styles import Style, styles
from benchsuite.tuning.answer import Outcome, Row, interval, state
from benchsuite.tuning.candidates import bound
from benchsuite.tuning.notebook import RISING, Entry, Notebook, State
from benchsuite.tuning.trial import Candidate, Phase

SEARCHED = RISING
IN_TIME = Axis("planned arrivals in time (%)", " %")
GREY = "#8a8a8a"


def shares(notebook: Notebook, answer: Outcome) -> Chart:
    """Of each candidate in the race: what share met the first goal at each of its rates."""
    goal = notebook.question.objective.goals[0]
    tried = (*SEARCHED, Phase.CONFIRM)
    racing = [row.candidate for row in answer.rows if notebook.of(row.candidate, *tried)]
    drawn = [
        (candidate, style, phases)
        for candidate, style in zip(racing, styles([one.server for one in racing]), strict=True)
        for phases in (SEARCHED, (Phase.CONFIRM,))
        if notebook.of(candidate, *phases)
    ]
    columns = [_shares_column(*one) for one in drawn]
    measured = [shares_of(notebook.of(candidate, *phases)) for candidate, _, phases in drawn]
    rates = sorted({rate for one in measured for rate in one})
    asked = Column("asked_percent", "asked for", format_percent, mark=line(GREY, "dash"))
    chart = draw(
        Series(
            "shares",
            f"Share of {goal.words} against the rate",
            Axis("arrivals per second"),
            IN_TIME,
            (Column("rate_per_s", "rate", format_number, first), *columns, asked),
            tuple((rate, *(one.get(rate) for one in measured), 100 * goal.share) for rate in rates),
            "Filled: fresh runs, all of a rate together. Hollow: the shorter windows of the "
            "search, which flatter a little.",
        )
    )
    chart.layout["xaxis"]["rangemode"] = "normal"  # all lie around one rate
    return chart


def _shares_column(candidate: Candidate, style: Style, phases: Sequence[Phase]) -> Column:
    fresh = Phase.CONFIRM in phases
    title = f"{candidate.name}, fresh" if fresh else candidate.name
    marker = style.marker if fresh else f"{style.marker}-open"
    return Column(f"{title} percent", title, format_percent, mark=points(style.colour, marker))


def shares_of(entries: Sequence[Entry]) -> dict[float, float]:
    """Rate → percent of the planned arrivals there, all starts together."""
    planned: Counter[float] = Counter()
    met: Counter[float] = Counter()
    for level in (level for one in entries for level in one.seen.levels if level.rate):
        planned[level.rate] += level.planned
        met[level.rate] += level.met[0]
    return {rate: 100 * met[rate] / planned[rate] for rate in planned if planned[rate]}


RATE = Axis("capacity (arrivals per second)", "/s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A candidate in the chart."""

    row: Row
    memory: float | None
    value: float
    low: float | None = None
    high: float | None = None
    hollow: bool = False  #: It was never started.


def against_memory(notebook: Notebook, answer: Outcome) -> Chart:
    """Capacities or, where a rate is asked for, the share in time at that rate."""
    if notebook.question.rate is None:
        return _chart(
            "capacity-memory",
            "Capacity against memory",
            RATE,
            Column("capacity_per_s", "capacity", format_rate),
            _capacities(notebook, answer),
            "Filled: estimated by the search, with the interval over runs. Hollow: never "
            "started, at the most that arithmetic allows, with the memory of its processes as "
            "that of the one that was probed.",
        )
    return _chart(
        "share-memory",
        f"Share in time at {format_number(notebook.question.rate)}/s against memory",
        IN_TIME,
        Column("share_percent", "in time", format_percent),
        _shares(notebook, answer),
        "Of fresh runs where there are any, else of one short window.",
    )


def _capacities(notebook: Notebook, answer: Outcome) -> list[Point]:
    """A bar for an interval; a hollow point where its bound was enough, beside measured ones."""
    measured = [
        Point(row=row, memory=row.memory_bytes, value=row.estimate, low=row.low, high=row.high)
        for row in answer.rows
        if row.estimate is not None
    ]
    probe, question = notebook.probe, notebook.question
    if probe is None or not measured:
        return measured
    each = probe.memory_bytes
    return measured + [
        Point(
            row=row,
            memory=None if each is None else row.candidate.processes * each,
            value=bound(row.candidate, probe, question.cpus, gil=question.gil).rate,
            hollow=True,
        )
        for row in answer.rows
        if row.state is State.BOUNDED_OUT
    ]


def _shares(notebook: Notebook, answer: Outcome) -> list[Point]:
    """At the lowest rate of its starts, which is the one that was asked for."""
    points = []
    for row in answer.rows:
        entries = notebook.of(row.candidate, Phase.CONFIRM) or notebook.of(
            row.candidate, Phase.SCREEN
        )
        shares = shares_of(entries)
        if shares:
            points.append(Point(row=row, memory=row.memory_bytes, value=shares[min(shares)]))
    return points


def _chart(
    slug: str, title: str, up: Axis, column: Column, points: Sequence[Point], note: str
) -> Chart:
    drawn = [one for one in points if one.memory is not None]
    series = Series(
        slug,
        title,
        MEMORY,
        up,
        (
            Column("configuration", "configuration", str),
            Column("memory_bytes", "memory", format_bytes),
            column,
            Column("low", "from", format_number),
            Column("high", "to", format_number),
            Column("state", "state", str),
        ),
        tuple(
            (one.row.candidate.name, one.memory, one.value, one.low, one.high, one.row.state.value)
            for one in drawn
        ),
        note,
    )
    return scatter(series, [_spot(one, column.show) for one in drawn], legend=True)


def _spot(point: Point, show: Callable[[Any], str]) -> Spot:
    candidate = point.row.candidate
    (style,) = styles([candidate.server])
    best = point.row.state is State.RECOMMENDED
    symbol = "star" if best else "circle"
    value = f"at most {show(point.value)}" if point.hollow else show(point.value)
    ends = f" {interval(point.row)}" if point.low is not None else ""
    return Spot(
        title=f"{candidate.name}, {state(point.row)}: {value}{ends}",
        x=point.memory,
        y=point.value,
        marker={"color": style.colour, "symbol": f"{symbol}-open" if point.hollow else symbol},
        text=candidate.name if best else "",
        group=candidate.server,
        low=point.low,
        high=point.high,
    )


TICKS = 20  #: Up to so many CPUs each has its tick.


def scaling(answer: Outcome) -> Chart:
    """A point for each number that was measured; the law beyond the largest is dashed."""
    rows = {row.candidate.cpus: row for row in answer.rows if row.candidate.cpus and row.starts}
    law = answer.scaling.law if answer.scaling else None
    counts = sorted({*rows, *range(1, len(law.rates) + 1)} if law else rows)
    chart = draw(
        Series(
            "scaling",
            "Capacity against CPUs",
            Axis("CPUs"),
            RATE,
            _scaling_columns(answer.rows),
            tuple(tuple(_scaling_row(answer, cpus, rows.get(cpus))) for cpus in counts),
            "Filled: confirmed by fresh runs. Hollow: the rate that the shorter windows of the "
            "race just held, with its interval over runs; a law goes through these.",
        )
    )
    if counts and counts[-1] <= TICKS:
        chart.layout["xaxis"]["dtick"] = 1
    for trace in chart.drawing["data"]:
        if trace.get("name") == "just held":
            trace["error_y"] = _bars([rows.get(cpus) for cpus in counts][: len(trace["y"])])
    return chart


def _scaling_columns(rows: Sequence[Row]) -> tuple[Column, ...]:
    (style,) = styles([rows[0].candidate.server if rows else ""])
    colour = style.colour
    law = "Universal Scalability Law"
    within = band(colour, "law_low_per_s", "interval of the law", 0.15)
    return (
        Column("cpus", "CPUs", format_count, first),
        Column("confirmed_per_s", "confirmed", format_rate, mark=points(colour)),
        Column("held_per_s", "just held", format_rate, mark=points(colour, "circle-open")),
        Column("low_per_s", "from"),
        Column("high_per_s", "to"),
        Column("law_per_s", law, format_rate, mark=line(colour)),
        Column("extrapolated_per_s", "extrapolated", format_rate, mark=line(colour, "dash")),
        Column("law_low_per_s", "law from", format_number),
        Column("law_high_per_s", "law to", format_number, mark=within),
    )


def _scaling_row(answer: Outcome, cpus: int | None, row: Row | None) -> Iterator[float | None]:
    law = answer.scaling.law if answer.scaling else None
    yield cpus
    yield from (row.rate, row.estimate, row.low, row.high) if row else (None,) * 4
    if law is None or cpus is None:
        yield from (None,) * 4
        return
    predicted, most = law.rates[cpus - 1], law.measured[-1]
    yield predicted.value if cpus <= most else None
    yield predicted.value if cpus >= most else None
    yield from (predicted.low, predicted.high)


def _bars(rows: Sequence[Row | None]) -> dict[str, object]:
    """The interval of each point, in plotly's words."""
    known = [
        (one.high - one.estimate, one.estimate - one.low)
        if one and one.estimate is not None and one.low is not None and one.high is not None
        else (None, None)
        for one in rows
    ]
    above, below = ([rounded(ends[side]) for ends in known] for side in (0, 1))
    return {"type": "data", "symmetric": False, "array": above, "arrayminus": below}
