"""What was said of a run, held against what is wrong with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from benchmarks.faults.case import Case
from benchsuite.core.results import Finding, Level, RunResult

NOISY = ("B401", "B402")
"""Findings about others on the machine; where nothing was done to it, they are true all the same,
and explain what else was found."""


SAID = frozenset({"B203", "B304", "B501"})
"""Findings that are a true sentence also where they are only said; others are said when a check
could not be made."""


class Ending(StrEnum):
    CAUGHT = "caught"
    WRONG = "wrong code"
    """Doubtful for another reason only."""
    MISSED = "missed"
    SILENT = "clean"
    WEAK = "weak"
    """Nothing was wrong."""
    INVALID = "invalid"
    """Nothing was wrong."""
    UNMADE = "not made"
    """This machine can't be sabotaged in that way, or the run has failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one case, as it is kept."""

    number: int
    kind: str
    ending: Ending
    disturbed: bool
    """Whether others kept the machine busy."""
    codes: Sequence[str]
    """All that weighed."""
    said: Sequence[str] = ()


def judged(case: Case, result: RunResult) -> Outcome:
    weighing = [one for one in result.findings if one.level is not Level.INFO]
    said = [f"{one.code} ({one.level}): {one.message}" for one in result.findings]
    return Outcome(
        number=case.number,
        kind=case.kind,
        ending=_ending(case, result, weighing),
        disturbed=any(number(one) in NOISY and number(one) not in case.codes for one in weighing),
        codes=[number(one) for one in weighing],
        said=[*said, *([result.failure] if result.failure else [])],
    )


def _ending(case: Case, result: RunResult, weighing: Sequence[Finding]) -> Ending:
    if result.failure and not result.findings:
        return Ending.UNMADE
    told = [one for one in result.findings if one in weighing or number(one) in SAID]
    if case.is_due and any(number(one) in case.codes for one in told):
        return Ending.CAUGHT
    if case.is_due:
        return Ending.WRONG if weighing else Ending.MISSED
    false = [one for one in weighing if number(one) not in case.codes]
    if not false:
        return Ending.SILENT
    invalid = any(one.level is Level.INVALID for one in false)
    return Ending.INVALID if invalid else Ending.WEAK


def number(finding: Finding) -> str:
    """ "B201" of "B201 failures"."""
    return finding.code.partition(" ")[0]
