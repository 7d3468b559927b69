"""Candidates against a baseline: ratios, intervals, margins; which is best or may be as good."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean

from benchsuite.comparing.cells import Cell, of_runs, reasons_of
from benchsuite.comparing.titles import levels_title
from benchsuite.core.commands import command
from benchsuite.core.exceptions import UsageError, choices
from benchsuite.core.metrics.every import Metric, Scale, compared
from benchsuite.core.results import Level, Verdict
from benchsuite.core.specs import OPEN
from benchsuite.core.units import counted, format_period, gathered, listed
from benchsuite.stats.compare import Comparison, Outcome, compare, starts_needed, together
from benchsuite.stats.summary import samples_needed

DEFAULT = ("goodput", "p95", "memory")

ALL = "all"  #: In margins: every figure that is compared by ratio and has none of its own.

MARGIN = re.compile(r"(?:([a-z0-9]+)\s*=)?\s*(\d+(?:\.\d+)?)\s*%?")


def metric(name: str, *margins: Mapping[str, float]) -> Metric:
    """The figure of that short name with its margin from the first of these (see `parsed`) that
    has one, else its own. Raises UsageError with the valid names.
    """
    figures = compared()
    if name not in figures:
        raise UsageError(f"There is no metric {name!r}; {choices(name, figures)}")
    known = figures[name]
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
        if match is None or float(match[2]) >= 100:
            raise UsageError(
                f"--margin {text!r} is not a margin; write a percentage below 100, for one figure "
                'or for all: "p95=5%" or "2%".'
            )
        name = match[1] or ALL
        margins[name if name == ALL else metric(name).short] = float(match[2]) / 100
    return margins


def margins_sentence(metrics: Iterable[Metric]) -> str:
    """What counts as too small in each of these figures."""
    names = gathered((figure.margin_words, figure.short) for figure in metrics)
    margins = ", ".join(f"{words} in {listed(each)}" for words, each in names.items())
    return f"Too small to matter is a difference below {margins} (--margin)."


Pair = tuple[Cell, Cell]  #: Baseline and candidate.

APART_S = 600.0  #: Between the mean moments of what was not measured in turns.


@dataclass(frozen=True, slots=True)
class Contrast:
    """A candidate against a baseline in one metric."""

    baseline: Cell
    candidate: Cell
    metric: Metric
    effect: Comparison

    @property
    def doubt(self) -> str:
        """Why nothing may be concluded whatever the figures say; empty where something may."""
        return self.baseline.doubt or self.candidate.doubt or self.levels

    @property
    def levels(self) -> str:
        """The same of levels of load alone."""
        return unlike_levels((self.baseline, self.candidate), self.metric)

    @property
    def is_shown(self) -> bool:
        return self.effect.outcome is Outcome.SHOWN and not self.doubt

    @property
    def is_better(self) -> bool | None:
        """Whether the candidate is better; None when no difference is shown."""
        if self.effect.value is None or not self.is_shown:
            return None
        return (self.effect.value > self.effect.nothing) == self.metric.more_is_better

    @property
    def value_text(self) -> str:
        """The ratio, or the difference in percentage points; "—" without one."""
        if self.effect.value is None:
            return "—"
        points = " points" if self.effect.scale is Scale.DIFFERENCE else ""
        return f"{self._write(self.effect.value)}{points}"

    @property
    def interval_text(self) -> str:
        """[1.24, 1.38]; empty without an interval."""
        if self.effect.low is None or self.effect.high is None:
            return ""
        return f"[{self._write(self.effect.low)}, {self._write(self.effect.high)}]"

    @property
    def p_number(self) -> str:
        """0.008 or < 0.001, corrected where several were compared; empty without a test."""
        p = self.effect.p_corrected
        if p is None:
            return ""
        return "< 0.001" if p < 0.001 else f"{p:.{2 if p >= 0.0995 else 3}f}"

    @property
    def says(self) -> str:
        """What may be concluded when no difference is shown, or why nothing may; else empty."""
        outcome = self.effect.outcome
        if self.doubt:
            return self.doubt
        if outcome is Outcome.TOO_FEW:
            return self._too_few()
        if outcome is Outcome.UNDEFINED:
            return "a figure is 0, so there is no ratio"
        if outcome is Outcome.SHOWN:
            return ""
        if self.effect.low == self.effect.high == self.effect.nothing:
            return "no difference: all runs alike"
        if outcome is Outcome.TOO_SMALL:
            return f"too small to matter (less than {self.metric.margin_words})"
        least = self.effect.detectable
        if least is None:
            return "no difference shown"
        # two digits: it rests on a spread that few starts don't show better
        change = (least - self.effect.nothing) * 100
        text = f"{change:.0f}" if change >= 9.5 else f"{change:.2g}"
        unit = "%" if self.effect.scale is Scale.RATIO else "points"
        return f"no difference shown; ≥ {text} {unit} would have been"

    @property
    def sentence(self) -> str:
        """ "granian-wsgi / gunicorn goodput 1.31 [1.24, 1.38], p = 0.016 (Holm, of 2): …"."""
        by = "/" if self.effect.scale is Scale.RATIO else "−"
        name = f"{self.candidate.title} {by} {self.baseline.title} {self.metric.short}"
        text = " ".join(filter(None, (name, self.value_text, self.interval_text)))
        if self.p_number:
            holm = f" (Holm, of {self.effect.compared})" * (self.effect.compared > 1)
            equals = "" if self.p_number.startswith("<") else "= "
            text += f", p {equals}{self.p_number}{holm}"
        return f"{text}: {self.says}." if self.says else f"{text}."

    def change_percent(self, value: float | None) -> float | None:
        """A ratio as a change in percent of the baseline, a difference in percentage points."""
        return None if value is None else (value - self.effect.nothing) * 100

    def _too_few(self) -> str:
        first, second = self.effect.starts
        if first and second:
            return "too few runs"
        says = f"{(self.candidate if first else self.baseline).title} has no run with this figure"
        if not self.metric.percent:
            return says
        needs = f"{self.metric.short} needs {samples_needed(self.metric.percent)}"
        way_out = "in the window: give runbench a longer --duration or more load"
        return f"{says}; {needs} right answers {way_out}"

    def _write(self, value: float) -> str:
        """With two decimals, or up to four that tell its interval's ends apart, and from none."""
        low, high = self.effect.low, self.effect.high
        by_points = self.effect.scale is Scale.DIFFERENCE
        decimals, factor = 2, 100 if by_points else 1
        if low is not None and high is not None:
            gaps = [abs(end - self.effect.nothing) for end in (low, high)] + [high - low]
            least = min((gap * factor for gap in gaps if gap > 0), default=1.0)
            decimals = min(4, max(2, math.ceil(-math.log10(least))))
        if by_points:
            return f"{value * 100:+.{decimals}f}" if value else "0"
        if 0 < value < 0.01:  # is little, and not nothing
            decimals = max(decimals, 1 - math.floor(math.log10(value)))
        return f"{value:.{decimals}f}"


def contrasts(pairs: Sequence[Pair], metrics: Sequence[Metric]) -> list[Contrast]:
    """Every pair in every metric, metric by metric.

    p is corrected for the number of pairs of sound cells (Holm), and is that of each metric by
    itself: with several, the chance of any false difference is higher (docs/comparing.md).
    """
    sound = [at for at, (one, other) in enumerate(pairs) if not (one.doubt or other.doubt)]
    made = []
    for figure in metrics:
        of_figure = partial(compare, scale=figure.scale, margin=figure.margin)
        single = [of_figure(*(cell.compared(figure) for cell in pair)) for pair in pairs]
        for at, corrected in zip(sound, together(single[at] for at in sound), strict=True):
            single[at] = corrected
        made += [Contrast(*pair, figure, each) for pair, each in zip(pairs, single, strict=True)]
    return made


def few(compared: Iterable[Contrast], *, more: bool) -> str:
    """That some have too few runs to prove anything and, with `more`, how many would do."""
    able = [one for one in compared if all(one.effect.starts)]
    undecided = [one for one in able if one.effect.outcome is Outcome.TOO_FEW and not one.doubt]
    if not undecided:
        return ""
    first, second = min((one.effect.starts for one in undecided), key=min)
    of_figure = gathered((one.metric.short, one) for one in able)
    needed = starts_needed(max(map(len, of_figure.values())))
    proves = f"{counted(first, 'run')} against {second} prove{'s' * (first == 1)} nothing"
    return f"{proves}; {needed} of each would." if more else f"{proves}."


def notes(pairs: Sequence[Pair]) -> list[str]:
    """What to know beside the figures: starts excluded or failed, weak ones, time between."""
    whose: dict[str, list[str]] = {}
    for cell in {id(cell): cell for pair in pairs for cell in pair}.values():
        if not cell.starts.is_whole:
            whose.setdefault(cell.starts.words, []).append(cell.title)
        if weak := [run for run in cell.entering if run.verdict == Verdict.WEAK.value]:
            findings = [finding for run in weak for finding in run.findings.all()]
            codes = {finding.code for finding in findings if finding.level == Level.WEAK.value}
            words = f"{of_runs(len(weak), len(cell.entering))} weak"
            words += f" ({', '.join(sorted(codes)) or 'see their pages'})"
            whose.setdefault(words, []).append(cell.title)
    lines = [f"{listed(titles)}: {words}." for words, titles in whose.items()]
    gaps: list[tuple[float, str]] = []
    for pair in pairs:
        began = [[run.started_at.timestamp() for run in cell.entering] for cell in pair]
        if all(began) and (gap_s := abs(fmean(began[0]) - fmean(began[1]))) > APART_S:
            gaps.append((gap_s, " and ".join(cell.title for cell in pair)))
    if gaps:
        gap_s, names = max(gaps, key=lambda gap: gap[0])
        more = f", and {counted(len(gaps) - 1, 'more pair')} less so" if len(gaps) > 1 else ""
        lines.append(
            f"{names} were not measured in turns, but {format_period(gap_s)} apart on average"
            f"{more}: what changed on the machine in between counts as a difference. runbench with "
            "both and --repeat takes turns."
        )
    return lines


CLOSE = 1.05  #: Of too few runs to prove anything, a smaller ratio is what one run differs by.


@dataclass(frozen=True, slots=True)
class Standing:
    """Two or more sound configurations in one figure."""

    best: Cell
    behind: Sequence[Contrast]  #: Each other, as the candidate, against the best; nearest first.

    @property
    def rivals(self) -> list[Contrast]:
        """Those that may be as good as the best."""
        return [contrast for contrast in self.behind if not is_clear(contrast)]

    @property
    def nearest(self) -> Contrast:
        """Its candidate is the baseline of all: the nearest clearly behind, else the nearest."""
        return next(filter(is_clear, self.behind), self.behind[0])


def standing(cells: Sequence[Cell], figure: Metric) -> Standing | None:
    """None where nothing can be ranked, as `unranked()` says."""
    if unranked(cells, figure):
        return None
    able = [cell for cell in cells if cell.is_sound and cell.compared(figure)]
    able.sort(key=lambda cell: fmean(cell.compared(figure)), reverse=figure.more_is_better)
    best, *rest = able
    return Standing(best, contrasts([(best, cell) for cell in rest], [figure]))


def deciding(cells: Sequence[Cell], figures: Sequence[Metric]) -> Metric:
    """The figure to choose by: the first, but of arrivals answered alike the next of times."""
    figure = figures[0]
    sound = [cell for cell in cells if cell.is_sound]
    means = [fmean(values) for cell in sound if (values := cell.compared(figure))]
    is_open = bool(sound) and all(cell.first.model == OPEN for cell in sound)
    alike = len(means) > 1 and max(means) <= (1 + figure.margin) * min(means)
    times = (one for one in figures if one.of_times)
    return next(times, figure) if is_open and alike and figure.of_answers else figure


def unlike_levels(cells: Sequence[Cell], figure: Metric) -> str:
    """That the figures are of several levels of load, where these tell nothing of each other."""
    if figure.more_is_better or figure.name in ("connection_bytes", "lost_share"):  # of all levels
        return ""
    levels = {frozenset((run.model, run.level) for run in cell.shown) for cell in cells}
    titles = {levels_title(cell) for cell in cells} if len(levels) > 1 else set()
    return f"the figures are of {listed(sorted(filter(None, titles)))}" if len(titles) > 1 else ""


def unranked(cells: Sequence[Cell], figure: Metric) -> str:
    """Why nobody is named first by this figure; empty where somebody is."""
    sound = [cell for cell in cells if cell.is_sound]
    if levels := unlike_levels(sound, figure):
        return f"{figure.heading[:1].upper()}{figure.heading[1:]} is not ranked: {levels}."
    if figure.of_answers and len({cell.first.unit for cell in sound}) > 1:
        return "Nothing is ranked: their answers are not of the same unit."
    if sum(bool(cell.compared(figure)) for cell in sound) > 1:
        return ""

    def reason(cell: Cell) -> str:
        starts = cell.starts
        if not starts.counted:
            return f"excluded ({reasons_of(starts.excluded)})"
        if not cell.is_sound:
            what = "invalid" if cell.measured else "without figures"
            return f"{what} ({reasons_of(starts.failed)})"
        return "" if cell.compared(figure) else f"without {figure.heading}"

    why = gathered((text, cell.title) for cell in cells if (text := reason(cell)))
    if not why:
        return "There is nothing to compare it with."
    reasons = [
        f"all are {reason}"
        if len(titles) == len(cells) > 1
        else f"{listed(titles)} {'is' if len(titles) == 1 else 'are'} {reason}"
        for reason, titles in why.items()
    ]
    return f"Nothing is ranked: {'; '.join(reasons)}."


def is_clear(contrast: Contrast) -> bool:
    """Whether one is better: as shown or, with too few runs, where none lie among the other's."""
    value, figure = contrast.effect.value, contrast.metric
    if contrast.effect.outcome is not Outcome.TOO_FEW or contrast.doubt:
        return contrast.is_shown
    if figure.scale is Scale.DIFFERENCE or not value:
        return value == 0 and figure.scale is Scale.RATIO
    ends = []
    for cell in (contrast.baseline, contrast.candidate):
        lows = highs = cell.compared(figure)
        if figure.name == "connection_bytes":  # a slope, which has an interval in each run
            runs = [run for run in cell.entering if run.websockets and run.connection_bytes]
            lows, highs = (
                [run.websockets["idle"][end] for run in runs] for end in ("low_bytes", "high_bytes")
            )
        ends.append((min(lows), max(highs)))
    (least, most), (low, high) = ends
    return (most < low or high < least) and max(value, 1 / value) >= CLOSE


def more_runs(standing: Standing) -> tuple[str, str]:
    """What would tell the best from its rivals, and the command; empty where no sensible number."""
    nearest = standing.nearest
    for some in (standing.rivals, [nearest] * (nearest.effect.outcome is Outcome.TOO_FEW)):
        wanted = {id(one): one.effect.runs_wanted(len(some)) for one in some}
        if undecided := [one for one in some if wanted[id(one)]]:
            break
    else:
        return "", ""
    cells = [standing.best, *(one.candidate for one in undecided)]
    more = max((wanted[id(one)] or 0) - min(one.effect.starts) for one in undecided)
    seconds = more * sum(
        fmean(
            (run.ended_at - run.started_at).total_seconds()
            if run.ended_at
            else run.warmup_s + run.duration_s
            for run in cell.entering
        )
        for cell in cells
    )
    step = 10 if seconds < 120 else 60
    about = format_period(max(step, step * round(seconds / step)))
    who = listed([one.candidate.title for one in undecided])
    apart = f" {standing.best.title} from {who}" if standing.rivals not in ([], undecided) else ""
    ids = ",".join(cell.entering[0].pk.hex[:8] for cell in cells)
    sentence = f"{counted(more, 'more run')} each, about {about}, would tell{apart}"
    if len({cell.entering[0].revision for cell in cells}) > 1:  # no checkout has two
        return f"{sentence}.", ""
    return f"{sentence}:", command("runbench", f"--again={ids}", f"--repeat={more}")
