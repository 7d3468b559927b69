"""The sides of a comparison: which starts enter it, and which are left out and why."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchsuite.models import Run
from benchsuite.report.cells import Cell
from benchsuite.report.comparing.comparison import software
from benchsuite.report.comparing.metrics import Metric
from benchsuite.results import Level, Status, Verdict

TARGETS_FAULT = "B2"
"""How the codes of findings begin that are about the target, not the load or the machine."""


@dataclass(frozen=True, slots=True)
class Side:
    """The starts of one cell. Only finished runs that are not invalid enter a comparison."""

    title: str
    cell: Cell

    @property
    def starts(self) -> list[Run]:
        return [run for run in self.cell.runs if enters(run)]

    @property
    def left_out(self) -> list[Run]:
        return [run for run in self.cell.runs if not enters(run)]

    @property
    def own_faults(self) -> list[Run]:
        """Of those left out, the starts that the target itself spoiled: it failed to start, died,
        or gave failures. Leaving these out flatters the side.
        """
        return [run for run in self.left_out if _is_own_fault(run)]

    @property
    def weak(self) -> list[Run]:
        return [run for run in self.starts if run.verdict == Verdict.WEAK.value]

    def figures(self, metric: Metric) -> list[float]:
        """One figure for each start that has it."""
        found = (metric.value(run) for run in self.starts)
        return [value for value in found if value is not None]

    @property
    def why_left_out(self) -> str:
        """In words, for those that are: "2 invalid (B201 failures), 1 failed"; else empty."""
        counts: dict[str, int] = {}
        for run in self.left_out:
            word = _state(run)
            counts[word] = counts.get(word, 0) + 1
        return ", ".join(f"{count} {word}" for word, count in counts.items())


def enters(run: Run) -> bool:
    """Whether the figures of a run may be compared with others'."""
    sound = run.verdict in (Verdict.VALID.value, Verdict.WEAK.value)
    return run.status == Status.FINISHED.value and sound and run.goodput is not None


def grouped(runs: Iterable[Run]) -> list[Cell]:
    """Runs of the same cell, label, code, software and machine together, by their first.

    A run without figures knows no software and no machine; it goes with the newest runs of its
    cell and label.
    """
    in_order = sorted(runs, key=lambda run: run.started_at)
    groups: dict[tuple[object, ...], list[Run]] = {}
    newest: dict[tuple[str, str], tuple[object, ...]] = {}
    for run in in_order:
        if run.goodput is not None:
            cell = (run.key, run.label)
            newest[cell] = (*cell, *software(run))
            groups.setdefault(newest[cell], []).append(run)
    for run in in_order:
        if run.goodput is None:
            cell = (run.key, run.label)
            groups.setdefault(newest.get(cell, cell), []).append(run)
    return [Cell(tuple(group)) for group in groups.values()]


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


def _is_own_fault(run: Run) -> bool:
    if run.status == Status.FAILED.value:
        return True
    return any(
        finding.level == Level.INVALID.value and finding.code.startswith(TARGETS_FAULT)
        for finding in run.findings.all()
    )


def _state(run: Run) -> str:
    if run.status != Status.FINISHED.value:
        return run.status
    codes = sorted(
        finding.code for finding in run.findings.all() if finding.level == Level.INVALID.value
    )
    verdict = run.verdict or "unexamined"
    return f"{verdict} ({', '.join(codes)})" if codes else verdict
