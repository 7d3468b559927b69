"""Every rule once: `@bottleneck` declares its code, when it speaks, and what it explains."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import KW_ONLY, dataclass, replace

from benchsuite.bottlenecks.evidence import EVERYTHING, LimitEvidence, budget
from benchsuite.core.units import format_percent


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    code: str
    says: str
    evidence: str  #: In figures.
    fix: str
    gain: str = ""  #: What that would bring, predicted; empty where it can't be.


@dataclass(frozen=True, slots=True)
class Rule:
    """What is declared of a rule: decorates what looks for it, whose docstring says when."""

    number: str
    name: str
    _: KW_ONLY
    when: str = ""  #: In place of the docstring.
    explains: tuple[str, ...] = EVERYTHING  #: Parts of a request's time.
    unless: tuple[str, ...] = ()  #: Rules that say more: beside them it stays silent.

    def __call__(self, look: "Look") -> "Look":
        rule = replace(self, when=self.when or " ".join((look.__doc__ or "").split()))
        RULES[self.number] = rule
        CHECKS.append((rule, look))
        return look

    @property
    def code(self) -> str:
        return f"{self.number} {self.name}"


bottleneck = Rule
Look = Callable[[LimitEvidence], Iterator[dict[str, str]]]
"""Gives the fields of a `Limit` but its code; nothing where it does not apply."""

RULES: dict[str, Rule] = {}  #: By number; complete, as `benchsuite.bottlenecks` imports all groups.
CHECKS: list[tuple[Rule, Look]] = []
ENOUGH = 0.7  #: Of the time of a request, that the rules must explain.

UNNAMED = Rule(
    "L00",
    "not-named",
    when="more is asked than is answered at once, and the other rules explain less than 70 % of "
    "the response time",
)
RULES[UNNAMED.number] = UNNAMED

ASK = "Ask with --diagnose, which times queries and pauses of the garbage collector in one more run"
TIMED = "Queries and pauses of the garbage collector were timed, and do not explain it"
FURTHER = "runbench --flame shows which functions use the CPU."


def unnamed(evidence: LimitEvidence, parts: Collection[str]) -> Iterator[Limit]:
    """Where these parts of the response time, which the other rules explain, are too little."""
    time = budget(evidence)
    # where its parts are not known, it is enough that any is explained
    share = time.share(*parts) if time else float(bool(parts))
    if not evidence.is_pressed or share >= ENOUGH:
        return
    says = "No rule names what limits this run."
    if time is None:
        says = "Something limits this run, and what was measured does not tell what."
    elif parts:
        says = f"The limits above explain only {format_percent(100 * share)} of the response time."
    known = time.sentence if time else "The parts of its response time are not known."
    fix = f"{TIMED if evidence.diagnosis else ASK}; {FURTHER}"
    yield Limit(code=UNNAMED.code, says=says, evidence=known, fix=fix)
