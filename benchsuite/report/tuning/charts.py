"""The charts of a tuning: capacity against memory, and the share in time against the rate."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from benchsuite.core.units import format_bytes, format_number, format_percent, format_rate
from benchsuite.report.charts.drawing import Chart, draw
from benchsuite.report.charts.marks import line, points
from benchsuite.report.charts.scatter import Spot, scatter
from benchsuite.report.charts.series import MEMORY, Axis, Column, Series, first
from benchsuite.report.charts.styles import Style, styles
from benchsuite.report.tuning.table import estimated, state
from benchsuite.tuning.answer import Answer, Row
from benchsuite.tuning.bounds import bound
from benchsuite.tuning.notebook import Entry, Notebook, State
from benchsuite.tuning.trial import Candidate, Phase

SEARCHED = (Phase.LADDER, Phase.RACE)
RATE = Axis("capacity (arrivals per second)", "/s")
GREY = "#8a8a8a"


def charts(book: Notebook, answer: Answer) -> list[Chart]:
    """Those that have something to show."""
    made = [capacity_and_memory(book, answer), shares(book, answer)]
    return [one for one in made if one.series]


def capacity_and_memory(book: Notebook, answer: Answer) -> Chart:
    """A point a candidate with a bar for its interval; a hollow one where its bound was enough."""
    rows = [row for row in answer.rows if row.estimate is not None]
    out = [one for one in answer.rows if one.state is State.BOUNDED_OUT and book.probe is not None]
    lines = [(row, row.memory_bytes, row.estimate) for row in rows]
    if lines:
        lines += [(row, _memory(book, row.candidate), _bound(book, row.candidate)) for row in out]
    lines = [one for one in lines if one[1] is not None]
    series = Series(
        "capacity-memory",
        "Capacity against memory",
        MEMORY,
        RATE,
        (
            Column("configuration", "configuration", str),
            Column("memory_bytes", "memory", format_bytes),
            Column("capacity_per_s", "capacity", format_rate),
            Column("low_per_s", "from", format_number),
            Column("high_per_s", "to", format_number),
            Column("state", "state", str),
        ),
        tuple(
            (row.candidate.name, memory, rate, row.low, row.high, row.state.value)
            for row, memory, rate in lines
        ),
        "Filled: measured, with the interval over starts. Hollow: never started, at the most that "
        "arithmetic allows, with the memory of its processes as that of the one that was probed.",
    )
    return scatter(series, [_spot(*one) for one in lines], legend=True)


def _spot(row: Row, memory: float | None, rate: float | None) -> Spot:
    hollow = row.estimate is None
    (style,) = styles([row.candidate.server])
    best = row.state is State.RECOMMENDED
    symbol = "star" if best else "circle"
    told = f"at most {format_number(rate)}" if hollow else estimated(row)
    return Spot(
        title=f"{row.candidate.name}, {state(row)}: {told}",
        x=memory,
        y=rate,
        marker={"color": style.colour, "symbol": f"{symbol}-open" if hollow else symbol},
        text=row.candidate.name if best else "",
        group=row.candidate.server,
        low=row.low,
        high=row.high,
    )


def _memory(book: Notebook, candidate: Candidate) -> float | None:
    each = book.probe.memory_bytes if book.probe else None
    return None if each is None else candidate.processes * each


def _bound(book: Notebook, candidate: Candidate) -> float | None:
    if book.probe is None:
        return None
    return bound(candidate, book.probe, book.question.cpus, gil=book.question.gil).rate


def shares(book: Notebook, answer: Answer) -> Chart:
    """Of each candidate in the race: what share met the first goal at each of its rates."""
    goal = book.question.objective.goals[0]
    racing = [row.candidate for row in answer.rows if book.of(row.candidate, *SEARCHED)]
    drawn = [
        (candidate, style, phases)
        for candidate, style in zip(racing, styles([one.server for one in racing]), strict=True)
        for phases in (SEARCHED, (Phase.CONFIRM,))
        if book.of(candidate, *phases)
    ]
    columns = [_column(*one) for one in drawn]
    found = [_shares(book.of(candidate, *phases)) for candidate, _, phases in drawn]
    rates = sorted({rate for one in found for rate in one})
    asked = Column("asked_percent", "asked for", format_percent, mark=line(GREY, "dash"))
    chart = draw(
        Series(
            "shares",
            f"Share of {goal.words} against the rate",
            Axis("arrivals per second"),
            Axis("planned arrivals in time (%)", " %"),
            (Column("rate_per_s", "rate", format_number, first), *columns, asked),
            tuple((rate, *(one.get(rate) for one in found), 100 * goal.share) for rate in rates),
            "Filled: fresh starts, all of a rate together. Hollow: the shorter windows of the "
            "search, which flatter a little.",
        )
    )
    chart.layout["xaxis"]["rangemode"] = "normal"  # all lie around one rate
    return chart


def _column(candidate: Candidate, style: Style, phases: Sequence[Phase]) -> Column:
    fresh = Phase.CONFIRM in phases
    title = f"{candidate.name}, fresh" if fresh else candidate.name
    marker = style.marker if fresh else f"{style.marker}-open"
    return Column(f"{title} percent", title, format_percent, mark=points(style.colour, marker))


def _shares(entries: Sequence[Entry]) -> dict[float, Any]:
    """Rate → percent of the planned arrivals there, all starts together."""
    planned: Counter[float] = Counter()
    met: Counter[float] = Counter()
    for level in (level for one in entries for level in one.seen.levels if level.planned):
        planned[level.rate] += level.planned
        met[level.rate] += level.met[0]
    return {rate: 100 * met[rate] / planned[rate] for rate in planned}
