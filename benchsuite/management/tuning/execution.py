"""One tuning, new or resumed: its trials as runs, each stored with what the search made of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from time import monotonic, sleep
from typing import Any, Protocol

from django.db.models import Q, QuerySet

from benchsuite import conf, store
from benchsuite.conf import addresses
from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.core.plain import plain
from benchsuite.core.results import Status
from benchsuite.core.specs import RunSpec
from benchsuite.management import resuming
from benchsuite.management.options import tune as tune_options
from benchsuite.management.options.tune import Asked
from benchsuite.management.session import Session
from benchsuite.management.tuning import searching as searches
from benchsuite.management.tuning.trials import observation, spec_of
from benchsuite.models import Run, Software, Tuning, begin_of_id
from benchsuite.runner import planning, preflight
from benchsuite.runner.planning import Plan
from benchsuite.store import purposes
from benchsuite.system.interrupts import held_back
from benchsuite.tuning.notebook import Notebook
from benchsuite.tuning.search import Searching
from benchsuite.tuning.trial import Observation, Phase, Trial


class Watcher(Protocol):
    """Whoever shows what becomes of trials."""

    def __enter__(self) -> object: ...
    def __exit__(self, *error: object) -> object: ...
    def next(self, trial: Trial) -> None: ...
    def skip(self, reason: str) -> None: ...
    def saw(self, seen: Observation) -> None: ...


@dataclass(slots=True)
class Execution:
    """A tuning that is made, its search on a notebook of its own."""

    asked: Asked
    row: Tuning  #: Not stored yet where it is new.
    searching: Searching

    def run(
        self, at_work: Session, shown: Watcher, limiting: Callable[[Run], Sequence[str]]
    ) -> None:
        """Makes trials until the search has its answer; `limiting` gives the codes of what limits
        the pick, by its diagnostic start and those that confirmed it.

        Raises BenchsuiteError where nothing that follows could be measured or stored, and
        KeyboardInterrupt after Ctrl-C: the trial under way is made again when this is resumed.
        """
        with resuming.entered(self.row), shown:
            while (trial := self.searching.next) is not None:
                shown.next(trial)
                begun, ran = monotonic(), None
                sleep(trial.wait_s)
                try:
                    ran, result = resuming.one(at_work, self.plan_of(trial))
                except (UsageError, UnavailableError) as error:
                    seen = Observation(took_s=monotonic() - begun, failure=str(error))
                    shown.skip(str(error))
                else:
                    seen = observation(trial, result, self.asked.question, monotonic() - begun)
                    if trial.phase is Phase.DIAGNOSE and seen.levels:
                        seen = replace(seen, named=tuple(limiting(ran)))
                    shown.saw(seen)
                with held_back():  # the search must not know of what isn't stored
                    self.searching.tell(seen)
                    purposes.keep_tuning(self.row, self.notebook, ran)

    def plan_of(self, trial: Trial) -> Plan:
        """Its run; raises UsageError and UnavailableError where it can't be had."""
        plan = planning.resolve(spec_of(trial, self.asked.spec, self.asked.question))
        preflight.check(plan)
        return plan

    @property
    def notebook(self) -> Notebook:
        return self.searching.notebook

    def plan(self) -> Plan:
        """A run like those that will be made, in the Python that serves all of them."""
        return tune_options.resolved(next(iter(self.asked.servers)), self.asked.spec)

    def enter(self, at_work: Session, environment: Mapping[str, Any]) -> None:
        """Stores that it begins, or goes on. Raises UsageError where another command came first."""
        if self.row._state.adding:
            (plan,) = preflight.prepared([self.plan()], at_work.screen.building)
            python = plan.server.python
            facts = {"python": dict(python.facts), "packages": dict(python.packages)}
            self.row.software = store.known(Software, facts)
            self.row.revision = resuming.revision()
        elif self.row.trials.count() > len(self.notebook.entries):
            raise UsageError(f"{which(self.row)} was continued by another command meanwhile.")
        resuming.begin(self.row, environment)


def begun(asked: Asked) -> Execution:
    """A new tuning, not stored yet."""
    row = Tuning(
        label=asked.spec.label,
        question=plain(asked.question),
        spec=asked.spec.to_json(),
        servers=list(asked.servers),
        started_at=datetime.now(UTC),
    )
    return Execution(asked, row, searches.begun(asked))


def resumed(row: Tuning, spec: RunSpec) -> Execution:
    """One that goes on; UsageError where code, packages or machine are others than before."""
    before, had = purposes.read_notebook(row), row.software.data["packages"] if row.software else {}
    asked = tune_options.again(before.question, spec, row.servers)
    execution = Execution(asked, row, searches.begun(asked, before.entries))
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
            f"{which(row)} has its answer: leave --resume out, or see {addresses.of_tuning(row.pk)}"
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
        raise UsageError(f"There is no tuning {given}; see {addresses.of_tunings()}")
    if len(rows) > 1:
        raise UsageError(f"Several tunings begin with {given}: give more of the id.")
    return rows[0]


def which(row: Tuning) -> str:
    """Names a tuning at the begin of a sentence."""
    return f"The tuning {row.short_id} of {row.started_at:%d %b %Y, %H:%M} UTC"
