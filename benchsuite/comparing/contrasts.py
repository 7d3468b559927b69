"""Candidates against a baseline: ratios, intervals, margins, and what they amount to."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from statistics import fmean, median

from benchsuite.comparing.cells import Cell
from benchsuite.core.exceptions import UsageError, choices
from benchsuite.core.metrics.every import compared
from benchsuite.core.metrics.metric import Metric, Scale
from benchsuite.core.results import Level, Verdict
from benchsuite.core.units import format_percent, format_period, listed
from benchsuite.findings.host import cpu_speed
from benchsuite.models import Run
from benchsuite.stats.compare import Comparison, Outcome, compare, together
from benchsuite.stats.summary import samples_needed

DEFAULT = ("goodput", "p95", "memory")

ALL = "all"  #: In margins: every figure that is compared by ratio and has none of its own.

MARGIN = re.compile(r"(?:([a-z0-9]+)\s*=)?\s*(\d+(?:\.\d+)?)\s*%?")
MOST_PERCENT = 100


def metric(name: str, *margins: Mapping[str, float]) -> Metric:
    """The figure of that short name with its margin from the first of these (see `parsed`) that
    has one, else its own. Raises UsageError with the valid names.
    """
    known = _known(name)
    for given in margins:
        for key in (name, ALL):
            if key in given and (key == name or known.scale is Scale.RATIO):
                return replace(known, margin=given[key])
    return known


def figures_of(cells: Sequence[Cell]) -> Sequence[str]:
    """What cells are compared by: of idle connections it is what each takes."""
    idle = any(cell.middle("connection_bytes") is not None for cell in cells)
    return ("connection",) if idle else DEFAULT


def parsed(texts: Iterable[str]) -> dict[str, float]:
    """Margins from "2%" (of all that are compared by ratio) and "p95=5%"; raises UsageError."""
    margins = {}
    for text in texts:
        match = MARGIN.fullmatch(text.strip())
        if match is None or not 0 <= float(match[2]) < MOST_PERCENT:
            raise UsageError(
                f"--margin {text!r} is not a margin; write a percentage below 100, for one figure "
                'or for all: "p95=5%" or "2%".'
            )
        name = match[1] or ALL
        margins[name if name == ALL else _known(name).short] = float(match[2]) / 100
    return margins


def margins_sentence(metrics: Iterable[Metric]) -> str:
    """What counts as too small in each of these figures."""
    names: dict[str, list[str]] = {}
    for figure in metrics:
        names.setdefault(figure.margin_words, []).append(figure.short)
    margins = ", ".join(f"{words} in {listed(each)}" for words, each in names.items())
    return f"Too small to matter is a difference below {margins} (--margin)."


def _known(name: str) -> Metric:
    known = compared()
    if name not in known:
        raise UsageError(f"There is no metric {name!r}; {choices(name, known)}")
    return known[name]


@dataclass(frozen=True, slots=True)
class Side:
    """The starts of one cell; those that `benchsuite.comparing.starts` leaves out never enter."""

    title: str
    cell: Cell

    @property
    def starts(self) -> list[Run]:
        return self.cell.entering

    @property
    def weak(self) -> list[Run]:
        return [run for run in self.starts if run.verdict == Verdict.WEAK.value]

    @property
    def doubt(self) -> str:
        """Why nothing may be concluded from this side: "x is invalid: 3 of 6 runs failed
        (B201)"; empty where something may.
        """
        if self.cell.is_sound:
            return ""
        return f"{self.title} is invalid: {self.cell.starts.words}"

    def figures(self, metric: Metric) -> list[float]:
        """One figure for each start that has it; less than nothing, as a slope may be, is none."""
        return [value for value in self.cell.figures(metric) if value >= 0] if self.starts else []


def newest_of_each(cells: Sequence[Cell]) -> tuple[list[Cell], int]:
    """For each key the group that was measured last, and how many runs of others that drops.

    So a label that is used for every build stands for the last of them.
    """
    by_key: dict[str, Cell] = {}
    for cell in cells:
        known = by_key.get(cell.first.key)
        if known is None or cell.runs[-1].started_at > known.runs[-1].started_at:
            by_key[cell.first.key] = cell
    kept = [cell for cell in cells if by_key[cell.first.key] is cell]
    return kept, sum(len(cell.runs) for cell in cells) - sum(len(cell.runs) for cell in kept)


Pair = tuple[Side, Side]  #: Baseline and candidate.

APART = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Contrast:
    """A candidate against a baseline in one metric."""

    baseline: Side
    candidate: Side
    metric: Metric
    found: Comparison

    @property
    def doubt(self) -> str:
        """Why nothing may be concluded whatever the figures say; empty where something may."""
        return self.baseline.doubt or self.candidate.doubt

    @property
    def is_shown(self) -> bool:
        return self.found.outcome is Outcome.SHOWN and not self.doubt

    @property
    def is_better(self) -> bool | None:
        """Whether the candidate is better; None when no difference is shown."""
        if not self.is_shown or self.found.value is None:
            return None
        return (self.found.value > self.found.nothing) == self.metric.more_is_better

    @property
    def name(self) -> str:
        """What is compared: "granian-wsgi / gunicorn-gthread goodput"."""
        by = "/" if self.found.scale is Scale.RATIO else "−"
        return f"{self.candidate.title} {by} {self.baseline.title} {self.metric.short}"

    @property
    def value_text(self) -> str:
        """The ratio, or the difference in percentage points; "—" without one."""
        if self.found.value is None:
            return "—"
        points = " points" if self.found.scale is Scale.DIFFERENCE else ""
        return f"{self._write(self.found.value)}{points}"

    @property
    def interval_text(self) -> str:
        """[1.24, 1.38]; empty without an interval."""
        if self.found.low is None or self.found.high is None:
            return ""
        return f"[{self._write(self.found.low)}, {self._write(self.found.high)}]"

    @property
    def p_number(self) -> str:
        """0.008 or < 0.001, corrected where several were compared; empty without a test."""
        p = self.found.p_corrected
        if p is None:
            return ""
        return "< 0.001" if p < 0.001 else f"{p:.{2 if p >= 0.0995 else 3}f}"

    @property
    def p_text(self) -> str:
        """p = 0.016 (Holm, of 2); empty without a test."""
        if not self.p_number:
            return ""
        text = f"p {self.p_number}" if self.p_number.startswith("<") else f"p = {self.p_number}"
        return f"{text} (Holm, of {self.found.compared})" if self.found.compared > 1 else text

    @property
    def says(self) -> str:
        """What may be concluded when no difference is shown, or why nothing may; else empty."""
        outcome = self.found.outcome
        if self.doubt:
            return self.doubt
        if outcome is Outcome.TOO_FEW:
            return self._too_few()
        if outcome is Outcome.UNDEFINED:
            return "a figure is 0, so there is no ratio"
        if outcome is Outcome.SHOWN:
            return ""
        if self.found.low == self.found.high == self.found.nothing:
            return "no difference: all runs alike"
        if outcome is Outcome.TOO_SMALL:
            return f"too small to matter (less than {self.metric.margin_words})"
        least = self.found.detectable
        if least is None:
            return "no difference shown"
        return f"no difference shown; ≥ {self._write_least(least)} would have been"

    @property
    def sentence(self) -> str:
        """Name, ratio, interval and p, and what they amount to."""
        figures = " ".join(part for part in (self.value_text, self.interval_text) if part)
        text = ", ".join(part for part in (f"{self.name} {figures}", self.p_text) if part)
        return f"{text}: {self.says}." if self.says else f"{text}."

    def change_percent(self, value: float | None) -> float | None:
        """A ratio as a change in percent of the baseline, a difference in percentage points."""
        return None if value is None else (value - self.found.nothing) * 100

    def _way_out(self) -> str:
        """What gives a sample that a percentile can be told of."""
        if not self.metric.percent:
            return ""
        needed = samples_needed(self.metric.percent)
        return (
            f"; {self.metric.short} needs {needed} right answers in the window: give runbench a "
            "longer --duration or more load"
        )

    def _too_few(self) -> str:
        first, second = self.found.starts
        if first and second:
            return "too few runs"
        who = self.baseline if not first else self.candidate
        return f"{who.title} has no run with this figure{self._way_out()}"

    def _write(self, value: float) -> str:
        if self.found.scale is Scale.DIFFERENCE:
            return f"{value * 100:+.{self._decimals(100)}f}" if value else "0"
        return f"{value:.{self._decimals(1)}f}"

    def _decimals(self, factor: int) -> int:
        """Two, and as many more (up to four) as the interval's ends need to be told apart from
        each other and from "no difference".
        """
        low, high = self.found.low, self.found.high
        if low is None or high is None:
            return 2
        gaps = [abs(end - self.found.nothing) for end in (low, high)] + [high - low]
        least = min((gap * factor for gap in gaps if gap > 0), default=1.0)
        return min(4, max(2, math.ceil(-math.log10(least))))

    def _write_least(self, least: float) -> str:
        """Two digits: it rests on a spread that few starts don't show better."""
        change = (least - self.found.nothing) * 100
        text = f"{change:.0f}" if change >= 9.5 else f"{change:.2g}"
        return f"{text} %" if self.found.scale is Scale.RATIO else f"{text} points"


def contrasts(pairs: Iterable[Pair], metrics: Sequence[Metric]) -> list[Contrast]:
    """Every pair in every metric, metric by metric.

    p is corrected for the number of pairs of sound cells (Holm), and is that of each metric by
    itself: with several, the chance of any false difference is higher (docs/comparing.md).
    """
    every = list(pairs)
    made = []
    for figure in metrics:
        found = [
            compare(
                baseline.figures(figure),
                candidate.figures(figure),
                scale=figure.scale,
                margin=figure.margin,
            )
            for baseline, candidate in every
        ]
        sound = [at for at, (one, other) in enumerate(every) if not (one.doubt or other.doubt)]
        for at, each in zip(sound, together(found[at] for at in sound), strict=True):
            found[at] = each
        made += [
            Contrast(baseline, candidate, figure, each)
            for (baseline, candidate), each in zip(every, found, strict=True)
        ]
    return made


def few(compared: Iterable[Contrast], *, more: bool) -> str:
    """Once for all of them: that some have too few runs to prove anything and, with `more`, how
    many would do; empty where all have enough.
    """
    every = [one for one in compared if one.found.outcome is Outcome.TOO_FEW and not one.doubt]
    counts = [one.found.starts for one in every if all(one.found.starts)]
    if not counts:
        return ""
    first, second = min(counts, key=min)
    needed = max(one.found.starts_needed for one in every)
    proves = f"{first} run{'s' * (first != 1)} against {second} prove{'s' * (first == 1)} nothing"
    return f"{proves}; {needed} of each would." if more else f"{proves}."


def notes(pairs: Iterable[Pair]) -> list[str]:
    """What a reader has to know beside the figures: starts excluded or failed, weak ones, time
    between.
    """
    every = list(pairs)
    whose: dict[str, list[str]] = {}
    for side in {id(side): side for pair in every for side in pair}.values():
        if not side.cell.starts.is_whole:
            whose.setdefault(side.cell.starts.words, []).append(side.title)
        if side.weak:
            codes = {
                each.code
                for run in side.weak
                for each in run.findings.all()
                if each.level == Level.WEAK.value
            }
            words = f"{len(side.weak)} of {len(side.starts)} runs are weak"
            words += f" ({', '.join(sorted(codes)) or 'see their pages'})"
            whose.setdefault(words, []).append(side.title)
    lines = [f"{listed(titles)}: {words}." for words, titles in whose.items()]
    gaps = [(gap, pair) for pair in every if (gap := _between(*pair)) is not None]
    if gaps:
        gap, (baseline, candidate) = max(gaps, key=lambda one: one[0])
        more = f", and {len(gaps) - 1} more pairs less so" if len(gaps) > 1 else ""
        lines.append(
            f"{baseline.title} and {candidate.title} were not measured in turns, but "
            f"{format_period(gap.total_seconds())} apart on average{more}: what changed on the "
            "machine in between counts as a difference. runbench with both and --repeat takes "
            "turns."
        )
    return lines


def _between(baseline: Side, candidate: Side) -> timedelta | None:
    """How far apart they were on average; None when they were measured in turns."""
    if not baseline.starts or not candidate.starts:
        return None
    means = [
        fmean(run.started_at.timestamp() for run in side.starts) for side in (baseline, candidate)
    ]
    gap = timedelta(seconds=abs(means[1] - means[0]))
    return gap if gap > APART else None


def speed_notes(pairs: Iterable[Pair]) -> list[str]:
    """What is to be known where one side's CPUs were slower than the other's: of the pair that is
    furthest apart.
    """
    apart = []
    for sides in pairs:
        (first, before), (second, after) = ((one, _work_s(one)) for one in sides)
        if before is None or after is None:
            continue
        (fast, least), (slow, most) = sorted(
            ((first.title, before), (second.title, after)), key=lambda side: side[1]
        )
        percent = (most / least - 1) * 100
        if cpu_speed.rule.level(percent) is not None:
            apart.append((percent, slow, fast))
    if not apart:
        return []
    percent, slow, fast = max(apart)
    more = f"; {len(apart) - 1} more pairs differ, too" if len(apart) > 1 else ""
    return [
        f"{cpu_speed.rule.code}: a fixed piece of work took {format_percent(percent)} longer on "
        f"the CPUs of {slow} than on those of {fast}{more}: part of a difference may be that."
    ]


def _work_s(side: Side) -> float | None:
    known = [run.target_work_s for run in side.starts if run.target_work_s]
    return median(known) if known else None
