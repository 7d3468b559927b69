"""Whether what a study names is there: axes, values, figures, cells, files and columns."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from benchsuite.core.exceptions import UsageError
from benchsuite.studies import figures, matrix
from benchsuite.studies.matrix import REPEAT
from benchsuite.studies.options import in_cell, shares
from benchsuite.studies.strictly import Place
from benchsuite.studies.study import (
    Answer,
    Chart,
    Check,
    Coordinates,
    Published,
    Selector,
    Study,
    Table,
    admits,
    names,
    situations,
)

Any_ = TypeVar("Any_")


def check(study: Study, place: Place) -> None:
    """Raises UsageError for the first that is not there."""
    known = _Known(study)
    known.scaling(place.at("scale"))
    for override, at in _each(study.overrides, place, "set"):
        known.selector(override.when, at.at("when"))
    for selector, at in _each(study.excluded, place, "exclude"):
        known.selector(selector, at)
    if study.objective:
        known.figure(study.objective.figure, place.at("objective").at("figure"))
    for reference, at in _each(study.published, place, "published"):
        known.published(reference, at)
    for table, at in _each(study.tables, place, "table"):
        known.table(table, at)
    for chart, at in _each(study.charts, place, "chart"):
        known.chart(chart, at)
    known.cells(place)
    for claim in study.claims:
        for check, at in _each(claim.checks, place.at("claim").at(claim.name), "check"):
            known.check(check, at)
        for figure in claim.given:
            known.figure(figure, place.at("claim").at(claim.name).at("given"))
    _refuse_twice([claim.name for claim in study.claims], place.at("claim"))
    check_answers(study, place)


def check_answers(study: Study, place: Place) -> None:
    """The same of its answers alone, which may be of another file than the rest."""
    known = _Known(study)
    for answer, at in _each(study.answers, place, "answer"):
        known.answer(answer, at)


def check_today(study: Study, place: Place) -> None:
    """Raises UsageError for a figure that nobody makes, or what is not in a published file."""
    for figure in study.figures:
        try:
            figures.metric(figure)
        except UsageError as error:
            raise place.at("figures").at(figure.name).error(str(error)) from error
    for published, at in _each(study.published, place, "published"):
        columns = _columns(Path(study.path).parent / published.file, at.at("file"))
        wanted = (*published.cell.values(), *published.figures.values(), *published.only)
        for column in wanted:
            if column not in columns:
                raise at.at("file").unknown(column, "column", columns)


def _columns(file: Path, place: Place) -> list[str]:
    try:
        with file.open(encoding="utf-8", newline="") as lines:
            return next(csv.reader(lines), [])
    except OSError as error:
        raise place.error(f"{file} can't be read: {error.strerror}.") from error


def _each(items: Iterable[Any_], place: Place, key: str) -> Iterator[tuple[Any_, Place]]:
    return ((one, place.at(key).nth(number)) for number, one in enumerate(items, start=1))


def _refuse_twice(names: Sequence[str], place: Place) -> None:
    for name in names:
        if names.count(name) > 1:
            raise place.error(f"two are called {name!r}.")


class _Known:
    def __init__(self, study: Study) -> None:
        self.study = study
        self.axes = {axis.name: names(axis.values) for axis in study.axes}
        self.figures = [figure.name for figure in study.figures]
        self.cells_by_key = {matrix.key(cell.coordinates): cell for cell in matrix.every(study)}
        self.all = [cell.coordinates for cell in self.cells_by_key.values()]

    def axis(self, name: str, place: Place) -> None:
        if name not in self.axes:
            raise place.unknown(name, "axis", list(self.axes))

    def figure(self, name: str, place: Place) -> None:
        if name not in self.figures:
            raise place.unknown(name, "figure", self.figures)

    def selector(self, selector: Selector, place: Place) -> None:
        for axis, values in selector.items():
            self.axis(axis, place)
            for value in values:
                if value not in self.axes[axis]:
                    raise place.at(axis).unknown(value, "value", self.axes[axis])

    def coordinates(self, coordinates: Coordinates, place: Place) -> None:
        self.selector({axis: (value,) for axis, value in coordinates.items()}, place)

    def scaling(self, place: Place) -> None:
        scaling = self.study.scaling
        for axis, kept in scaling.thin.items():
            self.axis(axis, place.at("thin"))
            self.selector({axis: kept}, place.at("thin"))
            _refuse_twice(kept, place.at("thin").at(axis))
            if missing := [one for one in self.axes[axis] if one not in kept]:
                raise (
                    place.at("thin")
                    .at(axis)
                    .error(f"must name all values, the one kept longest first; add {missing[0]}.")
                )
        options = dict.fromkeys(
            name for cell in self.cells_by_key.values() for name in cell.options
        )
        for key in ("shorter", "faster"):
            for name in getattr(scaling, key):
                if options and name not in options:
                    raise place.at(key).unknown(name, "option of a cell", list(options))
        limited = [*scaling.shorter, *scaling.thin, REPEAT]
        for name in scaling.least:
            if name not in limited:
                raise place.at("least").unknown(name, "scaled option or axis", limited)

    def published(self, published: Published, place: Place) -> None:
        for axis in (*published.cell, *published.names):
            self.axis(axis, place)
        for axis, called in published.names.items():
            self.selector({axis: tuple(called.values())}, place.at("names"))
        for figure in (*published.figures, *published.factor):
            self.figure(figure, place.at("figures"))

    def table(self, table: Table, place: Place) -> None:
        self.axis(table.rows, place.at("rows"))
        self.axis(table.columns, place.at("columns"))
        for figure in table.figures:
            self.figure(figure, place.at("figures"))
        self.selector(table.only, place.at("only"))

    def chart(self, chart: Chart, place: Place) -> None:
        if chart.x not in (*self.axes, *self.figures):
            raise place.at("x").unknown(chart.x, "axis or figure", [*self.axes, *self.figures])
        self.figure(chart.y, place.at("y"))
        for axis in filter(None, (chart.line, chart.small)):
            self.axis(axis, place)
        self.selector(chart.only, place.at("only"))

    def cells(self, place: Place) -> None:
        """That there are some, and that those exist whose figures others need, in no circle."""
        by_key = self.cells_by_key
        if not by_key:
            raise place.at("exclude").error("no configuration is left.")

        def follow(at: Coordinates, asked: tuple[Any, ...]) -> None:
            for option, share in shares(by_key[matrix.key(at)].options).items():
                here = place.at(option)
                self.figure(share.figure, here)
                self.coordinates(share.cell, here.at("cell"))
                needed = in_cell(share, at).cell
                if matrix.key(needed) not in by_key:
                    raise here.error(f"the configuration {_shown(needed)} is excluded.")
                if matrix.key(needed) in asked:
                    raise here.error(f"the configuration {_shown(needed)} would need itself.")
                follow(needed, (*asked, matrix.key(needed)))

        for key, cell in by_key.items():
            follow(cell.coordinates, (key,))

    def check(self, check: Check, place: Place) -> None:
        self.figure(check.figure, place.at("figure"))
        self.selector(check.cell, place.at("cell"))
        regions = {"ratio": check.ratio, "difference": check.difference, "value": check.value}
        given = [name for name, region in regions.items() if region is not None]
        if len(given) != 1:
            raise place.error(f"needs one region of {', '.join(regions)}, and has {len(given)}.")
        compared = check.to is not None or bool(check.to_figure)
        if compared == (given == ["value"]):
            raise place.at(given[0]).error(
                "is of one configuration, and to names another."
                if compared
                else "needs the other configuration: to."
            )
        if check.to_figure:
            self.figure(check.to_figure, place.at("to_figure"))
        self.coordinates(check.to or {}, place.at("to"))
        checked = [reference for reference in self.all if admits(check.cell, reference)]
        if not checked:
            raise place.at("cell").error("selects no configuration.")
        for reference in checked:
            other = {**reference, **(check.to or {})}
            if other not in self.all:
                raise place.at("to").error(f"the configuration {_shown(other)} is excluded.")
            if other == reference and check.to_figure in ("", check.figure) and compared:
                raise place.at("to").error(
                    f"the configuration {_shown(reference)} is held against itself."
                )

    def answer(self, answer: Answer, place: Place) -> None:
        for axis in answer.choice:
            self.axis(axis, place.at("choice"))
        _refuse_twice(answer.choice, place.at("choice"))
        self.selector(answer.only, place.at("only"))
        if bool(answer.figure) != bool(answer.best):
            raise place.error("figure and best belong together; give both or none.")
        if answer.figure:
            self.figure(answer.figure, place.at("figure"))
        elif self.study.objective is None:
            raise place.error("needs figure and best, as the study has no objective.")
        selected = [one for one in self.all if admits(answer.only, one)]
        if not selected:
            raise place.at("only").error("selects no configuration.")
        if len(selected) == len(situations(answer, selected)):
            raise place.at("choice").error(
                f"{', '.join(answer.choice)} has one value in each situation: nothing to choose."
            )


def _shown(coordinates: Coordinates) -> str:
    return " ".join(f"{axis}={value}" for axis, value in coordinates.items())
