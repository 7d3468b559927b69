"""From figures to doubts: each check looks at one way in which a run can be wrong.

All checks are pure functions of `Evidence`; thresholds stand in `limits`, once.
"""

from collections.abc import Iterable

from benchsuite.results import Finding, Level, Verdict
from benchsuite.stats.validity.evidence import (
    Arrivals,
    ClockCheck,
    Cluster,
    Evidence,
    HostShares,
    Probes,
    Stored,
    Turnover,
)
from benchsuite.stats.validity.generator import CHECKS as GENERATOR
from benchsuite.stats.validity.host import CHECKS as HOST
from benchsuite.stats.validity.project import CHECKS as PROJECT
from benchsuite.stats.validity.target import CHECKS as TARGET
from benchsuite.stats.validity.window import CHECKS as WINDOW

__all__ = [
    "Arrivals",
    "ClockCheck",
    "Cluster",
    "Evidence",
    "HostShares",
    "Probes",
    "Stored",
    "Turnover",
    "assess",
    "verdict",
]

CHECKS = (*GENERATOR, *TARGET, *WINDOW, *HOST, *PROJECT)


def assess(evidence: Evidence) -> tuple[Finding, ...]:
    """All findings about one run, by code."""
    found = [finding for check in CHECKS for finding in check(evidence)]
    return tuple(sorted(found, key=lambda finding: finding.code))


def verdict(findings: Iterable[Finding]) -> Verdict:
    """The worst level of all findings."""
    levels = {finding.level for finding in findings}
    if Level.INVALID in levels:
        return Verdict.INVALID
    return Verdict.WEAK if Level.WEAK in levels else Verdict.VALID
