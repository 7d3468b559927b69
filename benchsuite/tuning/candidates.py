"""Sizes of each server that are worth a look, what no size can exceed, and what is refused.

Bounds are those of the operational laws (Denning & Buzen 1978).
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import DatabaseSpec, Option, RunSpec, ServerSpec
from benchsuite.core.specs.server import MAX_PROCESSES, MAX_THREADS
from benchsuite.core.specs.spec import changed
from benchsuite.core.units import counted, format_duration, format_number
from benchsuite.servers.base import Application, Fit, ServerAdapter
from benchsuite.tuning.trial import Candidate, Probe, Question

HOPELESS = 0.80  #: Of the highest bound: servers differ in what a request costs, but not by more.
THREADS = (1, 2, 4)  #: Times what keeps all CPUs busy.


def grid(
    servers: Mapping[str, type[ServerAdapter]],
    probe: Probe,
    cpus: int,
    database: DatabaseSpec | None = None,
) -> list[Candidate]:
    """Each server in sizes around what this page needs, in all settings of it that it can have."""
    sizes = (
        sized(name, server, processes, threads, options, database)
        for name, server in servers.items()
        for processes, threads in _sizes(server, probe, cpus)
        for options in _settings(server, threads_needed(probe, processes, cpus), threads or 1)
    )
    return list(filter(None, dict.fromkeys(sizes)))


def sized(
    name: str,
    server: type[ServerAdapter],
    processes: int,
    threads: int | None,
    options: Mapping[str, Option] | None = None,
    database: DatabaseSpec | None = None,
) -> Candidate | None:
    """That server in this size; None where it can't have it."""
    given = options or {}
    try:
        spec = ServerSpec(server=name, processes=processes, threads=threads, options=given)
        adapter = server(spec, Application())
    except UsageError:
        return None
    return Candidate(
        server=name,
        processes=processes,
        threads=threads,
        options=tuple(sorted(given.items())),
        slots=adapter.at_once(),
        connections=adapter.connections(database or DatabaseSpec()),
        interface=server.interface,
    )


def _settings(server: type[ServerAdapter], need: int, threads: int) -> Iterable[dict[str, Option]]:
    """All combinations of what its knobs are set to; what is its default isn't set."""
    worked_out = {Fit.NEED: need, Fit.THREADS: threads}
    values = (
        [(name, worked_out[one] if isinstance(one, Fit) else one) for one in choices]
        for name, choices in server.knobs.items()
    )
    for chosen in product(*values):
        yield {name: one for name, one in chosen if one != server.options[name]}


def _sizes(
    server: type[ServerAdapter], probe: Probe, cpus: int
) -> Iterable[tuple[int, int | None]]:
    counts: tuple[int, ...] = (cpus, cpus + 1)
    if server.threads_word is not None:
        counts += (2 * cpus,)
    elif server.interface == "wsgi" and server.one_at_a_time:
        counts += (2 * cpus + 1, 4 * cpus, 8 * cpus)
    most = min(MAX_PROCESSES, server.max_processes or 8 * cpus)
    for processes in sorted({min(most, count) for count in counts}):
        if server.threads_word is None:
            yield processes, None
        else:
            need = threads_needed(probe, processes, cpus)
            yield from ((processes, min(MAX_THREADS, need * factor)) for factor in THREADS)


def configured(base: RunSpec, candidate: Candidate) -> RunSpec:
    """The same run with the candidate's server, in its size, and with what else it changes."""
    server = {
        "server.server": candidate.server,
        "server.processes": None if candidate.runs_already else candidate.processes,
        "server.threads": candidate.threads,
        "server.options": dict(candidate.options),
    }
    return changed(base, {**server, **dict(candidate.changes)})


Resize = Callable[[Candidate, int, int | None], Candidate | None]
"""The same server with so many processes and threads; None where it can't have them."""
STEP = 0.2  #: Of so many processes or threads is a step to the next size.


def beside(best: Candidate, resize: Resize) -> list[Candidate]:
    """One process more and less, and one thread; of many a few, which alone can be seen."""
    processes, threads = best.processes, best.threads
    step = max(1, round(STEP * processes))
    sizes: list[tuple[int, int | None]] = [(processes + step, threads), (processes - step, threads)]
    if threads is not None:
        step = max(1, round(STEP * threads))
        sizes += [(processes, threads + step), (processes, threads - step)]
    resized = [resize(best, *size) for size in sizes if 0 not in size]
    return [size for size in dict.fromkeys(resized) if size is not None and size != best]


def refusal(question: Question, candidate: Candidate) -> str:
    """Why it isn't started; empty where it may be."""
    kept = bool(dict(candidate.changes).get("database.conn_max_age_s"))
    keeps = "CONN_MAX_AGE keeps connections for a next request, and"
    if (question.keeps_connections or kept) and candidate.interface == "asgi":
        return f"{keeps} under ASGI none finds them again: set it to 0, or use a pool"
    if candidate.connections is None:
        return f"{keeps} its threads answer none with them: use a pool" if kept else ""
    every, allowed = sum(question.aliases.values() or [1]), question.objective.connections
    limits = [(every, allowed, f"the objective allows {allowed}")]
    for kind, given in question.connections_limit.items():
        limits.append((question.aliases.get(kind, 1), given, f"{kind} has {given} to give"))
    for aliases, limit, words in limits:
        own, times = candidate.connections, aliases * question.instances
        if limit is not None and own * times > limit:
            product = f" ({own} × {times})" * (times > 1)
            return f"it may open {own * times} database connections{product}, and {words}"
    return ""


@dataclass(frozen=True, slots=True)
class Bound:
    rate: float
    because: str


def bound(candidate: Candidate, probe: Probe, question: Question) -> Bound:
    """The lowest of its limits. Utilisation law: a CPU works 1 s each second. One process of a
    Python with a GIL uses one CPU. Little's law: so many slots hold so many requests.
    """
    if candidate.runs_already:
        return Bound(math.inf, "nothing of it is known")
    cpus = candidate.cpus or question.cpus
    used = min(candidate.processes * question.instances, cpus) if question.gil else cpus
    cost = f"{format_duration(probe.cpu_s)} of CPU time a request"
    limits = [Bound(used / probe.cpu_s, f"{counted(used, 'CPU')}, {cost}")]
    if candidate.slots is not None:
        slots = candidate.slots * question.instances
        at_once = f"{counted(slots, 'request')} at a time"
        each = f"{format_duration(probe.response_s)} each"
        limits.append(Bound(slots / probe.response_s, f"{at_once}, {each}"))
    return min(limits, key=lambda limit: limit.rate)


def hopeless(
    candidates: Sequence[Candidate], probe: Probe, question: Question, shown: Sequence[float] = ()
) -> dict[Candidate, str]:
    """Those that can't come near the best, nor near the rate that is asked for, each with why;
    `shown`: what others got through, which a bound may be far from.
    """
    bounds = {one: bound(one, probe, question) for one in candidates}
    most = max((limit.rate for limit in bounds.values()), default=0.0)
    rate = question.rate or min(most, max(shown, default=most))
    return {
        candidate: f"{limit.because}: at most {format_number(limit.rate)}/s"
        for candidate, limit in bounds.items()
        if limit.rate < HOPELESS * rate
    }


def threads_needed(probe: Probe, processes: int, cpus: int) -> int:
    """Threads of each process that keep all CPUs busy: the "2n+1" of advice, measured."""
    return max(1, math.ceil(cpus * probe.response_s / (probe.cpu_s * processes)))
