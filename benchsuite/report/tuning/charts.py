"""The charts of a tuning: capacity against memory or CPUs, and shares in time against rates."""

from collections import Counter
from collections.abc import Iterator, Sequence

from benchsuite.core.units import (
    format_bytes,
    format_count,
    format_number,
    format_percent,
    format_rate,
)
from benchsuite.report.charts.drawing import Chart, Spot, draw, rounded, scatter
from benchsuite.report.charts.series import MEMORY, Axis, Column, Series, band, first, line, points
from benchsuite.report.charts.styles import styles
from benchsuite.tuning.answer import Outcome, Row, interval, state
from benchsuite.tuning.candidates import bound
from benchsuite.tuning.notebook import RISING, Entry, Notebook, State
from benchsuite.tuning.trial import Phase

SEARCHED, FRESH = RISING, Phase.CONFIRM
RATE = Axis("capacity (arrivals per second)", "/s")
IN_TIME = Axis("planned arrivals in time (%)", " %")
GREY = "#8a8a8a"


def shares(notebook: Notebook, answer: Outcome) -> Chart:
    """Of each candidate in the race: what share met the first goal at each of its rates."""
    goal = notebook.question.objective.goals[0]
    racing = [one.candidate for one in answer.rows if notebook.of(one.candidate, *SEARCHED, FRESH)]
    columns, measured = [], []
    for candidate, style in zip(racing, styles([one.server for one in racing]), strict=True):
        for title, symbol, phases in (
            (candidate.name, f"{style.marker}-open", SEARCHED),
            (f"{candidate.name}, fresh", style.marker, (FRESH,)),
        ):
            if entries := notebook.of(candidate, *phases):
                mark = points(style.colour, symbol)
                columns.append(Column(f"{title} percent", title, format_percent, mark=mark))
                measured.append(shares_of(entries))
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


def shares_of(entries: Sequence[Entry]) -> dict[float, float]:
    """Rate → percent of the planned arrivals there, all starts together."""
    planned: Counter[float] = Counter()
    met: Counter[float] = Counter()
    for level in (level for one in entries for level in one.seen.levels if level.rate):
        planned[level.rate] += level.planned
        met[level.rate] += level.met[0]
    return {rate: 100 * met[rate] / planned[rate] for rate in planned if planned[rate]}


def against_memory(notebook: Notebook, answer: Outcome) -> Chart:
    """Capacities, with a bar for an interval and hollow where a bound was enough; or, where a rate
    is asked for, the share in time at that rate, which is the lowest of a candidate's starts.
    """
    asked, probe, question = notebook.question.rate, notebook.probe, notebook.question
    spots: list[tuple[Row, float | None, float]] = []
    for row in answer.rows:
        entries = notebook.of(row.candidate, FRESH) or notebook.of(row.candidate, Phase.SCREEN)
        if asked is not None and (shares := shares_of(entries)):
            spots.append((row, row.memory_bytes, shares[min(shares)]))
        elif asked is None and row.estimate is not None:
            spots.append((row, row.memory_bytes, row.estimate))
    if asked is None and probe is not None and spots:
        each = probe.memory_bytes
        spots += [
            (
                row,
                None if each is None else row.candidate.processes * each,
                bound(row.candidate, probe, question.cpus, gil=question.gil).rate,
            )
            for row in answer.rows
            if row.state is State.BOUNDED_OUT
        ]
    drawn = [(row, memory, value) for row, memory, value in spots if memory is not None]
    capacity = Column("capacity_per_s", "capacity", format_rate)
    in_time = Column("share_percent", "in time", format_percent)
    column = capacity if asked is None else in_time
    series = Series(
        "capacity-memory" if asked is None else "share-memory",
        "Capacity against memory"
        if asked is None
        else f"Share in time at {format_number(asked)}/s against memory",
        MEMORY,
        RATE if asked is None else IN_TIME,
        (
            Column("configuration", "configuration", str),
            Column("memory_bytes", "memory", format_bytes),
            column,
            Column("low", "from", format_number),
            Column("high", "to", format_number),
            Column("state", "state", str),
        ),
        tuple(
            (row.candidate.name, memory, value, *_ends(row, asked), row.state.value)
            for row, memory, value in drawn
        ),
        "Filled: estimated by the search, with the interval over runs. Hollow: never "
        "started, at the most that arithmetic allows, with the memory of its processes as "
        "that of the one that was probed."
        if asked is None
        else "Of fresh runs where there are any, else of one short window.",
    )
    found = []
    for row, memory, value in drawn:
        (style,) = styles([row.candidate.server])
        is_best, is_hollow = row.state is State.RECOMMENDED, row.state is State.BOUNDED_OUT
        symbol = ("star" if is_best else "circle") + "-open" * is_hollow
        shown = "at most " * is_hollow + column.show(value)
        low, high = _ends(row, asked)
        found.append(
            Spot(
                title=f"{row.candidate.name}, {state(row)}: {shown}"
                + f" {interval(row)}" * (low is not None),
                x=memory,
                y=value,
                marker={"color": style.colour, "symbol": symbol},
                text=row.candidate.name if is_best else "",
                group=row.candidate.server,
                low=low,
                high=high,
            )
        )
    return scatter(series, found, legend=True)


def _ends(row: Row, asked: float | None) -> tuple[float | None, float | None]:
    return (row.low, row.high) if asked is None else (None, None)


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
            found = [rows.get(cpus) for cpus in counts][: len(trace["y"])]
            ends = [_around(one) for one in found]
            above, below = ([rounded(one[side]) for one in ends] for side in (0, 1))
            bars = {"type": "data", "symmetric": False, "array": above, "arrayminus": below}
            trace["error_y"] = bars
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


def _around(row: Row | None) -> tuple[float | None, float | None]:
    """How far the ends of its interval lie above and below its estimate."""
    if row is None or row.estimate is None or row.low is None or row.high is None:
        return None, None
    return row.high - row.estimate, row.estimate - row.low
