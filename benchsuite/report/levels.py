"""The parts of a run: levels of its load and kinds of its users, as tables and sentences."""

from collections.abc import Iterable, Sequence

from benchsuite.comparing.titles import units_of, workload_title
from benchsuite.core.answer import Table
from benchsuite.core.metrics import every
from benchsuite.core.metrics.every import Metric, Place, Unit
from benchsuite.core.samples import POPULATION
from benchsuite.core.units import format_count, format_number
from benchsuite.models import Measurement, Run
from benchsuite.report.terminal.grid import spare
from benchsuite.stats.levels import HELD, Level, climb


def stages_of(measurements: Iterable[Measurement]) -> list[Measurement]:
    """The levels among these measurements, in their order; none where there was only one."""
    levels = [one for one in measurements if one.scope == "stage"]
    return sorted(levels, key=lambda level: level.order)


def times_of_levels() -> list[Metric]:
    """The response times that are told of a level, from the shortest to the longest."""
    return [one for one in every.in_place(Place.STAGE) if one.of_times]


def stages_table(runs: Sequence[Run]) -> Table | None:
    """A row for each level of each run that has several; None when no run has."""
    asked = [run for run in runs if run.requests]
    rows = [(run, stage) for run in asked for stage in stages_of(run.measurements.all())]
    if not rows:
        return None
    shown = [one for one in every.in_place(Place.STAGE) if any(one.only(run) for run, _ in rows)]
    headings = [one.heading for one in shown]
    return Table(
        ["server", "load", *headings],
        [
            [run.server, stage.name, *(one.show(one.of_part(stage)) for one in shown)]
            for run, stage in rows
        ],
        figures=headings,
        spare=spare(shown),
    )


def levels_of(run: Run, measurements: Iterable[Measurement]) -> list[Level]:
    """The levels of a run with stages, in their order; empty for others."""
    return [_level(run, one) for one in stages_of(measurements)]


def climb_words(run: Run, measurements: Sequence[Measurement]) -> str:
    """Which level was held, where it levels off or breaks; empty for a run without stages."""
    levels = levels_of(run, measurements)
    if run.level is None or not levels:
        return ""
    climbed, what = climb(levels), workload_title(run)
    headline = levels[climbed.headline]
    broken = levels[climbed.breaks] if climbed.breaks is not None else None
    if headline.offered_rate is not None:
        if not climbed.found:
            return f"{run.server} held no level, and kept up with {_kept(run, headline)}"
        beyond = f", and not {broken.name}" if broken else ", the highest level"
        return f"{run.server} held {headline.name} of {what}{beyond}"
    rate = f"{format_number(headline.goodput)} {units_of(run)}/s of {what}"
    if headline.fails:
        return f"{run.server} failed at every level of {what}"
    if not climbed.found:
        return f"{run.server} answered {rate} at {headline.name}, the highest level, still rising"
    beyond = f", and breaks at {broken.name}" if broken else ""
    return f"{run.server} levels off at {headline.name} with {rate}{beyond}"


def overload_words(run: Run, measurements: Iterable[Measurement]) -> str:
    """That an open run offered more than was taken; empty where it kept up, and in a closed run."""
    total = _total(measurements)
    if total is None or total.offered_rate is None or run.duration_s <= 0:
        return ""
    level = _level(run, total)
    if level.is_held or (level.fails and _keeps_up(level)):
        return ""
    return f"{run.server} kept up with {_kept(run, level)}"


def _keeps_up(level: Level) -> bool:
    """Whether every arrival was sent and answered, right or wrong."""
    return not level.dropped and level.throughput >= HELD * level.requested_rate


def _kept(run: Run, level: Level) -> str:
    """Arrivals answered right, of those planned; a journey may ask several times."""
    offered, dropped = level.offered_rate or 0.0, level.dropped or 0
    sent = offered - dropped / run.duration_s
    answered = level.goodput * sent / level.requested_rate if level.requested_rate else 0.0
    never = f"; {format_count(dropped)} were never sent" if dropped else ""
    return (
        f"{format_number(answered)} of {format_number(offered)} arrivals/s of "
        f"{workload_title(run)}{never}"
    )


def _total(measurements: Iterable[Measurement]) -> Measurement | None:
    return next((one for one in measurements if one.scope == "all"), None)


def _level(run: Run, measurement: Measurement) -> Level:
    return Level(
        name=measurement.name,
        value=measurement.level or 0.0,
        requests=measurement.requests,
        failures=measurement.failures,
        throughput=measurement.throughput,
        goodput=measurement.goodput,
        requested_rate=measurement.requests / run.duration_s,
        offered_rate=measurement.offered_rate,
        achieved_rate=measurement.achieved_rate,
        dropped=measurement.dropped,
    )


def populations(run: Run) -> list[Measurement]:
    """The figures of each of them; none where all users do the same."""
    return [one for one in run.measurements.all() if one.scope == POPULATION]


def columns_of_parts() -> list[Metric]:
    """Of tables of parts of a run: counts before the others."""
    return sorted(every.in_place(Place.PART), key=lambda level: level.unit is not Unit.COUNT)


def populations_table(runs: Sequence[Run]) -> Table | None:
    """A row for each kind of users of each run; None when no run has several."""
    rows = [(run, one) for run in runs for one in populations(run)]
    if not rows:
        return None
    columns = columns_of_parts()
    headings = [one.heading for one in columns]
    return Table(
        ["server", "users", *headings],
        [
            [run.server, part.name, *(one.show(one.of_part(part)) for one in columns)]
            for run, part in rows
        ],
        figures=headings,
        spare=spare(columns),
    )
