"""Whether the project was measured as it runs in production: B501."""

from collections.abc import Callable, Iterator, Mapping

from benchsuite.core.observations import Evidence
from benchsuite.core.results import Finding, Level
from benchsuite.findings.limits import limit


def settings(evidence: Evidence) -> Iterator[Finding]:
    """Weak when something slows the project down; only said when the run has put it right."""
    rule = limit("B501")
    level = rule.level(len(evidence.slowing))
    if level is not None:
        yield Finding(
            code=rule.code,
            level=level,
            message=f"The project's settings slow it down: {_told(evidence.slowing)}.",
            hint="Measure with the settings of production: name their module in "
            'BENCHSUITE = {"TARGET_SETTINGS": …}.',
        )
    elif evidence.undone:
        yield Finding(
            code=rule.code,
            level=Level.INFO,
            message="The project was measured with DEBUG = False; by its settings, "
            f"{_told(evidence.undone)}.",
            hint="Other settings may depend on DEBUG: better name the settings module of "
            'production in BENCHSUITE = {"TARGET_SETTINGS": …}.',
        )


def _told(settings: Mapping[str, str]) -> str:
    return "; ".join(f"{name}: {words}" for name, words in sorted(settings.items()))


CHECKS: tuple[Callable[[Evidence], Iterator[Finding]], ...] = (settings,)
