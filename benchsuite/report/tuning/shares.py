"""The share of arrivals that were in time, against the rate."""

from collections import Counter
from collections.abc import Sequence

from benchsuite.core.units import format_number, format_percent
from benchsuite.report.charts.drawing import Chart, draw
from benchsuite.report.charts.series import Axis, Column, Series, first, line, points
from benchsuite.report.charts.styles import Style, styles
from benchsuite.tuning.answer import Answer
from benchsuite.tuning.notebook import Entry, Notebook
from benchsuite.tuning.trial import Candidate, Phase

SEARCHED = (Phase.LADDER, Phase.RACE)
IN_TIME = Axis("planned arrivals in time (%)", " %")
GREY = "#8a8a8a"


def shares(book: Notebook, answer: Answer) -> Chart:
    """Of each candidate in the race: what share met the first goal at each of its rates."""
    goal = book.question.objective.goals[0]
    tried = (*SEARCHED, Phase.CONFIRM)
    racing = [row.candidate for row in answer.rows if book.of(row.candidate, *tried)]
    drawn = [
        (candidate, style, phases)
        for candidate, style in zip(racing, styles([one.server for one in racing]), strict=True)
        for phases in (SEARCHED, (Phase.CONFIRM,))
        if book.of(candidate, *phases)
    ]
    columns = [_column(*one) for one in drawn]
    found = [shares_of(book.of(candidate, *phases)) for candidate, _, phases in drawn]
    rates = sorted({rate for one in found for rate in one})
    asked = Column("asked_percent", "asked for", format_percent, mark=line(GREY, "dash"))
    chart = draw(
        Series(
            "shares",
            f"Share of {goal.words} against the rate",
            Axis("arrivals per second"),
            IN_TIME,
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


def shares_of(entries: Sequence[Entry]) -> dict[float, float]:
    """Rate → percent of the planned arrivals there, all starts together."""
    planned: Counter[float] = Counter()
    met: Counter[float] = Counter()
    for level in (level for one in entries for level in one.seen.levels if level.rate):
        planned[level.rate] += level.planned
        met[level.rate] += level.met[0]
    return {rate: 100 * met[rate] / planned[rate] for rate in planned if planned[rate]}
