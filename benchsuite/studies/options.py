"""Options of `runbench` as a study names them, and a cell as arguments."""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any

from benchsuite.core.commands import option_words
from benchsuite.studies import strictly
from benchsuite.studies.strictly import Place
from benchsuite.studies.study import Cell, Options, Share


class Takes(StrEnum):
    """What an option of `runbench` is given."""

    VALUE = "a text or a number"
    FLAG = "true, or false for its opposite"
    PAIRS = "a table of names and values"
    SEVERAL = "a text, or a list of texts"


Known = Mapping[str, Takes]  #: Long names without dashes: "no-keep-alive".

AWAY = ()  #: Instead of a value: [] takes an option away.

_SHARE = strictly.table(
    {"share": strictly.number, "figure": strictly.text},
    {"cell": strictly.mapping(strictly.text)},
    make=Share,
)


class Reader:
    """Reads the options of a study; without `known`, of a stored one, any name is taken."""

    def __init__(self, known: Known | None) -> None:
        self.known = known

    def __call__(self, name: str, value: Any, place: Place) -> Any:
        if value == []:
            self._takes(name, place)
            return AWAY
        if isinstance(value, bool):
            name = name if value else f"no-{name}"
        return _read(self._takes(name, place) or _guessed(value), value, place)

    def limit(self, name: str, value: Any, place: Place) -> float:
        """What an option must at least be for something."""
        self._takes(name, place)
        return strictly.number(value, place)

    def _takes(self, name: str, place: Place) -> Takes | None:
        if self.known is None:
            return None
        place.check([name], "option of a configuration", sorted(self.known))
        return self.known[name]


def _guessed(value: Any) -> Takes:
    if isinstance(value, bool):
        return Takes.FLAG
    if isinstance(value, list):
        return Takes.SEVERAL
    is_pairs = isinstance(value, dict) and not {"share", "figure"} <= value.keys()
    return Takes.PAIRS if is_pairs else Takes.VALUE


def _pair(value: Any, place: Place) -> Any:
    if value == []:
        return AWAY
    return value if isinstance(value, bool) else strictly.scalar(value, place)


def _read(takes: Takes, value: Any, place: Place) -> Any:
    if takes is Takes.SEVERAL:
        return strictly.one_or_more(value, place)
    if takes is Takes.VALUE:
        return _SHARE(value, place) if isinstance(value, dict) else strictly.scalar(value, place)
    if not isinstance(value, bool if takes is Takes.FLAG else dict):
        raise place.wrong(value, takes)
    return value if takes is Takes.FLAG else strictly.mapping(_pair)(value, place)


def laid_over(base: Options, more: Options) -> dict[str, Any]:
    """The first with the second: tables by name, everything else replaced."""
    merged = dict(base)
    for name, value in more.items():
        merged.pop(name[3:] if name.startswith("no-") else f"no-{name}", None)  # its opposite
        below = merged.get(name)
        if isinstance(value, Mapping) and isinstance(below, Mapping):
            value = {**below, **value}
        merged[name] = value
    return merged


def settled(options: Options) -> dict[str, Any]:
    """Without what was taken away."""
    own = {name: settled(one) if isinstance(one, Mapping) else one for name, one in options.items()}
    return {name: value for name, value in own.items() if value not in (AWAY, {})}


def shares(options: Options) -> dict[str, Share]:
    """Those that must be measured first, by option."""
    return {name: one for name, one in options.items() if isinstance(one, Share)}


def in_cell(share: Share, coordinates: Mapping[str, str]) -> Share:
    """The same with every axis of the cell that it looks at."""
    return replace(share, cell={**coordinates, **share.cell})


def arguments(cell: Cell, resolved: Mapping[str, Any] | None = None) -> list[str]:
    """--option=value, server and workload first; a share that is not `resolved` is a formula."""
    options = {**cell.options, **(resolved or {})}
    words = []
    for name in sorted(cell.options, key=lambda name: (name not in ("server", "workload"), name)):
        value = options[name]
        given = dict(sorted(value.items())) if isinstance(value, Mapping) else value
        words += option_words(name, given, _shown)
    return words


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, Share):
        cell = ",".join(f"{axis}={one}" for axis, one in value.cell.items())
        return f"{value.share:g}*{value.figure}({cell})"
    return str(value)
