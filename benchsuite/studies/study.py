"""A study as its file says it; `reading.read()` makes it, and nothing in it is evaluated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

RULES = 3
"""What executions are judged by: one more where a finding or a figure changes so much that a claim
that was decided could come out otherwise. 1 is whatever was stored before 26 November 2026; since 3
a percentile of which too many failed has no limit, and a rate that the load limited is the least.
"""

Coordinates = Mapping[str, str]  #: Axis to value: {"setup": "sync", "delay": "100"}.

Selector = Mapping[str, tuple[str, ...]]  #: Axis to values that it admits; all of one not named.

Region = tuple[float, float]  #: From, to; an infinite end is open.

Options = Mapping[str, Any]
"""Option names of `runbench` to values; [] takes one away, a `Share` is resolved later."""


class Kind(StrEnum):
    """What an arm is there for."""

    ORIGINAL = "original"  #: The software of the time.
    TODAY = "today"  #: The same question, asked of today's software.
    ADDED = "added"  #: Not in the original.
    FLAW = "flaw"  #: Repeats a mistake of the original, to show what it did.


@dataclass(frozen=True, slots=True)
class Value:
    """One value of an axis: the options that it sets."""

    name: str
    options: Options
    kind: Kind | None = None  #: None where the axis is no choice of arms.
    title: str = ""  #: As people call it; its name where it is empty.


@dataclass(frozen=True, slots=True)
class Axis:
    name: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Override:
    """Options that the cells selected get; a later one wins, and wins over the axes."""

    when: Selector
    options: Options


@dataclass(frozen=True, slots=True)
class Share:
    """A value that is known when other cells have run: a share of a figure of theirs."""

    share: float
    figure: str
    cell: Coordinates = field(default_factory=dict)  #: Axes not named are as in the cell that asks.


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaling:
    """What `--scale` below 1 does to a study."""

    shorter: tuple[str, ...] = ()  #: Options in units of time that shrink with the scale.
    faster: tuple[str, ...] = ()  #: Rates that grow as the times shrink.
    thin: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of these axes a share of the values is kept: the first named is kept longest."""
    least: Mapping[str, Any] = field(default_factory=dict)
    """Below this no option is shortened, and "repeat" is the number of starts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure of the original, by our definitions."""

    name: str
    of: str  #: A metric of `core.metrics`, or a derived figure of `studies.figures`.
    scope: str = "window"  #: "window" or "load": ramp and warm-up as well.
    options: Mapping[str, Any] = field(default_factory=dict)  #: length, share, stage …
    title: str = ""


@dataclass(frozen=True, slots=True)
class Objective:
    """What makes one cell better than another."""

    figure: str
    best: str  #: "most" or "least".


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A file of published figures, and how its columns are read."""

    file: str
    cell: Mapping[str, str]  #: Axis to the column that names its value.
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Axis to what the file calls a value, to the value: {"setup": {"gunicorn": "sync"}}."""
    figures: Mapping[str, str] = field(default_factory=dict)  #: Figure to column.
    factor: Mapping[str, float] = field(default_factory=dict)  #: Figure to what a unit of it is.
    only: Mapping[str, str] = field(default_factory=dict)  #: Column to what its rows have in it.


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    rows: str  #: Axis.
    columns: str  #: Axis.
    figures: tuple[str, ...]
    only: Selector = field(default_factory=dict)
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    x: str  #: Axis, or a figure.
    y: str  #: Figure.
    line: str = ""  #: Axis with a line a value.
    small: str = ""  #: Axis with a small chart a value.
    only: Selector = field(default_factory=dict)
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A figure of the cells selected lies in a region; of all of them, where there are several."""

    figure: str
    cell: Selector
    to: Coordinates | None = None  #: The cell it is held against; the rest as in the cell.
    to_figure: str = ""  #: Of that cell; the same figure where it is empty.
    ratio: Region | None = None
    difference: Region | None = None
    value: Region | None = None

    @property
    def regions(self) -> dict[str, Region]:
        """Those that it has, by kind; one, as `reading` sees to."""
        every = {"ratio": self.ratio, "difference": self.difference, "value": self.value}
        return {kind: region for kind, region in every.items() if region is not None}

    def selects(self, cell: Coordinates) -> bool:
        """Whether it is checked: not where `to` is the cell itself, with the same figure."""
        is_itself = self.to is not None and not self.to_figure and self.to.items() <= cell.items()
        return admits(self.cell, cell) and not is_itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What the study said, as checks that must all hold."""

    name: str
    says: str
    checks: tuple[Check, ...]
    needs: Mapping[str, float] = field(default_factory=dict)
    """What must at least be so for it to be told: {"cpus-target": 1, "users": 300}."""
    given: Mapping[str, Region] = field(default_factory=dict)
    """Figures, and the regions in which they must lie for it to be this question at all."""
    published: str = ""  #: The same in the original's figures.


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A question of people: which is the best of some axes, in each situation of the others."""

    asks: str
    choice: tuple[str, ...]  #: Axes whose values are chosen among.
    only: Selector = field(default_factory=dict)
    figure: str = ""  #: What makes one better; that of the objective where it is empty.
    best: str = ""  #: "most" or "least"; as the objective has it where it is empty.
    needs: Mapping[str, float] = field(default_factory=dict)
    """What must at least be so for it to be answered, as of a claim."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """One file."""

    name: str
    question: str
    text: str  #: The file as it is.
    digest: str  #: SHA-256 of the text, in hex.
    path: str
    scaling: Scaling = field(default_factory=Scaling)
    axes: tuple[Axis, ...]  #: The first outermost.
    repeat: int = 1
    every: Options = field(default_factory=dict)
    overrides: tuple[Override, ...] = ()
    excluded: tuple[Selector, ...] = ()
    figures: tuple[Figure, ...] = ()
    objective: Objective | None = None
    published: tuple[Published, ...] = ()
    tables: tuple[Table, ...] = ()
    charts: tuple[Chart, ...] = ()
    claims: tuple[Claim, ...] = ()
    answers: tuple[Answer, ...] = ()

    def axis(self, name: str) -> Axis:
        """The axis of that name; KeyError for another."""
        return {one.name: one for one in self.axes}[name]

    def titles(self, coordinates: Coordinates, *, with_axes: bool = False) -> str:
        """What people call these values; `with_axes` says of which axis one without a title is."""
        parts = []
        for name, value in coordinates.items():
            title = next((one.title for one in self.axis(name).values if one.name == value), "")
            parts.append(title or (f"{name} {value}" if with_axes else value))
        return " · ".join(parts)

    def figure(self, name: str) -> Figure:
        return next(one for one in self.figures if one.name == name)

    def figure_title(self, name: str) -> str:
        return next((one.title for one in self.figures if one.name == name), "") or name


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One combination of values: a `runbench` command."""

    coordinates: Coordinates
    options: Options  #: All that hold for it, in order; none is [].


def cell_title(coordinates: Coordinates) -> str:
    """ "setup sync, delay 100" """
    return ", ".join(f"{axis} {value}" for axis, value in coordinates.items())


def admits(selector: Selector, coordinates: Coordinates) -> bool:
    """Whether the cell there is one of those selected."""
    return all(coordinates.get(axis) in values for axis, values in selector.items())


def names(values: Sequence[Value | Axis]) -> list[str]:
    return [one.name for one in values]
