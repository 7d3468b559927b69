"""The search for what was asked, and how it will go."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from benchsuite.core.specs import Option
from benchsuite.core.specs.spec import changed
from benchsuite.core.units import format_duration, format_period
from benchsuite.management.options.tune import Asked
from benchsuite.management.tuning.databases import KEPT_S, reached
from benchsuite.runner import planning
from benchsuite.servers.base import Against, ServerAdapter
from benchsuite.tuning import candidates
from benchsuite.tuning.answer import UNTRIED, outcome, untried_lines
from benchsuite.tuning.diagnosing import Variants
from benchsuite.tuning.notebook import End, Entry, Notebook
from benchsuite.tuning.search import Search, Searching
from benchsuite.tuning.trial import Candidate, Level, Observation, Probe, Trial

Settings = tuple[Mapping[str, Option], Mapping[str, Option]]
"""Options of the server, and fields of a RunSpec by their dotted names."""

POOL = 10  #: Connections of each process, where its server has no limit of requests.


def variants(asked: Asked) -> Variants:
    """Each with one thing changed; what its server can't have is left out."""

    def of(pick: Candidate, against: Against) -> list[Candidate]:
        server, question, smaller = asked.servers[pick.server], asked.question, []
        for options, changes in _settings(asked, server, pick, against):
            spec = changed(asked.spec, dict(changes))
            pool = spec.database.pool or question.pool
            keeps = bool(spec.database.conn_max_age_s) or question.keeps_connections
            database = reached(spec.database, pool=pool, keeps=keeps)
            size = pick.processes, pick.threads, {**dict(pick.options), **options}, database
            candidate = candidates.sized(pick.server, server, *size)
            if candidate is not None and not {*options} & {name for name, _ in pick.options}:
                smaller.append(replace(candidate, changes=(*pick.changes, *changes.items())))
        return smaller

    return of


def _settings(
    asked: Asked, server: type[ServerAdapter], pick: Candidate, against: Against
) -> Iterator[Settings]:
    if against is Against.CONNECTING:
        yield {}, {"database.conn_max_age_s": KEPT_S}
        if any(kind.startswith("postgresql") for kind in asked.question.connections_limit):
            alone = 1 if server.one_at_a_time else POOL
            yield {}, {"database.pool": pick.threads or alone}
    elif against is Against.SYNC_VIEWS:
        if twin := planning.async_twin(asked.spec.workload.workload):
            yield {}, {"workload.workload": twin}
    elif options := server.remedies.get(against):
        yield options, {}


ASSUMED = Probe(response_s=0.030, cpu_s=0.010, goodput=80.0, memory_bytes=60e6)
"""A page of which nothing is known yet."""

USED = 0.85  #: Of what no server can exceed: so much does one reach in time, roughly.
OVERHEAD_S = 2.5  #: Of a start beside its load, where no run of its server is known.


def begun(asked: Asked, entries: Sequence[Entry] = ()) -> Searching:
    """On a notebook of its own; goes on after these entries, or raises UsageError."""
    question, servers = asked.question, asked.servers
    database = reached(asked.spec.database, pool=question.pool, keeps=question.keeps_connections)

    def resize(like: Candidate, processes: int, threads: int | None) -> Candidate | None:
        server, options = servers[like.server], dict(like.options)
        return candidates.sized(like.server, server, processes, threads, options, database)

    def grid(probe: Probe) -> list[Candidate]:
        return candidates.grid(servers, probe, question.cpus, database)

    firsts = grid(ASSUMED)
    if given := question.only or question.current:
        firsts.insert(0, given)
    first, *spare = firsts
    search = Search(Notebook(question), grid, first, spare, resize, variants(asked))
    return Searching(search, entries)


def rehearsed(
    asked: Asked, entries: Sequence[Entry] = (), overheads_s: Mapping[str, float] | None = None
) -> Notebook:
    """The notebook at the end of the search, if what comes after these entries is as assumed.

    `overheads_s` are what starts of a server take beside their load.
    """
    searching = begun(asked, entries)
    while (trial := searching.next) is not None:
        overhead_s = (overheads_s or {}).get(trial.candidate.server, OVERHEAD_S)
        if entries:
            overhead_s = searching.notebook.overhead_s
        searching.tell(_assumed(trial, searching.notebook, overhead_s))
    return searching.notebook


def _assumed(trial: Trial, notebook: Notebook, overhead_s: float) -> Observation:
    """As the operational laws have it: below its limit a server is in time, above it isn't. What a
    full load of users got through is nearer to that limit than what no server can exceed.
    """
    probe, load, candidate = notebook.probe or ASSUMED, trial.load, trial.candidate
    cpus = candidate.cpus or notebook.question.cpus
    through = notebook.screened(candidate)
    limit = USED * (through or candidates.bound(candidate, probe, cpus).rate)
    closed = [min(through or limit, load.users / probe.response_s)] * bool(load.users)
    rates = closed or load.rates
    levels = []
    for rate in rates:
        planned = max(1, round(rate * load.window_s))
        met = planned if rate <= limit else planned // 2
        levels.append(
            Level(
                rate=0.0 if load.users else rate,
                planned=planned,
                met=(met,) * len(notebook.question.objective.goals),
                goodput=rate if load.users else min(rate, limit),
            )
        )
    return Observation(
        levels=tuple(levels),
        took_s=overhead_s + load.duration_s,
        response_s=probe.response_s,
        cpu_s=probe.cpu_s,
        memory_bytes=(probe.memory_bytes or 0.0) * trial.candidate.processes or None,
    )


def rehearsal(notebook: Notebook, before: int) -> Iterator[str]:
    """What a search will do that has made so many trials: how many starts each phase takes, which
    candidates it compares, and what it will not try.
    """
    for phase in dict.fromkeys(one.trial.phase for one in notebook.entries[before:]):
        some = [one for one in notebook.entries[before:] if one.trial.phase is phase]
        if some:
            count = f"{len(some)} run{'s' * (len(some) != 1)}"
            taken = format_period(round(sum(one.seen.took_s for one in some)))
            yield f"  {phase.value:<8} {count:>10}  {taken:>12}  {some[0].trial.reason}"
    if not before:
        whole, cpu = format_duration(ASSUMED.response_s), format_duration(ASSUMED.cpu_s)
        yield (
            f"This is for a page that takes {whole}, {cpu} of that on a CPU, which nobody has "
            "measured yet: the first two runs tell what yours takes, and sizes follow from it."
        )
    is_whole = notebook.end is End.CONFIRMED and not any(one.changes for one in notebook.states)
    if is_whole and not (notebook.question.only and notebook.question.only.runs_already):
        yield "In the time that is left other settings are tried against what the diagnosis names."
    ended = outcome(notebook)
    started = [one.candidate.name for one in ended.rows if one.state not in UNTRIED]
    if started:
        yield f"Compared: {', '.join(started)}"
    yield from untried_lines(ended)
    yield from filter(None, [ended.missing])
