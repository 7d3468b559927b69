"""The sides of a comparison: a cell under the name by which a comparison tells of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchsuite.comparing.cells import Cell
from benchsuite.core.metrics.metric import Metric
from benchsuite.core.results import Verdict
from benchsuite.models import Run


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
        """Why nothing may be concluded from this side: "x is invalid: 3 of 6 starts failed
        (B201)"; empty where something may.
        """
        if self.cell.is_sound:
            return ""
        return f"{self.title} is invalid: {self.cell.starts.words}"

    def figures(self, metric: Metric) -> list[float]:
        """One figure for each start that has it; less than nothing, as a slope may be, is none."""
        found = (metric.value(run) for run in self.starts)
        return [value for value in found if value is not None and value >= 0]


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
