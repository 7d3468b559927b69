"""From figures to doubts: each check looks at one way in which a run can be wrong.

All checks are pure functions of `Evidence`; thresholds stand in `limits`, once.
"""

from collections.abc import Iterable

from benchsuite.core.observations import (
    Arrivals,
    ClockCheck,
    Cluster,
    Connection,
    Evidence,
    FrontShares,
    HostShares,
    Probes,
    Slots,
    Stored,
    Turnover,
    UnderWay,
)
from benchsuite.core.results import Finding, Level, Verdict
from benchsuite.findings.capacity import near_capacity
from benchsuite.findings.front import BY_STAGE as FRONT_BY_STAGE
from benchsuite.findings.generator import BY_STAGE as GENERATOR_BY_STAGE
from benchsuite.findings.generator import CHECKS as GENERATOR
from benchsuite.findings.host import CHECKS as HOST
from benchsuite.findings.layer import CHECKS as LAYER
from benchsuite.findings.prober import BY_STAGE as PROBER_BY_STAGE
from benchsuite.findings.project import CHECKS as PROJECT
from benchsuite.findings.sockets import CHECKS as SOCKETS
from benchsuite.findings.stages import of_each_stage
from benchsuite.findings.target import BY_STAGE as TARGET_BY_STAGE
from benchsuite.findings.target import CHECKS as TARGET
from benchsuite.findings.window import BY_STAGE as WINDOW_BY_STAGE
from benchsuite.findings.window import CHECKS as WINDOW

__all__ = [
    "Arrivals",
    "ClockCheck",
    "Cluster",
    "Connection",
    "Evidence",
    "FrontShares",
    "HostShares",
    "Probes",
    "Slots",
    "Stored",
    "Turnover",
    "UnderWay",
    "assess",
    "verdict",
]

CHECKS = (*GENERATOR, *TARGET, *SOCKETS, *LAYER, *WINDOW, *HOST, *PROJECT)
BY_STAGE = (
    *GENERATOR_BY_STAGE,
    *PROBER_BY_STAGE,
    *TARGET_BY_STAGE,
    *FRONT_BY_STAGE,
    *WINDOW_BY_STAGE,
    near_capacity,
)
"""Checks of what differs from level to level of a load."""


def assess(evidence: Evidence) -> tuple[Finding, ...]:
    """All findings about one run, by code."""
    found: list[Finding] = []
    for check in CHECKS:
        found += check(evidence)
    for check in BY_STAGE:
        if evidence.stages:
            found += of_each_stage(check, evidence.stages, evidence.headline)
        else:
            found += check(evidence)
    return tuple(sorted(found, key=lambda finding: finding.code))


def verdict(findings: Iterable[Finding]) -> Verdict:
    """The worst level of all findings."""
    levels = {finding.level for finding in findings}
    if Level.INVALID in levels:
        return Verdict.INVALID
    return Verdict.WEAK if Level.WEAK in levels else Verdict.VALID
