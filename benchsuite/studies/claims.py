"""What a study said, held against what was measured: each check is an interval and a region.

An interval inside the region holds, one that has nothing in common with it doesn't, and any other
can't be told. A claim holds where all its checks do, so no correction is needed for that. It
doesn't hold where any doesn't, and of many checks one fails by chance: there the interval is
widened by Bonferroni, so that the chance of any false "doesn't hold" in a claim is about 5 %.
Claims are questions of their own, and not corrected for each other.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from statistics import fmean

from benchsuite.core.units import format_number
from benchsuite.studies import matrix
from benchsuite.studies.intervals import Interval, Kind, Side, interval
from benchsuite.studies.measured import Execution, MeasuredCell, State, reasons
from benchsuite.studies.study import Check, Claim, Coordinates, Region, Study, admits

NOTHING: Mapping[str, Region] = {}

NAMED = 3  #: Reasons that a claim tells; the others are counted.


class Outcome(StrEnum):
    HOLDS = "holds"
    FAILS = "doesn't hold"
    UNTOLD = "can't be told here"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One check of one cell."""

    check: Check
    kind: Kind
    region: tuple[float, float]
    cell: Coordinates
    to: Coordinates | None
    found: Interval
    outcome: Outcome = Outcome.UNTOLD
    reasons: tuple[str, ...] = ()  #: Why it can't be told.
    is_closed: bool = False  #: Whether more starts would not change that.

    @property
    def is_apart(self) -> bool:
        """Whether interval and region have nothing in common."""
        return _apart(self.found, self.region)

    @property
    def says(self) -> str:
        """What was measured, its interval, and where it should lie."""
        value, low, high = map(written, (self.found.value, self.found.low, self.found.high))
        return f"{self.name} is {value} [{low}, {high}], wanted {self.wanted}"

    @property
    def wanted(self) -> str:
        """ "0.4 to 0.6", "at least 2", "at most 0.5"."""
        return region_words(*self.region)

    @property
    def name(self) -> str:
        """ "plateau of sync, 200 / sync, 100"."""
        mine = f"{self.check.figure} of {place(self.cell)}"
        if self.kind is Kind.VALUE:
            return mine
        other = self.check.to_figure
        of = f"{other} of " if other else ""
        return f"{mine} {'/' if self.kind is Kind.RATIO else '−'} {of}{place(self.to or self.cell)}"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What may be said of a claim, and why."""

    claim: Claim
    outcome: Outcome
    reason: str
    checks: Sequence[Judged] = field(default_factory=tuple)


def judge(study: Study, execution: Execution) -> list[Judgement]:
    """Every claim of the study, in their order."""
    return [_claim(study, execution, one) for one in study.claims]


def place(coordinates: Coordinates) -> str:
    """The values of a cell: "sync, ioread, 200"."""
    return ", ".join(coordinates.values())


def side_of(execution: Execution, cell: MeasuredCell | None, figure: str) -> Side:
    """The starts of a cell in a figure, and how all cells scatter in it."""
    of_all = execution.scatter(figure)
    if cell is None:
        return Side((), of_all)
    return Side(cell.values(figure), of_all, cell.amounts(figure), cell.at_least(figure))


def _claim(study: Study, execution: Execution, claim: Claim) -> Judgement:
    asked = [(check, cell) for check in claim.checks for cell in _asked(study, check)]
    if not asked:
        return Judgement(
            claim, Outcome.UNTOLD, "no configuration of the study is the one that it is about"
        )
    checks = [_judged(execution, claim, check, cell, len(asked)) for check, cell in asked]
    failed = [one for one in checks if one.outcome is Outcome.FAILS]
    untold = [one for one in checks if one.outcome is Outcome.UNTOLD]
    if failed:
        return Judgement(claim, Outcome.FAILS, _few([one.says for one in failed]), checks)
    if untold:
        return Judgement(
            claim, Outcome.UNTOLD, _few([why for one in untold for why in one.reasons]), checks
        )
    return Judgement(claim, Outcome.HOLDS, _few([one.says for one in checks]), checks)


def _asked(study: Study, check: Check) -> Iterator[Coordinates]:
    """The cells of the whole study that the check selects, whether or not they were executed."""
    return (one.coordinates for one in matrix.every(study) if admits(check.cell, one.coordinates))


def _judged(
    execution: Execution, claim: Claim, check: Check, cell: Coordinates, together: int
) -> Judged:
    kind, region = _region(check)
    to = None if kind is Kind.VALUE else {**cell, **(check.to or {})}
    other = check.to_figure or check.figure

    reasons: list[str] = []
    closed: list[str] = []

    def side(coordinates: Coordinates, figure: str) -> Side:
        known = find(execution, coordinates)
        before = [*obstacles(execution, claim.needs, known, coordinates, figure, claim.given)]
        closed.extend(before)
        reasons.extend([*before, *_unmeasured(known, coordinates)])
        return side_of(execution, known, figure)

    sides = side(cell, check.figure), side(to, other) if to is not None else None
    measured = interval(kind, *sides, confidence=execution.confidence)
    judged = Judged(check=check, kind=kind, region=region, cell=cell, to=to, found=measured)
    if reasons:
        return replace(judged, reasons=tuple(dict.fromkeys(reasons)), is_closed=bool(closed))
    if measured.low is None or measured.high is None:
        return replace(judged, reasons=(f"{judged.name}: {measured.reason}",))
    if region[0] <= measured.low and measured.high <= region[1]:
        return replace(judged, outcome=Outcome.HOLDS)
    if not judged.is_apart:
        return replace(judged, reasons=(judged.says,))
    wide = interval(kind, *sides, confidence=1 - (1 - execution.confidence) / together)
    if _apart(wide, region):
        return replace(judged, outcome=Outcome.FAILS)
    return replace(judged, reasons=(f"{judged.says}, as one of {together} checks by chance",))


def _apart(measured: Interval, region: tuple[float, float]) -> bool:
    low, high = measured.low, measured.high
    return low is not None and high is not None and (high < region[0] or low > region[1])


def _region(check: Check) -> tuple[Kind, tuple[float, float]]:
    for kind, ends in (
        (Kind.RATIO, check.ratio),
        (Kind.DIFFERENCE, check.difference),
        (Kind.VALUE, check.value),
    ):
        if ends is not None:
            return kind, _ends(ends)
    raise ValueError(f"A check of {check.figure} has no region.")


def _ends(region: Region) -> tuple[float, float]:
    low, high = region
    return -math.inf if low is None else low, math.inf if high is None else high


def find(execution: Execution, coordinates: Coordinates) -> MeasuredCell | None:
    return next((one for one in execution.cells if one.coordinates == coordinates), None)


def doubts(
    execution: Execution,
    needs: Mapping[str, float],
    cell: MeasuredCell | None,
    coordinates: Coordinates,
    figure: str,
) -> Iterator[str]:
    """Why nothing may be said of a cell whatever its figures are."""
    yield from obstacles(execution, needs, cell, coordinates, figure)
    yield from _unmeasured(cell, coordinates)


def _unmeasured(cell: MeasuredCell | None, coordinates: Coordinates) -> Iterator[str]:
    """What a cell that can run here still lacks."""
    where = place(coordinates)
    if cell is None or cell.state is State.UNAVAILABLE:
        return
    if cell.state is not State.MEASURED:
        yield f"{where}: {cell.reason or cell.state.value}"
    elif not cell.counted:
        yield f"{where}: no run counts ({reasons(cell.starts) or 'no run'})"


def obstacles(
    execution: Execution,
    needs: Mapping[str, float],
    cell: MeasuredCell | None,
    coordinates: Coordinates,
    figure: str,
    given: Mapping[str, Region] = NOTHING,
) -> Iterator[str]:
    """Why nothing may be said of a cell however often it is started."""
    where = place(coordinates)
    if cell is None:
        yield f"{where} is no part of this execution"
        return
    if cell.state is State.UNAVAILABLE:
        yield f"{where}: {cell.reason or cell.state.value}"
        return
    if not cell.starts:
        return
    for name, least in needs.items():
        has = cell.conditions.get(name, execution.conditions.get(name))
        if has is None or has < least:
            known = "not known" if has is None else format_number(has)
            of = f"{where}: " if name in cell.conditions else ""
            yield f"{of}{name} must be at least {format_number(least)}, and is {known}"
    for name, region in given.items():
        low, high = _ends(region)
        values = cell.values(name)
        if not values or not low <= fmean(values) <= high:
            seen = format_number(fmean(values)) if values else "not known"
            must = f"and must be {region_words(low, high)}"
            yield f"not this question here: {name} of {where} is {seen}, {must}"
    without = [one for one in cell.counted if one.figures.get(figure) is None]
    if without:
        codes = reasons(without)
        of = f"{len(without)} of {len(cell.counted)} runs"
        yield f"{where}: {of} without {figure}{f' ({codes})' if codes else ''}"


def region_words(low: float, high: float) -> str:
    """ "0.4 to 0.6", "at least 2", "at most 0.5"."""
    if math.isinf(low):
        return f"at most {written(high)}"
    return f"at least {written(low)}" if math.isinf(high) else f"{written(low)} to {written(high)}"


def written(value: float | None) -> str:
    return "without limit" if value == math.inf else format_number(value)


def _few(reasons: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(reasons))
    more = len(distinct) - NAMED
    return "; ".join(distinct[:NAMED]) + (f"; and {more} more" if more > 0 else "")
