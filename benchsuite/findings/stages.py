"""Checks that hold for one level of load: of a run with stages, each stage is checked by itself."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from benchsuite.core.observations import Evidence
from benchsuite.core.results import Finding, Level
from benchsuite.core.units import listed
from benchsuite.findings.limits import limit

Check = Callable[[Evidence], Iterator[Finding]]

ORDER = (Level.INVALID, Level.WEAK, Level.INFO)


BEYOND = tuple(limit(number).code for number in ("B104", "B105", "B201", "B206"))
"""What a target does beyond what it can take: above the level that the run's figures are of, that
is an answer and no doubt."""

FEW = limit("B302").code  #: Says something of the figures of its own level only.


def of_each_stage(
    check: Check, stages: Sequence[Evidence], headline: int | None
) -> Iterator[Finding]:
    """One finding a code: that of the worst stage, which it names, as it does the others.

    `headline` is the place of the stage that the run's figures are of.
    """
    found = [
        (stage.stage, _weighed(finding, stages, place, headline))
        for place, stage in enumerate(stages)
        for finding in check(stage)
    ]
    for code in dict.fromkeys(finding.code for _, finding in found):
        same = [(name, finding) for name, finding in found if finding.code == code]
        name, worst = min(same, key=lambda one: ORDER.index(one[1].level))
        others = [other for other in dict.fromkeys(other for other, _ in same) if other != name]
        also = f" The same check finds fault with {listed(others)}." if others else ""
        yield replace(worst, message=f"At {name}: {worst.message}{also}")


def _weighed(
    finding: Finding, stages: Sequence[Evidence], place: int, headline: int | None
) -> Finding:
    if headline is None or place == headline:
        return finding
    beyond = finding.code in BEYOND and _level(stages[place]) > _level(stages[headline])
    return replace(finding, level=Level.INFO) if beyond or finding.code == FEW else finding


def _level(stage: Evidence) -> float:
    return (stage.total.level if stage.total else None) or 0.0
