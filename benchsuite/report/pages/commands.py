"""What a command measured, as its row of the list says it: the answer, a bar a configuration."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any
from uuid import UUID

from django.db.models import Count, QuerySet
from django.urls import reverse

from benchsuite.comparing.cells import Cell, cells
from benchsuite.comparing.starts import Starts, reasons_of
from benchsuite.comparing.titles import cell_titles, load_title, units_beside, workload_title
from benchsuite.core.exceptions import UsageError
from benchsuite.core.metrics import every
from benchsuite.core.results import Status
from benchsuite.core.units import format_rate, listed
from benchsuite.models import Note, Run, StudyRun, Tuning
from benchsuite.report import queries
from benchsuite.report.pages import html
from benchsuite.report.studies.execution import of_claims
from benchsuite.report.tuning.evidence import tuning_report
from benchsuite.store import notes

MOST_RUNS = 12  #: Of a row of the list.
MOST_BARS = 5
GOODPUT = every.figure("goodput")
CLOSE = 1.05  #: Below this ratio no winner is named: a few percent are within what runs differ by.


@dataclass(frozen=True, slots=True)
class Bar:
    title: str
    rate: str
    percent: float  #: Of the highest.


@dataclass(frozen=True, kw_only=True)
class Command:
    """A batch, an execution of a study, or a tuning."""

    id: UUID
    began: datetime
    runs: Sequence[Run]  #: Those shown, the newest first.
    matching: int  #: How many match the filters.
    all: Sequence[Run] = ()  #: Of a batch, in their order.
    execution: StudyRun | Tuning | None = None
    counts: Mapping[str, int] = field(default_factory=dict)  #: State → how many runs.
    notes: Sequence[Note] = ()

    @property
    def first(self) -> Run:
        return self.all[0] if self.all else self.runs[-1]

    @property
    def label(self) -> str:
        return self.execution.label if self.execution else self.first.label

    @property
    def url(self) -> str:
        if self.execution:
            return self.execution.get_absolute_url()
        if len(self.all) == 1:
            return self.first.get_absolute_url()
        return f"{reverse('benchsuite:compare')}?batch={self.id}"

    @property
    def title(self) -> str:
        """What was asked."""
        if isinstance(self.execution, StudyRun):
            return f"study {self.execution.name}"
        if isinstance(self.execution, Tuning):
            return f"tune {self._tuning[0]}"
        asked, loads = (set(map(words, self.all)) for words in (workload_title, load_title))
        parts = [*asked] if len(asked) == 1 else [f"{len(asked)} workloads"]
        return " · ".join([*parts, *(loads if len(loads) == 1 else [f"{len(loads)} loads"])])

    @cached_property
    def cells(self) -> list[Cell]:
        return cells(self.all)

    @cached_property
    def _ranked(self) -> list[tuple[str, Cell, float]]:
        """Sound configurations with the most goodput first; none of different units, and none that
        answer nothing.
        """
        sound = [
            (title, cell, cell.middle("goodput") or 0.0)
            for title, cell in zip(cell_titles(self.cells), self.cells, strict=True)
            if cell.is_sound and cell.middle("connection_bytes") is None
        ]
        return sound if len({cell.unit for _, cell, _ in sound}) == 1 else []

    @cached_property
    def _tuning(self) -> tuple[str, str]:
        """What was asked of a tuning, and what it answers."""
        assert isinstance(self.execution, Tuning)
        try:
            report = tuning_report(self.execution)
            return f"{report.workload} · {report.objective}", report.headline
        except UsageError as error:
            return "", str(error)

    @property
    def answer(self) -> str:
        """What came out, in a few words."""
        if isinstance(self.execution, Tuning):
            return self._tuning[1]
        if isinstance(self.execution, StudyRun):
            return of_claims(self.execution.outcomes)
        if not self._ranked:
            return self._without
        (title, cell, most), *others = self._ranked
        close = [name for name, other, rate in others if _is_close(cell, most, other, rate)]
        if close:
            several = f"{len(close)} others" if len(close) > 2 else listed(close)
            return f"{title} and {several}: too close to call"
        rate = format_rate(most, units_beside(cell.first))
        return f"{title} answered most: {rate}" if others else f"{title}: {rate}"

    @property
    def _without(self) -> str:
        if len({run.unit for run in self.all}) > 1:
            return "Not ranked: their answers are not of one unit."
        idle = [one for one in self.cells if one.is_sound]
        if idle:
            return f"{listed(cell_titles(idle)[:MOST_BARS])}: idle connections"
        reasons = [reason for run in self.all if (reason := html.reason(run, 120))]
        if reasons:
            return f"Nothing counts: {reasons[0]}"
        why = reasons_of([start for cell in self.cells for start in cell.starts.every])
        return f"Nothing counts: all runs are invalid{f' ({why})' if why else ''}."

    @property
    def bars(self) -> list[Bar]:
        if len(self._ranked) < 2:
            return []
        most = self._ranked[0][2] or 1.0
        return [
            Bar(title, format_rate(rate, units_beside(cell.first)), round(rate / most * 100, 1))
            for title, cell, rate in self._ranked[:MOST_BARS]
        ]

    @property
    def more_bars(self) -> int:
        return max(0, len(self._ranked) - MOST_BARS)

    @property
    def excluded(self) -> str:
        """How many of its runs count; empty where all do."""
        starts = Starts([one for cell in self.cells for one in cell.starts.every])
        return "" if starts.is_whole else starts.words

    @property
    def known(self) -> int:
        """How many runs it has."""
        return sum(self.counts.values())

    @property
    def size(self) -> str:
        """ "5 configurations × 3", "67 runs"."""
        repeats = {len(cell.runs) for cell in self.cells}
        if len(repeats) == 1 and len(self.cells) > 1 and repeats != {1}:
            return f"{len(self.cells)} configurations × {repeats.pop()}"
        return f"{self.known} run{'s' * (self.known != 1)}"

    @property
    def states(self) -> list[tuple[str, int]]:
        """The best first."""
        return [(word, self.counts[word]) for word in html.SHAPES if self.counts.get(word)]

    @property
    def starred(self) -> bool:
        return any(note.starred for note in self.notes)

    @property
    def star(self) -> tuple[str, str]:
        """What its star stands for, as the form names it: its label, else the best of its runs."""
        if self.label:
            return "label", self.label
        best = self._ranked[0][1].first if self._ranked else self.first
        return "run", str(best.pk)


def _is_close(first: Cell, most: float, other: Cell, rate: float) -> bool:
    """Whether so few runs can't tell them apart: nearly as much, or among each other."""
    if most < CLOSE * rate:
        return True
    mine, theirs = first.spread(GOODPUT), other.spread(GOODPUT)
    several = min(len(first.entering), len(other.entering)) > 1
    return bool(several and mine and theirs and mine.least <= theirs.most)


def commands(
    groups: Iterable[Mapping[str, Any]], runs: QuerySet[Run], *, filtering: bool, most: int
) -> list[Command]:
    """The commands of these groups, with those of their runs that match; in a number of queries
    that doesn't grow with them.
    """
    groups = list(groups)
    ids = [group["command"] for group in groups]
    executions: dict[UUID, Any] = {
        **StudyRun.objects.defer("text").in_bulk(ids),
        **Tuning.objects.prefetch_related("trials").in_bulk(ids),
    }
    batches = queries.of_batches(pk for pk in ids if pk not in executions)
    own = [run.pk for some in batches.values() for run in some]
    matching = set(runs.filter(pk__in=own).values_list("pk", flat=True)) if filtering else set(own)
    shown: dict[UUID, list[Run]] = {
        batch: [run for run in reversed(some) if run.pk in matching][:most]
        for batch, some in batches.items()
    }
    counts = {batch: Counter(map(html.state, some)) for batch, some in batches.items()}
    if executions:
        made = queries.by_command(runs)
        for run in queries.newest_of(made, "command", executions, most):
            shown.setdefault(run.command, []).append(run)  # type: ignore[attr-defined]
        known = queries.by_command(Run.objects.order_by()).filter(command__in=list(executions))
        states = known.values_list("command", "status", "verdict").annotate(Count("pk"))
        for pk, status, verdict, many in states:
            state = verdict if status == Status.FINISHED.value and verdict else status
            counts.setdefault(pk, Counter())[state] += many
    noted = notes.of([run for some in (*batches.values(), *shown.values()) for run in some])
    return [
        Command(
            id=pk,
            began=group["newest"],
            runs=shown.get(pk, []),
            matching=group["count"],
            all=batches.get(pk, ()),
            execution=executions.get(pk),
            counts=counts.get(pk, {}),
            notes=_of(noted, [*batches.get(pk, ()), *shown.get(pk, [])]),
        )
        for group in groups
        if (pk := group["command"]) in executions or shown.get(pk)
    ]


def _of(noted: Sequence[Note], runs: Sequence[Run]) -> list[Note]:
    ids, labels = {run.pk for run in runs}, {run.label for run in runs}
    return [note for note in noted if note.run_id in ids or note.label in labels]
