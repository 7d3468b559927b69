"""All that is told of an execution of a study, whatever it is written as."""

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from benchsuite.core.exceptions import UsageError
from benchsuite.core.units import listed
from benchsuite.models import Run, StudyRun
from benchsuite.report import executions
from benchsuite.report.charts.drawing import Chart
from benchsuite.report.shown import Shown
from benchsuite.report.studies import charts, rows, tables
from benchsuite.report.studies.answering import HOW, Question, questions
from benchsuite.report.studies.tables import Shape
from benchsuite.studies import figures, matrix, published
from benchsuite.studies.claims import Judgement, Outcome, judge
from benchsuite.studies.measured import Execution, MeasuredCell, State, reasons
from benchsuite.studies.study import Kind, Study, cell_title, names

SHAPES = {Outcome.HOLDS: "●", Outcome.FAILS: "○", Outcome.UNTOLD: "◐"}
"""Beside the word, so that it is never told by a colour alone."""

NAMED = 6  #: Executions in a message.


@dataclass(frozen=True, slots=True)
class CellLine:
    """A cell with what was run of it."""

    title: str
    arguments: str  #: Those that not all cells share.
    cell: MeasuredCell
    figures: Sequence[Shown]

    @property
    def state(self) -> str:
        """Empty where it was measured."""
        return "" if self.cell.state is State.MEASURED else self.cell.reason

    @property
    def starts(self) -> str:
        """ "2", or "2, 1 excluded: B401", or why there are none."""
        out = [one for one in self.cell.starts if one.excluded]
        why = f", {len(out)} excluded: {reasons(out)}" if out else ""
        return self.state or f"{len(self.cell.starts)}{why}"


@dataclass(frozen=True)
class Told:
    """One execution; everything is made when it is asked for."""

    row: StudyRun
    study: Study
    execution: Execution

    @cached_property
    def claims(self) -> list[Judgement]:
        return judge(self.study, self.execution)

    @cached_property
    def questions(self) -> list[Question]:
        """Of today's file, as far as it asks of what was executed."""
        return questions(rows.asking(self.study), self.execution)

    @cached_property
    def _published(self) -> tuple[list[published.Row], str]:
        try:
            return published.rows(self.study), ""
        except UsageError as error:
            return [], str(error)

    @property
    def published(self) -> list[published.Row]:
        return self._published[0]

    @property
    def without_published(self) -> str:
        """Why there are no published figures, where the study names some."""
        return self._published[1]

    @cached_property
    def tables(self) -> list[Shape]:
        return tables.tables(self.study, self.execution, self.published)

    @cached_property
    def charts(self) -> list[Chart]:
        return charts.charts(self.study, self.execution)

    @cached_property
    def headings(self) -> list[str]:
        """Of the figures of each cell."""
        return [figures.metric(one).headline() for one in self.study.figures]

    @cached_property
    def cells(self) -> list[CellLine]:
        told = [figures.metric(one) for one in self.study.figures]
        stored = list(self.row.cells.all())
        shared = set(self.arguments)
        return [
            CellLine(
                cell_title(one.coordinates),
                shlex.join(part for part in known.arguments if part not in shared),
                one,
                [tables.shown(one, metric) for metric in told],
            )
            for one, known in zip(self.execution.cells, stored, strict=True)
        ]

    @cached_property
    def arguments(self) -> list[str]:
        """Of `runbench`, that all cells share."""
        stored = [one.arguments for one in self.row.cells.all()]
        return [part for part in stored[0] if all(part in one for one in stored)] if stored else []

    @property
    def command(self) -> str:
        """What all cells share, as a command."""
        return shlex.join(["python", "manage.py", "runbench", *self.arguments])

    @property
    def counts(self) -> str:
        """How the claims came out: "3 hold, 1 doesn't hold, 2 can't be told here"."""
        found = Counter(one.outcome for one in self.claims)
        words = {Outcome.HOLDS: ("holds", "hold"), Outcome.FAILS: ("doesn't hold", "don't hold")}
        said = [
            f"{found[one]} {words.get(one, (one.value, one.value))[found[one] != 1]}"
            for one in Outcome
            if found[one]
        ]
        return listed(said) if said else "no claims"

    @property
    def verdicts(self) -> str:
        """Of all runs: "40 valid, 3 weak, 1 invalid"."""
        found = Counter(one.verdict for cell in self.execution.cells for one in cell.starts)
        return ", ".join(f"{count} {word}" for word, count in found.most_common()) or "no runs"

    @property
    def environment(self) -> Mapping[str, object]:
        return executions.environment(self.machine, self.servers)

    @property
    def machine(self) -> dict[str, object]:
        return executions.machine(self.row)

    @cached_property
    def servers(self) -> list[str]:
        return executions.servers(Run.objects.filter(study_cell__study_run=self.row))

    @property
    def method(self) -> list[str]:
        """How it was measured, from the file and from what was asked for."""
        return list(self._method())

    def _method(self) -> Iterator[str]:
        study, row = self.study, self.row
        axes = " × ".join(f"{axis.name} ({', '.join(names(axis.values))})" for axis in study.axes)
        yield f"The cells are {axes}."
        every, here = len(list(matrix.every(study))), len(self.execution.cells)
        of = f"all {every}" if every == here else f"{here} of its {every}"
        starts = f"{row.repeat} fresh start{'s' * (row.repeat != 1)}"
        order = f"in shuffled blocks (seed {row.seed})"
        yield f"This execution has {of} cells with {starts} of each, {order}."
        if row.only:
            chosen = "; ".join(f"{axis}: {', '.join(some)}" for axis, some in row.only.items())
            yield f"It was asked for these values only: {chosen}."
        if row.scale != 1:
            yield from self._scaled()
        for kind, words in KINDS.items():
            if arms := [v.name for axis in study.axes for v in axis.values if v.kind is kind]:
                yield f"{words}: {', '.join(arms)}."
        for order, values in sorted(row.resolved.items()):
            said = ", ".join(f"--{name}={value}" for name, value in values.items())
            yield f"Known from other cells: {said} for {self.cells[int(order)].title}."

    def _scaled(self) -> Iterator[str]:
        study, scale = self.study, self.row.scale
        parts = []
        if study.scaling.shorter:
            parts.append(f"{', '.join(study.scaling.shorter)} multiplied by it, down to a least")
        if study.scaling.faster:
            parts.append(f"{', '.join(study.scaling.faster)} divided by it")
        for axis, kept in matrix.kept_values(study, scale).items():
            of = names(study.axis(axis).values)
            if len(kept) < len(of) and axis not in self.row.only:
                parts.append(f"of {axis} only {', '.join(kept)} ({len(kept)} of {len(of)})")
        yield f"It is at scale {scale:g}: {'; '.join(parts)}." if parts else f"Scale {scale:g}."

    @property
    def remark(self) -> str:
        """What people say of it, marked as theirs: all else is computed."""
        return f"Written by a person: {self.row.remark}" if self.row.remark else ""

    @property
    def how_answered(self) -> str:
        return HOW

    @property
    def when(self) -> str:
        return executions.when(self.row)


KINDS = {
    Kind.ORIGINAL: "The software of the time",
    Kind.ADDED: "Not in the original",
    Kind.FLAW: "Repeating a mistake of the original, to show what it did",
}


def told(row: StudyRun) -> Told:
    """Raises UsageError for a file that this version can't read."""
    study = rows.study(row)
    return Told(row, study, rows.execution(row, study))


def chosen(name: str, which: str = "", besides: StudyRun | None = None) -> StudyRun:
    """The execution of the study with that id or, of those with that label, the newest that has
    ended, else the newest; never the one that it is looked for `besides`.

    Raises UsageError where there is none.
    """
    every = [one for one in rows.executions(name) if besides is None or one.pk != besides.pk]
    found = [one for one in every if not which or which in (str(one.pk), one.label)]
    if not found:
        other = "other " if besides else ""
        wanted = f"execution {which[:60]!r} of {name}" if which else f"execution of {name} yet"
        raise UsageError(f"There is no {other}{wanted}; {_those(name, every)}")
    return next((one for one in found if one.ended_at), found[0])


def _those(name: str, every: Sequence[StudyRun]) -> str:
    """The labels and ids that there are, or how to execute the study."""
    known = [one.label or str(one.pk) for one in every[:NAMED]]
    if not known:
        return f"execute it: python manage.py runstudy {name}"
    return f"there are, the newest first: {', '.join(dict.fromkeys(known))}."
