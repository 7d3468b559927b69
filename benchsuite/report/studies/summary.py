"""Which server do I take? What executions of studies answer together, as one page."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from benchsuite.core.answer import Answer, Section, Shown, Table
from benchsuite.core.units import listed
from benchsuite.report.studies.execution import StudyReport, outcome
from benchsuite.studies.tables import HOW

BY = "runstudy --markdown wrote this page from stored executions."


def answer(reports: Sequence[StudyReport], without: Mapping[str, str]) -> Answer:
    """Of these executions, one a study; `without` says why there is none of other studies."""
    asked = [(report, one) for report in reports for one in report.questions]
    remarks = [f"{one.study.name}. {one.remark}" for one in reports if one.remark]
    return Answer(
        title="Which server do I take?",
        headline=BY,
        reasons=[HOW] if asked else [],
        sections=[
            *(
                Section(
                    title=asks,
                    tables=[
                        replace(one, title=f"From {report.study.name}")
                        for report, one in asked
                        if one.title == asks
                    ],
                )
                for asks in dict.fromkeys(one.title for _, one in asked)
            ),
            Section(
                title="What was executed",
                tables=[_executed(reports)],
                points=[f"{name}: {why}" for name, why in without.items()],
            ),
            Section(title="Claims", tables=[_claims(reports)]),
            *([Section(title="Remarks", points=remarks)] if remarks else []),
            *_environments(reports),
        ],
    )


def _link(report: StudyReport) -> Shown:
    return Shown(report.study.name, url=f"{report.study.name}.md")


def _executed(reports: Sequence[StudyReport]) -> Table:
    return Table(
        ["study", "question", "execution", "scale", "starts", "runs", "claims"],
        [
            [
                *(_link(one), one.study.question, one.when, f"{one.row.scale:g}"),
                *(str(one.row.repeat), one.verdicts, one.counts),
            ]
            for one in reports
        ],
    )


def _claims(reports: Sequence[StudyReport]) -> Table:
    return Table(
        ["study", "claim", "published", "ours", "outcome"],
        [
            [_link(report), one.claim.says, one.claim.published, one.reason, outcome(one)]
            for report in reports
            for one in report.claims
        ],
    )


def _environments(reports: Sequence[StudyReport]) -> Iterator[Section]:
    """One for each machine."""
    machines: list[tuple[Mapping[str, object], list[StudyReport]]] = []
    for report in reports:
        mine = next((group for facts, group in machines if facts == report.machine), None)
        if mine is None:
            machines.append((report.machine, [report]))
        else:
            mine.append(report)
    for facts, group in machines:
        of = f" of {listed([report.study.name for report in group])}" if len(machines) > 1 else ""
        served = sorted({server for report in group for server in report.servers})
        servers = {"servers": ", ".join(served)} if served else {}
        yield Section(title=f"Environment{of}", facts={**facts, **servers})
