"""The figures of the originals, of a stored run: those of `core.metrics`, and derived ones."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from benchsuite.core.exceptions import UsageError, choices
from benchsuite.core.metrics import every
from benchsuite.core.metrics.every import Better, Metric, Unit
from benchsuite.core.readings import DATABASE, HALF_S, LOAD, TARGET
from benchsuite.core.results import Phase
from benchsuite.core.samples import HANDSHAKE, MESSAGE, POPULATION
from benchsuite.core.units import listed, parse_seconds
from benchsuite.studies.study import Figure

WINDOW, WHOLE_LOAD = "window", "load"
PHASES = {WINDOW: (Phase.WINDOW.value,), WHOLE_LOAD: (Phase.WARM_UP.value, Phase.WINDOW.value)}
"""Of the whole load: ramp, warm-up and window, without the drain."""

TAKES = ("min", "max", SPREAD := "spread")  #: Of a band.

LONG = ("mean_s", "p50_s", "p75_s", "p90_s", "p95_s", "p99_s", "max_s")
"""Response times that have no limit where most users wait in vain."""

Record = Any  #: A stored run, or what has its columns, `intervals`, `measurements`, `readings`.

Options = Mapping[str, Any]
Of = Callable[[Record, str, Options], float | None]  #: From record, scope, options.


@dataclass(frozen=True, slots=True)
class Derived:
    """A figure that follows from the seconds or the parts of a run."""

    unit: Unit
    better: Better
    of: Of
    says: str  #: What it is, for the docs.
    options: Options  #: With what holds where none is given.
    scopes: tuple[str, ...] = (WINDOW,)
    of_readings: bool = False  #: Of parts of the run, second by second.


DERIVED: dict[str, Derived] = {}


def metric(figure: Figure) -> Metric:
    """The figure as one that is read and written; raises UsageError for one that can't be."""
    known = {one.name: one for one in every.METRICS}
    derived = DERIVED.get(figure.of)
    if derived is None and figure.of not in known:
        names = [*known, *DERIVED]
        raise UsageError(f"of: there is no figure {figure.of!r}; {choices(figure.of, names)}")
    _check(figure, derived)
    if derived is not None:
        options = {**derived.options, **figure.options}
        return Metric(
            figure.name,
            derived.unit,
            derived.better,
            of=lambda record: derived.of(record, figure.scope, options),
            title=figure.title or figure.name.replace("_", " "),
        )
    own = known[figure.of]

    def of(record: Record) -> float | None:
        """With "stage" that of a level, with "kind" of some users."""
        for name, place in figure.options.items():
            part = _part(record, place, PLACES[name])
            return None if part is None else own.of_part(part)
        return own.value(record)

    return replace(own, name=figure.name, of=of, read=None, title=figure.title or own.title)


def values(
    figures: Sequence[Figure], record: Record, *, starves: bool = False
) -> dict[str, float | None]:
    """Every figure of a study for one run. Times have no limit where most users starve, and a
    percentile of the whole run has none where more requests fail than it leaves out.
    """
    whole, by_name = every.whole(record), dict[str, float | None]()
    failed = whole.failures / whole.requests if whole and whole.requests else 0.0
    for figure in figures:
        known = metric(figure)
        is_beyond = starves or (not figure.options and 100 * failed > 100 - known.percent)
        is_endless = figure.of in LONG and is_beyond
        by_name[figure.name] = math.inf if is_endless else known.value(record)
    return by_name


def rates(figures: Sequence[Figure]) -> list[str]:
    """Those that are answers in a time, of which nobody has more than the server gave."""
    metrics = map(metric, figures)
    return [one.name for one in metrics if one.unit is Unit.RATE and one.better is MORE]


def steps(figures: Sequence[Figure], record: Record) -> dict[str, float]:
    """By how much one answer more in its window would raise each of them that is a rate."""
    seconds, names = len(_seconds(record, WINDOW)), rates(figures)
    stages = sum(part.scope == PLACES["stage"] for part in record.measurements.all())
    lengths: dict[str, float] = {}
    for figure in figures:
        lengths[figure.name] = seconds / (stages or 1) if "stage" in figure.options else seconds
        if figure.of == "best_window":
            options = {**DERIVED[figure.of].options, **figure.options}
            lengths[figure.name] = parse_seconds(str(options["length"]))
    return {name: 1 / lengths[name] for name in names if lengths[name]}


PLACES = {"stage": "stage", "kind": POPULATION}
"""Options of a figure of one part of a run → the scope of its measurements."""

COUNTED = ("successes", "completions", "errors", "failures", "failed_completions")
"""Figures that count what happens. `failed_share` is a count among requests."""


def amounts(figures: Sequence[Figure], record: Record) -> dict[str, float]:
    """What is counted among, for the figures that count: the start, or its requests for a share."""
    by_name = {figure.name: 1.0 for figure in figures if figure.of in COUNTED}
    shares = [figure.name for figure in figures if figure.of == "failed_share"]
    whole = every.whole(record) if shares else None
    return by_name | ({} if whole is None else dict.fromkeys(shares, float(whole.requests)))


def at_least(figures: Sequence[Figure], record: Record) -> dict[str, float]:
    """Up to where a figure was tried that may have no limit: it is at least that then."""
    bounds: dict[str, float] = {}
    for figure in figures:
        seconds = _seconds(record, figure.scope)
        if figure.of == "users_at_failures":
            bounds[figure.name] = float(max((one.users or 0 for one in seconds), default=0))
        elif figure.of == "decay":
            pieces = series(record, 5, figure.scope)
            # 3 may be missed of what did not happen, in 95 % (Hanley & Lippman-Hand 1983)
            bounds[figure.name] = sum(pieces[: len(pieces) // 3]) / 3
        elif figure.of in LONG:
            # most users waited for all of the window, so the mean is at least half of it
            bounds[figure.name] = len(seconds) / (2 if figure.of == "mean_s" else 1)
    return bounds


def of_readings(figures: Sequence[Figure]) -> bool:
    """Whether any is of parts of the run, second by second."""
    return any(DERIVED[one.of].of_readings for one in figures if one.of in DERIVED)


def series(record: Record, length_s: float, scope: str = WHOLE_LOAD) -> list[int]:
    """Right answers in one piece of that length after the other, the last one if it is whole."""
    counts = [one.successes for one in _seconds(record, scope)]
    length = round(length_s)
    return [sum(counts[at : at + length]) for at in range(0, len(counts) - length + 1, length)]


def _seconds(record: Record, scope: str) -> list[Any]:
    inside = (one for one in record.intervals.all() if str(one.phase) in PHASES[scope])
    return sorted(inside, key=lambda interval: int(interval.second))


def _part(record: Record, place: int, scope: str = "stage") -> Any:
    """The stage, or the kind of users, at that place, from 1; from the end where it is negative."""
    of_scope = (part for part in record.measurements.all() if part.scope == scope)
    parts = sorted(of_scope, key=lambda part: int(part.order))
    at = place - 1 if place > 0 else place
    return parts[at] if -len(parts) <= at < len(parts) else None


BOTH = (WINDOW, WHOLE_LOAD)
MORE, LESS = Better.MORE, Better.LESS


def derived(
    unit: Unit,
    better: Better,
    scopes: tuple[str, ...] = (WINDOW,),
    *,
    of_readings: bool = False,
    **options: Any,
) -> Callable[[Of], Of]:
    """Declares a figure by the name of a function, whose docstring says what it is."""

    def declared(of: Of) -> Of:
        says = " ".join((of.__doc__ or "").split())
        DERIVED[of.__name__] = Derived(unit, better, of, says, options, scopes, of_readings)
        return of

    return declared


@derived(Unit.RATE, MORE, BOTH, length="10s")
def best_window(record: Record, scope: str, options: Options) -> float | None:
    """right answers per second in the best window of that length"""
    length, seconds = round(parse_seconds(str(options["length"]))), _seconds(record, scope)
    parts = (seconds[at : at + length] for at in range(len(seconds) - length + 1))
    whole = (part for part in parts if part[-1].second - part[0].second == length - 1)
    return max((sum(one.successes for one in part) / length for part in whole), default=None)


@derived(Unit.COUNT, MORE, BOTH)
def successes(record: Record, scope: str, options: Options) -> float | None:
    """right answers in all"""
    seconds = _seconds(record, scope)
    return sum(one.successes for one in seconds) if seconds else None


@derived(Unit.NUMBER, MORE, BOTH)
def per_5s(record: Record, scope: str, options: Options) -> float | None:
    """right answers in five seconds, the mean"""
    pieces = series(record, 5, scope)
    return fmean(pieces) if pieces else None


@derived(Unit.NUMBER, LESS, BOTH)
def decay(record: Record, scope: str, options: Options) -> float | None:
    """right answers in the first third of the time, divided by those in the last"""
    pieces = series(record, 5, scope)
    third = len(pieces) // 3
    if not third or not sum(pieces):
        return None
    last = sum(pieces[-third:])
    return sum(pieces[:third]) / last if last else math.inf


@derived(Unit.NUMBER, MORE)
def completions_per_5min(record: Record, scope: str, options: Options) -> float | None:
    """journeys brought to their end in five minutes"""
    a_minute = every.figure("completions_per_minute").value(record)
    return None if a_minute is None else a_minute * 5


@derived(Unit.SECONDS, LESS, take=SPREAD, stage=None)
def band(record: Record, scope: str, options: Options) -> float | None:
    """the shortest response time, the longest, or the spread between them; of a stage by its place,
    from 1, or -1 for the last
    """
    place = options["stage"]
    summary = every.whole(record) if place is None else _part(record, place)
    times = (summary.response_time or {}) if summary is not None else {}
    least, most = times.get("min_s"), times.get("max_s")
    if options["take"] != SPREAD:
        return least if options["take"] == "min" else most
    return None if least is None or most is None else float(most - least)


def _rate_of(record: Record, scope: str) -> float | None:
    rates = [one.goodput for one in record.measurements.all() if one.scope == scope]
    return sum(rates) if rates else None


@derived(Unit.RATE, MORE)
def handshakes_s(record: Record, scope: str, options: Options) -> float | None:
    """handshakes of WebSockets a second"""
    return _rate_of(record, HANDSHAKE)


@derived(Unit.RATE, MORE)
def messages_s(record: Record, scope: str, options: Options) -> float | None:
    """messages answered a second"""
    return _rate_of(record, MESSAGE)


@derived(Unit.COUNT, LESS, BOTH)
def errors(record: Record, scope: str, options: Options) -> float | None:
    """what failed; of WebSockets with the handshakes"""
    parts = list(filter(None, [every.whole(record)]))
    if scope == WHOLE_LOAD:  # the drain's, too: what fails in it had begun before
        parts = list(record.intervals.all())
    if parts and getattr(record, "unit", "") == MESSAGE:
        parts += [one for one in record.measurements.all() if one.scope == HANDSHAKE]
    return float(sum(one.failures for one in parts)) if parts else None


@derived(Unit.COUNT, MORE, BOTH, share=0.05)
def users_at_failures(record: Record, scope: str, options: Options) -> float | None:
    """users when that share first failed in five seconds; without limit if it never did"""
    length = 5
    seconds = [one for one in _seconds(record, scope) if one.users]
    if len(seconds) < length:
        return None
    for at in range(len(seconds) - length + 1):
        part = seconds[at : at + length]
        failed = sum(one.failures for one in part)
        every_answer = failed + sum(one.successes for one in part)
        if failed and failed >= options["share"] * every_answer:
            return float(next(one.users for one in part if one.failures))
    return math.inf


def _together(
    name: str,
    unit: Unit,
    column: str,
    choose: Callable[[Iterable[float]], float],
    says: str,
    part: str = "",
) -> None:
    """Declares what all measured parts, or one, have at each look that lacks none of them."""

    def of(record: Record, scope: str, options: Options) -> float | None:
        seconds = {int(one.second) for one in _seconds(record, scope)}
        rows = [
            reading
            for reading in record.readings.all()
            if reading.part == (part or reading.part)
            and reading.part not in (LOAD, "delay", "api")  # which belong to measuring
            and getattr(reading, column) is not None
        ]
        looks: list[dict[str, Any]] = []
        for reading in sorted(rows, key=lambda row: float(row.second)):
            if not looks or reading.part in looks[-1]:  # a part that comes again begins the next
                looks.append({})
            looks[-1][reading.part] = reading
        parts = {one.part for one in rows}
        sums = [
            float(sum(getattr(one, column) for one in look.values()))
            for look in looks
            if parts == set(look)
            and math.floor(min(one.second for one in look.values()) - HALF_S) in seconds
        ]
        return choose(sums) if sums else None

    DERIVED[name] = Derived(unit, LESS, of, says, {}, BOTH, of_readings=True)


OF_ALL = "of all measured parts together"
STARTED = "of the databases that the run has started"
_together("all_cpu_percent", Unit.CPUS, "cpu_percent", fmean, f"CPU {OF_ALL}, the mean")
_together(
    "database_cpu_percent", Unit.CPUS, "cpu_percent", fmean, f"CPU {STARTED}, the mean", DATABASE
)
_together("all_memory_bytes", Unit.BYTES, "memory_bytes", max, f"memory {OF_ALL}, the most")
_together("all_processes", Unit.COUNT, "processes", max, f"processes {OF_ALL}, the most")


@derived(Unit.NUMBER, LESS, (WHOLE_LOAD,), of_readings=True)
def threads_per_user(record: Record, scope: str, options: Options) -> float | None:
    """threads of the server, the most, for each user when there are most"""
    target = (one for one in record.readings.all() if one.part == TARGET)
    threads = max((one.threads for one in target if one.threads is not None), default=None)
    users = max((one.users or 0 for one in _seconds(record, scope)), default=0)
    return threads / users if threads is not None and users else None


def _is_length(value: Any) -> bool:
    try:
        return parse_seconds(str(value)) >= 1
    except UsageError:
        return False


def _is_place(value: Any) -> bool:
    return isinstance(value, int) and value != 0


OPTIONS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "length": (_is_length, 'a time of at least one second, such as "10s"'),
    "take": (TAKES.__contains__, f"{TAKES[0]}, {TAKES[1]} or {TAKES[2]}"),
    "share": (
        lambda value: isinstance(value, int | float) and 0 < value <= 1,
        "a share above 0 and up to 1",
    ),
    "stage": (_is_place, "the place of a stage, from 1, or -1 for the last"),
    "kind": (_is_place, "the place of a kind of users, from 1, or -1 for the last"),
}


def _check(figure: Figure, derived: Derived | None) -> None:
    scopes = derived.scopes if derived else (WINDOW,)
    if figure.scope not in scopes:
        allowed = " or the ".join(scopes)
        raise UsageError(f"scope: {figure.of} is of the {allowed}, not {figure.scope!r}.")
    names = tuple(derived.options if derived else PLACES)
    for name, value in figure.options.items():
        if name not in names:
            takes = f"only {', '.join(names)}" if names else "no option"
            raise UsageError(f"{name}: {figure.of} takes {takes}.")
        check, wanted = OPTIONS[name]
        if not check(value):
            raise UsageError(f"{name}: {value!r} is not {wanted}.")
    if derived is None and len(figure.options) > 1:
        raise UsageError(f"{figure.of} takes one of {listed(names)}, and has several.")
