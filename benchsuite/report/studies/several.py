"""Several executions: one beside others of its study, and the answers of all as one page."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from benchsuite.comparing.differences import SETTING, differences
from benchsuite.core.answer import Answer, Section, Shown, Table
from benchsuite.core.units import counted, listed
from benchsuite.models import Run, StudyRun
from benchsuite.report import sentences
from benchsuite.report.studies import execution, rows
from benchsuite.report.studies.execution import StudyReport, claims_words, outcome
from benchsuite.stats.steady import FEWEST_VALUES
from benchsuite.studies import figures, trend
from benchsuite.studies.claims import interval_words
from benchsuite.studies.study import Study, cell_title
from benchsuite.studies.tables import HOW
from benchsuite.studies.trend import trends

MOST_EXECUTIONS = 60  #: In a trend, the newest.


class Beside(NamedTuple):
    """What an execution has otherwise than an earlier or another one."""

    other: StudyReport
    section: Section


def chosen_beside(mine: StudyReport, which: str) -> Beside | None:
    """Environment, claims and figures over those of another, by id or label, if one is named."""
    if not which:
        return None
    other = execution.study_report(execution.chosen(mine.row.name, which, besides=mine.row))
    firsts = [first for one in (other, mine) if (first := _first(one.row))]
    are_known = len(firsts) == 2
    unlike = differences(firsts) if are_known else []
    unlike = [one for one in unlike if one.matters and not one.name.startswith(SETTING)]
    same_file = mine.row.digest == other.row.digest and mine.row.scale == other.row.scale
    changes, judged = trend.difference(mine.study, other.execution, mine.execution)
    turned = [
        [later.claim.says, outcome(earlier), outcome(later), later.reason]
        for earlier, later in judged
    ]
    tables = [Table(["claim", "there", "here", "why"], turned)] if turned else []
    titles = {one.name: figures.metric(one).headline() for one in other.study.figures}
    for word in ("shown", "not shown"):
        rows = [
            [cell_title(one.coordinates), titles[one.figure], interval_words(one.interval)]
            for one in changes
            if one.interval.value is not None and one.is_shown == (word == "shown")
        ]
        title = f"{counted(len(rows), 'difference')} {word}"
        heads = ["cell", "figure", "this / other [95 % interval]"]
        if rows:
            tables.append(Table(heads, rows, title=title, is_folded=word != "shown"))
    notes = {
        "The two are of another file or scale: configurations with the same values may not be the "
        "same.": not same_file,
        "Their environments don’t differ in what matters.": are_known and not unlike,
        "No claim came out otherwise.": not turned,
    }
    section = Section(
        title=f"Against the execution of {other.when}",
        sentences=[words for words, holds in notes.items() if holds],
        points=[one.words for one in unlike],
        tables=tables,
    )
    return Beside(other, section)


def _first(row: StudyRun) -> Run | None:
    runs = Run.objects.filter(study_cell__study_run=row, environment__isnull=False)
    return runs.select_related("environment", "software").order_by("study_cell__order").first()


def trend_of(mine: StudyReport) -> tuple[Section, int]:
    """Where the study's main figure changed over executions like this one; and their number."""
    study, row = mine.study, mine.row
    if not study.figures:
        return Section(title="Trend", points=["The study names no figures."]), 0
    every = rows.executions(row.name).filter(
        digest=row.digest, scale=row.scale, only=row.only, environment=row.environment
    )
    like = list(every.exclude(ended_at=None)[:MOST_EXECUTIONS])[::-1]
    name = study.objective.figure if study.objective else study.figures[0].name
    title = figures.metric(study.figure(name)).headline()
    return Section(title=f"Trend of {title}", points=_steps(like, study, name)), len(like)


def _steps(like: Sequence[StudyRun], study: Study, name: str) -> list[str]:
    """Of each cell, or why there are none."""
    if len(like) < FEWEST_VALUES:
        count = f"{counted(len(like), 'execution')} of this file, scale and environment"
        return [f"{count}; steps are looked for from {FEWEST_VALUES} on."]
    lines = []
    for cell in trends([rows.execution(one, study) for one in like], name):
        begun = [(step.ratio, like[step.at].started_at) for step in cell.steps]
        steps = "; ".join(f"× {ratio:.3g} from {moment:%d %b %Y}" for ratio, moment in begun)
        if steps:
            lines.append(f"{cell_title(cell.coordinates)}: {steps}")
    return lines or [f"No step in {len(like)} executions."]


def whole(mine: StudyReport, other: Beside | None = None) -> Answer:
    """The answer of an execution with its difference to another one, and the trend of several."""
    steps, executions = trend_of(mine)
    differences = [other.section] if other else []
    after = [steps] if executions > 1 else []
    return replace(mine.answer, sections=[*differences, *mine.answer.sections, *after])


EXECUTED = ("study", "question", "execution", "scale", "starts", "runs", "claims")
CLAIMS = ("study", "claim", "published", "ours", "outcome")


def together(reports: Sequence[StudyReport], without: Mapping[str, str]) -> Answer:
    """Of these, one a study, what is answered first; `without` says why other studies have none."""
    questions = [(report, question) for report in reports for question in report.questions]
    asked = [
        Section(
            title=question.asks,
            sentences=list(question.cases),
            points=[*question.changes, f"Measured by {report.study.name}: {report.measured}."],
            tables=question.rankings,
        )
        for report, question in sorted(questions, key=lambda pair: pair[1].answered, reverse=True)
        if question.rankings or question.changes
    ]
    links = {one.study.name: Shown(one.study.name, url=f"{one.study.name}.md") for one in reports}
    executed: list[list[str | Shown]] = [
        [
            *(links[one.study.name], one.study.question, one.when, f"{one.row.scale:g}"),
            *(str(one.row.repeat), one.verdicts, claims_words(one.outcomes) or "no claims"),
        ]
        for one in reports
    ]
    claims: list[list[str | Shown]] = [
        [links[report.study.name], one.claim.says, one.claim.published, one.reason, outcome(one)]
        for report in reports
        for one in report.claims
    ]
    return Answer(
        title="Which server do I take?",
        headline="runstudy --markdown wrote this page from stored executions.",
        reasons=[HOW] if asked else [],
        sections=[
            *asked,
            Section(
                title="What was executed",
                tables=[Table(EXECUTED, executed)],
                points=[f"{name}: {why}" for name, why in without.items()],
            ),
            Section(title="Claims", tables=[Table(CLAIMS, claims)]),
            *_environments(reports),
        ],
    )


def _environments(reports: Sequence[StudyReport]) -> Iterator[Section]:
    machines = list[Mapping[str, object]]()
    for report in reports:
        if report.machine not in machines:
            machines.append(report.machine)
    for facts in machines:
        group = [report for report in reports if report.machine == facts]
        of = f" of {listed([report.study.name for report in group])}" if len(machines) > 1 else ""
        served = sorted({server for report in group for server in report.servers})
        yield Section(title=f"Environment{of}", facts=sentences.environment(facts, served))
