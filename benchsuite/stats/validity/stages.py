"""Checks that hold for one level of load: of a run with stages, each stage is checked by itself."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from benchsuite.results import Finding, Level
from benchsuite.stats.validity.evidence import Evidence
from benchsuite.units import listed

Check = Callable[[Evidence], Iterator[Finding]]

ORDER = (Level.INVALID, Level.WEAK, Level.INFO)


def of_each_stage(check: Check, stages: Sequence[Evidence]) -> Iterator[Finding]:
    """One finding a code: that of the worst stage, which it names, as it does the others."""
    found = [(stage.stage, finding) for stage in stages for finding in check(stage)]
    for code in dict.fromkeys(finding.code for _, finding in found):
        same = [(name, finding) for name, finding in found if finding.code == code]
        name, worst = min(same, key=lambda one: ORDER.index(one[1].level))
        others = [other for other in dict.fromkeys(other for other, _ in same) if other != name]
        also = f" The same check finds fault with {listed(others)}." if others else ""
        yield replace(worst, message=f"At {name}: {worst.message}{also}")
