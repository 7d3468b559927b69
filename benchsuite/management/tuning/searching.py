"""The search for what was asked, and how it will go."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from benchsuite.core.specs import Option
from benchsuite.core.specs.spec import changed
from benchsuite.core.units import counted, format_duration, format_period
from benchsuite.management.options.tune import Asked
from benchsuite.management.tuning.databases import KEPT_S, reached
from benchsuite.runner import planning
from benchsuite.servers.base import Against
from benchsuite.tuning import candidates
from benchsuite.tuning.answer import UNTRIED, Outcome, untried_lines
from benchsuite.tuning.diagnosing import Variants
from benchsuite.tuning.notebook import Entry, Notebook
from benchsuite.tuning.search import ASSUMED, Search, Searching
from benchsuite.tuning.trial import Candidate, Level, Observation, Probe, Trial

POOL = 10  #: Connections of each process, where its server has no limit of requests.


def variants(asked: Asked) -> Variants:
    """Each with one thing changed; what its server can't have is left out."""

    def of(pick: Candidate, against: Against) -> Iterator[Candidate]:
        server, question = asked.servers[pick.server], asked.question
        given, options = dict(pick.options), server.remedies.get(against, {})
        changes: list[dict[str, Option]] = [{}] if options else []
        if against is Against.CONNECTING:
            changes = [{"database.conn_max_age_s": KEPT_S}] if question.pool is None else []
            if any(kind.startswith("postgresql") for kind in question.connections_limit):
                alone = 1 if server.one_at_a_time else POOL
                age_s = asked.spec.database.conn_max_age_s  # beside which Django takes no pool
                unkept = {"database.conn_max_age_s": 0.0} if age_s else {}
                changes.append({"database.pool": pick.threads or alone, **unkept})
        elif against is Against.SYNC_VIEWS:
            twin = planning.async_twin(asked.spec.workload.workload)
            changes = [{"workload.workload": twin}] if twin else []
        for change in changes if given.keys().isdisjoint(options) else []:
            spec = changed(asked.spec, change)
            pool = spec.database.pool or question.pool
            keeps = bool(spec.database.conn_max_age_s) or question.keeps_connections
            reaches = reached(spec.database, pool=pool, keeps=keeps)
            size = pick.processes, pick.threads, {**given, **options}, reaches
            if candidate := candidates.sized(pick.server, server, *size):
                yield replace(candidate, changes=(*pick.changes, *change.items()))

    return of


USED = 0.85  #: Of what no server can exceed: so much does one reach in time, roughly.
OVERHEAD_S = 2.5  #: Of a start beside its load, where none was made.


def begun(asked: Asked, entries: Sequence[Entry] = ()) -> Searching:
    """On a notebook of its own; goes on after these entries, or raises UsageError."""
    question, servers = asked.question, asked.servers
    database = reached(asked.spec.database, pool=question.pool, keeps=question.keeps_connections)

    def grid(probe: Probe) -> list[Candidate]:
        return candidates.grid(servers, probe, question.cpus, database)

    def resize(like: Candidate, processes: int, threads: int | None) -> Candidate | None:
        server, options = servers[like.server], dict(like.options)
        return candidates.sized(like.server, server, processes, threads, options, database)

    return Searching(Search(Notebook(question), grid, resize, variants(asked)), entries)


def rehearsed(asked: Asked, entries: Sequence[Entry] = ()) -> Notebook:
    """The notebook at the end of the search, if what comes after these entries is as assumed."""
    searching = begun(asked, entries)
    while (trial := searching.next) is not None:
        overhead_s = searching.notebook.overhead_s if entries else OVERHEAD_S
        searching.tell(_assumed(trial, searching.notebook, overhead_s))
    return searching.notebook


def _assumed(trial: Trial, notebook: Notebook, overhead_s: float) -> Observation:
    """Below its limit a server is in time: what a full load got through, else its bound."""
    probe, load, candidate = notebook.probe or ASSUMED, trial.load, trial.candidate
    through = notebook.screened(candidate)
    limit = USED * (through or candidates.bound(candidate, probe, notebook.question).rate)
    closed = [min(through or limit, load.users / probe.response_s)] * bool(load.users)
    goals, levels = len(notebook.question.objective.goals), []
    for rate in closed or load.rates:
        planned = max(1, round(rate * load.window_s))
        met = (planned if rate <= limit else planned // 2,) * goals
        levels.append(Level(rate=0.0 if closed else rate, planned=planned, met=met, goodput=rate))
    return Observation(
        levels=levels,
        took_s=overhead_s + load.duration_s,
        response_s=probe.response_s,
        cpu_s=probe.cpu_s,
        memory_bytes=(probe.memory_bytes or 0.0) * candidate.processes or None,
    )


def rehearsal(notebook: Notebook, before: int) -> Iterator[str]:
    """What a search will do that has made so many trials, in lines for a terminal."""
    made = notebook.entries[before:]
    for phase in dict.fromkeys(entry.trial.phase for entry in made):
        entries = [entry for entry in made if entry.trial.phase is phase]
        taken = format_period(round(sum(entry.seen.took_s for entry in entries)))
        count, reason = counted(len(entries), "run"), entries[0].trial.reason
        yield f"  {phase.value:<8} {count:>10}  {taken:>12}  {reason}"
    if not before:
        whole, cpu = format_duration(ASSUMED.response_s), format_duration(ASSUMED.cpu_s)
        yield (
            f"This is for a page that takes {whole}, {cpu} of that on a CPU, which nobody has "
            "measured yet: the first two runs tell what yours takes, and sizes follow from it."
        )
    ended = Outcome(notebook)
    if tried := [row.candidate.name for row in ended.rows if row.state not in UNTRIED]:
        yield f"Compared: {', '.join(tried)}"
    yield from filter(None, [*untried_lines(ended), ended.missing])
