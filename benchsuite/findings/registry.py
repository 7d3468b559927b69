"""Every finding once: its number and name, its limits, and the functions that look for it.

`@finding` declares one, `@also` adds another function that looks for it. Above `weak` a figure may
be off, above `invalid` it is wrong. `docs/reading-results.md` explains each.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf

from benchsuite.core.observations import Evidence
from benchsuite.core.results import Finding, Level

OUTSIDE = ("B1", "B4")
"""How numbers begin of findings about the load generator (B1) or the machine (B4). The others are
about the target (B2), the window (B3) and the project's settings (B5)."""

INFORMATIONAL = "informational"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What is declared of a finding."""

    number: str
    name: str
    of: str  #: What is compared with the limits.
    unit: str
    weak: float
    invalid: float
    weak_words: str  #: What else makes a run weak, or what does where no limit is the rule.
    invalid_words: str
    beyond: bool
    """Whether it is an answer, and no doubt, at levels of load above the one that the run's
    figures are of: what a target does beyond what it can take."""
    own_stage_only: bool  #: Whether it says something of the figures of its own stage only.
    of_others: bool  #: Whether the figures are those of another program when it is invalid.

    @property
    def code(self) -> str:
        """Number and name, as it stands in results."""
        return f"{self.number} {self.name}"

    def level(self, value: float | None) -> Level | None:
        """How much this value weighs; None when it is within bounds or missing."""
        if value is None:
            return None
        if value > self.invalid:
            return Level.INVALID
        return Level.WEAK if value > self.weak else None

    def found(self, level: Level, message: str, *, hint: str) -> Finding:
        return Finding(code=self.code, level=level, message=message, hint=hint)

    @property
    def row(self) -> tuple[str, str, str, str]:
        """Its row in tables: code, what is compared, weak above, invalid above."""
        weak = _told(self.weak, self.unit, self.weak_words)
        return self.code, self.of, weak, _told(self.invalid, self.unit, self.invalid_words)


Look = Callable[[Rule, Evidence], Iterator[Finding]]


@dataclass(frozen=True, slots=True)
class Check:
    """A function that looks for a finding, with what is declared of that."""

    rule: Rule
    look: Look
    by_stage: bool  #: Whether what it looks at differs from level to level of a load.

    def __call__(self, evidence: Evidence) -> Iterator[Finding]:
        return self.look(self.rule, evidence)


FINDINGS: dict[str, Rule] = {}  #: By number; all that there are, as the package imports all groups.
CHECKS: list[Check] = []

HEADINGS = ("code", "what is compared", "weak above", "invalid above")


def finding(
    number: str,
    name: str,
    *,
    of: str,
    unit: str = " %",
    weak: float = inf,
    invalid: float = inf,
    weak_words: str = "",
    invalid_words: str = "",
    by_stage: bool = False,
    beyond: bool = False,
    own_stage_only: bool = False,
    of_others: bool = False,
) -> Callable[[Look], Check]:
    """Declares a finding; what is decorated looks for it."""
    FINDINGS[number] = Rule(
        number=number,
        name=name,
        of=of,
        unit=unit,
        weak=weak,
        invalid=invalid,
        weak_words=weak_words,
        invalid_words=invalid_words,
        beyond=beyond,
        own_stage_only=own_stage_only,
        of_others=of_others,
    )
    return also(number, by_stage=by_stage)


def also(number: str, *, by_stage: bool = False) -> Callable[[Look], Check]:
    """What is decorated looks for a finding that is declared already, too."""

    def declared(look: Look) -> Check:
        CHECKS.append(Check(FINDINGS[number], look, by_stage))
        return CHECKS[-1]

    return declared


def rows() -> list[tuple[str, str, str, str]]:
    """Of the table of all findings, by number."""
    return [FINDINGS[number].row for number in sorted(FINDINGS)]


def _told(limit: float, unit: str, words: str) -> str:
    number = {0: "one", inf: ""}.get(limit, f"{limit:g}{unit}")
    return ", ".join(filter(None, (number, words)))
