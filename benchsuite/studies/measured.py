"""What claims, tables and differences look at: the figures of a study's cells, start by start."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import NormalDist

from benchsuite.studies.intervals import FEWEST, Scatter, Side, scatter
from benchsuite.studies.study import Coordinates


class State(StrEnum):
    """Where a cell stands."""

    PLANNED = "planned"
    MEASURED = "measured"  #: All its starts have ended, well or not.
    UNAVAILABLE = "unavailable"  #: It can't run here; the reason says why.


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """One run of a cell."""

    figures: Mapping[str, float | None]  #: By the study's names; None is "not known", never 0.
    amounts: Mapping[str, float] = field(default_factory=dict)
    """What a figure counts among, by `figures.amounts`; others than counts have none."""
    steps: Mapping[str, float] = field(default_factory=dict)
    """By how much one answer more would raise a rate, by `figures.steps`."""
    at_least: Mapping[str, float] = field(default_factory=dict)
    """Up to where a figure was tried that has no limit, by `figures.at_least`."""
    floors: Mapping[str, float] = field(default_factory=dict)
    """Of one that does not count because the load generator was the limit: the rates that it made,
    as the server answers at least so many."""
    excluded: Sequence[str] = ()  #: Why it doesn't count, by `comparing.cells`: "B401"; else empty.
    verdict: str = ""
    failed: Sequence[str] = ()  #: What the server did wrong: codes of B2xx; such a start counts.
    run: str = ""  #: Identity of the stored run.


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredCell:
    coordinates: Coordinates
    state: State
    reason: str = ""  #: Why it is unavailable.
    starts: Sequence[Start] = ()
    conditions: Mapping[str, float] = field(default_factory=dict)
    """What a claim's `needs` are held against, where cells differ in it: users."""

    @property
    def counted(self) -> list[Start]:
        return [one for one in self.starts if not one.excluded]

    def values(self, figure: str) -> list[float]:
        """Of the starts that count and have it, with floors where these are too few."""
        values = [value for one in self.counted if (value := one.figures.get(figure)) is not None]
        return [*values, *self._floors(figure)] if self.is_floor(figure) else values

    def measured(self, figure: str) -> list[float]:
        """The same; none where the server may have more of it than was measured."""
        return [] if self.is_floor(figure) else self.values(figure)

    def is_floor(self, figure: str) -> bool:
        """Whether the server may have more of it than was measured."""
        return len(self.counted) < FEWEST and bool(self._floors(figure))

    def _floors(self, figure: str) -> list[float]:
        return [one.floors[figure] for one in self.starts if figure in one.floors]

    def amounts(self, figure: str) -> list[float]:
        """What these count among; empty where the figure is no count."""
        having = [start for start in self.counted if start.figures.get(figure) is not None]
        values = [start.amounts.get(figure, 0.0) for start in having]
        return values if all(values) else []

    def at_least(self, figure: str) -> list[float]:
        """Up to where those without limit were tried; empty where that isn't known of all."""
        endless = [one for one in self.counted if one.figures.get(figure) == math.inf]
        bounds = [one.at_least.get(figure, 0.0) for one in endless]
        return bounds if all(bounds) else []

    def side(self, figure: str, of_all: Scatter) -> Side:
        """Its starts in that figure, and how all cells scatter in it."""
        amounts, at_least = self.amounts(figure), self.at_least(figure)
        step = max((start.steps.get(figure, 0.0) for start in self.counted), default=0.0)
        return Side(self.values(figure), of_all, amounts, at_least, self.is_floor(figure), step)


def reasons(starts: Iterable[Start]) -> str:
    """What keeps them from being sound, each once: "B201, B302"."""
    return ", ".join(dict.fromkeys(why for one in starts for why in one.excluded or one.failed))


TOLD = 0.93
"""Of an interval that tells. It lies beyond a threshold by chance in 3.5 %, and where cells scatter
most unlike each other in 5 %, as `benchmarks.claims` measures it."""

POCOCK = {2: 2.036, 3: 2.15, 4: 2.223, 5: 2.276, 6: 2.317, 7: 2.35, 8: 2.377}
"""Standard errors of such an interval at each of so many looks (Pocock 1977), by the recursion of
Armitage, McPherson & Rowe 1969."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """All cells of one execution of a study, and what claims need to know of it."""

    cells: Sequence[MeasuredCell]
    conditions: Mapping[str, float] = field(default_factory=dict)
    """What a claim's `needs` are held against, where it is the same for all cells: cpus-target."""
    looks: int = 1  #: How often it is looked at, at the most, before it ends.
    _known: dict[str, Scatter] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def confidence(self) -> float:
        """Of an interval at each look, so that it is `TOLD` at all of them (Pocock 1977)."""
        return TOLD if self.looks == 1 else 2 * NormalDist().cdf(POCOCK[self.looks]) - 1

    def scatter(self, figure: str) -> Scatter:
        """How the starts of all cells scatter in that figure; found once."""
        if figure not in self._known:
            amounts = (cell.amounts(figure) for cell in self.cells)
            self._known[figure] = scatter((cell.values(figure) for cell in self.cells), amounts)
        return self._known[figure]
