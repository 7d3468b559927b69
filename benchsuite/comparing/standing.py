"""Which configuration is best in a figure, which may be as good, and what would tell them apart."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from benchsuite.comparing.contrasts import Contrast, Side, contrasts
from benchsuite.comparing.starts import reasons_of
from benchsuite.comparing.titles import levels_title
from benchsuite.core.commands import command
from benchsuite.core.metrics.metric import Metric, Scale
from benchsuite.core.specs import OPEN
from benchsuite.core.units import format_period, listed
from benchsuite.models import Run
from benchsuite.stats.compare import Outcome

CLOSE = 1.05
"""With too few runs to prove anything, a smaller ratio is within what one run differs by."""

ID_LETTERS = 8


@dataclass(frozen=True, slots=True)
class Standing:
    """Two or more sound configurations in one figure."""

    figure: Metric
    best: Side
    others: Sequence[Contrast]
    """Each other one (the candidate) against the best (the baseline), the nearest first."""

    @property
    def rivals(self) -> list[Contrast]:
        """Those that may be as good as the best."""
        return [one for one in self.others if not is_clear(one)]

    @property
    def baseline(self) -> Side:
        """What all are held against where nobody says it: the nearest that is clearly behind the
        best, else the nearest.
        """
        behind = (one for one in self.others if is_clear(one))
        return next(behind, self.others[0]).candidate


def standing(sides: Sequence[Side], figure: Metric) -> Standing | None:
    """None where nothing can be ranked, as `unranked()` says."""
    if unranked(sides, figure):
        return None
    able = [side for side in sides if side.cell.is_sound and side.figures(figure)]
    means = {id(side): fmean(side.figures(figure)) for side in able}
    able.sort(key=lambda side: means[id(side)], reverse=figure.more_is_better)
    best, *others = able
    return Standing(figure, best, contrasts([(best, one) for one in others], [figure]))


def deciding(sides: Sequence[Side], figures: Sequence[Metric]) -> Metric:
    """The figure by which one is chosen: the first, unless all were asked as often by arrivals and
    answered as much; then it is the next of a response time.
    """
    figure = figures[0]
    sound = [side for side in sides if side.cell.is_sound]
    means = [fmean(values) for side in sound if (values := side.figures(figure))]
    is_open = bool(sound) and all(side.cell.first.model == OPEN for side in sound)
    alike = len(means) > 1 and max(means) <= (1 + figure.margin) * min(means)
    times = (one for one in figures if one.of_times)
    return next(times, figure) if is_open and alike and figure.of_answers else figure


def unranked(sides: Sequence[Side], figure: Metric) -> str:
    """Why nobody is named first by this figure; empty where somebody is."""
    sound = [side for side in sides if side.cell.is_sound]
    levels = {levels_title(side.cell) for side in sound}
    if not figure.more_is_better and len(levels) > 1:
        about = figure.heading[:1].upper() + figure.heading[1:]
        return f"{about} is not ranked: the figures are of {listed(sorted(filter(None, levels)))}."
    if figure.of_answers and len({side.cell.unit for side in sound}) > 1:
        return "Nothing is ranked: their answers are not of the same unit."
    if sum(bool(side.figures(figure)) for side in sound) > 1:
        return ""
    why: dict[str, list[str]] = {}
    for side in sides:
        if reason := _absent(side, figure):
            why.setdefault(reason, []).append(side.title)
    if not why:
        return "There is nothing to compare it with."
    reasons = [
        f"all are {reason}"
        if len(titles) == len(sides) > 1
        else f"{listed(titles)} {'is' if len(titles) == 1 else 'are'} {reason}"
        for reason, titles in why.items()
    ]
    return f"Nothing is ranked: {'; '.join(reasons)}."


def _absent(side: Side, figure: Metric) -> str:
    starts = side.cell.starts
    if not starts.counted:
        return f"excluded ({reasons_of(starts.excluded)})"
    if not side.cell.measured:
        return f"without figures ({reasons_of(starts.failed)})"
    if not side.cell.is_sound:
        return f"invalid ({reasons_of(starts.failed)})"
    return "" if side.figures(figure) else f"without {figure.heading}"


def is_clear(contrast: Contrast) -> bool:
    """Whether one is better than the other: as shown or, with too few runs to show anything, as far
    as they go: none of one lies among those of the other.
    """
    value, figure = contrast.found.value, contrast.metric
    if contrast.found.outcome is not Outcome.TOO_FEW or contrast.doubt:
        return contrast.is_shown
    if contrast.found.scale is Scale.DIFFERENCE or not value:
        return value == 0
    sides = (contrast.baseline, contrast.candidate)
    if figure.name == "connection_bytes":
        mine, theirs = (_idle_interval(side.starts) for side in sides)
    else:
        mine, theirs = ((min(some), max(some)) for some in (one.figures(figure) for one in sides))
    apart = mine[1] < theirs[0] or theirs[1] < mine[0]
    return apart and max(value, 1 / value) >= CLOSE


def _idle_interval(runs: Sequence[Run]) -> tuple[float, float]:
    """The bytes between which an idle connection's memory lies, over all these runs."""
    known = [run.websockets["idle"] for run in runs if run.websockets and run.connection_bytes]
    return min(one["low_bytes"] for one in known), max(one["high_bytes"] for one in known)


def more_runs(standing: Standing) -> tuple[str, str]:
    """How many more runs would tell the best from what may be as good, how long they take, and the
    command, which continues what was measured; both empty where no sensible number would.
    """
    first = next(one for one in standing.others if one.candidate is standing.baseline)
    for some in (standing.rivals, [first] * (first.found.outcome is Outcome.TOO_FEW)):
        wanted = {id(one): one.found.runs_wanted(len(some)) for one in some}
        undecided = [one for one in some if wanted[id(one)]]
        if undecided:
            break
    else:
        return "", ""
    sides = [standing.best, *(one.candidate for one in undecided)]
    more = max((wanted[id(one)] or 0) - min(one.found.starts) for one in undecided)
    seconds = more * sum(_run_s(side) for side in sides)
    who = listed([one.candidate.title for one in undecided])
    apart = f" {standing.best.title} from {who}" if standing.rivals not in ([], undecided) else ""
    ids = ",".join(side.starts[0].pk.hex[:ID_LETTERS] for side in sides)
    return (
        f"{more} more run{'s' * (more != 1)} each, about {_about(seconds)}, would tell{apart}:",
        command("runbench", f"--again={ids}", f"--repeat={more}"),
    )


def _run_s(side: Side) -> float:
    """How long one of its runs takes, with its start."""
    return fmean(
        (run.ended_at - run.started_at).total_seconds()
        if run.ended_at
        else run.warmup_s + run.duration_s
        for run in side.starts
    )


def _about(seconds: float) -> str:
    step = 10 if seconds < 120 else 60
    return format_period(max(step, step * round(seconds / step)))
