"""Each trial of a tuning in words: its phase, its load, and what it found."""

from collections.abc import Iterator

from benchsuite.core.units import (
    format_count,
    format_number,
    format_percent,
    format_period,
    format_rate,
)
from benchsuite.tuning.trial import Level, Load, Observation, Phase

PHASES = {
    Phase.PROBE: "probe",
    Phase.SCREEN: "screening",
    Phase.LADDER: "ladder",
    Phase.RACE: "race",
    Phase.CONFIRM: "confirmation",
    Phase.DIAGNOSE: "diagnosis",
    Phase.VARY: "variants",
    Phase.FLAME: "flame graph",
    Phase.BISECT: "bisection",
    Phase.STRAIN: "overload",
}


def load_words(load: Load) -> str:
    """ "12 users", "150, 163, 176/s", each with its window."""
    window = format_period(load.window_s)
    if load.users:
        return f"{format_count(load.users)} user{'s' * (load.users != 1)}, {window}"
    return f"{', '.join(map(format_number, load.rates))} /s, {window} each"


def found_words(seen: Observation) -> str:
    """What a search is told of a start, in a line."""
    return "; ".join(_found(seen)) or "nothing"


def _found(seen: Observation) -> Iterator[str]:
    if seen.failure:
        yield seen.failure.strip().partition("\n")[0]  # its run has the log
    if seen.codes:
        yield f"says nothing of the server: {', '.join(seen.codes)}"
    if shown := [_level(one) for one in seen.levels if one.planned or one.goodput]:
        yield ", ".join(shown)
    if seen.limit:
        yield f"the load generator was the limit: {', '.join(seen.limit)}"
    if seen.fails:
        yield f"the server failed: {', '.join(seen.fails)}"
    if seen.wrong:
        yield f"wrong answers said: {seen.wrong}"
    if seen.named:
        yield f"limits: {', '.join(seen.named)}"


def _level(level: Level) -> str:
    if not level.rate:
        return format_rate(level.goodput)
    share = 100 * level.met[0] / level.planned if level.planned else None
    return f"{format_percent(share)} at {format_number(level.rate)}/s"
