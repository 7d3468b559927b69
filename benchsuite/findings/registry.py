"""Every finding once: its number and name, its limits, and the functions that look for it. Above
`weak` a figure may be off, above `invalid` it is wrong. `docs/reading-results.md` explains each.
"""

from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass, replace
from math import inf
from typing import Any

from benchsuite.core.observations import Evidence
from benchsuite.core.results import Finding, Level
from benchsuite.core.units import listed

OUTSIDE = ("B1", "B4")  #: How numbers begin of findings about the load generator or the machine.

INFORMATIONAL = "informational"
INVALID_SHARE = 0.5  #: From so many failed starts on a cell is invalid.


@dataclass(frozen=True, slots=True)
class Rule:
    """What is declared of a finding: a decorator of the function that looks for it, whose docstring
    begins with what is compared with the limits.
    """

    number: str
    name: str
    _: KW_ONLY
    of: str = ""  #: What is compared with the limits.
    unit: str = " %"
    weak: float = inf
    invalid: float = inf
    weak_words: str = ""  #: What else makes a run weak, or does so where that is no limit.
    invalid_words: str = ""
    by_stage: bool = False  #: Whether what it looks at differs from level to level of a load.
    beyond: bool = False  #: Whether it is no doubt at levels above that of the run's figures.
    own_stage_only: bool = False  #: Whether it is about the figures of its own stage only.
    always_told: bool = False  #: Whether the terminal says it even where it is informational.
    of_others: bool = False  #: Whether the figures of an invalid run are those of another program.

    def __call__(self, look: "Look") -> "Check":
        of = (look.__doc__ or "").partition("\n\n")[0]
        FINDINGS[self.number] = replace(self, of=" ".join(of.split()))
        return also(self.number, by_stage=self.by_stage)(look)

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

    def finding(self, level: Level, message: str, **more: Any) -> Finding:
        """`more`: a hint, and the value with the codes of what it counts, where there is one."""
        return Finding(code=self.code, level=level, message=message, unit=self.unit.strip(), **more)

    def weighed(self, value: float | None, message: str, **more: Any) -> Iterator[Finding]:
        """What is found of a value beyond the limits."""
        if level := self.level(value):
            yield self.finding(level, message, value=value, **more)

    @property
    def row(self) -> tuple[str, str, str, str]:
        """As tables list it."""
        words = []
        for limit, beside in ((self.weak, self.weak_words), (self.invalid, self.invalid_words)):
            own = {0: "any", inf: ""}.get(limit, f"above {limit:g}{self.unit}")
            words.append(", ".join(filter(None, (own, beside))))
        return self.code, self.of, words[0], words[1]


finding = Rule
Look = Callable[[Rule, Evidence], Iterator[Finding]]


@dataclass(frozen=True, slots=True)
class Check:
    rule: Rule
    look: Look
    by_stage: bool

    def __call__(self, evidence: Evidence) -> Iterator[Finding]:
        return self.look(self.rule, evidence)

    @property
    def number(self) -> str:
        return self.rule.number


FINDINGS: dict[str, Rule] = {}  #: By number; complete, as `benchsuite.findings` imports all groups.
CHECKS: list[Check] = []


def also(number: str, *, by_stage: bool = False) -> Callable[[Look], Check]:
    """Decorates another function that looks for a finding declared above it."""

    def declared(look: Look) -> Check:
        CHECKS.append(Check(FINDINGS[number], look, by_stage))
        return CHECKS[-1]

    return declared


HEADINGS = ("code", "what is compared", "weak", "invalid")


def rows() -> list[tuple[str, str, str, str]]:
    """All findings, by number, under `HEADINGS`."""
    return [FINDINGS[number].row for number in sorted(FINDINGS)]


ORDER = (Level.INVALID, Level.WEAK, Level.INFO)


def of_each_stage(check: Check, run: Evidence) -> Iterator[Finding]:
    """That of the worst stage, which it names, as it does the others; else that of the run."""
    if not (run.stages and check.by_stage):
        yield from check(run)
        return
    levels = [(stage.total.level if stage.total else None) or 0.0 for stage in run.stages]
    of_stages = []
    for place, stage in enumerate(run.stages):
        is_light = False
        if run.headline is not None and place != run.headline:
            beyond = check.rule.beyond and levels[place] > levels[run.headline]
            is_light = beyond or check.rule.own_stage_only
        for finding in check(stage):
            lighter = replace(finding, level=Level.INFO) if is_light else finding
            of_stages.append((stage.stage, lighter))
    if of_stages:
        name, worst = min(of_stages, key=lambda pair: ORDER.index(pair[1].level))
        rest = [stage for stage in dict(of_stages) if stage != name]
        also = f" The same check finds fault with {listed(rest)}." if rest else ""
        alike = dict.fromkeys(stage for stage, one in of_stages if one.level is worst.level)
        yield replace(worst, message=f"At {name}: {worst.message}{also}", stages=tuple(alike))
