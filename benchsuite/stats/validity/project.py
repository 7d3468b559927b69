"""Whether the project was measured as it runs in production: B501."""

from collections.abc import Callable, Iterator

from benchsuite.results import Finding, Level
from benchsuite.stats.validity.evidence import Evidence
from benchsuite.stats.validity.limits import limit


def settings(evidence: Evidence) -> Iterator[Finding]:
    """Weak when something slows the project down; only said when the run has put it right."""
    rule = limit("B501")
    level = rule.level(len(evidence.remarks))
    if level is not None:
        told = "; ".join(f"{name}: {words}" for name, words in sorted(evidence.remarks.items()))
        yield Finding(
            code=rule.code,
            level=level,
            message=f"The project's settings slow it down: {told}.",
            hint="Measure with the settings of production: name their module in "
            'BENCHSUITE = {"TARGET_SETTINGS": …}.',
        )
    elif evidence.debug_was_on:
        yield Finding(
            code=rule.code,
            level=Level.INFO,
            message="The project's settings have DEBUG = True; it was measured with False.",
            hint="Other settings may depend on DEBUG: better name the settings module of "
            'production in BENCHSUITE = {"TARGET_SETTINGS": …}.',
        )


CHECKS: tuple[Callable[[Evidence], Iterator[Finding]], ...] = (settings,)
