"""The charts of a tuning: capacity against memory or CPUs, and shares in time against rates."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import compress
from typing import Any

from benchsuite.core.units import (
    format_count,
    format_number,
    format_percent,
    format_rate,
)
from benchsuite.report.charts.drawing import Chart, draw, escaped, rounded
from benchsuite.report.charts.series import (
    MEMORY,
    Axis,
    Column,
    Mark,
    Series,
    band,
    first,
    line,
    points,
)
from benchsuite.report.charts.styles import styles
from benchsuite.tuning.answer import Outcome, Row
from benchsuite.tuning.candidates import bound
from benchsuite.tuning.notebook import RISING, Entry, State
from benchsuite.tuning.trial import Phase

RATE = Axis("capacity (arrivals per second)", "/s")
IN_TIME = Axis("planned arrivals in time (%)", " %")
GREY = "#8a8a8a"


def shares(outcome: Outcome) -> Chart:
    """Of each candidate that was asked for rates: what share met the first goal at each."""
    notebook, goal = outcome.notebook, outcome.notebook.question.objective.goals[0]
    fresh = (Phase.CONFIRM,)
    racing = [row.candidate for row in outcome.rows if notebook.of(row.candidate, *RISING, *fresh)]
    columns, measured = [], []
    for candidate, style in zip(racing, styles([one.server for one in racing]), strict=True):
        for title, symbol, phases in (
            (candidate.name, f"{style.marker}-open", RISING),
            (f"{candidate.name}, fresh", style.marker, fresh),
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


def against_memory(outcome: Outcome) -> Chart:
    """Capacities or, where a rate is asked for, the share in time at that rate."""
    asked, spots = outcome.notebook.question.rate, sorted(_spots(outcome), key=first)
    rows = [row for _, row, _, _ in spots]
    filled, hollow = (_mark(rows, asked, end) for end in ("", "-open"))
    measured = Column("capacity_per_s", "capacity", format_rate, mark=filled)
    title, up, note = "Capacity against memory", RATE, CAPACITY
    if asked is not None:
        measured = Column("share_percent", "in time", format_percent, mark=filled)
        title, up = f"Share in time at {format_number(asked)}/s against memory", IN_TIME
        note = "Of fresh runs where there are any, else of one short window."
    columns = (
        Column("memory_mib", "memory (MiB)", format_number, first),
        Column("configuration", "configuration", str),
        measured,
        Column("low", "from"),
        Column("high", "to"),
        Column("at_most_per_s", "at most", format_rate, mark=hollow),
        Column("state", "state", str),
    )
    table = [
        (memory, row.candidate.name, value, row.low, row.high, most, row.words)
        for memory, row, value, most in spots
    ]
    known = [any(value is not None for value in some) for some in zip(*table, strict=True)]
    return draw(
        Series(
            "capacity-memory" if asked is None else "share-memory",
            title,
            MEMORY,
            up,
            tuple(compress(columns, known)),
            tuple(tuple(compress(row, known)) for row in table),
            f"{note} Cheap and fast is top left; the best of each server has its name.",
        )
    )


CAPACITY = (
    "Filled: estimated by the search, with the interval over runs. Hollow: never started, at the "
    "most that arithmetic allows, with the memory of its processes as that of the one that was "
    "probed."
)

Spot = tuple[float, Row, float | None, float | None]
"""Memory in MiB, whose, what was measured, and what it can't exceed."""


def _spots(outcome: Outcome) -> Iterator[Spot]:
    notebook, question = outcome.notebook, outcome.notebook.question
    probe = notebook.probe
    for row in outcome.rows:
        memory, value, most = row.memory_bytes, row.estimate, None
        if question.rate is not None:  # the lowest of its rates is the one that was asked for
            fresh = notebook.of(row.candidate, Phase.CONFIRM)
            found = shares_of(fresh or notebook.of(row.candidate, Phase.SCREEN))
            value = found[min(found)] if found else None
        elif row.state is State.BOUNDED_OUT and probe and probe.memory_bytes:
            memory = row.candidate.processes * probe.memory_bytes
            most = bound(row.candidate, probe, question.cpus, gil=question.gil).rate
        if memory is not None and (value is not None or most is not None):
            yield memory / MEMORY.per, row, value, most


def _mark(rows: Sequence[Row], asked: float | None, hollow: str) -> Mark:
    """A point for each in the colour of its server, a star for what is recommended."""
    ranked = sorted(rows, key=lambda row: row.rank)
    best = {row.candidate.server: row for row in reversed(ranked)}
    stars = [row.state is State.RECOMMENDED for row in rows]
    unit = (RATE if asked is None else IN_TIME).unit
    told = f"%{{customdata}}: {'at most ' * bool(hollow)}%{{y:.4~r}}{unit}"
    look = {
        "mode": "markers+text",
        "text": [row.candidate.name if row in best.values() else "" for row in rows],
        "textposition": "top center",
        "cliponaxis": False,
        "showlegend": False,
        "customdata": [escaped(f"{row.candidate.name}, {row.words}") for row in rows],
        "hovertemplate": f"{told} with %{{x:.4~r}}{MEMORY.unit}<extra></extra>",
        "error_y": {**_bars(rows), "color": GREY, "visible": not hollow},
        "marker": {
            "color": [styles([row.candidate.server])[0].colour for row in rows],
            "symbol": [("star" if star else "circle") + hollow for star in stars],
            "size": 12,
        },
    }
    return Mark(look)


def _bars(rows: Sequence[Row | None]) -> dict[str, Any]:
    """From each estimate to the ends of its interval, where one is known."""
    above, below = list[float | None](), list[float | None]()
    for row in rows:
        if row is None or row.estimate is None or row.low is None or row.high is None:
            ends = None, None
        else:
            ends = rounded(row.high - row.estimate), rounded(row.estimate - row.low)
        above.append(ends[0])
        below.append(ends[1])
    return {"type": "data", "symmetric": False, "array": above, "arrayminus": below}


TICKS = 20  #: Up to so many CPUs each has its tick.


def scaling(outcome: Outcome) -> Chart:
    """A point for each number that was measured; the law beyond the largest is dashed."""
    rows = {row.candidate.cpus: row for row in outcome.rows if row.candidate.cpus and row.starts}
    law = outcome.scaling.law if outcome.scaling else None
    counts = sorted({*rows, *range(1, len(law.rates) + 1)} if law else rows)
    (style,) = styles([row.candidate.server for row in outcome.rows][:1] or [""])
    held = points(style.colour, "circle-open")
    held.look["error_y"] = _bars([rows.get(cpus) for cpus in counts])
    within = band(style.colour, "law_low_per_s", "interval of the law", 0.15)
    table = []
    for cpus in counts:
        row, of_law = rows.get(cpus), (None,) * 4
        if law and cpus:
            rate, most = law.rates[cpus - 1], law.measured[-1]
            lines = (rate.value if cpus <= most else None, rate.value if cpus >= most else None)
            of_law = (*lines, rate.low, rate.high)
        own = (row.rate, row.estimate, row.low, row.high) if row else (None,) * 4
        table.append((cpus, *own, *of_law))
    chart = draw(
        Series(
            "scaling",
            "Capacity against CPUs",
            Axis("CPUs"),
            RATE,
            (
                Column("cpus", "CPUs", format_count, first),
                Column("confirmed_per_s", "confirmed", format_rate, mark=points(style.colour)),
                Column("held_per_s", "just held", format_rate, mark=held),
                Column("low_per_s", "from"),
                Column("high_per_s", "to"),
                Column("law_per_s", LAW, format_rate, mark=line(style.colour)),
                Column(
                    "extrapolated_per_s",
                    "extrapolated",
                    format_rate,
                    mark=line(style.colour, "dash"),
                ),
                Column("law_low_per_s", "law from"),
                Column("law_high_per_s", "law to", mark=within),
            ),
            tuple(table),
            "Filled: confirmed by fresh runs. Hollow: the rate that the shorter windows of the "
            "search just held, with its interval over runs; a law goes through these.",
        )
    )
    if counts and counts[-1] <= TICKS:
        chart.layout["xaxis"]["dtick"] = 1
    return chart


LAW = "Universal Scalability Law"
