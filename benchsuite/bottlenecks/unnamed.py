"""What no rule explains: L00. Nothing is guessed."""

from collections.abc import Collection, Iterator

from benchsuite.bottlenecks.budget import budget
from benchsuite.bottlenecks.evidence import Evidence
from benchsuite.bottlenecks.registry import RULES, Limit, Rule
from benchsuite.core.units import format_percent

ENOUGH = 0.7  #: Of the time of a request, that the rules must explain.

UNNAMED = Rule(
    "L00",
    "not-named",
    when="more is asked than is answered at once, and the other rules explain less than 70 % of "
    "the response time",
)
RULES[UNNAMED.number] = UNNAMED

ASK = (
    "Ask with --diagnose, which times queries and pauses of the garbage collector in one more start"
)
TIMED = "Queries and pauses of the garbage collector were timed, and do not explain it"
FURTHER = "runbench --flame shows which functions use the CPU."


def unnamed(evidence: Evidence, parts: Collection[str]) -> Iterator[Limit]:
    """Where these parts of the response time, which the other rules explain, are too little."""
    if not evidence.is_pressed:
        return
    found, fix = budget(evidence), f"{TIMED if evidence.diagnosis else ASK}; {FURTHER}"
    if found is None:
        if not parts:
            yield Limit(
                code=UNNAMED.code,
                says="Something limits this run, and what was measured does not tell what.",
                evidence="The parts of its response time are not known.",
                fix=fix,
            )
        return
    share = found.share(*parts)
    if share < ENOUGH:
        explained = f"explain only {format_percent(100 * share)} of the response time"
        yield Limit(
            code=UNNAMED.code,
            says=f"The limits above {explained}."
            if parts
            else "No rule names what limits this run.",
            evidence=found.sentence,
            fix=fix,
        )
