"""Each trial of a tuning in words: its load, and what it found."""

from collections.abc import Iterator

from benchsuite.core.units import (
    counted,
    format_number,
    format_percent,
    format_period,
    format_rate,
)
from benchsuite.tuning.trial import Level, Load, Observation


def load_words(load: Load) -> str:
    """ "12 users", "150, 163, 176/s", each with its window."""
    window = format_period(load.window_s)
    if load.users:
        return f"{counted(load.users, 'user')}, {window}"
    return f"{', '.join(map(format_number, load.rates))} /s, {window} each"


def found_words(seen: Observation) -> str:
    """What a search is told of a start, in a line."""
    return "; ".join(_found(seen)) or "nothing"


def _found(seen: Observation) -> Iterator[str]:
    if seen.failure:
        yield seen.failure.strip().partition("\n")[0]  # its run has the log
    levels = [_level(one) for one in seen.levels if one.planned or one.goodput]
    for words, what in (
        ("says nothing of the server: ", seen.codes),
        ("", levels),
        ("the load generator was the limit: ", seen.limit),
        ("the server failed: ", seen.fails),
        ("wrong answers said: ", [seen.wrong] * bool(seen.wrong)),
        ("limits: ", seen.named),
    ):
        if what:
            yield words + ", ".join(what)


def _level(level: Level) -> str:
    if not level.rate:
        return format_rate(level.goodput)
    share = 100 * level.met[0] / level.planned if level.planned else None
    return f"{format_percent(share)} at {format_number(level.rate)}/s"
