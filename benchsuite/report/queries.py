"""Reads runs with as much of them as a page needs, in a number of queries that never grows."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from django.db.models import Prefetch, Q, QuerySet, prefetch_related_objects

from benchsuite.comparing.cells import Cell, cells
from benchsuite.comparing.starts import Starts
from benchsuite.comparing.titles import units_beside
from benchsuite.core.exceptions import UsageError
from benchsuite.core.metrics import every
from benchsuite.core.results import Level
from benchsuite.core.specs import CLOSED
from benchsuite.core.units import format_rate
from benchsuite.models import Finding, Interval, Measurement, Run
from benchsuite.report.exports.runs import FACTS
from benchsuite.store.interchange import PARTS
from benchsuite.store.purposes import READ_BESIDE

HEAVY = ("log_tail", "argv", "settings_changed")

MOST_COMPARED = 300  #: Runs on one compare page; more can't be told apart.

MOST_CHOSEN = 2000  #: Runs on any other page.

AT_ONCE = 500  #: Ids in one query.

WHOLE_AT_ONCE = 50  #: Runs in memory, with all their seconds.

NAMED = 5  #: Ids in a message.


def listed() -> QuerySet[Run]:
    """Runs with what a row of the list shows."""
    return Run.objects.select_related("environment").defer(*HEAVY)


def exported() -> QuerySet[Run]:
    """Runs with all that is stored of them."""
    shared = Run.objects.select_related("environment", "software")
    return shared.prefetch_related(*PARTS, *READ_BESIDE)


def by_and_by(runs: QuerySet[Run]) -> Iterator[Run]:
    """All of them, a few at once in memory."""
    return runs.iterator(chunk_size=WHOLE_AT_ONCE)


def tabled() -> QuerySet[Run]:
    """Runs with what a row of a CSV holds."""
    return Run.objects.only(*FACTS, *(one.name for one in every.METRICS if one.read))


def compared() -> QuerySet[Run]:
    """Runs with what the compare page says; `add_series` adds what it draws."""
    return Run.objects.select_related("environment", "software").prefetch_related("findings")


ADDABLE = 40  #: Configurations that a comparison offers to add.


def alike(runs: Sequence[Run]) -> list[Cell]:
    """What else was measured with the same workload, load, data and machine, the newest first."""
    if not runs:
        return []
    asked = _asked(runs[0])
    newest = compared().filter(
        workload=runs[0].workload, environment=runs[0].environment, goodput__isnull=False
    )
    newest = newest.exclude(pk__in=[run.pk for run in runs]).defer(*HEAVY, "programs")
    found = [run for run in newest.order_by("-started_at")[:AT_ONCE] if _asked(run) == asked]
    return sorted(cells(found), key=lambda cell: cell.first.started_at, reverse=True)[:ADDABLE]


def _asked(run: Run) -> list[object]:
    return [run.spec.get(part) for part in ("workload", "load", "database")]


def add_series(runs: Sequence[Run]) -> None:
    """Loads the seconds and the histograms of all these runs at once."""
    prefetch_related_objects(
        runs,
        Prefetch("measurements", queryset=Measurement.objects.filter(scope="all")),
        Prefetch("intervals", queryset=Interval.objects.defer("histogram")),
    )


def beside(run: Run) -> QuerySet[Run]:
    """Runs of the same command that tell more of what limits this one: diagnostic starts, those of
    one user, and those that answered more.
    """
    tells = Q(diagnosis__isnull=False) | Q(model=CLOSED, users=1)
    if run.goodput is not None:
        tells |= Q(goodput__gt=run.goodput)
    return Run.objects.filter(tells, batch=run.batch).prefetch_related("measurements")


def neighbours(run: Run) -> tuple[Run | None, Run | None]:
    """The runs of the same cell before and after this one."""
    same = Run.objects.filter(key=run.key).only("pk", "started_at", "server")
    before = same.filter(started_at__lt=run.started_at).order_by("-started_at").first()
    after = same.filter(started_at__gt=run.started_at).order_by("started_at").first()
    return before, after


def chosen(
    runs: QuerySet[Run], ids: Sequence[str], batch: str = "", *, most: int = MOST_CHOSEN
) -> list[Run]:
    """The runs of these ids, in their order; raises UsageError for one that is no id or no run, and
    for too many of them.
    """
    wanted = chosen_ids(ids, batch)
    if len(wanted) > most:
        raise UsageError(f"{len(wanted)} runs are too many for one page; {most} are the most.")
    return list(each(runs, wanted, AT_ONCE))


def chosen_ids(ids: Sequence[str], batch: str = "") -> list[UUID]:
    """The ids of these runs and of those of the batch; all of them are runs."""
    wanted = dict.fromkeys(_uuid(text) for text in ids)
    if batch:
        runs = Run.objects.filter(batch=_uuid(batch)).order_by("started_at")
        wanted |= dict.fromkeys(runs.values_list("pk", flat=True))
    if not wanted:
        raise UsageError("No runs were chosen; tick some in the list.")
    order = list(wanted)
    gone = [pk for some in _shares(order, AT_ONCE) for pk in _missing(some)]
    if gone:
        further = f" and {len(gone) - NAMED} more" if len(gone) > NAMED else ""
        raise UsageError(
            f"There is no run {', '.join(map(str, gone[:NAMED]))}{further}; it may have been "
            "deleted. Choose from the list."
        )
    return order


def each(runs: QuerySet[Run], ids: Sequence[UUID], at_once: int) -> Iterator[Run]:
    """These runs in this order, so many at once in memory; one deleted meanwhile is left out."""
    for some in _shares(ids, at_once):
        by_id = runs.in_bulk(some)
        yield from (by_id[pk] for pk in some if pk in by_id)


def _shares(ids: Sequence[UUID], most: int) -> Iterator[Sequence[UUID]]:
    return (ids[first : first + most] for first in range(0, len(ids), most))


def _missing(ids: Sequence[UUID]) -> list[UUID]:
    here = set(Run.objects.filter(pk__in=ids).order_by().values_list("pk", flat=True))
    return [pk for pk in ids if pk not in here]


@dataclass(frozen=True, slots=True)
class Best:
    """What answered most of a batch."""

    run: Run  #: One of it.
    goodput: float

    @property
    def rate(self) -> str:
        return format_rate(self.goodput, units_beside(self.run))


@dataclass(frozen=True)
class Batch:
    """What one command measured, as the line above its runs says it."""

    id: UUID
    runs: tuple[Run, ...]

    @property
    def best(self) -> Best | None:
        """The sound cell with the most goodput; None where there are not two of the same unit."""
        ranked = [
            cell
            for cell in self.cells
            if cell.is_sound and cell.middle("connection_bytes") is None  # those answer nothing
        ]
        if len(ranked) < 2 or len({cell.unit for cell in ranked}) > 1:
            return None
        return Best(ranked[0].first, ranked[0].middle("goodput") or 0.0)

    @cached_property
    def cells(self) -> list[Cell]:
        return cells(self.runs)

    @property
    def starts(self) -> str:
        """How many of all its starts count; empty where all do."""
        every = Starts([one for cell in self.cells for one in cell.starts.every])
        return "" if every.is_whole else every.words

    @property
    def servers(self) -> list[str]:
        return list(dict.fromkeys(one.server for one in self.runs))


def batches(ids: Iterable[UUID]) -> dict[UUID, Batch]:
    """The whole batches of these ids, in two queries, without what is long of each run."""
    by_batch: dict[UUID, list[Run]] = {}
    invalid = Prefetch("findings", queryset=Finding.objects.filter(level=Level.INVALID.value))
    wanted = Run.objects.filter(batch__in=set(ids)).order_by("started_at")
    wanted = wanted.prefetch_related(invalid)
    for run in wanted.defer(*HEAVY, "programs", "delay", "websockets"):
        by_batch.setdefault(run.batch, []).append(run)
    return {batch: Batch(batch, tuple(runs)) for batch, runs in by_batch.items()}


def _uuid(text: str) -> UUID:
    try:
        return UUID(text.strip())
    except ValueError:
        raise UsageError(
            f"{text[:60]!r} is not the id of a run; choose runs in the list."
        ) from None
