"""Whether the project was measured, and as it runs in production: B501 to B503."""

from collections.abc import Iterator, Mapping

from benchsuite.core.observations import Evidence
from benchsuite.core.results import Finding, Level
from benchsuite.core.specs import FLAME, QUERIES
from benchsuite.core.units import format_count
from benchsuite.findings.registry import INFORMATIONAL, Rule, finding

SLOWS = {
    QUERIES: "the server timed its queries and pauses",
    FLAME: "a profiler read its memory again and again",
}


@finding("B501", "settings", of="settings of the project that slow it down", unit="", weak=0)
def settings(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """Weak when something slows the project down; informational when the run has corrected it."""
    yield from rule.weighed(
        len(evidence.slowing),
        f"The project's settings slow it down: {_told(evidence.slowing)}.",
        hint="Measure with production settings: name their module in "
        'BENCHSUITE = {"TARGET_SETTINGS": …}.',
    )
    if evidence.undone and not evidence.slowing:
        yield rule.found(
            Level.INFO,
            "The project was measured with DEBUG = False; by its settings, "
            f"{_told(evidence.undone)}.",
            hint="Other settings may depend on DEBUG: name the production settings module in "
            'BENCHSUITE = {"TARGET_SETTINGS": …}.',
            value=len(evidence.undone),
        )


@finding("B502", "diagnosed", of="a diagnostic run", invalid_words="always")
def diagnosed(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """A start that is looked into answers slower than others, and never counts."""
    if evidence.diagnosed:
        yield rule.found(
            Level.INVALID,
            f"This was a diagnostic run: {SLOWS[evidence.diagnosed]}, which slows it down.",
            hint="What it found stands on this page; its other figures are not to be compared.",
        )


@finding(
    "B503",
    "view-not-run",
    of="answers for which no view ran",
    weak_words=INFORMATIONAL,
    always_told=True,
)
def view_not_run(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """A cache, or a middleware, that gives most answers in front of the views."""
    asked = evidence.asked
    if asked is None or asked.viewed is None or 2 * asked.viewed >= asked.answered:
        return
    times = f"{format_count(asked.viewed)} time{'s' * (asked.viewed != 1)}"
    yield rule.found(
        Level.INFO,
        f"The views ran {times} in {format_count(asked.answered)} answers: a cache or a middleware "
        "gave the others.",
        hint="These are the figures of what answers in front of the views. To measure the views, "
        "switch it off for the run by --setting.",
        value=100 * (1 - asked.viewed / asked.answered),
    )


def _told(settings: Mapping[str, str]) -> str:
    return "; ".join(f"{name}: {words}" for name, words in sorted(settings.items()))
