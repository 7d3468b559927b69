"""Checks that hold for one level of load: of a run with stages, each stage is checked by itself."""

from collections.abc import Iterator
from dataclasses import replace

from benchsuite.core.observations import Evidence
from benchsuite.core.results import Finding, Level
from benchsuite.core.units import listed
from benchsuite.findings.registry import Check

ORDER = (Level.INVALID, Level.WEAK, Level.INFO)


def of_each_stage(check: Check, run: Evidence) -> Iterator[Finding]:
    """That of the worst stage, which it names, as it does the others; without stages, the run's."""
    if not run.stages:
        yield from check(run)
        return
    found = [
        (stage.stage, _weighed(check, finding, run, place))
        for place, stage in enumerate(run.stages)
        for finding in check(stage)
    ]
    if found:
        name, worst = min(found, key=lambda one: ORDER.index(one[1].level))
        others = [other for other in dict.fromkeys(other for other, _ in found) if other != name]
        also = f" The same check finds fault with {listed(others)}." if others else ""
        alike = dict.fromkeys(other for other, one in found if one.level is worst.level)
        yield replace(worst, message=f"At {name}: {worst.message}{also}", stages=tuple(alike))


def _weighed(check: Check, finding: Finding, run: Evidence, place: int) -> Finding:
    if run.headline is None or place == run.headline:
        return finding
    beyond = check.rule.beyond and _level(run.stages[place]) > _level(run.stages[run.headline])
    light = beyond or check.rule.own_stage_only
    return replace(finding, level=Level.INFO) if light else finding


def _level(stage: Evidence) -> float:
    return (stage.total.level if stage.total else None) or 0.0
