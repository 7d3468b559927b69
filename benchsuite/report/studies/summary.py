"""Which server do I take? What executions of studies answer together, as one page."""

from collections.abc import Iterator, Mapping, Sequence

from benchsuite.core.answer import Answer, Section, Shown, Table
from benchsuite.core.units import listed
from benchsuite.report import sentences
from benchsuite.report.studies.execution import StudyReport, claims_words, outcome
from benchsuite.studies.tables import HOW

EXECUTED = ("study", "question", "execution", "scale", "starts", "runs", "claims")
CLAIMS = ("study", "claim", "published", "ours", "outcome")


def answer(reports: Sequence[StudyReport], without: Mapping[str, str]) -> Answer:
    """Of these, one a study, what is answered first; `without` says why other studies have none."""
    questions = [(report, question) for report in reports for question in report.questions]
    asked = [
        Section(
            title=question.asks,
            sentences=list(question.cases),
            points=[*question.changes, f"Measured by {report.study.name}: {report.measured}."],
            tables=question.rankings,
        )
        for report, question in sorted(questions, key=lambda pair: pair[1].told, reverse=True)
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
