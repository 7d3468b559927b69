"""A forest plot: each configuration's ratio to the baseline with its interval, and its runs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from benchsuite.comparing.contrasts import Contrast, Side
from benchsuite.core.metrics.every import Metric
from benchsuite.core.results import Verdict

TICKS = (
    *(0.01, 0.02, 0.05, 0.1, 0.2, 0.33, 0.5, 0.67, 0.8, 0.9, 1),
    *(1.1, 1.25, 1.5, 2, 3, 5, 10, 20, 50, 100),
)
LEAST_SPAN = 1.1  #: The axis reaches from 1 divided by this to this, at least.
EDGE = 0.04  #: Of the width, left and right of what is drawn.
APART = 0.12  #: Of the width, between two ticks with numbers.


@dataclass(frozen=True, slots=True)
class Axis:
    """Ratios on a logarithmic axis, as percent of the width."""

    low: float
    high: float

    def at(self, ratio: float) -> float:
        share = math.log(ratio / self.low) / math.log(self.high / self.low)
        return round(100 * (EDGE + (1 - 2 * EDGE) * share), 2)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Where numbers stand: always 1, and others as far as there is room."""
        kept = [self.at(1)]
        texts = {kept[0]: "1"}
        for tick in sorted(TICKS, key=lambda tick: abs(math.log(tick)), reverse=True):
            if self.low <= tick <= self.high:
                place = self.at(tick)
                if all(abs(place - other) >= 100 * APART for other in kept):
                    kept.append(place)
                    texts[place] = f"{tick:g}"
        return sorted(texts.items())


@dataclass(frozen=True, slots=True)
class Line:
    """One configuration: where its parts lie, in percent of the width."""

    dots: Sequence[tuple[float, bool]]  #: One a run, and whether it is invalid.
    centre: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Forest:
    axis: Axis
    one: float
    margin: tuple[float, float]  #: Between these a difference is too small to matter.
    lines: Sequence[Line]

    @property
    def margin_width(self) -> float:
        return round(self.margin[1] - self.margin[0], 2)


def forest(
    sides: Sequence[Side], baseline: Side, compared: Sequence[Contrast], figure: Metric
) -> Forest | None:
    """A line for each side, in their order; None where the baseline has no figure to divide by."""
    base = baseline.cell.value(figure)
    if not base or baseline.cell.unit != sides[0].cell.unit:
        return None
    found = {id(one.candidate.cell): one.found for one in compared}
    dots = [
        [
            (value / base, run.verdict == Verdict.INVALID.value)
            for run in side.cell.measured
            if (value := figure.value(run)) and value > 0
        ]
        for side in sides
    ]
    ends = [end for one in found.values() for end in (one.low, one.high) if end]
    every = [*ends, *(ratio for some in dots for ratio, _ in some)]
    most, least = 1 + figure.margin, 1 / (1 + figure.margin)
    axis = Axis(min([1 / LEAST_SPAN, *every]), max([LEAST_SPAN, *every]))
    lines = []
    for side, some in zip(sides, dots, strict=True):
        shown, pair = (
            [(axis.at(ratio), invalid) for ratio, invalid in some],
            found.get(id(side.cell)),
        )
        if pair is None or not pair.value:
            lines.append(Line(shown, axis.at(1) if side is baseline else None))
            continue
        interval = [axis.at(end) if end else None for end in (pair.low, pair.high)]
        lines.append(Line(shown, axis.at(pair.value), *interval))
    return Forest(axis, axis.at(1), (axis.at(least), axis.at(most)), lines)
