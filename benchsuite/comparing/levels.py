"""Configurations that were asked by several loads: what each answered at each, and where it levels
off.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from benchsuite.comparing.answer import of_runs
from benchsuite.comparing.cells import Cell
from benchsuite.comparing.differences import Comparison, Unlike
from benchsuite.comparing.titles import cell_titles, load_title, units_beside
from benchsuite.core.answer import Answer
from benchsuite.core.specs import OPEN
from benchsuite.core.units import format_rate
from benchsuite.models import Run
from benchsuite.stats.levels import LEVELS_OFF

IN_PLACE_OF = ("users", "arrival_rate", "max_in_flight")
"""Fields of a load in which levels differ."""


@dataclass(frozen=True, slots=True)
class Climbed:
    """One configuration, from its lowest level to its highest."""

    title: str
    cells: Sequence[Cell]

    @property
    def knee(self) -> Cell:
        """The lowest level from which on more load hardly helps: of users that of 95 % of the most
        goodput; of arrivals the highest of which 95 % were answered right, else the lowest.
        """
        if self.cells[0].first.model == OPEN:
            held = [cell for cell in self.cells if _goodput(cell) >= LEVELS_OFF * level(cell.first)]
            return held[-1] if held else self.cells[0]
        most = max(map(_goodput, self.cells))
        return next(cell for cell in self.cells if _goodput(cell) >= LEVELS_OFF * most)

    @property
    def sentence(self) -> str:
        """ "uvicorn levels off at 16 users with 512 /s"; at its highest level it still rises."""
        knee = self.knee
        rate = format_rate(knee.middle("goodput"), units_beside(knee.first))
        if knee is self.cells[-1]:
            word = "keeps up with" if knee.first.model == OPEN else "still rises at"
        else:
            word = "keeps up until" if knee.first.model == OPEN else "levels off at"
        return f"{self.title} {word} {load_title(knee.first)} with {rate}"


def level(run: Run) -> float:
    """Users, or arrivals per second."""
    return run.arrival_rate if run.model == OPEN else float(run.users or 0)  # type: ignore[return-value]


def climbs(comparison: Comparison, unlike: Sequence[Unlike]) -> list[Climbed]:
    """The configurations, the most goodput first, where cells differ in the level of their load
    alone and one has several levels; else empty.
    """
    if [one.kind for one in unlike] != ["load"] or len(
        {_but_level(one.first) for one in comparison.cells}
    ) > 1:
        return []
    groups: dict[str, list[Cell]] = {}
    for cell in comparison.cells:
        if cell.measured:
            groups.setdefault(_configuration(cell.first), []).append(cell)
    lines = [sorted(some, key=lambda cell: level(cell.first)) for some in groups.values()]
    if not any(len(line) > 1 for line in lines):
        return []
    titles = cell_titles([line[0] for line in lines])
    made = [Climbed(title, line) for title, line in zip(titles, lines, strict=True)]
    return sorted(made, key=lambda one: -max(map(_goodput, one.cells)))


def answer_of(lines: Sequence[Climbed], margins: dict[str, float]) -> Answer:
    """Which to take where the best levels off, and where each does."""
    best = lines[0].knee
    beside = [
        cell for line in lines for cell in line.cells if level(cell.first) == level(best.first)
    ]
    at_level = of_runs(Comparison([run for cell in beside for run in cell.runs]), margins)
    where = load_title(best.first)
    headline = f"At {where}: {at_level.headline}" if at_level.headline else f"{lines[0].sentence}."
    return replace(
        at_level,
        headline=headline,
        reasons=[*at_level.reasons, *(f"{one.sentence}." for one in lines)],
    )


def _goodput(cell: Cell) -> float:
    return cell.middle("goodput") or 0.0


def _but_level(run: Run) -> str:
    load = run.spec.get("load") or {}
    return json.dumps(
        {name: load[name] for name in load if name not in IN_PLACE_OF}, sort_keys=True
    )


def _configuration(run: Run) -> str:
    apart = ("load", "label", "repetition", "seed")
    spec = {name: part for name, part in run.spec.items() if name not in apart}
    made_with = (run.label, run.revision, run.server_version, run.python_version, run.software_id)
    return json.dumps([spec, *made_with], sort_keys=True)
