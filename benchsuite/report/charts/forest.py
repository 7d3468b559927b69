"""A forest plot: each configuration's ratio to the baseline with its interval, and its runs."""

import math
from collections.abc import Sequence
from typing import Any

from benchsuite.comparing.cells import Cell
from benchsuite.comparing.contrasts import Contrast
from benchsuite.core.metrics.every import Metric
from benchsuite.core.results import Verdict

TICKS = (
    *(0.01, 0.02, 0.05, 0.1, 0.2, 0.33, 0.5, 0.67, 0.8, 0.9, 1),
    *(1.1, 1.25, 1.5, 2, 3, 5, 10, 20, 50, 100),
)
LEAST_SPAN = 1.1  #: The axis reaches from 1 divided by this to this, at least.
EDGE = 0.04  #: Of the width, left and right of what is drawn.
APART = 0.12  #: Of the width, between two ticks with numbers.


def forest(
    cells: Sequence[Cell], baseline: Cell, compared: Sequence[Contrast], figure: Metric
) -> dict[str, Any] | None:
    """Lines for the cells, in percent of the width; None where the baseline has no figure."""
    base = baseline.value(figure)
    if not base or baseline.unit != cells[0].unit:
        return None
    found = {id(contrast.candidate): contrast.found for contrast in compared}
    dots = [
        [
            (value / base, run.verdict == Verdict.INVALID.value)
            for run in cell.measured
            if (value := figure.value(run)) and value > 0
        ]
        for cell in cells
    ]
    ends = [end for ratio in found.values() for end in (ratio.low, ratio.high) if end]
    every = [*ends, *(ratio for some in dots for ratio, _ in some)]
    lowest, highest = min([1 / LEAST_SPAN, *every]), max([LEAST_SPAN, *every])

    def at(ratio: float) -> float:
        share = math.log(ratio / lowest) / math.log(highest / lowest)  # a logarithmic axis
        return round(100 * (EDGE + (1 - 2 * EDGE) * share), 2)

    lines = []
    for cell, some in zip(cells, dots, strict=True):
        line: dict[str, Any] = {"dots": [(at(ratio), invalid) for ratio, invalid in some]}
        pair = found.get(id(cell))
        if pair is not None and pair.value:
            line |= {"low": pair.low and at(pair.low), "high": pair.high and at(pair.high)}
            line["centre"] = at(pair.value)
        elif cell is baseline:
            line["centre"] = at(1)
        lines.append(line)
    ticks = {at(1): "1"}  # always, and others as far as there is room
    for tick in sorted(TICKS, key=lambda tick: abs(math.log(tick)), reverse=True):
        apart = [abs(at(tick) - other) for other in ticks]
        if lowest <= tick <= highest and min(apart) >= 100 * APART:
            ticks[at(tick)] = f"{tick:g}"
    least, most = at(1 / (1 + figure.margin)), at(1 + figure.margin)
    margin = (least, round(most - least, 2))  # where a difference is too small to matter
    return {"ticks": sorted(ticks.items()), "one": at(1), "margin": margin, "lines": lines}
