"""Which server starts count: one rule for tables, lists, comparisons and gates.

* A start that is in doubt because of the machine or the load generator (B1xx, B4xx), or that was
  interrupted, is excluded, and counted as that: its figures say nothing about the server.
* A start that the server itself spoiled (B2xx, it did not start, it died) stays in the count:
  without it a server that fails looks better than it is. It makes its cell weak, from half of the
  starts on invalid. So does any other invalid start: only a known cause outside excuses one.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from benchsuite.core.results import UNREADABLE, Status, Verdict
from benchsuite.findings.registry import FINDINGS, OUTSIDE

OF_OTHERS = tuple(number for number, rule in FINDINGS.items() if rule.of_others)

INVALID_SHARE = 0.5  #: From so many failed starts on a cell is invalid.


class Standing(StrEnum):
    COUNTED = "counted"
    FAILED = "failed"  #: Counted, and spoiled by the server.
    EXCLUDED = "excluded"


REASONS = {
    Status.RUNNING.value: "running",
    Status.INTERRUPTED.value: "interrupted",
    Status.FAILED.value: "no result",
}


@dataclass(frozen=True, slots=True)
class Start:
    """One start: how it ended, its verdict or "", the codes of what makes it invalid."""

    status: str
    verdict: str
    codes: Sequence[str] = ()

    @property
    def standing(self) -> Standing:
        if self.status in (Status.RUNNING.value, Status.INTERRUPTED.value, UNREADABLE):
            return Standing.EXCLUDED
        if self.status == Status.FINISHED.value and self.verdict in (Verdict.VALID, Verdict.WEAK):
            return Standing.COUNTED
        if self.codes and all(code.startswith(OUTSIDE) for code in self.codes):
            return Standing.EXCLUDED
        return Standing.FAILED

    @property
    def has_own_figures(self) -> bool:
        """Whether its figures, where there are any, are those of this server, fairly measured."""
        of_others = any(code.startswith(OF_OTHERS) for code in self.codes)
        return self.standing is not Standing.EXCLUDED and not of_others

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it is not sound: "B401", "running"; empty for one that is."""
        if self.standing is Standing.COUNTED:
            return ()
        numbers = tuple(dict.fromkeys(code.split()[0] for code in self.codes))
        if self.status == Status.FINISHED.value:
            return numbers or (self.verdict or "not examined",)
        return numbers or (REASONS.get(self.status, self.status),)


@dataclass(frozen=True, slots=True)
class Starts:
    """All starts of a cell."""

    every: Sequence[Start]

    @property
    def counted(self) -> list[Start]:
        return [start for start in self.every if start.standing is not Standing.EXCLUDED]

    @property
    def failed(self) -> list[Start]:
        return [start for start in self.every if start.standing is Standing.FAILED]

    @property
    def excluded(self) -> list[Start]:
        return [start for start in self.every if start.standing is Standing.EXCLUDED]

    @property
    def verdict(self) -> Verdict:
        """Of all together: of no counted start invalid, else by how many failed or are weak."""
        if len(self.failed) >= INVALID_SHARE * len(self.counted):
            return Verdict.INVALID
        weak = any(start.verdict == Verdict.WEAK for start in self.counted)
        return Verdict.WEAK if weak or self.failed else Verdict.VALID

    @property
    def number(self) -> str:
        """ "6", or "5/6" where one of six is excluded."""
        counted, every = len(self.counted), len(self.every)
        return str(every) if counted == every else f"{counted}/{every}"

    @property
    def words(self) -> str:
        """ "6 runs", "5 of 6 runs; 1 excluded (B401)", "2 of 6 runs failed (B201)"."""
        counted, runs = len(self.counted), f"{len(self.every)} run{'s' * (len(self.every) != 1)}"
        parts = []
        if self.excluded:
            parts.append(f"{counted} of {runs}")
            parts.append(f"{len(self.excluded)} excluded ({reasons_of(self.excluded)})")
        if self.failed:
            of = f"{counted}" if self.excluded else runs
            parts.append(f"{len(self.failed)} of {of} failed ({reasons_of(self.failed)})")
        return "; ".join(parts) or runs

    @property
    def is_whole(self) -> bool:
        """Whether every start counts and none failed."""
        return not self.excluded and not self.failed


def reasons_of(starts: Iterable[Start]) -> str:
    """Most frequent first; each with how many, where not all have it."""
    counts = Counter(reason for start in starts for reason in start.reasons)
    return ", ".join(
        f"{count} × {reason}" if len(counts) > 1 and count > 1 else reason
        for reason, count in counts.most_common()
    )
