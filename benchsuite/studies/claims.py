"""What a study said, held against what was measured, and what it answers to its questions.

Each check of a claim is an interval and a region.

An interval inside the region holds, one that has nothing in common with it doesn't, and any other
can't be told. A claim holds where all its checks do, so no correction is needed for that. It
doesn't hold where any doesn't, and of many checks one fails by chance: there the interval is
widened by Bonferroni, so that the chance of any false "doesn't hold" in a claim is about 5 %.
Claims are questions of their own, and not corrected for each other.

A question has the best arm of each situation, by its mean. Each other is told apart from it by the
interval of their ratio, at 1 − 0.07/k where k others are held against it (Bonferroni), so that the
arm that is best in truth is left out of those named in at most about 5 % of the situations,
whichever had the best mean by chance. `python -m benchmarks.claims` measures it. An arm that failed
in half of its starts is not named. Nobody is where one that was measured has no figure that counts,
or one that isn't behind has half of its starts in doubt: it might be the best, or not.

A claim is decided when it holds or doesn't, a question when its best arm is told from all others or
as good. What more runs can't change is closed, too: a cell that can't run here, an unmet condition.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import fmean

from benchsuite.core.units import format_number, gathered, some_of
from benchsuite.findings.registry import INVALID_SHARE
from benchsuite.studies import matrix
from benchsuite.studies.figures import metric
from benchsuite.studies.intervals import FEWEST, Interval, Kind, Side, interval, starts_more
from benchsuite.studies.measured import Execution, MeasuredCell, State, reasons
from benchsuite.studies.study import Answer, Check, Claim, Coordinates, Objective, Study

NAMED = 1  #: Reasons that a claim tells; the others are counted.
ALIKE = (1 / 1.05, 1.05)  #: Arms whose ratio lies in it are as good as each other.


class Outcome(StrEnum):
    HOLDS = "holds"
    FAILS = "doesn't hold"
    UNTOLD = "can't be told here"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One check of one cell."""

    name: str  #: What is held against the region: "goodput of sync, delay 200 / delay 100".
    region: tuple[float, float]
    cell: Coordinates
    to: Coordinates | None
    interval: Interval
    outcome: Outcome = Outcome.UNTOLD
    reasons: tuple[str, ...] = ()  #: Why it can't be told.
    is_closed: bool = False  #: Whether more starts would not change that.
    more: int | None = None  #: Starts of each cell that may tell it, by `starts_more()`.

    @property
    def says(self) -> str:
        """What was measured, its interval, and where it should lie."""
        return f"{self.name} is {interval_words(self.interval)}, wanted {self.wanted}"

    @property
    def wanted(self) -> str:
        return _region_words(*self.region)

    @property
    def is_inside(self) -> bool:
        """Whether what was measured lies in the region, however surely, or isn't known."""
        value, (low, high) = self.interval.value, self.region
        return value is None or low <= value <= high


@dataclass(frozen=True, slots=True)
class Judgement:
    """What may be said of a claim, and why."""

    claim: Claim
    outcome: Outcome
    reason: str
    checks: Sequence[Judged] = ()


def judge(study: Study, execution: Execution) -> list[Judgement]:
    """Every claim of the study, in their order."""
    evidence = _Evidence(study, execution)
    return [evidence.judgement(claim) for claim in study.claims]


def _unmeasured(cell: MeasuredCell | None, where: str, figure: str) -> Iterator[str]:
    """What a cell that can run here still lacks."""
    if cell is None or cell.state is State.UNAVAILABLE:
        return
    if cell.state is not State.MEASURED:
        yield f"{where}: {cell.reason or cell.state.value}"
    elif not cell.counted and not cell.is_floor(figure):
        yield f"{where}: no run counts ({reasons(cell.starts) or 'no run'})"


def written(value: float | None) -> str:
    if value is not None and math.isinf(value):
        return "without limit" if value > 0 else "below any limit"
    return format_number(value)


def _region_words(low: float, high: float, show: Callable[[float], str] = written) -> str:
    """ "0.4 to 0.6", "at least 2", "at most 0.5"."""
    if math.isinf(low):
        return f"at most {show(high)}"
    return f"at least {show(low)}" if math.isinf(high) else f"{show(low)} to {show(high)}"


def interval_words(interval: Interval) -> str:
    """ "1.02 [0.98, 1.06]", or with the reason why there is no interval."""
    value, low, high = map(written, (interval.value, interval.low, interval.high))
    if interval.low is None or interval.high is None:
        return f"{value} ({interval.reason})"
    return f"{value} [{low}, {high}]"


class Lead(StrEnum):
    """Whether a situation has a best arm."""

    ALONE = "best"  #: One arm, told apart from all others.
    SHARED = "may be as good"  #: Several are as good, as far as the starts tell.
    UNTOLD = "can't be told here"


@dataclass(frozen=True, slots=True)
class Arm:
    """What may be chosen, with its figure."""

    name: str
    cell: MeasuredCell
    interval: Interval  #: Of its figure.
    ratio: Interval | None = None  #: To the one with the best mean; that one has none.
    more: int | None = 0
    """Starts of both that may tell them apart, or as alike: 0 where they are, None for too many."""


@dataclass(frozen=True, slots=True)
class Situation:
    where: Coordinates  #: What is not chosen.
    best: Sequence[Arm]  #: The one with the best mean, then all that are not told apart from it.
    behind: Sequence[Arm]  #: The nearest first.
    failed: Sequence[Arm]  #: Those that failed (B2xx) in half of their starts, whatever they did.
    unknown: Sequence[str]  #: Arms that were measured and have no figure that counts, with why.
    absent: Sequence[str]  #: Arms that were not measured, with why.

    @property
    def measured(self) -> list[Arm]:
        return [*self.best, *self.behind, *self.failed]

    @property
    def lead(self) -> Lead:
        if self.unknown or not self.best or len(self.measured) < FEWEST:
            return Lead.UNTOLD
        if any(_spoilt(arm.cell) for arm in self.best):
            return Lead.UNTOLD
        return Lead.SHARED if len(self.best) > 1 else Lead.ALONE


@dataclass(frozen=True, slots=True)
class Answered:
    """A question of the file, with an answer for each situation of which a cell was executed."""

    answer: Answer
    by: Objective
    situations: Sequence[Situation]


def answered(study: Study, execution: Execution) -> list[Answered]:
    """Every question of the study, in their order."""
    questions, evidence = [], _Evidence(study, execution)
    for answer in study.answers:
        by = Objective(answer.figure, answer.best) if answer.figure else study.objective
        assert by is not None  # reading has seen to it
        executed = [
            evidence.situation(answer, by, where, arms)
            for where, arms in matrix.situations(answer, study)
            if any(map(evidence.find, arms))
        ]
        questions.append(Answered(answer, by, executed))
    return questions


def _spoilt(cell: MeasuredCell) -> str:
    """What spoilt its starts that count, where it is so many of them that the cell is invalid."""
    failed = [one for one in cell.counted if one.failed]
    return reasons(failed) if len(failed) >= INVALID_SHARE * len(cell.counted) else ""


class _Evidence:
    """A study, and what an execution of it has measured."""

    def __init__(self, study: Study, execution: Execution) -> None:
        self.study, self.execution = study, execution
        self.cells = [cell.coordinates for cell in matrix.every(study)]

    def _side_of(self, cell: MeasuredCell | None, figure: str) -> Side:
        """The starts of a cell in a figure, and how all cells scatter in it."""
        of_all = self.execution.scatter(figure)
        return cell.side(figure, of_all) if cell else Side((), of_all)

    def find(self, coordinates: Coordinates) -> MeasuredCell | None:
        return next((one for one in self.execution.cells if one.coordinates == coordinates), None)

    def judgement(self, claim: Claim) -> Judgement:
        """By the cells of the whole study that checks select, whether or not they were executed."""
        asked = [(check, c) for check in claim.checks for c in self.cells if check.selects(c)]
        sides = [side for check, cell in asked for side in (cell, {**cell, **(check.to or {})})]
        axes = {axis for axis in sides[0] if len({side[axis] for side in sides}) > 1} or {*sides[0]}
        checks = [self._judged(claim, check, cell, len(asked), axes) for check, cell in asked]
        for outcome in (Outcome.FAILS, Outcome.UNTOLD, Outcome.HOLDS):
            if deciding := [one for one in checks if one.outcome is outcome]:
                break
        whys = (check.reasons if outcome is Outcome.UNTOLD else [check.says] for check in deciding)
        distinct = list(dict.fromkeys(reason for each in whys for reason in each))
        return Judgement(claim, outcome, some_of(distinct, NAMED, "; "), checks)

    def _judged(
        self, claim: Claim, check: Check, cell: Coordinates, together: int, axes: set[str]
    ) -> Judged:
        """Names these axes: the claim itself says where all its cells are alike."""
        ((kind, region),) = ((Kind(name), region) for name, region in check.regions.items())
        to = None if kind is Kind.VALUE else {**cell, **(check.to or {})}
        reasons: list[str] = []
        closed: list[str] = []

        def side(coordinates: Coordinates, figure: str) -> Side:
            known, where = self.find(coordinates), self.study.titles(coordinates, with_axes=True)
            before = [*self._obstacles(claim, known, where, figure)]
            closed.extend(before)
            reasons.extend([*before, *_unmeasured(known, where, figure)])
            return self._side_of(known, figure)

        other = side(to, check.to_figure or check.figure) if to is not None else None
        sides = side(cell, check.figure), other
        confidence = self.execution.confidence
        measured = interval(kind, *sides, confidence)
        name = self._name(check, cell, to, axes)
        judged = Judged(name=name, region=region, cell=cell, to=to, interval=measured)
        if reasons:
            distinct = tuple(dict.fromkeys(reasons))
            return replace(judged, reasons=distinct, is_closed=bool(closed), more=1)
        if measured.is_within(region):
            return replace(judged, outcome=Outcome.HOLDS)
        surely = 1 - (1 - confidence) / together
        if interval(kind, *sides, surely).is_apart(region):
            return replace(judged, outcome=Outcome.FAILS)
        why = judged.says
        if measured.low is None:
            why = f"{judged.name}: {measured.reason}"
        elif measured.is_apart(region):
            why += f", as one of {together} checks by chance"
        inside = starts_more(lambda further: further.is_within(region), kind, sides, confidence)
        outside = starts_more(lambda further: further.is_apart(region), kind, sides, surely)
        more = min(filter(None, (inside, outside)), default=None)
        return replace(judged, reasons=(why,), more=more)

    def _name(self, check: Check, cell: Coordinates, to: Coordinates | None, axes: set[str]) -> str:
        """Of the other cell only what differs from this one."""
        study, own = self.study, {axis: cell[axis] for axis in cell if axis in axes}
        mine = f"{study.figure_title(check.figure)} of {study.titles(own, with_axes=True)}"
        if to is None:
            return mine
        of = f"{study.figure_title(check.to_figure)} of " if check.to_figure else ""
        other = {axis: value for axis, value in to.items() if cell[axis] != value} or to
        sign = "/" if check.ratio else "−"
        return f"{mine} {sign} {of}{study.titles(other, with_axes=True)}"

    def _obstacles(
        self, asks: Claim | Answer, cell: MeasuredCell | None, where: str, figure: str
    ) -> Iterator[str]:
        """Why nothing may be said of the cell there however often it is started."""
        titled, of_all = self.study.figure_title, self.execution.conditions
        of_cell = {**of_all, **(cell.conditions if cell else {})}
        for name, least in asks.needs.items():
            has = of_cell.get(name)
            if has is None and (cell is None or not cell.starts):
                continue
            if has is None or has < least:
                known = "not known" if has is None else format_number(has)
                of = f"{where}: " if has != of_all.get(name) else ""
                yield f"{of}{name} must be at least {format_number(least)}, and is {known}"
        if cell is None:
            yield f"{where} is no part of this execution"
            return
        if cell.state is State.UNAVAILABLE:
            yield f"{where}: {cell.reason or cell.state.value}"
            return
        if not cell.starts:
            return
        for name, (low, high) in asks.given.items() if isinstance(asks, Claim) else ():
            mean = fmean(values) if (values := cell.values(name)) else None
            if mean is None or not low <= mean <= high:
                show = metric(self.study.figure(name)).show
                write = written if mean is not None and math.isinf(mean) else show
                seen = "not known" if mean is None else write(mean)
                what = f"not this question here: {titled(name)} of {where} is {seen}"
                yield f"{what}, and must be {_region_words(low, high, show)}"
        if without := [start for start in cell.counted if start.figures.get(figure) is None]:
            codes = f" ({reasons(without)})" if reasons(without) else ""
            runs = f"{len(without)} of {len(cell.counted)} runs"
            yield f"{where}: {runs} without {titled(figure)}{codes}"

    def situation(
        self, answer: Answer, by: Objective, where: Coordinates, arms: Sequence[Coordinates]
    ) -> Situation:
        known: list[Arm] = []
        failed: list[Arm] = []
        unknown: list[tuple[str, str]] = []
        absent: list[tuple[str, str]] = []
        for coordinates in arms:
            cell = self.find(coordinates)
            name = self.study.titles({axis: coordinates[axis] for axis in answer.choice})
            if cell is None or cell.state is State.UNAVAILABLE:
                absent.append((cell.reason if cell else "no part of this execution", name))
                continue
            arm = Arm(name, cell, interval(Kind.VALUE, self._side_of(cell, by.figure)))
            if cell.state is State.MEASURED and "B2" in _spoilt(cell):
                failed.append(arm)
                continue
            doubts = [*self._obstacles(answer, cell, name, by.figure)]
            doubts += _unmeasured(cell, name, by.figure)
            if not doubts and len(cell.values(by.figure)) < FEWEST:
                doubts = ["one run has no interval"]
            unknown += [(doubt.removeprefix(f"{name}: "), name) for doubt in doubts]
            if not doubts:
                known.append(arm)
        best, behind = self._ranked(by, known)
        untold, gone = (
            [f"{'; '.join(names)}: {reason}" for reason, names in gathered(whys).items()]
            for whys in (unknown, absent)
        )
        return Situation(where, best, behind, failed, untold, gone)

    def _ranked(self, by: Objective, arms: Sequence[Arm]) -> tuple[list[Arm], list[Arm]]:
        """Those that may be the best, and the others."""
        most = by.best == "most"
        ahead = (1.0, math.inf) if most else (-math.inf, 1.0)  # of what may be as good
        order = sorted(arms, key=lambda arm: fmean(arm.cell.values(by.figure)), reverse=most)
        best, behind = order[:1], list[Arm]()
        confidence = 1 - (1 - self.execution.confidence) / max(1, len(order) - 1)
        for arm in order[1:]:
            sides = self._side_of(arm.cell, by.figure), self._side_of(best[0].cell, by.figure)
            ratio = interval(Kind.RATIO, *sides, confidence)
            arm = replace(arm, ratio=ratio)
            # without right answers it needs no interval: 0 is the fewest that there are
            if ratio.is_apart(ahead) or (most and ratio.value == 0):
                behind.append(arm)
                continue
            if not ratio.is_within(ALIKE):
                more = starts_more(
                    lambda further: further.is_apart(ahead) or further.is_within(ALIKE),
                    *(Kind.RATIO, sides, confidence),
                )
                arm = replace(arm, more=more)
            best.append(arm)
        return best, behind


LOOKS = 6  #: How often an execution that is decided as it goes is looked at, at the most.

HOPED = 6  #: Starts by each round left, as `benchmarks.claims` found best.


@dataclass(frozen=True, slots=True)
class Doubt:
    """What is not decided yet, and could be by more starts."""

    about: str  #: Name of the claim, or the question.
    cells: tuple[Coordinates, ...]
    more: int | None  #: Starts of each that may decide it; None for too many.
    is_known: bool  #: Whether there is an interval at all by now.


def doubts_of_claims(judgements: Iterable[Judgement]) -> Iterator[Doubt]:
    for judgement in judgements:
        if judgement.outcome is not Outcome.UNTOLD:
            continue
        checks = [check for check in judgement.checks if check.outcome is Outcome.UNTOLD]
        if any(check.is_closed for check in checks):
            continue  # one that never can be told is enough
        failing = [check for check in checks if check.more and not check.is_inside]
        if failing:  # and so is one that fails
            checks = [min(failing, key=lambda check: check.more or 0)]
        for check in checks:
            places = (check.cell,) if check.to is None else (check.cell, check.to)
            yield Doubt(judgement.claim.name, places, check.more, check.interval.low is not None)


def doubts_of_questions(questions: Iterable[Answered]) -> Iterator[Doubt]:
    """Of arms that may be equally good, and are not alike."""
    for question in questions:
        for situation in question.situations:
            if situation.lead is Lead.SHARED:
                leader, *rivals = situation.best
                for arm in rivals:
                    if arm.more != 0 and arm.ratio:
                        places = (leader.cell.coordinates, arm.cell.coordinates)
                        is_known = arm.ratio.low is not None
                        yield Doubt(question.answer.asks, places, arm.more, is_known)


def is_hoped(doubt: Doubt, rounds: int) -> bool:
    """Whether so many rounds may decide it: the more follow, the more the scatter becomes known."""
    return (doubt.more or math.inf) <= HOPED * rounds


def in_doubt(doubts: Iterable[Doubt]) -> list[Coordinates]:
    """The cells of which a start more tells most, each once, those of the cheapest doubt first."""
    cheapest = sorted(doubts, key=lambda doubt: doubt.more or math.inf)
    return list({matrix.key(cell): cell for doubt in cheapest for cell in doubt.cells}.values())
