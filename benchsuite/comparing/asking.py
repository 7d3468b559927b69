"""Which of all stored configurations would do for an objective, and what was not measured."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean

from benchsuite.comparing.cells import Cell, cells, per_journey
from benchsuite.comparing.titles import cell_titles, size_title, units_beside
from benchsuite.core.commands import command, option_words
from benchsuite.core.exceptions import UsageError
from benchsuite.core.printable import is_hidden
from benchsuite.core.specs import RunSpec
from benchsuite.core.specs.objective import Objective
from benchsuite.core.specs.spec import Entry, table
from benchsuite.core.units import format_bytes, format_duration, format_percent, format_rate
from benchsuite.models import Run
from benchsuite.stats.levels import HELD
from benchsuite.system.cpus import ranges

KEPT = ("mean", "p50", "p95", "p99")  #: Times that are stored of each run.
NOT_OF_IT = (
    *("label", "load.users", "load.arrival_rate", "load.arrivals", "load.max_in_flight"),
    *("load.spawn_rate", "load.stages", "load.iterations"),
)
"""Options of a run that say how much load there was, or what it was called."""

DATA = ("use", "rows", "fixtures", "fill", "fill_from")  #: Fields of a database's spec.


class Fit(StrEnum):
    FITS = "fits"
    UNKNOWN = "not measured"
    NOT = "does not fit"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A configuration and what is known of it for the objective."""

    title: str
    fit: Fit
    why: str
    run: Run  #: What shows it.
    rate: float | None  #: The most that it answered while the times were kept.
    memory_bytes: float | None  #: There, else the most that was seen.
    command: str = ""  #: What would measure it; only where it was not.


def conditions(run: Run) -> tuple[object, ...]:
    """What nobody chooses who chooses a configuration: machine, project, data, visitors, delays."""
    data = {name: run.part("database").get(name) for name in DATA}
    return run.environment_id, run.project, data, run.part("visitor"), run.part("delay")


def candidates(runs: Iterable[Run], objective: Objective, rate: float) -> list[Candidate]:
    """All configurations of these runs, those that fit first and of these the least memory. Raises
    UsageError for what stored runs don't tell.
    """
    if any(goal.within_s is not None and goal.name not in KEPT for goal in objective.goals):
        raise UsageError("Stored runs tell the mean, p50, p95 and p99: give one of these.")
    if objective.connections is not None:
        raise UsageError("Stored runs don't tell how many connections they needed: leave them out.")
    groups: dict[str, list[Cell]] = {}
    for cell in filter(lambda cell: cell.is_sound, cells(runs)):
        run = cell.first
        # whether its size was asked for or came by itself
        size = {"processes": run.processes, "threads": run.threads}
        configuration = [run.asked("load", "server"), {**run.part("server"), **size}]
        groups.setdefault(json.dumps(configuration, sort_keys=True), []).append(cell)
    titles = cell_titles([some[0] for some in groups.values()], apart_from=("label", "load"))
    titled = zip(titles, groups.values(), strict=True)
    made = [_candidate(title, some, objective, rate) for title, some in titled]
    return sorted(made, key=lambda row: ([*Fit].index(row.fit), _at_most(row.memory_bytes)))


def _at_most(memory_bytes: float | None) -> float:
    """What is not known keeps no limit, and comes after all that is."""
    return math.inf if memory_bytes is None else memory_bytes


def _candidate(title: str, some: Sequence[Cell], objective: Objective, rate: float) -> Candidate:
    def load(cell: Cell) -> float:  # by chance more arrive than were asked for
        rate = cell.first.arrival_rate
        return min(cell.goodput, rate * per_journey(cell.first)) if rate else cell.goodput

    first = some[0].first
    size = size_title(first)
    name = title if size in title.split(" · ") else f"{title} · {size}"
    limit = math.inf if objective.memory_bytes is None else objective.memory_bytes
    small = [cell for cell in some if _at_most(cell.middle("memory_bytes")) <= limit]
    timely = [cell for cell in some if _keeps(cell, objective)]
    keeping = [cell for cell in timely if cell in small]
    best = max(keeping or timely or small or some, key=lambda cell: cell.goodput)
    answered, memory = best.goodput, best.middle("memory_bytes")
    most = answered if timely else None
    beside = units_beside(first)
    where = f"{format_rate(answered, beside)}, {_times(best, objective)}, {format_bytes(memory)}"
    if best not in small and memory is None:
        why = f"its memory is not known: {where}"
        return Candidate(name, Fit.UNKNOWN, why, best.first, most, memory)
    if best not in small:
        return Candidate(name, Fit.NOT, f"needs more memory: {where}", best.first, most, memory)
    if keeping and answered >= HELD * rate:
        return Candidate(name, Fit.FITS, where, best.first, most, memory)
    slower = [cell for cell in some if cell not in keeping and load(cell) <= rate]
    if rate and slower:
        least = min(slower, key=lambda cell: cell.goodput)
        why = f"already at {format_rate(least.middle('goodput'), beside)}: "
        too_large = format_bytes(least.middle("memory_bytes"))
        why += _times(least, objective) if least in small else too_large
        return Candidate(name, Fit.NOT, why, least.first, most, memory)
    why = f"seen {'at most' if keeping else 'too slow at'} {where}"
    measure = command_of(first, rate / per_journey(first))
    return Candidate(name, Fit.UNKNOWN, why, best.first, most, memory, measure)


def _keeps(cell: Cell, objective: Objective) -> bool:
    """Whether its times, and its failures, were within the goals on average."""
    failed = fmean((run.failures or 0) / run.requests if run.requests else 1 for run in cell.shown)
    for goal in objective.goals:
        value = cell.middle(f"{goal.name}_s") if goal.within_s is not None else None
        if goal.is_mean and value is not None:  # who got no right answer waited in vain
            value += failed * (cell.first.part("load").get("timeout_s", 0.0) - value)
        late = goal.within_s is not None and (value is None or value >= goal.within_s)
        if failed > 1 - goal.share or late:
            return False
    return True


def _times(cell: Cell, objective: Objective) -> str:
    names = [goal.name for goal in objective.goals if goal.within_s is not None]
    times = [f"{name} {format_duration(cell.middle(f'{name}_s'))}" for name in names]
    failed = cell.middle("failed_share") or 0.0
    return ", ".join([*times, *[f"{format_percent(100 * failed)} failed"] * bool(failed)])


def front(every: Sequence[Candidate]) -> list[Candidate]:
    """Those that keep the times, of which no other answers as much with less memory."""
    able = [one for one in every if one.rate and one.memory_bytes and one.fit is not Fit.NOT]
    best: list[Candidate] = []
    for candidate in sorted(able, key=lambda one: (one.memory_bytes or 0.0, -(one.rate or 0.0))):
        if not best or (candidate.rate or 0.0) > (best[-1].rate or 0.0):
            best.append(candidate)
    return best


def command_of(run: Run, rate: float) -> str:
    """What measures it at that rate, else with half the users; empty where that can't be told."""
    spec = RunSpec.from_json(run.spec)
    if is_hidden(run.spec) or spec.visitor.unknown or spec.server.environment:
        return ""
    entries = [one for one in table(RunSpec) if not (rate and one.path == "load.think_time_s")]
    words = [word for entry in entries for word in _words(entry, run.spec)]
    on = {"target": spec.server.cpus, "load": spec.load.cpus}
    pins = [f"--cpus-{whose}={ranges(cpus, '-', ',')}" for whose, cpus in on.items() if cpus]
    load = f"--rate={rate:g}" if rate else f"--users={max(1, (run.users or 2) // 2)}"
    return command("runbench", *words, *(pins or ["--no-pin"]), load, "--repeat=3")


def _words(entry: Entry, spec: Mapping[str, object]) -> list[str]:
    """The option as it is written; nothing where it is as it would be without."""
    value: object = spec
    for name in entry.path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    if entry.path in NOT_OF_IT or value in (None, "", [], {}) or value == entry.default:
        return []
    name = "target" if entry.name == "server" and "://" in str(value) else entry.name
    if isinstance(value, Mapping):
        return option_words(name, value, json.dumps if entry.path == "target.settings" else str)
    return option_words(
        name, value, lambda part: f"{part:g}" if isinstance(part, float) else str(part)
    )
