"""The charts of a tuning: capacity against memory, and shares in time against rates."""

from collections.abc import Sequence

from benchsuite.core.units import format_number, format_percent, format_rate
from benchsuite.report.charts.drawing import Chart, draw, escaped, rounded
from benchsuite.report.charts.series import MEMORY, Axis, Column, Series, first
from benchsuite.report.charts.styles import Mark, line, points, styles
from benchsuite.tuning.answer import Outcome, Row
from benchsuite.tuning.candidates import bound
from benchsuite.tuning.confirming import by_rate
from benchsuite.tuning.notebook import RISING, State
from benchsuite.tuning.trial import Level, Phase

RATE = Axis("capacity (arrivals per second)", "/s")
GREY = "#8a8a8a"


def shares(outcome: Outcome) -> Chart:
    """Of each candidate that was asked for rates: what share met the first goal at each."""
    notebook, goal = outcome.notebook, outcome.notebook.question.objective.goals[0]
    kinds = ("", "-open", RISING), (", fresh", "", (Phase.CONFIRM,))
    every = (*RISING, Phase.CONFIRM)
    racing = [row.candidate for row in outcome.rows if by_rate(notebook, row.candidate, *every)]
    columns, measured = [], []
    for candidate, style in zip(racing, styles([one.server for one in racing]), strict=True):
        for fresh, hollow, phases in kinds:
            if levels := by_rate(notebook, candidate, *phases):
                mark, title = points(style.colour, style.marker + hollow), candidate.name + fresh
                columns.append(Column(f"{title} percent", title, format_percent, mark=mark))
                measured.append({rate: _percent(some) for rate, some in levels.items()})
    rates = sorted(set().union(*measured))
    asked = Column("asked_percent", "asked for", format_percent, mark=line(GREY, "dash"))
    chart = draw(
        Series(
            "shares",
            f"Share of {goal.words} against the rate",
            Axis("arrivals per second"),
            Axis("planned arrivals (%)", " %"),
            (Column("rate_per_s", "rate", format_number, first), *columns, asked),
            tuple((rate, *(one.get(rate) for one in measured), 100 * goal.share) for rate in rates),
            "Filled: fresh runs, all of a rate together. Hollow: the shorter windows of the "
            "search, which flatter a little.",
        )
    )
    chart.layout["xaxis"]["rangemode"] = "normal"  # all lie around one rate
    return chart


def _percent(levels: Sequence[Level]) -> float:
    """Of the planned arrivals that met the first goal, all starts together."""
    return 100 * sum(level.met[0] for level in levels) / sum(level.planned for level in levels)


def against_memory(outcome: Outcome) -> Chart:
    """Capacities that were estimated, and what candidates that never started can't exceed."""
    probe, question = outcome.notebook.probe, outcome.notebook.question
    spots = []  # memory in MiB, whose, and what it can't exceed
    for row in outcome.rows:
        memory, most = row.memory_bytes, None
        if row.state is State.BOUNDED_OUT and probe and probe.memory_bytes:
            memory = row.candidate.processes * probe.memory_bytes
            most = bound(row.candidate, probe, question).rate
        if memory is not None and (row.estimate is not None or most is not None):
            spots.append((memory / MEMORY.per, row, most))
    spots.sort(key=first)
    rows = [row for _, row, _ in spots]
    columns = (
        Column("memory_mib", "memory (MiB)", format_number, first),
        Column("configuration", "configuration", str),
        Column("capacity_per_s", "capacity", format_rate, mark=_mark(rows, "")),
        Column("low", "from"),
        Column("high", "to"),
        Column("at_most_per_s", "at most", format_rate, mark=_mark(rows, "-open")),
        Column("state", "state", str),
    )
    return draw(
        Series(
            "capacity-memory",
            "Capacity against memory",
            MEMORY,
            RATE,
            columns,
            tuple(
                (memory, row.candidate.name, row.estimate, row.low, row.high, most, row.words)
                for memory, row, most in spots
            ),
            "Filled: estimated by the search, with the interval over runs. Hollow: never started, "
            "at the most that arithmetic allows, with the memory of its processes as that of the "
            "one that was probed. Cheap and fast is top left; the best of each server has its "
            "name.",
        )
    )


def _mark(rows: Sequence[Row], hollow: str) -> Mark:
    """A point for each in the colour of its server, a star for what is recommended."""
    best = {row.candidate.server: row for row in sorted(rows, key=lambda row: row.rank)[::-1]}
    symbols = ["star" if row.state is State.RECOMMENDED else "circle" for row in rows]
    hover = f"%{{customdata}}: {'at most ' * bool(hollow)}%{{y:.4~r}}{RATE.unit}"
    ends = [(row.estimate, row.low, row.high) for row in rows]
    look = {
        "mode": "markers+text",
        "text": [row.candidate.name if row in best.values() else "" for row in rows],
        "textposition": "top center",
        "cliponaxis": False,
        "showlegend": False,
        "customdata": [escaped(f"{row.candidate.name}, {row.words}") for row in rows],
        "hovertemplate": f"{hover} with %{{x:.4~r}}{MEMORY.unit}<extra></extra>",
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [rounded(high - rate) if rate and high else None for rate, _, high in ends],
            "arrayminus": [rounded(rate - low) if rate and low else None for rate, low, _ in ends],
            "color": GREY,
            "visible": not hollow,
        },
        "marker": {
            "color": [styles([row.candidate.server])[0].colour for row in rows],
            "symbol": [symbol + hollow for symbol in symbols],
            "size": 12,
        },
    }
    return Mark(look)
