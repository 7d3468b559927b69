"""What candidates hold against the memory that they need: which is cheap and enough?"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from benchsuite.core.units import format_bytes, format_number, format_percent, format_rate
from benchsuite.report.charts.drawing import Chart, Spot, scatter
from benchsuite.report.charts.series import MEMORY, Axis, Column, Series
from benchsuite.report.charts.styles import styles
from benchsuite.report.tuning.shares import IN_TIME, shares_of
from benchsuite.report.tuning.table import interval, state
from benchsuite.tuning.answer import Answer, Row
from benchsuite.tuning.bounds import bound
from benchsuite.tuning.notebook import Notebook, State
from benchsuite.tuning.trial import Phase

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


def against_memory(book: Notebook, answer: Answer) -> Chart:
    """Capacities or, where a rate is asked for, the share in time at that rate."""
    if book.question.rate is None:
        return _chart(
            "capacity-memory",
            "Capacity against memory",
            RATE,
            Column("capacity_per_s", "capacity", format_rate),
            _capacities(book, answer),
            "Filled: estimated by the search, with the interval over starts. Hollow: never "
            "started, at the most that arithmetic allows, with the memory of its processes as "
            "that of the one that was probed.",
        )
    return _chart(
        "share-memory",
        f"Share in time at {format_number(book.question.rate)}/s against memory",
        IN_TIME,
        Column("share_percent", "in time", format_percent),
        _shares(book, answer),
        "Of fresh starts where there are any, else of one short window.",
    )


def _capacities(book: Notebook, answer: Answer) -> list[Point]:
    """A bar for an interval; a hollow point where its bound was enough, beside measured ones."""
    measured = [
        Point(row=row, memory=row.memory_bytes, value=row.estimate, low=row.low, high=row.high)
        for row in answer.rows
        if row.estimate is not None
    ]
    probe, question = book.probe, book.question
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


def _shares(book: Notebook, answer: Answer) -> list[Point]:
    """At the lowest rate of its starts, which is the one that was asked for."""
    found = []
    for row in answer.rows:
        entries = book.of(row.candidate, Phase.CONFIRM) or book.of(row.candidate, Phase.SCREEN)
        shares = shares_of(entries)
        if shares:
            found.append(Point(row=row, memory=row.memory_bytes, value=shares[min(shares)]))
    return found


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
    told = f"at most {show(point.value)}" if point.hollow else show(point.value)
    ends = f" {interval(point.row)}" if point.low is not None else ""
    return Spot(
        title=f"{candidate.name}, {state(point.row)}: {told}{ends}",
        x=point.memory,
        y=point.value,
        marker={"color": style.colour, "symbol": f"{symbol}-open" if point.hollow else symbol},
        text=candidate.name if best else "",
        group=candidate.server,
        low=point.low,
        high=point.high,
    )
