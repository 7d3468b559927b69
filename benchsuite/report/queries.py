"""Reads runs with as much of them as a page needs, in a number of queries that never grows."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from uuid import UUID

from django.db.models import F, OuterRef, Prefetch, Q, QuerySet, Subquery, UUIDField, Window
from django.db.models.functions import Coalesce, RowNumber
from django.db.models.query import prefetch_related_objects

from benchsuite.comparing.cells import Cell, cells
from benchsuite.core.exceptions import UsageError
from benchsuite.core.results import Level
from benchsuite.core.samples import JOURNEY
from benchsuite.core.specs import CLOSED
from benchsuite.core.units import gathered
from benchsuite.models import Finding, Measurement, Run, TuningTrial
from benchsuite.store.interchange import PARTS, SHARED
from benchsuite.store.purposes import READ_BESIDE

HEAVY = ("log_tail", "argv", "settings_changed")
MOST_COMPARED = 300  #: Runs on one compare page; more can't be told apart.
MOST_CHOSEN = 2000  #: Runs on any other page.
AT_ONCE = 500  #: Ids in one query.
WHOLE_AT_ONCE = 50  #: Runs in memory, with all their seconds.
NAMED_COMMANDS = 300  #: Commands in one query.
ADDABLE = 40  #: Configurations that a comparison offers to add.


def listed() -> QuerySet[Run]:
    return Run.objects.select_related("environment").defer(*HEAVY)


def exported() -> QuerySet[Run]:
    """Runs with all that is stored of them."""
    shared = Run.objects.select_related("environment", "software")
    return shared.prefetch_related(*PARTS, *READ_BESIDE)


def by_and_by(runs: QuerySet[Run]) -> Iterator[Run]:
    """All of them, a few at once in memory."""
    return runs.iterator(chunk_size=WHOLE_AT_ONCE)


def compared() -> QuerySet[Run]:
    """Runs with what the compare page says; `add_totals` adds what it draws."""
    return Run.objects.select_related("environment", "software").prefetch_related("findings")


def alike(runs: Sequence[Run]) -> list[Cell]:
    """What else was measured with the same workload, load, data and machine, the newest first."""
    if not runs:
        return []
    first, parts = runs[0], ("workload", "load", "database")
    same = {"workload": first.workload, "environment": first.environment}
    newest = compared().filter(**same, goodput__isnull=False).order_by("-started_at")
    newest = newest.exclude(pk__in=[run.pk for run in runs]).defer(*HEAVY, "programs")
    asked = [first.spec.get(part) for part in parts]
    like = [run for run in newest[:AT_ONCE] if [run.spec.get(part) for part in parts] == asked]
    return sorted(cells(like), key=lambda cell: cell.first.started_at, reverse=True)[:ADDABLE]


def add_totals(runs: Sequence[Run]) -> None:
    """Loads the figures of all requests of each of these runs, with their histograms, at once."""
    totals = Measurement.objects.filter(scope="all")
    prefetch_related_objects(runs, Prefetch("measurements", queryset=totals))


def add_journeys(runs: Sequence[Run]) -> None:
    """Loads how many journeys each of these runs made, at once, and how many requests by stage."""
    journeys = Measurement.objects.filter(scope__in=(JOURNEY, "stage"))
    journeys = journeys.only("run", "scope", "requests")
    prefetch_related_objects(runs, Prefetch("measurements", queryset=journeys))


def beside(run: Run) -> QuerySet[Run]:
    """Runs of its command that tell its limits: diagnostic, of one user, or with more answers."""
    tells = Q(diagnosis__isnull=False) | Q(model=CLOSED, users=1)
    if run.goodput is not None:
        tells |= Q(goodput__gt=run.goodput)
    return Run.objects.filter(tells, batch=run.batch).prefetch_related("measurements")


def chosen(
    runs: QuerySet[Run], ids: Sequence[str], batch: str = "", *, most: int = MOST_CHOSEN
) -> list[Run]:
    """The runs of these ids, in order; raises UsageError for no run, no id and too many."""
    wanted = chosen_ids(ids, batch)
    if len(wanted) > most:
        raise UsageError(f"{len(wanted)} runs are too many for one page; {most} are the most.")
    return list(each(runs, wanted, AT_ONCE))


def chosen_ids(ids: Sequence[str], batch: str = "") -> list[UUID]:
    """The ids of these runs, and of those of commands whose ids stand among them or in `batch`."""
    wanted: dict[UUID, None] = {}
    for text in [*ids, batch] if batch else ids:
        try:
            wanted[UUID(text.strip())] = None
        except ValueError:
            words = f"{text[:60]!r} is not the id of a run; choose runs in the list."
            raise UsageError(words) from None
    if not wanted:
        raise UsageError("No runs were chosen; tick some in the list.")
    here = Run.objects.order_by().only("pk").in_bulk(list(wanted))
    elsewhere = [pk for pk in wanted if pk not in here]
    commands: dict[UUID, list[UUID]] = {}
    for first in range(0, len(elsewhere), NAMED_COMMANDS):
        named = elsewhere[first : first + NAMED_COMMANDS]
        trials = TuningTrial.objects.filter(tuning__in=named)
        of_commands = Q(batch__in=named) | Q(study_cell__study_run__in=named)
        made = by_command(Run.objects.filter(of_commands | Q(pk__in=trials.values("run"))))
        made = made.order_by("started_at").values_list("pk", "batch", "command")
        for pk, batch_id, command in made:
            for name in {batch_id, command}:
                commands.setdefault(name, []).append(pk)
        if gone := [pk for pk in named if pk not in commands]:
            words = f"There is no run {gone[0]}; it may have been deleted. Choose from the list."
            raise UsageError(words)
    return list(dict.fromkeys(run for pk in wanted for run in commands.get(pk, [pk])))


def each(runs: QuerySet[Run], ids: Sequence[UUID], at_once: int) -> Iterator[Run]:
    """These runs in this order, so many at once in memory; one deleted meanwhile is left out."""
    for first in range(0, len(ids), at_once):
        some = ids[first : first + at_once]
        by_id = runs.in_bulk(some)
        yield from (by_id[pk] for pk in some if pk in by_id)


def by_command(runs: QuerySet[Run]) -> QuerySet[Any]:
    """With the id of the `command` that each was made for: a study, a tuning, else its batch."""
    tuning = TuningTrial.objects.filter(run=OuterRef("pk")).order_by("tuning").values("tuning")[:1]
    study = "study_cell__study_run"
    made_for = Coalesce(study, Subquery(tuning), "batch", output_field=UUIDField())
    return runs.annotate(command=made_for)


def of_batches(ids: Iterable[UUID]) -> dict[UUID, list[Run]]:
    """The runs of commands that made them for their own sake, in order, in four queries."""
    invalid = Prefetch("findings", queryset=Finding.objects.filter(level=Level.INVALID.value))
    shared = [
        Prefetch(name, model._default_manager.defer("data")) for name, model in SHARED.items()
    ]
    runs = by_command(Run.objects.filter(batch__in=ids)).filter(command=F("batch"))
    runs = runs.order_by("started_at").prefetch_related(invalid, *shared)
    runs = runs.defer(*HEAVY, "programs", "delay", "diagnosis")
    return gathered((run.batch, run) for run in runs)


def newest_of(runs: QuerySet[Run], field: str, ids: Iterable[Any], most: int) -> QuerySet[Run]:
    """So many of the newest of these runs for each of these values of a field."""
    place = Window(RowNumber(), partition_by=F(field), order_by=F("started_at").desc())
    some = runs.filter(**{f"{field}__in": list(ids)}).annotate(place=place)
    return some.filter(place__lte=most).order_by("-started_at")
