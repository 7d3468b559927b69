"""The studies of benchsuite and of the project, and whether all that a study names is there."""

import csv
import hashlib
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from benchsuite.core.exceptions import UsageError
from benchsuite.core.plain import shown
from benchsuite.core.units import parse_seconds
from benchsuite.studies import figures, matrix
from benchsuite.studies.matrix import REPEAT
from benchsuite.studies.options import Known, Reader, in_cell, laid_over, shares
from benchsuite.studies.strictly import (
    Place,
    mapping,
    number,
    one_of,
    one_or_more,
    region,
    scalar,
    selector,
    several,
    table,
    text,
    texts,
    whole,
)
from benchsuite.studies.strictly import Reader as ReaderOf
from benchsuite.studies.study import (
    Answer,
    Axis,
    Chart,
    Check,
    Claim,
    Coordinates,
    Figure,
    Kind,
    Objective,
    Options,
    Override,
    Published,
    Scaling,
    Selector,
    Study,
    Table,
    Value,
    admits,
    cell_title,
)

FOLDER = Path(__file__).parent / "files"


def studies(extra: Sequence[Path] = ()) -> Mapping[str, Path]:
    """Name → file, of the catalogue and these; UsageError where two have one name."""
    paths: dict[str, Path] = {}
    for place in (FOLDER, *extra):
        inside = filter(Path.is_file, sorted(place.glob("*.toml")))
        for file in inside if place.is_dir() else [place]:
            if file.stem in paths:
                both = f"{paths[file.stem]} and {file}"
                raise UsageError(f"Two studies are called {file.stem}, {both}; rename one.")
            paths[file.stem] = file
    return paths


FORMAT = 1
OPTIONS = "options"


def read(path: Path, known: Known | None = None) -> Study:
    """The study of this file; UsageError for what is wrong. No `known`: any option is taken."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: the study can't be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: the study is not UTF-8; save it as text.") from error
    study = parse(text, path, known)
    check_today(study, Place(path.name))
    return study


def parse(text: str, path: Path, known: Known | None = None) -> Study:
    """The study of this text, which was read from that file, now or when it was executed."""
    place = Place(path.name)
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # of what is too long or too deep for it the parser says nothing to people
        why = str(error) if isinstance(error, tomllib.TOMLDecodeError) else "it is too deep or long"
        raise place.error(f"this is no TOML: {why}.") from error
    fields = _file(known)(document, place)
    if fields["name"] != path.stem:
        raise place.at("name").wrong(fields["name"], f"what the file is called, {path.stem!r}")
    given = {CALLED.get(key, key): value for key, value in fields.items() if key != "format"}
    axes, by_name = place.at("axis"), given.get("figures", {})
    given["axes"] = tuple(_axis(name, axis, axes.at(name)) for name, axis in given["axes"].items())
    given["figures"] = tuple(Figure(name=name, **figure) for name, figure in by_name.items())
    digest = hashlib.sha256(text.encode()).hexdigest()
    study = Study(**given, text=text, digest=digest, path=str(path))
    _check(study, place)
    return study


def _name(value: Any, place: Place) -> str:
    """Of a study, an axis, a value: it stands in --only and in addresses."""
    name = str(text(value, place))
    if any(sign.isspace() or not sign.isprintable() or sign in ",=/" for sign in name):
        raise place.wrong(value, "a name without blanks, commas, slashes and equals signs")
    return name


def _format(value: Any, place: Place) -> int:
    if value != FORMAT or isinstance(value, bool):
        raise place.wrong(value, f"{FORMAT}, the only format that this benchsuite reads")
    return FORMAT


def _least(value: Any, place: Place) -> float:
    """A time in seconds, an amount, a number of values or of starts."""
    if not isinstance(value, str):
        return number(value, place)
    try:
        return parse_seconds(text(value, place))
    except UsageError as error:
        raise place.error(str(error)) from error


def _texts(value: Any, place: Place) -> tuple[str, ...]:
    return () if value == [] else texts(value, place)


def _file(known: Known | None) -> ReaderOf:
    """The whole format."""
    reader = Reader(known)
    options = (OPTIONS, reader)
    needs = table({}, rest=("needs", reader.limit), make=lambda needs: needs)
    kind = one_of(*(kind.value for kind in Kind))
    best = one_of("most", "least")
    value = table({}, {"like": text, "kind": kind, "title": text}, options)
    figure = table(
        {"of": text},
        {"scope": one_of("window", "load"), "title": text},
        ("options", lambda name, value, place: scalar(value, place)),
    )
    published = table(
        {"file": text, "cell": mapping(text), "figures": mapping(text)},
        {"names": mapping(mapping(text)), "factor": mapping(number), "only": mapping(text)},
        make=Published,
    )
    check = table(
        {"figure": text, "cell": selector},
        {"to": mapping(text), "to_figure": text}
        | {"ratio": region, "difference": region, "value": region},
        make=Check,
    )
    claim = table(
        {"name": _name, "says": text, "check": several(check)},
        {"needs": needs, "given": mapping(region), "published": text},
        make=lambda check, **fields: Claim(checks=check, **fields),
    )
    answered = {"only": selector, "figure": text, "best": best, "needs": needs}
    scale = {"shorter": _texts, "faster": _texts, "thin": mapping(texts), "least": mapping(_least)}
    drawn: dict[str, ReaderOf] = {"only": selector, "title": text}
    drawn_table = {"rows": text, "columns": text, "figures": texts}
    line = {"line": text, "small": text}
    return table(
        {"format": _format, "name": _name, "question": text, "axis": mapping(mapping(value))},
        {
            "repeat": whole,
            "every": table({}, rest=options, make=lambda options: options),
            "scale": table({}, scale, make=Scaling),
            "set": several(table({"when": selector}, rest=options, make=Override)),
            "exclude": several(selector),
            "figures": mapping(figure),
            "objective": table({"figure": text, "best": best}, make=Objective),
            "published": several(published),
            "table": several(table(drawn_table, drawn, make=Table)),
            "chart": several(table({"x": text, "y": text}, line | drawn, make=Chart)),
            "claim": several(claim),
            "answer": several(table({"asks": text, "choice": one_or_more}, answered, make=Answer)),
        },
    )


CALLED = {"set": "overrides", "exclude": "excluded", "axis": "axes", "scale": "scaling"}
CALLED |= {key: f"{key}s" for key in ("table", "chart", "claim", "answer")}
"""Keys of a file that a study calls otherwise."""


def _axis(name: str, values: Mapping[str, Any], place: Place) -> Axis:
    _name(name, place)
    if not values:
        raise place.error("an axis needs at least one value.")
    made = []
    for value, fields in values.items():
        _name(value, place.at(value))
        kind = Kind(fields["kind"]) if "kind" in fields else None
        made.append(Value(value, _options(value, values, place, ()), kind, fields.get("title", "")))
    return Axis(name, tuple(made))


def _options(name: str, values: Mapping[str, Any], place: Place, asked: tuple[str, ...]) -> Options:
    """Those of a value, over those of the one that it is like."""
    if (model := values[name].get("like")) is None:
        return dict(values[name][OPTIONS])
    here = place.at(name).at("like")
    here.check([model], "value", values)
    if model in (*asked, name):
        raise here.error(f"{shown(model)} is like itself.")
    return laid_over(_options(model, values, place, (*asked, name)), values[name][OPTIONS])


Any_ = TypeVar("Any_")


def _check(study: Study, place: Place) -> None:
    """Raises UsageError for the first that is not there."""
    known = _Known(study)
    known.scaling(place.at("scale"))
    for override, at in _each(study.overrides, place, "set"):
        known.selector(override.when, at.at("when"))
    for excluded, at in _each(study.excluded, place, "exclude"):
        known.selector(excluded, at)
    if study.objective:
        known.figure(place.at("objective").at("figure"), study.objective.figure)
    for published, at in _each(study.published, place, "published"):
        known.axis(at, *published.cell, *published.names)
        for axis, called in published.names.items():
            known.selector({axis: tuple(called.values())}, at.at("names"))
        known.figure(at.at("figures"), *published.figures, *published.factor)
    for layout, at in _each(study.tables, place, "table"):
        known.axis(at.at("rows"), layout.rows)
        known.axis(at.at("columns"), layout.columns)
        known.figure(at.at("figures"), *layout.figures)
        known.selector(layout.only, at.at("only"))
    for chart, at in _each(study.charts, place, "chart"):
        known.figure(at.at("y"), chart.y)
        known.axis(at, *filter(None, (chart.line, chart.small)))
        known.selector(chart.only, at.at("only"))
    known.cells(place)
    for claim in study.claims:
        here = place.at("claim").at(claim.name)
        for check, at in _each(claim.checks, here, "check"):
            known.check(check, at)
        known.figure(here.at("given"), *claim.given)
    claimed = [claim.name for claim in study.claims]
    for name in claimed:
        if claimed.count(name) > 1:
            raise place.at("claim").error(f"two are called {name!r}.")
    for answer, at in _each(study.answers, place, "answer"):
        known.answer(answer, at)


def check_today(study: Study, place: Place) -> None:
    """Raises UsageError for a figure, an axis of a chart or a published column that isn't."""
    known = _Known(study)
    for chart, at in _each(study.charts, place, "chart"):
        known.axis(at.at("x"), chart.x)
    for figure in study.figures:
        try:
            figures.metric(figure)
        except UsageError as error:
            raise place.at("figures").at(figure.name).error(str(error)) from error
    for published, at in _each(study.published, place, "published"):
        file = Path(study.path).parent / published.file
        try:
            with file.open(encoding="utf-8-sig", newline="") as lines:
                columns = next(csv.reader(lines), [])
        except (OSError, ValueError, csv.Error) as error:
            why = getattr(error, "strerror", None) or error
            raise at.at("file").error(f"{file} can't be read: {why}.") from error
        read = (*published.cell.values(), *published.figures.values(), *published.only)
        at.at("file").check(read, "column", columns)


def _each(items: Iterable[Any_], place: Place, key: str) -> Iterator[tuple[Any_, Place]]:
    return ((one, place.at(key).nth(number)) for number, one in enumerate(items, start=1))


class _Known:
    def __init__(self, study: Study) -> None:
        self.study = study
        self.axes = {axis.name: [value.name for value in axis.values] for axis in study.axes}
        self.figures = [figure.name for figure in study.figures]
        self.cells_by_key = {matrix.key(cell.coordinates): cell for cell in matrix.every(study)}
        self.all = [cell.coordinates for cell in self.cells_by_key.values()]

    def axis(self, place: Place, *names: str) -> None:
        place.check(names, "axis", self.axes)

    def figure(self, place: Place, *names: str) -> None:
        place.check(names, "figure", self.figures)

    def selector(self, selector: Selector, place: Place) -> None:
        matrix.check_selector(self.study, selector, place)

    def coordinates(self, coordinates: Coordinates, place: Place) -> None:
        self.selector({axis: (value,) for axis, value in coordinates.items()}, place)

    def scaling(self, place: Place) -> None:
        scaling = self.study.scaling
        self.selector(scaling.thin, place.at("thin"))
        for axis, kept in scaling.thin.items():
            if missing := [one for one in self.axes[axis] if one not in kept]:
                words = f"must name all values, the one kept longest first; add {missing[0]}."
                raise place.at("thin").at(axis).error(words)
        options = {name: None for cell in self.cells_by_key.values() for name in cell.options}
        for key in ("shorter", "faster"):
            if options:
                place.at(key).check(getattr(scaling, key), "option of a cell", options)
        limited = [*scaling.shorter, *scaling.thin, REPEAT]
        place.at("least").check(scaling.least, "scaled option or axis", limited)

    def cells(self, place: Place) -> None:
        """That there are some, and that those whose figures others need exist, and need none."""
        if not (by_key := self.cells_by_key):
            raise place.at("exclude").error("no configuration is left.")
        for cell in by_key.values():
            for option, share in shares(cell.options).items():
                here = place.at(option)
                self.figure(here, share.figure)
                self.coordinates(share.cell, here.at("cell"))
                needed = in_cell(share, cell.coordinates).cell
                if matrix.key(needed) not in by_key:
                    raise here.error(f"the configuration {cell_title(needed)} is excluded.")
                if shares(by_key[matrix.key(needed)].options):
                    raise here.error(f"the configuration {cell_title(needed)} needs another, too.")

    def check(self, check: Check, place: Place) -> None:
        self.figure(place.at("figure"), check.figure)
        self.selector(check.cell, place.at("cell"))
        given = list(check.regions)
        if len(given) != 1:
            kinds = "ratio, difference, value"
            raise place.error(f"needs one region of {kinds}, and has {len(given)}.")
        compared = check.to is not None or bool(check.to_figure)
        if compared == (given == ["value"]):
            raise place.at(given[0]).error(
                "is of one configuration, and to names another."
                if compared
                else "needs the other configuration: to."
            )
        self.figure(place.at("to_figure"), *filter(None, [check.to_figure]))
        self.coordinates(check.to or {}, place.at("to"))
        if not (checked := [reference for reference in self.all if check.selects(reference)]):
            but = " but that of to" * bool(check.to)
            raise place.at("cell").error(f"selects no configuration{but}.")
        for reference in checked:
            other = {**reference, **(check.to or {})}
            if other not in self.all:
                raise place.at("to").error(f"the configuration {cell_title(other)} is excluded.")

    def answer(self, answer: Answer, place: Place) -> None:
        self.axis(place.at("choice"), *answer.choice)
        self.selector(answer.only, place.at("only"))
        if bool(answer.figure) != bool(answer.best):
            raise place.error("figure and best belong together; give both or none.")
        if answer.figure:
            self.figure(place.at("figure"), answer.figure)
        elif self.study.objective is None:
            raise place.error("needs figure and best, as the study has no objective.")
        if not any(admits(answer.only, one) for one in self.all):
            raise place.at("only").error("selects no configuration.")
