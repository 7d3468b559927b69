"""Which things may be compared: the same work, load and data on the same kind of machine."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from benchsuite.comparing.cells import Cell
from benchsuite.comparing.comparison import Comparison
from benchsuite.comparing.differences import Difference
from benchsuite.comparing.setup import Around
from benchsuite.comparing.titles import load_title, workload_title
from benchsuite.core.units import MISSING, format_count, format_period
from benchsuite.models import Run

IN_LOAD_TITLE = ("model", "users", "arrival_rate", "arrivals", "stages", "iterations")
"""Parts of a load that its title tells of."""

IN_DATABASE_WORDS = (
    "use",
    "fixtures",
    "fill",
    "fill_from",
    "max_connections",
    "fsync",
    "conn_max_age_s",
    "pool",
)

NAMES = {
    "warmup_s": "warm-up",
    "duration_s": "window",
    "timeout_s": "time-out",
    "think_time_s": "think time",
    "drain_s": "drain",
    "processes": "load processes",
    "cpus": "CPUs of the load",
}
"""Fields of specs that pages call otherwise."""

NAMED = 3  #: Cells that are named where several have the same.

MOST_TOLD = 6  #: Differences of a kind that a sentence tells.


@dataclass(frozen=True, slots=True)
class Unlike:
    """Of what kind some differences are, for which cells should not be compared."""

    kind: str
    differences: Sequence[Difference]

    def sentence(self, titles: Sequence[str]) -> str:
        """Not the same load: 100 users (uwsgi) or 50 users (uvicorn)."""
        told = [_told(one, titles, self.kind) for one in self.differences[:MOST_TOLD]]
        if len(self.differences) > MOST_TOLD:
            told.append(f"{len(self.differences) - MOST_TOLD} more")
        return f"Not the same {self.kind}: {'; '.join(told)}."


def unlike(comparison: Comparison) -> list[Unlike]:
    """Why these runs should not be compared, by kind; empty when they may."""
    firsts = [cell.first for cell in comparison.cells]
    environment = [one for one in comparison.differences if one.matters]
    kinds = {
        "workload": list(_words("workload", workload_title, firsts)),
        "load": [
            *_words("load", load_title, firsts),
            *_fields("load", firsts, IN_LOAD_TITLE),
        ],
        "data": [
            *_words("data", lambda run: Around.of(run).database, firsts),
            *_fields("database", firsts, IN_DATABASE_WORDS),
        ],
        "environment": [one for one in environment if not one.may_be_the_question],
    }
    return [Unlike(kind, found) for kind, found in kinds.items() if found]


def reasons(comparison: Comparison) -> list[str]:
    """The same in sentences."""
    return [one.sentence(comparison.titles) for one in unlike(comparison)]


@dataclass(frozen=True, slots=True)
class Lot:
    """Cells that may be compared with each other."""

    title: str
    cells: Sequence[Cell]


def alike(comparison: Comparison, found: Sequence[Unlike]) -> list[Lot]:
    """All cells in lots that have no difference of these; largest first."""
    lots: dict[tuple[str, ...], list[tuple[str, Cell]]] = {}
    for number, titled in enumerate(zip(comparison.titles, comparison.cells, strict=True)):
        values = tuple(each.values[number] for one in found for each in one.differences)
        lots.setdefault(values, []).append(titled)
    in_order = sorted(lots.values(), key=len, reverse=True)
    return [Lot(_some([title for title, _ in lot]), [cell for _, cell in lot]) for lot in in_order]


def described(differences: Sequence[Difference], *, limit: int) -> list[str]:
    """In words, for as many as the limit allows, then how many more there are."""
    shown = [one.words for one in differences[:limit]]
    return shown if len(differences) <= limit else [*shown, f"{len(differences) - limit} more"]


def said_first(comparison: Comparison, *, limit: int) -> list[str]:
    """The sentence about what differs, where something does."""
    if not comparison.differences:
        return []
    return [f"What differs: {'; '.join(described(comparison.differences, limit=limit))}."]


def _words(name: str, words: Callable[[Run], str], runs: Sequence[Run]) -> Iterator[Difference]:
    """One difference, in the words of the list."""
    values = tuple(words(run) for run in runs)
    if len(set(values)) > 1:
        yield Difference(name, values)


def _fields(part: str, runs: Sequence[Run], told: Sequence[str]) -> Iterator[Difference]:
    """Those of the fields of a part of the spec that no words tell of."""
    parts = [run.spec.get(part) or {} for run in runs]
    for name in dict.fromkeys(name for one in parts for name in one if name not in told):
        if len({json.dumps(one.get(name), sort_keys=True) for one in parts}) > 1:
            title = NAMES.get(name, name.removesuffix("_s").replace("_", " "))
            yield Difference(title, tuple(_value(name, one.get(name)) for one in parts))


def _value(name: str, value: Any) -> str:
    if value is None:
        return MISSING
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int | float):
        return format_period(value) if name.endswith("_s") else format_count(value)
    return value if isinstance(value, str) else json.dumps(value)


def _told(one: Difference, titles: Sequence[str], kind: str) -> str:
    """kernel 6.1.0 (a, b and 2 more) or 6.8.0 (c); the kind itself is not named again."""
    having: dict[str, list[str]] = {}
    for title, value in zip(titles, one.values, strict=True):
        having.setdefault(value or one.absent, []).append(title)
    values = " or ".join(f"{value} ({_some(each)})" for value, each in having.items())
    return values if one.name == kind else f"{one.name} {values}"


def _some(titles: Sequence[str]) -> str:
    """The first of them, and how many more there are."""
    more = len(titles) - NAMED
    return ", ".join(titles[:NAMED]) + (f" and {more} more" if more > 0 else "")
