"""What servers made of WebSocket, for people."""

from rich.text import Text

from benchsuite.conformance.check import CheckResult
from benchsuite.conformance.outcomes import Outcome
from benchsuite.conformance.session import Report
from benchsuite.report.terminal.grid import Grid

STYLES = {Outcome.OK: "green", Outcome.INFORMATIONAL: "yellow", Outcome.FAILED: "red"}


def headline(report: Report) -> str:
    options = " ".join(f"{name}={value}" for name, value in report.options.items())
    named = " ".join(part for part in (report.server, report.version, options) if part)
    counts = ", ".join(f"{report.count(outcome)} {outcome}" for outcome in Outcome)
    return f"{named} · {report.application}: {counts} in {report.seconds:.0f} s"


def table(report: Report, *, everything: bool) -> Grid:
    """A row for each thing seen; checks of a group that came to the same share one."""
    rows: dict[tuple[str, Outcome, str], list[CheckResult]] = {}
    for finding in report.findings:
        if everything or finding.outcome != Outcome.OK or finding.seen:
            key = (finding.check.group, finding.outcome, finding.seen)
            rows.setdefault(key, []).append(finding)
    return Grid(
        headings=("group", "check", "section", "result", "seen"),
        rows=[
            [
                group,
                "; ".join(finding.check.name for finding in findings),
                ", ".join(dict.fromkeys(finding.check.section for finding in findings)),
                Text(str(outcome), style=STYLES[outcome]),
                seen,
            ]
            for (group, outcome, seen), findings in rows.items()
        ],
        words=("result",),
        prose=("check", "section", "seen"),
        spare=("section",),
    )
