"""From figures to doubts: pure functions of `Evidence`, which modules declare as they are imported.
What was not observed gives no finding.
"""

from collections.abc import Iterable

from benchsuite.core.observations import Evidence
from benchsuite.core.results import Finding, Level, Verdict
from benchsuite.findings import generator, host, sockets, target, window  # noqa: F401
from benchsuite.findings.registry import CHECKS, of_each_stage


def assess(evidence: Evidence) -> tuple[Finding, ...]:
    """All findings about one run, by code."""
    findings = [finding for check in CHECKS for finding in of_each_stage(check, evidence)]
    return tuple(sorted(findings, key=lambda finding: finding.code))


def verdict(findings: Iterable[Finding]) -> Verdict:
    """The worst level of all findings."""
    levels = {finding.level for finding in findings}
    if Level.INVALID in levels:
        return Verdict.INVALID
    return Verdict.WEAK if Level.WEAK in levels else Verdict.VALID
