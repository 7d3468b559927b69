"""One tuning, new or resumed: its trials as runs, each stored with what the search made of it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from time import monotonic, sleep
from typing import Protocol

from django.db.models import Q, QuerySet

from benchsuite import conf, store
from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.core.plain import plain
from benchsuite.core.results import Status
from benchsuite.core.specs import Option, RunSpec
from benchsuite.core.specs.spec import changed
from benchsuite.core.units import counted, format_duration, format_period, gathered
from benchsuite.management import resuming
from benchsuite.management.options.tune import KEPT_S, Asked, reached, resolved
from benchsuite.management.session import Session
from benchsuite.management.tuning.trials import observation, spec_of
from benchsuite.models import Run, Software, Tuning, begin_of_id
from benchsuite.runner import planning, preflight
from benchsuite.runner.planning import Plan
from benchsuite.servers.base import Against
from benchsuite.store import purposes
from benchsuite.system.interrupts import held_back
from benchsuite.tuning import candidates
from benchsuite.tuning.answer import UNTRIED, Outcome, untried_lines
from benchsuite.tuning.notebook import Entry, Notebook
from benchsuite.tuning.search import ASSUMED, Search
from benchsuite.tuning.trial import Candidate, Level, Observation, Phase, Trial


class Watcher(AbstractContextManager[object], Protocol):
    """Whoever shows what becomes of trials."""

    def next(self, trial: Trial) -> None: ...
    def skip(self, reason: str) -> None: ...
    def saw(self, seen: Observation) -> None: ...


@dataclass(slots=True)
class Execution:
    """A tuning that is made, its search on a notebook of its own."""

    asked: Asked
    row: Tuning  #: Not stored yet where it is new.
    search: Search

    def run(
        self, at_work: Session, shown: Watcher, limiting: Callable[[Run], Sequence[str]]
    ) -> None:
        """Makes trials until the search has its answer; `limiting` gives the codes of what limits
        the pick, by its diagnostic start and those that confirmed it.

        Raises BenchsuiteError where nothing that follows could be measured or stored, and
        KeyboardInterrupt after Ctrl-C: the trial under way is made again when this is resumed.
        """
        with resuming.entered(self.row), shown:
            while (trial := self.search.next) is not None:
                shown.next(trial)
                begun, ran = monotonic(), None
                sleep(trial.wait_s)
                try:
                    ran, result = resuming.make(at_work, self.plan_of(trial))
                except (UsageError, UnavailableError) as error:
                    seen = Observation(took_s=monotonic() - begun, failure=str(error))
                    shown.skip(str(error))
                else:
                    seen = observation(trial, result, self.asked.question, monotonic() - begun)
                    if trial.phase is Phase.DIAGNOSE and seen.levels:
                        seen = replace(seen, named=tuple(limiting(ran)))
                    shown.saw(seen)
                with held_back():  # the search must not know of what isn't stored
                    self.search.tell(seen)
                    purposes.keep_tuning(self.row, self.search.notebook, ran)

    def plan_of(self, trial: Trial) -> Plan:
        """Its run; raises UsageError and UnavailableError where it can't be had."""
        plan = planning.resolve(spec_of(trial, self.asked.spec, self.asked.question))
        preflight.check(plan)
        return plan

    def plan(self) -> Plan:
        """A run like those that will be made, in the Python that serves all of them."""
        return resolved(next(iter(self.asked.servers)), self.asked.spec)

    def rehearsed(self) -> Notebook:
        """At the end of the search, if what comes after its trials so far is as assumed."""
        ahead = search(self.asked, self.search.notebook.entries)
        while (trial := ahead.next) is not None:
            ahead.tell(_assumed(trial, ahead.notebook))
        return ahead.notebook

    def enter(self, at_work: Session) -> None:
        """Stores that it begins, or goes on. Raises UsageError where another command came first."""
        if self.row._state.adding:
            (plan,) = preflight.prepared([self.plan()], at_work.screen.building)
            facts = {"python": plan.server.python.facts, "packages": plan.server.python.packages}
            self.row.software = store.known(Software, facts)
            self.row.revision = resuming.revision()
        elif self.row.trials.count() > len(self.search.notebook.entries):
            raise UsageError(f"{which(self.row)} was continued by another command meanwhile.")
        resuming.begin(self.row)


def begun(asked: Asked) -> Execution:
    """A new tuning, not stored yet."""
    row = Tuning(
        label=asked.spec.label,
        question=plain(asked.question),
        spec=asked.spec.to_json(),
        servers=list(asked.servers),
        started_at=datetime.now(UTC),
    )
    return Execution(asked, row, search(asked))


def resumed(row: Tuning, spec: RunSpec) -> Execution:
    """One that goes on; UsageError where code, packages or machine are others than before."""
    before, had = purposes.read_notebook(row), row.software.data["packages"] if row.software else {}
    servers = {name: type(resolved(name, spec).server) for name in row.servers}
    asked = Asked(before.question, spec, servers)
    execution = Execution(asked, row, search(asked, before.entries))
    resuming.ensure_same_machine(row, which(row))
    resuming.ensure_same_revision(row.revision, which(row))
    resuming.ensure_same_packages(had, execution.plan(), which(row))
    return execution


def unfinished(given: str) -> Tuning:
    """The tuning whose id begins so, or the newest that can go on; UsageError without one."""
    row = stored(given) if given else of_project().exclude(status=Status.FINISHED.value).first()
    if row is None:
        raise UsageError("There is no tuning to go on with: leave --resume out.")
    if row.status == Status.FINISHED.value:
        raise UsageError(
            f"{which(row)} has its answer: leave --resume out, or see {conf.page('tune', row.pk)}"
        )
    resuming.ensure_idle(row, which(row))
    return row


def of_project() -> QuerySet[Tuning]:
    """Those of this project, the newest first; all where it has no name."""
    project = conf.config()["PROJECT"]
    named = Q(spec__project__in=("", project)) | Q(spec__project__isnull=True)
    return Tuning.objects.filter(named if project else Q())


def stored(given: str) -> Tuning:
    """The tuning whose id begins so; UsageError without one, or where several do."""
    begin = begin_of_id(given, least=1)
    rows = list(Tuning.objects.filter(pk__istartswith=begin)[:2]) if begin else []
    if not rows:
        raise UsageError(f"There is no tuning {given}; see {conf.page('tune')}")
    if len(rows) > 1:
        raise UsageError(f"Several tunings begin with {given}: give more of the id.")
    return rows[0]


def which(row: Tuning) -> str:
    """Names a tuning at the begin of a sentence."""
    return f"The tuning {row.short_id} of {row.started_at:%d %b %Y, %H:%M} UTC"


POOL = 10  #: Connections of each process, where its server has no limit of requests.


def variants(asked: Asked, pick: Candidate, against: Against) -> Iterator[Candidate]:
    """Each with one thing changed; what its server can't have is left out."""
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


USED = 0.85  #: Of what no server can exceed: so much does one reach in time, roughly.


def search(asked: Asked, entries: Sequence[Entry] = ()) -> Search:
    """On a notebook of its own; goes on after these entries, or raises UsageError."""
    question, servers = asked.question, asked.servers
    database = reached(asked.spec.database, pool=question.pool, keeps=question.keeps_connections)

    def resize(like: Candidate, processes: int, threads: int | None) -> Candidate | None:
        server, options = servers[like.server], dict(like.options)
        return candidates.sized(like.server, server, processes, threads, options, database)

    grid = partial(candidates.grid, servers, cpus=question.cpus, database=database)
    return Search(Notebook(question), grid, resize, partial(variants, asked)).after(entries)


def _assumed(trial: Trial, notebook: Notebook) -> Observation:
    """Below its limit a server is in time: what it holds, else of what a full load got through."""
    probe, load, candidate = notebook.probe or ASSUMED, trial.load, trial.candidate
    through = notebook.screened(candidate)
    most = through or candidates.bound(candidate, probe, notebook.question).rate
    limit = notebook.estimate(candidate) or USED * most
    closed = [min(through or limit, load.users / probe.response_s)] * bool(load.users)
    goals, levels = len(notebook.question.objective.goals), []
    for rate in closed or load.rates:
        planned = max(1, round(rate * load.window_s))
        met = (planned if rate <= limit else planned // 2,) * goals
        levels.append(Level(rate=0.0 if closed else rate, planned=planned, met=met, goodput=rate))
    return Observation(
        levels=levels,
        took_s=notebook.overhead_s + load.duration_s,
        response_s=probe.response_s,
        cpu_s=probe.cpu_s,
        memory_bytes=(probe.memory_bytes or 0.0) * candidate.processes or None,
    )


def rehearsal(notebook: Notebook, before: int) -> Iterator[str]:
    """What a search will do that has made so many trials, in lines for a terminal."""
    made = ((entry.trial.phase, entry) for entry in notebook.entries[before:])
    for phase, entries in gathered(made).items():
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
