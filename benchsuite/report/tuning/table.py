"""What became of each candidate, as a table of texts: of the page, of Markdown, of the terminal."""

from collections.abc import Callable, Mapping

from benchsuite.core.specs.objective import Goal
from benchsuite.core.units import (
    MISSING,
    format_bytes,
    format_count,
    format_duration,
    format_number,
    format_percent,
    format_rate,
)
from benchsuite.report.shown import Shown
from benchsuite.tuning.answer import UNTRIED, Answer, Row
from benchsuite.tuning.notebook import State
from benchsuite.tuning.saying import became

ORDER = (
    State.RECOMMENDED,
    State.MEASURED,
    State.NOT_TOLD_APART,
    State.WORTH_TRYING,
    State.NO_DIFFERENCE,
    State.RACING,
    State.OVER,
    State.DROPPED,
    State.BEHIND,
    State.NO_STATEMENT,
)
"""The nearer to the answer, the higher in the table."""


def tried(answer: Answer) -> list[Row]:
    """All candidates that were started, by their CPUs, the best first."""
    found = [row for row in answer.rows if row.state not in UNTRIED]
    return sorted(
        found,
        key=lambda row: (row.candidate.cpus or 0, ORDER.index(row.state), -(row.estimate or 0.0)),
    )


def in_race(row: Row) -> bool:
    """Whether rates of its own were tried, after the screening."""
    return bool(row.starts)


def columns(goal: Goal) -> Mapping[str, Callable[[Row], Shown]]:
    """Heading → what a candidate has there, beside its name and its state."""
    percentile = f"p{100 * goal.share:.6g}"
    within = "right" if goal.within_s is None else f"within {format_duration(goal.within_s)}"
    return {
        "estimate": _estimate,
        "holds": _held,
        f"{percentile} there": lambda row: _figure(row.percentile_s, format_duration, row),
        within: lambda row: _figure(_percent(row.share), format_percent, row),
        "memory": lambda row: _figure(row.memory_bytes, format_bytes, row),
        "CPU a request": lambda row: _figure(row.cpu_s, format_duration, row),
        "connections": lambda row: _connections(row.connections),
        "starts": lambda row: Shown(format_count(row.starts)),
    }


def state(row: Row) -> str:
    return became(row.state, row.why)


def interval(row: Row) -> str:
    if row.low is None or row.high is None:
        return ""
    return f"[{format_number(row.low)}, {format_number(row.high)}]"


def _estimate(row: Row) -> Shown:
    """From all starts before the fresh ones; of all candidates alike, so it is for comparing."""
    if row.estimate is None:
        return Shown(MISSING, reason=state(row))
    return Shown(format_rate(row.estimate), interval(row))


def _held(row: Row) -> Shown:
    """What fresh starts say."""
    if row.rate is None:
        return Shown(MISSING, reason=_why_not(row))
    return Shown(format_rate(row.rate), f"shown at {format_rate(row.shown)}")


def _figure(value: float | None, show: Callable[[float | None], str], row: Row) -> Shown:
    return Shown(show(value)) if value is not None else Shown(MISSING, reason=_why_not(row))


def _connections(most: int | None) -> Shown:
    if most is None:
        return Shown(MISSING, reason="how many it opens at most isn't known")
    return Shown(format_count(most))


def _why_not(row: Row) -> str:
    return "no fresh starts confirmed it" if row.starts else state(row)


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
