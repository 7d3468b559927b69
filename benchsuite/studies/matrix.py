"""The cells of a study: the product of its axes, as --only and --scale leave it."""

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import IntEnum
from itertools import product
from pathlib import Path
from typing import Any

from benchsuite.core.exceptions import UsageError
from benchsuite.core.units import listed, parse_seconds
from benchsuite.studies.options import in_cell, laid_over, settled, shares
from benchsuite.studies.strictly import Place
from benchsuite.studies.study import Answer, Cell, Coordinates, Options, Selector, Study, admits

ALL: Selector = {}  #: Selects every cell.
ONLY = Place("--only")

Key = frozenset[tuple[str, str]]


class Need(IntEnum):
    """What needs a cell first of all."""

    CLAIM = 0
    QUESTION = 1  #: What people ask, of which the study names the best.
    NOTHING = 2  #: It stands in tables and charts alone.


@dataclass(frozen=True, slots=True)
class Case:
    """Cells that a claim, or a question in a situation, compares, and those that they need run."""

    need: Need
    cells: frozenset[Key]
    needs: Mapping[str, float]  #: Without which nothing can be told of it.


def cells(
    study: Study,
    scale: float = 1.0,
    only: Selector = ALL,
    *,
    claims: bool = False,
    keeps: Need = Need.CLAIM,
) -> tuple[Cell, ...]:
    """Those to be measured at that scale, in the order of the file; with `claims` those that claims
    need alone. What `only` names or what `keeps` and anything before it needs is kept at any scale.
    Raises UsageError for an unknown axis or value, and where nothing is left.
    """
    if not 0 < scale <= 1:
        raise UsageError(f"--scale must be above 0 and at most 1, and is {scale:g}.")
    check_selector(study, only)
    kept = {axis: one for axis, one in kept_values(study, scale).items() if axis not in only}
    by_key = {key(cell.coordinates): cell for cell in every(study)}
    needs = needed(study, cases(study))
    wanted: set[Key] = set()
    for place, cell in by_key.items():
        is_thinned = needs[place] > keeps and not admits(kept, cell.coordinates)
        left_out = is_thinned or (claims and needs[place] is not Need.CLAIM)
        if admits(only, cell.coordinates) and not left_out:
            wanted |= _with_needed(cell)
    if not wanted:
        words = [f"{axis}={','.join(values)}" for axis, values in only.items()]
        raise UsageError(
            f"No configuration of {study.name} is {listed(words or ['selected'])} at scale "
            f"{scale:g}; {'no claim needs' if claims else 'the study excludes'} this combination."
        )
    return tuple(
        replace(cell, options=_scaled(study, cell.options, scale))
        for place, cell in by_key.items()
        if place in wanted
    )


def cases(study: Study) -> list[Case]:
    """Those of claims, then those of questions, in their order."""
    by_key = {key(cell.coordinates): cell for cell in every(study)}
    made: list[Case] = []

    def add(need: Need, places: Iterable[Key], needs: Mapping[str, float]) -> None:
        keys = (_with_needed(by_key[place]) for place in places if place in by_key)
        made.append(Case(need, frozenset().union(*keys), needs))

    here = [cell.coordinates for cell in by_key.values()]
    for claim in study.claims:
        selected = [(c, check.to) for check in claim.checks for c in here if check.selects(c)]
        places = [key({**cell, **(to or {})}) for cell, other in selected for to in ({}, other)]
        add(Need.CLAIM, places, claim.needs)
    for answer in study.answers:
        for _, arms in situations(answer, study):
            add(Need.QUESTION, map(key, arms), answer.needs)
    return made


def situations(answer: Answer, study: Study) -> Iterable[tuple[Coordinates, list[Coordinates]]]:
    """What it does not choose among, each with the cells of the study that it chooses among."""
    chosen: dict[Key, tuple[Coordinates, list[Coordinates]]] = {}
    for cell in every(study):
        if admits(answer.only, cell.coordinates):
            where = {axis: v for axis, v in cell.coordinates.items() if axis not in answer.choice}
            chosen.setdefault(key(where), (where, []))[1].append(cell.coordinates)
    return chosen.values()


def needed(study: Study, cases: Iterable[Case]) -> dict[Key, Need]:
    """Of every cell what needs it first."""
    needs = dict.fromkeys((key(cell.coordinates) for cell in every(study)), Need.NOTHING)
    for case in cases:
        needs |= {place: min(needs[place], case.need) for place in case.cells}
    return needs


def key(coordinates: Coordinates) -> Key:
    return frozenset(coordinates.items())


def _with_needed(cell: Cell) -> set[Key]:
    """With all that must be measured before it."""
    before = (in_cell(share, cell.coordinates).cell for share in shares(cell.options).values())
    return {key(cell.coordinates), *map(key, before)}


def every(study: Study) -> Iterator[Cell]:
    """All of them, unscaled."""
    axes = [axis.name for axis in study.axes]
    for values in product(*(axis.values for axis in study.axes)):
        coordinates = {axis: value.name for axis, value in zip(axes, values, strict=True)}
        if not any(admits(excluded, coordinates) for excluded in study.excluded):
            options = dict(study.every)
            for value in values:
                options = laid_over(options, value.options)
            for override in study.overrides:
                if admits(override.when, coordinates):
                    options = laid_over(options, override.options)
            yield Cell(coordinates=coordinates, options=settled(options))


def selector(given: Iterable[str]) -> Selector:
    """ "setup=sync,pool" as a selector, with what a command line has split at its commas."""
    joined: list[str] = []
    for text in given:
        joined.append(f"{joined.pop()},{text}" if joined and "=" not in text else text)
    chosen: dict[str, tuple[str, ...]] = {}
    for text in joined:
        axis, equals, values = text.partition("=")
        wanted = [value.strip() for value in values.split(",")]
        if not equals or not axis.strip() or not all(wanted):
            raise UsageError(f"--only={text} is not of the form axis=value or axis=value,value.")
        chosen[axis.strip()] = (*chosen.get(axis.strip(), ()), *wanted)
    return chosen


def check_selector(study: Study, selector: Selector, place: Place = ONLY) -> None:
    """Raises UsageError for an axis or a value that the study lacks."""
    axes = {axis.name: [value.name for value in axis.values] for axis in study.axes}
    for axis, values in selector.items():
        place.check([axis], "axis", axes)
        place.at(axis).check(values, "value", axes[axis])


REPEAT = "repeat"  #: Among what `scale.least` limits: the number of starts.


def repeats(study: Study, scale: float) -> int:
    """Starts of each cell; as many as the study says, where it names no least."""
    least = study.scaling.least.get(REPEAT)
    return study.repeat if least is None else _fewer(study.repeat, scale, least)


def kept_values(study: Study, scale: float) -> Selector:
    """Of the axes that are thinned, the values that are kept."""
    thin, least = study.scaling.thin, study.scaling.least
    amounts = {axis: _fewer(len(order), scale, least.get(axis, 1)) for axis, order in thin.items()}
    return {axis: order[: amounts[axis]] for axis, order in thin.items()}


def _fewer(all_of_them: int, scale: float, least: float) -> int:
    return min(all_of_them, max(math.ceil(least), math.ceil(all_of_them * scale)))


def _scaled(study: Study, options: Options, scale: float) -> dict[str, Any]:
    """The options of a cell at that scale; none is longer than it was."""
    scaling, changed = study.scaling, dict(options)
    if scale == 1:
        return changed
    for name in scaling.shorter:
        given, least = changed.get(name), scaling.least.get(name, 0)
        if isinstance(given, str | float):  # a time
            try:
                seconds = parse_seconds(str(given))
            except UsageError as error:
                place = Place(Path(study.path).name).at("scale").at("shorter")
                raise place.error(f"{name}: {error}") from error
            seconds = min(seconds, max(seconds * scale, least))
            changed[name] = f"{Decimal(f'{seconds:.4g}'):f}s"  # 17280s, not 1.728e+04s
        elif isinstance(given, int):  # an amount, such as messages
            changed[name] = min(given, max(round(given * scale), math.ceil(least), 1))
    for name in scaling.faster:
        with suppress(KeyError, TypeError, ValueError):  # it has none, a share, or no number
            changed[name] = float(f"{float(changed[name]) / scale:.4g}")
    return changed
