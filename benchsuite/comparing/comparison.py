"""Runs beside each other: which may be compared, what differs, and their ratios to a baseline."""

from collections.abc import Sequence
from functools import cached_property

from benchsuite.comparing.cells import Cell, cells
from benchsuite.comparing.differences import Difference, differences
from benchsuite.comparing.titles import cell_titles
from benchsuite.core.metrics.metric import Metric
from benchsuite.models import Run


class Comparison:
    """Some runs, grouped into cells; one of the cells is what the others are divided by."""

    def __init__(self, runs: Sequence[Run], *, baseline: str = "") -> None:
        self.runs = list(runs)
        self.cells = cells(self.runs)
        self.titles = cell_titles(self.cells)
        self.baseline = self._baseline(baseline)

    @cached_property
    def differences(self) -> list[Difference]:
        """What differs between the cells, what was measured first."""
        return differences([cell.first for cell in self.cells])

    def ratio(self, cell: Cell, metric: Metric) -> float | None:
        """The cell's median divided by the baseline's."""
        if self.baseline is None or (metric.of_answers and cell.unit != self.baseline.unit):
            return None
        mine, base = cell.middle(metric.name), self.baseline.middle(metric.name)
        return None if mine is None or not base else mine / base

    def _baseline(self, wanted: str) -> Cell | None:
        """The cell that holds the wanted run, else the first in the order given that may be one."""
        if wanted:
            for cell in self.cells:
                if cell.is_sound and wanted in {str(run.pk) for run in cell.runs}:
                    return cell
        by_run = {run.pk: cell for cell in self.cells for run in cell.runs}
        in_order = [by_run[run.pk] for run in self.runs]
        return next((cell for cell in in_order if cell.is_sound), None)
