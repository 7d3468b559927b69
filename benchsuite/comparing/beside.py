"""Each side of a comparison against the baseline: what the compare page says of every metric."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchsuite.comparing.contrasts import Contrast, Side, contrasts, notes
from benchsuite.comparing.differences import Comparison
from benchsuite.comparing.margins import DEFAULT, margins_sentence, metric


@dataclass(frozen=True, slots=True)
class Beside:
    """The contrasts of all sides with the baseline."""

    baseline: str
    metrics: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Contrast]]]
    """Title of a side, and its contrast in each metric."""
    notes: Sequence[str]
    margins: str  #: What counts as too small to matter.


def beside(comparison: Comparison, margins: Mapping[str, float]) -> Beside | None:
    """None without a baseline, or when no side has more than one start: nothing can be tested."""
    sides = [
        Side(title, cell)
        for title, cell in zip(comparison.titles, comparison.cells, strict=True)
        if cell.measured
    ]
    base = next((side for side in sides if side.cell is comparison.baseline), None)
    others = [side for side in sides if side is not base]
    metrics = [metric(name, margins) for name in DEFAULT]
    if base is None or not others or all(len(side.cell.runs) < 2 for side in sides):
        return None
    pairs = [(base, other) for other in others]
    found = contrasts(pairs, metrics)
    rows = [(other.title, [one for one in found if one.candidate is other]) for other in others]
    return Beside(base.title, DEFAULT, rows, notes(pairs), margins_sentence(metrics))
