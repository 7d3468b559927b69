"""Every rule once: `@bottleneck` declares its code, when it speaks, and what it explains."""

from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass

from benchsuite.bottlenecks.budget import CPU, QUEUE, REST, RUN_DELAY, SENDING
from benchsuite.bottlenecks.evidence import Evidence

WAITING = (SENDING, QUEUE, CPU, RUN_DELAY)
EVERYTHING = (*WAITING, "database", REST)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """What limits a run."""

    code: str
    says: str
    evidence: str  #: In figures.
    fix: str
    gain: str = ""  #: What that would bring, predicted; empty where it can't be.


@dataclass(frozen=True, slots=True)
class Rule:
    """What is declared of a rule: a decorator of the function that looks for it."""

    number: str
    name: str
    _: KW_ONLY
    when: str  #: When it speaks, in words.
    explains: tuple[str, ...] = EVERYTHING  #: Parts of a request's time.
    unless: tuple[str, ...] = ()  #: Rules that say more: beside them it stays silent.

    def __call__(self, look: "Look") -> "Look":
        RULES[self.number] = self
        CHECKS.append((self, look))
        return look

    @property
    def code(self) -> str:
        return f"{self.number} {self.name}"


bottleneck = Rule
Look = Callable[[Evidence], Iterator[dict[str, str]]]
"""Gives the fields of a `Limit` but its code; nothing where it does not apply."""

RULES: dict[str, Rule] = {}  #: By number; complete, as `benchsuite.bottlenecks` imports all groups.
CHECKS: list[tuple[Rule, Look]] = []

HEADINGS = ("code", "speaks when")


def rows() -> list[tuple[str, str]]:
    """All rules, by number, under `HEADINGS`."""
    return [(RULES[number].code, RULES[number].when) for number in sorted(RULES)]
