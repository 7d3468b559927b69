"""One execution of a study with all its evidence: claims, answers, tables, cells and method."""

import math
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Any

from benchsuite.core.answer import Answer, Section, Shown, Table
from benchsuite.core.commands import command
from benchsuite.core.exceptions import UsageError
from benchsuite.core.units import listed
from benchsuite.models import Run, StudyRun
from benchsuite.report import executions
from benchsuite.report.charts.drawing import Chart
from benchsuite.report.exports.runs import table_as_csv
from benchsuite.report.studies import charts, rows
from benchsuite.report.studies.following import Follow, follows, next_step
from benchsuite.studies import figures, matrix, published, tables
from benchsuite.studies.claims import Judgement, Outcome, answered, judge, written
from benchsuite.studies.intervals import Interval
from benchsuite.studies.measured import Execution, MeasuredCell, State, reasons
from benchsuite.studies.study import Kind, Study, cell_title, names

SHAPES = {Outcome.HOLDS: "●", Outcome.FAILS: "○", Outcome.UNTOLD: "◐"}
"""Beside the word, so that it is never told by a colour alone."""

NAMED = 6  #: Executions in a message.


@dataclass(frozen=True)
class StudyReport:
    """One execution; everything is made when it is asked for."""

    row: StudyRun
    study: Study
    execution: Execution

    @cached_property
    def claims(self) -> list[Judgement]:
        return judge(self.study, self.execution)

    @cached_property
    def questions(self) -> list[Table]:
        """Of today's file, as far as it asks of what was executed."""
        return tables.questions(rows.asking(self.study), self.execution)

    @cached_property
    def follows(self) -> list[Follow]:
        answers = answered(rows.asking(self.study), self.execution)
        return follows(self.study, answers, self.claims)

    @cached_property
    def answer(self) -> Answer:
        step, command = next_step(self.row, self.execution)
        return Answer(
            title=self.study.name,
            question=self.study.question,
            headline=self.headline,
            reasons=[f"{one.asked} {one.words}".strip() for one in self.follows],
            premises=[self.remark] if self.remark else [],
            table=self._claims() if self.claims else None,
            cautions=[self.without_published] if self.without_published else [],
            next_steps=[step] if step else [],
            command=command,
            sections=[
                *self._checks(),
                *self._answers(),
                *self._tables(),
                Section(title="Configurations", tables=[self._cells()]),
                Section(
                    title="Method",
                    points=[f"{self.when}. Runs: {self.verdicts}.", *self.method],
                    copies={"All configurations share": self.command},
                ),
                Section(title="Environment", facts=self.environment),
            ],
        )

    def _claims(self) -> Table:
        return Table(
            ["outcome", "claim", "published", "why"],
            [
                [outcome(one), one.claim.says, one.claim.published, one.reason]
                for one in self.claims
            ],
            title="Claims",
        )

    def _checks(self) -> Iterator[Section]:
        every = [(claim, check) for claim in self.claims for check in claim.checks]
        if every:
            rows = [
                [
                    *(claim.claim.name, check.name, interval_words(check.found), check.wanted),
                    *(check.outcome.value, check.found.method),
                ]
                for claim, check in every
            ]
            head = ["claim", "check", "measured [95 % interval]", "wanted", "outcome"]
            title = f"{len(rows)} check{'s' * (len(rows) != 1)}"
            table = Table([*head, "interval by"], rows, title=title, is_folded=True)
            yield Section(title="Checks of the claims", tables=[table])

    def _answers(self) -> Iterator[Section]:
        if self.questions:
            yield Section(title="Answers", sentences=[tables.HOW], tables=self.questions)

    def _tables(self) -> Iterator[Section]:
        if layouts := tables.tables(self.study, self.execution, self.published):
            yield Section(title="Measured and published", tables=layouts)

    def _cells(self) -> Table:
        metrics = [figures.metric(one) for one in self.study.figures]
        shared, headings = set(self.arguments), [one.headline() for one in metrics]
        return Table(
            ["configuration", "runs", *headings, "options of its own"],
            [
                [
                    cell_title(cell.coordinates),
                    _starts(cell),
                    *(tables.shown(cell, metric) for metric in metrics),
                    shlex.join(part for part in stored.arguments if part not in shared),
                ]
                for cell, stored in zip(self.execution.cells, self.row.cells.all(), strict=True)
            ],
            figures=headings,
        )

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
    def charts(self) -> list[Chart]:
        return charts.charts(self.study, self.execution, self.published)

    @cached_property
    def arguments(self) -> list[str]:
        """Of `runbench`, that all cells share."""
        stored = [one.arguments for one in self.row.cells.all()]
        return [part for part in stored[0] if all(part in one for one in stored)] if stored else []

    @property
    def command(self) -> str:
        """What all cells share, as a command."""
        return command("runbench", *self.arguments)

    @property
    def headline(self) -> str:
        if not self.claims:
            return "The study makes no claims."
        outcomes, many = {claim.outcome for claim in self.claims}, len(self.claims)
        if many == 1:
            return f"The claim {self.claims[0].outcome.value}."
        if len(outcomes) > 1:
            return f"Of {many} claims {self.counts}."
        words = {Outcome.HOLDS: f"All {many} claims hold.",
                 Outcome.FAILS: f"None of the {many} claims holds.",
                 Outcome.UNTOLD: f"None of the {many} claims can be told here."}  # fmt: skip
        return words[outcomes.pop()]

    @property
    def outcomes(self) -> dict[str, int]:
        """How many claims came out how."""
        return dict(Counter(claim.outcome.value for claim in self.claims))

    @property
    def counts(self) -> str:
        return of_claims(self.outcomes) or "no claims"

    @property
    def verdicts(self) -> str:
        """Of all runs: "40 valid, 3 weak, 1 invalid"."""
        counts = Counter(one.verdict for cell in self.execution.cells for one in cell.starts)
        return ", ".join(f"{count} {word}" for word, count in counts.most_common()) or "no runs"

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
        yield f"The configurations are {axes}."
        every, here = len(list(matrix.every(study))), len(self.execution.cells)
        of = f"all {every}" if every == here else f"{here} of its {every}"
        runs = f"{row.repeat} run{'s' * (row.repeat != 1)}"
        order = f"in shuffled blocks (seed {row.seed})"
        yield f"This execution has {of} configurations with {runs} of each, {order}."
        if row.only:
            chosen = "; ".join(f"{axis}: {', '.join(some)}" for axis, some in row.only.items())
            yield f"It was asked for these values only: {chosen}."
        if row.scale != 1:
            yield from self._scaled()
        for kind, words in KINDS.items():
            if arms := [v.name for axis in study.axes for v in axis.values if v.kind is kind]:
                yield f"{words}: {', '.join(arms)}."
        for order, values in sorted(row.resolved.items()):
            options = ", ".join(f"--{name}={value}" for name, value in values.items())
            cell = cell_title(self.execution.cells[int(order)].coordinates)
            yield f"Known from other configurations: {options} for {cell}."

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
                few = f"{', '.join(kept)} ({len(kept)} of {len(of)})"
                parts.append(f"of {axis} only what claims need and {few}")
        yield f"It is at scale {scale:g}: {'; '.join(parts)}." if parts else f"Scale {scale:g}."

    @property
    def remark(self) -> str:
        """What people say of it, marked as theirs: all else is computed."""
        return f"Written by a person: {self.row.remark}" if self.row.remark else ""

    @property
    def when(self) -> str:
        return executions.when(self.row)


KINDS = {
    Kind.ORIGINAL: "The software of the time",
    Kind.ADDED: "Not in the original",
    Kind.FLAW: "Repeating a mistake of the original, to show what it did",
}


def of_claims(outcomes: Mapping[str, int]) -> str:
    """How claims came out: "3 hold, 1 doesn't hold, 2 can't be told here"; empty without claims."""
    words = {Outcome.HOLDS: ("holds", "hold"), Outcome.FAILS: ("doesn't hold", "don't hold")}
    counted = [(outcome, outcomes.get(outcome.value, 0)) for outcome in Outcome]
    parts = [
        f"{count} {words.get(outcome, (outcome.value, outcome.value))[count != 1]}"
        for outcome, count in counted
        if count
    ]
    return listed(parts) if parts else ""


def study_report(row: StudyRun) -> StudyReport:
    """Raises UsageError for a file that this version can't read."""
    study = rows.study(row)
    return StudyReport(row, study, rows.execution(row, study))


def chosen(name: str, which: str = "", besides: StudyRun | None = None) -> StudyRun:
    """The execution of the study with that id or, of those with that label, the newest that has
    ended, else the newest; never the one that it is looked for `besides`.

    Raises UsageError where there is none.
    """
    every = [one for one in rows.executions(name) if besides is None or one.pk != besides.pk]
    matching = [one for one in every if not which or which in (str(one.pk), one.label)]
    if not matching:
        other = "other " if besides else ""
        wanted = f"execution {which[:60]!r} of {name}" if which else f"execution of {name} yet"
        raise UsageError(f"There is no {other}{wanted}; {_those(name, every)}")
    return next((one for one in matching if one.ended_at), matching[0])


def _those(name: str, every: Sequence[StudyRun]) -> str:
    """The labels and ids that there are, or how to execute the study."""
    known = [one.label or str(one.pk) for one in every[:NAMED]]
    if not known:
        return f"execute it: {command('runstudy', name)}"
    return f"there are, the newest first: {', '.join(dict.fromkeys(known))}."


def outcome(judgement: Judgement) -> str:
    """With a shape, so that no colour tells it alone."""
    return f"{SHAPES[judgement.outcome]} {judgement.outcome.value}"


def interval_words(interval: Interval) -> str:
    """ "1.02 [0.98, 1.06]", or with the reason why there is no interval."""
    if interval.low is None or interval.high is None:
        return f"{written(interval.value)} ({interval.reason})"
    return f"{written(interval.value)} [{written(interval.low)}, {written(interval.high)}]"


def _starts(cell: MeasuredCell) -> Shown:
    """ "2", or "2, 1 excluded: B401", or why there are none."""
    why_not = "" if cell.state is State.MEASURED else cell.reason
    excluded = [one for one in cell.starts if one.excluded]
    why = f", {len(excluded)} excluded: {reasons(excluded)}" if excluded else ""
    notes = {one.run: f"excluded: {', '.join(one.excluded)}" * bool(one.excluded)
             or ", ".join(one.failed) for one in cell.starts}  # fmt: skip
    runs = [(one.verdict, one.run, notes[one.run]) for one in cell.starts]
    if not runs:
        return Shown(why_not or "0")
    return Shown(f"{len(runs)}{why}", note=why_not, runs=runs)


def csv(report: StudyReport) -> Iterator[str]:
    """A row for each cell: coordinates, then each figure with least, most and published."""
    axes = [axis.name for axis in report.study.axes]
    names = [one.name for one in report.study.figures]
    head = [*axes, "state", "reason", "starts", "counted"]
    units = [figures.metric(one).with_unit for one in report.study.figures]
    head += [f"{name}{end}" for name in units for end in ("", "_least", "_most", "_published")]
    return table_as_csv(head, _rows(report, axes, names))


def _rows(
    report: StudyReport, axes: Sequence[str], names: Sequence[str]
) -> Iterator[Sequence[Any]]:
    for cell in report.execution.cells:
        row: list[Any] = [cell.coordinates.get(axis, "") for axis in axes]
        row += [cell.state.value, cell.reason, len(cell.starts), len(cell.counted)]
        beside = published.of(report.published, cell.coordinates)
        for name in names:
            values = cell.values(name)
            known = [fmean(values), min(values), max(values)] if values else [None] * 3
            row += [None if one is None or math.isinf(one) else one for one in known]
            row.append(beside.get(name))
        yield row
