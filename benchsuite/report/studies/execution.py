"""One execution of a study with all its evidence: claims, answers, tables, cells and method."""

import math
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean
from typing import Any

from benchsuite.core.answer import Answer, Section, Shown, Table
from benchsuite.core.commands import command
from benchsuite.core.exceptions import UsageError
from benchsuite.core.metrics.every import Metric
from benchsuite.core.results import Status
from benchsuite.core.units import counted, gathered, listed, some_of
from benchsuite.models import Run, StudyRun
from benchsuite.report import sentences
from benchsuite.report.charts.drawing import Chart
from benchsuite.report.exports import table_as_csv
from benchsuite.report.studies import charts, rows
from benchsuite.studies import claims, figures, matrix, tables
from benchsuite.studies.claims import Answered, Judgement, Lead, Outcome, Situation
from benchsuite.studies.measured import TOLD, Execution, MeasuredCell, State, reasons
from benchsuite.studies.study import RULES, Kind, Study, cell_title, names

SHAPES = {Outcome.HOLDS: "●", Outcome.FAILS: "○", Outcome.UNTOLD: "◐"}
"""Beside the word, so that it is never told by a colour alone."""
MOST = 5
NAMED = 3  #: Of those that are best in some case.
KINDS = {
    Kind.ORIGINAL: "The software of the time",
    Kind.ADDED: "Not in the original",
    Kind.FLAW: "Repeating a mistake of the original, to show what it did",
}


@dataclass(frozen=True)
class StudyReport:
    """One execution; everything is made when it is asked for."""

    row: StudyRun
    study: Study  #: As it was executed.
    execution: Execution

    @cached_property
    def claims(self) -> list[Judgement]:
        return claims.judge(self.study, self.execution)

    @cached_property
    def answered(self) -> list[Answered]:
        return claims.answered(self.study, self.execution)

    @cached_property
    def questions(self) -> list[tables.Question]:
        return tables.questions(self.study, self.execution, self.answered)

    @cached_property
    def follows(self) -> list[tuple[str, str]]:
        """At most five: answers with their questions, then claims, first those that don't hold."""
        metrics, following = {one.name: figures.metric(one) for one in self.study.figures}, []
        for answered in self.answered:
            if answered.situations:
                words = _words(answered.situations, metrics[answered.by.figure])
                following.append((" ".join(answered.answer.asks.split()), words))
        for wanted in (Outcome.FAILS, Outcome.HOLDS):
            for claim in self.claims:
                if claim.outcome is wanted:
                    says = claim.claim.says.rstrip(".")
                    following.append(("", f"“{says}” {wanted.value} today."))
        if untold := [claim.reason for claim in self.claims if claim.outcome is Outcome.UNTOLD]:
            (reason, _), *others = Counter(one.partition(";")[0] for one in untold).most_common()
            of = "One claim" if len(untold) == 1 else f"{len(untold)} claims"
            mostly = ", mostly" * bool(others)
            following.append(("", f"{of} can’t be told here{mostly}: {reason}."))
        return following[:MOST]

    @cached_property
    def answer(self) -> Answer:
        step, command = next_step(self.row)
        rows = [
            [outcome(one), one.claim.says, one.claim.published, one.reason] for one in self.claims
        ]
        table = Table(["outcome", "claim", "published", "why"], rows, title="Claims")
        return Answer(
            title=self.study.name,
            question=self.study.question,
            headline=headline(self.outcomes) or "The study makes no claims.",
            reasons=[f"{asked} {words}".strip() for asked, words in self.follows],
            premises=[f"Written by a person: {self.row.remark}"] * bool(self.row.remark),
            table=table if rows else None,
            cautions=[*filter(None, [self.outdated, *self.row.mixed, self.published[1]])],
            next_steps=[step] if step else [],
            command=command,
            sections=list(self._sections()),
        )

    def _sections(self) -> Iterator[Section]:
        checks = []
        for claim in self.claims:
            for check in claim.checks:
                interval = claims.interval_words(check.interval)
                row = [claim.claim.name, check.name, interval, check.wanted]
                checks.append([*row, check.outcome.value, check.interval.method])
        if checks:
            measured = f"measured [{100 * TOLD:.0f} % interval]"
            head = ["claim", "check", measured, "wanted", "outcome", "interval by"]
            table = Table(head, checks, title=counted(len(checks), "check"), is_folded=True)
            yield Section(title="Checks of the claims", tables=[table])
        if self.questions:
            unranked, rankings = [tables.HOW], []
            for question in self.questions:
                for words, ranking in question.cases.items():
                    if ranking is None:
                        unranked.append(f"{question.asks} {words}")
                        continue
                    title, note = f"{question.asks} {ranking.title}", f"{words} {ranking.note}"
                    rankings.append(replace(ranking, title=title.strip(), note=note))
            yield Section(title="Answers", sentences=unranked, tables=rankings)
        if layouts := tables.tables(self.study, self.execution, self.published[0]):
            yield Section(title="Measured and published", tables=layouts)
        stored = {matrix.key(one.coordinates): one.arguments for one in self.row.cells.all()}
        of_cells = [stored[matrix.key(one.coordinates)] for one in self.execution.cells]
        shared = [part for part in (of_cells or [[]])[0] if all(part in one for one in of_cells)]
        metrics = [figures.metric(one) for one in self.study.figures]
        headings = [metric.headline() for metric in metrics]
        rows: list[list[str | Shown]] = [
            [
                cell_title(cell.coordinates),
                _starts(cell),
                *(tables.shown(cell, metric) for metric in metrics),
                shlex.join(part for part in arguments if part not in shared),
            ]
            for cell, arguments in zip(self.execution.cells, of_cells, strict=True)
            if cell.starts
        ]
        heads = ["configuration", "runs", *headings, "options of its own"]
        unmade = [cell for cell in self.execution.cells if not cell.starts]
        skipped = gathered((cell.reason, cell_title(cell.coordinates)) for cell in unmade)
        more = [f"{some_of(cells, 1)}: {reason}" for reason, cells in skipped.items()]
        configurations = [Table(heads, rows, figures=headings)] if rows else []
        yield Section(title="Configurations", points=more, tables=configurations)
        points = [f"{self.when}. Runs: {self.verdicts}.", *self.method()]
        copies = {"All configurations share": command("runbench", *shared)}
        yield Section(title="Method", points=points, copies=copies)
        yield Section(title="Environment", facts=sentences.environment(self.machine, self.servers))

    @cached_property
    def published(self) -> tuple[list[tables.PublishedRow], str]:
        """And why there are none, where the study names some."""
        try:
            return tables.published_rows(self.study), ""
        except UsageError as error:
            return [], str(error)

    @cached_property
    def charts(self) -> list[Chart]:
        return charts.charts(self.study, self.execution, self.published[0])

    @property
    def outdated(self) -> str:
        """That its runs were judged by other rules than those of today."""
        same = self.row.rules == RULES
        return "" if same else "Its runs were judged by the rules of another benchsuite."

    @property
    def outcomes(self) -> dict[str, int]:
        return dict(Counter(claim.outcome.value for claim in self.claims))

    @property
    def verdicts(self) -> str:
        """Of all runs: "40 valid, 3 weak, 1 invalid"."""
        counts = Counter(one.verdict for cell in self.execution.cells for one in cell.starts)
        return ", ".join(f"{count} {word}" for word, count in counts.most_common()) or "none"

    @property
    def measured(self) -> str:
        """ "40 valid, 3 weak on 2 CPUs, scale 0.05" """
        cpus = self.machine.get("CPUs")
        return f"runs {self.verdicts}{f' on {cpus} CPUs' if cpus else ''}, scale {self.row.scale:g}"

    @property
    def machine(self) -> dict[str, object]:
        return sentences.machine(self.row)

    @cached_property
    def servers(self) -> list[str]:
        return sentences.servers(Run.objects.filter(study_cell__study_run=self.row))

    def method(self) -> Iterator[str]:
        """How it was measured, from the file and from what was asked for."""
        study, row, scale = self.study, self.row, self.row.scale
        axes = " × ".join(f"{axis.name} ({', '.join(names(axis.values))})" for axis in study.axes)
        yield f"The configurations are {axes}."
        every, here = len(list(matrix.every(study))), len(self.execution.cells)
        of = f"all {every}" if every == here else f"{here} of its {every}"
        runs = counted(row.repeat, "run") if row.looks == 1 else "a run or more"
        order = f"in shuffled blocks (seed {row.seed})"
        yield f"This execution has {of} configurations with {runs} of each, {order}."
        if row.only:
            chosen = "; ".join(f"{axis}: {', '.join(some)}" for axis, some in row.only.items())
            yield f"It was asked for these values only: {chosen}."
        if scale != 1:
            shorter, faster = ", ".join(study.scaling.shorter), ", ".join(study.scaling.faster)
            parts = [f"{shorter} multiplied by it, down to a least"] if shorter else []
            parts += [f"{faster} divided by it"] if faster else []
            needed = "claims and questions" if row.looks > 1 and not row.claims else "claims"
            for name, kept in matrix.kept_values(study, scale).items():
                known = names(study.axis(name).values)
                if len(kept) < len(known) and name not in row.only:
                    few = f" and {', '.join(kept)} ({len(kept)} of {len(known)})" * (not row.claims)
                    parts.append(f"of {name} only what {needed} need{few}")
            yield f"It is at scale {scale:g}: {'; '.join(parts)}." if parts else f"Scale {scale:g}."
        for kind, words in KINDS.items():
            if arms := [v.name for axis in study.axes for v in axis.values if v.kind is kind]:
                yield f"{words}: {', '.join(arms)}."

    @property
    def when(self) -> str:
        return sentences.when(self.row)


def claims_words(outcomes: Mapping[str, int]) -> str:
    """How claims came out: "3 hold, 1 doesn't hold, 2 can't be told here"; empty without claims."""
    words = {Outcome.HOLDS: ("holds", "hold"), Outcome.FAILS: ("doesn't hold", "don't hold")}
    parts = [
        f"{count} {words.get(outcome, (outcome.value, outcome.value))[count != 1]}"
        for outcome in Outcome
        if (count := outcomes.get(outcome.value, 0))
    ]
    return listed(parts) if parts else ""


def headline(outcomes: Mapping[str, int]) -> str:
    """The same as a sentence."""
    words = claims_words(outcomes)
    return f"Of its claims {words}." if words else ""


def study_report(row: StudyRun) -> StudyReport:
    """Raises UsageError for a file that this version can't read."""
    study = rows.study(row)
    execution = rows.execution(row, study)
    if row.status != Status.RUNNING.value:  # what the time did not reach is no part of it
        reached = [one for one in execution.cells if one.starts or one.state is not State.PLANNED]
        execution = replace(execution, cells=reached)
    return StudyReport(row, study, execution)


def chosen(name: str, which: str = "", besides: StudyRun | None = None) -> StudyRun:
    """The study's execution by id or label, the newest that ended first; else UsageError."""
    every = [one for one in rows.executions(name) if besides is None or one.pk != besides.pk]
    matching = [one for one in every if not which or which in (str(one.pk), one.label)]
    if not matching:
        other, known = "other " if besides else "", [one.label or str(one.pk) for one in every]
        wanted = f"execution {which[:60]!r} of {name}" if which else f"execution of {name} yet"
        there = f"there are, the newest first: {', '.join(dict.fromkeys(known[:6]))}."
        if not known:
            there = f"execute it: {command('runstudy', name)}"
        raise UsageError(f"There is no {other}{wanted}; {there}")
    return next((one for one in matching if one.ended_at), matching[0])


def outcome(judgement: Judgement) -> str:
    """With a shape, so that no colour tells it alone."""
    return f"{SHAPES[judgement.outcome]} {judgement.outcome.value}"


def _starts(cell: MeasuredCell) -> Shown:
    """ "2", or "2, 1 excluded: B401"."""
    why_not = "" if cell.state is State.MEASURED else cell.reason
    excluded = [one for one in cell.starts if one.excluded]
    why = f", {len(excluded)} excluded: {reasons(excluded)}" if excluded else ""
    runs = [
        (one.verdict, one.run, "excluded: " * bool(one.excluded) + reasons([one]))
        for one in cell.starts
    ]
    return Shown(f"{len(runs)}{why}", note=why_not, runs=runs)


def csv(report: StudyReport) -> Iterator[str]:
    """A row for each cell: coordinates, then each figure with least, most and published."""
    axes = [axis.name for axis in report.study.axes]
    head, table = [*axes, "state", "reason", "starts", "counted"], []
    for figure in report.study.figures:
        name = figures.metric(figure).with_unit
        head += [name, f"{name}_least", f"{name}_most", f"{name}_published"]
    for cell in report.execution.cells:
        row: list[Any] = [cell.coordinates.get(axis, "") for axis in axes]
        row += [cell.state.value, cell.reason, len(cell.starts), len(cell.counted)]
        beside = tables.published_of(report.published[0], cell.coordinates)
        for figure in report.study.figures:
            values = cell.measured(figure.name)
            known = [fmean(values), min(values), max(values)] if values else [None] * 3
            row += [None if one is None or math.isinf(one) else one for one in known]
            row.append(beside.get(figure.name))
        table.append(row)
    return table_as_csv(head, table)


def _words(situations: Sequence[Situation], metric: Metric) -> str:
    if len(situations) == 1:
        return tables.sentence(situations[0], metric)
    first = Counter(one.best[0].name for one in situations if one.lead is Lead.ALONE)
    if not first:
        shared = any(one.lead is Lead.SHARED for one in situations)
        return "In no case one is clearly best." if shared else "It can’t be told here."
    leaders = [f"{name} in {count}" for name, count in first.most_common(NAMED)]
    return f"Clearly best of {len(situations)} cases: {listed(leaders)}."


def again(row: StudyRun, *words: str) -> str:
    """The command that executes it once more, whole or with these words."""
    return command("runstudy", row.name, *[f"--label={row.label}"] * bool(row.label), *words)


def next_step(row: StudyRun) -> tuple[str, str]:
    if row.status == Status.RUNNING.value:
        return "", ""
    if row.status != Status.FINISHED.value:
        return "It has not ended; go on with it:", f"{again(row)} --resume"
    if row.scale != 1:
        return "It was shortened; execute it whole to tell more:", again(row)
    words = [f"--only={axis}={','.join(values)}" for axis, values in row.only.items()]
    words += ["--claims"] * row.claims
    return "Execute it again to see whether it stays so:", again(row, *words)
