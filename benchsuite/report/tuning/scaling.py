"""What one configuration holds against the number of its CPUs, and the curve through it."""

from collections.abc import Iterator, Sequence

from benchsuite.core.units import format_count, format_number, format_rate
from benchsuite.report.charts.drawing import Chart, draw, rounded
from benchsuite.report.charts.series import Axis, Column, Series, band, first, line, points
from benchsuite.report.charts.styles import styles
from benchsuite.report.tuning.against_memory import RATE
from benchsuite.tuning.answer import Answer, Row

TICKS = 20  #: Up to so many CPUs each has its tick.


def scaling(answer: Answer) -> Chart:
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
            _columns(answer.rows),
            tuple(tuple(_row(answer, cpus, rows.get(cpus))) for cpus in counts),
            "Filled: confirmed by fresh starts. Hollow: the rate that the shorter windows of the "
            "race just held, with its interval over starts; a law goes through these.",
        )
    )
    if counts and counts[-1] <= TICKS:
        chart.layout["xaxis"]["dtick"] = 1
    for trace in chart.drawing["data"]:
        if trace.get("name") == "just held":
            trace["error_y"] = _bars([rows.get(cpus) for cpus in counts][: len(trace["y"])])
    return chart


def _columns(rows: Sequence[Row]) -> tuple[Column, ...]:
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


def _row(answer: Answer, cpus: int | None, row: Row | None) -> Iterator[float | None]:
    law = answer.scaling.law if answer.scaling else None
    yield cpus
    yield from (row.rate, row.estimate, row.low, row.high) if row else (None,) * 4
    if law is None or cpus is None:
        yield from (None,) * 4
        return
    found, most = law.rates[cpus - 1], law.measured[-1]
    yield found.value if cpus <= most else None
    yield found.value if cpus >= most else None
    yield from (found.low, found.high)


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
